"""Each check, shown to fail: a fault is planted and has to be found, named and placed"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import pytest
from planting import asking, calculating, rejected_by
from sympy import Eq, Max, Min, Mod, Ne, S, Symbol, floor, sqrt
from sympy.core.relational import Ge, Gt, Le, Lt

from reference_engine.probes import SUBJECTS, Probe, Question
from symbolic_llm import catalogue
from symbolic_llm.checks.dimensions import check_dimensions
from symbolic_llm.checks.engine import check_certificate, check_engine, contradicted
from symbolic_llm.checks.mutants import check_mutants, judged, mutants
from symbolic_llm.checks.presentation import check_shown
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.theorems import check_theorem
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Approximation, Condition, Equivalence, Implication, Kind, claim_of
from symbolic_llm.errors import CatalogueError
from symbolic_llm.expressions.decide import above_zero, at_least_zero, equal, positive
from symbolic_llm.expressions.exact import exact
from symbolic_llm.expressions.feasible import feasible
from symbolic_llm.expressions.relations import same_relation
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_sequence, multiply_add, one_token, weights_fit
from symbolic_llm.notation import (
    B,
    C_decode,
    C_token,
    F,
    I_textbook,
    M,
    M_cache,
    M_weights,
    N,
    P,
    P_block,
    P_total,
    T_compute,
    T_memory,
    W,
    a,
    d_model,
    i_token,
    k,
    m_token,
    n_blocks,
    n_bytes,
    n_heads,
    n_new,
    n_window,
)
from symbolic_llm.numeral import count, valued
from symbolic_llm.steps import (
    CLAIM,
    add,
    add_to_larger,
    at_most,
    bound_alike,
    cite,
    compare_larger,
    divide,
    larger_of,
    limit,
    multiply,
    premise,
    resolve_larger,
    rewrite,
    round_down,
    smaller_of,
    solve_for,
    substitute,
    subtract,
    sum_over,
    weaken,
)
from symbolic_llm.witness.certificate_for_all_shapes import certify
from symbolic_llm.witness.comparison_at_places import counted

pytestmark = pytest.mark.usefixtures("kept_findings")


def formula(claim: Any, *steps: Any, **more: Any) -> Formula:
    """A formula that is not in the catalogue."""
    more = (
        ({} if "measured_by" in more else {"unmeasured": "made for a test"}) | {"kind": claim_of(claim).kinds[0]} | more
    )
    return Formula("tests.planted", "Planted", claim=claim, steps=steps, **more)


def changed_step(name: str, number: int, change: Callable[[Any], Any]) -> Formula:
    """A formula of the catalogue with the result of one step changed."""
    found = catalogue()[name]
    steps = list(found.steps)
    steps[number - 1] = replace(steps[number - 1], result=change(steps[number - 1].result))
    return replace(found, steps=tuple(steps))


# 0. What is shown with a formula


def test_what_is_shown_with_formulas_is_in_order() -> None:
    """Of the whole catalogue."""
    assert [found.name for found in catalogue() if check_shown(found) is not None] == []


SHOWN: dict[str, tuple[dict[str, Any], str]] = {
    "no title": ({"docstring": None}, "it has no title"),
    "a title of blanks": ({"docstring": " \n"}, "it has no title"),
    "a sentence for a title": ({"docstring": "Time of a step."}, "its title ends with a full stop"),
    "no such source": ({"sources": ("knuth-1905",)}, "of its sources: "),
    "no such model": ({"example": {"model": "llama-7"}}, "its example: "),
    "no such device": ({"example": {"hardware": "a11"}}, "its example: "),
    "no such format": ({"example": {"dtype": "fp17"}}, "its example: "),
    "a model that is a number": ({"example": {"model": 7}}, "its example: "),
    "no letter": ({"example": {"BB": 1}}, "its example gives a value to BB, which is no letter"),
    "a negative batch": ({"example": {"B": -3}}, "its example: B (batch: sequences in one pass) must be positive"),
    "nothing of a batch": ({"example": {"B": 0}}, "its example: B (batch: sequences in one pass) must be positive"),
    "half a sequence": (
        {"example": {"B": 1.5}},
        "its example: B (batch: sequences in one pass) must be a whole number",
    ),
    "another unit": ({"example": {"W": "1 TFLOP/s"}}, "its example: W "),
}


@pytest.mark.parametrize("fault", SHOWN)
def test_a_fault_in_what_is_shown_is_found(fault: str) -> None:
    """Title, source and example, each wrong in every way that is looked for."""
    change, said = SHOWN[fault]
    finding = check_shown(replace(catalogue()["latency"], **change))
    assert finding is not None
    assert finding.verdict is Verdict.REFUTED
    assert finding.summary.startswith(said)


# 1. Steps


@pytest.mark.parametrize(("name", "number"), [("total_parameters", 2), ("batch_crossover", 2), ("decode_flops", 7)])
def test_a_wrong_step_is_placed(name: str, number: int) -> None:
    """The step that is wrong is the one that is named."""
    finding = check_steps(changed_step(name, number, lambda r: r.func(r.lhs, 3 * r.rhs) if r.is_Relational else 3 * r))
    assert finding.verdict is Verdict.REFUTED
    assert finding.step == number
    assert f"step {number}" in finding.summary


def test_a_wrong_claim_is_placed_at_the_last_step() -> None:
    """Steps that lead elsewhere do not prove a claim."""
    found = catalogue()["weight_bytes"]
    finding = check_steps(replace(found, claim=Eq(M_weights, 2 * P * n_bytes)))
    assert finding.verdict is Verdict.REFUTED
    assert finding.step == len(found.steps)


def test_each_of_two_conditions_is_noticed() -> None:
    """The engine notices either of two conditions dropped, where it fails and the other holds; a needless one not."""
    found = catalogue()["decode_time_with_cache"]
    needless = Condition(Gt(n_heads, 3, evaluate=False), "")
    judgements = judged(replace(found, where=(*found.where, needless)), contradicted)
    assert [mutant.rejected_by for mutant in judgements if mutant.part == "condition"] == ["engine", "engine", ""]


def test_what_holds_in_the_first_step_and_in_the_last_holds_between() -> None:
    """By how much a step's reading takes longer lies between that of the first and that of the last, by algebra."""
    first, last = (c.relation.rhs - c.relation.lhs for c in catalogue()["decode_time_with_cache"].where)
    between = valued(last).xreplace({n_new: i_token})
    weighed = (n_new - i_token) * valued(first) + (i_token - 1) * valued(last)
    assert equal((n_new - 1) * between, weighed) is True
    assert equal((n_new - 1) * between, weighed + valued(first)) is False


