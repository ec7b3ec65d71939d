"""Sweeps: each cell is what evaluate says, and what it refuses is not a number, with its sentence"""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import dask.array as da
import numpy as np
import pandas
import pytest
import xarray
from cases import A10
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import RATIONAL_LETTERS, admissible, rational_functions
from sympy import Max, Rational, S, floor, log

from symbolic_llm import catalogue, errors, evaluate, explain, sweep
from symbolic_llm.answers import evaluating
from symbolic_llm.answers.arrays import compilation, grid
from symbolic_llm.cli import main
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS
from symbolic_llm.presets import NAMES

EQUATIONS = [f for f in catalogue() if f.quantity is not None]
THEOREM = next(f for f in catalogue() if f.quantity is None)


def said(formula: Any, **asked: Any) -> Any:
    """The value of a cell, or the sentence of the refusal."""
    try:
        return evaluate(formula, **asked)
    except errors.SymbolicLLMError as error:
        return str(error)


def holds(formula: Any, found: Any, **fixed: Any) -> int:
    """Compares each cell of a sweep with evaluate; returns how many have an answer."""
    answered, reasons = 0, found.reasons
    assert len(reasons) == len([*reasons]) == np.isnan(found.values).sum()
    for at in np.ndindex(found.values.shape):
        cell = {axis: found.coordinates[axis][i].item() for axis, i in zip(found.axes, at, strict=True)}
        expected = said(formula, **fixed, **cell)
        if isinstance(expected, str):
            assert math.isnan(found.values[at]), cell
            assert reasons[at] == expected
        else:
            assert found.values[at] == pytest.approx(float(expected), rel=1e-9, abs=0), cell
            assert at not in reasons
            answered += 1
    return answered


@pytest.mark.parametrize("formula", EQUATIONS, ids=lambda f: f.name)
@settings(max_examples=6)
@given(data=st.data())
def test_each_cell_is_what_evaluate_says(formula: Formula, data: st.DataObject) -> None:
    """Whichever letters are axes, inside the conditions of the formula, on their edges and outside."""
    values = data.draw(admissible(formula))
    letters: dict[str, Any] = {s.name: v for s, v in values.items() if s != formula.quantity}
    if isinstance(said(formula, **letters), str):  # one of them follows from the others
        letters = {s.name: v for s, v in values.items() if s in formula.letters and s != formula.quantity}
    if isinstance(said(formula, **letters), str) or not letters:
        return
    axes = data.draw(st.lists(st.sampled_from(sorted(letters)), min_size=1, max_size=3, unique=True))
    more = st.sampled_from([1, 2, 3, 7, 64, 10**9])
    for axis in axes:
        own = letters[axis]
        near = [own, own + 1, max(own - 1, 1)] if axis in WHOLE else [own, own * Fraction(8, 7), own / 3]
        letters[axis] = [*near, *data.draw(st.lists(more, max_size=2))]
        letters[axis] = [int(v) if v == int(v) else float(v) for v in map(Fraction, letters[axis])]
    found = sweep(formula, **letters)
    assert found.axes == tuple(name for name in letters if name in axes)
    assert found.quantity == formula.quantity.name
    assert holds(formula, found, **{name: v for name, v in letters.items() if name not in axes}) > 0


WHOLE = {letter.name for letter in LETTERS.values() if letter.whole}
BREAKABLE = [f for f in EQUATIONS if len(f.rhs.free_symbols) > 1]


