"""Exported proofs: what is written verifies without this package, and what was tampered with does not"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from planting import asking, calculating
from sessions import remember
from sympy import Eq

from reference_engine.probes import Parts, Probe, Ratio
from symbolic_llm import catalogue
from symbolic_llm.bridge.admitted import applying
from symbolic_llm.bridge.borders import border_of
from symbolic_llm.bridge.certificate import Case, cases_of, certify, decidable, narrower, sides_of
from symbolic_llm.bridge.configurations import OFFERED
from symbolic_llm.bridge.entered import Uncertifiable
from symbolic_llm.bridge.grids import Axes, Counts
from symbolic_llm.bridge.letters import conditions_of
from symbolic_llm.checks import export, identities, verify_alone
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue
from symbolic_llm.formula import Formula

pytestmark = [
    pytest.mark.usefixtures("kept_findings"),
    pytest.mark.xdist_group("export"),  # all read what is written once
]

NAMES = [
    "weight_bytes",
    "embedding_parameters",
    "bytes_per_weight",
    "q4_bytes_per_weight",
    "attention_intensity",
    "decode_product_flops",
    "windowed_context_bytes",
    "memory_bound_batches",
    "tiling_saving",
    "crossover_existence",
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some identities and theorems, written once."""
    remember()
    folder = tmp_path_factory.mktemp("export") / "proofs"
    with export.prepared(str(folder)) as made:
        export.write(made, [catalogue()[name] for name in NAMES])
    return folder


def verified(folder: Path, *parts: str) -> subprocess.CompletedProcess[str]:
    """What the exported program says, run where this package is not."""
    command = [sys.executable, "-I", str(folder / "verify.py"), *parts]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_what_is_exported_verifies(exported: Path) -> None:
    """Each identity, and each question with both solvers."""
    result = verified(exported)
    assert result.returncode == 0, result.stdout + result.stderr
    written = len(list(exported.glob("identities/*")))
    asked = len(list(exported.glob("theorems/*")))
    # one for each subject and case of a maximum; a theorem is a proof and what has to be possible
    assert (written, asked) == (28, 17)
    assert result.stdout.splitlines() == [
        f"identities: {written} of {written} hold",
        f"theorems: {asked} questions put to z3",
        f"theorems: {asked} questions put to cvc5",
        "nothing is wrong",
    ]


def test_every_file_says_what_it_is(exported: Path) -> None:
    """For the reader who opens one."""
    head = (exported / "theorems" / "tiling_saving.proof.smt2").read_text(encoding="utf-8").splitlines()
    assert head[0].startswith("; tiling_saving: b_q ≥ d/2 ⟹ ")
    assert head[1:4] == [
        "; where Mod(N, b_q) = 0",
        "; asked: a counterexample in positive numbers, or a denominator that is not positive",
        "; expected: unsat",
    ]
    proof = json.loads((exported / "identities" / "embedding_parameters.llama.json").read_text(encoding="utf-8"))
    assert proof["claim"] == "P_embedding = n_vocab·d_model"
    assert proof["question"].endswith("?")
    assert "polynomial" in proof["assumption"]


