"""Adding a formula is adding one file; a wrong one fails the check, the tests and the site, each naming it and the step

The package, the site and the test of the catalogue are copied, files are added to the copy, and its commands are run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from sessions import keeping

from symbolic_llm.catalogue import Catalogue, in_order
from symbolic_llm.errors import CatalogueError

pytestmark = pytest.mark.usefixtures("kept_findings")

ROOT = Path(__file__).parent.parent

RIGHT = '''
"""Weights of attention, head by head

The share of each head in the four matrices of a block."""

from sympy import Eq

from symbolic_llm.formulas.shared import each_weight, heads_keep_their_own
from symbolic_llm.formula import Formula
from symbolic_llm.notation import P_attention, d_head, d_model, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise

four = count({factor}, "matrices: query, key, value and output")

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, four * each_weight * n_heads * d_model * {letter}),
    where=(heads_keep_their_own,),
    steps=(
        premise(
            each_weight * d_model * {letter},
            "its query matrix",
            measured_by="schematic/weights.of_attention[*.query](n_kv_heads=1, group=1)",
        ),
        multiply(
            four,
            {step} * four * each_weight * d_model * {letter},
            "the other three have the same shape",
            measured_by="schematic/weights.of_attention(n_kv_heads=1, group=1)",
        ),
        multiply(n_heads, {step} * four * each_weight * n_heads * d_model * {letter}, "each head has its own"),
    ),
    measured_by="schematic/weights.of_attention",
    example={{"model": "llama-7b"}},
)
'''
WAITING = '''
"""A step that waits for its weights

Where arithmetic is quicker, said by squares, as no other formula says it."""

from sympy import Eq, Gt

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, F, P_read, T_step, W, n_bytes
from symbolic_llm.steps import cite

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, P_read * n_bytes / W),
    models=(Trait.DENSE,),
    kind=Kind.LAW,
    where=(
        Condition(Gt((n_bytes * F) ** 2, (multiply_add * one_token * B * W) ** 2, evaluate=False), "reading is slower"),
    ),
    uses=(memory_time,),
    steps=(cite(memory_time, "arithmetic is done before"),),
    measured_by="clock.step_time",
    example={"model": "llama-7b", "hardware": "a10", "dtype": "fp16", "B": 1},
)
'''

GOOD = {"factor": 4, "letter": "d_head", "step": 1}
PLANTED = {
    "head_parameters": GOOD,
    "wrong_step": {**GOOD, "step": 2},
    "wrong_letter": {**GOOD, "letter": "d_model"},
    "wrong_factor": {**GOOD, "factor": 3},
}


def write(folder: Path, name: str) -> None:
    """Write one formula file."""
    (folder / f"{name}.py").write_text(RIGHT.lstrip().format(**PLANTED[name]), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project in a folder of its own."""
    root = tmp_path_factory.mktemp("project")
    for name in ("symbolic_llm", "reference_engine", "docs"):
        shutil.copytree(ROOT / name, root / name)
    (root / "tests").mkdir()
    helpers = (f"tests/{path.name}" for path in ROOT.glob("tests/*.py") if not path.name.startswith("test_"))
    for name in ("mkdocs.yml", "pyproject.toml", "CONTRIBUTING.md", "tests/test_catalogue.py", *helpers):
        shutil.copy(ROOT / name, root / name)
    return root


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command of the copy."""
    return python(root, "-m", *command)


def python(root: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A fresh Python that imports the copy."""
    environment = os.environ | keeping() | {"PYTHONPATH": str(root), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, input=given, cwd=root, env=environment, capture_output=True, text=True, check=False)


FORKED = """
import json, os, sys, tempfile
import symbolic_llm, sympy
from symbolic_llm.cli import main

said = []
for line in json.load(sys.stdin):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if not (child := os.fork()):
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            raise SystemExit(main(line.split()))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.append((line, code, *(file.seek(0) or file.read().decode() for file in (out, err))))
print(json.dumps(said))
"""


def commands(root: Path, *lines: str) -> list[subprocess.CompletedProcess[str]]:
    """Command lines of the copy, each in a process of its own, forked from one that has SymPy and no formula."""
    said = python(root, "-c", FORKED, given=json.dumps(lines))
    assert said.returncode == 0, said.stderr
    return [subprocess.CompletedProcess(*one) for one in json.loads(said.stdout)]


