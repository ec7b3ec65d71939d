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
from ..formulas.shared import each_sequence, multiply_add, one_token
from ..notation import (
    LETTERS,
    B,
    C_chunk,
    C_seq,
    D_chunk,
    D_seq,
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
from .summed_letters import ON_DEVICES
from .sums import derived


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


# Without a model the plain decoder is meant, as elsewhere
_PLAIN = {one.quantity: one for one in sums_of_mixed(frozenset({"n_blocks"}), weight_bytes_read, weights_read)}


class _Pass(NamedTuple):
    """A pass over chunks on one machine.

    Attributes:
        tokens: those that pass.
        title: of its law.
        matrices: operations with matrices.
        context: operations with what is kept of sequences.
        weights: bytes of weights that it reads.
        kept: bytes of what is kept of sequences that it moves.
        words: of the arithmetic of matrices, and with the context.
        sums: letters of it that are sums.
        rests_on: formula of such a pass that is its plain case.
        of_step: formulas of a decoding step that it rests on.
        why: why nothing measures its law.
    """

    tokens: _Tokens
    title: str
    matrices: Any
    context: Any
    weights: Any
    kept: Any
    words: tuple[str, str]
    sums: tuple[Any, ...]
    why: str
    rests_on: tuple[Formula, ...] = ()
    of_step: tuple[Formula, ...] = ()

    def on_devices(self) -> _Pass:
        """The part of it that each of several devices has, which share every layer."""
        parts = {name: getattr(self, name).xreplace(_DEALT) for name in ("matrices", "context", "weights", "kept")}
        sums = tuple(ON_DEVICES.get(letter, letter) for letter in self.sums)
        of_step = (tensor_parallel_latency, *tensor_parallel_latency.uses)
        return self._replace(title=f"{self.title}, on several devices", sums=sums, of_step=of_step, **parts)


# What of a letter each of several devices has
_DEALT = {
    P: P_device,
    **{letter: ON_DEVICES[letter] for letter in (C_seq, C_chunk, D_seq, D_chunk)},
    **{
        weights: weights * (P_device + (read - P) / n_tensor) / read
        for weights, read in ((D_weights_mixed, P_mixed), (D_weights_chunk, P_chunk))
    },
}
# A decoding step beside which a chunk of one prompt is taken in
_STEP = _Pass(
    tokens=_MIXED,
    title="Time of a mixed step",
    matrices=multiply_add * P * (B * one_token + n_chunk),
    context=B * one_token * C_seq + n_chunk * C_chunk,
    weights=D_weights_mixed,
    kept=B * D_seq + each_sequence * D_chunk,
    words=(
        "the new token of each sequence and those of the chunk meet the matrices",
        "a new token meets what is kept of its sequence, one of the chunk its prompt so far",
    ),
    sums=(P_mixed, D_weights_mixed, C_chunk, D_chunk),
    why=_WHY,
    of_step=(compute_time_with_attention, memory_time_with_cache),
)
# A pass over the last tokens of prompts whose first tokens are cached
_PREFILL = _Pass(
    tokens=_ALONE,
    title="Time of a prefill whose first tokens are cached",
    matrices=B * n_chunk / each_sequence * multiply_add * P,
    context=B * n_chunk / each_sequence * C_chunk,
    weights=D_weights_chunk,
    kept=B * D_chunk,
    words=("each new token meets the matrices", "each of them meets its prompt so far"),
    sums=(C_chunk, D_chunk, P_chunk, D_weights_chunk),
    why="a prefill of any decoder is that of the plain one, with sums in the place of its letters",
    rests_on=(cached_prefill_time,),
)


def _whole(of: _Pass) -> list[Step]:
    """Steps to the time of a pass all of which overlaps."""
    work, read = of.matrices + of.context, (of.weights + of.kept) / W
    return [
        premise(of.matrices, of.words[0]),
        add(of.context, work, of.words[1]),
        divide(F, work / F, "at peak arithmetic"),
        larger_of(read, Max(work / F, read), "meanwhile weights are read, once, and what is kept of sequences"),
    ]


def _by_parts(of: _Pass) -> list[Step]:
    """Steps to the time of a pass in which attention and states wait until the matrices are done."""
    first, second = Max(of.matrices / F, of.weights / W), Max(of.context / F, of.kept / W)
    return [
        premise(of.matrices / F, of.words[0]),
        larger_of(of.weights / W, first, "meanwhile weights are read, once"),
        add(second, first + second, f"then {of.words[1]}, while what is kept of sequences is read"),
    ]


def _law(letter: Any, of: _Pass, law: Callable[[_Pass], list[Step]], *, shared: bool = False) -> Formula:
    """Law for the time of a pass, with that of the all-reduces where devices share it."""
    of = of if law is _whole else of._replace(title=f"{of.title}, part by part")
    of = of.on_devices() if shared else of
    steps = law(of)
    if shared:
        meeting = all_reduce_time.rhs.xreplace({B: of.tokens.batch})
        together = steps[-1].result + meeting
        steps.append(add(meeting, together, "then the sums of all devices are made, for all these tokens"))
    return derived(
        of.tokens.name,
        letter,
        f"{of.title}\n\n{_SEVERAL}",
        steps,
        uses=(*of.rests_on, *of.of_step, *(_PLAIN[one] for one in of.sums)),
        kind=Kind.LAW,
        unmeasured=of.why,
    )


LAWS = {
    law.quantity: law
    for law in (
        _law(T_mixed, _STEP, _whole),
        _law(T_mixed_device, _STEP, _whole, shared=True),
        _law(T_mixed_parts, _STEP, _by_parts),
        _law(T_mixed_parts_device, _STEP, _by_parts, shared=True),
        _law(T_chunk, _PREFILL, _whole),
        _law(T_chunk_device, _PREFILL, _whole, shared=True),
        _law(T_chunk_parts, _PREFILL, _by_parts),
        _law(T_chunk_parts_device, _PREFILL, _by_parts, shared=True),
    )
}
MIXED_STEP = LAWS[T_mixed]
