"""`plan`"""

from __future__ import annotations

import argparse

from ..reports.planning import Plan
from .parsing import Output


def plan(options: argparse.Namespace) -> Output:
    """Where a model serves requests of one kind within its targets; 1 where it does nowhere."""
    found = Plan(
        options.model,
        prompt=options.prompt,
        output=options.output,
        tpot=options.tpot,
        ttft=options.ttft,
        devices=options.devices or 8,
        price=options.price,
        hardware=(options.hardware,) if options.hardware else (),
        dtype=options.dtype or "fp16",
        weights=options.weights,
        cache=options.cache,
    )
    return (0 if found.choices else 1), repr(found), found.data()
