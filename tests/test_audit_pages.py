"""The pages of the audit: tables, sources side by side, and what goes wrong"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from figures import EVERY, HALF, figure

from symbolic_llm import audit
from symbolic_llm.audit import Verdict
from symbolic_llm.audit.attribution import misprint
from symbolic_llm.audit.disagreement import Disagreement
from symbolic_llm.audit.language import asked_in, equation_of, value_of
from symbolic_llm.audit.printed import read_printed
from symbolic_llm.catalogue import catalogue
from symbolic_llm.errors import CatalogueError, UnknownName
from symbolic_llm.pages import audits
from symbolic_llm.pages.audits import side_by_side
from symbolic_llm.pages.pen import HtmlPen, Pen
from symbolic_llm.quantity import Quantity
from symbolic_llm.units import BYTE


def written(pen: Pen) -> dict[str, str]:
    """The pages of all sources."""
    return {path: write(pen) for path, write in audits.written()}


def test_a_page_says_first_what_its_figures_should_read() -> None:
    """Each mistake with the figures it explains, and nothing that came out; then the claims in reading order."""
    pages = written(Pen("../"))
    first, _, rest = pages["audit/timbers-2023.md"].partition("## The list of machines")
    assert "277 tokens/s | **553 tokens/s**" in first
    assert "And 15 more in the table of times." in first
    assert "| 161 |" not in first
    assert "| 161 |" in rest
    assert all(
        ("## What went wrong" in pages[f"audit/{claims.source.key}.md"])
        == any(audit.check(claim, claims).verdict is Verdict.REFUTED for claim in claims.claims)
        for claims in audit.sources()
    )


def test_a_page_says_how_its_figures_were_seen_in_a_sentence() -> None:
    """Of "the page, read once as text" nobody would know what it says of a source."""
    pages = written(Pen("../"))
    for claims in audit.sources():
        if seen := claims.source.seen:
            head = pages[f"audit/{claims.source.key}.md"].partition("\n#")[0]
            (said,) = (line for line in head.splitlines() if line.removesuffix(".").endswith(seen.removesuffix(".")))
            assert re.fullmatch(r"[A-Z].*\.", said), said


def test_each_row_opens_its_numbers() -> None:
    """Of an expression each formula with what is put in, linked, and each preset."""
    page = written(Pen("../"))["audit/timbers-2023.md"]
    (row,) = (line for line in page.splitlines() if line.startswith("| A 7B model in four bits on an A100 80 GB PCIe."))
    assert "[`throughput`](../formulas/throughput.md): " in row
    assert "R = 1/max(7e9·0.5/1.935e12, 2·7e9·1/1.248e15)" in row
    for claims in audit.sources():
        for one in audit.check_all(claims):
            names = {asked.source.partition(":")[0].partition(",")[0] for asked in asked_in(one.claim.value or "0")}
            shown = " ".join(audits.how(Pen("../"), one))
            assert all(f"`{name}`" in shown for name in names), one.claim.id


def test_what_agrees_to_many_digits_is_shown() -> None:
    """Log lines and byte counts among it; nothing that is wrong, rounded to few digits, measured or of no formula."""
    shown = audits.agreements(Pen("../"))
    rows = [line for line in shown.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 50
    for figure_ in ("16384.00 MiB", "4017.27 MB", "2,148,007,936 byte", "1152 byte"):
        assert sum(f"| {figure_} |" in row for row in rows) >= 1, figure_
    assert all(row.endswith(("| reproduced |", "| reproduced under unstated inputs |")) for row in rows)
    exact = audit.check(figure("552.9 token/s", HALF.removesuffix(" / 2")))
    assert audits._is_exact(exact)
    for printed, value in (("553 token/s", exact.claim.value), ("about 552.9 token/s", exact.claim.value)):
        assert not audits._is_exact(audit.check(figure(printed, value)))
    assert not audits._is_exact(audit.check(figure("552.9 token/s", '"552.9 token/s"')))
    assert not audits._is_exact(audit.check(figure("276.4 token/s", exact.claim.value)))
    assert not audits._is_exact(audit.check(figure("552.9 token/s", exact.claim.value, unstated="seven billion")))
    assert "36.65 ms" not in shown  # its neighbours come from rounded figures
    assert audits._is_exact(audits.judgement("austin-2025-inference", "step-32"))
    assert '`kv_bytes_per_token(n_blocks=64, n_kv_heads=64, d_head=128, cache="fp16")`' in shown
    assert f"{len(rows)} figures of " in shown


def test_the_overview_counts_every_claim_once() -> None:
    """Each verdict stands in one column, and the first row is the sum of the others."""
    verdicts = [one for several in audits._GROUPS.values() for one in several]
    assert sorted(verdicts, key=str) == sorted(Verdict, key=str)
    rows = [line.strip("|").split("|") for line in audits.overview(Pen("")).splitlines() if "|" in line]
    numbers = [[int(cell) if cell.strip() else 0 for cell in row[-5:]] for row in rows if row[-5].strip().isdigit()]
    assert len(numbers) == len(audit.sources()) + 1
    assert numbers[0] == [sum(column) for column in zip(*numbers[1:], strict=True)]
    assert numbers[0][0] == sum(numbers[0][1:]) == len(EVERY)
    asking, every, others = map(int, re.findall(r"\d+", audits.overview(Pen("")).partition("|")[0]))
    assert asking + others == every == len(EVERY)
    known = {formula.name for formula in catalogue()}
    named = (re.findall(r"\b(\w+)\(|solved\(\"(\w+)", claim.value) for _, claim in EVERY)
    asks = [any(known & set(pair) for pair in pairs) for pairs in named]
    assert asking == sum(bool(claim.equation) or ask for (_, claim), ask in zip(EVERY, asks, strict=True))


def test_what_is_shown_can_be_chosen_without_javascript() -> None:
    """Each group has its number, the class of its rows and tables and a rule in the style sheet; plain text none."""
    style = (Path(audit.__file__).parents[2] / "docs" / "assets" / "site.css").read_text(encoding="utf-8")
    pages = written(HtmlPen("../"))
    page = pages["audit/timbers-2023.md"]
    chosen = dict(re.findall(r'name="shown" value="([\w-]+)"(?: checked)?> [\w ]+? (\d+)</label>', page))
    assert list(chosen) == ["all", "come-out", "refuted", "unclear", "measured"]
    assert int(chosen.pop("all")) == sum(map(int, chosen.values())) == page.count('class="badge ')
    for column, (word, number) in enumerate(chosen.items(), 3):
        assert page.count(f'<span class="{word}"><span class="badge ') == int(number)
        rows, head = f".rows tbody tr:not(:has(.{word}))", f"h2:has(+ .scroll > .rows:not(.{word}))"
        for hidden in (rows, f".counts tr:has(td:nth-child({column}):empty)", head, f".rows:not(.{word})"):
            # each by its own name: ending in :is(), it would be tried on every part of every page
            assert re.search(rf'^ +article:has\(\[value="{word}"\]:checked\) {re.escape(hidden)}(,| {{)$', style, re.M)
    for table in re.findall(r'<table class="audit rows ([\w -]+)">(.*?)</table>', page):
        assert {word for word in chosen if f'<span class="{word}">' in table[1]} == set(table[0].split())
    assert "filter" not in pages["audit/vllm-2023.md"]  # one claim, nothing to choose
    assert all("fieldset" not in text for text in written(Pen("../")).values())


# Sources side by side


def apart(one: Disagreement) -> bool:
    """Whether two sources at least have claims on a question, and two different values are printed."""
    read = [read_printed(claim.printed) for _, claim, _ in one.sides if claim.printed]
    values: set[Any] = {found.number * (found.unit.scale if found.unit else 1) for found in read}
    values |= {equation_of(claim.equation) for _, claim, _ in one.sides if claim.equation}
    return len({key for key, _, _ in one.sides}) > 1 and len(values) > 1


def test_sources_that_disagree_print_different_values() -> None:
    """Each claim exists and stands on one side of a question; a question on which all agree is none."""
    every = audit.disagreements()
    assert len(every) >= 6
    assert len({one.title for one in every}) == len(every)
    assert all(apart(one) for one in every), [one.title for one in every if not apart(one)]
    for one in every:
        assert one.title.endswith("?")
        assert all(said.endswith(".") for said in (one.why, *one.claims.values())), one.title
    same = Disagreement("How large?", "None.", {"timbers-2023/on-chip": "One.", "retelling-english/on-chip": "Two."})
    alone = {"austin-2025-gpus/b200-bandwidth-table": "One.", "austin-2025-gpus/b200-bandwidth-text": "Two."}
    assert not apart(same)
    assert not apart(replace(same, claims=alone))  # of one source
    for wrong in ("timbers-2023/on-chips", "timber-2023/on-chip", "on-chip"):
        with pytest.raises(UnknownName):
            assert replace(same, claims={wrong: "One."}).sides


def test_sources_stand_side_by_side_with_their_inputs() -> None:
    """Each row has its value, computed with the inputs of its own source, these inputs, and the verdict on it."""
    page = side_by_side(Pen("../"))
    rows = [line for line in page.splitlines() if line.startswith("| [")]
    sides = [(key, claim, said) for one in audit.disagreements() for key, claim, said in one.sides]
    for row, (key, claim, said) in zip(rows, sides, strict=True):
        found = audit.check(claim, audit.source(key))
        first, printed, computed, verdict = (cell.strip() for cell in row.strip("|").split(" | "))
        assert first.startswith(f"[{audit.source(key).source.title}](../audit/{key}.md): {said}")
        assert verdict == found.verdict.value
        if claim.printed:
            assert (printed, computed) == (claim.printed, found.beside(value_of(claim.value)))
            assert f"`{claim.value}`" in first
    assert page.count("## ") == len(audit.disagreements())
    (first, *_, last) = (
        row.split(" | ")[1:] for row in rows if "chen-2022-h100" in row or "(../audit/liang-2025.md): Peak" in row
    )
    assert (first, last) == (["333", "333 tokens", "reproduced |"], ["295 FLOP/byte", "295 FLOP/byte", "reproduced |"])


# What goes wrong


def test_every_factor_on_the_page_has_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sentences or more, with a source that it explains; a name of its own; and how many figures there are."""
    stories = {name: cause for name, cause in audit.causes().items() if audits.those(cause=name)}
    assert len({cause.title for cause in audit.causes().values()}) == len(audit.causes())
    for name, cause in stories.items():
        assert len(re.findall(r"[.?](?=\s|$)", cause.story)) >= 2, name
        assert {key for key, _ in audits.those(cause=name)} & set(re.findall(r"\((\S+)\.md\)", cause.story)), name
    page = audits.factors(Pen("../"), lambda story: f"told: {len(story)}")
    assert page.count("told: ") == len(stories)
    assert "told: 0" not in page
    assert "34 figures and equations in 3 sources" in page
    monkeypatch.setattr(audits, "causes", lambda: {"slip": audit.Cause("Slips", "A slip.", "{{ none }}")})
    with pytest.raises(CatalogueError, match="the story of slip: no such thing"):
        audits.factors(Pen(""), _refused)


