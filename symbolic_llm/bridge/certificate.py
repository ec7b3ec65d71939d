"""Certificates: polynomial identities between what a formula says and what the engine counts

What a run enters is known for all shapes, entry by entry (`entries` says how). The engine's answer to a question is
therefore a polynomial in the parameters, or a ratio of two (`answered`): formula p/q and counts a/b agree everywhere if
p·b and q·a are the same polynomial. That is decided for every subject that a formula is for. Parameters that the
formula does not have are among them, as long as the engine has them.

A maximum or minimum is taken case by case: where one argument is it, the claim is a rational function. That all
comparisons come out there as they do at the places that are tried is looked at far out as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, product
from typing import Any

from sympy import Function, Ge, Max, Min, Pow
from sympy.core.relational import Relational

from reference_engine.probes import Probe
from reference_engine.probes.filling import Most
from reference_engine.probes.targets import MostWithin

from ..claims import Kind
from ..errors import CatalogueError
from ..expressions.decide import positive
from ..expressions.exact import put_in
from ..expressions.polynomial import Polynomial
from ..expressions.rational import quotient
from ..formula import Formula
from .admitted import applying
from .answered import Answered, Entry
from .asking import asked, run_for
from .borders import border_of
from .comparison import probes_of
from .configurations import OFFERED, STANDARD
from .entered import Uncertifiable
from .entries import Bent, far_out
from .grids import Axes
from .letters import conditions_of, in_parameters

Asking = Callable[[Probe, Mapping[str, Any]], tuple[Any, Any]]  # who says what a question comes to at one place


@dataclass(frozen=True)
class Certificate:
    """What a formula and the engine's answer came to.

    Attributes:
        subject: whom the engine was asked about.
        runs: how often the engine was run to know what the answer is put together from.
        degrees: by parameter, the degree of what was compared.
        plain: parameters that are plain numbers in these runs, so that the degree in them is read off differences.
        counterexample: a configuration where formula and engine differ, or None.
    """

    subject: str
    runs: int
    degrees: dict[str, int]
    plain: tuple[str, ...] = ()
    counterexample: dict[str, int] | None = None

    @property
    def holds(self) -> bool:
        """Whether the formula is proved for all shapes."""
        return self.counterexample is None

    def __str__(self) -> str:
        degrees = ", ".join(f"{degree} in {name}" for name, degree in self.degrees.items() if degree) or "0"
        return f"{self.subject}: {self.runs:,} runs, degree {degrees}"


_EITHER_SIDE = (0, 12)  # of the standard configurations: a window shorter than the context, and a longer one

_Key = tuple[Formula, str, str]  # and the names of the probe and of its subject
_Found = Certificate | Uncertifiable | None  # None where the claim cannot be decided


@dataclass(frozen=True)
class Case:
    """What the claim comes to where certain arguments are its maxima and minima, and the relations that say so."""

    expression: Any
    relations: tuple[Any, ...] = ()


@lru_cache(maxsize=2**10)  # asked once for each subject of a check
def decidable(formula: Formula) -> tuple[Probe, ...]:
    """The probes on which the claim can be decided: an equation, there without rounding or a letter as exponent."""
    return tuple(probe for probe in _measuring(formula) if _is_rational(formula, probe))


def _measuring(formula: Formula) -> tuple[Probe, ...]:
    """The probes that measure an equation, unless their answer is rounded."""
    if not formula.measured_by or formula.kind in (Kind.THEOREM, Kind.APPROXIMATION):
        return ()
    asked = probes_of(formula.measured_by, formula)
    if any(isinstance(probe.asks.answer, Most | MostWithin) for probe in asked):
        return ()  # it fills memory or time, and rounds down what fits
    return asked


def _is_rational(formula: Formula, probe: Probe) -> bool:
    """Whether the claim is a rational function in every case, which are made of what it is made of."""
    if (known := _key(formula, probe)) in _known():
        return _known()[known] is not None
    written = _right_side(formula, probe)
    return not written.has(Function) and all(power.exp.is_Integer for power in written.atoms(Pow))


def certifiable(formula: Formula) -> bool:
    """Whether it can be decided for all shapes, of one subject at least."""
    return bool(decidable(formula))


@lru_cache(maxsize=2**10)  # asked for by each who decides whether, and on what, it can be proved
def cases_of(formula: Formula, probe: Probe) -> tuple[Case, ...]:
    """The claim in symbols of the probe's parameters, case by case of its maxima."""
    return tuple(_split(_right_side(formula, probe), ()))


