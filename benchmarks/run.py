"""Speed: `make bench` measures all of it, `python benchmarks/run.py answers checking` some

Each line has its limit, in seconds or as a ratio to something measured in the same run. What was measured is printed
and appended to `results/`, in a file of the day, with a description of the machine.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from row import Row

from reference_engine.cores import cores

SECTIONS = {
    "first_answer": "First answer",
    "answers": "Numbers in a loop, and all solutions",
    "checking": "Proof as one types",
    "tests": "All tests",
    "pages": "Build and pages",
    "engine": "The engine reads weights",
}
RESULTS = Path(__file__).resolve().parent / "results"
STEADY = 1.3  # by how much the same work may take longer than at best before the machine is called busy


def main(names: list[str]) -> int:
    """Measure the sections that are named, or all; 1 where a limit is passed."""
    if unknown := [name for name in names if name not in SECTIONS]:
        print(f"there is no section {unknown[0]}; there are {', '.join(SECTIONS)}.", file=sys.stderr)
        return 2
    lines, kept = [f"## {time.strftime('%H:%M')}, {machine()}", ""], True
    for name in names or SECTIONS:
        before = spread()
        rows = list(tests()) if name == "tests" else import_module(name).rows()
        busy = max(before, spread())
        kept &= all(row.kept for row in rows)
        found = [f"{SECTIONS[name]}:", "", *(f"    {row}" for row in rows), ""]
        if busy > STEADY:
            found += [f"The machine was busy: the same work took up to {busy:.1f} times its best.", ""]
        print("\n".join(found), flush=True)
        lines += found
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{date.today()}.md").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return int(not kept)


def tests() -> Iterator[Row]:
    """The whole suite as `make test` runs it, once."""
    root, start = Path(__file__).resolve().parent.parent, time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadgroup"]
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    yield Row("make test", time.perf_counter() - start, 0, 100)


def machine() -> str:
    """Description of the machine that this was measured on."""
    names = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in names if line.startswith("model name")), platform.machine()
    )
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "sympy", "llvmlite") if find_spec(name))
    return f"{model}, {cores()} cores, {platform.system()}, Python {platform.python_version()}, {libraries}"


def spread() -> float:
    """By how much the same work takes longer at worst than at best."""
    times = []
    for _ in range(20):
        start = time.perf_counter()
        sum(range(200_000))
        times.append(time.perf_counter() - start)
    return max(times) / min(times)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
