"""Functions that compute an expression exactly, beside SymPy and beside the expression walked part by part"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import RATIONAL_LETTERS
from sympy import Add, Eq, Ge, Max, Min, Mod, Mul, Pow, Rational, Symbol, ceiling, exp, floor, nan, sqrt, true, zoo
from sympy.core.relational import Relational

from reference_engine.probes import Probe
from symbolic_llm import catalogue
from symbolic_llm.expressions import as_code
from symbolic_llm.expressions import exact as exact_module
from symbolic_llm.expressions.arithmetic import Inexact, NoRoot, plain
from symbolic_llm.expressions.as_code import as_function
from symbolic_llm.expressions.exact import exact, exactly, letters_needed
from symbolic_llm.expressions.polynomial import Polynomial
from symbolic_llm.formula import Formula
from symbolic_llm.numeral import count
from symbolic_llm.unevaluated import carried_out, changed
from symbolic_llm.witness.configurations import STANDARD
from symbolic_llm.witness.letters import Config, Values, bound, probes_of, reading, written
from symbolic_llm.witness.subjects import parameter

x, y, z = RATIONAL_LETTERS
VALUES = st.fixed_dictionaries(
    dict.fromkeys((x, y, z), st.integers(1, 9) | st.fractions(Fraction(1, 7), 9, max_denominator=7))
)
LEAVES = st.sampled_from((x, y, z, count(3, "three"), *map(Rational, (-2, 1, 2, 7), (1, 3, 1, 1))))


def _larger(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda both: Add(*both)),
        two.map(lambda both: Mul(*both)),
        two.map(lambda both: Max(*both, evaluate=False)),
        two.map(lambda both: Min(*both, evaluate=False)),
        st.tuples(parts, st.sampled_from((-3, -1, 2, 3, 17))).map(lambda both: Pow(*both)),
        st.tuples(parts, st.sampled_from((-3, -1, 2, 3))).map(lambda both: Pow(*both, evaluate=False)),
        parts.map(lambda part: floor(part, evaluate=False)),
        parts.map(lambda part: ceiling(part, evaluate=False)),
        two.map(lambda both: Mod(both[0], both[1] ** 2 + 1, evaluate=False)),
    )


EXPRESSIONS = st.recursive(LEAVES, _larger, max_leaves=8).filter(lambda one: not one.has(zoo, nan))  # 1/0 and the like


def walked(expression: Any, values: Mapping[Any, Fraction]) -> Fraction:
    """The value, part by part: no code is written."""
    if expression.is_Symbol:
        return Fraction(values[expression])
    if not expression.args:
        number = getattr(expression, "value", expression)
        return Fraction(int(number.p), int(number.q))
    parts = [walked(part, values) for part in expression.args]
    if isinstance(expression, Pow):
        return parts[0] ** int(parts[1])
    done = {Add: sum, Mul: prod, Max: max, Min: min}
    if expression.func in done:
        return Fraction(done[expression.func](parts))
    if isinstance(expression, Mod):
        return parts[0] % parts[1]
    return Fraction(parts[0].__floor__() if isinstance(expression, floor) else parts[0].__ceil__())


@given(EXPRESSIONS, VALUES)
def test_values_are_those_of_the_parts(expression: Any, values: dict[Any, Fraction]) -> None:
    """Sums, products, quotients, powers, extremes and what is rounded; whole numbers come out as ints."""
    try:
        expected = walked(expression, values)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            exact(expression, values)
        return
    assert exact(expression, values) == expected
    compute, letters = exactly(expression)
    assert set(letters) == expression.free_symbols
    found = compute({letter: plain(value) for letter, value in values.items()})
    assert found == expected
    assert isinstance(found, int) == (expected.denominator == 1)


@given(EXPRESSIONS, EXPRESSIONS, VALUES)
def test_relations_are_true_where_they_are(one: Any, other: Any, values: dict[Any, Fraction]) -> None:
    """Of what has a value there."""
    relation = Ge(one, other, evaluate=False)
    if not isinstance(relation, Relational):
        return
    try:
        expected = walked(one, values) >= walked(other, values)
    except ZeroDivisionError:
        return
    assert exact(relation, values) is expected


def test_a_quotient_that_is_rounded_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of the first test: whole numbers divided as C does."""
    monkeypatch.setitem(as_code._NAMES, "quotient", lambda over, under: over // under)
    compute, _ = as_function(x / y + z)
    assert compute(7, 2, 1) != walked(x / y + z, {x: Fraction(7), y: Fraction(2), z: Fraction(1)})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (sqrt(x - 2) * sqrt(y - 1), 4),  # √2·√8: neither root is rational
        (sqrt(x) / sqrt(y), Fraction(2, 3)),
        (Pow(x, Rational(3, 2)), 8),
        (Pow(Rational(-2), 2, evaluate=False) * x, 16),
        (Rational(2**80, 3) * x / 2**79, Fraction(8, 3)),
        (Pow(x, 0, evaluate=False), 1),
        (x ** (y - 7), 16),
        (Eq(x + 5, y, evaluate=False), True),
        (true, True),
        (Rational(5), 5),
    ],
    ids=str,
)
def test_values_by_hand(expression: Any, value: Any) -> None:
    """For x = 4 and y = 9."""
    assert exact(expression, {x: 4, y: 9}) == value


