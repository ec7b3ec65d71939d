"""`check`, where something is to be checked"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..answers.applicability import with_values
from ..api import formula_of
from ..catalogue import catalogue
from ..checks import export, findings_store
from ..checks.many_formulas import all_of, check_formulas, known
from ..checks.report import Report, report_data
from ..expressions.decide import BOTH, deciders
from ..formula import Formula
from ..presets import Presets
from . import terminal
from .check_command import said
from .parsing import Output, given


def check(options: argparse.Namespace) -> Output:
    """Check that formulas are proved or are definitions; exit code 1 if one is neither; proofs to a folder if asked."""
    names, letters, presets = given(options, None)
    wanted = [formula_of(name) for name in names] or list(catalogue())
    if options.export is None:
        return _checked(wanted, letters, presets, fresh=options.fresh)
    with export.prepared(options.export) as folder:
        code, shown, data = _checked(wanted, letters, presets, fresh=options.fresh)
        written, left_out = export.write(folder, list(dict.fromkeys(wanted)), terminal.redraw)
    verified = f"{written} written; verify them with python {Path(options.export) / 'verify.py'}"
    return code, "\n".join((shown, *left_out, verified)), data


def reports_on(names: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """The reports on some formulas, as data, and what was checked for them that was not found before."""
    wanted = [formula_of(name) for name in names]
    anew = _unknown(wanted)
    return [report_data(report) for report in _reports(wanted)], anew


def _reports(wanted: list[Formula], *, fresh: bool = False) -> Iterator[Report]:
    """The reports on formulas one by one, while a line on a terminal says how far it has come."""
    checked = check_formulas(wanted, fresh=fresh, tell=terminal.redraw)
    return (report for _, report in zip(terminal.progress(wanted), checked, strict=True))


def _unknown(wanted: list[Formula]) -> list[str]:
    """The formulas among these, and among all that they build on, of which nothing was found before."""
    before = known(needed := all_of(wanted))
    return [one.name for one in needed if one not in before]


def _checked(wanted: list[Formula], letters: dict[str, str], presets: Presets, *, fresh: bool) -> Output:
    anew = [] if fresh else _unknown(wanted)
    data = [report_data(with_values(report, letters, presets)) for report in _reports(wanted, fresh=fresh)]
    decided_by = "" if (by := deciders()) == BOTH else by
    findings_store.add_listing([(one.chapter, one.name) for one in catalogue()], decided_by)
    some = anew if len(anew) < len(all_of(wanted)) else []  # where everything is new, that is no news
    return said(data, decided_by, anew=some, of_values=bool(letters or presets))
