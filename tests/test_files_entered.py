"""Parts of the checker that one formula needs: the files whose functions run while it is checked

Who reads what a check of one formula does reads those files and no more. What a decoder of some kind keeps, what a
preset's figures are and how a model's file is read are facts of those kinds, presets and files, each with tests of its
own. So a formula that says nothing of them is checked without them. Files of the engine are counted apart: they are
what the decoders run that a formula is about, so each new kind of decoder brings its own along.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import symbolic_llm

pytestmark = pytest.mark.xdist_group("entered")  # each formula is checked once for all that is asked of it

ROOT = Path(symbolic_llm.__file__).parents[1]
PACKAGES = ("symbolic_llm", "reference_engine")
MOST = 60  # files of the package
OF_ENGINE = 30  # of a formula that is asked of several kinds of decoders
COUNTING = """
import json, sys
from symbolic_llm import catalogue
from symbolic_llm.checks import report
from symbolic_llm.witness import certificate_for_all_shapes  # what is imported late would run its module in the count

formula, entered, seen = catalogue()[sys.argv[1]], {}, {}

def importing(frame):
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code not in seen and code.co_name != "<module>" and not importing(frame):
        seen[code] = True
        entered.setdefault(code.co_filename)

sys.setprofile(note)
findings = [*report.findings(formula)]
sys.setprofile(None)
print(json.dumps([[*entered], [finding.verdict.stands for finding in findings]]))
"""
# A law, a count of one decoder, a theorem and a definition. The sums that a decoder keeps in kinds of blocks of its own
# are made by a dozen files more, so formulas about these are none of them.
DRAWN = ("batch_crossover", "embedding_parameters", "memory_bound_batches", "ridge_point")


@cache
def entered(name: str) -> tuple[str, ...]:
    """The files of both packages whose functions run while a formula is checked, where nothing is known before."""
    made = subprocess.run([sys.executable, "-c", COUNTING, name], cwd=ROOT, capture_output=True, check=True, text=True)
    files, _ = json.loads(made.stdout)
    inside = [Path(file).relative_to(ROOT) for file in files if Path(file).is_relative_to(ROOT)]
    return tuple(file.as_posix() for file in inside if file.parts[0] in PACKAGES)


@pytest.mark.parametrize("name", DRAWN)
def test_a_check_enters_few_files(name: str) -> None:
    """Of the package at most so many, and of the engine those that its decoders run."""
    files = entered(name)
    engine = [file for file in files if file.startswith("reference_engine")]
    assert len(files) - len(engine) <= MOST, sorted(set(files) - set(engine))
    assert len(engine) <= OF_ENGINE, engine


def test_what_checks_is_among_them() -> None:
    """The twin: a count that sees nothing would find few files as well."""
    files = {*entered("embedding_parameters")}
    assert files >= {
        "symbolic_llm/checks/steps.py",
        "symbolic_llm/checks/mutants.py",
        "symbolic_llm/witness/certificate_for_all_shapes.py",
        "symbolic_llm/expressions/decide.py",
        "reference_engine/model.py",
    }


@pytest.mark.parametrize("name", DRAWN)
def test_a_formula_is_checked_without_models_and_presets(name: str) -> None:
    """No file of a model is read for it, and no figure of a device."""
    presets = {"symbolic_llm/presets/by_letter.py", "symbolic_llm/presets/devices.py"}
    read = {"symbolic_llm/models/families/__init__.py", *presets}
    assert not read & {*entered(name)}
    assert "symbolic_llm/models/caches_and_states.py" not in entered(name)
