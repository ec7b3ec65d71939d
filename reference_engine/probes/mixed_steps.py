"""Questions about mixed steps: sequences that decode, and a chunk of a prompt beside them

The engine runs both passes, on one machine. A weight that the first has loaded is on the chip for the second, as where
each matrix meets the tokens of both before the next one is read.
"""

from __future__ import annotations

from typing import Any

from ..arrays import zeros
from ..formats import Array
from ..memory import OffChip
from ..model import Decoder
from .counts import Passed
from .ledger_selections import ATTENTION, PASS, PASS_WITH_CACHE
from .measures import Answer, AtLeastZero, Combined, Zero, elsewhere
from .registry import about
from .runs import Passes, Run, Values, begun, used
from .subjects import Subject
from .time_measures import Time, apart, gap, is_bound


def _one_more_token(time: Answer) -> Combined:
    """Increase of a time where the chunk has one more token and its prompt none."""
    return elsewhere(time, chunk=("chunk", 1), earlier=("earlier", -1)) - time


class OnChip(OffChip):
    """Off-chip numbers that stay on the chip once they are loaded: loading them again moves no bytes."""

    def __init__(self, numbers: OffChip) -> None:
        vars(self).update(vars(numbers))
        self._here: dict[str, Array] = {}

    def load_packed(self, index: Any = ()) -> Array:
        """Bring the records at `index` onto the chip as they are stored; only the first time is counted."""
        if (place := str(index)) not in self._here:
            self._here[place] = super().load_packed(index)
        return self._here[place]


def _mixed(subject: Subject, values: Values) -> Passes:
    """A decoding step of a batch and, with the same weights, the next tokens of a prompt of which some are cached."""
    batch, context, earlier, chunk = (values[name] for name in ("batch", "context", "earlier", "chunk"))
    first = used(subject, values, context + earlier + chunk)
    # of the embedding each token has a row of its own
    weights = {name: one if name == "embedding" else OnChip(one) for name, one in first.weights.items()}
    decodes, prompt = (Decoder(first.config, machine=first.machine, weights=weights) for _ in range(2))
    decodes.start(batch, context)
    decodes.context = context - 1
    logits = decodes.decode(zeros(batch, int))
    prompt.start(1, earlier + chunk)
    prompt.context = earlier  # what the cache holds of these tokens does not matter for counts
    made = prompt.extend(zeros((1, chunk), int))
    return (Passed(1, first.ledger.taken(), logits.shape[0] + made.shape[1]),)


def _after_cached(subject: Subject, values: Values) -> Passes:
    """The last tokens of the prompts of a batch, whose first tokens are cached."""
    batch, earlier, chunk = (values[name] for name in ("batch", "earlier", "chunk"))
    made = begun(subject, values, batch, earlier, earlier + chunk)
    logits = made.extend(zeros((batch, chunk), int))
    return (Passed(1, made.ledger.taken(), batch * logits.shape[1]),)


MIXED = Run("mixed step", ("batch", "context", "chunk", "earlier"), _mixed)
AFTER_CACHED = Run("prompts that are cached in part", ("batch", "chunk", "earlier"), _after_cached)


_DENSE = ("llama", "latent")  # that attend to the whole context
_WORDS = "of a decoding step with a chunk of a prompt"
about(MIXED, *_DENSE)(
    "clock.mixed_compute_time",
    f"How many operations do matrices, scores and weighted sums {_WORDS} take, at how many a second?",
    PASS_WITH_CACHE.computing,
)
about(MIXED, *_DENSE)(
    "clock.mixed_memory_time",
    f"How many bytes of weights and caches are loaded in the course {_WORDS}, at how many bytes a second?",
    PASS_WITH_CACHE.reading,
)
about(MIXED, *_DENSE)(
    "clock.mixed_step_time",
    "How long does a decoding step with a chunk of a prompt take on the ideal machine?",
    Time(PASS_WITH_CACHE),
    "T_mixed",
)
about(MIXED, *_DENSE)(
    "clock.mixed_matrices_time",
    f"How long do the matrices {_WORDS} take on the ideal machine, with the weights they read?",
    Time(PASS),
)
about(MIXED, *_DENSE)(
    "clock.mixed_attention_time",
    f"How long do scores and weighted sums {_WORDS} take on the ideal machine, with the caches they read?",
    Time(ATTENTION),
)
about(MIXED, *_DENSE)(
    "clock.separate_mixed_step_time",
    "How long does a decoding step with a chunk of a prompt take whose attention waits until its matrices are done?",
    apart(PASS, ATTENTION),
    "T_mixed_parts",
)
about(MIXED, *_DENSE)(
    "clock.mixed_within_target",
    "Does a decoding step with a chunk of a prompt take no longer than its target?",
    Time(PASS_WITH_CACHE) <= "target",
)
about(MIXED, *_DENSE)(
    "clock.mixed_parts_take_as_long",
    """Does a decoding step with a chunk of a prompt whose attention waits until its matrices are done take as long as
    one that overlaps all?""",
    apart(PASS, ATTENTION).is_as_much_as(Time(PASS_WITH_CACHE)),
)
about(MIXED, *_DENSE)(
    "clock.mixed_step_is_memory_bound",
    f"Is the arithmetic {_WORDS} done before everything is read?",
    is_bound(PASS_WITH_CACHE),
)
for _load, _with in ((PASS, ""), (PASS_WITH_CACHE, "_with_cache")):
    about(MIXED, *_DENSE, chunk=2)(
        f"clock.free_chunk{_with}",
        "At which chunk does arithmetic take as long as reading"
        + (", caches and attention included?" if _with else "?"),
        AtLeastZero(Zero(gap(_load), "chunk", against="earlier")),
        "n_free",
    )
about(MIXED, *_DENSE)(
    "clock.chunk_token_compute_time",
    "How much longer does the arithmetic take if the chunk has one more token and its prompt none?",
    _one_more_token(PASS_WITH_CACHE.computing),
)
about(MIXED, *_DENSE)(
    "clock.time_of_one_more_token",
    "How much longer does a step take if its chunk has one more token and its prompt none?",
    _one_more_token(Time(PASS_WITH_CACHE)),
    "T_added",
)


# Prompts of which the first tokens are cached

about(AFTER_CACHED, *_DENSE)(
    "clock.cached_prefill_compute_time",
    "How many operations do prompts take whose first tokens are cached, at how many a second?",
    PASS_WITH_CACHE.computing,
)
about(AFTER_CACHED, *_DENSE)(
    "clock.cached_prefill_time",
    "How long does a prefill take on the ideal machine whose first tokens are cached?",
    Time(PASS_WITH_CACHE),
    "T_chunk",
)
