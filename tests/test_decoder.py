"""The decoder under every switch: grouped heads, norms, gates, biases, positions, experts, windows"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import architectures

from reference_engine import Config, Decoder, Float, Ledger, Machine, OutOfMemory, layers, ops
from reference_engine.attention.latent import Latent
from reference_engine.cache import Cache
from reference_engine.config import InvalidConfig
from reference_engine.counting_scalars import watched_machine
from reference_engine.streams import Streams

PLAIN = Config(2, 4, 8, 32, Float(64), Float(64), Float(64), norm="rms", positions="rotary", n_kv_heads=2)


def in_parts(config: Config, sequences: Any, prompt: int, **room: Any) -> Any:
    """Logits of every position, computed token by token after the prompt."""
    decoder, length = Decoder(config, growing=not room), sequences.shape[1]
    parts = [decoder.prefill(sequences[:, :prompt], **room)]
    parts += [decoder.decode(sequences[:, i])[:, None] for i in range(prompt, length)]
    return np.concatenate(parts, axis=1)


def tokens(config: Config, batch: int, length: int, seed: int = 0) -> Any:
    """Some sequences."""
    return np.random.default_rng(seed).integers(0, config.n_vocab, (batch, length))


@given(config=architectures(), batch=st.integers(1, 2), length=st.integers(2, 9), data=st.data())
def test_decode_equals_recompute(config: Config, batch: int, length: int, data: st.DataObject) -> None:
    """Step by step through the cache gives what the whole sequence at once gives, whatever the architecture."""
    sequences, prompt = tokens(config, batch, length), data.draw(st.integers(1, length - 1))
    room = data.draw(st.sampled_from(({}, {"capacity": length}, {"capacity": 12})))
    whole = Decoder(config).prefill(sequences)
    assert_allclose(in_parts(config, sequences, prompt, **room), whole, rtol=1e-9, atol=1e-9)


@given(config=architectures(), batch=st.integers(1, 2), length=st.integers(1, 7), data=st.data())
def test_logits_of_the_last_positions(config: Config, batch: int, length: int, data: st.DataObject) -> None:
    """Logits of some are those of all at their place, for less of the output matrix; the cache is the same."""
    sequences, asked = tokens(config, batch, length), data.draw(st.integers(1, length))
    every, some = Decoder(config, growing=True), Decoder(config, growing=True)
    assert_allclose(some.prefill(sequences, logits=asked), every.prefill(sequences)[:, length - asked :], rtol=1e-9)
    of_output = [one.ledger.matmul_flops("output") for one in (every, some)]
    assert of_output[0] * asked == of_output[1] * length
    assert every.ledger.matmul_flops() - some.ledger.matmul_flops() == of_output[0] - of_output[1]
    assert_allclose(some.decode(sequences[:, 0]), every.decode(sequences[:, 0]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("asked", [0, 8, -1])
def test_logits_of_positions_that_are_not_there(asked: int) -> None:
    with pytest.raises(ValueError, match=f"there are 7 positions, so {asked} of them cannot get logits"):
        Decoder(PLAIN).prefill(tokens(PLAIN, 1, 7), logits=asked)


@pytest.mark.parametrize("fault", ["rotation starts anew", "window is one longer", "cache is kept"])
def test_a_faulty_decode_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: each makes the steps disagree with the whole."""
    config = replace(PLAIN, windows=(3,))
    sequences = tokens(config, 1, 7)
    whole = Decoder(config).prefill(sequences)
    if fault == "rotation starts anew":
        tables = ops.rotary_tables
        monkeypatch.setattr(ops, "rotary_tables", lambda positions, *rest: tables(positions - positions[0], *rest))
    elif fault == "window is one longer":
        config = replace(config, windows=(4,))
    else:
        monkeypatch.setattr(Cache, "_slots", lambda _, first, last: (slice(None), np.arange(first, last) * 0))
    assert np.abs(in_parts(config, sequences, 2, capacity=7) - whole).max() > 1e-3


