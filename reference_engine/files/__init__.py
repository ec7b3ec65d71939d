"""Models in files: directories as model hubs keep them, and GGUF files as llama.cpp reads them"""

from .loading import load
from .tensors import ModelFileError

__all__ = ["ModelFileError", "load"]
