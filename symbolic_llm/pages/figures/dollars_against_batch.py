"""Dollars against the batch: what a million tokens of an answer cost at a price by the hour, and of a prompt"""

from __future__ import annotations

from ...quantity import evaluated
from ..examples import Example
from . import FOUR, ONE, THREE, TWO, Axes, Table, across, up

CONTEXTS = (125, 1000, 4000)  # of an example whose heads share nothing
BATCHES = tuple(2**k for k in range(10))


def title(example: Example) -> str:  # noqa: D103
    return (
        f"What a million tokens cost on an {example.device} at {example.rent} dollar{'s' * (example.rent > 1)} an hour "
        f"with {example.title}, part by part: tokens of answers after contexts of three lengths, and of a prompt. A "
        "line ends where memory is full."
    )


def _million(example: Example, tokens: float, time: float) -> float:
    """Dollars for a million tokens, of which so many take so long."""
    return 1e6 * float(evaluated("cost_per_token", R=f"{tokens / time} token/s", price=f"{example.rent} dollar/h", u=1))


def data(example: Example) -> Table:  # noqa: D103
    contexts = [example.scale**2 * n for n in CONTEXTS]
    fit = {n: float(evaluated("sequences_that_fit", N=n, **example)) for n in contexts}

    def answer(n: int, b: int) -> float | None:
        return _million(example, b, float(evaluated("separate_latency", B=b, N=n, **example))) if b <= fit[n] else None

    length = contexts[1]
    prompt = _million(example, length, float(evaluated("separate_prefill_time", B=1, N=length, **example)))
    rows = [(b, *(answer(n, b) for n in contexts), prompt) for b in BATCHES]
    head = ("batch", *(f"dollars, context {n:,}" for n in contexts), f"dollars, prompt of {length:,}")
    return Table(head, rows, {"contexts": contexts})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    for place, (context, colour) in enumerate(zip(table.more["contexts"], (ONE, TWO, THREE), strict=True), 1):
        known = [(row[0], row[place]) for row in table.rows if row[place] is not None]
        axes.plot(*zip(*known, strict=True), color=colour, marker="o", markersize=3)
        if len(known) < len(table.rows):
            axes.text(1.25 * known[-1][0], known[-1][1], f"{context:,}", color=colour, va="center")
        else:
            axes.text(40, 0.6 * known[5][1], f"{context} tokens before", color=colour, ha="right")
    axes.plot(table.column(0), table.column(4), color=FOUR)
    across(axes, "batch: sequences in one step", marks=BATCHES[::2], log=True)
    up(axes, "dollars for a million tokens", marks=(0.01, 0.1, 1), log=True)
    axes.text(1, table.column(4)[0] * 1.15, "a prompt's", color=FOUR)


def alt(table: Table) -> str:  # noqa: D103
    first, last, (short, *_) = table.rows[0], table.rows[-1], table.more["contexts"]
    return (
        f"Falling lines of dollars for a million tokens against the batch. Alone they cost {first[1]:.2f} dollars; in "
        f"a batch of {last[0]} with {short} tokens each {last[1]:.3f}. The longer the contexts, the sooner a line "
        f"turns flat. Tokens of a prompt cost {first[4]:.3f} dollars at any batch."
    )
