"""The command line: symbolic-llm

Exit codes: 0 for an answer, 1 for one that says no (a formula that is neither proved nor a definition, a figure that is
wrong, a count that differs, no device that meets its targets), 2 for a question that cannot be answered (one sentence
on stderr).
"""

from __future__ import annotations

import argparse
import gc
import sys
from functools import cache
from importlib import import_module
from typing import Any

from .. import __version__, interrupts
from ..algebra import NotStored, do_without_sympy
from ..cache import answers, folder
from ..errors import InvalidValue, SymbolicLLMError, shown, within_memory
from ..presets.presets import NAMES
from . import terminal
from .parsing import Once, Output, Parser

PREFIXES = "32k is 32,000 and 32Ki is 32,768"
_MEANT = {"hardware": "preset, see symbolic-llm presets, or a file of your own (.toml)"}


@cache
def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = Parser(prog="symbolic-llm", description="LLM inference arithmetic, derived and checked.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"symbolic-llm {__version__}")
    top.add_argument("--json", action="store_true", help="print JSON")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    def command(name: str, run: str, help: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        # suppressed, so that the command's own default does not overwrite a --json that stood before it
        made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
        made.set_defaults(run=run)
        return made

    command("list", "formulas.list_all", "List the formulas by chapter.")
    kinds = command("presets", "data.list_presets", "List models, hardware and number formats.")
    kinds.add_argument("name", nargs="?", metavar="KIND", help="models, hardware or formats; all if left out")
    one = command("show", "formulas.show", "Show a formula with its derivation, or a letter and where it stands.")
    one.add_argument("name", metavar="NAME", help="a formula, or a letter by its name or another name it has")
    _model_options(command("model", "models.size", "Size a model on a machine: everything the formulas say of it."))
    _plan_options(command("plan", "planning.plan", "Say on which devices a model meets its targets, the best first."))
    _count_options(command("count", "models.count", "Run a model file and hold the formulas against what it does."))
    pages = command("pages", "site.pages", "Check everything and write the pages of the site as Markdown.")
    pages.add_argument("out", metavar="OUT", help="the folder they are written into")
    site = command("site", "site.serve", "Build the site and serve it on this machine, until Ctrl-C.")
    site.add_argument("--port", action=Once, metavar="PORT", help="8000 by default")
    for made in (pages, site):
        made.add_argument("--docs", action=Once, metavar="DIR", help="the project's written pages, docs by default")
    audit = command("audit", "audit.audit", "Compute published figures anew: which come out, and what went wrong.")
    own = "your own: claims (.toml) or an article (.md)"
    audit.add_argument("files", nargs="*", default=[], metavar="FILE", help=own)
    audit.add_argument("--source", action=Once, metavar="NAME", help="one source only")
    audit.add_argument("--verdict", action=Once, metavar="VERDICT", help="one verdict only, as 'refuted'")
    command("mcp", "mcp.serve", "Answer as tools of the Model Context Protocol, over standard input and output.")
    letters = f"letters as N=4096, N=32k or F='312 TFLOP/s' ({PREFIXES})"
    for name, run, help, arguments, meaning in (
        (
            "check",
            "check_command.check",
            "Check formulas and say what each rests on: steps, dimensions, theorems, engine, certificate, mutants.",
            "NAME",
            f"formulas to check, all by default; with {letters}, whether they apply to these values",
        ),
        (
            "solve",
            "questions.solve_one",
            "Solve a formula for one of its letters.",
            "LETTER",
            f"{letters}; a letter alone is the one to solve for",
        ),
        (
            "evaluate",
            "questions.evaluate_one",
            "Evaluate a formula: its value, in its unit.",
            "LETTER",
            letters,
        ),
        (
            "sweep",
            "sweeping.sweep_one",
            "Evaluate a formula over a grid and write it as CSV: values with commas between are an axis.",
            "LETTER",
            f"{letters}; as an axis B=1,2,4 or --hardware a10,h100-sxm",
        ),
        (
            "plot",
            "plotting.plot_one",
            "Draw a model on a machine: its roofline, the time of a step, or throughput against latency.",
            "LETTER",
            f"N, B, and M, W, F of the machine, as {letters}; several as B=1,2,4 or --hardware a10,h100-sxm",
        ),
        (
            "explain",
            "questions.explain_one",
            "Evaluate a formula step by step: formula, numbers put in, result.",
            "LETTER",
            letters,
        ),
    ):
        made = command(name, run, help)
        if name == "check":
            made.add_argument("--export", action=Once, metavar="DIR", help="write the proofs into DIR, with verify.py")
            made.add_argument("--fresh", action="store_true", help="check anew what was found before on these sources")
            made.add_argument("--watch", action="store_true", help="check whenever a source changes, until Ctrl-C")
        elif name == "plot":
            made.add_argument("kind", metavar="KIND", help="roofline, step or frontier")
            made.add_argument("file", metavar="FILE", help="the picture, as .pdf, .png or .svg")
        else:
            made.add_argument("name", metavar="NAME", help="a formula")
        made.add_argument("arguments", nargs="*", default=[], metavar=arguments, help=meaning)
        if name == "sweep":
            made.add_argument("--csv", action=Once, metavar="FILE", help="write it there instead of here")
            made.add_argument("--reasons", action="store_true", help="say in each row without a value why")
        for preset in NAMES:
            meant = _MEANT.get(preset, f"preset, see symbolic-llm presets ({preset})")
            made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=meant)
    return top


def _model_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("model", metavar="MODEL", help="a preset's name, a config.json or its directory, a GGUF file")
    made.add_argument(
        "arguments",
        nargs="*",
        default=[],
        metavar="LETTER",
        help="M, W, F of the machine, W_link and T_link, as W='1 TB/s'",
    )
    for preset in NAMES[1:]:
        made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=_MEANT.get(preset, f"preset ({preset})"))
    context = f"tokens of each sequence, 4096 by default; {PREFIXES}"
    made.add_argument("--context", action=Once, metavar="N", help=context)
    made.add_argument("--batch", action=Once, metavar="B", help="sequences, 1 by default; 1k is 1,000")
    made.add_argument("--tpot", action=Once, metavar="TIME", help="time per output token, as '50 ms'")
    made.add_argument("--new-tokens", action=Once, metavar="M", help="with --prompt: to decode after the first token")
    made.add_argument("--devices", action=Once, metavar="D", help="devices of this kind that share it")
    made.add_argument("--tensor", action=Once, metavar="T", help="devices that share every layer, all by default")
    made.add_argument("--pipeline", action=Once, metavar="P", help="stages that share the blocks, 1 by default")
    made.add_argument("--per-op", action="store_true", help="the operations of a decoding step, one by one")
    made.add_argument("--prompt", action=Once, metavar="N", help="of a request; with --per-op: of a prefill instead")
    made.add_argument("--prefill", action=Once, metavar="WAY", help="count it full (default), causal or last-logits")


