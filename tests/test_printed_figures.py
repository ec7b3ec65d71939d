"""Figures as they are printed: what they allow, in which unit, and what stands beside them"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from figures import figure

from symbolic_llm import audit
from symbolic_llm.audit import Claims, Source, Verdict
from symbolic_llm.audit.printed import read_printed
from symbolic_llm.errors import InvalidValue, SymbolicLLMError
from symbolic_llm.quantity import Quantity
from symbolic_llm.units import BYTE, ONE, SECOND, TOKEN, parse_unit


@pytest.mark.parametrize(
    ("printed", "value", "allowed"),
    [
        ("161", Fraction("161.24"), True),
        ("161", Fraction("161.6"), False),
        ("160", Fraction("161.24"), False),
        ("about 160", Fraction("161.24"), True),
        ("~200", Fraction("178.3"), True),
        ("~200", Fraction("149"), False),
        ("nearly 4", Fraction("3.4"), False),
        ("nearly 4", Fraction("3.6"), True),
        ("nearly 4", Fraction("4.1"), False),
        ("over 4", Fraction("4.1"), True),
        ("less than 161", Fraction("161.24"), False),
        ("at least 161", Fraction("161.24"), True),
        ("30 to 40", Fraction(35), True),
        ("30 to 40", Fraction(41), False),
        ("1.50", Fraction("1.504"), True),
        ("1.50", Fraction("1.506"), False),
        ("1e3", Fraction(1000), True),
        ("524,288", Fraction(524288), True),
        ("76 %", Fraction("0.7626"), True),
        ("76%", Fraction("0.7651"), False),
        ("76 %", Fraction(76), False),
        ("less than 2 %", Fraction("0.0103"), True),
        ("20 to 60 %", Fraction("0.604"), True),
        ("20 to 60 %", Fraction("0.606"), False),
    ],
)
def test_a_printed_figure_stands_for_an_interval(printed: str, value: Fraction, allowed: bool) -> None:
    """A printed figure stands for an interval as wide as its digits and its word say."""
    assert read_printed(printed).allows(Quantity(value)) is allowed


def test_a_range_does_not_end_below_its_beginning() -> None:
    """A range that ends below its beginning is refused: no value is in it. A range of a single value is allowed."""
    with pytest.raises(InvalidValue, match=r"^'16 to 12 GB' is not a range: its end is below its start\.$"):
        read_printed("16 to 12 GB")
    assert read_printed("16 to 16 GB").allows(Quantity(Fraction(16 * 10**9), BYTE))


def test_cut_off_and_rounded_are_told_apart() -> None:
    """46.67 printed as 46 was cut off, as 47 rounded, and 45 is neither."""
    value = Quantity(Fraction("46.67"))
    assert [
        (read_printed(text).allows(value), read_printed(text).is_cut_off(value)) for text in ("46", "47", "45")
    ] == [
        (False, True),
        (True, False),
        (False, False),
    ]


def test_about_with_decimals_can_be_cut_off() -> None:
    """3.846 printed as about 3.84 has these digits; about 30 says nothing of the second one."""
    assert read_printed("about 3.84").is_cut_off(Quantity(Fraction("3.846")))
    assert not read_printed("about 3.84").is_cut_off(Quantity(Fraction("3.851")))
    assert not read_printed("about 30").is_cut_off(Quantity(Fraction(36)))


def test_gb_and_gib_are_told_apart() -> None:
    """A GiB is no GB, and bytes are no tokens."""
    value = Quantity(Fraction(2**30), BYTE)
    assert read_printed("1.07 GB").allows(value)
    assert read_printed("1 GiB").allows(value)
    assert not read_printed("1.00 GB").allows(value)
    with pytest.raises(SymbolicLLMError):
        read_printed("1 token").allows(value)
    with pytest.raises(SymbolicLLMError, match="has no unit"):
        read_printed("1").allows(value)


def test_gb_that_are_gib_are_an_unstated_input() -> None:
    """A figure that comes out only with GB read as GiB says so, in the unit that it comes out in."""
    found = audit.check(figure("4017.27 MB", '"4017.27 MiB"'))
    assert (found.verdict, found.sentence) == (Verdict.UNSTATED, "4,017.27 MiB, with MB read as MiB")
    assert audit.check(figure("160 kB/token", '"160 KiB/token"')).unstated == "kB/token read as KiB/token"
    both = audit.check(figure("10.0 GB", '"10 GiB"', unstated="one sequence"))
    assert both.unstated == "one sequence, and GB read as GiB"
    with pytest.raises(InvalidValue, match=r"value gives 10 GiB, so GB must mean that here"):
        audit.check(figure("10.0 GB", '"10 GiB"', cause="binary-units", because='"10 GB"'))
    assert audit.check(figure("10.0 GB", '"10 GiB"', cause="slip", because='"10 GB"')).verdict is Verdict.REFUTED


@pytest.mark.parametrize("printed", ["10.0 GiB", "10.2 GB", "at most 10 GB", "11.0 GB", "9.9 GB"])
def test_no_other_figure_is_read_in_another_unit(printed: str) -> None:
    """GiB are never GB; a bound, and a figure that comes out in neither unit are what they are."""
    value = '"10 GB"' if "GiB" in printed else '"10 GiB"'
    assert audit.check(figure(printed, value)).verdict is Verdict.NOT_REPRODUCIBLE


def test_gb_are_not_gib_where_the_source_says_otherwise() -> None:
    """The twin: beside a figure that comes out with 10^9 bytes alone, GB means these; and then there is a mistake."""
    binary, decimal = figure("10.0 GB", '"10 GiB"'), replace(figure("14.0 GB", '14 * "1 GB"'), id="two")
    for other, verdict in (
        (decimal, Verdict.NOT_REPRODUCIBLE),
        (replace(decimal, printed="13 to 14 GB"), Verdict.UNSTATED),  # comes out in both units
        (replace(decimal, printed="15.0 GB"), Verdict.UNSTATED),  # in neither
        (replace(decimal, value="nonsense"), Verdict.UNSTATED),
        (replace(decimal, printed="14.0"), Verdict.UNSTATED),
    ):
        assert audit.check(binary, Claims(Source("here", "Here"), (binary, other))).verdict is verdict
    mixed = Claims(Source("here", "Here"), (replace(binary, cause="binary-units", because='"10 GB"'), decimal))
    assert [one.verdict for one in audit.check_all(mixed)] == [Verdict.REFUTED, Verdict.REPRODUCED]


def test_a_count_needs_no_unit_but_a_time_does() -> None:
    """161 sequences may be printed as 161, 5 ms not as 5."""
    assert read_printed("161").allows(Quantity(Fraction(161), TOKEN))
    assert read_printed("62").allows(Quantity(Fraction(62), ONE))
    with pytest.raises(SymbolicLLMError):
        read_printed("5").allows(Quantity(Fraction(5), SECOND))
    assert parse_unit("ms").dimension == SECOND


def test_a_value_is_shown_beside_the_figure() -> None:
    """In its unit, to as many digits."""
    bytes_ = Quantity(Fraction(32_600_000_000), BYTE)
    assert read_printed("16.25 GB").beside(bytes_) == "32.60 GB"
    assert read_printed("524288 bytes").beside(Quantity(Fraction(524288), BYTE)) == "524,288 bytes"
    assert read_printed("about 46 ms").beside(Quantity(Fraction("0.0466666"), SECOND)) == "46.7 ms"
    assert read_printed("91%").beside(Quantity(Fraction("0.9141"))) == "91.4 %"
    assert read_printed("161").beside(Quantity(Fraction("161.24"), TOKEN)) == "161 tokens"
