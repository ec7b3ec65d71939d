"""Recorded operations as one loop: the bits of NumPy, its warnings, and only where it pays"""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from symbolic_llm import catalogue, compile
from symbolic_llm.answers.arrays import chunked, native

EQUATIONS = [f.name for f in catalogue() if f.quantity is not None]
NOT_FUSED = {"power", "remainder"}  # NumPy's own, and no single rounded operations
TILE, LONG = 2**7, 2**10  # instead of long ones, so that there are several
SIZE = 2 * LONG + 5
ROWS = 70 * LONG // 200  # of an array that is worth all threads there can be
STRANGE = [0.0, -0.0, 1.0, -1.0, 2.0**-1074, 2.0**-1022, 1.5e308, -1.5e308, np.inf, -np.inf, np.nan, 2.0**53 + 1]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make loops at once, as if that took no time, and tiles short."""
    monkeypatch.setattr(chunked, "TILE", TILE)
    monkeypatch.setattr(chunked, "LONG", LONG)
    monkeypatch.setattr(native, "WORTH", 0)
    monkeypatch.setattr(native, "WORTH_LOADING", 0)


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """For each program the names of its operations, and whether it became a loop."""
    found: list[Any] = []

    def noted(steps: Any, *rest: Any) -> Any:
        loop = native.fused(steps, *rest)
        found.append(({ufunc.__name__ for ufunc, _, _ in steps}, loop is not None))
        return loop

    monkeypatch.setattr(chunked, "fused", noted)
    return found


def both(function: Any, arguments: dict[str, Any], *, out: bool = False) -> tuple[Any, Any]:
    """Results in a loop and without, each with the warnings that were given."""
    answers = []
    for maker in (chunked.fused, lambda *_: None):
        with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            patched.setattr(chunked, "fused", maker)
            kept = {name: x.copy() if isinstance(x, np.ndarray) and out else x for name, x in arguments.items()}
            place = next(x for x in kept.values() if isinstance(x, np.ndarray)) if out else None
            answers.append((function(**kept, out=place), {str(one.message) for one in told}))
    return answers[0], answers[1]


def same_bits(one: Any, other: Any) -> None:
    """All bits are equal but for those of a nan, which NumPy leaves to the machine."""
    assert one.shape == other.shape
    number = ~np.isnan(other)
    assert_array_equal(np.isnan(one), ~number)
    assert_array_equal(one[number].view(np.uint64), other[number].view(np.uint64))


def drawn(seed: int, *shape: int) -> Any:
    """Numbers of many sizes."""
    return np.exp2(np.random.default_rng(seed).uniform(-6, 9, shape))


@pytest.mark.parametrize("outside", ["ignore", "nan"])
@pytest.mark.parametrize("name", EQUATIONS)
def test_a_loop_gives_the_bits_of_numpy(name: str, outside: Any, loops: list[Any]) -> None:
    """And its warnings: one letter an array, all of them, with what is infinite, invalid or tiny among them."""
    function = compile(name, outside=outside)
    letters = list(inspect.signature(function).parameters)
    rng = np.random.default_rng(7)
    arrays = {letter: drawn(place, SIZE) for place, letter in enumerate(letters)}
    strange = {
        letter: np.where(rng.random(SIZE) < 0.5, rng.choice(STRANGE, SIZE), arrays[letter]) for letter in letters
    }
    first = {x: 3.7 + 2.3 * (len(letters) - place) for place, x in enumerate(letters)}  # fewer active than there are
    first |= {x: arrays[x] for x in letters[:1]}
    for heed, given in (("warn", first), ("warn", arrays), ("warn", strange), ("ignore", strange)):
        with np.errstate(divide=heed, over=heed, invalid=heed):  # type: ignore[call-overload]
            (ours, told), (theirs, said) = both(function, given)
        if letters:
            same_bits(ours, theirs)
        assert told == said
    assert all(is_loop or operations & NOT_FUSED for operations, is_loop in loops)
    assert len(loops) == 4 * bool(letters)


def test_most_formulas_become_a_loop(loops: list[Any]) -> None:
    """So that the test above compares something."""
    for name in EQUATIONS:
        function = compile(name)
        if letters := list(inspect.signature(function).parameters):
            with np.errstate(all="ignore"):
                function(**dict.fromkeys(letters, 3.0) | {letters[0]: drawn(1, SIZE)})
    assert sum(is_loop for _, is_loop in loops) > 0.8 * len(loops) > 50


@pytest.mark.parametrize("outside", ["ignore", "nan"])
@pytest.mark.parametrize("name", ["latency_with_cache", "request_time", "sequences_that_fit", "windowed_context_bytes"])
def test_arrays_of_any_layout_and_type(name: str, outside: Any, loops: list[Any]) -> None:
    """Several axes, strides, other byte orders, whole numbers, no axes, and a result in the place of an argument."""
    function = compile(name, outside=outside)
    letters = list(inspect.signature(function).parameters)
    shapes = [(ROWS, 1), (2, ROWS, 100), (100,), (2, 1, 1)]
    arrays = {letter: drawn(i, *shapes[i % 4]) for i, letter in enumerate(letters)} | {
        letters[1]: drawn(1, 2, ROWS, 100)
    }
    packed = np.zeros(200 * ROWS, dtype=[("one", "i1"), ("number", "f8")])["number"].reshape(2, ROWS, 100)
    packed[...] = drawn(3, *packed.shape)
    for changed in (
        np.asfortranarray(drawn(9, ROWS, 100)),
        drawn(9, ROWS, 200)[:, ::2],
        drawn(9, ROWS, 100)[::-1],
        np.arange(1, ROWS + 1, dtype=np.int32)[:, None],
        np.arange(1, 101, dtype=np.uint64),
        drawn(9, 100).astype(">f8"),
        np.array(3.5),
        np.float32(2.5),
        packed,
    ):
        for given in (arrays | {letters[0]: changed}, arrays | {letters[-1]: changed}):
            (ours, _), (theirs, _) = both(function, given)
            assert ours.shape == (2, ROWS, 100)
            same_bits(ours, theirs)
    assert all(is_loop for _, is_loop in loops)
    plain = dict.fromkeys(letters, 2.5)
    for array in (drawn(5, SIZE), np.where(drawn(5, SIZE) > 1, 0.0, drawn(6, SIZE))):
        (ours, told), (theirs, said) = both(function, plain | {letters[0]: array}, out=True)
        same_bits(ours, theirs)
        assert told == said


def test_an_array_that_overlaps_an_argument_is_not_read_back() -> None:
    """An output one element beyond its argument is right, though each would be overwritten before it is read."""
    function, memory = compile("latency_with_cache"), drawn(3, SIZE + 1)
    plain = dict.fromkeys(inspect.signature(function).parameters, 2.5)
    expected = function(**plain | {"B": memory[:-1].copy()})
    assert_array_equal(function(**plain | {"B": memory[:-1]}, out=memory[1:]), expected)


@pytest.mark.parametrize("heeded", [{"under": "warn"}, {"divide": "raise"}])
def test_errors_are_raised_as_numpy_raises_them(heeded: Any, loops: list[Any]) -> None:
    """A loop says nothing of numbers that are too small, so NumPy is asked where that is to be told."""
    function = compile("latency")
    plain = dict.fromkeys(inspect.signature(function).parameters, 2.5)
    with np.errstate(**heeded):
        function(**plain | {"F": drawn(1, SIZE)})
        assert loops[-1][1] is ("divide" in heeded)
        if "divide" in heeded:
            with pytest.raises(FloatingPointError, match="divide by zero"):
                function(**plain | {"F": np.zeros(SIZE)})


def test_a_loop_is_made_once_it_pays(monkeypatch: pytest.MonkeyPatch, loops: list[Any]) -> None:
    """After as much work as it takes; then it is kept."""
    monkeypatch.setattr(native, "_worked", type(native._worked)())
    function = compile("latency")
    plain = dict.fromkeys(inspect.signature(function).parameters, 2.5)
    array = drawn(1, SIZE)
    monkeypatch.setattr(native, "WORTH", 3 * SIZE * 3)  # it has three operations
    for call in range(1, 5):
        made = native._made.cache_info().misses
        function(**plain | {"B": array})
        assert loops[-1][1] is (call >= 3)
    assert native._made.cache_info().misses == made
    monkeypatch.setattr(native, "_MOST", 1)
    function(**plain | {"B": array})
    assert not loops[-1][1]  # too many are counted, and it is counted from the start


def test_nothing_is_imported_for_small_arrays() -> None:
    """Nor with the package; and without llvmlite large ones are NumPy's."""
    program = """
import sys, numpy
if sys.argv[1] == "without":
    sys.modules["llvmlite"] = None
    import importlib.util
    found = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *rest: None if name == "llvmlite" else found(name, *rest)
from symbolic_llm import compile
function = compile("latency")
for size in (10, 10**5, 10**6):
    function(P=7e9, n_bytes=2, B=numpy.ones(size), F=312e12, W=1935e9)
assert sys.modules.get("llvmlite") is None
from symbolic_llm.answers.arrays import native
native.WORTH = native.WORTH_LOADING = 0
function(P=7e9, n_bytes=2, B=numpy.ones(10**6), F=312e12, W=1935e9)
assert (sys.modules.get("llvmlite") is None) == (sys.argv[1] == "without")
"""
    for how in ("with", "without"):
        subprocess.run([sys.executable, "-c", program, how], check=True, timeout=120)


@pytest.mark.parametrize(
    ("operation", "other"),
    [(np.divide, "fmul {t} {0}, {1}"), (np.maximum, "select {b} splat (i1 true), {t} {0}, {t} {1}")],
)
def test_another_operation_is_seen(
    operation: Any, other: str, monkeypatch: pytest.MonkeyPatch, loops: list[Any]
) -> None:
    """The twin."""
    monkeypatch.setattr(native, "_FLOATS", {**native._FLOATS, operation: other})
    with pytest.raises(AssertionError):
        test_a_loop_gives_the_bits_of_numpy("latency", "ignore", loops)


def test_contracting_a_product_and_a_sum_is_seen(monkeypatch: pytest.MonkeyPatch, loops: list[Any]) -> None:
    """The twin: rounded once instead of twice."""
    made = native._made.__wrapped__

    def contracted(body: str, lanes: int) -> Any:
        return made(body.replace("fadd {t}", "fadd contract {t}").replace("fmul {t}", "fmul contract {t}"), lanes)

    monkeypatch.setattr(native, "_made", contracted)
    with pytest.raises(AssertionError):
        test_a_loop_gives_the_bits_of_numpy("latency_with_cache", "ignore", loops)
