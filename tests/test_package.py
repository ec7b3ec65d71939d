"""The package: names, how a formula shows itself, what can be copied"""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import pytest
from cases import A100

import symbolic_llm
from symbolic_llm import batch_crossover, catalogue, explain, solve


def test_every_formula_is_an_attribute() -> None:
    """And dir lists them, for tab completion."""
    assert set(catalogue().names) <= set(dir(symbolic_llm))
    for name in catalogue().names:
        assert getattr(symbolic_llm, name) is catalogue()[name]
    with pytest.raises(AttributeError, match="no attribute 'batch_crosover'"):
        _ = symbolic_llm.batch_crosover


def test_names_do_not_hide_modules() -> None:
    """No formula is called like a part of the package."""
    import pkgutil

    assert not {m.name for m in pkgutil.iter_modules(symbolic_llm.__path__)} & set(catalogue().names)


def test_a_formula_shows_itself() -> None:
    """In a line, in a drawing, in LaTeX."""
    assert repr(batch_crossover) == "batch_crossover: B* = n_bytes·F/(2·W)"
    assert str(batch_crossover).startswith("Batch crossover\n\n     n_bytes⋅F")
    assert batch_crossover._repr_latex_() == r"$\displaystyle B^{*} = \frac{n_{\text{bytes}}\,F}{2\,W}$"
    parameters = catalogue()["total_parameters"]._repr_latex_()
    assert r"\left(4\,d_{\text{model}}^{2} + 2 \cdot 4\,d_{\text{model}}^{2}\right) + n_{\text{vocab}}" in parameters


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
    assert repr(catalogue()).startswith(f"{len(catalogue())} formulas in the chapters parameters, ")
    assert catalogue()._ipython_key_completions_() == list(catalogue().names)
    assert "__version__" in dir(symbolic_llm)
