"""Questions about what a machine can serve: in its memory, and within a target"""

from __future__ import annotations

from functools import partial

from .ledger_selections import ATTENTION, CROSSING, PASS, PASS_WITH_CACHE, count, of_models
from .measures import Given, Over, Whether
from .memory_search import HELD_BESIDE, MostBeside
from .registry import question
from .runs import STEP
from .targets import MostWithin, StoppedBy, is_within, reaches
from .time_measures import Time, apart

of_batches = partial(question, subjects=CROSSING, batch=1)
of_models(
    "clock.within_target",
    "Does a decoding step take no longer than its target, cache reads and attention included?",
    STEP,
    is_within(Time(PASS_WITH_CACHE)),
)
of_models(
    "clock.separate_beats_target",
    "Does a decoding step whose attention waits until its matrices are done take less time than its target?",
    STEP,
    Whether(apart(PASS, ATTENTION), Given("target")),
)
of_batches(
    "clock.batch_within_target",
    "How large a batch can take a decoding step before it takes longer than its target?",
    STEP,
    MostWithin(Time(PASS_WITH_CACHE)),
    "B_target",
)
of_batches(
    "clock.batch_read_within_target",
    "At which batch does it take as long as its target to load the weights and cache of a decoding step?",
    STEP,
    reaches(Over(PASS_WITH_CACHE.loads, "bandwidth")),
)
of_batches(
    "clock.batch_read_in_time",
    "For how large a batch can weights and caches be loaded before that takes longer than its target?",
    STEP,
    MostWithin(Over(PASS_WITH_CACHE.loads, "bandwidth")),
    "B_read",
)
of_batches(
    "clock.batch_computed_within_target",
    "At which batch do the operations of a decoding step take as long as its target?",
    STEP,
    reaches(Over(PASS_WITH_CACHE.work, "flops")),
)
of_batches(
    "clock.batch_computed_in_time",
    "For how large a batch can a decoding step be computed before that takes longer than its target?",
    STEP,
    MostWithin(Over(PASS_WITH_CACHE.work, "flops")),
    "B_compute",
)
of_batches(
    "serving.largest_batch",
    "How large a batch can be allocated, and take a decoding step before that takes longer than its target?",
    STEP,
    MostWithin(Time(PASS_WITH_CACHE), in_memory=True),
    "B_largest",
)
of_batches(
    "serving.limit",
    "What does the batch lack that is larger by one: room, time to load, or time to compute?",
    STEP,
    StoppedBy(PASS_WITH_CACHE),
)
of_models(
    "memory.held_beside_a_reserve",
    "How many bytes are held, with a reserve and what the passes of a batch work on?",
    HELD_BESIDE,
    count("held"),
    "M_footprint",
)
of_models(
    "memory.sequences_beside_a_reserve",
    "How large a batch can be allocated beside a reserve, with what its passes work on?",
    None,
    MostBeside("batch"),
    "B_fit",
    more=("context",),
)
