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
from mkdocs.structure.pages import Page

from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.glossary import names_for
from symbolic_llm.pages.build import TWINS, write


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
_SEARCHED = {"book": {"boost": 2}, "decisions": {"exclude": True}}  # by folder, where search treats pages differently
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


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Take out what is inside mathematics, then what search leaves out, then lines that are HTML already."""
    page.meta |= {"search": _SEARCHED.get(page.file.src_uri.partition("/")[0], {})}
    return _LINES.take(_UNSEARCHED.take(_MATH.take(markdown, page), page), page)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put the lines back, which search reads."""
    return _put_back(_LINES, html, page)


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Put back what search left out, then mathematics."""
    return _MATH.put_back(_put_back(_UNSEARCHED, output, page), page)[0]


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
