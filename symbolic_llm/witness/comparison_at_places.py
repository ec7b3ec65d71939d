"""Comparisons of a formula's prediction with the engine's count

A formula names a question. It is put to every subject that the formula is for, the letters get their values from the
same parameters, and both witnesses give an answer. Exact fractions are compared with `==`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from reference_engine.probes import QUESTIONS, Probe, patterns_of, probes, with_patterns
from reference_engine.probes.subjects import SUBJECTS, Subject

from ..algebra import Ge, Gt, Le, Lt
from ..architecture import Traits, lacking
from ..claims import Condition, Kind, same
from ..errors import CatalogueError, InvalidModel
from ..expressions.decide import above_zero, at_least_zero
from ..expressions.exact import exact, exactly
from ..formula import Formula
from ..models import Model
from ..models.formula_table import miscount, mismatch
from ..notation import LETTERS
from ..units import WEIGHT
from .configurations import Items, on_either_side, on_the_border, relations_of, standard, what_computes
from .decoders import model_of
from .engine_answers import counted
from .letters import Config, Values, admitted_by, all_hold, bound, in_parameters, probes_of, reading, traits_of
from .subjects import COUNTED


@dataclass(frozen=True)
class Comparison:
    """A question put to formula and engine, with both answers.

    Attributes:
        subject: to whom the engine put it.
        config: the parameters of the probe.
        predicted: what the formula says.
        measured: what the engine counts.
        equal: whether they agree.
    """

    subject: str
    config: Config
    predicted: Any
    measured: Any
    equal: bool


def breadth(formula: Formula) -> int:
    """Number of parameters of all questions about a formula: roughly, the time that it takes to compare it."""
    asked = (formula.measured_by, *(step.measured_by for step in formula.steps))
    with suppress(CatalogueError):  # it is met again, and named, where the formula is checked
        return sum(len(probe.parameters) for name in filter(None, asked) for probe in probes_of(name, formula))
    return 0


def guaranteed(relation: Any, formula: Formula) -> bool:
    """Whether an inequality holds whatever the parameters of the formula's probes are."""
    if not formula.measured_by or not isinstance(relation, Lt | Le | Gt | Ge):
        return False
    gap, holds = relation.gts - relation.lts, above_zero if isinstance(relation, Lt | Gt) else at_least_zero
    return all(holds(in_parameters(formula, probe, gap)) is True for probe in probes_of(formula.measured_by, formula))


def _predict(formula: Formula, probe: Probe, values: Values, expression: Any) -> Any:
    try:
        return exact(expression, values)
    except KeyError as missing:
        raise CatalogueError(
            f"{formula.name} depends on {missing.args[0]}, which {probe.name} of {probe.subject.name} does not take."
        ) from None


Case = tuple[dict[str, int | Fraction], Values, Any]  # a configuration, the letters' values, the engine's answer


class _Cases:
    """The cases of some configurations, each asked for once, when it is first needed: the first may tell enough."""

    def __init__(
        self, by: tuple[Formula, ...], conditions: tuple[Condition, ...], probe: Probe, configs: Iterable[Items]
    ) -> None:
        self._read, self._conditions = reading(by, probe), [exactly(condition.relation) for condition in conditions]
        self._probe, self._configs = probe, configs
        self._known: dict[Items, Case | None] = {}

    def __iter__(self) -> Iterator[Case]:
        asked: set[Items] = set()
        for given in map(dict, self._configs):
            items = tuple((name, given[name]) for name in self._probe.parameters)
            if items in asked:
                continue
            asked.add(items)
            if items not in self._known:
                self._known[items] = self._case(dict(items))
            if (case := self._known[items]) is not None:
                yield case

    def _case(self, config: dict[str, int | Fraction]) -> Case | None:
        """None where the conditions do not admit it."""
        if not all_hold(self._conditions, values := self._read(config)):
            return None
        return config, values, counted(self._probe, config)


