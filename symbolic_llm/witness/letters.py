"""The letters of a formula, where the engine is asked: given by the probe's parameters, or computed from them

A subject says by which parameters its shapes are given; what they come to stands in `subjects`. The letters that
formulas compute (P, m_token, …) are computed by formulas that describe this very subject, whichever formula is being
tested and whatever it uses: a false formula cannot choose what it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from reference_engine.probes import Probe, probes
from reference_engine.probes.runs import OF_LOGITS
from reference_engine.probes.subjects import Subject

from ..algebra import Add, Basic, Eq, Ge, Gt, Integer, Le, Lt, Mul, Poly, cancel, fraction, together
from ..architecture import AXES, PLAIN, Trait, Traits, lacking
from ..catalogue.named import embedding_parameters
from ..claims import Condition, Kind
from ..errors import CatalogueError
from ..expressions.arithmetic import plain
from ..expressions.decide import above_zero, at_least_zero
from ..expressions.exact import Compute, exact, exactly, put_in
from ..expressions.rounding import settled
from ..formula import Formula
from ..models.cache_kind import TELLING
from ..models.formula_table import chosen
from ..models.own_formulas import OWN, has_all, with_own
from ..notation import LETTERS, N, N_logits, N_prompt, n_page, named
from ..numeral import Numeral, valued
from ..reached import basic_first, reached
from ..units import Unit
from .subjects import ANYWHERE, COUNTED, WRITTEN, counts, parameter

Config = Mapping[str, int | Fraction]
Values = dict[Any, Fraction | int]
Computing = tuple[Compute, tuple[Any, ...]]  # what computes an expression, and its letters


@lru_cache(maxsize=2**10)
def written(probe: Probe) -> dict[Any, Any]:
    """The letters that a probe takes or that its parameters are factors of, in symbols of these; none that it fixes."""
    taken = set(probe.parameters)
    found: dict[Any, Any] = {
        symbol: parameter(letter.engine) for symbol, letter in LETTERS.items() if letter.engine in taken
    }
    for symbol, factors in {**ANYWHERE, **WRITTEN.get(probe.subject.name, {})}.items():
        given = factors.xreplace(found)
        if LETTERS[symbol].engine not in taken and {s.name for s in given.free_symbols} <= taken:
            found[symbol] = given
    if "earlier" in taken:  # of a prompt, beside the chunk
        found[N_prompt] = parameter("earlier") + probe.asks.fixed.get("chunk", parameter("chunk"))
    if "silent" in taken or "silent" in probe.asks.fixed:  # tokens of a prompt with logits, and without
        found[N] = Add(*(probe.asks.fixed.get(one, parameter(one)) for one in OF_LOGITS))
    elif N in found and N_logits not in found:  # who is asked for a prompt gives logits of every position
        found[N_logits] = found[N]
    if "free" in taken:  # a page is one less than last and free together, so that each is at least 1
        page = parameter("last") + parameter("free") - 1
        pages = probe.asks.fixed.get("pages", parameter("pages"))
        found |= {n_page: page, N: (pages - 1) * page + parameter("last")}
    return found


def are_one(formula: Formula, letter: Any, other: Any) -> bool:
    """Whether each question that measures a formula gives two letters one value, because it says that they are one.

    Letters that a decoder ties to each other are two: it is these that no count of it can tell apart.
    """
    asked = probes_of(formula.measured_by, formula)
    if any({letter, other} & WRITTEN.get(probe.subject.name, {}).keys() for probe in asked):
        return False
    given = [written(probe) for probe in asked]
    return bool(given) and all(letter in one and one[letter] == one.get(other) for one in given)


@lru_cache(maxsize=2**10)
def traits_of(subject: Subject) -> Traits:
    """The traits of a decoder of the engine."""
    stated = frozenset(Trait[name.upper()] for name in subject.traits)
    return frozenset(trait for axis in AXES for trait in (stated & axis or PLAIN & axis))


def gives_a_count(formula: Formula) -> bool:
    """Whether a formula states exactly what the engine counts, so that a wrong letter in it can be noticed."""
    return bool(formula.measured_by) and formula.quantity is not None and formula.kind is not Kind.APPROXIMATION


def exchangeable(formula: Formula) -> dict[Any, list[Any]]:
    """Letters of the right-hand side of a count, each with the letters of its unit that are not there."""
    there = formula.rhs.free_symbols if gives_a_count(formula) else frozenset()
    left_out = there | {formula.quantity}
    return {
        letter: [other for other in _of_unit(LETTERS[letter].unit) if other not in left_out]
        for letter in sorted(there, key=str)
    }


@cache
def _of_unit(unit: Unit) -> tuple[Any, ...]:
    return tuple(symbol for symbol, letter in LETTERS.items() if letter.unit == unit)


@lru_cache(maxsize=2**12)
def met(formula: Formula) -> frozenset[Any]:
    """The letters of all that a formula states, and those that are put in the place of its own."""
    stated = _letters((formula.statement, formula.conditions, formula.steps))
    return stated.union(*exchangeable(formula).values())


def _letters(value: Any) -> frozenset[Any]:
    """The letters of all expressions in some data."""
    if isinstance(value, Basic):
        return frozenset(value.free_symbols)
    if is_dataclass(value) and not isinstance(value, Formula):
        value = tuple(getattr(value, one.name) for one in fields(value))
    return frozenset().union(*map(_letters, value)) if isinstance(value, tuple) else frozenset()


def describing(probe: Probe, letters: frozenset[Any], used: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """The formulas that compute letters of a probe's subject; none where no formulas describe that.

    Sums over what its blocks keep are among them where some `letters`, or what they are computed from by formulas that
    are `used`, need one: to make all of them takes long.
    """
    if probe.subject.name not in COUNTED:
        return ()
    picks = chosen(traits_of(probe.subject))
    if letters & _needing_own(picks, (*COUNTED[probe.subject.name], *used)):
        picks = with_own(picks, _telling(probe))
    return (*COUNTED[probe.subject.name], embedding_parameters, *picks)


@lru_cache(maxsize=2**10)
def _needing_own(picks: tuple[Formula, ...], others: tuple[Formula, ...]) -> frozenset[Any]:
    """The letters that a decoder's own formulas count, beside those that are picked, and all computed from these."""
    read_by = dict[Any, list[Any]]()
    for one in (*picks, *others):
        for symbol in _read_by(one):
            read_by.setdefault(symbol, []).append(one.quantity)
    return frozenset(reached(OWN - {one.quantity for one in picks}, lambda symbol: read_by.get(symbol, ())))


