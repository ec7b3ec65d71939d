"""From what a user gives to exact values of letters

Letters come by name, or from presets. A letter that is given goes before a preset, and whatever has a value goes
before what could be computed. Checked here, once: whether the formula has such a letter, whether a given one makes any
difference, whether the formula's conditions hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import ConditionViolated, InvalidValue, Overdetermined, UnknownName, listed, unknown_name
from ..expressions.exact import exact
from ..formula import Formula
from ..notation import LETTERS, SUMS, P_chunk, P_held, P_mixed, P_prompt, P_read, P_total
from ..presets import NONE, Figure, Presets
from ..presets.by_letter import Found, Hint
from ..presets.parse_value import read_as, read_value
from ..units import humanize
from .bindings import Given, Input
from .resolution import reach, uncounted

_BY_NAME = {letter.name: letter for letter in LETTERS.values()}


def find_letter(formula: Formula, name: object, chosen: tuple[Formula, ...] = ()) -> Any:
    """The letter that `name` (text or a SymPy symbol) stands for in this formula, by its name or an alias.

    Names are those in code or as printed (`B_star`, `B*`). A letter of other formulas is found by its name only.
    """
    wanted = name if isinstance(name, str) else getattr(name, "name", None)
    if not isinstance(wanted, str):
        raise UnknownName(f"a letter must be given by its name, such as {formula.letters[-1].name!r}.")
    letters = reach(formula, chosen)
    # its own letters go first, by their other names too: B is B_star where a formula has no other B. What its sums
    # come to are its own as well: n_bytes is that of the weights, not n_bytes_act by another name
    for pool, named in ((formula.letters, (*formula.letters, *formula.plain_letters)), (letters, letters)):
        for symbol in named:
            if wanted in (symbol.name, LETTERS[symbol].shown or symbol.name):
                return symbol
        for symbol in pool:
            if wanted in LETTERS[symbol].aliases:
                return symbol
    for symbol in LETTERS:
        if symbol.name == wanted:
            return symbol
    known = [name for symbol in letters for name in (symbol.name, *LETTERS[symbol].aliases)]
    own = ", ".join(symbol.name for symbol in formula.letters)
    raise unknown_name("letter", wanted, known, otherwise=f"{formula.name} has the letters {own}")


def gather(
    formula: Formula,
    letters: Mapping[str, object],
    presets: Presets = NONE,
    *,
    unknown: Any = None,
) -> Given:
    """Every value that letters, presets and used formulas give.

    Args:
        formula: whose letters are meant.
        letters: values by letter name; they go before presets.
        presets: where other letters take their values from.
        unknown: a letter to leave open whatever a preset says.
    """
    given = Given(formula, picked(formula, presets, letters), presets=presets)
    for name, value in letters.items():
        symbol = find_letter(formula, name, given.chosen)
        if symbol in given.values:
            raise InvalidValue(f"{symbol.name} was given twice, under two names.")
        given.values[symbol] = Input(read_value(LETTERS[symbol], value), also=read_as(LETTERS[symbol], value))
    explicit = tuple(given.values)
    refuse_uncounted(formula, presets, {*explicit, unknown})
    figures, given.hints = _figures(given)
    for symbol in reach(formula, given.chosen):
        found = _figure(symbol, figures)
        if found is None or symbol in (unknown, formula.quantity):
            continue
        origin = ", ".join(filter(None, (found.preset, found.figure.source)))
        preset = Input(read_value(LETTERS[symbol], found.figure.value), origin, found.also)
        mine = given.values.setdefault(symbol, preset)
        if mine.value != preset.value:
            given.values[symbol] = Input(mine.value, also=f"instead of {found.figure.value}, {origin}")
    given.values.pop(unknown, None)
    given.refuse_unused(explicit)
    given.complete(unknown)
    given.bounded()
    return given


def refuse_uncounted(formula: Formula, presets: Presets, known: Collection[Any] = ()) -> None:
    """Raise `ConditionViolated` where nothing counts a sum that a formula takes for the model, unless it is known."""
    model = presets.known
    if model is not None and (none := set(uncounted(formula, picked(formula, presets))) - set(known)):
        raise ConditionViolated(f"{formula.name} does not apply, because {uncounted_for(model.name, none)}.")


def uncounted_for(name: str, letters: Iterable[Any]) -> str:
    """The words that nothing counts some letters for a model, and how they can be given."""
    names = [s.name for s in LETTERS if s in set(letters)]
    return f"no formula counts {listed(names)} for {name} yet: give {'it' if len(names) == 1 else 'them'} by name"


def counted_otherwise(formula: Formula, presets: Presets) -> str:
    """Sentence with what the model itself counts, where a formula that is asked for counts it otherwise; else "".

    Both are counted from the model's shapes alone: with letters that are given it would be another model.
    """
    if presets.model is None or formula.quantity is None or formula.quantity.name not in presets.letters[0]:
        return ""
    of_model, letter = Presets(presets.model), LETTERS[formula.quantity]
    if (stated := of_model.letters[0].get(letter.name)) is None:
        return ""
    own = read_value(letter, stated.figure.value)
    shaped = filled(formula, of_model, {})
    if not shaped.missing(formula.rhs.free_symbols) and exact(formula.rhs, shaped.numbers()) == own:
        return ""
    return f"the count of {stated.preset} itself is {humanize(own, letter.unit)}: ask for {letter.name}"


def filled(formula: Formula, presets: Presets, values: Mapping[Any, Fraction]) -> Given:
    """The letters of a formula, with values from a mapping and from presets; no condition is checked.

    The mapping may have letters that the formula does not have.
    """
    given = Given(formula, picked(formula, presets), presets=presets)
    figures, _ = _figures(given)
    for symbol in reach(formula, given.chosen):
        if symbol in values:
            given.values[symbol] = Input(values[symbol])
        elif symbol != formula.quantity and (found := _figure(symbol, figures)) is not None:
            given.values[symbol] = Input(read_value(LETTERS[symbol], found.figure.value))
    given.complete(formula.quantity)
    return given


def own_sum(formula: Formula, presets: Presets, names: Collection[str] = ()) -> Formula:
    """The model's own sum of what a formula counts in one format, where its file has several; else the formula."""
    if formula.quantity not in SUMS:
        return formula
    by = {one.quantity: one for one in _own(presets, names)}
    return by.get(formula.quantity, formula)


