"""False and empty formulas: each has to be rejected, by the check that is there for it

Every file of `attacks/` is one formula, and its docstring says what is wrong with it. All of them were written to be
called proved. A row names the checks of which at least one has to find the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from planting import attack_files, faults, forgetting, planted, planting, rejected_by

from symbolic_llm import catalogue
from symbolic_llm.checks.report import check_formula
from symbolic_llm.errors import CatalogueError
from symbolic_llm.notation import LETTERS, B, Letter, M_cache, N

pytestmark = [
    pytest.mark.xdist_group("attacks"),  # some empty the caches that other tests live on
    pytest.mark.usefixtures("kept_findings"),
]


@dataclass(frozen=True)
class Attack:
    """A planted file, what it claims, and the checks of which one has to reject it."""

    file: str
    claims: str
    rejected_by: tuple[str, ...]


MEASURED = ("engine", "certificate")  # on other decoders, at other places
VACUOUS = ("conditions", "theorem")

ATTACKS = (
    # Counts that nothing measures, and what is built on them
    Attack("memory/cache_is_weights", "the cache has the bytes of the weights, cited from another letter", ("engine",)),
    Attack("memory/cache_is_weights_by_law", "the same, called a law", ("engine",)),
    Attack("compute/decode_is_seven_p", "a step takes 7·P operations, by definition", ("engine",)),
    Attack("latency/time_of_seven_p", "and so much time", ("engine", "uses")),
    Attack("compute/prefill_is_seven_p", "and a prefill takes as many", ("engine", "uses")),
    Attack("latency/latency_without_overlap", "a step takes the sum of its times, unmeasured", ("engine",)),
    Attack("parameters/attention_is_one_query", "attention holds one head's queries, as measured", ("engine",)),
    Attack("parameters/two_thirds_of_p", "P is two thirds of all weights, by definition", ("engine",)),
    Attack("compute/three_operations_a_weight", "three operations a weight, by that P", ("engine", "uses")),
    Attack("compute/exactly_two_p", "a token takes exactly 2·P operations", ("engine",)),
    Attack("memory/p_is_p_total", "P is P_total, by definition", ("engine",)),
    Attack("memory/p_total_is_p", "P_total is P, by definition", ("engine",)),
    Attack("memory/circle", "bytes from two definitions that define each other", ("engine", "uses")),
    Attack("latency/memory_time_by_batch", "weights are read for each sequence, the unit taken away", ("engine",)),
    Attack("compute/softmax_of_a_step", "a softmax is a step without its products", ("engine",)),
    Attack("compute/prefill_is_a_step", "a prefill takes a step's operations", ("engine",)),
    Attack("kv_cache/generation_without_prompt", "no step reads the prompt, unmeasured", ("engine",)),
    # Claims of all decoders that one of them witnesses
    Attack("kv_cache/cache_of_any_model", "every decoder keeps what a LLaMA keeps", ("engine",)),
    Attack("kv_cache/heads_of_the_schematic_decoder", "every query head keeps keys, in the articles", MEASURED),
    Attack("kv_cache/shared_out_evenly", "devices never keep copies, as where they share evenly", ("engine",)),
    Attack("memory/read_by_plain_decoders", "every decoder reads what it keeps", ("engine",)),
    Attack("parameters/mlp_of_every_model", "every MLP is four times as wide as the model", MEASURED),
    Attack("compute/two_for_each_stored_weight", "two operations for each stored weight", ("engine",)),
    Attack("experts/distinct_with_a_factor", "a factor that is 1 for the batches that are asked", ("certificate",)),
    Attack("decoders/llama_with_other_weights", "a LLaMA's operations with another decoder's weights", ("engine",)),
    Attack("latency/smuggled_condition", "a condition brings attention into T_compute", ("engine", "mutants")),
    # Letters that the decoder of the articles ties to each other
    Attack("kv_cache/query_heads_keep_keys", "every query head keeps keys: n_heads for n_kv_heads", MEASURED),
    Attack("kv_cache/cache_as_wide_as_the_model", "keys are as wide as the model: d_model", MEASURED),
    Attack("latency/memory_time_of_all_weights", "a pass reads what is stored: P_total for P_read", MEASURED),
    Attack("memory/weight_bytes_of_what_multiplies", "what is multiplied is stored: P for P_total", MEASURED),
    Attack("compute/attention_as_wide_as_the_model", "attention goes with d_model for n_heads·d_head", MEASURED),
    Attack("parameters/attention_heads_squared", "square matrices as wide as all heads", MEASURED),
    Attack("parameters/attention_without_a_condition", "square matrices as wide as the model", MEASURED),
    Attack(
        "decoders/two_models_in_one", "P is a LLaMA's and another's at once", ("steps", "engine", "uses", "catalogue")
    ),
    # Numerals and sums
    Attack("compute/three_for_each_weight", "three operations a weight", ("engine",)),
    Attack("compute/scores_without_sums", "attention without its weighted sums", ("engine",)),
    Attack("kv_cache/gauss_from_zero", "a new token does not read itself", ("engine",)),
    Attack("experts/distinct_linear", "sequences never pick the same expert", ("engine",)),
    Attack("latency/latency_as_a_sum", "a step takes the sum of its times, measured", ("engine",)),
    Attack("attention/dear_exponentials", "an exponential is two operations", ("engine",)),
    Attack("kv_cache/one_page_each", "a sequence keeps sixteen tokens, however long", ("engine",)),
    Attack("compute/attention_of_a_step", "a softmax is counted, by a pattern that is misprinted", ("engine",)),
    # What grids and configurations do not see
    Attack(
        "latency/latency_with_a_hidden_factor", "a factor that is 1 where anybody looks, beside a maximum", MEASURED
    ),
    Attack("parameters/parameters_with_a_rounded_factor", "the same factor, beside a rounding", MEASURED),
    Attack("memory/strict_fit", "rounded up, less one: wrong at an exact fit", MEASURED),
    Attack("memory/a_byte_stays_free", "one byte must stay free: wrong at an exact fit", MEASURED),
    # Theorems about nothing
    Attack("batching/smaller_than_its_embedding", "a condition that contradicts a used formula", VACUOUS),
    Attack("batching/cheaper_than_its_embedding", "the same, and what contradicts it is not used", ("conditions",)),
    Attack("batching/between_one_and_two_blocks", "a condition that no whole number meets", VACUOUS),
    Attack("batching/never_true", "two sides that are never true", VACUOUS),
    Attack("batching/trivial", "a conclusion that is always true", VACUOUS),
    Attack("batching/contradiction", "two conditions that exclude each other", ("conditions",)),
    Attack("parameters/p_is_p", "P is P", ("steps", "engine", "certificate", "mutants", "catalogue")),
    Attack("latency/larger_of_the_same", "the larger of a time and itself", ("certificate", "mutants", "steps")),
    Attack("latency/never_the_longer", "the larger of a time and a part of it", ("certificate", "mutants", "steps")),
    Attack("memory/superfluous_condition", "a condition that nothing needs", ("mutants",)),
    Attack("compute/one_operation_a_token", "an error of at most everything", ("mutants",)),
    Attack("compute/lax_bound", "a bound a thousand times too wide", ("mutants",)),
    # What is shown with a formula
    Attack("latency/time_of_a_training_step", "a source that does not exist, a batch of -3", ("shown",)),
    Attack("parameters/titled_as_something_else", "a source and a model that do not exist", ("shown",)),
    # Steps that do not follow, or bring in what is false
    Attack("parameters/false_premise", "a false premise that ends at the right claim", ("steps", "engine")),
    Attack("parameters/across_a_pole", "a quotient cancelled where it has no value", ("steps",)),
    Attack("parameters/across_a_measured_pole", "the same inside a measured formula", ("steps", "engine")),
    Attack("decoders/limit_of_a_tied_width", "a limit in a width that the heads fill", ("steps",)),
    Attack("batching/lost_root", "one of two roots", ("steps",)),
    Attack("batching/divided_by_a_negative", "an inequality divided by what may be negative", ("steps", "theorem")),
    Attack("batching/squared", "an inequality squared", ("steps", "theorem")),
    Attack("latency/value_of_a_theorem", "a theorem put in for a letter", ("steps", "catalogue")),
    Attack("parameters/p_from_bytes", "P from the bytes that P was computed to", ("engine",)),
    Attack("parameters/without_a_value", "a quotient without a value at a drawn shape", ("engine",)),
)

TRUE = {
    "decoders/roots": "(√h + 1)² multiplied out",
    "memory/capacity_whole": "a batch fits exactly when it is at most the quotient, rounded down",
    "memory/fit_under_its_own_condition": "sequences that fit, with a condition that the engine cannot do without",
    "memory/machines": "bytes over memory, rounded up",
    "parameters/one_head": "attention's weights, where there is one head",
}

WORDS = {
    "memory/misread_condition": "a condition whose sentence says the opposite of its relation",
}


@pytest.fixture(autouse=True)
def _planted() -> Iterator[None]:
    with planting():
        yield


def found_wrong(file: str) -> dict[str, str]:
    """Faults that all checks find in the formula of a file, by check."""
    return faults(check_formula(planted(file)))


def test_every_file_is_in_the_table() -> None:
    """A file that nobody runs attacks nothing."""
    listed = [attack.file for attack in ATTACKS] + [*TRUE, *WORDS]
    assert sorted(listed) == attack_files()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.file)
def test_is_rejected(attack: Attack) -> None:
    """Every attack is refused as it is read, or a check that is there for it says why.

    The check says so in a finding and not in a traceback.
    """
    try:
        formula = planted(attack.file)
    except CatalogueError:
        assert "catalogue" in attack.rejected_by, attack.claims
    else:
        assert rejected_by(formula, attack.rejected_by), attack.claims


@pytest.mark.parametrize("file", TRUE)
def test_what_is_true_is_accepted(file: str) -> None:
    """A checker that rejects everything is worth nothing either."""
    assert found_wrong(file) == {}, TRUE[file]


@pytest.mark.parametrize("file", WORDS)
def test_words_are_not_checked(file: str) -> None:
    """A wrong sentence passes all checks: they prove the relation, and its words are for readers to judge."""
    assert found_wrong(file) == {}, WORDS[file]


def test_nothing_else_is_wrong_with_what_is_titled_as_something_else() -> None:
    """Title, introduction and reasons are about another thing, and for readers to judge."""
    assert found_wrong("parameters/titled_as_something_else").keys() == {"shown"}


@contextmanager
def declared(changes: dict[Any, Letter]) -> Iterator[None]:
    """While it lasts, some letters are declared otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        for symbol, letter in changes.items():
            patch.setitem(LETTERS, symbol, letter)
        with forgetting():
            yield


def test_exchanged_parameters_are_noticed() -> None:
    """B as the engine's context and N as its batch: what holds both alike cannot tell, what does not can."""
    with declared({B: replace(LETTERS[B], engine="context"), N: replace(LETTERS[N], engine="batch")}):
        assert rejected_by(catalogue()["decode_product_flops"], ("engine",))


def test_the_meaning_of_a_letter_is_not_checked() -> None:
    """Its unit is: bytes that are said to be seconds stay bytes, but sequences they cannot be."""
    total = catalogue()["kv_bytes_total"]
    with declared({M_cache: replace(LETTERS[M_cache], meaning="seconds that the cache takes")}):
        assert faults(check_formula(total)) == {}
    with declared({M_cache: replace(LETTERS[M_cache], unit=LETTERS[B].unit)}):
        assert rejected_by(total, ("dimensions",))
