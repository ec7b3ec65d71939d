"""Sizes that remember: whatever is done with them is right at every other place too, or it is refused"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_engine import arrays, ops
from reference_engine.arrays import arange, indexed, ones, pieces, places_of, sized, zeros
from reference_engine.formats import F32, of_width
from reference_engine.ledger import Ledger, Tally, loop
from reference_engine.sizes import (
    PLACES,
    Size,
    Terms,
    Undecided,
    least,
    led_to,
    most,
    put_in,
    quotient,
    regime,
    shares,
    terms,
    together,
)

LETTERS = ("a", "b", "c")
places = st.fixed_dictionaries({name: st.integers(1, 9) for name in LETTERS})


def at(place: Mapping[str, int]) -> dict[str, Size]:
    """The letters with these values."""
    return {name: Size.of(name, value) for name, value in place.items()}


def value(number: Any, place: Mapping[str, int]) -> Any:
    """The value of a size's polynomial at a place."""
    return sum(factor * prod(place[name] for name in names) for names, factor in terms(number).items())


@st.composite
def formulas(draw: st.DrawFn) -> Callable[[Mapping[str, Any]], Any]:
    """Something that is calculated with three numbers by sums, differences and products."""
    steps = draw(st.lists(st.tuples(st.sampled_from("+-*"), st.integers(0, 99), st.integers(0, 99)), max_size=6))

    def formula(given: Mapping[str, Any]) -> Any:
        known = [*(given[name] for name in LETTERS), 2, -3]
        for how, one, other in steps:
            x, y = known[one % len(known)], known[other % len(known)]
            known.append(x + y if how == "+" else x - y if how == "-" else x * y)
        return known[-1]

    return formula


@given(formulas(), places, places)
def test_a_size_is_the_value_of_its_polynomial_and_its_polynomial_holds_elsewhere(
    formula: Callable[[Any], Any], here: dict[str, int], there: dict[str, int]
) -> None:
    """Sums, differences and products, with plain numbers on either side."""
    made = formula(at(here))
    assert made == formula(here) if not isinstance(made, Size) else int(made) == formula(here)
    assert value(made, there) == formula(there)


