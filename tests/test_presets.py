"""Presets of models: each has a second witness, a config that transformers counted"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from symbolic_llm import Model, errors, presets
from symbolic_llm.errors import SymbolicLLMError, UnknownName
from symbolic_llm.presets import Presets, tables
from symbolic_llm.presets.by_letter import Hint

DATA = Path(__file__).parent / "data"
# What other software counted, by the names of the tables; the last one has what the others lack.
COUNTED: dict[str, dict[str, Any]] = {
    **{row["name"]: row for row in json.loads((DATA / "models_wild.json").read_text(encoding="utf-8"))["models"]},
    **json.loads((DATA / "models.json").read_text(encoding="utf-8"))["models"],
    **json.loads((DATA / "presets.json").read_text(encoding="utf-8"))["models"],
}
# The row that a preset is held against, where it is called neither like the preset nor like its repository. It is never
# found by content: then a preset with the numbers of another model would pass.
NAMED = {
    "llama-7b": "llama-1-7b",
    "llama-13b": "llama-1-13b",
    "llama-65b": "llama-1-65b",
    "mistral-7b-v0.1": "mistral_7b",
    "mixtral-8x7b": "mistralai/Mixtral-8x7B-v0.1",
    "qwen3-8b": "Qwen/Qwen3-8B",
    "qwen3-32b": "Qwen/Qwen3-32B-FP8",
    "qwen3-30b-a3b": "Qwen/Qwen3-30B-A3B-FP8",
    "deepseek-v3": "deepseek-ai/DeepSeek-V3",
    "deepseek-v3.2": "deepseek-ai/DeepSeek-V3.2",
    "deepseek-v4-flash": "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-v4-pro": "nvidia/DeepSeek-V4-Pro-NVFP4",
    "gpt-oss-120b": "openai/gpt-oss-120b",
    "llama-4-maverick": "meta-llama/Llama-4-Maverick-17B-128E-Instruct",
    "kimi-k2": "moonshotai/Kimi-K2-Instruct",
    "glm-4.5": "tokenizer",  # its folder, in a repository of tests
    "minimax-m2.5": "MiniMaxAI/MiniMax-M2.5",
    "olmo-3.1-32b": "Olmo-3.1-32B-Instruct",
    "qwen1.5-moe-a2.7b": "qwen2moe",
    "qwen3-next-80b-a3b": "qwen3_next_80b_a3b_dict",
    "qwen3.5-27b": "Qwen/Qwen3.5-27B",
    "qwen3.5-397b-a17b": "Qwen/Qwen3.5-397B-A17B",
    "nemotron-3-nano-30b-a3b": "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "gemma-4-26b-a4b": "google/gemma-4-26B-A4B",
    "gemma-4-31b": "nvidia/Gemma-4-31B-IT-NVFP4",
    "mimo-v2-flash": "XiaomiMiMo/MiMo-V2-Flash",
    "qwen3-235b-a22b": "Qwen/Qwen3-235B-A22B-FP8",
    "qwen3.6-27b": "nvidia/Qwen3.6-27B-NVFP4",
    "qwen3.6-35b-a3b": "nvidia/Qwen3.6-35B-A3B-NVFP4",
    "llama-3.1-70b": "meta-llama/Meta-Llama-3.1-70B",
    "llama-3.2-1b": "llama3_2_1b",
    "mixtral-8x22b": "mixtral_8x22b_dict",
    "minimax-m2.7": "MiniMax_M2_7",
    "phi-3.5-mini": "phi-3_5",
    "gemma-2-9b": "gemma2_9b",
    "seed-oss-36b": "Seed-OSS-36B",
    "falcon-h1-7b": "Falcon-H1-7B",
}
# Whole numbers that neither change what is read nor stand in the other config: how scores are scaled, and the word for
# layer_types that transformers keeps beside them.
UNHEARD = {"gemma-3-1b-text": {"query_pre_attn_scalar", "_sliding_window_pattern"}}
PRESETS = presets.names("models")

Place = tuple[str | int, ...]


def witness(name: str) -> dict[str, Any]:
    """The row of a preset."""
    repository = tables._table("models")[name].get("repository", "")
    names = (name, repository, repository.rpartition("/")[2])
    return COUNTED[NAMED.get(name) or next(one for one in names if one in COUNTED)]


def config(name: str) -> dict[str, Any]:
    """The config of a preset, as the file has it."""
    found: dict[str, Any] = tables.config(name)
    return found


def first(name: str) -> str:
    """The preset whose config another one has."""
    row = tables._table("models")[name]
    return first(row["like"]) if "like" in row else name


def whole_numbers(inside: Mapping[str, Any] | list[Any], *place: str | int) -> Iterator[tuple[Place, int]]:
    """Every whole number of a config with its place, those of lists and of objects in it too."""
    for key, value in inside.items() if isinstance(inside, Mapping) else enumerate(inside):
        if isinstance(value, Mapping | list):
            yield from whole_numbers(value, *place, key)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield (*place, key), value


@cache
def read(fields: str) -> Model:
    """The model of a config.json, without the names and the number formats that it has there."""
    return replace(Model.from_config(json.loads(fields)), name="", title="", stored=None)


def other_than(preset: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """Reasons against a preset's config being the one that was counted."""
    try:
        model = read(json.dumps(preset))
    except SymbolicLLMError as error:
        return [str(error)]
    faults = [] if model == read(json.dumps(row["config"])) else ["it is read as another model"]
    theirs = dict(whole_numbers(row["config"]))
    faults += [f"{place}: {value}" for place, value in whole_numbers(preset) if theirs.get(place, value) != value]
    row = {**row, **row.get("text_part", {})}
    total = row.get("params_total", row.get("parameters"))
    cache = row["fields"]["kv_bytes_per_token_fp16"] if "fields" in row else row["kv_bytes_per_token"]
    counts = {
        "parameters": (model.parameters, total),
        "active": (model.active_parameters, row.get("params_active", row.get("active_parameters", total))),
        "cache": (model.kv_bytes_per_token(2), cache + row.get("index_bytes_per_token", 0)),
    }
    return faults + [what for what, (found, meant) in counts.items() if found != meant]


