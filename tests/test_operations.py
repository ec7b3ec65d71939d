"""The operations of a pass one by one: they add up to what formulas say of the whole, and are what the engine enters"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import of_each_kind
from strategies import mixtures, questions, tiny_models
from tiny_models import RUN, engine_of
from tiny_runs import Question, Routed, absorbing

from reference_engine import Config, Decoder, Float, Ledger
from reference_engine.recurrent.convolution import Convolution
from symbolic_llm import Model, Operations, evaluate, explain, presets
from symbolic_llm.architecture import Trait
from symbolic_llm.catalogue import catalogue
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue, SymbolicLLMError
from symbolic_llm.expressions.decide import equal
from symbolic_llm.formulas.states.gated_convolution_parameters import FORMULA as gated_convolution_parameters
from symbolic_llm.models import operations
from symbolic_llm.models.families import FAMILIES
from symbolic_llm.models.operations import MATRICES
from symbolic_llm.models.part import Part
from symbolic_llm.models.products import ATTENTION, STATE, Matrix
from symbolic_llm.models.recurrent import convolution
from symbolic_llm.models.recurrent.convolution import convolve
from symbolic_llm.notation import named
from symbolic_llm.numeral import valued
from symbolic_llm.witness.decoders import model_of

SXM = "a100-80gb-sxm"
NAMES = of_each_kind()
HYBRIDS = (
    *("nemotron-3-nano-30b-a3b", "qwen3-next-80b-a3b", "qwen3.5-27b", "qwen3.5-397b-a17b", "qwen3.5-35b-a3b"),
    *("qwen3.6-27b", "falcon-h1-7b", "granite-4.0-h-small", "lfm2-1.2b"),
)
WITH_STATES = (
    "falcon_h1", "granitemoehybrid", "lfm2", "lfm2_moe", "nemotron_h", "qwen3_next", "qwen3_5_text", "qwen3_5_moe_text",
    "qwen3_5", "qwen3_5_moe",
)  # fmt: skip
ODD = json.loads((Path(__file__).parent / "data" / "models_odd.json").read_text())["models"]
Counts = dict[str, tuple[Fraction, Fraction]]  # by operation: FLOPs, bytes


class Letters(dict[str, Any]):
    """Every letter by its name."""

    def __missing__(self, name: str) -> Any:
        return named(name)


@pytest.mark.parametrize("formula", MATRICES, ids=lambda formula: formula.name)
def test_a_parts_matrices_are_what_its_formula_counts(formula: Any) -> None:
    """For all shapes, by algebra."""
    held = sum(matrix.rows(Letters()) * matrix.columns(Letters()) for matrix in MATRICES[formula])
    assert equal(held, valued(formula.rhs)) is True


def test_every_multiplied_part_has_matrices() -> None:
    """Of every preset that is listed: a family whose parts are counted by a new formula needs them here."""
    parts = [part for model in map(presets.model, NAMES) for part in model.parts if part.multiplied]
    assert {part.formula.name for part in parts} <= {formula.name for formula in MATRICES}
    assert len(parts) > len(NAMES)


# What the formulas for a whole pass say


def same(one: Any, other: Any, *, rounded: bool) -> bool:
    """Whether they are one number; powers of more than a thousand tokens are rounded to thirty digits."""
    return bool(abs(one - other) * 10**24 <= abs(other) if rounded else one == other)


def total(found: Operations, key: str) -> Fraction:
    """A total by its key."""
    value = next(total.value for total in found.totals if total.key == key)
    assert value is not None
    return value


def faults(found: Operations) -> set[str]:
    """The figures in which the operations do not add up to what the formulas for the whole pass say."""
    model, rounded = found.model, Trait.EXPERTS in found.model.traits and found.tokens * found.batch > 1000
    given: dict[str, Any] = {"model": model, "dtype": "fp16", "B": found.batch, "N": found.tokens}
    machine = given | {"hardware": found.hardware}
    flops, nbytes = (sum(getattr(line, of) for line in found.lines) for of in ("flops", "nbytes"))
    bandwidth = explain("ridge_point", F=1, hardware=found.hardware).exact ** -1
    reading = catalogue()["memory_time_with_cache" if found.decodes else "prefill_time_with_attention"]
    slow = {} if found.decodes else {"C_prefill": 1}  # with next to nothing to compute, a prefill takes what it reads
    wrong = set()
    if flops != total(found, "flops"):
        wrong.add("flops")
    if not same(nbytes, explain(reading, **machine, **slow).exact * bandwidth, rounded=rounded):
        wrong.add("bytes")
    hybrid, each = Trait.HYBRID in model.traits, total(found, "operations_time")
    whole = total(found, "whole_time")
    parts = each if hybrid and not found.decodes else total(found, "separate_time")  # of prompts no formula says it
    if not (whole <= parts or same(whole, parts, rounded=rounded)):
        wrong.add("whole")
    # without experts every matrix meets the same tokens, but for the output matrix in a prefill: all are bound alike
    alike = Trait.DENSE in model.traits and not hybrid and (found.decodes or found.tokens == 1)
    if not (same(parts, each, rounded=rounded) if alike else parts <= each or same(parts, each, rounded=rounded)):
        wrong.add("parts")
    return wrong


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=4, derandomize=True, database=None, deadline=None)
@given(data=st.data())
def test_operations_add_up_to_the_pass(name: str, data: st.DataObject) -> None:
    """For every preset: FLOPs, bytes and times, of a decoding step and of a prefill, at any load."""
    batch, tokens = data.draw(st.sampled_from((1, 3, 200))), data.draw(st.sampled_from((1, 7, 5000, 40_000)))
    load = data.draw(st.sampled_from(({"context": tokens}, {"prompt": tokens})))
    assert faults(Operations(name, SXM, batch=batch, **load)) == set()


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in RUN])
def test_operations_of_odd_configs_add_up(family: str) -> None:
    """For every family that the engine does not run, the configs that transformers was asked about."""
    models = [Model.from_config(row["config"]) for row in ODD if row["config"]["model_type"] == family]
    hybrids = [Trait.HYBRID in model.traits for model in models]
    assert models
    assert any(hybrids) == (family in WITH_STATES)
    for model in models:
        for load in ({"context": 5000}, {"prompt": 40_000}):
            assert faults(Operations(model, SXM, batch=200, **load)) == set()


def test_the_presets_with_states() -> None:
    """The presets whose models have states are exactly the hybrids listed above."""
    assert {name for name in NAMES if Trait.HYBRID in presets.model(name).traits} == set(HYBRIDS)


@pytest.mark.parametrize(("model", "what"), [("llama-2-70b", {"flops", "bytes"}), ("mixtral-8x7b", {"flops", "bytes"})])
def test_a_missing_matrix_is_noticed(model: str, what: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without the MLP's last matrix neither FLOPs nor bytes add up."""
    fewer = {formula: matrices[:2] if len(matrices) == 3 else matrices for formula, matrices in MATRICES.items()}
    monkeypatch.setattr(operations, "MATRICES", fewer)
    assert faults(Operations(model, SXM, batch=3)) >= what


