"""Layers in a second memory: the engine's two memories, the laws against plain loops, and the rows that say so"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tiny_passes import CONFIGS

from reference_engine import Config, Decoder
from reference_engine.config import InvalidConfig
from reference_engine.memory import Machine, OffChip, OutOfMemory, SecondMemory, move

PROMPT = np.array([[3, 1, 4, 1, 5], [6, 5, 3, 5, 8]])
DENSE = replace(CONFIGS["joint"], n_blocks=3)
EXPERTS = CONFIGS["grouped"]


def _pair(config: Config, *offloaded: bool) -> tuple[Decoder, Decoder]:
    """A decoder in one memory, and one with the same weights in two."""
    return Decoder(config, seed=1), Decoder(replace(config, offloaded=offloaded), seed=1)


# The engine's two memories


@pytest.mark.parametrize("config", [DENSE, EXPERTS], ids=["dense", "experts"])
def test_where_weights_lie_makes_no_difference_to_logits(config: Config) -> None:
    """Nor to what is loaded and computed in all; what lies in the second memory is loaded and multiplied there."""
    one, two = _pair(config, False, True)
    assert_array_equal(one.prefill(PROMPT), two.prefill(PROMPT))
    for what in ("flops", "loaded", "stored"):
        assert one.ledger.total(what) == two.ledger.total(what)
        assert one.ledger.total(what, "*.host") == 0
    assert one.ledger.footprint() == two.ledger.footprint()
    assert two.ledger.total("loaded", "*.host") > 0
    assert two.ledger.matmul_flops("*.host") > 0
    assert two.machine.held == two.ledger.footprint() - two.ledger.footprint("*.host") < one.machine.held


@pytest.mark.parametrize("kind", CONFIGS)
def test_all_that_comes_from_the_second_memory_is_entered_there(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every kind of decoder: each load is entered at a path of its own, none at that of the machine's memory."""
    made, load = Decoder(replace(CONFIGS[kind], offloaded=(True,))), OffChip.load_packed

    def loaded(numbers: OffChip, index: Any = ()) -> Any:
        assert made.ledger.path.endswith(".host") == numbers.is_beside, made.ledger.path
        return load(numbers, index)

    monkeypatch.setattr(OffChip, "load_packed", loaded)
    made.prefill(PROMPT)
    assert made.ledger.total("loaded", "*.host") > 0


def test_what_lies_in_the_second_memory() -> None:
    """All matrices of a dense block and no norm; of a block with experts those of experts, and not the router."""
    whole = replace(DENSE, offloaded=(False, True, False))
    beside = {name for name in whole.shapes if whole.lies_beside(name)}
    matrices = {name for name, shape in whole.shapes.items() if name.startswith("blocks.1.") and len(shape) == 2}
    assert beside == matrices
    sparse = replace(EXPERTS, offloaded=(True,))
    of_experts = [name for name in sparse.shapes if sparse.lies_beside(name) and ".experts." in name]
    assert of_experts
    assert not any("router" in name or "shared" in name for name in sparse.shapes if sparse.lies_beside(name))


def test_each_memory_has_a_limit_of_its_own() -> None:
    """What fills the one leaves the other as it is; a weight that has no room stays where it was."""
    made = Decoder(replace(DENSE, offloaded=(True,)))
    weights = dict(made.weights)
    moved = next(name for name in weights if made.config.lies_beside(name))
    before = weights[moved]
    made.machine.capacity = made.machine.held
    with pytest.raises(OutOfMemory):
        move(weights, moved, made.machine)
    assert weights[moved] is before
    made.machine.capacity = made.machine.held + before.nbytes
    move(weights, moved, made.machine)
    assert not weights[moved].is_beside
    second = SecondMemory(made.machine, capacity=made.ledger.footprint("*.host"))
    with pytest.raises(OutOfMemory):
        move(weights, moved, second)


def test_memories_that_were_one_are_missed() -> None:
    """The twin: a machine that counts what lies in its second memory as its own has no room for what fits."""

    class Forgetful(Machine):
        def _has(self, path: str) -> bool:
            return True

    config = replace(DENSE, offloaded=(True,))
    room = Decoder(config).machine.held
    assert Decoder(config, machine=Machine(capacity=room)).machine.held == room
    with pytest.raises(OutOfMemory):
        Decoder(config, machine=Forgetful(capacity=room))


def test_no_block_is_left_unsaid() -> None:
    """Which blocks are offloaded is said of one at least."""
    with pytest.raises(InvalidConfig, match="offloaded says it of at least one block"):
        replace(DENSE, offloaded=())
