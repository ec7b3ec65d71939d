"""LLM-Viewer (hahnyuan/LLM-Viewer) as run.py asks it: python llm_viewer.py PATH-OF-ITS-CLONE

It answers for the families that it has a file for in configs/, through its own `ModelAnalyzer`. Of its totals only the
matrix products are taken, since it counts five operations for each score and seven for each normed number beside them.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

CONFIGS = {"llama": "configs/Llama.py", "opt": "configs/opt.py", "gptj": "configs/gpt-j-6B.py"}
HARDWARE = "nvidia_A100"  # no answer here depends on it
STAGES = {"decode_flops": "decode", "last_logits_prefill_flops": "prefill"}  # its prefills make one token's logits
ATTENTION = ("qk_matmul", "sv_matmul")


def answers(analyzer: Any, questions: list[dict[str, Any]]) -> dict[str, float]:
    """The tool's answers to all questions that it has an answer for."""
    config, model = analyzer.config, analyzer.model_params
    layers = config.get_num_hidden_layers(model)
    products = (*config.get_linear_layers(model), *ATTENTION)
    found: dict[str, float] = {}
    for asked in questions:
        quantity, bits = asked["quantity"], asked.get("bits", 16)
        shape = (asked.get("context", 1), asked.get("batch", 1))
        if quantity == "multiplied_parameters":
            every = analyzer.analyze(*shape, w_bit=8)["total_results"]
            found[asked["id"]] = every["decode"]["load_weight"]
        elif quantity == "weight_bytes":
            every = analyzer.analyze(*shape, w_bit=bits)["total_results"]
            found[asked["id"]] = every["decode"]["memory_consumption_weight"]
        elif quantity == "kv_bytes":
            every = analyzer.analyze(*shape, kv_bit=bits)["total_results"]
            found[asked["id"]] = every["decode"]["memory_consumption_kv_cache"]
        elif quantity in STAGES:
            stage = analyzer.analyze(*shape)[STAGES[quantity]]
            found[asked["id"]] = layers * sum(stage[name]["OPs"] for name in products) + stage["lm_head"]["OPs"]
    return found


def main(clone: Path) -> None:
    """From standard input to standard output."""
    asked = json.load(sys.stdin)
    config = asked["config"] or {}
    if config.get("model_type") not in CONFIGS:
        print("{}")
        return
    os.chdir(clone)
    sys.path.insert(0, str(clone))
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        (Path(folder) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        from model_analyzer import ModelAnalyzer

        analyzer = ModelAnalyzer(folder, HARDWARE, CONFIGS[config["model_type"]])
        found = answers(analyzer, asked["questions"])
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
