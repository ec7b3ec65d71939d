"""Contradictions between shapes and switches of a decoder"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import Config

_SIZES = ("n_blocks", "n_heads", "d_head", "n_vocab", "d_model", "n_kv_heads", "d_ff", "d_expert")
# 0 where they are as in other blocks, or as wide as keys
_LEAST = dict.fromkeys(_SIZES, 1) | {"n_kv_full": 0, "d_head_full": 0, "d_value": 0, "n_sharing": 0, "d_block": 0}
_LEAST |= {"sharing_width": 1, "n_vocab_block": 1}


def contradictions(config: Config) -> Iterator[str]:
    """Conditions that a configuration does not meet, each as a sentence."""
    for name, least in _LEAST.items():
        if not isinstance(size := getattr(config, name), int) or size < least:
            yield f"{name} must be a whole number of at least {least}, not {size!r}"
            return
    lists = (
        (bool(config.windows), "windows are positive or None"),  # they say which heads a block has
        (bool(config.offloaded), "offloaded says it of at least one block"),
    )
    for holds, problem in chain(lists, config.attention.needs(config)):
        if not holds:
            yield problem
            return
    biased = (*config.attention.biased(config), *config.mlp)
    biased += ("router",) if config.n_experts else ()
    for holds, problem in (
        (config.n_heads % config.n_kv_heads == 0, "n_kv_heads divides n_heads"),
        (config.positions in (None, "learned", "rotary"), "positions are learned, rotary or None"),
        (config.positions != "learned" or config.n_positions > 0, "learned positions need n_positions"),
        (config.positions != "rotary" or config.rotated % 2 == 0, "rotary positions need an even d_head or d_rope"),
        (not (config.keys_as_values and config.d_value), "what the keys make is as wide as they are"),
        (config.sinks or not config.windowed_sinks, "windowed_sinks need sinks"),
        (not (config.n_sharing and config.joint_norms), "norms over all heads together are of queries and keys"),
        (not (config.d_block and config.streams), "a block that looks up a vector has one stream"),
        (not (config.d_block and config.activation == "xielu"), "what is looked up has an activation without weights"),
        (config.alternating or config.n_vocab_block >= config.n_vocab, "every token has a vector that is looked up"),
        (
            not config.alternating or (config.d_block and config.norm == "rms"),
            "streams that alternate are of blocks that look up a vector, and have RMS norms",
        ),
        (
            not config.alternating or (config.alternating.n > 0 and config.alternating.rank > 0),
            "there is a stream, and a rank",
        ),
        (bool(config.sparse_gates), "sparse_gates say it of at least one block"),
        (all(0 <= share < 1 for share in config.sparse_gates), "sparse_gates are shares below 1"),
        (config.gated or not any(config.sparse_gates), "sparse_gates need gates"),
        (
            all(config.source(block) >= 0 for block in range(config.n_blocks)),
            "a block that shares has one of its kind before those that do",
        ),
        (not (config.qk_norm and config.joint_norms), "queries and keys have norms of one kind"),
        (config.n_heads % config.full_heads[0] == 0, "n_kv_full divides n_heads"),
        (not (config.keys_as_values and "value" in config.biases), "what the keys make has no bias of its own"),
        (config.full_heads[1] == config.d_head or not config.rope_factors, "rope_factors are of heads of one width"),
        (config.activation != "xielu" or not config.n_experts, "an activation with weights is of MLPs, not of experts"),
        (not config.beside or config.n_experts, "an MLP beside experts needs them"),
        (not (config.beside and config.parallel), "an MLP beside experts starts from the stream, as they do"),
        (config.n_shared or not config.shared_gate, "shared_gate needs a shared expert"),
        (1 <= config.rope_theta < float("inf"), "rope_theta is at least 1"),
        (len(config.rope_factors) in (0, config.rotated // 2), "rope_factors are as many as pairs of a head"),
        (all(1e-6 < factor < 1e6 for factor in config.rope_factors), "rope_factors lie between 1e-6 and 1e6"),
        (0 <= config.norm_epsilon < 1, "norm_epsilon is small and not negative"),
        (set(config.biases) <= set(biased), f"biases are among {', '.join(biased)}"),
        (0 <= config.n_active <= config.n_experts, "n_active is at most n_experts"),
        (not (config.tied and config.output_bias), "output_bias needs an output matrix of its own"),
        ((config.n_active > 0) == (config.n_experts > 0), "experts come with a number of active ones"),
        (config.n_shared >= 0 and (not config.n_shared or config.n_experts), "shared experts come beside others"),
        (
            config.d_shared == config.n_shared * config.d_expert or config.n_shared < 2,
            "several shared experts are as wide as the others",
        ),
        *(config.states.needs() if config.states else ()),
        *config.routing.needs(config),
        (
            not config.streams or not (config.parallel or config.beside or config.post_norm or config.projects),
            "several streams have blocks of one plain kind",
        ),
        (not config.streams or (config.streams.n > 0 and config.streams.rounds > 0), "there is a stream, and a round"),
        (config.mlp_limit >= 0, "mlp_limit is not negative"),
        (bool(config.sparse), "sparse says it of at least one block"),
        (all(w is None or w > 0 for w in config.windows), "windows are positive or None"),
    ):
        if not holds:
            yield problem