def test_a_dropped_condition_is_noticed() -> None:
    """A step that rests on a condition fails without it."""
    for name in ("attention_parameters", "critical_context", "crossover_existence", "batch_crossover_with_cache"):
        found = catalogue()[name]
        bare = replace(found, where=(), uses=tuple(used for used in found.uses if not used.conditions))
        assert check_steps(bare).verdict is Verdict.REFUTED, name


def _beyond(last: Any) -> Any:
    """Sum of max(N + i, n_window) − n_window over i = 1, 2, … up to `last`."""
    end, begin = (Max(N + place, n_window) - n_window for place in (last, 0))
    return (end * (end + 1) - begin * (begin + 1)) / 2


def test_a_sum_beyond_a_border_is_that_of_its_summands() -> None:
    """The rule gives what a loop gives, before the border, across it and beyond."""
    stated = n_new * n_window + _beyond(n_new)
    steps = premise(Max(N + i_token, n_window), ""), sum_over(i_token, n_new, stated, "")
    assert check_steps(formula(Eq(T_memory, stated, evaluate=False), *steps)).verdict is Verdict.PROVED
    for context, window, new in product((1, 5, 9, 40), (1, 6, 9, 14), (1, 2, 7)):
        found = exact(stated, {N: context, n_window: window, n_new: new})
        assert found == sum(max(context + i, window) for i in range(1, new + 1))


