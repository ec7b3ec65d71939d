"""Prefill and decode apart: pools of machines whose queues are gone through, and DeepSeek's published figures"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from reference_engine.probes import probes
from symbolic_llm import catalogue, evaluate, solve
from symbolic_llm.witness.configurations import applying
from symbolic_llm.witness.letters import conditions_of, probes_of

SERVED = {"R_in": "608 Gtoken/day", "R_out": "168 Gtoken/day", "R_prefill": "73.7 ktoken/s", "R": "14.8 ktoken/s"}


def test_deepseeks_nodes() -> None:
    """From its published rates 226.9 nodes follow, where 226.75 were printed; 95.5 of them prefill."""
    prefilling, decoding = 608e9 / 86_400 / 73.7e3, 168e9 / 86_400 / 14.8e3
    nodes = evaluate("devices_apart", **SERVED)
    assert nodes == pytest.approx(226.863566)
    assert 0 < nodes / 226.75 - 1 < 0.0006
    assert nodes == pytest.approx(prefilling + decoding)
    assert round(prefilling, 1) == 95.5


def test_what_a_cache_hit_spares() -> None:
    """Had the 342 billion tokens that hit the cache cost no node any time, far fewer would have been needed."""
    spared = evaluate("devices_apart", **(SERVED | {"R_in": "266 Gtoken/day"}))
    assert spared == pytest.approx(173.155, rel=1e-5)


def test_a_rate_from_the_nodes() -> None:
    """The other way round: what a node has to prefill so that as many do."""
    given = {name: value for name, value in SERVED.items() if name != "R_prefill"}
    found = solve("devices_apart", "R_prefill", n_apart=226.863566, **given)
    assert float(found.value) == pytest.approx(73_700, rel=1e-4)


def _left(machines: int, takes: Fraction, every: Fraction, passes: int) -> Fraction:
    """Wait of the last pass that arrives at a pool, where each pass goes to the machine that is free first."""
    free = [Fraction(0)] * machines
    for number in range(passes):
        arrived, first = number * every, min(range(machines), key=free.__getitem__)
        free[first] = max(free[first], arrived) + takes
        waited = free[first] - takes - arrived
    return waited


@pytest.mark.parametrize("arriving", [3, 7, 40])
def test_machines_that_are_busy(arriving: int) -> None:
    """With as many machines as that, rounded up, no queue builds up; with one fewer it does."""
    (machines,), (prefill,) = probes("llama/apart.prefill_machines"), probes("llama/clock.prefill_time_with_cache")
    values: dict[str, Any] = {**dict.fromkeys((*machines.parameters, *prefill.parameters), 2), "arriving": arriving}
    values |= {"flops": 999, "bandwidth": 777}
    takes = prefill.ask(**{name: values[name] for name in prefill.parameters})
    busy = machines.ask(**{name: values[name] for name in machines.parameters})
    enough, every = -(-busy.numerator // busy.denominator), Fraction(2 * 2, arriving)  # a pass brings two times two
    assert busy.denominator > 1
    assert enough > 1
    assert _left(enough, takes, every, 500) == 0
    assert _left(enough - 1, takes, every, 500) > _left(enough - 1, takes, every, 250) > 0


def test_a_link_that_keeps_up() -> None:
    """Batch after batch: over a link that is just fast enough nothing queues up, over a slower one more and more."""
    (asked,) = probes("llama/apart.is_handed_on_in_time")
    (prefill,) = probes("llama/clock.prefill_time_with_cache")
    (cache,) = probes("llama/cache.bytes")
    values: dict[str, Any] = {
        **dict.fromkeys((*asked.parameters, *cache.parameters), 2),
        "flops": 8,
        "bandwidth": 10**6,
    }
    takes = prefill.ask(**{name: values[name] for name in prefill.parameters})
    sent = cache.ask(**{name: values[name] for name in cache.parameters})
    just = Fraction(sent) / takes
    for link, said in ((just, True), (just * Fraction(999, 1000), False)):
        assert asked.ask(**{name: (values | {"transfer": link})[name] for name in asked.parameters}) is said
        free = Fraction(0)
        for batch in range(1, 100):
            made = batch * takes
            free = max(free, made) + sent / link
        assert (free == made + sent / link) is said


def test_a_formula_speaks_where_its_letters_have_values() -> None:
    """Conditions of the formulas that count its letters are among those that a grid has to meet."""
    formula = catalogue()["devices_apart"]
    probe = next(one for one in probes_of(formula.measured_by, formula) if one.subject.name == "llama")
    assert not formula.conditions
    assert conditions_of(formula, probe) == catalogue()["prefill_throughput"].conditions
    config = {**dict.fromkeys(probe.parameters, 2), "context": 5}
    assert applying(formula, probe)(config | {"flops": 1, "bandwidth": 10**6})
    assert not applying(formula, probe)(config | {"flops": 10**6, "bandwidth": 1})