def _telling(probe: Probe) -> frozenset[str]:
    """The letters that tell what the blocks of a probe's subject keep."""
    shape, given = set(probe.subject.shape), WRITTEN.get(probe.subject.name, {})
    return frozenset(name for name in TELLING if LETTERS[named(name)].engine in shape or named(name) in given)


@lru_cache(maxsize=2**10)
def decoders_for(traits: Traits) -> tuple[Probe, ...]:
    """A probe of each kind of decoder whose weights are counted, of those with these traits."""
    asked = (probe for name, formulas in COUNTED.items() if formulas for probe in probes(f"{name}/decode.flops"))
    # decoders that the same formulas describe have the same letters: one of them stands for all
    by_formulas = {_described_by(probe): probe for probe in asked if not lacking(traits, traits_of(probe.subject))}
    return tuple(by_formulas.values())


def _described_by(probe: Probe) -> tuple[Any, ...]:
    """All that decides which formulas describe a probe's subject."""
    picks = chosen(traits_of(probe.subject))
    return COUNTED[probe.subject.name], picks, not has_all(picks) and _telling(probe)


def never(formula: Formula, probe: Probe, relation: Any) -> bool:
    """Whether an inequality fails whatever the parameters of a probe are."""
    if not isinstance(relation, Lt | Le | Gt | Ge):
        return False
    gap = in_parameters(formula, probe, relation.lts - relation.gts)
    return bool(at_least_zero(gap) if isinstance(relation, Lt | Gt) else above_zero(gap))


