"""Questions about a machine or a model that is changed: fewer bytes, faster arithmetic, a pass that starts late"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from . import clock
from .answers import Answer, Asked
from .counts import Parts, Ratio
from .registry import question
from .runs import STEP
from .selecting import ATTENTION, DENSE, KV, N_BYTES, PASS, of_models
from .subjects import MODELS
from .times import IsBound, Load, Time


@dataclass(frozen=True)
class Late(Answer):
    """When the loads of a pass are done that start after an overhead, on an ideal machine."""

    load: Load
    needs = ("bandwidth", "overhead")

    def of(self, asked: Asked) -> Ratio:
        bandwidth, overhead = asked.values["bandwidth"], asked.values["overhead"]
        done = clock.run(self.load.loads.of(asked), Parts(), bandwidth, bandwidth, overhead).done
        return Ratio(done + Parts({"overhead": overhead * bandwidth}), bandwidth)


@dataclass(frozen=True)
class Gain(Answer):
    """How many times as long it takes until the loads are done as where a weight takes other bytes."""

    late: Late
    needs = (*Late.needs, "n_bytes_2")

    def of(self, asked: Asked) -> Ratio:
        (time, _), (other, _) = (
            self.late.of(at) for at in (asked, asked.moved(n_bytes=asked.values["n_bytes_2"]))
        )  # both at one bandwidth
        return Ratio(time, other)


@dataclass(frozen=True)
class GainsLess(Answer):
    """Whether the quotient of the two times is less than that of the bytes that are loaded."""

    late: Late
    needs = Gain.needs

    def of(self, asked: Asked) -> bool:
        other = asked.moved(n_bytes=asked.values["n_bytes_2"])
        loads, others = (self.late.load.loads.of(at).value for at in (asked, other))
        return bool(Gain(self.late).of(asked).value < Fraction(1) * loads / others)


@dataclass(frozen=True)
class IsFaster(Answer):
    """Whether a pass takes less time where one parameter has the value of another one."""

    time: Time
    one: str
    other: str

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.time.needs, self.other)

    def of(self, asked: Asked) -> bool:
        changed = asked.moved(**{self.one: asked.values[self.other]})
        return bool(self.time.of(changed).value < self.time.of(asked).value)


LATE = Late(PASS)
of_models(
    "clock.read_time_after_overhead",
    "When are the weights of a decoding step loaded, if that starts after an overhead?",
    STEP,
    LATE,
    "T_read",
    widths=N_BYTES,
)
of_models(
    "clock.gain_of_other_bytes",
    "How many times as long does loading take, overhead included, as with other bytes for each weight?",
    STEP,
    Gain(LATE),
    "G",
    widths=N_BYTES,
)
question(
    "clock.other_bytes_are_faster",
    "Is a decoding step faster with other bytes for each weight, on the same arithmetic?",
    STEP,
    IsFaster(Time(PASS), "n_bytes", "n_bytes_2"),
    subjects=DENSE,
    widths=N_BYTES,
)
question(
    "clock.other_arithmetic_is_faster",
    "Is a decoding step faster on other arithmetic, with the same bytes for each weight?",
    STEP,
    IsFaster(Time(PASS), "flops", "flops_2"),
    subjects=DENSE,
    widths=N_BYTES,
)
question(
    "clock.gain_is_below_share",
    "Does a step, overhead included, get faster by less than its bytes get fewer?",
    STEP,
    GainsLess(LATE),
    subjects=MODELS,
    widths=N_BYTES,
)
of_models(
    "clock.attention_is_memory_bound",
    "Are scores and weighted sums of a decoding step done before the cache is read?",
    STEP,
    IsBound(ATTENTION),
    widths=KV,
)