def test_an_expression_may_be_deep_or_long() -> None:
    """Deeper than Python reads nested brackets, and longer than it nests terms."""
    expression = x
    for _ in range(150):
        expression = 1 / (expression + 1)
    assert 0 < exact(expression, {x: 1}) < 1
    assert exact(Add(*(n * x**n for n in range(1, 4000)), evaluate=False), {x: 1}) == 4000 * 3999 // 2


def test_what_has_no_value_says_why() -> None:
    """A function, a fraction as exponent, a root of something negative, a letter without a value."""
    with pytest.raises(Inexact, match="exp has no exact value here"):
        exact(exp(x), {x: 1})
    with pytest.raises(Inexact, match="Pow has no exact value here"):
        exact(Pow(x, Rational(1, 3)), {x: 8})
    with pytest.raises(NoRoot):
        exact(sqrt(x - y), {x: 1, y: 2})
    with pytest.raises(KeyError) as missing:
        exact(x + y, {x: 1})
    assert missing.value.args == (y,)


def test_no_name_is_evaluated() -> None:
    """Whatever a letter is called, it is a value; and the function has no builtins."""
    letter = Symbol("__import__('os').abort()")
    assert exact(2 * letter + 1, {letter: 3}) == 7
    compute, _ = as_function(x + 1)
    assert compute.__globals__["__builtins__"] == {}


@given(
    st.recursive(
        st.sampled_from((x, y, z, Rational(2))),
        lambda parts: st.tuples(
            st.sampled_from((Add, Mul, partial(Max, evaluate=False), partial(Min, evaluate=False))), parts, parts
        ).map(lambda drawn: drawn[0](*drawn[1:])),
        max_leaves=5,
    ),
    st.fixed_dictionaries(dict.fromkeys((x, y), st.sampled_from((x, y, 2 * y, x * z, x + 1, Rational(3))))),
)
def test_changes_are_those_of_xreplace(expression: Any, changes: dict[Any, Any]) -> None:
    """With what is known of the maxima that change."""
    assert changed(expression, changes) == expression.xreplace(changes)


def test_a_maximum_is_evaluated_as_sympy_does() -> None:
    """Whether it was before or not."""
    for _ in range(2):
        assert carried_out(Max, x, 2 * x) == Max(x, 2 * x) == 2 * x


# Polynomials in the place of arguments

TERMS = st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(-3, 3), max_size=3)
INNER = TERMS.map(lambda terms: Polynomial(terms, ("u", "v")))


