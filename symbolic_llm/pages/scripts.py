"""What calculators compute with, as JavaScript: the formulas, who picks which, and the presets

Every function is printed from a formula of the catalogue, and which formula computes a letter is asked of the same
table that answers go by. Nothing is computed here, and nothing of a formula is typed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from sympy.core.relational import Ge, Gt

from .. import presets
from ..answers.explanation import figure
from ..answers.given import bounds
from ..answers.reading import read_value
from ..answers.rules import below, gives, letters_of, rules
from ..api import find
from ..architecture import Traits
from ..claims import Condition
from ..errors import CatalogueError
from ..expressions.printing import tex, text
from ..formula import Formula
from ..models import Model
from ..models.choices import mismatch
from ..notation import LETTERS, B_star_cache, N_critical, N_fit, P, P_total, named
from ..presets import Presets
from ..presets.devices import of_letters
from ..render.html import mathml
from ..units import ONE, PHYSICAL, SECOND, Unit
from .about import address
from .javascript import NAMES, printed

# What calculators ask: formulas by name, and by letter those of which each model picks its own.
ASKED = (
    "latency_with_cache",
    "memory_time_with_cache",
    "compute_time_with_attention",
    "throughput_with_cache",
    "decode_product_flops",
    "prefill_time_with_attention",
    "ridge_point",
    "batch_crossover",
    "weight_bytes",
    "kv_bytes_total",
    "footprint",
    "sequences_that_fit",
    "bytes_per_weight",
)
# where nothing counts a letter for some kind of model, the formula for others says so
PICKED = {B_star_cache: "batch_crossover_with_cache", N_critical: "critical_context", N_fit: "context_that_fits"}

CALCULATORS = ("machine", "roofline", "crossover", "fits", "bits")
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
    "calculators",
)  # each needs those before it

_OWN = {"M": "80 GB", "W": "2 TB/s", "F": "300 TFLOP/s"}  # any machine: only what it lacks is asked


class _Catalogue:
    """What was exported so far: formulas on the way, each once."""

    def __init__(self) -> None:
        self.formulas: dict[str, Formula] = {}

    def plan(self, asked: Formula, model: Model | None) -> dict[str, Any]:
        """How a formula is evaluated for the models of a kind: which formula computes which letter, in which order."""
        traits: Traits = model.traits if model else frozenset()
        if model and (reason := mismatch(asked, "@model", traits)):
            return {"formula": self._known(asked), "mismatch": reason}
        chosen = model.formulas if model else ()
        # what the models give is never computed, so neither is what that could be computed from
        stated = frozenset(map(named, model_letters(model))) if model else frozenset[Any]()
        letters = [s for s in below(asked, chosen, letters_of(asked), stated) if s != asked.quantity]
        if any(gives(condition, s) for condition in asked.conditions for s in letters):
            raise CatalogueError(f"a calculator takes no letter from a condition, as {asked.name} does.")
        computing = {s: rule for s, rule in rules(asked, chosen).items() if s in letters and s not in stated}
        return {
            "formula": self._known(asked),
            "letters": [s.name for s in letters],
            "rules": {s.name: self._known(rule) for s, rule in computing.items()},
        }

    def _known(self, formula: Formula) -> str:
        if self.formulas.setdefault(formula.name, formula) is not formula:
            raise CatalogueError(f"two formulas of a calculator are called {formula.name}.")
        return formula.name

    def written(self) -> str:
        """The formulas as an object of JavaScript."""
        return ",\n".join(f"  {name}: {_formula(one)}" for name, one in self.formulas.items())


def _formula(formula: Formula) -> str:
    fields = {
        "title": formula.title,
        "address": address(formula),
        "quantity": formula.quantity.name,
        "letters": [s.name for s in formula.letters if s in formula.rhs.free_symbols],
        "claim": mathml(tex(formula.claim), display=True),
        "putIn": mathml(tex(formula.claim, {s: _hole(s) for s in formula.rhs.free_symbols}), display=True),
        "sign": formula.statement.sign,
        # counts may come out as 0, all else is positive
        "needed": text((Ge if LETTERS[formula.quantity].whole else Gt)(formula.rhs, 0, evaluate=False)),
    }
    conditions = ", ".join(map(_condition, formula.conditions))
    return f"{{...{_json(fields)},\n    value: {printed(formula.rhs)},\n    conditions: [{conditions}]}}"


def _hole(symbol: Any) -> str:
    """What stands in mathematics where the number of a letter is put in."""
    return rf"\text{{@{_place(symbol)}@}}"


def _place(symbol: Any) -> int:
    """By which number a letter goes in the script."""
    return list(LETTERS).index(symbol)


def _condition(condition: Condition) -> str:
    letters = [s.name for s in LETTERS if s in condition.relation.free_symbols]
    said = {
        "letters": letters,
        "text": text(condition.relation),
        "sentence": condition.sentence,
        "otherwise": condition.otherwise,
    }
    return f"{{...{_json(said)}, holds: {printed(condition.relation)}}}"


def model_letters(model: presets.ModelSource) -> dict[str, str]:
    """What a model gives letters, as exact numbers."""
    return _exact(Presets(model=model))


def _sum(model: Model, letter: Any) -> dict[str, str]:
    """What a model's weights are a sum of, in letters and in numbers."""
    numbers = {named(name): figure(Fraction(value)) for name, value in model.letters.items()}
    claim = model.formula_for(letter).claim
    return {"claim": text(claim), "putIn": text(claim, numbers)}


