"""Every letter, once

The order of the declarations is the order in which factors are written, so that `n_bytes·F/(2·W)` prints as its
authors wrote it.
"""

from __future__ import annotations

from ..units import BIT, BLOCK, BYTE, FLOP, ONE, SECOND, SEQUENCE, TOKEN, VALUE, WEIGHT
from .letter import LETTERS as LETTERS
from .letter import Letter as Letter
from .letter import called as called
from .letter import declare as _letter
from .letter import named as named

# The model
P = _letter("P", "P", WEIGHT, "weights that every token is multiplied with", whole=True)
a = _letter("a", "a", FLOP * SEQUENCE / TOKEN**2, "attention FLOPs of a new token for each token of its context")
a_prompt = _letter(
    "a_prompt",
    r"a_{\text{prompt}}",
    FLOP * SEQUENCE / TOKEN**2,
    "attention FLOPs for each pair of a prompt's tokens",
    varies=True,
)
P_total = _letter("P_total", r"P_{\text{total}}", WEIGHT, "weights that are stored", whole=True, aliases=("P",))
P_active = _letter("P_active", r"P_{\text{active}}", WEIGHT, "weights that a token makes use of", whole=True)
P_attention = _letter("P_attention", r"P_{\text{attn}}", WEIGHT, "weights of one block's attention matrices")
P_mlp = _letter("P_mlp", r"P_{\text{mlp}}", WEIGHT, "weights of one block's MLP")
P_block = _letter("P_block", r"P_{\text{block}}", WEIGHT, "weights of one block")
P_embedding = _letter("P_embedding", r"P_{\text{emb}}", WEIGHT, "weights of the embedding matrix")
P_positions = _letter("P_positions", r"P_{\text{pos}}", WEIGHT, "weights of the matrix of positions")
P_projection = _letter(
    "P_projection", r"P_{\text{proj}}", WEIGHT, "weights between the embedding's width and the model's"
)
P_norm = _letter("P_norm", r"P_{\text{norm}}", WEIGHT, "weights of one norm")
P_qk_norm = _letter("P_qk_norm", r"P_{\text{qk}}", WEIGHT, "weights of one block's norms of queries and keys")
P_bias = _letter("P_bias", r"P_{\text{bias}}", WEIGHT, "biases of some matrices")
P_router = _letter("P_router", r"P_{\text{router}}", WEIGHT, "weights of one block's router")
P_expert = _letter("P_expert", r"P_{\text{expert}}", WEIGHT, "weights of one expert")
P_read = _letter(
    "P_read", r"P_{\text{read}}", WEIGHT, "weights that a decoding step reads to multiply them", varies=True
)
P_prompt = _letter(
    "P_prompt", r"P_{\text{prompt}}", WEIGHT, "weights that a prefill reads to multiply them", varies=True
)
P_all = _letter("P_all", r"P_{\text{all}}", WEIGHT, "weights that a pass reads when it uses every expert", whole=True)
n_blocks = _letter(
    "n_blocks",
    r"n_{\text{blocks}}",
    ONE,
    "transformer blocks, also called layers",
    whole=True,
    aliases=("n_layers", "L"),
    engine=True,
)
n_moe = _letter("n_moe", r"n_{\text{moe}}", ONE, "blocks with experts", whole=True, engine=True)
n_global = _letter(
    "n_global", r"n_{\text{global}}", ONE, "blocks that attend to the whole context", whole=True, engine=True
)
n_local = _letter("n_local", r"n_{\text{local}}", ONE, "blocks that attend to a window", whole=True, engine=True)
n_experts = _letter("n_experts", "E", ONE, "routed experts of a block", whole=True, aliases=("E",), engine=True)
n_active = _letter("n_active", "k", ONE, "experts that a token is sent to", whole=True, aliases=("top_k",), engine=True)
n_distinct = _letter(
    "n_distinct",
    r"E_{\text{distinct}}",
    ONE,
    "experts of a block that a batch is expected to use",
    at_least=n_active,
    varies=True,
)
n_distinct_prompt = _letter(
    "n_distinct_prompt",
    r"E_{\text{prompt}}",
    ONE,
    "experts of a block that a prefill is likely to use",
    at_least=n_active,
    varies=True,
)
n_vocab = _letter(
    "n_vocab",
    r"n_{\text{vocab}}",
    ONE,
    "tokens of the vocabulary",
    whole=True,
    aliases=("d_vocab", "vocab_size"),
    engine=True,
)
n_heads = _letter(
    "n_heads", r"n_{\text{heads}}", ONE, "attention heads of a block: query heads", whole=True, engine=True
)
n_kv_heads = _letter(
    "n_kv_heads",
    r"n_{\text{heads}}^{\text{kv}}",
    ONE,
    "key/value heads of a block, each for a group of query heads",
    whole=True,
    aliases=("num_key_value_heads",),
    engine=True,
)
d_head = _letter("d_head", r"d_{\text{head}}", ONE, "width of one attention head", whole=True, engine=True)
d_model = _letter(
    "d_model",
    r"d_{\text{model}}",
    ONE,
    "width of the model: numbers in a token's vector",
    whole=True,
    aliases=("n_embd", "hidden_size"),
    engine=True,
)
n_positions = _letter(
    "n_positions", r"n_{\text{pos}}", ONE, "positions that have a vector of their own", whole=True, engine=True
)
d_ff = _letter(
    "d_ff", r"d_{\text{ff}}", ONE, "width of the MLP", whole=True, aliases=("intermediate_size", "ffn_dim"), engine=True
)
d_expert = _letter("d_expert", r"d_{\text{expert}}", ONE, "width of one expert", whole=True, engine=True)
d_embedding = _letter("d_embedding", r"d_{\text{emb}}", ONE, "width of the embedding", whole=True, engine=True)
d_latent = _letter(
    "d_latent", r"d_{\text{latent}}", ONE, "width of the compressed keys and values", whole=True, engine=True
)
d_query = _letter("d_query", r"d_{\text{query}}", ONE, "width of the compressed queries", whole=True, engine=True)
d_rope = _letter("d_rope", r"d_{\text{rope}}", ONE, "numbers of a key that are rotated", whole=True, engine=True)
d_nope = _letter("d_nope", r"d_{\text{nope}}", ONE, "numbers of a key that are not", whole=True, engine=True)
d_value = _letter("d_value", r"d_{\text{value}}", ONE, "width of a value", whole=True, engine=True)

