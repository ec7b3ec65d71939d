"""Roofline: the operations a second that two machines reach, against the operations for each byte"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...quantity import evaluated, of_preset
from ..examples import Example
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

CONTEXT, BATCH, LONG = 512, 32, 4096


def title(_: Example) -> str:  # noqa: D103
    return (
        "What each kind of work can reach: on the slope it waits for memory, on the flat for arithmetic. "
        f"In decoding each sequence has {CONTEXT} tokens of context; attention alone has {LONG:,}."
    )


def _decode(machine: Mapping[str, str], batch: int) -> tuple[float, float]:
    """Operations for each byte of a step, and operations a second."""
    asked: Any = {"N": CONTEXT, "B": batch, **machine}
    flops = evaluated("decode_product_flops", N=CONTEXT, B=batch, model=machine["model"])
    moved = evaluated("memory_time_with_cache", **asked) * of_preset("W", **machine)
    return float(flops / moved), float(flops / evaluated("latency_with_cache", **asked))


def _prefill(machine: Mapping[str, str]) -> tuple[float, float]:
    asked: Any = {"N": CONTEXT, "B": 1, **machine}
    flops = evaluated("prefill_product_flops", N=CONTEXT, B=1, model=machine["model"])
    moved = evaluated("memory_time", **machine) * of_preset("W", **machine) + evaluated("kv_bytes_total", **asked)
    return float(flops / moved), float(flops / evaluated("prefill_time_with_attention", **asked))


def _attention(example: Example, intensity: str, group: int = 1) -> tuple[float, float]:
    """Operations for each byte of attention alone, by the formula of that name, and operations a second.

    What a group of query heads shares is loaded once for all of them.
    """
    found = group * evaluated(intensity, model=example.model, dtype=example.dtype, N=LONG)
    return float(found), float(evaluated("attainable_flops", I_matrix=found, **example))


def data(example: Example) -> Table:  # noqa: D103
    name, group = example.device, int(of_preset("n_heads", **example) / of_preset("n_kv_heads", **example))
    limits = {
        word: [float(of_preset(one, **of)) for one in "FW"] for word, of in ((name, example), ("M2", example.laptop))
    }
    rows = [
        (name, "decode, batch 1", *_decode(example, 1)),
        (name, f"decode, batch {BATCH}", *_decode(example, BATCH)),
        (name, "attention of a prefill, textbook", *_attention(example, "attention_intensity")),
        (name, f"prefill, {CONTEXT} tokens", *_prefill(example)),
        ("M2", "decode, batch 1, 4 bits", *_decode(example.laptop, 1)),
        (name, "attention of a decoding step", *_attention(example, "decode_attention_intensity", group)),
    ]
    return Table(("Machine", "Work", "FLOP/B", "FLOP/s reached"), rows, {"limits": limits})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    top = max(flops for flops, _ in table.more["limits"].values())
    colours = dict(zip(table.more["limits"], (ONE, TWO), strict=True))
    for name, (flops, bandwidth) in table.more["limits"].items():
        ridge = flops / bandwidth
        axes.plot([0.03, ridge, 4e3], [0.03 * bandwidth, flops, flops], color=colours[name])
        axes.plot([ridge, ridge], [1.5e10, flops], color=colours[name], linewidth=0.8, linestyle=":")
        axes.text(ridge * 1.1, 2e10, f"{ridge:.0f}", color=colours[name])
        axes.text(3.6e3, flops * 1.2, name, color=colours[name], ha="right")
    places = [(15, 19, "right"), (-7, 5, "right"), (-7, 5, "right"), (0, 7, "center"), (8, -10, "left")]
    alone, several = "decode, batch 1;\nring: attention", f"decode, batch {BATCH}"
    words = [alone, several, "attention of a prefill", "prefill", "decode, batch 1,\nin 4 bits"]
    for (name, _, intensity, reached), (x, y, side), word in zip(table.rows[:-1], places, words, strict=True):
        axes.plot([intensity], [reached], "o", color=colours[name], markersize=6)
        at = "bottom" if y > 0 else "top"
        axes.annotate(word, (intensity, reached), (x, y), textcoords="offset points", ha=side, va=at, color=INK)
    across(axes, "operations for each byte (FLOP/B)", (0.05, 4e3), (0.1, 1, 10, 100, 1000), log=True)
    marks = {1e12 * one: f"{one:,}" for one in (0.1, 1, 10, 100, 1000)}
    up(axes, "TFLOP/s reached", (1.5e10, 6.4 * top), marks, log=True)
    *_, intensity, reached = table.rows[-1]
    axes.plot([intensity], [reached], "o", color=ONE, markersize=11, fillstyle="none")
    axes.text(0.06, 3.5 * top, "waits for memory ◂", color=QUIET)
    axes.text(3.9e3, 3.5 * top, "▸ for arithmetic", color=QUIET, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    name = table.rows[0][0]
    flops, bandwidth = table.more["limits"][name]
    first, prefill = table.rows[0], table.rows[3]
    return (
        f"Two roofs on logarithmic axes: each rises with the bandwidth and is flat from its ridge point on, "
        f"{flops / bandwidth:.0f} FLOP/B for the {name}. Decoding one sequence lies far left at {first[2]:.1f} FLOP/B "
        f"and reaches {first[3] / flops:.1%} of the {name}'s arithmetic; a prefill of {CONTEXT} tokens lies right of "
        f"the ridge, at {prefill[2]:.0f}, and reaches all of it. Attention alone lies at {table.rows[2][2]:.0f} in a "
        f"prefill and at {table.rows[-1][2]:.2f} in decoding."
    )
