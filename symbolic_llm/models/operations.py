"""The operations of a pass: every matrix product of a model, with its shape and how many there are

A model's parts say what its weights are; here stands which matrices they are in, and what tokens, keys and values do
with them. What a product computes and reads is not said here but by matrix_matrix_flops and product_bytes. Norms,
softmax and activations are left out, as in all formulas for a step's time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

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
)
from ..errors import InvalidModel
from ..expressions.exact import exact
from ..formula import Formula
from ..notation import N, n_bytes, n_bytes_kv, n_bytes_state, named
from .model import Model
from .products import (
    ATTENTION,
    D_MODEL,
    INDEX,
    STATE,
    WAITING,
    Matrix,
    Operation,
    Pass,
    Product,
    Shapes,
    one_width,
    total_width,
)
from .recurrent import KINDS

if TYPE_CHECKING:
    from .caches_and_states import Kept, Times

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
_WIDTHS_KEPT = (n_bytes_kv, n_bytes_state)  # of what blocks keep
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
    *("attention.index.query", "attention.index.key", "attention.index.weight", INDEX),
    *("attention.key_up", ATTENTION, "attention.value_up", "attention.gating.gate"),
    *("attention.output_down", "attention.output"),
    *("learned.up", "learned.down"),
    *("state.in", "state.gate", "state.step", "state.take", STATE, "state.out", "mlp.router"),
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
    return tuple(sorted((*_of_weights(model, of), *_kept(model, of)), key=lambda one: _ORDER.index(one.name)))


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
        flops, numbers = (sum((getattr(one, of) for one in products), Fraction(0)) for of in ("flops", "numbers"))
        yield Operation(name, flops, {n_bytes.name: numbers}, places[name])


def _kept(model: Model, of: Pass) -> Iterator[Operation]:
    """Operations of tokens with what blocks keep of their sequences, and what is read of that, or written back too."""
    from .caches_and_states import NEVER, ONCE, kinds, value_of  # which takes SymPy, as no other answer of a model does

    letters = {named(name): Fraction(value) for name, value in model.letters.items() if value}
    letters |= {N: of.kept, **dict.fromkeys(_WIDTHS_KEPT, Fraction(0))}

    def value(kept: Kept, formula: Formula | None, times: Times, width: Any = None) -> Fraction:
        if formula is None or times == NEVER:
            return Fraction(0)
        each = value_of(kept, formula) if times == ONCE else value_of(kept, formula) * times[0]
        return Fraction(exact(each, letters if width is None else letters | {width: Fraction(1)}))

    work: dict[str, Fraction] = {}
    numbers: dict[str, dict[str, Fraction]] = {}
    for kept in kinds({letter.name for letter in letters}):
        done, met, moved = (
            (kept.work, kept.met, kept.moved) if of.decodes else (kept.prompt_work, kept.met_before, kept.of_prompt)
        )
        if met == moved == NEVER:
            continue
        work[kept.operation] = work.get(kept.operation, Fraction(0)) + of.tokens * value(kept, done, met)
        read = numbers.setdefault(kept.operation, {})
        for width in _WIDTHS_KEPT:
            more = of.sequences * value(kept, kept.each, moved, width)
            read[width.name] = read.get(width.name, Fraction(0)) + more
    for name, flops in work.items():
        yield Operation(name, flops, {width: number for width, number in numbers[name].items() if number})
