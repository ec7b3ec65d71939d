"""Whatever is done to an answer, later ones are as they were: what is kept is not handed out to be changed"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import symbolic_llm as package
from symbolic_llm import presets
from symbolic_llm.cli import computed, parser
from symbolic_llm.frozen_dict import Fixed
from symbolic_llm.models.model import Model

ON: dict[str, Any] = {"model": "llama-7b", "hardware": "a10", "dtype": "fp16"}
OWN = {"model_type": "gpt2", "n_embd": 8, "n_head": 2, "n_layer": 1, "n_positions": 16, "vocab_size": 32}


def printed(line: str) -> Any:
    """The output of a command, as text and as data."""
    return computed(parser().parse_args(line.split()))


ASKED: dict[str, Callable[[], Any]] = {
    "model": lambda: presets.model("llama-7b"),
    "experts": lambda: presets.model("deepseek-v3"),
    "hardware": lambda: presets.hardware("a10"),
    "of_letters": lambda: presets.of_letters("a10", M="24 GB"),
    "storage": lambda: presets.storage("q4_0"),
    "names": lambda: presets.names("models"),
    "source": lambda: presets.source("techpowerup"),
    "computing": lambda: presets.computing(),
    "Presets": lambda: presets.Presets(**ON).letters,
    "config": lambda: Model.from_config(OWN),
    "formula": lambda: package.latency,  # type: ignore[attr-defined]
    "catalogue": lambda: [*package.catalogue()],
    "solve": lambda: package.solve("latency", **ON),
    "evaluate": lambda: package.evaluate("latency", B=1, **ON),
    "explain": lambda: package.explain("latency", B=1, **ON),
    "check": lambda: package.check("batch_crossover", **ON),
    "compile": lambda: package.compile("latency", **ON),
    "sweep": lambda: package.sweep("latency", B=[1, 2], **ON),
    "Sizing": lambda: package.Sizing("llama-7b", "a10", devices=2),
    "Sizing.data": lambda: package.Sizing("deepseek-v3", "h200-sxm").data(),
    "Operations": lambda: package.Operations("llama-7b", "a10"),
    "Operations.data": lambda: package.Operations("llama-7b", "a10").data(),
    "Plan": lambda: package.Plan("gpt2", prompt=10, output=10, hardware=("a10",)),
    "Plan.data": lambda: package.Plan("gpt2", prompt=10, output=10, hardware=("a10",)).data(),
    **{
        line: lambda line=line: printed(line)  # type: ignore[misc]
        for line in (
            "list",
            "presets",
            "show latency",
            "show P",
            "solve latency",
            "check batch_crossover",
            "model gpt2",
        )
    },
}
_PASSED = ("sympy", "matplotlib", "builtins.type")


def containers(found: Any) -> Iterator[Any]:
    """Everything in an answer that can be changed, however deep."""
    waiting, seen = [found], []  # what was seen is held, so that no other has its identity
    known: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in known or type(one).__module__.startswith(_PASSED):
            continue
        known.add(id(one))
        seen.append(one)
        if isinstance(one, dict | list | set | bytearray | np.ndarray) and not isinstance(one, Fixed):
            yield one
        if isinstance(one, Mapping):
            waiting += [*one.values()] if isinstance(one, dict) or type(one).__name__ == "mappingproxy" else []
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        elif type(one).__module__.startswith("symbolic_llm"):
            waiting += [value for name, value in getattr(one, "__dict__", {}).items() if not name.startswith("_")]


def spoil(container: Any) -> None:
    """Make it say something else."""
    with suppress(ValueError):  # an array that cannot be written to
        if isinstance(container, np.ndarray):
            container.fill(7)
        elif isinstance(container, dict):
            for name in container:
                container[name] = "7"
            container["more"] = "7"
        elif isinstance(container, list):
            container[:] = ["7"]
        else:
            container.clear()


def answers() -> str:
    """Answers about all that may be kept, as one text."""
    models = [
        (one.letters, [(p.kind, p.letters, p.each) for p in one.parts])
        for one in map(presets.model, ("llama-7b", "deepseek-v3"))
    ]
    figures = [presets.hardware("a10").provenance(), presets.storage("q4_0"), presets.names("models")]
    sized = package.Sizing("llama-7b", "a10", devices=2), package.Sizing("deepseek-v3", "h200-sxm")
    said = [repr(package.explain("latency", B=1, **ON)), repr(package.solve("latency", **ON)), *map(repr, sized)]
    told = [
        package.check("batch_crossover", **ON).verdict.value,
        printed("show latency"),
        printed("presets"),
        printed("list"),
    ]
    return json.dumps([models, figures, said, told, dict(package.latency.example)], default=str)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ASKED)
def test_no_later_answer_changes(name: str) -> None:
    """Each container that an answer has is spoilt; what is asked afterwards is what was asked before."""
    before = answers()
    first, second = ASKED[name](), ASKED[name]()
    one, other = [*containers(first)], [*containers(second)]
    shared = {id(container) for container in one} & {id(container) for container in other}
    assert not [container for container in one if id(container) in shared]
    for container in (*one, *other):
        spoil(container)
    assert answers() == before


def test_what_is_kept_and_handed_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a model whose letters can be changed."""
    key = presets.model("llama-7b")
    letters = dict(key.letters)
    before = answers()
    object.__setattr__(key, "letters", letters)
    try:
        assert any(one is letters for one in containers(presets.model("llama-7b")))
        kept = dict(letters)
        letters["n_blocks"] = 7
        assert answers() != before
        letters.update(kept)
    finally:
        object.__setattr__(key, "letters", Fixed(letters))
    assert answers() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("a", 2),
        lambda d: d.__delitem__("a"),
        lambda d: d.__ior__({"a": 2}),
        lambda d: d.update(a=2),
        lambda d: d.setdefault("b", 2),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.clear(),
    ],
)
def test_a_fixed_dictionary_is_a_dictionary_all_the_same(change: Callable[[Any], Any]) -> None:
    """Equal to one, and copied or pickled as one."""
    fixed = Fixed(a=1)
    with pytest.raises(TypeError, match="cannot be changed"):
        change(fixed)
    assert fixed == {"a": 1}
    assert pickle.loads(pickle.dumps(fixed)) == copy.deepcopy(fixed) == fixed
    assert {**fixed, "b": 2} == fixed | {"b": 2} == {"a": 1, "b": 2}
    assert json.dumps(fixed) == '{"a": 1}'
