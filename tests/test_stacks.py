"""Letters of programs: fitted anew from the measurements, found where they were planted, and said in reports"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy
import pytest

import symbolic_llm
from symbolic_llm.answers import stack_forecast
from symbolic_llm.architecture import Trait
from symbolic_llm.cli import main
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.measurements import Rows, stack_batches, stacks
from symbolic_llm.measurements.statistics import off
from symbolic_llm.notation import C_seq
from symbolic_llm.presets import hardware
from symbolic_llm.presets.stacks import StackFit, padding, stack_fit, stack_fits
from symbolic_llm.quantity import of_preset
from symbolic_llm.reports.operations import Operations
from symbolic_llm.reports.sizing import Sizing

VLLM = "vllm"
H100 = "NVIDIA H100 SXM 80GB"
SIXTEEN = ("fp16", "fp16", "fp16")


def fit_of(stack: str, device: str, *formats: str, kind: str = "dense") -> StackFit:
    found = stack_fit(stack, device, *(formats or SIXTEEN), kind=kind)
    assert found is not None
    return found


def group(framework: str, title: str) -> stacks.Group:
    return next(
        one for one in stacks.groups(stack_batches.measured()) if (one.framework, one.title) == (framework, title)
    )


def with_times(rows: Rows, times: numpy.ndarray) -> Rows:
    return Rows({**rows.columns, "time": times})


def test_the_file_is_what_the_measurements_say() -> None:
    assert stacks.PATH.read_text(encoding="utf-8") == stacks.text(stack_batches.measured())


def test_letters_without_one_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors and the ranges of an entry are of the same fits: one for each that is left out, and one of all."""
    made, some = [], group(VLLM, H100)
    fitted = stacks.fitted
    monkeypatch.setattr(stacks, "fitted", lambda rows: made.append(len(rows)) or fitted(rows))
    some.entry()
    assert len(made) == len(some.rows.values(some.by)) + 1


def test_a_row_that_changes_is_seen() -> None:
    rows = stack_batches.measured()
    times = rows["time"].copy()
    chosen = (rows["framework"] == VLLM) & (rows["device"] == "h100_sxm") & (rows["B"] == 1)
    times[numpy.flatnonzero(chosen)[0]] *= 1.5
    was, now = stacks.entries(rows), stacks.entries(with_times(rows, times))
    moved = {one["name"] for one, other in zip(was, now, strict=True) if one != other}
    assert {name for name in moved if H100 in name} == {f"vLLM on {H100} in 16 bits"}


@pytest.mark.parametrize(("overhead", "memory", "compute"), [(0.0, 0.7, 0.5), (4e-3, 0.9, 0.15)])
def test_letters_that_were_planted_are_found(overhead: float, memory: float, compute: float) -> None:
    rows = group(VLLM, H100).rows
    pair = stack_batches.PAIRS.index((memory, compute))
    noise = 1 + 0.01 * numpy.sin(numpy.arange(len(rows)))
    planted = stacks.Letters(overhead, pair)
    found = stacks.fitted(with_times(rows, planted.times(rows) * noise))
    assert (found.memory, found.compute) == pytest.approx((memory, compute), abs=0.051)
    assert found.overhead == pytest.approx(overhead, abs=5e-4)
    assert found.overhead >= 0


def test_a_few_rows_far_off_move_no_letter_far() -> None:
    rows = group(VLLM, H100).rows
    times = rows["time"].copy()
    times[::10] *= 100  # a unit that was mistaken
    forecast = stacks.fitted(with_times(rows, times)).times(rows)
    assert numpy.median(off(forecast, rows["time"])) < 0.06


def test_the_fixed_time_has_the_least_sum_of_relative_errors() -> None:
    differences, weights = numpy.array([[3.0], [1.0], [7.0], [2.0]]), numpy.array([1.0, 1.0, 5.0, 1.0])
    assert stacks._weighted_median(differences, weights).tolist() == [7.0]
    assert stacks._weighted_median(differences, numpy.ones(4)).tolist() == [2.0]


