"""Model files for tests: where the given ones lie, and how others are written"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data"
ORACLES = DATA / "oracles"


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """config.json and the tensors of a model directory, by other means than the engine's."""
    from safetensors.numpy import load_file

    return json.loads((path / "config.json").read_text()), load_file(path / "model.safetensors")


def write(path: Path, config: Any, tensors: dict[str, Any], *, bf16: bool = False) -> Path:
    """A model directory with these; in the upper halves of 32-bit floats if asked for."""
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    write_tensors(path / "model.safetensors", tensors, bf16=bf16)
    return path


def write_tensors(path: Path, tensors: dict[str, Any], *, bf16: bool = False) -> None:
    """A safetensors file, byte by byte."""
    header, data = {}, b""
    for name, numbers in tensors.items():
        kind = f"{'I' if numbers.dtype.kind == 'i' else 'F'}{8 * numbers.itemsize}"
        piece = np.ascontiguousarray(numbers).view(np.uint16)[..., 1::2].tobytes() if bf16 else numbers.tobytes()
        offsets = [len(data), len(data) + len(piece)]
        header[name] = {"dtype": "BF16" if bf16 else kind, "shape": list(numbers.shape), "data_offsets": offsets}
        data += piece
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_gguf(path: Path, architecture: str, facts: dict[str, Any], tensors: dict[str, Any]) -> Path:
    """A GGUF file with whole numbers, numbers, arrays and tensors of 32-bit floats."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    for name, fact in facts.items():
        kinds = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, list: writer.add_array}
        add = kinds[type(fact)]
        add(f"{architecture}.{name}", fact)
    for name, numbers in tensors.items():
        writer.add_tensor(name, np.ascontiguousarray(numbers))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
