"""Bytes that a step reads of one sequence against its length, for four ways not to read all that was said"""

from __future__ import annotations

from ..examples import Example
from ..model_lines import asked, on_one_line, plotted
from . import FOUR, ONE, THREE, TWO, Axes, Table

_MODELS = {
    "Qwen3.5 27B:\nstates": "qwen3.5-27b",
    "DeepSeek-V3:\nlatent": "deepseek-v3",
    "DeepSeek-V3.2:\nindex": "deepseek-v3.2",
    "V4-Flash:\nruns": "deepseek-v4-flash",
}


def title(example: Example) -> str:  # noqa: D103
    return (
        f"What a decoding step moves of one sequence, {example.dtype}, at whatever length. An index and runs make the "
        "line less steep once they have something to leave out; a state is read and written in full from the first "
        "token on."
    )


def data(example: Example) -> Table:  # noqa: D103
    return asked(_MODELS, "D_seq", cache=example.dtype)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    colours, marks = (TWO, ONE, THREE, FOUR), {1e7: "10 MB", 1e8: "100 MB", 1e9: "1 GB", 1e10: "10 GB"}
    plotted(axes, table, colours, marks, "moved in a step")
    (few, *first), (many, *last) = table.rows[0], table.rows[-1]
    for title, colour, begins, ends in zip(_MODELS, colours, first, last, strict=True):
        if colour == TWO:  # two lines end in one place, so this one is named where it begins
            axes.text(few * 1.15, begins * 1.4, title, color=colour, va="bottom")
        else:
            axes.text(many * 1.15, ends, title, color=colour, va="center")


def alt(table: Table) -> str:  # noqa: D103
    (few, *first), (many, *last) = table.rows[0], table.rows[-1]
    said = ", ".join(
        f"{on_one_line(title)} {before / 1e6:.2g} and {after / 1e6:,.0f} MB"
        for title, before, after in zip(_MODELS, first, last, strict=True)
    )
    return f"Lines of bytes moved in a step against length. At {few:,} and {many:,} tokens: {said}."