def _refused(story: str) -> str:
    raise CatalogueError("no such thing")


def test_a_factor_is_what_is_printed_over_what_comes_out() -> None:
    """Exactly; of equations where it is a number; of a bound and of two ends there is none."""
    assert audits.judgement("timbers-2023", "a100-7b").factor == Quantity(277 * Fraction(35, 10) / 1935)
    assert audits.judgement("timbers-2023", "latency-memory-later").factor == Quantity(Fraction(2))
    assert audits.judgement("timbers-2023", "latency-memory").factor is None  # two times the batch
    assert audits.judgement("timbers-2023", "pixel-5").factor is None  # measured, and nothing beside it
    for printed in ("at most 31 GB", "30 to 32 GB", "0 GB"):
        assert read_printed(printed).over(Quantity(Fraction(31 * 10**9), BYTE)) is None
    assert read_printed("62 GB").over(Quantity(Fraction(31 * 10**9), BYTE)) == 2


def test_claims_that_are_off_by_a_factor_are_found() -> None:
    """And by its inverse; not those that come out."""
    twos = audits.those("refuted", factor=2)
    assert {("timbers-2023", "a100-7b"), ("timbers-2023", "time-7b-int4")} <= {(key, one.claim.id) for key, one in twos}
    assert all(float(one.factor or 0) in (pytest.approx(2, rel=0.05), pytest.approx(0.5, rel=0.06)) for _, one in twos)
    assert audits.those("come out", factor=2) == []
    assert len(audits.those()) == len(EVERY)


