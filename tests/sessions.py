"""What the workers of one test run share, and the tests that a test runs"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from symbolic_llm.errors import MissingDependency
from symbolic_llm.pages import runtime

FINDINGS = "SYMBOLIC_LLM_TEST_FINDINGS"


def share(folders: pytest.TempPathFactory) -> None:
    """Name the folder of the findings, below the one that pytest has for the whole run and clears away."""
    own = folders.getbasetemp()
    run: Path = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    os.environ.setdefault(FINDINGS, str(run / "findings"))


def keeping() -> dict[str, str]:
    """Settings with which findings are kept for all processes of a run."""
    return {"SYMBOLIC_LLM_CACHE": os.environ[FINDINGS]}


@cache
def prompting() -> dict[str, str]:
    """The setting with which a site runs Python, from a folder that is named or fetched once; {} where none can be."""
    if place := os.environ.get(runtime.PLACE):
        return {runtime.PLACE: place}
    folder = Path(os.environ[FINDINGS]).with_name("prompt")
    try:
        runtime.fetch(folder)
    except MissingDependency:
        return {}
    return {runtime.PLACE: str(folder)}
