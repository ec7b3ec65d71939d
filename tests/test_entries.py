"""Entries that are known for all shapes, and answers that are put together from them, beside those of the engine"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planting import asking, forgetting
from sympy import degree

from reference_engine.ledger import Tally
from reference_engine.probes import QUESTIONS, SUBJECTS, Probe, probes
from reference_engine.probes.answering import ANSWER
from reference_engine.probes.counts import Passed, Selection
from reference_engine.probes.devices import STEP as DEVICES_STEP
from reference_engine.probes.runs import STEP, STEP_OF_ALL, WEIGHTS, Run, Values
from reference_engine.probes.subjects import Subject
from symbolic_llm import catalogue
from symbolic_llm.bridge.answered import Answered, entries_of, known
from symbolic_llm.bridge.asking import asked, sides
from symbolic_llm.bridge.borders import Side, border_of
from symbolic_llm.bridge.certificate import cases_of, certify, decidable
from symbolic_llm.bridge.configurations import OFFERED
from symbolic_llm.bridge.entered import TOKENS, Uncertifiable, entered
from symbolic_llm.bridge.entries import Bent, Entries, _Runs
from symbolic_llm.bridge.grids import Axes
from symbolic_llm.bridge.shapes import parameter
from symbolic_llm.bridge.traced import Traced
from symbolic_llm.expressions.polynomial import Polynomial
from symbolic_llm.formula import Formula

pytestmark = pytest.mark.xdist_group("entries")  # all rest on the same runs of the engine

NAMES = ("x", "y")
X, Y = Polynomial({(1, 0): 1}, NAMES), Polynomial({(0, 1): 1}, NAMES)

# One question at least of each kind of answer, to subjects whose entries change their form too.
ASKED = (
    "llama/decode.flops",
    "llama/weights.stored",
    "llama/weights.of_mlp",
    "llama/clock.step_time_with_cache",
    "llama/clock.throughput",
    "llama/clock.batch_crossover_with_cache",
    "llama/clock.generation_time",
    "llama/clock.decode_time_with_cache",
    "llama/clock.request_time",
    "llama/attention.flops_per_context_token",
    "llama/memory.left",
    "llama/prefill.last_logits_product_flops",
    "windowed/cache.bytes",
    "windowed/decode.product_flops",
    "windowed/clock.decode_time_with_cache",
    "mixed/cache.bytes_read_while_generating",
    "latent/clock.request_time",
    "windowed/clock.critical_context",
    "mixtral/decode.product_flops",
    "textbook.intensity",
    "packed.bytes_per_weight",
)


def at(probe: Probe, values: dict[str, int]) -> Answered:
    """The answer for all shapes like these."""
    names = probe.parameters
    powers = {name: tuple(int(name == other) for other in names) for name in names}
    return Answered(probe, names, {n: Traced(v, Polynomial({powers[n]: 1}, names)) for n, v in values.items()})


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("turn", [0, 1])
def test_answers_are_those_of_the_engine(name: str, turn: int) -> None:
    """At the place where comparisons were made, which is on either side of a window: `==`, by running the engine."""
    (probe,) = probes(name) if "/" in name else probes(name)[:1]
    numbers = {name: 3 + (5 * place + 4 * turn) % 5 for place, name in enumerate(probe.parameters)}
    values = {name: OFFERED[name][1 + turn] if name in OFFERED else number for name, number in numbers.items()}
    values |= {name: value for name, value in (("window", (2, 11)[turn]), ("memory", 10**9)) if name in values}
    answered = at(probe, values)
    counted, out_of = asked(probe, values)
    point = tuple(values.values())
    assert answered.over(point) * out_of == answered.under(point) * counted
    assert counted != 0 or name == "windowed/clock.critical_context"  # there is none beyond the window
    over, under = sides(probe.ask(known, **values))  # and by the numbers alone
    assert over * out_of == under * counted


def test_entries_change_where_a_window_fills() -> None:
    """On either side the cache is another polynomial: of the context, and of the window."""
    (probe,) = probes("windowed/cache.bytes")
    values = dict.fromkeys(probe.parameters, 2) | {"context": 3, "window": 9}
    within, beyond = at(probe, values), at(probe, values | {"context": 9, "window": 3})
    assert (within.over.degree("context"), within.over.degree("window")) == (1, 0)
    assert (beyond.over.degree("context"), beyond.over.degree("window")) == (0, 1)
    border = border_of(probe.asks.run, probe.subject)  # type: ignore[arg-type]
    assert border is not None
    sides = [border.side({"context": c, "window": 5}) for c in (4, 5, 6)]
    assert sides == [(("window", 3),), (("window", 3),), (("context", 3),)]


def test_entries_change_twice_where_a_window_fills_on_the_way() -> None:
    """An answer may end before the window is full, fill it, or begin beyond it."""
    (probe,) = probes("windowed/cache.bytes_read_while_generating")
    values = dict.fromkeys(probe.parameters, 2) | {"context": 4, "new_tokens": 3}
    degrees = {w: at(probe, values | {"window": w}).over.degree("window") for w in (2, 4, 5, 7, 9)}
    assert degrees == {2: 1, 4: 2, 5: 2, 7: 0, 9: 0}


@pytest.mark.parametrize(
    ("run", "subject", "names"),
    [
        (STEP, "windowed", ("window", "context")),
        (ANSWER, "windowed", ("window", "context", "new_tokens")),
        (STEP, "picked", ("picked", "context")),
        (STEP_OF_ALL, "sparse twofold", ("window", "context", "batch", "n_active", "idle")),
        (STEP, "uneven", ("devices", "n_kv_heads")),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)
def test_a_border_says_in_relations_what_it_decides_by(run: Run, subject: str, names: tuple[str, ...]) -> None:
    """Every place meets the relations of a case, and off the border those of the side that it is on and no others."""
    border = border_of(run, SUBJECTS[subject])
    assert border is not None
    sides: dict[int, set[Side]] = {}
    for place in product((1, 2, 4, 7), repeat=len(names)):
        values = dict(zip(names, place, strict=True))
        at = {parameter(name): value for name, value in values.items()}
        met = [number for number, case in enumerate(border.cases) if all(bool(one.xreplace(at)) for one in case)]
        assert met, values
        if len(met) == 1:
            sides.setdefault(met[0], set()).add(border.side(values))
    assert [len(sides[number]) for number in range(len(border.cases))] == [1] * len(border.cases)
    assert len(set().union(*sides.values())) == len(border.cases)


def test_what_is_no_polynomial_is_not_taken_for_one() -> None:
    """The experts that a batch reads: their number stands in an exponent."""
    (probe,) = probes("mixtral/weights.read")
    with pytest.raises(Uncertifiable, match="goes with how many experts are used"):
        at(probe, dict.fromkeys(probe.parameters, 2))


def _paged(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A decoding step that enters one operation more where the context is past twenty."""
    (found,) = STEP.passes(subject, values)
    if values["context"] > 20:
        next(iter(found.ledger.entries.values())).flops += 1
    return (found,)


