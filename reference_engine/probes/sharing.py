"""Devices that share a step evenly, stages in a row, experts apart: questions that need no decoder to be answered"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from ..arrays import ones, sized, zeros
from ..formats import of_width
from ..ledger import Ledger
from ..parallel import Link, Ring
from ..parallel.experts import exchange
from ..parallel.stages import enter_slots, run
from .counts import Passed
from .ledger_selections import count
from .measures import Answer, Asked, Given, Tokens, zero
from .registry import Probe, about
from .runs import Passes, Run, Values
from .subjects import Subject
from .time_measures import OnClock

# Stages


def _stages(_: Subject, values: Values) -> Passes:
    """Micro-batches through stages, in slots, and the sequences that are through at the end."""
    ledger = Ledger()
    enter_slots(ledger, values["stages"], values["micro"])
    return (Passed(1, ledger, zeros((values["micro"], values.get("batch", 1))).size),)


def _clocked_stages(_: Subject, values: Values) -> Passes:
    """Micro-batches through stages that take their time for one, with the hops between them."""
    stages, batches = (index(values.get(name, 1)) for name in ("stages", "micro"))
    done = run([abs] * stages, [1] * batches, values["stage_time"], values["hop_time"])
    return (Passed(1, Ledger(), clock=done.end),)


STAGES = Run("stages", (), _stages)
BATCHES = Run("batches through stages", ("batch",), _stages)
CLOCKED_STAGES = Run("stages with a clock", ("stage_time", "hop_time"), _clocked_stages)
_SLOTS, _IDLE = count("flops", "stages.*"), count("flops", "stages.idle")
# the slots of one stage, and the hops of one micro-batch
_TIME = _SLOTS / "stages" * "stage_time" + count("messages") / "micro" * "hop_time"
_THROUGH = OnClock(_TIME, CLOCKED_STAGES, numbers=("stages", "micro"))


def link_of(values: Values) -> Link | None:
    """The link that a run has: none where nothing says how long a message is on its way."""
    return Link(values["link_latency"], values.get("link_bandwidth")) if "link_latency" in values else None


def _message(_: Subject, values: Values) -> Passes:
    """A message from a device to the next."""
    ring = Ring([Ledger()], of_width(values["n_bytes_act"]), link_of(values))
    arrived = ring.send(0, ones((values["batch"], values["d_model"])))
    return (Passed(1, ring.ledgers[0], clock=arrived),)


LINK = ("link_latency", "link_bandwidth")
MESSAGE = Run("message", ("batch", "n_bytes_act"), _message)
CLOCKED_MESSAGE = Run("message with a clock", (*MESSAGE.takes, *LINK), _message)
LATENCIES = count("messages") * "link_latency"  # times of a run's messages, one after the other: without their bytes,
MESSAGES = LATENCIES + count("sent") / "link_bandwidth"  # and with them


about(MESSAGE, "vectors")(
    "stages.hop_time",
    "When have the vectors of all new tokens arrived at the next device?",
    OnClock(MESSAGES, CLOCKED_MESSAGE),
    "T_hop",
)
about(STAGES, "stages")(
    "stages.bubble",
    "For how much of the time until the last micro-batch is through does a stage wait?",
    _IDLE / _SLOTS,
    "x_bubble",
)
about(STAGES, "stages")("stages.time", "When is the last micro-batch through all stages?", _THROUGH, "T_pipeline")
about(BATCHES, "stages")(
    "stages.tokens", "For how many tokens are there logits when the last micro-batch is through all stages?", Tokens()
)
about(BATCHES, "stages")(
    "stages.throughput",
    "For how many tokens are there logits when the last micro-batch is through all stages, in which time?",
    Tokens() / _THROUGH,
    "R",
)
# Experts apart


def _apart(_: Subject, values: Values) -> Passes:
    """Exchanges of tokens with experts, as many as there are experts: each token is sent to all in turn.

    It begins with those of its own device.
    """
    devices, active, tokens = (values[name] for name in ("expert_devices", "n_active", "batch"))
    each = active + values["idle"]  # experts of a device
    ledger, vectors, experts = Ledger(), ones((tokens, values["d_model"])), [np.negative] * (devices * each)
    token, choice = np.indices((tokens, active))
    for farther in ledger.loop(devices):
        for turn in ledger.loop(each):
            routes = (token + farther) % devices * each + (turn + choice) % each
            for _block in ledger.loop(values["n_moe"]):
                routed, format = sized(routes, (tokens, active)), of_width(values["n_bytes_act"])
                made = exchange(ledger, vectors, routed, experts, devices, format)
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
    reduces = 2 * values["n_blocks"]
    ring = Ring([Ledger() for _ in range(devices)], of_width(values["n_bytes_act"]), link_of(values))
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

    figures = ("work", *LINK)

    @abstractmethod
    def tried(self, values: Values) -> Iterator[tuple[int, int]]:
        """Devices to which one is added, and the numbers of a vector that can be cut evenly for either."""

    def edges(self, probe: Probe, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Places where so many devices are just as fast as one more, and where a little more or less is to do."""
        for tried in self.tried(values):
            just = zero(*((work, _gain(*tried, {**values, "work": work})) for work in (1, 2)))
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
