"""Attention operations for each picked token

As with latent attention alone, computed on the latent vectors themselves: a score takes the latent vector and the
rotated part, the weighted sum the latent vector. But no token does so that was not picked.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score
from symbolic_llm.notation import a_picked, d_latent, d_rope, n_blocks, n_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE_HEAD = score * (2 * d_latent + d_rope)

FORMULA = Formula(
    __name__,
    claim=Eq(a_picked, n_blocks * n_heads * ONE_HEAD),
    models=(Trait.LATENT, Trait.PICKED),
    steps=(
        premise(
            score * (d_latent + d_rope),
            "the score of one head",
            measured_by="index.flops_per_picked_token[*.scores](n_index=1, n_follow=0, n_heads=1)",
        ),
        add(
            score * d_latent,
            ONE_HEAD,
            "the weighted sum",
            measured_by="index.flops_per_picked_token[*.mix](n_index=1, n_follow=0, n_heads=1)",
        ),
        multiply(
            n_heads,
            n_heads * ONE_HEAD,
            "in every head",
            measured_by="index.flops_per_picked_token(n_index=1, n_follow=0)",
        ),
        multiply(n_blocks, CLAIM, "in every block, with an index of its own or without"),
    ),
    measured_by="index.flops_per_picked_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v3.2"},
)