def refused_or_not(formula: Formula, data: st.DataObject) -> int:
    """Compares the cells where letters that are the same in all of them were moved; returns how many have no answer."""
    letters: dict[str, Any] = {s.name: v for s, v in data.draw(admissible(formula)).items()}
    axis = data.draw(st.sampled_from(sorted(letters)))
    rest = sorted(letters.keys() - {axis})
    for name in data.draw(st.lists(st.sampled_from(rest), min_size=1, max_size=2, unique=True)):
        own = letters[name]
        moved = data.draw(st.sampled_from((1, own * 1000, 10**9, own + 1, own - 1, own / 1000)))
        letters[name] = max(1, int(moved)) if name in WHOLE else moved if moved > 0 else 1
    asked = {name: v if v.denominator > 1 else int(v) for name, v in letters.items()}
    asked[axis] = [asked[axis], asked[axis] + 1, 10**9]
    fixed = {name: v for name, v in asked.items() if name != axis}
    wrong = ""
    try:
        found = sweep(formula, **asked)
    except errors.SymbolicLLMError as error:
        wrong = str(error)
    if wrong:  # a mistake of the question, which every cell has
        assert all(said(formula, **fixed, **{axis: one}) == wrong for one in asked[axis])
        return 0
    return found.values.size - holds(formula, found, **fixed)


@pytest.mark.parametrize("formula", BREAKABLE, ids=lambda f: f.name)
@settings(max_examples=5)
@given(data=st.data())
def test_a_cell_has_no_answer_where_letters_that_are_fixed_break_a_condition(
    formula: Formula, data: st.DataObject
) -> None:
    """Whichever letters they are, and however far they are moved."""
    refused_or_not(formula, data)


def test_a_condition_between_fixed_letters_that_is_passed_over_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: conditions between letters that are the same in every cell are dropped."""
    monkeypatch.setattr(evaluating, "holds", lambda relation, known: relation.free_symbols <= known.keys())
    grid._kept.cache_clear()
    more = {"n_active": 1000, "n_experts": 8}  # than there are
    found = sweep("share_of_experts_used", **more, B=[1, 3])
    with pytest.raises(AssertionError):
        holds(catalogue()["share_of_experts_used"], found, **more)
    grid._kept.cache_clear()


@given(rational_functions(), st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=3, max_size=3))
def test_what_is_positive_by_its_form_needs_no_look(expression: Any, point: list[Fraction]) -> None:
    """An expression that is positive by its form is positive at every point.

    If something is subtracted, or may be rounded down to nothing, it is looked at.
    """
    values = {s: Rational(p.numerator, p.denominator) for s, p in zip(RATIONAL_LETTERS, point, strict=True)}
    assume(not expression.xreplace(values).has(S.ComplexInfinity, S.NaN))
    for one in (expression, Max(expression, -1), floor(expression)):
        if grid._is_positive(one):
            assert one.xreplace(values) > 0
        if grid._is_positive(one, or_zero=True):
            assert one.xreplace(values) >= 0
    x, y, z = RATIONAL_LETTERS
    assert grid._is_positive(Max(x - y, z) * (x + y) ** 720 / 3)
    assert grid._is_positive(floor(x / y), or_zero=True)
    for one in (floor(x / y), x - y, 1 - (1 - x / y) ** 720, log(x)):
        assert not grid._is_positive(one)


CANCELLING: list[tuple[str, dict[str, Any]]] = [
    ("windowed_context_bytes", {"m_token": 22, "m_local": 22, "n_window": 9, "N": [1, 8, 10**9, 10**17]}),
    ("distinct_experts", {"n_active": 1, "n_experts": [1, 2, 10**9, 10**12], "B": [1, 2, 64]}),
    ("distinct_experts", {"n_active": 5, "n_experts": [110, 10**9], "B": 720}),
    ("distinct_experts", {"n_active": 5, "n_experts": 10**9, "B": [720, 1000]}),
    ("distinct_experts", {"n_active": [151, 152, 3], "n_experts": 99999999, "B": 996}),
    ("memory_left", {"P_total": [3, 4], "n_bytes": 0.1, "M": [0.3, 0.30000001, 5]}),
]


@pytest.mark.parametrize(("formula", "letters"), CANCELLING, ids=[name for name, _ in CANCELLING])
def test_what_nearly_cancels_is_computed_exactly(
    formula: str, letters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the twin: from floats alone one cell is wrong, or so is a sentence."""
    fixed = {name: value for name, value in letters.items() if not isinstance(value, list)}
    assert holds(catalogue()[formula], sweep(formula, **letters), **fixed) > 0
    monkeypatch.setattr(grid, "_differences", lambda _: iter(()))
    monkeypatch.setattr(compilation, "_before", lambda total: total)
    grid._kept.cache_clear()
    with pytest.raises(AssertionError):
        holds(catalogue()[formula], sweep(formula, **letters), **fixed)
    grid._kept.cache_clear()