def swapped(number: int) -> int:
    """The number with two neighbouring digits exchanged, or the next one if that changes nothing."""
    digits = str(number)
    places = [place for place, (one, other) in enumerate(pairwise(digits)) if one != other]
    if not places:
        return number + 1
    at = places[0]
    return int(digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :])


def changed(fields: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """A config with the number at one place swapped."""
    copy = json.loads(json.dumps(fields))
    inside = copy
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = swapped(inside[place[-1]])
    return copy  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_the_model_that_was_counted(name: str) -> None:
    """Part by part and in every number that both state; weights, those a token uses, cache and longest context."""
    assert not other_than(config(name), witness(name))
    assert presets.model(name).parameters == Model.from_config(config(name)).parameters


# Presets whose row is another publisher's copy in other formats, or a config that was written down without them, or
# without the list of modules that stay in 16 bits.
IN_OTHER_FORMATS = {
    "qwen3-32b": None,
    "qwen3-30b-a3b": None,
    "qwen3-235b-a22b": None,
    "qwen3.6-27b": None,
    "qwen3.6-35b-a3b": None,
    "gemma-4-31b": None,
    "mimo-v2-flash": None,
    "deepseek-v4-pro": "deepseek-v4-flash",
    "gpt-oss-20b": "gpt-oss-120b",
}


def formats_of(fields: Mapping[str, Any]) -> Any:
    """The number formats that a config states."""
    return fields.get("quantization_config") or fields.get("text_config", {}).get("quantization_config")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_the_formats_of_its_checkpoint(name: str) -> None:
    """A preset has the formats of the config that was counted, or of a sibling where that row has others."""
    meant = formats_of(witness(name)["config"])
    if name in IN_OTHER_FORMATS:
        sibling = IN_OTHER_FORMATS[name]
        assert meant != formats_of(config(name))
        meant = sibling and formats_of(config(sibling))
    assert formats_of(config(name)) == meant


@pytest.mark.parametrize("name", PRESETS)
def test_a_swapped_digit_of_a_preset_is_noticed(name: str) -> None:
    """The twin, for every whole number of every preset."""
    fields = config(name)
    unheard = {
        str([key for key in place if isinstance(key, str)][-1])
        for place, _ in whole_numbers(fields)
        if not other_than(changed(fields, place), witness(name))
    }
    assert unheard == UNHEARD.get(name, set())


def test_a_preset_of_another_model_is_noticed() -> None:
    """Every preset with the config of every other one; those that are like another are the same model."""
    meant: dict[str, set[str]] = {}
    for name in PRESETS:
        meant.setdefault(first(name), set()).add(name)
    alike: dict[int, list[tuple[str, Model]]] = {}
    for name in PRESETS:
        model = read(json.dumps(config(name)))
        alike.setdefault(model.parameters, []).append((name, model))
    for name in PRESETS:
        row = witness(name)
        theirs = read(json.dumps(row["config"]))
        same = {other for other, model in alike[theirs.parameters] if model == theirs}
        assert {other for other in same if not other_than(config(other), row)} == meant[first(name)]


@pytest.mark.parametrize("name", PRESETS)
def test_a_name_is_its_title(name: str) -> None:
    """But for case, gaps and hyphens; and the round figure that goes with it is the count within a tenth."""
    known = presets.model(name)
    assert re.sub(r"[ -]", "", known.title.lower().removesuffix(", text part")) == name.replace("-", "")
    if known.nominal:
        assert abs(known.parameters / known.nominal - 1) < 0.1


# What a name that is no preset suggests


def suggested(ask: Callable[[str], object], name: str) -> list[str]:
    """The names that the error for a wrong one suggests."""
    with pytest.raises(UnknownName) as caught:
        ask(name)
    sentence = str(caught.value)
    assert "did you mean" in sentence or "symbolic-llm presets lists" in sentence
    return sentence.partition("did you mean ")[2].rstrip("?").split(" or ") if "did you mean" in sentence else []


def begins(name: str) -> str:
    """The letters that a name begins with."""
    return re.match("[a-z]*", name)[0]  # type: ignore[index]


def misled(kind: str, every: int = 1) -> set[tuple[str, str]]:
    """Names of presets with a part changed, and what they suggest of another family; of every so many presets."""
    ask: Callable[[str], object] = presets.model if kind == "models" else presets.hardware
    known = presets.names(kind)
    families = {begins(name) for name in known}
    found = set()
    for name in known[::every]:
        parts = name.split("-")
        for place, part in enumerate(parts):
            digits = re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), part)
            for other in {digits, part[:-1]}:
                changed = "-".join([*parts[:place], other, *parts[place + 1 :]]).strip("-")
                if changed in known or not changed:
                    continue
                found |= {
                    (changed, one)
                    for one in suggested(ask, changed)
                    # a part of a name stands for the whole; a misspelt family is one letter away from what it is
                    if f"-{changed}-" not in f"-{one}-"
                    and begins(one) != begins(changed)
                    and (begins(changed) in families or abs(len(begins(one)) - len(begins(changed))) > 1)
                }
    return found


