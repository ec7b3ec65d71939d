"""Building a model from a config: its shapes, and the parts that its weights are in

The weights of a part are counted by its formula, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ..catalogue.named import (
    embedding_parameters,
    expert_parameters,
    gated_mlp_parameters,
    grouped_attention_parameters,
    joint_query_key_norm_parameters,
    plain_mlp_parameters,
    projection_parameters,
    query_key_value_biases,
    query_output_parameters,
    router_parameters,
    shared_key_attention_parameters,
    stream_parameters,
    stream_vector_parameters,
    two_width_attention_parameters,
    vector_parameters,
)
from ..errors import shown
from ..formula import Formula
from .config import REQUIRED, Fields
from .part import Part, of_width


class Builder:
    """Collects the shapes and parts of one model."""

    def __init__(self, fields: Fields, **letters: int) -> None:
        self.fields = fields
        self.letters = letters
        self.parts: list[Part] = []
        self.biased_outputs = False  # of attention
        self.windowed: tuple[int, ...] = ()  # blocks that attend to a window only
        self.sharing = (0, 0)  # blocks with a window, and others, that attend to what blocks before them keep
        self.context_limit: int | None = None  # tokens that its positions were made for

    def add(
        self,
        kind: str,
        formula: Formula,
        copies: int = 1,
        *,
        multiplied: int | None = None,
        used: int | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        """Add a part with some number of copies; without copies, nothing is added.

        A token is multiplied with all copies and uses all of them, unless `multiplied` or `used` is another number.
        """
        if copies:
            named = renamed or {}
            mine = {}
            for symbol in formula.letters:
                if (name := named.get(symbol.name, symbol.name)) in self.letters:
                    mine[symbol.name] = self.letters[name]
            shares = [copies if number is None else number for number in (multiplied, used)]
            self.parts.append(Part(kind, formula, mine, copies, shares[0], shares[1], named))

    def unmultiplied(self, kind: str, formula: Formula, copies: int = 1) -> None:
        """Add a part that is not multiplied as a matrix: positions, weights of a convolution."""
        self.add(kind, formula, copies, multiplied=0)

    def vectors(self, kind: str, width: str, copies: int, *, used: int | None = None) -> None:
        """Add vectors, such as norms and biases, of the width that a letter gives."""
        self.add(kind, vector_parameters, copies, multiplied=0, used=used, renamed=of_width(width))

    def layer_norms(self, n: int) -> None:
        """Add n LayerNorms, each with weights and biases."""
        self.vectors("norms", "d_model", 2 * n)

    def blocks(
        self,
        *,
        biases: bool = False,
        output_biases: bool | None = None,
        gate: bool = True,
        mlp_biases: bool = False,
        block_norms: int = 2,
        outer_norms: int = 1,
        layer_norms: bool = False,
        qk_norms: bool = False,
        joint_norms: bool = False,
        mlp: Callable[[Builder], None] | None = None,
    ) -> Builder:
        """Add attention, MLPs and norms of blocks that are alike; returns the builder.

        Args:
            biases: whether queries, keys and values have biases.
            output_biases: whether the output projection has; as the others if left out.
            gate: whether the MLP has a gate.
            mlp_biases: whether it has biases.
            block_norms: norms of a block.
            outer_norms: norms before the first block and after the last.
            layer_norms: whether these are LayerNorms, which have biases beside their weights.
            qk_norms: whether queries and keys have norms, which all heads share.
            joint_norms: whether all queries of a block have one norm, and all keys, or each head has its own.
            mlp: function that adds what the model has instead of MLPs.
        """
        n = self.letters["n_blocks"]
        self.attention_blocks(
            biases=biases, output_biases=biases if output_biases is None else output_biases, norms=qk_norms
        )
        self.unmultiplied("norms", joint_query_key_norm_parameters, n * joint_norms)
        if mlp is None:
            self.mlp_blocks(n, gated=gate, biases=mlp_biases)
        else:
            mlp(self)
        self.vectors("norms", "d_model", (1 + layer_norms) * (block_norms * n + outer_norms))
        return self

    def own_width(self) -> None:
        """Refuse a `head_dim` other than d_model / n_heads, the width that the model's class always takes."""
        width = shared(self.fields, self.letters["d_model"], self.letters["n_heads"], "hidden_size")
        self.fields.same("head_dim", width)

    def vocabulary(self, *, tied: bool, width: str = "d_model") -> None:
        """Add the embedding, and the output matrix unless it is tied to the embedding."""
        named = of_width(width)
        if tied:
            self.add("embedding", embedding_parameters, renamed=named)
        else:
            self.add("embedding", embedding_parameters, multiplied=0, renamed=named)
            self.add("output", embedding_parameters, renamed=named)

    def positions(self) -> None:
        """Add the position embedding: a vector for each position."""
        self.add("positions", embedding_parameters, multiplied=0, renamed={"n_vocab": "n_positions"})

    def embedding(self, width: int, *, tied: bool) -> None:
        """Add embedding and output matrix of a width, and projections from it and back if it is not the model's."""
        if width == self.letters["d_model"]:
            self.vocabulary(tied=tied)
            return
        self.letters["d_embedding"] = width
        self.vocabulary(tied=tied, width="d_embedding")
        self.add("embedding", projection_parameters)

    def attention_blocks(
        self, *, biases: bool = False, output_biases: bool = False, norms: bool = False, n: int | None = None
    ) -> None:
        """Add the attention of n blocks; of every block if n is left out."""
        n = self.letters["n_blocks"] if n is None else n
        if biases and "d_value" in self.letters:
            raise self.fields.wrong("its keys and values have biases and differ in width, which no formula counts")
        if biases and any(self.sharing):
            raise self.fields.wrong("its blocks have biases and share caches, which no formula counts")
        self._attention(n, sum(self.sharing), norms=norms)
        self.unmultiplied("biases", query_key_value_biases, n * biases)
        self.vectors("biases", "d_model", n * output_biases)
        self.biased_outputs |= output_biases

    def _attention(
        self, n: int, sharing: int, *, norms: bool, renamed: Mapping[str, str] | None = None, shared_keys: bool = False
    ) -> None:
        """Add the attention matrices and norms of n blocks, of which `sharing` have no keys and values of their own."""
        named = dict(renamed or {})
        width = named.get("d_head", "d_head")
        # a letter says it where values are of another width than keys
        formula = two_width_attention_parameters if "d_value" in self.letters else grouped_attention_parameters
        if shared_keys:
            self.add("attention", shared_key_attention_parameters, n - sharing)
        else:
            self.add("attention", formula, n - sharing, renamed=named)
        queries = {"d_head": width, "d_value": "d_value" if "d_value" in self.letters else width}
        queries = {old: new for old, new in queries.items() if old != new}
        self.add("attention", query_output_parameters, sharing, renamed=queries)
        self.vectors("norms", width, (2 * n - sharing) * norms)  # of keys where there are such

    def share_caches(self, sharing: Collection[int], attends: Collection[int]) -> None:
        """Record which of the attending blocks read the caches of other blocks instead of keeping their own.

        Call `windows` first, since blocks with a window are counted apart.
        """
        if sharing:
            windowed = len({*sharing} & {*self.windowed})
            self.sharing = windowed, len(sharing) - windowed
            own = len({*attends} & {*self.windowed}) - windowed
            counts = {"n_local_own": own, "n_global_own": len(attends) - len(sharing) - own}
            self.letters |= {name: number for name, number in counts.items() if number}

    def block_embeddings(self, d_block: int, n_vocab_block: int, *, vectors: int) -> None:
        """Add an embedding for every block, whose vector a gate combines with one made from the token's own embedding.

        Args:
            d_block: width of the vectors of a block.
            n_vocab_block: number of tokens that have such a vector.
            vectors: number of vectors that a norm of the model's width has.
        """
        n, kind, named = self.letters["n_blocks"], "block embeddings", {"d_model": "d_block"}
        self.letters |= {"d_block": d_block, "n_vocab_block": n_vocab_block}
        self.add(kind, embedding_parameters, n, multiplied=0, renamed={"n_vocab": "n_vocab_block", **named})
        self.add(kind, gated_mlp_parameters, n, renamed={"d_ff": "d_block"})
        self.vectors(kind, "d_block", 1)
        self.vectors(kind, "d_model", vectors * n)

    def alternate(self, n_streams: int, rank: int) -> None:
        """Add several residual streams, of which a block computes one, and a learned residual beside its attention.

        Args:
            n_streams: number of streams.
            rank: width between the two matrices of the learned residual.
        """
        n, kind = self.letters["n_blocks"], "streams"
        self.letters |= {"n_streams": n_streams, "d_learned": rank}
        # one router works before the layers of a block, and after them
        self.add(kind, router_parameters, n, multiplied=2 * n, renamed={"n_experts": "n_streams"})
        # streams are mixed by as many rows of weights as there are streams, and corrected by one
        of_streams = {"n_vocab": "n_streams", "d_model": "n_streams"}
        self.add(kind, embedding_parameters, n * (n_streams + 1), renamed=of_streams)
        self.add(kind, embedding_parameters, 2 * (n_streams - 1), renamed={"n_vocab": "d_model"})
        self.vectors(kind, "d_model", 3 * n)
        self.add("learned residuals", plain_mlp_parameters, n, renamed={"d_ff": "d_learned"})

    def mix_streams(self, n_streams: int) -> None:
        """Add n_streams residual streams, which every layer mixes."""
        self.letters |= {"n_streams": n_streams, "d_streams": n_streams * self.letters["d_model"]}
        self.add("streams", stream_parameters)
        self.unmultiplied("streams", stream_vector_parameters)

    def attention_of_two_kinds(self, n_kv_full: int, d_head_full: int, *, shared_keys: bool, norms: bool) -> None:
        """Add attention where blocks without a window have heads of another number or width.

        Call `windows` first, since it records which blocks have a window.

        Args:
            n_kv_full: key/value heads of a block without a window.
            d_head_full: width of its heads.
            shared_keys: whether its keys and values come from one matrix.
            norms: whether queries and keys have norms, in all blocks.
        """
        if not shared_keys and (n_kv_full, d_head_full) == (self.letters["n_kv_heads"], self.letters["d_head"]):
            self.attention_blocks(norms=norms)
            return
        if not self.letters.get("n_local") or not self.letters["n_global"]:
            raise self.fields.wrong(
                "only some blocks may have a window when blocks without one have heads of another kind"
            )
        self.letters |= {"n_kv_full": n_kv_full, "d_head_full": d_head_full}
        self._attention(self.letters["n_local"], self.sharing[0], norms=norms)
        named = {"n_kv_heads": "n_kv_full", "d_head": "d_head_full"}
        self._attention(self.letters["n_global"], self.sharing[1], norms=norms, renamed=named, shared_keys=shared_keys)

    def mlp_blocks(self, n: int, *, gated: bool, biases: bool = False) -> None:
        """Add the MLPs of n blocks."""
        self.add("mlp", gated_mlp_parameters if gated else plain_mlp_parameters, n)
        self.vectors("biases", "d_ff", (1 + gated) * n * biases)
        self.vectors("biases", "d_model", n * biases)

    def expert_blocks(
        self, n: int, n_experts: int, n_active: int, d_expert: int, n_shared: int = 0, *, biases: bool = False
    ) -> None:
        """Add routers and experts of n blocks: shared experts beside those that a router picks from."""
        self.routed_blocks(n, n_experts, n_active, d_expert)
        active = n * n_active
        self.add("experts", expert_parameters, n * n_experts, multiplied=active, used=active)
        # apart from the routed ones: every token is multiplied with these
        self.add("experts", expert_parameters, n * n_shared)
        if biases:
            self.vectors("biases", "d_expert", 2 * n * n_experts, used=2 * active)
            self.vectors("biases", "d_model", n * n_experts, used=active)

    def routed_blocks(self, n: int, n_experts: int, n_active: int, d_expert: int) -> None:
        """Add the routers of n blocks, without the experts that they pick from."""
        if n_active > n_experts:
            raise self.fields.wrong(f"a token cannot be routed to {n_active} of {n_experts} experts")
        if n:
            self.letters |= {"n_experts": n_experts, "n_active": n_active, "d_expert": d_expert, "n_moe": n}
            self.add("router", router_parameters, n)

    def shared_blocks(self, n: int, d_shared: int, *, gated: bool) -> None:
        """Add to n blocks one expert of its own width that every token is sent to; if `gated`, a gate weighs it."""
        if n:
            self.letters["d_shared"] = d_shared
            self.add("experts", gated_mlp_parameters, n, renamed={"d_ff": "d_shared"})
            self.add("router", vector_parameters, n * gated)  # a matrix of one row

    def windows(self, window: int | None, types: list[str] | None, is_windowed: Callable[[int], bool]) -> None:
        """Record which blocks attend to a window: those the config lists, or else those of the family's rule."""
        n = self.letters["n_blocks"]
        if types is not None and len(types) != n:
            raise self.fields.wrong(f"layer_types must have an entry for each of the {n} layers, not {len(types)}")
        if types is not None and (odd := set(types) - {"full_attention", "sliding_attention"}):
            raise self.fields.wrong(
                f"layer_types may list full_attention and sliding_attention, not '{shown(min(odd))}'"
            )
        if window is None:
            if "sliding_attention" in (types or ()):
                raise self.fields.wrong("layer_types lists sliding_attention, but no window is given")
            return
        has_one = is_windowed if types is None else lambda i: types[i] == "sliding_attention"
        self.windowed = tuple(filter(has_one, range(n)))
        if n_local := len(self.windowed):
            # without windowed blocks the letters stay away, and with them the formulas for windows
            self.letters |= {"n_window": window, "n_local": n_local, "n_global": n - n_local}


