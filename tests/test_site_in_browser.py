"""The site in a browser: light, dark and 390 px wide, over http and from a file"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from browsing import MODES, RAW_LATEX, Tab, pages
from calculating import BUILT
from page_parts import longest, missing, page

from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.renamed import DIVIDED

pytestmark = pytest.mark.xdist_group("site")

AXE = Path(find_spec("axe_core_python").origin or "").parent / "axe.min.js"  # type: ignore[union-attr]
READ = (
    *("index", "book", "laws", "glossary", "notation", "models", "presets", "command-line", "api"),
    *("audit/index", "formulas/index", "formulas/latency"),
)
HEAVIEST = 500_000  # bytes of a chapter with all that it loads


def read(site: Path) -> list[str]:
    """The pages that people read: all chapters, and one of each other kind."""
    return [page for page in pages(site) if page.startswith(READ)]


def book(site: Path) -> list[str]:
    """The chapters and the first page, without the old addresses that point on."""
    old = {path.replace(".md", ".html") for path in DIVIDED}
    return [page for page in pages(site) if page.startswith(("book", "index")) and page not in old]


def test_every_kind_of_page_in_a_browser(tab: Tab, site: Path, address: str) -> None:
    """No console error, failed or remote request, raw LaTeX or overflow, light, dark and 390 px wide.

    On all pages that people read, and on those that have some kind of part at its longest or most often.
    """
    looked_at = sorted({*read(site), *longest(site, pages(site))})
    found = {name: tab.problems(f"{address}/{name}", MODES) for name in looked_at}
    assert len(found) >= 70
    assert not {name: wrong for name, wrong in found.items() if wrong}


def test_every_page_says_and_loads_what_it_should(site: Path) -> None:
    """No raw LaTeX, and nothing that is remote or not there, on any page."""
    assert len(pages(site)) >= 400
    for name in pages(site):
        assert not RAW_LATEX.search(page(site / name).text), name
        assert not [*missing(site, name)], name


def test_a_longer_part_is_looked_at(tmp_path: Path) -> None:
    """The twin: a page is chosen that has a longer text, one more row or another part; one that has less is not.

    And what it loads from elsewhere, or what is not there, is found, and LaTeX across its words.
    """
    row = "<tr><td>{}</td></tr>"
    texts = {"a": row.format("xxxx") * 3, "b": row.format("xxxxx"), "c": row.format("x") * 4, "d": row.format("xxx")}
    for name, text in {**texts, "e": "<p class=new>x</p>"}.items():
        (tmp_path / f"{name}.html").write_text(f"<article><table>{text}</table></article>")
    assert longest(tmp_path, [f"{name}.html" for name in "abcde"]) == ["a.html", "b.html", "c.html", "e.html"]
    html = "<script src=gone.js></script><img src='//192.0.2.1/x.png'><p>costs $2<b>mn</b>$</p><p>$ P</p><p>Q $</p>"
    (tmp_path / "bad.html").write_text(html)
    assert [*missing(tmp_path, "bad.html")] == ["failed: gone.js", "remote: //192.0.2.1/x.png"]
    assert RAW_LATEX.findall(page(tmp_path / "bad.html").text) == ["$2mn$"]


def test_pages_from_a_file(tab: Tab, site: Path) -> None:
    """Pages from a file have no problem, as over http: chapters, lists, and a formula of each chapter."""
    found = {name: tab.problems(f"{site.as_uri()}/{name}", MODES) for name in read(site)}
    assert len(found) >= 18
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
        ("<p>$ P $</p><pre>$ echo $?</pre>", "raw LaTeX: $ P $"),
        ("<p>{{ P }}</p>", "raw LaTeX"),
        ("<body data-md-color-scheme=slate>", "colours of another"),
        ("<div style='width: 3000px'>wide</div>", "px wide"),
        ("<article><div style='overflow: auto'><p style='width: 3000px'>wide", "without a sign"),
    ],
)
def test_a_bad_page_is_noticed(tab: Tab, tmp_path: Path, content: str, complaint: str) -> None:
    """The twin: each thing that is looked for is found."""
    file = tmp_path / "bad.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>x</title>{content}")
    assert any(complaint in problem for problem in tab.problems(file.as_uri()))


def test_mathematics_is_drawn_with_its_font(tab: Tab, address: str) -> None:
    """The font is there, and brackets stretch."""
    page = tab.page
    page.goto(f"{address}/formulas/latency.html")
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('16px \"STIX Two Math\"')")
    heights = page.evaluate(
        "[...document.querySelectorAll('.claim mo')].filter(e => '()'.includes(e.textContent))"
        ".map(e => e.getBoundingClientRect().height)"
    )
    assert max(heights) > 40


def test_a_chapter_is_light(browser: Any, site: Path, address: str) -> None:
    """With everything that it loads, before anything is clicked."""
    page, sizes = browser.new_page(), list[int]()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.on("response", lambda answer: sizes.append(int(answer.headers["content-length"])))
    for name in {*read(site)} - {path.replace(".md", ".html") for path in DIVIDED}:
        page.goto("about:blank")  # what comes late is the page's before
        sizes.clear()
        page.goto(f"{address}/{name}")
        page.evaluate("document.fonts.ready")
        assert 200_000 < sum(sizes) < (HEAVIEST if name.startswith(("book", "index")) else 2 * HEAVIEST), name
    page.close()


# A page that is drawn late has not asked for its fonts yet, and what it is drawn with meanwhile is wider
FONTS = "document.fonts.status === 'loaded' && [...document.fonts].some((font) => font.status === 'loaded')"


def build_calculators(page: Any) -> None:
    """Come to the calculators of a page, which are built only then."""
    page.evaluate("document.querySelectorAll('[data-calculator]').forEach((one) => one.scrollIntoView())")
    page.wait_for_function(BUILT)


def test_a_chapter_can_be_read_in_one_go(tab: Tab, site: Path, address: str) -> None:
    """Under 6,000 px at 1280 wide, with its fonts and its calculators in place."""
    tab.ask_for("light")
    for name in book(site):
        tab.page.goto(f"{address}/{name}")
        build_calculators(tab.page)
        tab.page.wait_for_function(FONTS)
        assert tab.page.evaluate("document.documentElement.scrollHeight") < 6000, name


def test_all_laws_print_on_one_sheet(tab: Tab, site: Path, address: str) -> None:
    """Of A4, and none is cut off; the twin is larger by a half. On a screen every formula is in sight or scrolls."""

    def sheets() -> int:
        return len(re.findall(rb"/Type\s*/Page\b", tab.page.pdf(format="A4")))

    assert tab.problems(f"{address}/laws.html", MODES) == []
    tab.page.wait_for_function(FONTS)
    assert sheets() == 1
    tab.page.set_viewport_size({"width": 740, "height": 1050})  # as it is within its margins
    tab.page.emulate_media(media="print")
    assert tab.page.locator("article").evaluate("(all) => all.scrollWidth <= all.clientWidth")
    tab.page.emulate_media(media="screen")
    tab.mode = ""
    tab.page.add_style_tag(content="@media print { article { font-size: 8pt !important } }")
    assert sheets() > 1


# Letters of each line but the last of the paragraphs without mathematics, which is as wide as it is
LINES = """() => [...document.querySelectorAll("article > p:not(:has(math))")].flatMap((part) => {
  const lines = new Map(), texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), range = new Range();
  while (texts.nextNode())
    for (const { index, 0: word } of texts.currentNode.data.matchAll(/\\S+\\s*/g)) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + 1);
      const line = Math.round(range.getBoundingClientRect().bottom / 12); // lines are 24 px apart
      lines.set(line, (lines.get(line) ?? 0) + word.length);
    }
  return [...lines.values()].slice(0, -1);
})"""
FACES = """() => [...new Set([...document.querySelectorAll(
  "article > p, figcaption, svg.figure text, svg.drawing text, .calculator :is(select, input, output), summary")]
  .map((part) => getComputedStyle(part).fontFamily))]"""


def test_lines_are_neither_long_nor_short(tab: Tab, site: Path, address: str) -> None:
    """Of all chapters in the mean, and nine in ten of them, 60 to 75 letters; the twin is the theme's own width."""

    def shares(style: str) -> tuple[float, float]:
        lengths = []
        for name in book(site):
            if name.startswith("book"):
                tab.page.goto(f"{address}/{name}")
                tab.page.wait_for_function(FONTS)
                tab.page.add_style_tag(content=style)
                lengths += tab.page.evaluate(LINES)
        assert len(lengths) > 300
        return sum(lengths) / len(lengths), sum(60 <= one <= 75 for one in lengths) / len(lengths)

    tab.ask_for("light")
    mean, within = shares("/* as it is */")
    assert 60 <= mean <= 75
    assert within > 0.85
    mean, within = shares("article p { max-width: none !important }")
    assert mean > 80
    assert within < 0.2


