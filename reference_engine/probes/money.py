"""Questions about money and energy: what a machine on a clock costs and draws, and for how many tokens

A machine works on step after step, `busy` of them, and then waits as long as `waiting` more of them would take. It is
paid for from the first step to the end of the wait.
"""

from __future__ import annotations

from dataclasses import dataclass

from .answers import Answer, Asked
from .counts import Ratio
from .registry import question
from .runs import PROMPT, STEP, Run
from .selecting import BOTH, DENSE, MANY, N_BYTES, PASS, PASS_WITH_CACHE, of_models
from .targets import MostWithin
from .times import Time

_SHIFT = ("busy", "waiting")


@dataclass(frozen=True)
class Bill(Answer):
    """What is paid from the first step to the end of the wait, for each token of the steps."""

    time: Time

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.time.needs, "price", *_SHIFT)

    def of(self, asked: Asked) -> Ratio:
        (step, rate), (busy, waiting) = self.time.done_at(asked), (asked.values[name] for name in _SHIFT)
        paid = step * busy + step * waiting
        return Ratio(paid * asked.values["price"], asked.passes()[0].tokens * busy * rate)


@dataclass(frozen=True)
class Drawn(Answer):
    """The energy that steps and wait take, each at its power, for each token of the steps."""

    time: Time

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.time.needs, "power", "power_idle", *_SHIFT)

    def of(self, asked: Asked) -> Ratio:
        (step, rate), (busy, waiting) = self.time.done_at(asked), (asked.values[name] for name in _SHIFT)
        drawn = step * busy * asked.values["power"] + step * waiting * asked.values["power_idle"]
        return Ratio(drawn, asked.passes()[0].tokens * busy * rate)


@dataclass(frozen=True)
class CostRatio(Answer):
    """The cost of a token of a step over that of one of another run, on one machine."""

    time: Time
    over: Run

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.time.needs

    def of(self, asked: Asked) -> Ratio:
        other = asked.running(self.over)
        (step, rate), (prompt, at) = self.time.done_at(asked), self.time.done_at(other)
        tokens, others = asked.passes()[0].tokens, other.passes()[0].tokens
        return Ratio(step * (at * others), prompt * (rate * tokens))


@dataclass(frozen=True)
class CostsNoMore(Answer):
    """Whether a token of another batch costs no more than one of this."""

    bill: Bill

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.bill.needs, "batch_2")

    def of(self, asked: Asked) -> bool:
        other = asked.moved(batch=asked.values["batch_2"])
        return bool(self.bill.of(other).value <= self.bill.of(asked).value)


@dataclass(frozen=True)
class CheapestWithin(MostWithin):
    """Of all batches whose pass takes no longer than a target, each of them tried, the one with the cheapest tokens.

    The largest of them where several are.
    """

    def of(self, asked: Asked) -> int:
        cheapest, least, batch = 0, None, 1
        while (time := self.time.of(here := asked.moved(batch=batch)).value) <= asked.values["target"]:
            each = time / here.passes()[0].tokens
            if least is None or each <= least:
                cheapest, least = batch, each
            batch += 1
        return cheapest


_STEP = Time(PASS_WITH_CACHE)
of_models(
    "money.cost_per_token",
    "What is paid for a machine that works on steps and then waits, for each token of the steps?",
    STEP,
    Bill(_STEP),
    "c_token",
    widths=BOTH,
)
of_models(
    "money.energy_per_token",
    "What energy does a machine take that works on steps and then waits, for each token of the steps?",
    STEP,
    Drawn(_STEP),
    "J_token",
    widths=BOTH,
)
question(
    "money.costs_no_more",
    "Does a token of another batch cost no more than one of this batch?",
    STEP,
    CostsNoMore(Bill(_STEP)),
    subjects=DENSE,
    widths=BOTH,
)
question(
    "money.cheapest_batch",
    "Of all batches whose decoding step takes no longer than a target, whose tokens cost least?",
    STEP,
    CheapestWithin(_STEP),
    "B_cheapest",
    subjects=DENSE,
    widths=BOTH,
    batch=1,
)
question(
    "money.output_to_input",
    "How long does a decoding step take for each token, and how many times as long as a prefill for each of its?",
    STEP,
    CostRatio(Time(PASS), PROMPT),
    "r_output",
    subjects=DENSE,
    widths=N_BYTES,
)
question(
    "money.output_to_input_with_cache",
    "How many times as long as a prefill does a decoding step take for each token, cache reads and attention included?",
    STEP,
    CostRatio(_STEP, PROMPT),
    "r_output",
    subjects=MANY,
    widths=BOTH,
)
