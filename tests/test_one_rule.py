"""The audit judges the same act alike, and its heads say no more than its verdicts"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from fnmatch import fnmatch
from fractions import Fraction
from typing import Any

import pytest
from figures import EVERY

from symbolic_llm import audit, evaluate, presets
from symbolic_llm.audit import Claim, Claims, Verdict
from symbolic_llm.audit.language import stated_in, value_of
from symbolic_llm.audit.printed import read_printed
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.units import parse_quantity

OUT = (Verdict.REPRODUCED, Verdict.UNSTATED, Verdict.CUT_OFF)
# figures that come out from a rounded one, which is what they are said to be computed from
FROM_ROUNDED = {
    ("austin-2025-tpus", "pod-v5e"): "the problem says which peak it takes for one chip",
    ("bekman-2026", "share-gh200"): "shares are those of the printed peak",
    ("chen-2022", "13b-one-share"): "22.0 ms is a measurement, and by chance another time",
}


def comes_out(claim: Claim, claims: Claims) -> bool:
    """Whether a figure comes out."""
    return bool(claim.printed and claim.value) and audit.check(claim, claims).verdict in OUT


class Unrounded(ast.NodeTransformer):
    """Puts the values of figures that a source prints in the place of these figures."""

    def __init__(self, text: str, printed: dict[Any, str]) -> None:
        self.text, self.printed, self.found = text, printed, False

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A constant, or what the source computes for it."""
        exact = self.printed.get(_size(ast.get_source_segment(self.text, node) or ""))
        self.found |= exact is not None
        return node if exact is None else ast.parse(f"({exact})", mode="eval").body


def _size(written: str) -> Any:
    """A quantity with a unit, or a number that no count reaches; None for any other text."""
    try:
        number, unit = parse_quantity(written.strip("\"'"))
    except SymbolicLLMError:
        return None
    if unit is None:
        return (number, None) if number >= 10**6 else None
    return number * unit.scale, unit.dimension


def only_from_rounded(claims: Claims) -> list[str]:
    """The figures that come out of what their source printed rounded before, and not of the exact values."""
    printed: dict[Any, str] = {}
    found = []
    for claim in claims.claims:
        if not comes_out(claim, claims):
            continue
        reader = Unrounded(claim.value.strip(), printed)
        exact = ast.unparse(reader.visit(ast.parse(claim.value.strip(), mode="eval")))
        if reader.found and not comes_out(replace(claim, value=exact), claims):
            found.append(claim.id)
        figure = read_printed(claim.printed)
        size = _size(f"{float(figure.number)} {figure.behind}")
        if size is not None and size[0] != value_of(claim.value).value:
            printed[size] = claim.value
    return found


def with_its_mistake(key: str, name: str) -> Claims:
    """A source in which the mistake of a claim is taken for what the figure should be."""
    claims = audit.source(key)
    wrong = claims[name]
    taken = replace(wrong, value=wrong.because, cause="", because="")
    return replace(claims, claims=tuple(taken if one is wrong else one for one in claims.claims))


def test_what_comes_out_does_so_from_exact_figures() -> None:
    """To calculate with a rounded figure of one's own is refuted in every source, or has a reason."""
    found = {(claims.source.key, name) for claims in audit.sources() for name in only_from_rounded(claims)}
    assert found == set(FROM_ROUNDED)
    for key, name in (("austin-2025-inference", "throughput-8"), ("austin-2025-applied-inference", "throughput-chip")):
        assert only_from_rounded(with_its_mistake(key, name)) == [name]


LLAMAS = ("llama-2-7b", "llama-2-13b", "llama-2-70b")  # each has an output matrix of its own beside its embedding


def whole() -> set[Fraction]:
    """Weights of these models with all of their embedding, with norms and without them."""
    read = {name: Fraction(evaluate("llama_multiplied_parameters", model=name)) for name in LLAMAS}
    letters = {name: presets.model(name).letters for name in LLAMAS}
    matrices = {read[name] + letters[name]["n_vocab"] * letters[name]["d_model"] for name in LLAMAS}
    return matrices | {Fraction(presets.model(name).parameters) for name in LLAMAS}


WHOLE = whole()


def reads_all(claims: Claims) -> list[str]:
    """The figures that come out if a step reads the embedding of a model whole."""
    found = []
    for claim in claims.claims:
        if not claim.value or claim.observed or not comes_out(claim, claims):
            continue
        calls = [node for node in ast.walk(ast.parse(claim.value.strip(), mode="eval")) if isinstance(node, ast.Call)]
        words = [word for call in calls for word in call.keywords if word.arg in ("P", "P_read")]
        numbers = [_size(ast.unparse(word.value)) for word in words if isinstance(word.value, ast.Constant)]
        if any(size is not None and size[0] in WHOLE for size in numbers):
            found.append(claim.id)
    return found


