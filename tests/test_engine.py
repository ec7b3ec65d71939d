"""The reference engine: it computes, it counts, and it counts what it computes"""

from __future__ import annotations

import gc
import threading
import weakref
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from reference_engine import (
    Blocks,
    Config,
    Decoder,
    Float,
    Ledger,
    Machine,
    OutOfMemory,
    UnknownOp,
    cores,
    layers,
    one_head,
    ops,
)
from reference_engine.counting_scalars import counted, counting, entered, watched_machine
from reference_engine.formats import F16, Q4_0, Q8_0, Format
from reference_engine.memory import OffChip
from reference_engine.op_costs import RULES
from reference_engine.op_examples import WITNESSED

SMALL = Config(n_blocks=2, n_heads=2, d_head=16, n_vocab=64)
FORMAT = st.sampled_from([Float(16), Float(32), Float(64), Blocks(4, 16, 16), Blocks(4, 8, 32), Blocks(8, 16, 16)])

# Computing


@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from((16, 32)), st.integers(1, 40)),
    formats=st.tuples(FORMAT, FORMAT),
    batch=st.integers(1, 3),
    length=st.integers(2, 9),
    data=st.data(),
)
def test_decode_equals_recompute(
    seed: int, shape: Any, formats: Any, batch: int, length: int, data: st.DataObject
) -> None:
    """Step by step through the cache gives what the whole sequence at once gives."""
    config = Config(*shape, *formats)
    tokens = data.draw(st.lists(st.integers(0, shape[3] - 1), min_size=batch * length, max_size=batch * length))
    prompt = data.draw(st.integers(1, length - 1))
    sequences = np.array(tokens).reshape(batch, length)
    whole = Decoder(config, seed).prefill(sequences)
    decoder = Decoder(config, seed)
    parts = [decoder.prefill(sequences[:, :prompt], capacity=length)]
    parts += [decoder.decode(sequences[:, i])[:, None] for i in range(prompt, length)]
    assert_allclose(np.concatenate(parts, axis=1), whole, rtol=1e-9, atol=1e-9)


def test_the_past_matters() -> None:
    """The twin of the test above: another prompt gives other logits, so equality means something."""
    one, other = (Decoder(SMALL).prefill([[first, 2, 3]])[0, -1] for first in (1, 5))
    assert np.abs(one - other).max() > 1e-3


def test_the_future_does_not_matter() -> None:
    """A position's logits do not depend on later tokens."""
    one, other = (Decoder(SMALL).prefill([[1, 2, last]])[0, :2] for last in (3, 50))
    assert_array_equal(one, other)


def test_sequences_of_a_batch_do_not_meet() -> None:
    """Each sequence gets what it would get alone."""
    together = Decoder(SMALL).prefill([[1, 2, 3], [4, 5, 6]])
    assert_allclose(together[1], Decoder(SMALL).prefill([[4, 5, 6]])[0], rtol=1e-12)


def test_same_seed_same_logits_bit_for_bit() -> None:
    """And another seed gives other ones."""
    prompt = [[3, 1, 4, 1, 5]]
    first, again, other = (Decoder(SMALL, seed).prefill(prompt) for seed in (7, 7, 8))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        ([[64]], "run from 0 to 63"),
        ([[-1]], "run from 0"),
        ([[0.5]], "whole numbers"),
        ([[[1]]], "1 or 2 axes"),
        ([[]], "non-empty"),
    ],
)
def test_nonsense_tokens_are_refused(tokens: Any, problem: str) -> None:
    """Before anything is computed or counted."""
    decoder = Decoder(SMALL)
    with pytest.raises(ValueError, match=problem):
        decoder.prefill(tokens)
    assert not decoder.ledger.entries


def test_a_full_cache_is_an_error() -> None:
    """There is no room for a fourth token, and no token for a sequence that does not exist."""
    decoder = Decoder(SMALL)
    decoder.prefill([[1, 2, 3]])
    with pytest.raises(ValueError, match="room for 3 tokens, not for 4"):
        decoder.decode([4])
    with pytest.raises(ValueError, match="2 tokens were given for 1 sequences"):
        decoder.decode([4, 5])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("weights", [Blocks(4, 16, 16), Blocks(5, 32, 16), Blocks(8, 8, 32), Blocks(4, 32, 16, True)])
