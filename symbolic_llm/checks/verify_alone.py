"""Verify exported proofs, without the software that found them

    python -I verify.py          everything
    python -I verify.py NAME     what one formula says, of what, and whether that is proved

Each file in `formulas/` holds a claim, as a tree, and the conditions under which it is made.

An equation is decided for each subject that the file names, as polynomials in the subject's parameters. One side is the
claim, with what stands for its letters put in. The other is put together from entries that an engine made in its
ledger, `engine/*.json`; in which way, says the file. Both are brought over one denominator here. Where the larger of
several things is taken, each may be it, and where the engine compared two numbers, each may have been the larger: all
cases of the claim are compared with all branches of the counts. Two that differ must not meet, or only where a case
ends and the one beside it has the same value: multipliers in the file, positive everywhere, have to make the facts that
hold in both add up to nothing positive. Parameters are positive, and those that count are at least 1. What the engine
goes through one by one, and compares each time, it went through for some numbers only; the file says which.

A theorem is negated here and written for SMT solvers; the text in `theorems/` has to be just this, and every solver at
hand (z3 and cvc5, as Python modules or on the PATH) has to find that it cannot be. That the conditions of a formula can
hold is shown by an example in its file, which is evaluated.

What no program can tell from the files is whether they are about what somebody means: that the engine was asked this
question, and that its decoder is the one in question. So each export has a number, the SHA-256 of `MANIFEST.json`,
which lists all files. Who cites a proof may say it, and who wants to know that an export is the one that is spoken of
compares it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from importlib.util import find_spec
from itertools import combinations, product
from math import ceil, comb, floor, gcd, lcm
from operator import add, eq, ge, gt, le, lt, mod, mul, ne, sub, truediv
from pathlib import Path
from typing import Any, NamedTuple

EXPORT = ""  # the SHA-256 of MANIFEST.json
HERE = Path(__file__).resolve().parent
Tree = Any  # a whole number, a letter, or a list of an operator and its arguments
Number = int | Fraction  # whole ones as such: with them Python counts ten times as fast
Terms = dict[tuple[int, ...], Number]  # the factors of a polynomial by the powers of its letters
PROOFS = {"identity", "theorem", "none"}
SIGNS = {"=": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
MODULES = {
    "z3": "import sys, z3\nfor file in sys.argv[1:]:\n"
    " s = z3.Solver(); s.from_file(file); print(s.check(), flush=True)",
    "cvc5": "import sys, cvc5\nfor file in sys.argv[1:]:\n s = cvc5.Solver(); p = cvc5.InputParser(s)\n"
    " p.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, file); m = p.getSymbolManager(); said = ''\n"
    " while not (c := p.nextCommand()).isNull(): said += str(c.invoke(s, m))\n print(said.split()[0], flush=True)",
}


def need(truth: Any, complaint: str) -> None:
    """Complain if something is not so."""
    if not truth:
        raise ValueError(complaint)


# Polynomials


class Letters(NamedTuple):
    """The letters of polynomials, in the order of their powers.

    Attributes:
        names: all of them.
        whole: those that count, so that they are whole and at least 1.
        signed: those that may be negative or 0, as a rounded number may; all others are positive.
    """

    names: tuple[str, ...]
    whole: frozenset[str] = frozenset()
    signed: frozenset[str] = frozenset()

    def number(self, value: Any) -> Terms:
        """A number as a polynomial."""
        return {(0,) * len(self.names): as_int(Fraction(value))} if value else {}

    def letter(self, name: str) -> Terms:
        """A letter as a polynomial."""
        need(name in self.names, f"{name} is no letter here")
        return {tuple(int(name == other) for other in self.names): 1}


def as_int(number: Fraction) -> Number:
    """A number as a plain integer, if it is whole."""
    return number.numerator if number.denominator == 1 else number


def plus(one: Terms, other: Terms, by: int = 1) -> Terms:
    """Sum of a polynomial and so many times another."""
    found = dict(one)
    for powers, factor in other.items():
        found[powers] = found.get(powers, 0) + by * factor
    return {powers: factor for powers, factor in found.items() if factor}


def times(one: Terms, other: Terms) -> Terms:
    """The product of two polynomials."""
    found: Terms = {}
    for mine, by in one.items():
        for theirs, factor in other.items():
            powers = tuple(map(add, mine, theirs))
            found[powers] = found.get(powers, 0) + by * factor
    return {powers: factor for powers, factor in found.items() if factor}


def raised(one: Terms, power: int, letters: Letters) -> Terms:
    """Power of a polynomial."""
    return reduce(times, [one] * power, letters.number(1))


def bare(terms: Terms, letters: Letters, *others: Terms) -> list[Terms]:
    """Polynomials without the positive factors that all their terms share: numbers and letters."""
    every = [*terms, *(powers for other in others for powers in other)]
    if not every:
        return [terms, *others]
    # a letter that may be negative or 0 is no positive factor, so all its powers stay
    least = [0 if name in letters.signed else min(powers) for name, *powers in zip(letters.names, *every, strict=True)]
    factors = [factor for one in (terms, *others) for factor in one.values()]
    below = lcm(*(factor.denominator for factor in factors))
    # one factor for all of the polynomials together, or their ratio would be another
    by = gcd(*(int(factor * below) for factor in factors))
    return [
        {tuple(map(sub, powers, least)): int(factor * below) // by for powers, factor in one.items()}
        for one in (terms, *others)
    ]


def sign(terms: Terms, letters: Letters) -> int | None:
    """Sign of a polynomial: 1 if nowhere negative, −1 if nowhere positive, 0 if zero, None if that is not seen."""
    if any(
        power for powers in terms for name, power in zip(letters.names, powers, strict=True) if name in letters.signed
    ):
        return None
    # letters are positive, so coefficients of one sign decide; n − 1 has two, but with n = 1 + x it is x
    for form in (terms, from_one_on(terms, letters)):
        signs = {factor > 0 for factor in form.values()}
        if len(signs) < 2:
            return 0 if not signs else 1 if signs.pop() else -1
    return None


def strict_sign(terms: Terms, letters: Letters) -> int | None:
    """Sign of a polynomial that is nowhere 0, 1 or −1; None if that is not seen."""
    # n − 1 is nowhere negative, and 0 where n is 1; a term of letters that may be any positive number is not
    counting = [place for place, name in enumerate(letters.names) if name in letters.whole]
    form = from_one_on(terms, letters)
    return sign(terms, letters) if any(not any(powers[place] for place in counting) for powers in form) else None


def from_one_on(terms: Terms, letters: Letters) -> Terms:
    """A polynomial with 1 + x in the place of each letter x that counts."""
    for place, name in enumerate(letters.names):
        if name in letters.whole and any(powers[place] for powers in terms):
            moved: Terms = {}
            for powers, factor in terms.items():
                for power in range(powers[place] + 1):
                    at = (*powers[:place], power, *powers[place + 1 :])
                    # (1 + x)^p by the binomial theorem
                    moved[at] = moved.get(at, 0) + factor * comb(powers[place], power)
            terms = {powers: factor for powers, factor in moved.items() if factor}
    return terms


def quotient(terms: Terms, of: Terms) -> Terms | None:
    """Quotient of two polynomials without a rest; None if there is none. The first is 0 then wherever the second is."""
    # tuples are compared from the left, an order that products keep: the highest term of a product is that of the
    # factors
    lead, found = max(of), dict[tuple[int, ...], Number]()
    while terms:
        powers = max(terms)
        by = {tuple(p - q for p, q in zip(powers, lead, strict=True)): as_int(Fraction(terms[powers]) / of[lead])}
        # the highest term of what is left would have to be cancelled by a quotient with a negative power
        if min(next(iter(by)), default=0) < 0:
            return None
        found |= by
        terms = plus(terms, times(of, by), -1)
    return found


def written(terms: list[Any], values: dict[str, Terms], letters: Letters) -> Terms:
    """A polynomial of a file, with these values of its letters."""
    total: Terms = {}
    seen = set[str]()
    for factor, powers in terms:
        need(isinstance(factor, int) or re.fullmatch(r"-?[1-9][0-9]*/[1-9][0-9]*", factor), f"{factor} is no number")
        # of two terms with the same powers a reader might see one only
        need((at := json.dumps(powers, sort_keys=True)) not in seen, "a term stands twice")
        need(factor and all(isinstance(power, int) and power > 0 for power in powers.values()), "a term is none")
        seen.add(at)
        made = [raised(values[name], power, letters) for name, power in powers.items()]
        total = plus(total, reduce(times, made, letters.number(Fraction(factor))))
    return total


# Trees


ARGUMENTS = {"+": (1, 999), "*": (1, 999), "max": (1, 999), "min": (1, 999), "/": (2, 2), "^": (2, 2), "mod": (2, 2)}
ARGUMENTS |= {"floor": (1, 1), "ceil": (1, 1)}


def well_formed(tree: Tree) -> None:
    """Complain if a tree is no number, letter or operator with its arguments."""
    if isinstance(tree, str):
        need(
            re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", tree) and not re.fullmatch(r"rounded_[0-9]+", tree),
            f"{tree!a} is no letter",
        )
    elif isinstance(tree, list):
        need(tree and isinstance(tree[0], str) and tree[0] in ARGUMENTS, f"{tree!a} is no number")
        least, most = ARGUMENTS[tree[0]]
        need(least <= len(tree) - 1 <= most, f"{tree[0]} has other arguments")
        for part in tree[1:]:
            well_formed(part)
    else:
        # and not isinstance: True is an int
        need(type(tree) is int, f"{tree!a} is no number and no letter")


def is_relation(tree: Tree) -> None:
    """Complain if a tree is no relation of two numbers."""
    need(isinstance(tree, list) and len(tree) == 3 and tree[0] in {*SIGNS}, f"{tree!a} is no relation")
    well_formed(tree[1])
    well_formed(tree[2])


def is_claim(tree: Tree) -> None:
    """Complain if a tree is no claim."""
    need(isinstance(tree, list) and tree, "there is no claim")
    if tree[0] in ("iff", "implies"):
        need(len(tree) == 3, "it is no theorem")
        is_relation(tree[1])
        is_relation(tree[2])
    elif tree[0] == "cases":
        well_formed(tree[1])
        for its, where in tree[2:]:
            well_formed(its)
            need(isinstance(where, list) and where, "a case is none")
            for one in where:
                is_relation(one)
    else:
        is_relation(tree)


def put(tree: Tree, old: Tree, new: Tree) -> Tree:
    """A tree with another one in the place of a part of it."""
    if tree == old:
        return new
    return [tree[0], *(put(part, old, new) for part in tree[1:])] if isinstance(tree, list) else tree


def parts(tree: Tree) -> Iterator[Tree]:
    """A tree and all parts of it."""
    yield tree
    for part in tree[1:] if isinstance(tree, list) else ():
        yield from parts(part)


def letters_of(*trees: Tree) -> list[str]:
    """The letters of some trees."""
    return sorted({part for tree in trees for part in parts(tree) if isinstance(part, str)})


def is_extreme(tree: Tree) -> bool:
    """Whether a tree is a maximum or minimum."""
    return isinstance(tree, list) and tree[0] in ("max", "min")


def cases(tree: Tree) -> Iterator[tuple[Tree, list[Tree]]]:
    """A tree without maxima and minima, for each way in which they come out, and the relations that hold there."""
    inner = (part for part in parts(tree) if is_extreme(part) and not any(map(is_extreme, [*parts(part)][1:])))
    # the innermost first, so that the relations of a case have no maxima either
    if (extreme := next(inner, None)) is None:
        yield tree, []
        return
    for best in extreme[1:]:
        others = [other for other in extreme[1:] if other != best]
        order = [[">=", best, other] if extreme[0] == "max" else [">=", other, best] for other in others]
        # put in everywhere at once: the same maximum comes out alike wherever it stands
        yield from ((found, order + more) for found, more in cases(put(tree, extreme, best)))


def ratio(tree: Tree, letters: Letters) -> tuple[Terms, Terms]:
    """Numerator and denominator of a tree without maxima."""
    if not isinstance(tree, list):
        need(isinstance(tree, int | str) and not isinstance(tree, bool), f"{tree} is no number and no letter")
        return (letters.number(tree) if isinstance(tree, int) else letters.letter(tree)), letters.number(1)
    operator, *arguments = tree
    if operator == "^":
        (over, under), power = ratio(arguments[0], letters), arguments[1]
        need(isinstance(power, int), "a letter stands in an exponent")
        sides = [raised(side, abs(power), letters) for side in (over, under)]
        return (sides[0], sides[1]) if power >= 0 else (sides[1], sides[0])
    (over, under), *others = (ratio(argument, letters) for argument in arguments)
    for a, b in others:
        if operator == "+":
            over, under = (
                (plus(over, a), under) if under == b else (plus(times(over, b), times(a, under)), times(under, b))
            )
        elif operator in ("/", "mod"):
            over, under = times(over, b), times(under, a)
        else:
            need(operator == "*", f"{operator} is no operator here")
            over, under = times(over, a), times(under, b)
        # powers grow with each argument, and every later product with them
        over, under = bare(over, letters, under)
    # by form: a denominator that is zero for some letters only is left to `with_value`
    if not under:
        raise ZeroDivisionError("something is divided by zero")
    if operator in ("floor", "ceil", "mod"):
        return rounded_down(over, under, letters, exact=operator != "floor", times=0 if operator == "mod" else 1)
    return over, under


def rounded_down(over: Terms, under: Terms, letters: Letters, *, exact: bool, times: int) -> tuple[Terms, Terms]:
    """Ratio rounded down, where it is a whole number and a rest between 0 and 1; no rest may be left if `exact`."""
    divisor = max(under)  # in whatever order letters stand: a whole number and a rest below `under` are the only ones
    whole, rest, waiting = dict[tuple[int, ...], Number](), dict[tuple[int, ...], Number](), dict(over)
    while waiting:
        powers = max(waiting)
        share = as_int(Fraction(waiting[powers]) / under[divisor])
        found = tuple(p - q for p, q in zip(powers, divisor, strict=True))
        # a product of whole letters with a whole factor is whole; everything else goes to the rest
        if min(found, default=0) >= 0 and share.denominator == 1:
            whole[found] = share
            taken = {tuple(map(add, found, one)): share * by for one, by in under.items()}
            waiting = plus(waiting, taken, -1)  # what was largest goes, and all that comes is smaller
        else:
            rest[powers] = waiting.pop(powers)
    # ⌊q + r⌋ is q − 1 and not q where the rest is below zero: so a whole one is lent to it
    if sign(rest, letters) == -1:
        whole, rest = plus(whole, letters.number(1), -1), plus(rest, under)
    left = from_one_on(plus(under, rest, -1), letters)
    # rest < divisor strictly: no coefficient is negative, and the constant one is left where the others are 0
    less = min(left.values(), default=0) > 0 and (0,) * len(divisor) in left
    counts = all(not power or n in letters.whole for p in whole for n, power in zip(letters.names, p, strict=True))
    need(
        counts and (not rest or (not exact and less and sign(rest, letters) == 1)), "what it is rounded to is not seen"
    )
    return {powers: factor * times for powers, factor in whole.items() if times}, letters.number(1)


def gap(left: Tree, right: Tree, letters: Letters) -> tuple[Terms, Terms]:
    """Polynomial with the sign of left − right, and the denominator that must not be 0."""
    over, under = ratio(["+", left, ["*", -1, right]], letters)
    below = sign(under, letters)
    # a/b has the sign of a·b, and where the sign of b is known already that of ±a, which is shorter
    found = {p: f * below for p, f in over.items()} if below else times(over, under)
    return bare(found, letters)[0], under


def fact(relation: Tree, letters: Letters) -> tuple[Terms, bool]:
    """Polynomial that a relation says is at least 0, and whether it says that it is more."""
    larger, smaller = relation[1:] if relation[0] in (">", ">=") else relation[:0:-1]
    return gap(larger, smaller, letters)[0], relation[0] in ("<", ">")


def words(tree: Tree, inside: bool = False) -> str:
    """Text of a tree, as it is read."""
    if not isinstance(tree, list):
        return str(tree)
    operator, *arguments = tree
    if operator in SIGNS:
        return f" {SIGNS[operator]} ".join(map(words, arguments))
    if operator in ("iff", "implies"):
        return (" ⟺ " if operator == "iff" else " ⟹ ").join(map(words, arguments))
    if operator == "cases":
        return f"{words(arguments[0])} is " + "; ".join(
            f"{words(value)} where {' and '.join(map(words, where))}" for value, where in arguments[1:]
        )
    said = [words(argument, inside=operator in "+*/^") for argument in arguments]
    if operator in ("+", "*", "/", "^"):
        text = {"+": " + ", "*": "·", "/": "/", "^": "^"}[operator].join(said)
        return f"({text})" if inside else text
    return f"{operator}({', '.join(said)})"


# Equations, beside what an engine entered


def verify_identity(formula: dict[str, Any], engine: dict[str, Any]) -> str:
    """Decide an equation for each subject; `ValueError` where it is not proved."""
    need(formula["claim"][0] == "=" and formula["subjects"], "it compares nothing")
    names = [subject["subject"] for subject in formula["subjects"]]
    need(len({*names}) == len(names), "a subject stands twice")
    pairs = sum(verify_subject(formula, subject, engine) for subject in formula["subjects"])
    return f"{pairs} polynomials for {', '.join(names)}"


class Pair(NamedTuple):
    """A case and a branch, which must not meet if both sides are not the same.

    Attributes:
        facts: what is at least 0 in the branch, and whether it is more.
        stated: what is at least 0 in the case.
        difference: of both sides, over one denominator, for the numbers of what is gone through one by one.
        same: whether both sides are the same, whatever these numbers are.
    """

    facts: list[tuple[Terms, bool]]
    stated: list[Terms]
    difference: Terms
    same: bool


def verify_subject(formula: dict[str, Any], subject: dict[str, Any], engine: dict[str, Any]) -> int:
    """Decide an equation for one subject; the number of pairs whose polynomials are the same."""
    return decided(subject, dict(compared(formula, subject, engine)))


def decided(subject: dict[str, Any], pairs: dict[str, Pair]) -> int:
    """Number of pairs of a case and a branch that are the same; complain if others are not shown not to meet."""
    for key, pair in pairs.items():
        if not pair.same:
            # cases and branches need not fit together: a case that cannot be where a branch is says nothing of it
            need(key in subject["apart"], "formula and counts differ")
            shown = excluded(pair, subject["apart"][key], letters_for(subject))
            need(shown, "formula and counts differ where they may meet")
    # were all of them kept apart, nothing would have been compared
    need(any(pair.same for pair in pairs.values()), "no case of the formula meets a branch of the counts")
    return sum(pair.same for pair in pairs.values())


def letters_for(subject: dict[str, Any]) -> Letters:
    """Letters of a subject: the parameters that are free."""
    need({*subject["whole"]} <= {*subject["parameters"]}, "what is whole is no parameter")
    return Letters(tuple(subject["parameters"]), frozenset(subject["whole"]))


def compared(formula: Any, subject: dict[str, Any], engine: dict[str, Any]) -> Iterator[tuple[str, Pair]]:
    """All cases of a claim, each with all branches of the counts, by the names that multipliers have in a file."""
    _, quantity, claim = formula["claim"]
    need(isinstance(quantity, str) and quantity not in letters_of(claim), "it is no equation for a letter")
    need(quantity == subject["measures"], f"what is counted is {subject['measures']}")
    conditions = formula["conditions"] + subject["conditions"]
    for name, tree in subject["letters"]:
        claim, conditions = put(claim, name, tree), [put(one, name, tree) for one in conditions]
    letters, order = letters_for(subject), {"<", "<=", ">", ">="}
    # equations are no facts here; to use fewer facts is to prove more
    known = [one for one in conditions if one[0] in order and {*letters_of(one)} <= {*letters.names}]
    answers = [*answered(subject, letters, engine)]
    for number, ((_, tree, *conditions), relations) in enumerate(cases(["where", claim, *known])):
        given = [fact(one, letters) for one in conditions]
        stated = [fact(one, letters)[0] for one in relations]
        sides = with_value(tree, letters, [one for one, strict in given if strict and one])
        for place, (at, facts, a, b) in enumerate(answers):
            # where it has no value it must not be asked
            difference = plus(times(sides[0], b), times(sides[1], a), -1) if sides else letters.number(1)
            here = [(there(one, at, letters), strict) for one, strict in (*given, *facts)] if difference else []
            yield f"{number} {place}", Pair(here, stated, there(difference, at, letters), not difference)


def with_value(tree: Tree, letters: Letters, above_zero: list[Terms]) -> tuple[Terms, Terms] | None:
    """Numerator and denominator of a tree; None if the denominator may be 0 where these are above 0."""
    try:
        over, under = ratio(tree, letters)
    except ZeroDivisionError:
        return None
    # a denominator that is a condition's gap times something with a sign is not 0 either
    shown = [found for one in above_zero if (found := quotient(under, one)) is not None]
    return (over, under) if any(strict_sign(one, letters) for one in (under, *shown)) else None


def answered(
    subject: dict[str, Any], letters: Letters, engine: dict[str, Any]
) -> Iterator[tuple[Any, Any, Terms, Terms]]:
    """All branches of the counts: numbers that are fixed there, facts, and a numerator and a denominator."""
    free, known = {name: letters.letter(name) for name in letters.names}, dict[str, Terms]()

    def value(entry: list[Any]) -> Terms:
        if (key := json.dumps(entry)) not in known:
            file, name, put_in = entry
            its = engine[file]["entries"][name]
            names = {letter for _, powers in its for letter in powers}
            # else a file could put in what the engine never counted with
            need({*put_in} <= names <= {*engine[file]["parameters"]}, "an entry has other parameters")
            counting = {*engine[file]["parameters"]} & letters.whole
            # an entry that was counted for whole numbers only says nothing of others
            need(counting <= {*engine[file]["whole"]}, f"{', '.join(sorted(counting))} may be no whole number")
            values = {n: written(put_in[n], free, letters) if n in put_in else free[n] for n in names}
            known[key] = written(its, values, letters)
        return known[key]

    def branches(node: dict[str, Any], facts: list[Any]) -> Iterator[Any]:
        if "gap" in node:
            need({*node} == {"gap", "then", "else"}, "a comparison has two outcomes")
            border = written(node["gap"], free, letters)
            yield from branches(node["then"], [*facts, (border, False)])
            # where the comparison came out false the gap is below 0, strictly
            yield from branches(node["else"], [*facts, ({p: -f for p, f in border.items()}, True)])
        else:
            need({*node} == {"over", "under", "entries"}, "an answer is one count over another")
            entries = {name: value(entry) for name, entry in node["entries"].items()}
            used = {name for side in ("over", "under") for _, powers in node[side] for name in powers}
            need({*entries} <= used, "an entry is not what is counted")
            over, under = (written(node[side], free | entries, letters) for side in ("over", "under"))
            need(under, "a count is divided by zero")
            yield facts, over, under

    for answer in subject["answers"]:
        yield from ((answer["at"], *branch) for branch in branches(answer["tree"], []))
    need(known, "nothing is counted")


def there(terms: Terms, at: dict[str, int], letters: Letters) -> Terms:
    """A polynomial with these numbers in the place of letters."""
    found: Terms = {}
    for powers, factor in terms.items():
        for name, power in zip(letters.names, powers, strict=True):
            factor *= at.get(name, 1) ** power
        rest = tuple(0 if name in at else power for name, power in zip(letters.names, powers, strict=True))
        found[rest] = found.get(rest, 0) + factor
    return {powers: factor for powers, factor in found.items() if factor}


def excluded(pair: Pair, by: dict[str, Any], letters: Letters) -> bool:
    """Whether multipliers show that a branch and a case do not meet, or only where both sides are the same."""
    every = [*(one for one, _ in pair.facts), *pair.stated]
    free = {name: letters.letter(name) for name in letters.names}
    need({*by} <= {*map(str, range(len(every)))}, "a multiplier belongs to nothing")
    multipliers = {int(place): written(terms, free, letters) for place, terms in by.items()}
    total = reduce(plus, (times(every[place], one) for place, one in multipliers.items()), letters.number(0))
    # a multiplier is positive for positive letters: a fact keeps its direction, and is used in earnest
    rightly = all(every[place] and one and min(one.values()) > 0 for place, one in multipliers.items())
    # in both a branch and a case each summand is at least 0 and their sum at most 0: so there each fact used is exactly
    # 0
    if not multipliers or not rightly or sign(total, letters) not in (0, -1):
        return False
    if strict_sign(total, letters) == -1:
        return True  # nowhere at all
    if ends := [every[place] for place in multipliers if place >= len(pair.facts)]:
        # where a case ends another begins, with the same value there; but that must not be all there is of the branch
        return not any(quotient(end, one) is not None for end in ends for one in borders(pair, letters))
    facts = [pair.facts[place] for place in multipliers]
    # a strict fact is never 0; and where one is 0 that divides the difference, both sides are the same
    return any(strict or quotient(pair.difference, one) is not None for one, strict in facts)


def borders(pair: Pair, letters: Letters) -> list[Terms]:
    """Polynomials that are 0 in all of a branch, since they are at least 0 and at most 0 as well."""
    known = [one for one, strict in pair.facts if one and not strict]
    alone = [one for one in known if sign(one, letters) == -1]
    pairs = [two for two in combinations(known, 2) if sign(plus(*two), letters) in (0, -1)]
    return [*alone, *(one for two in pairs for one in two)]


# Theorems, for solvers


class Rounded(NamedTuple):
    """A letter that stands for what is rounded down, and of what."""

    name: str
    of: Tree


def plain(tree: Tree, rounded: list[Rounded]) -> Tree:
    """A tree with a letter for whatever is rounded, and for a power with a letter in its exponent."""
    if not isinstance(tree, list):
        return tree
    operator, *arguments = (tree[0], *(plain(part, rounded) for part in tree[1:]))
    if operator in ("floor", "ceil", "mod"):
        argument = arguments[0] if operator != "mod" else ["/", *arguments]
        of = ["*", -1, argument] if operator == "ceil" else argument
        # the same rounding is the same letter, or solvers would not know that they are equal
        one = next((one for one in rounded if one.of == of), None) or Rounded(f"rounded_{len(rounded) + 1}", of)
        rounded += [] if one in rounded else [one]
        if operator == "mod":
            return ["+", arguments[0], ["*", -1, arguments[1], one.name]]
        return ["*", -1, one.name] if operator == "ceil" else one.name
    if operator == "^" and not isinstance(arguments[1], int):
        added = arguments[1][1:] if isinstance(arguments[1], list) and arguments[1][0] == "+" else [arguments[1]]
        # α^(γ + 1) as α·α^γ, so that powers which differ by whole factors are one letter
        whole = sum(one for one in added if isinstance(one, int))
        rest = [one for one in added if not isinstance(one, int)]
        base = arguments[0]
        need(
            (isinstance(base, str) and not base.startswith("rounded_")) or (type(base) is int and base > 0),
            "what has a letter in its exponent may be negative",
        )
        need(not any("^" in one for one in letters_of(*arguments)), "a power stands in a power")
        name = f"{words(arguments[0], True)}^{words(rest[0] if len(rest) == 1 else ['+', *rest], True)}"
        return ["*", ["^", arguments[0], whole], name] if whole else name
    return [operator, *arguments]


class Writer:
    """Writer of statements in SMT-LIB, and of a question whether all of them can be true.

    Attributes:
        rounded: what is rounded in the statements, for which letters stand there.
        letters: all letters of the statements.
        counting: those that count.
        whole: whether letters that count are declared to be whole.
        apart: whether each product of letters is a number of its own; what holds then holds of products as well.
            Else everything is left as it is written, which solvers find easier than what is multiplied out.
        divisors: what has to be shown not to be zero.
    """

    def __init__(
        self, relations: list[Tree], rounded: list[Rounded], counting: list[str], *, whole: bool, apart: bool
    ) -> None:
        names = letters_of(*relations, *(one.of for one in rounded))
        self.rounded, self.whole, self.apart = rounded, whole, apart
        self.letters = Letters(tuple(names), signed=frozenset(one.name for one in rounded))
        self.counting = {*counting} & {*names}
        self.products = dict[str, bool]()  # whether it may be negative or 0
        self.divisors = list[Terms]()

    def question(self, statements: list[str]) -> list[str]:
        """The lines of a question: what letters stand for, and what is stated of them."""
        names = [name for name in self.letters.names if name not in self.letters.signed]
        # said where it is linear: solvers have a procedure for that which always ends
        whole = self.rounded or any(map(self.is_whole, names))
        lines = [f"(set-logic {'ALL' if whole else 'QF_LRA' if self.apart else 'QF_NRA'})"]
        for name in (*names, *self.products):
            kind = "Int" if self.is_whole(name) else "Real"
            least = "(>= {} 1)" if kind == "Int" else "(>= {} 1.0)" if name in self.counting else "(> {} 0.0)"
            lines.append(f"(declare-const {quoted(name)} {kind})")
            lines += [] if self.products.get(name) else [f"(assert {least.format(quoted(name))})"]
        lines += [f"(declare-const {one.name} Int)" for one in self.rounded]
        return [*lines, *(f"(assert {one})" for one in statements), "(check-sat)", ""]

    def given(self, relations: list[Tree]) -> list[str]:
        """Statements that relations hold, and what stands for what is rounded."""
        return [*map(self.rounding, self.rounded), *map(self.relation, relations)]

    def case(self, relations: list[tuple[Tree, bool]]) -> str:
        """Statement that some relations have the truths that are given with them."""
        return joined(
            "and", [self.relation(one) if holds else f"(not {self.relation(one)})" for one, holds in relations]
        )

    def zero(self, terms: Terms) -> str:
        """Statement that a polynomial is zero."""
        return f"(= {self.polynomial(terms)} 0.0)"

    def polynomial(self, terms: Terms) -> str:
        """Polynomial as a sum of products."""
        said = []
        for powers, factor in sorted(terms.items()):
            # x·x and not a power: every solver multiplies, and some know no exponents
            named, below = (
                [n for n, power in zip(self.letters.names, powers, strict=True) for _ in range(by * power)]
                for by in (1, -1)
            )
            if self.apart and (len(named) > 1 or below):
                product = ("·".join(named) or "1") + (f"/{'·'.join(below)}" if below else "")
                self.products[product] = bool({*named} & self.letters.signed)
                named = [product]
            size = f"{abs(factor.numerator)}.0"
            number = size if factor.denominator == 1 else f"(/ {size} {factor.denominator}.0)"
            said.append(" ".join([number if factor > 0 else f"(- {number})", *map(self.name, named)]))
        found = [f"(* {one})" if " " in one.replace("(- ", "") else one for one in said]
        return f"(+ {' '.join(found)})" if len(found) > 1 else found[0] if found else "0.0"

    def name(self, letter: str) -> str:
        """A letter as a real number."""
        return f"(to_real {quoted(letter)})" if self.is_whole(letter) else quoted(letter)

    def is_whole(self, letter: str) -> bool:
        """Whether a letter is declared to be whole."""
        return letter in self.letters.signed or (self.whole and letter in self.counting)

    def relation(self, relation: Tree) -> str:
        """A relation; one with maxima by the cases of these, each of which says that it is the case."""
        operator = "=" if relation[0] == "!=" else relation[0]
        found = []
        for (_, left, right), order in cases(["both", *relation[1:]]):
            for part in (one for side in (left, right) for one in parts(side) if isinstance(one, list)):
                if part[0] == "/" or (part[0] == "^" and part[2] < 0):  # what is divided by within as well
                    self.divide(ratio(part[2 if part[0] == "/" else 1], self.letters)[0])
            sides = [*(self.compared(">=", a, b) for _, a, b in order), self.compared(operator, left, right)]
            found.append(joined("and", sides))
        text = joined("or", found)
        return f"(not {text})" if relation[0] == "!=" else text

    def compared(self, operator: str, left: Tree, right: Tree) -> str:
        """A relation without maxima, with fractions multiplied out."""
        if self.apart:
            over, under = ratio(["+", left, ["*", -1, right]], self.letters)
            if len(under) == 1 and self.divide(under):
                # a quotient of letters is a letter too: multiplied out, each relation would have products of its own
                ((below, by),) = under.items()
                over = {tuple(map(sub, powers, below)): Fraction(factor) / by for powers, factor in over.items()}
            else:
                over, under = gap(left, right, self.letters)
                self.divide(under)
            return f"({operator} {self.polynomial(over)} 0.0)"
        (a, b), (c, d) = fraction(left), fraction(right)
        one, other, both = product_of(a, d), product_of(c, b), product_of(b, d)
        if self.divide(ratio(both, self.letters)[0]):
            # of integers n < m solvers know that n + 1 ≤ m, of the same as real numbers they do not
            integers = all(map(self.is_whole, letters_of(one, other)))
            return f"({operator} {self.term(one, integers)} {self.term(other, integers)})"
        return f"({operator} {self.term(['*', ['+', one, ['*', -1, other]], both])} 0.0)"

    def divide(self, under: Terms) -> bool:
        """Whether a divisor is positive; else it is noted that it has to be shown not to be 0."""
        if strict_sign(under, self.letters) == 1:
            return True
        if under not in self.divisors:
            self.divisors.append(under)
        return False

    def term(self, tree: Tree, integers: bool = False) -> str:
        """A sum or product as it is written, of real numbers or of integers."""
        if isinstance(tree, str):
            return quoted(tree) if integers else self.name(tree)
        if isinstance(tree, int):
            size = f"{abs(tree)}{'' if integers else '.0'}"
            return size if tree >= 0 else f"(- {size})"
        operator, *arguments = tree
        if operator == "^":
            return self.term(["*", *[arguments[0]] * arguments[1]], integers)
        return joined(operator, [self.term(one, integers) for one in arguments])

    def rounding(self, one: Rounded) -> str:
        """Statement that a letter is the largest whole number that is no more than what it rounds down."""
        over, under = ratio(one.of, self.letters)
        lower = plus(over, times(under, self.letters.letter(one.name)), -1)
        found = f"(and (>= {self.polynomial(lower)} 0.0) (< {self.polynomial(plus(lower, under, -1))} 0.0))"
        # where the divisor is not positive nothing is said of the letter: too much would hide what is false
        return found if self.divide(under) else f"(or (<= {self.polynomial(under)} 0.0) {found})"


def quoted(letter: str) -> str:
    """A letter, or what stands for a product or a power, as SMT-LIB writes it."""
    return letter if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", letter) else f"|{letter}|"


def joined(operator: str, arguments: list[str]) -> str:
    """An operator with its arguments; one alone needs none."""
    return f"({operator} {' '.join(arguments)})" if len(arguments) > 1 else arguments[0]


def fraction(tree: Tree) -> tuple[Tree, Tree]:
    """A tree without maxima as one sum or product over another, neither multiplied out."""
    if not isinstance(tree, list):
        return tree, 1
    operator, *arguments = tree
    if operator == "^":
        (over, under), power = fraction(arguments[0]), arguments[1]
        need(isinstance(power, int), "a letter stands in an exponent")
        sides = [["^", side, abs(power)] if side != 1 else 1 for side in (over, under)]
        return (sides[0], sides[1]) if power >= 0 else (sides[1], sides[0])
    found = [fraction(argument) for argument in arguments]
    if operator == "/":
        (a, b), (c, d) = found
        return product_of(a, d), product_of(b, c)
    if operator == "*":
        return product_of(*(over for over, _ in found)), product_of(*(under for _, under in found))
    need(operator == "+", f"{operator} is no operator here")
    unders = list[Tree]()
    for _, under in found:
        unders += [under] if under != 1 and under not in unders else []
    terms = [product_of(over, *(one for one in unders if one != under)) for over, under in found]
    return ["+", *terms], product_of(*unders)


def product_of(*factors: Tree) -> Tree:
    """A product, without what is 1."""
    left = [one for one in factors if one != 1]
    return ["*", *left] if len(left) > 1 else left[0] if left else 1


def broken(claim: Tree) -> Iterator[list[tuple[Tree, bool]]]:
    """The ways in which a theorem may be false: relations, and whether each holds."""
    kind, *sides = claim
    if kind == "iff":
        yield [(sides[0], True), (sides[1], False)]
        yield [(sides[0], False), (sides[1], True)]
    elif kind == "implies":
        yield [(sides[0], True), (sides[1], False)]
    elif kind in SIGNS:
        yield [(claim, False)]
    else:  # one of several cases holds and no other, and there it gives the value
        need(kind == "cases" and len(sides) > 1, f"{kind} is no theorem")
        value, *pieces = sides
        yield from ([(one, False) for one in each] for each in product(*(where for _, where in pieces)))
        yield from ([(one, True) for one in (*a[1], *b[1])] for a, b in combinations(pieces, 2))
        yield from ([*((one, True) for one in where), (["=", value, its], False)] for its, where in pieces)


def question(formula: dict[str, Any]) -> str:
    """Question to solvers: whether there are numbers for which the conditions hold and the theorem does not."""
    rounded = list[Rounded]()
    claim, *conditions = (_plain_claim(one, rounded) for one in (formula["claim"], *formula["conditions"]))
    ways = [*broken(claim)]
    told = [*conditions, *(one for way in ways for one, _ in way)]
    form = {"whole": formula["in_whole_numbers"], "apart": formula["products_apart"]}
    writer = Writer(told, rounded, formula["whole"], **form)
    given, faults = writer.given(conditions), [*map(writer.case, ways)]
    # where its premise fails an implication says nothing, so a zero below it there is no fault
    speaks = [writer.relation(claim[1])] if claim[0] == "implies" else []
    faults += [joined("and", [*speaks, writer.zero(under)]) for under in writer.divisors]
    lines = [f"; {formula['formula']}: {words(formula['claim'])}"]
    lines += [f"; where {words(one)}" for one in formula["conditions"]]
    lines += ["; asked: numbers for which that is false, or something is divided by zero", "; expected: unsat"]
    return "\n".join([*lines, *writer.question([*given, joined("or", faults)])])


def _plain_claim(tree: Tree, rounded: list[Rounded]) -> Tree:
    """Claim with letters for what is rounded, as `plain` makes a tree; its cases are lists of relations."""
    if tree[0] == "cases":
        pieces = ([plain(value, rounded), [plain(one, rounded) for one in where]] for value, where in tree[2:])
        return ["cases", plain(tree[1], rounded), *pieces]
    return plain(tree, rounded)


# Examples


STEPS: dict[str, Any] = {"+": add, "*": mul, "/": truediv, "mod": mod, "max": max, "min": min}
STEPS |= {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def value(tree: Tree, at: dict[str, Fraction]) -> Any:
    """Value of a tree at some values of the letters: a number, or the truth of a relation."""
    if not isinstance(tree, list):
        return at[tree] if isinstance(tree, str) else Fraction(tree)
    operator, *arguments = tree
    found = [value(argument, at) for argument in arguments]
    if operator in ("floor", "ceil"):
        return Fraction((floor if operator == "floor" else ceil)(found[0]))
    if operator == "^":
        need(found[1].denominator == 1 and abs(found[1]) < 1000, "an exponent is no whole number")
        return found[0] ** int(found[1])
    need(operator in STEPS, f"{operator} is no operator")
    return reduce(STEPS[operator], found)


def verify_example(formula: dict[str, Any]) -> None:
    """Verify the example: numbers for which the conditions hold, and what an implication presupposes."""
    at = {name: Fraction(number) for name, number in formula["example"].items()}
    need(all(number > 0 for number in at.values()), "an example is not positive")
    counts = all(at[name].denominator == 1 for name in at if name in formula["whole"])
    need(counts, "an example counts what is no whole number")
    claim = formula["claim"]
    relations = formula["conditions"] + ([claim[1]] if claim[0] == "implies" else [])
    need(all(value(one, at) for one in relations), "no example shows that the conditions can hold")


# Files

FIELDS = {
    "formula": {"formula", "kind", "proof", "why", "claim", "conditions", "whole", "example"},
    "identity": {"subjects"},
    "theorem": {"in_whole_numbers", "products_apart"},
    "none": set[str](),
    "subject": {
        "subject",
        "question",
        "asks",
        "measures",
        "parameters",
        "whole",
        "letters",
        "conditions",
        "answers",
        "apart",
    },
    "answer": {"at", "tree"},
    "engine": {"subject", "run", "side", "parameters", "whole", "entries"},
}


def loaded(file: Path) -> Any:
    """Content of a JSON file, each key once."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        need(len(found) == len(pairs), "a key stands twice")
        return found

    return json.loads(
        file.read_text(encoding="utf-8"),
        object_pairs_hook=once,
        # a float has been rounded when it is read, so one is refused before anything is made of it
        parse_float=lambda number: need(0, f"{number} is not exact"),
    )


