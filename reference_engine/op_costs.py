"""Operations that each op costs, by the sizes it ran on"""

from __future__ import annotations

from collections.abc import Callable

# An op's rule takes the sizes it ran on. `counting_scalars.py` justifies each with scalars that count themselves.
RULES: dict[str, Callable[..., int]] = {
    "matmul": lambda batch, m, n, k: 2 * batch * m * n * k,  # every sum started at zero
    "sum": lambda size: size,  # started at zero
    "maximum": lambda size: size,  # started at minus infinity; of two operands, a comparison for each element
    "minimum": lambda size: size,
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "exp", "log", "tanh", "erf", "sqrt"), lambda size: size),
    "load": lambda: 0,
    "store": lambda: 0,
    "send": lambda: 0,  # to another device
}
