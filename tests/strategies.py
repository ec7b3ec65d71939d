"""Hypothesis strategies, all of them"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from sympy.core.relational import Gt

from reference_engine import Config, Float
from symbolic_llm.bridge.comparison import admitted
from symbolic_llm.expressions.feasible import feasible
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS

SMALL = (2, 3, 5, 7, 11, 13)  # the engine really computes, so what it multiplies is kept small
LARGE = (17, 19, 23, 29, 31, 37, 41)
FLOATS = (Fraction(2), Fraction(4), Fraction(8))
PACKED = (Fraction(9, 16), Fraction(5, 8), Fraction(3, 4), Fraction(3, 2))  # 4-bit blocks of 32, 16, 8 and 2


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, Any]:
    """Pairwise distinct primes, so that no two letters look alike; or a degenerate shape with some of them 1."""
    n_blocks = draw(st.sampled_from((2, 3)))
    small = draw(st.permutations([prime for prime in SMALL if prime != n_blocks]))
    large = draw(st.permutations(LARGE))
    found = {"n_blocks": n_blocks}
    found |= zip(("n_heads", "d_head", "batch", "context", "k"), small, strict=True)
    found |= zip(("n_vocab", "new_tokens", "tiles", "tile", "m", "n"), large, strict=False)
    found |= zip(("d_model", "d_ff", "d_expert"), draw(st.permutations(SMALL)), strict=False)
    if draw(st.booleans()):
        found |= dict.fromkeys(draw(st.sets(st.sampled_from(sorted(found)), min_size=1)), 1)
    found |= {name: draw(st.integers(1, 3)) for name in ("n_kv_heads", "group", "pairs", "n_active")}
    found |= {name: draw(st.integers(0, 3)) for name in ("idle", "beyond")}
    found |= {name: draw(st.sampled_from(SMALL)) for name in ("d_latent", "d_nope", "d_value", "d_query")}
    found |= {name: draw(st.integers(1, 5)) for name in ("n_global", "n_local", "window", "n_positions")}
    return found


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """Everything a probe can be asked with."""
    config = draw(shapes())
    config["bits"], config["scale_bits"] = draw(st.sampled_from((2, 4, 8))), draw(st.sampled_from((16, 32, 64)))
    config["block"] = 4 * draw(st.integers(1, 16))
    config["n_bytes"], config["n_bytes_kv"], config["n_bytes_act"] = (draw(st.sampled_from(FLOATS)) for _ in range(3))
    if draw(st.booleans()):  # weights and cache really packed; a head is then as wide as the largest block
        config["n_bytes"], config["n_bytes_kv"] = draw(st.sampled_from(PACKED)), draw(st.sampled_from(PACKED))
        config |= {"d_head": 32, "d_latent": 32, "pairs": 16}
        config["n_heads"] = min(config["n_heads"], 3)
    config["flops"], config["bandwidth"] = draw(st.integers(1, 10**4)), draw(st.integers(1, 10**2))
    config["memory"] = draw(st.integers(10**3, 10**6))
    return config


@st.composite
def admitted_configurations(draw: st.DrawFn, formula: Formula) -> Mapping[str, Any]:
    """A question to the formula's probe, moved to where the formula holds and says something."""
    found = admitted(formula, draw(configurations()))
    assume(found is not None)
    return found or {}


@st.composite
def admissible(draw: st.DrawFn, formula: Formula, *also: Any) -> dict[Any, Fraction]:
    """Values for the letters of a formula's right-hand side, positive as it is, that satisfy its conditions.

    And the relations in `also`. Which letter gives way where a relation does not hold is drawn.
    """
    positive = Gt(formula.rhs, 0, evaluate=False)  # the quantity is a letter, and letters are positive
    relations = (*(condition.relation for condition in formula.conditions), *also, positive)
    symbols = {s for relation in (*relations, formula.rhs) for s in relation.free_symbols} - {formula.quantity}
    in_order = draw(st.permutations([symbol for symbol in LETTERS if symbol in symbols]))
    further = draw(st.integers(0, 1000))

    def places(symbol: Any, bound: Fraction, side: str, _: Any) -> list[Fraction]:
        whole = LETTERS[symbol].whole
        if side == "=":
            found = [bound]
        elif whole:
            found = [Fraction(floor(bound) + 1 + further), Fraction(ceil(bound))]
            found = found if side == ">" else [Fraction(max(1, ceil(bound) - 1 - further)), Fraction(floor(bound))]
        else:
            found = [bound * (1 + Fraction(1 + further, 7)) if side == ">" else bound / (1 + Fraction(1 + further, 7))]
        return [value for value in found if value > 0 and (value.denominator == 1 or not whole)]

    found = feasible(draw(letter_values(in_order)), relations, places, dict)
    assume(found is not None)
    return {symbol: found[symbol] for symbol in LETTERS if symbol in symbols} if found else {}


