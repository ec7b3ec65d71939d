"""Properties that hold for every formula, on drawn values"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sessions import once
from strategies import admissible, admitted_configurations, configurations, letter_values, with_a_value
from sympy import (
    Basic,
    Dummy,
    Eq,
    Integer,
    Max,
    Min,
    Pow,
    Rational,
    cancel,
    diff,
    expand,
    floor,
    fraction,
    prime,
    rem,
    together,
)
from sympy.core.relational import Ge, Gt, Le

from reference_engine.probes import Probe
from symbolic_llm import catalogue, solve
from symbolic_llm.answers.branch import Branch
from symbolic_llm.answers.rearranging import branches
from symbolic_llm.answers.resolution import of_the_plain, written_out
from symbolic_llm.checks import theorems
from symbolic_llm.checks.dimensions import unit_of
from symbolic_llm.checks.examples import witness
from symbolic_llm.checks.theorems import check_theorem
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.errors import NoClosedForm, NotSolvable
from symbolic_llm.expressions import feasible, rational
from symbolic_llm.expressions.arithmetic import Inexact
from symbolic_llm.expressions.decide import equal, positive
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula
from symbolic_llm.models.caches_and_states import sums
from symbolic_llm.notation import (
    LETTERS,
    SUMS,
    B,
    D_weights,
    F,
    M_seq,
    N,
    P,
    P_total,
    W,
    a,
    b_q,
    d,
    m_token,
    n_block,
    n_bytes,
    n_bytes_act,
    n_experts,
)
from symbolic_llm.numeral import Numeral, valued
from symbolic_llm.steps import premise
from symbolic_llm.units import PHYSICAL
from symbolic_llm.witness import comparison_at_places
from symbolic_llm.witness.comparison_at_places import comparisons
from symbolic_llm.witness.configurations import admitted
from symbolic_llm.witness.engine_answers import run_for
from symbolic_llm.witness.letters import probes_of

MEASURED = [f.name for f in catalogue() if f.measured_by]
EQUATIONS = [f for f in catalogue() if f.quantity is not None]
PARTS = 8  # of a test that is long, for several workers


# Formula and count


@pytest.mark.parametrize("name", MEASURED)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_formula_equals_count(name: str, data: st.DataObject) -> None:
    """Exactly, for any shape, whatever the widths, packed or not; the engine is run for it there."""
    formula = catalogue()[name]
    found = comparisons(formula, [data.draw(admitted_configurations(formula))])
    assert found
    assert all(one.equal for one in found), found
    asked = {probe.subject.name: probe for probe in probes_of(formula.measured_by, formula)}
    for one in found:
        assert run_for(asked[one.subject], one.config) == one.measured


def reached(names: list[str], move: Callable[[Formula, dict[str, Any], Probe], Any]) -> dict[str, float]:
    """By formula and subject, the share of drawn configurations that are compared once they are moved.

    What the engine answers has no part in it, so it is not asked: every configuration would be run, and many are large.
    """
    asked = [
        (formula, probe)
        for formula in map(catalogue().__getitem__, names)
        for probe in probes_of(formula.measured_by, formula)
    ]
    seen, drawn = dict.fromkeys((f"{formula.name} of {probe.subject.name}" for formula, probe in asked), 0), []

    @settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
    @given(config=configurations())
    def draw(config: dict[str, Any]) -> None:
        drawn.append(config)
        for formula, probe in asked:
            moved = move(formula, config, probe)
            found = comparisons(formula, [moved]) if moved is not None else []
            seen[f"{formula.name} of {probe.subject.name}"] += probe.subject.name in {one.subject for one in found}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_at_places, "counted", lambda probe, config: Fraction(1))
        patch.setattr(
            comparison_at_places, "_cases", comparison_at_places._cases.__wrapped__
        )  # what is kept is the engine's
        draw()
    return {name: count / len(drawn) for name, count in seen.items()}


@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_configurations_reach_every_formula(part: int) -> None:
    """Nine of ten at the least, so that what is drawn is compared, whatever a formula asks for, and of whomever."""

    def move(formula: Formula, config: dict[str, Any], probe: Probe) -> Any:
        return admitted(with_a_value(formula, probe), config, probe)

    assert {name: share for name, share in reached(MEASURED[part::PARTS], move).items() if share < 0.9} == {}


def test_a_formula_that_draws_seldom_reach_is_noticed() -> None:
    """The twin: as they are drawn, few have heads that are together as wide as the model."""
    as_drawn = reached(["attention_parameters"], lambda _, config, probe: {n: config[n] for n in probe.parameters})
    assert as_drawn["attention_parameters of schematic"] < 0.5


# Solving


def plainly(formula: Formula) -> Formula:
    """The formula as it is solved where no model is named: sums over parts are those of the plain decoder."""
    if not isinstance(formula.claim, Basic) or not formula.claim.free_symbols & set(SUMS):
        return formula
    plain = partial(of_the_plain, formula)
    where = tuple(replace(condition, relation=plain(condition.relation)) for condition in formula.demanded)
    return replace(formula, claim=plain(formula.claim), where=where)


SOLVED = [plainly(formula) for formula in EQUATIONS]


@cache
def asked(formula: Formula, unknown: Any) -> Any:
    """The right-hand side that is solved for a letter: what architectures compute differently does not hide it.

    The smallest of some is written as the largest of their opposites.
    """
    there = unknown in formula.rhs.free_symbols
    right = written_out(formula, unknown, frozenset(), ())[0] if there else of_the_plain(formula, valued(formula.rhs))
    return right.replace(Min, lambda *args: -Max(*(-one for one in args)))


@cache
def put_in_under(formula: Formula, unknown: Any) -> list[Any]:
    """The relations under which the formulas hold that are put in where it is solved for a letter."""
    if unknown not in formula.rhs.free_symbols:  # its own conditions, in the letters that the answer is written in
        return [of_the_plain(formula, condition.relation) for condition in formula.demanded]
    _, through = written_out(formula, unknown, frozenset(), ())
    return [condition.relation for one in through for condition in one.demanded]


@cache
def in_a_power(formula: Formula) -> set[Any]:
    """Letters that stand in a power whose exponent is a letter."""
    return {
        symbol
        for symbol in formula.rhs.free_symbols
        for power in asked(formula, symbol).atoms(Pow)
        if power.exp.free_symbols and symbol in power.free_symbols
    }


@cache
def cancelled(formula: Formula) -> set[Any]:
    """Letters that cancel: all experts together are as many however many of them work on a token."""
    plain = {s for s in formula.rhs.free_symbols if not asked(formula, s).atoms(floor, Max)}
    still = {s for s in plain if not moves(asked(formula, s), s)}
    return {s for s in still if s not in cancel(together(asked(formula, s))).free_symbols}


def moves(expression: Any, letter: Any) -> bool:
    """Whether another value of the letter gives another value, exactly, so that it cannot cancel; else nobody knows."""
    point = {s: Fraction(prime(place)) for place, s in enumerate(sorted(expression.free_symbols, key=str), 1)}
    try:
        return bool(exact(expression, point) != exact(expression, point | {letter: point[letter] + 1}))
    except (Inexact, ZeroDivisionError):
        return False


def rounded(formula: Formula) -> set[Any]:
    """The letters that stand in what is rounded."""
    return set().union(*(found.free_symbols for found in formula.rhs.atoms(floor)))


def solvable() -> list[tuple[Formula, Any]]:
    """Every formula with every letter it can be solved for."""
    return [
        (f, s)
        for f in SOLVED
        for s in f.letters
        if s not in rounded(f)
        and s in (f.quantity, *valued(f.rhs).free_symbols)
        and s not in in_a_power(f) | cancelled(f)
    ]


def test_what_cancels_cannot_be_solved_for() -> None:
    """There is no such letter, and where one is planted it is refused."""
    assert not [(f, s) for f in SOLVED if not f.rhs.has(floor) for s in cancelled(f)]
    formula = catalogue()["footprint"]
    planted = replace(formula, claim=Eq(formula.quantity, (formula.rhs * F + formula.rhs) / (F + 1)))
    assert cancelled(planted) == {F}
    with pytest.raises(NotSolvable):
        branches(planted, F)


def put_back(formula: Formula, unknown: Any, branch: Branch) -> bool:
    """Whether the solution, put into the claim, makes both sides identical.

    A maximum is taken to be one of its arguments; that it is the larger one is what the branch's condition says.
    """
    quantity, expr = formula.quantity, branch.expr
    if unknown == quantity:
        return bool(expr == valued(formula.rhs))
    right = asked(formula, unknown)
    candidates = [right]
    while maxima := {m for c in candidates for m in c.atoms(Max) if not any(x.has(Max) for x in m.args)}:
        maximum = min(maxima, key=str)  # an innermost one: others change with it
        stand_in = {maximum: Dummy(positive=True)} if unknown not in maximum.free_symbols else None
        if stand_in:
            candidates = [c.xreplace(stand_in) for c in candidates]
            expr = expr.xreplace(stand_in)
        else:
            candidates = [c.xreplace({maximum: argument}) for c in candidates for argument in maximum.args]
    return any(vanishes(c.xreplace({unknown: expr}) - quantity) for c in candidates)


def vanishes(expression: Any) -> bool:
    """Whether an expression is zero: nothing is left above, where the square of a root is what stands under it."""
    if expression.is_rational_function():
        return equal(expression, Integer(0)) is True
    # of what is a square after all, above or below a line, the root is known
    halves = [power for power in expression.atoms(Pow) if power.exp.is_Rational and power.exp.q == 2]
    sides = {power: fraction(cancel(power.base)) for power in halves}
    turned = {power: -1 if over.is_negative else 1 for power, (over, _) in sides.items()}
    expression = expression.xreplace(
        {
            p: expand(turned[p] * over) ** p.exp / expand(turned[p] * under) ** p.exp
            for p, (over, under) in sides.items()
        }
    )
    powers = [power for power in expression.atoms(Pow) if power.exp.is_Rational and power.exp.q == 2]
    roots = {power.base: Dummy(positive=True) for power in powers}
    above, _ = fraction(together(expression.xreplace({one: roots[one.base] ** (2 * one.exp) for one in powers})))
    for square, root in roots.items():
        above = rem(above, root**2 - square, root)
    return bool(expand(above) == 0)


@pytest.mark.parametrize(("formula", "unknown"), solvable(), ids=lambda x: getattr(x, "name", None))
def test_a_solution_put_back_is_the_claim(formula: Formula, unknown: Any) -> None:
    """Proved by algebra for every formula, every letter, every branch."""
    found = branches(formula, unknown)
    assert found
    for branch in found:
        assert put_back(formula, unknown, branch), branch


FIVE = {"latency", "batch_crossover", "bytes_per_weight", "total_parameters", "attention_intensity"}


def test_a_wrong_solution_is_noticed() -> None:
    """The twin: twice the solution does not satisfy the claim."""
    tried = set()
    for formula, unknown in solvable():
        if formula.name in FIVE and unknown != formula.quantity:
            tried.add(formula.name)
            (branch, *_) = branches(formula, unknown)
            assert not put_back(formula, unknown, Branch(2 * branch.expr)), (formula.name, unknown)
    assert tried == FIVE


@cache
def in_maxima(formula: Formula, unknown: Any) -> list[list[tuple[Any, Any]]]:
    """Ways to take the maxima of what is solved in which the unknown counts, or else all: each with an argument."""
    claim, sides = asked(formula, unknown), []
    maxima = sorted(claim.atoms(Max), key=str)
    for maximum in maxima:
        counting = [x for x in maximum.args if counts(unknown, claim.xreplace({maximum: x}))]
        sides.append(counting or list(maximum.args))
    ways = [list(zip(maxima, chosen, strict=True)) for chosen in product(*sides)]
    return [way for way in ways if counts(unknown, claim.xreplace(dict(way)))] or ways


def counts(letter: Any, expression: Any) -> bool:
    """Whether a letter is left where nothing can be cancelled."""
    maxima = {maximum: Dummy(positive=True) for maximum in expression.atoms(Max)}
    left = rational.cancelled(expression.xreplace(maxima)).free_symbols
    return letter in left or any(letter in m.free_symbols for m, stand_in in maxima.items() if stand_in in left)


@cache
def denominators(formula: Formula, unknown: Any) -> list[Any]:
    """Of each solution, what it is divided by."""
    return [fraction(branch.expr)[1] for branch in branches(formula, unknown)]


@cache
def is_rational(formula: Formula, unknown: Any) -> bool:
    """Whether one of the solutions is a rational function, but for maxima."""
    solutions = (branch.expr for branch in branches(formula, unknown))
    return any(x.xreplace({m: Dummy() for m in x.atoms(Max)}).is_rational_function() for x in solutions)


def holds(relation: Any, values: dict[Any, Fraction]) -> bool:
    """Whether it does; one with a root of a negative number, or at its pole, does not."""
    try:
        return bool(exact(relation, values))
    except (ValueError, ZeroDivisionError):
        return False


@pytest.mark.parametrize(("formula", "unknown"), solvable(), ids=lambda x: getattr(x, "name", None))
@settings(max_examples=5)
@given(data=st.data())
def test_solving_returns_what_was_put_in(formula: Formula, unknown: Any, data: st.DataObject) -> None:
    """Evaluate with drawn numbers, forget one of them, solve for it: the same number, exactly."""
    larger, claim = [*put_in_under(formula, unknown)], asked(formula, unknown)
    for maximum, side in data.draw(st.sampled_from(in_maxima(formula, unknown))):  # the unknown has to count
        larger += [Gt(side, other, evaluate=False) for other in maximum.args if other != side]
    drawn = data.draw(admissible(formula, *larger, Gt(claim, 0, evaluate=False)))
    values = drawn | {formula.quantity: exact(claim, drawn)}
    right = values.pop(unknown)
    assume(all(exact(under, values) != 0 for under in denominators(formula, unknown)))
    valid = {
        exact(branch.expr, values)
        for branch in branches(formula, unknown)
        if all(holds(c.relation, values) for c in branch.conditions if c.relation.free_symbols <= values.keys())
    }
    assert any(abs(value - right) <= right * Fraction(1, 10**12) for value in valid if value > 0), (valid, right)
    if is_rational(formula, unknown):
        assert right in valid


ROUNDED = [(f, s) for f in SOLVED for s in f.letters if s in rounded(f)]
IN_A_POWER = [(f, s) for f in SOLVED for s in f.letters if s in in_a_power(f)]


def which_end_depends(formula: Formula, unknown: Any) -> bool:
    """Whether there is no closed form, and the answer is found by search."""
    try:
        branches(formula, unknown)
    except NoClosedForm:
        return True
    return False


@pytest.mark.parametrize(("formula", "unknown"), ROUNDED, ids=lambda x: getattr(x, "name", None))
def test_a_letter_that_is_rounded_has_an_interval(formula: Formula, unknown: Any) -> None:
    """Closed at one end and open at the other; where a maximum is rounded, numbers may have to tell which is which."""
    if formula.rhs.has(Max) and which_end_depends(formula, unknown):
        return
    for branch in branches(formula, unknown):
        assert branch.sign in (Le, Ge)
        assert branch.open_end is not None


@pytest.mark.parametrize(("formula", "unknown"), ROUNDED + IN_A_POWER, ids=lambda x: getattr(x, "name", None))
def test_why_there_is_no_closed_form_is_so(formula: Formula, unknown: Any) -> None:
    """The stated reason for no closed form is true: rounded in one place or several, or in a power."""
    try:
        branches(formula, unknown)
    except NoClosedForm as error:
        claim = asked(formula, unknown)
        places = sum(unknown in found.free_symbols for found in claim.atoms(floor))
        powers = [power for power in claim.atoms(Pow) if not power.exp.is_Integer and unknown in power.free_symbols]
        reasons = {"stands in a power": powers, "is rounded": places == 1, "is rounded in several places": places > 1}
        said = str(error).removeprefix(f"{unknown.name} ").partition(",")[0]
        assert reasons[said]


def test_what_is_rounded_without_the_unknown_is_a_number() -> None:
    """A closed form, whatever is rounded beside it."""
    formula = next(one for one in sums(frozenset({"n_blocks", "r_csa"})) if one.quantity == M_seq)
    solution = solve(formula, "n_bytes_kv")
    assert len(solution.expr.atoms(floor)) == 2
    with pytest.raises(NotSolvable, match="r_csa is rounded"):
        solve(formula, "r_csa")


@pytest.mark.parametrize(("formula", "unknown"), IN_A_POWER, ids=lambda x: getattr(x, "name", None))
def test_a_letter_in_a_power_has_a_closed_form_where_it_stands_once(formula: Formula, unknown: Any) -> None:
    """A logarithm or a root, which put back gives the quantity; that there is none is said."""
    claim = asked(formula, unknown)
    if claim.count(unknown) > 1:
        with pytest.raises(NotSolvable, match=f"{unknown.name} stands in a power"):
            branches(formula, unknown)
        return
    (branch,) = branches(formula, unknown)
    assert in_power_back(claim, unknown, branch.expr, formula.quantity)
    assert not in_power_back(claim, unknown, 2 * branch.expr, formula.quantity)


def in_power_back(claim: Any, unknown: Any, expr: Any, quantity: Any) -> bool:
    """Whether the claim comes to the quantity with the solution put in, to forty digits at one point."""
    letters = sorted((claim.free_symbols | {quantity}) - {unknown}, key=str)
    point = {symbol: Rational(7 * place + 5, place + 1) for place, symbol in enumerate(letters)}
    point |= {n_experts: Rational(97)}  # more than are picked or used
    came = claim.xreplace({unknown: expr.xreplace(point)}).xreplace(point).evalf(50)
    return bool(abs(came - point[quantity]) < 1e-40)


# Monotonicity and limits


RISING = [
    ("memory_time", D_weights),
    *(("batch_crossover", letter) for letter in (F, n_bytes)),
    *(("critical_context", letter) for letter in (P, W)),
    *((name, N) for name in ("attention_intensity", "decode_attention_intensity", "decode_flops")),
    ("kv_bytes_total", M_seq),
    ("compute_time", B),
    ("weight_bytes", P_total),
    ("batch_crossover_with_cache", D_weights),
]
FALLING = [
    *((name, W) for name in ("memory_time", "batch_crossover", "ridge_point")),
    *((name, F) for name in ("compute_time", "critical_context")),
    ("bytes_per_weight", n_block),
    ("attention_intensity", n_bytes_act),
    ("tiled_attention_bytes", b_q),
    ("tokens_that_fit", n_bytes),
]
LEVEL = [  # and rising elsewhere
    ("prefill_time", N),
    ("latency", B),
    ("latency", P),
    ("latency", D_weights),
    ("throughput", B),
    ("throughput", W),
    ("throughput", F),
]


def solved(relation: Any, known: tuple[Condition, ...]) -> bool:
    """Whether the solver proves a relation from conditions, for positive letters; not asked where a point refutes."""
    theorem = Formula(
        "direction",
        None,
        claim=Implication(Gt(1, 0, evaluate=False), relation),
        steps=(premise(relation, "asked"),),
        kind=Kind.THEOREM,
        where=known,
        unmeasured="asked of the solver",
    )
    return not refuted(relation, known) and check_theorem(theorem).verdict is Verdict.PROVED


def refuted(relation: Any, known: tuple[Condition, ...]) -> bool:
    """Whether a point is soon found at which a relation fails and the conditions hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible, "_PATIENCE", 2)
        return witness((*(condition.relation for condition in known), relation.negated)) is not None


