"""Several devices"""

from __future__ import annotations

from ..units import BYTE, ONE, SECOND, TOKEN, WEIGHT
from .letter import declare as letter

n_tensor = letter(
    "n_tensor",
    "t",
    ONE,
    "devices that share every layer: tensor parallel",
    whole=True,
    aliases=("t", "tp", "tensor"),
    engine="devices",
)
D_reduce = letter(
    "D_reduce", r"D_{\text{reduce}}", BYTE, "bytes a device sends in the all-reduces of a decoding step, in the mean"
)
n_kv_device = letter(
    "n_kv_device",
    r"n_{\text{heads}}^{\text{kv},t}",
    ONE,
    "key/value heads of a block on the device that has the most of them",
    whole=True,
    engine="room",
)
P_device = letter(
    "P_device", r"P_{\text{device}}", WEIGHT, "weights that a token is multiplied with on a device, in the mean"
)
m_device = letter(
    "m_device",
    r"m_{\text{device}}",
    BYTE / TOKEN,
    "bytes one token holds in a device's KV cache, in the mean",
    varies=True,
)
W_link = letter(
    "W_link",
    r"W_{\text{link}}",
    BYTE / SECOND,
    "bandwidth of the link from one device to the next",
    engine="link_bandwidth",
)
T_link = letter(
    "T_link", r"T_{\text{link}}", SECOND, "latency of a link: before a message's first byte", engine="link_latency"
)
T_reduce = letter("T_reduce", r"T_{\text{reduce}}", SECOND, "time of the all-reduces of a decoding step")
