"""A model counted by hand: a loop over its layers, from nothing but its config.json

What this package says of a model comes from formulas and from a table that says which of them is for which model. Here
is the same without either: what each layer weighs, keeps and multiplies is written down family by family, and the rest
is adding up. Where the two differ, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Config = Mapping[str, Any]


@dataclass(frozen=True)
class Weights:
    """So many matrices or vectors of one shape; a token may be multiplied with some of them only."""

    name: str
    each: int
    stored: int = 1
    multiplied: int = 1
    used: int = 1

    @classmethod
    def vector(cls, name: str, each: int, copies: int = 1) -> Weights:
        """Norms, biases, positions: added or scaled with, no matrix products."""
        return cls(name, each, copies, 0, copies)


@dataclass
class Layer:
    """A block of a decoder.

    Attributes:
        weights: what it stores.
        kept: numbers that its cache keeps of a token.
        decode: FLOPs of a new token's attention for each token that it attends to: products only.
        prompt: the same for a token of a prompt.
        window: the last tokens that it attends to; None where it attends to all.
        read: numbers that it reads of a token, where those are others than it keeps.
    """

    weights: list[Weights]
    kept: int
    decode: int
    prompt: int
    window: int | None = None
    read: int | None = None

    @property
    def moved(self) -> int:
        """Numbers that it reads of a token."""
        return self.kept if self.read is None else self.read

    def seen(self, context: int) -> int:
        """Tokens that a token at the end of the context attends to, and that the cache keeps."""
        return context if self.window is None else min(context, self.window)


@dataclass
class Decoder:
    """A whole model.

    Attributes:
        layers: its blocks.
        outside: weights outside of the blocks.
        output: weights of the matrix that makes logits.
        limit: the longest context its makers state.
        rest: operations for a token that are no matrix products; None where nobody counted them.
        rest_seen: the same, for each token that it attends to.
    """

    layers: list[Layer]
    outside: list[Weights]
    output: int
    limit: int | None
    rest: int | None = None
    rest_seen: int = 0
    experts: tuple[int, int] = field(init=False)  # how many there are in a layer, and how many a token picks

    def __post_init__(self) -> None:
        routed = [w for layer in self.layers for w in layer.weights if w.multiplied not in (0, w.stored)]
        self.experts = (routed[0].stored, routed[0].multiplied) if routed else (1, 1)

    @cached_property
    def weights(self) -> list[Weights]:
        """All of them."""
        return [*self.outside, *(weights for layer in self.layers for weights in layer.weights)]

    @cached_property
    def stored(self) -> int:
        """Weights that are held in memory."""
        return sum(w.each * w.stored for w in self.weights)

    @cached_property
    def multiplied(self) -> int:
        """Weights that a token is multiplied with."""
        return sum(w.each * w.multiplied for w in self.weights)

    @cached_property
    def used(self) -> int:
        """Weights that a token makes use of."""
        return sum(w.each * w.used for w in self.weights)

    @cached_property
    def idle(self) -> int:
        """Weights of the experts that one token does not pick."""
        return sum(w.each * (w.stored - w.multiplied) for w in self.weights if w.multiplied)


READ = frozenset(
    {
        "deepseek_v2", "deepseek_v3", "falcon", "gemma", "gemma2", "gemma3_text", "gemma4", "gpt2", "gpt_neox", "gptj",
        "kimi_k2", "llama", "mistral", "mixtral", "opt", "phi3", "qwen2", "qwen3", "qwen3_moe",
    }
)  # fmt: skip


def decoder(config: Config) -> Decoder:
    """The decoder that a config.json describes."""
    reader = {"gpt2": _gpt2, "gptj": _gptj, "opt": _opt, "falcon": _falcon, "gpt_neox": _gpt_neox}
    family = config["model_type"]
    if family in ("gemma4", "gemma4_text"):
        return _gemma4(config.get("text_config", config))
    if family.startswith(("deepseek", "kimi")):
        return _deepseek(config)
    return reader.get(family, _gated)(config)


def _gated(config: Config) -> Decoder:
    """LLaMA and its kin: RMSNorm, grouped heads, a gated MLP or experts."""
    family, d, n = config["model_type"], config["hidden_size"], config["num_hidden_layers"]
    heads, pairs = config["num_attention_heads"], config["num_key_value_heads"]
    width, ff = config.get("head_dim") or d // heads, config["intermediate_size"]
    experts, picked, expert = 1, 1, 0
    if family == "mixtral":
        experts, picked, expert = config["num_local_experts"], config["num_experts_per_tok"], 3 * d * ff
    if family == "qwen3_moe":
        experts, picked = config.get("num_experts") or config["num_local_experts"], config["num_experts_per_tok"]
        expert = 3 * d * config["moe_intermediate_size"]
    layers = []
    for i in range(n):
        weights = [Weights("grouped_attention_parameters", 2 * d * heads * width + 2 * d * pairs * width)]
        if family == "qwen2":
            weights.append(Weights.vector("query_key_value_biases", (heads + 2 * pairs) * width))
        if family in ("qwen3", "qwen3_moe", "gemma3_text"):
            weights.append(Weights.vector("vector_parameters_d_head", width, 2))
        if expert:
            weights.append(Weights("router_parameters", experts * d))
            weights.append(Weights("expert_parameters", expert, experts, picked, picked))
        else:
            weights.append(Weights("gated_mlp_parameters", 3 * d * ff))
        norms = 4 if family.startswith("gemma") else 2
        weights.append(Weights.vector("vector_parameters", d, norms))
        products = 2 * heads * width + 2 * heads * width  # a score, and a share of the weighted sum
        layers.append(Layer(weights, 2 * pairs * width, products, products, _window(config, i)))
    outside = [
        *_vocabulary(config["vocab_size"] * d, config, family.startswith("gemma")),
        Weights.vector("vector_parameters", d),
    ]
    made = Decoder(layers, outside, config["vocab_size"] * d, config.get("max_position_embeddings"))
    if family in ("llama", "qwen3", "mixtral") or (family == "mistral" and layers[0].window is None):
        norms = (2 * n + 1) * (4 * d + 3)  # square, add, divide, multiply; a mean, an epsilon, a root
        if family == "qwen3":
            norms += n * (heads + pairs) * (4 * width + 3)
        mlp = n * 5 * ff  # the gate's sigmoid takes 4, the product with the other half 1
        if expert:  # a softmax, a search for each expert picked, their shares, and their weighted sum
            mlp = n * (5 * experts + picked * experts + 2 * picked + picked * (5 * ff + 2 * d))
        made.rest = n * (3 * width * (heads + pairs) + 2 * d) + norms + mlp  # rotations and residuals first
        made.rest_seen = n * 6 * heads  # scale, compare, subtract, exponential, add, divide
    return made


def _gemma4(config: Config) -> Decoder:
    """Heads of another kind where no window is; experts, if there are any, beside an MLP."""
    d, n, heads = config["hidden_size"], config["num_hidden_layers"], config["num_attention_heads"]
    types = config.get("layer_types") or [("full" if i % 6 == 5 else "sliding") + "_attention" for i in range(n)]
    layers = []
    for i, kind in enumerate(types):
        full, width, pairs = kind == "full_attention" or i == n - 1, config["head_dim"], config["num_key_value_heads"]
        one_matrix = full and config.get("attention_k_eq_v", False)  # for keys and values
        width = config.get("global_head_dim", 512) or width if full else width
        pairs = config.get("num_global_key_value_heads") or pairs if one_matrix else pairs
        name = "shared_key_attention_parameters" if one_matrix else "grouped_attention_parameters"
        if full and not one_matrix:
            name += "_n_kv_full_d_head_full"
        own = i < n - (config.get("num_kv_shared_layers") or 0)
        wide = 2 if config.get("use_double_wide_mlp") and not own else 1
        weights = [Weights("gated_mlp_parameters", 3 * d * config["intermediate_size"], wide, wide, wide)]
        if own:
            weights.append(Weights(name, 2 * d * heads * width + (2 - one_matrix) * d * pairs * width))
            weights.append(Weights.vector("vector_parameters_d_head" + "_full" * full, width, 2))
        else:  # queries, and the way back from what another layer keeps
            which = "_d_head_full_d_head_full" if full else ""
            weights.append(Weights(f"query_output_parameters{which}", 2 * d * heads * width))
            weights.append(Weights.vector("vector_parameters_d_head" + "_full" * full, width))
        if narrow := config.get("hidden_size_per_layer_input", 256):
            rows = config.get("vocab_size_per_layer_input", 262_144) * narrow
            weights.append(Weights.vector("embedding_parameters_n_vocab_block_d_block", rows))
            weights.append(Weights("gated_mlp_parameters_d_block", 3 * d * narrow))
            weights.append(Weights.vector("vector_parameters", d))
        norms = 4
        if config.get("enable_moe_block", False):
            there, picked = config["num_experts"], config["top_k_experts"]
            weights.append(Weights("router_parameters", there * d))
            weights.append(Weights.vector("vector_parameters", d))
            weights.append(Weights.vector("vector_parameters_n_experts", there))
            weights.append(Weights("expert_parameters", 3 * d * config["moe_intermediate_size"], there, picked, picked))
            norms = 7
        weights.append(Weights.vector("vector_parameters", d, norms))
        products = 4 * heads * width
        window = None if full else config["sliding_window"]
        kept = 2 * pairs * width
        layers.append(Layer(weights, kept * own, products, products, window, kept))
    size = config["vocab_size"] * d
    outside = [*_vocabulary(size, config, tied=True), Weights.vector("vector_parameters", d)]
    if narrow := config.get("hidden_size_per_layer_input", 256):
        outside.append(Weights.vector("vector_parameters_d_block", narrow))
    return Decoder(layers, outside, size, config.get("max_position_embeddings"))


def _window(config: Config, i: int) -> int | None:
    """The window of the i-th layer."""
    window = config.get("sliding_window")
    if window is None or not config.get("use_sliding_window", True):
        return None
    types = config.get("layer_types")
    if types is None:  # Gemma's own patterns: each second block attends to everything, later each sixth
        every = {"gemma2": 2, "gemma3_text": config.get("sliding_window_pattern", 6)}.get(config["model_type"])
        return None if every and (i + 1) % every == 0 else int(window)
    return window if types[i] == "sliding_attention" else None


def _vocabulary(size: int, config: Config, tied: bool = False) -> Iterator[Weights]:
    """The embedding, of which a token takes one row, and the output matrix, which may be the same one."""
    if config.get("tie_word_embeddings", tied):
        yield Weights("embedding_parameters", size)
    else:
        yield Weights.vector("embedding_parameters", size)
        yield Weights("embedding_parameters", size)


def _plain(
    n: int, d: int, heads: int, ff: int, *, pairs: int = 0, biases: tuple[str, ...] = (), norms: int = 2
) -> list[Layer]:
    """Blocks with LayerNorm, heads that share the model's width, and an MLP of two matrices."""
    width, pairs = d // heads, pairs or heads
    layers = []
    for _ in range(n):
        weights = [
            Weights("grouped_attention_parameters", 2 * d * d + 2 * d * pairs * width),
            Weights("plain_mlp_parameters", 2 * d * ff),
            Weights.vector("vector_parameters", d, 2 * norms),  # each with biases
        ]
        of = {
            "queries, keys and values": {"query_key_value_biases": (heads + 2 * pairs) * width},
            "attention's output": {"vector_parameters": d},
            "the MLP": {"vector_parameters_d_ff": ff, "vector_parameters": d},
        }
        weights += [Weights.vector(name, each) for which in biases for name, each in of[which].items()]
        layers.append(Layer(weights, 2 * pairs * width, 4 * d, 4 * d))
    return layers