def test_no_formula_is_said_to_be_printed_where_it_is_refuted() -> None:
    """Equations and figures by it that are refuted, and what contains such a formula; not where digits were lost."""
    found = {(formula.name, key): misprint(formula, key) for formula in catalogue() for key in formula.sources}
    assert {pair: claim for pair, claim in found.items() if claim} == {
        ("latency", "timbers-2023"): "latency-memory",
        ("throughput", "timbers-2023"): "a100-65b",
        ("footprint", "timbers-2023"): "cache-total",
        ("batch_crossover", "kipply-2022"): "batch-equation",
        ("prefill_time", "baseten-2023"): "prefill-equation",
        ("decode_attention_intensity", "baseten-2023"): "intensity-of-decoding",
    }
    assert misprint(catalogue()["memory_time"], "timbers-2023") == "latency-memory"  # of which it is no source
    assert misprint(catalogue()["memory_time"], "ainslie-2023") == ""  # which is not audited


def test_a_formula_says_who_prints_it_and_who_prints_another() -> None:
    """In a chapter's drawer and on its own page, with a link to the verdict."""
    for pen in (Pen("../"), HtmlPen("../")):
        (printed, by), (back, to) = audits.origins(pen, catalogue()["batch_crossover"])
        assert (printed, back) == ("Printed in", "Goes back to")
        assert "How is LLaMa.cpp possible?" in by
        assert "Transformer Inference Arithmetic" in to
        assert "reads otherwise" in to
    assert 'chen-2022#batch-equation">reads otherwise' in to.replace("/#", "#").replace(".html", "")
    assert audits.origins(Pen("../"), catalogue()["context_flops"]) == []
    for name in ("latency", "decode_attention_intensity"):
        assert [word for word, _ in audits.origins(Pen("../"), catalogue()[name])] == ["Goes back to"]


