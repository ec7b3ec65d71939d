"""Devices that share a step evenly, stages in a row, experts apart: questions that need no decoder to be answered"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from ..arrays import ones
from ..formats import of_width
from ..ledger import Ledger, Tally
from ..parallel import Link, Ring
from ..parallel.experts import exchange
from ..parallel.stages import Schedule
from ..parallel.stages import run as scheduled
from .counts import Parts, Passed, Ratio
from .ideal_machine import at_place, unless_clock
from .ledger_selections import count
from .measures import Answer, Asked, Given, Tokens, zero
from .registry import Probe, about
from .runs import Passes, Run, Values
from .subjects import Subject

# Stages


def _through(values: Values, work: Any = 1, hop: Any = 0) -> Schedule:
    stages, batches, sequences = (index(values.get(name, 1)) for name in ("stages", "micro", "batch"))
    return scheduled([lambda batch: batch] * stages, [np.zeros(sequences)] * batches, work, hop)


def _stages(_: Subject, values: Values) -> Passes:
    """Micro-batches through stages, in slots: the time that a stage takes for one."""
    done, ledger = _through(values), Ledger()
    ledger.entries["stages.busy", "slot"] = Tally(flops=int(sum(done.busy)))
    ledger.entries["stages.idle", "slot"] = Tally(flops=int(sum(done.idle)))
    ledger.entries["stages", "send"] = Tally(messages=done.handed_on)
    return (Passed(1, ledger, sum(batch.size for batch in done.made.values())),)


STAGES = Run("stages", (), _stages)
BATCHES = Run("batches through stages", ("batch",), _stages)
_SLOTS, _IDLE = count("flops", "stages.*"), count("flops", "stages.idle")


@dataclass(frozen=True)
class Through(Answer):
    """Time at which the last micro-batch is through all stages.

    The answer is the slots of one stage and the hops of one micro-batch if the clock shows just that, else its time.
    """

    figures = ("stage_time", "hop_time")

    def of(self, asked: Asked) -> Ratio:
        stages, batches = (asked.values.get(name, 1) for name in ("stages", "micro"))
        work, hop = (asked.values[name] for name in self.figures)
        slots = _SLOTS.of(replace(asked, run=STAGES)) * (work * batches)
        hops = count("messages").of(replace(asked, run=STAGES)) * (hop * stages)
        clock = _through(asked.values, *map(at_place, (work, hop))).end
        return Ratio(*unless_clock(slots + hops, stages * batches, clock))


def _message(_: Subject, values: Values) -> Passes:
    """A message from a device to the next."""
    ring = Ring([Ledger()], of_width(values["n_bytes_act"]))
    ring.send(0, ones((values["batch"], values["d_model"])))
    return (Passed(1, ring.ledgers[0]),)


MESSAGE = Run("message", ("batch", "n_bytes_act"), _message)


@dataclass(frozen=True)
class Hop(Answer):
    """Time at which a message has arrived.

    The answer is its latency and the time of its bytes if the clock shows just that, else the clock's.
    """

    figures = ("link_latency", "link_bandwidth")

    def of(self, asked: Asked) -> Ratio:
        latency, bandwidth = (asked.values[name] for name in self.figures)
        messages, sent = (count(what).of(asked) for what in ("messages", "sent"))
        values = {name: at_place(value) for name, value in asked.values.items()}
        ring = Ring([Ledger()], of_width(values["n_bytes_act"]), Link(at_place(latency), at_place(bandwidth)))
        clock = ring.send(0, ones((values["batch"], values["d_model"])))
        return Ratio(*unless_clock(messages * (latency * bandwidth) + sent, bandwidth, clock))


about(MESSAGE, "vectors")(
    "stages.hop_time", "When have the vectors of all new tokens arrived at the next device?", Hop(), "T_hop"
)
about(STAGES, "stages")(
    "stages.bubble",
    "For how much of the time until the last micro-batch is through does a stage wait?",
    _IDLE / _SLOTS,
    "x_bubble",
)
about(STAGES, "stages")("stages.time", "When is the last micro-batch through all stages?", Through(), "T_pipeline")
about(BATCHES, "stages")(
    "stages.tokens", "For how many tokens are there logits when the last micro-batch is through all stages?", Tokens()
)
about(BATCHES, "stages")(
    "stages.throughput",
    "For how many tokens are there logits when the last micro-batch is through all stages, in which time?",
    Tokens() / Through(),
    "R",
)
# Experts apart


def _apart(_: Subject, values: Values) -> Passes:
    """Exchanges of tokens with experts, as many as there are experts: each token is sent to all in turn."""
    devices, active = values["expert_devices"], values["n_active"]
    experts = devices * (active + values["idle"])
    ledger, vectors = Ledger(), ones((values["batch"], values["d_model"]))
    for turn in range(experts):
        routes = [[(turn + i) % experts for i in range(active)]] * values["batch"]
        for _block in range(values["n_moe"]):
            made = exchange(ledger, vectors, routes, [np.negative] * experts, devices, of_width(values["n_bytes_act"]))
            assert (made == -active * vectors).all(), "what comes back is what the experts have made"
    return (Passed(1, ledger),)


APART = Run("experts apart", ("batch", "n_bytes_act"), _apart)
_EXCHANGES = Given("expert_devices") * (Given("n_active") + "idle")


about(APART, "apart")(
    "experts.bytes_exchanged",
    "How many bytes does a device send to experts of others and back, in the mean over devices and routings?",
    count("sent") / (_EXCHANGES * "expert_devices"),
    "D_exchange",
)

# One more device


_PIECES = 60  # numbers of a vector: they can be cut evenly for up to 6 devices


def _time_on(devices: int, numbers: int, values: Values) -> Any:
    """Time of a step on so many devices: an even share of the work before each all-reduce of so many numbers."""
    reduces, link = 2 * values["n_blocks"], Link(values["link_latency"], values["link_bandwidth"])
    ring = Ring([Ledger() for _ in range(devices)], of_width(values["n_bytes_act"]), link)
    for _ in range(reduces):
        ring.clocks = [clock + Fraction(values["work"]) / (reduces * devices) for clock in ring.clocks]
        ring.all_reduce([np.ones(numbers)] * devices)
    return max(ring.clocks)


def _gain(devices: int, numbers: int, values: Values) -> Any:
    """Time that a step saves on one device more."""
    return _time_on(devices, numbers, values) - _time_on(devices + 1, numbers, values)


_A_LITTLE = Fraction(1, 10**9)


class _OneMore(Answer):
    """An answer that depends on what one device more saves."""

    figures = ("work", "link_latency", "link_bandwidth")

    @abstractmethod
    def tried(self, values: Values) -> Iterator[tuple[int, int]]:
        """Devices to which one is added, and the numbers of a vector that can be cut evenly for either."""

    def edges(self, probe: Probe, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Places where so many devices are just as fast as one more, and where a little more or less is to do."""
        for tried in self.tried(values):
            just = zero(*((work, Parts({"": _gain(*tried, {**values, "work": work})})) for work in (1, 2))).value
            for enough in (just * (1 + _A_LITTLE), just, just * (1 - _A_LITTLE)):
                yield {name: values[name] for name in probe.parameters} | {"work": enough}


