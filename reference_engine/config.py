"""The configuration of a decoder: shapes, switches and storage formats

One description for every architecture: the schematic block of the articles is the default, and each switch moves it
towards a model that people run. From it follows the list of all weights with their names and shapes, which is what a
drawn model draws, what a file has to hold, and what the parameters are counted from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import prod
from typing import Literal, get_args

from .altup import Alternating
from .attention.heads import HEADS
from .attention.kind import Attention
from .contradictions import contradictions
from .formats import F16, Q4_0, Format
from .recurrent.kind import Recurrent
from .routing import BY_SOFTMAX, Routing
from .streams import Streams

Norm = Literal["bare", "rms", "layer"]
Activation = Literal["gelu_tanh", "gelu", "silu", "relu", "xielu"]
Positions = Literal["learned", "rotary"]
Pairs = Literal["halves", "neighbours"]


class InvalidConfig(ValueError):
    """Shapes and switches that contradict each other; the sentence says which."""


@dataclass(frozen=True)
class Config:
    """Shapes, switches and storage formats of a decoder; `InvalidConfig` where they contradict each other.

    Attributes:
        n_blocks: blocks.
        n_heads: query heads of each block.
        d_head: width of a head.
        n_vocab: tokens of the vocabulary.
        weights: how matrices are stored; blocks have to divide their rows.
        cache: how keys and values are stored; blocks have to divide the head's width.
        ends: how embedding and output matrix are stored, where not as other matrices.
        vectors: how norm weights, biases and learned positions are stored.
        d_model: width of the model; n_heads·d_head if left out.
        n_kv_heads: key/value heads, a divisor of n_heads; n_heads if left out.
        d_ff: width of the MLP; 4·d_model if left out.
        norm: "bare" without weights, "rms" with a weight, "layer" with a weight and a bias.
        norm_epsilon: what is added to the variance.
        post_norm: a norm over what attention gives and one over what the MLP gives, before they are added.
        parallel: attention and MLP of a block both start from its one norm.
        activation: of the MLP; "gelu_tanh" is GPT-2's form of "gelu", and "xielu" has two weights of its own.
        gated: a third matrix, and activation(gate)·up in place of activation(up).
        biases: the matrices of a block that have one: "query", "key", "value", "output", "gate", "up", "down";
            "router" beside experts.
        positions: None, a "learned" vector for each of them, or "rotary" queries and keys.
        n_positions: how many learned ones there are.
        rope_theta: base of the rotary wavelengths.
        rope_factors: what the rotary frequency of each pair is divided by; none if left out.
        rope_pairs: what is rotated together: the two "halves" of a head, or "neighbours" in it.
        qk_norm: an RMS norm with a weight over each query and key head, before the rotation.
        joint_norms: such a norm over all query heads together, and one over all key heads.
        attention_gate: what a head gives is weighed, number by number, by a product of the token with a matrix.
        sinks: each head has a score of its own beside those of the tokens, and what it gets is attended to nothing.
        windowed_sinks: only blocks with a window have sinks.
        tied: the embedding is the output matrix too.
        d_embedding: width of embedding and output matrix; d_model if left out, else a matrix lies between.
        output_bias: the output matrix has a bias.
        n_experts: experts of each MLP; 0 for one MLP without a router.
        n_active: experts that work on a token.
        d_expert: width of one expert; d_ff if left out.
        n_shared: experts that every token is sent to besides; together they are one MLP.
        d_shared: width of that MLP; n_shared·d_expert if left out.
        shared_gate: what that MLP gives is weighed by a product of the token with a row of weights.
        sparse: which blocks have experts, layer by layer and repeated; the others have an MLP of width d_ff.
        renormalise: the weights of the chosen experts are divided by their sum.
        d_value: width of a head's values; that of its keys if left out, and d_head in latent attention.
        windows: how many tokens attention looks back on, itself included, layer by layer and repeated; None for all.
        n_kv_full: key/value heads of blocks without a window; n_kv_heads if left out.
        d_head_full: width of a head there; d_head if left out.
        keys_as_values: there the key's matrix makes the values too, which are neither normed nor rotated.
        n_sharing: the last so many blocks make no keys and values: they attend to those of the last block before them
            that has a window, or none, as they do.
        sharing_width: width of an MLP of such a block; d_ff if left out.
        d_block: width of a vector that each block looks up for a token, brings together with one made of its embedding,
            and adds through a gate; 0 where none does.
        n_vocab_block: tokens that have such vectors; n_vocab if left out.
        beside: where a block has experts, an MLP of width d_ff works beside them on the same tokens, each of the two
            with norms of its own; the router's scores and its weights are scaled.
        states: the blocks that keep something of one size in the place of attention; None where none is.
        attention: the kind of attention; heads with keys and values if left out, which the fields here describe.
        streams: residual streams that are mixed; None where there is one.
        alternating: residual streams of which a block computes one; None where there is one.
        value_norms: values have norms too, without weights.
        sparse_gates: the share of an MLP's gates that is cut off below a normal distribution's quantile, layer by layer
            and repeated; 0 for none.
        routing: how a router chooses.
        offloaded: whether the matrices of a block, or its experts if it has some, lie in a second memory, layer by
            layer and repeated.
        mlp_limit: what comes out of the matrices "gate" and "up" is cut off there; 0 where it is not.
        context_length: tokens that its makers meant it for, 0 where they say none; nothing stops a longer pass.
    """

    n_blocks: int
    n_heads: int
    d_head: int
    n_vocab: int
    weights: Format = Q4_0
    cache: Format = F16
    vectors: Format = F16
    _: KW_ONLY
    ends: Format | None = None
    d_model: int = 0
    n_kv_heads: int = 0
    d_ff: int = 0
    norm: Norm = "bare"
    norm_epsilon: float = 1e-5
    post_norm: bool = False
    parallel: bool = False
    activation: Activation = "gelu_tanh"
    gated: bool = False
    biases: tuple[str, ...] = ()
    positions: Positions | None = None
    n_positions: int = 0
    rope_theta: float = 10_000.0
    rope_factors: tuple[float, ...] = ()
    rope_pairs: Pairs = "halves"
    qk_norm: bool = False
    joint_norms: bool = False
    attention_gate: bool = False
    sinks: bool = False
    windowed_sinks: bool = False
    tied: bool = True
    d_embedding: int = 0
    output_bias: bool = False
    n_experts: int = 0
    n_active: int = 0
    d_expert: int = 0
    n_shared: int = 0
    d_shared: int = 0
    shared_gate: bool = False
    sparse: tuple[bool, ...] = (True,)
    renormalise: bool = True
    d_value: int = 0
    windows: tuple[int | None, ...] = (None,)
    n_kv_full: int = 0
    d_head_full: int = 0
    keys_as_values: bool = False
    n_sharing: int = 0
    sharing_width: int = 0
    d_block: int = 0
    n_vocab_block: int = 0
    beside: bool = False
    states: Recurrent | None = None
    attention: Attention = HEADS
    streams: Streams | None = None
    alternating: Alternating | None = None
    value_norms: bool = False
    sparse_gates: tuple[float, ...] = (0.0,)
    routing: Routing = BY_SOFTMAX
    offloaded: tuple[bool, ...] = (False,)
    mlp_limit: float = 0.0
    context_length: int = 0

    def __post_init__(self) -> None:
        left_out = {"d_model": self.n_heads * self.d_head, "n_kv_heads": self.n_heads}
        for name, default in left_out.items():
            object.__setattr__(self, name, getattr(self, name) or default)
        object.__setattr__(self, "d_ff", self.d_ff or 4 * self.d_model)
        object.__setattr__(self, "d_expert", self.d_expert or self.d_ff)
        object.__setattr__(self, "sharing_width", self.sharing_width or self.d_ff)
        object.__setattr__(self, "n_vocab_block", self.n_vocab_block or self.n_vocab)
        object.__setattr__(self, "d_shared", self.d_shared or self.n_shared * self.d_expert)
        object.__setattr__(self, "d_embedding", self.d_embedding or self.d_model)
        for name, words in (("norm", Norm), ("activation", Activation), ("rope_pairs", Pairs)):
            if getattr(self, name) not in get_args(words):
                raise InvalidConfig(f"{name} is one of {', '.join(get_args(words))}, not {getattr(self, name)!r}")
        for problem in contradictions(self):
            raise InvalidConfig(problem)

    @property
    def rotated(self) -> int:
        """Width of the part of a head that rotary positions turn."""
        return self.attention.rotated(self)

    @property
    def alike(self) -> bool:
        """Whether heads of blocks with and without a window are of one kind."""
        return self.full_heads == (self.n_kv_heads, self.d_head)

    @property
    def full_heads(self) -> tuple[int, int]:
        """Number of key/value heads of a block without a window, and the width of its heads."""
        return self.n_kv_full or self.n_kv_heads, self.d_head_full or self.d_head

    def heads(self, block: int) -> tuple[int, int]:
        """Number of key/value heads of a block, and the width of its heads."""
        return self.full_heads if self.window(block) is None else (self.n_kv_heads, self.d_head)

    def value_width(self, block: int) -> int:
        """Width of the values of a block's heads."""
        return self.d_value or self.heads(block)[1]

    def source(self, block: int) -> int:
        """Index of the block whose keys and values a block attends to: its own, unless it shares; −1 for none."""
        first = self.n_blocks - self.n_sharing
        if block < first or self.has_state(block):
            return block
        alike = (self.window(block) is None, False)
        own = (i for i in reversed(range(first)) if (self.window(i) is None, self.has_state(i)) == alike)
        return next(own, -1)

    def mlp_width(self, block: int) -> int:
        """Width of the MLP of a block."""
        return self.sharing_width if block >= self.n_blocks - self.n_sharing else self.d_ff

    def has_sinks(self, block: int) -> bool:
        """Whether the heads of a block have sinks."""
        return self.sinks and not (self.windowed_sinks and self.window(block) is None)

    def shares_keys(self, block: int) -> bool:
        """Whether a block makes its values with the matrix of its keys."""
        return self.keys_as_values and self.window(block) is None

    def cached(self, block: int) -> dict[str, tuple[int, ...]]:
        """Shapes of the vectors that a block's cache holds of a token, by name."""
        return self.attention.cached(self, block)

    def has_state(self, block: int) -> bool:
        """Whether a block has a state in the place of attention."""
        return self.states is not None and self.states.blocks[block % len(self.states.blocks)]

    @property
    def mlp(self) -> tuple[str, ...]:
        """Names of the matrices of an MLP or of one expert."""
        return ("gate", "up", "down") if self.gated else ("up", "down")

    def sparse_gate(self, block: int) -> float:
        """The share of the gates of a block's MLP that is cut off."""
        return self.sparse_gates[block % len(self.sparse_gates)]

    def window(self, block: int) -> int | None:
        """Number of tokens that a block's attention looks back on; None for all."""
        return self.windows[block % len(self.windows)]

    @property
    def projects(self) -> bool:
        """Whether the embedding has a width of its own."""
        return self.d_embedding != self.d_model

    def has_experts(self, block: int) -> bool:
        """Whether a block has experts in the place of an MLP."""
        return self.n_experts > 0 and self.sparse[block % len(self.sparse)]

    def is_offloaded(self, block: int) -> bool:
        """Whether the matrices of a block, or its experts if it has some, lie in a second memory."""
        return self.offloaded[block % len(self.offloaded)]

    def lies_beside(self, name: str) -> bool:
        """Whether the weight of this name lies in a second memory; a bias does where its matrix does."""
        name = name.removesuffix(".bias")
        top, _, below = name.partition(".")
        number, _, own = below.partition(".")
        if top != "blocks" or name not in self.shapes or not self.is_offloaded(block := int(number)):
            return False
        # what is looked up, or is a convolution, is not multiplied as a matrix
        is_matrix = len(self.shapes[name]) == 2 and not own.endswith((".weight", "embedding"))
        return is_matrix and (own.startswith("experts.") or not self.has_experts(block))

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every weight, by name: matrices as (outputs, inputs), vectors as (width,), in the order of a pass.

        `embedding`, `positions`, `blocks.0.norm_1.weight`, `blocks.0.query`, `blocks.0.query.bias`,
        `blocks.0.query_norm.weight`, `blocks.0.up`, `blocks.0.router`, `blocks.0.experts.3.up`,
        `blocks.0.shared.up`, …, `norm.weight`, `output`; `project_in` and `project_out` where the
        embedding has a width of its own. The ledger holds them under `weights.` and these names.
        """
        d = self.d_model
        embedding = self.n_vocab, self.d_embedding
        found: dict[str, tuple[int, ...]] = {"embedding": embedding}
        if self.projects:
            found["project_in"] = (d, self.d_embedding)
        if self.positions == "learned":
            found["positions"] = (self.n_positions, d)
        for i in range(self.n_blocks):
            found |= {f"blocks.{i}.{name}": shape for name, shape in self._block(i).items()}
        found |= {"looked_norm.weight": (self.d_block,)} if self.d_block else {}
        found |= self.streams.last(d) if self.streams else {}
        found |= self.alternating.ends(d) if self.alternating else {}
        found |= self._norm("norm.") | ({"project_out": (self.d_embedding, d)} if self.projects else {})
        found |= {} if self.tied else {"output": embedding}
        return found | ({"output.bias": (self.n_vocab,)} if self.output_bias else {})

    def _block(self, i: int) -> dict[str, tuple[int, ...]]:
        """Shape of every weight of a block, by name."""
        states = self.states.shapes(self.d_model) if self.states and self.has_state(i) else None
        attention = self._with_biases(self.attention.shapes(self, i)) if states is None else states
        found = self._norm("norm_1.") | attention
        found |= self._norm("post_norm_1.") if self.post_norm else {}
        found |= self.streams.shapes(self.d_model) if self.streams else {}
        found |= self.alternating.shapes(self.d_model) if self.alternating else {}
        found |= {} if self.parallel else self._norm("norm_2.")
        if self.has_experts(i) and self.beside:
            found |= self._mlp("", self.mlp_width(i)) | self._norm("norm_3.") | {"router_norm.weight": (self.d_model,)}
            found |= self._experts() | {"expert_scales.weight": (self.n_experts,)}
            found |= self._norm("post_norm_mlp.") | self._norm("post_norm_experts.") if self.post_norm else {}
        else:
            found |= self._experts() if self.has_experts(i) else self._mlp("", self.mlp_width(i))
        found |= self._norm("post_norm_2.") if self.post_norm else {}
        return found | (self._beside_tokens() if self.d_block else {})

    def _beside_tokens(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the weights by which a block looks up a vector of its own for a token, and adds it."""
        narrow, wide = (self.d_block, self.d_model), (self.d_model, self.d_block)
        matrices = {"looked.gate": narrow, "looked.up": narrow, "looked.down": wide}
        return {"looked.embedding": (self.n_vocab_block, self.d_block), **matrices, **self._norm("looked_norm.")}

    def _experts(self) -> dict[str, tuple[int, ...]]:
        found = self._with_biases({"router": (self.n_experts, self.d_model)})
        for expert in range(self.n_experts):
            found |= self._mlp(f"experts.{expert}.", self.d_expert)
        found |= {"shared_gate": (1, self.d_model)} if self.shared_gate else {}
        return found | (self._mlp("shared.", self.d_shared) if self.n_shared else {})

    def _mlp(self, prefix: str, width: int) -> dict[str, tuple[int, ...]]:
        shapes = {name: (self.d_model, width) if name == "down" else (width, self.d_model) for name in self.mlp}
        slopes = {"slopes.weight": (2,)} if self.activation == "xielu" else {}
        return {prefix + name: shape for name, shape in (self._with_biases(shapes) | slopes).items()}

    def _norm(self, prefix: str) -> dict[str, tuple[int, ...]]:
        parts = {"bare": (), "rms": ("weight",), "layer": ("weight", "bias")}[self.norm]
        return {prefix + part: (self.d_model,) for part in parts}

    def _with_biases(self, matrices: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for name, shape in matrices.items():
            found[name] = shape
            if name in self.biases:
                found[f"{name}.bias"] = shape[:1]
        return found

    @property
    def n_parameters(self) -> int:
        """Number of parameters: the entries of all weights."""
        return sum(prod(shape) for shape in self.shapes.values())

    def stored(self, name: str) -> Format:
        """Format in which a drawn weight of this name is stored."""
        if name == "positions" or name.endswith((".weight", ".bias", ".sinks")):
            return self.vectors
        return self.ends or self.weights if name in ("embedding", "output") else self.weights
