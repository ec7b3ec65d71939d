"""Keys that findings are kept under: all that the checks look at, and nothing else"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from planting import forgetting

from symbolic_llm import catalogue
from symbolic_llm.architecture import Trait
from symbolic_llm.checks import findings_digest as told
from symbolic_llm.checks.findings_digest import content
from symbolic_llm.checks.report import findings
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.models.formula_table import CHOICES
from symbolic_llm.notation import M, W, n_blocks
from symbolic_llm.numeral import Numeral
from symbolic_llm.unevaluated import Gt
from symbolic_llm.witness import largest_that_fits

pytestmark = pytest.mark.xdist_group("content")  # what is found on a formula is found once for all of them

ROOT = Path(__file__).parent.parent
SHOWN = ("docstring", "sources", "example")

# one of each way in which findings come about
SAMPLE = {
    "matrix_matrix_flops": "by grids",
    "kv_bytes_total": "by grids, of many decoders",
    "windowed_context_bytes": "by grids, in cases",
    "memory_bound_batches": "by solvers",
    "sequences_that_fit": "by solvers, where it rounds",
    "latency": "by a clock",
    "flops_per_token": "as an approximation",
    "attention_intensity_limit": "as a limit",
    "ridge_point": "as a definition",
}


# What it is of


def test_each_formula_says_something_else() -> None:
    """And of all something can be told."""
    found = [content(formula) for formula in catalogue()]
    assert all(found)
    assert len(set(found)) == len(found)


def test_it_is_the_same_in_every_process() -> None:
    """Whatever order sets have there."""
    script = "from symbolic_llm import catalogue\nfrom symbolic_llm.checks.findings_digest import content\n"
    script += "print(*map(content, catalogue()))"
    command = [sys.executable, "-c", script]
    for seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout.split() == [content(formula) for formula in catalogue()]


def changed(formula: Formula) -> Iterator[tuple[str, Formula]]:
    """A formula with one thing in it said otherwise, for each thing that can be, with the name of its field."""
    other = next(one for one in catalogue() if one is not formula and one not in formula.uses)
    step, value = formula.steps[-1], formula.statement.conclusion
    yield "claim", replace(formula, claim=formula.statement.concluding(Gt(M, W) if value.is_Relational else 2 * value))
    yield "steps", replace(formula, steps=(*formula.steps[:-1], replace(step, reason=step.reason + ".")))
    yield "steps", replace(formula, steps=(*formula.steps[:-1], replace(step, operands=(*step.operands, W))))
    yield "steps", replace(formula, steps=(*formula.steps, step))
    yield "where", replace(formula, where=(*formula.where, Condition(Gt(M, W), "there is more of it")))
    yield "uses", replace(formula, uses=(*formula.uses, other))
    yield "models", replace(formula, models=(*formula.models, Trait.DENSE))
    if formula.measured_by:
        yield "measured_by", replace(formula, measured_by=formula.measured_by + ".")
    else:
        yield "unmeasured", replace(formula, unmeasured=formula.unmeasured + ".")
    if formula.kind in (Kind.IDENTITY, Kind.LAW):
        kind = next(kind for kind in (Kind.IDENTITY, Kind.LAW) if kind is not formula.kind)
        yield "kind", replace(formula, kind=kind)
    if formula.quantity not in (None, n_blocks) and n_blocks not in formula.plain:
        yield "plain", replace(formula, plain=(*formula.plain, n_blocks))
    yield "of_parts", replace(formula, of_parts=not formula.of_parts)
    yield "module", replace(formula, module=formula.module + "_2")


def test_whatever_a_formula_states_counts() -> None:
    """Every field of every formula, but for those that only readers look at."""
    tried = set(SHOWN)
    for formula in catalogue():
        before = told._stated(formula)
        for name, other in changed(formula):
            tried.add(name)
            assert told._stated(other) != before, (formula.name, name)
        assert told._stated(unread(formula)) == before
    assert tried == {one.name for one in fields(Formula)}


def test_of_what_is_shown_only_what_is_wrong_counts() -> None:
    """Each fault gives another content; another title, source or example without one gives the same."""
    formula = catalogue()["latency"]
    before = content(formula)
    right: list[dict[str, Any]] = [{"docstring": "Another title"}, {"sources": ()}, {"example": {"B": 7}}]
    wrong: list[dict[str, Any]] = [{"docstring": "A title."}, {"sources": ("none",)}, {"example": {"B": -7}}]
    assert {content(replace(formula, **change)) for change in right} == {before}
    assert len({before, *(content(replace(formula, **change)) for change in wrong)}) == 4


def test_numerals_are_told_apart() -> None:
    """By what they are worth, by their unit and by what they count: SymPy takes all of them for the same text."""
    written = {told._expression(one) for formula in catalogue() for one in formula.numerals}
    assert len(written) == len({one for formula in catalogue() for one in formula.numerals})
    one = next(iter(catalogue()["flops_per_token"].numerals))
    for other in (Numeral(7, one.unit, one.meaning), Numeral(one.value, one.unit, "?")):
        assert told._expression(other * M) != told._expression(one * M)


# What it is not of


@cache
def found(name: str) -> list[Finding]:
    """On a formula of the catalogue as it is."""
    return list(findings(catalogue()[name]))


@contextmanager
def hidden(but_of: str = "") -> Iterator[None]:
    """While it lasts, whoever looks at the steps of a formula breaks off, but for those of one name."""

    def look(formula: Formula) -> Any:
        assert formula.name == but_of or formula.of_parts, f"steps of {formula.name}"
        return vars(formula)["steps"]

    def state(formula: Formula, steps: Any) -> None:
        vars(formula)["steps"] = steps

    seen = [(one.conditions, one.traits) for one in catalogue()]  # they are made of steps, and told
    assert len(seen) == len(catalogue())
    with forgetting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Formula, "steps", property(look, state), raising=False)
        yield


@pytest.mark.parametrize("name", SAMPLE)
def test_checks_look_at_nothing_else(name: str) -> None:
    """Neither at what only readers look at nor at the steps of another formula."""
    formula = catalogue()[name]
    before = found(name)
    with hidden(but_of=name):
        assert list(findings(unread(formula))) == before


def unread(formula: Formula) -> Formula:
    """The formula without what only readers look at."""
    return replace(formula, docstring="?", sources=(), example={})


def test_who_looks_is_caught() -> None:
    """The twin: its own steps are looked at, so to hide them is noticed."""
    with hidden():
        assert "broke off with AssertionError: steps of" in str(list(findings(catalogue()["matrix_matrix_flops"])))


@contextmanager
def doubled(formulas: Iterable[Formula]) -> Iterator[None]:
    """While it lasts, some formulas of the catalogue claim twice as much, and no one remembers otherwise."""
    before = [(formula, dict(vars(formula))) for formula in formulas]
    for formula, _ in before:
        statement = formula.statement
        for name in set(vars(formula)) - {one.name for one in fields(Formula)}:
            del vars(formula)[name]
        vars(formula)["claim"] = statement.concluding(2 * statement.conclusion)
    try:
        with forgetting():
            yield
    finally:
        for formula, as_it_was in before:
            vars(formula).clear()
            vars(formula).update(as_it_was)


def met(formula: Formula) -> set[Formula]:
    """Formulas that a formula meets, also where solvers are asked about what it rounds."""
    found = set(told._met(formula))
    if told._rounded(formula):
        found |= {one for one in (*vars(largest_that_fits).values(), *CHOICES) if isinstance(one, Formula)}
    return found


def valued(formulas: Iterable[Formula]) -> list[Formula]:
    """The formulas that give a letter a value."""
    return [formula for formula in formulas if formula.quantity is not None]


@pytest.mark.parametrize("name", SAMPLE)
def test_what_it_does_not_meet_decides_nothing(name: str) -> None:
    """All other formulas claim twice as much, and it is found what was found before, under the same content."""
    formula = catalogue()[name]
    before, said = found(name), content(formula)
    with doubled(valued(set(catalogue()) - {formula, *met(formula)})):
        assert content(formula) == said
        assert list(findings(formula)) == before


@pytest.mark.parametrize("name", ["latency", "footprint", "sequences_that_fit", "kv_bytes_total"])
def test_what_it_meets_decides(name: str) -> None:
    """The twin: where those claim twice as much, something else is found, and it is kept elsewhere."""
    formula = catalogue()[name]
    before, said = found(name), content(formula)
    with doubled(valued(met(formula) - {formula})):
        assert content(formula) != said
        assert list(findings(formula)) != before
        assert worst(findings(formula)) is Verdict.REFUTED


def worst(found: Iterable[Finding]) -> Verdict:
    return Verdict.worst([finding.verdict for finding in found])


# After an edit

VECTOR = "compute/matrix_vector_flops.py"


def test_an_edit_is_checked_where_it_decides(tmp_path: Path) -> None:
    """Prose nowhere, nor what others share; a reason in its own formula, a claim in all that rest on it."""
    for package in ("symbolic_llm", "reference_engine"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    formulas = tmp_path / "symbolic_llm" / "formulas"
    environment = {**os.environ, "SYMBOLIC_LLM_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}

    def checked(old: str = "", new: str = "", file: str = VECTOR) -> tuple[int, str, list[str]]:
        text = (path := formulas / file).read_text(encoding="utf-8")
        assert not old or text.count(old) == 1
        path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
        command = [sys.executable, "-m", "symbolic_llm", "check", "matrix_vector_flops", "matrix_matrix_flops"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        anew = re.search("checked now: (.*); all other results were stored from earlier checks", done.stdout)
        return done.returncode, done.stdout.splitlines()[-1], anew[1].split(" and ") if anew else []

    proved = "2 proved: 2 certified"
    assert checked() == checked() == (0, proved, [])
    assert checked("every sum started at zero", "all sums started at zero") == (0, proved, [])
    assert checked("for each row", "for every row") == (0, proved, ["matrix_vector_flops"])
    assert checked("scale, compare, subtract", "scale, subtract, compare", "shared.py") == (0, proved, [])
    assert checked("claim=Eq(C_vector, two_flop", "claim=Eq(C_vector, 2 * two_flop")[::2] == (1, [])
    assert checked()[:2] == (1, "0 proved, 2 refuted")
