"""An index that picks tokens: the engine runs it as other software does, the formulas say what it keeps and saves"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import picking_models, questions
from sympy import Max, Min
from tensors import numbers
from tiny_models import PICKING, engine_of
from tiny_runs import Question, Routed, mean, says

from reference_engine import Config, Decoder, Float, Ledger
from reference_engine.attention.latent import Latent
from reference_engine.config import InvalidConfig
from reference_engine.files import hub
from reference_engine.files.tensors import ModelFileError
from reference_engine.formats import F16, F64
from reference_engine.memory import Machine
from symbolic_llm import Model, Operations, Plan, Sizing, evaluate, explain, presets, solve
from symbolic_llm.architecture import Trait, lacking
from symbolic_llm.catalogue import catalogue
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.models.caches_and_states import sums
from symbolic_llm.notation import D_seq, N, N_picked, m_latent, n_picked
from symbolic_llm.witness.certificate_for_all_shapes import certify
from symbolic_llm.witness.comparison_at_places import comparisons
from symbolic_llm.witness.decoders import model_of
from symbolic_llm.witness.letters import probes_of

DATA = Path(__file__).parent / "data"
LOGITS = json.loads((DATA / "sparse.json").read_text())
WILD = json.loads((DATA / "models_wild.json").read_text())["models"]
FOUND = [row for row in WILD if "index_bytes_per_token" in row]
V32, GLM_5_2 = (
    next(row["config"] for row in FOUND if row["name"] == name)
    for name in ("deepseek-ai/DeepSeek-V3.2", "zai-org/GLM-5.2")
)
NAME = "deepseek-v3.2"
PICKED = presets.model(NAME).traits


# The engine, and other software


BLOCK = {
    "input_layernorm.weight": "norm_1.weight",
    "post_attention_layernorm.weight": "norm_2.weight",
    **{f"mlp.{name}_proj.weight": name for name in ("gate", "up", "down")},
    "self_attn.q_a_proj.weight": "query_down",
    "self_attn.q_a_layernorm.weight": "query_down_norm.weight",
    "self_attn.q_b_proj.weight": "query",
    "self_attn.kv_a_proj_with_mqa.weight": "latent",
    "self_attn.kv_a_layernorm.weight": "latent_norm.weight",
    "self_attn.o_proj.weight": "output",
    "self_attn.indexer.wq_b.weight": "index_query",
    "self_attn.indexer.wk.weight": "index_key",
    "self_attn.indexer.weights_proj.weight": "index_weight",
    "self_attn.indexer.k_norm.weight": "index_norm.weight",
    "self_attn.indexer.k_norm.bias": "index_norm.bias",
}
ENDS = {"model.embed_tokens.weight": "embedding", "model.norm.weight": "norm.weight", "lm_head.weight": "output"}


def described(row: dict[str, Any], **how: Any) -> Decoder:
    """The model of the engine with the weights that transformers was given; `how` are fields of its attention."""
    fields, made = row["config"], {}
    for of, name in enumerate(sorted(row["names"])):
        tensor = numbers(of, row["names"][name]) + ("norm" in name and name.endswith("weight"))
        _, _, rest = name.partition("model.layers.")
        block, _, inner = rest.partition(".")
        if name in ENDS:
            made[ENDS[name]] = tensor
        elif inner == "self_attn.kv_b_proj.weight":
            heads = tensor.reshape(fields["num_attention_heads"], -1, fields["kv_lora_rank"])
            nope = fields["qk_nope_head_dim"]
            made |= {f"blocks.{block}.key_up": heads[:, :nope], f"blocks.{block}.value_up": heads[:, nope:]}
        else:
            made[f"blocks.{block}.{BLOCK[inner]}"] = tensor
    config = engine_of(fields | {"tie_word_embeddings": False})
    config = replace(config, weights=F64, vectors=F64, cache=F64, norm_epsilon=fields["rms_norm_eps"])
    assert isinstance(config.attention, Latent)
    config = replace(config, attention=replace(config.attention, **how))
    assert set(config.shapes) == set(made)
    machine = Machine()
    return Decoder(config, machine=machine, weights={name: machine.allocate(w, F64) for name, w in made.items()})


@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("row", LOGITS["models"], ids=lambda row: "-".join([row["config"]["model_type"], *_types(row)]))
def test_logits_of_transformers(row: dict[str, Any], absorbed: bool) -> None:
    """DeepSeek-V3.2, GLM-5, and GLM-5.2 with a block that reads what the one before it picked: 3 of up to 7 tokens."""
    decoder, tokens = described(row, absorbed=absorbed), LOGITS["tokens"]
    assert_allclose(decoder.prefill(tokens), row["logits"], rtol=0, atol=1e-5)
    decoder.prefill(tokens[:1], capacity=len(tokens))
    for token, logits in zip(tokens[1:], row["logits"][1:], strict=True):
        assert_allclose(decoder.decode(token), logits, rtol=0, atol=1e-5)


def _types(row: dict[str, Any]) -> list[str]:
    return row["config"].get("indexer_types", [])


@pytest.mark.parametrize("fault", ["all are picked", "one fewer is picked", "keys are rotated otherwise"])
def test_an_index_that_picks_otherwise_is_noticed(fault: str) -> None:
    """The twin: then the logits are others."""
    row, tokens = LOGITS["models"][0], LOGITS["tokens"]
    attention = engine_of(row["config"] | {"tie_word_embeddings": False}).attention
    assert isinstance(attention, Latent)
    index = attention.index
    assert index is not None
    wrong = {
        "all are picked": replace(index, picked=99),
        "one fewer is picked": replace(index, picked=index.picked - 1),
        "keys are rotated otherwise": replace(index, pairs="neighbours"),
    }[fault]
    found = described(row, index=wrong).prefill(tokens)
    assert np.abs(found - row["logits"]).max() > 0.1


def test_keys_that_are_lost_are_noticed() -> None:
    """The twin of what a step needs: with other keys kept, others are picked."""
    row, tokens = LOGITS["models"][0], LOGITS["tokens"]
    decoder = described(row)
    decoder.prefill(tokens[:-1], capacity=len(tokens))
    kept = decoder.caches[0]["index"].vectors
    kept.store(-kept.load())
    assert np.abs(decoder.decode(tokens[-1]) - row["logits"][-1]).max() > 1e-3


SMALL = {
    "model_type": "glm_moe_dsa", "vocab_size": 7, "num_hidden_layers": 3, "num_attention_heads": 2, "hidden_size": 6,
    "intermediate_size": 5, "tie_word_embeddings": False, "kv_lora_rank": 5, "qk_rope_head_dim": 2, "v_head_dim": 3,
    "qk_nope_head_dim": 4, "q_lora_rank": 7, "n_shared_experts": 1, "first_k_dense_replace": 3, "n_routed_experts": 3,
    "num_experts_per_tok": 1, "moe_intermediate_size": 4, "index_n_heads": 3, "index_head_dim": 6, "index_topk": 2,
    "indexer_types": ["full", "shared", "full"],
}  # fmt: skip


def test_a_step_reads_what_is_picked_and_all_keys() -> None:
    """By hand: two of five latent vectors in three blocks, five keys in the two that have an index, in 16 bits."""
    decoder = Decoder(replace(engine_of(SMALL), weights=F16, cache=F16))
    decoder.prefill([[1, 2, 3, 4]] * 2, capacity=5)
    decoder.ledger.clear()
    decoder.decode([5, 6])
    loaded = {end: decoder.ledger.total("loaded", f"*.attention.{end}") for end in ("cache", "index.cache")}
    assert loaded == {"cache": 2 * 3 * 2 * (5 + 2) * 2, "index.cache": 2 * 2 * 5 * 6 * 2}
    assert decoder.ledger.footprint("cache.*") == 2 * 5 * 2 * (3 * (5 + 2) + 2 * 6)


def test_shapes_that_contradict_each_other() -> None:
    """An index without latent attention, narrower than what is rotated, with windows, or missing in the first block."""
    config = engine_of(SMALL)
    attention = config.attention
    assert isinstance(attention, Latent)
    assert attention.index is not None
    for change, sentence in (
        ({"attention": replace(attention, q_rank=0)}, "an index needs latent attention and compressed queries"),
        ({"windows": (3,)}, "an index has no windows beside it"),
        (
            {"attention": replace(attention, index=replace(attention.index, blocks=(False, True)))},
            "the first block has an index of its own",
        ),
        (
            {"attention": replace(attention, index=replace(attention.index, width=1))},
            "an index is as wide as what is rotated",
        ),
        (
            {"attention": replace(attention, index=replace(attention.index, picked=0))},
            "an index has heads, and picks tokens",
        ),
    ):
        with pytest.raises(InvalidConfig, match=sentence):
            replace(config, **change)  # type: ignore[arg-type]
    assert model_of(config, "decoder").parameters == config.n_parameters
    with pytest.raises(ModelFileError, match="deepseek_v32"):
        hub.read_config(hub.Values("config.json", V32), F16)


# Tiny models of both families, run whole


def counted(config: Config, asked: Question) -> dict[str, Fraction]:
    """The counts of a decoding step and its decoder, in the mean over all routings."""
    floats = Float(8 * asked.n_bytes)
    config = replace(config, weights=floats, vectors=floats, cache=Float(8 * asked.n_bytes_kv))
    routed = Routed(config)
    decoder, new = Decoder(config, route=routed if config.n_experts else None), np.zeros(asked.batch, int)
    found = []
    for _ in routed.every(asked.batch):
        decoder.start(asked.batch, asked.context)
        decoder.context = asked.context - 1
        decoder.ledger.clear()
        decoder.decode(new)
        found.append(_of_step(decoder.ledger))
    step, held = mean(found), decoder.ledger.footprint("cache.*")
    # the caches of the sequences before stay held
    held //= len(found)
    moved, work = step["weights"] + step["caches"], step["products"]
    return {
        "P": (work - step["attention"]) / (2 * asked.batch),
        "P_total": Fraction(config.n_parameters),
        "P_read": step["weights"] / asked.n_bytes,
        "kv_bytes_total": Fraction(held),
        "D_seq": step["caches"] / asked.batch,
        "C_seq": step["attention"] / asked.batch,
        "decode_product_flops": work,
        "latency_with_cache": max(moved / asked.bandwidth, work / asked.flops),
    }


def _of_step(ledger: Ledger) -> dict[str, Fraction]:
    multiplied = {path for path, op in ledger.entries if op == "matmul"}
    ends = ("attention.scores", "attention.mix", "index.scores", "index.sum")
    attention = {path for path in multiplied if path.endswith(ends)}
    counts = {
        "products": ledger.matmul_flops(),
        "attention": sum(map(ledger.matmul_flops, attention)),
        "weights": sum(ledger.total("loaded", path) for path in multiplied),
        "caches": ledger.total("loaded", "*.cache"),
    }
    return {name: Fraction(count) for name, count in counts.items()}


def differing(fields: dict[str, Any], asked: Question, model: Model | None = None) -> set[str]:
    """The answers in which formulas and engine differ."""
    model, right = model or Model.from_config(fields), counted(engine_of(fields), asked)
    return {name for name, count in right.items() if says(model, name, asked.letters) != count}


@pytest.mark.parametrize("family", PICKING)
def test_a_tiny_model_counts_as_it_runs(family: str) -> None:
    """From its config.json to a decoding step: weights, caches, operations, time; of any context."""

    @settings(max_examples=15, derandomize=True, database=None, deadline=None)
    @given(data=st.data(), fields=picking_models(family))
    def each(data: st.DataObject, fields: dict[str, Any]) -> None:
        asked = data.draw(questions(experts=False).filter(lambda asked: asked.batch < 3))
        assert differing(fields, asked) == set()
        config, model = engine_of(fields), Model.from_config(fields)
        assert _entered(config, asked) == _operations(model, asked)

    each()


def _entered(config: Config, asked: Question) -> dict[str, tuple[Fraction, Fraction]]:
    """Of attention and its index, what the ledger has by operation: FLOPs of products and bytes read."""
    config = replace(config, weights=F16, vectors=F16, cache=Float(8 * asked.n_bytes_kv))
    decoder = Decoder(config)
    decoder.start(asked.batch, asked.context)
    decoder.context = asked.context - 1
    decoder.decode(np.zeros(asked.batch, int))
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for (path, op), tally in decoder.ledger.entries.items():
        _, inside, name = path.partition(".attention.")
        if not inside or "norm" in name:
            continue
        name = {"index.cache": "index.scores", "cache": "scores"}.get(name, name)
        whole = {"index.scores": "index.scores and sum", "index.sum": "index.scores and sum"}
        whole |= {"scores": "scores and mix", "mix": "scores and mix"}
        flops, nbytes = found.get(key := whole.get(name, name), (Fraction(0), Fraction(0)))
        if op in ("matmul", "load"):
            found[key] = flops + tally.flops * (op == "matmul"), nbytes + tally.loaded
    return found


def _operations(model: Model, asked: Question) -> dict[str, tuple[Fraction, Fraction]]:
    cache = {2: "fp16", 4: "fp32", 8: "fp64"}[asked.n_bytes_kv]
    load: dict[str, Any] = {"batch": asked.batch, "context": asked.context}
    step = Operations(replace(model, name="tiny"), **load, weights="fp16", cache="fp32" if cache == "fp64" else cache)
    double = 2 if cache == "fp64" else 1  # no preset stores 64 bits
    return {
        line.name.removeprefix("attention."): (line.flops, line.nbytes * (double if "scores" in line.name else 1))
        for line in step.lines
        if line.name.startswith("attention.")
    }


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        ({"n_index": 3}, {"P", "P_read", "kv_bytes_total", "D_seq", "C_seq"}),
        ({"n_picked": 3}, {"D_seq", "C_seq"}),
        ({"d_index": 5}, {"kv_bytes_total", "D_seq", "C_seq"}),
        ({"n_index_heads": 2}, {"C_seq"}),
    ],
)
def test_an_index_that_is_read_wrongly_is_noticed(change: dict[str, int], noticed: set[str]) -> None:
    """The twin: an index in every block, or of other shapes, and the engine counts something else."""
    asked, model = Question(2, 5, flops=10**6), Model.from_config(SMALL)
    assert differing(SMALL, asked) == set()
    wrong = replace(model, letters={**model.letters, **change})
    assert differing(SMALL, asked, wrong) >= noticed - {"P", "P_read"}
    if "n_index" in change:  # as where the reader overlooks that a block shares what another picked
        assert differing(SMALL, asked, Model.from_config({**SMALL, "indexer_types": None})) >= noticed


# Published models


@pytest.mark.parametrize("row", FOUND, ids=lambda row: row["name"])
def test_latents_and_keys_of_a_published_model(row: dict[str, Any]) -> None:
    """Both halves of the cache, each as transformers has it, and what it weighs."""
    model = Model.from_config(row["config"])
    given = {"model": model, "cache": "fp16"}
    assert (model.parameters, model.active_parameters) == (row["parameters"], row["active_parameters"])
    assert evaluate("cached_latent_bytes_per_token", **given) == row["kv_bytes_per_token"]
    assert evaluate("index_bytes_per_token", **given) == row["index_bytes_per_token"]
    assert model.kv_bytes_per_token(2) == row["kv_bytes_per_token"] + row["index_bytes_per_token"]


def test_which_count_of_the_cache_is_right() -> None:
    """70,272 bytes of a token are latent vectors alone. A step cannot pick without the keys: they are held as well."""
    assert evaluate("cached_latent_bytes_per_token", model=NAME, cache="fp16") == 70_272 == 2 * 61 * (512 + 64)
    assert evaluate("index_bytes_per_token", model=NAME, cache="fp16") == 15_616 == 2 * 61 * 128
    assert evaluate("m_token", model=NAME, cache="fp16") == 85_888
    decoder = Decoder(replace(engine_of(SMALL), weights=F16, cache=F16))
    decoder.start(1, 1)
    assert decoder.ledger.footprint("cache.*") == Model.from_config(SMALL).kv_bytes_per_token(2)
    rows = {row.key: row.value for row in Sizing(NAME, context=65_536).rows}
    assert rows["latent_bytes_per_token"] + rows["index_bytes_per_token"] == rows["kv_bytes_per_token"] == 85_888
    assert rows["attention_bytes"] == 65_536 * 15_616 + 2_048 * 70_272


def test_where_picking_pays() -> None:
    """DeepSeek-V3.2 reads less from 2,634 tokens on; GLM-5.2, with an index in 21 of 78 blocks, from 2,179 on."""
    reads = solve("fewer_bytes_context", model=NAME, cache="fp16").exact
    assert reads == Fraction(2048 * 70_272, 70_272 - 15_616)
    for context, less in ((2048, False), (2633, False), (2634, True), (65_536, True)):
        read = explain("D_seq", model=NAME, cache="fp16", N=context).exact
        assert (read < context * 70_272) == less == (context > reads)
    of_glm = explain("fewer_bytes_context", model=Model.from_config(GLM_5_2), cache="fp16").exact
    assert of_glm == Fraction(2048 * 89_856, 89_856 - 21 * 128 * 2)
    assert 2178 < of_glm < 2179
    computes = explain("fewer_flops_context", model=NAME).exact
    assert computes == Fraction(2048 * 128 * 2 * 1088, 128 * 2 * 1088 - 64 * 2 * 129)


def test_where_picking_never_pays() -> None:
    """Keys that are as wide as what they save: no context, and the answer says why."""
    wide = Model.from_config({**V32, "index_head_dim": 576, "quantization_config": None})
    with pytest.raises(ConditionViolated, match="the keys of the indexes take as much room as what they save"):
        evaluate("fewer_bytes_context", model=wide, cache="fp16")


def test_sparse_attention_on_a_machine() -> None:
    """DeepSeek-V3.2 in 8 bits on an H200, as a reader can redo it."""
    given: dict[str, Any] = {"model": NAME, "hardware": "h200-sxm", "dtype": "fp8", "N": 65_536, "B": 16}
    read = explain("P_read", model=NAME, B=16).exact
    moved = read + 16 * (65_536 * 61 * 128 + 2048 * 61 * 576)
    assert evaluate("latency_with_cache", **given) == pytest.approx(float(moved / 4800e9), rel=1e-12)


def test_a_prompt_is_counted_without_what_its_tokens_do_not_pick() -> None:
    """An index meets every token before a new one; attention those that it picks; the last token gets logits."""
    given: dict[str, Any] = {"model": NAME, "hardware": "h200-sxm", "dtype": "fp8"}
    index, heads = 61 * 64 * 2 * (128 + 1), 61 * 128 * 2 * (128 + 64 + 128)
    met = sum(index * before + heads * min(before, 2048) for before in range(1, 5001))
    assert explain("C_prompt", model=NAME, N=5000).exact * 5000 == met
    of_output = 129_280 * 7168
    matrices = 2 * (5000 * (evaluate("P", model=NAME) - of_output) + of_output)
    assert evaluate("prefill_product_flops", model=NAME, N=5000, B=1) == matrices + met
    assert evaluate("prefill_time_with_attention", **given, N=5000, B=1) > 0
    step = Operations(NAME, prompt=5000)
    assert sum(line.flops for line in step.lines) == evaluate("prefill_product_flops", model=NAME, N=5000, B=1)


def test_a_plan_shares_it_out() -> None:
    """A model that fits no single device, on several; and a small one."""
    large, small = Plan(NAME, prompt=100, output=10), Plan(Model.from_config(SMALL), prompt=100, output=10)
    assert large.choices
    assert all(choice.tensor > 1 for choice in large.choices)
    assert small.choices


def test_no_other_formula_of_caches_takes_an_index() -> None:
    """Whoever writes one has to say whether it holds where a step reads less than is kept: these do."""
    cached = {"m_token", "a", "a_prompt", "m_device"}
    taken = {
        formula.name
        for formula in map(catalogue().__getitem__, catalogue().names)
        if not lacking(formula.traits, PICKED) and cached & {symbol.name for symbol in formula.stated_letters}
    }
    assert taken == {"context_bytes", "context_that_fits", "page_bytes"}


@pytest.mark.parametrize(
    "name", ["footprint", "capacity", "kv_bytes_total", "context_bytes", "context_that_fits", "page_bytes"]
)
def test_what_is_held_is_counted(name: str) -> None:
    """A formula of what is held that takes such decoders is put beside the engine's count of one."""
    formula = catalogue()[name]
    assert "picked" in {probe.subject.name for probe in probes_of(formula.measured_by, formula)}
    assert all(one.equal for one in comparisons(formula))


