"""The table of formulas for quantities that architectures compute differently, and the choice of one for a model

A quantity that architectures compute differently has several formulas, each for models with certain traits. A model
picks, for each letter, the formula whose traits it has; there is exactly one, or none where no formula counts it yet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..algebra import does_without_sympy
from ..architecture import AXES, Traits, lacking, said
from ..catalogue import catalogue, formulas_named
from ..catalogue.named import (
    causal_prompt_context_flops,
    context_that_fits,
    decode_flops,
    gpt2_decode_flops,
    llama_decode_flops,
    mixtral_decode_flops,
    prefill_flops,
    prompt_context_flops_per_device,
    qwen3_decode_flops,
    stored_parameters,
    tokens_that_fit,
)
from ..formula import Formula
from ..notation import BY_TRAITS
from ..stored_formulas import needed_row


def among(found: Collection[Formula]) -> tuple[Formula, ...]:
    """Formulas, of all that give one letter a value, among which models pick by their traits.

    Left out is one that rests on another of them: a special case, or the same under other assumptions. So is one that
    says of no decoder that it is for it, where others do, and one for some of the decoders that another is for.
    """
    if len(found) == 1:
        return tuple(found)
    said = [one for one in found if one.traits and not any(other in one.closure() for other in found)]
    return tuple(one for one in said if not any(_covers(other.traits, one.traits) for other in said if other != one))


def _covers(traits: Traits, others: Traits) -> bool:
    """Whether all decoders that others are for have these traits."""
    return all(not traits & axis or set() < others & axis <= traits & axis for axis in AXES)


def _choices() -> tuple[Formula, ...]:
    if does_without_sympy():
        return formulas_named(*needed_row("choices"))
    return tuple(one for letter in BY_TRAITS for one in among(catalogue().giving(letter)))


CHOICES = _choices()

# What is asked in the place of a formula that sequences of any length share, where windows end each of them.
_NEAREST = {tokens_that_fit: context_that_fits}

# What a prompt's token meets where kernels skip what is masked, in the place of formulas of the table
OF_PROMPTS = causal_prompt_context_flops, prompt_context_flops_per_device


@dataclass(frozen=True)
class Way:
    """A way to count the operations of a prompt, in which authors differ.

    Attributes:
        causal: whether kernels skip what is masked, or every token meets every other.
        last: whether only the last position gets logits, or every one.
    """

    causal: bool
    last: bool


# The first way is meant where none is named
PREFILLS: dict[str, Way] = {
    "served": Way(causal=True, last=True),
    "causal": Way(causal=True, last=False),
    "last-logits": Way(causal=False, last=True),
    "full": Way(causal=False, last=False),
}

# All operations of a decoding step, matrix products and everything else, of the families where they are known
EXACT: dict[str, Formula] = {
    "schematic": decode_flops,  # the decoder of the articles, which no published model is
    "llama": llama_decode_flops,
    "qwen3": qwen3_decode_flops,
    "gpt2": gpt2_decode_flops,
    "mixtral": mixtral_decode_flops,
}
_FAMILIES = {formula: family for family, formula in EXACT.items()}


def suiting(formulas: tuple[Formula, ...], traits: Traits) -> tuple[Formula, ...]:
    """Formulas, of those given, that apply to models with these traits."""
    return tuple(formula for formula in formulas if not lacking(formula.traits, traits))


@cache
def chosen(traits: Traits) -> tuple[Formula, ...]:
    """The formulas of the table that a model with these traits picks."""
    return suiting(CHOICES, traits)


def miscount(formula: Formula, name: str, counted_as: str) -> str:
    """Reason why a count of everything (all operations, all weights) does not fit a model; "" where there is none.

    The reason names the formula to use instead, if any. There is none for a formula that fits the model, and for one
    that is no such count.
    """
    if formula is stored_parameters:
        return f"it counts a textbook decoder, and {name} stores other weights too; use P_total"
    if formula is prefill_flops and counted_as not in EXACT:
        return f"it needs all operations of a decoding step, and no formula counts those of {name}"
    if (family := _FAMILIES.get(formula, counted_as)) == counted_as:
        return ""
    instead = f"; use {EXACT[counted_as].name}" if counted_as in EXACT else ""
    return f"it counts all operations of a {family} decoder, and {name} is not one{instead}"


def mismatch(formula: Formula, name: str, traits: Traits, picked: Callable[[Any], object]) -> str:
    """Reason why a formula does not apply to a model, with what counts the same for the model; "" if it applies.

    Args:
        formula: the formula.
        name: name of the model.
        traits: traits of the model.
        picked: gives what computes a letter for the model, or None; called only where no formula of the table does.
    """
    if not (missing := lacking(formula.traits, traits)):
        return ""
    axes = [axis for axis in AXES if axis & missing]
    needed, had = ([said(one & axis) for axis in axes] for one in (missing, traits))
    # theorems have no quantity, and None == None would match any two of them
    wanted = _NEAREST.get(formula, formula).quantity
    others = [other.name for other in chosen(traits) if other.quantity == wanted is not None]
    if not others and wanted is not None and picked(wanted) is not None:
        others = [f"the model's own sum {wanted}"]
    instead = f"; use {others[0]}" if others else ""
    return f"it is for models with {' and with '.join(needed)}, and {name} has {' and '.join(had)}{instead}"
