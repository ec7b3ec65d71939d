"""Solving a claim for any of its letters

The claims are rational in every letter, of first or second degree, at times with a `Max` or a `floor`; in a few a
letter stands in a power, and a logarithm or a root undoes that. `Max` is solved case by case and each solution carries
the condition of its case; `floor` gives an interval. A letter of a used formula is reached by writing out the letters
that lead to it, but for those that have a value, and the conditions of the formulas that are written out come along.
Letters are positive, so what makes a solution positive is a condition too: it is what "exists" means here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
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
    PolynomialError,
    does_without_sympy,
    expand,
    floor,
    fraction,
    together,
)
from ..claims import Condition
from ..errors import NoClosedForm, NotSolvable
from ..expressions.decide import positive, sign_where
from ..expressions.parts import of_kind
from ..expressions.printing import text
from ..expressions.rational import Quotient, cancelled, conjugate, factored, quotient, shared_by_terms
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from .branch import Branch
from .powers import no_closed_form, roots_exist, without_sign
from .resolution import of_the_plain, without_varying, written_out
from .roots import roots_of
from .stored_solutions import stored_branches


@lru_cache(maxsize=2**12)  # all formulas with all their letters fit, asked in any order
def branches(
    formula: Formula, unknown: Any, known: frozenset[Any] = frozenset(), chosen: tuple[Formula, ...] = ()
) -> tuple[Branch, ...]:
    """All candidates for `unknown`, closed forms in the other letters; `known` ones are not written out.

    For an equivalence whose right side is an inequality they are the values for which its left side holds.

    Raises `NotSolvable` if the claim does not depend on the letter, or is of too high a degree in it, and
    `Overdetermined` if it depends on it through known letters only.
    """
    if does_without_sympy():
        return stored_branches(formula, unknown, known, chosen)
    if formula.quantity is None:
        return (_bound(formula, unknown, known, chosen),)
    if unknown == formula.quantity:
        plain = partial(of_the_plain, formula, known=known, chosen=chosen)
        stated = tuple(
            c if (relation := plain(c.relation)) is c.relation else replace(c, relation=relation)
            for c in formula.demanded
        )
        return (Branch(plain(valued(formula.rhs)), stated),)
    right, through = written_out(formula, unknown, known, chosen)
    right = right.replace(Min, _as_maximum)
    conditions = without_varying(formula, unknown, known, chosen)
    asked = _Asked(formula.quantity, _joined(conditions, through))
    try:
        rounds = any(unknown in rounded.free_symbols for rounded in of_kind(right, floor))
        found = tuple(_rounded(asked, right, unknown) if rounds else _cases(asked, right, unknown))
    except PolynomialError:  # its conditions have the unknown in a power, or under a root
        raise no_closed_form(right, unknown) from None
    if not found:
        raise NotSolvable(f"{formula.name} has no positive solution for {unknown.name}.")
    return found


def _as_maximum(*args: Any) -> Any:
    """A minimum written with a maximum: minus the largest of the negated arguments."""
    return -Max(*(-one for one in args))


@dataclass(frozen=True)
class _Asked:
    """The quantity that is given and the conditions, written out like the claim."""

    quantity: Any
    conditions: tuple[Condition, ...]


def _joined(conditions: tuple[Condition, ...], through: tuple[Formula, ...]) -> tuple[Condition, ...]:
    """The conditions and those of the formulas through which it is solved, each once."""
    found = {condition.relation: condition for condition in conditions}
    for used in through:
        found |= {c.relation: c for c in used.conditions if c.relation not in found}
    return tuple(found.values())


_TURNED = {Gt: Lt, Lt: Gt, Ge: Le, Le: Ge}


def _bound(formula: Formula, unknown: Any, known: frozenset[Any], chosen: tuple[Formula, ...]) -> Branch:
    """An equivalence with an inequality on its right, brought to the form unknown ≤ expression."""
    relation = None if formula.statement.presupposed else formula.statement.conclusion
    if not isinstance(relation, Gt | Ge | Lt | Le):
        raise NotSolvable(f"{formula.name} is a theorem that bounds no letter; it states {text(formula.claim)}.")
    kind, sides = relation.func, (valued(relation.lhs), valued(relation.rhs))
    conditions = formula.conditions
    if sides[0] == unknown and unknown not in sides[1].free_symbols:
        expr = sides[1]
    else:
        gap, through = written_out(formula, unknown, known, chosen, sides[0] - sides[1])
        conditions = _joined(conditions, through)
        unwritten = NotSolvable(f"{formula.name} gives no bound on {unknown.name} that can be written down.")
        try:
            roots, (above, below) = roots_of(gap, unknown), fraction(together(gap))
        except NoClosedForm:
            raise unwritten from None
        polynomial = Poly(expand(above), unknown)
        slope = polynomial.LC() / below
        falls = positive(-slope, conditions)
        if not roots or polynomial.degree() > 1 or not (falls or positive(slope, conditions)):
            raise unwritten
        expr = roots[0]
        kind = _TURNED[kind] if falls else kind
    asked = _Asked(None, conditions)
    least = _condition(expr, Gt, f"so that {unknown.name} can be positive", asked) if kind in (Lt, Le) else None
    return Branch(expr, (*conditions, *([least] if least else [])), kind)


def _rounded(asked: _Asked, right: Any, unknown: Any) -> list[Branch]:
    """A claim q = c·floor(u): every unknown with q/c ≤ u < q/c + 1 is a solution; a maximum in u is solved by cases."""
    rounded, *more = right.atoms(floor)
    factor = None if more else cancelled(right / rounded)
    if factor is None or factor.has(floor, Add) or unknown in factor.free_symbols:
        raise no_closed_form(right, unknown)  # more than a rounding: what stands beside it, or another
    steps = asked.quantity / factor
    borders = tuple(dict.fromkeys(_borders(asked, rounded.args[0], unknown)))
    found = []
    for side, others in _choices(rounded.args[0], unknown):
        if unknown not in side.free_symbols:  # any value of it does, where this is the larger
            continue
        closed, opened = (roots_of(side - step, unknown) for step in (steps, steps + 1))
        for expr, end in zip(closed, opened, strict=True):
            ways = _ways(expr - end, asked)
            if others and len(ways) > 1:
                raise no_closed_form(right, unknown)  # which end is which depends on the numbers
            cases = (_is_larger(chosen, _gap(chosen - other, unknown, expr), asked) for chosen, other in others)
            holding = (*(c for c in cases if c), *_existence(asked, expr, unknown))
            for falls in ways:  # more of the unknown, less of what is rounded
                other_end = Condition(
                    (Gt if falls else Lt)(unknown, end, evaluate=False),
                    "every value between the two bounds is a solution, because the formula rounds down",
                )
                found.append(Branch(expr, (*holding, other_end), Le if falls else Ge, end, borders=borders))
    return found


def _ways(gap: Any, asked: _Asked) -> tuple[bool, ...]:
    """Whether what is rounded falls as the unknown grows, by the sign of the gap; both answers where it is undecided.

    Letters that count are at least 1: with each written as 1 more than another, all terms may have one sign.
    """
    if positive(gap, asked.conditions):
        return (True,)
    if positive(-gap, asked.conditions):
        return (False,)
    if all(LETTERS[letter].whole for letter in gap.free_symbols):
        beyond = fraction(together(gap.xreplace({letter: letter + 1 for letter in gap.free_symbols})))
        signs = [{c > 0 for c in Poly(part, *gap.free_symbols).coeffs()} for part in beyond]
        if all(len(of_part) == 1 for of_part in signs):
            return (signs[0] == signs[1],)
    return (True, False)


def _borders(asked: _Asked, rounded: Any, unknown: Any) -> Iterator[Any]:
    """Values of the unknown at which two arguments of a rounded maximum are equal, or a condition stops holding."""
    gaps = [chosen - other for _, others in _choices(rounded, unknown) for chosen, other in others]
    gaps += [condition.relation.lhs - condition.relation.rhs for condition in asked.conditions]
    for gap in gaps:
        if unknown in gap.free_symbols:
            with suppress(NotSolvable, PolynomialError):  # the ends of a branch are borders all the same
                yield from roots_of(valued(gap), unknown)


def _choices(right: Any, unknown: Any) -> Iterator[tuple[Any, list[tuple[Any, Any]]]]:
    """Forms of an expression, one for each choice of the largest argument of its maxima with the unknown.

    Each comes with the other arguments, in pairs of the chosen one and another. A maximum inside another one is chosen
    first.
    """
    maxima = [m for m in of_kind(right, Max) if unknown in m.free_symbols]
    innermost = [m for m in maxima if not any(m is not other and m.has(other) for other in maxima)]
    if not innermost:
        yield right, []
        return
    for choice in product(*(m.args for m in innermost)):
        pairs = list(zip(innermost, choice, strict=True))
        others = [(chosen, o) for m, chosen in pairs for o in m.args if o != chosen]
        for side, outer in _choices(right.xreplace(dict(pairs)), unknown):
            yield side, [*others, *outer]


def _gap(difference: Any, unknown: Any, root: Any) -> Any:
    gap = difference.xreplace({unknown: root})
    return gap if quotient(gap) else cancelled(gap)


def _gaps(difference: Any, unknown: Any, roots: list[Any]) -> Iterator[Any]:
    """Values of a difference at each root of an equation, in order.

    Where two roots differ only by the sign of a square root, the second value is the first with the other sign of it.
    """
    first, *others = roots
    yield (gap := _gap(difference, unknown, first))
    for root in others:
        turned = conjugate(gap) if (conjugate(difference), conjugate(first)) == (difference, root) else None
        yield _gap(difference, unknown, root) if turned is None else turned


def _is_larger(chosen: Any, gap: Any, asked: _Asked) -> Condition | None:
    which = f"{text(-chosen)} is the smaller" if (-chosen).is_Symbol else f"{text(chosen)} is the larger"
    return _condition(gap, Ge, f"so that {which}", asked)


def _cases(asked: _Asked, right: Any, unknown: Any) -> list[Branch]:
    """Branches of a claim: an equation is solved for each choice of the larger argument of maxima with the unknown."""
    # a maximum without the unknown is a number like any other, and algebra need not look into it; what is rounded too
    opaque = {m: Dummy(positive=True) for m in of_kind(right, (Max, floor)) if unknown not in m.free_symbols}
    found: list[tuple[Any, tuple[Condition, ...]]] = []
    plateaus = []
    for side, others in _choices(right, unknown):
        if unknown not in (cancelled(side) if others else side).free_symbols:
            larger = (Ge(chosen, other, evaluate=False) for chosen, other in others)
            plateaus.append((Eq(side, asked.quantity, evaluate=False), *larger))
            continue
        roots = roots_of((side - asked.quantity).xreplace(opaque), unknown)
        exprs = [root.xreplace({dummy: m for m, dummy in opaque.items()}) for root in roots]
        gaps = [_gaps(chosen - other, unknown, exprs) for chosen, other in others]
        for expr in exprs:
            cases = [_is_larger(chosen, next(gap), asked) for (chosen, _), gap in zip(others, gaps, strict=True)]
            found.append((expr, tuple(c for c in cases if c) + _existence(asked, expr, unknown)))
    return [Branch(expr, conditions, plateaus=tuple(plateaus)) for expr, conditions in found]


def _existence(asked: _Asked, expr: Any, unknown: Any) -> tuple[Condition, ...]:
    """Conditions for a solution to exist: the formula's own, and that it is positive; what always holds is left out."""
    opaque = {m: Dummy(positive=True) for m in of_kind(expr, Max)}
    rational, back = expr.xreplace(opaque), {dummy: m for m, dummy in opaque.items()}
    found: list[Condition | None] = []
    for condition in asked.conditions:
        relation = condition.relation
        if unknown not in relation.free_symbols or not isinstance(relation, Gt):
            found.append(condition)
        else:
            gap = valued(relation.gts - relation.lts).xreplace({unknown: rational})
            found.append(_condition(gap, Gt, condition.sentence, asked))
    found += [_condition(gap, kind, sentence, asked) for gap, kind, sentence in roots_exist(expr)]
    if quotient(rational):
        found.append(_condition(rational, Gt, f"so that {unknown.name} is positive", asked))
    kept = tuple(condition for condition in found if condition)
    return tuple(replace(one, relation=one.relation.xreplace(back)) for one in kept) if back else kept


def _condition(gap: Any, kind: Any, sentence: str, asked: _Asked) -> Condition | None:
    """The condition gap > 0 or gap ≥ 0, with what is negative on the other side; None if it always holds."""
    if positive(gap, asked.conditions):
        return None
    if (found := quotient(gap)) is None:  # a root of the solution: it is left as it stands
        return Condition(kind(gap, 0, evaluate=False), sentence)
    above, below = found
    signs = [sign_where(part, asked.conditions) for part in found]
    for place in (1, 0):
        if signs[place] == -1:
            above, below, signs = -above, -below, [sign and -sign for sign in signs]
    if signs[0] == 1:  # so the quotient has the sign of what stands below
        above, below, kind, signs = below, above.ring.one, Gt, [signs[1], 1]
    above, below = (shared_by_terms(part)[-1] for part in (above, below))  # the rest is positive
    if signs[1] != 1:
        return Condition(kind(without_sign(above.as_expr() / below.as_expr()), 0, evaluate=False), sentence)
    sides = (above.ring.from_dict({term: sign * c for term, c in above.items() if sign * c > 0}) for sign in (1, -1))
    return Condition(kind(*(factored(Quotient(side, side.ring.one)) for side in sides), evaluate=False), sentence)
