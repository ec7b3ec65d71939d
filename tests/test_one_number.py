"""The single way to a number: sizing, evaluate, explain, solve and compile agree, also with a loop over the layers"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from by_hand import READ, decoder
from by_hand_rows import DEVICES, PRESETS, ROUNDED, Load, figures, parts
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import loads

from symbolic_llm import Plan, Sizing, batch_limits, catalogue, compile, evaluate, explain, presets, solve
from symbolic_llm.answers.explanation import Explanation, unit_in
from symbolic_llm.architecture import Trait
from symbolic_llm.errors import ConditionViolated, SeveralSolutions, SymbolicLLMError
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.models import Model
from symbolic_llm.models import model as choosing
from symbolic_llm.models.formula_table import chosen
from symbolic_llm.notation import named
from symbolic_llm.reports.number_search import largest
from symbolic_llm.reports.rows import Row
from symbolic_llm.units import humanize

MODELS: dict[str, Any] = json.loads((PRESETS / "models.json").read_text(encoding="utf-8"))
EACH_KIND = (  # all traits
    *("llama-3-8b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b-text", "mistral-7b-v0.1", "gemma-4-26b-a4b"),
)
LOADED = ("N", "B")  # letters that a load has; all others are a preset's
MACHINE = (*LOADED, "W", "F", "M", "n_bytes", "n_bytes_kv")
DRAWN = settings(derandomize=True, database=None, deadline=None, phases=[Phase.generate])


def config_of(name: str) -> dict[str, Any]:
    """Fields of a preset's config: its own, or those of the preset that it is like."""
    row = MODELS[name]
    found: dict[str, Any] = row["config"] if "like" not in row else config_of(row["like"])
    return found


DEVICE_OF = {model: list(DEVICES)[i % len(DEVICES)] for i, model in enumerate(MODELS)}


def shown(what: str, **letters: Any) -> str:
    """The result that explain shows."""
    return explain(what, **letters).result


def row(model: str, hardware: str, key: str, **load: Any) -> str:
    """The value that a row of a sizing shows."""
    return next(row.shown() for row in Sizing(model, hardware, **load).rows if row.key == key)


def asks(model: str, name: str) -> str:
    """The formula that a model is asked with in the place of one."""
    return (presets.model(model).picked(catalogue()[name].quantity) or catalogue()[name]).name


@pytest.mark.parametrize(
    "model", ["llama-3-8b", "gemma-2-27b", "mistral-7b-v0.1", "deepseek-v3", "mixtral-8x7b", "qwen3.5-27b"]
)
@pytest.mark.parametrize(("prompt", "new"), [(100, 60), (4080, 40), (5000, 30)])
def test_an_answer_takes_the_sum_of_its_steps(model: str, prompt: int, new: int) -> None:
    """Before a window is full, while it fills and afterwards: each step by itself, with the context it has."""
    machine: dict[str, Any] = {"model": model, "hardware": "h200-sxm", "dtype": "fp16", "B": 1}
    step, prefill = (asks(model, name) for name in ("latency_with_cache", "prefill_time_with_attention"))
    steps = [explain(step, N=prompt + i, **machine).exact for i in range(1, new + 1)]
    asked = machine | {"N": prompt, "n_new": new}
    assert explain("T_decode", **asked).exact == sum(steps)
    assert explain("T_output", **asked).exact == sum(steps) / new
    first = explain(prefill, N=prompt, **machine).exact
    assert explain("T_generation", **asked).exact == first + sum(steps)


