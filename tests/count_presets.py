"""Counts by transformers of the models that have a preset and no row in the other tables, into `data/presets.json`

To be run where torch and transformers are: `python tests/count_presets.py`. It counts the configs of the file anew, so
a further model is a further row with nothing but `config` and `source`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "presets.json"
_TEXT = ("language_model", "lm_head")


def counted(config: dict[str, Any]) -> dict[str, Any]:
    """Parameters on the meta device, those that a token uses, and what a token adds to the cache in sixteen bits."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

    fields = {key: value for key, value in config.items() if key != "quantization_config"}
    known = AutoConfig.for_model(**fields)
    with torch.device("meta"):
        kind = AutoModelForImageTextToText if "vision_config" in fields else AutoModelForCausalLM
        model = kind.from_config(known, dtype=torch.bfloat16)
    named = list(model.named_parameters())  # each once, a tied one too
    text = known.get_text_config()
    found = _sums(named, text)
    if "vision_config" in fields:
        found["text_part"] = _sums([(name, one) for name, one in named if any(part in name for part in _TEXT)], text)
    if getattr(text, "kv_lora_rank", None):  # the latent and the rotated key, which is what an implementation must keep
        numbers = text.num_hidden_layers * (text.kv_lora_rank + text.qk_rope_head_dim)
        if getattr(text, "index_head_dim", None):
            found["index_bytes_per_token"] = 2 * text.num_hidden_layers * text.index_head_dim
    else:
        numbers = _cached(model, 8) - _cached(model, 7)
    return {**found, "kv_bytes_per_token": 2 * numbers}


def _sums(named: Iterable[tuple[str, Any]], text: Any) -> dict[str, int]:
    sizes = [(name, weights.numel()) for name, weights in named]
    total, routed = sum(size for _, size in sizes), sum(size for name, size in sizes if ".experts." in name)
    experts = next(filter(None, (getattr(text, f"{key}_experts", 0) for key in ("num_local", "n_routed", "num"))), 0)
    used = total - routed + (routed * text.num_experts_per_tok // experts if experts else 0)
    return {"parameters": total, "active_parameters": used}


def _cached(model: Any, tokens: int) -> int:
    """Numbers in the keys and values of a cache after so many tokens."""
    import torch

    with torch.no_grad():
        ids = torch.zeros((1, tokens), dtype=torch.long, device="meta")
        layers = model(ids, use_cache=True).past_key_values.layers
    held = (getattr(layer, kind, None) for layer in layers for kind in ("keys", "values"))
    return sum(kept.numel() for kept in held if kept is not None)


if __name__ == "__main__":
    table = json.loads(FILE.read_text(encoding="utf-8"))
    for row in table["models"].values():
        if "counted" not in row:
            row |= counted(row["config"])
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table["models"].items())
    text = f'{{\n "_doc": {json.dumps(table["_doc"])},\n "models": {{\n{rows}\n }}\n}}\n'
    FILE.write_text(text, encoding="utf-8")
