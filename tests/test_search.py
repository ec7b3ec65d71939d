"""Formulas found by the words that people use: in Python, in a terminal, wherever a formula is named"""

from __future__ import annotations

import json
from collections import Counter

import pytest

import symbolic_llm
from symbolic_llm import catalogue, errors, explain, find, glossary
from symbolic_llm.cli import main, mcp
from symbolic_llm.notation import LETTERS
from symbolic_llm.pages.formula_page import About
from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.search import MOST, meant

# What an engineer types, and a formula that has to be among the first three
ASKED = {
    "time to first token": "prefill_time_with_attention",
    "first token latency": "prefill_time_with_attention",
    "TPOT": "latency_with_cache",
    "ITL": "latency_with_cache",
    "tok/s": "throughput_with_cache",
    "tokens per second": "throughput_with_cache",
    "KV cache size": "kv_bytes_total",
    "kv cache per token": "kv_bytes_per_token",
    "GQA": "kv_bytes_per_token",
    "PagedAttention": "paged_cache_bytes",
    "KV block size": "paged_cache_bytes",
    "MLA cache": "latent_kv_bytes_per_token",
    "sliding window cache": "windowed_context_bytes",
    "how much memory does a model need": "footprint",
    "parameter count": "total_parameters",
    "MoE parameters": "mixtral_parameters",
    "experts used in a batch": "distinct_experts",
    "critical batch size": "batch_crossover",
    "compute bound or memory bound": "memory_bound_batches_with_cache",
    "roofline": "attainable_flops",
    "machine balance": "ridge_point",
    "arithmetic intensity of attention": "attention_intensity",
    "flash attention traffic": "tiled_attention_traffic",
    "MFU": "model_flops_utilization",
    "memory bandwidth utilization": "memory_bandwidth_utilization",
    "max batch that fits": "sequences_that_fit",
    "longest context that fits": "context_that_fits",
    "latency SLO": "batch_within_target",
    "speculative decoding speedup": "speculative_speedup",
    "draft model": "speculative_speedup",
    "chunked prefill": "mixed_step_time",
    "disaggregated prefill": "devices_apart",
    "KV cache transfer": "handover_time",
    "CPU offload": "layers_that_fit",
    "n-gpu-layers": "layers_that_fit",
    "expert offloading": "layers_that_fit",
    "model load time": "loading_time",
    "tensor parallel latency": "tensor_parallel_latency",
    "all-reduce time": "all_reduce_time",
    "pipeline bubble": "pipeline_bubble",
    "expert parallelism all-to-all": "all_to_all_bytes",
    "TTFT with prefix caching": "cached_prefill_time",
    "prefix caching": "shared_prefix_bytes",
    "cost per million tokens": "cost_per_token",
    "joules per token": "energy_per_token",
    "quantization speedup": "quantization_gain",
    "bits per weight of q4_0": "q4_bytes_per_weight",
    "SwiGLU parameters": "gated_mlp_parameters",
}


@pytest.mark.parametrize("words", ASKED)
def test_what_people_type_is_found(words: str) -> None:
    """Among the first three; so is what they type in capitals or with other blanks."""
    for typed in (words, words.upper(), f"  {words.replace(' ', '   ')} "):
        assert ASKED[words] in [formula.name for formula in find(typed)[:3]], typed


def test_each_phrase_of_the_glossary_means_a_formula() -> None:
    """The first of its term, however it is spelled; and each formula that a term names is there."""
    alike = Counter(glossary.spelled(name) for term in glossary.terms().values() for name in (term.name, *term.also))
    phrases = 0
    for term in glossary.terms().values():
        assert set(term.formulas) <= set(catalogue().names), term.name
        for phrase in (term.name, *term.also) if term.formulas else ():
            assert meant(phrase) is catalogue()[term.formulas[0]], phrase
            if alike[glossary.spelled(phrase)] == 1:  # FLOPs and FLOP/s are spelled alike
                assert meant(phrase.upper().replace(" ", "-")) is meant(phrase), phrase
            phrases += 1
    assert phrases > 200
    assert meant("zyzzyva") is None
    assert meant("Softmaxx") is None
    assert all(meant(name) is None for name in ("Assumption", "assumptions", ""))  # a word, but of no formula


def test_no_phrase_hides_a_formula_or_a_letter() -> None:
    """Names of formulas and letters go before phrases."""
    for name in catalogue().names:
        assert symbolic_llm.api.formula_of(name) is catalogue()[name]
    for symbol in LETTERS:
        with pytest.raises(errors.UnknownName, match="is a letter"):
            symbolic_llm.api.formula_of(symbol.name)


def test_a_phrase_will_do_where_a_formula_is_named(kept_findings: None, capsys: pytest.CaptureFixture[str]) -> None:
    """In Python and in a terminal, which says on stderr which formula that is."""
    presets = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "fp16"}
    by_name = explain("prefill_time_with_attention", **presets, B=1, N=1000)
    assert explain("TTFT", **presets, B=1, N=1000).value == by_name.value
    line = ["TTFT", *(f"--{name}={value}" for name, value in presets.items()), "N=1000"]
    for command, *more in (("explain", "B=1"), ("evaluate", "B=1"), ("sweep", "B=1,2")):
        assert main([command, *line, *more]) == 0
        said = capsys.readouterr()
        main([command, "prefill_time_with_attention", *line[1:], *more])
        assert capsys.readouterr().out == said.out
    assert main(["explain", *line, "B=1"]) == 0
    assert "TTFT is taken as prefill_time_with_attention; prefill_time," in capsys.readouterr().err
    assert main(["explain", "prefill_time_with_attention", *line[1:], "B=1"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["show", "tokens/s"]) == 0
    assert "Throughput with cache reads" in capsys.readouterr().out
    assert main(["check", "MFU"]) == 0


def test_the_command_lists_what_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """The likeliest first, as text and as data; `list` keeps the chapters."""
    assert main(["find", "time", "to", "first", "token", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found] == [formula.name for formula in find("time to first token")]
    assert len(found) <= MOST
    assert main(["find", "pipeline", "bubble"]) == 0
    assert capsys.readouterr().out.startswith("pipeline_bubble ")
    assert main(["list", "pipeline", "bubble"]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("Several devices\n")
    assert "  pipeline_bubble " in listed
    assert "batch_crossover" not in listed


@pytest.mark.parametrize("words", ["zyzzyva", "?", "", "x" * 201, "the of and", 7, None, "'; DROP", "\x1b[31m"])
def test_what_is_not_found_is_one_sentence(words: object) -> None:
    """An empty search, too long a one, nonsense, and values that are no text."""
    with pytest.raises((errors.UnknownName, errors.InvalidValue)) as refused:
        find(words)  # type: ignore[arg-type]
    said = str(refused.value)
    assert said.endswith(".")
    assert len(said) < 160
    assert said.isprintable()


def test_a_synonym_is_on_the_pages_and_the_search_is_a_tool() -> None:
    """The one table serves the pages of formulas, by which search finds them, and the tools of an assistant."""
    assert "find" in mcp.OFFERED
    page = About(catalogue()["throughput_with_cache"], None, (), HtmlPen(""))  # type: ignore[arg-type]
    assert "glossary.html#throughput" in page.called
    assert "tok/s" in page.called
    assert "TTFT" not in page.called
