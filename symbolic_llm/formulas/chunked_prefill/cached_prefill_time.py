"""Time of a prefill whose first tokens are cached

Where prompts begin alike, with the same instructions or earlier turns of a conversation, what these tokens left in the
cache is used again. Only the last tokens of each prompt are new: they meet the matrices, and the whole prompt. All of
its cache is read. It is the time to first token if nobody else is served.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import each_sequence, multiply_add
from symbolic_llm.notation import B, F, N_prompt, P, T_chunk, W, a, m_token, n_bytes, n_chunk
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

TOKENS = B * n_chunk / each_sequence
MATRICES = multiply_add * P * TOKENS / F
ATTENTION = a * TOKENS * N_prompt / F
READ = (P * n_bytes + B * N_prompt * m_token) / W

FORMULA = Formula(
    __name__,
    claim=Eq(T_chunk, Max(MATRICES + ATTENTION, READ)),
    kind=Kind.LAW,
    models=(Trait.DENSE, Trait.FULL),
    uses=(total_parameters, attention_flops_per_context_token, kv_bytes_per_token),
    steps=(
        premise(
            MATRICES,
            "every weight meets the new tokens of each prompt, and none that are cached",
            measured_by="clock.cached_prefill_compute_time[!*.scores, !*.mix]",
        ),
        add(
            ATTENTION,
            MATRICES + ATTENTION,
            "attention: a new token meets the whole prompt, what is cached too",
            measured_by="clock.cached_prefill_compute_time[*.scores, *.mix]",
        ),
        larger_of(READ, CLAIM, "meanwhile weights are read, once, and the cache of each prompt"),
    ),
    measured_by="clock.cached_prefill_time",
    sources=("agrawal-2024",),
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "B": 1,
        "n_chunk": 500,
        "N_prompt": 8000,
    },
)
