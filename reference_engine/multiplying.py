"""The multiplication of packed numbers in LLVM assembly, 32 at a time

For `compiled`. Either the numbers are unpacked to floats, or their codes are multiplied by codes of the vectors, as
integers, and scales meet the sums. Both give functions that go on adding to the sums of a vector, so each block is read
and unpacked once for all vectors.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from .formats import Array, Blocks, Format
from .unpacking import WIDTH, Words, coded, middle_of, unpacking

LANES = 8  # sums of a vector in eight bits: each is of four products next to each other, as processors add them
_BYTES, _WORDS, _FLOATS = "<32 x i8>", "<8 x i32>", "<8 x float>"
_DOT = "@llvm.x86.avx512.vpdpbusd.256"
_WIDE = f"<{WIDTH} x float>"
DECLARED = f"""declare {_WIDE} @llvm.fmuladd.v{WIDTH}f32({_WIDE}, {_WIDE}, {_WIDE})
declare {_FLOATS} @llvm.fmuladd.v8f32({_FLOATS}, {_FLOATS}, {_FLOATS})
declare {_WORDS} {_DOT}({_WORDS}, {_WORDS}, {_WORDS})
"""

# the place of a vector's numbers in a step, and the sums so far -> the sums with 32 products more
Product = Callable[[str, str], str]


def _in_floats(format: Format, words: Words, at: str, parts: int) -> Iterator[Product]:
    """Products of each 32 numbers of a block with floats, each into a sum of its own: 32 sums."""
    unpacked = unpacking(format)
    assert unpacked is not None, "asked for where there are loops"

    def product(numbers: str, start: int, x: str, sums: str) -> str:
        return _added(words, WIDTH, numbers, words.load(_WIDE, x, start), sums)

    # each number is unpacked once, and used for all vectors while it is in its register
    return (partial(product, numbers, 4 * WIDTH * part) for part, numbers in enumerate(unpacked(words, at)))


@cache
def record(parts: int, sums: int = LANES) -> np.dtype[Any]:
    """Numbers of a vector in eight bits, 32 to a part: their scales, so many sums of codes of each, and the codes."""
    return np.dtype([("scales", "<f4", (parts,)), ("sums", "<i4", (parts, sums)), ("codes", "i1", (parts, WIDTH))])


def _in_codes(format: Format, words: Words, at: str, parts: int) -> Iterator[Product]:
    """Products of each 32 codes with those of a vector's record, four of them into a sum: 8 sums.

    The integers are exact; what is rounded are their products with scales, and sums of those.
    """
    codes_of = coded(format)
    assert codes_of is not None, "asked for where numbers have codes"
    group = codes_of(words, at, WIDTH * parts // format.block)
    _, sums_at, codes_at = _starts(record(parts))
    kind = f"<{group.size} x float>"

    @cache
    def factors(x: str) -> list[str]:
        """Products of scales, and of minima if there are any, with the scales of a vector: of all parts at once."""
        each = words.load(f"<{parts} x float>", x, 0)
        each = words.picked(each, parts, [place // group.each for place in range(group.size)])
        return [words(f"fmul {kind} {floats}, {each}") for floats in (group.scales, group.minima) if floats]

    def product(part: int, codes: str, x: str, sums: str) -> str:
        theirs, numbers = words.load(_WORDS, x, sums_at + 32 * part), words.load(_BYTES, x, codes_at + 32 * part)
        # Σ (code − middle)·x is Σ code·x, begun at −middle·Σ x; Σ (code·scale + minimum)·x is scale·Σ code·x and
        # minimum·Σ x
        whole = [_dots(words, "zeroinitializer" if group.minima else theirs, codes, numbers), theirs]
        for integers, floats in zip(whole, factors(x), strict=False):
            factor = group.of_part(words, floats, part, LANES)
            sums = _added(words, LANES, words(f"sitofp {_WORDS} {integers} to {_FLOATS}"), factor, sums)
        return sums

    return (partial(product, part, codes) for part, codes in enumerate(group.codes))


@cache
def eight_rows(format: Format) -> np.dtype[Any] | None:
    """Record of a block in each of eight rows; None for a format whose rows are not laid side by side.

    A field holds what the rows have, row after row. Codes are in words of four: first those of the first word of each
    row.
    """
    match format:
        case Blocks(bits=4 | 8, block=32, scale_bits=16):
            *scales, codes = format.dtype.names or ()
            words = (codes, "<u4", (format.bits, LANES))
            return np.dtype([*((scale, "<f2", (1, LANES)) for scale in scales), words])
    return None


def side_by_side(packed: Array, format: Format) -> Array:
    """(rows, blocks) records -> (rows/8, blocks) records of eight rows; their codes become unsigned."""
    made = np.empty((len(packed) // LANES, packed.shape[1]), eight_rows(format))
    for name in made.dtype.names or ():
        pieces = np.ascontiguousarray(packed[name]).view(made[name].dtype)
        made[name] = pieces.reshape(len(made), LANES, packed.shape[1], -1).transpose(0, 2, 3, 1)
    if middle_of(format) == 128:
        made["codes"] ^= 0x80808080
    return made


def _beside(format: Format, words: Words, at: str, parts: int) -> Iterator[Product]:
    """Products of each 32 codes of eight rows with those of a vector's record: a sum for each row.

    So scales are converted eight at a time, and nothing is left to add at the end of a row.
    """
    rows = eight_rows(format)
    assert rows is not None, "asked for where rows are laid so"
    assert isinstance(format, Blocks), "they are so in blocks"
    scales_at, sums_at, codes_at = _starts(record(parts, 1))
    *starts, first = _starts(rows)

    def product(part: int, codes: list[str], scales: list[str], x: str, sums: str) -> str:
        scale = words.spread(words.load("float", x, scales_at + 4 * part), LANES)
        theirs = words.spread(words.load("i32", x, sums_at + 4 * part), LANES, "i32")
        # as in `_in_codes`
        whole = ["zeroinitializer" if format.minimum else theirs, theirs]
        for place, four in enumerate(codes):
            numbers = words.spread(words.load("i32", x, codes_at + WIDTH * part + 4 * place), LANES, "i32")
            whole[0] = _dots(words, whole[0], four, words(f"bitcast {_WORDS} {numbers} to {_BYTES}"))
        for integers, floats in zip(whole, scales, strict=False):
            factor = words(f"fmul {_FLOATS} {floats}, {scale}")
            sums = _added(words, LANES, words(f"sitofp {_WORDS} {integers} to {_FLOATS}"), factor, sums)
        return sums

    for part in range(parts):
        here = words.place(at, rows.itemsize * part)
        halves = [words.load(f"<{LANES} x half>", here, start) for start in starts]
        scales = [words(f"fpext <{LANES} x half> {half} to {_FLOATS}") for half in halves]
        codes = [words.load(_BYTES, here, first + 4 * LANES * word) for word in range(format.bits)]
        if format.bits == 4:
            low, high = zip(*(words.nibbles(four, WIDTH) for four in codes), strict=True)
            codes = [*low, *high]
        yield partial(product, part, codes, scales)


def _starts(record: np.dtype[Any]) -> list[int]:
    """Byte offsets of the fields of a record."""
    return [field[1] for field in (record.fields or {}).values()]


def rounding(middle: int, parts: int, sums: int = LANES) -> str:
    """LLVM assembly of a function that makes records of floats, for codes that count from a middle.

    The scale is the largest magnitude over 127, and each code the nearest whole number of scales. Numbers that are all
    below 2⁻¹⁰⁰ become zeros: one over their scale might not be a float. Sums are times the middle, and negative, where
    there is one.
    """
    words = Words()
    numbers = words.load(_WIDE, "%from", 0)
    size = words(f"call {_WIDE} @llvm.fabs.v{WIDTH}f32({_WIDE} {numbers})")
    peak = words(f"call float @llvm.vector.reduce.fmax.v{WIDTH}f32({_WIDE} {size})")
    is_small = words(f"fcmp olt float {peak}, 0x{struct.pack('>d', 2.0**-100).hex()}")
    inverse = words(f"select i1 {is_small}, float 0.0, float {words(f'fdiv float 127.0, {peak}')}")
    steps = words(f"fmul {_WIDE} {numbers}, {words.spread(inverse, WIDTH)}")
    whole = words(f"call {_WIDE} @llvm.roundeven.v{WIDTH}f32({_WIDE} {steps})")
    codes = words(f"fptosi {_WIDE} {whole} to {_BYTES}")
    start = _dots(words, "zeroinitializer", "splat (i8 1)", codes)
    kind, start = _WORDS, words(f"mul {_WORDS} {start}, splat (i32 {-middle or 1})")
    if sums == 1:
        kind, start = "i32", words(f"call i32 @llvm.vector.reduce.add.v{LANES}i32({_WORDS} {start})")
    scale, to = words(f"fdiv float {peak}, 127.0"), record(parts, sums)
    part = words(f"urem i64 %each, {parts}")
    here = words.place("%made", words(f"mul i64 {words(f'udiv i64 %each, {parts}')}, {to.itemsize}"))
    values = (("float", scale, 4), (kind, start, 4 * sums), (_BYTES, codes, WIDTH))
    for (kind, value, each), first in zip(values, _starts(to), strict=True):
        words.store(kind, value, words.place(here, words(f"mul i64 {part}, {each}")), first)
    return _ROUNDING.format(width=4 * WIDTH, body=words.taken())


_ROUNDING = f"""{DECLARED}declare {_WIDE} @llvm.fabs.v{WIDTH}f32({_WIDE})
declare {_WIDE} @llvm.roundeven.v{WIDTH}f32({_WIDE})
declare float @llvm.vector.reduce.fmax.v{WIDTH}f32({_WIDE})
declare i32 @llvm.vector.reduce.add.v8i32({_WORDS})
define void @round(ptr %x, ptr %made, i64 %parts) {{{{
entry:
  br label %one
one:
  %each = phi i64 [0, %entry], [%next, %one]
  %next = add i64 %each, 1
  %before = mul i64 %each, {{width}}
  %from = getelementptr i8, ptr %x, i64 %before
{{body}}
  %more = icmp slt i64 %next, %parts
  br i1 %more, label %one, label %done
done:
  ret void
}}}}
"""


class Way(NamedTuple):
    """A way to multiply.

    Attributes:
        products: those with the numbers of a step of so many parts, 32 at a time.
        size: bytes of 32 numbers of a vector.
        lanes: sums that a vector has in each strand.
        strands: chains of sums that take turns, where a step has several parts.
        together: vectors whose sums stay in registers, and which stay in the nearest cache.
        sums: of the codes of 32 numbers of a vector, if it is in codes.
        rows: how many lie side by side, a lane for each.
    """

    products: Callable[[Format, Words, str, int], Iterator[Product]]
    size: int
    lanes: int
    strands: int
    together: int
    sums: int = 0
    rows: int = 1


IN_FLOATS = Way(_in_floats, 4 * WIDTH, WIDTH, strands=1, together=8)
IN_CODES = Way(_in_codes, record(1).itemsize, LANES, strands=2, together=4, sums=LANES)
BESIDE = Way(_beside, record(1, 1).itemsize, LANES, strands=2, together=4, sums=1, rows=LANES)


def _added(words: Words, size: int, one: str, other: str, sums: str) -> str:
    kind = f"<{size} x float>"
    return words(f"call {kind} @llvm.fmuladd.v{size}f32({kind} {one}, {kind} {other}, {kind} {sums})")


def _dots(words: Words, start: str, unsigned: str, signed: str) -> str:
    """Sums of each four products of unsigned and signed bytes next to each other, begun at these."""
    if multiplies_bytes():
        one, other = (words(f"bitcast {_BYTES} {each} to {_WORDS}") for each in (unsigned, signed))
        return words(f"call {_WORDS} {_DOT}({_WORDS} {start}, {_WORDS} {one}, {_WORDS} {other})")
    # neighbours are added twice: in this form LLVM finds the instructions that a processor has
    one, other = words(f"zext {_BYTES} {unsigned} to <32 x i32>"), words(f"sext {_BYTES} {signed} to <32 x i32>")
    sums, size = words(f"mul <32 x i32> {one}, {other}"), WIDTH
    while size > LANES:
        even, odd = (words.picked(sums, size, list(range(first, size, 2)), "i32") for first in range(2))
        size //= 2
        sums = words(f"add <{size} x i32> {even}, {odd}")
    return words(f"add {_WORDS} {sums}, {start}")


@cache
def multiplies_bytes() -> bool:
    """Whether this processor multiplies bytes and adds each four products by one instruction, of AVX-512 or AVX."""
    from llvmlite import binding as llvm

    has = llvm.get_host_cpu_features().get
    x86 = platform.machine() in ("x86_64", "AMD64")
    return x86 and bool((has("avx512vnni") and has("avx512vl")) or has("avxvnni"))
