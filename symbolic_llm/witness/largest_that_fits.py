"""Rounded counts of memory and time, as relations without rounding: the largest number that fits

A formula rounds down because the engine fills memory with whole sequences or tokens. That its value is the largest
that fits is this: for every whole number n, n is at most the value before rounding exactly if what n holds is at most
the memory. What n holds is `footprint`, which is decided for all shapes; the relation between the two is for solvers.
Of a batch that meets a target the same is asked, with a time in place of what it holds. Where memory and both times
count, it is asked in the letters of what each allows, since each has a formula of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reference_engine.probes.device_memory import MostOnDevices
from reference_engine.probes.memory_search import Most, MostBeside
from reference_engine.probes.offloading import MostLayers
from reference_engine.probes.targets import MostWithin
from reference_engine.probes.time_measures import Time

from ..algebra import Add, Le, Max, Min, floor
from ..architecture import Trait, Traits
from ..catalogue.named import (
    batch_computed_in_time,
    batch_read_in_time,
    compute_time_with_attention,
    footprint,
    footprint_beside_reserve,
    footprint_per_device,
    latency_with_cache,
    memory_time_with_cache,
    sequences_that_fit,
)
from ..claims import Equivalence, Kind
from ..formula import Formula
from ..models.formula_table import chosen
from ..notation import (
    LETTERS,
    B,
    M,
    M_layer,
    M_seq,
    N_fit,
    T_target,
    m_local,
    m_token,
    n_movable,
    n_near,
    n_stages,
)
from ..numeral import valued
from ..steps import premise, rewrite
from .letters import probes_of, traits_of

_OF_ALL = tuple(one.quantity for one in (sequences_that_fit, batch_read_in_time, batch_computed_in_time))


def rounds(formula: Formula) -> bool:
    """Whether it counts what fits, so that it rounds down."""
    counts = formula.kind in (Kind.IDENTITY, Kind.LAW) and bool(formula.measured_by)
    return counts and _answer(formula) is not None


def _answer(formula: Formula) -> Most | MostWithin | None:
    found = probes_of(formula.measured_by, formula)[0].asks.answer
    return found if isinstance(found, Most | MostWithin) else None


def statements(formula: Formula) -> Iterator[Formula]:
    """The theorems that make up its claim, one for each way in which blocks attend; none where it rounds otherwise."""
    answer = _answer(formula)
    assert answer is not None, "only what fills memory or time is asked about"
    number, limit = B, None
    if isinstance(answer, MostLayers):
        number = n_near
    elif isinstance(answer, Most):
        number, limit = (_letter(name) for name in (answer.of_what, answer.limit))
    value = valued(formula.rhs)
    before = _unrounded(value, limit)
    if isinstance(answer, MostWithin) and answer.in_memory:  # letters that their own formulas prove to be the largest
        ways = [Max(*(number - one for one in _OF_ALL))]
    elif N_fit in value.free_symbols:  # and so is this
        ways = [number - N_fit]
    elif isinstance(answer, MostWithin):
        ways = [valued(_time(answer).rhs) - T_target]
    elif isinstance(answer, MostBeside):
        ways = [valued(footprint_beside_reserve.rhs) - M]
    elif isinstance(answer, MostLayers):
        ways = [valued(footprint.rhs) - (n_movable - number) * M_layer - M]
    elif isinstance(answer, MostOnDevices):
        ways = [valued(footprint_per_device.rhs) - n_stages * M]
    else:
        every = dict.fromkeys(traits_of(probe.subject) for probe in probes_of(formula.measured_by, formula))
        kept = (_kept(traits) if answer.of_what == "context" else {} for traits in every)
        ways = list(dict.fromkeys(valued(footprint.rhs.xreplace(one)) - M for one in kept))
    for beyond in ways:
        # both gaps are at most 0 where the larger one is
        fits = Le(beyond if limit is None else Max(beyond, number - limit), 0, evaluate=False)
        counts = Le(number, before, evaluate=False)
        yield replace(
            formula,
            claim=Equivalence(counts, fits),
            kind=Kind.THEOREM,
            where=formula.conditions,
            uses=(),
            steps=(premise(counts, "so many are counted"), rewrite(fits, "so many fit")),
            measured_by="",
            unmeasured="the engine fills memory and time one by one",
        )


def _time(answer: MostWithin) -> Formula:
    """The formula of the time that has to be within the target."""
    if isinstance(answer.time, Time):
        return latency_with_cache
    return memory_time_with_cache if "bandwidth" in answer.time.needs else compute_time_with_attention


def _letter(name: str) -> Any:
    return next((symbol for symbol, letter in LETTERS.items() if name and letter.engine == name), None)


def _kept(traits: Traits) -> dict[Any, Any]:
    """Bytes that such models keep of a sequence, in letters; of windows alone, in the bytes of a token."""
    kept = next(one.rhs for one in chosen(traits) if one.quantity == M_seq)
    return {M_seq: kept.xreplace({m_local: m_token}) if Trait.WINDOWED in traits else kept}


def _unrounded(value: Any, limit: Any) -> Any:
    """The value before it was rounded down: a whole number is at most the one exactly if it is at most the other.

    `ValueError` for a value that is not rounded, or not as a whole: of the smaller of it and a limit both may be.
    """

    def at_most_limit(counted: Any) -> Any:
        # the smaller of two is their sum without the larger
        return counted if limit is None else counted + limit - Max(counted, limit)

    if isinstance(value, Min) and all(one.is_Symbol for one in value.args):
        return value
    rounded = value.atoms(floor) or value.free_symbols & {N_fit}
    for whole in rounded if len(rounded) == 1 else ():
        before = whole.args[0] if isinstance(whole, floor) else whole
        # the rounding is all of the value but the limit: of a rounding inside a sum the whole numbers would be others
        if value == at_most_limit(whole):
            return _smaller(at_most_limit(before))
    if limit is not None and not rounded and value == limit:
        return limit
    raise ValueError("it does not round down what fits")


def _smaller(value: Any) -> Any:
    """A minimum in the place of two numbers' sum without the larger: solvers find it easier."""
    sums = {Add(*two.args) - two: two for two in value.atoms(Max) if len(two.args) == 2}  # of three it is no minimum
    return Min(*sums[value].args, evaluate=False) if value in sums else value
