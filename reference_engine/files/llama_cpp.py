"""GGUF files, as llama.cpp reads them

The gguf package reads a sound file. It does not survive every damaged one (a made-up length of an array keeps it busy
until memory is full), so lengths, counts and extents are first checked against the size of the file.
"""

from __future__ import annotations

import struct
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..config import Config
from ..quantize import NAMED, Array, Format
from .hub import EXPERTS, HEADS, Places
from .tensors import ModelFileError, Place, Tensor, Values

MOST_ENTRIES = 2**22  # of all arrays together; the largest vocabularies come to a million
SPARE = ("rope_freqs.weight", "output.weight")

PLACES: Places = {
    "embedding": (Place("token_embd"),),
    "positions": (Place("position_embd"),),
    "blocks.{}.norm_1": (Place("blk.{}.attn_norm"),),
    "blocks.{}.query": (Place("blk.{}.attn_q"), Place("blk.{}.attn_qkv", part=(0, 3))),
    "blocks.{}.key": (Place("blk.{}.attn_k"), Place("blk.{}.attn_qkv", part=(1, 3))),
    "blocks.{}.value": (Place("blk.{}.attn_v"), Place("blk.{}.attn_qkv", part=(2, 3))),
    "blocks.{}.output": (Place("blk.{}.attn_output"),),
    "blocks.{}.query_norm": (Place("blk.{}.attn_q_norm"),),
    "blocks.{}.key_norm": (Place("blk.{}.attn_k_norm"),),
    "blocks.{}.norm_2": (Place("blk.{}.ffn_norm"),),
    "blocks.{}.gate": (Place("blk.{}.ffn_gate"),),
    "blocks.{}.up": (Place("blk.{}.ffn_up"),),
    "blocks.{}.down": (Place("blk.{}.ffn_down"),),
    "blocks.{}.router": (Place("blk.{}.ffn_gate_inp"),),
    "blocks.{}.experts.{}.gate": (Place("blk.{0}.ffn_gate_exps", entry=True), Place("blk.{}.ffn_gate.{}")),
    "blocks.{}.experts.{}.up": (Place("blk.{0}.ffn_up_exps", entry=True), Place("blk.{}.ffn_up.{}")),
    "blocks.{}.experts.{}.down": (Place("blk.{0}.ffn_down_exps", entry=True), Place("blk.{}.ffn_down.{}")),
    "norm": (Place("output_norm"),),
    "output": (Place("output"),),
}


def read(path: Path, cache: Format) -> tuple[Config, dict[str, Tensor]]:
    """What the file describes, and its tensors, mapped."""
    try:
        from gguf import GGUFReader, GGUFValueType
    except ImportError:
        raise ImportError("to load GGUF files, install the package gguf") from None
    try:
        _check_extents(path)
        reader = GGUFReader(path)
        facts = {
            name: [] if field.types[0] == GGUFValueType.ARRAY else field.contents()
            for name, field in reader.fields.items()
        }
        tensors = {tensor.name: _tensor(path.name, tensor) for tensor in reader.tensors}
    except ModelFileError:
        raise
    except Exception as error:  # whatever the package stumbles over
        raise ModelFileError(f"{path.name} is no sound GGUF file: {type(error).__name__}: {error}") from None
    return read_config(Values(path.name, facts), tensors, cache), tensors


def _tensor(file: str, tensor: Any) -> Tensor:
    format = NAMED.get(tensor.tensor_type.name)
    if format is None:
        kind = tensor.tensor_type.name
        raise ModelFileError(f"{file}: the tensor {tensor.name!r:.80} holds {kind}, which the engine does not read")
    return Tensor(np.asarray(tensor.data).view(format.dtype), format)


