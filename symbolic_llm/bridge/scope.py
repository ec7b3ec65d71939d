"""Of whom a formula speaks: of every kind of decoder for which it answers, so these are asked too

A question is put to some kinds of decoders, or to the one that a formula names. Yet a formula answers for every model
that has its traits and its letters. So it is compared at two places more for each kind of decoder that it would answer
for and that its question is not put to: a claim of all decoders whose witness is one of them does not stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from reference_engine.probes import Probe, probes
from reference_engine.probes.subjects import SUBJECTS, Subject

from ..architecture import Traits, lacking
from ..claims import Kind
from ..errors import CatalogueError, InvalidModel
from ..formula import Formula
from ..models import Model
from ..models.choices import miscount, mismatch
from ..notation import LETTERS
from ..units import WEIGHT
from .admitted import Items
from .comparison import Comparison, compared_elsewhere, probes_of
from .decoders import model_of
from .letters import Config, traits_of
from .wholes import COUNTED

_NOTHING_SAID = (CatalogueError, KeyError, ZeroDivisionError)  # a letter or a count of its has no value there
_PLACES, _LARGE = 2, 97
# One for every trait but those of compressed runs, whose streams are mixed by products that no formula counts, and of
# blocks that borrow, which are three in the engine's decoder
_KINDS = ("llama", "experts", "mixed", "windowed", "twofold", "hybrid", "latent", "picked", "narrow")


def beyond(formula: Formula) -> Iterator[Comparison]:
    """Where the formula is wrong of a kind of decoder that it answers for and that its question leaves out.

    These are one for each trait that none of its subjects has and, where it names a subject, all to whom its question
    is put otherwise. Of heads and ops there are no such kinds.
    """
    for who in beside(formula):
        ways = [found for probe in who if (found := [*_first(formula, probe)])]
        if ways and not any(all(one.equal for one in found) for found in ways):
            yield next(one for one in ways[0] if not one.equal)


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
    """One kind for each trait that none of those has to whom a question is put, and that a formula is for."""
    seen = frozenset[object]().union(*(traits_of(probe.subject) for probe in asked))
    for kind in _KINDS:
        if (has := traits_of(SUBJECTS[kind])) - seen and not lacking(traits, has):
            seen |= has
            yield kind


def _first(formula: Formula, probe: Probe) -> Iterator[Comparison]:
    """The first comparisons with a probe, if the formula answers for such a model."""
    with suppress(*_NOTHING_SAID):
        first = list(islice(compared_elsewhere(formula, probe), _PLACES))
        far = _far_out(probe, first) if formula.kind is Kind.APPROXIMATION else ()
        for one in (*first, *compared_elsewhere(formula, probe, tuple(far))):
            if not _refused(formula, probe, one.config):
                yield one


def _far_out(probe: Probe, first: list[Comparison]) -> Iterator[Items]:
    """Where one shape after the other is large: an error may be within its bound as long as all are small."""
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