def has(record: Any, *kinds: str) -> None:
    """Complain if a record has not just the fields of its kind."""
    wanted = set[str]().union(*(FIELDS[kind] for kind in kinds))
    need(isinstance(record, dict) and {*record} == wanted, f"it has not just the fields {', '.join(sorted(wanted))}")


def verify_formula(formula: Any, name: str, theorems: dict[str, str]) -> str:
    """Verify all of a formula but what is compared, and say what is shown; `ValueError` if it is not."""
    need(isinstance(formula, dict) and formula.get("proof") in PROOFS, "it says no proof")
    has(formula, "formula", formula["proof"])
    need(formula["formula"] == name, f"it is about {formula['formula']}")
    if formula["proof"] != "none":
        is_claim(formula["claim"])
    for one in formula["conditions"] if formula["proof"] != "none" else ():
        is_relation(one)
    is_theorem = formula["claim"][0] in ("iff", "implies", "cases")
    need(
        (formula["proof"] == "theorem") <= is_theorem and (formula["proof"] == "identity") <= (not is_theorem),
        "it is no proof of that",
    )
    if formula["proof"] == "none":
        need(formula["why"], "it does not say why nothing is proved")
        return f"not proved here: {formula['why']}"
    verify_example(formula)
    if formula["proof"] == "theorem":
        need(theorems.get(name) == question(formula), f"theorems/{name}.smt2 is not what the claim asks")
        return "a theorem, for solvers"
    for subject in formula["subjects"]:
        has(subject, "subject")
        named = [name for name, _ in subject["letters"]]
        need(
            len({*named, *subject["parameters"]}) == len(named) + len(subject["parameters"]),
            "a letter has two meanings",
        )
        for tree in (*named, *subject["parameters"], subject["measures"], *(one for _, one in subject["letters"])):
            well_formed(tree)
        need(
            all(isinstance(name, str) for name in named) and subject["measures"] not in named,
            "what is defined is no letter",
        )
        for one in subject["conditions"]:
            is_relation(one)
        for answer in subject["answers"]:
            has(answer, "answer")
            fixed = answer["at"].items()
            need(
                all(n in subject["whole"] and type(v) is int and v > 0 for n, v in fixed),
                "a number is fixed that is none",
            )
    return "an equation"


