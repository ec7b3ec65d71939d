"""The audit: every claim that comes with the package is computed anew, and wrong ones are noticed"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from figures import EVERY, HALF, NAMES, figure
from sympy import Eq, Rational

from symbolic_llm import audit
from symbolic_llm.audit import Claim, Claims, Counterexample, Source, Verdict
from symbolic_llm.audit.counterexample import counterexample
from symbolic_llm.audit.language import equation_of
from symbolic_llm.audit.printed import read_printed
from symbolic_llm.catalogue import catalogue
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue, SymbolicLLMError, UnknownName
from symbolic_llm.expressions.printing import text
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS
from symbolic_llm.numeral import valued
from symbolic_llm.pages import audits
from symbolic_llm.pages.pen import Pen


def test_there_are_claims() -> None:
    """An empty audit would pass every test below."""
    assert len(EVERY) >= 4


@pytest.mark.parametrize(("claims", "claim"), EVERY, ids=NAMES)
def test_every_claim_is_judged_and_says_where_it_stands(claims: Claims, claim: Claim) -> None:
    """Its expressions have values, its units fit, and its cause gives what is printed."""
    assert claim.place
    assert claim.says
    judged = audit.check(claim, claims)
    assert judged.sentence
    assert (judged.verdict in (Verdict.REFUTED, Verdict.ASSUMED)) == bool(
        claim.cause and not claim.observed and judged.verdict is not Verdict.CONTRADICTS_ITSELF
    )
    assert (judged.verdict is Verdict.ASSUMED) == (claim.cause == "activations")


@pytest.mark.parametrize(
    ("claims", "claim"),
    [pair for pair in EVERY if pair[1].printed],
    ids=[n for n, p in zip(NAMES, EVERY, strict=True) if p[1].printed],
)
def test_a_figure_that_is_moved_no_longer_comes_out(claims: Claims, claim: Claim) -> None:
    """Ten times the printed figure is reproduced by nothing that reproduces the figure, nor given by its cause."""
    printed = read_printed(claim.printed)
    moved = replace(
        claim, printed=f"{10 * printed.number + 1} {claim.printed.partition(' ')[2] if printed.unit else ''}".strip()
    )
    if (
        claim.observed
        or claim.contradicts
        or printed.number == 0
        or printed.upper is not None
        or printed.word.value in ("more than", "less than", "at most", "at least", "over")
    ):
        return
    try:
        verdict = audit.check(moved, claims).verdict
    except SymbolicLLMError:
        return  # the cause does not give it
    assert verdict not in (Verdict.REPRODUCED, Verdict.UNSTATED, Verdict.CUT_OFF, Verdict.ASSUMED, Verdict.REFUTED)


def test_a_source_is_found_by_its_key() -> None:
    """And a misspelt one by a sentence that names it."""
    assert audit.source("timbers-2023")["a100-7b"].printed == "277 tokens/s"
    with pytest.raises(UnknownName, match="did you mean timbers-2023"):
        audit.source("timber-2023")
    with pytest.raises(UnknownName, match="there is no claim 'a100-8b'"):
        audit.source("timbers-2023")["a100-8b"]


def test_a_wrong_figure_is_found_out() -> None:
    """With its cause it is refuted, without one not reproducible."""
    assert audit.check(figure("553 token/s", HALF.removesuffix(" / 2"))).verdict is Verdict.REPRODUCED
    assert audit.check(figure("276 token/s", HALF.removesuffix(" / 2"))).verdict is Verdict.NOT_REPRODUCIBLE
    known = figure("276 token/s", HALF.removesuffix(" / 2"), cause="stray-two", because=HALF)
    assert audit.check(known).verdict is Verdict.REFUTED


def test_an_assumption_of_the_source_is_no_mistake() -> None:
    """Of a cause that is one, the figure is neither refuted nor said to come from a mistake."""
    stated = audit.check(figure("276 token/s", HALF.removesuffix(" / 2"), cause="activations", because=HALF))
    assert stated.verdict is Verdict.ASSUMED
    assert stated.sentence == "553 token/s; the assumption gives 276 token/s"
    assert {name for name, cause in audit.causes().items() if cause.kind == "assumption"} == {"activations"}


def test_a_wrong_cause_is_rejected() -> None:
    """A cause that does not give the printed figure is rejected, and so is a cause of a figure that comes out."""
    wrong = figure("276 token/s", HALF.removesuffix(" / 2"), cause="stray-two", because=f"{HALF} / 2")
    with pytest.raises(InvalidValue, match="because gives 138 tokens/s"):
        audit.check(wrong)
    right = figure("553 token/s", HALF.removesuffix(" / 2"), cause="stray-two", because=HALF)
    with pytest.raises(
        InvalidValue,
        match=r"as printed, so there is no mistake to name as cause|the cause does not explain the figure",
    ):
        audit.check(right)


def test_an_equation_is_held_against_its_formula() -> None:
    """An equation that differs from its formula is told with the factor, and its unit where it has one."""
    said = Claim("one", "somewhere", "something", equation="T_memory = 2*P_read*n_bytes*B/W", formula="memory_time")
    assert audit.check(said).sentence == "2·B times memory_time, and the unit is wrong too: sequence too much"
    assert audit.check(replace(said, equation="T_memory = P_read*n_bytes/W")).verdict is Verdict.REPRODUCED
    with pytest.raises(InvalidValue, match="so there is no mistake to name as cause"):
        audit.check(replace(said, equation="T_memory = P_read*n_bytes/W", cause="stray-two"))
    with pytest.raises(
        InvalidValue, match="the formula memory_time computes T_memory, but the equation is for T_compute"
    ):
        audit.check(replace(said, equation="T_compute = P_read*n_bytes/W"))


@pytest.mark.parametrize(
    ("claims", "claim"),
    [pair for pair in EVERY if pair[1].equation],
    ids=[n for n, p in zip(NAMES, EVERY, strict=True) if p[1].equation],
)
def test_a_refuted_equation_has_numbers_at_which_it_differs(claims: Claims, claim: Claim) -> None:
    """Both sides put in anew by SymPy, with what is presupposed; an equation that holds has none."""
    judged = audit.check(claim, claims)
    assert (judged.differs is not None) == (judged.verdict is Verdict.REFUTED)
    if judged.differs is None:
        return
    at = {_letter(name): Rational(value) for name, value in judged.differs.at}
    presupposed = [equation_of(part) for part in claim.where.split(";") if part]
    assert all(equation.subs(at) == True for equation in presupposed)  # noqa: E712 a relation of SymPy
    formula = catalogue()[claim.formula]
    assert all(one.relation.subs(at) != False for one in formula.where)  # noqa: E712
    sides = [equation_of(claim.equation).rhs.subs(at), _right(formula).subs(at)]
    assert sides == [judged.differs.printed, judged.differs.true]
    assert sides[0] != sides[1]
    assert max(value for _, value in judged.differs.at) < 10**6


def _right(formula: Formula) -> Any:
    """The right-hand side that a printed equation is held against; of a law, that of the plain decoder."""
    return valued(formula.rhs if formula.plain_claim is formula.claim else formula.plain_claim.rhs)


def _letter(name: str) -> Any:
    (found,) = (symbol for symbol in LETTERS if text(symbol) == name)
    return found


def test_where_both_sides_agree_by_chance_other_numbers_are_taken() -> None:
    """Two bytes a weight hide a two; and an equation that is right, or of a condition that is kept, has no numbers."""
    said = Claim("one", "there", "it", equation="C_token = P*n_bytes", formula="flops_per_token")
    assert str(audit.check(said).differs) == "at P = 2, n_bytes = 3: the printed equation gives 6, the formula 4"
    assert audit.check(replace(said, equation="C_token = 2*P")).differs is None
    assert audit.check(replace(said, where="P = n_bytes; n_bytes = P")).differs is None  # no letter to begin with
    always, never = Eq(_letter("P"), _letter("P") + 0), Eq(_letter("P"), 0)
    sides = (_letter("P"), 2 * _letter("P"))
    assert counterexample(*sides, [], []) == counterexample(*sides, [], [always]) is not None
    assert counterexample(*sides, [], [never]) is None
    assert counterexample(sides[1], _letter("P") + _letter("P"), [], []) is None
    first = counterexample(_letter("P") ** 2, 2 * _letter("P"), [], [])  # both are 4 at the first prime
    assert first == Counterexample((("P", Fraction(3)),), Fraction(9), Fraction(6))


def test_the_numbers_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """On the page of the source and by the command, where an equation is refuted and nowhere else."""
    page = audits._page(Pen("../"), audit.source("raschka-2025"))
    shown = "at d_latent = 2, d_rope = 3, n_blocks = 5, n_bytes_kv = 7: the printed equation gives 70, the formula 175"
    assert page.count("Both sides differ") == 1
    assert shown in page.replace("\\", "")
    assert main(["audit", "--source", "raschka-2025", "--json"]) == 0
    found = {one["id"]: one["counterexample"] for one in json.loads(capsys.readouterr().out)["claims"]}
    at = {"d_latent": "2", "d_rope": "3", "n_blocks": "5", "n_bytes_kv": "7"}
    assert found.pop("latent-formula") == {"at": at, "printed": "70", "true": "175"}
    assert set(found.values()) == {None}


def test_two_figures_of_one_source_contradict_each_other() -> None:
    """Only if they are of one value and printed differently; the one that comes out is reproduced."""
    one, two = figure("14 GB", '14 * "1 GB"'), figure("13 GB", '14 * "1 GB"', contradicts="one")
    two = replace(two, id="two")
    both = Claims(Source("here", "Here"), (one, two))
    assert [audit.check(claim, both).verdict for claim in both.claims] == [
        Verdict.REPRODUCED,
        Verdict.CONTRADICTS_ITSELF,
    ]
    same = Claims(Source("here", "Here"), (one, replace(two, printed="14 GB")))
    with pytest.raises(InvalidValue, match="contradicts needs one to have the same value and another printed figure"):
        audit.check(same.claims[1], same)


def test_a_measurement_that_is_printed_twice_contradicts_itself() -> None:
    """Though no value is known, both cannot be; what is printed alike, or is no measurement, does not."""
    one = Claim("one", "here", "it", "244.7 token/s", observed=True)
    two = Claim("two", "there", "it", "241 token/s", observed=True, contradicts="one")
    both = Claims(Source("here", "Here"), (one, two))
    assert [audit.check(claim, both).verdict for claim in both.claims] == [
        Verdict.OBSERVATION,
        Verdict.CONTRADICTS_ITSELF,
    ]
    for other in (replace(one, printed="241 token/s"), replace(one, observed=False, value='"241 token/s"')):
        with pytest.raises(
            InvalidValue, match="contradicts needs one to be a measurement in the same unit with another"
        ):
            audit.check(two, Claims(Source("here", "Here"), (other, two)))


def test_a_known_cause_is_told_before_that_digits_were_cut_off() -> None:
    """5.37 printed as 5.3 may have been cut off, or come from rounded figures."""
    claim = figure("5.3 GB", '"5.37 GB"')
    assert audit.check(claim).verdict is Verdict.CUT_OFF
    known = replace(claim, cause="rounded-inputs", because='"5.31 GB"')
    assert audit.check(known).verdict is Verdict.REFUTED