def test_packed_products_change_nothing(weights: Format, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether matrices are unpacked before they are multiplied or on the way: the same logits, the same ledger.

    Where the chip computes with 64 bits, they always are unpacked.
    """
    seen = []
    for few in (0, 2, 8):  # of six and of two vectors: all unpacked first, those of the step on the way, all on the way
        monkeypatch.setattr(Blocks, "few", few)
        config, machine = Config(2, 2, 16, 64, weights, gated=True, tied=False, biases=("query",)), Machine(dtype=dtype)
        decoder = Decoder(config, machine=machine, growing=True)
        seen.append((decoder, np.hstack([decoder.prefill([[1, 2, 3], [4, 5, 6]])[:, -1], decoder.decode([7, 8])])))
    (before, expected), *others = seen
    for decoder, logits in others:
        assert_allclose(logits, expected, rtol=1e-3, atol=1e-3)
        assert (logits == expected).all() == (dtype == "float64"), "another order of sums, or the same"
        assert decoder.ledger.entries == before.ledger.entries


# Counting operations


@pytest.mark.parametrize("name", WITNESSED)
def test_every_rule_is_what_is_really_done(name: str) -> None:
    """The ledger's entry for every op equals what counting scalars count, one by one."""
    op, shapes = WITNESSED[name]
    ledger, real = entered(op, *shapes)
    assert ledger == real > 0


def test_every_rule_is_covered() -> None:
    """No op of the ledger is left without a justification above."""
    used: set[str] = set()
    for op, shapes in WITNESSED.values():
        ledger = Ledger()
        op(ledger, *(np.ones(shape) for shape in shapes))
        used |= {name for _, name in ledger.entries}
    assert used == RULES.keys() - {"load", "store", "send"}  # which move, and compute nothing


def test_a_wrong_rule_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: with 2mnk − mk instead of 2mnk, ledger and count differ."""
    monkeypatch.setitem(RULES, "matmul", lambda batch, m, n, k: batch * (2 * m * n * k - m * k))
    ledger, real = entered(WITNESSED["matmul"][0], *WITNESSED["matmul"][1])
    assert ledger != real


def test_the_two_conventions_of_a_matrix_product() -> None:
    """2mnk when every sum starts at zero; NumPy's own product of objects starts at the first product: 2mnk − mk."""
    m, n, k = 3, 5, 7
    assert counted(ops.product_of_scalars, (m, n), (n, k)) == 2 * m * n * k
    assert counted(lambda x, y: x @ y, (m, n), (n, k)) == 2 * m * n * k - m * k


def test_the_definition_computes_what_the_library_does() -> None:
    """The product that is counted is the product that is used."""
    random = np.random.default_rng(0)
    x, y = random.standard_normal((3, 5)), random.standard_normal((5, 7))
    assert_allclose(ops.product_of_scalars(x, y), x @ y, rtol=1e-12)


@given(st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 3), st.integers(1, 4)), st.integers(1, 2))
def test_the_whole_model_counts_itself(shape: Any, batch: int) -> None:
    """Run on counting scalars, prefill and decode really do as many operations as the ledger enters."""
    machine, tally = watched_machine()
    decoder = Decoder(Config(*shape, weights=Float(32)), machine=machine)
    decoder.prefill(np.zeros((batch, 2), int), capacity=3)
    assert tally.total() == decoder.ledger.total("flops")
    decoder.decode(np.zeros(batch, int))
    assert tally.total() == decoder.ledger.total("flops")


def test_counting_scalars_count_each_operation() -> None:
    """Counting scalars count one for each operation, under its name."""
    tally: Counter[str] = Counter()
    x, y = counting([2.0, 3.0], tally)
    _ = [
        x + y,
        1 + x,
        x - y,
        1 - x,
        x * y,
        2 * x,
        x / y,
        1 / x,
        x.exp(),
        x.tanh(),
        x.erf(),
        x.sqrt(),
        x < y,
        x <= y,
        x > y,
        x >= y,
    ]
    once = dict.fromkeys(("exp", "tanh", "erf", "sqrt"), 1)
    assert tally == {"add": 2, "subtract": 2, "multiply": 2, "divide": 2, "compare": 4, **once}
    assert "Counting" in repr(x)


def test_an_unknown_op_raises() -> None:
    """A silent zero would be the classic bug."""
    ledger = Ledger()
    with pytest.raises(UnknownOp, match="no rule for 'convolution'"):
        ledger.record("convolution", 3)
    assert not ledger.entries


# Counting bytes


