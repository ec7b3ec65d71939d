"""Wrong questions: one sentence each"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import A10
from hypothesis import given
from hypothesis import strategies as st
from model_files import ORACLES
from sympy import S, Symbol

from symbolic_llm import (
    Operations,
    Plan,
    Sizing,
    SymbolicLLMError,
    batch_crossover,
    catalogue,
    check,
    compile,
    errors,
    evaluate,
    explain,
    plot,
    presets,
    solve,
    sweep,
)
from symbolic_llm.notation import LETTERS, Letter
from symbolic_llm.presets.parse_value import example_of, read_value
from symbolic_llm.reports.counting import count_file

WRONG = {
    "unknown formula": (lambda: solve("batch_crosover"), errors.UnknownName, "did you mean batch_crossover"),
    "no formula": (lambda: solve(3), errors.UnknownName, "a Formula or its name, not int"),
    "unknown letter": (
        lambda: solve(batch_crossover, "Q"),
        errors.UnknownName,
        "has the letters n_bytes, B_star, F, W",
    ),
    "unknown given letter": (lambda: solve(batch_crossover, Q=3), errors.UnknownName, "there is no letter 'Q'"),
    "empty letter": (lambda: solve(batch_crossover, ""), errors.UnknownName, "there is no letter ''"),
    "no letter": (lambda: solve(batch_crossover, 3), errors.UnknownName, "a letter must be given by its name"),
    "letter not in it": (lambda: solve(batch_crossover, "P"), errors.NotSolvable, "does not depend on P"),
    "unknown hardware": (lambda: solve(batch_crossover, hardware="a100"), errors.UnknownName, "a100-80gb-pcie"),
    "unknown source": (
        lambda: evaluate(batch_crossover, hardware="t4@nobody"),
        errors.UnknownName,
        "t4 has no figures from this source",
    ),
    "unknown model": (lambda: evaluate("weight_bytes", model="lama-7b"), errors.UnknownName, "llama-7b"),
    "unknown dtype": (lambda: evaluate(batch_crossover, dtype="fp17"), errors.UnknownName, "fp16"),
    "storage as dtype": (
        lambda: evaluate(batch_crossover, dtype="q4_0"),
        errors.UnknownName,
        "no machine computes in it",
    ),
    "no such peak": (
        lambda: evaluate(batch_crossover, hardware="m1", dtype="int4"),
        errors.Underdetermined,
        "m1 has no peak for int4, only for fp32, fp16",
    ),
    "no dtype": (lambda: evaluate(batch_crossover, hardware="m1"), errors.Underdetermined, "dtype"),
    "preset no text": (lambda: evaluate(batch_crossover, hardware=3), errors.UnknownName, "not as int"),
    "wrong unit": (lambda: solve(batch_crossover, F="312 GB/s"), errors.WrongUnit, "write it as '312 TFLOP/s'"),
    "wrong count": (lambda: solve(batch_crossover, B="3 tokens"), errors.WrongUnit, "is measured in sequence"),
    "unknown unit": (
        lambda: solve(batch_crossover, F="312 parsecs"),
        errors.WrongUnit,
        "'parsecs' is not a known unit",
    ),
    "zero": (lambda: solve(batch_crossover, W=0), errors.InvalidValue, "must be positive, but 0 was given"),
    "negative": (lambda: solve(batch_crossover, W="-1 GB/s"), errors.InvalidValue, "must be positive"),
    "nan": (lambda: solve(batch_crossover, W=float("nan")), errors.InvalidValue, "finite"),
    "infinite": (lambda: solve(batch_crossover, W=float("inf")), errors.InvalidValue, "finite"),
    "nan as text": (lambda: solve(batch_crossover, W="nan"), errors.InvalidValue, "not a finite number"),
    "not whole": (lambda: evaluate("compute_time", B=1.5, P=1, F=1), errors.InvalidValue, "whole number"),
    "no number": (lambda: solve(batch_crossover, W="fast"), errors.InvalidValue, "'fast' is not a number"),
    "nothing": (lambda: solve(batch_crossover, W=None), errors.InvalidValue, "not None"),
    "truth value": (lambda: solve(batch_crossover, W=True), errors.InvalidValue, "not True"),
    "a list": (lambda: solve(batch_crossover, W=[1]), errors.InvalidValue, r"not \[1\]"),
    "an array": (lambda: solve(batch_crossover, W=np.ones(2)), errors.InvalidValue, "a number or text"),
    "complex": (lambda: solve(batch_crossover, W=1j), errors.InvalidValue, "not 1j"),
    "a symbol": (lambda: solve(batch_crossover, W=Symbol("x")), errors.InvalidValue, "not x"),
    "code": (lambda: solve(batch_crossover, W="__import__('os')"), errors.InvalidValue, "is not a number"),
    "huge": (lambda: solve(batch_crossover, W=10**200), errors.InvalidValue, "too large or too small"),
    "huge text": (lambda: solve(batch_crossover, W="9" * 10**6), errors.InvalidValue, "too long"),
    "huge exponent": (lambda: solve(batch_crossover, W="1e999999999"), SymbolicLLMError, "e999999999"),
    "no exponent": (lambda: solve(batch_crossover, W="5e"), errors.InvalidValue, "'5e' is not a number"),
    "a format": (lambda: evaluate("weight_bytes", n_bytes="fp16"), errors.InvalidValue, "as weights= or dtype="),
    "tiny Decimal": (
        lambda: solve(batch_crossover, W=Decimal("1e-100000000")),
        errors.InvalidValue,
        "too large or too small",
    ),
    "unprintable": (lambda: solve(batch_crossover, W=10**5000), errors.InvalidValue, "thousands of digits"),
    "many lines": (lambda: solve(batch_crossover, W=np.ones((2, 2))), errors.InvalidValue, "not array"),
    "called formula": (lambda: solve(batch_crossover, formula=3), errors.UnknownName, "no letter 'formula'"),
    "near an alias": (lambda: evaluate("ridge_point", bandwith=3), errors.UnknownName, "did you mean bandwidth"),
    "lower case": (lambda: evaluate("ridge_point", w=3), errors.UnknownName, "did you mean W"),
    "near a dtype": (lambda: evaluate(batch_crossover, dtype="f16"), errors.UnknownName, "fp16"),
    "no source": (lambda: evaluate(batch_crossover, hardware="t4@"), errors.UnknownName, "there is no source ''"),
    "no figures": (
        lambda: evaluate("ridge_point", hardware="pixel-5"),
        errors.Underdetermined,
        "F and W: no source states the peak arithmetic of pixel-5; no source states the bandwidth of pixel-5.",
    ),
    "a letter": (
        lambda: evaluate("T_mixed", N=1),
        errors.UnknownName,
        r"T_mixed is a letter, not a formula; give a model \(model=\), which computes it",
    ),
    "irrelevant": (
        lambda: evaluate("memory_time", M_weights="1 GB", P=1, n_bytes=1, W=1),
        errors.Overdetermined,
        "memory_time does not depend on M_weights",
    ),
    "of no effect": (
        lambda: evaluate("weight_bytes", model="llama-7b", n_bytes=2, n_blocks=16),
        errors.Overdetermined,
        "n_blocks does not change weight_bytes here, because P_total = 6738415616 is given",
    ),
    "compiled quantity": (
        lambda: compile("latency", T_step=1),
        errors.Overdetermined,
        "T_step is the result of latency",
    ),
    "compiled condition": (
        lambda: compile("tokens_that_fit", **A10 | {"model": "llama-65b"}),
        errors.ConditionViolated,
        "do not fit",
    ),
    "three equations": (
        lambda: evaluate("q4_bytes_per_weight", n_bits=8, n_block=32, n_scale=16),
        errors.ConditionViolated,
        r"its condition \(codes of 4 bits\) is not met: n_bits = 4 fails for n_bits = 8",
    ),
    "given twice": (lambda: solve(batch_crossover, B=1, B_star=1), errors.InvalidValue, "given twice"),
    "asked and given": (
        lambda: solve(batch_crossover, "W", W=1),
        errors.Overdetermined,
        "both given and to be solved for",
    ),
    "nothing left": (
        lambda: solve(batch_crossover, B=1, W=1, F=1, n_bytes=2),
        errors.Overdetermined,
        "nothing is left",
    ),
    "too much left": (lambda: solve(batch_crossover, B=1, W=1), errors.Underdetermined, "n_bytes, F"),
    "no value yet": (
        lambda: solve(batch_crossover, W=1).value,
        errors.Underdetermined,
        "needs a value for n_bytes and F",
    ),
    "quantity given": (lambda: evaluate(batch_crossover, B=1, W=1, F=1, n_bytes=1), errors.Overdetermined, "use solve"),
    "a theorem": (lambda: solve("memory_bound_batches"), errors.NotSolvable, "is a theorem"),
    "a bound within a maximum": (
        lambda: solve("capacity", "N", model="gemma-3-1b-text"),
        errors.NotSolvable,
        r"^capacity gives no bound on N that can be written down\.$",
    ),
    "compiled theorem": (lambda: compile("memory_bound_batches"), errors.NotSolvable, "is a theorem"),
    "condition": (
        lambda: evaluate("attention_parameters", d_model=10, n_heads=3, d_head=3),
        errors.ConditionViolated,
        "n_heads·d_head = d_model fails for n_heads = 3, d_head = 3, d_model = 10",
    ),
    "tiles": (
        lambda: evaluate("tiled_attention_bytes", N=10, b_q=3, d=4, n_bytes=2),
        errors.ConditionViolated,
        "the tiles divide the sequence evenly",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_question_gets_one_sentence(name: str) -> None:
    """Of the package's own error class, saying what was wrong."""
    ask, kind, sentence = WRONG[name]
    with pytest.raises(kind, match=sentence) as caught:
        ask()
    assert isinstance(caught.value, SymbolicLLMError)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert len(message) < 400


