"""`check`: cold, after an edit, where nothing has changed; and what grows with the number of formulas"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from row import Row, settings

ROOT = Path(__file__).resolve().parent.parent
LEAF = "latency/throughput", '"in the time of a step"', '"in the time of {} step"'  # no formula uses it
BASIC = "parameters/attention_parameters"  # every third formula rests on it
STEP = BASIC, '"side by side the heads are as wide', '"side by {} the heads are as wide'
WORDS = ("one", "any", "each")
CLAIM = BASIC, "claim=Eq(P_attention, four_matrices", "claim=Eq(P_attention, 2 * four_matrices"
TIMES = (1, 3, 7)  # how many copies of the catalogue there are

# What every command that walks the catalogue does, in seconds of the process for each formula.
WALK = """
import time
from symbolic_llm.catalogue import catalogue
from symbolic_llm.checks import findings_store as kept
found = list(catalogue())
start = time.process_time()
for formula in catalogue():
    catalogue().users(formula), kept.fingerprint((formula.chapter, formula.name))
print((time.process_time() - start) / len(found))
"""


def rows() -> list[Row]:
    """A check of everything, in a copy of the sources with a cache of its own."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, "copy")
        for package in ("symbolic_llm", "reference_engine"):
            shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
        seconds(copy, "list")  # compiled once
        return [
            Row("check, cold", seconds(copy, "check"), 0, 20),
            Row("check, nothing changed", min(seconds(copy, "check") for _ in range(5)), 0, 0.2),
            Row("all proofs exported", seconds(copy, "check", "--export", str(copy / "proofs")), 0, 60),
            Row("all proofs verified without the package", verified(copy / "proofs"), 0, 60),
            Row("check, one leaf edited", reworded(copy, *LEAF), 0, 1),
            Row("check, a basic formula edited: a step", reworded(copy, *STEP), 0, 4),
            Row("check, a basic formula edited: its claim", edited(copy, *CLAIM), 0, 4),
            *growth(copy),
        ]


def reworded(copy: Path, formula: str, old: str, new: str) -> float:
    """The best of several edits, each to something new."""
    said, took = old, []
    for word in WORDS:
        took.append(edited(copy, formula, said, said := new.format(word)))
    return min(took)


def edited(copy: Path, formula: str, old: str, new: str) -> float:
    """Seconds of a check after an edit of a formula that nobody has checked before; it may be refuted now."""
    path = copy / "symbolic_llm" / "formulas" / f"{formula}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{formula} does not say {old} once"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return seconds(copy, "check")


def seconds(copy: Path, *command: str) -> float:
    """Wall seconds of a command in a fresh process."""
    start = time.perf_counter()
    run(copy, "-m", "symbolic_llm", *command)
    return time.perf_counter() - start


def verified(proofs: Path) -> float:
    """Wall seconds of the program that verifies an export, both solvers with it."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", str(proofs / "verify.py")], capture_output=True, check=True)
    return time.perf_counter() - start


def run(copy: Path, *arguments: str) -> str:
    """The output of a fresh process that sees the copy alone."""
    environment = settings(str(copy / "cache"), PYTHONPATH=str(copy))
    done = subprocess.run([sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout


def growth(copy: Path) -> list[Row]:
    """A walk of the catalogue with generated copies of all formulas, for each formula, beside the walk without."""
    originals = list((copy / "symbolic_llm" / "formulas").glob("*/*.py"))
    took, there = [], 1
    for times in TIMES:
        for number in range(there, times):
            add_copies(originals, number)
        there = times
        took.append(float(run(copy, "-c", WALK)))
    alone, *more = took
    return [
        Row(f"users and fingerprint of a formula, {times} × as many", took, alone, 1.5, of_beside=True)
        for times, took in zip(TIMES[1:], more, strict=True)
    ]


def add_copies(originals: list[Path], number: int) -> None:
    """All chapters once more, under other names, their formulas using each other."""
    for path in originals:
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"formulas\.(\w+)\.(\w+) import", rf"formulas.\1_{number}.\2_{number} import", text)
        name = path.stem if path.stem == "__init__" else f"{path.stem}_{number}"
        chapter = path.parent.with_name(f"{path.parent.name}_{number}")
        chapter.mkdir(parents=True, exist_ok=True)
        (chapter / f"{name}.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for row in rows():
        print(row)
