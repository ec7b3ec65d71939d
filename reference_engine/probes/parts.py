"""Questions about parts: the matrices of a block, one head of attention, an op, a packed block"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .counts import Selection
from .measures import Count, Over, Quotient, Whether, elsewhere
from .registry import question
from .runs import HEAD, PACKED, PRODUCT, READ_PRODUCT, WEIGHTS
from .time_measures import Load, Time


def _held(*names: str) -> Count:
    """Weights that are held under these names, counted off their 32-bit storage."""
    return Count((Selection("held", tuple(f"weights.{name}" for name in names), each=4),))


def weights(name: str, words: str, letter: str, subject: str | tuple[str, ...], *names: str, **fixed: Any) -> None:
    """Enter a question about weights that are held under these names, put to one subject or several."""
    subjects = (subject,) if isinstance(subject, str) else subject
    question(f"weights.{name}", f"How many {words}?", WEIGHTS, _held(*names), letter, subjects=subjects, **fixed)


def _of_a_block(*names: str) -> tuple[str, ...]:
    return tuple(f"blocks.0.{name}" for name in names)


weights(
    "of_attention",
    "weights do the attention matrices of a block hold",
    "P_attention",
    "llama",
    *_of_a_block("query", "key", "value", "output"),
)
weights("of_mlp", "weights does the MLP of a block hold", "P_mlp", "llama", *_of_a_block("gate", "up", "down"))
weights("of_block", "weights does a block hold", "P_block", "schematic", *_of_a_block("*"))
weights("of_embedding", "weights does the embedding hold", "P_embedding", "llama", "embedding")
weights("of_norm", "weights does a norm hold", "P_vector", "llama", "norm.*")
weights(
    "of_joint_norms",
    "weights do the norms over all queries and all keys of a block hold",
    "P_qk_norm",
    "joint",
    *_of_a_block("query_norm.*", "key_norm.*"),
)
weights(
    "of_attention_gate",
    "weights does the gate over attention of a block hold",
    "P_gate",
    "joint",
    *_of_a_block("attention_gate"),
)
weights("of_slopes", "weights does the activation of an MLP hold", "P_slopes", "joint", *_of_a_block("slopes.*"))
weights(
    "of_query_key_and_value_biases",
    "biases do queries, keys and values of a block have",
    "P_bias",
    "biased",
    *_of_a_block("query.bias", "key.bias", "value.bias"),
)
weights("of_projections", "weights lead to the model's width and back", "P_projection", "projected", "project_*")
weights("of_router", "weights does the router of a block hold", "P_router", "mixtral", *_of_a_block("router"))
weights("of_expert", "weights does one expert hold", "P_expert", "mixtral", *_of_a_block("experts.0.*"))
weights(
    "of_latent_keys_and_values",
    "weights do latent keys, values and the output hold in a block",
    "P_attention",
    "latent",
    *_of_a_block("latent", "key_up", "value_up", "output"),
)
weights("of_queries", "weights does the query matrix of a block hold", "P_attention", "latent", *_of_a_block("query"))
weights(
    "of_compressed_queries",
    "weights do the matrices of compressed queries hold in a block",
    "P_attention",
    "compressed",
    *_of_a_block("query_down", "query"),
)

# One head of attention

_FLOPS = Count((Selection("flops"),))
_MOVED = Count((Selection("loaded"), Selection("stored")))
for _subject, _bytes, _operations, _words in (
    ("textbook", "D_textbook", "C_textbook", "textbook attention"),
    ("query", "D_query", "C_query", "textbook attention for one query"),
    ("scaled", "D_scaled", "", "textbook attention with a pass for the scaling"),
    ("stable", "", "C_stable", "attention with the stable softmax"),
    ("tiled", "D_tiled", "", "tiled attention"),
):
    if _bytes:
        question(f"{_subject}.bytes", f"How many bytes does {_words} move?", HEAD, _MOVED, _bytes, subjects=(_subject,))
    if _operations:
        question(
            f"{_subject}.flops",
            f"How many operations does {_words} do?",
            HEAD,
            _FLOPS,
            _operations,
            subjects=(_subject,),
        )
for _subject, _letter, _words in (("textbook", "I_textbook", ""), ("query", "I_query", " for one query")):
    question(
        f"{_subject}.intensity",
        f"How many operations does textbook attention do{_words}, for how many bytes?",
        HEAD,
        Quotient(_FLOPS, _MOVED),
        _letter,
        subjects=(_subject,),
    )
question(
    "softmax.flops",
    "How many operations does the stable softmax of a head do?",
    HEAD,
    Count((Selection("flops", ("line_2",)),)),
    "C_softmax",
    subjects=("stable",),
)
question(
    "tiled.saves",
    "Does tiled attention move fewer bytes than textbook attention?",
    HEAD,
    Whether(_MOVED, elsewhere(_MOVED, subject="untiled")),
    subjects=("tiled",),
)
for _op, _words in (
    ("maximum", "comparisons"),
    ("subtract", "subtractions"),
    ("exp", "exponentials"),
    ("sum", "additions"),
    ("divide", "divisions"),
):
    question(
        f"softmax.{_words}",
        f"How many {_words} does the stable softmax of a head do?",
        HEAD,
        Count((Selection("flops", ("line_2",), _op),)),
        subjects=("stable",),
    )
for _subject in ("textbook", "query", "scaled", "tiled"):
    for _what in ("loaded", "stored"):
        question(
            f"{_subject}.{_what}",
            f"How many bytes are {_what}?",
            HEAD,
            Count((Selection(_what),)),
            subjects=(_subject,),
        )

# Products of scalars that count themselves, and a packed block

for _name, _subject, _words, _letter in (
    ("row", "row", "a row and a column", ""),
    ("matrix_and_vector", "matrix and vector", "a matrix and a vector", "C_vector"),
    ("matrices", "matrices", "two matrices", "C_matrix"),
):
    question(
        f"product.{_name}",
        f"How many operations does a product of {_words} do, counted one by one?",
        PRODUCT,
        _FLOPS,
        _letter,
        subjects=(_subject,),
    )
_READ = Count((Selection("loaded"),))
_CLOCKED = Load(_READ, _FLOPS)
for _name, _letter, _words, _answer in (
    ("bytes", "D_matrix", "How many bytes of the first matrix does a product read?", _READ),
    (
        "intensity",
        "I_matrix",
        "How many operations does a product do, for how many bytes of its first matrix?",
        Quotient(_FLOPS, _READ),
    ),
    ("compute_time", "", "How many operations does a product do, at how many a second?", Over(_FLOPS, "flops")),
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
        Quotient(Time(_CLOCKED), _READ),
    ),
    (
        "rate",
        "F_matrix",
        "How many operations does a product do, in its time on the ideal machine?",
        Quotient(_FLOPS, Time(_CLOCKED)),
    ),
):
    question(f"product.{_name}", _words, READ_PRODUCT, _answer, _letter, subjects=("matrices",))
_STORED = ("!numbers",)
_PACKED = Count((Selection("held", _STORED),))
question(
    "packed.bytes_per_weight",
    "How many bytes does a packed block take, for how many weights?",
    PACKED,
    Over(_PACKED, "block"),
    "n_bytes",
    subjects=("block",),
    widths=(),
)
question(
    "packed.bits",
    "How many bits does a packed block take?",
    PACKED,
    Count((Selection("held", _STORED, each=Fraction(1, 8)),)),
    subjects=("block",),
)
question(
    "packed.bytes_per_weight_of_parts",
    "How many bytes does a block take whose parts have scales of their own, for how many weights?",
    PACKED,
    Quotient(_PACKED, Count((Selection("held", ("numbers",), each=4),))),
    "n_bytes",
    subjects=("nested blocks",),
    widths=(),
)
question(
    "packed.bits_of_parts",
    "How many bits does a block take whose parts have scales of their own?",
    PACKED,
    Count((Selection("held", _STORED, each=Fraction(1, 8)),)),
    subjects=("nested blocks",),
)
