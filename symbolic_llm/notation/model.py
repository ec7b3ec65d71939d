"""The model"""

from __future__ import annotations

from ..units import FLOP, ONE, SEQUENCE, TOKEN, WEIGHT
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

P = _letter("P", WEIGHT, "weights that every token is multiplied with", whole=True)
a = _letter("a", FLOP * SEQUENCE / TOKEN**2, "attention FLOPs of a new token for each token of its context")
a_prompt = _letter(
    "a_prompt", FLOP * SEQUENCE / TOKEN**2, "attention FLOPs for each pair of a prompt's tokens", varies=True
)
P_total = _letter("P_total", WEIGHT, "weights that are stored", whole=True, aliases=("P",))
P_active = _letter("P_active", WEIGHT, "active parameters: weights that a token uses", whole=True)
P_attention = _letter("P_attention", WEIGHT, "weights of one block's attention matrices", latex=r"P_{\text{attn}}")
P_mlp = _letter("P_mlp", WEIGHT, "weights of one block's MLP")
P_block = _letter("P_block", WEIGHT, "weights of one block")
P_embedding = _letter("P_embedding", WEIGHT, "weights of the embedding matrix", latex=r"P_{\text{emb}}")
P_projection = _letter(
    "P_projection", WEIGHT, "weights between the embedding's width and the model's", latex=r"P_{\text{proj}}"
)
P_vector = _letter("P_vector", WEIGHT, "weights of one vector: a norm, a bias, a sink")
P_qk_norm = _letter(
    "P_qk_norm", WEIGHT, "weights of one block's norms over all queries and all keys", latex=r"P_{\text{qk}}"
)
P_bias = _letter("P_bias", WEIGHT, "biases of some matrices")
P_router = _letter("P_router", WEIGHT, "weights of one block's router")
P_gate = _letter("P_gate", WEIGHT, "weights of one block's gate")
P_slopes = _letter("P_slopes", WEIGHT, "weights of one MLP's activation")
P_expert = _letter("P_expert", WEIGHT, "weights of one expert")
P_read = _letter("P_read", WEIGHT, "weights that a decoding step reads to multiply them", varies=True)
P_prompt = _letter("P_prompt", WEIGHT, "weights that a prefill reads to multiply them", varies=True)
P_all = _letter("P_all", WEIGHT, "weights that a pass reads when it uses every expert", whole=True)
n_blocks = _size("n_blocks", ONE, "transformer blocks, also called layers", aliases=("n_layers", "L"))
n_moe = _size("n_moe", ONE, "blocks with experts")
n_global = _size("n_global", ONE, "blocks that attend to the whole context")
n_local = _size("n_local", ONE, "blocks that attend to a window")
n_global_own = _letter(
    "n_global_own",
    ONE,
    "blocks without a window that keep keys and values of their own, where others read those",
    whole=True,
)
n_local_own = _letter(
    "n_local_own",
    ONE,
    "blocks with a window that keep keys and values of their own, where others read those",
    whole=True,
)
n_experts = _size("n_experts", ONE, "routed experts of a block", latex="E", aliases=("E",), instead_of=("d_model",))
n_active = _size("n_active", ONE, "experts that each token is routed to", latex="k", aliases=("top_k",))
n_distinct = _letter(
    "n_distinct",
    ONE,
    "experts of a block that a batch is expected to use",
    latex=r"E_{\text{distinct}}",
    at_least=n_active,
    varies=True,
)
n_distinct_prompt = _letter(
    "n_distinct_prompt",
    ONE,
    "experts of a block that a prefill is likely to use",
    latex=r"E_{\text{prompt}}",
    at_least=n_active,
    varies=True,
)
n_kv_full = _size(
    "n_kv_full",
    ONE,
    "key/value heads of a block without a window, where those with one have another kind of heads",
    latex=r"n_{\text{full}}^{\text{kv}}",
    instead_of=("n_kv_heads",),
)
d_head_full = _size(
    "d_head_full",
    ONE,
    "width of a head of a block without a window, where those with one have another kind of heads",
    latex=r"d_{\text{full}}",
    instead_of=("d_head", "d_value", "d_model"),
)
n_vocab = _size("n_vocab", ONE, "tokens of the vocabulary", aliases=("d_vocab", "vocab_size"), instead_of=("d_model",))
n_heads = _size("n_heads", ONE, "attention heads of a block: query heads", instead_of=("d_model",))
n_kv_heads = _size(
    "n_kv_heads",
    ONE,
    "key/value heads of a block, each for a group of query heads",
    latex=r"n_{\text{heads}}^{\text{kv}}",
    aliases=("num_key_value_heads",),
)
d_head = _size("d_head", ONE, "width of one attention head", instead_of=("d_value", "d_model"))
d_model = _size(
    "d_model",
    ONE,
    "width of the model: numbers in a token's vector",
    aliases=("n_embd", "hidden_size"),
    instead_of=("n_vocab",),
)
n_positions = _size(
    "n_positions", ONE, "positions that have a vector of their own", latex=r"n_{\text{pos}}", instead_of=("n_vocab",)
)
d_ff = _size("d_ff", ONE, "width of the MLP", aliases=("intermediate_size", "ffn_dim"), instead_of=("d_model",))
d_expert = _size("d_expert", ONE, "width of one expert", instead_of=("d_ff", "d_model"))
d_shared = _letter("d_shared", ONE, "width of the shared expert", whole=True, instead_of=("d_ff",))
d_experts = _letter("d_experts", ONE, "width that experts work in", whole=True, instead_of=("d_model", "d_embedding"))
d_embedding = _size("d_embedding", ONE, "width of the embedding", latex=r"d_{\text{emb}}", instead_of=("d_model",))
d_block = _letter(
    "d_block",
    ONE,
    "width of the vector that each block looks up for a token",
    whole=True,
    instead_of=("d_model", "d_ff"),
)
n_vocab_block = _letter(
    "n_vocab_block", ONE, "tokens for which each block has a vector", whole=True, instead_of=("n_vocab",)
)
d_learned = _letter(
    "d_learned",
    ONE,
    "width between the two matrices of a learned residual",
    whole=True,
    aliases=("laurel_rank",),
    instead_of=("d_ff",),
)
d_latent = _size("d_latent", ONE, "width of the compressed keys and values", instead_of=("d_model",))
d_query = _size("d_query", ONE, "width of the compressed queries", instead_of=("d_model",))
d_rope = _size("d_rope", ONE, "numbers of a key that are rotated")
d_nope = _size("d_nope", ONE, "numbers of a key that are not")
d_value = _size("d_value", ONE, "width of a value")
