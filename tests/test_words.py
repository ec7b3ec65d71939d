"""General statements of pages, held by formulas; and forms of sentences that were false"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from symbolic_llm import evaluate, explain
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.formulas.batching import critical_context
from symbolic_llm.pages.examples import EXAMPLE, EXAMPLES, Example
from symbolic_llm.reports.server_load import IN_TURN, WAYS

ROOT = Path(__file__).parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): " ".join(path.read_text(encoding="utf-8").split())
    for path in (
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "book").glob("*.md")),
        *sorted((ROOT / "docs" / "reality").glob("*.md")),
    )
}
TERMS = tomllib.loads((ROOT / "symbolic_llm" / "glossary" / "terms.toml").read_text(encoding="utf-8"))


# Held by formulas


def test_an_answer_s_token_in_tokens_of_its_prompt() -> None:
    """The book: the ratio grows with the context for the example, and falls where heads share.

    With masked scores and all logits it would be one ratio after any prompt.
    """
    lengths, asked = (200, 500, 4096, 2**17), {"model": EXAMPLE["model"]}
    grow = [evaluate("output_cost_ratio_with_cache", B=1, N=N, **EXAMPLE) for N in lengths]
    assert grow == sorted(grow)
    assert len(set(grow)) == len(grow)
    in_full = {N: {"N_logits": N, "C_prompt": explain("prompt_context_flops", N=N, **asked).exact} for N in lengths}
    same = {explain("output_cost_ratio_with_cache", B=1, N=N, **in_full[N], **EXAMPLE).exact for N in lengths}
    assert same == {explain("ridge_point", **EXAMPLE).exact}
    fall = [evaluate("output_cost_ratio_with_cache", B=1, N=N, **{**EXAMPLE, "model": "llama-3-8b"}) for N in lengths]
    assert fall == sorted(fall, reverse=True)
    assert len(set(fall)) == len(fall)
    with pytest.raises(SymbolicLLMError, match="the prompts take as long as reading"):
        evaluate("output_cost_ratio_with_cache", B=1, N=100, **EXAMPLE)


def test_a_laptop_s_arithmetic_does_not_matter_to_how_fast_it_writes() -> None:
    """The first page: what another source prints of it gives the same tokens a second."""
    other = EXAMPLE.laptop | {"hardware": "m2@huggingface"}
    assert evaluate("ridge_point", **other) != evaluate("ridge_point", **EXAMPLE.laptop)
    assert evaluate("throughput", B=1, **other) == evaluate("throughput", B=1, **EXAMPLE.laptop)


@pytest.mark.parametrize("model", ["llama-2-7b", "llama-2-70b", "llama-3-8b"])
def test_what_is_compute_bound_beyond_the_critical_context(model: str) -> None:
    """No whole step, at whatever batch; but its matrices, part by part, from the batch crossover on."""
    asked = {**EXAMPLE, "model": model}
    beyond = int(evaluate("critical_context", **asked)) + 1
    star = int(evaluate("batch_crossover", **asked)) + 1
    for B in (1, star, 10**4, 10**6):
        whole = explain("latency_with_cache", N=beyond, B=B, **asked).exact
        assert whole == explain("memory_time_with_cache", N=beyond, B=B, **asked).exact
        caches = explain("memory_time_with_cache", N=beyond, B=B, **asked).exact - explain("memory_time", **asked).exact
        parts = explain("separate_latency", N=beyond, B=B, **asked).exact
        assert parts == explain("latency", B=B, **asked).exact + caches
        arithmetic = explain("compute_time", B=B, **asked).exact
        is_bound = arithmetic > explain("memory_time", **asked).exact
        assert is_bound is (star <= B)


@pytest.mark.parametrize(("N", "usual", "perfect"), [(50, True, True), (131, True, False), (500, True, False)])
def test_what_faster_arithmetic_buys(N: int, usual: bool, perfect: bool) -> None:
    """The book's table: memory is full, and arithmetic twice as fast shortens a step of one law or of both."""
    asked = {**EXAMPLE, "N": N, "B": int(evaluate("sequences_that_fit", N=N, **EXAMPLE))}
    for law, gains in (("separate_latency", usual), ("latency_with_cache", perfect)):
        step = explain(law, **asked).exact
        faster = explain(law, F="624 TFLOP/s", **asked).exact
        assert step / faster >= 1
        assert (step / faster > 1.01) is gains


