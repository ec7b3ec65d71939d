"""The operations of a pass: every matrix product of a model, with its shape and how many there are

A model's parts say what its weights are; here stands which matrices they are in, and what tokens, keys and values do
with them. What a product computes and reads is not said here but by matrix_matrix_flops and product_bytes. Norms,
softmax and activations are left out, as in all formulas for a step's time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..architecture import Trait
from ..catalogue.named import (
    attention_gate_parameters,
    compressed_query_parameters,
    compressor_parameters,
    embedding_parameters,
    entry_index_parameters,
    expert_parameters,
    full_query_parameters,
    gated_mlp_parameters,
    grouped_attention_parameters,
    index_parameters,
    latent_key_value_parameters,
    overlapping_compressor_parameters,
    plain_mlp_parameters,
    projection_parameters,
    query_output_parameters,
    router_parameters,
    shared_key_attention_parameters,
    shared_vector_parameters,
    stream_parameters,
    two_width_attention_parameters,
    vector_parameters,
    waiting_bytes_read,
)
from ..errors import InvalidModel
from ..formula import Formula
from .model import Model
from .part import count
from .products import D_MODEL, Matrix, Operation, Pass, Product, Shapes, one_width, total_width
from .recurrent import KINDS

_D, _FF, _EXPERT = D_MODEL, one_width("d_ff"), one_width("d_expert")
_QUERY = total_width("n_heads", "d_nope", "d_rope")
_ASKING = Matrix("attention.query", total_width("n_heads", "d_head"), _D)
_KEYS = Matrix("attention.key", total_width("n_kv_heads", "d_head"), _D)
_FROM_VALUES = Matrix("attention.output", _D, total_width("n_heads", "d_value"))


def _of_a_group(at: Shapes) -> Any:
    """Width of the output of one group of heads, which a matrix brings to one short vector."""
    return at["n_heads"] * at["d_head"] / at["n_output_groups"]


def _mixed(at: Shapes) -> Any:
    """Number of coefficients that mix streams, before both layers of each block and once at the end."""
    n = at["n_streams"]
    return 2 * at["n_blocks"] * (2 * n + n**2) + n


def _compressor(of: str, width: str, series: int) -> tuple[Matrix, ...]:
    """Matrices of a compressor: the values that each token gives an entry, and the gates that weigh them."""
    return tuple(Matrix(f"attention.{of}.{name}", lambda at: series * at[width], _D) for name in ("values", "gates"))


# Of each formula that counts multiplied weights, the matrices that these are in; together they are what it counts.
MATRICES: dict[Formula, tuple[Matrix, ...]] = {
    embedding_parameters: (Matrix("output", one_width("n_vocab"), _D),),
    projection_parameters: (
        Matrix("project_in", _D, one_width("d_embedding")),
        Matrix("project_out", one_width("d_embedding"), _D),
    ),
    grouped_attention_parameters: (
        _ASKING,
        _KEYS,
        Matrix("attention.value", total_width("n_kv_heads", "d_head"), _D),
        Matrix("attention.output", _D, total_width("n_heads", "d_head")),
    ),
    two_width_attention_parameters: (
        _ASKING,
        _KEYS,
        Matrix("attention.value", total_width("n_kv_heads", "d_value"), _D),
        _FROM_VALUES,
    ),
    query_output_parameters: (
        _ASKING,
        _FROM_VALUES,
    ),
    shared_key_attention_parameters: (
        Matrix("attention.query", total_width("n_heads", "d_head_full"), _D),
        Matrix("attention.key", total_width("n_kv_full", "d_head_full"), _D),
        Matrix("attention.output", _D, total_width("n_heads", "d_head_full")),
    ),
    attention_gate_parameters: (Matrix("attention.gating.gate", total_width("n_heads", "d_head"), _D),),
    full_query_parameters: (Matrix("attention.query", _QUERY, _D),),
    compressed_query_parameters: (
        Matrix("attention.query_down", one_width("d_query"), _D),
        Matrix("attention.query", _QUERY, one_width("d_query")),
    ),
    latent_key_value_parameters: (
        Matrix("attention.latent", lambda at: at["d_latent"] + at["d_rope"], _D),
        Matrix("attention.key_up", total_width("n_heads", "d_nope"), one_width("d_latent")),
        Matrix("attention.value_up", total_width("n_heads", "d_value"), one_width("d_latent")),
        _FROM_VALUES,
    ),
    index_parameters: (
        Matrix("attention.index.query", total_width("n_index_heads", "d_index"), one_width("d_query")),
        Matrix("attention.index.key", one_width("d_index"), _D),
        Matrix("attention.index.weight", one_width("n_index_heads"), _D),
    ),
    shared_vector_parameters: (
        Matrix("attention.query_down", one_width("d_query"), _D),
        Matrix("attention.query", total_width("n_heads", "d_head"), one_width("d_query")),
        Matrix("attention.key_value", one_width("d_head"), _D),
        Matrix("attention.output_down", total_width("n_output_groups", "d_output"), _of_a_group),
        Matrix("attention.output", _D, total_width("n_output_groups", "d_output")),
    ),
    compressor_parameters: _compressor("long", "d_head", 1),
    overlapping_compressor_parameters: _compressor("entry", "d_head", 2),
    entry_index_parameters: (
        *_compressor("index", "d_index", 2),
        Matrix("attention.index.query", total_width("n_index_heads", "d_index"), one_width("d_query")),
        Matrix("attention.index.weight", one_width("n_index_heads"), _D),
    ),
    stream_parameters: (Matrix("mixing.product", _mixed, one_width("d_streams")),),
    gated_mlp_parameters: (
        Matrix("mlp.gate", _FF, _D),
        Matrix("mlp.up", _FF, _D),
        Matrix("mlp.down", _D, _FF),
    ),
    plain_mlp_parameters: (Matrix("mlp.up", _FF, _D), Matrix("mlp.down", _D, _FF)),
    router_parameters: (Matrix("mlp.router", one_width("n_experts"), _D),),
    # what is multiplied of vectors is such a gate
    vector_parameters: (Matrix("mlp.shared.shared_gate", lambda _: 1, _D),),
    expert_parameters: (
        Matrix("mlp.experts.gate", _EXPERT, _D),
        Matrix("mlp.experts.up", _EXPERT, _D),
        Matrix("mlp.experts.down", _D, _EXPERT),
    ),
    **{formula: matrices for kind in KINDS for formula, matrices in kind.matrices.items()},
}
ATTENTION = "attention.scores and mix"
INDEXES = "attention.index.scores and sum"
WAITING = "attention.pending"
_ORDER = (
    *(
        "project_in",
        "streams.projection",
        "streams.router",
        "streams.coefficients",
        "attention.query_down",
        "attention.query",
        "attention.latent",
        "attention.key",
        "attention.value",
    ),
    *("attention.key_value", *(f"attention.{of}.{name}" for of in ("entry", "long") for name in ("values", "gates"))),
    *("attention.index.values", "attention.index.gates", WAITING),
    *("attention.index.query", "attention.index.key", "attention.index.weight", INDEXES),
    *("attention.key_up", ATTENTION, "attention.value_up", "attention.gating.gate"),
    *("attention.output_down", "attention.output"),
    *("learned.up", "learned.down"),
    *("state.in", "state.gate", "state.step", "state.take", "state.inputs", "state.states", "state.out", "mlp.router"),
    *(
        f"mlp.{of}.{name}"
        for of in ("experts", "shared")
        for name in ("project_in", "gate", "up", "down", "project_out")
    ),
    *("mlp.shared.shared_gate", "mlp.gate", "mlp.up", "mlp.down"),
    *("looked.up", "looked.gate", "looked.down", "mixing.product", "project_out", "output"),
)


_OF_KINDS: Mapping[str, str] = {"block embeddings": "looked", "learned residuals": "learned"}
# Matrices of streams that alternate, by the letter of their columns
_OF_STREAMS: Mapping[tuple[str, Formula, str], str] = {
    ("streams", router_parameters, "d_model"): "streams.router",
    ("streams", embedding_parameters, "n_streams"): "streams.coefficients",
    ("streams", embedding_parameters, "d_model"): "streams.projection",
}


def operations(model: Model, of: Pass) -> tuple[Operation, ...]:
    """The operations of a pass in the order in which they are done; `InvalidModel` for a part of unknown matrices."""
    found = [*_of_weights(model, of), *_kept(model, of), *_indexes(model, of), *_states(model, of)]
    return tuple(sorted(found, key=_place))


def _place(one: Operation) -> float:
    """The place of an operation in a pass: what a kind of state has of its own comes before what leads out of it."""
    return _ORDER.index(one.name) if one.name in _ORDER else _ORDER.index("state.out") - 0.5


def _of_weights(model: Model, of: Pass) -> Iterator[Operation]:
    merged: dict[str, list[Product]] = {}
    places: dict[str, str] = {}
    for part in model.parts:
        if not part.multiplied:
            continue
        copies, tokens, routed = Fraction(part.multiplied), of.tokens, part.multiplied < part.stored
        if routed:  # each expert that some token picks is read once, and meets the tokens that picked it
            active = Fraction(model.letters["n_active"])
            copies, tokens = copies / active * of.distinct, of.tokens * active / of.distinct
        if part.formula not in MATRICES:
            raise InvalidModel(f"{model.name}: it is unknown which matrices {part.formula.name} counts.")
        which = "shared" if "mlp.experts.up" in merged else "experts"  # those that are picked come first
        for matrix in MATRICES[part.formula]:
            last = matrix.name.rpartition(".")[2]
            name = f"mlp.{which}.{last}" if part.kind == "experts" else matrix.name
            name = f"{_OF_KINDS[part.kind]}.{last}" if part.kind in _OF_KINDS else name
            name = _OF_STREAMS.get((part.kind, part.formula, part.width), name)
            m, n = (Fraction(side(part.letters)) for side in (matrix.rows, matrix.columns))
            met = of.asked if name == "output" else tokens
            merged.setdefault(name, []).append(Product(copies, m, n, met))
            places[name] = part.place
    for name, products in merged.items():
        yield Operation(name, tuple(products), tuple(products), place=places[name])


def _kept(model: Model, of: Pass) -> Iterator[Operation]:
    """Operations of queries with the caches of attention, and with the indexes and inputs of compressed attention."""
    if Trait.COMPRESSED in model.traits:
        yield from _entries(model, of)
    else:
        yield _attention(model, of)


def _entries(model: Model, of: Pass) -> Iterator[Operation]:
    """Operations of compressed attention: queries with windows and entries of runs, the index, and what waits.

    One vector is key and value for all heads. An index has entries of its own.
    """
    at = {name: Fraction(value) for name, value in model.letters.items()}
    short, long = at["r_csa"], at["r_hca"]
    kinds = [  # blocks, keys that a new token meets, keys that a prompt reads for all of its tokens
        (at["n_blocks"], of.met(most=at["n_window"]), of.kept),
        (at["n_csa"], of.met(short, at["n_picked"]), Fraction(of.kept // short)),
        (at["n_hca"], of.met(long), Fraction(of.kept // long)),
    ]

    def product(blocks: Fraction, keys: Fraction) -> Product:
        return Product(blocks * of.sequences, keys, at["d_head"], at["n_heads"] * of.new)

    met = [product(blocks, keys) for blocks, keys, _ in kinds if keys]
    read = met if of.decodes else [product(blocks, keys) for blocks, _, keys in kinds if keys]
    mixed = [Product(one.copies, one.n, one.m, one.k) for one in met]
    yield Operation(ATTENTION, (*met, *mixed), tuple(read), "n_bytes_kv")
    if of.kept >= short:
        yield _met_by_indexes(at, of, at["n_csa"], short)
    if of.decodes:
        numbers = count(waiting_bytes_read, {**at, "n_bytes_kv": Fraction(1)})  # each takes a byte
        yield Operation(WAITING, (), (Product(of.sequences, Fraction(1), numbers, of.new),), "n_bytes_kv")


def _attention(model: Model, of: Pass) -> Operation:
    at = {name: Fraction(value) for name, value in model.letters.items()}
    if Trait.LATENT not in model.traits:
        met = tuple(_of_heads(at, of.met(most=at.get("n_window")), of.met(), of))
        # a prompt reads the keys of all windows once
        return Operation(
            ATTENTION, met, met if of.decodes else tuple(_of_heads(at, of.kept, of.kept, of)), "n_bytes_kv"
        )
    sequences, kept = at["n_blocks"] * of.sequences, of.kept
    keys = of.met(most=at["n_picked"] if Trait.PICKED in model.traits else None)
    if of.decodes:  # absorbed: all heads meet the latent vectors themselves; the tokens of a prompt pick each their own
        kept = keys
    cache = Product(sequences, kept, at["d_latent"] + at["d_rope"], at["n_heads"] * of.new)
    if of.decodes:
        mix = Product(sequences, at["d_latent"], kept, at["n_heads"] * of.new)
        return Operation(ATTENTION, (cache, mix), (cache,), "n_bytes_kv")
    heads = sequences * at["n_heads"]  # expanded: each has made keys and values of its own
    scores = Product(heads, keys, at["d_nope"] + at["d_rope"], of.new)
    values = Product(heads, at["d_value"], keys, of.new)
    return Operation(ATTENTION, (scores, values), (cache,), "n_bytes_kv")


def _of_heads(at: Mapping[str, Fraction], windowed: Fraction, whole: Fraction, of: Pass) -> Iterator[Product]:
    """Products of queries with keys, and with values, in the blocks with a window and in the others that attend.

    Each query is with `windowed` keys in the former, and with `whole` keys in the latter.
    """
    local = at.get("n_local", Fraction(0))
    others = at.get("n_global", at["n_blocks"] - local)
    full = at.get("n_kv_full", at["n_kv_heads"]), at.get("d_head_full", at["d_head"])
    for blocks, (heads, width), met in (
        (local, (at["n_kv_heads"], at["d_head"]), windowed),
        (others, full, whole),
    ):
        if blocks:
            pairs, queries = blocks * of.sequences * heads, at["n_heads"] / heads * of.new
            yield Product(pairs, met, width, queries)
            yield Product(pairs, at.get("d_value", width), met, queries)


def _indexes(model: Model, of: Pass) -> Iterator[Operation]:
    """Operations of the indexes with the keys of all tokens: products with each query, then sums of weighed matches."""
    if Trait.PICKED not in model.traits:
        return
    at = {name: Fraction(value) for name, value in model.letters.items()}
    yield _met_by_indexes(at, of, at["n_index"], Fraction(1))


def _met_by_indexes(at: Mapping[str, Fraction], of: Pass, blocks: Fraction, run: Fraction) -> Operation:
    """Operation of the indexes of some blocks with the keys of all tokens, or with an entry for each run of them."""
    sequences, met = blocks * of.sequences, of.met(run)
    keys, read = (
        Product(sequences, tokens, at["d_index"], at["n_index_heads"] * of.new)
        for tokens in (met, Fraction(of.kept // run))
    )
    weighed = Product(sequences * of.new, Fraction(1), at["n_index_heads"], met)
    return Operation(INDEXES, (keys, weighed), (read,), "n_bytes_kv")


def _states(model: Model, of: Pass) -> Iterator[Operation]:
    """Operations of tokens with what blocks with a state keep, which is read once and written back."""
    at = {name: Fraction(value) for name, value in model.letters.items()}
    for kind in KINDS:
        if kind.blocks in at:
            yield from kind.moved(at, of)
