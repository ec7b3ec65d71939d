"""A file's word on its own precision is heard: its bytes are counted, or an answer says that they are not its own"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from html import unescape
from math import ceil
from pathlib import Path
from typing import Any

import gguf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic_llm import Model, Operations, Plan, Sizing, evaluate, explain, presets
from symbolic_llm.cli import main
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.models import stored_formats
from symbolic_llm.presets import tables

DATA = Path(__file__).parent / "data"
ORACLES = DATA / "oracles"
WILD = {row["name"]: row["config"] for row in json.loads((DATA / "models_wild.json").read_text())["models"]}
SAYING = {
    name: config
    for name, config in WILD.items()
    if config.get("quantization_config") or config.get("text_config", {}).get("quantization_config")
}
# What was published: the models' cards print GiB to one digit.
PRINTED = {"gpt-oss-20b": "12.8", "gpt-oss-120b": "60.8"}


def written(fields: dict[str, Any]) -> int:
    """The bytes of gpt-oss as it is written: blocks and scales of experts in bytes, all else in two."""
    n, d = fields["num_hidden_layers"], fields["hidden_size"]
    width, experts = fields["intermediate_size"], fields["num_local_experts"]
    heads, kv = (fields[k] * fields["head_dim"] for k in ("num_attention_heads", "num_key_value_heads"))
    gate_up, down = (experts * rows * (columns // 32) * (16 + 1) for rows, columns in ((2 * width, d), (d, width)))
    in_two = experts * (2 * width + d) + experts * d + experts  # biases of experts, the router and its bias
    in_two += (heads + 2 * kv) * (d + 1) + d * heads + d + fields["num_attention_heads"] + 2 * d
    return n * (gate_up + down + 2 * in_two) + 2 * (2 * fields["vocab_size"] * d + d)


@pytest.mark.parametrize("name", PRINTED)
def test_a_published_checkpoint_has_the_bytes_that_were_published(name: str) -> None:
    """Of gpt-oss, tensor by tensor and as printed; without a word in the command line too."""
    fields = tables.config(name)
    assert evaluate("weight_bytes", model=name) == written(fields)
    assert f"{written(fields) / 2**30:.1f}" == PRINTED[name]
    report = Sizing(name, "h100-sxm", context=8192)
    assert "does not fit" not in repr(report).partition("One device")[0]
    assert report.data()["held"] == written(fields) + evaluate("kv_bytes_total", model=name, dtype="fp16", N=8192, B=1)


def written_on(fields: dict[str, Any], devices: int) -> Fraction:
    """The bytes of gpt-oss that one of several devices holds, in the mean: slices of matrices, and what is whole."""
    n, d, t = fields["num_hidden_layers"], fields["hidden_size"], Fraction(devices)
    width, experts, head = fields["intermediate_size"] / t, fields["num_local_experts"], fields["head_dim"]
    heads, kv = fields["num_attention_heads"] / t * head, max(1, fields["num_key_value_heads"] / t) * head
    in_mxfp4 = experts * 3 * width * d / 32 * (16 + 1)
    in_two = experts * (2 * width + d) + experts * d + experts  # the router is whole, and biases of the way down
    in_two += (heads + 2 * kv) * (d + 1) + d * heads + d + heads / head + 2 * d
    looked_up, multiplied = fields["vocab_size"] * d, fields["vocab_size"] * d / t
    return n * (in_mxfp4 + 2 * in_two) + 2 * (looked_up + multiplied + d)


@pytest.mark.parametrize("devices", [1, 2, 8, 16])
@pytest.mark.parametrize("name", PRINTED)
def test_a_device_holds_the_bytes_of_its_slices(name: str, devices: int) -> None:
    """And not so many weights at the mean of all: an embedding is whole on every device, and in two bytes."""
    asked: dict[str, Any] = {"model": name, "cache": "fp16", "n_tensor": devices}
    each = explain("M_seq_device", **asked, N=8192).exact
    held = explain("footprint_per_device", **asked, N=8192, B=1).exact - each
    assert held == written_on(tables.config(name), devices)
    fits = explain("sequences_on_devices", **asked, hardware="h100-sxm", N=8192, n_stages=1).exact
    assert fits == (80 * 10**9 - held) // each
    rows = {row.key: row for row in Sizing(name, "h100-sxm", context=8192, tensor=devices).rows}
    assert rows["device_held"].value == held + each
    assert "the mean" not in rows["device_held"].note
    if devices > 1:
        mean = explain("weight_bytes", model=name).exact / presets.model(name).parameters
        assert held > mean * explain("P_held", model=name, n_tensor=devices).exact


def test_bytes_of_a_weight_that_are_given_are_those_of_a_device() -> None:
    """A letter goes before what a file says; and one format for all is the same on every device."""
    asked: dict[str, Any] = {"model": "gpt-oss-20b", "cache": "fp16", "n_tensor": 4, "N": 100}
    each = explain("M_seq_device", **asked).exact
    ways: tuple[dict[str, Any], ...] = ({"n_bytes": 1}, {"weights": "fp8"})
    given, named = (explain("footprint_per_device", **asked, B=1, **how).exact - each for how in ways)
    assert given == named == explain("P_held", model="gpt-oss-20b", n_tensor=4).exact


def linear_layers(width: int, inner: int, kv: int) -> Iterator[tuple[int, int]]:
    """Rows and columns of each matrix of a block of LLaMA's."""
    yield from [(width, width), (kv, width), (kv, width), (width, width)]
    yield from [(inner, width), (inner, width), (width, inner)]