@lru_cache(maxsize=2**12)
def bound(formula: Formula, probe: Probe) -> tuple[Formula, ...]:
    """The formulas that compute letters for a probe, the basic ones first: those that describe its subject.

    A letter that none of them counts is computed by what the formula uses, if that is measured itself.
    """
    below = tuple(one for one in formula.closure() if one.measured_by and one.kind is not Kind.THEOREM)
    return _bound(formula.quantity, below, describing(probe, met(formula), below), probe)


@lru_cache(maxsize=2**12)  # formulas that were broken on purpose are others, and compute their letters alike
def _bound(
    quantity: Any, below: tuple[Formula, ...], described: tuple[Formula, ...], probe: Probe
) -> tuple[Formula, ...]:
    traits = traits_of(probe.subject)
    by_itself = [one for one in described if one.quantity != quantity]
    counted = {one.quantity for one in by_itself} | {quantity}
    used = [one for one in below if one.quantity not in counted and not lacking(one.traits, traits)]
    return _basic_first([*by_itself, *used])


def _basic_first(formulas: Iterable[Formula]) -> tuple[Formula, ...]:
    """Each after those that compute letters of its own, and of its conditions: else these seem to hold."""
    by = {formula.quantity: formula for formula in formulas}
    return tuple(basic_first(by.values(), lambda one: (by[symbol] for symbol in _read_by(one) if symbol in by)))


@lru_cache(maxsize=2**10)  # one and the same formula is put in order for many questions
def _read_by(formula: Formula) -> tuple[Any, ...]:
    """The letters of its right-hand side and of its conditions, in the same order in every process."""
    found = formula.rhs.free_symbols.union(*(c.relation.free_symbols for c in formula.conditions))
    return tuple(sorted(found, key=str))


def in_parameters(formula: Formula, probe: Probe, expression: Any) -> Any:
    """An expression of letters in symbols of the probe's parameters; letters that nothing computes stay."""
    given = written(probe)
    # from the top: what is put in may bring letters of more basic formulas, which come later
    for one in reversed(bound(formula, probe)):
        if one.quantity in expression.free_symbols and one.quantity not in given:
            expression = put_in(expression, {one.quantity: one.rhs})
    numerals = {numeral: numeral.value for numeral in expression.atoms(Numeral)}
    return settled(
        put_in(put_in(expression, {**numerals, **given}), tied(formula, probe)), lambda symbol: counts(symbol.name)
    )


@lru_cache(maxsize=2**12)
def tied(formula: Formula, probe: Probe) -> dict[Any, Any]:
    """Parameters that the formula's conditions leave no choice: `n_heads·d_head = d_model` gives the width.

    An equation is solved for a parameter that it leaves a whole number, whatever the others are.
    """
    given, found = written(probe), dict[Any, Any]()
    for condition in conditions_of(formula, probe):
        relation = valued(condition.relation)
        if not isinstance(relation, Eq) or not relation.free_symbols <= given.keys():
            continue
        gap = (relation.lhs - relation.rhs).xreplace(given).xreplace(found)
        if gap.free_symbols and gap + 1 == Mul(*gap.free_symbols):  # a product of counts is 1 where each of them is
            found |= dict.fromkeys(gap.free_symbols, Integer(1))
            continue
        for symbol in sorted(gap.free_symbols, key=str, reverse=True):
            if (value := _whole_solution(gap, symbol)) is not None:
                found = {key: other.xreplace({symbol: value}) for key, other in found.items()} | {symbol: value}
                break
    return found


def tied_values(formula: Formula, probe: Probe, values: Mapping[str, int | Fraction]) -> dict[str, int]:
    """The parameters that are left no choice, by name, from the values of the others."""
    if not (ties := tied(formula, probe)):
        return {}
    free = {parameter(name): value for name, value in values.items()}
    return {symbol.name: int(exact(value, free)) for symbol, value in ties.items()}


