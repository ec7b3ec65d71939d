"""Storage formats: packed as llama.cpp packs them, byte for byte"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from reference_engine import Blocks
from reference_engine.formats import BF16, F16, F32, FORMATS, NAMED, Q4_0, Format, SuperBlocks
from reference_engine.nested import MXFP4, NVFP4, Nested
from reference_engine.packing import dots, widened

BLOCKS = {name: format for name, format in NAMED.items() if format.block > 1}
WRITTEN = [name for name, format in BLOCKS.items() if isinstance(format, Blocks)]


@pytest.fixture(scope="module")
def vectors() -> Any:
    """Rows with the bytes llama.cpp packs them to and the numbers that those stand for."""
    return np.load(Path(__file__).parent / "data" / "formats.npz")


@pytest.mark.parametrize("name", WRITTEN)
def test_packed_as_llama_cpp_packs(name: str, vectors: Any) -> None:
    """Byte for byte, edge cases included."""
    assert_array_equal(NAMED[name].pack(vectors["x"]).view(np.uint8), vectors[f"{name}_packed"])


@pytest.mark.parametrize("name", BLOCKS)
def test_unpacked_as_llama_cpp_unpacks(name: str, vectors: Any) -> None:
    """Every number, exactly."""
    packed = vectors[f"{name}_packed"].view(NAMED[name].dtype)
    assert_array_equal(NAMED[name].unpack(packed), vectors[f"{name}_dequant"])


def test_a_wrong_rounding_is_noticed(vectors: Any) -> None:
    """The twin: with the scale rounded to 16 bits before it is used, some codes differ."""
    scales = Q4_0.pack(vectors["x"])["scale"]
    blocks = vectors["x"].reshape(24, 16, 32)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wrong = np.trunc(np.nan_to_num(blocks / scales[..., None].astype(np.float32)) + 8.5)
    right = np.round(vectors["Q4_0_dequant"].reshape(blocks.shape) / np.where(scales == 0, 1, scales)[..., None] + 8)
    assert (np.minimum(wrong, 15) != right).any()


@given(name=st.sampled_from([*BLOCKS, "BF16"]), seed=st.integers(0, 2**32 - 1))
def test_any_bytes_read_as_gguf_reads_them(name: str, seed: int) -> None:
    """Whatever the bytes: the same numbers as by the library of the format, nothing that is no number excepted."""
    packed = np.random.default_rng(seed).integers(0, 256, (2, 3 * NAMED[name].dtype.itemsize), np.uint8)
    with np.errstate(all="ignore"):
        theirs = gguf.dequantize(packed, gguf.GGMLQuantizationType[name])
        ours = NAMED[name].unpack(packed.view(NAMED[name].dtype))
    assert_array_equal(ours, theirs)


@given(name=st.sampled_from([*WRITTEN, "BF16"]), seed=st.integers(0, 2**32 - 1), scale=st.integers(-20, 4))
def test_any_numbers_are_written_as_gguf_writes_them(name: str, seed: int, scale: int) -> None:
    """Whatever the numbers: the same bytes."""
    numbers = (np.random.default_rng(seed).standard_normal((2, 64)) * 10.0**scale).astype(np.float32)
    with np.errstate(all="ignore"):
        theirs = gguf.quantize(numbers, gguf.GGMLQuantizationType[name])
    assert_array_equal(NAMED[name].pack(numbers).view(np.uint8), theirs.view(np.uint8))


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])  # what four bits stand for without a sign (Open Compute Project, 2023)
E4M3 = gguf.quants.NVFP4  # GGUF's library writes and reads the scales


def written_as_nvfp4(numbers: Any, packed: Any) -> None:
    """Each block as it is published: a scale that brings its largest number to the largest code, and the nearest codes.

    Scales of 8 bits are rounded to; GGUF's are halved, since its codes count halves.
    """
    blocks = numbers.astype(np.float64).reshape(-1, 16)
    wanted = np.abs(blocks).max(-1) / E2M1.max()
    assert_array_equal(packed["scale"].reshape(-1), E4M3.fp32_to_ue4m3(wanted.astype(np.float32)))
    scales = 2.0 * E4M3.ue4m3_to_fp32(packed["scale"]).reshape(-1, 1, 1)
    nearest = np.abs(np.abs(blocks)[..., None] - scales * E2M1).min(-1)
    assert_array_equal(np.abs(NVFP4.unpack(packed).reshape(blocks.shape) - blocks), nearest)


def drawn_blocks(seed: int, exponent: int) -> Any:
    """Eight blocks of numbers of this size; a scale of 8 bits is neither too large nor too small for them."""
    return np.random.default_rng(seed).uniform(-1, 1, (4, 32)) * 2.0**exponent


@given(seed=st.integers(0, 2**32 - 1), exponent=st.integers(0, 9))
def test_numbers_are_written_as_nvfp4_is_published(seed: int, exponent: int) -> None:
    """Whatever the numbers."""
    numbers = drawn_blocks(seed, exponent)
    written_as_nvfp4(numbers, NVFP4.pack(numbers))


@pytest.mark.parametrize("largest", [4.0, 5.0, 5.9, 7.0])
def test_another_scale_is_noticed(largest: float) -> None:
    """The twin: with its largest number over another than the largest code, a block has another scale."""
    numbers = drawn_blocks(0, 3)
    wrong = NVFP4.pack(numbers)
    wrong["scale"] = NVFP4.pack(numbers * E2M1.max() / largest)["scale"]
    with pytest.raises(AssertionError):
        written_as_nvfp4(numbers, wrong)
    right = NVFP4.pack(numbers)
    right["codes"][0, 0, 0] ^= 1
    with pytest.raises(AssertionError):
        written_as_nvfp4(numbers, right)


def test_a_block_of_nvfp4_by_hand() -> None:
    """A block whose numbers are the codes times 1.25 is its own: scale 1.25 is 0 0111 010, codes lie in two halves."""
    numbers = 1.25 * np.concatenate([E2M1, -E2M1])
    (packed,) = NVFP4.pack(numbers)
    assert packed["scale"] == 0b0111_010
    assert [byte & 15 for byte in packed["codes"].tolist()] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert [byte >> 4 for byte in packed["codes"].tolist()][1:] == [9, 10, 11, 12, 13, 14, 15]
    assert_array_equal(NVFP4.unpack(packed[None]), numbers)


def test_every_half_is_widened_as_numpy_widens_it() -> None:
    """All 65,536, bit by bit: the finite ones together, infinities and what is no number among others, and few."""
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(256, 256)
    finite = np.where(np.isfinite(every), every, np.float16(1))
    for halves in (finite, finite.T, finite[:, ::2], finite[:2], every, every.T):
        assert_array_equal(widened(halves).view(np.uint32), halves.astype(np.float32).view(np.uint32))


CODED = (*(NAMED[name] for name in WRITTEN), Blocks(2, 32, 16), Blocks(4, 2, 32), Blocks(4, 8, 64), Blocks(8, 4, 64))
PRODUCTS = (F16, F32, BF16, *CODED)


def products(format: Format, seed: int, n: int) -> tuple[Any, Any, Any]:
    """Of n vectors and a packed matrix: the format's own, that of its numbers, and what rounding may take from it."""
    random = np.random.default_rng(seed)
    x, packed = random.standard_normal((n, 96)).astype(np.float32), format.pack(random.standard_normal((7, 96)))
    numbers = format.unpack(packed).astype(np.float64)
    most = np.abs(x).astype(np.float64).sum(-1, keepdims=True) * np.abs(numbers).max()
    return format.product(x, packed[1:]), x @ numbers[1:].T, 16 * np.finfo(np.float32).eps * most


