"""One formula, one chapter, as a page

A formula shows its statement, where it holds, its letters, the derivation with a verdict on each step, an example
with numbers put in, the engine's counts beside its predictions, what the checks found, what it uses and what uses
it, and its sources. Everything is computed from the formula and its report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import Any

from ..answers.explanation import Explanation, explain_formula
from ..architecture import models_with
from ..bridge.comparison import comparisons
from ..bridge.entries import ASSUMPTION
from ..catalogue import Chapter
from ..checks import kept
from ..checks.parallel import file_of
from ..checks.report import Report
from ..checks.verdict import Standing, Verdict
from ..errors import listed
from ..formula import Formula
from ..notation import LETTERS
from ..presets import NAMES, Presets, source
from ..units import Unit
from .html import code, details, display, link, math, mathml, table
from .made import made, tables

_SHOWN = 4  # configurations in the table of counts


def address(formula: Formula) -> str:
    """Where a formula stands: page of its chapter and anchor."""
    return f"{formula.chapter}.html#{formula.name}"


def chapter_page(chapter: Chapter, reports: Mapping[str, Report], users: Mapping[str, Sequence[Formula]]) -> str:
    """A chapter as Markdown: its introduction and its formulas."""
    contents = ((link(f"#{f.name}", f.title), math(f.claim), badge(reports[f.name].standing)) for f in chapter.formulas)
    parts = [f"# {chapter.title}", chapter.introduction, table((), contents, "contents")]
    parts += [_kept_section(f, reports[f.name], users.get(f.name, ())) for f in chapter.formulas]
    return "\n\n".join(parts) + "\n"


def _kept_section(formula: Formula, report: Report, users: Sequence[Formula]) -> str:
    """The section, made only if a formula, a source, a table or a finding is another than before."""
    if (file := file_of(formula)) is None:
        return formula_section(formula, report, users)
    around = repr((report.findings, [(address(user), user.title) for user in users], version("math-core")))
    return made(lambda: formula_section(formula, report, users), kept.fingerprint(file), around, tables())


def formula_section(formula: Formula, report: Report, users: Sequence[Formula]) -> str:
    """One formula as Markdown with a heading that carries its name as anchor.

    What follows the introduction is one element, so that a browser can leave it alone until it is scrolled to.
    """
    parts = [
        _statement(formula),
        _holds(formula),
        _letters(formula),
        f"<h3>Derivation</h3>{_derivation(formula, report)}",
        f"<h3>Example</h3>{_example(formula)}",
        f"<h3>Prediction and count</h3>{_counts(formula, report)}",
        details("What the checks found", _findings(report)),
        _relatives(formula, users),
        _sources(formula),
    ]
    return f"""## {formula.title} {{ #{formula.name} }}

<p class="meta">{formula.kind.value} · {code(formula.name)} · {_verdict(report)}{_badge(report)}</p>

{formula.introduction}