def _whole_solution(gap: Any, symbol: Any) -> Any:
    """The polynomial with positive whole factors that the symbol equals where the gap is zero; None if it is none."""
    if not gap.is_polynomial(symbol) or (line := Poly(gap, symbol)).degree() != 1:
        return None
    above, below = fraction(cancel(together(-line.nth(0) / line.nth(1))))
    if below != 1 or above.is_zero:
        return None
    factors = Poly(above, *above.free_symbols).coeffs() if above.free_symbols else [above]
    return above if all(factor.is_Integer and factor > 0 for factor in factors) else None


@lru_cache(maxsize=2**12)
def reading(by: tuple[Formula, ...], probe: Probe, among: frozenset[Any] | None = None) -> Callable[[Config], Values]:
    """A function from a configuration to the values of letters: those given, or some `among` them, and those computed.

    Which formulas have all their letters is seen once. Only where a condition fails, and a letter has no value, is it
    asked again, of those that come after.
    """
    giving = {s: exactly(factors) for s, factors in written(probe).items() if among is None or s in among}
    takes = {symbol.name: symbol for _, letters in giving.values() for symbol in letters}
    known, computing = set(giving), list[tuple[Any, Computing, tuple[Computing, ...]]]()
    for one in by:
        rhs, conditions = exactly(one.rhs), (exactly(condition.relation) for condition in one.conditions)
        if known.issuperset(rhs[1]):
            computing.append((one.quantity, rhs, tuple(c for c in conditions if known.issuperset(c[1]))))
            known.add(one.quantity)

    def read(config: Config) -> Values:
        given = {symbol: plain(config[name]) for name, symbol in takes.items()}
        values: Values = {symbol: compute(given) for symbol, (compute, _) in giving.items()}
        complete = True
        for quantity, (compute, letters), conditions in computing:
            if quantity in values:
                continue
            if complete:
                # as long as every letter has its value none need be looked for, which is nearly always
                complete = all(holds(values) for holds, _ in conditions)
                has_value = complete
            else:
                has_value = all(map(values.__contains__, letters)) and all_hold(conditions, values)
            if has_value:
                values[quantity] = compute(values)
        return values

    return read


@lru_cache(maxsize=2**10)
def depending_on(probe: Probe, letters: frozenset[Any]) -> frozenset[str]:
    """The parameters of a probe that give some of these letters a value."""
    given = written(probe).items()
    return frozenset(free.name for symbol, factors in given if symbol in letters for free in factors.free_symbols)


@lru_cache(maxsize=2**12)
def conditions_of(formula: Formula, probe: Probe) -> tuple[Condition, ...]:
    """The conditions of a formula and of those that count its letters for a probe: where they fail it has no value."""
    by = {one.quantity: one for one in bound(formula, probe)}
    found = dict.fromkeys(formula.conditions)
    waiting = sorted(formula.statement.symbols - {formula.quantity}, key=str)  # the same order in every process
    while waiting:
        symbol = waiting.pop()
        if symbol not in written(probe) and (one := by.pop(symbol, None)) is not None:
            found |= dict.fromkeys(one.conditions)
            waiting += sorted(one.rhs.free_symbols, key=str)
    return tuple(found)


def admitted_by(conditions: tuple[Condition, ...], values: Values) -> bool:
    """Whether the conditions hold, as far as their letters have values."""
    return all_hold([exactly(condition.relation) for condition in conditions], values)


def all_hold(conditions: Iterable[Computing], values: Values) -> bool:
    """Whether all conditions hold whose letters have values."""
    return all(holds(values) for holds, letters in conditions if all(map(values.__contains__, letters)))


@lru_cache(maxsize=2**12)
def probes_of(name: str, formula: Formula) -> tuple[Probe, ...]:
    """The probes of a question, of all subjects that the formula is for; `CatalogueError` if the engine has none."""
    if not (found := probes(name)):
        raise CatalogueError(f"{formula.name} is measured by {name!r}, which the engine does not have.")
    suiting = tuple(probe for probe in found if not lacking(formula.traits, traits_of(probe.subject)))
    if not suiting:
        raise CatalogueError(f"no decoder that {formula.name} is for can answer {name}.")
    return suiting
