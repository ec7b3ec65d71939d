"""The questions about decoders: what is held, read, computed, and how long that takes on an ideal machine"""

from __future__ import annotations

from functools import partial

from .answers import (
    Count,
    CriticalContext,
    Crossing,
    Fits,
    Growth,
    IsBound,
    IsMemoryTime,
    Left,
    Load,
    Most,
    Over,
    Rate,
    Share,
    Then,
    Time,
    Together,
    Tokens,
)
from .counts import Selection
from .registry import question
from .runs import ANSWER, HELD, PROMPT, STEP, STEP_OF_ALL, TOKEN_BY_TOKEN, WEIGHTS
from .subjects import MODELS

MATRICES = (
    *(f"blocks.*.attention.{name}" for name in ("query", "key", "value", "output")),
    *(f"blocks.*.attention.{name}" for name in ("query_down", "latent", "key_up", "value_up")),
    *(f"blocks.*.mlp.{name}" for name in ("gate", "up", "down", "router")),
    *(f"blocks.*.mlp.experts.*.{name}" for name in ("gate", "up", "down")),
    "output",
)
PRODUCTS = ("blocks.*.attention.scores", "blocks.*.attention.mix")
CACHE = ("blocks.*.attention.cache",)

_ALL_BUT_OUTPUT = ("blocks.*",)


def _count(what: str, *paths: str, op: str = "*", each: int = 1) -> Count:
    return Count((Selection(what, paths or ("*",), op, each),))


def _both(one: Count, other: Count) -> Count:
    return Count((*one.selections, *other.selections))


_MULTIPLIED = _count("flops", *MATRICES, op="matmul")
_ATTENDED = _count("flops", *PRODUCTS, op="matmul")
_READ, _CACHE_READ = _count("loaded", *MATRICES), _count("loaded", *CACHE)
_PASS = Load(_READ, _MULTIPLIED)
_PASS_WITH_CACHE = Load(_both(_READ, _CACHE_READ), _both(_MULTIPLIED, _ATTENDED))

_N_BYTES, _KV = ("n_bytes",), ("n_bytes_kv",)
_BOTH = _N_BYTES + _KV
_DENSE = tuple(name for name in MODELS if name != "experts")
_FULL = ("llama", "experts", "latent")
_MANY = ("llama", "experts", "mixed", "windowed")  # heads with keys and values of their own

_of_models = partial(question, subjects=MODELS)


# What is held

_of_models("weights.stored", "How many weights does it hold?", WEIGHTS, _count("held", "weights.*", each=4), "P_total")
_of_models(
    "weights.bytes",
    "How many bytes do the packed weights hold?",
    WEIGHTS,
    _count("held", "weights.*"),
    "M_weights",
    widths=_N_BYTES,
)
_of_models(
    "cache.bytes_of_a_token",
    "How many bytes does the cache hold for one token?",
    HELD,
    _count("held", "cache.*"),
    "m_token",
    widths=_KV,
    batch=1,
    context=1,
)
question(
    "cache.bytes_of_a_token_in_a_layer",
    "How many bytes does the cache of a model of one layer hold for one token?",
    HELD,
    _count("held", "cache.*"),
    "m_layer",
    subjects=("llama",),
    widths=_KV,
    n_blocks=1,
    batch=1,
    context=1,
)
_of_models(
    "cache.bytes",
    "How many bytes do the caches of a batch hold?",
    HELD,
    _count("held", "cache.*"),
    "M_cache",
    widths=_KV,
)
_of_models(
    "cache.kept_context",
    "How many bytes do the caches of a batch hold, for how many held by one token of each sequence?",
    HELD,
    Share(_count("held", "cache.*"), _count("held", "cache.*"), (("context", 1),)),
    "N_kept",
)
question(
    "cache.bytes_read_while_generating",
    "How many bytes of cache does it load to generate that many tokens after a prompt?",
    ANSWER,
    _CACHE_READ,
    "D_generation",
    subjects=_FULL,
    widths=_KV,
)
_of_models("memory.held", "How many bytes are held?", HELD, _count("held"), "M_footprint", widths=_BOTH)
_of_models(
    "memory.left",
    "How many bytes of memory are free once the weights are held?",
    None,
    Left(),
    "M_left",
    widths=_N_BYTES,
)
question(
    "memory.tokens_that_fit",
    "How many bytes do the held weights leave, for how many held by one token?",
    HELD,
    Left(_count("held", "cache.*")),
    "n_fit",
    subjects=_FULL,
    widths=_BOTH,
    batch=1,
    context=1,
)
_of_models(
    "memory.sequences_that_fit",
    "How large a batch can be allocated before the machine runs out of memory?",
    None,
    Most("batch"),
    "B_fit",
    widths=_BOTH,
    more=("context",),
)
_of_models(
    "memory.context_that_fits",
    "How long a context can be allocated for a batch before the machine runs out of memory?",
    None,
    Most("context"),
    "N_fit",
    widths=_BOTH,
    more=("batch",),
)
_of_models(
    "memory.longest_context",
    "How long a context, up to a limit, can be allocated for a batch before the machine runs out of memory?",
    None,
    Most("context", "limit"),
    "N_largest",
    widths=_BOTH,
    more=("batch",),
)
_of_models(
    "memory.fits",
    "Can the weights and the caches of the batch be allocated?",
    None,
    Fits(),
    widths=_BOTH,
    more=("batch", "context"),
)

