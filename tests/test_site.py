"""The site as it is written: every formula in its place, every link and anchor there, the same twice"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browsing import RAW_LATEX, ROOT, build, pages
from markdown import markdown
from mkdocs.exceptions import PluginError
from page_parts import RunningLinks
from sessions import keeping

from symbolic_llm import catalogue
from symbolic_llm.claims import Kind
from symbolic_llm.pages.chapter_list import chapters

pytestmark = pytest.mark.xdist_group("site")  # built once, looked at by one browser; copies share its findings


class Text(HTMLParser):
    """Ids, links and visible text of a page, but for what is there to be copied."""

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
        self._hidden += tag in ("script", "style", "pre")

    def handle_endtag(self, tag: str) -> None:
        """Scripts and styles end, and lines."""
        self._hidden -= tag in ("script", "style", "pre")
        self.text += "\n" if tag in ("div", "li", "p") else ""

    def handle_data(self, data: str) -> None:
        """Collect what is seen."""
        self.text += "" if self._hidden else data


def test_every_formula_has_its_page(site: Path) -> None:
    """At its address, with all parts of its anatomy, and in the list of all with the same badge."""
    listed = (site / "formulas" / "index.html").read_text(encoding="utf-8")
    for formula in catalogue():
        page = (site / "formulas" / f"{formula.name}.html").read_text(encoding="utf-8")
        verdict = "verdict defined" if formula.kind is Kind.DEFINITION else "verdict proved"
        parts = (verdict, 'class="badge ', 'class="claim"', "Holds", "Derivation", "Example", "Prediction and count")
        for part in parts:
            assert part in page, (formula.name, part)
        assert "<math" in page
        assert page.count("✓") >= len(formula.steps)
        if formula.measured_by:
            assert f"<code>{formula.measured_by}</code>" in page
        for used in formula.uses:
            assert f'formulas/{used.name}.html"' in page
        badge = re.search(r'class="badge (\w+)"', page)
        assert badge is not None
        row = listed[listed.index(f'formulas/{formula.name}.html"') :]
        assert re.search(r'class="badge (\w+)"', row)[1] == badge[1]  # type: ignore[index]


def test_the_home_page_counts_what_formulas_rest_on(site: Path) -> None:
    """The home page counts as many badges as formulas, by kind, and the list of all formulas has the same ones."""
    home = (site / "index.html").read_text(encoding="utf-8")
    rows = re.findall(r'class="badge (\w+)"[^>]*>\w+</span></td><td[^>]*>(\d+)</td>', home)
    assert [word for word, _ in rows] == ["certified", "compared", "follows", "law", "definition"]
    assert sum(int(number) for _, number in rows) == len(catalogue())
    listed = (site / "formulas" / "index.html").read_text(encoding="utf-8").partition("<h2")[2]
    assert {word: listed.count(f'"badge {word}"') for word, _ in rows} == {word: int(n) for word, n in rows}


def test_certificates_say_what_they_assume(site: Path) -> None:
    """The runs and the degrees, none of which is read off differences; and what is compared one by one."""
    found = (
        "proved for all shapes of schematic: 5 runs, degree 1 in n_blocks, 1 in n_vocab, 2 in n_kv_heads, 2 in d_head"
    )
    assert found in (site / "formulas" / "total_parameters.html").read_text(encoding="utf-8")
    said = {page: (site / page).read_text(encoding="utf-8") for page in pages(site) if page.startswith("formulas/")}
    assert not [page for page, text in said.items() if "finite differences" in text]
    assert "of stages: 5 runs, degree 3 in stages, 1 in micro" in said["formulas/pipeline_bubble.html"]
    through = "what is compared one by one is for 1, 2 and 4 of "
    of_answers, of_stages = ("decode_time_with_cache", "request_time"), ("pipeline_time", "pipeline_throughput")
    assert all(f"{through}new_tokens" in said[f"formulas/{name}.html"] for name in of_answers)
    assert all(f"{through}" in said[f"formulas/{name}.html"] for name in of_stages)
    assert sum(through in text for text in said.values()) == 5


def test_an_approximation_is_shown_within_its_bound(site: Path) -> None:
    """And never as an equation between two numbers that differ."""
    for formula in catalogue():
        page = (site / "formulas" / f"{formula.name}.html").read_text(encoding="utf-8")
        if formula.kind is Kind.APPROXIMATION and formula.measured_by:
            assert "<td>within its bound</td>" in page
        for one, other in re.findall(r'<td class="n">([\d,]+)</td><td class="n">([\d,]+)</td><td>=</td>', page):
            assert one == other, formula.name


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
            assert other in read or (site / other).is_file(), (page, target)
            assert not anchor or anchor in read[other].ids, (page, target)
            followed += 1
    assert followed > 2000


def test_chapters_have_their_numbers(site: Path) -> None:
    """Heading, navigation, contents and the plain twin have the same, of the one list; the first page has none."""
    contents, plain = ((site / f"contents.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    for one in chapters(ROOT / "docs"):
        numbered = f"{one.number} {one.title}"
        html = (site / one.path).with_suffix(".html").read_text(encoding="utf-8")
        assert re.search(rf"<h1[^>]*>{re.escape(numbered)}<", html.replace("&#39;", "'")), one.path
        assert (site / one.path).read_text(encoding="utf-8").startswith(f"# {numbered}\n"), one.path
        assert re.sub(r"\s+", " ", Text(contents).text).count(f" {numbered} ") >= 1, one.path
        assert f"| {one.number} | [{one.title}](" in plain
    assert not re.search(r"<h1[^>]*>\d", (site / "index.html").read_text(encoding="utf-8"))


IN_RUNNING_TEXT = 12  # links of a chapter; who reads is not to be led away more often


def test_running_text_leads_away_seldom(site: Path) -> None:
    """Each chapter has few links but in tables, figures, boxes of formulas, exercises and where one may see more."""
    found = {
        str(path.relative_to(site)): RunningLinks(path.read_text(encoding="utf-8")).found
        for path in site.glob("book*/*.html")
    }
    assert len(found) >= 17
    assert all(found.values())
    assert {name: links for name, links in found.items() if len(links) > IN_RUNNING_TEXT} == {}


def test_one_link_too_many_is_counted() -> None:
    """The twin: links of paragraphs, lists and warnings count, and none beside them or outside of the article."""
    link = "<a href=x>x</a>"
    beside = f"<h2>{link}</h2><table><tr><td><p>{link}</p></td></tr></table><details><p>{link}</p></details>"
    beside += f"<div class=embedded><p>{link}</p></div><figure><figcaption><p>{link}</figure>"
    running = f"<p>a {link} b<br>c</p>{beside}<div class=admonition><p>{link}</p></div><ul><li>{link}</li></ul>"
    links = RunningLinks(f"<nav><p>{link}</p></nav><article>{running * 4}{link}</article><p>{link}</p>").found
    assert links == ["x"] * IN_RUNNING_TEXT


def test_examples_are_no_quotations(site: Path) -> None:
    """Examples of docstrings are no quotations: what is shown as typed stands in the docstring's `Examples`.

    The twin: outside of them, Markdown quotes it, three deep.
    """
    quoted = re.compile(r"<blockquote>\s*<blockquote>")
    assert [page for page in pages(site) if quoted.search((site / page).read_text(encoding="utf-8"))] == []
    assert quoted.search(markdown("Solve.\n\n>>> solve(latency)"))


def test_no_raw_latex_without_javascript_either(site: Path) -> None:
    """The text of every page, as it is in the file."""
    for page in pages(site):
        assert not RAW_LATEX.search(Text((site / page).read_text(encoding="utf-8")).text), page


def test_two_builds_are_the_same(site: Path, tmp_path: Path) -> None:
    """Byte by byte, but for the dates in the sitemap."""
    again = build(tmp_path / "again")
    files = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    other = [f for f in files if (site / f).read_bytes() != (again / f).read_bytes()]
    assert [str(file) for file in other if not str(file).startswith("sitemap.xml")] == []


def test_a_build_without_the_pages_fails(tmp_path: Path) -> None:
    """A generator that passes over the hook in silence finds nothing to build, and says so."""
    (tmp_path / "docs" / "_pages").mkdir(parents=True)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    hooked = "hooks:\n  - docs/_hook.py\n"
    assert hooked in config
    (tmp_path / "mkdocs.yml").write_text(config.replace(hooked, ""), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(
        command, cwd=tmp_path, env=os.environ | keeping(), capture_output=True, text=True, check=False
    )
    assert built.returncode != 0
    assert "formulas/index.md" in built.stderr
    assert not (tmp_path / "site" / "index.html").exists()


def test_what_is_finished_is_kept_from_markdown() -> None:
    """Mathematics and lines of HTML come back as they were, one in the other; what has an anchor stays where it is."""
    hook = runpy.run_path(str(ROOT / "docs" / "_hook.py"))
    page = SimpleNamespace(meta={}, file=SimpleNamespace(src_uri="a.md"))
    inner, hidden = "<math a><mi>x</mi></math>", "<table data-search-exclude"
    text = f"{inner} *is*\n\n<p>one</p><p>{inner}</p>\n\n{hidden}>\n\n<td>{inner}</td></table>"
    anchored = "\n\n<div><p id=b></p></div>" + f"\n\n{hidden} id=c></table>"
    short = hook["on_page_markdown"](text + anchored, page)
    assert short == f"<math a>0</math> *is*\n\n<p>0</p>\n\n{hidden}>0</table>{anchored}"
    searched = hook["on_page_content"](short, page)
    assert searched == short.replace("<p>0", "<p>one</p><p><math a>1</math>")
    assert hook["on_post_page"](searched, page) == text + anchored
    for part in ("<p>0</p>", f"{hidden}>0</table>"):
        for changed in (short.replace(part, "&lt;p&gt;0&lt;/p&gt;"), f"{short}\n{part}"):
            hook["on_page_markdown"](text + anchored, page)
            with pytest.raises(PluginError, match=r"^a\.md: a table or a line of HTML stands in code or in words"):
                hook["on_post_page"](hook["on_page_content"](changed, page), page)
