"""Formulas, letters and units as calculators take them: data

Nothing of a formula is typed: the tree that a script evaluates is the one that proofs are exported with, and which
formula computes a letter is asked of the same table that answers go by.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from ..algebra import Ge, Gt
from ..answers.bindings import bounds
from ..answers.gather import uncounted_for
from ..answers.resolution import below, gives, letters_of, rules, uncounted
from ..claims import Condition
from ..errors import CatalogueError
from ..expressions.printing import tex, text
from ..expressions.trees import NoTree, Tree, tree
from ..formula import Formula
from ..models import Model
from ..models.formula_table import mismatch
from ..notation import LETTERS, named
from ..units import ONE, PHYSICAL, SECOND, Unit, as_said
from .html import mathml

# in this order, so that what stands for a piece may have others in it
SHORT = {
    "~": '<mspace width="0.16666667em"/>',
    ":": '<mo lspace="0.2222em" rspace="0.2222em">\u22c5</mo>',
    "\u00b7": "<mo lspace='0' rspace='0'>\u22c5</mo>",
    "\u00b1": "<mo lspace='0' rspace='0'>+</mo>",
    "|": "<mrow><mo>(</mo>",
    "`": "<mo>)</mo></mrow>",
    "\u2227": "<mrow><mrow><mspace/><mi>max</mi></mrow><mo lspace='0.1667em'>&ApplyFunction;</mo>",
    "{": "<mrow>",
    "}": "</mrow>",
    "[": "<mfrac>",
    "]": "</mfrac>",
    "$": "<mtext>",
    "#": "</mtext>",
    "%": "<msub>",
    "^": "</msub>",
    "?": "<mi>",
    "!": "</mi>",
    "_": "<mo>+</mo>",
    "-": "<mo>\u2212</mo>",
    "*": "<mo>,</mo>",
    "\u00ac": "<mo>=</mo>",
    "\u00b9": "<mn>1</mn>",
    "\u00b2": "<mn>2</mn>",
    "\u00ab": "<msubsup>",
    "\u00bb": "</msubsup>",
}
# what stands between two letters, where it stands otherwise between two numbers
BETWEEN = {
    "`:": "<mo rspace='0.1667em'>)</mo>}~",
    ":{{<mspace/>?min!}": "~<mspace width='0.1667em'/>{{<mspace/>?min!}",
    ":{<mo>\u230a": "~{<mo lspace='0.1667em'>\u230a",
    ":|": "~{<mo lspace='0.1667em'>(</mo>",
    ":\u2227": "~<mspace width='0.1667em'/>\u2227",
    ":": "~",
    "\u00b7": "~",
}


class Catalogue:
    """Catalogue of what was exported so far: plans, and the formulas that they use, each once."""

    def __init__(self) -> None:
        self.formulas: dict[str, Formula] = {}
        self.called: dict[Formula, str] = {}
        self.plans: dict[str, int] = {}

    def plan(self, asked: Formula, model: Model, stated: frozenset[Any]) -> int:
        """Place, among all plans, of the plan that evaluates a formula for the models of a kind.

        Args:
            asked: the formula.
            model: one of the kind.
            stated: letters that models give; these are never computed, so neither is what that could be done from.
        """
        return self.plans.setdefault(to_json(self._plan(asked, model, stated)), len(self.plans))

    def _plan(self, asked: Formula, model: Model, stated: frozenset[Any]) -> dict[str, Any]:
        """Plan of a formula: its letters and the formulas that compute some, or why it is not for these models."""
        if reason := mismatch(asked, "@model", model.traits, model.picked):
            return {"formula": self._known(asked), "mismatch": reason}
        chosen = model.formulas_for(asked)
        if none := uncounted(asked, chosen):
            return {"formula": self._known(asked), "mismatch": uncounted_for("@model", none)}
        letters = [s for s in below(asked, chosen, letters_of(asked), stated) if s != asked.quantity]
        if any(gives(condition, s) for condition in asked.conditions for s in letters):
            raise CatalogueError(f"{asked.name} takes a letter from a condition, which a calculator cannot do.")
        computing = {s: rule for s, rule in rules(asked, chosen).items() if s in letters and s not in stated}
        return {
            "formula": self._known(asked),
            "letters": " ".join(s.name for s in letters),
            "rules": {s.name: self._known(rule) for s, rule in computing.items()},
        }

    def _known(self, formula: Formula) -> str:
        """Name of a formula in the script: its own, or for a sum of some decoders its letter and a number."""
        if formula not in self.called:
            name = f"{formula.name}_{len(self.called)}" if formula.of_parts else formula.name
            if self.formulas.setdefault(name, formula) is not formula:
                raise CatalogueError(f"two formulas of a calculator are called {name}.")
            self.called[formula] = name
        return self.called[formula]

    def written_plans(self) -> tuple[list[list[Any]], list[str]]:
        """The plans, and the reasons why some formulas are not for some models.

        A plan has the place of the formula, those of its letters, and those of the formulas that compute some of them;
        or the place of the formula, and that of the reason why it is not for these models.
        """
        places = {name: place for place, name in enumerate(self.formulas)}
        of_letters = {symbol.name: place for place, symbol in enumerate(LETTERS)}
        written: list[list[Any]] = []
        reasons: dict[str, int] = {}
        for plan in map(json.loads, self.plans):
            told = [places[plan["formula"]]]
            if why := plan.get("mismatch"):
                written.append([*told, reasons.setdefault(why, len(reasons))])
                continue
            letters = " ".join(str(of_letters[name]) for name in plan["letters"].split())
            computing = [self.formulas[name] for name in plan["rules"].values()]
            assert [one.quantity.name for one in computing] == list(plan["rules"]), "each computes its own letter"
            written.append([*told, letters, " ".join(str(places[self.called[one]]) for one in computing)])
        return written, list(reasons)

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the sums over parts, by letter: they are the same for all decoders."""
        found = {(one.quantity.name, one.title) for one in self.formulas.values() if one.of_parts}
        titles = dict(found)
        assert len(found) == len(titles), "sums of one letter have one title"
        return dict(sorted(titles.items()))

    def written(self) -> dict[str, Any]:
        """The formulas; and what many of them share, each once: trees and conditions, by whose places they stand."""
        computing = {name for plan in map(json.loads, self.plans) for name in plan.get("rules", {}).values()}
        trees: dict[str, int] = {}
        conditions: dict[Condition, int] = {}
        found: dict[str, dict[str, Any]] = {}
        for name, one in self.formulas.items():
            found[name] = _formula(one, name in computing)
            found[name]["value"] = trees.setdefault(to_json(placed(one.rhs)), len(trees))
            if one.demanded:
                found[name]["conditions"] = [conditions.setdefault(each, len(conditions)) for each in one.demanded]
        return {
            "trees": [*map(json.loads, trees)],
            "conditions": [*map(_condition, conditions)],
            "formulas": found,
        }