@pytest.mark.parametrize("kind", ["models", "hardware"])
def test_a_wrong_name_suggests_its_own_family(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every preset with one part changed; without families the twin finds names that mislead."""
    assert not misled(kind)
    monkeypatch.setattr(errors, "_word", lambda _: "")
    assert misled(kind, 9)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("phi-5", ["phi-4", "phi-3.5-mini", "phi-4-mini"]),
        ("maverick", ["llama-4-maverick"]),
        ("lama-3-8b", ["llama-3-8b", "llama-3.1-8b", "llama-3-70b"]),
        ("claude-3", []),
        ("pixtral-12b", []),
        ("xyz", []),
    ],
)
def test_a_name_suggests_what_is_near(name: str, near: list[str]) -> None:
    """Of its family; where there is none, where the names are listed."""
    assert suggested(presets.model, name) == near


def test_models_that_people_run_are_there() -> None:
    """And phi-4 is phi-4."""
    assert presets.model("phi-4").parameters == 14659507200
    assert presets.model("deepseek-r1").parameters == presets.model("deepseek-v3").parameters
    assert presets.model("Qwen3_14B").title == "Qwen 3 14B"


def told_within(hint: Hint) -> bool:
    """Whether a reason says what to give, which then is asked for once more."""
    return re.search(r"\b(give|choose)\b", hint.why) is not None


def test_hints_say_what_to_give_beside_why() -> None:
    """Of every machine and number format; the twin: a hint that says it within its reason is found."""
    machines, formats = presets.names("hardware"), (None, "fp16", "int8")
    chosen = [Presets(hardware=name, dtype=dtype) for name in machines for dtype in formats]
    hints = [hint for one in chosen for hint in one.letters[1].values()]
    assert not any(map(told_within, hints))
    assert any(hint.instead for hint in hints)
    assert told_within(Hint("no source states it; give F"))
