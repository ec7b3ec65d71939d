"""Certificates: polynomial identities between what a formula says and what the engine counts

What a run enters is known for all shapes, entry by entry (`ledger_entries` says how). The engine's answer to a question
is therefore a polynomial in the parameters, or a ratio of two, in each of its branches (`engine_answers`). A maximum or
minimum in the claim is taken case by case: where one argument is it, the claim is such a ratio as well. Formula p/q and
counts a/b agree wherever case and branch meet if p·b and q·a are the same polynomial. Where they are not, it has to be
shown that the two do not meet where the formula's conditions hold (`regions`). So nothing is decided outside of them,
and no place inside is left out. That is decided for every subject that a formula is for, and parameters that the
formula does not have are among them, as long as the engine has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, count, islice, product
from typing import Any

from reference_engine.probes import Probe
from reference_engine.probes.memory_search import Most
from reference_engine.probes.targets import MostWithin

from ..algebra import Function, Ge, Max, Min, Pow, floor
from ..claims import Kind
from ..errors import CatalogueError
from ..expressions.arithmetic import plain
from ..expressions.decide import positive
from ..expressions.exact import put_in
from ..expressions.polynomial import Polynomial
from ..expressions.rational import quotient
from ..formula import Formula
from ..models.attention import KINDS
from .comparison_at_places import cases_of as places_of
from .configurations import STANDARD, applying
from .engine_answers import Answered, answers, counted, miscounted, run_for
from .ledger_entries import Bent, Uncertifiable, far_out
from .letters import Config, conditions_of, in_parameters, probes_of, tied, tied_values
from .regions import excluded, facts_of
from .subjects import OFFERED, parameter

NUMBERS = (4, 1, 2)  # of what is gone through one by one
_SEARCHED = 20_000  # places of a grid among which one is looked for where formula and engine differ


@dataclass(frozen=True)
class Certificate:
    """The outcome of deciding a formula on one subject.

    Attributes:
        subject: whom the engine was asked about.
        runs: how often the engine was run to know what the answer is put together from.
        degrees: by parameter, the degree of what was compared.
        one_by_one: parameters of which the answer goes through as many as some numbers say, and compares each.
        counterexample: a configuration where formula and engine differ, or None.
    """

    subject: str
    runs: int
    degrees: dict[str, int]
    one_by_one: tuple[str, ...] = ()
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
    """A case of a claim: its expression for certain maxima and minima, and the relations under which these are it."""

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
    # from inside out, so that the relations of a case have no maxima themselves
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


def _contradict(new: tuple[Any, ...], old: tuple[Any, ...]) -> bool:
    """Whether one of some new relations cannot hold with another: what is at least 0 in each adds up to less."""
    gaps = [relation.lhs - relation.rhs for relation in (*new, *old)]
    pairs = ((one, other) for place, one in enumerate(gaps[: len(new)]) for other in gaps[place + 1 :])
    return any(positive(-(one + other)) for one, other in pairs)


def certify(formula: Formula) -> tuple[Certificate, ...]:
    """For each subject, decide the formula wherever its conditions hold.

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
    """Certificates of some formulas on one subject: the work of one process, say."""
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
    """Ask once on either side of what changes entries, so that what a run enters is known to all who ask then.

    Its ledger is looked at here too: what is found is the same for all questions about a subject.
    """
    miscounted(probe)
    for place in _EITHER_SIDE:
        counted(probe, dict(STANDARD[place]))


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


_Ties = tuple[tuple[Any, Any], ...]  # parameters that conditions leave no choice, and what they are
_Branches = tuple[Answered, ...]


