"""Answers: the decoding steps after a prompt, together, each with the context that it finds"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..ledger import Ledger
from .counts import Exact, Passed
from .runs import Passes, Routing, Run, Values, used, ways
from .subjects import Subject

_AHEAD = 16  # new tokens that an answer has room for at first


class _Answering:
    """A decoder that answers, and what its ledger held after each new token: a longer answer begins like a shorter."""

    def __init__(self, subject: Subject, values: Values, route: Routing) -> None:
        self._given = subject, values, route
        self._begin(_AHEAD)

    def _begin(self, room: int) -> None:
        """With room for so many new tokens; what the cache holds of the prompt does not matter for counts."""
        subject, values, route = self._given
        self._room, self._ledgers = room, [Ledger()]
        self._made = used(subject, values, values["context"] + room, route)
        self._made.start(values["batch"], values["context"] + room)
        self._made.context = values["context"]

    def after(self, new: int) -> Ledger:
        """What the first so many steps entered together."""
        if new > self._room:
            self._begin(2 * new)
        while len(self._ledgers) <= new:
            ledger = self._made.ledger  # others may have used it since: what it holds of them is left out
            ledger.entries = {at: tally.copy() for at, tally in self._ledgers[-1].entries.items()}
            self._made.decode(np.zeros(self._made.batch, int))
            self._ledgers.append(ledger.taken())
        return self._ledgers[new]


@lru_cache(maxsize=2**10)
def _answering(subject: Subject, items: tuple[tuple[str, Exact], ...], route: Routing) -> _Answering:
    return _Answering(subject, dict(items), route)


def _answer(subject: Subject, values: Values) -> Passes:
    """The decoding steps after a prompt, together.

    All steps send their tokens the same way: the mean of a sum is the sum of the means, however they go together.
    """
    batch, new = values["batch"], values["new_tokens"]
    before = tuple((name, value) for name, value in values.items() if name != "new_tokens")
    return tuple(
        Passed(times, _answering(subject, before, route).after(new), batch * new)
        for times, route in ways(subject, values, batch)
    )


ANSWER = Run("answer", ("batch", "context", "new_tokens"), _answer)
