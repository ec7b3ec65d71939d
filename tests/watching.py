"""The engine's forward pass, watched statement by statement: shapes of arrays, and what comments say of them"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from shapes_said import COMMENT, Letters, Shape

import reference_engine

ENGINE = Path(reference_engine.__file__).parent
FILES = {
    str(ENGINE / f"{name}.py"): name
    for name in (
        *("model", "layers", "altup"),
        *("streams", "one_head", "cache", "memory", "routing", "ops", "speculation"),
        *(f"{of}/{path.stem}" for of in ("attention", "recurrent") for path in (ENGINE / of).glob("*.py")),
        *("parallel/data", "parallel/experts", "parallel/ring", "parallel/tensor"),
    )
}

Seen = tuple[str, str, tuple[Shape, ...], Letters]  # place, comment, shapes of what was made, values of letters there


@cache
def statements(path: str) -> dict[int, tuple[Any, str]]:
    """Statements that may make arrays, by each of their lines, and the comment behind a statement or right above it."""
    lines, found = ["", *Path(path).read_text().splitlines()], {}
    for node in ast.walk(ast.parse("\n".join(lines[1:]))):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) and node.value is not None:
            match = COMMENT.search(lines[node.end_lineno or 0]) or COMMENT.fullmatch(lines[node.lineno - 1].strip())
            found |= dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), (node, match[1] if match else ""))
    return found


@cache
def _has_comments(code: CodeType) -> bool:
    said = statements(code.co_filename)
    lines = {line for _, _, line in code.co_lines()} if not code.co_name.startswith("<") else ()
    return any(said[line][1] for line in lines if line in said)


class Watch:
    """Shapes that the statements of the engine make while it runs, call by call; calls that are alike are kept once."""

    def __init__(self) -> None:
        self.calls: dict[Any, list[Seen]] = {}
        self._open: dict[FrameType, tuple[list[Seen], Any]] = {}

    def run(self, letters: Letters, do: Callable[[], Any]) -> None:
        """Run a pass to which these letters belong."""
        self._letters = letters
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            do()
        finally:
            sys.settrace(before)
        for frame, (seen, _) in self._open.items():
            self.calls[frame.f_code, tuple(one[:3] for one in seen)] = seen
        self._open.clear()

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in FILES or not _has_comments(frame.f_code):
            return None
        self._open.setdefault(frame, ([], None))  # a generator is called again where it goes on
        return self._went_on

    def _went_on(self, frame: FrameType, event: str, arg: Any) -> Any:
        seen, before = self._open[frame]
        now = statements(frame.f_code.co_filename).get(frame.f_lineno)
        if event == "exception":  # a generator that another one waits for ends with one
            self._open[frame] = seen, before if arg[0] is StopIteration else None
        elif event == "return":
            if before and not any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(before[0])):
                self._enter(frame, *before, arg)
        elif not (before and isinstance(before[0], ast.Return)):  # what is returned is known when blocks have ended
            if before and now is not before:
                self._enter(frame, *before)
            self._open[frame] = seen, now
        return self._went_on

    def _enter(self, frame: FrameType, node: Any, comment: str, returned: Any = None) -> None:
        if isinstance(node, ast.Return):
            made = returned
        else:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            made = [_found(one, frame.f_locals) for one in getattr(target, "elts", [target])]
        if shapes := tuple(_shapes(made)):
            module = FILES[frame.f_code.co_filename]
            of_pass = {} if module == "ops" else self._letters  # there n is of any array
            known = _letters(frame, of_pass) if comment else {}
            self._open[frame][0].append((f"{module}:{node.lineno}", comment, shapes, known))


def _found(target: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(target, ast.Attribute):
        return getattr(_found(target.value, names), target.attr)
    return names.get(target.id) if isinstance(target, ast.Name) else None


def _shapes(made: Any) -> Iterator[Shape]:
    if isinstance(made, list | tuple):
        for one in made:
            yield from _shapes(one)
    elif getattr(made, "shape", ()):
        yield made.shape


def _letters(frame: FrameType, of_pass: Letters) -> Letters:
    """Values of letters in a function: what is nearer goes first."""
    names = frame.f_locals
    of = [getattr(names.get(name), "config", None) for name in ("self", "layers")]
    of += [names.get(name) for name in ("config", "self", "compression", "index")]
    known = [one for of_one in of if is_dataclass(of_one) for one in vars(of_one).items()]
    return {name: n for name, n in (*known, *of_pass.items(), *names.items()) if type(n) is int}
