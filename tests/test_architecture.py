"""Imports: which module may know which, and what an import costs"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

import grimp
import pytest
import sympy

import symbolic_llm
from symbolic_llm import unevaluated
from symbolic_llm.pages.figures import imports_between_folders as rooms

ROOT = Path(__file__).parent.parent

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(sys.argv[1], no_cache=True))"


def lint(config: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with a configuration."""
    command = [sys.executable, "-c", LINT, str(config)]
    where = config.parent if (config.parent / "symbolic_llm").exists() else ROOT
    environment = os.environ | {"PYTHONPATH": str(where)}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_imports_run_one_way() -> None:
    """The contracts of pyproject.toml are kept."""
    result = lint(ROOT / "pyproject.toml")
    assert result.returncode == 0, result.stdout
    assert "4 kept, 0 broken" in result.stdout


def test_a_broken_contract_is_noticed(tmp_path: Path) -> None:
    """The twin: forbidding what does happen fails."""
    config = tmp_path / ".importlinter"
    config.write_text(
        "[importlinter]\nroot_packages =\n    symbolic_llm\n    reference_engine\n\n[importlinter:contract:1]\n"
        "name = witnesses never meet\ntype = forbidden\n"
        "source_modules =\n    symbolic_llm.witness.comparison_at_places\n"
        "forbidden_modules =\n    reference_engine\n"
    )
    result = lint(config)
    assert result.returncode == 1
    assert "BROKEN" in result.stdout


