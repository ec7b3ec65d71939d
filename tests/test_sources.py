"""Kept results rest on sources as they were imported: whichever changes, and whenever, none is of another text"""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from modules import loaded
from planting import forgetting

import reference_engine
import symbolic_llm
from symbolic_llm import catalogue, sources
from symbolic_llm.cache import Store, digest, store
from symbolic_llm.checks import findings_store, many_formulas
from symbolic_llm.checks.findings_digest import content
from symbolic_llm.checks.many_formulas import check_formulas
from symbolic_llm.sources import PACKAGE, doubtful, text
from symbolic_llm.witness import ledger_entries

OLD, NEW, LONGER = "VALUE = 1\n", "VALUE = 2\n", "VALUE = 300\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, and nothing is read yet."""
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(sources, "_read", {})
    monkeypatch.setattr(sources, "_compiled", set())
    with forgetting():
        yield tmp_path / "kept"
    for function in (store._opened, store._say_not_kept):
        function.cache_clear()


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Both packages begin to be imported now, when what was written before is older than a file's clock can tell."""

    def begun() -> None:
        time.sleep(2 * sources._TICK / sources._SECOND)
        for package in (symbolic_llm, reference_engine):
            monkeypatch.setattr(package, "BEGAN", time.time_ns())

    return begun


def imported(path: Path) -> int:
    """The value in a file's module as Python imports it: from its text, or from what was compiled of it before."""
    return int(loaded(path).VALUE)


def module_from_file(path: str | None) -> ModuleType:
    """A module that says it comes from there."""
    module = ModuleType("planted")
    module.__file__ = path
    return module


def said(source: str) -> int:
    """The value in a module of this text."""
    return int(source.removeprefix("VALUE = "))


