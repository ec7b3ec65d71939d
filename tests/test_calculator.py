"""The calculators: what JavaScript computes is what the package computes, and every control moves what it should

Numbers are compared exactly: both compute with fractions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sympy import Eq, Gt, Integer, Le, Lt, Max, Min, Mod, Ne, Piecewise, Rational, ceiling, floor, log, sqrt
from test_site import browser as browser

from symbolic_llm import presets
from symbolic_llm.answers.explanation import explain_formula
from symbolic_llm.answers.reading import read_value
from symbolic_llm.answers.rules import reach
from symbolic_llm.api import find
from symbolic_llm.errors import CatalogueError, ConditionViolated, NoSolution, SymbolicLLMError, Underdetermined
from symbolic_llm.formula import Formula
from symbolic_llm.models.choices import mismatch
from symbolic_llm.notation import LETTERS, B, N, W, named
from symbolic_llm.pages import scripts
from symbolic_llm.pages.embeds import Embeds, Known
from symbolic_llm.pages.javascript import NAMES, printed
from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.presets import Presets

pytestmark = pytest.mark.xdist_group("site")

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
ASKED = (*scripts.ASKED, *(symbol.name for symbol in scripts.PICKED))
Vector = dict[str, Any]

# Asks each vector; says the exact value and how it is shown, or the sentence why there is none.
ANSWERS = """vectors => vectors.map(({asked, model, hardware, dtype, weights, cache, own, B, N}) => {
  const read = window.Exact.read;
  const typed = own && Object.fromEntries(Object.entries(own).map(([letter, text]) => [letter, read(text)]));
  const found = window.Evaluate.attempt(
    asked, {model, hardware, dtype, weights, cache, own: typed}, {B: read(B), N: read(N)});
  if (found.refusal) return found.refusal.message;
  const unit = window.catalogue.letters[found.formula.quantity].unit;
  return [window.Exact.shown(found.value), window.Exact.humanize(found.value, unit, 5)];
})"""


def page_with(folder: Path, script: str, *names: str) -> Path:
    """A page with calculators and nothing else."""
    assets = folder / "assets"
    (assets / "calculator").mkdir(parents=True)
    for path in (ASSETS / "calculator").iterdir():
        (assets / "calculator" / path.name).write_bytes(path.read_bytes())
    (assets / "calculator" / "catalogue.js").write_text(script, encoding="utf-8")
    embeds = Embeds(Known({}), HtmlPen(""))
    body = "".join(embeds.calculator(name) for name in names)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>x</title>'
    (folder / "page.html").write_text(f"{head}<body>{body}", encoding="utf-8")
    return folder / "page.html"


@pytest.fixture(scope="module")
def script() -> str:
    """What is printed from the catalogue."""
    return scripts.catalogue_script()


@pytest.fixture(scope="module")
def machine(browser: Any, script: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The large calculator, opened from a file."""
    page = browser.new_page()
    page.goto(page_with(tmp_path_factory.mktemp("calculator"), script, "machine").as_uri())
    yield page
    page.close()


def formula_of(asked: str, model: str) -> Formula:
    """The formula that is meant: by its name, or the one that the model picks for a letter."""
    return find(asked) if asked in scripts.ASKED else presets.model(model).formula_for(named(asked))


def expected(vector: Vector) -> Any:
    """What the package answers."""
    model = vector["model"]
    formula = formula_of(vector["asked"], model)
    own = vector.get("own")
    machine = presets.of_letters(**own) if own is not None else vector["hardware"]
    chosen = Presets(model, machine, vector["dtype"], vector["weights"], vector["cache"])
    traits = presets.model(model).traits
    letters = reach(formula, presets.model(model).formulas) if not mismatch(formula, model, traits) else ()
    given = {s.name: Fraction(vector[s.name]) for s in (B, N) if s in letters}
    try:
        found = explain_formula(formula, given, chosen)
    except (ConditionViolated, NoSolution, Underdetermined) as reason:
        return re.sub(r" by name, as in .*(?=\.$)", "", str(reason))  # on a page nobody gives letters by name
    return [found.exact, found.result]


