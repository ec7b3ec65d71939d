"""Every formula of the catalogue is proved, measured and complete"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sympy import Eq, floor

from reference_engine.probes import QUESTIONS, SUBJECTS, Probe
from reference_engine.probes.measures import Answer, Elsewhere
from symbolic_llm import catalogue, formulas, presets
from symbolic_llm.answers.explanation import explain_formula
from symbolic_llm.architecture import AXES, Trait
from symbolic_llm.catalogue import _CLAIM
from symbolic_llm.checks.many_formulas import check_formulas
from symbolic_llm.checks.report import own_findings
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Kind
from symbolic_llm.models.caches_and_states import sums
from symbolic_llm.models.context_laws import laws
from symbolic_llm.models.device_weights import OF_CHUNKS
from symbolic_llm.models.formula_table import CHOICES, OF_PROMPTS, among, chosen, suiting
from symbolic_llm.models.own_formulas import of_prompts
from symbolic_llm.notation import (
    B_star_cache,
    C_prompt,
    C_seq,
    D_prompt,
    D_seq,
    D_weights,
    D_weights_all,
    D_weights_prompt,
    M_seq,
    N_critical,
    N_fit,
    P_active,
    P_all,
    P_prompt,
    P_read,
    T_decode,
    T_generation,
    T_output,
    m_token,
    n_vocab,
)
from symbolic_llm.presets import Presets, source
from symbolic_llm.presets.presets import NAMES as PRESETS
from symbolic_llm.witness.certificate_for_all_shapes import cases_of, certifiable, decidable, excused
from symbolic_llm.witness.largest_that_fits import rounds
from symbolic_llm.witness.letters import probes_of
from symbolic_llm.witness.subjects import COUNTED

NAMES = catalogue().names
CHAPTERS = "symbolic_llm.formulas."


def test_the_catalogue_is_not_empty() -> None:
    """An empty catalogue would pass every test over its entries."""
    assert len(NAMES) >= 108
    folders = {path.parent.name for path in Path(formulas.__file__).parent.glob("*/__init__.py")}
    assert [chapter.name for chapter in catalogue().chapters()] == list(formulas.CHAPTERS)
    assert set(formulas.CHAPTERS) == folders
    assert len(folders) >= 19


@pytest.mark.usefixtures("kept_findings")
@pytest.mark.parametrize("name", NAMES)
def test_formula_is_proved(name: str) -> None:
    """All checks that apply were made, and each found it proved; a definition says that it is one."""
    formula = catalogue()[name]
    (report,) = check_formulas([formula])
    assert report.verdict is (Verdict.DEFINED if formula.kind is Kind.DEFINITION else Verdict.PROVED), repr(report)
    assert report.standing is not None
    made = {finding.check for finding in report.findings}
    expected = {"steps", "dimensions", "engine", "mutants"}
    expected |= {"theorem"} if formula.kind is Kind.THEOREM else set()
    expected |= {"conditions"} if formula.conditions or formula.kind is Kind.THEOREM else set()
    equation = formula.measured_by and formula.kind not in (Kind.THEOREM, Kind.APPROXIMATION)
    expected |= {"certificate"} if equation else set()
    expected |= {"uses"} if formula.uses else set()
    assert made == expected


@pytest.mark.parametrize("name", NAMES)
def test_formula_is_complete(name: str) -> None:
    """A title, a witness or the reason why there is none, sources that exist, and an example that works."""
    formula = catalogue()[name]
    assert formula.title
    assert not formula.title.endswith(".")
    assert bool(formula.measured_by and probes_of(formula.measured_by, formula)) != bool(formula.unmeasured)
    for key in formula.sources:
        assert source(key).url.startswith("https://")
    letters = {key: value for key, value in formula.example.items() if key not in PRESETS}
    presets = {key: value for key, value in formula.example.items() if key in PRESETS}
    assert explain_formula(formula, letters, Presets(**presets)).result


def taken(source: str) -> set[str]:
    """The formulas from whose files a source takes something."""
    modules = (node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module)
    named = (module.removeprefix(CHAPTERS) for module in modules if module.startswith(CHAPTERS))
    return {name.partition(".")[2] for name in named if "." in name}


def test_what_a_formula_takes_it_uses() -> None:
    """A term taken from another formula's file is built on that formula, so that "used by" is complete."""
    unlisted = {
        name: found
        for name in NAMES
        if (found := taken(inspect.getsource(sys.modules[catalogue()[name].module])) - _below(name))
    }
    assert unlisted == {}


