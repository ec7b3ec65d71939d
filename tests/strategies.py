"""Hypothesis strategies, all of them"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from math import ceil, floor
from typing import Any

from by_hand_rows import DEVICES, FORMATS, Load
from hypothesis import assume
from hypothesis import strategies as st
from sympy import Add, Mul, Pow, Rational, symbols
from sympy.core.relational import Gt
from tiny_runs import Question

from reference_engine import Config, Float
from reference_engine.altup import Alternating
from reference_engine.attention.compressed import Compression
from reference_engine.attention.heads import HEADS
from reference_engine.attention.index import Index
from reference_engine.attention.latent import Latent
from reference_engine.config import InvalidConfig
from reference_engine.parallel import TensorParallel
from reference_engine.probes import Probe
from reference_engine.recurrent.convolution import Convolution
from reference_engine.recurrent.states import States
from reference_engine.streams import Streams
from symbolic_llm.expressions.feasible import feasible
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS
from symbolic_llm.witness.configurations import admitted
from symbolic_llm.witness.letters import bound, probes_of

SMALL = (2, 3, 5, 7, 11, 13)  # the engine really computes, so what it multiplies is kept small
LARGE = (17, 19, 23, 29, 31, 37, 41)
FLOATS = (Fraction(2), Fraction(4), Fraction(8))
ROWS = ("d_model", "d_head", "d_ff", "d_expert", "d_embedding", "excess", "d_latent", "d_value", "d_query", "n")
PACKED = (Fraction(9, 16), Fraction(5, 8), Fraction(3, 4), Fraction(3, 2))  # 4-bit blocks of 32, 16, 8 and 2

# What a decoder is refused with that the engine runs and no formula describes
UNCOUNTED = re.compile(r"\bformulas? (?:counts?|takes?)\b")


_UP_TO = {  # whole numbers from 1, drawn one by one
    2: ("n_dense", "n_moe", "n_follow"),
    3: (
        *("n_kv_heads", "group", "pairs", "n_active", "n_kv_full", "pairs_full"),
        *("kv_each", "heads_each", "group_each", "model_each", "ff_each", "vocab_each", "expert_each", "copies"),
        *("piece", "batch_each", "devices", "expert_devices", "room"),
        *("n_state", "n_conv", "n_state_groups", "state_group", "n_index", "n_index_heads", "index_excess"),
        *("n_sliding", "n_csa", "n_hca", "n_output_groups", "n_streams"),
    ),
    4: ("n_kernel",),
    5: (
        *("n_global", "n_local", "window", "n_positions", "chunk", "earlier"),
        *("r_csa", "r_hca", "head_excess", "d_output", "columns", "prefix", "own", "load", "n_shared_experts"),
        *("pages", "last", "free"),
        *("accepted", "rejected", "draft_length", "draft_time"),
        *("logits", "silent", "near", "far"),
    ),
    6: ("picked",),
    7: ("tiles",),  # the sequence is as long as tiles, their rows and columns together
    9: ("stages", "micro", "servers"),
    30: ("price", "power", "power_idle", "busy", "waiting"),
    40: ("batch_2", "arriving", "wanted", "transfer", "storage", "host_flops", "host_bandwidth", "stream"),
    10**2: ("bandwidth", "activations"),
    300: ("work", "stage_time", "hop_time"),
    10**3: ("overhead", "limit", "target", "reserve"),
    10**4: ("flops", "flops_2", "link_bandwidth"),
}
_ONE_BY_ONE: dict[str, st.SearchStrategy[Any]] = {
    **{name: st.integers(1, most) for most, names in _UP_TO.items() for name in names},
    **dict.fromkeys(
        ("d_latent", "d_nope", "d_value", "d_query", "width", "d_shared", "d_state_key", "d_state_value", "d_conv"),
        st.sampled_from(SMALL),
    ),
    "idle": st.integers(0, 3),
    "bits": st.sampled_from((2, 4, 8)),
    "n_bytes_state": st.sampled_from((2, 4, 8)),
    **dict.fromkeys(("scale_bits", "shared_bits"), st.sampled_from((16, 32, 64))),
    "part_bits": st.sampled_from((4, 6, 8, 10)),
    "block": st.integers(1, 16).map(lambda fours: 4 * fours),
    "parts": st.integers(1, 8).map(lambda fours: 4 * fours),
    "link_latency": st.integers(2, 9),
    "memory": st.integers(10**3, 10**6),
}


# Strategies are made once each: hypothesis looks at a new one before it draws from it, which takes as long as drawing


@lru_cache(maxsize=None, typed=True)  # 2 is no Fraction(2)
def _among(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


@cache
def _shuffled(values: tuple[int, ...]) -> st.SearchStrategy[list[int]]:
    return st.permutations(values)


@cache
def _some(names: tuple[str, ...]) -> st.SearchStrategy[set[str]]:
    return st.sets(st.sampled_from(names), min_size=1)


@cache
@st.composite
def _shapes(draw: st.DrawFn) -> dict[str, int]:
    """Pairwise distinct primes, so that no two letters look alike; or a degenerate shape with some of them 1."""
    n_blocks = draw(_among(2, 3))
    heads = draw(_shuffled(tuple(prime for prime in SMALL[:4] if prime != n_blocks)))[:2]
    small = draw(_shuffled(tuple(prime for prime in SMALL if prime not in (n_blocks, *heads))))
    large = draw(_shuffled(LARGE))
    found = {"n_blocks": n_blocks}
    found |= zip(("n_heads", "d_head", "batch", "context", "k"), (*heads, *small), strict=True)
    found |= zip(("n_vocab", "new_tokens", "tile", "m", "n"), large, strict=False)
    found |= zip(("d_model", "d_ff", "d_expert", "d_embedding", "excess"), draw(_shuffled(SMALL)), strict=False)
    if draw(st.booleans()):
        found |= dict.fromkeys(draw(_some(tuple(sorted(found)))), 1)
    return found


@cache
@st.composite
def configurations(draw: st.DrawFn, names: frozenset[str] | None = None) -> dict[str, Any]:
    """Everything a probe can be asked with; what is drawn one by one only if it is among some names."""
    config: dict[str, Any] = draw(_shapes())
    config |= {name: draw(one) for name, one in _ONE_BY_ONE.items() if names is None or name in names}
    config |= {name: draw(_among(*FLOATS)) for name in ("n_bytes", "n_bytes_kv", "n_bytes_act")}
    if draw(st.booleans()):  # weights and cache really packed; a head is then as wide as the largest block
        config["n_bytes"], config["n_bytes_kv"] = draw(_among(*PACKED)), draw(_among(*PACKED))
        config |= dict.fromkeys((*ROWS, "model_each", "ff_each", "expert_each"), 32) | {"pairs": 16, "pairs_full": 16}
        config |= dict.fromkeys(
            ("d_shared", "d_nope", "d_state_key", "d_state_value", "state_group", "index_excess", "d_conv"), 32
        )
        config |= dict.fromkeys(("head_excess", "d_output"), 32)
        config["n_heads"] = min(config["n_heads"], 2)
    narrow = config["n_bytes"] < 4  # then it can be made the wider one of two precisions
    config["n_bytes_2"] = draw(_among(2, 4) if narrow else _among(2, 4, 8))
    return config


@cache
@st.composite
def admitted_configurations(draw: st.DrawFn, formula: Formula) -> Mapping[str, Any]:
    """Configurations for one of the formula's probes, moved to where the formula holds and says something."""
    probe = draw(_among(*probes_of(formula.measured_by, formula)))
    config = draw(configurations(frozenset(probe.parameters)))
    found = admitted(with_a_value(formula, probe), config, probe)
    assume(found)
    return found or {}


