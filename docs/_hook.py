"""The MkDocs hook: has the pages written before MkDocs looks for them, and their twins put beside them

Mathematics, tables and what is folded away are finished before Markdown begins. A number stands for what is inside, so
that none of those who read a page on its way, tag by tag, has to read that: until the page is whole where search leaves
it out, and until Markdown is done with the page where search reads it.
"""

import gc
import json
import re
import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.glossary import names_for
from symbolic_llm.pages.build import TWINS, write
from symbolic_llm.pages.examples import EXAMPLE, EXAMPLES, Example, choices, example_of


class Apart:
    """What is inside certain elements of each page, with its number in its place meanwhile.

    What has an anchor stays: MkDocs looks for these.

    Args:
        opening: how such an element begins; its `tag` is named.
        inside: what may be in it.
        after: what follows it.
    """

    def __init__(self, opening: str, inside: str, after: str = "") -> None:
        element = rf"(?P<opening>{opening})(?P<inside>{{}})(?=</(?P=tag)>{after})"
        self._whole, self._numbered = (re.compile(element.format(one), re.MULTILINE) for one in (inside, r"\d+"))
        self._inside: dict[str, list[str]] = {}

    def take(self, text: str, page: Page) -> str:
        """Leave numbers."""
        inside = self._inside[page.file.src_uri] = []

        def number(found: re.Match[str]) -> str:
            inside.append(found["inside"])
            return f"{found['opening']}{len(inside) - 1}"

        return self._whole.sub(number, text)

    def put_back(self, text: str, page: Page) -> tuple[str, bool]:
        """The text as it was, and whether each number was met once."""
        inside = self._inside.pop(page.file.src_uri)
        text, met = self._numbered.subn(lambda found: found["opening"] + inside[int(found["inside"])], text)
        return text, met == len(inside)


_PLAIN = "(?! id=| markdown=)"


def _elements(tag: str, marked: str = "") -> Apart:
    """Those of a tag or several, with `marked` next in them, and with none of them inside."""
    return Apart(rf"<(?P<tag>{tag})\b{marked}(?:{_PLAIN}[^>])*>", rf"(?:(?!<(?P=tag)\b){_PLAIN}[\s\S])*?")


_MATH = _elements("math")
_UNSEARCHED = _elements("table|details", " data-search-exclude")
# by folder, where search treats pages differently: of a chapter's pages it finds the first
_SEARCHED = {one.folder: {"exclude": True} for one in EXAMPLES} | {"book": {"boost": 2}, "decisions": {"exclude": True}}
_SECTION = re.compile(r'(<a class="headerlink" href="#([^"]*)"[^>]*>[^<]*</a>)(?=</h2>)')
_LINES = Apart(rf"^<(?P<tag>div|p|ul|details)\b(?! data-search-exclude)(?:{_PLAIN}[^>])*>", rf"(?:{_PLAIN}[^\n])*", "$")


def on_startup(command: str, **_: object) -> None:
    """Search for no cycles: a build lives for seconds, and a search goes through all that SymPy and MkDocs keep."""
    if command == "build":
        gc.disable()


def on_config(config: MkDocsConfig) -> None:
    """Check every formula and write every page; without this there is none."""
    try:
        write(Path(config.docs_dir).parent, Path(config.docs_dir))
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


def on_nav(nav: Navigation, files: Files, **_: object) -> None:
    """Give a chapter's further pages the place of the first in the book, with neighbours of the same example."""
    pages = {file.src_uri.removesuffix(".md"): file.page for file in files.documentation_pages()}
    for first in nav.pages:
        for example, path in choices(first.file.src_uri).items():
            if example != EXAMPLE:
                page = pages[path]
                page.parent, page.canonical_url = first.parent, get_relative_url(first.url, page.url)
                page.previous_page, page.next_page = (
                    one and pages[example.path(one.file.src_uri.removesuffix(".md"))]
                    for one in (first.previous_page, first.next_page)
                )


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Take out what is inside mathematics, then what search leaves out, then lines that are HTML already."""
    page.meta |= {"search": _SEARCHED.get(page.file.src_uri.partition("/")[0], {})}
    if (own := example_of(page.file.src_uri)) != EXAMPLE:
        page.meta["title"] = f"{markdown.partition(chr(10))[0].removeprefix('# ')}: {own.words}"
    return _LINES.take(_UNSEARCHED.take(_MATH.take(markdown, page), page), page)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put the lines back, which search reads, and beside each section a link to that of every other example."""
    html = _put_back(_LINES, html, page)
    for example, path in _others(page):
        same = rf'<a class="headerlink" href="../{path}.html#\2" title="With numbers for {example.words}">&#8644;</a>'
        html = _SECTION.sub(rf"\1{same}", html)
    return html


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Put back what search left out, then mathematics; around a page of an example the menus lead to its others."""
    output = _MATH.put_back(_put_back(_UNSEARCHED, output, page), page)[0]
    if (own := example_of(page.file.src_uri)) == EXAMPLE:
        return output
    parts = re.split(r"(<article\b.*</article>)", output, flags=re.DOTALL)
    parts[::2] = map(own.led, parts[::2])
    return "".join(parts)


def _others(page: Page) -> list[tuple[Example, str]]:
    """The examples that a reader of a page can choose instead, each with its page."""
    own = example_of(page.file.src_uri)
    return [(example, path) for example, path in choices(page.file.src_uri).items() if example != own]


def _put_back(apart: Apart, html: str, page: Page) -> str:
    html, whole = apart.put_back(html, page)
    if not whole:
        said = "a table or a line of HTML stands in code or in words, where Markdown changes it"
        raise PluginError(f"{page.file.src_uri}: {said}")
    return html


def on_post_build(config: MkDocsConfig) -> None:
    """Put the twins, and what else is for machines, beside the pages; let words of the glossary find their pages.

    A name of one word counts twice: "prefill" is more to the page on prefill than to the one on chunked prefill.
    """
    shutil.copytree(Path(config.docs_dir, TWINS), config.site_dir, dirs_exist_ok=True)
    index = Path(config.site_dir, "search", "search_index.json")
    found = json.loads(index.read_text(encoding="utf-8"))
    for entry in found["docs"]:
        if names := names_for(entry["location"].removesuffix(".html")):  # an entry of a section has an anchor
            entry["words"], entry["word"] = names, [name for name in names if not re.search(r"[\s-]", name)]
    index.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")


def on_shutdown(**_: object) -> None:
    """Leave what a build made to the end of the process, which would look through it once more."""
    gc.freeze()
