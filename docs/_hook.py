"""The MkDocs hook: has the pages written before MkDocs looks for them, and their twins put beside them"""

import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.pages.build import TWINS, write


def on_config(config: MkDocsConfig) -> None:
    """Check every formula and write every page; without this there is none."""
    try:
        write(Path(config.docs_dir).parent, Path(config.docs_dir))
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


def on_post_build(config: MkDocsConfig) -> None:
    """Put the twins, and what else is for machines, beside the pages."""
    shutil.copytree(Path(config.docs_dir, TWINS), config.site_dir, dirs_exist_ok=True)