@st.composite
def letter_values(draw: st.DrawFn, symbols: Any) -> dict[Any, Fraction]:
    """Exact positive values for some letters, whole where the letter counts."""
    values = {}
    for symbol in symbols:
        whole = LETTERS[symbol].whole
        number = draw(st.integers(1, 10**4))
        values[symbol] = Fraction(number) if whole else Fraction(number, draw(st.integers(1, 100)))
    return values


@st.composite
def architectures(draw: st.DrawFn) -> Config:
    """A small decoder with every switch drawn, whatever models people build."""
    n_kv_heads, d_head, gated = draw(st.sampled_from((1, 2))), draw(st.sampled_from((2, 4, 6))), draw(st.booleans())
    positions, n_experts = draw(st.sampled_from((None, "learned", "rotary"))), draw(st.sampled_from((0, 0, 1, 3)))
    mlp = ("gate", "up", "down") if gated else ("up", "down")
    heads = ("query", "key", "value")
    biased = draw(st.sampled_from(((), heads, ("output",), mlp, (*heads, "output", *mlp))))
    config = Config(
        n_blocks=draw(st.integers(1, 2)),
        n_heads=n_kv_heads * draw(st.sampled_from((1, 3))),
        d_head=d_head,
        n_vocab=draw(st.integers(1, 20)),
        weights=draw(st.sampled_from((Float(16), Float(32), Float(64)))),
        cache=draw(st.sampled_from((Float(16), Float(32), Float(64)))),
        vectors=draw(st.sampled_from((Float(16), Float(32)))),
        d_model=draw(st.sampled_from((0, 3, 8))),
        n_kv_heads=n_kv_heads,
        d_ff=draw(st.sampled_from((0, 1, 5))),
        norm=draw(st.sampled_from(("bare", "rms", "layer"))),
        norm_epsilon=draw(st.sampled_from((1e-5, 1e-6))),
        activation=draw(st.sampled_from(("gelu_tanh", "gelu", "silu", "relu"))),
        gated=gated,
        biases=biased,
        positions=positions,
        n_positions=12 if positions == "learned" else 0,
        rope_theta=draw(st.sampled_from((1e4, 1e6))),
        rope_factors=draw(st.sampled_from(((), (8.0,) * (d_head // 2)))),
        rope_pairs=draw(st.sampled_from(("halves", "neighbours"))),
        qk_norm=draw(st.booleans()),
        tied=draw(st.booleans()),
        n_experts=n_experts,
        n_active=draw(st.integers(1, n_experts)) if n_experts else 0,
        renormalise=draw(st.booleans()),
        windows=draw(st.sampled_from(((None,), (1,), (3,), (2, None), (None, 4)))),
    )
    return config if draw(st.integers(0, 3)) else latent(config, draw)


def latent(config: Config, draw: st.DrawFn) -> Config:
    """The same with latent attention."""
    d_rope = draw(st.sampled_from((2, 4)))
    return replace(
        config,
        n_kv_heads=config.n_heads,
        biases=tuple(name for name in config.biases if name not in ("key", "value")),
        positions="rotary",
        n_positions=0,
        rope_factors=draw(st.sampled_from(((), (8.0,) * (d_rope // 2)))),
        qk_norm=False,
        kv_rank=draw(st.sampled_from((1, 5))),
        d_rope=d_rope,
        d_value=draw(st.sampled_from((0, 3))) or config.d_head,
        q_rank=draw(st.sampled_from((0, 3))),
        absorbed=draw(st.booleans()),
    )
