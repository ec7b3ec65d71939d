"""A formula is data

One frozen object states a claim, where it holds, the steps that lead to it, the formulas it uses and the
measurement that witnesses it. Everything else (proof, dimension check, engine check, `solve`, numbers, page) reads
that object.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .architecture import Trait as Trait
from .architecture import Traits, narrowed
from .claims import Claim, Condition, Kind, claim_of
from .errors import CatalogueError
from .expressions.printing import drawn, tex, text
from .frozen_dict import Fixed
from .notation import LETTERS, SUMS
from .numeral import Numeral
from .steps import CLAIM, Step
from .units import Unit

_NOTHING: Mapping[str, Any] = {}
_OF_FILE: Any = object()  # in the place of a docstring: that of the file


@dataclass(frozen=True, eq=False, repr=False)
class Formula:
    """A claim with everything that is needed to prove, measure, solve, evaluate and show it.

    Attributes:
        module: the dotted name of the file it stands in; its last part is the formula's name.
        docstring: title (first line) and introduction; that of its file where none is given.
        claim: a SymPy `Eq` of a letter and its value, or an `Equivalence`, `Implication` or `Approximation`.
        steps: the derivation, from a premise to the claim.
        kind: identity, law, theorem, approximation or definition; the shape of the claim must allow it.
        where: conditions the derivation needs.
        uses: the formulas it builds on.
        measured_by: the engine's probe that witnesses the claim.
        unmeasured: why no measurement can exist, where there is none.
        plain: letters that count (tokens, sequences) and are read as plain numbers here, without their unit.
        models: traits of the decoders that it is for; on an axis without any, all.
        sources: keys of the table of sources.
        of_parts: whether it is a sum over parts of a decoder, or solves one: it is for decoders that have these parts,
            whatever else their formulas are for.
        example: letters and presets of the worked example.
    """

    module: str
    docstring: str | None = _OF_FILE
    claim: Any = field(kw_only=True)
    steps: tuple[Step, ...] = field(kw_only=True)
    kind: Kind = Kind.IDENTITY
    where: tuple[Condition, ...] = ()
    uses: tuple[Formula, ...] = ()
    measured_by: str = ""
    unmeasured: str = ""
    plain: tuple[Any, ...] = ()
    models: tuple[Trait, ...] = ()
    sources: tuple[str, ...] = ()
    of_parts: bool = False
    example: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        object.__setattr__(self, "example", Fixed(self.example))
        if self.docstring is _OF_FILE:
            object.__setattr__(self, "docstring", sys.modules[self.module].__doc__)
        if not self.steps:
            raise CatalogueError(f"{self.module}: a formula needs at least one step.")
        *before, last = self.steps
        if any(step.result is CLAIM for step in (*before, self.steps[0])):
            raise CatalogueError(f"{self.module}: only the last of several steps may have the claim for its result.")
        if last.result is CLAIM:
            end = self.statement.end(self.steps[0].result)
            object.__setattr__(self, "steps", (*before, replace(last, result=end)))
        if self.kind not in self.statement.kinds:
            fitting = " or ".join(kind.value for kind in self.statement.kinds) or "no kind of formula"
            raise CatalogueError(f"{self.module}: a claim of this shape is {fitting}, not {self.kind.value}.")
        # exactly one: an author who forgets the probe has to say so, and cannot do both
        if bool(self.measured_by) == bool(self.unmeasured):
            raise CatalogueError(f"{self.module}: name either the probe in measured_by or the reason in unmeasured.")
        cited = {operand for step in self.steps for operand in step.operands if isinstance(operand, Formula)}
        if missing := cited - set(self.uses):
            raise CatalogueError(f"{self.module}: its steps use {missing.pop().name}, which `uses` does not list.")
        if self.measured_by and self.kind is Kind.DEFINITION:
            raise CatalogueError(f"{self.module}: a definition must not have measured_by.")
        for symbol in self.plain:
            if symbol == self.quantity or not LETTERS[symbol].unit.is_count:
                raise CatalogueError(f"{self.module}: {symbol} cannot be read as a plain count.")

    @property
    def name(self) -> str:
        """The last part of the path: `batch_crossover`."""
        return self.module.rpartition(".")[2]

    @property
    def chapter(self) -> str:
        """The folder it stands in: `batching`."""
        return self.module.rpartition(".")[0].rpartition(".")[2]

    @property
    def title(self) -> str:
        """First line of the docstring."""
        return inspect.cleandoc(self.docstring or self.name).partition("\n")[0]

    @property
    def introduction(self) -> str:
        """The docstring without its first line."""
        return inspect.cleandoc(self.docstring or "").partition("\n")[2].strip()

    @cached_property
    def statement(self) -> Claim:
        """Claim as an object that says of itself what the checks ask, of an equation too."""
        return claim_of(self.claim)

    @cached_property
    def quantity(self) -> Any:
        """The letter the claim gives a value to, or None for a theorem."""
        return self.statement.quantity

    @property
    def rhs(self) -> Any:
        """The value of the quantity; for a theorem `AttributeError`, since it has none."""
        if self.quantity is None:
            raise AttributeError(f"{self.name} is a theorem and has no right-hand side")
        return self.statement.conclusion

    @property
    def unit(self) -> Unit | None:
        """The unit of the quantity, or None for a theorem."""
        return LETTERS[self.quantity].unit if self.quantity is not None else None

    @cached_property
    def letters(self) -> tuple[Any, ...]:
        """The letters of the claim, in the order of the notation."""
        found = self.statement.symbols
        return tuple(symbol for symbol in LETTERS if symbol in found)

    @cached_property
    def stated_letters(self) -> frozenset[Any]:
        """The letters of the claim, of its own conditions and of every step."""
        stated = [*self.statement.relations, *(c.relation for c in self.where), *(step.result for step in self.steps)]
        stated += [operand for step in self.steps for operand in step.operands]
        found = frozenset[Any](self.statement.symbols)
        return found.union(*(getattr(part, "free_symbols", ()) for part in stated))

    @property
    def numerals(self) -> tuple[Numeral, ...]:
        """The numerals of the claim that count something, each once."""
        found = set().union(*(r.atoms(Numeral) for r in self.statement.relations))
        return tuple(sorted(found, key=lambda n: (n.value, n.meaning)))

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Its own conditions and those of every formula whose right-hand side stands in its claim or steps.

        An approximation is brought in for its value; the conditions of its error bound stay with it.
        """
        found = dict.fromkeys(self.where)
        for used in self.uses:
            if used.conditions and used.kind is not Kind.APPROXIMATION and self.brings_in(used):
                found |= dict.fromkeys(used.conditions)
        return tuple(found)

    @property
    def demanded(self) -> tuple[Condition, ...]:
        """Conditions without which it has no value; of an approximation none: they belong to its error bound."""
        return () if self.kind is Kind.APPROXIMATION else self.conditions

    @cached_property
    def asked(self) -> tuple[Condition, ...]:
        """Conditions that have to be told before it gives a value.

        A condition that a step puts into the claim, such as heads that share the width, is not among them: the claim
        says by its form what it assumes.
        """
        formulas = (self, *self.closure())
        put_in = {
            operand for f in formulas for step in f.steps for operand in step.operands if type(operand) is Condition
        }
        return tuple(condition for condition in self.demanded if condition not in put_in)

    @cached_property
    def traits(self) -> Traits:
        """Its own traits and those of every formula it brings in; on an axis without any it is for all decoders."""
        found = frozenset(self.models)
        for used in self.uses if not self.of_parts else ():
            if used.traits and used.kind is not Kind.APPROXIMATION and self.brings_in(used):
                found = narrowed(found, used.traits)
        return found

    def brings_in(self, used: Formula) -> bool:
        """Whether the right-hand side of a used formula stands in the steps or the claim."""
        if any(used is operand for step in self.steps for operand in step.operands):
            return True
        if used.quantity is None or used.rhs.is_Symbol:  # a bare letter stands in many formulas that mean no other
            return False
        stated = (*(step.result for step in self.steps), *self.statement.relations)
        return any(expression.has(used.rhs) for expression in stated)

    def closure(self) -> tuple[Formula, ...]:
        """Every formula this one uses, directly or not, each once, the most basic first."""
        return self._closure

    @cached_property
    def _closure(self) -> tuple[Formula, ...]:
        found: dict[Formula, None] = {}
        for used in self.uses:
            found |= dict.fromkeys(used.closure())
            found[used] = None
        return tuple(found)

    def unfold(self, expression: Any) -> Any:
        """The expression with every letter that a used formula defines replaced by that formula's right-hand side."""
        for used in reversed(self.closure()):
            if used.quantity in expression.free_symbols:
                expression = expression.xreplace({used.quantity: used.rhs})
        return expression

    @cached_property
    def plain_claim(self) -> Any:
        """Claim; in an equation, sums over a decoder's parts are written out as the plain decoder has them."""
        claim = self.claim
        if self.quantity is None or self.statement.error_bound is not None:
            return claim
        by = {used.quantity: used.rhs for used in self.closure() if used.quantity in SUMS}
        by.pop(self.quantity, None)
        while claim.free_symbols & by.keys():
            claim = claim.func(*(side.xreplace(by) for side in claim.args), evaluate=False)
        return claim

    @cached_property
    def plain_letters(self) -> tuple[Any, ...]:
        """Letters of the claim with its sums written out, in the order of the notation; none where it has no sums."""
        if self.plain_claim is self.claim:
            return ()
        found = self.plain_claim.free_symbols  # walked once: it is asked for every letter that is given
        return tuple(symbol for symbol in LETTERS if symbol in found)

    @property
    def described(self) -> str:
        """Description that `help` shows: what the formula says, where that holds and what its letters mean."""
        lines = [f"{self.title}  ({self.kind.value}, {self.chapter}/{self.name})", "", drawn(self.claim), ""]
        if self.introduction:
            lines += [self.introduction, ""]
        lines += [f"where {text(c.relation)}  ({c.sentence})" for c in self.conditions]
        lines += [f"  {text(s):<12} {LETTERS[s].meaning} [{LETTERS[s].unit}]" for s in self.letters]
        lines += [f"  {n!s:<12} {n.meaning} [{n.unit}]" for n in self.numerals if n.value != 1]
        return "\n".join(lines)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle by the name of its file, so that each formula is one object; a copy is the formula itself."""
        # mutants and a model's own sums are formulas without a file, and are pickled by value
        if getattr(sys.modules.get(self.module), "FORMULA", None) is self:
            return _formula_of, (self.module,)
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return f"{self.name}: {text(self.claim)}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the repr: printers that write out the fields of a dataclass would go through all that it uses."""
        printer.text(repr(self))

    def __str__(self) -> str:
        return f"{self.title}\n\n{drawn(self.claim)}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {tex(self.claim)}$"


class _Documentation:
    """Docstring of the class `Formula`; of a formula, its description."""

    def __init__(self, of_class: str | None) -> None:
        self.of_class = of_class

    def __get__(self, formula: Formula | None, owner: type[Formula]) -> str | None:
        return self.of_class if formula is None else formula.described


Formula.__doc__ = _Documentation(Formula.__doc__)  # type: ignore[assignment]


def _formula_of(module: str) -> Formula:
    found: Formula = importlib.import_module(module).FORMULA
    return found
