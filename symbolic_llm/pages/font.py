"""The mathematics font: a subset of STIX Two Math (SIL Open Font License), made at build"""

from __future__ import annotations

import inspect
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import unescape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from .kept_pieces import made, version

_MATHEMATICS = re.compile(r"<math.*?</math>", re.DOTALL)
_LETTERS = [*range(0x1D434, 0x1D468), 0x210E]  # the italics of single letters
_ROOT = 0x221A  # drawn for <msqrt>, though no text of a page has it
_ALWAYS = frozenset({*_LETTERS, _ROOT, *range(0x20, 0x7F)})


def characters(pages: Iterable[str]) -> frozenset[int]:
    """Code points of the characters in the mathematics of some pages."""
    shown = {unescape(re.sub(r"<[^>]*>", "", one)) for page in pages for one in _MATHEMATICS.findall(page)}
    return frozenset(map(ord, set("".join(shown))))


def stix_subset(wanted: frozenset[int]) -> bytes:
    """The glyphs of some characters, with the MATH table that lets brackets and fractions stretch, as woff2."""
    package = find_spec("ziamath")  # found, not imported: only its font is wanted
    if package is None or package.origin is None:
        raise FileNotFoundError("ziamath, which carries the font, is not installed")
    whole = (Path(package.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf").read_bytes()
    glyphs = sorted(_ALWAYS | wanted)
    of = (repr(glyphs), inspect.getsource(sys.modules[__name__]), version("fonttools"), version("brotli"))
    digest = sha256(whole).hexdigest()
    return b64decode(made(lambda: b64encode(_subset(whole, glyphs)).decode(), digest, *of, sources="font"))


def _subset(whole: bytes, glyphs: list[int]) -> bytes:
    from fontTools import subset  # slow to import, and needed only once
    from fontTools.ttLib import TTFont

    font = TTFont(BytesIO(whole), recalcTimestamp=False)
    options = subset.Options(layout_features=["*"], notdef_outline=True, hinting=False, name_IDs=[0, 1, 2, 13, 14])
    picker = subset.Subsetter(options)
    picker.populate(unicodes=glyphs)
    picker.subset(font)
    font.flavor = "woff2"
    made = BytesIO()
    font.save(made)
    return made.getvalue()
