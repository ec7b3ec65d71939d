"""Every letter, once, in groups

The order of the groups, and of the declarations in each, is the order in which factors are written, so that
`n_bytes·F/(2·W)` prints as its authors wrote it.
"""

from __future__ import annotations

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
from .apart import *
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

# Sums over the parts of a decoder, and over what a device has of them
SUMS = (
    *(*OF_ALL, M_seq_device, D_seq_device, C_seq_device, D_prompt_device, C_prompt_device),
    *(D_weights_mixed, D_weights_chunk, D_chunk, C_chunk, D_chunk_device, C_chunk_device),
)
GROUPS = tuple(dict.fromkeys(known.group for known in LETTERS.values()))  # by their titles
