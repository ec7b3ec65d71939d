"""Letters of shapes by three witnesses: the notation's tie to the engine, the engine's own configuration, a config.json

A letter says which parameter of the engine it is, or a subject says what it is made of. What it says in words is held
against the field of that meaning in the configuration that the engine runs, and in models against what the formulas'
reader makes of the same config.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from strategies import tiny_models
from sympy import primerange
from tiny_models import RUN, engine_of

from reference_engine import Config, ModelFileError
from reference_engine.config import InvalidConfig
from reference_engine.probes import QUESTIONS, SUBJECTS, Probe, probes
from reference_engine.recurrent.convolution import Convolution
from symbolic_llm import Model
from symbolic_llm.errors import CatalogueError, InvalidModel
from symbolic_llm.expressions.exact import exact
from symbolic_llm.notation import LETTERS, named
from symbolic_llm.notation.letter import declare
from symbolic_llm.units import ONE
from symbolic_llm.witness.letters import written

DATA = Path(__file__).parent / "data"


def blocks(config: Config, having: Callable[[int], Any]) -> int:
    """Number of blocks of a decoder that have something."""
    return sum(1 for block in range(config.n_blocks) if having(block))


def index(config: Config) -> Any:
    """The index that picks the tokens that latent attention reads; None where nothing does."""
    return getattr(config.attention, "index", None)


def window(config: Config) -> int | None:
    """The window of the blocks that have one; compressed runs lie beside one that every block has."""
    return next((found for block in range(config.n_blocks) if (found := config.window(block))), None)


def attends_to_all(config: Config) -> Callable[[int], bool]:
    """Whether a block has neither a window nor a state."""
    return lambda block: not config.window(block) and not config.has_state(block)


# By letter, the field of the engine's configuration that means the same; an error where a decoder has no such thing.
MEANT: dict[str, Callable[[Any], Any]] = {
    **{
        name: attrgetter(name)
        for name in (
            *("n_blocks", "n_vocab", "n_heads", "n_kv_heads", "d_model", "d_ff", "d_embedding", "d_value"),
            *("n_positions", "n_active", "n_experts", "d_expert", "d_head"),
        )
    },
    "n_kv_full": lambda c: c.full_heads[0],
    "d_head_full": lambda c: c.full_heads[1],
    "n_local_own": lambda c: blocks(c, lambda i: c.source(i) == i and c.window(i)),
    "n_global_own": lambda c: blocks(c, lambda i: c.source(i) == i and attends_to_all(c)(i)),
    "d_block": attrgetter("d_block"),
    "n_vocab_block": attrgetter("n_vocab_block"),
    "d_nope": attrgetter("d_head"),
    "d_rope": attrgetter("attention.d_rope"),
    "d_latent": attrgetter("attention.kv_rank"),
    "d_query": attrgetter("attention.q_rank"),
    "n_shared_experts": attrgetter("n_shared"),
    "n_moe": lambda c: blocks(c, c.has_experts),
    "n_far": lambda c: blocks(c, c.is_offloaded),
    "n_global": lambda c: blocks(c, attends_to_all(c)),
    "n_local": lambda c: blocks(c, c.window),
    "n_window": window,
    "n_state": lambda c: c.states.n_heads and blocks(c, c.has_state),
    "n_conv": lambda c: c.states.width and blocks(c, c.has_state),
    "d_conv": lambda c: c.states.width if isinstance(c.states, Convolution) else c.states.channels,
    "n_state_heads": attrgetter("states.n_heads"),
    "n_state_groups": attrgetter("states.n_groups"),
    "d_state_key": attrgetter("states.n_key"),
    "d_state_value": attrgetter("states.n_value"),
    "n_kernel": attrgetter("states.kernel"),
    "n_index": lambda c: blocks(c, c.attention.index.is_in),
    "n_index_heads": lambda c: index(c).n_heads if index(c) else c.attention.n_index_heads,
    "d_index": lambda c: index(c).width if index(c) else c.attention.index_width,
    "n_picked": lambda c: (index(c) or c.attention).picked,
    "n_csa": lambda c: c.attention.kinds.count("sparse"),
    "n_hca": lambda c: c.attention.kinds.count("heavy"),
    "r_csa": attrgetter("attention.sparse_run"),
    "r_hca": attrgetter("attention.heavy_run"),
    "n_output_groups": attrgetter("attention.n_groups"),
    "d_output": attrgetter("attention.o_rank"),
    "n_streams": lambda c: (c.streams or c.alternating).n,
    "d_learned": attrgetter("alternating.rank"),
    "d_streams": lambda c: c.streams.n * c.d_model,
}

# What no question has a parameter for
OF_MODELS = {"n_local_own", "n_global_own", "d_block", "n_vocab_block", "d_learned"}
# What no configuration has a field for: sums of weights, products in a rule, devices, and bytes of a number.
NO_SHAPES = {"P_high", "n_products", "n_tensor", "n_bytes_2"}
# Decoders that are another's likeness without something, and keep its parameters.
UNLIKE = {
    "twofold without windows": ["n_window"],
    "picked without an index": ["n_index", "n_index_heads", "n_picked", "d_index"],
}


# Letters and the engine's parameters


@cache
def decoders() -> tuple[Probe, ...]:
    """A question that takes nothing but shapes, to every decoder."""
    found = (probes(f"{name}/weights.stored") for name, subject in SUBJECTS.items() if subject.is_decoder)
    return tuple(probe for (probe,) in found)


def untrue(probe: Probe, ties: dict[Any, Any]) -> list[str]:
    """The letters of a decoder that are not what its configuration says of their meaning, at shapes that are unlike."""
    shape, wrong = probe.subject.shape, dict[str, None]()
    for order in (shape, shape[::-1]):
        values = dict(zip(order, primerange(100), strict=False)) | ({"n_bytes_2": 2} if "n_bytes_2" in shape else {})
        config = probe.subject.config(values, n_bytes=Fraction(4), n_bytes_kv=Fraction(4))
        for symbol, factors in ties.items():
            here = {parameter: values[parameter.name] for parameter in factors.free_symbols}
            if symbol.name not in NO_SHAPES and exact(factors, here) != meaning(symbol.name, config):
                wrong[symbol.name] = None
    return list(wrong)


def meaning(name: str, config: Config) -> Any:
    """The value in a configuration of what a letter means; None where the decoder has no such thing."""
    try:
        return MEANT[name](config)
    except AttributeError:
        return None


def test_every_letter_of_a_decoder_is_what_its_configuration_says() -> None:
    """Of all decoders, by the parameters that letters are tied to and by what subjects make of theirs."""
    seen = set()
    for probe in decoders():
        ties = written(probe)
        assert untrue(probe, ties) == UNLIKE.get(probe.subject.name, []), probe.subject.name
        seen |= {symbol.name for symbol in ties}
    assert seen == {*MEANT} - OF_MODELS | NO_SHAPES


def test_a_letter_tied_to_another_parameter_is_found() -> None:
    """The twin: each letter in each decoder, tied to every other parameter of that decoder."""
    tried = 0
    for probe in decoders():
        ties = written(probe)
        for symbol in ties.keys() - {named(name) for name in NO_SHAPES}:
            others = {one for factors in ties.values() for one in factors.free_symbols} - {ties[symbol]}
            wrong = [other for other in others if untrue(probe, {symbol: other}) == []]
            assert wrong == [], (probe.subject.name, symbol)
            tried += len(others)
    assert tried > 3000


def test_a_letter_is_tied_to_what_some_question_takes() -> None:
    """To nothing that nobody is asked about, such as a name with a misprint, or its letter is compared nowhere."""
    taken = {name for question in QUESTIONS for probe in probes(question) for name in probe.parameters}
    taken |= {name for question in QUESTIONS.values() for name in question.fixed}
    made = {symbol.name for probe in decoders() for symbol in written(probe)}  # of parameters, where shapes divide
    tied = {letter.name: letter.engine for letter in LETTERS.values() if letter.engine}
    assert [name for name, parameter in tied.items() if parameter not in taken and name not in made] == []


@pytest.mark.parametrize(
    ("name", "engine", "said"),
    [
        ("n_queries", "n_kv_heads", "n_queries and n_kv_heads are both the engine's n_kv_heads, which is one letter"),
        ("batch", True, "batch and B are both the engine's batch, which is one letter"),
        ("n_heads", "", "n_heads is declared twice"),
    ],
)
def test_a_parameter_has_one_letter(name: str, engine: str | bool, said: str) -> None:
    """A second one would stand for something else than it says, and is refused where it is declared."""
    before = dict(LETTERS)
    with pytest.raises(CatalogueError, match=said):
        declare(name, ONE, "query heads of a block", whole=True, engine=engine)
    assert before == LETTERS


# Letters of models


def described() -> Iterator[dict[str, Any]]:
    """Every config.json that other software counted."""
    for name in ("models", "models_wild", "models_odd", "presets", "described", "sparse", "compressed"):
        data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        rows = data["models"] if isinstance(data, dict) and "models" in data else data
        for row in rows.values() if isinstance(rows, dict) else rows:
            if isinstance(row, dict) and isinstance(row.get("config"), dict):
                yield row["config"]


def drawn() -> list[dict[str, Any]]:
    """Some small models of every family that the engine runs."""
    found = []
    for family in RUN:

        @settings(max_examples=8, derandomize=True, database=None)
        @given(fields=tiny_models(family))
        def each(fields: dict[str, Any]) -> None:
            found.append(fields)

        each()
    return found


@cache
def of_both() -> tuple[tuple[Model, Config], ...]:
    """Of those that the engine has a decoder for, what each of the two readers makes of it."""
    found = []
    for fields in (*described(), *drawn()):
        try:
            found.append((Model.from_config(fields), engine_of(fields)))
        except (InvalidModel, InvalidConfig, ModelFileError, KeyError, TypeError):  # one of them does not read it
            continue
    return tuple(found)


OF_EXPERTS = {
    "n_experts",
    "n_active",
    "d_expert",
    "n_moe",
}  # hybrids are written out for the engine without


def apart(model: Model, config: Config) -> list[str]:
    """The letters of a model that are not what the engine's configuration says of their meaning."""
    both = [name for name in model.letters if name in MEANT and not (config.states and name in OF_EXPERTS)]
    return [name for name in both if model.letters[name] != meaning(name, config)]


def test_every_letter_of_a_model_is_what_the_engine_reads() -> None:
    """Of all configs that both read, letter by letter; shared experts are one MLP there, as wide as all of them."""
    assert len(of_both()) > 300
    assert [(model.name, wrong) for model, config in of_both() if (wrong := apart(model, config))] == []
    assert {*MEANT} - {name for model, _ in of_both() for name in model.letters} == {"n_far", "n_shared_experts"}


def test_a_letter_of_a_model_with_another_meaning_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a letter that many models have is said to mean what another means, and some model tells the two apart.

    But widths of heads, which are one field of most configurations.
    """
    told, tried = dict(MEANT), 0
    for name in told:
        having = [(model, config) for model, config in of_both() if name in model.letters]
        widths = {"d_nope", "d_head", "d_value", "d_head_full"}
        others = told.keys() - (widths if name in widths else {name})
        for other in others if len(having) >= 20 else ():
            monkeypatch.setitem(MEANT, name, told[other])
            assert any(name in apart(model, config) for model, config in having), (name, other)
            tried += 1
        monkeypatch.setitem(MEANT, name, told[name])
    assert tried > 500
