"""The unpacking of packed numbers in LLVM assembly

For `compiled`. The operations are those of `Format.unpack`, on the same numbers in the same order, each rounded by
itself, so 32 numbers in a register have the bits of those that NumPy makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import count
from typing import NamedTuple

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

    def prefetch(self, at: str, start: int) -> None:
        """Have the memory so many bytes after a pointer brought near; beyond what there is, nothing happens."""
        # to read, and into the second cache: the first has room for few lines that are on their way
        self._lines.append(f"  call void @llvm.prefetch.p0(ptr {self.place(at, start)}, i32 0, i32 2, i32 1)")

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

    def store(self, kind: str, value: str, at: str, start: int) -> None:
        """Store a value of type `kind` so many bytes after a pointer."""
        self._lines.append(f"  store {kind} {value}, ptr {self.place(at, start)}, align 1")

    def halves(self, at: str, starts: Sequence[int]) -> str:
        """Vector of floats, from floats of 16 bits so many bytes after a pointer each."""
        found, size = "poison", len(starts)
        for place, start in enumerate(starts):
            half = self.load("half", at, start)
            found = self(f"insertelement <{size} x half> {found}, half {half}, i32 {place}")
        return self(f"fpext <{size} x half> {found} to <{size} x float>")

    def spread(self, one: str, size: int, kind: str = "float") -> str:
        """Vector of `size` equal floats, or numbers of another kind."""
        return self.picked(self(f"insertelement <1 x {kind}> poison, {kind} {one}, i32 0"), 1, [0] * size, kind)

    def picked(self, vector: str, size: int, places: list[int], kind: str = "float") -> str:
        """Vector of what is at these places of another vector, of `size` floats or numbers of another kind."""
        listed, whole = ", ".join(f"i32 {place}" for place in places), f"<{size} x {kind}>"
        return self(f"shufflevector {whole} {vector}, {whole} poison, <{len(places)} x i32> <{listed}>")

    def joined(self, first: str, second: str, size: int) -> str:
        """Vector of `size` bytes and as many others after them."""
        listed = ", ".join(f"i32 {place}" for place in range(2 * size))
        kind = f"<{size} x i8>"
        return self(f"shufflevector {kind} {first}, {kind} {second}, <{2 * size} x i32> <{listed}>")

    def nibbles(self, codes: str, size: int) -> tuple[str, str]:
        """The low halves of so many bytes, and the high ones."""
        kind = f"<{size} x i8>"
        return self(f"and {kind} {codes}, splat (i8 15)"), self(f"lshr {kind} {codes}, splat (i8 4)")

    def unfolded(self, codes: str) -> str:
        """The low halves of 16 bytes, and the high ones after them."""
        # shifted in groups of four bytes, in two operations where `nibbles` and `joined` take three: what comes from a
        # neighbour is cut off
        twice = self(f"bitcast {_BYTES} {self.joined(codes, codes, 16)} to <8 x i32>")
        by = ", ".join(f"i32 {4 * (place > 3)}" for place in range(8))
        shifted = self(f"lshr <8 x i32> {twice}, <{by}>")
        return self(f"and {_BYTES} {self(f'bitcast <8 x i32> {shifted} to {_BYTES}')}, splat (i8 15)")

    def above(self, low: str, bits: str) -> str:
        """Codes with these low four bits and these bits above them."""
        return self(f"or {_BYTES} {low}, {self(f'shl {_BYTES} {bits}, splat (i8 4)')}")


class Group(NamedTuple):
    """Names of numbers in codes, 32 to a part: each is (code − middle)·scale, or code·scale + minimum.

    Attributes:
        codes: unsigned bytes of each part.
        scales: floats of all parts, as many for each.
        size: how many scales there are.
        each: how many a part has.
        middle: the code that stands for zero; no code is so far from it that a signed byte could not hold it.
        minima: floats as the scales are; with minima the middle is 0.
    """

    codes: Iterator[str]
    scales: str
    size: int
    each: int = 1
    middle: int = 0
    minima: str = ""

    def of_part(self, words: Words, floats: str, part: int, lanes: int) -> str:
        """Vector of a part's floats, of those that all parts have: as many as it takes for so many lanes."""
        first = part * self.each
        return words.picked(floats, self.size, [first + lane * self.each // lanes for lane in range(lanes)])


Floats = Callable[[Words, str], Iterator[str]]
Codes = Callable[[Words, str, int], Group]


@cache
def unpacking(format: Format) -> Floats | None:
    """Unpacking of a format, which yields names of a block's numbers, 32 at a time; None where there is none."""
    match format:
        case Float(16):
            return _halves
        case BFloat16():
            return _upper_halves
    parts = coded(format)
    return partial(_numbers, parts) if parts else None


@cache
def coded(format: Format) -> Codes | None:
    """Codes and scales of so many blocks of a format, one after the other; None where numbers have no codes."""
    match format:
        case Blocks(bits=4 | 5 | 8, block=32, scale_bits=16):
            return partial(_blocks, format)
        case SuperBlocks(bits=4):
            return partial(_q4_k, format)
        case SuperBlocks(bits=6):
            return partial(_q6_k, format)
    return None


def middle_of(format: Format) -> int:
    """The code, as an unsigned byte, that stands for zero in a format's parts; 0 where they have minima."""
    match format:
        case Blocks(bits=8):
            return 128
        case Blocks():
            return format.middle
        case SuperBlocks(bits=6):
            return 32
    return 0


def _numbers(parts: Codes, words: Words, at: str) -> Iterator[str]:
    group = parts(words, at, 1)
    for part, codes in enumerate(group.codes):
        # in bytes, four times as many to a register as floats
        signed = words(f"sub {_BYTES} {codes}, splat (i8 {group.middle})") if group.middle else codes
        whole = words(f"sitofp {_BYTES} {signed} to {_FLOATS}")
        number = words(f"fmul {_FLOATS} {whole}, {group.of_part(words, group.scales, part, WIDTH)}")
        if group.minima:
            number = words(f"fadd {_FLOATS} {number}, {group.of_part(words, group.minima, part, WIDTH)}")
        yield number


def _halves(words: Words, at: str) -> Iterator[str]:
    yield words(f"fpext <32 x half> {words.load('<32 x half>', at, 0)} to {_FLOATS}")


def _upper_halves(words: Words, at: str) -> Iterator[str]:
    wide = words(f"zext <32 x i16> {words.load('<32 x i16>', at, 0)} to <32 x i32>")
    # the upper half of a float, brought back to where it was
    yield words(f"bitcast <32 x i32> {words(f'shl <32 x i32> {wide}, splat (i32 16)')} to {_FLOATS}")


def _blocks(format: Blocks, words: Words, at: str, blocks: int) -> Group:
    start, firsts = _starts(format), [format.dtype.itemsize * block for block in range(blocks)]
    scales, *minima = (
        words.halves(at, [first + start[name] for first in firsts]) for name in ("scale", "minimum") if name in start
    )
    codes = (_codes(format, words, words.place(at, first)) for first in firsts)
    return Group(codes, scales, blocks, middle=middle_of(format), minima=minima[0] if minima else "")


def _codes(format: Blocks, words: Words, at: str) -> str:
    """Codes of a block as unsigned bytes."""
    start = _starts(format)
    if format.bits == 8:
        # they are signed: −128 becomes 0
        return words(f"xor {_BYTES} {words.load(_BYTES, at, start['codes'])}, splat (i8 -128)")
    # byte j holds numbers j and j + 16
    codes = words.unfolded(words.load("<16 x i8>", at, start["codes"]))
    if format.bits == 5:
        # 32 single bits, the first number's lowest: the order in which they lie in memory
        codes = words.above(codes, words(f"zext <32 x i1> {words.load('<32 x i1>', at, start['high'])} to {_BYTES}"))
    return codes


def _q4_k(format: SuperBlocks, words: Words, at: str, blocks: int) -> Group:
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
        whole = words.picked(words.halves(at, [start[name]]), 1, [0] * 8)
        factors.append(words(f"fmul <8 x float> {whole}, {floats}"))
    pairs = (words.nibbles(words.load(_BYTES, at, start["codes"] + WIDTH * pair), WIDTH) for pair in range(4))
    codes = (code for pair in pairs for code in pair)
    return Group(codes, factors[0], 8, minima=words(f"fneg <8 x float> {factors[1]}"))


def _q6_k(format: SuperBlocks, words: Words, at: str, blocks: int) -> Group:
    start = _starts(format)
    floats = words(f"sitofp <16 x i8> {words.load('<16 x i8>', at, start['scales'])} to <16 x float>")
    whole = words.picked(words.halves(at, [start["d"]]), 1, [0] * 16)
    codes = (code for side in range(2) for code in _six_bits(words, at, start, side))
    # a scale is for 16 numbers, half a part
    return Group(codes, words(f"fmul <16 x float> {whole}, {floats}"), 16, each=2, middle=middle_of(format))


def _six_bits(words: Words, at: str, start: dict[str, int], side: int) -> Iterator[str]:
    """Codes of half a block, 32 at a time."""
    low = [words.load(_BYTES, at, start["low"] + 2 * WIDTH * side + WIDTH * more) for more in range(2)]
    high = words.load(_BYTES, at, start["high"] + WIDTH * side)
    fours = zip(*(words.nibbles(one, WIDTH) for one in low), strict=True)
    for turn, four in enumerate(four for both in fours for four in both):
        two = words(f"and {_BYTES} {words(f'lshr {_BYTES} {high}, splat (i8 {2 * turn})')}, splat (i8 3)")
        yield words.above(four, two)


def _starts(format: Format) -> dict[str, int]:
    """Byte offsets of the fields of a record, by name."""
    return {name: field[1] for name, field in (format.dtype.fields or {}).items()}
