"""Off-chip memory of earlier tokens, block by block: vectors of these, or a state

A cache holds one vector for each token (and head). Layers that look back on a window keep no more than the window: the
newest token takes the place of the oldest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .arrays import arange, pieces
from .formats import Array
from .memory import OffChip
from .sizes import least


class Kept:
    """Off-chip state that a block keeps of the sequences of a batch; its size does not depend on their length."""

    def __init__(self, vectors: OffChip) -> None:
        self.vectors = vectors

    @property
    def nbytes(self) -> int:
        """Bytes it occupies off-chip."""
        return self.vectors.nbytes

    def grow(self, capacity: int) -> None:
        """Do nothing: a longer sequence keeps no more."""

    def settle(self) -> None:
        """Release the room that is only needed until the end of a pass: none."""

    def release(self) -> None:
        """Give the room back."""
        self.settle()
        self.vectors.release()


class Cache(Kept):
    """Room for the vectors of the latest tokens: (batch, room, …).

    Args:
        reserve: gives off-chip room for so many tokens of each sequence.
        capacity: tokens it has to take.
        window: tokens that are looked back on, the newest included; None for all.
        shared: whether other blocks load the same again, in the same pass.
        page: tokens of a page, where room comes in whole pages and a window gives none back; 0 where it does not.
    """

    def __init__(
        self,
        reserve: Callable[[int], OffChip],
        capacity: int,
        window: int | None,
        *,
        shared: bool = False,
        page: int = 0,
    ) -> None:
        self._reserve = reserve
        self._window = window
        self._shared = shared
        self._page = page
        # of a pass, what its tokens look back on, where the room is too small for it
        self._passed: OffChip | None = None
        super().__init__(reserve(self._room(capacity)))

    def _room(self, capacity: int) -> int:
        """Number of tokens that there is room for, where the cache has to take so many."""
        if self._page:
            return -(-capacity // self._page) * self._page
        room: int = least(capacity, self._window or capacity)
        return room

    def extend(self, new: Array, start: int) -> Array:
        """Store the vectors of new tokens and load all that these look back on.

        Args:
            new: (batch, n, …), of the tokens start, …, start + n − 1.
            start: tokens there were before.

        Returns:
            (batch, kept + n, …), the latest last. Every new vector is stored once, and loaded once like the kept.
        """
        room, end = self.vectors.shape[1], start + new.shape[1]
        kept = self._before(start)
        seen = [self.vectors.load(self._slots(start - kept, start))]  # (B, kept, ...) each
        # a prompt longer than the window overwrites its own beginning: each piece is loaded before that happens
        for first, last in pieces(start, end, room):
            self.vectors.store(new[:, first - start : last - start], self._slots(first, last))
            seen.append(self.vectors.load(self._slots(first, last)))
        found = np.concatenate(seen, axis=1)  # (B, kept + n, ...)
        if self._shared and found.shape[1] > room:
            self._passed = self._reserve(found.shape[1])
            self._passed.store(found)
        return found

    def again(self, start: int, end: int) -> Array:
        """Load again (batch, kept + n, …) what the tokens start, …, end − 1 look back on, after they were stored."""
        if self._passed is not None:
            return self._passed.load()  # (B, kept + n, ...)
        return self.vectors.load(self._slots(start - self._before(start), end))  # (B, kept + n, ...)

    def _before(self, start: int) -> int:
        """Number of tokens before the first new one that it looks back on: all, or one less than its window."""
        # one less: the first new token is in its own window
        return start if self._window is None else least(start, self._window - 1)

    def settle(self) -> None:
        """Release the room that is only needed until the end of a pass."""
        if self._passed is not None:
            self._passed.release()
            self._passed = None

    def put(self, new: Array, start: int) -> None:
        """Store the vectors of new tokens and load none: (batch, n, …), of the tokens start, …, start + n − 1."""
        self.vectors.store(new, self._slots(start, start + new.shape[1]))

    def at(self, places: Array) -> Array:
        """(batch, picked) places of tokens -> (batch, picked, …), what each sequence has kept there, and no other."""
        return self.vectors.load((arange(places.shape[0])[:, None], places))  # (B, picked, ...)

    def between(self, first: int, last: int) -> Array:
        """(batch, last − first, …), what is kept of the places first, …, last − 1."""
        return self.vectors.load(self._slots(first, last))  # (B, last - first, ...)

    def _slots(self, first: int, last: int) -> tuple[slice, Array]:
        return slice(None), arange(first, last) % self.vectors.shape[1]  # (last - first,)

    def grow(self, capacity: int) -> None:
        """Make room for more tokens, as a paged cache does: nothing crosses to the chip."""
        room = self._room(capacity)
        if room > self.vectors.shape[1]:
            smaller, self.vectors = self.vectors, self._reserve(room)
            self.vectors.take_over(smaller)


class Entries(Cache):
    """Room for one vector of each whole run of tokens.

    Args:
        reserve: as of any cache.
        capacity: tokens, not runs, that it has to take.
        run: tokens of a run.
    """

    def __init__(self, reserve: Callable[[int], OffChip], capacity: int, run: int) -> None:
        self._run = run
        super().__init__(lambda tokens: reserve(tokens // run), capacity, None)

    def grow(self, capacity: int) -> None:
        """Make room for the entries of more tokens."""
        if capacity // self._run > self.vectors.shape[1]:
            super().grow(capacity)