# The config.json


@pytest.mark.parametrize(
    ("fields", "change", "sentence"),
    [
        (V32, {"indexer_types": ["full"] * 61}, "indexer_types is a list, which this package does not support"),
        (V32, {"index_topk_freq": 4}, "index_topk_freq must be 1 in a model of this kind, not 4"),
        (V32, {"index_head_dim": 32}, "index_head_dim must be at least qk_rope_head_dim, 64"),
        (V32, {"q_lora_rank": None}, "q_lora_rank must be a whole number, not null"),
        (V32, {"index_topk": 0}, "index_topk must be between 1 and"),
        (
            V32,
            {"layer_types": ["full_attention"] * 61},
            "layer_types must list deepseek_sparse_attention or indexed_attention for each of the 61 layers",
        ),
        (V32, {"mlp_layer_types": ["dense"]}, "mlp_layer_types must list dense or sparse for each of the 61 layers"),
        (V32, {"attention_bias": True}, "attention_bias is True, which this package does not support"),
        (GLM_5_2, {"indexer_types": ["shared"] * 78}, "the first layer must have an index of its own"),
        (GLM_5_2, {"indexer_types": ["full"] * 77}, "indexer_types must list full or shared for each of the 78 layers"),
        (
            GLM_5_2,
            {"indexer_types": None, "index_topk_pattern": "FX" * 39},
            "index_topk_pattern must list full or shared",
        ),
        (GLM_5_2, {"architectures": ["DeepseekV32ForCausalLM"]}, "architectures has DeepseekV32ForCausalLM"),
    ],
)
def test_what_is_refused_of_a_config(fields: dict[str, Any], change: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config({**fields, **change})


@pytest.mark.parametrize(
    ("said", "n_index"),
    [
        ({}, 78),
        ({"index_topk_freq": 4, "index_skip_topk_offset": 3}, 21),
        ({"index_topk_freq": 3}, 27),
        ({"index_topk_pattern": "F" + "S" * 77}, 1),
        ({"index_topk_pattern": ["full", "shared"] * 39}, 39),
        ({"indexer_types": ["full"] + ["shared"] * 77, "index_topk_pattern": "F" * 78}, 1),  # a list goes first
    ],
)
def test_which_blocks_have_an_index(said: dict[str, Any], n_index: int) -> None:
    """By a list, a pattern or a rule, as GLM's class has it; in all blocks if the config says nothing."""
    names = {"indexer_types", "index_topk_pattern", "index_topk_freq", "index_skip_topk_offset"}
    fields = {name: value for name, value in GLM_5_2.items() if name not in names}
    assert Model.from_config({**fields, **said}).letters["n_index"] == n_index


# Planted faults, and what the checks rest on


def test_keys_of_picked_tokens_only_are_refuted() -> None:
    """The twin: an index that reads the keys of the tokens it picks would have to know them beforehand."""
    own = next(one for one in sums(presets.model(NAME).kept) if one.quantity == D_seq)
    formula = replace(own, unmeasured="", measured_by="picked/decode.bytes_of_a_sequence")
    keys = catalogue()["index_bytes_per_token"].rhs
    wrong = replace(formula, claim=formula.claim.func(D_seq, formula.rhs - N * keys + Min(N, n_picked) * keys))
    assert all(one.equal for one in comparisons(formula))
    assert not all(one.equal for one in comparisons(wrong))


def test_a_minimum_is_decided_case_by_case() -> None:
    """On either side of what is picked for all shapes; the twins: the larger of both, or one side alone."""
    formula = catalogue()["picked_context"]
    assert [one.holds for one in certify(formula)] == [True]
    larger, *others = (
        replace(formula, claim=formula.claim.func(N_picked, wrong)) for wrong in (Max(N, n_picked), N, n_picked)
    )
    assert not all(one.holds for one in certify(larger))
    for wrong in others:
        assert not all(one.equal for one in comparisons(wrong))


def test_traits_are_said_of_models_with_an_index() -> None:
    """A model with an index has the trait of picked tokens, and no state, no window and no full attention."""
    assert Trait.PICKED in PICKED
    assert {Trait.HYBRID, Trait.FULL, Trait.WINDOWED} & PICKED == set()
    assert m_latent in {formula.quantity for formula in presets.model(NAME).formulas}