@given(config=architectures(), batch=st.integers(1, 2))
def test_every_architecture_counts_itself(config: Config, batch: int) -> None:
    """Run on counting scalars, prefill and decode really do as many operations as the ledger enters."""
    machine, tally = watched_machine()
    decoder = Decoder(config, machine=machine, growing=True)
    decoder.prefill(tokens(config, batch, 3))
    assert tally.total() == decoder.ledger.total("flops")
    decoder.decode(tokens(config, batch, 1)[:, 0])
    assert tally.total() == decoder.ledger.total("flops") > decoder.ledger.matmul_flops() > 0


@given(config=architectures(), length=st.integers(1, 6))
def test_sequences_add_up(config: Config, length: int) -> None:
    """A batch takes the operations that its sequences take alone, and gives their logits."""
    sequences = tokens(config, 3, length)
    together, alone = Decoder(config), [Decoder(config) for _ in sequences]
    logits = together.prefill(sequences)
    for row, decoder, sequence in zip(logits, alone, sequences, strict=True):
        assert_allclose(row, decoder.prefill([sequence])[0], rtol=1e-9, atol=1e-9)
    assert together.ledger.total("flops") == sum(decoder.ledger.total("flops") for decoder in alone)


@given(architectures())
def test_the_names_are_what_is_held(config: Config) -> None:
    """Every weight has one entry, of the size that its shape and format give; together they are all parameters."""
    ledger = Decoder(config).ledger
    for name, shape in config.shapes.items():
        assert ledger.footprint(f"weights.{name}") == prod(shape) * config.stored(name).n_bytes
    in_bytes = replace(config, weights=Float(16), vectors=Float(16))
    assert Decoder(in_bytes).ledger.footprint("weights.*") == 2 * config.n_parameters


@given(config=architectures(), tile=st.sampled_from((1, 7, 16)))
def test_tiles_change_nothing(config: Config, tile: int) -> None:
    """Matrices brought in piece by piece give the same logits and the same totals."""
    with pytest.MonkeyPatch.context() as patch:
        whole = Decoder(config)
        logits = whole.prefill(tokens(config, 2, 4))
        patch.setattr(layers, "TILE", tile)
        tiled = Decoder(config)
        assert_allclose(tiled.prefill(tokens(config, 2, 4)), logits, rtol=1e-9, atol=1e-9)
    assert tiled.ledger.entries == whole.ledger.entries


@given(config=architectures(), dtype=st.sampled_from(("float32", "float64")))
def test_the_chip_stays_in_its_width(config: Config, dtype: str) -> None:
    """Every op takes and gives floats of that width, and nothing else."""
    widths: set[str] = set()

    def watch(op: Any) -> Any:
        def watched(*arguments: Any, **more: Any) -> Any:
            result = op(*arguments, **more)
            widths.update(str(x.dtype) for x in (*arguments, result) if isinstance(x, np.ndarray | np.generic))
            return result

        return watched

    with pytest.MonkeyPatch.context() as patch:
        for name in ("elementwise", "total", "maximum", "matmul"):
            patch.setattr(ops, name, watch(getattr(ops, name)))
        decoder = Decoder(config, machine=Machine(dtype=dtype), growing=True)
        decoder.prefill(tokens(config, 2, 3))
        assert decoder.decode([0, 0]).dtype == dtype
    assert widths == {dtype}


def test_the_width_of_the_chip_is_one_of_two() -> None:
    """Another is refused."""
    with pytest.raises(ValueError, match="float32 or float64, not 'float16'"):
        Machine(dtype="float16")


# What each switch costs


def cost(path: str, op: str = "*", n: int = 1, **switches: Any) -> int:
    """Operations of one pass over n tokens, at some paths."""
    decoder = Decoder(replace(PLAIN, **switches))
    decoder.prefill(tokens(PLAIN, 1, n))
    return decoder.ledger.total("flops", path, op)


