"""The work"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

B = _letter("B", SEQUENCE, "batch: sequences in one pass", whole=True, aliases=("batch",), engine="batch")
B_star = _letter(
    "B_star", SEQUENCE, "batch at which compute time reaches memory time", latex="B^{*}", aliases=("B",), shown="B*"
)
B_star_cache = _letter(
    "B_star_cache",
    SEQUENCE,
    "batch at which both times are equal, cache reads counted",
    latex=r"B^{*}_{\text{kv}}",
    aliases=("B",),
    shown="B*_kv",
)
T_star = _letter(
    "T_star",
    TOKEN,
    "tokens of a pass at which compute time reaches memory time",
    latex="N^{*}",
    aliases=("tokens",),
    shown="N*",
)
N = _letter(
    "N",
    TOKEN / SEQUENCE,
    "context: tokens of a prompt, or those a new token attends to, itself included",
    whole=True,
    aliases=("context", "n_ctx"),
    engine="context",
)
M_seq = _letter("M_seq", BYTE / SEQUENCE, "bytes kept of a sequence: its caches and states", varies=True)
D_seq = _letter(
    "D_seq", BYTE / SEQUENCE, "bytes of its caches and states that a step moves for a sequence", varies=True
)
D_weights = _letter("D_weights", BYTE, "bytes of the weights that a decoding step reads", varies=True)
D_weights_prompt = _letter("D_weights_prompt", BYTE, "bytes of the weights that a prefill reads", varies=True)
D_weights_all = _letter(
    "D_weights_all", BYTE, "bytes of the weights that a decoding step reads which uses every expert", varies=True
)
C_seq = _letter("C_seq", FLOP / TOKEN, "operations of a new token with what is kept of its sequence", varies=True)
D_prompt = _letter(
    "D_prompt", BYTE / SEQUENCE, "bytes of its caches and states that a prefill moves for a sequence", varies=True
)
N_logits = _letter(
    "N_logits",
    TOKEN / SEQUENCE,
    "positions of a prompt that get logits: its last one where a server generates",
    whole=True,
    engine="logits",
)
C_prompt = _letter(
    "C_prompt",
    FLOP / TOKEN,
    "operations of a prompt's token with the other tokens: with all of them, or with those that are not masked",
    varies=True,
)
# Sums over the parts of a decoder: one formula for each kind of decoder, where no model is named that of the plain one
OF_ALL = (M_seq, D_seq, C_seq, D_prompt, C_prompt, D_weights, D_weights_prompt, D_weights_all)
n_window = _letter(
    "n_window",
    TOKEN / SEQUENCE,
    "tokens that a block with a window attends to",
    whole=True,
    aliases=("window", "sliding_window"),
    engine="window",
)
N_critical = _letter(
    "N_critical",
    TOKEN / SEQUENCE,
    "context beyond which no batch is compute-bound",
    latex=r"N_{\text{crit}}",
    aliases=("N",),
)
n_limit = _letter("n_limit", TOKEN / SEQUENCE, "longest context a model was made for", whole=True, engine="limit")
N_fit = _letter(
    "N_fit", TOKEN / SEQUENCE, "longest context whose caches fit beside the weights", whole=True, varies=True
)
N_largest = _letter("N_largest", TOKEN / SEQUENCE, "longest context that fits and that is allowed", whole=True)
n_new = _letter(
    "n_new", TOKEN / SEQUENCE, "tokens generated after the prompt", whole=True, aliases=("n_out",), engine="new_tokens"
)
i_token = _letter("i_token", TOKEN / SEQUENCE, "number of the token being generated: 1, 2, …", latex="i", whole=True)
d = _letter("d", ONE, "width of the only attention head", whole=True, aliases=("d_head", "d_k"), engine="width")
b_q = _letter("b_q", ONE, "query rows of one tile", latex="b", whole=True, engine="tile")
m = _size("m", ONE, "rows of a matrix")
n = _size("n", ONE, "columns of a matrix, summed over")
k = _size("k", ONE, "columns of the second matrix")