def numbers(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers in a proof, written as numbers or as text."""
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        return [place for key, value in items for place in numbers(value, (*path, key))]
    return [path] if str(data).replace("/", "").isdigit() else []


def changed(data: Any, path: tuple[Any, ...]) -> Any:
    """The same with one number raised by one."""
    made = json.loads(json.dumps(data))
    inside = made
    for key in path[:-1]:
        inside = inside[key]
    old = inside[path[-1]]
    over, _, under = str(old).partition("/")
    inside[path[-1]] = old + 1 if isinstance(old, int) else f"{int(over) + 1}/{under}" if under else str(int(over) + 1)
    return made


@pytest.mark.parametrize(
    "name",
    [
        "embedding_parameters.llama",
        "bytes_per_weight.block",
        "q4_bytes_per_weight.block",
        "attention_intensity.textbook",
    ],
)
def test_no_number_of_a_proof_can_be_changed(exported: Path, name: str) -> None:
    """A coefficient, a power, a count, a place on the grid, a degree: each by itself makes it no proof."""
    proof = json.loads((exported / "identities" / f"{name}.json").read_text(encoding="utf-8"))
    verify_alone.verify_identity(proof)
    places = numbers(proof)
    assert len(places) > 2
    for place in places:
        with pytest.raises(ValueError, match=r"^[a-z].*"):
            verify_alone.verify_identity(changed(proof, place))


def edited(folder: Path, name: str, old: str, new: str) -> None:
    """Change a file, and its entry in the manifest with it, as a forger would."""
    file, manifest = folder / name, folder / "MANIFEST.json"
    content = file.read_text(encoding="utf-8")
    assert old in content
    file.write_text(content.replace(old, new, 1), encoding="utf-8")
    digests = json.loads(manifest.read_text(encoding="utf-8"))
    digests[name] = sha256(file.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(digests), encoding="utf-8")


TAMPERED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a theorem that is false": (
        lambda folder: edited(folder, "theorems/memory_bound_batches.proof.smt2", "(* B (* 2.0 W))", "(* B (* 3.0 W))"),
        "memory_bound_batches.proof.smt2: z3 says sat, expected is unsat",
    ),
    "an example that is none": (
        lambda folder: edited(folder, "theorems/memory_bound_batches.possible-1.smt2", "(= W ", "(= F "),
        "memory_bound_batches.possible-1.smt2: cvc5 says ",
    ),
    "another answer": (
        lambda folder: edited(folder, "theorems/memory_bound_batches.proof.smt2", ": unsat", ": sat"),
        "memory_bound_batches.proof.smt2: cvc5 says unsat, expected is sat",
    ),
    "no question": (
        lambda folder: edited(folder, "theorems/memory_bound_batches.proof.smt2", "(check-sat)", ""),
        "memory_bound_batches.proof.smt2: cvc5 says ",
    ),
    "a count": (
        lambda folder: edited(folder, "identities/embedding_parameters.llama.json", '"4"', '"5"'),
        "embedding_parameters.llama.json: formula and counts differ",
    ),
    "no JSON": (
        lambda folder: edited(folder, "identities/embedding_parameters.llama.json", "{", ""),
        "embedding_parameters.llama.json: ",
    ),
    "a file that is gone": (
        lambda folder: (folder / "identities" / "embedding_parameters.llama.json").unlink(),
        "identities/embedding_parameters.llama.json: is not what was exported",
    ),
    "a file too many": (
        lambda folder: (folder / "theorems" / "more.smt2").write_text("; expected: sat\n(check-sat)\n"),
        "theorems/more.smt2: is not what was exported",
    ),
    "words changed": (
        lambda folder: (folder / "identities" / "embedding_parameters.llama.json").write_text("{}"),
        "identities/embedding_parameters.llama.json: is not what was exported",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_fails(exported: Path, tmp_path: Path, name: str) -> None:
    """And what is wrong is named."""
    change, said = TAMPERED[name]
    folder = tmp_path / "proofs"
    shutil.copytree(exported, folder)
    change(folder)
    result = verified(folder)
    assert result.returncode == 1
    assert any(line.startswith(said) for line in result.stdout.splitlines()), result.stdout + result.stderr


def test_without_a_solver_theorems_are_not_verified(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Identities need none; of theorems it says that nobody was asked."""
    assert verified(exported, "identities").returncode == 0
    monkeypatch.setattr(verify_alone, "HERE", exported)
    monkeypatch.setattr(verify_alone, "find_spec", lambda name: None)
    monkeypatch.setattr(verify_alone.shutil, "which", lambda name: None)
    assert verify_alone.verify_theorems() == ["theorems: there is no SMT solver here: pip install z3-solver"]


def test_a_solver_on_the_path_will_do(exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that answers as solvers do, and one that is wrong."""
    monkeypatch.setattr(verify_alone, "HERE", exported)
    monkeypatch.setattr(verify_alone, "find_spec", lambda name: None)
    for answer, wrong in (("$(sed -n 's/; expected: //p' \"$1\")", 0), ("unknown", 17)):
        program = tmp_path / "z3"
        program.write_text(f"#!/bin/sh\necho {answer}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setattr(verify_alone.shutil, "which", lambda name, at=program: str(at) if name == "z3" else None)
        assert len(verify_alone.verify_theorems()) == wrong


def test_the_program_stands_alone() -> None:
    """It is short, and imports the standard library only."""
    source = Path(verify_alone.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 160
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_what_is_not_proved_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theorem that no solver proves leaves no file."""
    from symbolic_llm.checks import solvers

    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: solvers.Answer("unknown"))
    with export.prepared(str(tmp_path / "proofs")) as made:
        export.write(made, [catalogue()["memory_bound_batches"]])
    assert not (tmp_path / "proofs" / "theorems" / "memory_bound_batches.proof.smt2").exists()


def test_theorems_have_no_identity() -> None:
    """Nor has what is rounded."""
    for name in ("memory_bound_batches", "sequences_that_fit", "flops_per_token"):
        assert list(identities.proofs_of(catalogue()[name])) == []


def test_what_the_engine_refutes_has_no_identity() -> None:
    """Though a grid decides it: it decides that it is false."""
    found = catalogue()["embedding_parameters"]
    assert list(identities.proofs_of(found))
    wrong = replace(found, claim=Eq(found.quantity, 2 * found.rhs))
    assert certify(wrong)
    assert list(identities.proofs_of(wrong)) == []


@pytest.mark.parametrize("hidden", list(combinations(range(1, 5), 2)), ids=str)
def test_degrees_are_looked_for_in_two_corners(hidden: tuple[int, int]) -> None:
    """What vanishes at two values of a parameter is seen, but at both of the two that are looked at."""
    name = "product.hidden_at_two_values"
    lie = calculating(name, lambda m, n: (m - hidden[0]) * (m - hidden[1]) * n**2, "matrix and vector", "C_vector")
    with asking(lie):
        formula = replace(catalogue()["matrix_vector_flops"], measured_by=name)
        counts = Counts(Axes(formula, decidable(formula)[0], ()))
        for letter in ("m", "n"):
            counts.measure(letter, at_least=1)
        seen = {letter for grid in counts.groups() for letter in grid.moving}
    assert ("n" in seen) == (hidden != (2, 3))


# Counts that change their form


Asked = tuple[Formula, Probe, Case]


def measured(formula: Formula, probe: Probe, case: Case) -> None:
    """The degrees of what the engine counts, along every parameter, where the grid of an export lies."""
    axes = Axes(formula, probe, case.relations)
    degrees = [polynomial.degree for polynomial in sides_of(case, axes)]
    counts = Counts(axes)
    for name in axes.names:
        counts.measure(name, at_least=max(degree(name) for degree in degrees))


def lines(axes: Axes) -> Iterator[dict[str, Any]]:
    """The places at which degrees are measured, or a few more."""
    for number in (2, 3):
        base = {name: axes.values(name, number)[-1] for name in axes.names}
        for name in axes.names:
            most = len(OFFERED.get(name, range(5)))
            yield from (axes.config({**base, name: value}) for value in axes.values(name, min(most, 5)))


def that_may_bend() -> Iterator[Asked]:
    """Where the engine's counts may change their form on the grid of an export, and the claim does not.

    On one side of its border, and where the conditions hold, a count has one form. A maximum in the claim splits it
    into cases that have a grid each. And what is no ratio of counts has the form of the claim.
    """
    for formula in catalogue():
        for probe in decidable(formula):
            border = border_of(probe.asks.run, probe.subject) if probe.asks.run is not None else None
            whole = [case for case in cases_of(formula, probe) if not case.relations]
            if whole and (border is not None or conditions_of(formula, probe)):
                places = list(lines(Axes(formula, probe, ())))
                usual = {**dict.fromkeys(probe.asks.run.takes, 1), **probe.asks.fixed} if probe.asks.run else {}
                one_side = border is None or len({border.side(usual | at) for at in places}) == 1
                if one_side and all(map(applying(formula, probe), places)):
                    continue
                found = probe.ask(**places[0])
                if isinstance(found, Ratio) and isinstance(found.denominator, Parts):
                    yield from ((formula, probe, case) for case in whole)


def test_every_formula_is_exported_also_where_counts_change_their_form() -> None:
    """Of all formulas those that may bend: where the engine's counts do, they are polynomials on each side of it."""
    tried, bent = 0, set()
    for formula, probe, case in that_may_bend():
        tried += 1
        try:
            measured(formula, probe, case)
        except Uncertifiable:
            bent.add(formula.name)
            for one in narrower(formula, probe, case):
                if probe.subject.name == "hybrid":
                    Axes(formula, probe, one.relations)  # a vocabulary of 150,000: what is counted there takes long
                else:
                    measured(formula, probe, one)
    assert tried > 5
    assert bent == {"cache_intensity", "grouped_cache_intensity"}


def test_a_proof_says_on_which_side_it_holds() -> None:
    """One for a window that is not full and one for a full one; both verify."""
    found = [proof for proof in identities.proofs_of(catalogue()["grouped_cache_intensity"]) if proof.case]
    assert [(proof.name.partition(".")[2], *proof.case) for proof in found] == [
        (subject, case) for subject in ("mixed", "windowed") for case in ("window ≥ context", "context ≥ window")
    ]
    for proof in found:
        verify_alone.verify_identity(json.loads(proof.as_json()))


def test_what_cannot_be_written_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: counts that bend on every grid that is tried, and a formula over which the export stumbles."""
    monkeypatch.setattr(identities, "narrower", lambda formula, probe, case: [case])
    assert main(["check", "grouped_cache_intensity", "capacity", "--export", str(tmp_path / "bent")]) == 0
    said = capsys.readouterr().out
    why = "the engine's count does not look like a polynomial in window"
    assert f"\nnothing is written of grouped_cache_intensity: {why}\n" in said
    assert {path.name.partition(".")[0] for path in (tmp_path / "bent").glob("*/*")} == {"capacity"}
    monkeypatch.setattr(identities, "decidable", lambda formula: 1 / 0)
    with export.prepared(str(tmp_path / "stumbled")) as made:
        _, left_out = export.write(made, [catalogue()["weight_bytes"]])
    assert left_out == ("nothing is written of weight_bytes: division by zero",)
    assert verified(tmp_path / "stumbled", "identities").returncode == 0


# The folder


def test_the_command_line_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into a new folder, and over an earlier export; it says how to verify."""
    folder = tmp_path / "new" / "proofs"
    for names in (["weight_bytes", "capacity"], ["capacity"]):
        assert main(["check", *names, "--export", str(folder)]) == 0
        assert f"python {folder / 'verify.py'} verifies them" in capsys.readouterr().out
    assert sorted(path.name for path in folder.parent.iterdir()) == ["proofs"]
    assert list(folder.glob("identities/*")) == []
    assert verified(folder, "theorems").returncode == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, before anything is checked, and nothing is touched."""
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine", encoding="utf-8")
    for folder, said in (
        ("file", "is a file; --export takes a folder"),
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

    monkeypatch.setattr(export.shutil, "copyfile", fails)
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
