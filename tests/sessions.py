"""What the workers of one test run share, and the tests that a test runs"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from symbolic_llm.bridge import remembered

FINDINGS = "SYMBOLIC_LLM_TEST_FINDINGS"


def share(folders: pytest.TempPathFactory) -> None:
    """Name the folder of the findings, below the one that pytest has for the whole run and clears away."""
    own = folders.getbasetemp()
    run: Path = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    os.environ.setdefault(FINDINGS, str(run / "findings"))


def keeping() -> dict[str, str]:
    """Settings with which findings are kept for all processes of a run."""
    return {"SYMBOLIC_LLM_CACHE": os.environ[FINDINGS]}


_read: tuple[object, int] | None = None  # the memory that was read, and how much there was to read


def remember() -> None:
    """Know what the engine answered in any process of the run; what empties the caches forgets it with all else."""
    global _read
    kept = sum(path.stat().st_size for path in Path(os.environ[FINDINGS]).glob("engine-*"))
    if _read != (remembered.memory(), kept):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in keeping().items():
                patch.setenv(name, value)
            remembered.memory.cache_clear()
            _read = remembered.memory(), kept
