"""Questions about a machine or a model that is changed: fewer bytes, faster arithmetic, a pass that starts late"""

from __future__ import annotations

from .ledger_selections import DENSE, PASS, READ
from .measures import Answer, Elsewhere, elsewhere
from .registry import about
from .runs import STEP
from .subjects import MODELS
from .time_measures import Time


def _with_other_bytes(answer: Answer) -> Elsewhere:
    """An answer where a weight takes other bytes."""
    return elsewhere(answer, n_bytes="n_bytes_2")


def _gain(answer: Answer) -> Answer:
    """Quotient of an answer and that with other bytes for each weight."""
    return answer / _with_other_bytes(answer)


_LATE = READ / "bandwidth" + "overhead"
_STEP = Time(PASS)
about(STEP, *MODELS)(
    "clock.read_time_after_overhead",
    "When are the weights of a decoding step loaded, if that starts after an overhead?",
    _LATE,
    "T_read",
)
about(STEP, *MODELS)(
    "clock.gain_of_other_bytes",
    "How many times as long does loading take, overhead included, as with other bytes for each weight?",
    _gain(_LATE),
    "G",
)
about(STEP, *DENSE)(
    "clock.other_bytes_are_faster",
    "Is a decoding step faster with other bytes for each weight, on the same arithmetic?",
    _with_other_bytes(_STEP) < _STEP,
)
about(STEP, *DENSE)(
    "clock.other_arithmetic_is_faster",
    "Is a decoding step faster on other arithmetic, with the same bytes for each weight?",
    elsewhere(_STEP, flops="flops_2") < _STEP,
)
about(STEP, *MODELS)(
    "clock.gain_is_below_share",
    "Does a step, overhead included, get faster by less than its bytes get fewer?",
    _gain(_LATE) < _gain(READ),
)
