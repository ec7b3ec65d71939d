"""The notebook that comes with the documentation: `python tests/notebook_cells.py` runs it and stores its outputs

Cells are run one after the other in one namespace; of the last expression of a cell is kept what a notebook shows of
it. The cell that installs the package is not run.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat

FILE = Path(__file__).parent.parent / "docs" / "assets" / "first-questions.ipynb"
_KINDS = {"text/html": "_repr_html_", "text/latex": "_repr_latex_"}


def read(path: Path = FILE) -> Any:
    """The notebook of a file, as nbformat reads it."""
    return nbformat.read(path, as_version=4)


def installs(cell: Any) -> bool:
    """Whether a cell is for a machine that has no package yet."""
    return "install" in cell.metadata.get("tags", ())


def run(notebook: Any) -> list[dict[str, str]]:
    """Outputs of the code cells by kind; {} for a cell that shows nothing."""
    names: dict[str, Any] = {}
    return [{} if installs(cell) else _shown(cell.source, names) for cell in notebook.cells if cell.cell_type == "code"]


def stored(notebook: Any) -> list[dict[str, str]]:
    """The outputs that the file has."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [dict(cell.outputs[0]["data"]) if cell.outputs else {} for cell in cells]


def _shown(source: str, names: dict[str, Any]) -> dict[str, str]:
    *most, last = ast.parse(source).body
    exec(compile(ast.Module(most, []), FILE.name, "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), FILE.name, "exec"), names)
        return {}
    value = eval(compile(ast.Expression(last.value), FILE.name, "eval"), names)
    other = {kind: getattr(value, method)() for kind, method in _KINDS.items() if hasattr(value, method)}
    return {"text/plain": repr(value), **other}


if __name__ == "__main__":
    written = read()
    for number, (cell, data) in enumerate(
        zip((cell for cell in written.cells if cell.cell_type == "code"), run(written), strict=True), 1
    ):
        cell.execution_count = number
        output = nbformat.v4.new_output("execute_result", data, execution_count=number)
        cell.outputs = [output] if data else []
    nbformat.write(written, FILE)
