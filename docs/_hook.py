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

_MATH = re.compile(r"(?<=<math )([^>]*>)(.+?)(?=</math>)")
_STANDS_FOR = re.compile(r"(?<=<math )([^>]*>)(\d+)(?=</math>)")
_inside: dict[str, list[str]] = {}  # of each page
_TABLE = re.compile(r"<table\b(?:(?!<table| id=| markdown=).)*?</table>", re.DOTALL)  # MkDocs looks for anchors
_STANDS_FOR_A_TABLE = re.compile(r"<table (\d+)></table>")
_tables: dict[str, list[str]] = {}


def on_config(config: MkDocsConfig) -> None:
    """Check every formula and write every page; without this there is none."""
    try:
        write(Path(config.docs_dir).parent, Path(config.docs_dir))
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Take out what is inside mathematics, then tables."""
    inside = _inside[page.file.src_uri] = []
    tables = _tables[page.file.src_uri] = []

    def taken(found: re.Match[str]) -> str:
        inside.append(found[2])
        return f"{found[1]}{len(inside) - 1}"

    def taken_whole(found: re.Match[str]) -> str:
        tables.append(found[0])
        return f"<table {len(tables) - 1}></table>"

    return _TABLE.sub(taken_whole, _MATH.sub(taken, markdown))


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put tables back."""
    tables = _tables.pop(page.file.src_uri)
    html, number = _STANDS_FOR_A_TABLE.subn(lambda found: tables[int(found[1])], html)
    if number != len(tables):
        raise PluginError(f"{page.file.src_uri}: a table stands in code or in words, where Markdown changes it")
    return html


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Put it back."""
    inside = _inside.pop(page.file.src_uri)
    return _STANDS_FOR.sub(lambda found: found[1] + inside[int(found[2])], output)


def on_post_build(config: MkDocsConfig) -> None:
    """Put the twins, and what else is for machines, beside the pages."""
    shutil.copytree(Path(config.docs_dir, TWINS), config.site_dir, dirs_exist_ok=True)