def test_a_formula_that_enters_a_question_is_noticed(tmp_path: Path) -> None:
    """The twin of the contract: whoever writes a formula file may not write into the engine that measures it."""
    for package in ("symbolic_llm", "reference_engine"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted = tmp_path / "symbolic_llm" / "formulas" / "parameters" / "own_question.py"
    planted.write_text("from reference_engine.probes import QUESTIONS\nQUESTIONS.clear()\n", encoding="utf-8")
    result = lint(tmp_path / "pyproject.toml")
    assert result.returncode == 1
    assert "symbolic_llm.formulas.parameters.own_question -> reference_engine.probes" in result.stdout


def circles(packages: Iterable[str]) -> list[str]:
    """Modules that import each other in a circle, or that lie between two circles; late imports count too."""
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    left = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    while free := {module for module, imported in left.items() if not imported & left.keys()}:
        left = {module: imported for module, imported in left.items() if module not in free}
    while free := left.keys() - set().union(*left.values()):  # those above a circle are in none
        left = {module: imported for module, imported in left.items() if module not in free}
    return sorted(left)


def test_no_module_imports_itself_by_a_detour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No circle, of early or late imports; the twin: one is found, and what it rests on or is used by is not."""
    assert circles(["symbolic_llm", "reference_engine"]) == []
    files = {
        "__init__": "",
        "a": "from . import b",
        "b": "def f(): from .c import x",
        "c": "from .d import x; import round.b",
    }
    for name, text in {**files, "d": "x = 1"}.items():
        (tmp_path / "round" / f"{name}.py").parent.mkdir(exist_ok=True)
        (tmp_path / "round" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert circles(["round"]) == ["round.b", "round.c"]


def test_the_picture_of_the_rooms_shows_their_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, as another program reads them, and each arrow points down; the twin: one more import is one more."""
    drawn = rooms.data()
    graph = grimp.build_graph("symbolic_llm", "reference_engine", exclude_type_checking_imports=True, cache_dir=None)
    found = {
        tuple(module.removeprefix("symbolic_llm.").partition(".")[0] for module in (importer, imported))
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    }
    folders = drawn.more["sizes"]
    assert {(one, other) for one, other, _ in drawn.rows} == {
        pair for pair in found if pair[0] != pair[1] and {*pair} <= folders.keys()
    }
    level = drawn.more["level"]
    assert all(level[one] > level[other] for one, other, _ in drawn.rows)
    shutil.copytree(ROOT / "symbolic_llm", tmp_path / "symbolic_llm", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "symbolic_llm" / "cache" / "more.py").write_text("def late():\n    from .. import algebra, pages\n")
    monkeypatch.setattr(rooms, "PACKAGE", tmp_path / "symbolic_llm")
    assert {*map(tuple, rooms.data().rows)} - {*map(tuple, drawn.rows)} >= {("cache", "pages", 1)}


LOADED = "import sys, symbolic_llm; {more}; print(sorted({{m.partition('.')[0] for m in sys.modules}}))"


@cache
def loaded(more: str = "pass") -> str:
    """The top-level packages that a fresh process has loaded."""
    return subprocess.run(
        [sys.executable, "-c", LOADED.format(more=more)], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout


HEAVY = ["numpy", "reference_engine", "z3", "cvc5", "flint", "mkdocs", "math_core", "pytest", "tomllib"]


@pytest.mark.parametrize("package", HEAVY)
def test_the_package_loads_nothing_heavy(package: str) -> None:
    """SymPy, and what comes with it."""
    assert f"'{package}'" not in loaded()


def test_sympy_does_not_rest_on_flint() -> None:
    """So that they are two witnesses; who imports SymPy first is told that they are one."""
    shown = "import os; from symbolic_llm.expressions.decide import deciders;"
    shown += "print(deciders(), os.environ.get('SYMPY_GROUND_TYPES'))"
    for before, said in (("", "SymPy and FLINT None"), ("import sympy;", "FLINT and SymPy, which was imported before")):
        command = [sys.executable, "-c", before + shown]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
        assert answer.startswith(said)


def test_the_symbolic_half_needs_no_numpy() -> None:
    """Solving, evaluating, explaining and compiling for plain numbers run where only pure Python does."""
    asked = (
        "from symbolic_llm import *; solve('batch_crossover', hardware='a10', dtype='fp16').value;"
        "explain('latency', P=7e9, n_bytes=2, B=1, F=1e14, W=1e12).value; compile('latency')(7e9, 2, 1, 1e14, 1e12)"
    )
    assert "'numpy'" not in loaded(asked)
    assert "'numpy'" in loaded("import numpy")


def test_the_engine_runs_without_the_other_half() -> None:
    """The engine runs without SymPy and without `symbolic_llm`: it needs NumPy alone."""
    code = (
        "import sys; sys.modules['sympy'] = None; sys.modules['symbolic_llm'] = None;"
        "from reference_engine import Config, Decoder; from reference_engine.probes import QUESTIONS;"
        "print(Decoder(Config(1, 1, 32, 5)).prefill([[1]]).shape, len(QUESTIONS))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.startswith("(1, 1, 5)")


def _evaluating(text: str) -> list[int]:
    """The lines in which a source evaluates text, or compiles what is no tree."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            compiles = name == "compile" and isinstance(node.func, ast.Name) and len(node.args) > 1  # Python's own
            if compiles and not ast.unparse(node.args[0]).startswith("ast."):
                found.append(node.lineno)
            if name in {"eval", "exec", "sympify", "parse_expr", "parse_latex"}:
                found.append(node.lineno)
    return found


def test_nothing_evaluates_text() -> None:
    """No eval, exec or sympify anywhere in the two packages, and what is compiled is a tree."""
    for path in [*ROOT.glob("symbolic_llm/**/*.py"), *ROOT.glob("reference_engine/**/*.py")]:
        assert not _evaluating(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "planted", ["eval(text)", "exec(text)", "sympy.sympify(text)", "x = compile(text, '<text>', 'eval')"]
)
def test_text_that_is_evaluated_is_noticed(planted: str) -> None:
    """The twin."""
    assert _evaluating(f"import re\nre.compile(text)\n{planted}") == [3]


SHAPES = {"Equation", "Equivalence", "Implication", "Approximation", "Theorem", "Claim"}


def told_apart(source: str) -> list[int]:
    """The lines on which the shape of a claim is asked for."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    tests = (call for call in calls if getattr(call.func, "id", "") == "isinstance")
    names = ((call.lineno, {getattr(n, "id", "") for n in ast.walk(call.args[1])}) for call in tests)
    return [line for line, found in names if found & SHAPES]


def test_claims_answer_for_themselves() -> None:
    """Nobody asks a claim what shape it has; the twin: it would be noticed."""
    assert told_apart("isinstance(claim, Implication | Approximation)") == [1]
    for path in ROOT.glob("symbolic_llm/**/*.py"):
        if path.parent.name != "claims":
            assert told_apart(path.read_text(encoding="utf-8")) == [], path


WRITTEN = {name for name in vars(unevaluated).keys() & vars(sympy).keys() if not name.startswith("_")}


def evaluated(source: str) -> list[str]:
    """The relations and maxima that a file takes as SymPy has them, which looks at once whether they are true."""
    imports = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom))
    sympys = (node for node in imports if (node.module or "").rpartition(".")[2] in ("sympy", "algebra"))
    return [one.name for node in sympys for one in node.names if one.name in WRITTEN]


def test_formulas_state_relations_as_they_are_written() -> None:
    """Formulas state relations unevaluated, since checks find what is true; the twin: an evaluated one is noticed."""
    assert {"Eq", "Ge", "Gt", "Le", "Lt", "Max", "Min"} == WRITTEN
    assert evaluated("from sympy import Eq, floor, Max") == ["Eq", "Max"]
    assert evaluated("from ...algebra import floor, Max") == ["Max"]
    for path in (ROOT / "symbolic_llm" / "formulas").rglob("*.py"):
        assert evaluated(path.read_text(encoding="utf-8")) == [], path
    assert unevaluated.Eq(1, 1).args == (1, 1)


# The map in the docstring of the package


def mapped(docstring: str) -> list[str]:
    """Rooms that the map names, from the ground up."""
    return re.findall(r"^    (\w+)(?:/|\.py) {2,}\S", docstring, re.MULTILINE)


def off_the_map(docstring: str) -> list[str]:
    """Differences between the map, the rooms that there are, and the floors of the contract."""
    rooms = [
        path.stem
        for path in (ROOT / "symbolic_llm").iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and not path.stem.startswith("__")
    ]
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = (one for one in configured["contracts"] if one["type"] == "layers")
    floors = {room: floor for floor, names in enumerate(contract["layers"][::-1]) for room in names.split(" : ")}
    named = mapped(docstring)
    order = [floors.get(room, -1) for room in named]
    found = [f"{room} is missing" for room in rooms if room not in named]
    found += [f"{room} is nowhere" for room in named if room not in rooms]
    return found + [f"{room} stands too high" for room, (a, b) in zip(named[1:], pairwise(order), strict=True) if b < a]


def test_the_map_shows_every_room_on_its_floor() -> None:
    """The map in the package's docstring names every room, in the order of the contract's floors."""
    assert symbolic_llm.__doc__
    assert off_the_map(symbolic_llm.__doc__) == []


def test_a_map_that_leaves_a_room_out_is_noticed() -> None:
    """The twin: without one room, with one that there is not, and with two that change places."""
    shown = symbolic_llm.__doc__ or ""
    line = re.search(r"^    checks/.*\n", shown, re.MULTILINE)
    assert line
    assert off_the_map(shown.replace(line[0], "")) == ["checks is missing"]
    assert "attic is nowhere" in off_the_map(shown.replace("    cli/", "    attic/          nothing\n    cli/"))
    assert off_the_map(shown.replace(line[0], "").replace("    cli/", f"{line[0]}    cli/"))
