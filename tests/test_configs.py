"""Models read from config.json: exact, and unmoved by nonsense"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_llm import Model, Sizing, evaluate, explain, presets, solve
from symbolic_llm.errors import InvalidModel, Underdetermined, UnknownName
from symbolic_llm.models.families import FAMILIES, REFUSED
from symbolic_llm.models.harmless_keys import HARMLESS, speaks_of_shapes
from symbolic_llm.notation import C_prompt

DATA = Path(__file__).parent / "data"
COUNTED = json.loads((DATA / "models.json").read_text())["models"]  # by torch and transformers, on instantiated models
WILD = json.loads((DATA / "models_wild.json").read_text())  # as they are found, with counts where there are any
FLOPS = json.loads((DATA / "flops_real.json").read_text())["models"]  # by PyTorch's flop counter
ODD = json.loads((DATA / "models_odd.json").read_text())["models"]  # drawn, by transformers too
ONE_OF_EACH = {entry["config"]["model_type"]: entry["config"] for entry in (*ODD, *COUNTED.values())}


# Exact


@pytest.mark.parametrize("name", COUNTED)
def test_a_model_is_exact(name: str) -> None:
    """Stored, used and multiplied weights and cache bytes are those that transformers has."""
    entry = COUNTED[name]
    model = Model.from_config(entry["config"])
    assert model.parameters == entry["params_total"]
    assert model.active_parameters == entry.get("params_active", entry["params_total"])
    assert model.multiplied_parameters == entry["matmul_params_per_token"]
    assert model.kv_bytes_per_token(2) == entry["fields"]["kv_bytes_per_token_fp16"]


PARTS = {  # kinds of part here, by what the count calls them
    ("embedding",): ("embed_in", "other"),
    ("positions",): ("embed_pos",),
    ("norms",): ("norm",),
    ("attention", "mlp", "output", "biases"): ("attn", "mlp_dense", "lm_head"),  # each with its biases
    ("experts",): ("experts_routed", "experts_shared"),
    ("router",): ("router",),
}


@pytest.mark.parametrize("name", COUNTED)
def test_each_part_is_exact(name: str) -> None:
    """Not only their sum: one part is not made up for by another."""
    counted, found = COUNTED[name]["breakdown"], Model.from_config(COUNTED[name]["config"]).parameters_by_kind()
    for kinds, keys in PARTS.items():
        assert sum(found.get(kind, 0) for kind in kinds) == sum(counted[key] for key in keys), kinds
    if "biases" not in found:
        assert found.get("mlp", 0) == counted["mlp_dense"]
        assert found.get("output", 0) == counted["lm_head"]


def test_all_models_were_tried() -> None:
    """The twin of the tables above and below: 46 models, and of every family some counts by other software."""
    assert len(COUNTED) == 46
    assert set(FAMILIES) <= set(ONE_OF_EACH)


@pytest.mark.parametrize("name", FLOPS)
def test_products_of_a_real_model(name: str) -> None:
    """The closed forms give the FLOPs that PyTorch counts for full-size models, prefill and decode."""
    model = Model.from_config(COUNTED[name]["config"])
    for row, counted in FLOPS[name].items():
        kind, batch, context = row.split("_")
        B, N = int(batch[1:]), int(context[1:])
        if kind == "prefill":
            met = model.of_prompts(causal=False)[C_prompt]  # masked scores are counted, too
            in_full = {"N_logits": N, "C_prompt": explain(met, model=model, N=N).exact}
            assert explain("prefill_product_flops", model=model, B=B, N=N, **in_full).exact == counted["flops"]
        else:  # with L tokens in the cache, a new one attends to L + 1
            assert evaluate("decode_product_flops", model=model, B=B, N=N + 1) == counted["flops"]


def test_families_by_their_own_formulas() -> None:
    """The formula of a whole family equals the sum of a model's parts, stored and multiplied."""
    for formula, name in (
        ("llama_parameters", "llama-3-8b"),
        ("gpt2_parameters", "gpt2-xl"),
        ("mixtral_parameters", "mixtral-8x7b"),
    ):
        assert evaluate(formula, model=name) == presets.model(name).parameters
    for formula, name in (
        ("llama_multiplied_parameters", "llama-3-8b"),
        ("gpt2_multiplied_parameters", "opt-6.7b"),
        ("mixtral_multiplied_parameters", "mixtral-8x7b"),
    ):
        assert evaluate(formula, model=name) == presets.model(name).multiplied_parameters


