"""Questions about times on an ideal machine"""

from __future__ import annotations

from .counts import KV
from .ledger_selections import (
    ATTENTION,
    CROSSING,
    DENSE,
    KEPT_MOVED,
    MANY,
    MULTIPLIED,
    PASS,
    PASS_WITH_CACHE,
    PROMPTED,
    READ,
    SPARSE,
    of_all,
    of_models,
)
from .measures import Given, Over, Product, Quotient, Sum, Tokens, Whether, elsewhere
from .registry import question
from .runs import ANSWER, LOGITS, PROMPT, STEP, STEP_OF_ALL
from .subjects import MODELS
from .time_measures import CriticalContext, OneMoreSequence, Steps, Time, apart, crossing, is_bound, is_memory_time

_READ_IN, _WORKED_IN = Over(PASS_WITH_CACHE.loads, "bandwidth"), Over(PASS_WITH_CACHE.work, "flops")

of_models(
    "clock.memory_time",
    "How many bytes of weights does a decoding step load, at how many bytes a second?",
    STEP,
    Over(READ, "bandwidth"),
    "T_memory",
)
of_models(
    "clock.compute_time",
    "How many operations do the matrices of a decoding step take, at how many a second?",
    STEP,
    Over(MULTIPLIED, "flops"),
    "T_compute",
)
of_all(
    "clock.memory_time_with_cache",
    "How many bytes of weights and cache does a decoding step load, at how many bytes a second?",
    STEP,
    Over(PASS_WITH_CACHE.loads, "bandwidth"),
    "T_memory_cache",
)
of_all(
    "clock.compute_time_with_attention",
    "How many operations do matrices, scores and weighted sums of a decoding step take, at how many a second?",
    STEP,
    Over(PASS_WITH_CACHE.work, "flops"),
    "T_compute_cache",
)
for _what, _words, _part in (("weights", "weights", READ), ("sequences", "caches and states", KEPT_MOVED)):
    question(
        f"clock.prefill_memory_time_of_{_what}",
        f"How long do the bytes of {_words} take that a prefill moves?",
        PROMPT,
        Over(_part, "bandwidth"),
        subjects=PROMPTED,
    )
of_models(
    "clock.prefill_compute_time",
    "How many operations do the matrices of a prefill take, at how many a second?",
    LOGITS,
    Over(MULTIPLIED, "flops"),
)
question(
    "clock.memory_time_of_all_experts",
    "How many bytes of weights does a decoding step load whose tokens use every expert, at how many bytes a second?",
    STEP_OF_ALL,
    Over(READ, "bandwidth"),
    subjects=("experts", *SPARSE),
)
of_models("clock.tokens_of_a_step", "For how many new tokens does a decoding step return logits?", STEP, Tokens())
for _load, _with in ((PASS, ""), (PASS_WITH_CACHE, "_with_cache")):
    _words = ", cache reads and attention included" if _with else ""
    question(
        f"clock.step_time{_with}",
        f"How long does a decoding step take on the ideal machine{_words}?",
        STEP,
        Time(_load),
        "T_step",
        subjects=(*MODELS, *SPARSE) if _with else MODELS,
    )
    question(
        f"clock.throughput{_with}",
        f"How many tokens does a decoding step give, in which time{_words}?",
        STEP,
        Quotient(Tokens(), Time(_load)),
        "R",
        subjects=(*MODELS, *SPARSE) if _with else MODELS,
    )
    question(
        f"clock.prefill_time{_with}",
        f"How long does a prefill take on the ideal machine{_words}?",
        PROMPT,
        Time(_load),
        "T_prefill",
        subjects=PROMPTED if _with else MODELS,
    )
    question(
        f"clock.batch_crossover{_with}",
        f"At which batch does arithmetic take as long as reading{_words}?",
        STEP,
        crossing(_load, "batch"),
        f"B_star{'_cache' if _with else ''}",
        subjects=CROSSING if _with else DENSE,
        batch=1,
    )
    question(
        f"clock.memory_bound{_with}",
        f"Is the arithmetic of a decoding step done before everything is read{_words}?",
        STEP,
        is_bound(_load),
        subjects=CROSSING if _with else DENSE,
    )
