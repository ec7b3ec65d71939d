"""The unpacking of packed numbers in LLVM assembly

For `compiled`. The operations are those of `Format.unpack`, on the same numbers in the same order, each rounded by
itself, so 32 numbers in a register have the bits of those that NumPy makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

from .formats import BFloat16, Blocks, Float, Format, SuperBlocks

WIDTH = 32  # numbers at a time
_FLOATS, _BYTES = "<32 x float>", "<32 x i8>"


class Words:
    """LLVM instructions in order, each of which makes one value; methods add some and return the names of values."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names = count()

    def __call__(self, instruction: str) -> str:
        """Add an instruction and return the name of its value."""
        name = f"%v{next(self._names)}"
        self._lines.append(f"  {name} = {instruction}")
        return name

    def taken(self) -> str:
        """Lines of the instructions added since the last call."""
        lines, self._lines = self._lines, []
        return "\n".join(lines)

    def place(self, at: str, start: int | str) -> str:
        """Pointer to so many bytes after another."""
        return self(f"getelementptr i8, ptr {at}, i64 {start}")

    def load(self, kind: str, at: str, start: int) -> str:
        """Value of type `kind` that is loaded so many bytes after a pointer."""
        # align 1: records have odd lengths, so fields begin anywhere
        return self(f"load {kind}, ptr {self.place(at, start)}, align 1")

    def half(self, at: str, start: int, size: int = WIDTH) -> str:
        """Vector of `size` equal floats, from one float of 16 bits so many bytes after a pointer."""
        one = self(f"fpext half {self.load('half', at, start)} to float")
        # converted once, then copied: the places of the copies are all 0
        return self.picked(self(f"insertelement <1 x float> poison, float {one}, i32 0"), 1, [0] * size)

    def picked(self, floats: str, size: int, places: list[int]) -> str:
        """Vector of the floats at these places of another vector."""
        listed = ", ".join(f"i32 {place}" for place in places)
        kind = f"<{size} x float>"
        return self(f"shufflevector {kind} {floats}, {kind} poison, <{len(places)} x i32> <{listed}>")

    def joined(self, first: str, second: str, size: int) -> str:
        """Vector of `size` bytes and as many others after them."""
        listed = ", ".join(f"i32 {place}" for place in range(2 * size))
        kind = f"<{size} x i8>"
        return self(f"shufflevector {kind} {first}, {kind} {second}, <{2 * size} x i32> <{listed}>")

    def nibbles(self, codes: str, size: int) -> tuple[str, str]:
        """The low halves of so many bytes, and the high ones."""
        kind = f"<{size} x i8>"
        return self(f"and {kind} {codes}, splat (i8 15)"), self(f"lshr {kind} {codes}, splat (i8 4)")

    def above(self, low: str, bits: str) -> str:
        """Codes with these low four bits and these bits above them."""
        return self(f"or {_BYTES} {low}, {self(f'shl {_BYTES} {bits}, splat (i8 4)')}")

    def scaled(self, codes: str, middle: int, scale: str) -> str:
        """Codes, which count from the middle, times a scale."""
        if middle:
            # in bytes, four times as many to a register as floats: no code is more than 63, so none overflows
            codes = self(f"sub {_BYTES} {codes}, splat (i8 {middle})")
        return self(f"fmul {_FLOATS} {self(f'sitofp {_BYTES} {codes} to {_FLOATS}')}, {scale}")


Unpacking = Callable[[Words, str], Iterator[str]]


def unpacking(format: Format) -> Unpacking | None:
    """Unpacking of a format, which yields names of a block's numbers, 32 at a time; None where there is none."""
    match format:
        case Float(16):
            return _halves
        case BFloat16():
            return _upper_halves
        case Blocks(bits=4 | 5 | 8, block=32, scale_bits=16):
            return partial(_block, format)
        case SuperBlocks(bits=4):
            return partial(_q4_k, format)
        case SuperBlocks(bits=6):
            return partial(_q6_k, format)
    return None


