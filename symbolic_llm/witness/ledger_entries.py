"""Ledger entries of a run as polynomials of its parameters: how a certificate comes about

1. The engine runs once on sizes that remember which polynomial they are (`reference_engine.sizes`). It really computes,
   and what it enters comes out in polynomials: their degrees follow from the ops, nothing is interpolated.
2. It runs again at a place that has no number in common with the first. A size that lost its polynomial on the way is a
   plain number, right at one place only: an entry that is another polynomial there is not known.
3. Where sizes are compared, the answer has to be the same for all parameters. Where entries change their form, as where
   a window fills, each side is a run of its own, in which it is a fact that it holds.
4. Where a few devices might be another case than many, each such number is run too.
5. Three plain runs share none of this: with the smallest numbers, with packed formats, and far out on every parameter.
   There the ledger has to hold just what the polynomials say.

A question is then answered with polynomials for numbers (`engine_answers`), and a formula is decided by what comes out.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, reduce
from importlib.metadata import version
from itertools import chain, product
from math import gcd, prod
from typing import Any

from reference_engine.config import Config
from reference_engine.cores import cores as cores  # for those who run the engine in several processes
from reference_engine.ledger import family
from reference_engine.probes.counts import Passed
from reference_engine.probes.runs import ANSWER, HEAD, OF_LOGITS, STEP_OF_ALL, Passes, Run, routings
from reference_engine.probes.subjects import Subject
from reference_engine.sizes import (
    PLACES,
    Size,
    Terms,
    Undecided,
    added,
    multiplied,
    put_in,
    quotient,
    regime,
    size,
    terms,
)

from ..cache import Rows, Store, digest
from ..expressions.arithmetic import plain
from ..expressions.polynomial import Exact, Polynomial
from ..models.attention import KINDS
from ..models.recurrent import BLOCK_LETTERS
from ..sources import PACKAGE, below, texts
from .configurations import STANDARD
from .subjects import OFFERED

# Borders: where entries change their form, as where a window fills


Side = tuple[tuple[str, int], ...]  # by what parameters are raised to stay on one side of a border


@dataclass(frozen=True)
class Border:
    """A border at which entries change their form: one parameter is as large as some others together.

    Where it is just as large, entries are as on either side. Between the first of the others and all of them together
    they have a form of their own, if `between` says how to get there.

    Attributes:
        one: the parameter.
        others: those that it is compared with.
        by: what either side is raised by, to stay on one side of it.
        between: the same for what lies between.
    """

    one: str
    others: tuple[str, ...]
    by: int
    between: Side = ()

    @property
    def _from(self) -> tuple[tuple[tuple[str, ...], Side], ...]:
        """For each form but the last: from which sum on it is, and what is raised to stay there."""
        all_together = self.others, ((self.one, self.by),)
        return (all_together, (self.others[:1], self.between)) if self.between else (all_together,)

    def side(self, values: Mapping[str, Any]) -> Side:
        """Parameters to raise to be on the same side as these values."""
        for others, raised in self._from:
            if values[self.one] >= sum(values[name] for name in others):
                return raised
        return self.sides[-1]

    @property
    def sides(self) -> tuple[Side, ...]:
        """Parameters that are raised on each side."""
        last = self.others[0] if self.between else self.others[-1]
        return (*(raised for _, raised in self._from), ((last, self.by),))

    def facts(self, side: Side, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Differences that are at least 0 on a side, for these values."""
        one, sides = values[self.one], [raised for _, raised in self._from]
        sums = [sum((values[name] for name in others[1:]), values[others[0]]) for others, _ in self._from]
        place = next((at for at, raised in enumerate(sides) if {*raised} <= {*side}), len(sides))
        # the nearest sum on either side: from these the others follow, since all together are no less than the first
        return (*(sums[at] - one for at in range(place)[-1:]), *(one - total for total in sums[place : place + 1]))


