"""An engine that lies: a line of it is changed, and some check has to notice

A formula is only as good as the engine that it agrees with. Each test changes one line of the engine as it runs, and
asks for the formulas that the change makes false.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from planting import edited, faults, forgetting, planted, planting

from reference_engine import ledger, ops
from reference_engine.cache import Cache
from reference_engine.layers import Layers
from reference_engine.memory import Machine
from symbolic_llm import catalogue
from symbolic_llm.checks.report import check_formula

pytestmark = pytest.mark.xdist_group("attacks")  # each empties the caches that other tests live on


@contextmanager
def ruled(op: str, rule: Any) -> Iterator[None]:
    """While it lasts, the ledger has another rule for an op."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ledger.RULES, op, rule)
        with forgetting():
            yield


def multiplying_twice() -> AbstractContextManager[None]:
    """Every matrix product is computed twice and entered once."""
    twice = "_ = product_of_scalars(x, y) if x.dtype == object or y.dtype == object else x @ y\n"
    return edited(ops.matmul, "    *batch, m, k", f"    {twice}    *batch, m, k")


def entering_half() -> AbstractContextManager[None]:
    """The rule of the matrix product leaves the additions out."""
    return ruled("matmul", lambda batch, m, n, k: batch * m * n * k)


def loading_twice() -> AbstractContextManager[None]:
    """A layer loads its matrix a second time."""
    return edited(Layers.linear, "if bias is not None:", "matrix.load()\n        if bias is not None:")


def counting_exponentials_twice() -> AbstractContextManager[None]:
    """The rule says that an exponential is two operations."""
    return ruled("exp", lambda size: 2 * size)


def keeping_pages() -> AbstractContextManager[None]:
    """The cache keeps pages of sixteen tokens."""
    room = "min(capacity, window or capacity)"
    return edited(Cache.__init__, f"reserve({room})", f"reserve(-(-{room} // 16) * 16)")


def never_full() -> AbstractContextManager[None]:
    """The last byte of memory is never given away."""
    return edited(Machine.place, "+ nbytes > self.capacity", "+ nbytes >= self.capacity")


@dataclass(frozen=True)
class EngineAttack:
    """A changed line, what it makes of a formula, and the checks of which one has to notice it."""

    change: Any
    formula: str
    claims: str
    rejected_by: tuple[str, ...]


ENGINE_ATTACKS = (
    EngineAttack(multiplying_twice, "decode_product_flops", "products are done twice, entered once", ("engine",)),
    EngineAttack(multiplying_twice, "decode_flops", "the same, among all operations", ("engine",)),
    EngineAttack(multiplying_twice, "prefill_flops", "the same, in a prefill", ("engine",)),
    EngineAttack(entering_half, "decode_product_flops", "additions are not entered", ("engine",)),
    EngineAttack(loading_twice, "weights_read", "matrices are loaded twice", ("engine",)),
    EngineAttack(loading_twice, "memory_time", "and the time is that of one load", ("engine",)),
    EngineAttack(counting_exponentials_twice, "stable_softmax_flops", "the engine alone has the rule", ("engine",)),
    EngineAttack(counting_exponentials_twice, "attention/dear_exponentials", "both sides have the rule", ("engine",)),
    EngineAttack(keeping_pages, "kv_bytes_per_token", "a token takes a page", ("engine",)),
    EngineAttack(keeping_pages, "kv_bytes_total", "a short sequence takes a page", ("engine",)),
    EngineAttack(keeping_pages, "kv_cache/one_page_each", "every sequence takes one page", ("engine", "certificate")),
    EngineAttack(never_full, "sequences_that_fit", "memory is never filled exactly", ("engine", "certificate")),
)


@pytest.fixture(autouse=True)
def _planted() -> Iterator[None]:
    with planting():
        yield


@pytest.mark.parametrize("attack", ENGINE_ATTACKS, ids=lambda attack: f"{attack.change.__name__}-{attack.formula}")
def test_a_lying_engine_is_noticed(attack: EngineAttack) -> None:
    """The formula is right, or wrong in the way that the engine is, and is not called proved."""
    formula = planted(attack.formula) if "/" in attack.formula else catalogue()[attack.formula]
    with attack.change():
        found = faults(check_formula(formula))
    assert found.keys() & set(attack.rejected_by), f"{attack.claims}\n{found}"


def test_the_engine_is_itself_again() -> None:
    """What was changed for one test is forgotten after it."""
    with loading_twice():
        assert "engine" in faults(check_formula(catalogue()["weights_read"]))
    assert faults(check_formula(catalogue()["weights_read"])) == {}
