"""A decoder's own formulas, which follow from its kinds of blocks: chosen by its letters, made on demand"""

from __future__ import annotations

from typing import Any

from ..formula import Formula
from ..notation import C_prompt, C_prompt_device, N_critical, N_fit, T_decode, T_generation, T_output
from ..stored_formulas import stored_formulas
from .cache_kind import name_of
from .summed_letters import ON_DEVICES, SUMMED

# The letters that these may have a value for, and those of the laws that they solve
OWN = frozenset(
    {
        *SUMMED,
        *(ON_DEVICES[letter] for letter in SUMMED if letter in ON_DEVICES),
        *(N_fit, N_critical, T_decode, T_output, T_generation),
    }
)


def own(letters: frozenset[str]) -> tuple[Formula, ...]:
    """Sums over what a decoder with these letters keeps, and the laws in the context that follow from them."""
    if (stored := stored_formulas("own", name_of(letters))) is not None:
        return stored
    from .caches_and_states import sums
    from .context_laws import laws

    return (*sums(letters), *laws(letters))


def own_of_prompts(letters: frozenset[str]) -> tuple[Formula, ...]:
    """A decoder's own sums over what a prompt's token meets where nothing masked is computed."""
    if (stored := stored_formulas("own of prompts", name_of(letters))) is not None:
        return stored
    from .caches_and_states import sums_of_prompts

    return sums_of_prompts(letters)


def has_all(picks: tuple[Formula, ...], wanted: frozenset[Any] = OWN) -> bool:
    """Whether formulas count all these letters, as those of the plain decoder do, for which nothing has to be made."""
    return wanted <= {formula.quantity for formula in picks}


def with_own(picks: tuple[Formula, ...], letters: frozenset[str]) -> tuple[Formula, ...]:
    """Formulas that are picked for a decoder with these letters, and its own for what none of them counts."""
    return picks if has_all(picks) else _beside(picks, own(letters))


def of_prompts(picks: tuple[Formula, ...], letters: frozenset[str]) -> tuple[Formula, ...]:
    """Formulas for what a prompt's token meets where nothing masked is computed: those picked, or the decoder's own."""
    of_all = frozenset({C_prompt, C_prompt_device})
    return picks if has_all(picks, of_all) else _beside(picks, own_of_prompts(letters))


def _beside(picks: tuple[Formula, ...], others: tuple[Formula, ...]) -> tuple[Formula, ...]:
    counted = {formula.quantity for formula in picks}
    return (*picks, *(formula for formula in others if formula.quantity not in counted))