def test_what_the_switches_cost() -> None:
    """Operations of one token, counted, beside what the definitions say."""
    d, d_head, d_ff, heads, kv_heads = PLAIN.d_model, PLAIN.d_head, PLAIN.d_ff, PLAIN.n_heads, PLAIN.n_kv_heads
    assert cost("blocks.0.norm_1", norm="bare") == 5 * d + 4
    assert cost("blocks.0.norm_1", norm="rms") == 4 * d + 3
    assert cost("blocks.0.norm_1", norm="layer") == 7 * d + 4
    assert cost("blocks.0.attention.rotary") == 3 * d_head * (heads + kv_heads)
    assert cost("blocks.0.attention.*_norm", qk_norm=True) == (4 * d_head + 3) * (heads + kv_heads)
    assert cost("positions", positions="learned", n_positions=9) == d
    assert cost("blocks.0.attention.key", "add", biases=("key",)) == kv_heads * d_head
    for activation, each in (("gelu_tanh", 9), ("gelu", 5), ("silu", 4), ("relu", 1)):
        assert cost("blocks.0.mlp.activation", activation=activation) == each * d_ff
    assert cost("blocks.0.mlp.gating", gated=True) == d_ff
    experts, active = 5, 2
    switches = {"n_experts": experts, "n_active": active}
    assert cost("blocks.0.mlp.router", **switches) == 2 * d * experts
    assert cost("blocks.0.mlp.routing", **switches) == 5 * experts + active * experts + 2 * active
    assert cost("blocks.0.mlp.routing", **switches, renormalise=False) == 5 * experts + active * experts
    assert cost("blocks.0.mlp.mix", **switches) == 2 * active * d
    assert cost("blocks.0.mlp.experts.*.up", **switches) == active * 2 * d * d_ff
    switches |= {"d_expert": 7, "n_shared": 3, "sparse": (False, True)}
    assert cost("blocks.0.mlp.up", **switches) == 2 * d * d_ff
    assert cost("blocks.1.mlp.experts.*.up", **switches) == active * 2 * d * 7
    assert cost("blocks.1.mlp.shared.up", **switches) == 3 * 2 * d * 7
    assert cost("blocks.1.mlp.mix", **switches) == (2 * active + 1) * d
    assert cost("blocks.0.norm_2", parallel=True) == 0 == cost("blocks.0.post_norm_?")
    assert cost("blocks.0.post_norm_?", post_norm=True) == 2 * (4 * d + 3)


def test_biases_are_told_apart_by_op() -> None:
    """Products and additions of a matrix lie at one path, under two ops; its bytes include the bias."""
    config = replace(PLAIN, biases=("up",), tied=False)
    decoder = Decoder(config)
    decoder.prefill([[1, 2, 3]])
    d, path = config.d_model, "blocks.1.mlp.up"
    assert decoder.ledger.matmul_flops(path) == 2 * 3 * d * 4 * d
    assert decoder.ledger.total("flops", path) == 2 * 3 * d * 4 * d + 3 * 4 * d
    assert decoder.ledger.total("loaded", path) == 8 * (4 * d * d + 4 * d)


def test_grouped_heads_share_keys_and_values() -> None:
    """Fewer heads in the cache, and as many scores as without groups."""
    grouped, full = Decoder(PLAIN), Decoder(replace(PLAIN, n_kv_heads=4))
    for decoder in (grouped, full):
        decoder.prefill([[1, 2, 3]])
    assert 2 * grouped.ledger.footprint("cache.*") == full.ledger.footprint("cache.*")
    assert grouped.ledger.total("flops", "*.scores") == full.ledger.total("flops", "*.scores")


# Latent attention

MLA = Latent(kv_rank=5, d_rope=6, q_rank=7)
LATENT = replace(PLAIN, n_kv_heads=4, d_value=3, attention=MLA)


