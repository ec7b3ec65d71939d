"""Findings that are kept: read again on the same sources, and only there"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from symbolic_llm import catalogue
from symbolic_llm.cache import folder
from symbolic_llm.checks import kept, parallel
from symbolic_llm.checks.parallel import check_formulas
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.cli import main
from symbolic_llm.formula import Formula

WRONG = (Finding("engine", Verdict.REFUTED, "kept for a test"),)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The formulas that are checked from now on, by name."""
    names: list[str] = []

    def watched(formula: Formula, check: Callable[[Formula], Any] = parallel.own_findings) -> Any:
        names.append(formula.name)
        return check(formula)

    monkeypatch.setattr(parallel, "own_findings", watched)
    return names


def test_what_was_found_is_not_looked_for_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is checked, and the reports are the same; `fresh` checks anew."""
    names, wanted = asked(monkeypatch), [catalogue()["matrix_matrix_flops"]]
    first = list(check_formulas(wanted))
    assert names == ["matrix_vector_flops", "matrix_matrix_flops"]
    assert list(check_formulas(wanted)) == first
    assert len(names) == 2
    assert list(check_formulas(wanted, fresh=True)) == first
    assert len(names) == 4
    assert len(list(place.iterdir())) == 2


def test_other_sources_have_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the checker, of the engine, of the formula, of one that it imports; another formula's file does not count."""
    formula = catalogue()["matrix_matrix_flops"]

    def fingerprint() -> str:
        kept.fingerprint.cache_clear()
        return kept.fingerprint(formula)

    before, of_file, sources = fingerprint(), kept._source, kept._sources()
    for changed in ("matrix_matrix_flops", "matrix_vector_flops", "rms_norm_parameters"):
        with monkeypatch.context() as patch:
            patch.setattr(kept, "_source", lambda f, c=changed: of_file(f) + " " * (f[1] == c))
            reached = changed in {name for _, name in kept._reached({("compute", formula.name), *kept._used_by_all()})}
            assert reached
            assert fingerprint() != before
    with monkeypatch.context() as patch:
        patch.setattr(kept, "_source", lambda f: of_file(f) + " " * (f[1] == "tiling_saving"))
        assert fingerprint() == before
    for place in range(0, len(sources), 17):
        with monkeypatch.context() as patch:
            patch.setattr(kept, "_sources", lambda p=place: (*sources[:p], sources[p] + " ", *sources[p + 1 :]))
            kept._checker.cache_clear()
            assert fingerprint() != before
    kept._checker.cache_clear()
    assert fingerprint() == before
    assert any("reference_engine/ops.py" in source for source in sources)


def test_a_variant_has_no_kept_findings(place: Path) -> None:
    """It has the name of its formula, and says something else."""
    formula = catalogue()["matrix_vector_flops"]
    kept.write(formula, WRONG)
    assert kept.read(formula) == WRONG
    assert kept.read(replace(formula, example={})) is None
    kept.write(replace(formula, example={}), ())
    assert kept.read(formula) == WRONG


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b'[{"check": 1}]', b"[[]]", b"\xff", b'[{"verdict": "FINE"}]'])
def test_what_cannot_be_read_is_checked_anew(content: bytes, place: Path) -> None:
    """Cut, not JSON, other fields, a verdict that there is not."""
    formula = catalogue()["matrix_vector_flops"]
    kept.write(formula, WRONG)
    (file,) = place.iterdir()
    assert json.loads(file.read_text())[0]["verdict"] == "REFUTED"
    file.write_bytes(content)
    assert kept.read(formula) is None
    assert next(iter(check_formulas([formula]))).formula is formula


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


def test_the_oldest_are_forgotten(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are very many."""
    monkeypatch.setattr(kept, "_MOST", 1)
    for name in ("matrix_vector_flops", "embedding_parameters"):
        kept.write(catalogue()[name], WRONG)
    kept.prune()
    assert len(list(place.iterdir())) == 1


def test_each_formula_has_its_own() -> None:
    """Many depend on the very same files."""
    assert len({kept.fingerprint(formula) for formula in catalogue()}) == len(catalogue())
