"""Every number of the documents that the project began with, and every collected figure, is claimed or excused"""

from __future__ import annotations

import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from figures import EVERY

from symbolic_llm import audit
from symbolic_llm.audit import Claims
from symbolic_llm.audit.printed import read_printed

DOCUMENTS = {
    "timbers-2023": 109,
    "karpathy-2023": 28,
    "retelling-english": 104,
    "retelling-chinese": 89,
    "baseten-2023": 214,
}
SEED_NUMBERS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "data/seed_numbers.toml").read_text("utf-8"))
# claims on what the text says without a figure, or in the author's later text
WITHOUT_NUMBER = {
    "weights-total",
    "latency-memory-later",
    "latency-compute-later",
    "operations-as-bandwidth",
    "long-prompts",
    "prefill-equation",
}
# what their printed figure says stands in words: it fits, it is less, the same again, and the like
IN_WORDS = {"fits-a100", "fits-not-24-gb", "pi-compute-bound", "int4-same-crossover", "smaller-a100"}
NUMBERS_IN_WORDS = {"two": 2, "twice": 2, "doubles": 2, "两": 2, "four": 4, "eight": 8}


def unlisted(numbers: str, claims: Claims, reasons: dict[str, str]) -> list[str]:
    """The numbers of a document that neither a claim covers nor a reason excuses."""
    known = {claim.id for claim in claims.claims}
    found = []
    for one in numbers.split():
        figure, claimed, ids = one.partition("=")
        if not (set(ids.split(",")) <= known if claimed else figure.partition(":")[2] in reasons):
            found.append(one)
    return found


def covered(numbers: str) -> dict[str, set[Fraction]]:
    """The numbers that each claim covers."""
    found: dict[str, set[Fraction]] = {}
    for figure, ids in (one.split("=") for one in numbers.split() if "=" in one):
        for name in ids.split(","):
            found.setdefault(name, set()).add(Fraction(NUMBERS_IN_WORDS.get(figure, figure.replace(",", ""))))
    return found


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_number_of_the_first_documents_is_claimed_or_excused(name: str) -> None:
    """In the list of their numbers each has claims that exist, or a reason; and no claim stands for nothing."""
    document, reasons = SEED_NUMBERS["documents"][name], SEED_NUMBERS["reasons"]
    claims = audit.source(name)
    assert len(document["numbers"].split()) == DOCUMENTS[name]
    every = document["numbers"] + document.get("tables", "")
    assert unlisted(every, claims, reasons) == []
    seen = covered(every)
    assert {claim.id for claim in claims.claims} - seen.keys() <= WITHOUT_NUMBER
    for claim in claims.claims:
        if claim.printed and claim.id not in WITHOUT_NUMBER | IN_WORDS:
            scales = (1, 100, 10**3, 10**9, 10**12)  # 50 for 50%, 1.935e12 for 1935 GB/s
            assert read_printed(claim.printed).number in {x / y for x in seen[claim.id] for y in scales}, claim.id


def test_a_number_without_claim_or_reason_is_noticed() -> None:
    """Whether its claim does not exist or its reason is none."""
    claims = audit.source("timbers-2023")
    listed = "161=batch-161 277=a100-7b,no-such-claim 7:because 8 5:name"
    assert unlisted(listed, claims, SEED_NUMBERS["reasons"]) == ["277=a100-7b,no-such-claim", "7:because", "8"]
    assert covered("1,024=one,two twice=two") == {"one": {Fraction(1024)}, "two": {Fraction(1024), Fraction(2)}}


COLLECTED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "data/collected_claims.toml").read_text("utf-8"))


def dangling(collected: dict[str, str], reasons: dict[str, str]) -> list[str]:
    """The collected figures whose claim does not exist, or whose reason is none."""
    known = {f"{claims.source.key}/{claim.id}" for claims, claim in EVERY}
    return [one for one, to in collected.items() if to not in known and to not in {f":{name}" for name in reasons}]


def test_every_collected_figure_is_claimed_or_excused() -> None:
    """All 295, each by a claim that exists or for a reason; and no reason excuses nothing."""
    collected, reasons = COLLECTED["claims"], COLLECTED["reasons"]
    assert Counter(name[0] for name in collected) == {"c": 166, "n": 129}
    assert dangling(collected, reasons) == []
    assert {to.removeprefix(":") for to in collected.values() if to.startswith(":")} == set(reasons)


def test_a_collected_figure_without_claim_or_reason_is_noticed() -> None:
    """Whether its claim, its source or its reason does not exist."""
    listed = {
        "a": "timbers-2023/a100-7b",
        "b": "timbers-2023/no-such",
        "c": "no-such/a100-7b",
        "d": ":because",
        "e": ":x",
    }
    assert dangling(listed, {"x": "there is none"}) == ["b", "c", "d"]
