"""Laws in the context, for any kinds of blocks beside each other: what fits, what is critical, how long answers take

What a sequence keeps, and what a new token does with it, is a sum of terms that grow with the context: straight on, or
up to a window or to what an index picks. A straight line with a kink is met where one of its two pieces is; a sum over
the steps of an answer is one of sums that are known. So each law is written once, for all sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from ..algebra import Integer, floor
from ..catalogue.named import (
    compute_time_with_attention,
    memory_left,
    memory_time_with_cache,
    prefill_time_with_attention,
    weight_bytes_read,
)
from ..claims import Condition, Kind
from ..formula import Formula
from ..formulas.shared import WEIGHTS_OF_AN_ANSWER, multiply_add, one_token
from ..notation import (
    B,
    C_seq,
    D_seq,
    F,
    M,
    N,
    N_critical,
    N_fit,
    P,
    P_total,
    T_decode,
    T_generation,
    T_output,
    T_prefill,
    W,
    n_bytes,
    n_new,
)
from ..steps import Step, add, cite, divide, larger_of, premise, round_down, subtract
from ..unevaluated import Ge, Gt, Le, Max, Min
from .caches_and_states import NEVER, Kept, kinds, over_steps, sums, value_of
from .sums import derived

_LONGER = "a step in which arithmetic takes longer is that long: latency_with_cache says how long"
_NONE = "no formula gives it: some of what is kept takes longer to compute with than to read"
_WHY = "a sum over parts, solved; each of its parts is measured"
_law = partial(derived, kind=Kind.LAW, unmeasured=_WHY)


@dataclass(frozen=True)
class Line:
    """A sum over what is kept, as it grows with the context.

    Attributes:
        fixed: what does not grow.
        straight: what each token adds, however many there are.
        bent: what each adds besides, up to the kink.
        kink: the context from which on nothing is added by that; None where there is no such term.
    """

    fixed: Any
    straight: Any
    bent: Any
    kink: Any


def line(kept: tuple[Kept, ...], which: str, times: str) -> Line | None:
    """A sum over what is kept as a `Line`; None where it has steps, or more than one kink."""
    fixed, straight, bent = Integer(0), Integer(0), Integer(0)
    kinks = set()
    for one in kept:
        formula, many = getattr(one, which), getattr(one, times)
        if formula is None or many == NEVER:
            continue
        value = value_of(one, formula)
        if not many.grows:
            fixed += value if many.number is None else many.number * value
        elif many.run is not None:
            return None
        elif many.up_to is None:
            straight += value
        else:
            bent += value
            kinks.add(many.up_to)
    return Line(fixed, straight, bent, kinks.pop() if kinks else None) if len(kinks) < 2 else None


@cache
def laws(letters: frozenset[str]) -> tuple[Formula, ...]:
    """Laws in the context for a decoder with these letters."""
    kept, who = kinds(letters), sums(letters)[0].module.rpartition(".")[0]
    return tuple(_laws(kept, who, {one.quantity: one for one in sums(letters)}))


def _laws(kept: tuple[Kept, ...], who: str, by: dict[Any, Formula]) -> Iterator[Formula]:
    held, moved, met = line(kept, "each", "held"), line(kept, "each", "moved"), line(kept, "work", "met")
    if held is not None:
        yield _fitting(held, who, tuple(one.each for one in kept))
    if moved is not None and met is not None:
        used = tuple(f for one in kept for f in (one.each, one.work) if f is not None)
        yield _critical(moved, met, who, used)
    yield _decoding(kept, who, by)
    mean = (
        premise(T_decode, "all decoding steps"),
        divide(n_new / one_token, T_decode * one_token / n_new, "by their number"),
    )
    yield _law(who, T_output, "Time per output token\n\nThe mean of the decoding steps.", mean)
    both = (
        premise(T_prefill, "the prompt, until the first token"),
        add(T_decode, T_prefill + T_decode, "then a decoding step for every new token"),
    )
    yield _law(who, T_generation, "Time of prompt and answer", both, uses=[prefill_time_with_attention])


def _fitting(held: Line, who: str, used: tuple[Formula, ...]) -> Formula:
    """Formula for the longest context whose caches and states fit beside the weights."""
    left, steps = memory_left.rhs, [cite(memory_left, "what the weights leave of the memory")]
    where: list[Condition] = []
    if held.fixed != 0:
        left = left - B * held.fixed
        steps.append(subtract(B * held.fixed, left, "every sequence keeps this, however long it is"))
        room = Gt(M, P_total * n_bytes + B * held.fixed)
        where.append(Condition(room, "weights and states leave room in memory", "weights and states alone do not fit"))
    every = held.straight + held.bent
    tokens = left / (B * every)
    steps.append(divide(B * every, tokens, "a token of context takes its bytes once for each sequence"))
    if held.kink is not None and held.straight != 0:
        farther = tokens + held.bent * (tokens - held.kink) / held.straight
        tokens = Max(tokens, farther)
        steps.append(larger_of(farther, tokens, "beyond the kink the others go on growing alone"))
    elif held.kink is not None:
        full, otherwise = Gt(B * held.kink * held.bent, left), "any context fits: beyond its window no block keeps more"
        where.append(Condition(full, "full windows of the whole batch do not fit", otherwise))
    steps.append(round_down(one_token, one_token * floor(tokens / one_token), "only whole tokens count"))
    title, uses = "Longest context that fits", (memory_left, *used)
    return derived(who, N_fit, title, steps, uses=uses, where=where, unmeasured=_WHY)


def _critical(moved: Line, met: Line, who: str, used: tuple[Formula, ...]) -> Formula:
    """Law for the context at which one more sequence takes as long to read as its arithmetic takes."""
    work = (multiply_add * P + met.fixed) * one_token / F
    steps: list[Step] = [premise(work, "the time of one sequence's arithmetic, without what grows with the context")]
    where: list[Condition] = []
    free = work
    if moved.fixed != 0:
        free = work - moved.fixed / W
        steps.append(subtract(moved.fixed / W, free, "what is moved however long the context is takes some of it"))
        where.append(
            Condition(
                Gt((multiply_add * P + met.fixed) * one_token * W, moved.fixed * F),
                "a sequence's states cross the bus in less time than its arithmetic takes",
                "there is no critical context: its states alone take longer to read and write than its arithmetic",
            )
        )
    bent, straight = (
        each / W - does * one_token / F for each, does in ((moved.bent, met.bent), (moved.straight, met.straight))
    )
    every = bent + straight
    critical = free / every
    each_token = "each token of context takes so much longer to read than to compute with"
    if moved.kink is not None and moved.straight != 0:  # what is divided by is a sum of two that conditions speak of
        steps = [premise(critical, each_token)]
    else:
        steps.append(divide(every, critical, each_token))
    growing = [(moved.straight, met.straight, "the context")] if moved.straight != 0 else []
    growing += [(moved.bent, met.bent, "a window, or one that is picked,")] if moved.kink is not None else []
    for each, does, of in growing:
        longer = Gt(F * each, does * one_token * W)
        where.append(Condition(longer, f"reading a token of {of} takes longer than computing with it", _NONE))
    if moved.kink is not None and moved.straight != 0:
        farther = critical + bent * (critical - moved.kink) / straight
        critical = Max(critical, farther)
        steps.append(larger_of(farther, critical, "beyond the kink the others go on growing alone"))
    elif moved.kink is not None:
        where.append(
            Condition(
                Le(critical, moved.kink),
                "the critical context lies within the window",
                "there is no critical context: beyond its window no block reads more",
            )
        )
    return _law(who, N_critical, "Critical context", steps, uses=used, where=where)


def _decoding(kept: tuple[Kept, ...], who: str, by: dict[Any, Formula]) -> Formula:
    """Law for the time of all steps of an answer, where none waits for its arithmetic."""
    total = WEIGHTS_OF_AN_ANSWER / W
    steps: list[Step] = [premise(total, "every step reads the weights once, at full bandwidth")]
    for one in kept:
        if one.moved == NEVER:
            continue
        read = B * value_of(one, one.each) * over_steps(one.moved) / W
        total = total + read
        steps.append(add(read, total, one.kind))
    title = "Time of the decoding steps\n\nThe sum is exact where no step has to wait for its arithmetic."
    uses = (weight_bytes_read, compute_time_with_attention, memory_time_with_cache, *(one.each for one in kept))
    return _law(who, T_decode, title, steps, uses=uses, where=_read_longer(kept, by))


def _read_longer(kept: tuple[Kept, ...], by: dict[Any, Formula]) -> Iterator[Condition]:
    """Conditions that no step waits for its arithmetic: the first, the last, and the one at a kink between them.

    What is kept may grow in steps and not along a line. Then the conditions are that the first step does not wait, and
    that each kind of what is kept takes no less time to read than to compute with.
    """
    at = Le(compute_time_with_attention.rhs, memory_time_with_cache.rhs).xreplace(
        {D_seq: by[D_seq].rhs, C_seq: by[C_seq].rhs}
    )
    moved = line(kept, "each", "moved")
    contexts = {"first": N + one_token}
    if moved is not None:
        contexts["last"] = N + n_new
        if moved.kink is not None and moved.straight != 0:
            contexts["step that reaches the kink, or the nearest"] = Max(N + one_token, Min(N + n_new, moved.kink))
    for which, context in contexts.items():
        step = f"{which} step" if " " not in which else which
        sentence = f"the arithmetic of the {step} takes no longer than its reading"
        yield Condition(at.xreplace({N: context}), sentence, _LONGER)
    for one in kept if moved is None else ():
        if one.work is not None:
            each, work = value_of(one, one.each), value_of(one, one.work)
            longer = Ge(F * each, work * one_token * W)
            yield Condition(longer, f"reading takes no less time than computing, of {one.kind}", _NONE)
