"""A model as a notebook shows it"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..notation import LETTERS, named

if TYPE_CHECKING:
    from .model import Model


def html(model: Model) -> str:
    """HTML of a model: title, shapes, and the parts with the formulas that count them."""
    from ..expressions.html import code, math, paragraph, table, words  # only a notebook needs it

    symbols = [(named(name), value) for name, value in model.letters.items()]
    shapes = [(math(symbol), f"{value:,}", words(LETTERS[symbol].meaning)) for symbol, value in symbols]
    parts = [
        (words(part.kind), code(part.formula.name), *(f"{n:,}" for n in (part.each, part.stored, part.multiplied)))
        for part in model.parts
    ]
    title = f"<strong>{words(model.title)}</strong>, {model.parameters:,} parameters"
    head = ("part", "counted by", "weights", "copies stored", "copies multiplied")
    return paragraph(title, model.kind) + table((), shapes) + table(head, parts)
