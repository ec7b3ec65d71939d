"""Rows for what a machine serves: the largest batch within a target, and how long a request takes"""

from __future__ import annotations

from fractions import Fraction

from ..answers.explanation import Explanation
from ..models.choices import PREFILLS
from ..notation import LETTERS, T_generation, T_output, T_target
from ..units import humanize
from .asked import Asked
from .rows import Row


def served(asked: Asked, target: Fraction) -> list[Row]:
    """The largest batch that fits and meets a target, and what limits it."""
    context = {"N": asked.at["N"]}
    at = context | {"T_target": target}
    title = f"A decoding step in {humanize(target, LETTERS[T_target].unit, 4)} at context {asked.context:,}"
    limit = asked.explained("batch_limits", at)
    note = "" if isinstance(limit, str) else limit.result
    return [
        asked.row(title, "sequences that fit", "sequences_that_fit", "sequences_that_fit", context),
        asked.row(title, "sequences read in time", "sequences_read_in_time", "batch_read_in_time", at),
        asked.row(title, "sequences computed in time", "sequences_computed_in_time", "batch_computed_in_time", at),
        asked.row(title, "largest batch of all three", "largest_batch_within_target", "largest_batch", at, note=note),
    ]


def request(asked: Asked, prompt: int, new: int) -> list[Row]:
    """How long a request takes: until its first token, for one after that, and in all."""
    title = f"Request of {prompt:,} tokens and {new:,} decoded after the first, batch {asked.batch:,}"
    first = {"N": Fraction(prompt), "B": asked.at["B"]}
    steps = first | {"n_new": Fraction(new)}
    counted = {}
    if asked.prefill != next(iter(PREFILLS)):  # another way to count it than the formulas' own
        flops = asked.explained(asked.prompted, first)
        counted = {"C_prefill": flops.exact} if isinstance(flops, Explanation) else {}
    per_token, in_all = (asked.model.formula_for(letter) for letter in (T_output, T_generation))
    prefill = "prefill_time_with_attention"
    return [
        asked.row(title, "time to first token", "time_to_first_token", prefill, first | counted),
        asked.row(title, "time per output token", "time_per_output_token", per_token, steps),
        asked.row(title, "end to end", "request_time", in_all, steps | counted),
    ]
