"""Models from their own files: `Model.from_config` reads a Hugging Face config.json"""

from .model import Model
from .part import Part

__all__ = ["Model", "Part"]
