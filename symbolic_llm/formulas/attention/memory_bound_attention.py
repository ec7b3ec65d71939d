"""When the attention of a decoding step is memory-bound

Exactly while its intensity is below the machine's ridge point, whatever the batch and the context.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.cache_intensity import FORMULA as cache_intensity
from symbolic_llm.formulas.shared import ALL_KEPT, one_token
from symbolic_llm.notation import B, C_seq, D_seq, F, N, W, m_token
from symbolic_llm.steps import multiply, premise
from symbolic_llm.unevaluated import Lt

BOUND = Lt(B * one_token * C_seq / F, B * D_seq / W).xreplace(ALL_KEPT)
BELOW = Lt(cache_intensity.rhs, F / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Equivalence(BOUND, BELOW),
    kind=Kind.THEOREM,
    models=STATELESS,
    uses=(cache_intensity,),
    steps=(
        premise(BOUND, "scores and weighted sums are done before the cache has arrived"),
        multiply(F / (B * N * m_token), BELOW, "by what is positive: batch and context cancel"),
    ),
    measured_by="clock.attention_is_memory_bound",
    sources=("shazeer-2020",),
    example={"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 256},
)
