"""hf-mem as run.py asks it, in an environment that has it: python hf_mem.py

It sizes the KV cache from a config.json, and has the bits of formats in blocks. Parameters it reads from the headers of
files, which no case has. Where layers with and without a window mix it means what servers reserve, not what is held.
"""

from __future__ import annotations

import json
import sys
from typing import Any

DTYPES = {32: "F32", 16: "BF16", 8: "F8_E4M3"}
RESERVED = ("gemma2", "gemma3_text")  # another quantity than what is asked
BLOCKS = {(4, 32, 16): "Q4_0", (8, 32, 16): "Q8_0"}


def main() -> None:
    """From standard input to standard output."""
    asked = json.load(sys.stdin)
    del sys.path[0]  # this file has the name of its package
    from hf_mem.gguf.types import GGUFDtype, GGUFDtypeBitsPerWeight
    from hf_mem.safetensors.kv_cache import compute_safetensors_kv_cache_size

    config, found = asked["config"], {}
    for one in asked["questions"]:
        if one["quantity"] == "kv_bytes" and config["model_type"] not in RESERVED:
            dtype = DTYPES[one["bits"]]
            found[one["id"]] = compute_safetensors_kv_cache_size(config, dtype, one["context"], one["batch"])
        elif one["quantity"] == "effective_bits":
            block: Any = BLOCKS.get((one["n_bits"], one["n_block"], one["n_scale"]))
            found[one["id"]] = block and GGUFDtypeBitsPerWeight[GGUFDtype[block]]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
