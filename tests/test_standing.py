"""Verdicts and standings: what nothing measures is no proof, nor is what rests on it, and each formula says on what"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from sympy import Eq, S

from symbolic_llm import catalogue
from symbolic_llm.checks import report as module
from symbolic_llm.checks.many_formulas import check_formulas
from symbolic_llm.checks.report import Report, check_formula, findings, needed, own_findings, report_data
from symbolic_llm.checks.verdict import Finding, Standing, Verdict, tally
from symbolic_llm.claims import Condition, Kind, claim_of
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, one_token
from symbolic_llm.notation import (
    B,
    C_decode,
    C_prefill,
    C_softmax,
    C_token,
    D_generation,
    F,
    I_limit,
    I_ridge,
    M_cache,
    N,
    P,
    P_active,
    P_attention,
    P_embedding,
    T_compute,
    T_step,
    W,
    a,
    d_head,
    d_model,
    m_token,
    n_heads,
    n_new,
    n_vocab,
)
from symbolic_llm.numeral import count
from symbolic_llm.pages.lists import standings
from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.steps import add, cite, divide, limit, multiply, premise, subtract, sum_over
from symbolic_llm.units import FLOP, TOKEN, WEIGHT

pytestmark = pytest.mark.usefixtures("kept_findings")


def formula(claim: Any, *steps: Any, **more: Any) -> Formula:
    """A formula that is not in the catalogue; without a probe unless one is named."""
    given: dict[str, Any] = {} if "measured_by" in more else {"unmeasured": "made for a test"}
    given["kind"] = claim_of(claim).kinds[0]
    return Formula("tests.planted", "Planted", claim=claim, steps=steps, **(given | more))


def cited(name: str, letter: Any, *steps: Any, also: tuple[str, ...] = (), **more: Any) -> Formula:
    """An unmeasured formula for a letter that starts from one of the catalogue and ends where its steps do."""
    found = catalogue()[name]
    result = steps[-1].result if steps else found.rhs
    uses = (found, *(catalogue()[other] for other in also))
    return formula(Eq(letter, result), cite(found, ""), *steps, uses=uses, **more)


# The verdict


def test_verdicts_are_ranked() -> None:
    """A definition among proofs is a definition, and among doubts a doubt."""
    ranked = [Verdict.PROVED, Verdict.DEFINED, Verdict.UNDECIDED, Verdict.REFUTED]
    for place, verdict in enumerate(ranked):
        assert Verdict.worst(ranked[: place + 1]) is verdict
    assert Verdict.worst([Verdict.UNMEASURED, Verdict.PROVED]) is Verdict.PROVED
    assert Verdict.worst([Verdict.UNMEASURED]) is Verdict.UNDECIDED
    assert [verdict.stands for verdict in ranked] == [True, True, False, False]


seven = count(7, "operations for each weight, which no engine does", FLOP / (WEIGHT * TOKEN))
two_thirds = count(S(2) / 3, "a share")


def _two_formulas(one: str, other: str, letter: Any, step: Callable[..., Any]) -> Formula:
    joined = {
        add: catalogue()[one].rhs + catalogue()[other].rhs,
        subtract: catalogue()[one].rhs - catalogue()[other].rhs,
    }
    return cited(one, letter, step(catalogue()[other], joined[step], ""), also=(other,), kind=Kind.LAW)


# False, or for another letter, or both; each was proved once, since nothing measured it
UNMEASURED: dict[str, tuple[Callable[[], Formula], str]] = {
    "a cache that is the weights": (
        lambda: cited("weight_bytes", M_cache),
        "measures M_cache, by cache.bytes",
    ),
    "the same as a law": (lambda: cited("weight_bytes", M_cache, kind=Kind.LAW), "measures M_cache"),
    "seven operations by definition": (
        lambda: formula(
            Eq(C_decode, seven * P * B * one_token), premise(seven * P * B * one_token, ""), kind=Kind.DEFINITION
        ),
        "measures C_decode",
    ),
    "an approximation taken for exact": (lambda: cited("flops_per_token", C_token, kind=Kind.LAW), "measures C_token"),
    "times added, though they overlap": (
        lambda: _two_formulas("compute_time", "memory_time", T_step, add),
        "measures T_step",
    ),
    "a part of it measured on the way": (
        lambda: formula(
            Eq(P_attention, each_weight * d_model * d_head),
            premise(
                each_weight * d_model * d_head,
                "",
                measured_by="schematic/weights.of_attention[*.query](n_kv_heads=1, group=1)",
            ),
        ),
        "measures P_attention",
    ),
    "a decoding step for a prefill": (lambda: cited("decode_product_flops", C_prefill, kind=Kind.LAW), "measures"),
    "a difference of two decoders": (
        lambda: _two_formulas("decode_flops", "decode_product_flops", C_softmax, subtract),
        "measures C_softmax",
    ),
    "a cache that is read without a prompt": (
        lambda: cited(
            "kv_bytes_total",
            D_generation,
            sum_over(N, n_new, B * m_token * n_new * (n_new + 1) / 2, ""),
            kind=Kind.LAW,
            plain=(n_new, N),
        ),
        "measures D_generation",
    ),
    "a condition that brings in the fact": (
        lambda: cited(
            "decode_product_flops",
            T_compute,
            divide(F, C_decode / F, ""),
            kind=Kind.LAW,
            where=(Condition(Eq(seven * P * B * one_token, C_decode, evaluate=False), "?"),),
        ),
        "measures T_compute",
    ),
    "a shape by definition": (
        lambda: formula(Eq(n_heads, d_model), premise(d_model, ""), kind=Kind.DEFINITION),
        "is given n_heads",
    ),
    "a limit of something else": (
        lambda: cited("attention_intensity", I_ridge, kind=Kind.LAW),
        "no limit of a count",
    ),
    "a limit of another count": (
        lambda: cited(
            "decode_attention_intensity",
            I_limit,
            limit(N, catalogue()["attention_intensity_limit"].rhs, ""),
            plain=(N,),
        ),
        "no limit of a count",
    ),
    "a limit with a fact on the way": (
        lambda: cited("attention_intensity", I_limit, multiply(2, 2 * N, ""), limit(N, 2 * d_head, "")),
        "no limit of a count",
    ),
    "a limit of what nothing measures": (
        lambda: cited("ridge_point", I_limit, limit(N, catalogue()["ridge_point"].rhs, "")),
        "no limit of a count",
    ),
}


@pytest.mark.parametrize("name", UNMEASURED)
def test_what_nothing_measures_is_refused(name: str) -> None:
    """Unless it is a theorem, a definition of what cannot be measured, or the limit of a count; and it is said why."""
    made, said = UNMEASURED[name]
    (finding,) = findings(made(), ("engine",))
    assert finding.verdict is Verdict.REFUTED
    assert said in finding.summary


def reports(*names: str) -> Iterator[Report]:
    """Of formulas of the catalogue, as far as others of this run have not made them."""
    return check_formulas([catalogue()[name] for name in names])


def test_limits_and_theorems_need_no_probe() -> None:
    """Limits and theorems are proved without a probe, since they follow from what has one."""
    for report in reports("attention_intensity_limit", "precision_invariance"):
        assert report["engine"].verdict is Verdict.UNMEASURED
        assert report.verdict is Verdict.PROVED
        assert report.standing is Standing.FOLLOWS


# What rests on a definition

VALUE = each_weight * n_vocab * d_model
DEFINED = formula(Eq(P_active, VALUE), premise(VALUE, ""), kind=Kind.DEFINITION)
CITING = formula(Eq(P_embedding, VALUE), cite(DEFINED, ""), uses=(DEFINED,), measured_by="weights.of_embedding")
NAMING = formula(Eq(P_embedding, P_active), premise(P_active, ""), uses=(DEFINED,), measured_by="weights.of_embedding")
MORE = VALUE + each_weight * d_model
LARGER = formula(Eq(P_active, MORE), premise(MORE, ""), kind=Kind.DEFINITION)
LESS = formula(
    Eq(P_embedding, VALUE),
    cite(LARGER, ""),
    subtract(each_weight * d_model, VALUE, ""),
    uses=(LARGER,),
    measured_by="weights.of_embedding",
)
BEYOND = formula(Eq(P_embedding, VALUE), cite(LESS, ""), uses=(LESS,), measured_by="weights.of_embedding")


def test_what_has_the_letter_of_a_definition_is_not_measured() -> None:
    """A count in a defined letter is refuted: only measured formulas give letters their values beside the engine."""
    report = check_formula(NAMING)
    assert report["engine"].verdict is Verdict.REFUTED
    assert "depends on P_active" in report["engine"].summary
    assert report["uses"].verdict is Verdict.DEFINED


@pytest.mark.parametrize("resting", [CITING, BEYOND], ids=["cites it", "uses what cites it"])
def test_what_rests_on_a_definition_is_one(resting: Formula) -> None:
    """Though the engine agrees: that it does is the definition's doing."""
    report = check_formula(resting)
    assert report["engine"].verdict is Verdict.PROVED
    assert report["uses"].verdict is Verdict.DEFINED
    assert "rests on a definition: planted" in report["uses"].summary
    assert report.verdict is Verdict.DEFINED
    assert report.standing is Standing.DEFINITION