def _below(name: str) -> set[str]:
    return {used.name for used in catalogue()[name].closure()}


def test_a_term_that_is_taken_is_noticed() -> None:
    """The twin: a constant from another formula's file counts, a numeral that all share does not."""
    planted = f"from {CHAPTERS}latency.latency import FORMULA\nfrom {CHAPTERS}shared import two_flop"
    planted += f"\nfrom {CHAPTERS}kv_cache.windowed_kv_bytes import KEPT"
    assert taken(planted) == {"latency", "windowed_kv_bytes"}
    assert "softmax" in inspect.getsource(sys.modules[catalogue()["decode_attention_flops"].module])
    assert "textbook_attention_flops" in _below("decode_attention_flops")


def test_grids_decide_what_is_rational_in_every_case() -> None:
    """Every case of a claim that grids decide is rational; its subjects are told from the claim before the split."""
    cases = [case for formula in catalogue() for probe in decidable(formula) for case in cases_of(formula, probe)]
    assert len(cases) > len(catalogue())
    assert all(case.expression.is_rational_function() for case in cases)


def test_every_count_has_a_certificate() -> None:
    """Measured identities are polynomials for all shapes, those that fill memory are left to solvers."""
    identities = [f for f in catalogue() if f.kind is Kind.IDENTITY]
    filling = {f.name for f in identities if f.measured_by and rounds(f)}
    assert {f.name for f in identities if f.unfold(f.rhs).has(floor)} == filling | {
        "kv_heads_per_device",
        "pages_of_a_sequence",
        "paged_cache_bytes",
    }
    assert len(filling) == 6
    assert {f.name for f in identities if f.measured_by and not certifiable(f)} == filling
    unmeasured = {f.name for f in identities if not f.measured_by}
    assert unmeasured == {"attention_intensity_limit"}


def test_what_no_grid_decides_is_excused_by_name() -> None:
    """Counts with a letter in an exponent are compared only, and named here; without that excuse one is a doubt."""
    excused_ones = {f.name for f in catalogue() if f.measured_by and f.quantity is not None and excused(f)}
    assert {name for name in excused_ones if not certifiable(catalogue()[name])} == {
        "distinct_experts",
        "share_of_experts_used",
        "speculative_speedup",
        "speculative_tokens",
        "prefill_distinct_experts",
        "expert_weights_read",
        "expert_prefill_weights_read",
        "fastest_devices",
    }
    counted = catalogue()["embedding_parameters"]
    halves = 2 * floor(n_vocab / 2)
    halved = replace(counted, claim=Eq(counted.quantity, counted.rhs * halves / n_vocab, evaluate=False))
    finding = next(f for f in own_findings(halved) if f.check == "certificate")
    assert (finding.verdict, finding.summary) == (
        Verdict.UNDECIDED,
        "it is not decided for all shapes, and nothing excuses that",
    )


def test_what_nothing_measures_has_one_formula() -> None:
    """A letter without a probe means what its only formula says; two could differ, and nothing would tell."""
    unmeasured = [f.quantity for f in catalogue() if not f.measured_by and f.quantity is not None]
    for letter in unmeasured:
        assert sum(f.quantity == letter for f in catalogue()) == 1, letter


def asked_of(names: Iterable[str]) -> list[Probe]:
    """The probes that formulas put their questions by."""
    formulas = [catalogue()[name] for name in names]
    written = [(f.measured_by, f) for f in formulas] + [(s.measured_by, f) for f in formulas for s in f.steps]
    return [probe for name, formula in written if name for probe in probes_of(name, formula)]


