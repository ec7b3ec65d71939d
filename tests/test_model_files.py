"""Files are not to be trusted: whatever is wrong with one is said in a sentence"""

from __future__ import annotations

import json
import os
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model_files import ORACLES, read, write, write_gguf, write_tensors
from numpy.testing import assert_array_equal

from reference_engine import ModelFileError, OutOfMemory, load
from reference_engine.files import gguf_file, hub
from reference_engine.files.gguf_file import read_gguf
from reference_engine.formats import F32

GGUF = (ORACLES / "llama-mha/model-q4_0.gguf").read_bytes()
TINY = {
    "model_type": "mixtral", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 5,
    "num_key_value_heads": 1, "intermediate_size": 3, "num_local_experts": 2, "num_experts_per_tok": 1,
}  # fmt: skip


def tiny() -> dict[str, Any]:
    """Tensors that fit."""
    random, at = np.random.default_rng(0), "model.layers.0."
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (5, 4), "model.norm.weight": (4,), "lm_head.weight": (5, 4),
        at + "self_attn.q_proj.weight": (4, 4), at + "self_attn.k_proj.weight": (2, 4),
        at + "self_attn.v_proj.weight": (2, 4), at + "self_attn.o_proj.weight": (4, 4),
        at + "input_layernorm.weight": (4,), at + "post_attention_layernorm.weight": (4,),
        at + "block_sparse_moe.gate.weight": (2, 4),
    }  # fmt: skip
    for expert in (0, 1):
        for name, shape in (("w1", (3, 4)), ("w2", (4, 3)), ("w3", (3, 4))):
            shapes[f"{at}block_sparse_moe.experts.{expert}.{name}.weight"] = shape
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def problem(path: Path) -> str:
    """The sentence that says what is wrong with a file; "" if it loads and runs."""
    try:
        decoder = load(path)
    except ModelFileError as error:
        sentence = str(error)
        assert "\n" not in sentence
        assert len(sentence) < 400
        return sentence
    with np.errstate(all="ignore"):
        decoder.prefill([0])
        decoder.decode(0)
    return ""


def test_a_sound_file_is_no_problem(tmp_path: Path) -> None:
    """The two files that the tests below damage are sound: each loads and runs."""
    assert problem(write(tmp_path / "m", TINY, tiny())) == ""
    assert problem(ORACLES / "llama-mha/model-q4_0.gguf") == ""


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "is not JSON"),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        ("[]", "does not hold names and values"),
        ("{}", "model_type is missing"),
        (" " * (2**24 + 1), "larger than"),
        ('{"hidden_size": 1' + "0" * 5000 + "}", "is not JSON"),
        ({"model_type": "bert"}, "one of llama, mistral, mixtral, qwen2, qwen3, gpt2, not 'bert'"),
        ({"model_type": ["llama"]}, "model_type must be a word, not list"),
        ({"hidden_size": None}, "hidden_size is missing"),
        ({"hidden_size": "4"}, "from 1 to 2147483648, not '4'"),
        ({"hidden_size": 4.0}, "not 4.0"),
        ({"hidden_size": True}, "not True"),
        ({"hidden_size": -4}, "not -4"),
        ({"hidden_size": 10**400}, "more than 30 digits"),
        ({"hidden_size": 2**31}, "no tensor|does not hold|heads are"),
        ({"num_hidden_layers": 10_000}, "tensors are too few for 10000 blocks"),
        ({"num_hidden_layers": 2}, "the tensor model.layers.1.input_layernorm.weight, which should hold"),
        ({"num_local_experts": 4096, "num_hidden_layers": 17}, "are too few for 17 blocks"),
        ({"num_local_experts": 3}, "no tensor model.layers.0.block_sparse_moe.experts.2.w1.weight|gate"),
        ({"num_experts_per_tok": 3}, "n_active is at most n_experts"),
        ({"num_attention_heads": 16384}, "head_dim is missing"),
        ({"num_key_value_heads": 3}, "n_kv_heads divides n_heads"),
        ({"head_dim": 3}, "even d_head"),
        ({"rope_theta": float("nan")}, "rope_theta must be a finite number"),
        ({"rope_theta": 10**30}, "rope_theta must be a finite number"),
        ({"rope_theta": 0}, "rope_theta is at least 1"),
        ({"rope_scaling": 4}, "does not hold names and values"),
        ({"rope_scaling": {"type": "yarn"}}, "does not know the rotary scaling 'yarn'"),
        ({"rope_scaling": {"type": "linear", "factor": 0}}, "rope_factors lie between"),
        ({"rope_scaling": {"type": "linear"}}, "factor is missing"),
        ({"rms_norm_eps": "small"}, "rms_norm_eps must be a finite number"),
        ({"rms_norm_eps": 7}, "norm_epsilon is small"),
        ({"hidden_act": "swish!"}, "hidden_act must be one of"),
        ({"tie_word_embeddings": 1}, "true or false, not 1"),
        ({"attention_bias": True}, "does not know 'attention_bias'"),
        ({"model_type": "llama", "attention_bias": True}, "does not know 'num_local_experts'"),
        (
            {"vocab_size": 6},
            "embedding should be 6 by 4, but the tensor model.embed_tokens.weight has the shape .5, 4.",
        ),
        ({"sliding_window": 0}, "sliding_window must be"),
        ({"model_type": "gpt2"}, "n_embd is missing"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else None,
)
def test_descriptions_that_make_no_sense(config: Any, said: str, tmp_path: Path) -> None:
    """Whatever stands in config.json."""
    text = config if isinstance(config, str) else json.dumps(TINY | config)
    assert_said(said, problem(write(tmp_path / "m", text, tiny())))


