"""Results of benchmarks: each figure beside the bound of the catalogue, planted faults named, hostile files refused"""

from __future__ import annotations

import copy
import csv
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_llm import evaluate
from symbolic_llm.answers.one_sided import bound
from symbolic_llm.audit.results import Audited, Outcome, Reached, Term, audit_results, read_results
from symbolic_llm.audit.results.figure import Given
from symbolic_llm.audit.results.known_names import hardware_named, model_counted, model_named
from symbolic_llm.audit.results.limits import Limits
from symbolic_llm.catalogue.named import latency_with_cache
from symbolic_llm.cli import main
from symbolic_llm.cli.parsing import typed
from symbolic_llm.errors import InvalidValue, SymbolicLLMError, options_written
from symbolic_llm.presets import hardware, model

DATA = Path(__file__).parent / "data" / "results"
ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "audit" / "results.md").read_text(encoding="utf-8")
H100: dict[str, Any] = {"hardware": "h100-sxm", "dtype": "bf16"}
LATENCY: dict[str, Any] = {"model": "llama-3-8b", **H100, "prompt": 1000, "output": 100, "batch": 8}
THROUGHPUT: dict[str, Any] = {"model": "llama-3-8b", **H100, "output": 256}
FILES: dict[str, dict[str, Any]] = {
    "llama-bench.json": {},
    "llama-bench.csv": {},
    "vllm-serve.json": H100,
    "vllm-latency.json": LATENCY,
    "vllm-throughput.json": THROUGHPUT,
    "sglang.jsonl": H100,
    "guidellm.json": {**H100, "devices": 4},
}


