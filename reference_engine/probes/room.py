"""Room in memory beside a reserve: for a batch, and for what its passes work on"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model import Decoder
from .counts import Passed
from .filling import Most
from .runs import Passes, Run, Values
from .subjects import Subject

_ACTIVATIONS, _RESERVE = "activations", "reserve"


@dataclass(frozen=True)
class MostBeside(Most):
    """How many can be allocated beside a reserve, where each sequence takes room for what a pass works on."""

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*super().needs, _RESERVE, _ACTIVATIONS)

    def decoders(self, subject: Subject, values: Values, memory: Any = None) -> list[Decoder]:
        found = super().decoders(subject, values, memory)
        for made in found:
            with made.ledger.scope(_RESERVE):
                made.machine.occupy(values[_RESERVE])
        return found

    def take(self, made: Decoder, values: Values) -> None:
        super().take(made, values)
        for _ in made.ledger.loop(values["batch"]):
            with made.ledger.scope(_ACTIVATIONS):
                made.machine.occupy(values[_ACTIVATIONS])

    def give_back(self, made: Decoder) -> None:
        super().give_back(made)
        made.ledger.held.pop(_ACTIVATIONS, None)


def _held_beside(subject: Subject, values: Values) -> Passes:
    """Weights, a reserve, and room for the caches of a batch and for what its passes work on."""
    filling = MostBeside("batch")
    (made,) = filling.decoders(subject, values)
    filling.take(made, values)
    return (Passed(1, made.ledger),)


HELD_BESIDE = Run("held beside a reserve", ("batch", "context", _RESERVE, _ACTIVATIONS), _held_beside)
