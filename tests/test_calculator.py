"""The calculators: what JavaScript computes is what the package computes, and every control moves what it should

Numbers are compared exactly: both compute with fractions.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from calculating import (
    ANSWERS,
    ASKED,
    ASSETS,
    BUILT,
    UNITS,
    Screen,
    Vector,
    catalogue_script,
    differing,
    expected,
    in_script,
    page_with,
    page_with_fault,
    told,
)
from sympy import Eq, Ge, Gt, Le, Lt, Max, Min, Mod, Ne, Rational, ceiling, floor, log, sqrt

from symbolic_llm import explain, presets
from symbolic_llm.answers.explanation import explain_formula, figure
from symbolic_llm.api import formula_of
from symbolic_llm.checks import verify_alone
from symbolic_llm.errors import (
    CatalogueError,
    SymbolicLLMError,
    UnknownName,
)
from symbolic_llm.expressions.trees import tree
from symbolic_llm.notation import LETTERS, B, N, P, W, named
from symbolic_llm.pages.calculator_data import placed
from symbolic_llm.pages.embeds import Embeds, Known
from symbolic_llm.pages.examples import EXAMPLE
from symbolic_llm.pages.figures import limits_map
from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.presets import Presets
from symbolic_llm.units import BYTE, FLOP, SECOND, TOKEN, humanize, significant

pytestmark = pytest.mark.xdist_group("calculator")  # one browser, and no built site


@pytest.fixture(scope="module")
def script() -> str:
    """The script printed from the catalogue."""
    return catalogue_script()


SHOWN = ("machine",)  # on the page of the fixture `large`


@pytest.fixture
def machine(screen: Screen) -> Any:
    """The page of the large calculator, to be asked."""
    return screen.page


def near_the_edge(model: str, rest: Vector) -> str | None:
    """A context next to the critical one; None where there is none."""
    try:
        if (formula := presets.model(model).picked(named("N_critical"))) is None:
            return None
        chosen = Presets(model, rest["hardware"], rest["dtype"], rest["weights"], rest["cache"])
        return str(max(1, int(explain_formula(formula, {}, chosen).exact)))
    except SymbolicLLMError:
        return None


@functools.cache
def vectors(seed: int) -> list[Vector]:
    """Every model on a third of the machines, with formats, batch and context of its own, and machines of one's own.

    Each machine has a third of the models.
    """
    draw, found = random.Random(seed), []
    formats, computing = presets.names("formats"), presets.computing()
    for number, model in enumerate(presets.names("models")):
        for hardware in presets.names("hardware")[number % 3 :: 3]:
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
        "what a sequence keeps takes longer to move than its arithmetic (critical_context)",
        "the weights alone do not fit",
        "it is for models with no experts",
        "needs a value for F",
        "needs a value for M",
        "no context is too long for a compute-bound batch",
    ):
        assert any(words in sentence for sentence in said), words
    assert len(said) < 2000


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("catalogue", in_script(2 * P), in_script(3 * P)),
        ("catalogue", '["max",', '["min",'),
        ("catalogue", '["floor",', '["ceil",'),
        ("catalogue", '"holds":[">",', '"holds":[">=",'),
        ("evaluate", "X.compared(values[letter], values[least]) < 0", "X.compared(values[letter], values[least]) <= 0"),
        ("evaluate", "const failing = broken(formula.conditions, values);", "const failing = null;"),
        ("exact", "BITS = 200", "BITS = 20"),
        ("exact", "whole + (rest > d", "whole + (rest < d"),
    ],
)
def test_a_planted_fault_is_noticed(browser: Any, tmp_path: Path, file: str, right: str, wrong: str) -> None:
    """The twin: a script with a fault, in its data or written, does not answer the same."""
    page = page_with_fault(browser, tmp_path, file, right, wrong)
    experts = {"model": "mixtral-8x7b", "hardware": "h200-sxm", "dtype": "fp16", "weights": "int4", "cache": "fp16"}
    many = [{"asked": "memory_time_with_cache", **experts, "model": "deepseek-v3", "B": "1025", "N": "9"}]
    one = [{"asked": "latency_with_cache", **experts, "B": "1", "N": "100"}]
    assert differing(page, [*vectors(7)[::10], at_the_tie(), *many, *one])
    page.close()


def test_at_the_very_edge(machine: Any) -> None:
    """Exactly at the critical context, one token of a model with experts, a power too large to be carried out."""
    tie = at_the_tie()
    formats = {"dtype": "fp16", "weights": "int4", "cache": "fp16"}
    experts = {"asked": "memory_time_with_cache", "model": "deepseek-v3", "hardware": "h200-sxm", **formats, "N": "9"}
    assert not differing(machine, [tie, {**tie, "N": "999"}, *({**experts, "B": b} for b in ("1", "1024", "1025"))])
    assert "takes longer to move than its arithmetic" in expected(tie)
    assert expected({**tie, "N": "999"})[0] > 10**4


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
    Mod(W, B) + Mod(-W, N),
    Rational(9, 16) * W - 2**70,
    (1 - B / N) ** 40 + (B / N) ** -3 + 1 / W**2,
    *(sign(B, N, evaluate=False) for sign in (Eq, Ne, Lt, Le, Gt, Ge)),
)
VALUED = """([trees, given]) => {
  const values = {};
  for (const [name, text] of Object.entries(given)) values[name] = window.Exact.read(text);
  return trees.map(tree => window.Evaluate.computing(tree)(values)).map(x => (x === !!x ? x : window.Exact.shown(x)));
}"""


def misread(page: Any) -> list[Any]:
    """Expressions of which the calculators' evaluator, that of exported proofs and SymPy do not say the same."""
    letters = {B: Fraction(8), N: Fraction(2**53 + 1), W: Fraction(15, 7)}
    found = []
    for values in (letters, {**letters, B: Fraction(2**53 + 1)}, {**letters, W: Fraction(10**30)}):
        at = {symbol.name: value for symbol, value in values.items()}
        given = [list(map(placed, EXPRESSIONS)), {name: str(value) for name, value in at.items()}]
        numbers = {symbol: Rational(value.numerator, value.denominator) for symbol, value in values.items()}
        for expression, said in zip(EXPRESSIONS, page.evaluate(VALUED, given), strict=True):
            theirs = said if isinstance(said, bool) else Fraction(said)
            meant = expression.xreplace(numbers)
            ours = bool(meant) if expression.is_Relational else Fraction(str(meant))
            found += [expression] * (not ours == theirs == verify_alone.value(tree(expression), at))
    return found


