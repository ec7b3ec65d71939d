"""The two SMT solvers, z3 and cvc5

They were written by different people and share no code; both get the very same text. That nothing satisfies it is
believed only if both say so. What satisfies it is an example, which can be put in and evaluated.

What each is given is measured in what it computes, which a busy machine does not shorten: z3 in its own count of steps,
which is the same on every machine, cvc5 in time of the processor. What each said to a text is remembered: an edit of a
formula leaves most questions about those that rest on it as they were.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..cache import digest
from ..errors import listed
from ..expressions.parts import letters_of
from ..witness.ledger_entries import memory, read, written
from .findings_store import checker

NEEDED = {"z3": "z3-solver", "cvc5": "cvc5"}  # module and package
INSTALL = "{} not installed: pip install 'symbolic-llm[check]'"
STEPS = 10**7  # what z3 is given, two or three seconds; what it decides here takes it 370,598 at most
MILLISECONDS = 4000  # what cvc5 is given; what it can decide takes it some hundredths of a second
_PROGRAM = Path(__file__).with_name("cvc5_alone.py")
_GRACE = 60  # seconds more in which a solver has to get its time of a processor that others use as well


@dataclass(frozen=True)
class Answer:
    """Answer of a solver: sat, unsat or unknown, and an example in rational numbers, by name, if it gives one."""

    said: str
    example: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def gave_up(self) -> bool:
        """Whether it says neither sat nor unsat."""
        return self.said not in ("sat", "unsat")

    def values(self, relations: Iterable[Any]) -> dict[Any, Fraction]:
        """The example by the letters of some relations; those that it leaves open are 1."""
        return {letter: Fraction(self.example.get(letter.name, 1)) for letter in letters_of(relations)}


def missing() -> str:
    """A sentence that says which solver is not installed; "" if both are."""
    packages = [package for module, package in NEEDED.items() if find_spec(module) is None]
    are = f"{listed(packages)} {'is' if len(packages) == 1 else 'are'}" if packages else ""
    return INSTALL.format(are) if packages else ""


def ask_z3(text: str) -> Answer:
    """Answer of z3 to a question, with an example where all of its numbers are rational."""
    return _remembered("z3", STEPS, text, _ask_z3)


def ask_cvc5(text: str) -> Answer:
    """Answer of cvc5 to a question, from a process of its own that is ended if it takes too long."""
    return _remembered("cvc5", MILLISECONDS, text, _ask_cvc5)


def _remembered(solver: str, given: int, text: str, ask: Callable[[str], Answer]) -> Answer:
    """Answer of a solver to this text under this limit, remembered from before; where it gave up it is asked again."""
    name = f"{solver} {digest(checker(), str(given), text)}"
    said, example = memory().row(name, lambda: _row(ask(text))) or ("unknown", {})
    return Answer(said, {letter: Fraction(read(value)) for letter, value in example.items()})


def _row(answer: Answer) -> list[Any] | None:
    # not kept: on a machine with less to do, or with another version, it may know more
    if answer.gave_up:
        return None
    return [answer.said, {letter: written(value) for letter, value in answer.example.items()}]


def _ask_z3(text: str) -> Answer:
    try:
        import z3
    except ImportError:  # installed, and broken
        return Answer("unknown")
    solver = z3.Solver(ctx=z3.Context())  # what it was asked before would change how it goes about this
    solver.set("rlimit", STEPS)
    solver.set("timeout", _GRACE * 1000)  # should it compute without counting
    solver.from_string(text)
    said = str(solver.check())
    if said != "sat":
        return Answer(said)
    model = solver.model()
    values = {letter.name(): model[letter] for letter in model.decls() if letter.arity() == 0}
    if not all(z3.is_rational_value(value) or z3.is_int_value(value) for value in values.values()):
        return Answer(said)  # a root, which has no exact value here
    return Answer(said, {name: Fraction(str(value)) for name, value in values.items()})


def _ask_cvc5(text: str) -> Answer:
    command = [sys.executable, "-P", str(_PROGRAM), str(MILLISECONDS)]  # the modules beside it are not for import
    limit = MILLISECONDS / 1000 + _GRACE
    try:
        ended = subprocess.run(command, input=text, capture_output=True, text=True, timeout=limit, check=False)
    except (subprocess.TimeoutExpired, OSError):
        return Answer("unknown")
    return Answer(ended.stdout.strip() if ended.returncode == 0 else "unknown")


def agreed(text: str, z3: Answer | None = None) -> tuple[str, str]:
    """Answer of both solvers, sat or unsat; or "" and a sentence that says which gave up, or that they disagree."""
    first = z3 or ask_z3(text)
    # z3 first: in the same process it costs least, and where it gives up nothing is proved whatever cvc5 says
    if first.gave_up:
        return "", "z3 gave up"
    second = ask_cvc5(text)
    if second.gave_up:
        return "", "cvc5 gave up"
    if first.said != second.said:
        return "", f"z3 and cvc5 disagree: z3 says {first.said}, cvc5 says {second.said}"
    return first.said, ""
