"""`model` and `count`"""

from __future__ import annotations

import argparse

from ..answers.reading import read_as
from ..errors import InvalidValue
from ..notation import LETTERS, B, N
from ..reports.sizing import Sizing
from . import terminal
from .parsing import Output


def size(options: argparse.Namespace) -> Output:
    """A model on a machine."""
    found = Sizing(
        options.model,
        options.hardware,
        dtype=options.dtype or "fp16",
        weights=options.weights,
        cache=options.cache,
        context=options.context or 4096,
        batch=options.batch or 1,
        prefill=options.prefill or "full",
    )
    short = ((N, "--context", options.context), (B, "--batch", options.batch))
    taken = [f"{option}: {said}" for symbol, option, value in short if (said := read_as(LETTERS[symbol], value))]
    return 0, "\n".join([repr(found), *taken]), found.data()


def count(options: argparse.Namespace) -> Output:
    """A model file, run, and the formulas beside what it did."""
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
        raise InvalidValue(f"{name} is a whole number of at least {least}, but {value[:40]!r} was given.")
    return int(value)
