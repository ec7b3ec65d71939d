"""Pages of a chapter with one example and with another: both there, each true of its own, neither lost"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browsing import Tab
from page_parts import Page, page
from test_site_in_browser import build_calculators

from symbolic_llm.pages import build, figures
from symbolic_llm.pages.examples import EXAMPLE, EXAMPLES, READY, SECOND, Example, choices
from symbolic_llm.pages.pen import MarkdownPen
from symbolic_llm.quantity import evaluated, of_preset

pytestmark = pytest.mark.xdist_group("site")

# what a page of the second example says of the first on purpose, by a pattern in each such line; of every page first
COMPARED = {
    "": ("Numbers for: ",),
    "batching": ("Where is the crossover of an",),
    "attention": ("has 40 MB",),
    "counting-weights": ("^Llama-2-7B$", "Earlier models paid", "here Llama-2-7B", "is as wide and"),
    "remembering": ("^Llama-2-7B, bytes$", "as wide and deep", 'in \\("llama-2-7b"', "^llama-2-7b 524288$"),
    "prompt-and-answer": ("it is one line; step by step", "^>>> asked = dict"),
    "two-speeds": ("weights of half a byte", "times the arithmetic of an"),
    "critical-context": (
        "Where every head keeps its own",
        "but not on an",
        "Is it longer or shorter on",
        "whole step of",
    ),
}
NAMES = (EXAMPLE.title, EXAMPLE.device, EXAMPLE.model, EXAMPLE.hardware)
CASE = re.compile(r'<details class="case".*?</details>', re.DOTALL)
ANCHOR = re.compile(r'<(?:h\d|figure|details|span|p|div)\b[^>]*\bid="([^"]*)"')


def of_the_first(text: str) -> list[str]:
    """Lines that name the model or the device of the first example."""
    return [line for line in text.splitlines() if any(name in line for name in NAMES)]


@pytest.mark.parametrize("chapter", READY)
def test_a_chapter_has_a_page_for_each_example(site: Path, chapter: str) -> None:
    """Each links to the other at its top and beside each section; what one can be asked for, the other can too."""
    pages = choices(f"book/{chapter}")
    texts = [(site / f"{path}.html").read_text(encoding="utf-8") for path in pages.values()]
    anchors = [set(ANCHOR.findall(text.partition("<article")[2].partition("</article>")[0])) for text in texts]
    assert anchors[0] == anchors[1]
    assert len(anchors[0]) > 4
    for own, other, text in zip(pages.values(), reversed(pages.values()), texts, strict=True):
        assert f'<a href="../{other}.html">' in text, own
        sections = re.findall(r'<h2 id="([^"]*)"', text)
        assert sections == re.findall(rf'<a class="headerlink" href="../{other}\.html#([^"]*)"', text), own
        assert (f'<link rel="canonical" href="../{pages[EXAMPLE]}.html">' in text) == (own != pages[EXAMPLE])


@pytest.mark.parametrize("chapter", READY)
def test_a_page_is_of_its_own_example(site: Path, chapter: str) -> None:
    """Whatever the second page says of the first example is stated above, in its text and in how numbers come about.

    Its case is of a deployment of its own, for each example the same.
    """
    path = site / f"{SECOND.folder}/{chapter}.html"
    text = Page(CASE.sub("", path.read_text(encoding="utf-8"))).text
    lines, stated = of_the_first(text), (*COMPARED[""], *COMPARED.get(chapter, ()))
    assert [line for line in lines if not any(re.search(part, line.strip()) for part in stated)] == []
    assert [part for part in stated if not any(re.search(part, line.strip()) for line in lines)] == []
    html = path.read_text(encoding="utf-8")
    assert f"<strong>{SECOND.words}</strong>" in html
    assert SECOND.device in page(path).text.partition("Numbers for: ")[2]


def test_a_typed_name_is_noticed(tmp_path: Path) -> None:
    """The twin: a page that types what it should ask of its example says it of the other as well."""
    for text, found in (("An A100 does it.", 1), ("An {{ example.device }} does it.", 0)):
        (tmp_path / "page.md").write_text(f"# Title\n\n{text}\n", encoding="utf-8")
        shown = build.Pages(tmp_path, [])._page("page.md", MarkdownPen, SECOND)
        assert len(of_the_first(shown)) == found


def test_links_stay_with_an_example() -> None:
    """Links lead to the chapter of the same example where there is one; those of a first page stay as they are."""
    assert SECOND.led("[b](batching.md#so) [f](../formulas/latency.md)") == (
        f"[b](../{SECOND.folder}/batching.md#so) [f](../formulas/latency.md)"
    )
    assert SECOND.led("[d](does-it-hold.md)") == "[d](../book/does-it-hold.md)"
    assert SECOND.led('<a href="../book/batching.html">') == f'<a href="../{SECOND.folder}/batching.html">'
    assert EXAMPLE.led("[b](batching.md)") == "[b](batching.md)"
    assert choices("book/does-it-hold.md") == choices("audit/batching.md") == choices("batching.md") == {}
    assert choices("book/batching.md") == choices(f"{SECOND.folder}/batching")


def test_menus_stay_with_an_example(site: Path) -> None:
    """Of a second page: the list of chapters and its neighbours lead to second pages, where there are such."""
    text = (site / SECOND.folder / "batching.html").read_text(encoding="utf-8")
    menus = text.partition("<article")[0] + text.partition("</article>")[2]
    led = re.findall(r'<a href="\.\./(book[\w-]*)/([\w-]+)\.html', menus)
    assert {chapter for folder, chapter in led if folder == SECOND.folder} == {*READY}
    assert {chapter for folder, chapter in led if folder == EXAMPLE.folder}.isdisjoint(READY)
    assert f'<a href="../{SECOND.folder}/critical-context.html" class="md-footer__link' in menus


def test_a_calculator_begins_with_the_example(tab: Tab, address: str) -> None:
    """With its model, or its large one, and with its device and format where the calculator has none of its own."""
    large = SECOND.large
    for chapter, begins in (
        ("two-speeds", [SECOND.model, SECOND.hardware, SECOND.dtype]),
        ("four-bits", [SECOND.model, "m2"]),
        ("more-than-one-device", [large.model, large.hardware]),
    ):
        tab.page.goto(f"{address}/{SECOND.folder}/{chapter}.html")
        build_calculators(tab.page)
        chosen = tab.page.evaluate("[...document.querySelectorAll('.calculator select')].map((one) => one.value)")
        assert chosen[: len(begins)] == begins
        assert "no peak" not in tab.page.inner_text(".calculator")


def test_the_book_counts_and_finds_the_first_pages(site: Path) -> None:
    """Neither the search nor the table of contents has those of the second example."""
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    places = [entry["location"] for entry in found["docs"]]
    assert any(place.startswith("book/batching") for place in places)
    assert not [place for place in places if place.startswith(SECOND.folder)]
    assert SECOND.folder not in (site / "contents.html").read_text(encoding="utf-8")
    listed = (site / "llms.txt").read_text(encoding="utf-8")
    assert listed.count(f", {SECOND.words}](") == len(READY)
    titles = [(site / folder / "batching.html").read_text(encoding="utf-8") for folder in ("book", SECOND.folder)]
    assert [f"Batching: {SECOND.words} - " in text.partition("</title>")[0] for text in titles] == [False, True]


def test_examples_differ_in_what_decides() -> None:
    """The second shares keys and values between heads, and its critical context lies further out."""
    critical = [evaluated("critical_context", **example) for example in EXAMPLES]
    assert 2 * critical[0] < critical[1]
    for example in EXAMPLES:
        full = {"N": example.even, "B": evaluated("sequences_that_fit", N=example.even, **example)}
        computing, reading = (
            float(evaluated(name, **full, **example))
            for name in ("compute_time_with_attention", "memory_time_with_cache")
        )
        assert computing == pytest.approx(reading, rel=0.01)


def test_a_figure_of_an_example_is_drawn_for_each() -> None:
    """With other numbers, a caption that names it and what it computes by; the twin is one that has no example."""
    one, other = (figures.figure("step_times", example) for example in EXAMPLES)
    assert one.rows != other.rows
    assert SECOND.title in other.caption
    assert of_the_first(other.caption + other.alt + other.source) == []
    assert figures.figure("laws_and_steps", SECOND).svg == figures.figure("laws_and_steps").svg


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.model)
def test_the_large_model_needs_several_devices(example: Example) -> None:
    """Its weights fit no single device of the kind, and one kind differs from the other in its link."""
    wired, slotted = example.large, example.large.slotted
    assert example.hardware in (wired.hardware, slotted.hardware)
    assert (wired.model, wired.dtype) == (slotted.model, slotted.dtype)
    for kind in (wired, slotted):
        assert kind.device == example.device
        assert evaluated("weight_bytes", **kind) > of_preset("M", **kind)
    assert of_preset("W_link", **wired) > 5 * of_preset("W_link", **slotted)
    assert evaluated("weight_bytes", **example) < of_preset("M", **example)
