"""Reading a config.json

Nothing in the file is trusted: its size is bounded, its fields are looked up by name and have to be what they say, and
whatever is wrong with it is said in one sentence that names the field.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from typing import Any

from ..errors import InvalidModel, shown, within_memory
from ..files import content, path_of
from .harmless_keys import HARMLESS, ROTARY, speaks_of_shapes

_LARGEST_FILE = 2**24  # bytes; real ones have a few thousand
_LARGEST = 2**40  # of any count in a config
_LONGEST_PATH = 240  # signs of it in a sentence
REQUIRED: Any = object()  # in the place of a default: the field has to be there
_REFUSED: Any = object()


def read(source: str | os.PathLike[str] | Mapping[str, Any], where: str = "") -> Fields:
    """Read the fields of a config.json, of a directory that holds one, or of a dictionary like it.

    Sentences call it `where`; by its path, if that is left out.
    """
    if isinstance(source, Mapping):
        return Fields(dict(source), "the given config")
    path = path_of(source, InvalidModel)
    path = os.path.join(path, "config.json") if os.path.isdir(path) else path
    where = where or shown(path, _LONGEST_PATH)
    data = content(path, _LARGEST_FILE, InvalidModel, "is too large for a config.json", where)
    if data.startswith(b"GGUF"):
        raise InvalidModel(f"{where} is a GGUF file, not a config.json; to be read as one, its name must end in .gguf.")
    try:
        with within_memory(f"reading {where}"):
            found = json.loads(data, object_pairs_hook=_once)
    except _Twice as error:
        raise InvalidModel(f"{where} says {shown(str(error))} twice.") from None
    except (ValueError, RecursionError):
        raise InvalidModel(f"{where} is not JSON.") from None
    if not isinstance(found, dict):
        raise InvalidModel(f"{where} does not hold a JSON object.")
    return Fields(found, where)


class _Twice(Exception):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON whose keys are there once: of two values, nobody knows which is meant."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


class Fields:
    """The fields of one config, each read as what it has to be; `InvalidModel` for one that is not.

    A field that is absent has the default of its family. One that is null is refused, as transformers does, unless the
    family says what null means.
    """

    def __init__(self, values: dict[Any, Any], where: str) -> None:
        self._values = values
        self._read: set[str] = set()
        self.where = where

    def wrong(self, sentence: str) -> InvalidModel:
        """The error that says what is wrong with this config."""
        return InvalidModel(f"{self.where}: {sentence}.")

    def _value(self, name: str, default: Any, null: Any = _REFUSED) -> Any:
        self._read.add(name)
        value = self._values.get(name, default)
        if value is None and name in self._values and null is not _REFUSED:
            return null
        if value is REQUIRED or (value is None and default is REQUIRED):
            raise self.wrong(f"the field {name} is missing")
        return value

    def whole(
        self,
        name: str,
        default: Any = REQUIRED,
        *,
        null: Any = _REFUSED,
        also: str | tuple[str, ...] = (),
        least: int = 1,
        most: int = _LARGEST,
    ) -> int:
        """Whole number that a field gives; the default where the field is absent, `null` where it is null.

        `also` lists other names of the field; two that differ are refused.
        """
        names = (name, also) if isinstance(also, str) else (name, *also)
        if also and (said := [one for one in reversed(names) if one in self._values]):
            found = {one: self.whole(one, least=least, most=most) for one in said}
            for one, value in found.items():
                if value != found[said[0]]:
                    raise self.wrong(f"{said[0]} is {found[said[0]]}, but {one} is {value}")
            self._read.update(names)
            return found[said[0]]
        value = self._value(name, default, null)
        # True is an int to Python, and 1 layer is not what `true` means
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(f"{name} must be a whole number, not {_shown(value)}")
        if not least <= value <= most:
            raise self.wrong(f"{name} must be between {least} and {most}, not {_shown(value)}")
        return value

    def number(self, name: str, default: float) -> float:
        """Number above 0 that a field gives, whole or not; the default where the field is absent."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"{name} must be a number, not {_shown(value)}")
        if not 0 < value <= _LARGEST:  # so is none that JSON calls NaN
            raise self.wrong(f"{name} must be above 0 and at most {_LARGEST}, not {_shown(value)}")
        return value

    def layers(self, name: str, *, also: str = "") -> int:
        """Number of blocks that a field gives."""
        return self.whole(name, also=also, most=2**16)

    def optional(self, name: str, default: int | None = None) -> int | None:
        """Whole number that a field gives, or None where the field is null; the default where it is absent."""
        if self._value(name, default, None) is None:
            return None
        return self.whole(name, default)

    def flag(self, name: str, default: bool, *, null: Any = _REFUSED) -> bool:
        """Truth value that a field gives; the default where the field is absent, `null` where it is null."""
        value = self._value(name, default, null)
        if not isinstance(value, bool):
            raise self.wrong(f"{name} must be true or false, not {_shown(value)}")
        return value

    def word(self, name: str) -> str:
        """Text that a field gives; the field has to be there."""
        value = self._value(name, REQUIRED)
        if not isinstance(value, str):
            raise self.wrong(f"{name} must be text, not {_shown(value)}")
        return value

    def choice(self, name: str, choices: Mapping[str, int], default: str) -> int:
        """Number that the word in a field stands for; that of the default where the field is absent or null."""
        value = self._value(name, default, default)
        if value not in choices if isinstance(value, str) else True:
            raise self.wrong(f"{name} must be one of {', '.join(choices)}, not {_shown(value)}")
        return choices[value]

    def items(self, name: str, kind: type) -> list[Any] | None:
        """A list of things of one kind, or None where the field is absent or null."""
        value = self._value(name, None, None)
        if value is None:
            return None
        if not isinstance(value, list) or not all(type(item) is kind for item in value):
            raise self.wrong(f"{name} must be a list of {'texts' if kind is str else 'whole numbers'}")
        return value

    def kinds(self, name: str, n: int, known: Collection[str], given: list[str] | None = None) -> list[str] | None:
        """Checked list of the kind of each of n layers, from the field or from `given`; None where there is none."""
        kinds = self.items(name, str) if given is None else given
        if kinds is not None and (len(kinds) != n or set(kinds) - set(known)):
            raise self.wrong(f"{name} must list {' or '.join(sorted(known))} for each of the {n} layers")
        return kinds

    def signs(self, name: str) -> list[str] | None:
        """List of the characters of a text, or a list of texts; None where the field is absent or null."""
        value = self._value(name, None, None)
        return list(value) if isinstance(value, str) else self.items(name, str)

    def free(self, name: str) -> Any:
        """Value of a field without a check, for fields that change no shape; None where it is absent or null."""
        self._read.add(name)
        return self._values.get(name)

    def table(self, name: str) -> dict[Any, Any]:
        """Object that a field gives, as a dictionary; empty where the field is absent or null."""
        value = self._value(name, {}, {})
        if not isinstance(value, dict):
            raise self.wrong(f"{name} must be an object, not {_shown(value)}")
        return value

    def inner(self, name: str, defaults: Mapping[str, Any]) -> Fields:
        """Fields of an object inside this config, with defaults for those that it leaves out."""
        if not isinstance(self._value(name, REQUIRED), dict):
            raise self.wrong(f"{name} must be an object, not {_shown(self._values[name])}")
        return Fields({**defaults, **self._values[name]}, f"{self.where}, {name}")

    def without(self, names: Collection[str], given: Mapping[str, Any]) -> Fields:
        """Copy of these fields without the named ones, and with the given ones added."""
        return Fields(
            {name: value for name, value in self._values.items() if name not in names} | {**given}, self.where
        )

    def put(self, name: str, value: Any) -> None:
        """Set a field to the value that another place gives for it."""
        self._values[name] = value

    def named(self, words: frozenset[str]) -> frozenset[str]:
        """The fields that have one of these words in their names."""
        return frozenset(name for name in self._values if not words.isdisjoint(str(name).lower().split("_")))

    def was_read(self, name: str) -> bool:
        """Whether the field is there, and was asked for."""
        return name in self._read and self._values.get(name) is not None

    def unread(self, name: str) -> Any:
        """Value of a field that nothing has read; None where it was read or is absent."""
        return None if name in self._read else self._values.get(name)

    def pass_over(self, name: str) -> None:
        """Mark a field as read, since it is known to change nothing."""
        self._read.add(name)

    def shown(self, name: str) -> str:
        """The value of a field, for a sentence."""
        return _shown(self._values[name])

    def same(self, name: str, value: int | str) -> None:
        """Refuse a field, if it is there, with any value but the one that all models of this kind have."""
        # 1 == True, so a flag would pass for the number
        found = self._value(name, None, None)
        if found is not None and (found != value or isinstance(found, bool) is not isinstance(value, bool)):
            raise self.wrong(f"{name} must be {value} in a model of this kind, not {_shown(self._values[name])}")

    def repeats(self, **values: int | str) -> None:
        """Refuse fields that are there and say something else than others have said."""
        for name, value in values.items():
            self.same(name, value)

    def always(self, name: str, value: bool = True) -> None:
        """Refuse a switch that is there and not set as in all models of this kind."""
        if self.flag(name, value) is not value:
            wanted, found = ("true", "false") if value else ("false", "true")
            raise self.wrong(f"{name} must be {wanted} in a model of this kind, not {found}")

    def has_no(self, *names: str) -> None:
        """Refuse fields that are there and not off, since what they switch on is not counted here."""
        for name in names:
            if self._value(name, None, None) not in (None, False, 0):
                raise self.wrong(f"{name} is {_shown(self._values[name])}, which this package does not support")

    def refuse_unread(self, family: str, ignored: frozenset[str]) -> None:
        """Refuse fields that speak of shapes and were not read, since they may change the counts.

        Args:
            family: name of the family, for the sentence.
            ignored: fields that are known not to change this family.
        """
        for name, value in self._values.items():
            if name not in self._read | ignored | HARMLESS and speaks_of_shapes(name) and value not in _OFF:
                raise self.wrong(
                    f"{shown(name)} is unknown for {family} and may change its weights; leave it out if it does not"
                )
        tables = {"": {"partial_rotary_factor": self._values.get("partial_rotary_factor")}} | self._rotations()
        for where, table in tables.items():
            for name, value in table.items():
                if name not in ROTARY:
                    raise self.wrong(f"{where} has {shown(name)}, which this package does not know")
                if name == "partial_rotary_factor" and name not in ignored and value not in (None, 1):
                    raise self.wrong(
                        f"{f'{where}.' if where else ''}{name} must be 1 in a model of this kind, not {_shown(value)}"
                    )

    def _rotations(self) -> dict[str, dict[Any, Any]]:
        """The tables of rotary positions by where they are: one, or one for each kind of block."""
        found = {}
        for name in ("rope_parameters", "rope_scaling"):
            table = self.table(name)
            for kind in ("full_attention", "sliding_attention", "main", "compress"):
                if kind in table:
                    inner = table[kind] or {}
                    if not isinstance(inner, dict):
                        raise self.wrong(f"{name}.{kind} must be an object, not {_shown(inner)}")
                    found[f"{name}.{kind}"] = inner
            found[name] = {key: value for key, value in table.items() if f"{name}.{key}" not in found}
        return found


_OFF: tuple[Any, ...] = (None, False, 0, "", [], {})


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**40:
        return "a number of more than forty digits"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return "null" if value is None else f"'{shown(value)}'" if isinstance(value, str) else shown(value)
