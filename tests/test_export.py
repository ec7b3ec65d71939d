"""Exported proofs: what is written verifies without this package, and what was tampered with does not"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modules import loaded
from sessions import remember
from sympy import Eq

from symbolic_llm import catalogue
from symbolic_llm.checks import export, exported_equations, solvers, verify_alone
from symbolic_llm.claims import Kind
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue
from symbolic_llm.formula import Formula
from symbolic_llm.witness.certificate_for_all_shapes import decidable

pytestmark = [
    pytest.mark.usefixtures("kept_findings"),
    pytest.mark.xdist_group("export"),  # all read what is written once
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All proofs of the catalogue, written once."""
    remember()
    folder = tmp_path_factory.mktemp("export") / "proofs"
    with export.prepared(str(folder)) as made:
        _, left_out = export.write(made, list(catalogue()))
    assert left_out == ()
    return folder


def run(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Run the exported program where this package is not, and return what it says."""
    command = [sys.executable, "-I", str(folder / "verify.py"), *names]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def program(folder: Path) -> Any:
    """The exported program as a module, of which nothing compiled is left among the proofs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        return loaded(folder / "verify.py")


def faults(folder: Path, *names: str) -> list[str]:
    """Faults that the exported program finds in some formulas, or in all."""
    return [*program(folder).verify([*names])]


def test_all_formulas_are_exported_and_verify(exported: Path) -> None:
    """Each equation that is certified, each theorem, with both solvers; and of the rest it is said why not."""
    result = run(exported)
    assert result.returncode == 0, result.stdout + result.stderr
    theorems = [formula for formula in catalogue() if formula.kind is Kind.THEOREM]
    equations = [formula for formula in catalogue() if formula.kind is not Kind.THEOREM and decidable(formula)]
    rest = len(catalogue()) - len(theorems) - len(equations)
    assert result.stdout.splitlines()[:-1] == [
        f"{len(theorems)} theorems put to z3",
        f"{len(theorems)} theorems put to cvc5",
        f"{len(equations)} equations proved, {len(theorems)} theorems, {rest} formulas not proved here",
    ]
    assert {file.stem for file in exported.glob("formulas/*")} == {formula.name for formula in catalogue()}


def test_a_formula_is_said_and_verified_alone(exported: Path) -> None:
    """In its own letters, with its conditions."""
    said = run(exported, "latency", "sequences_that_fit").stdout
    assert "latency: T_step = max(D_weights/W, (2·B·P)/F)\n  an equation: " in said
    assert "not proved here: it is compared with the engine at places only" in said
    assert "1 equations proved, 0 theorems, 1 formulas not proved here" in said


def test_an_export_has_the_same_number_in_every_process(tmp_path: Path) -> None:
    """Whatever order sets have there: who cites the number of an export can find it again."""
    names, said = ("devices_apart", "batch_crossover_with_cache", "least_kv_heads"), set[bytes]()
    for seed in ("1", "2", "3"):
        folder = tmp_path / seed
        command = [sys.executable, "-m", "symbolic_llm", "check", *names, "--export", str(folder)]
        subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed})
        said.add((folder / "MANIFEST.json").read_bytes())
    assert len(said) == 1


# Tampering


