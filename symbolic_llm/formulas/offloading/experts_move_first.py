"""Experts move to a slower memory first

A step reads of a block's experts those that some token picks, and all other weights. So for each byte that lies in the
second memory it reads fewer if that is of experts: they go first, and the rest only when all experts are there. What
is said of bytes holds of any number of them: an exchange of the one for the other never makes a step faster.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.share_of_experts_used import FORMULA as share_of_experts_used
from symbolic_llm.formulas.offloading.offloaded_step_time import FORMULA as offloaded_step_time
from symbolic_llm.notation import U_experts, W, W_host
from symbolic_llm.steps import CLAIM, divide, multiply, premise, subtract
from symbolic_llm.unevaluated import Le, Lt

LONGER = 1 / W_host - 1 / W  # to read a byte
FIRST = Le(U_experts * LONGER, LONGER)

FORMULA = Formula(
    __name__,
    claim=Equivalence(FIRST, Le(W_host, W)),
    kind=Kind.THEOREM,
    where=(
        Condition(
            Lt(U_experts, 1),
            "the batch leaves experts unused",
            "all experts are read, and whichever weights are moved makes no difference",
        ),
    ),
    models=(Trait.EXPERTS,),
    uses=(share_of_experts_used, offloaded_step_time),
    steps=(
        premise(FIRST, "a byte of experts in the second memory costs no more time than one of other weights"),
        subtract(
            U_experts / W_host - 1 / W,
            Le((1 - U_experts) / W, (1 - U_experts) / W_host),
            "what is said of the one memory to the left, of the other to the right",
        ),
        divide(1 - U_experts, Le(1 / W, 1 / W_host), "by the share of experts that is not read, which is positive"),
        multiply(W * W_host, CLAIM, "by both bandwidths: the second memory is the slower one"),
    ),
    measured_by="offload.experts_move_first",
    example={"model": "gpt-oss-120b", "hardware": "rtx-4090", "B": 1, "W_host": "60 GB/s"},
)
