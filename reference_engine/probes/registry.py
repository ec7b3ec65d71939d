"""The list of questions, and the probes that follow: one for each subject that a question can be put to"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

from .counts import BOTH
from .measures import Answer, Asked, Source, Value
from .runs import Run, passed
from .subjects import SUBJECTS, Subject

_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Question:
    """A question with its wording, as data.

    Attributes:
        name: how formulas name it.
        wording: the same in words.
        run: what is done with the subject.
        answer: what is asked of the run.
        quantity: the letter whose value it measures. One that measures a part of something, or answers with yes or no,
            has none: it witnesses a step or a theorem, never an equation.
        subjects: to whom it is put where a formula does not say.
        takes: parameters beside the subject's shape.
        fixed: values that are the same wherever it is asked.
    """

    name: str
    wording: str
    run: Run | None
    answer: Answer
    quantity: str
    subjects: tuple[str, ...]
    takes: tuple[str, ...]
    fixed: Mapping[str, int] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, eq=False)
class Probe:
    """A question put to one subject.

    Attributes:
        name: of the question, after that of a subject that had to be named: "llama/weights.stored".
        parameters: what has to be given.
    """

    name: str
    asks: Question
    subject: Subject
    parameters: tuple[str, ...]

    @property
    def question(self) -> str:
        """Wording of the question."""
        return self.asks.wording

    @property
    def quantity(self) -> str:
        """The letter it measures, or ""."""
        return self.asks.quantity

    def ask(self, source: Source = passed, /, **values: Any) -> Value:
        """The answer for these values of the parameters, from what the engine enters or a source that knows it."""
        return self.asks.answer.of(Asked(self.subject, self.asks.run, {**values, **self.asks.fixed}, source))


QUESTIONS: dict[str, Question] = {}


def about(run: Run | None, *subjects: str, **how: Any) -> Callable[..., None]:
    """Function that enters questions about one run of some subjects; `how` is what else they have in common."""
    return partial(_enter, run, subjects, **how)


def _enter(
    run: Run | None,
    subjects: tuple[str, ...],
    name: str,
    wording: str,
    answer: Answer,
    quantity: str = "",
    *,
    widths: tuple[str, ...] | None = None,
    more: tuple[str, ...] = (),
    **fixed: int,
) -> None:
    """Enter a question.

    Args:
        run: what is done.
        subjects: to whom it is put.
        name: how formulas name it.
        wording: the question itself.
        answer: what is asked of the run.
        quantity: the letter that it measures.
        widths: bytes of a number that it takes, others being four; those that the answer depends on, if left out.
        more: parameters that neither run nor answer name.
        **fixed: parameters that have one value.
    """
    if widths is None:
        widths = tuple(one for one in BOTH if one in answer.widths)
        if run is not None and run.width:
            widths = (run.width,) if widths else ()
    takes = dict.fromkeys((*(run.takes if run else ()), *more, *widths, *answer.needs))
    QUESTIONS[name] = Question(
        name,
        inspect.cleandoc(wording).rstrip("."),
        run,
        answer,
        quantity,
        subjects,
        tuple(parameter for parameter in takes if parameter not in fixed),
        MappingProxyType(fixed),
    )


_WRITTEN = re.compile(r"(?:(\w[\w ]*)/)?([a-z_.]+)(?:\[([^\]]+)\])?(?:\(([a-z_]+=\d+(?:, ?[a-z_]+=\d+)*)\))?")


@lru_cache(maxsize=2**12)
def probes(name: str) -> tuple[Probe, ...]:
    """The probes of a question; none if there is no such question or subject.

    "weights.stored" is put to all its subjects, "llama/weights.stored" to one. "decode.flops[*.norm_?, norm]" counts
    some paths only, and "weights.stored(n_blocks=1)" is asked at one value; neither measures a letter then.
    """
    found = _WRITTEN.fullmatch(name)
    subject, asked, paths, at = found.groups() if found else ("", "", "", "")
    if asked not in QUESTIONS or (subject and subject not in SUBJECTS):
        return ()
    meant = QUESTIONS[asked]
    if paths or at:
        pairs = (one.strip().partition("=") for one in (at or "").split(",") if one)
        fixed = {parameter: int(value) for parameter, _, value in pairs}
        answer = meant.answer.part(tuple(path.strip() for path in paths.split(","))) if paths else meant.answer
        meant = replace(
            meant,
            wording=f"{meant.wording} ({'; '.join(filter(None, (paths, at)))})",
            answer=answer,
            quantity="",
            takes=tuple(one for one in meant.takes if one not in fixed),
            fixed=MappingProxyType({**meant.fixed, **fixed}),
        )
    return tuple(_probe(name, meant, SUBJECTS[one]) for one in ((subject,) if subject else meant.subjects))


def patterns_of(name: str) -> tuple[str, ...]:
    """The patterns of paths in a question's name; none where it counts all that the question means."""
    found = _WRITTEN.fullmatch(name)
    return tuple(path.strip() for path in found[3].split(",")) if found and found[3] else ()


def with_patterns(name: str, patterns: tuple[str, ...]) -> str:
    """The name of the same question that counts other paths; all that it means, if no pattern is given."""
    found = _WRITTEN.fullmatch(name)
    assert found, "only a name that is well formed has patterns"
    subject, asked, _, at = found.groups()
    parts = (f"{subject}/" if subject else "", asked, f"[{', '.join(patterns)}]" if patterns else "")
    return "".join((*parts, f"({at})" if at else ""))


def _probe(name: str, asked: Question, subject: Subject) -> Probe:
    shape = tuple(parameter for parameter in subject.shape if parameter not in asked.fixed)
    takes = tuple(one for one in asked.takes if one != "n_bytes_state" or subject.has_state_format)
    return Probe(name, asked, subject, tuple(dict.fromkeys((*shape, *takes))))
