"""The work"""

from __future__ import annotations

from ..units import ONE, SEQUENCE, TOKEN
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
N_kept = letter(
    "N_kept", r"N_{\text{kept}}", TOKEN / SEQUENCE, "tokens that a block keeps of a sequence, in the mean", varies=True
)
N_met = letter(
    "N_met",
    r"N_{\text{met}}",
    TOKEN / SEQUENCE,
    "tokens that attention of a new token meets in a block, in the mean over its operations",
    varies=True,
)
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
