"""Speculative decoding: a small decoder drafts tokens, a large one verifies them in one pass

The large decoder, the target, computes logits for all drafted tokens at once. Those that it would have given itself are
kept, up to the first that it would not; that one is replaced, and if all are kept, one more comes for free. What is
generated is what the target generates alone: the very tokens where the likeliest is taken, the same distribution where
tokens are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .formats import Array
from .model import Decoder


@dataclass(frozen=True)
class Spoken:
    """What was generated.

    Attributes:
        tokens: the new tokens.
        gained: how many of them each step of draft and verification gave.
    """

    tokens: tuple[int, ...]
    gained: tuple[int, ...]


def probabilities(logits: Array) -> Array:
    """(..., n_vocab) -> (..., n_vocab), a softmax."""
    raised = np.exp(np.asarray(logits, float) - np.max(logits, axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def likeliest(logits: Array) -> Array:
    """(..., n_vocab) -> (..., n_vocab): all on the likeliest token, as where nothing is drawn."""
    return np.asarray(np.eye(logits.shape[-1])[np.argmax(logits, axis=-1)])


def kept_with(token: int, target: Any, draft: Any) -> Any:
    """With which probability a drafted token is kept, from the probabilities of both decoders."""
    return min(1, target[token] / draft[token])


def replacing(target: Sequence[Any], draft: Sequence[Any]) -> list[Any]:
    """The probabilities of the token that comes in place of one that is not kept."""
    more = [max(p - q, 0 * p) for p, q in zip(target, draft, strict=True)]
    total = sum(more)
    return [each / total for each in more] if total else list(target)


def speculate(
    target: Decoder,
    draft: Decoder,
    prompt: Sequence[int],
    new: int,
    length: int,
    random: np.random.Generator | None = None,
) -> Spoken:
    """Generate at least `new` tokens after a prompt.

    Args:
        target: verifies; its vocabulary is the draft's.
        draft: proposes.
        prompt: token numbers, one at least.
        new: how many tokens are wanted; the last step may give more.
        length: how many tokens are drafted in a step.
        random: draws the tokens; without it the likeliest is taken.
    """
    weigh = likeliest if random is None else probabilities
    room = len(prompt) + new + 2 * length
    for decoder in (target, draft):
        decoder.start(1, room)
        if prompt[:-1]:
            decoder.extend([list(prompt[:-1])])
    last, tokens, gained = int(prompt[-1]), list[int](), list[int]()
    while len(tokens) < new:
        drafted, weights = _drafted(draft, last, length, weigh, random)
        own = weigh(target.extend([[last, *drafted]])[0])
        kept = 0
        while kept < length and _keeps(kept_with(drafted[kept], own[kept], weights[kept]), random):
            kept += 1
        instead = own[kept] if kept == length else np.array(replacing(list(own[kept]), list(weights[kept])))
        last = _taken(instead, random)
        tokens += [*drafted[:kept], last]
        gained.append(kept + 1)
        for decoder in (target, draft):  # the last token is given to both in the next step
            decoder.rewind(len(prompt) - 1 + len(tokens))
    return Spoken(tuple(tokens), tuple(gained))


def _drafted(
    draft: Decoder, last: int, length: int, weigh: Any, random: np.random.Generator | None
) -> tuple[list[int], list[Array]]:
    """So many tokens after the last, and the probabilities that each was drawn from; all are left in the cache."""
    drafted, weights = [last], []
    for _ in range(length):
        weights.append(weigh(draft.decode(drafted[-1])))
        drafted.append(_taken(weights[-1], random))
    draft.decode(drafted[-1])  # so that the cache has all of them, should all be kept
    return drafted[1:], weights


def _keeps(probability: float, random: np.random.Generator | None) -> bool:
    if probability >= 1 or random is None:
        return bool(probability >= 1)
    return bool(random.choice(2, p=(1 - probability, probability)))


def _taken(weights: Array, random: np.random.Generator | None) -> int:
    return int(np.argmax(weights)) if random is None else int(random.choice(len(weights), p=weights / weights.sum()))