@pytest.fixture(scope="module")
def chapter(copy: Path) -> Iterator[Path]:
    """The folder of one chapter of the copy, as it was again afterwards."""
    folder = copy / "symbolic_llm" / "formulas" / "parameters"
    yield folder
    for name in PLANTED:
        (folder / f"{name}.py").unlink(missing_ok=True)


@pytest.mark.xdist_group("copy")
def test_one_new_file_is_a_new_formula(copy: Path, chapter: Path) -> None:
    """A formula in one new file is listed, explained, checked and tested; nothing else was edited."""
    write(chapter, "head_parameters")
    lines = "check head_parameters", "list --json", "explain head_parameters model=llama-7b"
    checked, listing, explained = commands(copy, *lines)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "PROVED     head_parameters" in checked.stdout
    listed = json.loads(listing.stdout)
    assert {"name": "head_parameters", "chapter": "parameters"}.items() <= next(
        entry for entry in listed if entry["name"] == "head_parameters"
    ).items()
    assert "P_attention = 67,108,864 weights" in explained.stdout
    tested = run(copy, "pytest", "-q", "-k", "head_parameters and not mamba_head", "-p", "no:cacheprovider")
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout


ASKED = """
import sys
sys.path.insert(0, "tests")
from hypothesis import given, settings
from strategies import admissible, admitted_configurations
from symbolic_llm import catalogue
from symbolic_llm.witness.comparison_at_places import comparisons
from symbolic_llm.checks.engine import check_engine
from symbolic_llm.expressions.exact import exact

formula = catalogue()["waiting_time"]
counted, valued = [], []

@settings(max_examples=30, deadline=None, database=None)
@given(config=admitted_configurations(formula), values=admissible(formula))
def draw(config, values):
    counted.extend(comparisons(formula, [config]))
    valued.append(exact(formula.where[0].relation, values))

draw()
print(len(counted) >= len(valued) >= 30, all(c.equal for c in counted), all(valued))
print(check_engine(formula).summary)
"""


@pytest.mark.xdist_group("copy")
def test_a_new_inequality_is_drawn(copy: Path, chapter: Path) -> None:
    """A condition of a kind that no formula has is satisfied by values, configurations and standard questions."""
    (chapter / "waiting_time.py").write_text(WAITING.lstrip(), encoding="utf-8")
    try:
        asked = python(copy, "-c", ASKED)
    finally:
        (chapter / "waiting_time.py").unlink()
    said = "equal to clock.step_time of llama, mixed, windowed, latent and twofold in 85 configurations"
    assert asked.stdout == f"True True True\n{said}\n", asked.stdout + asked.stderr


@pytest.mark.xdist_group("copy")
def test_wrong_files_fail_the_check_the_tests_and_the_site(copy: Path, chapter: Path) -> None:
    """A wrong factor, a wrong letter, a wrong step: each is named, with the step."""
    wrong = {"wrong_step": "step 2", "wrong_letter": "step 1", "wrong_factor": "the engine counts"}
    for name in wrong:
        write(chapter, name)
    checked = run(copy, "symbolic_llm", "check", *wrong)
    tested = run(copy, "pytest", "-q", "-k", "proved and wrong_", "-p", "no:cacheprovider")
    built = run(copy, "mkdocs", "build", "--strict")
    assert checked.returncode == 1
    assert "0 proved, 3 refuted" in checked.stdout
    assert tested.returncode == 1
    assert "3 failed" in tested.stdout
    assert built.returncode != 0
    assert not (copy / "site" / "index.html").exists()
    for output in (checked.stdout, tested.stdout, built.stdout + built.stderr):
        for name, place in wrong.items():
            assert f"{name}: REFUTED" in output or f"REFUTED    {name}" in output
            about = output[output.index(name) :]
            assert place in about, (name, place)
    assert "step 2: multiply does not give" in checked.stdout
    assert "step 1: schematic/weights.of_attention[*.query](n_kv_heads=1, group=1): the formula says" in checked.stdout


