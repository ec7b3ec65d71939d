"""Large arrays: computed in tiles, to the same bits"""

from __future__ import annotations

import inspect
import threading
import tracemalloc
import warnings
from contextlib import nullcontext
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sympy import Max

from symbolic_llm import catalogue, compile, errors
from symbolic_llm.answers.arrays import chunked, native

WITH_MAXIMUM = [f.name for f in catalogue() if f.quantity is not None and f.rhs.has(Max)]
TILE = 2**7  # instead of a long one
SIZE = 3 * chunked.TILE + 5  # the last tile is a short one


@pytest.fixture(autouse=True)
def as_many_threads_as_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment of the tests says."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.fixture
def untiled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls a function as if no array were large."""

    def call(function: Any, **values: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(chunked, "TILE", 2**40)
            return function(**values)

    return call


def numbers(function: Any) -> dict[str, float]:
    """A number for each letter."""
    return {name: 3.7 + 2.3 * place for place, name in enumerate(inspect.signature(function).parameters)}


def spread(seed: int, *shape: int) -> Any:
    """Numbers of many sizes."""
    return np.exp2(np.random.default_rng(seed).uniform(-6, 9, shape))


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning")
@pytest.mark.parametrize("outside", ["ignore", "nan"])
@pytest.mark.parametrize("name", WITH_MAXIMUM)
def test_tiles_change_no_bit(name: str, outside: Any, untiled: Any) -> None:
    """Whichever letters are arrays, and wherever the conditions hold."""
    function = compile(name, outside=outside)
    plain = numbers(function)
    cases: list[dict[str, Any]] = [{letter: spread(place, SIZE)} for place, letter in enumerate(plain)]
    cases.append({letter: spread(place, SIZE) for place, letter in enumerate(plain)})
    for arrays in cases:
        found, expected = function(**plain | arrays), untiled(function, **plain | arrays)
        assert found.shape == (SIZE,)
        assert found.dtype == np.float64
        assert_array_equal(found, expected)
        some = [0, chunked.TILE - 1, chunked.TILE, SIZE - 1]
        one_by_one = [function(**plain | {letter: float(a[i]) for letter, a in arrays.items()}) for i in some]
        assert_array_equal(found[some], one_by_one)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|overflow):RuntimeWarning")
@pytest.mark.parametrize(
    "name", ["latency_with_cache", "tiled_attention_bytes", "total_parameters", "distinct_experts"]
)
@pytest.mark.parametrize("outside", ["ignore", "nan"])
def test_arrays_of_several_axes_go_together(name: str, outside: Any, untiled: Any) -> None:
    """Arrays of several axes go together as they do in NumPy, whatever their layout and type."""
    function = compile(name, outside=outside)
    plain = numbers(function)
    shapes = [(300, 1), (2, 300, 400), (400,), (2, 1, 1)]
    arrays = {letter: spread(i, *shapes[i % 4]) for i, letter in enumerate(plain)}
    first, second, third, *_ = plain
    for changed in (
        {},
        {first: np.asfortranarray(spread(9, 300, 400))},
        {first: spread(9, 300, 800)[:, ::2], third: 3},
        {first: np.arange(1, 301, dtype=np.int32)[:, None], third: np.float32(2.5)},
        {first: np.float64(7), second: spread(9, 400, 300, 2).T},
    ):
        found = function(**arrays | changed)
        assert found.shape == (2, 300, 400)
        assert_array_equal(found, untiled(function, **arrays | changed))
    with pytest.raises(ValueError, match="broadcast"):
        function(**plain | {first: spread(0, SIZE), second: spread(0, SIZE + 1)})


@pytest.mark.parametrize("letter", ["B", "F", "P"])
@pytest.mark.parametrize("size", [0, 7, SIZE])
def test_the_result_goes_into_an_array_of_ones_own(letter: str, size: int) -> None:
    """The result fills the array given as out=, which is returned and may be one of the arguments."""
    function = compile("latency_with_cache")
    values = numbers(function) | {letter: spread(1, size)}
    out = np.zeros(size)
    expected = function(**values)
    assert function(**values, out=out) is out
    assert_array_equal(out, expected)
    assert function(**values, out=values[letter]) is values[letter]
    assert_array_equal(values[letter], expected)


def test_an_array_that_overlaps_an_argument_is_not_read_back(untiled: Any) -> None:
    """An output that overlaps an argument, one element further on, gets the right result.

    Otherwise each element would be overwritten before it is read.
    """
    memory, function = spread(3, SIZE + 1), compile("latency_with_cache", outside="nan")
    values = numbers(function) | {"B": memory[:-1]}
    expected = untiled(function, **values).copy()
    assert_array_equal(function(**values, out=memory[1:]), expected)


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ([0.0] * 4, r"^out= must be a NumPy array of float64, not list\.$"),
        (np.zeros(4, dtype=np.float32), r"^out= must be an array of float64, not of float32\.$"),
        (np.zeros(3), r"^out= must have the shape of the result, \(4,\), not \(3,\)\.$"),
        (np.zeros((1, 4)), r"^out= must have the shape of the result, \(4,\), not \(1, 4\)\.$"),
        (
            np.broadcast_to(np.zeros(1), 4),
            r"^out= must be an array that can be written to, but this one is read-only\.$",
        ),
    ],
)
@pytest.mark.parametrize("outside", ["ignore", "nan"])
def test_what_the_result_does_not_fit_is_refused(out: Any, sentence: str, outside: Any) -> None:
    """An output that the result does not fit is refused in one sentence, and nothing is written."""
    function = compile("latency", outside=outside)
    with pytest.raises(errors.InvalidValue, match=sentence):
        function(**numbers(function) | {"B": np.ones(4)}, out=out)
    assert not np.any(out)


def test_numbers_go_into_an_array_without_axes() -> None:
    """Also where nothing is open."""
    for function in (compile("latency"), compile("batch_crossover", hardware="a10", dtype="fp16")):
        out = np.zeros(())
        assert function(**numbers(function), out=out) is out
        assert out == function(**numbers(function))
        with pytest.raises(errors.InvalidValue, match=r"must have the shape of the result, \(\)"):
            function(**numbers(function), out=np.zeros(2))


def test_letters_are_the_parameters() -> None:
    """The parameters of a compiled function are its letters, and no others.

    So whoever fills in all parameters by name gets a value; out= is by name only and stands in the docstring.
    """
    function = compile("latency")
    assert [*inspect.signature(function).parameters] == ["P", "n_bytes", "B", "F", "W"]
    assert "out=" in (function.__doc__ or "")
    with pytest.raises(TypeError, match="positional argument"):
        function(*numbers(function).values(), np.zeros(()))


@pytest.mark.parametrize("name", WITH_MAXIMUM)
def test_nothing_else_of_its_size_is_held(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the result there are a few tiles, whether NumPy computes them or a loop that was made before."""
    function = compile(name, outside="nan")
    size = 64 * chunked.TILE
    values = numbers(function) | {"B": spread(0, size), "N": np.arange(1, size + 1), "W": spread(1, size)}
    values = {letter: values[letter] for letter in numbers(function)}
    monkeypatch.setattr(native, "WORTH", 0)
    monkeypatch.setattr(native, "WORTH_LOADING", 0)
    for loop in (chunked.fused, lambda *_: None):
        monkeypatch.setattr(chunked, "fused", loop)
        _ = function(**values)
        tracemalloc.start()
        try:
            _ = function(**values)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 8 * (size + 20 * chunked.TILE)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|overflow):RuntimeWarning")
