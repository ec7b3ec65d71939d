"""Several devices that work on one model: links between them, shared-out layers, stages, experts far apart"""

from .data import DataParallelAttention
from .ring import Link, Ring
from .tensor import TensorParallel

__all__ = ["DataParallelAttention", "Link", "Ring", "TensorParallel"]
