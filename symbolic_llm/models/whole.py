"""What no split shares out: of each formula for a part, the one that counts what every device has of it whole"""

from __future__ import annotations

from ..formula import Formula
from ..formulas.experts.router_parameters import FORMULA as router_parameters
from ..formulas.experts.shared_gate_parameters import FORMULA as shared_gate_parameters
from ..formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from ..formulas.latent_attention.latent_down_parameters import FORMULA as latent_down_parameters
from ..formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from ..formulas.latent_attention.query_down_parameters import FORMULA as query_down_parameters

WHOLE: dict[Formula, Formula] = {
    router_parameters: router_parameters,
    shared_gate_parameters: shared_gate_parameters,
    latent_key_value_parameters: latent_down_parameters,
    compressed_query_parameters: query_down_parameters,
}
