"""Drafts against the batch: how many times as fast the example writes with guesses of a small model, by both laws"""

from __future__ import annotations

from ...quantity import evaluated
from ..examples import Example
from . import INK, ONE, QUIET, THREE, TWO, Axes, Table

CONTEXTS = (50, 500, 2000)  # of an example whose heads share nothing
GUESSES, RIGHT = 4, 0.8


def title(example: Example) -> str:  # noqa: D103
    return (
        f"How many times as fast {example.title} writes on an {example.device} if {example.draft_title} guesses "
        f"{GUESSES} tokens ahead and {RIGHT:.0%} are right: solid part by part, dashed where all of a pass overlaps. A "
        "line ends where memory is full of both."
    )


def fitting(example: Example, n: int) -> int:
    """Sequences whose caches fit, those of the small model too, beside the weights of both."""
    left = evaluated("memory_left", **example) - evaluated("weight_bytes", **example.small)
    large, small = (evaluated("kv_bytes_total", B=1, N=n, **one) for one in (example, example.small))
    return int(left // (large + small))


def data(example: Example) -> Table:  # noqa: D103
    small, contexts = example.small, [example.scale**2 * n for n in CONTEXTS]
    fit = {n: fitting(example, n) for n in contexts}
    kept = float(evaluated("speculative_tokens", alpha=RIGHT, gamma=GUESSES))

    def gains(n: int, b: int) -> tuple[float | None, float | None]:
        if b > fit[n]:
            return None, None
        parts, whole = (float(evaluated(law, B=b, N=n, **small)) for law in ("separate_latency", "latency_with_cache"))
        alone = float(evaluated("separate_latency", B=b, N=n, **example))
        drafted = {"alpha": RIGHT, "gamma": GUESSES, "T_draft": f"{whole} s"}
        of_whole = float(evaluated("speculative_speedup", B=b, N=n, **drafted, **example))
        # a check is a pass over the last tokens of texts whose others are cached
        check = float(evaluated("T_chunk_parts", B=b, n_chunk=GUESSES + 1, N_prompt=n + GUESSES, **example))
        return kept * alone / (GUESSES * parts + check), of_whole

    most = 256 * example.scale
    batches = sorted({1, *range(most // 32, most + 1, most // 32), *(full for full in fit.values() if full < most)})
    rows = [(b, *(gain for n in contexts for gain in gains(n, b))) for b in batches]
    head = ("batch", *(f"times, context {n:,}, {law}" for n in contexts for law in ("part by part", "as a whole")))
    crossing = float(evaluated("batch_crossover", **example)) / (GUESSES + 1)
    return Table(head, rows, {"crossing": crossing, "contexts": contexts})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    most, crossing = table.rows[-1][0], table.more["crossing"]
    for place, (context, colour) in enumerate(zip(table.more["contexts"], (ONE, TWO, THREE), strict=True)):
        known = [(row[0], *row[1 + 2 * place : 3 + 2 * place]) for row in table.rows if row[1 + 2 * place] is not None]
        batches, parts, whole = zip(*known, strict=True)
        axes.plot(batches, parts, color=colour)
        axes.plot(batches, whole, color=colour, linestyle=(0, (2, 2)))
        words = f"{context:,}" if place else f"{context} tokens each"
        if batches[-1] < 0.8 * most and (place < 2 or parts[-1] > parts[0]):  # where there is room for words
            high = parts[-1] if place < 2 else whole[-1] - 0.05
            axes.text(batches[-1] + 0.015 * most, high, words, color=colour, va="center")
        else:
            low = min(parts[-1], whole[-1]) - 0.05
            axes.text(min(max(batches[-1], 0.115 * most), 0.985 * most), low, words, color=colour, ha="right", va="top")
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.axvline(crossing, color=QUIET, linewidth=0.8, linestyle=":")
    axes.set(xlim=(0, most), ylim=(0, 3), xlabel="batch: sequences in one step", ylabel="times as fast as without")
    axes.set_xticks([0, most // 4, most // 2, 3 * most // 4, most])
    axes.text(crossing + 0.012 * most, 0.1, f"{crossing:.0f}", color=INK)
    axes.text(0.72 * most, 1.04, "no gain", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    first, last, (short, usual, _) = table.rows[0], table.rows[-1], table.more["contexts"]
    full = [row for row in table.rows if row[3] is not None][-1]
    return (
        f"Lines of the gain from guesses against the batch. One reader gets {first[3]:.2f} times as many tokens a "
        f"second. Part by part the gain falls beyond a batch of about {table.more['crossing']:.0f}: at {last[0]} "
        f"sequences with {short} tokens each guesses slow the machine down, to {last[1]:.2f} of its pace; at "
        f"{full[0]} with {usual:,} each they still give {full[3]:.2f} times the tokens, for caches are read less often."
    )
