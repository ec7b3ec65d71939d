"""Shapes of a block's attention weights: of heads with keys and values, and of heads that share a latent vector"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import Config


def attention_shapes(config: Config, block: int) -> dict[str, tuple[int, ...]]:
    """Shapes of a block's attention weights, by name; those of latent attention's heads: (heads, outputs, inputs)."""
    if config.compression:
        return config.compression.shapes(config, block)
    n_kv, width = config.heads(block)
    d, heads, kv_heads = config.d_model, config.n_heads * width, n_kv * width
    mixed = config.n_heads * config.value_width(block)
    if not config.kv_rank:
        found: dict[str, tuple[int, ...]] = {"query": (heads, d)}
        own = config.source(block) == block
        found |= {"key": (kv_heads, d)} if own else {}
        found |= {"value": (n_kv * config.value_width(block), d)} if own and not config.shares_keys(block) else {}
        widths = (heads, kv_heads) if config.joint_norms else (width, width)
        norms: dict[str, tuple[int, ...]] = {
            f"{name}_norm.weight": (each,)
            for name, each in zip(("query", "key"), widths, strict=True)
            if own or name == "query"
        }
        found |= {"output": (d, mixed)} | (norms if config.qk_norm or config.joint_norms else {})
        found |= {"attention_gate": (mixed, d)} if config.attention_gate else {}
        return found | ({"sinks": (config.n_heads,)} if config.has_sinks(block) else {})
    found = {"query_down": (config.q_rank, d), "query_down_norm.weight": (config.q_rank,)} if config.q_rank else {}
    return found | {
        "query": (config.n_heads * (config.d_head + config.d_rope), config.q_rank or d),
        "latent": (config.kv_rank + config.d_rope, d),
        "latent_norm.weight": (config.kv_rank,),
        "key_up": (config.n_heads, config.d_head, config.kv_rank),
        "value_up": (config.n_heads, config.d_value, config.kv_rank),
        "output": (d, config.n_heads * config.d_value),
    }
