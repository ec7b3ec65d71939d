"""The cache of four models against the tokens it remembers, with the weights of one as a line"""

from __future__ import annotations

from math import log2

from ...quantity import evaluated
from ..examples import EXAMPLE, SECOND, Example
from . import FOUR, INK, ONE, QUIET, THREE, TWO, Axes, Table, across, up

_MODELS = {
    "Llama-2-13B": "llama-2-13b",
    EXAMPLE.title: EXAMPLE.model,
    "Llama-2-70B": "llama-2-70b",
    SECOND.title: SECOND.model,
}
_ROWS = 8


def title(example: Example) -> str:  # noqa: D103
    return f"What four models have to remember, in {example.dtype}. Every token adds the same."


def data(example: Example) -> Table:  # noqa: D103
    weights = evaluated("weight_bytes", **example)
    equal = float(weights / evaluated("kv_bytes_per_token", **example))
    held = 2 ** round(log2(1.27 * equal / _ROWS))  # so that the weights come before the end
    rows = []
    for tokens in range(held, held * _ROWS + 1, held):
        sizes = (evaluated("kv_bytes_total", B=1, N=tokens, model=name, dtype="fp16") for name in _MODELS.values())
        rows.append([tokens, *map(float, sizes)])
    head = ("tokens remembered", *(f"{name}, bytes" for name in _MODELS))
    return Table(head, rows, {"weights": float(weights), "equal": equal, "of": example.title})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    tokens = [0, *table.column(0)]
    for place, (title, colour) in enumerate(zip(_MODELS, (THREE, ONE, TWO, FOUR), strict=True), 1):
        sizes = [0.0, *(size / 1e9 for size in table.column(place))]
        axes.plot(tokens, sizes, color=colour)
        axes.text(tokens[-1] * 1.02, sizes[-1], title, va="center", color=INK)
    weights = table.more["weights"] / 1e9
    axes.axhline(weights, color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)))
    if weights > max(table.column(1)) / 3e9:
        axes.text(tokens[-1] * 0.01, weights * 1.03, f"weights of\n{table.more['of']}", va="bottom", color=INK)
    else:  # below most lines, so where these are far above
        axes.text(tokens[-1] * 0.99, weights * 1.1, f"weights of {table.more['of']}", ha="right", color=INK)
    axes.plot([table.more["equal"]], [weights], "o", color=INK, markersize=4)
    across(axes, "tokens remembered, in all conversations", (0, tokens[-1]), tokens[::4])
    up(axes, "cache, GB", (0, None))


def alt(table: Table) -> str:  # noqa: D103
    last = table.rows[-1]
    ends = ", ".join(f"{title} {size / 1e9:.3g} GB" for title, size in zip(_MODELS, last[1:], strict=True))
    return (
        f"Straight lines from zero: bytes of cache against tokens remembered. At {last[0]:,} tokens: {ends}. "
        f"A level line at {table.more['weights'] / 1e9:.3g} GB, the weights of {table.more['of']}, which its cache "
        f"crosses at {table.more['equal']:,.0f} tokens."
    )
