"""Two readers of config.json, each with defaults of its own: they agree in every shape, or refuse"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import prod
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from strategies import descriptions

from reference_engine import Config, ModelFileError
from reference_engine.config import InvalidConfig
from reference_engine.files import hub
from reference_engine.formats import F32
from symbolic_llm import Model
from symbolic_llm.errors import InvalidModel
from symbolic_llm.models.config import read
from symbolic_llm.models.families import FAMILIES

SHAPES = ("n_blocks", "n_heads", "n_kv_heads", "d_head", "d_model", "d_ff", "n_vocab")


def theirs(config: dict[str, Any]) -> Config | None:
    """The config that the engine reads; None if it refuses."""
    try:
        return hub.read_config(hub.Values("config.json", config), F32)
    except (ModelFileError, InvalidConfig):
        return None


def agree(config: dict[str, Any]) -> bool:
    """Whether both read it; they may not differ in anything."""
    engine = theirs(config)
    try:
        model = Model.from_config(config)
    except InvalidModel:
        assert engine is None, "the engine runs what is refused elsewhere"
        return False
    if engine is None:  # it runs fewer
        return False
    assert {name: model.letters[name] for name in SHAPES} == {name: getattr(engine, name) for name in SHAPES}
    assert model.letters.get("n_positions", 0) == engine.n_positions
    assert (model.context_limit or 0) == engine.context_length
    assert model.letters.get("n_experts", 0) == engine.n_experts
    assert model.letters.get("n_active", 0) == engine.n_active
    windowed = [i for i in range(engine.n_blocks) if engine.window(i)]
    assert list(FAMILIES[config["model_type"]].read(read(config)).windowed) == windowed
    assert (model.n_windowed, model.window) == (len(windowed), engine.window(windowed[0]) if windowed else None)
    kinds = model.parameters_by_kind()
    assert ("output" not in kinds) == engine.tied
    biases = (prod(shape) for name, shape in engine.shapes.items() if name.endswith(".bias") and "norm" not in name)
    assert kinds.get("biases", 0) == sum(biases)
    assert model.parameters == engine.n_parameters
    return True


FOUND = (Phase.generate,)  # that there is a fault, not the smallest


def compared(kind: str, examples: int, phases: Iterable[Phase] = Phase) -> Callable[[], int]:
    """Reads many descriptions with both readers, and returns how many both of them read."""

    def run() -> int:
        both = []

        @settings(
            max_examples=examples, derandomize=True, report_multiple_bugs=False, database=None, phases=tuple(phases)
        )
        @given(config=descriptions(kind, hub.KINDS[kind].architecture))
        def each(config: dict[str, Any]) -> None:
            both.append(agree(config))

        each()
        return sum(both)

    return run


@pytest.mark.parametrize("kind", hub.KINDS)
def test_the_readers_agree(kind: str) -> None:
    """Fields absent, null, usual and odd; many of these descriptions are ones that both read."""
    assert compared(kind, 250)() > 50


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("llama", {"n_kv_heads": 8}),
        ("mistral", {"n_kv_heads": 0}),
        ("mistral", {"window": 0}),
        ("mixtral", {"n_kv_heads": 0}),
        ("mixtral", {"window": 4096}),
        ("qwen2", {"n_kv_heads": 0}),
        ("qwen2", {"window": 0}),
        ("qwen3", {"d_head": 0}),
        ("qwen3", {"window": 5}),
    ],
)
def test_a_default_that_differs_is_noticed(kind: str, fault: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: one default of one reader is changed."""
    monkeypatch.setitem(hub.KINDS, kind, replace(hub.KINDS[kind], **fault))
    with pytest.raises(AssertionError):
        compared(kind, 1000, FOUND)()


def test_an_ignored_field_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a reader that does not look at layer_types."""
    monkeypatch.setattr(hub.Values, "words", lambda self, name: [])
    with pytest.raises(AssertionError):
        compared("qwen3", 1000, FOUND)()
