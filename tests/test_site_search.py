"""The search of the site: the book comes first, by the words that engineers use"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Tab

from symbolic_llm.glossary import term_of

pytestmark = pytest.mark.xdist_group("site")

FIRST = 32  # of ASKED, for which a chapter comes first
# The first eighteen were asked for, the others were written down before the search was changed: a chapter came first
# for two of all
ASKED = (
    *("flash attention", "MoE", "kv cache size formula", "quantization", "prefill", "speculative decoding"),
    *("memory bound", "TTFT", "TPOT", "batch size", "roofline", "arithmetic intensity", "GQA", "tensor parallel"),
    *("cost per token", "chunked prefill", "MFU", "tokens per second"),
    *("continuous batching", "paged attention", "sliding window attention", "expert parallelism", "pipeline bubble"),
    *("all-reduce", "int4 weights", "how much VRAM do I need", "max context length", "disaggregated serving"),
    *("prefix caching", "inter-token latency", "parameter count", "FLOPs per token", "draft model acceptance rate"),
    *("compute bound", "HBM bandwidth", "MLA", "all-gather", "NCCL"),
)
# The theme's own worker, which a page talks to in these numbers: make the index, are asked
ANSWERED = """async ([worker, found, asked]) => {
  const search = new Worker(worker);
  const answer = (type, data) => new Promise((go) => {
    search.onmessage = (message) => go(message.data.data);
    search.postMessage({ type, data });
  });
  await answer(0, { ...found, options: { suggest: false } });
  const pages = [];
  for (const words of asked) {
    const [first] = (await answer(2, words)).items;
    pages.push(first ? first[0].location.split(".html")[0] : "");
  }
  search.terminate();
  return pages;
}"""


@pytest.fixture(scope="module")
def index(site: Path) -> dict[str, Any]:
    """The index of the search."""
    read: dict[str, Any] = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    return read


def first_pages(tab: Tab, site: Path, address: str, index: dict[str, Any]) -> dict[str, str]:
    """The page that comes first for each of the words that are asked."""
    tab.page.goto(f"{address}/index.html")
    (worker,) = site.glob("assets/javascripts/workers/search.*.min.js")
    asked = [f"{address}/{worker.relative_to(site)}", index, [*ASKED]]
    return dict(zip(ASKED, tab.page.evaluate(ANSWERED, asked), strict=True))


def chapters(found: dict[str, str]) -> int:
    """For how many words a chapter comes first."""
    return sum(page.startswith("book/") for page in found.values())


def test_a_chapter_comes_first(tab: Tab, site: Path, address: str, index: dict[str, Any]) -> None:
    """And for a name in the glossary the one that explains it."""
    found = first_pages(tab, site, address, index)
    assert len(found) == 38
    assert chapters(found) >= FIRST, found
    explained = {words: term.see for words in ASKED if (term := term_of(words))}
    assert len(explained) > 20
    assert {words: found[words] for words in explained} == explained


def test_without_the_glossary_few_would(tab: Tab, site: Path, address: str, index: dict[str, Any]) -> None:
    """The twin: chapters that search treats as any page, or finds by their own words alone."""
    own = [{key: value for key, value in entry.items() if not key.startswith("word")} for entry in index["docs"]]
    alike = [{key: value for key, value in entry.items() if key != "boost"} for entry in own]
    few, fewer = (chapters(first_pages(tab, site, address, {**index, "docs": docs})) for docs in (own, alike))
    assert fewer <= few < FIRST / 2


def test_search_reads_words_that_are_read(index: dict[str, Any]) -> None:
    """No note on a decision, and no number of a figure; the twin is the caption, which stands beside it."""
    assert not [entry["location"] for entry in index["docs"] if entry["location"].startswith("decisions/")]
    attention = " ".join(entry["text"] for entry in index["docs"] if entry["location"].startswith("book/attention"))
    assert "Bytes that one head moves for a whole prompt" in attention
    assert not [said for said in ("9.437e+06", "The figure as numbers", "65,536") if said in attention]


QUERY, FOUND = "[data-md-component=search-query]", ".md-search-result__item a"
WORDS = ("critical context", "277", "FlashAttention", "assumptions", "tokens per second", "GQA", "TTFT")


@pytest.fixture(scope="module")
def opened(browser: Any, site: Path) -> Iterator[Any]:
    """The first page from a file, whose index is made once."""
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()


@pytest.fixture
def unasked(opened: Any) -> Any:
    """The first page from a file, without what was found before."""
    opened.evaluate("(found) => document.querySelectorAll(found).forEach((link) => link.remove())", FOUND)
    return opened


@pytest.mark.parametrize("word", WORDS)
def test_search_finds_what_an_engineer_types(unasked: Any, word: str) -> None:
    """From a file too; in a chapter or in the glossary."""
    found = searched(unasked, word)
    assert any(part in link for link in found for part in ("book/", "glossary", "index.html")), found


def test_search_does_not_find_what_is_not_there(unasked: Any) -> None:
    """The twin."""
    ask(unasked, "zyzzyva")
    unasked.wait_for_function("document.querySelector('.md-search-result__meta').innerText.includes('No match')")
    assert unasked.query_selector(FOUND) is None


def test_the_index_is_fetched_by_the_first_search(tab: Tab, address: str) -> None:
    """And not by opening a page."""
    fetched: list[str] = []
    tab.page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    tab.page.goto(f"{address}/index.html", wait_until="networkidle")
    assert "search_index.json" not in fetched
    assert searched(tab.page, "critical context")
    assert fetched.count("search_index.json") == 1


def ask(page: Any, words: str) -> None:
    """Put some words to the search of the open page, which begins when a key comes up."""
    page.fill(QUERY, words)
    page.press(QUERY, "End")


def searched(page: Any, words: str) -> list[str]:
    """Addresses that the search of the open page finds for some words."""
    ask(page, words)
    page.wait_for_selector(FOUND, timeout=10_000)
    script = "(found) => [...document.querySelectorAll(found)].map((link) => link.getAttribute('href'))"
    found: list[str] = page.evaluate(script, FOUND)
    return found
