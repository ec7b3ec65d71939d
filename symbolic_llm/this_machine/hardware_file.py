"""The hardware file of a measured machine: usable wherever `hardware=` is, with what the engine reaches beside it

    title = "Some processor, 8 threads"
    memory = "33.5 GB"
    bandwidth = "41.2 GB/s"
    peak = "310 GFLOP/s"
    source = "symbolic-llm machine, 2026-11-27, Linux x86_64"

    [engine]
    threads = 8
    step = "52 µs"
    block = "310 µs"
    attention = "9.1 GB/s"

    [engine.formats.q8_0]
    bandwidth = "12.4 GB/s"
    peak = "74 GFLOP/s"
    product = "81 µs"

Formulas pass over the table `engine`; `measure` takes its forecast from there. Figures that are refused are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from ..errors import InvalidHardware, InvalidValue, WrongUnit, shown
from ..files import path_of
from ..presets.device_files import UNITS, quantity, read_fields
from ..units import BYTE, FLOP, SECOND, humanize, parse_quantity
from .engine_figures import ATTENTION, FIXED, Engine, Path
from .machine import RATE, Figures

_MOST_THREADS = 2**16
_DIGITS = 4
_SHORTEST = 1e-9  # seconds: a file has no fixed time of nothing
# fields, with what a machine has that is measured in the same unit
_OF_A_STEP = {"step": "link_latency", "block": "link_latency", "attention": "bandwidth"}
_OF_A_FORMAT = {"bandwidth": "bandwidth", "peak": "peak", "product": "link_latency"}


def fields(figures: Figures, day: date) -> dict[str, Any]:
    """Fields of the file, as `hardware=` takes them too, without what the engine reaches where that is refused."""
    return {
        "title": figures.title,
        "memory": humanize(figures.memory, BYTE, _DIGITS),
        "bandwidth": humanize(figures.bandwidth, RATE, _DIGITS),
        "peak": humanize(figures.peak, FLOP / SECOND, _DIGITS),
        "source": f"symbolic-llm machine, {day.isoformat()}, {figures.system}",
        "engine": _engine(figures.measured.engine, {*figures.refused}),
    }


def _engine(engine: Engine, refused: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"threads": engine.threads}
    if not refused & {FIXED, ATTENTION}:
        found |= _said(engine, _OF_A_STEP)
        paths = {format: _said(path, _OF_A_FORMAT) for format, path in engine.paths.items() if format not in refused}
        found |= {"formats": paths}
    return found


def _said(of: object, meant: Mapping[str, str]) -> dict[str, str]:
    """Figures as text with their units, by field."""
    units = {field: UNITS.get(what, FLOP / SECOND) for field, what in meant.items()}
    return {field: humanize(max(getattr(of, field), _SHORTEST), unit, _DIGITS) for field, unit in units.items()}


def text(fields: Mapping[str, Any], name: str = "") -> str:
    """Fields as TOML: those of a table first, then the tables in it."""
    # the quotes of TOML are those of JSON
    lines = [f"[{name}]"] if name else []
    tables = {field: value for field, value in fields.items() if isinstance(value, Mapping)}
    lines += [
        f"{field} = {json.dumps(value, ensure_ascii=False)}" for field, value in fields.items() if field not in tables
    ]
    return "\n\n".join(
        ["\n".join(lines), *(text(value, f"{name}.{field}".strip(".")) for field, value in tables.items())]
    )


def read_engine(given: object) -> Engine | None:
    """The engine's figures in a hardware file; None where it has none.

    Raises:
        InvalidHardware: with what is wrong with the file, in one sentence.
    """
    path = path_of(given, InvalidHardware)
    found = read_fields(path).get("engine")
    if found is None:
        return None
    where = f"{shown(path)}: engine"
    fields = _table(where, found)
    threads, formats = fields.get("threads"), _table(f"{where}.formats", fields.get("formats", {}))
    if type(threads) is not int or not 1 <= threads <= _MOST_THREADS:
        raise InvalidHardware(f"{where}.threads must be a whole number from 1 to {_MOST_THREADS:,}.")
    if not fields.keys() & _OF_A_STEP.keys():
        return None  # they were refused
    paths = {}
    for format, row in formats.items():
        named = f"{where}.formats.{shown(format)}"
        paths[format] = Path(**_quantities(named, _table(named, row), _OF_A_FORMAT))
    return Engine(threads, **_quantities(where, fields, _OF_A_STEP), paths=paths)


def _table(where: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidHardware(f"{where} must be a table.")
    return value


def _quantities(where: str, fields: Mapping[str, Any], meant: Mapping[str, str]) -> dict[str, float]:
    """Figures in bytes, operations and seconds, by field."""
    found = {}
    for field, what in meant.items():
        try:
            number, unit = parse_quantity(quantity(f"{where}.{field}", what, fields.get(field)))
        except (InvalidValue, WrongUnit) as error:
            raise InvalidHardware(str(error)) from None
        assert unit is not None, "no text without a unit is accepted"
        found[field] = float(number * unit.scale)
    return found
