"""Results shared by the workers of one test run, and by the tests that a test runs"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symbolic_llm.errors import MissingDependency
from symbolic_llm.pages import runtime
from symbolic_llm.witness import ledger_entries

FINDINGS = "SYMBOLIC_LLM_TEST_FINDINGS"


def share(folders: pytest.TempPathFactory) -> None:
    """Name the folder of the findings, below the one that pytest has for the whole run and clears away.

    The run begins with none: what a user keeps may be found on other sources, or be written by anyone. CI names the
    folder of the check that it has just made itself.
    """
    if FINDINGS not in os.environ:
        own = folders.getbasetemp()
        run: Path = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
        os.environ[FINDINGS] = str(run / "findings")


def keeping() -> dict[str, str]:
    """Settings with which findings are kept for all processes of a run."""
    return {"SYMBOLIC_LLM_CACHE": os.environ[FINDINGS]}


def once(name: str, make: Callable[[], Any]) -> Any:
    """A result that JSON can hold: one worker makes it, and the others read it."""
    place = Path(os.environ[FINDINGS]) / "once" / f"{name}.json"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        whole = place.with_suffix(f".{os.getpid()}")
        whole.write_text(json.dumps(make()), encoding="utf-8")
        whole.replace(place)
    return json.loads(place.read_text(encoding="utf-8"))


_read: tuple[object, int] | None = None  # the memory that was read, and how much there was to read


def remember() -> None:
    """Know what the engine answered in any process of the run; what empties the caches forgets it with all else."""
    global _read
    kept = sum(path.stat().st_size for path in Path(os.environ[FINDINGS]).glob("engine-*"))
    if _read != (ledger_entries.memory(), kept):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in keeping().items():
                patch.setenv(name, value)
            ledger_entries.memory.cache_clear()
            _read = ledger_entries.memory(), kept


def prompting() -> dict[str, str]:
    """The setting with which a site runs Python, from a folder that is named or fetched once; {} where none can be."""
    place = os.environ.get(runtime.PLACE) or once("prompt", _fetched)
    return {runtime.PLACE: place} if place else {}


def _fetched() -> str:
    folder = Path(os.environ[FINDINGS]) / "prompt"
    try:
        runtime.fetch(folder)
    except MissingDependency:
        return ""
    return str(folder)