# Storage
n_bits = _letter("n_bits", r"n_{\text{bits}}", BIT / WEIGHT, "bits of one quantised weight", whole=True, engine="bits")
n_block = _letter(
    "n_block", r"n_{\text{block}}", WEIGHT / BLOCK, "weights that share one scale", whole=True, engine="block"
)
n_scale = _letter(
    "n_scale", r"n_{\text{scale}}", BIT / BLOCK, "bits of a block's scale", whole=True, engine="scale_bits"
)
n_bytes = _letter("n_bytes", r"n_{\text{bytes}}", BYTE / WEIGHT, "bytes of one stored weight", engine=True)
n_bytes_2 = _letter(
    "n_bytes_2", r"n'_{\text{bytes}}", BYTE / WEIGHT, "bytes of one stored weight, at another precision"
)
n_bytes_kv = _letter(
    "n_bytes_kv",
    r"n_{\text{bytes}}^{\text{kv}}",
    BYTE / VALUE,
    "bytes of one number in the KV cache",
    aliases=("n_bytes",),
    engine=True,
)
n_bytes_act = _letter(
    "n_bytes_act",
    r"n_{\text{bytes}}^{\text{act}}",
    BYTE / VALUE,
    "bytes of one activation",
    aliases=("n_bytes",),
    engine=True,
)