_ALL = ("queries, keys and values", "attention's output", "the MLP")


def _gpt2(config: Config) -> Decoder:
    d, n, heads = config["n_embd"], config["n_layer"], config["n_head"]
    ff, limit = config["n_inner"] or 4 * d, config["n_positions"]
    output = config["vocab_size"] * d
    outside = [
        *_vocabulary(output, config, tied=True),
        Weights.vector("embedding_parameters_n_positions", limit * d),
        Weights.vector("vector_parameters", d, 2),
    ]
    biases, gelu, residuals, norms = 3 * d + d + ff + d, 9 * ff, 2 * d, (2 * n + 1) * (7 * d + 4)
    rest = n * (biases + gelu + residuals) + norms + d  # and each token's position is added
    return Decoder(_plain(n, d, heads, ff, biases=_ALL), outside, output, limit, rest, n * 6 * heads)


def _gptj(config: Config) -> Decoder:
    d, n = config["n_embd"], config["n_layer"]
    layers = _plain(n, d, config["n_head"], config["n_inner"] or 4 * d, biases=("the MLP",), norms=1)
    output = config["vocab_size"] * d
    outside = [
        *_vocabulary(output, config),
        Weights.vector("vector_parameters_n_vocab", config["vocab_size"]),
        Weights.vector("vector_parameters", d, 2),
    ]
    return Decoder(layers, outside, output, config.get("n_positions"))


