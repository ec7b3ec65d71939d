"""Relations and maxima as an author writes them

SymPy's own `Eq`, `Max` and the like first look whether a relation is true and which argument of a maximum is the
larger. That takes two thirds of the time in which all formulas are loaded, and what is always true becomes `True`. A
formula states something, and whether it is true is for the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from . import algebra

Eq = partial(algebra.Eq, evaluate=False)
Ge = partial(algebra.Ge, evaluate=False)
Gt = partial(algebra.Gt, evaluate=False)
Le = partial(algebra.Le, evaluate=False)
Lt = partial(algebra.Lt, evaluate=False)
Max = partial(algebra.Max, evaluate=False)
Min = partial(algebra.Min, evaluate=False)


@lru_cache(maxsize=2**11)
def carried_out(extreme: Any, *arguments: Any) -> Any:
    """`Max` or `Min` as SymPy finds it to be, which compares every two arguments; many expressions have the same."""
    return extreme(*arguments)


def changed(expression: Any, changes: Mapping[Any, Any]) -> Any:
    """`xreplace`, but for maxima and minima that change, which are `carried_out`."""
    found = changing(expression, (algebra.Max, algebra.Min), lambda argument: changed(argument, changes))
    extremes = {extreme: carried_out(extreme.func, *arguments) for extreme, arguments in found}
    return expression.xreplace({**extremes, **changes})


def changing(
    expression: Any, kinds: tuple[type, ...], change: Callable[[Any], Any]
) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Parts of some classes whose arguments change, each with its new arguments."""
    for part in expression.atoms(*kinds):
        arguments = tuple(map(change, part.args))
        if arguments != part.args:
            yield part, arguments
