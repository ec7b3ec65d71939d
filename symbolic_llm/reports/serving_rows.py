"""Rows for what a machine serves: the largest batch within a target, and the times of a request"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from ..answers.explanation import Explanation
from ..answers.memory_fit import does_not, if_it_did, unfit
from ..architecture import Trait
from ..catalogue.named import batch_limits, request_time, time_per_output_token
from ..errors import InvalidValue
from ..notation import LETTERS, T_generation, T_output, T_target, named
from ..presets.parse_value import read_option
from ..units import humanize
from .number_search import decoding, done_in_time, fewest, read_alone, read_in_time
from .report import Report
from .rows import Row, noted
from .stack_rows import StackForecast

_HELD = "memory needed at the end: weights and cache"


def served(report: Report, target: Fraction) -> list[Row]:
    """Rows on the largest batch that fits and meets a target, and on what limits it."""
    context = {"N": report.at["N"]}
    at = context | {"T_target": target}
    title = f"Decoding steps within {humanize(target, LETTERS[T_target].unit, 4)} at context {report.context:,}"
    row = partial(report.row, title)
    fit = row("sequences that fit", "sequences_that_fit", "sequences_that_fit", context)
    if not report.overlap and isinstance(report.explained(report.law("step"), report.at), Explanation):
        done = done_in_time(report, title, target)
        return [fit, done, fewest(title, "smaller of the two", {"memory": fit, "the target": done})]
    computed = row(
        "sequences whose arithmetic is done in time", "sequences_computed_in_time", "batch_computed_in_time", at
    )
    if Trait.EXPERTS in report.model.traits:
        read = read_in_time(report, title, target)
        limits = (case for case, *_ in batch_limits.claim.pieces)
        least = fewest(title, "smallest of the three", dict(zip(limits, (fit, read, computed), strict=True)))
        return [fit, read, computed, least]
    limit = report.explained("batch_limits", at)
    note = "" if isinstance(limit, str) else limit.result
    read = row("sequences whose bytes are read in time", "sequences_read_in_time", "batch_read_in_time", at)
    least = row("largest batch (smallest of the three)", "largest_batch_within_target", "largest_batch", at, note=note)
    return [fit, read, computed, least]


def request(
    report: Report, prompt: int, new: int, cached: int | None = None, forecast: StackForecast | None = None
) -> list[Row]:
    """Rows on a request: time until the first token, for each one after, and in all; and what is held at its end.

    With so many first tokens of the prompt `cached`, the time until the first token is given for that as well, and the
    time in all for a program with a `forecast`.
    """
    title = f"Request: prompt of {prompt:,} tokens, first token, then {new:,} decoding steps; batch {report.batch:,}"
    first = {"N": Fraction(prompt), "B": report.at["B"]}
    steps = first | {"n_new": Fraction(new)}
    prefill = report.law("prefill")
    kept = first | {"N": Fraction(prompt + new)}
    held = report.row(f"End of the request, batch {report.batch:,}", _HELD, "request_held", "footprint", kept)
    into = unfit(held.value, report.presets)
    beside = if_it_did(into)
    each, whole = report.of(time_per_output_token), report.of(request_time)
    alone = report.counted(first | {"B": Fraction(1)})  # of a prompt that waits for no other
    label = "  time to first token, one prompt alone"
    row = partial(report.row, title, note=beside)
    of_one = noted(row(label, "time_to_first_token_alone", prefill, alone), "B=1")
    rows = [
        row("time to first token", "time_to_first_token", prefill, report.counted(first)),
        row("time per output token", "time_per_output_token", each, steps),
        row("end-to-end time", "request_time", whole, report.counted(steps)),
    ]
    added = _added_up(report, rows, steps, beside)
    after = [] if cached is None else [_first_token_after_cached(report, title, prompt, cached, beside)]
    one = [of_one] if report.batch > 1 else []
    of_program = [] if forecast is None else [forecast.request(title, prompt, new, beside)]
    return [added[0], *after, *one, *added[1:], *of_program, noted(held, does_not(into))]


def cached_tokens(given: int | str | None, prompt: int) -> int | None:
    """Number of first tokens of a prompt that are cached; `InvalidValue` if none would be left to compute."""
    if given is None:
        return None
    cached = int(read_option("cached", given))
    if cached >= prompt:
        raise InvalidValue(f"cached must be less than the {prompt:,} tokens of the prompt, but {cached:,} was given.")
    return cached


def _first_token_after_cached(report: Report, section: str, prompt: int, cached: int, beside: str) -> Row:
    """Row with the time until the first token where the first tokens of the prompt are cached."""
    at = {"B": report.at["B"], "n_chunk": Fraction(prompt - cached), "N_prompt": Fraction(prompt)}
    way, _ = report.model.attention.ways
    note = "; ".join(filter(None, (way, "counts masked scores among the new tokens, and all of their logits")))
    label = f"time to first token, {cached:,} tokens of it cached"
    law = report.model.formula_for(named(report.law("prefill after what is cached")))
    row = report.row(section, label, "time_to_first_token_cached", law, at, note=note)
    return noted(row, beside)


def _added_up(report: Report, rows: list[Row], steps: dict[str, Fraction], beside: str) -> list[Row]:
    """Rows of a request, with the times of its steps added up where no closed form gives them.

    This is where some steps wait for their arithmetic; part by part, where some part of a step does. In all other cases
    the rows are unchanged.
    """
    prefill, each, whole = rows
    closed = each.value is not None and (report.overlap or read_alone(report, steps))
    total = each.value * steps["n_new"] if closed and each.value is not None else decoding(report, steps)
    if total is None:
        if each.value is not None:
            each, whole = (replace(row, value=None, note="these are too many steps to add up") for row in (each, whole))
        return [prefill, each, whole]
    each = each if closed else _of_steps(report, each, total, steps, beside)
    if prefill.value is None or whole.value == prefill.value + total:
        return [prefill, each, whole]
    note = "; ".join(filter(None, ("time to first token and all steps", beside)))
    return [prefill, each, _timed(whole, prefill.value + total, T_generation, each.note if report.overlap else note)]


def _of_steps(report: Report, each: Row, total: Fraction, steps: dict[str, Fraction], beside: str) -> Row:
    """Row with the mean time of steps that were added up."""
    added = f"the {int(steps['n_new']):,} steps added up, each by {report.law('step')}"
    return _timed(each, total / steps["n_new"], T_output, "; ".join(filter(None, (added, beside))))


def _timed(row: Row, value: Fraction, letter: object, note: str) -> Row:
    return replace(row, value=value, unit=LETTERS[letter].unit, formula="", note=note, bound="")