@pytest.mark.parametrize("q_rank", [0, 7])
def test_absorbed_latent_attention_gives_the_same(q_rank: int) -> None:
    """Keys and values made of every latent vector, or queries brought to them: one result, at different costs."""
    kinds = (replace(MLA, q_rank=q_rank, absorbed=a) for a in (True, False))
    absorbed, expanded = (Decoder(replace(LATENT, attention=kind), growing=True) for kind in kinds)
    for decoder in (absorbed, expanded):
        decoder.prefill([[1, 2, 3, 4, 5]])
        decoder.ledger.clear()
    assert_allclose(absorbed.decode([6]), expanded.decode([6]), rtol=1e-9, atol=1e-9)
    heads, up, context = LATENT.n_heads, 2 * MLA.kv_rank * (LATENT.d_head + LATENT.d_value), 6
    assert absorbed.ledger.matmul_flops("blocks.0.attention.*_up") == heads * up
    assert expanded.ledger.matmul_flops("blocks.0.attention.*_up") == heads * up * context
    wide, narrow = 5 + 6 + 5, LATENT.d_head + MLA.d_rope + LATENT.d_value
    for decoder, width in ((absorbed, wide), (expanded, narrow)):
        products = sum(decoder.ledger.total("flops", f"blocks.0.attention.{path}") for path in ("scores", "mix"))
        assert products == 2 * heads * width * context


@pytest.mark.parametrize("q_rank", [0, 7])
def test_heads_of_latent_attention_may_be_cached(q_rank: int) -> None:
    """Keys and values made once, of each new token, and kept: one result again, and a cache of every head."""
    kinds = (replace(MLA, q_rank=q_rank, absorbed=not by_head, caches_heads=by_head) for by_head in (False, True))
    absorbed, kept = (Decoder(replace(LATENT, attention=kind), growing=True) for kind in kinds)
    for decoder in (absorbed, kept):
        decoder.prefill([[1, 2, 3, 4, 5]])
        decoder.ledger.clear()
    assert_allclose(absorbed.decode([6]), kept.decode([6]), rtol=1e-9, atol=1e-9)
    assert_allclose(absorbed.extend([[7, 8]]), kept.extend([[7, 8]]), rtol=1e-9, atol=1e-9)
    up = 2 * MLA.kv_rank * (LATENT.d_head + LATENT.d_value)
    assert kept.ledger.matmul_flops("blocks.0.attention.*_up") == LATENT.n_heads * up * 3  # of three new tokens alone
    each = {name: LATENT.n_heads * width for name, width in (("keys", LATENT.d_head + 6), ("values", 3))}
    for name, numbers in each.items():
        assert kept.ledger.footprint(f"cache.blocks.0.{name}") == 8 * numbers * LATENT.cache.n_bytes


def test_latent_attention_is_what_it_is_defined_as() -> None:
    """Latent attention of one block equals plain NumPy by its definition, for the last of three tokens."""
    decoder = Decoder(replace(LATENT, n_blocks=1))
    c, x = decoder.config, np.random.default_rng(1).standard_normal((1, 3, LATENT.d_model))
    decoder.start(1, 3)
    found = decoder.config.attention.mix(decoder._layers, 0, decoder.caches[0], x, 0)[0, -1]
    weight = {name.removeprefix("blocks.0."): stored.load() for name, stored in decoder.weights.items()}

    def normed(v: Any, name: str) -> Any:
        return v / np.sqrt((v * v).mean(-1, keepdims=True) + c.norm_epsilon) * weight[f"{name}.weight"]

    def turned(v: Any, place: int) -> Any:
        half = MLA.d_rope // 2
        both = (v[..., :half] + 1j * v[..., half:]) * np.exp(1j * place * c.rope_theta ** (-np.arange(half) / half))
        return np.concatenate([both.real, both.imag], axis=-1)

    queries = (weight["query"] @ normed(weight["query_down"] @ x[0, -1], "query_down_norm")).reshape(c.n_heads, -1)
    latents = x[0] @ weight["latent"].T
    mixed = []
    for head in range(c.n_heads):
        low = normed(latents[:, : MLA.kv_rank], "latent_norm")
        keys, values = low @ weight["key_up"][head].T, low @ weight["value_up"][head].T
        scores = keys @ queries[head, : c.d_head]
        for place in range(3):
            scores[place] += turned(latents[place, MLA.kv_rank :], place) @ turned(queries[head, c.d_head :], 2)
        shares = np.exp(scores / np.sqrt(c.d_head + MLA.d_rope))
        mixed.append(shares / shares.sum() @ values)
    assert_allclose(found, weight["output"] @ np.concatenate(mixed), rtol=1e-9, atol=1e-9)


