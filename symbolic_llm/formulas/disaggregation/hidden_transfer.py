"""When handing on the cache hides behind the prefill

While one batch of prompts is prefilled, the cache of the one before is on its way. It has arrived in time exactly if
the link carries what a prefill makes: its tokens a second times the bytes of a token. Longer prompts take longer for
each token, so their caches hide behind a slower link.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.disaggregation.handover_time import FORMULA as handover_time
from symbolic_llm.formulas.latency.prefill_time_with_attention import FORMULA as prefill_time_with_attention
from symbolic_llm.notation import W_transfer
from symbolic_llm.steps import CLAIM, divide, multiply, premise
from symbolic_llm.unevaluated import Le

HANDED, PREFILL = handover_time.rhs, prefill_time_with_attention.rhs
HIDDEN = Le(HANDED, PREFILL)

FORMULA = Formula(
    __name__,
    claim=Equivalence(HIDDEN, Le(HANDED * W_transfer / PREFILL, W_transfer)),
    kind=Kind.THEOREM,
    models=(Trait.FULL, Trait.GROUPED),
    uses=(handover_time, prefill_time_with_attention),
    steps=(
        premise(HIDDEN, "the cache has been handed on before the next batch is prefilled"),
        multiply(W_transfer, Le(HANDED * W_transfer, PREFILL * W_transfer), "by what the link carries"),
        divide(PREFILL, CLAIM, "over the time of a prefill, which is positive"),
    ),
    measured_by="apart.is_handed_on_in_time",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "N": 4096,
        "B": 1,
        "W_transfer": "50 GB/s",
    },
)