def read_config(values: Values, tensors: dict[str, Tensor], cache: Format) -> Config:
    """What the file's description and its tensors say together."""
    name = values.one_of("general.architecture", {name: name for name in ("llama", "qwen2", "qwen3", "gpt2")})
    about = Values(values.where, values.all, f"{name}.")
    d_model, n_heads = about.whole("embedding_length"), about.whole("attention.head_count", most=HEADS)
    d_head = about.whole("attention.key_length", d_model // n_heads or None, most=HEADS)
    if about.whole("attention.value_length", d_head) != d_head or about.whole("rope.dimension_count", d_head) != d_head:
        raise ModelFileError(
            f"{values.where}: keys, values and rotation of different widths are not known to the engine"
        )
    if about.word("rope.scaling.type", "none") != "none":
        raise ModelFileError(f"{values.where}: the engine does not know the scaling in {name}.rope.scaling.type")
    vocabulary = tensors.get("token_embd.weight")
    if vocabulary is None:
        raise ModelFileError(f"{values.where}: there is no tensor token_embd.weight")
    learned = name == "gpt2"
    experts = about.whole("expert_count", 0, most=EXPERTS)
    window = about.whole("attention.sliding_window", 0)
    return Config(
        about.whole("block_count", most=HEADS),
        n_heads,
        d_head,
        len(vocabulary.packed),
        cache=cache,
        d_model=d_model,
        n_kv_heads=about.whole("attention.head_count_kv", n_heads, most=HEADS),
        d_ff=about.whole("feed_forward_length"),
        norm="layer" if learned else "rms",
        norm_epsilon=about.number(f"attention.layer_norm_{'' if learned else 'rms_'}epsilon"),
        activation="gelu_tanh" if learned else "silu",
        gated=not learned,
        biases=_biases(tensors),
        positions="learned" if learned else "rotary",
        n_positions=about.whole("context_length") if learned else 0,
        rope_theta=about.number("rope.freq_base", 10_000.0),
        rope_factors=_factors(tensors),
        rope_pairs="neighbours" if name == "llama" else "halves",  # llama.cpp reorders llama's rows
        qk_norm=name == "qwen3",
        tied="output.weight" not in tensors,
        n_experts=experts,
        n_active=about.whole("expert_used_count", most=EXPERTS) if experts else 0,
        windows=(window or None,),
    )


def _biases(tensors: dict[str, Tensor]) -> tuple[str, ...]:
    """The matrices of the first block that have one; the other blocks have to follow."""
    named = [(key.removeprefix("blocks.{}."), places) for key, places in PLACES.items()]
    return tuple(
        key
        for key, places in named
        if key in ("query", "key", "value", "output", "gate", "up", "down")
        and any(place.tensor([0, 0], "bias") in tensors for place in places)
    )


def _factors(tensors: dict[str, Tensor]) -> tuple[float, ...]:
    """What the rotary frequencies are divided by, for models with a stretched context."""
    factors = tensors.get("rope_freqs.weight")
    if factors is None:
        return ()
    if factors.packed.ndim != 1 or factors.packed.size > HEADS:
        raise ModelFileError("the tensor rope_freqs.weight is no vector of a head")
    return tuple(factors.format.unpack(factors.packed).astype(np.float64).tolist())


_SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a value of each type
_STRING, _ARRAY = 8, 9


class _Header:
    """A walk over the header of a file, which never leaves the file."""

    def __init__(self, path: Path) -> None:
        self.data: Array = np.memmap(path, np.uint8, mode="r")
        self.place, self.entries = 0, 0

    def take(self, layout: str) -> int:
        """The next number, little-endian."""
        size = struct.calcsize(layout)
        self.skip(size)
        return int(struct.unpack("<" + layout, self.data[self.place - size : self.place].tobytes())[0])

    def skip(self, n_bytes: int) -> None:
        """Go on by so many bytes."""
        if self.place + n_bytes > len(self.data):
            raise ModelFileError(f"the header needs {self.place + n_bytes} bytes, and the file has {len(self.data)}")
        self.place += n_bytes

    def string(self) -> str:
        """The next text."""
        size = self.take("Q")
        self.skip(size)
        return self.data[self.place - size : self.place].tobytes().decode(errors="replace")

    def value(self, kind: int) -> None:
        """Pass the next value, of this type."""
        if kind == _STRING:
            self.skip(self.take("Q"))
        elif kind == _ARRAY:
            of, count = self.take("I"), self.take("Q")
            self.entries += count
            if of == _ARRAY or self.entries > MOST_ENTRIES:
                raise ModelFileError(f"an array of {count} entries of type {of} is not what models hold")
            if of in _SCALARS:
                self.skip(_SCALARS[of] * count)
            else:
                for _ in range(count):
                    self.value(of)
        elif kind in _SCALARS:
            self.skip(_SCALARS[kind])
        else:
            raise ModelFileError(f"a value is of type {kind}, which there is not")


def _check_extents(path: Path) -> None:
    """`ModelFileError` unless every length in the header, and every tensor, lies within the file."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

    try:
        if path.stat().st_size < 24 or (header := _Header(path)).data[:4].tobytes() != b"GGUF":
            raise ModelFileError("it does not begin as one")
        header.skip(4)
        version, n_tensors, n_values = header.take("I"), header.take("Q"), header.take("Q")
        if version not in (2, 3):
            raise ModelFileError(f"it is of version {version}, and 2 and 3 are known")
        for _ in range(n_values):
            header.skip(header.take("Q"))
            header.value(header.take("I"))
        extents = []
        for _ in range(n_tensors):
            name, n_axes = header.string(), header.take("I")
            if n_axes > 4:
                raise ModelFileError(f"the tensor {name!r:.80} has {n_axes} axes")
            shape = [header.take("Q") for _ in range(n_axes)]
            block, size = GGML_QUANT_SIZES[GGMLQuantizationType(header.take("I"))]
            extents.append((name, header.take("Q") + prod(shape) // block * size))
        for name, end in extents:
            if header.place + end > len(header.data):
                raise ModelFileError(f"the tensor {name!r:.80} reaches beyond the end of the file")
    except ModelFileError as error:
        raise ModelFileError(f"{path.name} is no sound GGUF file: {error}") from None