MODELS = ["llama-2-7b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b-text"]


@pytest.mark.parametrize(
    "formula", ["throughput_with_cache", "sequences_that_fit", "footprint", "batch_within_target", "prefill_time"]
)
def test_presets_are_axes(formula: str) -> None:
    """A model or a machine that a formula cannot be asked of leaves only its own cells without an answer."""
    axes = {"hardware": ["a10", "h100-sxm"], "dtype": ["fp16", "fp8"]}
    also = {"T_target": "50 ms"} if formula == "batch_within_target" else {}
    others = {"prefill_time": {"N": [16, 4096], "B": 2}, "sequences_that_fit": {"N": [16, 4096, 10**7]}}
    asked = others.get(formula, {"B": [1, 3, 500], "N": 4096})
    asked = {"N": [16, 4096]} if formula == "batch_within_target" else asked
    names = [name for name in ("M", "F", "W") if name in {s.name for s in catalogue()[formula].letters}]
    axes = axes if names else {"dtype": ["fp16", "fp8"]}
    found = sweep(formula, model=MODELS, **axes, **asked, **also)
    lists = [name for name, value in {**axes, **asked}.items() if isinstance(value, list)]
    assert found.axes == ("model", *lists)
    fixed = {name: value for name, value in {**asked, **also}.items() if not isinstance(value, list)}
    assert holds(formula, found, **fixed) > 0


def test_a_long_sweep_shows_its_first_rows_and_why_cells_are_empty() -> None:
    """The rest is counted, with the ends of all values; one reason stands for the empty cells."""
    found = sweep("latency_with_cache", **LLAMA, hardware=["a10", "m4-max-40"], N=range(1000, 31000, 1000), B=[1, 16])
    head, *rows = repr(found).splitlines()[2:]
    assert head.split() == ["hardware", "N", "B=1", "B=16"]
    assert rows[0].split() == ["a10", "1,000", *evaluated("ms", N=1000, B=1), *evaluated("ms", N=1000, B=16)]
    shown = rows[: rows.index("")]
    assert len(shown) == 20
    assert rows[21].startswith("40 more rows; values go from 22.897 ms to ")
    assert "60 of 120 cells have no answer; hardware=m4-max-40, N=1,000, B=1: latency_with_cache needs" in rows[23]
    alone = sweep("latency_with_cache", **LLAMA, hardware="a10", N=[1000, 2000], B=1)
    assert not any("more rows" in line or "no answer" in line for line in repr(alone).splitlines())
    many = sweep("latency", n_bytes=2, F="312 TFLOP/s", W="1 TB/s", B=[1, 2], P=[*range(10**9, 10**10, 10**9)])
    assert repr(many).splitlines()[2].split() == ["B", "P", "T_step"]  # more values than columns


def evaluated(unit: str, **letters: int) -> list[str]:
    """A time as a sweep shows it, cut into its number and its unit."""
    seconds = float(evaluate("latency_with_cache", **LLAMA, hardware="a10", **letters))
    return [f"{1000 * seconds:.5g}", unit]


def test_axes_and_coordinates_have_names_and_units() -> None:
    """Text with a unit is a number in the unit of the letter."""
    found = sweep("latency", P=7e9, n_bytes=2, F="312 TFLOP/s", W=["1 TB/s", "2 TB/s"], B=range(1, 4))
    assert found.axes == ("W", "B")
    assert_array_equal(found.coordinates["W"], [1e12, 2e12])
    assert_array_equal(found.coordinates["B"], [1, 2, 3])
    assert found.coordinates["B"].dtype.kind == "i"
    assert str(found.unit) == "second"
    assert found.fixed["F"] == "312 TFLOP/s"
    assert repr(found).splitlines() == [
        "T_step [second] by latency, over W (2) × B (3)",
        "",
        "W         B=1    B=2    B=3",
        "1 TB/s  14 ms  14 ms  14 ms",
        "2 TB/s   7 ms   7 ms   7 ms",
    ]
    with pytest.raises(AttributeError):
        found.values = None  # type: ignore[misc]