_cases = lru_cache(maxsize=512)(_Cases)


def comparisons(formula: Formula, configs: Iterable[Config] | None = None) -> list[Comparison]:
    """The formula beside the engine for each configuration its conditions admit, equal questions once."""
    return list(compared(formula, configs))


def compared(formula: Formula, configs: Iterable[Config] | None = None) -> Iterator[Comparison]:
    """Comparisons one by one, for callers that stop at the first difference."""
    given = None if configs is None else tuple(tuple(config.items()) for config in configs)
    for probe in probes_of(formula.measured_by, formula) if formula.measured_by else ():
        yield from compared_with(formula, probe, given)


def compared_with(formula: Formula, probe: Probe, given: tuple[Items, ...] | None = None) -> Iterator[Comparison]:
    """The comparisons of a formula with one probe that it names."""
    for case in cases_of(formula, probe, given):
        if (comparison := _compared(formula, probe, *case, formula.statement.agrees)) is not None:
            yield comparison


def compared_elsewhere(formula: Formula, probe: Probe, given: tuple[Items, ...] | None = None) -> Iterator[Comparison]:
    """The comparisons with a probe that it does not name: of an approximation the error alone is looked at."""
    for case in cases_of(formula, probe, given):
        if (comparison := _compared(formula, probe, *case, formula.statement.agrees_elsewhere)) is not None:
            yield comparison


def cases_of(formula: Formula, probe: Probe, given: tuple[Items, ...] | None = None) -> Iterator[Case]:
    """Cases in which a formula is compared with a probe: configuration, values of letters, the engine's count.

    If no configurations are given, it is asked for each of its answers that none of the standard ones brought, and on
    the border between two.
    """
    ask = partial(
        _asked, formula, probe, frozenset(formula.statement.symbols) - {formula.quantity}, relations_of(formula)
    )
    seen = list[Case]()
    for case in ask(given):
        seen.append(case)
        yield case
    if given is None and (answers := formula.statement.answers):
        heard = {measured for _, _, measured in seen}
        sides = on_either_side(formula, probe) if len(heard) < len(answers) else ()
        for case in ask((*sides, *on_the_border(formula, probe))):
            if all(case[0] != config for config, _, _ in seen):
                seen.append(case)
                yield case


def _asked(
    formula: Formula,
    probe: Probe,
    stated: frozenset[Any],
    relations: tuple[Any, ...],
    given: tuple[Items, ...] | None = None,
) -> Iterator[Case]:
    """The cases of given configurations that have all parameters of the probe, or of the standard ones.

    Left out are those where what is `stated` has no value.
    """
    by, taken = bound(formula, probe), set(probe.parameters)
    configs: Iterable[Items]
    if given is None:
        configs = standard(what_computes(by, relations), relations, probe)
    else:
        configs = tuple(config for config in given if taken <= dict(config).keys())
    for case in _cases(by, formula.conditions, probe, configs):
        if not _is_undefined(stated, by, case[1]):
            yield case


def _is_undefined(stated: frozenset[Any], by: tuple[Formula, ...], values: Values) -> bool:
    """Whether a letter has no value because the formula that counts it does not apply here: a condition fails."""
    if values.keys() >= stated:
        return False
    without = {one.quantity: one for one in by if one.quantity not in values}
    for symbol in stated & without.keys():
        one = without[symbol]
        if not admitted_by(one.conditions, values) or _is_undefined(frozenset(one.rhs.free_symbols), by, values):
            return True
    return False


def _compared(
    formula: Formula, probe: Probe, config: Config, values: Values, measured: Any, agrees: Callable[..., bool]
) -> Comparison | None:
    """None where an implication says nothing, because what it presupposes does not hold."""
    claim, at = formula.statement, partial(_predict, formula, probe, values)
    if not claim.speaks(at):
        return None
    predicted = claim.outcome(at)
    return Comparison(probe.subject.name, config, predicted, measured, agrees(predicted, measured, at))


