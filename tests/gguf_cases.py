"""Headers of GGUF files as llama.cpp's converter writes them, each with the config.json that it was made from

Metadata and tensors are written down by architecture, in llama.cpp's words; no code of the package takes part.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]
D, HEADS, KV, HEAD, FF, VOCAB, N, CONTEXT = 96, 6, 2, 16, 160, 320, 4, 2048
_TYPES = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}
F32, F16, Q8_0, Q4_K = 0, 1, 8, 12


def text(value: str) -> bytes:
    """A text of a header."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(found: Any) -> bytes:
    """A value of the metadata with its type."""
    if isinstance(found, str):
        return struct.pack("<I", 8) + text(found)
    if isinstance(found, list):
        if all(isinstance(one, str) for one in found):
            return struct.pack("<IIQ", 9, 8, len(found)) + b"".join(map(text, found))
        kind, layout = _TYPES[type(found[0])]
        return struct.pack("<IIQ", 9, kind, len(found)) + struct.pack(f"<{len(found)}{layout}", *found)
    kind, layout = _TYPES[type(found)]
    return struct.pack(f"<I{layout}", kind, found)


def gguf_bytes(values: dict[str, Any], tensors: dict[str, Shape], kind: Callable[[str], int] = lambda _: F32) -> bytes:
    """A file with these, but for its weights."""
    pieces = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(values))]
    pieces += [text(name) + value(found) for name, found in values.items()]
    for name, shape in tensors.items():
        axes = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        pieces.append(text(name) + axes + struct.pack("<IQ", kind(name), 0))
    return b"".join(pieces)


