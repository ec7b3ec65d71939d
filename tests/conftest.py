"""Settings shared by all tests"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hypothesis
import pytest

import symbolic_llm  # noqa: F401 - before a test imports SymPy, which would then count with FLINT

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
os.environ["SYMBOLIC_LLM_CACHE"] = ""  # what is planted here is no finding to be kept
sys.path.insert(0, str(Path(__file__).parent))

from sessions import keeping, share

hypothesis.settings.register_profile("suite", deadline=None, max_examples=30, print_blob=True)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def _shared(tmp_path_factory: pytest.TempPathFactory) -> None:
    share(tmp_path_factory)


@pytest.fixture
def kept_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found on the catalogue as it is, kept for whoever asks again in this run: workers, commands, the site."""
    for name, value in keeping().items():
        monkeypatch.setenv(name, value)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What one worker has to do alone begins first, so that none is left with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