TOGETHER = Eq(Max(P, W) + Max(k, F), Max(P + k, W + F), evaluate=False)
WRONG_STEPS = {
    "multiply": (premise(P, ""), multiply(n_bytes, P, "")),
    "divide": (premise(P * n_bytes, ""), divide(W, P * n_bytes, "")),
    "division by zero": (premise(P, ""), divide(P - P, P, "")),
    "add": (premise(P, ""), add(W, P + 2 * W, "")),
    "rewrite": (premise(P * (P + 1), ""), rewrite(P**2 + 1, "")),
    "sum": (premise(N, ""), sum_over(N, B, B * (B - 1) / 2, "")),
    "limit": (premise(N / (N + 1), ""), limit(N, N / N + 1, "")),
    "a sum beyond a border, one too many": (
        premise(Max(N + i_token, n_window), ""),
        sum_over(i_token, n_new, n_new * n_window + _beyond(n_new + 1), ""),
    ),
    "a sum beyond a border that is not whole": (
        premise(Max(W + i_token, n_window), ""),
        sum_over(i_token, n_new, n_new * n_window + _beyond(n_new).xreplace({N: W}), ""),
    ),
    "a sum of squares beyond a border": (
        premise(Max(N + i_token, n_window) ** 2, ""),
        sum_over(i_token, n_new, n_new * n_window**2 + _beyond(n_new) ** 2, ""),
    ),
    "no limit": (premise(N**2, ""), limit(N, N, "")),
    "bound": (premise(P + 1, ""), at_most(P, "")),
    "a stronger inequality": (premise(Lt(P, W), ""), weaken(Lt(P + 1, W), "")),
    "a larger side that shrinks": (premise(Lt(P, W), ""), weaken(Lt(P, W / 2, evaluate=False), "")),
    "an inequality made strict": (premise(Le(P, W), ""), weaken(Lt(P, W), "")),
    "a maximum made strict": (premise(Le(P, W), ""), weaken(Lt(P, Max(W, F), evaluate=False), "")),
    "a strict inequality made loose": (premise(Lt(P, W), ""), weaken(Le(P, 2 * W, evaluate=False), "")),
    "an inequality turned round": (premise(Le(P, W), ""), weaken(Gt(2 * W, P, evaluate=False), "")),
    "maxima bound unlike": (premise(TOGETHER, ""), bound_alike(Le((P - W) * k, (P - W) * F, evaluate=False), "")),
    "maxima bound strictly": (premise(TOGETHER, ""), bound_alike(Lt((P - W) * F, (P - W) * k, evaluate=False), "")),
    "maxima of other sums": (
        premise(Eq(Max(P, W) + Max(k, F), Max(P + k, W + B), evaluate=False), ""),
        bound_alike(Le((P - W) * F, (P - W) * k, evaluate=False), ""),
    ),
    "maxima that are no equation": (
        premise(Le(Max(P, W) + Max(k, F), Max(P + k, W + F), evaluate=False), ""),
        bound_alike(Le((P - W) * F, (P - W) * k, evaluate=False), ""),
    ),
    "an equation weakened": (premise(Eq(P, W, evaluate=False), ""), weaken(Eq(P, 2 * W, evaluate=False), "")),
    "the larger in place of the smaller": (premise(P, ""), smaller_of(W, Max(P, W), "")),
    "the smaller of two relations": (premise(Lt(P, W), ""), smaller_of(P, Lt(P, W), "")),
    "the larger of one side": (premise(Le(P, W), ""), larger_of(F, Le(P, Max(W, F), evaluate=False), "")),
    "the larger of a strict inequality": (premise(Lt(P, W), ""), larger_of(F, Lt(Max(P, F), Max(W, F)), "")),
    "the larger of an equation": (
        premise(Eq(P, W, evaluate=False), ""),
        larger_of(F, Eq(Max(P, F), Max(W, F), evaluate=False), ""),
    ),
    "second premise": (premise(P, ""), premise(P, "")),
    "no premise": (multiply(P, P, ""),),
    "solving what is no equation": (premise(P, ""), solve_for(P, Eq(P, P, evaluate=False), "")),
    "solving a square": (premise(Eq(P**2, W), ""), solve_for(P, Eq(P, W), "")),
    "negative factor": (premise(Lt(P, W), ""), multiply(P - W, Lt(P * (P - W), W * (P - W)), "")),
    "larger side": (premise(Lt(P, W), ""), add_to_larger(P - W, Lt(P, P), "")),
    "larger of unordered": (premise(Gt(P, W), ""), resolve_larger(Eq(Max(P, W), W, evaluate=False), "")),
    "maxima of unordered": (
        premise(Lt(Max(P, W), Max(P, F), evaluate=False), ""),
        compare_larger(Lt(P, F, evaluate=False), ""),
    ),
    "maxima with nothing in common": (
        premise(Lt(Max(P, W), Max(F, 2 * W), evaluate=False), ""),
        compare_larger(Lt(P, 2 * W, evaluate=False), ""),
    ),
    "maxima that may be equal": (
        premise(Le(Max(P, W), Max(P, 2 * W), evaluate=False), ""),
        compare_larger(Lt(P, 2 * W, evaluate=False), ""),
    ),
    "maxima that both grow": (
        premise(Lt(Max(P, W), Max(2 * P, 2 * W), evaluate=False), ""),
        compare_larger(Lt(P, 2 * W, evaluate=False), ""),
    ),
    "the wrong maximum": (
        premise(Lt(Max(P, 2 * W), Max(P, W), evaluate=False), ""),
        compare_larger(Lt(P, W, evaluate=False), ""),
    ),
    "a limit at zero for one far out": (premise(N / (N + 1), ""), limit(N, N / N, "", to_zero=True)),
    "no limit at zero": (premise(1 / N, ""), limit(N, N, "", to_zero=True)),
    "inequality as an equation": (premise(P, ""), substitute(weights_fit, M / n_bytes, "")),
    "division by what may be zero": (premise(P, ""), divide(P - W, P / (P - W), "")),
    "division by a hidden zero": (premise(P, ""), divide((P + W) ** 2 - P**2 - 2 * P * W - W**2, 2 * P, "")),
    "multiplication by zero": (premise(P, ""), multiply(P - P, P - P, "")),
    "rounding up": (premise(P, ""), round_down(-each_sequence, -floor(-P), "")),
    "solving at a pole": (
        premise(Eq(P / (P**2 - W**2), W / (P**2 - W**2), evaluate=False), ""),
        solve_for(P, Eq(P, W), ""),
    ),
    "a negative solution": (premise(Eq(P + W, 0, evaluate=False), ""), solve_for(P, Eq(P, -W, evaluate=False), "")),
    "a limit without leading term": (premise(k * P / (k * (W - F) + 1), ""), limit(k, P / (W - F), "")),
    "a sum to what does not count": (premise(k, ""), sum_over(k, F, F * (F + 1) / 2, "")),
    "a bound as an equation": (premise(P, ""), at_most(2 * P, "")),
    "a bound on a relation": (premise(Lt(P, W), ""), at_most(Lt(P, F), "")),
    "larger side of an inequation": (premise(Ne(P, W), ""), add_to_larger(F, Lt(P, F), "")),
    "foreign condition": (
        premise(P, ""),
        substitute(Condition(Eq(P, W, evaluate=False), ""), W, ""),
    ),
    "a pole that goes": (
        premise(P * (n_blocks**2 - 1) / (n_blocks - 1), ""),
        rewrite(P * (n_blocks + 1), ""),
    ),
    "a pole that comes": (
        premise(P * (n_blocks + 1), ""),
        rewrite(P * (n_blocks**2 - 1) / (n_blocks - 1), ""),
    ),
    "a pole multiplied away": (premise(P / (W - F), ""), multiply(W - F, P, "")),
    "a pole added away": (premise(P / (W - F), ""), subtract(P / (W - F), S.Zero, "")),
    "a pole within a maximum": (
        premise(Max(P, (k**2 - 1) / (k - 1), evaluate=False), ""),
        rewrite(Max(P, k + 1, evaluate=False), ""),
    ),
    "a pole in a relation": (
        premise(Lt((k**2 - 1) / (k - 1), W, evaluate=False), ""),
        rewrite(Lt(k + 1, W, evaluate=False), ""),
    ),
    "squares of what may be negative": (
        premise(Lt(P - W, F, evaluate=False), ""),
        rewrite(Lt((P - W) ** 2, F**2, evaluate=False), ""),
    ),
    "roots of another value": (premise((sqrt(P) + 1) ** 2, ""), rewrite(P + sqrt(P) + 1, "")),
    "a root of a sum": (premise(sqrt(P + W), ""), rewrite(sqrt(P) + sqrt(W), "")),
}


@pytest.mark.parametrize("steps", WRONG_STEPS.values(), ids=WRONG_STEPS.keys())
def test_every_rule_can_be_misapplied(steps: tuple[Any, ...]) -> None:
    """None of these proves the result it states, which is made the claim."""
    last = steps[-1].result
    claim = Implication(steps[0].result, last) if last.is_Relational else Eq(T_memory, last, evaluate=False)
    if isinstance(last, Eq) and last.lhs.is_Symbol:
        claim = last
    finding = check_steps(formula(claim, *steps))
    assert finding.verdict is not Verdict.PROVED
    assert finding.step == len(steps)


