"""Load of a server"""

from __future__ import annotations

from ..units import ONE, SECOND, TOKEN
from .letter import group

_letter = group(__doc__)

n_servers = _letter("n_servers", ONE, "servers that share what arrives", whole=True, engine="servers")
R_served = _letter(
    "R_served", TOKEN / SECOND, "tokens per second that a server generates whose time goes to prompts, too"
)
T_between = _letter(
    "T_between", SECOND, "time from one output token to the next, on average, with the prompts that come in between"
)
