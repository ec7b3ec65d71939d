"""Parameters where heads are of two kinds and experts stand beside MLPs

As in a decoder with one norm before attention, one before the MLP and one before the experts of a block, and no others.
Of Gemma 4, which has more norms, ask for P_total.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import in_and_out
from symbolic_llm.formulas.two_kinds.router_scale_parameters import FORMULA as router_scale_parameters
from symbolic_llm.formulas.two_kinds.twofold_multiplied_parameters import ATTENTION, MLPS
from symbolic_llm.formulas.two_kinds.twofold_multiplied_parameters import FORMULA as twofold_multiplied_parameters
from symbolic_llm.notation import P_total, n_experts, n_global, n_local
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

three_norms = count(3, "norms in a block: before attention, MLP and experts")

N_BLOCKS = n_local + n_global
EXPERTS = N_BLOCKS * (router_parameters.rhs + n_experts * expert_parameters.rhs)
SCALES = N_BLOCKS * router_scale_parameters.rhs
NORMS = (three_norms * N_BLOCKS + 1) * rms_norm_parameters.rhs
ENDS = in_and_out * embedding_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, ATTENTION + MLPS + EXPERTS + SCALES + NORMS + ENDS),
    models=(Trait.EXPERTS, Trait.TWOFOLD),
    uses=(
        twofold_multiplied_parameters,
        router_parameters,
        expert_parameters,
        router_scale_parameters,
        rms_norm_parameters,
        embedding_parameters,
    ),
    steps=(
        premise(
            ATTENTION,
            "attention of two kinds, as without experts",
            measured_by="sparse twofold/weights.stored"
            "[weights.blocks.*.query, weights.blocks.*.key, weights.blocks.*.value, weights.blocks.*.output]",
        ),
        add(
            MLPS,
            ATTENTION + MLPS,
            "an MLP in each block",
            measured_by="sparse twofold/weights.stored[*.gate, *.up, *.down, !*.experts.*]",
        ),
        add(
            EXPERTS,
            ATTENTION + MLPS + EXPERTS,
            "beside it a router and all its experts",
            measured_by="sparse twofold/weights.stored[*.router, *.experts.*]",
        ),
        add(
            SCALES,
            ATTENTION + MLPS + EXPERTS + SCALES,
            "the scales of the router",
            measured_by="sparse twofold/weights.stored[*.router_norm.*, *.expert_scales.*]",
        ),
        add(
            NORMS,
            ATTENTION + MLPS + EXPERTS + SCALES + NORMS,
            "three norms in a block and one before the output",
            measured_by="sparse twofold/weights.stored[*.norm_?.*, weights.norm.*]",
        ),
        add(
            ENDS,
            ATTENTION + MLPS + EXPERTS + SCALES + NORMS + ENDS,
            "embedding and output matrix",
            measured_by="sparse twofold/weights.stored[weights.embedding, weights.output]",
        ),
    ),
    measured_by="sparse twofold/weights.stored",
    example={
        "n_global": 5, "n_local": 25, "d_model": 2816, "d_head": 256, "n_heads": 16, "n_kv_heads": 8,
        "d_head_full": 512, "n_kv_full": 2, "d_ff": 2112, "n_experts": 128, "d_expert": 704, "n_vocab": 262144,
    },
)  # fmt: skip