def device_faults(found: Operations) -> set[str]:
    """The figures in which a device's operations do not add up to what the formulas for devices say."""
    assert found.split is not None
    model, rounded = found.model, Trait.EXPERTS in found.model.traits and found.tokens * found.batch > 1000
    batch, law = found.split.each(found.batch), "tensor_parallel_latency"
    at: dict[str, Any] = {"B": batch, "N": found.tokens, "n_tensor": found.split.tensor}
    if not found.decodes:
        at["C_prompt_device"] = explain("C_prompt_device", model=model, N=found.tokens, **found.split.letters).exact
        law = "tensor_parallel_prefill_time"
    known = {
        s.name: v
        for s, v in explain(law, model=model, hardware=SXM, dtype="fp16", weights="fp16", **at).given.numbers().items()
    }
    flops, nbytes = (sum(getattr(line, of) for line in found.lines) for of in ("flops", "nbytes"))
    if found.decodes:
        of_all = batch * (2 * known["P_device"] + known["C_seq_device"])
        read = known["D_weights"] * known["P_read_device"] / known["P_read"] + batch * known["D_seq_device"]
    else:
        of_all = total(found, "flops")
        more = (known["P_prompt"] - known["P"]) / found.split.tensor
        read = known["D_weights_prompt"] * (known["P_device"] + more) / known["P_prompt"]
        read += batch * known["D_prompt_device"]
    right = {"flops": flops == of_all, "bytes": same(nbytes, read, rounded=rounded)}
    wrong = {what for what, is_right in right.items() if not is_right}
    least = total(found, "separate_time")
    if not (least <= total(found, "operations_time") or same(least, total(found, "operations_time"), rounded=rounded)):
        wrong.add("time")
    return wrong


