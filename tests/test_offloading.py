"""Layers in a second memory: the engine's two memories, the laws against plain loops, and the rows that say so"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tiny_passes import CONFIGS

from reference_engine import Config, Decoder
from reference_engine.config import InvalidConfig
from reference_engine.memory import Machine, OffChip, OutOfMemory, SecondMemory, move
from symbolic_llm import explain
from symbolic_llm.cli import main
from symbolic_llm.notation import named
from symbolic_llm.reports.rows import Row
from symbolic_llm.reports.sizing import Sizing

PROMPT = np.array([[3, 1, 4, 1, 5], [6, 5, 3, 5, 8]])
DENSE = replace(CONFIGS["joint"], n_blocks=3)
EXPERTS = CONFIGS["grouped"]


def _pair(config: Config, *offloaded: bool) -> tuple[Decoder, Decoder]:
    """A decoder in one memory, and one with the same weights in two."""
    return Decoder(config, seed=1), Decoder(replace(config, offloaded=offloaded), seed=1)


# The engine's two memories


@pytest.mark.parametrize("config", [DENSE, EXPERTS], ids=["dense", "experts"])
def test_where_weights_lie_makes_no_difference_to_logits(config: Config) -> None:
    """All counts are the same; those of the second memory are entered as such."""
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
    """A full memory leaves the other as it is; a weight that has no room stays where it was."""
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
    assert made.machine.held == made.ledger.footprint() - made.ledger.footprint("*.host") == made.machine.capacity
    second = SecondMemory(made.machine, capacity=made.ledger.footprint("*.host"))
    with pytest.raises(OutOfMemory):
        move(weights, moved, second)


def test_memories_that_were_one_are_missed() -> None:
    """The twin: a machine that counts what lies in its second memory as its own has no room for what fits."""

    class Forgetful(Machine):
        @property
        def held(self) -> int:
            return self.ledger.footprint()

    config = replace(DENSE, offloaded=(True,))
    room = Decoder(config).machine.held
    assert Decoder(config, machine=Machine(capacity=room)).machine.held == room
    with pytest.raises(OutOfMemory):
        Decoder(config, machine=Forgetful(capacity=room))


def test_no_block_is_left_unsaid() -> None:
    """An empty list of offloaded blocks is refused."""
    with pytest.raises(InvalidConfig, match="offloaded says it of at least one block"):
        replace(DENSE, offloaded=())


# The laws, by hand and in loops


def test_llama_on_one_card() -> None:
    """By hand: 80 layers of 855,638,016 weights in 4.5 bits; what stays beside them is embedding, output and norms.

    24 GB less 2·128,256·8,192 + 161·8,192 weights and 4,096·327,680 bytes of cache hold 44 layers. The other 36 are
    read at 60 GB/s, the rest at 1,008.
    """
    each = (2 * 128 * 8192 * 72 + 3 * 8192 * 28672) * Fraction(9, 16)
    stay = (2 * 128_256 * 8192 + 161 * 8192) * Fraction(9, 16) + 4096 * 327_680
    assert (24 * 10**9 - stay) // each == 44
    near = 44 * each + 128_256 * 8192 * Fraction(9, 16) + 4096 * 327_680
    time = near / (1008 * 10**9) + 36 * each / (60 * 10**9)
    rows = _rows("llama-3.3-70b", weights="q4_0")
    assert rows["layers_near"].value == 44
    assert rows["layers_far"].value == 36
    assert rows["offloaded_step_time"].value == time
    assert rows["offloaded_throughput"].value == 1 / time
    assert round(float(1 / time), 3) == 3.208


def test_gpt_oss_on_one_card() -> None:
    """By hand: 36 blocks of 128 experts of 3·2,880² weights in 17/32 bytes, of which a token reads 4.

    All else is in bf16. Of the 65.25 GB of its file 60.91 are of experts, so 11 blocks keep theirs, and 25 do not.
    """
    each = 128 * 3 * 2880**2 * Fraction(17, 32)
    held = _rows("gpt-oss-120b", dtype="bf16")
    stay = held["held"].value - 36 * each
    assert round(float(36 * each) / 1e9, 2) == 60.91
    assert (24 * 10**9 - stay) // each == held["layers_near"].value == 11
    read, moved = held["decode_memory_time"].value * 1008 * 10**9, each * 4 / 128
    time = (read - 25 * moved) / (1008 * 10**9) + 25 * moved / (60 * 10**9)
    assert held["offloaded_step_time"].value == time
    assert round(float(1 / time), 2) == 38.71


@pytest.mark.parametrize(("model", "batch"), [("llama-3.3-70b", 1), ("gpt-oss-120b", 4), ("qwen3-30b-a3b", 40)])
def test_layers_one_by_one(model: str, batch: int) -> None:
    """The step is what a loop over layers gives: each takes the longer of its times, where it lies."""
    at = {"model": model, "dtype": "bf16", "B": batch, "n_far": 7, "W_host": 60 * 10**9, "F_host": 10**11}
    known = explain("offloaded_step_time", N=4096, hardware="h100-sxm", **at).given.numbers()
    layer = {name: known[named(name)] for name in ("D_layer", "P_layer", "W", "F")}
    reads, works = layer["D_layer"], 2 * layer["P_layer"] * batch
    whole = explain("memory_time_with_cache", model=model, dtype="bf16", hardware="h100-sxm", N=4096, B=batch).exact
    done = explain("compute_time_with_attention", model=model, dtype="bf16", hardware="h100-sxm", N=4096, B=batch).exact
    near, computed, far = whole, done, Fraction(0)
    for _ in range(7):
        near, computed = near - reads / layer["W"], computed - works / layer["F"]
        far += max(reads / Fraction(60 * 10**9), works / Fraction(10**11))
    assert explain("offloaded_step_time", N=4096, hardware="h100-sxm", **at).exact == max(near, computed) + far


# The rows

HOST = {"host_bandwidth": "60 GB/s", "host_flops": "1 TFLOP/s", "host_memory": "32 GB", "host_link": "25 GB/s"}


def _rows(model: str, hardware: str = "rtx-4090", **asked: Any) -> dict[str, Row]:
    """Rows of a sizing by key, with the second memory of these tests."""
    return {row.key: row for row in Sizing(model, hardware, **{**HOST, **asked}).rows}


def test_the_border_of_streaming() -> None:
    """4.5 bits and 1 TFLOP/s over 25 GB/s: 11.25 sequences. With more the streamed step is the shorter one."""
    for batch, shorter in ((11, "offloaded_step_time"), (12, "streamed_step_time")):
        rows = _rows("llama-3.3-70b", weights="q4_0", batch=batch)
        assert rows["streaming_break_even"].value == 11
        assert min(("offloaded_step_time", "streamed_step_time"), key=lambda key: rows[key].value) == shorter


def test_what_is_said_of_it() -> None:
    """The sentence, whether the second memory holds its layers, and where the time goes."""
    found = Sizing("llama-3.3-70b", "rtx-4090", weights="q4_0", **HOST)  # type: ignore[arg-type]
    assert found.answer[-1] == "With 36 of 80 layers in the second memory it decodes 3.208 token/s."
    small = Sizing("llama-2-70b", "a100-80gb-sxm", host_bandwidth="60 GB/s", host_memory="1 GB")
    assert ", whose 1 GB are too small for them, it decodes" in small.answer[-1]
    notes = {row.key: row.note for row in found.rows}
    assert notes["layers_far"] == "all others, 481.3 MB each, 17.33 GB together"
    assert notes["offloaded_step_time"] == "92.6 % of it in the second memory, memory-bound there"
    small = _rows("llama-3.3-70b", weights="q4_0", host_memory="16 GB")
    assert small["layers_far"].note.endswith("together, which does not fit into 16 GB")
    slow = _rows("llama-3.3-70b", weights="q4_0", host_flops="10 GFLOP/s")
    assert slow["offloaded_step_time"].note.endswith("compute-bound there")


def test_a_peak_that_is_not_known() -> None:
    """The times of what computes there are bounds then, and so is the throughput."""
    rows = _rows("gpt-oss-120b", dtype="bf16", host_flops=None, host_link=None)
    assert rows["offloaded_step_time"].bound.startswith("≥ 25.83 ms")
    assert rows["offloaded_throughput"].bound == "≤ 38.71 token/s"


@pytest.mark.parametrize(
    ("model", "hardware", "reason"),
    [
        ("llama-3-8b", "rtx-4090", "all layers fit, and none has to move"),
        ("llama-3.3-70b", "t4", ""),
    ],
)
def test_where_no_layer_has_to_move(model: str, hardware: str, reason: str) -> None:
    """A row gives the reason where none has to; else there is a step."""
    rows = _rows(model, hardware)
    assert ("offloaded_step_time" in rows) == (not reason)
    assert reason in rows["layers_near"].note


def test_the_pointer() -> None:
    """A model that does not fit is told of the option."""
    assert "host_bandwidth=" in Sizing("llama-3.3-70b", "rtx-4090").answer[-1]
    assert "host_bandwidth" not in " ".join(Sizing("llama-3-8b", "rtx-4090").answer)


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    """Each gets one sentence."""
    for line, said in (
        ("gpt2 --host-bandwidth 60", "--host-bandwidth needs a unit, as in '60 GB/s', but '60' was given."),
        ("gpt2 --host-memory 64GB", "give --host-bandwidth too"),
        ("gpt2 --host-bandwidth 60GB/s", "a second memory is of one device: give --hardware"),
        ("gpt2 --hardware a10 --devices 2 --host-bandwidth 60GB/s", "and no --devices, --tensor or --pipeline"),
        ("gpt2 --per-op --host-link 60GB/s", "--per-op shows a single pass, so it cannot be used with"),
    ):
        assert main(["model", *line.split()]) == 2
        assert said in capsys.readouterr().err
