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
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from math import gcd
from typing import Any

import numpy as np

from .cores import on_cores, threads
from .formats import Array, Format
from .multiplying import DECLARED, IN_CODES, IN_FLOATS, Way, record, rounding
from .unpacking import WIDTH, Words, coded, middle_of, unpacking

LARGE = 2**18  # numbers of a matrix: a model that has several takes longer than making the loops
FEW = 64  # vectors
_NEAR = 2**17  # numbers of a matrix that stay in a core's cache while more vectors than that go over them
_SHARE = 2**20  # numbers of a matrix times vectors
_LINE = 64  # bytes that come together
_AHEAD = 2**13  # bytes: what is so far ahead comes from memory while numbers are multiplied


def few(format: Format, rows: int, columns: int) -> int:
    """Largest number of vectors for which a product with the packed matrix is faster than one with unpacked numbers."""
    return FEW if _has_loops(format, rows, columns) else format.few


def product(x: Array, packed: Array, format: Format, tile: int, *, eight_bits: bool = False) -> Array:
    """`Format.product` of x, (n, columns), with a matrix, (rows, blocks) -> (n, rows), shared among cores.

    NumPy unpacks so many rows at a time as make `tile` numbers.
    """
    rows, multiply = len(packed), product_with(x, format, len(packed), eight_bits=eight_bits)
    if isinstance(multiply, partial):
        step = max(1, tile // x.shape[1])
    else:
        # a share for each thread, but none so small that beginning a thread takes longer
        step = max(-(-rows // threads()), _SHARE // max(1, x.size))
    if step >= rows:
        return multiply(packed)
    made = on_cores(multiply, [packed[first : first + step] for first in range(0, rows, step)])
    return np.concatenate(made, axis=-1)


def product_with(x: Array, format: Format, rows: int, *, eight_bits: bool = False) -> Callable[[Array], Array]:
    """`Format.product` of x, (n, columns), with parts of a matrix of so many rows: (some, blocks) -> (n, some).

    In eight bits x becomes blocks of 32 codes with a scale, its largest magnitude over 127, and codes are multiplied as
    integers. An entry x changes by half a scale at most, so a sum Σ x·w by max |x|/254 · Σ |w| for each block, and by
    the rounding of float32. Numbers without codes, and vectors that are not finite, are multiplied as they are.
    """
    if x.dtype != np.float32 or len(x) > FEW or not _has_loops(format, rows, x.shape[1]):
        return partial(format.product, x)
    # pointers know no strides
    given, (n, columns), way, parts = np.ascontiguousarray(x), x.shape, IN_FLOATS, max(1, format.block // WIDTH)
    if eight_bits and coded(format) is not None and np.isfinite(x).all():
        # a step of several blocks, where rows divide into such steps: their scales are computed together
        way, parts = IN_CODES, max(parts, gcd(columns // WIDTH, 8))
        given = _rounded(given, middle_of(format), parts)
    loops = _loops(way, format, n, parts)

    def product(packed: Array) -> Array:
        packed = np.ascontiguousarray(packed)
        made = np.empty((n, len(packed)), np.float32)
        step = len(packed) if n <= way.together else max(1, _NEAR // columns)
        at, there, here = (array.ctypes.data for array in (given, packed, made))
        # the loop runs once before it asks whether there is more, so it is not entered for nothing
        for first in range(0, len(packed), step or 1):
            rows = min(step, len(packed) - first)
            for start, loop in loops:
                result = here + start * made.strides[0] + 4 * first
                loop(
                    at + start * given.strides[0], there + first * packed.strides[0], result, columns, rows, len(packed)
                )
        return made

    return product


def _rounded(x: Array, middle: int, parts: int) -> Array:
    """(n, columns) floats -> (n, columns/(32·parts)) records of so many parts."""
    made = np.empty((len(x), x.shape[1] // (WIDTH * parts)), record(parts))
    if made.size:
        _rounding(middle, parts)(x.ctypes.data, made.ctypes.data, made.size * parts)
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
def _rounding(middle: int, parts: int) -> Callable[..., None]:
    """Machine code for this processor that rounds floats to eight bits."""
    return _machine_code(rounding(middle, parts), "round", 2, 1)


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
    size, long = format.dtype.itemsize * numbers // format.block, way.size * parts
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
        # reassoc: by its definition the instruction adds one after the other otherwise
        total = words(f"call reassoc float @llvm.vector.reduce.fadd.v{way.lanes}f32(float 0.0, {floats} {whole})")
        # (vectors, rows), as NumPy lays it out
        entry = words(f"add i64 {words(f'mul i64 %stride, {vector}')}, %row")
        place = words(f"getelementptr float, ptr %made, i64 {entry}")
        end += [words.taken(), f"  store float {total}, ptr {place}"]
    named = {"declared": DECLARED, "floats": floats, "lanes": way.lanes, "numbers": numbers}
    return _TEXT.format(**named, begin=begin, body=body, end="\n".join(end))
