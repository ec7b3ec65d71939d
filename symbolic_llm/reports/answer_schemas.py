"""JSON Schemas of what each command prints with --json: `python -m symbolic_llm.reports.answer_schemas` writes the file

A later version may add fields, so schemas allow fields that they do not name. What they name stays: `CONTRIBUTING.md`
says for how long.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from ..files import write

PATH = Path(__file__).parent / "answers.schema.json"
COMMAND = "python -m symbolic_llm.reports.answer_schemas"
Schema = dict[str, Any]


def _of(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _said(kind: str) -> Schema:
    """Schema of a kind in words: a name of `_KINDS`, or made of one as "[text]", "text or null", "text by name" are."""
    if kind.startswith("["):
        return {"type": "array", "items": _said(kind[1:-1])}
    if kind.endswith(" by name"):
        return {"type": "object", "additionalProperties": _said(kind.removesuffix(" by name"))}
    if kind.endswith(" or null"):
        found = _said(kind.removesuffix(" or null"))
        return found | {"type": [found["type"], "null"]}
    return _KINDS[kind]


def _field(said: str) -> Schema:
    """Schema of a field from its kind and what it means: "whole # of a step"."""
    kind, _, meaning = said.partition(" # ")
    return _said(kind) | ({"description": meaning} if meaning else {})


def _object(fields: str) -> Schema:
    """Schema of an object from its fields, as `answers.toml` writes them."""
    properties, required = dict[str, Schema](), list[str]()
    for line in filter(None, map(str.strip, re.split("[;\n]", fields))):
        if line.startswith("*"):
            others = _KINDS[line[1:]]
            properties, required = properties | others["properties"], required + others["required"]
            continue
        names, _, said = line.partition(": ")
        for name in names.split(", "):
            plain = name.removesuffix("?")
            properties[plain] = _field(said or plain)
            required += [plain] if plain == name else []
    return {"type": "object", "required": required, "properties": properties}


def _answer(said: str | list[str]) -> Schema:
    """Schema of an answer: an object, a list, or one of several shapes, each an object or the name of an answer."""
    if isinstance(said, str):
        return _said(said) if said.startswith("[") else _object(said)
    shapes = [_of(one) if one in _WRITTEN["answers"] else _object(one) for one in said]
    return {"type": "object", "anyOf": shapes}


_KINDS: dict[str, Schema] = {
    "anything": {},
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "yes or no": {"type": "boolean"},
    "text or number": {"type": ["number", "string"]},
    "text or whole": {"type": ["string", "integer"]},
    "truth or number": {"type": ["number", "boolean"]},
    "binding": {"enum": ["memory", "arithmetic", None]},
    "verdict": _of("verdict"),
}
_WRITTEN = tomllib.loads((Path(__file__).parent / "answers.toml").read_text(encoding="utf-8"))
for _name, _value in _WRITTEN["values"].items():
    _KINDS[_name] = _field(_value)
for _name, _fields in _WRITTEN["parts"].items():  # one is made of those before it
    _KINDS[_name] = _object(_fields)
_ANSWERS = {name: _answer(fields) for name, fields in _WRITTEN["answers"].items()}
_ANSWERS["presets"]["minProperties"] = 1
_ANSWERS["sizing"]["additionalProperties"] = _field("value # the figure of the row with this key")


def schemas() -> Schema:
    """All schemas of draft 2020-12 as one: each under `$defs`, by the name of its command, and errors as `error`."""
    from ..checks.verdict import Verdict

    verdict = {"enum": [verdict.value for verdict in Verdict]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of symbolic-llm with --json",
        "description": "The schema of a command's answer is the one of its name under $defs; error is that of any.",
        "$comment": f"Written by `{COMMAND}`.",
        "$defs": _ANSWERS | {"verdict": verdict},
    }


def schema(command: str, *others: str) -> Schema:
    """The schema of the answers of one command, with all that it refers to, and other definitions beside it.

    Raises:
        KeyError: for a command that there is not.
    """
    every = schemas()["$defs"]
    needed = {name: every[name] for name in (command, *others)}
    while more := {name: every[name] for name in _referred(needed) if name not in needed}:
        needed |= more
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": f"#/$defs/{command}", "$defs": needed}


def _referred(schema: Any) -> list[str]:
    """Names of the definitions that a schema refers to."""
    if isinstance(schema, dict):
        own = [schema["$ref"].rpartition("/")[2]] if "$ref" in schema else []
        return own + [name for value in schema.values() for name in _referred(value)]
    return [name for value in schema for name in _referred(value)] if isinstance(schema, list) else []


def written() -> str:
    """The text of the file."""
    return json.dumps(schemas(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(PATH, written().encode())