question(
    "clock.attention_time",
    "How long do scores and weighted sums of a decoding step take on the ideal machine, with the cache they read?",
    STEP,
    Time(ATTENTION),
    subjects=(*MODELS, *SPARSE),
)
question(
    "clock.separate_step_time",
    "How long does a decoding step take on the ideal machine whose attention waits until its matrices are done?",
    STEP,
    apart(PASS, ATTENTION),
    "T_step",
    subjects=(*MODELS, *SPARSE),
)
of_models(
    "clock.generation_time",
    "How long do a prefill and the decoding steps after it take, one after the other?",
    STEP,
    Sum((elsewhere(Time(PASS), run=PROMPT), Product((elsewhere(Time(PASS), context=1), Given("new_tokens"))))),
    "T_generation",
)
of_all(
    "clock.answer_memory_time",
    "How many bytes of weights and cache do the decoding steps of an answer load, at how many bytes a second?",
    ANSWER,
    Over(PASS_WITH_CACHE.loads, "bandwidth"),
)
of_all(
    "clock.decode_time_with_cache",
    "How long do the decoding steps of an answer take, one after the other, each with its own context?",
    ANSWER,
    Steps(PASS_WITH_CACHE),
    "T_decode",
)
of_all(
    "clock.time_per_output_token",
    "How long do the decoding steps of an answer take, for how many of them?",
    ANSWER,
    Quotient(Steps(PASS_WITH_CACHE), Given("new_tokens")),
    "T_output",
)
question(
    "clock.request_time",
    "How long do a prefill and the decoding steps after it take, each with its own context?",
    ANSWER,
    Sum((elsewhere(Time(PASS_WITH_CACHE), run=PROMPT), Steps(PASS_WITH_CACHE))),
    "T_generation",
    subjects=(*MODELS, "hybrid"),
)
question(
    "clock.latency_is_memory_time",
    "Does a decoding step take exactly as long as reading the weights?",
    STEP,
    is_memory_time(PASS),
    subjects=DENSE,
)
question(
    "clock.token_crossover",
    "At how many tokens in one prefill does arithmetic take as long as reading the weights?",
    PROMPT,
    crossing(PASS, "context"),
    "T_star",
    subjects=DENSE,
    batch=1,
    context=1,
)
question(
    "clock.crossover_of_all_experts",
    "At which batch, beyond those that leave an expert out, do arithmetic and reading take equally long?",
    STEP_OF_ALL,
    crossing(PASS_WITH_CACHE, "batch", ("n_active", "idle")),
    "B_star_cache",
    subjects=("experts", *SPARSE),
    batch=1,
)
question(
    "clock.critical_context",
    "At which context does one more sequence, which reads no more experts, add as much reading as arithmetic?",
    STEP,
    CriticalContext(PASS_WITH_CACHE),
    "N_critical",
    subjects=DENSE,
    batch=1,
    context=1,
    widths=KV,
)
question(
    "clock.crossover_exists",
    "Does one more sequence, which reads no more experts, add more arithmetic than reading?",
    STEP,
    Whether(OneMoreSequence(_READ_IN), OneMoreSequence(_WORKED_IN)),
    subjects=("llama", "latent"),
    batch=1,
    widths=KV,
)

# Questions about passes whose attention waits until their matrices are done, beside those of decoding steps

of_models(
    "clock.parts_take_as_long",
    "Does a decoding step whose attention waits until its matrices are done take as long as one that overlaps all?",
    STEP,
    Whether(apart(PASS, ATTENTION), Time(PASS_WITH_CACHE), "="),
)
question(
    "clock.prefill_attention_time",
    "How long do scores and weighted sums of a prefill take on the ideal machine, with the cache they read?",
    PROMPT,
    Time(ATTENTION),
    subjects=MANY,
)
question(
    "clock.prefill_time_of_matrices",
    "How long do the matrices of a prefill take on the ideal machine, of which some positions get logits?",
    LOGITS,
    Time(PASS),
    subjects=MANY,
)
question(
    "clock.separate_prefill_time",
    "How long does a prefill take on the ideal machine whose attention waits until its matrices are done?",
    LOGITS,
    apart(PASS, ATTENTION),
    "T_prefill",
    subjects=MANY,
)
