"""Defaults that the config classes of transformers have for fields that a config leaves out, into `data/defaults.json`

To be run where transformers is: `python tests/class_defaults.py`, with the files of `OF_AUTHORS` on the path, which are
in the folder `models` of the repositories Ling and Ling-V2 of github.com/inclusionAI. Each family has a config of the
fields that are never left out, and some have further ones that switch something on, since some fields count only then.
Their numbers are no class's defaults, so that what is derived from them is seen.
"""

from __future__ import annotations

import json
import logging
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "defaults.json"
NEVER_LEFT_OUT = {  # 64 heads divide into as many groups as any class has, and 31 blocks are no whole patterns
    "hidden_size": 1536, "intermediate_size": 3001, "num_attention_heads": 64, "num_hidden_layers": 31,
    "vocab_size": 1009,
}  # fmt: skip
OF_GPT2 = {"n_embd": 1536, "n_head": 64, "n_layer": 31, "vocab_size": 1009}
OF_BLOOM = {"hidden_size": 1536, "n_head": 64, "n_layer": 31, "vocab_size": 1009}
OF_OPT = {**NEVER_LEFT_OUT, "ffn_dim": 3001}
OF_OPT.pop("intermediate_size")
WITHOUT_MLP = {name: value for name, value in NEVER_LEFT_OUT.items() if name != "intermediate_size"}
BLOCKS = ["linear_attention", "full_attention", "mlp", "moe"]
MIXED = ["linear_attention", "full_attention"] * 15 + ["linear_attention"]
CONVOLVING = ["conv", "full_attention"] * 15 + ["conv"]
WINDOW = {"use_sliding_window": True}
DEEP = {"num_hidden_layers": 83}  # windows begin after 80 blocks
LARGE = {"hidden_size_per_layer_input": 0}  # without embeddings of blocks, as the large ones of Gemma 4
EXPERTS = {"enable_moe_block": True, "num_experts": 11, "top_k_experts": 3, "moe_intermediate_size": 17}
SHARING = {"num_kv_shared_layers": 7}
SHARED = {"attention_k_eq_v": True, "num_global_key_value_heads": 2}
LATENT = {
    "num_attention_heads": 128
}  # its classes say 128 key/value heads, and latent attention has no fewer than heads

# By the family, what its configs give besides; one empty object where nothing.
FAMILIES: dict[str, tuple[dict[str, Any], ...]] = {
    **dict.fromkeys(
        (
            "apertus", "bloom", "cohere", "cohere2", "deepseek_v4", "ernie4_5", "ernie4_5_moe", "exaone4", "gemma",
            "gemma2", "gemma3_text", "gemma3n_text", "glm", "glm4", "glm4_moe", "glm_moe_dsa", "gpt2", "gpt_neox",
            "gpt_oss", "gptj",
            "granite", "granitemoe", "hunyuan_v1_dense", "hunyuan_v1_moe", "llama", "llama4_text", "mimo_v2_flash",
            "minimax_m2", "ministral3", "mistral", "mixtral", "olmo2", "olmo3", "olmoe", "opt", "phi", "phi3", "phimoe",
            "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next", "qwen3_vl_moe_text", "qwen3_vl_text", "seed_oss",
            "stablelm", "starcoder2",
        ),
        ({},),
    ),
    **dict.fromkeys(("qwen2", "qwen2_moe", "qwen3", "qwen3_moe"), ({}, WINDOW)),
    **dict.fromkeys(("qwen2_5_vl_text", "qwen2_vl_text"), (DEEP, DEEP | WINDOW)),
    **dict.fromkeys(("deepseek_v3", "deepseek_v32", "kimi_k2"), (LATENT,)),
    "deepseek_v2": ({"num_experts_per_tok": 3},),
    "glm4_moe_lite": ({"num_attention_heads": 20},),  # as many as its class has key/value heads
    "cohere2_moe": ({}, {"first_k_dense_replace": 5}),
    "falcon": ({}, {"new_decoder_architecture": True}, {"multi_query": False}),
    "gemma4_text": ({}, LARGE, LARGE | EXPERTS, LARGE | SHARED, SHARING),
    "falcon_h1": ({}, {"mamba_d_ssm": None}),
    "granitemoehybrid": ({"layer_types": MIXED},),
    "lfm2": ({"full_attn_idxs": [2, 5, 30]}, {"layer_types": CONVOLVING}, {"block_auto_adjust_ff_dim": False}),
    "lfm2_moe": ({"layer_types": CONVOLVING},),
    "nemotron_h": ({"layers_block_type": BLOCKS, "num_hidden_layers": len(BLOCKS)},),
    "smollm3": ({}, WINDOW | {"sliding_window": 77}, {"sliding_window": 77}),
}  # fmt: skip
# Families that transformers has no class for: files of their authors, the class in each, and what its configs give.
OF_AUTHORS: dict[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    "bailing_moe": (
        ("configuration_bailing_moe", "BailingMoeConfig", {"num_key_value_heads": 8, "moe_intermediate_size": 17}),
        ("configuration_bailing_moe_v2", "BailingMoeV2Config", {"architectures": ["BailingMoeV2ForCausalLM"]}),
    ),
}
CLASSES = {"kimi_k2": "deepseek_v3"}  # a family without a class of its own
OWN_NAMES = {
    "bloom": OF_BLOOM, "deepseek_v4": WITHOUT_MLP, "falcon": WITHOUT_MLP, "gpt2": OF_GPT2, "gptj": OF_GPT2,
    "lfm2": WITHOUT_MLP, "lfm2_moe": WITHOUT_MLP, "opt": OF_OPT,
}  # fmt: skip
WRAPPERS = {  # by the family of their text part where it is not said
    "exaone4_5": "exaone4", "gemma3": "gemma3_text", "gemma3n": "gemma3n_text", "gemma4": "gemma4_text",
    "internvl": "qwen2",
    "kimi_k25": "deepseek_v3", "llama4": "llama4_text", "mistral3": "mistral", "qwen2_5_vl": "qwen2_5_vl_text",
    "qwen2_vl": "qwen2_vl_text", "qwen3_5": "qwen3_5_text", "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen3_vl": "qwen3_vl_text", "qwen3_vl_moe": "qwen3_vl_moe_text", "voxtral": "llama",
}  # fmt: skip
# wrappers whose text part may leave out all that is never left out elsewhere
BARE = {"gemma3": {}, "gemma3n": {}, "gemma4": LARGE, "voxtral": {}}


