"""Solving for a letter that stands in a power

A batch picks 1 − (1 − k/E)^B of the experts. Where the letter is in one power only, all else is undone around it: a
logarithm gives an exponent, a root a base.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..algebra import Add, Dummy, Ge, Gt, Mul, Poly, Pow, Rational, expand, factor, floor, fraction, log, together
from ..errors import NoClosedForm
from ..expressions.parts import of_kind
from ..expressions.rational import factored


def hindrance(equation: Any, unknown: Any) -> str:
    """Why there is no closed form for a letter of an equation."""
    rounded = [one for one in equation.atoms(floor) if unknown in one.free_symbols]
    if rounded:
        return "is rounded in several places" if len(rounded) > 1 else "is rounded"
    return "stands in a power"


def no_closed_form(equation: Any, unknown: Any) -> NoClosedForm:
    """The error that there is no closed form for a letter of an equation."""
    return NoClosedForm(f"{unknown.name} {hindrance(equation, unknown)}, so this package has no closed form for it.")


def power_root(equation: Any, unknown: Any) -> Any | None:
    """The expression for which an equation vanishes whose unknown is in one power only; None for any other equation."""
    powers = {power for power in equation.atoms(Pow) if unknown in power.free_symbols and _is_power(power)}
    if len(powers) != 1:
        return None
    (power,) = powers
    stand_in = Dummy(positive=True)
    value = _linear(equation.xreplace({power: stand_in}), stand_in)
    if value is None or unknown in value.free_symbols:
        return None
    base, exponent = power.args
    if unknown in base.free_symbols:
        inner, undone = base, Pow(_short(value), 1 / exponent)
    else:
        inner, undone = exponent, log(_short(value)) / log(base)
    if unknown in undone.free_symbols:
        return None
    # what was undone stays opaque until the end: factoring would take a logarithm of a quotient apart
    found = _linear(inner - stand_in, unknown)
    return None if found is None else found.xreplace({stand_in: undone})


def roots_exist(expression: Any) -> Iterator[tuple[Any, Any, str]]:
    """Conditions for the logarithms and roots to exist: an expression, `Gt` or `Ge` for its relation to 0, a reason."""
    for logarithm in sorted(of_kind(expression, log), key=str):
        yield logarithm.args[0], Gt, "so that the logarithm exists"
    powers = sorted(of_kind(expression, Pow), key=str)
    for power in filter(_is_power, powers):
        yield power.base, Ge, "so that the root exists"
    for power in powers:
        if power.exp == Rational(-1, 2):  # what it divides by is not zero either
            yield power.base, Gt, "so that the root exists"


def in_a_power(expression: Any) -> bool:
    """Whether an expression has a logarithm, or a power whose exponent is a letter: it has no exact value."""
    return bool(expression.has(log)) or any(map(_is_power, expression.atoms(Pow)))


def _is_power(power: Any) -> bool:
    return bool(power.exp.free_symbols)


def _linear(equation: Any, unknown: Any) -> Any | None:
    """The zero of an equation of first degree; None if it is of another, or none has to be found."""
    numerator = fraction(together(equation))[0]
    if not numerator.is_polynomial(unknown):
        return None
    polynomial = Poly(numerator, unknown)
    if polynomial.degree() != 1:
        return None
    slope, constant = polynomial.all_coeffs()
    return without_sign(-constant / slope)


def _short(expression: Any) -> Any:
    """The expression written as terms or as factors, whichever is shorter."""
    # the author writes 1 − k/E, and what mirrors it should look alike
    return min(expand(expression), factor(expression), key=lambda form: form.count_ops())


def without_sign(quotient: Any) -> Any:
    """The quotient, factored, with the minus sign before it, if there is one, taken into a sum."""
    product = factored(quotient)
    # of a sum alone SymPy takes the sign into its terms at once, so there is none before it
    if product.could_extract_minus_sign() and not isinstance(product, Add):
        for base, power in (part.as_base_exp() for part in Mul.make_args(product)):
            if isinstance(base, Add) and power.is_odd:  # of a square the sign goes nowhere
                return (-product).xreplace({base: -base})
    return product
