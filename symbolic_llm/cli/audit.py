"""`audit`"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from ..audit import Claims, Counterexample, Judgement, Verdict, causes, check_all, read_file, sources
from ..audit.markdown import read_article
from ..audit.results import Reached
from ..errors import known_name
from ..reports.rows import told
from . import audit_results
from .parsing import Output

_WRONG = (Verdict.REFUTED, Verdict.NOT_REPRODUCIBLE, Verdict.CONTRADICTS_ITSELF)


def audit(options: argparse.Namespace) -> Output:
    """The claims of published sources, or of one's own files, computed anew; results of benchmarks beside bounds."""
    results = [name for name in options.files if audit_results.is_results(name)]
    runs = audit_results.audited(options, results)
    own = [name for name in options.files if name not in results]
    every = [_read(name) for name in own] if options.files else list(sources())
    wanted = [one.value for one in (*Verdict, *Reached)]
    if options.verdict is not None:
        known_name("verdict", options.verdict, wanted)
    keys = [one.source.key for one in every]
    if options.source is not None:
        known_name("audited source", options.source, keys)
    chosen = [one for one in every if options.source in (None, one.source.key)]
    verdicts = [one for one in Verdict if options.verdict in (None, one.value)]
    judged = [(claims, check_all(claims)) for claims in chosen]
    found = [(claims, [one for one in ones if one.verdict in verdicts]) for claims, ones in judged]
    # who writes the article can write GiB, so a figure that comes out only with GB read as GiB is wrong there
    wrong = any(one.verdict in _WRONG or one.binary is not None for _, ones in judged for one in ones)
    number = Counter(one.verdict.value for _, some in found for one in some)
    lines = [line for claims, some in found for line in _lines(claims, some)]
    data: dict[str, Any] = {"claims": [_data(claims, one) for claims, some in found for one in some]}
    if every:
        lines.append(_counted("claim", number))
    reached = [one for one in Reached if options.verdict in (None, one.value)]
    measured = Counter(one.verdict.value for _, run in runs for one in run.outcomes if one.verdict in reached)
    if runs:
        lines += audit_results.lines(runs, reached)
        lines.append(_counted("figure", measured))
        data["results"] = [audit_results.data(name, run, reached) for name, run in runs]
    impossible = any(one.verdict is Reached.IMPOSSIBLE for _, run in runs for one in run.outcomes)
    data["counts"] = dict(number + measured)
    return int(impossible or (bool(options.files) and wrong)), "\n".join(lines), data


def _counted(what: str, number: Counter[str]) -> str:
    """Line with how many there are of each verdict."""
    counted = ", ".join(f"{count} {verdict}" for verdict, count in number.items())
    return f"{number.total()} {what}{'' if number.total() == 1 else 's'}" + (f": {counted}" if counted else "")


def _read(name: str) -> Claims:
    return read_article(name) if Path(name).suffix.lower() in (".md", ".markdown") else read_file(name)


def _lines(claims: Claims, some: list[Judgement]) -> list[str]:
    if not some:
        return []
    title = ", ".join(str(one) for one in (claims.source.author, claims.source.title, claims.source.year) if one)
    lines = [f"{claims.source.key}: {title}"]
    for one in some:
        claim = one.claim
        lines.append(f"  {claim.id:<24} {one.verdict.value:<18} {claim.printed or claim.equation}")
        lines.append(f"  {'':<24} {'':<18} {one.sentence}")
        if one.differs is not None:
            lines.append(f"  {'':<24} {'':<18} {one.differs}")
        if claim.cause:
            lines.append(f"  {'':<24} {'':<18} {causes()[claim.cause].mistake}")
    return lines


def _data(claims: Claims, one: Judgement) -> dict[str, Any]:
    claim = one.claim
    return {
        "source": claims.source.key,
        **told(claim, "id", "line", "place", "says"),
        "printed": claim.printed or claim.equation,
        "verdict": one.verdict.value,
        "found": one.sentence,
        "value": str(one.value.value) if one.value is not None else None,
        "unit": str(one.value.unit) if one.value is not None else None,
        "unstated": one.unstated or None,
        "cause": claim.cause or None,
        "counterexample": _differs(one.differs) if one.differs is not None else None,
    }


def _differs(found: Counterexample) -> dict[str, Any]:
    at = {letter: str(value) for letter, value in found.at}
    return {"at": at, "printed": str(found.printed), "true": str(found.true)}
