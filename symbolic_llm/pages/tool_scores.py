"""Scores of other tools: their kept answers beside the exact values of the conformance suite

Nobody writes a score down. `conformance/answers/` has what each tool said, of which version and on which day.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import CatalogueError, listed

_NEAR = Fraction(1, 100)
_SAYS = ("tool", "version", "date", "suite", "answers")


@dataclass(frozen=True)
class Score:
    """Answers of a tool on one quantity.

    Attributes:
        right: how many are the exact value.
        near: how many are off by a hundredth at most, those included.
        answered: how many there are.
        asked: how many questions there are.
        wrong_at: the kinds of model at which one is wrong, or all but those at which none is.
    """

    right: int
    near: int
    answered: int
    asked: int
    wrong_at: str


@dataclass(frozen=True)
class Asked:
    """A tool that was asked, with its version, the day, and its scores by quantity."""

    tool: str
    version: str
    date: str
    scores: Mapping[str, Score]


@dataclass(frozen=True)
class ToolScores:
    """Tools that were asked, by name, and how many questions the suite has."""

    questions: int
    tools: tuple[Asked, ...]


def tool_scores(suite: Path) -> ToolScores:
    """Scores of every tool whose answers are kept; none where there is no such folder.

    Args:
        suite: the folder `conformance`.

    Raises:
        CatalogueError: for answers without a tool, a version or a day, and for those to other questions.
    """
    files = sorted((suite / "answers").glob("*.json"), key=lambda file: file.stem.lower())
    if not files:
        return ToolScores(0, ())
    asked = json.loads((suite / "kv.json").read_text(encoding="utf-8"))
    questions = sum(len(case["questions"]) for case in asked["cases"])
    return ToolScores(questions, tuple(_asked(file, asked) for file in files))


def _asked(file: Path, suite: Mapping[str, Any]) -> Asked:
    said = json.loads(file.read_text(encoding="utf-8"))
    if lacking := [name for name in _SAYS if not said.get(name)]:
        raise CatalogueError(f"answers/{file.name} does not say: {listed(lacking)}.")
    if said["suite"] != suite["version"]:
        raise CatalogueError(f"answers/{file.name} has answers to version {said['suite']} of kv.json; ask again.")
    known = {(case["id"], one["id"]) for case in suite["cases"] for one in case["questions"]}
    if unknown := {(case, one) for case, those in said["answers"].items() for one in those} - known:
        raise CatalogueError(f"answers/{file.name} answers what kv.json does not ask: {' '.join(min(unknown))}.")
    scores = {name: _score(name, said["answers"], suite["cases"]) for name in suite["quantities"]}
    told = {name: score for name, score in scores.items() if score.answered}
    return Asked(said["tool"], said["version"], said["date"], told)


def _score(quantity: str, answers: Mapping[str, Mapping[str, Any]], cases: list[dict[str, Any]]) -> Score:
    asked, ratios = 0, list[tuple[str, Fraction]]()
    for case in cases:
        for one in case["questions"]:
            if one["quantity"] == quantity:
                asked += 1
                if (answer := answers.get(case["id"], {}).get(one["id"])) is not None:
                    ratios.append((case["about"], _ratio(answer, one["value"])))
    wrong = list(dict.fromkeys(kind for kind, ratio in ratios if ratio != 1))
    never = list(dict.fromkeys(kind for kind, _ in ratios if kind not in wrong))
    near = sum(abs(ratio - 1) <= _NEAR for _, ratio in ratios)
    return Score(sum(ratio == 1 for _, ratio in ratios), near, len(ratios), asked, _fewer(wrong, never))


def _ratio(answer: Any, value: float) -> Fraction:
    """An answer over the exact value; zero for a text, which is no number."""
    return Fraction(answer) / Fraction(value) if isinstance(answer, int | float) else Fraction(0)


def _fewer(wrong: list[str], never: list[str]) -> str:
    """Kinds at which something is wrong, or those at which nothing is, if they are fewer."""
    if len(wrong) <= len(never):
        return "; ".join(wrong)
    return f"all but {'this' if len(never) == 1 else f'these {len(never)}'}: {'; '.join(never)}" if never else "all"
