"""Several devices: sums that travel, layers that are shared out, clocks that keep time"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import cycle, product
from operator import eq
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import of_each_kind
from strategies import architectures, mixtures, shared_by
from sympy import Max, Rational, S, Symbol, floor, sqrt

import symbolic_llm
from reference_engine.attention.compressed import Compression
from reference_engine.attention.latent import Latent
from reference_engine.config import Config
from reference_engine.formats import F64
from reference_engine.ledger import Ledger
from reference_engine.memory import Machine, OffChip, OutOfMemory
from reference_engine.model import Decoder, drawn
from reference_engine.parallel import DataParallelAttention, Link, Ring, TensorParallel
from reference_engine.parallel.experts import exchange
from reference_engine.parallel.stages import enter_slots
from reference_engine.parallel.stages import run as schedule
from reference_engine.probes.counts import Selection
from reference_engine.probes.ledger_selections import MATRICES
from reference_engine.recurrent.convolution import Convolution
from reference_engine.recurrent.states import States
from reference_engine.slices import parts
from symbolic_llm import Model, evaluate, explain, presets
from symbolic_llm.errors import InvalidValue
from symbolic_llm.expressions.rounding import settled
from symbolic_llm.models.device_weights import COPIED, EVENLY
from symbolic_llm.reports import device_splits
from symbolic_llm.reports.device_splits import Split
from symbolic_llm.reports.device_splits import split as split_of
from symbolic_llm.reports.planning import Plan
from symbolic_llm.reports.report import Report
from symbolic_llm.reports.sizing import Sizing
from symbolic_llm.witness.decoders import model_of

WIDE = {"weights": F64, "cache": F64, "vectors": F64}
LLAMA = {"norm": "rms", "activation": "silu", "gated": True, "positions": "rotary", "tied": False}
DECODERS = {
    "schematic": Config(2, 6, 4, 12, **WIDE, d_model=10, d_ff=12),
    "grouped": Config(2, 12, 4, 12, **WIDE, n_kv_heads=4, d_ff=12, d_model=10, **LLAMA),
    "few keys": Config(2, 12, 4, 12, **WIDE, n_kv_heads=2, d_ff=12, d_model=10, **{**LLAMA, "qk_norm": True}),
    "experts": Config(2, 6, 4, 12, **WIDE, n_kv_heads=3, d_ff=12, d_model=10, n_experts=4, n_active=2, d_expert=8,
                      n_shared=1, **LLAMA),
    "latent": Config(2, 6, 4, 12, **WIDE, d_ff=12, d_model=10, attention=Latent(5, 2, 4), d_value=3, **LLAMA),
    "latent experts": Config(2, 6, 4, 12, **WIDE, d_ff=12, d_model=10, attention=Latent(5, 2, 4), d_value=3,
                             n_experts=4, n_active=2, d_expert=6, n_shared=1, sparse=(False, True), **LLAMA),
    "compressed": Config(3, 6, 4, 12, **WIDE, n_kv_heads=1, d_ff=12, d_model=10, windows=(3,), **LLAMA,
                         attention=Compression(("window", "sparse", "heavy"), 2, 3, 2, 4, 2, 3, 5, 4, 2)),
    "windowed": Config(2, 6, 4, 12, **WIDE, n_kv_heads=3, d_ff=12, d_model=10, windows=(None, 2), **LLAMA),
    "narrow": Config(2, 6, 4, 12, **WIDE, n_kv_heads=3, d_value=3, d_ff=12, d_model=10, windows=(None, 2), sinks=True,
                     windowed_sinks=True, attention_gate=True, **LLAMA),
}  # fmt: skip
CUT_UP = DECODERS | {  # by layers, and not by sequences
    "convolutions": Config(2, 6, 4, 12, **WIDE, n_kv_heads=3, d_ff=12, d_model=10,
                           states=Convolution(12, 3, biases=True, blocks=(True, False)), **LLAMA),
}  # fmt: skip


def a_ring(devices: int, link: Link | None = None) -> Ring:
    return Ring([Ledger() for _ in range(devices)], F64, link)


@pytest.mark.parametrize("devices", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("size", [1, 4, 15, 40])
def test_every_device_gets_the_sum_and_sends_what_a_ring_sends(devices: int, size: int) -> None:
    ring, random = a_ring(devices), np.random.default_rng(devices)
    arrays = [random.integers(-(2**40), 2**40, (size, 2)).astype(float) for _ in range(devices)]
    before = [array.copy() for array in arrays]
    sums = ring.all_reduce(arrays)
    assert all((one == sum(before)).all() for one in sums)
    assert all((one == other).all() for one, other in zip(arrays, before, strict=True))
    sent = [ledger.total("sent") for ledger in ring.ledgers]
    assert sum(sent) == 2 * (devices - 1) * size * 2 * 8
    assert {ledger.total("messages") for ledger in ring.ledgers} == {2 * (devices - 1)}
    if size * 2 % devices == 0:
        assert len(set(sent)) == 1


@pytest.mark.parametrize("devices", [2, 3, 7])
def test_clocks_stand_where_the_last_message_has_arrived(devices: int) -> None:
    ring = a_ring(devices, Link(Fraction(1, 3), 16))
    ring.all_reduce([np.ones(2 * devices)] * devices)
    assert ring.clocks == [2 * (devices - 1) * (Fraction(1, 3) + 1)] * devices == ring.busy


def test_a_device_that_is_late_is_waited_for() -> None:
    ring = a_ring(3, Link(1, 8))
    ring.clocks[1] = 10
    ring.all_reduce([np.ones(3)] * 3)
    assert min(ring.clocks) == max(ring.clocks) == 18 > max(ring.busy)


def test_parts_are_as_even_as_can_be() -> None:
    for total in range(1, 20):
        for number in range(1, 9):
            lengths = [part.stop - part.start for part in parts(total, number)]
            assert sum(lengths) == total
            assert max(lengths) - min(lengths) <= 1
            assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("devices", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("name", list(CUT_UP))
def test_shared_out_decoders_give_the_same_logits(name: str, devices: int) -> None:
    config = CUT_UP[name]
    numbers = dict(drawn(config))
    one, shared = Decoder(config), TensorParallel(config, devices, numbers=numbers)
    one.start(3, 4)
    shared.start(3, 4)
    for step in range(4):
        tokens = np.array([1, 5, 2]) + step
        theirs = np.concatenate(shared.decode(tokens), axis=-1)
        np.testing.assert_allclose(theirs, one.decode(tokens), rtol=1e-9, atol=1e-12)
    assert sum(share.ledger.matmul_flops("blocks.*.mlp.*p") for share in shared.shares) == one.ledger.matmul_flops(
        "blocks.*.mlp.*p"
    )
    held = sum(share.ledger.footprint("cache.*") for share in shared.shares)
    copies = devices if isinstance(config.attention, Latent) else max(1, Fraction(devices, config.n_kv_heads))
    assert held == one.ledger.footprint("cache.*") * copies


@given(st.one_of(mixtures(), architectures()), st.integers(1, 4), st.integers(1, 5))
def test_any_mixture_of_blocks_is_shared_out(config: Config, devices: int, context: int) -> None:
    """A prompt and a token after it, on devices that share heads of all kinds, states, indexes and compressed runs."""
    states = replace(config.states, format=F64) if isinstance(config.states, States) else config.states
    sizes = {name: max(getattr(config, name), devices) for name in ("n_vocab", "n_vocab_block", "d_ff", "d_expert")}
    config = replace(config, **WIDE, **sizes, d_shared=0, joint_norms=False, states=states)
    numbers = dict(drawn(config))
    shared = shared_by(devices, config, numbers=numbers)
    one = Decoder(config, weights=held(numbers, config))
    tokens = np.arange(2 * context).reshape(2, context) % config.n_vocab
    theirs = np.concatenate(shared.prefill(tokens, context + 1), axis=-1)
    np.testing.assert_allclose(theirs, one.prefill(tokens, context + 1), rtol=1e-7, atol=1e-9)
    theirs = np.concatenate(shared.decode(tokens[:, 0]), axis=-1)
    np.testing.assert_allclose(theirs, one.decode(tokens[:, 0]), rtol=1e-7, atol=1e-9)


def held(numbers: dict[str, Any], config: Config) -> dict[str, OffChip]:
    """Whole weights as a decoder holds them."""
    machine = Machine()
    return {name: machine.allocate(one, config.stored(name)) for name, one in numbers.items()}


@pytest.mark.parametrize("kind", [TensorParallel, DataParallelAttention])
@pytest.mark.parametrize("devices", [1, 2, 3, 6])
@pytest.mark.parametrize("name", list(DECODERS))
def test_a_prompt_on_several_devices_gives_the_same_logits(name: str, devices: int, kind: type[TensorParallel]) -> None:
    """Of every position, and of a token after it; bytes grow with the tokens, and messages are as many as for one."""
    config, tokens = DECODERS[name], np.arange(6 * 3).reshape(6, 3) % 11
    one, shared, short = Decoder(config), *(kind(config, devices, numbers=dict(drawn(config))) for _ in range(2))
    theirs = np.concatenate(shared.prefill(tokens, 4), axis=-1)
    np.testing.assert_allclose(theirs, one.prefill(tokens, 4), rtol=1e-9, atol=1e-12)
    last = np.concatenate(kind(config, devices, numbers=dict(drawn(config))).prefill(tokens, logits=1), axis=-1)
    np.testing.assert_allclose(last, theirs[:, -1:], rtol=1e-9, atol=1e-12)
    short.prefill(tokens[:, :1])
    for what, times in (("sent", 3), ("messages", 1)):
        of_three, of_one = (sum(share.ledger.total(what) for share in made.shares) for made in (shared, short))
        assert of_three == times * of_one
    after = np.concatenate(shared.decode(tokens[:, 1]), axis=-1)
    np.testing.assert_allclose(after, one.decode(tokens[:, 1]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("devices", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("name", list(DECODERS))
def test_attention_by_sequences_gives_the_same_logits(name: str, devices: int) -> None:
    """And keeps no more of the caches than one device does, and sends half of what sharing attention sends."""
    config = DECODERS[name]
    numbers = dict(drawn(config))
    one, shared = Decoder(config), DataParallelAttention(config, devices, numbers=numbers)
    one.start(7, 3)
    shared.start(7, 3)
    for step in range(3):
        tokens = np.arange(7) + step
        theirs = np.concatenate(shared.decode(tokens), axis=-1)
        np.testing.assert_allclose(theirs, one.decode(tokens), rtol=1e-9, atol=1e-12)
    held = [share.ledger.footprint("cache.*") for share in shared.shares]
    assert sum(held) == one.ledger.footprint("cache.*")
    assert max(held) * 7 == -(-7 // devices) * sum(held)  # whose most sequences they are
    sent = sum(share.ledger.total("sent", "blocks.*") for share in shared.shares)
    assert sent == 3 * config.n_blocks * 2 * (devices - 1) * 7 * config.d_model * 8


def test_a_device_that_adds_up_another_ones_rows_is_noticed() -> None:
    config = DECODERS["grouped"]
    one, shared = Decoder(config), DataParallelAttention(config, 2, numbers=dict(drawn(config)))
    right = shared.ring.reduce_scatter
    shared.ring.reduce_scatter = lambda arrays, rows: right(arrays, rows)[::-1]  # type: ignore[method-assign]
    one.start(2, 1)
    shared.start(2, 1)
    tokens = np.array([1, 3])
    assert not np.allclose(np.concatenate(shared.decode(tokens), axis=-1), one.decode(tokens))


def test_fewer_sequences_than_devices_are_not_shared() -> None:
    with pytest.raises(ValueError, match="3 devices cannot share 2 sequences"):
        DataParallelAttention(DECODERS["grouped"], 3).start(2, 1)


@pytest.mark.parametrize("devices", [2, 8, 64])
def test_latent_attention_by_sequences_reads_less_from_a_batch_that_devices_do_not_move(devices: int) -> None:
    """By hand: the matrices of DeepSeek-V3's heads, over what a sequence of 4,096 tokens keeps in a block."""
    heads = 1536 * 128 * (128 + 64) + 512 * 128 * (128 + 128) + 128 * 128 * 7168
    said = evaluate(
        "data_parallel_crossover", model="deepseek-v3", dtype="fp8", weights="fp8", N=4096, n_tensor=devices
    )
    assert said == float(Fraction(heads, 4096 * (512 + 64)))


