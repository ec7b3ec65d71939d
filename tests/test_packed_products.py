"""Products with packed matrices in machine code: of the numbers that NumPy unpacks, bit by bit"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from reference_engine import Config, Decoder, Format, Machine, compiled, cores, layers, multiplying
from reference_engine.compiled import FEW, few, laid_out, product_with
from reference_engine.formats import BF16, F16, F32, F64, NAMED, Q4_0, Q8_0, Array, Blocks
from reference_engine.multiplying import BESIDE, IN_CODES, IN_FLOATS, LANES, eight_rows, multiplies_bytes
from reference_engine.unpacking import WIDTH, Words

LARGE = compiled.LARGE
COMPILED = [format for format in NAMED.values() if format not in (F32, F64)]
CODED = [format for format in COMPILED if format not in (F16, BF16)]
LAID_OUT = [format for format in CODED if eight_rows(format) is not None]
WAYS = [(format, beside) for beside in (False, True) for format in (LAID_OUT if beside else CODED)]
OF_SUPER_BLOCKS = [NAMED[name] for name in ("Q4_K", "Q6_K")]
OF_BLOCKS = [format for format in CODED if format not in (Q8_0, *OF_SUPER_BLOCKS)]
OF_MORE = [NAMED[name] for name in ("Q5_0", "Q5_1", "Q6_K")]


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small matrices have loops too."""
    monkeypatch.setattr(compiled, "LARGE", 1)


def is_compiled(multiply: Any) -> bool:
    """Whether it is none of the format's own."""
    return not isinstance(multiply, partial)


def drawn(format: Format, rows: int, columns: int, seed: int) -> Array:
    """Records with every code there is, and with scales of all sizes; halves as they are packed."""
    random, size = np.random.default_rng(seed), 10.0 ** np.random.default_rng(seed).integers(-7, 3)
    if not format.dtype.names:
        return format.pack(size * random.standard_normal((rows, columns)))
    shape = rows, columns // format.block
    records = random.integers(0, 256, (*shape, format.dtype.itemsize), np.uint8).view(format.dtype)[..., 0]
    for name in {"scale", "minimum", "d", "e"} & set(format.dtype.names):
        records[name] = size * random.standard_normal(shape)
    return records


def assert_unpacked(format: Format, packed: Array) -> None:
    """Multiplied by one and added to zeros, each is the number that is unpacked."""
    numbers = format.unpack(packed)
    for first in range(0, numbers.shape[1], WIDTH):
        multiply = product_with(np.eye(WIDTH, numbers.shape[1], first, np.float32), format, len(packed))
        assert is_compiled(multiply)
        assert_array_equal(multiply(packed).T, numbers[:, first : first + WIDTH])


@given(st.sampled_from(COMPILED), st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 3))
def test_numbers_are_those_that_are_unpacked(format: Format, seed: int, rows: int, blocks: int) -> None:
    """Exactly, in each place of a block, whatever its codes and scales are."""
    assert_unpacked(format, drawn(format, rows, blocks * max(32, format.block), seed))


@pytest.mark.parametrize("format", [F16, BF16], ids=str)
def test_every_finite_half_is_widened(format: Format) -> None:
    """All there are, subnormal ones too."""
    every = np.arange(2**16, dtype=np.uint16).view(format.dtype)
    assert_unpacked(format, np.where(np.isfinite(format.unpack(every)), every, every[0]).reshape(-1, 32))


@pytest.mark.parametrize("format", [F16, BF16], ids=str)
@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_halves_that_are_no_numbers_stay_so(format: Format, odd: float) -> None:
    """A row that has one comes to it, others do not."""
    numbers = np.ones((3, 32))
    numbers[1, 5] = odd
    multiply = product_with(np.ones((1, 32), np.float32), format, 3)
    assert is_compiled(multiply)
    assert_array_equal(multiply(format.pack(numbers)), [[32, odd, 32]])


