"""The site in a browser: light, dark and 390 px wide, over http and from a file"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import MODES, RAW_LATEX, Tab, pages, served
from page_parts import longest, missing, page
from visiting import AXE_ASKED, FACES, FONTS, Visits, book, read, violations

from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.renamed import DIVIDED

pytestmark = pytest.mark.xdist_group("site")

HEAVIEST = 500_000  # bytes of a chapter with all that it loads


def test_every_kind_of_page_in_a_browser(visits: Visits, site: Path) -> None:
    """No console error, failed or remote request, raw LaTeX or overflow, light, dark and 390 px wide.

    On all pages that people read, and on those that have some kind of part at its longest or most often.
    """
    looked_at = sorted({*read(site), *longest(site, pages(site))})
    found = {name: visits[name].problems for name in looked_at}
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


def test_a_chapter_is_light(visits: Visits, site: Path) -> None:
    """With everything that it loads, before anything is clicked."""
    for name in {*read(site)} - {path.replace(".md", ".html") for path in DIVIDED}:
        heaviest = HEAVIEST if name.startswith(("book", "index")) else 2 * HEAVIEST
        assert 200_000 < visits[name].weight < heaviest, name


def test_everything_that_is_loaded_is_weighed(browser: Any, tmp_path: Path) -> None:
    """The twin: pages with what their scripts and styles load in turn, the second with what the first has loaded."""
    sizes = {"late.js": 3000, "x.png": HEAVIEST, "y.png": 7}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b" " * size)
    (tmp_path / "x.css").write_text("body { background: url(x.png) }")
    (tmp_path / "x.js").write_text(
        "document.head.append(Object.assign(document.createElement('script'), {src: 'late.js'}))"
    )
    head = (
        "<!doctype html><link rel=icon href=data:,><link rel=stylesheet href=x.css><script src=x.js></script><article>x"
    )
    (tmp_path / "laws.html").write_text(head)
    (tmp_path / "models.html").write_text(f"{head}<img src=y.png>")
    shared = sum((tmp_path / name).stat().st_size for name in ("x.css", "x.js", "late.js", "x.png"))
    page = browser.new_page()
    with served(tmp_path) as address:
        found = Visits(Tab(page), tmp_path, address)
        for name, own in (("laws.html", 0), ("models.html", sizes["y.png"])):
            assert found[name].weight == (tmp_path / name).stat().st_size + shared + own
    page.close()


BAD = r"""<!doctype html><html lang=en><meta charset=utf-8><link rel=icon href=data:,><title>x</title><article>
<p style="height: 6000px">\frac{1}{2} <img src=data:,></p>
<details><summary style="font-family: serif">x</summary></details>
<div><figure><svg class=figure viewBox="0 0 500 50" width=250 aria-label=four><text y=20 font-size=15>x</text></svg>
</figure><details class=data><table><tr><td>1<td>2</table></details></div></article>"""


def test_a_visit_keeps_what_is_wrong(browser: Any, tmp_path: Path) -> None:
    """The twin: what tests read in the answers of a page is what is wrong with it, in each mode."""
    (tmp_path / "laws.html").write_text(BAD)
    page = browser.new_page()
    with served(tmp_path) as address:
        found = Visits(Tab(page), tmp_path, address)["laws.html"]
    page.close()
    assert {one for one in found.problems if "LaTeX" in one} == {rf"{mode}: raw LaTeX: \frac" for mode in MODES}
    assert {mode: [one.split()[0] for one in rules] for mode, rules in found.violations.items()} == {
        "light": ["image-alt"],
        "dark": ["image-alt"],
    }
    assert found.height > 6000
    assert len(found.faces) == 2
    assert found.figures == [[len("four"), 7.5, 2]]


def test_a_chapter_can_be_read_in_one_go(visits: Visits, site: Path) -> None:
    """Under 6,000 px at 1280 wide, with its fonts and its calculators in place."""
    for name in book(site):
        assert 900 <= visits[name].height < 6000, name


def test_all_laws_print_on_one_sheet(tab: Tab, site: Path, address: str) -> None:
    """Of A4, and none is cut off; the twin is larger by a half. On a screen every formula is in sight or scrolls."""

    def sheets() -> int:
        return len(re.findall(rb"/Type\s*/Page\b", tab.page.pdf(format="A4")))

    assert tab.problems(f"{address}/laws.html", MODES) == []
    tab.ask_for("phone")
    tab.page.evaluate(FONTS)
    assert sheets() == 1
    tab.page.set_viewport_size({"width": 740, "height": 1050})  # as it is within its margins
    tab.page.emulate_media(media="print")
    assert tab.page.locator("article").evaluate("(all) => all.scrollWidth <= all.clientWidth")
    tab.page.emulate_media(media="screen")
    tab.mode = ""
    tab.page.add_style_tag(content="@media print { article { font-size: 8pt !important } }")
    assert sheets() > 1


def test_lines_are_neither_long_nor_short(visits: Visits, site: Path) -> None:
    """Of all chapters in the mean, and nine in ten of them, 60 to 75 letters; the twin is the theme's own width."""

    def shares(lengths: list[int]) -> tuple[float, float]:
        assert len(lengths) > 300
        return sum(lengths) / len(lengths), sum(60 <= one <= 75 for one in lengths) / len(lengths)

    chapters = [visits[name] for name in book(site) if name.startswith("book")]
    mean, within = shares([one for chapter in chapters for one in chapter.lines])
    assert 60 <= mean <= 75
    assert within > 0.85
    mean, within = shares([one for chapter in chapters for one in chapter.lines_at_themes_width])
    assert mean > 80
    assert within < 0.2


