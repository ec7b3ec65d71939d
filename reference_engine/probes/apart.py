"""Questions about passes whose attention waits until their matrices are done, beside those of decoding steps"""

from __future__ import annotations

from .registry import question
from .runs import PROMPT, STEP
from .selecting import ATTENTION, BOTH, KV, MANY, PASS, PASS_WITH_CACHE, of_models
from .times import Apart, IsSame, Time

of_models(
    "clock.parts_take_as_long",
    "Does a decoding step whose attention waits until its matrices are done take as long as one that overlaps all?",
    STEP,
    IsSame(Apart(PASS, ATTENTION), Time(PASS_WITH_CACHE)),
    widths=BOTH,
)
question(
    "clock.prefill_attention_time",
    "How long do scores and weighted sums of a prefill take on the ideal machine, with the cache they read?",
    PROMPT,
    Time(ATTENTION),
    subjects=MANY,
    widths=KV,
)
question(
    "clock.separate_prefill_time",
    "How long does a prefill take on the ideal machine whose attention waits until its matrices are done?",
    PROMPT,
    Apart(PASS, ATTENTION),
    "T_prefill",
    subjects=MANY,
    widths=BOTH,
)
