"""Matrix products of a prefill

Every token of the prompt meets all weights but the output matrix, which only those positions meet whose next token is
asked for: the last one where a server generates, all of them where the prompt itself is scored. Attention is as
kernels of servers have it, where no token meets what is masked; prompt_context_flops says what it is where every token
meets every other and what lies ahead is masked afterwards, which is what PyTorch's flop counter counts.
"""

from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.causal_prompt_context_flops import FORMULA as causal_prompt_context_flops
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import logits_are_of_prompt, multiply_add
from symbolic_llm.notation import B, C_prefill, C_prompt, N, N_logits, P, P_embedding
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq, Le

INSIDE = multiply_add * (P - P_embedding)
OF_OUTPUT = B * N_logits * multiply_add * P_embedding
OF_WEIGHTS = B * N * INSIDE + OF_OUTPUT
OF_ATTENTION = B * N * C_prompt

FORMULA = Formula(
    __name__,
    claim=Eq(C_prefill, OF_WEIGHTS + OF_ATTENTION),
    where=(
        Condition(Le(P_embedding, P), "the output matrix is among the weights that are multiplied"),
        logits_are_of_prompt,
    ),
    uses=(total_parameters, embedding_parameters, causal_prompt_context_flops),
    steps=(
        premise(
            INSIDE,
            "each weight but those of the output matrix multiplies and adds",
            measured_by="prefill.flops_of_weights[!output](batch=1, logits=1, silent=0)",
        ),
        multiply(
            B * N,
            B * N * INSIDE,
            "for each of N tokens of each sequence",
            measured_by="prefill.flops_of_weights[!output]",
        ),
        add(
            OF_OUTPUT,
            OF_WEIGHTS,
            "those of the output matrix for each position that gets logits",
            measured_by="prefill.product_flops[output]",
        ),
        add(OF_ATTENTION, CLAIM, "each token meets tokens of the prompt, or the states"),
    ),
    measured_by="prefill.product_flops",
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
