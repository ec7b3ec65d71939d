"""Questions to SMT solvers, as text

A question asks whether some statements can all be true of positive letters. It is written in SMT-LIB 2, the language
that every such solver reads, with exact rationals, so that all solvers are asked the very same and a reader can ask
one of their own. Letters that count are at least 1; that they are whole is said only where it is asked for.

Solvers find products easier than quotients, so a/b < c/d is written a·d < c·b. That is the same only where b and d
are positive: whoever asks so has to ask as well whether a denominator may be something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..algebra import Add, Eq, Ge, Gt, Integer, Le, Lt, Max, Min, Mod, Mul, Ne, Pow, Rational, Symbol, ceiling, floor
from ..claims import Case
from ..expressions.parts import over_one
from ..notation import LETTERS
from ..numeral import valued

Rounded = tuple[Any, Any]  # an integer, and the expression that rounded down is this integer

_ROUNDED = (floor, ceiling, Mod)
_SIGNS = {Eq: "=", Lt: "<", Le: "<=", Gt: ">", Ge: ">="}
_SIMPLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class NoCounterpart(TypeError):
    """Something that SMT-LIB cannot say; the text names it."""


@dataclass(frozen=True)
class Question:
    """A question to solvers: whether some statements can all be true.

    Attributes:
        letters: every letter in them.
        statements: the statements, in the words of SMT-LIB.
        whole: whether letters that count are declared to be whole.
        rounded: integers that stand for what is rounded, which the statements define.
    """

    letters: tuple[Any, ...]
    statements: tuple[str, ...]
    whole: bool
    rounded: tuple[Any, ...] = ()

    @property
    def text(self) -> str:
        """The question in SMT-LIB 2, up to the `check-sat`."""
        rounds = self.whole or self.rounded or any("to_int" in statement for statement in self.statements)
        lines = [f"(set-logic {'ALL' if rounds else 'QF_NRA'})"]  # z3 gives up on some questions if told QF_NIRA
        for letter in self.letters:
            whole = self.whole and counts(letter)
            lines.append(f"(declare-const {_name(letter)} {'Int' if whole else 'Real'})")
            least = "(>= {} 1)" if whole else "(>= {} 1.0)" if counts(letter) else "(> {} 0.0)"
            lines.append(f"(assert {least.format(_name(letter))})")
        lines += [f"(declare-const {integer.name} Int)" for integer in self.rounded]
        lines += [f"(assert {statement})" for statement in self.statements]
        return "\n".join([*lines, "(check-sat)", ""])

    def given(self, example: Mapping[Any, Fraction]) -> Question:
        """The question about one example: whether the statements are true of its values of the letters."""
        writer = Writer(whole=self.whole)
        known = (Eq(letter, Rational(example[letter]), evaluate=False) for letter in self.letters)
        return replace(self, statements=(*self.statements, *map(writer.relation, known)))

    def values(self, example: Mapping[str, Fraction]) -> dict[Any, Fraction]:
        """A solver's example by letter; letters that it leaves open are 1."""
        return {letter: Fraction(example.get(letter.name, 1)) for letter in self.letters}


def counts(letter: Any) -> bool:
    """Whether a letter stands for a whole number."""
    return letter in LETTERS and LETTERS[letter].whole


