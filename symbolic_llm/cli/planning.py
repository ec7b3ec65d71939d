"""`plan`"""

from __future__ import annotations

import argparse

from ..reports import entry_points
from .parsing import Output, with_unit

_GIVEN = ("prompt", "output", "tpot", "ttft", "price", "power", "cached", "rate", "weights", "cache")
_OR_DEFAULT = ("devices", "serving", "hardware", "dtype")  # where nothing is said, as the plan has it


def plan(options: argparse.Namespace) -> Output:
    """Plan of the devices that serve requests of one kind within the targets; exit code 1 if there are none."""
    with_unit("--price", options.price, "a unit of time", "2.50 $/h")
    with_unit("--tpot", options.tpot, "a unit", "50 ms")
    with_unit("--ttft", options.ttft, "a unit", "500 ms")
    asked = {name: getattr(options, name) for name in _GIVEN}
    asked |= {name: said for name in _OR_DEFAULT if (said := getattr(options, name))}
    found = entry_points.plan(options.model, **asked, overlap=options.overlap)
    return (0 if found.choices else 1), repr(found), found.data()
