"""`machine` and `measure`"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from importlib.util import find_spec
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import InvalidValue, MissingDependency, known_name, shown
from ..files import to_write, writing
from ..presets.parse_value import read_option
from . import terminal
from .parsing import Output, whole

if TYPE_CHECKING:
    from ..this_machine.computer import Computer, Subject
    from ..this_machine.step_times import StepTimes

_FORMAT, _BATCHES, _CONTEXT = "q8_0", "1..64", "128"  # where nothing is said
_MOST_THREADS, _MOST_BATCH = 2**12, 2**12
_WIDTH = 100  # columns where no terminal is


def machine(options: argparse.Namespace) -> Output:
    """Figures of this machine, and a hardware file of them; exit code 1 where some are refused as too noisy."""
    _can_time()
    from ..this_machine import hardware_file
    from ..this_machine.machine import measure_machine
    from ..this_machine.numpy_computer import this_computer

    if options.out is not None:
        _ends(options.out, ".toml")
    with this_computer(_threads(options.threads)) as computer, _progress() as progress:
        found = measure_machine(computer, quick=options.quick, progress=progress)
    said, written = [repr(found)], None
    if options.out is not None and found.is_usable:
        written = options.out
        with writing(written, encoding="utf-8") as file:
            file.write(hardware_file.text(hardware_file.fields(found, date.today())))
        said += ["", f"written to {written}; symbolic-llm measure --synthetic 1B --hardware {written} decodes with it"]
    elif options.out is not None:
        said += ["", f"{options.out} was not written: no hardware file is without bandwidth and arithmetic"]
    return int(bool(found.refused)), "\n".join(said), {**found.data(), "file": written}


def _can_time() -> None:
    """Refuse to time a machine from a page, whose copy of the package leaves out what times."""
    if find_spec("symbolic_llm.this_machine") is None:
        raise MissingDependency("A page times no machine; where the package is installed, this command does.")


def measure(options: argparse.Namespace) -> Output:
    """Times of a decoder's steps beside the forecast, which is printed first."""
    _can_time()
    from ..this_machine.forecast import forecast
    from ..this_machine.hardware_file import read_engine
    from ..this_machine.numpy_computer import this_computer
    from ..this_machine.step_times import earlier, forecast_text, measure_steps

    opened = _opener(options)
    batches = _batches(options.batch or _BATCHES)
    context = int(read_option("context", options.context or _CONTEXT))
    before = earlier(options.compare) if options.compare is not None else None
    if options.plot is not None:
        from ..reports.drawing import checked, library

        checked(options.plot)  # before the work is done
        library()
    if options.out is not None:
        _ends(options.out, ".json")
    hardware = options.hardware
    if hardware is not None:
        presets.hardware(hardware)
    engine = read_engine(hardware) if hardware is not None and hardware.lower().endswith(".toml") else None
    threads = _threads(options.threads) or (engine.threads if engine is not None else None)
    with this_computer(threads) as computer:
        with _progress() as progress:
            progress("preparing the model")
            asked: dict[str, Any] = {"hardware": hardware, "engine": engine, "progress": progress}
            predicted = forecast(computer, opened(computer), batches, context, **asked)
        if not options.json:
            terminal.write(f"{forecast_text(predicted)}\n")  # before anything is decoded
        with _progress() as progress:
            found = measure_steps(computer, predicted, quick=options.quick, earlier=before, progress=progress)
    data = {**found.data(), "file": options.out, "plot": options.plot}
    said = []
    if options.out is not None:  # first, so that a picture that fails takes nothing with it
        with writing(options.out, encoding="utf-8") as file:
            file.write(json.dumps(found.data(), indent=1, ensure_ascii=False) + "\n")
        said.append(f"times written to {options.out}; --compare {options.out} shows them beside later ones")
    return 0, "\n".join([repr(found), "", *_drawn(found, options.plot), *said]), data


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Printing of lines on a terminal, each in the place of the one before; no line is left at the end."""
    try:
        yield terminal.redraw
    finally:
        terminal.redraw("")


def _opener(options: argparse.Namespace) -> Callable[[Computer], Subject]:
    """Opening of the decoder that is asked for, on a computer; whatever is wrong with the options is said now."""
    from ..this_machine.numpy_computer import PACKED
    from ..this_machine.synthetic import shape_of

    if (options.path is None) == (options.synthetic is None):
        raise InvalidValue("measure takes either a MODEL file or --synthetic with a size, as in --synthetic 1B.")
    if options.path is not None:
        if options.format is not None:
            raise InvalidValue("--format is for --synthetic; a MODEL file has formats of its own.")
        return lambda computer: computer.loaded(options.path)
    shape, format = shape_of(options.synthetic), options.format or _FORMAT
    known_name("number format for --synthetic,", format, PACKED)
    return lambda computer: computer.synthetic(shape, format, f"synthetic {options.synthetic}")


def _drawn(found: StepTimes, path: str | None) -> Iterator[str]:
    """The picture in the file that was asked for, and as text; or how to have it, where nothing draws it."""
    from ..this_machine.picture import picture

    if path is not None:
        from ..reports.drawing import save

        save(picture(found), path)
    try:
        from ..reports.terminal_plot import text

        yield text(picture(found), shutil.get_terminal_size((_WIDTH, 0)).columns)
    except MissingDependency as error:
        yield f"No picture: {error}"
    if path is not None:
        yield f"picture written to {path}"


def _batches(given: str) -> list[int]:
    """Batches of a range, each twice the one before, or of a list; ascending."""
    ends = given.split("..")
    if len(ends) == 1:
        return sorted({_batch(one) for one in given.split(",")})
    first, last = (_batch(one) for one in (ends[0], ends[-1]))
    if len(ends) > 2 or first > last:
        raise InvalidValue(f"--batch must be a range such as 1..64 or a list such as 1,2,4, not '{shown(given)}'.")
    return [*takewhile(lambda batch: batch < last, (first << power for power in count())), last]


def _batch(given: str) -> int:
    found = int(read_option("batch", given))
    if found > _MOST_BATCH:
        raise InvalidValue(f"--batch must be at most {_MOST_BATCH:,}, but '{shown(given)}' was given.")
    return found


def _threads(given: str | None) -> int | None:
    refused = f"--threads must be a whole number from 1 to {_MOST_THREADS:,}, not {{}}."
    return None if given is None else whole(given, 1, _MOST_THREADS, refused)


def _ends(path: str, ending: str) -> None:
    """Refuse a file of another ending, or one that cannot be written, before the work is done."""
    if not to_write(path).lower().endswith(ending):
        raise InvalidValue(f"the name of this file must end in {ending}, but {shown(path)} was given.")