@given(st.text(max_size=200), st.sampled_from(["value", "letter", "unknown", "hardware", "formula"]))
def test_any_text_is_data(text: str, place: str) -> None:
    """Whatever is written anywhere, it is answered or refused by the package's own errors."""
    try:
        if place == "value":
            solve(batch_crossover, W=text)
        elif place == "letter":
            solve(batch_crossover, **{text: 1})
        elif place == "unknown":
            solve(batch_crossover, text)
        elif place == "hardware":
            solve(batch_crossover, hardware=text)
        else:
            solve(text)
    except SymbolicLLMError:
        pass


NO_NUMBERS: tuple[Any, ...] = (  # which NumPy turns into numbers all the same
    np.timedelta64(3, "s"), np.timedelta64(3, "ns"), np.timedelta64("NaT"), np.datetime64("2020-01-01"),
    np.array(np.timedelta64(3, "s")), np.array([1, 2], "m8[s]"), np.array([1, 2], "m8[ns]"),
    np.array(["2020"], "M8[D]"), np.complex64(3), np.array([1 + 1j]), np.void(b"3"), np.bytes_(b"3"),
)  # fmt: skip
ODD: tuple[Any, ...] = (  # that look like a number, a list of them or a name
    *NO_NUMBERS, [np.timedelta64(3, "s")], np.bool_(True), np.ma.masked, np.ma.array([1, 2], mask=[0, 1]),
    np.array([None]), np.array([]), np.dtype("f8"), np.float64, b"3", bytearray(b"3"), memoryview(b"3"), [b"3"],
    timedelta(3), Decimal("sNaN"), Decimal("Infinity"), S.NaN, S.Infinity, S.ImaginaryUnit, float("nan"), -0.0, 1e400,
    object(), iter([1]), slice(1), set(), {}, (), [], [[1]], ..., "½", "\0", "\ud800",
)  # fmt: skip
PLACES: dict[str, Callable[[Any], object]] = {
    "evaluate": lambda odd: evaluate("ridge_point", F=1, W=odd),
    "explain": lambda odd: explain("ridge_point", F=1, W=odd),
    "solve": lambda odd: solve("ridge_point", "F", W=odd).value,
    "check": lambda odd: check("embedding_parameters", n_vocab=odd, d_model=1),
    "compile": lambda odd: compile("ridge_point", W=odd),
    "sweep": lambda odd: sweep("ridge_point", F=[1, 2], W=odd),
    "plan": lambda odd: Plan("gpt2", prompt=odd, output=8, hardware=("a10",)),
    "size": lambda odd: Sizing("gpt2", batch=odd),
    "operations": lambda odd: Operations("gpt2", batch=odd),
    "prefill": lambda odd: Sizing("gpt2", prefill=odd),
    "count": lambda odd: count_file(ORACLES / "gpt2", odd, 0),
    "outside": lambda odd: compile("ridge_point", outside=odd),
    "kind of plot": lambda odd: plot(odd, hardware="a10"),
    "kind of preset": presets.names,
    "device": lambda odd: presets.of_letters(W=odd),
    "formula": evaluate,
    **{
        f"{name} of {ask.__name__}": lambda odd, name=name, ask=ask: ask("ridge_point", **{"F": 1, "W": 1, name: odd})
        for ask in (evaluate, explain, check, compile)
        for name in presets.NAMES
    },
}


