"""Pages of the site, each opened once in a test run, and what they answer to all that tests ask of them

A page that is opened again is read, laid out and drawn again, which takes longer than most questions. So a page that a
test asks about is opened once, put to every question, and its answers are kept for the tests that come after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from browsing import MODES, Tab, pages
from calculating import BUILT

from symbolic_llm.renamed import DIVIDED

AXE = Path(find_spec("axe_core_python").origin or "").parent / "axe.min.js"  # type: ignore[union-attr]
READ = (
    *("index", "book", "laws", "glossary", "notation", "models", "presets", "command-line", "api"),
    *("audit/index", "formulas/index", "formulas/latency"),
)


def read(site: Path) -> list[str]:
    """The pages that people read: all chapters, and one of each other kind."""
    return [page for page in pages(site) if page.startswith(READ)]


def book(site: Path) -> list[str]:
    """The chapters and the first page, without the old addresses that point on."""
    old = {path.replace(".md", ".html") for path in DIVIDED}
    return [page for page in pages(site) if page.startswith(("book", "index")) and page not in old]


LOW = {"width": 1280, "height": 720}  # no calculator of a chapter is in sight, so none is loaded
HEIGHT = "document.documentElement.scrollHeight"
# A page that is drawn late has not asked for its fonts yet, and what it is drawn with meanwhile is wider
FONTS = """async () => {
  const loaded = () => document.fonts.status === "loaded" && [...document.fonts].some((one) => one.status === "loaded");
  for (let frames = 0; !loaded(); frames++) {
    if (frames > 1000) throw new Error("no font of the page is loaded");
    await new Promise(requestAnimationFrame);
  }
}"""
# Letters of each line but the last of the paragraphs without mathematics, which is as wide as it is; under some style
LINES = """(css) => {
  const style = document.head.appendChild(document.createElement("style"));
  style.append(css);
  const letters = [...document.querySelectorAll("article > p:not(:has(math))")].flatMap((part) => {
    const lines = new Map(), texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), range = new Range();
    while (texts.nextNode())
      for (const { index, 0: word } of texts.currentNode.data.matchAll(/\\S+\\s*/g)) {
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + 1);
        const line = Math.round(range.getBoundingClientRect().bottom / 12); // lines are 24 px apart
        lines.set(line, (lines.get(line) ?? 0) + word.length);
      }
    return [...lines.values()].slice(0, -1);
  });
  style.remove();
  return letters;
}"""
THEMES_WIDTH = "article p { max-width: none !important }"
FACES = """() => [...new Set([...document.querySelectorAll(
  "article > p, figcaption, svg.figure text, svg.drawing text, .calculator :is(select, input, output), summary")]
  .map((part) => getComputedStyle(part).fontFamily))]"""
# Of each figure: letters of its text alternative, pixels of its smallest text, cells of its table
FIGURES = """[...document.querySelectorAll('svg.figure')].filter((svg) => svg.checkVisibility()).map((svg) => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * scale;
  const sizes = [...svg.querySelectorAll('text')].map(size);
  return [svg.getAttribute('aria-label').length, Math.min(...sizes),
    svg.closest('figure').parentElement.querySelectorAll('details.data td').length];
})"""
AXE_ASKED = {"light": "{resultTypes: ['violations']}", "dark": "{runOnly: ['color-contrast', 'image-alt']}"}
# Everything is opened, and shadows that say that a box scrolls are left out: they are pictures, on which axe does not
# dare to judge a colour. Of text that looks alike, on grounds that look alike, axe judges the three longest for all:
# one may be out of sight. It is not asked for rules that no part of the article is of, or that are not serious.
VIOLATIONS = """async (asked) => {
  const article = document.querySelector("article"), seen = {}, grave = ["serious", "critical"];
  const own = (part) => [...part.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join("").trim();
  const grounds = (part, found = []) => {
    for (; part !== article; part = part.parentElement) {
      const { backgroundColor, opacity } = getComputedStyle(part);
      found.push(backgroundColor, opacity);
    }
    return found.filter((one) => !["rgba(0, 0, 0, 0)", "1"].includes(one));
  };
  const flat = document.head.appendChild(document.createElement("style"));
  flat.append("article * { background-image: none !important }");
  const closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((part) => (part.open = true));
  const parts = [...article.querySelectorAll("*")].filter((part) => part.checkVisibility({ visibilityProperty: true }))
    .map((part) => [part, own(part)]).filter(([, text]) => text);
  for (const [part] of parts.sort(([, one], [, other]) => other.length - one.length)) {
    const { color, fontSize, fontWeight } = getComputedStyle(part);
    const looks = [color, fontSize, fontWeight, ...grounds(part)].join();
    seen[looks] = (seen[looks] ?? 0) + 1;
    part.toggleAttribute("data-alike", seen[looks] > 3);
  }
  axe.configure({ noHtml: true, rules: [{ id: "color-contrast", selector: ":not([data-alike])" }] });
  const { rules, data: { checks } } = axe._audit, impact = (one) => checks[one.id ?? one]?.impact;
  const idle = rules.filter(({ any, all, none, selector }) =>
    !article.querySelector(selector) || ![...any, ...all, ...none].some((one) => grave.includes(impact(one))));
  asked.rules ??= Object.fromEntries(idle.map(({ id }) => [id, { enabled: false }]));
  const { violations } = await axe.run("article", asked);
  closed.forEach((part) => (part.open = false));
  flat.remove();
  return violations.filter((one) => grave.includes(one.impact)).map((one) => one.id + " " + one.nodes[0].target);
}"""


def build_calculators(page: Any) -> None:
    """Come to the calculators of a page, which are built only then."""
    page.evaluate("document.querySelectorAll('[data-calculator]').forEach((one) => one.scrollIntoView())")
    page.wait_for_function(BUILT)


def violations(tab: Tab) -> list[str]:
    """Rules of axe that the open page breaks seriously, and where, in the mode that it is in."""
    assert tab.is_drawn()
    if tab.page.evaluate("!window.axe"):
        tab.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = tab.page.evaluate(f"({VIOLATIONS})({AXE_ASKED[tab.mode]})")
    return found


@dataclass
class Answers:
    """Answers of a page; those that are not asked of its kind are empty.

    Attributes:
        problems: what a tab finds, light, dark and 390 px wide.
        weight: bytes that it loads before anything is clicked.
        violations: rules of axe that it breaks, by mode.
        height: pixels of it with its fonts and calculators.
        faces: families of fonts of texts, figures and controls.
        lines: letters of each line of its paragraphs.
        lines_at_themes_width: the same at the width that the theme would give them.
        figures: of each at 390 px, letters that say what it shows, pixels of its smallest text, numbers beside it.
    """

    problems: list[str] = field(default_factory=list)
    weight: int = 0
    violations: dict[str, list[str]] = field(default_factory=dict)
    height: int = 0
    faces: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    lines_at_themes_width: list[int] = field(default_factory=list)
    figures: list[tuple[int, float, int]] = field(default_factory=list)


class Visits:
    """Answers of the pages of a site by their names; a page is opened when it is first asked for."""

    def __init__(self, tab: Tab, site: Path, address: str) -> None:
        self._tab, self._site, self._address = tab, site, address
        self._answers: dict[str, Answers] = {}
        self._sizes: list[int] = []
        self._session = tab.page.context.new_cdp_session(tab.page)
        self._session.send("Network.enable")
        tab.page.on("response", lambda answer: self._sizes.append(int(answer.headers.get("content-length", 0))))

    def __getitem__(self, name: str) -> Answers:
        if name not in self._answers:
            self._answers[name] = self._visit(name)
        return self._answers[name]

    @cached_property
    def _read(self) -> list[str]:
        return read(self._site)

    @cached_property
    def _book(self) -> list[str]:
        return book(self._site)

    def _visit(self, name: str) -> Answers:
        found, tab, page = Answers(), self._tab, self._tab.page
        calculates = 'data-calculator="' in (self._site / name).read_text(encoding="utf-8")
        self._sizes.clear()
        self._session.send("Network.setCacheDisabled", {"cacheDisabled": name in self._read})
        if calculates and name in self._read:
            page.set_viewport_size(LOW)
            tab.mode = ""
            page.goto(f"{self._address}/{name}")
            page.evaluate("document.fonts.ready")
            found.weight = sum(self._sizes)
            tab.settle()
            page.goto("about:blank")  # where nothing comes into sight when the window is larger

        def ask(mode: str) -> None:
            if name in self._read:
                found.weight = found.weight or sum(self._sizes)
            if mode in AXE_ASKED and name in self._read:
                found.violations[mode] = violations(tab)
            if mode == "phone":
                found.figures = page.evaluate(FIGURES)
            if mode == "light" and name in self._book:
                page.evaluate(FONTS)
                found.lines, found.lines_at_themes_width = (page.evaluate(LINES, css) for css in ("", THEMES_WIDTH))
            if mode == "light" and not calculates:
                found.height, found.faces = page.evaluate(HEIGHT), page.evaluate(FACES)

        found.problems = tab.problems(f"{self._address}/{name}", MODES, ask)
        if calculates:
            tab.ask_for("light")
            build_calculators(page)
            found.height, found.faces = page.evaluate(HEIGHT), page.evaluate(FACES)
        return found
