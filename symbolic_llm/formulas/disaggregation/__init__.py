"""Prefill and decode apart

A prefill is limited by arithmetic, a decoding step by reading. Devices that do only one of the two keep long prompts
from holding up the next tokens of others; how many of each kind a workload takes follows from their throughputs. In
device time it is no gain: a device that does both in one pass computes with the prompt while it reads for the step.
"""

ORDER = (
    "prefill_throughput",
    "devices_apart",
    "handover_time",
    "hidden_transfer",
    "mixing_takes_no_longer",
    "prompt_beside_a_step",
)
