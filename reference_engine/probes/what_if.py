"""Questions about a machine or a model that is changed: fewer bytes, faster arithmetic, a pass that starts late"""

from __future__ import annotations

from .ledger_selections import DENSE, PASS, READ, of_models
from .measures import Answer, Elsewhere, Given, Over, Quotient, Sum, Whether, elsewhere
from .registry import question
from .runs import STEP
from .subjects import MODELS
from .time_measures import Time


def _with_other_bytes(answer: Answer) -> Elsewhere:
    """An answer where a weight takes other bytes."""
    return elsewhere(answer, n_bytes="n_bytes_2")


def _gain(answer: Answer) -> Quotient:
    """Quotient of an answer and that with other bytes for each weight."""
    return Quotient(answer, _with_other_bytes(answer))


_LATE = Sum((Over(READ, "bandwidth"), Given("overhead")))
_STEP = Time(PASS)
of_models(
    "clock.read_time_after_overhead",
    "When are the weights of a decoding step loaded, if that starts after an overhead?",
    STEP,
    _LATE,
    "T_read",
)
of_models(
    "clock.gain_of_other_bytes",
    "How many times as long does loading take, overhead included, as with other bytes for each weight?",
    STEP,
    _gain(_LATE),
    "G",
)
question(
    "clock.other_bytes_are_faster",
    "Is a decoding step faster with other bytes for each weight, on the same arithmetic?",
    STEP,
    Whether(_with_other_bytes(_STEP), _STEP),
    subjects=DENSE,
)
question(
    "clock.other_arithmetic_is_faster",
    "Is a decoding step faster on other arithmetic, with the same bytes for each weight?",
    STEP,
    Whether(elsewhere(_STEP, flops="flops_2"), _STEP),
    subjects=DENSE,
)
question(
    "clock.gain_is_below_share",
    "Does a step, overhead included, get faster by less than its bytes get fewer?",
    STEP,
    Whether(_gain(_LATE), _gain(READ)),
    subjects=MODELS,
)
