"""Forecast of a formula's value with a program: an interval, by what measured batches of it reach of a datasheet

A stack touches three letters: it reaches shares of W and F, and each pass of it over the layers takes a fixed time. Its
letters were fitted to the laws part by part of a step and of a prefill, so these alone have a forecast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..architecture import Trait
from ..catalogue.named import separate_latency, separate_prefill_time, separate_tensor_parallel_latency
from ..errors import InvalidValue, NoSolution, listed, option
from ..expressions.arithmetic import number
from ..formula import Formula
from ..notation import B, C_seq, F, N, T_overhead, W, n_tensor
from ..presets import Presets
from ..presets.device import Figure
from ..presets.devices import hardware
from ..presets.stacks import REQUESTS, StackFit, family, fits_of, in_formats, padding, stack_fits, stack_named
from ..presets.tables import arithmetic, model
from ..units import BYTE, FLOP, SECOND, SEQUENCE, Unit, humanize
from .explanation import Explanation, explain_formula
from .gather import find_letter
from .memory_fit import given
from .resolution import reach

_FAR = Fraction(8, 100)  # a median error beyond which an answer says what the measurements lack
TILES = "a query fills one row of the tiles that are multiplied"
PEAKS = {"U_memory": W, "U_compute": F}
_RATES = {W: BYTE / SECOND, F: FLOP / SECOND}
_FITTED = (separate_latency, separate_prefill_time, separate_tensor_parallel_latency)  # the laws of these letters


@dataclass(frozen=True, repr=False)
class Forecast:
    """Forecast of a time with a program: the interval that eight in ten of its measured batches lie in.

    Attributes:
        explanation: the law, with what the program reaches of the machine's W and F.
        fit: the letters of the program, with their ranges and what they rest on.
        rows_of_tiles: how many times as long attention's arithmetic takes in tiles, of which a query fills a row.
    """

    explanation: Explanation
    fit: StackFit
    rows_of_tiles: int

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The least and most, nothing rounded."""
        return self.fit.interval(self.fit.letters[T_overhead.name] + Fraction(self.explanation.exact))

    @property
    def least(self) -> int | float:
        """A tenth of the measured batches took less, in `unit`."""
        return number(self.interval[0])

    @property
    def most(self) -> int | float:
        """A tenth of the measured batches took more, in `unit`."""
        return number(self.interval[1])

    @property
    def unit(self) -> Unit:
        """Unit of both."""
        return self.explanation.unit

    @property
    def rows(self) -> int:
        """Number of measured batches that it rests on."""
        return self.fit.rows

    @property
    def letters(self) -> dict[str, tuple[int | float, int | float, int | float]]:
        """Value of each letter of the program, and its least and most where one of what is held out is left out."""
        return {
            letter: (number(self.fit.letters[letter]), number(least), number(most))
            for letter, (least, most) in self.fit.ranges.items()
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The program's letters in words, and what the interval rests on."""
        rows = () if self.rows_of_tiles == 1 else (f"{C_seq} × {self.rows_of_tiles}, since {TILES}",)
        return (*_of_letters(self.fit), *rows, rests_on(self.fit, self._context))

    @property
    def _context(self) -> Fraction:
        return self.explanation.given.numbers()[N]

    def __repr__(self) -> str:
        name, explained = self.explanation.formula.name, repr(self.explanation)
        head = f"{name} with {self.fit.stack}: {said(self.interval, SECOND)}"
        return "\n\n".join((head, "\n".join(f"  {line}" for line in self.lines), explained))

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON."""
        return {
            "formula": self.explanation.formula.name,
            "stack": self.fit.stack,
            "least": self.least,
            "most": self.most,
            "unit": str(self.unit),
            "letters": {
                name: dict(zip(("value", "least", "most"), values, strict=True))
                for name, values in self.letters.items()
            },
            "rows_of_tiles": self.rows_of_tiles,
            **{name: getattr(self.fit, name) for name in ("weights", "cache", "arithmetic")},
            "rows": self.rows,
            "source": self.fit.source,
            "note": "; ".join((rests_on(self.fit, self._context), *self.explanation.notes)),
        }


def forecast(formula: Formula, letters: Mapping[str, object], asked: Presets, stack: object) -> Forecast:
    """The forecast of a formula's value with a program.

    Raises:
        InvalidValue: for a formula that has none, without a machine, or where W or F are given.
        NoSolution: where too few batches were measured.
    """
    named = stack_named(stack)
    if formula not in _FITTED:
        untouched = not {W, F, T_overhead} & {*reach(formula, ()), *formula.letters}
        why = (
            "has no letter that a stack touches (W, F, T_overhead)"
            if untouched
            else "is not a law that the letters of stacks were fitted to"
        )
        laws = " or ".join(one.name for one in _FITTED)
        raise InvalidValue(f"{formula.name} {why}; leave {option('stack')} out, or ask for {laws}.")
    if asked.hardware is None:
        raise InvalidValue(f"a stack is measured on a device: give {option('hardware')}.")
    if own := [name for name in letters if find_letter(formula, name) in _RATES]:
        raise InvalidValue(
            f"{own[0]} is what the stack reaches of the machine's own: leave {own[0]} out, or {option('stack')}."
        )
    shared = n_tensor in formula.letters
    count = explain_formula(formula, letters, asked).given.numbers()[n_tensor] if shared else 1
    fit = fit_of(named, asked, int(count))
    if isinstance(fit, str):
        raise NoSolution(f"{formula.name} has no forecast, because {fit}.")
    if fit.measured != REQUESTS and formula is separate_prefill_time:
        raise NoSolution(f"{formula.name} has no forecast, because {without_prompts(fit)}.")
    found = explain_formula(formula, letters, reached(asked, fit))
    tiles = padding_of(asked) if formula is separate_latency and C_seq.name not in letters else 1
    if tiles > 1:
        found = explain_formula(formula, {**letters, **padded(found, tiles)}, reached(asked, fit))
    if beyond := more_than_measured(fit, found.given.numbers()[B]):
        raise NoSolution(f"{formula.name} has no forecast, because {beyond}.")
    return Forecast(found, fit, tiles)


def without_prompts(fit: StackFit) -> str:
    """Words that say that the times of prompts were not measured."""
    return f"prompts of {fit.stack} on {fit.on} were not measured"


def padding_of(asked: Presets) -> int:
    """The factor on attention's arithmetic of a step on a machine, with a model if there is one."""
    return padding(hardware(asked.hardware or ""), asked.known.traits if asked.known else frozenset())


def padded(law: Explanation, tiles: int) -> dict[str, Fraction]:
    """The letter of attention's arithmetic in a law, with all rows of its tiles."""
    return {C_seq.name: tiles * law.given.numbers()[C_seq]}


def fit_of(stack: str, asked: Presets, count: int = 1) -> StackFit | str:
    """Letters of a program for a model on so many of a machine, or the words that say why they are not known."""
    device = hardware(asked.hardware or "")
    if asked.heard is not None:
        name = "; name it by weights" if asked.weights is None else ""
        return f"batches of {stack} were measured with weights in one format alone{name}"
    if asked.dtype is None:
        return f"batches of {stack} were measured in known number formats: give {option('dtype')}"
    formats = (asked.weights or asked.dtype, asked.cache or asked.dtype, asked.dtype)
    weights, cache, arithmetic = map(family, formats)
    experts = asked.known is not None and Trait.EXPERTS in asked.known.traits
    own = fits_of(stack, device.name, count)
    alike = [fit for fit in own if fit.formats == (weights, cache, arithmetic)]
    of_kind = [fit for fit in alike if (fit.kind == "experts") is experts]
    if found := next((fit for fit in of_kind if is_for(fit, asked)), None):
        return found
    if of_kind:
        return f"{of_kind[0].named} on {of_kind[0].on} were measured with {listed(of_kind[0].models)} alone"
    if alike:
        return f"{alike[0].named} were measured with models {'without' if experts else 'with'} experts alone"
    if same := [fit for fit in own if fit.weights == weights]:
        ways = dict.fromkeys(f"caches in {fit.cache} and arithmetic in {fit.arithmetic}" for fit in same)
        return f"batches of {stack} with weights in {weights} were measured with {' or '.join(ways)} alone"
    where = device.title if count == 1 else f"{count} × {device.title}"
    few = f"too few batches of {stack} {in_formats(weights, cache)} on {where} were measured"
    return f"{few}; {_where(stack, weights)}"


def is_for(fit: StackFit, asked: Presets) -> bool:
    """Whether a fit is for a model: one of a single model is for those of its shapes alone."""
    if len(fit.models) > 1:
        return True
    return asked.known is not None and asked.known.letters == model(fit.models[0]).letters


def more_than_measured(fit: StackFit, batch: Fraction | int) -> str:
    """Words that say that no batch with so many sequences was measured; "" where one was."""
    if batch <= fit.batch:
        return ""
    return f"{fit.named} on {fit.on} were measured up to {humanize(fit.batch, SEQUENCE)}"


def reached(asked: Presets, fit: StackFit) -> Presets:
    """The presets, with a machine that has what the program reaches of W and F, by its source."""
    device = hardware(asked.hardware or "")
    places = {W: "bandwidth", F: device.peak(arithmetic(asked.dtype) if asked.dtype is not None else None)}
    figures = device.figures
    for share, letter in PEAKS.items():
        if (what := places[letter]) in figures and (peak := given(asked, letter)) is not None:
            least, most = (number(edge) for edge in fit.ranges[share])
            source = f"{share} = {number(fit.letters[share])} of it with {fit.stack}, {least} to {most}, {fit.source}"
            figures[str(what)] = Figure(f"{peak * fit.letters[share]} {_RATES[letter]}", source)
    return replace(asked, hardware=replace(device, printed=tuple(figures.items())))


def rests_on(fit: StackFit, context: Fraction | int) -> str:
    """Words on what a forecast rests on, and how far it is off."""
    beyond = f", none beyond {fit.context:,} tokens" if context > fit.context else ""
    return (
        f"8 in 10 of {fit.rows} measured {fit.measured} {in_formats(fit.weights, fit.cache)}{beyond}; "
        f"median error {number(100 * fit.error)} % on {fit.on}, each {fit.held_out} held out in turn{lacking(fit)}"
    )


def lacking(fit: StackFit) -> str:
    """Words on what the measurements lack where a fit is far off; "" elsewhere."""
    if fit.error <= _FAR:
        return ""
    if fit.held_out == "device":
        return ", and programs differ between devices"
    return f", and only {listed(fit.models)} {'was' if len(fit.models) == 1 else 'were'} measured"


def said(interval: tuple[Fraction, Fraction], unit: Unit) -> str:
    """An interval as a person would write it."""
    return " to ".join(humanize(edge, unit, 3) for edge in interval)


def letter_said(letter: str, value: Fraction) -> str:
    """A value of a program's letter as a person would write it: a share, or a time."""
    return str(number(value)) if letter in PEAKS else humanize(value, SECOND)


def _of_letters(fit: StackFit) -> Iterator[str]:
    for name, value in fit.letters.items():
        least, most = (letter_said(name, edge) for edge in fit.ranges[name])
        beside = f", the share of {PEAKS[name]}" if name in PEAKS else ", the fixed time of a pass beside the law"
        yield f"{name} = {letter_said(name, value)}  ({fit.stack}, {least} to {most}{beside}; {fit.source})"


def _where(stack: str, weights: str) -> str:
    """Words on where there are enough batches with weights in a format."""
    alike = [fit for fit in stack_fits() if fit.weights == weights]
    if own := [fit.on for fit in alike if fit.stack == stack]:
        return f"there are enough on {listed(dict.fromkeys(own))}"
    stacks = dict.fromkeys(fit.stack for fit in alike)
    return f"with weights in {weights} there are enough of {listed(stacks) if stacks else 'no stack'}"
