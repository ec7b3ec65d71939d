"""Would another letter be noticed? What `check` says of every letter, exchanged for every other of its unit

That none passes for another in the catalogue is part of each formula's report. Here stands that all are tried, that
what values tell is what the checks tell, and that a tie is noticed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pytest
from sympy import Add, Eq, Max, Min, Mul, expand_mul

from symbolic_llm import catalogue
from symbolic_llm.architecture import lacking
from symbolic_llm.checks import letter_exchanges
from symbolic_llm.checks.letter_exchanges import Exchange, Place, equal_by, rejected, unnoticed
from symbolic_llm.checks.report import check_formula
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.expressions.arithmetic import Inexact, NoRoot
from symbolic_llm.expressions.decide import equal
from symbolic_llm.expressions.exact import exact, put_in
from symbolic_llm.formula import Formula
from symbolic_llm.notation import B, D_seq, M_seq, P, P_attention, P_read, P_total, R_prefill, n_blocks, n_local
from symbolic_llm.numeral import valued
from symbolic_llm.steps import premise
from symbolic_llm.witness.letters import gives_a_count

pytestmark = pytest.mark.usefixtures("kept_findings")

BY_LETTER: defaultdict[Any, list[Formula]] = defaultdict(list)
for one in catalogue():
    BY_LETTER[one.quantity].append(one)
COUNTS = {formula.name: formula for formula in catalogue() if gives_a_count(formula)}


@dataclass(frozen=True)
class Named(Exchange):
    """An exchange by a formula that is named for the other letter, where none that describes the decoder computes it.

    Attributes:
        by: that formula, which the one of the exchange uses.
    """

    by: Formula

    def __str__(self) -> str:
        return f"{super().__str__()} by {self.by.name}"

    def value(self, place: Place) -> Any:
        """The value that the formula gives, where no other does."""
        found = super().value(place)
        return found if found is not None or self.other in place.described else given_by(self.by, place)


@lru_cache(maxsize=2**12)
def given_by(one: Formula, place: Place) -> Any:
    """The value that a formula gives its letter at a place; None if it has none."""
    known = dict(place.values)
    for used in (*one.closure(), one):
        if used.quantity is None or used.quantity in known or not used.measured_by:
            continue
        if lacking(used.traits, place.traits):
            continue
        with suppress(KeyError, Inexact, NoRoot, ZeroDivisionError, ValueError):
            if all(exact(condition.relation, known) for condition in used.conditions):
                known[used.quantity] = exact(used.rhs, known)
    return known.get(one.quantity)


def by_others(formula: Formula) -> Iterator[Named]:
    """Its exchanges by a formula that is named for the other letter, which it does not use, nor is used by it."""
    for exchange in letter_exchanges.exchanges(formula):
        for one in BY_LETTER[exchange.other]:
            if one not in formula.uses and formula not in one.closure():
                yield Named(replace(formula, uses=(*formula.uses, one)), exchange.letter, exchange.other, one)


def comes_to_the_same(exchange: Named) -> bool:
    """Whether the named formula turns the written one back into the original one."""
    formula, by = exchange.formula, exchange.by
    found = put_in(formula.rhs, {exchange.letter: exchange.other})
    for one in (by, *reversed(by.closure())):
        if one.quantity in found.free_symbols - formula.rhs.free_symbols:
            found = put_in(found, {one.quantity: one.rhs})
    return bool(equal(found, formula.rhs)) or written_out(valued(found)) == written_out(valued(formula.rhs))


def written_out(term: Any) -> Any:
    """An expression with what stands before maxima and minima written into their arguments."""
    if isinstance(term, Max | Min | Add):
        return term.func(*map(written_out, term.args))
    choice = next((factor for factor in Mul.make_args(term) if isinstance(factor, Max | Min)), None)
    if choice is None:
        return expand_mul(term)
    # c·max(a, b) is max(c·a, c·b) where c is positive; the number, whose sign is known, stays outside
    number, factor = (term / choice).as_coeff_Mul(rational=True)
    return number * written_out(choice.func(*(factor * one for one in choice.args))) if factor.is_positive else term


def of(name: str, measured_by: str = "") -> Formula:
    """A formula of the catalogue, with another question if one is named."""
    return replace(catalogue()[name], measured_by=measured_by) if measured_by else catalogue()[name]


def test_all_of_them_are_tried() -> None:
    """A sweep over nothing finds nothing."""
    assert sum(1 for formula in COUNTS.values() for _ in letter_exchanges.exchanges(formula)) > 30_000
    assert sum(1 for formula in COUNTS.values() for _ in by_others(formula)) > 10_000


@pytest.mark.parametrize("name", COUNTS)
def test_no_letter_stands_for_another_by_a_formula_that_is_named(name: str) -> None:
    """No letter stands for another by a formula that counts the other letter and is named beside it.

    `check` itself rests on no formula that none names.
    """
    found = unnoticed(COUNTS[name], by_others)
    assert [one for one in found if not (isinstance(one, Named) and comes_to_the_same(one))] == []


@pytest.mark.parametrize("name", list(COUNTS)[::29])
def test_what_values_tell_the_checks_tell(name: str) -> None:
    """The formula that a letter's value tells to be wrong is wrong where it is written down."""
    formula = COUNTS[name]
    first = letter_exchanges.places(formula, 0, 1)
    settled = [one for one in letter_exchanges.exchanges(formula) if letter_exchanges.told(one, first)]
    assert settled
    assert all(map(rejected, settled))