def test_too_few_rows_make_no_entry() -> None:
    known = group(VLLM, H100)
    assert known.enough
    few = known.rows.where(numpy.arange(len(known.rows)) < stacks.LEAST - 1)
    one = known.rows.of(model="llama-3-8b")
    assert len(one) >= stacks.LEAST
    for rows in (few, one):
        assert not stacks.Group(VLLM, H100, ("h100-sxm",), rows, "model").enough
    alone = group("deepspeed_mii", "NVIDIA data-centre cards from A100 to GH200")
    assert not alone.enough  # of a single device
    assert not any(one["on"] == alone.title and one["stack"] == "DeepSpeed-MII" for one in stacks.entries(known.rows))


def test_most_fits_are_within_eight_percent_of_what_was_held_out() -> None:
    """Others say in their answers that they are not, with what the measurements lack."""
    within: dict[str, list[bool]] = {stack: [] for stack in ("vLLM", "TensorRT-LLM", "llama.cpp")}
    for fit in stack_fits():
        if fit.stack in within and fit.bits == 16 and fit.held_out == "model" and fit.kind == "dense":
            within[fit.stack].append(fit.error <= stack_forecast._FAR)
    assert {stack: (sum(found), len(found)) for stack, found in within.items()} == {
        "vLLM": (4, 4),
        "TensorRT-LLM": (2, 3),
        "llama.cpp": (4, 4),
    }
    assert fit_of("vLLM", "h100-sxm", "fp8", "fp8", "fp8").error < 0.03
    assert fit_of("llama.cpp", "strix-halo", "q8_0", "fp16", "fp16").error < 0.03


def test_what_is_missing_is_said_of_every_fit_that_is_far_off() -> None:
    for fit in stack_fits():
        said = stack_forecast.lacking(fit)
        assert bool(said) is (fit.error > 0.08)
        assert not said or fit.held_out == "device" or all(model in said for model in fit.models)


def test_tiles_that_a_query_does_not_fill_make_held_out_errors_smaller() -> None:
    """The twin: without them no group is forecast better by more than a hundredth, and some are forecast worse."""
    flat = stack_batches.measured(tiles=False)
    worse = []
    for group, other in zip(stacks.groups(stack_batches.measured()), stacks.groups(flat), strict=True):
        if group.enough and group.by == "model" and padding(hardware(group.presets[0]), frozenset()) > 1:
            worse.append(median_error(other) - median_error(group))
    assert min(worse) > -0.01
    assert max(worse) > 0.01
    assert numpy.mean(worse) > 0.004


def median_error(group: stacks.Group) -> float:
    held, forecast = group.forecast()
    return float(numpy.median(off(forecast, held["time"])))


@pytest.mark.parametrize(
    ("device", "traits", "rows"),
    [
        ("h100-sxm", set(), 16),
        ("mi300x", {Trait.EXPERTS, Trait.GROUPED}, 16),
        ("h100-sxm", {Trait.LATENT}, 1),
        ("m2-ultra", set(), 1),
        ("strix-halo", {Trait.GROUPED}, 1),
    ],
)
def test_a_query_fills_a_row_of_a_tile_where_there_are_tiles(device: str, traits: set[Trait], rows: int) -> None:
    assert padding(hardware(device), frozenset(traits)) == rows


# What the reports say


ASKED: dict[str, Any] = {"hardware": "h100-sxm", "stack": "vllm"}


def rows_of(found: Sizing | Operations) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in found.data()["rows"]}


@pytest.mark.parametrize("name", ["llama-3-8b", "qwen2.5-7b"])  # attention of one reads longer, of the other computes
def test_a_step_is_forecast_by_letters_on_a_slower_machine(name: str) -> None:
    found = symbolic_llm.model(name, **ASKED, batch=8, context=2048)
    said = found.data()["stack"]
    letters = {letter: values["value"] for letter, values in said["letters"].items()}
    W, F = (evaluate_preset(letter) for letter in "WF")
    slower = {"W": W * letters["U_memory"], "F": F * letters["U_compute"]}
    asked: dict[str, Any] = {"model": name, "dtype": "fp16", "N": 2048}
    rows = 16 * symbolic_llm.evaluate("context_flops", **asked)
    assert said["rows_of_tiles"] == 16
    law = symbolic_llm.evaluate("separate_latency", **asked, B=8, C_seq=rows, **slower)
    fit = fit_of("vLLM", "h100-sxm")
    forecast = letters["T_overhead"] + law
    assert said["step_time"]["least"] == pytest.approx(forecast * float(fit.low))
    assert said["step_time"]["most"] == pytest.approx(forecast * float(fit.high))
    assert said["tokens_per_second"]["most"] == pytest.approx(8 / said["step_time"]["least"])
    assert (said["rows"], said["median_error"]) == (fit.rows, float(fit.error))
    assert f"{float(100 * fit.error):g} %" in rows_of(found)["stack_step_time"]["note"]
    assert rows_of(found)["stack_step_time"]["value"] is None  # never a bare point
    assert any(f"by {fit.rows} measured batches" in sentence for sentence in found.answer)


