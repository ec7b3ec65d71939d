"""Scalars that count themselves

A `Counting` number enters each +, −, ×, ÷, comparison, exponential, logarithm, tanh, erf and square root it takes part
in, one by one. NumPy's object arrays run ordinary array code on them, so the very functions that the
decoder is made of can be watched at work. What they count is what the ledger's rules must say.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .formats import Array
from .ledger import Ledger
from .memory import Machine


def _both(op: str, of: Callable[[float, float], float]) -> tuple[Callable[..., Counting], Callable[..., Counting]]:
    """An operation of two numbers as two methods: with its number on the left, and on the right."""
    return (
        lambda one, other: one._did(op, of(one.value, float(other))),
        lambda one, other: one._did(op, of(float(other), one.value)),
    )


def _compared(relation: Callable[[float, float], bool]) -> Callable[..., bool]:
    """A comparison as a method."""

    def compared(one: Counting, other: Any) -> bool:
        one._tally["compare"] += 1
        return relation(one.value, float(other))

    return compared


def _of_one(op: str, of: Callable[[float], float]) -> Callable[..., Counting]:
    """A function of one number as a method."""
    return lambda one: one._did(op, of(one.value))


class Counting:
    """A number that enters every operation it takes part in into a tally shared with all its descendants."""

    __slots__ = ("_tally", "value")

    def __init__(self, value: float, tally: Counter[str]) -> None:
        self.value = float(value)
        self._tally = tally

    def _did(self, op: str, value: float) -> Counting:
        self._tally[op] += 1
        return Counting(value, self._tally)

    def like(self, value: float) -> Counting:
        """Another number of the same tally; making it is no operation."""
        return Counting(value, self._tally)

    __add__, __radd__ = _both("add", operator.add)
    __sub__, __rsub__ = _both("subtract", operator.sub)
    __mul__, __rmul__ = _both("multiply", operator.mul)
    __truediv__, __rtruediv__ = _both("divide", operator.truediv)
    __ge__, __le__ = _compared(operator.ge), _compared(operator.le)
    __gt__, __lt__ = _compared(operator.gt), _compared(operator.lt)
    # NumPy calls these on object arrays, but for erf, which it does not have: `ops.py` does
    exp, log, tanh = _of_one("exp", math.exp), _of_one("log", math.log), _of_one("tanh", math.tanh)
    erf, sqrt = _of_one("erf", math.erf), _of_one("sqrt", math.sqrt)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"Counting({self.value})"


def counting(numbers: Any, tally: Counter[str]) -> Array:
    """An array of counting scalars with these values."""
    values = np.asarray(numbers, dtype=np.float64)
    array = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        array[index] = Counting(value, tally)
    return array


def counted(function: Callable[..., Any], *shapes: tuple[int, ...], seed: int = 0) -> int:
    """Operations that `function` really does on random arrays of these shapes, one by one."""
    tally: Counter[str] = Counter()
    random = np.random.default_rng(seed)
    function(*(counting(random.standard_normal(shape), tally) for shape in shapes))
    return tally.total()


def entered(function: Callable[..., Any], *shapes: tuple[int, ...], seed: int = 0) -> tuple[int, int]:
    """Operations that an op of `ops.py` enters in its ledger, and those that it does, on random arrays."""
    ledger = Ledger()
    real = counted(lambda *arrays: function(ledger, *arrays), *shapes, seed=seed)
    return ledger.total("flops"), real


def watched_machine() -> tuple[Machine, Counter[str]]:
    """A machine on whose chip every number counts itself, and the tally they share."""
    tally: Counter[str] = Counter()
    return Machine(to_chip=lambda numbers: counting(numbers, tally)), tally
