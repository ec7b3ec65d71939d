"""Questions about money and energy: what a machine on a clock costs and draws, and for how many tokens

A machine works on step after step, `busy` of them, and then waits as long as `waiting` more of them would take. It is
paid for from the first step to the end of the wait.
"""

from __future__ import annotations

from .ledger_selections import DENSE, MANY, PASS_WITH_CACHE, of_models
from .measures import Given, Product, Quotient, Sum, Tokens, Whether, elsewhere
from .registry import question
from .runs import PROMPT, STEP
from .time_measures import Time

_STEP = Time(PASS_WITH_CACHE)
_BUSY, _WAITING = Product((_STEP, Given("busy"))), Product((_STEP, Given("waiting")))  # how long it works, and waits
_MADE = Product((Tokens(), Given("busy")))
_BILL = Quotient(Product((Sum((_BUSY, _WAITING)), Given("price"))), _MADE)
_EACH = Quotient(_STEP, Tokens())  # time of a step for each of its tokens
_DRAWN = Quotient(Sum((Product((_BUSY, Given("power"))), Product((_WAITING, Given("power_idle"))))), _MADE)


of_models(
    "money.cost_per_token",
    "What is paid for a machine that works on steps and then waits, for each token of the steps?",
    STEP,
    _BILL,
    "c_token",
)
of_models(
    "money.energy_per_token",
    "What energy does a machine take that works on steps and then waits, for each token of the steps?",
    STEP,
    _DRAWN,
    "J_token",
)
question(
    "money.costs_no_more",
    "Does a token of another batch cost no more than one of this batch?",
    STEP,
    Whether(elsewhere(_BILL, batch="batch_2"), _BILL, "≤"),
    subjects=DENSE,
)
question(
    "money.output_to_input_with_cache",
    "How many times as long as a prefill does a decoding step take for each token, cache reads and attention included?",
    STEP,
    Quotient(_EACH, elsewhere(_EACH, run=PROMPT)),
    "r_output",
    subjects=MANY,
)
