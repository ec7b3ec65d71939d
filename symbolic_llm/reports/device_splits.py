"""A model on several devices: which splits are possible, and what the catalogue says of one

Devices share every layer (tensor), the blocks in stages (pipeline) and, what is left, the batch (data).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..answers.memory_fit import does_not, given, if_it_did, unfit
from ..api import formula_of
from ..architecture import Trait
from ..errors import InvalidValue, option, shown
from ..formula import Formula
from ..models import Model
from ..models.device_weights import COPIED, EVENLY, OF_STATES
from ..notation import P_device, m_device, n_bytes
from ..presets import Device
from ..units import humanize
from .report import Report
from .rows import Row, noted, of_a_step

_MOST = 10**6
_CALLED = {  # the letters of what is dealt out
    "n_heads": "heads",
    "d_ff": "wide MLPs",
    "d_expert": "wide experts",
    "d_shared": "wide shared experts",
    **OF_STATES,
    **COPIED,
}
_KV_HEADS = (
    ("n_kv_heads", "device_kv_heads", ""),
    ("n_kv_full", "device_kv_heads_full", ", in blocks without a window"),
)


@dataclass(frozen=True)
class Split:
    """A split of a model among devices.

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
        how = f"tensor {self.tensor:,}, pipeline {self.pipeline:,}, data {self.data:,}"
        return f"{devices:,} device{'s' * (devices > 1)}: {how}"

    @property
    def letters(self) -> dict[str, Fraction]:
        """The letters of formulas for devices that share every layer."""
        return {"n_tensor": Fraction(self.tensor)}

    def beyond_a_node(self, device: Device | None) -> str:
        """Remark that a group has more devices than a node, within which their link is; "" for any other."""
        return "" if device is None else device.within_a_node(self.tensor * self.pipeline)

    @property
    def in_a_group(self) -> str:
        """Words for the devices that serve a batch together: all of them, or those of a group."""
        devices = self.tensor * self.pipeline
        each = f"{devices:,} device{'s' * (devices > 1)}"
        return each if self.data == 1 else f"each group of {each}"

    def each(self, batch: int) -> Fraction:
        """Sequences of a group, of the batch of all groups: where they are not equal, of the largest."""
        return Fraction(-(-batch // self.data))


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
            f"{every:,} devices cannot be divided into groups of {together * stages:,} (tensor {together:,} × "
            f"pipeline {stages:,})."
        )
    if complaint := next(_complaints(model, together, stages), ""):
        raise InvalidValue(f"{model.title} {complaint}.")
    return Split(together, stages, every // (together * stages))


def _complaints(model: Model, tensor: int, pipeline: int) -> Iterator[str]:
    shapes = model.letters
    counted = {part.renamed.get(letter, letter) for part in model.parts for letter in part.letters} | {"n_heads"}
    uneven = [name for name in EVENLY if name in counted and shapes.get(name, 0) % tensor]
    for name in COPIED:  # where there are more devices, several have one
        few, many = sorted((shapes.get(name) or tensor, tensor))
        uneven += [name] * bool(many % few)
    for name in uneven:
        yield (
            f"has {shapes[name]:,} {_CALLED[name]}, which tensor parallelism over "
            f"{tensor:,} devices cannot divide evenly"
        )
    if shapes["n_blocks"] < pipeline:
        yield f"has {shapes['n_blocks']:,} blocks, too few for {pipeline:,} pipeline stages"


def whole_number(name: str, value: object, most: int = _MOST) -> int:
    """A number of devices as it is given or typed; `InvalidValue` if it is none, or more than `most`."""
    text = shown(value, 40)  # a longer one is cut, and no number then
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise InvalidValue(f"{option(name)} must be a whole number from 1 to {most:,}, but {text} was given.")
    return int(text)


def rows(report: Report, how: Split, *, on_machine: bool) -> Iterator[Row]:
    """Rows of figures for a split: for a device, for the messages and, on a machine, for the times.

    Args:
        report: the report, whose batch and context are those of all devices together.
        how: the split.
        on_machine: whether the machine is known.
    """
    title, model, at = str(how), report.model, report.at

    def row(label: str, key: str, what: Formula | str, letters: Any, *notes: str) -> Row:
        return noted(report.row(title, label, key, what, letters), *notes)

    each, tensor = how.each(report.batch), how.letters
    load = {"B": each, **tensor}
    held_with = {**load, "N": at["N"]}
    of_batch = f"for {int(each):,} of the {report.batch:,} sequences" if how.data > 1 else ""
    of_blocks = _together(how.pipeline, int(model.letters["n_blocks"]))
    if "n_kv_heads" in model.letters.keys() & model.attention.copied.keys():
        for name, key, where in _KV_HEADS:
            if heads := model.letters.get(name):
                whose = {} if name == "n_kv_heads" else {"n_kv_heads": Fraction(heads)}
                label, copies = f"key/value heads per device{where}", "copies" if how.tensor > heads else ""
                yield row(label, key, "kv_heads_per_device", {**tensor, **whose}, copies)
    by_device = model.picked(m_device) or formula_of("cache_bytes_per_device")  # whose row then says why there is none
    letters = tensor if "n_tensor" in {s.name for s in by_device.rhs.free_symbols} else {}
    yield row("KV cache per token and device", "device_kv_bytes", by_device, letters, of_blocks)
    multiplied = model.picked(P_device) or formula_of("weights_per_device")
    yield row("weights multiplied per device", "device_weights", multiplied, tensor, of_blocks)
    if Trait.EXPERTS in model.traits:
        read = "weights_read_per_device"
        yield row("weights read per device", "device_weights_read", read, load, of_batch, of_blocks)
    mean = _in_the_mean(report)
    held = row("memory needed per device", "device_held", "footprint_per_device", held_with, of_batch, mean, of_blocks)
    into = unfit(held.value, report.presets, how.pipeline)
    yield noted(held, does_not(into))
    if how.tensor > 1:
        yield row("sent in all-reduces per device", "all_reduce_bytes", "all_reduce_bytes", load, of_batch)
    if on_machine:
        yield from _on_machine(report, row, how, each, of_batch, if_it_did(into))
    if how.pipeline > 1:
        note = "share of its time that a stage waits, unless other micro-batches fill it"
        yield row("pipeline bubble", "bubble", "pipeline_bubble", _stages(how), note)


def _together(stages: int, blocks: int) -> str:
    """Note that a figure is that of all stages, with the most blocks that one has where they cannot be alike."""
    if stages == 1:
        return ""
    most = f", of at most {-(-blocks // stages)} blocks each" if blocks % stages else ""
    return f"all {stages} stages together{most}"


def _in_the_mean(report: Report) -> str:
    """Note that all weights of a device are counted alike, where a file does not say the format of each; else ""."""
    heard, mean = report.presets.heard, given(report.presets, n_bytes)
    if heard is None or mean is None or report.model.bytes_on_devices(heard):
        return ""
    return f"with weights of {float(mean):.4g} B each, the mean of all formats"


def _stages(how: Split) -> dict[str, Fraction]:
    """Letters for the stages of a split, and for the one micro-batch that goes through them."""
    return {"n_stages": Fraction(how.pipeline), "n_micro": Fraction(1)}


def _on_machine(
    report: Report, row: Callable[..., Row], how: Split, each: Fraction, of_batch: str, beside: str
) -> Iterator[Row]:
    """Rows of a split on a machine: sequences that fit, times of messages and steps, and tokens a second.

    Args:
        report: the report, for all devices together.
        row: makes a row of label, key, formula, letters and notes.
        how: the split.
        each: the batch of a group.
        of_batch: the note on the batch of a group.
        beside: the note that a time holds only if the batch fitted; "" where it fits.
    """
    at, tensor = report.at, how.letters
    load, at_context = {"B": each, **tensor}, {"B": each, **tensor, "N": at["N"]}
    if how.tensor > 1:
        yield row("time of all-reduces", "all_reduce_time", "all_reduce_time", load, of_batch)
    room = {**tensor, "n_stages": Fraction(how.pipeline), "N": at["N"]}
    full = "if all stages are equally full" if how.pipeline > 1 else ""
    of_group = "per group" if how.data > 1 else ""
    yield row("largest batch that fits", "devices_batch", "sequences_on_devices", room, of_group, full)
    step, other = report.by_both_laws(
        row("decoding step", "devices_time", "tensor_parallel_latency", at_context, of_batch, beside),
        row("decoding step", "devices_time_by_parts", "separate_tensor_parallel_latency", at_context, of_batch, beside),
    )
    yield from (step, other)
    rated: tuple[str, dict[str, Fraction]] = ("tensor_parallel_throughput", at_context)
    unknown: Row | None = None
    if how.pipeline > 1:
        hop = row("transfer to the next stage", "hop_time", "hop_time", {"B": each})
        yield hop
        unknown = next((one for one in (step, hop) if one.value is None), None)
        times = _stages(how)
        if step.value is not None and hop.value is not None:
            times |= {"T_stage": step.value / how.pipeline, "T_hop": hop.value}
        by_stage = "decoding step through all stages"
        yield _as_unknown(row(by_stage, "pipeline_time", "pipeline_time", times, of_batch, beside), unknown)
        rated = ("pipeline_throughput", {"B": each, **times})
    rate = row("tokens per second", "devices_throughput", *rated, of_batch, beside)
    if how.pipeline == 1 and not report.overlap and step.value is not None:
        rate = of_a_step(step, rate.label, rate.key, int(each), of_batch, beside)
    rate = _as_unknown(rate, unknown)
    yield _of_groups(rate, how, even=how.data * each == at["B"])
    kept = report.counted(at_context), of_batch, beside
    yield from report.by_both_laws(
        row("prefill", "devices_prefill_time", "tensor_parallel_prefill_time", *kept),
        row("prefill", "devices_prefill_time_by_parts", "separate_tensor_parallel_prefill_time", *kept),
    )


def _as_unknown(row: Row, part: Row | None) -> Row:
    """The row with the reason why a time that it is made of is not known; as it is where all of them are."""
    return row if part is None else replace(row, note=part.note, bound="")


def _of_groups(rate: Row, how: Split, *, even: bool) -> Row:
    """Row with the throughput of a group and, where all groups have as many sequences, that of all groups."""
    if how.data == 1:
        return replace(rate, label=f"{rate.label}, all devices together")
    alike = replace(rate, label=f"{rate.label}, one group", copies=how.data if even else 1)
    if not even or rate.value is None:
        return alike
    return noted(alike, f"{humanize(how.data * rate.value, rate.unit)} for all {how.data} groups")