QWEN = {"model_type": "qwen2", "num_key_value_heads": 2, "num_hidden_layers": 3} | {
    name: TINY[name] for name in ("hidden_size", "num_attention_heads", "vocab_size", "intermediate_size")
}
LINEAR = {"rope_type": "linear", "factor": 2.0}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"architectures": ["Qwen2ForSequenceClassification"]},
            "for qwen2 the engine supports Qwen2ForCausalLM, not Qwen2",
        ),
        ({"architectures": "Qwen2ForCausalLM"}, "architectures must be a list of words, not 'Qwen2"),
        ({"auto_map": {"AutoModelForCausalLM": "x.Mine"}}, "does not support AutoModelForCausalLM 'x.Mine'"),
        ({"num_experts": 4}, "does not know 'num_experts', which may change results"),
        ({"attention_bias": True}, "does not know 'attention_bias'"),
        ({"final_logit_softcapping": 30.0}, "does not know 'final_logit_softcapping'"),
        ({"residual_multiplier": 0.5}, "does not know 'residual_multiplier'"),
        ({"quantization_config": {"bits": 4}}, "does not know 'quantization_config'"),
        ({"partial_rotary_factor": 0.5}, "does not support partial_rotary_factor 0.5"),
        ({"rope_parameters": LINEAR, "rope_scaling": LINEAR}, "has both rope_parameters and rope_scaling"),
        ({"rope_parameters": {"rope_theta": 1e5}, "rope_theta": 1e4}, "has two values of rope_theta"),
        ({"rope_scaling": LINEAR | {"type": "default"}}, "has two types"),
        ({"rope_scaling": LINEAR | {"attention_factor": 2.0}}, "does not know 'attention_factor'"),
        ({"rope_scaling": LINEAR | {"partial_rotary_factor": 0.5}}, "does not support partial_rotary_factor 0.5"),
        ({"rms_norm_eps": None}, "rms_norm_eps must be a finite number that is not negative, not None"),
        ({"layer_types": ["full_attention"]}, "layer_types must list full_attention or sliding_attention for each"),
        ({"layer_types": ["sliding_attention"] * 3}, "layer_types lists sliding_attention, but no window is given"),
        ({"model_type": "mistral", "use_sliding_window": False}, "mistral always uses its sliding_window"),
        ({"model_type": "mixtral", "layer_types": ["full_attention"] * 3}, "does not know 'layer_types'"),
    ],
)
def test_descriptions_that_the_engine_does_not_run(change: dict[str, Any], said: str) -> None:
    """Refused, not run as something else; what is not said is no problem."""
    hub.read_config(hub.Values("config.json", QWEN), F32)
    with pytest.raises(ModelFileError) as caught:
        hub.read_config(hub.Values("config.json", QWEN | change), F32)
    assert_said(said, str(caught.value))