@cache
def with_a_value(formula: Formula, probe: Probe) -> Formula:
    """The formula with the conditions of those that count its letters: where they do not hold, it has no value."""
    by = {one.quantity: one for one in bound(formula, probe)}
    found: dict[Formula, None] = {}
    waiting = list(formula.statement.symbols - {formula.quantity})
    while waiting:
        if (one := by.get(waiting.pop())) is not None and one not in found:
            found[one] = None
            waiting += one.rhs.free_symbols
    more = (c for one in found for c in one.conditions if c not in formula.conditions)
    return replace(formula, where=(*formula.where, *dict.fromkeys(more)))


@st.composite
def admissible(draw: st.DrawFn, formula: Formula, *also: Any) -> dict[Any, Fraction]:
    """Values for the letters of a formula's right-hand side, positive as it is, that satisfy its conditions.

    And the relations in `also`.
    """
    relations, symbols = _asked_of(formula)
    more = {s for relation in also for s in relation.free_symbols} - {formula.quantity}
    return _satisfying(draw, (*relations[:-1], *also, relations[-1]), symbols | more)


@cache
def _asked_of(formula: Formula) -> tuple[tuple[Any, ...], frozenset[Any]]:
    """The relations that admissible values satisfy, and the letters that have one."""
    positive = Gt(formula.rhs, 0, evaluate=False)  # the quantity is a letter, and letters are positive
    relations = (*(condition.relation for condition in formula.conditions), positive)
    symbols = {s for relation in (*relations, formula.rhs) for s in relation.free_symbols}
    return relations, frozenset(symbols - {formula.quantity})


@st.composite
def satisfying(draw: st.DrawFn, relations: tuple[Any, ...], symbols: set[Any]) -> dict[Any, Fraction]:
    """Values for letters that satisfy relations; which letter gives way where one does not hold is drawn."""
    return _satisfying(draw, relations, frozenset(symbols))