def test_an_embedding_that_is_read_whole_is_refuted_everywhere() -> None:
    """Llama 2 has an output matrix of its own, so a step reads rows of its embedding."""
    assert Fraction(13015449600) in WHOLE
    assert [name for claims in audit.sources() for name in reads_all(claims)] == []
    assert reads_all(with_its_mistake("liang-2025", "throughput-1")) == ["throughput-1"]
    causes = [claim.cause for _, claim in EVERY if "embedding" in claim.note and "whole" in claim.note]
    assert causes
    assert all(causes)


# Heads

EVERYTHING = re.compile(
    r"\b(every|all|both|each|none)\b[^.;]*\b(comes? out|right|exact|exactly|agrees?)\b"
    r"|\b(comes? out|right|exact|exactly|agrees?)\b[^.;]*\b(every|all|both|each)\b",
    re.IGNORECASE,
)
COMES_OUT = re.compile(r"\b(comes? out|agrees? to|are exact|(is|are) right)\b")
# what a head says of some figures, and which claims these are
HEADS = {
    "ai-engineering-2026": "token-bytes",
    "austin-2025-applied-training": "ffw vocab attention",
    "baseten-2023": "attention-* cache-* prefill-a10 prefill-a100 prefill-t4",
    "baseten-2024": "mistral mixtral mixtral-int8 int8-peak",
    "bentoml-2026": "ceiling-70b",
    "chen-2022-parameters": "equation blocks-52b embedding-52b total-52b",
    "inference-course-2026": "h100-nvl",
    "injuly-2026": "batch cache",
    "liang-2025": "memory-*",
    "llm-analysis-2023": "fit*",
    "llm-viewer-2024": "cache-*",
    "lm-studio-2026": "*",
    "modular-2026": "sequences",
    "nebel-2026": "reduction",
    "ollama-2026": "*",
    "paul-2025": "token-13b",
    "raschka-2025": "dense expert router experts active dense-bytes",
    "regantih-2026": "ridge",
    "shainet-2026": "position",
    "turganbay-2024": "cache",
    "vllm-2023": "*",
    "von-platen-2023": "values gpt-3 bloom llama-2-70b falcon-40b starcoder",
    "weng-2023": "*",
    "zhao-2025": "cache-v3 cache-qwen cache-405b cost-v2 cost-v3",
}


def too_much(claims: Claims) -> bool:
    """Whether a head says of everything that it comes out, though something on its page does not."""
    verdicts = {one.verdict for one in audit.check_all(claims)}
    wrong = {Verdict.REFUTED, Verdict.NOT_REPRODUCIBLE, Verdict.CONTRADICTS_ITSELF}
    return bool(EVERYTHING.search(claims.source.right)) and bool(verdicts & wrong)


def test_no_head_says_that_everything_comes_out_where_something_does_not() -> None:
    """The sentence with the verdicts says how much does."""
    assert [claims.source.key for claims in audit.sources() if too_much(claims)] == []
    for key, said in (
        ("chen-2022-parameters", "Every count comes out to the last weight."),
        ("unsloth-2026", "Its new figures all come out, in GiB."),
    ):
        claims = audit.source(key)
        assert too_much(replace(claims, source=replace(claims.source, right=said)))


@pytest.mark.parametrize("claims", audit.sources(), ids=lambda claims: claims.source.key)
def test_what_a_head_says_comes_out_does(claims: Claims) -> None:
    """Each such head has its claims in the list, and all of these come out."""
    key = claims.source.key
    assert bool(COMES_OUT.search(claims.source.right)) <= (key in HEADS)
    for pattern in HEADS.get(key, "").split():
        named = [one for one in audit.check_all(claims) if fnmatch(one.claim.id, pattern)]
        assert named, pattern
        assert all(one.verdict in (*OUT, Verdict.OBSERVATION) for one in named), pattern


def test_what_a_source_states_is_told_from_shapes_and_presets() -> None:
    """Rates and numbers of weights; no counts, formats or presets."""
    assert stated_in('token_crossover(F="990 TFLOP/s", W="450 GB/s", n_bytes="2 byte")') == ["990 TFLOP/s", "450 GB/s"]
    assert stated_in('weight_bytes(P_total=65.2e9, weights="int4") / given("M", hardware="m2")') == ["65200000000.0"]
    assert stated_in('kv_bytes_total(model="llama-2-7b", cache="fp16", N=4096, B=1) * 2') == []
