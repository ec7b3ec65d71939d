"""Presets that stand for others: of each kind of model, the smallest and the largest"""

from __future__ import annotations

from collections.abc import Hashable

from symbolic_llm import presets


def kind(name: str) -> Hashable:
    """Everything that tells models apart but their numbers: family, traits, letters, and formulas of their parts."""
    model = presets.model(name)
    parts = frozenset((part.formula.name, part.place) for part in model.parts)
    return model.kind, model.traits, model.counted_as, frozenset(model.letters), parts, model.context_limit is None


def of_each_kind() -> tuple[str, ...]:
    """Names of the smallest and the largest preset of each kind, for tests that take long and see no more in others."""
    found: dict[Hashable, list[str]] = {}
    for name in sorted(presets.names("models"), key=lambda name: presets.model(name).parameters):
        found.setdefault(kind(name), []).append(name)
    chosen = {name for names in found.values() for name in (names[0], names[-1])}
    return tuple(name for name in presets.names("models") if name in chosen)
