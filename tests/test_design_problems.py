"""Design problems: where a decision turns, put back into the laws, the two choices are equal, or change places"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symbolic_llm.pages import build
from symbolic_llm.pages.embeds import Embeds, Known
from symbolic_llm.pages.examples import EXAMPLES, Example
from symbolic_llm.pages.pen import Pen
from symbolic_llm.quantity import evaluated, of_preset, solved

DOCS = Path(__file__).parent.parent / "docs"
CHAPTER = "book/design-problems.md"


def stated(example: Example) -> SimpleNamespace:
    """Values that the chapter sets for an example, by name: data of its problems, and where they turn."""
    pages = build.Pages(DOCS, [])
    names = Embeds(Known(pages.known.reports), Pen("../"), example).names()
    chapter = pages._jinja.get_template(CHAPTER).make_module(names | {"formula": str})
    return SimpleNamespace(**{name: vars(chapter)[name] for name in vars(chapter) if name[0] != "_"})


def wrong(one: SimpleNamespace, example: Example) -> Iterator[str]:
    """Names of the places where a decision is said to turn and does not."""
    asked: Any = {**example}

    def step(given: dict[str, Any], batch: int, context: int) -> Fraction:
        return evaluated("separate_latency", B=batch, N=context, **given).value

    def fewer_weights(context: int) -> bool:
        return step(one.light, one.crew, context) <= step(one.slim, one.crew, context)

    if not fewer_weights(one.turn_context) or fewer_weights(one.turn_context + 1):
        yield "turn_context"
    work = []
    for faster in ("W", "F"):
        chip = {**asked, faster: 2 * of_preset(faster, **asked)}
        summary, chat = (
            evaluated("separate_prefill_time", B=1, N=prompt, **chip).value
            + answer * step(chip, one.seats, prompt + answer // 2) / one.seats
            for prompt, answer in ((one.report, one.gist), (one.question, one.reply))
        )
        work.append(one.turn_share * summary + (1 - one.turn_share) * chat)
    if work[0] != work[1]:
        yield "turn_share"

    def guessing(readers: int) -> bool:
        check = evaluated(
            "T_chunk_parts", B=readers, n_chunk=one.guesses + 1, N_prompt=one.short + one.guesses, **asked
        )
        drafts = one.guesses * step(one.guesser, readers, one.short)
        return drafts + check.value < one.kept.value * step(asked, readers, one.short)

    last = int(one.turn_readers)
    if [*map(guessing, (1, last, last + 1, one.crowd))] != [True, True, False, False]:
        yield "turn_readers"

    def mixture(readers: int) -> bool:
        return step(one.mixture, readers, one.brief_text) < step(one.dense, readers, one.brief_text)

    if (mixture(1), mixture(one.turn_first - 1), mixture(one.turn_first), mixture(one.office)) != (
        True,
        True,
        False,
        False,
    ):
        yield "turn_first"
    if (mixture(one.turn_last - 1), mixture(one.turn_last), mixture(one.public)) != (False, True, True):
        yield "turn_last"
    chunk = solved(
        "separate_mixed_step_time",
        "n_chunk",
        T_mixed_parts=one.turn_promise.value,
        B=1,
        N=one.late_text,
        N_prompt=one.asked,
        **one.reports,
    )
    if chunk.value != Fraction(one.asked, one.told):
        yield "turn_promise"
    begun = one.begun // one.own  # as much as so many agents have of their own
    beginnings = (
        evaluated("sequences_that_fit", N=one.own, **one.large),
        evaluated("sequences_on_devices", N=one.own, n_tensor=2, n_stages=1, **one.large),
        evaluated("sequences_that_fit", N=one.own, **one.small),
    )
    if [int(many) - begun for many in beginnings] != [agents for agents, *_ in one.fleets]:
        yield "fleets"
    half: dict[str, Any] = {**one.draft_shape, **one.fixed, "n_kv_heads": one.least_heads}
    token = evaluated(
        "kv_bytes_per_token", **{name: half[name] for name in ("n_blocks", "n_kv_heads", "d_head")}, n_bytes_kv=2
    )

    def held(context: int) -> int:
        left = of_preset("M", **asked).value - 2 * evaluated("llama_parameters", **half).value
        return int(left // (token.value * context))

    if (held(one.turn_texts), held(one.turn_texts + 1)) != (one.places, one.places - 1):
        yield "turn_texts"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.hardware)
def test_decisions_turn_where_the_chapter_says(example: Example) -> None:
    """Of both examples: the laws, asked on both sides of each place, or at it."""
    assert list(wrong(stated(example), example)) == []


def test_a_wrong_turn_is_noticed() -> None:
    """The twin: each place a little off, one at a time."""
    example = EXAMPLES[1]
    one = stated(example)
    promise = replace(one.turn_promise, value=one.turn_promise.value * Fraction(1001, 1000))
    fleets = [(agents + 1, *rest) for agents, *rest in one.fleets]
    moved = {name: getattr(one, name) - 1 for name in ("turn_context", "turn_first", "turn_last", "turn_texts")}
    moved |= {"turn_share": one.turn_share + Fraction(1, 10**9), "turn_readers": one.turn_readers + 1}
    for name, value in (moved | {"turn_promise": promise, "fleets": fleets}).items():
        assert list(wrong(SimpleNamespace(**{**vars(one), name: value}), example)) == [name]
