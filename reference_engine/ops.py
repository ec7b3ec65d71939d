"""Arithmetic on the chip

Each function does one op on NumPy arrays and enters it in the ledger with the sizes it ran on. They also run on
arrays of counting scalars (`witness.py`), which is how their rules are justified. Larger ops are written with the
smaller ones, so their cost is not stated anywhere: it is what comes out.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erf, pi, prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from . import compiled
from .arrays import zeros
from .formats import Array, Format
from .ledger import Ledger


def _erf(x: Array) -> Array:
    """Error function of an array: Python's, number by number, since NumPy has none."""
    result: Array = np.frompyfunc(lambda number: number.erf() if x.dtype == object else erf(number), 1, 1)(x)
    return result.astype(x.dtype)


_UFUNCS: dict[str, Any] = {
    name: getattr(np, name)
    for name in ("add", "subtract", "multiply", "divide", "exp", "tanh", "sqrt", "log", "maximum", "minimum")
} | {"erf": _erf}


def elementwise(ledger: Ledger, op: str, *operands: Any) -> Array:
    """Apply an op element by element, one for each element of the result; operands broadcast."""
    result: Array = _UFUNCS[op](*operands)
    # of the result: an operand that is stretched is used anew for each of its elements
    ledger.record(op, result.size)
    return result


def total(ledger: Ledger, x: Array) -> Array:
    """Sum over the last axis, started at zero: (..., n) -> (..., 1)."""
    ledger.record("sum", x.size)
    # started at zero, so n additions for n numbers: the convention by which the ledger counts sums
    result: Array = np.add.reduce(x, axis=-1, keepdims=True, initial=0.0)  # (..., 1)
    return result


def maximum(ledger: Ledger, x: Array) -> Array:
    """Largest over the last axis, started at minus infinity: (..., n) -> (..., 1)."""
    ledger.record("maximum", x.size)
    result: Array = np.maximum.reduce(x, axis=-1, keepdims=True, initial=-np.inf)  # (..., 1)
    return result


def lowest(x: Array) -> Any:
    """Minus infinity as a number of the kind that x holds, so that counting scalars go on counting."""
    return x.flat[0].like(-np.inf) if x.dtype == object else x.dtype.type(-np.inf)


def matmul(ledger: Ledger, x: Array, y: Array) -> Array:
    """(..., m, n) @ (..., n, k) -> (..., m, k), every sum started at zero."""
    result = product_of_scalars(x, y) if x.dtype.hasobject or y.dtype.hasobject else x @ y  # (..., m, k)
    *batch, m, k = result.shape
    ledger.record("matmul", prod(batch), m, x.shape[-1], k)
    return result


def packed_matmul(
    ledger: Ledger, x: Array, packed: Array, format: Format, tile: int, *, in_codes: Array | None = None
) -> Array:
    """(m, n) @ (n, k) -> (m, k), the second as k rows of blocks as they are stored: a `matmul` of the same sizes.

    What unpacking costs is entered nowhere, here as little as where it comes first; nor what rounding x to eight bits
    does.
    """
    made = compiled.product(x, packed, format, tile, in_codes=in_codes)  # (m, k)
    ledger.record("matmul", 1, *x.shape, len(packed))
    return made


def product_of_scalars(x: Array, y: Array) -> Array:
    """The definition of the matrix product, multiplication by multiplication and addition by addition."""
    # NumPy's @ on objects starts from the first product, and would count one addition too few per entry
    result: Array = np.add.reduce(x[..., :, :, None] * y[..., None, :, :], axis=-2, initial=0.0)  # (..., m, k)
    return result


def softmax(ledger: Ledger, scores: Array) -> Array:
    """(..., n) -> (..., n); overflows for large scores."""
    e = elementwise(ledger, "exp", scores)  # (..., n)
    return elementwise(ledger, "divide", e, total(ledger, e))  # (..., n)


def stable_softmax(ledger: Ledger, scores: Array) -> Array:
    """(..., n) -> (..., n), with the largest score of each row subtracted first."""
    return softmax(ledger, elementwise(ledger, "subtract", scores, maximum(ledger, scores)))  # (..., n)


