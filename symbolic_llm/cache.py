"""The user's cache: where what was found or printed before is kept"""

from __future__ import annotations

import os
from pathlib import Path

_PLACE = "SYMBOLIC_LLM_CACHE"  # a folder of one's own; empty for none


def folder() -> Path | None:
    """The folder; None where nothing is to be kept."""
    if (given := os.environ.get(_PLACE)) is not None:
        return Path(given) if given else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "symbolic_llm"
