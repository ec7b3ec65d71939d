"""Picture of a machine that decodes, for a machine, a model and a format that the reader chooses

Every choice is drawn when the site is built, at a pace that the formulas give. Style sheets show the one that is
chosen, so the page needs no JavaScript.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from html import escape
from itertools import product
from typing import Any

from ..errors import Underdetermined
from ..presets import hardware, model
from ..quantity import Quantity, evaluated, of_preset
from .figures import FOUR, INK, ONE, PAPER, QUIET, TWO, inline
from .pen import Pen
from .sketch import PAUSE, During, Sketch

MACHINES = {"m2": "laptop", "a100-80gb-pcie": "data centre", "h100-sxm": "data centre"}
MODELS = {
    "llama-2-7b": "",
    "qwen3-30b-a3b": "mixture of experts",
    "qwen3-32b": "grouped queries",
    "llama-3.3-70b": "grouped queries",
}
WEIGHTS = {"fp16": "sixteen bits", "q4_0": "about four bits"}
FIRST = ("m2", "llama-2-7b", "q4_0")
SLOWER = 40
_SIZE = (331.0, 152.0)
_LEFT, _TOP, _HIGH = 6.0, 17.0, 28.0  # of the bar of memory, whose length has one scale for all choices
_PIPE, _CHIP = 44.0, (98.0, 34.0)  # width of the widest pipe and of the chip; top and height of the chip
_ROW, _TOKEN, _TOKENS = (64.0, 108.0), (10.0, 3.0), 20  # where tokens stand, size of one and the gap, and how many
_FLOWS = 0.35  # seconds for one piece of a flow, in every picture: the width alone says how much flows


@dataclass(frozen=True)
class Choice:
    """A machine, a model and a format of its weights, with what the formulas say of one sequence.

    Attributes:
        machine: a preset of hardware.
        model: a preset of a model.
        weights: a number format.
    """

    machine: str
    model: str
    weights: str

    def _asked(self, formula: str, **more: Any) -> Quantity:
        return evaluated(formula, model=self.model, weights=self.weights, **more)

    def _of_one(self, formula: str, **more: Any) -> Quantity:
        """Value of a formula of what is read, which needs the batch only where experts are picked for it."""
        try:
            return self._asked(formula, **more)
        except Underdetermined:
            return self._asked(formula, B=1, **more)

    @property
    def _machine(self) -> dict[str, str]:
        return {"hardware": self.machine, "dtype": "fp16"}

    @cached_property
    def memory(self) -> Quantity:
        """Bytes that the machine holds."""
        return of_preset("M", hardware=self.machine)

    @cached_property
    def bandwidth(self) -> Quantity:
        """Bytes a second from memory to arithmetic."""
        return of_preset("W", hardware=self.machine)

    @cached_property
    def held(self) -> Quantity:
        """Bytes of all weights."""
        return self._asked("weight_bytes")

    @cached_property
    def read(self) -> Quantity:
        """Bytes of the weights that are read for a token."""
        return self._of_one("weight_bytes_read")

    @cached_property
    def memory_time(self) -> Quantity:
        """Time in which these bytes are read."""
        return self._of_one("memory_time", **self._machine)

    @cached_property
    def compute_time(self) -> Quantity:
        """Time that the arithmetic of a token takes."""
        return self._asked("compute_time", B=1, **self._machine)

    @cached_property
    def latency(self) -> Quantity:
        """Time of a token: the longer of the two."""
        return self._asked("latency", B=1, **self._machine)

    @cached_property
    def throughput(self) -> Quantity:
        """Tokens a second."""
        return self._asked("throughput", B=1, **self._machine)

    @property
    def fits(self) -> bool:
        """Whether the weights fit into the machine's memory."""
        return not self.held > self.memory

    @property
    def busy(self) -> float:
        """Share of a token's time in which the arithmetic works."""
        return float(self.compute_time / self.latency)


@cache
def choices() -> tuple[Choice, ...]:
    """Every choice, the one that is shown first included."""
    return tuple(Choice(*one) for one in product(MACHINES, MODELS, WEIGHTS))