def mean(ledger: Ledger, x: Array) -> Array:
    """(..., d) -> (..., 1), the mean."""
    return elementwise(ledger, "divide", total(ledger, x), float(x.shape[-1]))  # (..., 1)


def _centred(ledger: Ledger, x: Array) -> tuple[Array, Array]:
    """(..., d) -> (..., d) less its mean, and (..., 1), its variance."""
    centred = elementwise(ledger, "subtract", x, mean(ledger, x))  # (..., d)
    # of what is centred: the mean of squares less the square of the mean would lose digits
    return centred, mean(ledger, elementwise(ledger, "multiply", centred, centred))  # (..., d), (..., 1)


def layer_norm(ledger: Ledger, x: Array, epsilon: float = 1e-5) -> Array:
    """(..., d) -> (..., d) with mean 0 and variance 1; no learned weights."""
    centred, variance = _centred(ledger, x)  # (..., d), (..., 1)
    deviation = elementwise(ledger, "sqrt", elementwise(ledger, "add", variance, epsilon))  # (..., 1)
    return elementwise(ledger, "divide", centred, deviation)  # (..., d)


def rms_norm(ledger: Ledger, x: Array, weight: Array, epsilon: float = 1e-5) -> Array:
    """(..., d) -> (..., d), x/√(mean of x² + ε)·weight."""
    return elementwise(ledger, "multiply", rms(ledger, x, epsilon), weight)  # (..., d)


def rms(ledger: Ledger, x: Array, epsilon: float = 1e-5) -> Array:
    """(..., d) -> (..., d), x/√(mean of x² + ε), with no weight."""
    square = mean(ledger, elementwise(ledger, "multiply", x, x))  # (..., 1)
    root = elementwise(ledger, "sqrt", elementwise(ledger, "add", square, epsilon))  # (..., 1)
    return elementwise(ledger, "divide", x, root)  # (..., d)


