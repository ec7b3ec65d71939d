"""Sizes of a decoder with a wanted number of parameters, as LLaMA's family has them"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..errors import InvalidValue, shown
from ..presets.tables import model
from .computer import Shape

_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([KMB])", re.IGNORECASE)
_SCALES = {"K": 10**3, "M": 10**6, "B": 10**9}
_LEAST, _MOST = 2 * 10**6, 10**12
_WIDTHS = range(256, 16385, 256)
_HEAD, _GROUP = 64, 4  # numbers of a head, and heads that share a key
_WORDS, _FEW_WORDS = 32_000, 4096  # tokens of a vocabulary, and of one that leaves a small model something else
_SMALL = 10**8
_FLAT = 96  # numbers of the stream to a block: TinyLlama has 93, Llama 2 7B 128


def shape_of(size: str) -> Shape:
    """Sizes of a decoder with about so many parameters.

    Args:
        size: such as "1B" or "120M".

    Raises:
        InvalidValue: for other text, and for sizes that no such decoder has.
    """
    match = _SIZE.fullmatch(size.strip())
    wanted = float(match[1]) * _SCALES[match[2].upper()] if match else 0.0
    if not _LEAST <= wanted <= _MOST:
        raise InvalidValue(f"--synthetic must be a size from 2M to 1000B, as in 1B, but '{shown(size)}' was given.")
    return min(_candidates(wanted), key=lambda one: abs(one.d_model / one.n_blocks - _FLAT))


def _candidates(wanted: float) -> Iterator[Shape]:
    """Decoders of each width with as many blocks as come nearest to the wanted number."""
    for width in _WIDTHS:
        # a third of what a plain MLP has, four times as wide as the stream, for each of three matrices
        inside = -(-8 * width // 3 // 256) * 256
        words = _WORDS if wanted >= _SMALL else _FEW_WORDS
        heads = width // _HEAD
        one = Shape(1, width, heads, heads // _GROUP, _HEAD, inside, words)
        once, twice = (model(replace(one, n_blocks=n_blocks).config).parameters for n_blocks in (1, 2))
        blocks = 1 + round((wanted - once) / (twice - once))
        if blocks < 1:
            return
        yield replace(one, n_blocks=blocks)
