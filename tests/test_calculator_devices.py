"""The calculators of several devices, of plans and of chunks: the package's numbers, whatever is asked"""

from __future__ import annotations

import functools
import gzip
import random
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from calculating import (
    LINK,
    Screen,
    Vector,
    catalogue_script,
    differing,
    expected,
    in_script,
    page_with,
    page_with_fault,
)
from kinds import kind

from symbolic_llm import Plan, catalogue, explain, presets
from symbolic_llm.answers.explanation import figure
from symbolic_llm.errors import CatalogueError, InvalidValue
from symbolic_llm.expressions.printing import tex, text
from symbolic_llm.models.own_formulas import OWN
from symbolic_llm.notation import (
    LETTERS,
    SUMS,
    M_seq,
    P,
    P_mixed,
    P_total,
    m_device,
    m_token,
    n_distinct_mixed,
    n_reduces,
    named,
)
from symbolic_llm.pages import calculator_data, scripts
from symbolic_llm.pages.formula_page import address
from symbolic_llm.pages.html import mathml
from symbolic_llm.presets import Presets
from symbolic_llm.reports import device_splits
from symbolic_llm.units import SECOND, TOKEN, humanize

pytestmark = pytest.mark.xdist_group("calculator")  # one browser, and no built site

DEVICES, MODELS = presets.names("hardware"), presets.names("models")
LINKED = [name for name in DEVICES if set(LINK) <= Presets(hardware=name).letters[0].keys()]
PICKED = ("m_device", *(letter.name for letter in scripts.MIXED))
ASKED = (*scripts.ON_DEVICES, *PICKED, *scripts.OF_CHUNKS)


SHOWN = ("machine", "plan")  # on the page of the fixture `large`
MACHINE, PLAN = "[data-calculator=machine]", "[data-calculator=plan]"


# The numbers


@functools.cache
def vectors(seed: int) -> list[Vector]:
    """Every model on a few machines, their own links and those of others, with numbers of devices drawn freely."""
    draw, found = random.Random(seed), []
    for model in MODELS:
        for hardware in draw.sample(DEVICES, 6):
            prompt = int(2 ** draw.uniform(1, 15))
            letters = {
                "n_tensor": draw.choice((1, 2, 3, 8, 64, 2 ** draw.randrange(9))),
                "n_stages": draw.choice((1, 2, 7, 80)),
                "n_micro": draw.choice((1, 16)),
                "T_stage": f"1/{draw.randrange(1, 2000)}",
                "T_hop": "3/1000000",
                "N_prompt": prompt,
                "n_chunk": draw.randint(1, prompt),
                "price": "1/1440",
                "u": draw.choice(("1", "1/2")),
                "R": str(draw.randrange(1, 20000)),
            }
            found.append(
                {
                    "asked": draw.choice(ASKED),
                    "model": model,
                    "hardware": hardware,
                    "link": draw.choice(("", draw.choice(LINKED))),
                    "dtype": draw.choice(("fp16", "fp16", "bf16", "int8")),
                    "weights": draw.choice(presets.names("formats")),
                    "cache": draw.choice(presets.names("formats")),
                    "B": str(int(2 ** draw.uniform(0, 12))),
                    "N": str(int(2 ** draw.uniform(0, 18))),
                    "letters": {name: str(value) for name, value in letters.items()},
                }
            )
    small = {"model": "llama-2-70b", "hardware": "raspberry-pi-4", "link": "", "dtype": "int8"}  # too small for it
    alone = found[0]["letters"] | {"n_tensor": "1", "n_stages": "1"}
    return [*found, {**found[0], **small, "asked": "sequences_on_devices", "letters": alone}]