@pytest.mark.parametrize(
    ("formula", "asked", "sentence"),
    [
        ("latency", {"B": []}, r"^the axis B is empty\.$"),
        ("latency", {"hardware": []}, r"^the axis hardware is empty\.$"),
        ("latency", {"X": [1]}, r"^there is no letter 'X'; latency has the letters"),
        ("latency", {"hardware": ["a10", "nothing"], "B": 1}, r"^there is no hardware 'nothing'"),
        (
            "latency",
            {"B": [1, "2 GB"]},
            r"^B \(batch: sequences in one pass\) is measured in sequence, but '2 GB' is in byte",
        ),
        ("latency", {"B": [1, 0]}, r"^B \(batch: sequences in one pass\) must be positive, but '?0'? was given\.$"),
        ("latency", {"B": [1, 2]}, r"^latency needs a value for"),
        (
            "latency",
            {"B": 1},
            (
                r"^a sweep of latency needs an axis: give several values for a letter, "
                r"as in B=\[1, 2, 4\] or, on the command line, B=1,2,4\.$"
            ),
        ),
        ("latency", {"B": np.ones((2, 2))}, r"^the axis B must be an array of one dimension, not of 2\.$"),
        ("kv_bytes_total", {"B": [1, 2], "N": [3], "m_token": 4, "W": [1]}, r"does not depend on W"),
        ("latency", {"B": range(1, 10**6), "P": range(1, 10**6)}, r"^the grid has 999,998,000,001 cells, which take"),
        (THEOREM.name, {"B": [1, 2]}, r"is a theorem and has no value to compute\.$"),
        ("no_such_formula", {"B": [1, 2]}, r"there is no formula"),
    ],
)
def test_a_wrong_question_gets_one_sentence(formula: str, asked: Any, sentence: str) -> None:
    """And nothing is computed."""
    with pytest.raises(errors.SymbolicLLMError, match=sentence) as caught:
        sweep(formula, **asked)
    assert "\n" not in str(caught.value)


def test_one_letter_is_one_axis() -> None:
    """Under two names it is refused."""
    formula = next(f for f in EQUATIONS if any(LETTERS[s].aliases for s in f.rhs.free_symbols))
    symbol = next(s for s in formula.rhs.free_symbols if LETTERS[s].aliases)
    with pytest.raises(errors.InvalidValue, match=f"^{symbol.name} was given twice, as"):
        sweep(formula, **{symbol.name: [1], LETTERS[symbol].aliases[0]: [2]})


LLAMA = {"model": "llama-2-7b", "dtype": "fp16"}


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_dask_arrays_stay_lazy(scheduler: str) -> None:
    """Dask arrays stay lazy: no block is computed before it is asked for, and then it is the same."""
    asked = []

    def noted(block: Any) -> Any:
        asked.append(block.shape)
        return block

    contexts, batches = np.arange(1, 1001) * 400, np.array([0, 1, 2, 3.5, 4])
    lazy = da.from_array(contexts, chunks=300).map_blocks(noted, meta=np.empty(0, dtype=contexts.dtype))
    hardware = ["a10", "h100-sxm"]
    found = sweep("sequences_that_fit", **LLAMA, hardware=hardware, N=lazy)
    assert isinstance(found.values, da.Array)
    assert not asked
    assert "over hardware (2) × N (1000)" in repr(found)
    assert_array_equal(
        found.values.compute(scheduler=scheduler),
        sweep("sequences_that_fit", **LLAMA, hardware=hardware, N=contexts).values,
    )
    assert asked
    two = sweep("latency_with_cache", **LLAMA, hardware="a10", N=da.from_array(contexts, chunks=300), B=batches[[1, 2]])
    both = sweep("latency_with_cache", **LLAMA, hardware="a10", N=contexts, B=[1, 2])
    assert two.values.numblocks == (4, 1)
    assert_array_equal(two.values.compute(scheduler=scheduler), both.values)
    lacking = sweep("latency_with_cache", **LLAMA, hardware="a10", N=7, B=da.from_array(batches, chunks=2))
    assert_array_equal(np.isnan(lacking.values.compute(scheduler=scheduler)), [True, False, False, True, False])
    assert lacking.reasons[(0,)] == "B (batch: sequences in one pass) must be positive, but 0 was given."
    with pytest.raises(errors.Underdetermined):
        sweep("latency_with_cache", **LLAMA, B=da.from_array(batches, chunks=2))


