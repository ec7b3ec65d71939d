"""The documentation shows what happens"""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

import reference_engine
import symbolic_llm
from symbolic_llm import catalogue, presets
from symbolic_llm.audit import sources
from symbolic_llm.cli import parser
from symbolic_llm.models.families import FAMILIES

pytestmark = pytest.mark.usefixtures("kept_findings")
ROOT = Path(__file__).parent.parent
MODULES = [
    module.name
    for package in (symbolic_llm, reference_engine)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    if not module.name.endswith("__main__")
]
PAGES = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("docs/*.md"), *ROOT.glob("docs/book/*.md")))
EXAMPLES = ["README.md", *(path for path in PAGES if ">>> " in (ROOT / path).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", EXAMPLES)
def test_examples_of_the_pages(path: str) -> None:
    """Every line of Python, with its output."""
    found = doctest.testfile(str(ROOT / path), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert found.attempted >= 1
    assert found.failed == 0


def test_the_examples_are_many() -> None:
    """Of README and of the pages."""
    assert {"README.md", "docs/index.md", "docs/models.md"} <= set(EXAMPLES)
    assert sum((ROOT / path).read_text(encoding="utf-8").count(">>> ") for path in EXAMPLES) >= 20


def test_a_wrong_example_is_noticed(tmp_path: Path) -> None:
    """The twin: one wrong digit fails."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("161.24031007751938", "161.24031007751939")
    wrong = tmp_path / "README.md"
    wrong.write_text(text, encoding="utf-8")
    found = doctest.testfile(
        str(wrong), module_relative=False, optionflags=doctest.ELLIPSIS, report=False, encoding="utf-8"
    )
    assert found.failed == 1


def test_examples_of_the_docstrings() -> None:
    """Of both packages."""
    attempted = 0
    for name in [*MODULES, "symbolic_llm", "reference_engine"]:
        found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
        assert found.failed == 0, name
        attempted += found.attempted
    assert attempted >= 20


def test_the_two_commands_stand_first() -> None:
    """In README, before anything else that can be typed; and the Makefile has them."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = readme[readme.index("```") : readme.index("```", readme.index("```") + 3)]
    assert re.findall(r"make \w+", first) == ["make site", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("site", "test", "check", "bench", "build", "lint"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize(("goal", "extra"), [("site", "docs"), ("test", "test")])
def test_who_wants_a_site_waits_for_no_tests(tmp_path: Path, goal: str, extra: str) -> None:
    """Each of the two sets up what it needs itself: what tests take besides is as much again."""
    said = subprocess.run(
        ["make", "-n", f"VENV={tmp_path}", goal], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.findall(r"-e '\.\[(.*)\]'", said.stdout) == [extra]


def test_every_command_is_documented() -> None:
    """On the page of the command line."""
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    actions = next(action for action in parser()._actions if action.dest == "command")
    for command in actions.choices or ():
        assert f"symbolic-llm {command}" in page


def test_the_readme_counts_what_there_is() -> None:
    """Models, devices and claims."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    claims = sum(len(one.claims) for one in sources())
    assert f"{len(presets.names('models'))} models and {len(presets.names('hardware'))} devices" in readme
    assert f"{claims} published figures and equations" in readme
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"{len(catalogue())} formulas" in changelog
    assert f"{len(FAMILIES)} values of `model_type`" in changelog
    assert f"{len(presets.names('models'))} models and {len(presets.names('hardware'))} devices" in changelog
    assert f"{claims} published figures and equations from {len(sources())} sources" in changelog


def test_docstrings_say_what_modules_are() -> None:
    """Every module has one, and every formula file has a FORMULA that the catalogue finds."""
    for name in MODULES:
        assert (importlib.import_module(name).__doc__ or "").strip(), name
    files = {path.stem for path in ROOT.glob("symbolic_llm/formulas/*/*.py")} - {"__init__"}
    assert files == set(catalogue().names)


def test_every_formula_is_introduced() -> None:
    """Below the title of its page stands what the formula says, in words."""
    assert not [formula.name for formula in catalogue() if not formula.introduction.endswith((".", ":"))]


def test_nothing_names_a_package_registry() -> None:
    """No download addresses: versions are pinned by number."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    hosts = re.compile(r"py" + r"pi\.org|files\.python" + r"hosted|registry\.npm" + r"js|--index-" + r"url")
    for name in filter(None, listed):
        path = ROOT / name
        if path.is_file() and path.suffix not in {".npz", ".png", ".woff2"}:
            assert not hosts.search(path.read_text(encoding="utf-8", errors="replace")), name


# First lines of docstrings

UNSAID = re.compile(r"(?:What|The same|Those|That|It|They|This|These|One|Who|Which|Where|How|As|Nothing)\b")
WRITTEN = [
    path
    for folder in ("symbolic_llm", "reference_engine", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not {"formulas", "attacks"} & set(path.parts)  # where a docstring is a title
]


def unsaid(source: str) -> list[str]:
    """First lines of a file's docstrings that leave it to the reader what the thing is or returns."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = (ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
    return [text.partition("\n")[0] for text in found if text and UNSAID.match(text)]


def test_first_lines_say_what_a_thing_is() -> None:
    """No docstring begins with a question word or with a pronoun."""
    assert len(WRITTEN) > 300
    assert {str(path): found for path in WRITTEN if (found := unsaid(path.read_text(encoding="utf-8")))} == {}


def test_a_first_line_that_is_a_riddle_is_noticed() -> None:
    """The twin: a function whose docstring says it in the old manner."""
    riddle = "The same of what computes them, and their letters."
    assert unsaid(f'"""A module"""\n\n\ndef told():\n    """{riddle}"""\n') == [riddle]
