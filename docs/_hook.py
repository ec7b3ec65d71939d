"""The MkDocs hook: has the pages written before MkDocs looks for them, and their twins put beside them

Mathematics, tables and what is folded away are finished before Markdown begins. A number stands for what is inside, so
that none of those who read a page on its way, tag by tag, has to read that: until the page is whole where search leaves
it out, and until Markdown is done with the page where search reads it.
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
    """What is inside certain elements of each page, with its number in its place meanwhile.

    What has an anchor stays: MkDocs looks for these.

    Args:
        tag: their tag, or several.
        marked: what stands next in them, or does not.
    """

    def __init__(self, tag: str, marked: str = "") -> None:
        opening = rf"(?P<opening><(?P<tag>{tag})\b{marked}(?:(?! id=| markdown=)[^>])*>)"
        inside = r"(?P<inside>(?:(?!<(?P=tag)\b| id=| markdown=)[\s\S])*?)"
        self._whole = re.compile(rf"{opening}{inside}(?=</(?P=tag)>)")
        self._numbered = re.compile(rf"{opening}(?P<inside>\d+)(?=</(?P=tag)>)")
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


_MATH = Apart("math")
_UNSEARCHED = Apart("table|details", " data-search-exclude")
_SEARCHED = Apart("table", "(?! data-search-exclude)")


def on_config(config: MkDocsConfig) -> None:
    """Check every formula and write every page; without this there is none."""
    try:
        write(Path(config.docs_dir).parent, Path(config.docs_dir))
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Take out what is inside mathematics, then tables."""
    return _SEARCHED.take(_UNSEARCHED.take(_MATH.take(markdown, page), page), page)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put the tables back that search reads."""
    return _put_back(_SEARCHED, html, page)


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Put the other tables back, then mathematics."""
    return _MATH.put_back(_put_back(_UNSEARCHED, output, page), page)[0]


def _put_back(tables: Apart, html: str, page: Page) -> str:
    html, whole = tables.put_back(html, page)
    if not whole:
        raise PluginError(f"{page.file.src_uri}: a table stands in code or in words, where Markdown changes it")
    return html


def on_post_build(config: MkDocsConfig) -> None:
    """Put the twins, and what else is for machines, beside the pages."""
    shutil.copytree(Path(config.docs_dir, TWINS), config.site_dir, dirs_exist_ok=True)
