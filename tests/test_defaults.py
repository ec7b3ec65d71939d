"""Fields that a config leaves out are as its class in transformers takes them, and what it says twice has to agree"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_readers import agree

from reference_engine import Config, ModelFileError
from reference_engine.config import InvalidConfig
from reference_engine.files import hub
from reference_engine.formats import F32
from symbolic_llm import Model
from symbolic_llm.errors import InvalidModel
from symbolic_llm.models import families, family, repeated_keys
from symbolic_llm.models.config import Fields, read
from symbolic_llm.models.families import FAMILIES
from symbolic_llm.models.family import Family, Wrapper

ROWS = json.loads((Path(__file__).parent / "data" / "defaults.json").read_text(encoding="utf-8"))["rows"]
WRAPPERS = {name: family for name, family in FAMILIES.items() if isinstance(family, Wrapper)}
OFF: tuple[Any, ...] = (None, False, 0, "", [], {})
# The classes of these tie the matrices of a config that says nothing; published files say nothing, and do not.
UNTIED = {(name, "tie_word_embeddings") for name in ("internvl", "kimi_k25", "mistral3")}


def config_of(row: dict[str, Any], **said: Any) -> dict[str, Any]:
    """The config of a row, with further fields where its other fields are."""
    given = {"model_type": row["model_type"]} | row["given"]
    if "in_text" in row:
        return given | {"text_config": given["text_config"] | said}
    return given | said


def absent(row: dict[str, Any]) -> dict[str, Any]:
    """Defaults of the row's class for the fields that the row leaves out."""
    return row.get("in_text") or row["absent"]


def made(config: dict[str, Any]) -> tuple[Model, tuple[int, ...]] | None:
    """The model made of a config, and which of its blocks have a window; None if it is refused."""
    try:
        model = Model.from_config(config)
    except InvalidModel:
        return None
    family = FAMILIES[config["model_type"]]
    return model, family.read(read(config)).windowed if isinstance(family, Family) else ()


def same(left: tuple[Model, tuple[int, ...]] | None, right: tuple[Model, tuple[int, ...]] | None) -> bool:
    """Whether both are the same; where no longest context is said, none is given, whatever the class takes it for."""
    if left is None or right is None:
        return False
    limits = {left[0].context_limit, right[0].context_limit} - {None}
    return len(limits) < 2 and (replace(left[0], context_limit=None), left[1]) == (
        replace(right[0], context_limit=None),
        right[1],
    )


def other(default: Any) -> Any:
    """Another than this one: one more, or the other switch; the same if it is neither a number nor a switch."""
    return not default if isinstance(default, bool) else default + 1 if isinstance(default, int) else default


@contextmanager
def asking(asked: set[str], wrong: str = "") -> Iterator[None]:
    """Notes which fields are asked for; with one that is `wrong`, that one alone, and if its default is another now."""
    value = Fields._value

    def noting(self: Fields, name: str, default: Any, *more: Any) -> Any:
        if name == wrong and name not in self._values and other(default) != default:
            asked.add(name)
            default = other(default)
        elif not wrong:
            asked.add(name)
        return value(self, name, default, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fields, "_value", noting)
        yield


def asked_of(row: dict[str, Any]) -> list[str]:
    """The fields that its class has a default for, and that its family asks for where they are left out."""
    asked: set[str] = set()
    with asking(asked):
        assert made(config_of(row)), row
    return sorted(asked & absent(row).keys())


def names(row: dict[str, Any]) -> str:
    """Of a row in the list of tests."""
    return f"{row['model_type']}-{len(absent(row))}"


def test_every_family_was_looked_up() -> None:
    """None is without a row, and what is compared below is most of what the families ask for."""
    assert {row["model_type"] for row in ROWS} == set(FAMILIES)
    assert sum(len(asked_of(row)) for row in ROWS) > 550


@pytest.mark.parametrize("row", ROWS, ids=names)
def test_a_default_is_that_of_the_class(row: dict[str, Any]) -> None:
    """Each field left out, and written as the class takes it: one model. So is a config that says all of them."""
    bare = made(config_of(row))
    for name in asked_of(row):
        agrees = same(bare, made(config_of(row, **{name: absent(row)[name]})))
        assert agrees is ((row["model_type"], name) not in UNTIED), name
    if not any(family == row["model_type"] for family, _ in UNTIED):
        assert same(bare, made(config_of(row, **absent(row))))


# Asked for and checked, and without any influence on what is counted.
WITHOUT_INFLUENCE = {
    ("bailing_moe", "sliding_window"),
    ("deepseek_v4", "qk_rope_head_dim"),
    ("llama4_text", "use_qk_norm"),
    ("nemotron_h", "tie_word_embeddings"),
}


def test_every_wrong_default_is_noticed() -> None:
    """The twin: one default of one family is off by one, or the other switch, each in turn."""
    planted, noticed = set(), set()
    for row in ROWS:
        if isinstance(FAMILIES[row["model_type"]], Wrapper):
            continue
        for name in asked_of(row):
            with asking(found := set(), wrong=name):
                faulty = made(config_of(row))
            if found:
                pair = row["model_type"], name
                planted.add(pair)
                if not same(faulty, made(config_of(row, **{name: absent(row)[name]}))):
                    noticed.add(pair)
    assert planted - noticed == WITHOUT_INFLUENCE
    assert len(planted) > 250


