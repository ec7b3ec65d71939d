"""mlsysim as run.py asks it, in an environment that has it: python mlsysim.py

Its importer reads a config.json of any model; only the download is left out. Its rule for decoding leaves attention
out, which is another quantity; that for prompts has it, over the whole square when asked so.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(model: Any, asked: dict[str, Any]) -> float | None:
    """The tool's answer to a question, None where it has none."""
    from mlsysim.core.units import ureg
    from mlsysim.physics.transformer import calc_transformer_prefill_flops

    width = asked.get("bits", 16) / 8 * ureg.byte
    if asked["quantity"] == "parameters":
        return model.parameters.to("count").magnitude
    if asked["quantity"] == "weight_bytes":
        return model.size_in_bytes(width).to("byte").magnitude
    if asked["quantity"] == "kv_bytes":
        return model.get_kv_cache_size(asked["context"], asked["batch"], width).to("byte").magnitude
    if asked["quantity"] == "prefill_flops":
        sizes = (model.parameters, asked["context"], model.layers, model.hidden_dim)
        return asked["batch"] * calc_transformer_prefill_flops(*sizes, causal=False).to("flop").magnitude
    return None


def main() -> None:
    """From standard input to standard output."""
    asked = json.load(sys.stdin)
    if asked["config"] is None:
        print("{}")
        return
    del sys.path[0]  # this file has the name of its package
    from mlsysim.models import importer

    importer.fetch_hf_config = lambda name: asked["config"]
    model = importer.import_hf_model("case")
    print(json.dumps({one["id"]: answer(model, one) for one in asked["questions"]}))


if __name__ == "__main__":
    main()
