"""Embeds of written pages: formulas, values, figures, tables, terms

A page is a Jinja2 template. Letters stand in it by their names, so `{{ P * n_bytes / W }}` is mathematics;
`{{ value("latency", B=1, **example) }}` is a number with its unit. A name that does not exist stops the build.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from typing import Any

from jinja2 import pass_context

from .. import glossary, presets
from ..algebra import Basic
from ..catalogue import catalogue
from ..checks import findings_store
from ..checks.many_formulas import file_of
from ..checks.report import Report
from ..checks.verdict import Standing, Verdict
from ..errors import CatalogueError, unknown_name
from ..formula import Formula
from ..notation import LETTERS, named
from ..presets import hardware, names
from ..quantity import Quantity, about, evaluated, of_device, of_example, of_preset, solved
from . import audits, law_sheet, lists, machine_and_model, measured_tables
from .examples import EXAMPLE, EXAMPLES, Example
from .figures import figure
from .formula_page import About, address
from .kept_pieces import made, tables, version
from .measured_numbers import NUMBERS
from .op_table import rules_table
from .pen import Pen
from .scripts import CALCULATORS, loading
from .sketch import PAUSE, ROOT

_NEEDS_SCRIPTS = "A calculator stands here where JavaScript is allowed; the text and the figures do without."


@dataclass(frozen=True)
class Known:
    """Reports of all formulas, and what was written on these, for all pages."""

    reports: Mapping[str, Report]

    def about(self, formula: Formula, pen: Pen) -> About:
        """A formula, to be written with a pen."""
        return About(formula, self.reports[formula.name], catalogue().users(formula), pen)

    def kept(self, about: About, what: str, make: Callable[[], str]) -> str:
        """Text that `make` writes of a formula, or wrote before of the same formula, findings, tables and sources."""
        if (file := file_of(about.formula)) is None:
            return make()
        around = repr((about.report.findings, [(user.name, user.title) for user in about.users]))
        pen = f"{type(about.pen).__name__} {about.pen.root}"
        return made(make, what, findings_store.fingerprint(file), around, tables(), version("math-core"), pen)

    @cached_property
    def standings(self) -> list[Standing | None]:
        """Standing of each formula, which says what it rests on."""
        return [report.standing for report in self.reports.values()]

    def number(self, verdict: str) -> int:
        """Number of formulas that have a verdict."""
        return sum(report.verdict is Verdict[verdict.upper()] for report in self.reports.values())


@pass_context
def shown(context: Any, what: Any) -> Any:
    """Text of an embedded object in the page: mathematics, a number with its unit, a number in full."""
    pen: Pen = context["pen"]
    if isinstance(what, Quantity):
        return pen.value(str(what), what.source)
    if isinstance(what, bool):
        return what
    if isinstance(what, int):
        return f"{what:,}"
    return pen.inline(pen.math(what)) if isinstance(what, Basic) else what


class Embeds:
    """The embeds of one page.

    Attributes:
        known: the reports.
        pen: what it is written with.
        example: what it computes by.
    """

    def __init__(self, known: Known, pen: Pen, example: Example = EXAMPLE) -> None:
        self.known, self.pen, self.example = known, pen, example
        self._scripts = loading(pen.root)

    def names(self) -> dict[str, Any]:
        """Everything that a page can embed, by its name in a page."""
        own: dict[str, Any] = {
            "pen": self.pen,
            "value": evaluated,
            "about": about,
            "given": of_preset,
            "solved": solved,
            "printed": of_device,
            "worked": of_example,
            "example": self.example,
            "other": next(one for one in EXAMPLES if one != self.example),
            "laptop": self.example.laptop,
            "stated": lambda what, name: what in hardware(name).figures,
            "device": lambda name: hardware(name).title,
            "number": self.known.number,
            "measured": NUMBERS,
            **{name: made for name, made in inspect.getmembers(self, inspect.ismethod) if name in _OFFERED},
            **{kind: partial(self._asked, kind) for kind in ("exercise", "case", "unfolding")},
            **{name: partial(self._written, write) for name, write in _WRITTEN.items()},
            **{name: partial(write, self.pen) for name, write in _IN_LINE.items()},
            "judged": audits.judgement,
        }
        letters = {letter.name: symbol for symbol, letter in LETTERS.items()}
        if both := own.keys() & letters.keys():
            raise CatalogueError(f"{both.pop()} is a letter and cannot be the name of an embed.")
        return letters | own

    # In chapters

    def formula(self, name: str) -> str:
        """A claim on a line of its own, with the drawer that says how it is known."""
        about = self.known.about(catalogue()[name], self.pen)
        return self._part(self.known.kept(about, "drawer", partial(self._formula, about)))

    @staticmethod
    def _formula(about: About) -> str:
        pen, everything = about.pen, about.pen.link(address(about.formula), "everything about it")
        holds = pen.paragraph("Holds where") + pen.items(about.conditions) if about.conditions else ""
        said = about.plain or about.statement
        inside = [
            pen.paragraph("For any decoder, in the letters of sums over its parts") + about.statement
            if about.plain
            else "",
            pen.paragraph(f"{about.verdict} {about.badge} {pen.code(about.formula.name)} {everything}"),
            about.letters,
            holds,
            about.counts,
            about.findings,
            *(pen.paragraph(f"{word} {links}") for word, links in audits.origins(pen, about.formula)),
        ]
        return pen.block("embedded", said + pen.fold("How this is known", "".join(inside), "known"))

    def own(self, letter: str, model: str) -> str:
        """A model's own sum for a letter, with its steps in a drawer."""
        found, pen = presets.model(model).formula_for(named(letter)), self.pen
        lines = [
            pen.block("line", pen.math(step.result, display=True) + pen.quiet(pen.words(step.reason)))
            for step in found.steps
        ]
        return self._part(
            pen.block("claim", pen.math(found.claim, display=True)) + pen.fold("Part by part", "".join(lines))
        )

    def steps(self, name: str) -> str:
        """A derivation, step by step."""
        return self._part(self.known.about(catalogue()[name], self.pen).derived())

    def figure(self, name: str) -> str:
        """A picture with its text alternative, its data as a table and the lines that made it."""
        made, pen = figure(name, self.example), self.pen
        picture = pen.only_site(
            f'<figure id="{made.name}">{made.svg.replace(ROOT, pen.root)}{PAUSE if made.moves else ""}'
            f"<figcaption>{made.caption}</figcaption></figure>"
        )
        said = "" if picture else pen.paragraph(f"Figure: {made.alt}") + pen.paragraph(made.caption)
        data = pen.table(made.head, made.rows, "data")
        lines = pen.listing(made.source)
        return self._part(
            picture + said + pen.fold("The figure as numbers, and the lines that made it", data + lines, "data")
        )

    def term(self, word: str, name: str = "") -> str:
        """A word of the field, linked to the glossary; `name` where it is listed under another."""
        entry = glossary.entry(name or word)
        return self.pen.link(f"glossary#{entry.anchor}", self.pen.words(word))

    def calculator(self, name: str, **begins: int) -> str:
        """The place of a calculator; without JavaScript it says that it needs it.

        The first of a page brings the scripts, so that other pages load none.

        Args:
            name: which one.
            begins: what its controls are at in the beginning, where it is not where they are on other pages.
        """
        if name not in CALCULATORS:
            raise unknown_name("calculator", name, CALCULATORS)
        needs = f"<noscript><p>{_NEEDS_SCRIPTS}</p></noscript>"
        own = self.example.large if name == "share" else self.example
        example = {} if self.example == EXAMPLE else dict(own)
        said = {"example": example, "begins": {control: str(number) for control, number in begins.items()}}
        data = "".join(f' data-{one}="{escape(json.dumps(those))}"' for one, those in said.items() if those)
        place = f'<div class="calculator" data-calculator="{name}" data-root="{self.pen.root}"{data}>{needs}</div>'
        loaded, self._scripts = self._scripts, ""
        return self._part(self.pen.only_site(loaded + place))

    def sizing(self) -> str:
        """The place where a config.json can be pasted, on a site that runs Python; on another it is empty."""
        machines = " ".join(names("hardware"))
        return self._part(self.pen.only_site(f'<div data-prompt="size" data-hardware="{machines}"></div>'))

    def link_to(self, name: str, words: str = "") -> str:
        """A link to the page of a formula."""
        formula = catalogue()[name]
        return self.pen.link(address(formula), self.pen.words(words or formula.title))

    def see_also(self, *names: str) -> str:
        """Links to formulas by which a chapter computes and that it does not draw, folded away."""
        return self._part(self.pen.fold("See also", self.pen.items(map(self.link_to, names)), "see-also"))

    # In the audit and among measurements

    def standings(self) -> str:
        """Table of how many formulas rest on what."""
        return self._part(lists.standings(self.pen, self.known.standings))

    @pass_context
    def factors(self, context: Any) -> str:
        """The mistakes of the audit, each with its story, which is a template too, and what it explains."""
        names = context.get_all()
        return self._part(audits.factors(self.pen, lambda story: context.environment.from_string(story).render(names)))

    def came_out(self, source: str) -> str:
        """Clause on how many claims of a source come out: "all 8 claims that were checked come out"."""
        said = audits.tally(audits.judgements(source)).removesuffix(".")
        return said[:1].lower() + said[1:]

    def claims_that(self, standing: str = "", cause: str = "", factor: float = 0) -> int:
        """Number of claims of the audit that "come out", are "refuted", have a cause, or are off by a factor."""
        return len(audits.those(standing, cause, factor))

    def _asked(self, kind: str, question: str, caller: Callable[[], str]) -> str:
        """A question, a case or a title, with the content of the call block folded away below it."""
        return self.pen.asked(kind, question, caller().strip())

    def _written(self, write: Callable[..., str], *what: Any) -> str:
        return self._part(write(self.pen, *what))

    def _part(self, made: str) -> str:
        return f"\n\n{made.strip()}\n\n"


# parts of a page that a pen and what the page says are enough to write
_WRITTEN: dict[str, Callable[..., str]] = {
    "terms": lists.terms,
    "notation": lists.notation,
    "devices": lists.devices,
    "models": lists.models,
    "families": lists.families,
    "stacks": lists.stacks,
    "formats": lists.formats,
    "laws": law_sheet.sheet,
    "rules": rules_table,
    "claims": audits.table,
    "side_by_side": audits.side_by_side,
    "held": measured_tables.table,
    "machine_and_model": machine_and_model.picture,
}
_IN_LINE: dict[str, Callable[..., str]] = {
    "source_of": lists.source_link,
    "printed_of": audits.printed_of,
    "computed_of": audits.computed_of,
}
_OFFERED = tuple(name for name, one in vars(Embeds).items() if not name.startswith("_") and name != "names")


def listed_formulas(known: Known, pen: Pen, formulas: tuple[Formula, ...]) -> str:
    """A chapter's formulas with their claims and badges."""
    rows = [
        (f"{pen.link(address(one), pen.words(one.title))} {known.about(one, pen).badge}", pen.math(one.claim))
        for one in formulas
    ]
    return pen.table((), rows, "contents")