def test_javascript_computes_what_python_does(large: Screen) -> None:
    """Values exactly, as they are shown, and refusals word for word."""
    large.open()
    asked = vectors(3)
    assert {vector["asked"] for vector in asked} == set(ASKED)
    found = differing(large.page, asked)
    assert not found, found[:3]
    said = [answer for vector in asked if isinstance(answer := expected(vector), str)]
    for words in ("it is for models", "no source states the link", "the weights alone do not fit", "the token is free"):
        assert any(words in sentence for sentence in said), words
    assert len(said) < 0.7 * len(asked)


def test_numbers_are_put_into_sums_as_the_package_does(large: Screen) -> None:
    """The page writes the sum of a model's weights, in letters and in numbers, as the package does, of every model."""
    large.open()
    asked = [(name, letter.name) for name in MODELS for letter in (P, P_total)]
    script = "asked => asked.map(([model, letter]) => window.Results.counted({state: {model}}, letter).lines)"
    for (name, letter), lines in zip(asked, large.page.evaluate(script, asked), strict=True):
        model = presets.model(name)
        claim = model.formula_for(named(letter)).claim
        numbers = {named(shape): figure(Fraction(value)) for shape, value in model.letters.items()}
        assert lines == [text(claim), text(claim, numbers)], name
        assert lines[0] != lines[1]


SHARED_OUT = """asked => asked.map(([model, devices]) =>
  ["P_device", "P_held"].map(letter => window.Exact.shown(window.Evaluate.sharedOut(model, devices)[letter])))"""


def shared_out(page: Any) -> dict[tuple[str, int], tuple[list[str], list[str]]]:
    """Weights that a device multiplies and holds, by model and devices that share it: of a page, of the package."""
    asked = [(name, n) for name in MODELS for n in (1, 2, 4, 8, 64) if possible(name, n, 1)]
    found = page.evaluate(SHARED_OUT, [list(one) for one in asked])
    return {one: (theirs, on_a_device(*one)) for one, theirs in zip(asked, found, strict=True)}


@functools.cache
def on_a_device(name: str, n: int) -> list[str]:
    """The package's weights of a model that a device multiplies and holds, where so many share it."""
    return [str(explain(letter, model=name, n_tensor=n).exact) for letter in ("P_device", "P_held")]


def test_what_a_device_has_is_what_the_package_says(large: Screen) -> None:
    """Of every model, however many share it: what is whole, what is copied, and an even part of the rest."""
    large.open()
    found = shared_out(large.page)
    assert len(found) > 200
    assert all(theirs == ours for theirs, ours in found.values())


WRITTEN = """() => [
  Object.values(window.catalogue.formulas).map(formula => [
    formula.name, formula.title, formula.address, formula.letters,
    window.Results.inFull(window.Results.claimed(formula)), window.Results.inFull(formula.putIn)]),
  Object.entries(window.catalogue.letters).map(([name, letter]) => [name, window.Results.inFull(letter.mathml)])
]"""


def inner(written: str) -> str:
    """Mathematics without the tag around it, with one kind of quotes."""
    return re.sub(r"^<math[^>]*>|</math>$", "", written).replace('"', "'")


def written_otherwise(page: Any) -> list[str]:
    """The formulas and letters that a page writes, opened, other than the package does."""
    formulas, letters = page.evaluate(WRITTEN)
    assert len(formulas) > 90
    places, wrong, own = list(LETTERS), [], list[str]()
    for name, *written in formulas:
        if name not in catalogue().names:
            own.append(name)  # a sum of some models over what they keep
            continue
        known = catalogue()[name]
        holes = {symbol: rf"\text{{@{places.index(symbol)}@}}" for symbol in known.rhs.free_symbols}
        claim, put_in = (inner(mathml(tex(known.claim, names), display=True)) for names in (None, holes))
        needs = [symbol.name for symbol in known.letters if symbol in known.rhs.free_symbols]
        meant = [known.title, address(known), needs, claim, re.sub(r"<mtext>(@\d+@)</mtext>", r"\1", put_in)]
        wrong += [name] * ([inner(one) if isinstance(one, str) else one for one in written] != meant)
    assert {named(name) for name in own} <= {*OWN, n_reduces, *SUMS, *scripts.MIXED, P_mixed, n_distinct_mixed}
    return wrong + [name for name, one in letters if inner(one) != inner(mathml(tex(named(name))))]


