"""Functions that give the reports of the command line: `model` and `plan`

They take the words of the commands' options, and are what the commands call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import presets
from ..errors import InvalidValue, option
from .offload_rows import OPTIONS
from .operations import Operations
from .planning import Plan
from .sizing import Sizing


def model(
    model: presets.ModelSource,
    /,
    *,
    hardware: presets.HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    context: int | str | None = None,
    batch: int | str | None = None,
    tpot: object = None,
    prompt: int | str | None = None,
    new_tokens: int | str | None = None,
    devices: int | str | None = None,
    tensor: int | str | None = None,
    pipeline: int | str | None = None,
    prefill: str | None = None,
    cached: int | str | None = None,
    page: int | str | None = None,
    storage: object = None,
    transfer: object = None,
    overlap: bool = False,
    host_bandwidth: object = None,
    host_flops: object = None,
    host_memory: object = None,
    host_link: object = None,
    stack: str | None = None,
    per_op: bool = False,
    **letters: object,
) -> Sizing | Operations:
    """The report that `symbolic-llm model` prints; a table in a notebook.

    Examples:
        >>> import symbolic_llm
        >>> for sentence in symbolic_llm.model("llama-3-8b", hardware="h100-sxm").answer:
        ...     print(sentence)
        Fits into 80 GB: weights and cache take 16.6 GB.
        Decodes 215.5 token/s with batch 1 at context 4,096.
        A decoding step takes 4.641 ms and is memory-bound.

    Args:
        model: a preset's name, a config.json or its directory, a GGUF file, or a `Model`.
        hardware: a machine: a preset's name, a .toml file, its fields, or a `Device`.
        dtype: the number format of the arithmetic; if left out fp16, or bf16 on a device with a peak in that alone.
        weights: how the weights are stored; as the model's file says, else as `dtype`, if left out.
        cache: how the KV cache is stored; as `dtype` if left out.
        context: tokens of each sequence; 4096 if left out.
        batch: sequences; 1 if left out.
        tpot: time per output token that a decoding step may take, as "50 ms".
        prompt: tokens of a request's prompt, with `new_tokens`; with `per_op`, those of a prefill.
        new_tokens: tokens that a request decodes after the first one.
        devices: number of devices of this kind that share the model.
        tensor: devices that share every layer; all of a stage if left out.
        pipeline: stages that share the blocks; 1 if left out.
        prefill: which convention counts the operations of a prompt: "full", "causal" or "last-logits".
        cached: tokens at the beginning of a request's prompt whose keys and values are there already.
        page: tokens of a page of the KV cache.
        storage: bytes a second that are read of the storage from which the weights are loaded.
        transfer: bytes a second of the link that hands a prompt's cache over.
        overlap: whether all of a pass overlaps, the bound of a perfect program; else its matrices and its attention
            follow each other, as in existing programs.
        host_bandwidth: bytes a second of a second memory, such as the host's, in which layers lie that do not fit.
        host_flops: peak arithmetic of what computes beside it.
        host_memory: its bytes.
        host_link: bytes a second of the link from it, to compare with layers that are streamed.
        stack: a program, such as "vllm": the interval in which its measured batches say that a step takes.
        per_op: list the operations of a decoding step, or of a prefill, one by one.
        **letters: figures of the machine, which go before those of `hardware`: M, W, F, W_link or T_link.

    Returns:
        A `Sizing`, or with `per_op` an `Operations`; `.data()` is what the command prints with --json.

    Raises:
        SymbolicLLMError: with one sentence that says what was wrong.
    """
    one: dict[str, Any] = {"dtype": dtype, "weights": weights, "cache": cache, "context": context, "batch": batch}
    one |= {"prompt": prompt, "devices": devices, "tensor": tensor, "pipeline": pipeline}
    more = {"tpot": tpot, "prefill": prefill}
    more |= {"cached": cached, "page": page, "storage": storage, "transfer": transfer, "stack": stack}
    more |= dict(zip(OPTIONS, (host_bandwidth, host_flops, host_memory, host_link), strict=True))
    if excluded := incompatible({**one, **more, "new_tokens": new_tokens}, per_op):
        raise InvalidValue(excluded)
    machine = presets.of_letters(hardware, **letters) if letters else hardware
    if per_op:
        return Operations(model, machine, **_said(one))
    return Sizing(model, machine, **_said(one | more), new=new_tokens, overlap=overlap)


def _said(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without those that are left out, for which the report has values of its own."""
    return {name: value for name, value in asked.items() if value is not None}


def plan(model: presets.ModelSource, /, **asked: Any) -> Plan:
    """The plan that `symbolic-llm plan` prints; a table in a notebook.

    Examples:
        >>> import symbolic_llm
        >>> found = symbolic_llm.plan("llama-3-8b", prompt=1000, output=200, tpot="50 ms", hardware="h100-sxm")
        >>> [choice.hardware for choice in found.choices]
        ['h100-sxm']

    Args:
        model: a preset's name, a config.json or its directory, a GGUF file, or a `Model`.
        **asked: everything else that `Plan` takes, by name.

    Raises:
        SymbolicLLMError: with one sentence that says what was wrong.
    """
    return Plan(model, **asked)


def incompatible(asked: Mapping[str, object], per_op: bool) -> str:
    """The sentence that says which options exclude each other; "" where they go together.

    Args:
        asked: the options by name; None for those left out.
        per_op: whether operations are asked for.
    """
    given = {name for name, value in asked.items() if value is not None}
    each = option("per_op")
    if "cached" in given and "new_tokens" not in given:
        request = f"{option('prompt')} and {option('new_tokens')}"
        return f"{option('cached')} needs {request}, the request whose first tokens are cached."
    if not per_op:
        if ("prompt" in given) == ("new_tokens" in given):
            return ""
        if "prompt" in given:
            return (
                f"{option('prompt')} needs {option('new_tokens')} (for a request) or {each} (for a prefill); "
                f"{option('context')} sets the length of sequences."
            )
        return f"{option('new_tokens')} needs {option('prompt')}, the length of the request's prompt."
    if "prefill" in given:
        return (
            f"{each} always counts a prefill as servers do it (no masked scores, logits of the last position), "
            f"so it cannot be used with {option('prefill')}."
        )
    if {"prompt", "context"} <= given:
        both = f"a decoding step ({option('context')}) or a prefill ({option('prompt')})"
        return f"{each} shows {both}, so give only one of the two."
    beyond = ("tpot", "new_tokens", "page", "storage", "transfer", "stack", *OPTIONS)
    if given.intersection(beyond):
        *most, last = map(option, beyond)
        return f"{each} shows a single pass, so it cannot be used with {', '.join(most)} or {last}."
    return ""