@pytest.mark.xdist_group("copy")
def test_a_file_that_cannot_be_loaded_is_named(copy: Path, chapter: Path) -> None:
    """A letter that does not exist, or no formula at all: one sentence, exit code 2."""
    broken = chapter / "broken.py"
    for content, complaint in (
        ("from symbolic_llm.notation import n_haeds\n", "n_haeds"),
        ('"""Nothing"""\n', "defines no FORMULA"),
        ("from symbolic_llm.presets import model\nmodel('zyzzyva')\n", "presets lists them.\n"),
    ):
        broken.write_text(content, encoding="utf-8")
        checked = run(copy, "symbolic_llm", "check", "broken")
        assert checked.returncode == 2
        assert checked.stderr.count("\n") == 1
        assert "symbolic_llm.formulas.parameters.broken" in checked.stderr
        assert complaint in checked.stderr
    broken.unlink()


@pytest.mark.xdist_group("copy")
def test_a_name_in_two_chapters_ends_every_command_in_one_sentence(copy: Path, chapter: Path) -> None:
    """Exit code 2; it names both chapters. Imports of modules and the version hear nothing of it."""
    twice = chapter / "batch_crossover.py"
    shutil.copy(chapter.parent / "batching" / "batch_crossover.py", twice)
    asked = ("show latency", "solve latency", "explain latency P=1", "check latency", "model llama-7b")
    try:
        for refused in (run(copy, "symbolic_llm", "list"), *commands(copy, *asked)):
            assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1), refused.args
            assert "batch_crossover is in two chapters, parameters and batching" in refused.stderr
        written = run(copy, "symbolic_llm.cli.stub")
        assert (written.returncode, written.stderr.count("\n")) == (2, 1)
        assert run(copy, "symbolic_llm", "--version").returncode == 0
        assert python(copy, "-c", "from symbolic_llm import presets; print(len(presets.NAMES))").stdout == "5\n"
    finally:
        twice.unlink()
    assert run(copy, "symbolic_llm", "list").returncode == 0


# The catalogue itself


def package(root: Path, name: str, files: dict[str, str]) -> Catalogue:
    """A catalogue of files in a package of their own."""
    import importlib

    for path, content in {"__init__.py": "", **files}.items():
        file = root / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(textwrap.dedent(content), encoding="utf-8")
    return Catalogue(importlib.import_module(name))


def test_a_name_in_two_chapters_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are what people type, so each stands for one formula."""
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CatalogueError, match="same is in two chapters, one and two"):
        package(tmp_path, "planted_twice", {"one/same.py": "", "two/same.py": ""})


def test_a_circle_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas that use each other prove nothing."""
    monkeypatch.syspath_prepend(tmp_path)
    content = '''
        """A circle"""
        from dataclasses import replace
        from symbolic_llm import catalogue
        FORMULA = replace(catalogue()["weight_bytes"], module=__name__)
        object.__setattr__(FORMULA, "uses", (FORMULA,))
    '''
    planted = package(tmp_path, "planted_circle", {"one/circle.py": content})
    with pytest.raises(CatalogueError, match="in a circle: circle → circle"):
        list(planted)


def test_an_incomplete_formula_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No steps, no witness and no reason, a formula used that is not listed."""
    monkeypatch.syspath_prepend(tmp_path)
    content = '''
        """Incomplete"""
        from dataclasses import replace
        from symbolic_llm import catalogue
        FORMULA = replace(catalogue()["footprint"], module=__name__, {change})
    '''
    changes = {
        "steps": ("steps=()", "needs at least one step"),
        "witness": ("measured_by=''", "either the probe in measured_by or the reason"),
        "both": ("unmeasured='?'", "either the probe in measured_by or the reason"),
        "uses": ("uses=()", "which `uses` does not list"),
    }
    for name, (change, complaint) in changes.items():
        planted = package(tmp_path, f"planted_{name}", {"one/wrong.py": content.format(change=change)})
        with pytest.raises(CatalogueError, match=complaint):
            _ = planted["wrong"]


def test_used_formulas_come_first() -> None:
    """Whatever the order they are given in."""
    from symbolic_llm import catalogue

    formulas = list(catalogue())
    for ordered in (in_order(formulas), in_order(reversed(formulas))):
        assert set(ordered) == set(formulas)
        for place, formula in enumerate(ordered):
            assert set(formula.uses) <= set(ordered[:place])