def blocks_of_128(rows: int, columns: int) -> int:
    """A byte for a weight and a float of four for a square of 128."""
    return rows * columns + 4 * ceil(rows / 128) * ceil(columns / 128)


def groups(bits: int, group: int, zero: bool) -> Any:
    """Packed bits, a scale of two bytes and perhaps packed zero points for each group of a row."""
    return lambda rows, columns: (
        Fraction(rows * columns * bits, 8) + rows * Fraction(columns, group) * (2 + Fraction(bits, 8) * zero)
    )


def compressed(bits: int, strategy: str, **more: Any) -> dict[str, Any]:
    """A config of compressed-tensors with one group."""
    kept = {"format": more.pop("format", "pack-quantized")}
    weights = {"num_bits": bits, "type": "int", "strategy": strategy, "symmetric": True, **more}
    of_linear = {"group_0": {"targets": ["Linear"], "weights": weights}}
    return {"quant_method": "compressed-tensors", "config_groups": of_linear, "ignore": ["lm_head"], **kept}


METHODS: list[tuple[dict[str, Any], Any]] = [
    ({"quant_method": "fp8", "weight_block_size": [128, 128]}, blocks_of_128),
    ({"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "model.norm"]}, lambda r, c: r * c),
    ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, groups(4, 128, True)),
    ({"quant_method": "awq", "w_bit": 4, "q_group_size": 64, "zero_point": False}, groups(4, 64, False)),
    ({"quant_method": "gptq", "bits": 8, "group_size": 32, "sym": True}, groups(8, 32, True)),
    ({"quant_method": "gptq", "bits": 4, "group_size": -1}, lambda r, c: Fraction(r * c, 2)),
    (compressed(4, "group", group_size=32), groups(4, 32, False)),
    (compressed(4, "group", group_size=128, symmetric=False), groups(4, 128, True)),
    (compressed(8, "channel"), lambda r, c: r * c),
    (
        compressed(4, "tensor_group", group_size=16, format="nvfp4-pack-quantized"),
        lambda r, c: Fraction(r * c, 2) + Fraction(r * c, 16),
    ),
]
LLAMA = {"model_type": "llama", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 3}
LLAMA |= {"num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1000, "rms_norm_eps": 1e-6}


@pytest.mark.parametrize(("quantization", "of_matrix"), METHODS)
@pytest.mark.parametrize(("float_", "width"), [("bfloat16", 2), ("float32", 4)])
def test_a_method_has_the_bytes_of_its_matrices(
    quantization: dict[str, Any], of_matrix: Any, float_: str, width: int
) -> None:
    """Matrix by matrix: those of blocks in the format, embedding, output and norms in floats."""
    config = {**LLAMA, "quantization_config": quantization, "torch_dtype": float_}
    blocks = 3 * sum(of_matrix(*matrix) for matrix in linear_layers(512, 1408, 128))
    assert evaluate("weight_bytes", model=config) == blocks + width * (2 * 1000 * 512 + 7 * 512)


UNSETTLED: list[Any] = [
    {"quant_method": "bitsandbytes", "load_in_4bit": True},
    {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.0.self_attn.q_proj"]},
    {"quant_method": "fp8", "ignored_layers": ["model.layers.0"]},
    {"quant_method": "awq", "group_size": 128},
    {"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {"-:.*": {}}},
    {"quant_method": "compressed-tensors", "config_groups": {"a": {}, "b": {}}},
    {"quant_method": ["fp8"]},
    {"bits": 4},
    ["fp8"],
    "fp8",
    7,
]


@pytest.mark.parametrize("quantization", UNSETTLED, ids=repr)
def test_what_is_not_settled_is_said_first(quantization: Any) -> None:
    """In the first line of every report, and beside each answer into which the weights' bytes go."""
    assert unsaid({**LLAMA, "quantization_config": quantization}) == set()


@pytest.mark.parametrize("name", SAYING)
def test_no_real_config_is_passed_over(name: str) -> None:
    """Of those found in the wild, each is sized by its formats or says that it is not."""
    assert unsaid(SAYING[name]) == set()


def unsaid(config: dict[str, Any]) -> set[str]:
    """Answers that keep quiet about a file with formats of its own; none where it is sized by them."""
    try:
        model = Model.from_config(config)
    except SymbolicLLMError:  # of another kind than is counted
        return set()
    named = presets.Presets(model, None, "bf16")
    own = evaluate("weight_bytes", model=model, dtype="bf16")
    heard = own != 2 * model.parameters and own < 2 * model.parameters
    found = explain("weight_bytes", model=model, dtype="bf16")
    plan = Plan(model, prompt=10, output=10, dtype="bf16", hardware=("h200-sxm",))
    answers = {
        "a sizing": repr(Sizing(model, dtype="bf16")).splitlines()[0],
        "its HTML": Sizing(model, dtype="bf16")._repr_html_(),
        "its data": Sizing(model, dtype="bf16").data()["formats"],
        "an explanation": repr(found),
        "its notes": "".join(found.notes),
        "a plan": "".join(repr(plan).splitlines()[:2]),
    }
    with suppress(SymbolicLLMError):
        answers["operations"] = repr(Operations(model, dtype="bf16")).splitlines()[0]
    assert bool(named.foreign) != heard
    return {what for what, text in answers.items() if ("not in the file's own formats" in unescape(text)) == heard}


def test_a_config_that_is_passed_over_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: a remark that is left out, a title without it."""
    config = {**LLAMA, "quantization_config": UNSETTLED[0]}
    monkeypatch.setattr("symbolic_llm.answers.explanation.remarks", lambda _: ())
    assert unsaid(config) == {"an explanation", "its notes"}
    monkeypatch.undo()
    monkeypatch.setattr(Sizing, "_title", property(lambda self: self.model.title))
    assert unsaid(config) == {"a sizing", "its HTML"}


def test_other_weights_than_the_files_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for by name, they are counted; a number that is given is nobody's format."""
    assert main(["evaluate", "weight_bytes", "--model", "gpt-oss-20b", "--weights", "int4"]) == 0
    value, note = capsys.readouterr().out.splitlines()
    assert value == f"{presets.model('gpt-oss-20b').parameters // 2} byte"
    assert note == (
        "weights in int4, not in the file's own formats (mxfp4 in its experts, bf16 elsewhere: 13.76 GB in all)"
    )
    assert explain("weight_bytes", model="gpt-oss-20b", n_bytes=2).notes == ()
    assert explain("P_total", model="gpt-oss-20b", weights="int4").notes == ()


@pytest.mark.parametrize("path", sorted(ORACLES.rglob("*.gguf")), ids=lambda path: path.name)
def test_a_gguf_has_the_bytes_of_its_tensors(path: Path) -> None:
    """A GGUF file's weights take the bytes that the format's library reads, and a sizing names their formats."""
    tensors = gguf.GGUFReader(path).tensors
    assert evaluate("weight_bytes", model=path) == sum(int(one.n_bytes) for one in tensors)
    first, _, formats = repr(Sizing(path, context=1)).splitlines()[:3]
    kinds = {one.tensor_type.name.lower() for one in tensors}
    assert "not in the file's" not in first
    assert all(kind in formats for kind in kinds)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=20), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ("quant_method", "bits", "w_bit", "group_size", "zero_point", "config_groups", "ignore", "weight_block_size")
) | st.sampled_from(
    ("modules_to_not_convert", "targets", "weights", "num_bits", "strategy", "format", "symmetric", "quant_algo")
)
WORDS = st.sampled_from(
    ["fp8", "awq", "gptq", "mxfp4", "compressed-tensors", "group", "pack-quantized", "Linear", 4, -1]
)


@given(st.dictionaries(KEYS, WORDS | JSON | st.dictionaries(KEYS, WORDS | JSON, max_size=4), max_size=6))
def test_nonsense_is_no_format(quantization: dict[str, Any]) -> None:
    """Whatever stands there, it is read or it is words that can be printed; and never more than it says."""
    found = Model.from_config({**LLAMA, "quantization_config": quantization}).stored
    assert found is None or (str(found).isprintable() and len(str(found)) < 120)
    assert found is None or found.n_bytes is None or found.n_bytes > 0


def test_a_wrong_width_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: scales that are left out, and experts in another format."""
    monkeypatch.setitem(stored_formats._METHODS, "fp8", lambda _: Fraction(1))
    with pytest.raises(AssertionError):
        test_a_method_has_the_bytes_of_its_matrices(*METHODS[0], "bfloat16", 2)
    monkeypatch.setattr(stored_formats, "_mxfp4", lambda _: (frozenset({"experts"}), Fraction(1, 2), "mxfp4"))
    fields = tables.config("gpt-oss-20b")
    assert evaluate("weight_bytes", model=fields) != written(fields)


@pytest.mark.parametrize(("quantization", "of_matrix"), METHODS)
def test_a_step_of_a_dense_model_reads_the_bytes_of_what_it_multiplies(
    quantization: dict[str, Any], of_matrix: Any
) -> None:
    """The matrices of blocks and the output, neither embedding nor norms; nothing has to be said of that."""
    config = {**LLAMA, "quantization_config": quantization}
    read = 3 * sum(of_matrix(*matrix) for matrix in linear_layers(512, 1408, 128)) + 2 * 1000 * 512
    cache = evaluate("m_token", model=config, dtype="bf16")
    for name, letters, more in (("memory_time", {}, 0), ("memory_time_with_cache", {"B": 1, "N": 1}, cache)):
        found = explain(name, model=config, hardware="a100-80gb-sxm", dtype="bf16", **letters)
        assert found.exact * 2039 * 10**9 == read + more
        assert found.notes == ()
    held = evaluate("footprint", model=config, dtype="bf16", B=1, N=1)
    assert held == evaluate("weight_bytes", model=config) + cache
