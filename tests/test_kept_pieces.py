"""Pieces of the site that were made before: taken again when nothing they are made from has changed, and only then"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from symbolic_llm import catalogue, sources
from symbolic_llm.cache import store
from symbolic_llm.checks import findings_store
from symbolic_llm.checks.report import Report
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.formula import Formula
from symbolic_llm.pages import build, embeds
from symbolic_llm.pages import kept_pieces as made_module
from symbolic_llm.pages.examples import EXAMPLE, Example
from symbolic_llm.pages.kept_pieces import formulas, made, tables
from symbolic_llm.pages.pen import HtmlPen, Pen


class Maker:
    """Makes the same each time, and counts the times."""

    times = 0

    def __call__(self) -> str:
        """Make it."""
        self.times += 1
        return "what is made"


def forget() -> None:
    """Clear this process's caches, so that it looks at the store as a new process does."""
    store._opened.cache_clear()
    made_module.package.cache_clear()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own."""
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(tmp_path / "kept"))
    forget()
    yield tmp_path / "kept"
    forget()


def test_the_same_is_made_once() -> None:
    """And anew for each other thing, wherever one thing ends and the next begins."""
    make = Maker()
    for _ in range(3):
        assert made(make, "ab", "c") == "what is made"
        forget()
    assert make.times == 1
    for times, things in enumerate((("a", "bc"), ("ab",), ("ab", "c", ""), ("c", "ab")), 2):
        made(make, *things)
        assert make.times == times


@pytest.mark.parametrize("spoilt", [b"", b"what is made", b'["x", 1]', b"\xff"])
def test_what_is_not_as_it_was_written_is_made_anew(spoilt: bytes, place: Path) -> None:
    """Cut, or something else."""
    make = Maker()
    made(make, "thing")
    (file,) = place.iterdir()
    for content in (spoilt, file.read_bytes()[:-3], file.read_bytes().replace(b"what", b"that")):
        file.write_bytes(content)
        forget()
        before = make.times
        assert made(make, "thing") == made(make, "thing") == "what is made"
        assert make.times == before + 1


def test_other_sources_have_another_store(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """A piece that a package of other sources made is made anew, and stored beside the first."""
    make = Maker()
    made(make, "thing")
    monkeypatch.setattr(findings_store, "checker", lambda: "other sources")
    forget()
    made(make, "thing")
    assert make.times == len(list(place.iterdir())) == 2


def test_nowhere_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the place of the folder, or none wanted: each process makes it."""
    (tmp_path / "file").write_text("")
    make = Maker()
    for folder in (str(tmp_path / "file"), ""):
        monkeypatch.setenv("SYMBOLIC_LLM_CACHE", folder)
        for _ in range(2):
            forget()
            assert made(make, "thing") == "what is made"
    assert make.times == 4


def test_a_page_is_made_anew_when_something_in_it_is_new(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A finding, a table, a source, a template; a variant, which has no file, each time."""
    asked = []
    whole = build.Pages._of

    def watched(self: build.Pages, formula: Formula, pen: Pen) -> str:
        asked.append(formula)
        return whole(self, formula, pen)

    monkeypatch.setattr(build.Pages, "_of", watched)
    formula = catalogue()["weight_bytes"]
    findings = (
        Finding("steps", Verdict.PROVED, "all of them", steps=(Verdict.PROVED,) * len(formula.steps)),
        Finding("engine", Verdict.PROVED, "equal"),
    )

    def times(found: tuple[Finding, ...] = findings, pen: Pen = HtmlPen("../"), of: Formula = formula) -> int:  # noqa: B008
        before = len(asked)
        pages = build.Pages(tmp_path, [Report(of, found)])
        assert pages._kept(of, pen) == whole(pages, of, pen)
        return len(asked) - before

    assert [times(), times()] == [1, 0]
    for steps in ((), (Verdict.UNDECIDED,) * len(formula.steps)):
        doubted = (replace(findings[0], verdict=Verdict.UNDECIDED, steps=steps), findings[1])
        assert [times(doubted), times(doubted)] == [1, 0]
    assert [times(pen=Pen("../")), times(pen=Pen("../"))] == [1, 0]
    with monkeypatch.context() as patch:
        patch.setattr(embeds, "tables", lambda: tables() + "one more")
        assert [times(), times()] == [1, 0]
    with monkeypatch.context() as patch:
        patch.setattr(findings_store, "fingerprint", lambda file: "another source")
        assert [times(), times()] == [1, 0]
    with monkeypatch.context() as patch:
        patch.setattr(build.Pages, "_template", "another template")
        assert [times(), times()] == [1, 0]
    variant = replace(formula, example={**formula.example, "dtype": "fp32"})
    assert [times(of=variant), times(of=variant)] == [1, 1]


def test_a_written_page_is_made_anew_when_something_that_it_embeds_may_be_new(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its text, a text that it includes, a formula, a finding, a table, a note; one without embeds each time."""
    asked = []
    whole = build.Pages._page

    def watched(self: build.Pages, path: str, pen: Pen, example: Example) -> str:
        asked.append(path)
        return whole(self, path, pen, example)

    monkeypatch.setattr(build.Pages, "_page", watched)
    docs, finding = tmp_path / "docs", Finding("engine", Verdict.PROVED, "equal")
    (docs / "decisions").mkdir(parents=True)

    def write(text: str, included: str = "of $n$") -> None:
        (docs / "page.md").write_text(text)
        (tmp_path / "MORE.md").write_text(included)

    def times(findings: tuple[Finding, ...] = (finding,), kind: type[Pen] = HtmlPen) -> int:
        before = len(asked)
        pages = build.Pages(docs, [Report(catalogue()["weight_bytes"], findings)])
        assert pages._kept_page("page.md", kind(""), EXAMPLE) == whole(pages, "page.md", kind(""), EXAMPLE)
        return len(asked) - before

    write("{{ n_bytes }}")
    assert [times(), times(), times(kind=Pen), times(kind=Pen)] == [1, 0, 1, 0]
    assert [times(()), times(())] == [1, 0]
    for text, included in (("{{ P }}", ""), ('{% include "MORE.md" %}', "of $n$"), ('{% include "MORE.md" %}', "or")):
        write(text, included)
        assert [times(), times()] == [1, 0]
    for what in ("formulas", "tables"):
        with monkeypatch.context() as patch:
            patch.setattr(build, what, lambda: "another")
            assert [times(), times()] == [1, 0]
    (docs / "decisions" / "note.md").write_text("# A note\n")
    assert [times(), times()] == [1, 0]
    write("no embed")
    assert [times(), times()] == [1, 1]


@pytest.mark.parametrize(
    ("of", "file"),
    [(tables, "models.json"), (formulas, "formulas/batching/latency.py"), (formulas, "formulas/batching/__init__.py")],
)
def test_files_are_those_of_the_package(of: Any, file: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each byte counts."""
    monkeypatch.setattr(made_module, "PACKAGE", tmp_path)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    found = []
    for content in ("{}", "[]"):
        (tmp_path / file).write_text(content)
        of.cache_clear()
        monkeypatch.setattr(sources, "_read", {})
        found.append(of())
    of.cache_clear()
    assert len(set(found)) == 2
