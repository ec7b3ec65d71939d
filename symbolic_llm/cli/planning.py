"""`plan`"""

from __future__ import annotations

import argparse

from ..reports.planning import Plan
from .parsing import Output, with_unit


def plan(options: argparse.Namespace) -> Output:
    """Plan of the devices that serve requests of one kind within the targets; exit code 1 if there are none."""
    with_unit("--price", options.price, "a unit of time", "2.50 $/h")
    found = Plan(
        options.model,
        prompt=options.prompt,
        output=options.output,
        tpot=options.tpot,
        ttft=options.ttft,
        devices=options.devices or 8,
        price=options.price,
        power=options.power,
        rate=options.rate,
        serving=options.serving or "in-turn",
        hardware=(options.hardware,) if options.hardware else (),
        dtype=options.dtype or "fp16",
        weights=options.weights,
        cache=options.cache,
    )
    return (0 if found.choices else 1), repr(found), found.data()
