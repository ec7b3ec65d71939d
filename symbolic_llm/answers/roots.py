"""Roots of rational equations, in closed form, of first and second degree"""

from __future__ import annotations

from typing import Any

from ..algebra import Dummy, Poly, Pow, Rational, expand, fraction, sqrt, together
from ..errors import NotSolvable
from ..expressions.decide import positive, sign_where
from ..expressions.rational import cancelled, coefficients, linear_root, quotient
from .powers import no_closed_form, power_root, without_sign


def roots_of(equation: Any, unknown: Any) -> list[Any]:
    """The expressions for which a rational equation in `unknown` vanishes, those that cannot be positive left out."""
    if (root := linear_root(equation, unknown)) is not None:
        above, below = map(sign_where, root)
        return [] if above and below and above != below else [without_sign(root)]
    if (ratio := quotient(equation)) is not None:
        factors = coefficients(ratio.above, unknown)
    elif (numerator := fraction(together(equation))[0]).is_polynomial(unknown):
        factors = Poly(expand(numerator), unknown).all_coeffs()
    elif (found := _under_a_root(numerator, unknown)) is not None:
        return [found]
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


def _under_a_root(numerator: Any, unknown: Any) -> Any | None:
    """The expression for which p·√q − r vanishes, where the unknown stands in squares only; None for another form.

    Squares may be equal where two numbers are not; where both are positive they are not.
    """
    powers = [power for power in numerator.atoms(Pow) if power.exp == Rational(1, 2) and power.has(unknown)]
    if len(powers) != 1:
        return None
    root = Dummy(positive=True)
    plain = numerator.xreplace({powers[0]: root})
    if not plain.is_polynomial(root) or Poly(plain, root).degree() != 1:
        return None
    by, rest = Poly(plain, root).all_coeffs()
    square = expand(rest**2 - by**2 * powers[0].base)
    if not positive(-rest / by) or not square.is_polynomial(unknown):
        return None
    a, *middle, c = Poly(square, unknown).all_coeffs()
    if middle != [0]:
        return None
    above, below = fraction(cancelled(-c / a))
    if positive(-above):
        above, below = -above, -below
    return sqrt(above) / sqrt(expand(below))