def test_deepseek_v3_has_the_size_its_authors_give() -> None:
    """671 billion parameters, 37 billion of them active, from the fields of its config."""
    shape = {"hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "vocab_size": 129280}
    model = Model.from_config({"model_type": "deepseek_v3", "intermediate_size": 18432, **shape})
    assert round(model.parameters / 1e9) == 671
    assert 36 < model.active_parameters / 1e9 < 38
    assert model.kv_bytes_per_token(2) == 2 * 61 * (512 + 64)


def supported() -> str:
    """The families as a sentence has them."""
    return f"{', '.join(sorted(FAMILIES)[:-1])} and {max(FAMILIES)} are"


@pytest.mark.parametrize("row", WILD["models"], ids=lambda row: row["name"])
def test_a_config_as_it_is_found(row: dict[str, Any]) -> None:
    """Exact, or refused by the name of its family: no other name is suggested. Of a model that sees, its text part."""
    family = row["config"].get("model_type")
    if family in FAMILIES and row["parameters"] is not None:
        model, counted = Model.from_config(row["config"]), row.get("text_part", row)
        assert model.parameters == counted["parameters"]
        assert model.active_parameters == counted["active_parameters"]
        # the cache that was measured has keys of indexes in arrays of their own, which its count left out
        assert model.kv_bytes_per_token(2) == row["kv_bytes_per_token"] + row.get("index_bytes_per_token", 0)
        assert model.kind == (f"text part of {family}" if "text_part" in row else family)
        return
    with pytest.raises(InvalidModel) as caught:
        Model.from_config(row["config"])
    if family is None:
        assert "the field model_type is missing" in str(caught.value)
    elif family in REFUSED:
        assert f"model_type '{family}' is not supported, because {REFUSED[family].why}" in str(caught.value)
    elif family in FAMILIES:  # with fields that no class of transformers reads
        assert "architectures has" in str(caught.value)
    else:
        assert f"model_type '{family}' is not supported yet; {supported()}" in str(caught.value)
        assert "did you mean" not in str(caught.value)


def test_all_that_were_found_were_tried() -> None:
    """166 configs, more than half of them of families that are read."""
    assert len(WILD["models"]) == 166
    assert sum(row["config"].get("model_type") in FAMILIES for row in WILD["models"]) > 69


WRAPPED = [row for row in WILD["models"] if "text_part" in row and row["model_type"] in FAMILIES]


@pytest.mark.parametrize("row", WRAPPED, ids=lambda row: row["name"])
def test_a_wrapper_says_what_it_holds(row: dict[str, Any]) -> None:
    """A text part of another family, none, or fields of its own that speak of shapes: refused."""
    config, family = row["config"], row["config"]["model_type"]
    text = config.get("text_config", {})
    # without one, its fields may stand beside what sees, and then some that it has to have are missing
    missing = "the field hidden_size is missing" if FAMILIES[family].flat else "the field text_config is missing"
    bare = {"hidden_size": None} if FAMILIES[family].flat else {}
    for change, sentence in (
        ({"text_config": {**text, "model_type": "gpt2"}}, f"in a {family}, not of 'gpt2'"),
        ({"text_config": None, **bare}, missing),
        ({"text_config": [1]}, "text_config must be an object, not a list"),
        ({"text_config": {"vocab_size": 0}}, "text_config: (the field|vocab_size must be between)"),
        ({"num_odd_blocks": 3}, f"num_odd_blocks is unknown for {family}"),
        ({"architectures": ["LlamaForCausalLM"]}, f"architectures has LlamaForCausalLM; for {family}"),
    ):
        with pytest.raises(InvalidModel, match=sentence):
            Model.from_config(config | change)


@pytest.mark.parametrize("family", FAMILIES)
def test_odd_configs_are_exact_too(family: str) -> None:
    """Fields absent, null or odd: weights, those a token uses, by what the cache grows for a sixth token."""
    rows = [row for row in ODD if row["config"]["model_type"] == family]
    assert len(rows) >= 5
    for row in rows:
        model = Model.from_config(row["config"])
        assert model.parameters == row["parameters"], row["config"]
        assert model.active_parameters == row.get("active_parameters", model.active_parameters), row["config"]
        five, six = (evaluate("kv_bytes_total", model=model, n_bytes_kv=2, B=1, N=tokens) for tokens in (5, 6))
        grown = six - five
        assert row.get("kv_bytes_per_token") in (None, grown), row["config"]


# Ling, of which two releases have one model_type, and whose classes are its authors'

LING = {
    "model_type": "bailing_moe", "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 3, "vocab_size": 37,
    "num_attention_heads": 4, "num_key_value_heads": 2, "moe_intermediate_size": 10,
}  # fmt: skip
CODE = "modeling_bailing_moe_v2.BailingMoeV2ForCausalLM"


LITE = next(row["config"] for row in WILD["models"] if row["name"] == "Ling-lite")
MINI = {  # the rest is what its class takes absent fields for
    "model_type": "bailing_moe", "architectures": ["BailingMoeV2ForCausalLM"], "hidden_size": 2048,
    "intermediate_size": 5120, "num_hidden_layers": 20, "num_attention_heads": 16, "vocab_size": 157184,
}  # fmt: skip


@pytest.mark.parametrize(("config", "total", "active"), [(LITE, "16.8", "2.75"), (MINI, "16.26", "1.43")])
def test_ling_has_the_size_its_authors_give(config: dict[str, Any], total: str, active: str) -> None:
    """Of Ling-lite and of Ling-mini-2.0, in billions, to as many figures as they print."""
    model = Model.from_config(config)
    for number, printed in ((model.parameters, total), (model.active_parameters, active)):
        assert round(number / 1e9, len(printed.partition(".")[2])) == float(printed)


def test_which_release_of_ling_it_is() -> None:
    """The architecture says so, or the code. One that says both is refused, as is what neither of the two has."""
    first, second = Model.from_config(LING), {**LING, "architectures": ["BailingMoeV2ForCausalLM"]}
    assert first == Model.from_config({**LING, "architectures": ["BailingMoeForCausalLM"]})
    assert Model.from_config(second) == Model.from_config({**LING, "auto_map": {"AutoModelForCausalLM": CODE}}) != first
    for change, sentence in (
        (
            {"architectures": ["BailingMoeForCausalLM"], "auto_map": {"AutoModelForCausalLM": CODE}},
            "have different numbers of weights",
        ),
        ({"use_qk_norm": True}, "by its other fields the model has no norms of queries and keys"),
        ({"n_group": 8}, "n_group is unknown for bailing_moe"),
        (
            {"architectures": ["BailingMoeV2_5ForCausalLM"]},
            "architectures has BailingMoeV2_5ForCausalLM; for bailing_moe",
        ),
        ({"layer_group_size": 5}, "layer_group_size is unknown for bailing_moe"),
        (
            {"model_type": "bailing_hybrid"},
            (
                "model_type 'bailing_hybrid' is not supported, because no formula counts the weights "
                "and states of its linear attention blocks"
            ),
        ),
        ({"multi_gate": True}, "multi_gate is True, which this package does not support"),
        ({"use_sliding_window": True}, "use_sliding_window is True, which this package does not support"),
        ({"use_rmsnorm": False}, "use_rmsnorm must be True in a model of this kind"),
        ({"moe_shared_expert_intermediate_size": 11}, "moe_shared_expert_intermediate_size must be 10 in a model"),
        ({"num_key_value_heads": None}, "the field num_key_value_heads is missing"),
        ({"n_routed_experts": 64}, "n_routed_experts is 64, but num_experts is 16"),
    ):
        with pytest.raises(InvalidModel, match=sentence):
            Model.from_config(LING | change)
    assert Model.from_config({**second, "num_nextn_predict_layers": 1}) == Model.from_config(second)


# Other code under a known name

SANTACODER = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadCustomModel"], "attention_head_type": "multiquery",
    "n_embd": 2048, "n_head": 16, "n_inner": 8192, "n_layer": 24, "n_positions": 2048, "vocab_size": 49280,
    "auto_map": {
        "AutoConfig": "configuration_gpt2_mq.GPT2CustomConfig",
        "AutoModelForCausalLM": "modeling_gpt2_mq.GPT2LMHeadCustomModel",
    },
}  # fmt: skip


