"""Examples of the book: one that all of it computes, and one that a reader may choose instead

A chapter that is ready for it is written once for each, from one template, at an address of its own: whatever a page
says of its example it asks of the example. Which model, device and format that is stands here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from .. import presets
from ..quantity import about, evaluated, of_preset

_FOLDER = "book"
_PRESETS = ("model", "hardware", "dtype")
# chapters that are written for each example; of the others there is the first page only
READY = (
    *("one-token", "counting-weights", "remembering", "two-speeds", "batching", "critical-context"),
    *("attention", "four-bits", "price-of-a-token", "prompt-and-answer", "what-fits"),
    *("what-conversations-share", "one-request-among-many", "guessing-ahead", "money-and-energy"),
    *("more-than-one-device", "what-devices-tell-each-other"),
    *("what-it-rests-on", "experts", "windows-and-latents", "states-and-indexes", "does-it-hold"),
    "design-problems",
)
_LINK = re.compile(rf'(\]\(|<a href=")(?:\.\./{_FOLDER}/)?([\w-]+)(?=\.(?:md|html)\b)')


@dataclass(frozen=True)
class Example(Mapping[str, str]):
    """Presets that a page computes by: `evaluated("latency", B=1, **example)`.

    Attributes:
        model: name of a preset, like the others.
        hardware: the device.
        dtype: number format of weights, cache and arithmetic.
        draft: a small model with the same vocabulary.
        rent: dollars an hour that the device is taken to cost.
        watts: what it is taken to draw at work, and while it waits.
        folder: where its pages stand.
    """

    model: str
    hardware: str
    dtype: str
    draft: str
    rent: int
    watts: tuple[int, int]
    folder: str = _FOLDER

    def __getitem__(self, name: str) -> str:
        if name not in _PRESETS:
            raise KeyError(name)
        return str(getattr(self, name))

    def __iter__(self) -> Iterator[str]:
        return iter(_PRESETS)

    def __len__(self) -> int:
        return len(_PRESETS)

    @property
    def title(self) -> str:
        """Name of the model, as prose has it."""
        return _in_prose(self.model)

    @property
    def draft_title(self) -> str:
        """Name of the small model."""
        return _in_prose(self.draft)

    @property
    def device(self) -> str:
        """Short name of the device."""
        return self.hardware.partition("-")[0].upper()

    @property
    def device_in_full(self) -> str:
        """Name of the device with its memory and its kind."""
        return re.sub(r"(?<=\d)(?=GB)", " ", presets.hardware(self.hardware).title.removeprefix("NVIDIA "))

    @property
    def words(self) -> str:
        """Model and device, as a choice between examples names them."""
        return f"{self.title} on an {self.device}"

    @property
    def even(self) -> int:
        """A context: where memory is full of such sequences, a step computes about as long as it reads."""
        room = evaluated("tokens_that_fit", **self) // 1
        one, computing, reading = (
            evaluated(name, B=1, **given)
            for name, given in (
                ("compute_time", {**self}),
                ("compute_time_with_attention", {"N": room, **self}),
                ("memory_time_with_cache", {"N": room, **self}),
            )
        )
        return about(room * one / (reading - computing + one), 3)

    @property
    def patience(self) -> str:
        """Longest time of a token that a reader allows: a little more than memory takes to be read once."""
        whole = of_preset("M", **self) / of_preset("W", **self)  # seconds
        return f"{about(whole * Fraction(6, 5) * 1000)} ms"

    @property
    def scale(self) -> int:
        """Factor on the number of readers in a chapter: the root of the query heads that share keys and values.

        With contexts longer by its square their caches are as many times as large, which a newer machine reads as soon.
        """
        heads = (of_preset(letter, model=self.model) for letter in ("n_heads", "n_kv_heads"))
        return isqrt(int(next(heads) / next(heads)))

    @property
    def small(self) -> dict[str, str]:
        """Presets of the small model on the same device."""
        return {**self, "model": self.draft}

    @property
    def laptop(self) -> dict[str, str]:
        """Presets of its model on a laptop, with weights in four bits."""
        return {"model": self.model, "hardware": "m2", "dtype": "fp16", "weights": "q4_0"}

    @property
    def large(self) -> Example:
        """The large model of its family, too large for one device, on devices with wires of their own to each other."""
        return replace(
            self,
            model=re.sub(r"[\d.]+b$", "70b", self.model),
            hardware=re.sub(r"(?:pcie|sxm)$", "sxm", self.hardware),
        )

    @property
    def slotted(self) -> Example:
        """Example on devices of its kind that reach each other through slots of the host."""
        return replace(self, hardware=re.sub(r"(?:pcie|sxm)$", "pcie", self.hardware))

    @property
    def grouped(self) -> Example:
        """Itself where its heads share keys and values; else a model of the same kind whose heads do, on its device."""
        shares = of_preset("n_kv_heads", **self) < of_preset("n_heads", **self)
        return self if shares else replace(self, model="llama-3-8b")

    def path(self, page: str) -> str:
        """Path of a page as this example has it: of a chapter that is ready its own, of another page the only one."""
        chapter = page.removeprefix(f"{_FOLDER}/")
        return f"{self.folder}/{chapter}" if chapter != page and chapter in READY else page

    def led(self, text: str) -> str:
        """A page of this example, whose links to chapters lead to those of the same example."""
        if self.folder == _FOLDER:
            return text  # they do as they are written
        return _LINK.sub(lambda found: f"{found[1]}../{self.path(f'{_FOLDER}/{found[2]}')}", text)


def _in_prose(model: str) -> str:
    return presets.model(model).title.replace(" ", "-")


EXAMPLE = Example("llama-2-7b", "a100-80gb-pcie", "fp16", "tinyllama-1.1b", 1, (300, 50))
SECOND = Example("llama-3.1-8b", "h100-sxm", "bf16", "llama-3.2-1b", 2, (700, 100), f"{_FOLDER}-h100")
EXAMPLES = (EXAMPLE, SECOND)


def choices(path: str) -> dict[Example, str]:
    """Each example with the path of its page, without its ending, where a page is one of several; else none."""
    folder, _, chapter = path.removesuffix(".md").rpartition("/")
    if chapter not in READY or folder not in {one.folder for one in EXAMPLES}:
        return {}
    return {one: one.path(f"{_FOLDER}/{chapter}") for one in EXAMPLES}


def example_of(path: str) -> Example:
    """The example that a page is written for."""
    own = path.removesuffix(".md")
    return next((one for one, page in choices(path).items() if page == own), EXAMPLE)
