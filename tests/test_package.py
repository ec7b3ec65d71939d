"""The package: names, how a formula shows itself, what can be copied"""

from __future__ import annotations

import copy
import pickle
import pydoc
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cases import A100
from hypothesis.vendor.pretty import pretty

import symbolic_llm
from symbolic_llm import Explanation, Formula, Solution, batch_crossover, catalogue, explain, solve
from symbolic_llm.cli import stub
from symbolic_llm.notation import LETTERS

ROOT = Path(__file__).parent.parent


def test_every_formula_is_an_attribute() -> None:
    """And dir lists them, for tab completion."""
    assert set(catalogue().names) <= set(dir(symbolic_llm))
    for name in catalogue().names:
        assert getattr(symbolic_llm, name) is catalogue()[name]
    with pytest.raises(AttributeError, match="no attribute 'batch_crosover'"):
        _ = symbolic_llm.batch_crosover


def test_what_questions_are_answered_with_is_exported() -> None:
    """For annotations; imported when first asked for."""
    assert isinstance(solve(batch_crossover), Solution)
    assert isinstance(explain("batch_crossover", n_bytes=2, F=4, W=2), Explanation)


def test_the_names_for_type_checkers_are_those_of_the_package() -> None:
    """Written down by a command, not by hand."""
    for path, text in stub.stubs().items():
        assert path.read_text(encoding="utf-8") == text, f"out of date; run: {stub.COMMAND}"


def type_checked(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The finished run of a strict type checker on code that uses the package."""
    file = folder / "used.py"
    file.write_text(code, encoding="utf-8")
    options = ("--strict", "--follow-imports=silent", f"--cache-dir={folder.parent / 'mypy'}")
    command = [sys.executable, "-m", "mypy", *options, str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_name_that_exists_type_checks_and_another_does_not(tmp_path: Path) -> None:
    """Every formula is a Formula, and a solution a Solution; a slip of the pen is an error, with what was meant."""
    right = ["from symbolic_llm import Formula, Solution, solve, " + ", ".join(catalogue().names)]
    right += [f"formula: Formula = {catalogue().names[0]}", "answer: Solution = solve(batch_crossover)"]
    accepted = type_checked("\n".join(right), tmp_path)
    assert accepted.returncode == 0, accepted.stdout
    for wrong, complaint in (
        ("from symbolic_llm import batch_crosover", 'has no attribute "batch_crosover"; maybe "batch_crossover"'),
        ("from symbolic_llm import batch_crossover\ntext: str = batch_crossover", "Incompatible types in assignment"),
    ):
        refused = type_checked(wrong, tmp_path)
        assert refused.returncode == 1
        assert complaint in refused.stdout


def test_names_do_not_hide_modules() -> None:
    """No formula is called like a part of the package."""
    import pkgutil

    assert not {m.name for m in pkgutil.iter_modules(symbolic_llm.__path__)} & set(catalogue().names)


def test_a_formula_shows_itself() -> None:
    """In a line, in a drawing, in LaTeX."""
    assert repr(batch_crossover) == "batch_crossover: B* = n_bytes·F/(2·W)"
    assert pretty(batch_crossover) == repr(batch_crossover)  # not all fields of all that it uses
    assert str(batch_crossover).startswith("Batch crossover\n\n     n_bytes⋅F")
    assert batch_crossover._repr_latex_() == r"$\displaystyle B^{*} = \frac{n_{\text{bytes}}\,F}{2\,W}$"
    parameters = catalogue()["total_parameters"]._repr_latex_()
    assert r"\left(4\,d_{\text{model}}^{2} + 2 \cdot 4\,d_{\text{model}}^{2}\right) + n_{\text{vocab}}" in parameters


@pytest.mark.parametrize("name", catalogue().names)
def test_help_shows_the_formula(name: str) -> None:
    """Title, claim, conditions and letters, and not the class that it is an instance of."""
    formula = catalogue()[name]
    shown = pydoc.plain(pydoc.render_doc(getattr(symbolic_llm, name)))
    assert f"{formula.title}  ({formula.kind.value}, {formula.chapter}/{name})" in shown
    for letter in formula.letters:
        assert LETTERS[letter].meaning in shown
    for condition in formula.conditions:
        assert condition.sentence in shown
    assert "__reduce_ex__" not in shown


def test_help_still_shows_the_class() -> None:
    """The twin: asked of the class, it documents the class."""
    shown = pydoc.plain(pydoc.render_doc(Formula))
    assert "A claim with everything that is needed to prove" in shown
    assert "__reduce_ex__" in shown
    assert "Batch crossover" not in shown


@pytest.mark.parametrize("same", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_what_can_be_copied_and_pickled(same: Any) -> None:
    """So it can be sent to other processes; of a formula and of the catalogue there is one each."""
    assert same(batch_crossover.rhs) == batch_crossover.rhs
    assert same(batch_crossover) is batch_crossover
    assert same(catalogue()) is catalogue()
    own = replace(batch_crossover)
    assert same(own) is not batch_crossover
    for answer in (solve(batch_crossover, **A100), explain(batch_crossover, **A100)):
        assert same(answer) == answer
        assert hash(same(answer)) == hash(answer)


def test_the_catalogue_shows_itself() -> None:
    """And completes names in brackets."""
    assert repr(catalogue()).startswith(f"{len(catalogue())} formulas in the chapters embedding, heads, ")
    assert catalogue()._ipython_key_completions_() == list(catalogue().names)
    assert "__version__" in dir(symbolic_llm)
