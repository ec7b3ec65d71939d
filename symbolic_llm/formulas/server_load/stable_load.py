"""The load that servers keep up with

The prompts and tokens of a second keep so many servers busy, on average. With more servers than that, their utilisation
is below 1, they can give more tokens than are asked for, and a queue gets shorter. Otherwise a queue stays or grows,
however long it is. This is the least number of servers, not a comfortable one: how long a queue is depends on how
evenly requests arrive, and it grows without bound as utilisation nears 1.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.disaggregation.devices_apart import FORMULA as devices_apart
from symbolic_llm.formulas.server_load.served_throughput import FORMULA as served_throughput
from symbolic_llm.notation import R_out, n_servers
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Lt

BELOW_ONE = Lt(devices_apart.rhs / n_servers, 1)

FORMULA = Formula(
    __name__,
    claim=Equivalence(BELOW_ONE, Lt(R_out, n_servers * served_throughput.rhs)),
    kind=Kind.THEOREM,
    uses=(devices_apart, served_throughput),
    steps=(
        premise(BELOW_ONE, "the servers are not busy all the time"),
        multiply(n_servers * served_throughput.rhs, CLAIM, "by the tokens that they give in a second"),
    ),
    measured_by="load.is_kept_up_with",
    example={
        "R_in": "20480 token/s",
        "R_out": "5120 token/s",
        "R_prefill": "20.07 ktoken/s",
        "R": "9842 token/s",
        "n_servers": 2,
    },
)
