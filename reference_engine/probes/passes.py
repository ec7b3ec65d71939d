"""Questions about what a pass reads and computes"""

from __future__ import annotations

from .counts import Selection
from .ledger_selections import (
    ALL,
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
)
from .measures import Count, elsewhere, growth
from .registry import about
from .runs import LOGITS, PROMPT, STEP, STEP_OF_ALL, TOKEN_BY_TOKEN
from .subjects import MODELS

about(STEP, *MODELS, batch=1, context=1)(
    "weights.multiplied",
    "How many multiplications by a weight does it do for a token, each with an addition?",
    count("flops", *MATRICES, *THERE, op="matmul", each=2),
    "P",
)
about(STEP, *MODELS, "sharing")(
    "weights.read",
    "How many weights does a decoding step read to multiply them?",
    count("loaded", *MATRICES, each=4),
    "P_read",
)
about(PROMPT, *MODELS)(
    "weights.read_by_a_prompt",
    "How many weights does a prefill read to multiply them?",
    count("loaded", *MATRICES, each=4),
    "P_prompt",
)
about(STEP_OF_ALL, "experts")(
    "weights.read_by_all_experts",
    "How many weights does a decoding step read whose tokens use every expert?",
    count("loaded", *MATRICES, each=4),
    "P_all",
)
_USED = count("loaded", "blocks.*.mlp.experts.*.gate", each=4)
_SCORED = count("loaded", "blocks.*.mlp.router", each=4)
for _by, _pass, _run, _letter in (
    ("", "a decoding step", STEP, "n_distinct"),
    ("_by_a_prompt", "a prefill", PROMPT, "n_distinct_prompt"),
):
    about(_run, "experts", n_moe=1, d_model=1, d_expert=1)(
        f"experts.used{_by}",
        f"How many different experts does a block use in {_pass}, in the mean over all ways to pick them?",
        _USED,
        _letter,
    )
    about(_run, "experts", n_moe=1, d_model=1, d_expert=1)(
        f"experts.share_used{_by}",
        f"How many different experts does a block use in {_pass}, in the mean over all ways, of how many it can pick?",
        _USED / _SCORED,
        "U_experts" if _run is STEP else "",
    )
_SENT = count("flops", "blocks.*.mlp.experts.*.gate", op="matmul", each=2)
about(STEP, "experts", n_moe=1, d_model=1, d_expert=1)(
    "experts.tokens", "How many tokens do the experts of a block get in a decoding step, all together?", _SENT
)
about(STEP, "experts", n_moe=1, d_model=1, d_expert=1)(
    "experts.tokens_of_each",
    "How many tokens do the experts of a block get in a decoding step, for how many experts?",
    _SENT / _SCORED,
    "B_expert",
)
about(STEP, *MODELS)(
    "decode.bytes_moved",
    "How many bytes of matrices and caches cross the memory bus in a decoding step, both ways?",
    Count((Selection("loaded", ("embedding", *MATRICES, *CACHE)), Selection("stored", CACHE))),
    "D_step",
)
about(STEP, *MODELS)(
    "decode.bytes_stored", "How many bytes of keys and values does a decoding step store?", count("stored", *CACHE)
)
about(STEP, *MODELS, batch=1, context=2, window=3)(
    "attention.flops_per_context_token",
    "How many operations more do scores and weighted sums take when the context is one token longer?",
    growth(ATTENDED, "context"),
    "a",
)
about(PROMPT, *MANY, "expanded", batch=1, context=1)(
    "attention.flops_per_pair",
    "How many operations do scores and weighted sums of a prompt of one token take?",
    ATTENDED,
    "a_prompt",
)
about(STEP, *MODELS)(
    "attention.intensity",
    "How many operations do scores and weighted sums of a decoding step take, for how many bytes of cache it loads?",
    ATTENDED / CACHE_READ,
    "I_cache",
)
about(STEP, *ALL, batch=1)(
    "decode.bytes_of_a_sequence",
    "How many bytes of caches does a decoding step load for a sequence, and of states, both ways?",
    KEPT_MOVED,
    "D_seq",
)
about(STEP, *ALL, batch=1)(
    "decode.flops_of_a_sequence",
    "How many operations do scores, weighted sums, indexes and states of a decoded token take?",
    WITH_CONTEXT,
    "C_seq",
)
about(STEP, *ALL)("decode.bytes_of_weights", "How many bytes of weights does a decoding step load?", READ, "D_weights")
about(STEP, *ALL)(
    "decode.bytes_of_sequences",
    "How many bytes of caches does a decoding step load, and of states, both ways?",
    KEPT_MOVED,
)
about(STEP, *ALL)("decode.flops_of_weights", "How many operations do the matrices take in a decoding step?", MULTIPLIED)
about(PROMPT, *PROMPTED, batch=1)(
    "prefill.bytes_of_a_sequence",
    "How many bytes of caches does a prefill load for a sequence, and of states, both ways?",
    KEPT_MOVED,
    "D_prompt",
)
about(PROMPT, *PROMPTED, batch=1)(
    "prefill.flops_of_a_sequence",
    "How many operations do scores, weighted sums and states of a prompt take, for how many tokens?",
    WITH_CONTEXT / "context",
    "C_prompt",
)
about(PROMPT, *MODELS, "hybrid")(
    "prefill.bytes_of_weights", "How many bytes of weights does a prefill load?", READ, "D_weights_prompt"
)
about(STEP_OF_ALL, "experts", *SPARSE)(
    "decode.bytes_of_all_weights",
    "How many bytes of weights does a decoding step load whose tokens use every expert?",
    READ,
    "D_weights_all",
)
about(LOGITS, *MANY, "hybrid")(
    "prefill.flops_of_weights", "How many operations do the matrices take in a prefill?", MULTIPLIED
)
_KNOWN = ("schematic", "llama", "qwen3", "gpt2", "mixtral")  # all of whose work is known
about(STEP, *_KNOWN)("decode.flops", "How many operations does a decoding step take?", count("flops"), "C_step")
about(PROMPT, *_KNOWN)("prefill.flops", "How many operations does a prefill take?", count("flops"), "C_prefill")
about(STEP, *MODELS, batch=1)(
    "decode.flops_of_a_token", "How many operations does decoding one token take?", count("flops"), "C_token"
)
about(STEP, *ALL)(
    "decode.product_flops",
    "How many operations do the matrix products of a decoding step take?",
    count("flops", op="matmul"),
    "C_decode",
)
about(LOGITS, *MANY, "hybrid", "expanded", "picked expanded")(
    "prefill.product_flops",
    "How many operations do the matrix products of a prefill take, of which some positions get logits?",
    count("flops", op="matmul"),
    "C_prefill",
)
_EACH = WITH_CONTEXT / "context"  # operations of a sequence for each token of it
about(TOKEN_BY_TOKEN, *MANY, "expanded", batch=1)(
    "prefill.masked_flops_of_a_sequence",
    "How many operations more do scores and weighted sums take if a prompt is read at once, for how many tokens?",
    elsewhere(_EACH, run=PROMPT) - _EACH,
)
about(TOKEN_BY_TOKEN, *MANY, "expanded", batch=1)(
    "prefill.causal_flops_of_a_sequence",
    "How many operations do scores and weighted sums take if a prompt is decoded token by token, for how many tokens?",
    _EACH,
    "C_prompt",
)
about(STEP, "gpt2")(
    "decode.bias_flops",
    "How many operations does it take in a decoding step to add the biases of matrices?",
    count("flops", *MATRICES, op="add"),
)
