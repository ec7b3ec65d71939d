"""Weights of latent keys, values and output

One matrix compresses a token to a latent vector and the rotated part of its key, a second one makes keys and values of
every head from the latent vector, and the output matrix leads back.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_latent, d_model, d_nope, d_rope, d_value, n_heads
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

DOWN = each_weight * d_model * (d_latent + d_rope)
UP = each_weight * d_latent * n_heads * (d_nope + d_value)
OUTPUT = each_weight * n_heads * d_value * d_model

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, DOWN + UP + OUTPUT),
    steps=(
        premise(
            DOWN,
            "down to the latent vector and the rotated part, which all heads share",
            measured_by="weights.of_latent_keys_and_values[*.latent]",
        ),
        add(
            UP,
            DOWN + UP,
            "up to the rest of each head's key and to its value",
            measured_by="weights.of_latent_keys_and_values[*_up]",
        ),
        add(OUTPUT, CLAIM, "the output takes the values of all heads"),
    ),
    measured_by="weights.of_latent_keys_and_values",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2-lite"},
)
