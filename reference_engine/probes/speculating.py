"""Questions about speculative decoding: how many tokens a step gives, and how long draft and verification take

Whether a drafted token is accepted is drawn by lot: of `accepted` and `rejected` lots together, all are as likely as
each other, for each token anew. All ways in which the lots can fall are gone through, token by token, so what is
expected is exact. How long the verification takes is what a clock says of a pass that was run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from .answers import Answer, Asked, Over
from .counts import Ratio
from .registry import question
from .runs import STEP, VERIFIED, Run
from .selecting import BOTH, N_BYTES, PASS, PASS_WITH_CACHE
from .times import IsMemoryTime, Time

_LOTS = ("accepted", "rejected")
_DRAFT = ("draft_length", "draft_time")
_DENSE = ("llama", "latent")  # that attend to the whole context


def _ways(accepted: int, rejected: int, drafted: int) -> Iterator[tuple[int, int]]:
    """How many drafted tokens are kept, and in how many ways the lots of all of them fall like that."""
    ways: dict[tuple[bool, ...], int] = {(): 1}
    for _ in range(drafted):
        longer: dict[tuple[bool, ...], int] = {}
        for fallen, number in ways.items():
            for kept, lots in ((True, accepted), (False, rejected)):
                # after the first that is not kept it makes no difference how the lots fall
                then = (*fallen, kept) if all(fallen) else fallen
                longer[then] = longer.get(then, 0) + number * lots
        ways = longer
    for fallen, number in ways.items():
        yield sum(fallen), number


def _expected(asked: Asked, drafted: int) -> Ratio:
    """How many tokens a step gives: those that are kept, and one that the target gives itself."""
    accepted, rejected = (asked.values[name] for name in _LOTS)
    tokens = sum((kept + 1) * ways for kept, ways in _ways(accepted, rejected, drafted))
    return Ratio(tokens, (accepted + rejected) ** drafted)


@dataclass(frozen=True)
class DraftedTokens(Answer):
    """How many tokens a sequence is expected to get from a step of draft and verification."""

    needs = (*_LOTS, "draft_length")

    def of(self, asked: Asked) -> Ratio:
        return _expected(asked, asked.values["draft_length"])


@dataclass(frozen=True)
class ShareRejected(Answer):
    """In which share of all ways one token at least is rejected, of as many as are drafted and one more."""

    needs = (*_LOTS, "draft_length")

    def of(self, asked: Asked) -> Ratio:
        (accepted, rejected), number = (asked.values[name] for name in _LOTS), asked.values["draft_length"] + 1
        not_all = sum(ways for kept, ways in _ways(accepted, rejected, number) if kept < number)
        return Ratio(not_all, (accepted + rejected) ** number)


@dataclass(frozen=True)
class DraftedTime(Answer):
    """How long a step takes that drafts tokens one after the other and verifies them by a pass."""

    passed: Time
    by: Run
    needs = ("flops", "bandwidth", *_DRAFT)

    def of(self, asked: Asked) -> Ratio:
        done, rate = self.passed.done_at(replace(asked, run=self.by))
        drafting = asked.values["draft_time"] * asked.values["draft_length"]
        return Ratio(done.value + drafting * rate, rate)


@dataclass(frozen=True)
class SpeedUp(Answer):
    """How many times as many tokens come in a second as in plain steps."""

    step: Time
    drafted: DraftedTime

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.drafted.needs, *_LOTS)

    def of(self, asked: Asked) -> Ratio:
        tokens = _expected(asked, asked.values["draft_length"]).value
        return Ratio(tokens * self.step.of(replace(asked, run=STEP)).value, self.drafted.of(asked).value)


@dataclass(frozen=True)
class GainsNothing(Answer):
    """Whether the tokens of a step with a draft take no longer in plain steps, or less time even."""

    gain: SpeedUp
    costs: bool = False

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.gain.needs

    def of(self, asked: Asked) -> bool:
        gain = self.gain.of(asked).value
        return gain < 1 if self.costs else gain <= 1


@dataclass(frozen=True)
class GainsByOneMore(Answer):
    """Whether a token takes less time where one more is drafted."""

    drafted: DraftedTime

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.drafted.needs, *_LOTS)

    def of(self, asked: Asked) -> bool:
        longer = asked.moved(draft_length=asked.values["draft_length"] + 1)
        each = (
            self.drafted.of(one).value / _expected(one, one.values["draft_length"]).value for one in (longer, asked)
        )
        more, now = each
        return bool(more < now)


_PLAIN = Time(PASS_WITH_CACHE)
_VERIFYING, _FREE = DraftedTime(_PLAIN, VERIFIED), DraftedTime(_PLAIN, STEP)
_ask = partial(question, subjects=_DENSE)

_ask(
    "speculation.tokens",
    "How many tokens does a sequence get from a step, in the mean over all ways in which drafted tokens are accepted?",
    None,
    DraftedTokens(),
    "n_step",
)
_ask(
    "speculation.share_rejected",
    "In which share of all ways is one token at least rejected, of those that are drafted and one more?",
    None,
    ShareRejected(),
)
_ask(
    "speculation.verification_reads",
    "How many bytes of weights and cache does a pass over a draft load, at how many bytes a second?",
    VERIFIED,
    Over(PASS_WITH_CACHE.loads, "bandwidth"),
    widths=BOTH,
)
_ask(
    "speculation.verification_time",
    "How long does a pass over a draft and the token before it take on the ideal machine, cache reads included?",
    VERIFIED,
    _PLAIN,
    "T_verify",
    widths=BOTH,
)
_ask(
    "speculation.is_free",
    "Does a pass over a draft take exactly as long as its weights are loaded?",
    VERIFIED,
    IsMemoryTime(PASS),
    widths=N_BYTES,
)
_ask(
    "speculation.step_time",
    "How long do a draft and the pass over it take, one after the other?",
    VERIFIED,
    _VERIFYING,
    widths=BOTH,
)
_ask(
    "speculation.speed_up",
    "How many times as many tokens come in a second as in plain decoding steps?",
    VERIFIED,
    SpeedUp(_PLAIN, _VERIFYING),
    "S_draft",
    widths=BOTH,
)
_ask(
    "speculation.only_costs",
    "Do tokens come slower than in plain decoding steps?",
    VERIFIED,
    GainsNothing(SpeedUp(_PLAIN, _VERIFYING), costs=True),
    widths=BOTH,
)
_ask(
    "speculation.gains_by_one_more",
    "Does a token take less time where one more is drafted, and a pass over the draft as long as a plain step?",
    STEP,
    GainsByOneMore(_FREE),
    widths=BOTH,
    more=("draft_length",),
)
_ask(
    "speculation.gains_nothing",
    "Do tokens come no faster than in plain steps, where a pass over the draft takes as long as one of them?",
    STEP,
    GainsNothing(SpeedUp(_PLAIN, _FREE)),
    widths=BOTH,
)
