"""Devices in a ring, and the sum that all of them get

Each device has a link to the next one. In an all-reduce every device has an array, and in the end each has the sum of
all. The array is cut into as many pieces as there are devices. In each round every device sends one piece on: first
pieces that the next device adds to its own, until each device has one piece of the sum, then these pieces, until every
device has all of them. The numbers really travel, in the format of the messages, and each message is put on a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from .. import ops
from ..arrays import zeros
from ..formats import F64, Array, Format
from ..ledger import Ledger, loop
from ..sizes import Exact, together
from ..slices import parts


class Link(NamedTuple):
    """A link between devices: the seconds before a message's first byte arrives, and then the bytes a second.

    Without a bandwidth bytes take no time.
    """

    latency: Exact
    bandwidth: Exact | None


class Ring:
    """Devices in a ring.

    Args:
        ledgers: of each device; what it sends and adds is entered there, under the path that is open.
        format: how numbers travel.
        link: from each device to the next; without one the clocks stand still.
        devices: how many there are, where that is a size that remembers.

    Attributes:
        devices: how many there are.
        clocks: of each device, when it has received and sent all that there was so far.
        busy: of each device, how long its link has been in use.
    """

    def __init__(
        self, ledgers: Sequence[Ledger], format: Format = F64, link: Link | None = None, devices: int | None = None
    ) -> None:
        self.ledgers = tuple(ledgers)
        self.format = format
        self.link = link
        self.devices = len(self.ledgers) if devices is None else devices
        self.clocks: list[Exact] = [0] * len(self.ledgers)
        self.busy: list[Exact] = [0] * len(self.ledgers)

    def send(self, device: int, numbers: Array) -> Exact:
        """Send numbers from a device to the next, and return the time at which they have arrived."""
        return self._sent(device, self.format.pack(numbers))

    def all_reduce(self, arrays: Sequence[Array], scope: str = "reduce") -> list[Array]:
        """An array of every device, all of one shape -> their sum, for every device a copy of its own."""
        n, shape = self.devices, arrays[0].shape
        held = [array.ravel().copy() for array in arrays]  # (size,) each
        pieces = parts(held[0].size, n)
        with self._scope(scope):
            self._add_up(held, pieces)
            for device in range(n):  # whoever has the sum of a piece has it as precisely as all others will
                own = pieces[(device + 1) % n]
                held[device][own] = self._arrived(self.format.pack(held[device][own])) if n > 1 else held[device][own]
            self._spread(held, pieces)
        return [array.reshape(shape) for array in held]

    def all_gather(self, arrays: Sequence[Array], scope: str = "gather") -> list[Array]:
        """Rows of every device -> the rows of all devices, one after the other, for every device a copy of its own."""
        ends = [0, *accumulate(array.shape[0] for array in arrays)]
        n = len(arrays)
        pieces = [slice(*ends[(i - 1) % n :][:2]) for i in range(n)]  # as `_spread` finds them
        rows = together([array.shape[0] for array in arrays], self.devices)
        held = [zeros((rows, *arrays[0].shape[1:])) for _ in arrays]  # (rows, ...) each
        for device, array in enumerate(arrays):
            held[device][pieces[(device + 1) % n]] = array
        with self._scope(scope):
            self._spread(held, pieces)
        return held

    def reduce_scatter(self, arrays: Sequence[Array], rows: Sequence[slice], scope: str = "reduce") -> list[Array]:
        """An array of every device, all of one shape -> of each device its rows of their sum."""
        held, n = [array.copy() for array in arrays], self.devices
        with self._scope(scope):
            self._add_up(held, [rows[(i - 1) % n] for i in range(n)])
        return [array[own] for array, own in zip(held, rows, strict=True)]

    def _scope(self, name: str) -> ExitStack:
        """Context in which a path is open on every device."""
        open_paths = ExitStack()
        for ledger in self.ledgers:
            open_paths.enter_context(ledger.scope(name))
        return open_paths

    def _add_up(self, held: list[Array], pieces: Sequence[slice]) -> None:
        """Run the n − 1 rounds after which device i has the sum of piece i + 1, modulo n."""
        n = self.devices
        for turn in loop(self.ledgers, n - 1):
            places = [pieces[(device - turn) % n] for device in range(n)]
            for device, (place, numbers) in enumerate(self._pass_on(held, places)):
                held[device][place] = ops.elementwise(self.ledgers[device], "add", held[device][place], numbers)

    def _spread(self, held: list[Array], pieces: Sequence[slice]) -> None:
        """Run the n − 1 rounds that bring every piece to each device, if device i begins with piece i + 1, modulo n."""
        n = self.devices
        for turn in loop(self.ledgers, n - 1):
            places = [pieces[(device + 1 - turn) % n] for device in range(n)]
            for device, (place, numbers) in enumerate(self._pass_on(held, places)):
                held[device][place] = numbers

    def _pass_on(self, held: list[Array], places: list[slice]) -> list[tuple[slice, Array]]:
        """Run a round: each device sends one piece to the next. Returns the place and numbers that each gets."""
        packed = [self.format.pack(array[place]) for array, place in zip(held, places, strict=True)]
        arrivals = [self._sent(device, message) for device, message in enumerate(packed)]
        n = self.devices
        # a device goes on when it has got its piece and is done with sending its own
        self.clocks = [max(arrivals[device - 1], arrivals[device]) for device in range(n)]
        return [(places[device - 1], self._arrived(packed[device - 1])) for device in range(n)]

    def _sent(self, device: int, message: Array) -> Exact:
        """Enter a message and return the time at which it has arrived."""
        self.ledgers[device].record("send", sent=message.nbytes)
        if self.link is None:
            return 0
        latency, bandwidth = self.link
        takes = latency if bandwidth is None else latency + Fraction(message.nbytes) / bandwidth
        self.busy[device] += takes
        return self.clocks[device] + takes

    def _arrived(self, message: Array) -> Array:
        return self.format.unpack(message).astype(np.float64)
