"""Which model, machine and number formats letters take their values from"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .by_letter import Found
    from .devices import HardwareSource
    from .tables import ModelSource


@dataclass(frozen=True)
class Presets:
    """The presets of one question; what is left out is None.

    Attributes:
        model: name of a model preset, a GGUF file, or a config.json (its path, its fields, the `Model` it was read as).
        hardware: name of a hardware preset, or a machine of one's own (a .toml file, its fields, a `Device`).
        dtype: number format of the arithmetic; also of weights and cache, where these are left out.
        weights: storage format of the weights.
        cache: storage format of the KV cache.
    """

    model: ModelSource | None = None
    hardware: HardwareSource | None = None
    dtype: str | None = None
    weights: str | None = None
    cache: str | None = None

    def __bool__(self) -> bool:
        return any(value is not None for value in self.given().values())

    @cached_property
    def letters(self) -> tuple[dict[str, Found], dict[str, str]]:
        """What they give by letter, and why they give none for others; a report asks for it row by row."""
        from .by_letter import preset_letters

        return preset_letters(self)

    def given(self) -> dict[str, Any]:
        """The presets by name, those left out too."""
        return {name: getattr(self, name) for name in NAMES}


NAMES = tuple(field.name for field in fields(Presets))
NONE = Presets()
