"""JSON Schemas of what each command prints with --json: `python -m symbolic_llm.reports.answer_schemas` writes the file

A later version may add fields, so schemas allow fields that they do not name. What they name stays: `CONTRIBUTING.md`
says for how long.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..files import write

PATH = Path(__file__).parent / "answers.schema.json"
COMMAND = "python -m symbolic_llm.reports.answer_schemas"
Schema = dict[str, Any]


def _any_of(*schemas: Schema) -> Schema:
    return {"type": "object", "anyOf": [*schemas]}


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


def _object(fields: str) -> Schema:
    """Schema of an object from its fields, their kind and what it means: "batch, context: whole # of a step".

    More of them come behind a semicolon or on a new line. A field without a kind is of the kind that has its name. All
    are required but those with a question mark.
    """
    properties, optional = dict[str, Schema](), set[str]()
    for line in filter(None, map(str.strip, re.split("[;\n]", fields))):
        names, _, said = line.partition(": ")
        kind, _, meaning = said.partition(" # ")
        for name in names.split(", "):
            plain = name.removesuffix("?")
            properties[plain] = _said(kind or plain) | ({"description": meaning} if meaning else {})
            optional |= {plain} - {name}
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": properties}


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
for _name, _kind, _meaning in (
    ("value", "number or null", "exact where it is a whole number, else the nearest double; null where there is none"),
    ("unit", "text", "such as byte/second"),
    ("formula", "text", "name with which `evaluate` and `explain` give the value"),
    ("letters", "text or number by name", "letters that the formula was given beside the presets"),
    ("note", "text", "why there is no value, or what is to be said of it"),
    ("reason", "text", "why this device cannot serve"),
    ("bound", "text", "what it is at least or at most, or between what, where there is no value"),
):
    _KINDS[_name] = _said(_kind) | {"description": _meaning}
_TIMING = """
    best, median, spread: number
    runs: whole
    confirmed: yes or no # whether two rounds agree about the best
"""
for _name, _fields in {
    "condition": "relation, sentence: text",
    "input": "value: number; unit; origin: text # preset and source, or formula",
    "found": "name, chapter, title, claim: text",
    "step": "rule: text; with: [text]; result, reason: text",
    "meaning": "meaning: text; unit",
    "letter": """
        letter, latex, meaning: text
        unit
        whole: yes or no
        aliases, instead_of, presets, defined_by, used_by: [text]""",
    "printed": "value: number; unit; printed, source: text",
    "figure": "value: number; unit; printed, source: text; others: [printed]",
    "model": """
        title, family: text
        parameters, multiplied_parameters, active_parameters: whole
        shapes: whole by name
        sources: [text]""",
    "device": "title: text; figures: figure by name",
    "row": """
        section, label, key: text
        value; unit; formula; letters; note
        copies: whole
        bound""",
    "split": "tensor, pipeline, data: whole",
    "interval": "least, most: number",
    "range": "value, least, most: number",
    "forecast": """
        stack, reason: text
        on?: text
        bits?: whole
        weights?, cache?, arithmetic?: text # number formats of what was measured, fp16 for any of 16 bits
        measured?: text # what was timed, batches of requests or steps
        letters?: range by name
        rows_of_tiles?: whole # times that attention's arithmetic of a step is counted
        step_time?, tokens_per_second?: interval
        held_out?: text # what was left out one by one: model or device or length
        median_error?: number
        rows?, batch?, context?: whole
        models?: [text]
        source?: text""",
    "operation": "operation: text; flops, bytes, intensity: number; binds: binding; time: value",
    "sum": "flops, bytes: number",
    "total": "value; unit; formula; note; bound",
    "planned": "value: number; unit; formula: formula or null; letters",
    "choice": """
        hardware: text
        devices: whole
        limit: text
        by: text or null
        servers: whole or null
        tokens_per_second_and_device: number
        figures: planned by name""",
    "way": "serving, law, batch, time_per_token, tokens_per_second_and_device: text",
    "comparison": "label: text; formula; unit; predicted, counted, difference: number",
    "entry": "pass, path: text; flops, loaded, stored: whole",
    "noise": "lost: number; stolen, others: number or null",
    "reading": f"bytes, threads: whole; {_TIMING}",
    "copying": f"bytes: whole; {_TIMING}",
    "timed": _TIMING,
    "products": "bandwidth, peak, product, crossover: number",
    "path": "bandwidth, peak, product: number",
    "reached": "step, block, attention: number; formats: products by name",
    "engine": "threads: whole; step, block, attention: number; paths: path by name",
    "measured machine": "title, system: text; figures: text by name; engine: engine",
    "measured step": """
        batch: whole
        bound, parts, forecast, best, median, spread: number
        runs: whole
        confirmed: yes or no""",
    "crossovers": "bound, forecast, measured: number or null",
    "line": "text: text; note: text",
    "finding": "check: text; verdict; summary: text; step: whole or null",
    "report": """
        formula: text
        verdict
        standing: text or null
        witness: text
        findings: [finding]""",
    "counterexample": "at: text by name; printed, true: text",
    "claim": """
        source, id: text
        line: whole or null
        place, says, printed, verdict, found: text
        value, unit, unstated, cause: text or null
        counterexample: counterexample or null""",
}.items():
    _KINDS[_name] = _object(_fields)
_SOLUTION = """
    formula
    unknown: text
    value; unit; note
    given: input by name