def shapes(fields: Fields, *, n_kv_heads: int | None = None, d_head: int | None = None) -> Builder:
    """Builder with the shapes that most families name alike; the arguments stand for absent fields."""
    d_model, n_heads = fields.whole("hidden_size"), fields.whole("num_attention_heads")
    given = fields.optional("head_dim", d_head) if d_head is None else fields.whole("head_dim", d_head)
    width = given or shared(fields, d_model, n_heads, "hidden_size")
    n_kv_heads = fields.whole("num_key_value_heads", n_kv_heads or n_heads, null=n_heads)
    return _shapes(fields, d_model, n_heads, n_kv_heads=grouped(fields, n_heads, n_kv_heads), d_head=width)


def outline(
    fields: Fields,
    *,
    tied: bool = False,
    n_kv_heads: int | None = None,
    d_head: int | None = None,
    d_ff: int = REQUIRED,
) -> Builder:
    """Builder with these shapes, the width of an MLP, and the embedding; the arguments stand for absent fields."""
    made = shapes(fields, n_kv_heads=n_kv_heads, d_head=d_head)
    made.letters["d_ff"] = fields.whole("intermediate_size", d_ff)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", tied))
    return made


def plain_shapes(fields: Fields) -> Builder:
    """Builder for multi-head attention: every head has keys and values of its own, and the width d_model / n_heads."""
    d_model, n_heads = fields.whole("hidden_size"), fields.whole("num_attention_heads")
    d_head = shared(fields, d_model, n_heads, "hidden_size")
    fields.same("head_dim", d_head)
    return _shapes(fields, d_model, n_heads, n_kv_heads=n_heads, d_head=d_head)


