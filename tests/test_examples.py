"""Pages of a chapter with one example and with another: both there, each true of its own, neither lost"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browsing import ROOT, Tab
from page_parts import Page, page
from visiting import build_calculators

from symbolic_llm.pages import build, figures
from symbolic_llm.pages.examples import EXAMPLE, EXAMPLES, READY, SECOND, Example, choices
from symbolic_llm.pages.figures import chunk_beside_readers, conversations_that_share, drafts_against_batch
from symbolic_llm.pages.pen import Pen
from symbolic_llm.quantity import evaluated, of_preset

pytestmark = pytest.mark.xdist_group("site")

# what a page of the second example says of the first on purpose, by a pattern in each such line; of every page first
COMPARED = {
    "": ("Numbers for: ",),
    "what-it-rests-on": ("^True while the vectors",),
    "windows-and-latents": ("every head", "whose ridge point is"),
    "does-it-hold": ("^A100 80GB SXM, ", "A published table has"),
    "batching": ("Where is the crossover of an",),
    "attention": ("has 40 MB",),
    "counting-weights": ("^Llama-2-7B$", "it has only", "here Llama-2-7B", "is as wide and"),
    "remembering": ("^Llama-2-7B, bytes$", "as wide and deep", 'in \\("llama-2-7b"', "^llama-2-7b 524288$"),
    "prompt-and-answer": ("it is one line; step by step", "^>>> asked = dict"),
    "two-speeds": ("weights of half a byte", "times the arithmetic of an"),
    "critical-context": (
        "Where every head keeps its own",
        "but not on an",
        "Is it longer or shorter on",
        "whole step of",
    ),
    "one-request-among-many": ("How large is the free chunk beside",),
}
# chapters that compute by the first example and are not written for another, each with its reason
ALONE = {
    "published-figures": "It computes anew what others printed, of their model and their device.",
}
NAMES = (EXAMPLE.title, EXAMPLE.device, EXAMPLE.model, EXAMPLE.hardware)
CASE = re.compile(r'<details class="case".*?</details>', re.DOTALL)
ANCHOR = re.compile(r'<(?:h\d|figure|details|span|p|div)\b[^>]*\bid="([^"]*)"')


def of_the_first(text: str) -> list[str]:
    """Lines that name the model or the device of the first example."""
    return [line for line in text.splitlines() if any(name in line for name in NAMES)]


def by_an_example(text: str) -> list[str]:
    """Traces of an example in a template: its names, presets typed in their place, figures and calculators of one."""
    embeds = "\n".join(re.findall(r"{{.*?}}|{%.*?%}", text, re.DOTALL))
    drawn = [name for name in re.findall(r'\bfigure\("(\w+)"', embeds) if figures.of_an_example(name)]
    typed = "|".join(map(re.escape, (EXAMPLE.model, EXAMPLE.hardware)))
    return drawn + re.findall(rf'\b(?:example|other|laptop)\b|"(?:{typed})"|\bcalculator\("\w+"', embeds)


def test_a_chapter_that_computes_by_an_example_is_written_for_each() -> None:
    """And none besides; those that are left are named above."""
    chapters = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "book").glob("*.md")}
    assert {chapter for chapter, text in chapters.items() if by_an_example(text)} == {*READY} | ALONE.keys()
    assert ALONE.keys().isdisjoint(READY)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{{ value("latency", B=1, **example) }}', ["example"]),
        ('{% set machine = {"hardware": "a100-80gb-pcie"} %}', ['"a100-80gb-pcie"']),
        ('{{ figure("bent_caches") }} and {{ calculator("fits") }}', ["bent_caches", 'calculator("fits"']),
        ('An example, {{ value("memory_time", model="mixtral-8x7b") }}, {{ figure("experts_read") }}', []),
    ],
)
def test_what_a_chapter_computes_by_is_noticed(text: str, found: list[str]) -> None:
    """The twin: each way to compute by an example is found, and a word or another model is none."""
    assert by_an_example(text) == found


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

    Its case may be of a deployment of its own, and is then for each example the same.
    """
    path = site / f"{SECOND.folder}/{chapter}.html"
    html, first = (one.read_text(encoding="utf-8") for one in (path, site / f"{EXAMPLE.folder}/{chapter}.html"))
    own_cases, cases = ([Page(case).text for case in CASE.findall(one)] for one in (html, first))
    text = Page(CASE.sub("", html) if own_cases == cases else html).text
    lines, stated = of_the_first(text), (*COMPARED[""], *COMPARED.get(chapter, ()))
    assert [line for line in lines if not any(re.search(part, line.strip()) for part in stated)] == []
    assert [part for part in stated if not any(re.search(part, line.strip()) for line in lines)] == []
    assert f"<strong>{SECOND.words}</strong>" in html
    assert SECOND.device in page(path).text.partition("Numbers for: ")[2]