def test_a_head_counts_the_verdicts_of_its_page() -> None:
    """All are said to come out only if all do; a figure that is changed is counted at once."""
    for claims in audit.sources():
        every = audit.check_all(claims)
        out = sum(one.verdict in audits._GROUPS["come out"] for one in every)
        judged = len(every) - sum(one.verdict is Verdict.OBSERVATION for one in every)
        said = audits.tally(every)
        whole = said.startswith(("All ", "Both ", "The one "))
        assert (whole and "come" in said.split(";")[0]) == (out == judged), claims.source.key
        assert whole or said.startswith(f"Of {judged} claims that were checked ")
        assert said in written(Pen("../"))[f"audit/{claims.source.key}.md"].replace("\\", "")
    right, wrong = figure("14 GB", '14 * "1 GB"'), figure("12 GB", '14 * "1 GB"')
    known = replace(wrong, cause="activations", because='12 * "1 GB"')
    measured = figure("13 GB", "", observed=True)  # type: ignore[arg-type]
    told = [
        audits.tally([audit.check(one) for one in several])
        for several in (
            [right],
            [wrong],
            [right, right],
            [right, wrong, measured],
            [right] * 3,
            [right, known, wrong],
            [measured],
        )
    ]
    assert told == [
        "The one claim that was checked comes out.",
        "The one claim that was checked is unclear.",
        "Both claims that were checked come out.",
        "Of 2 claims that were checked 1 comes out and 1 is unclear; 1 more was measured.",
        "All 3 claims that were checked come out.",
        "Of 3 claims that were checked 2 come out (1 under another assumption) and 1 is unclear.",
        "",
    ]


def test_the_page_of_factors_counts_what_they_explain() -> None:
    """The share of the commonest, and the names that say less than others."""
    page = audits.factors(Pen("../"), lambda story: "").replace("\\", "")
    refuted = [one.claim.cause for _, one in audits.those("refuted") if one.verdict is Verdict.REFUTED]
    five = sorted((refuted.count(name) for name in set(refuted)), reverse=True)[:5]
    assert f"{len(refuted)} figures and equations are refuted, by {len(set(refuted))} mistakes with a name." in page
    assert f"The 5 commonest explain {sum(five)} of them." in page
    single = [name for name in refuted if audit.causes()[name].kind == "single"]
    assert {"slip", "other-figure", "other-shape"} <= set(single)
    assert f"they explain {len(single)}." in page
    assert {cause.kind for cause in audit.causes().values()} == {"rule", "rounding", "single", "assumption"}
