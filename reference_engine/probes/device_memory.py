"""Questions about what several devices hold, and what fits on them

Of devices that share every layer each has a machine with weights and caches of its own. Those behind it, in other
stages, lend it their memory: what is asked is how much is held where all stages are equally full.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..formats import F64
from ..memory import Machine, OutOfMemory
from ..model import Decoder
from .ledger_selections import count
from .measures import Answer, Asked, Given
from .memory_search import Most
from .registry import about
from .runs import Values
from .subjects import Subject
from .tensor_parallel import EVEN, EXPERTS, HEADS, HELD, KEEPING, WINDOWED, Devices, of_each, shared


@dataclass(frozen=True)
class MostOnDevices(Most):
    """Largest batch, or context, that fits before a device runs out of its memory and that of those behind it."""

    def decoders(self, subject: Subject, values: Values, memory: Any = None) -> list[Decoder]:
        return shared(subject, values, memory=None if memory is None else memory * values["stages"]).shares

    def memory(self, held: int, values: Values) -> Any:
        return Fraction(held, values["stages"])


@dataclass(frozen=True)
class AllPlaced(Answer):
    """Whether devices that have room for so many heads each find room for all of them."""

    def of(self, asked: Asked) -> bool:
        devices, heads, room = (asked.values[name] for name in ("devices", "n_kv_heads", "room"))
        head = np.ones(1)
        machines = [Machine(capacity=room * F64.pack(head).nbytes) for _ in range(devices)]
        waiting = heads
        for machine in machines:
            with suppress(OutOfMemory):
                while waiting:
                    machine.allocate(head, F64)
                    waiting -= 1
        return not waiting


about(None, "heads")(
    "devices.heads_fit", "Do devices that have room for so many heads each find room for all of them?", AllPlaced()
)
about(HELD, *HEADS, batch=1, context=1)(
    "devices.weights_held",
    "How many weights does a device hold, in the mean over all devices?",
    of_each(count("held", "weights.*", each=4)),
    "P_held",
)
about(HELD, *KEEPING, batch=1)(
    "devices.bytes_of_a_sequence",
    "How many bytes do the caches of a device hold for one sequence, in the mean over all devices?",
    of_each(count("held", "cache.*")),
    "M_seq_device",
)
about(HELD, *EVEN, *EXPERTS, "split latent", *WINDOWED)(
    "devices.bytes_held",
    "How many bytes of weights and caches does a device hold, in the mean over all devices?",
    of_each(count("held")),
    "M_device",
)
about(HELD, *EVEN, *EXPERTS, "split latent", *WINDOWED, batch=1, context=1)(
    "devices.memory_left",
    "How many bytes are free on a device and on those behind it in other stages, once they hold their weights?",
    of_each(Given("memory") * "stages" * Devices() - count("held", "weights.*")),
)
about(None, *EVEN, *EXPERTS, "split latent", *WINDOWED, more=("context", "stages"))(
    "devices.sequences_that_fit",
    "How large a batch can be allocated before a device, with the memory of those behind it, runs out of it?",
    MostOnDevices("batch"),
    "B_devices",
)
