"""Operations of one token against its context: two for each weight, and the rest"""

from __future__ import annotations

from math import log2
from typing import Any

from ...quantity import evaluated, of_preset
from ..examples import Example
from . import GRID, INK, ONE, QUIET, TWO, Axes, Table, across, up

_ROWS = 32


def title(example: Example) -> str:  # noqa: D103
    flat = "The flat part is two for each weight; attention grows on top of it."
    return f"Operations of one token of {example.title}. {flat}"


def data(example: Example) -> Table:  # noqa: D103
    model = {"model": example.model}
    weights, limit = evaluated("weights_read", **model), int(of_preset("n_limit", **model))
    two_each = 2 * float(weights)
    equal = two_each / float(evaluated("attention_flops_per_context_token", **model))
    step = max(limit, 2 ** round(log2(1.3 * equal))) // _ROWS  # both lie within the figure
    rows = []
    for context in (1, *range(step, _ROWS * step + 1, step)):
        every = float(evaluated("llama_decode_flops", B=1, N=context, **model))
        products = float(evaluated("decode_product_flops", B=1, N=context, **model))
        rows.append((context, two_each, products - two_each, every - products))
    head = ("context, tokens", "two for each weight, FLOP", "attention's products, FLOP", "all else, FLOP")
    return Table(head, rows, {"limit": limit, "equal": equal})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    contexts = table.column(0)
    flat, attention, other = ([value / 1e9 for value in table.column(place)] for place in (1, 2, 3))
    products = [one + more for one, more in zip(flat, attention, strict=True)]
    whole = [one + more for one, more in zip(products, other, strict=True)]
    axes.fill_between(contexts, 0, flat, color=ONE, alpha=0.25, linewidth=0)
    axes.fill_between(contexts, flat, products, color=TWO, alpha=0.25, linewidth=0)
    axes.plot(contexts, flat, color=ONE)
    axes.plot(contexts, whole, color=TWO)
    axes.text(contexts[-1] * 0.5, flat[0] / 2, "two for each weight", ha="center", va="center", color=INK)
    middle, top = round(0.6 * len(contexts)), 1.1 * whole[-1]
    axes.text(contexts[middle], flat[0] + attention[middle] / 2, "attention", ha="center", va="center", color=INK)
    limit, equal = table.more["limit"], table.more["equal"]
    if limit < contexts[-1]:
        axes.axvline(limit, color=QUIET, linewidth=1, linestyle=(0, (4, 3)))
        axes.text(limit * 1.15, 0.98 * top, f"this model's limit:\n{limit:,} tokens", va="top", color=INK)
    else:
        axes.text(0.03 * limit, 0.98 * top, f"up to this model's limit:\n{limit:,} tokens", va="top", color=INK)
    axes.plot([equal, equal], [0, 2 * flat[0]], color=QUIET, linewidth=1, linestyle=":")
    axes.plot([equal], [2 * flat[0]], "o", color=INK, markersize=4)
    is_late = equal > contexts[-1] / 3
    away, side, at, apart = ((-6, 2), "right", "bottom", "\n") if is_late else ((8, 0), "left", "top", " ")
    beside: Any = {"textcoords": "offset points", "ha": side, "va": at, "color": INK}
    axes.annotate(f"as much as{apart}the weights:\n{equal:,.0f}", (equal, 2 * flat[0]), away, **beside)
    across(axes, "context, tokens", (0, contexts[-1]), [quarters * contexts[-1] // 4 for quarters in range(5)])
    up(axes, "GFLOP for one token", (0, top))
    axes.grid(color=GRID)


def alt(table: Table) -> str:  # noqa: D103
    limit, flat = table.more["limit"], table.rows[0][1]
    share = next(attention / flat for context, _, attention, _ in table.rows if context == limit)
    return (
        f"Operations for one token against the context. A flat {flat / 1e9:.3g} GFLOP for the weights; on it attention "
        f"grows in proportion to the context, {share:.0%} of the flat part at the model's limit of {limit:,} tokens, "
        f"and {'would reach' if limit < table.more['equal'] else 'reaches'} as much at {table.more['equal']:,.0f}."
    )