class About:
    """A formula's question on one subject: the parameters that its conditions leave free, and what is answered there.

    Attributes:
        names: the parameters that are free.
    """

    def __init__(self, formula: Formula, probe: Probe) -> None:
        self.formula, self.probe = formula, probe
        self._ties = tuple(tied(formula, probe).items())
        self.names = _free(probe, self._ties)

    def config(self, values: Config) -> dict[str, Any]:
        """All parameters, from those that are free."""
        return {**values, **tied_values(self.formula, self.probe, values)}

    @cached_property
    def branches(self) -> _Branches:
        """The engine's answers, all where the conditions hold.

        Where something is gone through one by one, its number is a plain one, and they are those of several numbers.
        """
        given = conditions_of(self.formula, self.probe)
        stated = tuple(in_parameters(self.formula, self.probe, condition.relation) for condition in given)
        at = [tuple(config.items()) for config in self._alike()]
        found = _answers(self.probe, self._ties, stated, at[0])
        if any(branch.way.fixed for branch in found):
            found += tuple(chain(*(_answers(self.probe, self._ties, stated, place) for place in at[1:])))
        return found

    def _alike(self) -> Iterator[dict[str, Any]]:
        """Places where all parameters have few different values, and neighbours never the same."""
        for turn in range(len(NUMBERS)):
            numbers = {name: NUMBERS[(turn + place) % len(NUMBERS)] for place, name in enumerate(self.names)}
            yield self.config({name: _values(name, number)[-1] for name, number in numbers.items()})

    @property
    def places(self) -> Iterator[dict[str, Any]]:
        """Places where the formula may be asked, those first where it is compared."""
        yield from (dict(config) for config, *_ in places_of(self.formula, self.probe))
        yield from self._alike()
        yield from _beyond(self)

    def given(self, more: Iterable[str] = ()) -> dict[str, Polynomial]:
        """The probe's parameters as polynomials in those that are free, and in more letters."""
        return _given(self.probe, self._ties, (*self.names, *more))

    @property
    def one_by_one(self) -> frozenset[str]:
        """Parameters that are plain numbers on the way to the branches."""
        return frozenset(name for branch in self.branches for name in branch.way.fixed)


asking = lru_cache(maxsize=2**10)(About)


@lru_cache(maxsize=2**9)  # what is answered does not depend on what is claimed
def _answers(probe: Probe, ties: _Ties, stated: tuple[Any, ...], place: tuple[tuple[str, Any], ...]) -> _Branches:
    """The engine's answers in all branches where some relations hold."""
    names = _free(probe, ties)
    return answers(probe, _given(probe, ties, names), dict(place), [*facts_of(stated, names)])


def _free(probe: Probe, ties: _Ties) -> tuple[str, ...]:
    """The parameters of a probe that are left a choice."""
    taken = {symbol.name for symbol, _ in ties}
    return tuple(name for name in probe.parameters if name not in taken)


def _given(probe: Probe, ties: _Ties, names: tuple[str, ...]) -> dict[str, Polynomial]:
    """The parameters of a probe as polynomials in some letters."""
    known = {symbol.name: Polynomial.of(value, names) for symbol, value in ties}
    return {name: known.get(name) or Polynomial.letter(name, names) for name in probe.parameters}


def _values(name: str, number: int) -> list[int]:
    """So many values of a parameter, or all there are."""
    return list(islice(OFFERED.get(name, count(1)), number))


