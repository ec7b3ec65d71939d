"""The JSON Schema of a file of claims, written from the classes that a file is read into

It is for editors and for programs that write such files. What it cannot say is said when the file is read: that two
claims have one name, that an expression is none, that a cause does not give the printed figure.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..files import write
from .claim import LONGEST_TEXT, NEEDED, OWN, Claim, Source, causes

PATH = Path(__file__).parent / "claims.schema.json"
COMMAND = "python -m symbolic_llm.audit.schema"
_TYPES: dict[str, dict[str, Any]] = {
    "str": {"type": "string", "maxLength": LONGEST_TEXT},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
}
_ATTRIBUTE = re.compile(r"^ {8}(\w+): (.+)$", re.MULTILINE)


def schema() -> dict[str, Any]:
    """A schema of draft 2020-12 that holds for a file if, and only if, its fields are those that are read."""
    claim = _table(Claim)
    claim["properties"]["cause"]["enum"] = ["", *causes()]
    claim["oneOf"] = [_has("printed"), _has("equation")]
    claim["allOf"] = [
        {"if": _has("equation"), "then": _has("formula")},
        {"if": {"allOf": [_has("printed"), {"not": _true("observed")}]}, "then": _has("value")},
        {"if": {"allOf": [_has("printed"), _has("cause")]}, "then": _has("because")},
        {"if": {"allOf": [_has("printed"), _has("because")]}, "then": _has("cause")},
    ]
    whole = _table(Source)
    whole["properties"]["claim"] = {"type": "array", "minItems": 1, "items": claim}
    whole["required"].append("claim")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A file of claims",
        "description": "A source, and a table [[claim]] for each of its figures and equations.",
        "$comment": f"Written by `{COMMAND}`.",
        **whole,
    }


def written() -> str:
    """The text of the file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _table(kind: type[Claim] | type[Source]) -> dict[str, Any]:
    said = _said(kind)
    properties = {
        field.name: {**_TYPES[str(field.type)], "description": said[field.name]}
        for field in fields(kind)
        if field.name not in OWN[kind]
    }
    for name in NEEDED[kind]:
        properties[name]["minLength"] = 1
    return {
        "type": "object",
        "properties": properties,
        "required": list(NEEDED[kind]),
        "additionalProperties": False,
    }


def _said(kind: type) -> dict[str, str]:
    """Descriptions of the fields of a class, by name, from its docstring."""
    return dict(_ATTRIBUTE.findall(kind.__doc__ or ""))


def _has(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"minLength": 1}}}


def _true(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"const": True}}}


if __name__ == "__main__":
    write(PATH, written().encode())
