"""Formulas in other languages, as their pages offer them to be copied, and how the whole is cited"""

from __future__ import annotations

import html
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from browsing import ROOT, Tab

import symbolic_llm
from symbolic_llm import catalogue
from symbolic_llm.expressions.exact import exactly
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS, named
from symbolic_llm.pages.html import mathml
from symbolic_llm.pages.other_languages import YEAR, texts

VALUED = [formula for formula in catalogue() if formula.quantity is not None]


def numbers(formula: Formula) -> dict[str, int]:
    """A value for each letter of its right-hand side, no two alike."""
    letters = [symbol.name for symbol in LETTERS if symbol in formula.rhs.free_symbols]
    return {name: 3 + 7 * place + place**2 for place, name in enumerate(letters)}


def value(formula: Formula) -> float:
    """Value of the formula at `numbers`, exact but for the last step."""
    return float(exactly(formula.rhs)[0]({named(name): Fraction(one) for name, one in numbers(formula).items()}))


@pytest.mark.parametrize("formula", VALUED, ids=lambda formula: formula.name)
def test_python_computes_what_the_formula_does(formula: Formula) -> None:
    """Run as it would be pasted."""
    names: dict[str, Any] = dict(numbers(formula))
    exec(dict(texts(formula))["Python"], names)
    assert math.isclose(names[formula.quantity.name], value(formula), rel_tol=1e-12)


@pytest.mark.xdist_group("site")
def test_javascript_computes_what_the_formula_does(browser: Any) -> None:
    """In the browser; and a formula that is not the one is noticed."""
    page = browser.new_page()
    run = """(asked) => asked.map(([code, values, quantity]) =>
      new Function(...Object.keys(values), `${code} return ${quantity};`)(...Object.values(values)))"""
    asked = [[dict(texts(one))["JavaScript"], numbers(one), one.quantity.name] for one in VALUED]
    found = page.evaluate(run, asked)
    for formula, number in zip(VALUED, found, strict=True):
        assert math.isclose(number, value(formula), rel_tol=1e-12), formula.name
    wrong = [[code.replace("*", "+", 1), values, quantity] for code, values, quantity in asked if "*" in code]
    assert page.evaluate(run, wrong[:1]) != page.evaluate(run, [asked[0]])
    page.close()


@pytest.mark.parametrize("formula", catalogue(), ids=lambda formula: formula.name)
def test_latex_markdown_and_bibtex(formula: Formula) -> None:
    """LaTeX that converts, alone and in Markdown; an entry with balanced braces that names formula and version."""
    found = dict(texts(formula))
    assert mathml(found["LaTeX"])
    assert found["Markdown"] == f"**{formula.title}**\n\n$$\n{found['LaTeX']}\n$$"
    entry = found["BibTeX"]
    assert entry.startswith(f"@misc{{symbolic_llm:{formula.name},\n")
    assert entry.count("{") == entry.count("}")
    assert f"title = {{{{{formula.title}}}}}" in entry
    assert f"version = {{{symbolic_llm.__version__}}}" in entry
    assert not re.search(r"(?<!\\)_", entry.partition("\n")[2])
    assert ("Python" in found) == ("JavaScript" in found) == (formula.quantity is not None)


@pytest.mark.xdist_group("site")
def test_every_page_offers_them(site: Path) -> None:
    """Folded away and readable without JavaScript."""
    for formula in catalogue():
        page = (site / "formulas" / f"{formula.name}.html").read_text(encoding="utf-8")
        folded = page[page.index('<details data-search-exclude class="elsewhere">') :].partition("</details>")[0]
        shown = html.unescape(folded)
        for language, text in texts(formula):
            assert f"<p>{language}</p>" in folded
            assert text in shown, (formula.name, language)


@pytest.mark.xdist_group("site")
@pytest.mark.parametrize("way", ["http", "file"])
def test_a_click_copies(tab: Tab, site: Path, address: str, way: str) -> None:
    """A click copies the text beside the button, line by line; over http and from a file."""
    page, found = tab.page, dict(texts(catalogue()["sequences_that_fit"]))
    page.goto(f"{address if way == 'http' else site.as_uri()}/formulas/sequences_that_fit.html")
    page.click("details.elsewhere > summary")
    assert "BibTeX" in page.inner_text("details.elsewhere")
    for place, language in enumerate(found):
        box = page.locator("details.elsewhere pre").nth(place)
        box.hover()
        box.locator(".md-clipboard, .md-code__button[data-md-type=copy]").first.click()
        page.evaluate("""() => {
          document.querySelector("#pasted")?.remove();
          document.body.insertAdjacentHTML("afterbegin", "<textarea id=pasted></textarea>");
        }""")
        page.focus("#pasted")
        page.keyboard.press("Control+V")
        assert page.input_value("#pasted") == found[language]


def test_the_citation_is_that_of_the_package() -> None:
    """In the format of CITATION.cff: what it requires, and the version and licence of the package."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited.keys() >= {"cff-version", "message", "title", "authors"}
    known = {"cff-version", "message", "title", "authors", "type", "version", "license", "keywords"}
    assert cited.keys() <= {*known, "repository-code", "url"}
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "software"
    assert cited["version"] == symbolic_llm.__version__
    assert cited["authors"] == [{"name": "The symbolic_llm authors"}]
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith(f"{cited['license']} License")
    assert f"Copyright (c) {YEAR} {cited['authors'][0]['name']}" in licence