@given(formulas(), formulas(), places, places)
def test_what_divides_for_all_parameters_divides_everywhere(
    one: Callable[[Any], Any], other: Callable[[Any], Any], here: dict[str, int], there: dict[str, int]
) -> None:
    """A product divided by a factor is the other factor; a quotient that has a polynomial is right at other places."""
    x, y = one(at(here)), other(at(here))
    if int(y):
        assert terms(x * y // y) == terms(x)
        assert not int((x * y) % y)
        found = quotient(terms(x), terms(y))
        if found is not None and other(there):
            assert sum(f * prod(there[name] for name in names) for names, f in found.items()) * other(there) == one(
                there
            )


@given(formulas(), formulas(), places, places)
def test_a_comparison_that_is_answered_comes_out_the_same_everywhere(
    one: Callable[[Any], Any], other: Callable[[Any], Any], here: dict[str, int], there: dict[str, int]
) -> None:
    """Else it is refused; so is equality that may be chance."""
    x, y = one(at(here)), other(at(here))
    if not (isinstance(x, Size) or isinstance(y, Size)):
        return
    try:
        assert (x >= y) == (one(here) >= other(here)) == (one(there) >= other(there))
        assert int(most(x, y)) == max(int(x), int(y))
        assert int(least(x, y)) == min(int(x), int(y))
    except Undecided:
        gaps = {one(place) >= other(place) for place in each_place()}
        assert gaps == {True, False} or len(terms(x - y)) > 1  # refused where it changes, or where it cannot be seen
    try:
        if x == y:
            assert one(there) == other(there)
    except Undecided:
        assert one(here) == other(here)
        assert terms(x) != terms(y)


@given(st.integers(-3, 3), places, places)
def test_a_rest_that_is_less_than_the_divisor_everywhere_leaves_the_quotient_a_size(
    more: int, here: dict[str, int], there: dict[str, int]
) -> None:
    """Rounded down to it, also where what is left over is negative; at other places as there."""

    def made(given: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        one, by, rest = given["a"] * given["b"] + more, given["b"] + given["c"], given["c"]
        whole = by * one
        return (whole + rest) // by, (whole - rest) // by, (whole + rest) % by

    found = made(at(here))
    assert tuple(map(int, found)) == made(here)
    assert tuple(value(one, there) for one in found) == made(there)


def test_a_rest_that_may_be_more_is_not_left_over() -> None:
    """Unless a fact says how large it is; then it is, and at no other place."""
    a, b, c = at({"a": 5, "b": 7, "c": 3}).values()
    assert not isinstance((a * b + c) // b, Size)
    assert not isinstance((a * b + c) % b, Size)
    with regime(b - 1 - c):
        assert terms((a * b + c) // b) == terms(a)
        assert terms((a * b + c) % b) == terms(c)
        assert terms((a * b - c) // b) == terms(a - 1)
        assert not isinstance((a * b + 2 * c) // b, Size)
    assert terms((4 * a + 3) // 4) == terms(a)
    assert not isinstance((4 * a + 5) // (2 * a), Size)


def each_place() -> list[dict[str, int]]:
    """All places nearby."""
    return [dict(zip(LETTERS, place, strict=True)) for place in product(range(1, 10), repeat=3)]


def test_facts_decide() -> None:
    """Alone, together and multiplied; where they say nothing of it, a comparison is refused as before."""
    a, b, c = at({"a": 3, "b": 5, "c": 9}).values()
    with pytest.raises(Undecided):
        assert b >= a
    with regime(b - a, c - b):
        assert b >= a
        assert c >= a
        assert b * c >= a * c
        with pytest.raises(Undecided):
            assert c >= a + b
    with regime(smallest={"a": 3}):
        assert a > 2
        with pytest.raises(Undecided):
            assert a > 3
    with pytest.raises(Undecided):
        assert a > 2


def test_what_a_size_loses_is_a_plain_number() -> None:
    """Rests, halves of what may be odd, roots: right here, and it is not said of other places."""
    (a,) = at({"a": 8}).values()
    for lost in (a // 2, a % 3, a & 3, int(a), a**0.5, a / 3, -(-a // 3) * 3):
        assert not isinstance(lost, Size)
    assert isinstance(2 * a // 2, Size)
    assert hash(a) != hash(8)
    assert {8: "plain"}.get(a) is None


@given(st.integers(1, 7), st.integers(2, 6), st.integers(2, 6), st.integers(1, 3))
def test_a_loop_is_a_sum(here: int, turns: int, elsewhere: int, first: int) -> None:
    """A loop over sizes enters what as many plain turns enter by their number, with a first one of its own kind."""

    def entered(n: Any, a: Any) -> Any:
        ledger = Ledger()
        for i in ledger.loop(n):
            for j in ledger.loop(a):
                ledger.record("matmul", 1, 1 + i, a + j, i * i + n)
            if int(i) == 0 and first == 1:
                ledger.record("add", a)
            ledger.hold(a + i)
        return ledger.entries["", "matmul"].flops, ledger.held[""]

    made = entered(Size.of("b", turns + 2), Size.of("a", here + 2))
    for found, plain in zip(made, entered(elsewhere, here), strict=True):
        assert value(found, {"a": here, "b": elsewhere}) == plain


def test_turns_that_are_not_alike_are_no_sum() -> None:
    """After the first, each does what follows from its number; two of a kind are too few where the first is another."""
    with pytest.raises(Undecided, match="not alike"):
        _entering([5, 5, 7, 5])
    with pytest.raises(Undecided, match="too few"):
        _entering([5, 7])
    assert value(_entering([7, 5, 5]), {"a": 10}) == 7 + 9 * 5
    assert value(_entering([5, 5]), {"a": 10}) == 50


def _entering(turns: list[int]) -> Any:
    """The operations of a loop whose turns enter so many each."""
    ledger = Ledger()
    for turn in ledger.loop(Size.of("a", len(turns))):
        ledger.record("add", turns[int(turn)])
    return ledger.entries["", "add"].flops


def test_ledgers_of_several_devices_go_through_a_loop_together() -> None:
    """Each enters its own sum; together they are as many times one, if all are alike."""
    ledgers, turns = [Ledger(), Ledger(), Ledger()], Size.of("a", 3)
    for _ in loop(ledgers, turns):
        for one in ledgers:
            one.record("send", sent=5)
    assert [value(one.entries["", "send"].sent, {"a": 7}) for one in ledgers] == [35] * 3
    both = Ledger()
    both.enter_together([(one.entries, one.held) for one in ledgers], Size.of("b", 3))
    assert value(both.entries["", "send"].sent, {"a": 7, "b": 11}) == 385
    ledgers[2].entries["", "send"].add(Tally(sent=1))
    with pytest.raises(Undecided, match="not alike"):
        both.enter_together([(one.entries, one.held) for one in ledgers], Size.of("b", 3))


def test_what_is_dealt_out_in_any_way_adds_up_to_the_total() -> None:
    """Each does the same with its share, the last with what is left; what goes with no share comes once for each."""
    total, number = Size.of("a", 8), Size.of("b", 3)
    with regime():
        dealt = shares(total, number, [3, 3, 2])
        assert [int(one) for one in dealt] == [3, 3, 2]
        assert all(one >= 1 for one in dealt)
        assert value(_shared([5 * one + 2 for one in dealt], number), {"a": 11, "b": 4}) == 5 * 11 + 2 * 4
        for wrong in ([5 * one + (one is dealt[-1]) for one in dealt], [one * one for one in dealt], [*dealt[1:], 2]):
            with pytest.raises(Undecided, match="not alike"):
                _shared(wrong, number)
        with pytest.raises(Undecided, match="too few"):
            _shared(shares(total, number, [5, 3]), number)
    with pytest.raises(Undecided):  # the fact was one of that regime
        assert dealt[-1] >= 1
    assert shares(8, 3, [3, 3, 2]) == [3, 3, 2]
    assert [terms(one) for one in shares(number * total, number, [8, 8, 8])] == [terms(total)] * 3


def _shared(each: list[Any], number: Size) -> Any:
    """The bytes that devices send together, if each sends so many."""
    ledgers = [Ledger() for _ in each]
    for ledger, sent in zip(ledgers, each, strict=True):
        ledger.record("send", sent=sent)
    together = Ledger()
    together.enter_together([(one.entries, one.held) for one in ledgers], number)
    return together.entries["", "send"].sent


Rule = Callable[..., Any]


@given(*(st.integers(0, 5) for _ in range(3)), places, places)
def test_what_a_rule_leads_to_is_shown_by_induction(
    across: int, down: int, each: int, here: dict[str, int], there: dict[str, int]
) -> None:
    """The later of two ways, and some more: at another place it is what the rule comes to there, number by number."""

    def rule(known: Rule, x: Any, y: Any) -> Any:
        one, other = known(x - 1, y) + across if x else 0, known(x, y - 1) + down if y else 0
        return most(one, other) + each

    (a, b), (x, y) = ([given[name] for name in "ab"] for given in (at(here), there))
    assert value(led_to(rule, a - 1, b), there) == led_to(rule, x - 1, y)
    assert led_to(rule, x, y) == each + x * (across + each) + y * (down + each)


@pytest.mark.parametrize(
    "rule",
    [
        lambda _, x, y: x * y,
        lambda known, x, y: known(x - 1, y) + x if x else 0,
        lambda known, x, y: known(x - 1, y) + x % 2 if x else 0,
        lambda known, x, y: known(x - 1, y) + x % 3 // 2 if x else 0,
        lambda known, x, y: known(x - 1, y) + (x > 4) if x else 0,
        lambda known, x, y: most(known(x - 1, y) + 1, 3 * y) if x else 0,
        lambda known, x, y: known(x - 1, y) + 1 if x else 2 * y * y,
    ],
    ids=["product", "squares", "odd", "thirds", "from five on", "the larger", "no straight border"],
)
@pytest.mark.parametrize("numbers", [(4, 3), (7, 6)])
def test_a_rule_that_leads_to_no_straight_line_is_refused(rule: Rule, numbers: tuple[int, int]) -> None:
    """The twin: also one that goes by what is left over, which is a plain number."""
    a, b = (Size.of(name, number) for name, number in zip("ab", numbers, strict=True))
    with pytest.raises(Undecided):
        led_to(rule, a, b)


# Rules of axes, against NumPy on drawn shapes

RULES: dict[str, Callable[[Any, Any, Any], Any]] = {
    # of an array (a, b, 2c), one (b, 2c) and the letters
    "sum": lambda x, y, s: x + y,
    "matrix product": lambda x, y, s: x @ y.T,
    "product of stacks": lambda x, y, s: x.transpose(0, 2, 1) @ x,
    "sum over an axis": lambda x, y, s: np.add.reduce(x, axis=-1, keepdims=True, initial=0.0),
    "maximum over the first": lambda x, y, s: np.maximum.reduce(x, axis=0),
    "mean of all but one": lambda x, y, s: x.sum(axis=(0, 1)),
    "reshape": lambda x, y, s: x.reshape(s["a"] * s["b"], -1),
    "reshape to more": lambda x, y, s: x.reshape(s["a"], s["b"], s["c"], 2),
    "ravel": lambda x, y, s: x.ravel(),
    "transpose": lambda x, y, s: x.transpose(2, 0, 1),
    "turned over": lambda x, y, s: x.T,
    "swapped": lambda x, y, s: x.swapaxes(-1, 0),
    "new axes": lambda x, y, s: x[:, None, ..., None],
    "slice": lambda x, y, s: x[..., s["c"] :],
    "slice from the end": lambda x, y, s: x[:, -1:, : -s["c"]],
    "half of it backwards": lambda x, y, s: x[..., ::-1],
    "one": lambda x, y, s: x[:, 0],
    "picked": lambda x, y, s: x[:, zeros(s["c"], int)],
    "picked by two": lambda x, y, s: x[zeros((s["c"], 1), int), zeros(s["b"], int)],
    "picked apart": lambda x, y, s: x[zeros(s["c"], int), :, zeros(s["c"], int)],
    "joined": lambda x, y, s: np.concatenate([x, x[:, :1]], axis=1),
    "stacked": lambda x, y, s: np.stack([x, x], axis=1),
    "split": lambda x, y, s: np.split(x, 2, axis=-1)[1],
    "split where": lambda x, y, s: np.split(x, (s["c"], s["c"] + 1), axis=-1)[2],
    "repeated": lambda x, y, s: np.repeat(x, s["b"], axis=0),
    "repeated all": lambda x, y, s: x.repeat(2),
    "windows": lambda x, y, s: np.lib.stride_tricks.sliding_window_view(x, s["c"], axis=2),
    "where": lambda x, y, s: np.where(x > 0, x, y),
    "spread": lambda x, y, s: np.broadcast_to(y, (s["a"], 3, s["b"], 2 * s["c"])),
    "taken along": lambda x, y, s: np.take_along_axis(x, zeros((s["a"], s["b"], 1), int), axis=-1),
    "place of the largest": lambda x, y, s: x.argmax(axis=1),
    "like it": lambda x, y, s: np.zeros_like(x) + np.ones_like(y),
    "full like it": lambda x, y, s: np.full_like(y, 3),
    "room like it": lambda x, y, s: np.empty_like(x),
    "as floats": lambda x, y, s: x.astype(np.float32).copy(),
    "in place": lambda x, y, s: np.add(x, 1.0, out=x),
    "counted": lambda x, y, s: arange(s["a"], s["a"] + s["b"])[:, None] < arange(s["c"]),
    "every second": lambda x, y, s: arange(0, 2 * s["c"], 2),
    "ones": lambda x, y, s: ones((s["a"], 2)),
    "softmax": lambda x, y, s: ops.stable_softmax(Ledger(), x),
    "rotated": lambda x, y, s: ops.rotate(Ledger(), x, *ops.rotary_tables(arange(s["b"]), arange(s["c"]) + 1.0)),
    "largest places": lambda x, y, s: ops.top_k(Ledger(), x, s["c"]),
}
SHAPES = st.fixed_dictionaries({name: st.integers(3, 7) for name in LETTERS})


def shaped(rule: str, place: Mapping[str, Any]) -> tuple[Any, ...]:
    """The shape that comes out of a rule."""
    shape = (place["a"], place["b"], 2 * place["c"])
    found: tuple[Any, ...] = RULES[rule](zeros(shape), zeros(shape[1:]), place).shape
    return found


@pytest.mark.parametrize("rule", RULES)
@given(here=SHAPES, there=SHAPES)
def test_axes_are_those_of_numpy_at_every_other_place(rule: str, here: dict[str, int], there: dict[str, int]) -> None:
    """The sizes that come out at one place say which shape NumPy makes at another."""
    with regime(smallest={"b": 2, "c": 2}):
        try:
            sizes = shaped(rule, at(here))
        except Undecided:  # two letters have one value here
            assert len({2 * here["c"], here["c"], here["b"], here["a"]}) < 4
            return
    assert tuple(map(int, sizes)) == shaped(rule, here)
    assert tuple(value(one, there) for one in sizes) == shaped(rule, there)


@pytest.mark.parametrize("name", [*arrays._RULES])
def test_a_rule_that_is_wrong_does_not_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy's own shape is looked at in each step: an axis too many, or one exchanged, is no array."""
    right = arrays._RULES[name]

    def wrong(made: Any, *args: Any, **how: Any) -> Any:
        found = right(made, *args, **how)
        if isinstance(found, list):
            return [sized(arrays.plain(found[0]), tuple(reversed(found[0].shape)))]
        return sized(arrays.plain(found), (*found.shape[:-1], found.shape[-1] + 1))

    monkeypatch.setitem(arrays._RULES, name, wrong)
    used = [rule for rule, how in RULES.items() if not _passes(rule)]
    assert used, name


def _passes(rule: str) -> bool:
    try:
        shaped(rule, at({"a": 3, "b": 4, "c": 5}))
    except AssertionError:
        return False
    return True


def test_axes_that_are_alike_here_only_are_refused() -> None:
    """Two letters of one value may not meet, and neither one that is 1 here and wide elsewhere."""
    with pytest.raises(Undecided, match="elsewhere it may not be"):
        zeros(Size.of("a", 4)) + zeros(Size.of("b", 4))
    with pytest.raises(Undecided, match="alike here only"):
        zeros(Size.of("a", 1)) + zeros(4)
    assert (zeros(Size.of("a", 4)) + zeros(1)).shape == (Size.of("a", 4),)
    a, b = Size.of("a", 4), Size.of("b", 4)
    for meeting in (
        lambda: zeros((3, a)) @ zeros((b, 3)),
        lambda: zeros((a, 3)).reshape(b, 3),
        lambda: zeros((a, 3)).reshape(4, 3),
        lambda: np.concatenate([zeros((a, 3)), zeros((b, 3))], axis=1),
        lambda: zeros((a, 3)).__setitem__(slice(None), zeros((b, 3))),
    ):
        with pytest.raises(Undecided, match="elsewhere it may not be"):
            meeting()


def test_a_function_without_a_rule_gives_a_plain_array() -> None:
    """Its sizes are numbers of this place, which says so to whoever looks at another."""
    made = np.tile(zeros(Size.of("a", 4)), 2)
    assert type(made.shape[0]) is int
    assert made.shape == (8,)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_places_of_numbers_add_up_to_all(numbers: list[int]) -> None:
    """Each number once, with its places; where sizes remember, how many there are of each is a letter of its own."""
    plain = {number: tuple(places[0]) for number, places in places_of(np.array(numbers))}
    assert plain == {one: tuple(i for i, other in enumerate(numbers) if other == one) for one in sorted({*numbers})}
    of_sizes = [places[0] for _, places in places_of(sized(np.array(numbers), (Size.of("a", len(numbers)),)))]
    assert [tuple(arrays.plain(one)) for one in of_sizes] == [*plain.values()]
    assert terms(together([one.shape[0] for one in of_sizes], len(of_sizes))) == {("a",): 1}
    letters = {name for one in of_sizes for names in terms(one.shape[0]) for name in names if name.startswith(PLACES)}
    assert len(letters) == len(plain) - 1


@given(st.integers(0, 20), st.integers(1, 20), st.integers(1, 9))
def test_pieces_are_the_whole(first: int, length: int, step: int) -> None:
    """Pieces follow one after the other, none longer than it may be; a size is one piece."""
    found = [*pieces(first, first + length, step)]
    assert [place for one in found for place in range(*one)] == [*range(first, first + length)]
    assert all(last - start <= step for start, last in found)
    assert [*pieces(0, Size.of("a", 7), step)] == [(0, Size.of("a", 7))]


def test_bytes_are_a_size_too() -> None:
    """Of numbers that lie off-chip; what is computed with is no longer packed."""
    width, shape = Size.of("b", 8), (Size.of("a", 3), 5)
    format = of_width(width)
    assert terms(format.blank(shape).nbytes) == terms(format.room(shape)) == {("a", "b"): 5}
    assert terms(format.pack(zeros(shape))[:, 1:].nbytes) == {("a", "b"): 4}
    assert terms(format.blank(shape)[zeros(7, int)].nbytes) == {("b",): 35}
    assert not isinstance(format.unpack(format.blank((3, 5))).astype(float).nbytes, Size)
    assert of_width(4) is F32
    assert of_width(Fraction(4)) is F32


@given(st.data())
def test_what_an_index_takes_has_the_shape_that_numpy_says(data: st.DataObject) -> None:
    """Any index of plain numbers, slices, arrays and new axes on a plain shape."""
    shape = tuple(data.draw(st.lists(st.integers(2, 5), min_size=1, max_size=4)))
    parts = st.sampled_from(
        [0, -1, slice(None), slice(1, None), slice(None, -1), None, np.zeros(3, int), np.zeros((2, 1), int)]
    )
    index = tuple(data.draw(st.lists(parts, max_size=len(shape))))
    used = sum(one is not None for one in index)
    if used <= len(shape):
        assert indexed(shape, index) == np.zeros(shape)[index].shape


@given(formulas(), places, places)
def test_a_polynomial_is_put_in(formula: Callable[[Any], Any], here: dict[str, int], there: dict[str, int]) -> None:
    """In the place of a letter, wherever it stands."""
    by: Terms = {("b",): 2, (): 1}
    its = put_in(terms(formula(at(here))), "a", by)
    moved = {**there, "a": 2 * there["b"] + 1}
    assert sum(f * prod(there[name] for name in names) for names, f in its.items()) == formula(moved)