def test_formulas_are_written_as_the_package_writes_them(large: Screen) -> None:
    """Title, page, letters, and the claim with letters and with holes for numbers, of every formula."""
    large.open()
    assert written_otherwise(large.page) == []


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("catalogue", '":":"~"', '":":":"'),
        ("catalogue", '":∧":', '":∨":'),
        ("catalogue", '":|":', '":;":'),
        ("results", "catalogue.letters[places[place]].mathml", "places[place]"),
        ("evaluate", "address: `formulas/${name}`", "address: `formulas/${name}s`"),
    ],
)
def test_another_way_to_write_is_noticed(browser: Any, tmp_path: Path, file: str, right: str, wrong: str) -> None:
    """The twin."""
    page = page_with_fault(browser, tmp_path, file, right, wrong)
    assert written_otherwise(page)
    page.close()


def test_a_sign_that_stands_for_something_is_no_mathematics(monkeypatch: pytest.MonkeyPatch) -> None:
    """A letter that is printed with a sign which pieces of mathematics are written as would come out as that piece."""
    monkeypatch.setitem(calculator_data.SHORT, "token", "<mrow>")
    with pytest.raises(CatalogueError, match="token stands for something else in the mathematics of calculators"):
        calculator_data.letters(["m_token"])


def test_what_calculators_load_stays_small() -> None:
    """A model takes some hundred bytes, and so does a kind of model, which has sums of its own, and a device."""
    loaded, kinds = catalogue_script().encode(), len({*map(kind, MODELS)})
    allowed = 123_000 + 350 * (len(MODELS) + kinds) + 520 * len(DEVICES)
    assert len(loaded) < allowed
    assert len(gzip.compress(loaded)) < allowed / 6


# Plans

PLANS = """questions => questions.map(({hardware, most, ...typed}) => {
  const {model, dtype, weights, cache, ...numbers} = typed, X = window.Exact;
  const read = Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, text && X.read(text)]));
  const found = window.Planning.plan({model, dtype, weights, cache, most: X.read(most), ...read}, hardware);
  const shown = one => one && X.shown(one.value);
  return [
    found.choices.map(one => [one.hardware, Number(one.tensor), one.limit, one.by, X.shown(one.batch),
      X.shown(one.perDevice), shown(one.fits), shown(one.step), shown(one.between), shown(one.more),
      shown(one.throughput), shown(one.first), shown(one.cost)]),
    Object.fromEntries(found.refused.map(one => [one.hardware, one.refused]))];
})"""


@functools.cache
def questions(seed: int) -> list[Vector]:
    """Every model with targets of its own, on four kinds of devices; first some whose prompts take little time."""
    short = {"dtype": "fp16", "weights": "fp16", "cache": "fp16", "prompt": "16", "ttft": "", "most": "8", "price": ""}
    draw, found = (
        random.Random(seed),
        [
            short | {"model": "llama-3-8b", "hardware": ["m1-ultra", "l40s"], "output": "512", "tpot": "1/20"},
            short | {"model": "llama-2-70b", "hardware": ["h100-sxm", "b200-sxm"], "output": "4000", "tpot": "1/50"},
        ],
    )
    for model in MODELS:
        found.append(
            {
                "model": model,
                "hardware": draw.sample(LINKED, 2) + draw.sample(DEVICES, 2),
                "dtype": draw.choice(("fp16", "fp16", "bf16", "int8")),
                "weights": draw.choice(("fp16", "int8", "q4_0", "fp8")),
                "cache": draw.choice(("fp16", "fp8", "q8_0")),
                "prompt": str(int(2 ** draw.uniform(4, 14))),
                "output": str(int(2 ** draw.uniform(0, 12))),
                "tpot": draw.choice(("", "1/20", "1/100", "7/1000")),
                "ttft": draw.choice(("", "", "1/2", "1/50")),
                "most": draw.choice(("1", "8", "8", "64")),
                "price": draw.choice(("", "251/360000", "1/3600")),
            }
        )
    return found


