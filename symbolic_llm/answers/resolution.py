"""Rules: the formulas by which letters are computed

A formula brings those it uses, which hold for the plain dense decoder. A model puts those that it picks in their place,
and with them all that they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..architecture import AXES, Trait, Traits
from ..claims import Condition
from ..errors import NotSolvable, Overdetermined, listed
from ..expressions import exact, parts
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS, SUMS, P_mixed, P_prompt, P_read
from ..numeral import valued
from ..reached import reached

Rules = Mapping[Any, Formula]


@lru_cache(maxsize=2**12)
def rules(formula: Formula, chosen: tuple[Formula, ...] = ()) -> Rules:
    """The formula for each letter that the given one depends on, directly or not, and that can be computed."""
    picked = {pick.quantity: pick for pick in chosen if pick is not formula}
    known = _computing(formula)
    found: dict[Any, Formula] = {}
    waiting = letters_of(formula)
    for symbol in waiting:  # it grows on the way
        # the model's pick goes first: what a formula uses holds for the plain decoder only
        rule = picked.get(symbol) or known.get(symbol)
        if rule is None or symbol == formula.quantity or symbol in found:
            continue
        if rule not in chosen and _is_for_others(rule, chosen):
            continue
        found[symbol] = rule
        # formulas nearer to the one that is asked go before those further down
        known = {**_computing(rule), **known}
        waiting += letters_of(rule)
    return found


@lru_cache(maxsize=2**12)
def _is_for_others(rule: Formula, chosen: tuple[Formula, ...]) -> bool:
    """Whether a formula is for other models than those that pick these: nothing counts its letter for them yet."""
    return any(rule.traits & axis and had and not rule.traits & had for axis, had in _traits(chosen))


@lru_cache(maxsize=2**8)
def _traits(chosen: tuple[Formula, ...]) -> tuple[tuple[Traits, Traits], ...]:
    """By axis, the traits that all of some formulas are for."""
    by = {axis: [formula.traits & axis for formula in chosen if formula.traits & axis] for axis in AXES}
    return tuple((axis, frozenset.intersection(*needed)) for axis, needed in by.items() if needed)


@lru_cache(maxsize=2**12)
def uncounted(formula: Formula, chosen: tuple[Formula, ...]) -> tuple[Any, ...]:
    """The letters it depends on that nothing counts for the model that picks these, and something does for others."""
    mine, letters = rules(formula, chosen), reach(formula, chosen)
    return tuple(s for s in rules(formula) if s in letters and s not in mine and LETTERS[s].varies)


def _computing(formula: Formula) -> dict[Any, Formula]:
    return {used.quantity: used for used in formula.closure() if used.quantity is not None}


def letters_of(formula: Formula) -> list[Any]:
    """The letters of the claim and of the conditions."""
    return [*formula.letters, *parts.letters_of(condition.relation for condition in formula.conditions)]


@lru_cache(maxsize=2**12)  # asked again and again for one formula and model
def reach(formula: Formula, chosen: tuple[Formula, ...] = (), known: frozenset[Any] = frozenset()) -> tuple[Any, ...]:
    """Every letter the formula depends on: its own, those of its conditions, and what these can be computed from.

    What a `known` letter could be computed from is left out.
    """
    return below(formula, chosen, letters_of(formula), known)


def below(
    formula: Formula, chosen: tuple[Formula, ...], letters: Iterable[Any], known: frozenset[Any] = frozenset()
) -> tuple[Any, ...]:
    """The letters, and all from which those that are not known can be computed, directly or not."""
    by = rules(formula, chosen)

    def computing(symbol: Any) -> list[Any]:
        if symbol in known:
            return []
        rule = by.get(symbol)
        more = letters_of(rule) if rule else []  # its conditions have to be told too
        return [*more, *parts.letters_of(c.relation.lhs for c in formula.conditions if gives(c, symbol))]

    return tuple(reached(letters, computing))


def gives(condition: Condition, symbol: Any) -> bool:
    """Whether the condition is an equation with the letter alone on its right."""
    return bool(condition.relation.is_Equality and condition.relation.rhs == symbol)


def without_architecture(expression: Any, by: Rules, values: Mapping[Any, Any]) -> tuple[Any, list[Formula]]:
    """The expression with values put in and, for letters that architectures compute differently, their formulas.

    These formulas come with it, since it holds only where they do.
    """
    expression, put_in = exact.replaced(expression, values), []
    while inner := {s for s in expression.free_symbols if s in by and LETTERS[s].varies}:
        put_in += [by[s] for s in inner]
        written = exact.replaced(expression, {s: valued(by[s].rhs) for s in inner})
        expression = exact.replaced(written, values)
    return expression, put_in


def of_the_plain(
    formula: Formula, expression: Any, known: frozenset[Any] = frozenset(), chosen: tuple[Formula, ...] = ()
) -> Any:
    """An expression with the sums over a decoder's parts written out as the plain decoder has them.

    Where a model picks formulas, or a sum is known, it stays a letter.
    """
    # where no decoder has experts, what a pass reads is what a token is multiplied with
    sums = (*SUMS, P_read, P_prompt, P_mixed) if Trait.DENSE in formula.traits else SUMS
    by = {} if chosen else {s: rule for s, rule in rules(formula).items() if s in sums and s not in known}
    return written_by(by, expression)


def written_by(by: Rules, expression: Any) -> Any:
    """An expression with letters written out by their formulas, and those of these as well."""
    while inner := expression.free_symbols & by.keys():
        values = {s: valued(by[s].rhs) for s in inner}
        if expression.is_Relational:
            expression = expression.func(*(side.xreplace(values) for side in expression.args), evaluate=False)
        else:
            expression = exact.put_in(expression, values)
    return expression


def leads_to(symbol: Any, unknown: Any, by: Rules) -> bool:
    """Whether a letter is computed, directly or not, from the unknown."""
    return unknown in reached([symbol], lambda one: by[one].rhs.free_symbols if one in by else ())


@lru_cache(maxsize=2**8)
def written_out(
    formula: Formula, unknown: Any, known: frozenset[Any], chosen: tuple[Formula, ...], side: Any = None
) -> tuple[Any, tuple[Formula, ...]]:
    """The right-hand side, or what stands in `side`, with the letters that lead to the unknown written out.

    Known ones are not. Where the unknown stands in it already, only those that architectures compute differently are:
    solved for P, what a pass reads is no constant. So are those that follow from the unknown and what is known: nothing
    else gives them a value. With it come the formulas that were put in, since the result holds only where they do.
    """
    every, right, through = rules(formula, chosen), valued(formula.rhs) if side is None else side, set()
    varying = {s: rule for s, rule in every.items() if LETTERS[s].varies}
    used: dict[Formula, None] = {}
    # decided once: a letter may be reached by one way sooner than by another, and has to be written out on both
    by = varying | _following(every, unknown, known) if unknown in right.free_symbols else every
    values: dict[Any, Any] = {}
    free = right.free_symbols
    plain = set[Any]() if chosen else set(SUMS) - known  # no model is named, so the plain one is meant
    while leading := {
        s for s in free - {unknown, *values} if s in every and (s in plain or (s in by and leads_to(s, unknown, by)))
    }:
        through |= leading & known
        used |= dict.fromkeys(every[s] for s in LETTERS if s in leading - known)
        new = {s: valued(every[s].rhs) for s in leading - known}
        values |= new
        free = set().union(*(value.free_symbols for value in new.values()))
    # maxima stay as they are written: whether one side is always the larger takes SymPy long, and it looks each time
    while any(value.free_symbols & values.keys() for value in values.values()):
        values = {s: exact.put_in(value, values) for s, value in values.items()}
    right = exact.put_in(right, values)
    if unknown in right.free_symbols:
        return right, tuple(used)
    if through:
        raise Overdetermined(
            f"{formula.name} depends on {unknown.name} only through {listed(sorted(s.name for s in through))}, given "
            "already; leave that out, or the preset it comes from."
        )
    raise NotSolvable(f"{formula.name} does not depend on {unknown.name}: {text(formula.claim)}.")


def _following(by: Rules, unknown: Any, known: frozenset[Any]) -> dict[Any, Formula]:
    """Formulas of the letters that have no value of their own, and have one by numbers of the unknown and of others."""
    valued_ones = {unknown, *known}
    found: dict[Any, Formula] = {}
    while new := {s: rule for s, rule in by.items() if s not in valued_ones and rule.rhs.free_symbols <= valued_ones}:
        valued_ones |= new.keys()
        found |= new
    return {s: rule for s, rule in found.items() if leads_to(s, unknown, found)}


def without_varying(
    formula: Formula, unknown: Any, known: frozenset[Any], chosen: tuple[Formula, ...]
) -> tuple[Condition, ...]:
    """The conditions; letters that architectures compute differently are written out where they hide the unknown."""
    by = {s: rule for s, rule in rules(formula, chosen).items() if LETTERS[s].varies and s not in known}
    plain = set[Any]() if chosen else set(SUMS)
    hiding = {s: rule for s, rule in by.items() if s != unknown and (s in plain or leads_to(s, unknown, by))}
    found = []
    for condition in formula.demanded:
        relation = written_by(hiding, condition.relation)
        found.append(condition if relation is condition.relation else replace(condition, relation=relation))
    return tuple(found)
