"""The table of the engine's rules, each beside what counting scalars really counted"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from reference_engine import ops
from reference_engine.witness import entered
from symbolic_llm.render.html import code, table

_OPS: tuple[tuple[str, Callable[..., Any], tuple[tuple[int, ...], ...]], ...] = (
    ("matmul", ops.matmul, ((3, 5), (5, 7))),
    ("sum", ops.total, ((3, 5),)),
    ("maximum", ops.maximum, ((3, 5),)),
    ("softmax", ops.softmax, ((3, 5),)),
    ("stable_softmax", ops.stable_softmax, ((3, 5),)),
    ("layer_norm", ops.layer_norm, ((3, 5),)),
    ("rms_norm", ops.rms_norm, ((3, 5), (5,))),
    ("gelu_tanh", ops.gelu_tanh, ((3, 5),)),
    ("gelu", ops.gelu, ((3, 5),)),
    ("silu", ops.silu, ((3, 5),)),
    ("relu", ops.relu, ((3, 5),)),
    ("rotate", ops.rotate, ((3, 6), (3, 6), (3, 6))),
)


def rules_table() -> str:
    """Every op on a small array: what the ledger enters, and what was counted operation by operation."""
    rows = []
    for name, op, shapes in _OPS:
        ledger, counted = entered(op, *shapes)
        title = (inspect.getdoc(op) or "").partition("\n")[0]
        sizes = " and ".join("×".join(map(str, shape)) for shape in shapes)
        rows.append((code(name), title, sizes, str(ledger), str(counted), "=" if ledger == counted else "≠"))
    return table(("Op", "", "On", "Ledger", "Counted", ""), rows, "rules")
