"""Questions about machines of which each only prefills or only decodes, and about one that does both in one pass

Machines that only prefill take passes over prompts one after the other, those that only decode take steps; how many
passes a second brings follows from the tokens that a pass was given. The link carries what a pass has put into caches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from .answers import Answer, Asked, Over
from .counts import Exact, Parts, Ratio
from .registry import question
from .runs import HELD, PROMPT, STEP, Run
from .selecting import BOTH, N_BYTES, PASS, PASS_WITH_CACHE, count
from .times import Rate, Time, Tokens


@dataclass(frozen=True)
class Machines(Answer):
    """How many machines are busy with the passes that a second brings, in the mean."""

    time: Time
    by: Run
    tokens: str

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.time.needs, self.tokens)

    def of(self, asked: Asked) -> Ratio:
        return Ratio(*self.busy(asked))

    def busy(self, asked: Asked) -> tuple[Parts, Exact]:
        """What a second's passes do, and what one machine does of it in a second."""
        here = asked.running(self.by)
        done, rate = self.time.done_at(here)
        return done * asked.values[self.tokens], here.passes()[0].tokens * rate


@dataclass(frozen=True)
class OfBoth(Answer):
    """An answer about both kinds of machines."""

    prefilling: Machines
    decoding: Machines

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys((*self.prefilling.needs, *self.decoding.needs)))


class MachinesApart(OfBoth):
    """Both kinds of machines together."""

    def of(self, asked: Asked) -> Ratio:
        (one, under), (two, below) = self.prefilling.busy(asked), self.decoding.busy(asked)
        return Ratio(one * below + two * under, under * below)


class Balance(OfBoth):
    """How many machines of the one kind are busy for each of the other."""

    def of(self, asked: Asked) -> Ratio:
        (one, under), (two, below) = self.prefilling.busy(asked), self.decoding.busy(asked)
        return Ratio(one * below, two * under)


@dataclass(frozen=True)
class IsHandedOnInTime(Answer):
    """Whether a link is done with the caches of one batch of prompts when the next has been prefilled."""

    time: Time
    handed: Over

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.time.needs, *self.handed.needs)

    def of(self, asked: Asked) -> bool:
        each: Fraction = self.time.of(replace(asked, run=PROMPT)).value
        sent: Fraction = self.handed.of(replace(asked, run=HELD)).value
        made, arrived = each, each + sent  # of the first batch
        for _ in range(2):
            made += each
            if arrived > made:
                return False
            arrived = made + sent
        return True


@dataclass(frozen=True)
class MixedIsWithin(Answer):
    """Whether one pass over the tokens of a step and of a prompt takes no longer than a target."""

    time: Time
    needs = ("flops", "bandwidth", "chunk", "target")

    def of(self, asked: Asked) -> bool:
        together = asked.moved(batch=asked.values["batch"] + asked.values["chunk"])
        return bool(self.time.of(together).value <= asked.values["target"])


_DENSE = ("llama", "mixed", "windowed")
_TIME = Time(PASS_WITH_CACHE)
_PREFILLING, _DECODING = Machines(_TIME, PROMPT, "arriving"), Machines(_TIME, STEP, "wanted")
question(
    "apart.prefill_throughput",
    "Of how many prompt tokens does a prefill give logits, in which time, cache reads and attention included?",
    PROMPT,
    Rate(PASS_WITH_CACHE),
    "R_prefill",
    subjects=_DENSE,
    widths=BOTH,
)
question(
    "apart.prefill_machines",
    "How many machines are busy with prefilling the prompt tokens that arrive in a second?",
    PROMPT,
    _PREFILLING,
    subjects=_DENSE,
    widths=BOTH,
)
question(
    "apart.machines",
    "How many machines are busy that only prefill or only decode, with what a second brings of both?",
    PROMPT,
    MachinesApart(_PREFILLING, _DECODING),
    "n_apart",
    subjects=_DENSE,
    widths=BOTH,
)
question(
    "apart.balance",
    "How many machines that only prefill are busy for each that only decodes?",
    PROMPT,
    Balance(_PREFILLING, _DECODING),
    "r_apart",
    subjects=_DENSE,
    widths=BOTH,
)
question(
    "apart.is_handed_on_in_time",
    "Is a link done with the caches of one batch of prompts when the next has been prefilled?",
    PROMPT,
    IsHandedOnInTime(_TIME, Over(count("held", "cache.*"), "transfer")),
    subjects=("llama", "experts"),
    widths=BOTH,
)
question(
    "apart.mixed_within_target",
    "Does one pass over the tokens of a step and of a prompt take no longer than a target?",
    STEP,
    MixedIsWithin(Time(PASS)),
    subjects=("llama", "latent"),
    widths=N_BYTES,
)
question(
    "apart.tokens_of_a_prefill",
    "Of how many tokens does a prefill give logits?",
    PROMPT,
    Tokens(),
    subjects=_DENSE,
)