@pytest.mark.parametrize("trap", WILD["traps"], ids=lambda trap: trap["name"])
def test_a_trap_is_refused(trap: dict[str, Any]) -> None:
    """With its architecture, and, when that is taken away, by its odd field."""
    with pytest.raises(InvalidModel, match="architectures has LlamaForCausalLMEagle3; for llama, LlamaForCausalLM is"):
        Model.from_config(trap["config"])
    with pytest.raises(InvalidModel, match="draft_vocab_size is unknown for llama"):
        Model.from_config({**trap["config"], "architectures": None})


def test_other_code_is_refused() -> None:
    """A class, code or a field of its own: each alone is enough. Without them it would have passed for a GPT-2."""
    own = {"architectures", "attention_head_type", "auto_map"}
    plain = {name: value for name, value in SANTACODER.items() if name not in own}
    assert Model.from_config(plain).parameters == 1_313_722_368  # 1,124,886,528 with one key/value head
    sentences = {
        "architectures": "architectures has GPT2LMHeadCustomModel; for gpt2, GPT2LMHeadModel is supported",
        "attention_head_type": "attention_head_type is unknown for gpt2 and may change its weights",
        "auto_map": "auto_map names GPT2LMHeadCustomModel, custom code",
    }
    for name in own:
        with pytest.raises(InvalidModel, match=sentences[name]):
            Model.from_config({**plain, name: SANTACODER[name]})


