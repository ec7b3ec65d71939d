"""A recorded program of NumPy's operations as one loop of machine code, where llvmlite is installed

NumPy does an operation at a time, and each reads and writes a tile. Here one loop does all of them on eight elements at
a time, which never leave the registers. It is made from the very steps that NumPy would do: the same operations in the
same order on the same numbers, each rounded by itself, so no bit of the result differs. (Which of 0.0 and -0.0 is the
larger, and which of several nans comes out, NumPy itself leaves to the machine.) What is not one exactly rounded
operation, as a power is not, stays NumPy's.

Making the loop takes some milliseconds, importing llvmlite a tenth of a second. So it is made once the work that NumPy
did, counted over all calls in elements times operations, has taken about as long: at worst everything takes twice as
long as had one known what comes. A single call of that size has it at once. Loops are kept by what they do, not in
files; the numbers in them are arguments.

NumPy warns of what is infinite or invalid. A loop does not, but says whether it met such a thing; then the tile is left
to NumPy, with its warnings.
"""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

import numpy

WORTH = 2**25  # elements times operations that take NumPy as long as making a loop
WORTH_LOADING = 2**28  # and as long as importing llvmlite
_MOST = 2**10  # programs that are counted, and loops that are kept
_LANES = 8  # elements at a time: whole registers on every processor

_FLOATS: Mapping[Any, str] = {
    numpy.add: "fadd {t} {0}, {1}",
    numpy.subtract: "fsub {t} {0}, {1}",
    numpy.multiply: "fmul {t} {0}, {1}",
    numpy.divide: "fdiv {t} {0}, {1}",
    numpy.square: "fmul {t} {0}, {0}",
    numpy.negative: "fneg {t} {0}",
    numpy.positive: "select {b} splat (i1 true), {t} {0}, {t} {0}",
    numpy.sqrt: "call {t} @llvm.sqrt.v{n}f64({t} {0})",
    numpy.absolute: "call {t} @llvm.fabs.v{n}f64({t} {0})",
    numpy.floor: "call {t} @llvm.floor.v{n}f64({t} {0})",
    numpy.maximum: "select {b} {larger}, {t} {0}, {t} {1}",  # `larger` is written before it
}
_TRUTHS: Mapping[Any, str] = {
    numpy.less: "fcmp olt {t} {0}, {1}",
    numpy.less_equal: "fcmp ole {t} {0}, {1}",
    numpy.greater: "fcmp ogt {t} {0}, {1}",
    numpy.greater_equal: "fcmp oge {t} {0}, {1}",
    numpy.equal: "fcmp oeq {t} {0}, {1}",
    numpy.not_equal: "fcmp une {t} {0}, {1}",
    numpy.logical_and: "and {b} {0}, {1}",
    numpy.logical_not: "xor {b} {0}, splat (i1 true)",
}
_OF_TRUTHS = (numpy.logical_and, numpy.logical_not)
_LOSING = (numpy.divide, numpy.maximum)  # what is infinite need not show in what these give

Step = tuple[Any, tuple[int, ...], int]  # an operation, the cells it reads, the one it writes
Loop = Callable[[Sequence[Any], Any], bool]

_worked: Counter[str] = Counter()


def fused(
    steps: Sequence[Step], numbers: Mapping[int, float], result: int, failing: int | None, elements: int
) -> Loop | None:
    """The steps as one loop; None where it cannot be made, or where making it does not pay yet.

    Args:
        steps: each reads what comes before it; the last writes the result. Cells below the result's are arrays.
        numbers: by the cells they stand in.
        result: its cell.
        failing: the cell of the truth that the result is not a number, if there is one.
        elements: how many are to be computed now.

    Returns:
        a function of tiles of the arrays and of the result, contiguous and of float64, that fills the last and returns
        whether NumPy has to be asked, which would warn.
    """
    heeded = numpy.geterr()
    if heeded["under"] != "ignore" or not _found():
        return None
    quiet = all(what == "ignore" for what in heeded.values())
    body = _body(steps, numbers, result, failing, watching=not quiet)
    if body is None or not _pays(body, elements * len(steps)):
        return None
    by_lanes, rest = _made(body, _LANES), _made(body, 1)
    places = (ctypes.c_double * max(len(numbers), 1))(*numbers.values())

    def loop(tiles: Sequence[Any], into: Any) -> bool:
        starts = [tile.ctypes.data for tile in (*tiles, into)]
        size = len(into)
        at, whole = (ctypes.c_void_p * len(starts))(*starts), size - size % _LANES
        met = bool(by_lanes(at, places, 0, whole))
        return bool(rest(at, places, whole, size)) or met if whole < size else met

    return loop


@cache
def _found() -> bool:
    return find_spec("llvmlite") is not None


