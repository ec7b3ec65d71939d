"""The contents of a model file, and the places of a decoder's weights in it

A file is not to be trusted: every value is checked before it is used, and whatever is wrong with it is one
`ModelFileError`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..config import Config
from ..formats import Array, Format
from ..memory import Machine, OffChip


class ModelFileError(ValueError):
    """A model file is damaged, contradicts itself, or is of a kind the engine does not run; the sentence says which."""

    def __init__(self, sentence: str) -> None:
        printable = "".join(letter if letter.isprintable() else "?" for letter in sentence)
        super().__init__(
            printable if len(printable) < 400 else printable[:396] + " …"
        )  # names in a file may be anything


def regular(path: Path) -> os.stat_result:
    """The status of a file; refused if it is a pipe, which would be waited for, or a device, which has no end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(f"{path.name} is not a regular file")
    return found


class Tensor(NamedTuple):
    """A tensor as it is stored: records of a format, mapped from the file."""

    packed: Array
    format: Format


@dataclass(frozen=True)
class Place:
    """Place of a weight in a model file.

    Attributes:
        name: of the tensor, with {} for the number of the block (and of the expert); without its last word.
        suffix: the last word, weight or bias; "" if the name is whole.
        part: which of how many equal parts of its rows.
        turned: stored as (inputs, outputs).
        entry: the expert's number is no part of the name but the place on the first axis.
    """

    name: str
    suffix: str = "{}"
    part: tuple[int, int] = (0, 1)
    turned: bool = False
    entry: bool = False

    def tensor(self, numbers: list[int], kind: str) -> str:
        """Name of the tensor for these numbers and a weight or a bias."""
        name = self.name.format(*numbers)
        return f"{name}.{self.suffix.format(kind)}" if self.suffix else name

    def taken(self, tensor: Tensor, numbers: list[int], rows: int) -> Tensor | None:
        """The weight of so many rows that lies at this place of a tensor; None if the tensor does not hold it."""
        packed, (index, parts) = tensor.packed, self.part
        if packed.ndim == 0:
            return None
        if self.entry:
            if packed.ndim != 3 or numbers[-1] >= len(packed):
                return None
            packed = packed[numbers[-1]]
        if self.turned and packed.ndim == 2:
            # blocks run along rows: turned, a block would hold numbers of several rows
            if tensor.format.block > 1:
                return None
            packed = packed.T
        if parts > 1:
            if len(packed) != parts * rows:
                return None
            packed = packed[index * rows : (index + 1) * rows]
        return Tensor(packed, tensor.format)


Places = dict[str, tuple[Place, ...]]  # by the name of the weight, its numbers replaced by {}
_ABSENT: Any = object()


