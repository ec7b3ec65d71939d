"""`plan`"""

from __future__ import annotations

import argparse
import re

from ..errors import InvalidValue, shown
from ..reports.planning import Plan
from .parsing import Output

_NUMBER = re.compile(r"\s*[-+\d.,_e]+\s*", re.ASCII)


def plan(options: argparse.Namespace) -> Output:
    """Plan of the devices that serve requests of one kind within the targets; exit code 1 if there are none."""
    if _NUMBER.fullmatch(options.price or ""):  # of a second, as other letters are, is never meant
        raise InvalidValue(f"--price needs a unit of time, as in '2.50 $/h', but '{shown(options.price)}' was given.")
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