def near_the_edge(model: str, rest: Vector) -> str | None:
    """A context next to the critical one; None where there is none."""
    try:
        formula = presets.model(model).formula_for(named("N_critical"))
        chosen = Presets(model, rest["hardware"], rest["dtype"], rest["weights"], rest["cache"])
        return str(max(1, int(explain_formula(formula, {}, chosen).exact)))
    except SymbolicLLMError:
        return None


def vectors(seed: int) -> list[Vector]:
    """Every model on every machine, each with formats, batch and context of its own, and machines of one's own."""
    draw, found = random.Random(seed), []
    formats, computing = presets.names("formats"), presets.computing()
    for model in presets.names("models"):
        for hardware in presets.names("hardware"):
            rest = {
                "hardware": hardware,
                "dtype": draw.choice(computing if draw.random() < 0.3 else ("fp16", "bf16", "int8")),
                "weights": draw.choice(formats),
                "cache": draw.choice(formats),
                "B": str(int(2 ** draw.uniform(0, 12))),
                "N": str(int(2 ** draw.uniform(0, 18))),
            }
            if draw.random() < 0.2 and (edge := near_the_edge(model, rest)):
                rest["N"] = edge
            found += [{"asked": asked, "model": model, **rest} for asked in draw.sample(ASKED, 2)]
        own = {"M": draw.choice(("24 GB", "1 GB", "80.5 GB")), "W": "1935.25 GB/s", "F": "312 TFLOP/s"}
        for _ in range(4):
            kept = {letter: own[letter] for letter in draw.sample(sorted(own), draw.choice((2, 3, 3)))}
            found += [{"asked": draw.choice(ASKED), "model": model, **rest, "hardware": "own", "own": kept}]
    return found


def asked_of(vector: Vector) -> Vector:
    """As JavaScript takes it: what was typed as plain numbers."""
    own = vector.get("own") or {}
    typed = {letter: str(read_value(LETTERS[named(letter)], value)) for letter, value in own.items()}
    return {**vector, "own": typed}


def differing(page: Any, asked: list[Vector]) -> list[Any]:
    """The vectors for which the two do not say the same."""
    answers = page.evaluate(ANSWERS, [asked_of(vector) for vector in asked])
    found = []
    for vector, answer in zip(asked, answers, strict=True):
        meant = expected(vector)
        same = answer == meant
        if not isinstance(answer, str) and not isinstance(meant, str):
            same = close(Fraction(answer[0]), meant[0], vector) and answer[1] == meant[1]
        if not same:
            found.append((vector, answer, meant))
    return found


def close(one: Fraction, other: Fraction, vector: Vector) -> bool:
    """Equal; where a power is too large to be carried out, both are rounded, far below what a float can tell."""
    if one == other:
        return True
    tokens = int(vector["B"]) * (int(vector["N"]) if "prefill" in vector["asked"] else 1)
    return tokens > 1024 and abs(one - other) <= abs(other) * Fraction(1, 10**30)


def test_one_number(machine: Any) -> None:
    """The articles' batch crossover, through the whole way."""
    example = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "fp16", "cache": "fp16"}
    vector = {"asked": "batch_crossover", **example, "B": "1", "N": "4096"}
    assert expected(vector) == [Fraction(312 * 10**12, 1935 * 10**9), "161.24 sequences"]
    assert machine.evaluate(ANSWERS, [vector])[0][1] == "161.24 sequences"
    assert not differing(machine, [vector])


def test_javascript_computes_what_python_does(machine: Any) -> None:
    """Values exactly, as they are shown, and refusals word for word."""
    asked = vectors(7)
    assert len(asked) > 4000
    found = differing(machine, asked)
    assert not found, found[:3]