def compare_step(formula: Formula, index: int) -> list[Comparison]:
    """Comparisons of what one step brings in with the measurement that it names, on the standard configurations."""
    return list(compared_step(formula, index))


def compared_step(formula: Formula, index: int) -> Iterator[Comparison]:
    """Comparisons of a step one by one."""
    step = formula.steps[index]
    brought = step.brings.rhs if isinstance(step.brings, Formula) else step.brings
    for probe in probes_of(step.measured_by, formula):
        relations = tuple(condition.relation for condition in formula.conditions)
        for config, values, measured in _asked(formula, probe, frozenset(brought.free_symbols), relations):
            predicted = _predict(formula, probe, values, brought)
            yield Comparison(probe.subject.name, config, predicted, measured, same(predicted, measured))


def measuring(letter: object) -> tuple[str, ...]:
    """The questions that measure a letter, for decoders of any kind."""
    return tuple(name for name, question in QUESTIONS.items() if question.quantity == str(letter))


# Patterns in the name of a question
#
# `decode.flops[*.scores, *.sofmax]` counts the scores alone, and says nothing of the misprint. So every pattern has to
# change what is counted, in one configuration at least where formula and engine were compared.


def idle(name: str, found: Iterable[Comparison]) -> str:
    """The first pattern of a question that counts nothing, or leaves nothing out, wherever it was asked; "" if none.

    A pattern that counts is asked by itself, one that leaves out beside the question without it.
    """
    patterns, places = patterns_of(name), [(one.subject, one.config) for one in found]
    left_out = tuple(pattern for pattern in patterns if pattern.startswith("!"))
    for pattern in patterns:
        if pattern in left_out:
            one, other = name, with_patterns(name, tuple(each for each in patterns if each != pattern))
        else:
            one, other = with_patterns(name, (pattern, *left_out)), ""
        asked, beside = _by_subject(one), _by_subject(other)
        differ = (
            counted(asked[subject], config) != (counted(beside[subject], config) if other else 0)
            for subject, config in places
        )
        if not any(differ):
            return pattern
    return ""


def _by_subject(name: str) -> Mapping[str, Probe]:
    """The probes of a question by the names of their subjects."""
    return {probe.subject.name: probe for probe in probes(name)}


# Of whom a formula speaks
#
# A question is put to some kinds of decoders, or to the one that a formula names. Yet a formula answers for every model
# that has its traits and its letters. So it is compared at two places more for each kind of decoder that it would
# answer for and that its question is not put to: a claim of all decoders whose witness is one of them does not stand.


_NOTHING_SAID = (CatalogueError, KeyError, ZeroDivisionError)  # a letter or a count of its has no value there
_PLACES, _LARGE = 2, 97
# One for every trait but those of compressed runs, whose streams are mixed by products that no formula counts, and of
# blocks that borrow, which are three in the engine's decoder
_KINDS = ("llama", "experts", "mixed", "windowed", "twofold", "hybrid", "latent", "picked", "narrow")


def beyond(formula: Formula) -> Iterator[Comparison]:
    """Comparisons that show a formula wrong for a kind of decoder that it answers for and its question leaves out.

    These are one for each trait that none of its subjects has and, where it names a subject, all to whom its question
    is put otherwise. Of heads and ops there are no such kinds.
    """
    for who in beside(formula):
        ways = [(probe, [*_first(formula, probe)]) for probe in who]
        if all(one.equal for _, found in ways for one in found):
            continue  # it is right of them, whether it answers for such models or not
        answered = [found for probe, compared in ways if (found := [*_of_models(formula, probe, compared)])]
        if answered and not any(all(one.equal for one in found) for found in answered):
            yield next(one for one in answered[0] if not one.equal)


