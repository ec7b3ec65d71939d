"""The standard configurations: what every check asks the engine, and where a value of one may be moved to"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

from sympy import isprime, nextprime, prevprime

_FLOATS = (Fraction(2), Fraction(4), Fraction(8))  # widths for rows of any length
_INT4 = Fraction(9, 16)  # 4-bit blocks of 32 with a 16-bit scale
_RATES = ((7, 3), (1000, 1), (61, 1), (1, 1000))  # flops, bandwidth: on either side of every crossover
_SHAPES = (
    {"n_blocks": 2, "n_heads": 3, "d_head": 5, "n_vocab": 11, "batch": 7, "context": 13, "new_tokens": 17},
    {"n_blocks": 3, "n_heads": 7, "d_head": 2, "n_vocab": 13, "batch": 5, "context": 9, "new_tokens": 3},
    {"n_blocks": 1, "n_heads": 1, "d_head": 1, "n_vocab": 1, "batch": 1, "context": 1, "new_tokens": 1},
    {"n_blocks": 4, "n_heads": 1, "d_head": 7, "n_vocab": 3, "batch": 2, "context": 5, "new_tokens": 2},
)
_SINGLE = (
    {
        "m": 3,
        "n": 5,
        "k": 7,
        "tiles": 3,
        "tile": 5,
        "bits": 4,
        "block": 32,
        "scale_bits": 16,
        "memory": 120_007,
        "limit": 97,
    },
    {
        "m": 7,
        "n": 2,
        "k": 3,
        "tiles": 2,
        "tile": 3,
        "bits": 8,
        "block": 24,
        "scale_bits": 32,
        "memory": 80_021,
        "limit": 211,
    },
    {"m": 1, "n": 1, "k": 1, "tiles": 1, "tile": 1, "bits": 2, "block": 4, "scale_bits": 64, "memory": 61},
    {
        "m": 1,
        "n": 7,
        "k": 2,
        "tiles": 5,
        "tile": 2,
        "bits": 4,
        "block": 2,
        "scale_bits": 16,
        "memory": 20_011,
        "limit": 19,
    },
)
_DECODERS = (
    {
        "n_kv_heads": 3,
        "group": 17,
        "pairs": 5,
        "d_model": 19,
        "d_ff": 23,
        "d_expert": 29,
        "n_active": 4,
        "idle": 3,
        "n_global": 2,
        "n_local": 5,
        "window": 3,
        "beyond": 4,
        "n_positions": 31,
        "d_latent": 31,
        "d_nope": 5,
        "d_value": 11,
        "d_query": 37,
        "limit": 97,
    },
    {
        "n_kv_heads": 2,
        "group": 5,
        "pairs": 7,
        "d_model": 17,
        "d_ff": 19,
        "d_expert": 23,
        "n_active": 2,
        "idle": 5,
        "n_global": 3,
        "n_local": 2,
        "window": 5,
        "beyond": 1,
        "n_positions": 29,
        "d_latent": 13,
        "d_nope": 7,
        "d_value": 5,
        "d_query": 17,
        "limit": 211,
    },
    {
        "n_kv_heads": 1,
        "group": 1,
        "pairs": 1,
        "d_model": 1,
        "d_ff": 1,
        "d_expert": 1,
        "n_active": 1,
        "idle": 1,
        "n_global": 1,
        "n_local": 1,
        "window": 1,
        "beyond": 1,
        "n_positions": 1,
        "d_latent": 1,
        "d_nope": 1,
        "d_value": 1,
        "d_query": 1,
        "limit": 1,
    },
    {
        "n_kv_heads": 1,
        "group": 3,
        "pairs": 2,
        "d_model": 5,
        "d_ff": 2,
        "d_expert": 7,
        "n_active": 1,
        "idle": 3,
        "n_global": 1,
        "n_local": 2,
        "window": 2,
        "beyond": 3,
        "n_positions": 5,
        "d_latent": 5,
        "d_nope": 3,
        "d_value": 7,
        "d_query": 11,
        "limit": 19,
    },
)


def configurations() -> Iterator[dict[str, int | Fraction]]:
    """A fixed set: pairwise distinct primes, so that no two letters look alike, degenerate shapes, and packed int4."""
    for place, (shape, single, decoder) in enumerate(zip(_SHAPES, _SINGLE, _DECODERS, strict=True)):
        for turn, (flops, bandwidth) in enumerate(_RATES):
            widths = {"n_bytes": _FLOATS[(place + turn) % 3], "n_bytes_kv": _FLOATS[(place + 2 * turn + 1) % 3]}
            yield {
                **shape,
                **single,
                **decoder,
                **widths,
                "n_bytes_act": _FLOATS[turn % 3],
                "flops": flops,
                "bandwidth": bandwidth,
            }
    yield {
        **_SINGLE[0],
        **_DECODERS[0],
        **_SHAPES[0],
        "d_head": 32,
        "d_latent": 32,
        "d_model": 32,
        "d_expert": 32,
        "pairs": 16,
        "batch": 2,
        "context": 3,
        "memory": 2**20,
        "flops": 61,
        "bandwidth": 1,
        "n_bytes": _INT4,
        "n_bytes_kv": _INT4,
        "n_bytes_act": _FLOATS[1],
    }


STANDARD = tuple(tuple(config.items()) for config in configurations())

# The values a parameter may take, where not all whole numbers are possible; blocks fill whole bytes at 2 bits already.
OFFERED: dict[str, Sequence[int]] = {
    "n_bytes": (2, 4, 8),
    "n_bytes_kv": (2, 4, 8),
    "n_bytes_act": (2, 4, 8),
    "bits": (2, 4, 8),
    "scale_bits": (16, 32, 64),
    "block": tuple(range(4, 64, 4)),
}

FIGURES = ("flops", "bandwidth", "memory")  # of the machine: the engine computes nothing with them
_LARGEST = 64  # of a shape, since the engine really computes


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
    offered = OFFERED.get(name, range(1, _LARGEST + 1))
    beyond = [n for n in offered if (n >= bound if side == ">" else n <= bound)]
    odd = {n for n in beyond if n in config.values() or not isprime(n)}
    return sorted(beyond, key=lambda n: (n in odd, abs(n - bound)))[:3]


def _fills_blocks(name: str, config: Mapping[str, int | Fraction]) -> bool:
    """Whether rows that are packed have this width, which then cannot be just any number."""
    packed = any(Fraction(config[width]).denominator != 1 for width in OFFERED if width in config)
    return packed and (name in OFFERED or config[name] % 16 == 0)