def test_what_faster_arithmetic_does_not_buy() -> None:
    """The twin: in the last row of that table neither law gains anything."""
    asked = {**EXAMPLE, "N": 2000, "B": int(evaluate("sequences_that_fit", N=2000, **EXAMPLE))}
    for law in ("separate_latency", "latency_with_cache"):
        assert explain(law, F="624 TFLOP/s", **asked).exact == explain(law, **asked).exact


@pytest.mark.parametrize("hardware", ["h100-sxm", "h200-sxm"])
def test_faster_memory_is_worth_nothing_to_short_questions(hardware: str) -> None:
    """The book's case: a step that overlaps takes as long on either device, since arithmetic decides on both."""
    asked = {"model": "llama-3-8b", "hardware": hardware, "dtype": "bf16", "B": 700, "N": 200}
    step, arithmetic = (explain(law, **asked).exact for law in ("latency_with_cache", "compute_time_with_attention"))
    assert step == arithmetic == explain("latency_with_cache", **asked | {"hardware": "h100-sxm"}).exact


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_below_the_crossover_both_laws_are_one(example: Example) -> None:
    """An exercise of the book gives one time for both."""
    whole, parts = (explain(law, B=32, N=2048, **example).exact for law in ("latency_with_cache", "separate_latency"))
    assert whole == parts


# Forms of sentences

FALSE = {
    "a number that was rounded, of things that only come whole": r"\b(?:free|room)\w*(?:\"[^}]*\))?\.bare\(\d+\) \}\}",
    "a ratio that depends on the length": r"_ratio\w*\"[^}]*\}\} tokens of a prompt, however long",
    "no batch, without saying that a whole step is meant": r"no batch (?:\w+ ){0,3}compute-bound(?!:)",
    "a page of which nothing depends on a figure it shows": r"[Nn]othing on this page depends",
    "a share of a device that is of one of its programs": r"H100 (?:reads|reaches)?[^|]{0,99}reading_of\(",
}


def false(text: str) -> list[str]:
    """The forms that a text has."""
    return [why for why, form in FALSE.items() if re.search(form, text)]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_sentence_of_a_false_form(page: str) -> None:
    """Each was found once."""
    assert not false(PAGES[page])


def test_no_word_or_drawing_has_one() -> None:
    """In the glossary, in what a drawing shows and in what a formula says of itself."""
    figures = sorted((ROOT / "symbolic_llm" / "pages" / "figures").glob("*.py"))
    assert not [name for name, term in TERMS.items() if false(term["meaning"])]
    texts = {path: path.read_text(encoding="utf-8") for path in figures}
    assert not [path.name for path, text in texts.items() if false(text.replace("\\n", " "))]
    assert not false(" ".join((critical_context.__doc__ or "").split()))


@pytest.mark.parametrize(
    "sentence",
    [
        "{{ free_all.bare(3) }} tokens are free: a reader takes",
        "Here these are {{ free.bare(3) }} tokens.",
        'Only {{ value("free_chunk", B=readers, weights="q4_0").bare(2) }} tokens.',
        "there is time for {{ room_apart.bare(3) }} tokens of our prompt",
        '{{ value("output_cost_ratio_with_cache", B=1, N=n).bare(3) }} tokens of a prompt, however long',
        "Beyond it no batch is compute-bound, however large",
        "Nothing on this page depends on it.",
        'an H100 reads caches in fp8 at {{ measured.plain(measured.reading_of("h100_sxm", "trtllm", "fp8").W, 2) }}',
    ],
)
def test_sentences_that_stood_there_are_found(sentence: str) -> None:
    """The twin."""
    assert len(false(sentence)) == 1


def test_pages_with_plans_say_what_they_count() -> None:
    """Word for word as a plan does."""
    for page in ("docs/models.md", "docs/calculator.md"):
        assert WAYS[IN_TURN] in PAGES[page]
