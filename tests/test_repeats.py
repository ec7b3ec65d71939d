"""Lines that stand twice: runs of six are those that have a reason"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUN = 6
DATA = {"example", "kind", "measured_by", "models", "sources", "unmeasured", "uses"}  # of a formula, said at its end
REASONS = {
    ("reference_engine/files/hub.py", "symbolic_llm/models/repeated_keys.py"): "two witnesses of what a config says",
    (
        "symbolic_llm/formulas/states/delta_matrix_parameters.py",
        "symbolic_llm/formulas/states/mamba_matrix_parameters.py",
    ): "two mechanisms, each counted in an engine block of its own",
}


def said(source: str) -> list[str]:
    """The lines of a source that do something: no imports, signatures, data of formulas, or brackets alone."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Import | ast.ImportFrom):
            parts = [node]
        elif isinstance(node, ast.FunctionDef):
            left_out.update(range(node.lineno, node.body[0].lineno))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Formula":
            left_out.add(node.lineno)
            parts = [*node.args, *(keyword for keyword in node.keywords if keyword.arg in DATA)]
        for part in parts:
            left_out.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))  # type: ignore[attr-defined]
    lines = (line.strip() for place, line in enumerate(source.splitlines(), 1) if place not in left_out)
    return [line for line in lines if len(line) > 3]


def repeated(sources: Iterable[tuple[str, str]]) -> dict[tuple[str, ...], list[str]]:
    """Files that share a run of lines, each group with one such run; a file alone where it repeats itself."""
    places: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, source in sources:
        lines = said(source)
        for start in range(len(lines) - RUN + 1):
            places[tuple(lines[start : start + RUN])].append(name)
    return {tuple(sorted({*names})): [*run] for run, names in places.items() if len(names) > 1}


def test_what_stands_twice_has_a_reason() -> None:
    """In package and engine; and each reason is of something that stands twice."""
    files = [path for package in ("symbolic_llm", "reference_engine") for path in (ROOT / package).rglob("*.py")]
    found = repeated((path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in files)
    assert {names: run for names, run in found.items() if names not in REASONS} == {}
    assert REASONS.keys() <= found.keys()


def test_what_is_written_again_is_noticed() -> None:
    """The twin: six lines in another file, or further down in the same; five are none, nor are imports or examples."""
    lines = [f"value_{number} = compute({number})" for number in range(RUN)]
    whole, less = "\n".join(lines), "\n".join(lines[1:])
    assert repeated([("a.py", whole), ("b.py", f"first = 1\n{whole}")]) == {("a.py", "b.py"): lines}
    assert repeated([("a.py", f"{whole}\nlast = 1\n{whole}")]) == {("a.py",): lines}
    assert repeated([("a.py", whole), ("b.py", less)]) == {}
    imports = "from x import (\n" + "".join(f"    name_{number},\n" for number in range(RUN)) + ")"
    example = "FORMULA = Formula(\n    example={\n" + "".join(f"        'B{n}': 1,\n" for n in range(RUN)) + "    },\n)"
    assert repeated([("a.py", imports), ("b.py", imports), ("c.py", example), ("d.py", example)]) == {}