@dataclass(frozen=True)
class Writer:
    """Writer of relations and expressions in SMT-LIB.

    Attributes:
        whole: whether letters that count are integers there.
        multiplied: whether the fractions on both sides of a relation are multiplied out.
        integers: whether what is written is an integer and not a real number.
    """

    whole: bool = False
    multiplied: bool = False
    integers: bool = False

    def relation(self, relation: Any) -> str:
        """SMT-LIB text of a relation, or of a truth value that SymPy has already found."""
        relation = valued(relation)
        if relation in (True, False):
            return str(bool(relation)).lower()
        if isinstance(relation, Ne):
            return negated(self.relation(Eq(*relation.args, evaluate=False)))
        if relation.func not in _SIGNS:
            raise NoCounterpart(f"{relation.func.__name__} has no counterpart in SMT-LIB")
        if not self.multiplied:
            return self._compared(relation, *relation.args)
        # multiplying out cannot reach into a maximum, so each of its arguments is taken in its turn
        if choices := sorted(relation.atoms(Max, Min), key=str):
            return self._in_cases(relation, choices[-1])
        (over, under), (over_other, under_other) = map(over_one, relation.args)
        if not _made_of(under * under_other, {*denominators([relation])}):
            return self._compared(relation, *relation.args)  # SymPy has turned a sign round
        sides = (Mul(one, other, evaluate=False) for one, other in ((over, under_other), (over_other, under)))
        return self._compared(relation, *sides)

    def _compared(self, relation: Any, left: Any, right: Any) -> str:
        """Relation between two terms, as integers if both are: of n < m solvers then know that n + 1 ≤ m."""
        integers = all(_is_integral(side, self.whole) for side in (left, right))
        writer = replace(self, integers=True) if integers else self
        return _call(_SIGNS[relation.func], [writer.term(left), writer.term(right)])

    def _in_cases(self, relation: Any, choice: Any) -> str:
        """Relation with a maximum or minimum, by which of its arguments it is, so that fractions stand outside."""
        order, cases = Ge if isinstance(choice, Max) else Le, []
        for best in choice.args:
            others = [self.relation(order(best, other, evaluate=False)) for other in choice.args if other != best]
            # where two arguments are equal two cases hold, which does no harm: both say the same
            chosen = relation.func(*(side.xreplace({choice: best}) for side in relation.args), evaluate=False)
            cases.append(both([*others, self.relation(chosen)]))
        return either(cases)

    def rounding(self, rounded: Rounded) -> str:
        """Statement that an integer is a/b rounded down: k·b ≤ a < (k + 1)·b, where b is positive."""
        integer, (over, under) = rounded[0], over_one(rounded[1])
        steps = [Mul(integer, under, evaluate=False), over, Mul(integer + 1, under, evaluate=False)]
        at_least = self._compared(Le(*steps[:2], evaluate=False), *steps[:2])
        found = both([at_least, self._compared(Lt(*steps[1:], evaluate=False), *steps[1:])])
        # where the divisor is not positive nothing is said of the integer: a statement too many would hide
        # counterexamples
        return found if under.is_positive else either([self.not_positive(under), found])

    def zero(self, term: Any) -> str:
        """Statement that an expression is zero."""
        # in SMT-LIB x/0 is a number, any that a solver likes: that a theorem divides by zero has to be asked for
        return _call("=", [self.term(term), "0.0"])

    def not_positive(self, term: Any) -> str:
        """Statement that an expression is zero or negative."""
        return _call("<=", [self.term(term), "0.0"])

    def case(self, case: Case) -> str:
        """Statement that some relations have the truths that are given with them."""
        return both([self.relation(one) if truth else negated(self.relation(one)) for one, truth in case])

    def term(self, term: Any) -> str:
        """SMT-LIB text of an expression, as a real number."""
        term = valued(term)
        if isinstance(term, Rational):
            return _number(term, self.integers)
        if term.is_Symbol:
            # SMT-LIB has two sorts, and strict solvers refuse a sum of an integer and a real number
            lifted = not self.integers and (term.is_integer or (self.whole and counts(term)))
            return _call("to_real", [_name(term)]) if lifted else _name(term)
        if isinstance(term, Mul | Pow):
            return self._quotient(*_over_and_under(term))
        parts = [self.term(part) for part in term.args]
        if isinstance(term, Add):
            return _call("+", parts)
        if isinstance(term, Max | Min):
            return _chosen(">=" if isinstance(term, Max) else "<=", parts)
        if isinstance(term, floor):
            return _floor(parts[0])
        if isinstance(term, ceiling):
            return _call("-", [_floor(_call("-", parts))])
        if isinstance(term, Mod):
            return _call("-", [parts[0], _call("*", [parts[1], _floor(_call("/", parts))])])
        raise NoCounterpart(f"{term.func.__name__} has no counterpart in SMT-LIB")

    def _quotient(self, over: list[Any], under: list[Any]) -> str:
        one = _number(Integer(1), self.integers)
        above, below = (_call("*", map(self.term, factors)) if factors else one for factors in (over, under))
        return _call("/", [above, below]) if under else above


def without_rounding(relations: Iterable[Any]) -> tuple[dict[Any, Any], tuple[Rounded, ...]]:
    """Each relation with an integer in place of what is rounded, and what these integers stand for.

    Rounding up and the remainder are written with rounding down; what stands inside comes first.
    """
    given = list(relations)
    current, rounded = [valued(relation) for relation in given], list[Rounded]()
    # from inside out: what an integer rounds down must not be rounded itself; sorted, so that one question has one text
    while inner := sorted((x for one in current for x in one.atoms(*_ROUNDED) if not _rounds_inside(x)), key=str):
        atom = inner[0]
        integer, argument = Symbol(f"rounded_{len(rounded) + 1}", integer=True), atom.args[0]
        down, value = argument, integer
        if isinstance(atom, ceiling):
            # ⌈x⌉ = −⌊−x⌋
            down, value = -argument, -integer
        elif isinstance(atom, Mod):
            # x mod m = x − m·⌊x/m⌋
            down, value = argument / atom.args[1], argument - atom.args[1] * integer
        rounded.append((integer, down))
        current = [_put(one, atom, value) for one in current]
    return dict(zip(given, current, strict=True)), tuple(rounded)


