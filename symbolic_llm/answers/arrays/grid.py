"""A formula at many points at once: each cell is what `evaluate` says of it, or not a number where it refuses

How the value comes about is read off an explanation of one cell, as a plan is for a loop, and put together to one
expression, which is compiled: all cells are one call of a function of arrays. Floats round, so where a condition or a
rounding down is a near thing, two nearly cancel, what comes out is infinite, or a power is a high one, the cell is
asked for exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from itertools import islice, product
from typing import Any

import numpy

from ...algebra import Add, Ge, Gt, Integer, Max, Min, Mul, Pow, Rational, floor, nan, zoo
from ...errors import ConditionViolated, InvalidValue, NoSolution
from ...expressions.exact import put_in
from ...expressions.parts import letters_of, parts
from ...formula import Formula
from ...notation import LETTERS, Letter
from ...numeral import valued
from ...presets import Presets
from ..evaluating import Recipe, evaluate_formula, hashable, lasting, recipe
from ..explanation import Explanation, explain_formula
from ..gather import find_letter, gather, picked
from .chunked import in_tiles
from .compilation import FLOATS_LEAVE_OUT, as_floats, for_any_kind, made

REFUSED = (ConditionViolated, InvalidValue, NoSolution)  # what depends on the numbers; other errors are of the question
_LARGEST = 1e99  # of what is read as a value
_NEAR = 2.0**-40  # of the sizes compared: far more than the rounding of a formula's operations
_CANCELLING = 2.0**-20  # of two of which one is subtracted: what is left has then lost as many binary digits of 53
_PLACES = Integer(FLOATS_LEAVE_OUT)  # up to which floats have every whole number
_LARGEST_POWER = 1024
_FEW = 16  # up to which a power multiplies what was rounded in its base by nothing that counts
_CORNERS = 64  # cells that are tried for one with an answer


@dataclass(frozen=True)
class Cells:
    """A formula with presets and with values for some of its letters, as a function of arrays for the others.

    It can be pickled, so that it can be sent to where a part of an array lies.

    Attributes:
        formula: any but a theorem.
        presets: of every cell.
        fixed: letters that are the same in every cell, by name.
        names: the other letters, one for each array.
    """

    formula: Formula
    presets: Presets
    fixed: tuple[tuple[str, object], ...]
    names: tuple[str, ...]

    def evaluate(self, values: Sequence[Any]) -> int | float | bool:
        """The value of one cell; the error is that of `evaluate`."""
        return evaluate_formula(self.formula, self.letters(values), self.presets)

    def notes(self, values: Sequence[Any]) -> tuple[str, ...]:
        """Remarks on one cell, as `explain` makes them; the error is that of `evaluate`."""
        return explain_formula(self.formula, self.letters(values), self.presets).notes

    def __call__(self, *arrays: Any) -> Any:
        """The values over the grid of the arrays, which have one dimension each, as float64.

        A question to which too little is given, or too much, raises what `evaluate` raises.
        """
        shape = tuple(len(array) for array in arrays)
        arrays = numpy.ix_(*(array.astype(numpy.float64, copy=False) for array in arrays))
        try:
            chosen = picked(self.formula, self.presets)
        except REFUSED:
            return numpy.full(shape, numpy.nan)
        symbols = [find_letter(self.formula, name, chosen) for name in self.names]
        valid = [valid_values(LETTERS[symbol], array) for symbol, array in zip(symbols, arrays, strict=True)]
        axes = [array[good] for array, good in zip(arrays, valid, strict=True)]
        if not all(axis.size for axis in axes):
            return numpy.full(shape, numpy.nan)
        found = self._compiled(axes)
        if found is None:
            return self._one_by_one(arrays, numpy.empty(shape), numpy.ones(shape, dtype=bool))
        values = found.value(arrays, shape)
        doubtful = found.doubtful(arrays, values)
        for good in valid:
            if not good.all():
                values[numpy.broadcast_to(~good, shape)] = numpy.nan
                doubtful = doubtful & good
        return self._one_by_one(arrays, values, doubtful) if numpy.any(doubtful) else values

    def _compiled(self, axes: Sequence[Any]) -> _Compiled | None:
        """The function that computes all cells, read off a cell in a corner of the grid; None if none allows it.

        None allows it where a condition decides which formula computes what, or where all that are tried are refused.
        """
        read_off = _kept if hashable(self.presets) and lasting(self.presets) else _read_off
        corners = product(*(dict.fromkeys((axis.flat[0], axis.flat[-1], axis.flat[axis.size // 2])) for axis in axes))
        for corner in islice(corners, _CORNERS):
            if (found := read_off(self, corner)) is not None:
                return found
        return None

    def letters(self, values: Sequence[Any]) -> dict[str, object]:
        """All letters of one cell."""
        return {**dict(self.fixed), **{name: _plain(value) for name, value in zip(self.names, values, strict=True)}}

    def _one_by_one(self, arrays: Sequence[Any], values: Any, where: Any) -> Any:
        together = [numpy.broadcast_to(array, values.shape) for array in arrays]
        for at in zip(*numpy.nonzero(numpy.broadcast_to(where, values.shape)), strict=True):
            try:
                values[at] = self.evaluate([array[at] for array in together])
            except (*REFUSED, OverflowError):
                values[at] = numpy.nan
        return values


@dataclass(frozen=True)
class _Compiled:
    """Compiled functions that compute cells and tell which of them are doubtful.

    Attributes:
        function: gives the values, from the arrays that it takes.
        taken: the places of these arrays among all.
        sides: gives what is compared, in pairs, from the same arrays; None where nothing is.
        near: for each pair, the share of its sizes by which it has to differ.
    """

    function: Callable[..., Any]
    taken: tuple[int, ...]
    sides: Callable[..., Any] | None
    near: tuple[float, ...]

    def value(self, arrays: Sequence[Any], shape: tuple[int, ...]) -> Any:
        with numpy.errstate(all="ignore"):
            found = self.function(*(arrays[place] for place in self.taken))
        whole = found.shape == shape
        return found if whole else numpy.broadcast_to(found, shape).copy()

    def doubtful(self, arrays: Sequence[Any], values: Any) -> Any:
        """Mask of the cells where floats may be wrong on what holds: two sides nearly equal, or an infinite value."""
        with numpy.errstate(all="ignore"):
            infinite = numpy.isinf(values) if not numpy.isfinite(numpy.sum(values)) else numpy.False_
            if self.sides is None:
                return infinite
            sides, shares, taken = self.sides, self.near, [arrays[place] for place in self.taken]

            def nearness(*given: Any) -> Any:
                both = sides(*given)
                gaps = [
                    share * (numpy.absolute(one) + numpy.absolute(other)) - numpy.absolute(one - other)
                    for share, one, other in zip(shares, both[::2], both[1::2], strict=True)
                ]
                return reduce(numpy.maximum, gaps)

            found = in_tiles(nearness, None, taken)
            near = nearness(*map(as_floats, taken)) if found is None else found
            return ~(near < 0) | infinite


_NOWHERE = _Compiled(lambda: numpy.float64("nan"), (), None, ())  # where what is the same in all cells is refused


def _read_off(cells: Cells, cell: tuple[Any, ...]) -> _Compiled | None:
    """Compiled function of all cells, read off one of them, with an answer or not; None where it cannot be read off."""
    formula, letters = cells.formula, cells.letters(cell)
    try:
        found = explain_formula(formula, letters, cells.presets)
    except REFUSED:
        try:  # a condition fails here; elsewhere it may hold
            given = gather(formula, letters, cells.presets, unknown=formula.quantity)
            given.require(formula.rhs.free_symbols)
        except REFUSED:
            return None
        found = Explanation(formula, given)
    made_of = recipe(found, cells.names)
    if made_of is None:
        return None
    return _NOWHERE if made_of.refused else _put_together(cells, made_of)


_kept = lru_cache(maxsize=2**8)(_read_off)


def _put_together(cells: Cells, made_of: Recipe) -> _Compiled | None:
    known = {symbol: Rational(number.numerator, number.denominator) for symbol, number in made_of.known.items()}
    powers = {power for one in (*dict(made_of.steps).values(), *made_of.relations) for power in one.atoms(Pow)}
    if any(known.get(symbol, 0) > _LARGEST_POWER for power in powers for symbol in power.exp.free_symbols):
        return None  # SymPy would carry it out
    checked = []
    for symbol, expression in made_of.steps:
        right = known[symbol] = put_in(valued(expression), known)
        if right.has(zoo, nan):
            return None  # a division by zero, of which `evaluate` says what is wrong
        whole = LETTERS[symbol].whole
        if not _is_positive(right, or_zero=whole):
            checked.append((Ge if whole else Gt)(right, 0, evaluate=False))
    quantity = known.pop(cells.formula.quantity)
    checked += [relation for r in made_of.relations if (relation := put_in(valued(r), known)) != True]  # noqa: E712
    arguments = [*letters_of((quantity, *checked))]
    symbols = [*made_of.letters.values()]
    taken = tuple(symbols.index(symbol) for symbol in arguments)
    if not arguments:
        return None
    pairs = [side for relation in checked for side in relation.args]
    for rounded in {inner for one in (quantity, *checked) for inner in one.atoms(floor)}:
        pairs += [rounded.args[0], rounded, rounded.args[0], rounded + 1]
    # a power makes much of how its base is rounded
    pairs += [side for p in quantity.atoms(Pow) if p.exp.free_symbols for side in (p.exp, Max(p.exp, _LARGEST_POWER))]
    cancelling = [side for two in dict.fromkeys(_differences(quantity)) for side in two]
    near = (_NEAR,) * (len(pairs) // 2) + (_CANCELLING,) * (len(cancelling) // 2)
    sides = for_any_kind(arguments, [*pairs, *cancelling]) if near else None
    return _Compiled(made(quantity, arguments, checked), taken, sides, near)


_least = partial(Max, evaluate=False)  # numbers that were put in may stand as they are, max(2, 3) among them


def _is_positive(expression: Any, *, or_zero: bool = False) -> bool:
    """Whether an expression is positive by its form: its letters are, and nothing is subtracted.

    SymPy is not asked, since it would look for the roots of a power.
    """
    if expression.is_Number:
        return bool(expression >= 0 if or_zero else expression > 0)
    if isinstance(expression, floor):
        return or_zero and _is_positive(expression.args[0], or_zero=True)
    if isinstance(expression, Pow):
        return _is_positive(expression.base)
    each = (_is_positive(part, or_zero=or_zero) for part in expression.args)
    if isinstance(expression, Max):
        return any(each)
    return expression.is_Symbol or (isinstance(expression, Add | Mul | Min) and all(each))


def _differences(expression: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs of what is added and what is subtracted in a sum, one for each sum that has both.

    Where two large floats nearly cancel, the small rest of them is only roughly right.
    """
    for total in expression.atoms(Add):
        lost = Add(*(term for term in total.args if term.could_extract_minus_sign()))
        if lost != 0 and lost != total:
            kept = total - lost
            if high := [power.exp for power in total.atoms(Pow) if power.exp.free_symbols or power.exp > _FEW]:
                # so many times the rounding of its base: the two are brought as much nearer to each other
                middle, half = (kept - lost) / 2, total / 2 / _least(*high)
                yield middle + half, middle - half
            elif all(map(_whole, parts(total))):
                # of whole numbers nothing is lost until floats have no place for all of their digits
                yield _least(kept, _PLACES), _least(-lost, _PLACES / 2)
            else:
                yield kept, -lost


def _whole(part: Any) -> bool:
    """Whether a part of an expression is a whole number if its own parts are."""
    if part.is_Symbol:
        return LETTERS[part].whole
    return (
        part.is_Integer
        or isinstance(part, Add | Mul | Max | Min)
        or (part.is_Pow and part.exp.is_Integer is True and part.exp > 0)
    )


def valid_values(letter: Letter, array: Any) -> Any:
    """Mask of the values that the letter can have: of a size that is read as a value, whole if the letter counts."""
    with numpy.errstate(invalid="ignore"):
        good = (array >= 1 / _LARGEST) & (array <= _LARGEST)
        return good & (array == numpy.floor(array)) if letter.whole else good


def _plain(value: Any) -> Any:
    """A number as Python has it: whole ones are read as whole."""
    return int(value) if value == numpy.floor(value) and abs(value) < numpy.inf else float(value)