# What a pass reads and computes

_of_models(
    "weights.multiplied",
    "How many multiplications by a weight does it do for a token, each with an addition?",
    STEP,
    _count("flops", *MATRICES, op="matmul", each=2),
    "P",
    batch=1,
    context=1,
)
_of_models(
    "weights.read",
    "How many weights does a decoding step read to multiply them?",
    STEP,
    _count("loaded", *MATRICES, each=4),
    "P_read",
)
_of_models(
    "weights.read_by_a_prompt",
    "How many weights does a prefill read to multiply them?",
    PROMPT,
    _count("loaded", *MATRICES, each=4),
    "P_prompt",
)
question(
    "weights.read_by_all_experts",
    "How many weights does a decoding step read whose tokens use every expert?",
    STEP_OF_ALL,
    _count("loaded", *MATRICES, each=4),
    "P_all",
    subjects=("experts",),
)
_USED = _count("loaded", "blocks.*.mlp.experts.*.gate", each=4)
_SCORED = _count("loaded", "blocks.*.mlp.router", each=4)
for _by, _pass, _run, _letter in (
    ("", "a decoding step", STEP, "n_distinct"),
    ("_by_a_prompt", "a prefill", PROMPT, "n_distinct_prompt"),
):
    question(
        f"experts.used{_by}",
        f"How many different experts does a block use in {_pass}, in the mean over all ways to pick them?",
        _run,
        _USED,
        _letter,
        subjects=("experts",),
        **dict.fromkeys(("n_moe", "d_model", "d_expert"), 1),
    )
    question(
        f"experts.share_used{_by}",
        f"How many different experts does a block use in {_pass}, in the mean over all ways, of how many it can pick?",
        _run,
        Share(_USED, _SCORED),
        subjects=("experts",),
        **dict.fromkeys(("n_moe", "d_model", "d_expert"), 1),
    )
_of_models(
    "decode.bytes_moved",
    "How many bytes of matrices and caches cross the memory bus in a decoding step, both ways?",
    STEP,
    Count((Selection("loaded", ("embedding", *MATRICES, *CACHE)), Selection("stored", CACHE))),
    "D_step",
    widths=_BOTH,
)
_of_models(
    "decode.bytes_stored",
    "How many bytes of keys and values does a decoding step store?",
    STEP,
    _count("stored", *CACHE),
    widths=_KV,
)
_of_models(
    "attention.flops_per_context_token",
    "How many operations more do scores and weighted sums take when the context is one token longer?",
    STEP,
    Growth(_ATTENDED, "context"),
    "a",
    batch=1,
    context=2,
    window=3,
)
question(
    "attention.flops_per_pair",
    "How many operations do scores and weighted sums of a prompt of one token take?",
    PROMPT,
    _ATTENDED,
    "a_prompt",
    subjects=(*_MANY, "expanded"),
    batch=1,
    context=1,
)
_of_models("decode.flops", "How many operations does a decoding step take?", STEP, _count("flops"), "C_decode")
_of_models("prefill.flops", "How many operations does a prefill take?", PROMPT, _count("flops"), "C_prefill")
_of_models(
    "decode.flops_of_a_token",
    "How many operations does decoding one token take?",
    STEP,
    _count("flops"),
    "C_token",
    batch=1,
)
_of_models(
    "decode.product_flops",
    "How many operations do the matrix products of a decoding step take?",
    STEP,
    _count("flops", op="matmul"),
    "C_decode",
)
question(
    "prefill.product_flops",
    "How many operations do the matrix products of a prefill take?",
    PROMPT,
    _count("flops", op="matmul"),
    "C_prefill",
    subjects=_MANY,
)
question(
    "prefill.causal_product_flops",
    "How many operations do the matrix products take if the prompt is decoded token by token?",
    TOKEN_BY_TOKEN,
    _count("flops", op="matmul"),
    "C_prefill",
    subjects=_MANY,
)
question(
    "prefill.last_logits_product_flops",
    "How many do they take if the output matrix meets one token of each sequence, as in a decoding step?",
    PROMPT,
    Together(
        ((PROMPT, _count("flops", *_ALL_BUT_OUTPUT, op="matmul")), (STEP, _count("flops", "output", op="matmul")))
    ),
    "C_prefill",
    subjects=_MANY,
)

question(
    "decode.bias_flops",
    "How many operations does it take in a decoding step to add the biases of matrices?",
    STEP,
    _count("flops", *MATRICES, op="add"),
    subjects=("gpt2",),
)

