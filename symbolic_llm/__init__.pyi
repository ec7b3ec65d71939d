# Written by `python -m symbolic_llm.cli.stub`: what a type checker is to know of the package's names.

from .answers.explanation import Explanation as Explanation
from .answers.solution import Solution as Solution
from .api import check as check
from .api import compile as compile
from .api import evaluate as evaluate
from .api import explain as explain
from .api import solve as solve
from .catalogue import catalogue as catalogue
from .catalogue.named import *  # noqa: F403
from .errors import SymbolicLLMError as SymbolicLLMError
from .formula import Formula as Formula
from .models.model import Model as Model
from .reports.entry_points import model as model
from .reports.entry_points import plan as plan
from .reports.grid import Sweep as Sweep
from .reports.operations import Operations as Operations
from .reports.planning import Plan as Plan
from .reports.plotting import plot as plot
from .reports.sizing import Sizing as Sizing
from .reports.sweeping import sweep as sweep
from .search import find as find

__version__: str
__all__ = [
    "Formula",
    "SymbolicLLMError",
    "catalogue",
    "check",
    "compile",
    "evaluate",
    "explain",
    "find",
    "solve",
]
