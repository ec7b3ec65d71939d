"""Compile: the formula itself, for numbers and arrays"""

from __future__ import annotations

import inspect
import math
import re
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import A10
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import admissible
from sympy import Gt, Pow

from symbolic_llm import catalogue, compile, errors, evaluate
from symbolic_llm.answers.arrays.compilation import compile_formula
from symbolic_llm.expressions.exact import exact, replaced
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS, B, n_active

compiled = cache(compile)  # once, however many values are drawn


def written_out(formula: Formula) -> bool:
    """Whether letters of the formula are written out that architectures compute differently."""
    own = formula.rhs.free_symbols
    return [s.name for s in LETTERS if s in own] != list(inspect.signature(compiled(formula)).parameters)


@cache
def in_exponents(formula: Formula) -> set[Any]:
    """Letters that a power is raised to."""
    return {s for power in formula.rhs.atoms(Pow) for s in power.exp.free_symbols}


EQUATIONS = [f for f in catalogue() if f.quantity is not None]


def of_conditions(formula: Formula, values: dict[str, int]) -> dict[str, int]:
    """Letters that only conditions ask for, with so much arithmetic or bandwidth that they hold."""
    try:
        evaluate(formula, **values)
    except errors.Underdetermined as refusal:
        names = str(refusal).partition("needs a value for ")[2].partition(", because")[0]
        return {name: 10**15 if name in ("F", "W") else 1 for name in re.split(", | and ", names)}
    except errors.ConditionViolated:
        pass
    return {}


@pytest.mark.parametrize("formula", [f for f in EQUATIONS if written_out(f)], ids=lambda f: f.name)
def test_what_is_written_out_is_computed_from_its_letters(formula: Formula) -> None:
    """A formula that is written out is computed from its letters as `evaluate` does."""
    parameters = inspect.signature(compiled(formula)).parameters
    values = {
        name: 2 * (len(parameters) - place) + 1 for place, name in enumerate(parameters)
    }  # fewer active than there are
    try:
        expected = float(evaluate(formula, **of_conditions(formula, values), **values))
    except errors.ConditionViolated:
        assert any(one.conditions for one in (formula, *formula.closure()))
    else:
        assert compiled(formula)(**values) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("formula", [f for f in EQUATIONS if not written_out(f)], ids=lambda f: f.name)
@given(data=st.data())
def test_a_compiled_formula_computes_the_formula(formula: Formula, data: st.DataObject) -> None:
    """For numbers and for arrays, by name and by position, to within what rounding the inputs does to the value."""
    values = data.draw(admissible(formula))
    function = compiled(formula)
    own = formula.rhs.free_symbols
    needed = {s: values[s] for s in LETTERS if s in own}
    value = exact(formula.rhs, values)
    exponents = in_exponents(formula)
    nudged = (
        exact(formula.rhs, values | {s: v * (1 + Fraction(1, 2**48))}) for s, v in needed.items() if s not in exponents
    )
    expected, atol = float(value), float(sum(abs(other - value) for other in nudged) + abs(value) / 10**12)
    numbers = {s.name: float(v) for s, v in needed.items()}
    arrays = {s.name: np.array([float(v), float(v)]) for s, v in needed.items()}
    assert abs(function(**numbers) - expected) <= atol
    assert abs(function(*numbers.values()) - expected) <= atol
    assert_allclose(function(**arrays), [expected, expected] if arrays else expected, rtol=0, atol=atol)
    if numbers:
        with pytest.raises(TypeError):
            function(*numbers.values(), 1.0)


def test_compiled_down_to_basic_letters() -> None:
    """Used formulas put in."""
    footprint = compile("footprint", unfold=True)
    widths = {"d_model": 4096, "n_kv_heads": 32, "d_head": 128, "n_bytes": 2, "n_bytes_kv": 2}
    assert footprint(n_blocks=32, n_vocab=32000, B=1, N=4096, **widths) == 2 * 6_573_522_944 + 4096 * 524_288
    assert "batch: sequences in one pass" in (footprint.__doc__ or "")


def test_arrays_broadcast() -> None:
    """The maximum is taken element by element."""
    latency = compile("latency")
    found = latency(P=7e9, n_bytes=2, B=np.array([1, 200]), F=312e12, W=1935e9)
    assert_allclose(found, [14e9 / 1935e9, 2 * 7e9 * 200 / 312e12])


@pytest.mark.parametrize("argument", ["P", "n_bytes", "B", "F", "W"])
def test_what_is_not_a_number_is_passed_on(argument: str) -> None:
    """By a compiled maximum, for scalars as for arrays."""
    latency, ones = compile("latency"), dict.fromkeys(("P", "n_bytes", "B", "F", "W"), 1.0)
    assert math.isnan(latency(**ones | {argument: math.nan}))
    assert np.isnan(latency(**ones | {argument: np.array([math.nan])})).all()


