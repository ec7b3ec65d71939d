"""Rational functions as quotients of polynomials, held against what SymPy makes of them by rewriting"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import RATIONAL_LETTERS, rational_functions
from sympy import (
    Add,
    Max,
    Mul,
    N,
    Poly,
    Pow,
    Rational,
    S,
    cancel,
    expand,
    factor,
    floor,
    preorder_traversal,
    sqrt,
    symbols,
    together,
)

from symbolic_llm import catalogue, errors, solve
from symbolic_llm.answers.powers import without_sign
from symbolic_llm.answers.rearranging import branches
from symbolic_llm.claims import Condition
from symbolic_llm.expressions import common, rational
from symbolic_llm.expressions.arithmetic import root
from symbolic_llm.expressions.common import common_factor
from symbolic_llm.expressions.decide import equal, positive, sign_where
from symbolic_llm.expressions.parts import of_kind, parts
from symbolic_llm.expressions.rational import (
    Quotient,
    cancelled,
    coefficients,
    conjugate,
    factored,
    keeps_root,
    linear_root,
    quotient,
    ring_of,
    shared_by_terms,
)
from symbolic_llm.models.own_formulas import own
from symbolic_llm.notation import LETTERS, N_critical, n_heads
from symbolic_llm.numeral import valued

x, y, z = RATIONAL_LETTERS
FURTHER = symbols("v w", positive=True)


def defined(expression: Any) -> bool:
    """Whether it divides by nothing that is zero."""
    return not expression.has(S.ComplexInfinity, S.NaN) and quotient(expression) is not None


@given(rational_functions().filter(defined))
def test_the_same_as_rewriting(expression: Any) -> None:
    """Factors, cancelled fractions, and both of them equal to the expression."""
    assert cancelled(expression) == cancel(together(expression))
    assert cancel(factored(expression) - expression) == 0
    assert expand(cancelled(expression) - cancel(expression)) == 0


ROOT, LARGER = sqrt(x * y + z), Max(x, y * z)
SOMEWHERE = {x: Rational(2), y: Rational(3), z: Rational(5, 7)}  # there the root is no fraction


def apart(expression: Any) -> bool:
    """Whether an expression and the same without common factors have another value somewhere."""
    before, after = (one.xreplace(SOMEWHERE) for one in (expression, cancelled(expression)))
    return not before.has(S.ComplexInfinity, S.NaN) and abs(N(after - before, 40)) > 1e-20 * abs(N(before, 40)) + 1e-20


@given(rational_functions().filter(defined), rational_functions().filter(defined))
def test_roots_and_maxima_are_letters(one: Any, other: Any) -> None:
    """But for squares of roots; nothing is left to divide by, which SymPy overlooks now and then."""
    expression = (one * ROOT + LARGER) * (ROOT - x) / ((other + ROOT) * ROOT * y)
    assert rational._with_roots(expression) is not None
    assert not apart(expression)
    assert cancelled(expression).count_ops() <= cancel(expression).count_ops()


@given(rational_functions().filter(defined))
def test_powers_of_roots_are_roots(one: Any) -> None:
    """Of 3/2, say: the root of what is shared by all terms under one stands before it, and cancels with a power."""
    expression = (one * ROOT**3 + LARGER * sqrt(x)) / (ROOT**5 * sqrt(x**3 * y**2 + 4 * x * y))
    assert rational._with_roots(expression) is not None
    assert not apart(expression)
    assert cancelled(x ** Rational(3, 2) * (y + ROOT) / (x * ROOT + x * y)) == sqrt(x)


@given(rational_functions().filter(defined), rational_functions().filter(defined))
def test_the_other_sign_of_a_root(one: Any, other: Any) -> None:
    """Cancelled and turned, or turned and cancelled; where it divides by the root, nothing is turned."""
    plus, minus = ((one + sign * ROOT) / (other * other + 1) for sign in (1, -1))
    assert conjugate(plus) == minus
    for put_in in (lambda root: root**2 * x, lambda root: y * root + LARGER, lambda root: root**3 * sqrt(y) - other):
        assert conjugate(cancelled(put_in(plus))) == cancelled(put_in(minus))
    assert conjugate(1 / (x + ROOT)) is None
    assert conjugate(ROOT + sqrt(x + z)) is None
    assert conjugate(sqrt(x) + one) == sqrt(x) + one


def test_a_wrong_square_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: twice what stands under the root."""
    without = rational._without_squares
    monkeypatch.setattr(rational, "_without_squares", lambda part, place, square: without(part, place, 2 * square))
    assert apart((ROOT + x) * (ROOT + y) / (ROOT + z))


def test_a_case_that_cannot_be_proves_nothing() -> None:
    """Of a and a·b/(a + b) the first is the larger; what would be so in the other case says nothing."""
    a, b, c = symbols("a b c", positive=True)
    assert equal(Max(a, a * b / (a + b)), a) is True
    assert equal(Max(a, a + b) + Max(b, b * c / (b + c)), a + 2 * b) is True
    assert equal(Max(n_heads, 1), n_heads) is True  # what counts is at least 1
    assert equal(Max(a, b), a) is False
    assert equal(Max(a, a * b / (a + b)), b) is False


