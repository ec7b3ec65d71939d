"""Matrix products of one decoding step with expanded latent attention

The other way to decode: keys and values of the whole context are made from the latent vectors anew in every step, by
the matrices that raise them, and met as in any attention. Absorbed, these matrices are multiplied with one token alone.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from symbolic_llm.formulas.shared import each_weight, multiply_add, one_token, score
from symbolic_llm.notation import B, C_decode, N, P, d_latent, d_nope, d_rope, d_value, n_blocks, n_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

RAISING = n_blocks * n_heads * d_latent * (d_nope + d_value) * each_weight
ATTENTION = n_blocks * n_heads * score * (d_nope + d_rope + d_value)
CONTEXT = N / one_token * multiply_add * RAISING + N * ATTENTION
PER_TOKEN = multiply_add * (P - RAISING) + CONTEXT

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, B * one_token * PER_TOKEN),
    models=(Trait.LATENT, Trait.FULL),
    uses=(latent_key_value_parameters,),
    steps=(
        premise(
            multiply_add * (P - RAISING),
            "all matrices but those that raise latent vectors to keys and values",
            measured_by="expanded/decode.product_flops[!*_up, !*.scores, !*.mix](batch=1)",
        ),
        add(
            CONTEXT,
            PER_TOKEN,
            "which meet every token of the context, and then the heads",
            measured_by="expanded/decode.product_flops[*_up, *.scores, *.mix](batch=1)",
        ),
        multiply(B * one_token, CLAIM, "one new token for each sequence of the batch"),
    ),
    measured_by="expanded/decode.product_flops",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2", "N": 4096, "B": 1},
)
