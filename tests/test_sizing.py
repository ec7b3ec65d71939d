"""Sizing a model on a machine, and counting a model file"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import of_each_kind

from reference_engine import Config, Decoder, load
from symbolic_llm import Model, Sizing, catalogue, evaluate, explain, presets
from symbolic_llm.answers.gather import picked
from symbolic_llm.answers.resolution import reach
from symbolic_llm.cli import main
from symbolic_llm.errors import ConditionViolated, InvalidModel, InvalidValue, SymbolicLLMError, UnknownName
from symbolic_llm.reports import counting, number_search
from symbolic_llm.reports.counting import count_file
from symbolic_llm.reports.number_search import decoding
from symbolic_llm.reports.sizing import STORED
from symbolic_llm.witness.decoders import model_of

DATA = Path(__file__).parent / "data"
ORACLES = DATA / "oracles"
COUNTED = json.loads((DATA / "models.json").read_text())["models"]
SXM = "a100-80gb-sxm"


def data(model: Any, **load: Any) -> dict[str, Any]:
    """The figures by key."""
    return Sizing(model, SXM, **load).data()


# The page of a model


@pytest.mark.parametrize(("model", "critical"), [("llama-2-7b", 166), ("llama-2-70b", 2892)])
def test_the_figures_of_the_articles(model: str, critical: int) -> None:
    """Critical contexts at fp16 on an A100, with the parameters that are multiplied."""
    found = data(COUNTED[model]["config"], dtype="fp16")
    assert round(found["critical_context"]) == critical
    assert found["parameters"] == COUNTED[model]["params_total"]
    assert found["active_parameters"] == found["parameters"]
    assert found["kv_bytes_per_token"] == COUNTED[model]["fields"]["kv_bytes_per_token_fp16"]
    flops = (
        2 * COUNTED[model]["matmul_params_per_token"] + presets.model(model).attention_flops_per_context_token * 4096
    )
    assert found["flops_per_token_decode"] == flops


@pytest.mark.parametrize(
    ("model", "per_token", "in_all"),
    [
        ("llama-2-70b", "time_per_output_token", "request_time"),
        ("gemma-2-27b", "T_output", "T_generation"),
        ("deepseek-v2", "", ""),  # here attention computes for longer than it reads, so steps are added up
    ],
)
def test_a_request_and_a_target_have_rows(model: str, per_token: str, in_all: str) -> None:
    """By the formulas that the model picks; in all it takes the first token's time and then one for each token."""
    found = Sizing(model, "h200-sxm", weights="q4_0", tpot="50 ms", prompt=4000, new=500)
    rows = {row.key: row for row in found.rows}
    assert (rows["time_per_output_token"].formula, rows["request_time"].formula) == (per_token, in_all)
    first, each, whole = (rows[k].value for k in ("time_to_first_token", "time_per_output_token", "request_time"))
    assert None not in (first, each, whole)
    assert whole == first + 500 * each
    largest = rows["largest_batch_within_target"]
    limits = [rows[f"sequences_{what}"].value for what in ("that_fit", "done_in_time")]
    assert largest.value == min(limits)
    assert largest.note == "memory"
    overlapping = {row.key: row for row in Sizing(model, "h200-sxm", weights="q4_0", tpot="50 ms", overlap=True).rows}
    limits = [overlapping[f"sequences_{what}"].value for what in ("that_fit", "read_in_time", "computed_in_time")]
    assert overlapping["largest_batch_within_target"].value == min(limits)
    assert overlapping["largest_batch_within_target"].note == "capacity: no more caches fit into memory"
    asked = {"model": model, "hardware": "h200-sxm", "dtype": "fp16", "weights": "q4_0"}
    for row in found.rows[-7:]:
        assert not row.formula or explain(row.formula, **row.letters, **asked).exact == row.value


@pytest.mark.parametrize("name", ["llama-3-8b", "mixtral-8x7b", "gemma-2-27b", "qwen3-next-80b-a3b", "deepseek-v2"])
@pytest.mark.parametrize("new", [1, 50])
def test_steps_added_up_take_what_the_closed_form_says(name: str, new: int) -> None:
    """Wherever there is one: the same to the last digit."""
    sizing = Sizing(name, "h200-sxm", batch=2, prompt=1000, new=new)
    row = {row.key: row for row in sizing.rows}["time_per_output_token"]
    assert row.value is not None
    steps = {"N": Fraction(1000), "B": Fraction(2), "n_new": Fraction(new)}
    assert decoding(sizing, steps) == row.value * new


