"""Numbers in a loop: evaluating, compiled functions of large arrays, and all solutions

The best of several times: of the process, so that what else runs on the machine counts as little as it can; of arrays,
which the cores share, those that pass on the clock. Not `numbers.py`: run from its folder, that would hide Python's own
module.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import time
from functools import partial
from typing import Any

import numpy as np
from row import Row, best
from sympy import Max

from symbolic_llm import catalogue, compile, evaluate, sweep

POINT = {"P": 7e9, "n_bytes": 2, "B": 4, "N": 4096, "m_token": 2**19, "a": 2**19, "F": 312e12, "W": 1935e9}
PRESETS = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16"}
EVALUATED, COPIED, SWEPT, ALL_SOLVED, WORST_SOLVED = 0.15e-3, 1.4, 1.25, 15.0, 0.3  # seconds, but for ratios
ELEMENTS = 10**7
of_process = partial(best, clock=time.process_time)

SOLVE = """
import json, time
from symbolic_llm import catalogue, solve
from symbolic_llm.answers.resolution import reach
from symbolic_llm.errors import SymbolicLLMError
own, every = 0.0, {}
for formula in catalogue():
    for letter in reach(formula):
        start = time.process_time()
        try:
            solve(formula, letter.name)
        except SymbolicLLMError:
            pass
        every[formula.name, letter.name] = took = time.process_time() - start
        own += took if letter in formula.letters else 0
print(json.dumps([own, sum(every.values()), sorted(every, key=every.get)[-12:]]))
"""
ALONE = """
import sys, time
from contextlib import suppress
from symbolic_llm import catalogue, solve
from symbolic_llm.errors import SymbolicLLMError
formula, letter = catalogue()[sys.argv[1]], sys.argv[2]
start = time.process_time()
with suppress(SymbolicLLMError):
    solve(formula, letter)
print(time.process_time() - start)
"""


def rows(rounds: int = 7, elements: int = ELEMENTS) -> list[Row]:
    """Everything there is to measure here."""
    return [*evaluated(rounds), compiled(rounds), *copied(rounds, elements), swept(rounds), *solved()]


def latency_with_cache(
    P: float, n_bytes: float, B: Any, N: Any, m_token: float, a: float, F: float, W: float, larger: Any = max
) -> Any:
    """The latency of a step, written by hand."""
    return larger((P * n_bytes + B * N * m_token) / W, B * (2 * P + N * a) / F)


def evaluated(rounds: int) -> list[Row]:
    """`evaluate` with letters and with presets, a batch after the other, beside the same by hand."""
    presets = [{**PRESETS, "N": 4096, "B": batch} for batch in range(1, 65)]
    letters = [{**POINT, "B": batch} for batch in range(1, 65)]
    asked = {"letters": letters, "presets": presets}
    by_hand, *ours = of_process(
        [lambda: [latency_with_cache(**point) for point in letters]]
        + [
            lambda points=points: [evaluate("latency_with_cache", **point) for point in points]
            for points in asked.values()
        ],
        rounds,
    )
    return [
        Row(f"evaluate latency_with_cache, {kind}", seconds / len(letters), by_hand / len(letters), EVALUATED)
        for kind, seconds in zip(asked, ours, strict=True)
    ]


def compiled(rounds: int) -> Row:
    """A compiled function of plain numbers, beside the same by hand."""
    function = compile("latency_with_cache")
    mine, by_hand = of_process(
        [lambda: [function(**POINT) for _ in range(2000)], lambda: [latency_with_cache(**POINT) for _ in range(2000)]],
        rounds,
    )
    return Row("compiled latency_with_cache, numbers", mine / 2000, by_hand / 2000, 2.0, of_beside=True)


def copied(rounds: int, elements: int) -> list[Row]:
    """Every formula with a maximum, its first letter that may be one an array, beside a plain copy of that array.

    Where llvmlite is installed, the rounds after the first are those of a loop. What is within its limit after two
    rounds needs no more of them.
    """
    found = []
    array, out = np.linspace(1, 1000, elements), np.zeros(elements)
    for formula in catalogue():
        if formula.quantity is None or not formula.rhs.has(Max):
            continue
        function = compile(formula)
        names = list(inspect.signature(function).parameters)
        letter = next(name for name in ("B", "N", *names) if name in names)
        point = {name: 3.0 + 2 * place for place, name in enumerate(names)} | {letter: array}
        calls = (
            partial(function, **point),
            partial(function, **point, out=out),
            array.copy,
            partial(np.copyto, out, array),
        )
        with np.errstate(all="ignore"):
            for turns in (2, rounds):
                fresh, into, copy, copy_into = best(calls, turns)
                two = [
                    Row(f"compiled {formula.name}, an array as {letter}", fresh, copy, COPIED, of_beside=True),
                    Row(f"compiled {formula.name}, with out=", into, copy_into, COPIED, of_beside=True),
                ]
                if all(row.kept for row in two):
                    break
        found += two
    return found


def swept(rounds: int) -> Row:
    """A grid of batches and contexts, beside the same in NumPy by hand."""
    point = {**POINT, "B": np.arange(1.0, 2001), "N": np.arange(1.0, 5001)}
    by_hand = {**point, "B": point["B"][:, None], "larger": np.maximum}
    mine, beside = best(
        [lambda: sweep("latency_with_cache", **point), lambda: latency_with_cache(**by_hand)],
        rounds,
    )
    return Row("sweep latency_with_cache, 10⁷ cells", mine, beside, SWEPT, of_beside=True)


def solved() -> list[Row]:
    """Every formula for every letter that it depends on, in one process; and which takes longest.

    That one is looked for among those that took longest there, each in a process of its own: in the other one, what is
    kept of four thousand solutions is gone through for cycles now and then, whoever's turn it is.
    """
    own, every, slowest = json.loads(_printed(SOLVE))
    alone = {" for ".join(pair): min(float(_printed(ALONE, *pair)) for _ in range(3)) for pair in slowest}
    worst = max(alone, key=alone.__getitem__)
    return [
        Row("all solutions for letters of a claim", own, 0.0, ALL_SOLVED),
        Row("all solutions, for letters of what it uses too", every, 0.0, ALL_SOLVED),
        Row(f"the longest solution, {worst}", alone[worst], 0.0, WORST_SOLVED),
    ]


def _printed(program: str, *arguments: str) -> str:
    """The output of a program in a process of its own."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=os.environ, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    for row in rows():
        print(row)
