"""The first answer: what a command, or a line of Python, takes from its start to its end

Each is a process of its own, timed from outside, the best of several; beside it what Python takes to start, or to
import SymPy. The rounds go through all of them in turn, so a machine that drifts drifts for all.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from row import Row, settings

COMMANDS = (
    "--version",
    "list",
    "presets",
    "show latency_with_cache",
    "solve batch_crossover",
    "solve batch_crossover --hardware a100-80gb-pcie --dtype fp16",
    "explain memory_time --model llama-7b --hardware m2 --weights q4_0",
    "model llama-2-7b --hardware a100-80gb-sxm",
)
SOLVED = "from symbolic_llm import solve, batch_crossover; print(solve(batch_crossover))"
LIMIT, RATIO = 0.15, 1.3


def rows(rounds: int = 7) -> list[Row]:
    """Every command beside bare Python, and a solution that is printed beside `import sympy`."""
    bare, sympy, solved = (["-c", code] for code in ("pass", "import sympy", SOLVED))
    commands = {line: ["-m", "symbolic_llm", *line.split()] for line in COMMANDS}
    asked = [bare, sympy, solved, *commands.values()]
    with tempfile.TemporaryDirectory() as folder:
        best = [min(times) for times in zip(*_rounds(asked, rounds, folder), strict=True)]
    started, imported, printed, *answered = best
    found = [Row(line, seconds, started, LIMIT) for line, seconds in zip(commands, answered, strict=True)]
    return [*found, Row("print(solve(batch_crossover))", printed, imported, RATIO, of_beside=True)]


def _rounds(asked: list[list[str]], rounds: int, folder: str) -> list[list[float]]:
    for arguments in asked:  # the first time of a checkout stores what the next ones are answered from
        _seconds(arguments, folder)
    return [[_seconds(arguments, folder) for arguments in asked] for _ in range(rounds)]


def _seconds(arguments: list[str], folder: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=settings(folder), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    for row in rows():
        print(row)
