"""`list` and `show`"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from typing import Any

from .. import presets
from ..api import formula_of
from ..architecture import models_with
from ..catalogue import catalogue
from ..errors import unknown_name
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS, called
from ..reports.data import formula_data, found_data, letter_data, operand
from ..search import find, meant
from .parsing import Output, typed


def list_all(options: argparse.Namespace) -> Output:
    """The formulas by chapter, all of them or those that are found by some words."""
    wanted = frozenset(find(" ".join(options.words), len(catalogue())) if options.words else catalogue())
    lines: list[str] = []
    data = []
    for chapter in catalogue().chapters():
        listed = [formula for formula in chapter.formulas if formula in wanted]
        if not listed:
            continue
        lines += ["", chapter.title] if lines else [chapter.title]
        width = max(len(formula.name) for formula in listed)
        for formula in listed:
            lines.append(f"  {formula.name:<{width}}  {formula.title}")
            data.append(found_data(formula))
    return 0, "\n".join(lines), data


def find_words(options: argparse.Namespace) -> Output:
    """The formulas that some words mean, the likeliest first."""
    found = find(" ".join(options.words))
    said = f"{found}\n\nsymbolic-llm show NAME shows one of them with its derivation."
    return 0, said, [found_data(one) for one in found]


def show(options: argparse.Namespace) -> Output:
    """Formula with its derivation, or letter with the formulas it stands in, as text and data."""
    if options.name.strip().replace("/", ".").rpartition(".")[2] in catalogue():
        return _show_formula(formula_of(options.name))
    if found := called(options.name.strip()):
        data = [letter_data(symbol, catalogue()) for symbol in found]
        return 0, "\n\n".join("\n".join(_letter_lines(one)) for one in data), {"letters": data}
    if (formula := meant(options.name)) is not None:
        return _show_formula(formula)
    letters = (name for letter in LETTERS.values() for name in (letter.name, *letter.aliases))
    raise unknown_name("formula or letter", options.name, [*catalogue().names, *letters])


def _letter_lines(letter: dict[str, Any]) -> Iterator[str]:
    kind = "a count" if letter["unit"] == "1" else letter["unit"]
    yield f"{letter['letter']}  {letter['meaning']} [{kind}{', whole number' if letter['whole'] else ''}]"
    for word, names in (
        ("also called", letter["aliases"]),
        ("instead of", [f"{one} in parts of some models" for one in letter["instead_of"]]),
        ("given by", [typed(preset) for preset in letter["presets"]]),
        ("defined by", letter["defined_by"]),
        ("used in", letter["used_by"]),
    ):
        if names:
            yield from textwrap.wrap(", ".join(names), 108, initial_indent=f"  {word:<12}", subsequent_indent=" " * 14)


def _show_formula(formula: Formula) -> Output:
    lines = [formula.described]
    if built := models_with(formula.traits):
        lines.append(f"for {built}")
    lines += ["", "Derivation"]
    for number, step in enumerate(formula.steps, 1):
        with_what = ", ".join(operand(what) for what in step.operands)
        lines.append(f"  {number}. {step.rule.value}{f' {with_what}' if with_what else ''}: {step.reason}")
        lines.append(f"     {text(step.result)}")
    lines += ["", f"uses: {', '.join(f.name for f in formula.uses) or 'no other formula'}"]
    lines.append(f"used by: {', '.join(f.name for f in catalogue().users(formula)) or 'no other formula'}")
    lines.append(f"witness: {formula.measured_by or f'none, {formula.unmeasured}'}")
    for key in formula.sources:
        source = presets.source(key)
        lines.append(f"source: {source.author}, {source.title} ({source.year}), {source.url}")
    return 0, "\n".join(lines), formula_data(formula)