SMALLEST = {  # of each family, what has no default in this engine
    **{name: QWEN | {"model_type": name} for name in hub.KINDS if name != "gpt2"},
    "gpt2": {"model_type": "gpt2", "n_embd": 8, "n_head": 2, "n_layer": 2, "vocab_size": 5, "n_positions": 9},
}


@pytest.mark.parametrize("family", hub.KINDS)
def test_off_is_refused_where_it_changes_results(family: str) -> None:
    """A decoder that is not causal attends to all of a prompt; on is what it is by default."""
    fields = SMALLEST[family]
    plain = hub.read_config(hub.Values("config.json", fields), F32)
    assert hub.read_config(hub.Values("config.json", fields | {"is_causal": True}), F32) == plain
    # null is no less off: transformers asks whether it is true
    for said, sentence in ((False, "does not support is_causal"), *((odd, "is_causal") for odd in (None, 0, "no", []))):
        with pytest.raises(ModelFileError, match=sentence):
            hub.read_config(hub.Values("config.json", fields | {"is_causal": said}), F32)


def test_code_that_does_not_compute_is_no_matter() -> None:
    """A class that reads the config or makes tokens changes no result; one that is the model does."""
    mapped = {"AutoConfig": "configuration.Mine", "AutoTokenizer": ["tokens.Mine", None]}
    found = hub.read_config(hub.Values("config.json", QWEN | {"auto_map": mapped}), F32)
    assert found == hub.read_config(hub.Values("config.json", QWEN), F32)
    for name in ("AutoModel", "AutoModelForCausalLM"):
        with pytest.raises(ModelFileError, match=f"does not support {name} 'modeling.Mine'"):
            hub.read_config(hub.Values("config.json", QWEN | {"auto_map": mapped | {name: "modeling.Mine"}}), F32)


@pytest.mark.parametrize(
    ("change", "switches"),
    [
        ({}, {"windows": (None,), "norm_epsilon": 1e-6, "rope_theta": 1e4}),
        ({"use_sliding_window": True}, {"windows": (None,) * 3}),  # from the 28th block on
        ({"use_sliding_window": True, "max_window_layers": 0}, {"windows": (4096,) * 3}),
        ({"use_sliding_window": True, "max_window_layers": 2, "sliding_window": 7}, {"windows": (None, None, 7)}),
        (
            {
                "use_sliding_window": True,
                "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
                "sliding_window": 7,
            },
            {"windows": (7, None, 7)},
        ),
        ({"model_type": "mistral"}, {"windows": (4096,)}),
        ({"model_type": "mistral", "sliding_window": None}, {"windows": (None,)}),
        ({"model_type": "mixtral"}, {"rope_theta": 1e6, "norm_epsilon": 1e-5, "n_experts": 8, "n_active": 2}),
        ({"model_type": "llama", "num_key_value_heads": None}, {"n_kv_heads": 2}),
    ],
)
def test_what_is_not_said_is_what_transformers_takes_it_for(change: dict[str, Any], switches: dict[str, Any]) -> None:
    """Windows, bases, norms."""
    found = hub.read_config(hub.Values("config.json", QWEN | change), F32)
    assert {name: getattr(found, name) for name in switches} == switches