def test_text_and_figures_have_one_face(tab: Tab, site: Path, address: str) -> None:
    """And so have drawings and controls; the twin is a figure with a face of its own."""
    for name in pages(site):
        if name.startswith(("book", "index", "calculator")):
            tab.page.goto(f"{address}/{name}")
            build_calculators(tab.page)
            assert len(tab.page.evaluate(FACES)) == 1, name
    tab.page.add_style_tag(content="svg text { font-family: serif }")
    assert len(tab.page.evaluate(FACES)) == 2


def test_dotted_numbers_open(browser: Any, address: str) -> None:
    """By touch and by key, in sight, with how the number comes about; and close. A question is pressed as a whole."""
    context = browser.new_context(**MODES["phone"], has_touch=True)
    page = context.new_page()
    page.goto(f"{address}/book/prompt-and-answer.html")
    number = page.locator("article p > .value").first
    opened = """() => {
      const shown = document.elementFromPoint(innerWidth / 2, innerHeight - 25);
      return shown?.matches(".value") ? [getComputedStyle(shown, "::after").content, shown.title] : null;
    }"""
    assert page.evaluate(opened) is None
    number.tap()
    content, title = page.evaluate(opened)
    assert title == number.get_attribute("title")
    assert title.split("\n")[-1].split(" ")[-2] in content
    number.evaluate("(number) => number.blur()")
    assert page.evaluate(opened) is None
    for _ in range(60):
        page.keyboard.press("Tab")
        if found := page.evaluate(opened):
            break
    assert found
    context.close()
    pen = HtmlPen("")
    dotted = pen.value("7 ms", "T = 7; by 1")
    assert "tabindex" in dotted
    assert "tabindex" not in pen.asked("exercise", dotted, "")