@dataclass(frozen=True)
class Sooner(_OneMore):
    """Whether a step takes less time on one device more."""

    def tried(self, values: Values) -> Iterator[tuple[int, int]]:
        devices = values["devices"]
        yield devices, values["batch"] * devices * (devices + 1) * values["piece"]

    def of(self, asked: Asked) -> bool:
        (tried,) = self.tried(asked.values)
        return bool(_gain(*tried, asked.values) > 0)


@dataclass(frozen=True)
class Fastest(_OneMore):
    """Number of devices on which a step takes the least time, the largest if there are several: by trying all."""

    def tried(self, values: Values) -> Iterator[tuple[int, int]]:
        for devices in (1, 3, 4):
            yield devices, self.numbers(values)

    def numbers(self, values: Values) -> int:
        """The numbers of a vector."""
        return int(values["batch"] * _PIECES * values["piece"])

    def of(self, asked: Asked) -> int:
        times = [_time_on(devices, self.numbers(asked.values), asked.values) for devices in range(1, 8)]
        assert times[-1] > min(times), "the fastest number is among those that are tried"
        return 1 + max(place for place, time in enumerate(times) if time == min(times))


about(None, "any number", more=("batch", "n_bytes_act"))(
    "devices.fastest",
    "On how many devices does a step take the least time, all-reduces included?",
    Fastest(),
    "n_fastest",
)
about(None, "pieces", more=("batch", "n_bytes_act"))(
    "devices.one_more_is_sooner", "Does a step take less time on one device more, all-reduces included?", Sooner()
)
