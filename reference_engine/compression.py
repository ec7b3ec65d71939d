"""Attention that keeps compressed runs of tokens, as DeepSeek-V4 has it: its shapes

All heads share one vector of each token, which is key and value at once. A block keeps those of a window. In some
blocks nothing else is kept; in the others a compressor makes one entry of each run of tokens, weighed number by number,
and attention reads these besides. Compressed sparse attention has short runs, each entry made from two of them, and an
index that picks entries; heavily compressed attention has long runs and reads all entries. What the heads give is
brought to the model's width in groups: each group to a short vector, all of these together by a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .config import Config

Kind = Literal["window", "sparse", "heavy"]
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Compression:
    """Shapes of blocks that keep a window, and most of them entries.

    Attributes:
        kinds: what each block keeps, layer by layer and repeated: a "window" alone, or "sparse" or "heavy" entries too.
        sparse_run: tokens of a run in blocks with sparse entries; heavy_run: in those with heavy ones.
        n_index_heads: queries of a token to the index; index_width: numbers of each, and of an entry there.
        picked: the most entries that attention reads in a block with an index.
        n_groups: groups of heads; o_rank: numbers that each is brought to.
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
    rope_theta: float = 160_000.0

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
            "query_down": (config.q_rank, d),
            "query_down_norm.weight": (config.q_rank,),
            "query": (inputs, config.q_rank),
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
            found["index_query"] = (self.n_index_heads * self.index_width, config.q_rank)
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

    def cached(self, d_head: int, block: int) -> Shapes:
        """Shapes of a block's cached vectors, by name: of tokens in the window, entries, and inputs of a compressor."""
        found: Shapes = {"window": (d_head,)}
        both = {"": d_head, **({"index_": self.index_width} if self.kind(block) == "sparse" else {})}
        for of, width in both.items() if self.run(block) else ():
            found[f"{of}entries"] = (width,)
            found[f"{of}pending"] = (2 * self.back(block) // self.run(block) * width,)  # numbers and their weights
        return found

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the message where it does not."""
        yield (
            config.q_rank > 0 and config.d_rope > 0,
            "compressed attention needs compressed queries and a rotated part",
        )
        yield (
            config.d_rope <= config.d_head and config.d_rope <= self.index_width,
            "no more is rotated than a head or an entry has",
        )
        yield None not in config.windows, "compressed attention has a window in every block"
        yield config.n_heads % self.n_groups == 0, "n_groups divides the heads of compressed attention"
        yield not (config.kv_rank or config.states or config.index), "compressed attention stands alone"
        yield config.positions == "rotary" and not config.rope_factors, "compressed attention needs rotary positions"
        yield all(one > 0 for one in (self.sparse_run, self.heavy_run, self.picked)), "runs have tokens"
