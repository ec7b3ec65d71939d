"""Time of a mixed step

One pass in which each of B sequences decodes a token and a chunk of a prompt is taken in. The matrices meet all these
tokens and are read once. Attention reads the cache of each sequence and that of the prompt, the chunk included.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import each_sequence, multiply_add, one_token
from symbolic_llm.notation import B, F, N, N_prompt, P, T_mixed, W, a, m_token, n_bytes, n_chunk
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

MATRICES = multiply_add * P * (B * one_token + n_chunk) / F
ATTENTION = a * (B * one_token * N + n_chunk * N_prompt) / F
READ_WEIGHTS = P * n_bytes / W
READ_CACHE = (B * N + each_sequence * N_prompt) * m_token / W
COMPUTED, READ = MATRICES + ATTENTION, READ_WEIGHTS + READ_CACHE

FORMULA = Formula(
    __name__,
    claim=Eq(T_mixed, Max(COMPUTED, READ)),
    kind=Kind.LAW,
    models=(Trait.DENSE, Trait.FULL),
    uses=(total_parameters, attention_flops_per_context_token, kv_bytes_per_token),
    steps=(
        premise(
            MATRICES,
            "every weight meets the new token of each sequence and those of the chunk",
            measured_by="clock.mixed_compute_time[!*.scores, !*.mix]",
        ),
        add(
            ATTENTION,
            COMPUTED,
            "attention: a new token meets its context, a token of the chunk its prompt so far",
            measured_by="clock.mixed_compute_time[*.scores, *.mix]",
        ),
        larger_of(READ, CLAIM, "meanwhile weights are read, once, and every cache"),
    ),
    measured_by="clock.mixed_step_time",
    sources=("agrawal-2024",),
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 32,
        "n_chunk": 128,
        "N_prompt": 1024,
    },
)
