"""Which letters the engine measures"""

from __future__ import annotations

from reference_engine.probes import PROBES


def measuring(letter: object) -> tuple[str, ...]:
    """The probes that measure a letter, for decoders of any kind."""
    return tuple(probe.name for probe in PROBES.values() if probe.quantity == str(letter))
