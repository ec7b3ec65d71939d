"""When one more device makes a token faster

A device more takes from each its part of the work, t(t + 1) parts of the whole, and adds a message to each round of
every all-reduce. So it pays while t(t + 1) is small enough: beyond, the latency of links costs more than is saved, and
a token gets slower with every device. The fastest number is where t(t + 1) first reaches the bound. The work on one
device, T_alone, is shared evenly, as weights and cache are while there are heads enough.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_bytes import FORMULA as all_reduce_bytes
from symbolic_llm.formulas.devices.all_reduce_bytes import VECTORS
from symbolic_llm.formulas.devices.all_reduce_time import FORMULA as all_reduce_time
from symbolic_llm.formulas.devices.all_reduces import FORMULA as all_reduces
from symbolic_llm.formulas.shared import add_and_spread
from symbolic_llm.notation import T_alone, T_link, W_link, n_reduces, n_tensor
from symbolic_llm.steps import CLAIM, premise, subtract
from symbolic_llm.unevaluated import Lt

TIME = T_alone / n_tensor + all_reduce_time.rhs
ROUNDS = n_reduces * add_and_spread
SOONER = Lt(TIME.xreplace({n_tensor: n_tensor + 1}), TIME)
GAIN = (T_alone - ROUNDS * VECTORS / W_link) / (n_tensor * (n_tensor + 1))

FORMULA = Formula(
    __name__,
    claim=Equivalence(SOONER, Lt(ROUNDS * T_link, GAIN)),
    kind=Kind.THEOREM,
    uses=(all_reduce_bytes, all_reduces, all_reduce_time),
    steps=(
        premise(SOONER, "a step is over sooner with one device more"),
        subtract(
            TIME.xreplace({n_tensor: n_tensor + 1}) - ROUNDS * T_link,
            CLAIM,
            "all but the messages that are added; what is left on the right is what is saved",
        ),
    ),
    measured_by="devices.one_more_is_sooner",
    example={**all_reduce_time.example, "T_alone": "69 ms"},
)
