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
    embedding_parameters,
    expert_parameters,
    gated_mlp_parameters,
    plain_mlp_parameters,
    projection_parameters,
    router_parameters,
    stream_parameters,
    vector_parameters,
)
from ..errors import InvalidModel
from ..expressions.exact import exact
from ..formula import Formula
from ..notation import N, n_bytes, n_bytes_kv, n_bytes_state, named
from .attention import KINDS as ATTENTION
from .model import Model
from .part import Part
from .products import D_MODEL, STATE, Matrix, Operation, Pass, Product, Shapes, one_width
from .recurrent import KINDS

if TYPE_CHECKING:
    from .caches_and_states import Kept, Times

_D, _FF, _EXPERT = D_MODEL, one_width("d_ff"), one_width("d_expert")
_PLAIN = Matrix("mlp.up", _FF, _D), Matrix("mlp.down", _D, _FF)


def _mixed(at: Shapes) -> Any:
    """Number of coefficients that mix streams, before both layers of each block and once at the end."""
    n = at["n_streams"]
    return 2 * at["n_blocks"] * (2 * n + n**2) + n


# Of each formula that counts multiplied weights, the matrices that these are in; together they are what it counts.
MATRICES: dict[Formula, tuple[Matrix, ...]] = {
    embedding_parameters: (Matrix("output", one_width("n_vocab"), _D),),
    projection_parameters: (
        Matrix("project_in", _D, one_width("d_embedding")),
        Matrix("project_out", one_width("d_embedding"), _D),
    ),
    stream_parameters: (Matrix("mixing.product", _mixed, one_width("d_streams")),),
    gated_mlp_parameters: (Matrix("mlp.gate", _FF, _D), *_PLAIN),
    plain_mlp_parameters: _PLAIN,
    router_parameters: (Matrix("mlp.router", one_width("n_experts"), _D),),
    # what is multiplied of vectors is such a gate
    vector_parameters: (Matrix("mlp.shared.shared_gate", lambda _: 1, _D),),
    expert_parameters: (
        Matrix("mlp.experts.gate", _EXPERT, _D),
        Matrix("mlp.experts.up", _EXPERT, _D),
        Matrix("mlp.experts.down", _D, _EXPERT),
    ),
    **{formula: matrices for kind in ATTENTION for formula, matrices in kind.matrices.items()},
    **{formula: matrices for kind in KINDS for formula, matrices in kind.matrices.items()},
}
_WIDTHS_KEPT = (n_bytes_kv, n_bytes_state)  # of what blocks keep
_BEFORE = ("project_in", "streams.projection", "streams.router", "streams.coefficients")
_AFTER = (
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


def operations(model: Model, of: Pass, devices: int = 1) -> tuple[Operation, ...]:
    """The operations of a pass in the order in which they are done; `InvalidModel` for a part of unknown matrices.

    Of one device, in the mean, where several share every layer.
    """
    order = (*_BEFORE, *model.attention.order, *_AFTER)
    found = (*_of_weights(model, of, devices), *_kept(model, of, devices))
    return tuple(sorted(found, key=lambda one: order.index(one.name)))


def _letters_of(part: Part, devices: int) -> Mapping[str, Any]:
    """The letters of a part's formula, as a device has them where several share every layer."""
    if devices == 1:
        return part.letters
    from .device_share import of_part, on_device  # which takes SymPy, as what is kept does

    own = {name: named(part.renamed.get(name, name)) for name in part.letters}
    values = {own[name]: Fraction(value) for name, value in part.letters.items()}
    shared = on_device(values, of_part(part), devices)
    return {name: shared[letter] for name, letter in own.items()}


def _of_weights(model: Model, of: Pass, devices: int) -> Iterator[Operation]:
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
        letters = _letters_of(part, devices)
        for matrix in MATRICES[part.formula]:
            last = matrix.name.rpartition(".")[2]
            name = f"mlp.{which}.{last}" if part.kind == "experts" else matrix.name
            name = f"{_OF_KINDS[part.kind]}.{last}" if part.kind in _OF_KINDS else name
            name = _OF_STREAMS.get((part.kind, part.formula, part.width), name)
            m, n = (Fraction(side(letters)) for side in (matrix.rows, matrix.columns))
            met = of.asked if name == "output" else tokens
            merged.setdefault(name, []).append(Product(copies, m, n, met))
            places[name] = part.place
    for name, products in merged.items():
        flops, numbers = (sum((getattr(one, of) for one in products), Fraction(0)) for of in ("flops", "numbers"))
        yield Operation(name, flops, {n_bytes.name: numbers}, places[name])


def _kept(model: Model, of: Pass, devices: int) -> Iterator[Operation]:
    """Operations of tokens with what blocks keep of their sequences, and what is read of that, or written back too."""
    from .caches_and_states import NEVER, kinds, value_of  # which takes SymPy, as no other answer of a model does

    letters = {named(name): Fraction(value) for name, value in model.letters.items() if value}
    if devices > 1:
        from .device_share import SHARES, on_device

        letters = on_device(letters, SHARES, devices)
    letters |= {N: of.kept, **dict.fromkeys(_WIDTHS_KEPT, Fraction(0))}

    def value(kept: Kept, formula: Formula | None, times: Times, width: Any = None) -> Fraction:
        if formula is None or times == NEVER:
            return Fraction(0)
        each = value_of(kept, formula) if times.number is None else value_of(kept, formula) * times.number
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
