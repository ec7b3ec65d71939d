"""Request timeline: a prompt, then steps that slowly lengthen"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from ..examples import Example
from . import INK, ONE, PAPER, QUIET, THREE, TWO, Axes, Table

SIZE = (4.6, 4.2)
AXES = {"nrows": 2, "height_ratios": (1, 1.3)}
PROMPT, ANSWER, EVERY = 500, 500, 25
CONTEXTS = (1, *range(256, 4097, 256))


def title(example: Example) -> str:  # noqa: D103
    return (
        f"A prompt of {PROMPT} tokens and an answer of {ANSWER}, each stripe {EVERY} tokens; "
        f"the {example.device}'s prompt is too short to be seen. Below, how a longer context slows the steps."
    )


def _until(machine: Any, tokens: int) -> float:
    """Seconds to the end of so many new tokens, every step memory-bound."""
    first = evaluated("prefill_time_with_attention", N=PROMPT, B=1, **machine)
    if not tokens:
        return float(first)
    asked = {"B": 1, "model": machine["model"], "cache": machine["dtype"]}
    caches = evaluated("kv_bytes_read_while_generating", N=PROMPT, n_new=tokens, **asked)
    reading = caches / of_preset("W", hardware=machine["hardware"])
    return float(first + evaluated("memory_time", **machine) * tokens + reading)


def data(example: Example) -> Table:  # noqa: D103
    machines = {"M2, 4 bits": example.laptop, f"{example.device}, {example.dtype}": example}
    counts = range(0, ANSWER + 1, EVERY)
    rows = [(count, *(_until(machine, count) for machine in machines.values())) for count in counts]
    steps = [
        [float(evaluated("latency_with_cache", N=n, B=1, **m)) * 1000 for n in CONTEXTS] for m in machines.values()
    ]
    return Table(
        ("new tokens", *(f"s, {name}" for name in machines)), rows, {"steps": steps, "machines": tuple(machines)}
    )


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    above, below = axes
    machines = table.more["machines"]
    for place, (name, colour) in enumerate(zip(machines, (TWO, ONE), strict=True)):
        times = table.column(place + 1)
        above.barh(place, times[0], 0.5, color=THREE)
        above.barh(place, times[-1] - times[0], 0.5, times[0], color=colour)
        above.vlines(times[1:-1], place - 0.25, place + 0.25, color=PAPER, linewidth=0.8)
        above.text(times[-1] + 0.2, place, f"{times[-1]:.1f} s", va="center", color=INK)
        below.plot(CONTEXTS, table.more["steps"][place], color=colour)
        below.text(4090, table.more["steps"][place][-1] + 2.5, name, color=colour, ha="right")
    above.annotate("prompt", (table.rows[0][1] / 2, -0.25), (0, 11), textcoords="offset points", color=THREE)
    above.set_yticks([0, 1], machines)
    above.set(xlim=(0, 1.15 * table.rows[-1][1]), ylim=(1.5, -0.85), xlabel="seconds")
    above.grid(axis="y", visible=False)
    below.axvspan(PROMPT, PROMPT + ANSWER, color=QUIET, alpha=0.2, linewidth=0)
    below.text(PROMPT + ANSWER + 50, 66, "the request above", color=QUIET, va="center")
    below.set(xlim=(0, 4096), ylim=(0, 72), xlabel="context at the step", ylabel="ms a token")
    below.set_xticks([0, 1000, 2000, 3000, 4000], ["0", "1,000", "2,000", "3,000", "4,000"])


def alt(table: Table) -> str:  # noqa: D103
    (_, *first), (_, *last) = table.rows[0], table.rows[-1]
    laptop, device = table.more["steps"][0], table.more["machines"][1].partition(",")[0]
    return (
        f"Above, two bars of time. On the M2 the prompt takes {first[0]:.2f} s and the whole request {last[0]:.1f} s; "
        f"on the {device} {first[1] * 1000:.0f} ms and {last[1]:.1f} s. Below, a step against the context: on the M2 "
        f"it grows from {laptop[0]:.0f} to {laptop[-1]:.0f} ms at {CONTEXTS[-1]:,} tokens."
    )
