"""Everything is checked, then every page is written: Markdown for a site generator, and its plain twin

Written pages of the docs are templates whose embeds are filled in; each formula has a page of its own. What stands in
the folder already is left alone where it would be written the same, and what an earlier run wrote and this one does not
is taken away.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from ..audit import schema
from ..catalogue import Chapter, catalogue
from ..checks import findings_store
from ..checks.many_formulas import check_formulas, file_of, in_processes
from ..checks.report import Report
from ..errors import CatalogueError, InvalidValue, SymbolicLLMError, ended, listed
from ..files import write as write_file
from ..formula import Formula
from ..formulas import CHAPTERS, INTRODUCTIONS, STOREYS
from ..renamed import DIVIDED, RENAMED
from ..reports import answer_schemas
from . import agent_skill, audits, measured_tables, runtime, scripts
from .chapter_list import BookChapter, chapters, headed
from .embeds import Embeds, Known, listed_formulas, shown
from .examples import EXAMPLE, Example, choices
from .font import characters, stix_subset
from .formula_page import address
from .kept_pieces import New, formulas, keep, made, tables, version, waiting
from .law_sheet import on_sheet
from .llms_txt import listing
from .markdown_twin import plain
from .pen import HtmlPen, Pen
from .tool_scores import ToolScores, tool_scores

_TEMPLATES = Path(__file__).parent / "templates"
_WRITTEN = ".written"  # lists what a run wrote, so that the next one can take away what is left over
TWINS = ".twins"  # a generator passes over what begins with a dot
_SCRIPT = '\n<script defer src="{}assets/prompt.js"></script>\n'
_INCLUDED = re.compile(r'{% *include "([^"]+)" *%}')
# code and tags, where dollars are dollars and a space is one, mathematics between two dollars, room before a unit
_TYPED = re.compile(
    r"```.*?```|`[^`\n]*`|<(?P<tag>pre|code)\b.*?</(?P=tag)>|<\w[^>\n]*>|(?<![\\$])\$(?![\s$])(?P<latex>[^$\n]+?)(?<![\s\\])\$"
    r"|(?<=\d)(?P<space> )(?=%|(?:[µmn]?s|[kKMGTP]?i?B|[kMGTP]?FLOP)\b)",
    re.DOTALL,
)


_Page = Callable[[Pen], str]


class Pages:
    """Every page and asset of the site by its path, as it is to be written.

    Args:
        docs: the folder of the written pages and the assets.
        reports: what the checks found on each formula.
        prompt: a folder with what runs Python in a page; without it the pages have none.
    """

    def __init__(self, docs: Path, reports: Iterable[Report], prompt: Path | None = None) -> None:
        self._docs, self._prompt = docs, prompt
        self.known = Known({report.formula.name: report for report in reports})
        self._jinja = Environment(
            loader=FileSystemLoader([_TEMPLATES, docs, docs.parent]),
            undefined=StrictUndefined,
            finalize=shown,
            comment_start_string="<#",  # {# begins an anchor
            comment_end_string="#>",
            trim_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of every page and asset."""
        pages, twins = [*self._pages()], {}
        for (path, _), (text, twin) in zip(pages, self._both(pages), strict=True):
            script = _SCRIPT.format(_root(path)) if self._prompt else ""
            yield path, (text + script).encode()
            twins[path] = twin
        if self._prompt:
            for name, content in runtime.files(self._prompt):
                yield f"assets/prompt/{name}", content
        for path, text in (*twins.items(), ("llms.txt", listing(self._docs, twins)), *agent_skill.files()):
            yield f"{TWINS}/{path}", text.encode()
        for asset in sorted((self._docs / "assets").rglob("*")):
            if asset.is_file():
                yield str(asset.relative_to(self._docs)), asset.read_bytes()
        for published in (schema.PATH, answer_schemas.PATH):
            yield f"assets/{published.name}", published.read_bytes()
        yield scripts.SCRIPT, self._script().encode()

    def _both(self, pages: list[tuple[str, _Page]]) -> Iterator[tuple[str, str]]:
        """Each page and its plain twin, made one after the other, while what both show is at hand."""
        _ = self._embedded  # found once, and not by each of the processes that make pages
        every: New = {}
        try:
            for text, twin, new in in_processes(_with_twin, pages):
                for sources, rows in new.items():
                    every.setdefault(sources, {}).update(rows)
                yield text, twin
        finally:
            keep(every)

    def _pages(self) -> Iterator[tuple[str, _Page]]:
        """Each path with what makes its page."""
        for path in self._written():
            for example, page in (choices(path) or {EXAMPLE: path.removesuffix(".md")}).items():
                yield f"{page}.md", partial(self._kept_page, path, example=example)
        yield "formulas/index.md", self._list
        for formula in catalogue():
            yield f"{address(formula)}.md", partial(self._kept, formula)
        for path, text in self._led_on():
            yield path, partial(_as_it_is, text)
        yield from audits.written()

    def _led_on(self) -> Iterator[tuple[str, str]]:
        """Pages at old addresses, which lead on."""
        for name, now in RENAMED.items():
            yield (
                f"formulas/{name}.md",
                f"# {name}\n\nThis formula is part of [{catalogue()[now].title}]({now}.md) now.\n",
            )
        titles = {chapter.path: chapter.title for chapter in self._book}
        for path, parts in DIVIDED.items():
            if titles.keys() >= set(parts):
                yield path, _led_on(path, [(part, titles[part]) for part in parts])

    def _written(self) -> list[str]:
        written = ("", "book", audits.FOLDER, measured_tables.FOLDER, "decisions")
        folders = [self._docs / folder for folder in written]
        return [str(path.relative_to(self._docs)) for folder in folders for path in sorted(folder.glob("*.md"))]

    def _kept_page(self, path: str, pen: Pen, example: Example) -> str:
        """A written page, made only if its text or anything that it can embed is another than before."""
        page = partial(self._page, path, pen, example)
        text = (self._docs / path).read_text(encoding="utf-8")
        if "{" not in text or not self._embedded:
            return page()
        included = [(self._docs.parent / one).read_text(encoding="utf-8") for one in _INCLUDED.findall(text)]
        return made(page, path, repr(example), type(pen).__name__, text, *included, *self._embedded)

    @cached_property
    def _embedded(self) -> tuple[str, ...]:
        """Digests of everything that a page can embed; none where a formula is not what its file says."""
        if not all(map(file_of, catalogue())):
            return ()
        findings = [(name, report.findings) for name, report in self.known.reports.items()]
        return (
            repr((findings, self._around_pages)),
            formulas(),
            tables(),
            *map(version, ("math-core", "matplotlib")),
        )

    def _page(self, path: str, pen: Pen, example: Example = EXAMPLE) -> str:
        text = self._filled(path, pen, example, **self._around_pages)
        text = headed(self._book, path, example.led(text) if choices(path) else text, pen, example)
        text = _TYPED.sub(partial(_typeset, pen), text)
        return _spaced(text.replace("<BLANKLINE>", ""))  # what doctest calls an empty line

    @cached_property
    def _around_pages(self) -> dict[str, Any]:
        """Things that pages can show of files outside the package, by name."""
        return {
            "decisions": self._decisions,
            "chapters": self._book,
            "on_sheet": on_sheet(self._docs),
            "scores": self._scores,
        }

    @cached_property
    def _scores(self) -> ToolScores:
        """Scores of other tools, for the page that has a table of them."""
        return tool_scores(self._docs.parent / "conformance")

    @cached_property
    def _decisions(self) -> dict[str, str]:
        """Titles of the notes on decisions, by their paths."""
        notes = sorted((self._docs / "decisions").glob("*.md"))
        return {f"decisions/{note.stem}": note.read_text(encoding="utf-8").partition("\n")[0][2:] for note in notes}

    @cached_property
    def _book(self) -> tuple[BookChapter, ...]:
        """The chapters of the book, for its table of contents."""
        return chapters(self._docs)

    def _filled(self, template: str, pen: Pen, example: Example = EXAMPLE, **more: Any) -> str:
        try:
            return self._jinja.get_template(template).render(Embeds(self.known, pen, example).names() | more)
        except (TemplateError, SymbolicLLMError, TypeError) as error:
            raise CatalogueError(f"{template}{_line(error)}: {ended(error)}") from error

    def _list(self, pen: Pen) -> str:
        chapters = self._chapters
        lists = {name: listed_formulas(self.known, pen, chapter.formulas) for name, chapter in chapters.items()}
        storeys = [
            (name, INTRODUCTIONS[name], [chapters[one] for one in those if one in chapters])
            for name, those in STOREYS.items()
        ]
        if others := [chapter for name, chapter in chapters.items() if name not in CHAPTERS]:
            storeys.append(("More", "What stands in no storey yet.", others))
        more: dict[str, Any] = {"storeys": storeys, "tables": lists, "count": len(catalogue())}
        return _spaced(self._filled("formulas.md", pen, **more, site=isinstance(pen, HtmlPen)))

    def _kept(self, formula: Formula, pen: Pen) -> str:
        """The page of a formula, made only if a formula, a source, a table or a finding is another than before."""
        page = f"page {self._template} {self._around.get(formula.name, ())}"
        return self.known.kept(self.known.about(formula, pen), page, partial(self._of, formula, pen))

    def _script(self) -> str:
        """Script of the calculators, made only if a formula, a table or the package is another than before."""
        files = [file_of(formula) for formula in catalogue()]
        found = [findings_store.fingerprint(file) for file in files if file is not None]
        if len(found) < len(files):
            return scripts.catalogue_script()
        return made(scripts.catalogue_script, *found, tables(), version("math-core"))

    @cached_property
    def _chapters(self) -> Mapping[str, Chapter]:
        """The chapters of formulas by their names, in order."""
        return {chapter.name: chapter for chapter in catalogue().chapters()}

    @cached_property
    def _template(self) -> str:
        return (_TEMPLATES / "formula.md").read_text(encoding="utf-8")

    @cached_property
    def _around(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the formulas before and after each."""
        ordered = list(catalogue())
        return {
            formula.name: tuple(f.name for f in ordered[max(0, place - 1) : place + 2] if f is not formula)
            for place, formula in enumerate(ordered)
        }

    def _of(self, formula: Formula, pen: Pen) -> str:
        about = self.known.about(formula, pen)
        around = [
            f"{word} {shown}"
            for word, shown in (
                ("Found as", about.called),
                ("Uses", about.related(formula.uses)),
                ("Used by", about.related(about.users)),
                *audits.origins(pen, formula),
                ("Next to it:", about.related([catalogue()[name] for name in self._around.get(formula.name, ())])),
            )
            if shown
        ]
        more: dict[str, Any] = {
            "formula": formula,
            "about": about,
            "chapter": self._chapters[formula.chapter],
            "around": around,
        }
        return _spaced(self._filled("formula.md", pen, **more))


def _with_twin(page: tuple[str, _Page]) -> tuple[str, str, New]:
    """A page, its plain twin, and what was made for them that may be kept."""
    path, write = page
    root = _root(path)
    with waiting() as new:
        return write(HtmlPen(root)), plain(write(Pen(root))), new


def _typeset(pen: Pen, found: re.Match[str]) -> str:
    """Mathematics and the room before a unit as a pen writes them, and code as it is."""
    if found["latex"]:
        return pen.inline(pen.latex(found["latex"]))
    return pen.unit_space if found["space"] else found[0]


def _root(path: str) -> str:
    """The way from a page to the root of the site."""
    return "../" * path.count("/")


def _as_it_is(text: str, _: Pen) -> str:
    """A page that is the same for every pen."""
    return text


def _led_on(path: str, parts: list[tuple[str, str]]) -> str:
    """A page that says which chapters have taken in what it said, in Markdown; they stand in its folder."""
    links = listed([f"[{title}]({os.path.relpath(part, os.path.dirname(path))})" for part, title in parts])
    return f"# This chapter has moved\n\nWhat it said is in {links} now.\n"


def _spaced(text: str) -> str:
    """The text with one empty line between two parts."""
    return re.sub(r"\n\s*\n(?=\S)", "\n\n", text).strip() + "\n"


def _line(error: Exception) -> str:
    """Words for the line of the template that an error comes from: that of the innermost frame that is a template."""
    number = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(".md"):
            number = trace.tb_lineno
        trace = trace.tb_next
    return f", line {number}" if number else ""


def checked() -> list[Report]:
    """The report of every formula; `CatalogueError` unless each is proved or a definition."""
    reports = list(check_formulas(list(catalogue())))
    if failed := [report for report in reports if not report.verdict.stands]:
        raise CatalogueError(f"not every formula is proved: {'; '.join(map(_fault, failed))}.")
    return reports


def _fault(report: Report) -> str:
    faults = (f"{f.check}: {f.summary}" for f in report.findings if f.verdict is report.verdict)
    return f"{report.formula.name}: {report.verdict.value}: {', '.join(faults)}"


def write(docs: Path, out: Path) -> int:
    """Write every page into a folder; returns how many files stand there.

    Raises:
        SymbolicLLMError: for a formula that is not proved, an embed that does not exist, and a folder that holds
            what no run of this wrote.
    """
    if not docs.is_dir():
        raise InvalidValue(f"{docs} is not a folder of pages; give the docs folder of the project.")
    before = _before(out)
    place = os.environ.get(runtime.PLACE)
    files = dict(Pages(docs, checked(), Path(place) if place else None).files())
    shown = (content.decode() for path, content in files.items() if path.endswith((".md", "catalogue.js")))
    files["assets/stix-two-math.woff2"] = stix_subset(characters(shown))
    for path, content in files.items():
        target = out / path
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, content)
    for path in before - files.keys():
        (out / path).unlink(missing_ok=True)
    write_file(out / _WRITTEN, "".join(f"{path}\n" for path in sorted(files)).encode())
    return len(files)


def _before(out: Path) -> set[str]:
    """Paths that an earlier run wrote into a folder; `InvalidValue` if it holds anything else."""
    if (out / _WRITTEN).is_file():
        listed = (out / _WRITTEN).read_text(encoding="utf-8").splitlines()
        return {path for path in listed if ".." not in Path(path).parts and not Path(path).is_absolute()}
    if out.exists() and (not out.is_dir() or any(path.name != ".gitignore" for path in out.iterdir())):
        raise InvalidValue(
            f"{out} holds files that this command did not write, so nothing is written there; choose an empty folder."
        )
    return set()
