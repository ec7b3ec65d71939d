"""Weights read more with data-parallel latent attention

The matrices that lead down to the compressed query and to the latent vector are on every device either way. Those of
heads are read whole, where they would have been shared out.
"""

from symbolic_llm.architecture import UNPICKED, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_parameters import UP as QUERIES
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import OUTPUT, UP
from symbolic_llm.notation import P_more, n_blocks, n_tensor
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

OTHERS = (n_tensor - 1) / n_tensor
OF_QUERIES, OF_LATENTS = n_blocks * QUERIES * OTHERS, n_blocks * (UP + OUTPUT) * OTHERS

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_more, n_blocks * (QUERIES + UP + OUTPUT) * OTHERS),
    models=(Trait.LATENT, *UNPICKED),
    uses=(compressed_query_parameters, latent_key_value_parameters),
    steps=(
        premise(
            OF_QUERIES,
            "of what leads up to the queries all but its own heads, in every block",
            measured_by="dealt.weights_more[*.query]",
        ),
        add(
            OF_LATENTS,
            n_blocks * (QUERIES + UP + OUTPUT) * OTHERS,
            "and of what leads up to keys and values, and back from them",
            measured_by="dealt.weights_more[*_up, *.output]",
        ),
    ),
    measured_by="dealt.weights_more",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v3", "n_tensor": 8},
)
