"""The engine witnesses each binding: tiny models of every family, whole passes, counts `==`"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kinds import of_each_kind
from strategies import architectures, questions, tiny_models
from tiny_models import RUN, engine_of
from tiny_runs import Answers, Question, measured, predicted

from reference_engine import Config
from symbolic_llm import Model, catalogue, errors, evaluate, presets
from symbolic_llm.answers import evaluating
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula
from symbolic_llm.models import model as models
from symbolic_llm.models.builder import Builder
from symbolic_llm.notation import LETTERS, P, P_active, P_device, P_held, P_total, n_tensor, named
from symbolic_llm.units import WEIGHT
from symbolic_llm.witness.decoders import model_of

LLAMA = {
    "model_type": "llama",
    "vocab_size": 7,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
    "hidden_size": 5,
    "intermediate_size": 11,
    "tie_word_embeddings": False,
}
MISTRAL = LLAMA | {"model_type": "mistral", "sliding_window": 3}
GEMMA = MISTRAL | {"model_type": "gemma2"}
MIXTRAL = LLAMA | {"model_type": "mixtral", "num_local_experts": 3, "num_experts_per_tok": 1}
QWEN_MOE = LLAMA | {
    "model_type": "qwen3_moe",
    "sliding_window": None,
    "num_experts": 3,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 4,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [1],
}
DEEPSEEK = LLAMA | {
    "model_type": "deepseek_v3",
    "num_key_value_heads": 4,
    "head_dim": 4,
    "kv_lora_rank": 3,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 6,
    "v_head_dim": 5,
    "q_lora_rank": 2,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "n_routed_experts": 3,
    "num_experts_per_tok": 1,
    "moe_intermediate_size": 4,
}

OPT = {
    "model_type": "opt",
    "vocab_size": 7,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 6,
    "ffn_dim": 5,
    "word_embed_proj_dim": 3,
    "max_position_embeddings": 16,
    "enable_bias": True,
}


def hold(fields: dict[str, Any], asked: Question) -> None:
    """Both witnesses, each with a reader of its own: what the formulas say is what is counted."""
    config, model = engine_of(fields), Model.from_config(fields)
    counted = measured(config, asked)
    if (
        config.n_sharing or config.d_block
    ):  # what a step reads is not all that is kept, or more than one row is looked up
        counted.pop("decode_traffic")
        with pytest.raises(ConditionViolated, match=r"decode_traffic does not apply|each block looks up another"):
            predicted(model, asked, ["decode_traffic"])
    assert predicted(model, asked, counted) == counted
    seen = model_of(config, "decoder")
    assert (seen.traits, picks(seen)) == (model.traits, picks(model))
    for devices in (1, 2):
        for letter in (P_device, P_held):
            mine, theirs = (of_device(letter, one, devices) for one in (seen, model))
            assert mine == theirs
    assert (seen.parameters, seen.multiplied_parameters) == (model.parameters, model.multiplied_parameters)


def picks(model: Model) -> list[Formula]:
    """The formulas of a model but for the sums that are its own."""
    return [formula for formula in model.formulas if not formula.module.startswith(f"{model.name}.")]


def of_device(letter: Any, model: Model, devices: int) -> Fraction:
    """Value of a letter for one of so many devices, by the model's own sum over its parts."""
    values = {named(name): Fraction(value) for name, value in model.letters.items()}
    return Fraction(exact(model.formula_for(letter).rhs, values | {n_tensor: Fraction(devices)}))


@pytest.mark.parametrize("family", RUN)
def test_every_family_counts_as_it_runs(family: str) -> None:
    """From its config.json to whole passes: weights stored, multiplied and read, caches, operations, times."""

    @settings(max_examples=6, derandomize=True, database=None)
    @given(data=st.data(), fields=tiny_models(family))
    def each(data: st.DataObject, fields: dict[str, Any]) -> None:
        hold(fields, data.draw(questions(experts=engine_of(fields).n_experts > 0)))

    each()


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        (MISTRAL, Question(2, 3)),  # a window that is just full
        (MISTRAL, Question(2, 4)),
        (MISTRAL | {"sliding_window": 9}, Question(2, 4)),
        (MISTRAL | {"sliding_window": 1}, Question(2, 7)),
        (GEMMA, Question(2, 8, n_bytes=4, flops=100, bandwidth=3)),
        (GEMMA | {"num_hidden_layers": 1}, Question(1, 8)),  # its only block has a window
        (LLAMA | {"num_key_value_heads": 1, "tie_word_embeddings": True}, Question(3, 5, n_bytes_kv=8)),
        (MIXTRAL, Question(4, 1, flops=100, bandwidth=3)),
        (MIXTRAL, Question(2, 2)),
        (MIXTRAL | {"sliding_window": 2}, Question(1, 4)),
        (MIXTRAL | {"num_experts_per_tok": 3}, Question(3, 2)),  # every token uses every expert
        (QWEN_MOE, Question(3, 1)),
        (QWEN_MOE | {"mlp_only_layers": [0, 1, 2]}, Question(3, 2)),
        (DEEPSEEK, Question(2, 2, flops=50)),
        (DEEPSEEK | {"first_k_dense_replace": 3}, Question(3, 5)),  # latent attention and no experts
        (DEEPSEEK | {"first_k_dense_replace": 0, "q_lora_rank": None, "n_shared_experts": None}, Question(4, 1)),
    ],
)
def test_corner_cases_count_as_they_run(fields: dict[str, Any], asked: Question) -> None:
    """Windows of any length, latent attention, experts in some blocks, shared ones beside them."""
    hold(fields, asked)