def _halves(words: Words, at: str) -> Iterator[str]:
    yield words(f"fpext <32 x half> {words.load('<32 x half>', at, 0)} to {_FLOATS}")


def _upper_halves(words: Words, at: str) -> Iterator[str]:
    wide = words(f"zext <32 x i16> {words.load('<32 x i16>', at, 0)} to <32 x i32>")
    # the upper half of a float, brought back to where it was
    yield words(f"bitcast <32 x i32> {words(f'shl <32 x i32> {wide}, splat (i32 16)')} to {_FLOATS}")


def _block(format: Blocks, words: Words, at: str) -> Iterator[str]:
    start = _starts(format)
    if format.bits == 8:
        codes = words.load(_BYTES, at, start["codes"])
    else:
        # byte j holds numbers j and j + 16: all low halves come before all high ones
        codes = words.joined(*words.nibbles(words.load("<16 x i8>", at, start["codes"]), 16), 16)
    if format.bits == 5:
        # 32 single bits, the first number's lowest: the order in which they lie in memory
        codes = words.above(codes, words(f"zext <32 x i1> {words.load('<32 x i1>', at, start['high'])} to {_BYTES}"))
    numbers = words.scaled(codes, format.middle, words.half(at, start["scale"]))
    yield words(f"fadd {_FLOATS} {numbers}, {words.half(at, start['minimum'])}") if format.minimum else numbers


def _q4_k(format: SuperBlocks, words: Words, at: str) -> Iterator[str]:
    start = _starts(format)
    # of eight scales the first four have six bits in their bytes; of the others four bits are elsewhere, and two above
    # the first
    first, second, third = (words.load("<4 x i8>", at, start["scales"] + row) for row in (0, 4, 8))
    factors = []
    for six, four, name in zip((first, second), words.nibbles(third, 4), ("d", "e"), strict=True):
        whole = words(f"and <4 x i8> {six}, splat (i8 63)")
        two = words(f"and <4 x i8> {words(f'lshr <4 x i8> {six}, splat (i8 2)')}, splat (i8 48)")
        eight = words.joined(whole, words(f"or <4 x i8> {four}, {two}"), 4)
        floats = words(f"uitofp <8 x i8> {eight} to <8 x float>")
        # d·s before it meets a code, as `SuperBlocks.unpack` does: in another order the last bit may be another
        factors.append(words(f"fmul <8 x float> {words.half(at, start[name], 8)}, {floats}"))
    for pair in range(4):
        codes = words.nibbles(words.load(_BYTES, at, start["codes"] + WIDTH * pair), WIDTH)
        for part, code in enumerate(codes, 2 * pair):
            scale, offset = (words.picked(factor, 8, [part] * WIDTH) for factor in factors)
            yield words(f"fsub {_FLOATS} {words.scaled(code, 0, scale)}, {offset}")


def _q6_k(format: SuperBlocks, words: Words, at: str) -> Iterator[str]:
    start = _starts(format)
    floats = words(f"sitofp <16 x i8> {words.load('<16 x i8>', at, start['scales'])} to <16 x float>")
    scales = words(f"fmul <16 x float> {words.half(at, start['d'], 16)}, {floats}")
    for side in range(2):
        low = [words.load(_BYTES, at, start["low"] + 2 * WIDTH * side + WIDTH * more) for more in range(2)]
        high = words.load(_BYTES, at, start["high"] + WIDTH * side)
        fours = zip(*(words.nibbles(one, WIDTH) for one in low), strict=True)
        for turn, four in enumerate(four for both in fours for four in both):
            two = words(f"and {_BYTES} {words(f'lshr {_BYTES} {high}, splat (i8 {2 * turn})')}, splat (i8 3)")
            # a scale is for 16 numbers, half a register
            part = 2 * (4 * side + turn)
            scale = words.picked(scales, 16, [part] * 16 + [part + 1] * 16)
            yield words.scaled(words.above(four, two), 32, scale)


def _starts(format: Format) -> dict[str, int]:
    """Byte offsets of the fields of a record, by name."""
    return {name: field[1] for name, field in (format.dtype.fields or {}).items()}
