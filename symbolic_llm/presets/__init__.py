"""Models, hardware and number formats as cited data

`model("llama-7b")`, `hardware("a100-80gb-pcie")` and `storage("q4_0")` give the letters a preset has values for,
each value with the key of the source that prints it. Where sources disagree, `hardware("t4@techpowerup")` gives the
device as that source has it.
"""

from .chosen import NAMES, NONE, Presets
from .tables import Device, Figure, ModelSource, Source, arithmetic, hardware, model, names, source, storage

__all__ = [
    "NAMES",
    "NONE",
    "Device",
    "Figure",
    "ModelSource",
    "Presets",
    "Source",
    "arithmetic",
    "hardware",
    "model",
    "names",
    "source",
    "storage",
]
