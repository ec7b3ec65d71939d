"""`sweep`"""

from __future__ import annotations

import argparse
import csv
import io

from ..reports.rows import told
from . import terminal
from .parsing import Output, axis, given


def sweep_one(options: argparse.Namespace) -> Output:
    """Values of a formula over a grid, as CSV; a value with commas in it is an axis."""
    from ..reports.sweeping import sweep

    _, letters, presets = given(options, 0)
    asked = {name: axis(name, value) for name, value in letters.items()}
    chosen = {name: axis(name, value) for name, value in presets.given().items() if value is not None}
    found = sweep(options.name, **chosen, **asked)
    if options.csv is not None:
        found.to_csv(options.csv, reasons=options.reasons)
        return 0, repr(found), {"formula": found.formula, "file": options.csv, "notes": [*found.notes]}
    text = io.StringIO()
    found.write_csv(csv.writer(text, lineterminator="\n"), reasons=options.reasons)
    rows = [*csv.reader(io.StringIO(text.getvalue()))]
    data = {
        **told(found, "formula", "unit", "axes"),
        "notes": [*found.notes],
        "rows": [dict(zip(rows[0], row, strict=True)) for row in rows[1:]],
    }
    if not getattr(options, "json", True):  # which a tool of an assistant leaves out, and reads the data
        for note in found.notes:
            terminal.complain(note)  # beside the CSV, which programs read
    return 0, text.getvalue().rstrip("\n"), data