def assert_said(said: str, found: str) -> None:
    """Assert that one of a pattern's alternatives is part of the sentence."""
    assert re.search(said, found), found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model.norm.weight": None}, "the tensor model.norm.weight, which should hold norm.weight, is missing"),
        ({"model.norm.weight": np.ones(5, np.float32)}, "norm.weight should be 4, but the tensor"),
        ({"model.norm.weight": np.ones((), np.float32)}, "has the shape .."),
        ({"model.norm.weight": np.ones(4, np.int32)}, "holds I32, which the engine does not read"),
        ({"lm_head.weight": np.ones((4, 5), np.float32)}, "output should be 5 by 4"),
        ({"lm_head.weight": np.ones((5, 4, 1), np.float32)}, "output should be 5 by 4"),
        (
            {"model.layers.1.mlp.up_proj.weight": np.ones(1, np.float32)},
            "does not use the tensor model.layers.1.mlp.up",
        ),
    ],
)
def test_tensors_that_do_not_fit(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Missing, of another shape, of another kind, one too many."""
    tensors = {name: numbers for name, numbers in (tiny() | change).items() if numbers is not None}
    assert_said(said, problem(write(tmp_path / "m", TINY, tensors)))


def test_an_output_that_a_tied_description_denies(tmp_path: Path) -> None:
    """A copy of the embedding is no matter; another matrix is."""
    tied = TINY | {"tie_word_embeddings": True}
    assert "tie_word_embeddings says that lm_head.weight is the embedding, but it is not" in problem(
        write(tmp_path / "m", tied, tiny())
    )
    copy = tiny() | {"lm_head.weight": tiny()["model.embed_tokens.weight"]}
    assert problem(write(tmp_path / "m", tied, copy)) == ""


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    """Neither for a GGUF file nor for one of a directory."""
    os.mkfifo(tmp_path / "pipe")
    assert problem(tmp_path / "pipe") == "pipe is not a regular file"
    folder = write(tmp_path / "m", TINY, tiny())
    for name in ("model.safetensors", "config.json"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
        assert problem(folder) == f"{name} is not a regular file"
    assert problem(tmp_path / ("x" * 5000)).endswith("cannot be read: File name too long")


def test_folders_that_are_none(tmp_path: Path) -> None:
    """A missing path, a folder without description or weights, and a file of another kind are each refused."""
    assert_said("neither a model directory .with config.json. nor a GGUF file", problem(tmp_path / "nowhere"))
    assert_said("config.json cannot be read: No such file", problem(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    assert_said("there is no model.safetensors in", problem(tmp_path))
    assert_said("config.json is not a valid GGUF file: it does not begin like one", problem(tmp_path / "config.json"))
    (tmp_path / "empty.gguf").write_bytes(b"")
    assert_said("not a valid GGUF file", problem(tmp_path / "empty.gguf"))


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ([], "does not hold names and values"),
        ({"weight_map": 3}, "does not hold names and values"),
        ({"weight_map": {"x": 3}}, "x must be a word"),
        ({"weight_map": {"x": "../model.safetensors"}}, "is not in this folder"),
        ({"weight_map": {"x": "/etc/passwd"}}, "is not in this folder"),
        ({"weight_map": {"x": "a\x00b"}}, "is not in this folder"),
        ({"weight_map": {"x": "absent.safetensors"}}, "there is no absent.safetensors"),
        ({"weight_map": {"x": "model.safetensors"}}, "the tensor x is in none of the files"),
        ({"weight_map": {}}, "model.safetensors and model.safetensors.index.json are both here"),
    ],
)
def test_an_index_that_leads_nowhere(index: Any, said: str, tmp_path: Path) -> None:
    """Only files of the folder, and only tensors that are in them."""
    (write(tmp_path / "m", TINY, tiny()) / "model.safetensors.index.json").write_text(json.dumps(index))
    assert_said(said, problem(tmp_path / "m"))


def test_weights_that_do_not_fit_into_memory() -> None:
    """A limit is a limit."""
    with pytest.raises(OutOfMemory, match="of 1000 are held"):
        load(ORACLES / "gpt2", memory=1000)


def named(name: bytes) -> bytes:
    """A text as GGUF writes it."""
    return struct.pack("<Q", len(name)) + name


def header(values: bytes = b"", tensors: bytes = b"", n_values: int = 0, n_tensors: int = 0, version: int = 3) -> bytes:
    """The beginning of a GGUF file."""
    return b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_values) + values + tensors + bytes(64)


EPSILON = {"attention.layer_norm_rms_epsilon": 1e-5}
HUGE = 2**63 + 5
LLAMA = named(b"general.architecture") + struct.pack("<I", 8) + named(b"llama")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"GGUF", "ends after 4 bytes"),
        (header(version=99), "version is 99"),
        (header(n_values=HUGE), "two values|ends after"),
        (header(n_tensors=HUGE), "two tensors|ends after"),
        (header(struct.pack("<Q", HUGE), n_values=1), "ends after"),
        (header(named(b"x") + struct.pack("<IIQ", 9, 0, HUGE), n_values=1), "ends after"),
        (header(named(b"x") + struct.pack("<IIQ", 9, 8, HUGE), n_values=1), "an array of"),
        (header(named(b"x") + struct.pack("<IIQ", 9, 8, 2**22), n_values=1), "ends after"),
        (header(named(b"x") + struct.pack("<IIQ", 9, 9, 1), n_values=1), "of the unknown type 9"),
        (header(named(b"x") + struct.pack("<I", 77), n_values=1), "of the unknown type 77"),
        (header(named(b"general.alignment") + struct.pack("<II", 4, 0), n_values=1), "alignment is 0"),
        (header(named(b"general.alignment") + struct.pack("<If", 6, 1.5), n_values=1), "alignment is 1.5"),
        (header(LLAMA + LLAMA, n_values=2), "two values 'general.architecture'"),
        (header(tensors=2 * (named(b"t") + struct.pack("<IQIQ", 1, 4, 0, 0)), n_tensors=2), "two tensors 't'"),
        (header(tensors=named(b"t") + struct.pack("<I", 2**31), n_tensors=1), "has 2147483648 axes"),
        (header(tensors=named(b"t") + struct.pack("<IQQIQ", 2, 2**62, 2**62, 0, 0), n_tensors=1), "beyond the end"),
        (header(tensors=named(b"t") + struct.pack("<IQIQ", 1, 4, 0, HUGE), n_tensors=1), "beyond the end"),
        (header(tensors=named(b"t") + struct.pack("<IQIQ", 1, 4, 2, 0), n_tensors=1), "not whole blocks of 32"),
        (header(tensors=named(b"t") + struct.pack("<IQIQ", 1, 4, 24, 0), n_tensors=1), "holds I8, which"),
        (header(tensors=named(b"t") + struct.pack("<IQIQ", 1, 4, 999, 0), n_tensors=1), "an unknown format"),
        (header(tensors=named(b"t") + struct.pack("<IIQ", 0, 0, 0), n_tensors=1), "not whole blocks"),
        (header(LLAMA, n_values=1), "llama.embedding_length is missing"),
        (header(), "general.architecture is missing"),
    ],
)
def test_gguf_files_that_lie(data: bytes, said: str, tmp_path: Path) -> None:
    """Counts, lengths and places are checked before anything is made of them."""
    (tmp_path / "m.gguf").write_bytes(data)
    tracemalloc.start()
    assert_said(said, problem(tmp_path / "m.gguf"))
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def claimed(places: list[tuple[int, int]], path: Path) -> None:
    """Tensors at these places, so many numbers each: they are read as they lie, or two that share some are named."""
    entries = [named(b"t%d" % i) + struct.pack("<IQIQ", 1, n, 0, 4 * at) for i, (at, n) in enumerate(places)]
    begins, numbers = struct.pack("<4sIQQ", b"GGUF", 3, len(entries), 0), np.arange(16, dtype=np.float32)
    begins += b"".join(entries)
    path.write_bytes(begins + bytes(-len(begins) % 32) + numbers.tobytes())
    taken = {f"t{i}": set(range(at, at + n)) for i, (at, n) in enumerate(places)}
    shared = {(a, b) for a, one in taken.items() for b, other in taken.items() if a != b and one & other}
    try:
        tensors = read_gguf(path)[1]
    except ModelFileError as error:
        found = re.fullmatch("m.gguf is not a valid GGUF file: the tensors '(t.)' and '(t.)' share bytes", str(error))
        assert found is not None
        assert found.groups() in shared
        return
    assert not shared
    for tensor, (at, n) in zip(tensors.values(), places, strict=True):
        assert_array_equal(tensor.packed, numbers[at : at + n])


@given(places=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), min_size=1, max_size=5))
@example(places=[(0, 4), (0, 4)])
@example(places=[(0, 4), (2, 0), (9, 1)])
def test_no_two_tensors_share_bytes(places: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Wherever they lie, in whatever order, and whatever lies between."""
    claimed(places, tmp_path_factory.mktemp("gguf") / "m.gguf")


@pytest.mark.parametrize(("places", "last"), [([(2, 3), (0, 3)], -1), ([(0, 2), (2, 2)], 1)])
def test_shared_bytes_that_are_looked_for_otherwise(
    places: list[tuple[int, int]], last: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: of tensors that are taken for shorter or longer, some pass and some are refused wrongly."""
    found = gguf_file._refuse_shared
    wrong = lambda spans: found({name: (first, n + 4 * last) for name, (first, n) in spans.items()})  # noqa: E731
    claimed(places, tmp_path / "m.gguf")
    monkeypatch.setattr(gguf_file, "_refuse_shared", wrong)
    with pytest.raises(AssertionError):
        claimed(places, tmp_path / "m.gguf")


@pytest.mark.parametrize("second", [(0, 16), (12, 28), (20, 36), (16, 36), (16, 28)])
def test_places_in_safetensors_follow_each_other(second: tuple[int, int], tmp_path: Path) -> None:
    """Neither bytes of two tensors, nor of none: the library of the format says so of each."""
    header = {"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}
    header["b"] = {"dtype": "F32", "shape": [4], "data_offsets": list(second)}
    folder, text = write(tmp_path / "m", TINY, {}), json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(32))
    assert "model.safetensors is not a safetensors file" in problem(folder)


def test_a_tensor_in_two_files_is_refused(tmp_path: Path) -> None:
    """A tensor in two of the index's files is refused, since one would be passed over, whatever the index says."""
    folder = write(tmp_path / "m", TINY, tiny())
    (folder / "model.safetensors").rename(folder / "a.safetensors")
    write_tensors(folder / "b.safetensors", {"model.norm.weight": np.zeros(4, np.float32)})
    index = dict.fromkeys(tiny(), "a.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert problem(folder) == ""
    (folder / "b.safetensors").unlink()
    write_tensors(folder / "b.safetensors", {"lm_head.weight": np.zeros((5, 4), np.float32), "x": np.zeros(1)})
    index["x"] = "b.safetensors"
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert problem(folder) == "b.safetensors has the tensor 'lm_head.weight', which another file has as well"


def test_gguf_facts_that_make_no_sense(tmp_path: Path) -> None:
    """Facts of a GGUF file that make no sense are refused in a sentence, as those of config.json are."""
    good = {"embedding_length": 64, "block_count": 1, "feed_forward_length": 8, "attention.head_count": 4}
    tensors = {"token_embd.weight": np.ones((3, 64), np.float32)}
    for change, said in (
        ({"block_count": 0}, "llama.block_count must be a whole number"),
        ({"block_count": 2.5}, "not 2.5"),
        ({"attention.value_length": 8}, "of one width only"),
        ({"rope.dimension_count": 8}, "of one width only"),
        ({"attention.head_count": 100}, "attention.key_length is missing"),
        ({}, "layer_norm_rms_epsilon is missing"),
        ({"attention.layer_norm_rms_epsilon": 1e-5}, "the tensor blk.0.attn_norm.weight, which should hold"),
        ({"rope.scaling.factor": 2.0}, "does not support llama.rope.scaling.factor 2.0"),
        ({"rope.scale_linear": 2.0}, "does not support llama.rope.scale_linear 2.0"),
        ({"attention.causal": False}, "does not support llama.attention.causal False"),
        ({"attention.scale": 0.5}, "does not support llama.attention.scale 0.5"),
        (
            EPSILON | {"attention.scale": 0.25, "rope.scaling.factor": 1.0},
            "the tensor blk.0.attn_norm.weight, which should hold",
        ),
        (EPSILON | {"attention.sliding_window": 5}, "does not know 'llama.attention.sliding_window'"),
        (EPSILON | {"attn_logit_softcapping": 50.0}, "does not know 'llama.attn_logit_softcapping'"),
        (EPSILON | {"expert_shared_count": 1}, "does not know 'llama.expert_shared_count'"),
        # of arrays the reader keeps nothing but whether they are empty
        (
            EPSILON | {"attention.sliding_window_pattern": [True, False]},
            "know 'llama.attention.sliding_window_pattern'",
        ),
        (EPSILON | {"rope.dimension_sections": [4, 4, 0, 0]}, "does not know 'llama.rope.dimension_sections'"),
        (EPSILON | {"swiglu_clamp_exp": [1.0]}, "does not know 'llama.swiglu_clamp_exp'"),
        (EPSILON | {"of_words": ["word"]}, "does not know 'llama.of_words'"),
        ({"attention.head_count_kv": [4]}, "llama.attention.head_count_kv must be a whole number"),
        (EPSILON | {"context_length": 9, "vocab_size": 3}, "the tensor blk.0.attn_norm.weight, which should hold"),
    ):
        assert_said(said, problem(write_gguf(tmp_path / "m.gguf", "llama", good | change, tensors)))


def test_gguf_is_read_as_the_package_of_the_format_reads_it() -> None:
    """A GGUF file gives the same values and the same bytes as with the package of the format."""
    import gguf

    path = ORACLES / "llama-mha/model-q4_0.gguf"
    values, tensors = read_gguf(path)
    theirs = gguf.GGUFReader(path)
    for name, field in theirs.fields.items():
        if not name.startswith("GGUF."):
            theirs_is = field.contents()
            assert values[name] == ([None] * bool(theirs_is) if isinstance(theirs_is, list) else theirs_is)
    assert tensors.keys() == {tensor.name for tensor in theirs.tensors}
    for tensor in theirs.tensors:
        packed = tensors[tensor.name].packed
        assert_array_equal(packed.view(np.uint8).reshape(-1), tensor.data.view(np.uint8).reshape(-1))


# Damage at random


def damaged(data: st.DataObject, sound: bytes, header_ends: int) -> bytes:
    """Cut off, or with some bytes changed, most of them in the header."""
    if data.draw(st.booleans()):
        return sound[: data.draw(st.integers(0, len(sound) - 1))]
    changed = bytearray(sound)
    places = st.one_of(st.integers(0, header_ends - 1), st.integers(0, len(sound) - 1))
    for place in data.draw(st.lists(places, min_size=1, max_size=4)):
        changed[place] = data.draw(st.sampled_from((0, 1, 127, 128, 255))) ^ changed[place]
    return bytes(changed)


@given(data=st.data())
def test_damaged_gguf_files(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Damaged GGUF files load and run, or are refused in a sentence."""
    path = tmp_path_factory.mktemp("gguf") / "m.gguf"
    path.write_bytes(damaged(data, GGUF, 6000))
    problem(path)


@given(data=st.data())
def test_damaged_directories(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Model directories with a damaged file load and run, or are refused in a sentence."""
    path = write(tmp_path_factory.mktemp("hub") / "m", TINY, tiny())
    file = path / data.draw(st.sampled_from(("config.json", "model.safetensors")))
    file.write_bytes(damaged(data, file.read_bytes(), 1000 if file.suffix == ".safetensors" else 100))
    problem(path)


@given(config=st.dictionaries(st.sampled_from(sorted(TINY)), st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers()),
)))  # fmt: skip
def test_any_values_in_a_description(config: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any values in a description make sense and the model runs, or they are refused in a sentence."""
    problem(write(tmp_path_factory.mktemp("hub") / "m", TINY | config, tiny()))


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    """Not a byte less than all of them will do."""
    path = tmp_path / "m.gguf"
    for end in (*range(0, 200, 7), *range(200, len(GGUF) - 64, 5003), len(GGUF) - 64):  # the end is padding
        path.write_bytes(GGUF[:end])
        assert "m.gguf is not a valid GGUF file" in problem(path)
    write_tensors(tmp_path / "whole.safetensors", tiny())
    whole = (tmp_path / "whole.safetensors").read_bytes()
    folder = write(tmp_path / "m", TINY, {})
    for end in (*range(0, len(whole), 31), len(whole) - 1):
        (folder / "model.safetensors").write_bytes(whole[:end])
        assert "model.safetensors is not a safetensors file" in problem(folder)


def test_the_given_models_have_nothing_to_spare() -> None:
    """Every tensor of theirs is read, and no other."""
    for name in ("llama-mha", "gpt2", "mixtral"):
        tensors = read(ORACLES / name)[1]
        assert load(ORACLES / name).config.n_parameters == sum(numbers.size for numbers in tensors.values())
