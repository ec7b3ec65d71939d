"""Scalars that count themselves

A `Counting` number enters each +, −, ×, ÷, comparison, exponential, logarithm, tanh, erf and square root it takes part
in, one by one. NumPy's object arrays run ordinary array code on them, so the very functions that the
decoder is made of can be watched at work. What they count is what the ledger's rules must say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .formats import Array
from .ledger import Ledger
from .memory import Machine


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

    def __add__(self, other: Any) -> Counting:
        return self._did("add", self.value + float(other))

    def __radd__(self, other: Any) -> Counting:
        return self._did("add", float(other) + self.value)

    def __sub__(self, other: Any) -> Counting:
        return self._did("subtract", self.value - float(other))

    def __rsub__(self, other: Any) -> Counting:
        return self._did("subtract", float(other) - self.value)

    def __mul__(self, other: Any) -> Counting:
        return self._did("multiply", self.value * float(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Counting:
        return self._did("divide", self.value / float(other))

    def __rtruediv__(self, other: Any) -> Counting:
        return self._did("divide", float(other) / self.value)

    def _compared(self, answer: bool) -> bool:
        self._tally["compare"] += 1
        return answer

    def __ge__(self, other: Any) -> bool:
        return self._compared(self.value >= float(other))

    def __le__(self, other: Any) -> bool:
        return self._compared(self.value <= float(other))

    def __gt__(self, other: Any) -> bool:
        return self._compared(self.value > float(other))

    def __lt__(self, other: Any) -> bool:
        return self._compared(self.value < float(other))

    def exp(self) -> Counting:  # NumPy calls this, log, tanh and sqrt on object arrays
        """Exponential."""
        return self._did("exp", math.exp(self.value))

    def log(self) -> Counting:
        """Logarithm."""
        return self._did("log", math.log(self.value))

    def tanh(self) -> Counting:
        """Hyperbolic tangent."""
        return self._did("tanh", math.tanh(self.value))

    def erf(self) -> Counting:  # NumPy has none; `ops.py` calls it
        """Error function."""
        return self._did("erf", math.erf(self.value))

    def sqrt(self) -> Counting:
        """Square root."""
        return self._did("sqrt", math.sqrt(self.value))

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
