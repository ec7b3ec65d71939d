"""Products with packed matrices in machine code, where llvmlite is installed

NumPy unpacks a tile in several passes over it. Here numbers are unpacked in registers and multiplied at once, so a
product of a few vectors takes little longer than reading the matrix; on request codes are multiplied as integers, and
not unpacked. More vectors go over a few rows at a time, which stay in the cache. Loading llvmlite and making the loops
takes some tenths of a second, so small matrices are left to NumPy. Format and sizes alone decide: the same product has
the same bits every time.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from math import gcd
from typing import Any

import numpy as np

from .cores import on_cores, threads
from .formats import Array, Format
from .multiplying import BESIDE, DECLARED, IN_CODES, IN_FLOATS, LANES, Way, eight_rows, record, rounding, side_by_side
from .unpacking import WIDTH, Words, coded, middle_of, unpacking

LARGE = 2**18  # numbers of a matrix: a model that has several takes longer than making the loops
FEW = 64  # vectors
_NEAR = 2**17  # numbers of a matrix that stay in a core's cache while more vectors than that go over them
_SHARE = 2**20  # numbers of a matrix times vectors
_LINE = 64  # bytes that come together
_AHEAD = 2**12  # bytes: what is so far ahead comes from memory while numbers are multiplied


def few(format: Format, rows: int, columns: int) -> int:
    """Largest number of vectors for which a product with the packed matrix is faster than one with unpacked numbers."""
    return FEW if _has_loops(format, rows, columns) else format.few


def product(x: Array, packed: Array, format: Format, tile: int, *, in_codes: Array | None = None) -> Array:
    """`Format.product` of x, (n, columns), with a matrix, (rows, blocks) -> (n, rows), shared among cores.

    NumPy unpacks so many rows at a time as make `tile` numbers. `in_codes` is the matrix once more, as `laid_out` has
    it, for a product in eight bits.
    """
    beside = in_codes is not None and in_codes.dtype != packed.dtype
    multiply = product_with(x, format, len(packed), eight_bits=in_codes is not None, beside=beside)
    if isinstance(multiply, Product):
        if in_codes is not None and multiply.way is BESIDE:
            packed = in_codes
        # a share for each thread, but none so small that beginning a thread takes longer
        step = max(-(-len(packed) // threads()), _SHARE // max(1, x.size * multiply.way.rows))
    else:
        step = max(1, tile // x.shape[1])
    if step >= len(packed):
        return multiply(packed)
    made = on_cores(multiply, [packed[first : first + step] for first in range(0, len(packed), step)])
    return np.concatenate(made, axis=-1)


def laid_out(packed: Array, format: Format) -> Array:
    """A matrix as products in eight bits read it fastest: eight rows side by side, or as it lies."""
    rows, columns = format.shape(packed)
    kind = eight_rows(format)
    if kind is None or rows % LANES or not _has_loops(format, rows, columns):
        return packed
    made, each = np.empty((rows // LANES, packed.shape[1]), kind), max(1, _NEAR // (LANES * columns))

    def lay(first: int) -> None:
        made[first : first + each] = side_by_side(packed[LANES * first : LANES * (first + each)], format)

    # piece by piece, so that what is read across rows is still in the cache
    on_cores(lay, range(0, len(made), each))
    return made


def product_with(
    x: Array, format: Format, rows: int, *, eight_bits: bool = False, beside: bool = False
) -> Callable[[Array], Array]:
    """`Format.product` of x, (n, columns), with parts of a matrix of so many rows: (some, blocks) -> (n, some).

    In eight bits x becomes blocks of 32 codes with a scale, its largest magnitude over 127, and codes are multiplied as
    integers; `beside`, with parts of a matrix that is laid out. An entry x changes by half a scale at most, so a sum
    Σ x·w by max |x|/254 · Σ |w| for each block, and by the rounding of float32. Numbers without codes, and vectors that
    are not finite, are multiplied as they are.
    """
    if x.dtype != np.float32 or len(x) > FEW or not _has_loops(format, rows, x.shape[1]):
        return partial(format.product, x)
    # pointers know no strides
    given, columns, way, parts = np.ascontiguousarray(x), x.shape[1], IN_FLOATS, max(1, format.block // WIDTH)
    if eight_bits and coded(format) is not None and np.isfinite(x).all():
        # a step of several blocks, where rows divide into such steps: their scales are computed together
        way, parts = BESIDE if beside else IN_CODES, max(parts, gcd(columns // WIDTH, 8))
        given = _rounded(given, middle_of(format), parts, way.sums)
    return Product(way, given, columns, _loops(way, format, len(x), parts))


@dataclass(frozen=True)
class Product:
    """A product of so many vectors in machine code."""

    way: Way
    given: Array
    columns: int
    loops: list[tuple[int, Callable[..., None]]]

    def __call__(self, packed: Array) -> Array:
        """Multiply rows of a matrix as they lie for this way: (some, blocks) -> (n, rows)."""
        packed, given, beside = np.ascontiguousarray(packed), self.given, self.way.rows
        made = np.empty((len(given), len(packed) * beside), np.float32)
        step = len(packed) if len(given) <= self.way.together else max(1, _NEAR // (self.columns * beside))
        at, there, here = (array.ctypes.data for array in (given, packed, made))
        # the loop runs once before it asks whether there is more, so it is not entered for nothing
        for first in range(0, len(packed), step or 1):
            rows, start = min(step, len(packed) - first), there + first * packed.strides[0]
            for vector, loop in self.loops:
                result = here + vector * made.strides[0] + 4 * first * beside
                loop(at + vector * given.strides[0], start, result, self.columns, rows, made.shape[1])
        return made


def _rounded(x: Array, middle: int, parts: int, sums: int = LANES) -> Array:
    """(n, columns) floats -> (n, columns/(32·parts)) records of so many parts, with so many sums of each."""
    made = np.empty((len(x), x.shape[1] // (WIDTH * parts)), record(parts, sums))
    if made.size:
        _rounding(middle, parts, sums)(x.ctypes.data, made.ctypes.data, made.size * parts)
    return made


def _has_loops(format: Format, rows: int, columns: int) -> bool:
    """Whether a product of this format and these sizes can run in machine code, and gains by it."""
    return rows * columns >= LARGE and columns % WIDTH == 0 and unpacking(format) is not None and _widens_halves()


@cache
def _widens_halves() -> bool:
    """Whether llvmlite is installed and the processor converts halves to floats by an instruction.

    Without the instruction, machine code would call a function in its place.
    """
    if find_spec("llvmlite") is None:
        return False
    from llvmlite import binding as llvm

    x86 = platform.machine() in ("x86_64", "AMD64") and llvm.get_host_cpu_features().get("f16c")
    return bool(x86) or platform.machine() in ("aarch64", "arm64")


@lru_cache(maxsize=2**9)
def _loops(way: Way, format: Format, vectors: int, parts: int) -> list[tuple[int, Callable[..., None]]]:
    """Loops for so many vectors, with the number of the first vector of each."""
    starts = range(0, vectors, way.together)
    return [(start, _loop(way, format, min(way.together, vectors - start), parts)) for start in starts]


@lru_cache(maxsize=2**7)
def _loop(way: Way, format: Format, vectors: int, parts: int) -> Callable[..., None]:
    """Machine code for this processor that multiplies packed rows by so many vectors, in steps of so many parts."""
    return _machine_code(_text(way, format, vectors, parts), "product", 3, 3)


@lru_cache(maxsize=2**4)
def _rounding(middle: int, parts: int, sums: int) -> Callable[..., None]:
    """Machine code for this processor that rounds floats to eight bits."""
    return _machine_code(rounding(middle, parts, sums), "round", 2, 1)


def _machine_code(text: str, name: str, pointers: int, sizes: int) -> Callable[..., None]:
    """A function of so many pointers and sizes, from LLVM assembly."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(llvm.get_host_cpu_name(), features, opt=2)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    # of the kind that lets go of Python's lock, so that parts run on several cores at once
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * pointers, *[ctypes.c_int64] * sizes)
    function: Any = kind(engine.get_function_address(name))
    function.engine = engine  # which holds the code
    return function  # type: ignore[no-any-return]


