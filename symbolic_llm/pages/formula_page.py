"""Pieces of a formula's page, which a chapter's drawer shows too"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..algebra import Basic
from ..answers.explanation import explain_formula
from ..answers.resolution import of_the_plain
from ..architecture import PLAIN, lacking, models_with
from ..checks.report import Report
from ..checks.verdict import Standing, Verdict
from ..formula import Formula
from ..glossary import terms
from ..notation import LETTERS, SUMS
from ..presets import NAMES, Presets
from ..units import ONE, Unit
from ..witness.comparison_at_places import Comparison, compared
from .other_languages import texts
from .pen import Pen

_SHOWN = 4  # configurations in the table of counts


def address(formula: Formula) -> str:
    """Address of a formula's page."""
    return f"formulas/{formula.name}"


@dataclass(frozen=True)
class About:
    """A formula, what the checks found on it and who uses it, written with a pen."""

    formula: Formula
    report: Report
    users: Sequence[Formula]
    pen: Pen

    @property
    def badge(self) -> str:
        """Badge of one word for what the formula rests on; "" if it does not stand."""
        standing = self.report.standing
        return self.pen.badge(standing.word, standing.meaning) if standing is not None else ""

    @property
    def verdict(self) -> str:
        """Mark of the verdict, PROVED or DEFINED."""
        return self.pen.mark(self.report.verdict.value, self.report.verdict.value)

    @property
    def statement(self) -> str:
        """The claim; of an approximation also how far it is off."""
        claim = self.formula.statement
        parts = [self.pen.math(self.formula.claim, display=True)]
        if claim.error_bound is not None:
            parts.append(self.pen.paragraph("Never too high, and too low by a share of at most"))
            parts.append(self.pen.math(claim.error_bound, display=True))
            parts.append(self.pen.fold("The exact value", self.pen.math(claim.exact_value, display=True)))
        return self.pen.block("claim", "".join(parts))

    @property
    def plain(self) -> str:
        """The claim of the plain decoder, whose sums over its parts are written out; "" where it has no such sums."""
        claim = self.formula.claim
        if not isinstance(claim, Basic) or lacking(self.formula.traits, PLAIN) or not claim.free_symbols & set(SUMS):
            return ""
        if (written := of_the_plain(self.formula, claim)) == claim:
            return ""
        return self.pen.block("claim", self.pen.math(written, display=True))

    @property
    def built(self) -> str:
        """Models that the formula is for, in words; "" for all."""
        return self.pen.words(models_with(self.formula.traits) or "")

    @property
    def conditions(self) -> list[str]:
        """Conditions under which the formula holds, each with its sentence."""
        return [f"{self.pen.item(c.relation)}: {self.pen.words(c.sentence)}" for c in self.formula.conditions]

    @property
    def letters(self) -> str:
        """Table of the letters and of the numerals that count something, with meaning and unit."""
        pen, formula = self.pen, self.formula
        rows = [
            (pen.math(s), pen.code(s.name), self._meaning(LETTERS[s].meaning, self._unit(s))) for s in formula.letters
        ]
        numerals = (numeral for numeral in formula.numerals if numeral.value != 1)
        rows += [(pen.math(numeral), "", self._meaning(numeral.meaning, numeral.unit)) for numeral in numerals]
        return pen.table(("", "Name", "Meaning [unit]"), rows, "letters")

    def _unit(self, symbol: Any) -> Unit:
        return ONE if symbol in self.formula.plain else LETTERS[symbol].unit

    def _meaning(self, meaning: str, unit: Unit) -> str:
        return (
            f"{self.pen.words(meaning)} {self.pen.quiet(self.pen.words(f'[{unit}]')) if unit.exponents else ''}".strip()
        )

    def derived(self, *, counted: bool = False) -> str:
        """The steps, each under the reason that leads to it, with the verdict of the check.

        Args:
            counted: whether to name what measures a step.
        """
        verdicts, steps = self.report["steps"].steps, []
        for number, step in enumerate(self.formula.steps):
            verdict = verdicts[number] if number < len(verdicts) else Verdict.UNDECIDED
            mark = {"PROVED": "✓", "REFUTED": "✗", "UNDECIDED": "?"}[verdict.value]
            operands = ", ".join(self._operand(operand) for operand in step.operands)
            rule = self.pen.quiet(f"{step.rule.value} {operands}".strip(), "rule")
            witness = f", counted: {self.pen.code(step.measured_by)}" if counted and step.measured_by else ""
            said = f"{self.pen.words(step.reason)} ({rule}{witness}) {self.pen.mark(verdict.value, mark)}"
            steps.append(self.pen.paragraph(f"{number + 1}. {said}") + self.pen.math(step.result, display=True))
        return self.pen.block("steps", "".join(self.pen.block("step", step) for step in steps))

    def _operand(self, operand: Any) -> str:
        if isinstance(operand, Formula):
            return self.pen.link(address(operand), self.pen.words(operand.title))
        return self.pen.math(getattr(operand, "relation", operand))

    @property
    def example(self) -> str:
        """The worked example: the call, what is put in, the result."""
        example = self.formula.example
        letters = {name: value for name, value in example.items() if name not in NAMES}
        preset = {name: value for name, value in example.items() if name in NAMES}
        found = explain_formula(self.formula, letters, Presets(**preset))
        arguments = "".join(f", {name}={value!r}" for name, value in example.items())
        call = self.pen.code(f">>> explain({self.formula.name!r}{arguments})")
        lines = []
        for line in found.lines:
            note = self.pen.quiet(self.pen.words(line.note)) if line.note else ""
            shown = self.pen.latex(line.tex, display=True) if line.tex else self.pen.words(line.text)
            lines.append(self.pen.block("line", shown + note))
        inputs = self.pen.items(map(self.pen.words, found.inputs)) if found.inputs else ""
        return self.pen.block("call", call) + self.pen.block("inputs", inputs) + "".join(lines)

    @property
    def counts(self) -> str:
        """Table of the engine's counts beside the formula's predictions, with what it shows; or why there is none."""
        formula, pen = self.formula, self.pen
        if not formula.measured_by:
            return pen.paragraph(f"Not measured: {pen.words(formula.unmeasured)}.")
        chosen = self._chosen
        names = list(chosen[0].config)
        rows = [
            (
                *(_number(c.config[name]) for name in names),
                _number(c.predicted),
                _number(c.measured),
                "=" if c.equal else "≠",
            )
            for c in chosen
        ]
        if formula.statement.error_bound is not None:  # an approximation is no equation
            rows = [(*row[:-1], "within its bound" if c.equal else "≠") for row, c in zip(rows, chosen, strict=True)]
        return pen.paragraph(self._agreement) + pen.table(
            (*map(pen.code, names), "Formula", "Engine", ""), rows, "counts"
        )

    @property
    def _chosen(self) -> list[Comparison]:
        """The first comparisons with one subject; those in which no value is 1 come before the others."""
        found, several = list[Comparison](), list[Comparison]()
        for one in compared(self.formula):
            if found and one.subject != found[0].subject:
                break
            found.append(one)
            if all(value > 1 for value in one.config.values()):
                several.append(one)
            if len(several) == _SHOWN:
                break
        return (several + [one for one in found if one not in several])[:_SHOWN]

    @property
    def _agreement(self) -> str:
        found = next(f for f in self.report.findings if f.check == "engine")
        said = f"The engine answers {self.pen.code(self.formula.measured_by)}. "
        said += f"What the formula says is {self.pen.words(found.summary)}"
        certificate = next((f for f in self.report.findings if f.check == "certificate"), None)
        if certificate:
            said += f". {self.pen.link('counting', 'Certificate')}: {self.pen.words(certificate.summary)}"
        if self.report.standing is Standing.LAW:
            said += f". What it states is {self.pen.words(Standing.LAW.meaning)}"
        return f"{said}."

    @property
    def findings(self) -> str:
        """Table of the findings of each check."""
        rows = [
            (f.check, self.pen.mark(f.verdict.value, f.verdict.value), self.pen.words(f.summary))
            for f in self.report.findings
        ]
        return self.pen.table(("Check", "Verdict", "Finding"), rows, "findings")

    def related(self, formulas: Sequence[Formula]) -> str:
        """Links to other formulas."""
        return ", ".join(self.pen.link(address(other), self.pen.words(other.title)) for other in formulas)

    @property
    def called(self) -> str:
        """Words of the glossary that mean it, linked, each with its other names, by which search finds the page."""
        said = (term for term in terms().values() if self.formula.name in term.formulas)
        link, words = self.pen.link, self.pen.words
        return "; ".join(
            ", ".join((link(f"glossary#{term.anchor}", words(term.name)), *map(words, term.also))) for term in said
        )

    @property
    def elsewhere(self) -> str:
        """The claim in other languages, each to be copied, and how it is cited."""
        parts = (
            self.pen.paragraph(language) + self.pen.listing(text, language.lower())
            for language, text in texts(self.formula)
        )
        return self.pen.fold("Use it elsewhere", "".join(parts), "elsewhere")


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{int(value):,}" if value == int(value) else str(value)
