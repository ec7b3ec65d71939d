"""symbolic_llm: LLM inference arithmetic, derived step by step and checked by machine

    >>> from symbolic_llm import solve, batch_crossover
    >>> solve(batch_crossover, hardware="a100-80gb-pcie", dtype="fp16").value
    161.24031007751938

Every formula of the catalogue is an attribute of this package and can be named by a string too; `dir(symbolic_llm)`
lists them, `help(batch_crossover)` shows one.

What people import stands at the root; a folder is how it works. From the ground up, each room knows only those above it
in this list:

    algebra/         SymPy's names, or stored expressions in their place
    sources.py       texts of the source files, and whether they are what was imported
    renamed.py       old names of formulas, and where they lead
    frozen_dict.py   a dictionary that stays as it is
    reached.py       all that lies beyond some things, step by step
    interrupts.py    Ctrl-C, at any moment
    errors.py        sentences that a user may get
    unevaluated.py   relations and maxima that stay as they are written
    cache/           findings, answers and printed pieces that are kept, and what makes them stale
    glossary/        words of the field, and the formulas that people mean by them
    files.py         files that a user names, opened in one place, and written whole or not at all
    units.py         exact units: bytes per token are not bytes
    numeral.py       numbers that count something, and say what
    architecture.py  traits that tell decoders apart
    claims/          shapes of a claim, and what each answers
    notation/        every letter with its meaning and unit
    steps.py         rules of a derivation, as data
    expressions/     exact evaluation, the algebra that decides, printing
    formula.py       a formula: claim, conditions, steps, witness
    stored_formulas.py  formulas as rows of data, from which they are read without SymPy
    formulas/        all formulas, a file each; a folder is a chapter
    catalogue/       formulas by name
    models/          models read from a config.json, as lists of parts
    witness/         formulas beside the engine's counts: the only room that meets the engine
    presets/         models, devices, number formats and sources, as cited data
    checks/          proofs and findings
    answers/         solutions, values, explanations, compiled functions
    search.py        formulas by the words that people use
    api.py           the five questions
    reports/         several answers at once: a grid, a model on a machine, a model file
    quantity.py      numbers with units, for pages and audit
    audit/           published figures, computed anew
    measurements/    times of real machines, and the formulas' predictions beside them
    this_machine/    this computer's bandwidth and arithmetic, and the engine's times on it beside forecasts
    pages/           the site: Markdown, HTML and scripts
    cli/             the command line, a module for each noun
"""

from time import time_ns

BEGAN = time_ns()  # a source that changed later may be other than what was imported

from . import interrupts  # noqa: E402

interrupts.begin()  # before anything takes time to load

from importlib import import_module  # noqa: E402
from importlib.machinery import PathFinder  # noqa: E402
from typing import Any  # noqa: E402

from .catalogue import catalogue  # noqa: E402
from .errors import SymbolicLLMError  # noqa: E402

__version__ = "0.1.0"

__all__ = ["Formula", "SymbolicLLMError", "catalogue", "check", "compile", "evaluate", "explain", "find", "solve"]


_LATER = {  # imported when first asked for, like the formulas
    **dict.fromkeys(("check", "compile", "evaluate", "explain", "solve"), "api"),
    "find": "search",
    "Explanation": "answers.explanation",
    "Formula": "formula",
    "Model": "models",
    "Operations": "reports.operations",
    "Plan": "reports.planning",
    "Sizing": "reports.sizing",
    "Sweep": "reports.grid",
    "Solution": "answers.solution",
    **dict.fromkeys(("model", "plan"), "reports.entry_points"),
    "plot": "reports.plotting",
    "sweep": "reports.sweeping",
}


def __getattr__(name: str) -> Any:
    """A formula by its name, loaded when it is first asked for."""
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    # an import asks for a module here before it loads it, and is to hear nothing of what is wrong with the formulas
    module = name.startswith("_") or PathFinder.find_spec(f"{__name__}.{name}", __path__) is not None
    if not module and name in catalogue():
        return catalogue()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, "__version__", *catalogue().names})
