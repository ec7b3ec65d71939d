"""Calculators in a browser, and what the package says to the same questions"""

from __future__ import annotations

import functools
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from symbolic_llm import presets
from symbolic_llm.answers.explanation import explain_formula
from symbolic_llm.answers.resolution import reach
from symbolic_llm.api import formula_of
from symbolic_llm.errors import ConditionViolated, NoSolution, Underdetermined
from symbolic_llm.formula import Formula
from symbolic_llm.models.formula_table import mismatch
from symbolic_llm.notation import LETTERS, B, N, named
from symbolic_llm.pages import scripts
from symbolic_llm.pages.calculator_data import placed, to_json
from symbolic_llm.pages.embeds import Embeds, Known
from symbolic_llm.pages.pen import HtmlPen
from symbolic_llm.presets import Presets
from symbolic_llm.presets.parse_value import read_value
from symbolic_llm.units import humanize

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
_SHARED = {"m_device", "P_device", "P_held"}  # picked by each model, and asked of several devices
ASKED = (*scripts.ASKED, *(symbol.name for symbol in scripts.PICKED if symbol.name not in _SHARED))
UNITS = {"M": "GB", "W": "GB/s", "F": "TFLOP/s"}
LINK = ("W_link", "T_link")
Vector = dict[str, Any]

# Asks each vector; says the exact value and how it is shown, or the sentence why there is none.
ANSWERS = """vectors => vectors.map(({asked, model, hardware, dtype, weights, cache, own, link, letters, B, N}) => {
  const read = window.Exact.read;
  const typed = own && Object.fromEntries(Object.entries(own).map(([letter, text]) => [letter, read(text)]));
  const more = Object.fromEntries(Object.entries(letters || {}).map(([letter, text]) => [letter, read(text)]));
  const found = window.Evaluate.attempt(
    asked, {model, hardware, dtype, weights, cache, own: typed, link}, {B: read(B), N: read(N), ...more});
  if (found.refusal) return found.refusal.message;
  const unit = window.catalogue.letters[found.formula.quantity].unit;
  return [window.Exact.shown(found.value), window.Exact.humanize(found.value, unit, 5)];
})"""


@functools.cache
def catalogue_script() -> str:
    """The script printed from the catalogue, made once."""
    return scripts.catalogue_script()


def in_script(expression: Any) -> str:
    """The tree of an expression as it stands in the script."""
    return to_json(placed(expression))


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


BUILT = "!document.querySelector('[data-calculator]:not(:has(form))')"


def page_with_fault(browser: Any, folder: Path, file: str, right: str, wrong: str) -> Any:
    """A page of calculators with one thing in a script exchanged."""
    where = page_with(folder, catalogue_script(), "machine")
    planted = folder / "assets" / "calculator" / f"{file}.js"
    code = planted.read_text(encoding="utf-8")
    assert right in code
    planted.write_text(code.replace(right, wrong), encoding="utf-8")
    page = browser.new_page()
    page.goto(where.as_uri())
    page.wait_for_function(BUILT)
    return page


class Screen:
    """A page with calculators, what it shows, and whatever it complains of."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page, self.file, self.wrong = page, file, list[str]()
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("requestfailed", lambda request: self.wrong.append(request.url))

    def open(self, hash: str = "") -> None:
        """Anew, from the file."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.file.as_uri()}{hash}")
        self.page.wait_for_function(BUILT)

    def state(self, place: str = "") -> Vector:
        """Values of all controls; a setting without a control is as the calculator takes it."""
        said: Vector = self.page.evaluate(
            "place => Object.fromEntries([...document.querySelectorAll(`${place} [data-control]`)].map(control => "
            "[control.dataset.control, (document.getElementById(`${control.id}-number`) || control).value]))",
            place,
        )
        return {"dtype": "fp16", "weights": "fp16", "cache": "fp16"} | said

    def results(self, place: str = "") -> dict[str, str]:
        """Text that every output shows, by its name."""
        found: dict[str, str] = self.page.evaluate(
            "place => Object.fromEntries([...document.querySelectorAll(`${place} [data-result]`)].map(output => "
            "[output.dataset.result, output.textContent]))",
            place,
        )
        return found

    def differing(self, place: str = "", **more: Any) -> list[Any]:
        """The results of formulas that are not what the package says for what the controls say."""
        state, found = self.state(place) | more, []
        for asked, shown in self.results(place).items():
            if asked in ASKED and not agrees(shown, told(asked, state)):
                found.append((asked, state, shown))
        return found

    @property
    def said(self) -> str:
        """The sentence above the drawings."""
        return str(self.page.inner_text(".said"))


