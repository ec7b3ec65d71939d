"""Claims for tests: every one of the package, and one made of a figure alone"""

from __future__ import annotations

from symbolic_llm import audit
from symbolic_llm.audit import Claim

EVERY = [(claims, claim) for claims in audit.sources() for claim in claims.claims]
NAMES = [f"{claims.source.key}-{claim.id}" for claims, claim in EVERY]
HALF = 'throughput(hardware="a100-80gb-pcie", dtype="int4", P=7e9, B=1) / 2'


def figure(printed: str, value: str, **more: str) -> Claim:
    """A claim about one figure."""
    return Claim("one", "somewhere", "something", printed, value, **more)  # type: ignore[arg-type]