def _opt(config: Config) -> Decoder:
    d, n, narrow = config["hidden_size"], config["num_hidden_layers"], config["word_embed_proj_dim"]
    limit, output = config["max_position_embeddings"], config["vocab_size"] * narrow
    outside = [
        *_vocabulary(output, config, tied=True),
        Weights.vector("embedding_parameters_n_positions", (limit + 2) * d),  # two rows of padding
    ]
    if narrow != d:
        outside.append(Weights("projection_parameters", 2 * narrow * d))  # into the model's width and out of it
    if config["do_layer_norm_before"]:
        outside.append(Weights.vector("vector_parameters", d, 2))
    layers = _plain(n, d, config["num_attention_heads"], config["ffn_dim"], biases=_ALL)
    return Decoder(layers, outside, output, limit)


def _falcon(config: Config) -> Decoder:
    d, n, new = config["hidden_size"], config["num_hidden_layers"], config["new_decoder_architecture"]
    pairs = config["num_kv_heads"] if new else 1
    layers = _plain(n, d, config["num_attention_heads"], config["ffn_hidden_size"], pairs=pairs, norms=2 if new else 1)
    output = config["vocab_size"] * d
    outside = [*_vocabulary(output, config, tied=True), Weights.vector("vector_parameters", d, 2)]
    return Decoder(layers, outside, output, config.get("max_position_embeddings"))