def test_a_compiled_function_has_a_name() -> None:
    """A compiled function has its formula's name, and a missing argument is told with it."""
    with pytest.raises(TypeError, match=r"^latency\(\) missing 4 required positional arguments"):
        compile("latency")(1)


@pytest.mark.parametrize(
    ("formula", "options", "left", "values"),
    [
        ("latency", A10, ["B"], {"B": 3}),
        ("batch_crossover", {"hardware": "a10", "dtype": "fp16"}, [], {}),
        ("sequences_that_fit", A10, ["N"], {"N": 4096}),
        ("weight_bytes", {"weights": "q4_0", "unfold": True}, ["n_blocks", "n_vocab", "d_model"], None),
        ("weight_bytes", {"P": 7e9, "n_bytes": 2, "unfold": True}, [], {}),
        ("kv_bytes_total", {"B": 10**20, "N": 7}, ["m_token"], {"m_token": 9}),
    ],
)
def test_what_is_given_is_compiled_in(
    formula: str, options: dict[str, Any], left: list[str], values: dict[str, Any] | None
) -> None:
    """The function has the other letters, and says the same as evaluate."""
    function = compile(formula, **options)
    assert list(inspect.signature(function).parameters) == left
    if values is not None:
        known = {name: value for name, value in options.items() if name != "unfold"}
        expected = float(evaluate(formula, **known, **values))
        assert function(**values) == pytest.approx(expected, rel=1e-12)
        arrays = {name: np.array([value, value]) for name, value in values.items()}
        assert_allclose(function(**arrays), [expected, expected] if arrays else expected, rtol=1e-12)


# Whole numbers, lists, and where a formula does not hold

LONG_PROMPT = {
    "P": 70 * 10**9,
    "P_embedding": 10**9,
    "a": 10**7,
    "B": 128,
    "N": 10**6,
    "N_logits": 10**6,
}  # its FLOPs pass 2**63


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float32, np.float16])
def test_whole_numbers_in_arrays_do_not_wrap(kind: Any) -> None:
    """Whatever the width of the array: it is computed as float64."""
    function, expected = compile("prefill_product_flops"), evaluate("prefill_product_flops", **LONG_PROMPT)
    assert expected > 2**63
    assert function(**LONG_PROMPT) == expected  # plain whole numbers are exact
    found = function(**LONG_PROMPT | {"B": np.array([128], dtype=kind)})
    assert found.dtype == np.float64
    assert_allclose(found, [float(expected)], rtol=1e-12)
    everything = {name: np.int64(value) for name, value in LONG_PROMPT.items()}
    assert function(**everything) == pytest.approx(float(expected), rel=1e-12)


def test_numpy_alone_does_wrap() -> None:
    """The twin: the same product, written by hand, is something else."""
    with np.errstate(over="ignore"):
        assert (2 * np.array([70 * 10**9]) * 128 * 10**6).item() != 2 * 70 * 10**9 * 128 * 10**6


@pytest.mark.parametrize("formula", ["latency", "batch_crossover", "sequences_that_fit", "total_parameters"])
@pytest.mark.parametrize("sequence", [list, tuple])
def test_lists_are_as_good_as_arrays(formula: str, sequence: Any) -> None:
    """Element by element, and never repeated or chained as lists are."""
    function = compile(formula)
    names = list(inspect.signature(function).parameters)
    values = {name: [place + 2, place + 3] for place, name in enumerate(names)}
    by_array = function(**{name: np.array(value, dtype=float) for name, value in values.items()})
    assert by_array.shape == (2,)
    assert_allclose(function(**{name: sequence(value) for name, value in values.items()}), by_array)
    assert_allclose(function(**{name: float(value[0]) for name, value in values.items()}), by_array[0])
    one = function(**{name: value if name == names[0] else value[0] for name, value in values.items()})
    assert one.shape == (2,)


def test_numbers_of_other_types_are_what_they_were() -> None:
    """A text is no number."""
    assert compile("kv_bytes_total")(B=True, N=Fraction(3, 2), m_token=2) == 3
    with pytest.raises(TypeError):
        compile("batch_crossover")(n_bytes="2", F=1.0, W=1.0)


TOO_LARGE = {"P_total": 65e9, "n_bytes": 2, "N": 4096, "m_token": 524288, "M": 24e9}


def test_outside_its_conditions_a_compiled_formula_has_no_value_on_request() -> None:
    """For numbers and, element by element, for arrays; inside it is the same function."""
    as_it_is, guarded = compile("sequences_that_fit"), compile("sequences_that_fit", outside="nan")
    assert as_it_is(**TOO_LARGE) < 0  # the default says in its docstring that this is no answer
    assert math.isnan(guarded(**TOO_LARGE))
    fitting = TOO_LARGE | {"P_total": 7e9}
    assert guarded(**fitting) == as_it_is(**fitting) == evaluate("sequences_that_fit", **fitting)
    found = guarded(**TOO_LARGE | {"P_total": [65e9, 7e9, math.nan]})
    assert_allclose(found, [math.nan, as_it_is(**fitting), math.nan])