def records(name: str) -> list[Any]:
    """Records of a made file, to be changed."""
    text = (DATA / name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    found = json.loads(text)
    return found if isinstance(found, list) else [found]


def audited(tmp_path: Path, changed: Any, **options: Any) -> list[Audited]:
    """Verdicts on a file with these records."""
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    return [*audit_results(path, **options)]


def one(runs: list[Audited], name: str) -> Outcome:
    """The outcome of a figure of the first run that has it."""
    return next(found for run in runs for found in run.outcomes if found.figure.name == name)


# Each format


@pytest.mark.parametrize("name", FILES)
def test_every_figure_of_a_made_file_is_below_its_bound(name: str) -> None:
    """Each is slower than the bound, or is said to be no figure that can be judged; some are judged."""
    found = [outcome for run in audit_results(DATA / name, **FILES[name]) for outcome in run.outcomes]
    judged = [one for one in found if one.verdict is not Reached.OPEN]
    assert judged
    assert {one.verdict for one in judged} == {Reached.BELOW}
    assert all(one.reason for one in found if one.verdict is Reached.OPEN)


def test_three_forms_of_llama_bench_say_the_same(tmp_path: Path) -> None:
    """JSON, a line for each record, and CSV."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in records("llama-bench.json")), encoding="utf-8")
    said = [
        [(one.figure.name, one.value, one.sentence) for run in audit_results(path) for one in run.outcomes]
        for path in (DATA / "llama-bench.json", DATA / "llama-bench.csv", rows)
    ]
    assert said[0] == said[1] == said[2]
    assert [name for name, _, _ in said[0]] == ["pp512", "tg128", "tg128 @ d32768"]


# Bounds are those of the catalogue


@pytest.mark.parametrize("name", ["llama-2-7b", "mistral-7b-v0.1", "qwen3-30b-a3b", "deepseek-v3", "qwen3.5-27b"])
def test_the_least_time_of_a_step_is_the_law(name: str, tmp_path: Path) -> None:
    """A decoded token behind a depth takes what latency_with_cache says."""
    row = records("llama-bench.json")[1] | {"n_gen": 1, "n_depth": 999, "avg_ts": 1.0}
    options: dict[str, Any] = {
        "model": name,
        "weights": "fp16",
        "cache": "fp16",
        "dtype": "fp16",
        "hardware": "a100-80gb-sxm",
    }
    outcome = one(audited(tmp_path, [row], **options), "tg1 @ d999")
    asked = {**options, "N": 1000, "B": 1}
    assert float(1 / (outcome.bound or 1)) == pytest.approx(evaluate("latency_with_cache", **asked), rel=1e-12)


def test_the_mean_of_many_steps_is_the_law(tmp_path: Path) -> None:
    """Between the first and the last context, as time_per_output_token has it."""
    options: dict[str, Any] = {"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16"}
    row = records("llama-bench.json")[1] | {"n_gen": 500, "n_depth": 500}
    outcome = one(audited(tmp_path, [row], **options, weights="fp16", cache="fp16"), "tg500 @ d500")
    law = evaluate("time_per_output_token", N=500, n_new=500, B=1, **options)
    assert float(1 / (outcome.bound or 1)) == pytest.approx(law, rel=1e-12)


def test_a_prompt_takes_no_more_than_the_law(tmp_path: Path) -> None:
    """Masked scores and logits are left out, as in the law of a served prompt; and a depth adds scores."""
    options: dict[str, Any] = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "bf16"}
    limits = Limits(model("llama-3-8b"), hardware("h100-sxm"), dtype="bf16", weights="bf16", cache="bf16")
    time = limits.prompt_time(4096)
    assert time is not None
    peak = evaluate("prefill_time_with_attention", N=4096, B=1, **options)
    assert float(time) == pytest.approx(peak, rel=1e-12)
    behind = limits.prompt_time(4096, 4096)
    assert behind is not None
    assert time < behind < 2 * time


def test_a_server_answers_no_faster_than_the_law(tmp_path: Path) -> None:
    """Of equal requests that all run at once: prompts cost something too."""
    runs = [*audit_results(DATA / "sglang.jsonl", **H100)]
    law = evaluate("throughput_with_cache", model="qwen3-8b", N=1025, B=32, **H100)
    assert law * 0.5 < float(one(runs, "output_throughput").bound or 0) < law


def test_without_a_peak_the_bound_is_the_one_sided_one(tmp_path: Path) -> None:
    """No peak makes a step shorter than reading takes; and it is said that arithmetic bounds nothing."""
    row = records("llama-bench.json")[1] | {"n_gen": 1, "n_depth": 99}
    (run,) = audited(tmp_path, [row], hardware="m4-pro")
    limits = Limits(run.model, run.machine, dtype=None, weights="q4_k_m", cache="fp16")
    least = bound(latency_with_cache, {"N": 100, "B": 1}, limits.presets)
    assert least is not None
    assert (least.sign, 1 / least.value) == ("≥", run.outcomes[0].bound)
    assert any("peak of Apple M4 Pro is not known" in remark for remark in run.remarks)


def test_of_experts_only_those_of_one_token_are_read(tmp_path: Path) -> None:
    """A server's tokens may all choose the same ones."""
    sglang = records("sglang.jsonl")[0] | {"server_info": {"model_path": "Qwen/Qwen3-30B-A3B"}}
    many = one(audited(tmp_path, [sglang], **H100), "output_throughput")
    one_token = evaluate("memory_time", model="qwen3-30b-a3b", B=1, **H100)
    assert many.times is not None
    assert float(many.times.weights or 0) == pytest.approx(320 * 255 / 32 * one_token, rel=1e-12)


# Faults that are planted


def lb(row: int, **changed: Any) -> Callable[[], Any]:
    """A row of llama-bench with other fields."""
    return lambda: [records("llama-bench.json")[row] | changed]


def of(name: str, **changed: Any) -> Callable[[], Any]:
    """The first record of a file with other fields."""
    return lambda: [records(name)[0] | changed]


def guide(**means: float) -> Callable[[], Any]:
    """The report of GuideLLM with other means."""

    def changed() -> Any:
        (report,) = records("guidellm.json")
        for name, mean in means.items():
            report["benchmarks"][0]["metrics"][name]["successful"]["mean"] = mean
        return [report]

    return changed


PREFIX, DRAFTS, ON_CHIP = "prefix cache", "speculative decoding", "cache on the chip"
FAULTS: list[tuple[str, Callable[[], Any], dict[str, Any], list[Term], list[str]]] = [
    ("tg128", lb(1, avg_ts=400.0), {}, [Term.WEIGHTS], []),
    ("tg128 @ d32768", lb(2, avg_ts=200.0), {}, [Term.CACHE], []),
    ("tg128 @ d32768", lb(2, avg_ts=231.0), {}, [Term.WEIGHTS], []),
    ("tg128", lb(1, avg_ts=1e6), {}, [Term.WEIGHTS, Term.ARITHMETIC], []),
    ("pp512", lb(0, avg_ts=60000.0), {}, [Term.ARITHMETIC], []),
    ("pp512", lb(0, avg_ts=1e6), {}, [Term.ARITHMETIC, Term.WEIGHTS], []),
    ("pp512 @ d65536", lb(0, avg_ts=30000.0, n_depth=65536), {}, [Term.ARITHMETIC], []),
    ("pp8192+tg2", lb(0, n_prompt=8192, n_gen=2, avg_ts=43500.0), {}, [], []),
    ("avg_latency", of("vllm-latency.json", avg_latency=0.3), LATENCY, [Term.WEIGHTS], [DRAFTS]),
    ("avg_latency", of("vllm-latency.json", avg_latency=0.05), LATENCY, [Term.WEIGHTS, Term.ARITHMETIC], []),
    ("tokens_per_second", of("vllm-throughput.json", tokens_per_second=1e5), THROUGHPUT, [Term.ARITHMETIC], [PREFIX]),
    (
        "requests_per_second",
        of("vllm-throughput.json", requests_per_second=100),
        THROUGHPUT,
        [Term.ARITHMETIC],
        [PREFIX],
    ),
    ("mean_ttft_ms", of("vllm-serve.json", mean_ttft_ms=9.0), H100, [Term.ARITHMETIC], [PREFIX]),
    ("mean_ttft_ms", of("vllm-serve.json", mean_ttft_ms=4.0), H100, [Term.ARITHMETIC, Term.WEIGHTS], []),
    ("mean_tpot_ms", of("vllm-serve.json", mean_tpot_ms=4.0), H100, [Term.WEIGHTS], [DRAFTS]),
    ("mean_tpot_ms", of("vllm-serve.json", mean_tpot_ms=4.5), H100, [Term.CACHE], [DRAFTS]),
    ("mean_itl_ms", of("vllm-serve.json", mean_itl_ms=4.0), H100, [Term.WEIGHTS], []),
    ("mean_e2el_ms", of("vllm-serve.json", mean_e2el_ms=900.0), H100, [Term.WEIGHTS], [DRAFTS]),
    ("output_throughput", of("vllm-serve.json", output_throughput=5000.0), H100, [Term.WEIGHTS], [DRAFTS]),
    ("request_throughput", of("vllm-serve.json", request_throughput=60.0), H100, [Term.WEIGHTS, Term.ARITHMETIC], []),
    ("median_tpot_ms", of("sglang.jsonl", median_tpot_ms=4.0), H100, [Term.WEIGHTS], [DRAFTS]),
    ("total_throughput", of("sglang.jsonl", total_throughput=3e4), H100, [Term.CACHE], [DRAFTS]),
    ("input_throughput", of("sglang.jsonl", input_throughput=7e4), H100, [Term.WEIGHTS, Term.ARITHMETIC], []),
    ("inter_token_latency_ms", guide(inter_token_latency_ms=9.0), FILES["guidellm.json"], [Term.WEIGHTS], [DRAFTS]),
    ("time_to_first_token_ms", guide(time_to_first_token_ms=20.0), FILES["guidellm.json"], [Term.ARITHMETIC], [PREFIX]),
    ("time_per_output_token_ms", guide(time_per_output_token_ms=9.0), FILES["guidellm.json"], [Term.WEIGHTS], [DRAFTS]),
    ("request_latency", guide(request_latency=1.0), FILES["guidellm.json"], [Term.WEIGHTS], [DRAFTS]),
    (
        "output_tokens_per_second",
        guide(output_tokens_per_second=800.0),
        FILES["guidellm.json"],
        [Term.WEIGHTS],
        [DRAFTS],
    ),
]


@pytest.mark.parametrize(("name", "planted", "options", "broken", "unless"), FAULTS)
def test_a_figure_that_is_too_fast_is_impossible(
    name: str,
    planted: Callable[[], Any],
    options: dict[str, Any],
    broken: list[Term],
    unless: list[str],
    tmp_path: Path,
) -> None:
    """The term that does not fit is named, the longest first, and what would excuse it."""
    outcome = one(audited(tmp_path, planted(), **options), name)
    assert outcome.verdict is Reached.IMPOSSIBLE
    assert [*outcome.broken] == broken
    assert len(outcome.unless) == len(unless)
    assert all(said in found for said, found in zip(unless, outcome.unless, strict=True))
    assert all(term.value in outcome.sentence for term in broken)
    assert ("unless" in outcome.sentence) == bool(unless)


@pytest.mark.parametrize(
    ("share", "verdict"),
    [("1.0001", Reached.IMPOSSIBLE), ("1", Reached.NEAR), ("0.9001", Reached.NEAR), ("0.8999", Reached.BELOW)],
)
def test_verdicts_turn_where_they_say(share: str, verdict: Reached, tmp_path: Path) -> None:
    """At the bound, and at nine tenths of it."""
    for row, binds in ((0, False), (1, True)):
        plain = audited(tmp_path, lb(row)())[0].outcomes[0]
        value = float((plain.bound or 0) * Fraction(share)) * (1 - 1e-12)
        found = audited(tmp_path, lb(row, avg_ts=value)())[0].outcomes[0]
        assert (found.verdict, found.memory_binds) == (verdict, binds)
        if verdict is not Reached.IMPOSSIBLE:
            assert f"{'memory' if binds else 'arithmetic'} binds" in found.sentence


def test_a_bound_without_weights_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of the planted faults: limits that forget a term name it no more."""
    monkeypatch.setattr(Limits, "weights_time", lambda self: Fraction(0))
    outcome = one(audited(tmp_path, lb(1, avg_ts=400.0)()), "tg128")
    assert Term.WEIGHTS not in outcome.broken


def test_drafted_tokens_are_taken_into_account(tmp_path: Path) -> None:
    """A file that says how many tokens came from a step can be faster by so much and no more."""
    serve = records("vllm-serve.json")[0] | {"mean_tpot_ms": 2.0}
    (plain,) = audited(tmp_path, [serve], **H100)
    (drafted,) = audited(tmp_path, [serve | {"spec_decode_acceptance_length": 3.0}], **H100)
    (few,) = audited(tmp_path, [serve | {"spec_decode_acceptance_length": 2.0}], **H100)
    verdicts = [one([run], "mean_tpot_ms").verdict for run in (plain, drafted, few)]
    assert verdicts == [Reached.IMPOSSIBLE, Reached.BELOW, Reached.IMPOSSIBLE]
    assert one([few], "mean_tpot_ms").unless == ()


def test_a_small_model_may_stay_on_the_chip(tmp_path: Path) -> None:
    """Then its weights are not read from memory each time."""
    row = records("llama-bench.json")[1] | {"avg_ts": 1e4, "model_size": 251000000, "model_n_params": 124439808}
    outcome = one(audited(tmp_path, [row]), "tg128")
    assert (outcome.verdict, outcome.broken) == (Reached.IMPOSSIBLE, (Term.WEIGHTS,))
    assert ON_CHIP in outcome.unless[0]


def test_lengths_that_differ_are_not_taken_for_their_mean(tmp_path: Path) -> None:
    """With the length of each request the cache is counted; without, only what each has written itself."""
    serve = records("vllm-serve.json")[0]
    each = {"input_lens": [24] * 100 + [2024] * 100, "output_lens": [12] * 100 + [500] * 100}
    caches = []
    for lens in ({}, each, {"input_lens": [1024] * 200, "output_lens": [256] * 200}):
        times = one(audited(tmp_path, [serve | lens], **H100), "output_throughput").times
        assert times is not None
        caches.append(times.cache or Fraction(0))
    assert caches[0] < caches[2] < caches[1]
    equal = audited(tmp_path, [serve | {"input_lens": [1024] * 200, "output_lens": [256] * 200}], **H100)
    assert one(equal, "p99_ttft_ms").verdict is Reached.BELOW


def test_devices_with_layers_each_do_not_speed_up_one_sequence(tmp_path: Path) -> None:
    """A prompt goes through them in pieces, a decoded token from one to the next."""
    two = {"gpu_info": "NVIDIA GeForce RTX 4090, NVIDIA GeForce RTX 4090"}
    bounds = {
        (row, *changed.values()): audited(tmp_path, lb(row, **changed)())[0].outcomes[0].bound or Fraction(0)
        for row in (0, 1)
        for changed in ({}, two, two | {"split_mode": "row"}, two | {"split_mode": "none"})
    }
    assert [float(one / bounds[(row,)]) for row in (0, 1) for one in [bounds[(row, *two.values())]]] == [2, 1]
    assert [float(bounds[(row, *two.values(), "row")] / bounds[(row,)]) for row in (0, 1)] == [2, 2]
    assert [float(bounds[(row, *two.values(), "none")] / bounds[(row,)]) for row in (0, 1)] == [1, 1]


# Names


@pytest.mark.parametrize(
    ("printed", "known"),
    [
        ("NVIDIA GeForce RTX 4090", ("rtx-4090",)),
        ("NVIDIA A100-SXM4-80GB", ("a100-80gb-sxm",)),
        ("NVIDIA A100 80GB PCIe", ("a100-80gb-pcie",)),
        ("NVIDIA H100 80GB HBM3", ("h100-sxm",)),
        ("Tesla T4", ("t4",)),
        ("Apple M2 Max", ("m2-max",)),
        ("AMD Radeon RX 7900 XTX (RADV NAVI31)", ("rx-7900-xtx",)),
        ("Apple M4 Max", ("m4-max-32", "m4-max-40")),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", ()),
        ("NVIDIA GeForce RTX 4080 SUPER", ()),
        ("NVIDIA A100", ()),
        ("AMD Instinct MI250X", ()),
        ("Apple", ()),
        ("", ()),
    ],
)
def test_devices_by_what_drivers_call_them(printed: str, known: tuple[str, ...]) -> None:
    """A laptop's chip is another one, and half a name is none: nothing is guessed."""
    assert hardware_named(printed) == known


@pytest.mark.parametrize(
    ("printed", "known"),
    [
        ("meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b"),
        ("/models/Llama-3.3-70B-Instruct/", "llama-3-70b"),
        ("Qwen/Qwen3-8B", "qwen3-8b"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-v3"),
        ("mistralai/Mistral-7B-Instruct-v0.3", None),
        ("Qwen/Qwen3-8B-AWQ", None),
        ("Qwen/Qwen3-8", None),
        ("", None),
        ("../../etc/passwd", None),
    ],
)
def test_models_by_what_repositories_call_them(printed: str, known: str | None) -> None:
    """Not those of other bytes, nor parts of a name."""
    assert model_named(printed) == known


def test_models_by_their_weights() -> None:
    """A few numbers more are factors of positions; others are another model."""
    assert model_counted(8030261248) == model_counted(8030261312) == "llama-3-8b"
    assert model_counted(8030361248) is None
    assert model_counted(6738415616) in ("llama-7b", "llama-2-7b")


ASKED = [
    ("llama-bench.json", {"model_n_params": 7615000000}, {}, "qwen2 7B Q4_K - Medium, is no preset: give --model"),
    ("llama-bench.json", {"gpu_info": "NVIDIA TITAN V"}, {}, "TITAN V, is no preset: give --hardware"),
    ("llama-bench.json", {"gpu_info": "Apple M4 Max"}, {}, "give --hardware, m4-max-32 or m4-max-40"),
    ("llama-bench.json", {"type_k": "iq4_nl"}, {}, "give --cache"),
    ("llama-bench.json", {"model_size": None}, {}, "give --dtype"),
    ("vllm-serve.json", {}, {"dtype": "bf16"}, "it does not name its machine: give --hardware"),
    ("vllm-serve.json", {}, {"hardware": "a10"}, "give --dtype"),
    ("vllm-serve.json", {"model_id": None}, H100, "it does not name its model: give --model"),
    ("vllm-serve.json", {"model_id": "Qwen/Qwen3-8B-AWQ"}, H100, "is no preset: give --model"),
    ("vllm-serve.json", {}, {**H100, "prompt": 5}, "--prompt, --output and --batch do not apply"),
    ("vllm-serve.json", {}, {**H100, "devices": 0}, "devices must be a whole number"),
    ("vllm-latency.json", {}, H100, "give --prompt, --output, --batch"),
    ("vllm-latency.json", {}, {**LATENCY, "prompt": "-3"}, "prompt"),
    ("vllm-throughput.json", {}, {**THROUGHPUT, "output": 1280}, "leaves no prompt"),
    ("vllm-serve.json", {}, {**H100, "model": "lama"}, "there is no model 'lama'"),
    ("vllm-serve.json", {}, {**H100, "dtype": "q4_0"}, "storage format"),
    ("vllm-serve.json", {}, {**H100, "widht": 3}, "there is no option 'widht'"),
]


@pytest.mark.parametrize(("name", "changed", "options", "said"), ASKED)
def test_what_is_not_known_is_asked_for(
    name: str, changed: dict[str, Any], options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """In one sentence with the option."""
    with options_written(typed), pytest.raises(SymbolicLLMError, match=re.escape(said)) as raised:
        audited(tmp_path, [records(name)[0] | changed], **options)
    assert "\n" not in str(raised.value)
    with pytest.raises(SymbolicLLMError) as raised:
        audited(tmp_path, [records(name)[0] | changed], **options)
    assert " --" not in str(raised.value).replace("as the run had --input-len, --output-len and --batch-size", "")


def test_options_go_before_the_file(tmp_path: Path) -> None:
    """And where they contradict it, that is said."""
    (run,) = audited(tmp_path, lb(1)(), model="llama-3-8b", hardware="a10", weights="fp16", cache="q8_0", dtype="fp16")
    assert (run.model.name, run.machine.name) == ("llama-3-8b", "a10")
    assert run.formats == "weights in fp16, cache in q8_0, arithmetic in fp16"
    assert run.remarks == ("the file has 7,615,616,512 weights, and Llama 3 8B has 8,030,261,248 weights",)


def test_bytes_of_a_file_that_is_no_mixture_known_here_are_taken_as_their_mean(tmp_path: Path) -> None:
    """For a file whose bytes do not agree with the mixture it names."""
    (run,) = audited(tmp_path, lb(1, model_size=5677120000)())
    assert "0.7455 B each, the mean of the file" in run.formats


def test_a_mean_of_a_file_may_be_that_of_weights_that_are_not_read(tmp_path: Path) -> None:
    """A little above the bound it is an excuse, and further above it is none; nor is it where all formats are known."""
    for size, unless in ((4677120000, 0), (5677120000, 1)):
        plain = audited(tmp_path, lb(1, model_size=size)())[0].outcomes[0]
        for share, excuses in ((1.01, unless), (2.0, 0)):
            fast = lb(1, model_size=size, avg_ts=float(plain.bound or 0) * share)()
            found = audited(tmp_path, fast)[0].outcomes[0]
            assert (found.verdict, len(found.unless)) == (Reached.IMPOSSIBLE, excuses)


def test_what_runs_beside_the_device_is_said(tmp_path: Path) -> None:
    """Layers, experts or the cache on the CPU; a model that does not fit."""
    fields = {"n_gpu_layers": 20, "n_cpu_moe": 3, "no_kv_offload": True}
    (run,) = audited(tmp_path, lb(1, **fields)(), hardware="raspberry-pi-4")
    assert [
        word
        for word in ("20 layers", "3 layers", "the cache was kept", "more than the memory")
        if any(word in remark for remark in run.remarks)
    ] == ["20 layers", "3 layers", "the cache was kept", "more than the memory"]


def test_figures_that_contradict_each_other_are_said(tmp_path: Path) -> None:
    """A rate and the time it was taken from; none in the made files."""
    assert not any(
        "one of them is wrong" in remark
        for name in FILES
        for run in audit_results(DATA / name, **FILES[name])
        for remark in run.remarks
    )
    (bench,) = audited(tmp_path, lb(1, avg_ns=457142857)())
    (serve,) = audited(tmp_path, of("vllm-serve.json", request_throughput=8.0)(), **H100)
    assert bench.remarks == ("by avg_ts it took 914.3 ms, and avg_ns says 457.1 ms: one of them is wrong",)
    assert serve.remarks == ("by request_throughput it took 25 s, and duration says 50 s: one of them is wrong",)


# Hostile files

REFUSED = [
    ("", "no header and no object"),
    ("nonsense", "no header and no object"),
    ("[]", "has no results"),
    ("{}", "no file of results that is known here"),
    ("[1, 2]", "something in its list that is no result"),
    ("[[[]]]", "something in its list that is no result"),
    ('[{"avg_ts": 1, "n_prompt": 5', "neither JSON nor CSV"),
    ('{"benchmarks": []}', "has no results"),
    ('{"benchmarks": 5}', "no file of results that is known here"),
    ('{"benchmarks": [{"metrics": 5}]}', "it does not name its model"),
    ("[" * 100_000, "nested too deeply"),
    ('{"avg_ts": ' + "[" * 100_000, "nested too deeply"),
    ('{"avg_ts": 1' + "0" * 5000 + "}", "a number is too long"),
    ('{"n_prompt": 1, "avg_ts": 1}\n{"n_prompt"', "line 2"),
    ('{"a": 1}\n' * 1001, "at most 1,000"),
    ("a,b\n1,2\n", "no file of results that is known here"),
    ('avg_ts,n_prompt\n"1,2', "neither JSON nor CSV"),
    ('"' + "x" * 200_000 + '",b\n1,2', "neither JSON nor CSV"),
    ("\ufeff[]", "has no results"),
    ("null", "no header and no object"),
    ('{"benchmarks": [' + '{"metrics": {}},' * 1000 + '{"metrics": {}}]}', "1,001 benchmarks"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_file_that_is_none_gets_one_sentence(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, with exit code 2."""
    path = tmp_path / "run.json"
    path.write_text(text, encoding="utf-8")
    assert main(["audit", str(path)]) == 2
    found = capsys.readouterr()
    assert said in found.err
    assert (found.out, found.err.count("\n")) == ("", 1)


def test_a_file_of_a_hundred_megabytes_is_not_read(tmp_path: Path) -> None:
    """Nor one that is no text, nor a folder."""
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(100 * 2**20)
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe{}")
    for path, said in ((large, "larger than 32 MiB"), (binary, "not text"), (tmp_path, "directory")):
        with pytest.raises(InvalidValue, match=said):
            read_results(path)


def test_what_is_repeated_a_thousand_times_is_bounded(tmp_path: Path) -> None:
    """Percentiles, and lengths of requests."""
    serve = records("vllm-serve.json")[0]
    many = {f"p{one / 100}_ttft_ms": 1.0 for one in range(1, 2000)}
    assert len(read_results_of(tmp_path, serve | many)) < 250
    long = {"input_lens": [1024] * 2**18, "output_lens": [256] * 2**18}
    assert one(audited(tmp_path, [serve | long], **H100), "p99_ttft_ms").verdict is Reached.OPEN


def read_results_of(tmp_path: Path, record: Any) -> tuple[Any, ...]:
    """Figures of a record."""
    path = tmp_path / "one.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    (run,) = read_results(path)
    return run.figures


JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    1e308,
    1e-308,
    10**30,
    10**17,
    float("nan"),
    float("inf"),
    "",
    "x" * 999,
    [],
    {},
    [[{}]],
    "1e9",
]


@settings(max_examples=25)
@given(st.data())
def test_no_field_brings_it_down(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in a field: a verdict for each figure, or one sentence."""
    name = data.draw(st.sampled_from([name for name in FILES if not name.endswith(".csv")]))
    changed = copy.deepcopy(records(name))
    for _ in range(data.draw(st.integers(1, 4))):
        inside: Any = changed[0]
        keys = list(inside)
        while True:
            key = data.draw(st.sampled_from(keys))
            within = inside[key] if isinstance(inside[key], dict | list) and inside[key] else None
            if within is None or data.draw(st.booleans()):
                inside[key] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
                break
            inside, keys = within, list(range(len(within))) if isinstance(within, list) else list(within)
    path = tmp_path_factory.getbasetemp() / "junk.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    try:
        said = [outcome.sentence for run in audit_results(path, **FILES[name]) for outcome in run.outcomes]
    except SymbolicLLMError as error:
        said = [str(error)]
    assert all(sentence and "\n" not in sentence for sentence in said)


def test_a_value_that_is_no_number_is_not_judged(tmp_path: Path) -> None:
    """And it is said what stands there."""
    for junk, said in ((float("nan"), "nan"), (-3, "-3"), ("fast", "'fast'"), (None, "None"), ([1], "list")):
        (outcome,) = audited(tmp_path, lb(1, avg_ts=junk)())[0].outcomes
        assert (outcome.verdict, outcome.sentence) == (Reached.OPEN, f"{said} is not a positive number")


# The command and the page


def test_the_command_answers_in_both_forms(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Exit code 1 for what is impossible; the heading of several runs stands once."""
    rows = records("llama-bench.json")
    rows[1]["avg_ts"] = 400.0
    path = tmp_path / "run.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert main(["audit", str(path)]) == 1
    text = capsys.readouterr().out
    assert text.count("Qwen 2.5 7B on NVIDIA GeForce RTX 4090") == 1
    assert "3 figures: 2 below the bound, 1 impossible" in text
    assert main(["audit", str(path), "--json", "--verdict", "impossible"]) == 1
    data = json.loads(capsys.readouterr().out)
    found = [figure for run in data["results"] for figure in run["figures"]]
    assert [(one["name"], one["broken"], one["binds"]) for one in found] == [("tg128", ["weights read"], "memory")]
    assert (data["claims"], data["counts"]) == ([], {"impossible": 1})


def test_claims_and_results_go_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each counted for itself; and options of results need results."""
    claims = tmp_path / "mine.toml"
    claims.write_text(
        'title = "Mine"\n[[claim]]\nid = "one"\nplace = "here"\nsays = "one"\nprinted = "2"\nvalue = "1 + 1"\n',
        encoding="utf-8",
    )
    assert main(["audit", str(claims), str(DATA / "llama-bench.csv")]) == 0
    text = capsys.readouterr().out
    assert "1 claim: 1 reproduced" in text
    assert "3 figures: 3 below the bound" in text
    assert main(["audit", str(claims), "--model", "llama-3-8b"]) == 2
    assert "--model is for files of results" in capsys.readouterr().err


def test_names_out_of_a_file_move_no_cursor(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Whatever a file calls its model."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps([records("llama-bench.json")[1] | {"model_type": "\x1b[2J", "model_n_params": 5}]))
    assert main(["audit", str(path)]) == 2
    assert "\x1b" not in capsys.readouterr().err


SHOWN = dict(re.findall(r'```\w+ title="([\w.-]+)"\n(.*?)```', PAGE, re.DOTALL))
RUN = re.findall(r"```console\n\$ symbolic-llm (.*?)\n(.*?)\$ echo \$\?\n(\d)\n```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("command", "printed", "code"), RUN, ids=range(len(RUN)))
def test_the_page_shows_what_happens(
    command: str, printed: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Each command on it, with its output and its exit code."""
    monkeypatch.chdir(tmp_path)
    for name, text in SHOWN.items():
        Path(name).write_text(text, encoding="utf-8")
    assert main(command.split()) == int(code)
    found = capsys.readouterr()
    assert [line.rstrip() for line in (found.out + found.err).splitlines()] == printed.splitlines()


def test_the_page_shows_python_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """On a file that it shows, and it shows commands of each exit code."""
    monkeypatch.chdir(tmp_path)
    for name, text in SHOWN.items():
        Path(name).write_text(text, encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert "impossible" in capsys.readouterr().out
    assert {code for _, _, code in RUN} == {"0", "1", "2"}


def test_the_page_names_every_verdict_and_term() -> None:
    """With their meanings."""
    for verdict in Reached:
        assert f"| {verdict.value} | {verdict.meaning} |" in PAGE
    assert all(f"**{term.value}**" in PAGE for term in Term)


def test_made_files_are_what_programs_write() -> None:
    """The CSV has the fields of the JSON, and a run says of which program it is."""
    with (DATA / "llama-bench.csv").open(encoding="utf-8") as file:
        header = next(csv.reader(file))
    assert {*header} <= records("llama-bench.json")[0].keys()
    programs = {
        run.program
        for name in FILES
        for run in read_results(
            DATA / name, Given(prompt=8, output=8, batch=1) if name == "vllm-latency.json" else Given()
        )
    }
    assert programs == {
        "llama-bench",
        "vllm bench serve",
        "vllm bench latency",
        "vllm bench throughput",
        "SGLang bench_serving",
        "GuideLLM",
    }
