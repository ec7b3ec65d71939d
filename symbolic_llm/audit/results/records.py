"""Records of a file of results: JSON, a line of JSON for each, or CSV, and typed values of their fields

Nothing in a file is trusted. It may be cut off, nested a thousand times, or have numbers of a million digits; then one
sentence says what is wrong. A field of a wrong type is a field that is missing.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...errors import InvalidValue, shown, within_memory
from ...files import content, path_of

LARGEST_FILE = 2**25  # bytes: a server's benchmark writes a few for every token
MOST_RECORDS = 1000
_MOST_NUMBERS = 2**17  # of a list: requests of the longest runs
_MOST = 10**18  # of any number: tokens, bytes and nanoseconds of real runs are less
_NUMBER = re.compile(r"\d{1,30}(\.\d{1,40})?([eE][+-]?\d{1,3})?")
_LONGEST_NAME = 200

Record = Mapping[str, Any]


def read_records(given: object) -> list[Record]:
    """The records of a file that someone gave; `InvalidValue` with what is wrong."""
    path = path_of(given)
    where = shown(path, 240)
    data = content(path, LARGEST_FILE, InvalidValue, f"is larger than {LARGEST_FILE >> 20} MiB, too large for results")
    try:
        with within_memory(f"reading {where}"):
            found = _records(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidValue(f"{where} cannot be read: it is not text.") from None
    except RecursionError:
        raise InvalidValue(f"{where} is nested too deeply.") from None
    except (ValueError, csv.Error) as error:
        reason = str(error).partition(":")[0] if isinstance(error, json.JSONDecodeError) else "a number is too long"
        at = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidValue(f"{where}{at}: it is neither JSON nor CSV as benchmarks write it: {reason}.") from None
    if not found:
        raise InvalidValue(f"{where} has no results.")
    if len(found) > MOST_RECORDS:
        raise InvalidValue(f"{where} has {len(found):,} results, and at most {MOST_RECORDS:,} are read.")
    records: list[Record] = [one for one in found if isinstance(one, dict)]
    if len(records) < len(found):
        raise InvalidValue(f"{where} has something in its list that is no result: each is an object with its fields.")
    return records


def _records(text: str) -> list[Any]:
    """Records as they are written; `ValueError` for what is neither JSON nor CSV."""
    begin = text.lstrip()[:1]
    if begin not in ("[", "{"):
        return _rows(text)
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        # an object whose first line is none of its own was meant as one, and its own error says where it ends
        if begin == "[" or len(lines) < 2 or not lines[0].rstrip().endswith("}"):
            raise error from None
        return [_line(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def _line(line: str, number: int) -> Any:
    """The object of one line; errors have its number in the file."""
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(error.msg, "\n" * (number - 1) + line, number - 1 + error.pos) from None


def _rows(text: str) -> list[Any]:
    """The rows of a CSV by its header; none where the first line is no header."""
    rows = csv.reader(text.splitlines(), strict=True)
    header = next(rows, [])
    if len(header) < 2:
        raise json.JSONDecodeError("there is no header and no object", text[:1], 0)
    return [dict(zip(header, row, strict=False)) for row in rows if row]


def text(record: Record, *keys: str) -> str:
    """Text of the first of these fields that has some; "" where none has."""
    found = (record.get(key) for key in keys)
    return next((one.strip()[:_LONGEST_NAME] for one in found if isinstance(one, str) and one.strip()), "")


def number(record: Record, key: str) -> Fraction | None:
    """A positive number; None where the field has none. Text of digits is one, as CSV has it."""
    value = record.get(key)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value) if "." in value or "e" in value.lower() else int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return Fraction(repr(value) if isinstance(value, float) else value) if 0 < value <= _MOST else None


def count(record: Record, key: str) -> int | None:
    """A whole number of at least zero; None where the field has none."""
    if record.get(key) in (0, "0") and not isinstance(record.get(key), bool):
        return 0
    found = number(record, key)
    return int(found) if found is not None and found.denominator == 1 else None


def numbers(record: Record, key: str) -> list[Fraction]:
    """A list of positive numbers; empty where the field has none, too many, or something else among them."""
    values = record.get(key)
    if not isinstance(values, list) or len(values) > _MOST_NUMBERS:
        return []
    found = [number({"": value}, "") for value in values]
    return [one for one in found if one is not None] if None not in found else []


def within(record: Any, *keys: str) -> Record:
    """The object that lies so deep in a record; empty where there is none."""
    for key in keys:
        record = record.get(key) if isinstance(record, Mapping) else None
    return record if isinstance(record, Mapping) else {}


def measured(record: Record, key: str) -> Fraction | str:
    """A positive number, or the reason why a field has none that can be judged."""
    if (found := number(record, key)) is not None:
        return found
    value = record.get(key)
    said = shown(repr(value), 30) if value is None or isinstance(value, str | int | float) else type(value).__name__
    return f"{said} is not a positive number"
