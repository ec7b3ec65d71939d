"""The engine's answers to questions at one place, each asked for once and remembered"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from reference_engine.probes import Parts, Probe, Ratio, probes
from reference_engine.probes.answers import Value
from reference_engine.probes.scalars import entered_and_done

from .letters import Config
from .remembered import memory, read, written


@lru_cache(maxsize=2**16)  # a check of everything asks some ten thousand questions, many of them for several formulas
def _asked_for(probe: Probe, answers_to: tuple[int | Fraction, ...]) -> tuple[Any, Any]:
    return remembered(probe, answers_to, partial(probe.ask, **dict(zip(probe.parameters, answers_to, strict=True))))


def remembered(
    probe: Probe, answers_to: tuple[int | Fraction, ...], answer: Callable[[], Value], by: str = ""
) -> tuple[Any, Any]:
    """Numerator and denominator of an answer, kept for the next time; `by` names what gives it if not the engine."""
    if not _is_the_engines(probe):
        return sides(answer())
    name = f"{probe.subject.name}/{probe.name}({', '.join(map(str, answers_to))}){by}"
    over, under = map(read, memory().row(name, lambda: [written(side) for side in sides(answer())]))
    return over, under


def sides(answer: Value) -> tuple[Any, Any]:
    """Numerator and denominator of an answer; of a plain count, 1 divides it."""
    over, under = answer if isinstance(answer, Ratio) else (answer, 1)
    return tuple(side.value if isinstance(side, Parts) else side for side in (over, under))  # type: ignore[return-value]


def _is_the_engines(probe: Probe) -> bool:
    """Whether its name is enough to remember its answers by: others may have the name of one of these."""
    return probe in probes(probe.name)


def asked(probe: Probe, config: Config) -> tuple[Any, Any]:
    """Numerator and denominator of the engine's answer, kept for the next time; of a plain count, 1 divides it."""
    return _asked_for(probe, tuple(config[name] for name in probe.parameters))


def counted(probe: Probe, config: Config) -> Any:
    """The number that the engine's answer comes to, or whether it says yes."""
    over, under = asked(probe, config)
    return over if under == 1 else Fraction(over) / under


def miscounted(probe: Probe) -> str:
    """What is wrong with the ledger of what the probe runs, by scalars that count themselves; "" if nothing is."""
    run, subject = probe.asks.run, probe.subject
    name = f"entered and done in {run.name if run else 'nothing'} of {subject.name}"
    look = partial(entered_and_done, subject, run)
    entered, done = memory().row(name, look) if _is_the_engines(probe) else look()
    if entered == done:
        return ""
    return f"the ledger of {subject.name} enters {entered:,} operations where {done:,} are done"