@given(st.sampled_from(PRODUCTS), st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_a_packed_product_is_that_of_the_numbers(format: Format, seed: int, n: int) -> None:
    """Scales put to the sums of blocks give what scaled numbers give, in the width of the vectors."""
    product, exact, rounding = products(format, seed, n)
    assert product.dtype == np.float32
    assert (np.abs(product - exact) <= rounding).all()


@pytest.mark.parametrize("format", CODED, ids=str)
def test_a_wrong_packed_product_is_noticed(format: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: with codes that count from a neighbour's place, the difference is no rounding."""
    monkeypatch.setattr(Blocks, "middle", property(lambda self: 1))
    product, _, rounding = products(format, 0, 2)
    monkeypatch.undo()
    assert (np.abs(product - products(format, 0, 2)[1]) > rounding).any()


def halves_times(scale: float) -> tuple[Any, Any]:
    """All 63,488 finite halves, subnormal ones too, times a vector of this size: the product, and the exact one."""
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(-1, 64)
    finite = every[np.isfinite(every).all(-1)]
    x = np.random.default_rng(0).standard_normal((1, 64)).astype(np.float32) * np.float32(scale)
    return F16.product(x, finite) / scale, (x / scale).astype(np.float64) @ finite.T.astype(np.float64)


@pytest.mark.parametrize("scale", [2.0**-100, 1.0, 2.0**10, 2.0**20])
def test_halves_are_multiplied_as_they_are(scale: float) -> None:
    """To the rounding of each row's sum, also where the vector is too large to take over their exponents."""
    found, exact = halves_times(scale)
    assert_allclose(found[0], exact[0], rtol=1e-4, atol=2**-40)


@pytest.mark.parametrize("bias", [2.0**111, 1.0])
def test_a_wrong_bias_is_noticed(bias: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""
    monkeypatch.setattr("reference_engine.formats.BIAS", np.float32(bias))
    with pytest.raises(AssertionError):
        test_halves_are_multiplied_as_they_are(1.0)


def test_halves_that_are_no_numbers_are_multiplied_as_numpy_does() -> None:
    """Infinities and NaN in the matrix, and in the vector."""
    rows = np.ones((6, 64), np.float16)
    rows[0, 3], rows[1, 5], rows[2, 7], rows[3, :2] = np.inf, -np.inf, np.nan, (np.inf, -np.inf)
    for x in (np.ones((1, 64), np.float32), np.full((1, 64), np.inf, np.float32), np.full((1, 64), np.nan, np.float32)):
        with np.errstate(invalid="ignore"):
            assert_array_equal(F16.product(x, rows), x @ rows.astype(np.float32).T)


@pytest.mark.parametrize("n", [1, 7, 2**14, 2**15 + 2, 2**14 + 1, 3 * 2**13])
def test_a_long_dot_product_is_the_sum_of_short_ones(n: int) -> None:
    """Exactly, for whole numbers, whether the length can be halved or not."""
    x, rows = (np.random.default_rng(n).integers(-3, 4, (k, n)).astype(np.float32) for k in (1, 5))
    assert_array_equal(dots(x, rows), x @ rows.T)


def test_what_a_number_takes() -> None:
    """Exactly, scales included."""
    bits = {name: 8 * format.n_bytes for name, format in BLOCKS.items()}
    assert bits == {
        "Q4_0": Fraction(9, 2),
        "Q4_1": 5,
        "Q5_0": Fraction(11, 2),
        "Q5_1": 6,
        "Q8_0": Fraction(17, 2),
        "Q4_K": Fraction(9, 2),
        "Q6_K": Fraction(105, 16),
    }


def test_bfloat16_rounds_to_even_and_keeps_what_is_no_number() -> None:
    """Ties, infinities, NaN."""
    numbers = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, -np.inf, np.nan], np.float32)
    assert_array_equal(BF16.unpack(BF16.pack(numbers)), np.array([1.0, 1.0, 1 + 2**-6, -np.inf, np.nan]))


@given(
    format=st.sampled_from(
        [Blocks(4, 32, 16), Blocks(4, 32, 32), Blocks(4, 2, 16), Blocks(5, 8, 32), Blocks(8, 8, 32), Blocks(2, 4, 64)]
    ),
    seed=st.integers(0, 2**32 - 1),
    magnitude=st.sampled_from((1e-2, 1.0, 1e3)),
)
def test_quantisation_error_is_bounded(format: Blocks, seed: int, magnitude: float) -> None:
    """No weight is off by more than one step of its block, and half a step except at the end the codes do not reach."""
    numbers = (np.random.default_rng(seed).standard_normal((4, 64)) * magnitude).astype(np.float32)
    back = format.unpack(format.pack(numbers))
    blocks = numbers.reshape(-1, format.block)
    peak = np.take_along_axis(blocks, np.abs(blocks).argmax(-1, keepdims=True), -1)
    half = 127 if format.bits == 8 else 2 ** (format.bits - 1)
    step = np.abs(peak) / half
    rounding = {16: 2.0**-11, 32: 2.0**-23, 64: 2.0**-23}[format.scale_bits]
    slack = half * step * rounding * 1.01 + half * 2.0**-24
    error = np.abs(back.reshape(blocks.shape) - blocks)
    assert (error <= step + slack).all()
    reachable = blocks * -np.sign(peak) <= (half - 0.5) * step
    assert (error[reachable] <= (step / 2 + slack).repeat(format.block, 1)[reachable]).all()


@pytest.mark.parametrize("format", FORMATS.values(), ids=str)
def test_a_format_takes_the_bytes_it_says(format: Format) -> None:
    """The width in the table is the size of the array."""
    packed = format.pack(np.ones((3, 64)))
    assert packed.nbytes == 3 * 64 * format.n_bytes
    assert format.shape(packed) == (3, 64)
    assert_allclose(format.unpack(packed), np.ones((3, 64)), rtol=0.01)


@pytest.mark.parametrize("format", [*FORMATS.values(), Blocks(5), MXFP4, NVFP4, Nested(4, 16, 8)], ids=str)
@pytest.mark.parametrize("shape", [(0, 256), (2, 0, 256), (3, 0)])
def test_no_numbers_are_packed_too(format: Format, shape: tuple[int, ...]) -> None:
    """A convolution of one tap looks back on nothing: arrays without numbers take no bytes and keep their shape."""
    packed = format.pack(np.zeros(shape))
    assert packed.nbytes == 0
    assert packed.shape == (*shape[:-1], shape[-1] // format.block)
    assert format.unpack(packed).shape == shape


def test_what_cannot_be_packed_is_refused() -> None:
    """A block never reaches into the next row; what is too large or no number is no weight."""
    with pytest.raises(ValueError, match="rows of 33 numbers do not divide into blocks of 32"):
        Q4_0.pack(np.zeros((2, 33)))
    for bits in (3, 0):
        with pytest.raises(ValueError, match="codes have 2, 4, 5 or 8 bits"):
            Blocks(bits, 32, 16)
    for number in (1e9, np.inf, np.nan):
        with pytest.raises(ValueError, match="too large for scales of 16 bits, or no numbers"):
            Q4_0.pack(np.full((1, 32), number))
    with pytest.raises(ValueError, match="super-blocks of 6-bit codes are read, not written"):
        NAMED["Q6_K"].pack(np.zeros((1, 256)))
    with pytest.raises(ValueError, match="4 or 6 bits"):
        SuperBlocks(5)
