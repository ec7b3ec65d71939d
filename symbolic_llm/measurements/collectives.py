"""Measured all-reduces beside the time that the formula of a ring gives them"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy

from ..api import compile
from ..quantity import of_device
from .machines import source_of
from .measured_set import measured_set
from .rows import Numbers, Rows
from .statistics import line_through

DEVICES: Final = ("a100_sxm", "h100_sxm", "b200_sxm", "l40s")  # of which a preset has a link
LONG = 2**24  # bytes of a message from which a line is drawn
_MESSAGE = ("device", "version", "devices", "bytes")
_OF_A_BLOCK = 2  # all-reduces, by the formula


@cache
def all_reduces() -> Rows:
    """Measured all-reduces on devices whose link has a datasheet, with the `law` (all_reduce_time) in seconds."""
    rows = measured_set("collectives").rows.of(operation="all_reduce")
    return predicted(rows.where(numpy.isin(rows["device"], DEVICES)))


def predicted(rows: Rows) -> Rows:
    """All-reduces with their law, and its two terms: `hops` that a message waits for, and `sending` its bytes."""
    links: dict[str, tuple[float, float]] = {device: _link(device) for device in {*rows["device"].tolist()}}
    bandwidth, latency = (numpy.array([links[device][which] for device in rows["device"].tolist()]) for which in (0, 1))

    def law(values: Numbers, T_link: Numbers) -> Numbers:
        of_a_block = compile("all_reduce_time", n_blocks=1)(
            d_model=values,
            n_bytes_act=rows["bytes"] / rows["values"],
            B=numpy.ones(len(rows)),
            n_tensor=rows["devices"],
            W_link=bandwidth,
            T_link=T_link,
        )
        one: Numbers = of_a_block / _OF_A_BLOCK
        return one

    whole = law(rows["values"], latency)
    sending = law(rows["values"], numpy.zeros(len(rows)))
    return rows.beside(law=whole, sending=sending, hops=whole - sending, ratio=rows["time"] / whole)


def _link(device: str) -> tuple[float, float]:
    preset = str(source_of(device))
    return float(of_device("link", preset)), float(of_device("link_latency", preset))


@dataclass(frozen=True)
class Ring:
    """All-reduces among some devices with one kernel.

    Attributes:
        device: the device.
        kernel: whose kernel.
        devices: how many take part.
        hops: the law's time of an empty message, in seconds.
        floor: the time of the shortest message measured, in seconds.
        W_link: share of the link's bandwidth: the slope of long messages, inverted.
        median: of measured over the law's, of all messages.
        rows: how many messages there are.
    """

    device: str
    kernel: str
    devices: int
    hops: float
    floor: float
    W_link: float
    median: float
    rows: int


def rings(rows: Rows) -> list[Ring]:
    """The rings of each device, kernel and number of devices."""
    found = []
    for (device, kernel, devices), some in rows.groups("device", "kernel", "devices"):
        long = some.where(some["bytes"] >= LONG)
        slope, _ = line_through(long["sending"], long["time"])
        floor = float(some["time"][some["bytes"].argmin()])
        middle = float(numpy.median(some["ratio"]))
        found.append(Ring(device, kernel, int(devices), float(some["hops"][0]), floor, 1 / slope, middle, len(some)))
    return sorted(found, key=lambda one: (one.device, one.devices, one.floor))


@cache
def all_rings() -> tuple[Ring, ...]:
    """The rings of all measured all-reduces."""
    return tuple(rings(all_reduces()))


def each_hop(device: str, kernel: str) -> tuple[float, float]:
    """Growth of the time of the shortest message with each hop, as measured and by the law, in seconds."""
    some = [one for one in all_rings() if (one.device, one.kernel) == (device, kernel)]
    steps = numpy.array([2.0 * (one.devices - 1) for one in some])
    measured, by_law = (
        line_through(steps, numpy.array([getattr(one, name) for one in some]))[0] for name in ("floor", "hops")
    )
    return measured, by_law


@cache
def same_bytes() -> Numbers:
    """Times of messages of one-byte values over those of as many bytes in two-byte values, by one kernel.

    Were a printed size bytes and not values, the same bytes would take half as long or twice.
    """
    rows = measured_set("collectives").rows.of(kernel="NCCL", operation="all_reduce")
    narrow, wide = (
        dict(zip(some.each(*_MESSAGE), some["time"].tolist(), strict=True))
        for some in (rows.where(rows["bytes"] == rows["values"]), rows.where(rows["bytes"] != rows["values"]))
    )
    return numpy.array([time / wide[message] for message, time in narrow.items() if message in wide])