def test_a_share_that_lost_its_summand_is_noticed() -> None:
    config = DECODERS["grouped"]
    one, shared = Decoder(config), TensorParallel(config, 2, numbers=dict(drawn(config)))
    shared.ring.all_reduce = lambda arrays: [arrays[0]] * 2  # type: ignore[method-assign]
    one.start(1, 1)
    shared.start(1, 1)
    tokens = np.array([1])
    assert not np.allclose(np.concatenate(shared.decode(tokens), axis=-1), one.decode(tokens))


@pytest.mark.parametrize("devices", [1, 2, 4])
@pytest.mark.parametrize("how", [{}, {"n_shared": 1}, {"n_shared": 1, "shared_gate": True}, {"sparse": (True, False)}])
def test_what_devices_have_of_a_model_with_experts(how: dict[str, Any], devices: int) -> None:
    """The engine's own decoder as a model: routers and gates of shared experts are whole on every device.

    What it holds, what a token is multiplied with, and what a batch reads that is sent to all experts there are.
    """
    experts = {"n_experts": 6, "n_active": 2, "d_expert": 8, **how}
    config = Config(2, 12, 4, 12, **WIDE, n_kv_heads=2, d_ff=12, d_model=10, **experts, **LLAMA)
    model = model_of(config, "own")

    def said(name: str, **letters: Any) -> Fraction:
        return Fraction(explain(name, model=model, n_tensor=devices, **letters).exact)

    def done(what: str, batch: int) -> Fraction:
        shared = TensorParallel(config, devices, route=lambda tokens: np.arange(2 * tokens).reshape(tokens, 2) % 6)
        shared.start(batch, 1)
        shared.decode(np.zeros(batch, int))
        loaded = Selection(what, (*MATRICES, "*.shared_gate"))
        return Fraction(sum(sum(loaded.of(share.ledger)) for share in shared.shares), devices)

    held = sum(share.ledger.footprint("weights.*") for share in TensorParallel(config, devices).shares)
    of_all = explain("all_expert_weights_read", model=model).exact
    assert said("P_held") == Fraction(held, 8 * devices)
    assert said("P_device") == done("loaded", 1) / 8
    assert said("weights_read_per_device", P_read=of_all) == done("loaded", 3) / 8