RIGHT_STEPS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "a zero that is excluded": (
        (premise(P * (n_blocks**2 - 1) / (n_blocks - 1), ""), rewrite(P * (n_blocks + 1), "")),
        (Gt(n_blocks, 1),),
    ),
    "a zero that is no value": (
        (premise(P * (n_blocks**2 - 1) / (n_blocks - 1), ""), rewrite(P * (n_blocks + 1), "")),
        (Ne(n_blocks, 1),),
    ),
    "nothing that can be zero": (
        (premise(P * (4 * k**2 - 1) / (2 * k - 1), ""), rewrite(P * (2 * k + 1), "")),
        (),
    ),
    "a zero of both": ((premise((P**2 - P) / (P - W), ""), rewrite(P * (P - 1) / (P - W), "")), ()),
    "a square with a root": ((premise((sqrt(P) + 1) ** 2, ""), rewrite(P + 2 * sqrt(P) + 1, "")), ()),
    "one over a root": ((premise(P / sqrt(P), ""), rewrite(P ** (S(3) / 2) / P, "")), ()),
}


@pytest.mark.parametrize("name", RIGHT_STEPS)
def test_what_is_true_is_followed(name: str) -> None:
    """The other side: no step is refused because it looks like a wrong one."""
    steps, relations = RIGHT_STEPS[name]
    where = tuple(Condition(relation, "") for relation in relations)
    finding = check_steps(formula(Eq(T_memory, steps[-1].result), *steps, where=where))
    assert finding.verdict is Verdict.PROVED, finding.summary


def test_a_claim_may_not_lose_a_pole_either() -> None:
    """Between the last step and the claim, and between a formula and where it is cited."""
    written, shorter = P * (k**2 - 1) / (k - 1), P * (k + 1)
    assert check_steps(formula(Eq(T_memory, shorter), premise(written, ""))).verdict is Verdict.REFUTED
    used = formula(Eq(T_compute, written), premise(written, ""))
    cited = replace(cite(used, ""), result=shorter)
    assert check_steps(formula(Eq(T_memory, shorter), cited, uses=(used,))).verdict is Verdict.REFUTED


def test_a_limit_takes_no_tied_letter_along() -> None:
    """A width that the heads fill cannot grow alone, nor a context on which another letter depends."""
    value, tied = k / (k + P), Condition(Eq(k * n_heads, d_model, evaluate=False), "")
    steps = premise(value, ""), limit(k, S.One, "")
    assert check_steps(formula(Eq(T_memory, S.One), *steps)).verdict is Verdict.PROVED
    assert check_steps(formula(Eq(T_memory, S.One), *steps, where=(tied,))).verdict is Verdict.REFUTED
    value, cache = N * M_cache / (N + P), catalogue()["kv_bytes_total"]
    steps = premise(value, ""), limit(N, M_cache, "")
    assert check_steps(formula(Eq(T_memory, M_cache), *steps)).verdict is Verdict.PROVED
    hidden = check_steps(formula(Eq(T_memory, M_cache), *steps, uses=(cache,)))
    assert "M_cache changes with N, so it has to be written out first" in hidden.summary


def test_an_equivalence_may_not_rest_on_a_one_way_step() -> None:
    """From a ≤ b follows a < b + t, but not the other way round."""
    left, right = Le(P, W, evaluate=False), Lt(P, W + n_bytes, evaluate=False)
    steps = (premise(left, ""), add_to_larger(n_bytes, right, ""))
    assert check_steps(formula(Implication(left, right), *steps, kind=Kind.THEOREM)).verdict is Verdict.PROVED
    assert check_steps(formula(Equivalence(left, right), *steps, kind=Kind.THEOREM)).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "relation",
    [Le((P - W) * F, (P - W) * k, evaluate=False), Ge((F - k) * W, (F - k) * P, evaluate=False)],
    ids=["as it is", "turned round"],
)
def test_maxima_that_add_up_are_bound_alike(relation: Any) -> None:
    """Maxima that add up are bound alike whichever part comes first; two solvers prove the rule for four letters."""
    steps = premise(TOGETHER, ""), bound_alike(relation, "")
    stated = formula(Equivalence(TOGETHER, relation), *steps)
    assert check_steps(stated).verdict is Verdict.PROVED
    assert check_theorem(stated).verdict is Verdict.PROVED
    wrong = Le((P - W) * k, (P - W) * F, evaluate=False)
    assert check_theorem(replace(stated, claim=Equivalence(TOGETHER, wrong))).verdict is Verdict.REFUTED


def test_an_inequality_is_made_strict_by_what_is_never_zero() -> None:
    """Of two positive letters the larger is less than both together, and no less than either."""
    left, right = Le(P + W, F, evaluate=False), Lt(Max(P, W), F, evaluate=False)
    steps = premise(left, ""), weaken(right, "")
    assert check_steps(formula(Implication(left, right), *steps)).verdict is Verdict.PROVED
    left, right = Le(Max(P, W), F, evaluate=False), Lt(P, F, evaluate=False)
    steps = premise(left, ""), weaken(right, "")
    assert check_steps(formula(Implication(left, right), *steps)).verdict is Verdict.UNDECIDED


def test_undecided_is_not_a_pass() -> None:
    """An equality the checker cannot decide is UNDECIDED, and that fails."""
    same = floor(P / W) + floor(N / W)
    assert equal(floor((P + W) / W), floor(P / W) + 1) is None
    finding = check_steps(formula(Eq(T_memory, same), premise(floor((P + W) / W), ""), rewrite(floor(P / W) + 1, "")))
    assert finding.verdict is Verdict.UNDECIDED
    assert Verdict.worst([Verdict.PROVED, Verdict.UNDECIDED]) is Verdict.UNDECIDED
    assert Verdict.worst([]) is Verdict.UNDECIDED


