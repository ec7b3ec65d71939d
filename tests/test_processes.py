"""Pictures of processes: what they say is what formulas say, and nothing moves where nothing may"""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest

from symbolic_llm.catalogue import catalogue
from symbolic_llm.pages import dependency_graph, figures, sketch
from symbolic_llm.pages.dependency_graph import in_order
from symbolic_llm.pages.embeds import Embeds, Known
from symbolic_llm.pages.examples import EXAMPLE, EXAMPLES, Example
from symbolic_llm.pages.figures import (
    chunk_beside_readers,
    prompt_then_tokens,
    ring,
    tile_walk,
    token_and_cache,
    what_rests_on_what,
)
from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.pages.sketch import During, Sketch
from symbolic_llm.quantity import evaluated, of_preset

MODULES = [importlib.import_module(f"{figures.__name__}.{name}") for name in figures.names()]
SKETCHED = [module for module in MODULES if hasattr(module, "CANVAS")]
RUNNING = "document.getAnimations().length"


def shapes(svg: str) -> list[str]:
    """Tags of what is drawn."""
    return re.findall(r"<(?:rect|path|text)\b[^>]*>", svg)


def test_bytes_of_the_walk_are_those_of_the_formula() -> None:
    """Added up tile by tile; the twin is a walk that stores nothing."""
    asked: Any = {"model": "llama-2-7b", "dtype": "fp16", "N": tile_walk.TOKENS}
    whole = float(evaluated("tiled_attention_bytes", b_q=tile_walk.TILE, **asked)) / 1e6
    rows = tile_walk.data().rows
    assert rows[-1][-1] == pytest.approx(whole)
    assert sum(queries + passing for _, queries, passing, _, _ in rows) != pytest.approx(whole)


def test_bytes_of_a_token_are_those_of_the_formulas() -> None:
    """Matrices and cache of a block, and the new row; the twin counts a token less."""
    model: Any = {"model": "llama-2-7b"}
    size, blocks = float(of_preset("n_bytes", dtype="fp16")), float(of_preset("n_blocks", **model))
    _, (_, _, written), *_ = rows = token_and_cache.data(EXAMPLE).rows
    read = {name: size for name, size, _ in rows}
    matrices = float(evaluated("grouped_attention_parameters", **model)) * size / 1e6
    assert read["matrices Q, K, V"] + read["matrix O"] == pytest.approx(matrices)

    def cache(tokens: int) -> float:
        return float(evaluated("kv_bytes_total", B=1, N=tokens, cache="fp16", **model)) / blocks / 1e6

    assert read["keys"] + read["values"] == pytest.approx(cache(token_and_cache.context(EXAMPLE)))
    assert read["keys"] + read["values"] != pytest.approx(cache(token_and_cache.context(EXAMPLE) - 1))
    assert written == pytest.approx(cache(1) * 1e3)


def test_a_lane_is_full_exactly_where_it_is_waited_for() -> None:
    """The longer of two times is the pass's; the twin is their sum."""
    for what, lasts, work, reading in prompt_then_tokens.data(EXAMPLE).rows:
        assert max(work, reading) == pytest.approx(lasts)
        assert work + reading != pytest.approx(lasts)
        assert (work > reading) == (what == "prompt")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.model)
def test_readers_of_the_time_line_wait_for_a_chunk_at_most(example: Example) -> None:
    """Whichever of the prompt it is; the twin is the prompt in one piece."""
    readers, context, prompt = chunk_beside_readers.scene(example)
    step: Any = {"B": readers, "N": context, "N_prompt": prompt, **example}
    (whole, *_), chunks = chunk_beside_readers.data(example).more["lanes"]
    each = prompt // chunk_beside_readers.PIECES
    longest = float(evaluated("mixed_step_time", n_chunk=each, **step)) * 1000
    assert len(chunks) > chunk_beside_readers.PIECES
    assert max(ends - begins for begins, ends in chunks) == pytest.approx(longest)
    assert whole[1] == pytest.approx(float(evaluated("mixed_step_time", n_chunk=prompt, **step)) * 1000)
    assert whole[1] > 5 * longest


