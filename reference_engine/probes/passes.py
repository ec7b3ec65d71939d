"""Questions about what a pass reads and computes"""

from __future__ import annotations

from functools import partial

from .counts import Selection
from .ledger_selections import (
    ATTENDED,
    CACHE,
    CACHE_READ,
    KEPT_MOVED,
    MANY,
    MATRICES,
    MULTIPLIED,
    PROMPTED,
    READ,
    SPARSE,
    THERE,
    WITH_CONTEXT,
    count,
    of_all,
    of_models,
)
from .measures import Count, Less, Over, Quotient, elsewhere, growth
from .registry import question
from .runs import LOGITS, PROMPT, STEP, STEP_OF_ALL, TOKEN_BY_TOKEN
from .subjects import MODELS

of_models(
    "weights.multiplied",
    "How many multiplications by a weight does it do for a token, each with an addition?",
    STEP,
    count("flops", *MATRICES, *THERE, op="matmul", each=2),
    "P",
    batch=1,
    context=1,
)
question(
    "weights.read",
    "How many weights does a decoding step read to multiply them?",
    STEP,
    count("loaded", *MATRICES, each=4),
    "P_read",
    subjects=(*MODELS, "sharing"),
)
of_models(
    "weights.read_by_a_prompt",
    "How many weights does a prefill read to multiply them?",
    PROMPT,
    count("loaded", *MATRICES, each=4),
    "P_prompt",
)
question(
    "weights.read_by_all_experts",
    "How many weights does a decoding step read whose tokens use every expert?",
    STEP_OF_ALL,
    count("loaded", *MATRICES, each=4),
    "P_all",
    subjects=("experts",),
)
of_layer = partial(question, subjects=("experts",), n_moe=1, d_model=1, d_expert=1)  # of experts
_USED = count("loaded", "blocks.*.mlp.experts.*.gate", each=4)
_SCORED = count("loaded", "blocks.*.mlp.router", each=4)
for _by, _pass, _run, _letter in (
    ("", "a decoding step", STEP, "n_distinct"),
    ("_by_a_prompt", "a prefill", PROMPT, "n_distinct_prompt"),
):
    of_layer(
        f"experts.used{_by}",
        f"How many different experts does a block use in {_pass}, in the mean over all ways to pick them?",
        _run,
        _USED,
        _letter,
    )
    of_layer(
        f"experts.share_used{_by}",
        f"How many different experts does a block use in {_pass}, in the mean over all ways, of how many it can pick?",
        _run,
        Quotient(_USED, _SCORED),
        "U_experts" if _run is STEP else "",
    )
