"""Results of the rules: each rule applied to the result before it, or the reason why it cannot be applied"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from typing import Any

from ..algebra import (
    Add,
    Dummy,
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Poly,
    Relational,
    S,
    floor,
    fraction,
    summation,
    together,
)
from ..claims import Condition
from ..expressions.decide import equal, positive, rational_zero
from ..expressions.parts import counts
from ..expressions.printing import text
from ..steps import Rule
from ..unevaluated import carried_out

Conditions = tuple[Condition, ...]


class Inapplicable(Exception):
    """The rule cannot be applied here; the text says why."""


def elimination(equation: Any, conditions: Conditions) -> dict[Any, Any]:
    """Replacement of one letter that an equation allows: `n_heads·d_head = d_model` removes its first letter."""
    if not isinstance(equation, Eq):
        raise Inapplicable(f"{text(equation)} is no equation, so nothing may be replaced by it")
    letter = min(equation.lhs.free_symbols, key=str) if not equation.lhs.is_Symbol else equation.lhs
    # letter·cofactor = right side, solved for the letter; one that is in its cofactor as well is no such product
    cofactor = equation.lhs / letter
    if letter in cofactor.free_symbols or not positive(cofactor, conditions):
        raise Inapplicable(f"{text(equation)} cannot be used to replace a letter")
    return {letter: equation.rhs / cofactor}


def _both_sides(state: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(state, Relational):
        return state.func(change(state.lhs), change(state.rhs), evaluate=False)
    return change(state)


def _scale(state: Any, factor: Any, conditions: Conditions, change: Callable[[Any], Any]) -> Any:
    if isinstance(state, Relational) and not positive(factor, conditions):
        raise Inapplicable(f"a relation may be multiplied or divided only by something positive, not by {text(factor)}")
    return _both_sides(state, change)


def _has_sign(expression: Any, conditions: Conditions) -> bool:
    """Whether an expression is known to be positive or to be negative, so that it cannot be zero."""
    return bool(positive(expression, conditions) or positive(-expression, conditions))


def _multiply(state: Any, operands: Any, conditions: Conditions) -> Any:
    if rational_zero(operands[0]):
        raise Inapplicable(f"{text(operands[0])} is zero, and every equation times zero is true")
    return _scale(state, operands[0], conditions, lambda side: side * operands[0])


def _divide(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not _has_sign(operands[0], conditions):
        raise Inapplicable(f"no condition says that {text(operands[0])} is not zero")
    return _scale(state, operands[0], conditions, lambda side: side / operands[0])


def _add(state: Any, operands: Any, _: Conditions) -> Any:
    return _both_sides(state, lambda side: side + operands[0])


def _subtract(state: Any, operands: Any, _: Conditions) -> Any:
    return _both_sides(state, lambda side: side - operands[0])


def _rewrite(state: Any, _operands: Any, _: Conditions) -> Any:
    return state


def _sum_over(state: Any, operands: Any, _: Conditions) -> Any:
    index, last = operands
    if not (counts(index) and counts(last) and index != last):
        raise Inapplicable(f"{text(index)} cannot run from 1 to {text(last)}: both have to be letters that count")
    # max(i + a, w) is w + its excess: w is summed as a polynomial, and the excess, if it stands in the first degree,
    # alone
    beyond = {maximum: Dummy() for maximum in state.atoms(Max) if index in maximum.free_symbols}
    plain = state.xreplace({maximum: _border(maximum, index) + excess for maximum, excess in beyond.items()})
    factors = {maximum: plain.diff(excess) for maximum, excess in beyond.items()}
    rest = plain.xreplace(dict.fromkeys(beyond.values(), S.Zero))
    if not rest.is_polynomial(index):
        raise Inapplicable(f"only a polynomial in {text(index)} can be summed")
    if any(factor.free_symbols & {index, *beyond.values()} for factor in factors.values()):
        raise Inapplicable("a maximum can be summed only where it stands in the first degree")
    sums = (factor * _sum_beyond(maximum, index, last) for maximum, factor in factors.items())
    return Add(summation(rest, (index, 1, last)), *sums)


def _border(maximum: Any, index: Any) -> Any:
    """The border w of max(index + a, w), where a and w are whole: its excess over w can be summed."""
    grows = [argument for argument in maximum.args if index in argument.free_symbols]
    fixed = [argument for argument in maximum.args if argument not in grows]
    if len(grows) != 1 or len(fixed) != 1 or (start := grows[0] - index).has(index):
        raise Inapplicable(f"{text(maximum)} cannot be summed over {text(index)}")
    if not all(map(counts, Add.make_args(start) + Add.make_args(fixed[0]))):
        raise Inapplicable(f"{text(maximum)} can be summed only between letters that count")
    return fixed[0]


def _sum_beyond(maximum: Any, index: Any, last: Any) -> Any:
    """Sum of max(index + a, w) − w over the index, up to its last value.

    It is 1 + 2 + … up to the last value of that difference, without the terms up to its value at 0.
    """
    border = _border(maximum, index)
    end, begin = (maximum.xreplace({index: place}) - border for place in (last, S.Zero))
    # the difference grows by 1 from turn to turn once it is above 0; at 0 it is what came before the first turn
    return (end * (end + 1) - begin * (begin + 1)) / 2


def _solve_for(state: Any, operands: Any, conditions: Conditions) -> Any:
    letter = operands[0]
    if not isinstance(state, Eq):
        raise Inapplicable("only an equation can be solved")
    difference = fraction(together(state.lhs - state.rhs))[0]
    polynomial = Poly(difference, letter) if difference.is_polynomial(letter) else None
    if polynomial is None or polynomial.degree() != 1:
        raise Inapplicable(f"the equation is not of first degree in {letter}")
    slope, constant = polynomial.all_coeffs()
    if not _has_sign(slope, conditions):
        raise Inapplicable(f"no condition says that {text(slope)} is not zero")
    solution = -constant / slope
    if not positive(solution, conditions):
        raise Inapplicable(f"no condition says that {text(solution)} is positive, as {letter} is")
    # multiplied out the equation has no denominators, and where one of them is 0 it had no value before
    for side in state.args:
        if not _has_sign(fraction(together(side))[1].xreplace({letter: solution}), conditions):
            raise Inapplicable(f"a denominator of the equation may vanish at {letter} = {text(solution)}")
    return Eq(letter, solution, evaluate=False)


def _limit(state: Any, operands: Any, conditions: Conditions) -> Any:
    if any(isinstance(c.relation, Eq) and operands[0] in c.relation.free_symbols for c in conditions):
        raise Inapplicable(f"a condition ties {operands[0]} to other letters, so it cannot grow alone")
    if len(operands) > 1:  # to zero: its inverse grows
        state = state.xreplace({operands[0]: 1 / operands[0]})
    parts = fraction(together(state))
    if not all(part.is_polynomial(operands[0]) for part in parts):
        raise Inapplicable(f"only of a rational function of {operands[0]} is the limit known")
    above, below = (Poly(part, operands[0]) for part in parts)
    if above.degree() > below.degree():
        raise Inapplicable(f"it grows without bound {'as' if operands[1:] else 'with'} {operands[0]}")
    # for a large letter the highest terms decide, provided that they are there
    if not _has_sign(below.LC(), conditions):
        raise Inapplicable(f"no condition says that {text(below.LC())} is not zero")
    return above.LC() / below.LC() if above.degree() == below.degree() else S.Zero


def _larger_of(state: Any, operands: Any, _: Conditions) -> Any:
    if isinstance(state, Le | Ge):  # from a ≤ b follows max(a, c) ≤ max(b, c), but not the other way round
        return _both_sides(state, lambda side: carried_out(Max, side, operands[0]))
    if isinstance(state, Relational):
        raise Inapplicable("only of an inequality a ≤ b the larger sides are known to be in the same order")
    return carried_out(Max, state, operands[0])


def _smaller_of(state: Any, operands: Any, _: Conditions) -> Any:
    return Min(state, operands[0])


def _resolve_larger(state: Any, _operands: Any, _: Conditions) -> Any:
    if not isinstance(state, Le | Lt):
        raise Inapplicable("the larger of two is known only from an inequality a ≤ b")
    # b is the larger of two where a ≤ b; of a < b it is forgotten that they differ
    return Eq(Max(state.lhs, state.rhs), state.rhs, evaluate=False)


def _compare_larger(state: Any, _operands: Any, conditions: Conditions) -> Any:
    sides = (state.lts, state.gts) if isinstance(state, Lt | Gt) else ()
    if not sides or not all(isinstance(side, Max) and len(side.args) == 2 for side in sides):
        raise Inapplicable("there are no two maxima of which one is smaller")
    for (one, smaller), (other, larger) in product(*(permutations(side.args) for side in sides)):
        if (one == other or positive(one - other, conditions)) and positive(larger - smaller, conditions):
            # max(x, s) < max(y, l) with y ≤ x and s < l: below l, x and s are less than the right side; from l on x is
            # the left side, or less than it, and no less than y and l
            return Lt(one, larger, evaluate=False)
    less, more = (text(side) for side in sides)
    raise Inapplicable(f"no condition says which arguments of {less} are the smaller and the larger of those of {more}")


def _add_to_larger(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not positive(operands[0], conditions):
        raise Inapplicable(f"{text(operands[0])} is not known to be positive")
    if not isinstance(state, Lt | Le | Gt | Ge):
        raise Inapplicable("there is no larger side")
    return Lt(state.lts, state.gts + operands[0], evaluate=False)


def apart(state: Any) -> Any:
    """Product that may not be negative where max(a, b) + max(c, d) = max(a + c, b + d): (a − b)·(c − d).

    Let p = a − b and q = c − d. Of reals |p| + |q| = |p + q| exactly where p·q ≥ 0: neither side is negative, and their
    squares differ by 2·|p·q| − 2·p·q. And max(a, b) is half of a + b + |a − b|.
    """
    sides = state.args if isinstance(state, Eq) else ()
    for parts, whole in permutations(sides):
        if isinstance(whole, Max) and isinstance(parts, Add) and [len(m.args) for m in parts.args] == [2, 2]:
            if not all(isinstance(maximum, Max) for maximum in parts.args):
                continue
            one, other = parts.args
            for (a, b), (c, d) in product(permutations(one.args), permutations(other.args)):
                if all(equal(mine, theirs) for mine, theirs in zip(whole.args, (a + c, b + d), strict=True)):
                    return (a - b) * (c - d)
    raise Inapplicable("only of max(a, b) + max(c, d) = max(a + c, b + d) is it known where it holds")


def _round_down(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not positive(operands[0], conditions):
        raise Inapplicable(f"multiples of {text(operands[0])} are no whole numbers of anything")
    return operands[0] * floor(state / operands[0])


OF_EXPRESSIONS = {Rule.SUM_OVER, Rule.LIMIT, Rule.SMALLER_OF, Rule.AT_MOST, Rule.ROUND_DOWN}
APPLY: dict[Rule, Callable[[Any, Any, Conditions], Any]] = {
    Rule.MULTIPLY: _multiply,
    Rule.DIVIDE: _divide,
    Rule.ADD: _add,
    Rule.SUBTRACT: _subtract,
    Rule.REWRITE: _rewrite,
    Rule.SUM_OVER: _sum_over,
    Rule.SOLVE_FOR: _solve_for,
    Rule.LIMIT: _limit,
    Rule.LARGER_OF: _larger_of,
    Rule.SMALLER_OF: _smaller_of,
    Rule.RESOLVE_LARGER: _resolve_larger,
    Rule.COMPARE_LARGER: _compare_larger,
    Rule.ADD_TO_LARGER: _add_to_larger,
    Rule.ROUND_DOWN: _round_down,
}
