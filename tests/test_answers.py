"""Evaluate, explain and check, as a user meets them"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from cases import A10, A100

from symbolic_llm import batch_crossover, catalogue, check, errors, evaluate, explain, presets, solve
from symbolic_llm.answers.applicability import check_values
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.errors import ConditionViolated
from symbolic_llm.formula import Formula
from symbolic_llm.models.formula_table import EXACT
from symbolic_llm.notation import B_star
from symbolic_llm.presets import Presets

pytestmark = pytest.mark.usefixtures("kept_findings")

# Evaluating


def test_whole_numbers_stay_whole() -> None:
    """Counts are ints, exactly; what is not whole is a float."""
    value = evaluate("kv_bytes_per_token", model="llama-2-7b", cache="fp16")
    assert value == 524_288
    assert isinstance(value, int)
    assert isinstance(evaluate(batch_crossover, **A100), float)
    width = {"d_model": 10**20, "n_heads": 10**10, "d_head": 10**10}
    assert evaluate("total_parameters", n_blocks=10**20, **width, n_vocab=1) == 12 * 10**60 + 10**20


@pytest.mark.parametrize(
    "value",
    [2, 2.0, "2", "2 byte", "2 bytes/weight", Fraction(2), Decimal(2), np.int64(2), np.float32(2), sympy.Integer(2)],
)
def test_numbers_of_any_type(value: Any) -> None:
    """Numbers of any type, and text with a unit, all mean two."""
    assert evaluate(batch_crossover, n_bytes=value, F=4, W=1) == 4


def test_a_float_is_the_decimal_it_prints_as() -> None:
    """0.1 is a tenth."""
    assert solve(batch_crossover, n_bytes=0.1, F=20, W=1).exact == 1


def test_theorems_have_a_truth() -> None:
    """On either side of the crossover."""
    assert evaluate("memory_bound_batches", model="llama-7b", B=161, **A100) is True
    assert evaluate("memory_bound_batches", model="llama-7b", B=162, **A100) is False


def test_storage_formats() -> None:
    """weights= and cache= are by default as dtype=, and go before it."""
    assert solve(batch_crossover, **A100).value == 4 * solve(batch_crossover, weights="int4", **A100).value
    per_token = {
        c: evaluate("kv_bytes_per_token", model="llama-2-7b", dtype="fp16", cache=c) for c in (None, "q4_0", "int8")
    }
    assert per_token[None] == 2 * per_token["int8"]
    assert per_token["q4_0"] == Fraction(9, 16) * per_token["int8"]


def test_weights_do_not_say_how_the_cache_is_stored() -> None:
    """A format for one is none for the other, and the sentence says what is missing; a number given as n_bytes is."""
    with pytest.raises(errors.Underdetermined, match=r"needs a value for n_bytes_kv: .*\(cache=, dtype=\)"):
        evaluate("footprint", model="llama-2-7b", weights="int4", N=4096, B=1)
    with pytest.raises(errors.Underdetermined, match=r"needs a value for n_bytes_act: .*\(dtype=\)"):
        evaluate("tiled_attention_bytes", model="llama-2-7b", weights="int4", N=4096, b_q=64)
    heads = {"n_heads": 4, "n_kv_heads": 4, "d_head": 2}
    assert evaluate("multi_head_kv_bytes_per_token", n_blocks=1, d_model=8, n_bytes=2, **heads) == 32
    assert evaluate("textbook_attention_flops", model="llama-2-7b", N=1) > 0  # its d is the model's d_head


def test_a_number_of_any_size() -> None:
    """Is shown, beyond what a float can hold too."""
    huge = dict.fromkeys(("B", "m_token", "n_new", "N"), 1e99)
    found = explain("kv_bytes_read_while_generating", **huge)
    assert found.value > 10**395
    assert repr(found).endswith("D_generation = 1.5e+378 EB")
    del huge["B"]
    tiny = solve("kv_bytes_read_while_generating", "B", D_generation=1e-99, **huge)
    assert "B = 6.6667e-397 sequences" in repr(tiny)
    with pytest.raises(errors.InvalidValue, match="too small for a number"):
        _ = tiny.value


@pytest.mark.parametrize("name", ["B*", "B_star", "B"])
def test_a_letter_as_it_is_printed(name: str) -> None:
    """Is as good as its name in code."""
    assert solve(batch_crossover, name).unknown == B_star


# Explaining


def test_an_explanation_goes_from_letters_to_numbers() -> None:
    """Formula, numbers put in, result; letters computed on the way with their formula."""
    found = explain("critical_context", model="llama-2-7b", hardware="a100-80gb-sxm", dtype="fp16")
    lines = repr(found).splitlines()
    assert lines[0] == "Critical context"
    assert (
        "m_token = 2·n_blocks·n_kv_heads·d_head·n_bytes_kv = 2·32·32·128·2 = 524.288 kB/token  (by kv_bytes_per_token)"
        in lines
    )
    assert "N_critical = 2·P·W/(m_token·F - a·W)" in lines
    assert "N_critical = 2·6607077376·2.039e12/(524288·3.12e14 - 524288·2.039e12)" in lines
    assert lines[-1] == "N_critical = 165.80 token/sequence"
    assert found.value == pytest.approx(165.798, abs=0.001)
    assert found._repr_latex_().startswith(r"$\displaystyle \begin{aligned}")


def test_an_approximation_is_explained_with_its_bound() -> None:
    """And the bound holds."""
    shape = {"n_blocks": 32, "n_heads": 32, "d_head": 128, "d_model": 4096, "n_vocab": 32000, "N": 4096}
    found = explain("flops_per_token", **shape)
    assert "≈ 13.147 GFLOP/token" in repr(found)
    assert "at most 16.93% too low" in repr(found)
    real = evaluate("decode_flops", **shape, B=1)
    assert 0 < 1 - found.value / real < 0.1693


@pytest.mark.parametrize("formula", EXACT.values())
def test_a_count_of_all_operations_is_for_its_own_family(formula: Formula) -> None:
    """A count of all operations is refused for another family: one with a GELU for a model with a gate, say.

    The right count is named, where there is one.
    """
    for name in presets.names("models"):
        own = EXACT.get(presets.model(name).counted_as)
        if formula is own:
            assert evaluate(formula, model=name, N=64, B=1) > 0
        else:
            with pytest.raises(ConditionViolated, match="does not apply, because it") as refused:
                evaluate(formula, model=name, N=64, B=1)
            told = str(refused.value)
            assert own is None or "is for models with" in told or f"use {own.name}." in told


def test_all_operations_of_a_prompt_are_those_of_a_step_for_each_token() -> None:
    """By the formula of the model's family; where nothing counts them, that is said."""
    for name in presets.names("models"):
        if family := presets.model(name).counted_as:
            assert evaluate("prefill_flops", model=name, N=64, B=2) == 64 * evaluate(
                EXACT[family], model=name, N=64, B=2
            )
            assert f"by {EXACT[family].name}" in repr(explain("prefill_flops", model=name, N=64, B=2))
        else:
            with pytest.raises(ConditionViolated, match=r"no formula counts those of|is for models with"):
                evaluate("prefill_flops", model=name, N=64, B=2)


