"""Attention operations of a prompt's token for each token of its context with latent attention

In a prefill, keys and values are made from the latent vectors, once for each token, which the matrices are counted for.
Heads then meet as in any attention: a score takes the part of a key that is not rotated and the part that is, a
weighted sum the value. That is far less than on the latent vectors themselves, so a prefill is counted so, and
decoding, where it would mean to make all keys anew for every token, is not.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score
from symbolic_llm.notation import a_prompt, d_nope, d_rope, d_value, n_blocks, n_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE_HEAD = score * (d_nope + d_rope + d_value)

FORMULA = Formula(
    __name__,
    claim=Eq(a_prompt, n_blocks * n_heads * ONE_HEAD),
    models=(Trait.LATENT, Trait.FULL),
    steps=(
        premise(
            score * (d_nope + d_rope),
            "the score of one head",
            measured_by="attention.flops_per_pair[*.scores](n_blocks=1, n_heads=1)",
        ),
        add(
            score * d_value,
            ONE_HEAD,
            "the weighted sum",
            measured_by="attention.flops_per_pair[*.mix](n_blocks=1, n_heads=1)",
        ),
        multiply(n_heads, n_heads * ONE_HEAD, "in every head", measured_by="attention.flops_per_pair(n_blocks=1)"),
        multiply(n_blocks, CLAIM, "in every layer"),
    ),
    measured_by="attention.flops_per_pair",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2"},
)