def operators(page: Any) -> list[str]:
    """The operators of which calculators know what they mean, in their order."""
    return list(page.evaluate("Object.keys(window.Exact.OPERATORS)"))


def test_trees_are_evaluated_in_one_form(machine: Any) -> None:
    """By calculators and by the program that comes with exported proofs: one order of operators, one meaning each."""
    assert operators(machine) == [*verify_alone.ARGUMENTS, *verify_alone.SIGNS]
    assert {part[0] for one in EXPRESSIONS for part in verify_alone.parts(tree(one)) if isinstance(part, list)} == {
        *operators(machine)
    }
    assert not misread(machine)


@pytest.mark.parametrize(
    ("right", "instead", "noticed"),
    [
        ("floor: down, ceil: up", "ceil: up, floor: down", operators),
        ("mod: modulo, ", "", operators),
        ("max: larger, min: smaller", "max: smaller, min: larger", misread),
        ('">=": is(c => c >= 0)', '">=": is(c => c > 0)', misread),
    ],
)
def test_an_operator_that_is_another_is_noticed(
    browser: Any, tmp_path: Path, machine: Any, right: str, instead: str, noticed: Any
) -> None:
    """The twin: a place, an operator or a meaning that is not that of the other evaluator."""
    page = page_with_fault(browser, tmp_path, "exact", right, instead)
    assert noticed(page) != noticed(machine)
    page.close()


