"""Measured batches of whole requests beside the time of prompt and answer that the formulas give them"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final

import numpy

from ..api import compile
from .machines import letters_of, source_of
from .measured_set import measured_set
from .rows import Numbers, Rows, joined
from .statistics import held_out, off

# Of the set's models and devices, those that have a preset: for the others nothing is predicted.
MODELS: Final = {
    "meta-llama/Llama-2-7b-hf": "llama-2-7b",
    "meta-llama/Meta-Llama-3-8B": "llama-3-8b",
    "meta-llama/Meta-Llama-3-70B": "llama-3-70b",
    "meta-llama/Llama-2-70b-hf": "llama-2-70b",
}
DEVICES: Final = ("a100_argonne", "h100_sxm", "mi300x")
DTYPE: Final = "fp16"
SIXTEEN_BITS: Final = {"weights": DTYPE, "cache": DTYPE, "dtype": DTYPE}


@cache
def requests() -> Rows:
    """Batches on one device that it holds, with the `law` (request_time) in seconds and the `ratio` of measured to it.

    A batch is left out where weights and caches do not fit into the device's memory at its longest context
    (sequences_that_fit), since then its requests wait for one another.
    """
    rows = measured_set("requests").rows
    return joined([*_predicted(rows.where(rows["devices"] == 1))])


def _predicted(rows: Rows) -> Iterator[Rows]:
    for asked, fitting, letters in that_fit(rows, MODELS, DEVICES):
        time = compile("request_time", **asked)
        law = time(B=fitting["B"], N=fitting["N"], n_new=fitting["N"], **letters)
        yield fitting.beside(law=law, ratio=fitting["time"] / law)


def that_fit(
    rows: Rows,
    models: Mapping[str, str],
    devices: Collection[str],
    formats: Mapping[str, str] = SIXTEEN_BITS,
) -> Iterator[tuple[dict[str, Any], Rows, dict[str, float]]]:
    """Batches that fit, model by model and device by device: the presets of each, its rows, and the device's F and W.

    Args:
        rows: batches on one device.
        models: presets by the models that are looked at.
        devices: the devices that are looked at.
        formats: the number formats of weights, cache and arithmetic (dtype).
    """
    for (model,), of_model in rows.groups("model"):
        if model not in models:
            continue
        asked: dict[str, Any] = {"model": models[model], "weights": formats["weights"], "cache": formats["cache"]}
        room = compile("sequences_that_fit", outside="nan", **asked)
        for (device,), some in of_model.where(numpy.isin(of_model["device"], [*devices])).groups("device"):
            machine: dict[str, Any] = {"hardware": source_of(device), "dtype": formats["dtype"]}
            letters = letters_of("MFW", **machine)
            fitting = some.where(some["B"] <= room(N=2 * some["N"], M=letters.pop("M")))
            if len(fitting):
                yield asked, fitting, letters


def errors(rows: Rows, by: str, same: tuple[str, ...]) -> Numbers:
    """Absolute errors of the law times the median ratio of others, for each row that has such others.

    Args:
        rows: measured batches with their law.
        by: the column of which one value is held out at a time.
        same: columns in which the others have to agree with what is held out.
    """
    several = (some for _, some in rows.groups(*same) if len(some.values(by)) > 1)
    parts = (held_out(some, by, _ratio, lambda ratio, held: ratio * held["law"]) for some in several)
    return numpy.concatenate([off(predicted, held["time"]) for held, predicted in parts])


def _ratio(rows: Rows) -> float:
    """The median of measured over the law's."""
    return float(numpy.median(rows["ratio"]))