@given(TERMS.map(lambda terms: Polynomial(terms, ("a", "b"))), INNER, INNER, st.integers(-4, 4), st.integers(-4, 4))
def test_polynomials_are_put_in(outer: Polynomial, one: Polynomial, other: Polynomial, u: int, v: int) -> None:
    """None, one or several terms in the place of an argument: the value is that of the values."""
    composed = outer.put_in([one, other], ("u", "v"))
    assert composed((u, v)) == outer((one((u, v)), other((u, v))))
    assert composed.names == ("u", "v")


# Letters of a configuration


def one_by_one(by: tuple[Formula, ...], probe: Probe, config: Config) -> Values:
    """Each letter looked at where it is computed: nothing is seen before."""
    given = {parameter(name): plain(value) for name, value in config.items()}
    values: Values = {symbol: plain(exact(factors, given)) for symbol, factors in written(probe).items()}
    for one in by:
        conditions = [c.relation for c in one.conditions if c.relation.free_symbols <= values.keys()]
        if one.quantity in values or not one.rhs.free_symbols <= values.keys():
            continue
        if all(exact(relation, values) for relation in conditions):
            values[one.quantity] = plain(exact(one.rhs, values))
    return values


def _places() -> Iterator[tuple[tuple[Formula, ...], Probe, Config]]:
    """Formulas that compute letters for each formula and probe, and configurations: conditions hold there or do not."""
    for formula in catalogue():
        for probe in probes_of(formula.measured_by, formula) if formula.measured_by else ():
            for config in map(dict, STANDARD[::5]):
                if config.keys() >= set(probe.parameters):
                    yield bound(formula, probe), probe, {name: config[name] for name in probe.parameters}


def test_letters_are_read_as_one_by_one() -> None:
    """Of every formula and probe."""
    for by, probe, config in _places():
        assert reading(by, probe)(config) == one_by_one(by, probe, config)


def test_conditions_that_are_not_looked_at_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: letters have a value whatever the conditions say."""

    def unconditional(one: Any) -> Any:
        return (lambda _: True, ()) if isinstance(one, Relational) else exactly(one)

    monkeypatch.setattr("symbolic_llm.witness.letters.exactly", unconditional)
    read = reading.__wrapped__
    assert any(read(by, probe)(config) != one_by_one(by, probe, config) for by, probe, config in _places())


# Letters that make no difference


def _outcome(expression: Any, values: Mapping[Any, Fraction | int]) -> object:
    try:
        return exact(expression, values)
    except (ArithmeticError, NoRoot) as error:
        return type(error)


def _differs(taken: Any, other: Any, one: Any, two: Any) -> bool:
    """Whether letters that are said not to be needed, where `x` is 1, make a difference between two sets of values."""
    expression = Add(other, Mul(x - 1, taken, evaluate=False), evaluate=False)
    needed = letters_needed(expression, {x: 1})
    assert needed <= expression.free_symbols - {x}
    fixed = {x: 1} | {letter: one[letter] for letter in needed}
    outcomes = [_outcome(expression, {**values, **fixed}) for values in (one, two)]
    return outcomes[0] != outcomes[1]


@given(EXPRESSIONS, EXPRESSIONS, VALUES, VALUES)
def test_what_is_taken_zero_times_is_not_needed(taken: Any, other: Any, one: Any, two: Any) -> None:
    """Whatever such letters are, the outcome is one; what divides by more than a letter may be infinite, and counts."""
    assert not _differs(taken, other, one, two)


def test_zero_times_what_may_be_infinite_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    over_a_gap, at = 1 / (y - 2), {x: Fraction(1), z: Fraction(1)}
    assert letters_needed(Mul(x - 1, over_a_gap), {x: 1}) == {y}
    assert letters_needed(Mul(x - 1, z / y), {x: 1}) == set()
    monkeypatch.setattr(exact_module, "_divides_by_letters", lambda _: True)
    assert _differs(over_a_gap, Rational(1), {**at, y: Fraction(2)}, {**at, y: Fraction(3)})
