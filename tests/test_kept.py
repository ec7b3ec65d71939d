"""Findings, reports and the engine's answers that are kept: read again on the same sources, and only there"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from planting import forgetting

from reference_engine.probes.registry import Probe
from symbolic_llm import catalogue, sources
from symbolic_llm.cache import Store, answers, folder
from symbolic_llm.checks import findings_store as kept
from symbolic_llm.checks import many_formulas, solvers
from symbolic_llm.checks.findings_digest import content
from symbolic_llm.checks.many_formulas import check_formulas, file_of, known
from symbolic_llm.checks.report import check_formula, report_data
from symbolic_llm.checks.theorems import check_theorem
from symbolic_llm.checks.verdict import MADE_OF_ALL, Finding, Verdict
from symbolic_llm.cli import main
from symbolic_llm.formula import Formula
from symbolic_llm.sources import texts
from symbolic_llm.witness import certificate_for_all_shapes, ledger_entries
from symbolic_llm.witness.certificate_for_all_shapes import certify

ROOT = Path(__file__).parent.parent

WRONG = (
    Finding("steps", Verdict.REFUTED, "kept for a test", 2, (Verdict.PROVED, Verdict.REFUTED)),
    *(Finding(check, Verdict.PROVED, "kept for a test") for check in sorted(MADE_OF_ALL - {"steps"})),
)
FILE = ("compute", "matrix_vector_flops")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, which nobody has read yet."""
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(tmp_path / "kept"))
    with forgetting():
        yield tmp_path / "kept"


def keep_findings(content: str, name: str, findings: Sequence[Finding]) -> None:
    """Keep these, now."""
    keeper = kept.Keeper()
    keeper.add_findings(content, name, findings)
    keeper.keep()


def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The formulas that are checked from now on, by name."""
    names: list[str] = []

    def watched(formula: Formula, check: Callable[[Formula], Any] = many_formulas.own_findings) -> Any:
        names.append(formula.name)
        return check(formula)

    monkeypatch.setattr(many_formulas, "own_findings", watched)
    return names


# Stores


def test_a_store_keeps_what_it_is_given(place: Path) -> None:
    """For the next process, and under other sources there is nothing."""
    Store("kind", "sources").add({"one": [1, "two"], "other": None})
    assert Store("kind", "sources").rows == {"one": [1, "two"], "other": None}
    assert Store("kind", "other sources").rows == Store("other kind", "sources").rows == {}


@pytest.mark.parametrize("fault", ["cut", "a letter", "mixed up", "no line", "not text", "another's", "too large"])
def test_a_damaged_store_gives_what_is_whole(fault: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is not as it was written is none; the others are, and the store takes more."""
    Store("kind", "s").add({"first": 1})
    Store("kind", "s").add({"second": 2})
    (path,) = place.iterdir()
    content = path.read_bytes()
    at = content.index(b'"second"')
    damaged = {
        "cut": content[: at + 5],
        "a letter": content.replace(b"second", b"sekond"),
        "mixed up": content.replace(b'"second"\t2', b'"second"\t1'),
        "no line": content.replace(b'"second"\t2', b""),
        "not text": content[:at] + b"\xff\x00" + content[at + 2 :],
        "another's": content[:at] + b'{"second": 2}\n',
        "too large": content,
    }[fault]
    path.write_bytes(damaged)
    if fault == "too large":
        monkeypatch.setattr("symbolic_llm.cache.store._LARGEST", len(content) - 1)
    assert Store("kind", "s").rows == ({} if fault == "too large" else {"first": 1})
    assert "second" not in Store("kind", "s").rows
    Store("kind", "s").add({"third": 3})
    assert Store("kind", "s").rows.get("third") == 3


def test_what_was_kept_before_a_damaged_line_stands(place: Path) -> None:
    """Of what was kept twice under a name the last counts that is as it was written."""
    for row in (1, 2):
        Store("kind", "s").add({"one": row})
    assert Store("kind", "s").rows["one"] == 2
    (path,) = place.iterdir()
    path.write_bytes(path.read_bytes().replace(b"\t2", b"\t3"))
    assert Store("kind", "s").rows == {"one": 1}