def test_algebra_decides() -> None:
    """Equality with maxima, order and positivity, each both ways."""
    assert equal(P * Max(B, W), Max(P * B, P * W)) is True
    assert equal(Max(P * B / F, P * n_bytes / W), P * Max(B / F, n_bytes / W)) is True
    assert equal(Max(B, W), Max(B, 2 * W)) is False
    assert at_least_zero(P - 1) is True
    assert at_least_zero(1 - P) is False
    assert at_least_zero(P - 2) is None
    assert at_least_zero(W - 1) is None
    assert at_least_zero(Max(P, W) - P) is True
    assert at_least_zero(Max(P, W) + Max(k, F) - Max(P + k, W + F)) is True
    assert at_least_zero(Max(P + k, W + F) - Max(P, W) - Max(k, F)) is None
    assert at_least_zero(P + W - Max(P, W)) is True
    assert at_least_zero(P - Max(P, W)) is None
    assert at_least_zero(F - F * Max(P, W) / P) is None
    assert above_zero(P + W - Max(P, W)) is True
    assert above_zero(Max(P, W) - P) is None
    assert above_zero(P - 1) is None
    assert positive(P - 1) is None
    assert positive(F * m_token - a * W, (Condition(Gt(F * m_token, a * W), ""),)) is True
    assert positive(F * m_token - a * W) is None
    assert same_relation(Lt(P, W), Gt(W, P)) is True
    assert same_relation(Lt(P, W), Le(P, W)) is False
    assert same_relation(Lt(P, W), P) is False


# 3. Dimensions


def test_the_articles_cache_total_is_rejected_by_its_unit_alone() -> None:
    """n_blocks·n_bytes·2·d_model is bytes per token, not bytes."""
    per_token = catalogue()["kv_bytes_per_token"]
    total = catalogue()["kv_bytes_total"]
    finding = check_dimensions(replace(total, claim=Eq(total.quantity, per_token.rhs)))
    assert finding.verdict is Verdict.REFUTED
    assert "byte/token" in finding.summary
    assert "is in byte," in finding.summary


def test_the_articles_memory_latency_is_rejected_by_its_unit_alone() -> None:
    """2·P·n_bytes·B/W carries the batch."""
    found = catalogue()["memory_time"]
    finding = check_dimensions(replace(found, claim=Eq(T_memory, 2 * P * n_bytes * B / W)))
    assert finding.verdict is Verdict.REFUTED
    assert "sequence·second" in finding.summary


def test_a_step_with_a_wrong_unit_is_placed() -> None:
    """Adding tokens to bytes is noticed where it happens."""
    finding = check_dimensions(formula(Eq(M, P * n_bytes), premise(P * n_bytes, ""), add(P, P * n_bytes + P, "")))
    assert finding.verdict is Verdict.REFUTED
    assert finding.step == 2


def test_rounding_takes_plain_numbers_only() -> None:
    """Seconds cannot be rounded: it would depend on the unit."""
    assert check_dimensions(formula(Eq(T_memory, floor(T_memory)), premise(P, ""))).verdict is Verdict.REFUTED


# 4. and 5. Engine and certificate


def test_a_wrong_factor_is_found_by_the_engine_alone() -> None:
    """Claim and steps agree on a wrong factor; only counting can tell."""
    found = catalogue()["embedding_parameters"]
    steps = tuple(replace(step, result=2 * step.result) for step in found.steps)
    wrong = replace(found, claim=Eq(found.quantity, 2 * found.rhs), steps=steps)
    assert check_steps(wrong).verdict is Verdict.PROVED
    assert check_dimensions(wrong).verdict is Verdict.PROVED
    engine = check_engine(wrong)
    assert engine.verdict is Verdict.REFUTED
    assert engine.step == 1  # the premise is measured too
    assert "the engine counts" in engine.summary
    assert check_certificate(wrong).verdict is Verdict.REFUTED


def test_a_wrong_letter_is_found_by_the_engine_alone() -> None:
    """n_heads where d_model belongs: same unit, same shape of formula."""
    found = catalogue()["embedding_parameters"]
    swap = {d_model: n_heads}
    steps = tuple(
        replace(s, result=s.result.xreplace(swap), operands=tuple(o.xreplace(swap) for o in s.operands))
        for s in found.steps
    )
    wrong = replace(found, claim=Eq(found.quantity, found.rhs.xreplace(swap)), steps=steps)
    assert check_steps(wrong).verdict is Verdict.PROVED
    assert check_dimensions(wrong).verdict is Verdict.PROVED
    assert check_engine(wrong).verdict is Verdict.REFUTED


def test_a_probe_that_does_not_exist_is_named() -> None:
    """A misspelt witness is no witness: of the claim, or of the step that names it."""
    found = catalogue()["weight_bytes"]
    for place in range(len(found.steps) + 1):
        if place:
            steps = list(found.steps)
            steps[place - 1] = replace(steps[place - 1], measured_by="weights.btyes")
            wrong = replace(found, steps=tuple(steps))
        else:
            wrong = replace(found, measured_by="weights.btyes")
        finding = check_engine(wrong)
        assert (finding.verdict, finding.step) == (Verdict.REFUTED, place)
        assert "weights.btyes" in finding.summary


def test_each_probe_answers_for_itself() -> None:
    """Every probe is given its own answer, also one that is not registered or has the name of another."""
    asked = [
        calculating("planted", lambda m, n, factor=factor: factor * m * n, "matrix and vector") for factor in (2, 3)
    ]
    one, other = (Probe("planted", question, SUBJECTS["matrix and vector"], ("m", "n")) for question in asked)
    assert [counted(probe, {"m": 5, "n": 1}) for probe in (one, other, one)] == [10, 15, 10]


def test_a_probe_that_asks_something_else_is_named() -> None:
    """A witness that does not take the formula's letters cannot witness it."""
    finding = check_engine(replace(catalogue()["weight_bytes"], measured_by="weights.of_embedding"))
    assert finding.verdict is Verdict.REFUTED
    assert "does not take" in finding.summary


