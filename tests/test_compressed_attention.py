"""Compressed runs of tokens: the engine runs them as other software does, the formulas say what they weigh and keep"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import compressing_models
from sympy import floor
from tensors import numbers
from tiny_models import engine_of
from tiny_runs import Question, Routed, by_path, mean, says

from reference_engine import Decoder, Float
from reference_engine.attention.compressed import Compression
from reference_engine.config import Config, InvalidConfig
from reference_engine.formats import F16, F64
from reference_engine.memory import Machine
from reference_engine.routing import Routing
from symbolic_llm import Model, Plan, Sizing, evaluate, explain, presets, solve
from symbolic_llm.architecture import Trait, lacking
from symbolic_llm.catalogue import catalogue
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.models.caches_and_states import sums
from symbolic_llm.notation import M_seq, N, n_window, r_csa
from symbolic_llm.witness.comparison_at_places import comparisons

NAME = "deepseek-v4-flash"
DATA = Path(__file__).parent / "data"
LOGITS = json.loads((DATA / "compressed.json").read_text())
TOKENS = LOGITS["tokens"]
WILD = json.loads((DATA / "models_wild.json").read_text())["models"]
FOUND = [row for row in WILD if row["model_type"] == "deepseek_v4"]


# The engine, and other software


_COMPRESSOR = {"kv_proj.weight": "values", "gate_proj.weight": "gates", "position_bias": "places.weight"}
_COMPRESSOR |= {"kv_norm.weight": "norm.weight"}
_MIXING = {"fn": "", "base": "_base.weight", "scale": "_scale.weight"}
BLOCK = {
    "input_layernorm.weight": "norm_1.weight",
    "post_attention_layernorm.weight": "norm_2.weight",
    "self_attn.q_a_proj.weight": "query_down",
    "self_attn.q_a_norm.weight": "query_down_norm.weight",
    "self_attn.q_b_proj.weight": "query",
    "self_attn.kv_proj.weight": "key_value",
    "self_attn.kv_norm.weight": "key_value_norm.weight",
    "self_attn.sinks": "sinks",
    "self_attn.o_a_proj.weight": "output_down",
    "self_attn.o_b_proj.weight": "output",
    **{f"self_attn.compressor.{name}": f"entry_{ours}" for name, ours in _COMPRESSOR.items()},
    **{f"self_attn.compressor.indexer.{name}": f"index_{ours}" for name, ours in _COMPRESSOR.items()},
    "self_attn.compressor.indexer.q_b_proj.weight": "index_query",
    "self_attn.compressor.indexer.scorer.weights_proj.weight": "index_weight",
    **{f"attn_hc.{name}": f"mixing_1{ours}" for name, ours in _MIXING.items()},
    **{f"ffn_hc.{name}": f"mixing_2{ours}" for name, ours in _MIXING.items()},
    "mlp.gate.weight": "router",
    **{f"mlp.shared_experts.{name}_proj.weight": f"shared.{name}" for name in ("gate", "up", "down")},
}
ENDS = {
    "model.embed_tokens.weight": "embedding",
    "model.norm.weight": "norm.weight",
    "lm_head.weight": "output",
    **{f"model.hc_head.hc_{name}": f"mixing{ours}" for name, ours in _MIXING.items()},
}


def _called(row: dict[str, Any], block: int, inner: str) -> str:
    """The engine's name of a tensor; a compressor of long runs has one of its own."""
    is_long = row["config"]["layer_types"][block].startswith("heavily")
    return BLOCK[inner].replace("entry_", "long_") if is_long else BLOCK[inner]


def described(row: dict[str, Any], **switches: Any) -> Decoder:
    """The model of the engine with the weights that transformers was given."""
    made: dict[str, Any] = {}
    config = replace(engine_of(row["config"]), weights=F64, vectors=F64, cache=F64, **switches)
    for of, name in enumerate(sorted(row["names"])):
        tensor = numbers(of, row["names"][name]) + ("norm" in name)
        _, _, rest = name.partition("model.layers.")
        block, _, inner = rest.partition(".")
        if name in ENDS:
            made[ENDS[name]] = tensor
        elif inner.startswith("mlp.experts."):
            for expert, each in enumerate(tensor):
                at = f"blocks.{block}.experts.{expert}."
                halves = dict(zip(("gate", "up"), np.split(each, 2), strict=True))
                made |= {at + part: w for part, w in ({"down": each} if "down" in inner else halves).items()}
        else:
            made[at] = tensor.reshape(config.shapes[at := f"blocks.{block}.{_called(row, int(block), inner)}"])
    assert set(config.shapes) == set(made)
    machine = Machine()
    return Decoder(config, machine=machine, weights={name: machine.allocate(w, F64) for name, w in made.items()})


