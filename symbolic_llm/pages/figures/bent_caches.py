"""Cache of one sequence against its length, for four ways to keep it"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import FOUR, ONE, THREE, TWO, Table

TITLE = (
    "The cache of one sequence, fp16, at whatever length. Groups and latent vectors make a token smaller, a window "
    "makes the old ones go."
)
_MODELS = {
    "Llama-2-7B:\nevery head": "llama-2-7b",
    "Llama-3-8B:\ngroups": "llama-3-8b",
    "DeepSeek-V2:\nlatent": "deepseek-v2",
    "Mistral 7B:\nwindow": "mistral-7b-v0.1",
}


def data() -> Table:  # noqa: D103
    rows = []
    for N in (2**power for power in range(9, 18)):
        sizes = (evaluated("kv_bytes_total", model=name, dtype="fp16", B=1, N=N) for name in _MODELS.values())
        rows.append((N, *map(float, sizes)))
    return Table(("Tokens", *(f"{title.replace(chr(10), ' ')}, B" for title in _MODELS)), rows)


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    tokens = table.column(0)
    for place, (title, colour) in enumerate(zip(_MODELS, (ONE, TWO, THREE, FOUR), strict=True), 1):
        sizes = table.column(place)
        axes.loglog(tokens, sizes, color=colour)
        side = {ONE: "bottom", THREE: "top"}.get(colour, "center")  # three lines end close to each other
        axes.text(tokens[-1] * 1.15, sizes[-1], title, color=colour, va=side)
    axes.set_xlim(tokens[0], tokens[-1])
    axes.set_xticks([2**10, 2**13, 2**16], ["1,024", "8,192", "65,536"])
    axes.set_yticks([1e8, 1e9, 1e10], ["100 MB", "1 GB", "10 GB"])
    axes.minorticks_off()
    axes.set_xlabel("tokens of the sequence")
    axes.set_ylabel("cache")


def alt(table: Table) -> str:  # noqa: D103
    tokens, *sizes = table.rows[-1]
    said = ", ".join(
        f"{title.replace(chr(10), ' ')} {size / 1e9:.2g} GB" for title, size in zip(_MODELS, sizes, strict=True)
    )
    return f"Lines of cache against length. At {tokens:,} tokens: {said}. Only the window's line is flat in the end."
