"""Units: exact scales, reading and writing"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic_llm.errors import InvalidValue, SymbolicLLMError, WrongUnit
from symbolic_llm.units import (
    BASES,
    BYTE,
    FLOP,
    ONE,
    SECOND,
    SEQUENCE,
    TOKEN,
    Unit,
    humanize,
    parse_quantity,
    parse_unit,
)

UNITS = st.dictionaries(st.sampled_from(BASES), st.integers(-3, 3).filter(bool)).map(
    lambda powers: Unit(tuple((base, powers[base]) for base in BASES if base in powers))
)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("312 TFLOP/s", 312 * 10**12, FLOP / SECOND),
        ("312 TFLOPS", 312 * 10**12, FLOP / SECOND),
        ("1248 TOPS", 1248 * 10**12, FLOP / SECOND),
        ("1.935 TB/s", 1935 * 10**9, BYTE / SECOND),
        ("16 GiB", 16 * 2**30, BYTE),
        ("24GB", 24 * 10**9, BYTE),
        ("5 ms", Fraction(5, 1000), SECOND),
        ("0.5625 byte", Fraction(9, 16), BYTE),
        ("30 tok/s", 30, TOKEN / SECOND),
        ("524288 byte/token", 524288, BYTE / TOKEN),
        ("1_000 tokens", 1000, TOKEN),
        ("1e3 B", 1000, BYTE),
        (".5 s", Fraction(1, 2), SECOND),
    ],
)
def test_reading(text: str, value: Fraction, unit: Unit) -> None:
    """Exactly: GB is not GiB, and nothing is rounded."""
    number, found = parse_quantity(text)
    assert found is not None
    assert number * found.scale == value
    assert found.dimension == unit


def test_a_bare_number_has_no_unit() -> None:
    """The letter it is given for has one."""
    assert parse_quantity("42") == (42, None)


@pytest.mark.parametrize("text", ["", "abc", "1,5", "0x10", "1/3", "--1", "1 2", "nan", "inf", "-Infinity", "9" * 100])
def test_what_is_no_number(text: str) -> None:
    """European commas, code, nothing at all."""
    with pytest.raises((InvalidValue, WrongUnit)):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["GF", "parsec", "kms", "Ktoken/x", "mB", "Kis"])
def test_what_is_no_unit(text: str) -> None:
    """No prefix on what has none, no small prefix on bytes."""
    with pytest.raises(WrongUnit, match="is not a unit"):
        parse_unit(text)


@given(st.text(max_size=100))
def test_any_text_is_read_or_refused(text: str) -> None:
    """In bounded time, by the package's own errors."""
    try:
        number, _ = parse_quantity(text)
    except SymbolicLLMError:
        return
    assert abs(number) < 10**200


@given(UNITS, UNITS)
def test_units_form_a_group(one: Unit, other: Unit) -> None:
    """Products, quotients and powers cancel as they should."""
    assert one * other == other * one
    assert one / one == ONE
    assert (one * other) / other == one
    assert one**2 == one * one
    assert one**-1 == ONE / one


@given(UNITS)
def test_a_unit_is_read_as_it_is_written(unit: Unit) -> None:
    """As long as it has no higher powers, which are written as superscripts."""
    if unit.exponents and all(abs(power) == 1 for _, power in unit.exponents) and not str(unit).startswith("1/"):
        assert parse_unit(str(unit)).dimension == unit


def test_counting_words_may_be_left_out_but_not_replaced() -> None:
    """`N="4096 tokens"` for tokens per sequence, but not `B="3 tokens"` for sequences."""
    assert (TOKEN / SEQUENCE).accepts(TOKEN)
    assert (TOKEN / SEQUENCE).accepts(ONE)
    assert not SEQUENCE.accepts(TOKEN)
    assert not (BYTE / SECOND).accepts(BYTE)
    assert not TOKEN.accepts(BYTE)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (312 * 10**12, FLOP / SECOND, "312 TFLOP/s"),
        (Fraction(7, 300), SECOND, "23.33 ms"),
        (3, SECOND, "3 s"),
        (Fraction(1, 10**6), SECOND, "1 µs"),
        (161.2403, SEQUENCE, "161.2 sequences"),
        (1, SEQUENCE, "1 sequence"),
        (655360, BYTE / TOKEN, "655.4 kB/token"),
        (6_573_522_944, ONE, "6,573,522,944"),
        (Fraction(1, 4), ONE, "0.25"),
        (Fraction(1, 3 * 10**6), ONE, "3.333e-07"),
        (10**18, ONE, "1e+18"),
        (59.538, TOKEN / SECOND, "59.54 token/s"),
    ],
)
def test_writing(value: Fraction, unit: Unit, text: str) -> None:
    """As a person would."""
    assert humanize(value, unit) == text