def rows() -> list[dict[str, Any]]:
    """Of each config what it gives, and what is taken for what is absent; of a wrapper's text part what is in there."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    found = []
    for family, switched in FAMILIES.items():
        of_class = CONFIG_MAPPING[CLASSES.get(family, family)]
        for more in switched:
            given = OWN_NAMES.get(family, NEVER_LEFT_OUT) | more
            found.append({"model_type": family, "given": given, "absent": absent(of_class(**given), given)})
    for family, files in OF_AUTHORS.items():
        for file, name, more in files:
            given = NEVER_LEFT_OUT | more
            config = getattr(import_module(file), name)(**given)
            found.append({"model_type": family, "given": given, "absent": absent(config, given)})
    for family, text in WRAPPERS.items():
        inner = {"model_type": text} | OWN_NAMES.get(text, NEVER_LEFT_OUT) | FAMILIES[text][0]
        ties = getattr(CONFIG_MAPPING[family](text_config=inner), "tie_word_embeddings", False)
        found.append({"model_type": family, "given": {"text_config": inner}, "absent": {"tie_word_embeddings": ties}})
    for family, inner in BARE.items():
        config = CONFIG_MAPPING[family](text_config=inner).text_config
        found.append({"model_type": family, "given": {"text_config": inner}, "in_text": absent(config, inner)})
    return found


def absent(config: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Defaults of a class for the other fields, under each of their names; without fields that every config has."""
    from transformers import PreTrainedConfig

    said = config.to_dict()
    said |= {other: getattr(config, own) for other, own in config.attribute_map.items() if hasattr(config, own)}
    beside = PreTrainedConfig().to_dict().keys() - {"tie_word_embeddings"}
    # JSON has no infinity, which is what a time step is clipped at
    return {
        name: value
        for name, value in sorted(said.items())
        if name not in given and name not in beside and "Infinity" not in json.dumps(value)
    }


def main() -> None:
    """The file is written anew, a config a line."""
    import transformers

    logging.disable()
    doc = (
        f"Made by class_defaults.py with transformers {transformers.__version__}: what its config classes take for "
        "fields that a config leaves out, by what it gives."
    )
    lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows())
    FILE.write_text(f'{{"_doc": {json.dumps(doc)},\n"rows": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