def unasked(probes: Iterable[Probe]) -> set[str]:
    """Questions that nobody asks, and subjects that nobody asks anything."""
    probes = list(probes)
    asked, of = {probe.asks.name for probe in probes}, {probe.subject.name for probe in probes}
    return (QUESTIONS.keys() - asked) | (SUBJECTS.keys() - of - COMPARED_WITH)


def elsewhere(answer: Any) -> Iterator[Elsewhere]:
    """Parts of an answer that are asked for at another place, of another run or subject."""
    if isinstance(answer, Elsewhere):
        yield answer
    within = answer if isinstance(answer, tuple) else [*vars(answer).values()] if isinstance(answer, Answer) else ()
    for one in within:
        yield from elsewhere(one)


COMPARED_WITH = {one.subject for question in QUESTIONS.values() for one in elsewhere(question.answer)}


def test_each_question_witnesses_something() -> None:
    """Every question is asked by a formula, and every subject is asked something; the rest would be dead code."""
    assert unasked(asked_of(NAMES)) == set()


def test_a_question_that_nobody_asks_is_noticed() -> None:
    """The twin: without one formula, its question and its subject are left over."""
    assert unasked(asked_of(name for name in NAMES if name != "activation_parameters")) == {"weights.of_slopes"}
    assert unasked(asked_of(name for name in NAMES if name != "projection_parameters")) == {
        "projected",
        "weights.of_projections",
    }


def test_every_letter_is_used() -> None:
    """A letter in no formula is dead notation."""
    from symbolic_llm.notation import LETTERS

    used = set().union(*(set(f.letters) for f in catalogue()))
    used |= set().union(*(s.result.free_symbols for f in catalogue() for s in f.steps))
    for model in ("mixtral-8x7b", "qwen3-next-80b-a3b", "gemma-3n-e2b", _with_latent_experts()):  # a model's own sum
        used |= set(presets.model(model).formula_for(P_active).letters)
    kinds = (told for told in _TELLING.values())  # and what blocks keep
    used |= set().union(*(f.letters for told in kinds for f in sums(frozenset({"n_blocks", *told}))))
    used |= set().union(*(formula.letters for formulas in COUNTED.values() for formula in formulas))
    mixtral = presets.model("mixtral-8x7b")  # and mixed steps
    mixed = [mixtral.formula_for(letter) for letter in OF_CHUNKS]
    used |= set().union(*(one.letters for law in mixed for one in (law, *mixtral.formulas_for(law))))
    assert set(LETTERS) <= used


def _with_latent_experts() -> dict[str, object]:
    wild = json.loads((Path(__file__).parent / "data" / "models_wild.json").read_text(encoding="utf-8"))["models"]
    return next(one["config"] for one in wild if one["config"].get("moe_latent_size"))


def _with_wide_heads() -> dict[str, object]:
    odd = json.loads((Path(__file__).parent / "data" / "models_odd.json").read_text(encoding="utf-8"))["models"]
    mine = (one["config"] for one in odd if one["config"]["model_type"] == "gemma4_text")
    return next(one for one in mine if not one.get("attention_k_eq_v"))


def test_a_letter_says_what_it_stands_in_for() -> None:
    """No more and no less than models make of it."""
    from symbolic_llm.notation import LETTERS

    models = [presets.model(model) for model in (*presets.names("models"), _with_latent_experts(), _with_wide_heads())]
    renamed = {(new, old) for model in models for part in model.parts for old, new in part.renamed.items()}
    assert renamed == {(letter.name, old) for letter in LETTERS.values() for old in letter.instead_of}


SUMMED = {M_seq, D_seq, C_seq, D_prompt, C_prompt, D_weights, D_weights_prompt}  # over the parts of a decoder
EVERY = SUMMED | {P_read, P_prompt, m_token, T_decode, T_output, T_generation, B_star_cache}
_BENDING = {Trait.COMPRESSED}  # what grows in steps has no line that a bound could meet


