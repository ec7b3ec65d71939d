"""Two machines: arithmetic, bandwidth and tokens a second, each as a share of the larger machine's"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from . import INK, ONE, QUIET, TWO, Table

TITLE = "What two machines can do, and what comes of it. Tokens follow the bandwidth, not the arithmetic."
_MACHINES = {"A100 80 GB PCIe": "a100-80gb-pcie", "M2": "m2", "M2, by other sources": "m2@huggingface"}


def data() -> Table:  # noqa: D103
    rows = []
    for title, name in _MACHINES.items():
        machine = {"hardware": name, "dtype": "fp16"}
        speed = evaluated("throughput", B=1, model="llama-2-7b", weights="q4_0", **machine)
        rows.append((title, float(of_preset("F", **machine)), float(of_preset("W", **machine)), float(speed)))
    return Table(("Machine", "FLOP/s at fp16", "B/s", "tokens/s, Llama-2-7B in 4 bits, batch 1"), rows)


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    large, small, lower = (row[1:] for row in table.rows)
    for place, (one, other, another) in enumerate(zip(large, small, lower, strict=True)):
        axes.barh(place - 0.19, 1, 0.36, color=ONE)
        axes.barh(place + 0.19, other / one, 0.36, color=TWO)
        axes.text(other / one + 0.02, place + 0.19, f"1/{one / other:.0f}", va="center", color=INK)
        if another != other:
            says = f"(1/{one / another:.0f} by others)"
            axes.text(other / one + 0.15, place + 0.19, says, va="center", color=QUIET)
    axes.set_yticks(range(3), ("arithmetic", "bandwidth", "tokens/s"))
    axes.invert_yaxis()
    axes.set_xlabel("share of the A100's")
    axes.grid(axis="y", visible=False)
    axes.legend(axes.patches[:2], table.column(0)[:2], loc="lower right")


def alt(table: Table) -> str:  # noqa: D103
    large, small, lower = (row[1:] for row in table.rows)
    ratios = [one / other for one, other in zip(large, small, strict=True)]
    return (
        f"Bars. The A100 has {ratios[0]:.0f} times the arithmetic of the M2 (by other sources "
        f"{large[0] / lower[0]:.0f} times), {ratios[1]:.0f} times the "
        f"bandwidth, and generates {ratios[2]:.0f} times as many tokens a second."
    )
