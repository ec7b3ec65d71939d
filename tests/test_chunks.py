"""Chunked prefill: the engine takes a prompt in chunks, and a mixed step reads its weights once"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest

from reference_engine import Config, Decoder, Float
from reference_engine.attention.latent import Latent
from reference_engine.probes import SUBJECTS, mixed_steps, probes
from reference_engine.probes.ledger_selections import READ
from reference_engine.probes.mixed_steps import MIXED
from reference_engine.probes.runs import STEP
from symbolic_llm import evaluate
from symbolic_llm.catalogue import catalogue
from symbolic_llm.expressions.exact import exact
from symbolic_llm.notation import n_chunk
from symbolic_llm.witness.letters import bound, reading

SHAPE = {"n_blocks": 2, "n_kv_heads": 2, "group": 3, "pairs": 1, "d_model": 7, "d_ff": 5, "n_vocab": 11}
LOAD = {"batch": 3, "context": 5, "chunk": 4, "earlier": 6}
FLOATS: dict[str, Any] = {"weights": Float(64), "vectors": Float(64), "cache": Float(64), "positions": "rotary"}
GROUPED = Config(2, 4, 4, 11, n_kv_heads=2, tied=False, **FLOATS)
WINDOWED = Config(2, 4, 4, 11, windows=(3, None), **FLOATS)
LATENT = Config(2, 2, 4, 11, attention=Latent(3, 2), d_value=5, d_model=6, **FLOATS)


@pytest.mark.parametrize("config", [GROUPED, WINDOWED, LATENT], ids=["grouped", "windowed", "latent"])
def test_a_prompt_in_chunks_is_the_same_prompt(config: Config) -> None:
    """Every logit is that of the prompt at once; and a chunk that is left out changes them."""
    tokens = np.arange(9)[None] % 11
    decoder = Decoder(config, seed=1)
    whole = decoder.prefill(tokens)
    parts = [decoder.prefill(tokens[:, :4], capacity=9), decoder.extend(tokens[:, 4:7]), decoder.extend(tokens[:, 7:])]
    assert np.allclose(np.concatenate(parts, axis=1), whole)
    decoder.prefill(tokens[:, :4], capacity=9)
    assert not np.allclose(decoder.extend(tokens[:, 7:]), whole[:, 7:])
    with pytest.raises(ValueError, match="tokens of 2 sequences were given for 1"):
        decoder.extend(np.zeros((2, 1), int))


def test_a_mixed_step_reads_its_weights_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mixed step reads its weights once, as a decoding step does.

    The twin, where nothing stays on the chip, reads them twice.
    """
    subject = SUBJECTS["llama"]
    ((_, step, *_),) = STEP.passes(subject, SHAPE | LOAD)
    ((_, mixed, tokens, _),) = MIXED.passes(subject, SHAPE | LOAD)
    once = sum(sum(selection.of(step)) for selection in READ.selections)
    assert sum(sum(selection.of(mixed)) for selection in READ.selections) == once > 0
    assert tokens == LOAD["batch"] + LOAD["chunk"]
    monkeypatch.setattr(mixed_steps, "OnChip", lambda numbers: numbers)
    ((_, both, *_),) = MIXED.passes(subject, SHAPE | LOAD)
    assert sum(sum(selection.of(both)) for selection in READ.selections) == 2 * once


@pytest.mark.parametrize("name", ["llama", "latent"])
@pytest.mark.parametrize("flops", [7, 11, 19])
def test_the_free_chunk_is_the_largest_that_waits_for_memory(name: str, flops: int) -> None:
    """Found by running chunk after chunk that ends at one token of the prompt: the last that is memory-bound."""
    formula = catalogue()["memory_bound_chunks"]
    (probe,) = [probe for probe in probes(formula.measured_by) if probe.subject.name == name]
    shape = SHAPE | {"n_heads": 2, "d_latent": 3, "d_nope": 2, "d_value": 3}
    given = {name: shape[name] for name in probe.parameters if name in shape}
    given |= {"batch": 2, "context": 3, "n_bytes": 8, "n_bytes_kv": 4, "flops": flops, "bandwidth": 2}
    prompt = 40
    bound_by = {p: probe.ask(**given, chunk=p, earlier=prompt - p) for p in range(1, prompt)}
    last = max((p for p, memory in bound_by.items() if memory), default=0)
    assert [p for p, memory in bound_by.items() if memory] == list(range(1, last + 1))
    assert 0 < last < prompt - 1, "the search has to find an end"
    values = reading(bound(formula, probe), probe)({**given, "chunk": 1, "earlier": prompt - 1})
    free = Fraction(exact(catalogue()["free_chunk_with_attention"].rhs, values))
    assert ceil(free) - 1 == last  # where both times are equal, no resource waits
    assert n_chunk in values


def test_a_free_chunk_of_a_real_model() -> None:
    """On an A100 in fp16 the ridge is at 153 tokens, of which 32 decode."""
    given = {"hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 32}
    assert evaluate("free_chunk", **given) == pytest.approx(312e12 * 2 / (2 * 2039e9) - 32)
    load = {"model": "llama-2-70b", "N": 4096, "N_prompt": 1024}
    free = evaluate("free_chunk_with_attention", **given, **load)
    below, beyond = (evaluate("mixed_step_time", **given, **load, n_chunk=p) for p in (int(free), int(free) + 1))
    assert int(free) == 163
    assert below == pytest.approx((2 * 68713185280 + 327680 * (32 * 4096 + 1024)) / 2039e9)
    assert beyond > below
    price = evaluate("chunk_price", **given, **load, n_chunk=1000)
    more = evaluate("mixed_step_time", **given, **load, n_chunk=1001)
    assert more - evaluate("mixed_step_time", **given, **load, n_chunk=1000) == pytest.approx(price)
