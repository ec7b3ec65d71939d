"""Loading a model

Weights stay where they lie in the file, mapped into memory as off-chip memory; a load onto the chip reads them from
there, piece by piece. So a model may be larger than the memory of the computer that counts it.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from ..config import InvalidConfig
from ..formats import NAMED, Format
from ..memory import Machine
from ..model import Decoder
from . import hub, llama_cpp, safetensors_file
from .gguf_file import read_gguf
from .tensors import ModelFileError, Values, place_weights


def load(
    path: str | PathLike[str],
    *,
    dtype: str = "float32",
    cache: Format | None = None,
    memory: int | None = None,
    eight_bits: bool = False,
) -> Decoder:
    """The decoder in a model directory (config.json and safetensors) or in a GGUF file.

    Architectures: llama, mistral, mixtral, qwen2, qwen3, gpt2. Weights are kept as they are stored, so their bytes are
    those of the file; `config.weights` is the format of the first query matrix. Caches grow as they are needed.

    Args:
        path: the directory, or the file.
        dtype: "float32" or "float64", the floats that the chip computes with.
        cache: how keys and values are stored; as floats of the chip's width if left out.
        memory: bytes of off-chip memory; None for no limit.
        eight_bits: as `Machine` has it.

    Raises:
        ModelFileError: the file is damaged, contradicts itself or is of a kind that the engine does not run.
        OutOfMemory: the weights do not fit into `memory`.
        ImportError: the package that reads such files is not installed.
    """
    path, machine = Path(path), Machine(memory, dtype=dtype, eight_bits=eight_bits)
    cache = cache or NAMED["F64" if dtype == "float64" else "F32"]
    where = path.name or str(path)
    spare: tuple[str, ...]
    try:
        if path.is_dir():
            config = hub.read_config(hub.read_json(path / "config.json"), cache)
            tensors, places = safetensors_file.read_tensors(path), safetensors_file.places_of(config)
            # GPT-2's files begin the names so or not, depending on which class wrote them
            tensors = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
            spare = safetensors_file.SPARE
        elif path.exists():
            facts, tensors = read_gguf(path)
            config = llama_cpp.read_config(Values(where, facts), tensors, cache)
            places, spare = llama_cpp.PLACES, llama_cpp.SPARE
        else:
            raise ModelFileError(f"{str(path)[-200:]} is neither a model directory (with config.json) nor a GGUF file")
        # before any name is made of it: a damaged number of blocks would keep the loops below busy
        if config.n_blocks > len(tensors) or config.n_blocks * config.n_experts > 2**16:
            raise ModelFileError(f"{where}: {len(tensors)} tensors are too few for {config.n_blocks} blocks")
    except InvalidConfig as error:
        raise ModelFileError(f"{where}: {error}") from None
    except OSError as error:
        raise ModelFileError(f"{where:.80} cannot be read: {error.strerror or error}") from None
    weights = place_weights(where, config, tensors, places, machine, spare)
    copy = tensors.get("lm_head.weight")
    # a file may repeat the tied matrix; if the two differ, there is no telling which one is meant
    if config.tied and copy is not None and not weights["embedding"].holds(copy.packed):
        raise ModelFileError(f"{where}: tie_word_embeddings says that lm_head.weight is the embedding, but it is not")
    vector = weights.get("norm.weight", weights["embedding"])
    config = replace(config, weights=weights["blocks.0.query"].format, vectors=vector.format)
    return Decoder(config, machine=machine, weights=weights, growing=True)
