"""A tiny model twice: what the formulas say of it, and what the engine counts when it is run whole"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np

from reference_engine import Config, Decoder, Float, Ledger
from reference_engine.attention.latent import Latent
from symbolic_llm import Model
from symbolic_llm.answers.explanation import explain_formula
from symbolic_llm.answers.gather import picked
from symbolic_llm.answers.resolution import reach
from symbolic_llm.api import formula_of
from symbolic_llm.formula import Formula
from symbolic_llm.notation import C_prompt
from symbolic_llm.presets import Presets

Answers = dict[str, Fraction]
CACHE = "blocks.*.attention.cache"


def absorbing(config: Config, absorbed: bool) -> Config:
    """The decoder, with latent attention that is absorbed or not, if it has such."""
    if not isinstance(config.attention, Latent):
        return config
    return replace(config, attention=replace(config.attention, absorbed=absorbed))


@dataclass(frozen=True)
class Question:
    """Sequences, tokens of each (the last is the new one of a decoding step), formats and a machine's two rates."""

    batch: int = 1
    context: int = 3
    n_bytes: int = 2
    n_bytes_kv: int = 2
    flops: int = 1
    bandwidth: int = 1

    @property
    def letters(self) -> dict[str, int]:
        """The values of the question by letter."""
        names = ("B", "N", "n_bytes", "n_bytes_kv", "F", "W")
        return dict(zip(names, vars(self).values(), strict=True))

    def time(self, operations: Fraction, read: Fraction) -> Fraction:
        """Seconds that a machine takes which overlaps arithmetic and reading."""
        return max(operations / self.flops, read / self.bandwidth)


# What the formulas say

# The same formula, with letters that count masked scores too, and logits of every position or of the last
IN_FULL, LAST_LOGITS = "prefill_product_flops in full", "prefill_product_flops with masked scores"
ANSWERS = (
    *("P", "P_total", "P_read", "P_prompt", "weight_bytes", "kv_bytes_total", "footprint", "decode_traffic"),
    *("decode_product_flops", "prefill_product_flops", IN_FULL, LAST_LOGITS),
    *("latency", "latency_with_cache", "prefill_time", "prefill_time_with_attention", "throughput_with_cache"),
)


def predicted(model: Model, asked: Question, answers: Iterable[str] = ANSWERS) -> Answers:
    """Every answer the way that `evaluate` goes: by the formulas that the model picks."""
    met = model.of_prompts(causal=False)[C_prompt]
    masked_too = {**asked.letters, "C_prompt": says(model, met, asked.letters)}
    letters = {IN_FULL: {**masked_too, "N_logits": asked.context}, LAST_LOGITS: masked_too}
    return {name: says(model, name.partition(" ")[0], letters.get(name, asked.letters)) for name in answers}


def says(model: Model, name: str | Formula, letters: Mapping[str, Fraction | int]) -> Fraction:
    """The exact value of a formula, or of a letter, given those of the letters that it depends on."""
    presets = Presets(model)
    formula = formula_of(name, model)
    reached = {symbol.name for symbol in reach(formula, picked(formula, presets))}
    given = {name: value for name, value in letters.items() if name in reached}
    return Fraction(explain_formula(formula, given, presets).exact)


# What the engine counts


def measured(config: Config, asked: Question) -> Answers:
    """Every answer, counted in passes of a decoder of this configuration, in the mean over all routings."""
    floats = Float(8 * asked.n_bytes)
    config = replace(config, weights=floats, vectors=floats, cache=Float(8 * asked.n_bytes_kv))
    routed = Routed(config)
    # latent attention expands keys and values in a prefill, and never in a decoding step
    decoder, whole = (
        Decoder(absorbing(config, absorbed), route=routed if config.n_experts else None) for absorbed in (True, False)
    )
    step, prompt = mean(_steps(decoder, routed, asked)), mean(_prefills(whole, routed, asked))
    served = prompt["matrices"] + sum(_attention_one_by_one(whole, asked)) - prompt["output"] + step["output"]
    held, weights = decoder.ledger.footprint("cache.*"), decoder.ledger.footprint("weights.*")
    times = {
        "latency": asked.time(step["matrices"], step["read"]),
        "latency_with_cache": asked.time(step["products"], step["read"] + step["cache"]),
        "prefill_time": asked.time(prompt["matrices"], prompt["read"]),
        "prefill_time_with_attention": asked.time(served, prompt["read"] + prompt["cache"]),
    }
    assert step["cache"] == held or config.n_sharing, "a decoding step reads the whole cache"
    return times | {
        "P": step["matrices"] / (2 * asked.batch),
        "P_total": Fraction(sum(prod(weight.shape) for weight in decoder.weights.values())),
        "P_read": step["read"] / asked.n_bytes,
        "P_prompt": prompt["read"] / asked.n_bytes,
        "weight_bytes": Fraction(weights),
        "kv_bytes_total": Fraction(held),
        "footprint": Fraction(weights + held),
        "decode_traffic": step["read"] + step["embedding"] + step["cache"] + step["stored"],
        "decode_product_flops": step["products"],
        "prefill_product_flops": served,
        IN_FULL: prompt["products"],
        LAST_LOGITS: prompt["products"] - prompt["output"] + step["output"],
        "throughput_with_cache": asked.batch / times["latency_with_cache"],
    }


