"""Operations of one token against its context: two for each weight, and the rest"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from ..examples import EXAMPLE
from . import GRID, INK, ONE, QUIET, TWO, Table

TITLE = "Operations of one token of Llama-2-7B. The flat part is two for each weight; attention grows on top of it."


def data() -> Table:  # noqa: D103
    model = {"model": EXAMPLE["model"]}
    weights, limit = evaluated("weights_read", **model), int(of_preset("n_limit", **model))
    two_each = 2 * float(weights)
    equal = two_each / float(evaluated("attention_flops_per_context_token", **model))
    rows = []
    for context in (1, *range(limit // 4, 8 * limit + 1, limit // 4)):
        every = float(evaluated("llama_decode_flops", B=1, N=context, **model))
        products = float(evaluated("decode_product_flops", B=1, N=context, **model))
        rows.append((context, two_each, products - two_each, every - products))
    head = ("context, tokens", "two for each weight, FLOP", "attention's products, FLOP", "all else, FLOP")
    return Table(head, rows, {"limit": limit, "equal": equal})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    contexts = table.column(0)
    flat, attention, other = ([value / 1e9 for value in table.column(place)] for place in (1, 2, 3))
    products = [one + more for one, more in zip(flat, attention, strict=True)]
    whole = [one + more for one, more in zip(products, other, strict=True)]
    axes.fill_between(contexts, 0, flat, color=ONE, alpha=0.25, linewidth=0)
    axes.fill_between(contexts, flat, products, color=TWO, alpha=0.25, linewidth=0)
    axes.plot(contexts, flat, color=ONE)
    axes.plot(contexts, whole, color=TWO)
    axes.text(contexts[-1] * 0.5, flat[0] / 2, "two for each weight", ha="center", va="center", color=INK)
    axes.text(contexts[-1] * 0.6, flat[0] * 1.25, "attention", ha="center", va="center", color=INK)
    limit, equal = table.more["limit"], table.more["equal"]
    axes.axvline(limit, color=QUIET, linewidth=1, linestyle=(0, (4, 3)))
    says = f"this model's limit:\n{limit:,} tokens"
    axes.text(limit * 1.15, 2.45 * flat[0], says, va="top", color=INK)
    axes.plot([equal, equal], [0, 2 * flat[0]], color=QUIET, linewidth=1, linestyle=":")
    axes.plot([equal], [2 * flat[0]], "o", color=INK, markersize=4)
    axes.annotate(f"as much as\nthe weights:\n{equal:,.0f}", (equal, 2 * flat[0]), (-6, 2), textcoords="offset points",
                  ha="right", color=INK)  # fmt: skip
    axes.set(xlim=(0, contexts[-1]), ylim=(0, 2.5 * flat[0]), xlabel="context, tokens", ylabel="GFLOP for one token")
    axes.set_xticks([0, contexts[-1] // 4, contexts[-1] // 2, 3 * contexts[-1] // 4, contexts[-1]])
    axes.xaxis.set_major_formatter(lambda tokens, _: f"{tokens:,.0f}")
    axes.grid(color=GRID)


def alt(table: Table) -> str:  # noqa: D103
    limit, flat = table.more["limit"], table.rows[0][1]
    share = next(attention / flat for context, _, attention, _ in table.rows if context == limit)
    return (
        f"Operations for one token against the context. A flat {flat / 1e9:.3g} GFLOP for the weights; on it attention "
        f"grows in proportion to the context, {share:.0%} of the flat part at the model's limit of {limit:,} tokens, "
        f"and would reach as much at {table.more['equal']:,.0f}."
    )
