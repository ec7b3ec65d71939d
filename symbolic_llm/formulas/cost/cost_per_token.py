"""Cost of a token

The price of a machine by the hour, over the tokens that it gives in that time. Of the hours paid for it works in a
share u only: the rest is nobody's, and is spread over the tokens there are. The throughput may be a measured one, of
input tokens as well as of output tokens.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.throughput_with_cache import FORMULA as throughput_with_cache
from symbolic_llm.formulas.shared import works_while_paid
from symbolic_llm.notation import R, c_token, price, u
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(c_token, price / (u * R)),
    kind=Kind.LAW,
    where=(works_while_paid,),
    uses=(throughput_with_cache,),
    steps=(
        premise(
            price / R,
            "while it works, a token costs the seconds in which it is made",
            measured_by="money.cost_per_token(waiting=0)",
        ),
        divide(u, CLAIM, "and each of them is paid for with its share of those in which nothing is made"),
    ),
    measured_by="money.cost_per_token",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "N": 4096,
        "B": 32,
        "price": "3 $/h",
        "u": 0.5,
    },
)