def test_vectors_reach_what_is_refused() -> None:
    """Among what is asked are answers and every sort of refusal: too long a context, no room, no peak, other models."""
    said = [answer for vector in vectors(7)[::2] if isinstance(answer := expected(vector), str)]
    for words in (
        "the context is not below critical_context",
        "the weights alone do not fit",
        "it is for models with no experts",
        "needs a value for F",
        "needs a value for M",
        "no context is too long for a compute-bound batch",
    ):
        assert any(words in sentence for sentence in said), words
    assert len(said) < 2000


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("times(2n, v.P)", "times(3n, v.P)"),
        ("larger(", "smaller("),
        ("down(", "up("),
        ("holds: v => above(", "holds: v => atLeast("),
    ],
)
def test_a_planted_fault_is_noticed(browser: Any, script: str, tmp_path: Path, right: str, wrong: str) -> None:
    """The twin: a script with a fault does not compute the same."""
    assert right in script
    page = browser.new_page()
    page.goto(page_with(tmp_path, script.replace(right, wrong), "machine").as_uri())
    asked = vectors(7)
    edges = [tie] if wrong.startswith("holds") and (tie := at_the_tie()) else []
    assert differing(page, [*asked[::10], *edges])
    page.close()


def at_the_tie() -> Vector:
    """A machine on which a context is exactly the critical one: the condition fails by nothing."""
    model = presets.model("llama-2-7b")
    # 2·P·W = N·(F·m − a·W) at W = 1 TB/s and N = 1,000
    work = 2 * model.multiplied_parameters * 10**12
    peak = Fraction(work, 1000) + model.attention_flops_per_context_token * 10**12
    peak /= model.kv_bytes_per_token(2)
    own = {"M": "80 GB", "W": "1000 GB/s", "F": f"{peak.numerator}/{peak.denominator}"}
    formats = {"dtype": "fp16", "weights": "fp16", "cache": "fp16"}
    return {
        "asked": "B_star_cache",
        "model": model.name,
        "hardware": "own",
        **formats,
        "own": own,
        "B": "1",
        "N": "1000",
    }


EXPRESSIONS = (
    B * N / W,
    Min(B, N, W) - Max(B, 3),
    floor(-B / N) + ceiling(B / N) + ceiling(-W / 7),
    Piecewise((B, Gt(B, N)), (N**3 / 2, True)),
    Mod(W, B) + Mod(-W, N),
    Rational(9, 16) * W - 2**70,
    (1 - B / N) ** 40 + (B / N) ** -3 + 1 / W**2,
    Piecewise((1, Eq(B, N) | (Le(B, W) & Lt(N, W))), (2, True)),
    Piecewise((1, Ne(B, N)), (Integer(0), True)),
)


def test_what_is_printed_is_what_is_meant(machine: Any) -> None:
    """All that a formula may be made of, also what none of those is made of that calculators ask today."""
    letters = {B: Fraction(8), N: Fraction(2**53 + 1), W: Fraction(15, 7)}
    for values in (letters, {**letters, B: Fraction(2**53 + 1)}, {**letters, W: Fraction(10**30)}):
        given = {symbol.name: str(value) for symbol, value in values.items()}
        for expression in EXPRESSIONS:
            code = f"""given => {{
              const {{{", ".join(NAMES)}}} = window.Exact, v = {{}};
              for (const [name, text] of Object.entries(given)) v[name] = window.Exact.read(text);
              return window.Exact.shown(({printed(expression)})(v));
            }}"""
            numbers = {symbol: Rational(value.numerator, value.denominator) for symbol, value in values.items()}
            assert Fraction(machine.evaluate(code, given)) == Fraction(str(expression.xreplace(numbers))), expression


@pytest.mark.parametrize("expression", [sqrt(B), log(B), B ** (N / 2)])
def test_what_is_not_exact_is_not_printed(expression: Any) -> None:
    with pytest.raises(CatalogueError, match="calculator"):
        printed(expression)
