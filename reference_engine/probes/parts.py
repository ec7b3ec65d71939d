"""Questions about parts: the matrices of a block, one head of attention, an op, a packed block"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .ledger_selections import both, count
from .measures import elsewhere
from .registry import about
from .runs import HEAD, PACKED, PRODUCT, READ_PRODUCT, WEIGHTS
from .time_measures import Load, Time


def weights(where: str, *subjects: str, **fixed: Any) -> Callable[..., None]:
    """Function that enters questions about weights that are held under some names, all of which begin with `where`."""

    def enter(name: str, letter: str, names: str, words: str) -> None:
        paths = (f"weights.{where}{one}" for one in names.split())
        about(WEIGHTS, *subjects, **fixed)(
            f"weights.{name}", f"How many weights are in {words}?", count("held", *paths, each=4), letter
        )

    return enter


_OF_A_BLOCK = "blocks.0."
weights("", "llama")("of_embedding", "P_embedding", "embedding", "the embedding")
weights("", "llama")("of_norm", "P_vector", "norm.*", "a norm")
weights("", "projected")("of_projections", "P_projection", "project_*", "matrices to the model's width and back")
weights(_OF_A_BLOCK, "schematic")("of_block", "P_block", "*", "a block")
weights(_OF_A_BLOCK, "llama")("of_attention", "P_attention", "query key value output", "a block's attention matrices")
weights(_OF_A_BLOCK, "llama")("of_mlp", "P_mlp", "gate up down", "a block's MLP")
weights(_OF_A_BLOCK, "joint")(
    "of_joint_norms", "P_qk_norm", "query_norm.* key_norm.*", "a block's norms over all queries and over all keys"
)
weights(_OF_A_BLOCK, "joint")("of_attention_gate", "P_gate", "attention_gate", "a block's gate over attention")
weights(_OF_A_BLOCK, "joint")("of_slopes", "P_slopes", "slopes.*", "the activation of an MLP")
weights(_OF_A_BLOCK, "biased")(
    "of_query_key_and_value_biases", "P_bias", "query.bias key.bias value.bias", "a block's biases of attention"
)
weights(_OF_A_BLOCK, "mixtral")("of_router", "P_router", "router", "a block's router")
weights(_OF_A_BLOCK, "mixtral")("of_expert", "P_expert", "experts.0.*", "one expert")
weights(_OF_A_BLOCK, "latent")(
    "of_latent_keys_and_values",
    "P_attention",
    "latent key_up value_up output",
    "a block's matrices of latent keys and values, and its output",
)
weights(_OF_A_BLOCK, "latent")("of_queries", "P_attention", "query", "a block's query matrix")
weights(_OF_A_BLOCK, "compressed")(
    "of_compressed_queries", "P_attention", "query_down query", "a block's matrices of compressed queries"
)

# One head of attention

FLOPS = count("flops")
MOVED = both(count("loaded"), count("stored"))
for _subject, _bytes, _operations, _words in (
    ("textbook", "D_textbook", "C_textbook", "textbook attention"),
    ("query", "D_query", "C_query", "textbook attention for one query"),
    ("scaled", "D_scaled", "", "textbook attention with a pass for the scaling"),
    ("stable", "", "C_stable", "attention with the stable softmax"),
    ("tiled", "D_tiled", "", "tiled attention"),
):
    if _bytes:
        about(HEAD, _subject)(f"{_subject}.bytes", f"How many bytes does {_words} move?", MOVED, _bytes)
    if _operations:
        about(HEAD, _subject)(f"{_subject}.flops", f"How many operations does {_words} do?", FLOPS, _operations)
for _subject, _letter, _words in (("textbook", "I_textbook", ""), ("query", "I_query", " for one query")):
    about(HEAD, _subject)(
        f"{_subject}.intensity",
        f"How many operations does textbook attention do{_words}, for how many bytes?",
        FLOPS / MOVED,
        _letter,
    )
about(HEAD, "stable")(
    "softmax.flops",
    "How many operations does the stable softmax of a head do?",
    count("flops", "line_2"),
    "C_softmax",
)
about(HEAD, "tiled")(
    "tiled.saves",
    "Does tiled attention move fewer bytes than textbook attention?",
    elsewhere(MOVED, subject="untiled") > MOVED,
)
for _op, _words in (
    ("maximum", "comparisons"),
    ("subtract", "subtractions"),
    ("exp", "exponentials"),
    ("sum", "additions"),
    ("divide", "divisions"),
):
    about(HEAD, "stable")(
        f"softmax.{_words}",
        f"How many {_words} does the stable softmax of a head do?",
        count("flops", "line_2", op=_op),
    )
for _subject in ("textbook", "query", "scaled", "tiled"):
    for _what in ("loaded", "stored"):
        about(HEAD, _subject)(f"{_subject}.{_what}", f"How many bytes are {_what}?", count(_what))

# Products of scalars that count themselves, and a packed block

for _name, _subject, _words, _letter in (
    ("row", "row", "a row and a column", ""),
    ("matrix_and_vector", "matrix and vector", "a matrix and a vector", "C_vector"),
    ("matrices", "matrices", "two matrices", "C_matrix"),
):
    about(PRODUCT, _subject)(
        f"product.{_name}", f"How many operations does a product of {_words} do, counted one by one?", FLOPS, _letter
    )
_READ = count("loaded")
_CLOCKED = Load(_READ, FLOPS)
for _name, _letter, _words, _answer in (
    ("bytes", "D_matrix", "How many bytes of the first matrix does a product read?", _READ),
    (
        "intensity",
        "I_matrix",
        "How many operations does a product do, for how many bytes of its first matrix?",
        FLOPS / _READ,
    ),
    ("compute_time", "", "How many operations does a product do, at how many a second?", FLOPS / "flops"),
    (
        "time",
        "T_matrix",
        "How long does a product take on the ideal machine, which reads its first matrix meanwhile?",
        Time(_CLOCKED),
    ),
    (
        "time_of_a_byte",
        "",
        "How long does a product take on the ideal machine, for how many bytes of its first matrix?",
        Time(_CLOCKED) / _READ,
    ),
    (
        "rate",
        "F_matrix",
        "How many operations does a product do, in its time on the ideal machine?",
        FLOPS / Time(_CLOCKED),
    ),
):
    about(READ_PRODUCT, "matrices")(f"product.{_name}", _words, _answer, _letter)
_STORED = "!numbers"
_PACKED = count("held", _STORED)
about(PACKED, "block", widths=())(
    "packed.bytes_per_weight",
    "How many bytes does a packed block take, for how many weights?",
    _PACKED / "block",
    "n_bytes",
)
about(PACKED, "block")(
    "packed.bits", "How many bits does a packed block take?", count("held", _STORED, each=Fraction(1, 8))
)
about(PACKED, "nested blocks", widths=())(
    "packed.bytes_per_weight_of_parts",
    "How many bytes does a block take whose parts have scales of their own, for how many weights?",
    _PACKED / count("held", "numbers", each=4),
    "n_bytes",
)
about(PACKED, "nested blocks")(
    "packed.bits_of_parts",
    "How many bits does a block take whose parts have scales of their own?",
    count("held", _STORED, each=Fraction(1, 8)),
)