def _gpt_neox(config: Config) -> Decoder:
    d, n = config["hidden_size"], config["num_hidden_layers"]
    layers = _plain(n, d, config["num_attention_heads"], config["intermediate_size"], biases=_ALL)
    output = config["vocab_size"] * d
    outside = [*_vocabulary(output, config), Weights.vector("vector_parameters", d, 2)]
    return Decoder(layers, outside, output, config.get("max_position_embeddings"))


def _deepseek(config: Config) -> Decoder:
    """Latent attention: keys and values are one short vector for all heads, beside a part that is rotated."""
    d, heads, latent = config["hidden_size"], config["num_attention_heads"], config["kv_lora_rank"]
    nope, rope, value = config["qk_nope_head_dim"], config["qk_rope_head_dim"], config["v_head_dim"]
    query, expert = config["q_lora_rank"], 3 * d * config["moe_intermediate_size"]
    layers = []
    for i in range(config["num_hidden_layers"]):
        raised = latent * heads * (nope + value)
        weights = [
            Weights("latent_key_value_parameters", d * (latent + rope) + raised + heads * value * d),
            Weights.vector("vector_parameters_d_latent", latent),
            Weights.vector("vector_parameters", d, 2),
        ]
        if query is None:
            weights.append(Weights("full_query_parameters", d * heads * (nope + rope)))
        else:
            weights.append(Weights("compressed_query_parameters", d * query + query * heads * (nope + rope)))
            weights.append(Weights.vector("vector_parameters_d_query", query))
        if i < config["first_k_dense_replace"]:
            weights.append(Weights("gated_mlp_parameters", 3 * d * config["intermediate_size"]))
        else:
            routed, picked, shared = (
                config[name] for name in ("n_routed_experts", "num_experts_per_tok", "n_shared_experts")
            )
            weights.append(Weights("router_parameters", routed * d))
            weights.append(Weights("expert_parameters", expert, routed, picked, picked))
            weights.append(Weights("expert_parameters", expert, shared, shared, shared))
        absorbed = 2 * heads * (latent + rope) + 2 * heads * latent  # on the latent vectors themselves
        expanded = 2 * heads * (nope + rope) + 2 * heads * value  # on keys and values made of them
        layers.append(Layer(weights, latent + rope, absorbed, expanded))
    output = config["vocab_size"] * d
    outside = [*_vocabulary(output, config), Weights.vector("vector_parameters", d)]
    return Decoder(layers, outside, output, config.get("max_position_embeddings"))