WAYS: list[dict[str, int]] = [{"tensor": 2}, {"devices": 8}, {"tensor": 2, "pipeline": 2}, {"devices": 4, "tensor": 2}]


LOADS = ("context", "prompt", "prompt")


@pytest.mark.parametrize(("name", "how", "load"), [*zip(NAMES, cycle(WAYS), cycle(LOADS), strict=False)])
def test_operations_of_a_device_add_up(name: str, how: dict[str, int], load: str) -> None:
    """FLOPs, bytes and times of one of the devices that share a model, whatever it is made of."""
    try:
        found = Operations(name, SXM, batch=6, weights="fp16", **{load: 3000}, **how)  # type: ignore[arg-type]
    except InvalidValue:  # heads that so many devices cannot divide
        found = Operations(name, SXM, batch=6, weights="fp16", **{load: 3000}, tensor=1, pipeline=2)  # type: ignore[arg-type]
    assert device_faults(found) == set()


@pytest.mark.parametrize("name", ["llama-2-70b", "deepseek-v3", "qwen3-next-80b-a3b"])
def test_devices_that_share_nothing_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a device with all heads and widths."""
    monkeypatch.setattr(operations, "_letters_of", lambda part, devices: part.letters)  # kept by no model
    assert device_faults(Operations(name, SXM, batch=3, weights="fp16", tensor=2)) >= {"flops", "bytes"}


def test_one_device_that_is_called_several_has_the_same_operations() -> None:
    """A split into one."""
    for load in ({"context": 3000}, {"prompt": 3000}):
        alone, one = (Operations("mixtral-8x7b", SXM, batch=3, **load, **how) for how in ({}, {"devices": 1}))  # type: ignore[arg-type]
        assert alone.lines == one.lines
        assert total(alone, "separate_time") == total(one, "separate_time")


# What the engine enters


def named_as(path: str) -> str:
    """The operation that a path of the ledger belongs to: all blocks and experts together."""
    name = re.sub(r"^blocks\.\d+\.", "", re.sub(r"\.experts\.\d+\.", ".experts.", path))
    return ATTENTION if name in ("attention.scores", "attention.mix", "attention.cache") else name


def entered(ledger: Ledger) -> Counts:
    """FLOPs and bytes of matrix products, path by path, and what attention reads of the cache."""
    multiplied = {path for path, op in ledger.entries if op == "matmul"}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (path, op), tally in ledger.entries.items():
        if path in multiplied or path.endswith("attention.cache"):
            count = counts[named_as(path)]
            count[0] += tally.flops if op == "matmul" else 0
            count[1] += tally.loaded
    return {name: (Fraction(flops), Fraction(nbytes)) for name, (flops, nbytes) in counts.items()}


def served(decoder: Decoder, config: Config, batch: int, context: int) -> None:
    """A prompt whose last position gets logits; the scores of its ledger are those that are not masked.

    These are what another decoder enters that is given the prompt token by token.
    """
    decoder.prefill(np.zeros((batch, context), int), logits=1)
    first = np.arange(config.n_active)
    other = Decoder(config, route=(lambda n: np.tile(first, (n, 1))) if config.n_experts else None)
    other.start(batch, context)
    other.ledger.clear()
    for _ in range(context):
        other.decode(np.zeros(batch, int))
    for key, tally in decoder.ledger.entries.items():
        if "attention" in key[0] and key[1] == "matmul" and key[0].endswith((".scores", ".mix", ".sum")):
            tally.flops = other.ledger.entries[key].flops


def mean(each: Iterable[Counts]) -> Counts:
    """The mean over all routings; what some of them do not enter is nothing there."""
    listed = list(each)
    names = dict.fromkeys(name for counts in listed for name in counts)
    none = (Fraction(0), Fraction(0))

    def of(name: str, place: int) -> Fraction:
        return sum((counts.get(name, none)[place] for counts in listed), Fraction(0)) / len(listed)

    return {name: (of(name, 0), of(name, 1)) for name in names}


def run(config: Config, asked: Question, *, decodes: bool) -> Counts:
    """The counts that the engine enters in a pass of a decoder without biases, in the mean over all routings."""
    floats = Float(8 * asked.n_bytes)
    config = replace(config, weights=floats, vectors=floats, cache=Float(8 * asked.n_bytes_kv))
    config = absorbing(config, decodes)
    routed = Routed(config)
    decoder = Decoder(replace(config, biases=(), output_bias=False), route=routed if config.n_experts else None)

    def each() -> Iterable[Counts]:
        for _ in routed.every(asked.batch * (1 if decodes else asked.context)):
            decoder.ledger.clear()
            if decodes:
                decoder.start(asked.batch, asked.context)
                decoder.context = asked.context - 1
                decoder.decode(np.zeros(asked.batch, int))
            else:
                served(decoder, decoder.config, asked.batch, asked.context)
            yield entered(decoder.ledger)

    return mean(each())


def said(model: Model, asked: Question, *, decodes: bool) -> Counts:
    """The counts of the same pass by the formulas."""
    formats = {"weights": _FLOATS[asked.n_bytes], "cache": _FLOATS[asked.n_bytes_kv]}
    load: dict[str, Any] = {"context" if decodes else "prompt": asked.context}
    found = Operations(model, batch=asked.batch, **load, **formats)
    return {line.name: (line.flops, line.nbytes) for line in found.lines}


_FLOATS = {2: "fp16", 4: "fp32"}


@pytest.mark.parametrize("family", RUN)
def test_an_operation_is_what_the_engine_enters(family: str) -> None:
    """Path by path, for tiny models of every family that the engine runs: a decoding step and a prefill."""

    @settings(max_examples=6, derandomize=True, database=None, deadline=None)
    @given(data=st.data(), fields=tiny_models(family))
    def each(data: st.DataObject, fields: dict[str, Any]) -> None:
        config, model = engine_of(fields), Model.from_config(fields)
        asked = data.draw(questions(experts=config.n_experts > 0).filter(lambda asked: asked.n_bytes_kv in _FLOATS))
        for decodes in (True, False):
            assert said(model, asked, decodes=decodes) == run(config, asked, decodes=decodes)

    each()


_STATES = tuple(f"state.{name}" for name in ("recall", "write", "read"))


def moving(decoder: Decoder) -> Counts:
    """Counts that a pass enters, with states or without: kept states and inputs are both read and written."""
    counts = entered(decoder.ledger)
    work = Fraction(sum(counts.pop(name, (Fraction(0),))[0] for name in _STATES))
    kept = sum(decoder.ledger.total(way, "*.state.kept") for way in ("loaded", "stored"))
    return counts | {STATE: (work, Fraction(kept))}


@pytest.mark.parametrize("decodes", [True, False])
@given(config=mixtures(("states", "convolutions")), context=st.integers(1, 5))
def test_an_operation_of_a_block_with_a_state_is_what_the_engine_enters(
    config: Config, context: int, decodes: bool
) -> None:
    """Of random mixtures without a choice of experts, path by path: what is kept of inputs and of states together."""
    config = replace(config, n_active=config.n_experts, weights=Float(16), vectors=Float(16), cache=Float(32))
    if isinstance(config.states, Convolution):  # biases are read beside matrices, and are no part of them
        config = replace(config, states=replace(config.states, biases=False))
    decoder = Decoder(config)
    decoder.start(2, context)
    if decodes:
        decoder.context = context - 1
        decoder.decode(np.zeros(2, int))
    else:
        decoder.ledger.clear()
        served(decoder, config, 2, context)
    assert said(model_of(config, "drawn"), Question(2, context, 2, 4), decodes=decodes) == moving(decoder)


@pytest.mark.parametrize("fault", ["a matrix fewer", "a gate fewer", "an input more"])
def test_a_convolution_that_is_miscounted_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without the way out, with one gate, or with an input more than those before the newest."""
    states = Convolution(5, 3, blocks=(True, False))
    config = Config(2, 2, 2, 7, Float(16), Float(32), Float(16), norm="rms", states=states)
    check = test_an_operation_of_a_block_with_a_state_is_what_the_engine_enters.hypothesis.inner_test  # type: ignore[attr-defined]
    check(config, 3, True)
    into, out = MATRICES[gated_convolution_parameters]
    one_gate = replace(into, rows=lambda at: 2 * at["d_conv"])
    if fault == "an input more":
        more = lambda made, *blocks, kernel, **rest: convolve(made, *blocks, kernel=kernel + 1, **rest)  # noqa: E731
        monkeypatch.setattr(convolution, "convolve", more)
    else:
        monkeypatch.setitem(
            MATRICES, gated_convolution_parameters, (into,) if fault == "a matrix fewer" else (one_gate, out)
        )
    with pytest.raises(AssertionError):
        check(config, 3, True)


