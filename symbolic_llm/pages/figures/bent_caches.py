"""Cache of one sequence against its length, for four ways to keep it"""

from __future__ import annotations

from ..examples import Example
from ..model_lines import asked, on_one_line, plotted
from . import FOUR, ONE, THREE, TWO, Axes, Table


def title(example: Example) -> str:  # noqa: D103
    return (
        f"The cache of one sequence, {example.dtype}, at whatever length. Groups and latent vectors make a token "
        "smaller, a window makes the old ones go."
    )


def data(example: Example) -> Table:  # noqa: D103
    four = {
        "Llama-2-7B:\nevery head": "llama-2-7b",
        f"{example.grouped.title}:\ngroups": example.grouped.model,
        "DeepSeek-V2:\nlatent": "deepseek-v2",
        "Mistral 7B:\nwindow": "mistral-7b-v0.1",
    }
    return asked(four, "kv_bytes_total", dtype=example.dtype, B=1)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    colours = ONE, TWO, THREE, FOUR
    plotted(axes, table, colours, {1e8: "100 MB", 1e9: "1 GB", 1e10: "10 GB"}, "cache")
    tokens, *sizes = table.rows[-1]
    for title, colour, size in zip(table.more["labels"], colours, sizes, strict=True):
        side = {ONE: "bottom", THREE: "top"}.get(colour, "center")  # three lines end close to each other
        axes.text(tokens * 1.15, size, title, color=colour, va=side)


def alt(table: Table) -> str:  # noqa: D103
    tokens, *sizes = table.rows[-1]
    said = ", ".join(
        f"{on_one_line(title)} {size / 1e9:.2g} GB" for title, size in zip(table.more["labels"], sizes, strict=True)
    )
    return f"Lines of cache against length. At {tokens:,} tokens: {said}. Only the window's line is flat in the end."
