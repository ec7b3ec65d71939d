"""Entries that are known for all shapes, and answers that are put together from them, beside those of the engine"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import partial
from itertools import product
from operator import add, mul, sub
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planting import asking, forgetting
from sympy import degree

from reference_engine.ledger import Tally
from reference_engine.probes import QUESTIONS, SUBJECTS, Probe, probes
from reference_engine.probes.compressed_attention import ROUND
from reference_engine.probes.counts import Passed, Selection
from reference_engine.probes.runs import ANSWER, PACKED, PAGED, PRODUCT, STEP, STEP_OF_ALL, WEIGHTS, Run, Values
from reference_engine.probes.sharing import APART, BATCHES
from reference_engine.probes.subjects import Subject
from reference_engine.probes.tensor_parallel import STEP as DEVICES_STEP
from symbolic_llm import catalogue
from symbolic_llm.expressions.polynomial import Polynomial
from symbolic_llm.formula import Formula
from symbolic_llm.witness.certificate_for_all_shapes import NUMBERS, cases_of, certify, decidable
from symbolic_llm.witness.certificate_for_all_shapes import asking as asking_about
from symbolic_llm.witness.engine_answers import Answered, answers, counted, entries_of, known
from symbolic_llm.witness.ledger_entries import TOKENS, Bent, Entries, Side, Uncertifiable, _Runs, border_of, entered
from symbolic_llm.witness.regions import Fact, Symbolic, Way, contradict, empty, excluded, is_multiple, ways_through
from symbolic_llm.witness.subjects import OFFERED

pytestmark = pytest.mark.xdist_group("entries")  # all rest on the same runs of the engine

NAMES = ("x", "y")
X, Y = (Polynomial.letter(name, NAMES) for name in NAMES)

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
    "llama/prefill.product_flops",
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


def every(probe: Probe, values: Mapping[str, int]) -> tuple[Answered, ...]:
    """The answer for all shapes, in all its branches."""
    names = probe.parameters
    given = {name: Polynomial.letter(name, names) for name in names}
    return answers(probe, given, values, ())


def at(probe: Probe, values: Mapping[str, int]) -> Answered:
    """The answer for all shapes like these."""
    point = tuple(values[name] for name in probe.parameters)
    return next(one for one in every(probe, values) if all(fact.gap(point) >= 0 for fact in one.facts))


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("turn", [0, 1])
def test_answers_are_those_of_the_engine(name: str, turn: int) -> None:
    """In each branch that a place is in, and it is in one at least: `==`, by running the engine."""
    (probe,) = probes(name) if "/" in name else probes(name)[:1]
    numbers = {name: 3 + (5 * place + 4 * turn) % 5 for place, name in enumerate(probe.parameters)}
    values = {name: OFFERED[name][1 + turn] if name in OFFERED else number for name, number in numbers.items()}
    steps = max(NUMBERS)  # as many as certificates go through one by one
    fixed = (("window", (2, 11)[turn]), ("memory", 10**9), ("new_tokens", steps))
    values |= {name: value for name, value in fixed if name in values}
    engine = counted(probe, values)
    point = tuple(values.values())
    answered = [one for one in every(probe, values) if all(fact.gap(point) >= 0 for fact in one.facts)]
    assert answered
    for one in answered:
        assert one.over(point) == one.under(point) * engine
    assert engine != 0 or name == "windowed/clock.critical_context"  # there is none beyond the window
    assert probe.ask(known, **values) == engine  # and by the numbers alone


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
def test_a_border_says_by_facts_what_it_decides_by(run: Run, subject: str, names: tuple[str, ...]) -> None:
    """Every place has the facts of the side that it is on, and off the border those of no other."""
    border = border_of(run, SUBJECTS[subject])
    assert border is not None
    seen = set[Side]()
    for place in product((1, 2, 4, 7), repeat=len(names)):
        values = dict(zip(names, place, strict=True))
        assert all(fact >= 0 for fact in border.facts(border.side(values), values))
        met = [side for side in border.sides if all(fact > 0 for fact in border.facts(side, values))]
        assert met in ([], [border.side(values)])
        seen |= {*met}
    assert seen == {*border.sides}


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
    """A number that is compared with a size is refused where the answer depends on the parameters."""
    lying = replace(QUESTIONS["decode.flops"], run=Run("lying", STEP.takes, _paged), subjects=("llama",))
    with (
        asking(lying),
        pytest.raises(Uncertifiable, match=r"whether 20 is at least \d+ \(context\) depends on the parameters"),
    ):
        certify(catalogue()["llama_decode_flops"])
    assert all(certificate.holds for certificate in certify(catalogue()["llama_decode_flops"]))


def _hidden(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """The engine with a lie in plain numbers, which no size remembers: only the plain run far out tells it."""
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
    """A lie of the engine is noticed whatever formula asks: by plain runs apart, and by a second place."""
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
    """An entry that only two devices make is no polynomial of many."""
    with forgetting():
        entries = Entries(Run("lying", DEVICES_STEP.takes, _few), SUBJECTS["split"])
        with pytest.raises(Uncertifiable, match="with 2 for devices the engine's count of"):
            [entries[key] for key in entries.keys]


def _uneven(many: int) -> Run:
    """A step of several devices that send a byte more where so many heads are left over."""

    def passes(subject: Subject, values: Values) -> tuple[Passed, ...]:
        (found,) = DEVICES_STEP.passes(subject, values)
        for at in [at for at in found.ledger.entries if at[1] == "send"][:1]:
            found.ledger.entries[at].sent += int(values["n_kv_heads"]) % int(values["devices"]) == many
        return (found,)

    return Run("lying", DEVICES_STEP.takes, passes)


@pytest.mark.parametrize("many", [0, 1, 2])
@pytest.mark.parametrize("side", [0, 1])
def test_heads_that_do_not_divide_are_no_case_of_their_own(many: int, side: int) -> None:
    """Entries of devices that go by the heads left over are no polynomial, whatever is left over at the places run."""
    with forgetting():
        raised = border_of(DEVICES_STEP, SUBJECTS["uneven"]).sides[side]  # type: ignore[union-attr]
        with pytest.raises(Uncertifiable):
            _each_of(Entries(_uneven(many), SUBJECTS["uneven"], raised))


def _short(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """Caches in pages of which one is a byte short where there are more than five."""
    (found,) = PAGED.passes(subject, values)
    for path in [path for path in found.ledger.held if path.startswith("cache")][:1]:
        found.ledger.held[path] -= int(values["pages"]) > 5
    return (found,)


def _more(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A product of matrices that does an operation more where a sum is long."""
    (found,) = PRODUCT.passes(subject, values)
    found.ledger.entries["product", "counted"].flops += int(values["n"]) > 25
    return (found,)