@pytest.mark.parametrize("decodes", [True, False])
def test_a_gate_over_attention_is_what_the_engine_enters(decodes: bool) -> None:
    """Of Qwen3-Next where every block attends: a gate over attention, and one over the expert that all share."""
    fields = {"model_type": "qwen3_next", "vocab_size": 7, "num_hidden_layers": 2, "num_attention_heads": 4}
    fields |= {"hidden_size": 6, "num_key_value_heads": 2, "head_dim": 2, "intermediate_size": 5, "num_experts": 3}
    fields |= {"num_experts_per_tok": 1, "moe_intermediate_size": 4, "shared_expert_intermediate_size": 3}
    fields |= {"tie_word_embeddings": False, "full_attention_interval": 1}
    config = Config(
        2, 4, 2, 7, d_model=6, n_kv_heads=2, d_ff=5, norm="rms", activation="silu", gated=True, positions="rotary",
        tied=False, qk_norm=True, attention_gate=True, n_experts=3, n_active=1, d_expert=4, n_shared=1, d_shared=3,
        shared_gate=True,
    )  # fmt: skip
    asked = Question(2, 1)
    found = said(Model.from_config(fields), asked, decodes=decodes)
    assert found == run(config, asked, decodes=decodes)
    assert {"attention.gating.gate", "mlp.shared.shared_gate", "mlp.shared.gate"} <= set(found)