def _satisfying(draw: st.DrawFn, relations: tuple[Any, ...], symbols: frozenset[Any]) -> dict[Any, Fraction]:
    in_order = draw(_in_any_order(symbols))
    further = draw(_FURTHER)

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

    found = feasible(_values(draw, in_order), relations, places, dict)
    assume(found is not None)
    return {symbol: found[symbol] for symbol in LETTERS if symbol in symbols} if found else {}


_FURTHER, _NUMBERS, _PARTS = st.integers(0, 1000), st.integers(1, 10**4), st.integers(1, 100)


@cache
def _in_any_order(symbols: frozenset[Any]) -> st.SearchStrategy[list[Any]]:
    return st.permutations([symbol for symbol in LETTERS if symbol in symbols])


@st.composite
def letter_values(draw: st.DrawFn, symbols: Any) -> dict[Any, Fraction]:
    """Exact positive values for some letters, whole where the letter counts."""
    return _values(draw, symbols)


def _values(draw: st.DrawFn, symbols: Any) -> dict[Any, Fraction]:
    values = {}
    for symbol in symbols:
        number = draw(_NUMBERS)
        values[symbol] = Fraction(number) if LETTERS[symbol].whole else Fraction(number, draw(_PARTS))
    return values


_SHARED = ({}, {"n_shared": 1}, {"n_shared": 2}, {"n_shared": 1, "d_shared": 4, "shared_gate": True})


