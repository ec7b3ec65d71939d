"""Passes of tiny decoders of every kind, in which no two letters of a shape have the same value"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from reference_engine import Config, Decoder, one_head, ops
from reference_engine.altup import Alternating
from reference_engine.attention.compressed import Compression
from reference_engine.attention.index import Index
from reference_engine.attention.latent import Latent
from reference_engine.formats import F16, F32, F64
from reference_engine.ledger import Ledger
from reference_engine.memory import Machine
from reference_engine.model import drawn
from reference_engine.parallel import DataParallelAttention, TensorParallel
from reference_engine.parallel.experts import exchange
from reference_engine.parallel.handover import hand_over
from reference_engine.recurrent.convolution import Convolution
from reference_engine.recurrent.states import States
from reference_engine.routing import Routing
from reference_engine.speculation import speculate
from reference_engine.streams import Streams

_WIDE: dict[str, Any] = {"weights": F64, "cache": F64, "vectors": F64, "d_model": 22, "d_ff": 34}
_LLAMA: dict[str, Any] = _WIDE | {"norm": "rms", "activation": "silu", "gated": True, "positions": "rotary"}
_EXPERTS: dict[str, Any] = {"n_experts": 12, "n_active": 2, "d_expert": 14, "n_shared": 1, "d_shared": 18}
_LATENT: dict[str, Any] = _LLAMA | {"d_value": 10}
_PLAIN: dict[str, Any] = _WIDE | {"norm": "layer", "positions": "learned", "n_positions": 40, "d_embedding": 26}
_GROUPED = Config(2, 6, 8, 46, **_LLAMA, **_EXPERTS, n_kv_heads=2, d_value=10, windows=(None, 4), sinks=True,
                  attention_gate=True, qk_norm=True, value_norms=True, shared_gate=True)  # fmt: skip
_COMPRESSION = Compression(("window", "sparse", "heavy"), 2, 3, 8, 16, 2, 3, 13, 15, 4)
CONFIGS = {
    "plain": Config(2, 6, 4, 46, **_PLAIN, output_bias=True, tied=False, biases=("query", "up")),
    "grouped": _GROUPED,
    "two kinds": Config(3, 6, 8, 46, **_LLAMA, **_EXPERTS, n_kv_heads=3, n_kv_full=2, d_head_full=16, n_sharing=1,
                        keys_as_values=True, windows=(4, None), sharing_width=38, d_block=24, post_norm=True,
                        beside=True),
    "joint": Config(1, 6, 8, 46, **_LLAMA | {"activation": "xielu", "gated": False}, n_kv_heads=3, joint_norms=True,
                    parallel=True, rope_factors=(1.0, 2.0, 3.0, 4.0)),
    "latent": Config(2, 6, 8, 46, **_LATENT, attention=Latent(9, 4, 15, index=Index(11, 16, 3, (True, False)))),
    "expanded": Config(1, 6, 8, 46, **_LATENT, attention=Latent(9, 4, 15, absorbed=False)),
    "heads of latent": Config(1, 6, 8, 46, **_LATENT,
                              attention=Latent(9, 4, 15, absorbed=False, caches_heads=True)),
    "delta": Config(1, 6, 8, 46, **_LLAMA, states=States("delta", 12, 3, 9, 11, 17)),
    "mamba": Config(1, 6, 8, 46, **_LLAMA, states=States("mamba", 12, 3, 9, 11, 17)),
    "convolution": Config(1, 6, 8, 46, **_LLAMA, states=Convolution(13, 17, biases=True)),
    "compressed": Config(3, 6, 10, 46, **_LLAMA, **_EXPERTS, n_kv_heads=1, mlp_limit=7.0,
                         windows=(4,), rope_pairs="neighbours", attention=_COMPRESSION, streams=Streams(4, 2),
                         routing=Routing("root_softplus", 1.5, (True, False))),
    "alternating": Config(1, 6, 8, 46, **_LLAMA, n_kv_heads=3, d_block=24, n_vocab_block=40, sparse_gates=(0.5,),
                          alternating=Alternating(4, 9)),
}  # fmt: skip
BATCH, FIRST, NEXT = 5, 3, 7

Pass = tuple[dict[str, int], Callable[[], Any]]  # the letters that belong to a pass, and what runs it


def passes() -> Iterator[Pass]:
    """A prompt, a chunk and a step of every decoder, alone and on several devices, and what else makes arrays."""
    tokens = np.arange(BATCH * 11).reshape(BATCH, 11) % 46
    for config in CONFIGS.values():
        yield from _three({"B": BATCH}, Decoder(config), tokens)
    for shared in (TensorParallel, DataParallelAttention):
        yield from _three({}, shared(_GROUPED, 2, numbers=dict(drawn(_GROUPED))), tokens)
    yield {"B": 1, "n": 1}, lambda: Decoder(CONFIGS["compressed"]).prefill([1])  # no run is full
    packed = Config(1, 2, 32, 46, cache=F16, vectors=F32, d_model=96, d_ff=160)
    routed = Decoder(_GROUPED, route=lambda rows: np.tile([3, 1], (rows, 1)))
    yield {"B": 1, "n": 2}, lambda: Decoder(packed, machine=Machine(dtype="float32")).prefill([1, 2])
    yield {"B": 1, "n": 3}, lambda: routed.prefill([1, 2, 3])
    yield {}, lambda: ops.product_of_scalars(np.ones((2, 3)), np.ones((3, 4)))
    yield {}, _one_head
    yield {}, _drafts
    yield {}, _handed_over
    yield {}, lambda: exchange(Ledger(), np.ones((6, 5)), np.array([[0, 1]] * 6), [lambda made: 2 * made] * 4, 2)


def _three(letters: dict[str, int], decoder: Any, tokens: Any) -> Iterator[Pass]:
    end = FIRST + NEXT
    yield {**letters, "n": FIRST}, lambda: decoder.prefill(tokens[:, :FIRST], capacity=end + 1, logits=2)
    yield {**letters, "n": NEXT}, lambda: decoder.extend(tokens[:, FIRST:end])
    yield {**letters, "n": 1}, lambda: decoder.decode(tokens[:, end])


def _one_head() -> None:
    machine, random = Machine(), np.random.default_rng(0)

    def matrices(*rows: int) -> Any:
        return tuple(machine.allocate(random.standard_normal((each, 5)), F64) for each in rows)

    Q, K, V, O = matrices(6, 12, 12, 6)
    one_head.textbook(machine, Q, K, V, O, scaled=True, stable=True)
    one_head.tiled(machine, Q, K, V, O, rows=3, columns=4)
    one_head.shared(machine, Q, (K, V), [matrices(7, 7) for _ in range(6)], O)


def _drafts() -> None:
    target, draft = Decoder(CONFIGS["joint"]), Decoder(replace(CONFIGS["joint"], d_ff=30), seed=1)
    speculate(target, draft, [1, 2, 3], 5, 3, np.random.default_rng(0))
    speculate(target, draft, [1, 2, 3], 2, 3)


def _handed_over() -> None:
    sender, receiver = (Decoder(_GROUPED) for _ in range(2))
    sender.prefill([1, 2, 3])
    hand_over(sender, receiver)
