"""`list`, `show` and `check`"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import presets
from ..answers.applies import with_values
from ..api import find
from ..architecture import models_with
from ..catalogue import catalogue
from ..checks import export
from ..checks.parallel import check_formulas
from ..checks.report import Report, report_data
from ..checks.standing import tally
from ..checks.verdict import Verdict
from ..errors import unknown_name
from ..expressions.decide import BOTH, deciders
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS, called
from ..presets import Presets
from ..render.data import formula_data, letter_data, operand
from . import terminal
from .parsing import Output, given


def list_all(_: argparse.Namespace) -> Output:
    """The formulas by chapter."""
    lines: list[str] = []
    data = []
    for chapter in catalogue().chapters():
        lines += ["", chapter.title] if lines else [chapter.title]
        width = max((len(formula.name) for formula in chapter.formulas), default=0)
        for formula in chapter.formulas:
            lines.append(f"  {formula.name:<{width}}  {formula.title}")
            data.append(
                {"name": formula.name, "chapter": chapter.name, "title": formula.title, "claim": text(formula.claim)}
            )
    return 0, "\n".join(lines), data


def show(options: argparse.Namespace) -> Output:
    """One formula with its derivation, or a letter with the formulas it stands in."""
    if options.name.strip().replace("/", ".").rpartition(".")[2] in catalogue():
        return _show_formula(find(options.name))
    if found := called(options.name.strip()):
        data = [letter_data(symbol, catalogue()) for symbol in found]
        return 0, "\n\n".join("\n".join(_letter_lines(one)) for one in data), {"letters": data}
    letters = (name for letter in LETTERS.values() for name in (letter.name, *letter.aliases))
    raise unknown_name("formula or letter", options.name, [*catalogue().names, *letters])


def _letter_lines(letter: dict[str, Any]) -> Iterator[str]:
    kind = "a count" if letter["unit"] == "1" else letter["unit"]
    yield f"{letter['letter']}  {letter['meaning']} [{kind}{', whole' if letter['whole'] else ''}]"
    for word, names in (
        ("also called", letter["aliases"]),
        ("given by", [f"{preset}=" for preset in letter["presets"]]),
        ("defined by", letter["defined_by"]),
        ("stands in", letter["used_by"]),
    ):
        if names:
            yield from textwrap.wrap(", ".join(names), 108, initial_indent=f"  {word:<12}", subsequent_indent=" " * 14)


def _show_formula(formula: Formula) -> Output:
    lines = [formula.described]
    if built := models_with(formula.traits):
        lines.append(f"for {built}")
    lines += ["", "Derivation"]
    for number, step in enumerate(formula.steps, 1):
        with_what = ", ".join(operand(what) for what in step.operands)
        lines.append(f"  {number}. {step.rule.value}{f' {with_what}' if with_what else ''}: {step.reason}")
        lines.append(f"     {text(step.result)}")
    lines += ["", f"uses: {', '.join(f.name for f in formula.uses) or 'no other formula'}"]
    lines.append(f"used by: {', '.join(f.name for f in catalogue().users(formula)) or 'no other formula'}")
    lines.append(f"witness: {formula.measured_by or f'none, {formula.unmeasured}'}")
    for key in formula.sources:
        source = presets.source(key)
        lines.append(f"source: {source.author}, {source.title} ({source.year}), {source.url}")
    return 0, "\n".join(lines), formula_data(formula)


def check(options: argparse.Namespace) -> Output:
    """Whether formulas are proved, or are definitions; exit code 1 if one is neither; proofs to a folder, if asked."""
    names, letters, presets = given(options, None)
    wanted = [find(name) for name in names] or list(catalogue())
    if options.export is None:
        return _checked(wanted, letters, presets, fresh=options.fresh)
    with export.prepared(options.export) as folder:
        code, shown, data = _checked(wanted, letters, presets, fresh=options.fresh)
        written = export.write(folder, list(dict.fromkeys(wanted)))
    return code, f"{shown}\n{written} written; python {Path(options.export) / 'verify.py'} verifies them", data


def _checked(wanted: list[Formula], letters: dict[str, str], presets: Presets, *, fresh: bool) -> Output:
    reports = [
        with_values(report, letters, presets)
        for _, report in zip(terminal.progress(wanted), check_formulas(wanted, fresh=fresh), strict=True)
    ]
    lines = [line for report in reports for line in _report_lines(report)]
    lines.append(_summary(reports, bool(letters or presets)))
    if (by := deciders()) != BOTH:
        lines.append(f"equality was decided by {by}")
    data = [report_data(report) for report in reports]
    return (0 if all(report.verdict.stands for report in reports) else 1), "\n".join(lines), data


def _summary(reports: list[Report], of_values: bool) -> str:
    """How many have which verdict, and what they rest on: "2 proved, 1 defined: 2 laws and 1 definition"."""
    numbers = {verdict: sum(report.verdict is verdict for report in reports) for verdict in Verdict}
    said = [f"{numbers[Verdict.PROVED]} proved{' and true of these values' * of_values}"]
    said += [f"{number} {v.value.lower()}" for v, number in numbers.items() if number and v is not Verdict.PROVED]
    standing = [report.standing for report in reports if report.verdict.stands]
    return ", ".join(said) + (f": {tally(standing)}" if standing else "")


def _report_lines(report: Report) -> Iterator[str]:
    word = report.standing.word if report.standing is not None else ""
    yield f"{report.verdict.value:<9}  {report.formula.name:<36} {word:<10}  {report.witness}"
    for finding in report.findings:
        if finding.verdict is not Verdict.PROVED or finding.check == "values":
            yield f"  {finding.check}: {finding.verdict.value}: {finding.summary}"
