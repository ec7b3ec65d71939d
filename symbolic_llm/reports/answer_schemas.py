"""JSON Schemas of what each command prints with --json: `python -m symbolic_llm.reports.answer_schemas` writes the file

A later version may add fields, so schemas allow fields that they do not name. What they name stays: `CONTRIBUTING.md`
says for how long.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files import write

PATH = Path(__file__).parent / "answers.schema.json"
COMMAND = "python -m symbolic_llm.reports.answer_schemas"
Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_ANY: Schema = {}
_WHOLE: Schema = {"type": "integer"}
_YES_OR_NO: Schema = {"type": "boolean"}


def _or_null(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _object(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = (), **more: Any) -> Schema:
    """An object with these properties, all of them required but for the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": dict(properties), **more}


def _any_of(*schemas: Schema) -> Schema:
    return {"type": "object", "anyOf": [*schemas]}


def _of(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


_DESCRIBED = {
    "value": "exact where it is a whole number, else the nearest double; null where there is none",
    "unit": "such as byte/second",
    "formula": "name with which `evaluate` and `explain` give the value",
    "letters": "letters that the formula was given beside the presets",
    "note": "why there is no value, or what is to be said of it",
}
_VALUE, _UNIT, _FORMULA, _NOTE = (
    kind | {"description": _DESCRIBED[name]}
    for name, kind in (("value", _or_null(_NUMBER)), ("unit", _TEXT), ("formula", _TEXT), ("note", _TEXT))
)
_LETTERS = _by_name({"type": ["number", "string"]}) | {"description": _DESCRIBED["letters"]}
_CONDITIONS = _list(_object({"relation": _TEXT, "sentence": _TEXT}))
_BRANCH = {"relation": _TEXT, "expr": _TEXT, "latex": _TEXT, "conditions": _CONDITIONS}
_GIVEN = _by_name(
    _object({"value": _NUMBER, "unit": _UNIT, "origin": _TEXT | {"description": "preset and source, or formula"}})
)
_SAID = _object({"name": _TEXT, "chapter": _TEXT, "title": _TEXT, "claim": _TEXT})
_BOUND = _TEXT | {"description": "what it is at least or at most, or between what, where there is no value"}
_ROW = _object(
    {
        "section": _TEXT,
        "label": _TEXT,
        "key": _TEXT,
        "value": _VALUE,
        "unit": _UNIT,
        "formula": _FORMULA,
        "letters": _LETTERS,
        "note": _NOTE,
        "copies": _WHOLE,
        "bound": _BOUND,
    }
)
_EDGES = {"least": _NUMBER, "most": _NUMBER}
_FORECAST = {
    "on": _TEXT,
    "bits": _WHOLE,
    "letters": _by_name(_object({"value": _NUMBER, **_EDGES})),
    "step_time": _object(_EDGES),
    "tokens_per_second": _object(_EDGES),
    "held_out": _TEXT | {"description": "what was left out one by one: model or device"},
    "median_error": _NUMBER,
    **dict.fromkeys(("rows", "batch", "context"), _WHOLE),
    "models": _list(_TEXT),
    "source": _TEXT,
}
_SOLUTION = {"formula": _FORMULA, "unknown": _TEXT, "value": _VALUE, "unit": _UNIT, "note": _NOTE, "given": _GIVEN}
_PRINTED = {"value": _NUMBER, "unit": _UNIT, "printed": _TEXT, "source": _TEXT}
_TABLES = {
    "models": _object(
        {
            "title": _TEXT,
            "family": _TEXT,
            "parameters": _WHOLE,
            "multiplied_parameters": _WHOLE,
            "active_parameters": _WHOLE,
            "shapes": _by_name(_WHOLE),
            "sources": _list(_TEXT),
        }
    ),
    "hardware": _object(
        {"title": _TEXT, "figures": _by_name(_object({**_PRINTED, "others": _list(_object(_PRINTED))}))}
    ),
    "formats": _by_name(_NUMBER),
    "sources": _by_name({"type": ["string", "integer"]}),
}
_RATE = {
    **dict.fromkeys(("best", "median", "spread"), _NUMBER),
    "runs": _WHOLE,
    "confirmed": _YES_OR_NO | {"description": "whether two rounds agree about the best"},
}
_PATH = dict.fromkeys(("bandwidth", "peak", "product"), _NUMBER)
_DEFINITIONS: dict[str, Schema] = {
    "error": _object({"error": _TEXT | {"description": "name of the error's class"}, "message": _TEXT}),
    "list": _list(_SAID),
    "find": _list(_SAID),
    "presets": _object(
        {kind: _by_name(entry) for kind, entry in _TABLES.items()}, optional=tuple(_TABLES), minProperties=1
    ),
    "show": _any_of(_of("formula"), _of("letters")),
    "formula": _object(
        {
            **dict.fromkeys(("name", "chapter", "title", "kind", "claim", "latex"), _TEXT),
            "conditions": _CONDITIONS,
            "letters": _by_name(_object({"meaning": _TEXT, "unit": _UNIT})),
            "steps": _list(_object({"rule": _TEXT, "with": _list(_TEXT), "result": _TEXT, "reason": _TEXT})),
            "uses": _list(_TEXT),
            **dict.fromkeys(("models", "measured_by", "unmeasured"), _TEXT),
            "sources": _list(_TEXT),
        }
    ),
    "letters": _object(
        {
            "letters": _list(
                _object(
                    {
                        **dict.fromkeys(("letter", "latex", "meaning"), _TEXT),
                        "unit": _UNIT,
                        "whole": _YES_OR_NO,
                        **dict.fromkeys(("aliases", "instead_of", "presets", "defined_by", "used_by"), _list(_TEXT)),
                    }
                )
            )
        }
    ),
    "model": _any_of(_of("sizing"), _of("operations")),
    "sizing": _object(
        {
            "model": _TEXT,
            "family": _TEXT,
            "shapes": _by_name(_WHOLE),
            "parameters_by_kind": _by_name(_WHOLE),
            "devices": _object({"tensor": _WHOLE, "pipeline": _WHOLE, "data": _WHOLE}),
            "context": _WHOLE,
            "batch": _WHOLE,
            "beyond": _TEXT | {"description": "remark on a context beyond the model's own limit"},
            "answer": _list(_TEXT) | {"description": "whether it fits, how fast it decodes, what binds"},
            "formats": _TEXT,
            "parameters": _WHOLE,
            "active_parameters": _WHOLE,
            "one_device_alone": _by_name(_VALUE),
            "stack": _object({"stack": _TEXT, "reason": _TEXT, **_FORECAST}, optional=tuple(_FORECAST)),
            "rows": _list(_ROW),
        },
        optional=("devices", "one_device_alone", "stack"),
        additionalProperties=_VALUE | {"description": "the figure of the row with this key"},
    ),
    "operations": _object(
        {
            "model": _TEXT,
            "batch": _WHOLE,
            "context": _WHOLE,
            "prompt": _WHOLE,
            "operations": _list(
                _object(
                    {
                        "operation": _TEXT,
                        **dict.fromkeys(("flops", "bytes", "intensity"), _NUMBER),
                        "binds": {"enum": ["memory", "arithmetic", None]},
                        "time": _VALUE,
                    }
                )
            ),
            "sum": _object({"flops": _NUMBER, "bytes": _NUMBER}),
            "totals": _by_name(
                _object({"value": _VALUE, "unit": _UNIT, "formula": _FORMULA, "note": _NOTE, "bound": _BOUND})
            ),
        },
        optional=("context", "prompt"),
    ),
    "plan": _object(
        {
            "model": _TEXT,
            "prompt": _WHOLE,
            "cached": _WHOLE | {"description": "first tokens of each prompt that are cached"},
            "output": _WHOLE,
            "requests_per_second": _or_null(_NUMBER),
            "serving": _TEXT | {"description": "how prompts are served"},
            "law": _TEXT | {"description": "the law of a step: part by part, or the bound where all overlaps"},
            "note": _TEXT,
            "choices": _list(
                _object(
                    {
                        "hardware": _TEXT,
                        "devices": _WHOLE,
                        "limit": _TEXT,
                        "by": _or_null(_TEXT),
                        "servers": _or_null(_WHOLE),
                        "tokens_per_second_and_device": _NUMBER,
                        "figures": _by_name(
                            _object(
                                {"value": _NUMBER, "unit": _UNIT, "formula": _or_null(_FORMULA), "letters": _LETTERS}
                            )
                        ),
                    }
                )
            ),
            "ways": _list(
                _object(
                    {
                        "serving": _TEXT,
                        "law": _TEXT,
                        **dict.fromkeys(("batch", "time_per_token", "tokens_per_second_and_device"), _TEXT),
                    }
                )
            )
            | {"description": "the first choice, served in each way"},
            "refused": _by_name(_TEXT | {"description": "why this device cannot serve"}),
        }
    ),
    "count": _object(
        {
            "path": _TEXT,
            "agrees": _YES_OR_NO,
            "lines": _list(
                _object(
                    {
                        "label": _TEXT,
                        "formula": _FORMULA,
                        "unit": _UNIT,
                        **dict.fromkeys(("predicted", "counted", "difference"), _NUMBER),
                    }
                )
            ),
            "ledger": _list(
                _object({"pass": _TEXT, "path": _TEXT, **dict.fromkeys(("flops", "loaded", "stored"), _WHOLE)})
            ),
        }
    ),
    "machine": _object(
        {
            **dict.fromkeys(("title", "system"), _TEXT),
            **dict.fromkeys(("memory", "threads"), _WHOLE),
            "noise": _object({"lost": _NUMBER, "stolen": _or_null(_NUMBER), "others": _or_null(_NUMBER)})
            | {"description": "shares of time that others took before anything was measured"},
            "bandwidth": _NUMBER | {"description": "W, in bytes a second"},
            "peak": _NUMBER | {"description": "F, in operations a second"},
            "readings": _list(_object({"bytes": _WHOLE, "threads": _WHOLE, **_RATE})),
            "copy": _object({"bytes": _WHOLE, **_RATE}),
            "engine": _object(
                {
                    **dict.fromkeys(("step", "block", "attention"), _NUMBER),
                    "formats": _by_name(_object({**_PATH, "crossover": _NUMBER})),
                }
            ),
            "times": _by_name(_object(_RATE)) | {"description": "seconds that the engine's figures were taken from"},
            "refused": _list(_TEXT) | {"description": "figures whose rounds differ by more than they claim"},
            "file": _or_null(_TEXT),
        }
    ),
    "measure": _object(
        {
            **dict.fromkeys(("model", "format"), _TEXT),
            "context": _WHOLE,
            "machine": _object(
                {
                    **dict.fromkeys(("title", "system"), _TEXT),
                    "figures": _by_name(_TEXT),
                    "engine": _object(
                        {
                            "threads": _WHOLE,
                            **dict.fromkeys(("step", "block", "attention"), _NUMBER),
                            "paths": _by_name(_object(_PATH)),
                        }
                    ),
                }
            ),
            "fixed": _NUMBER | {"description": "seconds of a step, whatever it reads and computes"},
            "steps": _list(
                _object(
                    {
                        "batch": _WHOLE,
                        **dict.fromkeys(("bound", "parts", "forecast", "best", "median", "spread"), _NUMBER),
                        "runs": _WHOLE,
                        "confirmed": _YES_OR_NO,
                    }
                )
            )
            | {"description": "times in seconds, spread as a share of the median"},
            "crossover": _object(dict.fromkeys(("bound", "forecast", "measured"), _or_null(_NUMBER))),
            "remarks": _list(_TEXT),
            **dict.fromkeys(("file", "plot"), _or_null(_TEXT)),
        }
    ),
    "solve": _any_of(
        _object(_SOLUTION | _BRANCH),
        _object(_SOLUTION | {"branches": _list(_object(_BRANCH))}),
    ),
    "evaluate": _any_of(
        _object({"formula": _FORMULA, "value": {"type": ["number", "boolean"]}, "unit": _UNIT, "note": _NOTE}),
        _object(
            {
                "formula": _FORMULA,
                "stack": _TEXT,
                "least": _NUMBER,
                "most": _NUMBER,
                "unit": _UNIT,
                "letters": _by_name(_object({"value": _NUMBER, "least": _NUMBER, "most": _NUMBER})),
                "rows": _WHOLE,
                "source": _TEXT,
                "note": _NOTE,
            }
        ),
    ),
    "explain": _object(
        {
            "formula": _FORMULA,
            "value": {"type": ["number", "boolean"]},
            "unit": _UNIT,
            "lines": _list(_object({"text": _TEXT, "note": _TEXT})),
            "given": _GIVEN,
        }
    ),
    "sweep": _any_of(
        _object({"formula": _FORMULA, "unit": _UNIT, "axes": _list(_TEXT), "rows": _list(_by_name(_TEXT))}),
        _object({"formula": _FORMULA, "file": _TEXT}),
    ),
    "plot": _object({"kind": _TEXT, "file": _or_null(_TEXT), "text": _TEXT}, optional=("text",)),
    "check": _list(
        _object(
            {
                "formula": _TEXT,
                "verdict": _of("verdict"),
                "standing": _or_null(_TEXT),
                "witness": _TEXT,
                "findings": _list(
                    _object({"check": _TEXT, "verdict": _of("verdict"), "summary": _TEXT, "step": _or_null(_WHOLE)})
                ),
            }
        )
    ),
    "audit": _object(
        {
            "claims": _list(
                _object(
                    {
                        "source": _TEXT,
                        "id": _TEXT,
                        "line": _or_null(_WHOLE),
                        **dict.fromkeys(("place", "says", "printed", "verdict", "found"), _TEXT),
                        **dict.fromkeys(("value", "unit", "unstated", "cause"), _or_null(_TEXT)),
                        "counterexample": _or_null(_object({"at": _by_name(_TEXT), "printed": _TEXT, "true": _TEXT})),
                    }
                )
            ),
            "results": _list(_by_name(_ANY)) | {"description": "of each file of a benchmark's results"},
            "counts": _by_name(_WHOLE),
        },
        optional=("results",),
    ),
    "pages": _object({"out": _TEXT, "files": _WHOLE}),
    "site": _object({}),
    "mcp": _object({}),
}


def schemas() -> Schema:
    """All schemas of draft 2020-12 as one: each under `$defs`, by the name of its command, and errors as `error`."""
    from ..checks.verdict import Verdict

    verdict = {"enum": [verdict.value for verdict in Verdict]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of symbolic-llm with --json",
        "description": "The schema of a command's answer is the one of its name under $defs; error is that of any.",
        "$comment": f"Written by `{COMMAND}`.",
        "$defs": _DEFINITIONS | {"verdict": verdict},
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
