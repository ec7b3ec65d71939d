"""Money and energy: a bill is what a machine costs second by second, and published figures come out"""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import pytest

from reference_engine.probes import probes
from symbolic_llm import evaluate, explain, sweep
from symbolic_llm.errors import ConditionViolated, Underdetermined

NODE = {"price": "16 $/h", "u": 1}  # eight H800 at 2 $/h, as DeepSeek count them
LLAMA = {"model": "llama-3-70b", "hardware": "h200-sxm", "dtype": "fp8", "N": 4096}


@pytest.mark.parametrize("name", ["llama", "experts", "latent"])
def test_a_bill_is_what_was_paid_second_by_second(name: str) -> None:
    """Steps and waits one after the other, each paid for and drawing its power, over the tokens of the steps."""
    (bill,), (drawn,) = probes(f"{name}/money.cost_per_token"), probes(f"{name}/money.energy_per_token")
    (step,) = probes(f"{name}/clock.step_time_with_cache")
    values = {**dict.fromkeys((*bill.parameters, *drawn.parameters), 2), "batch": 3}
    values |= {"price": 7, "power": 13, "power_idle": 5, "busy": 4, "waiting": 9}
    took = step.ask(**{one: values[one] for one in step.parameters})
    clock, paid, energy, tokens = Fraction(0), Fraction(0), Fraction(0), 0
    for turn in range(4 + 9):
        clock, paid = clock + took, paid + 7 * took
        energy, tokens = energy + (13 if turn < 4 else 5) * took, tokens + 3 * (turn < 4)
    assert paid == 7 * clock
    for probe, total in ((bill, paid), (drawn, energy)):
        asked = probe.ask(**{one: values[one] for one in probe.parameters})
        assert asked == total / tokens
        assert asked != total / (tokens + 3)


def test_the_cheapest_batch_is_found_by_trying() -> None:
    """The largest of all batches that meet the target, by their cost; the one after is cheaper, but too late."""
    best = evaluate("batch_within_target", T_target="25 ms", **LLAMA)
    costs, late = [], 0.0
    for batch in count(1):
        cost = evaluate("cost_per_token", price="3 $/h", u=0.5, B=batch, **LLAMA)
        if evaluate("latency_with_cache", B=batch, **LLAMA) > 0.025:
            late = cost
            break
        costs.append(cost)
    assert best == len(costs) == costs.index(min(costs)) + 1
    assert late < min(costs)


@pytest.mark.parametrize(
    ("throughput", "cost"), [("14.8 ktoken/s", "0.3003 $ per million tokens"), ("73.7 ktoken/s", "0.060305 $")]
)
def test_deepseeks_tokens(throughput: str, cost: str) -> None:
    """A node's published rates, at the price published with them, cost 0.3003 $ and 0.0603 $ for a million tokens."""
    assert cost in str(explain("cost_per_token", R=throughput, **NODE))


def test_deepseeks_day() -> None:
    """168 billion output tokens at 14.8k a second and 608 billion input tokens at 73.7k come to 87,072 $ and a bit."""
    each = {rate: evaluate("cost_per_token", R=f"{rate} ktoken/s", **NODE) for rate in ("14.8", "73.7")}
    day = 168e9 * each["14.8"] + 608e9 * each["73.7"]
    assert day == pytest.approx(226.863566 * 16 * 24)
    assert 87072 < day < 87072 * 1.001


def test_what_is_not_paid_for_does_not_work() -> None:
    """A share above one, or in per cent, is refused."""
    with pytest.raises(ConditionViolated, match="no longer than it is paid for"):
        evaluate("cost_per_token", R=100, price="2 $/h", u=50)


def test_an_output_token_costs_input_tokens() -> None:
    """The ratio is the crossover over the batch while caches are short, and one for large batches.

    A prompt's token then does what an answer's does: it meets the output matrix, and all of its context.
    """
    machine = {"hardware": "h200-sxm", "dtype": "fp8"}
    crossover = evaluate("batch_crossover", **machine)
    met = evaluate("prompt_context_flops", model="llama-3-70b", N=1024)
    given = {"model": "llama-3-70b", "N": 1024, "N_logits": 1024, "C_prompt": met, **machine}
    ratios = {batch: evaluate("output_cost_ratio_with_cache", B=batch, **given) for batch in (1, 4, 16, 1024)}
    assert all(ratios[batch] == pytest.approx(crossover / batch, rel=0.03) for batch in (1, 4, 16))
    assert ratios[1024] == pytest.approx(1, abs=0.001)


def test_a_machine_that_never_waits_has_no_idle_power() -> None:
    """The power of waiting is asked for only where there is waiting, whatever was asked before; sweeps say the same."""
    always = {"R": 100, "power": "700 W", "u": 1}
    found = explain("energy_per_token", **always)
    assert found.value == evaluate("energy_per_token", power_idle="100 W", **always) == 7
    assert "power_idle makes no difference here: taken zero times" in str(found)
    assert "power_idle =" not in str(found)
    half = {**always, "u": 0.5}
    for _ in range(3):  # what is kept of the one question does not answer the other
        assert evaluate("energy_per_token", **always) == 7
        with pytest.raises(Underdetermined, match="needs a value for power_idle"):
            evaluate("energy_per_token", **half)
        assert evaluate("energy_per_token", power_idle="100 W", **half) == 8
    assert [*sweep("energy_per_token", **{**always, "u": [1]}).values] == [7]
    for shares in ([1, 0.5], [0.5, 1]):
        with pytest.raises(Underdetermined, match="needs a value for power_idle"):
            sweep("energy_per_token", **{**always, "u": shares})