def test_two_at_once_lose_nothing(place: Path) -> None:
    """Each adds line by line to the same store."""
    stores = [Store("kind", "s") for _ in range(4)]

    def fill(number: int) -> None:
        for turn in range(50):
            stores[number].add({f"{number} {turn}": "x" * 2000})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, range(4)))
    assert len(Store("kind", "s").rows) == 200


def test_two_processes_at_once_lose_nothing(place: Path) -> None:
    """Two processes that add to one store at once lose nothing."""
    script = "import sys; from symbolic_llm.cache import Store; s = Store('kind', 's')\n"
    script += "for turn in range(100): s.add({f'{sys.argv[1]} {turn}': 'x' * 3000})"
    started = [subprocess.Popen([sys.executable, "-c", script, str(n)], env={**os.environ}) for n in range(2)]
    assert [one.wait() for one in started] == [0, 0]
    assert len(Store("kind", "s").rows) == 200


def test_the_oldest_stores_are_forgotten(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest stores of a kind are forgotten where there are many; those of other kinds stay."""
    monkeypatch.setattr("symbolic_llm.cache.store._MOST", 2)
    Store("other", "0").add({"x": 1})
    for key in "abc":
        Store("kind", key).add({"x": 1})
        os.utime(place / f"kind-{key}.jsonl", (ord(key), ord(key)))
    assert sorted(path.name for path in place.iterdir()) == ["kind-b.jsonl", "kind-c.jsonl", "other-0.jsonl"]


def test_a_run_of_the_tests_begins_with_nothing_that_a_user_keeps(tmp_path: Path) -> None:
    """Whatever folder is named, or none: what is found there may be of other sources, or forged."""
    (tmp_path / "findings-1.jsonl").write_text("forged")
    program = "import os, conftest; from symbolic_llm.cache import folder; print(folder())"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SYMBOLIC_LLM")}
    for own in ({"SYMBOLIC_LLM_CACHE": str(tmp_path)}, {"XDG_CACHE_HOME": str(tmp_path)}):
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parent,
            env=environment | own,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "None\n"


def test_a_folder_that_others_can_write_to_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor one in a folder in which anyone can put another in its place, nor a link to such a one; it is said once."""
    own, shared, link = tmp_path / "own", tmp_path / "shared", tmp_path / "link"
    for place, mode in ((own, 0o700), (shared, 0o770)):
        place.mkdir()
        place.chmod(mode)
    link.symlink_to(shared)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for place, why in (
        (shared, "others can write to it"),
        (link, "others can write to it"),
        (tmp_path / "open" / "inner", f"anyone can write to {tmp_path / 'open'}"),
    ):
        monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(place))
        assert [folder(), folder()] == [None, None]
        assert capsys.readouterr().err == f"symbolic-llm: the cache {place} is not used because {why}.\n"
    before = os.umask(0o002)  # as where each user has a group
    try:
        for name, keep in (
            ("new", lambda: Store("kind", "s").add({"x": 1})),
            ("other", lambda: answers.keep({("x",): 1})),
        ):
            monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(own / name))
            assert folder() == own / name
            keep()
            assert (own / name).stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
    assert capsys.readouterr().err == ""


WAYS = {
    "absolute": "from symbolic_llm.formulas.latency.latency import FORMULA",
    "relative": "from ..latency.latency import FORMULA",
    "of a star": "from ..latency.latency import *",
    "neighbour": "from .latency import FORMULA",
    "chapter": "from symbolic_llm.formulas.latency import latency",
    "relative chapter": "from ..latency import latency",
    "room": "from symbolic_llm.formulas import latency",
    "module": "import symbolic_llm.formulas.latency.latency",
    "by its name": "from importlib import import_module",
    "loaded": "import sys; sys.modules['x']",
    "bare": "from . import latency",
    "from the catalogue": "from symbolic_llm.catalogue.named import latency",
}


