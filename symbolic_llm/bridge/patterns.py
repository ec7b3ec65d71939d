"""Whether each pattern in the name of a question says something

`decode.flops[*.scores, *.sofmax]` counts the scores alone, and says nothing of the misprint. So every pattern has to
change what is counted, in one configuration at least where formula and engine were compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reference_engine.probes import Probe, patterns_of, probes, with_patterns

from .asking import counted
from .comparison import Comparison


def idle(name: str, found: Iterable[Comparison]) -> str:
    """The first pattern of a question that counts nothing, or leaves nothing out, wherever it was asked; "" if none.

    A pattern that counts is asked by itself, one that leaves out beside the question without it.
    """
    patterns, places = patterns_of(name), [(one.subject, one.config) for one in found]
    left_out = tuple(pattern for pattern in patterns if pattern.startswith("!"))
    for pattern in patterns:
        if pattern in left_out:
            one, other = name, with_patterns(name, tuple(each for each in patterns if each != pattern))
        else:
            one, other = with_patterns(name, (pattern, *left_out)), ""
        asked, beside = _by_subject(one), _by_subject(other)
        differ = (
            counted(asked[subject], config) != (counted(beside[subject], config) if other else 0)
            for subject, config in places
        )
        if not any(differ):
            return pattern
    return ""


def _by_subject(name: str) -> Mapping[str, Probe]:
    """The probes of a question by the names of their subjects."""
    return {probe.subject.name: probe for probe in probes(name)}
