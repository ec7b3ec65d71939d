"""Several devices"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SECOND, SEQUENCE, TOKEN, WEIGHT
from .letter import group

_letter = group(__doc__)

n_tensor = _letter(
    "n_tensor",
    ONE,
    "devices that share every layer: tensor parallel",
    latex="t",
    whole=True,
    aliases=("t", "tp", "tensor"),
    engine="devices",
)
n_reduces = _letter(
    "n_reduces", ONE, "all-reduces of a pass through the model", latex=r"n_{\text{reduce}}", whole=True, varies=True
)
D_reduce = _letter("D_reduce", BYTE, "bytes a device sends in the all-reduces of a decoding step, on average")
n_kv_device = _letter(
    "n_kv_device",
    ONE,
    "key/value heads of a block on the device that has the most of them",
    latex=r"n_{\text{heads}}^{\text{kv},t}",
    whole=True,
)
n_room = _letter("n_room", ONE, "key/value heads of a block that each device has room for", whole=True, engine="room")
P_device = _letter("P_device", WEIGHT, "weights that a token is multiplied with on a device, on average", varies=True)
P_read_device = _letter(
    "P_read_device", WEIGHT, "weights that a device reads in a decoding step to multiply them, on average", varies=True
)
C_device = _letter("C_device", FLOP, "operations of a device in a prefill, on average")
m_device = _letter("m_device", BYTE / TOKEN, "bytes one token holds in a device's KV cache, on average", varies=True)
M_seq_device = _letter(
    "M_seq_device",
    BYTE / SEQUENCE,
    "bytes of a sequence on a device: its part of cache and states, on average",
    varies=True,
)
D_seq_device = _letter(
    "D_seq_device",
    BYTE / SEQUENCE,
    "bytes of a sequence that a device moves in a decoding step, on average",
    varies=True,
)
C_seq_device = _letter(
    "C_seq_device", FLOP / TOKEN, "operations of a new token with what a device keeps, on average", varies=True
)
D_prompt_device = _letter(
    "D_prompt_device", BYTE / SEQUENCE, "bytes of a sequence that a device moves in a prefill, on average", varies=True
)
C_prompt_device = _letter(
    "C_prompt_device",
    FLOP / TOKEN,
    "operations per device of a prompt's token with the other tokens, on average",
    varies=True,
)
P_held = _letter("P_held", WEIGHT, "weights that a device holds, on average", varies=True)
M_device = _letter("M_device", BYTE, "bytes that a device holds, on average")
B_devices = _letter("B_devices", SEQUENCE, "sequences that fit on several devices", whole=True, aliases=("B",))
P_more = _letter(
    "P_more", WEIGHT, "extra weights that a device reads if it attends for its own sequences, on average", varies=True
)
B_own = _letter("B_own", SEQUENCE, "batch beyond which attention by sequences reads less")
W_link = _letter(
    "W_link",
    BYTE / SECOND,
    "bandwidth of the link from one device to the next that shares the model: as a rule inside a node",
    engine="link_bandwidth",
)
T_link = _letter("T_link", SECOND, "latency of a link: before a message's first byte", engine="link_latency")
T_reduce = _letter("T_reduce", SECOND, "time of the all-reduces of a decoding step")
T_alone = _letter("T_alone", SECOND, "time of the same step on one device", engine="work")
n_fastest = _letter(
    "n_fastest", ONE, "devices beyond which a token gets slower", latex=r"t_{\text{fastest}}", whole=True
)
n_stages = _letter(
    "n_stages",
    ONE,
    "stages that share the blocks: pipeline parallel",
    latex="p",
    whole=True,
    aliases=("p", "pp", "pipeline"),
    engine="stages",
)
n_micro = _letter("n_micro", ONE, "micro-batches sent through", whole=True, engine="micro")
T_stage = _letter("T_stage", SECOND, "time that a stage takes for a micro-batch", engine="stage_time")
T_hop = _letter("T_hop", SECOND, "time in which a micro-batch comes to the next stage", engine="hop_time")
x_bubble = _letter("x_bubble", ONE, "share of the time in which a stage waits", share=True)
T_pipeline = _letter("T_pipeline", SECOND, "time until the last micro-batch is through")
n_expert_devices = _letter(
    "n_expert_devices",
    ONE,
    "devices that share the experts: expert parallel",
    latex=r"t_{\text{experts}}",
    whole=True,
    aliases=("ep",),
    engine="expert_devices",
)
D_exchange = _letter("D_exchange", BYTE, "bytes a device sends to experts and back in a step, on average")
