"""`model` and `count`"""

from __future__ import annotations

import argparse
from inspect import signature

from ..errors import InvalidValue, option
from ..notation import LETTERS, N
from ..presets.parse_value import read_as
from ..reports.entry_points import incompatible, model
from . import terminal
from .parsing import Output, asked, given, whole, with_units

_COUNTS = ("context", "batch", "prompt", "new_tokens", "cached")


def size(options: argparse.Namespace) -> Output:
    """Sizing of a model, or its operations with --per-op; the letters M, W and F go before those of a preset."""
    _, letters, given_as = given(options, 0)
    taken = [f"{option(name)}: {said}" for name in _COUNTS if (said := read_as(LETTERS[N], getattr(options, name)))]
    options_of = {"B": "batch", "N": "context"} | {name: name for name in signature(model).parameters}
    for name in (one for one in letters if one in options_of):
        said = f"{name} is given as {option(options_of[name])} here"
        raise InvalidValue(f"{said}; letters are those of a machine, as in W='1 TB/s'.")
    with_units(options, tpot="50 ms", storage="7 GB/s", transfer="50 GB/s", host_bandwidth="60 GB/s")
    with_units(options, host_flops="1 TFLOP/s", host_memory="128 GB", host_link="25 GB/s")
    chosen = asked(options, model) | {name: value for name, value in given_as.given().items() if value is not None}
    if excluded := incompatible(chosen, options.per_op):
        raise InvalidValue(excluded)
    found = model(chosen.pop("model"), **(chosen | letters))
    return 0, "\n".join([repr(found), *taken]), found.data()


def count(options: argparse.Namespace) -> Output:
    """Run a model file and compare the formulas with what it did; exit code 1 where they differ."""
    from ..reports.counting import count_file

    prompt = _tokens("--prompt-tokens", options.prompt_tokens or "8", 1)
    new = _tokens("--new-tokens", options.new_tokens or "4", 0)
    found = count_file(options.path, prompt, new, terminal.bar)
    return (0 if found.agrees else 1), repr(found), found.data()


def _tokens(name: str, given: str, least: int) -> int:
    return whole(given, least, 10**9, f"{name} must be a whole number of at least {least}, but {{}} was given.")
