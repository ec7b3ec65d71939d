"""Questions about tiles on the chip, and about prefixes that sequences share"""

from __future__ import annotations

from functools import partial

from .counts import Selection
from .measures import Count, Over
from .registry import question
from .runs import HEAD
from .time_measures import Load, crossing

_FLOPS = Count((Selection("flops"),))
of_prefix = partial(question, subjects=("shared prefix",))
_MOVED = Count((Selection("loaded"), Selection("stored")))
question("tiled.flops", "How many operations does tiled attention do?", HEAD, _FLOPS, "C_tiled", subjects=("tiled",))
question(
    "tiled.on_chip",
    "How many bytes does tiled attention hold on the chip at a time?",
    HEAD,
    Count((Selection("held", ("chip.*",)),)),
    "M_tile",
    subjects=("tiled",),
)
of_prefix(
    "shared.bytes",
    "How many bytes does attention of one query each move, of sequences that share a prefix?",
    HEAD,
    _MOVED,
    "D_prefix",
)
_OF_PREFIX = Load(Count((Selection("loaded", ("prefix",)),)), Count((Selection("flops", ("prefix.*",), "matmul"),)))
of_prefix(
    "shared.prefix_time",
    "How many bytes of the shared prefix are loaded, at how many bytes a second?",
    HEAD,
    Over(_OF_PREFIX.loads, "bandwidth"),
)
of_prefix(
    "shared.product_time",
    "How many operations do products with the shared prefix take, at how many a second?",
    HEAD,
    Over(_OF_PREFIX.work, "flops"),
)
of_prefix(
    "shared.prefix_crossover",
    "At which batch do the products of the prefix take as long as reading it?",
    HEAD,
    crossing(_OF_PREFIX, "batch"),
    "B_prefix",
    batch=1,
)
