"""Measured batches and steps of programs, with what the laws, part by part, make of each at all shares of a datasheet

What is measured is a step of a batch; or a whole batch, a prompt and as many steps as it has tokens, whose time over
its steps is that of a step and of a step's part of the prompt; or a token of a server, which waits for a step and for
the prompts in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, Final

import numpy

from ..answers.memory_fit import given
from ..api import compile
from ..architecture import Trait
from ..notation import T_link, W_link
from ..presets import Presets, hardware, model
from ..presets.stacks import REQUESTS, family, padding
from ..quantity import of_preset
from . import requests, served
from .machines import formats_of, letters_of, source_of
from .measured_set import measured_set
from .rows import Array, Numbers, Rows, joined

OF_W = [step / 20 for step in range(4, 21)]
# finer where small, since what a program does for each sequence makes it so
OF_F = [0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
PAIRS = [*product(OF_W, OF_F)]
TIMES: Final = "times"  # of a step and its part of the prompt, a column for each pair
PASSES: Final = "passes"  # over the layers: of a step, and its part of those of prompts
FORMATS: Final = ("weights", "cache", "arithmetic")
STEPS: Final = "steps"
SERVED: Final = "tokens of a server"
# Models of the pages and one more, whose shapes are those of a preset; devices of the pages and one more.
_MODELS: Final = {**requests.MODELS, "Qwen/Qwen2-7B": "qwen2.5-7b"}
_DEVICES: Final = (*requests.DEVICES, "gh200")
_OF_STEPS: Final = {
    "gpt-oss-20b": "gpt-oss-20b",
    "gpt-oss-120b": "gpt-oss-120b",
    "Qwen3-Coder-30B-A3B-Instruct": "qwen3-coder-30b-a3b",
    "Qwen2.5-Coder-7B": "qwen2.5-7b",
    "gemma-3-4b-it-qat": "gemma-3-4b",
    "GLM-4.7-Flash": "glm-4.7-flash",
    "Qwen3-32B": "qwen3-32b",
    "Qwen3.6-27B": "qwen3.6-27b",
    "Qwen3.6-35B-A3B": "qwen3.6-35b-a3b",
    "gemma-4-26B-A4B-it": "gemma-4-26b-a4b",
    "gemma-4-31B-it": "gemma-4-31b",
}
_STORED: Final = {"BF16": "bf16", "Q8_0": "q8_0", "Q4_0": "q4_0", "MXFP4 MoE": "mxfp4"}
_SETS_OF_STEPS: Final = {"llama_cpp_steps": 16, "strix_halo_steps": 0}  # with the tokens of the middle step beyond N
_ALIKE: Final = ("device", "model", "stored")
_MEASURED: Final = (
    *("framework", "device", "devices", "model", *FORMATS, "kind", "measured", "set"),
    *("B", "length", "context", "time", PASSES, TIMES),
)


@cache
def measured(*, tiles: bool = True) -> Rows:
    """All that letters are fitted to: batches that their device holds, and steps, with their times at all shares.

    Args:
        tiles: whether attention's arithmetic of a step is counted for all rows of a tile.
    """
    return joined([*_of_requests(tiles), *_of_steps(tiles), *_of_servers()], *_MEASURED)


def _of_requests(tiles: bool) -> Iterator[Rows]:
    sixteen = measured_set("requests").rows
    for formats, name, rows in (
        (requests.SIXTEEN_BITS, "requests", sixteen.where(sixteen["devices"] == 1)),
        *_below_sixteen_bits(),
    ):
        for asked, fitting, sheet in requests.that_fit(rows, _MODELS, _DEVICES, formats):
            prefill = compile("separate_prefill_time", **asked)
            B, N = fitting["B"][:, None], fitting["N"][:, None]
            # the step in the middle of the answer stands for all
            times = _steps(asked, fitting, 1.5 * fitting["N"], sheet, tiles) + prefill(B=B, N=N, **_shares(sheet)) / N
            told = {**_named(fitting["N"]), "context": 2 * fitting["N"], "time": fitting["time"] / fitting["N"]}
            told |= {PASSES: 1 + 1 / fitting["N"], TIMES: times}
            yield _beside(fitting, asked | {"dtype": formats["dtype"]}, name, REQUESTS, told)


def _below_sixteen_bits() -> Iterator[tuple[dict[str, str], str, Rows]]:
    name = "requests_8_bits"
    for (kernel, kept), some in measured_set(name).rows.groups("format", "cache"):
        yield {**formats_of(kernel), "cache": kept}, name, some


def _of_steps(tiles: bool) -> Iterator[Rows]:
    every = [(name, *found) for name in _SETS_OF_STEPS for found in measured_set(name).rows.groups(*_ALIKE)]
    for name, (device, of, stored), some in every:
        if not isinstance(source := source_of(device), str):
            continue  # nobody states its peak in 16 bits
        asked = {"model": _OF_STEPS[of], "weights": _STORED[stored], "cache": requests.DTYPE}
        sheet = letters_of("FW", hardware=source, dtype=requests.DTYPE)
        context = some["N"] + _SETS_OF_STEPS[name]
        times = _steps(asked, some, context, sheet, tiles)
        told = {**_named(some["N"]), "context": context, PASSES: numpy.ones(len(some)), TIMES: times}
        yield _beside(some, asked | {"dtype": requests.DTYPE}, name, STEPS, told)


def _of_servers() -> Iterator[Rows]:
    """Tokens of servers whose links have a latency that somebody states."""
    for (device, kernel, devices), some in measured_set("served_experts").rows.groups("device", "format", "devices"):
        formats = formats_of(kernel)
        machine: dict[str, Any] = {"hardware": source_of(device), "dtype": formats["dtype"]}
        links = {letter.name: given(Presets(**machine), letter) for letter in (T_link, W_link)}
        if None in links.values():
            continue
        asked: dict[str, Any] = {"model": served.MODEL, "weights": formats["weights"], "cache": served.CACHE}
        shared: dict[str, Any] = {
            **asked,
            **links,
            "n_tensor": int(devices),
            "n_bytes_act": of_preset("n_bytes_act", dtype=formats["dtype"]).value,
        }
        reached = _shares(letters_of("FW", **machine))
        B, prompt, answer = (some[name][:, None] for name in ("B", "prompt", "answer"))
        _, times = served.step_and_token(shared, B, prompt, answer, **reached)
        told = {**_named(some["prompt"], some["answer"]), "context": some["prompt"] + some["answer"]}
        told |= {PASSES: 1 + some["B"] / some["answer"], TIMES: times}
        yield _beside(some, asked | {"dtype": formats["dtype"]}, "served_experts", SERVED, told)


def _named(*lengths: Numbers) -> dict[str, Array]:
    """Tokens of prompts, and of answers where they differ, as one name."""
    return {"length": numpy.array([" + ".join(f"{one:.0f}" for one in of) for of in zip(*lengths, strict=True)])}


def _shares(sheet: Mapping[str, float]) -> dict[str, Numbers]:
    """W and F that are reached, for each pair of shares."""
    memory, compute = numpy.array(PAIRS).T
    return {"W": sheet["W"] * memory, "F": sheet["F"] * compute}


def _steps(asked: Mapping[str, Any], rows: Rows, context: Numbers, sheet: Mapping[str, float], tiles: bool) -> Numbers:
    """Times of steps at all shares: their matrices, and attention with the arithmetic that its tiles are padded to."""
    part_by_part, matrices = compile("separate_latency", **asked), compile("latency", **asked)
    (device,) = rows.values("device")
    B, reached = rows["B"][:, None], _shares(sheet)
    filled = padding(hardware(source_of(device)), model(asked["model"]).traits) if tiles else 1
    padded = reached | {"F": reached["F"] / filled}
    attention = part_by_part(B=B, N=context[:, None], **padded) - matrices(B=B, **padded)
    found: Numbers = matrices(B=B, **reached) + attention
    return found


def _beside(rows: Rows, asked: Mapping[str, Any], name: str, what: str, told: Mapping[str, Array]) -> Rows:
    """Rows with what they are: the model and formats of a question, whether it has experts, and their set."""
    kind = "experts" if Trait.EXPERTS in model(asked["model"]).traits else "dense"
    formats = (family(asked[of]) for of in ("weights", "cache", "dtype"))
    said: dict[str, Any] = {"model": asked["model"], "kind": kind, "measured": what, "set": name}
    said |= {"devices": 1.0} | {name: one for name, one in rows.columns.items() if name == "devices"}
    said |= dict(zip(FORMATS, formats, strict=True))
    return rows.beside(**told, **{key: numpy.broadcast_to(one, len(rows)) for key, one in said.items()})
