"""Every figure of the data that the package ships, as a list in `data/pinned.txt`

Most figures are printed by one source alone, so nothing computes them. Written down a second time, a changed digit is a
changed line that somebody reads. `python tests/pinned.py` writes the list anew; what changed in it is for the review.
Figures with the word behind them, which is their unit: other words may change without it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).parent / "data" / "pinned.txt"
_NAMES = ("id", "title", "name")  # what tells the items of a list apart: claims of a source, say
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*(?: ?[A-Za-z%][\w/%-]*)?")


def shipped() -> dict[str, Any]:
    """Contents of all data files of the package, by their paths, whatever files there are.

    But the configs of models: they have a second witness each (`test_presets.py`).
    """
    found: dict[str, Any] = {}
    for path in sorted((ROOT / "symbolic_llm").rglob("*")):
        if path.suffix in (".toml", ".json"):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(ROOT / "symbolic_llm").as_posix()
            found[name] = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    for row in found["presets/models.json"].values():
        row.pop("config", None)  # one that is like another has none
    return found


def numbers(inside: Any, place: str) -> Iterator[tuple[str, str]]:
    """Every place with a figure, and its figures in their order."""
    if isinstance(inside, Mapping):
        for key, value in inside.items():
            if key != "id" or not isinstance(value, str):  # that stands in the place
                yield from numbers(value, f"{place} {key}")
    elif isinstance(inside, list) and any(isinstance(item, Mapping | list) for item in inside):
        for number, item in enumerate(inside):
            named = [item[key] for key in _NAMES if key in item] if isinstance(item, Mapping) else []
            yield from numbers(item, f"{place} {named[0] if named else number}")
    elif isinstance(inside, bool) or inside is None:
        return
    elif found := _FIGURE.findall(" ".join(map(str, inside)) if isinstance(inside, list) else str(inside)):
        yield place, " ".join(found)


def figures(data: Mapping[str, Any]) -> dict[str, str]:
    """The figures of some files by their places."""
    found: dict[str, str] = {}
    for name, inside in data.items():
        for place, value in numbers(inside, name):
            assert place not in found, f"{place} is there twice"
            found[place] = value
    return found


def pinned() -> dict[str, str]:
    """The list."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {place: value for place, _, value in (line.partition(": ") for line in lines)}


def changed(found: Mapping[str, str], kept: Mapping[str, str]) -> set[str]:
    """The places where two lists of figures differ."""
    return {place for place, _ in found.items() ^ kept.items()}


if __name__ == "__main__":
    FILE.write_text("".join(f"{place}: {value}\n" for place, value in figures(shipped()).items()), encoding="utf-8")
