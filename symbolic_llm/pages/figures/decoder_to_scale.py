"""A decoder as the bytes that one of its steps reads: area is bytes"""

from __future__ import annotations

from ...quantity import evaluated, of_preset
from ..examples import Example
from . import FOUR, INK, ONE, PAPER, QUIET, THREE, TWO, Axes, Table

SIZE = (4.6, 4.6)
AXES = {"nrows": 2, "height_ratios": (3.4, 1)}
_MLP = ("gate", "up", "down")
_SHAPE = ("d_model", "d_ff", "n_vocab", "n_blocks", "n_heads", "n_kv_heads", "d_head")


def title(example: Example) -> str:  # noqa: D103
    return (
        f"What {example.title} reads for one token, in {example.dtype} with a full context. Above: area is bytes. "
        "Below: one block opened."
    )


def data(example: Example) -> Table:  # noqa: D103
    model = {"model": example.model}
    shape = {letter: int(of_preset(letter, **model)) for letter in _SHAPE}
    context = int(of_preset("n_limit", **model))
    width = of_preset("n_bytes", **example)
    square, wide = f"{shape['d_model']:,}", f"{shape['d_ff']:,}"
    shape["keys"] = shape["n_kv_heads"] * shape["d_head"]
    projections = f"4 of {square} × {square}"
    if shape["keys"] < shape["d_model"]:
        projections = f"2 of {square} × {square}, 2 of {shape['keys']:,} × {square}"
    embedding = evaluated("embedding_parameters", **model)
    blocks, cache = shape["n_blocks"], evaluated("kv_bytes_total", B=1, N=context, **example)
    rows = (
        (
            "attention, all blocks",
            projections,
            evaluated("grouped_attention_parameters", **model) * blocks,
        ),
        ("MLP, all blocks", f"3 of {square} × {wide}", evaluated("gated_mlp_parameters", **model) * blocks),
        ("output matrix", f"{shape['n_vocab']:,} × {square}", embedding),
        ("embedding, one row of it", square, embedding / shape["n_vocab"]),
    )
    made: list[tuple[str, str, float]] = [(name, says, float(weights * width)) for name, says, weights in rows]
    made.append(("cache, all blocks", f"{context:,} tokens", float(cache)))
    return Table(("What is read", "Shape", "bytes"), made, shape | {"context": context})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    above, below = axes
    attention, mlp, output, _, cache = table.column(2)
    blocks, a_block = table.more["n_blocks"], (attention + mlp) / table.more["n_blocks"]
    parts = ((attention, ONE, "attention"), (mlp, TWO, "MLP"), (cache, FOUR, "cache"))
    for block in range(blocks):
        left = 0.0
        for part, colour, _ in parts:
            size = part / blocks / a_block
            above.barh(block + 0.5, size, 0.84, left, color=colour)  # 0.84 of the height: gaps are no bytes
            left += size
    left = 0.0
    for part, _, word in parts:
        size = part / blocks / a_block
        above.text(left + size / 2, -0.9, word, ha="center", va="top", color=INK)
        left += size
    high = 0.84 * output / a_block
    above.barh(blocks + 0.6 + high / 2, 1, high, color=THREE)
    above.text(1.02, blocks + 0.6 + high / 2, "output matrix", va="center", color=INK)
    above.text(left + 0.03, blocks / 2, f"{blocks} blocks,\nfrom bottom\nto top", va="center", color=INK)
    above.text(left + 0.03, 2, f"at {table.more['context']:,}\ntokens", va="center", color=INK)
    above.text(left / 2, -4.4, "↑ a token enters as one row of the embedding", ha="center", va="center", color=QUIET)
    above.set(xlim=(0, left + 0.4), ylim=(-5.4, blocks + 1.6 + high))
    _open_block(below, table)
    for one in axes:
        one.set_axis_off()


def _open_block(axes: Axes, table: Table) -> None:
    narrow, wide, keys = (table.more[name] for name in ("d_model", "d_ff", "keys"))
    attention, left = {"Q": narrow, "K": keys, "V": keys, "O": narrow}, 0
    for widths, colour in ((attention, ONE), (dict.fromkeys(_MLP, wide), TWO)):
        begins = left
        for name, width in widths.items():
            axes.barh(narrow / 2, width, narrow, left, color=colour, edgecolor=PAPER)
            if width > narrow / 2:
                axes.text(left + width / 2, narrow / 2, name, ha="center", va="center", color=PAPER)
            else:  # K and V beside each other above what is too narrow for letters
                side = "right" if name == "K" else "left"
                axes.text(left + width / 2, 1.1 * narrow, name, ha=side, va="bottom", color=INK)
            left += width
        sizes = [f"{narrow:,} × {width:,}" for width in sorted({*widths.values()}, reverse=True)]
        says = "\n".join(f"{names} {size}" for names, size in zip(("Q, O", "K, V"), sizes, strict=False))
        at, side = (begins, "left") if widths is attention else (left, "right")
        axes.text(at, -0.12 * narrow, says if sizes[1:] else f"each {sizes[0]}", ha=side, va="top", color=INK)
        left += narrow // 4
    axes.set(xlim=(0, left), ylim=(-0.7 * narrow, 1.6 * narrow), aspect="equal")


def alt(table: Table) -> str:  # noqa: D103
    whole, is_square = sum(table.column(2)), table.more["keys"] == table.more["d_model"]
    shares = ", ".join(f"{name} {size / whole:.0%}" for name, _, size in table.rows if size / whole > 0.001)
    return (
        f"A tower of {table.more['n_blocks']} equal blocks under an output matrix, area in "
        f"proportion to bytes read: {shares}. "
        f"Below, the matrices of one block: {'four' if is_square else 'two'} squares of attention"
        f"{'' if is_square else ' and two narrower rectangles'}, three wider rectangles of the MLP."
    )