def _formula(formula: Formula, computes: bool) -> dict[str, Any]:
    """Data of a formula; where it computes a letter of others, with what has to hold for that."""
    claim, put_in = _mathml(formula), _mathml(formula, {s: _hole(s) for s in formula.rhs.free_symbols})
    fields: dict[str, Any] = {
        # a sum is called by its letter, and so titled
        **({} if formula.of_parts else {"title": formula.title, "quantity": formula.quantity.name}),
        "putIn": put_in,
        **({} if _with_letters(put_in) == claim else {"claim": claim}),
        **({} if formula.statement.sign == "=" else {"sign": formula.statement.sign}),
    }
    if computes and not formula.of_parts:  # counts may come out as 0, all else is positive; a sum of parts is anyway
        fields["needed"] = text((Ge if LETTERS[formula.quantity].whole else Gt)(formula.rhs, 0, evaluate=False))
    return fields


def _mathml(formula: Formula, put_in: Any = None) -> str:
    """MathML of a claim, written short."""
    return _short(mathml(tex(formula.claim, put_in), display=True))


def _short(written: str) -> str:
    """MathML without the tag around it, its most frequent pieces written short: a script writes them out."""
    inner = written[written.index(">") + 1 : -len("</math>")]
    if clash := [short for short in SHORT if short in inner]:
        raise CatalogueError(f"{' '.join(clash)} stands for something else in the mathematics of calculators.")
    for short, long in SHORT.items():
        inner = inner.replace(long, short).replace(long.replace("'", '"'), short)
    return re.sub(r"\$(@\d+@)#", r"\1", inner).replace('"', "'")


