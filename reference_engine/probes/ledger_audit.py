"""Checks of the ledger: small passes in which every number counts the operations that are done with it"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..counting_scalars import watched_machine
from ..model import Decoder
from .runs import HEAD, PRODUCT, Run
from .single_head_runs import attend
from .subjects import Subject

_TWO = ("n_bytes_2", "n_blocks", "n_kv_heads", "group", "n_active", "n_global", "context", "width", "tile", "tiles")
_WIDTH = Fraction(8)
_TOKENS = 3  # of a prompt, before one more is decoded


def entered_and_done(subject: Subject, run: Run | None) -> tuple[int, int]:
    """The operations that the ledger enters in a small pass of a subject, and those that its numbers count themselves.

    Where a run does nothing but hold, or counts scalars anyway, there are none of either.
    """
    if run is HEAD:
        return _of_one_head(subject)
    if run is None or run is PRODUCT or not subject.is_decoder:
        return 0, 0
    return _of_a_decoder(subject)


def _small(subject: Subject) -> dict[str, int]:
    return {name: 2 if name in _TWO else 3 for name in subject.shape} | {"window": 2}


@lru_cache(maxsize=64)
def _of_one_head(subject: Subject) -> tuple[int, int]:
    machine, tally = watched_machine()
    attend(machine, subject, _small(subject))
    return machine.ledger.total("flops"), tally.total()


@lru_cache(maxsize=128)  # whatever is asked of a decoder, its ledger is looked at once
def _of_a_decoder(subject: Subject) -> tuple[int, int]:
    machine, tally = watched_machine()
    config = subject.config(_small(subject), n_bytes=_WIDTH, n_bytes_kv=_WIDTH, tokens=_TOKENS + 1)
    decoder = Decoder(config, machine=machine)
    decoder.prefill(np.zeros((2, _TOKENS), int), capacity=_TOKENS + 1)
    decoder.decode(np.zeros(2, int))
    return decoder.ledger.total("flops"), tally.total()