def test_figures_say_what_they_show(tab: Tab, site: Path, address: str) -> None:
    """Each chapter has one, with a text alternative, numbers and letters that can be read at 390 px."""
    tab.ask_for("phone")
    asked = """[...document.querySelectorAll('svg.figure')].filter((svg) => svg.checkVisibility()).map((svg) => {
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const size = (text) => parseFloat(getComputedStyle(text).fontSize) * scale;
      const sizes = [...svg.querySelectorAll('text')].map(size);
      return [svg.getAttribute('aria-label').length, Math.min(...sizes),
        svg.closest('figure').parentElement.querySelectorAll('details.data td').length];
    })"""
    for name in book(site):
        tab.page.goto(f"{address}/{name}")
        figures = tab.page.evaluate(asked)
        assert figures, name
        for said, smallest, numbers in figures:
            assert said > 40, name
            assert smallest >= 8, (name, smallest)
            assert numbers >= 4, name


def test_the_audit_on_a_phone_without_javascript(browser: Any, site: Path, address: str) -> None:
    """The audit on a phone without JavaScript shows as many rows as a choice says.

    Whatever is printed, computed and found of a row lies within 390 px.
    """
    context = browser.new_context(viewport=MODES["phone"]["viewport"], java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/audit/timbers-2023.html")
    rows, headings = page.locator(".rows tbody tr"), page.locator("article h2")
    every = {}
    for choice in page.locator(".filter label").all():
        choice.click()
        word, number = choice.inner_text().strip().rsplit(" ", 1)
        shown = [row for row in rows.all() if row.is_visible()]
        every[word] = sum(heading.is_visible() for heading in headings.all())
        assert len(shown) == int(number), word
        for cell in shown[-1].locator("td").all():
            box = cell.bounding_box()
            assert box["width"] > 20
            assert box["x"] + box["width"] <= 390
    assert set(every) == {"all", "come out", "refuted", "unclear", "measured"}
    assert all(number < every["all"] for word, number in every.items() if word != "all")
    context.close()


LOOKED_FOR = {"light": "{resultTypes: ['violations']}", "dark": "{runOnly: ['color-contrast', 'image-alt']}"}
# Shadows that say that a box scrolls are pictures, on which axe does not dare to judge a colour.
FLAT = "article * { background-image: none !important }"
# Of text that looks alike, on grounds that look alike, axe judges the three longest for all: one may be out of sight.
AXE_ASKED = """(asked) => {
  const article = document.querySelector("article"), seen = {};
  const own = (part) => [...part.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join("").trim();
  const grounds = (part, found = []) => {
    for (; part !== article; part = part.parentElement) {
      const { backgroundColor, opacity } = getComputedStyle(part);
      found.push(backgroundColor, opacity);
    }
    return found.filter((one) => !["rgba(0, 0, 0, 0)", "1"].includes(one));
  };
  const parts = [...article.querySelectorAll("*")].filter((part) => part.checkVisibility({ visibilityProperty: true }))
    .map((part) => [part, own(part)]).filter(([, text]) => text);
  for (const [part] of parts.sort(([, one], [, other]) => other.length - one.length)) {
    const { color, fontSize, fontWeight } = getComputedStyle(part);
    const looks = [color, fontSize, fontWeight, ...grounds(part)].join();
    seen[looks] = (seen[looks] ?? 0) + 1;
    part.toggleAttribute("data-alike", seen[looks] > 3);
  }
  axe.configure({ noHtml: true, rules: [{ id: "color-contrast", selector: ":not([data-alike])" }] });
  return axe.run("article", asked).then((found) => found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => one.id + " " + one.nodes[0].target));
}"""
PLANTED = [
    ("image-alt", "article", "<p><img src=data:,></p>"),
    ("color-contrast", "article", "<p>as others <span style='color: #7f7f7f66'>paler</span></p>"),
    ("color-contrast", "article tbody", "<tr><td>as others</td><td style='color: #7f7f7f66'>paler</td></tr>"),
    ("color-contrast", "article", "<p style='background: #777'>as others, on a ground of its own</p>"),
]
PLANT = """([within, planted]) => document.querySelector(within).insertAdjacentHTML("beforeend", planted)"""


def test_nothing_keeps_anybody_from_reading(tab: Tab, site: Path, address: str) -> None:
    """Axe finds no serious violation, in the dark of colours alone; and finds those that are planted."""

    def found() -> list[list[str]]:
        violations = []
        for mode, asked in LOOKED_FOR.items():
            tab.ask_for(mode)
            assert tab.is_drawn()
            violations.append(page.evaluate(f"({AXE_ASKED})({asked})"))
        return violations

    page = tab.page
    tab.ask_for("light")
    for name in read(site):
        page.goto(f"{address}/{name}")
        page.add_style_tag(content=FLAT)
        page.add_script_tag(path=str(AXE))
        page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        assert found() == [[], []], name
    for kind, within, planted in PLANTED:
        page.evaluate(PLANT, [within, planted])
        assert [[one.split()[0] for one in violations] for violations in found()] == [[kind], [kind]], planted
        page.evaluate("(within) => document.querySelector(within).lastElementChild.remove()", within)