class Values:
    """Checked values of a file's description: `ModelFileError` for what is missing or not what it has to be.

    A name that is absent has its default. One whose value is null is refused, unless null has a meaning of its own.
    """

    def __init__(self, where: str, values: Any, prefix: str = "") -> None:
        if not isinstance(values, dict):
            raise ModelFileError(f"{where} does not hold names and values")
        self.where, self.all = where, values
        self.prefix = prefix  # of all names that are asked for
        self.asked: set[str] = set()  # with their prefix

    @property
    def names(self) -> list[str]:
        """Names that have a value."""
        return [name for name, value in self.all.items() if value is not None]

    def has(self, name: str) -> bool:
        """Whether there is a value."""
        self.asked.add(self.prefix + name)
        return self.all.get(self.prefix + name) is not None

    def _value(self, name: str, meant: str, fits: Callable[[Any], bool], default: Any) -> Any:
        self.asked.add(self.prefix + name)
        value = self.all.get(self.prefix + name, _ABSENT)
        if value is _ABSENT and default is not None:
            return default
        if value is _ABSENT or (value is None and default is None):
            raise ModelFileError(f"{self.where}: {self.prefix}{name} is missing; it must be {meant}")
        if not fits(value):
            raise ModelFileError(f"{self.where}: {self.prefix}{name} must be {meant}, not {_shortened(value)}")
        return value

    def whole(
        self, name: str, default: int | None = None, *, null: int | None = None, least: int = 1, most: int = 2**31
    ) -> int:
        """A whole number from `least` to `most`; the default where it is absent, `null` where it is null."""
        if null is not None and self.prefix + name in self.all and not self.has(name):
            return null
        fits = lambda value: type(value) is int and least <= value <= most  # noqa: E731
        return int(self._value(name, f"a whole number from {least} to {most}", fits, default))

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number that is not negative; or the default."""
        # a comparison is false for not-a-number, and infinity is not below anything
        fits = lambda value: type(value) in (int, float) and 0 <= value < 2**63  # noqa: E731
        return float(self._value(name, "a finite number that is not negative", fits, default))

    def flag(self, name: str, default: bool) -> bool:
        """True or false; or the default."""
        return bool(self._value(name, "true or false", lambda value: type(value) is bool, default))

    def word(self, name: str, default: str | None = None) -> str:
        """A word; or the default."""
        return str(self._value(name, "a word", lambda value: type(value) is str, default))

    def words(self, name: str) -> list[str]:
        """A list of words; none if there is no such name."""
        if not self.has(name):
            return []
        fits = lambda value: type(value) is list and all(type(word) is str for word in value)  # noqa: E731
        return list(self._value(name, "a list of words", fits, []))

    def must_be(self, name: str, *accepted: Any) -> None:
        """Refuse a value that is not among those accepted; a missing value is accepted."""
        value = self.all.get(self.prefix + name)
        if self.has(name) and not any(type(value) is type(one) and value == one for one in accepted):
            raise ModelFileError(f"{self.where}: the engine does not support {self.prefix}{name} {_shortened(value)}")

    def one_of(self, name: str, words: Mapping[str, Any], default: str | None = None) -> Any:
        """Entry of `words` for the word of this name, or for the default; `ModelFileError` for any other word."""
        word = self.word(name, default)
        if word not in words:
            raise ModelFileError(f"{self.where}: {name} must be one of {', '.join(words)}, not {_shortened(word)}")
        return words[word]

    def refuse_others(self, suspicious: Callable[[str], bool]) -> None:
        """Refuse the first suspicious name that nothing asked for and that is not off: it may change what is run."""
        for name, value in self.all.items():
            # 0.0 is not off: a scale of nothing changes everything
            off = value is None or (type(value) in (bool, int, str, list, dict) and not value)
            if name.startswith(self.prefix) and name not in self.asked and not off and suspicious(name):
                raise ModelFileError(f"{self.where}: the engine does not know {name!r:.80}, which may change results")

    def section(self, name: str) -> Values:
        """Values below a name; none if there is no such name."""
        return Values(f"{self.where}: {name}", self.all[name] if self.has(name) else {})


def _shortened(value: Any) -> str:
    """A value of a file in a message: some of it, on one line."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
        return "one with more than 30 digits"
    return f"{type(value).__name__}" if isinstance(value, list | dict) else f"{value!r:.60}"


def place_weights(
    where: str,
    config: Config,
    tensors: Mapping[str, Tensor],
    places: Places,
    machine: Machine,
    spare: tuple[str, ...],
) -> dict[str, OffChip]:
    """Every weight that the configuration asks for, as it is stored, off-chip; each tensor has to be used.

    Args:
        where: the file or folder, for messages.
        config: what is asked for.
        tensors: what there is.
        places: for each weight, its numbers replaced by {}, where it may lie; the first place that exists counts.
        machine: whose memory holds them.
        spare: endings of the names of tensors that are left unused.
    """
    found, used = {}, set()
    for name, shape in config.shapes.items():
        numbers, key, kind = _parsed(name)
        candidates = [(place, place.tensor(numbers, kind)) for place in places[key]]
        place, tensor = next((pair for pair in candidates if pair[1] in tensors), candidates[0])
        if tensor not in tensors:
            raise ModelFileError(f"{where}: the tensor {tensor}, which should hold {name}, is missing")
        stored = tensors[tensor]
        taken = place.taken(stored, numbers, shape[0])
        if taken is None or taken.packed.ndim != len(shape) or taken.format.shape(taken.packed) != shape:
            raise ModelFileError(
                f"{where}: {name} should be {' by '.join(map(str, shape))}, "
                f"but the tensor {tensor} has the shape {stored.format.shape(stored.packed)}"
            )
        used.add(tensor)
        with machine.ledger.scope(f"weights.{name}"):
            found[name] = machine.place(taken.packed, taken.format)
    # a tensor that nothing uses belongs to a part that the engine would leave out without a word
    unused = sorted(name for name in tensors.keys() - used if not name.endswith(spare))
    if unused:
        raise ModelFileError(f"{where}: the model does not use the tensor {unused[0]}")
    return found


def _parsed(name: str) -> tuple[list[int], str, str]:
    """The numbers in a weight's name, the name without them and without its kind, and whether it is weight or bias."""
    words = name.split(".")
    kind = words.pop() if words[-1] in ("weight", "bias") else "weight"
    numbers = [int(word) for word in words if word.isdecimal()]
    return numbers, ".".join("{}" if word.isdecimal() else word for word in words), kind
