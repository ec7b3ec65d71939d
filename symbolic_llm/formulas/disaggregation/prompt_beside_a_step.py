"""How long a prompt beside a decoding step may be

Within the time that a token may take, a pass has arithmetic for so many tokens, and the sequences that are decoded take
theirs first. A longer prompt comes in pieces, or it goes to a device of its own: that is where devices apart win.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.token_crossover import FORMULA as token_crossover
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, F, P, T_target, n_chunk
from symbolic_llm.steps import CLAIM, multiply, premise, subtract
from symbolic_llm.unevaluated import Ge, Le

TOKENS = B * one_token + n_chunk
WITHIN = Le(multiply_add * P * TOKENS / F, T_target)

FORMULA = Formula(
    __name__,
    claim=Equivalence(WITHIN, Le(n_chunk, T_target * F / (multiply_add * P) - B * one_token)),
    kind=Kind.THEOREM,
    where=(
        Condition(
            Ge(TOKENS, token_crossover.rhs),
            "the arithmetic of all tokens takes no less time than reading the weights",
            "the pass takes as long as reading the weights, whatever the prompt",
        ),
    ),
    models=(Trait.DENSE, Trait.FULL),
    uses=(token_crossover,),
    steps=(
        premise(WITHIN, "the pass takes no longer than a token may"),
        multiply(
            F / (multiply_add * P),
            Le(TOKENS, T_target * F / (multiply_add * P)),
            "by the tokens of a second",
        ),
        subtract(B * one_token, CLAIM, "the sequences that are decoded have one each"),
    ),
    measured_by="apart.mixed_within_target",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "B": 64,
        "n_chunk": 512,
        "T_target": "50 ms",
    },
)
