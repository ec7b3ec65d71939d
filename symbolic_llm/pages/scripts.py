"""Data that calculators compute with: the formulas, which models pick which, and the presets

Every tree is made of a formula of the catalogue, and which formula computes a letter is asked of the same table that
answers go by. Nothing is computed here, and nothing of a formula is typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from typing import Any

from .. import presets
from ..api import formula_of
from ..architecture import Traits
from ..errors import InvalidValue
from ..expressions.printing import text
from ..models import Model
from ..models.device_share import apart
from ..models.device_weights import MIXED, works_beside
from ..notation import (
    LETTERS,
    B_star_cache,
    N_critical,
    N_fit,
    P,
    P_device,
    P_held,
    P_total,
    m_device,
    named,
)
from ..presets import Presets
from ..presets.by_letter import Hint
from ..presets.devices import of_letters
from ..presets.parse_value import read_value
from ..reports import device_splits
from .calculator_data import BETWEEN, SHORT, Catalogue, letters, to_json

# What calculators ask: formulas by name, and by letter those of which each model picks its own.
ASKED = (
    "latency_with_cache",
    "separate_latency",
    "memory_time_with_cache",
    "compute_time_with_attention",
    "decode_product_flops",
    "separate_prefill_time",
    "ridge_point",
    "batch_crossover",
    "weight_bytes",
    "kv_bytes_total",
    "footprint",
    "sequences_that_fit",
    "bytes_per_weight",
)
# the same, of several devices: these are given numbers that are no control of their own
ON_DEVICES = (
    "kv_heads_per_device",
    "cache_bytes_per_device",
    "weights_read_per_device",
    "footprint_per_device",
    "sequences_on_devices",
    "all_reduce_bytes",
    "all_reduce_time",
    "separate_tensor_parallel_latency",
    "separate_tensor_parallel_prefill_time",
    "hop_time",
    "pipeline_time",
    "pipeline_bubble",
)
OF_CHUNKS = ("free_chunk", "free_chunk_with_attention", "chunk_price")
OF_A_LOAD = ("served_throughput", "time_between_tokens", "cost_per_token")
_EVERY = (*ASKED, *ON_DEVICES, *OF_CHUNKS, *OF_A_LOAD)
# where nothing counts a letter for some kind of model, the formula for others says so
PICKED = {
    B_star_cache: "batch_crossover_with_cache",
    N_critical: "critical_context",
    N_fit: "context_that_fits",
    m_device: "cache_bytes_per_device",
}

_SHARED = (P_device, P_held)  # which models give, by how many devices share them

CALCULATORS = ("machine", "plan", "roofline", "crossover", "fits", "bits", "chunk", "share")
MOST_TOGETHER = 256  # devices that may share every layer of a model
_FOLDER = "assets/calculator"
SCRIPT = f"{_FOLDER}/catalogue.js"
_LOADED = (
    "exact",
    "catalogue",
    "evaluate",
    "controls",
    "drawing",
    "results",
    "views",
    "sharing",
    "planning",
    "calculators",
)  # each needs those before it

_NUMBER = re.compile(r"(?<!\w)\d+")  # of a sum, but not of a letter
_OWN = {
    "M": "80 GB",
    "W": "2 TB/s",
    "F": "300 TFLOP/s",
    "W_link": "300 GB/s",
    "T_link": "1 us",
}  # any machine: only what it lacks is asked


def model_letters(model: presets.ModelSource) -> dict[str, str]:
    """Exact numbers that a model gives letters, by their names."""
    return _exact(Presets(model=model))


def _exact(chosen: Presets) -> dict[str, str]:
    """Exact numbers that presets give letters, by their names, read as answers read them."""
    found, _ = chosen.letters
    return {name: str(read_value(LETTERS[named(name)], one.figure.value)) for name, one in found.items()}


def _computing() -> tuple[str, ...]:
    """Number formats of arithmetic, in the order in which the script lists formats."""
    return tuple(name for name in presets.names("formats") if name in presets.computing())


def _device(machine: presets.HardwareSource) -> dict[str, Any]:
    """Data of a machine by letter, the peak for each number format; or why it gives none, once for formats alike."""
    known = _said(Presets(hardware=machine))
    peaks = {name: _said(Presets(hardware=machine, dtype=name))["F"] for name in _computing()}
    why = {
        name: tuple(part.replace(f"no peak for {name},", "no peak for @,") for part in said)
        for name, said in peaks.items()
        if not isinstance(said, str)
    }
    reasons = list(dict.fromkeys(why.values()))
    return {
        "title": presets.hardware(machine).title,
        **{letter: said for letter, said in known.items() if letter != "F"},
        "F": [reasons.index(why[name]) if name in why else said for name, said in peaks.items()],
        "why": reasons,
    }


def _said(chosen: Presets) -> dict[str, str | list[str]]:
    """Exact numbers by letter, as text, or in its place the parts of the hint that says why there is none."""
    found, hints = _exact(chosen), chosen.letters[1]
    return {name: found[name] if name in found else _parts(hints[name]) for name in _OWN}


def _parts(hint: Hint) -> list[str]:
    """Why there is no value, and what to give instead if that is told."""
    return [hint.why, hint.instead] if hint.instead else [hint.why]


def _own() -> dict[str, Any]:
    """Reasons, by letter, why a machine of one's own gives no value where none was typed."""
    lacking = {name: of_letters(**{other: _OWN[other] for other in _OWN if other != name}) for name in _OWN}
    return {name: _parts(Presets(hardware=machine, dtype="fp16").letters[1][name]) for name, machine in lacking.items()}


