"""The command line: symbolic-llm

Exit codes: 0 for an answer, 1 for a formula that is not proved, 2 for a question that cannot be answered (one
sentence on stderr).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from . import __version__, presets
from .api import check, explain, find, solve
from .catalogue import catalogue
from .checks.report import Report
from .checks.verdict import Verdict
from .errors import InvalidValue, SymbolicLLMError
from .formula import Formula
from .inputs import PRESETS
from .notation import LETTERS
from .printing import drawn, tex, text
from .solution import Solution

Output = tuple[int, str, Any]  # exit code, text, the same for --json


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InvalidValue(f"{message[:1].lower()}{message[1:]} ({self.prog} --help shows what is accepted).")


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = _Parser(prog="symbolic-llm", description="LLM inference arithmetic, derived and checked.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"symbolic-llm {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], Output], help: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.add_argument("--json", action="store_true", help="print JSON")
        made.set_defaults(run=run)
        return made

    command("check", _check, "Prove formulas: steps, dimensions, theorems, engine, certificate, mutants.").add_argument(
        "names", nargs="*", metavar="NAME", help="formulas to check; all by default"
    )
    command("list", _list, "List the formulas by chapter.")
    command("presets", _presets, "List models, hardware and number formats.")
    command("show", _show, "Show a formula with its derivation.").add_argument("name", metavar="NAME")
    for name, run, help in (
        ("solve", _solve, "Solve a formula for one of its letters."),
        ("explain", _explain, "Evaluate a formula step by step: formula, numbers put in, result."),
    ):
        made = command(name, run, help)
        made.add_argument("name", metavar="NAME", help="a formula")
        letters = "letters as N=4096 or F='312 TFLOP/s'"
        if name == "solve":
            letters += "; a letter alone is the one to solve for"
        made.add_argument("letters", nargs="*", metavar="LETTER", help=letters)
        for preset in PRESETS:
            made.add_argument(f"--{preset}", metavar="NAME", help=f"preset, see symbolic-llm presets ({preset})")
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    wants_json = "--json" in (sys.argv[1:] if arguments is None else arguments)
    try:
        options, rest = parser().parse_known_args(arguments)
        _place(rest, options)
        code: int
        code, shown, data = options.run(options)
        print(json.dumps(data, indent=2, ensure_ascii=False) if options.json else shown)
        sys.stdout.flush()
        return code
    except SymbolicLLMError as error:
        if wants_json:
            print(json.dumps({"error": type(error).__name__, "message": str(error)}, indent=2, ensure_ascii=False))
        print(f"symbolic-llm: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _place(rest: list[str], options: argparse.Namespace) -> None:
    """Letters may stand after options too, where argparse does not look for them."""
    for argument in rest:
        if argument.startswith("-") or not hasattr(options, "letters"):
            raise InvalidValue(f"{argument!r} is not an option or argument of symbolic-llm {options.command}.")
        options.letters.append(argument)


def _given(options: argparse.Namespace, *, unknown: bool) -> tuple[str | None, dict[str, str], dict[str, str | None]]:
    """The unknown, the letters and the presets of a command line; presets may be written like letters too."""
    wanted: str | None = None
    letters: dict[str, str] = {}
    preset: dict[str, str | None] = {name: getattr(options, name) for name in PRESETS}
    for argument in options.letters:
        name, equals, value = argument.partition("=")
        if not equals and unknown and wanted is None:
            wanted = name
        elif not equals:
            raise InvalidValue(f"{argument!r} has no value; write it as {argument}=VALUE.")
        elif name in letters or (name in preset and preset[name] is not None):
            raise InvalidValue(f"{name} was given twice.")
        elif name in preset:
            preset[name] = value
        else:
            letters[name] = value
    return wanted, letters, preset


def _solve(options: argparse.Namespace) -> Output:
    wanted, letters, preset = _given(options, unknown=True)
    solution = solve(options.name, wanted, **preset, **letters)
    asked = bool(letters) or any(preset.values())
    value = solution.value if asked else None
    return 0, repr(solution), _solution_data(solution, value)


def _solution_data(solution: Solution, value: int | float | None) -> dict[str, Any]:
    branches = [
        {
            "expr": text(branch.expr),
            "latex": tex(branch.expr),
            "conditions": [{"relation": text(c.relation), "sentence": c.sentence} for c in branch.conditions],
        }
        for branch in solution.branches
    ]
    return {
        "formula": solution.formula.name,
        "unknown": solution.unknown.name,
        **(branches[0] if len(branches) == 1 else {"branches": branches}),
        "value": value,
        "unit": str(solution.unit),
        "given": _values(solution.given.values),
    }


def _values(values: dict[Any, Any]) -> dict[str, Any]:
    return {
        symbol.name: {
            "value": float(values[symbol].value),
            "unit": str(LETTERS[symbol].unit),
            "origin": values[symbol].origin,
        }
        for symbol in LETTERS
        if symbol in values
    }


def _explain(options: argparse.Namespace) -> Output:
    _, letters, preset = _given(options, unknown=False)
    found = explain(options.name, **preset, **letters)
    data = {
        "formula": found.formula.name,
        "value": found.value,
        "unit": str(found.unit),
        "lines": [{"text": line.text, "note": line.note} for line in found.lines],
        "given": _values({s: v for s, v in found.given.values.items() if s in found.formula.letters}),
    }
    return 0, repr(found), data


def _list(_: argparse.Namespace) -> Output:
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


def _presets(_: argparse.Namespace) -> Output:
    lines: list[str] = ["Models (--model)"]
    lines += [f"  {name:<16} {presets.model(name).title}" for name in presets.names("models")]
    lines += ["", "Hardware (--hardware)"]
    for name in presets.names("hardware"):
        device = presets.hardware(name)
        figures = ", ".join(f"{what} {figure.value}" for what, figure in device.figures.items())
        lines.append(f"  {name:<16} {device.title}: {figures}")
        lines += [f"  {'':<16} {figure.source} prints {what} {figure.value}" for what, figure in device.also]
    lines += ["", "Number formats (--dtype for arithmetic, --weights and --cache for storage)"]
    for name in presets.names("formats"):
        lines.append(f"  {name:<16} {presets.storage(name)['n_bytes']} bytes")
    return 0, "\n".join(lines), {kind: list(presets.names(kind)) for kind in ("models", "hardware", "formats")}


def _show(options: argparse.Namespace) -> Output:
    formula = find(options.name)
    lines = [f"{formula.title}  ({formula.kind.value}, {formula.chapter}/{formula.name})", "", drawn(formula.claim), ""]
    if formula.introduction:
        lines += [formula.introduction, ""]
    lines += [f"where {text(c.relation)}  ({c.sentence})" for c in formula.conditions]
    lines += [f"  {text(s):<12} {LETTERS[s].meaning} [{LETTERS[s].unit}]" for s in formula.letters]
    lines += [f"  {n!s:<12} {n.meaning} [{n.unit}]" for n in formula.numerals if n.value != 1]
    lines += ["", "Derivation"]
    for number, step in enumerate(formula.steps, 1):
        with_what = ", ".join(_operand(operand) for operand in step.operands)
        lines.append(f"  {number}. {step.rule.value}{f' {with_what}' if with_what else ''}: {step.reason}")
        lines.append(f"     {text(step.result)}")
    lines += ["", f"uses: {', '.join(f.name for f in formula.uses) or 'no other formula'}"]
    lines.append(f"used by: {', '.join(f.name for f in catalogue().users(formula)) or 'no other formula'}")
    lines.append(f"witness: {formula.measured_by or f'none, {formula.unmeasured}'}")
    for key in formula.sources:
        source = presets.source(key)
        lines.append(f"source: {source.author}, {source.title} ({source.year}), {source.url}")
    return 0, "\n".join(lines), _formula_data(formula)


def _operand(operand: Any) -> str:
    if isinstance(operand, Formula):
        return operand.name
    return text(getattr(operand, "relation", operand))


def _formula_data(formula: Formula) -> dict[str, Any]:
    return {
        "name": formula.name,
        "chapter": formula.chapter,
        "title": formula.title,
        "kind": formula.kind.value,
        "claim": text(formula.claim),
        "latex": tex(formula.claim),
        "conditions": [{"relation": text(c.relation), "sentence": c.sentence} for c in formula.conditions],
        "letters": {s.name: {"meaning": LETTERS[s].meaning, "unit": str(LETTERS[s].unit)} for s in formula.letters},
        "steps": [
            {
                "rule": step.rule.value,
                "with": [_operand(o) for o in step.operands],
                "result": text(step.result),
                "reason": step.reason,
            }
            for step in formula.steps
        ],
        "uses": [used.name for used in formula.uses],
        "measured_by": formula.measured_by,
        "unmeasured": formula.unmeasured,
        "sources": list(formula.sources),
    }


def _check(options: argparse.Namespace) -> Output:
    wanted = [find(name) for name in options.names] or list(catalogue())
    reports = [check(formula) for formula in _progress(wanted)]
    lines = [line for report in reports for line in _report_lines(report)]
    proved = sum(report.verdict is Verdict.PROVED for report in reports)
    lines.append(f"{proved} of {len(reports)} formulas proved")
    data = [_report_data(report) for report in reports]
    return (0 if proved == len(reports) else 1), "\n".join(lines), data


def _report_lines(report: Report) -> Iterator[str]:
    yield f"{report.verdict.value:<9}  {report.formula.name:<36} {report.witness}"
    for finding in report.findings:
        if finding.verdict is not Verdict.PROVED:
            yield f"  {finding.check}: {finding.verdict.value}: {finding.summary}"


def _report_data(report: Report) -> dict[str, Any]:
    findings = [
        {"check": f.check, "verdict": f.verdict.value, "summary": f.summary, "step": f.step or None}
        for f in report.findings
    ]
    return {
        "formula": report.formula.name,
        "verdict": report.verdict.value,
        "witness": report.witness,
        "findings": findings,
    }


def _progress(formulas: list[Formula]) -> Iterable[Formula]:
    """The formulas one by one, with a line on a terminal that says how far it has come."""
    if not sys.stderr.isatty():
        yield from formulas
        return
    for done, formula in enumerate(formulas):
        print(f"\r\x1b[Kchecking {done + 1} of {len(formulas)}: {formula.name}", end="", file=sys.stderr, flush=True)
        yield formula
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
