"""Speculative decoding: the engine drafts and verifies, and what it generates is what the target generates alone"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from sympy import Lt

from reference_engine import Config, Decoder
from reference_engine.formats import Float
from reference_engine.probes import probes
from reference_engine.speculation import kept_with, probabilities, replacing, speculate
from symbolic_llm import evaluate
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.theorems import check_theorem
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Condition, Equivalence, Implication, Kind
from symbolic_llm.errors import ConditionViolated
from symbolic_llm.formula import Formula
from symbolic_llm.notation import F, P, W, alpha, gamma
from symbolic_llm.steps import premise, rewrite, weaken

SHAPE: dict[str, Any] = {
    "n_heads": 1,
    "d_head": 4,
    "weights": Float(32),
    "vectors": Float(32),
    "positions": "rotary",
    "norm": "rms",
}


def decoder(seed: int, n_vocab: int = 7, n_blocks: int = 2) -> Decoder:
    """A tiny decoder."""
    return Decoder(Config(n_blocks=n_blocks, n_vocab=n_vocab, d_model=4, **SHAPE), seed=seed)


def alone(target: Decoder, prompt: list[int], new: int) -> tuple[int, ...]:
    """The likeliest tokens after a prompt, one step for each."""
    logits, found = target.prefill(prompt, capacity=len(prompt) + new)[-1], []
    for _ in range(new):
        found.append(int(np.argmax(logits)))
        logits = target.decode(found[-1])
    return tuple(found)


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("seeds", [(1, 2), (3, 4), (5, 5)])
def test_the_likeliest_tokens_are_the_targets(seeds: tuple[int, int], length: int) -> None:
    """Whatever the draft proposes; where it is the target itself, every step gives all tokens and one more."""
    target, draft = (decoder(seed) for seed in seeds)
    spoken = speculate(target, draft, [1, 2, 3], 12, length)
    assert spoken.tokens == alone(target, [1, 2, 3], len(spoken.tokens))
    assert sum(spoken.gained) == len(spoken.tokens) >= 12
    if seeds[0] == seeds[1]:
        assert set(spoken.gained) == {length + 1}
    else:
        assert set(spoken.gained) != {length + 1}


class Lots:
    """Draws in one of all ways, the first beyond what is given; knows how likely it is, and where others branch off."""

    def __init__(self, way: list[int]) -> None:
        self._given = way
        self._drawn: list[int] = []
        self.likely = 1.0
        self.others: list[list[int]] = []

    def choice(self, number: int, p: Any) -> int:
        """The next lot, of those that can fall."""
        place, can = len(self._drawn), [one for one in range(number) if p[one] > 0]
        if place < len(self._given):
            lot = self._given[place]
        else:
            lot, *others = can
            self.others += [[*self._drawn, other] for other in others]
        self._drawn.append(lot)
        self.likely *= p[lot]
        return lot


def every_way(target: Decoder, draft: Decoder, new: int, length: int) -> Iterator[tuple[float, Any]]:
    """All ways in which tokens can be drawn, each with its probability and what is generated."""
    waiting: list[list[int]] = [[]]
    while waiting:
        lots = Lots(waiting.pop())
        spoken = speculate(target, draft, [0, 1], new, length, lots)  # type: ignore[arg-type]
        waiting += lots.others
        yield lots.likely, spoken


def test_drawn_tokens_have_the_targets_distribution() -> None:
    """Of the first two tokens, in all ways in which drafts can be drawn, kept and replaced."""
    target, draft = decoder(1, n_vocab=3, n_blocks=1), decoder(2, n_vocab=3, n_blocks=1)
    found: dict[tuple[int, ...], float] = {}
    for likely, spoken in every_way(target, draft, 2, 2):
        found[spoken.tokens[:2]] = found.get(spoken.tokens[:2], 0) + likely
    for pair in product(range(3), repeat=2):
        first, second = probabilities(target.prefill([0, 1, pair[0]])[1:])
        assert found[pair] == pytest.approx(first[pair[0]] * second[pair[1]], rel=1e-5)
        drafted = probabilities(draft.prefill([0, 1, pair[0]])[1:])
        assert found[pair] != pytest.approx(drafted[0][pair[0]] * drafted[1][pair[1]], rel=1e-3)


def test_a_kept_or_replaced_token_is_the_targets() -> None:
    """Exactly, for fractions; the twin: what is replaced by the target's own distribution is not."""
    target, draft = ([Fraction(n, 12) for n in numbers] for numbers in ((6, 4, 2), (3, 3, 6)))
    kept = [draft[token] * kept_with(token, target, draft) for token in range(3)]
    lost = 1 - sum(kept)
    assert [one + lost * more for one, more in zip(kept, replacing(target, draft), strict=True)] == target
    assert [one + lost * more for one, more in zip(kept, target, strict=True)] != target


