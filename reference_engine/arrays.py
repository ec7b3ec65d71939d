"""Arrays whose axes have sizes that remember (`Size`), and the few ways to make one

The engine works on them as on any others, and they really hold numbers. Each step carries the sizes of the axes along
by a rule, and these are held against NumPy's own shape. A function of NumPy without a rule here gives a plain array,
whose sizes are numbers of this place only: a run at another place tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .sizes import PLACES, Size, Undecided, is_whole, most, quotient


class Sized(np.ndarray[Any, Any]):
    """An array whose axes have sizes; numbers that lie off-chip have a size for the bytes of each, too."""

    _sizes: tuple[int, ...] | None
    _each: Any

    def __array_finalize__(self, obj: Any) -> None:
        # a view has another shape, as a rule, and NumPy does not say which axes it came from
        self._sizes, self._each = None, None

    @property  # type: ignore[misc]
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return self._sizes if self._sizes is not None else _real(self)

    @property
    def size(self) -> Any:
        """Number of entries: the product of the axes' sizes."""
        return prod(self.shape)

    @property
    def nbytes(self) -> Any:
        """Bytes of all entries; one takes NumPy's item size, if no size of its own is given."""
        return self.size * (self.itemsize if self._each is None else self._each)

    @property
    def T(self) -> Any:  # noqa: N802
        """The array with its axes in reverse order."""
        return self.transpose()

    def reshape(self, *shape: Any, **_: Any) -> Any:
        """The array with other axes; an axis of −1 gets what the others leave."""
        wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        made = plain(self).reshape(tuple(map(int, wanted)))
        if any(int(one) == -1 for one in wanted):
            others = prod(one for one in wanted if int(one) != -1)
            wanted = tuple(self.size // others if int(one) == -1 else one for one in wanted)
        # NumPy has compared the numbers of this place; the sizes have to agree at every place
        _alike(self.size, prod(wanted))
        return sized(made, wanted, self._each)

    def ravel(self, order: Any = "C") -> Any:
        """The array with a single axis."""
        return self.reshape(-1)

    def transpose(self, *axes: Any) -> Any:
        """The array with its axes in another order, reversed if none is given."""
        order = tuple(axes[0]) if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes
        order = order or tuple(reversed(range(self.ndim)))
        return sized(plain(self).transpose(order), tuple(self.shape[axis] for axis in order), self._each)

    def swapaxes(self, one: Any, other: Any) -> Any:
        """The array with two axes exchanged."""
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        return self.transpose(tuple(order))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        """The array with each entry repeated along an axis."""
        return np.repeat(self, repeats, axis=axis)

    def astype(self, dtype: Any, **how: Any) -> Any:  # type: ignore[override]
        """The array converted to another dtype, with the same sizes of its axes."""
        # without `each`: converted, an entry has the bytes of its new type
        return sized(plain(self).astype(dtype, **how), self.shape)

    def copy(self, order: Any = "C") -> Any:
        """A copy of the numbers."""
        return sized(plain(self).copy(order), self.shape, self._each)

    def argmax(self, axis: Any = None, **how: Any) -> Any:  # type: ignore[override]
        """Indices of the largest entries along an axis; of the whole array, if no axis is given."""
        made = plain(self).argmax(axis=axis, **how)
        return sized(made, _reduced(self.shape, axis, keeps=False)) if isinstance(made, np.ndarray) else made

    def __getitem__(self, index: Any) -> Any:
        made = plain(self)[_stripped(index)]
        return sized(made, indexed(self.shape, index), self._each) if isinstance(made, np.ndarray) else made

    def __setitem__(self, index: Any, value: Any) -> None:
        # only to hear whether the shapes are alike everywhere
        broadcast(indexed(self.shape, index), _shape(value))
        plain(self)[_stripped(index)] = plain(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
        made = getattr(ufunc, method)(*map(plain, inputs), **{name: _stripped(one) for name, one in how.items()})
        if (out := how.get("out")) is not None:
            # `out` has its sizes already
            return out[0]
        if not isinstance(made, np.ndarray):
            return made
        if method == "reduce":
            return sized(made, _reduced(inputs[0].shape, how.get("axis", 0), keeps=bool(how.get("keepdims"))))
        if method != "__call__":
            return made
        if ufunc is np.matmul:
            one, other = (tuple(each.shape) for each in inputs)
            # the axis that is summed over is gone afterwards: nobody else would notice that it fitted by chance
            _alike(one[-1], other[-2])
            return sized(made, (*broadcast(one[:-2], other[:-2]), one[-2], other[-1]))
        return sized(made, broadcast(*map(_shape, inputs)))

    def __array_function__(self, function: Any, types: Any, args: Any, how: Any) -> Any:
        made = function(*_stripped(args), **_stripped(how))
        if rule := _RULES.get(function.__name__):
            return rule(made, *args, **how)
        return made


def _real(array: NDArray[Any]) -> tuple[int, ...]:
    return np.ndarray.shape.__get__(array)  # type: ignore[no-any-return]


def _shape(value: Any) -> tuple[Any, ...]:
    return value.shape if isinstance(value, np.ndarray) else np.shape(value)


def _alike(one: Any, other: Any) -> None:
    """Raise `Undecided` unless two sizes are equal for all parameters."""
    if one != other:
        raise Undecided(f"{one!r} and {other!r} are alike here only")


def plain(value: Any) -> Any:
    """The array without its sizes; anything else as it is."""
    return value.view(np.ndarray) if isinstance(value, Sized) else value


def _stripped(value: Any) -> Any:
    """The value with plain arrays and plain numbers in it."""
    if isinstance(value, Sized):
        return plain(value)
    if isinstance(value, Size):
        return int(value)
    if isinstance(value, tuple):
        return tuple(map(_stripped, value))
    if isinstance(value, list):
        return list(map(_stripped, value))
    if isinstance(value, dict):
        return {name: _stripped(one) for name, one in value.items()}
    if isinstance(value, slice):
        return slice(_stripped(value.start), _stripped(value.stop), _stripped(value.step))
    return value


def sized(array: NDArray[Any], sizes: Sequence[Any], each: Any = None) -> NDArray[Any]:
    """The array with these sizes of its axes, and `each` bytes for an entry; unchanged where none is a `Size`.

    `AssertionError` where NumPy has another shape.
    """
    sizes = tuple(sizes)
    assert tuple(map(int, sizes)) == array.shape, f"the sizes {sizes} are not those of {array.shape}"
    if each is None and not any(isinstance(one, Size) for one in sizes):
        return array
    made = array.view(Sized)
    made._sizes, made._each = sizes, each
    return made


def zeros(shape: Any, dtype: Any = float) -> NDArray[Any]:
    """An array of zeros, like `numpy.zeros`; the sizes of its axes may be `Size`s."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not any(isinstance(one, Size) for one in shape):
        return np.zeros(shape, dtype)
    return sized(np.zeros(tuple(map(int, shape)), dtype), shape)


def ones(shape: Any, dtype: Any = float) -> NDArray[Any]:
    """An array of ones, like `numpy.ones`; the sizes of its axes may be `Size`s."""
    made = zeros(shape, dtype)
    made[...] = 1
    return made


def arange(first: Any, last: Any = None, step: int = 1) -> NDArray[Any]:
    """Evenly spaced whole numbers, like `numpy.arange`.

    The length is a `Size` where `last` − `first` is one and the step divides it for all parameters.
    """
    first, last = (0, first) if last is None else (first, last)
    if not (isinstance(first, Size) or isinstance(last, Size)):
        return np.arange(first, last, step)
    made, length = np.arange(int(first), int(last), step), last - first
    if not isinstance(length, Size) or (step != 1 and quotient(length.terms, {(): step}) is None):
        return made
    return sized(made, (length // step,))


def pieces(first: Any, last: Any, step: Any) -> Iterator[tuple[Any, Any]]:
    """Start and end of consecutive pieces of at most `step`, from `first` to before `last`.

    There is one piece where any of the three is a `Size`: costs go with the length, so it costs as much as several.
    """
    if any(isinstance(one, Size) for one in (first, last, step)):
        yield first, last
        return
    for start in range(first, last, step):
        yield start, min(start + step, last)


def places_of(array: NDArray[Any]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Distinct numbers of an array in ascending order, each with the indices of its entries."""
    total, numbers = array.size, np.unique(plain(array))
    for turn, number in enumerate(numbers):
        places = np.nonzero(plain(array) == number)
        if isinstance(total, Size):
            # sizes of their own that add up to the whole
            many = Size.of(f"{PLACES}{turn}", len(places[0])) if turn + 1 < len(numbers) else total
            total = total - many
            places = tuple(sized(one, (many,)) for one in places)
        yield number, places


def broadcast(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """Shape of the element-wise result of arrays of these shapes."""
    found: list[Any] = []
    for place in range(1, max(map(len, shapes), default=0) + 1):
        theirs = [shape[-place] for shape in shapes if len(shape) >= place]
        # a size that is 1 here is more elsewhere, so it is never stretched, as a plain 1 is
        wide = [one for one in theirs if isinstance(one, Size) or one != 1]
        sizes = [one for one in wide if isinstance(one, Size)]
        if any(one != sizes[0] for one in sizes[1:]) or (sizes and int(sizes[0]) == 1 and max(map(int, theirs)) > 1):
            raise Undecided(f"axes of {' and '.join(map(repr, theirs))} are alike here only")
        found.append(sizes[0] if sizes else wide[0] if wide else 1)
    return tuple(reversed(found))


def _reduced(shape: Sequence[Any], axis: Any, *, keeps: bool) -> tuple[Any, ...]:
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    gone = {one % len(shape) for one in axes}
    return tuple(1 if place in gone else one for place, one in enumerate(shape) if keeps or place not in gone)


def indexed(shape: Sequence[Any], index: Any) -> tuple[Any, ...]:
    """Shape of what an index takes from an array of this shape."""
    parts = index if isinstance(index, tuple) else (index,)
    used = sum(1 for one in parts if one is not None and one is not Ellipsis)
    every = (slice(None),) * (len(shape) - used)
    place = next((at for at, one in enumerate(parts) if one is Ellipsis), len(parts))
    parts = (*parts[:place], *every, *parts[place + 1 :])
    found: list[Any] = []
    arrays: list[Sequence[Any]] = []  # shapes of those that pick places one by one
    at: list[int] = []  # and where they stand, single numbers among them
    axes = iter(shape)
    for number, one in enumerate(parts):
        if one is None:
            found.append(1)
        elif isinstance(one, slice):
            found.append(_sliced(next(axes), one))
        else:
            next(axes)
            arrays += [_shape(one)] if not is_whole(one) else []
            at += [number]
            found.append(None)
    if not arrays:
        return tuple(one for one in found if one is not None)
    together = broadcast(*arrays)
    first = at[0] if at == list(range(at[0], at[-1] + 1)) else 0  # NumPy's rule: in front where they stand apart
    before, after = found[:first], found[first:]
    return tuple(one for one in (*before, *together, *after) if one is not None)


def _sliced(size: Any, part: slice) -> Any:
    if part == slice(None):
        return size
    if part.step not in (None, 1):
        return size if part == slice(None, None, -1) else len(range(*_stripped(part).indices(int(size))))
    first, last = (_bound(size, one, usual) for one, usual in ((part.start, 0), (part.stop, size)))
    return last - first if first <= last else 0


def _bound(size: Any, bound: Any, usual: Any) -> Any:
    """Index at which a slice begins or ends, cut to the axis; `usual` where the slice has none."""
    if bound is None:
        return usual
    # as Python cuts slices: what begins before the axis begins with it
    bound = most(0, size + bound) if bound < 0 else bound
    return bound if bound <= size else size


# What functions of NumPy do to sizes. A function without a rule gives a plain array.


def _along(shape: Sequence[Any], axis: int, size: Any) -> tuple[Any, ...]:
    """The shape with another size on an axis."""
    axis %= len(shape)
    return (*shape[:axis], size, *shape[axis + 1 :])


def _concatenate(made: Any, arrays: Any, axis: int = 0, **_: Any) -> Any:
    shapes = [_shape(one) for one in arrays]
    others = broadcast(*(_along(shape, axis, 1) for shape in shapes))
    return sized(made, _along(others, axis, sum((shape[axis] for shape in shapes[1:]), shapes[0][axis])))


def _stack(made: Any, arrays: Any, axis: int = 0, **_: Any) -> Any:
    each = broadcast(*map(_shape, arrays))
    axis %= made.ndim
    return sized(made, (*each[:axis], len(arrays), *each[axis:]))


def _split(made: Any, array: Any, where: Any, axis: int = 0) -> Any:
    size = array.shape[axis]
    ends = [size // where * (i + 1) for i in range(where)] if isinstance(where, int) else [*where, size]
    each = zip(made, [0, *ends[:-1]], ends, strict=True)
    return [sized(part, _along(array.shape, axis, last - first)) for part, first, last in each]


def _repeat(made: Any, array: Any, repeats: Any, axis: int | None = None) -> Any:
    if axis is None:
        return sized(made, (array.size * repeats,))
    return sized(made, _along(array.shape, axis, array.shape[axis] * repeats))


def _windows(made: Any, array: Any, window: Any, axis: int) -> Any:
    return sized(made, (*_along(array.shape, axis, array.shape[axis] - window + 1), window))


_RULES: dict[str, Any] = {
    "concatenate": _concatenate,
    "stack": _stack,
    "split": _split,
    "repeat": _repeat,
    "sliding_window_view": _windows,
    "where": lambda made, *args: sized(made, broadcast(*map(_shape, args))),
    "broadcast_to": lambda made, _, shape, **__: sized(made, shape),
    "take_along_axis": lambda made, _, places, axis: sized(made, _shape(places)),
    **dict.fromkeys(
        ("zeros_like", "empty_like", "ones_like", "full_like"), lambda made, like, *_, **__: sized(made, like.shape)
    ),
}