def _with_letters(put_in: str) -> str:
    """A claim with its letters in their places, as a script makes it of the one with holes for numbers."""
    for found, made in BETWEEN.items():
        put_in = put_in.replace(found, made)
    symbols = list(LETTERS)
    return re.sub(r"@(\d+)@", lambda hole: _short(mathml(tex(symbols[int(hole[1])]))), put_in)


def _hole(symbol: Any) -> str:
    """LaTeX of the hole in a claim where the number of a letter is put in."""
    return rf"\text{{@{_place(symbol)}@}}"


def _place(symbol: Any) -> int:
    """Number of a letter in the script, which is its place in the notation."""
    return list(LETTERS).index(symbol)


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "text": text(condition.relation),
        "sentence": condition.sentence,
        **({"otherwise": condition.otherwise} if condition.otherwise else {}),
        "holds": placed(condition.relation),
    }


def placed(expression: Any) -> Tree:
    """Tree of an expression or a relation with letters by their places and numbers as text, which a script takes."""

    def leaves(part: Tree) -> Tree:
        if isinstance(part, list):
            return [part[0], *map(leaves, part[1:])]
        # a script's own numbers have 53 bits, so a whole number is text; and a place is shorter than a name
        return _place(named(part)) if isinstance(part, str) else str(part)

    try:
        return leaves(tree(expression))
    except NoTree as none:
        raise CatalogueError(f"a calculator cannot compute {text(expression)}: {none}.") from None


def _unit(unit: Unit) -> dict[str, Any]:
    """A unit as numbers are shown in it: its text, its prefixes, and whether several take an s; or how it is said."""
    if said := as_said(unit):
        times, name = said
        return {"text": name, "times": str(times), "prefixes": "", "plural": False}
    powers = dict(unit.exponents)
    first = next((base for base, power in unit.exponents if power > 0), "")
    prefixed = powers.get(first) == 1 and first in ("FLOP", "byte")
    return {
        "text": "" if unit == ONE else str(unit).replace("second", "s").replace("byte", "B"),
        "prefixes": "small" if unit == SECOND else "large" if prefixed else "",
        "plural": powers == {first: 1} and first not in PHYSICAL,
    }


def letters(names: Iterable[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Data of letters by name: meaning, mathematics, whether they count, place of the unit; and the units."""
    found, units = {}, list[dict[str, Any]]()
    for symbol in (s for s in LETTERS if s.name in set(names)):
        letter = LETTERS[symbol]
        least = [bound.relation.lhs.name for bound in bounds([symbol])]
        if (unit := _unit(letter.unit)) not in units:
            units.append(unit)
        found[letter.name] = {
            "place": _place(symbol),
            "mathml": _short(mathml(tex(symbol))),
            "meaning": letter.meaning,
            "unit": units.index(unit),
            **({} if text(symbol) == symbol.name else {"shown": text(symbol)}),
            **({"whole": True} if letter.whole else {}),
            **({"atLeast": least[0]} if least else {}),
        }
    return found, units


def to_json(value: Any) -> str:
    """JSON of a value that can stand in a script."""
    # "</script>" has no place in a script
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</script", "<\\/script")