def test_steps_that_wait_for_their_arithmetic_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step by itself, as `evaluate` says; and the twin: that it was added up is said, and too many are not."""
    asked = {"model": "llama-3-8b", "hardware": "h200-sxm", "dtype": "fp16"}

    def rows(**more: int) -> dict[str, Any]:
        return {row.key: row for row in Sizing(**asked, batch=400, prompt=128, **more).rows}

    found = rows(new=5)
    each = [Fraction(explain("separate_latency", **asked, N=128 + i, B=400).exact) for i in range(1, 6)]
    first, mean, whole = (found[key] for key in ("time_to_first_token", "time_per_output_token", "request_time"))
    assert mean.value == sum(each) / 5
    assert whole.value == first.value + sum(each)
    assert "the 5 steps added up" in mean.note
    with pytest.raises(ConditionViolated):  # no closed form says it
        evaluate("time_per_output_token", **asked, N=128, B=400, n_new=5)
    monkeypatch.setattr(number_search, "_STEPS", 4)
    assert rows(new=5)["time_per_output_token"].value is None


@pytest.mark.parametrize("way", ["served", "full", "last-logits"])
def test_the_first_token_of_one_prompt_stands_beside_that_of_the_batch(way: str) -> None:
    """With a batch of one prompt there is one row; with more, that of one prompt is what it was."""
    asked = {"hardware": "h200-sxm", "prompt": 1000, "new": 10, "prefill": way}
    one, eight = ({row.key: row for row in Sizing("llama-3-8b", batch=b, **asked).rows} for b in (1, 8))  # type: ignore[arg-type]
    assert "time_to_first_token_alone" not in one
    assert eight["time_to_first_token_alone"].value == one["time_to_first_token"].value
    assert eight["time_to_first_token"].value > eight["time_to_first_token_alone"].value


LARGE: dict[str, Any] = {"hardware": "a100-80gb-sxm", "batch": 256, "context": 4096}
ON_A100 = {"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16"}


def test_a_step_goes_part_by_part_unless_overlap_is_asked_for() -> None:
    """Tokens a second, a batch within a target and a request follow from it; by hand from both laws."""
    parts, whole = (
        {row.key: row for row in Sizing("llama-2-70b", overlap=overlap, tpot="0.3 s", prompt=1000, new=9, **LARGE).rows}
        for overlap in (False, True)
    )
    step = Fraction(explain("separate_latency", N=4096, B=256, **ON_A100).exact)
    assert parts["decode_time_by_parts"].value == step > parts["decode_time"].value
    assert parts["throughput"].value == 256 / step
    assert whole["throughput"].value == Fraction(explain("throughput_with_cache", N=4096, B=256, **ON_A100).exact)
    assert "matrices compute-bound, attention memory-bound" in parts["decode_time_by_parts"].note
    most = int(parts["sequences_done_in_time"].value or 0)
    taken = [evaluate("separate_latency", N=4096, B=most + more, **ON_A100) for more in (0, 1)]
    assert taken[0] <= 0.3 < taken[1]
    assert whole["sequences_read_in_time"].value > most
    first = Fraction(explain("separate_prefill_time", N=1000, B=256, **ON_A100).exact)
    steps = [Fraction(explain("separate_latency", N=1000 + i, B=256, **ON_A100).exact) for i in range(1, 10)]
    assert parts["time_to_first_token"].value == first
    assert parts["time_per_output_token"].value == sum(steps) / 9
    assert parts["request_time"].value == first + sum(steps)
    assert whole["request_time"].value < parts["request_time"].value


def test_where_all_waits_for_bytes_the_laws_are_one() -> None:
    """Then the closed forms stand, by both laws, with their names; and what binds is said in the first sentences."""
    asked: dict[str, Any] = {"hardware": "a100-80gb-sxm", "prompt": 1000, "new": 500, "batch": 2}
    parts, whole = (Sizing("llama-2-7b", overlap=overlap, **asked) for overlap in (False, True))
    of_parts, of_whole = ({row.key: row.value for row in one.rows} for one in (parts, whole))
    assert of_parts.pop("matrices_crossover") == Fraction(explain("batch_crossover", **ON_A100).exact)
    assert of_parts == of_whole
    formulas = {row.key: row.formula for row in parts.rows}
    assert formulas["request_time"] == "request_time"
    assert formulas["time_per_output_token"] == "time_per_output_token"
    assert parts.answer[-1].endswith("and is memory-bound.")
    assert Sizing("llama-2-70b", **LARGE).answer[2].endswith("matrices compute-bound, attention memory-bound.")


def test_a_request_is_given_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "llama-2-7b", "--new-tokens", "500"]) == 2
    assert "--new-tokens needs --prompt, the length of" in capsys.readouterr().err
    with pytest.raises(InvalidValue, match="give both or neither"):
        Sizing("llama-2-7b", prompt=100)
    assert main(["model", "llama-2-7b", "--tpot", "0 s"]) == 2
    assert "tpot (most time for each output token) must be positive" in capsys.readouterr().err


def said_twice(sizing: Sizing) -> list[str]:
    """Labels under which two rows of a section stand, or rows of two sections where all is of one device."""
    sections = sizing.split is not None
    labels = [(row.section if sections else "", row.label.strip()) for row in sizing.rows]
    return [label for place, (_, label) in enumerate(labels) if labels[place] in labels[:place]]


def test_a_label_that_means_two_things_is_noticed() -> None:
    """The twin: two rows are called alike. With several devices, rows of one may be called like those of all."""
    sizing = Sizing("deepseek-v3", SXM)
    assert said_twice(sizing) == []
    sizing.rows[1] = replace(sizing.rows[1], label=sizing.rows[2].label)
    assert said_twice(sizing) == [sizing.rows[2].label.strip()]
    assert said_twice(Sizing("llama-2-7b", SXM, devices=2)) == []


@pytest.mark.parametrize(
    ("model", "formats", "label", "n_bytes"),
    [
        ("llama-3-8b", {"weights": "nvfp4"}, "stored as nvfp4", 4_517_021_952),
        ("llama-3-8b", {"weights": "Q4_K"}, "stored as q4_k", 4_517_021_952),
        ("llama-3-8b", {"weights": "q4_k_m"}, "stored as q4_k_m", 4_912_898_048),
        ("gpt2", {"dtype": "fp8"}, "stored as fp8", 124_439_808),
        ("gpt2", {"weights": "int8"}, "stored as int8", 124_439_808),
        ("gpt-oss-120b", {}, "stored as the file has it", 65_248_815_744),
        ("gpt-oss-120b", {"weights": "fp16"}, "stored as fp16", 233_658_313_344),
    ],
)
def test_the_formats_that_are_asked_for_are_among_those_stored(
    model: str, formats: dict[str, Any], label: str, n_bytes: int
) -> None:
    """Each once, first where it is none of the usual ones, and as `evaluate` counts it."""
    found = [row for row in Sizing(model, **formats).rows if row.label.startswith("stored as ")]
    (row,) = (one for one in found if one.label == label)
    assert row.value == n_bytes == evaluate("weight_bytes", model=model, **{"dtype": "fp16", **formats})
    assert len({one.key for one in found}) == len(found)
    assert found.index(row) == 0 or row.label.split()[-1] in STORED


@pytest.mark.parametrize("name", ["llama-3-8b", "mixtral-8x7b", "gemma-2-27b", "qwen3-next-80b-a3b", "deepseek-v2"])
def test_a_request_whose_first_tokens_are_cached(name: str) -> None:
    """A row beside that of the whole prompt: what its formula says, and sooner the more are cached."""
    asked = {"model": name, "hardware": "h200-sxm", "dtype": "fp16"}
    times = []
    for cached in (1, 1000, 1999):
        rows = {row.key: row for row in Sizing(**asked, batch=2, prompt=2000, new=5, cached=cached).rows}
        row, letters = rows["time_to_first_token_cached"], {"B": 2, "n_chunk": 2000 - cached, "N_prompt": 2000}
        assert row.value == explain(row.formula, **asked, **letters).exact
        times.append(row.value)
    assert times == sorted(times, reverse=True)
    if name != "deepseek-v2":  # which expands its keys and values where it reads a whole prompt
        full = {row.key: row for row in Sizing(**asked, batch=2, prompt=2000, new=5, prefill="full").rows}
        assert times[0] < full["time_to_first_token"].value  # as masked scores of the new tokens are counted in both


def test_cached_tokens_are_of_a_prompt() -> None:
    with pytest.raises(InvalidValue, match="cached is of a request's prompt"):
        Sizing("gpt2", cached=5)
    with pytest.raises(InvalidValue, match="cached must be less than the 9 tokens of the prompt, but 9 was given"):
        Sizing("gpt2", prompt=9, new=1, cached=9)


@pytest.mark.parametrize("model", of_each_kind())
def test_every_row_is_what_its_formula_says(model: str) -> None:
    """For every preset: the value of a row is that of the formula it names, with the letters it names."""
    preset = {"model": model, "hardware": SXM, "dtype": "fp16"}
    sizing = Sizing(model, SXM, context=5000, batch=3)
    assert said_twice(sizing) == []
    checked = 0
    for row in sizing.rows:
        single = row.formula and "," not in row.formula and not row.key.startswith(("parameters_", "weight_bytes_"))
        if single and row.value is not None and row.key not in ("decode_time", "largest_context"):
            assert explain(row.formula, **preset, **row.letters).exact == row.value, row
            checked += 1
    assert checked >= 7


def test_sums_over_parts() -> None:
    """The kinds of parts add up to the whole; a format's bytes are those of all weights."""
    found = data("mixtral-8x7b")
    kinds = ("embedding", "output", "attention", "router", "experts", "norms")
    assert tuple(found["parameters_by_kind"]) == kinds
    assert sum(found["parameters_by_kind"].values()) == found["parameters"] == 46_702_792_704
    parts = [row for row in found["rows"] if row["key"].startswith("each_")]
    assert sum(row["value"] * row["copies"] for row in parts) == found["parameters"]
    assert found["active_parameters"] == 12_879_925_248
    assert found["weight_bytes_fp16"] == 2 * found["parameters"]
    assert found["weight_bytes_q4_0"] == found["parameters"] * 9 / 16