def rotate(ledger: Ledger, x: Array, cosines: Array, sines: Array, pairs: str = "halves") -> Array:
    """(..., d) -> (..., d), each pair (u, v) of a vector turned to (u·cos − v·sin, v·cos + u·sin).

    The tables come ready, with the minus sign in the sines of the first of each pair. Pairs are the entries i and
    i + d/2 ("halves") or 2i and 2i + 1 ("neighbours").
    """
    d = x.shape[-1]
    if pairs == "halves":
        swapped = np.concatenate([x[..., d // 2 :], x[..., : d // 2]], axis=-1)  # (..., d)
    else:
        swapped = x.reshape(*x.shape[:-1], d // 2, 2)[..., ::-1].reshape(x.shape)  # (..., d)
    # with (v, u) beside (u, v) a rotation is three ops on whole arrays, as libraries do it
    crossed = elementwise(ledger, "multiply", swapped, sines)  # (..., d)
    return elementwise(ledger, "add", elementwise(ledger, "multiply", x, cosines), crossed)  # (..., d)


def rotary_tables(positions: Array, frequencies: Array, pairs: str = "halves") -> tuple[Array, Array]:
    """Cosines and signed sines, (n,), (d/2,) -> two of (n, d); prepared once, so they count nothing."""
    angles = positions[:, None] * frequencies  # (n, d/2)
    if pairs == "halves":
        cosines, sines = np.cos(angles), np.sin(angles)  # (n, d/2), (n, d/2)
        return np.concatenate([cosines, cosines], axis=-1), np.concatenate([-sines, sines], axis=-1)  # (n, d), (n, d)
    sines = np.stack([-np.sin(angles), np.sin(angles)], axis=-1).reshape(len(positions), -1)  # (n, d)
    return np.repeat(np.cos(angles), 2, axis=-1), sines  # (n, d), (n, d)


def top_k(ledger: Ledger, x: Array, k: int) -> Array:
    """(..., n) -> (..., k) places of the k largest, the first of equals first; a pass of comparisons for each."""
    # in passes and not by sorting: a pass of comparisons is what the ledger can count without knowing the data
    left, places = x.copy(), zeros((*x.shape[:-1], k), int)  # (..., n), (..., k)
    for number in ledger.loop(k):
        place = (left == maximum(ledger, left)).argmax(axis=-1)[..., None]  # (..., 1)
        np.put_along_axis(left, place, lowest(x), axis=-1)
        places[..., number] = place[..., 0]
    return places


def gelu_tanh(ledger: Ledger, x: Array) -> Array:
    """½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), GPT-2's form."""
    cube = elementwise(ledger, "multiply", elementwise(ledger, "multiply", x, x), x)
    inner = elementwise(ledger, "add", x, elementwise(ledger, "multiply", cube, 0.044715))
    return _bent(ledger, x, elementwise(ledger, "tanh", elementwise(ledger, "multiply", inner, sqrt(2 / pi))))


def gelu(ledger: Ledger, x: Array) -> Array:
    """½·x·(1 + erf(x/√2))."""
    return _bent(ledger, x, elementwise(ledger, "erf", elementwise(ledger, "multiply", x, sqrt(1 / 2))))


def _bent(ledger: Ledger, x: Array, bend: Array) -> Array:
    """½·x·(1 + bend)."""
    opened = elementwise(ledger, "multiply", x, elementwise(ledger, "add", bend, 1.0))
    return elementwise(ledger, "multiply", opened, 0.5)


def silu(ledger: Ledger, x: Array) -> Array:
    """x/(1 + exp(−x)); far below zero the exponential overflows, and the quotient is the right 0."""
    return _opened(ledger, x, x)


def sigmoid(ledger: Ledger, x: Array) -> Array:
    """1/(1 + exp(−x))."""
    return _opened(ledger, 1.0, x)


def _opened(ledger: Ledger, what: Any, x: Array) -> Array:
    """An array or a number over 1 + exp(−x)."""
    with np.errstate(over="ignore"):
        e = elementwise(ledger, "exp", elementwise(ledger, "subtract", 0.0, x))
    return elementwise(ledger, "divide", what, elementwise(ledger, "add", e, 1.0))


def root_softplus(ledger: Ledger, x: Array) -> Array:
    """√(log(1 + exp(x))), for the moderate scores of a router."""
    raised = elementwise(ledger, "add", elementwise(ledger, "exp", x), 1.0)
    return elementwise(ledger, "sqrt", elementwise(ledger, "log", raised))


def relu(ledger: Ledger, x: Array) -> Array:
    """The larger of x and 0."""
    return elementwise(ledger, "maximum", x, 0.0)


def beyond_quantile(ledger: Ledger, x: Array, share: float) -> Array:
    """(..., d) -> (..., d), by how much each lies beyond the quantile of a normal distribution like theirs."""
    centred, variance = _centred(ledger, x)  # (..., d), (..., 1)
    width = elementwise(ledger, "sqrt", variance)  # (..., 1)
    quantile = elementwise(ledger, "multiply", width, NormalDist().inv_cdf(share))  # (..., 1)
    return relu(ledger, elementwise(ledger, "subtract", centred, quantile))  # (..., d)


def xielu(ledger: Ledger, x: Array, slopes: Array) -> Array:
    """½·x, and above zero a·x², below it b·(exp(x) − 1 − x): the two slopes are learned."""
    above, below = elementwise(ledger, "maximum", x, 0.0), elementwise(ledger, "minimum", x, 0.0)
    with np.errstate(over="ignore"):
        grown = elementwise(ledger, "subtract", elementwise(ledger, "exp", x), 1.0)
    fallen, line = (
        elementwise(ledger, "multiply", part, slopes[1]) for part in (elementwise(ledger, "minimum", grown, 0.0), below)
    )
    square = elementwise(ledger, "multiply", elementwise(ledger, "multiply", above, slopes[0]), x)
    bends = elementwise(ledger, "add", square, elementwise(ledger, "subtract", fallen, line))
    return elementwise(ledger, "add", bends, elementwise(ledger, "multiply", x, 0.5))


ACTIVATIONS: dict[str, Callable[[Ledger, Array], Array]] = {
    function.__name__: function for function in (gelu_tanh, gelu, silu, relu)
}