@dataclass(frozen=True)
class Crossed:
    """Two borders of one run: each is looked at on either side."""

    first: Border
    second: Border

    def side(self, values: Mapping[str, Any]) -> Side:
        """Parameters to raise to be on the same side of both borders."""
        return self.first.side(values) + self.second.side(values)

    @property
    def sides(self) -> tuple[Side, ...]:
        """Parameters that are raised on each side of both borders."""
        return tuple(one + other for one, other in product(self.first.sides, self.second.sides))

    def facts(self, side: Side, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Differences that are at least 0 on a side of both borders, for these values."""
        return (*self.first.facts(side, values), *self.second.facts(side, values))


_ALL_USED = Border("batch", ("n_active", "idle"), 5)
_ONE_EACH = Border("devices", ("n_kv_heads",), 1)
_FILLS, _PICKS_ALL = (
    Border(one, ("context", "new_tokens"), 12, between=((one, 3), ("new_tokens", 5))) for one in ("window", "picked")
)


def border_of(run: Run, subject: Subject) -> Border | Crossed | None:
    """The border at which the entries of a run change their form, if there is one."""
    if {"devices", "n_kv_heads"} <= set(subject.shape):
        return _ONE_EACH
    if run is ANSWER and ("window" in subject.shape or "picked" in subject.shape):
        return _FILLS if "window" in subject.shape else _PICKS_ALL
    tokens = next((names for names in (("context",), OF_LOGITS) if {*names} <= {*run.takes}), ())
    filled = (Border(one, tokens, 3) for one in ("window", "picked") if one in subject.shape)
    kept = next(filled, None) if tokens else None
    if run is STEP_OF_ALL:
        return Crossed(kept, _ALL_USED) if kept else _ALL_USED
    return kept


# What the engine answered before, on the very same sources of the engine
#
# Formulas do not change what the engine counts. Its answers, and its entries for all shapes, are therefore kept in the
# user's cache under the sources that they come from, and a formula that was edited asks it only what is new.


_ANSWERING = (PACKAGE.parent / "reference_engine", PACKAGE / "witness", PACKAGE / "expressions")


class Memory:
    """A store of the engine's answers, and what was noted since it was last asked for news."""

    def __init__(self) -> None:
        files = [file for folder in _ANSWERING for file in below(folder)]
        self._store = Store("engine", digest(*texts(files), sys.version, version("numpy")), files)
        self._rows = self._store.rows
        self._new: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """The row under this name, or None."""
        return self._rows.get(name)

    def note(self, name: str, row: Any) -> None:
        """Remember this from now on."""
        self._new[name] = row
        self._rows.keep({name: row})

    def row(self, name: str, make: Callable[[], Any]) -> Any:
        """The row under this name; where there is none, it is made, and remembered from now on unless None."""
        if (found := self.get(name)) is None and (found := make()) is not None:
            self.note(name, found)
        return found

    def disregard(self) -> None:
        """Forget what was remembered before."""
        self._rows = Rows()

    def news(self) -> dict[str, Any]:
        """Rows that were noted since the last call."""
        new, self._new = self._new, {}
        return new

    def keep(self, rows: Mapping[str, Any]) -> None:
        """Keep these, for this process and the next."""
        self._rows.keep(rows)
        self._store.add(rows)


@lru_cache(maxsize=1)
def memory() -> Memory:
    """The memory of this process."""
    return Memory()


def written(number: Exact | bool) -> int | str:
    """An exact number for the store."""
    return f"{number.numerator}/{number.denominator}" if isinstance(number, Fraction) else number


def read(number: Any) -> Exact:
    """An exact number from the store; `ValueError` for anything else."""
    if isinstance(number, str):
        return Fraction(number)
    if isinstance(number, int):
        return number
    raise ValueError(number)


# What one run enters
#
# Blocks that are alike enter and hold the same, and experts hold the same, which is looked at in every run: so the
# entries of one stand for all, and how many there are is an entry too. What all experts that are used enter together
# goes with their tokens and with their number: with `USED`, where sizes remember.


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
    """Configuration of a decoder; None of a subject that is none."""
    if not subject.is_decoder:
        return None
    return subject.config(values, n_bytes=Fraction(USUAL), n_bytes_kv=Fraction(USUAL))


def kinds_of(config: Config | None) -> tuple[str, ...]:
    """Of each block its kind, from "0" on: window, experts, state, what it attends by, and the memory it lies in."""
    if config is None:
        return ()
    alike = [
        (
            *(config.window(block), config.has_experts(block), config.has_state(block)),
            *(config.source(block) == block, config.is_offloaded(block)),
            config.attention.likeness(config, block),
        )
        for block in range(config.n_blocks)
    ]
    kinds = list(dict.fromkeys(alike))
    return tuple(str(kinds.index(one)) for one in alike)


def entered(one: Passed, config: Config | None) -> dict[Key, Any]:
    """Entries of a pass by key; of blocks of a kind those of one block, since the others have the same."""
    kinds = kinds_of(config)
    of_blocks: dict[str, dict[Key, Any]] = {"": {}, **{str(block): {} for block in range(len(kinds))}}
    places, by_expert = _places(kinds), dict[tuple[str, Key], list[Any]]()
    for at, tally in one.ledger.entries.items():
        where, is_expert, keys = places[at]
        found = of_blocks[where]
        numbers = (tally.flops, tally.loaded, tally.stored, tally.sent, tally.messages)
        for key, number in zip(keys, numbers, strict=True):
            # a size is not asked whether it is 0: here it may be and elsewhere not, which is `Undecided`
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
    """Number of experts that a pass uses in a block."""
    return len({found[2] for path, _ in one.ledger.entries if (found := _TO_AN_EXPERT.match(path))})


def choices(one: Passed) -> Terms:
    """Number of choices of experts in a block as a polynomial, where sizes remember; 0 where there are none.

    Of what experts compute for each token that chose them, the sum goes with all choices as that of one with its own.
    """
    each: dict[tuple[str, str], list[Terms]] = {}
    for (path, op), tally in one.ledger.entries.items():
        # products alone: what they cost goes with their tokens and nothing else, so that a quotient of two is a number
        if (found := _TO_AN_EXPERT.match(path)) and op == "matmul":
            each.setdefault((found[1], found[3]), []).append(terms(tally.flops))
    for first, *others in each.values():
        letters = {name for names in first for name in names if name.startswith(PLACES)}
        together = reduce(added, others, first)
        of_one = [put_in(first, letter, {(): 1}) for letter in letters if all(letter in names for names in first)]
        return next(filter(None, (quotient(together, one_choice) for one_choice in of_one)), {})
    return {}


def _of_experts(together: Size, each: list[Size]) -> Size:
    """Sum of an entry over experts: what one enters whatever its tokens are, as often as experts are used."""
    # what no token is in, such as weights that are loaded, comes once for each expert used: here so many, elsewhere
    # `USED`
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


# What it enters for all shapes


_OF_A_KIND = (  # how many blocks there are of one: the configuration says so, and no size does
    *("n_blocks", "n_dense", "n_moe", "n_global", "n_local", *sorted(BLOCK_LETTERS)),
    *(name for kind in KINDS for name in kind.blocks),
    *("n_follow", "n_sliding", "near", "far"),
)
_FEW = ("devices", "copies")  # what might be another case where there are few of them
_ALL: Terms = {("n_active",): 1, ("idle",): 1}  # experts

# Two places with no number in common; few turns of what is a loop over one
_PLACES: tuple[Mapping[str, Any], ...] = (
    {
        **dict(STANDARD[0]),
        **dict.fromkeys(_OF_A_KIND, 1),
        "context": 8,
        "new_tokens": 4,
        "devices": 3,
        "copies": 3,
        "expert_devices": 3,
        "n_kv_heads": 3,
        "state_group": 3,
        "n_bytes": 4,
        "n_bytes_kv": 8,
        "n_bytes_act": 4,
        "n_bytes_state": 8,
        "n_bytes_2": 8,
    },
    {
        **dict(STANDARD[4]),
        **dict.fromkeys(_OF_A_KIND, 2),
        "context": 11,
        "new_tokens": 5,
        "devices": 4,
        "copies": 4,
        "expert_devices": 4,
        "r_csa": 6,
        "bits": 2,
        "n_kv_heads": 2,
        "n_bytes": 8,
        "n_bytes_kv": 4,
        "n_bytes_act": 8,
        "n_bytes_state": 4,
        "n_bytes_2": 4,
    },
)
_FAR_OUT = (23, 29, 31, 37, 41, 43, 47)
_LESS_FAR = {  # of what multiplies all the rest, or is gone through
    **dict.fromkeys(_OF_A_KIND, 3),
    "n_blocks": 11,
    "batch": 3,
    "batch_each": 3,
    "group": 5,
    "group_each": 3,
    "n_heads": 7,
    "n_kv_heads": 5,
    "n_kv_full": 3,
    "heads_each": 5,
    "kv_each": 4,
    "n_state_groups": 6,
    "state_group": 4,
    "n_index_heads": 6,
    "devices": 5,
    "copies": 5,
    "n_active": 2,
    "idle": 4,
    "n_shared_experts": 5,
    "new_tokens": 9,
    "tiles": 5,
    "tile": 4,
    "columns": 6,
    "n_streams": 5,
    "n_output_groups": 5,
    "expert_devices": 5,
    "r_csa": 4,
    "r_hca": 5,
    "picked": 23,
    "draft_length": 6,
    "pages": 7,
    "last": 6,
    "free": 5,
}
_MANY_DEVICES = 13  # what devices send each other goes with the square of their number
# Of what packed blocks have, the number that divides all that is offered; bytes of a number need not be whole
_MULTIPLES = {name: gcd(*values) for name, values in OFFERED.items() if not name.startswith("n_bytes")}


class Bent(Uncertifiable):
    """In a plain run, an entry is not what its polynomial says."""


class Entries:
    """Polynomials of a run's entries for a subject, on one side of its border.

    Attributes:
        run: what is done.
        subject: with whom.
        side: the names of the parameters that are raised on this side, as "window and batch".
        names: the parameters.
        keys: which entries there are.
        runs: how often the engine was run to know them.
    """

    def __init__(self, run: Run, subject: Subject, raised: Side = ()) -> None:
        runs = _Runs(run, subject, raised)
        self.run, self.subject, self.names = run, subject, runs.names
        self.side = sides = " and ".join(name for name, _ in raised)
        row = memory().row(f"{run.name} of {subject.name}, {sides} raised", partial(_found, runs))
        self._letters = (*self.names, USED)
        self._known = {tuple(key): Polynomial(_read(its), self._letters) for key, its in row["known"]}
        self._chosen = Polynomial(_read(row["chosen"]), self.names)
        self._unknown: dict[Key, str] = {tuple(key): reason for key, reason in row["unknown"]}
        self._bent: dict[Key, str] = {tuple(key): reason for key, reason in row["bent"]}
        self._packs = bool(row["packs"])
        self.runs = int(row["runs"])
        self.keys = tuple(self._known)

    def __getitem__(self, key: Key) -> Polynomial:
        """An entry in all parameters; what is never entered is 0.

        Raises:
            Bent: a plain run enters something else.
            Uncertifiable: it is no polynomial in them, as far as is known.
        """
        its = self._of(key)
        if its.degree(USED):
            raise Uncertifiable(f"the engine's count of {key[1]} goes with how many experts are used")
        # `USED` is the last letter, and is not in it
        return Polynomial({powers[:-1]: factor for powers, factor in its.terms.items()}, self.names)

    def at(self, key: Key, point: Sequence[Exact]) -> Exact:
        """Value of an entry at a place, in the mean over all routings; raises what indexing does."""
        if not self._packs and any(value.denominator != 1 for value in point):
            raise Uncertifiable(f"no packed format was run for {key[1]}")
        its = self._of(key)
        if its.degree(USED) and not self._chosen.terms:
            raise Uncertifiable(f"how many experts are used for {key[1]} in the mean is not known")
        return its((*point, self._used(tuple(point)) if its.degree(USED) else 0))

    def _of(self, key: Key) -> Polynomial:
        if key in self._bent:
            raise Bent(self._bent[key])
        if key in self._unknown:
            raise Uncertifiable(self._unknown[key])
        return self._known.get(key) or Polynomial({}, self._letters)

    def _used(self, point: tuple[Exact, ...]) -> Exact:
        """Mean number of experts that are used at a place, over all routings."""
        active, idle = (int(point[self.names.index(name)]) for name in ("n_active", "idle"))
        # each token chooses as many experts
        return mean_used(active, idle, int(self._chosen(point)) // active)


@lru_cache(maxsize=2**12)
def mean_used(n_active: int, idle: int, tokens: int) -> Exact:
    """Mean number of experts that so many tokens use, by going through all ways in which they can choose."""
    ways = routings(n_active, idle, tokens)
    used = sum(times * len({expert for one in route for expert in one}) for times, route in ways)
    return plain(Fraction(used, sum(times for times, _ in ways)))


def far_out(name: str, names: tuple[str, ...]) -> int:
    """A value of one of some parameters alone, well beyond any that is run on sizes."""
    many = name in (("n_kv_heads", "copies") if "copies" in names else ("devices",))
    return _MANY_DEVICES if many else _FAR_OUT[names.index(name) % len(_FAR_OUT)]


def _read(its: Any) -> dict[tuple[int, ...], Exact]:
    return {tuple(powers): read(factor) for powers, factor in its}


# What a process finds once, and keeps


def _found(runs: _Runs) -> dict[str, Any]:
    """A row of the store: polynomials of entries, why some are not known, where plain runs contradict."""

    def powers(its: Terms, letters: tuple[str, ...]) -> list[Any]:
        return [([names.count(one) for one in letters], written(factor)) for names, factor in its.items()]

    known, unknown = _derived(runs)
    known |= _blocks(runs)
    bent = runs.contradicted(known, unknown)
    return {
        "known": [(key, powers(its, (*runs.names, USED))) for key, its in known.items()],
        "unknown": list(unknown.items()),
        "bent": list(bent.items()),
        "chosen": powers(runs.chosen if runs.goes_all_ways else {}, runs.names),
        "packs": runs.packs,
        "runs": runs.number,
    }


class _Runs:
    """The runs of the engine that entries come from.

    Attributes:
        names: the parameters.
        chosen: how often an expert is chosen in a block.
        goes_all_ways: whether its passes are all ways to choose experts, as far as plain runs tell.
        packs: whether it can be run with packed formats.
        number: how often it was run.
    """

    def __init__(self, run: Run, subject: Subject, raised: Side) -> None:
        self._run, self.subject, self._raised = run, subject, raised
        widths = (
            ("n_bytes", "n_bytes_kv", *(("n_bytes_state",) * ("hybrid" in subject.traits)))
            if subject.is_decoder
            else ("n_bytes_act",)
            if run is HEAD
            else ()
        )
        self.names = tuple(dict.fromkeys((*subject.shape, *run.takes, *widths)))
        self._border, self._moved = border_of(run, subject), {name for name, _ in raised}
        few = [name for name in self.names if name in (*_FEW, "expert_devices")]
        self.few = (*few, "n_kv_heads") if "copies" in few else tuple(few)  # as many times more devices
        self.chosen: Terms = {}
        self.goes_all_ways = self.packs = True
        self.number = 0

    def on_sizes(self, place: int, fixed: Mapping[str, int]) -> dict[Key, Terms]:
        """Polynomials of the entries at one of two places, in the parameters that are not fixed."""
        values = {**self.values(place), **fixed}
        # blocks are gone through one by one, so no size tells how many there are; `_blocks` does
        plain = (*fixed, *_OF_A_KIND) if self.subject.is_decoder else fixed
        sizes = {n: v if n in plain else _size(n, v) for n, v in values.items()}
        facts = self._border.facts(self._raised, sizes) if self._border else ()
        self.number += 1
        try:
            with regime(*facts, smallest={name: values[name] for name in self.few if name not in fixed}):
                (one,) = self._run.passes(self.subject, sizes)
                found = entered(one, config_of(self.subject, sizes))
                self.chosen = choices(one)
        except Undecided as reason:
            raise Uncertifiable(str(reason)) from None
        used: Terms = _ALL if self._run is STEP_OF_ALL else {(USED,): 1}
        its = {key: put_in(terms(number), USED, used) for key, number in found.items() if key[0] != BLOCKS}
        for name in (one for one in self.names if one in _MULTIPLES):
            its = {key: put_in(one, name, {(name,): Fraction(1, _MULTIPLES[name])}) for key, one in its.items()}
        return {key: one for key, one in its.items() if one or key == TOKENS}

    def fewer(self) -> Iterator[dict[str, int]]:
        """The numbers below those that are run of what might be another case where there are few."""
        for name in self.few:
            for number in range(1, self.values(0)[name]):
                if self._border is _ONE_EACH and name in self._moved:  # then there are no more heads than devices
                    yield from ({name: number, "n_kv_heads": heads} for heads in range(1, number + 1))
                else:
                    yield {name: number}

    def values(self, place: int) -> dict[str, int]:
        """The numbers of one of two places, on the side that this is."""
        found = {name: int(_PLACES[place].get(name, 3 + 2 * place)) for name in self.names}
        if not self.subject.is_decoder:  # blocks are the turns of a loop
            found |= {name: 2 + place for name in _OF_A_KIND if name in found}
        found = self._on_side(found, by=2)  # turns of a loop until a window is full
        while place and any(value == self.values(0)[name] for name, value in found.items() if name in self._moved):
            found = self._raise(found)
        return found

    def _on_side(self, values: dict[str, Any], by: int = 0) -> dict[str, Any]:
        """Values with the parameters that decide the side raised until what holds there does by so much."""
        while self._border and not all(fact >= by for fact in self._border.facts(self._raised, values)):
            values = self._raise(values)
        return values

    def _raise(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value + (name in self._moved) for name, value in values.items()}

    def contradicted(self, known: Mapping[Key, Terms], unknown: Mapping[Key, str]) -> dict[Key, str]:
        """The entries that are not what their polynomials say, in plain runs that share nothing with these."""
        wrong = dict[Key, str]()
        for values in self.apart():
            self.number += 1
            try:
                passes = self._run.passes(self.subject, values)
            except ValueError:  # rows of other widths than blocks of the format have: it is asked for nowhere then
                if all(value.denominator == 1 for value in values.values()):
                    raise
                self.packs = False
                continue
            self.goes_all_ways &= self._go_all_ways(passes, values)
            config = config_of(self.subject, values)
            for one in passes:
                counts, at = entered(one, config), {**values, USED: used_by(one)}
                for key in (one for one in dict.fromkeys((*known, *counts)) if one not in unknown):
                    if (says := _value(known.get(key, {}), at)) != counts.get(key, 0):
                        where = ", ".join(f"{name} = {value}" for name, value in values.items())
                        wrong[key] = f"the engine enters {counts.get(key, 0)} for {key[1]}, not {says}, where {where}"
        return wrong

    def _go_all_ways(self, passes: Passes, values: Mapping[str, Any]) -> bool:
        """Whether passes are all ways to choose experts, as far as the number of those that are used tells."""
        if not self.chosen:
            return True
        ways, used = sum(one.times for one in passes), sum(one.times * used_by(one) for one in passes)
        tokens = int(_value(self.chosen, values)) // values["n_active"]
        return Fraction(used, ways) == mean_used(values["n_active"], values["idle"], tokens)

    def apart(self) -> Iterator[dict[str, Any]]:
        """The places of the plain runs: the smallest numbers there are, packed formats, far out on every parameter."""
        yield self._on_side({name: OFFERED.get(name, (1,))[0] for name in self.names})
        yield self._on_side({name: dict(STANDARD[-1]).get(name, 1) for name in self.names})
        far = {name: _FAR_OUT[place % len(_FAR_OUT)] for place, name in enumerate(self.names)}
        far |= {name: value for name, value in _LESS_FAR.items() if name in far}
        far |= {name: values[-1] for name, values in OFFERED.items() if name in far}
        if "n_active" in far and "context" in far:  # each way to choose is run
            far["context"] = 23
        if "n_active" in far and "silent" in far:
            far |= {"logits": 11, "silent": 12}
        if far.keys() & {*_FEW}:  # each of which runs everything
            far |= {name: 13 for name in ("context", "window", "model_each") if name in far}
            far |= dict.fromkeys((name for name in _OF_A_KIND if name in far), 1)
            far |= {"n_kv_heads": 2} if "copies" in far else {}
        yield self._on_side(far)


def _size(name: str, value: int) -> Any:
    """A parameter as a size: so many times a letter, where it is a multiple, which goes by its name in a run."""
    by = _MULTIPLES.get(name, 1)
    return by * Size.of(name, value // by)


def _value(its: Terms, values: Mapping[str, Any]) -> Any:
    """Value of a polynomial at a place."""
    return sum(factor * prod(values[name] for name in names) for names, factor in its.items())


def _derived(runs: _Runs) -> tuple[dict[Key, Terms], dict[Key, str]]:
    """The polynomials that runs on sizes come to, and why those of some entries are not believed."""
    one, two = (runs.on_sizes(place, {}) for place in (0, 1))
    # what one place enters and the other does not has two polynomials, one of which is 0
    known = {**dict.fromkeys(two, _NOTHING), **one}
    unknown = {key: _lost(key) for key in known if known[key] != two.get(key, {})}
    for fixed in runs.fewer():
        fewer, said = runs.on_sizes(0, fixed), " and ".join(f"{number} for {name}" for name, number in fixed.items())
        known = {**dict.fromkeys(fewer, _NOTHING), **known}
        for key in known.keys() - unknown.keys():
            its = reduce(lambda its, one: put_in(its, one[0], terms(one[1])), fixed.items(), known[key])
            if its != fewer.get(key, {}):
                unknown[key] = f"with {said} the engine's count of {key[1]} is another"
    # a letter that sizes have for themselves, and that is none of the parameters
    own = {key for key, its in known.items() if not {*chain(*its)} <= {*runs.names, USED}}
    return known, unknown | {key: _lost(key) for key in own}


_NOTHING: Terms = {}


def _lost(key: Key) -> str:
    return f"a size lost its polynomial on the way to the engine's count of {key[1]}"


def _blocks(runs: _Runs) -> dict[Key, Terms]:
    """Number of blocks of each kind as a polynomial: as the configuration says, one more of each parameter in turn."""
    values = {name: runs.values(1)[name] for name in runs.subject.shape}

    def numbers(**more: int) -> dict[Key, int]:
        kinds = kinds_of(config_of(runs.subject, {**values, **more}))
        return {(BLOCKS, kind, ""): kinds.count(kind) for kind in dict.fromkeys(kinds)}

    found: dict[Key, Terms] = {}
    for key, here in numbers().items():
        # of first degree: a configuration has so many blocks of a kind, and they are counted
        its: Terms = {(n,): numbers(**{n: values[n] + 1})[key] - here for n in values if n in _OF_A_KIND}
        rest = here - _value(its, values)
        found[key] = {names: factor for names, factor in {**its, (): rest}.items() if factor}
    return found
