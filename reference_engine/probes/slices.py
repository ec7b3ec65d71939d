"""Questions about the weights that a device multiplies and reads where several share every layer"""

from __future__ import annotations

from .devices import EVEN, EXPERTS, HEADS, LATENT, STEP, TOKEN, OfEach, of_devices
from .selecting import MATRICES, count

READ = count("loaded", *MATRICES, each=4)
_KEYS_AND_VALUES = tuple(f"blocks.*.attention.{name}" for name in ("key", "value"))
of_devices(
    "key_value_weights",
    "How many weights does a device load to make keys and values, in the mean over all devices?",
    STEP,
    OfEach(count("loaded", *_KEYS_AND_VALUES, each=4)),
    "P_kv_device",
    subjects=HEADS,
    batch=1,
    context=1,
    n_bytes_act=4,
)
of_devices(
    "key_value_weights_together",
    "How many weights do all devices load to make keys and values?",
    STEP,
    count("loaded", *_KEYS_AND_VALUES, each=4),
    subjects=HEADS,
    batch=1,
    context=1,
    n_bytes_act=4,
)
of_devices(
    "weights_multiplied",
    "How many weights does a device load to multiply them, in the mean over all devices?",
    STEP,
    OfEach(READ),
    "P_device",
    subjects=HEADS,
    batch=1,
    context=1,
    n_bytes_act=4,
)
of_devices(
    "weights_multiplied_by_a_token",
    "How many multiplications by a weight does a device do for a token, each with an addition, in the mean over all?",
    TOKEN,
    OfEach(count("flops", *MATRICES, op="matmul", each=2)),
    "P_device",
    subjects=("split experts", *LATENT),
)
of_devices(
    "weights_read",
    "How many weights does a device load in a decoding step to multiply them, in the mean over all devices?",
    STEP,
    OfEach(READ),
    "P_read_device",
    subjects=(*EVEN, *EXPERTS, "split latent experts"),
    n_bytes_act=4,
)