@pytest.mark.parametrize("name", ["grouped", "few keys"])
def test_no_device_takes_more_than_its_memory(name: str) -> None:
    """With a byte less than the fullest needs its weights do not fit."""
    config = DECODERS[name]
    held = max(share.ledger.footprint() for share in TensorParallel(config, 4).shares)
    TensorParallel(config, 4, memory=held)
    with pytest.raises(OutOfMemory):
        TensorParallel(config, 4, memory=held - 1)


@pytest.mark.parametrize("memory", [40, 61, 100])
@pytest.mark.parametrize("stages", [2, 3])
def test_no_way_to_deal_out_stages_holds_more(stages: int, memory: int) -> None:
    """Whole blocks, embedding and output matrix on stages of one device each: all ways are tried.

    Where some way fills all stages equally, it holds as many as the formula says.
    """
    block, end, token = 9, 6, 2  # weights of a byte, and bytes of a block's cache for a sequence of one token
    most, even = -1, False
    for first in product(range(1, 5), repeat=stages - 1):
        blocks = (*first, 6 - sum(first))
        for at in product(range(stages), repeat=2) if blocks[-1] > 0 else ():
            held = [n * block + at.count(stage) * end for stage, n in enumerate(blocks)]
            most = max(most, min((memory - w) // (n * token) for w, n in zip(held, blocks, strict=True)))
            even |= len(set(held)) == 1
    weights, shapes = 6 * block + 2 * end, {"n_tensor": 1, "n_kv_heads": 1, "n_stages": stages, "N": 1, "M": memory}
    counts = {"P": weights, "P_total": weights, "n_bytes": 1, "m_token": 6 * token, "n_blocks": 6, "d_model": 1}
    said = evaluate("sequences_on_devices", **shapes, **counts, d_head=1)
    assert most <= said
    assert most == said or not even
    assert even == (stages == 2)


@pytest.mark.parametrize(("devices", "how"), [(0, {}), (7, {}), (13, {}), (2, {"joint_norms": True})])
def test_what_cannot_be_shared_out_is_refused(devices: int, how: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="cannot"):
        TensorParallel(Config(1, 6, 2, 12, d_ff=12, **WIDE, **how), devices)  # type: ignore[arg-type]


# Stages and experts


@pytest.mark.parametrize("stages", [1, 2, 5])
@pytest.mark.parametrize("batches", [1, 3, 8])
def test_micro_batches_come_through_all_stages_in_order(stages: int, batches: int) -> None:
    matrices = [np.random.default_rng(stage).standard_normal((4, 4)) for stage in range(stages)]
    inputs = [np.full(4, float(number)) for number in range(batches)]
    done = schedule([matrix.__matmul__ for matrix in matrices], inputs, 3, Fraction(1, 2))
    whole = reduce(lambda one, other: other @ one, matrices)
    for number, x in enumerate(inputs):
        np.testing.assert_allclose(done.made[number], whole @ x, rtol=1e-12)
    assert done.end == (batches + stages - 1) * 3 + (stages - 1) * Fraction(1, 2)
    assert done.busy == [3 * batches] * stages
    assert done.handed_on == batches * (stages - 1)


@given(st.lists(st.fractions(0, 9, max_denominator=8), min_size=1, max_size=6), st.fractions(0, 3, max_denominator=8))
def test_one_micro_batch_takes_the_mean_time_in_each_stage(works: list[Fraction], hop: Fraction) -> None:
    """However blocks are dealt out: so a split into unlike stages has a time. Of several, the slowest stage decides."""
    alone, two = (schedule([abs] * len(works), [1] * batches, works, hop) for batches in (1, 2))
    at = {"n_micro": 1, "n_stages": len(works), "T_stage": sum(works) / len(works), "T_hop": hop}
    if sum(works) and hop:
        assert explain("pipeline_time", **at).exact == alone.end
    assert alone.end == sum(works) + (len(works) - 1) * hop
    assert two.end == alone.end + max(works)


def test_unlike_stages_share_a_decoder_too() -> None:
    """61 blocks in two stages, of 31 and 30: both together have and take what two equal ones would."""
    odd, even = (Sizing(name, "h200-sxm", dtype="fp8", tensor=8, pipeline=2) for name in ("deepseek-v3", "llama-3-70b"))
    notes = {row.key: row.note for row in odd.rows if row.section == str(Split(8, 2, 1))}
    assert notes["device_held"].endswith("all 2 stages together, of at most 31 blocks each")
    assert not any("at most" in row.note for row in even.rows)
    alone = Sizing("deepseek-v3", "h200-sxm", dtype="fp8", tensor=8)
    found, whole = ({row.key: row.value for row in one.rows} for one in (odd, alone))
    assert found["device_held"] == whole["device_held"]
    assert found["pipeline_time"] == whole["devices_time_by_parts"] + found["hop_time"]  # type: ignore[operator]


@pytest.mark.parametrize("stages", [1, 2, 5])
@pytest.mark.parametrize("batches", [1, 3, 8])
def test_slots_are_those_of_stages_that_take_one_each(stages: int, batches: int) -> None:
    """Entries in slots are what a run with as many stages comes to, whose way takes no time."""
    ledger, done = Ledger(), schedule([abs] * stages, [1] * batches, 1, 0)
    enter_slots(ledger, stages, batches)
    assert ledger.total("flops", "stages.busy") == sum(done.busy)
    assert ledger.total("flops", "stages.idle") == sum(done.idle)
    assert ledger.total("messages") == done.handed_on


def test_a_stage_that_is_slow_to_get_its_batch_waits() -> None:
    """The twin: with a longer way the pipeline ends later, and stages wait longer."""
    near, far = (schedule([abs, abs], [1, 2], 1, hop) for hop in (0, 5))
    assert far.end == near.end + 5
    assert sum(far.idle) > sum(near.idle)


@pytest.mark.parametrize("devices", [1, 2, 3, 6])
def test_experts_apart_make_what_experts_at_home_make(devices: int) -> None:
    random, ledger = np.random.default_rng(1), Ledger()
    experts = [random.standard_normal((4, 4)).__matmul__ for _ in range(6)]
    vectors, routes = random.standard_normal((5, 4)), np.array([[0, 3], [1, 2], [5, 4], [0, 1], [2, 3]])
    found = exchange(ledger, vectors, routes, experts, devices)
    for token, chosen in enumerate(routes):
        np.testing.assert_allclose(found[token], sum(experts[e](vectors[token]) for e in chosen), rtol=1e-12)
    crossed = sum(token % devices != e // (6 // devices) for token, chosen in enumerate(routes) for e in chosen)
    assert ledger.total("sent", "there") == ledger.total("sent", "back") == crossed * 4 * 8
    assert ledger.total("messages") == 2 * crossed


# Formulas and figures that are printed elsewhere


def test_what_deepseek_prints_of_its_exchange_comes_out() -> None:
    """The 120.96 µs a block that DeepSeek prints for its exchange come out.

    One byte goes there and two come back, 32 tokens a device to 9 experts each, 7,000 wide, at 50 GB/s.
    DeepSeek takes every expert to be elsewhere; of 320 devices, one in 320 is not.
    """
    bytes_sent = evaluate(
        "all_to_all_bytes", n_moe=1, B=320 * 32, n_active=9, d_model=7000, n_bytes_act=1.5, n_expert_devices=320
    )
    assert bytes_sent == pytest.approx(120.96e-6 * 50e9 * 319 / 320, rel=1e-12)


def test_the_fastest_number_of_devices_is_where_one_more_is_no_longer_sooner() -> None:
    """All numbers up to 200 tried, against the theorem."""
    letters = {"n_blocks": 80, "B": 1, "d_model": 8192, "n_bytes_act": 2, "W_link": "300 GB/s", "T_link": "3 us"}

    def time(t: int) -> float:
        return 0.069 / t + (float(evaluate("all_reduce_time", n_tensor=t, **letters)) if t > 1 else 0)

    fastest = min(range(1, 200), key=time)
    pays = [bool(explain("one_more_device", T_alone="69 ms", n_tensor=t, **letters).exact) for t in range(1, 40)]
    assert pays == [t < fastest for t in range(1, 40)]
    assert 1 < fastest < 40


def test_roundings_of_whole_numbers_are_settled() -> None:
    """Only roundings and maxima whose result holds for all whole numbers are carried out."""
    a, b, c = (Symbol(name, positive=True) for name in "abc")
    always = dict.fromkeys((a, b, c), True).get
    for rounded, expected in (
        (floor((a * b + b - 1) / b), a),
        (floor((a * b + a - 1) / (a * b)), S.One),
        (floor((a + b - 1) / b), floor((a + b - 1) / b)),
        (floor(a + Rational(1, 2)), floor(a + Rational(1, 2))),  # true, but not looked for
        (floor((a * b + b) / b), a + 1),
        (Max(1, a), a),
        (Max(1, 1 / a), S.One),
        (Max(a, b), Max(a, b)),
        (Max(a, a * b, c), Max(a * b, c)),
        # what is no polynomial stays as it is
        *((one, one) for one in (floor(2**a / b), floor(a / 2**b), floor(sqrt(a) / b), floor(a / sqrt(b)))),
        *((one, one) for one in (floor(floor(a / b) / c), Max(a, 2**b), Max(a, sqrt(b)))),
    ):
        assert settled(rounded, always) == expected
        for values in product((1, 2, 3, 7), repeat=3):
            put = dict(zip((a, b, c), values, strict=True))
            assert rounded.subs(put) == settled(rounded, always).subs(put)
    assert settled(Max(1, a), lambda symbol: False) == Max(1, a)
    assert settled(Max(1, a - 1), always) == Max(1, a - 1)


# The command line


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        ({"devices": 8}, Split(8, 1, 1)),
        ({"tensor": "4"}, Split(4, 1, 1)),
        ({"devices": 16, "tensor": 4, "pipeline": 2}, Split(4, 2, 2)),
        ({"devices": 8, "pipeline": 2}, Split(4, 2, 1)),
        ({}, None),
    ],
)
def test_a_split_is_read(asked: dict[str, object], how: Split | None) -> None:
    assert Sizing("llama-2-70b", **asked).split == how  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"devices": 8, "tensor": 3}, "8 devices cannot be divided into groups of 3"),
        ({"tensor": 24}, "has 64 heads, which tensor parallelism over 24 devices cannot divide evenly"),
        ({"tensor": 128}, "has 64 heads"),
        ({"pipeline": 81}, "has 80 blocks, too few for 81 pipeline stages"),
        ({"devices": 2, "tensor": 1, "pipeline": 4}, "2 devices cannot be divided into groups of 4"),
        ({"devices": 0}, "devices must be a whole number"),
        ({"tensor": -2}, "tensor must be a whole number"),
        ({"pipeline": 1.5}, "pipeline must be a whole number"),
        ({"devices": True}, "devices must be a whole number"),
        ({"devices": "9" * 5000}, "devices must be a whole number"),
        ({"devices": "eight"}, "but eight was given"),
    ],
)
def test_an_impossible_split_is_one_sentence(asked: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        Sizing("llama-2-70b", **asked)  # type: ignore[arg-type]
    assert why in str(refused.value)
    assert len(str(refused.value)) < 200


def test_all_that_is_dealt_out_has_a_name() -> None:
    """By which a split that leaves some over is refused: here channels of LFM2's convolutions, which are no heads."""
    assert device_splits._CALLED.keys() == {*EVENLY, *COPIED}
    shape = {"hidden_size": 6, "head_dim": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 8}
    mixing = {"num_hidden_layers": 2, "layer_types": ["conv", "full_attention"], "intermediate_size": 8}
    model = Model.from_config({"model_type": "lfm2", "block_auto_adjust_ff_dim": False, **shape, **mixing})
    with pytest.raises(
        InvalidValue,
        match="has 6 channels of convolutions, which tensor parallelism over 4 devices cannot divide evenly",
    ):
        Sizing(model, tensor=4)


def test_rows_of_a_split_are_what_evaluate_gives() -> None:
    found = Sizing("llama-2-70b", "a100-80gb-sxm", batch=16, devices=16, tensor=4, pipeline=2)
    rows = {row.key: row for row in found.rows if row.section == str(Split(4, 2, 2))}
    assert rows.keys() == {
        *("device_kv_heads", "device_kv_bytes", "device_weights", "all_reduce_bytes", "all_reduce_time"),
        *(
            "device_held",
            "devices_batch",
            "devices_time_by_parts",
            "devices_time",
            "devices_throughput",
            "devices_prefill_time_by_parts",
            "devices_prefill_time",
            "hop_time",
            "pipeline_time",
            "bubble",
        ),
    }
    for row in rows.values():
        given = {"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", **row.letters}
        assert evaluate(row.formula, **given) == pytest.approx(float(row.value or 0), rel=1e-12)
    assert rows["device_kv_heads"].value == 2
    assert rows["all_reduce_bytes"].letters["B"] == 8  # the other half of the batch is elsewhere
    assert found.data()["devices"] == {"tensor": 4, "pipeline": 2, "data": 2}


SPLITS = ({"tensor": 2}, {"devices": 8}, {"tensor": 2, "pipeline": 3}, {"devices": 4, "tensor": 1, "pipeline": 2})


def shared_evenly(name: str, how: dict[str, int]) -> bool:
    """Whether a model can be shared so."""
    with suppress(InvalidValue):
        return split_of(presets.model(name), *map(how.get, ("devices", "tensor", "pipeline"))) is not None
    return False


def by_hand_on(name: str, how: Split, law: str, tokens: int, **load: Any) -> Fraction:
    """Seconds of a pass: a formula's, and the time in which each stage but the last sends its tokens on."""
    asked: dict[str, Any] = {"model": name, "hardware": "h200-sxm", "dtype": "fp16"}
    hop = explain("hop_time", **asked, B=tokens).exact if how.pipeline > 1 else 0
    return Fraction(explain(law, **asked, n_tensor=how.tensor, **load).exact) + (how.pipeline - 1) * Fraction(hop)


@pytest.mark.parametrize(("name", "how"), [*zip(of_each_kind(), cycle(SPLITS), strict=False)], ids=str)
def test_devices_serve_a_request_and_a_target(name: str, how: dict[str, int]) -> None:
    """First token, steps one by one, all of them, and what is held; the batch in time, and no batch with one more."""
    if not shared_evenly(name, how):
        with pytest.raises(InvalidValue):
            Sizing(name, "h200-sxm", prompt=300, new=3, **how)  # type: ignore[arg-type]
        return
    given: dict[str, Any] = {"batch": 5, "prompt": 300, "new": 3, "cached": 100, "context": 2000, **how}
    found = Sizing(name, "h200-sxm", tpot="40 ms", **given)
    rows, split = {row.key: row for row in found.rows}, found.split
    assert split is not None
    each = -(-5 // split.data)
    step, prefill = "separate_tensor_parallel_latency", "separate_tensor_parallel_prefill_time"
    letters = found.counted({"N": Fraction(300), "B": Fraction(each), **split.letters})
    del letters["n_tensor"]
    first = by_hand_on(name, split, prefill, 300 * each, **letters)
    steps = sum(by_hand_on(name, split, step, each, N=300 + i, B=each) for i in (1, 2, 3))
    assert rows["time_to_first_token"].value == first
    assert rows["time_per_output_token"].value == steps / 3
    assert rows["request_time"].value == first + steps
    assert rows["time_to_first_token_cached"].value
    asked: dict[str, Any] = {"model": name, "dtype": "fp16", "n_tensor": split.tensor, "B": each}
    assert rows["request_held"].value == explain("footprint_per_device", **asked, N=303).exact
    done = rows["sequences_done_in_time"].value
    if done is None:
        assert by_hand_on(name, split, step, 1, N=2000, B=1) > Fraction("0.04")
    else:
        in_time = [
            by_hand_on(name, split, step, int(b), N=2000, B=int(b)) <= Fraction("0.04") for b in (done, done + 1)
        ]
        assert in_time == [True, False]
        least = rows["largest_batch_within_target"].value, rows["sequences_that_fit"].value
        assert least[1] is None or least[0] == min(done, least[1])


def test_a_way_between_stages_that_takes_no_time_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""
    asked: dict[str, Any] = {"tensor": 2, "pipeline": 4, "prompt": 300, "new": 3}
    keys = "time_to_first_token", "time_per_output_token", "request_time"

    def times() -> list[Fraction | None]:
        rows = {row.key: row.value for row in Sizing("llama-3-70b", "h200-sxm", **asked).rows}
        return [rows[key] for key in keys]

    before = times()
    monkeypatch.setattr(Report, "handed_on", lambda report, tokens: Fraction(0))
    assert not any(map(eq, before, times()))


@pytest.mark.parametrize("name", ["llama-3-70b", "mixtral-8x7b", "deepseek-v3"])
def test_a_plan_and_a_sizing_say_the_same_of_devices(name: str) -> None:
    """The first token of one prompt, and the batch that meets a target at the end of an answer."""
    plan = Plan(name, prompt=1000, output=200, tpot="60 ms", hardware=("h200-sxm",), serving="apart", devices=16)
    choice = plan.choices[0]
    assert choice.tensor > 1
    asked: dict[str, Any] = {"tensor": choice.tensor, "prompt": 1000, "new": 200, "context": 1200, "tpot": "60 ms"}
    rows = {row.key: row.value for row in Sizing(name, "h200-sxm", **asked).rows}
    assert rows["time_to_first_token"] == choice["first token"]
    assert rows["sequences_that_fit"] == choice["fits"]
    assert rows["largest_batch_within_target"] == choice["batch"]


def test_a_batch_of_one_group_is_not_said_to_be_of_all() -> None:
    """A batch is said to be that of each group exactly where there are several, in every way in which they share."""
    for tensor, pipeline, data in product((1, 2), repeat=3):
        how: dict[str, Any] = {"devices": tensor * pipeline * data, "tensor": tensor, "pipeline": pipeline}
        rows = Sizing("llama-2-7b", "a100-80gb-sxm", batch=16, **how).rows
        found = ["per group" in row.note for row in rows if row.key == "devices_batch"]
        assert found == [data > 1], how


@pytest.mark.parametrize(("devices", "batch"), [(2, 1), (2, 64), (8, 1), (8, 64), (16, 64)])
def test_mixtral_on_h100s_by_hand(devices: int, batch: int) -> None:
    """Bytes and operations of each device, in fp16 at a context of 4,096; routers whole, keys and values by heads."""
    heads, others = 2 * 4096 * 1024 * max(Fraction(1, devices), Fraction(1, 8)), Fraction(2 * 4096 * 4096, devices)
    expert = Fraction(3 * 4096 * 14336, devices)
    distinct = 8 * (1 - Fraction(3, 4) ** batch)
    multiplied = 32 * (heads + others + 8 * 4096 + 2 * expert) + Fraction(32000 * 4096, devices)
    read = multiplied + 32 * (distinct - 2) * expert
    cache = 4096 * 32 * 2 * 128 * 2 * max(1, Fraction(8, devices))
    of_memory = (read * 2 + batch * cache) / 3350 / 10**9
    of_arithmetic = batch * (2 * multiplied + 32 * 32 * 4 * 128 * 4096 / Fraction(devices)) / Fraction("989.4e12")
    given = {"model": "mixtral-8x7b", "hardware": "h100-sxm", "dtype": "fp16", "n_tensor": devices, "B": batch}
    assert explain("P_device", model="mixtral-8x7b", n_tensor=devices).exact == multiplied
    assert explain("weights_read_per_device", model="mixtral-8x7b", n_tensor=devices, B=batch).exact == read
    sent = explain("all_reduce_time", **given).exact
    assert explain("tensor_parallel_latency", N=4096, **given).exact == max(of_memory, of_arithmetic) + sent


@pytest.mark.parametrize(("devices", "batch"), [(2, 1), (8, 64), (64, 300)])
def test_deepseek_v3_on_h200s_by_hand(devices: int, batch: int) -> None:
    """In fp8, cache in fp16, at a context of 4,096: what leads down and the routers are whole, and so is the cache."""
    width, heads, latent, rotated, wide, query, blocks, sparse = 7168, 128, 512, 64, 128, 1536, 61, 58
    whole = blocks * width * (latent + rotated + query) + sparse * 256 * width
    up = query * (wide + rotated) + latent * (wide + wide) + wide * width
    expert = 3 * width * 2048
    shared = blocks * heads * up + (blocks - sparse) * 3 * width * 18432 + sparse * 9 * expert + 129280 * width
    multiplied = whole + Fraction(shared, devices)
    used = 256 * (1 - Fraction(31, 32) ** batch)
    read = multiplied + sparse * (used - 8) * Fraction(expert, devices)
    of_memory = (read + batch * 4096 * blocks * (latent + rotated) * 2) / 4800 / 10**9
    attended = Fraction(4096 * blocks * heads * 2 * (2 * latent + rotated), devices)
    of_arithmetic = batch * (2 * multiplied + attended) / Fraction("989.4e12")
    given = {"model": "deepseek-v3", "hardware": "h200-sxm", "dtype": "fp16", "n_tensor": devices, "B": batch}
    assert explain("P_device", model="deepseek-v3", n_tensor=devices).exact == multiplied
    assert explain("weights_read_per_device", model="deepseek-v3", n_tensor=devices, B=batch).exact == read
    sent = explain("all_reduce_time", **given).exact
    said = explain("tensor_parallel_latency", N=4096, weights="fp8", **given).exact
    assert said == max(of_memory, of_arithmetic) + sent


@pytest.mark.parametrize("name", ["latent", "latent experts"])
@pytest.mark.parametrize("devices", [1, 2, 3])
def test_what_devices_have_of_latent_attention(name: str, devices: int) -> None:
    """The engine's own decoder as a model: the way down is whole on every device, with compressed queries too."""
    config = DECODERS[name]
    model = model_of(config, "own")
    shared = TensorParallel(config, devices)
    held = sum(share.ledger.footprint("weights.*") for share in shared.shares)
    assert explain("P_held", model=model, n_tensor=devices).exact == Fraction(held, 8 * devices)
    shared.start(1, 1)
    shared.decode(np.zeros(1, int))
    loaded = sum(sum(Selection("loaded", MATRICES).of(share.ledger)) for share in shared.shares)
    assert explain("P_device", model=model, n_tensor=devices).exact == Fraction(loaded, 8 * devices)


def divides(model: str, tensor: int) -> bool:
    """Whether so many devices can share it evenly."""
    with suppress(InvalidValue):
        return split_of(presets.model(model), None, tensor, None) is not None
    return False


@pytest.mark.parametrize("model", of_each_kind())
def test_every_model_has_every_row_on_several_devices(model: str) -> None:
    """No row of a split is left out for the kind of its blocks; where none is asked, devices cannot share it evenly."""
    even = [tensor for tensor in (2, 4, 8) if divides(model, tensor)]
    if not even:
        one_group = presets.model(model).letters.get("n_state_groups") == 1
        assert one_group or model in ("gpt2-xl", "falcon-7b"), "25 heads, and 71"
        return
    sizing = Sizing(model, "b200-sxm", tensor=even[-1], context=4096, batch=4)
    split = [row for row in sizing.rows if row.section == str(Split(even[-1]))]
    assert {row.key for row in split} >= {"device_weights", "device_held", "devices_time", "devices_prefill_time"}
    assert all(row.value is not None or "do not fit" in row.note for row in split)


def test_gemma_4_on_four_devices_by_hand() -> None:
    """Heads of two kinds: of 8 key/value heads each device has two, of 2 each has a copy; and three sums in a block."""
    model = presets.model("gemma-4-26b-a4b")
    d, heads, of_all, of_window = 2816, 16, (2, 512), (8, 256)
    n_full, n_window = model.letters["n_global"], model.letters["n_local"]
    in_window, in_all = (heads // 4 * 2 + 2 * 2) * of_window[1] * d, (heads // 4 * 2 + 1) * of_all[1] * d
    beside = 30 * (128 * d + (3 * d * model.letters["d_ff"] + 8 * 3 * d * model.letters["d_expert"]) // 4)
    assert explain("P_device", model=model, n_tensor=4).exact == (
        n_window * in_window + n_full * in_all + beside + 262144 * d // 4
    )
    kept = n_window * 2 * 2 * of_window[1] + n_full * 2 * 1 * of_all[1]
    assert explain("m_device", model=model, n_tensor=4, cache="fp16").exact == 2 * kept
    assert explain("n_reduces", model=model).exact == 3 * 30


@pytest.mark.parametrize("devices", [8, 16])
def test_more_devices_than_a_node_has_are_said_to_be_that(devices: int) -> None:
    """In every answer with the link of a preset, which is one within a node; a link that is given is what it is."""
    said = f"{devices} devices are timed as if in one node, with its link of 450 GB/s"
    on: dict[str, Any] = {"hardware": "h100-sxm", "dtype": "fp16"}
    splits: list[dict[str, int]] = [{"devices": devices}, {"tensor": devices // 2, "pipeline": 2}]
    answers = [
        *(symbolic_llm.model("llama-3-8b", **on, **how, per_op=one) for how in splits for one in (False, True)),
        explain("all_reduce_time", model="llama-3-8b", B=1, n_tensor=devices, **on),
        symbolic_llm.sweep("all_reduce_time", model="llama-3-8b", B=1, n_tensor=[2, devices], **on),
    ]
    assert [said in repr(one) for one in answers] == [devices > 8] * len(answers)
    assert [said in one._repr_html_() for one in answers] == [devices > 8] * len(answers)
    given = [
        symbolic_llm.model("llama-3-8b", **on, devices=devices, W_link="50 GB/s"),
        explain("all_reduce_time", model="llama-3-8b", B=1, n_tensor=devices, W_link="50 GB/s", **on),
        explain("cache_bytes_per_device", model="llama-3-8b", n_tensor=devices, **on),
        symbolic_llm.model("llama-3-8b", **on, devices=2 * devices, tensor=2),
    ]
    assert not [repr(one) for one in given if "in one node" in repr(one)]


def test_a_plan_says_it_of_the_devices_that_it_names() -> None:
    """Of a model that no eight of them hold."""
    plan = Plan("deepseek-v3", prompt=1000, output=100, devices=16, hardware=("h100-sxm",))
    assert [one.tensor for one in plan.choices] == [16]
    assert "h100-sxm: 16 devices are timed as if in one node" in repr(plan)
    assert str(plan.data()["choices"][0]["remark"]).startswith("16 devices are timed as if in one node")