@pytest.mark.parametrize("architecture", ["LlamaModel", "LlamaForSequenceClassification", "MistralForCausalLM"])
def test_another_head_is_refused(architecture: str) -> None:
    """A base model has no output matrix, a classifier another one."""
    config = COUNTED["llama-2-7b"]["config"]
    with pytest.raises(
        InvalidModel, match=f"architectures has {architecture}; for llama, LlamaForCausalLM is supported"
    ):
        Model.from_config({**config, "architectures": [architecture]})
    assert Model.from_config({**config, "architectures": ["LlamaForCausalLM"]}) == replace(
        Model.from_config(config), name="config"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_native_code_may_be_named(family: str) -> None:
    """Many configs still name the code that transformers has taken in since; other code is refused."""
    known = FAMILIES[family]
    config = ONE_OF_EACH[family]
    native = {"AutoConfig": "configuration_x.AnyConfig", "AutoModelForCausalLM": f"modeling_x.{known.architecture}"}
    plain = Model.from_config(config)
    assert Model.from_config({**config, "auto_map": native, "architectures": [known.architecture]}) == plain
    with pytest.raises(InvalidModel, match="auto_map names Other, custom code"):
        Model.from_config({**config, "auto_map": native | {"AutoModel": "modeling_x.Other"}})


@pytest.mark.parametrize("key", ["mtp_num_layers", "use_qk_norm", "qkv_bias", "n_shared_experts", "vision_tower_size"])
def test_a_key_that_may_change_what_it_weighs(key: str) -> None:
    """Refused by name, unless it is off; what speaks of no shape is passed over."""
    config = COUNTED["llama-2-7b"]["config"]
    with pytest.raises(InvalidModel, match=f"{key} is unknown for llama and may change its weights; leave it out"):
        Model.from_config({**config, key: 1})
    for off in (None, False, 0, [], {}):
        assert Model.from_config({**config, key: off}) == Model.from_config(config)
    assert Model.from_config({**config, "torch_dtype": "bfloat16", "pad_token_id": 3}) == Model.from_config(config)


def test_harmless_keys_would_be_refused_otherwise() -> None:
    """The list holds nothing that needs no mention."""
    assert {name for name in HARMLESS if not speaks_of_shapes(name)} == set()


@pytest.mark.parametrize("name", ["rope_scaling", "rope_parameters"])
def test_rotations_of_an_unknown_kind(name: str) -> None:
    """Rotations change no count; a field of theirs that is not known might, and is refused by name."""
    config = {k: v for k, v in COUNTED["llama-2-7b"]["config"].items() if not k.startswith("rope_")}
    known = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "rope_theta": 5e5}
    assert Model.from_config({**config, name: known}) == Model.from_config(config)
    for odd, sentence in (
        (known | {"sections": 3}, f"{name} has sections, which this package does not know"),
        ({"full_attention": {"x": 1}}, f"{name}.full_attention has x, which"),
        ({"full_attention": 1}, f"{name}.full_attention must be an object, not 1"),
        ({"partial_rotary_factor": 0.5}, f"{name}.partial_rotary_factor must be 1 in a model of this kind, not 0.5"),
        ({"full_attention": {"full_attention": {}}}, f"{name}.full_attention has full_attention, which"),
        ([1], f"{name} must be an object, not a list"),
    ):
        with pytest.raises(InvalidModel, match=sentence):
            Model.from_config({**config, name: odd})


