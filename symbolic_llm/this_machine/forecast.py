"""Forecasts of decoding steps: the catalogue's laws, with what the machine and the engine reach put in"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ..api import evaluate
from ..catalogue.named import batch_crossover, latency, latency_with_cache, separate_latency
from ..errors import NoSolution, SymbolicLLMError
from ..formula import Formula
from ..measurements.rows import Numbers
from ..presets.device import ANY, Device
from ..presets.devices import hardware as read_hardware
from ..presets.devices import of_letters
from ..reports.grid import computed
from ..reports.sweeping import sweep
from .computer import Computer, Subject
from .engine_figures import PLAIN, Engine
from .hardware_file import fields
from .machine import measure_machine
from .sampling import Progress


@dataclass(frozen=True)
class Forecast:
    """Times of steps before any is run, in seconds, by batch.

    Attributes:
        subject: the decoder.
        title: the computer that it is run on.
        device: the machine whose figures the bound has.
        engine: what the engine reaches on it.
        remarks: sentences on figures that it rests on.
        context: tokens that each sequence looks at.
        batches: numbers of sequences, ascending.
        bound: the longer of all reading and all arithmetic, as fast as the machine does each (latency_with_cache).
        parts: matrices, then attention, as fast (separate_latency).
        fixed: the time that a step takes whatever it reads and computes.
        attention: attention, as fast as the engine reads caches.
        expected: the fixed time, the matrices as fast as the engine's products are, and attention.
        bound_crossover: sequences from which arithmetic takes longer than reading weights, on the machine; None where
            no formula says.
        crossover: the same with the engine's products.
    """

    subject: Subject
    title: str
    device: Device
    engine: Engine
    remarks: tuple[str, ...]
    context: int
    batches: tuple[int, ...]
    bound: Numbers
    parts: Numbers
    fixed: float
    attention: Numbers
    expected: Numbers
    bound_crossover: float | None
    crossover: float | None

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares that the engine reaches: of W and of F by its products, of W by attention."""
        products, caches = _reached(self.engine, self.subject.format)
        peak = self.device.peak(PLAIN)
        assert peak is not None, "the bound has one"
        whole, most = self.device.figures["bandwidth"], self.device.figures[peak]
        reads, computes = products.figures["bandwidth"].over(whole), products.figures[ANY].over(most)
        return float(reads), float(computes), float(caches.figures["bandwidth"].over(whole))


def forecast(
    computer: Computer,
    subject: Subject,
    batches: Sequence[int],
    context: int,
    *,
    hardware: Any = None,
    engine: Engine | None = None,
    progress: Progress = lambda line: None,
) -> Forecast:
    """Forecast of a decoder's steps.

    Args:
        computer: where they will run.
        subject: the decoder.
        batches: numbers of sequences, ascending.
        context: tokens that each sequence looks at.
        hardware: the machine, as `evaluate` takes it; measured now if left out.
        engine: what the engine reaches on it; measured now if left out, or if it was measured with other threads or
            without the decoder's format.
        progress: is told what is being measured.
    """
    remarks: tuple[str, ...] = ()
    if engine is None or {subject.format, PLAIN} - engine.paths.keys() or engine.threads != computer.threads:
        found = measure_machine(computer, (subject.format,), quick=True, progress=progress)
        hardware = fields(found, date.today()) if hardware is None else hardware
        engine, remarks = found.measured.engine, found.remarks
    return _forecast(subject, computer.title, read_hardware(hardware), engine, remarks, batches, context)


def along(predicted: Forecast, batches: Sequence[int]) -> Forecast:
    """Forecast of other batches, from what one rests on."""
    given = predicted.subject, predicted.title, predicted.device, predicted.engine, predicted.remarks
    return _forecast(*given, batches, predicted.context)


def _forecast(
    subject: Subject,
    title: str,
    device: Device,
    engine: Engine,
    remarks: tuple[str, ...],
    batches: Sequence[int],
    context: int,
) -> Forecast:
    products, caches = _reached(engine, subject.format)
    given: dict[str, Any] = {"model": subject.model, "dtype": PLAIN, "weights": subject.weights}
    asked = {**given, "B": list(batches)}
    with_cache = {**asked, "cache": PLAIN, "N": context}
    # the law of both parts less that of the matrices, since attention has no formula by itself
    attention = _times(separate_latency, caches, with_cache) - _times(latency, caches, asked)
    fixed = engine.fixed(subject.format, subject.n_blocks, subject.products)
    return Forecast(
        subject,
        title,
        device,
        engine,
        remarks,
        context,
        tuple(batches),
        bound=_times(latency_with_cache, device, with_cache),
        parts=_times(separate_latency, device, with_cache),
        fixed=fixed,
        attention=attention,
        expected=fixed + _times(latency, products, asked) + attention,
        bound_crossover=_crossover(given, device),
        crossover=_crossover(given, products),
    )


def _reached(engine: Engine, format: str) -> tuple[Device, Device]:
    """The engine's products in a format as a machine, and its attention as one."""
    path = engine.paths[format]
    return of_letters(W=path.bandwidth, F=path.peak), of_letters(W=engine.attention, F=engine.paths[PLAIN].peak)


def _times(formula: Formula, hardware: Device, asked: dict[str, Any]) -> Numbers:
    """Times by batch, in seconds; `NoSolution` with the first reason where some have none."""
    found = sweep(formula, hardware=hardware, **asked)
    for reason in found.reasons.values():
        raise NoSolution(reason)
    times: Numbers = computed(found.values)
    return times


def _crossover(given: dict[str, Any], hardware: Device) -> float | None:
    try:
        return float(evaluate(batch_crossover, hardware=hardware, **given))
    except SymbolicLLMError:  # such as a mixture of experts, whose weights read grow with the batch
        return None
