"""Presets of a question: the model, machine and number formats that letters take their values from"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import listed

if TYPE_CHECKING:
    from ..models import Model
    from ..models.stored_formats import Stored
    from .by_letter import Found, Hint
    from .device import Device
    from .devices import HardwareSource
    from .tables import ModelSource


@dataclass(frozen=True)
class Presets:
    """The presets of one question; what is left out is None.

    Attributes:
        model: name of a model preset, a GGUF file, or a config.json (its path, its fields, the `Model` it was read as).
        hardware: name of a hardware preset, or a machine of one's own (a .toml file, its fields, a `Device`).
        dtype: number format of the arithmetic; of the cache too where that is left out, and of weights whose format
            neither `weights` nor the model's file says.
        weights: storage format of the weights; it goes before what the model's file says.
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
    def letters(self) -> tuple[dict[str, Found], dict[str, Hint]]:
        """Figures of these presets by letter, and reasons for letters without one; kept for the rows of a report."""
        from .by_letter import preset_letters

        return preset_letters(self)

    @cached_property
    def known(self) -> Model | None:
        """The model, as it is read; None where there is none."""
        if self.model is None:
            return None
        from .tables import model

        return model(self.model)

    @property
    def own_formats(self) -> Stored | None:
        """Number formats in which the model's file stores its weights; None where they are not known."""
        return None if self.known is None else self.known.stored

    @cached_property
    def mixed(self) -> Stored | None:
        """The formats of the mixture that `weights` names, in the model; None where it names one format, or none.

        `UnknownName` where it is not known how a file of that mixture stores the model.
        """
        if self.known is None or self.weights is None:
            return None
        from .tables import named_as_mixture

        if not named_as_mixture(self.weights):
            return None
        from ..models.format_mixtures import mixed

        return mixed(self.known, self.weights)

    @property
    def heard(self) -> Stored | None:
        """The formats of a mixture, or of the model's file where its weights are taken to be in these; else None."""
        if self.mixed is not None:
            return self.mixed
        own = self.own_formats
        return own if own is not None and own.n_bytes is not None and self.weights is None else None

    @property
    def formats(self) -> str:
        """Phrase with the number formats of arithmetic, weights and cache, for the head of a report."""
        weights = self.weights or self.dtype
        if self.heard is not None:
            mean = "" if self.heard.widths else self.averaged
            whose = "a mixture" if self.mixed else "the file's own formats"
            weights = f"{whose} ({'; '.join(filter(None, (str(self.heard), mean)))})"
        return f"arithmetic in {self.dtype}, weights in {weights}, cache in {self.cache or self.dtype}"

    @property
    def averaged(self) -> str:
        """Remark on the mean that stands for the file's formats where some weights are read; "" where none has to."""
        own, known, of_token = self.heard, self.known, ""
        if own is None or known is None:
            return ""
        mean = known.bytes_stored(own)
        if known.bytes_read(own) is not None or mean is None:
            return ""
        if own.of_token is not None:
            of_token = (
                f"; the weights that one token reads have {float(own.of_token / known.multiplied_parameters):.4g} B"
            )
        return f"times use {float(mean):.4g} B per weight, the mean of the file{of_token}"

    @property
    def foreign(self) -> str:
        """A remark that the weights are taken to be in other formats than in the model's file; "" elsewhere."""
        own, named = self.own_formats, self.weights or self.dtype
        if own is None or named is None or self.heard is not None:
            return ""
        return f"weights in {named}, not in the file's own formats ({own})"

    def given(self) -> dict[str, Any]:
        """The presets by name, those left out too."""
        return {name: getattr(self, name) for name in NAMES}


def arithmetic_in(dtype: str | None, device: Device | None = None) -> str:
    """The number format of the arithmetic of a report: the usual one of a device where none is asked for."""
    from .device import USUAL

    return dtype or (USUAL[0] if device is None else device.usual())


def stands_in(dtype: str | None, devices: Iterable[Device | None]) -> str:
    """Remark on devices that compute in another format than the usual one, though none was asked for; "" for none.

    Examples:
        >>> from symbolic_llm import presets
        >>> presets.stands_in(None, map(presets.hardware, ("a10", "gaudi-3")))
        'bf16 is taken for fp16 on gaudi-3, for which no peak in fp16 is known'
    """
    from .device import USUAL

    usual = USUAL[0]
    others = [str(one) for one in devices if one is not None and dtype is None and one.usual() != usual]
    return (
        f"{USUAL[1]} is taken for {usual} on {listed(others)}, for which no peak in {usual} is known" if others else ""
    )


NAMES = tuple(field.name for field in fields(Presets))
NONE = Presets()