@pytest.mark.parametrize("name", WITH_MAXIMUM)
def test_threads_change_no_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of them, whether NumPy computes or a loop, whatever the arrays' layout, type and shape."""
    function, rows = compile(name, outside="nan"), 60
    plain = numbers(function)
    columns = TILE * 3 // 5
    layouts: list[Any] = [
        spread(1, rows, columns),
        np.arange(1, columns + 1),
        spread(2, columns, rows).T,
        spread(3, rows, 2 * columns)[:, ::2].astype(np.float32),
        spread(4, rows, 1),
    ]
    monkeypatch.setattr(chunked, "TILE", TILE)
    monkeypatch.setattr(chunked, "LONG", 4 * TILE)
    monkeypatch.setattr(native, "WORTH", 0)
    monkeypatch.setattr(native, "WORTH_LOADING", 0)
    for turn in range(len(plain)):
        arrays = {letter: layouts[place] for place, letter in enumerate([*plain][turn : turn + 5])}
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
        for loop in (native.fused, lambda *_: None):
            monkeypatch.setattr(chunked, "fused", loop)
            found = []
            for cores in (1, 3):
                monkeypatch.setattr(chunked, "_cores", lambda cores=cores: cores)
                found += [function(**plain | arrays), function(**plain | arrays, out=np.empty(shape, order="F"))]
            for one in found[1:]:
                assert_array_equal(one, found[0])


