"""Several devices: what they hold, do and send when they share a decoder, and questions about it"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from ..formats import FORMATS
from ..ledger import Ledger, Tally
from ..parallel import TensorParallel
from .answers import Answer, Asked, Count
from .counts import Passed, Ratio
from .registry import question
from .runs import Passes, Run, Values
from .selecting import count
from .subjects import Subject, devices_of

_USUAL = Fraction(4)


def _shared(subject: Subject, values: Values) -> TensorParallel:
    weights, cache, messages = (Fraction(values.get(name, _USUAL)) for name in ("n_bytes", "n_bytes_kv", "n_bytes_act"))
    config = subject.config(values, n_bytes=weights, n_bytes_kv=cache)
    return TensorParallel(config, devices_of(values), messages=FORMATS[messages])


def _step(subject: Subject, values: Values) -> Passes:
    """A decoding step: what the first device does, which has no less than any other, and the messages of all."""
    made, batch, context = _shared(subject, values), values["batch"], values["context"]
    made.start(batch, context)
    made.context = context - 1
    made.decode(np.zeros(batch, int))
    return (Passed(1, _first_and_messages([share.ledger for share in made.shares]), batch),)


def _held(subject: Subject, values: Values) -> Passes:
    """What the first device holds."""
    made = _shared(subject, values)
    if "batch" in values:
        made.start(values["batch"], values["context"])
    return (Passed(1, made.shares[0].ledger),)


def _first_and_messages(ledgers: list[Ledger]) -> Ledger:
    found = ledgers[0].taken()
    for at in [at for at in found.entries if at[1] == "send"]:
        every = [found.entries[at], *(ledger.entries[at] for ledger in ledgers[1:])]
        sent, messages = sum(one.sent for one in every), sum(one.messages for one in every)
        found.entries[at] = Tally(sent=sent, messages=messages)
    return found


STEP = Run("step on several devices", ("batch", "context", "n_bytes_act"), _step)
WEIGHTS = Run("weights on several devices", (), _held)
HELD = Run("held on several devices", ("batch", "context"), _held)


@dataclass(frozen=True)
class OfEach(Answer):
    """A count over all devices, for one of them in the mean."""

    count: Count

    def part(self, paths: tuple[str, ...]) -> OfEach:
        return replace(self, count=self.count.part(paths))

    def of(self, asked: Asked) -> Ratio:
        return Ratio(self.count.of(asked), devices_of(asked.values))


SHARED = ("shared", "copied", "uneven", "shared latent")
of_devices = partial(question, subjects=SHARED)
of_devices(
    "devices.bytes_sent",
    "How many bytes does a device send in a decoding step, in the mean over all that share it?",
    STEP,
    OfEach(count("sent")),
    "D_reduce",
)