@pytest.mark.parametrize("expression", [sqrt(B), log(B), B ** (N / 2)])
def test_what_is_not_exact_has_no_tree(expression: Any) -> None:
    with pytest.raises(CatalogueError, match="calculator"):
        placed(expression)


# On the page


def test_what_is_shown_at_first(screen: Screen) -> None:
    """Every result is there and is the package's; the sentence says what binds."""
    unshown = {"bytes_per_weight", "decode_product_flops"}
    assert set(screen.results()) == set(ASKED) - unshown | {"P", "P_total", "throughput"}
    asked: dict[str, Any] = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "B": 1, "N": 4096}
    rate = humanize(1 / Fraction(explain("separate_latency", **asked).exact), TOKEN / SECOND, 4)
    assert screen.results()["throughput"] == rate.replace("token", "tokens")
    assert not screen.differing()
    assert screen.results()["P"] == f"{presets.model('llama-2-7b').multiplied_parameters:,} weights"
    assert screen.results()["P_total"] == f"{presets.model('llama-2-7b').parameters:,} weights"
    assert screen.said.startswith("Memory binds: a step takes 7.939 ms")


def test_a_wrong_display_is_noticed(screen: Screen) -> None:
    """The twin: a number that is not the package's, and one that stays where it was."""
    screen.page.evaluate("document.querySelector('[data-result=ridge_point]').textContent = '161.3 FLOP/B'")
    assert [asked for asked, *_ in screen.differing()] == ["ridge_point"]
    screen.page.evaluate("document.querySelector('[data-number=B]').value = 2")  # without an event nothing is computed
    assert len(screen.differing()) > 3


CHOICES = ("model", "hardware", "dtype", "weights", "cache")
SLIDERS = ("B", "N", "prompt")


@pytest.mark.parametrize("name", [*CHOICES, *SLIDERS])
def test_every_control_by_keyboard(screen: Screen, name: str) -> None:
    """Every control is reached by the tabulator, an arrow moves it alone, and what is shown follows."""
    for _ in range(40):
        screen.page.keyboard.press("Tab")
        if screen.page.evaluate("document.activeElement.dataset.control") == name:
            break
    before, shown = screen.state(), screen.results()
    screen.page.keyboard.press("ArrowDown" if name in ("model", "hardware") else "ArrowUp")
    assert {key for key, value in screen.state().items() if before[key] != value} == {name}
    assert screen.results() != shown
    assert not screen.differing()


@pytest.mark.parametrize("name", SLIDERS)
def test_every_slider_by_mouse(screen: Screen, name: str) -> None:
    slider, shown = screen.page.locator(f"[data-control={name}]"), screen.results()
    box = slider.bounding_box()
    for share in (0.2, 0.85):
        screen.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        assert screen.results() != shown
        assert not screen.differing()
    assert slider.get_attribute("aria-valuetext").split()[0] == screen.state()[name]


@pytest.mark.parametrize(("name", "value"), [("B", "161"), ("N", "157"), ("N", "158"), ("prompt", "131072")])
def test_every_number_is_typed(screen: Screen, name: str, value: str) -> None:
    """Also values that lie between the slider's; next to the critical context the crossover is there, and is gone."""
    screen.page.locator(f"[data-number={name}]").fill(value)
    assert screen.state()[name] == value
    assert not screen.differing()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "mixtral-8x7b"),
        ("model", "deepseek-v3"),
        ("model", "gemma-2-27b"),
        ("model", "mistral-7b-v0.1"),
        ("hardware", "raspberry-pi-5"),
        ("hardware", "pixel-5"),
        ("hardware", "rx-7900-xtx"),
        ("dtype", "int4"),
        ("weights", "q4_0"),
        ("cache", "int8"),
    ],
)
def test_every_list(screen: Screen, name: str, value: str) -> None:
    """Other kinds of models, and machines of which not everything is printed."""
    screen.page.select_option(f"[data-control={name}]", value)
    assert screen.state()[name] == value
    assert not screen.differing()


