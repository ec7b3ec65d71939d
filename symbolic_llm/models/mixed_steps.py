"""Passes over chunks of prompts, of any decoder: beside sequences that decode, on one device or on several, or alone

A mixed step is a decoding step through which more tokens pass. So the formulas of a decoding step hold for the tokens
of batch and chunk together: which experts are used, what is read of the weights, how long the all-reduces take. What
the chunk meets and moves of its own prompt is a sum over what the blocks keep, as for a new token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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
    T_chunk_parts,
    T_chunk_parts_device,
    T_mixed,
    T_mixed_device,
    T_mixed_parts,
    T_mixed_parts_device,
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


class _Each(NamedTuple):
    """Letters of a machine alone, or of one device of several, for a pass over chunks.

    Attributes:
        matrices: operations of a token with matrices.
        context: operations of a new token with its context.
        chunk: operations of a chunk's token with its prompt so far.
        weights: bytes of weights that a mixed step reads.
        moved: bytes of a sequence that a decoding step moves.
        moved_by_chunk: bytes of its prompt that a chunk moves.
        meeting: time of the all-reduces, as in a decoding step of as many sequences; None where there are none.
        rests_on: formulas for what is not of chunks alone.
        sums: formulas for what is.
    """

    matrices: Any
    context: Any
    chunk: Any
    weights: Any
    moved: Any
    moved_by_chunk: Any
    meeting: Any
    rests_on: tuple[Formula, ...]
    sums: tuple[Formula, ...]


class _Pass(NamedTuple):
    """A pass over chunks: what it computes and reads in its matrices, and with what is kept of sequences."""

    title: str
    matrices: Any
    context: Any
    weights: Any
    kept: Any
    meeting: Any
    words: tuple[str, str]  # of the arithmetic of matrices, and with the context
    more: Mapping[str, Any]  # other fields of the formula


def _whole(of: _Pass) -> tuple[Any, list[Step]]:
    """Time of a pass all of which overlaps, and its steps."""
    work, read = of.matrices + of.context, (of.weights + of.kept) / W
    time = Max(work / F, read)
    steps = [
        premise(of.matrices, of.words[0]),
        add(of.context, work, of.words[1]),
        divide(F, work / F, "at peak arithmetic"),
        larger_of(read, time, "meanwhile weights are read, once, and what is kept of sequences"),
    ]
    return time, steps


def _by_parts(of: _Pass) -> tuple[Any, list[Step]]:
    """Time of a pass in which attention and states wait until the matrices are done, and its steps."""
    first, second = Max(of.matrices / F, of.weights / W), Max(of.context / F, of.kept / W)
    steps = [
        premise(of.matrices / F, of.words[0]),
        larger_of(of.weights / W, first, "meanwhile weights are read, once"),
        add(second, first + second, f"then {of.words[1]}, while what is kept of sequences is read"),
    ]
    return first + second, steps


def _law(letter: Any, of: _Pass, law: Callable[[_Pass], tuple[Any, list[Step]]]) -> Formula:
    """Law for the time of a pass, with that of its all-reduces if there are any."""
    time, steps = law(of)
    title = of.title if law is _whole else f"{of.title}, part by part"
    if of.meeting is not None:
        time, title = time + of.meeting, f"{title}, on several devices"
        steps.append(add(of.meeting, time, "then the sums of all devices are made, for all these tokens"))
    return Formula(
        docstring=f"{title}\n\n{_SEVERAL}",
        claim=Eq(letter, time),
        kind=Kind.LAW,
        steps=tuple(steps),
        of_parts=True,
        **{**of.more, "module": f"{of.more['module']}.{letter.name}"},
    )


def _mixed(of: _Each) -> _Pass:
    """A decoding step beside which a chunk of one prompt is taken in."""
    return _Pass(
        "Time of a mixed step",
        of.matrices * (B * one_token + n_chunk),
        B * one_token * of.context + n_chunk * of.chunk,
        of.weights,
        B * of.moved + each_sequence * of.moved_by_chunk,
        None if of.meeting is None else of.meeting.xreplace({B: _MIXED.batch}),
        (
            "the new token of each sequence and those of the chunk meet the matrices",
            "a new token meets what is kept of its sequence, one of the chunk its prompt so far",
        ),
        {"module": _MIXED.name, "uses": (*of.rests_on, *_OF_WEIGHTS, *of.sums), "unmeasured": _WHY},
    )


def _alone(of: _Each) -> _Pass:
    """A pass over the last tokens of prompts whose first tokens are cached."""
    tokens = B * n_chunk / each_sequence
    rests_on = of.rests_on if of.meeting is not None else ()
    uses = (cached_prefill_time, *rests_on, *of.sums, _PLAIN[P_chunk], _PLAIN[D_weights_chunk])
    return _Pass(
        "Time of a prefill whose first tokens are cached",
        tokens * of.matrices,
        tokens * of.chunk,
        of.weights.xreplace({D_weights_mixed: D_weights_chunk, P_mixed: P_chunk}),
        B * of.moved_by_chunk,
        None if of.meeting is None else of.meeting.xreplace({B: _ALONE.batch}),
        ("each new token meets the matrices", "each of them meets its prompt so far"),
        {"module": _ALONE.name, "uses": uses, "unmeasured": _WHY_ALONE, "where": (chunk_is_of_prompt,)},
    )


# Without a model the plain decoder is meant, as elsewhere
_PLAIN = {one.quantity: one for one in sums_of_mixed(frozenset({"n_blocks"}), weight_bytes_read, weights_read)}
_OF_WEIGHTS = (_PLAIN[P_mixed], _PLAIN[D_weights_mixed])

_ON_ONE = _Each(
    multiply_add * P,
    C_seq,
    C_chunk,
    D_weights_mixed,
    D_seq,
    D_chunk,
    None,
    (compute_time_with_attention, memory_time_with_cache),
    (_PLAIN[C_chunk], _PLAIN[D_chunk]),
)
_ON_DEVICES = _Each(
    multiply_add * P_device,
    C_seq_device,
    C_chunk_device,
    D_weights_mixed * (P_device + (P_mixed - P) / n_tensor) / P_mixed,
    D_seq_device,
    D_chunk_device,
    all_reduce_time.rhs,
    (tensor_parallel_latency, *tensor_parallel_latency.uses),
    (_PLAIN[C_chunk_device], _PLAIN[D_chunk_device]),
)

LAWS = {
    letter: _law(letter, of, law)
    for letter, of, law in (
        (T_mixed, _mixed(_ON_ONE), _whole),
        (T_mixed_device, _mixed(_ON_DEVICES), _whole),
        (T_mixed_parts, _mixed(_ON_ONE), _by_parts),
        (T_mixed_parts_device, _mixed(_ON_DEVICES), _by_parts),
        (T_chunk, _alone(_ON_ONE), _whole),
        (T_chunk_device, _alone(_ON_DEVICES), _whole),
        (T_chunk_parts, _alone(_ON_ONE), _by_parts),
        (T_chunk_parts_device, _alone(_ON_DEVICES), _by_parts),
    )
}
MIXED_STEP = LAWS[T_mixed]