_SENT = count("flops", "blocks.*.mlp.experts.*.gate", op="matmul", each=2)
of_layer(
    "experts.tokens", "How many tokens do the experts of a block get in a decoding step, all together?", STEP, _SENT
)
of_layer(
    "experts.tokens_of_each",
    "How many tokens do the experts of a block get in a decoding step, for how many experts?",
    STEP,
    Quotient(_SENT, _SCORED),
    "B_expert",
)
of_models(
    "decode.bytes_moved",
    "How many bytes of matrices and caches cross the memory bus in a decoding step, both ways?",
    STEP,
    Count((Selection("loaded", ("embedding", *MATRICES, *CACHE)), Selection("stored", CACHE))),
    "D_step",
)
of_models(
    "decode.bytes_stored",
    "How many bytes of keys and values does a decoding step store?",
    STEP,
    count("stored", *CACHE),
)
of_models(
    "attention.flops_per_context_token",
    "How many operations more do scores and weighted sums take when the context is one token longer?",
    STEP,
    growth(ATTENDED, "context"),
    "a",
    batch=1,
    context=2,
    window=3,
)
question(
    "attention.flops_per_pair",
    "How many operations do scores and weighted sums of a prompt of one token take?",
    PROMPT,
    ATTENDED,
    "a_prompt",
    subjects=(*MANY, "expanded"),
    batch=1,
    context=1,
)
of_models(
    "attention.intensity",
    "How many operations do scores and weighted sums of a decoding step take, for how many bytes of cache it loads?",
    STEP,
    Quotient(ATTENDED, CACHE_READ),
    "I_cache",
)
of_all(
    "decode.bytes_of_a_sequence",
    "How many bytes of caches does a decoding step load for a sequence, and of states, both ways?",
    STEP,
    KEPT_MOVED,
    "D_seq",
    batch=1,
)
of_all(
    "decode.flops_of_a_sequence",
    "How many operations do scores, weighted sums, indexes and states of a decoded token take?",
    STEP,
    WITH_CONTEXT,
    "C_seq",
    batch=1,
)
of_all("decode.bytes_of_weights", "How many bytes of weights does a decoding step load?", STEP, READ, "D_weights")
of_all(
    "decode.bytes_of_sequences",
    "How many bytes of caches does a decoding step load, and of states, both ways?",
    STEP,
    KEPT_MOVED,
)
of_all("decode.flops_of_weights", "How many operations do the matrices take in a decoding step?", STEP, MULTIPLIED)
question(
    "prefill.bytes_of_a_sequence",
    "How many bytes of caches does a prefill load for a sequence, and of states, both ways?",
    PROMPT,
    KEPT_MOVED,
    "D_prompt",
    subjects=PROMPTED,
    batch=1,
)
question(
    "prefill.flops_of_a_sequence",
    "How many operations do scores, weighted sums and states of a prompt take, for how many tokens?",
    PROMPT,
    Over(WITH_CONTEXT, "context"),
    "C_prompt",
    subjects=PROMPTED,
    batch=1,
)
question(
    "prefill.bytes_of_weights",
    "How many bytes of weights does a prefill load?",
    PROMPT,
    READ,
    "D_weights_prompt",
    subjects=(*MODELS, "hybrid"),
)
question(
    "decode.bytes_of_all_weights",
    "How many bytes of weights does a decoding step load whose tokens use every expert?",
    STEP_OF_ALL,
    READ,
    "D_weights_all",
    subjects=("experts", *SPARSE),
)
question(
    "prefill.flops_of_weights",
    "How many operations do the matrices take in a prefill?",
    LOGITS,
    MULTIPLIED,
    subjects=(*MANY, "hybrid"),
)
_wholly = partial(question, subjects=("schematic", "llama", "qwen3", "gpt2", "mixtral"))  # all of whose work is known
_wholly("decode.flops", "How many operations does a decoding step take?", STEP, count("flops"), "C_step")
_wholly("prefill.flops", "How many operations does a prefill take?", PROMPT, count("flops"), "C_prefill")
of_models(
    "decode.flops_of_a_token",
    "How many operations does decoding one token take?",
    STEP,
    count("flops"),
    "C_token",
    batch=1,
)
of_all(
    "decode.product_flops",
    "How many operations do the matrix products of a decoding step take?",
    STEP,
    count("flops", op="matmul"),
    "C_decode",
)
question(
    "prefill.product_flops",
    "How many operations do the matrix products of a prefill take, of which some positions get logits?",
    LOGITS,
    count("flops", op="matmul"),
    "C_prefill",
    subjects=(*MANY, "hybrid", "expanded", "picked expanded"),
)
_EACH = Over(WITH_CONTEXT, "context")  # operations of a sequence for each token of it
question(
    "prefill.masked_flops_of_a_sequence",
    "How many operations more do scores and weighted sums take if a prompt is read at once, for how many tokens?",
    TOKEN_BY_TOKEN,
    Less(elsewhere(_EACH, run=PROMPT), _EACH),
    subjects=(*MANY, "expanded"),
    batch=1,
)
question(
    "prefill.causal_flops_of_a_sequence",
    "How many operations do scores and weighted sums take if a prompt is decoded token by token, for how many tokens?",
    TOKEN_BY_TOKEN,
    _EACH,
    "C_prompt",
    subjects=(*MANY, "expanded"),
    batch=1,
)
question(
    "decode.bias_flops",
    "How many operations does it take in a decoding step to add the biases of matrices?",
    STEP,
    count("flops", *MATRICES, op="add"),
    subjects=("gpt2",),
)
