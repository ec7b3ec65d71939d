"""The standard configurations: what every check asks the engine, and where a value of one may be moved to"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import ceil, floor

from sympy import nextprime, prevprime, primerange

from ..notation import LETTERS

_FLOATS = (Fraction(2), Fraction(4), Fraction(8))  # widths for rows of any length
_INT4 = Fraction(9, 16)  # 4-bit blocks of 32 with a 16-bit scale
_RATES = ((7, 3), (1000, 1), (61, 1), (1, 1000))  # flops, bandwidth: on either side of every crossover

# Of each parameter, the values in four shapes: two of pairwise distinct primes as far as they go, so that no two
# letters look alike, one of ones, and one where groups, tiles and batches are odd.
_SHAPES: dict[str, tuple[int, int, int, int]] = {
    "n_blocks": (2, 3, 1, 4),
    "n_dense": (1, 2, 1, 3),
    "n_moe": (2, 1, 1, 3),
    "n_global": (2, 3, 1, 3),
    "n_local": (5, 4, 1, 2),
    "n_state": (5, 2, 1, 2),
    "n_state_groups": (3, 5, 1, 2),
    "state_group": (2, 2, 1, 3),
    "d_state_key": (7, 5, 1, 3),
    "d_state_value": (5, 7, 1, 2),
    "n_kernel": (4, 3, 1, 2),
    "n_conv": (5, 2, 1, 2),
    "d_conv": (13, 11, 1, 3),
    "n_index": (3, 2, 1, 1),
    "n_follow": (2, 5, 1, 3),
    "n_index_heads": (5, 11, 1, 3),
    "index_excess": (7, 3, 1, 2),
    "picked": (5, 4, 1, 3),
    "n_sliding": (1, 2, 1, 1),
    "n_csa": (2, 1, 1, 3),
    "n_hca": (4, 3, 1, 1),
    "n_output_groups": (4, 3, 1, 2),
    "head_excess": (3, 1, 1, 4),
    "d_output": (7, 3, 1, 5),
    "r_csa": (3, 2, 1, 2),
    "r_hca": (7, 5, 1, 4),
    "n_streams": (3, 2, 1, 4),
    "n_heads": (3, 7, 1, 1),
    "n_kv_heads": (3, 2, 1, 1),
    "group": (7, 5, 1, 3),
    "pairs": (5, 7, 1, 2),
    "d_head": (5, 2, 1, 7),
    "n_kv_full": (4, 6, 1, 2),
    "pairs_full": (7, 4, 1, 3),
    "d_model": (19, 17, 1, 5),
    "d_ff": (23, 19, 1, 2),
    "d_expert": (29, 23, 1, 7),
    "d_shared": (31, 29, 1, 3),
    "d_embedding": (11, 7, 1, 3),
    "excess": (8, 4, 1, 2),
    "d_latent": (31, 13, 1, 5),
    "d_nope": (5, 7, 1, 3),
    "d_value": (11, 5, 1, 7),
    "d_query": (37, 17, 1, 11),
    "n_vocab": (11, 13, 1, 3),
    "devices": (4, 3, 1, 2),
    "kv_each": (2, 3, 1, 1),
    "heads_each": (2, 3, 1, 1),
    "room": (2, 1, 1, 3),
    "stages": (3, 5, 1, 4),
    "micro": (7, 2, 1, 8),
    "expert_devices": (2, 3, 1, 4),
    "piece": (1, 3, 2, 5),
    "work": (1009, 211, 17, 30_011),
    "stage_time": (11, 3, 1, 5),
    "hop_time": (2, 7, 3, 1),
    "copies": (2, 3, 1, 4),
    "group_each": (2, 3, 1, 1),
    "model_each": (7, 5, 1, 2),
    "ff_each": (5, 11, 1, 3),
    "expert_each": (3, 7, 1, 2),
    "vocab_each": (11, 7, 1, 3),
    "n_positions": (31, 29, 1, 5),
    "n_active": (2, 3, 1, 1),
    "idle": (3, 2, 1, 3),
    "n_shared_experts": (4, 6, 1, 2),
    "load": (3, 2, 1, 2),
    "window": (3, 5, 1, 11),
    "batch": (7, 5, 1, 2),
    "batch_each": (3, 5, 1, 2),
    "context": (13, 9, 1, 5),
    "new_tokens": (17, 3, 1, 2),
    "chunk": (3, 11, 1, 3),
    "earlier": (11, 7, 1, 4),
    "limit": (97, 211, 1, 19),
    "memory": (120_007, 80_021, 61, 20_011),
    "target": (1009, 20_011, 61, 307),
    "batch_2": (11, 3, 1, 5),
    "price": (5, 7, 1, 3),
    "power": (13, 11, 1, 17),
    "power_idle": (3, 5, 1, 2),
    "busy": (5, 3, 1, 7),
    "waiting": (2, 7, 1, 3),
    "accepted": (3, 1, 1, 5),
    "rejected": (2, 4, 1, 2),
    "draft_length": (3, 5, 1, 2),
    "draft_time": (7, 2, 1, 11),
    "arriving": (19, 5, 1, 3),
    "wanted": (3, 17, 1, 5),
    "transfer": (7, 1009, 1, 31),
    "link_latency": (5, 3, 1, 101),
    "link_bandwidth": (1103, 2003, 61, 307),
    "reserve": (1013, 811, 3, 211),
    "activations": (59, 67, 1, 13),
    "width": (5, 2, 1, 7),
    "m": (3, 7, 1, 1),
    "n": (5, 2, 1, 7),
    "k": (7, 3, 1, 2),
    "tiles": (3, 2, 1, 5),
    "tile": (5, 3, 1, 2),
    "columns": (2, 5, 1, 3),
    "prefix": (7, 5, 1, 3),
    "own": (6, 4, 1, 2),
    "flops_2": (100, 2000, 3, 7),
    "overhead": (11, 3, 1, 5),
    "n_bytes_2": (2, 4, 8, 2),
    "parts": (4, 8, 12, 4),
    "part_bits": (6, 8, 4, 10),
    "shared_bits": (16, 32, 64, 16),
    "bits": (4, 8, 2, 4),
    "block": (32, 24, 4, 2),
    "scale_bits": (16, 32, 64, 16),
}
_ROWS = ("d_head", "d_latent", "d_value", "d_model", "d_ff", "d_expert", "d_query", "d_embedding", "n")
_BESIDE = (
    *("d_shared", "index_excess", "head_excess", "d_output", "d_state_key", "d_state_value", "state_group", "d_conv"),
    *("model_each", "ff_each", "expert_each"),
)
_PACKED = dict.fromkeys((*_ROWS, *_BESIDE), 32)


def configurations() -> Iterator[dict[str, int | Fraction]]:
    """A fixed set: the shapes with floats of several widths on several machines, and one with packed int4."""
    for place in range(4):
        for turn, (flops, bandwidth) in enumerate(_RATES):
            widths = {"n_bytes": _FLOATS[(place + turn) % 3], "n_bytes_kv": _FLOATS[(place + 2 * turn + 1) % 3]}
            yield {
                **{name: values[place] for name, values in _SHAPES.items()},
                **widths,
                "n_bytes_act": _FLOATS[turn % 3],
                "n_bytes_state": _FLOATS[(2 * turn + 1) % 3],
                "flops": flops,
                "bandwidth": bandwidth,
            }
    yield {
        **{name: values[0] for name, values in _SHAPES.items()},
        **_PACKED,
        "pairs": 16,
        "pairs_full": 16,
        "batch": 2,
        "context": 3,
        "memory": 2**20,
        "flops": 61,
        "bandwidth": 1,
        "n_bytes": _INT4,
        "n_bytes_kv": _INT4,
        "n_bytes_act": _FLOATS[1],
        "n_bytes_state": _FLOATS[2],
    }


STANDARD = tuple(tuple(config.items()) for config in configurations())

# The values a parameter may take, where not all whole numbers are possible; blocks fill whole bytes at 2 bits already.
OFFERED: dict[str, Sequence[int]] = {
    "n_bytes": (2, 4, 8),
    "n_bytes_kv": (2, 4, 8),
    "n_bytes_act": (2, 4, 8),
    "n_bytes_2": (2, 4, 8),
    "n_bytes_state": (2, 4, 8),
    "bits": (2, 4, 8),
    "scale_bits": (16, 32, 64),
    "shared_bits": (16, 32, 64),
    "part_bits": (4, 6, 8, 10),
    "parts": tuple(range(4, 64, 4)),
    "block": tuple(range(4, 64, 4)),
}

FIGURES = (
    "flops",
    "draft_time",
    "bandwidth",
    "memory",
    "target",
    "flops_2",
    "overhead",
    "link_latency",
    "link_bandwidth",
    "work",
    "stage_time",
    "hop_time",
    "reserve",
    "activations",
)  # the engine computes nothing with them


@cache
def counts(name: str) -> bool:
    """Whether a parameter is a whole number, at least 1: neither a rate nor the bytes of a number need be."""
    letters = [letter for letter in LETTERS.values() if letter.engine == name]
    return name not in FIGURES and name not in OFFERED and all(letter.whole for letter in letters)


_LARGEST = 64  # of a shape, since the engine really computes
_PRIMES = frozenset(map(int, primerange(_LARGEST + 1)))


def places(name: str, bound: Fraction, side: str, config: Mapping[str, int | Fraction]) -> list[int]:
    """Values for a parameter that lie on one side of a bound, those first that make a good question.

    A figure of the machine goes well beyond its bound. A shape goes to the nearest prime that no other has, so that no
    two letters look alike.
    """
    if side == "=":
        found = [int(bound)] if bound.denominator == 1 and bound > 0 else []
        return [n for n in found if name in FIGURES or n in OFFERED.get(name, range(1, _LARGEST + 1))]
    if name in FIGURES:
        if side == ">":
            return [nextprime(max(1, ceil(2 * bound)))]
        return [n for n in (prevprime(max(3, floor(bound / 2))), ceil(bound) - 1, floor(bound)) if n > 0]
    if _fills_blocks(name, config):
        return []
    offered, least, most = OFFERED.get(name, range(1, _LARGEST + 1)), ceil(bound), floor(bound)
    beyond = [n for n in offered if (n >= least if side == ">" else n <= most)]
    odd = {n for n in beyond if n not in _PRIMES or n in config.values()}
    return sorted(beyond, key=lambda n: (n in odd, abs(n - bound)))[:3]


def _fills_blocks(name: str, config: Mapping[str, int | Fraction]) -> bool:
    """Whether rows that are packed have this width, which then cannot be just any number."""
    if name.startswith("n_bytes"):
        return False  # those that are offered are floats, which fill rows of any width
    packed = any(Fraction(config[width]).denominator != 1 for width in OFFERED if width in config)
    return packed and (name in OFFERED or config[name] % 16 == 0)
