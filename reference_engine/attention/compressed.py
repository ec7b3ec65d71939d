"""Attention over a window and over compressed runs of tokens, as DeepSeek-V4 has it

All heads share one vector of each token, which is key and value at once, so its rotation is taken back from what a
head gives. A block keeps those of a window. In some blocks nothing else is kept; in the others a compressor makes one
entry of each run of tokens, weighed number by number, and attention reads these besides. Compressed sparse attention
has short runs, each entry made from two of them, and an index that picks entries; heavily compressed attention has long
runs and reads all entries. What the heads give is brought to the model's width in groups: each group to a short vector,
all of these together by a matrix.

A query meets the tokens of the window and the entries of the runs before it, and a score of its own that stands for
nothing. Entries of a run that is not over are made for nobody: a query meets those that are complete with its token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from .. import ops
from ..arrays import arange
from ..cache import Cache, Entries
from ..formats import Array
from ..slices import length, places, rows, shared_heads
from .compressors import compress
from .index import best, passed_over
from .kind import Attention, Shapes, Share
from .products import beyond, by_group, weighed

if TYPE_CHECKING:
    from ..config import Config
    from ..layers import Layers

Kind = Literal["window", "sparse", "heavy"]


@dataclass(frozen=True)
class Compression(Attention):
    """Shapes of blocks that keep a window, and most of them entries.

    Attributes:
        kinds: what each block keeps, layer by layer and repeated: a "window" alone, or "sparse" or "heavy" entries too.
        sparse_run: tokens of a run in blocks with sparse entries; heavy_run: in those with heavy ones.
        n_index_heads: queries of a token to the index; index_width: numbers of each, and of an entry there.
        picked: the most entries that attention reads in a block with an index.
        n_groups: groups of heads; o_rank: numbers that each is brought to.
        q_rank: width of the vector that queries are made from; d_rope: of the last part of a head, which is rotated.
        rope_theta: base of the rotary wavelengths in blocks with entries.
    """

    kinds: tuple[Kind, ...]
    sparse_run: int
    heavy_run: int
    n_index_heads: int
    index_width: int
    picked: int
    n_groups: int
    o_rank: int
    q_rank: int
    d_rope: int
    rope_theta: float = 160_000.0

    matrices: ClassVar[tuple[str, ...]] = (
        *("query_down", "query", "key_value", "output_down", "output"),
        *(f"{of}.{name}" for of in ("entry", "long", "index") for name in ("values", "gates")),
        *("index.query", "index.weight"),
    )
    products: ClassVar[tuple[str, ...]] = ("index.scores", "index.sum")

    def kind(self, block: int) -> Kind:
        """Kind of a block: a "window" alone, or "sparse" or "heavy" entries beside it."""
        return self.kinds[block % len(self.kinds)]

    def run(self, block: int) -> int:
        """Tokens of a run in a block; 0 where there are none."""
        return {"window": 0, "sparse": self.sparse_run, "heavy": self.heavy_run}[self.kind(block)]

    def back(self, block: int) -> int:
        """Tokens that an entry is made from: of two runs in blocks with an index, of one in the others."""
        return self.run(block) * (2 if self.kind(block) == "sparse" else 1)

    def compressor(self, block: int) -> str:
        """Prefix of the names of a block's own compressor weights: "entry" for sparse entries, else "long"."""
        return "entry" if self.kind(block) == "sparse" else "long"

    def shapes(self, config: Config, block: int) -> Shapes:
        """Shapes of a block's weights: matrices as (outputs, inputs), those of groups as (groups, outputs, inputs)."""
        d, width, inputs = config.d_model, config.d_head, config.n_heads * config.d_head
        found: Shapes = {
            "query_down": (self.q_rank, d),
            "query_down_norm.weight": (self.q_rank,),
            "query": (inputs, self.q_rank),
            "key_value": (width, d),
            "key_value_norm.weight": (width,),
            "sinks": (config.n_heads,),
            "output_down": (self.n_groups, self.o_rank, inputs // self.n_groups),
            "output": (d, self.n_groups * self.o_rank),
        }
        if self.run(block):
            found |= self._compressor(self.compressor(block), d, width, block)
        if self.kind(block) == "sparse":
            found |= self._compressor("index", d, self.index_width, block)
            found["index_query"] = (self.n_index_heads * self.index_width, self.q_rank)
            found["index_weight"] = (self.n_index_heads, d)
        return found

    def _compressor(self, of: str, d_model: int, width: int, block: int) -> Shapes:
        # where runs overlap, a token has numbers for its own run and others for the next
        series = self.back(block) // self.run(block) * width
        return {
            f"{of}_values": (series, d_model),
            f"{of}_gates": (series, d_model),
            f"{of}_places.weight": (self.run(block), series),
            f"{of}_norm.weight": (width,),
        }

    def cached(self, config: Config, block: int) -> Shapes:
        """Shapes of a block's cached vectors, by name: of tokens in the window, entries, and inputs of a compressor."""
        found: Shapes = {"window": (config.d_head,)}
        both = {"": config.d_head, **({"index_": self.index_width} if self.kind(block) == "sparse" else {})}
        for of, width in both.items() if self.run(block) else ():
            found[f"{of}entries"] = (width,)
            found[f"{of}pending"] = (2 * self.back(block) // self.run(block) * width,)  # numbers and their weights
        return found

    def cache(self, config: Config, block: int, name: str, **how: Any) -> Cache:
        """Cache of one name: what waits is of so many tokens however few there are to be; of entries one for a run."""
        if name.endswith("pending"):
            return Cache(how["reserve"], self.back(block), self.back(block))
        if name.endswith("entries"):
            return Entries(how["reserve"], how["capacity"], self.run(block))
        return super().cache(config, block, name, **how)

    def rotated(self, config: Config) -> int:
        """Width of the last part of a head, which is rotated."""
        return self.d_rope

    def likeness(self, config: Config, block: int) -> Kind:
        """Kind of a block."""
        return self.kind(block)

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the message where it does not."""
        yield bool(self.kinds), "compression says it of at least one block"
        yield from super().needs(config)
        yield not config.d_value, "one vector that is key and value has one width"
        yield (
            self.q_rank > 0 and self.d_rope > 0,
            "compressed attention needs compressed queries and a rotated part",
        )
        yield (
            self.d_rope <= config.d_head and self.d_rope <= self.index_width,
            "no more is rotated than a head or an entry has",
        )
        yield None not in config.windows, "compressed attention has a window in every block"
        yield config.n_heads % self.n_groups == 0, "n_groups divides the heads of compressed attention"
        yield not config.states, "compressed attention stands alone"
        yield config.positions == "rotary" and not config.rope_factors, "compressed attention needs rotary positions"
        yield all(one > 0 for one in (self.sparse_run, self.heavy_run, self.picked)), "runs have tokens"

    def mix(self, layers: Layers, i: int, caches: Mapping[str, Cache], x: Array, start: int) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), in block i, with caches of a window and of entries.

        A single new token of a block with an index reads the entries that it picked, and no others. Several new ones
        pick each their own, so all are read, all products are computed, and what a token did not pick is hidden from
        it.
        """
        config, ledger, at = layers.config, layers.ledger, f"blocks.{i}."
        batch, n, _ = x.shape
        run, end, theta = self.run(i), start + n, self.rope_theta if self.run(i) else None
        low = layers.linear("query_down", at + "query_down", x)  # (B, n, q_rank)
        low = layers.rms_norm("query_down_norm", at + "query_down_norm", low)  # (B, n, q_rank)
        # (B, n, n_heads, d_head)
        queries = layers.linear("query", at + "query", low).reshape(batch, n, config.n_heads, -1)
        with ledger.scope("query_norm"):
            queries = ops.rms(ledger, queries, config.norm_epsilon)  # (B, n, n_heads, d_head)
        queries = layers.rotate_end(queries, start, theta=theta)  # (B, n, n_heads, d_head)
        # (B, n, d_head)
        made = layers.rms_norm("key_value_norm", at + "key_value_norm", layers.linear("key_value", at + "key_value", x))
        made = layers.rotate_end(made[:, :, None], start, theta=theta)[:, :, 0]  # (B, n, d_head)
        with ledger.scope("cache"):
            kept = caches["window"].extend(made, start)  # (B, seen, d_head)
        hidden = beyond(start, n, kept.shape[1], config.window(i)) if n != 1 else None  # (n, seen)
        if run:
            compress(layers, self, i, self.compressor(i), caches, x, start)
            places = self._pick(layers, i, caches, x, low, start) if self.kind(i) == "sparse" else None  # (B, n, read)
            with ledger.scope("entries"):
                if places is not None and n == 1:
                    entries = caches["entries"].at(places[:, 0])  # (B, entries, d_head)
                else:
                    entries = caches["entries"].between(0, end // run)  # (B, entries, d_head)
            if hidden is not None:
                later = _unfinished(start, n, run)[None]  # (1, n, entries)
                # (1, n, entries) or (B, n, entries)
                later = later if places is None else later | passed_over(places, end // run)
                # (1, n, seen + entries) or (B, n, seen + entries)
                hidden = np.concatenate([np.broadcast_to(hidden, (later.shape[0], *hidden.shape)), later], axis=-1)
                hidden = hidden[:, None, None]  # (1, 1, 1, n, seen + entries) or (B, 1, 1, n, seen + entries)
            kept = np.concatenate([kept, entries], axis=1)  # (B, seen + entries, d_head)
        keys = kept[:, :, None]  # (B, context, 1, d_head)
        with ledger.scope("sinks"):
            sinks = layers.weights[at + "sinks"].load()  # (n_heads,)
        # (B, n, n_heads, d_head)
        mixed = weighed(layers, queries, keys, keys, hidden, scale=config.d_head**-0.5, sinks=sinks)
        mixed = layers.rotate_end(mixed, start, theta=theta, back=True)  # (B, n, n_heads, d_head)
        # (groups, n, heads·d_head/groups) @ (groups, heads·d_head/groups, o_rank) -> (groups, n, o_rank)
        # (B, n, n_groups, o_rank)
        short = by_group(layers, "output_down", at, mixed.reshape(batch, n, self.n_groups, -1))
        return layers.linear("output", at + "output", short.reshape(batch, n, -1))  # (B, n, d_model)

    def _pick(self, layers: Layers, i: int, caches: Mapping[str, Cache], x: Array, low: Array, start: int) -> Array:
        """(batch, n, d_model), (batch, n, q_rank) -> (batch, n, picked) places of the entries that each token reads."""
        ledger, at, (batch, n, _) = layers.ledger, f"blocks.{i}.index_", x.shape
        heads, width, run = self.n_index_heads, self.index_width, self.run(i)
        compress(layers, self, i, "index", caches, x, start)
        with ledger.scope("index"):
            queries = layers.linear("query", at + "query", low).reshape(batch, n, heads, width)  # (B, n, heads, width)
            queries = layers.rotate_end(queries, start, theta=self.rope_theta)  # (B, n, heads, width)
            with ledger.scope("cache"):
                held = caches["index_entries"].between(0, (start + n) // run)  # (B, entries, width)
            hidden = _unfinished(start, n, run) if n != 1 else None  # (n, entries)
            return best(layers, at, queries, held, x, hidden, self.picked)  # (B, n, read)

    def dealt(self, config: Config, devices: int) -> list[Share]:
        """The one vector of a token is whole on every device; heads leave in groups, and go with these."""
        dealt = shared_heads(config.n_heads, self.n_groups, devices)
        return [Share(heads, groups, groups) for heads, groups in zip(*dealt, strict=True)]

    def fields(self, config: Config, share: Share) -> dict[str, Any]:
        """Fields of a device's configuration: a kind with its groups."""
        return {"attention": replace(self, n_groups=length(share.kept))}

    def places(self, config: Config, block: int, name: str, share: Share) -> tuple[Any, ...]:
        """Indices that a device has of a weight; of a group whose heads several devices share, each its own inputs."""
        first = share.heads.start - share.kept.start * (config.n_heads // self.n_groups)
        of_group = slice(first, first + length(share.heads) // length(share.kept))
        return {
            "query": (rows(share.heads, config.d_head),),
            "sinks": (places(share.heads),),
            "output_down": (places(share.kept), None, rows(of_group, config.d_head)),
            "output": (None, rows(share.kept, self.o_rank)),
        }.get(name, ())


def _unfinished(start: int, n: int, run: int) -> Array:
    """(n, entries), whether the run of an entry goes on after the new token that looks at it."""
    # (n, entries)
    hidden: Array = arange((start + n) // run)[None, :] >= (arange(start, start + n)[:, None] + 1) // run
    return hidden
