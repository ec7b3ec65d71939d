"""Models, hardware and number formats as cited data

`model("llama-7b")`, `hardware("a100-80gb-pcie")` and `storage("q4_0")` give the letters a preset has values for,
each value with the key of the source that prints it. Where sources disagree, `hardware("t4@techpowerup")` gives the
device as that source has it. A machine of one's own is `hardware("my.toml")`, or `of_letters(M="24 GB", W="1 TB/s")`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .presets import NAMES, NONE, Presets, arithmetic_in, stands_in

if TYPE_CHECKING:
    from .device import Device, Figure
    from .devices import HardwareSource, hardware, of_letters
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
    "arithmetic_in",
    "computing",
    "hardware",
    "model",
    "names",
    "of_letters",
    "source",
    "stands_in",
    "storage",
    "way",
]


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is asked for, so that a command line is parsed without the tables."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    homes = {"device": ("Device", "Figure"), "devices": ("HardwareSource", "hardware", "of_letters")}
    home = next((home for home, names in homes.items() if name in names), "tables")
    return getattr(import_module(f".{home}", __name__), name)
