"""llm-analysis (cli99/llm-analysis) as run.py asks it: python llm_analysis.py PATH-OF-ITS-CLONE [--own-reader]

It answers for families of its kind: full attention, an MLP or experts. Its own reader of config.json stops at most of
them, so the fields are put in by hand, as its files of models do; `--own-reader` asks that reader instead.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

KINDS = ("llama", "qwen3", "mixtral", "opt")


def by_hand(config: dict[str, Any]) -> dict[str, Any]:
    """The fields that it has for a model."""
    return {
        "name": "case",
        "num_layers": config["num_hidden_layers"],
        "n_head": config["num_attention_heads"],
        "hidden_dim": config["hidden_size"],
        "vocab_size": config["vocab_size"],
        "num_key_value_heads": config.get("num_key_value_heads"),
        "ffn_embed_dim": config.get("intermediate_size", config.get("ffn_dim")),
        "moe_num_experts": config.get("num_local_experts", 1),
        "moe_top_k": config.get("num_experts_per_tok", 1),
        "mlp_gated_linear_units": config["model_type"] != "opt",
    }


def answers(model: Any, questions: list[dict[str, Any]]) -> dict[str, float]:
    """The tool's answers to all questions that it has an answer for."""
    from llm_analysis.analysis import LLMAnalysis
    from llm_analysis.config import DtypeConfig, GPUConfig

    gpu = GPUConfig("any", 80, 2000, 300, 0, 312)  # no answer here depends on it
    found: dict[str, float] = {}
    for asked in questions:
        bits = asked.get("bits", 16)
        tool = LLMAnalysis(model, gpu, DtypeConfig("asked", bits, 16, bits))
        if asked["quantity"] == "parameters":
            found[asked["id"]] = tool.get_num_params_total()
        elif asked["quantity"] == "weight_bytes":
            layers = model.num_layers * tool.get_weight_memory_per_layer()
            found[asked["id"]] = layers + tool.get_memory_embedding() + tool.get_weight_memory_last_layernorm()
        elif asked["quantity"] == "kv_bytes":
            layer = tool.get_memory_kv_cache_per_layer(asked["batch"], asked["context"], bits / 8)
            found[asked["id"]] = layer * model.num_layers
        elif asked["quantity"] == "prefill_flops":
            with contextlib.suppress(AssertionError):  # it checks itself against a rule of thumb, and stops
                found[asked["id"]] = tool.get_num_flops_fwd_total(asked["batch"], asked["context"])
    return found


def main(clone: Path, own: bool) -> None:
    """From standard input to standard output."""
    asked = json.load(sys.stdin)
    config = asked["config"] or {}
    if config.get("model_type") not in KINDS:
        print("{}")
        return
    sys.path[0] = str(clone)  # this file has the name of its package
    with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory() as folder:
        from llm_analysis.config import ModelConfig, get_model_config_from_hf

        if own:
            (Path(folder) / "config.json").write_text(json.dumps(config), encoding="utf-8")
            model = get_model_config_from_hf(folder)
        else:
            model = ModelConfig(**by_hand(config))
        found = answers(model, asked["questions"])
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), "--own-reader" in sys.argv[2:])