"""
_BRANCH = """
    relation, expr, latex: text
    conditions: [condition]
"""
_KINDS["branch"] = _object(_BRANCH)
_DEFINITIONS: dict[str, Schema] = {
    "error": _object("error: text # name of the error's class; message: text"),
    "list": _said("[found]"),
    "find": _said("[found]"),
    "presets": _object("""
        models?: model by name
        hardware?: device by name
        formats?: number by name by name
        sources?: text or whole by name by name
    """)
    | {"minProperties": 1},
    "show": _any_of(_of("formula"), _of("letters")),
    "formula": _object("""
        name, chapter, title, kind, claim, latex: text
        conditions: [condition]
        letters: meaning by name
        steps: [step]
        uses: [text]
        models, measured_by, unmeasured: text
        sources: [text]
    """),
    "letters": _object("letters: [letter]"),
    "model": _any_of(_of("sizing"), _of("operations")),
    "sizing": _object("""
        model, family: text
        shapes, parameters_by_kind: whole by name
        devices?: split
        context, batch: whole
        beyond: text # remark on a context beyond the model's own limit
        answer: [text] # whether it fits, how fast it decodes, what binds
        formats: text
        parameters, active_parameters: whole
        one_device_alone?: value by name
        stack?: forecast
        rows: [row]
    """)
    | {"additionalProperties": _said("value") | {"description": "the figure of the row with this key"}},
    "operations": _object("""
        model: text
        batch, context?, prompt?: whole
        operations: [operation]
        sum: sum
        totals: total by name
    """),
    "plan": _object("""
        model: text
        prompt: whole
        cached: whole # first tokens of each prompt that are cached
        output: whole
        requests_per_second: number or null
        serving: text # how prompts are served
        law: text # the law of a step: part by part, or the bound where all overlaps
        note: text
        choices: [choice]
        ways: [way] # the first choice, served in each way
        refused: reason by name
    """),
    "count": _object("path: text; agrees: yes or no; lines: [comparison]; ledger: [entry]"),
    "machine": _object("""
        title, system: text
        memory, threads: whole
        noise: noise # shares of time that others took before anything was measured
        bandwidth: number # W, in bytes a second
        peak: number # F, in operations a second
        readings: [reading]
        copy: copying
        engine: reached
        times: timed by name # seconds that the engine's figures were taken from
        refused: [text] # figures whose rounds differ by more than they claim
        file: text or null
    """),
    "measure": _object("""
        model, format: text
        context: whole
        machine: measured machine
        fixed: number # seconds of a step, whatever it reads and computes
        steps: [measured step] # times in seconds, spread as a share of the median
        crossover: crossovers
        remarks: [text]
        file, plot: text or null
    """),
    "solve": _any_of(_object(_SOLUTION + _BRANCH), _object(f"{_SOLUTION}branches: [branch]")),
    "evaluate": _any_of(
        _object("formula; value: truth or number; unit; note"),
        _object("""
            formula
            stack: text
            least, most: number
            unit
            letters: range by name
            rows_of_tiles: whole # times that attention's arithmetic of a step is counted
            weights, cache, arithmetic: text # number formats of what was measured, fp16 for any of 16 bits
            rows: whole
            source: text
            note
        """),
    ),
    "explain": _object("""
        formula
        value: truth or number
        unit
        lines: [line]
        given: input by name
    """),
    "sweep": _any_of(
        _object("formula; unit; axes: [text]; rows: [text by name]"),
        _object("formula; file: text"),
    ),
    "plot": _object("kind: text; file: text or null; text?: text"),
    "check": _said("[report]"),
    "audit": _object("""
        claims: [claim]
        results?: [anything by name] # of each file of a benchmark's results
        counts: whole by name
    """),
    "pages": _object("out: text; files: whole"),
    "site": _object(""),
    "mcp": _object(""),
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