def lying_about_vectors(lie: Callable[[int, int], int]) -> Question:
    """A question about a product of a matrix and a vector that is answered with so many operations too many."""
    return calculating("product.lied_about", lambda m, n: 2 * m * n + lie(m, n), "matrix and vector", "C_vector")


def believing_the_lie() -> Formula:
    """The operations of that product, with the liar as witness."""
    return replace(catalogue()["matrix_vector_flops"], measured_by="product.lied_about")


def test_a_count_of_higher_degree_is_noticed() -> None:
    """Two values of m would agree."""
    with asking(lying_about_vectors(lambda m, n: (m - 1) * (m - 2) * n)):
        (certificate,) = certify(believing_the_lie())
    assert certificate.degrees == {"m": 2, "n": 1}
    assert not certificate.holds
    assert certificate.counterexample == {"m": 3, "n": 1}


def moved(values: dict[Any, int], *relations: Any) -> Any:
    """Values moved to whole numbers on the side of the bound that is asked for."""

    def places(symbol: Any, bound: Fraction, side: str, _: Any) -> list[int]:
        near = {"<": [ceil(bound) - 1], "=": [int(bound)], ">": [int(bound) + 1]}[side]
        return [place for place in near if place > 0]

    return feasible(values, relations, places, lambda point: {s: Fraction(value) for s, value in point.items()})


def test_values_are_moved_past_what_they_break() -> None:
    """No further than that, one after the other, where nothing is straight too; and not where nothing helps."""
    assert moved({P: 5, W: 7}, Lt(P, W)) == {P: 5, W: 7}
    assert moved({P: 50, W: 7}, Lt(P, W)) == {P: 6, W: 7}
    assert moved({N: 100, B: 7}, Eq(Mod(N, B), 0, evaluate=False)) == {N: 98, B: 7}
    assert moved({P: 2, W: 7}, Gt(P**3, 2**W)) == {P: 7, W: 7}
    assert moved({P: 1, W: 10**6}, Gt(floor(P / W), 0)) == {P: 10**6 + 1, W: 10**6}
    assert moved({P: 9, W: 8, k: 1}, Gt(Min(P / W, k / 2), 1, evaluate=False)) == {P: 9, W: 8, k: 3}
    assert moved({P: 5, W: 9, k: 1}, Gt(Min(P / W, k / W), 1, evaluate=False)) == {P: 10, W: 9, k: 10}
    assert moved({P: 0, W: 7}, Gt(P**2, W)) == {P: 8, W: 7}  # 0 is left, too
    assert moved({P: 5}, Lt(P, -P)) is None
    assert moved({P: 5, W: 7}, Lt(P, W), Gt(P, W)) is None


# 6. Mutants


def test_only_the_derivation_rejects_where_nothing_is_measured() -> None:
    """Without an engine and with a premise for all steps, breaking the formula is noticed by units at the most."""
    blind = formula(Eq(M, M * d_model), premise(M * d_model, ""))
    assert {mutant.rejected_by for mutant in judged(blind, contradicts=None)} == {"", "dimensions", "steps"}
    assert "differ from the derivation alone" in check_mutants(blind, contradicts=None).summary


def test_an_engine_that_notices_nothing_is_noticed() -> None:
    """A probe that agrees with every claim leaves the mutants alive, whatever the steps say."""
    finding = check_mutants(catalogue()["weight_bytes"], contradicts=lambda mutant: "")
    assert finding.verdict is Verdict.UNDECIDED
    assert "survive: " in finding.summary