def kinds(row: dict[str, Any]) -> str:
    """The kinds of a model's blocks, in short."""
    return "-".join(one.partition("_")[0] for one in row["config"]["layer_types"])


@pytest.mark.parametrize("row", LOGITS["models"], ids=kinds)
def test_logits_of_transformers(row: dict[str, Any]) -> None:
    """A window alone, short runs with an index, long runs, and all in one: at once, token by token, part by part."""
    decoder, logits = described(row), row["logits"]
    assert decoder.config.n_parameters == row["parameters"]
    assert_allclose(decoder.prefill(TOKENS), logits, rtol=0, atol=1e-5)
    decoder.prefill(TOKENS[:1], capacity=len(TOKENS))
    for token, right in zip(TOKENS[1:], logits[1:], strict=True):
        assert_allclose(decoder.decode(token), right, rtol=0, atol=1e-5)
    for parts in ((5, 8, 13), (4, 5, 13), (1, 7, 13), (12, 13)):
        decoder.prefill(TOKENS[: parts[0]], capacity=len(TOKENS))
        for first, last in pairwise(parts):
            assert_allclose(decoder.extend([TOKENS[first:last]])[0], logits[first:last], rtol=0, atol=1e-5)


def test_a_cache_that_grows_keeps_all() -> None:
    """Room for more entries is made, and what waits for its run stays."""
    row = LOGITS["models"][-1]
    fixed, growing = described(row), described(row)
    growing.growing = True
    fixed.prefill(TOKENS[:2], capacity=len(TOKENS))
    growing.prefill(TOKENS[:2])
    for token in TOKENS[2:]:
        assert_allclose(growing.decode(token), fixed.decode(token), rtol=0, atol=1e-12)


_OF_SHAPES = {
    "runs are longer": {"sparse_run": 3},
    "long runs are shorter": {"heavy_run": 3},
    "all are picked": {"picked": 99},
    "one fewer is picked": {"picked": 1},
    "entries are rotated otherwise": {"rope_theta": 100.0},
}


@pytest.mark.parametrize(
    "fault", [*_OF_SHAPES, "chosen by scores", "one round", "no limit", "softmax", "longer window"]
)
def test_blocks_that_do_otherwise_are_noticed(fault: str) -> None:
    """The twin: then the logits are others, or the weights do not even fit."""
    row = LOGITS["models"][-1]
    config = engine_of(row["config"])
    assert isinstance(config.attention, Compression)
    assert config.streams is not None
    wrong: dict[str, Any] = {
        "chosen by scores": {"routing": replace(config.routing, hashed=(False,))},
        "softmax": {"routing": replace(config.routing, scoring="softmax")},
        "one round": {"streams": replace(config.streams, rounds=1)},
        "no limit": {"mlp_limit": 0.0},
        "longer window": {"windows": (6,)},
    }.get(fault) or {"attention": replace(config.attention, **_OF_SHAPES[fault])}
    try:
        found = described(row, **wrong).prefill(TOKENS)
    except ValueError:
        assert fault in ("runs are longer", "long runs are shorter")
        return
    assert np.abs(found - row["logits"]).max() > 1e-3


@pytest.mark.parametrize("lost", ["window", "entries", "pending", "index_entries", "index_pending"])
def test_what_is_lost_is_noticed(lost: str) -> None:
    """The twin of what a step needs: with vectors in other places, the next logits are others."""
    row = LOGITS["models"][1]
    decoder = described(row)
    decoder.prefill(TOKENS[:-2], capacity=len(TOKENS))  # the next token fills a run
    for block in decoder.caches:
        kept = block[lost].vectors
        kept.store(kept.load()[:, ::-1])
    decoder.decode(TOKENS[-2])
    assert np.abs(decoder.decode(TOKENS[-1]) - row["logits"][-1]).max() > 1e-3