@pytest.mark.parametrize(("run", "passes", "subject"), [(PAGED, _short, "llama"), (PRODUCT, _more, "matrices")])
def test_pages_and_sums_are_not_gone_through_at_once_where_they_are_not_alike(
    run: Run, passes: Any, subject: str
) -> None:
    """Runs on sizes take all pages at once, and each term alone; plain runs, which do not, tell if that is wrong."""
    with forgetting(), pytest.raises(Uncertifiable):
        _each_of(Entries(Run("lying", run.takes, passes), SUBJECTS[subject]))


def _lying(run: Run, more: Callable[[Mapping[str, int]], int]) -> Run:
    """A run with so much more in its first entry, as plain numbers say."""

    def passes(subject: Subject, values: Values) -> tuple[Passed, ...]:
        (found,) = run.passes(subject, values)
        entered, number = found.ledger, more({name: int(number) for name, number in values.items()})
        if entered.held:
            entered.held[next(iter(entered.held))] += number
        else:
            tally = next(iter(entered.entries.values()))
            tally.loaded, tally.flops = (one and one + number for one in (tally.loaded, tally.flops))
        return (found,)

    return Run("lying", run.takes, passes)


@pytest.mark.parametrize(
    ("run", "subject", "more"),
    [
        (run, subject, more)
        for run, subject, *lies in (
            (BATCHES, "stages", lambda its: its["stages"] > 5, lambda its: its["micro"] % 2, lambda its: its["batch"]),
            (APART, "apart", lambda its: its["expert_devices"] == 2, lambda its: its["batch"] % its["expert_devices"]),
            (APART, "apart", lambda its: its["n_moe"] > 2, lambda its: (its["n_active"] + its["idle"]) % 3),
            (PACKED, "block", lambda its: its["bits"] == 8, lambda its: its["block"] % 8),
            (PACKED, "block", lambda its: its["scale_bits"] // 32, lambda its: its["block"] // 8),
            (PACKED, "nested blocks", lambda its: its["part_bits"] > 8, lambda its: its["parts"] // 8),
            (ROUND, "compressing", lambda its: its["r_hca"] % its["r_csa"] == 1, lambda its: its["r_csa"] % 2),
        )
        for more in lies
    ],
)
def test_what_is_left_over_or_large_is_no_case_of_its_own(run: Run, subject: str, more: Any) -> None:
    """Loops, or a multiple of something, are no polynomial where the engine goes by more than that."""
    with forgetting(), pytest.raises(Uncertifiable):
        _each_of(Entries(_lying(run, more), SUBJECTS[subject]))


def _each_of(entries: Entries) -> list[Polynomial]:
    return [entries[key] for key in entries.keys]


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
    ("caches handed over", "compressing", "blocks.*.handover.entries"),
    ("caches handed over", "compressing", "blocks.*.handover.index_entries"),
    ("held by the first device", "uneven", "weights.blocks.0.*"),
    ("held by the first device", "uneven", "cache.blocks.0.*"),
}


def every_run() -> dict[tuple[Run, str, Side], None]:
    """Runs of all questions, each with the subjects it is put to, on each side."""
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
        same = [at for at in runs.names if one[at] == two[at]]
        assert not same, (run.name, name, raised)


def test_a_wrong_entry_is_no_counterexample() -> None:
    """A wrong entry is believed no more than a formula: where polynomials differ and the engine agrees, neither is."""
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


# Ratios of polynomials, and both ways to go on where they are compared

numbers = st.one_of(st.integers(-20, 20), st.fractions(-5, 5, max_denominator=7))


def two(way: Way) -> tuple[Symbolic, Symbolic]:
    """X and y."""
    return Symbolic(way, X), Symbolic(way, Y)


@given(st.data())
def test_a_ratio_is_what_its_numbers_come_to(data: st.DataObject) -> None:
    """Symbolic numbers behave as fractions do, with plain numbers and with each other."""
    place = {name: data.draw(st.integers(1, 9)) for name in NAMES}
    found: list[tuple[Any, Any]] = [*zip(two(Way(place, ())), map(Fraction, place.values()), strict=True)]
    found.append((1, 1))
    for _ in range(6):
        (one, its), (other, theirs) = data.draw(st.sampled_from(found)), data.draw(st.sampled_from(found))
        how = data.draw(st.sampled_from(["+", "-", "*", "/", "**"]))
        if how == "/":
            by = data.draw(numbers.filter(bool))
            over = one if isinstance(one, Symbolic) else Fraction(one)  # of two plain numbers Python makes a float
            found += [(one / Fraction(by), its / Fraction(by))] + (
                [(over / other, Fraction(its) / theirs)] if theirs else []
            )
        elif how == "**":
            found.append((one**2, its**2))
        else:
            do = {"+": add, "-": sub, "*": mul}[how]
            found.append((do(one, other), do(its, theirs)))
    for ratio, number in found:
        assert (ratio.value if isinstance(ratio, Symbolic) else ratio) == number


def test_where_signs_do_not_tell_there_are_two_branches() -> None:
    """A comparison has a branch for each way to go on, and none where facts or signs tell."""

    def larger(way: Way) -> Any:
        x, y = two(way)
        return max(x, y)

    def twice(way: Way) -> Any:
        x, y = two(way)
        return ("x" if x + 1 > x else "", "y" if y * y >= y else "", larger(way), larger(way), x / y > 1)

    ways = [(found.over, [(gap.terms, outcome) for gap, outcome in way.taken]) for way, found in _through(larger)]
    gap = {(1, 0): 1, (0, 1): -1}
    assert [(over.terms, taken) for over, taken in ways] == [(X.terms, [(gap, True)]), (Y.terms, [(gap, False)])]
    both = [answer for _, answer in _through(twice)]
    assert [answer[:2] for answer in both] == [("x", "y")] * len(both)
    assert all(one.over.terms == other.over.terms for _, _, one, other, _ in both)
    x_less = Fact(Polynomial({(1, 0): -1, (0, 1): 1}, NAMES), strict=True)
    assert [found.over.terms for _, found in _through(larger, x_less)] == [Y.terms]
    # where the two may be equal, and one is not less, that is looked at by itself
    assert len([*_through(larger, replace(x_less, strict=False))]) == 2

    def past_one(way: Way) -> bool:
        x, _ = two(way)
        return 1 - x >= 0

    assert [found for _, found in _through(past_one)] == [True, False]  # it is, for 1
    assert [found for _, found in _through(lambda way: -past_two(way) >= 0)] == [False]


def past_two(way: Way) -> Symbolic:
    """1 + x, which is never 0."""
    return 1 + two(way)[0]


def _through(answer: Callable[[Way], Any], *conditions: Fact) -> list[tuple[Way, Any]]:
    return [*ways_through(dict.fromkeys(NAMES, 2), conditions, answer)]


def test_what_is_gone_through_one_by_one_is_a_plain_number() -> None:
    """Parameters that say how often something is done are plain numbers, and they are told."""

    def times(way: Way) -> int:
        x, y = two(way)
        return sum(1 for _ in range(x + 1)) + (x > y)

    (way, number), (other, _) = _through(times)
    assert (way.fixed, other.fixed) == ({"x": 2}, {"x": 2})
    assert number in (3, 4)


@given(st.data())
def test_facts_that_are_shown_to_exclude_each_other_do(data: st.DataObject) -> None:
    """At no place that is drawn are all more than 0; and from facts that all are at one, nothing is shown."""
    factor, power = st.integers(-3, 3), st.tuples(*[st.integers(0, 2)] * 2)
    drawn = st.dictionaries(power, factor, min_size=1, max_size=4).map(partial(Polynomial, names=NAMES))
    facts = tuple(data.draw(st.lists(drawn, min_size=1, max_size=4)))
    place = tuple(data.draw(st.integers(1, 40)) for _ in NAMES)
    shown = [*empty(facts)]
    if all(fact(place) > 0 for fact in facts):
        assert not shown
    for multipliers in shown:
        assert any(facts[at](place) <= 0 for at in multipliers)
        assert sum(facts[at](place) * by(place) for at, by in multipliers.items()) <= 0
        if contradict(facts, multipliers):
            assert any(facts[at](place) < 0 for at in multipliers)


def test_what_excludes_each_other_is_seen() -> None:
    """Facts exclude each other: one alone, two that add up, one another divides, one between two; others do not."""
    one_less = Polynomial({(1, 0): -1, (0, 0): 0}, NAMES)  # -x
    gap, back = X.plus(Y, -1), Y.plus(X, -1)
    far, near = X.plus(Y, -3), X.plus(Y, -1)
    between = X.plus(Y, -2)
    for facts in ((one_less,), (gap, back), (gap, back.times(X.plus(Y))), (near, far, between.scaled(-1))):
        assert next(empty(facts), None) is not None
    for facts in ((gap,), (gap, X.plus(Y, -2)), (near, far, between), ()):
        assert next(empty(facts), None) is None
    assert contradict((one_less,), next(empty((one_less,))))
    assert not contradict((gap, back), next(empty((gap, back))))


def test_a_branch_that_is_a_border_is_looked_at_there() -> None:
    """A branch that is a border is not excluded by a case that ends there: both have to say the same on it."""
    gap, back = X.plus(Y, -1), Y.plus(X, -1)
    border = [Fact(gap), Fact(back)]
    assert excluded(border, (gap,), X) is None
    assert excluded(border, (gap,), gap.times(X)) is not None
    assert excluded([Fact(gap), Fact(back, strict=True)], (), X) is not None
    assert excluded([Fact(gap)], (back,), X) is not None  # the case beside this one holds on the border as well
    far = X.plus(Y, -3)
    assert excluded([*border, Fact(far)], (far.scaled(-1),), X) is not None  # and here it ends elsewhere
    assert excluded([Fact(gap)], (far,), X) is None


def test_a_multiple_is_zero_where_the_other_is() -> None:
    """And what is none is told apart."""
    gap = X.plus(Y, -1)
    assert is_multiple(gap.times(X.times(X).plus(Y)), gap)
    assert not is_multiple(gap.times(X).plus(Y), gap)


def test_runs_of_a_certificate_are_those_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """On sizes and plain, all together."""
    run = list[Any]()

    def entering(*asked: Any) -> Any:
        run.append(asked)
        return entered(*asked)

    monkeypatch.setattr("symbolic_llm.witness.ledger_entries.entered", entering)
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
    """Degrees are the claim's where neither side is a ratio: a parameter that does not count has degree 0."""
    seen = 0
    chapters = ("parameters", "kv_cache", "quantization")
    for formula in (one for one in catalogue() if one.chapter in chapters and "generating" not in one.name):
        for probe, certificate in zip(decidable(formula), certify(formula), strict=True):
            claimed = degrees_of_claim(formula, probe)
            about = asking_about(formula, probe)
            divided = any(branch.under.degree(name) for branch in about.branches for name in about.names)
            if claimed is not None and not divided:
                counting = {name: degree for name, degree in certificate.degrees.items() if degree}
                assert counting == claimed, (formula.name, probe.subject.name)
                seen += len(counting) < len(certificate.degrees)
    assert seen > 10


def _unequal(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A decoding step whose last block enters one operation more."""
    (found,) = STEP.passes(subject, values)
    last = max(key for key in found.ledger.entries if key[0].startswith("blocks."))
    found.ledger.entries[last].flops += 1
    return (found,)


def test_blocks_that_enter_something_else_do_not_stand_for_each_other() -> None:
    """A block of a kind is not taken for all where another enters something else: there is no certificate then."""
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
        held = [sum(Selection("held", paths).of(one.ledger)) for one in (counted, entered)]
        assert held[0] == held[1], paths
        assert held[0] > 0 or ("experts" in paths[0] and "n_active" not in subject.shape), paths
