"""What a token of a chunk adds beyond the free ones

Once a step waits for its arithmetic, every further token of the chunk adds what it computes, to the time that each of
the decoding sequences waits for its next token. The end of the chunk stays where it is in the prompt: one more token in
this step is one less in the step before.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import COMPUTED, READ
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.notation import F, N_prompt, P, T_added, a
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Gt

FORMULA = Formula(
    __name__,
    claim=Eq(T_added, (multiply_add * P + a * N_prompt) / F),
    kind=Kind.LAW,
    where=(
        Condition(
            Gt(COMPUTED, READ),
            "the arithmetic of the step takes longer than its reading",
            "the token is free: the step takes as long as what it reads",
        ),
    ),
    models=(Trait.DENSE, Trait.FULL),
    uses=(mixed_step_time,),
    steps=(
        premise(
            multiply_add * P / F,
            "it is multiplied with every weight",
            measured_by="clock.chunk_token_compute_time[!*.scores, !*.mix]",
        ),
        add(a * N_prompt / F, CLAIM, "and meets its prompt so far"),
    ),
    measured_by="clock.time_of_one_more_token",
    example={**mixed_step_time.example, "N": 1024, "n_chunk": 512},
)
