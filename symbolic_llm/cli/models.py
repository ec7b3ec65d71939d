"""`model` and `count`"""

from __future__ import annotations

import argparse

from ..errors import InvalidValue, shown
from ..notation import LETTERS, B, N, n_new
from ..presets.parse_value import read_as
from ..reports.entry_points import incompatible, model
from ..reports.offload_rows import OPTIONS as HOST
from . import terminal
from .parsing import Output, given, with_unit

_OPTIONS = (
    *("context", "batch", "tpot", "prompt", "new_tokens", "devices", "tensor", "pipeline", "prefill"),
    *("cached", "page", "storage", "transfer", "stack", *HOST),
)


def size(options: argparse.Namespace) -> Output:
    """Sizing of a model, or its operations with --per-op; the letters M, W and F go before those of a preset."""
    _, letters, given_as = given(options, 0)
    short = (
        (N, "--context", options.context),
        (B, "--batch", options.batch),
        (N, "--prompt", options.prompt),
        (n_new, "--new-tokens", options.new_tokens),
        (N, "--cached", options.cached),
    )
    taken = [f"{option}: {said}" for symbol, option, value in short if (said := read_as(LETTERS[symbol], value))]
    for name, option in (("B", "--batch"), ("N", "--context")):
        if name in letters:
            raise InvalidValue(f"{name} is given as {option} here; letters are those of a machine, as in W='1 TB/s'.")
    with_unit("--tpot", options.tpot, "a unit", "50 ms")
    with_unit("--storage", options.storage, "a unit", "7 GB/s")
    with_unit("--transfer", options.transfer, "a unit", "50 GB/s")
    for name, example in zip(HOST, ("60 GB/s", "1 TFLOP/s", "128 GB", "25 GB/s"), strict=True):
        with_unit(f"--{name.replace('_', '-')}", getattr(options, name), "a unit", example)
    asked = {name: getattr(options, name) for name in _OPTIONS}
    if excluded := incompatible(asked, options.per_op, lambda name: f"--{name.replace('_', '-')}"):
        raise InvalidValue(excluded)
    found = model(
        options.model,
        **{name: value for name, value in given_as.given().items() if name != "model"},
        **asked,
        per_op=options.per_op,
        overlap=options.overlap,
        **letters,
    )
    return 0, "\n".join([repr(found), *taken]), found.data()


def count(options: argparse.Namespace) -> Output:
    """Run a model file and compare the formulas with what it did; exit code 1 where they differ."""
    from ..reports.counting import count_file

    prompt, new = (
        _whole(name, value, least)
        for name, value, least in (
            ("--prompt-tokens", options.prompt_tokens or "8", 1),
            ("--new-tokens", options.new_tokens or "4", 0),
        )
    )
    found = count_file(options.path, prompt, new, terminal.bar)
    return (0 if found.agrees else 1), repr(found), found.data()


def _whole(name: str, value: str, least: int) -> int:
    if not value.isascii() or not value.isdigit() or not least <= int(value[:20]) <= 10**9:
        raise InvalidValue(f"{name} must be a whole number of at least {least}, but '{shown(value)}' was given.")
    return int(value)
