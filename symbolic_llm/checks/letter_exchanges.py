"""Exchanges of letters: every letter of a measured formula, replaced by every other letter of its unit

The question is whether another letter would be noticed. Letters that the engine's decoders tie to each other cannot be
told apart by counting: a cache that is written with n_heads is right wherever every head has keys of its own. So each
exchange has to be rejected, or the two letters have to be one number for all subjects of the formula, because a formula
of the catalogue says so.

What a formula comes to with another letter is known where it was compared, without the formula being written. That
settles nearly all exchanges. The few that come to the same everywhere are written down and checked as formulas are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from ..algebra import cancel, together
from ..architecture import Traits
from ..claims import same
from ..errors import CatalogueError
from ..expressions.arithmetic import Inexact, NoRoot
from ..expressions.exact import exact, put_in
from ..formula import Formula
from ..unevaluated import Eq
from ..witness.certificate_for_all_shapes import certifiable, certify
from ..witness.comparison_at_places import cases_of, compared
from ..witness.largest_that_fits import rounds
from ..witness.ledger_entries import Uncertifiable
from ..witness.letters import Values, are_one, bound, exchangeable, in_parameters, probes_of, traits_of
from .dimensions import fault_of_claim
from .engine import contradicted
from .rounding import check_rounding
from .verdict import Verdict

_NO_VALUE = (Inexact, NoRoot, ZeroDivisionError, ValueError)  # what is counted is rational, so nothing is equal to it


@dataclass(frozen=True)
class Exchange:
    """A letter of a formula, and another of its unit that is written in its place."""

    formula: Formula
    letter: Any
    other: Any

    def __str__(self) -> str:
        return f"{self.other} for {self.letter}"

    @property
    def written(self) -> Formula:
        """The formula with the other letter; `CatalogueError` if such a one cannot be written."""
        claim = Eq(self.formula.quantity, put_in(self.formula.rhs, {self.letter: self.other}), evaluate=False)
        return replace(self.formula, claim=claim)

    def value(self, place: Place) -> Any:
        """Value of the other letter at a place; None if nothing computes it there."""
        return place.values.get(self.other)


@dataclass(frozen=True, eq=False)
class Place:
    """A place where a formula was compared: the subject's traits, the values of letters, and the engine's count.

    Attributes:
        described: letters that are computed by the formulas that describe the subject, wherever these apply.
    """

    traits: Traits
    values: Values
    described: frozenset[Any]
    measured: Any


def exchanges(formula: Formula) -> Iterator[Exchange]:
    """Exchanges of every letter of the right-hand side for every letter of its unit that is not there.

    Where every position of a prompt is asked for logits, those with logits are the prompt: there it is one letter.
    """
    for letter, others in exchangeable(formula).items():
        for other in others:
            if not are_one(formula, letter, other):
                yield Exchange(formula, letter, other)


def unnoticed(formula: Formula, exchanged: Callable[[Formula], Iterable[Exchange]] = exchanges) -> list[Exchange]:
    """The exchanges that nothing rejects and no formula makes harmless."""
    # one place settles most exchanges; only those that it leaves need the others
    first, others = places(formula, 0, 1), _Lazily(places(formula, 1))
    asked = (one for one in exchanged(formula) if not _told(one, first, others))
    return [one for one in asked if not (equal_by(one) or rejected(one))]


def _told(one: Exchange, first: Iterable[Place], others: Iterable[Place]) -> bool:
    """Whether values reject an exchange, most of them at the first places, or the exchange has a value nowhere.

    An exchange without any value is about no decoder.
    """
    return (at_first := told(one, first)) or (later := told(one, others)) or at_first is later is None


def places(formula: Formula, start: int, stop: int | None = None) -> Iterable[Place]:
    """Places where a formula is compared with each subject, from number `start` to before `stop`; the first is 0."""
    made = (one for probe in probes_of(formula.measured_by, formula) for one in _places(formula, probe, start, stop))
    return made if stop is None else list(made)


class _Lazily:
    """Places that are made when they are first needed, and kept."""

    def __init__(self, coming: Iterable[Place]) -> None:
        self._coming, self._known = iter(coming), list[Place]()

    def __iter__(self) -> Iterator[Place]:
        yield from self._known
        for place in self._coming:
            self._known.append(place)
            yield place


def _places(formula: Formula, probe: Any, start: int, stop: int | None) -> Iterator[Place]:
    described = frozenset(one.quantity for one in bound(formula, probe))
    for _, values, measured in islice(cases_of(formula, probe), start, stop):
        yield Place(traits_of(probe.subject), values, described, measured)


def told(exchange: Exchange, places: Iterable[Place]) -> bool | None:
    """Whether the formula with the other letter differs from a count at some place; None if that letter has no value.

    True also where no formula counts the other letter. It has no value where a condition fails of the formula that
    counts it.
    """
    rhs, letter, other, found = exchange.formula.rhs, exchange.letter, exchange.other, None
    for place in places:
        if (value := exchange.value(place)) is None:
            if other in place.described:  # a condition fails here, and elsewhere it has a value
                continue
            # a letter that nothing computes here is no count of this decoder's: whoever writes it cannot evaluate the
            # formula
            return True
        try:
            if not same(exact(rhs, {**place.values, letter: value}), place.measured):
                return True
        except (KeyError, *_NO_VALUE):  # or it has a letter that is not given here, which the check beside it says
            return True
        found = False
    return found


def rejected(exchange: Exchange) -> bool:
    """Whether units, the engine or a certificate reject the formula with the other letter, or it can say nothing."""
    try:
        formula = exchange.written
        if fault_of_claim(formula) or contradicted(formula) or next(compared(formula), None) is None:
            return True
        if rounds(formula):
            return check_rounding(formula).verdict is not Verdict.PROVED
        return certifiable(formula) and not all(certificate.holds for certificate in certify(formula))
    except (CatalogueError, Uncertifiable, *_NO_VALUE):
        return True


def _tying(exchange: Exchange, probe: Any) -> list[str]:
    """Conditions, in words, that make two letters one number; none where the decoder does so without them."""
    # without its own conditions: if the letters differ then, it is these that tie them
    free = replace(exchange.formula, where=())
    one, instead = (in_parameters(free, probe, asked) for asked in (exchange.letter, exchange.other))
    return [c.sentence for c in exchange.formula.where] if cancel(together(one - instead)) != 0 else []


def equal_by(exchange: Exchange) -> tuple[str, ...]:
    """Formulas or conditions that make the two letters one number for every subject; none where nothing does."""
    formula, letter, other = exchange.formula, exchange.letter, exchange.other
    said: dict[str, None] = {}
    for probe in probes_of(formula.measured_by, formula):
        one, instead = (in_parameters(formula, probe, asked) for asked in (letter, other))
        known = {symbol.name for symbol in one.free_symbols | instead.free_symbols} <= set(probe.parameters)
        by = [f.name for f in bound(formula, probe) if f.quantity in (letter, other)] or _tying(exchange, probe)
        if not by or not known or cancel(together(one - instead)) != 0:
            return ()
        said |= dict.fromkeys(by)
    return tuple(said)
