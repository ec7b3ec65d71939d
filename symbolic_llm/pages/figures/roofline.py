"""Roofline: the operations a second that two machines reach, against the operations for each byte"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from . import INK, ONE, QUIET, TWO, Table

MODEL, A100, M2 = "llama-2-7b", {"hardware": "a100-80gb-pcie", "dtype": "fp16"}, {"hardware": "m2", "dtype": "fp16"}
CONTEXT, BATCH, LONG = 512, 32, 4096
TITLE = (
    "What each kind of work can reach: on the slope it waits for memory, on the flat for arithmetic. "
    f"In decoding each sequence has {CONTEXT} tokens of context; attention alone has {LONG:,}."
)


def _decode(machine: dict[str, str], batch: int, **stored: str) -> tuple[float, float]:
    """Operations for each byte of a step, and operations a second."""
    asked: Any = {"model": MODEL, "N": CONTEXT, "B": batch, **machine, **stored}
    flops = evaluated("decode_product_flops", N=CONTEXT, B=batch, model=MODEL)
    moved = evaluated("memory_time_with_cache", **asked) * of_preset("W", **machine)
    return float(flops / moved), float(flops / evaluated("latency_with_cache", **asked))


def _prefill(machine: dict[str, str]) -> tuple[float, float]:
    asked: Any = {"model": MODEL, "N": CONTEXT, "B": 1}
    flops = evaluated("prefill_product_flops", **asked)
    cache = evaluated("kv_bytes_total", cache="fp16", **asked)
    moved = evaluated("memory_time", model=MODEL, **machine) * of_preset("W", **machine) + cache
    return float(flops / moved), float(flops / evaluated("prefill_time_with_attention", **asked, **machine))


def _attention(intensity: str) -> tuple[float, float]:
    """Operations for each byte of attention alone, by the formula of that name, and operations a second."""
    found = evaluated(intensity, model=MODEL, dtype="fp16", N=LONG)
    return float(found), float(evaluated("attainable_flops", I_matrix=found, **A100))


def data() -> Table:  # noqa: D103
    limits = {name: [float(of_preset(one, **of)) for one in "FW"] for name, of in (("A100", A100), ("M2", M2))}
    rows = [
        ("A100", "decode, batch 1", *_decode(A100, 1)),
        ("A100", f"decode, batch {BATCH}", *_decode(A100, BATCH)),
        ("A100", "attention of a prefill, textbook", *_attention("attention_intensity")),
        ("A100", f"prefill, {CONTEXT} tokens", *_prefill(A100)),
        ("M2", "decode, batch 1, 4 bits", *_decode(M2, 1, weights="q4_0")),
        ("A100", "attention of a decoding step", *_attention("decode_attention_intensity")),
    ]
    return Table(("Machine", "Work", "FLOP/B", "FLOP/s reached"), rows, {"limits": limits})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    colours = {"A100": ONE, "M2": TWO}
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
    axes.set(xscale="log", yscale="log", xlim=(0.05, 4e3), ylim=(1.5e10, 2e15))
    *_, intensity, reached = table.rows[-1]
    axes.plot([intensity], [reached], "o", color=ONE, markersize=11, fillstyle="none")
    axes.set_xticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
    axes.set_yticks([1e11, 1e12, 1e13, 1e14, 1e15], ["0.1", "1", "10", "100", "1,000"])
    axes.minorticks_off()
    axes.set_xlabel("operations for each byte (FLOP/B)")
    axes.set_ylabel("TFLOP/s reached")
    axes.text(0.06, 1.1e15, "waits for memory ◂", color=QUIET)
    axes.text(3.9e3, 1.1e15, "▸ for arithmetic", color=QUIET, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    flops, bandwidth = table.more["limits"]["A100"]
    first, prefill = table.rows[0], table.rows[3]
    return (
        f"Two roofs on logarithmic axes: each rises with the bandwidth and is flat from its ridge point on, "
        f"{flops / bandwidth:.0f} FLOP/B for the A100. Decoding one sequence lies far left at {first[2]:.1f} FLOP/B "
        f"and reaches {first[3] / flops:.1%} of the A100's arithmetic; a prefill of {CONTEXT} tokens lies right of the "
        f"ridge, at {prefill[2]:.0f}, and reaches all of it. Attention alone lies at {table.rows[2][2]:.0f} in a "
        f"prefill and at {table.rows[-1][2]:.2f} in decoding."
    )