def beside(formula: Formula) -> Iterator[tuple[Probe, ...]]:
    """The probes of those kinds, each with that of who stands for one where it reads a prompt."""
    if not formula.measured_by or _counts_weights(formula):
        return
    asked = probes_of(formula.measured_by, formula)
    if not all(_is_whole(probe.subject) for probe in asked):
        return
    subject, _, question = formula.measured_by.rpartition("/")
    fixed = {name for probe in asked for name in probe.asks.fixed if name in probe.subject.shape}
    others = _others(question, subject) if subject else ()
    shared_out = any("devices" in probe.subject.shape for probe in asked)
    left_out = () if shared_out else _left_out(asked, formula.traits)
    for kind in dict.fromkeys((*others, *left_out)):
        if fixed <= {*SUBJECTS[kind].shape}:  # not one block, where there have to be several
            found = (probe for way in _ways(kind) for probe in probes(f"{way}/{question}"))
            yield tuple(probe for probe in found if not lacking(formula.traits, traits_of(probe.subject)))


def _counts_weights(formula: Formula) -> bool:
    """Whether it counts weights: it is for models that have such a part, and of a whole their own count is told."""
    symbol = formula.quantity
    return symbol is not None and LETTERS[symbol].unit == WEIGHT and not LETTERS[symbol].varies


def _is_whole(subject: Subject) -> bool:
    return subject.name in COUNTED


def _ways(kind: str) -> tuple[str, ...]:
    """A kind of decoder, and who stands for it where it reads a prompt."""
    return tuple(filter(None, (kind, SUBJECTS[kind].prompts_as)))


def _others(question: str, subject: str) -> Iterator[str]:
    """The subjects of a question but for the one that is named."""
    for probe in probes(question):
        if _is_whole(probe.subject) and subject not in _ways(probe.subject.name):
            yield probe.subject.name


def _left_out(asked: tuple[Probe, ...], traits: Traits) -> Iterator[str]:
    """A kind of decoder for each trait that a formula is for and that no subject of its question has."""
    seen = frozenset[object]().union(*(traits_of(probe.subject) for probe in asked))
    for kind in _KINDS:
        if (has := traits_of(SUBJECTS[kind])) - seen and not lacking(traits, has):
            seen |= has
            yield kind


def _first(formula: Formula, probe: Probe) -> Iterator[Comparison]:
    """The first comparisons with a probe."""
    with suppress(*_NOTHING_SAID):
        first = list(islice(compared_elsewhere(formula, probe), _PLACES))
        far = _far_out(probe, first) if formula.kind is Kind.APPROXIMATION else ()
        yield from (*first, *compared_elsewhere(formula, probe, tuple(far)))


def _of_models(formula: Formula, probe: Probe, found: list[Comparison]) -> Iterator[Comparison]:
    """The comparisons with decoders that are built as a model for which the formula answers."""
    with suppress(*_NOTHING_SAID):
        yield from (one for one in found if not _refused(formula, probe, one.config))


def _far_out(probe: Probe, first: list[Comparison]) -> Iterator[Items]:
    """Configurations with one large shape each: an error may stay within its bound as long as all are small."""
    for one in first[:1]:
        for name in probe.subject.shape:
            yield tuple({**one.config, name: _LARGE}.items())


@lru_cache(maxsize=2**10)
def _model(subject: Subject, shape: tuple[tuple[str, int | Fraction], ...]) -> Model | None:
    config = subject.config(dict(shape), n_bytes=Fraction(4), n_bytes_kv=Fraction(4))
    try:
        return model_of(config, subject.name)
    except InvalidModel:  # no model has such blocks, so nothing is said of one
        return None


def _refused(formula: Formula, probe: Probe, config: Config) -> bool:
    """Whether the formula would not answer for a model that is built as the decoder is."""
    given = {**config, **probe.asks.fixed}
    shape = tuple((name, given[name]) for name in probe.subject.shape)
    if (model := _model(probe.subject, shape)) is None:
        return True
    unlike = mismatch(formula, model.name, model.traits, model.picked)
    return bool(unlike or miscount(formula, model.name, model.counted_as) or model.uncounted(formula))
