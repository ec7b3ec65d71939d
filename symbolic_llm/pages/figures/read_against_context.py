"""Bytes that a step reads of one sequence against its length, for four ways not to read all that was said"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import FOUR, ONE, THREE, TWO, Table

TITLE = (
    "What a decoding step moves of one sequence, fp16, at whatever length. An index and runs make the line less steep "
    "once they have something to leave out; a state is read and written in full from the first token on."
)
_MODELS = {
    "Qwen3.5 27B:\nstates": "qwen3.5-27b",
    "DeepSeek-V3:\nlatent": "deepseek-v3",
    "DeepSeek-V3.2:\nindex": "deepseek-v3.2",
    "V4-Flash:\nruns": "deepseek-v4-flash",
}


def data() -> Table:  # noqa: D103
    rows = []
    for N in (2**power for power in range(9, 18)):
        sizes = (evaluated("D_seq", model=name, cache="fp16", N=N) for name in _MODELS.values())
        rows.append((N, *map(float, sizes)))
    return Table(("Tokens", *(f"{title.replace(chr(10), ' ')}, B" for title in _MODELS)), rows)


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    tokens = table.column(0)
    for place, (title, colour) in enumerate(zip(_MODELS, (TWO, ONE, THREE, FOUR), strict=True), 1):
        sizes = table.column(place)
        axes.loglog(tokens, sizes, color=colour)
        if colour == TWO:  # two lines end in one place, so this one is named where it begins
            axes.text(tokens[0] * 1.15, sizes[0] * 1.4, title, color=colour, va="bottom")
        else:
            axes.text(tokens[-1] * 1.15, sizes[-1], title, color=colour, va="center")
    axes.set_xlim(tokens[0], tokens[-1])
    axes.set_xticks([2**10, 2**13, 2**16], ["1,024", "8,192", "65,536"])
    axes.set_yticks([1e7, 1e8, 1e9, 1e10], ["10 MB", "100 MB", "1 GB", "10 GB"])
    axes.minorticks_off()
    axes.set_xlabel("tokens of the sequence")
    axes.set_ylabel("moved in a step")


def alt(table: Table) -> str:  # noqa: D103
    (few, *first), (many, *last) = table.rows[0], table.rows[-1]
    said = ", ".join(
        f"{title.replace(chr(10), ' ')} {before / 1e6:.2g} and {after / 1e6:,.0f} MB"
        for title, before, after in zip(_MODELS, first, last, strict=True)
    )
    return f"Lines of bytes moved in a step against length. At {few:,} and {many:,} tokens: {said}."