def _shapes(fields: Fields, d_model: int, n_heads: int, **letters: int) -> Builder:
    made = Builder(fields, d_model=d_model, n_heads=n_heads, **letters)
    made.letters |= {"n_blocks": fields.layers("num_hidden_layers"), "n_vocab": fields.whole("vocab_size")}
    made.context_limit = fields.optional("max_position_embeddings")
    return made


def standing_window(fields: Fields, default: int | None = None) -> int | None:
    """Sliding window of a family that cannot switch it off; None where there is none."""
    window, on = fields.optional("sliding_window", default), fields.flag("use_sliding_window", True)
    if window is not None and not on:
        raise fields.wrong("use_sliding_window is false, but a model of this kind always uses its sliding_window")
    return window


def shared(fields: Fields, d_model: int, n_heads: int, name: str) -> int:
    """Width of a head where the heads divide the model's width, which they have to do evenly."""
    if d_model % n_heads:
        raise fields.wrong(f"{name} {d_model} cannot be divided into {n_heads} heads")
    return d_model // n_heads


def grouped(fields: Fields, n_heads: int, n_kv_heads: int) -> int:
    """Number of key/value heads, which has to divide the heads into groups of one size."""
    if n_heads % n_kv_heads:
        raise fields.wrong(f"{n_heads} heads cannot be divided into {n_kv_heads} groups")
    return n_kv_heads