class Routed:
    """Sends the tokens of a pass where it was told to."""

    def __init__(self, config: Config) -> None:
        sparse = any(map(config.has_experts, range(config.n_blocks)))
        self._choices = list(combinations(range(config.n_experts), config.n_active)) if sparse else [()]
        self._routing: Any = np.zeros((0, 0), int)

    def __call__(self, tokens: int) -> Any:
        """(tokens,) -> (tokens, n_active)."""
        return self._routing[:tokens]

    def every(self, tokens: int) -> Iterator[None]:
        """Once for each way in which so many tokens can pick experts."""
        for routing in product(self._choices, repeat=tokens):
            self._routing = np.array(routing, int)
            yield


def _steps(decoder: Decoder, routed: Routed, asked: Question) -> Iterator[Answers]:
    """The counts of a decoding step that brings the context to its length, for each routing."""
    new = np.zeros(asked.batch, int)
    for _ in routed.every(asked.batch):
        decoder.prefill(new[:, None], capacity=asked.context)
        decoder.context = asked.context - 1  # what the cache holds of these tokens does not matter for the counts
        decoder.ledger.clear()
        decoder.decode(new)
        yield _counted(decoder.ledger)


def _prefills(decoder: Decoder, routed: Routed, asked: Question) -> Iterator[Answers]:
    """The counts of a prefill, for each routing."""
    for _ in routed.every(asked.batch * asked.context):
        decoder.ledger.clear()
        decoder.prefill(np.zeros((asked.batch, asked.context), int))
        yield _counted(decoder.ledger)


def _attention_one_by_one(decoder: Decoder, asked: Question) -> Iterator[Fraction]:
    """Scores and weighted sums of the tokens of a prompt that is decoded token by token."""
    decoder.start(asked.batch, asked.context)
    for _ in range(asked.context):
        decoder.ledger.clear()
        decoder.decode(np.zeros(asked.batch, int))
        counted = _counted(decoder.ledger)
        yield counted["products"] - counted["matrices"]


def _counted(ledger: Ledger) -> Answers:
    """Operations of products, bytes of weights that are multiplied, and the other traffic of a pass."""
    products, loaded = by_path(ledger)
    attention = (path for path in products if path.endswith(("attention.scores", "attention.mix")))
    used = {path.replace(".attention.", ".").replace(".mlp.", ".") for path in products}
    biases = sum(ledger.held.get(f"weights.{name}.bias", 0) for name in used)  # each is loaded once, with its matrix
    counts = {
        "products": products.total(),
        "matrices": products.total() - sum(products[path] for path in attention),
        "output": products["output"],
        "read": sum(loaded[path] for path in products) - biases,
        "embedding": ledger.total("loaded", "embedding"),
        "cache": ledger.total("loaded", CACHE),
        "stored": ledger.total("stored", CACHE),
    }
    return {name: Fraction(count) for name, count in counts.items()}


def by_path(ledger: Ledger) -> tuple[Counter[str], Counter[str]]:
    """Operations of the products at each path that has any, and the bytes loaded at each."""
    products, loaded = Counter[str](), Counter[str]()
    for (path, op), tally in ledger.entries.items():
        loaded[path] += tally.loaded
        if op == "matmul":
            products[path] += tally.flops
    return products, loaded


def mean(each: Iterable[Answers]) -> Answers:
    """The mean of every count."""
    listed = list(each)
    return {name: sum((counts[name] for counts in listed), Fraction(0)) / len(listed) for name in listed[0]}