WRONG: dict[str, tuple[list[Format], Any]] = {
    "load": (COMPILED, lambda right: lambda words, kind, at, start: right(words, kind, at, start + 2)),
    "unfolded": (
        OF_BLOCKS,
        lambda right: lambda words, codes: right(words, words(f"xor <16 x i8> {codes}, splat (i8 1)")),
    ),
    "nibbles": (OF_SUPER_BLOCKS, lambda right: lambda words, codes, size: right(words, codes, size)[::-1]),
    "above": (OF_MORE, lambda right: lambda words, low, bits: low),
}


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Function that has loops made anew, which are forgotten in the end."""

    def forget() -> None:
        for made in ("_loops", "_loop", "_rounding"):
            monkeypatch.setattr(compiled, made, cache(getattr(compiled, made).__wrapped__))

    return forget


@pytest.mark.parametrize(("word", "format"), [(word, one) for word, (of, _) in WRONG.items() for one in of], ids=str)
def test_a_wrong_word_is_noticed(
    word: str, format: Format, monkeypatch: pytest.MonkeyPatch, anew: Callable[[], None]
) -> None:
    """The twin: a neighbour's bytes, halves of a byte exchanged, upper bits left out."""
    packed = drawn(format, 5, 256, 0)[:-1]  # so that what is read beyond it is there
    assert_unpacked(format, packed)
    monkeypatch.setattr(Words, word, WRONG[word][1](getattr(Words, word)))
    anew()
    with pytest.raises(AssertionError):
        assert_unpacked(format, packed)


def in_eight_bits(x: Array, format: Format, packed: Array, beside: bool) -> Array:
    """Product of vectors in eight bits with a matrix, which is laid out for it or not."""
    multiply, matrix = (
        product_with(x, format, len(packed), eight_bits=True, beside=beside),
        laid_out(packed, format) if beside else packed,
    )
    assert is_compiled(multiply)
    assert (matrix.dtype != packed.dtype) == beside
    assert matrix.nbytes == packed.nbytes
    return multiply(matrix)


def within_the_bound(x: Array, format: Format, packed: Array, beside: bool) -> bool:
    """Whether a product of vectors in eight bits is as near as `product_with` says."""
    found, whole = in_eight_bits(x, format, packed, beside), x.astype(np.float64)
    # terms as large as they are before scales and minima cancel out
    large = packed.copy()
    for name in {"scale", "minimum", "d"} & set(packed.dtype.names):
        large[name] = np.abs(packed[name])
    if "e" in packed.dtype.names:
        large["e"] = -np.abs(packed["e"])
    numbers, terms = (np.abs(format.unpack(one).astype(np.float64)) for one in (packed, large))
    peaks = np.abs(whole).reshape(len(x), -1, WIDTH).max(-1)  # (n, blocks)
    of_blocks = [one.reshape(len(one), -1, WIDTH).sum(-1).T for one in (numbers, terms)]  # (blocks, rows) each
    eps = np.finfo(np.float32).eps
    bound = (1 + 2**-14) * peaks / 254 @ of_blocks[0] + (x.shape[1] / 32 + 32) * eps * (peaks @ of_blocks[1])
    off = np.abs(found - whole @ format.unpack(packed).astype(np.float64).T)
    return found.dtype == np.float32 and bool((off <= bound).all())


@given(st.sampled_from(WAYS), st.integers(0, 2**32 - 1), st.sampled_from((1, 3, 4, 5, 9, FEW)), st.integers(1, 9))
def test_in_eight_bits_a_product_is_within_its_bound(way: tuple[Format, bool], seed: int, n: int, blocks: int) -> None:
    """Whatever the codes and scales are; each of several vectors has the bits that it has alone."""
    format, beside = way
    x = np.random.default_rng(seed).standard_normal((n, blocks * format.block)).astype(np.float32)
    packed = drawn(format, 2 * LANES if beside else 7, x.shape[1], seed)
    assert within_the_bound(x, format, packed, beside)
    multiply = partial(in_eight_bits, format=format, packed=packed, beside=beside)
    assert_array_equal(multiply(x), np.concatenate([multiply(one[None]) for one in x]))


WRONG_IN_EIGHT_BITS: dict[str, Any] = {
    "a middle beside it": ("middle_of", lambda right: lambda one: right(one) + 1),
    "vectors of another scale": ("_rounded", lambda right: lambda x, *more: right(2 * x, *more)),
    "a step's neighbour": ("_rounded", lambda right: lambda x, *more: np.roll(right(x, *more), 1, axis=1)),
}


@pytest.mark.parametrize(("format", "beside"), WAYS, ids=str)
@pytest.mark.parametrize("what", WRONG_IN_EIGHT_BITS)
def test_a_wrong_product_in_eight_bits_is_noticed(
    format: Format, beside: bool, what: str, monkeypatch: pytest.MonkeyPatch, anew: Callable[[], None]
) -> None:
    """The twin: codes that count from elsewhere, vectors of another scale, blocks that have changed places."""
    x, packed = np.random.default_rng(0).uniform(1, 2, (3, 512)).astype(np.float32), drawn(format, LANES, 512, 0)
    assert within_the_bound(x, format, packed, beside)
    name, wrong = WRONG_IN_EIGHT_BITS[what]
    monkeypatch.setattr(compiled, name, wrong(getattr(compiled, name)))
    anew()
    assert not within_the_bound(x, format, packed, beside)


