"""Keys of a config.json that no family reads

A config has many that change nothing: token ids, dropouts, what wrote it. And one of another family, or of a changed
model, may change every count. So a key whose name speaks of shapes is refused, unless it is listed here.
"""

from __future__ import annotations

import re

_SPEAKING = frozenset(
    {
        "adapter", "adapters", "architecture", "audio", "bias", "biases", "block", "blocks", "conv", "cross", "depth",
        "dim", "dims", "draft", "expert", "experts", "ffn", "group", "groups", "head", "heads", "inner", "kv",
        "latent", "layer", "layernorm", "layers", "lora", "mamba", "mem", "memory", "mla", "mlp", "moe", "mqa", "mtp",
        "multiquery", "n", "nextn", "norm", "norms", "num", "parallel", "projection", "query", "rank", "share",
        "shared", "size", "sizes", "sliding", "ssm", "state", "tie", "tied", "vision", "width", "window", "windows",
    }
)  # fmt: skip

# They speak of shapes, and change none.
HARMLESS = frozenset(
    {
        "_num_labels", "apply_residual_connection_post_layernorm", "attention_sink_size", "batch_size",
        "chunk_size_feed_forward", "context_window_size", "encoder_no_repeat_ngram_size", "ep_size",
        "experts_implementation", "layer_norm_eps", "layer_norm_epsilon", "layernorm_eps", "layernorm_epsilon",
        "max_batch_size", "max_grad_norm", "max_window_layers", "moe_aux_loss_coef", "moe_aux_loss_coeff",
        "moe_router_dtype", "n_ctx", "n_positions", "no_repeat_ngram_size", "norm_eps", "norm_epsilon",
        "norm_topk_prob", "num_beam_groups", "num_beams", "num_labels", "num_logits_to_keep",
        "num_return_sequences", "pipeline_parallel_size", "prefill_chunk_size", "query_pre_attn_scalar",
        "rms_norm_eps", "rms_norm_epsilon", "scale_attn_by_inverse_layer_idx", "sequence_parallel",
        "sliding_window_size", "tensor_parallel", "tensor_parallel_shards", "tensor_parallel_size",
        "tie_encoder_decoder", "use_parallel_embedding", "use_parallel_residual",
    }
)  # fmt: skip

# Of rope_parameters and rope_scaling: they move frequencies, no count.
ROTARY = frozenset(
    {
        "alpha", "attention_factor", "beta_fast", "beta_slow", "factor", "finetuned", "high_freq_factor",
        "llama_4_scaling_beta", "long_factor", "long_mscale", "low_freq_factor", "max_position_embeddings",
        "mrope_interleaved", "mrope_section", "mscale", "mscale_all_dim", "original_max_position_embeddings",
        "partial_rotary_factor", "rope_theta", "rope_type", "short_factor", "short_mscale", "truncate", "type",
    }
)  # fmt: skip


def speaks_of_shapes(name: object) -> bool:
    """Whether a word of the name is one that names of shapes are made of."""
    return isinstance(name, str) and not _SPEAKING.isdisjoint(re.split(r"[^a-z]+", name.lower()))
