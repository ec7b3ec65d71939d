"""Numerals, terms and conditions that several formulas share"""

from __future__ import annotations

from typing import Any

from symbolic_llm.algebra import Mod

from ..claims import Condition
from ..notation import (
    B,
    C_prefill,
    C_seq,
    D_prompt,
    D_seq,
    D_weights,
    D_weights_prompt,
    F,
    M,
    M_reserve,
    M_seq,
    N,
    N_logits,
    P,
    P_total,
    T_target,
    W,
    a,
    alpha,
    b_q,
    d_ff,
    d_head,
    d_model,
    m_local,
    m_token,
    n_active,
    n_blocks,
    n_bytes,
    n_experts,
    n_heads,
    n_kv_heads,
    n_new,
    n_window,
    u,
)
from ..numeral import count
from ..unevaluated import Eq, Ge, Gt, Le, Lt, Max
from ..units import FLOP, SEQUENCE, TOKEN, VALUE, WEIGHT

each_weight = count(1, "each entry of a matrix is one weight", WEIGHT)
each_value = count(1, "each entry of a matrix is one number", VALUE)
each_sequence = count(1, "whole sequences", SEQUENCE)
key_number = count(1, "each token has its own keys and values", VALUE / TOKEN)
sequence_number = count(1, "each sequence has its own", VALUE / SEQUENCE)
there_and_back = count(2, "ways: a state is read and written back")
state_product = count(2, "a multiplication and an addition for each number of a state", FLOP / TOKEN)
key_and_value = count(2, "vectors: a key and a value")
each_token = count(1, "whole tokens", TOKEN)
half = count(2, "a sum of 1, 2, …, n is half of n·(n + 1)")
one_vector = count(1, "each new token has one vector", VALUE / TOKEN)
add_and_spread = count(2, "rounds of the ring: in the first pieces are added, in the second the sums are handed on")
one_token = count(1, "in a decoding step each sequence gets one new token", TOKEN / SEQUENCE)
mlp_factor = count(4, "the MLP is four times as wide as the model")
norms_in_block = count(2, "norms in a block")
numbers_and_weights = count(2, "matrices: one gives numbers, the other how much each counts")
two_series = count(2, "series of numbers: for the token's own run and for the next")
layers_in_block = count(2, "layers of a block: attention and its MLP or experts")
in_and_back = count(2, "weights of each stream: into the layer, and of its result")
multiply_add = count(2, "a multiplication and an addition for each weight and token", FLOP / (WEIGHT * TOKEN))
PER_PAIR = FLOP * SEQUENCE / TOKEN**2  # for a token and one token of its context

score = count(2, "a multiplication and an addition for each number of a key", PER_PAIR)
score_and_sum = count(
    4, "a multiplication and an addition for each number of a key and of a value", FLOP * SEQUENCE / TOKEN**2
)
two_flop = count(2, "a multiplication and an addition", FLOP)

three_matrices = count(3, "matrices: gate, up and down")
in_and_out = count(2, "matrices: embedding and output")
per_score = count(6, "scale, compare, subtract, exponential, add, divide", PER_PAIR)
norm_once = count(4, "two means, an epsilon and a square root", FLOP / TOKEN)
gelu = count(9, "operations of a GELU", FLOP / TOKEN)
residual = count(2, "residual additions in a block", FLOP / TOKEN)
rotate = count(3, "two multiplications and an addition", FLOP / TOKEN)
swiglu = count(5, "subtract, exponential, add, divide, and the product with up", FLOP / TOKEN)
rms_each = count(4, "square, add, divide, multiply", FLOP / TOKEN)
rms_once = count(3, "a mean, an epsilon and a square root", FLOP / TOKEN)

# What a pass does for a token, whichever decoder it runs
MATRICES = multiply_add * P
CONTEXT = (a + n_blocks * per_score * n_heads) * N
ROTATION = n_blocks * rotate * d_head * (n_heads + n_kv_heads)
RESIDUALS = n_blocks * residual * d_model
RMS_NORMS = (norms_in_block * n_blocks + 1) * (rms_each * d_model + rms_once)

