"""`audit` of files of results: what benchmarks measured, held against bounds"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..audit.results import Audited, Outcome, Reached, audit_results
from ..errors import InvalidValue, option, shown
from ..reports.rows import told

SUFFIXES = (".json", ".jsonl", ".csv")
OPTIONS = ("model", "hardware", "dtype", "weights", "cache", "devices", "prompt", "output", "batch")
_NAME, _VERDICT = 24, 18  # widths of columns, as for claims


def is_results(name: str) -> bool:
    """Whether a file is one of results, by the end of its name."""
    return Path(name).suffix.lower() in SUFFIXES


def audited(options: argparse.Namespace, files: list[str]) -> list[tuple[str, Audited]]:
    """The runs of files of results, each with the name of its file; `InvalidValue` for options without such files."""
    given = {name: getattr(options, name) for name in OPTIONS}
    said = [name for name, value in given.items() if value is not None]
    if said and not files:
        raise InvalidValue(f"{option(said[0])} is for files of results, which end in {' or '.join(SUFFIXES)}.")
    return [(name, one) for name in files for one in audit_results(name, **given)]


def lines(runs: list[tuple[str, Audited]], verdicts: list[Reached]) -> Iterator[str]:
    """Lines on runs: what each was taken for, its figures with their verdicts, and what was not judged."""
    before: tuple[tuple[str, ...], tuple[str, ...]] = (), ()
    for name, run in runs:
        some = [one for one in run.outcomes if one.verdict in verdicts]
        if not some:
            continue
        said = tuple(_heading(name, run)), run.remarks
        if said[0] != before[0]:
            yield from said[0]
        if said != before:
            yield from (f"  {remark}" for remark in run.remarks)
        before = said
        for one in some:
            if one.verdict is not Reached.OPEN:
                yield f"  {one.figure.name:<{_NAME}} {one.verdict.value:<{_VERDICT}} {one.value}, {one.figure.meaning}"
                yield f"  {'':<{_NAME}} {'':<{_VERDICT}} {one.sentence}"
        yield from _open(one for one in some if one.verdict is Reached.OPEN)


def _heading(name: str, run: Audited) -> Iterator[str]:
    devices = f"{run.devices:,} × " if run.devices > 1 else ""
    yield f"{shown(name, 240)}: {run.run.program}, {run.model.title} on {devices}{run.machine.title}"
    yield f"  {run.formats}"
    yield from (f"  {line}" for line in run.machine.provenance("bandwidth", run.dtype or "peak"))


def _open(some: Iterable[Outcome]) -> Iterator[str]:
    """Lines on figures that are not judged, those with one reason together."""
    reasons: dict[str, list[str]] = {}
    for one in some:
        reasons.setdefault(one.reason, []).append(one.figure.name)
    yield from (f"  {Reached.OPEN.value}: {', '.join(names)}: {reason}" for reason, names in reasons.items())


def data(name: str, run: Audited, verdicts: list[Reached]) -> dict[str, Any]:
    """Dictionary for JSON of a run and its figures."""
    return {
        "file": name,
        "program": run.run.program,
        "model_named": run.run.model,
        "hardware_named": run.run.hardware,
        "model": run.model.name,
        "hardware": str(run.machine),
        **told(run, "devices", "formats", "remarks"),
        "figures": [_figure(one) for one in run.outcomes if one.verdict in verdicts],
    }


def _figure(one: Outcome) -> dict[str, Any]:
    figure, times, parts = one.figure, one.times, dict[str, Any]()
    if times is not None:
        parts = told(times, "weights", "cache", "arithmetic")
        parts["arithmetic"] = parts["arithmetic"] or None
    return {
        **told(figure, "name", "meaning", "value", "unit"),
        "verdict": one.verdict.value,
        **told(one, "bound", "share"),
        "binds": None if one.bound is None else "memory" if one.memory_binds else "arithmetic",
        "broken": [term.value for term in one.broken],
        **told(one, "unless"),
        **told(figure, "seconds"),
        "least_seconds": parts,
        "found": one.sentence,
    }
