"""Shares of a datasheet that programs reach, and their fixed times: by program, number format and device

`symbolic_llm.measurements.stacks` says how they are found, and writes them into `stacks.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from ..errors import InvalidValue, shown, unknown_name
from ..units import parse_quantity
from .tables import _table

LETTERS = ("T_overhead", "U_memory", "U_compute")


@dataclass(frozen=True)
class StackFit:
    """Letters of a program on a device, or on devices that are alike, with weights of so many bits.

    Attributes:
        stack: the program.
        bits: of a weight.
        on: the device, or the class of devices.
        devices: the presets that it is for.
        letters: T_overhead in seconds, U_memory and U_compute as shares of the datasheet.
        ranges: least and most of each letter among the fits that leave one model or device out.
        held_out: what was left out one by one, "model" or "device".
        error: median absolute error of the batches that were left out.
        low: a tenth of them took less than so many times the forecast.
        high: a tenth of them took more than so many times it.
        rows: how many batches there are.
        batch: most sequences of one.
        context: most tokens of a sequence.
        models: which models they ran.
        source: who measured them, and where that is printed.
    """

    stack: str
    bits: int
    on: str
    devices: tuple[str, ...]
    letters: Mapping[str, Fraction]
    ranges: Mapping[str, tuple[Fraction, Fraction]]
    held_out: str
    error: Fraction
    low: Fraction
    high: Fraction
    rows: int
    batch: int
    context: int
    models: tuple[str, ...]
    source: str

    def interval(self, time: Fraction) -> tuple[Fraction, Fraction]:
        """Least and most of eight in ten batches, of which a time is forecast."""
        return time * self.low, time * self.high


@cache
def stack_fits() -> tuple[StackFit, ...]:
    """Letters of every program; those of it for one device come before those for several."""
    return tuple(map(_fit, _table("stacks")["fits"]))


def _fit(row: Mapping[str, Any]) -> StackFit:
    exact: dict[str, Any] = {
        "letters": {letter: _number(row[letter]) for letter in LETTERS},
        "ranges": {letter: tuple(map(_number, row[f"{letter}_range"])) for letter in LETTERS},
        "devices": tuple(row["devices"]),
        "models": tuple(row["models"]),
        **{name: _number(row[name]) for name in ("error", "low", "high")},
    }
    same = {name: row[name] for name in ("stack", "bits", "on", "held_out", "rows", "batch", "context", "source")}
    return StackFit(**exact, **same)


def _number(printed: str | float) -> Fraction:
    number, unit = parse_quantity(str(printed))
    return number * unit.scale if unit else number


def stack_named(name: object) -> str:
    """The program of that name as its authors write it; `UnknownName` lists those with measurements."""
    if not isinstance(name, str):
        raise InvalidValue(f"stack must be the name of a program, such as 'vllm', but {shown(name)} was given.")
    known = {fit.stack.lower(): fit.stack for fit in stack_fits()}
    if name.strip().lower() not in known:
        raise unknown_name("stack with measurements", name, known)
    return known[name.strip().lower()]


def stack_fit(stack: str, device: str, bits: int) -> StackFit | None:
    """Letters of a program on a preset with weights of so many bits; None where too few batches were measured."""
    asked = (fit for fit in stack_fits() if (fit.stack, fit.bits) == (stack, bits) and device in fit.devices)
    return next(asked, None)