def forgetful(shares: list[float]) -> Decoder:
    """A decoder that gives the same distribution whatever came before: its matrices are zero, its biases are not."""
    config = Config(n_blocks=1, n_vocab=len(shares), d_model=4, **(SHAPE | {"output_bias": True, "tied": False}))
    made = Decoder(config, seed=0)
    weights = dict(made.weights)
    for name, shape in config.shapes.items():
        numbers = np.log(shares) if name == "output.bias" else np.zeros(shape)
        weights[name] = made.machine.allocate(np.asarray(numbers, np.float32).reshape(shape), config.stored(name))
    return Decoder(config, machine=made.machine, weights=weights)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_tokens_of_a_step(length: int) -> None:
    """Of the engine's own loop, in all ways in which drafts can be accepted, as the formula says."""
    own, drafted = [0.75, 0.25], [0.375, 0.625]  # in common 0.375 + 0.25
    target, draft = forgetful(own), forgetful(drafted)
    mean = sum(likely * spoken.gained[0] for likely, spoken in every_way(target, draft, 1, length))
    expected = evaluate("speculative_tokens", alpha=0.625, gamma=length)
    assert mean == pytest.approx(expected, rel=1e-5)
    assert mean != pytest.approx(evaluate("speculative_tokens", alpha=0.625, gamma=length + 1), rel=1e-2)


def test_where_every_token_is_accepted() -> None:
    """The enumeration gives the whole draft and one more, what the formula tends to; it has no value there itself."""
    (tokens,) = probes("llama/speculation.tokens")
    values = dict.fromkeys(tokens.parameters, 1) | {"accepted": 5, "rejected": 0, "draft_length": 4}
    assert tokens.ask(**values) == 5
    assert evaluate("speculative_tokens", alpha=1 - 1e-9, gamma=4) == pytest.approx(5)
    with pytest.raises(ConditionViolated, match="one more"):
        evaluate("speculative_tokens", alpha=1, gamma=4)


@pytest.mark.parametrize(("accepted", "rejected"), [(4, 1), (1, 1), (9, 1), (1, 9)])
def test_the_best_draft_length(accepted: int, rejected: int) -> None:
    """Found by trying all: the first at which one more token does not pay, by the engine and by the formula."""
    (gains,), (tokens,) = probes("llama/speculation.gains_by_one_more"), probes("llama/speculation.tokens")
    (step,) = probes("llama/clock.step_time_with_cache")
    values: dict[str, Any] = {**dict.fromkeys((*gains.parameters, *tokens.parameters), 2), "flops": 10**6}
    values |= {"accepted": accepted, "rejected": rejected, "bandwidth": 1, "draft_time": 400}
    plain = step.ask(**{name: values[name] for name in step.parameters})

    def each(length: int) -> Fraction:
        given = {name: (values | {"draft_length": length})[name] for name in tokens.parameters}
        return (plain + 400 * length) / tokens.ask(**given)

    best = min(range(1, 40), key=each)
    pays = [gains.ask(**(values | {"draft_length": length})) for length in range(1, 40)]
    share = Fraction(accepted, accepted + rejected)
    for length, said in enumerate(pays, 1):
        n = (1 - share ** (length + 1)) / (1 - share)
        assert said == (400 * n < (plain + 400 * length) * share ** (length + 1))
    assert best == pays.index(False) + 1
    assert not any(pays[best:])