def test_the_ledger_tells_where() -> None:
    """Entries are kept by module path and op, traffic apart from footprint."""
    decoder = Decoder(SMALL)
    decoder.prefill([[1, 2, 3]])
    ledger = decoder.ledger
    d, tokens = SMALL.d_model, 3
    assert ledger.total("flops", "blocks.0.attention.query", "matmul") == 2 * d * d * tokens
    assert ledger.total("flops", "blocks.*.attention.query") == 2 * 2 * d * d * tokens
    assert ledger.total("loaded", "blocks.1.mlp.up") == 4 * d * d * 9 // 16
    assert ledger.total("stored", "*.cache") == 2 * 2 * tokens * d * 2
    assert ledger.footprint("weights.blocks.1.up") == 4 * d * d * 9 // 16
    assert ledger.footprint("cache.*") == 2 * 2 * tokens * d * 2
    assert "blocks.0.attention.scores" in str(ledger)
    held = ledger.footprint()
    ledger.clear()
    assert ledger.total("flops") == ledger.total("loaded") == 0
    assert ledger.footprint() == held


def test_weights_are_read_once_whatever_the_batch() -> None:
    """Every matrix crosses the border once in a step, and so do its bytes."""
    reads = []
    for batch in (1, 5):
        decoder = Decoder(SMALL)
        decoder.start(batch, 1)
        decoder.decode([0] * batch)
        ledger = decoder.ledger
        reads.append(sum(ledger.total("loaded", path) for path in ("*.mlp.*", "*.query", "*.key", "*.value", "output")))
    assert reads[0] == reads[1]


def test_memory_is_limited_and_left_as_it_was() -> None:
    """An array that does not fit is refused before it is held, so memory is left as it was."""
    machine = Machine(capacity=100)
    machine.allocate(np.zeros((1, 10)), Float(64))
    with pytest.raises(OutOfMemory, match="80 of 100 are held"):
        machine.allocate(np.zeros((1, 3)), Float(64))
    assert machine.ledger.footprint() == 80


def test_only_a_store_changes_what_lies_off_chip() -> None:
    """Floats of the chip's width are loaded without a copy, so they are read-only there; a store still writes."""
    stored = Machine().allocate(np.ones((2, 3)), Float(64))
    loaded = stored.load()
    assert np.shares_memory(loaded, stored._packed)
    with pytest.raises(ValueError, match="read-only"):
        loaded[0] = 7.0
    stored.store(np.full((3,), 7.0), 0)
    assert_array_equal(stored.load(), [[7.0] * 3, [1.0] * 3])


