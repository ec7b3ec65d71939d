"""Questions about what a machine can serve: in its memory, and within a target"""

from __future__ import annotations

from .ledger_selections import ATTENTION, CROSSING, PASS, PASS_WITH_CACHE, count
from .memory_search import HELD_BESIDE, MostBeside
from .registry import about
from .runs import STEP
from .subjects import MODELS
from .targets import MostWithin, StoppedBy, reaches
from .time_measures import Time, apart

about(STEP, *MODELS)(
    "clock.within_target",
    "Does a decoding step take no longer than its target, cache reads and attention included?",
    Time(PASS_WITH_CACHE) <= "target",
)
about(STEP, *MODELS)(
    "clock.separate_beats_target",
    "Does a decoding step whose attention waits until its matrices are done take less time than its target?",
    apart(PASS, ATTENTION) < "target",
)
about(STEP, *CROSSING, batch=1)(
    "clock.batch_within_target",
    "How large a batch can take a decoding step before it takes longer than its target?",
    MostWithin(Time(PASS_WITH_CACHE)),
    "B_target",
)
about(STEP, *CROSSING, batch=1)(
    "clock.batch_read_within_target",
    "At which batch does it take as long as its target to load the weights and cache of a decoding step?",
    reaches(PASS_WITH_CACHE.reading),
)
about(STEP, *CROSSING, batch=1)(
    "clock.batch_read_in_time",
    "For how large a batch can weights and caches be loaded before that takes longer than its target?",
    MostWithin(PASS_WITH_CACHE.reading),
    "B_read",
)
about(STEP, *CROSSING, batch=1)(
    "clock.batch_computed_within_target",
    "At which batch do the operations of a decoding step take as long as its target?",
    reaches(PASS_WITH_CACHE.computing),
)
about(STEP, *CROSSING, batch=1)(
    "clock.batch_computed_in_time",
    "For how large a batch can a decoding step be computed before that takes longer than its target?",
    MostWithin(PASS_WITH_CACHE.computing),
    "B_compute",
)
about(STEP, *CROSSING, batch=1)(
    "serving.largest_batch",
    "How large a batch can be allocated, and take a decoding step before that takes longer than its target?",
    MostWithin(Time(PASS_WITH_CACHE), in_memory=True),
    "B_largest",
)
about(STEP, *CROSSING, batch=1)(
    "serving.limit",
    "What does the batch lack that is larger by one: room, time to load, or time to compute?",
    StoppedBy(PASS_WITH_CACHE),
)
about(HELD_BESIDE, *MODELS)(
    "memory.held_beside_a_reserve",
    "How many bytes are held, with a reserve and what the passes of a batch work on?",
    count("held"),
    "M_footprint",
)
about(None, *MODELS, more=("context",))(
    "memory.sequences_beside_a_reserve",
    "How large a batch can be allocated beside a reserve, with what its passes work on?",
    MostBeside("batch"),
    "B_fit",
)
