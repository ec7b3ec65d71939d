"""Arithmetic on the chip

Each function does one op on NumPy arrays and enters it in the ledger with the sizes it ran on. They also run on
arrays of counting scalars (`witness.py`), which is how their rules are justified. Larger ops are written with the
smaller ones, so their cost is not stated anywhere: it is what comes out.
"""

from __future__ import annotations

from math import pi, prod, sqrt
from typing import Any

import numpy as np

from .ledger import Ledger
from .quantize import Array

_UFUNCS: dict[str, Any] = {
    name: getattr(np, name) for name in ("add", "subtract", "multiply", "divide", "exp", "tanh", "sqrt")
}


def elementwise(ledger: Ledger, op: str, *operands: Any) -> Array:
    """One op for each element of the result; operands broadcast."""
    result: Array = _UFUNCS[op](*operands)
    ledger.record(op, result.size)
    return result


def total(ledger: Ledger, x: Array) -> Array:
    """Sum over the last axis, started at zero: (..., n) -> (..., 1)."""
    ledger.record("sum", x.size)
    result: Array = np.add.reduce(x, axis=-1, keepdims=True, initial=0.0)
    return result


def maximum(ledger: Ledger, x: Array) -> Array:
    """Largest over the last axis, started at minus infinity: (..., n) -> (..., 1)."""
    ledger.record("maximum", x.size)
    result: Array = np.maximum.reduce(x, axis=-1, keepdims=True, initial=-np.inf)
    return result


def matmul(ledger: Ledger, x: Array, y: Array) -> Array:
    """(..., m, n) @ (..., n, k) -> (..., m, k), every sum started at zero."""
    result = product_of_scalars(x, y) if x.dtype == object or y.dtype == object else x @ y
    *batch, m, k = result.shape
    ledger.record("matmul", prod(batch), m, x.shape[-1], k)
    return result


def product_of_scalars(x: Array, y: Array) -> Array:
    """The definition of the matrix product, multiplication by multiplication and addition by addition."""
    result: Array = np.add.reduce(x[..., :, :, None] * y[..., None, :, :], axis=-2, initial=0.0)
    return result


def softmax(ledger: Ledger, scores: Array) -> Array:
    """(..., n) -> (..., n); overflows for large scores."""
    e = elementwise(ledger, "exp", scores)
    return elementwise(ledger, "divide", e, total(ledger, e))


def stable_softmax(ledger: Ledger, scores: Array) -> Array:
    """(..., n) -> (..., n), with the largest score of each row subtracted first."""
    return softmax(ledger, elementwise(ledger, "subtract", scores, maximum(ledger, scores)))


def layer_norm(ledger: Ledger, x: Array, epsilon: float = 1e-5) -> Array:
    """(..., d) -> (..., d) with mean 0 and variance 1; no learned weights."""
    d = float(x.shape[-1])
    mean = elementwise(ledger, "divide", total(ledger, x), d)
    centred = elementwise(ledger, "subtract", x, mean)
    square = elementwise(ledger, "multiply", centred, centred)
    variance = elementwise(ledger, "divide", total(ledger, square), d)
    deviation = elementwise(ledger, "sqrt", elementwise(ledger, "add", variance, epsilon))
    return elementwise(ledger, "divide", centred, deviation)


def gelu(ledger: Ledger, x: Array) -> Array:
    """½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), GPT-2's form."""
    cube = elementwise(ledger, "multiply", elementwise(ledger, "multiply", x, x), x)
    inner = elementwise(ledger, "add", x, elementwise(ledger, "multiply", cube, 0.044715))
    bend = elementwise(ledger, "tanh", elementwise(ledger, "multiply", inner, sqrt(2 / pi)))
    return elementwise(
        ledger, "multiply", elementwise(ledger, "multiply", x, elementwise(ledger, "add", bend, 1.0)), 0.5
    )