# The work
B = _letter("B", "B", SEQUENCE, "batch: sequences in one pass", whole=True, aliases=("batch",), engine="batch")
B_star = _letter(
    "B_star", "B^{*}", SEQUENCE, "batch at which compute time reaches memory time", aliases=("B",), shown="B*"
)
B_star_cache = _letter(
    "B_star_cache",
    r"B^{*}_{\text{kv}}",
    SEQUENCE,
    "batch at which both times are equal, cache reads counted",
    aliases=("B",),
    shown="B*_kv",
)
T_star = _letter(
    "T_star",
    "N^{*}",
    TOKEN,
    "tokens of a pass at which compute time reaches memory time",
    aliases=("tokens",),
    shown="N*",
)
N = _letter(
    "N",
    "N",
    TOKEN / SEQUENCE,
    "context: tokens a new token attends to, itself included",
    whole=True,
    aliases=("context", "n_ctx"),
    engine="context",
)
N_kept = _letter(
    "N_kept", r"N_{\text{kept}}", TOKEN / SEQUENCE, "tokens that a block keeps of a sequence, in the mean", varies=True
)
n_window = _letter(
    "n_window",
    r"n_{\text{window}}",
    TOKEN / SEQUENCE,
    "tokens that a block with a window attends to",
    whole=True,
    aliases=("window", "sliding_window"),
    engine="window",
)
N_critical = _letter(
    "N_critical", r"N_{\text{crit}}", TOKEN / SEQUENCE, "context beyond which no batch is compute-bound", aliases=("N",)
)
n_limit = _letter(
    "n_limit", r"n_{\text{limit}}", TOKEN / SEQUENCE, "longest context a model was made for", whole=True, engine="limit"
)
N_fit = _letter(
    "N_fit",
    r"N_{\text{fit}}",
    TOKEN / SEQUENCE,
    "longest context whose caches fit beside the weights",
    whole=True,
    varies=True,
)
N_largest = _letter(
    "N_largest", r"N_{\text{largest}}", TOKEN / SEQUENCE, "longest context that fits and that is allowed", whole=True
)
n_new = _letter(
    "n_new",
    r"n_{\text{new}}",
    TOKEN / SEQUENCE,
    "tokens generated after the prompt",
    whole=True,
    aliases=("n_out",),
    engine="new_tokens",
)
i_token = _letter("i_token", "i", TOKEN / SEQUENCE, "number of the token being generated: 1, 2, …", whole=True)
d = _letter("d", "d", ONE, "width of the only attention head", whole=True, aliases=("d_head", "d_k"), engine="width")
b_q = _letter("b_q", "b", ONE, "query rows of one tile", whole=True, engine="tile")
m = _letter("m", "m", ONE, "rows of a matrix", whole=True, engine=True)
n = _letter("n", "n", ONE, "columns of a matrix, summed over", whole=True, engine=True)
k = _letter("k", "k", ONE, "columns of the second matrix", whole=True, engine=True)

# Memory
m_layer = _letter("m_layer", r"m_{\text{layer}}", BYTE / TOKEN, "bytes one token holds in one layer's KV cache")
m_token = _letter(
    "m_token",
    r"m_{\text{token}}",
    BYTE / TOKEN,
    "bytes one token holds in the KV cache, over all layers",
    aliases=("kv_bytes_per_token",),
)
M_cache = _letter("M_cache", r"M_{\text{kv}}", BYTE, "bytes of the KV cache")
M_weights = _letter("M_weights", r"M_{\text{weights}}", BYTE, "bytes of the weights")
M_footprint = _letter("M_footprint", r"M_{\text{held}}", BYTE, "bytes held: weights and KV cache")
M = _letter("M", "M", BYTE, "memory of the machine", aliases=("memory",), engine="memory")
M_left = _letter("M_left", r"M_{\text{left}}", BYTE, "bytes of memory that the weights leave")
n_fit = _letter("n_fit", r"n_{\text{fit}}", TOKEN, "tokens whose cache fits beside the weights")
B_fit = _letter(
    "B_fit", r"B_{\text{fit}}", SEQUENCE, "sequences whose cache fits beside the weights", whole=True, aliases=("B",)
)
B_target = _letter("B_target", r"B_{\text{target}}", SEQUENCE, "sequences whose step meets its target", whole=True)
D_step = _letter("D_step", r"D_{\text{step}}", BYTE, "bytes moved by one decoding step")
D_generation = _letter("D_generation", r"D_{\text{gen}}", BYTE, "cache bytes read while generating")