@pytest.mark.parametrize("row", LOGITS["models"], ids=kinds)
def test_what_the_cache_of_transformers_holds(row: dict[str, Any]) -> None:
    """The engine's caches hold as many entries as those of transformers.

    Transformers keeps one vector less of the window, since the next token brings its own, and less of what waits.
    """
    decoder = described(row)
    decoder.prefill(TOKENS)
    held = dict.fromkeys(("window", "entries", "pending"), 0)
    for block in decoder.caches:
        for name, cache in block.items():
            held[name.removeprefix("index_")] += cache.nbytes // 8
    window = row["config"]["sliding_window"]
    assert held["entries"] == row["held"]["entries"]
    assert held["window"] * (window - 1) == row["held"]["window"] * window
    assert held["pending"] >= row["held"]["pending"]


SMALL = LOGITS["models"][-1]["config"]


def test_a_step_reads_what_is_picked_and_all_of_long_runs() -> None:
    """By hand, in 16 bits, at 12 tokens: a window of 5 in four blocks, 2 of 6 entries twice, 3 long runs once."""
    decoder = Decoder(replace(engine_of(SMALL), weights=F16, vectors=F16, cache=F16))
    decoder.prefill([TOKENS[:12]] * 2, capacity=13)
    decoder.ledger.clear()
    decoder.decode([5, 6])
    loaded = {end: decoder.ledger.total("loaded", f"*.attention.{end}") for end in ("cache", "entries", "index.cache")}
    assert loaded == {
        "cache": 2 * 2 * 4 * 5 * 8,
        "entries": 2 * 2 * (2 * 2 + 3) * 8,
        "index.cache": 2 * 2 * 2 * 6 * 6,
    }
    assert decoder.ledger.total("loaded", "*.pending") == 0  # token 13 fills no run


CONFIG = engine_of(SMALL)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"q_rank": 0}, "compressed attention needs compressed queries and a rotated part"),
        ({"windows": (5, None)}, "compressed attention has a window in every block"),
        ({"d_rope": 10}, "no more is rotated than a head or an entry has"),
        ({"n_groups": 3}, "n_groups divides the heads of compressed attention"),
        ({"positions": None}, "compressed attention needs rotary positions"),
        ({"kinds": ()}, "compression says it of at least one block"),
        ({"sparse_run": 0}, "runs have tokens"),
        ({"post_norm": True}, "several streams have blocks of one plain kind"),
        ({"routing": Routing(scoring="tanh")}, "scoring is one of softmax, sigmoid, root_softplus"),  # type: ignore[arg-type]
        ({"routing": Routing(hashed=())}, "hashed says it of at least one block"),
        ({"mlp_limit": -1.0}, "mlp_limit is not negative"),
    ],
)
def test_shapes_that_contradict_each_other(change: dict[str, Any], sentence: str) -> None:
    """Each in a sentence."""
    assert isinstance(CONFIG.attention, Compression)
    of_compression = {name: value for name, value in change.items() if not hasattr(Config, name)}
    of_compression = {name: value for name, value in of_compression.items() if name in vars(CONFIG.attention)}
    if of_compression:
        change = {"attention": replace(CONFIG.attention, **of_compression)}
    with pytest.raises(InvalidConfig, match=sentence):
        replace(CONFIG, **change)


# Tiny models, run whole


def counted(config: Config, asked: Question) -> dict[str, Fraction]:
    """Weights that a decoding step multiplies and reads, and bytes that are held, in the mean over all routings."""
    floats = Float(8 * asked.n_bytes)
    config = replace(config, weights=floats, vectors=floats, cache=Float(8 * asked.n_bytes_kv))
    routed = Routed(config)
    decoder, read, work = Decoder(config, route=routed), [], []
    weights = decoder.ledger.footprint("weights.*")
    for _ in routed.every(asked.batch):
        decoder.start(asked.batch, asked.context)
        decoder.context = asked.context - 1
        decoder.ledger.clear()
        decoder.decode(np.zeros(asked.batch, int))
        products, loaded = by_path(decoder.ledger)
        read.append({"read": Fraction(sum(loaded[path] for path in products))})
        work.append({"work": Fraction(sum(flops for path, flops in products.items() if loaded[path]))})
    held = decoder.ledger.footprint("cache.*") // len(read)  # those of the sequences before stay held
    return {
        "P": mean(work)["work"] / (2 * asked.batch),
        "P_total": Fraction(config.n_parameters),
        "P_read": mean(read)["read"] / asked.n_bytes,
        "kv_bytes_total": Fraction(held),
        "footprint": Fraction(weights + held),
    }


