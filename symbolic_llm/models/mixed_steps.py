"""Mixed steps of any decoder: sequences that decode, and a chunk of a prompt beside them, on one device or on several

A mixed step is a decoding step through which more tokens pass. So the formulas of a decoding step hold for the tokens
of batch and chunk together: which experts are used, what is read of the weights, how long the all-reduces take. What
the chunk meets and moves of its own prompt is a sum over what the blocks keep, as for a new token.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ..catalogue.named import (
    all_reduce_time,
    compute_time_with_attention,
    memory_time_with_cache,
    tensor_parallel_latency,
    weight_bytes_read,
    weights_read,
)
from ..claims import Condition, Kind
from ..formula import Formula
from ..formulas.shared import each_sequence, multiply_add, one_token
from ..notation import (
    LETTERS,
    B,
    C_chunk,
    C_chunk_device,
    C_seq,
    C_seq_device,
    D_chunk,
    D_chunk_device,
    D_seq,
    D_seq_device,
    D_weights,
    D_weights_mixed,
    F,
    P,
    P_device,
    P_mixed,
    P_read,
    T_mixed,
    T_mixed_device,
    W,
    n_chunk,
    n_distinct,
    n_distinct_mixed,
    n_tensor,
)
from ..steps import add, divide, larger_of, premise
from ..unevaluated import Eq, Max
from .caches_and_states import sums_of_chunks

_TOKENS = {B: B + n_chunk / one_token}  # each token of the chunk is one that passes, as that of a sequence is
_LETTERS = {n_distinct: n_distinct_mixed, P_read: P_mixed, D_weights: D_weights_mixed}
_SEVERAL = """A chunk has several tokens: where an index picks, a single one reads what it picked, and several read all.
What waits for its run in compressed attention is left out."""
_WHY = "a mixed step of any decoder is that of the plain one, with sums in the place of its letters"


@lru_cache(maxsize=2**8)
def _beside(formula: Formula) -> Formula:
    """Formula of a mixed step, made from one of a decoding step; the formulas that it uses are converted too."""
    both: dict[Any, Any] = {**_TOKENS, **_LETTERS}
    letter = both[formula.quantity]
    meaning = LETTERS[letter].meaning

    def swapped(one: Any) -> Any:
        if isinstance(one, Formula):
            return _beside(one) if one.quantity in _LETTERS else one
        if isinstance(one, Condition):
            return replace(one, relation=one.relation.xreplace(both))
        return one.xreplace(both) if hasattr(one, "xreplace") else one

    steps = tuple(
        replace(step, operands=tuple(map(swapped, step.operands)), result=swapped(step.result), measured_by="")
        for step in formula.steps
    )
    return replace(
        formula,
        module=f"mixed.{formula.module.rpartition('.')[0].rpartition('.')[2]}.{letter.name}",
        docstring=meaning[0].upper() + meaning[1:],
        claim=Eq(letter, swapped(formula.rhs)),
        where=tuple(map(swapped, formula.where)),
        uses=tuple(map(swapped, formula.uses)),
        steps=steps,
        measured_by="",
        unmeasured=_WHY,
        sources=(),
        of_parts=True,
        example={},
    )


def of_parts(sums: Collection[Formula]) -> tuple[Formula, ...]:
    """Formulas for the bytes of weights that a mixed step reads, made from a decoding step's sums over parts."""
    return tuple(_beside(one) for one in sums if one.quantity == D_weights)


@cache
def sums_of_mixed(letters: frozenset[str], of_bytes: Formula, of_weights: Formula) -> tuple[Formula, ...]:
    """Formulas for the letters of mixed steps, as sums.

    Args:
        letters: the letters that tell what the blocks keep.
        of_bytes: the formula of a decoding step for the bytes of weights that it reads.
        of_weights: the formula of a decoding step for the number of weights that it reads.
    """
    return (*sums_of_chunks(letters), _beside(of_weights), _beside(of_bytes))


class _Work(NamedTuple):
    """Work of a mixed step: of a token with matrices and context, and what is read of weights and of sequences."""

    matrices: Any
    of_context: Any
    of_chunk: Any
    weights: Any
    moved: Any
    moved_by_chunk: Any


def _law(module: str, letter: Any, of: _Work, uses: tuple[Formula, ...], meeting: Any = None) -> Formula:
    """Law for the time of a mixed step: the longer of arithmetic and reading, plus all-reduces (`meeting`) if any."""
    decoding = B * one_token * (of.matrices + of.of_context)
    work = decoding + n_chunk * (of.matrices + of.of_chunk)
    read = (of.weights + B * of.moved + each_sequence * of.moved_by_chunk) / W
    longer = Max(work / F, read)
    steps = [
        premise(decoding, "a new token of each sequence meets the matrices, and what is kept of its sequence"),
        add(work - decoding, work, "each token of the chunk meets the matrices, and its prompt so far"),
        divide(F, work / F, "at peak arithmetic"),
        larger_of(read, longer, "meanwhile weights are read, once, and what each sequence and the prompt keep"),
    ]
    if meeting is not None:
        steps.append(add(meeting, longer + meeting, "then the sums of all devices are made, for all these tokens"))
    return Formula(
        module,
        f"Time of a mixed step{'' if meeting is None else ' on several devices'}\n\n{_SEVERAL}",
        claim=Eq(letter, longer if meeting is None else longer + meeting),
        kind=Kind.LAW,
        uses=tuple(dict.fromkeys(uses)),
        steps=tuple(steps),
        unmeasured=_WHY,
        of_parts=True,
    )


# Without a model the plain decoder is meant, as elsewhere
_PLAIN = {one.quantity: one for one in sums_of_mixed(frozenset({"n_blocks"}), weight_bytes_read, weights_read)}
_OF_WEIGHTS = (_PLAIN[P_mixed], _PLAIN[D_weights_mixed])

MIXED_STEP = _law(
    f"mixed.{T_mixed.name}",
    T_mixed,
    _Work(multiply_add * P, C_seq, C_chunk, D_weights_mixed, D_seq, D_chunk),
    (compute_time_with_attention, memory_time_with_cache, *_OF_WEIGHTS, _PLAIN[C_chunk], _PLAIN[D_chunk]),
)
MIXED_STEP_ON_DEVICES = _law(
    f"mixed.{T_mixed_device.name}",
    T_mixed_device,
    _Work(
        multiply_add * P_device,
        C_seq_device,
        C_chunk_device,
        D_weights_mixed * (P_device + (P_mixed - P) / n_tensor) / P_mixed,
        D_seq_device,
        D_chunk_device,
    ),
    (
        tensor_parallel_latency,
        *tensor_parallel_latency.uses,
        *_OF_WEIGHTS,
        _PLAIN[C_chunk_device],
        _PLAIN[D_chunk_device],
    ),
    meeting=all_reduce_time.rhs.xreplace(_TOKENS),
)
LAWS = {formula.quantity: formula for formula in (MIXED_STEP, MIXED_STEP_ON_DEVICES)}
