"""Drafts against the batch: how many times as fast the example writes with guesses of a small model, by both laws"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import INK, ONE, QUIET, THREE, TWO, Table

LARGE: Any = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16"}
SMALL: Any = {**LARGE, "model": "tinyllama-1.1b"}
CONTEXTS = (50, 500, 2000)
BATCHES = (1, *range(8, 257, 8))
GUESSES, RIGHT = 4, 0.8
TITLE = (
    f"How many times as fast Llama-2-7B writes on an A100 if TinyLlama guesses {GUESSES} tokens ahead and "
    f"{RIGHT:.0%} are right: solid part by part, dashed where all of a pass overlaps. A line ends where memory is full."
)


def data() -> Table:  # noqa: D103
    fit = {n: int(float(evaluated("sequences_that_fit", N=n, **LARGE))) for n in CONTEXTS}
    kept = float(evaluated("speculative_tokens", alpha=RIGHT, gamma=GUESSES))

    def gains(n: int, b: int) -> tuple[float | None, float | None]:
        if b > fit[n]:
            return None, None
        parts, whole = (float(evaluated(law, B=b, N=n, **SMALL)) for law in ("separate_latency", "latency_with_cache"))
        alone = float(evaluated("separate_latency", B=b, N=n, **LARGE))
        drafted = {"alpha": RIGHT, "gamma": GUESSES, "T_draft": f"{whole} s"}
        of_whole = float(evaluated("speculative_speedup", B=b, N=n, **drafted, **LARGE))
        # a check is a pass over the last tokens of texts whose others are cached
        check = float(evaluated("T_chunk_parts", B=b, n_chunk=GUESSES + 1, N_prompt=n + GUESSES, **LARGE))
        return kept * alone / (GUESSES * parts + check), of_whole

    rows = [(b, *(gain for n in CONTEXTS for gain in gains(n, b))) for b in BATCHES]
    head = ("batch", *(f"times, context {n:,}, {law}" for n in CONTEXTS for law in ("part by part", "as a whole")))
    crossing = float(evaluated("batch_crossover", **LARGE)) / (GUESSES + 1)
    return Table(head, rows, {"crossing": crossing})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    for place, colour in enumerate((ONE, TWO, THREE)):
        for law, dashes in enumerate(("-", (0, (2, 2)))):
            known = [(row[0], row[1 + 2 * place + law]) for row in table.rows if row[1 + 2 * place + law] is not None]
            axes.plot(*zip(*known, strict=True), color=colour, linestyle=dashes)
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.axvline(table.more["crossing"], color=QUIET, linewidth=0.8, linestyle=":")
    axes.set(xlim=(0, 256), ylim=(0, 3), xlabel="batch: sequences in one step", ylabel="times as fast as without")
    axes.set_xticks([0, 64, 128, 192, 256])
    axes.text(table.more["crossing"] + 3, 0.1, f"{table.more['crossing']:.0f}", color=INK)
    axes.text(252, 0.42, "50 tokens each", color=ONE, ha="right")
    axes.text(252, 1.32, "500", color=TWO, ha="right")
    axes.text(70, 2.6, "2,000", color=THREE)
    axes.text(184, 1.04, "no gain", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    first, last = table.rows[0], table.rows[-1]
    full = [row for row in table.rows if row[3] is not None][-1]
    return (
        f"Lines of the gain from guesses against the batch. One reader gets {first[3]:.2f} times as many tokens a "
        f"second. Part by part the gain falls from a batch of about {table.more['crossing']:.0f} on: at {last[0]} "
        f"sequences with {CONTEXTS[0]} tokens each guesses slow the machine down, to {last[1]:.2f} of its pace; at "
        f"{full[0]} with {CONTEXTS[1]} each they still give {full[3]:.2f} times the tokens, for caches are read less "
        f"often."
    )