def solved_positive(value: Any, known: tuple[Condition, ...]) -> bool:
    """Whether the solver proves that a value is positive."""
    return solved(Gt(value, 0, evaluate=False), known)


def never_negative(value: Any, known: tuple[Condition, ...]) -> bool:
    """Whether the solver proves that a value is not negative where what is counted is there once at least."""
    whole = (s for s in value.free_symbols if LETTERS[s].whole)
    counted = (Condition(Ge(s, 1, evaluate=False), "it is counted") for s in sorted(whole, key=str))
    return solved(Ge(value, 0, evaluate=False), (*known, *counted))


@cache
def directions(formula: Formula, letter: Any) -> frozenset[int | None]:
    """Directions of the quantity as far as z3 knows; numbers put its word to the test, as cvc5 takes longer."""

    def found() -> list[int | None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(theorems, "agreed", lambda text, first: (first.said, ""))
            return list(proved_directions(formula, letter))

    return frozenset(once(f"direction of {formula.name} with {letter}", found))


def proved_directions(formula: Formula, letter: Any) -> set[int | None]:
    """Directions of the quantity with more of the letter: up (1), down (−1), nowhere (0) or unknown (None).

    A quotient u/v goes where u'v − uv' does. Of a maximum each argument may count, so there may be two directions.
    """
    right, found = valued(formula.rhs), set[int | None]()
    maxima = sorted(right.atoms(Max), key=str)
    for chosen in product(*(maximum.args for maximum in maxima)):
        over, under = fraction(together(right.xreplace(dict(zip(maxima, chosen, strict=True)))))
        slope = expand(diff(over, letter) * under - over * diff(under, letter))
        pairs = zip(maxima, chosen, strict=True)
        larger = [Gt(best, o, evaluate=False) for m, best in pairs for o in m.args if o != best]
        known = (*formula.conditions, *(Condition(relation, "where it counts") for relation in larger))
        ways = ((positive, 1), (solved_positive, 1), (never_negative, 0))
        signs = ((sign, least, decides(sign * slope, known)) for decides, least in ways for sign in (1, -1))
        sign, least = (0, 0) if slope == 0 else next(((sign, least) for sign, least, yes in signs if yes), (None, 1))
        found |= {sign} if least else {sign, 0}
    return found


@pytest.mark.parametrize(
    ("name", "letter", "expected"),
    [*((*case, {1}) for case in RISING), *((*case, {-1}) for case in FALLING), *((*case, {0, 1}) for case in LEVEL)],
    ids=str,
)
def test_quantities_go_where_they_should(name: str, letter: Any, expected: set[int]) -> None:
    """Each quantity goes where one knows that it goes, for all values at once, by the derivative and both solvers."""
    formula = catalogue()[name]
    assert letter in formula.rhs.free_symbols
    assert proved_directions(formula, letter) <= expected


@pytest.mark.parametrize("formula", [f for f in EQUATIONS if not f.rhs.has(floor)], ids=lambda f: f.name)
@settings(max_examples=12)
@given(data=st.data())
def test_monotonicity(formula: Formula, data: st.DataObject) -> None:
    """Numbers go where the derivative says, for each letter whose direction is known."""
    values = data.draw(admissible(formula))
    before = exact(formula.rhs, values)
    for letter in formula.rhs.free_symbols:
        found = directions(formula, letter)
        if None not in found:
            other = _moved(formula, letter, values, data)
            change = exact(formula.rhs, values | {letter: other}) - before
            assert (change > 0) - (change < 0) in {sign if other > values[letter] else -sign for sign in found}


def test_a_letter_without_a_known_direction_is_rare() -> None:
    """The twin: for more than nineteen letters of twenty the test above says something."""
    assert directions(catalogue()["mean_bytes_per_weight"], P_total) == {None}  # it depends on which is wider
    assert directions(catalogue()["all_reduce_bytes"], B) == {0, 1}  # it does not grow where one device is alone
    assert never_negative(N - 1, ())
    assert not never_negative(N - 2, ())
    asked = [(f, s) for f in EQUATIONS if not f.rhs.has(floor) for s in f.rhs.free_symbols]
    unknown = [(f.name, s.name) for f, s in asked if None in directions(f, s)]
    assert len(unknown) < len(asked) / 20, unknown


def _moved(formula: Formula, letter: Any, values: dict[Any, Fraction], data: st.DataObject) -> Fraction:
    """Another value of the letter: more of it where the inequalities among the conditions leave room, else less."""
    bounds = [c.relation for c in formula.conditions if not isinstance(c.relation, Eq)]
    step = Fraction(data.draw(st.integers(1, 1000)))
    more = (values[letter] + step / 2**turn for turn in range(12))
    less = (values[letter] * (1 - Fraction(1, 2**turn)) for turn in range(1, 40))
    return next(o for o in chain(more, less) if all(exact(relation, values | {letter: o}) for relation in bounds))


@given(data=st.data())
def test_the_crossover_rises_with_context_where_the_cache_outruns_attention(data: st.DataObject) -> None:
    """And falls where it does not: then more context adds more arithmetic than reading."""
    of_all = catalogue()["batch_crossover_with_cache"]
    claim, (exists,) = of_the_plain(of_all, of_all.claim), of_all.conditions
    plain = replace(exists, relation=of_the_plain(of_all, exists.relation))
    formula = replace(of_all, claim=claim, where=(plain,), uses=())
    values = data.draw(admissible(formula))
    more = values | {N: _moved(formula, N, values, data)}
    outruns = (values[F] * values[m_token] - values[a] * values[W]) * (more[N] - values[N])
    assert (exact(formula.rhs, more) - exact(formula.rhs, values)) * outruns >= 0
    assert (exact(formula.rhs, more) == exact(formula.rhs, values)) == (outruns == 0)


@given(data=st.data())
def test_intensity_tends_to_its_limit(data: st.DataObject) -> None:
    """From below, and as near as one likes."""
    finite, limit = catalogue()["attention_intensity"], catalogue()["attention_intensity_limit"]
    values = data.draw(letter_values([N, d, n_bytes_act]))
    bound = exact(limit.rhs, values)
    assert exact(finite.rhs, values) < bound
    assert bound - exact(finite.rhs, values | {N: Fraction(10**12)}) < bound / 10**6


@given(data=st.data())
def test_decoding_never_gets_far_beyond_one_operation_per_byte(data: st.DataObject) -> None:
    """2/n_bytes, whatever context and head: each key and value is used for one multiply-add."""
    values = data.draw(letter_values([N, d, n_bytes_act]))
    assert exact(catalogue()["decode_attention_intensity"].rhs, values) < 2 / values[n_bytes_act]


def test_the_crossover_grows_without_bound_towards_the_critical_context() -> None:
    """And with no context at all it is the crossover without cache."""
    given_ = {"hardware": "a100-80gb-sxm", "dtype": "fp16", "model": "llama-2-7b"}
    critical = solve("critical_context", **given_).exact
    sizes = [solve("batch_crossover_with_cache", N=N, **given_).value for N in (1, 100, int(critical))]
    plain = solve("batch_crossover", hardware="a100-80gb-sxm", dtype="fp16").value
    assert plain < sizes[0] < plain * 1.01
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[2] > 100 * plain


# Dimensions

BASES = ("byte", "FLOP", "second", "token", "sequence", "weight")
PRIMES, POWERS = st.permutations((2, 3, 5, 7, 11, 13)), st.sampled_from((-2, 1))


@cache
def with_letters_for_numerals(formula: Formula) -> tuple[dict[Any, Any], Any]:
    """A letter for each numeral that counts, and the right-hand side with these."""
    stand_ins = {numeral: Dummy(positive=True) for numeral in formula.rhs.atoms(Numeral)}
    return stand_ins, formula.rhs.xreplace(stand_ins)


@pytest.mark.parametrize("formula", EQUATIONS, ids=lambda f: f.name)
@settings(max_examples=15)
@given(data=st.data())
def test_dimension_homogeneity(formula: Formula, data: st.DataObject) -> None:
    """Count in units s times smaller, and the result scales as its unit says; numerals that count scale too.

    Each base unit has a scale of its own, so that none can stand in for another.
    """
    values = data.draw(admissible(formula))
    primes = data.draw(PRIMES)
    scales = {base: Fraction(p) ** data.draw(POWERS) for base, p in zip(BASES, primes, strict=True)}
    stand_ins, right = with_letters_for_numerals(formula)

    def factor(unit: Any) -> Fraction:
        return prod((scales[base] ** power for base, power in unit.exponents if base in scales), start=Fraction(1))

    plain = values | {dummy: Fraction(int(n.value.p), int(n.value.q)) for n, dummy in stand_ins.items()}
    units = {s: unit_of(s, formula.plain) for s in values} | {dummy: n.unit for n, dummy in stand_ins.items()}
    scaled = {symbol: value * factor(units[symbol]) for symbol, value in plain.items()}
    assert exact(right, scaled) == exact(right, plain) * factor(LETTERS[formula.quantity].unit)


def test_homogeneity_would_notice_a_missing_unit() -> None:
    """The twin: read as a bare number, the 2 of a multiply-add breaks the scaling of a compute time."""
    formula = catalogue()["compute_time"]
    flops = {s: dict(LETTERS[s].unit.exponents).get("FLOP", 0) for s in formula.letters}
    values = {s: Fraction(7) for s in formula.letters if s != formula.quantity}
    scaled = {s: v * Fraction(2) ** flops[s] for s, v in values.items()}
    assert exact(valued(formula.rhs), scaled) != exact(valued(formula.rhs), values)
    assert "FLOP" in PHYSICAL
