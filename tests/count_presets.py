"""Counts by transformers of the models that have a preset and no row in the other tables, into `data/presets.json`

To be run where torch and transformers are: `python tests/count_presets.py`. It counts the configs of the file anew, so
a further model is a further row with nothing but `config` and `source`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "presets.json"


def counted(config: dict[str, Any]) -> dict[str, int]:
    """Parameters on the meta device, those that a token uses, and what a token adds to the cache in sixteen bits."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    known = AutoConfig.for_model(**{"model_type": config["model_type"], **config})
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(known)
    experts = config.get("num_local_experts") or config.get("n_routed_experts") or 0
    total = routed = 0
    for name, weights in model.named_parameters():  # each once, a tied one too
        total += weights.numel()
        if ".experts." in name:
            routed += weights.numel()
    used = total - routed + (routed * config["num_experts_per_tok"] // experts if experts else 0)
    if "kv_lora_rank" in config:  # the latent and the rotated key, which is what an implementation has to keep
        numbers = config["num_hidden_layers"] * (config["kv_lora_rank"] + config["qk_rope_head_dim"])
    else:
        numbers = sum(
            layer.out_features for name, layer in model.named_modules() if name.endswith((".k_proj", ".v_proj"))
        )
    return {"parameters": total, "active_parameters": used, "kv_bytes_per_token": 2 * numbers}


if __name__ == "__main__":
    table = json.loads(FILE.read_text(encoding="utf-8"))
    for row in table["models"].values():
        row |= counted(row["config"])
    FILE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
