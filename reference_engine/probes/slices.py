"""Questions about the weights that a device multiplies and reads where several share every layer"""

from __future__ import annotations

from .devices import EVEN, EXPERTS, HEADS, STEP, OfEach, of_devices
from .selecting import MATRICES, count

READ = count("loaded", *MATRICES, each=4)
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
    "weights_read",
    "How many weights does a device load in a decoding step to multiply them, in the mean over all devices?",
    STEP,
    OfEach(READ),
    "P_read_device",
    subjects=(*EVEN, *EXPERTS, "split latent experts"),
    n_bytes_act=4,
)
