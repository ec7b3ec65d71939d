"""Money and energy"""

from __future__ import annotations

from ..units import DOLLAR, JOULE, ONE, SECOND, SEQUENCE, TOKEN, WATT
from .letter import group

_letter = group(__doc__)

B_2 = _letter("B_2", SEQUENCE, "another batch", latex="B'", whole=True, engine="batch_2")
price = _letter("price", DOLLAR / SECOND, "price of using the machine", latex="p", engine=True)
u = _letter(
    "u",
    ONE,
    "utilisation: share of the paid time in which the machine works",
    share=True,
    aliases=("utilisation", "utilization"),
)
power = _letter("power", WATT, "power of the machine while it works", latex=r"\Phi", engine=True)
power_idle = _letter(
    "power_idle", WATT, "power of the machine while it waits", latex=r"\Phi_{\text{idle}}", engine=True
)
c_token = _letter("c_token", DOLLAR / TOKEN, "cost of a token", aliases=("cost",))
J_token = _letter("J_token", JOULE / TOKEN, "energy of a token", aliases=("energy",))
r_output = _letter("r_output", ONE, "cost of an output token, in input tokens", latex=r"r_{\text{out}}")
