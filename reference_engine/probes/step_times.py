"""Questions about times on an ideal machine"""

from __future__ import annotations

from .counts import KV
from .ledger_selections import (
    ALL,
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
)
from .measures import Tokens, elsewhere
from .registry import about
from .runs import ANSWER, LOGITS, PROMPT, STEP, STEP_OF_ALL
from .subjects import MODELS
from .time_measures import CriticalContext, OneMoreSequence, Steps, Time, apart, crossing, is_bound, is_memory_time

about(STEP, *MODELS)(
    "clock.memory_time",
    "How many bytes of weights does a decoding step load, at how many bytes a second?",
    READ / "bandwidth",
    "T_memory",
)
about(STEP, *MODELS)(
    "clock.compute_time",
    "How many operations do the matrices of a decoding step take, at how many a second?",
    MULTIPLIED / "flops",
    "T_compute",
)
about(STEP, *ALL)(
    "clock.memory_time_with_cache",
    "How many bytes of weights and cache does a decoding step load, at how many bytes a second?",
    PASS_WITH_CACHE.reading,
    "T_memory_cache",
)
about(STEP, *ALL)(
    "clock.compute_time_with_attention",
    "How many operations do matrices, scores and weighted sums of a decoding step take, at how many a second?",
    PASS_WITH_CACHE.computing,
    "T_compute_cache",
)
for _what, _words, _part in (("weights", "weights", READ), ("sequences", "caches and states", KEPT_MOVED)):
    about(PROMPT, *PROMPTED)(
        f"clock.prefill_memory_time_of_{_what}",
        f"How long do the bytes of {_words} take that a prefill moves?",
        _part / "bandwidth",
    )
about(LOGITS, *MODELS)(
    "clock.prefill_compute_time",
    "How many operations do the matrices of a prefill take, at how many a second?",
    MULTIPLIED / "flops",
)
about(STEP_OF_ALL, "experts", *SPARSE)(
    "clock.memory_time_of_all_experts",
    "How many bytes of weights does a decoding step load whose tokens use every expert, at how many bytes a second?",
    READ / "bandwidth",
)
about(STEP, *MODELS)("clock.tokens_of_a_step", "For how many new tokens does a decoding step return logits?", Tokens())
for _load, _with in ((PASS, ""), (PASS_WITH_CACHE, "_with_cache")):
    _words = ", cache reads and attention included" if _with else ""
    about(STEP, *((*MODELS, *SPARSE) if _with else MODELS))(
        f"clock.step_time{_with}",
        f"How long does a decoding step take on the ideal machine{_words}?",
        Time(_load),
        "T_step",
    )
    about(STEP, *((*MODELS, *SPARSE) if _with else MODELS))(
        f"clock.throughput{_with}",
        f"How many tokens does a decoding step give, in which time{_words}?",
        Tokens() / Time(_load),
        "R",
    )
    about(PROMPT, *(PROMPTED if _with else MODELS))(
        f"clock.prefill_time{_with}",
        f"How long does a prefill take on the ideal machine{_words}?",
        Time(_load),
        "T_prefill",
    )
    about(STEP, *(CROSSING if _with else DENSE), batch=1)(
        f"clock.batch_crossover{_with}",
        f"At which batch does arithmetic take as long as reading{_words}?",
        crossing(_load, "batch"),
        f"B_star{'_cache' if _with else ''}",
    )
    about(STEP, *(CROSSING if _with else DENSE))(
        f"clock.memory_bound{_with}",
        f"Is the arithmetic of a decoding step done before everything is read{_words}?",
        is_bound(_load),
    )
about(STEP, *MODELS, *SPARSE)(
    "clock.attention_time",
    "How long do scores and weighted sums of a decoding step take on the ideal machine, with the cache they read?",
    Time(ATTENTION),
)
about(STEP, *MODELS, *SPARSE)(
    "clock.separate_step_time",
    "How long does a decoding step take on the ideal machine whose attention waits until its matrices are done?",
    apart(PASS, ATTENTION),
    "T_step",
)
about(STEP, *MODELS)(
    "clock.generation_time",
    "How long do a prefill and the decoding steps after it take, one after the other?",
    elsewhere(Time(PASS), run=PROMPT) + elsewhere(Time(PASS), context=1) * "new_tokens",
    "T_generation",
)
about(ANSWER, *ALL)(
    "clock.answer_memory_time",
    "How many bytes of weights and cache do the decoding steps of an answer load, at how many bytes a second?",
    PASS_WITH_CACHE.reading,
)
about(ANSWER, *ALL)(
    "clock.decode_time_with_cache",
    "How long do the decoding steps of an answer take, one after the other, each with its own context?",
    Steps(PASS_WITH_CACHE),
    "T_decode",
)
about(ANSWER, *ALL)(
    "clock.time_per_output_token",
    "How long do the decoding steps of an answer take, for how many of them?",
    Steps(PASS_WITH_CACHE) / "new_tokens",
    "T_output",
)
about(ANSWER, *MODELS, "hybrid")(
    "clock.request_time",
    "How long do a prefill and the decoding steps after it take, each with its own context?",
    elsewhere(Time(PASS_WITH_CACHE), run=PROMPT) + Steps(PASS_WITH_CACHE),
    "T_generation",
)
about(STEP, *DENSE)(
    "clock.latency_is_memory_time",
    "Does a decoding step take exactly as long as reading the weights?",
    is_memory_time(PASS),
)
about(PROMPT, *DENSE, batch=1, context=1)(
    "clock.token_crossover",
    "At how many tokens in one prefill does arithmetic take as long as reading the weights?",
    crossing(PASS, "context"),
    "T_star",
)
about(STEP_OF_ALL, "experts", *SPARSE, batch=1)(
    "clock.crossover_of_all_experts",
    "At which batch, beyond those that leave an expert out, do arithmetic and reading take equally long?",
    crossing(PASS_WITH_CACHE, "batch", ("n_active", "idle")),
    "B_star_cache",
)
about(STEP, *DENSE, batch=1, context=1, widths=KV)(
    "clock.critical_context",
    "At which context does one more sequence, which reads no more experts, add as much reading as arithmetic?",
    CriticalContext(PASS_WITH_CACHE),
    "N_critical",
)
about(STEP, "llama", "latent", batch=1, widths=KV)(
    "clock.crossover_exists",
    "Does one more sequence, which reads no more experts, add more arithmetic than reading?",
    OneMoreSequence(PASS_WITH_CACHE.reading) < OneMoreSequence(PASS_WITH_CACHE.computing),
)

# Questions about passes whose attention waits until their matrices are done, beside those of decoding steps

about(STEP, *MODELS)(
    "clock.parts_take_as_long",
    "Does a decoding step whose attention waits until its matrices are done take as long as one that overlaps all?",
    apart(PASS, ATTENTION).is_as_much_as(Time(PASS_WITH_CACHE)),
)
about(PROMPT, *MANY)(
    "clock.prefill_attention_time",
    "How long do scores and weighted sums of a prefill take on the ideal machine, with the cache they read?",
    Time(ATTENTION),
)
about(LOGITS, *MANY)(
    "clock.prefill_time_of_matrices",
    "How long do the matrices of a prefill take on the ideal machine, of which some positions get logits?",
    Time(PASS),
)
about(LOGITS, *MANY)(
    "clock.separate_prefill_time",
    "How long does a prefill take on the ideal machine whose attention waits until its matrices are done?",
    apart(PASS, ATTENTION),
    "T_prefill",
)