@pytest.mark.parametrize(
    ("prompt", "tpot", "limit"), [(4000, "50 ms", "memory"), (4000, "30 ms", "reading"), (400, "50 ms", "arithmetic")]
)
def test_a_plan_says_what_the_model_and_the_formulas_say(prompt: int, tpot: str, limit: str) -> None:
    """The largest batch and what limits it, and of both times a search for the last that meets the target."""
    server: dict[str, Any] = {"hardware": "a100-80gb-sxm", "dtype": "fp16", "weights": "q4_0"}
    asked = {"model": "llama-2-70b", "N": prompt + 100, **server}
    alone = {"devices": 1, "serving": "apart"}  # prompts are prefilled elsewhere
    how: dict[str, Any] = {"tpot": tpot, "overlap": True}
    (planned,) = Plan("llama-2-70b", prompt=prompt, output=100, **how, **alone, **planning(server)).choices
    (shown,) = (
        one
        for one in Sizing("llama-2-70b", server["hardware"], weights="q4_0", context=prompt + 100, **how).rows
        if one.key == "largest_batch_within_target"
    )
    most, case = (evaluate(name, T_target=tpot, **asked) for name in ("largest_batch", "batch_limits"))
    assert planned["batch"] == shown.value == most
    assert (planned.by or planned.limit, shown.note) == (limit, batch_limits.claim.pieces[case - 1][0])
    within = Fraction(tpot.split()[0]) / 1000
    fits = evaluate("sequences_that_fit", **asked)
    assert most == largest(lambda batch: explain("latency_with_cache", B=batch, **asked).exact <= within, fits)
    how["overlap"] = False
    (planned,) = Plan("llama-2-70b", prompt=prompt, output=100, **how, **alone, **planning(server)).choices
    assert planned["batch"] == largest(
        lambda batch: explain("separate_latency", B=batch, **asked).exact <= within, fits
    )