@pytest.mark.parametrize("place", PLACES)
def test_odd_values_are_no_numbers_and_no_names(place: str) -> None:
    """Odd values that NumPy, SymPy or Python would take for a number or a name are refused in a sentence.

    Among them are a duration, a date, bytes, what is masked, and nothing at all.
    """
    for odd in ODD:
        with pytest.raises(SymbolicLLMError) as caught:
            PLACES[place](odd)
        message = str(caught.value)
        assert message.isprintable(), odd
        assert message.endswith((".", "?")), odd


@pytest.mark.parametrize("odd", NO_NUMBERS, ids=repr)
def test_arrays_of_what_is_no_number_are_not_computed(odd: Any) -> None:
    """Nor by a compiled function, which checks nothing else."""
    for value in (odd, [odd]):
        with pytest.raises(errors.InvalidValue, match=r"for a letter must hold numbers"):
            compile("ridge_point")(F=[1, 2], W=value)


def test_a_duration_that_counts_as_a_number_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: to NumPy it is a whole number, whatever its unit."""
    monkeypatch.setattr("symbolic_llm.presets.parse_value._plain", lambda _, value: Fraction(int(np.int64(value))))
    with pytest.raises(BaseException, match="DID NOT RAISE"):
        test_odd_values_are_no_numbers_and_no_names("evaluate")


def test_a_kind_of_preset_that_there_is_not() -> None:
    """The kinds are named."""
    with pytest.raises(errors.UnknownName, match="there is no kind of preset 'model'; did you mean models"):
        presets.names("model")


@pytest.mark.parametrize("letter", LETTERS.values(), ids=lambda letter: letter.name)
def test_what_is_shown_instead_of_no_number_is_a_value(letter: Letter) -> None:
    """For each letter: an example in its own unit, which is read."""
    with pytest.raises(errors.InvalidValue, match=r"is not a number; write digits") as refused:
        read_value(letter, "x")
    shown = str(refused.value).rpartition("as in ")[2].removesuffix(".").strip("'")
    assert read_value(letter, shown) > 0


def test_a_share_is_shown_as_one_and_read_in_percent() -> None:
    """Letters called a share or a probability have examples below 1, and no other letter takes percent."""
    shares = {letter.name for letter in LETTERS.values() if letter.share}
    said = re.compile(r"\b(?:share of|probability)\b")
    assert shares == {one.name for one in LETTERS.values() if str(one.unit) == "1" and said.search(one.meaning)}
    for name in shares:
        letter = LETTERS[Symbol(name, positive=True)]
        assert 0 < read_value(letter, example_of(letter)) < 1
        assert read_value(letter, "80 %") == read_value(letter, "80%") == Fraction(4, 5)
    for name in {letter.name for letter in LETTERS.values()} - shares:
        with pytest.raises((errors.InvalidValue, errors.WrongUnit)):
            read_value(LETTERS[Symbol(name, positive=True)], "80 %")


@pytest.mark.parametrize("model", ["llama-2-7b", "mixtral-8x7b", "gemma-2-27b", "deepseek-v3"])
def test_what_is_named_is_all_that_is_missing(model: str) -> None:
    """Whoever gives every letter that a refusal names is not told of another."""
    letters, refused = {symbol.name: letter for symbol, letter in LETTERS.items()}, 0
    for formula in (one for one in catalogue() if one.quantity is not None):
        try:
            evaluate(formula, model=model)
        except errors.Underdetermined as refusal:
            said = str(refusal).partition("needs a value for ")[2]
            names = re.split(", | and ", re.split(", because |:", said)[0])
            refused += 1
            with suppress(errors.ConditionViolated, errors.NoSolution, errors.Overdetermined):
                evaluate(formula, model=model, **{name: example_of(letters[name]).strip("'") for name in names})
        except (errors.ConditionViolated, errors.Overdetermined):
            pass
    assert refused > 100


def test_what_a_model_computes_is_not_asked_for() -> None:
    """With its shapes, what is missing is what the shapes leave open; without them, what it comes to is asked for."""
    with pytest.raises(errors.Underdetermined, match="needs a value for n_bytes and n_bytes_kv:"):
        evaluate("largest_context", model="llama-2-7b", hardware="rtx-4090", B=1)
    with pytest.raises(errors.Underdetermined, match="needs a value for n_limit and N_fit:"):
        evaluate("largest_context", hardware="rtx-4090", B=1)