@pytest.mark.parametrize("row", [row for row in ROWS if row["model_type"] in WRAPPERS], ids=names)
def test_a_wrong_default_of_a_wrapper_is_noticed(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin, of what a wrapper has defaults for itself."""
    wrapper = WRAPPERS[row["model_type"]]
    faults: dict[str, Any] = {"tie_word_embeddings": replace(wrapper, tied=not wrapper.tied)}
    if "in_text" in row:
        for name, value in wrapper.defaults.items():
            faults[name] = replace(wrapper, defaults={**wrapper.defaults, name: other(value)})
    right = {name: made(config_of(row, **{name: absent(row)[name]})) for name in faults}
    for name, faulty in faults.items():
        monkeypatch.setitem(families._KNOWN, wrapper.model_type, faulty)
        assert same(made(config_of(row)), right[name]) is ((wrapper.model_type, name) in UNTIED), name


# The engine's reader


def engine(config: dict[str, Any]) -> Config | None:
    """The engine's reading of a config, its longest context left away; None if it is refused."""
    try:
        return replace(hub.read_config(hub.Values("config.json", config), F32), context_length=0)
    except (ModelFileError, InvalidConfig):
        return None


RUN = [row for row in ROWS if row["model_type"] in hub.KINDS]


def asked_by_the_engine(row: dict[str, Any]) -> set[str]:
    """The fields that its class has a default for, and that the engine asks for."""
    values = hub.Values("config.json", config_of(row))
    hub.read_config(values, F32)
    return values.asked & row["absent"].keys()


@pytest.mark.parametrize("row", RUN, ids=names)
def test_a_default_of_the_engine_is_that_of_the_class(row: dict[str, Any]) -> None:
    """Each field left out, and written as the class takes it: one decoder."""
    bare = engine(config_of(row))
    assert bare is not None
    for name in asked_by_the_engine(row):
        assert engine(config_of(row, **{name: row["absent"][name]})) == bare, name


NO_FIELD = {"llama": {"window"}, "qwen2": {"d_head"}, "gpt2": {"n_kv_heads", "d_head", "window", "theta"}}


@pytest.mark.parametrize("kind", hub.KINDS)
def test_every_wrong_default_of_the_engine_is_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: each that a kind has of its own is another; but what its class has no field for is its class's."""
    right, unseen = hub.KINDS[kind], set()
    for field in dataclass_fields(right)[1:]:
        monkeypatch.setitem(hub.KINDS, kind, replace(right, **{field.name: 2 * getattr(right, field.name) + 2}))
        rows = [row for row in RUN if row["model_type"] == kind]
        said = [(row, {name: value}) for row in rows for name, value in row["absent"].items()]
        if all(engine(config_of(row)) == engine(config_of(row, **one)) for row, one in said):
            unseen.add(field.name)
    assert unseen == NO_FIELD.get(kind, set())


# Off is not harmless: it changes something wherever it is not the default

# Of what the classes have as on: what none of their shapes depends on, whatever it is.
SHAPELESS = frozenset(
    {
        "activation", "activation_function", "activation_sparsity_pattern", "altup_coef_clip", "altup_correct_scale",
        "attention_dropout", "attention_in_multiplier", "attention_multiplier",
        "attention_out_multiplier", "attention_value_scale", "attn_logit_softcapping", "attn_pdrop", "attn_scale",
        "attn_temperature_tuning",
        "bos_token_id", "chunk_size", "classifier_dropout", "compress_rope_theta", "dropout", "embd_pdrop",
        "embedding_dropout", "embedding_multiplier", "eod_token_id", "eos_token_id", "expand", "expert_selection_fn",
        "final_logit_softcapping", "floor_scale", "hc_eps", "hc_sinkhorn_iters", "head_dim", "hidden_act",
        "hidden_activation", "init_std", "initializer_range", "key_multiplier", "layer_norm_eps", "layer_norm_epsilon",
        "lm_head_multiplier", "logit_scale", "logits_scaling", "mamba_chunk_size", "mamba_hidden_act",
        "mamba_norm_before_gate", "max_position_embeddings", "max_window_layers", "mlp_hidden_act",
        "mlp_multipliers", "moe_norm_min", "moe_router_enable_expert_bias",
        "moe_shared_expert_overlap", "mtp_layers_block_type", "n_group", "n_shared_experts", "norm_eps", "norm_epsilon",
        "norm_topk_prob", "num_logits_to_keep", "num_mtp_layers", "num_nextn_predict_layers",
        "original_max_position_embeddings", "output_dropout", "pad_token_id", "partial_rotary_factor", "pretraining_tp",
        "query_pre_attn_scalar", "rescale_prenorm_residual", "resid_pdrop", "residual_dropout", "residual_multiplier",
        "rms_norm_eps", "rope_interleave", "rope_theta", "rotary_dim", "routed_scaling_factor", "router_aux_loss_coef",
        "router_jitter_noise", "scale_attn_weights", "scoring_func", "sep_token_id",
        "shared_expert_combination_strategy", "ssm_in_multiplier", "ssm_multipliers", "ssm_out_multiplier",
        "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj", "swiglu_alpha",
        "swiglu_limit", "time_step_floor", "time_step_max", "time_step_min", "topk_group", "topk_method", "use_cache",
        "use_expert_bias", "use_mamba_kernels", "use_parallel_residual", "vocab_size_per_layer_input",
    }
)  # fmt: skip
# Of what the classes of the engine's families have as on: what no logit depends on.
IDLE = frozenset(
    {
        "attn_pdrop", "bos_token_id", "embd_pdrop", "eos_token_id", "initializer_range", "max_position_embeddings",
        "pretraining_tp", "resid_pdrop", "router_aux_loss_coef", "summary_first_dropout", "summary_proj_to_labels",
        "summary_type", "summary_use_proj", "use_cache",
    }
)  # fmt: skip


def passed_over(row: dict[str, Any], asked: Collection[str], reads: Callable[[dict[str, Any]], Any]) -> set[str]:
    """The keys that are on where they are left out, and that a reader does not ask for and takes when they are off."""
    on = [name for name, value in absent(row).items() if value not in OFF and name not in asked]
    return {name for name in on for off in OFF if reads(config_of(row, **{name: off})) is not None}


def test_off_is_refused_or_changes_nothing() -> None:
    """Every key of every class."""
    assert set().union(*(passed_over(row, asked_of(row), made) for row in ROWS)) == SHAPELESS
    assert set().union(*(passed_over(row, asked_by_the_engine(row), engine) for row in RUN)) == IDLE


def test_a_reader_that_takes_off_for_harmless_is_noticed() -> None:
    """The twin: what is off is left out, and so read as the default, which is on."""

    def careless(config: dict[str, Any]) -> Any:
        return made({name: value for name, value in config.items() if value not in OFF})

    rows = [row for row in ROWS if "in_text" not in row]
    assert not set().union(*(passed_over(row, (), careless) for row in rows)) <= SHAPELESS


# Keys that say again what others say


# Names that a family has another number under: a window without the token that looks back
OF_ITS_OWN = {("mimo_v2_flash", "sliding_window_size")}


def said_again(row: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Names of other libraries for a number of the model, which neither its family reads nor its class has."""
    found = made(config_of(row))
    assert found is not None
    read_here = {*asked_of(row), *absent(row), *row["given"]}
    for letter, known in repeated_keys._NUMBERS.items():
        if (number := found[0].letters.get(letter)) is not None:
            own = {name for name in known if (row["model_type"], name) in OF_ITS_OWN}
            yield from ((name, number) for name in known if name not in read_here | own)


def contradictions(row: dict[str, Any]) -> list[str]:
    """The names for which another number than the model's is passed over, or its own changes something."""
    bare = made(config_of(row))
    return [
        name
        for name, number in said_again(row)
        if not same(bare, made(config_of(row, **{name: number})))
        or any(same(bare, made(config_of(row, **{name: wrong}))) for wrong in (number + 1, 0, False))
    ]


@pytest.mark.parametrize("row", [row for row in ROWS if "in_text" not in row], ids=names)
def test_what_is_said_again_is_not_passed_over(row: dict[str, Any]) -> None:
    """Under every name, a number of nothing too: it agrees, is refused, or is what the family goes by."""
    assert [*said_again(row)]
    assert not contradictions(row)


def test_a_contradiction_that_is_taken_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""
    monkeypatch.setattr(family, "refuse_contradictions", lambda *given: None)
    assert any(contradictions(row) for row in ROWS if "in_text" not in row)


def test_both_readers_know_the_same_names() -> None:
    """Both readers, which read without each other, have one list of other names for numbers and switches."""
    switches = {name for _, _, names in repeated_keys._SWITCHES for name in names} | {*repeated_keys._TIED}
    assert {name for what, names in hub._RESTATED.items() if what not in repeated_keys._NUMBERS for name in names} == (
        switches | {name for name in repeated_keys._NUMBERS["n_window"] if name != "sliding_window"}
    )
    numbers = hub._RESTATED.keys() & repeated_keys._NUMBERS.keys()
    assert len(numbers) > 8
    assert {letter: hub._RESTATED[letter] for letter in numbers} == {
        letter: repeated_keys._NUMBERS[letter] for letter in numbers
    }


@pytest.mark.parametrize("row", RUN, ids=names)
def test_both_readers_agree_on_what_is_said_again(row: dict[str, Any]) -> None:
    """Both readers agree on what is said again: a config that one reads, the other reads alike or refuses."""
    read_by_both = 0
    for name, number in said_again(row):
        for said in (number, number + 1, 0):
            read_by_both += agree(config_of(row, **{name: said}))
    assert read_by_both
