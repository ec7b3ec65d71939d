"""Reading a config.json

Nothing in the file is trusted: its size is bounded, its fields are looked up by name and have to be what they say, and
whatever is wrong with it is said in one sentence that names the field.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidModel, clipped

_LARGEST_FILE = 2**24  # bytes; real ones have a few thousand
_LARGEST = 2**40  # of any count in a config
_REQUIRED: Any = object()


def read(source: str | os.PathLike[str] | Mapping[str, Any]) -> Fields:
    """The fields of a config.json, of a directory that holds one, or of a dictionary like it."""
    if isinstance(source, Mapping):
        return Fields(dict(source), "the given config")
    path = Path(source)
    try:
        if path.is_dir():
            path = path / "config.json"
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidModel(f"{clipped(str(path), 200)} cannot be read: {str(reason).lower()}.") from None
    if len(data) > _LARGEST_FILE:
        raise InvalidModel(f"{path} is larger than any config.json.")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise InvalidModel(f"{path} is not JSON.") from None
    if not isinstance(found, dict):
        raise InvalidModel(f"{path} holds no JSON object.")
    return Fields(found, str(path))


class Fields:
    """The fields of one config, each read as what it has to be; `InvalidModel` for one that is not."""

    def __init__(self, values: dict[Any, Any], where: str) -> None:
        self._values = values
        self.where = where

    def wrong(self, sentence: str) -> InvalidModel:
        """The error that says what is wrong with this config."""
        return InvalidModel(f"{self.where}: {sentence}.")

    def _value(self, name: str, default: Any) -> Any:
        value = self._values.get(name)
        if value is not None:
            return value
        if default is _REQUIRED:
            raise self.wrong(f"the field {name} is missing")
        return default

    def whole(self, name: str, default: Any = _REQUIRED, *, least: int = 1, most: int = _LARGEST) -> int:
        """A whole number; the default where the field is absent or null."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(f"{name} is a whole number, not {_shown(value)}")
        if not least <= value <= most:
            raise self.wrong(f"{name} is between {least} and {most}, not {_shown(value)}")
        return value

    def layers(self, name: str) -> int:
        """A number of blocks."""
        return self.whole(name, most=2**16)

    def optional(self, name: str, default: int | None = None) -> int | None:
        """A whole number, or None where the field is null; the default where it is absent."""
        if name in self._values and self._values[name] is None:
            return None
        return self.whole(name) if name in self._values else default

    def flag(self, name: str, default: bool) -> bool:
        """True or false; the default where the field is absent or null."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self.wrong(f"{name} is true or false, not {_shown(value)}")
        return value

    def word(self, name: str) -> str:
        """A text."""
        value = self._value(name, _REQUIRED)
        if not isinstance(value, str):
            raise self.wrong(f"{name} is a text, not {_shown(value)}")
        return value

    def items(self, name: str, kind: type) -> list[Any] | None:
        """A list of things of one kind, or None where the field is absent or null."""
        value = self._value(name, None)
        if value is None:
            return None
        if not isinstance(value, list) or not all(type(item) is kind for item in value):
            raise self.wrong(f"{name} is a list of {'texts' if kind is str else 'whole numbers'}")
        return value


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**40:
        return "a number of more than forty digits"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