def test_a_machine_of_ones_own(screen: Screen) -> None:
    """A machine of one's own begins as the one before; a figure that is not typed is asked for."""
    assert not screen.page.is_visible("[data-control=W]")
    screen.page.select_option("[data-control=hardware]", "own")
    assert {letter: screen.state()[letter] for letter in UNITS} == {"M": "80", "W": "1935", "F": "312"}
    assert not screen.differing()
    screen.page.fill("[data-control=W]", "819.25")
    screen.page.fill("[data-control=F]", "0.5")
    assert not screen.differing()
    screen.page.fill("[data-control=M]", "")
    assert screen.results()["sequences_that_fit"] == "the memory of your machine is not given."
    assert not screen.differing()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("B", "0", "at least 1"),
        ("B", "1.5", "whole"),
        ("N", "", "whole"),
        ("B", "1e30", "at most"),
        ("N", "-3", "least"),
    ],
)
def test_what_is_no_number_of_its_letter(screen: Screen, name: str, value: str, said: str) -> None:
    """A sentence says so, nothing is computed from it, and what stands there is grey until a number is typed."""
    shown, grey = screen.results(), "getComputedStyle(document.querySelector('.answers')).opacity < 0.5"
    screen.page.locator(f"[data-number={name}]").fill(value)
    assert said in screen.said
    assert screen.results() == shown
    assert screen.page.evaluate(grey)
    screen.page.locator(f"[data-number={name}]").fill("7")
    assert screen.results() != shown
    assert not screen.page.evaluate(grey)


@pytest.mark.parametrize("context", [1024, 1025])
def test_a_context_that_a_model_was_not_made_for(screen: Screen, context: int) -> None:
    """The sentence says so, in the words of the package; one token less, and it does not; nor of a model without."""
    screen.page.select_option("[data-control=model]", "gpt2")
    screen.page.locator("[data-number=prompt]").fill("1")
    screen.page.locator("[data-number=N]").fill(f"{context}")
    beyond = presets.model("gpt2").beyond(context)
    assert bool(beyond) == (context == 1025)
    assert screen.said.endswith(f" {beyond}." if beyond else "s.")
    assert ("exceed" in screen.said) == bool(beyond)
    assert not screen.differing()


def test_the_first_token_is_one_prompts(screen: Screen) -> None:
    """However large the batch is; the twin is a longer prompt."""
    asked = "separate_prefill_time"
    alone = screen.results()[asked]
    screen.page.locator("[data-number=B]").fill("64")
    assert screen.results()[asked] == alone
    screen.page.locator("[data-number=prompt]").fill("1025")
    assert screen.results()[asked] != alone


def test_a_number_opens_its_formula(screen: Screen) -> None:
    """With these numbers put in, the formulas of its letters, and a link to its page; and it follows the controls."""
    screen.page.locator("details:has([data-result=latency_with_cache]) > summary").press("Enter")
    opened = screen.page.locator("details:has([data-result=latency_with_cache]) .opened")
    screen.page.locator("[data-number=N]").fill("333")
    found = explain_formula(
        formula_of("latency_with_cache"), {"B": 1, "N": 333}, Presets("llama-2-7b", "a100-80gb-pcie", "fp16")
    )
    screen.page.wait_for_function("document.querySelector('.opened a')")
    shown = opened.inner_text()
    for symbol in found.formula.letters:
        if symbol != found.formula.quantity:
            assert figure(found.given.values[symbol].value) in shown, symbol
            assert LETTERS[symbol].meaning in shown
    assert "@" not in shown
    assert opened.locator("a").last.get_attribute("href") == "formulas/latency_with_cache.html"
    # on the number itself, which a browser would take for a control of its own
    screen.page.locator("[data-result=B_star_cache]").scroll_into_view_if_needed()
    box = screen.page.locator("[data-result=B_star_cache]").bounding_box()
    screen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    refused = screen.page.locator("details:has([data-result=B_star_cache]) .opened")
    refused.locator("p").wait_for()
    assert refused.inner_text().strip() == told("B_star_cache", screen.state())


