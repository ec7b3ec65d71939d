"""Attention operations for each token of context with latent attention

Computed on the latent vectors themselves, with the matrices that would make keys and values of them absorbed into
query and output: the way to use a compressed cache. A score takes the latent vector and the rotated part, the
weighted sum the latent vector alone.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score
from symbolic_llm.notation import a, d_latent, d_rope, n_blocks, n_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE_HEAD = score * (2 * d_latent + d_rope)

FORMULA = Formula(
    __name__,
    models=(Trait.LATENT, Trait.FULL),
    claim=Eq(a, n_blocks * n_heads * ONE_HEAD),
    steps=(
        premise(
            score * (d_latent + d_rope),
            "the score of one head",
            measured_by="attention.flops_per_context_token[*.scores](n_blocks=1, n_heads=1)",
        ),
        add(
            score * d_latent,
            ONE_HEAD,
            "the weighted sum",
            measured_by="attention.flops_per_context_token[*.mix](n_blocks=1, n_heads=1)",
        ),
        multiply(
            n_heads, n_heads * ONE_HEAD, "in every head", measured_by="attention.flops_per_context_token(n_blocks=1)"
        ),
        multiply(n_blocks, CLAIM, "in every layer"),
    ),
    measured_by="attention.flops_per_context_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2"},
)