@functools.cache
def planned(seed: int, place: int) -> Any:
    """The package's plan for a question, as the calculator says it."""
    return computed(questions(seed)[place])


def computed(question: Vector) -> Any:
    """The package's plan for a question: rows of the choices, and refusals by machine."""
    asked = {name: value for name, value in question.items() if name not in ("most", "hardware")}
    for name in ("tpot", "ttft", "price"):
        asked[name] = Fraction(question[name]) if question[name] else None
    plan = Plan(devices=question["most"], hardware=tuple(question["hardware"]), **asked)

    def shown(one: Any, what: str) -> str | None:
        return str(one[what]) if what in one.figures else None

    choices = [
        [one.hardware, one.tensor, one.limit, one.by, str(one["batch"]), str(one.per_device)]
        + [shown(one, what) for what in ("fits", "step", "time per token", "time per token with one more")]
        + [shown(one, what) for what in ("throughput", "first token", "cost")]
        for one in plan.choices
    ]
    refused = {one.hardware: re.sub(r" by name, as in .*$", "", one.refused) for one in plan.refused}
    return [choices, refused]


def plans_that_differ(page: Any, seed: int, places: range) -> list[Any]:
    """The questions to which the calculator plans something else."""
    asked = [questions(seed)[place] for place in places]
    answers = page.evaluate(PLANS, asked)
    found = zip(asked, answers, (planned(seed, place) for place in places), strict=True)
    return [(question, answer, meant) for question, answer, meant in found if not alike(answer, meant)]


def alike(one: Any, other: Any) -> bool:
    """Equal; where a power is too large to be carried out both round it, far below what a float can tell."""
    choices, refused = zip(one, other, strict=True)
    cells = [[cell for choice in plan for cell in choice] for plan in choices]
    same_cells = len(cells[0]) == len(cells[1]) and all(map(equal, *cells))
    return same_cells and refused[0] == refused[1]


def equal(one: Any, other: Any) -> bool:
    """Two names or two numbers."""
    if one == other or not (one and other):
        return bool(one) == bool(other)
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(10**5)  # shares of experts in a time of several passes take some thousands
    try:
        found, meant = Fraction(one), Fraction(other)
    except ValueError:
        return False
    finally:
        sys.set_int_max_str_digits(digits)
    large = meant.denominator > 10**40
    return abs(found - meant) <= (meant / 10**30 if large else 0)


PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_a_plan_is_the_packages(large: Screen, part: int) -> None:
    """Devices in order, how many of them, batch, limit and every number exactly; and why others serve nobody."""
    large.open()
    found = plans_that_differ(large.page, 5, range(part, len(questions(5)), PARTS))
    assert not found, found[:1]