def replaced(path: Path) -> None:
    """By another file, which has the time of the first."""
    beside = path.with_suffix(".new")
    beside.write_text(NEW)
    os.utime(beside, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    beside.replace(path)


def set_back(path: Path) -> None:
    """To another text of the same length, with the time of the first."""
    before = path.stat()
    path.write_text(NEW)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def there_and_back(path: Path) -> None:
    """For a moment it is another; whoever reads it then has that."""
    path.write_text(NEW)


CHANGE: dict[str, Callable[[Path], object]] = {
    "longer": lambda path: path.write_text(LONGER),
    "as long": lambda path: path.write_text(NEW),
    "set back": set_back,
    "replaced": replaced,
    "for a moment": there_and_back,
}
EVENTS = ("import", "read"), ("read", "import")


def kept_of(path: Path, order: tuple[str, ...], change: str, moment: int) -> tuple[int, int, bool]:
    """The value imported, the value in the text that was read, and whether the first was kept under that text."""
    found: dict[str, int] = {}
    for number, event in enumerate((*order, "keep")):
        if number == moment:
            CHANGE[change](path)
        elif number == moment + 1 and change == "for a moment":
            path.write_text(OLD)
        if event == "import":
            found["import"] = imported(path)
        elif event == "read":
            found["read"] = said(text(str(path)))
    store = Store("kind", digest(text(str(path))), [str(path)])
    store.add({"found": found["import"]})
    return found["import"], found["read"], "found" in Store("kind", digest(text(str(path)))).rows


@pytest.mark.parametrize("order", EVENTS, ids="-".join)
@pytest.mark.parametrize("change", CHANGE)
def test_nothing_is_kept_of_a_file_that_changed(
    order: tuple[str, ...],
    change: str,
    begin: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whenever it did, it is said; and the twin: where files are not looked at again, what is kept is of another."""
    path, wrong = tmp_path / "planted.py", []
    for looked in (True, False):
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        if not looked:
            monkeypatch.setattr(sources, "doubtful", lambda _: frozenset())
        for moment in range(3):
            path.write_text(OLD)
            begin()
            sources._read.clear()
            store._say_not_kept.cache_clear()
            was_imported, was_read, was_kept = kept_of(path, order, change, moment)
            assert was_kept is not looked
            assert (f"{path} may have changed during the run" in capsys.readouterr().err) is looked
            wrong += [moment] if was_kept and was_imported != was_read else []
    assert 1 in wrong  # between the two
    path.write_text(OLD)
    begin()
    sources._read.clear()
    assert kept_of(path, order, change, 9) == (1, 1, True)


def test_a_file_that_was_changed_just_before_is_in_doubt(begin: Callable[[], None], tmp_path: Path) -> None:
    """Its clock may be a tick behind, or two seconds where it shows whole ones."""
    path = tmp_path / "planted.py"
    path.write_text(OLD)
    begin()
    began, tick = symbolic_llm.BEGAN, sources._TICK
    assert text(str(path)) == OLD
    assert not doubtful([str(path)])
    second = began // sources._SECOND * sources._SECOND
    for changed, older in (
        (began, False),
        (began + 1, False),
        (began - tick // 2, False),
        (began - tick - 2, True),
        (second, False),
        (second - sources._SECOND, False),
        (second - 3 * sources._SECOND, True),
    ):
        assert sources._older(changed | (changed % sources._SECOND != 0), began) is older
    assert doubtful([str(tmp_path / "never read.py")])


def test_another_file_that_is_as_old_is_in_doubt(begin: Callable[[], None], tmp_path: Path) -> None:
    """A file is in doubt that another one as old has replaced, or that is gone.

    So it is if a folder takes the place of another, which no clock of the files in it shows.
    """
    path, gone = tmp_path / "here" / "planted.py", tmp_path / "gone.py"
    for folder, source in (("here", OLD), ("there", NEW)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / path.name).write_text(source)
    gone.write_text(OLD)
    begin()
    assert text(str(path)) == text(str(gone)) == OLD
    assert not doubtful()
    (tmp_path / "here").rename(tmp_path / "before")
    (tmp_path / "there").rename(tmp_path / "here")
    gone.unlink()
    assert sources._older(path.stat().st_ctime_ns, symbolic_llm.BEGAN)
    assert doubtful() == {str(path), str(gone)}


def test_whoever_was_imported_first_says_when(begin: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Either package may be; one that does not say it was imported before everything."""
    path = str(PACKAGE / "cache" / "store.py")
    begin()
    assert text(path)
    assert not doubtful([path])
    for package in (symbolic_llm, reference_engine):
        with monkeypatch.context() as patch:
            patch.setattr(package, "BEGAN", 0)
            assert doubtful([path])
        with monkeypatch.context() as patch:
            patch.delattr(package, "BEGAN")
            assert doubtful([path])


def test_a_module_of_another_file_is_in_doubt(
    begin: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as an engine that stands elsewhere, or a formula that has no file in its chapter."""
    begin()
    path, absent = str(PACKAGE.parent / "reference_engine" / "ops.py"), str(PACKAGE / "formulas" / "planted.py")
    assert text(path)
    assert text(absent) == ""
    assert not doubtful([path, absent])
    copy = shutil.copy(path, tmp_path)
    for module, own, file in (("reference_engine.ops", path, copy), ("symbolic_llm.formulas.planted", absent, copy)):
        for whence in (file, None):
            with monkeypatch.context() as patch:
                patch.setitem(sys.modules, module, module_from_file(whence))
                assert doubtful([path, absent]) == {own}
    with monkeypatch.context() as patch:  # imported, and gone before it was read
        patch.setitem(sys.modules, "symbolic_llm.formulas.planted", module_from_file(absent))
        assert doubtful([path, absent]) == {absent}
    os.remove(copy)
    (tmp_path / "link").symlink_to(PACKAGE.parent)
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["reference_engine.ops"], "__file__", f"{tmp_path}/link/reference_engine/ops.py")
        assert not doubtful([path])


def test_a_compiled_copy_of_another_text_is_in_doubt(
    begin: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes it where a file of the same size was changed in the same second; and the twin."""
    path = tmp_path / "planted.py"
    for invalidation in (py_compile.PycInvalidationMode.TIMESTAMP, py_compile.PycInvalidationMode.UNCHECKED_HASH):
        for looked in (True, False):
            path.write_text(OLD)
            os.utime(path, (10**9, 10**9))
            compileall.compile_file(path, quiet=2, force=True, invalidation_mode=invalidation)
            assert imported(path) == 1
            set_back(path)
            begin()
            sources._read.clear()
            sources._compiled.clear()
            with monkeypatch.context() as patch:
                if not looked:
                    patch.setattr(sources, "_is_compiled", lambda *_: True)
                assert (said(text(str(path))), imported(path)) == (2, 1)
                assert doubtful([str(path)]) == ({str(path)} if looked else set())
            # compiled anew, or of another time, it is not taken, or is of this text
            py_compile.compile(str(path))
            assert not doubtful([str(path)])
    sources._compiled.clear()
    place = Path(cache_from_source(str(path)))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for damaged in (b"", place.read_bytes()[:20], b"\0" * 40):
        place.write_bytes(damaged)
        os.utime(place, (10**9, 10**9))
        sources._compiled.clear()
        is_taken = damaged[:4] == sources.MAGIC_NUMBER
        assert doubtful([str(path)]) == ({str(path)} if is_taken else set())
    path.write_text("VALUE = 'not Python\n")
    begin()
    sources._read.clear()
    sources._compiled.clear()
    assert text(str(path))
    assert not doubtful([str(path)])


# Reports, findings and the engine's answers

FORMULA, USED = ("compute", "matrix_matrix_flops"), ("compute", "matrix_vector_flops")
WHICH = {
    "the formula": "symbolic_llm/formulas/compute/matrix_matrix_flops.py",
    "one that it uses": "symbolic_llm/formulas/compute/matrix_vector_flops.py",
    "one that all use": "symbolic_llm/formulas/latency/latency_with_cache.py",
    "its chapter": "symbolic_llm/formulas/compute/__init__.py",
    "what formulas share": "symbolic_llm/formulas/shared.py",
    "the checker": "symbolic_llm/checks/engine.py",
    "what the checker rests on": "symbolic_llm/expressions/decide.py",
    "the witness": "symbolic_llm/witness/comparison_at_places.py",
    "the engine": "reference_engine/ops.py",
}
OF_FORMULAS = ("the formula", "one that it uses", "one that all use", "its chapter", "what formulas share")
OF_THE_ENGINE = ("the engine", "the witness", "what the checker rests on")
MOMENTS = ("before it is read", "while it is checked", "before it is kept")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, to be changed."""
    place = tmp_path_factory.mktemp("copied")
    for package in ("symbolic_llm", "reference_engine"):
        shutil.copytree(PACKAGE.parent / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    return place


@pytest.fixture
def copy(copied: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copied sources, in the place of those of what is imported here."""
    package = copied / "symbolic_llm"
    monkeypatch.setattr(findings_store, "PACKAGE", package)
    monkeypatch.setattr(findings_store, "_FORMULAS", package / "formulas")
    monkeypatch.setattr(findings_store, "_ENGINE", copied / "reference_engine")
    answering = tuple(copied / folder.relative_to(PACKAGE.parent) for folder in ledger_entries._ANSWERING)
    monkeypatch.setattr(ledger_entries, "_ANSWERING", answering)
    return copied


def there_is() -> tuple[bool, bool, bool]:
    """Whether the next process finds a report, findings and what the engine answered."""
    sources._read.clear()
    store._opened.cache_clear()
    with forgetting():
        formula = catalogue()[FORMULA[1]]
        row = findings_store.findings(content(formula), formula.name), ledger_entries.memory()._store.rows
        return findings_store.report(FORMULA) is not None, row[0] is not None, len(row[1]) > 0


def check_while(monkeypatch: pytest.MonkeyPatch, moment: str, change: Callable[[], object]) -> None:
    """Check the formula, and change something at some moment."""
    check, keep = many_formulas.own_findings, findings_store.Keeper.keep

    def checked(one: Any) -> Any:
        if moment == "while it is checked":
            findings_store.fingerprint(FORMULA)  # which is read by then
            change()
        return check(one)

    def keeps(self: findings_store.Keeper, **options: bool) -> None:
        if moment == "before it is kept" and not options:
            change()
        keep(self, **options)

    sources._read.clear()
    store._opened.cache_clear()
    with forgetting(), monkeypatch.context() as patch:
        patch.setattr(many_formulas, "own_findings", checked)
        patch.setattr(findings_store.Keeper, "keep", keeps)
        patch.setattr(findings_store, "_WAITING", 10**9)  # all of it at the end
        if moment == "before it is read":
            change()
        list(check_formulas([catalogue()[FORMULA[1]]]))


@pytest.mark.parametrize("which", WHICH)
def test_whichever_source_changes_nothing_is_kept_that_rests_on_it(
    which: str, copy: Path, place: Path, begin: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whatever moment, under the text before and after; and the twin: not looked at again, something is."""
    path = copy / WHICH[which]
    before = path.read_text(encoding="utf-8")
    other = before + "# another\n"
    for looked in (True, False):
        for moment in MOMENTS:
            shutil.rmtree(place, ignore_errors=True)
            path.write_text(before, encoding="utf-8")
            begin()
            with monkeypatch.context() as patch:
                if not looked:
                    patch.setattr(sources, "doubtful", lambda _: frozenset())
                check_while(monkeypatch, moment, lambda: path.write_text(other, encoding="utf-8"))
            after = there_is()
            path.write_text(before, encoding="utf-8")
            found = tuple(map(max, after, there_is()))
            # what the engine answered is kept with each formula, which is before the last of the moments
            answers = which not in OF_THE_ENGINE or moment == "before it is kept"
            wanted = (False, which in OF_FORMULAS, answers) if looked else (True, True, True)
            assert found == wanted, (looked, moment)
    shutil.rmtree(place)
    begin()
    check_while(monkeypatch, "never", lambda: None)
    assert there_is() == (True, True, True)


PROGRAM = """
import sys
from pathlib import Path
from symbolic_llm import sources
from symbolic_llm.checks import findings_store as kept
from symbolic_llm.cli import main
path, looked = Path(sys.argv[1]), sys.argv[2]
listed, before = kept.listed, path.read_text()

def read():
    found = listed()
    kept.fingerprint(("compute", "matrix_vector_flops"))
    assert "sympy" not in sys.modules
    path.write_text(before.replace("each", "every"))  # before any formula is imported
    return found

kept.listed = read
if looked == "never":
    sources.doubtful = lambda _: frozenset()
code = main(["check", "matrix_vector_flops"])
path.write_text(before)
raise SystemExit(code)
"""
ASKED = """from symbolic_llm.checks import findings_store as kept
print(kept.report(('compute', 'matrix_vector_flops')) is not None)"""


def test_a_file_that_is_saved_while_a_check_begins(copied: Path, tmp_path: Path) -> None:
    """The whole, in processes of their own: the formula is imported from another text than the one that was read."""
    file = copied / "symbolic_llm" / "formulas" / "compute" / "matrix_vector_flops.py"
    assert "each" in file.read_text(encoding="utf-8")
    for looked, is_kept in (("again", "False\n"), ("never", "True\n")):
        environment = {**os.environ, "PYTHONPATH": str(copied), "SYMBOLIC_LLM_CACHE": str(tmp_path / looked)}
        (tmp_path / looked).mkdir(mode=0o700)
        run = [sys.executable, "-c", PROGRAM, str(file), looked]
        done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        assert "PROVED" in done.stdout
        assert (f"{file} may have changed during the run" in done.stderr) is (looked == "again")
        asked = subprocess.run(
            [sys.executable, "-c", ASKED], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        assert asked.stdout == is_kept
