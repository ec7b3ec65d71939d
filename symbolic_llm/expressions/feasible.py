"""Search for feasible values, at which all of some relations hold

A formula is tested only where its conditions hold, and values drawn blindly seldom satisfy an inequality. Values that
break a relation are moved: one of them, past the bound that the relation sets to it, exactly. Two values of a letter
tell where the gap between the two sides would close if it were a straight line; whether the relation holds there is
then asked, and where it is no straight line, further on too. Of several moves the one that leaves the fewest
relations broken is followed first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any, TypeVar

from ..algebra import Eq, Ge, Gt, Min, Mod, floor
from .arithmetic import Inexact
from .exact import exact

Key = TypeVar("Key")
Letters = Mapping[Any, Fraction | int]
Point = dict[Key, Any]

_STRIDE, _STRIDES = 8, 8  # where a bound is no straight line, it is looked for in strides that grow by this factor
_NO_VALUE = (ZeroDivisionError, Inexact, ValueError)  # at a pole, at a fraction of a power, under a root
_PATIENCE = 40  # points that are looked at; a chain of conditions takes a move for each, and a few are moved twice


def feasible(
    values: Mapping[Key, Any],
    relations: Sequence[Any],
    places: Callable[[Key, Fraction, str, Mapping[Key, Any]], Iterable[Any]],
    read: Callable[[Mapping[Key, Any]], Letters],
) -> Point[Key] | None:
    """The values, moved as far as it takes for the relations to hold; None if no way was found.

    Args:
        values: where to start. What comes first is moved first.
        relations: SymPy relations; one with a letter that has no value is passed over.
        places: for a key, a bound, a side of it ("<", "=" or ">") and the values so far: values to try.
        read: the letters' values from those that are moved.
    """
    each = [one for relation in relations for one in _each(relation)]
    start, needing = dict(values), [(relation, relation.free_symbols) for relation in each]

    def broken(point: Mapping[Key, Any]) -> list[Any]:
        letters = read(point)
        return [relation for relation, needs in needing if needs <= letters.keys() and not _holds(relation, letters)]

    if not (now := broken(start)):
        return start
    waiting = [(len(now), 0, start, now)]
    for turn in range(1, _PATIENCE):
        if not waiting:
            return None
        _, _, point, now = heappop(waiting)
        for place, moved in enumerate(_moves(point, now[0], places, read)):
            if not (then := broken(moved)):  # none that waits breaks so few
                return moved
            # a number for each, so that two points are never compared
            heappush(waiting, (len(then), turn * 10**3 + place, moved, then))
    return None


@lru_cache(maxsize=2**10)
def _each(relation: Any) -> tuple[Any, ...]:
    """Relations that one comes to: a lower bound on a minimum is one on each argument, which may move alone."""
    if isinstance(relation, Ge | Gt) and isinstance(relation.lhs, Min):
        return tuple(relation.func(one, relation.rhs, evaluate=False) for one in relation.lhs.args)
    return (relation,)


def _holds(relation: Any, letters: Letters) -> bool:
    try:
        return bool(exact(relation, letters))
    except (KeyError, *_NO_VALUE):  # a letter has no value where no condition holds under which a formula computes it
        return False


def _moves(
    point: Point[Key],
    relation: Any,
    places: Callable[[Key, Fraction, str, Mapping[Key, Any]], Iterable[Any]],
    read: Callable[[Mapping[Key, Any]], Letters],
) -> Iterator[Point[Key]]:
    """Points that differ in one value and satisfy the relation."""
    if not relation.is_Relational:  # SymPy has found it to be false already
        return
    gap = _gap(relation, read(point))
    for key, value in point.items():

        def at(moved: Any, key: Key = key) -> Fraction | None:
            try:
                return gap(read({**point, key: moved}))
            except (KeyError, *_NO_VALUE):
                return None

        for side, bound in _bounds(at, Fraction(value), isinstance(relation, Eq)):
            tried = ({**point, key: place} for place in places(key, bound, side, point))
            if found := [moved for moved in tried if _holds(relation, read(moved))]:
                yield from found
                break


def _bounds(at: Callable[[Any], Fraction | None], value: Fraction, equation: bool) -> Iterator[tuple[str, Fraction]]:
    """Bounds that a value may have to pass, the likeliest first, with the side on which the relation holds better."""
    # a step is as large as the value, so that it is whole where the value is; no multiple leads away from 0
    step = value or Fraction(1)
    here, near = at(value), at(value + step)
    straight = value - here * step / (near - here) if here is not None and near not in (None, here) else None
    if equation:
        yield from [("=", straight)] if straight is not None else []
        return
    for side, factor in ((">", Fraction(_STRIDE)), ("<", Fraction(1, _STRIDE))):
        far = at(step * factor**_STRIDES)
        if here is None or far is None or far <= here:
            continue
        if straight is not None and (straight == value or (straight > value) == (side == ">")):
            yield side, straight
        yield from ((side, step * factor**turn) for turn in range(1, _STRIDES + 1))


def _gap(relation: Any, letters: Letters) -> Callable[[Letters], Fraction]:
    """Function of the letters that gives by how much a relation holds: 0 on its bound."""
    left, right = _sides(relation)
    if isinstance(left, Mod) and isinstance(relation, Eq):  # of the multiples that would do, the nearest below
        left, divisor = left.args
        turns = max(1, exact(left, letters) // exact(divisor, letters))
        return lambda at: exact(left, at) - turns * exact(divisor, at) - exact(right, at)
    return lambda at: exact(left, at) - exact(right, at)


@lru_cache(maxsize=2**10)
def _sides(relation: Any) -> tuple[Any, Any]:
    """Sides of a relation, of an inequality the larger one first.

    There the smallest value that it may have stands for what is rounded down. The whole number is the same on long
    stretches, and does not say where to move.
    """
    if isinstance(relation, Eq):
        return relation.lhs, relation.rhs
    return relation.gts.replace(floor, lambda value: value - 1), relation.lts
