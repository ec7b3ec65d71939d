"""Operations of one decoding step of a Mixtral, exactly

Attention as in a LLaMA; in place of its MLP a router's softmax, k passes of comparisons to find the k largest, their
weights made to sum to one, k experts, and their weighted sum.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.mixtral_multiplied_parameters import FORMULA as mixtral_multiplied_parameters
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.shared import CONTEXT, MATRICES, RESIDUALS, RMS_NORMS, ROTATION, one_token, swiglu
from symbolic_llm.notation import B, C_step, d_expert, d_model, n_active, n_blocks, n_experts
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import FLOP, TOKEN

score = count(5, "compare, subtract, exponential, add, divide", FLOP / TOKEN)
search = count(1, "a comparison for each expert, once for each that is picked", FLOP / TOKEN)
share = count(2, "add to the sum and divide by it", FLOP / TOKEN)
mix = count(2, "a multiplication by its weight and an addition", FLOP / TOKEN)

SAME = MATRICES + CONTEXT + ROTATION + RESIDUALS + RMS_NORMS
ROUTING = n_blocks * (score * n_experts + search * n_active * n_experts + share * n_active)
EXPERTS = n_blocks * n_active * (swiglu * d_expert + mix * d_model)
PER_TOKEN = SAME + ROUTING + EXPERTS

FORMULA = Formula(
    __name__,
    models=(Trait.EXPERTS, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_step, B * one_token * PER_TOKEN),
    uses=(mixtral_multiplied_parameters, attention_flops_per_context_token),
    steps=(
        premise(
            SAME,
            "matrices, attention, rotation, residuals and norms, as in a LLaMA",
            measured_by="mixtral/decode.flops[!*.routing, !*.activation, !*.gating, !*.mlp.mix](batch=1)",
        ),
        add(
            ROUTING,
            SAME + ROUTING,
            "the router's softmax and the search for the largest",
            measured_by="mixtral/decode.flops[*.routing](batch=1)",
        ),
        add(
            EXPERTS,
            PER_TOKEN,
            "gates of the experts that are picked, and their weighted sum",
            measured_by="mixtral/decode.flops[*.activation, *.gating, *.mlp.mix](batch=1)",
        ),
        multiply(B * one_token, CLAIM, "one new token for each sequence of the batch"),
    ),
    measured_by="mixtral/decode.flops",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "N": 4096, "B": 1},
)
