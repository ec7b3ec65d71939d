"""Runs of a file held against the bounds of their models and machines"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from ... import presets
from ...answers.memory_fit import room
from ...catalogue.named import weight_bytes
from ...errors import InvalidValue, known_name, listed, option, shown
from ...models import Model
from ...presets.tables import arithmetic
from ...reports.device_splits import whole_number
from ...units import BYTE, WEIGHT, humanize
from .figure import NOTHING, Given, Run
from .guidellm import is_guidellm, read_guidellm
from .known_names import hardware_named, mixture_of, model_counted, model_named
from .limits import Limits, fastest
from .llama_bench import is_llama_bench, read_llama_bench
from .outcome import Outcome, judge
from .records import Record, read_records
from .servers import is_latency, is_serving, is_throughput, read_latency, read_serving, read_throughput

PROGRAMS = ("llama-bench", "vllm bench serve, latency and throughput", "SGLang bench_serving", "GuideLLM")


@dataclass(frozen=True)
class Audited:
    """A run with the verdicts on its figures.

    Attributes:
        run: the run.
        model: what its model was taken for.
        machine: what its machine was taken for.
        devices: how many of them.
        dtype: number format of the arithmetic whose peak counts; None where no peak is known.
        formats: number formats of weights, cache and arithmetic, in words.
        outcomes: a verdict for each figure, in the order of the file.
        remarks: sentences on what the bound leaves out, and on what does not fit together.
    """

    run: Run
    model: Model
    machine: presets.Device
    devices: int
    dtype: str | None
    formats: str
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...]


def read_results(path: str | Path, given: Given = NOTHING) -> tuple[Run, ...]:
    """The runs of a file of results; `InvalidValue` with what is wrong.

    Args:
        path: of a .json, .jsonl or .csv file of llama-bench, vLLM, SGLang or GuideLLM.
        given: what the file leaves out.
    """
    records = read_records(path)
    with _naming(path):
        found = [run for record in records for run in _runs(record, given)]
        if not found:
            raise InvalidValue("it has no results.")
    return tuple(found)


def _runs(record: Record, given: Given) -> list[Run]:
    """The runs of a record, by what program it is of."""
    if is_latency(record):
        return [read_latency(record, given)]
    if is_throughput(record):
        return [read_throughput(record, given)]
    if any(one is not None for one in (given.prompt, given.output, given.batch)):
        raise InvalidValue(
            f"it says how many tokens its runs took, so {option('prompt')}, {option('output')} and {option('batch')} "
            "do not apply."
        )
    if is_llama_bench(record):
        return [read_llama_bench(record)]
    if is_serving(record):
        return [read_serving(record)]
    if is_guidellm(record):
        return read_guidellm(record)
    raise InvalidValue(f"it is no file of results that is known here: those of {listed(PROGRAMS)} are.")


def audit_results(path: str | Path, **options: Any) -> tuple[Audited, ...]:
    """Hold the figures of a file of results against their bounds.

    Args:
        path: of a .json, .jsonl or .csv file of llama-bench, vLLM, SGLang or GuideLLM.
        **options: what the file leaves out, or what goes before it: model, hardware, dtype, weights, cache, devices,
            and prompt, output and batch, by the names of `Given`.

    Raises:
        SymbolicLLMError: one sentence with what is wrong, or with the option that is missing.
    """
    given = given_by(options)
    runs, known = read_results(path, given), dict[tuple[Any, ...], Limits]()
    with _naming(path):
        return tuple(audit_run(one, given, known) for one in runs)


def given_by(options: Mapping[str, Any]) -> Given:
    """Options as they are typed, with model and machine read; `InvalidValue` for one that there is not."""
    for name in options:
        known_name("option", name, Given._fields)
    found = Given(**options)
    return found._replace(
        model=None if found.model is None else presets.model(found.model),
        hardware=None if found.hardware is None else presets.hardware(found.hardware),
    )


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Errors about a file begin with its name."""
    try:
        yield
    except InvalidValue as error:
        raise InvalidValue(f"{shown(path, 240)}: {error}") from None