def _pays(body: str, work: int) -> bool:
    """Whether as much work was asked for as loading and making it would take."""
    if len(_worked) >= _MOST:
        _worked.clear()
    _worked[body] += work
    return _worked[body] >= WORTH and ("llvmlite" in sys.modules or _worked.total() >= WORTH_LOADING)


def _body(
    steps: Sequence[Step], numbers: Mapping[int, float], result: int, failing: int | None, *, watching: bool
) -> str | None:
    """The loop in LLVM's language, with the number of lanes left open; None where an operation has no form in it."""
    truths = {to for ufunc, _, to in steps if ufunc in _TRUTHS}
    arrays = sorted({place for _, read, _ in steps for place in read if place < result})
    lines = [
        f"  %at{a} = getelementptr double, ptr %p{a}, i64 %i\n  %v{a} = load {{t}}, ptr %at{a}, align 1" for a in arrays
    ]
    watched = []
    for ufunc, read, to in steps:
        known, of_truths = _FLOATS.get(ufunc) or _TRUTHS.get(ufunc), ufunc in _OF_TRUTHS
        if known is None or any((place in truths) != of_truths for place in read if place not in numbers):
            return None
        a, b = (f"%{'t' if of_truths and place in numbers else 'v'}{place}" for place in (read[0], read[-1]))
        if ufunc is numpy.maximum:  # the first is larger or not a number
            lines.append(f"  %g{to} = fcmp ogt {{t}} {a}, {b}\n  %u{to} = fcmp uno {{t}} {a}, {a}")
            lines.append(f"  %h{to} = or {{b}} %g{to}, %u{to}")
        lines.append(f"  %v{to} = " + known.replace("{0}", a).replace("{1}", b).replace("{larger}", f"%h{to}"))
        read = read[1:] if ufunc is numpy.divide else read
        watched += [place for place in read if ufunc in _LOSING and place > result and place not in numbers]
    found = f"%v{result}"
    watched = [*dict.fromkeys([*watched, result])] if watching else []
    sum_ = "%sum"
    for place in watched:  # nan, once in a sum, stays
        lines.append(f"  %z{place} = fmul {{t}} %v{place}, zeroinitializer\n  %s{place} = fadd {{t}} {sum_}, %z{place}")
        sum_ = f"%s{place}"
    if failing is not None:
        lines.append(f"  %kept = select {{b}} %v{failing}, {{t}} splat (double 0x7FF8000000000000), {{t}} {found}")
        found = "%kept"
    at = [f"  %e{a} = getelementptr ptr, ptr %tiles, i64 {a}\n  %p{a} = load ptr, ptr %e{a}" for a in (*arrays, result)]
    for turn, place in enumerate(numbers):
        at.append(
            f"  %n{place} = getelementptr double, ptr %numbers, i64 {turn}\n  %d{place} = load double, ptr %n{place}"
        )
        at.append(f"  %o{place} = insertelement {{t}} poison, double %d{place}, i32 0")
        at.append(f"  %v{place} = shufflevector {{t}} %o{place}, {{t}} poison, <{{n}} x i32> zeroinitializer")
        at.append(f"  %t{place} = fcmp une {{t}} %v{place}, zeroinitializer")
    return _LOOP.format(at="\n".join(at), lines="\n".join(lines), sum=sum_, result=result, found=found)


_LOOP = """declare {{t}} @llvm.sqrt.v{{n}}f64({{t}})
declare {{t}} @llvm.fabs.v{{n}}f64({{t}})
declare {{t}} @llvm.floor.v{{n}}f64({{t}})
declare i1 @llvm.vector.reduce.or.v{{n}}i1({{b}})
define zeroext i1 @loop(ptr %tiles, ptr %numbers, i64 %from, i64 %to) {{{{
entry:
{at}
  br label %next
next:
  %i = phi i64 [%from, %entry], [%j, %body]
  %sum = phi {{t}} [zeroinitializer, %entry], [{sum}, %body]
  %j = add i64 %i, {{n}}
  %more = icmp sle i64 %j, %to
  br i1 %more, label %body, label %done
body:
{lines}
  %out = getelementptr double, ptr %p{result}, i64 %i
  store {{t}} {found}, ptr %out, align 1
  br label %next
done:
  %lost = fcmp uno {{t}} %sum, %sum
  %met = call i1 @llvm.vector.reduce.or.v{{n}}i1({{b}} %lost)
  ret i1 %met
}}}}
"""


@lru_cache(maxsize=2 * _MOST)
def _made(body: str, lanes: int) -> Callable[..., bool]:
    """The loop, in machine code for this processor."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(body.format(n=lanes, t=f"<{lanes} x double>", b=f"<{lanes} x i1>"))
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(llvm.get_host_cpu_name(), features, opt=2)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    loop: Any = kind(engine.get_function_address("loop"))
    loop.engine = engine  # which holds the code
    return loop  # type: ignore[no-any-return]