# Defaults and windows

BASE = {
    "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 32, "vocab_size": 1000,
    "intermediate_size": 3000,
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "letters"),
    [
        ({"model_type": "qwen2", "num_key_value_heads": None}, {"n_kv_heads": 32}),
        ({"model_type": "qwen3", "num_key_value_heads": None}, {"n_kv_heads": 32, "d_head": 128}),
        ({"model_type": "qwen3"}, {"n_kv_heads": 32}),
        ({"model_type": "qwen3_moe", "use_sliding_window": True}, {"n_kv_heads": 4, "n_window": 4096, "n_local": 4}),
        ({"model_type": "qwen3_moe", "mlp_only_layers": [0, 1, 2, 3]}, {"n_experts": 0}),
        ({"model_type": "mistral", "layer_types": ["sliding_attention", "full_attention"] * 2}, {"n_local": 2}),
        ({"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 3}, {"n_local": 1, "n_global": 3}),
        ({"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 0}, {"n_local": 4}),
        ({"model_type": "falcon", "intermediate_size": None, "multi_query": None}, {"n_kv_heads": 32}),
        ({"model_type": "falcon", "intermediate_size": None}, {"n_kv_heads": 1}),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 2}, {"n_local": 2}),
    ],
)
def test_null_and_absent_are_two_things(config: dict[str, Any], letters: dict[str, int]) -> None:
    """A field that is null and one that is absent are two things, each read as transformers takes it."""
    found = Model.from_config(BASE | config).letters
    assert {name: found.get(name, 0) for name in letters} == letters


def test_falcon_blocks_that_are_not_parallel() -> None:
    """Null is off, and a block then has a second norm; as it has where it says so."""
    config = {**BASE, "model_type": "falcon", "intermediate_size": None}
    norms = {
        value: Model.from_config({**config, "parallel_attn": value}).parameters_by_kind()["norms"]
        for value in (True, False, None)
    }
    assert norms == {True: 2 * 1024 * 5, False: 2 * 1024 * 9, None: 2 * 1024 * 9}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model_type": "gpt_neox", "head_dim": 5}, "head_dim must be 32 in a model of this kind, not 5"),
        ({"model_type": "falcon", "num_key_value_heads": 5}, "num_key_value_heads must be 1 in a model of this kind"),
        ({"model_type": "opt", "head_dim": 5, "ffn_dim": 5}, "head_dim must be 32 in a model of this kind, not 5"),
        (
            {"model_type": "gpt2", "n_head": 4, "n_embd": 8, "n_layer": 1},
            "hidden_size is 1024, but n_embd is 8",
        ),
        ({"model_type": "mixtral", "layer_types": ["full_attention"] * 4}, "layer_types is unknown for mixtral"),
        ({"model_type": "mistral", "use_sliding_window": False}, "always uses its sliding_window"),
        (
            {"model_type": "mistral", "layer_types": ["full_attention"]},
            "layer_types must have an entry for each of the 4 layers, not 1",
        ),
        (
            {"model_type": "qwen2", "layer_types": ["sliding_attention"] * 4},
            "layer_types lists sliding_attention, but no window is given",
        ),
        (
            {"model_type": "qwen3_moe", "use_sliding_window": True, "max_window_layers": 2},
            "max_window_layers must be 0",
        ),
        (
            {"model_type": "gemma2", "use_bidirectional_attention": True},
            "use_bidirectional_attention is True, which this package does not support",
        ),
        ({"model_type": "deepseek_v3", "mlp_bias": True}, "mlp_bias is True, which this package does not support"),
        ({"model_type": "deepseek_v3", "moe_layer_freq": 2}, "moe_layer_freq must be 1 in a model of this kind, not 2"),
        ({"model_type": "deepseek_v2"}, "the field num_experts_per_tok is missing"),
        (
            {"model_type": "qwen3_moe", "num_experts": 4, "num_local_experts": 8},
            "num_local_experts is 8, but num_experts is 4",
        ),
    ],
)
def test_what_transformers_does_not_read_is_not_read_here(change: dict[str, Any], sentence: str) -> None:
    """Or read otherwise: refused, with the value that is."""
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config(BASE | change)


