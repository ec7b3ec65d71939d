"""Our own prompts beside the operations that two formulas count for them: with all scores, and without the future"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy

from ..api import compile
from .machines import source_of
from .measured_set import measured_set
from .rows import Numbers, Rows
from .statistics import held_out, off

ALL: Final = "all scores"
CAUSAL: Final = "without the future"
FORMULAS: Final = {ALL: "prefill_product_flops", CAUSAL: "causal_prefill_flops"}
LONG = 512  # tokens from which arithmetic takes longer than reading the weights on both cards
_MODEL = "llama-3-8b"


@cache
def prompts() -> Rows:
    """Our prompts with the seconds that each count of operations takes at the datasheet's peak, and of `reading`."""
    parts = []
    for (device,), some in measured_set("gpu_prompts").rows.groups("device"):
        machine: dict[str, Any] = {"hardware": source_of(device), "dtype": "bf16"}
        peak = compile("compute_time", **machine)
        one = numpy.ones(len(some))
        # a step of one sequence with P = C/2 weights does C operations: so the time is the catalogue's
        times = {
            count: peak(P=compile(formula, model=_MODEL)(B=one, N=some["N"]) / 2, B=one)
            for count, formula in FORMULAS.items()
        }
        reading = numpy.full(len(some), float(compile("memory_time", model=_MODEL, **machine)()))
        parts.append(some.beside(reading=reading, **times))
    return Rows({name: numpy.concatenate([some[name] for some in parts]) for name in parts[0].columns})


def share(rows: Rows, count: str = CAUSAL) -> float:
    """The share of the datasheet's arithmetic that long prompts reach, in the median, by a count of operations."""
    return float(numpy.median(rows[count] / rows["time"]))


def errors(count: str) -> Numbers:
    """Absolute errors of long prompts on each card, with the share of the other card."""
    rows = prompts().where(prompts()["N"] >= LONG)
    held, predicted = held_out(
        rows, "device", lambda others: share(others, count), lambda part, some: some[count] / part
    )
    return off(predicted, held["time"])
