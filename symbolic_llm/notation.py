"""Every letter, once

A letter is a SymPy symbol together with what it means: how it prints, its unit, whether it is a whole number, the
names other authors give it and the name under which the reference engine takes it. The order of the declarations
is the order in which factors are written, so that `n_bytes·F/(2·W)` prints as its authors wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Symbol

from .units import BIT, BLOCK, BYTE, FLOP, ONE, SECOND, SEQUENCE, TOKEN, VALUE, WEIGHT, Unit


@dataclass(frozen=True)
class Letter:
    """What is known of one letter.

    Attributes:
        name: the name in code, on the command line and in data files.
        latex: how it prints in mathematics.
        meaning: one phrase that says what it stands for.
        unit: the unit its numbers are in.
        whole: whether it counts things, so that its values are 1, 2, 3, …
        aliases: other names by which a value for it may be given, where the formula has no letter of that name.
        engine: the parameter of the reference engine it corresponds to; "" where the engine has none.
        shown: how it prints in plain text, where not by its name.
    """

    name: str
    latex: str
    meaning: str
    unit: Unit
    whole: bool = False
    aliases: tuple[str, ...] = ()
    engine: str = ""
    shown: str = ""


LETTERS: dict[Any, Letter] = {}  # symbol -> letter, in writing order; filled below, once, at import


def _letter(name: str, latex: str, unit: Unit, meaning: str, **extra: Any) -> Any:
    symbol = Symbol(name, positive=True)
    LETTERS[symbol] = Letter(name, latex, meaning, unit, **extra)
    return symbol


def letter(symbol: Any) -> Letter:
    """What is known of `symbol`; `KeyError` for a symbol that is not a letter of the notation."""
    return LETTERS[symbol]


# The model
P = _letter("P", "P", WEIGHT, "parameters that a pass multiplies: all weights of the model", whole=True)
a = _letter("a", "a", FLOP * SEQUENCE / TOKEN**2, "attention FLOPs of a new token for each token of its context")
P_attention = _letter("P_attention", r"P_{\text{attn}}", WEIGHT, "weights of one block's attention matrices")
P_mlp = _letter("P_mlp", r"P_{\text{mlp}}", WEIGHT, "weights of one block's MLP")
P_block = _letter("P_block", r"P_{\text{block}}", WEIGHT, "weights of one block")
P_embedding = _letter("P_embedding", r"P_{\text{emb}}", WEIGHT, "weights of the embedding matrix")
n_blocks = _letter(
    "n_blocks",
    r"n_{\text{blocks}}",
    ONE,
    "transformer blocks, also called layers",
    whole=True,
    aliases=("n_layers", "L"),
    engine="n_blocks",
)
n_vocab = _letter(
    "n_vocab",
    r"n_{\text{vocab}}",
    ONE,
    "tokens of the vocabulary",
    whole=True,
    aliases=("d_vocab", "vocab_size"),
    engine="n_vocab",
)
n_heads = _letter("n_heads", r"n_{\text{heads}}", ONE, "attention heads of a block", whole=True, engine="n_heads")
d_head = _letter("d_head", r"d_{\text{head}}", ONE, "width of one attention head", whole=True, engine="d_head")
d_model = _letter(
    "d_model",
    r"d_{\text{model}}",
    ONE,
    "width of the model: numbers in the vector of one token",
    whole=True,
    aliases=("n_embd", "hidden_size"),
)

# Storage
n_bits = _letter("n_bits", r"n_{\text{bits}}", BIT / WEIGHT, "bits of one quantised weight", whole=True, engine="bits")
n_block = _letter(
    "n_block", r"n_{\text{block}}", WEIGHT / BLOCK, "weights that share one scale", whole=True, engine="block"
)
n_scale = _letter(
    "n_scale", r"n_{\text{scale}}", BIT / BLOCK, "bits of a block's scale", whole=True, engine="scale_bits"
)
n_bytes = _letter("n_bytes", r"n_{\text{bytes}}", BYTE / WEIGHT, "bytes of one stored weight", engine="n_bytes")
n_bytes_2 = _letter(
    "n_bytes_2", r"n'_{\text{bytes}}", BYTE / WEIGHT, "bytes of one stored weight, at another precision"
)
n_bytes_kv = _letter(
    "n_bytes_kv",
    r"n_{\text{bytes}}^{\text{kv}}",
    BYTE / VALUE,
    "bytes of one number in the KV cache",
    aliases=("n_bytes",),
    engine="n_bytes_kv",
)
n_bytes_act = _letter(
    "n_bytes_act",
    r"n_{\text{bytes}}^{\text{act}}",
    BYTE / VALUE,
    "bytes of one activation",
    aliases=("n_bytes",),
    engine="n_bytes_act",
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
    "batch at which compute time reaches memory time, cache reads counted",
    aliases=("B",),
    shown="B*_kv",
)
T_star = _letter(
    "T_star",
    "T^{*}",
    TOKEN,
    "tokens in one pass at which compute time reaches memory time",
    aliases=("tokens",),
    shown="T*",
)
N = _letter(
    "N",
    "N",
    TOKEN / SEQUENCE,
    "context: tokens that a new token attends to, itself included",
    whole=True,
    aliases=("context", "n_ctx"),
    engine="context",
)
N_critical = _letter(
    "N_critical", r"N_{\text{crit}}", TOKEN / SEQUENCE, "context beyond which no batch is compute-bound", aliases=("N",)
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
d = _letter(
    "d",
    "d",
    ONE,
    "width of one attention head, where there is only one",
    whole=True,
    aliases=("d_head", "d_k"),
    engine="d_head",
)
b_q = _letter("b_q", "b", ONE, "query rows of one tile", whole=True, engine="tile")
m = _letter("m", "m", ONE, "rows of a matrix", whole=True, engine="m")
n = _letter("n", "n", ONE, "columns of a matrix, summed over", whole=True, engine="n")
k = _letter("k", "k", ONE, "columns of the second matrix", whole=True, engine="k")

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
n_fit = _letter("n_fit", r"n_{\text{fit}}", TOKEN, "tokens whose cache fits beside the weights")
B_fit = _letter(
    "B_fit",
    r"B_{\text{fit}}",
    SEQUENCE,
    "whole sequences whose cache fits beside the weights",
    whole=True,
    aliases=("B",),
)
D_step = _letter("D_step", r"D_{\text{step}}", BYTE, "bytes moved by one decoding step")
D_generation = _letter("D_generation", r"D_{\text{gen}}", BYTE, "cache bytes read while generating")

# Operations
C_vector = _letter("C_vector", r"C_{\text{mv}}", FLOP, "operations of a matrix–vector product")
C_matrix = _letter("C_matrix", r"C_{\text{mm}}", FLOP, "operations of a matrix–matrix product")
C_decode = _letter("C_decode", r"C_{\text{decode}}", FLOP, "operations of one decoding step")
C_prefill = _letter("C_prefill", r"C_{\text{prefill}}", FLOP, "operations of a prefill")
C_token = _letter("C_token", r"C_{\text{token}}", FLOP / TOKEN, "operations of decoding one token")

# One head of attention
D_textbook = _letter("D_textbook", r"D_{\text{head}}", BYTE, "bytes moved by textbook attention")
C_textbook = _letter("C_textbook", r"C_{\text{head}}", FLOP, "operations of textbook attention")
I_textbook = _letter("I_textbook", r"I_{\text{head}}", FLOP / BYTE, "arithmetic intensity of textbook attention")
I_limit = _letter(
    "I_limit", r"I_{\infty}", FLOP / BYTE, "arithmetic intensity of textbook attention for long sequences"
)
D_query = _letter("D_query", r"D_{\text{query}}", BYTE, "bytes moved by textbook attention for one query")
C_query = _letter("C_query", r"C_{\text{query}}", FLOP, "operations of textbook attention for one query")
I_query = _letter("I_query", r"I_{\text{query}}", FLOP / BYTE, "arithmetic intensity of attention for one query")
I_query_limit = _letter(
    "I_query_limit",
    r"I_{\text{query},\infty}",
    FLOP / BYTE,
    "arithmetic intensity of attention for one query and a long context",
)
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
T_memory_cache = _letter(
    "T_memory_cache", r"T_{\text{memory}}^{\text{kv}}", SECOND, "time to read the weights and the KV cache"
)
T_compute_cache = _letter(
    "T_compute_cache",
    r"T_{\text{compute}}^{\text{kv}}",
    SECOND,
    "time to do the arithmetic of one decoding step, attention counted",
)
R = _letter("R", "R", TOKEN / SECOND, "throughput: tokens of the whole batch in a second")
T_prefill = _letter("T_prefill", r"T_{\text{prefill}}", SECOND, "time to the end of the prompt")
T_generation = _letter("T_generation", r"T_{\text{gen}}", SECOND, "time of prompt and answer")
