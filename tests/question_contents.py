"""Contents of a question: answers of a closed set, selections from a ledger, no number or function of its own"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from reference_engine import probes
from reference_engine.probes import Question
from reference_engine.probes.counts import Selection
from reference_engine.probes.measures import Answer
from reference_engine.probes.runs import Run
from reference_engine.probes.time_measures import Load

ANSWERS = {
    "AllPlaced",
    "AtLeastZero",
    "Combined",
    "Count",
    "CriticalContext",
    "Devices",
    "DraftedTokens",
    "Elsewhere",
    "Fastest",
    "Fits",
    "Given",
    "Keeps",
    "Most",
    "MostBeside",
    "MostLayers",
    "MostOnDevices",
    "MostWithin",
    "OnClock",
    "OneMoreSequence",
    "ShareRejected",
    "Sooner",
    "Steps",
    "StoppedBy",
    "Time",
    "Tokens",
    "Zero",
    "_OneMore",
    "_Within",
}
MODULES = [import_module(f"{probes.__name__}.{found.name}") for found in iter_modules(probes.__path__)]
HELD = [held for module in MODULES for held in vars(module).values()]
CLASSES = {one for one in HELD if isinstance(one, type) and issubclass(one, Answer)}
CLOSED = CLASSES - {Answer} | {Load, Selection}
RUNS = {one for one in HELD if isinstance(one, Run)}
EACH = {1, 2, 4, 8, Fraction(1, 8)}  # a number of 32 bits in bytes, or a pair, a multiply-add in operations, a bit


def strange(question: Question) -> list[str]:
    """Contents of a question that none may have: a number, a function, a class from elsewhere."""
    found = list(_strange(question.answer, Answer, "answer"))
    if question.run is not None and question.run not in RUNS:
        found.append(f"run: {question.run.name}")
    fixed = {**question.fixed}
    return found + [f"fixed {name}" for name, value in fixed.items() if type(value) is not int or value < 1]


def _strange(held: Any, expected: Any, place: str) -> Iterator[str]:
    """Wherever something is not what its annotation says, or a number that counts for nothing."""
    if expected is Answer or held.__class__ in CLOSED:
        if held.__class__ not in CLOSED or (isinstance(expected, type) and not isinstance(held, expected)):
            yield f"{place}: {type(held).__name__}"
            return
        names = [one.name for one in fields(held)] if is_dataclass(held) else list(held._fields)
        for name in names:
            at = f"{place}.{name}"
            if isinstance(held, Selection) and name == "each":
                yield from () if held.each in EACH else (at,)
            else:
                yield from _strange(getattr(held, name), get_type_hints(type(held))[name], at)
    elif get_origin(expected) is tuple:
        inner = get_args(expected)
        inner = (inner[0],) * len(held) if inner[-1] is Ellipsis else inner
        for number, (one, kind) in enumerate(zip(held, inner, strict=True)):
            yield from _strange(one, kind, f"{place}[{number}]")
    elif held is None:
        yield from () if NoneType in get_args(expected) else (place,)
    elif type(held) in (int, str) and place.rpartition(".")[2].startswith("at["):  # where else it is asked
        return
    elif isinstance(held, Run):
        yield from () if held in RUNS else (place,)
    elif type(held) is not expected or expected not in (str, bool):
        yield f"{place}: {type(held).__name__}"