def evaluate_preset(letter: str) -> float:
    return float(of_preset(letter, hardware="h100-sxm", dtype="fp16"))


def test_most_measured_batches_lie_in_the_interval_of_a_request() -> None:
    """Batches of the model that the letters were fitted to as well, so more than eight in ten may."""
    rows = group(VLLM, H100).rows.of(model="llama-3-8b")
    inside = []
    for B, N, each in zip(*(rows[name].tolist() for name in ("B", "context", "time")), strict=True):
        N //= 2  # as long as its answer
        found = symbolic_llm.model("llama-3-8b", **ASKED, batch=int(B), prompt=int(N), new_tokens=int(N))
        least, most = (
            float(part.split()[0]) * {"s": 1, "ms": 1e-3}[part.split()[1]]
            for part in rows_of(found)["stack_request_time"]["bound"].split(" to ")
        )
        inside.append(least <= N * each <= most)
    assert sum(inside) >= 0.7 * len(inside)
    assert len(inside) > 10


def test_without_a_stack_nothing_is_said_of_one() -> None:
    found = symbolic_llm.model("llama-3-8b", hardware="h100-sxm")
    assert "stack" not in found.data()
    assert "forecast" not in repr(found)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (
            {"weights": "fp8"},
            "batches of vLLM with weights in fp8 were measured with caches in fp8 and arithmetic in fp8 alone",
        ),
        ({"hardware": "l40s"}, "there are enough on AMD Instinct MI300X, "),
        ({"hardware": "mi300x", "stack": "TensorRT-LLM"}, "too few batches of TensorRT-LLM in 16 bits on AMD Instinct"),
        (
            {"stack": "llama.cpp", "batch": 2},
            "batches of llama.cpp in 16 bits on NVIDIA H100 SXM 80GB were measured up to 1 sequence",
        ),
        (
            {"cache": "int8"},
            "with caches in fp16 and arithmetic in fp16 or caches in fp8 and arithmetic in fp16 alone",
        ),
        ({"dtype": "fp8", "weights": "fp16"}, "batches of vLLM with weights in fp16 were measured with caches in fp16"),
        ({"dtype": "int8"}, "too few batches of vLLM with weights in int8, caches in int8 on NVIDIA H100 SXM 80GB"),
        (
            {"dtype": "fp8", "model": "qwen2.5-7b"},
            "caches in fp8 on NVIDIA H100 SXM 80GB were measured with llama-3-8b",
        ),
        ({"weights": "q8_0"}, "with weights in q8_0 there are enough of llama.cpp"),
        ({"weights": "q4_k_m"}, "with weights in one format alone"),
        ({"model": "mixtral-8x7b"}, "with models without experts alone"),
        (
            {"hardware": {"memory": "80 GB", "bandwidth": "1 TB/s", "peak": "1 PFLOP/s"}},
            "on your machine were measured",
        ),
    ],
)
def test_why_there_is_no_forecast_is_said(asked: dict[str, Any], reason: str) -> None:
    asked = {"model": "llama-3-8b", **ASKED, **asked}
    found = symbolic_llm.model(asked.pop("model"), **asked, prompt=100, new_tokens=10)
    for key in ("stack_step_time", "stack_throughput", "stack_request_time"):
        row = rows_of(found)[key]
        assert reason in row["note"]
        assert (row["value"], row["bound"]) == (None, "")
    assert reason in found.data()["stack"]["reason"]
    assert not any("vLLM" in sentence for sentence in found.answer)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"stack": "tgi"}, "there is no stack with measurements 'tgi'; choose from deepspeed-mii, llama.cpp"),
        ({"stack": "vlm"}, "did you mean vllm?"),
        ({"stack": ""}, "there is no stack with measurements ''"),
        ({"stack": 3}, "stack must be the name of a program"),
        ({"hardware": None}, "a stack is measured on a device: give hardware"),
        ({"pipeline": 2}, "a stack is measured where devices share every layer: give tensor alone"),
        ({"devices": 4, "tensor": 2}, "a stack is measured where devices share every layer: give tensor alone"),
        ({"per_op": True}, "stack"),
    ],
)
def test_a_wrong_question_is_refused(asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(SymbolicLLMError, match=re.escape(reason)):
        symbolic_llm.model("llama-3-8b", **{**ASKED, **asked})


def test_beyond_the_measured_context_it_is_said() -> None:
    for context, said in ((4096, False), (8192, True)):
        note = rows_of(symbolic_llm.model("llama-3-8b", **ASKED, context=context))["stack_step_time"]["note"]
        assert ("none beyond 4,096 tokens" in note) is said


def test_a_class_stands_for_its_devices_and_a_device_for_itself() -> None:
    own, alike = fit_of("vLLM", "h100-sxm"), fit_of("vLLM", "h200-sxm")
    assert own.held_out == "model"
    assert alike.held_out == "device"
    assert own.on == H100
    assert "each device held out in turn" in repr(symbolic_llm.model("llama-3-8b", hardware="h200-sxm", stack=" VLLM"))


def test_the_command_says_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "llama-3-8b", "--hardware", "h100-sxm", "--stack", "vllm"]) == 0
    assert "decoding step, forecast with vLLM" in capsys.readouterr().out
    assert main(["model", "llama-3-8b", "--hardware", "h100-sxm", "--stack", "vllm", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["stack"]
    assert said == symbolic_llm.model("llama-3-8b", **ASKED).data()["stack"]
    assert main(["model", "llama-3-8b", "--stack", "vllm"]) == 2
    assert "give --hardware" in capsys.readouterr().err


def test_the_format_of_weights_picks_the_fit_and_is_said() -> None:
    eight = symbolic_llm.model("llama-3-8b", **ASKED, dtype="fp8", batch=8, context=2048)
    sixteen = symbolic_llm.model("llama-3-8b", **ASKED, batch=8, context=2048)
    told, other = eight.data()["stack"], sixteen.data()["stack"]
    assert (told["bits"], told["weights"], told["cache"], told["arithmetic"]) == (8, "fp8", "fp8", "fp8")
    assert (other["bits"], other["weights"], other["held_out"]) == (16, "fp16", "model")
    assert told["held_out"] == "length"
    assert told["step_time"]["most"] < other["step_time"]["least"]
    assert "batches of requests with weights in fp8, caches in fp8" in rows_of(eight)["stack_step_time"]["note"]
    assert symbolic_llm.model("llama-3.1-8b", **ASKED, dtype="fp8").data()["stack"]["letters"] == told["letters"]


def test_where_steps_were_measured_prompts_have_no_forecast() -> None:
    asked: dict[str, Any] = {"hardware": "strix-halo", "stack": "llama.cpp", "weights": "q8_0"}
    found = symbolic_llm.model("qwen3-32b", **asked, prompt=100, new_tokens=10)
    told = found.data()["stack"]
    assert (told["measured"], told["rows_of_tiles"], told["bits"]) == ("steps", 1, 8)
    assert "measured steps with weights in q8_0" in rows_of(found)["stack_step_time"]["note"]
    reason = "prompts of llama.cpp on AMD Ryzen AI Max+ 395 (Strix Halo) were not measured"
    assert rows_of(found)["stack_request_time"]["note"] == reason
    step: dict[str, Any] = {"model": "qwen3-32b", "dtype": "fp16", "B": 1, "N": 100}
    assert symbolic_llm.evaluate("separate_latency", **asked, **step).rows == told["rows"]
    with pytest.raises(SymbolicLLMError, match=re.escape(reason)):
        symbolic_llm.evaluate("separate_prefill_time", **asked, **step)


SERVER: dict[str, Any] = {"model": "deepseek-r1", "weights": "fp8", "dtype": "fp8", "cache": "bf16", "stack": "sglang"}
ASKED_OF_IT = {name: value for name, value in SERVER.items() if name != "model"}


def test_several_devices_that_share_a_model_have_a_forecast() -> None:
    found = symbolic_llm.model(SERVER["model"], **ASKED_OF_IT, hardware="b200-sxm", tensor=8, batch=16, context=2048)
    told, row = found.data()["stack"], rows_of(found)["stack_step_time"]
    assert row["section"] == "8 devices: tensor 8, pipeline 1, data 1"
    assert (told["on"], told["measured"], told["bits"]) == ("8 × NVIDIA B200 SXM", "tokens of a server", 8)
    assert told["median_error"] < 0.08
    asked = {**SERVER, "hardware": "b200-sxm", "n_tensor": 8, "B": 16, "N": 2048}
    same = symbolic_llm.evaluate("separate_tensor_parallel_latency", **asked)
    assert told["step_time"] == {"least": same.least, "most": same.most}
    fit = next(fit for fit in stack_fits() if fit.stack == "SGLang" and "b200-sxm" in fit.devices)
    assert same.interval == fit.interval(fit.letters["T_overhead"] + same.explanation.exact)
    assert same.rows_of_tiles == 1  # since its heads share what they read


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"n_tensor": 4}, "on 4 × NVIDIA B200 SXM were measured; there are enough on 8 × NVIDIA B200 SXM"),
        ({"cache": "fp8"}, "with weights in fp8 were measured with caches in fp16 and arithmetic in fp8 alone"),
        ({"weights": None}, "with weights in one format alone; name it by weights"),
        ({"model": "qwen3-235b-a22b", "n_tensor": 4}, "on 4 × NVIDIA B200 SXM were measured"),
        ({"model": "glm-4.5"}, "were measured with deepseek-r1 alone"),
    ],
)
def test_other_servers_have_none(asked: dict[str, Any], reason: str) -> None:
    asked = {**SERVER, "hardware": "b200-sxm", "n_tensor": 8, "B": 16, "N": 2048, **asked}
    with pytest.raises(SymbolicLLMError, match=re.escape(reason)):
        symbolic_llm.evaluate("separate_tensor_parallel_latency", **asked)


