"""Questions about prompts that several devices take in together"""

from __future__ import annotations

from .devices import EVEN, FIRST_PROMPT, HEADS, PROMPT, WINDOWED, OfEach, Shared, Waiting, of_devices
from .selecting import BOTH, CACHE, KV, PASS_WITH_CACHE, PRODUCTS, count
from .times import Time

_PROMPTED = (*HEADS, "split expanded", "split windowed", "split mixed")
_TIMED = (*EVEN, "split experts", "split expanded", *WINDOWED)  # as a prompt is read of latent vectors

of_devices(
    "prefill_flops",
    "How many operations do the matrix products of a prefill take on a device, in the mean over all devices?",
    PROMPT,
    OfEach(count("flops", op="matmul")),
    "C_device",
    subjects=_PROMPTED,
    n_bytes_act=4,
)
of_devices(
    "prompt_context_flops",
    "How many operations does a token of a prompt take on a device, beyond those with weights, in the mean over all?",
    PROMPT,
    OfEach(count("flops", *PRODUCTS), "context"),
    "C_prompt_device",
    subjects=_PROMPTED,
    batch=1,
    n_bytes_act=4,
)
of_devices(
    "prompt_bytes_read",
    "How many bytes of caches does a device load in a prefill of one sequence, in the mean over all devices?",
    PROMPT,
    OfEach(count("loaded", *CACHE)),
    "D_prompt_device",
    subjects=_PROMPTED,
    widths=KV,
    batch=1,
    n_bytes_act=4,
)
of_devices(
    "time_of_all_reduces_in_a_prefill",
    "How long does a device wait for the all-reduces of a prefill?",
    PROMPT,
    Waiting(prompt=True),
)
of_devices(
    "prefill_compute_time",
    "How many operations do matrices and products of attention take on a device in a prefill, at how many a second?",
    PROMPT,
    OfEach(PASS_WITH_CACHE.work, "flops"),
    subjects=_TIMED,
)
of_devices(
    "prefill_share_time",
    "How long does a prefill take on the first device, all-reduces left out?",
    FIRST_PROMPT,
    Time(PASS_WITH_CACHE),
    subjects=_TIMED,
    widths=BOTH,
)
of_devices(
    "prefill_time",
    "How long does a prefill take on several devices, all-reduces included?",
    PROMPT,
    Shared(PASS_WITH_CACHE, prompt=True),
    "T_prefill",
    subjects=_TIMED,
    widths=BOTH,
)
