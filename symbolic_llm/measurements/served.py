"""Measured tokens of a served mixture of experts beside the law of a step with prompts in between

A server has so many requests at a time. Whenever one ends, the prompt of the next is prefilled between two steps, so
each token waits for its share of the prompts: time_between_tokens. Step and prefill are those of devices that share
every layer, part by part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import numpy

from .. import presets
from ..answers.memory_fit import given
from ..api import compile
from ..notation import T_link
from .machines import formats_of, source_of
from .measured_set import measured_set
from .rows import Numbers, Rows, joined
from .statistics import held_out, line_through, off

MODEL: Final = "deepseek-r1"
CACHE: Final = "bf16"
LEAST: Final = 10  # rows of a group for which a line is fitted
BY: Final = ("device", "framework", "format", "devices")  # what makes a group of rows
SHAPE: Final = "shape"  # tokens of prompt and answer, as one name
LONG: Final = "8192 + 1024"  # prompts that are long beside their answers
SHOWN: Final = ("h200_sxm", "sglang", "fp8_block", 8.0)  # the group of which a page has every row


@cache
def served() -> Rows:
    """All rows, with their `law` in seconds, the `ratio` of measured to it, and whether `hops` are in it.

    Where no source states the latency of a device's links, its messages take their bytes alone.
    """
    rows = measured_set("served_experts").rows
    return joined([*_predicted(rows)])


def _predicted(rows: Rows) -> Iterator[Rows]:
    for (device, kernel, devices), some in rows.groups("device", "format", "devices"):
        hardware = source_of(device)
        asked: dict[str, Any] = {"model": MODEL, "hardware": hardware, "cache": CACHE, "n_tensor": int(devices)}
        asked |= formats_of(kernel)
        known = given(presets.Presets(presets.model(MODEL), presets.hardware(hardware)), T_link) is not None
        more = {} if known else {"T_link": 0.0}
        step, law = step_and_token(asked, some["B"], some["prompt"], some["answer"], **more)
        shapes = numpy.array([f"{prompt:.0f} + {answer:.0f}" for prompt, answer in some.each("prompt", "answer")])
        hops = numpy.full(len(some), known)
        yield some.beside(law=law, step=step, ratio=some["time"] / law, hops=hops, **{SHAPE: shapes})


def step_and_token(
    asked: Mapping[str, Any], B: Numbers, prompt: Numbers, answer: Numbers, **reached: Any
) -> tuple[Numbers, Numbers]:
    """Times of a step and of a token, which waits for a step and for the prompts in between.

    Args:
        asked: the presets, and how many devices there are.
        B: sequences of a batch.
        prompt: tokens of each prompt.
        answer: tokens of each answer.
        **reached: letters of the machine.
    """
    # the step in the middle of an answer stands for all
    step = compile("separate_tensor_parallel_latency", **asked)(B=B, N=prompt + answer / 2, **reached)
    prefill = compile("separate_tensor_parallel_prefill_time", **asked)(B=1.0, N=prompt, **reached)
    rates = {"R_in": prompt, "R_out": answer, "R_prefill": prompt / prefill}
    return step, compile("time_between_tokens")(B=B, T_step=step, **rates)


def line(rows: Rows) -> tuple[float, float]:
    """A line through measured tokens: the factor on the law, and the fixed time of a step in seconds."""
    return line_through(rows["law"], rows["time"])


def forecast(rows: Rows) -> tuple[Rows, Numbers]:
    """Rows of one group, and the forecast of each by a line through those with other lengths of prompt and answer."""
    return held_out(rows, SHAPE, line, lambda fit, some: fit[1] + fit[0] * some["law"], least=LEAST)


def errors(rows: Rows) -> Numbers:
    """Absolute errors of such forecasts."""
    held, predicted = forecast(rows)
    return off(predicted, held["time"])


@cache
def groups() -> Mapping[tuple[Any, ...], Rows]:
    """Rows by device, program, format and number of devices, where enough was measured to judge a line."""
    found = dict(served().groups(*BY))
    return {key: some for key, some in found.items() if len(some) - min(Counter(some[SHAPE]).values()) >= LEAST}


@cache
def long_prompts() -> Numbers:
    """Forecast over measured time of long prompts with short answers, of all groups."""
    every = (held.beside(share=predicted / held["time"]) for held, predicted in map(forecast, groups().values()))
    return numpy.concatenate([some.of(shape=LONG)["share"] for some in every])


@cache
def all_errors() -> Numbers:
    """Errors of all groups, with each length of prompt and answer held out in turn."""
    return numpy.concatenate([*map(errors, groups().values())])
