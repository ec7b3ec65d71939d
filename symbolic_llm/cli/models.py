"""`model` and `count`"""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import InvalidValue, shown
from ..notation import LETTERS, B, N, n_new
from ..presets import of_letters
from ..presets.parse_value import read_as
from ..reports.operations import Operations
from ..reports.sizing import Sizing
from . import terminal
from .parsing import Output, given, with_unit


def size(options: argparse.Namespace) -> Output:
    """Sizing of a model, or its operations with --per-op; the letters M, W and F go before those of a preset."""
    _, letters, given_as = given(options, 0)
    machine: Any = of_letters(given_as.hardware, **letters) if letters else given_as.hardware
    short = (
        (N, "--context", options.context),
        (B, "--batch", options.batch),
        (N, "--prompt", options.prompt),
        (n_new, "--new-tokens", options.new_tokens),
        (N, "--cached", options.cached),
    )
    taken = [f"{option}: {said}" for symbol, option, value in short if (said := read_as(LETTERS[symbol], value))]
    _compatible(options)
    found: Sizing | Operations
    asked: dict[str, Any] = {
        "dtype": given_as.dtype or "fp16",
        "weights": given_as.weights,
        "cache": given_as.cache,
        "context": options.context or 4096,
        "batch": options.batch or 1,
    }
    if options.per_op:
        found = Operations(options.model, machine, **asked, prompt=options.prompt)
    else:
        asked |= {"devices": options.devices, "tensor": options.tensor, "pipeline": options.pipeline}
        asked |= {"tpot": options.tpot, "prompt": options.prompt, "new": options.new_tokens}
        asked |= {
            "cached": options.cached,
            "page": options.page,
            "storage": options.storage,
            "transfer": options.transfer,
        }
        found = Sizing(options.model, machine, **asked, prefill=options.prefill or "full")
    return 0, "\n".join([repr(found), *taken]), found.data()


def _compatible(options: argparse.Namespace) -> None:
    """Refuse options that exclude each other, and rates without a unit, with `InvalidValue`."""
    with_unit("--storage", options.storage, "a unit", "7 GB/s")
    with_unit("--transfer", options.transfer, "a unit", "50 GB/s")
    if not options.per_op and (options.prompt is None) != (options.new_tokens is None):
        raise InvalidValue(
            "--prompt needs --new-tokens (for a request) or --per-op (for a prefill); --context sets the length of "
            "sequences."
            if options.new_tokens is None
            else "--new-tokens needs --prompt, the length of the request's prompt."
        )
    if options.cached is not None and options.new_tokens is None:
        raise InvalidValue("--cached needs --prompt and --new-tokens, the request whose first tokens are cached.")
    if options.per_op and any((options.devices, options.tensor, options.pipeline)):
        raise InvalidValue(
            "--per-op lists the operations of one device, so it cannot be used with --devices, --tensor or --pipeline."
        )
    if options.prefill is not None and options.per_op:
        raise InvalidValue(
            "--per-op always counts a full prefill (every token attends to every other), "
            "so it cannot be used with --prefill."
        )
    if options.per_op and options.prompt is not None and options.context is not None:
        raise InvalidValue(
            "--per-op shows a decoding step (--context) or a prefill (--prompt), so give only one of the two."
        )
    beyond = (options.tpot, options.new_tokens, options.page, options.storage, options.transfer)
    if options.per_op and any(one is not None for one in beyond):
        raise InvalidValue(
            "--per-op shows a single pass, so it cannot be used with --tpot, --new-tokens, --page, --storage or "
            "--transfer."
        )


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