@settings(max_examples=25)
@given(config=architectures(), data=st.data())
def test_whatever_the_engine_runs_is_counted_or_refused(config: Config, data: st.DataObject) -> None:
    """Mixtures that no family has, as the model that a decoder is seen as: latent attention with windows, say."""
    try:
        model = model_of(config, "decoder")
    except InvalidModel:
        assume(False)
    asked = data.draw(questions(experts=config.n_experts > 0))
    assert predicted(model, asked) == measured(config, asked)


# The twins: a wrong binding is planted, and noticed

FEW, MORE = Question(2, 2, flops=10**6), Question(2, 5, flops=10**6)

WRONG = [
    (MIXTRAL, "expert_weights_read", "weights_read", {"P_read", "latency", "decode_traffic"}),
    (MIXTRAL, "expert_prefill_weights_read", "prefill_weights_read", {"P_prompt", "prefill_time"}),
    (MISTRAL, "windowed_context_bytes", "context_bytes", {"kv_bytes_total", "latency_with_cache"}),
    (GEMMA, "windowed_context_bytes", "context_bytes", {"kv_bytes_total", "latency_with_cache"}),
    (DEEPSEEK, "latent_kv_bytes_per_token", "kv_bytes_per_token", {"kv_bytes_total", "prefill_time_with_attention"}),
    (
        DEEPSEEK,
        "latent_attention_flops_per_context_token",
        "attention_flops_per_context_token",
        {"decode_product_flops"},
    ),
    (DEEPSEEK, "latent_prompt_attention_flops", "prompt_attention_flops", {"prefill_product_flops"}),
]


@cache
def counted(description: str) -> Answers:
    """The engine's counts, with reading that takes longer than arithmetic; asked once for all twins of a model."""
    config = engine_of(json.loads(description))
    return measured(config, FEW if config.n_experts else MORE)


def differing(
    fields: dict[str, Any], names: set[str], change: Callable[[Model], Model] = lambda model: model
) -> set[str]:
    """Names of the answers in which the two witnesses differ."""
    model = change(Model.from_config(fields))
    asked = FEW if engine_of(fields).n_experts else MORE

    def differs(name: str) -> bool:
        try:
            return predicted(model, asked, (name,))[name] != counted(json.dumps(fields))[name]
        except ConditionViolated:  # the formula itself says that it is for other models
            return True

    return {name for name in names if differs(name)}


def with_other_letters(model: Model) -> Model:
    """The model with letters that formulas for other models ask for."""
    return replace(model, letters={"n_kv_heads": 4, "d_head": 4} | dict(model.letters))