def test_the_parts_of_a_lazy_sweep_can_be_sent_away() -> None:
    """To another process, where the function is what it was."""
    import pickle

    from symbolic_llm.presets import Presets

    function = grid.Cells(catalogue()["latency"], Presets(**A10), (), ("B",))
    assert_array_equal(pickle.loads(pickle.dumps(function))(np.arange(1, 5)), function(np.arange(1, 5)))


def test_tables_of_other_libraries() -> None:
    """Tables of pandas and xarray have one row for each cell."""
    found = sweep("sequences_that_fit", **LLAMA, hardware=["a10", "h100-sxm"], N=[1024, 4096])
    series = found.to_pandas()
    assert isinstance(series, pandas.Series)
    assert series["a10", 4096] == found.values[0, 1]
    array = found.to_xarray()
    assert isinstance(array, xarray.DataArray)
    assert array.sel(hardware="h100-sxm", N=1024) == found.values[1, 0]
    assert array.attrs["units"] == "sequence"


def test_columns_for_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is large, so here it is only handed its columns."""
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=dict))
    found = sweep("sequences_that_fit", **LLAMA, hardware=["a10", "h100-sxm"], N=[1024, 4096])
    columns = found.to_polars()
    assert [*columns] == ["hardware", "N", "B_fit"]
    assert columns["hardware"].tolist() == ["a10", "a10", "h100-sxm", "h100-sxm"]
    assert columns["N"].tolist() == [1024, 4096] * 2
    assert_array_equal(columns["B_fit"], found.values.ravel())


@pytest.mark.parametrize("library", ["pandas", "polars", "xarray"])
def test_a_library_that_is_not_there_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence."""
    monkeypatch.setitem(sys.modules, library, None)
    found = sweep("latency", **A10, P=7e9, B=[1, 2])
    with pytest.raises(errors.MissingDependency, match=f"^this needs {library}; install it with pip install {library}"):
        getattr(found, f"to_{library}")()


def test_csv(tmp_path: Any) -> None:
    """Empty where there is no answer, with the reason on request."""
    found = sweep("context_that_fits", **LLAMA, hardware=["a10", "h100-sxm"], B=[1, 100])
    path = tmp_path / "found.csv"
    for reasons in (False, True):
        found.to_csv(path, reasons=reasons)
        with path.open(encoding="utf-8", newline="") as file:
            rows = [*csv.reader(file)]
        assert rows[0] == ["hardware", "B", found.quantity, *(["reason"] if reasons else [])]
        assert len(rows) == 5
        for (first, second), value, row in zip(np.ndindex(2, 2), found.values.flat, rows[1:], strict=True):
            assert row[:2] == [("a10", "h100-sxm")[first], ("1", "100")[second]]
            assert row[2] == ("" if math.isnan(value) else row[2])
            assert math.isnan(value) or float(row[2]) == value
            if reasons:
                assert row[3] == found.reasons.get((first, second), "")


