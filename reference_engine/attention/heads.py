"""Heads with keys and values, which groups of heads may share, or blocks"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from .. import ops
from ..cache import Cache
from ..formats import Array
from ..slices import places, rows
from .kind import Attention, Shapes, Share
from .products import attend

if TYPE_CHECKING:
    from ..config import Config
    from ..layers import Layers


@dataclass(frozen=True)
class Heads(Attention):
    """Heads with keys and values; a configuration's own fields say which."""

    matrices: ClassVar[tuple[str, ...]] = ("query", "key", "value", "gating.gate", "output")

    def shapes(self, config: Config, block: int) -> Shapes:
        """Shapes of a block's weights: matrices (outputs, inputs), vectors (width,)."""
        n_kv, width = config.heads(block)
        d, heads, kv_heads = config.d_model, config.n_heads * width, n_kv * width
        mixed = config.n_heads * config.value_width(block)
        found: Shapes = {"query": (heads, d)}
        own = config.source(block) == block
        found |= {"key": (kv_heads, d)} if own else {}
        found |= {"value": (n_kv * config.value_width(block), d)} if own and not config.shares_keys(block) else {}
        widths = (heads, kv_heads) if config.joint_norms else (width, width)
        norms: Shapes = {
            f"{name}_norm.weight": (each,)
            for name, each in zip(("query", "key"), widths, strict=True)
            if own or name == "query"
        }
        found |= {"output": (d, mixed)} | (norms if config.qk_norm or config.joint_norms else {})
        found |= {"attention_gate": (mixed, d)} if config.attention_gate else {}
        return found | ({"sinks": (config.n_heads,)} if config.has_sinks(block) else {})

    def cached(self, config: Config, block: int) -> Shapes:
        """Shapes of a token's keys and values; none in a block that attends to those of another."""
        if config.source(block) != block:
            return {}
        n_kv, width = config.heads(block)
        return {"keys": (n_kv, width), "values": (n_kv, config.value_width(block))}

    def biased(self, config: Config) -> tuple[str, ...]:
        """Names of the matrices that may have biases, those of values too where the first block has none."""
        return tuple(dict.fromkeys((*super().biased(config), "value")))

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the sentence that says it."""
        yield (
            config.positions != "rotary" or config.full_heads[1] % 2 == 0,
            "rotary positions need an even d_head_full",
        )

    def places(self, config: Config, block: int, name: str, share: Share) -> tuple[Any, ...]:
        """Indices that a device has of a weight along its axes; None, or left out, for all of them."""
        width, values = config.heads(block)[1], config.value_width(block)
        kept = share.full if config.window(block) is None else share.kept
        return {
            "query": (rows(share.heads, width),),
            "key": (rows(kept, width),),
            "value": (rows(kept, values),),
            "attention_gate": (rows(share.heads, values),),
            "sinks": (places(share.heads),),
            "output": (None, rows(share.heads, values)),
        }.get(name, ())

    def mix(self, layers: Layers, i: int, caches: Mapping[str, Cache], x: Array, start: int) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), in block i, with a cache of keys and values."""
        config, made = layers.config, {}
        projected: dict[str, Array] = {}
        n_kv, width = config.heads(i)
        own = config.source(i) == i
        for name, heads in (("query", config.n_heads), *((("key", n_kv), ("value", n_kv)) if own else ())):
            if name == "value" and config.shares_keys(i):
                # (B, n, n_kv·width); before the key's norm and rotation, so it is kept apart from the key
                vectors = projected["key"]
            else:
                # (B, n, heads·width) or (B, n, heads·e)
                vectors = projected[name] = layers.linear(name, f"blocks.{i}.{name}", x)
            if name != "value" and config.joint_norms:
                vectors = layers.rms_norm(f"{name}_norm", f"blocks.{i}.{name}_norm", vectors)  # (B, n, heads·width)
            # (B, n, heads, width) or (B, n, heads, e)
            vectors = vectors.reshape(*x.shape[:2], heads, config.value_width(i) if name == "value" else width)
            if name != "value" and config.qk_norm:
                vectors = layers.rms_norm(f"{name}_norm", f"blocks.{i}.{name}_norm", vectors)  # (B, n, heads, width)
            if name == "value" and config.value_norms:
                with layers.ledger.scope("value_norm"):
                    vectors = ops.rms(layers.ledger, vectors, config.norm_epsilon)  # (B, n, n_kv, e)
            if name != "value" and config.positions == "rotary":
                vectors = layers.rotate(vectors, start)  # (B, n, heads, width)
            made[name] = vectors
        with layers.ledger.scope("cache"):
            if own:
                # (B, context, n_kv, width), (B, context, n_kv, e)
                keys, values = caches["keys"].extend(made["key"], start), caches["values"].extend(made["value"], start)
            else:
                # (B, context, n_kv, width), (B, context, n_kv, e)
                keys, values = (caches[name].again(start, start + x.shape[1]) for name in ("keys", "values"))
        scale, window, sinks = width**-0.5, config.window(i), None
        if config.has_sinks(i):
            with layers.ledger.scope("sinks"):
                sinks = layers.weights[f"blocks.{i}.sinks"].load()  # (n_heads,)
        # (B, n, n_heads, e)
        mixed = attend(layers, made["query"], keys, values, start, window=window, scale=scale, sinks=sinks)
        mixed = mixed.reshape(*x.shape[:2], -1)  # (B, n, n_heads·e)
        if config.attention_gate:
            with layers.ledger.scope("gating"):
                # (B, n, n_heads·e)
                gate = ops.sigmoid(layers.ledger, layers.linear("gate", f"blocks.{i}.attention_gate", x))
                mixed = ops.elementwise(layers.ledger, "multiply", mixed, gate)  # (B, n, n_heads·e)
        return layers.linear("output", f"blocks.{i}.output", mixed)  # (B, n, d_model)


HEADS = Heads()
