"""When layers are faster where they lie than streamed

Beside the second memory a layer is read faster than a link could bring it, and computed more slowly. So a small batch
is faster there, and beyond a border the layer is streamed to the machine, which then reads it once for many tokens. The
border is the batch crossover of a machine with the arithmetic of the one place and the bandwidth of the way to the
other. A prompt has many tokens in one pass, so it is the first to be streamed.
"""

from symbolic_llm.claims import Condition, Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.offloading.offloaded_step_time import ARITHMETIC
from symbolic_llm.formulas.offloading.offloaded_step_time import FORMULA as offloaded_step_time
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, D_layer, F, F_host, P_layer, W_host, W_stream
from symbolic_llm.steps import CLAIM, compare_larger, multiply, premise
from symbolic_llm.unevaluated import Lt, Max

THERE = Max(ARITHMETIC / F_host, D_layer / W_host)
STREAMED = Max(ARITHMETIC / F, D_layer / W_stream)
FASTER = Lt(THERE, STREAMED)

FORMULA = Formula(
    __name__,
    claim=Equivalence(FASTER, Lt(B, D_layer * F_host / (multiply_add * P_layer * one_token * W_stream))),
    kind=Kind.THEOREM,
    where=(
        Condition(
            Lt(W_stream, W_host),
            "a layer is read faster where it lies than a link brings it",
            "the link is no slower than the second memory, so streaming is never slower",
        ),
        Condition(
            Lt(F_host, F),
            "the machine computes faster than what is beside the second memory",
            "nothing is gained by streaming to a machine that computes no faster",
        ),
    ),
    uses=(offloaded_step_time,),
    steps=(
        premise(FASTER, "a layer takes less time where it lies than streamed"),
        compare_larger(
            Lt(ARITHMETIC / F_host, D_layer / W_stream),
            "which is so only where its arithmetic there is done before the link has brought it",
        ),
        multiply(F_host / (multiply_add * P_layer * one_token), CLAIM, "by the sequences computed in a second"),
    ),
    measured_by="offload.computing_there_is_faster",
    example={
        "model": "llama-3-70b",
        "hardware": "rtx-4090",
        "dtype": "fp16",
        "weights": "q4_0",
        "B": 1,
        "W_host": "60 GB/s",
        "F_host": "1 TFLOP/s",
        "W_stream": "25 GB/s",
    },
)
