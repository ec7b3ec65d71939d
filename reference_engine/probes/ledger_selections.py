"""Parts of a ledger and groups of subjects that questions about decoders have in common"""

from __future__ import annotations

from .. import attention, recurrent
from ..memory import BESIDE
from ..sizes import Exact
from .counts import Selection
from .measures import Count
from .subjects import MODELS
from .time_measures import Load

_ATTENTION, _KINDS = attention.kinds(), recurrent.kinds()
MATRICES = (
    *(f"blocks.*.attention.{name}" for name in dict.fromkeys(name for kind in _ATTENTION for name in kind.matrices)),
    *("blocks.*.mixing_?.product", "mixing.product"),
    *(f"blocks.*.state.{name}" for name in dict.fromkeys(name for kind in _KINDS for name in kind.matrices)),
    *(f"blocks.*.mlp.{name}" for name in ("gate", "up", "down", "router")),
    *(f"blocks.*.looked.{name}" for name in ("gate", "up", "down")),
    *(f"blocks.*.{name}" for name in ("streams.router", "streams.coefficients", "learned.up", "learned.down")),
    "streams.projection",
    *(f"blocks.*.mlp.{which}.{name}" for which in ("experts.*", "shared") for name in ("gate", "up", "down")),
    *("blocks.*.mlp.shared.shared_gate", "project_in", "project_out", "output"),
)
THERE = tuple(f"{path}.{BESIDE}" for path in MATRICES)  # those of weights in a second memory
PRODUCTS = ("blocks.*.attention.scores", "blocks.*.attention.mix")
CACHE = ("blocks.*.attention.cache",)
INDEX_CACHE = ("blocks.*.attention.index.cache",)
INDEX_PRODUCTS = tuple(
    f"blocks.*.attention.{name}" for name in dict.fromkeys(name for kind in _ATTENTION for name in kind.products)
)
STATE, STATE_PRODUCTS = (
    "blocks.*.state.kept",
    tuple(f"blocks.*.state.{name}" for one in _KINDS for name in one.products),
)


def count(what: str, *paths: str, op: str = "*", each: Exact = 1) -> Count:
    """A count of one selection of entries; of all paths, if none is named."""
    return Count((Selection(what, paths or ("*",), op, each),))


def both(one: Count, other: Count) -> Count:
    """The selections of two counts together."""
    return Count((*one.selections, *other.selections))


MULTIPLIED = count("flops", *MATRICES, op="matmul")
ATTENDED = count("flops", *PRODUCTS, op="matmul")
READ, CACHE_READ = count("loaded", *MATRICES), count("loaded", *CACHE)
INDEXED, INDEX_READ = count("flops", *INDEX_PRODUCTS, op="matmul"), count("loaded", *INDEX_CACHE)
STATE_MOVED = Count((Selection("loaded", (STATE,)), Selection("stored", (STATE,))))  # read, and written back
STATE_WORK = count("flops", *STATE_PRODUCTS, op="matmul")
ATTENDED_AND_INDEXED, CACHES_READ = both(ATTENDED, INDEXED), both(CACHE_READ, INDEX_READ)
KEPT_MOVED = both(CACHES_READ, STATE_MOVED)
PASS = Load(READ, MULTIPLIED)
# and what has a state in its place
WITH_CONTEXT = both(ATTENDED_AND_INDEXED, STATE_WORK)
ATTENTION = Load(KEPT_MOVED, WITH_CONTEXT)
PASS_WITH_CACHE = Load(both(READ, KEPT_MOVED), both(MULTIPLIED, WITH_CONTEXT))

STATEFUL = ("hybrid", "mamba")
DENSE = tuple(name for name in MODELS if name != "experts")
FULL = ("llama", "experts", "latent")
MANY = ("llama", "experts", "mixed", "windowed", "twofold")  # heads with keys and values of their own
PROMPTED = (*MANY, "expanded", "hybrid")  # who reads prompts in a way that is counted
CROSSING = (*DENSE, "hybrid", "picked")
SPARSE = ("sparse twofold", "sparse hybrid", "picked experts")  # who has experts beside another way to keep a context

ALL = (*MODELS, "hybrid", "picked")  # one for every way to keep a context
EVERY = (*ALL, "compressing")  # and one that has vectors of a few numbers each, which fill no packed block
