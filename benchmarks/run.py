"""Speed, as ratios measured in one run: `make bench`

Each line compares this package with a baseline. The two are measured in turn, so a machine that drifts drifts for both.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from symbolic_llm import batch_crossover, compile, solve


def seconds(action: Callable[[], object], repeat: int) -> float:
    """Seconds that `repeat` runs take."""
    start = time.perf_counter()
    for _ in range(repeat):
        action()
    return time.perf_counter() - start


def ratio(one: Callable[[], object], other: Callable[[], object], repeat: int, rounds: int = 31) -> float:
    """Median of the ratios of the two, measured in turn."""
    for action in (one, other):
        action()
    return median(seconds(one, repeat) / seconds(other, repeat) for _ in range(rounds))


def importing(package: str) -> Callable[[], object]:
    """A fresh process that imports a package."""
    return lambda: subprocess.run([sys.executable, "-c", f"import {package}"], check=True)


def crossover(n_bytes: float, F: float, W: float) -> float:
    """The batch crossover, written by hand."""
    return n_bytes * F / (2 * W)


def latency(P: float, n_bytes: float, B: float, F: float, W: float) -> float:
    """The latency of a step, written by hand in Python."""
    return max(P * n_bytes / W, 2 * P * B / F)


def latency_array(P: float, n_bytes: float, B: np.ndarray, F: float, W: float) -> np.ndarray:
    """The latency of a step, written by hand in NumPy."""
    return np.maximum(P * n_bytes / W, 2 * P * B / F)


def main() -> int:
    """Measure, print, and fail where a limit is passed."""
    point = {"n_bytes": 2.0, "F": 312e12, "W": 1935e9}
    step = {"P": 7e9, "B": 4.0, **point}
    many = {**point, "F": np.linspace(1e12, 1e15, 100_000)}
    steps = {**step, "B": np.linspace(1, 1000, 100_000)}
    compiled, compiled_latency = compile(batch_crossover), compile("latency")
    solve(batch_crossover)
    rows = (
        ("import symbolic_llm / import sympy", ratio(importing("symbolic_llm"), importing("sympy"), 1, 15), 1.15, "×"),
        (
            "scalar batch_crossover / by hand",
            ratio(lambda: compiled(**point), lambda: crossover(**point), 5000),
            2,
            "×",
        ),
        ("scalar latency / by hand", ratio(lambda: compiled_latency(**step), lambda: latency(**step), 5000), 2, "×"),
        ("array batch_crossover / NumPy", ratio(lambda: compiled(**many), lambda: crossover(**many), 20), 1.2, "×"),
        (
            "array latency / NumPy",
            ratio(lambda: compiled_latency(**steps), lambda: latency_array(**steps), 20),
            1.2,
            "×",
        ),
        (
            "solve(batch_crossover), warm",
            median(seconds(lambda: solve(batch_crossover), 1) for _ in range(31)) * 1e3,
            20,
            " ms",
        ),
    )
    for name, value, limit, unit in rows:
        print(f"{name:<40} {value:7.3f}{unit:<3}  (at most {limit}{unit})")
    return int(any(value > limit for _, value, limit, _ in rows))


if __name__ == "__main__":
    raise SystemExit(main())
