"""aiconfigurator as run.py asks it, in an environment that has aiconfigurator-core: python aiconfigurator.py

It answers for the architectures on its list, on one device: caches, and weights in the formats that it has. Its
operations have times, from tables of measurements, and no counts of FLOPs.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ARCHITECTURES = {
    "llama": "LlamaForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "mixtral": "MixtralForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM",
    "deepseek_v3": "DeepseekV3ForCausalLM",
    "nemotron_h": "NemotronHForCausalLM",
}
CACHES = {16: "bfloat16", 8: "fp8"}


def answer(folder: str, asked: dict[str, Any]) -> float | None:
    """The tool's answer to a question, None where it has none."""
    from aiconfigurator_core.sdk import common
    from aiconfigurator_core.sdk.config import ModelConfig
    from aiconfigurator_core.sdk.models import get_model

    weights = (common.GEMMQuantMode.bfloat16, common.MoEQuantMode.bfloat16)
    cache, of_weights = CACHES.get(asked.get("bits")), asked["quantity"] == "weight_bytes"
    if cache is None or asked["quantity"] not in ("kv_bytes", "weight_bytes"):
        return None
    modes = dict(zip(("gemm_quant_mode", "moe_quant_mode"), weights, strict=True))
    config = ModelConfig(kvcache_quant_mode=common.KVCacheQuantMode[cache], moe_tp_size=1, moe_ep_size=1, **modes)
    model = get_model(folder, config, "trtllm")
    if of_weights:
        return sum(part.get_weights() for part in model.context_ops)
    return asked["batch"] * model.get_kvcache_bytes_per_sequence(asked["context"])


def main() -> None:
    """From standard input to standard output."""
    asked = json.load(sys.stdin)
    config = asked["config"] or {}
    if config.get("model_type") not in ARCHITECTURES:
        print("{}")
        return
    more = {"architectures": [ARCHITECTURES[config["model_type"]]], "max_position_embeddings": 4096}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(more | config), encoding="utf-8")
        print(json.dumps({one["id"]: answer(folder, one) for one in asked["questions"]}))


if __name__ == "__main__":
    main()
