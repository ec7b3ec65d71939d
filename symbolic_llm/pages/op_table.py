"""The table of the engine's rules, each beside what counting scalars really counted"""

from __future__ import annotations

import inspect

from reference_engine.counting_scalars import entered
from reference_engine.op_examples import WITNESSED

from .pen import Pen


def rules_table(pen: Pen) -> str:
    """Table of every op on a small array: what the ledger enters, and what was counted operation by operation."""
    rows = []
    for name, (op, shapes) in WITNESSED.items():
        ledger, counted = entered(op, *shapes)
        title = (inspect.getdoc(op) or "").partition("\n")[0]
        sizes = " and ".join("×".join(map(str, shape)) for shape in shapes)
        rows.append(
            (pen.code(name), pen.words(title), sizes, str(ledger), str(counted), "=" if ledger == counted else "≠")
        )
    return pen.table(("Op", "", "On", "Ledger", "Counted", ""), rows, "rules")
