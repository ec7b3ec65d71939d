"""Time of a decoding step with layers in a second memory

Layers wait for each other. So the time of what the machine does with its own memory, and that of the layers which are
multiplied beside the second one, add up. In each the longer of reading and arithmetic counts. With the bandwidth of the
link for that of the second memory, and the machine's arithmetic, the second time is that of layers which are streamed
instead. The vectors that cross from one memory to the other are left out: a few numbers for each token and layer.
"""

from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, D_layer, F, F_host, P, P_layer, T_step, W, W_host, n_far, n_movable
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Le, Max

ARITHMETIC = multiply_add * P_layer * B * one_token
NEAR = Max(
    compute_time_with_attention.rhs - n_far * ARITHMETIC / F,
    memory_time_with_cache.rhs - n_far * D_layer / W,
)
FAR = n_far * Max(ARITHMETIC / F_host, D_layer / W_host)

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, NEAR + FAR),
    kind=Kind.LAW,
    where=(
        Condition(Le(n_far, n_movable), "no more layers are in the second memory than can be there"),
        Condition(Le(n_far * P_layer, P), "they are among the weights that a step multiplies"),
    ),
    uses=(compute_time_with_attention, memory_time_with_cache),
    steps=(
        premise(
            NEAR,
            "what the machine reads of its own memory, and computes meanwhile",
            measured_by="offload.time_in_the_first_memory",
        ),
        add(
            FAR,
            CLAIM,
            "and the layers in the second memory, while it waits",
            measured_by="offload.time_in_the_second_memory",
        ),
    ),
    measured_by="offload.step_time",
    example={
        "model": "llama-3-70b",
        "hardware": "rtx-4090",
        "dtype": "fp16",
        "weights": "q4_0",
        "N": 4096,
        "B": 1,
        "n_far": 40,
        "W_host": "60 GB/s",
        "F_host": "1 TFLOP/s",
    },
)