def test_matrices_that_are_swapped_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: sums stay the same where keys are as wide as queries should be; the engine tells them apart."""
    fields = {"model_type": "llama", "vocab_size": 7, "num_hidden_layers": 2, "num_attention_heads": 4}
    fields |= {"hidden_size": 6, "num_key_value_heads": 2, "head_dim": 2, "intermediate_size": 5}
    config, model = engine_of(fields | {"tie_word_embeddings": False}), Model.from_config(fields)
    asked = Question(2, 5)
    assert said(model, asked, decodes=True) == run(config, asked, decodes=True)
    turned = {}
    for formula, matrices in MATRICES.items():
        names = [matrix.name for matrix in matrices]
        names[:2] = reversed(names[:2])
        turned[formula] = tuple(Matrix(name, m.rows, m.columns) for name, m in zip(names, matrices, strict=True))
    monkeypatch.setattr(operations, "MATRICES", turned)
    differ, counted = said(model, asked, decodes=True), run(config, asked, decodes=True)
    assert {name for name in counted if differ[name] != counted[name]} == {"attention.query", "attention.key"}


# What is shown


def test_the_figures_of_the_issue() -> None:
    """Llama-2-70B, batch 256, context 4,096, A100 80 GB SXM, fp16: 235.9 ms and, as a sum of maxes, 281.3 ms."""
    found = Operations("llama-2-70b", SXM, batch=256, context=4096)
    times = [round(1000 * float(total(found, f"{name}_time")), 1) for name in ("whole", "separate", "operations")]
    assert times == [235.9, 281.3, 281.3]
    assert {line.name for line in found.lines if line.binds == "memory"} == {ATTENTION}


def test_each_column_is_a_formulas() -> None:
    """A row's intensity and time are what evaluate says of its operations and bytes."""
    found = Operations("mixtral-8x7b", SXM, batch=16, context=512)
    for line in found.lines:
        letters = {"C_matrix": line.flops, "D_matrix": line.nbytes}
        assert line.time is not None
        assert evaluate("product_intensity", **letters) == pytest.approx(float(line.intensity))
        assert evaluate("product_time", hardware=SXM, dtype="fp16", **letters) == pytest.approx(float(line.time))
        assert (line.binds == "memory") == (line.intensity <= total(found, "ridge_point"))


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints operations as text and as JSON, with a machine and without, and of a prefill too."""
    asked = ["model", "llama-2-70b", "--hardware", SXM, "--batch", "256", "--per-op"]
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert "235.9 ms" in text
    assert "281.3 ms" in text
    assert main([*asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["operations"][0]["operation"] == "attention.query"
    assert data["sum"]["flops"] == data["totals"]["flops"]["value"]
    assert data["context"] == 4096
    assert main(["model", "gpt2", "--per-op", "--prompt", "1k", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["prompt"], data["operations"][0]["time"]) == (1000, None)
    assert list(data["totals"]) == ["flops"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--prompt", "9"), "--prompt needs --new-tokens (for a request) or --per-op (for a prefill)"),
        (("--per-op", "--prompt", "9", "--context", "8"), "so give only one of the two"),
        (("--per-op", "--prefill", "causal"), "always counts a prefill as servers do it"),
        (("--per-op", "--prompt", "0"), "prompt (tokens in a prompt) must be positive"),
        (("--per-op", "--tpot", "9 s"), "--per-op shows a single pass"),
        (("--per-op", "--prompt", "9", "--new-tokens", "9"), "--per-op shows a single pass"),
    ],
)
def test_options_that_do_not_go_together(
    options: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options that do not go together are refused in one sentence, with exit code 2."""
    assert main(["model", "gpt2", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_machine_without_a_figure_has_no_times() -> None:
    """Times that rest on a figure that is not printed are not made up, and the total says why it is missing."""
    found = Operations("gpt2", SXM, dtype="fp8")
    assert [line.time for line in found.lines] == [None] * len(found.lines)
    assert all(total.note for total in found.totals if total.value is None)
    assert found.data()["totals"]["whole_time"]["value"] is None


def test_a_part_without_matrices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part without matrices is refused in one sentence, without a traceback."""
    monkeypatch.setattr(operations, "MATRICES", {})
    with pytest.raises(SymbolicLLMError, match="which matrices"):
        Operations("gpt2")
    assert isinstance(presets.model("gpt2").parts[0], Part)


@pytest.mark.parametrize("dtype", ["fp16", "fp8"])  # of which the machine has no figure, so that times are missing
def test_text_and_notebook_say_the_same(dtype: str) -> None:
    """All rows, with their sum, and all totals: cell by cell; the columns of text are flush."""
    found = Operations("gpt2", SXM, dtype=dtype)
    assert {total.value is None for total in found.totals} == {False} | {dtype == "fp8"}
    shown = re.findall("<tr>(.*?)</tr>", found._repr_html_())
    cells = [[*map(unescape, re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row))] for row in shown]
    assert len(cells) == 1 + len(found.lines) + 1 + 1 + len(found.totals)
    _, table, totals, _ = repr(found).split("\n\n")
    cells.remove(["", "", "by"])
    lines = [*table.splitlines(), *totals.splitlines()]
    assert [re.split("  +", line.strip()) for line in lines] == [[one for one in row if one] for row in cells]
    for form in (table, totals):
        assert all(len(edges) == 1 for edges in edges_of(form))


def edges_of(table: str) -> list[set[int]]:
    """Of each column where its cells begin if they are words, and where they end if they are figures."""
    rows = [list(re.finditer(r"\S+(?: \S+)*", line)) for line in table.splitlines()]
    whole = [row for row in rows if len(row) == max(map(len, rows))]  # the sum is bound by nothing
    figures = [cell[0][0] in "0123456789–≥≤" for cell in whole[-1]]
    return [
        {row[place].end() if is_figure else row[place].start() for row in whole}
        for place, is_figure in enumerate(figures)
    ]


@pytest.mark.parametrize(
    ("model", "counted", "left_out"),
    [
        ("gpt2", "", "norms, softmax, activations and stores to memory"),
        (
            "qwen3.5-27b",
            "states, and the last inputs of their convolutions, are written back too",
            "Norms, softmax, activations, sums of convolutions and all other stores",
        ),
        (
            "deepseek-v3.2",
            "",
            "norms, softmax, activations, the comparisons that find what is picked and stores to memory",
        ),
    ],
)
def test_what_is_left_out_is_said(model: str, counted: str, left_out: str) -> None:
    """Below everything, in lines that a terminal has room for."""
    below = repr(Operations(model)).rpartition("\n\n")[2].splitlines()
    between = f"; {counted}. " if counted else "; "
    assert " ".join(below) == f"Matrix products and the bytes they read are counted{between}{left_out} are left out."
    assert all(len(line) <= 110 for line in below)