@pytest.mark.parametrize("name", list(COUNTS)[::9])
def test_a_report_says_that_none_passes(name: str) -> None:
    """In the words that readers see."""
    assert "no other letter passes for one of its own" in check_formula(COUNTS[name])["mutants"].summary


# In the engine's decoder all of whose blocks have a window, the blocks with a window are all there are
TIED = "mixed with windows/cache.bytes_of_a_token"


def _tied(blocks: Any) -> Formula:
    """Cache bytes by the number of some blocks, asked of the decoder in which two numbers are one."""
    found = of("kv_bytes_per_token", TIED)
    return replace(found, claim=found.claim.xreplace({n_blocks: blocks}))


def test_a_tied_decoder_is_noticed() -> None:
    """The twin: whichever of two letters is written, the engine agrees, and the report says that it cannot tell."""
    for letter, other in ((n_blocks, n_local), (n_local, n_blocks)):
        assert [str(one) for one in unnoticed(_tied(letter))] == [f"{other} for {letter}"]
        finding = check_formula(_tied(letter))["mutants"]
        assert finding.verdict is Verdict.UNDECIDED
        assert f"nothing tells a wrong letter: {other} for" in finding.summary
    assert unnoticed(of("kv_bytes_per_token")) == []


def test_what_makes_two_letters_equal_is_named() -> None:
    """By the formulas that count the one and the other for a subject; other decoders have other formulas."""
    assert equal_by(Exchange(of("compute_time"), P, P_total)) == ()
    assert "weights_read" in equal_by(Exchange(of("llama_decode_flops"), P, P_read))
    assert equal_by(Exchange(of("llama_decode_flops"), P, P_total)) == ()
    on_llama = of("memory_time_with_cache", "llama/clock.memory_time_with_cache")
    assert equal_by(Exchange(on_llama, D_seq, M_seq)) == ("context_bytes", "context_bytes_read")
    assert equal_by(Exchange(of("memory_time_with_cache", "hybrid/clock.memory_time_with_cache"), D_seq, M_seq)) == ()


def test_a_letter_that_nothing_counts_there_is_told() -> None:
    """An exchange is told where all that counts the other letter describes other decoders: it has no value then."""
    formula = of("expert_weights_read")
    assert letter_exchanges.told(Exchange(formula, P, P_attention), letter_exchanges.places(formula, 0, 1))


def test_a_letter_that_a_question_does_not_take_breaks_no_check_off() -> None:
    """The check beside the engine refuses the formula by that; mutants of it have no value either."""
    known = of("kv_bytes_per_token")
    claim = Eq(known.quantity, known.rhs * R_prefill, evaluate=False)
    wrong = replace(known, claim=claim, steps=(premise(claim.rhs, "as if it took time"),))
    report = check_formula(wrong)
    assert "depends on R_prefill, which cache.bytes_of_a_token of llama does not take" in report["engine"].summary
    assert not any("broke off" in finding.summary for finding in report.findings)


def test_a_formula_that_comes_to_the_same_is_none_that_passes() -> None:
    """The slower of two times by what the slower leaves of the arithmetic; the twin: another letter is told."""
    product_time = COUNTS["product_time"]
    named = {str(one): one for one in by_others(product_time)}
    (same,) = (one for said, one in named.items() if said == "F_matrix for F by attainable_flops")
    assert comes_to_the_same(same)
    assert not comes_to_the_same(replace(same, by=COUNTS["weight_bytes"]))
    assert not any(comes_to_the_same(one) for said, one in named.items() if one is not same)


def test_maxima_within_maxima_are_not_decided_by_cases() -> None:
    """Nor do they end in a traceback: that two are equal is not known."""
    one, other = Max(B, P * Max(1, B / P)), Max(B, P)
    assert equal(one, other) in (True, None)
    assert equal(one, Max(B, 2 * P)) is False