def test_what_is_needed_needs_what_it_needs() -> None:
    """Of every formula: what it rests on through another one, it rests on."""
    assert LARGER in needed(BEYOND)
    assert not BEYOND.brings_in(LARGER)
    for one in catalogue():
        rests = needed(one)
        assert all(needed(used) <= rests for used in rests), one.name


def test_a_false_definition_of_what_is_counted_fails_what_uses_it() -> None:
    """Two thirds of P by definition, and three operations a weight: no formula chooses the P it is compared with."""
    total = catalogue()["total_parameters"]
    share = two_thirds * total.rhs
    fake = formula(Eq(P, share), premise(share, ""), kind=Kind.DEFINITION, uses=total.uses)
    three = count(3, "operations for each weight", FLOP / (WEIGHT * TOKEN))
    value = B * one_token * (three * P + a * N)
    built = formula(
        Eq(C_decode, value),
        premise(value, ""),
        uses=(fake, catalogue()["attention_flops_per_context_token"]),
        measured_by="decode.product_flops",
    )
    report = check_formula(built)
    assert report["engine"].verdict is Verdict.REFUTED
    assert report["uses"].verdict is Verdict.REFUTED
    assert report.verdict is Verdict.REFUTED


def test_a_definition_may_be_named() -> None:
    """A formula that lists one without bringing it in, or having its letter, is as proved as before."""
    found = catalogue()["weight_bytes"]
    value = each_weight * d_head**5  # stands in no other formula
    elsewhere = replace(DEFINED, claim=Eq(P_active, value), steps=(premise(value, ""),))
    for defined in (elsewhere, catalogue()["ridge_point"]):
        assert check_formula(replace(found, uses=(*found.uses, defined))).verdict is Verdict.PROVED