def _plan_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("model", metavar="MODEL", help="a preset's name, a config.json or its directory, a GGUF file")
    for option, metavar, help in (
        ("--prompt", "N", f"tokens of a prompt; {PREFIXES}"),
        ("--output", "M", "tokens of an answer"),
        ("--tpot", "TIME", "time per output token that a step may take, as '50 ms'"),
        ("--ttft", "TIME", "time to the first token of a prompt, as '500 ms'"),
        ("--devices", "D", "the most devices that may share the model, 8 by default"),
        ("--price", "PRICE", "of one device, as '2.50 $/h'"),
    ):
        made.add_argument(option, action=Once, metavar=metavar, required=option in ("--prompt", "--output"), help=help)
    for preset in NAMES[1:]:
        made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=_MEANT.get(preset, f"preset ({preset})"))


def _count_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("path", metavar="PATH", help="a directory with config.json and safetensors, or a GGUF file")
    made.add_argument("--prompt-tokens", action=Once, metavar="N", help="length of the prompt, 8 by default")
    made.add_argument("--new-tokens", action=Once, metavar="M", help="tokens to decode after it, 4 by default")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        if arguments is None:
            interrupts.running()
        return _written(arguments)
    except KeyboardInterrupt:
        interrupts.done()
        terminal.complain("interrupted.")
        return interrupts.CODE


def _written(arguments: list[str] | None) -> int:
    """The exit code, once everything is written or cannot be."""
    terminal.prepare()
    try:
        return _program(sys.argv[1:]) if arguments is None else _answer(arguments)
    except BrokenPipeError:  # the reader has seen enough
        terminal.give_up_writing()
        return 0
    except OSError as error:
        terminal.give_up_writing()
        terminal.complain(f"the answer could not be written: {error.strerror or error}.")
        return 2


