"""Operations of one decoding step of the schematic decoder, exactly

Every operation of the schematic decoder when each sequence of the batch gets one new token: matrices, attention,
the softmax that subtracts the maximum, layer norms, the GELU activation, residual additions. An exponential, a
hyperbolic tangent, a square root, a division and a comparison count as one operation each, like an addition.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import (
    CONTEXT,
    MATRICES,
    gelu,
    mlp_factor,
    mlp_is_fourfold,
    norm_once,
    norms_in_block,
    one_token,
    per_score,
    residual,
)
from symbolic_llm.notation import B, C_step, N, a, d_ff, d_model, n_blocks, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, multiply, premise, rewrite, substitute
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import FLOP, TOKEN

norm_each = count(5, "add, subtract, multiply, add, divide", FLOP / TOKEN)
block_each = count(48, "operations of norms, GELU and residuals for each channel", FLOP / TOKEN)
block_once = count(8, "operations of two norms that do not depend on the width", FLOP / TOKEN)

NORM = norm_each * d_model + norm_once
SMALL = n_blocks * (block_each * d_model + block_once) + NORM
PER_TOKEN = MATRICES + CONTEXT + SMALL

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_step, B * one_token * PER_TOKEN),
    where=(mlp_is_fourfold,),
    uses=(total_parameters, attention_flops_per_context_token),
    steps=(
        premise(
            MATRICES,
            "each weight is multiplied by a number and the product added to a sum, the output matrix included",
            measured_by="schematic/decode.product_flops[!*.scores, !*.mix](batch=1)",
        ),
        add(
            a * N,
            MATRICES + a * N,
            "attention meets every token of the context",
            measured_by="schematic/decode.product_flops[*.scores, *.mix](batch=1)",
        ),
        add(
            n_blocks * per_score * n_heads * N,
            MATRICES + CONTEXT,
            "each score of each head is scaled and goes through the stable softmax",
            measured_by="schematic/decode.flops[*.softmax](batch=1)",
        ),
        add(
            (n_blocks * norms_in_block + 1) * NORM,
            MATRICES + CONTEXT + (n_blocks * norms_in_block + 1) * NORM,
            "two norms in a block and one before the output",
            measured_by="schematic/decode.flops[*norm*](batch=1)",
        ),
        add(
            n_blocks * gelu * d_ff,
            MATRICES + CONTEXT + (n_blocks * norms_in_block + 1) * NORM + n_blocks * gelu * d_ff,
            "the activation inside the MLP",
            measured_by="schematic/decode.flops[*.activation](batch=1)",
        ),
        substitute(
            mlp_is_fourfold,
            MATRICES + CONTEXT + (n_blocks * norms_in_block + 1) * NORM + n_blocks * gelu * mlp_factor * d_model,
            "which is four times as wide as the model",
        ),
        add(
            n_blocks * residual * d_model,
            MATRICES
            + CONTEXT
            + (n_blocks * norms_in_block + 1) * NORM
            + n_blocks * (gelu * mlp_factor + residual) * d_model,
            "two residual additions in a block",
            measured_by="schematic/decode.flops[*.residual_?](batch=1)",
        ),
        rewrite(PER_TOKEN, "collected by what they depend on"),
        multiply(B * one_token, CLAIM, "one new token for each sequence of the batch"),
    ),
    measured_by="schematic/decode.flops",
    sources=("timbers-2023", "kipply-2022"),
    example={"n_blocks": 32, "n_heads": 32, "d_head": 128, "d_model": 4096, "n_vocab": 32000, "N": 4096, "B": 1},
)
