"""Models, hardware and number formats as cited data

`model("llama-7b")`, `hardware("a100-80gb-pcie")` and `storage("q4_0")` give the letters a preset has values for,
each value with the key of the source that prints it. Where sources disagree, `hardware("t4@techpowerup")` gives the
device as that source has it. A machine of one's own is `hardware("my.toml")`, or `of_letters(M="24 GB", W="1 TB/s")`.
"""

from .chosen import NAMES, NONE, Presets
from .devices import Device, Figure, HardwareSource, hardware, of_letters
from .tables import ModelSource, Source, arithmetic, computing, model, names, source, storage, way

__all__ = [
    "NAMES",
    "NONE",
    "Device",
    "Figure",
    "HardwareSource",
    "ModelSource",
    "Presets",
    "Source",
    "arithmetic",
    "computing",
    "hardware",
    "model",
    "names",
    "of_letters",
    "source",
    "storage",
    "way",
]