@pytest.mark.parametrize(("weights", "pieces"), [(Float(64), 1), (Float(32), 32), (Blocks(4, 32, 16), 32)])
def test_only_what_is_unpacked_comes_in_pieces(weights: Format, pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats of the chip's width take no room beside what lies off-chip, so a matrix of 32 rows is multiplied whole."""
    monkeypatch.setattr(layers, "TILE", 1)
    decoder, taken = Decoder(Config(1, 1, 32, 8, weights)), []
    load = OffChip.load_packed
    monkeypatch.setattr(OffChip, "load_packed", lambda *which: (taken.append(decoder.ledger.path), load(*which))[1])
    decoder.prefill([1, 2])
    assert taken.count("blocks.0.attention.query") == pieces


@pytest.mark.parametrize("weights", [F16, Q8_0, Q4_0], ids=str)
def test_cores_share_a_matrix(weights: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    """On any number of threads: the same bits of the same numbers, and the same ledger, in the same order."""
    monkeypatch.setattr(layers, "TILE", 32)
    used, product = set(), type(weights).product
    watched = lambda *given: (used.add(threading.get_ident()), product(*given))[1]  # noqa: E731
    monkeypatch.setattr(type(weights), "product", watched)

    def run(threads: int) -> tuple[bytes, Any]:
        used.clear()
        monkeypatch.setattr(cores, "cores", lambda: threads)
        config = Config(1, 2, 32, 8, weights, vectors=Float(32))
        decoder = Decoder(config, machine=Machine(dtype="float32"), growing=True)
        decoder.prefill([1])
        logits = decoder.decode(2)
        assert (used == {threading.get_ident()}) == (threads == 1)
        return logits.tobytes(), decoder.ledger.entries

    alone = run(1)
    assert all(run(threads) == alone for threads in (2, 4))


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a thread is raised and stays itself.

    Results keep their order, NumPy's settings hold in all threads, and no thread is left behind.
    """
    monkeypatch.setattr(cores, "cores", lambda: 3)
    before = threading.active_count()
    assert cores.on_cores(lambda piece: piece * piece, range(9)) == [piece * piece for piece in range(9)]
    huge = np.full(3, 1e300)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        cores.on_cores(lambda piece: huge * piece, [1.0, 1e300])
    assert cores.cores() == 3
    assert threading.active_count() == before


def test_a_decoder_is_freed_as_soon_as_nobody_has_it() -> None:
    """Its caches do not refer to it; the twin has a reference of its own and is freed by the collector only."""
    freed = {}
    gc.disable()
    try:
        for kind in ("decoder", "with a reference to itself"):
            decoder = Decoder(SMALL)
            decoder.prefill([[1, 2]])
            if kind != "decoder":
                decoder.machine.to_chip = decoder.prefill
            seen = weakref.ref(decoder)
            del decoder
            freed[kind] = seen() is None
    finally:
        gc.enable()
    assert freed == {"decoder": True, "with a reference to itself": False}


def head(machine: Machine, N: int, d: int, format: Format, seed: int = 0) -> tuple[OffChip, ...]:
    """Q, K, V and room for O."""
    random = np.random.default_rng(seed)
    return tuple(machine.allocate(random.standard_normal((N, d)), format) for _ in range(4))


def test_textbook_attention_line_by_line() -> None:
    """Each line moves what the article says, at two bytes a number."""
    N, d, machine = 6, 5, Machine()
    one_head.textbook(machine, *head(machine, N, d, F16))
    moved = {
        f"line_{line}": (machine.ledger.total("loaded", f"line_{line}"), machine.ledger.total("stored", f"line_{line}"))
        for line in (1, 2, 3)
    }
    assert moved == {
        "line_1": (4 * N * d, 2 * N**2),
        "line_2": (2 * N**2, 2 * N**2),
        "line_3": (2 * N**2 + 2 * N * d, 2 * N * d),
    }
    assert sum(map(sum, moved.values())) == 8 * N**2 + 8 * N * d


@given(
    N=st.integers(1, 24),
    d=st.integers(1, 16),
    rows=st.integers(1, 24),
    columns=st.integers(1, 24),
    seed=st.integers(0, 1000),
)
def test_tiled_attention_gives_the_same_output(N: int, d: int, rows: int, columns: int, seed: int) -> None:
    """For any tiles, whether they divide the sequence or not."""
    outputs = []
    for run in (one_head.textbook, one_head.tiled):
        machine = Machine()
        Q, K, V, O = head(machine, N, d, Float(64), seed)
        tiles = {"rows": rows, "columns": columns} if run is one_head.tiled else {}
        run(machine, Q, K, V, O, **tiles)
        outputs.append(O.load())
    assert_allclose(outputs[1], outputs[0], rtol=1e-9, atol=1e-12)


def test_tiled_attention_moves_fewer_bytes() -> None:
    """Counted, for a long sequence and a usual tile."""
    moved = []
    for run, tiles in ((one_head.textbook, {}), (one_head.tiled, {"rows": 16, "columns": 16})):
        machine = Machine()
        run(machine, *head(machine, 64, 16, F16), **tiles)
        moved.append(machine.ledger.total("loaded") + machine.ledger.total("stored"))
    assert moved == [8 * 64**2 + 8 * 64 * 16, 2 * 2 * 64 * 16 * (1 + 64 // 16)]
    assert moved[1] < moved[0]


def test_the_stable_softmax_survives_large_scores() -> None:
    """And the plain one does not: that is what its two extra operations are for."""
    scores = np.array([[1000.0, 999.0]])
    assert_allclose(ops.stable_softmax(Ledger(), scores).sum(), 1)
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(ops.softmax(Ledger(), scores)).any()


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize(
    "switches",
    [{}, {"n_vocab": 30_000}, {"d_ff": 4000}, {"n_kv_heads": 1, "gated": True, "norm": "rms", "positions": "rotary"}],
)
def test_memory_that_a_prefill_takes(n: int, switches: dict[str, Any]) -> None:
    """About what is traced: at least three quarters and at most twice of what is said beforehand."""
    import tracemalloc

    shapes = {"n_blocks": 2, "n_heads": 4, "d_head": 16, "n_vocab": 50, "weights": Float(32), "cache": Float(32)}
    decoder = Decoder(Config(**{**shapes, **switches}))
    tracemalloc.start()
    decoder.prefill(np.zeros(n, int))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.75 < peak / decoder.memory_for(n) < 2
