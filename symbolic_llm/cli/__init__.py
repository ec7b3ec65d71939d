"""The command line: symbolic-llm

Exit codes: 0 for an answer, 1 for one that says no (a formula that is neither proved nor a definition, a figure that is
wrong, a count that differs, no device that meets its targets), 2 for a question that cannot be answered (one sentence
on stderr).
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from .. import __version__, interrupts
from ..algebra import NotStored, do_without_sympy
from ..cache import answers, folder
from ..errors import InvalidValue, SymbolicLLMError, listed, options_written, shown, within_memory
from ..presets.presets import NAMES
from . import terminal
from .commands import EXAMPLES as EXAMPLES
from .commands import add_commands
from .parsing import Output, Parser, PrintCompletion, typed


@cache
def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = Parser(
        prog="symbolic-llm",
        description="Closed-form formulas for the cost of LLM inference, derived step by step and checked.",
        epilog="symbolic-llm COMMAND --help explains one command.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"symbolic-llm {__version__}", help="show the version")
    top.add_argument("--json", action="store_true", help="print the answer as JSON")
    shells = "print the script with which bash, zsh or tcsh completes command lines"
    top.add_argument("--print-completion", action=PrintCompletion, metavar="SHELL", help=shells)
    add_commands(top)
    return top


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


_BRIEF = ("list", "find", "show", "presets", "solve", "evaluate", "explain", "model", "check")


def _answer(arguments: list[str], *, alone: bool = False, without_sympy: bool = False) -> int:
    try:
        with within_memory("this answer"):
            options, rest = parser().parse_known_args(arguments)
            _place(rest, options)
            if alone and options.command in _BRIEF:  # it ends soon, and a search for cycles goes through all there is
                gc.disable()
            code, shown, data = answered(options, without_sympy=without_sympy)
            if taken := _taken(options, data):
                terminal.complain(taken)
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


def _taken(options: argparse.Namespace, data: Any) -> str:
    """Remark on which formula a phrase such as "TTFT" was taken for; "" where a formula was named."""
    name, formula = getattr(options, "name", None), data.get("formula") if isinstance(data, Mapping) else None
    if not isinstance(name, str) or not isinstance(formula, str) or formula in name:
        return ""
    from ..glossary import term_of

    if (term := term_of(name)) is None or formula not in term.formulas:
        return ""
    others = [other for other in term.formulas if other != formula]
    also = f"; {listed(others)} may be meant, too" if others else ""
    return f"{shown(name)} is taken as {formula}{also}."


_WITH_NUMBERS = ("solve", "evaluate", "explain", "model")
_FROM_FORMULAS = (*_WITH_NUMBERS, "find", "list")  # answered from what is stored of formulas, where that does


def answered(options: argparse.Namespace, *, without_sympy: bool = False) -> Output:
    """The answer that is stored for these sources, or else the one that the formulas give."""
    asked = question(options)
    if asked is not None and (answer := answers.stored(*asked)) is not None:
        text, data = answer
        return 0, text, data
    from_formulas = asked is None and without_sympy and options.command in _FROM_FORMULAS
    if from_formulas and answers.stored("formulas") is not None:
        do_without_sympy()
    return computed(options)


_LONGEST = 200  # characters of a question


def question(options: argparse.Namespace) -> answers.Question | None:
    """Words of a question whose answer depends on nothing but the sources; None for any other."""
    named = [options.name] if getattr(options, "name", None) is not None else []
    asked = [options.command, *named, *getattr(options, "words", ()), *getattr(options, "arguments", ())]
    least, most = {"list": (1, 1), "presets": (1, 2), "show": (2, 2), "solve": (2, 3)}.get(options.command, (0, 0))
    given = any(getattr(options, preset, None) is not None for preset in NAMES)
    closed = least <= len(asked) <= most and not given and not any("=" in word for word in asked)
    return tuple(asked) if closed and sum(map(len, asked)) <= _LONGEST else None


def computed(options: argparse.Namespace) -> Output:
    """The answer that the formulas give; what gives it is imported now."""
    module, _, function = options.run.partition(".")
    with options_written(typed):
        answered: Output = getattr(import_module(f".{module}", __name__), function)(options)
    return answered


def _keep(options: argparse.Namespace, text: str, data: Any) -> None:
    """Store an answer that took SymPy or, where it has numbers, what it takes to give the next one without."""
    if "sympy" not in sys.modules or folder() is None:
        return
    kept: dict[tuple[str, ...], Any] = {}
    if (asked := question(options)) is not None:
        kept[asked] = (text, data)
    if options.command in _FROM_FORMULAS:
        from .stored_data import needed

        solved = (data["formula"], data["unknown"]) if options.command == "solve" else None
        kept |= needed(solved, getattr(options, "model", None))
    answers.keep(kept)


def _place(rest: list[str], options: argparse.Namespace) -> None:
    """Add letters that stand after options, which argparse leaves over, to the arguments; refuse anything else."""
    for argument in rest:
        if argument.startswith("-") or not hasattr(options, "arguments"):
            of = f"symbolic-llm {options.command}"
            said = f"'{shown(argument)}' is not an option or argument of {of}"
            raise InvalidValue(f"{said} (see {of} --help).")
        options.arguments = [*options.arguments, argument]
