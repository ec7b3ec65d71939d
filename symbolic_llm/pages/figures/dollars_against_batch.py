"""Dollars against the batch: what a million tokens of an answer cost at a price by the hour, and of a prompt"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import FOUR, ONE, THREE, TWO, Table

EXAMPLE: Any = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "bf16"}
PRICE, CONTEXTS = "2 dollar/h", (500, 4000, 32000)
BATCHES = tuple(2**k for k in range(10))
TITLE = (
    "What a million tokens cost on an H100 at two dollars an hour with Llama-3-8B, part by part: tokens of answers "
    "after contexts of three lengths, and of a prompt. A line ends where memory is full."
)


def _million(tokens: float, time: float) -> float:
    """Dollars for a million tokens, of which so many take so long."""
    return 1e6 * float(evaluated("cost_per_token", R=f"{tokens / time} token/s", price=PRICE, u=1))


def data() -> Table:  # noqa: D103
    fit = {n: float(evaluated("sequences_that_fit", N=n, **EXAMPLE)) for n in CONTEXTS}

    def answer(n: int, b: int) -> float | None:
        return _million(b, float(evaluated("separate_latency", B=b, N=n, **EXAMPLE))) if b <= fit[n] else None

    length = CONTEXTS[1]
    prompt = _million(length, float(evaluated("separate_prefill_time", B=1, N=length, **EXAMPLE)))
    rows = [(b, *(answer(n, b) for n in CONTEXTS), prompt) for b in BATCHES]
    head = ("batch", *(f"dollars, context {n:,}" for n in CONTEXTS), f"dollars, prompt of {length:,}")
    return Table(head, rows)


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    for place, colour in enumerate((ONE, TWO, THREE), 1):
        known = [(row[0], row[place]) for row in table.rows if row[place] is not None]
        axes.plot(*zip(*known, strict=True), color=colour, marker="o", markersize=3)
    axes.plot(table.column(0), table.column(4), color=FOUR)
    axes.set(xscale="log", yscale="log", xlabel="batch: sequences in one step", ylabel="dollars for a million tokens")
    axes.set_xticks(BATCHES[::2], [f"{b}" for b in BATCHES[::2]])
    axes.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    axes.minorticks_off()
    axes.text(40, 0.03, "500 tokens before", color=ONE, ha="right")
    axes.text(50, 0.16, "4,000", color=TWO)
    axes.text(14, 0.55, "32,000", color=THREE)
    axes.text(1, table.column(4)[0] * 1.15, "a prompt's", color=FOUR)


def alt(table: Table) -> str:  # noqa: D103
    first, last = table.rows[0], table.rows[-1]
    return (
        f"Falling lines of dollars for a million tokens against the batch. Alone they cost {first[1]:.2f} dollars; in "
        f"a batch of {last[0]} with {CONTEXTS[0]} tokens each {last[1]:.3f}. The longer the contexts, the sooner a "
        f"line turns flat. Tokens of a prompt cost {first[4]:.3f} dollars at any batch."
    )
