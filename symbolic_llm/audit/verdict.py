"""Verdicts on claims: each figure is computed anew, and its verdict follows from that"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Self

from ..algebra import cancel, nan, zoo
from ..api import formula_of
from ..errors import CatalogueError, SymbolicLLMError, shown
from ..expressions.printing import text
from ..notation import LETTERS
from ..numeral import valued
from ..quantity import Quantity
from ..units import ONE, Unit
from .claim import Claim, Claims, causes, named_error
from .counterexample import Counterexample, counterexample
from .language import bounded, equation_of, value_of
from .printed import Printed, read_printed

_BINARY_UNITS = "binary-units"


class Meant(Enum):
    """Words of verdicts, each with its meaning."""

    meaning: str

    def __new__(cls, word: str, meaning: str) -> Self:
        """A verdict whose value is the word."""
        one = object.__new__(cls)
        one._value_, one.meaning = word, meaning
        return one


class Verdict(Meant):
    """Verdict on a printed figure that was computed anew."""

    REPRODUCED = "reproduced", "the computed figure agrees to the printed digits"
    UNSTATED = (
        "reproduced under unstated inputs",
        "the computed figure agrees with inputs that the source does not state and that are named here",
    )
    CUT_OFF = "cut off, not rounded", "the digits agree, but the number was cut off instead of rounded"
    ASSUMED = (
        "under another assumption",
        "the computed figure differs, and an assumption that the source itself states gives the printed one",
    )
    REFUTED = "refuted", "the computed figure differs, and a known mistake gives the printed one"
    NOT_REPRODUCIBLE = (
        "not reproducible",
        "the computed figure differs, and no known mistake gives the printed one",
    )
    CONTRADICTS_ITSELF = (
        "contradicts itself",
        "the source prints two figures for one quantity, and this one does not agree",
    )
    OBSERVATION = (
        "observation",
        "a measurement or a figure of a data sheet, shown beside another value and not judged",
    )


RIGHT = (Verdict.REPRODUCED, Verdict.UNSTATED, Verdict.CUT_OFF)  # the digits are those of the formula


@dataclass(frozen=True)
class Judgement:
    """Result of the check of a claim.

    Attributes:
        claim: the claim that was checked.
        verdict: what follows from the values.
        value: what the printed figure should come to; None of an equation.
        cause: what the named mistake comes to; None where none is named.
        binary: the printed figure with GB read as GiB, where it comes out only so.
        ratio: of an equation, how much larger what is printed is than what is true, in letters; 1 if they agree.
        differs: of a refuted equation, small numbers at which both sides differ; None where none were found.
    """

    claim: Claim
    verdict: Verdict
    value: Quantity | None = None
    cause: Quantity | None = None
    binary: Printed | None = None
    ratio: Any = None
    differs: Counterexample | None = None

    @property
    def sentence(self) -> str:
        """The verdict with the figures it follows from."""
        if self.claim.equation:
            if self.ratio == 1:
                return "the same as " + self.claim.formula
            unit = _unit_of(self.ratio)
            wrong = f", and the unit is wrong too: {unit} too much" if unit != ONE else ""
            return f"{text(self.ratio)} times {self.claim.formula}{wrong}"
        if self.value is None:
            return "measured; no formula gives a figure for it"
        what = "assumption" if self.verdict is Verdict.ASSUMED else "mistake"
        mistaken = f"; the {what} gives {self.beside(self.cause)}" if self.cause is not None else ""
        unstated = f", with {self.unstated}" if self.unstated else ""
        return f"{self.beside(self.value)}{unstated}{mistaken}"

    @property
    def unstated(self) -> str:
        """Inputs that the value rests on and the source does not state, in words."""
        if self.binary is None:
            return self.claim.unstated
        units = f"{read_printed(self.claim.printed).behind} read as {self.binary.behind}"
        return f"{self.claim.unstated}, and {units}" if self.claim.unstated else units

    @property
    def factor(self) -> Quantity | None:
        """Factor by which the printed figure or equation is too large; None where that is no number."""
        if self.claim.equation:
            return Quantity(Fraction(int(self.ratio.p), int(self.ratio.q))) if self.ratio.is_Rational else None
        found = None if self.value is None else read_printed(self.claim.printed).over(self.value)
        return None if found is None else Quantity(found)

    def beside(self, value: Quantity) -> str:
        """A value as it is read beside the printed figure."""
        return (self.binary or read_printed(self.claim.printed)).beside(value)


def check(claim: Claim, among: Claims | None = None) -> Judgement:
    """Compute a claim anew and return the judgement on it.

    Args:
        claim: the claim.
        among: the claims of its source, for one that contradicts another.

    Raises:
        SymbolicLLMError: with file, line and what is wrong: an expression that is none, a unit that does not fit, or a
            cause that does not give the printed figure.
    """
    key = shown(among.file) if among and among.file else "the claim"
    try:
        return _equation(claim) if claim.equation else _figure(claim, among)
    except SymbolicLLMError as error:
        raise named_error(claim, key, error) from None


def check_all(claims: Claims) -> tuple[Judgement, ...]:
    """Judgements on the claims of a source, in its order; errors as those of `check`."""
    return tuple(check(claim, claims) for claim in claims.claims)


def _figure(claim: Claim, among: Claims | None) -> Judgement:
    printed = read_printed(claim.printed)
    if claim.observed and claim.contradicts:
        return Judgement(claim, _printed_differently(claim, printed, among))
    if not claim.value:
        return Judgement(claim, Verdict.OBSERVATION)
    value = value_of(claim.value)
    cause = value_of(claim.because) if claim.because else None
    if cause is not None and not printed.allows(cause) and not printed.is_cut_off(cause):
        raise CatalogueError(f"because gives {cause}, not {claim.printed}, so the cause does not explain the figure.")
    if cause is not None and printed.allows(value):
        raise CatalogueError(f"value gives {value}, as printed, so there is no mistake to name as cause.")
    verdict = _verdict(claim, printed, value, cause, among)
    if verdict is not Verdict.NOT_REPRODUCIBLE and claim.cause != _BINARY_UNITS:
        return Judgement(claim, verdict, value, cause)
    binary = None if among and among.decimal else printed.binary
    if binary is None or not binary.allows(value):
        return Judgement(claim, verdict, value, cause)
    if cause is not None:
        raise CatalogueError(
            f"value gives {binary.beside(value)}, so {printed.behind} must mean that here, and no cause is needed."
        )
    return Judgement(claim, Verdict.UNSTATED, value, binary=binary)


def _verdict(claim: Claim, printed: Printed, value: Quantity, cause: Quantity | None, among: Claims | None) -> Verdict:
    if claim.observed:
        printed.allows(value)  # for its unit alone
        return Verdict.OBSERVATION
    if claim.contradicts:
        other = _other(claim, among)
        if value_of(other.value).value != value.value or read_printed(other.printed).number == printed.number:
            raise CatalogueError(f"contradicts needs {other.id} to have the same value and another printed figure.")
        return Verdict.CONTRADICTS_ITSELF if not printed.allows(value) else Verdict.REPRODUCED
    if printed.allows(value):
        return Verdict.UNSTATED if claim.unstated else Verdict.REPRODUCED
    if printed.is_cut_off(value) and cause is None:  # a cause that is known is the better one
        return Verdict.CUT_OFF
    if cause is None:
        return Verdict.NOT_REPRODUCIBLE
    known = causes().get(claim.cause)
    return Verdict.ASSUMED if known is not None and known.kind == "assumption" else Verdict.REFUTED


def _printed_differently(claim: Claim, printed: Printed, among: Claims | None) -> Verdict:
    """Verdict on a measurement that its source prints twice, differently.

    There is no value to hold either figure against.
    """
    other = _other(claim, among)
    again = read_printed(other.printed)
    if not other.observed or again.unit != printed.unit or again.number == printed.number:
        raise CatalogueError(
            f"contradicts needs {other.id} to be a measurement in the same unit with another printed figure."
        )
    return Verdict.CONTRADICTS_ITSELF


def _other(claim: Claim, among: Claims | None) -> Claim:
    if among is None:
        raise CatalogueError("contradicts names a claim, but this claim is judged without the others of its file.")
    return among[claim.contradicts]


def _equation(claim: Claim) -> Judgement:
    printed, formula = equation_of(claim.equation), formula_of(claim.formula)
    if formula.quantity is None or printed.lhs != formula.quantity:
        raise CatalogueError(
            f"the formula {claim.formula} computes {formula.quantity}, but the equation is for {printed.lhs}."
        )
    plain = formula.plain_claim  # which is what is printed
    right = valued(formula.rhs if plain is formula.claim else plain.rhs)
    ratio = printed.rhs / right
    presupposed = [equation_of(part) for part in claim.where.split(";") if part]
    for known in presupposed:
        ratio = bounded(ratio.subs(known.lhs, known.rhs))
    if ratio.has(nan, zoo):
        raise CatalogueError("it divides by zero.")
    ratio = cancel(ratio)
    if ratio == 1 and claim.cause:
        raise CatalogueError(f"the equation is the same as {claim.formula}, so there is no mistake to name as cause.")
    if ratio == 1:
        return Judgement(claim, Verdict.REPRODUCED, ratio=ratio)
    differs = counterexample(printed.rhs, right, presupposed, [one.relation for one in formula.where])
    return Judgement(claim, Verdict.REFUTED, ratio=ratio, differs=differs)


def _unit_of(ratio: Any) -> Unit:
    """The unit of a product of powers of letters; without one where it is a sum."""
    unit = ONE
    for factor, power in ratio.as_powers_dict().items():
        if factor in LETTERS:
            unit = unit * LETTERS[factor].unit ** int(power)
    return unit
