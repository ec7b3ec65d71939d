"""Asks a tool every question of kv.json and lists what it answers otherwise

    python conformance/run.py [--case ID] [--quantity NAME] COMMAND [ARGUMENT ...]
    python conformance/run.py --keep VERSION FILE COMMAND [ARGUMENT ...]

The command is run once for each case. On standard input it gets {"config": …, "questions": [{"id": …, "quantity": …,
…}, …]}, on standard output it prints one object of JSON with a number for each id that it has an answer for. Numbers
are compared exactly. The second form also writes the answers into a file, with the tool's version and today's date: a
file of answers/, named after its tool, which the site makes its table from. Nothing but Python is needed.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "kv.json"
_SECONDS = 120


class Unanswered(Exception):
    """A tool that did not print what it should; says why in a sentence."""


def main(arguments: list[str]) -> int:
    """0 if all that is answered agrees, 1 if something differs or nothing is answered, 2 if the command cannot run."""
    parser = argparse.ArgumentParser(description="Ask a tool the questions of kv.json and compare its answers.")
    parser.add_argument("--case", action="append", help="only this one; may be given again")
    parser.add_argument("--quantity", action="append", help="only questions on this one; may be given again")
    parser.add_argument("--keep", nargs=2, metavar=("VERSION", "FILE"), help="write the answers of this version there")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run, with its arguments")
    options = parser.parse_args(arguments)
    if not options.command:
        parser.error("name the command of a tool")
    if options.keep and (options.case or options.quantity):
        parser.error("only answers to all questions are kept")
    suite = json.loads(PATH.read_text(encoding="utf-8"))
    cases = suite["cases"]
    for wanted in set(options.case or ()) - {case["id"] for case in cases}:
        parser.error(f"there is no case {wanted}")
    asked, agreed, differed = Counter[str](), Counter[str](), Counter[str]()
    kept: dict[str, dict[str, Any]] = {}
    for case in cases:
        if options.case and case["id"] not in options.case:
            continue
        questions = [one for one in case["questions"] if not options.quantity or one["quantity"] in options.quantity]
        if not questions:
            continue
        asked.update(one["quantity"] for one in questions)
        try:
            answers = _answers(options.command, case, questions)
        except OSError as error:
            print(f"{options.command[0]} cannot be run: {error.strerror}.", file=sys.stderr)
            return 2
        except Unanswered as error:
            print(f"{case['id']}: no answer: {error}")
            continue
        kept[case["id"]] = {one["id"]: said for one in questions if (said := answers.get(one["id"])) is not None}
        for one in questions:
            said = _judged(one["value"], answers.get(one["id"]))
            if said is None:
                continue
            (differed if said else agreed)[one["quantity"]] += 1
            if said:
                print(f"{case['id']} ({case['about']}): {one['id']}: {said}")
    for quantity, number in asked.items():
        print(f"{quantity}: {agreed[quantity]} agree, {differed[quantity]} differ, of {number}")
    if options.keep:
        version, file = options.keep
        _keep(Path(file), version, suite["version"], {case: answers for case, answers in kept.items() if answers})
    return int(bool(differed) or not agreed)


def _keep(file: Path, version: str, suite: int, answers: dict[str, dict[str, Any]]) -> None:
    """Write the answers of a tool that has the file's name; what is no number is kept as a text, and stays wrong."""
    shown = {case: {name: _text_of(one) for name, one in those.items()} for case, those in answers.items()}
    said = {"tool": file.stem, "version": version, "date": f"{datetime.now(UTC):%Y-%m-%d}", "suite": suite}
    file.write_text(json.dumps(said | {"answers": shown}, indent=1) + "\n", encoding="utf-8")


def _text_of(answer: Any) -> float | str:
    """A number as it is, anything else as a short text."""
    return answer if _is_number(answer) else str(answer)[:80]


def _is_number(answer: Any) -> bool:
    return not isinstance(answer, bool) and isinstance(answer, int | float) and math.isfinite(answer)


def _answers(command: list[str], case: dict[str, Any], questions: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers that the tool prints on a case; the values stay here."""
    asked = [{name: value for name, value in one.items() if name != "value"} for one in questions]
    text = json.dumps({"config": case.get("config"), "questions": asked})
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Unanswered(f"not within {_SECONDS} s") from None
    except UnicodeDecodeError:
        raise Unanswered("it printed no text") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Unanswered(f"exit code {done.returncode}: {last[:200]}")
    try:
        found = json.loads(done.stdout)
    except (ValueError, RecursionError):
        raise Unanswered("it printed no JSON") from None
    if not isinstance(found, dict):
        raise Unanswered("it printed no object of JSON")
    return found


def _judged(value: float, answer: Any) -> str | None:
    """An empty string for the same number, a sentence for another, None for no answer."""
    if answer is None:
        return None
    if not _is_number(answer):
        return f"{str(answer)[:80]!r} is no number"
    if (exact := Fraction(answer)) == Fraction(value):
        return ""
    off, ratio = float(exact - Fraction(value)), float(exact / Fraction(value))
    return f"{answer:,} and not {value:,}: {off:+,}, {ratio:.6g} times it"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
