"""Where a formula is compared that is not decided for all shapes: at places that its own claim draws

The standard configurations are known to whoever writes a formula, so what is right there and nowhere else could be
written. The places here follow from the claim: with any other claim they are others.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import cycle, islice

from ..formula import Formula
from .comparison import probes_of
from .configurations import FIGURES, OFFERED, STANDARD
from .letters import Config

_PLACES, _MOST = 6, 12  # so many routings are gone through


def drawn(formula: Formula) -> Iterator[Config]:
    """Configurations whose shapes are drawn from the text of the claim, one after the other."""
    names = dict.fromkeys(name for probe in probes_of(formula.measured_by, formula) for name in probe.parameters)
    for place, standard in enumerate(islice(cycle(STANDARD[:4]), _PLACES)):
        config = dict(standard)
        for name in names:
            if name not in FIGURES and name not in OFFERED:
                said = sha256(f"{formula.claim!r} {place} {name}".encode()).digest()
                config[name] = 1 + int.from_bytes(said[:8]) % _MOST
        yield config
