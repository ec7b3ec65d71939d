"""A transformer that computes and counts

A GPT-style decoder in NumPy, with packed int4 weights and a KV cache, whose every operation and every byte between
off-chip and on-chip memory is entered in a ledger. It is the second witness: it knows nothing of SymPy or of the
formulas.

    >>> from reference_engine import Config, Decoder
    >>> decoder = Decoder(Config(n_blocks=2, n_heads=2, d_head=16, n_vocab=64), seed=0)
    >>> logits = decoder.prefill([[1, 2, 3]])
    >>> logits.shape
    (1, 3, 64)
    >>> decoder.ledger.total("flops", "output")
    12288
"""

from time import time_ns

BEGAN = time_ns()  # a source that changed later may be other than what was imported

from .config import Config  # noqa: E402
from .files import ModelFileError, load  # noqa: E402
from .formats import BFloat16, Blocks, Float, Format, SuperBlocks  # noqa: E402
from .ledger import Ledger, UnknownOp  # noqa: E402
from .memory import Machine, OffChip, OutOfMemory  # noqa: E402
from .model import ContextFull, Decoder  # noqa: E402

__all__ = [
    "BFloat16",
    "Blocks",
    "Config",
    "ContextFull",
    "Decoder",
    "Float",
    "Format",
    "Ledger",
    "Machine",
    "ModelFileError",
    "OffChip",
    "OutOfMemory",
    "SuperBlocks",
    "UnknownOp",
    "load",
]
