"""Picture whose machine and model are chosen: its numbers are the catalogue's, and what does not fit stands still"""

from __future__ import annotations

import re
from typing import Any

import pytest

from symbolic_llm import explain
from symbolic_llm.errors import Underdetermined
from symbolic_llm.pages import machine_and_model
from symbolic_llm.pages.machine_and_model import FIRST, MACHINES, MODELS, SLOWER, WEIGHTS, Choice, choices, picture
from symbolic_llm.pages.pen import HtmlPen, Pen
from symbolic_llm.units import humanize

MOVING = "document.getAnimations().filter((one) => one.effect.target.closest('.choice'))"
RUNNING = f"{MOVING}.length"
SHOWN = """() => [...document.querySelectorAll(".choice")].filter((one) => one.checkVisibility())
  .map(({ dataset: { machine, model, weights } }) => [machine, model, weights])"""
PACE = re.compile(r"--token:([\d.e-]+)s")
LASTING = f"{MOVING}.map((one) => one.effect.getComputedTiming().duration / 1000).sort((one, other) => one - other)"


def asked(formula: str, one: Choice, batch: bool = True) -> Any:
    """Answer of the catalogue itself, in figures as the page has them, and whether it is hypothetical."""
    given: Any = {"hardware": one.machine, "dtype": "fp16", "model": one.model, "weights": one.weights}
    try:
        found = explain(formula, **(given | {"B": 1} if batch else given))
    except Underdetermined:
        return asked(formula, one)
    return humanize(found.exact, found.unit, 3), any("hypothetical" in line.text for line in found.lines)


def parts(html: str) -> dict[tuple[str, ...], str]:
    """HTML of each choice."""
    found = re.split(r'<div class="choice" data-machine="(.*?)" data-model="(.*?)" data-weights="(.*?)"', html)
    return {tuple(found[place : place + 3]): found[place + 3] for place in range(1, len(found), 4)}


def text(html: str) -> str:
    """Words of a part, without its tags."""
    return re.sub(r"<[^>]*>", "", html.split("<p>")[1].split("</p>")[0])


def wrong(html: str) -> list[Choice]:
    """Choices of which the page says another thing than the catalogue, or shows another pace."""
    shown, found = parts(html), []
    for one in choices():
        part = shown[one.machine, one.model, one.weights]
        latency, hypothetical = asked("latency", one)
        if hypothetical:
            right = "Does not fit." in text(part) and not PACE.search(part) and "tokens/s" not in part
        else:
            times = asked("memory_time", one, batch=False)[0], asked("compute_time", one)[0]
            rate = asked("throughput", one)[0].replace("token/s", "tokens/s")
            right = all(f"takes {time}" in text(part) for time in times) and f"at most {rate}." in text(part)
            right &= f"every {latency}" in part
            right &= [float(pace) for pace in PACE.findall(part)] == [float(f"{float(one.latency) * SLOWER:.4g}")]
        if not right:
            found.append(one)
    return found


def test_every_choice_says_what_the_catalogue_says() -> None:
    """Its times and its pace; and one that does not fit says so, and nothing of it moves."""
    html = picture(HtmlPen(""))
    assert len(parts(html)) == len(choices()) == len(MACHINES) * len(MODELS) * len(WEIGHTS)
    assert wrong(html) == []
    assert {one.fits for one in choices()} == {True, False}
    assert next(iter(parts(html))) == FIRST


def test_another_bandwidth_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: a formula that is asked in the place of another, and weights that fit whatever they take."""
    with monkeypatch.context() as patched:
        patched.setattr(machine_and_model.Choice, "latency", property(lambda one: 2 * one.memory_time))
        assert set(wrong(picture(HtmlPen("")))) == {one for one in choices() if one.fits}
    refused = {one for one in choices() if not one.fits}
    with monkeypatch.context() as patched:
        patched.setattr(machine_and_model.Choice, "fits", True)
        assert set(wrong(picture(HtmlPen("")))) == refused


def test_what_does_not_fit_has_advice() -> None:
    """A format that would fit, or several devices."""
    for one in choices():
        said = text(parts(picture(HtmlPen("")))[one.machine, one.model, one.weights])
        if not one.fits:
            smaller = Choice(one.machine, one.model, "q4_0")
            assert ("would fit" in said) == smaller.fits
            assert ("Several devices" in said) == (not smaller.fits)


def test_a_twin_has_every_choice_as_a_row() -> None:
    """Without HTML."""
    plain = picture(Pen(""))
    rows = [line for line in plain.splitlines() if line.startswith("| ")]
    assert len(rows) == len(choices()) + 2
    assert sum("does not fit" in row for row in rows) == sum(not one.fits for one in choices())
    assert "<" not in plain


@pytest.mark.xdist_group("site")
def test_buttons_choose_what_is_shown(browser: Any, address: str) -> None:
    """By key, without JavaScript of the page; what is hidden does not move, nor anything that is paused or still."""
    page = browser.new_context(java_script_enabled=False, reduced_motion="no-preference").new_page()
    page.goto(f"{address}/index.html")
    assert page.evaluate(SHOWN) == [list(FIRST)]
    assert page.evaluate(RUNNING) == 3, "those of the one that is shown"
    for name in MACHINES:
        page.check(f'[value="{name}"]')
        assert page.evaluate(SHOWN) == [[name, *FIRST[1:]]]
    page.focus('[value="fp16"]')
    page.keyboard.press("Space")
    page.focus(f'[value="{list(MODELS)[-2]}"]')
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    last = [list(MACHINES)[-1], list(MODELS)[-1], "fp16"]
    assert page.evaluate(SHOWN) == [last]
    assert not Choice(*last).fits
    assert page.evaluate(RUNNING) == 0
    page.check(f'[value="{FIRST[1]}"]')
    token = float(Choice(last[0], FIRST[1], last[2]).latency) * SLOWER
    assert page.evaluate(LASTING)[-2:] == pytest.approx(sorted([token, 20 * token, 0.35])[-2:], rel=0.01)
    paused = f"{MOVING}.filter((one) => one.playState === 'paused').length"
    assert page.evaluate(paused) == 0
    page.check("#machine-and-model .pause input")
    assert page.evaluate(paused) == page.evaluate(RUNNING) == 3
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(RUNNING) == 0
    page.emulate_media(media="print", reduced_motion="no-preference")
    assert page.evaluate(RUNNING) == 0
    page.context.close()
