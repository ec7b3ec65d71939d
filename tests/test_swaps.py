"""Every letter of every measured formula, exchanged for every other of its unit

Letters that the engine's decoders tie to each other cannot be told apart by counting: a cache that is written with
n_heads is right wherever every head has keys of its own. So each exchange has to be rejected, or the two letters have
to be one number for all subjects of the formula, because a formula of the catalogue says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from swaps import Swap, equal_by, equations, exchanged, rejected, survives, swaps, wrong_at_once

from symbolic_llm import catalogue
from symbolic_llm.formula import Formula
from symbolic_llm.notation import D_seq, M_seq, P, P_attention, P_read, P_total, n_heads, n_kv_heads

pytestmark = pytest.mark.usefixtures("kept_findings")

EQUATIONS = {formula.name: formula for formula in equations()}


def unexplained(exchanges: Iterable[Swap]) -> list[str]:
    """Those that nothing rejects and no formula makes harmless."""
    return [str(swap) for swap in exchanges if survives(swap) and not equal_by(swap)]


@pytest.mark.parametrize("name", EQUATIONS)
def test_no_letter_stands_for_another(name: str) -> None:
    """Units, the engine or a grid tell them apart, unless a formula says that they are equal there."""
    assert unexplained(swaps(EQUATIONS[name])) == []


def test_all_of_them_are_tried() -> None:
    """A sweep over nothing finds nothing."""
    assert sum(len(swaps(formula)) for formula in EQUATIONS.values()) > 7000


@pytest.mark.parametrize("name", list(EQUATIONS)[::29])
def test_what_values_settle_is_rejected(name: str) -> None:
    """The formula that a letter's value tells to be wrong is wrong where it is written down."""
    settled = [swap for swap in swaps(EQUATIONS[name]) if wrong_at_once(swap)]
    assert settled
    assert all(rejected(next(exchanged(swap)), swap.formula) for swap in settled)


def of(name: str, measured_by: str = "") -> Formula:
    """A formula of the catalogue, with another question if one is named."""
    return replace(catalogue()[name], measured_by=measured_by) if measured_by else catalogue()[name]


def test_a_tied_decoder_is_noticed() -> None:
    """The twin: where every head has its own keys, n_heads does for n_kv_heads and nobody can tell; llamas can."""
    for name, question in (("kv_bytes_per_token", "cache.bytes_of_a_token"), ("decode_flops", "decode.flops")):
        letters = (n_kv_heads, n_heads) if name == "kv_bytes_per_token" else (n_heads, n_kv_heads)
        tied, untied = Swap(of(name, f"schematic/{question}"), *letters), Swap(of(name), *letters)
        assert unexplained([tied]) == [str(tied)]
        assert survives(untied) is False


def test_what_makes_two_letters_equal_is_named() -> None:
    """By the formulas that count the one and the other for a subject; other decoders have other formulas."""
    assert equal_by(Swap(of("compute_time"), P, P_total)) == ()
    assert "weights_read" in equal_by(Swap(of("llama_decode_flops"), P, P_read))
    assert equal_by(Swap(of("llama_decode_flops"), P, P_total)) == ()
    on_llama = of("memory_time_with_cache", "llama/clock.memory_time_with_cache")
    assert equal_by(Swap(on_llama, D_seq, M_seq)) == ("context_bytes", "context_bytes_read")
    assert equal_by(Swap(of("memory_time_with_cache", "hybrid/clock.memory_time_with_cache"), D_seq, M_seq)) == ()


def test_a_formula_that_applies_nowhere_is_rejected() -> None:
    """What counts the other letter may describe no decoder of the formula's: it is compared with nothing then."""
    swap = Swap(of("expert_weights_read"), P, P_attention)
    assert all(rejected(made, swap.formula) for made in exchanged(swap))
