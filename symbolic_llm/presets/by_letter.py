"""Figures that presets give, by letter"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ..errors import option
from .device import GIVEN, Device, Figure
from .devices import hardware
from .tables import arithmetic, computing, model, names, storage

if TYPE_CHECKING:
    from ..models import Model
    from .presets import Presets

_OF_DEVICE = {"M": "memory", "W": "bandwidth", "W_link": "link", "T_link": "link_latency"}
_GIVEN_BY = {
    **dict.fromkeys(_OF_DEVICE, ("hardware",)),
    "F": ("hardware", "dtype"),
    "n_bytes": ("weights", "dtype"),
    "n_bytes_kv": ("cache", "dtype"),
    "n_bytes_act": ("dtype",),
    **dict.fromkeys(("n_bits", "n_block", "n_scale", "n_superblock", "n_shared"), ("weights",)),
}


@dataclass(frozen=True)
class Found:
    """A figure that a preset gives for a letter, and what other sources print for it."""

    figure: Figure
    preset: str
    also: str = ""


class Hint(NamedTuple):
    """A reason why presets give a letter no value, and what to give instead; "" for either."""

    why: str
    instead: str = ""

    def __str__(self) -> str:
        return "; ".join(filter(None, self))


def preset_letters(presets: Presets) -> tuple[dict[str, Found], dict[str, Hint]]:
    """Figures that presets give, by letter name, and reasons for letters that they could have given and did not."""
    dtype, weights = presets.dtype, presets.weights
    stored, kept = (dtype if choice is None else choice for choice in (weights, presets.cache))
    found: dict[str, Found] = {}
    hints: dict[str, Hint] = {}
    if (known := presets.known) is not None:
        found |= _of_model(known)
    computed_in = arithmetic(dtype) if dtype is not None else None
    if presets.hardware is not None:
        device = hardware(presets.hardware)
        found |= _of_device(device, computed_in)
        unprinted = {letter: _none(device, f"the {what.replace('_', ' ')}") for letter, what in _OF_DEVICE.items()}
        unprinted["F"] = _no_peak(device, dtype, computed_in)
        hints |= {letter: hint for letter, hint in unprinted.items() if letter not in found}
    for name, choice in (("n_bytes", stored), ("n_bytes_kv", kept), ("n_bytes_act", dtype)):
        if choice is not None and not (name == "n_bytes" and presets.mixed is not None):
            found[name] = Found(Figure(storage(choice)["n_bytes"], ""), choice)
    if presets.heard is not None and known is not None:
        found["n_bytes"] = Found(
            Figure(str(known.bytes_stored(presets.heard)), f"mean over the weights of {presets.heard.how}"), known.name
        )
    elif presets.foreign:
        found["n_bytes"] = replace(found["n_bytes"], also=f"the file's own: {presets.own_formats}")
    if weights is not None and presets.mixed is None:
        blocks = {name: value for name, value in storage(weights).items() if name != "n_bytes"}
        found |= {name: Found(Figure(value, ""), weights) for name, value in blocks.items()}
    return found, hints


def _of_model(known: Model) -> dict[str, Found]:
    """Figures of a model, by letter: shapes with their source, sums over its parts with what they are sums of."""
    source = known.sources[0] if known.sources else ""
    figures = {name: (str(value), source) for name, value in known.letters.items() if value}
    figures["P"] = str(known.multiplied_parameters), "weights in matrix products"
    if known.context_limit is not None:
        figures["n_limit"] = str(known.context_limit), source
    figures["P_embedding"] = str(known.output_parameters), "weights of the output matrix"
    figures["P_total"] = str(known.parameters), "all weights"
    figures["N_logits"] = "1", "a server asks the last position of a prompt for its next token"
    figures["P_high"] = str(known.vocabulary_parameters), "weights of embedding and output matrix"
    return {name: Found(Figure(value, origin), known.name) for name, (value, origin) in figures.items()}


def _of_device(device: Device, computed_in: str | None) -> dict[str, Found]:
    found = {}
    figures, also = device.figures, device.also
    for letter, what in (*_OF_DEVICE.items(), ("F", device.peak(computed_in))):
        if what in figures:
            others = ", ".join(f"{figure.source} states {figure.value}" for w, figure in also if w == what)
            found[letter] = Found(figures[what], f"{device.name} {what}" if letter == "F" else device.name, others)
    return found


def _none(device: Device, what: str) -> Hint:
    if device.sources == (GIVEN,):
        return Hint(f"{what} of {device.name} is not given")
    return Hint(f"no source states {what} of {device.name}")


def _no_peak(device: Device, dtype: str | None, computed_in: str | None) -> Hint:
    """Reason why a device gives F no value, and what to give instead."""
    peaks = [what for what in device.figures if what in computing()]
    if not peaks:
        return _none(device, "the peak arithmetic")
    if dtype is None:
        return Hint(
            "", f"choose the number format of the arithmetic with {option('dtype', '=')}, one of {', '.join(peaks)}"
        )
    vector = f"{computed_in}-vector"
    if vector not in peaks or not device.multiplies_on:
        return Hint(f"{device.name} has no peak for {dtype}, only for {', '.join(peaks)}")
    return Hint(
        f"no source states the peak of the {device.multiplies_on} of {device.name} in {dtype}",
        f"give F, or use {option('dtype', '=', vector)}, its peak without them ({device.figures[vector].value})",
    )


def presets_for(letter: str) -> tuple[str, ...]:
    """The kinds of preset that can give a letter: `("weights", "dtype")` for `n_bytes`."""
    # these are sums over a model's parts, so no model lists them among its shapes
    sums = {"P", "P_total", "P_embedding", "P_high"}
    by_model = ("model",) if letter in sums or any(letter in model(name).letters for name in names("models")) else ()
    return _GIVEN_BY.get(letter, by_model)