def test_latent_attention_caches_little() -> None:
    """Latent attention caches one latent vector and one rotated key for all heads, and reads no more of the token."""
    decoder = Decoder(LATENT, growing=True)
    decoder.prefill([[1, 2, 3]])
    assert decoder.ledger.footprint("cache.*") == LATENT.n_blocks * 3 * (5 + 6) * 8
    assert decoder.ledger.total("loaded", "blocks.1.attention.cache") == 3 * (5 + 6) * 8
    assert decoder.ledger.total("flops", "blocks.0.attention.rotary") == 3 * 3 * 6 * (LATENT.n_heads + 1)


# Experts


def test_only_chosen_experts_are_loaded_and_each_once() -> None:
    """The bytes are those of the experts that some token chose, however many chose them."""
    config = replace(PLAIN, n_experts=6, n_active=2, gated=True, n_blocks=1)
    decoder = Decoder(config)
    decoder.prefill([[3]])
    one = 8 * 3 * config.d_model * config.d_ff
    assert decoder.ledger.total("loaded", "*.experts.*") == 2 * one
    decoder.ledger.clear()
    decoder.prefill(tokens(config, 3, 20))
    used = {path.split(".")[4] for path, _ in decoder.ledger.entries if fnmatchcase(path, "*.experts.*")}
    assert 2 < len(used) <= 6
    assert decoder.ledger.total("loaded", "*.experts.*") == len(used) * one
    assert decoder.ledger.total("flops", "*.experts.*", "matmul") == 60 * 2 * 2 * one // 8


def test_experts_are_the_weighted_sum_they_are_meant_to_be() -> None:
    """With all of them active and equal, they are one MLP."""
    config = replace(PLAIN, n_experts=3, n_active=3, n_blocks=1)
    decoder = Decoder(config)
    first = "blocks.0.experts.0."
    shared = {
        name: decoder.weights[first + name.rpartition(".")[2] if ".experts." in name else name]
        for name in config.shapes
    }
    dense = {name.replace(".experts.0.", "."): weight for name, weight in shared.items()}
    mixed = Decoder(config, weights=shared, machine=decoder.machine).prefill([[1, 2, 3]])
    alone = Decoder(replace(config, n_experts=0, n_active=0), weights=dense, machine=decoder.machine)
    assert_allclose(mixed, alone.prefill([[1, 2, 3]]), rtol=1e-9, atol=1e-9)


def test_a_shared_expert_is_added_whatever_is_chosen() -> None:
    """Beside experts that return nothing, it is one MLP; blocks that are not sparse have one anyway."""
    config = replace(PLAIN, n_experts=3, n_active=2, n_shared=2, d_expert=5, d_ff=10, sparse=(False, True), gated=True)
    decoder = Decoder(config)
    for expert in range(3):
        silent = decoder.weights[f"blocks.1.experts.{expert}.down"]
        silent.store(np.zeros(silent.shape))
    dense = {name.replace(".shared.", "."): weight for name, weight in decoder.weights.items()}
    alone = Decoder(replace(config, n_experts=0, n_active=0, n_shared=0), weights=dense, machine=decoder.machine)
    assert_allclose(decoder.prefill([[1, 2, 3]]), alone.prefill([[1, 2, 3]]), rtol=1e-9, atol=1e-9)


