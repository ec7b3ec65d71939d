"""A device's part of a decoder whose layers several devices share: of heads, MLPs and vocabulary

Such a device runs a decoder of its own, with fewer heads and narrower MLPs. So a formula for the whole model holds for
a device, once the letters of what is dealt out are those of a device. A part with none of these letters is whole on
every device: norms, routers, latent vectors, indexes, the way down to a compressed query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..catalogue.named import all_reduces
from ..expressions.exact import exact
from ..formula import Formula
from ..notation import P_device, P_held, P_more, n_bytes, n_moe, n_reduces, n_tensor, n_vocab, named
from ..steps import add, cite, divide
from ..unevaluated import Max
from .device_weights import COPIED, EVENLY, works_beside
from .part import Part, count
from .sums import Addend, added_up, addend_of, derived, summed


def _whole_ones(number: Any) -> Any:
    """Mean number per device of things that are dealt out whole: at least one, which may be a copy."""
    return Max(1, number / n_tensor)


# What a device has of each, in the mean
SHARES: Mapping[Any, Any] = {
    **{named(name): named(name) / n_tensor for name in EVENLY},
    **{named(name): _whole_ones(named(name)) for name in COPIED},
}
ROWS: Mapping[Any, Any] = {n_vocab: n_vocab / n_tensor}  # of the output matrix


# The sums over parts that a device has: their letter and title, and which copies of a part count
OF_DEVICE = (
    (P_device, "Weights that a token is multiplied with on a device", "multiplied"),
    (P_held, "Weights that a device holds", "stored"),
)


def shares(*, looked_up: bool) -> Mapping[Any, Any]:
    """A device's share of each letter of a part; an embedding that is only looked up is whole on every device."""
    return SHARES if looked_up else {**SHARES, **ROWS}


def of_part(part: Part) -> Mapping[Any, Any]:
    """A device's share of each letter of this part, by whether it is only looked up."""
    return shares(looked_up=part.kind == "embedding" and not part.multiplied)


def on_device(values: Mapping[Any, Any], shared: Mapping[Any, Any], devices: int) -> dict[Any, Fraction]:
    """A device's values of letters, in the mean, where so many devices share what some of these letters count."""
    known = {**values, n_tensor: Fraction(devices)}
    return {letter: Fraction(exact(shared.get(letter, letter), known)) for letter in values}


def apart(parts: Iterable[Part], copies: str) -> dict[str, int]:
    """Number of weights that are whole on every device, under "", and of those dealt out with copies, by letter.

    All others are shared out evenly, so these numbers say what a device has, however many share.

    Args:
        parts: where the weights are.
        copies: which copies of them count, "stored" or "multiplied".
    """
    found: dict[str, int] = {"": 0}
    for part in parts:
        if not (number := getattr(part, copies)):
            continue
        names = {name: part.renamed.get(name, name) for name in part.letters}
        shared = of_part(part)
        dealt = {name: 0 for name, own in names.items() if named(own) in shared}
        whole = count(part.formula, {**part.letters, **dealt})
        found[""] += int(number * whole)
        for name in dealt:
            if (own := names[name]) in COPIED:
                alone = count(part.formula, {**part.letters, **dealt, name: part.letters[name]})
                found[own] = found.get(own, 0) + int(number * (alone - whole))
    return found


def of_model(model: str, parts: Iterable[Part]) -> tuple[Formula, ...]:
    """Formulas for the weights that a device multiplies, holds, and would read more with all heads, as sums over parts.

    Where MLPs work beside experts, there is one for the all-reduces of a pass too.

    Args:
        model: its name.
        parts: where its weights are.
    """
    found = []
    for letter, title, by in OF_DEVICE:
        counted = [addend_of(part, copies, shares=of_part(part)) for part in parts if (copies := getattr(part, by))]
        found.append(summed(model, letter, title, counted))
    if works_beside(parts):
        found.append(_reduces(model))
    heads = [addend_of(part, part.multiplied) for part in parts if part.kind == "attention"]
    return (*found, more(model, heads)) if heads else tuple(found)


def bytes_held(model: str, parts: Iterable[tuple[Part, Fraction]], held: Formula) -> Formula:
    """Formula for the bytes of a weight that a device holds, in the mean, where a file has several formats.

    What is whole on every device may be stored otherwise than what is dealt out, so it is not the mean of the file.

    Args:
        model: its name.
        parts: where its weights are, each with the bytes of one.
        held: its sum of the weights that a device holds.
    """
    steps, uses = added_up(addend_of(part, part.stored, each, shares=of_part(part)) for part, each in parts)
    mean = divide(P_held, steps[-1].result / P_held, "by the number of weights that the device holds")
    title = "Bytes of a weight that a device holds, in the mean"
    return derived(model, n_bytes, title, (*steps, mean), uses=(*uses, held))


def _reduces(model: str) -> Formula:
    """Formula for the all-reduces of a pass where MLPs work beside experts."""
    usual = all_reduces.rhs
    steps = (
        cite(all_reduces, "as in any decoder"),
        add(n_moe, usual + n_moe, "the sums of experts and of the MLP beside them are normed apart, so made apart"),
    )
    return derived(model, n_reduces, all_reduces.title, steps, uses=[all_reduces])


def more(model: str, attention: Iterable[Addend]) -> Formula:
    """Formula for the weights of attention that a device reads more if it has all heads and not its part of them."""
    title = "Weights read more with data-parallel attention"
    return summed(model, P_more, title, [one.beyond(SHARES) for one in attention])