def test_plans_reach_every_case() -> None:
    """Both limits, the target by each of three, one device and several, a price, each reason why nobody is served."""
    found = [planned(5, place) for place in range(len(questions(5)))]
    choices = [one for plan, _ in found for one in plan]
    assert {one[2] for one in choices} == {"memory", "target"}
    assert {one[3] for one in choices} == {"reading", "arithmetic and reading", "prompts", ""}
    assert {1, 2, 4, 8} <= {one[1] for one in choices}
    assert any(one[12] for one in choices)
    said = {why for _, refused in found for why in refused.values()}
    for words in (
        "no source states the speed of its link",
        "the time to first token of a single prompt",
        "a token of a single sequence",
    ):
        assert any(words in why for why in said), words
    assert len(choices) > 60


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("catalogue", in_script(M_seq * m_device / m_token), in_script(M_seq)),
        ("evaluate", 'link ? ["W_link", "T_link"] : []', 'link ? ["W_link"] : []'),
        ("evaluate", "X.larger(1n, X.over(n, t))", "X.over(n, t)"),
        ("catalogue", '"shares":["0', '"shares":["1'),
        ("evaluate", 'replace("@", dtype)', 'replace("@", "fp32")'),
        ("planning", "X.compared(time(B), tpot) <= 0", "X.compared(time(B), tpot) >= 0"),
        ("planning", "X.over(X.times(B, first.value), output)", "X.over(first.value, output)"),
        ("planning", "X.times(2n, decoding)", "decoding"),
        ("planning", "X.compared(found.perDevice, best.perDevice) > 0", "true"),
        ("planning", "N: prompt, B: 1n", "N: context, B: 1n"),
        ("planning", "X.times(price, tensor, HOUR)", "X.times(price, HOUR)"),
        ("planning", "batch === most ?", "batch !== most ?"),
        (
            "planning",
            "return best || { ...refused, refused: `${refused.refused}, and no",
            "return { ...refused, refused: `no",
        ),
        ("planning", "if (found.lacks) return best || found;", ""),
        ("planning", '? "arithmetic" : "arithmetic and reading"', '? "arithmetic and reading" : "arithmetic"'),
        ("planning", "else if (alone) found.by", "else found.by"),
        ("planning", "context, batch + 1n, decoding", "context, batch, decoding"),
        ("exact", "read(`${toNumber(x)}`)", "read(`${toNumber(x).toFixed(3)}`)"),
    ],
)
def test_a_planted_fault_is_noticed(browser: Any, tmp_path: Path, file: str, right: str, wrong: str) -> None:
    """The twin: a script with a fault does not answer the same."""
    page = page_with_fault(browser, tmp_path, file, right, wrong)
    assert (
        plans_that_differ(page, 5, range(20))
        or differing(page, vectors(3))
        or any(theirs != ours for theirs, ours in shared_out(page).values())
    )
    page.close()


# On the page


def figures(screen: Screen, **letters: str) -> dict[str, str]:
    """Figures of several devices that the package gives for what the controls say."""
    state = screen.state(MACHINE)
    found = {}
    for asked in (*scripts.ON_DEVICES, *PICKED):
        own = dict(letters) | ({"B": state["B"]} if "B" not in letters else {})
        vector = {"asked": asked, **state, "own": None, "letters": own, "B": own["B"]}
        answer = expected(vector)
        if not isinstance(answer, str):
            unit = LETTERS[_quantity(asked, state["model"])].unit
            found[asked] = humanize(answer[0], unit, 4)
    return found


def _quantity(asked: str, model: str) -> Any:
    from calculating import formula_of

    return formula_of(asked, model).quantity


def put(screen: Screen, place: str = MACHINE, **values: str) -> None:
    """Types numbers and chooses from lists."""
    for name, value in values.items():
        number = screen.page.locator(f"{place} [data-number={name}]")
        if number.count():
            number.fill(value)
        elif screen.page.locator(f"{place} select[data-control={name}]").count():
            screen.page.select_option(f"{place} [data-control={name}]", value)
        else:
            screen.page.locator(f"{place} [data-control={name}]").fill(value)


def test_several_devices_on_the_page(screen: Screen) -> None:
    """Every figure of 16 devices, two groups of eight in a pipeline, is the package's; for one device none is shown."""
    assert "footprint_per_device" not in screen.results(MACHINE)
    put(screen, model="llama-2-70b", hardware="h100-sxm", B="30", devices="16", tensor="4", pipeline="2")
    shown, letters = screen.results(MACHINE), {"n_tensor": "4", "n_stages": "2", "n_micro": "1", "B": "15"}
    meant = figures(screen, **letters)
    assert len(meant) >= 10
    same = {name: (shown[name], one) for name, one in meant.items() if name in shown and shown[name] != one}
    assert not same
    assert {
        "footprint_per_device",
        "sequences_on_devices",
        "all_reduce_time",
        "separate_tensor_parallel_latency",
    } <= shown.keys()
    step, hop = (expected_of(screen, name, **letters) for name in ("separate_tensor_parallel_latency", "hop_time"))
    stages = {"T_stage": str(step / 2), "T_hop": str(hop), **letters}
    assert shown["pipeline_time"] == figures(screen, **stages)["pipeline_time"]
    assert "16 devices" in screen.page.inner_text(f"{MACHINE} .results")
    assert screen.page.inner_text(f"{MACHINE} .said").startswith(f"On 16 devices a step takes {humanize(step, SECOND)}")
    put(screen, tensor="1", pipeline="1", devices="1")
    assert "footprint_per_device" not in screen.results(MACHINE)


