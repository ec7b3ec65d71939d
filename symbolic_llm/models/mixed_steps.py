"""Passes over chunks of prompts, of any decoder: beside sequences that decode, on one device or on several, or alone

A mixed step is a decoding step through which more tokens pass. So the formulas of a decoding step hold for the tokens
of batch and chunk together: which experts are used, what is read of the weights, how long the all-reduces take. What
the chunk meets and moves of its own prompt is a sum over what the blocks keep, as for a new token.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ..catalogue.named import (
    all_reduce_time,
    cached_prefill_time,
    compute_time_with_attention,
    memory_time_with_cache,
    tensor_parallel_latency,
    weight_bytes_read,
    weights_read,
)
from ..claims import Condition, Kind
from ..formula import Formula
from ..formulas.shared import chunk_is_of_prompt, each_sequence, multiply_add, one_token
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
    D_weights_chunk,
    D_weights_mixed,
    F,
    P,
    P_chunk,
    P_device,
    P_mixed,
    P_read,
    T_chunk,
    T_chunk_device,
    T_mixed,
    T_mixed_device,
    W,
    n_chunk,
    n_distinct,
    n_distinct_chunk,
    n_distinct_mixed,
    n_tensor,
)
from ..steps import Step, add, divide, larger_of, premise
from ..unevaluated import Eq, Max
from .caches_and_states import sums_of_chunks


@dataclass(frozen=True, eq=False)  # there are two, each itself alone
class _Tokens:
    """Tokens of a pass, each one that passes as that of a sequence does in a decoding step, and the letters it has.

    Attributes:
        name: how formulas of the pass are called.
        batch: sequences of a decoding step with as many tokens.
        letters: letters of the pass, by those of a decoding step.
    """

    name: str
    batch: Any
    letters: Mapping[Any, Any]


_MIXED = _Tokens(
    "mixed",
    B + n_chunk / one_token,
    {n_distinct: n_distinct_mixed, P_read: P_mixed, D_weights: D_weights_mixed},
)
_ALONE = _Tokens(
    "chunk",
    B * n_chunk / (each_sequence * one_token),
    {n_distinct: n_distinct_chunk, P_read: P_chunk, D_weights: D_weights_chunk},
)
_SEVERAL = """A chunk has several tokens: where an index picks, a single one reads what it picked, and several read all.
What waits for its run in compressed attention is left out."""
_WHY_ALONE = "a prefill of any decoder is that of the plain one, with sums in the place of its letters"
_WHY = "a mixed step of any decoder is that of the plain one, with sums in the place of its letters"


@lru_cache(maxsize=2**8)
def _beside(formula: Formula, tokens: _Tokens) -> Formula:
    """Formula of a pass over chunks, made from one of a decoding step; the formulas that it uses are converted too."""
    both: dict[Any, Any] = {B: tokens.batch, **tokens.letters}
    letter = both[formula.quantity]
    meaning = LETTERS[letter].meaning

    def swapped(one: Any) -> Any:
        if isinstance(one, Formula):
            return _beside(one, tokens) if one.quantity in tokens.letters else one
        if isinstance(one, Condition):
            return replace(one, relation=one.relation.xreplace(both))
        return one.xreplace(both) if hasattr(one, "xreplace") else one

    steps = tuple(
        replace(step, operands=tuple(map(swapped, step.operands)), result=swapped(step.result), measured_by="")
        for step in formula.steps
    )
    return replace(
        formula,
        module=f"{tokens.name}.{formula.module.rpartition('.')[0].rpartition('.')[2]}.{letter.name}",
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
    """Formulas for the bytes of weights that passes over chunks read, made from a decoding step's sums over parts."""
    return tuple(_beside(one, tokens) for one in sums if one.quantity == D_weights for tokens in (_MIXED, _ALONE))


@cache
def sums_of_mixed(letters: frozenset[str], of_bytes: Formula, of_weights: Formula) -> tuple[Formula, ...]:
    """Formulas for the letters of passes over chunks, as sums.

    Args:
        letters: the letters that tell what the blocks keep.
        of_bytes: the formula of a decoding step for the bytes of weights that it reads.
        of_weights: the formula of a decoding step for the number of weights that it reads.
    """
    of_passes = (_beside(one, tokens) for tokens in (_MIXED, _ALONE) for one in (of_weights, of_bytes))
    return (*sums_of_chunks(letters), *of_passes)


class _Work(NamedTuple):
    """Work of a mixed step: of a token with matrices and context, and what is read of weights and of sequences."""

    matrices: Any
    of_context: Any
    of_chunk: Any
    weights: Any
    moved: Any
    moved_by_chunk: Any