def test_which_side_binds() -> None:
    """A step takes the longer of its two times."""
    small, large = data("llama-2-7b", context=10), data("llama-2-7b", context=10, batch=1000)
    assert small["decode_time"] == small["decode_memory_time"] > small["decode_compute_time"]
    assert large["decode_time"] == large["decode_compute_time"] > large["decode_memory_time"]
    assert "memory-bound" in repr(Sizing("llama-2-7b", SXM, context=10))
    assert "; compute-bound" in repr(Sizing("llama-2-7b", SXM, context=10, batch=1000))


def test_no_crossover_beyond_the_critical_context() -> None:
    """None, and why."""
    found = Sizing("llama-2-7b", SXM, context=4096)
    assert found.data()["batch_crossover"] is None
    assert (
        "no batch is compute-bound: what a sequence keeps takes longer to move than its arithmetic (critical_context)"
        in repr(found)
    )
    assert data("llama-2-7b", context=100)["batch_crossover"] == pytest.approx(
        evaluate("batch_crossover_with_cache", model="llama-2-7b", hardware=SXM, dtype="fp16", N=100)
    )


def test_windows_bound_the_cache() -> None:
    """Half of the blocks of a Gemma 2 keep no more than their window; all of an early Mistral."""
    gemma, short = data("gemma-2-27b", context=8192), data("gemma-2-27b", context=4096)
    assert gemma["kv_bytes"] == short["kv_bytes"] * 3 / 2
    mistral, full = data("mistral-7b-v0.1", context=8192), data("mistral-7b-v0.1", context=4096)
    assert mistral["kv_bytes"] == full["kv_bytes"]
    assert mistral["decode_memory_time"] == full["decode_memory_time"]
    assert mistral["largest_context"] == 32_768  # beyond its window no block keeps more
    assert "the context limit of the model" in repr(Sizing("mistral-7b-v0.1", SXM))


