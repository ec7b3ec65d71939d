"""Operations of one decoding step of a LLaMA, exactly

Matrices, attention and stable softmax as in decode_flops; in place of its small change the rotation of queries and
keys, RMSNorms with weights, and SwiGLU. The rotation's sines and cosines are prepared once and not counted.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_multiplied_parameters import FORMULA as llama_multiplied_parameters
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.shared import CONTEXT, MATRICES, RESIDUALS, RMS_NORMS, ROTATION, one_token, swiglu
from symbolic_llm.notation import B, C_step, d_ff, n_blocks
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

GATES = n_blocks * swiglu * d_ff
PER_TOKEN = MATRICES + CONTEXT + ROTATION + GATES + RESIDUALS + RMS_NORMS

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_step, B * one_token * PER_TOKEN),
    uses=(llama_multiplied_parameters, attention_flops_per_context_token),
    steps=(
        premise(
            MATRICES,
            "each weight multiplies and adds",
            measured_by="llama/decode.product_flops[!*.scores, !*.mix](batch=1)",
        ),
        add(
            CONTEXT,
            MATRICES + CONTEXT,
            "attention and softmax meet every token of the context",
            measured_by="llama/decode.flops[*.scores, *.softmax, *.mix](batch=1)",
        ),
        add(
            ROTATION,
            MATRICES + CONTEXT + ROTATION,
            "queries and keys are rotated",
            measured_by="llama/decode.flops[*.rotary](batch=1)",
        ),
        add(
            GATES,
            MATRICES + CONTEXT + ROTATION + GATES,
            "the gate is activated and multiplied",
            measured_by="llama/decode.flops[*.activation, *.gating](batch=1)",
        ),
        add(
            RESIDUALS,
            MATRICES + CONTEXT + ROTATION + GATES + RESIDUALS,
            "two residual additions in a block",
            measured_by="llama/decode.flops[*.residual_?](batch=1)",
        ),
        add(
            RMS_NORMS,
            PER_TOKEN,
            "two norms in a block and one before the output",
            measured_by="llama/decode.flops[*norm*](batch=1)",
        ),
        multiply(B * one_token, CLAIM, "one new token for each sequence of the batch"),
    ),
    measured_by="llama/decode.flops",
    sources=("touvron-2023b",),
    example={"model": "llama-3-8b", "N": 4096, "B": 1},
)