def test_parallel_blocks_and_post_norms_are_what_they_are_defined_as() -> None:
    """Parallel blocks and post-norms equal their definition, with a block's attention and MLP asked apart."""
    x = np.random.default_rng(1).standard_normal((1, 3, PLAIN.d_model))
    for parallel, post_norm in ((True, False), (False, True), (True, True)):
        decoder = Decoder(replace(PLAIN, n_blocks=1, parallel=parallel, post_norm=post_norm, tied=False))
        decoder.weights["embedding"].store(np.concatenate([x[0], np.zeros((PLAIN.n_vocab - 3, PLAIN.d_model))]))
        logits, its = decoder.prefill([[0, 1, 2]]), decoder._layers
        decoder.start(1, 3)
        first = its.norm("", "blocks.0.norm_1", x)
        attended = decoder.config.attention.mix(its, 0, decoder.caches[0], first, 0)
        between = x + (its.norm("", "blocks.0.post_norm_1", attended) if post_norm else attended)
        thought = its.mlp("blocks.0", first if parallel else its.norm("", "blocks.0.norm_2", between))
        after = between + (its.norm("", "blocks.0.post_norm_2", thought) if post_norm else thought)
        assert_allclose(logits, its.linear("", "output", its.norm("", "norm", after)), rtol=1e-9, atol=1e-9)


