"""Two operations per parameter and token

The rule of thumb behind every estimate. It always falls short, because it leaves out attention and everything that
is not a matrix; by how much grows in proportion to the context over the width of the model. The bound is that of the
schematic decoder.
"""

from symbolic_llm.claims import Approximation, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_flops import FORMULA as decode_flops
from symbolic_llm.formulas.compute.decode_flops import PER_TOKEN, SMALL
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import CONTEXT, MATRICES, heads_fill_model, multiply_add, per_score, score_and_sum
from symbolic_llm.notation import C_token, N, d_head, d_model, n_blocks, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, at_most, premise, rewrite, substitute
from symbolic_llm.units import FLOP, TOKEN

in_block = count(53, "operations of norms, GELU and residuals for each channel, the last norm included", FLOP / TOKEN)
once = count(12, "operations of the norms that do not depend on the width", FLOP / TOKEN)
rest = count(65, "operations for each channel outside matrices and attention, at the most", FLOP / TOKEN)
block_flops = count(24, "operations of a block's matrices for each weight of a square one", FLOP / TOKEN)

EXCESS = CONTEXT + SMALL
PER_BLOCK = (score_and_sum * d_head + per_score) * n_heads * N
ATTENTION = n_blocks * PER_BLOCK
BOUND = ((score_and_sum + per_score / d_head) * N + rest) / (block_flops * d_model)

FORMULA = Formula(
    __name__,
    claim=Approximation(C_token, MATRICES, exact=PER_TOKEN, bound=BOUND),
    kind=Kind.APPROXIMATION,
    where=(heads_fill_model,),
    uses=(decode_flops, total_parameters, attention_flops_per_context_token),
    steps=(
        premise((PER_TOKEN - MATRICES) / PER_TOKEN, "the relative error, with decode_flops for one token as the truth"),
        rewrite(EXCESS / (MATRICES + EXCESS), "what 2P leaves out, over the whole"),
        at_most(EXCESS / MATRICES, "without the excess the denominator is smaller"),
        substitute(
            attention_flops_per_context_token,
            (ATTENTION + SMALL) / MATRICES,
            "attention written out",
        ),
        substitute(
            total_parameters,
            (ATTENTION + SMALL) / (multiply_add * total_parameters.rhs),
            "the parameters written out",
        ),
        at_most(
            (ATTENTION + n_blocks * (in_block * d_model + once)) / (block_flops * n_blocks * d_model**2),
            "without the output matrix the denominator is smaller, and one more norm in every block is more",
        ),
        rewrite((PER_BLOCK + in_block * d_model + once) / (block_flops * d_model**2), "the blocks are all alike"),
        at_most((PER_BLOCK + rest * d_model) / (block_flops * d_model**2), "a model is at least one channel wide"),
        substitute(heads_fill_model, CLAIM, "the heads share the width"),
    ),
    measured_by="schematic/decode.flops_of_a_token",
    sources=("timbers-2023", "kipply-2022", "baseten-2023"),
    example={"n_blocks": 32, "n_heads": 32, "d_head": 128, "d_model": 4096, "n_vocab": 32000, "N": 4096},
)