def told(asked: str, state: Vector) -> str:
    """The package's answer for the state of a calculator, as a page shows it."""
    own = {letter: f"{state[letter]} {unit}" for letter, unit in UNITS.items() if state.get(letter)}
    vector = {"asked": asked, **state, "own": own if state["hardware"] == "own" else None}
    if asked == "separate_prefill_time":
        vector |= {"N": state["prompt"], "B": "1"}
    meant = expected(vector)
    if isinstance(meant, str):
        return meant
    unit = LETTERS[asked_formula(asked, state["model"]).quantity].unit
    return humanize(meant[0], unit, 4).replace(" token/sequence", " tokens").replace(" token/s", " tokens/s")


def agrees(shown: str, meant: str) -> bool:
    """A number as it is, of a refusal the part that says what it means."""
    return shown == meant or (meant.endswith(".") and len(shown) > 20 and shown.rstrip(".") in meant)


def asked_formula(asked: str, model: str) -> Formula:
    """The formula that is meant: by its name, or what the model picks for a letter."""
    if asked not in {symbol.name for symbol in (*scripts.PICKED, *scripts.MIXED)}:
        return formula_of(asked)
    return presets.model(model).picked(named(asked)) or formula_of(scripts.PICKED[named(asked)])


_ANSWERS: dict[str, Any] = {}


def expected(vector: Vector) -> Any:
    """The package's answer to a vector, computed once."""
    key = repr(vector)
    if key not in _ANSWERS:
        _ANSWERS[key] = computed(vector)
    return _ANSWERS[key]


def computed(vector: Vector) -> Any:
    """The package's answer to a vector: the exact value and the text shown, or the sentence why there is none."""
    model = vector["model"]
    formula = asked_formula(vector["asked"], model)
    own = vector.get("own")
    machine = presets.of_letters(**own) if own is not None else vector["hardware"]
    chosen = Presets(model, machine, vector["dtype"], vector["weights"], vector["cache"])
    known = presets.model(model)
    refused = mismatch(formula, model, known.traits, known.picked)
    letters = () if refused else reach(formula, known.formulas_for(formula))
    given = {s.name: Fraction(vector[s.name]) for s in (B, N) if s in letters}
    more = {name: value for name, value in vector.get("letters", {}).items() if named(name) != formula.quantity}
    if vector.get("link"):
        linked = Presets(hardware=vector["link"]).letters[0]
        given |= {name: linked[name].figure.value for name in LINK if named(name) in letters}
    given |= {name: value for name, value in more.items() if named(name) in letters}
    try:
        found = explain_formula(formula, given, chosen)
    except (ConditionViolated, NoSolution, Underdetermined) as reason:
        return re.sub(r" by name, as in .*(?=\.$)", "", str(reason))  # on a page nobody gives letters by name
    return [found.exact, found.result]


def asked_of(vector: Vector) -> Vector:
    """A vector as JavaScript takes it: what was typed, as plain numbers."""
    own = vector.get("own") or {}
    typed = {letter: str(read_value(LETTERS[named(letter)], value)) for letter, value in own.items()}
    return {**vector, "own": typed}


def differing(page: Any, asked: list[Vector]) -> list[Any]:
    """The vectors for which the two do not say the same."""
    answers = page.evaluate(ANSWERS, [asked_of(vector) for vector in asked])
    digits, found = sys.get_int_max_str_digits(), []
    sys.set_int_max_str_digits(10**5)  # shares of many experts are fractions of some thousands
    try:
        for vector, answer in zip(asked, answers, strict=True):
            meant = expected(vector)
            same = answer == meant
            if not isinstance(answer, str) and not isinstance(meant, str):
                same = close(Fraction(answer[0]), meant[0], vector) and answer[1] == meant[1]
            if not same:
                found.append((vector, answer, meant))
    finally:
        sys.set_int_max_str_digits(digits)
    return found


def close(one: Fraction, other: Fraction, vector: Vector) -> bool:
    """Equal; where a power is too large to be carried out, both are rounded, far below what a float can tell."""
    if one == other:
        return True
    tokens = int(vector["B"]) * (int(vector["N"]) if "prefill" in vector["asked"] else 1)
    return tokens > 1024 and abs(one - other) <= abs(other) * Fraction(1, 10**30)