def test_a_typed_name_is_noticed(tmp_path: Path) -> None:
    """The twin: a page that types what it should ask of its example says it of the other as well."""
    for text, found in (("An A100 does it.", 1), ("An {{ example.device }} does it.", 0)):
        (tmp_path / "page.md").write_text(f"# Title\n\n{text}\n", encoding="utf-8")
        shown = build.Pages(tmp_path, [])._page("page.md", Pen(""), SECOND)
        assert len(of_the_first(shown)) == found


def test_links_stay_with_an_example() -> None:
    """Links lead to the chapter of the same example where there is one; those of a first page stay as they are."""
    assert SECOND.led("[b](batching.md#so) [f](../formulas/latency.md)") == (
        f"[b](../{SECOND.folder}/batching.md#so) [f](../formulas/latency.md)"
    )
    assert SECOND.led("[p](published-figures.md)") == "[p](../book/published-figures.md)"
    assert SECOND.led('<a href="../book/batching.html">') == f'<a href="../{SECOND.folder}/batching.html">'
    assert EXAMPLE.led("[b](batching.md)") == "[b](batching.md)"
    assert choices("book/published-figures.md") == choices("audit/batching.md") == choices("batching.md") == {}
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


def test_a_calculator_begins_with_the_numbers_of_its_page(tab: Tab, address: str) -> None:
    """With readers and a prompt as the chapter and its figure have them, for each example its own."""
    for example, path in choices("book/one-request-among-many").items():
        tab.page.goto(f"{address}/{path}.html")
        build_calculators(tab.page)
        readers, context, prompt = chunk_beside_readers.scene(example)
        begun = {"B": readers, "N": context, "prompt": prompt, "chunk": prompt // chunk_beside_readers.PIECES}
        shown = {name: int(tab.page.input_value(f".calculator [data-number={name}]")) for name in begun}
        assert shown == begun
        assert "The chunk rides free" in tab.page.inner_text(".calculator .said")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.model)
def test_a_page_says_what_its_figure_shows(site: Path, example: Example) -> None:
    """A page and its figure compute the same number; the twins are those of the other example."""

    def said(of: Example) -> dict[str, str]:
        share, guess = (table.data(of) for table in (conversations_that_share, drafts_against_batch))
        chunks = [*chunk_beside_readers.data(of).more["free"].items()]
        return {
            "what-conversations-share": "and {} would fit.*and {} fit:".format(*share.more["fit"]),
            "guessing-ahead": f"{guess.rows[0][3]:.3g} times as many as plain steps",
            "one-request-among-many": f"{int(chunks[1][1])} are free: a reader takes",
        }

    other = said(next(one for one in EXAMPLES if one != example))
    for chapter, words in said(example).items():
        text = page(site / f"{example.path(f'book/{chapter}')}.html").text
        assert re.search(words, text, re.DOTALL)
        assert not re.search(other[chapter], text, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.model)
def test_guesses_are_of_the_same_vocabulary(example: Example) -> None:
    """And of a model that takes less to read; the twin is the small model of the other example."""
    other = next(one for one in EXAMPLES if one != example)
    words = {name: of_preset("n_vocab", model=name).value for name in (example.model, example.draft, other.draft)}
    assert words[example.model] == words[example.draft] != words[other.draft]
    assert 5 * evaluated("memory_time", **example.small) < evaluated("memory_time", **example)


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


def test_of_each_example_there_is_a_model_whose_heads_share() -> None:
    """Itself or another on its device, alike in heads and blocks to the one whose window it is compared with."""
    assert [one.grouped.title for one in EXAMPLES] == ["Llama-3-8B", SECOND.title]
    for one in EXAMPLES:
        assert (one.grouped.hardware, one.grouped.dtype) == (one.hardware, one.dtype)
        for letter in ("n_blocks", "n_heads", "n_kv_heads", "d_head"):
            windowed = of_preset(letter, model="mistral-7b-v0.1")
            assert of_preset(letter, **one.grouped).value == windowed.value, letter


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
