"""`list`, `show` and `check`"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from .. import presets
from ..answers.applies import with_values
from ..api import find
from ..catalogue import catalogue
from ..checks.parallel import check_formulas
from ..checks.report import Report
from ..checks.verdict import Verdict
from ..expressions.printing import text
from ..render.data import formula_data, operand, report_data
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
    """One formula with its derivation."""
    formula = find(options.name)
    lines = [formula.statement]
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
    """Whether formulas are proved."""
    names, letters, presets = given(options, None)
    wanted = [find(name) for name in names] or list(catalogue())
    reports = [
        with_values(report, letters, presets)
        for _, report in zip(terminal.progress(wanted), check_formulas(wanted), strict=True)
    ]
    lines = [line for report in reports for line in _report_lines(report)]
    proved = sum(report.verdict is Verdict.PROVED for report in reports)
    lines.append(f"{proved} of {len(reports)} formulas proved")
    data = [report_data(report) for report in reports]
    return (0 if proved == len(reports) else 1), "\n".join(lines), data


def _report_lines(report: Report) -> Iterator[str]:
    yield f"{report.verdict.value:<9}  {report.formula.name:<36} {report.witness}"
    for finding in report.findings:
        if finding.verdict is not Verdict.PROVED or finding.check == "values":
            yield f"  {finding.check}: {finding.verdict.value}: {finding.summary}"