@st.composite
def architectures(draw: st.DrawFn) -> Config:
    """A small decoder with every switch drawn, whatever models people build."""
    n_kv_heads, d_head, gated = draw(st.sampled_from((1, 2))), draw(st.sampled_from((2, 4, 6))), draw(st.booleans())
    positions, n_experts = draw(st.sampled_from((None, "learned", "rotary"))), draw(st.sampled_from((0, 0, 1, 3)))
    mlp = ("gate", "up", "down") if gated else ("up", "down")
    heads = ("query", "key", "value")
    biased = draw(st.sampled_from(((), heads, ("output",), mlp, (*heads, "output", *mlp))))
    biased += ("router",) if n_experts and draw(st.booleans()) else ()
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
        post_norm=draw(st.booleans()),
        parallel=draw(st.booleans()),
        activation=draw(st.sampled_from(("gelu_tanh", "gelu", "silu", "relu"))),
        gated=gated,
        biases=biased,
        positions=positions,
        n_positions=12 if positions == "learned" else 0,
        rope_theta=draw(st.sampled_from((1e4, 1e6))),
        rope_factors=draw(st.sampled_from(((), (8.0,) * (d_head // 2)))),
        rope_pairs=draw(st.sampled_from(("halves", "neighbours"))),
        **draw(st.sampled_from(({}, {"qk_norm": True}, {"joint_norms": True}))),
        sinks=draw(st.booleans()),
        tied=draw(st.booleans()),
        d_embedding=draw(st.sampled_from((0, 0, 3))),
        n_experts=n_experts,
        n_active=draw(st.integers(1, n_experts)) if n_experts else 0,
        d_expert=draw(st.sampled_from((0, 3))),
        **(draw(st.sampled_from(_SHARED)) if n_experts else {}),
        sparse=draw(st.sampled_from(((True,), (True,), (False, True), (False,)))),
        renormalise=draw(st.booleans()),
        windows=draw(st.sampled_from(((None,), (1,), (3,), (2, None), (None, 4)))),
    )
    config = replace(config, output_bias=not config.tied and draw(st.booleans()))
    return config if draw(st.integers(0, 3)) else latent(config, draw)


def latent(config: Config, draw: st.DrawFn) -> Config:
    """The config with latent attention."""
    d_rope = draw(st.sampled_from((2, 4)))
    return replace(
        config,
        n_kv_heads=config.n_heads,
        biases=tuple(name for name in config.biases if name not in ("key", "value")),
        positions="rotary",
        n_positions=0,
        rope_factors=draw(st.sampled_from(((), (8.0,) * (d_rope // 2)))),
        qk_norm=False,
        joint_norms=False,
        sinks=False,
        d_value=draw(st.sampled_from((0, 3))),
        attention=Latent(
            kv_rank=draw(st.sampled_from((1, 5))),
            d_rope=d_rope,
            q_rank=draw(st.sampled_from((0, 3))),
            absorbed=draw(st.booleans()),
        ),
    )


KINDS = ("heads", "two kinds", "states", "convolutions", "latent", "index", "compressed")


@st.composite
def mixtures(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Config:
    """A small decoder of any kinds of blocks beside each other, whether people build such or not."""
    config = draw(architectures())
    config = replace(
        config,
        n_blocks=draw(st.integers(2, 4)),
        gated=config.gated or config.n_experts > 0,
        norm=draw(st.sampled_from(("rms", "layer"))),
        biases=(),
        output_bias=False,
        mlp_limit=0.0,
    )
    kind = draw(st.sampled_from(kinds))
    if kind in ("latent", "index"):
        config = latent(config, draw)
    elif config.attention != HEADS:
        config = replace(config, attention=HEADS, d_value=0, rope_factors=())
    if kind in ("heads", "two kinds", "states", "convolutions"):
        beside = config.n_experts > 0 and not config.parallel and draw(st.booleans())
        d_value = draw(st.sampled_from((0, 0, 1, 3, 4)))
        config = replace(config, attention_gate=draw(st.booleans()), beside=beside, d_value=d_value)
        config = replace(config, windowed_sinks=config.sinks and draw(st.booleans()))
    if config.activation != "xielu":  # and not where streams are drawn, below
        n_more = draw(st.integers(0, 2))
        config = replace(config, d_block=draw(st.sampled_from((0, 0, 3))), n_vocab_block=config.n_vocab + n_more)
    if config.d_block and config.norm == "rms" and draw(st.booleans()):
        config = replace(config, alternating=Alternating(draw(st.integers(1, 3)), draw(st.sampled_from((1, 4)))))
    if kind in ("heads", "two kinds"):
        sparse = ((0.0,), (0.0, 0.5)) if config.gated else ((0.0,),)
        config = replace(config, value_norms=draw(st.booleans()), sparse_gates=draw(st.sampled_from(sparse)))
    if kind == "two kinds":
        own = {"positions": None, "n_positions": 0, "rope_factors": (), "joint_norms": False, "attention_gate": False}
        keys_as_values = not config.d_value and draw(st.booleans())
        config = replace(config, **own, windows=(draw(st.integers(1, 4)), None), keys_as_values=keys_as_values)
        config = replace(config, n_kv_full=1, d_head_full=draw(st.sampled_from((3, 4))))
        return borrowing(config, draw)
    if kind in ("states", "convolutions"):
        blocks, kernel = draw(st.sampled_from(((True, False), (False, True)))), draw(st.integers(1, 4))
        if kind == "states":
            n_groups = draw(st.integers(1, 2))
            rule, each = draw(st.sampled_from(("delta", "mamba"))), n_groups * draw(st.integers(1, 2))
            states: Any = States(rule, each, n_groups, draw(st.integers(1, 3)), draw(st.integers(1, 3)), kernel, blocks)
        else:
            states = Convolution(draw(st.integers(1, 5)), kernel, draw(st.booleans()), blocks)
        windows = draw(st.sampled_from(((None,), (3,), (2, 2, None, None))))
        config = replace(config, n_blocks=draw(st.sampled_from((2, 4))), states=states, windows=windows)
        return borrowing(config, draw)
    if kind == "index":
        assert isinstance(config.attention, Latent)
        blocks = draw(st.sampled_from(((True,), (True, False))))
        width = config.rotated + draw(st.integers(0, 2))
        index = Index(draw(st.integers(1, 2)), width, draw(st.integers(1, 9)), blocks)
        picking = replace(config.attention, q_rank=config.attention.q_rank or 3, index=index)
        return replace(config, windows=(None,), attention=picking)
    return _compressed(config, draw) if kind == "compressed" else borrowing(config, draw)


def borrowing(config: Config, draw: st.DrawFn) -> Config:
    """The config with last blocks that attend to what others keep, if it can have such; MLPs twice as wide or not."""
    if config.attention != HEADS or config.joint_norms:
        return config
    width = draw(st.sampled_from((1, 2))) * config.d_ff
    for n_sharing in range(draw(st.sampled_from((0, 1, 2, 3))), 0, -1):
        try:
            return replace(config, n_sharing=n_sharing, sharing_width=width)
        except InvalidConfig:
            continue
    return config


def _compressed(config: Config, draw: st.DrawFn) -> Config:
    """The config with compressed runs, and with several residual streams or one."""
    more = draw(st.lists(st.sampled_from(("window", "sparse", "heavy")), max_size=1))
    kinds = tuple(draw(st.permutations(("sparse", "heavy", *more))))
    runs, picked = (draw(st.integers(1, 4)), draw(st.integers(1, 5))), draw(st.integers(1, 4))
    compression = Compression(kinds, *runs, draw(st.integers(1, 2)), 3, picked, 1, draw(st.integers(1, 3)), 3, 2)
    streams = Streams(draw(st.integers(1, 2)), 1) if draw(st.booleans()) else None
    plain = {"qk_norm": False, "joint_norms": False, "sinks": False, "rope_factors": (), "positions": "rotary"}
    plain |= {"n_positions": 0, "post_norm": False, "parallel": False, "d_embedding": 0}
    sizes = {"n_blocks": len(kinds), "n_kv_heads": 1, "d_head": 4, "d_value": 0, "windows": (draw(st.integers(1, 5)),)}
    plain |= {"d_block": 0, "alternating": None} if streams else {}
    return replace(config, **plain, **sizes, attention=compression, streams=streams)


# Descriptions of models, as config.json has them


@st.composite
def questions(draw: st.DrawFn, *, experts: bool) -> Question:
    """A question to a tiny model; with experts, of few tokens, since they are routed in every way there is."""
    batch, context = draw(st.sampled_from(((1, 1), (2, 1), (1, 2)) if experts else ((2, 5), (1, 4), (3, 1), (1, 9))))
    formats = (draw(st.sampled_from(allowed)) for allowed in ((2, 4), (2, 4, 8)))
    return Question(batch, context, *formats, draw(st.integers(1, 200)), draw(st.integers(1, 20)))


@st.composite
def tiny_models(draw: st.DrawFn, model_type: str) -> dict[str, Any]:
    """The config.json of a model of this family, small enough to be run whole; no two of its shapes need be alike."""

    def one_of(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    n, n_heads, d_head, groups = one_of(2, 3, 1), one_of(2, 4, 1), one_of(2, 4), one_of(1, 2)
    found: dict[str, Any] = {"model_type": model_type, "vocab_size": one_of(5, 7)}
    if model_type in ("gpt2", "gptj"):
        names = {"n_layer": n, "n_head": n_heads, "n_embd": n_heads * d_head, "n_inner": one_of(None, 3, 11)}
        return found | names | {"n_positions": 16, "tie_word_embeddings": draw(st.booleans()) and model_type == "gpt2"}
    shares = model_type in ("falcon", "opt", "gpt_neox")
    found |= {
        "num_hidden_layers": n,
        "num_attention_heads": n_heads,
        "hidden_size": n_heads * d_head if shares else one_of(3, 6, 10),
    }
    width, experts = one_of(3, 11), {"n_experts": one_of(3, 2, 4), "n_active": one_of(1, 2), "width": one_of(1, 5)}
    if model_type == "falcon":
        switches = {name: draw(st.booleans()) for name in ("bias", "new_decoder_architecture", "multi_query")}
        switches |= {"num_kv_heads": n_heads, "parallel_attn": draw(st.booleans())}
        return found | switches | {"ffn_hidden_size": one_of(None, width)}
    if model_type == "opt":
        found["word_embed_proj_dim"] = one_of(found["hidden_size"], 3, 1)
        return found | {"ffn_dim": width, "max_position_embeddings": 16, "enable_bias": draw(st.booleans())}
    found |= {"intermediate_size": width, "tie_word_embeddings": draw(st.booleans())}
    if model_type == "gpt_neox":
        return found | {"attention_bias": draw(st.booleans()), "tie_word_embeddings": False}
    if model_type.startswith("deepseek") or model_type == "glm4_moe_lite":
        latent = {"kv_lora_rank": one_of(3, 5), "qk_rope_head_dim": one_of(2, 4), "qk_nope_head_dim": d_head}
        latent |= {"v_head_dim": one_of(1, 3), "q_lora_rank": one_of(None, 7), "n_shared_experts": one_of(2, 1, None)}
        latent |= {"first_k_dense_replace": one_of(1, 0, n), "n_routed_experts": experts["n_experts"]}
        latent |= {"num_experts_per_tok": experts["n_active"], "moe_intermediate_size": experts["width"]}
        if model_type == "glm4_moe_lite":
            plain = latent["first_k_dense_replace"]
            latent["mlp_layer_types"] = ["dense" if i < plain else "sparse" for i in range(n)]
            latent["n_shared_experts"] = latent["n_shared_experts"] or 0
        return found | latent
    found |= {"num_key_value_heads": n_heads // groups or 1, "head_dim": d_head}
    if model_type == "mimo_v2_flash":
        kinds, each = ("sliding_attention", "full_attention"), one_of(1, 2)
        found |= {"num_key_value_heads": each, "num_attention_heads": 2 * each * one_of(1, 2)}
        found |= {"v_head_dim": one_of(3, 2, 4), "sliding_window": one_of(3, 1, 9)}
        found |= {"layer_types": [one_of(*kinds) for _ in range(n)], "n_routed_experts": experts["n_experts"]}
        found |= {"mlp_layer_types": [one_of("sparse", "dense") for _ in range(n)]}
        return found | {"num_experts_per_tok": experts["n_active"], "moe_intermediate_size": experts["width"]}
    switches = {
        "llama": ("attention_bias", "mlp_bias"),
        "qwen3": ("attention_bias",),
        "apertus": ("attention_bias",),
        "olmoe": ("attention_bias",),
        "seed_oss": ("attention_bias", "attention_out_bias", "mlp_bias"),
        "hunyuan_v1_dense": ("attention_bias",),
        "ernie4_5": ("use_bias",),
        "bailing_moe": ("use_qkv_bias", "use_bias"),
        "phimoe": ("attention_bias", "lm_head_bias"),
    }
    found |= {name: draw(st.booleans()) for name in switches.get(model_type, ())}
    if model_type == "phimoe":  # the engine has biases of logits beside an output matrix of its own
        found["tie_word_embeddings"] = False
    if model_type == "olmoe":  # its heads share the model's width
        found["hidden_size"] = n_heads * found.pop("head_dim")
    if model_type in ("olmoe", "hunyuan_v1_moe", "ernie4_5_moe", "phimoe", "bailing_moe"):
        total = {"phimoe": "num_local_experts", "ernie4_5_moe": "moe_num_experts"}.get(model_type, "num_experts")
        active = {"hunyuan_v1_moe": "moe_topk", "ernie4_5_moe": "moe_k"}.get(model_type, "num_experts_per_tok")
        found |= {total: experts["n_experts"], active: experts["n_active"]}
    if model_type == "bailing_moe":
        found |= {"moe_intermediate_size": experts["width"], "num_shared_experts": one_of(2, 1, None)}
        found |= {"first_k_dense_replace": one_of(1, 0, n)}
        if draw(st.booleans()):
            found |= {"architectures": ["BailingMoeV2ForCausalLM"], "use_qk_norm": draw(st.booleans())}
    if model_type == "ernie4_5_moe":
        found |= {"moe_intermediate_size": experts["width"], "moe_num_shared_experts": one_of(2, 1, 0)}
        found |= {"moe_layer_start_index": one_of(0, 1), "moe_layer_interval": one_of(1, 2)}
    if model_type in (
        "mistral",
        "mixtral",
        "phi3",
        "phimoe",
        "starcoder2",
        "gemma2",
        "gemma3_text",
        "qwen2",
        "qwen3",
        "qwen3_moe",
    ):
        found["sliding_window"] = one_of(3, 1, 9, None)
    if model_type in ("gpt_oss", "minimax_m2", "qwen2_moe"):
        name = "num_experts" if model_type == "qwen2_moe" else "num_local_experts"
        found |= {
            name: experts["n_experts"],
            "num_experts_per_tok": experts["n_active"],
            "sliding_window": one_of(3, 9),
        }
        found |= {} if model_type == "gpt_oss" else {"sliding_window": None}
    if model_type == "qwen2_moe":
        found |= {"moe_intermediate_size": experts["width"], "shared_expert_intermediate_size": one_of(5, 2)}
        found |= {"decoder_sparse_step": one_of(1, 2), "mlp_only_layers": one_of([], [0])}
    if model_type in ("glm4", "starcoder2"):
        found["attention_bias" if model_type == "glm4" else "use_bias"] = draw(st.booleans())
    if model_type.startswith("qwen"):
        found["use_sliding_window"] = found["sliding_window"] is not None
        found["max_window_layers"] = 0 if model_type == "qwen3_moe" else one_of(1, 0, n)
    if model_type == "gemma3_text":
        found["sliding_window_pattern"] = one_of(2, 3)
    if model_type == "gemma3n_text":
        kinds, n = ("sliding_attention", "full_attention"), one_of(2, 3, 1)
        found |= {"num_hidden_layers": n, "layer_types": one_of(None, [one_of(*kinds) for _ in range(n)])}
        found |= {"sliding_window": one_of(3, 1, 9), "num_kv_shared_layers": 0}
        if one_of(True, False):  # the last, or the last two, attend to what the first two keep
            types = one_of([*kinds, *kinds], [*kinds, kinds[1]])
            found |= {"num_hidden_layers": len(types), "layer_types": types, "num_kv_shared_layers": len(types) - 2}
        found["intermediate_size"] = one_of(width, [width] * found["num_hidden_layers"])
        found |= {"hidden_size_per_layer_input": one_of(5, 4), "altup_num_inputs": one_of(2, 4, 1, 3)}
        found |= {"vocab_size_per_layer_input": found["vocab_size"] + one_of(-1, 2), "laurel_rank": one_of(3, 1)}
    if model_type == "gemma4_text":
        kinds, n = ("sliding_attention", "full_attention"), one_of(3, 2)
        found |= {
            "num_hidden_layers": n,
            "sliding_window": one_of(3, 1, 9),
            "hidden_size_per_layer_input": one_of(0, 5),
        }
        found |= {"vocab_size_per_layer_input": found["vocab_size"] + 2, "use_double_wide_mlp": draw(st.booleans())}
        found |= {"layer_types": one_of(None, [one_of(*kinds) for _ in range(n - 1)] + [kinds[0]])}
        if found["layer_types"]:  # the last is without a window whatever is said, and one with a window is needed
            found["layer_types"][0] = kinds[0]
        found["num_kv_shared_layers"] = 0
        if one_of(True, False):  # the last, or the last two, attend to what the first two keep
            types = one_of([*kinds, *kinds], [*kinds, kinds[1]])
            found |= {"num_hidden_layers": len(types), "layer_types": types, "num_kv_shared_layers": len(types) - 2}
        found |= {"attention_k_eq_v": draw(st.booleans()), "global_head_dim": one_of(6, 2, 4)}
        found |= {"num_global_key_value_heads": one_of(1, None), "enable_moe_block": draw(st.booleans())}
        found |= {"num_experts": experts["n_experts"], "top_k_experts": experts["n_active"]}
        found |= {"moe_intermediate_size": experts["width"]}
    if model_type == "mixtral":
        found |= {"num_local_experts": experts["n_experts"], "num_experts_per_tok": experts["n_active"]}
    if model_type == "qwen3_moe":
        found |= {"num_experts": experts["n_experts"], "num_experts_per_tok": experts["n_active"]}
        found |= {"moe_intermediate_size": experts["width"], "decoder_sparse_step": one_of(1, 2)}
        found["mlp_only_layers"] = one_of([], [0])
    return found


ABSENT = object()
_SHAPES: dict[str, tuple[Any, ...]] = {  # what is usual comes first, and is drawn half of the time
    "hidden_size": (64, 32, 48, None),
    "num_hidden_layers": (3, 1, 2),
    "num_attention_heads": (32, 8, 4, 16),
    "num_key_value_heads": (4, ABSENT, None, 2, 8, 32, 3),
    "head_dim": (ABSENT, None, 2, 6, 128),
    "vocab_size": (11, 5),
    "intermediate_size": (9, 7, None),
    "tie_word_embeddings": (ABSENT, True, False, None),
    "attention_bias": (ABSENT, False, True, None),
    "mlp_bias": (ABSENT, False, True, None),
    "sliding_window": (ABSENT, None, 5, 4096, 0),
    "use_sliding_window": (ABSENT, True, False, None),
    "max_window_layers": (ABSENT, 0, 1, 2, 28, None),
    "layer_types": (ABSENT, None, "sliding", "full", "mixed", "short", "odd"),
    "rope_parameters": (ABSENT, None, {"rope_type": "default"}, {"rope_theta": 1e4}, {"rope_type": "default", "x": 1}),
    "rope_scaling": (ABSENT, None, {"type": "linear", "factor": 2.0}, {}),
    "partial_rotary_factor": (ABSENT, 1.0, 0.5),
    "architectures": (ABSENT, None, "own", "base", []),
    "n_shared_experts": (ABSENT, 0, 1),
}
_OF_MIXTRAL: dict[str, tuple[Any, ...]] = {
    "num_local_experts": (ABSENT, 4, 1, None, 0),
    "num_experts_per_tok": (ABSENT, 1, 4, 5, None),
}
_OF_GPT2: dict[str, tuple[Any, ...]] = {
    "n_embd": (64, 48, 30),
    "n_layer": (3, 1),
    "n_head": (4, 8, 3),
    "n_inner": (ABSENT, None, 7),
    "n_positions": (ABSENT, 9, None),
    "vocab_size": (11, 5),
    "tie_word_embeddings": (ABSENT, True, False, None),
    "add_cross_attention": (ABSENT, False, True),
    "num_key_value_heads": (ABSENT, None, 1),
    "mlp_bias": (ABSENT, False, True),
    "architectures": (ABSENT, "own", "base"),
}


@st.composite
def descriptions(draw: st.DrawFn, model_type: str, architecture: str) -> dict[str, Any]:
    """The fields of a config.json, each usual, absent, null or another."""
    choices = _OF_GPT2 if model_type == "gpt2" else _SHAPES | (_OF_MIXTRAL if model_type == "mixtral" else {})
    found: dict[str, Any] = {"model_type": model_type}
    unusual = draw(st.sets(st.sampled_from(sorted(choices)), max_size=6))
    for name, values in choices.items():
        value = draw(st.sampled_from(values[1:])) if name in unusual else values[0]
        if value is not ABSENT:
            found[name] = value
    kinds = {"sliding": ("sliding",), "full": ("full",), "mixed": ("full", "sliding"), "short": (), "odd": ("chunked",)}
    if (types := kinds.get(found.get("layer_types"))) is not None:
        n = found["num_hidden_layers"]
        found["layer_types"] = [f"{types[i % len(types)]}_attention" for i in range(n)] if types else []
    names = {"own": [architecture], "base": [architecture.replace("ForCausalLM", "Model") + "x"]}
    if found.get("architectures") in ("own", "base"):
        found["architectures"] = names[found["architectures"]]
    return found


# What a machine is asked to do

_WHERE_THINGS_CHANGE = (4097, 1, 2, 3, 511, 512, 513, 4095, 4096, 32768, 131072)  # windows begin, limits end


@st.composite
def loads(draw: st.DrawFn, hardware: str) -> Load:
    """Contexts below and above windows, powers of two and odd numbers; formats that the device computes in, or any."""
    peaks = [name for name in FORMATS if any(name in figures for figures in DEVICES[hardware]["from"].values())]
    computing = [name for name, row in FORMATS.items() if "peak" in row]
    few = draw(st.integers(0, 9)) and peaks  # nearly always one that has a peak, where any has
    context = st.one_of(st.sampled_from(_WHERE_THINGS_CHANGE), st.integers(1, 2**15))
    batch = st.one_of(st.sampled_from((7, 1, 2, 3, 32, 64, 256)), st.integers(1, 1000))
    stored = st.sampled_from((None, *FORMATS))
    return Load(
        hardware,
        draw(context),
        draw(batch),
        draw(st.sampled_from(("served", "full", "causal", "last-logits"))),
        draw(st.sampled_from(peaks if few else computing)),
        draw(stored),
        draw(stored),
    )


RATIONAL_LETTERS = symbols("x y z", positive=True)


def rational_functions() -> st.SearchStrategy[Any]:
    """Rational functions of three letters, at times divided by zero."""
    numbers = st.fractions(-3, 3, max_denominator=4).map(lambda f: Rational(f.numerator, f.denominator))

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.tuples(st.sampled_from((Add, Mul)), st.lists(inner, min_size=2, max_size=3))
        powers = st.tuples(st.just(Pow), st.tuples(inner, st.sampled_from((-2, -1, 2))))
        return (several | powers).map(lambda pair: pair[0](*pair[1]))

    return st.recursive(st.sampled_from(RATIONAL_LETTERS) | numbers, larger, max_leaves=8)


@st.composite
def picking_models(draw: st.DrawFn, model_type: str) -> dict[str, Any]:
    """The config.json of a tiny model with an index, which picks fewer tokens than there are, as many, or more."""
    found = draw(tiny_models("deepseek_v3"))
    n, n_active = found["num_hidden_layers"], found["num_experts_per_tok"]
    found |= {"model_type": model_type, "q_lora_rank": draw(st.sampled_from((3, 7)))}
    found |= {"index_n_heads": draw(st.sampled_from((1, 3))), "index_topk": draw(st.sampled_from((1, 2, 3, 9)))}
    found["index_head_dim"] = found["qk_rope_head_dim"] + draw(st.sampled_from((0, 1, 5)))
    found |= {"n_shared_experts": draw(st.sampled_from((1, 2))), "num_experts_per_tok": n_active}
    if model_type == "glm_moe_dsa":
        types = st.lists(st.sampled_from(("full", "shared")), min_size=n - 1, max_size=n - 1)
        found["indexer_types"] = ["full", *draw(types)]
    return found


@st.composite
def compressing_models(draw: st.DrawFn) -> dict[str, Any]:
    """A tiny model whose blocks keep compressed runs: some of each kind, some a window alone, in any order."""
    kinds = ("sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention")
    more = draw(st.lists(st.sampled_from(kinds), max_size=2))
    groups, pairs = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    types = draw(st.permutations([*kinds[1:], *more]))
    return {
        "model_type": "deepseek_v4",
        "vocab_size": draw(st.sampled_from((5, 11))),
        "hidden_size": draw(st.sampled_from((3, 8))),
        "moe_intermediate_size": draw(st.sampled_from((2, 7))),
        "num_hidden_layers": len(types),
        "layer_types": types,
        "num_attention_heads": groups * draw(st.integers(1, 2)),
        "num_key_value_heads": 1,
        "qk_rope_head_dim": 2 * pairs,
        "head_dim": 2 * pairs + draw(st.sampled_from((0, 3))),
        "q_lora_rank": draw(st.sampled_from((3, 5))),
        "o_groups": groups,
        "o_lora_rank": draw(st.sampled_from((2, 7))),
        "index_n_heads": draw(st.integers(1, 3)),
        "index_head_dim": 2 * pairs + draw(st.sampled_from((0, 1, 5))),
        "index_topk": draw(st.sampled_from((1, 2, 9))),
        "sliding_window": draw(st.sampled_from((1, 3, 5, 30))),
        "compress_rate_csa": draw(st.integers(1, 4)),
        "compress_rate_hca": draw(st.integers(1, 7)),
        "hc_mult": draw(st.integers(1, 3)),
        "hc_sinkhorn_iters": draw(st.integers(1, 3)),
        "n_routed_experts": draw(st.integers(2, 4)),
        "num_experts_per_tok": draw(st.integers(1, 2)),
        "n_shared_experts": 1,
        "num_hash_layers": draw(st.integers(0, 2)),
        "swiglu_limit": draw(st.sampled_from((0.0, 10.0))),
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": draw(st.booleans()),
    }


def shared_by(devices: int, config: Config, **how: Any) -> TensorParallel:
    """A decoder that devices share; another one is drawn where so many cannot."""
    try:
        return TensorParallel(config, devices, **how)
    except ValueError as error:
        assume("cannot" not in str(error))
        raise
