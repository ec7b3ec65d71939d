"""Every letter, once, in groups

The order of the groups, and of the declarations in each, is the order in which factors are written, so that
`n_bytes·F/(2·W)` prints as its authors wrote it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

# isort: off
from .model import *
from .storage import *
from .work import *
from .memory import *
from .state import *
from .index import *
from .compression import *
from .operations import *
from .products import *
from .chunks import *
from .head import *
from .machine import *
from .time import *
from .serving import *
from .money import *
from .speculation import *
from .disaggregation import *
from .load import *
from .precision import *
from .tiles import *
from .routing import *
from .devices import *
from .offloading import *

# isort: on
from .letter import LETTERS as LETTERS
from .letter import Letter as Letter
from .letter import called as called
from .letter import named as named

for _module in iter_modules(__path__):  # letters of what is not part of this package come last
    import_module(f"{__name__}.{_module.name}")

_OF_SEQUENCES = (*OF_ALL, M_seq_device, D_seq_device, C_seq_device, D_prompt_device, C_prompt_device)
# Sums over the parts of a decoder, and over what a device has of them
SUMS = (*_OF_SEQUENCES, D_weights_mixed, D_weights_chunk, D_chunk, C_chunk, D_chunk_device, C_chunk_device)
# Letters whose formula a model picks by its traits: sums, what they are made of, and laws that solve them
BY_TRAITS = (
    *_OF_SEQUENCES,
    *(P_read, P_prompt, P_all, m_token, m_local, m_latent, m_index, m_state, m_waiting, m_device, N_picked),
    *(a, a_prompt, a_index, a_picked, C_state, D_generation, N_fit, N_critical, B_star_cache),
    *(T_decode, T_output, T_generation, T_mixed, T_mixed_parts, T_chunk),
)
GROUPS = tuple(dict.fromkeys(known.group for known in LETTERS.values()))  # by their titles
