"""Questions about money and energy: what a machine on a clock costs and draws, and for how many tokens

A machine works on step after step, `busy` of them, and then waits as long as `waiting` more of them would take. It is
paid for from the first step to the end of the wait.
"""

from __future__ import annotations

from dataclasses import dataclass

from .ledger_selections import BOTH, DENSE, MANY, N_BYTES, PASS, PASS_WITH_CACHE, of_models
from .measures import Asked, Given, Product, Quotient, Sum, Tokens, Whether, elsewhere
from .registry import question
from .runs import PROMPT, STEP
from .targets import MostWithin
from .time_measures import Time


@dataclass(frozen=True)
class CheapestWithin(MostWithin):
    """Batch with the cheapest tokens, of all whose pass takes no longer than a target; each of them is tried.

    It is the largest of them where several are as cheap.
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
_BUSY, _WAITING = Product((_STEP, Given("busy"))), Product((_STEP, Given("waiting")))  # how long it works, and waits
_MADE = Product((Tokens(), Given("busy")))
_BILL = Quotient(Product((Sum((_BUSY, _WAITING)), Given("price"))), _MADE)
_DRAWN = Quotient(Sum((Product((_BUSY, Given("power"))), Product((_WAITING, Given("power_idle"))))), _MADE)


def _of_a_token(time: Time) -> Quotient:
    return Quotient(time, Tokens())


def _output_to_input(time: Time) -> Quotient:
    """Quotient of the time of a step for each of its tokens and that of a prefill for each of its tokens."""
    return Quotient(_of_a_token(time), elsewhere(_of_a_token(time), run=PROMPT))


of_models(
    "money.cost_per_token",
    "What is paid for a machine that works on steps and then waits, for each token of the steps?",
    STEP,
    _BILL,
    "c_token",
    widths=BOTH,
)
of_models(
    "money.energy_per_token",
    "What energy does a machine take that works on steps and then waits, for each token of the steps?",
    STEP,
    _DRAWN,
    "J_token",
    widths=BOTH,
)
question(
    "money.costs_no_more",
    "Does a token of another batch cost no more than one of this batch?",
    STEP,
    Whether(elsewhere(_BILL, batch="batch_2"), _BILL, "≤"),
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
    _output_to_input(Time(PASS)),
    "r_output",
    subjects=DENSE,
    widths=N_BYTES,
)
question(
    "money.output_to_input_with_cache",
    "How many times as long as a prefill does a decoding step take for each token, cache reads and attention included?",
    STEP,
    _output_to_input(_STEP),
    "r_output",
    subjects=MANY,
    widths=BOTH,
)