def expected_of(screen: Screen, asked: str, **letters: str) -> Fraction:
    """The exact value of the package for what the controls say."""
    state = screen.state(MACHINE)
    answer = expected({"asked": asked, **state, "own": None, "letters": letters, "B": letters["B"]})
    return Fraction(answer[0])


def test_a_link_of_another_machine(screen: Screen) -> None:
    """Messages take the link that is chosen, also where a machine has none of its own."""
    put(screen, model="llama-2-70b", hardware="m2-ultra", devices="8", tensor="8")
    assert screen.results(MACHINE)["all_reduce_time"].startswith("no source states the link of m2-ultra")
    put(screen, link="h100-sxm")
    assert screen.results(MACHINE)["all_reduce_time"] == figures(screen, n_tensor="8")["all_reduce_time"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"tensor": "3"}, "can be divided evenly among 1, 2, 4, 8, 16, 32 or 64 devices (tensor), not among 3."),
        ({"pipeline": "81"}, "The 80 blocks of Llama 2 70B are too few for 81 stages (pipeline)."),
        (
            {"tensor": "8", "devices": "12"},
            "Devices must be a multiple of tensor times pipeline, here 8, but 12 was given.",
        ),
        ({"devices": "0"}, "Devices must be at least 1."),
        ({"devices": "1.5"}, "Devices must be a whole number."),
        ({"tensor": "9999"}, "must be at most 256."),
    ],
)
def test_what_no_devices_can_do(screen: Screen, typed: Vector, said: str) -> None:
    """An impossible split gets one sentence in place of results, with what is wrong and what is accepted."""
    put(screen, model="llama-2-70b")
    put(screen, **typed)
    assert said in screen.page.inner_text(f"{MACHINE} .said")


def test_devices_follow_those_that_share(screen: Screen) -> None:
    """More that share than there are: there are as many."""
    put(screen, model="llama-2-70b", tensor="8")
    assert screen.state(MACHINE)["devices"] == "8"
    put(screen, pipeline="4")
    assert screen.state(MACHINE)["devices"] == "32"
    put(screen, tensor="2")
    assert screen.state(MACHINE)["devices"] == "32"
    assert (
        screen.results(MACHINE)["separate_tensor_parallel_latency"]
        == figures(screen, n_tensor="2", B="1")["separate_tensor_parallel_latency"]
    )


def test_who_can_share_is_as_the_package_has_it(large: Screen) -> None:
    """For every model, numbers up to a hundred."""
    large.open()
    asked = "(model, tensor, pipeline) => window.Sharing.impossible({model, devices: '', tensor, pipeline}) === ''"
    pairs = [(model, t, p) for model in MODELS for t, p in ((1, 3), (3, 1), (6, 1), (8, 2), (40, 1), (100, 4), (1, 61))]
    script = f"pairs => pairs.map(([model, t, p]) => ({asked})(model, `${{t}}`, `${{p}}`))"
    found = large.page.evaluate(script, [list(pair) for pair in pairs])
    assert found == [possible(*pair) for pair in pairs]
    assert set(found) == {True, False}


@functools.cache
def possible(model: str, tensor: int, pipeline: int) -> bool:
    """Whether the package accepts such a split."""
    try:
        device_splits.split(presets.model(model), None, tensor, pipeline)
    except InvalidValue:
        return False
    return True


