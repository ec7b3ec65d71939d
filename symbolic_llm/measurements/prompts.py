"""Our own prompts beside the operations that are counted for them: with all scores, and without the future"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy

from ..api import compile
from .machines import source_of
from .measured_set import measured_set
from .rows import Numbers, Rows, joined
from .statistics import held_out, off

ALL: Final = "all scores"
CAUSAL: Final = "without the future"
MET: Final = {ALL: "prompt_context_flops", CAUSAL: "causal_prompt_context_flops"}  # of each token, by its formula
LONG = 512  # tokens from which arithmetic takes longer than reading the weights on both cards
_MODEL = "llama-3-8b"


def operations(count: str, tokens: Any) -> Any:
    """Operations of one prompt of so many tokens, with logits of the last, by a count of what its tokens meet."""
    served, met, counted = (
        compile(formula, model=_MODEL) for formula in ("prefill_product_flops", MET[CAUSAL], MET[count])
    )
    return served(B=1.0, N=tokens) + tokens * (counted(N=tokens) - met(N=tokens))


@cache
def prompts() -> Rows:
    """Our prompts with the seconds that each count of operations takes at the datasheet's peak, and of `reading`."""
    parts = []
    for (device,), some in measured_set("gpu_prompts").rows.groups("device"):
        machine: dict[str, Any] = {"hardware": source_of(device), "dtype": "bf16"}
        peak = compile("compute_time", **machine)
        one = numpy.ones(len(some))
        # a step of one sequence with P = C/2 weights does C operations: so the time is the catalogue's
        times = {count: peak(P=operations(count, some["N"]) / 2, B=one) for count in MET}
        reading = numpy.full(len(some), float(compile("memory_time", model=_MODEL, **machine)()))
        parts.append(some.beside(reading=reading, **times))
    return joined(parts)


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
