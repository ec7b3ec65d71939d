"""The command line: symbolic-llm

Exit codes: 0 for an answer, 1 for a formula that is not proved, 2 for a question that cannot be answered (one
sentence on stderr).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from . import __version__, presets, terminal
from .api import explain, find
from .catalogue import catalogue
from .checks.catalogue import check_formulas
from .checks.report import Report
from .checks.verdict import Verdict
from .data import explanation_data, formula_data, operand, report_data, solution_data
from .errors import InvalidValue, SymbolicLLMError, Underdetermined, unknown_name
from .inputs import PRESETS
from .notation import LETTERS
from .printing import drawn, text
from .sizing import Sizing
from .solution import solve_formula

Output = tuple[int, str, Any]  # exit code, text, the same for --json


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InvalidValue(f"{message[:1].lower()}{message[1:]} ({self.prog} --help shows what is accepted).")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise unknown_name("command", value, action.choices)


class _Once(argparse.Action):
    """An option that may be given once."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise InvalidValue(f"{self.dest} was given twice.")
        setattr(namespace, self.dest, values)


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = _Parser(prog="symbolic-llm", description="LLM inference arithmetic, derived and checked.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"symbolic-llm {__version__}")
    top.add_argument("--json", action="store_true", help="print JSON")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], Output], help: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
        made.set_defaults(run=run)
        return made

    command("list", _list, "List the formulas by chapter.")
    command("presets", _presets, "List models, hardware and number formats.")
    command("show", _show, "Show a formula with its derivation.").add_argument("name", metavar="NAME")
    _model_options(command("model", _model, "Size a model on a machine: everything the formulas say of it."))
    _count_options(command("count", _count, "Run a model file and hold the formulas against what it does."))
    letters = "letters as N=4096 or F='312 TFLOP/s'"
    for name, run, help, arguments, meaning in (
        (
            "check",
            _check,
            "Prove formulas: steps, dimensions, theorems, engine, certificate, mutants.",
            "NAME",
            f"formulas to check, all by default; with {letters}, whether they apply to these values",
        ),
        (
            "solve",
            _solve,
            "Solve a formula for one of its letters.",
            "LETTER",
            f"{letters}; a letter alone is the one to solve for",
        ),
        (
            "explain",
            _explain,
            "Evaluate a formula step by step: formula, numbers put in, result.",
            "LETTER",
            letters,
        ),
    ):
        made = command(name, run, help)
        if name != "check":
            made.add_argument("name", metavar="NAME", help="a formula")
        made.add_argument("arguments", nargs="*", default=[], metavar=arguments, help=meaning)
        for preset in PRESETS:
            made.add_argument(
                f"--{preset}", action=_Once, metavar="NAME", help=f"preset, see symbolic-llm presets ({preset})"
            )
    return top


def _model_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("model", metavar="MODEL", help="a config.json, its directory, or a preset's name")
    for preset in PRESETS[1:]:
        made.add_argument(f"--{preset}", action=_Once, metavar="NAME", help=f"preset ({preset})")
    made.add_argument("--context", action=_Once, metavar="N", help="tokens of each sequence, 4096 by default")
    made.add_argument("--batch", action=_Once, metavar="B", help="sequences, 1 by default")
    made.add_argument("--prefill", action=_Once, metavar="WAY", help="count it full (default), causal or last-logits")


def _count_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("path", metavar="PATH", help="a directory with config.json and safetensors, or a GGUF file")
    made.add_argument("--prompt-tokens", action=_Once, metavar="N", help="length of the prompt, 8 by default")
    made.add_argument("--new-tokens", action=_Once, metavar="M", help="tokens to decode after it, 4 by default")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    terminal.prepare()
    try:
        return _answer(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:  # the reader has seen enough
        terminal.give_up_writing()
        return 0
    except OSError as error:
        terminal.give_up_writing()
        terminal.complain(f"the answer could not be written: {error.strerror or error}.")
        return 2
    except KeyboardInterrupt:
        return 130


def _answer(arguments: list[str]) -> int:
    try:
        options, rest = parser().parse_known_args(arguments)
        _place(rest, options)
        code: int
        code, shown, data = options.run(options)
        terminal.write_json(data) if options.json else terminal.write(shown)
        return code
    except SymbolicLLMError as error:
        if "--json" in arguments:
            terminal.write_json({"error": type(error).__name__, "message": str(error)})
        terminal.complain(str(error))
        return 2


def _place(rest: list[str], options: argparse.Namespace) -> None:
    """Letters may stand after options too, where argparse does not look for them."""
    for argument in rest:
        if argument.startswith("-") or not hasattr(options, "arguments"):
            raise InvalidValue(f"{argument!r} is not an option or argument of symbolic-llm {options.command}.")
        options.arguments = [*options.arguments, argument]


def _given(options: argparse.Namespace, names: int | None) -> tuple[list[str], dict[str, str], dict[str, str | None]]:
    """Plain names, at most so many, then letters and presets; presets may be written like letters too."""
    plain: list[str] = []
    letters: dict[str, str] = {}
    preset: dict[str, str | None] = {name: getattr(options, name) for name in PRESETS}
    for argument in options.arguments:
        name, equals, value = argument.partition("=")
        if not equals and (names is None or len(plain) < names):
            plain.append(name)
        elif not equals:
            raise InvalidValue(f"{argument!r} has no value; write it as {argument}=VALUE.")
        elif name in letters or (name in preset and preset[name] is not None):
            raise InvalidValue(f"{name} was given twice.")
        elif name in preset:
            preset[name] = value
        else:
            letters[name] = value
    return plain, letters, preset


def _solve(options: argparse.Namespace) -> Output:
    unknown, letters, preset = _given(options, 1)
    solution = solve_formula(find(options.name), unknown[0] if unknown else None, letters, **preset)
    value, note = None, ""
    if letters or any(preset.values()):
        try:
            value, note = solution.value, solution.note
        except Underdetermined as error:  # the closed form is an answer, and says what it lacks
            note = str(error)
    return 0, repr(solution), solution_data(solution, value, note)


def _explain(options: argparse.Namespace) -> Output:
    _, letters, preset = _given(options, 0)
    found = explain(options.name, **preset, **letters)
    return 0, repr(found), explanation_data(found)


def _model(options: argparse.Namespace) -> Output:
    found = Sizing(
        options.model,
        options.hardware,
        dtype=options.dtype or "fp16",
        weights=options.weights,
        cache=options.cache,
        context=options.context or 4096,
        batch=options.batch or 1,
        prefill=options.prefill or "full",
    )
    return 0, repr(found), found.data()


def _count(options: argparse.Namespace) -> Output:
    from .counting import count_file  # the engine comes with it

    prompt, new = (
        _whole(name, value, least)
        for name, value, least in (
            ("--prompt-tokens", options.prompt_tokens or "8", 1),
            ("--new-tokens", options.new_tokens or "4", 0),
        )
    )
    found = count_file(options.path, prompt, new, terminal.bar)
    return (0 if found.agrees else 1), repr(found), found.data()


def _whole(name: str, value: str, least: int) -> int:
    if not value.isascii() or not value.isdigit() or not least <= int(value[:20]) <= 10**9:
        raise InvalidValue(f"{name} is a whole number of at least {least}, but {value[:40]!r} was given.")
    return int(value)


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


def _check(options: argparse.Namespace) -> Output:
    names, letters, preset = _given(options, None)
    wanted = [find(name) for name in names] or list(catalogue())
    reports = [
        report for _, report in zip(terminal.progress(wanted), check_formulas(wanted, letters, **preset), strict=True)
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
