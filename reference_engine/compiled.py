"""Products with packed matrices in machine code, where llvmlite is installed

NumPy unpacks a tile in several passes over it. Here numbers are unpacked in registers and multiplied at once, so a
product of a few vectors takes little longer than reading the matrix. Loading llvmlite and making the loops takes some
tenths of a second, so small matrices are left to NumPy. Format and sizes alone decide: the same product has the same
bits every time.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from .formats import Array, Format
from .unpacking import WIDTH, Words, unpacking

LARGE = 2**20  # numbers of a matrix: a model that has one takes longer than making the loops
FEW = 8  # vectors whose sums stay in registers
_FLOATS = f"<{WIDTH} x float>"


def few(format: Format, rows: int, columns: int) -> int:
    """Largest number of vectors for which a product with the packed matrix is faster than one with unpacked numbers."""
    return FEW if _has_loops(format, rows, columns) else format.few


def product_with(x: Array, format: Format, rows: int) -> Callable[[Array], Array]:
    """`Format.product` of x, (n, columns), with parts of a matrix of so many rows: (some, blocks) -> (n, some)."""
    if x.dtype != np.float32 or len(x) > FEW or not _has_loops(format, rows, x.shape[1]):
        return partial(format.product, x)
    # pointers know no strides
    x, loop = np.ascontiguousarray(x), _loop(format, len(x))

    def product(packed: Array) -> Array:
        packed = np.ascontiguousarray(packed)
        made = np.empty((len(x), len(packed)), np.float32)
        # the loop runs once before it asks whether there is more, so it is not entered for nothing
        if made.size:
            loop(x.ctypes.data, packed.ctypes.data, made.ctypes.data, x.shape[1], len(packed))
        return made

    return product


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


@lru_cache(maxsize=2**7)
def _loop(format: Format, vectors: int) -> Callable[..., None]:
    """Machine code for this processor that multiplies packed rows by so many vectors."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(_text(format, vectors))
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(llvm.get_host_cpu_name(), features, opt=2)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    # of the kind that lets go of Python's lock, so that parts run on several cores at once
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2)
    loop: Any = kind(engine.get_function_address("product"))
    loop.engine = engine  # which holds the code
    return loop  # type: ignore[no-any-return]


_TEXT = """declare {floats} @llvm.fmuladd.v{width}f32({floats}, {floats}, {floats})
declare float @llvm.vector.reduce.fadd.v{width}f32(float, {floats})
define void @product(ptr %x, ptr %packed, ptr %made, i64 %columns, i64 %rows) {{
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


def _text(format: Format, vectors: int) -> str:
    """LLVM assembly of the loop: every product has 32 partial sums, which are added at the end of its row."""
    words, unpacked, numbers = Words(), unpacking(format), max(WIDTH, format.block)
    assert unpacked is not None, "asked for where there are loops"
    size, which = format.dtype.itemsize * numbers // format.block, range(vectors)
    # what does not change within a row is computed before its loop
    start = words.place("%packed", words(f"mul i64 %row, {words(f'mul i64 %steps, {size}')}"))
    given = [words.place("%x", words(f"mul i64 %columns, {4 * vector}")) for vector in which]
    begin = words.taken()
    at, there = words(f"mul i64 %step, {size}"), words(f"mul i64 %step, {4 * numbers}")
    block, theirs = words.place(start, at), [words.place(one, there) for one in given]
    sums = [f"%sum{vector}" for vector in which]
    for part, made in enumerate(unpacked(words, block)):
        for vector in which:
            x = words.load(_FLOATS, theirs[vector], 4 * WIDTH * part)
            factors = f"{_FLOATS} {made}, {_FLOATS} {x}, {_FLOATS} {sums[vector]}"
            # each number is unpacked once, and used for all vectors while it is in its register
            sums[vector] = words(f"call {_FLOATS} @llvm.fmuladd.v{WIDTH}f32({factors})")
    kept = [f"  %sum{vector} = phi {_FLOATS} [zeroinitializer, %each], [{sums[vector]}, %body]" for vector in which]
    body, end = "\n".join([*kept, words.taken()]), []
    for vector in which:
        # reassoc: by its definition the instruction adds the 32 one after the other otherwise
        total = words(f"call reassoc float @llvm.vector.reduce.fadd.v{WIDTH}f32(float 0.0, {_FLOATS} {sums[vector]})")
        # (vectors, rows), as NumPy lays it out
        entry = words(f"add i64 {words(f'mul i64 %rows, {vector}')}, %row")
        place = words(f"getelementptr float, ptr %made, i64 {entry}")
        end += [words.taken(), f"  store float {total}, ptr {place}"]
    return _TEXT.format(floats=_FLOATS, width=WIDTH, numbers=numbers, begin=begin, body=body, end="\n".join(end))