@dataclass(frozen=True)
class Case:
    """An architecture: metadata without its prefix, tensors, and the config of the same model."""

    arch: str
    metadata: dict[str, Any]
    tensors: dict[str, Shape]
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """All values of the header."""
        named = {f"{self.arch}.{name}": found for name, found in self.metadata.items()}
        tokens = {"tokenizer.ggml.tokens": ["a", "b"] * (VOCAB // 2), "tokenizer.ggml.scores": [0.5] * VOCAB}
        return {"general.architecture": self.arch, "general.name": "made", **named, **tokens}

    def bytes(self, kind: Callable[[str], int] = lambda _: F32) -> bytes:
        """The file."""
        return gguf_bytes(self.values, self.tensors, kind)


def attention(
    i: int, *, biases: str = "", norms: str = "", fused: bool = False, q: int = HEADS * HEAD
) -> dict[str, Shape]:
    """Matrices of attention, biases of those in `biases`, norms of queries and keys: "head" or "all"."""
    kv = KV * HEAD
    widths = {"attn_qkv": q + 2 * kv} if fused else {"attn_q": q, "attn_k": kv, "attn_v": kv}
    found: dict[str, Shape] = {f"blk.{i}.{name}.weight": (width, D) for name, width in widths.items()}
    found[f"blk.{i}.attn_output.weight"] = (D, HEADS * HEAD)
    if "q" in biases:
        found |= {f"blk.{i}.{name}.bias": (width,) for name, width in widths.items()}
    if "o" in biases:
        found[f"blk.{i}.attn_output.bias"] = (D,)
    if norms:
        sizes = (HEAD, HEAD) if norms == "head" else (HEADS * HEAD, kv)
        found |= {f"blk.{i}.attn_{name}_norm.weight": (size,) for name, size in zip("qk", sizes, strict=True)}
    return found


def mlp(i: int, width: int = FF, *, gate: bool = True, biases: bool = False, fused: bool = False) -> dict[str, Shape]:
    """An MLP."""
    found: dict[str, Shape] = {
        f"blk.{i}.ffn_up.weight": (width * (1 + fused), D),
        f"blk.{i}.ffn_down.weight": (D, width),
    }
    if gate and not fused:
        found[f"blk.{i}.ffn_gate.weight"] = (width, D)
    if biases:
        found |= {f"blk.{i}.ffn_up.bias": (width,), f"blk.{i}.ffn_down.bias": (D,)}
    return found


def experts(
    i: int, n: int, width: int, *, shared: int = 0, gate: bool = True, biases: bool = False
) -> dict[str, Shape]:
    """Experts with their router, and shared ones as one MLP."""
    found: dict[str, Shape] = {
        f"blk.{i}.ffn_gate_inp.weight": (n, D),
        f"blk.{i}.ffn_up_exps.weight": (n, width, D),
        f"blk.{i}.ffn_down_exps.weight": (n, D, width),
    }
    if gate:
        found[f"blk.{i}.ffn_gate_exps.weight"] = (n, width, D)
    if biases:
        found |= {f"blk.{i}.ffn_{name}_exps.bias": (n, width) for name in ("gate", "up")}
        found |= {f"blk.{i}.ffn_down_exps.bias": (n, D), f"blk.{i}.ffn_gate_inp.bias": (n,)}
    if shared:
        names = ("gate", "up") if gate else ("up",)
        found |= {f"blk.{i}.ffn_{name}_shexp.weight": (shared, D) for name in names}
        found[f"blk.{i}.ffn_down_shexp.weight"] = (D, shared)
    return found


def norms(i: int, *names: str, bias: bool = False) -> dict[str, Shape]:
    """Norms of a block, by name."""
    kinds = ("weight", "bias") if bias else ("weight",)
    return {f"blk.{i}.{name}.{kind}": (D,) for name in names or ("attn_norm", "ffn_norm") for kind in kinds}


def whole(
    block: Callable[[int], Iterable[dict[str, Shape]]],
    *,
    tied: bool = False,
    bias: bool = False,
    norm: str = "output_norm",
) -> dict[str, Shape]:
    """All tensors: those of the blocks between the embedding and the output."""
    found: dict[str, Shape] = {"token_embd.weight": (VOCAB, D), f"{norm}.weight": (D,)}
    if bias:
        found[f"{norm}.bias"] = (D,)
    if not tied:
        found["output.weight"] = (VOCAB, D)
    for i in range(N):
        for tensors in block(i):
            found |= tensors
    return found


_SHAPES = {
    "block_count": N, "embedding_length": D, "feed_forward_length": FF, "attention.head_count": HEADS,
    "attention.head_count_kv": KV, "context_length": CONTEXT, "attention.layer_norm_rms_epsilon": 1e-6,
}  # fmt: skip
_CONFIG = {
    "num_hidden_layers": N, "hidden_size": D, "intermediate_size": FF, "num_attention_heads": HEADS,
    "num_key_value_heads": KV, "vocab_size": VOCAB, "max_position_embeddings": CONTEXT,
}  # fmt: skip
_WIDE = {"attention.key_length": HEAD, "attention.value_length": HEAD}
_WINDOW = {"attention.sliding_window": 512}
_MOE = {"expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 48}
_MOE_CONFIG = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 48}


def case(arch: str, config: dict[str, Any], tensors: dict[str, Shape], **more: Any) -> Case:
    """A case of the usual shapes and some more."""
    named = {name.replace("__", "."): found for name, found in more.items()}
    metadata = {name: found for name, found in {**_SHAPES, **named}.items() if found is not None}
    # null where the family says what that means, and elsewhere a common field that this family does not have
    left_out = {name for name in _CONFIG if config.get(name, 0) is None}
    return Case(
        arch, metadata, tensors, {name: one for name, one in {**_CONFIG, **config}.items() if name not in left_out}
    )


def dots(values: dict[str, Any]) -> dict[str, Any]:
    """Names of values as arguments."""
    return {name.replace(".", "__"): found for name, found in values.items()}


def _delta(i: int) -> dict[str, Shape]:
    """A gated delta rule: 2 heads of keys 16 wide, 4 of values 24 wide, a kernel of 4."""
    keys, wide, heads = 2 * 16, 4 * 24, 4
    return {
        f"blk.{i}.attn_qkv.weight": (2 * keys + wide, D),
        f"blk.{i}.attn_gate.weight": (wide, D),
        f"blk.{i}.ssm_conv1d.weight": (2 * keys + wide, 4),
        f"blk.{i}.ssm_dt.bias": (heads,),
        f"blk.{i}.ssm_a": (heads,),
        f"blk.{i}.ssm_alpha.weight": (heads, D),
        f"blk.{i}.ssm_beta.weight": (heads, D),
        f"blk.{i}.ssm_norm.weight": (24,),
        f"blk.{i}.ssm_out.weight": (D, wide),
    }


_DELTA = {
    "ssm.conv_kernel": 4, "ssm.state_size": 16, "ssm.group_count": 2, "ssm.time_step_rank": 4, "ssm.inner_size": 96,
    "full_attention_interval": 4, **_WIDE,
}  # fmt: skip
_DELTA_CONFIG = {
    "linear_conv_kernel_dim": 4, "linear_key_head_dim": 16, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
    "linear_value_head_dim": 24, "head_dim": HEAD,
}  # fmt: skip


def _next(i: int) -> dict[str, Shape]:
    """Attention under a gate in every fourth block, a delta rule in the others."""
    return attention(i, norms="head", q=2 * HEADS * HEAD) if i % 4 == 3 else _delta(i)


def _next_with_experts(i: int) -> tuple[dict[str, Shape], ...]:
    """A block of these with experts, one of them shared under a gate."""
    gate: dict[str, Shape] = {f"blk.{i}.ffn_gate_inp_shexp.weight": (D,)}
    return _next(i), experts(i, 8, 48, shared=80), gate, norms(i, "attn_norm", "post_attention_norm")


def _mamba(i: int, d_inner: int = 64, groups: int = 2, state: int = 16, heads: int = 4) -> dict[str, Shape]:
    mixed = d_inner + 2 * groups * state
    return {
        f"blk.{i}.ssm_in.weight": (d_inner + mixed + heads, D),
        f"blk.{i}.ssm_conv1d.weight": (mixed, 4),
        f"blk.{i}.ssm_conv1d.bias": (mixed,),
        f"blk.{i}.ssm_dt.bias": (heads,),
        f"blk.{i}.ssm_a": (heads, 1),
        f"blk.{i}.ssm_d": (heads, 1),
        f"blk.{i}.ssm_norm.weight": (groups, d_inner // groups),
        f"blk.{i}.ssm_out.weight": (D, d_inner),
    }


_SSM = {"ssm.conv_kernel": 4, "ssm.state_size": 16, "ssm.group_count": 2, "ssm.time_step_rank": 4, "ssm.inner_size": 64}


def _latent(i: int, *, queries: bool = True, split: bool = True) -> dict[str, Shape]:
    """Latent attention: 24 wide queries and 32 wide latents, 8 rotated numbers, 12 others, values 20 wide."""
    found: dict[str, Shape] = {
        f"blk.{i}.attn_kv_a_mqa.weight": (32 + 8, D),
        f"blk.{i}.attn_kv_a_norm.weight": (32,),
        f"blk.{i}.attn_output.weight": (D, HEADS * 20),
    }
    if split:
        found |= {f"blk.{i}.attn_k_b.weight": (HEADS, 32, 12), f"blk.{i}.attn_v_b.weight": (HEADS, 20, 32)}
    else:
        found[f"blk.{i}.attn_kv_b.weight"] = (HEADS * (12 + 20), 32)
    if queries:
        found |= {
            f"blk.{i}.attn_q_a.weight": (24, D),
            f"blk.{i}.attn_q_a_norm.weight": (24,),
            f"blk.{i}.attn_q_b.weight": (HEADS * 20, 24),
        }
    else:
        found[f"blk.{i}.attn_q.weight"] = (HEADS * 20, D)
    return found


_LATENT = {
    "attention.q_lora_rank": 24, "attention.kv_lora_rank": 32, "attention.key_length": 40, "attention.value_length": 32,
    "attention.key_length_mla": 20, "attention.value_length_mla": 20, "rope.dimension_count": 8,
    "attention.head_count_kv": 1, **_MOE, "expert_shared_count": 1, "leading_dense_block_count": 1,
}  # fmt: skip
_LATENT_CONFIG = {
    "num_key_value_heads": HEADS, "q_lora_rank": 24, "kv_lora_rank": 32, "qk_rope_head_dim": 8, "qk_nope_head_dim": 12,
    "v_head_dim": 20, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 48,
    "n_shared_experts": 1, "first_k_dense_replace": 1,
}  # fmt: skip


def _after_first(i: int, shared: int = 48) -> dict[str, Shape]:
    return mlp(i) if i == 0 else {**experts(i, 8, 48, shared=shared), f"blk.{i}.exp_probs_b.bias": (8,)}


def _index(i: int) -> dict[str, Shape]:
    """An index of 4 heads, 16 wide."""
    return {
        f"blk.{i}.indexer.attn_k.weight": (16, D),
        f"blk.{i}.indexer.k_norm.weight": (16,),
        f"blk.{i}.indexer.k_norm.bias": (16,),
        f"blk.{i}.indexer.proj.weight": (4, D),
        f"blk.{i}.indexer.attn_q_b.weight": (4 * 16, 24),
    }


_KINDS = ("mamba", "attention", "mlp", "mamba")  # of the blocks of a hybrid
_GEMMA_NORMS = ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
_TWO_AFTER = ("post_attention_norm", "post_ffw_norm")
_LFM = [0, KV, 0, KV]


def _lfm2(i: int) -> dict[str, Shape]:
    if _LFM[i]:
        return attention(i, norms="head")
    return {
        f"blk.{i}.shortconv.conv.weight": (D, 3),
        f"blk.{i}.shortconv.in_proj.weight": (3 * D, D),
        f"blk.{i}.shortconv.out_proj.weight": (D, D),
    }


def _nemotron(i: int, moe: bool) -> dict[str, Shape]:
    kind = _KINDS[i]
    if kind == "mamba":
        return _mamba(i)
    if kind == "attention":
        return attention(i)
    return experts(i, 8, 48, shared=80, gate=False) if moe else mlp(i, gate=False)


def _old(i: int) -> dict[str, Shape]:
    """Attention of as many keys as queries, in one matrix with biases."""
    return {
        f"blk.{i}.attn_qkv.weight": (3 * D, D),
        f"blk.{i}.attn_qkv.bias": (3 * D,),
        f"blk.{i}.attn_output.weight": (D, D),
        f"blk.{i}.attn_output.bias": (D,),
    }


CASES = {
    "llama": case(
        "llama",
        {"model_type": "llama"},
        {**whole(lambda i: (attention(i), mlp(i), norms(i))), "rope_freqs.weight": (8,)},
    ),
    "tied llama": case(
        "llama",
        {"model_type": "llama", "tie_word_embeddings": True},
        whole(lambda i: (attention(i), mlp(i), norms(i)), tied=True),
    ),
    "mixtral": case(
        "llama",
        {"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": None},
        whole(lambda i: (attention(i), experts(i, 8, FF), norms(i))),
        expert_count=8,
        expert_used_count=2,
    ),
    "mistral3": case(
        "mistral3",
        {"model_type": "ministral3", "head_dim": HEAD, "sliding_window": None},
        whole(lambda i: (attention(i), mlp(i), norms(i))),
        **dots(_WIDE),
    ),
    "qwen2": case("qwen2", {"model_type": "qwen2"}, whole(lambda i: (attention(i, biases="q"), mlp(i), norms(i)))),
    "qwen2moe": case(
        "qwen2moe",
        {"model_type": "qwen2_moe", **_MOE_CONFIG, "shared_expert_intermediate_size": 80},
        whole(
            lambda i: (
                attention(i, biases="q"),
                experts(i, 8, 48, shared=80),
                {f"blk.{i}.ffn_gate_inp_shexp.weight": (D,)},
                norms(i),
            )
        ),
        **_MOE,
        expert_shared_feed_forward_length=80,
    ),
    "qwen2vl": case(
        "qwen2vl", {"model_type": "qwen2_vl_text"}, whole(lambda i: (attention(i, biases="q"), mlp(i), norms(i)))
    ),
    "qwen3": case(
        "qwen3",
        {"model_type": "qwen3", "head_dim": HEAD},
        whole(lambda i: (attention(i, norms="head"), mlp(i), norms(i))),
        **dots(_WIDE),
    ),
    "qwen3moe": case(
        "qwen3moe",
        {"model_type": "qwen3_moe", **_MOE_CONFIG, "head_dim": HEAD},
        whole(lambda i: (attention(i, norms="head"), experts(i, 8, 48), norms(i))),
        **_MOE,
        **dots(_WIDE),
    ),
    "qwen3vl": case(
        "qwen3vl",
        {"model_type": "qwen3_vl_text", "head_dim": HEAD},
        whole(lambda i: (attention(i, norms="head"), mlp(i), norms(i))),
        **dots(_WIDE),
    ),
    "qwen3vlmoe": case(
        "qwen3vlmoe",
        {"model_type": "qwen3_vl_moe_text", **_MOE_CONFIG, "head_dim": HEAD, "tie_word_embeddings": False},
        whole(lambda i: (attention(i, norms="head"), experts(i, 8, 48), norms(i))),
        **_MOE,
        **dots(_WIDE),
    ),
    "qwen35": case(
        "qwen35",
        {"model_type": "qwen3_5_text", **_DELTA_CONFIG},
        whole(lambda i: (_next(i), mlp(i), norms(i, "attn_norm", "post_attention_norm"))),
        **dots(_DELTA),
    ),
    "qwen35moe": case(
        "qwen35moe",
        {"model_type": "qwen3_5_moe_text", **_DELTA_CONFIG, **_MOE_CONFIG, "shared_expert_intermediate_size": 80},
        whole(_next_with_experts),
        **dots(_DELTA),
        **_MOE,
        expert_shared_feed_forward_length=80,
    ),
    "qwen3next": case(
        "qwen3next",
        {"model_type": "qwen3_next", **_DELTA_CONFIG, **_MOE_CONFIG, "shared_expert_intermediate_size": 80},
        whole(_next_with_experts),
        **dots(_DELTA),
        **_MOE,
        expert_shared_feed_forward_length=80,
    ),
    "gemma": case(
        "gemma",
        {"model_type": "gemma", "head_dim": HEAD},
        whole(lambda i: (attention(i), mlp(i), norms(i)), tied=True),
        **dots(_WIDE),
    ),
    "gemma2": case(
        "gemma2",
        {"model_type": "gemma2", "head_dim": HEAD, "sliding_window": 512},
        whole(lambda i: (attention(i), mlp(i), norms(i, *_GEMMA_NORMS)), tied=True),
        **dots({**_WIDE, **_WINDOW}),
    ),
    "gemma3": case(
        "gemma3",
        {"model_type": "gemma3_text", "head_dim": HEAD, "sliding_window": 512},
        whole(lambda i: (attention(i, norms="head"), mlp(i), norms(i, *_GEMMA_NORMS)), tied=True),
        **dots({**_WIDE, **_WINDOW}),
    ),
    "phi3": case(
        "phi3",
        {"model_type": "phi3", "sliding_window": None, "pad_token_id": 0},
        {**whole(lambda i: (attention(i, fused=True), mlp(i, fused=True), norms(i))), "rope_factors_long.weight": (8,)},
    ),
    "phimoe": case(
        "phimoe",
        {
            "model_type": "phimoe",
            "num_local_experts": 8,
            "num_experts_per_tok": 2,
            "attention_bias": True,
            "lm_head_bias": True,
        },
        {
            **whole(lambda i: (attention(i, biases="qo"), experts(i, 8, FF), norms(i, bias=True)), bias=True),
            "output.bias": (VOCAB,),
        },
        expert_count=8,
        expert_used_count=2,
    ),
    "starcoder2": case(
        "starcoder2",
        {"model_type": "starcoder2", "use_bias": True, "sliding_window": None},
        whole(
            lambda i: (attention(i, biases="qo"), mlp(i, gate=False, biases=True), norms(i, bias=True)),
            tied=True,
            bias=True,
        ),
    ),
    "stablelm": case(
        "stablelm",
        {"model_type": "stablelm", "use_qkv_bias": True},
        whole(lambda i: (attention(i, biases="q"), mlp(i), norms(i, bias=True)), bias=True),
    ),
    "olmo2": case(
        "olmo2", {"model_type": "olmo2"}, whole(lambda i: (attention(i, norms="all"), mlp(i), norms(i, *_TWO_AFTER)))
    ),
    "olmo3": case(
        "olmo2",
        {"model_type": "olmo3", "sliding_window": 512},
        whole(lambda i: (attention(i, norms="all"), mlp(i), norms(i, *_TWO_AFTER))),
        **dots(_WINDOW),
    ),
    "olmoe": case(
        "olmoe",
        {"model_type": "olmoe", "num_experts": 8, "num_experts_per_tok": 2},
        whole(lambda i: (attention(i, norms="all"), experts(i, 8, FF), norms(i))),
        expert_count=8,
        expert_used_count=2,
    ),
    "command-r": case(
        "command-r", {"model_type": "cohere"}, whole(lambda i: (attention(i), mlp(i), norms(i, "attn_norm")), tied=True)
    ),
    "cohere2": case(
        "cohere2",
        {"model_type": "cohere2", "head_dim": HEAD, "sliding_window": 512},
        whole(lambda i: (attention(i), mlp(i), norms(i, "attn_norm")), tied=True),
        **dots({**_WIDE, **_WINDOW}),
    ),
    "deepseek2": case(
        "deepseek2",
        {"model_type": "deepseek_v3", **_LATENT_CONFIG},
        whole(lambda i: (_latent(i), _after_first(i), norms(i))),
        **dots(_LATENT),
    ),
    "older deepseek2": case(
        "deepseek2",
        {"model_type": "deepseek_v3", **_LATENT_CONFIG, "q_lora_rank": None},
        whole(lambda i: (_latent(i, queries=False, split=False), _after_first(i), norms(i))),
        **dots(
            {
                **_LATENT,
                "attention.q_lora_rank": None,
                "attention.key_length": 20,
                "attention.value_length": 20,
                "attention.key_length_mla": None,
                "attention.value_length_mla": None,
                "attention.head_count_kv": HEADS,
            }
        ),
    ),
    "glm-dsa": case(
        "glm-dsa",
        {"model_type": "glm_moe_dsa", **_LATENT_CONFIG, "index_n_heads": 4, "index_head_dim": 16, "index_topk": 64},
        whole(lambda i: (_latent(i), _index(i), _after_first(i), norms(i))),
        **dots(
            {
                **_LATENT,
                "attention.indexer.head_count": 4,
                "attention.indexer.key_length": 16,
                "attention.indexer.top_k": 64,
            }
        ),
    ),
    "glm4": case(
        "glm4",
        {"model_type": "glm4", "head_dim": HEAD, "attention_bias": False},
        whole(lambda i: (attention(i), mlp(i, fused=True), norms(i, *_GEMMA_NORMS))),
        **dots(_WIDE),
    ),
    "chatglm": case(
        "chatglm",
        {"model_type": "glm", "head_dim": HEAD, "attention_bias": True},
        whole(lambda i: (attention(i, biases="q", fused=True), mlp(i, fused=True), norms(i))),
        **dots(_WIDE),
    ),
    "glm4moe": case(
        "glm4moe",
        {
            "model_type": "glm4_moe",
            "head_dim": HEAD,
            "attention_bias": True,
            "use_qk_norm": True,
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 48,
            "n_shared_experts": 1,
            "first_k_dense_replace": 1,
        },
        {
            **whole(
                lambda i: (
                    attention(i, biases="q", norms="head"),
                    _after_first(i),
                    norms(i, "attn_norm", "post_attention_norm"),
                )
            ),
            f"blk.{N}.nextn.eh_proj.weight": (D, 2 * D),
            f"blk.{N}.attn_norm.weight": (D,),
        },
        **dots(
            {
                **_WIDE,
                **_MOE,
                "expert_shared_count": 1,
                "leading_dense_block_count": 1,
                "block_count": N + 1,
                "nextn_predict_layers": 1,
            }
        ),
    ),
    "granite": case(
        "granite",
        {"model_type": "granite", "tie_word_embeddings": True},
        whole(lambda i: (attention(i), mlp(i), norms(i)), tied=True),
    ),
    "granitemoe": case(
        "granitemoe",
        {"model_type": "granitemoe", "num_local_experts": 8, "num_experts_per_tok": 2},
        whole(lambda i: (attention(i), experts(i, 8, FF), norms(i))),
        expert_count=8,
        expert_used_count=2,
    ),
    "granitehybrid": case(
        "granitehybrid",
        {
            "model_type": "granitemoehybrid",
            "layer_types": ["mamba", "attention", "mamba", "mamba"],
            "num_local_experts": 8,
            "num_experts_per_tok": 2,
            "shared_intermediate_size": 80,
            "mamba_d_conv": 4,
            "mamba_d_state": 16,
            "mamba_n_groups": 2,
            "mamba_n_heads": 4,
            "mamba_d_head": 48,
            "tie_word_embeddings": True,
        },
        whole(
            lambda i: (attention(i) if i == 1 else _mamba(i, d_inner=192), experts(i, 8, FF, shared=80), norms(i)),
            tied=True,
        ),
        **dots(
            {
                **_SSM,
                "ssm.inner_size": 192,
                "attention.head_count_kv": [0, KV, 0, 0],
                "expert_count": 8,
                "expert_used_count": 2,
                "expert_shared_feed_forward_length": 80,
            }
        ),
    ),
    "nemotron_h": case(
        "nemotron_h",
        {
            "model_type": "nemotron_h",
            "head_dim": HEAD,
            "layers_block_type": list(_KINDS),
            "n_groups": 2,
            "mamba_num_heads": 4,
            "ssm_state_size": 16,
            "mamba_head_dim": 16,
            "conv_kernel": 4,
        },
        whole(lambda i: (_nemotron(i, moe=False), norms(i, "attn_norm"))),
        **dots({**_SSM, **_WIDE, "attention.head_count_kv": [0, KV, 0, 0], "feed_forward_length": [0, 0, FF, 0]}),
    ),
    "nemotron_h_moe": case(
        "nemotron_h_moe",
        {
            "model_type": "nemotron_h",
            "head_dim": HEAD,
            "layers_block_type": ["moe" if kind == "mlp" else kind for kind in _KINDS],
            "intermediate_size": 48,
            "n_groups": 2,
            "mamba_num_heads": 4,
            "ssm_state_size": 16,
            "mamba_head_dim": 16,
            "conv_kernel": 4,
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 48,
            "moe_shared_expert_intermediate_size": 80,
        },
        whole(lambda i: (_nemotron(i, moe=True), norms(i, "attn_norm"))),
        **dots(
            {
                **_SSM,
                **_WIDE,
                **_MOE,
                "expert_shared_feed_forward_length": 80,
                "attention.head_count_kv": [0, KV, 0, 0],
                "feed_forward_length": [0, 0, 48, 0],
            }
        ),
    ),
    "exaone4": case(
        "exaone4",
        {"model_type": "exaone4", "sliding_window": None},
        whole(lambda i: (attention(i, norms="head"), mlp(i), norms(i, *_TWO_AFTER))),
    ),
    "ernie4_5": case(
        "ernie4_5",
        {"model_type": "ernie4_5", "tie_word_embeddings": True, "head_dim": HEAD},
        whole(lambda i: (attention(i), mlp(i), norms(i)), tied=True),
        **dots(_WIDE),
    ),
    "hunyuan-dense": case(
        "hunyuan-dense",
        {"model_type": "hunyuan_v1_dense", "head_dim": HEAD, "tie_word_embeddings": True},
        whole(lambda i: (attention(i, norms="head"), mlp(i), norms(i)), tied=True),
        **dots(_WIDE),
    ),
    "smollm3": case(
        "smollm3",
        {"model_type": "smollm3", "tie_word_embeddings": True},
        whole(lambda i: (attention(i), mlp(i), norms(i)), tied=True),
    ),
    "gpt-oss": case(
        "gpt-oss",
        {
            "model_type": "gpt_oss",
            "head_dim": HEAD,
            "intermediate_size": 48,
            "num_local_experts": 8,
            "num_experts_per_tok": 2,
            "sliding_window": 512,
        },
        whole(
            lambda i: (
                attention(i, biases="qo"),
                {f"blk.{i}.attn_sinks.weight": (HEADS,)},
                experts(i, 8, 48, biases=True),
                norms(i, "attn_norm", "post_attention_norm"),
            )
        ),
        **dots({**_WIDE, **_WINDOW, **_MOE, "feed_forward_length": 48}),
    ),
    "lfm2": case(
        "lfm2",
        {
            "model_type": "lfm2",
            "layer_types": ["full_attention" if one else "conv" for one in _LFM],
            "conv_L_cache": 3,
            "block_auto_adjust_ff_dim": False,
        },
        whole(lambda i: (_lfm2(i), mlp(i), norms(i)), tied=True, norm="token_embd_norm"),
        **dots({"attention.head_count_kv": _LFM, "shortconv.l_cache": 3}),
    ),
    "lfm2moe": case(
        "lfm2moe",
        {
            "model_type": "lfm2_moe",
            "layer_types": ["full_attention" if one else "conv" for one in _LFM],
            "conv_L_cache": 3,
            **_MOE_CONFIG,
            "num_dense_layers": 1,
            "tie_word_embeddings": True,
        },
        whole(lambda i: (_lfm2(i), _after_first(i, shared=0), norms(i)), tied=True, norm="token_embd_norm"),
        **dots({**_MOE, "attention.head_count_kv": _LFM, "shortconv.l_cache": 3, "leading_dense_block_count": 1}),
    ),
    "seed_oss": case(
        "seed_oss",
        {"model_type": "seed_oss", "head_dim": HEAD},
        whole(lambda i: (attention(i, biases="q"), mlp(i), norms(i, "attn_norm", "post_attention_norm"))),
        **dots(_WIDE),
    ),
    "minimax-m2": case(
        "minimax-m2",
        {
            "model_type": "minimax_m2",
            "head_dim": HEAD,
            "intermediate_size": 48,
            "num_local_experts": 8,
            "num_experts_per_tok": 2,
        },
        whole(lambda i: (attention(i, norms="all"), experts(i, 8, 48), {f"blk.{i}.exp_probs_b.bias": (8,)}, norms(i))),
        **dots({**_WIDE, **_MOE, "feed_forward_length": 48}),
    ),
    "phi2": case(
        "phi2",
        {"model_type": "phi", "num_key_value_heads": KV},
        {
            **whole(
                lambda i: (
                    attention(i, biases="qo"),
                    mlp(i, gate=False, biases=True),
                    norms(i, "attn_norm", bias=True),
                ),
                bias=True,
            ),
            "output.bias": (VOCAB,),
        },
    ),
    "apertus": case(
        "apertus",
        {"model_type": "apertus"},
        whole(lambda i: (attention(i, norms="head"), mlp(i, gate=False), norms(i))),
    ),
    "gpt2": case(
        "gpt2",
        {"model_type": "gpt2", "n_inner": FF, "num_key_value_heads": None, "intermediate_size": None},
        {
            **whole(lambda i: (_old(i), mlp(i, gate=False, biases=True), norms(i, bias=True)), tied=True, bias=True),
            "position_embd.weight": (CONTEXT, D),
        },
        **dots({"attention.head_count_kv": HEADS}),
    ),
    "gptneox": case(
        "gptneox",
        {"model_type": "gpt_neox", "num_key_value_heads": None},
        whole(lambda i: (_old(i), mlp(i, gate=False, biases=True), norms(i, bias=True)), bias=True),
        **dots({"attention.head_count_kv": None}),
    ),
    "bloom": case(
        "bloom",
        {
            "model_type": "bloom",
            "seq_length": CONTEXT,
            "num_key_value_heads": None,
            "intermediate_size": None,
            "max_position_embeddings": None,
        },
        {
            **whole(
                lambda i: (_old(i), mlp(i, 4 * D, gate=False, biases=True), norms(i, bias=True)), tied=True, bias=True
            ),
            "token_embd_norm.weight": (D,),
            "token_embd_norm.bias": (D,),
        },
        **dots({"attention.head_count_kv": HEADS, "feed_forward_length": 4 * D}),
    ),
    "ernie4_5-moe": case(
        "ernie4_5-moe",
        {
            "model_type": "ernie4_5_moe",
            "tie_word_embeddings": False,
            "moe_num_experts": 8,
            "moe_k": 2,
            "moe_intermediate_size": 48,
            "moe_num_shared_experts": 2,
            "moe_layer_start_index": 1,
            "moe_layer_interval": 1,
        },
        whole(lambda i: (attention(i), _after_first(i, shared=96), norms(i))),
        **dots({**_MOE, "expert_shared_count": 2, "leading_dense_block_count": 1, "interleave_moe_layer_step": 1}),
    ),
    "hunyuan-moe": case(
        "hunyuan-moe",
        {
            "model_type": "hunyuan_v1_moe",
            "head_dim": HEAD,
            "intermediate_size": 48,
            "num_experts": 8,
            "moe_topk": 2,
            "num_shared_expert": 1,
            "use_qk_norm": True,
            "tie_word_embeddings": True,
        },
        whole(lambda i: (attention(i, norms="head"), experts(i, 8, 48, shared=48), norms(i)), tied=True),
        **dots({**_WIDE, **_MOE, "feed_forward_length": 48, "expert_shared_feed_forward_length": 48}),
    ),
    "falcon-h1": case(
        "falcon-h1",
        {
            "model_type": "falcon_h1",
            "head_dim": HEAD,
            "mamba_d_ssm": 64,
            "mamba_d_conv": 4,
            "mamba_d_state": 16,
            "mamba_n_groups": 2,
            "mamba_n_heads": 4,
            "mamba_d_head": 16,
            "mamba_rms_norm": True,
        },
        whole(lambda i: (attention(i), _mamba(i), mlp(i), norms(i))),
        **dots({**_SSM, **_WIDE}),
    ),
    "llama4": case(
        "llama4",
        {
            "model_type": "llama4_text",
            "head_dim": HEAD,
            "intermediate_size": 48,
            "intermediate_size_mlp": FF,
            "num_local_experts": 8,
            "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 2,
        },
        whole(lambda i: (attention(i), experts(i, 8, 48, shared=48) if i % 2 else mlp(i), norms(i))),
        **dots({**_WIDE, **_MOE, "expert_used_count": 1, "interleave_moe_layer_step": 2}),
    ),
    "gemma3 with its pattern": case(
        "gemma3",
        {
            "model_type": "gemma3_text",
            "head_dim": HEAD,
            "sliding_window": 512,
            "layer_types": ["sliding_attention", "full_attention"] * 2,
        },
        whole(lambda i: (attention(i, norms="head"), mlp(i), norms(i, *_GEMMA_NORMS)), tied=True),
        **dots({**_WIDE, **_WINDOW, "attention.sliding_window_pattern": [True, False] * 2}),
    ),
}