def _rounds_inside(atom: Any) -> bool:
    return any(argument.has(*_ROUNDED) for argument in atom.args)


def _put(relation: Any, atom: Any, value: Any) -> Any:
    if relation in (True, False):
        return relation
    return relation.func(*(side.xreplace({atom: value}) for side in relation.args), evaluate=False)


def denominators(relations: Iterable[Any]) -> tuple[Any, ...]:
    """Everything that something is divided by, each once, numbers and bare letters left out: those are positive."""
    found: dict[Any, None] = {}
    for relation in relations:
        plain = valued(relation)
        powers = (power.base for power in plain.atoms(Pow) if power.exp.is_number and power.exp.is_negative)
        # a remainder divides without a line of a fraction
        divisors = (mod.args[1] for mod in plain.atoms(Mod))
        found |= dict.fromkeys(x for x in sorted({*powers, *divisors}, key=str) if not (x.is_Symbol or x.is_number))
    return tuple(found)


def letters_of(relations: Iterable[Any]) -> tuple[Any, ...]:
    """The letters of some relations, in the order of the notation."""
    found = {symbol for relation in relations for symbol in relation.free_symbols}
    known = [symbol for symbol in LETTERS if symbol in found]
    return (*known, *sorted(found - set(known), key=str))


def negated(statement: str) -> str:
    """Statement that is true where another is not."""
    return _call("not", [statement])


def either(statements: Sequence[str]) -> str:
    """Statement that at least one of some statements is true."""
    return _call("or", statements)


def both(statements: Sequence[str]) -> str:
    """Statement that all of some statements are true."""
    return _call("and", statements)


def _call(name: str, arguments: Iterable[str]) -> str:
    listed = list(arguments)
    # SMT-LIB gives these two arguments at least
    alone = name in ("+", "*", "or", "and") and len(listed) == 1
    return listed[0] if alone else f"({name} {' '.join(listed)})"


def _made_of(product: Any, divisors: set[Any]) -> bool:
    """Whether a product has no factors but positive ones and these."""
    bases = (factor.as_base_exp()[0] for factor in Mul.make_args(product))
    return all(base.is_positive or base in divisors for base in bases)


def _is_integral(term: Any, whole: bool) -> bool:
    """Whether a term is an integer by its form, where letters that count are."""
    if isinstance(term, Pow):
        return _is_integral(term.base, whole) and term.exp.is_Integer and term.exp >= 0
    if isinstance(term, Add | Mul):
        return all(_is_integral(part, whole) for part in term.args)
    # letters that count are not declared whole to SymPy: whether they are differs from question to question
    return bool(term.is_integer) or (whole and counts(term))


def _number(value: Any, integers: bool) -> str:
    point = "" if integers else ".0"
    over = f"{abs(int(value.p))}{point}"
    size = over if value.q == 1 else _call("/", [over, f"{int(value.q)}{point}"])
    # SMT-LIB has no negative numerals
    return _call("-", [size]) if value < 0 else size


def _floor(written: str) -> str:
    # by its definition `to_int` rounds down, below zero too
    return _call("to_real", [_call("to_int", [written])])


def _chosen(sign: str, parts: list[str]) -> str:
    best = parts[0]
    for part in parts[1:]:
        best = _call("ite", [_call(sign, [best, part]), best, part])
    return best


def _over_and_under(term: Any) -> tuple[list[Any], list[Any]]:
    """The factors above and below the line of a fraction, powers written out."""
    over: list[Any] = []
    under: list[Any] = []
    for factor in Mul.make_args(term):
        if isinstance(factor, Rational):
            over += [Integer(factor.p)] if factor.p != 1 else []
            under += [Integer(factor.q)] if factor.q != 1 else []
            continue
        base, exponent = factor.as_base_exp() if isinstance(factor, Pow) else (factor, Integer(1))
        if not exponent.is_Integer:
            raise NoCounterpart(f"{factor} has no counterpart in SMT-LIB")
        # SMT-LIB has no powers: `^` is z3's own
        (over if exponent > 0 else under).extend([base] * abs(int(exponent)))
    return over, under


def _name(letter: Any) -> str:
    return letter.name if _SIMPLE.fullmatch(letter.name) else f"|{letter.name}|"