# The standing


def test_standings_of_the_catalogue() -> None:
    """Each formula has one, and the word is the one its findings give."""
    standings = {
        "total_parameters": Standing.CERTIFIED,
        "capacity": Standing.FOLLOWS,
        "attention_intensity_limit": Standing.FOLLOWS,
        "compute_time": Standing.LAW,
        "distinct_experts": Standing.LAW,
        "ridge_point": Standing.DEFINITION,
    }
    for (name, standing), report in zip(standings.items(), reports(*standings), strict=True):
        assert report.standing is standing, name
        assert report_data(report)["standing"] == standing.word
        assert report.known == ("DEFINED" if standing is Standing.DEFINITION else f"PROVED, {standing.word}")
        assert f"<strong>{report.known}</strong>" in report._repr_html_()


def test_a_standing_is_read_off_the_findings() -> None:
    """Without its certificate a count is compared, with a doubt it has no standing, on a clock it is a law."""
    found = catalogue()["total_parameters"]
    own = own_findings(found)
    assert Report(found, own).standing is Standing.CERTIFIED
    uncertified = tuple(finding for finding in own if finding.check != "certificate")
    assert Report(found, uncertified).standing is Standing.COMPARED
    doubted = Finding("certificate", Verdict.UNDECIDED, "")
    assert Report(found, (*uncertified, doubted)).standing is None
    timed = replace(catalogue()["latency"], kind=Kind.IDENTITY)
    assert Report(timed, own).standing is Standing.LAW
    assert Report(found, ()).standing is None