def test_the_address_holds_the_state(screen: Screen) -> None:
    """The address holds the state: moves write it, opening it or going there restores it; it takes nothing else."""
    screen.page.select_option("[data-control=model]", "qwen3-8b")
    screen.page.select_option("[data-control=hardware]", "own")
    screen.page.fill("[data-control=W]", "3000.5")
    screen.page.locator("[data-number=N]").fill("7777")
    state, results, hash = screen.state(), screen.results(), screen.page.evaluate("location.hash")
    screen.open(hash)
    assert (screen.state(), screen.results()) == (state, results)
    screen.page.evaluate("location.hash = '#B=16&hardware=m2'")
    screen.page.wait_for_function("document.querySelector('[data-number=B]').value === '16'")
    assert screen.state()["hardware"] == "m2"
    assert not screen.differing()
    screen.open("#model=<img src=x>&hardware=__proto__&dtype=q4_0&B=-1&N=1e999&M=nan&prompt=%00&x=1&weights=toString")
    fresh = screen.state()
    screen.open()
    assert fresh == screen.state()


UNREAD = ".unread:not(:empty)"


@pytest.mark.parametrize(
    ("hash", "said"),
    [
        ("model=llama-9&B=4", "model=llama-9"),
        ("B=-1", "B=-1"),
        ("batch=4&B=4", "batch=4"),
        (f"model={'x' * 5000}", f"model={'x' * 34}"),
        ("model=<img src=x>", "model=<img src=x>"),
    ],
)
def test_an_unknown_address(screen: Screen, hash: str, said: str) -> None:
    """A sentence says what is not known, until something is moved; what is known is taken."""
    screen.open(f"#{hash}")
    assert (
        screen.page.inner_text(UNREAD) == f"The address of this page asks for {said}, which no calculator here knows."
    )
    assert screen.state()["B"] == ("4" if "&B=4" in hash else "1")
    screen.page.locator("[data-number=N]").fill("5")
    screen.open(screen.page.evaluate("location.hash"))
    assert screen.page.locator(UNREAD).count() == 0


@pytest.mark.parametrize("hash", ["", "#where-to-serve-it", "#B=4&model=gpt2", "#tpot=20"])
def test_a_known_address(screen: Screen, hash: str) -> None:
    """The twin: a part of the page, what this calculator takes, and what another takes."""
    screen.open(hash)
    assert screen.page.locator(UNREAD).count() == 0


SMALL = ("roofline", "crossover", "fits", "bits", "chunk", "share")