# Operations
C_vector = _letter("C_vector", r"C_{\text{mv}}", FLOP, "operations of a matrix–vector product")
C_matrix = _letter("C_matrix", r"C_{\text{mm}}", FLOP, "operations of a matrix–matrix product")
C_decode = _letter("C_decode", r"C_{\text{decode}}", FLOP, "operations of one decoding step")
C_prefill = _letter("C_prefill", r"C_{\text{prefill}}", FLOP, "operations of a prefill", varies=True)
C_token = _letter("C_token", r"C_{\text{token}}", FLOP / TOKEN, "operations of decoding one token")

# One head of attention
D_textbook = _letter("D_textbook", r"D_{\text{head}}", BYTE, "bytes moved by textbook attention")
C_textbook = _letter("C_textbook", r"C_{\text{head}}", FLOP, "operations of textbook attention")
I_textbook = _letter("I_textbook", r"I_{\text{head}}", FLOP / BYTE, "arithmetic intensity of textbook attention")
_MEANING = "arithmetic intensity of textbook attention for long sequences"
I_limit = _letter("I_limit", r"I_{\infty}", FLOP / BYTE, _MEANING, limit_of=("I_textbook", "N"))
D_query = _letter("D_query", r"D_{\text{query}}", BYTE, "bytes moved by textbook attention for one query")
C_query = _letter("C_query", r"C_{\text{query}}", FLOP, "operations of textbook attention for one query")
I_query = _letter("I_query", r"I_{\text{query}}", FLOP / BYTE, "arithmetic intensity of attention for one query")
_MEANING = "intensity of attention for one query and a long context"
I_query_limit = _letter("I_query_limit", r"I_{\text{query},\infty}", FLOP / BYTE, _MEANING, limit_of=("I_query", "N"))
C_stable = _letter("C_stable", r"C_{\text{stable}}", FLOP, "operations of attention with the stable softmax")
C_softmax = _letter("C_softmax", r"C_{\text{softmax}}", FLOP, "operations of a numerically stable softmax")
D_scaled = _letter("D_scaled", r"D_{\text{scaled}}", BYTE, "bytes moved when the scaling is a pass of its own")
C_scaled = _letter("C_scaled", r"C_{\text{scaled}}", FLOP, "operations when the scaling is a pass of its own")
D_tiled = _letter("D_tiled", r"D_{\text{tiled}}", BYTE, "bytes moved by tiled attention")

# The machine
F = _letter("F", "F", FLOP / SECOND, "peak arithmetic of the machine", aliases=("flops", "n_flops"), engine="flops")
F_2 = _letter("F_2", "F'", FLOP / SECOND, "peak arithmetic of the machine, at another precision")
W = _letter("W", "W", BYTE / SECOND, "memory bandwidth of the machine", aliases=("bandwidth",), engine="bandwidth")
I_ridge = _letter("I_ridge", r"I_{\text{ridge}}", FLOP / BYTE, "ridge point of the machine, its ops:byte ratio")

# Time
T_memory = _letter("T_memory", r"T_{\text{memory}}", SECOND, "time to read the weights once")
T_compute = _letter("T_compute", r"T_{\text{compute}}", SECOND, "time to do the arithmetic of one decoding step")
T_step = _letter("T_step", r"T_{\text{step}}", SECOND, "latency of one decoding step", aliases=("T",))
T_target = _letter("T_target", r"T_{\text{target}}", SECOND, "time that a decoding step may take", engine="target")
T_memory_cache = _letter(
    "T_memory_cache", r"T_{\text{memory}}^{\text{kv}}", SECOND, "time to read the weights and the KV cache"
)
T_compute_cache = _letter(
    "T_compute_cache", r"T_{\text{compute}}^{\text{kv}}", SECOND, "time for a step's arithmetic, attention counted"
)
R = _letter("R", "R", TOKEN / SECOND, "throughput: tokens of the whole batch in a second")
T_prefill = _letter("T_prefill", r"T_{\text{prefill}}", SECOND, "time to the end of the prompt")
T_decode = _letter("T_decode", r"T_{\text{decode}}", SECOND, "time of the decoding steps of an answer")
T_output = _letter("T_output", r"T_{\text{out}}", SECOND, "time per output token after the first, in the mean")
T_generation = _letter("T_generation", r"T_{\text{gen}}", SECOND, "time of prompt and answer")