@pytest.mark.parametrize("format", LAID_OUT, ids=str)
@pytest.mark.parametrize("axis", [0, 1], ids=["another row", "the next block"])
def test_a_matrix_that_is_laid_out_wrongly_is_noticed(
    format: Format, axis: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin, in each place."""
    x, packed = np.arange(1, 513, dtype=np.float32)[None], drawn(format, 2 * LANES, 512, 0)
    assert within_the_bound(x, format, packed, beside=True)
    right = compiled.side_by_side
    monkeypatch.setattr(compiled, "side_by_side", lambda packed, of: right(np.roll(packed, 1, axis), of))
    assert not within_the_bound(x, format, packed, beside=True)


@pytest.mark.parametrize(("format", "beside"), WAYS, ids=str)
def test_processors_agree_in_eight_bits(
    format: Format, beside: bool, monkeypatch: pytest.MonkeyPatch, anew: Callable[[], None]
) -> None:
    """Bit by bit: integers are exact, with one instruction or several."""
    x, packed = np.random.default_rng(0).standard_normal((3, 512)).astype(np.float32), drawn(format, LANES, 512, 0)
    found = {}
    for one in (True, False):
        monkeypatch.setattr(multiplying, "multiplies_bytes", lambda one=one: one and multiplies_bytes())
        anew()
        found[one] = in_eight_bits(x, format, packed, beside)
    assert_array_equal(found[True], found[False])


@pytest.mark.parametrize("format", [*COMPILED, None], ids=str)
def test_other_processors_have_the_instructions(format: Format | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arm's and older ones of Intel and AMD: no loop calls a function."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    monkeypatch.setattr(multiplying, "multiplies_bytes", lambda: False)
    texts = [multiplying.rounding(8, 2)]
    if format is not None:
        texts = [compiled._text(IN_FLOATS, format, IN_FLOATS.together, max(1, format.block // WIDTH))]
        for way, of in ((IN_CODES, CODED), (BESIDE, LAID_OUT)):
            texts += [compiled._text(way, format, way.together, 8)] if format in of else []
    for triple, processor, call in (("aarch64", "generic", "bl"), ("x86_64", "haswell", "callq")):
        machine = llvm.Target.from_triple(f"{triple}-unknown-linux-gnu").create_target_machine(processor)
        for text in texts:
            code = machine.emit_assembly(llvm.parse_assembly(text)).split()
            assert "ret" in code or "retq" in code
            assert call not in code


@given(st.integers(0, 2**32 - 1), st.sampled_from((0, 8, 128)), st.sampled_from((LANES, 1)))
def test_vectors_are_rounded_to_the_nearest_codes(seed: int, middle: int, sums: int) -> None:
    """The largest becomes 127 or −127; sums are of four codes or all, times the middle, negative where there is one."""
    random = np.random.default_rng(seed)
    x = (10.0 ** random.integers(-40, 38, (3, 4, 1)) * random.uniform(-1, 1, (3, 4, WIDTH))).astype(np.float32)
    peak, records = np.abs(x).max(-1, keepdims=True), compiled._rounded(x.reshape(3, -1), middle, 2, sums)
    large = peak >= np.float32(2.0**-100)
    inverse = np.divide(np.float32(127), peak, out=np.zeros_like(peak), where=large)
    codes = records["codes"].reshape(x.shape).astype(np.int32)
    assert_array_equal(codes, np.rint(x * inverse))
    assert_array_equal(np.abs(codes).max(-1), 127 * large[..., 0])
    assert_array_equal(records["scales"].reshape(3, 4), (peak / np.float32(127))[..., 0])
    assert_array_equal(records["sums"].reshape(3, 4, sums), (-middle or 1) * codes.reshape(3, 4, sums, -1).sum(-1))


@pytest.mark.parametrize("odd", [np.inf, np.nan])
def test_what_has_no_eight_bits_is_multiplied_in_floats(odd: float) -> None:
    """Vectors that are not finite, and numbers without codes."""
    x = np.ones((2, 256), np.float32)
    x[1, 5] = odd
    for format, of in ((Q4_0, x), (F16, np.ones_like(x))):
        packed = format.pack(np.random.default_rng(0).standard_normal((3, of.shape[1])))
        one, other = (product_with(of, format, 3, eight_bits=bits)(packed) for bits in (True, False))
        assert_array_equal(one, other)


@given(st.sampled_from(COMPILED), st.integers(0, 2**32 - 1), st.integers(1, FEW))
def test_a_product_is_that_of_the_numbers(format: Format, seed: int, n: int) -> None:
    """To the rounding of 32 sums and of their sum; each of several vectors has the bits that it has alone."""
    x, packed = np.random.default_rng(seed).standard_normal((n, 768)).astype(np.float32), drawn(format, 7, 768, seed)
    numbers, multiply = format.unpack(packed).astype(np.float64), product_with(x, format, 7)
    found, most = multiply(packed), np.abs(x.astype(np.float64)) @ np.abs(numbers).T
    assert is_compiled(multiply)
    assert found.dtype == np.float32
    assert (np.abs(found - x @ numbers.T) <= (768 / 32 + 32) * np.finfo(np.float32).eps * most).all()
    assert_array_equal(found, np.concatenate([product_with(one[None], format, 7)(packed) for one in x]))
    assert multiply(packed[:0]).shape == (n, 0)


def test_who_has_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large matrices of few vectors in 32 bits, where llvmlite is installed and the processor widens halves."""
    monkeypatch.setattr(compiled, "LARGE", LARGE)
    x, rows = np.ones((1, 1024), np.float32), LARGE // 1024
    assert is_compiled(product_with(x, Q4_0, rows))
    assert few(Q4_0, rows, 1024) == few(F16, rows, 1024) == FEW
    for other, format, of in (
        (x, Q4_0, rows - 1),
        (x.astype(np.float64), Q4_0, rows),
        (np.ones((FEW + 1, 1024), np.float32), Q4_0, rows),
        (x[:, :-1], F16, rows + 2),
        (x, F32, rows),
        (x, Blocks(4, 16, 16), rows),
        (x, Blocks(4, 32, 32), rows),
    ):
        assert product_with(other, format, of).func == format.product  # type: ignore[attr-defined]
    assert few(F16, rows - 1, 1024) == F16.few
    monkeypatch.setattr(compiled, "_widens_halves", lambda: False)
    assert not is_compiled(product_with(x, Q4_0, rows))
    assert few(F16, rows, 1024) == F16.few


@pytest.mark.parametrize(
    ("found", "machine", "features", "does"),
    [
        (True, "x86_64", {"f16c": True}, True),
        (True, "AMD64", {"f16c": False}, False),
        (True, "x86_64", {}, False),
        (True, "arm64", {}, True),
        (True, "riscv64", {}, False),
        (False, "x86_64", {"f16c": True}, False),
    ],
)
def test_processors(
    found: bool, machine: str, features: dict[str, bool], does: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the instruction LLVM would call a function that nobody may have."""
    monkeypatch.setattr(compiled, "find_spec", lambda name: "here" if found else None)
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: features)
    assert compiled._widens_halves.__wrapped__() == does


@pytest.mark.parametrize("weights", [F16, Q8_0, Q4_0], ids=str)
@pytest.mark.parametrize(("eight_bits", "near"), [(False, 1e-4), (True, 0.1)])
def test_a_decoder_computes_and_counts_the_same(
    weights: Format, eight_bits: bool, near: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger entry by entry, and logits to rounding; on any number of threads the same bits."""
    monkeypatch.setattr(layers, "TILE", 256)

    def run(least: int, threads: int = 1) -> tuple[Array, Any]:
        monkeypatch.setattr(compiled, "LARGE", least)
        monkeypatch.setattr(cores, "cores", lambda: threads)
        machine = Machine(dtype="float32", eight_bits=eight_bits)
        decoder = Decoder(Config(2, 2, 32, 64, weights, vectors=F32), machine=machine, growing=True)
        first = decoder.prefill(list(range(FEW)))
        return np.concatenate([first, decoder.decode(2)[None]], axis=None), decoder.ledger.entries

    (logits, entries), (plain, same) = run(1), run(2**40)
    assert entries == same
    assert (logits != plain).any()
    assert_allclose(logits, plain, atol=near * np.abs(plain).max())
    for threads in (2, 4):
        again, entered = run(1, threads)
        assert again.tobytes() == logits.tobytes()
        assert entered == entries