def test_experts_are_read_for_a_batch() -> None:
    """A batch of one reads what it is multiplied with, a large one all experts."""
    one, many = data("mixtral-8x7b", context=1), data("mixtral-8x7b", context=1, batch=500)
    model = presets.model("mixtral-8x7b")
    bandwidth = Fraction(2039 * 10**9)
    token = model.kv_bytes_per_token(2)
    assert one["decode_memory_time"] == pytest.approx(float((2 * model.multiplied_parameters + token) / bandwidth))
    everything = model.multiplied_parameters + 6 * 32 * 3 * 4096 * 14336
    assert many["decode_memory_time"] == pytest.approx(float((2 * everything + 500 * token) / bandwidth))


def test_conventions_are_switchable() -> None:
    """A prompt's FLOPs follow the chosen convention, where authors differ.

    A token's are given with everything that is no matrix product too.
    """
    counts = {
        way: Sizing("llama-3-8b", context=512, prefill=way).data()
        for way in ("served", "full", "causal", "last-logits")
    }
    assert counts["causal"]["flops_prefill"] < counts["full"]["flops_prefill"]
    saved = 511 * 2 * 128256 * 4096
    assert counts["full"]["flops_prefill"] - counts["last-logits"]["flops_prefill"] == saved
    assert counts["causal"]["flops_prefill"] - counts["served"]["flops_prefill"] == saved
    assert Sizing("llama-3-8b", context=512).data() == counts["served"]
    full = counts["full"]
    assert full["flops_per_token_decode_all_operations"] > full["flops_per_token_decode"]
    every = evaluate("llama_decode_flops", model="llama-3-8b", N=512, B=1)
    assert full["flops_per_token_decode_all_operations"] == every
    with pytest.raises(UnknownName, match="did you mean causal"):
        Sizing("gpt2", prefill="casual")


