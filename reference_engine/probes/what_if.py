"""Questions about a machine or a model that is changed: fewer bytes, faster arithmetic, a pass that starts late"""

from __future__ import annotations

from dataclasses import dataclass

from . import ideal_machine
from .counts import Parts, Ratio
from .ledger_selections import DENSE, N_BYTES, PASS, READ, of_models
from .measures import Answer, Asked, Elsewhere, Quotient, Whether, elsewhere
from .registry import question
from .runs import STEP
from .subjects import MODELS
from .time_measures import Load, Time


@dataclass(frozen=True)
class Late(Answer):
    """Time at which the loads of a pass are done that start after an overhead, on an ideal machine."""

    load: Load
    needs = ("bandwidth", "overhead")

    def of(self, asked: Asked) -> Ratio:
        bandwidth, overhead = asked.values["bandwidth"], asked.values["overhead"]
        done = ideal_machine.run(self.load.loads.of(asked), Parts(), bandwidth, bandwidth, overhead).done
        return Ratio(done + Parts({"overhead": overhead * bandwidth}), bandwidth)


def _with_other_bytes(answer: Answer) -> Elsewhere:
    """An answer where a weight takes other bytes."""
    return elsewhere(answer, n_bytes="n_bytes_2")


def _gain(answer: Answer) -> Quotient:
    """Quotient of an answer and that with other bytes for each weight."""
    return Quotient(answer, _with_other_bytes(answer))


LATE, _STEP = Late(PASS), Time(PASS)
of_models(
    "clock.read_time_after_overhead",
    "When are the weights of a decoding step loaded, if that starts after an overhead?",
    STEP,
    LATE,
    "T_read",
    widths=N_BYTES,
)
of_models(
    "clock.gain_of_other_bytes",
    "How many times as long does loading take, overhead included, as with other bytes for each weight?",
    STEP,
    _gain(LATE),
    "G",
    widths=N_BYTES,
)
question(
    "clock.other_bytes_are_faster",
    "Is a decoding step faster with other bytes for each weight, on the same arithmetic?",
    STEP,
    Whether(_with_other_bytes(_STEP), _STEP),
    subjects=DENSE,
    widths=N_BYTES,
)
question(
    "clock.other_arithmetic_is_faster",
    "Is a decoding step faster on other arithmetic, with the same bytes for each weight?",
    STEP,
    Whether(elsewhere(_STEP, flops="flops_2"), _STEP),
    subjects=DENSE,
    widths=N_BYTES,
)
question(
    "clock.gain_is_below_share",
    "Does a step, overhead included, get faster by less than its bytes get fewer?",
    STEP,
    Whether(_gain(LATE), _gain(READ)),
    subjects=MODELS,
    widths=N_BYTES,
)