def test_what_is_nearly_equal_is_not_said_to_be_equal() -> None:
    """An approximation is said to be within its bound of what is counted; an exact formula is said to be equal."""
    near = {name for name in catalogue().names if catalogue()[name].kind is Kind.APPROXIMATION}
    measured = [catalogue()[name] for name in ("total_parameters", *near) if catalogue()[name].measured_by]
    assert len(measured) > 2
    for formula in measured:
        (said,) = (found.summary for found in own_findings(formula) if found.check == "engine")
        assert said.startswith("within its bound of " if formula.name in near else "equal to "), formula.name


def test_values_do_not_change_what_a_formula_rests_on() -> None:
    """Values that a formula does not apply to cast no doubt on it: its standing remains."""
    found = catalogue()["total_parameters"]
    unfit = Report(found, (*own_findings(found), Finding("values", Verdict.REFUTED, "")))
    assert unfit.verdict is Verdict.REFUTED
    assert unfit.standing is Standing.CERTIFIED
    assert unfit.known == "REFUTED"


def test_standings_are_counted() -> None:
    """Standings are counted in words, one or several of each, and as a table; reports without one are left out."""
    assert tally([Standing.LAW, Standing.CERTIFIED, Standing.LAW, None]) == "1 certified and 2 laws"
    assert tally([Standing.FOLLOWS] * 3 + [Standing.DEFINITION]) == "3 follow and 1 definition"
    assert tally([]) == "none"
    found = list(reports("ridge_point", "memory_bound_batches", "capacity"))
    shown = standings(HtmlPen(""), [report.standing for report in found])
    for standing, number in ((Standing.FOLLOWS, 2), (Standing.DEFINITION, 1)):
        badge = f'<span class="badge {standing.word}" title="{standing.meaning}">{standing.word}</span>'
        assert f'<td>{badge}</td><td class="n">{number}</td>' in shown
    assert "certified" not in shown


# A check that breaks off


def test_a_check_that_breaks_off_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that breaks off is a finding that names what went wrong, and the other checks are made."""

    def stumble(_: Formula) -> Finding:
        raise RecursionError("too deep")

    found = catalogue()["weight_bytes"]
    monkeypatch.setattr(module, "check_dimensions", stumble)
    report = check_formula(found, own=own_findings.__wrapped__)
    assert report["dimensions"].verdict is Verdict.UNDECIDED
    assert report["dimensions"].summary == "the check broke off with RecursionError: too deep"
    assert {"steps", "engine", "certificate", "mutants"} <= {finding.check for finding in report.findings}
    assert not report.verdict.stands


def test_whatever_a_formula_makes_a_check_stumble_over_is_a_finding() -> None:
    """A theorem put in for a letter, a zero denominator in a configuration, a letter that the probe lacks."""
    theorem, blocks = catalogue()["memory_bound_batches"], catalogue()["block_parameters"]
    put_in = formula(
        Eq(T_compute, T_step), premise(T_step, ""), multiply(theorem, T_step, ""), uses=(theorem,), kind=Kind.LAW
    )
    steps = check_formula(put_in)["steps"]
    assert (steps.verdict, steps.step) == (Verdict.REFUTED, 2)
    assert "memory_bound_batches is a theorem and has no value" in steps.summary
    at_a_pole = blocks.rhs / (n_heads - 3)
    broken = formula(
        Eq(P, at_a_pole), premise(at_a_pole, ""), uses=(blocks,), measured_by="schematic/weights.multiplied"
    )
    engine = check_formula(broken)["engine"]
    assert engine.verdict is Verdict.REFUTED
    assert engine.summary == "the claim divides by zero in a configuration"
    unknown = formula(Eq(P_embedding, VALUE * F / W), premise(VALUE * F / W, ""), measured_by="weights.of_embedding")
    report = check_formula(unknown)
    for check in ("engine", "certificate"):
        assert report[check].verdict is Verdict.REFUTED
        assert "which weights.of_embedding of llama does not take" in report[check].summary
