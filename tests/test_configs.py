"""Models read from config.json: exact, and unmoved by nonsense"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_llm import Model, evaluate, explain, presets, solve
from symbolic_llm.errors import InvalidModel, Underdetermined, UnknownName
from symbolic_llm.models.families import FAMILIES

DATA = Path(__file__).parent / "data"
COUNTED = json.loads((DATA / "models.json").read_text())["models"]  # by torch and transformers, on instantiated models
FLOPS = json.loads((DATA / "flops_real.json").read_text())["models"]  # by PyTorch's flop counter
ONE_OF_EACH = {entry["config"]["model_type"]: entry["config"] for entry in COUNTED.values()}


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
    """The twin of the tables above: 46 models, of every family but those without a public count here."""
    assert len(COUNTED) == 46
    assert set(FAMILIES) - set(ONE_OF_EACH) == {"gemma", "deepseek_v3"}


@pytest.mark.parametrize("name", FLOPS)
def test_products_of_a_real_model(name: str) -> None:
    """The closed forms give the FLOPs that PyTorch counts for full-size models, prefill and decode."""
    model = Model.from_config(COUNTED[name]["config"])
    for row, counted in FLOPS[name].items():
        kind, batch, context = row.split("_")
        B, N = int(batch[1:]), int(context[1:])
        if kind == "prefill":
            assert evaluate("prefill_product_flops", model=model, B=B, N=N) == counted["flops"]
        else:  # with L tokens in the cache, a new one attends to L + 1
            assert evaluate("decode_product_flops", model=model, B=B, N=N + 1) == counted["flops"]


def test_families_by_their_own_formulas() -> None:
    """What the parts add up to is what the formula of the whole says."""
    for formula, name in (
        ("llama_parameters", "llama-3-8b"),
        ("qwen3_parameters", "qwen3-8b"),
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


# Defaults and windows


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


def test_latent_attention_serves_too() -> None:
    """A model whose cache has another formula gives m_token and a itself."""
    given_ = {"model": "deepseek-v2", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1, "N": 1000}
    assert evaluate("kv_bytes_total", **{k: given_[k] for k in ("model", "dtype", "B", "N")}) == 69120 * 1000
    assert "by latent_kv_bytes_per_token" in repr(explain("memory_time_with_cache", **given_))
    with pytest.raises(Underdetermined, match="how the cache of deepseek-v2 is stored"):
        evaluate("kv_bytes_total", model="deepseek-v2", B=1, N=1000)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model_type": "llamma"}, "no model_type 'llamma'; did you mean llama"),
        ({"model_type": None}, "the field model_type is missing"),
        ({"model_type": 7}, "model_type is a text, not 7"),
        ({"hidden_size": None}, "the field hidden_size is missing"),
        ({"hidden_size": "4096"}, "hidden_size is a whole number, not '4096'"),
        ({"hidden_size": 4096.5}, "hidden_size is a whole number, not 4096.5"),
        ({"hidden_size": True}, "hidden_size is a whole number, not True"),
        ({"hidden_size": 0}, "hidden_size is between 1 and"),
        ({"hidden_size": 10**5000}, "a number of more than forty digits"),
        ({"num_hidden_layers": 10**12}, "num_hidden_layers is between 1 and 65536"),
        ({"head_dim": None, "hidden_size": 4097}, "hidden_size 4097 does not divide into 32 heads"),
        ({"num_key_value_heads": 5}, "32 heads do not divide into 5 groups"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings is true or false, not 'yes'"),
        ({"attention_bias": [1]}, "attention_bias is true or false, not a list"),
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
        (b'{"a":' * 10**5, "is not JSON"),
        (b"[1]", "holds no JSON object"),
        (b'{"hidden_size": ' + b"9" * 10**5 + b"}", "is not JSON"),
        (b'{"model_type": "llama", "hidden_size": NaN}', "hidden_size is a whole number, not nan"),
        (b" " * (2**24 + 1), "is larger than any config.json"),
        (b"\xff\xfe\x00", "is not JSON"),
    ],
    ids=["lists", "objects", "list", "digits", "nan", "huge", "encoding"],
)
def test_a_hostile_file_gets_one_sentence(content: bytes, sentence: str, tmp_path: Path) -> None:
    """Deep, huge, not text."""
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config(path)


def test_exact_fractions_of_a_format_reach_the_cache() -> None:
    """A cache in 4-bit blocks takes 9/16 of a byte for each number."""
    assert presets.model("llama-2-7b").kv_bytes_per_token(Fraction(9, 16)) == 524288 * Fraction(9, 32)
