"""Several devices: sums that travel, layers that are shared out, clocks that keep time"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from reference_engine.config import Config
from reference_engine.formats import F64
from reference_engine.ledger import Ledger
from reference_engine.model import Decoder
from reference_engine.parallel import Link, Ring, TensorParallel
from reference_engine.parallel.ring import parts
from reference_engine.parallel.tensor import whole_numbers

WIDE = {"weights": F64, "cache": F64, "vectors": F64}
LLAMA = {"norm": "rms", "activation": "silu", "gated": True, "positions": "rotary", "tied": False}
DECODERS = {
    "schematic": Config(2, 6, 4, 12, **WIDE, d_model=10, d_ff=12),
    "grouped": Config(2, 12, 4, 12, **WIDE, n_kv_heads=4, d_ff=12, d_model=10, **LLAMA),
    "few keys": Config(2, 12, 4, 12, **WIDE, n_kv_heads=2, d_ff=12, d_model=10, **{**LLAMA, "qk_norm": True}),
    "experts": Config(2, 6, 4, 12, **WIDE, n_kv_heads=3, d_ff=12, d_model=10, n_experts=4, n_active=2, d_expert=8,
                      n_shared=1, **LLAMA),
    "latent": Config(2, 6, 4, 12, **WIDE, d_ff=12, d_model=10, kv_rank=5, d_rope=2, d_value=3, q_rank=4, **LLAMA),
    "windowed": Config(2, 6, 4, 12, **WIDE, n_kv_heads=3, d_ff=12, d_model=10, windows=(None, 2), **LLAMA),
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
@pytest.mark.parametrize("name", list(DECODERS))
def test_shared_out_decoders_give_the_same_logits(name: str, devices: int) -> None:
    config = DECODERS[name]
    numbers = whole_numbers(config)
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
    copies = devices if config.kv_rank else max(1, Fraction(devices, config.n_kv_heads))
    assert held == one.ledger.footprint("cache.*") * copies


def test_a_share_that_lost_its_summand_is_noticed() -> None:
    config = DECODERS["grouped"]
    one, shared = Decoder(config), TensorParallel(config, 2, numbers=whole_numbers(config))
    shared.ring.all_reduce = lambda arrays: [arrays[0]] * 2  # type: ignore[method-assign]
    one.start(1, 1)
    shared.start(1, 1)
    tokens = np.array([1])
    assert not np.allclose(np.concatenate(shared.decode(tokens), axis=-1), one.decode(tokens))


@pytest.mark.parametrize(("devices", "how"), [(0, {}), (7, {}), (13, {}), (2, {"biases": ("output",)})])
def test_what_cannot_be_shared_out_is_refused(devices: int, how: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="cannot"):
        TensorParallel(Config(1, 6, 2, 12, d_ff=12, **WIDE, **how), devices)  # type: ignore[arg-type]
