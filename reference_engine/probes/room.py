"""Room in memory: for a batch, for what its passes work on, and what is to stay free"""

from __future__ import annotations

from ..model import Decoder
from .counts import Passed
from .runs import Passes, Run, Values, decoder
from .subjects import Subject


def take_room(made: Decoder, batch: int, context: int, activations: int) -> None:
    """Caches of a batch and, for each of its sequences, room for what a pass works on."""
    made.start(batch, context)
    for _ in range(batch):
        with made.ledger.scope("activations"):
            made.machine.occupy(activations)


def give_room_back(made: Decoder) -> None:
    """The same room is free again."""
    for cache in (cache for block in made.caches for cache in block.values()):
        cache.release()
    made.caches = []
    made.ledger.held.pop("activations", None)


def take_reserve(made: Decoder, nbytes: int) -> None:
    """Bytes that are to stay free of weights and caches."""
    with made.ledger.scope("reserve"):
        made.machine.occupy(nbytes)


def _held_beside(subject: Subject, values: Values) -> Passes:
    """Weights, a reserve, and room for the caches of a batch and for what its passes work on."""
    made = decoder(subject, values, values["context"])
    take_reserve(made, values["reserve"])
    take_room(made, values["batch"], values["context"], values["activations"])
    return (Passed(1, made.ledger),)


HELD_BESIDE = Run("held beside a reserve", ("batch", "context", "reserve", "activations"), _held_beside)
