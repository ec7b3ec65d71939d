"""The tables: models, number formats and sources by name; the rows of hardware"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING, Any, Union

from ..errors import InvalidModel, UnknownName, known_name, option, unknown_name
from ..files import path_of
from ..stored_formulas import stored_row

if TYPE_CHECKING:
    from ..models import Model


ModelSource = Union[str, os.PathLike[str], Mapping[str, Any], "Model"]


_MIXTURE = re.compile(r"i?q\d_k_(?:xs|s|m|l|xl)")  # of llama.cpp
_NO_DEVICE = "symbolic-llm presets lists the known ones; a file that ends in .toml describes your own"
_KINDS = ("models", "hardware", "formats", "sources")


@dataclass(frozen=True)
class Source:
    """A cited source: the page or publication that prints something."""

    key: str
    author: str
    title: str
    year: int
    url: str


@cache
def _table(name: str) -> dict[str, Any]:
    stored: dict[str, Any] | None = stored_row("table", name)  # JSON, which is read sooner than TOML
    if stored is not None:
        return stored
    if name == "models":  # configs as their authors publish them
        found: dict[str, Any] = json.loads(get_data(__package__, f"{name}.json") or b"")
        return found
    import tomllib  # read only when a preset is asked for

    return tomllib.loads((get_data(__package__, f"{name}.toml") or b"").decode("utf-8"))


def names(kind: str) -> tuple[str, ...]:
    """The names of one kind of preset: "models", "hardware", "formats" or "sources"."""
    return tuple(_table(known_name("kind of preset", kind, _KINDS)))


def _key(kind: str, name: str) -> str:
    """A name as the table has it, however it was written."""
    plain = name.strip().lower()
    # a format such as q4_0 keeps its underscore; in every other name it is a slip for a hyphen
    return plain if kind == "formats" else plain.replace("_", "-")


def look_up(kind: str, what: str, name: object, otherwise: str = "") -> tuple[str, Any]:
    """The key and the row of a name; `UnknownName` says the nearest of its family, or `otherwise`."""
    if not isinstance(name, str):
        raise UnknownName(
            f"a {what} must be given by its name, such as {names(kind)[0]!r}, not as {type(name).__name__}."
        )
    key = _key(kind, name)
    if key not in _table(kind):
        families = kind in ("models", "hardware")
        raise unknown_name(what, name, names(kind), otherwise=otherwise, families=families)
    return key, _table(kind)[key]


def look_up_preset(preset: str, name: Any) -> Any:
    """The entry of the tables that a question means by `model=`, `hardware=`, `dtype=`, `weights=` or `cache=`.

    No figure is read of it. "name@source" is hardware that this source prints. `UnknownName` says the nearest.
    """
    if preset == "model":
        return look_up("models", "model", name)
    if preset == "hardware":
        base, at, asked = name.partition("@") if isinstance(name, str) else (name, "", "")
        key, row = look_up("hardware", "hardware", base, _NO_DEVICE)
        if at:
            known_name("source", asked, row["from"], f"{key} has no figures from this source: ")
        return key, row
    return arithmetic(name) if preset == "dtype" else storage(name)


def source(key: str) -> Source:
    """The source that `key` stands for."""
    _, entry = look_up("sources", "source", key)
    return Source(key, **entry)


def config(key: str) -> dict[str, Any]:
    """The fields of a preset's config.json; one that is `like` another has the other's."""
    row = _table("models")[key]
    return config(row["like"]) if "like" in row else dict(row["config"])


@cache
def _preset_model(key: str) -> Model:
    from ..models import Model

    entry = _table("models")[key]
    return replace(
        Model.from_config(config(key)),
        name=key,
        title=entry["title"],
        nominal=entry.get("nominal", 0),
        sources=tuple(entry["sources"]),
    )


def _is_repository(name: str) -> bool:
    from ..models.hub import is_repository

    return is_repository(name)


@cache  # a question asks for its model several times
def _of_hub(name: str, _: str) -> Model:
    from ..models import Model

    return Model.from_hub(name)


def model(source: ModelSource) -> Model:
    """The model of a preset's name, of a GGUF file, or of a config.json: its path, that of its directory, its fields.

    "Qwen/Qwen3-32B" is a repository of the Hugging Face Hub, unless there is a file of that name; of it config.json and
    the headers of its tensor files are read.

    `UnknownName` with the nearest if there is no such preset, `InvalidModel` for a file that cannot be read as one.
    """
    from ..models import Model

    if isinstance(source, Model):
        return source
    # a preset goes before a file of its name, or an answer would depend on the directory it is asked in
    known = isinstance(source, str) and _key("models", source) in _table("models")
    path = isinstance(source, os.PathLike)
    if path:
        source = path_of(source, InvalidModel)
    elif isinstance(source, str):
        path = source.endswith((".json", ".gguf")) or os.sep in source or os.path.exists(source)
    if not known and isinstance(source, str) and "/" in source and _is_repository(source):
        return _of_hub(source, os.environ.get("HF_ENDPOINT", ""))
    if not known and isinstance(source, str) and source.lower().endswith(".gguf"):
        from ..models.gguf import from_gguf

        return from_gguf(Model, source)
    if not known and (path or isinstance(source, Mapping)):
        return Model.from_config(source)
    key, _ = look_up("models", "model", source)
    return _preset_model(key)


def named_as_mixture(name: object) -> bool:
    """Whether a name is that of a mixture of formats, as llama.cpp calls them: what it stores depends on the model."""
    return isinstance(name, str) and _MIXTURE.fullmatch(name.strip().lower()) is not None


def storage(name: str) -> dict[str, str]:
    """Letters of a number format that say how it stores: `n_bytes`, in block formats `n_bits`, `n_block`, `n_scale`."""
    if named_as_mixture(name):
        raise UnknownName(
            f"{name.strip().lower()} is a mixture of number formats, whose bytes depend "
            f"on the model: give {option('model', '=')}, a preset or the file itself, or its bytes per weight as "
            "n_bytes=."
        )
    _, entry = look_up("formats", "number format", name)
    return {letter: str(value) for letter, value in entry.items() if letter not in ("peak", "way")}


def arithmetic(name: str) -> str:
    """The number format a machine computes in under this name; `UnknownName` for formats that only store."""
    key, entry = look_up("formats", "number format", name)
    if "peak" not in entry:
        raise UnknownName(
            f"{key} is a storage format, and no machine computes in it; give it as {option('weights', '=')} or "
            f"{option('cache', '=')}, and as {option('dtype', '=')} "
            f"one of {', '.join(computing())}."
        )
    return str(entry["peak"])


def computing() -> tuple[str, ...]:
    """The number formats that machines compute in."""
    return tuple(name for name in names("formats") if "peak" in _table("formats")[name])


def way(name: str) -> str:
    """Description of the way of computing that a format's name stands for; "" for the usual way."""
    _, entry = look_up("formats", "number format", name)
    return str(entry.get("way", ""))
