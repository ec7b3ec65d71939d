"""Whether the ledger tells the truth: small passes in which every number counts what is done with it"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..model import Decoder
from ..witness import watched_machine
from .attending import attend, attend_shared
from .runs import HEAD, PRODUCT, Run
from .subjects import Subject

_TWO = ("n_bytes_2", "n_blocks", "n_kv_heads", "group", "n_active", "n_global", "context", "width", "tile", "tiles")
_WIDTH = Fraction(8)
_TOKENS = 3  # of a prompt, before one more is decoded


@lru_cache(maxsize=64)
def entered_and_done(subject: Subject, run: Run | None) -> tuple[int, int]:
    """The operations that the ledger enters in a small pass of a subject, and those that its numbers count themselves.

    Where a run does nothing but hold, or counts scalars anyway, there are none of either.
    """
    values = {name: 2 if name in _TWO else 3 for name in subject.shape} | {"window": 2}
    if run is not HEAD and (run is None or run is PRODUCT or not subject.is_decoder):
        return 0, 0
    machine, tally = watched_machine()
    if run is HEAD:
        (attend_shared if "own" in values else attend)(machine, subject, values)
        return machine.ledger.total("flops"), tally.total()
    config = subject.config(values, n_bytes=_WIDTH, n_bytes_kv=_WIDTH, tokens=_TOKENS + 1)
    decoder = Decoder(config, machine=machine)
    decoder.prefill(np.zeros((2, _TOKENS), int), capacity=_TOKENS + 1)
    decoder.decode(np.zeros(2, int))
    return decoder.ledger.total("flops"), tally.total()
