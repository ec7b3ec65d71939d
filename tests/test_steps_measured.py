"""Every step of a count brings in what is measured, cited or asked: to end at the right claim is not enough"""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Eq, floor

from symbolic_llm import catalogue
from symbolic_llm.checks.engine import check_engine
from symbolic_llm.checks.provenance import unmeasured
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import each_sequence, each_weight, multiply_add, one_token
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import (
    B,
    B_star,
    D_weights,
    F,
    M_seq,
    N,
    P,
    P_read,
    W,
    d_model,
    i_token,
    m_token,
    n_bytes,
    n_kv_heads,
    n_new,
    n_vocab,
)
from symbolic_llm.steps import (
    Rule,
    Step,
    add,
    divide,
    multiply,
    premise,
    round_down,
    solve_for,
    substitute,
    subtract,
    sum_over,
)

pytestmark = pytest.mark.usefixtures("kept_findings")


def derived(name: str, *steps: Step) -> Formula:
    """A formula of the catalogue that is derived otherwise."""
    return replace(catalogue()[name], steps=steps)


CUBE = each_weight * n_kv_heads**3
VECTOR = each_weight * d_model
ONE_VECTOR = premise(VECTOR, "a token's embedding is one vector", measured_by="weights.of_embedding(n_vocab=1)")
EVERY_TOKEN = multiply(n_vocab, each_weight * n_vocab * d_model, "every token of the vocabulary has one")

SEQUENCES = memory_left.rhs / (M_seq * each_sequence)
READ_IN_THE_MEAN = B * m_token * (N + (n_new + one_token) / 2) / one_token

WORK, READING = multiply_add * P * B_star * one_token / F, D_weights / W
AS_LONG = Eq(WORK, P * n_bytes / W)
TWICE = Eq(2 * WORK, 2 * READING)
CROSSOVER = Eq(B_star, n_bytes * F / (multiply_add * one_token * W))
SOLVED = solve_for(B_star, CROSSOVER, "for the batch")

HOLES: dict[str, tuple[int, str, Formula]] = {
    "a false premise that is divided away": (
        1,
        "brings in n_kv_heads^3, which nothing measures",
        derived(
            "embedding_parameters",
            premise(CUBE, "the cube of the key/value heads"),
            divide(n_kv_heads**3, each_weight, "by the number of planets"),
            multiply(n_vocab * d_model, each_weight * n_vocab * d_model, "times the phase of the moon"),
        ),
    ),
    "a false factor that is divided out": (
        2,
        "brings in n_kv_heads^3, which nothing measures",
        derived(
            "embedding_parameters",
            ONE_VECTOR,
            multiply(n_kv_heads**3, VECTOR * n_kv_heads**3, "each in a cube of heads"),
            divide(n_kv_heads**3, VECTOR, "without them"),
            EVERY_TOKEN,
        ),
    ),
    "a false term that is taken away": (
        2,
        "brings in n_kv_heads^3, which nothing measures",
        derived(
            "embedding_parameters",
            ONE_VECTOR,
            add(CUBE, VECTOR + CUBE, "and a cube of heads"),
            subtract(CUBE, VECTOR, "without it"),
            EVERY_TOKEN,
        ),
    ),
    "a false premise, what is wrong with it measured": (
        1,
        "brings in B·M_seq - m_token, which nothing measures",
        derived(
            "kv_bytes_total",
            premise(B * M_seq - m_token, "all tokens but one"),
            add(m_token, B * M_seq, "and that one", measured_by="cache.bytes_of_a_token"),
            multiply(1, B * M_seq, "once"),
        ),
    ),
    "summands that know how many they are": (
        1,
        "which nothing measures",
        derived(
            "kv_bytes_read_while_generating",
            premise(READ_IN_THE_MEAN, "each new token reads the mean of all"),
            sum_over(i_token, n_new, n_new * READ_IN_THE_MEAN, "over all new tokens"),
        ),
    ),
    "what is rounded twice": (
        1,
        "which nothing measures",
        derived(
            "sequences_that_fit",
            premise(each_sequence * floor(SEQUENCES), "whole sequences"),
            round_down(each_sequence, each_sequence * floor(SEQUENCES), "whole again"),
        ),
    ),
    "a relation between what no formula states": (
        1,
        "asks about 2·2·P·B*/F, which no formula that is used states",
        derived(
            "batch_crossover",
            premise(TWICE, "twice the one takes as long as twice the other"),
            substitute(weight_bytes_read, TWICE.xreplace({D_weights: P_read * n_bytes}), "in one format"),
            substitute(weights_read, TWICE.xreplace({D_weights: P * n_bytes}), "what is read is multiplied"),
            SOLVED,
        ),
    ),
}


def test_every_step_of_every_count_is_measured() -> None:
    """None of the catalogue brings in what nothing measures."""
    counts = [formula for formula in catalogue() if formula.kind not in (Kind.THEOREM, Kind.DEFINITION)]
    assert len(counts) > 90
    assert {formula.name: found for formula in counts if (found := unmeasured(formula))} == {}
    assert sum(bool(step.measured_by) for formula in counts for step in formula.steps) > 100


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_found(hole: str) -> None:
    """Every step follows and the claim is true: it is the check of the engine that names the step and its fault."""
    number, complaint, formula = HOLES[hole]
    assert check_steps(formula).verdict is Verdict.PROVED
    finding = check_engine(formula)
    assert (finding.verdict, finding.step) == (Verdict.UNDECIDED, number)
    assert finding.summary.startswith(f"step {number} ")
    assert finding.summary.endswith(complaint)


def test_an_equation_is_changed_on_both_sides() -> None:
    """An equation says the same with both sides multiplied; and two sides that formulas state may be asked about."""
    formula = derived(
        "batch_crossover",
        premise(Eq(WORK, READING), "arithmetic takes as long as reading"),
        substitute(weight_bytes_read, Eq(WORK, P_read * n_bytes / W), "in one format"),
        substitute(weights_read, AS_LONG, "what is read is multiplied"),
        multiply(W, Eq(WORK * W, P * n_bytes), "as bytes"),
        SOLVED,
    )
    assert check_steps(formula).verdict is check_engine(formula).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("name", "rule", "other"),
    [
        ("stable_attention_flops", Rule.SUBTRACT, "textbook.flops[line_1]"),
        ("context_that_fits", Rule.DIVIDE, "cache.bytes"),
        ("prefill_product_flops", Rule.MULTIPLY, "prefill.product_flops"),
    ],
)
def test_a_step_is_compared_with_what_it_names(name: str, rule: Rule, other: str) -> None:
    """A step that names the measurement of something else is refuted.

    What is subtracted or divided by has to be measured, or else what comes out.
    """
    formula = catalogue()[name]
    wrong = tuple(
        replace(step, measured_by=other) if step.rule is rule and step.measured_by else step for step in formula.steps
    )
    finding = check_engine(replace(formula, steps=wrong))
    assert (finding.verdict, finding.step) == (Verdict.REFUTED, 2)
