"""The site: built strictly, every page opened in a browser, light, dark and 390 px wide, over http and from a file"""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from sessions import keeping

from symbolic_llm import catalogue
from symbolic_llm.claims import Kind

pytestmark = pytest.mark.xdist_group("site")  # built once, looked at by one browser; copies share its findings

ROOT = Path(__file__).parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MODES: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
LOCAL = ("file:", "data:", "blob:", "http://127.0.0.1:")
ALL_OF_IT = (  # also what is out of sight, and in its place at once
    ".formula { content-visibility: visible !important } *, ::before, ::after { transition: none !important }"
)
SEEN = "[document.body.innerText, document.documentElement.scrollWidth, window.innerWidth]"
RAW_LATEX = re.compile(r"\\(?:frac|text|left|right|cdot|max|begin|mathrm)\b|\$[^$\n]*\$|<!--")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    return build(tmp_path_factory.mktemp("site"))


def build(folder: Path) -> Path:
    """Build the site into a folder; a warning is an error."""
    environment = os.environ | keeping() | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stderr
    return folder


def pages(site: Path) -> list[str]:
    """Every page of the site."""
    return sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")


class Text(HTMLParser):
    """Ids, links and visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Collect ids and links."""
        found = dict(attrs)
        self.ids |= {found["id"]} if "id" in found else set()
        self.links += [found["href"]] if tag == "a" and "href" in found else []
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        """Scripts and styles end."""
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        """Collect what is seen."""
        self.text += "" if self._hidden else data


def test_every_formula_has_its_place(site: Path) -> None:
    """Page of its chapter, anchor of its name, with all parts of its anatomy."""
    for formula in catalogue():
        page = (site / f"{formula.chapter}.html").read_text(encoding="utf-8")
        start = page.index(f'<h2 id="{formula.name}">')
        end = page.find("<h2 id=", start + 1)
        section = page[start:end]
        verdict = "verdict defined" if formula.kind is Kind.DEFINITION else "verdict proved"
        for part in (verdict, "badge ", 'class="claim"', "Holds", "Derivation", "Example", "Prediction and count"):
            assert part in section, (formula.name, part)
        assert "<math" in section
        assert section.count("✓") >= len(formula.steps)
        if formula.measured_by:
            assert f"<code>{formula.measured_by}</code>" in section
        for used in formula.uses:
            assert f'{used.chapter}.html#{used.name}"' in section


def test_the_home_page_counts_what_formulas_rest_on(site: Path) -> None:
    """As many badges as formulas, by kind; and in the contents of the chapters the same ones."""
    home = (site / "index.html").read_text(encoding="utf-8")
    rows = re.findall(r'class="badge (\w+)"[^>]*>\w+</span></td><td>(\d+)</td>', home)
    assert [word for word, _ in rows] == ["certified", "compared", "follows", "law", "definition"]
    assert sum(int(number) for _, number in rows) == len(catalogue())
    listed = "".join(
        (site / f"{chapter.name}.html").read_text(encoding="utf-8").partition("<h2")[0]
        for chapter in catalogue().chapters()
    )
    assert {word: listed.count(f'"badge {word}"') for word, _ in rows} == {word: int(n) for word, n in rows}


def test_certificates_say_what_they_assume(site: Path) -> None:
    """The runs, the degrees, the assumption."""
    page = (site / "parameters.html").read_text(encoding="utf-8")
    assert (
        "proved for all shapes of schematic: 55 runs, degree 1 in n_blocks, 2 in n_heads, 2 in d_head, 1 in n_vocab"
        in (page)
    )
    assert "assuming that each entry of the ledger is a polynomial in each parameter" in page


def test_links_lead_somewhere(site: Path) -> None:
    """Every local link and anchor of every page exists."""
    read = {page: Text((site / page).read_text(encoding="utf-8")) for page in pages(site)}
    followed = 0
    for page, content in read.items():
        for target in content.links:
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, anchor = target.partition("#")
            other = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            assert other in read, (page, target)
            assert not anchor or anchor in read[other].ids, (page, target)
            followed += 1
    assert followed > 500


