"""Experts at scale: how many a batch reads, and how unevenly tokens fall on them"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest

from reference_engine.probes.expert_load import loads
from symbolic_llm import evaluate, solve

V3 = {"model": "deepseek-v3"}


def busiest(n_active: int, idle: int, tokens: int) -> Fraction:
    """Tokens of the busiest expert, in the mean over all ways to send them; all ways are as likely as each other."""
    found = loads(n_active, idle, tokens)
    return Fraction(sum(one[0] * ways for one, ways in found.items()), sum(found.values()))


@pytest.mark.parametrize(("n_active", "idle", "tokens"), [(1, 3, 4), (2, 2, 3), (2, 3, 3), (3, 1, 3), (2, 0, 4)])
def test_loads_are_those_of_every_way(n_active: int, idle: int, tokens: int) -> None:
    """Ways taken together are as many as there are, with the busiest expert of each: one by one."""
    n_experts = n_active + idle
    seen = []
    for way in product(combinations(range(n_experts), n_active), repeat=tokens):
        seen.append(max(sum(expert in choice for choice in way) for expert in range(n_experts)))
    found = loads(n_active, idle, tokens)
    assert sum(found.values()) == len(seen) == comb(n_experts, n_active) ** tokens
    assert busiest(n_active, idle, tokens) == Fraction(sum(seen), len(seen))


@pytest.mark.parametrize("n_experts", [4, 6])
def test_the_busiest_lies_between_the_mean_and_all(n_experts: int) -> None:
    """In the mean over all ways; the larger the batch, the nearer it comes to the mean, and it never gets there."""
    imbalances = []
    for batch in (1, 2, 4, 8):
        mean = evaluate("sequences_per_expert", B=batch, n_active=2, n_experts=n_experts)
        found = busiest(2, n_experts - 2, batch)
        assert mean < found <= batch
        imbalances.append(found / Fraction(mean).limit_denominator())
    assert imbalances == sorted(imbalances, reverse=True)
    assert imbalances[0] == Fraction(n_experts, 2)


def test_a_batch_of_deepseek_v3() -> None:
    """256 choose 8: 128 sequences use all but four experts; all but one in a hundred are read from 146 on."""
    assert float(evaluate("distinct_experts", **V3, B=128)) == pytest.approx(256 * (1 - (31 / 32) ** 128))
    share = {batch: float(evaluate("share_of_experts_used", **V3, B=batch)) for batch in (1, 145, 146)}
    assert share[1] == 1 / 32
    assert share[145] < 0.99 < share[146]
    found = solve("share_of_experts_used", "B", **V3, U_experts="0.99")
    assert 145 < float(found.exact) < 146


def test_the_crossover_of_deepseek_v3() -> None:
    """A dense model's crossover reads nearly all experts, which are 18 times what is multiplied: theirs comes later."""
    machine = {"hardware": "h200-sxm", "dtype": "fp8"}
    dense = float(evaluate("batch_crossover", **machine))
    weights, each = (float(evaluate(name, **V3)) for name in ("all_expert_weights_read", "P"))
    assert 17 < weights / each < 19
    assert float(evaluate("share_of_experts_used", **V3, B=round(dense))) > 0.998
    assert evaluate("balanced_load", **V3, B=128, n_load=4) is True
    assert evaluate("balanced_load", **V3, B=129, n_load=4) is False