def test_survivors_fail_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every check blinded all mutants survive, and the finding names them."""
    from symbolic_llm.checks import mutants as module

    monkeypatch.setattr(module, "_judged", lambda mutant, contradicts: mutant)
    finding = check_mutants(catalogue()["weight_bytes"], contradicted)
    assert finding.verdict is Verdict.UNDECIDED
    assert "survive: doubled; " in finding.summary


def test_mutants_are_many_and_different() -> None:
    """Every kind of mistake is made, and none of the mutants says what the formula says."""
    found = catalogue()["total_parameters"]
    made = list(mutants(found))
    changes = {mutant.change for mutant in made}
    assert {"doubled", "n_blocks dropped", "d_model squared", "n_blocks and n_vocab swapped"} <= changes
    assert "exponent of d_model^2 lowered" in changes
    assert "n_vocab·d_model dropped" in changes
    assert "result of step 1 doubled" in changes
    for mutant in made:
        assert equal(mutant.formula.rhs, found.rhs) is False or mutant.part != "claim"


def test_the_engine_alone_rejects_what_it_measures() -> None:
    """Every wrong claim about a count is contradicted by the engine itself, whatever the other checks say."""
    seen = 0
    for found in catalogue():
        if found.kind is Kind.IDENTITY and found.measured_by:
            for mutant in mutants(found):
                if mutant.part == "claim":
                    seen += 1
                    assert contradicted(mutant.formula), f"{found.name}: {mutant.change}"
    assert seen > 300


# False formulas, whole: each was proved once, by a hole that is closed


def _with_factor(name: str) -> Formula:
    """The formula times something that is 1 for one, two and three blocks."""
    found, factor = catalogue()[name], 1 + (n_blocks - 1) * (n_blocks - 2) * (n_blocks - 3)
    last = replace(found.steps[-1], result=found.rhs * factor)
    return replace(found, claim=Eq(found.quantity, found.rhs * factor), steps=(*found.steps[:-1], last))


def _fake() -> Formula:
    return formula(Eq(C_token, 7 * multiply_add * P), premise(7 * multiply_add * P, ""))


def _built_on(fake: Formula) -> Formula:
    value = fake.rhs * B * one_token / F
    return formula(Eq(T_compute, value), cite(fake, ""), multiply(B * one_token / F, value, ""), uses=(fake,))


def _contradictory() -> Formula:
    bad = Condition(Gt(B * one_token, 2 * B * one_token, evaluate=False), "")
    left, right = Lt(P, P_block, evaluate=False), Gt(P, P_block, evaluate=False)
    return formula(Equivalence(left, right), premise(left, ""), rewrite(right, ""), where=(bad,))


def _from_above() -> Formula:
    """Twice the value, derived as before: the error is still below the bound, but it is negative."""
    tiled, tile = catalogue()["tiled_attention_traffic"], catalogue()["tile_bytes"]
    claim = replace(tiled.claim, value=2 * tiled.claim.value)
    written = claim.error.xreplace({tile.quantity: tile.rhs})
    steps = (premise(claim.error, ""), substitute(tile, written, ""), at_most(claim.bound, ""))
    return replace(tiled, claim=claim, steps=steps)


def _cited(name: str, claim: Any, *steps: Any, also: tuple[str, ...] = (), **more: Any) -> Formula:
    uses = tuple(catalogue()[one] for one in (name, *also))
    return formula(claim, cite(catalogue()[name], ""), *steps, uses=uses, **more)


def _timed(other: Any) -> Formula:
    """The time that reads the weights, or another if that is larger."""
    longer = Max(P * n_bytes / W, other, evaluate=False)
    return formula(
        Eq(T_memory, longer),
        premise(P * n_bytes / W, ""),
        larger_of(other, longer, ""),
        uses=(catalogue()["total_parameters"],),
        measured_by="clock.memory_time",
        kind=Kind.LAW,
    )


def _circle() -> Formula:
    one = formula(Eq(P, P_total), premise(P_total, ""))
    other = formula(Eq(P_total, P), premise(P, ""))
    value = P * n_bytes
    return formula(Eq(M_weights, value), premise(value, ""), uses=(one, other), measured_by="weights.bytes")


def _other_weights() -> Any:
    return catalogue()["llama_decode_flops"].rhs.xreplace({P: catalogue()["total_parameters"].rhs})


def _two_caches() -> Any:
    return catalogue()["latent_kv_bytes_per_token"].rhs + catalogue()["kv_bytes_per_token"].rhs


FALSE: dict[str, tuple[Callable[[], Formula], str]] = {
    "another letter": (
        lambda: replace(catalogue()["memory_time"], claim=_equal_to(T_compute, "memory_time")),
        "engine",
    ),
    "another letter, a count": (
        lambda: replace(catalogue()["weight_bytes"], claim=_equal_to(M_cache, "weight_bytes")),
        "engine",
    ),
    "another letter, a count of operations": (
        lambda: replace(catalogue()["prefill_product_flops"], claim=_equal_to(C_decode, "prefill_product_flops")),
        "engine",
    ),
    "a premise is all": (
        lambda: formula(Eq(T_memory, 5 * P * n_bytes / W), premise(5 * P * n_bytes / W, "")),
        "engine",
    ),
    "built on a fake": (lambda: _built_on(_fake()), "uses"),
    "a law that fails for four blocks": (lambda: _with_factor("memory_time"), "certificate"),
    "a rounding that fails for four blocks": (lambda: _with_factor("sequences_that_fit"), "engine"),
    "a truth value as a number": (
        lambda: formula(
            Eq(n_blocks, count(1, "one")),
            premise(count(1, "one"), ""),
            measured_by="memory.fits",
            where=(Condition(catalogue()["capacity"].claim.left, ""),),
            uses=catalogue()["capacity"].uses,
        ),
        "engine",
    ),
    "a condition dropped": (lambda: replace(catalogue()["tiled_attention_bytes"], where=()), "engine"),
    "another condition dropped": (lambda: replace(catalogue()["memory_left"], where=()), "engine"),
    "a condition of a step dropped": (lambda: replace(catalogue()["batch_crossover_with_cache"], where=()), "steps"),
    "contradictory conditions": (_contradictory, "conditions"),
    "nothing admitted": (
        lambda: replace(catalogue()["embedding_parameters"], where=(Condition(Gt(n_heads, 1000), ""),)),
        "engine",
    ),
    "a bound as a value": (
        lambda: _cited("weight_bytes", Eq(M_weights, 2 * P * n_bytes), at_most(2 * P * n_bytes, "")),
        "steps",
    ),
    "a limit as a value": (
        lambda: _cited(
            "attention_intensity",
            Eq(I_textbook, catalogue()["attention_intensity_limit"].rhs),
            limit(N, catalogue()["attention_intensity_limit"].rhs, ""),
            plain=(N,),
        ),
        "steps",
    ),
    "an approximation as a count": (
        lambda: _cited(
            "flops_per_token",
            Eq(C_decode, catalogue()["flops_per_token"].rhs * B * one_token),
            multiply(B * one_token, catalogue()["flops_per_token"].rhs * B * one_token, ""),
        ),
        "steps",
    ),
    "an exact value from nowhere": (
        lambda: formula(
            Approximation(C_token, multiply_add * P, multiply_add * (P + P_block), P_block / P),
            premise(P_block / (P + P_block), ""),
            at_most(P_block / P, ""),
        ),
        "steps",
    ),
    "an approximation from above": (_from_above, "steps"),
    "a bound of everything": (
        lambda: replace(
            catalogue()["flops_per_token"],
            claim=replace(catalogue()["flops_per_token"].claim, bound=S.One),
            steps=(catalogue()["flops_per_token"].steps[0], at_most(S.One, "")),
        ),
        "steps",
    ),
    "a bound that is far too lax": (
        lambda: replace(
            catalogue()["flops_per_token"],
            claim=replace(
                catalogue()["flops_per_token"].claim, bound=1000 * catalogue()["flops_per_token"].claim.bound
            ),
            steps=(
                *catalogue()["flops_per_token"].steps,
                at_most(1000 * catalogue()["flops_per_token"].claim.bound, ""),
            ),
        ),
        "mutants",
    ),
    "a maximum of one thing": (
        lambda: _timed(count(1, "one") * P * n_bytes / W),
        "steps",
    ),
    "a maximum with a part of itself": (
        lambda: _timed(each_sequence * P * n_bytes / (W * B)),
        "steps",
    ),
    "a value that is its own letter": (
        lambda: formula(
            Eq(P, count(1, "one") * P, evaluate=False),
            premise(count(1, "one") * P, ""),
            uses=(catalogue()["total_parameters"],),
            measured_by="schematic/weights.multiplied",
        ),
        "steps",
    ),
    "a value that comes round to its own letter": (
        lambda: formula(
            Eq(P, M_weights / n_bytes),
            premise(M_weights, ""),
            divide(n_bytes, M_weights / n_bytes, ""),
            uses=(catalogue()["weight_bytes"],),
            measured_by="schematic/weights.multiplied",
        ),
        "steps",
    ),
    "letters that define each other": (_circle, "steps"),
    "a letter of two formulas": (
        lambda: formula(
            Eq(C_decode, B * one_token * (multiply_add * P + a * N)),
            premise(B * one_token * (multiply_add * P + a * N), ""),
            uses=tuple(
                catalogue()[name]
                for name in (
                    "llama_multiplied_parameters",
                    "total_parameters",
                    "attention_flops_per_context_token",
                )
            ),
            measured_by="decode.product_flops",
        ),
        "steps",
    ),
    "another decoder's weights": (
        lambda: _cited(
            "llama_decode_flops",
            Eq(C_decode, _other_weights()),
            substitute(catalogue()["total_parameters"], _other_weights(), ""),
            also=("total_parameters",),
        ),
        "steps",
    ),
    "a sum over what a letter hides": (
        lambda: formula(
            Eq(T_memory, n_new * M_cache),
            premise(M_cache, ""),
            sum_over(N, n_new, n_new * M_cache, ""),
            uses=(catalogue()["kv_bytes_total"],),
        ),
        "steps",
    ),
    "two decoders in one": (
        lambda: _cited(
            "latent_kv_bytes_per_token",
            Eq(T_memory, _two_caches()),
            add(catalogue()["kv_bytes_per_token"], _two_caches(), ""),
            also=("kv_bytes_per_token",),
        ),
        "steps",
    ),
    "a letter of no notation": (lambda: formula(Eq(n_blocks, Symbol("x")), premise(Symbol("x"), "")), "dimensions"),
    "a unit lost on the way": (
        lambda: formula(Eq(M_weights, P * n_bytes), premise(P, ""), multiply(2, 2 * P * n_bytes, "")),
        "dimensions",
    ),
}


def _equal_to(letter: Any, name: str) -> Any:
    return Eq(letter, catalogue()[name].rhs)


@pytest.mark.parametrize("name", FALSE)
def test_a_false_formula_is_not_proved(name: str) -> None:
    """The check that is named sees it, and so the whole is not proved."""
    made, by = FALSE[name]
    assert rejected_by(made(), (by,)), name


REFUSED: dict[str, Callable[[], Any]] = {
    "an equation as a theorem": lambda: replace(catalogue()["latency"], kind=Kind.THEOREM),
    "a theorem as a law": lambda: replace(catalogue()["capacity"], kind=Kind.LAW),
    "an equation as an approximation": lambda: replace(catalogue()["latency"], kind=Kind.APPROXIMATION),
    "a bare inequality": lambda: Formula(
        "t", "", claim=Lt(P, W), steps=(premise(Lt(P, W), ""),), kind=Kind.LAW, unmeasured="?"
    ),
    "a measured definition": lambda: replace(catalogue()["weight_bytes"], kind=Kind.DEFINITION),
    "bytes read as a count": lambda: replace(catalogue()["weight_bytes"], plain=(n_bytes,)),
    "the quantity read as a count": lambda: replace(catalogue()["sequences_that_fit"], plain=(B,), claim=Eq(B, B)),
    "a claim before the last step": lambda: formula(Eq(P, W), premise(W, ""), add(W, CLAIM, ""), rewrite(CLAIM, "")),
    "a claim that is its own premise": lambda: formula(Eq(P, W), premise(CLAIM, "")),
    "a negative numeral": lambda: count(-1, "minus one"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused(name: str) -> None:
    """Before any check is made."""
    with pytest.raises(CatalogueError):
        REFUSED[name]()


def test_a_last_step_gives_what_is_claimed() -> None:
    """A value or, where equations are transformed, the whole equation; that the step does not give it is found."""
    value = formula(Eq(M, 2 * W), premise(W, ""), multiply(2, CLAIM, ""))
    equation = formula(Eq(M, 2 * W), premise(Eq(M / 2, W), ""), multiply(2, CLAIM, ""))
    assert [made.steps[-1].result for made in (value, equation)] == [2 * W, Eq(M, 2 * W)]
    assert [check_steps(made).verdict for made in (value, equation)] == [Verdict.PROVED] * 2
    wrong = formula(Eq(M, 2 * W), premise(W, ""), multiply(3, CLAIM, ""))
    assert check_steps(wrong).summary == "step 2: multiply does not give 2·W"


def test_a_degree_hidden_on_one_line_is_found() -> None:
    """A term that vanishes where one letter is 1 or 2 shows from the second corner."""
    with asking(lying_about_vectors(lambda m, n: (m - 1) * (m - 2) * (n - 1) * (n - 2))):
        (certificate,) = certify(believing_the_lie())
    assert not certificate.holds


def test_conditions_come_along_with_a_right_hand_side() -> None:
    """Through the claim as through a step."""
    tiled = catalogue()["tiled_attention_bytes"].conditions
    assert catalogue()["tiled_attention_traffic"].conditions == tiled != ()