def sides_of(case: Case, about: About) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator of what the claim comes to; `CatalogueError` for a letter that the probe lacks."""
    unknown = sorted(symbol.name for symbol in case.expression.free_symbols if symbol.name not in about.names)
    if unknown:
        probe = about.probe
        raise CatalogueError(
            f"the claim depends on {', '.join(unknown)}, which {probe.name} of {probe.subject.name} does not take."
        )
    if (found := quotient(case.expression)) is None:
        raise Uncertifiable("the claim is no quotient of polynomials")
    over, under = (Polynomial.over(part, about.names) for part in found)
    return over, under


def _certified_for(formula: Formula, probe: Probe) -> Certificate:
    about = asking(formula, probe)
    try:
        degrees, counterexample = dict.fromkeys(about.names, 0), None
        for case, branch, ours, theirs in _compared(about):
            degrees = {name: max(by, ours.degree(name), theirs.degree(name)) for name, by in degrees.items()}
            # one pair that may meet and is not the same is enough: it is looked for there
            if (apart := ours.plus(theirs, -1)).terms:
                counterexample = _shown(about, case, branch, apart)
                break
    except Bent:  # then the engine itself says where the formula differs from it, if it does
        if (found := next(_contradicting(about), None)) is None:
            raise
        return Certificate(probe.subject.name, 0, {}, counterexample=found)
    # agreement nowhere is no proof
    if counterexample is None and next(filter(applying(formula, probe), about.places), None) is None:
        raise Uncertifiable(f"no place is known where its conditions hold for {probe.subject.name}")
    every = {entries for branch in about.branches for entries, _ in branch.rests_on}  # in no order
    through = tuple(name for name in (*probe.parameters, *probe.asks.fixed) if name in about.one_by_one)
    runs = sum(entries.runs for entries in every)
    return Certificate(probe.subject.name, runs, degrees, through, counterexample)


def _compared(about: About) -> Iterator[tuple[Case, Answered, Polynomial, Polynomial]]:
    """Each case with each branch that it meets, and the two polynomials that are the same if claim and answer are."""
    for case in cases_of(about.formula, about.probe):
        over, under = sides_of(case, about)
        stated = tuple(fact.gap for fact in facts_of(case.relations, about.names))
        for branch in about.branches:
            ours, theirs = over.times(branch.under), under.times(branch.over)
            apart = ours.plus(theirs, -1)
            # a case and a branch that do not meet say nothing of the claim
            if not apart.terms or excluded(branch.facts, stated, branch.there(apart)) is None:
                yield case, branch, ours, theirs


def _shown(about: About, case: Case, branch: Answered, apart: Polynomial) -> dict[str, Any]:
    """A configuration where formula and engine differ, as they do in a case and a branch where `apart` is not 0."""
    facts = (*branch.facts, *facts_of(case.relations, about.names))

    def are_there(values: Config) -> bool:
        point = tuple(plain(values[name]) for name in about.names)
        return bool(apart(point)) and all(fact.gap(point) >= 0 for fact in facts)

    # a polynomial that is 0 on a grid with one value more than its degree in each letter is 0: so on this one it is not
    grid = product(*(_values(name, apart.degree(name) + 1) for name in about.names))
    likely = (dict(zip(about.names, point, strict=True)) for point in islice(grid, _SEARCHED))
    searched = chain(map(about.config, filter(are_there, likely)), filter(are_there, about.places))
    for config in filter(applying(about.formula, about.probe, case.relations), searched):
        # the engine is run there and counts: what is shown to a reader rests on no polynomial of ours
        if not _differ(case, about, config):
            raise Uncertifiable("what the engine enters is not what its entries say")
        return config
    raise Uncertifiable("the engine's answer is another for some shapes, and no place is found where it is")


def _differ(case: Case, about: About, config: Config) -> bool:
    """Whether the claim and what the engine counts when it runs there are not the same."""
    point = tuple(config[name] for name in about.names)
    over, under = sides_of(case, about)
    return bool(over(point) != under(point) * run_for(about.probe, config))


def _contradicting(about: About) -> Iterator[dict[str, Any]]:
    """Places beyond those that are compared where the engine says something else than the claim."""
    for case in cases_of(about.formula, about.probe):
        admitted = filter(applying(about.formula, about.probe, case.relations), _beyond(about))
        yield from (config for config in admitted if _differ(case, about, config))


def _beyond(about: About) -> Iterator[dict[str, Any]]:
    """Places that lie farther out than those that are compared, first on all axes, then on one."""
    base = {name: _values(name, 2)[-1] for name in about.names}
    for turn in (0, 1):
        yield about.config({name: _values(name, 5 + (n + turn) % 2)[-1] for n, name in enumerate(about.names)})
    for name in about.names:
        if name not in OFFERED:
            yield about.config({**base, name: far_out(name, about.names)})


# What excuses a formula that is not decided for all shapes: it is compared only, and that is no fault


def excused(formula: Formula) -> str:
    """Why a formula cannot be decided for all shapes, where that is no fault: "" if nothing excuses it."""
    # where the first is not excused none is, and the others need not be written in parameters
    reasons = (
        _excused(in_parameters(formula, probe, formula.rhs)) for probe in probes_of(formula.measured_by, formula)
    )
    first = next(reasons, "")
    return first if first and all(reason == first for reason in reasons) else ""


def _excused(expression: Any) -> str:
    if any(power.exp.free_symbols for power in expression.atoms(Pow)):
        return "a letter stands in an exponent"
    if _rounds_a_root(expression):
        return "a root is rounded"
    return "a context is rounded down to whole runs" if _rounds_to_runs(expression) else ""


def _rounds_to_runs(expression: Any) -> bool:
    """Whether all that is rounded down is a context over the tokens of a run, both of which are parameters."""
    context, runs = parameter("context"), [parameter(name) for kind in KINDS for name in kind.lengths]
    rounded = expression.atoms(floor)
    return bool(rounded) and all(f.args[0] in [context / run for run in runs] for f in rounded)


def _rounds_a_root(expression: Any) -> bool:
    return any(
        power.exp.is_Rational and not power.exp.is_Integer for f in expression.atoms(floor) for power in f.atoms(Pow)
    )