@pytest.mark.parametrize("model", ["llama-3-8b", "gpt-oss-20b", "qwen3-next-80b-a3b"])
def test_devices_count_prompts_in_the_same_way(model: str) -> None:
    """Of two devices each does half of what one alone does more if masked scores and all logits are counted."""
    asked, times = {"model": model, "hardware": "h200-sxm", "dtype": "fp16"}, {}
    for way in ("served", "full"):
        rows = {row.key: row for row in Sizing(**asked, tensor=2, batch=4, prefill=way).rows}
        shared = rows["devices_prefill_time"]
        times[way] = shared.value, rows["prefill_time"].value
        assert explain(shared.formula, **shared.letters, **asked).exact == shared.value
    (two, one), (two_in_full, one_in_full) = times["served"], times["full"]
    assert float((two_in_full - two) / (one_in_full - one)) == pytest.approx(0.5, rel=0.02)


def test_without_a_machine() -> None:
    """A sizing without a machine still gives the figures that need none."""
    found = Sizing("gpt2").data()
    assert found["parameters"] == 124_439_808
    assert "critical_context" not in found


@pytest.mark.parametrize(
    ("load", "sentence"), [({"context": 0}, "context"), ({"batch": 1.5}, "batch"), ({"context": "x"}, "context")]
)
def test_wrong_loads(load: dict[str, Any], sentence: str) -> None:
    """A wrong load is refused in one sentence that names it."""
    with pytest.raises(InvalidValue, match=sentence):
        Sizing("gpt2", **load)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A table, or JSON; a wrong file is one sentence and exit code 2."""
    shutil.copy(ORACLES / "gpt2" / "config.json", tmp_path)
    assert main(["model", str(tmp_path / "config.json"), "--hardware", SXM, "--context", "64", "--batch", "2"]) == 0
    shown = capsys.readouterr().out
    assert "critical_context" in shown
    assert "160,384 weights" in shown
    assert main(["model", str(tmp_path), "--hardware", SXM, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == 160_384
    for arguments in (
        ["model", "nowhere.json"],
        ["model", "gpt2", "--context", "-3"],
        ["model", "gpt2", "--hardware", "x"],
    ):
        assert main(arguments) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("name", ["llama-mha/model-f32.gguf", "llama-mha/model-q4_0.gguf"])
def test_a_gguf_file_is_a_model(name: str, tmp_path: Path) -> None:
    """Everywhere a model is asked for: the same shapes, limit and rows as the config.json that it was made from."""
    path, config = ORACLES / name, ORACLES / "llama-mha"
    here, there = presets.model(path), presets.model(config)
    assert (here.letters, here.context_limit, here.parameters) == (there.letters, there.context_limit, there.parameters)
    weights = path.stem.partition("-")[2].replace("f32", "fp32")
    read = explain("D_weights", model=path).exact / here.multiplied_parameters  # all but embedding and norms
    stored = {"weights": weights} if weights == "fp32" else {"n_bytes": read}
    of_file, of_config = (
        Sizing(str(source), SXM, context=100, weights=weights).data()["rows"] for source in (path, config)
    )
    assert [row["value"] for row in of_file] == [row["value"] for row in of_config]
    assert evaluate("latency", model=path, hardware=SXM, dtype="fp16", B=1) == evaluate(
        "latency", model=config, hardware=SXM, dtype="fp16", B=1, **stored
    )
    (tmp_path / "cut.gguf").write_bytes(path.read_bytes()[:-5000])  # a header alone could say anything
    with pytest.raises(InvalidModel, match=r"cut.gguf: its tensors end after [\d,]+ bytes, but the file after [\d,]+"):
        presets.model(tmp_path / "cut.gguf")


@pytest.mark.parametrize(
    ("machine", "more"),
    [
        (SXM, {}),
        (SXM, {"tensor": 2, "pipeline": 2}),
        (SXM, {"prompt": 1000, "new": 50, "tpot": "50 ms"}),
        ("t4@techpowerup", {}),
        (presets.of_letters(M="24 GB", W="1 TB/s", F="100 TFLOP/s"), {}),
        (presets.of_letters("t4", M="24 GB"), {}),
        ({"memory": "24 GB", "bandwidth": "1 TB/s", "peak": {"fp16": "100 TFLOP/s"}}, {}),
    ],
    ids=str,
)
def test_the_last_line_opens_every_row(machine: Any, more: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """The command that the page ends with, typed in for each row that has a formula of the catalogue."""
    sizing = Sizing("llama-2-7b", machine, context=3000, batch=2, **more)
    said, _, command = repr(sizing).splitlines()[-1].partition(": symbolic-llm explain NAME ")
    said, has_these, apart = said.partition(" if the formula has these letters")
    assert has_these
    letters = dict(shlex.split(word)[0].split("=") for word in re.findall(r"\w+=(?:'[^']*'|[^\s,']+)", said))
    several = r"(\w+)=([\d.e-]+(?: or [\d.e-]+)*)"
    own = {section: re.findall(several, of) for of, section in re.findall(r"(.*?) under ([\w ]+)", apart)}
    nth: Counter[tuple[str, str]] = Counter()
    opened = 0
    for row in sizing.rows:
        if row.formula not in catalogue() or row.label.startswith("  "):
            continue
        formula = catalogue()[row.formula]
        has = {letter.name for letter in reach(formula, picked(formula, sizing.presets))}
        typed = dict(letters)
        for section, of_section in own.items():
            for letter, values in of_section if row.section.startswith(section) else ():
                if letter in row.letters:  # one after the other, where there are several
                    in_turn = values.split(" or ")
                    typed[letter] = in_turn[nth[section, letter] % len(in_turn)]
                    nth[section, letter] += 1
        line = ["explain", row.formula, *shlex.split(command), *(f"{n}={v}" for n, v in typed.items() if n in has)]
        assert main([*line, "--json"]) == (0 if row.value is not None else 2), line
        out = capsys.readouterr().out
        if row.value is not None:
            assert json.loads(out)["value"] == pytest.approx(float(row.value), rel=1e-15)
            opened += 1
    assert opened >= 10


# Counting a file


@pytest.mark.parametrize(
    "path", ["llama-mha", "gpt2", "mixtral", "llama-mha/model-f32.gguf", "llama-mha/model-q4_0.gguf"]
)
@settings(max_examples=4, deadline=None)
@given(prompt=st.integers(1, 9), new=st.integers(0, 4))
def test_formulas_say_what_a_file_does(path: str, prompt: int, new: int) -> None:
    """Every line of a run: difference zero."""
    found = count_file(ORACLES / path, prompt, new)
    assert found.agrees, found
    assert len(found.lines) == (7 if new else 4)
    assert sum(row[2] for row in found.ledger if row[0] == "prefill") == found.lines[2].counted


def test_a_difference_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a formula that is off by one matrix is off in the table, and the exit code is 1."""

    def with_norms(config: Config, name: str) -> Model:
        return model_of(replace(config, qk_norm=True), name)  # whose norms this decoder lacks

    monkeypatch.setattr(counting, "model_of", with_norms)
    found = count_file(ORACLES / "llama-mha", 3, 1)
    assert not found.agrees
    assert found.lines[0].difference == -3 * 2 * 16
    assert main(["count", str(ORACLES / "llama-mha"), "--prompt-tokens", "3", "--new-tokens", "1"]) == 1


