"""Results of llama-bench: prompt tokens a second (pp), decoded tokens a second (tg), each behind a depth

One sequence is processed at a time. A prompt has no logits but those of its last token, and there is no cache of
prefixes and no drafting, so nothing excuses a figure above the bound.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .figure import NONE, ONE, RATE, Figure, Run, Stage
from .records import Record, count, measured, number, text
from .servers import contradiction

_CACHES = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "q8_0": "q8_0", "q4_0": "q4_0"}
_WHOLE = re.compile(r"(?<![a-z0-9])(all f32|f16|bf16)(?![a-z0-9])")
_MIXED = re.compile(r"\b(q\d)_k - (small|medium|large)")
_FLOATS = ("fp16", "fp16-acc16", "bf16", "fp16-vector", "fp32", "tf32")  # of equal peaks the first one is named
_QUANTIZED = (*_FLOATS, "int8")  # kernels of llama.cpp multiply quantized weights as integers of eight bits
_EVERY_LAYER = 99  # and more, as people write it


def is_llama_bench(record: Record) -> bool:
    """Whether a record is one of llama-bench."""
    return "avg_ts" in record and ("n_prompt" in record or "n_gen" in record)


def read_llama_bench(record: Record) -> Run:
    """The run of a record."""
    kind = text(record, "model_type").lower()
    mixed = _MIXED.search(kind)
    machines = [one.strip() for one in text(record, "gpu_info").split(",") if one.strip()]
    chosen = text(record, "devices")
    number_of = len(machines) or 1
    if chosen not in ("", "auto"):
        number_of = min(number_of, chosen.count("/") + 1)
    if text(record, "split_mode") == "none":
        number_of = 1
    alike = len({*machines}) == 1
    cpu = text(record, "cpu_info")
    formats = _QUANTIZED if kind and not _WHOLE.search(kind) else _FLOATS
    figure = _figure(record)
    return Run(
        "llama-bench",
        text(record, "model_type", "model_filename"),
        machines[0] if alike else ", ".join(machines) or cpu,
        (figure,),
        weights_stored=count(record, "model_n_params"),
        bytes_stored=count(record, "model_size"),
        mixture=f"{mixed[1]}_k_{mixed[2][0]}" if mixed else "",
        cache=_cache(record),
        computes_in=(*formats, "fp4") if "mxfp4" in kind else formats,
        devices=number_of,
        layered=number_of > 1 and text(record, "split_mode") in ("layer", ""),
        remarks=tuple(_remarks(record, figure, on_cpu=not machines)),
    )


def _figure(record: Record) -> Figure:
    """The one figure of a record, with the work of prompt and answer."""
    prompt, new, depth = (count(record, key) for key in ("n_prompt", "n_gen", "n_depth"))
    depth = depth or 0
    if prompt is None or new is None or not prompt + new:
        return Figure("avg_ts", "tokens a second", RATE, reason="n_prompt and n_gen do not say of how many tokens")
    behind = f" @ d{depth}" if depth else ""
    after = f" behind {depth:,} tokens" if depth else ""
    if prompt and new:
        name, meaning = f"pp{prompt}+tg{new}{behind}", f"tokens a second, {prompt:,} of a prompt and {new:,} decoded"
    elif prompt:
        name, meaning = f"pp{prompt}{behind}", f"prompt tokens a second, {prompt:,} of them{after}"
    else:
        name, meaning = f"tg{new}{behind}", f"decoded tokens a second of one sequence, {new:,} of them{after}"
    if isinstance(value := measured(record, "avg_ts"), str):
        return Figure(name, meaning, RATE, reason=value)
    stages = []
    if prompt:
        # the cache of the depth is read once at least, in however many pieces the prompt goes through
        before = (ONE, (depth, depth)) if depth else (NONE, (1, 1))
        stages.append(Stage(passes=ONE, prompts=ONE, length=prompt, depth=depth, reads=before[0], contexts=before[1]))
    if new:
        first, steps = depth + prompt + 1, Fraction(new)
        contexts = (first, first + new - 1)
        stages.append(Stage(passes=steps, tokens=steps, reads=steps, contexts=contexts, alone=True))
    return Figure(name, meaning, RATE, value, (prompt + new) / value, tuple(stages))


def _cache(record: Record) -> str | None:
    """Number format of keys and values: of the one with fewer bytes, so that the bound holds; None where unknown."""
    kinds = [_CACHES.get(text(record, key).lower()) for key in ("type_k", "type_v")]
    order = list(_CACHES.values())
    known = [kind for kind in kinds if kind is not None]  # from many bytes to few, as the table has them
    return max(known, key=order.index) if len(known) == len(kinds) else None


def _remarks(record: Record, figure: Figure, *, on_cpu: bool) -> list[str]:
    layers, experts, took = count(record, "n_gpu_layers"), count(record, "n_cpu_moe"), number(record, "avg_ns")
    found: list[str] = []
    if took is not None and figure.seconds is not None:  # a mean of rates is not the rate of means, but near it
        found += contradiction("avg_ts", figure.seconds, took / 10**9, "avg_ns")
    if not on_cpu and (layers is not None and layers < _EVERY_LAYER):
        found.append(f"{layers} layers were put on the device; if others ran on the CPU, which the bound leaves out")
    if experts:
        found.append(f"experts of {experts} layers ran on the CPU, which the bound leaves out")
    if record.get("no_kv_offload") in (True, "1"):
        found.append("the cache was kept in the memory of the CPU, which the bound leaves out")
    return found
