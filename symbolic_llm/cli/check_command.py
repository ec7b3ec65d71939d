"""The command `check` and its text: reports on unchanged sources are read, not made again, and take no SymPy"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..checks import findings_store
from ..checks.verdict import Standing, Verdict, tally
from ..errors import InvalidValue, listed
from ..presets.presets import NAMES
from .parsing import Output

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = (_PACKAGE, _PACKAGE.parent / "reference_engine")
_PAUSE = 0.3  # seconds between two looks at the sources
_SEVERAL = 8  # names that are listed one by one


def check(options: argparse.Namespace) -> Output:
    """Answer of `check`: reports that are kept for these sources, and new ones for what is missing."""
    if options.watch:
        return _watch(options)
    reports = _kept(options)
    missing = [name for name, report in reports.items() if report is None]
    if len(missing) == len(reports):
        answered: Output = import_module(".check_run", __package__).check(options)
        return answered
    anew: list[str] = []
    if missing:  # and no other formula is imported
        made, anew = import_module(".check_run", __package__).reports_on(missing)
        reports |= dict(zip(missing, made, strict=True))
    found = [report for name in options.arguments or reports if (report := reports[name]) is not None]
    return said(found, findings_store.decided_by(), anew=anew)


def _kept(options: argparse.Namespace) -> dict[str, Mapping[str, Any] | None]:
    """Kept reports on the named formulas, or on all, None for a missing one; empty if they do not answer this."""
    presets = any(getattr(options, preset) is not None for preset in NAMES)
    if options.fresh or options.export is not None or presets:
        return {}
    by_name = {name: (chapter, name) for chapter, name in findings_store.listed() or ()}
    if not by_name.keys() >= set(options.arguments):
        return {}
    return {name: findings_store.report(by_name[name]) for name in options.arguments or by_name}


def said(
    reports: Sequence[Mapping[str, Any]], decided_by: str, *, anew: Sequence[str] = (), of_values: bool = False
) -> Output:
    """The lines about some reports, what was checked anew where not everything was, and a summary."""
    lines = [line for report in reports for line in _report_lines(report)]
    if anew:
        beyond = f" and {len(anew) - _SEVERAL} more" * (len(anew) > _SEVERAL)
        several = listed(anew) if not beyond else ", ".join(anew[:_SEVERAL]) + beyond
        lines.append(f"checked now: {several}; all other results were stored from earlier checks")
    lines.append(_summary(reports, of_values))
    if decided_by:
        lines.append(f"equality of expressions was decided by {decided_by}")
    return int(not all(Verdict(report["verdict"]).stands for report in reports)), "\n".join(lines), list(reports)


def _summary(reports: Sequence[Mapping[str, Any]], of_values: bool) -> str:
    """Numbers of formulas by verdict and by what they rest on: "2 proved, 1 defined: 2 laws and 1 definition"."""
    verdicts = [Verdict(report["verdict"]) for report in reports]
    numbers = {verdict: verdicts.count(verdict) for verdict in Verdict}
    told = [f"{numbers[Verdict.PROVED]} proved{' and true for these values' * of_values}"]
    told += [f"{number} {v.value.lower()}" for v, number in numbers.items() if number and v is not Verdict.PROVED]
    words = {standing.word: standing for standing in Standing}
    standing = [words.get(r["standing"]) for r, v in zip(reports, verdicts, strict=True) if v.stands]
    return ", ".join(told) + (f": {tally(standing)}" if standing else "")


def _report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"{report['verdict']:<9}  {report['formula']:<36} {report['standing'] or '':<10}  {report['witness']}"
    for finding in report["findings"]:
        if finding["verdict"] != Verdict.PROVED.value or finding["check"] == "values":
            yield f"  {finding['check']}: {finding['verdict']}: {finding['summary']}"


def _watch(options: argparse.Namespace) -> Output:
    """Check in a process of its own, now and whenever a source has changed, until Ctrl-C."""
    if options.export is not None or options.fresh:
        raise InvalidValue("--watch checks only what has changed, so it cannot be used with --export or --fresh.")
    words = ["check", *options.arguments, *(["--json"] if options.json else [])]
    words += [f"--{name}={value}" for name in NAMES if (value := getattr(options, name)) is not None]
    while True:
        seen = _changed()
        subprocess.run([sys.executable, "-m", "symbolic_llm", *words], check=False)
        while _changed() == seen:
            time.sleep(_PAUSE)


def _changed() -> dict[str, int]:
    """Time of the last change of each source file, in nanoseconds, by path."""
    found: dict[str, int] = {}
    for folder in _SOURCES:
        for where, _, names in os.walk(folder):
            paths = (os.path.join(where, name) for name in names if name.endswith((".py", ".toml", ".json")))
            found |= {path: os.stat(path).st_mtime_ns for path in paths if os.path.exists(path)}
    return found
