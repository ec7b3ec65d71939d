"""Bits that a weight really takes: presets and formulas against packed blocks and files"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from model_files import write_tensors
from numpy.testing import assert_allclose, assert_array_equal

from reference_engine.files.gguf_file import read_gguf
from reference_engine.formats import NAMED, Array, Format
from reference_engine.nested import MXFP4, NVFP4, Nested
from symbolic_llm import evaluate, presets, solve

FORMATS: dict[str, Format] = {
    "q8_0": NAMED["Q8_0"],
    "q4_0": NAMED["Q4_0"],
    "q4_k": NAMED["Q4_K"],
    "q6_k": NAMED["Q6_K"],
    "mxfp4": MXFP4,
    "nvfp4": NVFP4,
}


def per_weight(stored: Mapping[str, str]) -> Any:
    """Bytes of a weight in a format with blocks, by the formulas."""
    blocks = {name: value for name, value in stored.items() if name != "n_bytes"}
    return evaluate("nested_bytes_per_weight" if "n_shared" in blocks else "bytes_per_weight", **blocks)


@pytest.mark.parametrize("name", [name for name in presets.names("formats") if "n_bits" in presets.storage(name)])
def test_a_format_takes_what_its_blocks_take(name: str) -> None:
    """The preset, the formula of its bits and the record that is packed say the same."""
    stored = presets.storage(name)
    assert per_weight(stored) == Fraction(stored["n_bytes"])
    if name in FORMATS:
        assert FORMATS[name].n_bytes == Fraction(stored["n_bytes"])


def test_a_forgotten_minimum_is_noticed() -> None:
    """The twin: with the 6 bits of a scale and without those of a minimum, Q4_K would take less."""
    assert per_weight(presets.storage("q4_k") | {"n_scale": "6"}) != NAMED["Q4_K"].n_bytes


def test_microscaled_blocks_are_those_of_gguf() -> None:
    """Byte for byte and number for number; NVFP4 lies in GGUF with the scales of four blocks in front of them."""
    numbers = np.random.default_rng(0).standard_normal((3, 128)).astype(np.float32)
    packed = MXFP4.pack(numbers)
    assert_array_equal(packed.view(np.uint8).reshape(3, -1), gguf.quantize(numbers, gguf.GGMLQuantizationType.MXFP4))
    assert_array_equal(
        MXFP4.unpack(packed), gguf.dequantize(packed.view(np.uint8), gguf.GGMLQuantizationType.MXFP4).reshape(3, 128)
    )
    blocks = NVFP4.pack(numbers).reshape(3, 2, 4)
    theirs = np.concatenate([blocks["scale"], blocks["codes"].reshape(3, 2, -1)], axis=-1).reshape(3, -1)
    assert theirs.nbytes == blocks.nbytes
    assert_array_equal(NVFP4.unpack(blocks.reshape(3, 8)), gguf.dequantize(theirs, gguf.GGMLQuantizationType.NVFP4))
    for format in (MXFP4, NVFP4):
        assert_allclose(format.unpack(format.pack(numbers)), numbers, atol=np.abs(numbers).max() / 4)


@pytest.mark.parametrize(("bits", "scale_bits"), [(2, 4), (4, 6), (8, 10)])
def test_blocks_of_blocks_read_back(bits: int, scale_bits: int) -> None:
    """Numbers in blocks of blocks read back as near as the codes are fine, to within two steps."""
    format = Nested(bits, 16, 8, scale_bits, 32)
    numbers = np.random.default_rng(1).standard_normal((3, 256))
    step = np.abs(numbers).max() / 2 ** (bits - 1)
    assert_allclose(format.unpack(format.pack(numbers)), numbers, atol=2 * step)


def grouped(matrix: Array, group: int) -> dict[str, Array]:
    """(inputs, outputs) -> the arrays in which GPTQ stores a matrix in 4 bits, `group` inputs to a scale.

    Codes and zero points are packed eight to a word; `g_idx` says of each input its group. AWQ stores the same without
    it. `ValueError` where inputs are no whole groups or outputs no whole words.
    """
    inputs, outputs = matrix.shape
    if inputs % group or group % 8 or outputs % 8:
        raise ValueError("inputs come in whole groups, and eight of them, or of the outputs, in a word")
    blocks = matrix.astype(np.float32).reshape(-1, group, outputs)
    low, high = np.minimum(blocks.min(1), 0), np.maximum(blocks.max(1), 0)
    scales = np.where(high > low, (high - low) / 15, 1).astype(np.float16)
    zeros = np.clip(np.round(-low / scales), 0, 15)
    codes = np.clip(np.round(blocks / scales[:, None]) + zeros[:, None], 0, 15).reshape(inputs, outputs)
    return {
        "qweight": _words(codes.T).T,
        "qzeros": _words(zeros),
        "scales": scales,
        "g_idx": np.repeat(np.arange(inputs // group, dtype=np.int32), group),
    }


def _words(codes: Array) -> Array:
    """(..., n) codes of 4 bits -> (..., n/8) words, the first in the lowest bits."""
    each = codes.astype(np.uint32).reshape(*codes.shape[:-1], -1, 8) << np.arange(0, 32, 4, dtype=np.uint32)
    words: Array = np.ascontiguousarray(each.sum(axis=-1, dtype=np.uint32).view(np.int32))
    return words


@pytest.mark.parametrize("index", [True, False])
def test_a_gptq_file_takes_what_the_formula_says(index: bool, tmp_path: Path) -> None:
    """Groups of 128 with a scale and a zero point; GPTQ's numbers of groups are 32 bits for a row of outputs."""
    inputs, outputs = 256, 64
    matrix = np.random.default_rng(2).standard_normal((inputs, outputs)).astype(np.float32)
    arrays = {name: array for name, array in grouped(matrix, 128).items() if index or name != "g_idx"}
    write_tensors(path := tmp_path / "model.safetensors", arrays)
    header = 8 + int.from_bytes(path.read_bytes()[:8], "little")
    stored: dict[str, Any] = dict(presets.storage("int4-g128"))
    if index:
        stored |= {"n_shared": 32, "n_superblock": outputs}
    assert path.stat().st_size - header == per_weight(stored) * matrix.size
    codes = (arrays["qweight"].view(np.uint32)[:, None] >> np.arange(0, 32, 4, dtype=np.uint32)[:, None]) & 15
    zeros = (arrays["qzeros"].view(np.uint32)[..., None] >> np.arange(0, 32, 4, dtype=np.uint32)) & 15
    steps = codes.reshape(2, 128, outputs).astype(float) - zeros.reshape(2, 1, outputs)
    read = (steps * arrays["scales"][:, None].astype(float)).reshape(matrix.shape)
    assert_allclose(read, matrix, atol=float(arrays["scales"].max()))