def theorem(claim: Any) -> Formula:
    """A formula that claims something of powers."""
    start, end = claim.sides
    return Formula(
        "symbolic_llm.formulas.speculation.planted",
        "Planted",
        claim=claim,
        kind=Kind.THEOREM,
        steps=(premise(start, ""), rewrite(end, "")),
        unmeasured="planted",
    )


TRUE = Lt(alpha * P, alpha ** (gamma + 1) * W, evaluate=False)
POWERS = {
    "the same divided by a factor": (Lt(P, alpha**gamma * W, evaluate=False), Verdict.PROVED),
    "one factor too many": (Lt(P, alpha ** (gamma + 1) * W, evaluate=False), Verdict.REFUTED),
    "without the power": (Lt(P, W, evaluate=False), Verdict.REFUTED),
}


@pytest.mark.parametrize("name", POWERS)
def test_powers_of_a_letter(name: str) -> None:
    """Solvers are given a number in place of a power: what is true of it is proved, what is false is not."""
    other, verdict = POWERS[name]
    found = check_theorem(theorem(Equivalence(TRUE, other))).verdict
    assert found is verdict if verdict is Verdict.PROVED else found is not Verdict.PROVED


def test_what_only_holds_for_powers_is_not_proved() -> None:
    """Solvers know of the number only that it is positive: nothing false follows, and not all that is true."""
    below = Implication(Lt(alpha, 1, evaluate=False), Lt(alpha**gamma, 1, evaluate=False))
    assert check_theorem(theorem(below)).verdict is Verdict.UNDECIDED


def test_weakened_by_a_condition() -> None:
    """A side may move by what a condition says is not negative; without the condition, or the other way, it may not."""
    condition = Condition(Lt(P, W, evaluate=False), "")
    for where, less, more, verdict in (
        ((condition,), P, W, Verdict.PROVED),
        ((), P, W, Verdict.UNDECIDED),
        ((condition,), W, P, Verdict.UNDECIDED),
    ):
        steps = (
            premise(Lt(F, 2 * less, evaluate=False), ""),
            weaken(Lt(F, 2 * more, evaluate=False), ""),
        )
        claim = Implication(*(step.result for step in steps))
        made = Formula(
            "symbolic_llm.formulas.speculation.planted",
            "Planted",
            claim=claim,
            kind=Kind.THEOREM,
            where=where,
            steps=steps,
            unmeasured="planted",
        )
        assert check_steps(made).verdict is verdict, (where, less)


def test_several_tokens_in_one_pass() -> None:
    """Logits are those of single steps; after going back, other tokens take the places of the first."""
    one, other = decoder(1), decoder(1)
    one.prefill([[1, 2]], capacity=8)
    other.prefill([[1, 2]], capacity=8)
    together = one.extend([[3, 4, 5]])[0]
    singly = np.stack([other.decode(token) for token in (3, 4, 5)])
    assert np.allclose(together, singly, atol=1e-4)
    one.rewind(3)
    again = one.extend([[6]])[0, 0]
    other.rewind(3)
    assert np.allclose(again, other.decode(6), atol=1e-4)
    assert not np.allclose(again, together[1], atol=1e-4)


def test_what_cannot_be_extended_or_taken_back() -> None:
    """Tokens of other sequences; more tokens than there are; what a window has overwritten."""
    made = decoder(1)
    made.prefill([[1, 2]], capacity=4)
    with pytest.raises(ValueError, match="tokens of 2 sequences"):
        made.extend([[1], [2]])
    with pytest.raises(ValueError, match="2 tokens to go back from"):
        made.rewind(3)
    windowed = Decoder(Config(n_blocks=1, n_vocab=7, d_model=4, windows=(2,), **SHAPE))
    windowed.prefill([[1, 2, 3]])
    with pytest.raises(ValueError, match="overwritten"):
        windowed.rewind(1)