@pytest.mark.parametrize("devices", [2, 3, 4, 7])
def test_a_ring_adds_everything_up_everywhere(devices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After as many steps as the formula has; the twin hands on other pieces than have come in."""
    everything = frozenset(range(devices))
    found = ring.states(devices)
    assert len(found) - 1 == 2 * (devices - 1)
    assert all(piece == everything for vector in found[-1] for piece in vector)
    assert not all(piece == everything for vector in found[-2] for piece in vector)
    assert all(any(piece == everything for piece in vector) for vector in found[devices - 1])
    monkeypatch.setattr(ring, "sent", lambda devices, _step, here: here % devices)
    assert not all(piece == everything for vector in ring.states(devices)[-1] for piece in vector)


def test_messages_of_the_ring_are_the_bytes_of_the_formula() -> None:
    """Of all blocks, twice in each."""
    sent = sum(size for _, size, *_ in ring.data(EXAMPLE).rows) * 1e3
    asked: Any = {"model": "llama-2-70b", "dtype": "fp16", "B": 1, "n_tensor": ring.DEVICES}
    reduces = float(evaluated("all_reduces", model="llama-2-70b"))
    assert sent * reduces == pytest.approx(float(evaluated("all_reduce_bytes", **asked)))


@pytest.mark.parametrize("module", SKETCHED, ids=lambda module: module.__name__.rpartition(".")[2])
def test_nothing_moves_for_who_asked_for_it_or_on_paper(module: ModuleType, browser: Any) -> None:
    """The twins: on a screen it moves, and goes on moving within its frame."""
    found = figures.figure(module.__name__.rpartition(".")[2])
    page = browser.new_page(reduced_motion="no-preference")
    page.set_content(found.svg)
    assert (page.evaluate(RUNNING) > 0) == found.moves
    page.emulate_media(media="print")
    assert page.evaluate(RUNNING) == 0
    page.emulate_media(media="screen", reduced_motion="reduce")
    assert page.evaluate(RUNNING) == 0
    inside = "(([svg, ...rest]) => rest.every(({left, right, top, bottom}) => left >= svg.left - 1 && right <= "
    inside += "svg.right + 1 && top >= svg.top - 1 && bottom <= svg.bottom + 1))([...document.querySelectorAll("
    inside += "'svg, svg :is(rect, path, text)')].map((part) => part.getBoundingClientRect()))"
    assert page.evaluate(inside)
    page.close()


GRAPHS = ("imports_between_folders", "what_rests_on_what")
OVERLAPPING = """() => {
  const parts = [...document.querySelectorAll("text")].map((part) => part.getBoundingClientRect());
  return parts.filter((one, place) => parts.slice(0, place).some((other) => one.left < other.right &&
    other.left < one.right && one.top < other.bottom - 1 && other.top < one.bottom - 1)).length;
}"""


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("wide", [350, 520])
def test_words_of_a_graph_stand_apart(name: str, wide: int, browser: Any) -> None:
    """On a phone too; the twin is twice as large letters."""
    page = browser.new_page(viewport={"width": wide, "height": 900})
    page.set_content(figures.figure(name).svg)
    assert page.evaluate(OVERLAPPING) == 0
    page.add_style_tag(content="text { font-size: 18px }")
    assert page.evaluate(OVERLAPPING) > 0
    page.close()


@pytest.mark.parametrize("name", GRAPHS)
def test_arrows_of_a_graph_point_down(name: str) -> None:
    """Whoever uses another stands above it; the twin is the order upside down."""
    table = next(module for module in SKETCHED if module.__name__.endswith(name)).data()
    order = in_order(table)
    assert sorted(order) == sorted(table.more["sizes"])
    assert all(order.index(one) < order.index(other) for one, other, _ in table.rows)
    order.reverse()
    assert not all(order.index(one) < order.index(other) for one, other, _ in table.rows)


def test_a_kept_picture_is_of_everything_that_draws_it() -> None:
    """Of its own file, and of what it shares with others; the twin has no graph in it."""
    for module in SKETCHED:
        sources = figures._drawn_with(module)
        assert {inspect.getsource(part) for part in (module, figures, sketch)} <= set(sources), module
        assert (inspect.getsource(dependency_graph) in sources) == module.__name__.endswith(GRAPHS)


def test_a_part_leads_to_its_formulas() -> None:
    """Each of them has a colour of its own; in the page the way goes from where the page is."""
    table = what_rests_on_what.data()
    assert {name: len(colours) for name, colours in table.more["parts"].items()} == table.more["sizes"]
    for root in ("", "../"):
        made = Embeds(Known({}), HtmlPen(root)).figure("what_rests_on_what")
        chapters = [chapter.name for chapter in catalogue().chapters()]
        assert sorted(re.findall(r'href="([^"]*)"', made)) == sorted(f"{root}formulas/index.html#{x}" for x in chapters)
        assert 'role="group"' in made


def test_a_motion_begins_and_ends_with_its_steps() -> None:
    """A shape that stays has no end; one that the still picture lacks is there only while it moves."""
    made = Sketch("one", (100, 50), steps=4, seconds=2)
    for during in (During(0), During(1, 2, still=False), During(2, 4, to=(10, -5)), During(1, 2, still=False)):
        made.boxes([(0, 0)], (1, 1), "red", during=during)
    svg = made.svg()
    assert [re.search('class="([^"]*)"', shape)[1] for shape in shapes(svg)] == ["one-0", "one-1", "one-2", "one-1"]  # type: ignore[index]
    assert ['opacity="0"' in shape for shape in shapes(svg)] == [False, True, False, True]
    assert "@keyframes one-0{0%{opacity:1}}" in svg
    assert "@keyframes one-1{0%{opacity:0}25%{opacity:1}50%{opacity:0}}" in svg
    assert "99.75%{opacity:1;transform:translate(10px,-5px)}}" in svg
    made.boxes([(0, 0)], (1, 1), "red", during=During(1, grown=3))
    growing = "25%{opacity:1;transform:scaleX(0);animation-timing-function:linear}75%{opacity:1;transform:none}"
    assert f"@keyframes one-3{{0%{{opacity:0}}{growing}}}" in made.svg()
    assert svg.count("animation:one-1 8s step-end infinite") == 1


def test_a_motion_may_have_a_pace_of_its_own() -> None:
    """In steps whose length a page decides; what is uncovered comes to light a piece a step, and a flow goes on."""
    made = Sketch("one", (100, 50), steps=4, seconds="var(--step)")
    made.flow((0, 0), (0, 9), colour="red", width=2, seconds=0.5)
    assert shapes(made.svg())[0].startswith('<path class="one-flow"')
    assert "animation:one-flow 0.5s linear infinite" in made.style()
    made.boxes([(0, 0)], (1, 1), "red", during=During(0, every=1, grown=1))
    made.boxes([(0, 0)], (1, 1), "red", during=During(0, uncovers=4))
    assert "animation:one-0 calc(1*var(--step)) step-end" in made.style()
    assert "100%{opacity:1;transform:none}" in made.style()
    assert "animation:one-1 calc(4*var(--step)) step-end infinite;transform-box:fill-box;transform-origin:right" in (
        made.style()
    )
    assert "timing-function:steps(4)}100%{opacity:1;transform:scaleX(0)}" in made.style()


def test_a_sketch_that_stands_still_has_no_style() -> None:
    """And keeps words as they are, whatever is in them."""
    made = Sketch("one", (100, 50))
    made.words((1.5, 2), "a < b & c")
    made.line((0, 0), (3, 4), colour="red", arrow=True)
    svg = made.svg()
    assert "<style" not in svg
    assert 'x="1.5" y="2"' in svg
    assert ">a &lt; b &amp; c</text>" in svg
    assert svg.count("M") == 2
