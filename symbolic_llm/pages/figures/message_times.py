"""Time of an all-reduce against the bytes of its vector: latency up to a corner, bytes beyond, and what clocks say"""

from __future__ import annotations

from typing import Any

from ...measurements.collectives import all_reduces
from ...measurements.machines import source_of
from ...quantity import evaluated, of_preset
from ..examples import Example
from . import FOUR, INK, ONE, QUIET, Axes, Table, across, up

SIZE = (4.6, 2.7)
_DEVICES = (2, 4, 8, 16)
_CLOCKED = 8  # devices of which measurements are shown
_KERNELS = {"NCCL": "NCCL", "TRTLLM": "TensorRT-LLM"}
_SIZES = tuple(2**power for power in range(10, 29, 2))  # bytes


def title(example: Example) -> str:  # noqa: D103
    return (
        f"One all-reduce in a ring of {example.device}s by the law. A cross: where latency and bytes take equally "
        f"long. Dots: {_CLOCKED} with SXM by the clock, filled with NCCL and open with TensorRT-LLM."
    )


def _clock(hardware: str, kernel: str) -> dict[float, float]:
    """Measured seconds by bytes, of values of two bytes."""
    rows = all_reduces().of(devices=_CLOCKED, kernel=kernel)
    rows = rows.where(rows["bytes"] == 2 * rows["values"])
    (device,) = (one for one in {*rows["device"].tolist()} if source_of(one) == hardware)
    some = rows.of(device=device)
    return dict(zip(some["bytes"].tolist(), some["time"].tolist(), strict=True))


def data(example: Example) -> Table:  # noqa: D103
    rings = [*((example.large, t) for t in _DEVICES), (example.large.slotted, _CLOCKED)]
    letters = [{one: of_preset(one, **on) for one in ("T_link", "W_link")} | {"n_tensor": t} for on, t in rings]

    def law(size: float, ring: dict[str, Any]) -> float:
        alone = {"n_reduces": 1, "B": 1, "d_model": size / 2, "n_bytes_act": 2}
        return float(evaluated("all_reduce_time", **alone, **ring)) * 1e6

    clocks = [_clock(example.large.hardware, kernel) for kernel in _KERNELS]
    rows = [(size, *(law(size, ring) for ring in letters), *(clock[size] * 1e6 for clock in clocks)) for size in _SIZES]
    corners = [float(ring["n_tensor"] * ring["T_link"] * ring["W_link"]) for ring in letters]
    vector = int(of_preset("d_model", model=example.large.model) * of_preset("n_bytes_act", dtype=example.dtype))
    head = (*(f"µs, {t} devices, SXM" for t in _DEVICES), f"µs, {_CLOCKED} devices, PCIe")
    more = {"corners": [(size, law(size, ring)) for size, ring in zip(corners, letters, strict=True)], "vector": vector}
    return Table(("bytes", *head, *(f"µs, {name}" for name in _KERNELS.values())), rows, more)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    sizes, lines = table.column(0), len(table.more["corners"])
    for place in range(lines):
        colour, t = (ONE, _DEVICES[place]) if place < len(_DEVICES) else (FOUR, _CLOCKED)
        times = table.column(place + 1)
        axes.loglog(sizes, times, color=colour, linewidth=1.8 if t == _CLOCKED else 0.9)
        axes.loglog(*table.more["corners"][place], "x", color=INK, markersize=5, zorder=3)
        if colour == ONE:
            axes.text(900, times[0], str(t), color=colour, ha="right", va="center")
    axes.loglog(sizes, table.column(lines + 1), "o", color=INK, markersize=3)
    axes.loglog(sizes, table.column(lines + 2), "o", color=INK, markersize=4, markerfacecolor="none")
    axes.axvline(table.more["vector"], color=QUIET, linewidth=0.8, linestyle=":")
    axes.text(table.more["vector"] * 1.15, 2.2e4, "one token", color=INK, va="top")
    axes.text(2e6, 500, f"{_CLOCKED}, PCIe", color=FOUR, ha="right")
    axes.text(6e7, 150, "SXM", color=ONE)
    across(axes, "bytes of the vectors", (300, 4e8), {1e3: "1 kB", 1e6: "1 MB"}, log=True)
    up(axes, "microseconds", (0.9, 3e4), (1, 10, 100, 1000, 10000), log=True)


def alt(table: Table) -> str:  # noqa: D103
    first, last, many = table.rows[0], table.rows[-1], len(_DEVICES)
    eight = 1 + _DEVICES.index(_CLOCKED)
    return (
        f"Lines of time against bytes, level at first and then straight up. Level they are apart: {first[1]:.1f} to "
        f"{first[many]:.0f} µs for {_DEVICES[0]} to {_DEVICES[-1]} devices with SXM. With {last[0] / 1e6:.0f} MB they "
        f"lie together, and {_CLOCKED} take {last[eight] / 1e3:.1f} ms; with PCIe {last[many + 1] / 1e3:.0f}. By the "
        f"clock {_CLOCKED} with SXM take {first[-2]:.0f} µs with NCCL and {first[-1]:.1f} with TensorRT-LLM at first, "
        f"{last[-2] / 1e3:.1f} ms at last."
    )
