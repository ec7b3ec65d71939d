"""Movement and room: weights from a storage, caches handed to another device, pages, and the rows that say so"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tiny_passes import CONFIGS

from reference_engine import Config, Decoder
from reference_engine.memory import Machine, OffChip, OutOfMemory, load
from reference_engine.parallel.handover import hand_over
from symbolic_llm import evaluate, explain
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue
from symbolic_llm.reports.sizing import Sizing

PROMPT = np.array([[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 9, 7]])
RATES = {"storage": "7 GB/s", "transfer": "50 GB/s"}


# Weights from a storage


def test_a_decoder_on_loaded_weights() -> None:
    """Its logits are those of the storage's own decoder; each byte that is held came over the link once."""
    stored = Decoder(CONFIGS["grouped"], seed=1)
    stored.ledger.clear()
    machine = Machine()
    loaded = Decoder(stored.config, machine=machine, weights=load(stored.weights, machine))
    assert stored.ledger.total("sent") == machine.ledger.footprint("weights.*") == stored.ledger.footprint("weights.*")
    assert_array_equal(loaded.prefill(PROMPT), stored.prefill(PROMPT))


def test_weights_that_do_not_fit_are_not_loaded() -> None:
    stored = Decoder(CONFIGS["plain"])
    with pytest.raises(OutOfMemory):
        load(stored.weights, Machine(capacity=stored.ledger.footprint("weights.*") - 1))


# Caches from one device to another


def _pair(config: Config) -> tuple[Decoder, Decoder]:
    """A decoder that has read a prompt, with room for more, and another with the same weights."""
    sender, receiver = (Decoder(config, seed=1, growing=True) for _ in range(2))
    sender.prefill(PROMPT, capacity=20)
    sender.ledger.clear()
    return sender, receiver


def _goes_on(sender: Decoder, receiver: Decoder) -> bool:
    """Whether both give the same logits from here on, step by step."""
    steps = ([7, 2], [1, 8], [2, 8])
    return all(np.array_equal(sender.decode(tokens), receiver.decode(tokens)) for tokens in steps)


@pytest.mark.parametrize("kind", CONFIGS)
def test_the_receiver_goes_on_where_the_sender_was(kind: str) -> None:
    """Of every kind of decoder; what was sent is what a cache of just these tokens holds."""
    sender, receiver = _pair(CONFIGS[kind])
    hand_over(sender, receiver)
    kept = receiver.ledger.footprint("cache.*") + receiver.ledger.footprint("states.*")
    assert 0 < sender.ledger.total("sent") == kept
    assert receiver.ledger.total("loaded") == 0
    assert _goes_on(sender, receiver)


