"""Shapes in a comment: `# (B, n, d_model)`, `# (m, n) @ (n, k) -> (m, k)`, `# (B, n) or (n,)`, `# (n,) each`

An axis is a number, a letter, or sums, products and quotients of these; dots stand for any axes. Of several shapes each
is that of one array, in order; "each" stands for a list of arrays of one shape.
"""

from __future__ import annotations

import ast
import operator
import re
from fractions import Fraction
from functools import cache
from typing import Any

ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
SHAPES = r"\([^()]*,[^()]*\)(?:, \([^()]*,[^()]*\))*(?: each)?"
COMMENT = re.compile(rf"# (?:.* -> )?({SHAPES}(?: or {SHAPES})*)(?:; .*)?$")  # after a product, before a reason

Letters = dict[str, int]
Shape = tuple[int, ...]


def fits(comment: str, made: tuple[Shape, ...], letters: Letters) -> bool:
    """Whether arrays have the shapes of a comment; letters without a value get those of the first alternative."""
    for one in comment.split(" or "):
        said, found = _parsed(one.removesuffix(" each")), dict(letters)
        if one.endswith(" each"):
            if all(_is(said[0], shape, dict(letters)) for shape in made):
                return True
        elif len(said) <= len(made) and all(_is(*pair, found) for pair in zip(said, made, strict=False)):
            letters.update(found)
            return True
    return False


@cache
def _parsed(shapes: str) -> list[list[ast.expr]]:
    tree: Any = ast.parse(f"[{shapes.replace('·', '*')}]", mode="eval")
    return [shape.elts for shape in tree.body.elts]


def _is(said: list[ast.expr], shape: Shape, letters: Letters) -> bool:
    dots = [at for at, one in enumerate(said) if isinstance(one, ast.Constant) and one.value is ...]
    if dots:  # they stand for any axes
        after = len(said) - dots[0] - 1
        shape = (*shape[: dots[0]], *shape[max(dots[0], len(shape) - after) :])
        said = [*said[: dots[0]], *said[dots[0] + 1 :]]
    return len(said) == len(shape) and all(_has(one, size, letters) for one, size in zip(said, shape, strict=True))


def _has(said: ast.expr, size: int, letters: Letters) -> bool:
    unknown = {one.id for one in ast.walk(said) if isinstance(one, ast.Name)} - letters.keys()
    if not unknown:
        return _value(said, letters) == size
    name, *others = unknown
    fitting = [n for n in range(2 * size + 1) if not others and _value(said, {**letters, name: n}) == size]
    letters.update({name: fitting[0]} if len(fitting) == 1 else {})
    return len(fitting) == 1


def _value(said: ast.expr, letters: Letters) -> Fraction:
    if isinstance(said, ast.BinOp):
        return ARITHMETIC[type(said.op)](_value(said.left, letters), _value(said.right, letters))
    assert isinstance(said, ast.Name | ast.Constant)
    return Fraction(letters[said.id] if isinstance(said, ast.Name) else said.value)  # type: ignore[arg-type]
