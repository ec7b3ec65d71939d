"""MiMo-V2, which is refused: its values are narrower than its keys"""

from __future__ import annotations

from ..family import Refused

_WHY = "its values are narrower than its keys, and formulas for heads know one width of both"

FAMILIES = (Refused("mimo_v2", _WHY), Refused("mimo_v2_flash", _WHY))