def test_what_only_a_condition_needs_is_an_argument_then() -> None:
    """So that the function can tell."""
    given = {"n_bits": 4, "n_block": 32, "n_scale": 16}
    assert list(inspect.signature(compile("q4_bytes_per_weight")).parameters) == []
    guarded = compile("q4_bytes_per_weight", outside="nan")
    assert set(inspect.signature(guarded).parameters) == set(given)
    assert guarded(**given) == 9 / 16
    assert math.isnan(guarded(**given | {"n_bits": 8}))
    assert_allclose(guarded(**given | {"n_bits": [4, 8]}), [9 / 16, math.nan])
    constant = compile("q4_bytes_per_weight", outside="nan", weights="q4_0")
    assert constant() == 9 / 16


CONDITIONAL = [f for f in catalogue() if f.demanded and f.quantity is not None]


def decided_by_its_own_letters(formula: Formula) -> bool:
    """Whether its conditions have no letters that its claim lacks."""
    own = all(condition.relation.free_symbols <= set(formula.letters) for condition in formula.demanded)
    return own and not written_out(formula)


@pytest.mark.parametrize("formula", [*filter(decided_by_its_own_letters, CONDITIONAL)], ids=lambda f: f.name)
@settings(max_examples=10)
@given(data=st.data())
def test_inside_its_conditions_nothing_changes(formula: Formula, data: st.DataObject) -> None:
    """Numbers that satisfy them, and not just barely, give what the function gives without."""
    values = data.draw(admissible(formula))
    guarded, plain = compiled(formula, outside="nan"), compiled(formula)
    arguments = inspect.signature(guarded).parameters
    for relation in (condition.relation for condition in formula.demanded):
        left, right = exact(relation.lhs, values), exact(relation.rhs, values)
        exactly = all(values[s] == float(values[s]) for s in relation.free_symbols)
        assume(exactly if left == right else abs(left - right) > left / 10**9)
    numbers = {s.name: float(v) for s, v in values.items()}
    found = guarded(**{name: numbers[name] for name in arguments})
    assert found == plain(**{name: numbers[name] for name in inspect.signature(plain).parameters})


@pytest.mark.parametrize("formula", CONDITIONAL, ids=lambda f: f.name)
def test_the_docstring_says_where_it_holds(formula: Formula) -> None:
    """And what is returned elsewhere."""
    for outside, elsewhere in (("ignore", "elsewhere its value is meaningless"), ("nan", "It returns nan elsewhere")):
        documented = compile_formula(formula, {}, outside=outside).__doc__ or ""
        assert elsewhere in documented
        assert all(condition.sentence in documented for condition in formula.demanded)
    assert "Holds where" not in (compile("memory_time").__doc__ or "")


def test_conditions_of_what_is_put_in_count_too() -> None:
    """Unfolded, a formula holds where those it is made of do."""
    footprint = compile("footprint", unfold=True, outside="nan")
    shapes = {"n_blocks": 2, "n_vocab": 100, "n_kv_heads": 2, "d_head": 4, "d_model": 8}
    rest = {"n_bytes": 2, "n_bytes_kv": 2, "B": 1, "N": 10}
    assert footprint(n_heads=2, d_ff=32, **shapes, **rest) == compile("footprint", unfold=True)(**shapes, **rest)
    assert math.isnan(footprint(n_heads=3, d_ff=32, **shapes, **rest))
    assert math.isnan(footprint(n_heads=2, d_ff=33, **shapes, **rest))


def test_no_other_word_for_outside() -> None:
    """Any other word for `outside` is refused in one sentence."""
    with pytest.raises(errors.InvalidValue, match="outside= must be 'ignore' or 'nan', but 'raise' was given"):
        compile("latency", outside="raise")  # type: ignore[arg-type]


def test_a_high_power_is_not_searched_for_roots() -> None:
    """SymPy decides by them whether a relation is always true, which takes minutes; low powers it may look at."""
    for outside in ("ignore", "nan"):
        function = compile("distinct_experts", n_active=8, B=720, outside=outside)
        assert function(n_experts=128) == pytest.approx(evaluate("distinct_experts", n_active=8, B=720, n_experts=128))
    high = Gt(n_active**B + n_active, 0, evaluate=False)
    assert replaced(high, {B: 720}) == Gt(n_active**720 + n_active, 0, evaluate=False)
    assert replaced(high, {B: 2}) == True  # noqa: E712
