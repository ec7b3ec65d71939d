"""A model on several devices: which splits are possible, and what the catalogue says of one

Devices share every layer (tensor), the blocks in stages (pipeline) and, what is left, the batch (data).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..api import find
from ..architecture import Trait
from ..errors import InvalidValue, shown
from ..formula import Formula
from ..models import Model
from ..notation import P_device, m_device
from .rows import Row

_MOST = 10**6
_WIDTHS = (
    ("n_heads", "heads"),
    ("d_ff", "wide MLPs"),
    ("d_expert", "wide experts"),
    ("d_shared", "wide shared experts"),
)


@dataclass(frozen=True)
class Split:
    """How devices share a model.

    Attributes:
        tensor: devices that share every layer.
        pipeline: stages that share the blocks.
        data: groups of such devices, each with the whole model and its part of the batch.
    """

    tensor: int = 1
    pipeline: int = 1
    data: int = 1

    def __str__(self) -> str:
        devices = self.tensor * self.pipeline * self.data
        return f"{devices:,} devices: tensor {self.tensor:,}, pipeline {self.pipeline:,}, data {self.data:,}"


def split(model: Model, devices: object, tensor: object, pipeline: object) -> Split | None:
    """The split that is asked for, None if none is; `InvalidValue` with what makes it impossible.

    Without `tensor` all devices of a stage share every layer. What tensor and pipeline leave of the devices shares the
    batch.
    """
    if devices is tensor is pipeline is None:
        return None
    stages = 1 if pipeline is None else whole_number("pipeline", pipeline)
    together = 1 if tensor is None else whole_number("tensor", tensor)
    every = together * stages if devices is None else whole_number("devices", devices)
    if tensor is None:
        together = max(1, every // stages)
    if every % (together * stages):
        raise InvalidValue(
            f"{every:,} devices cannot be put into groups of {together * stages:,}, which is tensor {together:,} times "
            f"pipeline {stages:,}."
        )
    if complaint := next(_complaints(model, together, stages), ""):
        raise InvalidValue(f"{model.title} {complaint}.")
    return Split(together, stages, every // (together * stages))


def _complaints(model: Model, tensor: int, pipeline: int) -> Iterator[str]:
    shapes = model.letters
    for name, what in _WIDTHS:
        if shapes.get(name, 0) % tensor:
            yield f"has {shapes[name]:,} {what}, which {tensor:,} devices cannot share evenly (tensor)"
    few, many = sorted((shapes.get("n_kv_heads") or tensor, tensor))
    if many % few:
        yield f"has {shapes['n_kv_heads']:,} key/value heads, which {tensor:,} devices cannot share evenly (tensor)"
    if shapes["n_blocks"] % pipeline:
        yield f"has {shapes['n_blocks']:,} blocks, which make no {pipeline:,} equal stages (pipeline)"


def whole_number(option: str, value: object, most: int = _MOST) -> int:
    """A number of devices as it is given or typed; `InvalidValue` if it is none, or more than `most`."""
    text = shown(value, 40)  # a longer one is cut, and no number then
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise InvalidValue(f"{option} is a whole number from 1 to {most:,}, but {text} was given.")
    return int(text)


def rows(
    make: Callable[..., Row], model: Model, how: Split, at: Mapping[str, Fraction], *, on_machine: bool
) -> Iterator[Row]:
    """What the formulas say of such a split: of a device, of the messages and, on a machine, of the times.

    Args:
        make: makes a row of section, label, key, formula, letters and note.
        model: the model.
        how: the split.
        at: batch `B` and context `N` of all devices together.
        on_machine: whether the machine is known.
    """
    title = str(how)

    def row(title: str, label: str, key: str, what: Formula | str, letters: Any, note: str = "") -> Row:
        return make(title, label, key, what, letters, note=note)

    each = Fraction(-(-at["B"] // how.data))
    tensor: dict[str, Any] = {"n_tensor": Fraction(how.tensor)}
    load = {"B": each, **tensor}
    of_batch = f"of {each} of {at['B']} sequences" if how.data > 1 else ""
    of_blocks = f"in all {how.pipeline} stages" if how.pipeline > 1 else ""
    if "n_kv_heads" in model.letters and "d_latent" not in model.letters:
        copies = "copies" if how.tensor > model.letters["n_kv_heads"] else ""
        yield row(title, "key/value heads on a device", "device_kv_heads", "kv_heads_per_device", tensor, note=copies)
    by_device = model.picked(m_device) or find("cache_bytes_per_device")  # whose row then says why there is none
    letters = tensor if "n_tensor" in {s.name for s in by_device.rhs.free_symbols} else {}
    yield row(title, "cache of a token on a device", "device_kv_bytes", by_device, letters, note=of_blocks)
    multiplied = model.picked(P_device) or find("weights_per_device")
    yield row(title, "weights multiplied on a device", "device_weights", multiplied, tensor, note=of_blocks)
    if Trait.EXPERTS in model.traits:
        read = row(title, "weights read on a device", "device_weights_read", "weights_read_per_device", load)
        yield replace(read, note=", ".join(filter(None, (read.note, of_batch, of_blocks))))
    held, notes = {**load, "N": at["N"]}, ", ".join(filter(None, (of_batch, of_blocks)))
    yield row(title, "held on a device", "device_held", "footprint_per_device", held, note=notes)
    if how.tensor > 1:
        yield row(title, "sent in all-reduces", "all_reduce_bytes", "all_reduce_bytes", load, note=of_batch)
    if on_machine and how.tensor > 1:
        yield row(title, "all-reduces take", "all_reduce_time", "all_reduce_time", load, note=of_batch)
    if on_machine:
        room = {**tensor, "n_stages": Fraction(how.pipeline), "N": at["N"]}
        full = "if its stages are equally full" if how.pipeline > 1 else ""
        of_group = ", ".join(filter(None, ("of each group" if how.data > 1 else "", full)))
        yield row(title, "largest batch that fits", "devices_batch", "sequences_on_devices", room, note=of_group)
        step = row(title, "decoding step", "devices_time", "tensor_parallel_latency", {**load, "N": at["N"]})
        yield step
        prompts = {**load, "N": at["N"]}
        yield row(title, "prefill", "devices_prefill_time", "tensor_parallel_prefill_time", prompts, note=of_batch)
    if how.pipeline > 1:
        stages = Fraction(how.pipeline)
        batches = {"n_stages": stages, "n_micro": Fraction(1)}
        if on_machine:
            hop = row(title, "from stage to stage", "hop_time", "hop_time", {"B": each})
            yield hop
            if step.value is not None and hop.value is not None:
                times = {**batches, "T_stage": step.value / stages, "T_hop": hop.value}
                yield row(title, "decoding step, stage by stage", "pipeline_time", "pipeline_time", times)
        note = "of a stage, unless other micro-batches fill it"
        yield row(title, "waiting", "bubble", "pipeline_bubble", batches, note=note)
