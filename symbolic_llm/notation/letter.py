"""Letters, and what is known of each

A letter is a SymPy symbol together with what it means: how it prints, its unit, whether it is a whole number, the
names other authors give it and the name under which the reference engine takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..algebra import Symbol
from ..errors import CatalogueError
from ..units import Unit


@dataclass(frozen=True)
class Letter:
    """A letter of the notation, with all that is known of it.

    Attributes:
        name: the name in code, on the command line and in data files.
        latex: how it prints in mathematics.
        meaning: one phrase that says what it stands for.
        unit: the unit its numbers are in.
        whole: whether it counts things, so that its values are 1, 2, 3, …
        share: whether it is a part of a whole, so that its values lie between 0 and 1.
        aliases: other names by which a value for it may be given, where the formula has no letter of that name.
        engine: the parameter of the reference engine it corresponds to; "" where the engine has none.
        shown: how it prints in plain text, where not by its name.
        at_least: the letter that it is never less than, whatever computes it; None where it has no such bound.
        varies: whether decoders that are built differently compute it by different formulas, so that it is
            written out by the one that the model picks.
        limit_of: where the letter stands for a limit, the names of what tends to it and of what grows.
        instead_of: letters of formulas that this one stands in for, in parts of some models that are of another width.
        group: the title of the letters that it is declared with.
    """

    name: str
    latex: str
    meaning: str
    unit: Unit
    whole: bool = False
    share: bool = False
    aliases: tuple[str, ...] = ()
    engine: str = ""
    shown: str = ""
    at_least: Any = None
    varies: bool = False
    limit_of: tuple[str, str] | None = None
    instead_of: tuple[str, ...] = ()
    group: str = ""


LETTERS: dict[Any, Letter] = {}  # symbol -> letter, in writing order; filled by `declare`, once, at import
_TIED: dict[str, str] = {}  # parameter of the engine -> its letter


def declare(name: str, unit: Unit, meaning: str, *, latex: str = "", engine: str | bool = "", **extra: Any) -> Any:
    """Enter a letter; its symbol stands for a positive number. `engine=True`: the engine calls it the same.

    Without `latex` it is typeset by its name: what follows the first underscore stands below, the rest above.
    `CatalogueError` for a second letter of the same name, or of the same parameter of the engine.
    """
    extra["engine"] = taken = name if engine is True else engine
    symbol = Symbol(name, positive=True)
    if symbol in LETTERS:
        raise CatalogueError(f"{name} is declared twice.")
    if taken and (known := _TIED.setdefault(taken, name)) != name:  # one of them would not be what it says
        raise CatalogueError(f"{name} and {known} are both the engine's {taken}, which is one letter.")
    LETTERS[symbol] = Letter(name, latex or _typeset(name), meaning, unit, **extra)
    return symbol


def _typeset(name: str) -> str:
    """LaTeX of a name: `D_seq_device` has `seq` below and `device` above."""
    letter, *marks = name.split("_")
    below = rf"_{{\text{{{marks[0]}}}}}" if marks else ""
    above = rf"^{{\text{{{', '.join(marks[1:])}}}}}" if marks[1:] else ""
    return letter + below + above


def group(docstring: str | None) -> Callable[..., Any]:
    """`declare` for the letters of a module, whose group is called by the first line of the module's docstring."""
    return partial(declare, group=(docstring or "").partition("\n")[0])


def sizes(docstring: str | None) -> Callable[..., Any]:
    """`group` for sizes, of which the engine takes each under the same name: they are whole numbers."""
    return partial(group(docstring), whole=True, engine=True)


def named(name: str) -> Any:
    """The letter of that name; `KeyError` if the notation has none."""
    symbol = Symbol(name, positive=True)  # symbols of one name are equal, so no index by name is kept
    if symbol not in LETTERS:
        raise KeyError(name)
    return symbol


def called(name: str) -> tuple[Any, ...]:
    """The letters of that name, in code or as printed; where there are none, those that have it as another name."""
    own = tuple(symbol for symbol, known in LETTERS.items() if name in (known.name, known.shown or known.name))
    return own or tuple(symbol for symbol, known in LETTERS.items() if name in known.aliases)
