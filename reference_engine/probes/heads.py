"""Questions about tiles on the chip, and about prefixes that sequences share"""

from __future__ import annotations

from .ledger_selections import count
from .parts import FLOPS, MOVED
from .registry import about
from .runs import HEAD
from .time_measures import Load, crossing

about(HEAD, "tiled")("tiled.flops", "How many operations does tiled attention do?", FLOPS, "C_tiled")
about(HEAD, "tiled")(
    "tiled.on_chip",
    "How many bytes does tiled attention hold on the chip at a time?",
    count("held", "chip.*"),
    "M_tile",
)
about(HEAD, "shared prefix")(
    "shared.bytes",
    "How many bytes does attention of one query each move, of sequences that share a prefix?",
    MOVED,
    "D_prefix",
)
_OF_PREFIX = Load(count("loaded", "prefix"), count("flops", "prefix.*", op="matmul"))
about(HEAD, "shared prefix")(
    "shared.prefix_time",
    "How many bytes of the shared prefix are loaded, at how many bytes a second?",
    _OF_PREFIX.reading,
)
about(HEAD, "shared prefix")(
    "shared.product_time",
    "How many operations do products with the shared prefix take, at how many a second?",
    _OF_PREFIX.computing,
)
about(HEAD, "shared prefix", batch=1)(
    "shared.prefix_crossover",
    "At which batch do the products of the prefix take as long as reading it?",
    crossing(_OF_PREFIX, "batch"),
    "B_prefix",
)
