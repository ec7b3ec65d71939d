"""Share of its weights that a mixture of experts reads in a step, against the batch"""

from __future__ import annotations

from ...quantity import evaluated
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

TITLE = (
    "How much of what it could read a model does read in one step. A dense model reads all of it for a single "
    "sequence; where tokens pick experts, a batch soon picks most of them."
)
_MODELS = {"Mixtral 8x7B": "mixtral-8x7b", "Qwen3 30B-A3B": "qwen3-30b-a3b"}
_BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)


def data() -> Table:  # noqa: D103
    all_read = {name: evaluated("all_expert_weights_read", model=name) for name in _MODELS.values()}
    rows = [
        (
            batch,
            *(
                100 * float(evaluated("expert_weights_read", model=name, B=batch) / all_read[name])
                for name in _MODELS.values()
            ),
        )
        for batch in _BATCHES
    ]
    return Table(("Batch", *(f"{title}, %" for title in _MODELS)), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    batches = table.column(0)
    axes.axhline(100, color=QUIET, linestyle=":", linewidth=1.2)
    axes.text(batches[0], 102, "a dense model", color=QUIET)
    labels = (ONE, (3.4, 76), "right"), (TWO, (20, 58), "left")
    for place, (title, (colour, at, side)) in enumerate(zip(_MODELS, labels, strict=True), 1):
        shares = table.column(place)
        axes.semilogx(batches, shares, "o-", color=colour, markersize=3.5, base=2)
        axes.text(*at, title, color=colour, ha=side, va="center")
        axes.annotate(f"{shares[0]:.0f} %", (1, shares[0]), (7, -10), textcoords="offset points", color=INK)
    across(axes, "batch: sequences in one step", marks=(1, 4, 16, 64, 256), log=True)
    up(axes, "weights read", (0, 112), {0: "0", 50: "50 %", 100: "100 %"})


def alt(table: Table) -> str:  # noqa: D103
    first, middle, last = table.rows[0], table.rows[_BATCHES.index(16)], table.rows[-1]
    said = (
        f"{title} from {first[place]:.0f} % at batch {first[0]} to {middle[place]:.0f} % at {middle[0]} and "
        f"{last[place]:.1f} % at {last[0]}"
        for place, title in enumerate(_MODELS, 1)
    )
    return f"Two rising curves, the share of weights read in a step: {'; '.join(said)}."