@given(st.fractions(Fraction(1, 10**90), 10**9))
def test_roots_have_thirty_digits(value: Any) -> None:
    """However small the number; of what is a square the root is exact."""
    assert value >= 0
    if value:
        assert 0 <= 1 - root(value) ** 2 / value < Fraction(1, 10**29)
        assert root(value**2) == value


@pytest.mark.parametrize("letter", ["d_model", "d_head"])
def test_what_is_long_comes_to_an_end(letter: str) -> None:
    """Over a minute, before what cancels was looked for where it comes in."""
    assert solve("speculative_speedup", letter).branches


def test_what_is_long_with_windows_comes_to_an_end() -> None:
    """So is the critical context of some windows, for the heads of a block."""
    laws = {formula.quantity: formula for formula in own(frozenset({"n_blocks", "n_global", "n_local"}))}
    assert branches(laws[N_critical], n_heads)


POLYNOMIALS = rational_functions().filter(defined).map(lambda one: quotient(one).above.as_expr())


def both_greatest(one: Any, other: Any, shared: Any) -> tuple[Any, Any]:
    """The greatest common divisor of two products with a factor that they share, as it is found here and by SymPy."""
    ring = ring_of(frozenset({*RATIONAL_LETTERS, *FURTHER}))
    above, below = (ring.from_expr(expand(part * shared)) for part in (one * FURTHER[0], other + FURTHER[1]))
    return common_factor(above, below), above.gcd(below)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_the_greatest_common_divisor(one: Any, other: Any, shared: Any) -> None:
    """The greatest common divisor that is found here is SymPy's.

    Letters stand in one of the two only, in both, or in none; the two may be numbers or zero too.
    """
    here, by_sympy = both_greatest(one, other, shared)
    assert here == by_sympy
    here, by_sympy = both_greatest(one - FURTHER[1] * other, one, shared)
    assert here == by_sympy


TERMS = st.dictionaries(st.tuples(*[st.integers(0, 3)] * 3), st.integers(-6, 6).filter(bool), max_size=3)


@given(TERMS, TERMS)
def test_the_greatest_common_divisor_of_few_terms(one: Any, other: Any) -> None:
    """Of one term, of two, of none: what is shared by all terms is what they have in common."""
    ring = ring_of(frozenset(RATIONAL_LETTERS))
    for above, below in ((one, other), (other, one), (one, {(0, 0, 0): 4, (1, 2, 3): 6})):
        assert common_factor(ring(above), ring(below)) == ring(above).gcd(ring(below))


@given(TERMS.filter(bool))
def test_what_all_terms_share(terms: Any) -> None:
    """A whole number and powers of letters; what is left shares none, and all of it multiplied is what was there."""
    polynomial = ring_of(frozenset(RATIONAL_LETTERS))(terms)
    number, letters, rest = shared_by_terms(polynomial)
    assert number * expand(Mul(*letters, rest.as_expr())) == polynomial.as_expr()
    assert rest.content() == 1
    assert all(map(any, zip(*([not power for power in powers] for powers in rest), strict=True)))


@given(TERMS.filter(bool), st.sampled_from((*RATIONAL_LETTERS, FURTHER[0])))
def test_what_stands_before_each_power(terms: Any, letter: Any) -> None:
    """The highest power first, and zero where there is none between; as SymPy has them."""
    polynomial = ring_of(frozenset(RATIONAL_LETTERS))(terms)
    assert coefficients(polynomial, letter) == Poly(polynomial.as_expr(), letter).all_coeffs()


@given(st.sets(st.sampled_from([*LETTERS, *RATIONAL_LETTERS]), min_size=1))
def test_letters_are_in_the_order_of_sympy(letters: Any) -> None:
    """A ring has its letters in the order of SymPy, those of the notation and others."""
    assert ring_of(frozenset(letters)).symbols == Poly(Add(*letters)).gens


