"""Answers: the decoding steps after a prompt, together, each with the context that it finds"""

from __future__ import annotations

from ..arrays import zeros
from .counts import Passed
from .runs import Passes, Routing, Run, Values, steps, used, ways
from .subjects import Subject


def _answered(subject: Subject, values: Values, route: Routing, times: int) -> Passed:
    """The pass of all steps; what the cache holds of the prompt does not matter for counts."""
    batch, context, new = values["batch"], values["context"], values["new_tokens"]
    made = used(subject, values, context + new, route)
    made.start(batch, context + new)
    for _ in steps(made, context, new):
        made.decode(zeros(batch, int))
    return Passed(times, made.ledger.taken(), batch * new)


def _answer(subject: Subject, values: Values) -> Passes:
    """The decoding steps after a prompt, together.

    All steps send their tokens the same way: the mean of a sum is the sum of the means, however they go together.
    """
    return tuple(_answered(subject, values, route, times) for times, route in ways(subject, values, values["batch"]))


ANSWER = Run("answer", ("batch", "context", "new_tokens"), _answer)
