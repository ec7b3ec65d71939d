"""Model directories: the tensors of safetensors files, and the names that model hubs use for them"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..config import Config
from ..formats import NAMED
from .hub import read_json
from .tensors import ModelFileError, Place, Places, Tensor, regular

_LAYER, _MOE = "model.layers.{}.", "model.layers.{}.block_sparse_moe."
_FUSED = partial(Place, suffix="", entry=True)  # all experts of a layer in one tensor, the newer custom
_FUSED_UP, _FUSED_DOWN = "model.layers.{0}.mlp.experts.gate_up_proj", "model.layers.{0}.mlp.experts.down_proj"
LLAMA: Places = {
    "embedding": (Place("model.embed_tokens"),),
    "blocks.{}.norm_1": (Place(_LAYER + "input_layernorm"),),
    "blocks.{}.query": (Place(_LAYER + "self_attn.q_proj"),),
    "blocks.{}.key": (Place(_LAYER + "self_attn.k_proj"),),
    "blocks.{}.value": (Place(_LAYER + "self_attn.v_proj"),),
    "blocks.{}.output": (Place(_LAYER + "self_attn.o_proj"),),
    "blocks.{}.query_norm": (Place(_LAYER + "self_attn.q_norm"),),
    "blocks.{}.key_norm": (Place(_LAYER + "self_attn.k_norm"),),
    "blocks.{}.norm_2": (Place(_LAYER + "post_attention_layernorm"),),
    "blocks.{}.gate": (Place(_LAYER + "mlp.gate_proj"),),
    "blocks.{}.up": (Place(_LAYER + "mlp.up_proj"),),
    "blocks.{}.down": (Place(_LAYER + "mlp.down_proj"),),
    "blocks.{}.router": (Place(_MOE + "gate"), Place(_LAYER + "mlp.gate")),
    "blocks.{}.experts.{}.gate": (
        Place(_MOE + "experts.{}.w1"),
        _FUSED(_FUSED_UP, part=(0, 2)),
    ),
    "blocks.{}.experts.{}.up": (Place(_MOE + "experts.{}.w3"), _FUSED(_FUSED_UP, part=(1, 2))),
    "blocks.{}.experts.{}.down": (Place(_MOE + "experts.{}.w2"), _FUSED(_FUSED_DOWN)),
    "norm": (Place("model.norm"),),
    "output": (Place("lm_head"),),
}
GPT2: Places = {
    "embedding": (Place("wte"),),
    "positions": (Place("wpe"),),
    "blocks.{}.norm_1": (Place("h.{}.ln_1"),),
    "blocks.{}.query": (Place("h.{}.attn.c_attn", part=(0, 3), turned=True),),
    "blocks.{}.key": (Place("h.{}.attn.c_attn", part=(1, 3), turned=True),),
    "blocks.{}.value": (Place("h.{}.attn.c_attn", part=(2, 3), turned=True),),
    "blocks.{}.output": (Place("h.{}.attn.c_proj", turned=True),),
    "blocks.{}.norm_2": (Place("h.{}.ln_2"),),
    "blocks.{}.up": (Place("h.{}.mlp.c_fc", turned=True),),
    "blocks.{}.down": (Place("h.{}.mlp.c_proj", turned=True),),
    "norm": (Place("ln_f"),),
    "output": (Place("lm_head"),),
}
SPARE = (".rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias", "lm_head.weight")  # masks, tables, a tied output


def places_of(config: Config) -> Places:
    """Places of the weights by their names: GPT-2's for learned positions, else those of Llama."""
    return GPT2 if config.positions == "learned" else LLAMA


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder by name, mapped into memory."""
    index, single = folder / "model.safetensors.index.json", folder / "model.safetensors"
    if not index.exists():
        return read_safetensors(single)
    shards = read_json(index).section("weight_map")
    files = {shards.word(name) for name in shards.names}
    tensors: dict[str, Tensor] = {}
    for file in sorted(files):
        # an index could name files anywhere on the machine
        if not file.isprintable() or Path(file).name != file:
            raise ModelFileError(f"{index.name}: {file!r:.60} is not in this folder")
        found = read_safetensors(folder / file)
        if twice := tensors.keys() & found.keys():
            raise ModelFileError(f"{file} has the tensor {min(twice)!r:.80}, which another file has as well")
        tensors |= found
    missing = [name for name in shards.names if name not in tensors]
    if missing:
        raise ModelFileError(f"{index.name}: the tensor {missing[0]} is in none of the files")
    if single.exists() and single.name not in files:
        raise ModelFileError(
            f"{single.name} and {index.name} are both here, and the second does not name the first; remove one"
        )
    return tensors


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors of one file, mapped. The library checks the header; the numbers are then viewed where they lie."""
    try:
        from safetensors import SafetensorError, safe_open
    except ModuleNotFoundError:
        raise ImportError("to read model directories, install the package safetensors") from None
    if path.exists():
        regular(path)
    try:
        # opened for its checks alone: it copies tensors, and knows no bfloat16 in NumPy
        with safe_open(path, framework="numpy"):
            pass
        data = np.asarray(np.memmap(path, np.uint8, mode="r"))
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        header: Any = json.loads(data[8:start].tobytes())
    except FileNotFoundError:
        raise ModelFileError(f"there is no {path.name} in {path.parent}") from None
    except (SafetensorError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{path.name} is not a safetensors file: {error}") from None
    header.pop("__metadata__", None)
    return {name: _tensor(path.name, name, entry, data[start:]) for name, entry in header.items()}


def _tensor(file: str, name: str, entry: Any, data: Any) -> Tensor:
    format = NAMED.get(entry["dtype"])
    if format is None:
        raise ModelFileError(f"{file}: the tensor {name!r:.80} holds {entry['dtype']}, which the engine does not read")
    first, last = entry["data_offsets"]
    return Tensor(data[first:last].view(format.dtype).reshape(entry["shape"]), format)