def test_the_largest_are_chosen_the_first_of_equals_first() -> None:
    """In order of size."""
    x = np.array([[1.0, 4.0, 4.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    assert_array_equal(ops.top_k(Ledger(), x, 3), [[1, 2, 3], [0, 1, 2]])


# Windows and caches


def test_a_window_forgets_and_bounds_the_cache() -> None:
    """Tokens before the window neither matter nor take room; without a window they do both."""
    held = []
    for windows, forgotten in (((3,), True), ((None,), False)):
        config = replace(PLAIN, n_blocks=1, windows=windows)
        one, other = (Decoder(config).prefill([[first, 2, 3, 4]])[0, -1] for first in (1, 5))
        assert np.array_equal(one, other) == forgotten
        decoder = Decoder(config, growing=True)
        decoder.prefill([[1] * 10])
        held.append(decoder.ledger.footprint("cache.*"))
        decoder.ledger.clear()
        decoder.decode([1])
        token = 2 * config.n_kv_heads * config.d_head * 8
        assert decoder.ledger.total("loaded", "*.cache") == (3 if forgotten else 11) * token
        assert decoder.ledger.total("stored", "*.cache") == token
    assert held == [3 * token, 10 * token]


def test_caches_that_do_not_fit_are_not_held() -> None:
    """Not even those of the first blocks."""
    decoder = Decoder(PLAIN)
    decoder.machine.capacity = held = decoder.ledger.footprint()
    decoder.machine.capacity += 3000
    with pytest.raises(OutOfMemory):
        decoder.start(1, 20)
    assert decoder.ledger.footprint() == held


def test_a_growing_cache_holds_what_was_said() -> None:
    """Token by token, no more; and a new prompt gives the old room back."""
    decoder = Decoder(PLAIN, growing=True)
    token = PLAIN.n_blocks * 2 * PLAIN.n_kv_heads * PLAIN.d_head * 8
    decoder.prefill([[1, 2, 3]])
    decoder.decode([4])
    assert decoder.ledger.footprint("cache.*") == 4 * token
    decoder.prefill([[1, 2]])
    assert decoder.ledger.footprint("cache.*") == 2 * token


def test_learned_positions_end() -> None:
    """There is no vector for a position beyond them."""
    decoder = Decoder(replace(PLAIN, positions="learned", n_positions=2), growing=True)
    decoder.prefill([[1, 2]])
    with pytest.raises(ValueError, match="positions for 2 tokens, not for 3"):
        decoder.decode([1])


@pytest.mark.parametrize(
    ("switches", "problem"),
    [
        ({"n_heads": 3}, "n_kv_heads divides n_heads"),
        ({"n_blocks": 0}, "n_blocks must be a whole number of at least 1, not 0"),
        ({"d_ff": 2.5}, "d_ff must be a whole number"),
        ({"norm": "batch"}, "norm is one of bare, rms, layer, not 'batch'"),
        ({"positions": "learned"}, "need n_positions"),
        ({"positions": "alibi"}, "learned, rotary or None"),
        ({"d_head": 7}, "even d_head"),
        ({"rope_theta": float("nan")}, "rope_theta is at least 1"),
        ({"rope_factors": (1.0,)}, "as many as pairs of a head"),
        ({"rope_factors": (0.0,) * 4}, "between 1e-6 and 1e6"),
        ({"norm_epsilon": -1.0}, "norm_epsilon is small"),
        (
            {"attention": replace(MLA, caches_heads=True), "n_kv_heads": 4},
            "keys and values of heads are cached by latent",
        ),
        ({"biases": ("gate",)}, "biases are among query, key, value, output, up, down"),
        ({"n_experts": 2, "n_active": 3}, "n_active is at most n_experts"),
        ({"n_experts": 2}, "a number of active ones"),
        ({"output_bias": True}, "output_bias needs an output matrix of its own"),
        ({"n_shared": 1}, "shared experts come beside others"),
        (
            {"n_experts": 2, "n_active": 1, "n_shared": 2, "d_expert": 3, "d_shared": 3},
            "several shared experts are as wide as the others",
        ),
        ({"sparse": ()}, "sparse says it of at least one block"),
        ({"attention": Latent(4, 0)}, "latent attention has a latent vector, and a rotated part"),
        ({"attention": Latent(0, 4)}, "latent attention has a latent vector, and a rotated part"),
        ({"d_value": -1}, "d_value must be a whole number of at least 0"),
        ({"d_value": 4, "windows": (None, 2), "keys_as_values": True}, "what the keys make is as wide as they are"),
        ({"windowed_sinks": True}, "windowed_sinks need sinks"),
        ({"attention": MLA}, "no groups of heads"),
        ({"attention": MLA, "n_kv_heads": 4, "qk_norm": True}, "norms of its own"),
        ({"attention": MLA, "n_kv_heads": 4, "positions": None}, "needs rotary positions"),
        ({"windows": (0,)}, "windows are positive"),
    ],
)
def test_contradictions_are_refused(switches: dict[str, Any], problem: str) -> None:
    """When the description is made, not when it is used."""
    with pytest.raises(ValueError, match=problem):
        replace(PLAIN, **switches)


SWITCHED = {"layer": replace(PLAIN, norm="layer", biases=("query", "up", "down"), qk_norm=True, post_norm=True)}
SWITCHED["beside"] = replace(PLAIN, gated=True, n_experts=2, n_active=1, beside=True, activation="gelu_tanh")
SWITCHED["streams"] = replace(PLAIN, streams=Streams(2, 3))


@pytest.mark.parametrize("name", SWITCHED)
def test_what_scales_is_drawn_near_1_and_what_is_added_or_multiplied_near_0(name: str) -> None:
    """Over many seeds: weights of norms and scales of experts; matrices, biases and what mixes streams."""
    many = [Decoder(SWITCHED[name], seed).weights for seed in range(40)]
    drawn = {name: np.mean([weights[name].load().mean() for weights in many]) for name in many[0]}
    scaling = {"norm", "norm_1", "norm_2", "norm_3", "query_norm", "key_norm", "router_norm", "expert_scales"}
    scaling |= {"post_norm_1", "post_norm_2"}
    for name, mean in drawn.items():
        *_, part, kind = f".{name}".split(".")
        assert abs(mean - (kind == "weight" and part in scaling)) < 0.4, name
    assert {round(mean) for mean in drawn.values()} == {0, 1}


def test_an_activation_with_weights() -> None:
    """Apertus's, with one slope above zero and one below; experts have none."""
    x, slopes = np.linspace(-9, 9, 37), np.array([0.3, 0.7])
    bent = np.where(x > 0, 0.3 * x * x, 0.7 * (np.exp(np.minimum(x, 0)) - 1 - np.minimum(x, 0)))
    assert_allclose(ops.xielu(Ledger(), x, slopes), bent + x / 2)
    config = replace(PLAIN, activation="xielu")
    assert {name for name in config.shapes if "slopes" in name} == {f"blocks.{i}.slopes.weight" for i in range(2)}
    assert config.n_parameters == PLAIN.n_parameters + 2 * 2
    with pytest.raises(InvalidConfig, match="an activation with weights is of MLPs, not of experts"):
        replace(config, gated=True, n_experts=3, n_active=1)
