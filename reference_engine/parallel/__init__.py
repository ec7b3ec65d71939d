"""Several devices that work on one model: links between them, shared-out layers, stages, experts far apart"""

from .ring import Link, Ring
from .tensor import TensorParallel

__all__ = ["Link", "Ring", "TensorParallel"]
