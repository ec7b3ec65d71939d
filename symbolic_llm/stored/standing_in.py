"""A process without SymPy: its imports give stored expressions, and those of formulas give stored formulas

All that answers a question stays what it is; only what it imports differs. Where it asks for what is not stored,
`NotStored` ends it, and the question is asked again after `forget`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from ..errors import SymbolicLLMError
from . import NotStored, expressions, formulas, printing
from .answers import read

_SYMPY = "sympy"


class _Absent:
    """A class or function of SymPy that is not stored."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise NotStored


class _Sympy(ModuleType):
    """Stand-in for SymPy and for each of its modules."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(expressions, name, None) or getattr(printing, name, None) or type(name, (_Absent,), {})


class Finder:
    """Finds what stands in for SymPy and for the formulas, and the few modules that take more from the store."""

    def __init__(self, rows: dict[str, Any]) -> None:
        self.rows = rows
        self.loaders: dict[str, Any] = {}

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """SymPy with all its modules, the formulas that are stored, and the modules that `TAKING` names."""
        if name.partition(".")[0] == _SYMPY:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        if name in self.rows:
            return ModuleSpec(name, self)  # type: ignore[arg-type]
        if name in TAKING and (found := PathFinder.find_spec(name, path)) is not None:
            self.loaders[name], found.loader = found.loader, self  # type: ignore[assignment]
            return found
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The stand-in for a module of SymPy; None for any other, which Python then makes."""
        return _Sympy(spec.name) if spec.name.partition(".")[0] == _SYMPY else None

    def exec_module(self, module: Any) -> None:
        """Put the formula, or what is taken from the store, into its module."""
        name = module.__name__
        if name in self.rows:
            module.FORMULA = formulas.formula(name, self.rows[name])
        elif name in TAKING:
            self.loaders[name].exec_module(module)
            what, taken = TAKING[name]
            setattr(module, what, partial(taken, getattr(module, what)))


def begin() -> bool:
    """Keep SymPy from being imported from now on; False, and nothing is changed, where the formulas are not stored."""
    if _SYMPY in sys.modules or (rows := read(["formulas"])) is None:
        return False
    sys.meta_path.insert(0, Finder(rows))
    return True


def _arranged(_: Any, expression: Any) -> Any:
    """The expression, unchanged, since it was arranged when it was stored."""
    return expression


@cache
def _table(computed: Callable[..., Any], name: str) -> Any:
    """A table of presets as JSON has it, which is read sooner than TOML."""
    return read(["table", name]) or computed(name)


def _sum_of_parts(computed: Callable[..., Any], model: str, letter: Any, *more: Any) -> Any:
    """A preset's own sum as it is stored, which knows how it prints; of another model the sum itself."""
    from ..presets import names

    name = f"{model}.{letter.name}"
    row = read(["sum", name]) if model in names("models") else None
    return formulas.formula(name, row) if row is not None else computed(model, letter, *more)


def _own(computed: Callable[..., Any], letters: frozenset[str]) -> Any:
    """The formulas that kinds of blocks make as they are stored; of kinds that no preset has, those themselves."""
    from ..models.own_formulas import name_of

    rows = read(["kept", name_of(letters)])
    return computed(letters) if rows is None else tuple(formulas.formula(module, row) for module, row in rows)


def _of_devices(computed: Callable[..., Any], model: str, parts: tuple[Any, ...]) -> Any:
    """Sums of what devices have of a preset, as they are stored; of another model the sums themselves."""
    from ..presets import names

    rows = read(["dealt", model]) if model in names("models") else None
    return computed(model, parts) if rows is None else tuple(formulas.formula(module, row) for module, row in rows)


def _branches(
    _: Any, formula: Any, unknown: Any, known: frozenset[Any] = frozenset(), chosen: tuple[Any, ...] = ()
) -> tuple[Any, ...]:
    """The solutions that are stored, which hold as long as values and models change nothing of what is written out."""
    from ..notation import SUMS

    asked, sums = _written(formula, unknown, known, chosen), frozenset(SUMS) - {unknown}
    for key, among in (((), frozenset[Any]()), ((formulas.SUMMED,), sums)):
        try:
            stored = _written(formula, unknown, among, ())
        except SymbolicLLMError:  # only with this model does it depend on the letter
            continue
        if asked == stored and (rows := read(["branches", formula.module, unknown.name, *key])) is not None:
            return formulas.solutions(unknown, rows)
    raise NotStored


def _written(formula: Any, unknown: Any, known: frozenset[Any], chosen: tuple[Any, ...]) -> tuple[Any, ...]:
    """Everything that a solution depends on besides the formula itself."""
    from ..answers.resolution import of_the_plain, put_in, without_varying, written_out

    if unknown == formula.quantity:
        stated = (formula.rhs, *(condition.relation for condition in formula.demanded))
        return tuple(of_the_plain(formula, one, known, chosen) for one in stated)
    relation = formula.statement.conclusion
    if formula.quantity is None and not relation.is_Relational:
        raise NotStored
    side = relation.lhs - relation.rhs if formula.quantity is None else None
    conditions = without_varying(formula, unknown, known, chosen)
    return tuple(f(formula, unknown, known, chosen, side) for f in (written_out, put_in)) + conditions


# module -> what of it is taken from the store, and how
TAKING: dict[str, tuple[str, Callable[..., Any]]] = {
    "symbolic_llm.expressions.printing": ("arrange", _arranged),
    "symbolic_llm.presets.tables": ("_table", _table),
    "symbolic_llm.models.sums": ("sum_of_parts", _sum_of_parts),
    "symbolic_llm.models.own_formulas": ("own", _own),
    "symbolic_llm.models.device_weights": ("of_devices", _of_devices),
    "symbolic_llm.answers.rearranging": ("branches", _branches),
}


def forget() -> None:
    """Import everything anew, with SymPy."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
    for name in [name for name in sys.modules if name.partition(".")[0] in (_SYMPY, "symbolic_llm")]:
        del sys.modules[name]
