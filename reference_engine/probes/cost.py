"""Questions about money and energy: what a machine on a clock costs and draws, and for how many tokens

A machine works on step after step, `busy` of them, and then waits as long as `waiting` more of them would take. It is
paid for from the first step to the end of the wait.
"""

from __future__ import annotations

from .ledger_selections import DENSE, MANY, PASS_WITH_CACHE
from .measures import Tokens, elsewhere
from .registry import about
from .runs import PROMPT, STEP
from .subjects import MODELS
from .time_measures import Time

_STEP = Time(PASS_WITH_CACHE)
_BUSY, _WAITING = _STEP * "busy", _STEP * "waiting"  # how long it works, and waits
_MADE = Tokens() * "busy"
_BILL = (_BUSY + _WAITING) * "price" / _MADE
_EACH = _STEP / Tokens()  # time of a step for each of its tokens
_DRAWN = (_BUSY * "power" + _WAITING * "power_idle") / _MADE


about(STEP, *MODELS)(
    "money.cost_per_token",
    "What is paid for a machine that works on steps and then waits, for each token of the steps?",
    _BILL,
    "c_token",
)
about(STEP, *MODELS)(
    "money.energy_per_token",
    "What energy does a machine take that works on steps and then waits, for each token of the steps?",
    _DRAWN,
    "J_token",
)
about(STEP, *DENSE)(
    "money.costs_no_more",
    "Does a token of another batch cost no more than one of this batch?",
    elsewhere(_BILL, batch="batch_2") <= _BILL,
)
about(STEP, *MANY)(
    "money.output_to_input_with_cache",
    "How many times as long as a prefill does a decoding step take for each token, cache reads and attention included?",
    _EACH / elsewhere(_EACH, run=PROMPT),
    "r_output",
)
