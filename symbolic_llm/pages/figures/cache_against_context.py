"""The cache of four models against the tokens it remembers, with the weights of one as a line"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from ..embeds import EXAMPLE
from . import FOUR, INK, ONE, QUIET, THREE, TWO, Table

TITLE = "What four models have to remember, in fp16. Every token adds the same."
_MODELS = {
    "Llama-2-13B": "llama-2-13b",
    "Llama-2-7B": "llama-2-7b",
    "Llama-2-70B": "llama-2-70b",
    "Llama-3-8B": "llama-3-8b",
}
_CONVERSATIONS = 8


def data() -> Table:  # noqa: D103
    context = int(of_preset("n_limit", model=EXAMPLE["model"]))
    rows = [
        [held * context]
        + [float(evaluated("kv_bytes_total", B=held, N=context, model=name, dtype="fp16")) for name in _MODELS.values()]
        for held in range(1, _CONVERSATIONS + 1)
    ]
    weights = evaluated("weight_bytes", **EXAMPLE)
    equal = float(weights / evaluated("kv_bytes_per_token", **EXAMPLE))
    head = ("tokens remembered", *(f"{title}, bytes" for title in _MODELS))
    return Table(head, rows, {"weights": float(weights), "equal": equal, "context": context})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    tokens = [0, *table.column(0)]
    for place, (title, colour) in enumerate(zip(_MODELS, (THREE, ONE, TWO, FOUR), strict=True), 1):
        sizes = [0.0, *(size / 1e9 for size in table.column(place))]
        axes.plot(tokens, sizes, color=colour)
        axes.text(tokens[-1] * 1.02, sizes[-1], title, va="center", color=INK)
    weights = table.more["weights"] / 1e9
    axes.axhline(weights, color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.text(tokens[-1] * 0.01, weights * 1.03, "weights of\nLlama-2-7B", va="bottom", color=INK)
    axes.plot([table.more["equal"]], [weights], "o", color=INK, markersize=4)
    axes.set(xlim=(0, tokens[-1]), ylim=(0, None), xlabel="tokens remembered, in all conversations", ylabel="cache, GB")
    axes.set_xticks(tokens[::4])
    axes.xaxis.set_major_formatter(lambda held, _: f"{held:,.0f}")


def alt(table: Table) -> str:  # noqa: D103
    last = table.rows[-1]
    ends = ", ".join(f"{title} {size / 1e9:.3g} GB" for title, size in zip(_MODELS, last[1:], strict=True))
    return (
        f"Straight lines from zero: bytes of cache against tokens remembered. At {last[0]:,} tokens: {ends}. "
        f"A level line at {table.more['weights'] / 1e9:.3g} GB, the weights of Llama-2-7B, which its cache crosses at "
        f"{table.more['equal']:,.0f} tokens."
    )
