"""The work"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN
from .letter import declare as letter

B = letter("B", "B", SEQUENCE, "batch: sequences in one pass", whole=True, aliases=("batch",), engine="batch")
B_star = letter(
    "B_star", "B^{*}", SEQUENCE, "batch at which compute time reaches memory time", aliases=("B",), shown="B*"
)
B_star_cache = letter(
    "B_star_cache",
    r"B^{*}_{\text{kv}}",
    SEQUENCE,
    "batch at which both times are equal, cache reads counted",
    aliases=("B",),
    shown="B*_kv",
)
T_star = letter(
    "T_star",
    "N^{*}",
    TOKEN,
    "tokens of a pass at which compute time reaches memory time",
    aliases=("tokens",),
    shown="N*",
)
N = letter(
    "N",
    "N",
    TOKEN / SEQUENCE,
    "context: tokens of a prompt, or those a new token attends to, itself included",
    whole=True,
    aliases=("context", "n_ctx"),
    engine="context",
)
M_seq = letter(
    "M_seq", r"M_{\text{seq}}", BYTE / SEQUENCE, "bytes kept of a sequence: its caches and states", varies=True
)
D_seq = letter(
    "D_seq",
    r"D_{\text{seq}}",
    BYTE / SEQUENCE,
    "bytes of its caches and states that a step moves for a sequence",
    varies=True,
)
D_weights = letter(
    "D_weights", r"D_{\text{weights}}", BYTE, "bytes of the weights that a decoding step reads", varies=True
)
D_weights_prompt = letter(
    "D_weights_prompt",
    r"D_{\text{weights}}^{\text{prompt}}",
    BYTE,
    "bytes of the weights that a prefill reads",
    varies=True,
)
D_weights_all = letter(
    "D_weights_all",
    r"D_{\text{weights}}^{\text{all}}",
    BYTE,
    "bytes of the weights that a decoding step reads which uses every expert",
    varies=True,
)
C_seq = letter(
    "C_seq", r"C_{\text{seq}}", FLOP / TOKEN, "operations of a new token with what is kept of its sequence", varies=True
)
D_prompt = letter(
    "D_prompt",
    r"D_{\text{prompt}}",
    BYTE / SEQUENCE,
    "bytes of its caches and states that a prefill moves for a sequence",
    varies=True,
)
C_prompt = letter(
    "C_prompt",
    r"C_{\text{prompt}}",
    FLOP / TOKEN,
    "operations of a prompt's token with the other tokens, if it meets all of them",
    varies=True,
)
# Sums over the parts of a decoder: one formula for each kind of decoder, where no model is named that of the plain one
SUMS = (M_seq, D_seq, C_seq, D_prompt, C_prompt, D_weights, D_weights_prompt, D_weights_all)
n_window = letter(
    "n_window",
    r"n_{\text{window}}",
    TOKEN / SEQUENCE,
    "tokens that a block with a window attends to",
    whole=True,
    aliases=("window", "sliding_window"),
    engine="window",
)
N_critical = letter(
    "N_critical", r"N_{\text{crit}}", TOKEN / SEQUENCE, "context beyond which no batch is compute-bound", aliases=("N",)
)
n_limit = letter(
    "n_limit", r"n_{\text{limit}}", TOKEN / SEQUENCE, "longest context a model was made for", whole=True, engine="limit"
)
N_fit = letter(
    "N_fit",
    r"N_{\text{fit}}",
    TOKEN / SEQUENCE,
    "longest context whose caches fit beside the weights",
    whole=True,
    varies=True,
)
N_largest = letter(
    "N_largest", r"N_{\text{largest}}", TOKEN / SEQUENCE, "longest context that fits and that is allowed", whole=True
)
n_new = letter(
    "n_new",
    r"n_{\text{new}}",
    TOKEN / SEQUENCE,
    "tokens generated after the prompt",
    whole=True,
    aliases=("n_out",),
    engine="new_tokens",
)
i_token = letter("i_token", "i", TOKEN / SEQUENCE, "number of the token being generated: 1, 2, …", whole=True)
d = letter("d", "d", ONE, "width of the only attention head", whole=True, aliases=("d_head", "d_k"), engine="width")
b_q = letter("b_q", "b", ONE, "query rows of one tile", whole=True, engine="tile")
m = letter("m", "m", ONE, "rows of a matrix", whole=True, engine=True)
n = letter("n", "n", ONE, "columns of a matrix, summed over", whole=True, engine=True)
k = letter("k", "k", ONE, "columns of the second matrix", whole=True, engine=True)