@lru_cache(maxsize=2**10)
def _right_side(formula: Formula, probe: Probe) -> Any:
    return in_parameters(formula, probe, formula.rhs)


def _split(expression: Any, relations: tuple[Any, ...]) -> Iterator[Case]:
    """The cases of the innermost maximum or minimum, each split further."""
    extremes = expression.atoms(Max, Min)
    innermost = [extreme for extreme in extremes if not any(arg.has(Max, Min) for arg in extreme.args)]
    if not innermost:
        yield Case(expression, relations)
        return
    extreme = min(innermost, key=str) if len(innermost) > 1 else innermost[0]
    for best in extreme.args:
        others = [other for other in extreme.args if other != best]
        pairs = ((best, other) if isinstance(extreme, Max) else (other, best) for other in others)
        beyond = tuple(Ge(larger, smaller, evaluate=False) for larger, smaller in pairs)
        if not _contradict(beyond, relations):
            yield from _split(put_in(expression, {extreme: best}), (*relations, *beyond))


def narrower(formula: Formula, probe: Probe, case: Case) -> Iterator[Case]:
    """Cases of this one where all conditions hold, on each side of where what a run enters changes its form."""
    stated = (in_parameters(formula, probe, condition.relation) for condition in conditions_of(formula, probe))
    where = (*case.relations, *(relation for relation in stated if isinstance(relation, Relational)))
    border = border_of(probe.asks.run, probe.subject) if probe.asks.run is not None else None
    for side in border.cases if border is not None else ((),):
        yield Case(case.expression, (*where, *side))


def _contradict(new: tuple[Any, ...], old: tuple[Any, ...]) -> bool:
    """Whether one of some new relations cannot hold with another: what is at least 0 in each adds up to less."""
    gaps = [relation.lhs - relation.rhs for relation in (*new, *old)]
    pairs = ((one, other) for place, one in enumerate(gaps[: len(new)]) for other in gaps[place + 1 :])
    return any(positive(-(one + other)) for one, other in pairs)


def certify(formula: Formula) -> tuple[Certificate, ...]:
    """For each subject, decide the formula in each case, and look at points beyond.

    Raises:
        Uncertifiable: the engine's answer is none that can be decided for all shapes.
    """
    found = tuple(_certified(formula, probe) for probe in decidable(formula))
    for one in found:
        if isinstance(one, Uncertifiable):
            raise one
    return tuple(one for one in found if isinstance(one, Certificate))


def subjects_of(formulas: Iterable[Formula]) -> list[str]:
    """The subjects that certificates may be about, those first that take the longest."""
    found = {probe.subject for formula in formulas for probe in _asked_about(formula)}
    return [one.name for one in sorted(found, key=lambda one: (-len(one.shape), one.name))]


def _asked_about(formula: Formula) -> tuple[Probe, ...]:
    """The probes that measure it; none if it is wrong in a way that its own check will name."""
    with suppress(Exception):
        return _measuring(formula)
    return ()


def certify_on(subject: str, formulas: Iterable[Formula]) -> list[tuple[_Key, _Found]]:
    """What is found about some formulas on one subject: the work of one process, say."""
    found = list[tuple[_Key, _Found]]()
    for formula in formulas:
        for probe in (one for one in _asked_about(formula) if one.subject.name == subject):
            with suppress(Exception):  # it is met again, and named, where the formula is checked
                made = _certified(formula, probe) if _is_rational(formula, probe) else None
                found.append((_key(formula, probe), made))
        for name in filter(None, (formula.measured_by, *(step.measured_by for step in formula.steps))):
            with suppress(Exception):
                for probe in (one for one in probes_of(name, formula) if one.subject.name == subject):
                    _prepare(probe)
    return found


@cache
def _prepare(probe: Probe) -> None:
    """Ask once on either side of what changes entries, so that what a run enters is known to all who ask then."""
    for place in _EITHER_SIDE:
        asked(probe, dict(STANDARD[place]))


def know(found: Iterable[tuple[_Key, _Found]]) -> None:
    """Take over what another process has found."""
    _known().update(found)


def _key(formula: Formula, probe: Probe) -> _Key:
    return formula, probe.name, probe.subject.name


@lru_cache(maxsize=1)
def _known() -> dict[_Key, _Found]:
    return {}