def test_the_fixed_time_is_of_every_pass() -> None:
    """The twin: without the passes of prompts, lengths of other prompts are forecast worse on the server."""
    of_server = (one for one in stacks.groups(stack_batches.measured()) if one.framework == "sglang")
    known = next(one for one in of_server if one.presets == ("b200-sxm",) and one.enough)
    assert (known.rows[stack_batches.PASSES] > 1).all()
    alone = replace(known, rows=known.rows.beside(**{stack_batches.PASSES: numpy.ones(len(known.rows))}))
    assert median_error(known) < median_error(alone) - 0.03


def test_models_with_experts_have_fits_of_their_own() -> None:
    asked: dict[str, Any] = {"hardware": "m2-ultra", "stack": "llama.cpp", "weights": "q8_0"}
    dense = symbolic_llm.model("qwen2.5-7b", **asked).data()["stack"]
    experts = symbolic_llm.model("qwen3-coder-30b-a3b", **asked).data()["stack"]
    assert dense["models"] == ["qwen2.5-7b"]
    assert experts["models"] == ["glm-4.7-flash", "qwen3-coder-30b-a3b"]
    note = rows_of(symbolic_llm.model("qwen3-coder-30b-a3b", **asked))["stack_step_time"]["note"]
    assert "and only glm-4.7-flash and qwen3-coder-30b-a3b were measured" in note