def _exact(chosen: Presets) -> dict[str, str]:
    """The letters of presets, read as answers read them."""
    found, _ = chosen.letters
    return {name: str(read_value(LETTERS[named(name)], one.figure.value)) for name, one in found.items()}


def _device(machine: presets.HardwareSource) -> dict[str, Any]:
    """What a machine gives by letter, the peak by number format; or why it gives none."""
    known = _said(Presets(hardware=machine))
    peaks = {name: _said(Presets(hardware=machine, dtype=name))["F"] for name in presets.computing()}
    return {"M": known["M"], "W": known["W"], "F": peaks}


def _said(chosen: Presets) -> dict[str, dict[str, str]]:
    found, hints = _exact(chosen), chosen.letters[1]
    return {name: {"value": found[name]} if name in found else {"hint": hints[name]} for name in _OWN}


def _own() -> dict[str, Any]:
    """Why a machine of one's own gives a letter no value where that was not typed."""
    lacking = {name: of_letters(**{other: _OWN[other] for other in _OWN if other != name}) for name in _OWN}
    return {name: Presets(hardware=machine, dtype="fp16").letters[1][name] for name, machine in lacking.items()}


def _unit(unit: Unit) -> dict[str, Any]:
    """A unit as numbers are shown in it: its text, its prefixes, and whether several take an s."""
    powers = dict(unit.exponents)
    first = next((base for base, power in unit.exponents if power > 0), "")
    prefixed = powers.get(first) == 1 and first in ("FLOP", "byte")
    return {
        "text": "" if unit == ONE else str(unit).replace("second", "s").replace("byte", "B"),
        "prefixes": "small" if unit == SECOND else "large" if prefixed else "",
        "plural": powers == {first: 1} and first not in PHYSICAL,
    }


def _letters(names: Iterable[str]) -> dict[str, Any]:
    found = {}
    for symbol in (s for s in LETTERS if s.name in set(names)):
        letter = LETTERS[symbol]
        least = [bound.relation.lhs.name for bound in bounds([symbol])]
        found[letter.name] = {
            "place": _place(symbol),
            "mathml": mathml(tex(symbol)),
            "shown": text(symbol),
            "meaning": letter.meaning,
            "unit": _unit(letter.unit),
            "whole": letter.whole,
            "atLeast": least[0] if least else "",
        }
    return found


def _json(value: Any) -> str:
    # "</script>" has no place in a script
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</script", "<\\/script")


def loading(root: str) -> str:
    """The tags that load the calculators once one is seen; classic scripts: a browser takes no module from a file."""
    scripts = " ".join(f"{root}{_FOLDER}/{name}.js" for name in _LOADED)
    start = f'<script src="{root}{_FOLDER}/start.js" data-scripts="{scripts}" defer></script>'
    return f'<link rel="stylesheet" href="{root}{_FOLDER}/calculator.css">{start}'


def catalogue_script() -> str:
    """The script `catalogue.js`: what `window.catalogue` holds; it needs exact arithmetic in `window.Exact`."""
    models = {name: presets.model(name) for name in presets.names("models")}
    kinds: dict[Traits, Model] = {}
    for model in models.values():
        kinds.setdefault(model.traits, model)
    known = _Catalogue()
    plans = [
        {name: known.plan(find(name), of) for name in ASKED}
        | {letter.name: known.plan(of.picked(letter) or find(other), of) for letter, other in PICKED.items()}
        for of in kinds.values()
    ]
    needed = reduce(set.union, (_letters_of(plan) for kind in plans for plan in kind.values()), set[str]())
    needed |= {formula.quantity.name for formula in known.formulas.values()}
    data: Mapping[str, Any] = {
        "letters": _letters(needed),
        "kinds": plans,
        "models": {
            name: {
                "title": model.title,
                "kind": list(kinds).index(model.traits),
                "letters": {key: value for key, value in model_letters(model).items() if key in needed},
                "sums": {letter.name: _sum(model, letter) for letter in (P, P_total)},
            }
            for name, model in models.items()
        },
        "devices": {
            name: {"title": presets.hardware(name).title} | _device(name) for name in presets.names("hardware")
        },
        "own": _own(),
        "formats": {
            name: _exact(Presets(weights=name, cache=name))
            | {"computes": name in presets.computing(), "way": presets.way(name)}
            for name in presets.names("formats")
        },
    }
    return (
        "// Written from the catalogue of formulas when the site is built.\n"
        f'"use strict";\nwindow.catalogue = (({{{", ".join(NAMES)}}}) => ({{...{_json(data)}, formulas: {{\n'
        f"{known.written()}\n}}}}))(window.Exact);\n"
    )


def _letters_of(plan: Mapping[str, Any]) -> set[str]:
    return {*plan.get("letters", ())}