# Times on an ideal machine

_of_models(
    "clock.memory_time",
    "How many bytes of weights does a decoding step load, at how many bytes a second?",
    STEP,
    Over(_READ, "bandwidth"),
    "T_memory",
    widths=_N_BYTES,
)
_of_models(
    "clock.compute_time",
    "How many operations do the matrices of a decoding step take, at how many a second?",
    STEP,
    Over(_MULTIPLIED, "flops"),
    "T_compute",
)
_of_models(
    "clock.memory_time_with_cache",
    "How many bytes of weights and cache does a decoding step load, at how many bytes a second?",
    STEP,
    Over(_PASS_WITH_CACHE.loads, "bandwidth"),
    "T_memory_cache",
    widths=_BOTH,
)
_of_models(
    "clock.compute_time_with_attention",
    "How many operations do matrices, scores and weighted sums of a decoding step take, at how many a second?",
    STEP,
    Over(_PASS_WITH_CACHE.work, "flops"),
    "T_compute_cache",
)
_of_models(
    "clock.prefill_memory_time",
    "How many bytes of weights and cache does a prefill load, at how many bytes a second?",
    PROMPT,
    Over(_PASS_WITH_CACHE.loads, "bandwidth"),
    widths=_BOTH,
)
_of_models(
    "clock.prefill_compute_time",
    "How many operations do the matrices of a prefill take, at how many a second?",
    PROMPT,
    Over(_MULTIPLIED, "flops"),
)
question(
    "clock.memory_time_of_all_experts",
    "How many bytes of weights does a decoding step load whose tokens use every expert, at how many bytes a second?",
    STEP_OF_ALL,
    Over(_READ, "bandwidth"),
    subjects=("experts",),
    widths=_N_BYTES,
)
_of_models("clock.tokens_of_a_step", "For how many new tokens does a decoding step return logits?", STEP, Tokens())
for _load, _with, _widths in ((_PASS, "", _N_BYTES), (_PASS_WITH_CACHE, "_with_cache", _BOTH)):
    _words = ", cache reads and attention included" if _with else ""
    _of_models(
        f"clock.step_time{_with}",
        f"How long does a decoding step take on the ideal machine{_words}?",
        STEP,
        Time(_load),
        "T_step",
        widths=_widths,
    )
    _of_models(
        f"clock.throughput{_with}",
        f"How many tokens does a decoding step give, in which time{_words}?",
        STEP,
        Rate(_load),
        "R",
        widths=_widths,
    )
    question(
        f"clock.prefill_time{_with}",
        f"How long does a prefill take on the ideal machine{_words}?",
        PROMPT,
        Time(_load),
        "T_prefill",
        subjects=_MANY if _with else MODELS,
        widths=_widths,
    )
    question(
        f"clock.batch_crossover{_with}",
        f"At which batch does arithmetic take as long as reading{_words}?",
        STEP,
        Crossing(_load, "batch"),
        f"B_star{'_cache' if _with else ''}",
        subjects=_DENSE,
        widths=_widths,
        batch=1,
    )
    question(
        f"clock.memory_bound{_with}",
        f"Is the arithmetic of a decoding step done before everything is read{_words}?",
        STEP,
        IsBound(_load),
        subjects=_DENSE,
        widths=_widths,
    )
_of_models(
    "clock.generation_time",
    "How long do a prefill and the decoding steps after it take, one after the other?",
    STEP,
    Then(_PASS, PROMPT),
    "T_generation",
    widths=_N_BYTES,
)
question(
    "clock.latency_is_memory_time",
    "Does a decoding step take exactly as long as reading the weights?",
    STEP,
    IsMemoryTime(_PASS),
    subjects=_DENSE,
    widths=_N_BYTES,
)
question(
    "clock.token_crossover",
    "At how many tokens in one prefill does arithmetic take as long as reading the weights?",
    PROMPT,
    Crossing(_PASS, "context"),
    "T_star",
    subjects=_DENSE,
    widths=_N_BYTES,
    batch=1,
    context=1,
)
question(
    "clock.crossover_of_all_experts",
    "At which batch, beyond those that leave an expert out, do arithmetic and reading take equally long?",
    STEP_OF_ALL,
    Crossing(_PASS_WITH_CACHE, "batch", ("n_active", "idle")),
    "B_star_cache",
    subjects=("experts",),
    widths=_BOTH,
    batch=1,
)
question(
    "clock.critical_context",
    "At which context does one more sequence add as much reading as arithmetic?",
    STEP,
    CriticalContext(_PASS_WITH_CACHE),
    "N_critical",
    subjects=_DENSE,
    widths=_KV,
    batch=1,
    context=1,
)
question(
    "clock.crossover_exists",
    "Does one more sequence add more arithmetic than reading?",
    STEP,
    IsBound(_PASS_WITH_CACHE, of_one_more=True),
    subjects=("llama", "latent"),
    widths=_KV,
    batch=1,
)