def _sums(model: Model) -> dict[str, tuple[str, list[str]]]:
    """Sums that the weights of a model are: text with "@" for each number, and the numbers, by letter.

    Models that are alike have the same text.
    """
    written = {letter.name: text(model.formula_for(letter).claim) for letter in (P, P_total)}
    return {name: (_NUMBER.sub("@", one), _NUMBER.findall(one)) for name, one in written.items()}


def _shares(model: Model) -> list[str]:
    """Numbers of weights that devices do not share evenly, as text: of those multiplied, and of those held.

    First those that are whole on every device, then those that are copied, by the letter of the copies.
    """
    by = [apart(model.parts, copies) for copies in ("multiplied", "stored")]
    return [" ".join(f"{name} {number}".lstrip() for name, number in one.items()) for one in by]


def _row(form: str, values: Iterable[str], forms: dict[str, int]) -> list[Any]:
    """Row of values: the place of their form, which models have alike, among all forms, and the values."""
    return [forms.setdefault(form, len(forms)), " ".join(values)]


def _model(model: Model, forms: dict[str, int]) -> dict[str, Any]:
    """Data of a model: its letters, its sums of weights, how many devices can share it, and what each then has."""
    letters = model_letters(model)
    return {
        "title": model.title,
        "letters": _row(" ".join(letters), letters.values(), forms),
        "sums": {name: _row(form, numbers, forms) for name, (form, numbers) in _sums(model).items()},
        "tensor": list(_even(model)),
        "shares": _shares(model),
    }


def _even(model: Model) -> Iterator[int]:
    """The numbers of devices that can share every layer of a model, as `sharing` has it."""
    for number in range(1, MOST_TOGETHER + 1):
        with suppress(InvalidValue):
            device_splits.split(model, None, number, 1)
            yield number


def loading(root: str) -> str:
    """The tags that load the calculators once one is seen; classic scripts: a browser takes no module from a file."""
    scripts = " ".join(f"{root}{_FOLDER}/{name}.js" for name in _LOADED)
    start = f'<script src="{root}{_FOLDER}/start.js" data-scripts="{scripts}" defer></script>'
    return f'<link rel="stylesheet" href="{root}{_FOLDER}/calculator.css">{start}'


_Kind = tuple[Traits, frozenset[str], bool]  # which formulas a model picks, what it keeps, how it sums up


def _kind(model: Model) -> _Kind:
    return model.traits, model.kept, works_beside(model.parts)


def catalogue_script() -> str:
    """The script `catalogue.js`, which is data alone: what `window.catalogue` holds."""
    models = {name: presets.model(name) for name in presets.names("models")}
    kinds: dict[_Kind, Model] = {}
    for model in models.values():
        kinds.setdefault(_kind(model), model)
    known = Catalogue()
    stated = {traits: frozenset({*map(named, model_letters(of)), *_SHARED}) for traits, of in kinds.items()}
    asked = {
        traits: {name: known.plan(formula_of(name), of, stated[traits]) for name in _EVERY}
        | {
            letter.name: known.plan(of.picked(letter) or formula_of(other), of, stated[traits])
            for letter, other in PICKED.items()
        }
        | {letter.name: known.plan(of.formula_for(letter), of, stated[traits]) for letter in MIXED}
        for traits, of in kinds.items()
    }
    plans = [json.loads(plan) for plan in known.plans]
    needed = reduce(set.union, (set(plan.get("letters", "").split()) for plan in plans), set[str]())
    needed |= {formula.quantity.name for formula in known.formulas.values()}
    kind = {traits: place for place, traits in enumerate(kinds)}
    forms: dict[str, int] = {}  # what models have alike
    written_plans, reasons = known.written_plans()
    of_models = {name: _model(model, forms) | {"kind": kind[_kind(model)]} for name, model in models.items()}
    of_letters_, units = letters(needed)
    data: Mapping[str, Any] = {
        "letters": of_letters_,
        "units": units,
        "short": SHORT,
        "between": BETWEEN,
        "plans": written_plans,
        "reasons": reasons,
        "titles": known.titles,
        "forms": list(forms),
        "asked": list(next(iter(asked.values()))),
        "kinds": [list(plans_of.values()) for plans_of in asked.values()],
        "models": of_models,
        "devices": {name: _device(name) for name in presets.names("hardware")},
        "own": _own(),
        "formats": {
            name: _exact(Presets(weights=name, cache=name))
            | {"computes": name in presets.computing(), "way": presets.way(name)}
            for name in presets.names("formats")
        },
        **known.written(),
    }
    written = "// Written from the catalogue of formulas when the site is built."
    return f"{written}\nwindow.catalogue = {to_json(data)};\n"
