"""Settings shared by all tests"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # a worker for each core: threads of NumPy's would only wait for each other
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from reference_engine.cores import cores
from symbolic_llm.formula import Formula  # before a test imports SymPy, which would then count with FLINT

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
sys.path.insert(0, str(Path(__file__).parent))

from browsing import Tab, build, chromium, served
from sessions import keeping, prompting, remember, share

os.environ["SYMBOLIC_LLM_CACHE"] = (
    ""  # what is kept there is no finding of this run, and what is planted here none to be kept
)

if TYPE_CHECKING:
    from calculating import Screen
    from visiting import Visits

hypothesis.settings.register_profile("suite", deadline=None, max_examples=30, print_blob=True)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def _shared(tmp_path_factory: pytest.TempPathFactory) -> None:
    share(tmp_path_factory)


@pytest.fixture(autouse=True)
def _entries_are_shared(_shared: None) -> None:
    """The entries of the engine's runs are derived once in a test run, by whoever is first: the site, as a rule."""
    remember()


@pytest.fixture
def kept_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings on the catalogue as it is, and the engine's answers, are kept for whoever asks again in this run.

    For workers, commands and the site, which checks all of it anew, and first.
    """
    for name, value in keeping().items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly; whoever looks at it is of the group "site", so that one worker builds it.

    CI names the one that it has just built itself, where that has all that this one would have.
    """
    built = Path(os.environ.get("SYMBOLIC_LLM_TEST_SITE", ""))
    if built.name and ((built / "assets" / "prompt").is_dir() or not prompting()):
        return built
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


@pytest.fixture(scope="session")
def visits(browser: Any, site: Path, address: str) -> Iterator[Visits]:
    """Answers of the site's pages, each of which is opened once."""
    from visiting import Visits  # with the package, as below

    page = browser.new_page()
    yield Visits(Tab(page), site, address)
    page.close()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Tab]:
    """A page that is watched."""
    page = browser.new_page()
    yield Tab(page)
    page.close()


@pytest.fixture(scope="module")
def large(browser: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """A page with the calculators that a module names in `SHOWN`, opened from a file."""
    from calculating import Screen, catalogue_script, page_with  # with the package, which few need

    page = browser.new_page()
    yield Screen(page, page_with(tmp_path_factory.mktemp("large"), catalogue_script(), *request.module.SHOWN))
    page.close()


@pytest.fixture
def screen(large: Screen) -> Iterator[Screen]:
    """A page with calculators, before anything was moved."""
    large.open()
    yield large
    assert not large.wrong


def pytest_xdist_auto_num_workers() -> int:
    """A worker for each core that this process may use, and no fewer than two; xdist does not know a container's share.

    No more than eight: each collects all tests.
    """
    return min(max(2, cores()), 8)


def pytest_make_parametrize_id(val: object) -> str | None:
    """A test of a long text is named by how it begins; the others as pytest names them."""
    if isinstance(val, str | bytes) and len(val) > 200:
        return f"{ascii(val[:60])[:100]} and so on, {len(val)} in all"
    return None


def pytest_configure(config: pytest.Config) -> None:
    """Tests begin in the order below, where xdist would take the largest groups first."""
    config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)  # xdist writes the groups into the names
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of one formula go to one worker, so that it is solved and compiled once.

    The site comes first, then what one worker has to do alone, so that none is left with it at the end. The site finds
    what is true of the whole catalogue and what the engine answers, so those who ask for either come last.
    """
    for item in items:
        formula = getattr(item, "callspec", None) and item.callspec.params.get("formula")
        if isinstance(formula, Formula) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(formula.name))
    items.sort(
        key=lambda item: (
            _group(item) != "site",
            "kept_findings" in item.fixturenames,
            item.get_closest_marker("xdist_group") is None,
        )
    )


def _group(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    return str(marker.args[0]) if marker is not None and marker.args else ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hypothesis knows a test by its name; it would read the source of the test for each of its parameters."""
    if hasattr(test := getattr(item, "obj", None), "hypothesis"):
        test._hypothesis_internal_database_key = item.nodeid.partition("@")[0].encode()  # without the group of xdist


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test leaves its settings as it found them.

    Hypothesis wraps them once more for each set of parameters, and where no database stands in them, as under CI, asks
    all of them in turn: a thousand sets are deeper than Python recurses.
    """
    test = getattr(item, "obj", None)
    settings = getattr(test, "_hypothesis_internal_use_settings", None)
    try:
        return (yield)
    finally:
        if settings is not None:
            test._hypothesis_internal_use_settings = settings


def pytest_sessionstart() -> None:
    """Python looks for cycles seldom: each time it goes through all formulas and all that was solved."""
    gc.set_threshold(50_000, 50, 100)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collected tests stay to the end, so cycles are not looked for in them.

    Groups are in the names that xdist divides by; were they not, every worker would build the site again.
    """
    gc.collect()
    gc.freeze()
    if getattr(session.config.option, "loadgroup", False):
        groups = (item for item in session.items if item.get_closest_marker("xdist_group"))
        if lost := next((item.nodeid for item in groups if "@" not in item.nodeid), None):
            raise pytest.UsageError(f"pytest-xdist does not see the group of {lost}.")