def _certified(formula: Formula, probe: Probe) -> _Found:
    if (key := _key(formula, probe)) not in _known():
        try:
            _known()[key] = _certified_for(formula, probe)
        except Uncertifiable as reason:
            _known()[key] = reason
    return _known()[key]


def _certified_for(formula: Formula, probe: Probe) -> Certificate:
    rests_on, degrees, counterexample = set[Entry](), dict[str, int](), None
    for case in cases_of(formula, probe):
        axes = Axes(formula, probe, case.relations)
        counterexample = _compared(formula, case, axes, rests_on, degrees)
        if counterexample is not None:
            break
    every = {entries for entries, _ in rests_on}  # in no order, so names are taken in that of the question
    runs, seen = sum(entries.runs for entries in every), {name for entries in every for name in entries.plain}
    plain = tuple(name for name in (*probe.parameters, *probe.asks.fixed) if name in seen)
    return Certificate(probe.subject.name, runs, degrees, plain, counterexample)


def sides_of(case: Case, axes: Axes) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator of what the claim comes to; `CatalogueError` for a letter that the probe lacks."""
    unknown = sorted(symbol.name for symbol in case.expression.free_symbols if symbol.name not in axes.names)
    if unknown:
        probe = axes.probe
        raise CatalogueError(
            f"the claim depends on {', '.join(unknown)}, which {probe.name} of {probe.subject.name} does not take."
        )
    if (found := quotient(case.expression)) is None:
        raise Uncertifiable("the claim is no quotient of polynomials")
    over, under = (Polynomial.over(part, axes.names) for part in found)
    return over, under


def _compared(
    formula: Formula, case: Case, axes: Axes, rests_on: set[Entry], degrees: dict[str, int]
) -> dict[str, Any] | None:
    """A configuration where formula and engine differ, or None; what that rests on, and to which degree, is added."""
    probe = axes.probe
    over, under = sides_of(case, axes)
    mine = dict.fromkeys(axes.names, 0)

    def differ(config: Mapping[str, Any], ask: Asking = run_for) -> bool:
        point = tuple(config[name] for name in axes.names)
        counted, out_of = ask(probe, config)
        return bool(over(point) * out_of != under(point) * counted)

    def differing(ask: Asking) -> dict[str, Any] | None:
        beyond, far = (map(axes.config, points(axes)) for points in (_beyond, _far_out))
        # far out another argument of a maximum may be the largest, and its case is tested
        admitted = filter(applying(formula, probe, case.relations), far)
        return next((config for config in chain(beyond, admitted) if differ(config, ask)), None)

    try:
        for place in axes.places():
            answered = Answered(probe, axes.names, axes.traced(place))
            rests_on |= answered.rests_on
            ours, theirs = over.times(answered.under), under.times(answered.over)
            for name in axes.names:
                mine[name] = max(mine[name], ours.degree(name), theirs.degree(name))
                degrees[name] = max(degrees.get(name, 0), mine[name])
            if (apart := ours.plus(theirs, -1)).terms:
                config = axes.config(_not_zero(apart, axes, mine))
                if not differ(config):
                    raise Uncertifiable("what the engine enters is not what its entries say")
                return config
        return differing(asked)
    except Bent:  # then the engine itself says where the formula differs from it, if it does
        if (found := differing(run_for)) is None:
            raise
        return found


def _not_zero(polynomial: Polynomial, axes: Axes, degrees: Mapping[str, int]) -> dict[str, int]:
    """The first point of a grid that decides a polynomial where it is not zero."""
    grid = [axes.values(name, degree + 1) for name, degree in degrees.items()]
    point = next(point for point, value in zip(product(*grid), polynomial.on_grid(grid), strict=True) if value)
    return dict(zip(axes.names, point, strict=True))


def _beyond(axes: Axes) -> Iterator[dict[str, int]]:
    """Two points beyond those where comparisons were made."""
    for turn in (0, 1):
        yield {name: axes.farther(name, 5 + (place + turn) % 2) for place, name in enumerate(axes.names)}


def _far_out(axes: Axes) -> Iterator[dict[str, int]]:
    """Points that lie far out on one axis, where a comparison might come out otherwise."""
    base = {name: axes.values(name, 2)[-1] for name in axes.names}
    for name in axes.names:
        if name not in OFFERED:
            yield {**base, name: axes.farther(name, far_out(name, axes.names))}