def audit_run(run: Run, given: Given = NOTHING, known: dict[tuple[Any, ...], Limits] | None = None) -> Audited:
    """Hold the figures of a run against their bounds.

    Args:
        run: the run.
        given: what its file leaves out, or what goes before it.
        known: limits of runs before, which are taken again for the same model, machine and formats.

    Raises:
        InvalidValue: with the options that are missing.
    """
    model, machine = _model(run, given), _machine(run, given)
    own = run.bytes_stored is not None and run.weights_stored is not None
    stored, cache = given.weights or (None if own else given.dtype), given.cache or run.cache or given.dtype
    lacking = [one for one in (model, machine) if isinstance(one, str)]
    if stored is None and not own:
        lacking.append(
            f"it does not say its number formats: give {option('dtype', '=')}, as in bf16, and "
            f"{option('weights', '=')} or {option('cache', '=')} if others"
        )
    elif cache is None:
        lacking.append(f"it does not say the number format of its cache: give {option('cache', '=')}, as in fp16")
    if lacking or isinstance(model, str) or isinstance(machine, str):
        raise InvalidValue(f"{'; '.join(lacking)}.")
    n_bytes = None
    if stored is None:
        stored, n_bytes = _own_bytes(run, model)
    dtype = given.dtype or fastest(machine, run.computes_in)
    if dtype is not None:
        arithmetic(dtype)
    key = id(model), id(machine), dtype, stored, cache, n_bytes
    made = {} if known is None else known
    if key not in made:
        made[key] = Limits(model, machine, dtype=dtype, weights=stored, cache=cache, n_bytes=n_bytes)
    limits = made[key]
    devices = run.devices if given.devices is None else whole_number("devices", given.devices)
    outcomes = tuple(judge(one, limits, devices, layered=run.layered and devices > 1) for one in run.figures)
    width = stored if n_bytes is None else f"{float(n_bytes):.4g} B each, the mean of the file"
    peak = f"arithmetic in {dtype}" if dtype else "no peak of arithmetic known"
    formats = f"weights in {width}, cache in {cache}, {peak}"
    return Audited(run, model, machine, devices, dtype, formats, outcomes, tuple(_remarks(run, limits, devices)))


def _own_bytes(run: Run, model: Model) -> tuple[str | None, Fraction | None]:
    """The mixture of a file's weights where its bytes agree with it, else their mean."""
    every, number = run.bytes_stored or 0, run.weights_stored or 1
    mixture = mixture_of(model, run.mixture, every)
    return mixture, None if mixture else Fraction(every, number)


def _model(run: Run, given: Given) -> Model | str:
    """The model that is given, or the preset that the run names; a request for the option where it is not known."""
    if given.model is not None:
        return presets.model(given.model)
    named = model_counted(run.weights_stored) if run.weights_stored else model_named(run.model)
    if named is not None:
        return presets.model(named)
    said = f"its model, {shown(run.model, 80)}, is no preset" if run.model else "it does not name its model"
    return f"{said}: give {option('model', '=')}, a preset, a config.json or a GGUF file"


def _machine(run: Run, given: Given) -> presets.Device | str:
    """The machine that is given, or the preset that the run names; a request for the option where it is unclear."""
    if given.hardware is not None:
        return presets.hardware(given.hardware)
    named = hardware_named(run.hardware) if run.hardware else ()
    if len(named) == 1:
        return _device(named[0])
    said = f"its machine, {shown(run.hardware, 80)}, is no preset" if run.hardware else "it does not name its machine"
    if named:
        said = f"its machine, {shown(run.hardware, 80)}, may be any of several"
        return f"{said}: give {option('hardware', '=')}, {' or '.join(named)}"
    return f"{said}: give {option('hardware', '=')}, a preset or a .toml file of your own"


@lru_cache(maxsize=2**6)
def _device(name: str) -> presets.Device:
    """The preset of a device, the same object each time."""
    return presets.hardware(name)


def _remarks(run: Run, limits: Limits, devices: int) -> Iterable[str]:
    yield from run.remarks
    counted, model = run.weights_stored, limits.model
    if counted and abs(counted - model.parameters) * 100 > counted:
        yield (
            f"the file has {humanize(Fraction(counted), WEIGHT, 4)}, and {model.title} has "
            f"{humanize(Fraction(model.parameters), WEIGHT, 4)}"
        )
    held = Fraction(run.bytes_stored) if run.bytes_stored else _stored(limits)
    there = room(limits.presets, devices)
    if held is not None and there is not None and held > there[0]:
        yield f"the weights take {humanize(held, BYTE, 4)}, more than the memory there is, {humanize(there[0], BYTE)}"
    lacking = [name for letter, name in (("W", "bandwidth"), ("F", "peak")) if letter not in limits.presets.letters[0]]
    for name in lacking:
        bounded = "reading" if name == "bandwidth" else "arithmetic"
        yield f"the {name} of {limits.machine.title} is not known, so {bounded} bounds nothing"
    if devices > 1:
        yield f"{devices:,} devices are taken to share everything evenly, without a message"


def _stored(limits: Limits) -> Fraction | None:
    found = limits.explained(weight_bytes)
    return None if isinstance(found, str) else Fraction(found.exact)
