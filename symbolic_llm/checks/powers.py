"""Powers with a letter in the exponent, for solvers that know none

In place of such a power solvers are given a positive number, of which they know nothing else. What holds for every
positive number holds for the power. What they say is false may be true of the power: an example of theirs is put in and
evaluated, so none is believed for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ..algebra import Pow, Symbol, expand_power_exp
from ..numeral import valued


def without_powers(relations: Iterable[Any]) -> dict[Any, Any]:
    """Each relation with a positive number in place of every power whose exponent has a letter."""
    return {relation: _without(relation) for relation in relations}


def numbers_for(relations: Iterable[Any]) -> dict[Any, Any]:
    """The numbers that stand for powers in some relations, each with its power."""
    found: dict[Any, Any] = {}
    for relation in relations:
        for power in _powers(_written_out(relation)):
            found[_number(power)] = power
    return found


@lru_cache(maxsize=2**10)
def _without(relation: Any) -> Any:
    plain = _written_out(relation)
    if not (powers := _powers(plain)):
        return relation
    numbers = {power: _number(power) for power in powers}
    return plain.func(*(side.xreplace(numbers) for side in plain.args), evaluate=False)


def _written_out(relation: Any) -> Any:
    """Relation with α·α^γ in place of α^(γ + 1), so that one power stands for all that differ by whole factors of α."""
    plain = valued(relation)
    if not _powers(plain):
        return plain
    return plain.func(*(expand_power_exp(side) for side in plain.args), evaluate=False)


def _powers(relation: Any) -> list[Any]:
    """The powers with a letter in the exponent, of something that is positive."""
    # of a negative base a power may be negative, or no number: then it is left to whoever asks
    found = (power for power in relation.atoms(Pow) if power.exp.free_symbols and power.base.is_positive)
    return sorted(found, key=str)


def _number(power: Any) -> Any:
    # by its text, so that a power is the same number wherever it stands
    return Symbol(str(power).replace("**", "^").replace(" ", ""), positive=True)