<section class="formula">
{"".join(parts)}
</section>"""


def _verdict(report: Report) -> str:
    return f'<span class="verdict {report.verdict.value.lower()}">{report.verdict.value}</span>'


def _badge(report: Report) -> str:
    return f" · {badge(report.standing)}" if report.standing is not None else ""


def badge(standing: Standing | None) -> str:
    """In one word what a formula rests on, with the meaning of the word where the pointer rests."""
    if standing is None:
        return ""
    return f'<span class="badge {standing.word}" title="{escape(standing.meaning)}">{standing.word}</span>'


def _statement(formula: Formula) -> str:
    shown = f'<div class="claim">{display(formula.claim)}'
    if formula.statement.error_bound is not None:
        shown += f"<p>Never too high, and too low by a share of at most</p>{display(formula.statement.error_bound)}"
        shown += details("The exact value", display(formula.statement.exact_value))
    return shown + "</div>"


def _holds(formula: Formula) -> str:
    built = models_with(formula.traits)
    holds = f"Holds, for {escape(built)}," if built else "Holds"
    if not formula.conditions:
        return f"<p><strong>{holds}</strong> for all positive values of its letters.</p>"
    items = "".join(f"<li>{math(c.relation)}: {escape(c.sentence)}</li>" for c in formula.conditions)
    return f"<p><strong>{holds} where</strong></p><ul>{items}</ul>"


def _letters(formula: Formula) -> str:
    rows = [(math(s), code(s.name), escape(LETTERS[s].meaning), _unit(formula, s)) for s in formula.letters]
    for numeral in formula.numerals:
        unwritten = " (not written)" if numeral.value == 1 else ""
        rows.append((math(numeral), "", escape(numeral.meaning) + unwritten, _named(numeral.unit)))
    return table(("", "Name", "Meaning", "Unit"), rows, "letters")


def _unit(formula: Formula, symbol: Any) -> str:
    return "count" if symbol in formula.plain else _named(LETTERS[symbol].unit)


def _named(unit: Unit) -> str:
    return escape(str(unit)) if unit.exponents else "count"


def _derivation(formula: Formula, report: Report) -> str:
    verdicts = report["steps"].steps
    rows = []
    for number, step in enumerate(formula.steps, 1):
        operands = ", ".join(_operand(operand) for operand in step.operands)
        rule = f"{step.rule.value} {operands}" if operands else step.rule.value
        witness = f'<br><span class="witness">counted: {code(step.measured_by)}</span>' if step.measured_by else ""
        verdict = verdicts[number - 1] if number <= len(verdicts) else Verdict.UNDECIDED
        mark = {"PROVED": "✓", "REFUTED": "✗", "UNDECIDED": "?"}[verdict.value]
        sign = f'<span class="verdict {verdict.value.lower()}" title="{verdict.value}">{mark}</span>'
        rows.append(
            (str(number), math(step.result, display=True), f"<em>{rule}</em>: {escape(step.reason)}{witness}", sign)
        )
    return table(("", "Result", "Rule and reason", ""), rows, "steps")


def _operand(operand: Any) -> str:
    if isinstance(operand, Formula):
        return link(address(operand), operand.title)
    return math(getattr(operand, "relation", operand))


def _example(formula: Formula) -> str:
    letters = {name: value for name, value in formula.example.items() if name not in NAMES}
    preset = {name: value for name, value in formula.example.items() if name in NAMES}
    found = explain_formula(formula, letters, Presets(**preset))
    arguments = "".join(f", {name}={value!r}" for name, value in formula.example.items())
    call = f"&gt;&gt;&gt; explain({escape(repr(formula.name) + arguments)})"
    inputs = "".join(f"<li>{escape(line)}</li>" for line in found.inputs)
    return (
        f'<p class="call"><code>{call}</code></p>'
        + (f'<ul class="inputs">{inputs}</ul>' if inputs else "")
        + f'<div class="worked">{_worked(found)}</div>'
    )


def _worked(found: Explanation) -> str:
    lines = []
    for line in found.lines:
        note = f' <span class="note">{escape(line.note)}</span>' if line.note else ""
        shown = mathml(line.tex, display=True) if line.tex else f"<span>{escape(line.text)}</span>"
        lines.append(f'<div class="equation" tabindex="0">{shown}{note}</div>')
    return "".join(lines)


def _counts(formula: Formula, report: Report) -> str:
    if not formula.measured_by:
        return f"<p>Not measured: {escape(formula.unmeasured)}.</p>"
    found = comparisons(formula)
    names = list(found[0].config)
    alike = [c for c in found if list(c.config) == names]  # another probe has other columns
    several = [c for c in alike if all(value > 1 for value in c.config.values())] or alike
    chosen = (several[:_SHOWN] + [c for c in alike if c not in several])[:_SHOWN]
    rows = [
        (
            *(escape(_number(c.config[name])) for name in names),
            _number(c.predicted),
            _number(c.measured),
            "=" if c.equal else "≠",
        )
        for c in chosen
    ]
    asked = listed(dict.fromkeys(c.subject for c in found))
    said = f"The engine answers {code(formula.measured_by)}, of {asked}. "
    said += f"Formula and count agree in all {len(found)} comparisons"
    certificate = next((f for f in report.findings if f.check == "certificate"), None)
    if certificate:
        said += f", and {escape(certificate.summary)}"
    if certificate and certificate.verdict is Verdict.PROVED:
        said += f", assuming that {ASSUMPTION}"
    if report.standing is Standing.LAW:
        said += f". What it states is {escape(Standing.LAW.meaning)}"
    return f"<p>{said}.</p>" + table((*map(code, names), "Formula", "Engine", ""), rows, "counts")


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{int(value):,}" if value == int(value) else str(value)


def _findings(report: Report) -> str:
    rows = [
        (f.check, f'<span class="verdict {f.verdict.value.lower()}">{f.verdict.value}</span>', escape(f.summary))
        for f in report.findings
    ]
    return table(("Check", "Verdict", "Finding"), rows, "findings")


def _relatives(formula: Formula, users: Sequence[Formula]) -> str:
    lines = []
    for word, others in (("Uses", formula.uses), ("Used by", users)):
        if others:
            lines.append(f"{word} " + ", ".join(link(address(other), other.title) for other in others))
    return f'<p class="relatives">{"<br>".join(lines)}</p>' if lines else ""


def _sources(formula: Formula) -> str:
    if not formula.sources:
        return ""
    cited = (source(key) for key in formula.sources)
    items = ", ".join(f'{escape(s.author)}, <a href="{escape(s.url)}">{escape(s.title)}</a> ({s.year})' for s in cited)
    return f'<p class="sources">Printed in {items}</p>'
