"""The plain Markdown of every page, and llms.txt, which lists it"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from browsing import pages

from symbolic_llm import catalogue
from symbolic_llm.pages import agent_skill
from symbolic_llm.pages.html import mathml
from symbolic_llm.pages.llms_txt import listing
from symbolic_llm.pages.markdown_twin import plain
from symbolic_llm.pages.pen import HtmlPen, Pen

pytestmark = pytest.mark.xdist_group("site")

CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
HTML = re.compile(r"</?[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>|<!--|&(?:\w+|#\d+);")
GENERATOR = re.compile(r"^(?::::|!!!|\?\?\?) ?|\{\{|\{%|\{:? *[#.]|<#", re.MULTILINE)  # what needs a site generator
MATHEMATICS = re.compile(r"\$\$\n(.+?)\n\$\$|(?<![\\$])\$([^$\n]+)\$", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
EMPTY = re.compile(r"^(#+) [^\n]*\n+(?=(#+) |\Z)", re.MULTILINE)


def faults(path: str, text: str, known: set[str]) -> list[str]:
    """The faults of a plain page, whose links may lead to the known pages only."""
    prose = CODE.sub("`code`", text)
    found = [f"HTML: {one[0]}" for one in HTML.finditer(prose)]
    found += [f"for a generator: {one[0]}" for one in GENERATOR.finditer(prose)]
    found += [f"empty: {one[0].strip()}" for one in EMPTY.finditer(prose) if len(one[2] or "#") <= len(one[1])]
    if not re.match(r"# \S[^\n]*\n", text):
        found.append("no title")
    for one in MATHEMATICS.finditer(prose):
        try:
            mathml(one[1] or one[2])
        except Exception as error:
            found.append(f"no LaTeX: {one[0]}: {error}")
    if "$" in MATHEMATICS.sub("", prose).replace(r"\$", ""):
        found.append("a dollar alone")
    for target in LINK.findall(prose):
        if "://" not in target:
            other = os.path.normpath(os.path.join(os.path.dirname(path), target.partition("#")[0]))
            if other not in known:
                found.append(f"leads nowhere: {target}")
    return found


def twins(site: Path) -> dict[str, str]:
    """Every plain page by its path; a skill of agents is none."""
    found = {str(path.relative_to(site)): path for path in sorted(site.rglob("*.md"))}
    return {name: path.read_text(encoding="utf-8") for name, path in found.items() if not name.startswith(".")}


def test_every_page_has_a_twin(site: Path) -> None:
    """Beside it, under the same name."""
    assert set(twins(site)) == {page.replace(".html", ".md") for page in pages(site)}


def test_twins_are_plain_markdown(site: Path) -> None:
    """No HTML, nothing for a generator, no empty section, mathematics as LaTeX, links that lead to twins or to data."""
    written = twins(site)
    files = (path for ending in ("json", "ipynb") for path in site.glob(f"assets/*.{ending}"))
    known = {*written, *(str(path.relative_to(site)) for path in files)}
    found = {path: wrong for path, text in written.items() if (wrong := faults(path, text, known))}
    assert len(written) > len(catalogue())
    assert not found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n\nan <em>emphasis</em>\n", "HTML: <em>"),
        ("# A\n\n&nbsp;\n", "HTML"),
        ("# A\n\n## B\n\n## C\n\ntext\n", "empty: ## B"),
        ("# A\n\n## B\n", "empty: ## B"),
        ("# A\n", "empty: # A"),
        ("text\n", "no title"),
        ("# A\n\n::: symbolic_llm.api\n", "for a generator"),
        ("# A\n\n!!! note\n", "for a generator"),
        ("# A\n\n{{ P }}\n", "for a generator"),
        ("# A { #a }\n\ntext\n", "for a generator"),
        ("# A\n\n$\\nosuch{P}$\n", "no LaTeX"),
        ("# A\n\ncosts 5 $ and\n", "a dollar alone"),
        ("# A\n\n[b](b.md)\n", "leads nowhere: b.md"),
        ("# A\n\n[b](../a.md)\n", "leads nowhere"),
        ("# A\n\n[b](a.html)\n", "leads nowhere"),
    ],
)
def test_a_page_that_is_not_plain_is_noticed(text: str, said: str) -> None:
    """The twin: each thing that is looked for is found; code may hold all of it."""
    assert any(said in wrong for wrong in faults("a.md", text, {"a.md"}))
    assert not faults("a.md", f"# A\n\n```\n{text.strip()}\n```\n\n`<b>` and [a](a.md), $P$\n", {"a.md"})


def test_what_a_generator_would_have_done() -> None:
    """Asides are quotations, directives what the docstrings say, attributes gone, code as it was."""
    assert (
        plain('!!! warning "Wrong"\n    One.\n\n    Two.\n\nAfter\n') == "> **Wrong**\n>\n> One.\n>\n> Two.\n\nAfter\n"
    )
    assert plain("## Title { #anchor }\n\n`{ #a }`\n") == "## Title\n\n`{ #a }`\n"
    documented = plain("::: symbolic_llm.api\n    options:\n      heading_level: 3\n      members: [solve]\n\nAfter\n")
    assert documented.startswith("### `symbolic_llm.api`\n\nThe five questions")
    assert "#### `solve(formula: Formula | str, /, unknown: object = None" in documented
    assert "- `formula`: a formula or its name." in documented
    assert "```python\n>>> from symbolic_llm import solve" in documented
    assert documented.endswith("\n\nAfter\n")
    assert Pen("../").link("formulas/index#memory", "Memory") == "[Memory](../formulas/index.md)"


def test_the_pen_of_the_site_leaves_little_to_that_of_twins() -> None:
    """Text that it did not write itself would stand there as Markdown: a heading does, and MathML comes of LaTeX."""
    own = {name for name in vars(Pen) if not name.startswith("_")}
    assert own - vars(HtmlPen).keys() == {"math", "section"}


def test_what_is_for_programs_stands_beside_the_pages(site: Path) -> None:
    """The skill of agents with its index, as the package writes them, and the schemas that pages name."""
    for path, text in agent_skill.files():
        assert (site / path).read_text(encoding="utf-8") == text
    for schema in ("answers.schema.json", "claims.schema.json"):
        json.loads((site / "assets" / schema).read_text(encoding="utf-8"))
    assert (site / "assets" / "first-questions.ipynb").is_file()


def test_llms_txt_lists_every_page_once(site: Path) -> None:
    """In the order of the site, each with one line, and the links lead to the twins."""
    lines = (site / "llms.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# symbolic_llm"
    assert lines[2].startswith("> ")
    links = [LINK.search(line)[1] for line in lines if line.startswith("- ")]  # type: ignore[index]
    assert sorted(links) == sorted(twins(site))
    assert links[0] == "index.md"
    assert links.index("book/two-speeds.md") < links.index("book/batching.md") < links.index("formulas/index.md")
    assert "- [Batch crossover](formulas/batch_crossover.md): B* = n_bytes·F/(2·W)" in lines
    assert not [line for line in lines if HTML.search(CODE.sub("", line))]
    for chapter in catalogue().chapters():
        assert f"## Formulas: {chapter.title}" in lines


def test_llms_txt_says_what_a_page_begins_with(tmp_path: Path) -> None:
    """Its first sentence of prose, if it has one before its first section."""
    (tmp_path / "mkdocs.yml").write_text("nav:\n  - Book:\n      - b.md\n      - More:\n          - A: a.md\n")
    written = {
        "a.md": "# A\n\n2026-11-21\n\n$$\nx\n$$\n\nIs it\nso? It is.\n\n## B\n",
        "b.md": "# B\n\n## C\n\nNo.\n",
        "c.md": "# C\n",
    }
    found = listing(tmp_path / "docs", written)
    assert "## Book\n\n- [B](b.md)\n- [A](a.md): Is it so?\n" in found
    assert "## Optional\n\n- [C](c.md)\n" in found
