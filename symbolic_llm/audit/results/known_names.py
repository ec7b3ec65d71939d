"""Presets by the names that programs print for models and devices

A wrong model gives a wrong bound, so nothing is guessed: a name is the preset's own, the one that a driver has for the
device, or a count of weights that one kind of model has and no other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ... import presets
from ...errors import UnknownName
from ...models import Model

# By drivers of NVIDIA; other names are the titles of presets
_DRIVERS = {
    "nvidia a100-sxm4-80gb": "a100-80gb-sxm",
    "nvidia a100-sxm4-40gb": "a100-40gb-sxm",
    "nvidia a100 80gb pcie": "a100-80gb-pcie",
    "nvidia a100-pcie-40gb": "a100-40gb-pcie",
    "nvidia h100 80gb hbm3": "h100-sxm",
    "nvidia h100 pcie": "h100-pcie",
    "nvidia h200": "h200-sxm",
    "nvidia b200": "b200-sxm",
    "tesla v100-sxm2-32gb": "v100-32gb-sxm",
    "tesla v100-pcie-16gb": "v100-16gb-pcie",
    "tesla t4": "t4",
}
_TWO_DIES = ("mi250x",)  # a program sees half of what the preset is
# Models of the same shapes as a preset, by what their configs say
_ALIKE = {
    "llama-3.1-8b": "llama-3-8b",
    "llama-3.1-70b": "llama-3-70b",
    "llama-3.3-70b": "llama-3-70b",
    "deepseek-r1": "deepseek-v3",
}
_TUNED = re.compile(r"-(instruct|chat|it|hf|base)$")
_BEHIND = re.compile(r"\s*\([^()]*\)$")  # "(RADV NAVI31)", as Vulkan adds
_CLOSE = 10**6  # a file may hold a few numbers more, such as factors of rotary positions


@lru_cache(maxsize=2**8)
def hardware_named(name: str) -> tuple[str, ...]:
    """Presets that a device of that name may be; none if it is not known."""
    wanted = _BEHIND.sub("", name.strip().lower())
    if wanted in _DRIVERS:
        return (_DRIVERS[wanted],)
    titles = {key: presets.hardware(key).title.lower() for key in presets.names("hardware") if key not in _TWO_DIES}
    same = tuple(key for key, title in titles.items() if wanted in (title, key))
    return same or tuple(key for key, title in titles.items() if wanted and title.startswith(f"{wanted},"))


def model_named(name: str) -> str | None:
    """Preset of a model by its name, the end of a path or of a repository's name; None if it is not known."""
    short = name.strip().rstrip("/").replace("\\", "/").rpartition("/")[2].lower().replace("_", "-")
    short = short.removeprefix("meta-")
    while (plain := _TUNED.sub("", short)) != short:
        short = plain
    short = _ALIKE.get(short, short)
    return short if short in presets.names("models") else None


@lru_cache(maxsize=2**8)
def model_counted(weights: int) -> str | None:
    """Preset of the model that has so many weights; None if there is none, or several of different shapes.

    Of several with the same shapes it is the one with the shortest name: those that were trained further have longer
    names than what they were made of.
    """
    near = [key for key in presets.names("models") if abs(presets.model(key).parameters - weights) * _CLOSE < weights]
    return min(near, key=len) if len({_shapes(presets.model(key)) for key in near}) == 1 else None


def _shapes(model: Model) -> tuple[object, ...]:
    return tuple(sorted(model.letters.items())), model.traits


def mixture_of(model: Model, mixture: str, stored: int) -> str | None:
    """A mixture by its name where the model, stored so, has so many bytes; None where it is unknown or has others."""
    from ...models.format_mixtures import is_mixture, mixed

    if not is_mixture(mixture):
        return None
    try:
        found = mixed(model, mixture).n_bytes
    except UnknownName:
        return None
    return mixture if found is not None and abs(found - stored) * 100 < stored else None
