"""Relations and maxima as an author writes them

SymPy's own first look whether a relation is true and which argument of a maximum is the larger. That takes two thirds
of the time in which all formulas are loaded, and what is always true becomes `True`. A formula states something, and
whether it is true is for the checks.
"""

from __future__ import annotations

from functools import partial

import sympy

Eq = partial(sympy.Eq, evaluate=False)
Ge = partial(sympy.Ge, evaluate=False)
Gt = partial(sympy.Gt, evaluate=False)
Le = partial(sympy.Le, evaluate=False)
Lt = partial(sympy.Lt, evaluate=False)
Max = partial(sympy.Max, evaluate=False)
Min = partial(sympy.Min, evaluate=False)
