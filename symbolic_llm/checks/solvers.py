"""The two SMT solvers, z3 and cvc5

They were written by different people and share no code; both get the very same text. That nothing satisfies it is
believed only if both say so. What satisfies it is an example, which can be put in and evaluated.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

from ..errors import listed

NEEDED = {"z3": "z3-solver", "cvc5": "cvc5"}  # module and package
INSTALL = "{} not installed: pip install 'symbolic-llm[check]'"
MILLISECONDS = 4000  # what each solver is given; what they can decide takes them some hundredths of a second
_PROGRAM = Path(__file__).with_name("cvc5_alone.py")
_GRACE = 60  # seconds more in which a process has to get its time of a processor that others use as well


@dataclass(frozen=True)
class Answer:
    """What a solver says: sat, unsat or unknown; where it gives one, an example in rational numbers, by name."""

    said: str
    example: Mapping[str, Fraction] = field(default_factory=dict)


def missing() -> str:
    """A sentence that says which solver is not installed; "" if both are."""
    packages = [package for module, package in NEEDED.items() if find_spec(module) is None]
    are = f"{listed(packages)} {'is' if len(packages) == 1 else 'are'}" if packages else ""
    return INSTALL.format(are) if packages else ""


def ask_z3(text: str) -> Answer:
    """What z3 says, with an example where all of its numbers are rational."""
    try:
        import z3
    except ImportError:  # installed, and broken
        return Answer("unknown")
    solver = z3.Solver()
    solver.set("timeout", MILLISECONDS)
    solver.from_string(text)
    said = str(solver.check())
    if said != "sat":
        return Answer(said)
    model = solver.model()
    values = {letter.name(): model[letter] for letter in model.decls() if letter.arity() == 0}
    if not all(z3.is_rational_value(value) or z3.is_int_value(value) for value in values.values()):
        return Answer(said)  # a root, which has no exact value here
    return Answer(said, {name: Fraction(str(value)) for name, value in values.items()})


def ask_cvc5(text: str) -> Answer:
    """What cvc5 says, from a process of its own that is ended if it takes too long."""
    command = [sys.executable, "-P", str(_PROGRAM), str(MILLISECONDS)]  # the modules beside it are not for import
    limit = MILLISECONDS / 1000 + _GRACE
    try:
        ended = subprocess.run(command, input=text, capture_output=True, text=True, timeout=limit, check=False)
    except (subprocess.TimeoutExpired, OSError):
        return Answer("unknown")
    return Answer(ended.stdout.strip() if ended.returncode == 0 else "unknown")


def agreed(text: str, z3: Answer | None = None) -> tuple[str, str]:
    """What both solvers say, sat or unsat; or "" and a sentence that says which gave up, or that they disagree."""
    answers = {"z3": (z3 or ask_z3(text)).said}
    if answers["z3"] in ("sat", "unsat"):
        answers["cvc5"] = ask_cvc5(text).said
    if undecided := [solver for solver, said in answers.items() if said not in ("sat", "unsat")]:
        return "", f"{undecided[0]} gave up after {MILLISECONDS / 1000:g} s"
    if len(set(answers.values())) > 1:
        return "", f"z3 and cvc5 disagree: z3 says {answers['z3']}, cvc5 says {answers['cvc5']}"
    return answers["z3"], ""
