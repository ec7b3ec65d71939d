"""The catalogue: every formula by name

A formula is found by looking for its file, so adding a file adds a formula. A chapter may say in which order it is
read (`ORDER`); in any case each formula comes after those it uses. A name used twice, a file without a FORMULA or
formulas that use each other in a circle are refused.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import formulas
from ..algebra import does_without_sympy
from ..errors import CatalogueError, UnknownName, ended, unknown_name
from ..reached import basic_first
from ..renamed import RENAMED

if TYPE_CHECKING:
    from ..formula import Formula

_CLAIM = re.compile(r"claim=\w+\(\s*(\w+)")


@dataclass(frozen=True)
class Chapter:
    """A folder of formulas: its name, title, introduction and formulas in reading order."""

    name: str
    title: str
    introduction: str
    formulas: tuple[Formula, ...]


class Catalogue:
    """All formulas below a package, found by their files; nothing is imported before it is asked for."""

    def __init__(self, package: ModuleType) -> None:
        self._package = package
        self._paths = dict(self._find())

    def _find(self) -> Iterator[tuple[str, str]]:
        seen: dict[str, str] = {}
        for chapter in self._chapters():
            where = f"{self._package.__name__}.{chapter}"
            for name in _modules(f"{path}/{chapter}" for path in self._package.__path__):
                # a name alone has to find its formula: it is a Python name, a test id and an anchor of a page
                if name in seen:
                    raise CatalogueError(
                        f"{name} is in two chapters, {seen[name]} and {chapter}; a name must belong to one formula, "
                        "so rename one of the two files."
                    )
                seen[name] = chapter
                yield name, f"{where}.{name}"

    def _chapters(self) -> list[str]:
        found = [module.name for module in pkgutil.iter_modules(self._package.__path__) if module.ispkg]
        return _by(getattr(self._package, "CHAPTERS", ()), found)

    @property
    def names(self) -> tuple[str, ...]:
        """Every formula's name, without importing any."""
        return tuple(self._paths)

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __getitem__(self, name: str) -> Formula:
        """The formula of that name, also written `chapter/name` or `chapter.name`; `UnknownName` with the nearest."""
        short = name.strip().replace("/", ".").rpartition(".")[2] if isinstance(name, str) else name
        if not isinstance(short, str) or short not in self._paths:
            if (now := RENAMED.get(short) if isinstance(short, str) else None) in self._paths:
                raise UnknownName(f"the formula {short} is now called {now}.")
            raise unknown_name("formula", str(name), self._paths)
        if does_without_sympy():
            from ..stored_formulas import stored_formula

            return stored_formula(self._paths[short])
        try:
            module = importlib.import_module(self._paths[short])
        except (CatalogueError, MemoryError):  # memory that runs out says nothing of the file
            raise
        except Exception as error:  # whatever is wrong in the file, say which file it is
            said = f"{self._paths[short]} cannot be loaded: {type(error).__name__}: {ended(error)}"
            raise CatalogueError(said) from error
        from ..formula import Formula  # loaded by the module, or it is no formula

        found = getattr(module, "FORMULA", None)
        if not isinstance(found, Formula):
            raise CatalogueError(f"{self._paths[short]} defines no FORMULA.")
        return found

    def __iter__(self) -> Iterator[Formula]:
        for chapter in self.chapters():
            yield from chapter.formulas

    def __len__(self) -> int:
        return len(self._paths)

    def __repr__(self) -> str:
        return f"{len(self)} formulas in the chapters {', '.join(self._chapters())}"

    def __reduce__(self) -> Any:
        # pickled by name, like its formulas: each is one object, and compared by identity
        return _catalogue_of, (self._package.__name__,)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters with their formulas, each formula after those it uses."""
        return self._made

    @cached_property
    def _made(self) -> tuple[Chapter, ...]:
        import inspect

        made = []
        for name in self._chapters():
            module = importlib.import_module(f"{self._package.__name__}.{name}")
            title, _, introduction = inspect.cleandoc(module.__doc__ or name).partition("\n")
            mine = [short for short, path in self._paths.items() if path.startswith(f"{module.__name__}.")]
            formulas = in_order(self[short] for short in _by(getattr(module, "ORDER", ()), mine))
            made.append(Chapter(name, title, introduction.strip(), formulas))
        return tuple(made)

    def giving(self, symbol: Any) -> tuple[Formula, ...]:
        """The formulas that give a letter its value; only files are imported whose claim has it first."""
        found = (self[name] for name in self._by_letter.get(symbol.name, ()))
        return tuple(formula for formula in found if formula.quantity == symbol)

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        """Names of formulas by the first name in their claim, read off the files: to import all takes 0.4 s."""
        found: dict[str, list[str]] = {}
        for name, path in self._paths.items():
            places = (f"{folder}/{path.split('.')[-2]}/{name}.py" for folder in self._package.__path__)
            with open(next(filter(os.path.exists, places)), encoding="utf-8", errors="replace") as file:
                if claim := _CLAIM.search(file.read()):
                    found.setdefault(claim[1], []).append(name)
        return found

    def users(self, formula: Formula) -> tuple[Formula, ...]:
        """The formulas that use this one directly."""
        return tuple(self._users.get(formula, ()))

    @cached_property
    def _users(self) -> dict[Formula, dict[Formula, None]]:
        users: dict[Formula, dict[Formula, None]] = {}
        for other in self:
            for used in other.uses:
                users.setdefault(used, {})[other] = None
        return users


def standing(symbol: Any, among: Iterable[Formula]) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """The formulas that give a letter its value, and the others in whose claim, conditions or steps it stands."""
    listed = tuple(among)
    defining = tuple(formula for formula in listed if formula.quantity == symbol)
    using = tuple(formula for formula in listed if formula not in defining and symbol in _letters(formula))
    return defining, using


@cache
def _letters(formula: Formula) -> frozenset[Any]:
    stated = (*(c.relation for c in formula.conditions), *(step.result for step in formula.steps))
    return frozenset(formula.letters).union(*(getattr(part, "free_symbols", ()) for part in stated))


def _modules(folders: Iterable[str]) -> list[str]:
    """The modules in some folders; `pkgutil` would take twice as long."""
    files = (entry.name.rpartition(".") for folder in folders if os.path.isdir(folder) for entry in os.scandir(folder))
    return sorted({name for name, _, kind in files if kind == "py" and name.isidentifier() and name != "__init__"})


def _by(order: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names in this order, those it does not mention after them, by alphabet."""
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def in_order(formulas_given: Iterable[Formula]) -> tuple[Formula, ...]:
    """Formulas, each after those it uses, otherwise as given; `CatalogueError` if they use each other in a circle."""
    wanted = dict.fromkeys(formulas_given)
    return tuple(one for one in basic_first(wanted, attrgetter("uses"), _refuse_circle) if one in wanted)


def _refuse_circle(circle: Sequence[Formula]) -> None:
    raise CatalogueError(f"formulas use each other in a circle: {' → '.join(one.name for one in circle)}.")


@cache
def _catalogue_of(package: str) -> Catalogue:
    return Catalogue(importlib.import_module(package))


def catalogue() -> Catalogue:
    """The catalogue of this package."""
    return _catalogue_of(formulas.__name__)


def formulas_named(*names: str) -> tuple[Formula, ...]:
    """Formulas of this package's catalogue, in the order of their names."""
    return tuple(catalogue()[name] for name in names)
