"""The decoder of the articles as a special case

With keys and values of its own for every head, heads that share the model's width, and an MLP four times as wide, the
weights that a GPT-2 multiplies are those that total_parameters counts.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gpt2_multiplied_parameters import FORMULA as gpt2_multiplied_parameters
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.mlp.plain_mlp_parameters import FORMULA as plain_mlp_parameters
from symbolic_llm.formulas.parameters.attention_parameters import FORMULA as attention_parameters
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import each_weight, heads_fill_model, heads_keep_their_own, mlp_is_fourfold
from symbolic_llm.notation import P, d_head, d_model, n_blocks, n_heads
from symbolic_llm.steps import cite, substitute
from symbolic_llm.written import Eq

MULTI_HEAD = 4 * each_weight * d_model * n_heads * d_head
EMBEDDING = embedding_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, total_parameters.rhs),
    where=(heads_keep_their_own, heads_fill_model, mlp_is_fourfold),
    uses=(gpt2_multiplied_parameters, total_parameters),
    steps=(
        cite(gpt2_multiplied_parameters, "with groups of heads and free widths"),
        substitute(
            heads_keep_their_own,
            n_blocks * (MULTI_HEAD + plain_mlp_parameters.rhs) + EMBEDDING,
            "no head shares its keys and values",
        ),
        substitute(
            heads_fill_model,
            n_blocks * (attention_parameters.rhs + plain_mlp_parameters.rhs) + EMBEDDING,
            "side by side the heads are as wide as the model",
        ),
        substitute(mlp_is_fourfold, total_parameters.rhs, "and the MLP is four times as wide"),
    ),
    measured_by="schematic/weights.multiplied",
    sources=("timbers-2023", "kipply-2022"),
    example={"model": "gpt2"},
)
