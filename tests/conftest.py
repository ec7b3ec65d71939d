"""Settings shared by all tests"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import symbolic_llm  # noqa: F401 - before a test imports SymPy, which would then count with FLINT

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
os.environ["SYMBOLIC_LLM_CACHE"] = ""  # what is planted here is no finding to be kept
sys.path.insert(0, str(Path(__file__).parent))

from browsing import Tab, build, chromium, served
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


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly; whoever looks at it is of the group "site", so that one worker builds it."""
    return build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The site over http."""
    with served(site) as found:
        yield found


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Tab]:
    """A page that is watched."""
    page = browser.new_page()
    yield Tab(page)
    page.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What one worker has to do alone begins first, so that none is left with it at the end, and the site before all.

    Its findings are those of the whole catalogue, which copies of it need as well.
    """
    items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, item.path.stem != "test_site"))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Groups are in the names that xdist divides by; were they not, every worker would build the site again."""
    if getattr(session.config.option, "loadgroup", False):
        groups = (item for item in session.items if item.get_closest_marker("xdist_group"))
        if lost := next((item.nodeid for item in groups if "@" not in item.nodeid), None):
            raise pytest.UsageError(f"pytest-xdist does not see the group of {lost}.")
