"""Time to verify a draft

One pass over the last token and the γ that were drafted after it: weights and cache are read once, the arithmetic is
that of γ + 1 tokens for each sequence. N is the context that the first of them finds; the draft makes it γ longer. With
an empty draft it is the time of a decoding step.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, F, N, P, T_verify, W, a, gamma, m_token, n_bytes
from symbolic_llm.steps import CLAIM, add, larger_of, premise, rewrite
from symbolic_llm.unevaluated import Eq, Max

EACH = flops_per_token.rhs + a * (N + gamma)
ARITHMETIC = B * (gamma + one_token) * EACH / F
WEIGHTS, CACHE = P * n_bytes / W, B * (N + gamma) * m_token / W
READ = (P * n_bytes + B * (N + gamma) * m_token) / W

FORMULA = Formula(
    __name__,
    claim=Eq(T_verify, Max(ARITHMETIC, READ)),
    kind=Kind.LAW,
    models=(Trait.DENSE, Trait.FULL),
    uses=(
        kv_bytes_per_token,
        flops_per_token,
        attention_flops_per_context_token,
        total_parameters,
    ),
    steps=(
        premise(WEIGHTS, "the weights are read once", measured_by="speculation.verification_reads[!*.cache]"),
        add(
            CACHE,
            WEIGHTS + CACHE,
            "and the cache of each sequence, that of its draft included",
            measured_by="speculation.verification_reads[*.cache]",
        ),
        rewrite(READ, "over one bandwidth"),
        larger_of(ARITHMETIC, CLAIM, "while it is read, all tokens are computed with"),
    ),
    measured_by="speculation.verification_time",
    sources=("leviathan-2023",),
    example={"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 4, "gamma": 4},
)
