"""Rows for what a machine serves: the largest batch within a target, and the times of a request"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from ..answers.memory_fit import does_not, if_it_did, unfit
from ..architecture import Trait
from ..catalogue.named import batch_limits, request_time, time_per_output_token
from ..errors import InvalidValue, option
from ..notation import LETTERS, T_generation, T_output, T_target, named
from ..presets.parse_value import read_option
from ..units import humanize
from .number_search import decoding, done_in_time, fewest, read_alone, read_in_time
from .report import Report
from .rows import Row, noted
from .stack_rows import StackForecast

_HELD = "memory needed at the end: weights and cache"


def served(report: Report, target: Fraction) -> list[Row]:
    """Rows on the largest batch that fits and meets a target, and on what limits it; of one group of devices."""
    context = {"N": report.at["N"]}
    at = context | {"T_target": target}
    title = f"Decoding steps within {humanize(target, LETTERS[T_target].unit, 4)} at context {report.context:,}"
    if report.split is not None:
        title += f", on {report.split.in_a_group}"
        context |= report.split.letters | {"n_stages": Fraction(report.split.pipeline)}
    row = partial(report.row, title)
    fitting = "sequences_that_fit" if report.split is None else "sequences_on_devices"
    fit = row("sequences that fit", "sequences_that_fit", fitting, context)
    if report.split is not None or not (
        report.overlap or isinstance(report.explained(report.law("step"), report.at), str)
    ):
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
    load = f"batch {int(report.served['B']):,}"
    if report.split is not None:
        load += f" on {report.split.in_a_group}"
    title = f"Request: prompt of {prompt:,} tokens, first token, then {new:,} decoding steps; {load}"
    each, shared = {"B": report.served["B"]}, report.shared
    first = {"N": Fraction(prompt), **each}
    steps = first | {"n_new": Fraction(new)}
    held = _held_at_end(report, load, first | {"N": Fraction(prompt + new), **shared})
    into = unfit(held.value, report.presets, 1 if report.split is None else report.split.pipeline)
    beside = if_it_did(into)
    row = partial(report.row, title, note=beside)

    def until(label: str, key: str, batch: Fraction, *notes: str) -> Row:
        prompts = report.counted({**first, "B": batch, **shared})
        return noted(_handed_on(report, row(label, key, report.law("prefill"), prompts), batch * prompt), *notes)

    prefill = until("time to first token", "time_to_first_token", each["B"])
    # of a prompt that waits for no other
    alone = until("  time to first token, one prompt alone", "time_to_first_token_alone", Fraction(1), "B=1")
    label = ("time per output token", "time_per_output_token"), ("end-to-end time", "request_time")
    if report.split is None:  # a closed form, where nothing waits for its arithmetic
        each_of, whole_of = report.of(time_per_output_token), report.of(request_time)
        times = [row(*label[0], each_of, steps), row(*label[1], whole_of, report.counted(steps))]
    else:  # no step takes less than the first
        shortest = row(*label[0], report.law("step"), {**first, **shared, "N": first["N"] + 1})
        times = [replace(shortest, value=None, formula="", letters={}), Row(title, *label[1], None)]
    added = _added_up(report, [prefill, *times], steps, beside)
    after = [] if cached is None else [_first_token_after_cached(report, title, prompt, cached, beside)]
    one = [alone] if each["B"] > 1 else []
    of_program = [] if forecast is None else [forecast.request(title, prompt, new, beside)]
    return [added[0], *after, *one, *added[1:], *of_program, noted(held, does_not(into))]


def _held_at_end(report: Report, load: str, at: dict[str, Fraction]) -> Row:
    """Row with what a device holds when a request ends."""
    section = f"End of the request, {load}"
    if report.split is None:
        return report.row(section, _HELD, "request_held", "footprint", at)
    return report.row(section, f"{_HELD}, per device", "request_held", "footprint_per_device", at)


def _handed_on(report: Report, row: Row, tokens: Fraction) -> Row:
    """Row with the time of a pass and of what stages send each other of so many tokens."""
    sent = report.handed_on(tokens)
    if row.value is None or sent == 0:
        return row
    if isinstance(sent, str):
        return replace(row, value=None, note=sent)
    note = "; ".join(filter(None, (report.with_hops(row.formula), row.note)))
    return replace(row, value=row.value + sent, formula="", letters={}, note=note)


def cached_tokens(given: int | str | None, prompt: int) -> int | None:
    """Number of first tokens of a prompt that are cached; `InvalidValue` if none would be left to compute."""
    if given is None:
        return None
    cached = int(read_option("cached", given))
    if cached >= prompt:
        raise InvalidValue(
            f"{option('cached')} must be less than the {prompt:,} tokens of the prompt, but {cached:,} was given."
        )
    return cached


def _first_token_after_cached(report: Report, section: str, prompt: int, cached: int, beside: str) -> Row:
    """Row with the time until the first token where the first tokens of the prompt are cached."""
    batch = report.served["B"]
    at = {"B": batch, "n_chunk": Fraction(prompt - cached), "N_prompt": Fraction(prompt), **report.shared}
    way, _ = report.model.attention.ways
    note = "; ".join(filter(None, (way, "counts masked scores among the new tokens, and all of their logits")))
    label = f"time to first token, {cached:,} tokens of it cached"
    law = report.model.formula_for(named(report.law("prefill after what is cached")))
    row = report.row(section, label, "time_to_first_token_cached", law, at, note=note)
    return noted(_handed_on(report, row, batch * (prompt - cached)), beside)


def _added_up(report: Report, rows: list[Row], steps: dict[str, Fraction], beside: str) -> list[Row]:
    """Rows of a request, with the times of its steps added up where no closed form gives them.

    This is where some steps wait for their arithmetic; part by part, where some part of a step does. In all other cases
    the rows are unchanged.
    """
    prefill, each, whole = rows
    closed = each.value is not None and (report.overlap or read_alone(report, steps))
    total = each.value * steps["n_new"] if closed and each.value is not None else decoding(report, steps)
    if isinstance(total, str):
        known = each.note if each.value is None else ""  # the closed form says more of why there is none
        return [prefill, *(replace(row, value=None, note=known or total) for row in (each, whole))]
    each = each if closed else _of_steps(report, each, total, steps, beside)
    if prefill.value is None or whole.value == prefill.value + total:
        return [prefill, each, whole]
    note = "; ".join(filter(None, ("time to first token and all steps", beside)))
    return [prefill, each, _timed(whole, prefill.value + total, T_generation, note)]


def _of_steps(report: Report, each: Row, total: Fraction, steps: dict[str, Fraction], beside: str) -> Row:
    """Row with the mean time of steps that were added up."""
    added = f"the {int(steps['n_new']):,} steps added up, each by {report.with_hops(report.law('step'))}"
    return _timed(each, total / steps["n_new"], T_output, "; ".join(filter(None, (added, beside))))


def _timed(row: Row, value: Fraction, letter: object, note: str) -> Row:
    return replace(row, value=value, unit=LETTERS[letter].unit, formula="", note=note, bound="")