_TEXT = """{declared}declare float @llvm.vector.reduce.fadd.v{lanes}f32(float, {floats})
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @product(ptr %x, ptr %packed, ptr %made, i64 %columns, i64 %rows, i64 %stride) {{
entry:
  %steps = udiv i64 %columns, {numbers}
  br label %each
each:
  %row = phi i64 [0, %entry], [%next, %end]
  %next = add i64 %row, 1
{begin}
  br label %body
body:
  %step = phi i64 [0, %each], [%after, %body]
{body}
  %after = add i64 %step, 1
  %again = icmp slt i64 %after, %steps
  br i1 %again, label %body, label %end
end:
{end}
  %more = icmp slt i64 %next, %rows
  br i1 %more, label %each, label %done
done:
  ret void
}}
"""


def _text(way: Way, format: Format, vectors: int, parts: int) -> str:
    """LLVM assembly of the loop: every product has several partial sums, which are added at the end of its row."""
    words, which, floats = Words(), range(vectors), f"<{way.lanes} x float>"
    numbers, strands = WIDTH * parts, range(min(parts, way.strands))
    # bytes of a step: of the matrix, and of a vector
    size, long = way.rows * format.dtype.itemsize * numbers // format.block, way.size * parts
    # what does not change within a row is computed before its loop
    start = words.place("%packed", words(f"mul i64 %row, {words(f'mul i64 %steps, {size}')}"))
    given = [words.place("%x", words(f"mul i64 %steps, {long * vector}")) for vector in which]
    begin = words.taken()
    here = words.place(start, words(f"mul i64 %step, {size}"))
    theirs = [words.place(one, words(f"mul i64 %step, {long}")) for one in given]
    for line in range(0, size, _LINE):
        words.prefetch(here, _AHEAD + line)
    # strands take turns: an addition needs not wait for the one before it
    sums = [[f"%sum{vector}.{strand}" for strand in strands] for vector in which]
    for part, product in enumerate(way.products(format, words, here, parts)):
        for vector in which:
            mine, strand = sums[vector], part % len(strands)
            mine[strand] = product(theirs[vector], mine[strand])
    kept = [
        f"  %sum{vector}.{strand} = phi {floats} [zeroinitializer, %each], [{sums[vector][strand]}, %body]"
        for vector in which
        for strand in strands
    ]
    body, end = "\n".join([*kept, words.taken()]), []
    for vector in which:
        whole, *others = sums[vector]
        for other in others:
            whole = words(f"fadd {floats} {whole}, {other}")
        kind = floats
        if way.rows == 1:
            # reassoc: by its definition the instruction adds one after the other otherwise
            reduce = f"@llvm.vector.reduce.fadd.v{way.lanes}f32"
            kind, whole = "float", words(f"call reassoc float {reduce}(float 0.0, {floats} {whole})")
        # (vectors, rows), as NumPy lays it out
        entry = words(f"add i64 {words(f'mul i64 %stride, {vector}')}, {words(f'mul i64 %row, {way.rows}')}")
        place = words(f"getelementptr float, ptr %made, i64 {entry}")
        end += [words.taken(), f"  store {kind} {whole}, ptr {place}, align 4"]
    named = {"declared": DECLARED, "floats": floats, "lanes": way.lanes, "numbers": numbers}
    return _TEXT.format(**named, begin=begin, body=body, end="\n".join(end))