def planning(server: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a server for a plan, which may have several kinds of device."""
    return {**server, "hardware": (server["hardware"],)}


def test_figures_that_had_two_values() -> None:
    """Each was one in a sizing and another in evaluate, or was wrong in both."""
    assert (
        shown("throughput", model="deepseek-v3", hardware="h100-sxm", dtype="fp8", weights="fp8", B=256)
        == "1,280.2 token/s"
    )
    mixtral = solve("throughput", "B", R=10_000, model="mixtral-8x7b", hardware="h100-sxm", dtype="fp16")
    assert "the nearest are 278 below and 279 above" in mixtral.note
    assert round(mixtral.value, 2) == 278.04
    long = {"context": 131_072, "prefill": "causal"}
    assert row("llama-3-70b", "h100-sxm", "flops_prefill", **long) == "40.74 PFLOP"
    assert row("llama-3-70b", "h100-sxm", "prefill_time", **long) == "41.19 s"
    assert row("deepseek-v3", "h100-sxm", "prefill_time", dtype="fp8", weights="fp8", context=128) == "196.7 ms"
    kept = evaluate("kv_bytes_total", model="mistral-7b-v0.1", cache="fp16", N=32_768, B=1)
    assert kept == Sizing("mistral-7b-v0.1", context=32_768).data()["kv_bytes"] == 536_870_912
    fits = evaluate("sequences_that_fit", model="gemma-3-1b-text", hardware="m2", dtype="fp16", N=32_768)
    assert fits == Sizing("gemma-3-1b-text", "m2", context=32_768).data()["largest_batch"] == 150
    assert row("gemma-3-1b-text", "m2", "flops_prefill", context=32_768, prefill="causal") == "75.82 TFLOP"


def test_questions_that_had_no_answer_or_a_wrong_one() -> None:
    """Solving rows back and counting them by hand found questions without a right answer; each has one now."""
    mistral = {"model": "mistral-7b-v0.1", "hardware": "t4", "dtype": "fp16", "weights": "int8", "cache": "q8_0"}
    with pytest.raises(SeveralSolutions, match="is the same for every N from 4,096 token/sequence on here"):
        assert solve(
            "kv_bytes_total", "N", **mistral, B=1, M_cache=evaluate("kv_bytes_total", **mistral, B=1, N=9000)
        ).value
    with pytest.raises(SeveralSolutions, match=r"is the same for every N from 4,0.* token/sequence on here"):
        assert solve(
            "sequences_that_fit", "N", **mistral, B_fit=evaluate("sequences_that_fit", **mistral, N=9000)
        ).value
    with pytest.raises(ConditionViolated, match="any context fits: beyond its window no block keeps more"):
        evaluate("largest_context", **mistral, B=2)
    assert Sizing(batch=2, **mistral).data()["largest_context"] == 32_768
    llama = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "fp16", "B": 2}
    prompt = solve("prefill_time_with_attention", "N", **llama, T_prefill=1)
    assert evaluate("prefill_time_with_attention", **llama, N=int(prompt.value)) < 1
    assert evaluate("prefill_time_with_attention", **llama, N=int(prompt.value) + 1) > 1
    assert (
        evaluate("prefill_product_flops", model="opt-350m", N=2, B=1)
        == evaluate("prefill_product_flops", model="opt-350m", N=2, B=1, N_logits=2) - 2 * 50_272 * 512
    )


def sized(model: Any, load: Load) -> tuple[Sizing, dict[str, Any]]:
    """A sizing, and the presets with which evaluate gives its rows."""
    # what a file stores otherwise is not counted by hand here, but in test_own_formats
    weights = load.weights or (load.dtype if presets.model(model).stored else None)
    formats = {"dtype": load.dtype, "weights": weights, "cache": load.cache}
    report = Sizing(model, load.hardware, context=load.context, batch=load.batch, prefill=load.prefill, **formats)
    return report, {"model": model, "hardware": load.hardware, **formats}


def same(value: Fraction | None, counted: Fraction | None, *, rounded: bool = False) -> bool:
    """Whether two figures are one; powers of more than a thousand tokens are rounded to thirty digits."""
    if value is None or counted is None or not rounded:
        return value == counted
    return abs(value - counted) * 10**30 <= counted


def differences(config: Mapping[str, Any], load: Load, report: Sizing) -> set[str]:
    """The rows that a loop over the layers counts otherwise, or not at all."""
    made = decoder(config)
    counted = figures(made, load)
    found = {row.key for row in report.rows} ^ set(counted)
    for row in report.rows:
        rounded = row.key.startswith("prefill_time") and made.idle > 0 and load.context * load.batch > ROUNDED
        if row.key not in found and not same(row.value, counted[row.key], rounded=rounded):
            found.add(row.key)
    copies: Counter[str] = Counter()
    for row in report.rows:
        copies[row.key] += row.copies
    return found | {f"each_{name}" for name, (_, stored) in parts(made).items() if copies[f"each_{name}"] != stored}


def explained(row: Row, presets: Mapping[str, Any]) -> Explanation:
    """The explanation that the row's own formula and letters give."""
    return explain(row.formula, **presets, **row.letters)


def compiles(row: Row, presets: Mapping[str, Any]) -> bool:
    """Whether the compiled formula, a function of batch and context, computes the row's value."""
    load = {name: int(value) for name, value in row.letters.items() if name in LOADED}
    constants = {name: value for name, value in row.letters.items() if name not in LOADED}
    function = compile(row.formula, **presets, **constants)
    value = function(**{name: load[name] for name in inspect.signature(function).parameters})
    return abs(value - float(row.value or 0)) <= abs(value) * 1e-12


def put_back(row: Row, found: Explanation, letter: str, presets: Mapping[str, Any]) -> None:
    """Solved for a letter with the row's value given, the formula gives the letter, or says why many would do."""
    known = {symbol.name: value for symbol, value in found.given.numbers().items()}
    original, others = known[letter], {name: value for name, value in row.letters.items() if name != letter}

    def gives(value: Fraction) -> bool:
        try:
            return explain(row.formula, **presets, **others, **{letter: value}).exact == row.value
        except SymbolicLLMError:
            return False

    try:
        solution = solve(row.formula, letter, **presets, **others, **{found.formula.quantity.name: row.value})
        value = solution.exact
    except SeveralSolutions as error:
        many = humanize(original, unit_in(found.formula, named(letter))) in str(error)
        if not many and not any(map(gives, (original * 2, original / 2, original + 1, original - 1))):
            pytest.fail(f"{row} for {letter}: {error}")
        return
    if abs(value - original) * 10**24 > original:
        assert "is a solution" in solution.note, (row, letter, value)
        assert gives(value), (row, letter, value)
    elif solution.equation is None:
        assert value == original, (row, letter, value)


def made_of(found: Explanation) -> list[str]:
    """The letters of load and machine that the value is computed from, through whatever is computed on the way."""
    waiting = [*found.formula.rhs.free_symbols]
    for symbol in waiting:  # it grows on the way
        rule = found.given.values[symbol].computed_by
        if isinstance(rule, Formula):
            waiting += rule.rhs.free_symbols - set(waiting)
    return [letter for letter in MACHINE if letter in {symbol.name for symbol in waiting}]


@pytest.mark.parametrize("name", MODELS)
@settings(DRAWN, max_examples=2)
@given(data=st.data())
def test_a_row_is_what_evaluate_says_and_what_the_layers_add_up_to(name: str, data: st.DataObject) -> None:
    """For every model and device; what JSON says of a row is enough to have its value again."""
    hardware = data.draw(st.sampled_from((DEVICE_OF[name], *DEVICES)))
    load = data.draw(loads(hardware))
    report, presets = sized(name, load)
    if config_of(name)["model_type"] in READ:  # others: test_configs
        assert differences(config_of(name), load, report) == set()
    for row, said in zip(report.rows, report.data()["rows"], strict=True):
        if row.value is not None and row.formula:
            again = explain(said["formula"], **presets, **said["letters"])
            assert (again.exact, again.value) == (row.value, said["value"]), row
        else:  # there is none, or it was found by asking
            assert row.note, row
    memory, held = load.printed("memory"), next(row for row in report.rows if row.key == "held")
    assert held.note.startswith("does not fit") == (memory is not None and (held.value or 0) > memory)


@pytest.mark.parametrize("name", EACH_KIND)
@settings(DRAWN, max_examples=2)
@given(data=st.data())
def test_a_row_is_compiled_and_solved_back(name: str, data: st.DataObject) -> None:
    """For every kind of model and every row: as a function, and put back for a letter of those its value is made of."""
    load = data.draw(loads("h100-sxm"))
    report, presets = sized(name, load)
    for row in report.rows:
        if row.value and row.formula:
            assert compiles(row, presets), row
            found = explain(row.formula, **presets, **row.letters)
            wanted = data.draw(st.sampled_from(made_of(found) or [None]))
            if wanted is not None:
                put_back(row, found, wanted, presets)


@pytest.mark.parametrize("name", EACH_KIND)
@settings(DRAWN, max_examples=3)
@given(data=st.data())
def test_without_a_limit(name: str, data: st.DataObject) -> None:
    """Every row is that of the count by hand where the makers of a model state no longest context.

    The longest context is then what fits; with windows in all blocks it may be any.
    """
    config = {key: value for key, value in config_of(name).items() if key != "max_position_embeddings"}
    load = data.draw(loads(data.draw(st.sampled_from(("h200-sxm", "b200-sxm", "m3-ultra", "t4")))))
    assert differences(config, load, sized(Model.from_config(config), load)[0]) == set()


# Twins: a wrong choice, a forgotten window, a wrong weight count


LOAD = Load("h200-sxm", 8192, 5, dtype="fp8", prefill="causal")
MOVED = {"decode_memory_time", "decode_time_by_parts", "decode_time", "throughput"}


def found_in(name: str, model: Model | None = None) -> set[str]:
    """The rows that differ, of a model as it is read anew."""
    config = config_of(name)
    return differences(config, LOAD, sized(model or Model.from_config(config), LOAD)[0])


def test_a_wrong_formula_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Mixtral that reads what it multiplies, as a dense model does."""
    assert found_in("mixtral-8x7b") == set()
    instead = {"expert_weights_read": weights_read}
    monkeypatch.setattr(choosing, "chosen", lambda traits: tuple(instead.get(f.name, f) for f in chosen(traits)))
    assert found_in("mixtral-8x7b") == MOVED


def test_a_forgotten_window_is_found() -> None:
    """A Gemma all of whose blocks attend to everything."""
    model = Model.from_config(MODELS["gemma-3-1b-text"]["config"])
    letters = {name: value for name, value in model.letters.items() if name not in ("n_window", "n_local", "n_global")}
    differing = {"kv_bytes", "flops_per_token_decode", "flops_prefill", "held", "largest_batch"}
    assert found_in("gemma-3-1b-text", replace(model, letters=letters)) >= differing


def test_a_wrong_binding_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """P bound to the weights that are stored."""
    monkeypatch.setattr(Model, "multiplied_parameters", Model.parameters)
    assert {"flops_per_token_decode", "flops_prefill", *MOVED} <= found_in("llama-3-8b")


def test_a_row_without_a_witness_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is new is counted by hand too, or the comparison fails."""
    new = Row("Work", "a new one", "brand_new", Fraction(1))
    monkeypatch.setattr(Sizing, "_work", lambda self: [new])
    assert "brand_new" in found_in("gpt2")


def test_a_wrong_copy_count_is_found() -> None:
    """The comparison finds a model in which one block's norms are left out."""
    model = Model.from_config(MODELS["llama-3-8b"]["config"])
    parts = tuple(replace(part, stored=part.stored - (part.kind == "norms")) for part in model.parts)
    assert {"each_vector_parameters", "parameters"} <= found_in("llama-3-8b", replace(model, parts=parts))


# A formula asked for by name, of a model that counts its letter by another

COUNTING_WEIGHTS = [f.name for f in catalogue() if f.quantity in (named("P"), named("P_total"))]


def beside(model: str, letter: str) -> str:
    """The line beside a formula of that letter where the model counts otherwise."""
    known = presets.model(model)
    own = known.parameters if letter == "P_total" else known.multiplied_parameters
    return f"the count of {model} itself is {own:,} weights: ask for {letter}"


def otherwise(name: str, **asked: Any) -> str:
    """The notes beside an explanation that say how else the model counts it."""
    return "; ".join(note for note in explain(name, **asked).notes if note.startswith("the count of "))


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_counts_otherwise_is_said(model: str) -> None:
    """By every formula for its weights that applies: the line is there exactly where the two numbers differ."""
    known, answered = presets.model(model), 0
    for name in COUNTING_WEIGHTS:
        formula = catalogue()[name]
        own = known.parameters if formula.quantity == named("P_total") else known.multiplied_parameters
        try:
            found = explain(name, model=model)
        except SymbolicLLMError:  # it is for other models, or needs a letter that this one has not
            continue
        line = beside(model, formula.quantity.name)
        assert (line in [each.text for each in found.lines]) == (found.exact != own), name
        assert otherwise(name, model=model) == (line if found.exact != own else "")
        assert solve(name, model=model).note == otherwise(name, model=model)
        answered += 1
    written_out = known.traits & {Trait.GROUPED} and not known.traits & {Trait.HYBRID}
    assert answered or not written_out  # of others no formula writes out all weights
    for letter, own in (("P", known.multiplied_parameters), ("P_total", known.parameters)):
        assert (found := explain(letter, model=model)).exact == own
        assert not otherwise(letter, model=model)


def test_who_counts_otherwise_and_who_does_not() -> None:
    """GPT-2 is no LLaMA; with letters of one's own, a LLaMA is counted by its own formula all the same."""
    assert otherwise("llama_parameters", model="gpt2") == beside("gpt2", "P_total")
    assert repr(explain("llama_parameters", model="gpt2")).splitlines()[-1] == beside("gpt2", "P_total")
    assert "124,439,808" in beside("gpt2", "P_total")
    assert not otherwise("gpt2_parameters", model="gpt2")
    assert not otherwise("llama_parameters", model="llama-2-7b", n_blocks=3)
    assert otherwise("llama_parameters", model="gpt2", n_blocks=3) == beside("gpt2", "P_total")
    assert not otherwise("gpt2_parameters", model="gpt2", n_blocks=3)
    experts = otherwise("mixtral_multiplied_parameters", model="glm-4.5")
    assert experts == beside("glm-4.5", "P")
    assert not otherwise("mixtral_multiplied_parameters", model="qwen3-30b-a3b")
    assert not otherwise(
        "llama_parameters", n_blocks=1, n_vocab=2, n_heads=1, n_kv_heads=1, d_head=4, d_model=4, d_ff=8
    )
    assert not otherwise("latency", model="gpt2", hardware="a10", dtype="fp16", B=1)


def test_what_a_config_counts_otherwise_is_said() -> None:
    """A model of one's own is named as it was given."""
    fields = {"model_type": "gpt2", "n_embd": 8, "n_head": 2, "n_layer": 1, "n_positions": 16, "vocab_size": 32}
    own = Model.from_config(fields).parameters
    said = f"the count of config itself is {own:,} weights: ask for P_total"
    assert otherwise("llama_parameters", model=fields) == said
