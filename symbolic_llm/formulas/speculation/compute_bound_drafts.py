"""Drafts of a compute-bound batch only cost

The arithmetic of every drafted token is done, accepted or not. So where a step takes no longer to read than to compute,
from the crossover on, a step with a draft takes longer than plain steps for as many tokens, whatever the draft model
gets right.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes_read import FORMULA as context_bytes_read
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import ALL_KEPT, DENSE_READ, one_token
from symbolic_llm.formulas.speculation.speculative_tokens import FORMULA as speculative_tokens
from symbolic_llm.formulas.speculation.verification_time import FORMULA as verification_time
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import T_draft, gamma, n_step
from symbolic_llm.steps import CLAIM, add_to_larger, larger_of, multiply, premise, weaken
from symbolic_llm.unevaluated import Le, Lt

WRITTEN = {**ALL_KEPT, **DENSE_READ}
ARITHMETIC = compute_time_with_attention.rhs.xreplace(WRITTEN)
STEP = latency_with_cache.rhs.xreplace(WRITTEN)
BOUND = Le(memory_time_with_cache.rhs.xreplace(WRITTEN), ARITHMETIC)
PLAIN, DRAFTING = n_step * STEP / one_token, gamma * T_draft / one_token

FORMULA = Formula(
    __name__,
    claim=Implication(BOUND, Lt(PLAIN, verification_time.rhs + DRAFTING)),
    kind=Kind.THEOREM,
    where=(
        Condition(
            Le(n_step, gamma + one_token),
            "a step gives all tokens of the draft and one more at most",
        ),
    ),
    models=(Trait.DENSE, Trait.FULL),
    uses=(
        context_bytes_read,
        weights_read,
        memory_time_with_cache,
        compute_time_with_attention,
        latency_with_cache,
        speculative_tokens,
        verification_time,
    ),
    steps=(
        premise(BOUND, "a step reads no longer than it computes"),
        larger_of(ARITHMETIC, Le(STEP, ARITHMETIC), "so it takes as long as it computes"),
        multiply(
            n_step / one_token,
            Le(PLAIN, n_step * ARITHMETIC / one_token),
            "as many plain steps as the draft gives tokens",
        ),
        weaken(
            Le(PLAIN, (gamma + one_token) * ARITHMETIC / one_token),
            "which are no more than it computes",
        ),
        weaken(Le(PLAIN, verification_time.rhs), "at a context that is no shorter"),
        add_to_larger(DRAFTING, CLAIM, "and drafting takes time as well"),
    ),
    measured_by="speculation.only_costs",
    example={
        "model": "llama-2-7b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 16,
        "B": 256,
        "alpha": 0.8,
        "gamma": 4,
        "T_draft": "1 ms",
    },
)
