"""The mathematics font: a subset of STIX Two Math (SIL Open Font License), made at build"""

from __future__ import annotations

import inspect
import sys
from base64 import b64decode, b64encode
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from ..render.made import made

_RANGES = ("0020-007E", "00A0-00FF", "0370-03FF", "2010-2044", "2061-2064", "2070-209F", "2190-21FF", "2200-22FF",
           "2308-230B", "27E8-27FF", "1D434-1D467", "1D6A4-1D6DB")  # fmt: skip


@lru_cache(maxsize=1)
def stix_subset() -> bytes:
    """The glyphs that formulas need, with the MATH table that lets brackets and fractions stretch, as woff2."""
    package = find_spec("ziamath")  # found, not imported: only its font is wanted
    if package is None or package.origin is None:
        raise FileNotFoundError("ziamath, which carries the font, is not installed")
    whole = (Path(package.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf").read_bytes()
    of = (inspect.getsource(sys.modules[__name__]), version("fonttools"), version("brotli"))
    return b64decode(made(lambda: b64encode(_subset(whole)).decode(), sha256(whole).hexdigest(), *of))


def _subset(whole: bytes) -> bytes:
    from fontTools import subset  # slow to import, and needed only once
    from fontTools.ttLib import TTFont

    font = TTFont(BytesIO(whole), recalcTimestamp=False)
    options = subset.Options(layout_features=["*"], notdef_outline=True, name_IDs=[0, 1, 2, 13, 14])
    picker = subset.Subsetter(options)
    picker.populate(
        unicodes=[u for r in _RANGES for u in range(int(r[: r.index("-")], 16), int(r[r.index("-") + 1 :], 16) + 1)]
    )
    picker.subset(font)
    font.flavor = "woff2"
    made = BytesIO()
    font.save(made)
    return made.getvalue()