def picture(pen: Pen) -> str:
    """The picture with its buttons, and all choices as a table; a twin has the table alone."""
    made = pen.only_site(_figure(pen))
    head = ("Machine", "Model", "Weights", "memory", "weights", "read for a token", "takes", "arithmetic", "tokens/s")
    table = pen.table(head, map(_row, choices()), "data")
    caption = pen.paragraph(_caption()) if not made else ""
    return made + caption + pen.fold("All choices as numbers", table, "data")


def _caption() -> str:
    return (
        "For each token the machine reads the weights from its memory and computes with them. The pipe is as wide as "
        f"the bandwidth; lengths in memory have one scale. The picture runs {SLOWER} times slower than the machine."
    )


def _row(one: Choice) -> tuple[str, ...]:
    named = hardware(one.machine).title, model(one.model).title, one.weights
    held = *named, str(one.memory), str(one.held)
    if not one.fits:
        return *held, "does not fit", "", "", ""
    return *held, str(one.read), str(one.latency), f"busy {one.busy:.1%}", one.throughput.bare()


def _figure(pen: Pen) -> str:
    asked = {
        "machine": ("Machine", {name: _named(hardware(name).title, kind) for name, kind in MACHINES.items()}),
        "model": ("Model", {name: _named(model(name).title, kind) for name, kind in MODELS.items()}),
        "weights": ("Weights", {name: _named(kind, name) for name, kind in WEIGHTS.items()}),
    }
    buttons = "".join(
        f'<fieldset class="filter"><legend>{legend}</legend>{"".join(_button(what, *one) for one in offered.items())}'
        "</fieldset>"
        for what, (legend, offered) in asked.items()
    )
    # each rule ends in what it hides, so that only the pictures are tried
    rules = "".join(
        f'figure:has([name="{what}"][value="{name}"]:checked) .choice:not([data-{what}="{name}"]){{display:none}}'
        for what, (_, offered) in asked.items()
        for name in offered
    )
    drawn = {one: _drawn(one) for one in choices()}
    moving = next(sketch.style() for one, sketch in drawn.items() if one.fits)  # alike but for the length of a step
    first = sorted(choices(), key=lambda one: (one.machine, one.model, one.weights) != FIRST)
    shown = "".join(_shown(pen, one, drawn[one]) for one in first)
    return (
        f'<figure class="chosen" id="machine-and-model"><style>{rules}</style>{moving}{buttons}'
        f'<div data-search-exclude aria-live="polite">{shown}</div>'
        f"{PAUSE}<figcaption>{_caption()}</figcaption></figure>"
    )


def _named(title: str, kind: str) -> str:
    return f"{title} ({kind})" if kind else title


def _button(what: str, name: str, said: str) -> str:
    checked = " checked" if name in FIRST else ""
    return f'<label><input type="radio" name="{what}" value="{name}"{checked}> {escape(said)}</label>'


def _shown(pen: Pen, one: Choice, sketch: Sketch) -> str:
    data = f'data-machine="{one.machine}" data-model="{one.model}" data-weights="{one.weights}"'
    pace = f' style="--token:{float(one.latency) * SLOWER:.4g}s"' if one.fits else ""
    svg = inline(sketch.svg(moving=False), "choice", _alt(one))
    return f'<div class="choice" {data}{pace}>{svg}<p>{_said(pen, one)}</p></div>'


def _said(pen: Pen, one: Choice) -> str:
    held, memory = _number(pen, one.held), _number(pen, one.memory)
    if not one.fits:
        refused = f"The weights take {held}, and the machine has {memory} of memory."
        return f"{pen.emphasis('Does not fit.')} {refused} {_instead(pen, one)}"
    return (
        f"Reading {one.read} at {_number(pen, one.bandwidth)} takes {one.memory_time}; the arithmetic takes "
        f"{_number(pen, one.compute_time)} of that time. So it writes at most "
        f"{pen.emphasis(_number(pen, one.throughput))}."
    )


def _number(pen: Pen, quantity: Quantity) -> str:
    return pen.value(str(quantity), quantity.source)


