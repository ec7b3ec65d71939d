"""Passes that were run, and selections from their ledgers"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ..ledger import Ledger
from ..sizes import Exact

N_BYTES, KV = ("n_bytes",), ("n_bytes_kv", "n_bytes_state")  # parameters: bytes of a weight, and of what is kept
BOTH = N_BYTES + KV
_KEPT = re.compile(r"\b(cache|states|kept|pending)\b")  # in a path


class Passed(NamedTuple):
    """A pass that was run.

    Attributes:
        times: number of ways, of all in which the run can go, in which it goes like this.
        ledger: what it did.
        tokens: number of tokens that went through it.
        clock: the time at its end, where a clock was running.
    """

    times: int
    ledger: Ledger
    tokens: int = 0
    clock: Exact = 0


class Selection(NamedTuple):
    """Selection of entries of a ledger, by path and op, and of the count that they are asked for.

    Attributes:
        what: "flops", "loaded", "stored", "sent", "messages" or "held".
        paths: patterns of which a path has to match one.
        op: pattern of the op.
        each: bytes or operations that count for one, as where 16-bit numbers are counted by their bytes.
        within: patterns of which it has to match one as well.
    """

    what: str
    paths: tuple[str, ...] = ("*",)
    op: str = "*"
    each: Exact = 1
    within: tuple[str, ...] = ("*",)

    def of(self, ledger: Ledger) -> Iterator[Exact]:
        """Counts of the selected entries, one by one."""
        for count in self._meant(ledger):
            if count:
                yield count if self.each == 1 else count / Fraction(self.each)

    @property
    def widths(self) -> tuple[str, ...]:
        """Bytes of a number that the count depends on, as parameters."""
        if self.what not in ("loaded", "stored", "held") or self.each != 1:
            return ()
        ways = {bool(_KEPT.search(path)) for path in self.paths}
        return BOTH if "*" in self.paths or len(ways) > 1 else KV if True in ways else N_BYTES

    def _meant(self, ledger: Ledger) -> Iterator[Exact]:
        held = self.what == "held"
        places = tuple((path, "") for path in ledger.held) if held else tuple(ledger.entries)
        for at in _selected(self.paths, self.within, self.op, places):
            yield ledger.held[at[0]] if held else getattr(ledger.entries[at], self.what)


@lru_cache(maxsize=2**8)  # the ledgers of one decoder have the same entries
def _selected(
    paths: tuple[str, ...], within: tuple[str, ...], op: str, entries: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Entries whose path matches both groups of patterns, and whose op matches its pattern."""
    return tuple(
        at for at in entries if _is_among(at[0], paths) and _is_among(at[0], within) and fnmatchcase(at[1], op)
    )


@lru_cache(maxsize=2**17)  # large decoders have many blocks
def _is_among(path: str, paths: tuple[str, ...]) -> bool:
    """Whether a path matches one of the patterns, and none of those that begin with "!"."""
    wanted = [pattern for pattern in paths if not pattern.startswith("!")] or ["*"]
    unwanted = (pattern[1:] for pattern in paths if pattern.startswith("!"))
    return any(fnmatchcase(path, one) for one in wanted) and not any(fnmatchcase(path, one) for one in unwanted)