@pytest.mark.parametrize(("fields", "right", "wrong", "noticed"), WRONG)
def test_a_wrong_binding_is_noticed(
    fields: dict[str, Any], right: str, wrong: str, noticed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model picks a formula for other models; the letters that one asks for are there."""
    assert not differing(fields, noticed)
    chosen, swapped = models.chosen, {catalogue()[right]: catalogue()[wrong]}
    monkeypatch.setattr(models, "chosen", lambda traits: tuple(swapped.get(each, each) for each in chosen(traits)))
    assert differing(fields, noticed, with_other_letters) == noticed


@pytest.mark.parametrize(
    ("fields", "fault", "noticed"),
    [
        (DEEPSEEK, "shared experts are forgotten", {"P", "P_total", "P_read", "P_prompt"}),
        (DEEPSEEK, "every block has experts", {"P_read", "P_prompt"}),
        (DEEPSEEK, "experts are as wide as an MLP", {"P", "P_total", "P_read", "P_prompt"}),
        (QWEN_MOE, "every block has experts", {"P_read", "P_prompt"}),
        (QWEN_MOE, "a token uses every expert", {"P", "P_read", "latency"}),
        (GEMMA, "every block has a window", {"kv_bytes_total", "prefill_product_flops"}),
        (OPT, "the embedding is as wide as the model", {"P_total", "prefill_product_flops", "decode_traffic"}),
        (MISTRAL, "no block has a window", {"kv_bytes_total", "prefill_product_flops"}),
    ],
)
def test_a_wrong_reading_is_noticed(
    fields: dict[str, Any], fault: str, noticed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: where a part of a model is taken for something else, every answer listed for that fault differs."""
    expert_blocks, windows = Builder.expert_blocks, Builder.windows

    def wrong_experts(made: Builder, n: int, n_experts: int, n_active: int, d_expert: int, n_shared: int = 0) -> None:
        n_shared = 0 if "shared" in fault else n_shared
        n_active = n_experts if "uses every" in fault else n_active
        expert_blocks(made, n, n_experts, n_active, made.letters["d_ff"] if "wide" in fault else d_expert, n_shared)
        if fault == "every block has experts":
            made.letters["n_moe"] = made.letters["n_blocks"]

    def wrong_windows(made: Builder, window: int | None, types: Any, _: Any) -> None:
        windows(made, window, types, lambda _: fault == "every block has a window")

    assert not differing(fields, noticed)
    if "embedding" in fault:
        monkeypatch.setattr(Builder, "embedding", lambda made, width, tied: made.vocabulary(tied=tied))
    elif "window" in fault:
        monkeypatch.setattr(Builder, "windows", wrong_windows)
    else:
        monkeypatch.setattr(Builder, "expert_blocks", wrong_experts)
    assert differing(fields, noticed) == noticed


def weights_of_a_part(formula: Formula) -> bool:
    """Whether it counts weights that are not a whole model's, nor what is read of them."""
    letter = LETTERS.get(formula.quantity)
    return letter is not None and letter.unit == WEIGHT and not letter.varies


OF_PARTS = [formula for formula in catalogue() if weights_of_a_part(formula)]


def of_no_part(name: str) -> list[str]:
    """Formulas of some weights that answer for a model though neither they nor what they add up is of a part of it."""
    model = presets.model(name)
    totals = {P_total, P, P_active, *(formula.quantity for formula in model.formulas)}
    inner = {one for part in model.parts for one in (part.formula, *part.formula.closure())}
    each = {(part.formula.quantity, part.each) for part in model.parts}

    def counted(formula: Formula, value: Any) -> bool:
        if own := {part.each for part in model.parts if part.formula is formula}:
            return value in own  # a part may be as wide as another letter of the model says
        if formula in inner or (formula.quantity, value) in each:
            return True
        used = [one for one in formula.uses if one in OF_PARTS]
        return bool(used) and all(counted(one, evaluate(one, model=name)) for one in used)

    found = []
    for formula in OF_PARTS:
        if formula.quantity not in totals:
            with suppress(errors.SymbolicLLMError):
                if not counted(formula, evaluate(formula, model=name)):
                    found.append(formula.name)
    return found


@pytest.mark.parametrize("name", of_each_kind())
def test_a_formula_of_a_part_is_asked_of_models_that_have_it(name: str) -> None:
    """Elsewhere it does not apply; each part's own formula does."""
    assert not of_no_part(name)
    model = presets.model(name)
    for part in model.parts:
        assert evaluate(part.formula, model=name, **presets.model(name).others(part)) == part.each


def test_a_part_that_a_model_does_not_have_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin, and what a refusal names."""
    with pytest.raises(errors.ConditionViolated, match="of llama-3-8b; use grouped_attention_parameters"):
        evaluate("attention_parameters", model="llama-3-8b")
    sentence = "use grouped_attention_parameters and gated_mlp_parameters"
    with pytest.raises(errors.ConditionViolated, match=sentence):
        evaluate("block_parameters", model="llama-3-8b")
    monkeypatch.setattr(Model, "uncounted", lambda self, formula: "")
    assert "plain_mlp_parameters" in of_no_part("llama-3-8b")


def test_a_part_as_wide_as_another_letter_says_is_counted_as_wide() -> None:
    """The twin: shared experts and a narrow embedding, with the model's usual widths; no plan of before answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "renamed_in", lambda self, formula: {})
        evaluating._kept.cache_clear()
        assert of_no_part("qwen3-next-80b-a3b") == ["gated_mlp_parameters"]
        assert of_no_part("opt-350m") == ["embedding_parameters"]
    evaluating._kept.cache_clear()
