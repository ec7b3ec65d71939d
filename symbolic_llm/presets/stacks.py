"""Shares of a datasheet that programs reach, and their fixed times: by program, number format and device

`symbolic_llm.measurements.stacks` says how they are found, and writes them into `stacks.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from typing import Any

from ..architecture import Trait, Traits
from ..errors import InvalidValue, option, shown, unknown_name
from ..units import in_base_units
from .device import Device
from .tables import _table, storage

LETTERS = ("T_overhead", "U_memory", "U_compute")
REQUESTS = "batches of requests"  # what was measured, where prompts were too
_SIXTEEN = 16  # bits
_TILE = 16  # rows that are multiplied at once
_ROW_BY_ROW = ("GPU cores", "CPU cores", "")


def family(format: str) -> str:
    """The format that stands for all those of whose measurements there is one fit: fp16 for any of sixteen bits."""
    return "fp16" if bits_of(format) == _SIXTEEN else format


def in_formats(weights: str, cache: str) -> str:
    """Words on the formats of weights and cache: "in 16 bits", "with weights in q8_0, caches in fp16"."""
    return f"in {_SIXTEEN} bits" if weights == cache == "fp16" else f"with weights in {weights}, caches in {cache}"


def bits_of(format: str) -> int:
    """Whole bits of a number in a format, without its share of scales."""
    return int(8 * Fraction(storage(format)["n_bytes"]))


def padding(device: Device, traits: Traits) -> int:
    """The factor on attention's arithmetic of a step: rows of a tile, of which a query fills one.

    Units that multiply tiles take sixteen rows at once, as long for one row as for all. Heads that read the same latent
    vectors are the rows of a tile together.
    """
    alone = traits.isdisjoint({Trait.LATENT, Trait.SHARED})
    return _TILE if alone and device.multiplies_on not in _ROW_BY_ROW else 1


@dataclass(frozen=True)
class StackFit:
    """Letters of a program on a device, or on devices that are alike, with models in the same number formats.

    Attributes:
        stack: the program.
        weights: the number format of weights, in that of its `family`.
        cache: that of caches.
        arithmetic: that of products.
        kind: of the models, "dense" or "experts".
        measured: what was timed, "batches of requests", "steps" or "tokens of a server".
        on: the device, or the class of devices.
        count: of devices, which share every layer.
        devices: the presets that it is for.
        letters: T_overhead in seconds, U_memory and U_compute as shares of the datasheet.
        ranges: least and most of each letter among the fits that leave one of those out.
        held_out: what was left out one by one, "model", "device", or "length" of the prompts of a single model.
        error: median absolute error of the batches that were left out.
        low: a tenth of them took less than so many times the forecast.
        high: a tenth of them took more than so many times it.
        rows: how many batches there are.
        batch: most sequences of one.
        context: most tokens of a sequence.
        models: which models they ran.
        source: who measured them, and where that is printed.
    """

    stack: str
    weights: str
    cache: str
    arithmetic: str
    kind: str
    measured: str
    on: str
    count: int
    devices: tuple[str, ...]
    letters: Mapping[str, Fraction]
    ranges: Mapping[str, tuple[Fraction, Fraction]]
    held_out: str
    error: Fraction
    low: Fraction
    high: Fraction
    rows: int
    batch: int
    context: int
    models: tuple[str, ...]
    source: str

    @property
    def bits(self) -> int:
        """Whole bits of a weight."""
        return bits_of(self.weights)

    @property
    def formats(self) -> tuple[str, str, str]:
        """Formats of weights, cache and arithmetic."""
        return self.weights, self.cache, self.arithmetic

    @property
    def named(self) -> str:
        """Words on what was measured of the program: "batches of vLLM in 16 bits"."""
        return f"{self.measured.split()[0]} of {self.stack} {in_formats(self.weights, self.cache)}"

    def interval(self, time: Fraction) -> tuple[Fraction, Fraction]:
        """Least and most of eight in ten batches, of which a time is forecast."""
        return time * self.low, time * self.high


@cache
def stack_fits() -> tuple[StackFit, ...]:
    """Letters of every program; those of it for one device come before those for several."""
    return tuple(map(_fit, _table("stacks")["fits"]))


def _fit(row: Mapping[str, Any]) -> StackFit:
    exact: dict[str, Any] = {
        "letters": {letter: in_base_units(str(row[letter])) for letter in LETTERS},
        "ranges": {letter: tuple(in_base_units(str(end)) for end in row[f"{letter}_range"]) for letter in LETTERS},
        "devices": tuple(row["devices"]),
        "models": tuple(row["models"]),
        **{name: in_base_units(str(row[name])) for name in ("error", "low", "high")},
    }
    return StackFit(**exact, **{one.name: row[one.name] for one in fields(StackFit) if one.name not in exact})


def stack_named(name: object) -> str:
    """The program of that name as its authors write it; `UnknownName` lists those with measurements."""
    if not isinstance(name, str):
        raise InvalidValue(
            f"{option('stack')} must be the name of a program, such as 'vllm', but {shown(name)} was given."
        )
    known = {fit.stack.lower(): fit.stack for fit in stack_fits()}
    if name.strip().lower() not in known:
        raise unknown_name("stack with measurements", name, known)
    return known[name.strip().lower()]


def fits_of(stack: str, device: str, count: int = 1) -> list[StackFit]:
    """Fits of a program that so many of a preset have: its own before those of devices that are like it."""
    return [fit for fit in stack_fits() if (fit.stack, fit.count) == (stack, count) and device in fit.devices]


def stack_fit(stack: str, device: str, *formats: str, kind: str = "dense") -> StackFit | None:
    """Letters of a program on a preset, with formats of weights, cache and arithmetic; None where none are known."""
    asked = (fit for fit in fits_of(stack, device) if (fit.formats, fit.kind) == (formats, kind))
    return next(asked, None)
