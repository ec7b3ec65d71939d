"""Roots of rational equations, in closed form, of first and second degree"""

from __future__ import annotations

from typing import Any

from ..algebra import Poly, expand, fraction, sqrt, together
from ..errors import NotSolvable
from ..expressions.decide import positive, sign_where
from ..expressions.rational import cancelled, coefficients, linear_root, quotient
from .powers import no_closed_form, power_root, without_sign


def roots_of(equation: Any, unknown: Any) -> list[Any]:
    """The expressions for which a rational equation in `unknown` vanishes, those that cannot be positive left out."""
    if (root := linear_root(equation, unknown)) is not None:
        above, below = map(sign_where, root)
        return [] if above and below and above != below else [without_sign(root)]
    if (found := quotient(equation)) is not None:
        factors = coefficients(found.above, unknown)
    elif (numerator := fraction(together(equation))[0]).is_polynomial(unknown):
        factors = Poly(expand(numerator), unknown).all_coeffs()
    elif (undone := power_root(equation, unknown)) is not None:
        return [undone]
    else:
        raise no_closed_form(equation, unknown)
    if len(factors) == 2:
        slope, constant = factors
        if constant == 0:  # it vanishes at zero alone
            return []
        return [] if positive(slope / constant) else [without_sign(-constant / slope)]
    if len(factors) == 3:
        a, b, c = factors
        if positive(-a):
            a, b, c = -a, -b, -c
        root = sqrt(cancelled(b**2 - 4 * a * c))
        larger, smaller = (-b + root) / (2 * a), (-b - root) / (2 * a)
        # roots of opposite sign: their product is c/a, and letters are positive
        return [larger] if positive(a) and positive(-c) else [larger, smaller]
    raise NotSolvable(
        f"the claim is of degree {len(factors) - 1} in {unknown.name}, so this package has no closed form for it."
    )