def test_a_lie_that_depends_on_a_size_is_not_certified() -> None:
    """What is compared with a number depends on the parameters, so nothing is said for all shapes."""
    lying = replace(QUESTIONS["decode.flops"], run=Run("lying", STEP.takes, _paged), subjects=("llama",))
    with (
        asking(lying),
        pytest.raises(Uncertifiable, match=r"whether 20 is at least \d+ \(context\) depends on the parameters"),
    ):
        certify(catalogue()["llama_decode_flops"])
    assert all(certificate.holds for certificate in certify(catalogue()["llama_decode_flops"]))


def _hidden(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """The same, by plain numbers that no size remembers: only the plain run that is far out tells it."""
    (found,) = STEP.passes(subject, values)
    found.ledger.entries["output", "matmul"].flops += int(values["context"]) // 20
    return (found,)


def test_a_lie_beyond_what_is_run_on_sizes_is_found_by_running_the_engine() -> None:
    """The polynomials say nothing of it; the plain run far out does, and the engine says where the formula differs."""
    lying = replace(QUESTIONS["decode.flops"], run=Run("lying", STEP.takes, _hidden), subjects=("llama",))
    with asking(lying):
        (certificate,) = certify(catalogue()["llama_decode_flops"])
        assert certificate.counterexample is not None
        assert certificate.counterexample["context"] > 20


def _growing(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A decoding step that enters an op of its own where there are more than nine blocks."""
    (found,) = STEP.passes(subject, values)
    if values["n_blocks"] > 9:
        found.ledger.entries["swapped", "load"] = Tally(loaded=1)
    return (found,)


def _bent(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A decoding step that enters an operation more where all widths are large."""
    (found,) = STEP.passes(subject, values)
    found.ledger.entries["output", "matmul"].flops += min(int(values[name]) for name in ("d_ff", "d_model")) > 30
    return (found,)


def _rounded(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A decoding step that loads as many bytes as fill pages of seven."""
    (found,) = STEP.passes(subject, values)
    tally = found.ledger.entries["output", "load"]
    tally.loaded = -(-tally.loaded // 7) * 7
    return (found,)


@pytest.mark.parametrize(
    ("passes", "error", "message"),
    [
        (_growing, Bent, "the engine enters 1 for swapped, not 0, where"),
        (_bent, Bent, r"the engine enters \d+ for output, not \d+, where"),
        (_rounded, Uncertifiable, "a size lost its polynomial on the way to the engine's count of output"),
    ],
)
def test_what_the_engine_enters_otherwise_is_seen(passes: Any, error: type[Exception], message: str) -> None:
    """Whatever formula asks: by plain runs apart, and by a second place."""
    with forgetting():
        entries = Entries(Run("lying", STEP.takes, passes), SUBJECTS["llama"])
        keys = [*entries.keys, ("loaded", "swapped", "load")]
        with pytest.raises(error, match=message):
            [entries[key] for key in keys]


def _few(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A step of several devices of which two send a byte more."""
    (found,) = DEVICES_STEP.passes(subject, values)
    for at in [at for at in found.ledger.entries if at[1] == "send"][:1]:
        found.ledger.entries[at].sent += int(values["devices"]) == 2
    return (found,)


def test_few_devices_are_run_one_by_one() -> None:
    """What only two of them do is no polynomial of many."""
    with forgetting():
        entries = Entries(Run("lying", DEVICES_STEP.takes, _few), SUBJECTS["split"])
        with pytest.raises(Uncertifiable, match="with 2 for devices the engine's count of"):
            [entries[key] for key in entries.keys]


def test_plain_runs_are_far_out() -> None:
    """On every parameter but those that multiply all the rest, beyond both places; one is of packed formats."""
    for raised in ((("window", 3),), (("context", 3),)):
        runs = _runs(STEP, "mixed", raised)
        smallest, packed, far = runs.apart()
        assert min(smallest.values()) == 1
        assert packed["n_bytes"] == Fraction(9, 16)
        both = (runs.values(0), runs.values(1))
        assert all(far[name] > max(one[name] for one in both) for name in ("d_model", "d_ff", "n_vocab", "context"))
        assert sum(value > 20 for value in far.values()) > 5


@pytest.mark.parametrize("raised", [(("window", 3),), (("context", 3),), (("window", 3), ("new_tokens", 5))])
def test_runs_on_sizes_are_on_one_side(raised: Side) -> None:
    """At both places, and at those of the plain runs."""
    runs = _runs(ANSWER if len(raised) == 2 else STEP, "mixed", raised)
    border = border_of(ANSWER if len(raised) == 2 else STEP, SUBJECTS["mixed"])
    assert border is not None
    for values in (runs.values(0), runs.values(1)):
        assert border.side(values) == raised
    for values in runs.apart():
        assert all(fact >= 0 for fact in border.facts(raised, values))


def _runs(run: Run, subject: str, raised: Side = ()) -> _Runs:
    return _Runs(run, SUBJECTS[subject], raised)


# What is rounded: entries of whole runs of tokens, and what the first of some devices has of heads that do not divide
ROUNDED = {
    ("held", "compressing", "cache.blocks.*.entries"),
    ("held", "compressing", "cache.blocks.*.index_entries"),
    ("held by the first device", "uneven", "weights.blocks.0.*"),
    ("held by the first device", "uneven", "cache.blocks.0.*"),
    ("steps of a round", "compressing", "blocks.*.attention.*"),
    ("steps of a round", "compressing", "mixing_?.*"),
}


def every_run() -> dict[tuple[Run, str, Side], None]:
    """What any question runs, whoever it is put to, on each side."""
    found = dict[tuple[Run, str, Side], None]()
    for question in QUESTIONS.values():
        for name in question.subjects if question.run else ():
            assert question.run is not None
            border = border_of(question.run, SUBJECTS[name])
            found |= dict.fromkeys((question.run, name, raised) for raised in (border.sides if border else ((),)))
    return found


def test_every_run_that_is_asked_for_is_known() -> None:
    """For all shapes, but for what is rounded; and in no plain run anything else is entered."""
    for run, name, raised in every_run():
        entries = entries_of(run, SUBJECTS[name], raised)
        assert not entries._bent, (run.name, name, raised)
        for _, path, _ in entries._unknown:
            asked = [
                (run.name, name, path) for one in ROUNDED if fnmatchcase(f"{run.name}/{name}/{path}", "/".join(one))
            ]
            assert asked, (run.name, name, raised, path)
        assert len(entries._unknown) < len(entries.keys) / 2


def test_two_places_have_no_number_in_common() -> None:
    """A size that lost its polynomial would be right at both, if a parameter had one value there."""
    for run, name, raised in every_run():
        runs = _runs(run, name, raised)
        one, two = runs.values(0), runs.values(1)
        same = [at for at in runs.names if at not in runs.plain and one[at] == two[at]]
        assert not same, (run.name, name, raised)


def test_a_wrong_entry_is_no_counterexample() -> None:
    """Where polynomials differ and the engine does not, neither is believed."""
    with forgetting():
        entries = entries_of(STEP, SUBJECTS["llama"], ())
        key = next(key for key in entries.keys if key[0] == "flops" and key[2] == "matmul")
        entries._known[key] = entries._known[key].scaled(2)
        with pytest.raises(Uncertifiable, match="not what its entries say"):
            certify(catalogue()["llama_decode_flops"])


def test_tokens_are_an_entry() -> None:
    """For how many tokens a pass gives logits."""
    entries = entries_of(STEP, SUBJECTS["llama"], ())
    (powers,) = entries[TOKENS].terms
    assert [name for name, power in zip(entries.names, powers, strict=True) if power] == ["batch"]


# Numbers that remember how they came about

numbers = st.one_of(st.integers(-20, 20), st.fractions(-5, 5, max_denominator=7))


@given(st.data())
def test_what_is_traced_is_the_value_of_its_polynomial(data: st.DataObject) -> None:
    """Whatever is done with it, with plain numbers and with others."""
    x, y = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    found: list[Any] = [Traced(x, X), Traced(y, Y), data.draw(numbers)]
    for _ in range(6):
        one, other = data.draw(st.sampled_from(found)), data.draw(st.sampled_from(found))
        how = data.draw(st.sampled_from(["+", "-", "*", "/", "**"]))
        if how == "/":
            other = data.draw(numbers.filter(bool))
            found.append(one / Fraction(other))
        elif how == "**":
            found.append(one**2)
        else:
            found.append(one + other if how == "+" else one - other if how == "-" else one * other)
    for one in found:
        if isinstance(one, Traced):
            assert one.polynomial is not None
            assert one.polynomial((x, y)) == one.value


def test_runs_of_a_certificate_are_those_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """On sizes and plain, all together."""
    run = list[Any]()

    def entering(*asked: Any) -> Any:
        run.append(asked)
        return entered(*asked)

    monkeypatch.setattr("symbolic_llm.bridge.entries.entered", entering)
    for formula in (one for one in catalogue() if one.chapter == "parameters"):
        with forgetting():
            run.clear()
            certificates = certify(formula)
        # a plain run whose widths fill no packed block ends before it has entered anything
        assert 0 <= sum(certificate.runs for certificate in certificates) - len(run) <= len(certificates), formula.name
        assert run


def degrees_of_claim(formula: Formula, probe: Probe) -> dict[str, int] | None:
    """The highest degree in each parameter that it has in any case; None where it is no polynomial."""
    found = dict[str, int]()
    for case in cases_of(formula, probe):
        if not case.expression.is_polynomial():
            return None
        for symbol in case.expression.free_symbols:
            found[symbol.name] = max(found.get(symbol.name, 0), degree(case.expression, symbol))
    return found


def test_degrees_of_a_certificate_are_those_of_the_claim() -> None:
    """Where neither side is a ratio: a parameter that does not count has degree 0."""
    seen = 0
    chapters = ("parameters", "kv_cache", "quantization")
    for formula in (one for one in catalogue() if one.chapter in chapters and "generating" not in one.name):
        for probe, certificate in zip(decidable(formula), certify(formula), strict=True):
            axes, claimed = Axes(formula, probe, ()), degrees_of_claim(formula, probe)
            if claimed is not None and asked(probe, axes.config([*axes.places()][1]))[1] == 1:
                counting = {name: degree for name, degree in certificate.degrees.items() if degree}
                assert counting == claimed, (formula.name, probe.subject.name)
                seen += len(counting) < len(certificate.degrees)
    assert seen > 10


def test_what_is_traced_is_compared_by_value() -> None:
    """With each other and with plain numbers; a quotient is compared too, and has no polynomial."""
    three, seven = Traced(3, X), Traced(7, Y)
    assert three < seven
    assert not three >= seven
    assert 5 < seven <= 7
    assert Fraction(7, 2) > three
    assert sum([three, seven]) > 9
    assert max(three, seven) is seven
    assert (three / seven).polynomial is None
    assert three / seven < 1 < seven / three
    assert (1 / seven).value == Fraction(1, 7)
    assert three - 3  # zero here, and not everywhere
    assert not three - three


def _unequal(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A decoding step whose last block enters one operation more."""
    (found,) = STEP.passes(subject, values)
    last = max(key for key in found.ledger.entries if key[0].startswith("blocks."))
    found.ledger.entries[last].flops += 1
    return (found,)


def test_blocks_that_enter_something_else_do_not_stand_for_each_other() -> None:
    """One of them is not taken for all: there is no certificate then."""
    lying = replace(QUESTIONS["decode.flops"], run=Run("unequal", STEP.takes, _unequal), subjects=("llama",))
    with asking(lying), pytest.raises(Uncertifiable, match="blocks that are alike do not enter the same"):
        certify(catalogue()["llama_decode_flops"])


def _held_unequally(path: str, subject: Subject, values: Values) -> tuple[Passed, ...]:
    """Weights, of which one place has a byte more."""
    (found,) = WEIGHTS.passes(subject, values)
    found.ledger.held[next(at for at in reversed(found.ledger.held) if fnmatchcase(at, path))] += 1
    return (found,)


@pytest.mark.parametrize(
    ("path", "message"),
    [("*.blocks.*.query", "blocks that are alike do not enter"), ("*.experts.*", "experts that are alike do not hold")],
)
def test_what_is_held_otherwise_does_not_stand_for_the_rest(path: str, message: str) -> None:
    """Of blocks and of experts: one of them is not taken for all."""
    run = Run("unequal", WEIGHTS.takes, partial(_held_unequally, path))
    with pytest.raises(Uncertifiable, match=message):
        Entries(run, SUBJECTS["mixtral"])


@pytest.mark.parametrize("name", ["mixtral", "twofold", "sparse hybrid", "compressing", "split latent experts"])
def test_what_is_held_is_where_the_engine_holds_it(name: str) -> None:
    """Of the first block and expert, of all, of some beside: by entries as by the engine's own ledger."""
    subject, run = SUBJECTS[name], WEIGHTS
    values = dict.fromkeys(subject.shape, 3) | {"n_bytes": 4, "n_bytes_kv": 4, "n_bytes_state": 4}
    (counted,), (entered,) = run.passes(subject, values), known(run, subject, values)
    for paths in (("*",), ("*.blocks.0.*",), ("*.experts.0.*",), ("*", "!*.blocks.0.*"), ("*", "!*.experts.0.*")):
        held = [Selection("held", paths).of(one.ledger).value for one in (counted, entered)]
        assert held[0] == held[1], paths
        assert held[0] > 0 or ("experts" in paths[0] and "n_active" not in subject.shape), paths
