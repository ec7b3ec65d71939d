"""Lines of several models against the tokens of a sequence, for figures that compare what they keep of it, or read"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..quantity import evaluated
from .figures import Axes, Table, across, up


def asked(models: Mapping[str, str], formula: str, **given: Any) -> Table:
    """Table of a formula in bytes: a row for each number of tokens, a column for each model, and their labels."""
    rows = []
    for N in (2**power for power in range(9, 18)):
        sizes = (evaluated(formula, model=name, N=N, **given) for name in models.values())
        rows.append((N, *map(float, sizes)))
    return Table(("Tokens", *(f"{on_one_line(label)}, B" for label in models)), rows, {"labels": [*models]})


def plotted(axes: Axes, table: Table, colours: Sequence[str], marks: Mapping[float, str], label: str) -> None:
    """Draw such lines in these colours: tokens to the right, and bytes up, marked where it is said."""
    tokens = table.column(0)
    for place, colour in enumerate(colours, 1):
        axes.loglog(tokens, table.column(place), color=colour)
    across(axes, "tokens of the sequence", (tokens[0], tokens[-1]), (2**10, 2**13, 2**16), log=True)
    up(axes, label, marks=marks, log=True)


def on_one_line(label: str) -> str:
    """A label without its line break."""
    return label.replace("\n", " ")