def test_only_what_went_into_a_result_is_listed() -> None:
    """No empty list, nothing twice, and ≈ where it is ≈."""
    constant = repr(explain("q4_bytes_per_weight", weights="q4_0")).splitlines()
    assert constant == ["Bytes per weight of 4-bit blocks", "", "n_bytes = 9/16", "n_bytes = 0.5625 B/weight"]
    assumed = repr(explain("q4_bytes_per_weight", n_bits=4, n_block=32)).splitlines()
    assert assumed == [*constant, "assumes n_scale = 16: scales of 16 bits"]
    rough = repr(explain("flops_per_token", model="llama-2-7b")).splitlines()
    assert rough[2:] == [
        "  P = 6,607,077,376 weights  (llama-2-7b, weights in matrix products)",
        "",
        "C_token ≈ 2·P",
        "C_token ≈ 2·6607077376",
        "C_token ≈ 13.214 GFLOP/token",
    ]


def test_a_given_letter_says_which_preset_it_replaces() -> None:
    """If it differs."""
    line = "  n_bytes = {} B/weight{}"
    assert line.format(1, "  (instead of 2, fp16)") in repr(explain("weight_bytes", P=1, n_bytes=1, dtype="fp16"))
    assert line.format(2, "") in repr(explain("weight_bytes", P=1, n_bytes=2, dtype="fp16")).splitlines()


def test_what_other_sources_print() -> None:
    """Whichever source was asked for."""
    assert "(t4, techpowerup; baseten-2023 states 300 GB/s)" in repr(
        explain("ridge_point", hardware="t4@techpowerup", dtype="fp16")
    )


def test_both_sides_of_a_theorem_are_explained() -> None:
    """With numbers, and whether they hold."""
    shown = repr(explain("memory_bound_batches", model="llama-7b", B=200, **A100))
    assert "200 < 2·3.12e14/(2·1.935e12)  (does not hold)" in shown


# Checking


def test_a_report_reads_well() -> None:
    """Verdict, witness and a line for each check."""
    report = check("batch_crossover")
    assert repr(report).splitlines()[0] == "batch_crossover: PROVED, law  (witness: clock.batch_crossover)"
    with pytest.raises(KeyError):
        _ = report["theorem"]


def test_a_report_on_values() -> None:
    """Given any, there is one more finding: whether the formula applies to them, and what it then says."""
    assert "values" not in {finding.check for finding in check("tokens_that_fit").findings}
    fitting = check("tokens_that_fit", **A10)
    assert fitting["values"].summary == "its conditions hold, and n_fit is 20,071 tokens"
    assert fitting.verdict is Verdict.PROVED
    too_large = check("tokens_that_fit", **A10 | {"model": "llama-65b"})
    assert too_large.verdict is Verdict.REFUTED
    assert "the weights alone do not fit" in too_large["values"].summary
    for batch, said in ((1, "its conclusion holds"), (1000, "neither its conclusion nor its premise holds")):
        assert check("memory_bound_batches", B=batch, **A10)["values"].summary == said
    with pytest.raises(errors.Underdetermined, match="needs a value for N"):
        check("kv_bytes_total", B=1, m_token=1)


def test_a_claim_that_is_not_true_of_values_is_refuted() -> None:
    """The twin: an equivalence turned round."""
    theorem = catalogue()["memory_bound_batches"]
    turned = replace(theorem, claim=Equivalence(theorem.claim.left, ~theorem.claim.right))
    assert check_values(turned, {"B": 1}, Presets(**A10)).verdict is Verdict.REFUTED


def test_theorems_are_told_from_equations() -> None:
    """The formulas that cannot be solved are exactly the theorems."""
    for formula in catalogue():
        assert (formula.quantity is None) == (formula.kind is Kind.THEOREM)
        if formula.quantity is None:
            with pytest.raises(AttributeError, match="has no right-hand side"):
                _ = formula.rhs
    assert B_star in batch_crossover.letters
