"""Every figure of the shipped data stands in `data/pinned.txt` as well; a changed digit of any is noticed"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pinned import changed, figures, numbers, pinned, shipped

DATA, PINNED = shipped(), pinned()


def test_every_figure_is_the_one_that_was_reviewed() -> None:
    """Every shipped figure is the reviewed one of the list.

    If one was meant to change, `python tests/pinned.py` writes the list anew.
    """
    found = figures(DATA)
    assert not {place: (PINNED.get(place), found.get(place)) for place in changed(found, PINNED)}


def figures_of(name: str) -> dict[str, str]:
    """The figures of one file, by their places."""
    return dict(numbers(DATA[name], name))


def leaves(inside: Any) -> Iterator[tuple[Any, Any]]:
    """Every object or list with the key of something that is neither."""
    for key, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
        if isinstance(value, dict | list):
            yield from leaves(value)
        else:
            yield inside, key


def other_digit(text: str, at: int) -> str:
    """The text with the digit at a place one higher, 0 for 9."""
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


def unnoticed(name: str) -> list[str]:
    """The figures of a file of which another last digit, before or behind the point, makes no other list."""
    kept = {place: value for place, value in PINNED.items() if place.startswith(f"{name} ")}
    missed = []
    for inside, key in leaves(DATA[name]):
        value = inside[key]
        if isinstance(value, bool) or value is None:
            continue
        for at in (found.start() for found in re.finditer(r"\d(?!\d)", str(value))):
            other = other_digit(str(value), at)
            inside[key] = other
            if figures_of(name) == kept:
                missed.append(f"{name}: {value} for {other}")
        inside[key] = value
    return missed


@pytest.mark.parametrize("name", [name for name in DATA if figures_of(name)])
def test_a_changed_digit_is_noticed(name: str) -> None:
    """The twin: every figure of every file."""
    assert not unnoticed(name)


def test_a_changed_unit_is_noticed() -> None:
    """And a prefix, and a figure too few or too many."""
    row = DATA["presets/hardware.toml"]["h200-sxm"]["from"]["techpowerup"]
    place = "presets/hardware.toml h200-sxm from techpowerup bandwidth"
    for wrong in ({"bandwidth": "4890 GiB/s"}, {"bandwidth": "4890 MB/s"}, {}):
        found = {key: value for key, value in PINNED.items() if key != place}
        assert changed(found | dict(numbers(wrong, place.removesuffix(" bandwidth"))), PINNED) == {place}
    assert row == {"bandwidth": "4890 GB/s"}
