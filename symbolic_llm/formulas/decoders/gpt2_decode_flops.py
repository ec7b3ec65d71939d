"""Operations of one decoding step of a GPT-2, exactly

The decoder of the articles with what it leaves out: weights and biases of the norms, biases of the matrices, positions.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gpt2_multiplied_parameters import FORMULA as gpt2_multiplied_parameters
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.shared import CONTEXT, MATRICES, RESIDUALS, gelu, norm_once, norms_in_block, one_token
from symbolic_llm.notation import B, C_step, d_ff, d_head, d_model, n_blocks, n_heads, n_kv_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import FLOP, TOKEN

bias = count(1, "an addition for each bias", FLOP / TOKEN)
norm_each = count(7, "add, subtract, multiply, add, divide, multiply, add", FLOP / TOKEN)
both = count(2, "matrices: keys and values")
position = count(1, "an addition for each channel of the position", FLOP / TOKEN)

BIASES = n_blocks * bias * (d_head * (n_heads + both * n_kv_heads) + d_model + d_ff + d_model)
ACTIVATION = n_blocks * gelu * d_ff
NORMS = (norms_in_block * n_blocks + 1) * (norm_each * d_model + norm_once)
POSITIONS = position * d_model
PER_TOKEN = MATRICES + CONTEXT + BIASES + ACTIVATION + RESIDUALS + NORMS + POSITIONS

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_step, B * one_token * PER_TOKEN),
    uses=(gpt2_multiplied_parameters, attention_flops_per_context_token),
    steps=(
        premise(
            MATRICES,
            "each weight multiplies and adds",
            measured_by="gpt2/decode.product_flops[!*.scores, !*.mix](batch=1)",
        ),
        add(
            CONTEXT,
            MATRICES + CONTEXT,
            "attention and softmax meet every token of the context",
            measured_by="gpt2/decode.flops[*.scores, *.softmax, *.mix](batch=1)",
        ),
        add(
            BIASES,
            MATRICES + CONTEXT + BIASES,
            "every matrix of a block adds its bias",
            measured_by="gpt2/decode.bias_flops(batch=1)",
        ),
        add(
            ACTIVATION,
            MATRICES + CONTEXT + BIASES + ACTIVATION,
            "the activation inside the MLP",
            measured_by="gpt2/decode.flops[*.activation](batch=1)",
        ),
        add(
            RESIDUALS,
            MATRICES + CONTEXT + BIASES + ACTIVATION + RESIDUALS,
            "two residual additions in a block",
            measured_by="gpt2/decode.flops[*.residual_?](batch=1)",
        ),
        add(
            NORMS,
            MATRICES + CONTEXT + BIASES + ACTIVATION + RESIDUALS + NORMS,
            "two norms in a block and one before the output",
            measured_by="gpt2/decode.flops[*norm*](batch=1)",
        ),
        add(
            POSITIONS,
            PER_TOKEN,
            "the vector of the position is added to that of the token",
            measured_by="gpt2/decode.flops[positions](batch=1)",
        ),
        multiply(B * one_token, CLAIM, "one new token for each sequence of the batch"),
    ),
    measured_by="gpt2/decode.flops",
    sources=("radford-2019",),
    example={"model": "gpt2", "N": 512, "B": 1},
)
