"""DeepSeek-V4: a window and compressed runs of tokens, several residual streams, experts in every block"""

from __future__ import annotations

from ..attention.compressed import compress
from ..family_words import BEYOND, ROTATED, Builder, Family, Fields

_CSA, _HCA = "compressed_sparse_attention", "heavily_compressed_attention"
_TYPES = ("sliding_attention", _CSA, _HCA)
_RATIOS = dict(zip((0, 4, 128), _TYPES, strict=True))
_RATES = {_CSA: 4, _HCA: 128}


def _deepseek_v4(fields: Fields) -> Builder:
    n, n_heads = fields.whole("num_hidden_layers", 43, most=2**16), fields.whole("num_attention_heads", 64)
    types, rates = _types(fields, n), _rates(fields)
    made = Builder(
        fields,
        n_blocks=n,
        n_csa=types.count(_CSA),
        n_hca=types.count(_HCA),
        d_model=fields.whole("hidden_size", 4096),
        n_heads=n_heads,
        d_head=fields.whole("head_dim", 512),
        n_vocab=fields.whole("vocab_size", 129280),
        d_query=fields.whole("q_lora_rank", 1024),
        n_output_groups=fields.whole("o_groups", 8),
        d_output=fields.whole("o_lora_rank", 1024),
        n_index_heads=fields.whole("index_n_heads", 64),
        d_index=fields.whole("index_head_dim", 128),
        n_picked=fields.whole("index_topk", 512),
        r_csa=rates[_CSA],
        r_hca=rates[_HCA],
        n_window=fields.whole("sliding_window", 128),
    )
    made.context_limit = fields.optional("max_position_embeddings", 1048576)
    letters = made.letters
    if n_heads % letters["n_output_groups"]:
        raise fields.wrong(f"{n_heads} heads cannot be divided into {letters['n_output_groups']} groups (o_groups)")
    _rotated(fields, min(letters["d_head"], letters["d_index"]))
    fields.has_no("attention_bias", "mlp_bias")
    n_experts = fields.whole("n_routed_experts", 256, also="num_local_experts")
    d_expert = fields.whole("moe_intermediate_size", 2048, also="intermediate_size")
    # its class knows one key/value head and one shared expert; the others say again what stands elsewhere
    fields.repeats(
        num_key_value_heads=1,
        n_shared_experts=1,
        num_experts=n_experts,
        shared_expert_intermediate_size=d_expert,
        window_size=letters["n_window"],
        compress_ratio=letters["r_csa"],
    )
    _listed(fields, "mlp_layer_types", n, ("hash_moe", "moe"))  # how experts are chosen, not how many there are
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    compress(made)
    made.mix_streams(fields.whole("hc_mult", 4))
    made.expert_blocks(n, n_experts, fields.whole("num_experts_per_tok", 6), d_expert, 1)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


def _types(fields: Fields, n: int) -> list[str]:
    """Kind of each layer by what it keeps: as listed by name or by ratio, or else by the rule of its class."""
    types, ratios = _listed(fields, "layer_types", n, _TYPES), fields.items("compress_ratios", int)
    if types is not None:
        return types
    if ratios is None:
        return [_CSA if i >= 2 and i % 2 else _HCA for i in range(n)]
    if len(ratios) < n or set(ratios) - _RATIOS.keys():
        raise fields.wrong(f"compress_ratios must list 0, 4 or 128 for each of the {n} layers")
    return [_RATIOS[ratio] for ratio in ratios[:n]]  # beyond them stand layers that predict further tokens


def _listed(fields: Fields, name: str, n: int, known: tuple[str, ...]) -> list[str] | None:
    """Checked list of the kind of each of n layers, cut after the last; None where the field is absent."""
    types = fields.items(name, str)
    if types is not None and (len(types) < n or set(types) - set(known)):
        raise fields.wrong(f"{name} must list {', '.join(known[:-1])} or {known[-1]} for each of the {n} layers")
    return None if types is None else types[:n]


def _rates(fields: Fields) -> dict[str, int]:
    """Tokens of a run, by the kind of layer."""
    given = fields.table("compress_rates")
    if odd := [name for name in given if name not in _RATES]:
        raise fields.wrong(f"compress_rates may have {_CSA} and {_HCA}, not {str(odd[0])!r:.60}")
    rates = Fields({**_RATES, **given}, f"{fields.where}, compress_rates")
    found = {name: rates.whole(name) for name in _RATES}
    for kind, name in ((_CSA, "compress_rate_csa"), (_HCA, "compress_rate_hca")):
        found[kind] = fields.optional(name) or found[kind]
    return found


def _rotated(fields: Fields, most: int) -> None:
    """Check the rotated width of a head, which changes no count but has to fit into the narrowest head."""
    width = fields.whole("qk_rope_head_dim", min(64, most))
    fields.same("rope_head_dim", width)
    if width > most:
        raise fields.wrong(f"qk_rope_head_dim must be at most {most}, the width of the narrowest head, not {width}")


_IGNORED = ROTATED | BEYOND | {"expert_dtype", "hc_eps", "hc_sinkhorn_iters", "num_hash_layers"}

FAMILIES = (
    Family("deepseek_v4", "DeepseekV4ForCausalLM", _deepseek_v4, ignored=_IGNORED, also=("DeepSeekV4ForCausalLM",)),
)
