"""The ledger: operations, memory traffic and held bytes

Entries are keyed by module path and then by op, as in `blocks.0.attention.scores` / `matmul`. Operations come from
the sizes an op really ran on, by a rule for each op (`op_costs`); bytes are those of arrays that really crossed between
off-chip and on-chip memory. An op without a rule raises: a silent zero is the classic bug of FLOP counters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from . import sizes
from .op_costs import RULES

_matches = lru_cache(maxsize=2**14)(fnmatchcase)  # few paths, asked about very often


class UnknownOp(KeyError):
    """An op was recorded for which the ledger has no rule."""


@dataclass(slots=True)
class Tally:
    """Counts of one op at one path: operations, bytes loaded onto the chip, bytes stored off it.

    Where several devices work together, also the bytes sent to others, and in how many messages.
    """

    flops: int = 0
    loaded: int = 0
    stored: int = 0
    sent: int = 0
    messages: int = 0

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.flops += other.flops
        self.loaded += other.loaded
        self.stored += other.stored
        self.sent += other.sent
        self.messages += other.messages


Entries = dict[tuple[str, str], Tally]


class Scope:
    """A module path that is open while its `with` block runs."""

    __slots__ = ("_before", "_ledger", "_name")

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._ledger = ledger
        self._name = name

    def __enter__(self) -> None:
        self._before = before = self._ledger.path
        self._ledger.path = f"{before}.{self._name}" if before else self._name

    def __exit__(self, *_: object) -> None:
        self._ledger.path = self._before


@lru_cache(maxsize=2**14)
def family(path: str) -> str:
    """The path with * for the numbers of its block and its expert, as in `blocks.*.mlp.up`."""
    return re.sub(r"(?<=\.)\d+(?=\.)", "*", path)


class Ledger:
    """Counts by path and op, and the bytes held off-chip by path.

    `with ledger.scope("blocks"), ledger.scope("0"): …` names where the ops inside it happen. A dotted name opens
    several levels at once.

    Attributes:
        entries: what each op at each path came to.
        held: bytes by path.
        path: the module path that is open now.
    """

    def __init__(self) -> None:
        self.entries: Entries = {}
        self.held: dict[str, int] = {}
        self.path = ""
        self.depth = 0  # of loops that are open

    def loop(self, turns: int) -> Iterator[int]:
        """The numbers 0, 1, … of so many turns; where there is a `Size` of turns, their entries are summed over it."""
        return loop((self,), turns)

    def scope(self, name: str) -> Scope:
        """Enter everything recorded inside under `name`, below the paths that are already open."""
        return Scope(self, name)

    def record(self, op: str, *sizes: int, loaded: int = 0, stored: int = 0, sent: int = 0) -> None:
        """Enter one run of `op` on these sizes; `UnknownOp` if it has no rule. What is sent is sent in one message."""
        try:
            rule = RULES[op]
        except KeyError:
            raise UnknownOp(f"the ledger has no rule for {op!r}; it knows {', '.join(sorted(RULES))}") from None
        at = self.path, op
        tally = self.entries.get(at)
        if tally is None:
            tally = self.entries[at] = Tally()
        tally.flops += rule(*sizes)
        tally.loaded += loaded
        tally.stored += stored
        if op == "send":
            tally.sent += sent
            tally.messages += 1

    def hold(self, nbytes: int) -> None:
        """Enter bytes that now stay in off-chip memory under the open path."""
        self.held[self.path] = self.held.get(self.path, 0) + nbytes

    def total(self, what: str, path: str = "*", op: str = "*") -> int:
        """Sum of one field of `Tally` over the entries whose path and op match these patterns."""
        return sum(
            int(getattr(tally, what))
            for (at, name), tally in self.entries.items()
            if _matches(at, path) and _matches(name, op)
        )

    def matmul_flops(self, path: str = "*") -> int:
        """Operations of matrix products alone, 2mnk each, as PyTorch's FlopCounterMode counts them."""
        return self.total("flops", path, "matmul")

    def footprint(self, path: str = "*") -> int:
        """Bytes held off-chip at the paths that match."""
        return sum(nbytes for at, nbytes in self.held.items() if _matches(at, path))

    def enter_together(self, done: Sequence[tuple[Entries, dict[str, int]]], turns: int, depth: int = 0) -> None:
        """Enter the sums of what the turns of a loop, or the devices, have entered and hold.

        Args:
            done: of each what it entered, and what it holds.
            turns: how many there are, which may be a `Size`; then all but the first are alike, or but for their shares.
            depth: of the loop whose turns they are.
        """
        for at in dict.fromkeys(at for entries, _ in done for at in entries):
            tallies = [entries.get(at, Tally()) for entries, _ in done]
            sums = (_together([getattr(one, name) for one in tallies], turns, depth) for name in _NUMBERS)
            self.entries.setdefault(at, Tally()).add(Tally(*sums))
        for path in dict.fromkeys(path for _, held in done for path in held):
            both = [held.get(path, 0) for _, held in done]
            self.held[path] = self.held.get(path, 0) + _together(both, turns, depth)

    def taken(self) -> Ledger:
        """A ledger of the operations and traffic so far; this one begins anew without them."""
        taken = Ledger()
        taken.entries, self.entries = self.entries, {}
        return taken

    def clear(self) -> None:
        """Forget operations and traffic; what is held stays held."""
        self.entries.clear()

    def __str__(self) -> str:
        rows = [("path", "op", "FLOP", "bytes loaded", "bytes stored")]
        rows += [(path, op, f"{t.flops:,}", f"{t.loaded:,}", f"{t.stored:,}") for (path, op), t in self.entries.items()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if place < 2 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )


# Loops over sizes


def loop(ledgers: Sequence[Ledger], turns: int) -> Iterator[int]:
    """The numbers 0, 1, … of so many turns; where there is a `Size` of turns, their entries are summed over it.

    `Undecided` if the turns after the first enter something that does not follow from their number alone.
    """
    if not isinstance(turns, sizes.Size):
        yield from range(turns)
        return
    before, done = [(one.entries, one.held) for one in ledgers], []
    depth = 1 + max(one.depth for one in ledgers)
    for number in range(turns):
        for one in ledgers:
            one.entries, one.held, one.depth = {}, {}, depth
        turn = sizes.turn(number, depth)
        with sizes.regime(turns - 1 - turn):
            yield turn
        done.append([(one.entries, one.held) for one in ledgers])
    for one, (entries, held), theirs in zip(ledgers, before, zip(*done, strict=True), strict=True):
        one.entries, one.held, one.depth = entries, held, depth - 1
        one.enter_together(theirs, turns, depth)


_NUMBERS = ("flops", "loaded", "stored", "sent", "messages")  # of a tally


def _together(entered: Sequence[int], turns: int, depth: int) -> int:
    """Sum of what so many turns entered; the first may differ from the others, which are alike."""
    if not isinstance(turns, sizes.Size):
        return sum(entered)
    each = first, *others = [*map(sizes.terms, entered)]
    as_first = bool(others) and others == [first] * len(others)
    if as_first or (len(others) >= 2 and others == others[:1] * len(others)):
        total = sizes.added(sizes.summed(others[0], depth, 1, turns), sizes.at_turn(first, depth, 0))
    elif (dealt := sizes.dealt_out(each, turns)) is not None:
        total = dealt
    else:
        raise sizes.Undecided(f"turns of a loop are too few, or not alike: {', '.join(map(repr, entered))}")
    return sizes.size(sum(map(int, entered)), total)  # type: ignore[no-any-return]