def test_a_part_that_is_overlooked_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: only the longest of what stands before the letters that one of the two has alone."""
    one, other, shared = y + 1, y + 1, x + z
    here, by_sympy = both_greatest(one, other, shared)
    assert here == by_sympy
    coefficients = common._coefficients
    monkeypatch.setattr(common, "_coefficients", lambda *given: [max(coefficients(*given), key=len)])
    here, by_sympy = both_greatest(one, other, shared)
    assert here != by_sympy


@given(rational_functions().filter(defined), rational_functions().filter(defined))
def test_each_part_once(one: Any, other: Any) -> None:
    """Each part of an expression is listed once, as often as it may stand there, and none is left out."""
    expression = sqrt(one + y) * (Max(other, x * y) + sqrt(one + y)) ** 2
    assert len(parts(expression)) == len(set(parts(expression)))
    assert set(parts(expression)) == set(preorder_traversal(expression))
    assert set(of_kind(expression, Max)) == expression.atoms(Max)


@given(rational_functions().filter(defined), rational_functions().filter(defined))
def test_factors_are_irreducible(one: Any, other: Any) -> None:
    """Whatever the product was made of, it is written as SymPy writes it."""
    product = cancel(together(one * other))
    assert factored(product) == factor(product)


@pytest.mark.parametrize(
    "name", ["total_parameters", "latency_with_cache", "critical_context", "expert_batch_crossover"]
)
def test_solutions_of_the_catalogue(name: str) -> None:
    """Long ones too."""
    asked = 0
    for letter in catalogue()[name].letters:
        try:
            found = solve(name, letter.name)
        except errors.NotSolvable:
            continue
        for branch in found.branches:
            expression = valued(branch.expr)
            if quotient(expression) is not None:
                asked += 1
                assert factored(expression) == factor(expression)
                assert cancelled(expression) == cancel(together(expression))
    assert asked


@given(rational_functions().filter(defined))
def test_the_root_of_an_equation_of_first_degree(expression: Any) -> None:
    """Put in, it solves the equation; other equations have none here."""
    equation = expression * z - x * y + expression
    root = linear_root(equation, z)
    if root is not None:
        value = root.above.as_expr() / root.below.as_expr()
        at = equation.xreplace({z: value})
        assert at.has(S.ComplexInfinity, S.NaN) or cancel(together(at)) == 0
    assert linear_root(z**2 * x - y, z) is None
    assert linear_root(x - y, z) is None


@given(rational_functions().filter(defined), st.tuples(*[st.fractions(Rational(1, 9), 9, max_denominator=9)] * 3))
def test_what_is_positive_by_its_form_is_positive(expression: Any, point: Any) -> None:
    """At any point where it has a value."""
    if positive(expression):
        at = expression.xreplace(
            {s: Rational(p.numerator, p.denominator) for s, p in zip(RATIONAL_LETTERS, point, strict=True)}
        )
        assert at.has(S.ComplexInfinity, S.NaN) or at > 0


def test_what_is_no_rational_function_has_no_quotient() -> None:
    """Roots, maxima, rounding, letters in exponents, and a division by nothing."""
    for expression in (sqrt(x), Max(x, y), floor(x), x**y, Pow(x - x, -1, evaluate=False)):
        assert quotient(expression) is None
    assert quotient((x**2 - y**2) / (y - x)) == quotient(-x - y)
    assert keeps_root((x + sqrt(y)) / z)
    assert not keeps_root((x * sqrt(y) + z * sqrt(y)) / sqrt(y))
    assert not keeps_root(x / y)
    assert keeps_root((x + Max(y, z) * sqrt(y) ** 3) / z)
    assert not keeps_root((x + z) * sqrt(Max(y, z)) ** 3 / sqrt(Max(y, z)))
    assert positive((x * sqrt(y) + z * sqrt(y)) / sqrt(y))
    assert positive(x + sqrt(y)) is None


def test_a_power_of_a_letter_is_no_reason_to_say_no() -> None:
    """An expression with a power of a letter is positive if no point refutes it and its form shows it.

    The form shows it once the power cancels; an expression that a point refutes is not positive.
    """
    assert positive((x * y**z + y**z) / y**z)
    assert positive((x * y**z - y**z) / y**z) is None
    assert positive(1 - x - y**z) is None


def test_signs() -> None:
    """Of one sign throughout, or none that is known."""
    above, below = quotient((x + y) / (-x - 1)) or Quotient(None, None)
    assert sign_where(above) == -1
    assert sign_where(below) == 1
    assert sign_where((quotient(x - y) or Quotient(None, None)).above) is None


def test_a_condition_with_a_maximum_tells_a_sign() -> None:
    """A condition on a product with a maximum tells the other factor's sign: an argument of the maximum is positive."""
    condition = Condition(Max(x, y) * (x - z) > 0, "the larger of x and y, so many times")
    assert positive(x - z, (condition,))
    assert positive((x - z) / y, (condition,))
    assert positive(x - z) is None
    assert positive(z - x, (condition,)) is None


def test_a_factor_that_is_overlooked_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: polynomials that are never taken apart."""
    product = expand((x + y) * (x - z))
    assert factored(product) == factor(product)
    monkeypatch.setattr(rational, "_irreducible", lambda polynomial: iter([polynomial]))
    assert factored(product) != factor(product)


@given(st.integers(-5, 5), st.integers(-5, 5), st.sampled_from((-2, -1, 1, 2)), st.sampled_from((-1, 1)))
def test_a_sign_is_taken_into_a_sum_that_stands_once(a: int, b: int, power: int, sign: int) -> None:
    """And into no square, where it would be lost: what comes out is what went in."""
    x, y, z = symbols("x y z", positive=True)
    for product in (sign * (x - y) ** power * (z - 1), sign * (x - y) ** power * z, sign * z / (x - y) ** 2):
        at = {x: Rational(7 + a, 3), y: Rational(11 + b, 5), z: Rational(3, 2)}
        if at[x] != at[y]:
            assert without_sign(product).subs(at) == product.subs(at)
