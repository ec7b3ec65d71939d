"""Units: exact scales, reading and writing"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic_llm import evaluate
from symbolic_llm.errors import InvalidValue, SymbolicLLMError, WrongUnit
from symbolic_llm.units import (
    BASES,
    BYTE,
    DOLLAR,
    FLOP,
    JOULE,
    ONE,
    SECOND,
    SEQUENCE,
    TOKEN,
    WEIGHT,
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
        ("9/16 byte", Fraction(9, 16), BYTE),
        ("6,738,415,616 weights", 6738415616, WEIGHT),
        ("1,935.5 GB/s", 19355 * 10**8, BYTE / SECOND),
        ("524.288 kFLOP·sequence/token²", 524288, FLOP * SEQUENCE / TOKEN**2),
        ("2 FLOP/(weight·token)", 2, FLOP / (WEIGHT * TOKEN)),
        ("2 token^2", 2, TOKEN**2),
        ("2.5 $/h", Fraction(5, 2 * 3600), DOLLAR / SECOND),
        ("0.55 $/Mtoken", Fraction(55, 10**8), DOLLAR / TOKEN),
        ("86.4 Gtoken/day", 10**6, TOKEN / SECOND),
        ("1.2 kW", 1200, JOULE / SECOND),
        ("3 kWh", 3 * 3_600_000, JOULE),
        ("3 μs", Fraction(3, 10**6), SECOND),  # the Greek letter
        ("3 µs", Fraction(3, 10**6), SECOND),  # the micro sign
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
    assert parse_quantity("9/16") == (Fraction(9, 16), None)
    assert parse_quantity("6,738,415,616") == (6738415616, None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "abc", "1,5", "0x10", "--1", "1 2", "nan", "inf", "-Infinity", "9" * 100),
        *("1e400", "1e-400", "5e", "5e+", "5 000", "5,00", "1,0000", "1,000,00", "1/", "1/0", "1/2/3", "1.5/2"),
    ],
)
def test_what_is_no_number(text: str) -> None:
    """European commas, code, nothing at all; and it is the number that is wrong, not a unit."""
    with pytest.raises(InvalidValue):
        parse_quantity(text)


@pytest.mark.parametrize(
    "text",
    ["GF", "parsec", "kms", "Ktoken/x", "mB", "Kis", "token)/(sequence", "token/", "/", "GB/(s", "GB)/s", "token²³"],
)
def test_what_is_no_unit(text: str) -> None:
    """No prefix on what has none, no small prefix on bytes."""
    with pytest.raises(WrongUnit, match="is not a known unit"):
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
    """Powers, parentheses and all."""
    if unit.exponents:
        assert parse_unit(str(unit)).dimension == unit


def test_a_prefix_alone_is_no_unit() -> None:
    """4K may be 4000 or 4096."""
    with pytest.raises(WrongUnit, match="'K' alone is a prefix"):
        parse_quantity("4K")


@pytest.mark.parametrize(
    ("formula", "letters", "value"),
    [("weight_bytes", {"P": 1, "n_bytes": "16 bits"}, 2), ("ridge_point", {"F": 2, "W": "16 bit/s"}, 1)],
)
def test_bits_are_read_where_bytes_are_meant(formula: str, letters: dict[str, Any], value: int) -> None:
    """Eight to a byte."""
    assert evaluate(formula, **letters) == value


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
        (Fraction(10) ** 400, ONE, "1e+400"),
        (Fraction(1, 10**400), SEQUENCE, "1e-400 sequences"),
        (15 * 10**400, BYTE, "1.5e+383 EB"),
        (59.538, TOKEN / SECOND, "59.54 token/s"),
        (Fraction(1, 1440), DOLLAR / SECOND, "2.500 $/h"),
        (Fraction(55, 10**8), DOLLAR / TOKEN, "0.55 $ per million tokens"),
        (700, JOULE / SECOND, "700 W"),
    ],
)
def test_writing(value: Fraction, unit: Unit, text: str) -> None:
    """Values are written as a person would write them."""
    assert humanize(value, unit) == text
