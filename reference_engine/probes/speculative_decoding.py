"""Questions about speculative decoding: how many tokens a step gives, and how long draft and verification take

Whether a drafted token is accepted is drawn by lot: of `accepted` and `rejected` lots together, all are as likely as
each other, for each token anew. All ways in which the lots can fall are gone through, token by token, so what is
expected is exact. How long the verification takes is what a clock says of a pass that was run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from .ledger_selections import PASS, PASS_WITH_CACHE
from .measures import Answer, Asked, Combined, Given, elsewhere
from .registry import about
from .runs import STEP, VERIFIED
from .time_measures import Time, is_memory_time

_LOTS = ("accepted", "rejected")
_DENSE = ("llama", "latent")  # that attend to the whole context


def _ways(accepted: int, rejected: int, drafted: int) -> Iterator[tuple[int, int]]:
    """Numbers of drafted tokens that are kept, each with the number of ways in which the lots fall like that."""
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


@dataclass(frozen=True)
class DraftedTokens(Answer):
    """Expected number of tokens of a step: those of a draft that are kept, and one that the target gives itself."""

    figures = (*_LOTS, "draft_length")

    def of(self, asked: Asked) -> Fraction:
        accepted, rejected, drafted = (asked.values[name] for name in self.figures)
        tokens = sum((kept + 1) * ways for kept, ways in _ways(accepted, rejected, drafted))
        return Fraction(tokens, (accepted + rejected) ** drafted)


@dataclass(frozen=True)
class ShareRejected(Answer):
    """Share of all ways in which at least one token is rejected, of as many as are drafted and one more."""

    figures = (*_LOTS, "draft_length")

    def of(self, asked: Asked) -> Fraction:
        (accepted, rejected), number = (asked.values[name] for name in _LOTS), asked.values["draft_length"] + 1
        not_all = sum(ways for kept, ways in _ways(accepted, rejected, number) if kept < number)
        return Fraction(not_all, (accepted + rejected) ** number)


_PLAIN, _DRAFTING = Time(PASS_WITH_CACHE), Given("draft_time") * "draft_length"
# a step with a draft: that is verified by a pass over it, or by one that takes as long as a plain step
_VERIFYING, _FREE = (_DRAFTING + elsewhere(_PLAIN, run=run) for run in (VERIFIED, STEP))
_WITHOUT = elsewhere(DraftedTokens(), draft_length=0) / elsewhere(_PLAIN, run=STEP)  # tokens in a time
_LONGER = ("draft_length", 1)


def _rate(step: Combined) -> Answer:
    """Tokens of each sequence, in the time of a step with a draft."""
    return DraftedTokens() / step


about(None, *_DENSE)(
    "speculation.tokens",
    "How many tokens does a sequence get from a step, in the mean over all ways in which drafted tokens are accepted?",
    DraftedTokens(),
    "n_step",
)
about(None, *_DENSE)(
    "speculation.share_rejected",
    "In which share of all ways is one token at least rejected, of those that are drafted and one more?",
    ShareRejected(),
)
about(VERIFIED, *_DENSE)(
    "speculation.verification_reads",
    "How many bytes of weights and cache does a pass over a draft load, at how many bytes a second?",
    PASS_WITH_CACHE.reading,
)
about(VERIFIED, *_DENSE)(
    "speculation.verification_time",
    "How long does a pass over a draft and the token before it take on the ideal machine, cache reads included?",
    _PLAIN,
    "T_verify",
)
about(VERIFIED, *_DENSE)(
    "speculation.is_free",
    "Does a pass over a draft take exactly as long as its weights are loaded?",
    is_memory_time(PASS),
)
about(VERIFIED, *_DENSE)(
    "speculation.step_time", "How long do a draft and the pass over it take, one after the other?", _VERIFYING
)
about(VERIFIED, *_DENSE)(
    "speculation.speed_up",
    "How many times as many tokens come in a second as in plain decoding steps?",
    _rate(_VERIFYING) / _WITHOUT,
    "S_draft",
)
about(VERIFIED, *_DENSE)(
    "speculation.only_costs", "Do tokens come slower than in plain decoding steps?", _rate(_VERIFYING) < _WITHOUT
)
about(STEP, *_DENSE, more=("draft_length",))(
    "speculation.gains_by_one_more",
    "Does a token take less time where one more is drafted, and a pass over the draft as long as a plain step?",
    _rate(_FREE) < elsewhere(_rate(_FREE), draft_length=_LONGER),
)
