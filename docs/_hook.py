"""The MkDocs hook: has the pages written before MkDocs looks for them, and their twins put beside them

Mathematics is finished before Markdown begins, and search leaves it out. A number stands for what is inside it until
the page is whole, so that none of those who read a page on its way, tag by tag, has to read that. A number stands for
each finished table too, until Markdown is done with the page: search reads tables.
"""

import re
import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.pages.build import TWINS, write


class Apart:
    """What is inside the elements of a kind, of each page, with its number in its place meanwhile."""

    def __init__(self, opening: str, inside: str, closing: str) -> None:
        self._whole = re.compile(rf"({opening})({inside})(?={closing})")
        self._numbered = re.compile(rf"({opening})(\d+)(?={closing})")
        self._inside: dict[str, list[str]] = {}

    def take(self, text: str, page: Page) -> str:
        """Leave numbers."""
        inside = self._inside[page.file.src_uri] = []

        def number(found: re.Match[str]) -> str:
            inside.append(found[2])
            return f"{found[1]}{len(inside) - 1}"

        return self._whole.sub(number, text)

    def put_back(self, text: str, page: Page) -> tuple[str, bool]:
        """The text as it was, and whether each number was met once."""
        inside = self._inside.pop(page.file.src_uri)
        text, met = self._numbered.subn(lambda found: found[1] + inside[int(found[2])], text)
        return text, met == len(inside)


_MATH = Apart(r"<math [^>]*>", r".+?", r"</math>")
_TABLES = Apart(  # MkDocs looks for anchors
    r"<table\b(?:(?! id=| markdown=)[^>])*>", r"(?:(?!<table| id=| markdown=)[\s\S])*?", r"</table>"
)


def on_config(config: MkDocsConfig) -> None:
    """Check every formula and write every page; without this there is none."""
    try:
        write(Path(config.docs_dir).parent, Path(config.docs_dir))
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Take out what is inside mathematics, then tables."""
    return _TABLES.take(_MATH.take(markdown, page), page)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put tables back."""
    html, whole = _TABLES.put_back(html, page)
    if not whole:
        raise PluginError(f"{page.file.src_uri}: a table stands in code or in words, where Markdown changes it")
    return html


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Put mathematics back."""
    return _MATH.put_back(output, page)[0]


def on_post_build(config: MkDocsConfig) -> None:
    """Put the twins, and what else is for machines, beside the pages."""
    shutil.copytree(Path(config.docs_dir, TWINS), config.site_dir, dirs_exist_ok=True)
