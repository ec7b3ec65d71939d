"""Money and energy"""

from __future__ import annotations

from ..units import DOLLAR, JOULE, ONE, SECOND, SEQUENCE, TOKEN, WATT
from .letter import group

_letter = group(__doc__)

B_2 = _letter("B_2", "B'", SEQUENCE, "another batch", whole=True, engine="batch_2")
price = _letter("price", "p", DOLLAR / SECOND, "price of using the machine", engine=True)
u = _letter(
    "u",
    "u",
    ONE,
    "utilisation: share of the paid time in which the machine works",
    share=True,
    aliases=("utilisation", "utilization"),
)
power = _letter("power", r"\Phi", WATT, "power of the machine while it works", engine=True)
power_idle = _letter("power_idle", r"\Phi_{\text{idle}}", WATT, "power of the machine while it waits", engine=True)
c_token = _letter("c_token", r"c_{\text{token}}", DOLLAR / TOKEN, "cost of a token", aliases=("cost",))
J_token = _letter("J_token", r"J_{\text{token}}", JOULE / TOKEN, "energy of a token", aliases=("energy",))
r_output = _letter("r_output", r"r_{\text{out}}", ONE, "cost of an output token, in input tokens")