def _own(presets: Presets, names: Collection[str]) -> tuple[Formula, ...]:
    """Bytes of weights as sums over the parts of the model, in the formats of its file."""
    if presets.known is None or presets.heard is None or "n_bytes" in names:
        return ()
    return presets.known.bytes_of_parts(presets.heard)


def picked(formula: Formula, presets: Presets, names: Collection[str] = ()) -> tuple[Formula, ...]:
    """The formulas that the model of the presets picks; `ConditionViolated` if the given one is for other models.

    In the formats of its file, bytes of weights are its own sums over its parts, unless those of a weight are among the
    `names` of the letters that are given.
    """
    if (found := presets.known) is None:
        return ()
    from ..models.device_weights import OF_CHUNKS
    from ..models.formula_table import miscount, mismatch  # with it come the formulas that models choose from

    unlike = mismatch(formula, found.name, found.traits, found.picked)
    if reason := unlike or miscount(formula, found.name, found.counted_as) or found.uncounted(formula):
        raise ConditionViolated(f"{formula.name} does not apply, because {reason}.")
    own = _own(presets, names)
    if formula.quantity in OF_CHUNKS and own:
        from ..models.mixed_steps import of_parts

        own += of_parts(own)
    if own and presets.heard is not None and any(one.quantity == P_held for one in formula.closure()):
        own += found.bytes_on_devices(presets.heard)
    return (*found.formulas_for(formula), *own)


def _figures(given: Given) -> tuple[Mapping[str, Found], dict[str, Hint]]:
    """The figures that presets give one formula, by letter, and why they give none for others.

    A part may be as wide as another letter of the model says, and weights that are read have another mean than all.
    """
    presets = given.presets
    figures, hints = presets.letters
    counted = {one.quantity.name for one in given.chosen if one.quantity is not None}
    if "n_bytes" in counted:  # the mean of all weights is another than that of the weights which a device holds
        figures = {name: found for name, found in figures.items() if name != "n_bytes"}
    if (known := presets.known) is None:
        return figures, hints
    mine = {
        name: replace(figures[other], preset=f"{figures[other].preset} {other}")
        for name, other in known.renamed_in(given.formula).items()
        if other in figures
    }
    if (read := known.bytes_read(presets.heard)) is not None:
        letters = reach(given.formula, given.chosen)
        if {P_read, P_prompt, P_mixed, P_chunk} & {*letters} and P_total not in letters:
            mine["n_bytes"] = replace(
                figures["n_bytes"], figure=Figure(str(read), "mean over the weights that are read")
            )
    return {**figures, **mine}, hints


def _figure(symbol: Any, figures: Mapping[str, Found]) -> Found | None:
    """The figure that presets give for a letter, by its name or an alias; None if they give none.

    A figure of another letter serves only if it counts the same: a head's width is one, in `d` or `d_head`, but the
    bytes of a weight are not those of a number in the cache.
    """
    unit = LETTERS[symbol].unit
    names = (name for name in LETTERS[symbol].aliases if name not in _BY_NAME or _BY_NAME[name].unit == unit)
    return next((figures[name] for name in (symbol.name, *names) if name in figures), None)


def gather_inputs(formula: Formula, letters: Mapping[str, object], presets: Presets = NONE) -> Given:
    """The values from which the quantity of a formula is computed; `Overdetermined` if the quantity itself is given.

    Conditions whose letters have values are checked.
    """
    chosen = picked(formula, presets, letters)
    if formula.quantity is not None and formula.quantity in {find_letter(formula, name, chosen) for name in letters}:
        name = formula.quantity.name
        raise Overdetermined(
            f"{name} is the result of {formula.name}, so it cannot be given; to find another letter from it, use solve."
        )
    given = gather(formula, letters, presets, unknown=formula.quantity)
    given.hold()
    return given