_TELLING = {
    Trait.MIXED: ("n_local", "n_global"),
    Trait.WINDOWED: ("n_local",),
    Trait.HYBRID: ("n_global", "n_state"),
    Trait.TWOFOLD: ("n_local", "n_global", "n_kv_full", "d_head_full"),
    Trait.NARROW: ("d_value",),
    Trait.BORROWING: ("n_local", "n_global", "n_local_own", "n_global_own"),
    Trait.PICKED: ("n_index", "d_latent"),
    Trait.LATENT: ("d_latent",),
    Trait.COMPRESSED: ("r_csa",),
}
EACH = [  # in one order for all workers; heads of two kinds, and compressed runs, have a trait of blocks and of heads
    traits
    for traits in product(*([trait for trait in Trait if trait in axis] for axis in AXES))
    if ((Trait.TWOFOLD in traits) == (Trait.UNEQUAL in traits) or {Trait.NARROW, Trait.BORROWING} & {*traits})
    and (Trait.COMPRESSED in traits) == (Trait.SHARED in traits)
]


@pytest.mark.parametrize("traits", EACH, ids=lambda traits: "-".join(t.name for t in traits))
def test_each_model_has_one_formula_for_each_letter(traits: tuple[Trait, ...]) -> None:
    """However a decoder is built: one for each letter that is computed differently, and for served prompts."""
    if {Trait.HYBRID, Trait.BORROWING} & {*traits} and Trait.LATENT in traits:
        return  # no decoder has both
    told = {"n_blocks"} | {name for trait in traits for name in _TELLING.get(trait, ())}
    own = (*sums(frozenset(told)), *laws(frozenset(told)))
    chose = [formula.quantity for formula in chosen(frozenset(traits))]
    picked = [*chose, *(formula.quantity for formula in own if formula.quantity not in chose)]
    assert len(picked) == len(set(picked))
    every = EVERY if _BENDING & set(traits) else EVERY | {N_fit, N_critical}
    every = every | {P_all, D_weights_all} if Trait.EXPERTS in traits else every
    assert every <= set(picked)
    prompts = of_prompts(suiting(OF_PROMPTS, frozenset(traits)), frozenset(told))
    assert sorted(map(str, (formula.quantity for formula in prompts))) == ["C_prompt", "C_prompt_device"]


def test_a_second_choice_is_noticed() -> None:
    """The twin: the dense formula once more, for mixtures too."""
    again = replace(catalogue()["weights_read"], models=(Trait.EXPERTS, Trait.FULL))
    both = (*CHOICES, *among((*catalogue().giving(P_read), again)))
    picked = [formula.quantity for formula in suiting(both, frozenset({Trait.EXPERTS, Trait.FULL, Trait.GROUPED}))]
    assert len(picked) != len(set(picked))


def test_a_formula_for_another_trait_is_picked_by_what_it_says() -> None:
    """No table names it; one that rests on another, or is for fewer decoders than another, is not among the choices."""
    known = catalogue()["index_bytes_per_token"]
    new = replace(known, module="new", models=(Trait.WINDOWED,), uses=())
    assert among((known, new)) == (known, new)
    assert among((known, replace(new, uses=(known,), models=known.models))) == (known,)
    assert among((known, replace(new, models=()))) == (known,)
    wider = replace(new, models=(Trait.WINDOWED, Trait.MIXED))
    assert among((known, new, wider)) == (known, wider)


def test_formulas_of_a_letter_are_found_by_their_files() -> None:
    """All of them, and none of another letter; the twin: a claim that is written otherwise is not found."""
    valued = [formula for formula in catalogue() if formula.quantity is not None]
    for symbol in {formula.quantity for formula in valued}:
        assert {*catalogue().giving(symbol)} == {formula for formula in valued if formula.quantity == symbol}
    assert _CLAIM.search("claim=Eq(\n    M_seq,\n    N * m_token,\n)")
    assert not _CLAIM.search("claim = CLAIM")
