"""symbolic_llm: LLM inference arithmetic, derived step by step and checked by machine

    >>> from symbolic_llm import solve, batch_crossover
    >>> solve(batch_crossover, hardware="a100-80gb-pcie", dtype="fp16").value
    161.24031007751938

Every formula of the catalogue is an attribute of this package and can be named by a string too; `dir(symbolic_llm)`
lists them.
"""

from importlib import import_module
from typing import Any

from .api import check, compile, evaluate, explain, solve
from .catalogue import catalogue
from .errors import SymbolicLLMError
from .formula import Formula

__version__ = "0.1.0"

__all__ = ["Formula", "SymbolicLLMError", "catalogue", "check", "compile", "evaluate", "explain", "solve"]


_LATER = {"Model": "models", "Sizing": "sizing"}  # imported when first asked for, like the formulas


def __getattr__(name: str) -> Any:
    """A formula by its name, loaded when it is first asked for."""
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    if not name.startswith("_") and name in catalogue():
        return catalogue()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, "__version__", *catalogue().names})
