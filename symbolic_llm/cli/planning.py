"""`plan`"""

from __future__ import annotations

import argparse

from ..reports.planning import Plan
from .parsing import Output, asked, with_units


def plan(options: argparse.Namespace) -> Output:
    """Plan of the devices that serve requests of one kind within the targets; exit code 1 if there are none."""
    with_units(options, "a unit of time", price="2.50 $/h")
    with_units(options, tpot="50 ms", ttft="500 ms")
    found = Plan(**asked(options, Plan))
    return (0 if found.choices else 1), repr(found), found.data()
