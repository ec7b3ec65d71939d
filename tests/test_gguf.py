"""GGUF files are sized from their headers, whatever family they are of, as from the config of the same model"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import gguf
import pytest
from gguf_cases import CASES, F16, F32, Q4_K, Q8_0, VOCAB, Case, D, N, gguf_bytes, text, value

from symbolic_llm import Model, Sizing, presets
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidModel
from symbolic_llm.models.gguf import parts_of
from symbolic_llm.models.gguf_families import ARCHITECTURES


def write(path: Path, data: bytes, size: int = 2**22) -> Path:
    """A file that begins so and is long enough for its tensors, of which nothing is written."""
    path.write_bytes(data)
    os.truncate(path, size)
    return path


def differences(found: Model, meant: Model) -> list[str]:
    """Differences of two models, but for their names and number formats."""
    return [
        what
        for what in ("family", "letters", "parts", "context_limit", "parameters", "active_parameters")
        if getattr(found, what) != getattr(meant, what)
    ]


@pytest.mark.parametrize("name", CASES)
def test_a_header_says_what_the_config_said(name: str, tmp_path: Path) -> None:
    """For each architecture: the same shapes and parts, the bytes of its tensors, and those of each kind of part."""
    case = CASES[name]
    model = presets.model(str(write(tmp_path / "made.gguf", case.bytes(lambda one: F16 if one.endswith("t") else F32))))
    assert not differences(model, Model.from_config(case.config))
    assert model.stored is not None
    assert model.stored.n_bytes is not None
    weights = sum(part.each * part.stored for part in model.parts if part.kind != "activations")  # which is metadata
    assert 2 * weights <= model.stored.n_bytes < 2.2 * weights
    assert {2} == {width for _, width in model.stored.widths}
    multiplied = {part.place for part in model.parts if part.multiplied}
    assert multiplied <= {place for place, _ in model.stored.widths}


def test_every_architecture_has_a_case() -> None:
    """An architecture that is added wants a header."""
    assert {case.arch for case in CASES.values()} == ARCHITECTURES.keys()
    assert len(ARCHITECTURES) > 45


@pytest.mark.parametrize("name", CASES)
def test_a_header_that_lies_is_noticed(name: str, tmp_path: Path) -> None:
    """The twin: any width of the metadata a little larger, or a tensor too many, and the file is refused."""
    case, tried = CASES[name], 0
    experts_alone = "expert_feed_forward_length" in case.metadata and "leading_dense_block_count" not in case.metadata
    # nothing has that width, or its family asks nowhere, since it is four times the model's
    unheard = {"feed_forward_length"} if experts_alone or case.arch == "bloom" else set()
    for key, found in case.metadata.items():
        if key.endswith(("feed_forward_length", "embedding_length")) and isinstance(found, int) and key not in unheard:
            changed = Case(case.arch, {**case.metadata, key: found + 16}, case.tensors)
            refused(write(tmp_path / "lies.gguf", changed.bytes()), "")
            tried += 1
    more = Case(case.arch, case.metadata, {**case.tensors, "blk.0.more.weight": (D, D)})
    refused(write(tmp_path / "more.gguf", more.bytes()), "its tensors hold")
    assert tried


def refused(path: Path | str, sentence: str) -> None:
    """Assert that a file is refused in one sentence."""
    with pytest.raises(InvalidModel) as caught:
        presets.model(str(path))
    message = str(caught.value)
    assert sentence in message
    assert message.count("\n") == 0
    assert message.endswith(".")
    assert len(message) < 1500


def test_formats_are_heard_tensor_by_tensor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mixture: the bytes of each part, and their sum; the command line sizes it by them."""
    case = CASES["qwen3moe"]
    shapes = {**case.tensors}
    for i in range(N):  # rows of whole blocks
        shapes[f"blk.{i}.ffn_up_exps.weight"], shapes[f"blk.{i}.ffn_gate_exps.weight"] = (8, 256, D), (8, 256, D)
        shapes[f"blk.{i}.ffn_down_exps.weight"] = (8, D, 256)
    case = Case(case.arch, {**case.metadata, "expert_feed_forward_length": 256}, shapes)
    kinds = {"ffn_down_exps": Q4_K, "ffn_up_exps": Q8_0, "token_embd": F16}
    kind: Callable[[str], int] = lambda one: next((k for word, k in kinds.items() if word in one), F32)  # noqa: E731
    path = write(tmp_path / "mixed.gguf", case.bytes(kind), 2**24)
    stored = presets.model(path.as_posix()).stored
    assert stored is not None
    sizes = {F32: Fraction(4), F16: Fraction(2), Q8_0: Fraction(34, 32), Q4_K: Fraction(144, 256)}
    assert stored.n_bytes == sum(prod(shape) * sizes[kind(one)] for one, shape in shapes.items())
    widths = dict(stored.widths)
    assert widths["embedding"] == 2
    assert widths["routed experts"] == (sizes[Q4_K] + sizes[Q8_0] + 4) / 3
    assert main(["model", str(path), "--hardware", "rtx-4090"]) == 0
    assert "q4_k" in capsys.readouterr().out
    assert Sizing(str(path), "rtx-4090").data()["held"] > stored.n_bytes


