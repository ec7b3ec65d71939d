"""What one run enters into the ledger, entry by entry

Blocks that are alike enter and hold the same, and experts hold the same, which is looked at in every run: so the
entries of one stand for all, and how many there are is an entry too. Where tokens go to experts, an entry is the mean
over all ways in which they can.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from reference_engine.ledger import family
from reference_engine.probes.counts import Passed
from reference_engine.probes.runs import Run
from reference_engine.probes.subjects import Subject

from ..expressions.arithmetic import plain
from ..expressions.polynomial import Exact

Key = tuple[str, str, str]  # one of `_ENTERED` or "held", path and op; or the tokens of a pass
TOKENS: Key = ("tokens", "", "")
BLOCKS = "blocks"  # how many there are of a kind, and where their entries stand
EXPERTS: Key = ("experts", "", "")  # how many hold the same in a block that has them
EXPERT, _ONE_EXPERT = "experts.*.", r"^experts\.\d+\."  # where one of them holds it
USUAL = 4  # bytes of a number, where nothing else is said
_ENTERED = ("flops", "loaded", "stored", "sent", "messages")


class Uncertifiable(Exception):
    """No run decides the formula; the text says why."""


def entered(run: Run, subject: Subject, names: tuple[str, ...], values: tuple[int, ...]) -> dict[Key, Exact]:
    """What the engine enters, in the mean over all ways in which a pass can go."""
    given = dict(zip(names, values, strict=True))
    passes, kinds = run.passes(subject, given), _kinds(subject, given)
    total: dict[Key, Exact] = {(BLOCKS, kind, ""): kinds.count(kind) for kind in set(kinds)}
    if (ways := sum(one.times for one in passes)) == 1:
        return total | dict(_of_pass(passes[0], kinds))
    sums = defaultdict[Key, int](int)
    for one in passes:
        for key, number in _of_pass(one, kinds):
            sums[key] += number * one.times
    return total | {key: plain(Fraction(number, ways)) for key, number in sums.items()}


def _kinds(subject: Subject, values: Mapping[str, int]) -> tuple[str, ...]:
    """Of each block its kind, from "0" on: its window, and whether it has experts, a state, an index or runs."""
    if not subject.is_decoder:
        return ()
    config = subject.config(values, n_bytes=Fraction(USUAL), n_bytes_kv=Fraction(USUAL))
    alike = [
        (
            *(config.window(block), config.has_experts(block), config.has_state(block), config.has_index(block)),
            config.source(block) == block,
            config.compression.kind(block) if config.compression else "",
        )
        for block in range(config.n_blocks)
    ]
    kinds = list(dict.fromkeys(alike))
    return tuple(str(kinds.index(one)) for one in alike)


def _of_pass(one: Passed, kinds: tuple[str, ...]) -> Iterator[tuple[Key, int]]:
    """Each entry with its number, and of blocks of a kind those of one: the others have the same."""
    yield TOKENS, one.tokens
    of_blocks: dict[str, dict[Key, int]] = {"": {}, **{str(block): {} for block in range(len(kinds))}}
    places = _places(kinds)
    for at, tally in one.ledger.entries.items():
        where, keys = places[at]
        found = of_blocks[where]
        numbers = (tally.flops, tally.loaded, tally.stored, tally.sent, tally.messages)
        for key, number in zip(keys, numbers, strict=True):
            if number:
                found[key] = found.get(key, 0) + number
    experts = Counter[tuple[str, Key]]()
    for path, nbytes in one.ledger.held.items():
        where, key = _held_at(path, kinds)
        if of_blocks[where].setdefault(key, nbytes) != nbytes:
            raise Uncertifiable("experts that are alike do not hold the same")
        if EXPERT in key[1]:
            experts[where, key] += 1
    if len(as_many := set(experts.values())) > 1:
        raise Uncertifiable("blocks with experts do not hold as many")
    for number in as_many:
        yield EXPERTS, number
    of_kinds: dict[str, dict[Key, int]] = {}
    for block, kind in enumerate(kinds):
        found = of_blocks[str(block)]
        if of_kinds.setdefault(kind, found) != found:
            raise Uncertifiable("blocks that are alike do not enter the same")
    for found in (of_blocks[""], *of_kinds.values()):
        yield from found.items()


class _Places(dict[tuple[str, str], tuple[str, tuple[Key, ...]]]):
    """By path and op: the number of the block that the path leads into, "" for none, and the keys of what is entered.

    In a block that is to where in one of its kind, all experts together.
    """

    def __init__(self, kinds: tuple[str, ...]) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, at: tuple[str, str]) -> tuple[str, tuple[Key, ...]]:
        path, op = at
        top, _, below = path.partition(".")
        number, _, rest = below.partition(".")
        placed = f"{BLOCKS}.{self._kinds[int(number)]}.{family(rest)}" if top == BLOCKS else path
        self[at] = found = (number if top == BLOCKS else "", tuple((what, placed, op) for what in _ENTERED))
        return found


_places = lru_cache(maxsize=2**7)(_Places)


@lru_cache(maxsize=2**15)
def _held_at(path: str, kinds: tuple[str, ...]) -> tuple[str, Key]:
    """The number of the block that a path leads into, "" for none, and the key of what one of its kind holds there."""
    top, block, below = path.partition(f".{BLOCKS}.")
    number, _, rest = below.partition(".")
    at = f"{top}{block}{kinds[int(number)]}.{re.sub(_ONE_EXPERT, EXPERT, rest)}" if block else path
    return number, ("held", at, "")