def test_cross_attention_is_refused() -> None:
    """Cross-attention is refused, since it has matrices that are not counted."""
    config = COUNTED["gpt2"]["config"]
    assert Model.from_config({**config, "add_cross_attention": False}) == Model.from_config(config)
    with pytest.raises(InvalidModel, match="add_cross_attention is True, which this package does not support"):
        Model.from_config({**config, "add_cross_attention": True})


def test_other_names_of_a_field() -> None:
    """GPT-2's fields under the names of the others, as transformers takes them too."""
    config = COUNTED["gpt2"]["config"]
    other = {"n_embd": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads"}
    other["n_positions"] = "max_position_embeddings"
    assert Model.from_config({other.get(k, k): v for k, v in config.items()}) == Model.from_config(config)


def test_context_limits() -> None:
    """The context limit is what positions were made for, by the family's name for it; None where it is not said."""
    for name, limit in (("llama-2-7b", 4096), ("gpt2", 1024), ("gpt-j-6b", 2048), ("opt-6.7b", 2048)):
        assert presets.model(name).context_limit == limit
    assert Model.from_config(BASE | {"model_type": "llama"}).context_limit is None
    assert Model.from_config(BASE | {"model_type": "llama", "max_position_embeddings": 7}).context_limit == 7
    with pytest.raises(InvalidModel, match="max_position_embeddings must be between 1 and"):
        Model.from_config(BASE | {"model_type": "llama", "max_position_embeddings": 0})


def test_a_model_without_a_sparse_block_can_be_sized() -> None:
    """A model without a sparse block can be sized: it has no experts, whatever its config says of them."""
    config = {**BASE, "model_type": "qwen3_moe", "mlp_only_layers": [0, 1, 2, 3]}
    assert Sizing(config, batch=2).data()["parameters"] == Model.from_config(config).active_parameters


def test_absent_fields_are_what_transformers_takes_them_for() -> None:
    """Head width, groups, tied matrices, windows."""
    base = {"hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 1000}
    llama = Model.from_config({**base, "model_type": "llama", "intermediate_size": 3000})
    assert llama.letters["d_head"] == 128
    assert llama.letters["n_kv_heads"] == 8
    assert "output" in llama.parameters_by_kind()
    assert (
        "output" not in Model.from_config({**base, "model_type": "gemma2", "intermediate_size": 1}).parameters_by_kind()
    )
    gemma = Model.from_config({**base, "model_type": "gemma2", "intermediate_size": 3000})
    assert (gemma.letters["d_head"], gemma.window, gemma.n_windowed) == (256, 4096, 2)
    qwen = Model.from_config({**base, "model_type": "qwen3", "num_key_value_heads": 2, "intermediate_size": 3000})
    assert qwen.letters["d_head"] == 128
    assert Model.from_config({**base, "model_type": "mistral", "intermediate_size": 1}).window == 4096
    assert (
        Model.from_config({**base, "model_type": "mistral", "intermediate_size": 1, "sliding_window": None}).window
        is None
    )


# model= everywhere


def test_a_file_a_directory_or_fields_serve_as_a_model(tmp_path: Path) -> None:
    """Wherever a preset's name does."""
    config = COUNTED["llama-2-70b"]["config"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    given_ = {"hardware": "a100-80gb-sxm", "dtype": "fp16"}
    expected = evaluate("critical_context", model="llama-2-70b", **given_)
    assert round(expected) == 2892
    for source in (tmp_path / "config.json", str(tmp_path / "config.json"), tmp_path, str(tmp_path), config):
        assert evaluate("critical_context", model=source, **given_) == expected
        assert solve("critical_context", model=source, **given_).value == expected
    assert str(tmp_path) in repr(explain("weight_bytes", model=str(tmp_path), weights="fp16"))


@pytest.mark.parametrize("source", [None, 3, []])
def test_what_is_no_config_is_refused(source: Any) -> None:
    """In a sentence that says what one is."""
    with pytest.raises(InvalidModel, match=r"^a config must be a path or the fields of a config\.json, not \w+\.$"):
        Model.from_config(source)


def test_latent_attention_serves_too() -> None:
    """A model whose cache has another formula gives m_token and a itself."""
    given_ = {"model": "deepseek-v2", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1, "N": 1000}
    assert evaluate("kv_bytes_total", **{k: given_[k] for k in ("model", "dtype", "B", "N")}) == 69120 * 1000
    assert "by latent_kv_bytes_per_token" in repr(explain("memory_time_with_cache", **given_))
    with pytest.raises(Underdetermined, match="needs a value for n_bytes_kv: give n_bytes_kv by name"):
        evaluate("kv_bytes_total", model="deepseek-v2", B=1, N=1000)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"model_type": "llamma"},
            "model_type 'llamma' is not supported yet; apertus, bailing_moe, bloom, cohere, cohere2, ",
        ),
        ({"model_type": None}, "the field model_type is missing"),
        ({"model_type": 7}, "model_type must be text, not 7"),
        ({"hidden_size": None}, "the field hidden_size is missing"),
        ({"hidden_size": "4096"}, "hidden_size must be a whole number, not '4096'"),
        ({"hidden_size": 4096.5}, "hidden_size must be a whole number, not 4096.5"),
        ({"hidden_size": True}, "hidden_size must be a whole number, not True"),
        ({"hidden_size": 0}, "hidden_size must be between 1 and"),
        ({"hidden_size": 10**5000}, "a number of more than forty digits"),
        ({"num_hidden_layers": 10**12}, "num_hidden_layers must be between 1 and 65536"),
        ({"head_dim": None, "hidden_size": 4097}, "hidden_size 4097 cannot be divided into 32 heads"),
        ({"num_key_value_heads": 5}, "32 heads cannot be divided into 5 groups"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings must be true or false, not 'yes'"),
        ({"attention_bias": [1]}, "attention_bias must be true or false, not a list"),
        ({"attention_bias": None}, "attention_bias must be true or false, not null"),
        ({"auto_map": ["x"]}, "auto_map must be an object, not a list"),
    ],
    ids=lambda x: x if isinstance(x, str) else next(iter(x)),
)
def test_a_wrong_field_is_named(change: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(InvalidModel) as caught:
        Model.from_config({**COUNTED["llama-2-7b"]["config"], **change})
    assert sentence in str(caught.value)


def test_a_name_that_is_no_preset_is_no_file_either() -> None:
    """The nearest is suggested; a path is read as one."""
    with pytest.raises(UnknownName, match=r"did you mean .*llama-2-7b"):
        evaluate("weight_bytes", model="llama-2-7", weights="fp16")
    with pytest.raises(InvalidModel, match=r"nowhere/config.json cannot be read: no such file"):
        evaluate("weight_bytes", model="nowhere/config.json", weights="fp16")


# Hostile files

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def read(source: Any) -> Model | None:
    """The model, or None if the package says in one sentence why there is none; any other error is raised."""
    try:
        return Model.from_config(source)
    except InvalidModel as error:
        sentence = str(error)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return None


@pytest.mark.parametrize("family", ONE_OF_EACH)
@settings(max_examples=40)
@given(data=st.data())
def test_any_fields_give_a_model_or_a_sentence(family: str, data: st.DataObject) -> None:
    """Fields dropped, replaced by nonsense, blown up."""
    config = dict(ONE_OF_EACH[family])
    for name in data.draw(st.sets(st.sampled_from(sorted(config)), min_size=1, max_size=3)):
        config[name] = data.draw(JSON)
    model = read(config)
    if model is not None:
        assert 0 < model.multiplied_parameters <= model.parameters * 2
        assert model.active_parameters <= model.parameters


@settings(max_examples=60)
@given(data=st.data())
def test_any_bytes_give_a_model_or_a_sentence(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Truncated, flipped, random files."""
    whole = json.dumps(COUNTED["llama-2-7b"]["config"]).encode()
    kind = data.draw(st.sampled_from(("truncated", "flipped", "random")))
    if kind == "truncated":
        content = whole[: data.draw(st.integers(0, len(whole) - 1))]
    elif kind == "flipped":
        at = data.draw(st.integers(0, len(whole) - 1))
        content = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
    else:
        content = data.draw(st.binary(max_size=200))
    path = tmp_path_factory.mktemp("config") / "config.json"
    path.write_bytes(content)
    model = read(path)
    assert model is None or model.parameters > 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[" * 10**6, "is not JSON"),
        (b'{"hidden_size": 8, "rope_scaling": {"factor": 2, "factor": 2}}', "says factor twice"),
        (b'{"a":' * 10**5, "is not JSON"),
        (b"[1]", "does not hold a JSON object"),
        (b'{"hidden_size": ' + b"9" * 10**5 + b"}", "is not JSON"),
        (b'{"model_type": "llama", "hidden_size": NaN}', "hidden_size must be a whole number, not nan"),
        (b" " * (2**24 + 1), "is too large for a config.json"),
        (b"\xff\xfe\x00", "is not JSON"),
    ],
    ids=["lists", "twice", "objects", "list", "digits", "nan", "huge", "encoding"],
)
def test_a_hostile_file_gets_one_sentence(content: bytes, sentence: str, tmp_path: Path) -> None:
    """Deep, huge, not text."""
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config(path)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    """Too long, no file, a pipe, a device, a GGUF file: one sentence, of bearable length, that prints."""
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + bytes(100))
    for path, sentence in (
        ("a/" + 5000 * "x", "cannot be read: file name too long"),
        ("a/\x00", "cannot be read"),
        ("a/\x1b[31m\n", r"a/\\x1b\[31m\\n cannot be read"),
        (tmp_path / "pipe.json", "is not a regular file"),
        ("/dev/zero", "is not a regular file"),
        (tmp_path / "m.gguf", "is a GGUF file, not a config.json"),
    ):
        with pytest.raises(InvalidModel, match=sentence) as caught:
            Model.from_config(path)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 400


def test_exact_fractions_of_a_format_reach_the_cache() -> None:
    """A cache in 4-bit blocks takes 9/16 of a byte for each number."""
    assert presets.model("llama-2-7b").kv_bytes_per_token(Fraction(9, 16)) == 524288 * Fraction(9, 32)


def test_a_model_can_be_a_key() -> None:
    """Read twice, it is one."""
    config = COUNTED["mixtral-8x7b"]["config"]
    assert len({Model.from_config(config), Model.from_config(config)}) == 1
    assert len({Model.from_config(config), Model.from_config(COUNTED["gpt2"]["config"])}) == 2