def test_a_cache_that_is_left_behind_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without the keys of one block the answer is another."""
    sender, receiver = _pair(CONFIGS["grouped"])
    left, send = sender.caches[1]["keys"].vectors, OffChip.send_to

    def sent(numbers: OffChip, *to: Any) -> None:
        if numbers is not left:
            send(numbers, *to)

    monkeypatch.setattr(OffChip, "send_to", sent)
    hand_over(sender, receiver)
    assert not _goes_on(sender, receiver)


def test_a_receiver_without_room_is_as_it_was() -> None:
    """Neither holds nor has sent more than before."""
    sender = _pair(CONFIGS["plain"])[0]
    receiver = Decoder(sender.config, machine=Machine(capacity=sender.ledger.footprint("weights.*")))
    with pytest.raises(OutOfMemory):
        hand_over(sender, receiver)
    assert receiver.ledger.footprint("cache.*") == sender.ledger.total("sent") == receiver.context == 0


# Caches in pages


@pytest.mark.parametrize("page", [1, 3, 4, 100])
@pytest.mark.parametrize("kind", ["grouped", "two kinds", "latent", "expanded"])
def test_pages_are_whole_and_change_no_logits(kind: str, page: int) -> None:
    """A cache that grows by pages has room for the last one whole, in windows too, and reads what any cache reads."""
    config = CONFIGS[kind]
    plain, paged = Decoder(config, seed=1, growing=True), Decoder(config, seed=1, growing=True, page=page)
    open_ = Decoder(replace(config, windows=(None,)), growing=True)  # what no window makes smaller
    for decoder in (plain, paged):
        decoder.prefill(PROMPT)
    for _ in range(3):
        assert_array_equal(plain.decode([1, 2]), paged.decode([1, 2]))
    tokens = PROMPT.shape[1] + 3
    open_.start(2, -(-tokens // page) * page)
    if config.alike:  # else a window is of another kind of heads
        assert paged.ledger.footprint("cache.*") == open_.ledger.footprint("cache.*")
    assert paged.ledger.footprint("cache.*") >= plain.ledger.footprint("cache.*")
    assert paged.ledger.total("loaded") == plain.ledger.total("loaded")


def test_what_vllm_reserves() -> None:
    """For 32 sequences of 8,192 tokens of gpt-oss-20b it reserved 12.00 GiB, where tokens in their windows need 6.09.

    https://github.com/alvarobartt/hf-mem/pull/70
    """
    asked = {"model": "gpt-oss-20b", "cache": "bf16", "N": 8192, "B": 32}
    assert evaluate("paged_cache_bytes", n_page=16, **asked) == 12 * 2**30
    assert round(evaluate("kv_bytes_total", **asked) / 2**30, 2) == 6.09
    rows = {row.key: row for row in Sizing("gpt-oss-20b", cache="bf16", context=8192, batch=32, page=16).rows}
    assert rows["paged_kv_bytes"].value == 12 * 2**30
    assert rows["paged_kv_bytes"].note == "windows give no pages back"


@pytest.mark.parametrize(("tokens", "pages"), [(1, 1), (15, 1), (16, 1), (17, 2), (4096, 256)])
def test_the_last_page_is_whole(tokens: int, pages: int) -> None:
    asked = {"model": "llama-3-8b", "cache": "fp16"}
    each = evaluate("kv_bytes_per_token", **asked)
    assert evaluate("paged_cache_bytes", N=tokens, B=3, n_page=16, **asked) == 3 * pages * 16 * each


def test_latent_attention_whose_heads_are_cached() -> None:
    """DeepSeek-V3 by hand: 61 layers, 128 heads with keys of 128 + 64 numbers and values of 128: 71 times as much."""
    asked = {"model": "deepseek-v3", "cache": "fp16"}
    expanded = evaluate("expanded_kv_bytes_per_token", **asked)
    assert expanded == 61 * 128 * (128 + 64 + 128) * 2
    assert round(expanded / evaluate("latent_kv_bytes_per_token", **asked)) == 71


# The rows


@pytest.mark.parametrize("model", ["llama-3-8b", "mixtral-8x7b", "gemma-2-27b", "deepseek-v3", "qwen3-next-80b-a3b"])
def test_rows_are_what_their_formulas_say(model: str) -> None:
    """Of a request it is the prompt that is handed over, else the context."""
    figures = {"W_storage": RATES["storage"], "W_transfer": RATES["transfer"]}
    for load_, tokens in (({}, 4096), ({"prompt": 700, "new": 5}, 700)):
        rows = {row.key: row for row in Sizing(model, "h200-sxm", batch=3, **load_, **RATES).rows}  # type: ignore[arg-type]
        for key, by in (("loading_time", "loading_time"), ("handover_time", "handover_time")):
            asked = {"model": model, "hardware": "h200-sxm", "dtype": "fp16", "N": tokens, "B": 3, **figures}
            used = {letter: asked[letter] for letter in _letters(by, asked)}
            assert rows[key].value == explain(by, **used).exact
        assert rows["handed_over"].value == rows["handover_time"].value * 50 * 10**9


def _letters(name: str, asked: dict[str, Any]) -> list[str]:
    """Letters and presets that a formula is asked with, of all that are known."""
    mine = {"loading_time": ("W_storage",), "handover_time": ("N", "B", "W_transfer")}[name]
    return [one for one in asked if one in ("model", "hardware", "dtype", *mine)]


def test_figures() -> None:
    """By hand: 70,553,706,496 weights of a byte at 7 GB/s; 80 layers of 2·8·128 numbers of 2 bytes for 4,096 tokens."""
    assert evaluate("loading_time", model="llama-3-70b", weights="fp8", W_storage="7 GB/s") == 70_553_706_496 / 7e9
    handed = evaluate("handover_time", model="llama-3-70b", cache="fp16", N=4096, B=1, W_transfer="400 Gbit/s")
    assert handed == pytest.approx(80 * 2 * 8 * 128 * 2 * 4096 / 50e9, rel=1e-15)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows, and the command that explains them; a rate of nothing is refused."""
    assert main(["model", "gpt2", "--storage", "2 GB/s", "--transfer", "1 GB/s", "--batch", "2"]) == 0
    shown = capsys.readouterr().out
    assert "Loading from storage at 2 GB/s" in shown
    assert "Handing over: caches of 4,096 tokens, batch 2, at 1 GB/s" in shown
    assert "W_storage='2 GB/s' and W_transfer='1 GB/s' if the formula" in shown
    with pytest.raises(InvalidValue, match=r"storage \(bandwidth of the disk or network .*\) must be positive"):
        Sizing("gpt2", storage=0)