def asked(command: list[str]) -> str:
    """Output of a solver's command in ten minutes, for all of its questions at once."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False).stdout
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode() if not isinstance(late.stdout, str) else late.stdout


def verify_theorems(files: list[Path]) -> Iterator[str]:
    """Put every question to every solver at hand; say what is wrong."""
    ways = {name: [sys.executable, "-P", "-c", code] for name, code in MODULES.items() if find_spec(name)}
    binaries = {name: [found] for name in MODULES if name not in ways and (found := shutil.which(name))}
    for name, command in (ways | binaries).items() if files else ():
        chunks = [files] if name in ways else [[file] for file in files]
        answers = "".join(asked([*command, *map(str, chunk)]) for chunk in chunks).split() + ["nothing"] * len(files)
        for file, answer in zip(files, answers, strict=False):
            if answer != "unsat":
                yield f"{file.stem}: {name} says {answer}, expected is unsat"
        print(f"{len(files)} theorems put to {name}")
    if files and not ways | binaries:
        yield "theorems: there is no SMT solver here: pip install z3-solver"


def verify_files() -> Iterator[str]:
    """Say what is missing, damaged or not listed."""
    try:
        listed = loaded(HERE / "MANIFEST.json")
        need(isinstance(listed, dict) and all(isinstance(one, str) for one in listed.values()), "it lists no files")
        # this file itself is in no list: whoever trusts the number compares it, and the number covers all others
        if sha256((HERE / "MANIFEST.json").read_bytes()).hexdigest() != EXPORT:
            yield "MANIFEST.json: is not what was exported"
    except Exception as error:
        yield f"MANIFEST.json: {error or type(error).__name__}"
        return
    for name in listed:
        if not re.fullmatch(r"(formulas|engine)/[A-Za-z0-9_,-]+\.json|theorems/[A-Za-z0-9_]+\.smt2", name):
            yield f"{name}: is no file of an export"
    found = {
        file.relative_to(HERE).as_posix(): file for file in HERE.rglob("*") if file.is_symlink() or not file.is_dir()
    }
    for name in sorted({*listed, *found} - {"MANIFEST.json", "verify.py"}):
        if name not in found or not is_as_listed(found[name], listed.get(name)):
            yield f"{name}: is not what was exported"


def is_as_listed(file: Path, digest: str | None) -> bool:
    """Whether something is a file and has the digest that is listed."""
    return not file.is_symlink() and file.is_file() and sha256(file.read_bytes()).hexdigest() == digest


def said_of(formula: dict[str, Any], said: str) -> Iterator[str]:
    """A formula in words, with all that it is decided from."""
    yield f"{formula['formula']}: {words(formula['claim'])}"
    yield from (f"  where {words(one)}" for one in formula["conditions"])
    yield f"  {said}"
    for subject in formula.get("subjects", ()):
        yield f"  {subject['subject']}: {subject['asks']}"
        yield from (f"    {name} = {words(tree)}" for name, tree in subject["letters"])
        yield from (f"    where {words(one)}" for one in subject["conditions"])
        for answer in subject["answers"]:
            if answer["at"]:
                yield f"    gone through for {', '.join(f'{name} = {number}' for name, number in answer['at'].items())}"


def verify(names: list[str]) -> Iterator[str]:
    """Verify everything, or some formulas; say what is wrong."""
    yield from verify_files()
    files = {file.stem: file for file in sorted((HERE / "formulas").glob("*.json"))}
    theorems = {file.stem: file for file in sorted((HERE / "theorems").glob("*.smt2"))}
    if not files:
        yield "nothing is exported"
    yield from (f"theorems/{name}.smt2: there is no such formula" for name in theorems if name not in files)
    yield from (f"there is no formula {name} here" for name in names if name not in files)
    texts, engine = dict[str, str](), dict[str, Any]()
    for name, file in theorems.items():
        try:
            texts[name] = file.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            yield f"theorems/{name}.smt2: cannot be read: {error}"
    for file in sorted((HERE / "engine").glob("*.json")):
        try:
            has(table := loaded(file), "engine")
            engine[file.name] = table
        except Exception as error:
            yield f"{file.name}: {error or type(error).__name__}"
    kinds, put_to = dict.fromkeys(sorted(PROOFS), 0), list[Path]()
    for name in names or files:
        try:
            formula = loaded(files[name])
            said = verify_formula(formula, name, texts)
            said += f": {verify_identity(formula, engine)}" if formula["proof"] == "identity" else ""
            kinds[formula["proof"]] += 1
            put_to += [theorems[name]] if formula["proof"] == "theorem" else []
            if names:
                print(*said_of(formula, said), sep="\n")
        except Exception as error:  # whatever is wrong with a file, it proves nothing
            yield f"{name}: {error or type(error).__name__}"
    yield from verify_theorems(put_to)
    print(
        f"{kinds['identity']} equations proved, {kinds['theorem']} theorems, {kinds['none']} formulas not proved here"
    )


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    faults = list(dict.fromkeys(verify(sys.argv[1:])))
    print("\n".join(faults) if faults else f"nothing is wrong with the export {EXPORT[:16]}")
    sys.exit(1 if faults else 0)
