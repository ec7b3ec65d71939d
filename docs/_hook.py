"""The MkDocs hook: has the pages written before MkDocs looks for them, and their twins put beside them"""

import shutil
from pathlib import Path

from markdown import Extension, Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.pages.build import TWINS, write


class _MathInLine(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Let a line of text begin with mathematics, which would otherwise be a paragraph of its own."""
        md.block_level_elements.remove("math")


def on_config(config: MkDocsConfig) -> None:
    """Check every formula and write every page; without this there is none."""
    config.markdown_extensions.append(_MathInLine())  # type: ignore[arg-type]
    try:
        write(Path(config.docs_dir).parent, Path(config.docs_dir))
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


def on_post_build(config: MkDocsConfig) -> None:
    """Put the twins, and what else is for machines, beside the pages."""
    shutil.copytree(Path(config.docs_dir, TWINS), config.site_dir, dirs_exist_ok=True)
