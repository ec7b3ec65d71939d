"""Weights that a token is multiplied with where runs are compressed

As in DeepSeek-V4: attention over one vector in every block, a compressor where there are runs, an index where they are
short; matrices that mix the streams before each layer; a router in every block, the experts that it picks, and one more
that every token is sent to.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compressed_attention.compressor_parameters import FORMULA as compressor_parameters
from symbolic_llm.formulas.compressed_attention.entry_index_parameters import FORMULA as entry_index_parameters
from symbolic_llm.formulas.compressed_attention.overlapping_compressor_parameters import (
    FORMULA as overlapping_compressor_parameters,
)
from symbolic_llm.formulas.compressed_attention.shared_vector_parameters import FORMULA as shared_vector_parameters
from symbolic_llm.formulas.compressed_attention.stream_parameters import FORMULA as stream_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.notation import P, n_active, n_blocks, n_csa, n_hca
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

shared_expert = count(1, "expert that every token is sent to")
ATTENTION = n_blocks * shared_vector_parameters.rhs
LONG = n_hca * compressor_parameters.rhs
SHORT = n_csa * (overlapping_compressor_parameters.rhs + entry_index_parameters.rhs)
ACTIVE = n_blocks * (router_parameters.rhs + (n_active + shared_expert) * expert_parameters.rhs)
RUNS = ATTENTION + LONG + SHORT
BLOCKS = RUNS + stream_parameters.rhs + ACTIVE

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, BLOCKS + embedding_parameters.rhs),
    models=(Trait.SHARED, Trait.COMPRESSED, Trait.EXPERTS),
    uses=(
        shared_vector_parameters,
        compressor_parameters,
        overlapping_compressor_parameters,
        entry_index_parameters,
        stream_parameters,
        router_parameters,
        expert_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(shared_vector_parameters, "attention over one vector of each token"),
        multiply(
            n_blocks,
            ATTENTION,
            "in every block",
            measured_by="compressing/weights.multiplied[*.attention.*, !*.index.*, !*.entry.*, !*.long.*]",
        ),
        add(
            LONG,
            ATTENTION + LONG,
            "a compressor of long runs",
            measured_by="compressing/weights.multiplied[*.long.*]",
        ),
        add(
            SHORT,
            RUNS,
            "two of short runs with an index, one of them the index's own",
            measured_by="compressing/weights.multiplied[*.index.*, *.entry.*]",
        ),
        add(stream_parameters, RUNS + stream_parameters.rhs, "what mixes the streams"),
        add(
            ACTIVE,
            BLOCKS,
            "the scores of all experts, those that are picked and one more",
            measured_by="compressing/weights.multiplied[*.mlp.*]",
        ),
        add(embedding_parameters, BLOCKS + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="compressing/weights.multiplied",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