def _program(arguments: list[str]) -> int:
    """Exit code of an answer in a process of its own: without SymPy or, if that fails, all over again with it."""
    try:
        return _answer(arguments, alone=True, without_sympy=True)
    except NotStored:
        for name in [name for name in sys.modules if name.partition(".")[0] == "symbolic_llm"]:
            del sys.modules[name]  # they hold stored expressions; what is imported now takes SymPy's
        code: int = import_module(__name__)._answer(arguments, alone=True)
        return code
    finally:
        gc.freeze()  # nothing is collected at the end
        interrupts.done()


_BRIEF = ("list", "show", "presets", "solve", "evaluate", "explain", "model", "check")


def _answer(arguments: list[str], *, alone: bool = False, without_sympy: bool = False) -> int:
    try:
        with within_memory("this answer"):
            options, rest = parser().parse_known_args(arguments)
            _place(rest, options)
            if alone and options.command in _BRIEF:  # it ends soon, and a search for cycles goes through all there is
                gc.disable()
            code, shown, data = answered(options, without_sympy=without_sympy)
            terminal.write_json(data) if options.json else terminal.write(shown)
            if alone:  # a process that began with these sources: another may have loaded its modules long before
                _keep(options, shown, data)
            return code
    except SymbolicLLMError as error:
        # looked for by hand: what is wrong may be the options, and then nothing has been parsed
        if "--json" in arguments:
            terminal.write_json({"error": type(error).__name__, "message": str(error)})
        terminal.complain(str(error))
        return 2


_WITH_NUMBERS = ("solve", "evaluate", "explain", "model")


def answered(options: argparse.Namespace, *, without_sympy: bool = False) -> Output:
    """The answer that is stored for these sources, or else the one that the formulas give."""
    asked = question(options)
    if asked is not None and (answer := answers.stored(*asked)) is not None:
        text, data = answer
        return 0, text, data
    if asked is None and without_sympy and options.command in _WITH_NUMBERS and answers.stored("formulas") is not None:
        do_without_sympy()
    return computed(options)


_LONGEST = 200  # characters of a question


def question(options: argparse.Namespace) -> answers.Question | None:
    """Words of a question whose answer depends on nothing but the sources; None for any other."""
    named = [options.name] if getattr(options, "name", None) is not None else []
    asked = [options.command, *named, *getattr(options, "arguments", ())]
    least, most = {"list": (1, 1), "presets": (1, 2), "show": (2, 2), "solve": (2, 3)}.get(options.command, (0, 0))
    given = any(getattr(options, preset, None) is not None for preset in NAMES)
    closed = least <= len(asked) <= most and not given and not any("=" in word for word in asked)
    return tuple(asked) if closed and sum(map(len, asked)) <= _LONGEST else None


def computed(options: argparse.Namespace) -> Output:
    """The answer that the formulas give; what gives it is imported now."""
    module, _, function = options.run.partition(".")
    answered: Output = getattr(import_module(f".{module}", __name__), function)(options)
    return answered


def _keep(options: argparse.Namespace, text: str, data: Any) -> None:
    """Store an answer that took SymPy or, where it has numbers, what it takes to give the next one without."""
    if "sympy" not in sys.modules or folder() is None:
        return
    kept: dict[tuple[str, ...], Any] = {}
    if (asked := question(options)) is not None:
        kept[asked] = (text, data)
    if options.command in _WITH_NUMBERS:
        from .stored_data import needed

        kept |= needed((data["formula"], data["unknown"]) if options.command == "solve" else None, options.model)
    answers.keep(kept)


def _place(rest: list[str], options: argparse.Namespace) -> None:
    """Add letters that stand after options, which argparse leaves over, to the arguments; refuse anything else."""
    for argument in rest:
        if argument.startswith("-") or not hasattr(options, "arguments"):
            of = f"symbolic-llm {options.command}"
            said = f"'{shown(argument)}' is not an option or argument of {of}"
            raise InvalidValue(f"{said} ({of} --help shows what is accepted).")
        options.arguments = [*options.arguments, argument]