def test_text_and_figures_have_one_face(tab: Tab, visits: Visits, site: Path, address: str) -> None:
    """And so have drawings and controls; the twin is a figure with a face of its own."""
    for name in pages(site):
        if name.startswith(("book", "index", "calculator")):
            assert len(visits[name].faces) == 1, name
    tab.page.goto(f"{address}/index.html")
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


def test_figures_say_what_they_show(visits: Visits, site: Path) -> None:
    """Each chapter has one, with a text alternative, numbers and letters that can be read at 390 px."""
    for name in book(site):
        figures = visits[name].figures
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


PLANTED = [
    ("image-alt", "article", "<p><img src=data:,></p>"),
    ("color-contrast", "article", "<p>as others <span style='color: #7f7f7f66'>paler</span></p>"),
    ("color-contrast", "article tbody", "<tr><td>as others</td><td style='color: #7f7f7f66'>paler</td></tr>"),
    ("color-contrast", "article", "<p style='background: #777'>as others, on a ground of its own</p>"),
    ("button-name", "article", "<p><button></button></p>"),
    ("link-name", "article", "<p><a href=x></a></p>"),
    ("aria-roles", "article", "<p role=nonsense>x</p>"),
]
PLANT = """([within, planted]) => document.querySelector(within).insertAdjacentHTML("beforeend", planted)"""


def test_nothing_keeps_anybody_from_reading(tab: Tab, visits: Visits, site: Path, address: str) -> None:
    """Axe finds no serious violation, in the dark of pictures and colours; and finds those that are planted."""
    for name in read(site):
        assert visits[name].violations == {"light": [], "dark": []}, name
    tab.page.goto(f"{address}/formulas/latency.html")
    for mode in AXE_ASKED:
        tab.ask_for(mode)
        assert violations(tab) == []
        for kind, within, planted in PLANTED:
            tab.page.evaluate(PLANT, [within, planted])
            asked = mode == "light" or kind in ("image-alt", "color-contrast")
            assert [one.split()[0] for one in violations(tab)] == [kind] * asked, planted
            tab.page.evaluate("(within) => document.querySelector(within).lastElementChild.remove()", within)