# What lies beyond a window, and what the letters of a sequence come to where every block keeps and meets all of it
BEYOND_WINDOW = Max(N, n_window) - n_window
ALL_KEPT = {M_seq: N * m_token, D_seq: N * m_token, C_seq: a * N}
DENSE_READ = {D_weights: P * n_bytes}  # and where all weights are read, in one format

# What the steps of an answer read of the weights, and the matrices of keys and values of all blocks
WEIGHTS_OF_AN_ANSWER = n_new * D_weights / one_token
KEYS_AND_VALUES = n_blocks * key_and_value * each_weight * d_model * n_kv_heads * d_head

heads_fill_model = Condition(
    Eq(n_heads * d_head, d_model),
    "the heads share the model's width evenly, as in the schematic model",
)
heads_keep_their_own = Condition(
    Eq(n_kv_heads, n_heads),
    "every head has keys and values of its own: multi-head attention",
    "heads share keys and values, and kv_bytes_per_token counts those",
)
mlp_is_fourfold = Condition(Eq(d_ff, mlp_factor * d_model), "the MLP is four times as wide as the model")
some_drafts_are_rejected = Condition(
    Lt(alpha, 1),
    "a drafted token may be rejected",
    "every drafted token is accepted, and a step gives all of them and one more",
)
works_while_paid = Condition(Le(u, 1), "the machine works no longer than it is paid for")
picked_from_all = Condition(Le(n_active, n_experts), "a token picks among the experts there are")
logits_are_of_prompt = Condition(Le(N_logits, N), "no more positions get logits than the prompt has")
windows_are_in_blocks = Condition(Le(m_local, m_token), "the blocks with a window are among the blocks there are")
tiles_fill_context = Condition(Eq(Mod(N, b_q), 0), "the tiles divide the sequence evenly")
weights_fit = Condition(Gt(M, P_total * n_bytes), "the weights leave room in memory", "the weights alone do not fit")
weights_fit_beside_reserve = Condition(
    Gt(M, P_total * n_bytes + M_reserve),
    "the weights leave room in memory beside the reserve",
    "the weights do not fit beside the reserve",
)
weights_are_read_in_time = Condition(
    Gt(T_target * W, D_weights),
    "the weights can be read within the target",
    "reading the weights alone takes longer than the target",
)
cache_outruns_attention = Condition(
    Gt(F * m_token, a * one_token * W),
    "reading a cached token takes longer than computing with it",
    "no context is too long for a compute-bound batch",
)
prompt_is_compute_bound = Condition(
    Gt(multiply_add * P * B * N * W, D_weights_prompt * F),
    "the arithmetic of the prompts takes longer than reading the weights once",
    "the prompts take as long as reading the weights: prefill_time says how long",
)
prompt_with_attention_is_compute_bound = Condition(
    Ge(C_prefill * W, (D_weights_prompt + B * D_prompt) * F),
    "the arithmetic of the prompts takes no less time than reading",
    "the prompts take as long as reading: prefill_time_with_attention says how long",
)
crossover_exists = Condition(
    Gt(W * (multiply_add * P + C_seq) * one_token, F * D_seq),
    "one more sequence adds more arithmetic time than its caches and states take to move",
    "no batch is compute-bound: what a sequence keeps takes longer to move than its arithmetic (critical_context)",
)


def first_and_last_are_memory_bound(first: Any, last: Any, law: str) -> tuple[Condition, Condition]:
    """Conditions that neither first nor last step of an answer waits for arithmetic; `law` times one that does."""
    longer = f"a step in which arithmetic takes longer is that long: {law} says how long"
    ends_first = "the arithmetic of the {} step takes no longer than its reading"
    return Condition(first, ends_first.format("first"), longer), Condition(last, ends_first.format("last"), longer)