@pytest.mark.parametrize("way", WAYS)
def test_however_a_formula_is_imported_its_text_counts(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the twin: by the one way that names a chapter and a file after it, the others are missed."""
    planted, used = ("latency", "planted"), ("latency", "latency")
    source = kept._source
    texts = {planted: WAYS[way]}
    monkeypatch.setattr(kept, "_source", lambda file: texts.get(file) or source(file))

    def print_of() -> str:
        with forgetting():
            return kept.fingerprint(planted)

    before = print_of()
    texts[used] = source(used) + "# another"
    assert print_of() != before
    monkeypatch.setattr(kept, "_imported", lambda file: tuple(kept._IMPORTED.findall(kept._source(file))))
    changed = print_of()
    texts[used] += "# a third"
    assert (print_of() != changed) is (way == "absolute")


def test_nowhere_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in the place of the folder, or none wanted: everything is checked, and nobody complains."""
    (tmp_path / "file").write_text("")
    for place in (str(tmp_path / "file"), ""):
        monkeypatch.setenv("SYMBOLIC_LLM_CACHE", place)
        assert main(["check", "matrix_vector_flops", "--fresh"]) == 0
        assert "1 proved" in capsys.readouterr().out
    monkeypatch.delenv("SYMBOLIC_LLM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder() == tmp_path / "symbolic_llm"


# Findings and reports


def test_what_was_found_is_not_looked_for_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is checked, and the reports are the same; `fresh` checks anew."""
    names, wanted = asked(monkeypatch), [catalogue()["matrix_matrix_flops"]]
    first = list(check_formulas(wanted))
    assert names == ["matrix_vector_flops", "matrix_matrix_flops"]
    assert list(check_formulas(wanted)) == first
    assert len(names) == 2
    assert list(check_formulas(wanted, fresh=True)) == first
    assert len(names) == 4


def test_a_finding_is_read_as_it_was(place: Path) -> None:
    """All its fields; what is no finding is none."""
    keep_findings("what it says", "name", WRONG)
    assert kept.findings("what it says", "name") == WRONG
    assert kept.findings("what it says", "another") is None
    row = kept._store().rows["findings what it says"]
    whole = row["findings"]
    for wrong in (
        *({}, [], 7, None, [{}], [[]]),
        [*whole[1:]],  # a check is missing
        [*whole, whole[0]],  # one is there twice
        [*whole, {**whole[1], "check": "uses"}],  # which is found anew each time
        *([{**whole[0], **change}, *whole[1:]] for change in CHANGES),
    ):
        kept._store().add({"findings what it says": {**row, "findings": wrong}})
        assert kept.findings("what it says", "name") is None, wrong
    for wrong in (7, [], None, {}, {"findings": whole}):
        kept._store().add({"findings what it says": wrong})
        assert kept.findings("what it says", "name") is None
    kept._store().add({"findings what it says": row})
    assert kept.findings("what it says", "name") == WRONG


# by which a finding is none, or contradicts itself
CHANGES: tuple[dict[str, Any], ...] = (
    {"verdict": "FINE"},
    {"verdict": "PROVED"},
    {"verdict": "PROVED", "step": 0},
    {"verdict": "PROVED", "steps": []},
    {"summary": None},
    {"step": "2"},
    {"steps": ["FINE"]},
    {"more": 1},
)


@pytest.mark.parametrize("fault", ["a solver gives up", "a check breaks off"])
def test_what_ended_undecided_is_looked_for_again(fault: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what was found is kept nor a report that rests on it; once all is decided, both are."""
    theorem = catalogue()["memory_bound_batches"]
    names, file = asked(monkeypatch), (theorem.chapter, theorem.name)
    monkeypatch.setattr(many_formulas, "_WORTH_IT", len(catalogue()))  # in this process, where the fault is
    with monkeypatch.context() as patch:
        if fault == "a solver gives up":
            patch.setattr(solvers, "ask_cvc5", lambda text: solvers.Answer("unknown"))
        else:
            patch.setattr("symbolic_llm.checks.report.check_theorem", lambda formula: 1 // 0)
        (report,) = check_formulas([theorem])
    assert report["theorem"].verdict is Verdict.UNDECIDED
    assert kept.report(file) is None
    assert theorem.closure()
    assert known([theorem, *theorem.closure()]).keys() == set(theorem.closure())
    with forgetting():  # as the next process
        (report,) = check_formulas([theorem])
        assert report.verdict is Verdict.PROVED
        assert names.count(theorem.name) == 2
        assert theorem in known([theorem])
        assert kept.report(file) == report_data(report)


def test_a_report_on_what_is_open_below_is_not_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report on what is open below is not kept; findings on the formula itself are, whatever becomes of the other."""
    formula = catalogue()["matrix_matrix_flops"]
    check, undecided = many_formulas.own_findings, Finding("steps", Verdict.UNDECIDED, "kept for a test", open=True)
    monkeypatch.setattr(many_formulas, "own_findings", lambda one: check(one) if one is formula else (undecided,))
    (report,) = check_formulas([formula])
    assert report["uses"].verdict is Verdict.UNDECIDED
    assert known([formula, *formula.closure()]).keys() == {formula}
    assert kept.report((formula.chapter, formula.name)) is None


def test_a_variant_has_no_kept_findings(place: Path) -> None:
    """A variant has no kept findings: it has the name of its formula, and says something else."""
    formula = catalogue()["matrix_vector_flops"]
    variant = replace(formula, example={})
    keep_findings(content(formula), formula.name, WRONG)
    assert content(variant) == content(formula)
    assert known([formula, variant]) == {formula: WRONG}


def test_other_sources_have_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the checker, of the engine, of the formula, of one that it imports; another formula's file does not count."""
    file = ("compute", "matrix_matrix_flops")

    def prints() -> tuple[str, str]:
        for function in (
            kept.fingerprint,
            kept._read_for_all,
            kept._of_file,
            kept._imported,
            kept.checker,
        ):
            function.cache_clear()
        return kept.checker(), kept.fingerprint(file)

    before, of_file, sources = prints(), kept._source, kept._sources()
    for changed in ("matrix_matrix_flops", "matrix_vector_flops", "vector_parameters", "__init__"):
        with monkeypatch.context() as patch:
            patch.setattr(kept, "_source", lambda f, c=changed: of_file(f) + " " * (f[1] == c))
            assert changed in {
                "__init__",
                *(name for _, name in kept._reached({file, *kept._used_by_all()})),
            }
            checker, of_formula = prints()
            assert (checker, of_formula != before[1]) == (before[0], True)
    with monkeypatch.context() as patch:
        patch.setattr(kept, "_source", lambda f: of_file(f) + " " * (f[1] == "tiling_break_even"))
        assert prints() == before
    with monkeypatch.context() as patch:
        patch.setattr(kept, "texts", lambda files: ("what formulas share", *texts(files)))
        patch.setattr(kept, "_sources", lambda: sources)
        checker, of_formula = prints()
        assert (checker, of_formula != before[1]) == (before[0], True)
    for place in range(0, len(sources), 17):
        with monkeypatch.context() as patch:
            patch.setattr(kept, "_sources", lambda p=place: (*sources[:p], sources[p] + " ", *sources[p + 1 :]))
            assert prints()[0] != before[0]
    assert prints() == before
    assert any("reference_engine/ops.py" in source for source in sources)
    assert not any(source.startswith("symbolic_llm/formulas") for source in sources)


def test_what_formulas_share_decides_by_what_they_say() -> None:
    """Whatever decides takes whole formulas, and nothing that is written beside them."""
    trees = (ast.parse(source.partition("\n")[2]) for source in kept._sources())
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    of_formulas = [node for node in imports if "formulas" in node.module.split(".")]
    of_formulas = [node for node in of_formulas if not node.module.endswith(".shared")]  # which is among these sources
    assert "BEYOND_WINDOW = " in "".join(kept._sources())
    assert of_formulas == []
    named = {one.name for node in imports if node.module.endswith("catalogue.named") for one in node.names}
    assert len(named) > 80
    assert named <= {name for _, name in kept._used_by_all()}


def test_each_formula_has_its_own() -> None:
    """Many depend on the very same files."""
    assert len({kept.fingerprint((f.chapter, f.name)) for f in catalogue()}) == len(catalogue())


def test_a_report_that_is_kept_is_what_is_said(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Word for word, as text and as JSON, for each that is named; an edit makes it another question."""
    for arguments in (["check", "matrix_matrix_flops"], ["check", "matrix_matrix_flops", "--json"]):
        assert main(arguments) == 0
        first = capsys.readouterr().out
        assert main(arguments) == 0
        assert capsys.readouterr().out == first
    report = next(iter(check_formulas([catalogue()["matrix_matrix_flops"]])))
    assert kept.report(("compute", "matrix_matrix_flops")) == report_data(report)


def test_where_nothing_changed_no_formula_is_imported(place: Path) -> None:
    """A check that is read takes neither SymPy nor the engine."""
    assert main(["check", "matrix_vector_flops"]) == 0
    script = "import sys; from symbolic_llm.cli import main; code = main(['check', 'matrix_vector_flops'])\n"
    script += "print(code, sorted({name.partition('.')[0] for name in sys.modules} & {'sympy', 'numpy'}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
    assert "PROVED     matrix_vector_flops" in done.stdout
    keep_findings(content(catalogue()[FILE[1]]), FILE[1], WRONG)  # which is read, and not found
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "REFUTED    matrix_vector_flops" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 []"


def test_a_report_says_no_more_than_findings(place: Path) -> None:
    """A kept report says what is found on a formula and on those that it builds on; what is no report is not read."""
    formula = catalogue()["matrix_matrix_flops"]
    (used,) = formula.closure()
    (report,) = check_formulas([formula])
    file, whole = file_of(formula), report_data(report)
    assert file is not None
    assert kept.report(file) == whole
    name = f"report {kept.fingerprint(file)}"
    row = kept._store().rows[name]
    assert not {"PROVED", "certified"} & set(map(str, row.values()))
    for wrong in (
        *(7, [], {}, None),
        *({key: value for key, value in row.items() if key != left_out} for left_out in row),
        *({**row, "formula": other} for other in ([*FILE], "matrix_matrix_flops", None)),
        *({**row, "basis": other} for other in ("certified", "definition", "FINE", None)),
        *({**row, "witness": other} for other in (None, 7)),
        *({**row, "content": other} for other in ("", None, content(used))),
        *({**row, "below": other} for other in (7, [7], [[*FILE]], [[*FILE, content(formula), True]])),
    ):
        kept._store().add({name: wrong})
        assert kept.report(file) is None, wrong
    kept._store().add({name: {**row, "verdict": "REFUTED", "standing": "law"}})
    assert kept.report(file) == whole
    before = known([used])[used]
    keep_findings(content(used), used.name, WRONG)
    assert kept.report(file) == report_data(check_formula(formula, own=(known([formula]) | {used: WRONG}).__getitem__))
    assert kept.report(file)["verdict"] == "REFUTED"
    keep_findings(content(used), used.name, before)
    assert kept.report(file) == whole


def test_a_report_on_what_its_file_does_not_name_is_not_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever way of importing a formula is overlooked: the key has to have the text of all that it builds on."""
    formula = catalogue()["matrix_matrix_flops"]
    file = file_of(formula)
    imported = kept._imported
    monkeypatch.setattr(kept, "_used_by_all", frozenset)
    monkeypatch.setattr(kept, "_imported", lambda one: () if one == file else imported(one))
    list(check_formulas([formula]))
    assert kept.report(file) is None
    assert known([formula])
    monkeypatch.setattr(kept, "_imported", imported)
    kept.fingerprint.cache_clear()
    list(check_formulas([formula]))
    assert kept.report(file) is not None


def test_a_listing_has_all_formulas(place: Path) -> None:
    """In whatever order; what leaves one out, or has one more, is none."""
    files = [(one.chapter, one.name) for one in catalogue()]
    for listing in (files, files[::-1], files[:-1], [*files, files[0]], [*files, ("latency", "planted")], []):
        kept.add_listing(listing, "")
        assert kept.listed() == (listing if len(listing) == len(files) else None)
    for wrong in (7, {"a": 1}, [7]):
        kept._store().add({f"listing {kept._listing()}": wrong})
        assert kept.listed() is None


def test_what_is_checked_anew_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A formula that is checked anew is named, where some findings are there already."""
    assert main(["check", "matrix_vector_flops"]) == 0
    assert "anew" not in capsys.readouterr().out
    assert main(["check", "matrix_matrix_flops"]) == 0
    assert (
        "checked now: matrix_matrix_flops; all other results were stored from earlier checks" in capsys.readouterr().out
    )


def test_watching_checks_after_each_change(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once at first, and once more for each change, until it is interrupted."""
    from symbolic_llm.cli import check_command

    ran: list[list[str]] = []
    states = iter([{"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}])

    def state() -> dict[str, int]:
        try:
            return next(states)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(check_command, "_changed", state)
    monkeypatch.setattr(check_command, "_PAUSE", 0)
    monkeypatch.setattr(check_command.subprocess, "run", lambda words, check: ran.append(words))
    assert main(["check", "latency", "--watch"]) == 130
    assert [words[3:] for words in ran] == [["check", "latency"]] * 2
    assert main(["check", "--watch", "--fresh"]) == 2


def test_solvers_are_not_asked_twice(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another process, about the same text and given as much; what gave up is asked again, and `fresh` asks all."""
    theorem, asked_for = catalogue()["memory_bound_batches"], []
    for name in ("_ask_z3", "_ask_cvc5"):
        ask = getattr(solvers, name)
        monkeypatch.setattr(solvers, name, lambda text, ask=ask, name=name: asked_for.append(name) or ask(text))

    def found(*, fresh: bool = False) -> tuple[Any, int]:
        del asked_for[:]
        with forgetting():
            memory = ledger_entries.memory()
            if fresh:
                memory.disregard()
            findings = many_formulas.own_findings(theorem)
            memory.keep(memory.news())
        return findings, len(asked_for)

    first, often = found()
    assert set(asked_for) == {"_ask_z3", "_ask_cvc5"}
    assert found() == (first, 0)
    assert found(fresh=True) == (first, often)
    with monkeypatch.context() as patch:
        patch.setattr(solvers, "STEPS", solvers.STEPS // 2)
        assert found() == (first, asked_for.count("_ask_z3"))
        assert asked_for
    monkeypatch.setattr(solvers, "_ask_cvc5", lambda text: asked_for.append("") or solvers.Answer("unknown"))
    assert found(fresh=True)[0] != first
    with forgetting():
        assert solvers.ask_cvc5("another text").gave_up
        assert solvers.ask_cvc5("another text").gave_up
    assert asked_for[-2:] == ["", ""]


def test_what_solvers_never_said_is_found_by_asking_anew(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: what is remembered is believed, so CI checks `fresh`."""
    theorem = catalogue()["memory_bound_batches"]
    relation = theorem.statement.conclusion
    wrong = replace(theorem, claim=theorem.statement.concluding(relation.func(relation.lhs, 2 * relation.rhs)))
    monkeypatch.setattr(solvers, "_ask_z3", lambda text: solvers.Answer("unsat"))
    monkeypatch.setattr(solvers, "_ask_cvc5", lambda text: solvers.Answer("unsat"))
    assert check_theorem(wrong).verdict is Verdict.PROVED
    monkeypatch.undo()
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(place))
    assert check_theorem(wrong).verdict is Verdict.PROVED
    ledger_entries.memory().disregard()
    assert check_theorem(wrong).verdict is Verdict.REFUTED


def test_with_the_last_report_processes_have_ended(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waited for: those that are left behind end while Python does, which may complain. Whoever stops early leaves."""
    formulas, ended = list(catalogue())[: many_formulas._WORTH_IT], []

    def forked(_: int, work: Any, tasks: Any, *__: Any, tell: Any) -> Iterator[Any]:
        try:
            yield from [() if work is many_formulas.own_findings else {} for _ in tasks]
        except GeneratorExit:
            ended.append("left")
            raise
        ended.append("waited for")

    monkeypatch.setattr(many_formulas, "_forked", forked)
    monkeypatch.setattr(certificate_for_all_shapes, "know", lambda *_: None)
    monkeypatch.setattr("threading.active_count", lambda: 1)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert len(list(check_formulas(formulas, fresh=True))) == len(formulas)
    assert ended == ["waited for"] * 2
    next(check_formulas(formulas, fresh=True))
    assert ended == ["waited for"] * 3 + ["left"]


def wait_for(file: Path) -> None:
    """Return when there is a file."""
    end = monotonic() + 60
    while not file.exists():
        assert monotonic() < end
        sleep(0.01)


def test_a_check_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it waits for the first of several, and in each part of its work; nothing that is told goes back."""
    monkeypatch.setattr(many_formulas, "_TELLING", 0.05)
    told, first, *others = list[int](), *(tmp_path / str(number) for number in range(4))

    def tell(done: int) -> None:  # the others end when it is told again that none has, and the first after them
        told.append(done)
        for file in {0: others, 3: [first]}.get(done, []) if told.count(done) > 1 else []:
            file.touch()

    done = list(many_formulas._forked(2, wait_for, (first, *others), tell=tell))
    assert done == [None] * 4
    assert told == sorted(told)
    said = list[str]()
    list(check_formulas([catalogue()["embedding_parameters"]], fresh=True, tell=said.append))
    assert said == ["checking: 0 of 1 formulas"]


# The engine's answers


def test_the_engine_is_not_asked_twice(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another process that finds its answers and entries; they are the same, and `fresh` asks again."""
    formula, times = catalogue()["matrix_vector_flops"], []
    ask = Probe.ask
    monkeypatch.setattr(Probe, "ask", lambda self, *source, **values: times.append(1) or ask(self, *source, **values))
    count = partial(monkeypatch.setattr, ledger_entries, "entered")
    counted, runs = ledger_entries.entered, []
    count(lambda *of: runs.append(1) or counted(*of))
    (first,) = check_formulas([formula], fresh=True)
    before = len(times), len(runs)
    assert min(before) > 0
    with forgetting():
        assert certify(formula)
        assert len(runs) == before[1]
        assert ledger_entries.memory().get("product of matrix and vector,  raised") is not None
        assert list(check_formulas([formula])) == [first]
    with forgetting():
        assert list(check_formulas([formula], fresh=True)) == [first]
        assert len(runs) == 2 * before[1]


def test_an_answer_that_is_no_number_is_none() -> None:
    """Fractions are kept exactly; anything else is refused."""
    for number in (0, 7, 10**40, Fraction(9, 16), Fraction(-1, 3)):
        assert ledger_entries.read(ledger_entries.written(number)) == number
    for wrong in (None, [], 1.5, "x", "1/0"):
        with pytest.raises((ValueError, ZeroDivisionError)):
            ledger_entries.read(wrong)


def test_what_stands_above_the_checks_is_looked_into_by_none() -> None:
    """The rooms whose sources findings do not depend on are those that the contract of the floors puts above."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (floors,) = (one["layers"] for one in project["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    above = {name for floor in floors[: floors.index("checks")] for name in floor.split(" : ")}
    rooms = {name for name in above if (ROOT / "symbolic_llm" / name).is_dir()}
    assert rooms == kept._ABOVE
    assert not any(f"symbolic_llm/{room}/" in text.partition("\n")[0] for text in kept._sources() for room in rooms)
    assert any(text.startswith("symbolic_llm/checks/") for text in kept._sources())


def test_tables_of_presets_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report says whether sources and presets exist that a formula names: one digit of a table makes it another."""
    kept._used_by_all()  # what the checker's own sources say is known before
    package = tmp_path / "symbolic_llm"
    for room in ("formulas", "presets"):
        shutil.copytree(kept.PACKAGE / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kept, "PACKAGE", package)
    monkeypatch.setattr(kept, "_FORMULAS", package / "formulas")
    caches = [
        found for found in vars(kept).values() if hasattr(found, "cache_clear") and found is not kept._used_by_all
    ]

    def read_for_all() -> str:
        monkeypatch.setattr(sources, "_read", {})
        for kept_once in caches:
            kept_once.cache_clear()
        return kept._read_for_all()[1]

    before = read_for_all()
    tables = [path for path in (package / "presets").iterdir() if path.suffix in (".toml", ".json")]
    assert {path.stem for path in tables} == {"sources", "hardware", "formats", "models", "stacks"}
    for table in tables:
        said = table.read_text(encoding="utf-8")
        table.write_text(said.replace("1", "2", 1), encoding="utf-8")
        assert read_for_all() != before, table.name
        table.write_text(said, encoding="utf-8")
    assert read_for_all() == before
    monkeypatch.undo()
    for kept_once in caches:
        kept_once.cache_clear()