def test_what_is_told_is_told_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings, errors and silence are those that were asked for, and no thread is left."""
    function, values = compile("latency"), dict.fromkeys(["P", "n_bytes", "B", "W"], 2.5)
    zeros = np.zeros(8 * chunked.LONG)
    monkeypatch.setattr(chunked, "_cores", lambda: 4)
    alive = threading.active_count()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(function(**values, F=zeros)).all()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        function(**values, F=zeros)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        function(**values, F=zeros)
    told: list[Any] = []
    with np.errstate(divide="call", call=lambda *what: told.append(what)):
        function(**values, F=zeros)
    assert told
    assert threading.active_count() == alive


@pytest.mark.parametrize(
    ("said", "cores", "elements", "threads"),
    [
        (None, 3, 64 * chunked.LONG, 3),
        (None, 64, 64 * chunked.LONG, 4),
        (None, 64, 4 * chunked.LONG, 2),
        (None, 64, 4 * chunked.LONG - 1, 1),
        ("1", 4, 64 * chunked.LONG, 1),
        ("2", 4, 64 * chunked.LONG, 2),
        ("0", 4, 64 * chunked.LONG, 1),
        ("many", 4, 64 * chunked.LONG, 4),
    ],
)
def test_who_shares_the_work(
    said: str | None, cores: int, elements: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threads are as many as the cores, the environment and the work allow; beside other threads it is one."""
    shared: list[int] = []
    monkeypatch.setattr(chunked, "_in_threads", lambda number, *_: shared.append(number))
    monkeypatch.setattr(chunked, "_cores", lambda: cores)
    monkeypatch.setenv("OMP_NUM_THREADS", said or "")
    function = compile("latency")
    values = numbers(function) | {"B": np.broadcast_to(np.ones(1), elements)}
    function(**values)
    beside = threading.Thread(target=lambda: function(**values))
    beside.start()
    beside.join()
    assert shared == [threads, 1]


def test_a_share_that_is_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: the last of three."""

    def but_one(number: int, given: Any, begin: Any) -> None:
        given.iterrange = (0, given.itersize - given.itersize // number if number > 1 else given.itersize)
        compute = begin()
        for parts in given:
            compute(parts)

    monkeypatch.setattr(chunked, "_in_threads", but_one)
    with pytest.raises(AssertionError):
        test_threads_change_no_bit("request_time", monkeypatch)


@pytest.mark.parametrize("shared", [False, True])
def test_buffers_that_threads_share_are_seen(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: threads that wait for each other after each operation find what another has left."""
    in_threads, placed, met = chunked._in_threads, chunked._Record._placed, threading.Barrier(3)

    def waiting(operation: Any) -> Any:
        def wait(*operands: Any, out: Any) -> None:
            operation(*operands, out=out)
            if threading.current_thread() is not threading.main_thread():
                met.wait(10)

        return wait

    def in_step(record: Any, apart: bool) -> Any:
        steps, cells = placed(record, apart)
        return [(waiting(operation), read, to) for operation, read, to in steps], cells

    monkeypatch.setattr(chunked._Record, "_placed", in_step)
    if shared:
        monkeypatch.setattr(
            chunked, "_in_threads", lambda number, given, begin: in_threads(number, given, cache(begin))
        )
    with pytest.raises(AssertionError) if shared else nullcontext():
        test_threads_change_no_bit("request_time", monkeypatch)


def test_a_buffer_that_is_used_too_soon_is_seen(monkeypatch: pytest.MonkeyPatch, untiled: Any) -> None:
    """The twin: one buffer for everything."""
    placed = chunked._Record._placed

    def one(record: Any, apart: bool) -> Any:
        steps, cells = placed(record, apart)
        result = record._result

        def only(place: int) -> int:
            return result if place > result and isinstance(cells[place - result - 1], type) else place

        return [(ufunc, tuple(map(only, places)), only(to)) for ufunc, places, to in steps], cells

    monkeypatch.setattr(chunked._Record, "_placed", one)
    with pytest.raises(AssertionError):
        test_tiles_change_no_bit("latency_with_cache", "ignore", untiled)


def test_an_argument_that_is_written_too_soon_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: the result's tile is worked in although it is an argument's too."""
    monkeypatch.setattr(np, "may_share_memory", lambda *_: False)
    with pytest.raises(AssertionError):
        test_the_result_goes_into_an_array_of_ones_own("B", SIZE)
