"""Solving a claim for any of its letters

The claims are rational in every letter, of first or second degree, at times with a `Max` or a `floor`. `Max` is
solved case by case and each solution carries the condition of its case; `floor` gives an interval. Letters are
positive, so what makes a solution positive comes along as a condition: it is what "exists" means here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from sympy import Add, Dummy, Ge, Gt, Max, Mul, Poly, cancel, expand, factor, floor, fraction, sqrt, together

from .algebra import positive
from .claims import Condition
from .errors import NotSolvable
from .formula import Formula
from .numeral import valued
from .printing import text


@dataclass(frozen=True)
class Branch:
    """One candidate: an expression for the unknown and the relations under which it is a solution.

    Attributes:
        expr: the unknown, in the other letters.
        conditions: when it is a solution.
        upper: for a claim that rounds, the other end of the interval of solutions that starts at `expr`.
        slack: for a claim with a maximum, an expression that is zero where further values are solutions too.
    """

    expr: Any
    conditions: tuple[Condition, ...] = ()
    upper: Any = None
    slack: Any = None


@lru_cache(maxsize=512)
def branches(formula: Formula, unknown: Any) -> tuple[Branch, ...]:
    """All candidates for `unknown`, closed forms in the other letters.

    Raises `NotSolvable` if the claim does not depend on the letter, or is of too high a degree in it.
    """
    right = valued(formula.rhs)
    if unknown == formula.quantity:
        return (Branch(right, formula.conditions),)
    if unknown not in right.free_symbols:
        right = valued(formula.unfold(formula.rhs))
    if unknown not in right.free_symbols:
        raise NotSolvable(f"{formula.name} does not depend on {unknown.name}: {text(formula.claim)}.")
    found = tuple(_rounded(formula, right, unknown) if right.has(floor) else _cases(formula, right, unknown))
    if not found:
        raise NotSolvable(f"{formula.name} has no positive solution for {unknown.name}.")
    return found


def _rounded(formula: Formula, right: Any, unknown: Any) -> list[Branch]:
    """A claim q = c·floor(u): every unknown with q/c ≤ u < q/c + 1 is a solution."""
    rounded = next(iter(right.atoms(floor)))
    steps = formula.quantity / cancel(right / rounded)
    low, high = (_roots(rounded.args[0] - step, unknown) for step in (steps, steps + 1))
    return [Branch(one, _existence(formula, one, unknown), upper=other) for one, other in zip(low, high, strict=True)]


def _cases(formula: Formula, right: Any, unknown: Any) -> list[Branch]:
    """One equation for each choice of the larger argument of each maximum that contains the unknown."""
    maxima = [m for m in right.atoms(Max) if unknown in m.free_symbols]
    opaque = {m: Dummy(positive=True) for m in right.atoms(Max) if m not in maxima}
    found = []
    for choice in product(*(m.args for m in maxima)):
        equation = (right.xreplace(dict(zip(maxima, choice, strict=True))) - formula.quantity).xreplace(opaque)
        if unknown not in equation.free_symbols:
            continue
        for root in _roots(equation, unknown):
            expr = root.xreplace({dummy: m for m, dummy in opaque.items()})
            others = [(chosen, o) for m, chosen in zip(maxima, choice, strict=True) for o in m.args if o != chosen]
            gaps = [cancel((chosen - other).xreplace({unknown: expr})) for chosen, other in others]
            cases = [
                _condition(gap, Ge, f"so that {text(chosen)} is the larger", formula)
                for gap, (chosen, _) in zip(gaps, others, strict=True)
            ]
            slack = next(
                (gap for gap, (_, other) in zip(gaps, others, strict=True) if unknown not in other.free_symbols), None
            )
            existence = _existence(formula, expr, unknown)
            found.append(Branch(expr, tuple(c for c in cases if c) + existence, slack=slack))
    return found


def _roots(equation: Any, unknown: Any) -> list[Any]:
    """The expressions for which a rational equation in `unknown` vanishes, those that cannot be positive left out."""
    numerator = fraction(together(equation))[0]
    polynomial = Poly(expand(numerator), unknown)
    if polynomial.degree() == 1:
        slope, constant = polynomial.all_coeffs()
        return [] if positive(slope / constant) else [_without_sign(-constant / slope)]
    if polynomial.degree() == 2:
        a, b, c = polynomial.all_coeffs()
        if positive(-a):
            a, b, c = -a, -b, -c
        root = sqrt(expand(b**2 - 4 * a * c))
        larger, smaller = (-b + root) / (2 * a), (-b - root) / (2 * a)
        return [larger] if positive(a) and positive(-c) else [larger, smaller]
    raise NotSolvable(
        f"the claim is of degree {polynomial.degree()} in {unknown.name}, for which there is no closed form here."
    )


def _existence(formula: Formula, expr: Any, unknown: Any) -> tuple[Condition, ...]:
    """The formula's own conditions with the solution put in, and that it is positive; what always holds is left out."""
    opaque = {m: Dummy(positive=True) for m in expr.atoms(Max)}
    rational, back = expr.xreplace(opaque), {dummy: m for m, dummy in opaque.items()}
    found: list[Condition | None] = []
    for condition in formula.conditions:
        relation = condition.relation
        if unknown not in relation.free_symbols or not isinstance(relation, Gt):
            found.append(condition)
        else:
            gap = valued(relation.gts - relation.lts).xreplace({unknown: rational})
            found.append(_condition(gap, Gt, condition.sentence, formula))
    if rational.is_rational_function():
        found.append(_condition(rational, Gt, f"so that {unknown.name} is positive", formula))
    return tuple(Condition(kept.relation.xreplace(back), kept.sentence, kept.otherwise) for kept in found if kept)


def _condition(gap: Any, kind: Any, sentence: str, formula: Formula) -> Condition | None:
    """The condition gap > 0 or gap ≥ 0, with what is negative on the other side; None if it always holds."""
    if positive(gap, formula.conditions):
        return None
    above, below = fraction(cancel(together(gap)))
    if positive(-below, formula.conditions):
        above, below = -above, -below
    if not positive(below, formula.conditions):
        return Condition(kind(_without_sign(_core(above) / _core(below)), 0, evaluate=False), sentence)
    terms = Add.make_args(_core(above))
    minus = [term for term in terms if term.could_extract_minus_sign()]
    plus = [term for term in terms if term not in minus]
    return Condition(kind(factor(Add(*plus)), factor(-Add(*minus)), evaluate=False), sentence)


def _core(polynomial: Any) -> Any:
    """The polynomial without the positive factors that all its terms share."""
    return Poly(polynomial, *sorted(polynomial.free_symbols, key=str)).terms_gcd()[1].primitive()[1].as_expr()


def _without_sign(quotient: Any) -> Any:
    """The quotient, factored, with the minus sign before it, if there is one, taken into a sum."""
    factored = factor(quotient)
    if factored.could_extract_minus_sign():
        bases = (part.as_base_exp()[0] for part in Mul.make_args(factored))
        for base in bases:
            if isinstance(base, Add):
                return (-factored).xreplace({base: expand(-base)})
    return factored
