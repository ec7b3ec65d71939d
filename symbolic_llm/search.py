"""Formulas found by the words that people use

    >>> from symbolic_llm import find
    >>> find("inter-token latency", 2)
    latency_with_cache     Latency of a decoding step with cache reads
                           T_step = max((B·D_seq + D_weights)/W, B·(2·P + C_seq)/F)
    time_per_output_token  Time per output token
                           T_output = (B·m_token·(N + (n_new + 1)/2) + D_weights)/W

A phrase of the glossary finds the formulas that are meant by it. Other words are looked for in names and titles, in the
meanings and other names of letters, and in what formulas say of themselves; a rare word counts for more.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from .catalogue import catalogue
from .errors import InvalidValue, UnknownName, shown
from .expressions.printing import text
from .formula import Formula
from .glossary import Term, spelled, term_of, terms
from .notation import LETTERS

MOST = 10  # formulas that are listed
_LONGEST = 200  # characters
_SAYS_NOTHING = (
    "a an and are as at by can do does for from get how i in is it many much my of on one or per should take takes "
    "that the this to what when which will with"
)
_EMPTY = frozenset(_SAYS_NOTHING.split())
_PHRASE, _NAME, _LETTER, _TEXT = 100.0, 4.0, 2.0, 1.0  # how much it counts where a word is found


@dataclass(frozen=True)
class Found(Sequence[Formula]):
    """Formulas that were found, the likeliest first; a sequence of them.

    Attributes:
        words: what was looked for.
        formulas: the formulas.
    """

    words: str
    formulas: tuple[Formula, ...]

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        return self.formulas[place]

    def __len__(self) -> int:
        return len(self.formulas)

    def __str__(self) -> str:
        width = max(len(formula.name) for formula in self.formulas)
        return "\n".join(f"{one.name:<{width}}  {one.title}\n{'':<{width}}  {text(one.claim)}" for one in self.formulas)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .expressions.html import code, math, table, words

        return table(("formula", "", ""), [(code(one.name), words(one.title), math(one.claim)) for one in self])


def find(words: str, most: int = MOST) -> Found:
    """Formulas that people mean by some words, the likeliest first.

    Args:
        words: a phrase such as "time to first token", "tokens/s" or "GQA cache".
        most: so many at most.

    Raises:
        UnknownName: no formula is found.
        InvalidValue: there are no words.
    """
    if not isinstance(words, str) or not spelled(words):
        raise InvalidValue("give the words to look for, such as: time to first token.")
    if len(words) > _LONGEST:
        raise InvalidValue(f"a search takes {_LONGEST} characters at most, and {len(words)} were given.")
    scores = _scores(words)
    if not scores:
        raise UnknownName(f"no formula is found by {shown(words)!r}; symbolic-llm list shows them all.")
    order = {formula: place for place, formula in enumerate(catalogue())}
    ranked = sorted(scores, key=lambda formula: (-scores[formula], order[formula]))
    return Found(words, tuple(ranked[:most]))


def meant(name: str) -> Formula | None:
    """The formula that a phrase of the glossary means first: the one for "TTFT", say; None if it means none."""
    term = term_of(name)
    return catalogue()[term.formulas[0]] if term is not None and term.formulas else None


def _scores(words: str) -> Mapping[Formula, float]:
    asked = {word: weight for word in _words(words) if (weight := _rarity().get(word, 0.0))}
    scores: defaultdict[Formula, float] = defaultdict(float)
    for phrase, strength in _phrases(words):
        for place, name in enumerate(phrase):
            scores[catalogue()[name]] += strength / (1 + place / 10)
    for formula, fields in _index().items():
        hits = {word: fields[word] * weight for word, weight in asked.items() if word in fields}
        # all that was asked for, rather than one word of it many times
        if hits and len(hits) >= len(asked) / 2:
            scores[formula] += sum(hits.values()) * len(hits) / len(asked)
    return scores


def _phrases(words: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Formulas of the terms that are the words, or stand among them, with how much that counts."""
    whole, asked = term_of(words), {*_words(words)}
    if whole is not None:
        yield whole.formulas, _PHRASE
    names, terms_with = _names()
    for term, its in names.items():
        # a word of few terms tells more: SLO more than latency
        among = max((sum(1 / terms_with[word] for word in name) for name in its if name <= asked), default=0)
        if among and term is not whole:
            yield term.formulas, _PHRASE / 4 * among


@cache
def _names() -> tuple[Mapping[Term, Sequence[frozenset[str]]], Mapping[str, int]]:
    """By term, the words of each of its names; and the number of terms that a word stands in."""
    named = {
        term: [frozenset(_words(name)) for name in (term.name, *term.also) if len(name) > 1]
        for term in terms().values()
    }
    return named, Counter(word for its in named.values() for word in frozenset().union(*its))


def _words(said: str) -> list[str]:
    """Stems of the words of a text, without those that say nothing: decoding, decoded and decodes are decod."""
    found = (word for word in re.findall(r"[a-z0-9]+", said.lower()) if word not in _EMPTY)
    return [re.sub(r"(?<=\w{3})(?:(?<!s)s)?$", "", re.sub(r"(?<=\w{3})(?:ing|ed|es|e)$", "", word)) for word in found]


@cache
def _index() -> Mapping[Formula, Mapping[str, float]]:
    """By formula, how much each word counts that is found with it."""
    found: dict[Formula, Mapping[str, float]] = {}
    for formula in catalogue():
        fields: defaultdict[str, float] = defaultdict(float)
        letters = [LETTERS[letter] for letter in formula.letters]
        said = [(_NAME, f"{formula.name.replace('_', ' ')} {formula.title}"), (_TEXT, formula.docstring or "")]
        quantity = LETTERS.get(formula.quantity)
        if quantity is not None:
            said.append((_LETTER, " ".join((quantity.name, quantity.meaning, *quantity.aliases))))
        said += [(_TEXT, f"{letter.name} {' '.join(letter.aliases)}") for letter in letters]
        for weight, part in said:
            for word in {*_words(part)}:
                fields[word] = max(fields[word], weight)
        found[formula] = fields
    return found


@cache
def _rarity() -> Mapping[str, float]:
    """Weight of each word: the fewer formulas have it, the more it tells."""
    having = Counter(word for fields in _index().values() for word in fields)
    return {word: 1 + log(len(_index()) / number) for word, number in having.items()}