def test_the_plan_on_the_page(screen: Screen) -> None:
    """The five best devices, and the rest once it is opened; each opens, and its numbers are formulas."""
    seventy = {"model": "llama-2-70b", "prompt": "3000", "output": "1000", "price": "2"}
    put(screen, PLAN, **seventy, dtype="fp8", weights="fp8", cache="fp8", most="1", tpot="25")
    plan = Plan(**{**seventy, "price": "2 $/h"}, tpot="25 ms", devices=1, dtype="fp8")
    listed = f"""[...document.querySelectorAll('{PLAN} .answers > .results > details')].map(row => row.innerText)"""
    *rows, rest, last = screen.page.evaluate(listed)
    assert len(rows) == 5
    assert rest == f"More that meet these targets{len(plan.choices) - 5}"
    screen.page.locator(f"{PLAN} summary:has([data-result=rest])").press("Enter")
    rest = f"{PLAN} details:has(> summary [data-result=rest]) > .opened > .results > details"
    screen.page.wait_for_selector(rest)
    rows += screen.page.evaluate(listed.replace(f"{PLAN} .answers > .results > details", rest))
    assert len(rows) == len(plan.choices)
    for row, one in zip(rows, plan.choices, strict=True):
        assert presets.hardware(one.hardware).title in row
        binds = f"{one.limit} binds by {one.by}" if one.by else f"{one.limit} binds"
        assert f"{binds} at batch {int(one['batch']):,}: {one.figures['time per token']} a token" in row  # type: ignore[index]
        assert str(one.figures["cost"]) in row  # type: ignore[index]
    assert {one.by for one in plan.choices} == {"reading"}
    assert last.startswith("Devices that cannot meet these targets")
    first = plan.choices[0]
    screen.page.locator(f"{PLAN} summary").first.press("Enter")
    step = f"{PLAN} details:has(> summary [data-result='{first.hardware}.step'])"
    screen.page.locator(f"{step} > summary").click()
    screen.page.wait_for_selector(f"{step} .opened a")
    assert "formulas/separate_latency.html" in str(screen.page.locator(f"{step} .opened a").last.get_attribute("href"))
    assert f"{first['batch']}" in screen.page.inner_text(f"{step} .opened")
    screen.page.locator(f"{PLAN} [data-control=tpot]").fill("24.9")
    assert screen.page.locator(f"{step} .opened a").count(), "what was opened stays open"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"tpot": "0"}, "Longest time per token must be at least 0.000001."),
        ({"prompt": ""}, "Prompt must be a whole number."),
        ({"most": "65"}, "must be at most 64."),
        ({"price": "-1"}, "Price of a device must be at least"),
    ],
)
def test_what_no_plan_can_be_asked(screen: Screen, typed: Vector, said: str) -> None:
    before = screen.results(PLAN)
    put(screen, PLAN, **typed)
    assert said in screen.page.inner_text(f"{PLAN} .said")
    assert screen.results(PLAN) == before


def test_nobody_serves(screen: Screen) -> None:
    """A sentence says so, and the devices say why."""
    put(screen, PLAN, tpot="0.001")
    assert screen.page.inner_text(f"{PLAN} .said") == f"None of {len(DEVICES)} kinds of devices meets these targets."


def test_both_follow_one_address(screen: Screen) -> None:
    """A control moved in one calculator moves in the other that has it too, and the address holds both states."""
    put(screen, PLAN, model="qwen3-8b", tpot="20")
    assert screen.state(MACHINE)["model"] == "qwen3-8b"
    assert not screen.differing(MACHINE)
    put(screen, MACHINE, prompt="777", N="555")
    assert screen.state(PLAN)["prompt"] == "777"
    hash = screen.page.evaluate("location.hash")
    states = screen.state(MACHINE), screen.state(PLAN)
    screen.open(hash)
    assert (screen.state(MACHINE), screen.state(PLAN)) == states
    assert states[1]["tpot"] == "20"