# What `evaluate` says


STEP: dict[str, Any] = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "bf16", "B": 8, "N": 2048}


def test_evaluate_forecasts_what_the_report_does() -> None:
    """The interval of a step is one, whoever is asked; that of a prefill is the law's at what is reached."""
    asked = {**STEP, "model": "qwen2.5-7b"}  # whose attention computes longer than it reads
    found = symbolic_llm.evaluate("separate_latency", **asked, stack="vLLM")
    report = symbolic_llm.model("qwen2.5-7b", **ASKED, dtype="bf16", batch=8, context=2048).data()["stack"]
    flat = symbolic_llm.evaluate(
        "separate_latency", **asked, C_seq=found.explanation.given.numbers()[C_seq] / 16, stack="vllm"
    )
    assert flat.most < found.most
    assert {"least": found.least, "most": found.most} == report["step_time"]
    assert {name: value for name, (value, *_) in found.letters.items()} == {
        name: letter["value"] for name, letter in report["letters"].items()
    }
    assert (found.rows, found.data()["rows"], str(found.unit)) == (report["rows"], report["rows"], "second")
    prefill = symbolic_llm.evaluate("separate_prefill_time", **STEP, stack="vllm")
    fit = fit_of("vLLM", "h100-sxm")
    taken = fit.letters["T_overhead"] + prefill.explanation.exact
    assert prefill.interval[0] / fit.low == prefill.interval[1] / fit.high == taken
    assert prefill.rows_of_tiles == 1  # since a prompt fills the tiles