def differing(fields: dict[str, Any], asked: Question, model: Model | None = None) -> set[str]:
    """The answers in which formulas and engine differ."""
    model, right = model or Model.from_config(fields), counted(engine_of(fields), asked)
    return {name for name, count in right.items() if says(model, name, asked.letters) != count}


@settings(max_examples=25, derandomize=True, database=None, deadline=None)
@given(fields=compressing_models(), data=st.data())
def test_a_tiny_model_counts_as_it_runs(fields: dict[str, Any], data: st.DataObject) -> None:
    """From its config.json to a decoding step, at any context: weights, those read, caches, all that is held."""
    sizes = st.sampled_from((2, 4, 8))
    asked = Question(data.draw(st.integers(1, 2)), data.draw(st.integers(1, 40)), data.draw(sizes), data.draw(sizes))
    assert differing(fields, asked) == set()


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        ({"r_csa": 3}, {"P_total", "kv_bytes_total", "footprint"}),
        ({"r_hca": 3}, {"P_total", "kv_bytes_total", "footprint"}),
        ({"n_window": 6}, {"kv_bytes_total", "footprint"}),
        ({"d_index": 8}, {"kv_bytes_total", "footprint"}),
    ],
)
def test_runs_that_are_read_wrongly_are_noticed(change: dict[str, int], noticed: set[str]) -> None:
    """The twin: runs, windows or entries of other sizes, and the engine counts something else."""
    asked, model = Question(2, 11), Model.from_config(SMALL)
    assert differing(SMALL, asked) == set()
    wrong = replace(model, letters={**model.letters, **change})
    assert differing(SMALL, asked, wrong) >= noticed - {"P_total"}


def test_as_many_sequences_fit_as_are_said_to() -> None:
    """The largest batch of any context is that of the formula: one sequence more is more than the memory holds."""
    model, floats = Model.from_config(SMALL), Float(16)
    config = replace(engine_of(SMALL), weights=floats, vectors=floats, cache=floats)
    for context in (1, 4, 5, 13, 40):
        memory = Decoder(config).ledger.footprint("*") + 100_000
        decoder = Decoder(config, machine=Machine(capacity=memory))
        most = says(model, "sequences_that_fit", {"N": context, "n_bytes": 2, "n_bytes_kv": 2, "M": memory})
        decoder.start(int(most), context)
        with pytest.raises(MemoryError):
            Decoder(config, machine=Machine(capacity=memory)).start(int(most) + 1, context)


# Published models


@pytest.mark.parametrize("row", FOUND, ids=lambda row: row["name"])
def test_a_published_model(row: dict[str, Any]) -> None:
    """A model's weights, a token's weights, and bytes that it adds in the long run equal those of transformers."""
    model = Model.from_config(row["config"])
    assert (model.parameters, model.active_parameters) == (row["parameters"], row["active_parameters"])
    assert model.kv_bytes_per_token(2) == row["kv_bytes_per_token"]
    assert Trait.COMPRESSED in model.traits


