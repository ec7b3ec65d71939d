"""Rows for what moves between machines: weights from storage into memory, caches from one device to another"""

from __future__ import annotations

from fractions import Fraction

from ..notation import LETTERS, W_storage, W_transfer
from ..units import humanize
from .report import Report
from .rows import Row


def loaded(report: Report, bandwidth: Fraction) -> list[Row]:
    """Row on the time to load all weights of the model from storage, once, whatever the number of devices."""
    at = {"W_storage": bandwidth}
    title = f"Loading from storage at {humanize(bandwidth, LETTERS[W_storage].unit, 4)}"
    return [report.row(title, "time to load all weights", "loading_time", "loading_time", at)]


def handed_over(report: Report, tokens: int, bandwidth: Fraction) -> list[Row]:
    """Rows on handing the caches of a batch, each of so many tokens, to another device: bytes and time."""
    load = {"N": Fraction(tokens), "B": report.at["B"]}
    of = f"caches of {tokens:,} tokens, batch {report.batch:,}"
    title = f"Handing over: {of}, at {humanize(bandwidth, LETTERS[W_transfer].unit, 4)}"
    return [
        report.row(title, "bytes that are handed over", "handed_over", "kv_bytes_total", load),
        report.row(title, "time on the link", "handover_time", "handover_time", load | {"W_transfer": bandwidth}),
    ]
