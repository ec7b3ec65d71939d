"""A token on several devices: each one's share of the work falls, what they send each other grows"""

from __future__ import annotations

from ...quantity import evaluated
from ..examples import Example
from . import FOUR, INK, ONE, QUIET, TWO, Axes, Table, across, pointed, up

SIZE = (4.6, 2.4)
_DEVICES = (1, 2, 4, 8, 16, 32, 64)  # what 64 query heads can be dealt out to evenly


def title(example: Example) -> str:  # noqa: D103
    large = example.large
    return (
        f"A token of {large.title}, {large.dtype}, for one reader with 4,096 tokens, on {large.device}s that share "
        "every layer, with SXM or with PCIe."
    )


def data(example: Example) -> Table:  # noqa: D103
    rows = []
    for t in _DEVICES:
        on = [{**machine, "B": 1, "n_tensor": t} for machine in (example.large, example.large.slotted)]
        whole = [float(evaluated("tensor_parallel_latency", N=4096, **each)) * 1000 for each in on]
        sent = float(evaluated("all_reduce_time", **on[0])) * 1000 if t > 1 else 0.0  # nobody to send to
        rows.append((t, whole[0] - sent, sent, *whole))
    return Table(("devices", "ms, own share, SXM", "ms, all-reduces, SXM", "ms, token, SXM", "ms, token, PCIe"), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    devices, share, sent, sxm, pcie = map(table.column, range(5))
    axes.loglog(devices, share, color=TWO, linestyle=(0, (2, 2)))
    axes.loglog(devices[1:], sent[1:], color=FOUR, linestyle=(0, (2, 2)))
    axes.loglog(devices, pcie, color=QUIET, linewidth=1.2)
    axes.loglog(devices, sxm, color=ONE, marker="o", markersize=4)
    fastest = min(table.rows, key=lambda row: row[3])
    words = f"fastest: {fastest[0]} devices,\n{fastest[3]:.1f} ms"
    pointed(axes, words, (fastest[0], fastest[3]), (9, 42), "left")
    axes.text(1.05, sxm[0] * 0.45, "a token,\nSXM", color=ONE, va="top")
    axes.text(60, pcie[-1] * 1.2, "a token, PCIe", color=INK, ha="right")
    axes.text(60, share[-1] * 0.8, "each one's share", color=TWO, ha="right", va="top")
    axes.text(4.5, sent[2] * 0.85, "all-reduces", color=FOUR, va="top")
    across(axes, "devices", (0.95, 68), devices, log=True)
    up(axes, "milliseconds", (0.15, 90), (1, 10), log=True)


def alt(table: Table) -> str:  # noqa: D103
    first, last = table.rows[0], table.rows[-1]
    fastest, other = (min(table.rows, key=lambda row: row[place]) for place in (3, 4))
    return (
        f"Lines against the number of devices. Each one's share falls from {first[1]:.0f} to {last[1]:.1f} ms, the "
        f"all-reduces grow to {last[2]:.0f} ms. A token takes {fastest[3]:.1f} ms at best, on {fastest[0]} devices, "
        f"and {last[3]:.0f} ms on {last[0]}; with PCIe {other[4]:.1f} ms at best, on {other[0]} of these numbers."
    )