def test_which_count_of_a_token_is_right() -> None:
    """88,064 bytes are keys and values of a window that still fills, twice. Beyond it 6,880 are added, in the mean."""
    held = {n: evaluate("kv_bytes_total", model=NAME, cache="fp16", B=1, N=n) for n in (127, 128, 256, 384, 65_536)}
    assert held[128] - held[127] == 43 * 512 * 2 + 2 * (21 * (512 + 128) + 20 * 512)
    assert held[384] - held[256] == 128 * 6_880 == 128 * 2 * (21 * 640 // 4 + 20 * 512 // 128)
    waiting = evaluate("waiting_bytes", model=NAME, cache="fp16")
    assert waiting == 2 * 2 * (21 * 2 * 4 * 2 * 640 + 20 * 128 * 512)
    assert held[65_536] == 65_536 * 6_880 + 43 * 128 * 512 * 2 + waiting


def test_a_million_tokens() -> None:
    """By a post of vLLM: 30 layers of one kind and 31 of the other take 9.62 GiB, beside what waits for its run."""
    held = evaluate("kv_bytes_total", model="deepseek-v4-pro", cache="fp16", B=1, N=2**20)
    without = held - evaluate("waiting_bytes", model="deepseek-v4-pro", cache="fp16")
    assert without == 30 * ((128 + 2**18) * 1024 + 2**18 * 256) + 31 * (128 + 2**13) * 1024
    assert round(without / 2**30, 2) == 9.62


# A step, a prompt, an answer; and what is not counted


def test_a_step_of_a_published_model() -> None:
    """DeepSeek-V4-Flash at 65,536 tokens in fp16, as a reader can redo it: what is read of a sequence, and met."""
    window, short, long = 43 * 128 * 512, 21 * 512 * 512, 20 * 512 * 512  # 512 entries picked, 65,536/128 of long runs
    index, waits = 21 * 16384 * 128, evaluate("waiting_bytes_read", model=NAME, cache="fp16")
    assert evaluate("D_seq", model=NAME, cache="fp16", N=65_536) == 2 * (window + short + long + index) + waits
    assert waits == 2 * 2 * (20 * 512 * 127 / 128 + 21 * 2 * 640 * 7 / 4)
    met = 4 * 64 * 512 * (43 * 128 + 21 * 512 + 20 * 512) + 21 * 64 * 2 * (128 + 1) * 16384
    assert evaluate("C_seq", model=NAME, N=65_536) == met
    given: dict[str, Any] = {"model": NAME, "hardware": "b200-sxm", "dtype": "fp8", "N": 65_536, "B": 4}
    assert evaluate("latency_with_cache", **given) > evaluate("memory_time_with_cache", **given) * 0.999


@pytest.mark.parametrize("name", ["critical_context", "context_that_fits", "largest_context"])
def test_what_is_not_counted_is_refused(name: str) -> None:
    """Bounds have no closed form where caches grow in steps, so asking for one is refused in one sentence."""
    why = f"(it is for models with .*compressed runs|nothing counts [A-Za-z_ ]+ for {NAME} yet)"
    with pytest.raises(ConditionViolated, match=f"{name} does not apply, because {why}") as at:
        solve(name, model=NAME, hardware="h200-sxm", dtype="fp8")
    assert str(at.value).count("\n") == 0


def test_reports_have_every_number() -> None:
    """Every row, on several devices too; what no closed form gives is found by asking."""
    assert all(choice.tensor > 1 for choice in Plan(NAME, prompt=100, output=10).choices)
    assert Plan(Model.from_config(SMALL), prompt=100, output=10).choices
    sizing = Sizing(NAME, hardware="b200-sxm", weights="nvfp4", context=65_536, batch=300)
    rows = {row.key: row for row in sizing.rows}
    assert not [key for key, row in rows.items() if row.value is None]
    given: dict[str, Any] = {"model": NAME, "hardware": "b200-sxm", "dtype": "fp16", "weights": "nvfp4"}
    longest, critical = (int(rows[key].value or 0) for key in ("largest_context", "critical_context"))
    assert 0 < longest < 2**20
    held = [explain("footprint", N=context, B=300, **given).exact for context in (longest, longest + 1)]
    assert held[0] <= 180 * 10**9 < held[1]
    for context, waits in ((critical - 1, True), (critical, False)):
        at = {"N": context, **given}
        moved = explain("D_seq", model=NAME, cache="fp16", N=context).exact / Fraction(8 * 10**12)
        flops = 2 * presets.model(NAME).multiplied_parameters + explain("C_seq", model=NAME, N=context).exact
        assert (moved < flops / Fraction(2250 * 10**12)) == waits, at


def test_no_other_formula_of_caches_takes_compressed_runs() -> None:
    """Whoever writes one has to say whether it holds where a token adds less than it leaves: these do."""
    cached = {"m_token", "a", "a_prompt", "N_fit", "m_device"}
    taken = {
        formula.name
        for formula in map(catalogue().__getitem__, catalogue().names)
        if not lacking(formula.traits, presets.model(NAME).traits)
        and cached & {symbol.name for symbol in formula.stated_letters}
        and formula.chapter != "compressed_attention"
    }
    assert taken == set()


# Planted faults


@pytest.mark.parametrize("fault", ["no floor", "no window", "nothing waits"])
def test_a_context_that_is_kept_otherwise_is_refuted(fault: str) -> None:
    """The twin: with parts of entries, without the vectors of the window, or without what waits."""
    own = next(one for one in sums(presets.model(NAME).kept) if one.quantity == M_seq)
    formula = replace(own, unmeasured="", measured_by="compressing/cache.bytes_of_a_sequence")
    waiting = catalogue()["waiting_bytes"].rhs
    change = {"no floor": {floor(N / r_csa): N / r_csa}, "no window": {n_window: 1}, "nothing waits": {waiting: 0}}
    wrong = replace(formula, claim=formula.claim.func(M_seq, formula.rhs.subs(change[fault])))
    assert all(one.equal for one in comparisons(formula))
    assert not all(one.equal for one in comparisons(wrong))


# The config.json

FLASH = next(row["config"] for row in FOUND if row["name"] == "deepseek-ai/DeepSeek-V4-Flash")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"compress_ratios": [0, 4]}, "compress_ratios must list 0, 4 or 128 for each of the 43 layers"),
        ({"compress_ratios": [8] * 43}, "compress_ratios must list 0, 4 or 128 for each of the 43 layers"),
        ({"compress_ratios": [4] * 43}, "formulas are for models with layers of compressed_sparse_attention and of"),
        ({"compress_ratios": "4"}, "compress_ratios must be a list of whole numbers"),
        (
            {"layer_types": ["full_attention"] * 43},
            "layer_types must list sliding_attention, compressed_sparse_attention",
        ),
        ({"mlp_layer_types": ["dense"] * 43}, "mlp_layer_types must list hash_moe or moe for each of the 43 layers"),
        ({"compress_rates": {"odd": 3}}, "compress_rates may have compressed_sparse_attention and"),
        ({"compress_rates": {"compressed_sparse_attention": 0}}, "compressed_sparse_attention must be between 1 and"),
        ({"compress_rate_csa": "4"}, "compress_rate_csa must be a whole number, not '4'"),
        ({"o_groups": 7}, "64 heads cannot be divided into 7 groups .o_groups."),
        ({"num_key_value_heads": 2}, "num_key_value_heads must be 1 in a model of this kind, not 2"),
        ({"n_shared_experts": 2}, "n_shared_experts must be 1 in a model of this kind, not 2"),
        ({"qk_rope_head_dim": 129}, "qk_rope_head_dim must be at most 128, the width of the narrowest head, not 129"),
        ({"hc_mult": 0}, "hc_mult must be between 1 and"),
        ({"hc_mult": None}, "hc_mult must be a whole number, not null"),
        ({"sliding_window": -1}, "sliding_window must be between 1 and"),
        ({"num_experts_per_tok": 257}, "a token cannot be routed to 257 of 256 experts"),
        ({"mlp_bias": True}, "mlp_bias is True, which this package does not support"),
        ({"kv_lora_rank": 512}, "kv_lora_rank is unknown for deepseek_v4 and may change its weights"),
        ({"window_size": 64}, "window_size must be 128 in a model of this kind, not 64"),
        ({"architectures": ["DeepseekV3ForCausalLM"]}, "architectures has DeepseekV3ForCausalLM"),
        ({"rope_parameters": {"main": {"odd": 1}, "compress": {}}}, "rope_parameters.main has odd, which this package"),
    ],
)
def test_what_is_refused_of_a_config(change: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config({**FLASH, **change})


@pytest.mark.parametrize(
    ("said", "n_csa", "n_hca"),
    [
        ({}, 21, 20),
        ({"compress_ratios": None}, 20, 23),
        ({"layer_types": ["heavily_compressed_attention"] * 40 + ["compressed_sparse_attention"] * 3}, 3, 40),
    ],
)
def test_which_layers_keep_which_runs(said: dict[str, Any], n_csa: int, n_hca: int) -> None:
    """By name, by ratio, or by the rule of its class; by name goes first."""
    letters = Model.from_config({**FLASH, **said}).letters
    assert (letters["n_csa"], letters["n_hca"]) == (n_csa, n_hca)


def test_a_config_that_was_saved_again_says_the_same() -> None:
    """Its class writes two tables of rotary positions, and names in the place of ratios."""
    tables = {"main": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.125}}
    tables["compress"] = {"rope_type": "yarn", "rope_theta": 16e4, "factor": 16, "partial_rotary_factor": 0.125}
    types = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
    layers = {"layer_types": [types[ratio] for ratio in FLASH["compress_ratios"][:43]], "compress_ratios": None}
    rates = {"compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}}
    saved = {**FLASH, **layers, **rates, "rope_scaling": None, "rope_parameters": tables}
    saved |= {"mlp_layer_types": ["hash_moe"] * 3 + ["moe"] * 40, "partial_rotary_factor": 0.125}
    assert Model.from_config(saved) == Model.from_config(FLASH)
