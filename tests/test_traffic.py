"""Traffic of attention: tiles on the chip, prefixes that are shared, groups that share a cache"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from reference_engine import one_head
from reference_engine.formats import Float
from reference_engine.memory import Machine, OffChip
from symbolic_llm import evaluate


def placed(machine: Machine, rows: int, width: int, seed: int) -> OffChip:
    return machine.allocate(np.random.default_rng(seed).standard_normal((rows, width)), Float(64))


@given(
    batch=st.integers(1, 4),
    prefix=st.integers(1, 9),
    own=st.integers(1, 9),
    d=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_a_shared_prefix_gives_the_same_output(batch: int, prefix: int, own: int, d: int, seed: int) -> None:
    """Each sequence on a shared prefix gets its own textbook output, prefix and all; each byte of it crosses once."""
    machine = Machine()
    Q, O = placed(machine, batch, d, seed), placed(machine, batch, d, seed + 1)
    shared = placed(machine, prefix, d, seed + 2), placed(machine, prefix, d, seed + 3)
    pairs = [(placed(machine, own, d, seed + 5 + i), placed(machine, own, d, seed + 50 + i)) for i in range(batch)]
    one_head.shared(machine, Q, shared, pairs, O)
    assert machine.ledger.total("loaded", "prefix") == 2 * 8 * prefix * d
    for row, pair in enumerate(pairs):
        alone = Machine()
        query = alone.allocate(Q.load(slice(row, row + 1)), Float(64))
        K, V = (
            alone.allocate(np.concatenate([common.load(), mine.load()]), Float(64))
            for common, mine in zip(shared, pair, strict=True)
        )
        output = placed(alone, 1, d, 0)
        one_head.textbook(alone, query, K, V, output)
        assert_allclose(O.load(slice(row, row + 1)), output.load(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (4, 2), (2, 8), (16, 16)])
def test_what_tiles_take_of_the_chip(rows: int, columns: int) -> None:
    """In numbers of eight bytes, whatever the length; other tiles take something else."""
    held = {}
    for tokens in (16, 32):
        machine = Machine()
        Q, K, V, O = (placed(machine, tokens, 5, seed) for seed in range(4))
        one_head.tiled(machine, Q, K, V, O, rows=rows, columns=columns)
        held[tokens] = machine.ledger.footprint("chip.*")
    expected = evaluate("tile_bytes", d=5, b_q=rows, b_k=columns, n_bytes_act=8)
    assert held == dict.fromkeys((16, 32), expected)
    assert expected != evaluate("tile_bytes", d=5, b_q=rows + 1, b_k=columns, n_bytes_act=8)


def test_twice_the_chip_is_half_the_traffic() -> None:
    """Θ(N²·d²/M) with its constant of 4, from below, and never off by more than the bound says."""
    shares = []
    for rows in (256, 1024, 4096):
        memory = evaluate("tile_bytes", b_q=rows, b_k=1, d=128, n_bytes_act=2)
        moved = evaluate("tiled_attention_bytes", b_q=rows, d=128, N=2**20, n_bytes_act=2)
        shares.append(Fraction(moved) * memory / (4 * (2**20 * 128 * 2) ** 2))
        assert 1 < shares[-1] < 1 / (1 - (Fraction(rows, 2**20) + Fraction(3, 256) + Fraction(1, 2 * rows)))
    assert all(1 < share < 1.05 for share in shares)


@pytest.mark.parametrize(("N", "d", "columns"), [(24, 4, 2), (48, 8, 4), (36, 6, 1)])
def test_the_chip_from_which_tiling_pays(N: int, d: int, columns: int) -> None:
    """By trial: every tile that divides the sequence, with what it takes of the chip and what it moves."""
    textbook = Machine()
    one_head.textbook(textbook, *(placed(textbook, N, d, seed) for seed in range(4)))
    limit = textbook.ledger.total("loaded") + textbook.ledger.total("stored")
    found = {}
    for rows in (rows for rows in range(1, N + 1) if N % rows == 0):
        machine = Machine()
        Q, K, V, O = (placed(machine, N, d, seed) for seed in range(4))
        one_head.tiled(machine, Q, K, V, O, rows=rows, columns=columns)
        pays = machine.ledger.total("loaded") + machine.ledger.total("stored") < limit
        memory = machine.ledger.footprint("chip.*")
        found[rows] = pays
        assert evaluate("tiling_break_even", N=N, d=d, b_k=columns, n_bytes_act=8, M_tile=memory) is pays
    assert set(found.values()) == {True, False}


def test_groups_and_machines_of_the_articles() -> None:
    """Attention does one operation a byte at 16 bits with own heads, eight for Llama-2-70B's groups of eight."""
    intensity = {name: evaluate("cache_intensity", model=name, dtype="fp16") for name in ("llama-2-7b", "llama-2-70b")}
    assert intensity == {"llama-2-7b": 1, "llama-2-70b": 8}
    assert max(intensity.values()) < evaluate("ridge_point", hardware="h100-sxm", dtype="fp16")
    # DeepSeek's latent attention shares one vector among 128 heads, and comes near the ridge point
    assert 200 < evaluate("cache_intensity", model="deepseek-v3", dtype="fp16") < 256
    # a prefix is read like a weight: at as many sequences as weights of 16 bits are
    machine = {"hardware": "a100-80gb-sxm", "dtype": "fp16"}
    assert evaluate("shared_prefix_crossover", **machine) == evaluate("batch_crossover", **machine)