@pytest.fixture(scope="module")
def chapters(browser: Any, script: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """The calculators of the chapters on one page."""
    page = browser.new_page()
    yield Screen(page, page_with(tmp_path_factory.mktemp("small"), script, *SMALL))
    page.close()


@pytest.fixture
def small(chapters: Screen) -> Iterator[Screen]:
    """The calculators of the chapters, before anything was moved."""
    chapters.open()
    yield chapters
    assert not chapters.wrong


@pytest.mark.parametrize("name", SMALL)
def test_the_small_ones(small: Screen, name: str) -> None:
    """Every control of each moves what is shown or drawn, and all numbers are the package's."""
    place = f"[data-calculator={name}]"
    controls = small.page.locator(f"{place} [data-control]")
    for number in range(controls.count()):
        controls.nth(number).focus()
        seen = {small.page.locator(place).inner_html()}
        for key in ("ArrowDown", "End", "Home", "ArrowDown"):
            small.page.keyboard.press(key)
            assert not small.differing(place, **(of_bits(small.state(place)) if name == "bits" else {}))
            seen.add(small.page.locator(place).inner_html())
        assert len(seen) > 1


@pytest.mark.parametrize("name", SMALL)
def test_the_small_ones_lead_to_the_large_one(small: Screen, screen: Screen, name: str) -> None:
    """At the same choices, also after a move, and with an answer."""
    place = f"[data-calculator={name}]"
    small.page.select_option(f"{place} [data-control=model]", "llama-2-70b")
    small.page.locator(f"{place} [data-number=N]").fill("777")
    page, _, hash = small.page.locator(f"{place} a.large").get_attribute("href").partition("#")
    assert page == "calculator.html"
    screen.open(f"#{hash}")
    shared = small.state(place).items() & screen.state().items()
    assert {"model", "hardware", "N"} <= dict(shared).keys() == small.state(place).keys() & screen.state().keys()
    assert " a step takes " in screen.said
    assert screen.page.locator(UNREAD).count() == 0
    assert not screen.differing()


def of_bits(state: Vector) -> Vector:
    """Values of the calculator of bits beside the controls: a size of weights that no format has."""
    letters = {"n_bits": state["bits"], "n_block": state["block"], "n_scale": 16, "n_bytes": small_bytes(state)}
    return {"weights": None, "letters": letters}


def small_bytes(state: Vector) -> Fraction:
    """Bytes of a weight of so many bits in blocks."""
    letters = {"n_bits": state["bits"], "n_block": state["block"], "n_scale": 16}
    return Fraction(explain_formula(formula_of("bytes_per_weight"), letters).exact)


def test_the_point_on_the_roofline(small: Screen) -> None:
    """Operations for each byte, at two batches."""
    for batch in ("1", "64"):
        small.page.locator("[data-calculator=roofline] [data-number=B]").fill(batch)
        one = Presets("llama-2-7b", "a100-80gb-pcie", "fp16")
        given = {"B": batch, "N": "512"}
        work, time = (
            explain_formula(formula_of(name), given, one).exact
            for name in ("decode_product_flops", "memory_time_with_cache")
        )
        meant = humanize(work / (time * 1935 * 10**9), FLOP / BYTE, 4)
        assert small.results("[data-calculator=roofline]")["intensity"] == meant


def test_the_limits_begin_as_their_figure(small: Screen) -> None:
    """With the deployment of the chapter, so that the reader sees one story."""
    assert limits_map.deployment(EXAMPLE).items() <= small.state("[data-calculator=fits]").items()


@pytest.mark.parametrize("target", ["5", "20", "50", "1000"])
def test_the_largest_batch_at_a_time(small: Screen, target: str) -> None:
    """The largest batch is in time and one sequence more is not; none is shown where even one is not."""
    for name, value in (("model", "llama-2-7b"), ("weights", "fp16")):
        small.page.select_option(f"[data-calculator=fits] [data-control={name}]", value)
    small.page.locator("[data-calculator=fits] [data-number=target]").fill(target)
    shown = small.results("[data-calculator=fits]")["within"]
    limit = Fraction(target) / 1000
    takes = functools.partial(step_of, "llama-2-7b", "a100-80gb-pcie")
    assert f"at {target} ms" in small.page.inner_text("[data-calculator=fits] .results")
    if shown == "none":
        assert takes(1) > limit
    else:
        batch = int(shown.split()[0].replace(",", ""))
        assert takes(batch) <= limit < takes(batch + 1)
    assert (shown == "none") == (target == "5")


def step_of(model: str, hardware: str, batch: int, **more: Any) -> Fraction:
    """The time of a step, at a context of 4096 where no other is given."""
    weights = {} if "n_bytes" in more else {"weights": "fp16"}
    found = explain_formula(
        formula_of("latency_with_cache"), {"B": batch, "N": 4096, **more}, Presets(model, hardware, "fp16", **weights)
    )
    return Fraction(found.exact)


@pytest.mark.parametrize(("bits", "overhead"), [("4", "5"), ("8", "0"), ("3", "20")])
def test_what_bits_buy(small: Screen, bits: str, overhead: str) -> None:
    """The rate with the overhead, and how many times that of fp16."""
    place = "[data-calculator=bits]"
    small.page.locator(f"{place} [data-number=bits]").fill(bits)
    small.page.locator(f"{place} [data-number=overhead]").fill(overhead)
    n_bytes = small_bytes(small.state(place))
    late = Fraction(overhead) / 1000
    here, half = (1 / (step_of("llama-2-7b", "m2", 1, n_bytes=one, N=512) + late) for one in (n_bytes, Fraction(2)))
    shown = small.results(place)
    assert shown["rate"] == humanize(here, TOKEN / SECOND, 4).replace("token/", "tokens/")
    assert shown["gain"] == f"{significant(here / half, 4)} times"


def test_everything_has_a_name(browser: Any, script: str, tmp_path: Path) -> None:
    """Inputs a label, drawings a text; one output of each calculator speaks, the others are silent."""
    page = browser.new_page()
    page.goto(page_with(tmp_path, script, "machine", "plan", *SMALL).as_uri())
    page.wait_for_function(BUILT)
    unnamed = (
        "[...document.querySelectorAll('input, select')].filter(input => !input.ariaLabel && "
        "![...input.labels].some(label => label.textContent.trim())).length"
    )
    assert page.evaluate(unnamed) == 0
    assert page.locator("input, select").count() > 40
    drawn = page.evaluate("[...document.querySelectorAll('svg')].map(svg => [svg.getAttribute('role'), svg.ariaLabel])")
    assert len(drawn) == 9
    assert all(role == "img" and len(label) > 30 for role, label in drawn)
    live = page.evaluate("[...document.querySelectorAll('output')].map(output => output.ariaLive)")
    assert live.count("polite") == 8
    assert set(live) == {"polite", "off"}
    page.evaluate("document.querySelector('label').remove()")
    assert page.evaluate(unnamed) == 1
    page.close()


def test_a_phone_is_wide_enough(browser: Any, script: str, tmp_path: Path) -> None:
    """390 pixels, everything opened; the answer is in sight wherever the calculator is."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(page_with(tmp_path, script, "machine", "plan", *SMALL).as_uri())
    page.wait_for_function(BUILT)
    seen = """(name) => {
      const place = document.querySelector(`[data-calculator=${name}]`), said = place.querySelector(".said");
      const { top, bottom } = place.getBoundingClientRect(), out = [];
      for (let y = top; y < bottom - innerHeight / 2; y += 50) {
        scrollTo(0, y);
        const box = said.getBoundingClientRect();
        const shown = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        if (box.top < 0 || box.bottom > innerHeight || shown !== said) out.push(y);
      }
      scrollTo(0, 0);
      return out;
    }"""
    assert [page.evaluate(seen, name) for name in ("machine", "plan")] == [[], []]
    page.add_style_tag(content=".calculator .said { position: static !important }")
    assert len(page.evaluate(seen, "machine")) > 1  # the twin
    page.select_option("[data-calculator=machine] [data-control=model]", "deepseek-v3")
    # what is opened may have something in it that can be opened in turn
    page.wait_for_function("""() => {
        document.querySelectorAll("details").forEach(one => (one.open = true));
        return [...document.querySelectorAll(".opened")].every(one => one.children.length);
    }""")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_without_javascript_it_says_so(browser: Any, script: str, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_with(tmp_path, script, "machine").as_uri())
    assert "JavaScript" in page.inner_text("body")
    context.close()


def test_no_calculator_by_another_name() -> None:
    with pytest.raises(UnknownName, match="crossover"):
        Embeds(Known({}), HtmlPen("")).calculator("crosover")


def test_scripts_are_loaded_once_and_only_with_a_calculator() -> None:
    """And from where the page lies."""
    embeds = Embeds(Known({}), HtmlPen("../"))
    first, second = embeds.calculator("fits"), embeds.calculator("bits")
    assert 'src="../assets/calculator/start.js"' in first
    assert "<script" not in second
    loaded = re.findall(r'[" ]\.\./assets/calculator/(\w+)\.js', first.replace('="', '=" '))
    assert sorted(loaded) == sorted(["catalogue", *(path.stem for path in (ASSETS / "calculator").glob("*.js"))])
