"""The formulas of the table of choices that are about several devices"""

from __future__ import annotations

from ..formula import Formula
from ..formulas.devices.attention_weights_not_shared import FORMULA as attention_weights_not_shared
from ..formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from ..formulas.devices.expert_weights_held_per_device import FORMULA as expert_weights_held_per_device
from ..formulas.devices.expert_weights_per_device import FORMULA as expert_weights_per_device
from ..formulas.devices.latent_attention_weights_not_shared import FORMULA as latent_attention_weights_not_shared
from ..formulas.devices.latent_cache_bytes_per_device import FORMULA as latent_cache_bytes_per_device
from ..formulas.devices.latent_weights_per_device import FORMULA as latent_weights_per_device
from ..formulas.devices.weights_held_per_device import FORMULA as weights_held_per_device
from ..formulas.devices.weights_per_device import FORMULA as weights_per_device

ON_DEVICES: tuple[Formula, ...] = (
    cache_bytes_per_device,
    latent_cache_bytes_per_device,
    weights_per_device,
    expert_weights_per_device,
    latent_weights_per_device,
    weights_held_per_device,
    expert_weights_held_per_device,
    attention_weights_not_shared,
    latent_attention_weights_not_shared,
)