def test_as_the_library_reads_it(tmp_path: Path) -> None:
    """The second witness of the reader: names, shapes and bytes of every tensor, for all formats that there are."""
    from symbolic_llm.models.gguf_header import read_header

    shapes = {"token_embd.weight": (4, 512)}
    for kind, (block, n_bytes) in gguf.GGML_QUANT_SIZES.items():
        data = gguf_bytes({"general.architecture": "llama", "a": [1, 2], "b": True}, shapes, lambda _, kind=kind: kind)
        with write(tmp_path / "one.gguf", data, 2**16).open("rb") as file:
            header = read_header(file.read, "one.gguf")
        assert header.tensors["token_embd.weight"] == ((4, 512), kind.name, 2048 // block * n_bytes)
    data = gguf_bytes({"general.architecture": "x"}, shapes, lambda _: F16)
    found = gguf.GGUFReader(write(tmp_path / "f16.gguf", data))
    assert [int(number) for number in found.tensors[0].shape] == [512, 4]
    with (tmp_path / "f16.gguf").open("rb") as file:
        assert read_header(file.read, "f16.gguf").size == found.tensors[0].data_offset + found.tensors[0].n_bytes


# Split files


def split(case: Case, folder: Path, n: int = 3) -> list[Path]:
    """The parts of a file: the first has the metadata, each has some of the tensors."""
    names = list(case.tensors)
    found = []
    for number in range(n):
        values = case.values if number == 0 else {"split.no": number}
        tensors = {name: case.tensors[name] for name in names[number::n]}
        found.append(write(folder / f"m-{number + 1:05}-of-{n:05}.gguf", gguf_bytes(values, tensors)))
    return found


def test_a_split_file_is_one_model(tmp_path: Path) -> None:
    """By the path of any of its parts; one that is missing is named."""
    case = CASES["qwen3"]
    parts = split(case, tmp_path)
    meant = Model.from_config(case.config)
    for path in parts:
        assert not differences(presets.model(str(path)), meant)
    parts[1].unlink()
    refused(parts[0], "m-00002-of-00003.gguf cannot be read: no such file")
    assert parts_of("x.gguf") == ["x.gguf"]
    assert parts_of("x-00001-of-00000.gguf") == ["x-00001-of-00000.gguf"]
    assert parts_of("x-00001-of-99999.gguf") == ["x-00001-of-99999.gguf"]
    write(parts[1], gguf_bytes({}, {"output_norm.weight": (D,), "token_embd.weight": (VOCAB, D)}))
    refused(parts[0], "two of its parts have the same tensor")


# Hostile files

QWEN = CASES["qwen3"]
GOOD = QWEN.bytes()
HEAD = b"GGUF" + struct.pack("<I", 3)


def with_value(name: str, found: Any) -> bytes:
    """The file with another value in its metadata."""
    return Case(QWEN.arch, {**QWEN.metadata, name: found}, QWEN.tensors).bytes()


def with_tensor(name: str, shape: tuple[int, ...], kind: int = F32) -> bytes:
    """The file with another tensor."""
    return gguf_bytes(QWEN.values, {**QWEN.tensors, name: shape}, lambda one: kind if one == name else F32)


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "ends in the middle"),
    "no GGUF": (b"PK\x03\x04" + bytes(99), "does not begin like one"),
    "version": (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "its version is 1"),
    "many values": (HEAD + struct.pack("<QQ", 1, 2**60), "it claims 1 tensors and"),
    "many tensors": (HEAD + struct.pack("<QQ", 2**60, 1), "it claims"),
    "nothing": (HEAD + struct.pack("<QQ", 0, 0), "general.architecture 'None' is not sized"),
    "long name": (HEAD + struct.pack("<QQQ", 0, 1, 2**50), "it has a text of"),
    "unknown type": (HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<I", 77), "unknown type 77"),
    "huge array": (
        HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 4, 2**61),
        "it has an array of",
    ),
    "many texts": (
        HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 8, 2**40),
        "it has an array of 1099511627776 texts",
    ),
    "array of arrays": (
        HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 9, 1),
        "unknown type 9",
    ),
    "twice": (HEAD + struct.pack("<QQ", 0, 2) + 2 * (text("a") + value(1)), "two values 'a'"),
    "no architecture": (gguf_bytes({"general.name": "x"}, {"token_embd.weight": (4, 4)}), "is not sized from a GGUF"),
    "a number as architecture": (gguf_bytes({"general.architecture": 3}, {}), "general.architecture '3'"),
    "another architecture": (gguf_bytes({"general.architecture": "rwkv6"}, {}), "'rwkv6' is not sized"),
    "no embedding": (gguf_bytes({"general.architecture": "llama"}, {"x": (4,)}), "token_embd.weight is missing"),
    "no blocks": (with_value("block_count", 0), "block_count must be a number of blocks"),
    "many blocks": (with_value("block_count", 2**31), "block_count must be a number of blocks"),
    "text as number": (with_value("block_count", "four"), "must be a whole number, not four"),
    "truth as number": (with_value("embedding_length", True), "must be a whole number, not True"),
    "a fraction": (with_value("attention.head_count", 6.5), "must be a whole number, not 6.5"),
    "no heads": (with_value("attention.head_count", 0), "num_attention_heads must be between 1"),
    "no axes": (with_tensor("x", ()), "has 0 axes"),
    "five axes": (with_tensor("x", (1, 1, 1, 1, 1)), "has 5 axes"),
    "no rows": (with_tensor("x", (0, 4)), "not whole blocks"),
    "wide": (with_tensor("x", (2**40, 4)), "not whole blocks"),
    "unknown format": (with_tensor("x", (4, 4), 999), "unknown format 999"),
    "half a block": (with_tensor("x", (4, 33), Q8_0), "not whole blocks of 32"),
    "alignment": (
        gguf_bytes({**QWEN.values, "general.alignment": 0}, QWEN.tensors),
        "its alignment is 0",
    ),
    "two tensors": (
        HEAD + struct.pack("<QQ", 2, 0) + 2 * (text("a") + struct.pack("<IQIQ", 1, 4, 0, 0)),
        "two tensors 'a'",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_gets_one_sentence(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Huge counts, wrong types, what no model is; on the command line too."""
    data, sentence = HOSTILE[case]
    path = tmp_path / "hostile.gguf"
    path.write_bytes(data)
    if b"general." in data:  # whole, but for its weights
        os.truncate(path, 2**22)
    refused(path, sentence)
    assert main(["model", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_file_that_was_cut_gets_one_sentence(tmp_path: Path) -> None:
    """Wherever it ends: in its header, or before the last of its tensors."""
    path = tmp_path / "cut.gguf"
    for end in (*range(0, len(GOOD), 97), len(GOOD) - 1):
        path.write_bytes(GOOD[:end])
        refused(path, "it ends in the middle of its header")
    path.write_bytes(GOOD)
    refused(path, "its tensors end after")
    assert presets.model(str(write(path, GOOD))).parameters == Model.from_config(QWEN.config).parameters


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_file_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    """A byte changed anywhere: never another error than the package's own."""
    path = tmp_path / "damaged.gguf"
    for place in range(seed, len(GOOD) // 2, 53):
        write(path, GOOD[:place] + bytes([GOOD[place] ^ (1 << (place + seed) % 8)]) + GOOD[place + 1 :])
        with suppress(InvalidModel):
            presets.model(str(path))
