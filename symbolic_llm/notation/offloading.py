"""A second memory"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SECOND, WEIGHT
from .letter import group

_letter = group(__doc__)

W_host = _letter(
    "W_host",
    BYTE / SECOND,
    "bandwidth of the second memory, as of a host's main memory, for what computes beside it",
    engine="host_bandwidth",
)
F_host = _letter(
    "F_host", FLOP / SECOND, "peak arithmetic of what computes beside the second memory", engine="host_flops"
)
W_stream = _letter(
    "W_stream",
    BYTE / SECOND,
    "bandwidth at which the machine is brought what lies in the second memory: often that of PCIe",
    engine="stream",
)
n_movable = _letter(
    "n_movable",
    ONE,
    "layers that can lie in the second memory: blocks with experts if there are some, or else all",
    whole=True,
    varies=True,
)
n_near = _letter("n_near", ONE, "layers that have room in the machine's own memory", whole=True)
n_far = _letter(
    "n_far",
    ONE,
    "layers in the second memory: the experts of a block that has some, or else all its matrices",
    whole=True,
    aliases=("n_cpu_moe",),
    engine="far",
)
M_layer = _letter("M_layer", BYTE, "bytes of a layer's weights that can lie in the second memory", varies=True)
D_layer = _letter(
    "D_layer",
    BYTE,
    "bytes that a decoding step reads of a layer's weights that can lie in the second memory",
    varies=True,
)
P_layer = _letter(
    "P_layer",
    WEIGHT,
    "weights of a layer that can lie in the second memory, those that a token is multiplied with",
    varies=True,
)
