"""Verify exported proofs, without the software that found them

    python verify.py [identities] [theorems]

`identities/*.json`: a formula is p/q, the engine's counts are a/b, all four polynomials. Those of the counts are found
from their values on a grid, which is enough for the degrees that are stated; then p·b and q·a have to be the same.
This needs the standard library alone. `theorems/*.smt2`: each is given to every SMT solver at hand (z3 and cvc5, as
Python modules or on the PATH), which has to give the answer that stands in the file. `MANIFEST.json` tells a file that
was damaged or left out; it does not tell a forger.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
Terms = dict[tuple[int, ...], Fraction]  # the factors of a polynomial by the powers of its parameters
MODULES = {
    "z3": "import sys, z3\nfor file in sys.argv[1:]:\n"
    " s = z3.Solver(); s.from_file(file); print(s.check(), flush=True)",
    "cvc5": "import sys, cvc5\nfor file in sys.argv[1:]:\n s = cvc5.Solver(); p = cvc5.InputParser(s)\n"
    " p.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, file); m = p.getSymbolManager(); said = ''\n"
    " while not (c := p.nextCommand()).isNull(): said += str(c.invoke(s, m))\n print(said.split()[0], flush=True)",
}


def need(truth: bool, complaint: str) -> None:
    """Complain if something is not so."""
    if not truth:
        raise ValueError(complaint)


def times(one: Terms, other: Terms) -> Terms:
    """The product of two polynomials."""
    found: Terms = {}
    for mine, by in one.items():
        for theirs, factor in other.items():
            powers = tuple(m + t for m, t in zip(mine, theirs, strict=True))
            found[powers] = found.get(powers, Fraction(0)) + by * factor
    return {powers: factor for powers, factor in found.items() if factor}


def through(axes: list[list[Fraction]], values: list[Fraction]) -> Terms:
    """The polynomial with these values on a grid, the last parameter changing fastest (Lagrange)."""
    if not axes:
        return {(): values[0]}
    xs, size, found = axes[0], len(values) // len(axes[0]), dict[tuple[int, ...], Fraction]()
    for place, x in enumerate(xs):
        basis = [Fraction(1)]  # 1 at x and 0 at the other values, by powers
        for other in xs[:place] + xs[place + 1 :]:
            raised, kept = [Fraction(0), *basis], [*basis, Fraction(0)]
            basis = [(up - other * down) / (x - other) for up, down in zip(raised, kept, strict=True)]
        for powers, value in through(axes[1:], values[place * size : (place + 1) * size]).items():
            for power, share in enumerate(basis):
                found[power, *powers] = found.get((power, *powers), Fraction(0)) + share * value
    return {powers: factor for powers, factor in found.items() if factor}


def counted(groups: list[dict[str, Any]], names: list[str], highest: dict[str, int]) -> Terms:
    """The sum of the groups' polynomials; notes the highest degree that is stated for each parameter."""
    total: Terms = {}
    for group in groups:
        axes, size = [[Fraction(x) for x in axis] for axis in group["axes"]], 1
        for name, degree, axis in zip(group["parameters"], group["degrees"], axes, strict=True):
            size *= len(axis)
            highest[name] = max(highest[name], degree)
            need(len(set(axis)) == len(axis) > degree, f"the values of {name} do not decide degree {degree}")
        need(len(group["values"]) == size, "a grid has not as many values as points")
        for powers, factor in through(axes, [Fraction(value) for value in group["values"]]).items():
            fits = all(power <= degree for power, degree in zip(powers, group["degrees"], strict=True))
            need(fits, "a count has a higher degree than is stated")
            by_name = dict(zip(group["parameters"], powers, strict=True))
            place = tuple(by_name.get(name, 0) for name in names)
            total[place] = total.get(place, Fraction(0)) + factor
    return {powers: factor for powers, factor in total.items() if factor}


def verify_identity(proof: dict[str, Any]) -> None:
    """Decide formula = counts; `ValueError` where they differ or the file does not hold together."""
    names, highest = proof["parameters"], dict.fromkeys(proof["parameters"], 0)
    p, q = ({tuple(powers): Fraction(factor) for factor, powers in proof[side]} for side in ("formula", "divided_by"))
    a, b = (counted(proof[side], names, highest) for side in ("counts", "counts_divided_by"))
    need(highest == proof["degrees"], "the stated degrees are not those of the grids")
    need(bool(q and b), "a denominator is zero")
    need(times(p, b) == times(q, a), "formula and counts differ")


def verify_identities() -> list[str]:
    """Every identity; what is wrong."""
    wrong, files = [], sorted((HERE / "identities").glob("*.json"))
    for file in files:
        try:
            verify_identity(json.loads(file.read_text(encoding="utf-8")))
        except Exception as error:  # whatever is wrong with a file, it proves nothing
            wrong.append(f"{file.name}: {error or type(error).__name__}")
    print(f"identities: {len(files) - len(wrong)} of {len(files)} hold")
    return wrong


def asked(command: list[str]) -> str:
    """What a solver prints in ten minutes, all there are questions for at once."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False).stdout
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode() if not isinstance(late.stdout, str) else late.stdout


def verify_theorems() -> list[str]:
    """Every theorem, by every solver at hand; what is wrong."""
    wrong, files = [], sorted((HERE / "theorems").glob("*.smt2"))
    ways = {name: [sys.executable, "-c", code] for name, code in MODULES.items() if find_spec(name)}
    binaries = {name: [found] for name in MODULES if name not in ways and (found := shutil.which(name))}
    for name, command in (ways | binaries).items() if files else ():
        chunks = [files] if name in ways else [[file] for file in files]
        answers = "".join(asked([*command, *map(str, chunk)]) for chunk in chunks).split() + ["nothing"] * len(files)
        for file, answer in zip(files, answers, strict=False):
            expected = file.read_text(encoding="utf-8").partition("; expected: ")[2].split()[:1]
            if [answer] != expected:
                wrong.append(f"{file.name}: {name} says {answer}, expected is {' '.join(expected)}")
        print(f"theorems: {len(files)} questions put to {name}")
    return wrong if ways or binaries or not files else ["theorems: there is no SMT solver here: pip install z3-solver"]


def verify_files() -> list[str]:
    """What is missing, damaged or not listed."""
    listed = json.loads((HERE / "MANIFEST.json").read_text(encoding="utf-8"))
    files = [*HERE.glob("identities/*"), *HERE.glob("theorems/*")]
    found = {f"{file.parent.name}/{file.name}": file for file in files}
    same = (name for name in listed if name in found and sha256(found[name].read_bytes()).hexdigest() == listed[name])
    return [f"{name}: is not what was exported" for name in sorted({*listed, *found} - {*same})]


if __name__ == "__main__":
    parts = {"identities": verify_identities, "theorems": verify_theorems}
    wanted = sys.argv[1:] or list(parts)
    faults = verify_files() + [fault for part in wanted for fault in parts[part]()]
    print("\n".join(faults) if faults else "nothing is wrong")
    sys.exit(1 if faults else 0)