def test_a_file_takes_what_its_tensors_take(tmp_path: Path) -> None:
    """Tensor by tensor, and as a whole with embedding and output matrix in more bits; in less it is noticed."""
    shapes = {
        "token_embd.weight": ((40, 256), "Q6_K"),
        "output.weight": ((40, 256), "Q6_K"),
        "blk.0.attn_q.weight": ((256, 256), "Q4_K"),
        "blk.0.ffn_up.weight": ((512, 256), "Q4_K"),
    }
    writer = gguf.GGUFWriter(path := tmp_path / "model.gguf", "llama")
    for name, (shape, kind) in shapes.items():
        size = prod(shape) // 256 * NAMED[kind].dtype.itemsize
        data = np.zeros((shape[0], size // shape[0]), np.uint8)
        writer.add_tensor(name, data, raw_dtype=gguf.GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    _, tensors = read_gguf(path)
    for name, (shape, kind) in shapes.items():
        n_bytes = per_weight(presets.storage(kind.lower()))
        assert tensors[name].packed.nbytes == n_bytes * prod(shape)
        assert evaluate("weight_bytes", P_total=prod(shape), n_bytes=n_bytes) == tensors[name].packed.nbytes
    held = sum(tensor.packed.nbytes for tensor in tensors.values())
    weights = {"P_total": sum(prod(shape) for shape, _ in shapes.values()), "P_high": 2 * 40 * 256}
    of_most, of_others = (presets.storage(name)["n_bytes"] for name in ("q4_k", "q6_k"))
    found = evaluate("mixed_weight_bytes", **weights, n_bytes=of_most, n_bytes_2=of_others)
    assert found == held
    mean = solve("mean_bytes_per_weight", **weights, n_bytes=of_most, n_bytes_2=of_others).exact
    assert mean == Fraction(held, weights["P_total"])
    assert evaluate("mixed_weight_bytes", **weights, n_bytes=of_most, n_bytes_2=of_most) != held


def test_the_crossovers_of_the_articles() -> None:
    """With weights in 4 bits 40.3 sequences where arithmetic stays in 16, and 161.2 where it does not."""
    machine = {"hardware": "a100-80gb-pcie"}
    for precision, printed in (({"dtype": "fp16", "weights": "int4"}, 40.3), ({"dtype": "int4"}, 161.2)):
        assert round(float(evaluate("batch_crossover", **machine, **precision)), 1) == printed
    given = {**machine, "model": "llama-7b", "dtype": "fp16", "weights": "int4", "F_2": "1248 TFLOP/s"}
    assert [evaluate("full_quantization_gain", **given, B=batch) for batch in (40, 41)] == [False, True]
    given = {**machine, "model": "llama-7b", "dtype": "fp16", "n_bytes_2": "0.5"}
    assert [evaluate("weight_quantization_gain", **given, B=batch) for batch in (161, 162)] == [True, False]
