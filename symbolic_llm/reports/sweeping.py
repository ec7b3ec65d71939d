"""A formula over a grid: letters and presets as axes, one answer in each cell"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from ..answers.gather import find_letter
from ..api import formula_of
from ..errors import (
    InvalidHardware,
    InvalidModel,
    InvalidValue,
    NotSolvable,
    SymbolicLLMError,
    UnknownName,
    shown,
    within_memory,
)
from ..formula import Formula
from ..notation import LETTERS, Letter
from ..presets import Presets
from ..presets.parse_value import NUMERIC, kind_of, read_value
from .grid import Sweep, lazy

if TYPE_CHECKING:
    from ..answers.arrays.grid import Cells

_UNKNOWN_MEMORY = 2**34  # bytes, where the machine does not say


def sweep(
    formula: Formula | str,
    /,
    *,
    model: Any = None,
    hardware: Any = None,
    dtype: Any = None,
    weights: Any = None,
    cache: Any = None,
    **letters: Any,
) -> Sweep:
    """The value of a formula over a grid of letters and presets.

    Examples:
        >>> from symbolic_llm import sweep
        >>> machines = ["a10", "a100-80gb-sxm"]
        >>> found = sweep("throughput", model="llama-2-7b", dtype="fp16", hardware=machines, B=[1, 16, 256])
        >>> found.values.round()
        array([[   45.,   726.,  9460.],
               [  154.,  2469., 23611.]])

    Each cell is what `evaluate` says for it; where that refuses, the cell is not a number and `.reasons` has the
    sentence. The numbers of all letters are one call of a compiled function, presets are gone through one by one.

    Args:
        formula: a formula or its name, any but a theorem.
        model: as for `evaluate`, or a list of them, which is an axis; and so are the other presets.
        hardware: see `model`.
        dtype: see `model`.
        weights: see `model`.
        cache: see `model`.
        **letters: a value as for `evaluate` (a number, or text with a unit) is the same in every cell; a list, a tuple,
            a range or an array of one dimension is an axis. With a Dask array as an axis the values are one too, and
            nothing is computed before it is asked for; each part is then computed where it lies.

    Returns:
        A `Sweep`, with `.values`, `.axes`, `.coordinates`, `.unit`, `.reasons`, and as a table of another library.

    Raises:
        SymbolicLLMError: with one sentence: an axis is empty, a letter is unknown or given twice, a unit does not fit,
            a value is missing, the grid would not fit in memory. What only some cells lack is no error.
    """
    given = {"model": model, "hardware": hardware, "dtype": dtype, "weights": weights, "cache": cache}
    with within_memory("a sweep over so many cells"):
        return _swept(formula, given, letters)


def _swept(formula: Formula | str, given: Mapping[str, Any], letters: Mapping[str, Any]) -> Sweep:
    import numpy

    choices = {name: _entries(name, value) for name, value in given.items() if isinstance(value, _LISTS)}
    single = {name: value for name, value in given.items() if name not in choices and value is not None}
    blocks_of = [dict(zip(choices, picks, strict=True)) for picks in product(*choices.values())]
    first = formula_of(formula, (single | blocks_of[0]).get("model"))
    if first.quantity is None:
        raise NotSolvable(f"{first.name} is a theorem and has no value to compute.")
    along = [value for value in letters.values() if is_axis(value)]
    _fits((*map(len, choices.values()), *map(len, along)), any(map(lazy, along)))
    axes, fixed = _read(first, letters)
    if not axes and not choices:
        raise InvalidValue(
            f"a sweep of {first.name} needs an axis: give several values for a letter, "
            "as in B=[1, 2, 4] or, on the command line, B=1,2,4."
        )
    coordinates = {**{name: numpy.array([*map(_name, c)]) for name, c in choices.items()}, **axes}
    blocks, parts = [], []
    for picks in blocks_of:
        cells, part = _block(formula, Presets(**single, **picks), fixed, axes)
        blocks.append(cells)
        parts.append(part)
    if errors := [block for block in blocks if isinstance(block, SymbolicLLMError)]:
        if len(errors) == len(blocks):
            raise errors[0]
        # what one device or model cannot answer at all is without an answer in all its cells
        like = next(part for part in parts if part is not None)
        parts = [numpy.full_like(like, numpy.nan) if part is None else part for part in parts]
    shape = (*map(len, choices.values()), *(len(axis) for axis in axes.values()))
    values = parts[0].reshape(shape) if len(parts) == 1 else numpy.stack(parts).reshape(shape)
    everywhere = {**single, **dict(fixed)}
    unit = LETTERS[first.quantity].unit
    of_place = dict(zip(product(*(range(len(one)) for one in choices.values())), blocks, strict=True))
    return Sweep(first.name, first.quantity.name, unit, (*coordinates,), coordinates, everywhere, values, of_place)


_LISTS = (list, tuple)
_MISSPELT = (UnknownName, InvalidModel, InvalidHardware)  # never meant, in however many cells


def is_axis(value: Any) -> bool:
    """Whether what is given for a letter is several values: a list, a tuple, a range, an array that is no number."""
    array = hasattr(value, "dtype") and not isinstance(value, type)
    return isinstance(value, (*_LISTS, range)) or (array and bool(getattr(value, "ndim", 0)))


def _entries(name: str, value: Any) -> list[Any]:
    if not value:
        raise InvalidValue(f"the axis {name} is empty.")
    return [*value]


def _read(formula: Formula, letters: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, object], ...]]:
    """Axes as arrays of numbers in the units of the letters, and the letters that are the same in every cell."""
    import numpy

    axes: dict[str, Any] = {}
    fixed: list[tuple[str, object]] = []
    seen: dict[Any, str] = {}
    for name, value in letters.items():
        symbol = find_letter(formula, name)
        if symbol in seen:
            raise InvalidValue(f"{symbol.name} was given twice, as {seen[symbol]} and as {shown(name)}.")
        seen[symbol], letter = shown(name), LETTERS[symbol]
        if not is_axis(value):
            item = value.item() if kind_of(value) in NUMERIC else value
            read_value(letter, item)
            fixed.append((name, item))
            continue
        if getattr(value, "ndim", 1) != 1:
            raise InvalidValue(f"the axis {name} must be an array of one dimension, not of {value.ndim}.")
        if len(value) == 0:
            raise InvalidValue(f"the axis {name} is empty.")
        if lazy(value):
            axes[name] = value.astype(numpy.float64)
            continue
        value = numpy.asarray(value) if isinstance(value, range) else value
        if type(value) in (numpy.ndarray, numpy.memmap) and value.dtype.kind in "iuf" and _valid(letter, value):
            axes[name] = value.copy()
            continue
        # durations and dates become numbers in a list, so these stay as they are
        plain = value.tolist() if kind_of(value) in NUMERIC else value
        numbers = [read_value(letter, one) for one in plain]
        whole = letter.whole and max(numbers) < 2**53
        axes[name] = numpy.array([*map(int if whole else float, numbers)])
    return axes, tuple(fixed)


def _valid(letter: Letter, array: Any) -> bool:
    """Whether the letter can have all values of the array; if not, reading them one by one names the wrong one."""
    from ..answers.arrays.grid import valid_values

    return bool(valid_values(letter, array).all())


def _block(formula: Formula | str, presets: Presets, fixed: Any, axes: Mapping[str, Any]) -> tuple[Any, Any]:
    """Cells of one choice of presets and their values; or the error of the question, and None."""
    import numpy

    from ..answers.arrays.grid import REFUSED, Cells

    try:
        cells = Cells(formula_of(formula, presets.model), presets, fixed, (*axes,))
        if not axes:
            try:
                return cells, numpy.array([float(cells.evaluate(()))])
            except REFUSED:
                return cells, numpy.array([numpy.nan])
        return cells, _values(cells, axes)
    except _MISSPELT:
        raise
    except SymbolicLLMError as error:
        return error, None


def _values(cells: Cells, axes: Mapping[str, Any]) -> Any:
    import numpy

    from ..answers.arrays.grid import REFUSED

    if not any(map(lazy, axes.values())):
        return cells(*axes.values())
    for value in (1, 8, 4096):  # what is wrong with the question itself is said now
        try:
            cells.evaluate([value] * len(axes))
        except REFUSED:
            continue
    dask: Any = import_module("dask.array")  # it is there, since an axis is one of its arrays

    arrays = [a if lazy(a) else dask.from_array(a, chunks=a.shape) for a in axes.values()]
    each = [entry for place, array in enumerate(arrays) for entry in (array, (place,))]
    meta = numpy.empty((0,) * len(arrays))
    return dask.blockwise(cells, (*range(len(arrays)),), *each, dtype=numpy.float64, meta=meta)


def _fits(shape: tuple[int, ...], later: bool) -> None:
    """Raise `InvalidValue` if the values would not fit in memory."""
    cells = prod(shape)
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = _UNKNOWN_MEMORY
    if 8 * cells > memory // 2 and not later:
        raise InvalidValue(
            f"the grid has {cells:,} cells, which take {8 * cells / 1e9:,.0f} GB, more than half of the memory; "
            f"give an axis as a Dask array, or fewer values."
        )


def _name(choice: Any) -> str:
    return str(getattr(choice, "name", None) or (choice if isinstance(choice, str | os.PathLike) else shown(choice)))