def record(folder: Path, name: str) -> dict[str, Any]:
    """The contents of the file of a formula."""
    found: dict[str, Any] = json.loads((folder / "formulas" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def written(folder: Path, name: str, data: dict[str, Any]) -> None:
    """Put something else there."""
    (folder / "formulas" / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")


def sign(folder: Path, *, program_too: bool = True) -> None:
    """List the files as they are, as a forger would, and say in the program that this is the export."""
    files = [
        file for file in folder.rglob("*") if not file.is_dir() and file.name not in ("MANIFEST.json", "verify.py")
    ]
    listed = {file.relative_to(folder).as_posix(): sha256(file.read_bytes()).hexdigest() for file in files}
    (folder / "MANIFEST.json").write_text(json.dumps(listed), encoding="utf-8")
    if program_too:
        text, digest = (
            (folder / "verify.py").read_text(encoding="utf-8"),
            sha256((folder / "MANIFEST.json").read_bytes()),
        )
        text = re.sub(r'^EXPORT = ".*"', f'EXPORT = "{digest.hexdigest()}"', text, count=1, flags=re.MULTILINE)
        (folder / "verify.py").write_text(text, encoding="utf-8")


Change = Callable[[Path], Any]


def in_record(name: str, change: Callable[[dict[str, Any]], Any]) -> Change:
    """A change of what stands in the file of a formula."""

    def tamper(folder: Path) -> None:
        data = record(folder, name)
        change(data)
        written(folder, name, data)

    return tamper


def in_text(file: str, old: str, new: str) -> Change:
    """A change of the text of a file."""

    def tamper(folder: Path) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return tamper


def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The answers of all branches."""
    for side in ("then", "else") if "gap" in node else ():
        yield from leaves(node[side])
    if "gap" not in node:
        yield node


def leaf(data: dict[str, Any]) -> dict[str, Any]:
    """The answer for the first subject in the first branch."""
    return next(leaves(data["subjects"][0]["answers"][0]["tree"]))


def tree(data: dict[str, Any]) -> dict[str, Any]:
    """The comparisons for the first subject."""
    found: dict[str, Any] = data["subjects"][0]["answers"][0]["tree"]
    return found


def doubled(terms: list[Any]) -> None:
    """Take every factor twice."""
    for term in terms:
        term[0] *= 2


def swapped(one: str, other: str) -> Change:
    """Two files, each in the place of the other."""

    def tamper(folder: Path) -> None:
        first, second = folder / one, folder / other
        a, b = first.read_bytes(), second.read_bytes()
        first.write_bytes(b)
        second.write_bytes(a)

    return tamper


def without(pattern: str) -> Change:
    """No file of a pattern."""

    def tamper(folder: Path) -> None:
        files = [*folder.glob(pattern)]
        assert files
        for file in files:
            file.unlink()

    return tamper


def with_file(name: str, text: str) -> Change:
    """A file more."""

    def tamper(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return tamper


def emptied(data: dict[str, Any]) -> None:
    """Change a record so that nothing is claimed and nothing is counted."""
    data["claim"] = ["=", "M_weights", 0]
    for subject in data["subjects"]:
        for one in leaves(subject["answers"][0]["tree"]):
            one["over"] = []


def constant(data: dict[str, Any]) -> None:
    """A number is claimed, and counted."""
    data["claim"] = ["=", "M_weights", 7]
    for subject in data["subjects"]:
        for one in leaves(subject["answers"][0]["tree"]):
            one |= {"over": [[7, {}]], "under": [[1, {}]], "entries": {}}


GONE_THROUGH = [["+", "n_new", -1], ["+", "n_new", -2], ["+", "n_new", -4]]
GAP = ["+", "P_total", ["*", -1, "n_bytes"]]


def on_the_border(data: dict[str, Any]) -> None:
    """A factor of two where the batch is one: both cases of a maximum end there, and neither is compared."""
    data["conditions"].append(["<=", "B", 1])
    data["claim"][2] = ["*", ["max", "B", ["/", 1, "B"]], 2, data["claim"][2]]
    for subject in data["subjects"]:
        for key in [f"{case} {branch}" for case in range(9) for branch in range(9)]:
            subject["apart"].setdefault(key, {"0": [[1, {}]], "1": [[1, {}]]})


THEOREM = "theorems/memory_bound_batches.smt2"
# What is changed, and by which formula it is found; what a reader would be told instead, if it were not
TAMPERED: dict[str, tuple[Change, str]] = {
    "another claim": (in_record("weight_bytes", lambda d: d["claim"][2].insert(1, 7)), "weight_bytes"),
    "the name of another": (in_record("weight_bytes", lambda d: d.update(formula="latency")), "weight_bytes"),
    "another letter": (in_record("weight_bytes", lambda d: d["claim"].__setitem__(1, "P")), "weight_bytes"),
    "two files swapped": (swapped("formulas/weight_bytes.json", "formulas/embedding_parameters.json"), "weight_bytes"),
    "one branch dropped": (
        in_record("latency", lambda d: d["subjects"][0]["answers"][0].update(tree=tree(d)["then"])),
        "latency",
    ),
    "the other branch dropped": (
        in_record("latency", lambda d: d["subjects"][0]["answers"][0].update(tree=tree(d)["else"])),
        "latency",
    ),
    "branches turned round": (
        in_record("latency", lambda d: tree(d).update({"then": tree(d)["else"], "else": tree(d)["then"]})),
        "latency",
    ),
    "a case of the maximum dropped": (
        in_record("latency", lambda d: d["claim"].__setitem__(2, d["claim"][2][1])),
        "latency",
    ),
    "a minimum for a maximum": (in_record("latency", lambda d: d["claim"][2].__setitem__(0, "min")), "latency"),
    "another border": (in_record("latency", lambda d: doubled(tree(d)["gap"][:1])), "latency"),
    "nothing shows that two do not meet": (
        in_record("latency", lambda d: d["subjects"][0]["apart"].clear()),
        "latency",
    ),
    "multipliers that are negative": (
        in_record(
            "latency",
            lambda d: [
                t.__setitem__(0, -1) for by in d["subjects"][0]["apart"].values() for ts in by.values() for t in ts
            ],
        ),
        "latency",
    ),
    "multipliers of nothing": (
        in_record("latency", lambda d: [by.clear() for by in d["subjects"][0]["apart"].values()]),
        "latency",
    ),
    "a subject that is compared with nothing": (
        in_record("latency", lambda d: d["subjects"][0].update(answers=[])),
        "latency",
    ),
    "no subject": (in_record("latency", lambda d: d["subjects"].clear()), "latency"),
    "one subject twice": (in_record("latency", lambda d: d["subjects"].append(d["subjects"][0])), "latency"),
    "nothing for nothing": (in_record("weight_bytes", emptied), "weight_bytes"),
    "a number for a number": (in_record("weight_bytes", constant), "weight_bytes"),
    "counts doubled": (in_record("weight_bytes", lambda d: doubled(leaf(d)["over"])), "weight_bytes"),
    "an entry doubled": (
        lambda folder: [_double(folder / file) for file in ENGINE],
        "weight_bytes",
    ),
    "an entry elsewhere": (
        in_record(
            "weight_bytes", lambda d: [e[2].update(n_vocab=[[2, {"n_vocab": 1}]]) for e in leaf(d)["entries"].values()]
        ),
        "weight_bytes",
    ),
    "a term twice": (in_record("weight_bytes", lambda d: leaf(d)["over"].append(leaf(d)["over"][0])), "weight_bytes"),
    "a term that is none": (
        in_record("weight_bytes", lambda d: leaf(d)["over"].append([0, {"d_ff": 1}])),
        "weight_bytes",
    ),
    "a field more": (in_record("weight_bytes", lambda d: d.update(proved=True)), "weight_bytes"),
    "a field less": (in_record("weight_bytes", lambda d: d.pop("conditions")), "weight_bytes"),
    "no proof": (in_record("weight_bytes", lambda d: d.update(proof="none")), "weight_bytes"),
    "a theorem as an equation": (in_record("capacity", lambda d: d.update(proof="identity")), "capacity"),
    "a letter renamed": (in_text("formulas/weight_bytes.json", '"n_bytes"', '"d_bytes"'), "weight_bytes"),
    "a letter renamed everywhere": (
        lambda f: (f / "formulas/weight_bytes.json").write_text(
            (f / "formulas/weight_bytes.json").read_text(encoding="utf-8").replace('"n_bytes"', '"d_bytes"'),
            encoding="utf-8",
        ),
        "weight_bytes",
    ),
    "a number with a score": (
        in_record("weight_bytes", lambda d: leaf(d)["over"][0].__setitem__(0, "0_7")),
        "weight_bytes",
    ),
    "a number that is not exact": (in_record("weight_bytes", lambda d: d["claim"][2].append(1e300)), "weight_bytes"),
    "a key twice": (
        in_text("formulas/weight_bytes.json", '{\n"formula"', '{\n"formula": "weight_bytes",\n"formula"'),
        "weight_bytes",
    ),
    "no JSON": (in_text("formulas/weight_bytes.json", "{", ""), "weight_bytes"),
    "an operator that is none": (
        in_record("weight_bytes", lambda d: d["claim"].__setitem__(2, ["log", d["claim"][2]])),
        "weight_bytes",
    ),
    "an argument too many": (
        in_record("weight_bytes", lambda d: d["claim"].__setitem__(2, ["^", d["claim"][2], 1, "N"])),
        "weight_bytes",
    ),
    "a truth as an exponent": (
        in_record("weight_bytes", lambda d: d["claim"].__setitem__(2, ["^", d["claim"][2], True])),
        "weight_bytes",
    ),
    "a third side": (
        lambda folder: restated(folder, "capacity", lambda d: d["claim"].append(["<", 2, 1])),
        "capacity",
    ),
    "a number defined anew": (
        in_record(
            "weight_bytes",
            lambda d: [d["claim"][2].append(3), *(one["letters"].append([3, 1]) for one in d["subjects"])],
        ),
        "weight_bytes",
    ),
    "a parameter defined anew": (
        in_record("weight_bytes", lambda d: [one["letters"].append(["n_vocab", 1]) for one in d["subjects"]]),
        "weight_bytes",
    ),
    "a letter defined twice": (
        in_record("weight_bytes", lambda d: [one["letters"].append(one["letters"][0]) for one in d["subjects"]]),
        "weight_bytes",
    ),
    "a multiplier of a fact counted from the end": (
        in_record(
            "latency", lambda d: [by.update({"-1": by.popitem()[1]}) for by in d["subjects"][0]["apart"].values()]
        ),
        "latency",
    ),
    "bytes of a number that are whole": (
        in_record("weight_bytes", lambda d: [one["whole"].append("n_bytes") for one in d["subjects"]]),
        "weight_bytes",
    ),
    "a number fixed at 0": (
        in_record("latency", lambda d: d["subjects"][0]["answers"][0].update(at={"context": 0})),
        "latency",
    ),
    "right for the numbers that were gone through": (
        in_record(
            "time_per_output_token",
            lambda d: d["claim"].__setitem__(2, ["+", d["claim"][2], *(["*", "N", *GONE_THROUGH],)]),
        ),
        "time_per_output_token",
    ),
    "divided by what may be 0": (
        in_record("weight_bytes", lambda d: d["claim"].__setitem__(2, ["/", ["*", GAP, d["claim"][2]], GAP])),
        "weight_bytes",
    ),
    "a border that two cases leave to each other": (in_record("latency", on_the_border), "latency"),
    "a letter with a line break": (
        lambda folder: restated(folder, "capacity", lambda d: d["conditions"].append([">", "x\n(assert false)\n;", 0])),
        "capacity",
    ),
    "a condition that cannot hold": (
        in_record("crossover_existence", lambda d: d["conditions"].append([">", 0, 1])),
        "crossover_existence",
    ),
    "no example": (in_record("crossover_existence", lambda d: d["example"].clear()), "crossover_existence"),
    "an example that is negative": (
        in_record("crossover_existence", lambda d: d.update(example=dict.fromkeys(d["example"], -1))),
        "crossover_existence",
    ),
    "another theorem": (
        in_record("memory_bound_batches", lambda d: d["claim"][2].__setitem__(0, ">")),
        "memory_bound_batches",
    ),
    "a theorem that is false, and its question": (
        lambda folder: restated(folder, "memory_bound_batches", lambda d: d["claim"][2].__setitem__(0, ">")),
        "memory_bound_batches",
    ),
    "a question in place of a theorem": (
        in_text(THEOREM, "(check-sat)", "(assert false)\n(check-sat)"),
        "memory_bound_batches",
    ),
    "nothing asked": (in_text(THEOREM, "(check-sat)", ""), "memory_bound_batches"),
    "another question before": (
        in_text(THEOREM, "(set-logic", "(set-logic ALL)\n(push 1)\n(assert false)\n(check-sat)\n(pop 1)\n(set-logic"),
        "memory_bound_batches",
    ),
    "a head that says something else": (
        in_text(THEOREM, "; memory_bound_batches:", "; P = NP:"),
        "memory_bound_batches",
    ),
    "another answer expected": (in_text(THEOREM, "expected: unsat", "expected: sat"), "memory_bound_batches"),
    "two theorems swapped": (swapped(THEOREM, "theorems/capacity.smt2"), "capacity"),
    "no questions": (without("theorems/*"), "capacity"),
    "no entries": (without("engine/*"), "weight_bytes"),
    "everything dropped": (without("*/*"), ""),
    "a formula that is not there": (without("formulas/weight_bytes.json"), "weight_bytes"),
    "a file below": (with_file("formulas/more/x.json", "{}"), "capacity"),
    "a file with another ending": (with_file("formulas/false.JSON", '{"claim": "1=2"}'), "capacity"),
    "a question with another ending": (with_file("theorems/false.smt", "(check-sat)\n"), "capacity"),
    "a question of no formula": (with_file("theorems/false.smt2", "(check-sat)\n"), "capacity"),
    "a file beside": (with_file("more.json", "{}"), "capacity"),
    "a name that is misspelt": (lambda folder: None, "weight_byte"),
}
ENGINE = ("engine/llama,_weights.json", "engine/llama,_held.json")


def _double(file: Path) -> None:
    """Take every entry of a table twice."""
    if file.exists():
        table = json.loads(file.read_text(encoding="utf-8"))
        for terms in table["entries"].values():
            doubled(terms)
        file.write_text(json.dumps(table), encoding="utf-8")


def restated(folder: Path, name: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """Another theorem, and the question that it would ask."""
    in_record(name, change)(folder)
    text = program(folder).question(record(folder, name))
    (folder / "theorems" / f"{name}.smt2").write_text(text, encoding="utf-8")


@pytest.fixture
def copied(exported: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(exported, tmp_path / "proofs"))


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_fails(copied: Path, name: str) -> None:
    """Also where a forger has listed the files anew, and told the program that this is the export."""
    change, found_by = TAMPERED[name]
    change(copied)
    sign(copied)
    found = faults(copied, *filter(None, [found_by]))
    assert found
    assert all(re.match(r"[A-Za-z]", fault) for fault in found)


# What nothing in the files contradicts: another export, which says less or something else. Its number tells.
FORGED: dict[str, Change] = {
    "a formula dropped": lambda folder: [
        path.unlink() for path in (folder / "formulas/capacity.json", folder / "theorems/capacity.smt2")
    ],
    "another question in words": in_record(
        "weight_bytes", lambda d: d["subjects"][0].update(asks="What is the weather?")
    ),
    "a subject dropped": in_record("weight_bytes", lambda d: d["subjects"].pop()),
    "half of everything": in_record(
        "weight_bytes",
        lambda d: (
            [d["claim"][2].insert(1, 2)]
            + [doubled(one["over"]) for s in d["subjects"] for one in leaves(tree({"subjects": [s]}))]
        ),
    ),
}


@pytest.mark.parametrize("name", [*TAMPERED, *FORGED])
def test_whoever_tampers_makes_another_export(copied: Path, name: str) -> None:
    """The program knows which one it came with, whatever the files are listed as."""
    change = FORGED[name] if name in FORGED else TAMPERED[name][0]
    change(copied)
    sign(copied, program_too=False)
    assert "MANIFEST.json: is not what was exported" in [*program(copied).verify_files()]


def test_what_is_listed_anew_and_the_same_verifies(copied: Path) -> None:
    """The twin: it is not by being listed anew that what was tampered with fails."""
    sign(copied)
    assert faults(copied, "weight_bytes", "latency", "memory_bound_batches", "crossover_existence") == []


def test_a_file_that_was_changed_or_is_gone_is_named(copied: Path) -> None:
    """A file that was changed or is gone is named, where nothing is listed anew."""
    with_file("formulas/weight_bytes.json", "{}")(copied)
    without("theorems/capacity.smt2")(copied)
    found = [*program(copied).verify_files()]
    assert found == [
        f"{name}: is not what was exported" for name in ("formulas/weight_bytes.json", "theorems/capacity.smt2")
    ]


def numbers(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of the numbers in a record."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from numbers(value, (*path, key))
    elif isinstance(data, int):
        yield path


@pytest.mark.parametrize("name", ["embedding_parameters", "q4_bytes_per_weight", "attention_intensity", "latency"])
def test_no_number_of_a_proof_can_be_changed(exported: Path, name: str) -> None:
    """A factor, a power, what stands for a letter, where an entry is taken: each by itself makes it no proof."""
    its, engine = record(exported, name), {}
    for file in exported.glob("engine/*"):
        engine[file.name] = json.loads(file.read_text(encoding="utf-8"))
    verify_alone.verify_identity(its, engine)
    places = [("claim", *path) for path in numbers(its["claim"])]
    for number in range(min(2, len(its["subjects"]))):
        for field in ("letters", "answers"):
            its_own = numbers(its["subjects"][number][field])
            places += [("subjects", number, field, *path) for path in its_own if "gap" not in path]
    assert len(places) > 2
    for *path, last in places:
        changed = json.loads(json.dumps(its))
        inside = changed
        for key in path:
            inside = inside[key]
        inside[last] += 1 if inside[last] != -1 else 3
        with pytest.raises((ValueError, KeyError, ZeroDivisionError)):
            verify_alone.verify_identity(changed, engine)


NXK = verify_alone.Letters(("n", "x", "k"), frozenset("nk"))
FEW_TERMS = st.dictionaries(st.tuples(*[st.integers(0, 2)] * 3), st.integers(-3, 3).filter(bool), max_size=4)
SMALL = st.tuples(st.integers(1, 3), st.fractions(Fraction(1, 9), 9), st.integers(1, 3))


def polynomial(letters: str) -> Any:
    """The polynomial of a text such as "nn-1": its terms are products of letters, with signs between."""
    found = dict[Any, Any]()
    for sign, term in re.findall(r"([+-]?)([^+-]+)", letters):
        powers = tuple(term.count(name) for name in NXK.names)
        found[powers] = found.get(powers, 0) + (-1 if sign == "-" else 1)
    return found


@given(FEW_TERMS, SMALL)
def test_what_is_never_zero_has_no_zero(terms: Any, point: Any) -> None:
    """Nor is what is nowhere negative anywhere less; n and k count, so they are 1 and more."""
    value = sum(
        factor * prod(one**power for one, power in zip(point, powers, strict=True)) for powers, factor in terms.items()
    )
    assert value or not verify_alone.strict_sign(terms, NXK)
    if (sign := verify_alone.sign(terms, NXK)) is not None:
        assert value * sign >= 0


@pytest.mark.parametrize("zero", ["n-1", "nn-1", "nk-1", "nx-x", "n+k-1-1"])
def test_what_may_be_divided_by_zero_has_no_value(zero: str) -> None:
    """A whole number less 1 is nowhere negative, and at 1 it is zero: it is no divisor."""
    assert verify_alone.sign(polynomial(zero), NXK) == 1
    assert not verify_alone.strict_sign(polynomial(zero), NXK)
    tree = ["/", ["*", "x", ["+", ["^", "n", 2], -1]], ["+", "n", -1]]
    assert verify_alone.with_value(tree, NXK, []) is None
    assert verify_alone.with_value(tree, NXK, [polynomial("n-1")]) is not None
    assert all(verify_alone.strict_sign(polynomial(one), NXK) for one in ("n", "x", "n+x-1", "nk+x-1", "n+k-1"))


# Solvers, and the program


def test_without_a_solver_theorems_are_not_verified(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equations need none; of theorems it says that nobody was asked."""
    alone = program(exported)
    monkeypatch.setattr(alone, "find_spec", lambda name: None)
    monkeypatch.setattr(alone.shutil, "which", lambda name: None)
    assert [*alone.verify(["weight_bytes"])] == []
    assert [*alone.verify(["capacity"])] == ["theorems: there is no SMT solver here: pip install z3-solver"]


def test_a_solver_on_the_path_will_do(exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that answers as solvers do, and one that is wrong."""
    alone = program(exported)
    monkeypatch.setattr(alone, "find_spec", lambda name: None)
    solver = tmp_path / "z3"
    monkeypatch.setattr(alone.shutil, "which", lambda name: str(solver) if name == "z3" else None)
    for answer, wrong in (("unsat", []), ("unknown", ["capacity: z3 says unknown, expected is unsat"])):
        solver.write_text(f"#!/bin/sh\necho {answer}\n", encoding="utf-8")
        solver.chmod(0o755)
        assert [*alone.verify(["capacity"])] == wrong


def test_the_program_stands_alone() -> None:
    """The exported program imports the standard library only."""
    source = Path(verify_alone.__file__).read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def theorem(claim: Any, *conditions: Any, whole: tuple[str, ...] = ()) -> dict[str, Any]:
    """A theorem as a record."""
    return {
        "formula": "made",
        "claim": claim,
        "conditions": [*conditions],
        "whole": [*whole],
        "products_apart": False,
        "in_whole_numbers": bool(whole),
    }


@pytest.mark.parametrize(
    ("made", "answer"),
    [
        (theorem(["implies", [">", "x", "y"], [">", ["*", "x", "z"], ["*", "y", "z"]]]), "unsat"),
        (theorem(["implies", [">", "x", "y"], [">", ["/", "z", "x"], ["/", "z", "y"]]]), "sat"),
        (theorem(["implies", [">", "x", "y"], [">=", ["max", "x", "y"], "x"]]), "unsat"),
        (theorem(["implies", [">", "x", "y"], ["<", ["max", "x", "y"], "x"]]), "sat"),
        (theorem(["iff", [">", ["/", "z", ["+", "x", ["*", -1, "y"]]], 0], [">", "x", "y"]]), "sat"),  # where x = y
        (
            theorem(["iff", [">", ["/", "z", ["+", "x", ["*", -1, "y"]]], 0], [">", "x", "y"]], ["!=", "x", "y"]),
            "unsat",
        ),
        (theorem(["implies", [">=", "n", 2], [">=", ["^", "n", 2], ["*", 2, "n"]]]), "unsat"),
        (theorem(["implies", [">", "n", 1], [">=", "n", 2]], whole=("n",)), "unsat"),
        (theorem(["implies", [">", "n", 1], [">=", "n", 2]]), "sat"),
        (theorem(["implies", ["=", ["mod", "n", "k"], 0], [">=", "n", "k"]], whole=("n", "k")), "unsat"),
        (theorem(["implies", ["=", ["mod", "n", "k"], 1], [">=", "n", "k"]], whole=("n", "k")), "sat"),
        (theorem(["implies", [">=", "x", 1], [">=", ["ceil", "x"], "x"]]), "unsat"),
        (theorem(["implies", [">=", "x", 1], [">=", ["floor", "x"], "x"]]), "sat"),
        (theorem(["cases", "x", ["x", [[">=", "x", 1]]], ["x", [["<", "x", 1]]]]), "unsat"),
        (theorem(["cases", "x", ["x", [[">=", "x", 1]]], ["x", [["<=", "x", 1]]]]), "sat"),  # both hold at 1
        (theorem(["implies", [">", "a", 1], ["<", ["^", "a", "n"], ["^", "a", ["+", "n", 1]]]]), "unsat"),
        (theorem(["iff", [">=", "k", ["ceil", ["/", "n", "m"]]], ["<", "k", 1]]), "sat"),
        (theorem(["iff", [">=", ["/", 1, ["/", 1, ["+", "x", ["*", -1, "y"]]]], 0], [">=", "x", "y"]]), "sat"),
    ],
    ids=lambda one: verify_alone.words(one["claim"]) if isinstance(one, dict) else one,
)
def test_a_question_is_what_the_claim_asks(made: dict[str, Any], answer: str) -> None:
    """Whether numbers exist for which it is false; of each kind of claim one that is true and one that is not."""
    assert solvers.ask_z3(verify_alone.question(made)).said == answer
    apart = verify_alone.question({**made, "products_apart": True})
    assert (
        answer == "unsat" or solvers.ask_z3(apart).said == "sat"
    )  # it may not prove, and must not prove what is false


def test_what_a_question_cannot_say_is_refused() -> None:
    """A power of what may be negative, a power in an exponent, and a letter that stands for what is rounded."""
    power = ["^", ["+", 1, ["*", -1, "a"]], "n"]
    for one in (power, ["^", "a", ["^", "b", "c"]], ["^", ["^", "a", "b"], "c"]):
        with pytest.raises(ValueError, match=r"may be negative|power"):
            verify_alone.question(theorem(["implies", [">", "a", 1], [">", one, 0]]))
    for letter in ("rounded_1", "x y", "x\n", "|x|", "x·y"):
        with pytest.raises(ValueError, match="is no letter"):
            verify_alone.well_formed(letter)


@pytest.mark.parametrize("text", ["", "[]", "7", "[" * 100_000, '{"formulas/capacity.json": 7}', '{"x": "", "x": ""}'])
def test_a_list_of_files_that_is_none_is_one_sentence(copied: Path, text: str) -> None:
    """And no traceback; neither is a list that is gone."""
    (copied / "MANIFEST.json").write_text(text, encoding="utf-8")
    for _ in range(2):
        result = run(copied, "capacity")
        assert result.returncode == 1
        assert "MANIFEST.json: " in result.stdout
        assert not result.stderr
        (copied / "MANIFEST.json").unlink(missing_ok=True)


def test_files_elsewhere_are_none_of_an_export(copied: Path, tmp_path: Path) -> None:
    """Links are refused, whatever they lead to, and files that cannot be read are named."""
    (copied / "formulas").rename(tmp_path / "elsewhere")
    (copied / "formulas").symlink_to(tmp_path / "elsewhere")
    (copied / "theorems" / "capacity.smt2").write_bytes(b"\xff")
    sign(copied)
    found = "\n".join(faults(copied, "capacity"))
    assert "formulas: is not what was exported" in found
    assert "theorems/capacity.smt2: cannot be read" in found


def test_what_is_not_proved_is_not_written_as_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theorem that no solver proves, an equation that the engine refutes, and a formula over which it stumbles."""
    false = catalogue()["embedding_parameters"]
    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: solvers.Answer("unknown"))
    asked: list[Formula] = [
        catalogue()["memory_bound_batches"],
        replace(false, claim=Eq(false.quantity, 2 * false.rhs)),
    ]
    with export.prepared(str(tmp_path / "proofs")) as made:
        _, left_out = export.write(made, asked)
    assert left_out == (
        "no proof is written of memory_bound_batches: solvers do not find it proved",
        "no proof is written of embedding_parameters: formula and counts differ where they may meet",
    )
    assert [record(tmp_path / "proofs", one.name)["proof"] for one in asked] == ["none", "none"]
    assert faults(tmp_path / "proofs") == []
    monkeypatch.setattr(exported_equations, "decidable", lambda formula: 1 / 0)
    with export.prepared(str(tmp_path / "stumbled")) as made:
        _, left_out = export.write(made, [catalogue()["weight_bytes"]])
    assert left_out == ("no proof is written of weight_bytes: division by zero",)


# The folder


def test_the_command_line_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into a new folder, and over an earlier export; it says how to verify."""
    folder = tmp_path / "new" / "proofs"
    for names in (["weight_bytes", "capacity"], ["capacity"]):
        assert main(["check", *names, "--export", str(folder)]) == 0
        assert f"verify them with python {folder / 'verify.py'}" in capsys.readouterr().out
    assert sorted(path.name for path in folder.parent.iterdir()) == ["proofs"]
    assert [path.name for path in folder.glob("formulas/*")] == ["capacity.json"]
    assert run(folder).returncode == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that cannot be written is refused in one sentence, before any check, and nothing is touched."""
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine", encoding="utf-8")
    for folder, said in (
        ("file", "is a file, but --export needs a folder"),
        ("full", "holds other files; --export takes a new folder or an earlier export"),
        ("file/below", "cannot be written: "),
    ):
        assert main(["check", "capacity", "--export", str(tmp_path / folder)]) == 2
        assert said in capsys.readouterr().err
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "full"]


def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export that fails leaves the earlier one as it was."""
    folder = tmp_path / "proofs"
    with export.prepared(str(folder)) as made:
        export.write(made, [catalogue()["capacity"]])
    before = {path.name: path.read_bytes() for path in folder.glob("*/*")}

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fails)
    with (
        pytest.raises(InvalidValue, match="cannot be written: No space left on device"),
        export.prepared(str(folder)) as made,
    ):
        export.write(made, [catalogue()["weight_bytes"]])
    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(InvalidValue), export.prepared(str(folder)):
        pass
    assert {path.name: path.read_bytes() for path in folder.glob("*/*")} == before
    assert [path.name for path in tmp_path.iterdir()] == ["proofs"]