def test_the_count_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A table and the ledger, or both as JSON; the bar goes to a terminal only."""
    arguments = ["count", str(ORACLES / "mixtral"), "--prompt-tokens", "5", "--new-tokens", "2"]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert "mixtral_decode_flops" in shown.out
    assert "blocks.*.mlp.experts.*.up" in shown.out
    assert shown.err == ""
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["agrees"] is True
    assert {line["difference"] for line in found["lines"]} == {0}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "neither a model directory (with config.json) nor a GGUF file"),
        ([str(DATA / "flops.json")], "GGUF"),
        ([str(ORACLES / "gpt2"), "--prompt-tokens", "65"], "positions for 64 tokens"),
        ([str(ORACLES / "llama-mha"), "--prompt-tokens", "100000000"], "tokens needs about 800 PB of memory, but only"),
        ([str(ORACLES / "gpt2"), "--prompt-tokens", "0"], "--prompt-tokens must be a whole number of at least 1"),
        ([str(ORACLES / "gpt2"), "--new-tokens", "many"], "--new-tokens must be a whole number of at least 0"),
    ],
    ids=["missing", "no model", "too long", "too large", "zero", "no number"],
)
def test_what_cannot_be_counted(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command refuses what cannot be counted in one sentence, with exit code 2."""
    assert main(["count", *arguments]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("tokens", [(0, 1), (1, -1), (1.5, 0), (True, 0), (-(10**5000), 0)])
def test_tokens_are_whole_numbers(tokens: tuple[Any, Any]) -> None:
    """In the function as on the command line."""
    with pytest.raises(InvalidValue, match=r"_tokens must be a whole number of at least [01], not"):
        count_file(ORACLES / "gpt2", *tokens)


def test_a_window_may_be_outgrown(tmp_path: Path) -> None:
    """By the prompt or by what is decoded after it: what is forgotten is neither kept nor read."""
    folder = shutil.copytree(ORACLES / "llama-mha", tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "mistral", "architectures": ["MistralForCausalLM"], "sliding_window": 5}
    (folder / "config.json").write_text(json.dumps(config))
    for prompt, new in ((3, 2), (3, 6), (9, 4)):
        found = count_file(folder, prompt, new)
        assert found.agrees, found


def test_memory_is_asked_for_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt that takes more memory than is free is refused; if nobody knows that, running out gives a sentence."""
    needed = load(ORACLES / "llama-mha").memory_for(50)
    monkeypatch.setattr(counting, "_memory", lambda: needed)
    assert count_file(ORACLES / "llama-mha", 50, 0).agrees
    monkeypatch.setattr(counting, "_memory", lambda: needed - 1)
    with pytest.raises(
        InvalidValue, match=r"a prompt of 50 tokens needs about 2\d\d kB of memory, but only 2\d\d kB is free"
    ):
        count_file(ORACLES / "llama-mha", 50, 0)

    def full(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(counting, "_memory", lambda: None)
    monkeypatch.setattr(counting, "_count", full)
    with pytest.raises(InvalidValue, match="a prompt of 50 tokens needs more memory than is available"):
        count_file(ORACLES / "llama-mha", 50, 0)


def test_what_is_free_is_known_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the kernel, or what there is altogether, or nothing."""
    assert 2**20 < (counting._memory() or 0) < 2**60
    monkeypatch.setattr("builtins.open", lambda *_, **__: (_ for _ in ()).throw(OSError))
    assert 2**20 < (counting._memory() or 0) < 2**60
    monkeypatch.delattr("os.sysconf")
    assert counting._memory() is None


def test_a_bug_is_no_wrong_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ValueError of the engine itself is not told as a mistake in the file."""
    monkeypatch.setattr(Decoder, "prefill", lambda *_: np.zeros(2).reshape(3))
    with pytest.raises(ValueError, match="cannot reshape") as caught:
        count_file(ORACLES / "llama-mha", 3, 0)
    assert not isinstance(caught.value, SymbolicLLMError)


def test_a_truncated_file_is_no_model(tmp_path: Path) -> None:
    """An error of the package, not of the reader."""
    whole = (ORACLES / "llama-mha" / "model-q4_0.gguf").read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidModel):
        count_file(tmp_path / "cut.gguf", 1, 0)


def test_a_hybrid_on_several_devices() -> None:
    """Blocks with a state keep their part of it, the others their key/value heads."""
    rows = {row.key: row for row in Sizing("qwen3.5-27b", "a100-80gb-sxm", devices=2, weights="q4_0").rows}
    letters = presets.model("qwen3.5-27b").letters
    assert rows["device_kv_bytes"].value == 2 * letters["n_global"] * letters["n_kv_heads"] // 2 * letters["d_head"] * 2
    assert rows["devices_time"].value


@pytest.mark.parametrize("package", ["safetensors", "gguf"])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    monkeypatch.setitem(sys.modules, package, None)
    path = {"safetensors": ORACLES / "gpt2", "gguf": ORACLES / "llama-mha" / "model-f32.gguf"}[package]
    assert main(["count", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.endswith(f"{package}, with pip install 'symbolic-llm[models]'.\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (
            "llama-3-8b --hardware a10",
            (
                "Fits into 24 GB: weights and cache take 16.6 GB. Decodes 38.59 token/s with batch 1 at context 4,096. "
                "A decoding step takes 25.91 ms and is memory-bound."
            ),
        ),
        (
            "llama-3-70b --hardware h100-sxm",
            (
                "Does not fit into 80 GB: weights and cache need 142.4 GB. Decodes 23.87 token/s with batch 1 at "
                "context 4,096 if it fitted. A decoding step takes 41.89 ms and is memory-bound. Layers may lie in a "
                "second memory: --host-bandwidth says how fast that is."
            ),
        ),
        (
            "llama-3-70b --hardware h100-sxm --devices 4 --batch 16",
            (
                "Fits into 80 GB of each device: weights and cache take 42.22 GB. Decodes 1,261 token/s with batch 16 "
                "at context 4,096. A decoding step takes 12.69 ms."
            ),
        ),
        (
            "llama-3-70b --hardware h100-sxm --devices 4 --tensor 2 --batch 16",
            (
                "Fits into 80 GB of each device: weights and cache take 76.97 GB. Decodes 354.2 token/s in one of 2 "
                "groups with batch 16 at context 4,096. A decoding step takes 22.59 ms."
            ),
        ),
        (
            "llama-3-70b --hardware h100-sxm --devices 4 --tensor 2 --pipeline 2 --batch 16",
            (
                "Fits into 160 GB of 2 stages: weights and cache take 82.34 GB. Decodes 660.1 token/s with batch 16 "
                "at context 4,096. A decoding step takes 24.24 ms."
            ),
        ),
        (
            "llama-3-70b --hardware a10 --devices 2 --pipeline 2",
            (
                "Does not fit into 48 GB of 2 stages: weights and cache need 142.4 GB. Decodes 4.275 token/s with "
                "batch 1 at context 4,096 if it fitted. A decoding step takes 233.9 ms."
            ),
        ),
        (
            "qwen3-30b-a3b --hardware m4-max-40 --weights q4_0",
            (
                "Fits into 128 GB: weights and cache take 17.58 GB. Decodes at most 258.3 token/s with batch 1 "
                "at context 4,096. A decoding step takes at least 3.871 ms."
            ),
        ),
        ("gpt2", "4,096 tokens exceed the context limit of GPT-2, 1,024 tokens."),
        ("gpt2 --context 1024", ""),
    ],
)
def test_the_answer_comes_first(line: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether it fits, how fast it decodes, and what binds: in the lines below the title, and in the data."""
    assert main(["model", *line.split()]) == 0
    printed = capsys.readouterr().out.splitlines()
    sentences = [f"{one}." for one in answer.removesuffix(".").split(". ")] if answer else []
    assert printed[1 : 1 + len(sentences)] == [f"  {one}" for one in sentences]
    assert printed[1 + len(sentences)].startswith(("  d_model", "  n_blocks"))
    assert main(["model", *line.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == sentences