def test_the_letters_of_a_forecast_have_source_and_range() -> None:
    found = symbolic_llm.evaluate("separate_latency", **STEP, stack="vllm")
    fit = fit_of("vLLM", "h100-sxm")
    for name, (value, least, most) in found.letters.items():
        assert least <= value <= most
        assert any(line.startswith(f"{name} = ") and fit.source in line for line in found.lines)
    reached = {line.split(" = ")[0].strip(): line for line in found.explanation.inputs}
    assert "U_memory = 0.85 of it with vLLM, 0.8 to 1" in reached["W"]
    assert "U_compute = " in reached["F"]
    assert f"8 in 10 of {fit.rows} measured batches" in repr(found)
    assert "none beyond" in repr(symbolic_llm.evaluate("separate_latency", **{**STEP, "N": 8192}, stack="vllm"))


@pytest.mark.parametrize("letter", ["T_overhead", "U_memory", "U_compute"])
def test_a_letter_that_is_off_moves_the_forecast(letter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: each letter enters."""
    asked = {**STEP, "B": 64, "N": 100}
    before = symbolic_llm.evaluate("separate_latency", **asked, stack="vllm")
    fit = fit_of("vLLM", "h100-sxm")
    other = replace(fit, letters={**fit.letters, letter: fit.letters[letter] / 2})
    monkeypatch.setattr(stack_forecast, "fits_of", lambda *_: [other])
    after = symbolic_llm.evaluate("separate_latency", **asked, stack="vllm")
    assert after.most < before.most if letter == "T_overhead" else after.most > before.most


@pytest.mark.parametrize(
    ("name", "asked", "reason"),
    [
        ("kv_bytes_total", {}, "kv_bytes_total has no letter that a stack touches (W, F, T_overhead)"),
        ("latency_with_cache", {}, "is not a law that the letters of stacks were fitted to; leave stack out, or ask"),
        ("memory_bound_batches", {}, "is not a law that the letters of stacks were fitted to"),
        ("separate_latency", {"hardware": None}, "a stack is measured on a device: give hardware."),
        ("separate_latency", {"W": "1 TB/s"}, "leave W out, or stack."),
        ("separate_latency", {"B": 5000}, "were measured up to 64 sequences."),
        ("separate_latency", {"hardware": "l40s"}, "too few batches of vLLM in 16 bits on NVIDIA L40S were measured"),
        ("separate_latency", {"model": "mixtral-8x7b"}, "with models without experts alone."),
        ("separate_latency", {"dtype": None}, "were measured in known number formats: give dtype."),
        ("separate_latency", {"stack": "vlm"}, "did you mean vllm?"),
        ("separate_latency", {"stack": 3}, "stack must be the name of a program"),
        ("separate_latency", {"zz": 3}, "there is no letter 'zz'"),
    ],
)
def test_a_formula_without_a_forecast_is_refused(name: str, asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(SymbolicLLMError, match=re.escape(reason)):
        symbolic_llm.evaluate(name, **{**STEP, "stack": "vllm", **asked})
