"""Pictures and tables of collectives beside the engine's ring: what a page shows is what devices really send"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from reference_engine.ledger import Ledger
from reference_engine.parallel.ring import Ring
from reference_engine.slices import parts
from symbolic_llm.pages import build
from symbolic_llm.pages.figures import four_collectives, ring
from symbolic_llm.pages.pen import Pen

DEVICES = ring.DEVICES
DOCS = Path(__file__).parent.parent / "docs"
CHAPTER = "book/what-devices-tell-each-other.md"
VECTORS = [10**device * np.arange(1.0, DEVICES + 1) for device in range(DEVICES)]


def number(piece: int, summands: frozenset[int] | tuple[int, ...]) -> int:
    """Sum of a piece of some devices: its digit says which piece it is, and its places whose."""
    return (piece + 1) * sum(10**device for device in summands)


def told(state: four_collectives.Held) -> list[list[int]]:
    """Numbers that a picture says each device has, without empty places."""
    return [[number(piece, summands) for piece, summands in enumerate(vector) if summands] for vector in state]


def test_what_the_ring_shows_is_what_the_engine_sends() -> None:
    """After the first round each device has one sum, after the second all: the sums of the engine, in as many steps."""
    states = ring.states(DEVICES)
    ledgers = [Ledger() for _ in range(DEVICES)]
    sums = Ring(ledgers).all_reduce(VECTORS)
    assert [[number(place, one) for place, one in enumerate(vector)] for vector in states[-1]] == [
        vector.tolist() for vector in sums
    ]
    assert {ledger.total("messages") for ledger in ledgers} == {len(states) - 1}
    half = states[DEVICES - 1]
    assert [sum(len(one) == DEVICES for one in vector) for vector in half] == [1] * DEVICES


def test_each_collective_is_drawn_as_the_engine_does_it() -> None:
    """Gathered pieces, scattered sums and whole sums; the twin is a sum that lacks a device."""
    held, every = four_collectives.held(), [Ledger() for _ in range(DEVICES)]
    own = [vector[place : place + 1] for place, vector in enumerate(VECTORS)]
    scattered = Ring(every).reduce_scatter(VECTORS, parts(DEVICES, DEVICES))
    assert told(held["reduce-scatter"][1]) == [vector.tolist() for vector in scattered]
    assert told(held["all-reduce"][1]) == [vector.tolist() for vector in Ring(every).all_reduce(VECTORS)]
    assert told(held["all-gather"][1]) == [vector.tolist() for vector in Ring(every).all_gather(own)]
    assert told(held["all-gather"][0]) == [vector.tolist() for vector in own]
    before, after = held["all-to-all"]
    assert [list(column) for column in zip(*before, strict=True)] == [list(vector) for vector in after]
    lacking = tuple(tuple(one[:-1] for one in vector) for vector in held["all-reduce"][1])
    assert told(lacking) != [vector.tolist() for vector in Ring(every).all_reduce(VECTORS)]


def test_the_table_of_the_chapter_says_what_comes_in(tmp_path: Path) -> None:
    """With each step, on each device, as the ring has it; the twin is a table of another order of sending."""
    text = (DOCS / CHAPTER).read_text(encoding="utf-8")
    table = text[text.index("{% set held") : text.index("After three steps")]
    states = ring.states(DEVICES)
    came = [
        [number(piece, states[step + 1][here][piece]) for here, piece in enumerate(_coming(step))]
        for step in range(len(states) - 1)
    ]
    for changed, agrees in ((table, True), (table.replace("(d - 1 - s)", "(d - s)"), False)):
        (tmp_path / "page.md").write_text(changed, encoding="utf-8")
        shown = build.Pages(tmp_path, [])._page("page.md", Pen(""))
        rows = [[int(cell) for cell in row.split("|")[2:-1]] for row in re.findall(r"^\| \d.*$", shown, re.MULTILINE)]
        assert (rows == came) is agrees


def _coming(step: int) -> list[int]:
    """The piece that each device gets in a step."""
    return [ring.sent(DEVICES, step, (here - 1) % DEVICES) for here in range(DEVICES)]
