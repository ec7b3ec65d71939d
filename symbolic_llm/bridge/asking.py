"""The engine's answers to questions at one place, each asked for once

What a run enters is known for all shapes (`entries`), so that an answer is put together from that. The engine is run
for it where no entry says it; such answers are remembered.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from reference_engine.probes import Probe, probes
from reference_engine.probes.scalars import entered_and_done

from .answered import known, sides
from .entered import Uncertifiable
from .letters import Config
from .remembered import memory, read, written


@lru_cache(maxsize=2**16)  # a check of everything asks some ten thousand questions, many of them for several formulas
def _asked_for(probe: Probe, answers_to: tuple[int | Fraction, ...]) -> tuple[Any, Any]:
    values = dict(zip(probe.parameters, answers_to, strict=True))
    with suppress(Uncertifiable):
        return sides(probe.ask(known, **values))
    return run_for(probe, values)


def run_for(probe: Probe, values: Config) -> tuple[Any, Any]:
    """Numerator and denominator of an answer for which the engine is run at this very place."""
    at = {name: values[name] for name in probe.parameters}
    if not _is_the_engines(probe):
        return sides(probe.ask(**at))
    name = f"{probe.subject.name}/{probe.name}({', '.join(map(str, at.values()))})"
    over, under = map(read, memory().row(name, lambda: [written(side) for side in sides(probe.ask(**at))]))
    return over, under


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