def _instead(pen: Pen, one: Choice) -> str:
    """Advice to whoever chose what does not fit: a format in which it would, or several devices."""
    formats = [weights for weights in WEIGHTS if replace(one, weights=weights).fits]
    if formats:
        return f"In {WEIGHTS[formats[0]]} it would fit."
    return pen.link("book/more-than-one-device", "Several devices") + " could share them."


def _drawn(one: Choice) -> Sketch:
    sketch = Sketch("choice", _SIZE, steps=_TOKENS, seconds="var(--token)")
    _memory(sketch, one)
    if one.fits:
        _running(sketch, one)
    _chip(sketch, one)
    return sketch


def _scale() -> float:
    """Points for a byte."""
    return (_SIZE[0] - 2 * _LEFT) / max(float(size) for one in choices() for size in (one.held, one.memory))


def _memory(sketch: Sketch, one: Choice) -> None:
    wide, held = _scale() * float(one.memory), _scale() * float(one.held)
    colour = ONE if one.fits else TWO
    sketch.words((_LEFT, _TOP - 6), f"memory: {one.memory}, weights: {one.held}", anchor="start")
    sketch.boxes([(_LEFT, _TOP)], (wide, _HIGH), QUIET, share=0.12)
    sketch.boxes([(_LEFT, _TOP)], (held, _HIGH), colour, share=0.35)
    if one.fits:
        read = During(0, every=1, grown=1, still=False)
        sketch.boxes([(_LEFT, _TOP)], (_scale() * float(one.read), _HIGH), colour, during=read)
    sketch.boxes([(_LEFT, _TOP)], (wide, _HIGH), "none", edge=INK)


def _running(sketch: Sketch, one: Choice) -> None:
    flowing, fastest = float(one.read / one.latency), max(float(other.bandwidth) for other in choices())
    middle, (x, y), (wide, gap) = _LEFT + _PIPE / 2, _ROW, _TOKEN
    begins, ends = (middle, _TOP + _HIGH + 3), (middle, _CHIP[0] - 2)
    sketch.flow(begins, ends, colour=ONE, width=_PIPE * flowing / fastest, seconds=_FLOWS)
    sketch.words((x, _TOP + _HIGH + 29), f"{one.read} for each token", ONE, anchor="start")
    sketch.line((_LEFT + _PIPE + 3, y + wide / 2), (x - 3, y + wide / 2), colour=FOUR, width=1.2, arrow=True)
    row, covers = _TOKENS * (wide + gap), During(0, uncovers=_TOKENS, still=False)
    sketch.line((x, y + wide / 2), (x + row, y + wide / 2), colour=FOUR, width=wide + 2, dashes=_TOKEN)
    sketch.boxes([(x - gap / 2, y - 2)], (row, wide + 4), PAPER, during=covers)
    sketch.words((x, y - 6), f"a token every {one.latency}", FOUR, anchor="start")


def _chip(sketch: Sketch, one: Choice) -> None:
    top, high = _CHIP
    if one.fits:
        full = high * one.busy
        sketch.boxes([(_LEFT, top + high - full)], (_PIPE, full), TWO)
        sketch.words((_LEFT, top + high + 14), f"arithmetic, busy {one.busy:.1%} of the time", TWO, anchor="start")
    else:
        sketch.words((_ROW[0], _TOP + _HIGH + 29), "the weights do not fit", TWO, anchor="start")
        sketch.words((_LEFT, top + high + 14), "arithmetic, with nothing to do", QUIET, anchor="start")
    sketch.boxes([(_LEFT, top)], (_PIPE, high), "none", edge=INK)


def _alt(one: Choice) -> str:
    share = f"{float(one.held / one.memory):.0%}"
    if not one.fits:
        return f"A bar of memory that the weights would fill to {share}. Nothing flows, and no token is written."
    return (
        f"A bar of memory, filled to {share} by weights, which flow through a pipe to the arithmetic, busy "
        f"{one.busy:.1%} of the time. Tokens come out in a row."
    )