def test_nothing_is_imported_that_is_not_needed() -> None:
    """Nor with a sweep."""
    program = (
        "import sys, symbolic_llm; symbolic_llm.sweep('kv_bytes_total', B=[1, 2], N=3, m_token=4)\n"
        "assert not {'dask', 'pandas', 'polars', 'xarray', 'matplotlib', 'llvmlite'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_a_condition_that_is_a_near_thing_is_asked_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without that, floats decide, and are wrong."""
    asked = {"P_total": 1, "n_bytes": "0.1", "M": "0.7", "N": 1, "m_token": [f"{k / 100}" for k in range(1, 60)]}
    values = [evaluate("sequences_that_fit", **asked | {"m_token": one}) for one in asked["m_token"]]
    assert_array_equal(sweep("sequences_that_fit", **asked).values, values)
    monkeypatch.setattr(grid._Compiled, "doubtful", lambda *_: np.False_)
    assert sweep("sequences_that_fit", **asked).values.tolist() != values


def test_presets_come_in_their_order() -> None:
    """However they are given."""
    found = sweep("latency", B=[1, 2], dtype=["fp16"], hardware=["a10"], model=["llama-2-7b"])
    assert found.axes == (*(name for name in NAMES if name in ("model", "hardware", "dtype")), "B")


def test_from_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Commas make an axis; the rows are those of the sweep."""
    asked = ["sweep", "sequences_that_fit", "N=1k,4096,100", "--model", "llama-2-7b", "--dtype=fp16"]
    asked += ["--hardware", "a10,h100-sxm", "weights=fp16"]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    found = sweep("sequences_that_fit", **LLAMA, hardware=["a10", "h100-sxm"], weights="fp16", N=[1000, 4096, 100])
    path = tmp_path / "expected.csv"
    found.to_csv(path)
    assert printed == path.read_text(encoding="utf-8")
    written = tmp_path / "written.csv"
    assert main([*asked, "--csv", str(written), "--reasons"]) == 0
    assert written.read_text(encoding="utf-8").startswith("hardware,N,B_fit,reason\n")
    assert "over hardware (2) × N (3)" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [float(row["B_fit"]) for row in rows] == found.values.ravel().tolist()
    for wrong, sentence in (
        (["N=1,,2"], "N has an empty value in the list 1,,2."),
        (["--csv", str(tmp_path / "no" / "where")], "could not be written: No such file or directory."),
    ):
        base = [a for a in asked if not wrong[0].startswith("N=") or not a.startswith("N=")]
        assert main([*base, *wrong]) == 2
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("context", [8192, 8193])
def test_remarks_are_those_of_explain_on_the_largest_letters(context: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A context beyond the model's limit is said below a table, and beside the CSV of the command line."""
    models, named = ["llama-3-8b", "llama-2-7b"], {"cache": "fp16", "N": [100, context, 7], "B": [3, 1]}
    found = sweep("kv_bytes_total", model=models, **named)
    expected = [
        f"model={name}, N={context:,}, B=3: {note}"
        for name in models
        for note in explain("kv_bytes_total", model=name, cache="fp16", N=context, B=3).notes
    ]
    assert len(expected) == {8192: 1, 8193: 2}[context]
    assert [*found.notes] == expected
    assert all(note in repr(found) and note in found._repr_html_() for note in expected)
    asked = ["sweep", "kv_bytes_total", f"N=100,{context},7", "B=3,1", "--model", ",".join(models), "--cache=fp16"]
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert err.splitlines() == [f"symbolic-llm: {note}" for note in expected]
    assert not any(note in out for note in expected)
    assert main([*asked, "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["notes"], err) == (expected, "")


def test_remarks_are_of_a_cell_that_has_an_answer() -> None:
    """The largest letters have none where weights of so many bytes do not fit; the least of that axis has one."""
    found = sweep("sequences_that_fit", model="llama-3-8b", cache="fp16", M="80 GB", N=[10000, 9000], n_bytes=[1, 100])
    said = "10,000 tokens exceed the context limit of Llama 3 8B, 8,192 tokens"
    assert [*found.notes] == [f"N=10,000, n_bytes=1 B/weight: {said}"]
