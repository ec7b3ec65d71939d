"""LFM2, which is refused: most of its blocks are short convolutions"""

from __future__ import annotations

from ..family import Refused

_WHY = "most of its blocks are short convolutions that keep a few inputs of a sequence, which no formula counts"

FAMILIES = (Refused("lfm2", _WHY), Refused("lfm2_moe", _WHY))