def _law(letter: Any, title: str, steps: list[Step], read: tuple[Any, str], meeting: Any, **more: Any) -> Formula:
    """Law for the time of a pass: the longer of arithmetic and reading, plus all-reduces (`meeting`) if any.

    Args:
        letter: of the time.
        title: what it is, on one device.
        steps: those by which the arithmetic comes about.
        read: the time of reading, and what is read in words.
        meeting: the time of the all-reduces; None on one device.
        more: other fields of the formula.
    """
    work = steps[-1].result / F
    time = Max(work, read[0])
    steps = [*steps, divide(F, work, "at peak arithmetic"), larger_of(read[0], time, read[1])]
    if meeting is not None:
        steps.append(add(meeting, time + meeting, "then the sums of all devices are made, for all these tokens"))
        time, title = time + meeting, f"{title} on several devices"
    return Formula(
        docstring=f"{title}\n\n{_SEVERAL}",
        claim=Eq(letter, time),
        kind=Kind.LAW,
        steps=tuple(steps),
        of_parts=True,
        **more,
    )


def _mixed(letter: Any, of: _Work, uses: tuple[Formula, ...], meeting: Any = None) -> Formula:
    """Law for the time of a mixed step."""
    decoding = B * one_token * (of.matrices + of.of_context)
    work = decoding + n_chunk * (of.matrices + of.of_chunk)
    read = (of.weights + B * of.moved + each_sequence * of.moved_by_chunk) / W
    steps = [
        premise(decoding, "a new token of each sequence meets the matrices, and what is kept of its sequence"),
        add(work - decoding, work, "each token of the chunk meets the matrices, and its prompt so far"),
    ]
    words = "meanwhile weights are read, once, and what each sequence and the prompt keep"
    more = {"module": f"mixed.{letter.name}", "uses": tuple(dict.fromkeys(uses)), "unmeasured": _WHY}
    return _law(letter, "Time of a mixed step", steps, (read, words), meeting, **more)


def _alone(letter: Any, of: _Work, uses: tuple[Formula, ...], meeting: Any = None) -> Formula:
    """Law for the time of a pass over the last tokens of prompts whose first tokens are cached."""
    weights = of.weights.xreplace({D_weights_mixed: D_weights_chunk, P_mixed: P_chunk})
    work = B * n_chunk / each_sequence * (of.matrices + of.of_chunk)
    read = (weights + B * of.moved_by_chunk) / W
    steps = [premise(work, "each new token meets the matrices, and its prompt so far")]
    words = "meanwhile weights are read, once, and what is kept of each prompt"
    uses = (cached_prefill_time, *uses, _PLAIN[P_chunk], _PLAIN[D_weights_chunk])
    more = {"module": f"chunk.{letter.name}", "uses": uses, "unmeasured": _WHY_ALONE, "where": (chunk_is_of_prompt,)}
    title = "Time of a prefill whose first tokens are cached" + ("" if meeting is None else ",")
    return _law(letter, title, steps, (read, words), meeting, **more)


# Without a model the plain decoder is meant, as elsewhere
_PLAIN = {one.quantity: one for one in sums_of_mixed(frozenset({"n_blocks"}), weight_bytes_read, weights_read)}
_OF_WEIGHTS = (_PLAIN[P_mixed], _PLAIN[D_weights_mixed])

_ON_ONE = _Work(multiply_add * P, C_seq, C_chunk, D_weights_mixed, D_seq, D_chunk)
_ON_DEVICES = _Work(
    multiply_add * P_device,
    C_seq_device,
    C_chunk_device,
    D_weights_mixed * (P_device + (P_mixed - P) / n_tensor) / P_mixed,
    D_seq_device,
    D_chunk_device,
)
_OF_DEVICES = tensor_parallel_latency, *tensor_parallel_latency.uses
_OF_CHUNK, _OF_CHUNK_ON_DEVICES = (_PLAIN[C_chunk], _PLAIN[D_chunk]), (_PLAIN[C_chunk_device], _PLAIN[D_chunk_device])

MIXED_STEP = _mixed(T_mixed, _ON_ONE, (compute_time_with_attention, memory_time_with_cache, *_OF_WEIGHTS, *_OF_CHUNK))
LAWS = {
    one.quantity: one
    for one in (
        MIXED_STEP,
        _mixed(
            T_mixed_device,
            _ON_DEVICES,
            (*_OF_DEVICES, *_OF_WEIGHTS, *_OF_CHUNK_ON_DEVICES),
            meeting=all_reduce_time.rhs.xreplace({B: _MIXED.batch}),
        ),
        _alone(T_chunk, _ON_ONE, _OF_CHUNK),
        _alone(
            T_chunk_device,
            _ON_DEVICES,
            (*_OF_DEVICES, *_OF_CHUNK_ON_DEVICES),
            meeting=all_reduce_time.rhs.xreplace({B: _ALONE.batch}),
        ),
    )
}
