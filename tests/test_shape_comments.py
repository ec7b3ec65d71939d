"""Comments such as `# (B, n, d_model)` in the engine's forward pass are the shapes of the arrays that a line makes

Tiny decoders of all kinds run while each statement is watched. A letter is a whole number of that name in the function,
or a field of a configuration that the function knows, or the batch or the new tokens of the pass. Any other letter has
one value in all comments of a function.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from shapes_said import Letters, fits
from tiny_passes import passes
from watching import FILES, Seen, Watch, statements

Calls = list[list[Seen]]


@pytest.fixture(scope="module")
def calls() -> Calls:
    """Arrays that the functions of a forward pass make, in all passes of the tiny decoders."""
    watch = Watch()
    for letters, do in passes():
        watch.run(letters, do)
    return list(watch.calls.values())


COMMENTS = {
    f"{module}:{node.lineno}": comment
    for path, module in FILES.items()
    for node, comment in statements(path).values()
    if comment
}


def wrong(call: list[Seen], instead: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Places in a function where a comment, or the one that stands there instead, is none of what was made."""
    found, free = [], Letters()
    for place, comment, shapes, known in call:
        if comment:
            letters = {**free, **known}
            found += [] if fits(instead.get(place, comment), shapes, letters) else [place]
            free |= {name: size for name, size in letters.items() if name not in known}
    return found


def test_shapes_are_as_comments_say(calls: Calls) -> None:
    """Every comment is met, wherever its line runs; few lines that make arrays have none: they hand one on."""
    assert not sorted({place for call in calls for place in wrong(call)})
    assert {place for call in calls for place, comment, *_ in call if comment} == COMMENTS.keys()
    assert len(COMMENTS) > 400
    assert len({place for call in calls for place, comment, *_ in call if not comment}) < len(COMMENTS) / 10


def test_wrong_shapes_are_noticed(calls: Calls) -> None:
    """The twin: two axes of a comment change places, or one is longer.

    Not noticed are the few whose letters stand for any number: they have no value, and stand nowhere else.
    """
    unnoticed = set(COMMENTS)
    for call in calls:
        here = {place for place, comment, *_ in call if comment}
        unnoticed -= {place for place in here & unnoticed if wrong(call, {place: changed(COMMENTS[place])})}
    assert len(unnoticed) < len(COMMENTS) / 15, sorted(unnoticed)
    assert not {place for place in unnoticed if place.startswith(("model", "index", "altup", "recurrent/"))}


def changed(comment: str) -> str:
    """A comment with another axis at the end of each shape: the nearest that is not the same, or a longer one."""

    def other(shape: re.Match[str]) -> str:
        *before, last = [axis for axis in shape[1].split(", ") if axis]
        for at, axis in reversed(list(enumerate(before))):
            if axis not in (last, "..."):
                return f"({', '.join([*before[:at], last, *before[at + 1 :], axis])})"
        return f"({', '.join([*before, f'{last} + 1'])},)"

    return re.sub(r"\(([^()]*?),?\)", other, comment)
