"""Every op of the ledger on a small array, for whoever shows or tests what it really does"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import ops
from .ledger import Ledger

Shapes = tuple[tuple[int, ...], ...]

_ONE: Shapes = ((3, 5),)
_TWO: Shapes = ((3, 5), (3, 5))


def _elementwise(op: str) -> Callable[..., Any]:
    def done(ledger: Ledger, *numbers: Any) -> Any:
        return ops.elementwise(ledger, op, *numbers)

    done.__doc__ = f"{op}, number by number"
    return done


def _top_2(ledger: Ledger, x: Any) -> Any:
    """The places of the two largest of each row"""
    return ops.top_k(ledger, x, 2)


def _root(ledger: Ledger, x: Any) -> Any:
    """Sqrt of exp, number by number, since only what is positive has a root"""
    return ops.elementwise(ledger, "sqrt", ops.elementwise(ledger, "exp", x))


WITNESSED: dict[str, tuple[Callable[..., Any], Shapes]] = {
    "matmul": (ops.matmul, ((3, 5), (5, 7))),
    "batched matmul": (ops.matmul, ((2, 3, 5), (2, 5, 7))),
    "sum": (ops.total, _ONE),
    "maximum": (ops.maximum, _ONE),
    "softmax": (ops.softmax, _ONE),
    "stable softmax": (ops.stable_softmax, _ONE),
    "layer norm": (ops.layer_norm, _ONE),
    "rms norm": (ops.rms_norm, ((3, 5), (5,))),
    "rms": (ops.rms, _ONE),
    "root of softplus": (ops.root_softplus, _ONE),
    "rotation": (ops.rotate, ((3, 6), (3, 6), (3, 6))),
    "top k": (_top_2, _ONE),
    **{name: (activation, _ONE) for name, activation in ops.ACTIVATIONS.items()},
    **{name: (_elementwise(name), _TWO) for name in ("add", "subtract", "multiply", "divide", "minimum")},
    **{name: (_elementwise(name), _ONE) for name in ("exp", "tanh", "erf")},
    "sqrt": (_root, _ONE),
}