# In chapters


@pytest.fixture(scope="module")
def chapters(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """The calculators of chunks and of sharing on one page."""
    page = browser.new_page()
    yield Screen(page, page_with(tmp_path_factory.mktemp("small"), catalogue_script(), "chunk", "share"))
    page.close()


def of_example(asked: str, model: str, hardware: str, N: str, B: str, **letters: str) -> Fraction:
    """The exact value for the example of a chapter."""
    formats = {"dtype": "fp16", "weights": "fp16", "cache": "fp16"}
    return Fraction(
        expected({"asked": asked, "model": model, "hardware": hardware, **formats, "N": N, "B": B, "letters": letters})[
            0
        ]
    )


def test_a_prompt_in_slices(chapters: Screen) -> None:
    """The step with a chunk, what is free, and all steps added up, also where the last chunk is shorter."""
    chapters.open()
    put(chapters, "[data-calculator=chunk]", B="32", N="500", prompt="2000", chunk="300")
    step = functools.partial(of_example, "mixed_step_time", "llama-2-7b", "a100-80gb-pcie", "500", "32")
    shown = chapters.results("[data-calculator=chunk]")
    last = step(n_chunk="300", N_prompt="2000")
    assert shown["mixed_step_time"] == humanize(last, SECOND)
    whole = sum(step(n_chunk="300", N_prompt=str(300 * k)) for k in range(1, 7)) + step(n_chunk="200", N_prompt="2000")
    assert shown["slices"] == humanize(whole, SECOND)
    price = of_example("chunk_price", "llama-2-7b", "a100-80gb-pcie", "500", "32", n_chunk="300", N_prompt="2000")
    assert shown["chunk_price"] == humanize(price, SECOND)
    assert "longer than what is free" in chapters.page.inner_text("[data-calculator=chunk] .said")
    put(chapters, "[data-calculator=chunk]", chunk="2001")
    assert "A chunk must be at most as long as its prompt, here 2000 tokens" in chapters.page.inner_text(
        "[data-calculator=chunk] .said"
    )
    assert chapters.results("[data-calculator=chunk]") == shown
    put(chapters, "[data-calculator=chunk]", chunk="1")
    assert "are not added up" in chapters.results("[data-calculator=chunk]")["slices"]
    assert not chapters.wrong


def test_every_layer_shared(chapters: Screen) -> None:
    """A token on so many, on one, and the fastest number; tokens of each device where it is filled."""
    chapters.open()
    place = "[data-calculator=share]"
    ask = functools.partial(of_example, model="llama-2-70b", hardware="a100-80gb-sxm", N="4096")
    step = {n: ask("separate_tensor_parallel_latency", B="1", n_tensor=str(n)) for n in (1, 2, 4, 8, 16, 32, 64)}
    shown = chapters.results(place)
    assert shown["separate_tensor_parallel_latency"] == humanize(step[8], SECOND)
    assert shown["separate_latency"] == humanize(step[1], SECOND)
    best = min(step, key=lambda n: step[n])
    assert f"the fastest number is {best}, with {humanize(step[best], SECOND)}" in chapters.page.inner_text(
        f"{place} .said"
    )
    fits = ask("sequences_on_devices", B="1", n_tensor="8", n_stages="1")
    filled = fits / ask("separate_tensor_parallel_latency", B=str(fits), n_tensor="8") / 8
    assert shown["filled"] == f"{humanize(filled, TOKEN / SECOND)}".replace("token/s", "tokens/s")
    put(chapters, place, model="qwen3-next-80b-a3b", tensor="8")
    said = chapters.page.inner_text(f"{place} .said")
    assert (
        humanize(ask("separate_tensor_parallel_latency", model="qwen3-next-80b-a3b", B="1", n_tensor="8"), SECOND)
        in said
    )
    assert not chapters.wrong