def test_no_raw_latex_without_javascript_either(site: Path) -> None:
    """The text of every page, as it is in the file."""
    for page in pages(site):
        assert not RAW_LATEX.search(Text((site / page).read_text(encoding="utf-8")).text), page


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium; where there is none the tests are skipped, unless REQUIRE_CHROMIUM is set."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_CHROMIUM"):
            pytest.fail("REQUIRE_CHROMIUM is set, and there is no Chromium")
        pytest.skip("needs Chromium; apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=False, args=FLAGS)
        yield started
        started.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that does not talk."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site over http."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Tab:
    """One page of the browser, used for all of them, and everything that goes wrong on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.mode = ""
        self.wrong: list[str] = []
        page.on("console", lambda m: m.type in ("error", "warning") and self.note(f"console {m.type}: {m.text}"))
        page.on("pageerror", lambda error: self.note(f"page error: {error}"))
        page.on("requestfailed", lambda request: self.note(f"failed: {request.url}"))
        page.on("response", lambda r: r.status >= 400 and self.note(f"status {r.status}: {r.url}"))
        page.on("request", lambda r: r.url.startswith(LOCAL) or self.note(f"remote: {r.url}"))
        self.waits_for: set[Any] = set()
        page.on("request", lambda r: self.waits_for.add(r))
        page.on("requestfinished", lambda r: self.waits_for.discard(r))
        page.on("requestfailed", lambda r: self.waits_for.discard(r))

    def note(self, what: str) -> None:
        """Something is wrong."""
        self.wrong.append(what)

    def problems(self, url: str, modes: Iterable[str] = ("light",)) -> list[str]:
        """Open a page, look at it in each mode, and say everything that is wrong with it.

        First in the mode of the page before, which would be laid out anew if the mode changed while it is there.
        """
        self.wrong = found = []
        for place, mode in enumerate(sorted(modes, key=lambda mode: mode != self.mode)):
            self.mode = mode
            self.page.emulate_media(color_scheme=MODES[mode]["color_scheme"])
            self.page.set_viewport_size(MODES[mode]["viewport"])
            if place == 0:
                self.page.goto(url, wait_until="load")
                self.page.add_style_tag(content=ALL_OF_IT)
                self.page.evaluate("document.fonts.ready")
            text, width, window = self.page.evaluate(SEEN)
            if match := RAW_LATEX.search(text):
                found.append(f"{mode}: raw LaTeX: {match.group()}")
            if width > window:
                found.append(f"{mode}: {width} px wide in a window of {window}")
        while self.waits_for:  # left now, the page would break off what it still loads
            self.page.wait_for_timeout(5)
        return found


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Tab]:
    """A page that is watched."""
    page = browser.new_page()
    yield Tab(page)
    page.close()


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("way", ["http", "file"])
def test_every_page_in_a_browser(tab: Tab, site: Path, address: str, way: str, half: int) -> None:
    """No console error, failed or remote request, raw LaTeX or overflow, light, dark and 390 px wide."""
    found = {}
    for name in pages(site)[half::2]:
        url = f"{address}/{name}" if way == "http" else f"{site.as_uri()}/{name}"
        found[name] = tab.problems(url, MODES)
    assert len(found) >= 10
    assert not {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("<script>console.error('no')</script>", "console error"),
        ("<script>missing()</script>", "page error"),
        ("<img src='nothing.png'>", "failed"),
        ("<img src='http://192.0.2.1/x.png'>", "remote"),
        (r"<p>\frac{1}{2}</p>", "raw LaTeX"),
        ("<p>costs $2mn$</p>", "raw LaTeX"),
        ("<div style='width: 3000px'>wide</div>", "px wide"),
        (
            "<p style='height: 9999px'>\n<section class=formula><div style='width: 3000px'>wide</div></section>",
            "px wide",
        ),
    ],
)
def test_a_bad_page_is_noticed(tab: Tab, tmp_path: Path, content: str, complaint: str) -> None:
    """The twin: each thing that is looked for is found."""
    file = tmp_path / "bad.html"
    style = "<style>.formula { content-visibility: auto }</style>"
    file.write_text(f"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>x</title>{style}{content}")
    assert any(complaint in problem for problem in tab.problems(file.as_uri()))


def test_mathematics_is_drawn_with_its_font(tab: Tab, address: str) -> None:
    """The font is there, and brackets stretch."""
    page = tab.page
    page.goto(f"{address}/latency.html")
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('16px \"STIX Two Math\"')")
    heights = page.evaluate(
        "[...document.querySelectorAll('#latency ~ .formula .claim mo')].filter(e => '()'.includes(e.textContent))"
        ".map(e => e.getBoundingClientRect().height)"
    )
    assert max(heights) > 40


def test_what_is_out_of_sight_waits(tab: Tab, address: str) -> None:
    """It is laid out when it is linked to or found by its text, and not before; a link goes to the very place."""
    page, drawn = (
        tab.page,
        "[...document.querySelectorAll('.formula')].map(e => e.firstElementChild.checkVisibility(VISIBLE))",
    )
    drawn = drawn.replace("VISIBLE", "{contentVisibilityAuto: true}")
    page.set_viewport_size(MODES["light"]["viewport"])
    page.goto(f"{address}/decoders.html")
    assert page.evaluate(f"{drawn}.filter(Boolean).length") <= 1
    last = catalogue().chapters()[-3].formulas[-1].name
    page.goto(f"{address}/decoders.html#{last}")
    page.wait_for_function(f"{drawn}.at(-1)")
    assert 0 <= page.evaluate(f"document.getElementById('{last}').getBoundingClientRect().top") < 150
    page.goto(f"{address}/index.html")
    page.goto(f"{address}/decoders.html")
    page.evaluate("window.find('Prediction and count')")
    page.wait_for_function("scrollY > 0")


def test_search_finds_a_formula(tab: Tab, site: Path) -> None:
    """From a file too."""
    searched(tab.page, (site / "index.html").as_uri())


def test_the_index_is_fetched_by_the_first_search(tab: Tab, address: str) -> None:
    """And not by opening a page."""
    fetched: list[str] = []
    tab.page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    tab.page.goto(f"{address}/index.html", wait_until="networkidle")
    assert "search_index.json" not in fetched
    searched(tab.page, "")
    assert fetched.count("search_index.json") == 1


def searched(page: Any, url: str) -> None:
    """Search on a page, which is opened if it is given."""
    if url:
        page.goto(url)
    page.fill("[data-md-component=search-query]", "critical context")
    page.wait_for_selector(".md-search-result__item a", timeout=10_000)
    assert "the critical context" in page.inner_text(".md-search-result")
