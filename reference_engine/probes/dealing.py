"""Questions about attention that is data parallel: sequences are dealt out to devices, and heads are not

What a device keeps and reads is put beside what it does where heads are dealt out and every device attends for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..arrays import zeros
from ..parallel import DataParallelAttention
from .answers import Answer, Asked, Count
from .counts import Parts, Passed, Ratio
from .devices import EVEN, STEP, OfEach, shared, together
from .registry import question
from .runs import Passes, Run, Values
from .selecting import BOTH, CACHE, KV, MATRICES, N_BYTES, both, count
from .shaping import devices_of
from .subjects import Subject
from .times import zero


def _started(subject: Subject, values: Values) -> DataParallelAttention:
    made = shared(subject, values, kind=DataParallelAttention)
    assert isinstance(made, DataParallelAttention), "of the kind that is asked for"
    made.start(devices_of(values) * values["batch_each"], values["context"])
    return made


def _dealt_out(subject: Subject, values: Values) -> Passes:
    """A decoding step that brings the context to `context`, of as many sequences on each device."""
    made = _started(subject, values)
    made.context = values["context"] - 1
    batch = devices_of(values) * values["batch_each"]
    made.decode(zeros(batch, int))
    return (Passed(1, together(made), batch),)


def _held(subject: Subject, values: Values) -> Passes:
    return (Passed(1, together(_started(subject, values))),)


_LOAD = ("batch_each", "context")
DEALT_OUT = Run("step of devices with sequences of their own", (*_LOAD, "n_bytes_act"), _dealt_out)
HELD_APART = Run("held by devices with sequences of their own", _LOAD, _held)
ATTENTION_WEIGHTS = tuple(path for path in MATRICES if ".attention." in path)


@dataclass(frozen=True)
class MoreLoaded(Answer):
    """A count of a step whose sequences are dealt out less that of one whose heads are, for a device in the mean."""

    count: Count

    def part(self, paths: tuple[str, ...]) -> MoreLoaded:
        return replace(self, count=self.count.part(paths))

    def of(self, asked: Asked) -> Ratio:
        return Ratio(self.gap(asked), devices_of(asked.values))

    def gap(self, asked: Asked) -> Parts:
        """The same of all devices together."""
        batch = devices_of(asked.values) * asked.values["batch_each"]
        heads = replace(asked, run=STEP, values={**asked.values, "batch": batch})
        return self.count.of(asked) - self.count.of(heads)


@dataclass(frozen=True)
class LessOfEach(Answer):
    """How much less a device loads where sequences are dealt out, in the mean, for each of all sequences."""

    more: MoreLoaded

    def of(self, asked: Asked) -> Ratio:
        devices = devices_of(asked.values)
        return Ratio(self.more.gap(asked) * -1, devices * devices * asked.values["batch_each"])


@dataclass(frozen=True)
class ReadsLess(Answer):
    """Whether a device loads less where sequences are dealt out, in the mean."""

    more: MoreLoaded

    def of(self, asked: Asked) -> bool:
        return bool(self.more.gap(asked).value < 0)


@dataclass(frozen=True)
class ReadsAlike(Answer):
    """At which batch, followed along a straight line, devices load as much either way."""

    more: MoreLoaded

    def of(self, asked: Asked) -> Ratio:
        gaps = ((each, self.more.gap(asked.moved(batch_each=each))) for each in (1, 2))
        over, under = zero(*gaps)
        assert isinstance(over, Parts), "a gap is made of parts"
        return Ratio(over * devices_of(asked.values), under)


_DEALT = (*EVEN, "split latent", "split compressed")
_READ = MoreLoaded(both(count("loaded", *ATTENTION_WEIGHTS), count("loaded", *CACHE)))
question(
    "dealt.cache_bytes",
    "How many bytes do the caches of a device hold that attends for sequences of its own, in the mean?",
    HELD_APART,
    OfEach(count("held", "cache.*")),
    "M_own",
    subjects=_DEALT,
    widths=KV,
)
question(
    "dealt.weights_more",
    "How many more weights of attention does a device load for sequences of its own than for heads of its own?",
    DEALT_OUT,
    MoreLoaded(count("loaded", *ATTENTION_WEIGHTS, each=4)),
    "P_more",
    subjects=(*EVEN, "split compressed"),
    context=1,
    n_bytes_act=4,
)
question(
    "dealt.weight_bytes_more",
    "How many more bytes of attention's weights does a device load for sequences of its own than for heads of its own?",
    DEALT_OUT,
    MoreLoaded(count("loaded", *ATTENTION_WEIGHTS)),
    subjects=(*EVEN, "split compressed"),
    widths=N_BYTES,
    batch_each=1,
    context=1,
    n_bytes_act=4,
)
question(
    "dealt.cache_bytes_less",
    "How many fewer bytes of caches does a device load for sequences of its own, for each of all sequences?",
    DEALT_OUT,
    LessOfEach(MoreLoaded(count("loaded", *CACHE))),
    subjects=_DEALT,
    widths=KV,
    n_bytes_act=4,
)
question(
    "dealt.reads_less",
    "Does attention load less on a device that attends for sequences of its own, and not with heads of its own?",
    DEALT_OUT,
    ReadsLess(_READ),
    subjects=("copied", "split compressed"),
    widths=BOTH,
    n_bytes_act=4,
)
question(
    "dealt.reads_alike",
    "At which batch does attention load as much by sequences as by heads?",
    DEALT_OUT,
    ReadsAlike(_READ),
    "B_own",
    subjects=("copied", "split compressed"),
    widths=BOTH,
    batch_each=1,
    n_bytes_act=4,
)
