"""Energy of a token

While the machine works it draws one power, while it waits another, lower one. Both are shared among the tokens.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.throughput_with_cache import FORMULA as throughput_with_cache
from symbolic_llm.formulas.shared import works_while_paid
from symbolic_llm.notation import J_token, R, power, power_idle, u
from symbolic_llm.steps import CLAIM, add, premise, rewrite
from symbolic_llm.unevaluated import Eq

WAITING = power_idle * (1 - u) / (u * R)

FORMULA = Formula(
    __name__,
    claim=Eq(J_token, (power + power_idle * (1 - u) / u) / R),
    kind=Kind.LAW,
    where=(works_while_paid,),
    uses=(throughput_with_cache,),
    steps=(
        premise(
            power / R,
            "while it works, a token takes the power of the seconds in which it is made",
            measured_by="money.energy_per_token(waiting=0)",
        ),
        add(
            WAITING,
            power / R + WAITING,
            "for each second of work it waits (1 − u)/u seconds",
        ),
        rewrite(CLAIM, "all over the throughput"),
    ),
    measured_by="money.energy_per_token",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "N": 4096,
        "B": 32,
        "power": "700 W",
        "power_idle": "100 W",
        "u": 0.5,
    },
)
