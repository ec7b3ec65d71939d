"""What one run enters into the ledger, entry by entry

Blocks that are alike enter and hold the same, and experts hold the same, which is looked at in every run: so the
entries of one stand for all, and how many there are is an entry too. What all experts that are used enter together goes
with their tokens and with their number: with `USED`, where sizes remember.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

from reference_engine.config import Config
from reference_engine.ledger import family
from reference_engine.probes.counts import Passed
from reference_engine.probes.subjects import Subject
from reference_engine.sizes import PLACES, Size, Terms, added, multiplied, put_in, quotient, size, terms

Key = tuple[str, str, str]  # one of `_ENTERED` or "held", path and op; or the tokens of a pass
TOKENS: Key = ("tokens", "", "")
BLOCKS = "blocks"  # how many there are of a kind, and where their entries stand
EXPERTS: Key = ("experts", "", "")  # how many hold the same in a block that has them
EXPERT, _ONE_EXPERT = "experts.*.", r"^experts\.\d+\."  # where one of them holds it
USED = "used"  # how many experts a pass uses in a block
USUAL = 4  # bytes of a number, where nothing else is said
_TO_AN_EXPERT = re.compile(r"(.*\.experts\.)(\d+)\.(.*)")
_ENTERED = ("flops", "loaded", "stored", "sent", "messages")


class Uncertifiable(Exception):
    """No run decides the formula; the text says why."""


def config_of(subject: Subject, values: Mapping[str, Any]) -> Config | None:
    """What a decoder looks like; None of a subject that is none."""
    if not subject.is_decoder:
        return None
    return subject.config(values, n_bytes=Fraction(USUAL), n_bytes_kv=Fraction(USUAL))


def kinds_of(config: Config | None) -> tuple[str, ...]:
    """Of each block its kind, from "0" on: its window, and whether it has experts, a state, an index or runs."""
    if config is None:
        return ()
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


def entered(one: Passed, config: Config | None) -> dict[Key, Any]:
    """What a pass enters: each entry with its number, and of blocks of a kind those of one, as the others have them."""
    kinds = kinds_of(config)
    of_blocks: dict[str, dict[Key, Any]] = {"": {}, **{str(block): {} for block in range(len(kinds))}}
    places, by_expert = _places(kinds), dict[tuple[str, Key], list[Any]]()
    for at, tally in one.ledger.entries.items():
        where, is_expert, keys = places[at]
        found = of_blocks[where]
        numbers = (tally.flops, tally.loaded, tally.stored, tally.sent, tally.messages)
        for key, number in zip(keys, numbers, strict=True):
            if isinstance(number, Size) or number:
                found[key] = found.get(key, 0) + number
                if is_expert and isinstance(number, Size):
                    by_expert.setdefault((where, key), []).append(number)
    for (where, key), each in by_expert.items():
        of_blocks[where][key] = _of_experts(of_blocks[where][key], each)
    number = _hold(one.ledger.held, kinds, of_blocks)
    of_kinds: dict[str, dict[Key, Any]] = {}
    for block, kind in enumerate(kinds):
        found = of_blocks[str(block)]
        if of_kinds.setdefault(kind, found) != found:
            raise Uncertifiable("blocks that are alike do not enter the same")
    total: dict[Key, Any] = {(BLOCKS, kind, ""): kinds.count(kind) for kind in of_kinds}
    if number:
        # the engine's own size where it is as many, since experts are told one by one
        total[EXPERTS] = config.n_experts if config and int(config.n_experts) == number else number
    total[TOKENS] = one.tokens
    for found in (of_blocks[""], *of_kinds.values()):
        total |= found
    return total


def used_by(one: Passed) -> int:
    """How many experts a pass uses in a block."""
    return len({found[2] for path, _ in one.ledger.entries if (found := _TO_AN_EXPERT.match(path))})


def choices(one: Passed) -> Terms:
    """How often an expert is chosen in a block, where sizes remember; the zero polynomial where none is.

    Of what experts compute for each token that chose them, the sum goes with all choices as that of one with its own.
    """
    each: dict[tuple[str, str], list[Terms]] = {}
    for (path, op), tally in one.ledger.entries.items():
        if (found := _TO_AN_EXPERT.match(path)) and op == "matmul":
            each.setdefault((found[1], found[3]), []).append(terms(tally.flops))
    for first, *others in each.values():
        letters = {name for names in first for name in names if name.startswith(PLACES)}
        together = reduce(added, others, first)
        of_one = [put_in(first, letter, {(): 1}) for letter in letters if all(letter in names for names in first)]
        return next(filter(None, (quotient(together, one_choice) for one_choice in of_one)), {})
    return {}


def _of_experts(together: Size, each: list[Size]) -> Size:
    """What experts enter together: what one enters whatever its tokens are, as often as experts are used."""
    once = {names: by for names, by in terms(each[0]).items() if not any(name.startswith(PLACES) for name in names)}
    found = added(terms(together), multiplied(once, {(USED,): 1, (): -len(each)}))
    return size(int(together), found)  # type: ignore[no-any-return]


def _hold(held: Mapping[str, int], kinds: tuple[str, ...], of_blocks: dict[str, dict[Key, Any]]) -> int:
    """Enter what each block holds, one expert for all; how many experts a block has."""
    experts = Counter[tuple[str, Key]]()
    for path, nbytes in held.items():
        where, key = _held_at(path, kinds)
        if of_blocks[where].setdefault(key, nbytes) != nbytes:
            raise Uncertifiable("experts that are alike do not hold the same")
        if EXPERT in key[1]:
            experts[where, key] += 1
    if len(as_many := set(experts.values())) > 1:
        raise Uncertifiable("blocks with experts do not hold as many")
    return next(iter(as_many), 0)


class _Places(dict[tuple[str, str], tuple[str, bool, tuple[Key, ...]]]):
    """By path and op: the number of the block that the path leads into, "" for none; whether to an expert; the keys.

    In a block that is to where in one of its kind, all experts together.
    """

    def __init__(self, kinds: tuple[str, ...]) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, at: tuple[str, str]) -> tuple[str, bool, tuple[Key, ...]]:
        path, op = at
        top, _, below = path.partition(".")
        number, _, rest = below.partition(".")
        every = family(rest)
        placed = f"{BLOCKS}.{self._kinds[int(number)]}.{every}" if top == BLOCKS else path
        keys = tuple((what, placed, op) for what in _ENTERED)
        self[at] = found = (number if top == BLOCKS else "", top == BLOCKS and every != rest, keys)
        return found


_places = lru_cache(maxsize=2**7)(_Places)


@lru_cache(maxsize=2**15)
def _held_at(path: str, kinds: tuple[str, ...]) -> tuple[str, Key]:
    """The number of the block that a path leads into, "" for none, and the key of what one of its kind holds there."""
    top, block, below = path.partition(f".{BLOCKS}.")
    number, _, rest = below.partition(".")
    at = f"{top}{block}{kinds[int(number)]}.{re.sub(_ONE_EXPERT, EXPERT, rest)}" if block else path
    return number, ("held", at, "")
