"""Several devices"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SECOND, SEQUENCE, TOKEN, WEIGHT
from .letter import group

_letter = group(__doc__)

n_tensor = _letter(
    "n_tensor",
    "t",
    ONE,
    "devices that share every layer: tensor parallel",
    whole=True,
    aliases=("t", "tp", "tensor"),
    engine="devices",
)
n_reduces = _letter(
    "n_reduces", r"n_{\text{reduce}}", ONE, "all-reduces of a pass through the model", whole=True, varies=True
)
D_reduce = _letter(
    "D_reduce", r"D_{\text{reduce}}", BYTE, "bytes a device sends in the all-reduces of a decoding step, on average"
)
n_kv_device = _letter(
    "n_kv_device",
    r"n_{\text{heads}}^{\text{kv},t}",
    ONE,
    "key/value heads of a block on the device that has the most of them",
    whole=True,
)
n_room = _letter(
    "n_room",
    r"n_{\text{room}}",
    ONE,
    "key/value heads of a block that each device has room for",
    whole=True,
    engine="room",
)
P_device = _letter(
    "P_device",
    r"P_{\text{device}}",
    WEIGHT,
    "weights that a token is multiplied with on a device, on average",
    varies=True,
)
P_read_device = _letter(
    "P_read_device",
    r"P_{\text{read}}^{\text{device}}",
    WEIGHT,
    "weights that a device reads in a decoding step to multiply them, on average",
    varies=True,
)
C_device = _letter("C_device", r"C_{\text{device}}", FLOP, "operations of a device in a prefill, on average")
m_device = _letter(
    "m_device",
    r"m_{\text{device}}",
    BYTE / TOKEN,
    "bytes one token holds in a device's KV cache, on average",
    varies=True,
)
M_seq_device = _letter(
    "M_seq_device",
    r"M_{\text{seq}}^{\text{device}}",
    BYTE / SEQUENCE,
    "bytes of a sequence on a device: its part of cache and states, on average",
    varies=True,
)
D_seq_device = _letter(
    "D_seq_device",
    r"D_{\text{seq}}^{\text{device}}",
    BYTE / SEQUENCE,
    "bytes of a sequence that a device moves in a decoding step, on average",
    varies=True,
)
C_seq_device = _letter(
    "C_seq_device",
    r"C_{\text{seq}}^{\text{device}}",
    FLOP / TOKEN,
    "operations of a new token with what a device keeps, on average",
    varies=True,
)
D_prompt_device = _letter(
    "D_prompt_device",
    r"D_{\text{prompt}}^{\text{device}}",
    BYTE / SEQUENCE,
    "bytes of a sequence that a device moves in a prefill, on average",
    varies=True,
)
C_prompt_device = _letter(
    "C_prompt_device",
    r"C_{\text{prompt}}^{\text{device}}",
    FLOP / TOKEN,
    "operations per device of a prompt's token with the other tokens, on average",
    varies=True,
)
P_held = _letter("P_held", r"P_{\text{held}}", WEIGHT, "weights that a device holds, on average", varies=True)
M_device = _letter("M_device", r"M_{\text{device}}", BYTE, "bytes that a device holds, on average")
B_devices = _letter(
    "B_devices", r"B_{\text{devices}}", SEQUENCE, "sequences that fit on several devices", whole=True, aliases=("B",)
)
P_more = _letter(
    "P_more",
    r"P_{\text{more}}",
    WEIGHT,
    "extra weights that a device reads if it attends for its own sequences, on average",
    varies=True,
)
B_own = _letter("B_own", r"B_{\text{own}}", SEQUENCE, "batch beyond which attention by sequences reads less")
W_link = _letter(
    "W_link",
    r"W_{\text{link}}",
    BYTE / SECOND,
    "bandwidth of the link from one device to the next that shares the model: as a rule inside a node",
    engine="link_bandwidth",
)
T_link = _letter(
    "T_link", r"T_{\text{link}}", SECOND, "latency of a link: before a message's first byte", engine="link_latency"
)
T_reduce = _letter("T_reduce", r"T_{\text{reduce}}", SECOND, "time of the all-reduces of a decoding step")
T_alone = _letter("T_alone", r"T_{\text{alone}}", SECOND, "time of the same step on one device", engine="work")
n_fastest = _letter("n_fastest", r"t_{\text{fastest}}", ONE, "devices beyond which a token gets slower", whole=True)
n_stages = _letter(
    "n_stages",
    "p",
    ONE,
    "stages that share the blocks: pipeline parallel",
    whole=True,
    aliases=("p", "pp", "pipeline"),
    engine="stages",
)
n_micro = _letter("n_micro", r"n_{\text{micro}}", ONE, "micro-batches sent through", whole=True, engine="micro")
T_stage = _letter(
    "T_stage", r"T_{\text{stage}}", SECOND, "time that a stage takes for a micro-batch", engine="stage_time"
)
T_hop = _letter(
    "T_hop", r"T_{\text{hop}}", SECOND, "time in which a micro-batch comes to the next stage", engine="hop_time"
)
x_bubble = _letter("x_bubble", r"x_{\text{bubble}}", ONE, "share of the time in which a stage waits", share=True)
T_pipeline = _letter("T_pipeline", r"T_{\text{pipeline}}", SECOND, "time until the last micro-batch is through")
n_expert_devices = _letter(
    "n_expert_devices",
    r"t_{\text{experts}}",
    ONE,
    "devices that share the experts: expert parallel",
    whole=True,
    aliases=("ep",),
    engine="expert_devices",
)
D_exchange = _letter(
    "D_exchange", r"D_{\text{exchange}}", BYTE, "bytes a device sends to experts and back in a step, on average"
)
