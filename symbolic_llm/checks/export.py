"""Proofs that leave the house: as data and SMT-LIB texts, with a program beside them that verifies them

`identities/<name>.json` holds a formula and the engine's counts on a grid that decides it,
`theorems/<name>.<what>.smt2` what solvers were asked, with the answer that is expected. `verify.py` imports nothing of
this package, so that who does not trust the checks need not. What is not proved is not written.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..claims import Kind
from ..errors import InvalidValue, shown
from ..expressions.printing import text
from ..formula import Formula
from .products import Widened
from .smt import Question
from .theorems import proved
from .vacuity import possibilities
from .verdict import Verdict

_PROGRAM = Path(__file__).with_name("verify_alone.py")
_MANIFEST = "MANIFEST.json"

Factor = tuple[str, tuple[int, ...]]  # of a polynomial: an exact number such as "-3/2", and the powers it stands with


@dataclass(frozen=True)
class Group:
    """Counts that depend on some of the parameters only, on a grid of these.

    Attributes:
        parameters: those it depends on.
        degrees: for each of them, the degree that the count is known not to exceed.
        axes: for each, its values on the grid, more than the degree.
        values: the counts as exact numbers such as "7" or "9/16", the last parameter changing fastest.
    """

    parameters: tuple[str, ...]
    degrees: tuple[int, ...]
    axes: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """A formula beside the engine's counts: all that is needed to decide that they agree for all shapes.

    Attributes:
        name: the formula.
        case: where it holds, if a maximum was taken case by case.
        claim: the formula in words of mathematics, for the reader.
        probe: what measures it.
        question: what the probe asks.
        parameters: what the counts may depend on, in the order of the powers below.
        formula: its numerator as a polynomial in the parameters.
        divided_by: its denominator.
        counts: the counts, or the numerator of their ratio: the sum of the groups.
        counts_divided_by: the denominator of the ratio; 1 for a plain count.
        degrees: by parameter, the highest degree that is stated for a group.
        assumption: what has to be believed.
    """

    name: str
    case: tuple[str, ...]
    claim: str
    probe: str
    question: str
    parameters: tuple[str, ...]
    formula: tuple[Factor, ...]
    divided_by: tuple[Factor, ...]
    counts: tuple[Group, ...]
    counts_divided_by: tuple[Group, ...]
    degrees: Mapping[str, int]
    assumption: str

    def as_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(self, default=vars, indent=1, ensure_ascii=False) + "\n"


@contextmanager
def prepared(folder: str) -> Iterator[Path]:
    """A new folder beside the wanted one, which it replaces at the end if all went well.

    Raises:
        InvalidValue: the folder cannot be written, is a file, or holds something else than an earlier export.
    """
    wanted = Path(folder).absolute()
    if wanted.exists() and not wanted.is_dir():
        raise InvalidValue(f"'{shown(folder)}' is a file; --export takes a folder, which it makes or replaces.")
    try:
        if wanted.exists() and any(wanted.iterdir()) and not (wanted / _MANIFEST).is_file():
            raise InvalidValue(
                f"'{shown(folder)}' holds other files; --export takes a new folder or an earlier export."
            )
        wanted.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{wanted.name}-", dir=wanted.parent))
    except OSError as error:
        raise InvalidValue(f"'{shown(folder)}' cannot be written: {error.strerror or error}.") from error
    try:
        made.chmod(0o755)
        yield made
        _replace(wanted, made)
    except OSError as error:
        raise InvalidValue(f"'{shown(folder)}' cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _replace(wanted: Path, made: Path) -> None:
    """Put one folder in the place of another, or leave that as it was."""
    old = made.with_name(f"{made.name}-old")
    if wanted.exists():
        wanted.rename(old)
    try:
        made.rename(wanted)
    except OSError:
        with suppress(OSError):
            old.rename(wanted)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write(folder: Path, formulas: Sequence[Formula]) -> tuple[str, tuple[str, ...]]:
    """Write the proofs of these formulas, and the program that verifies them.

    Returns:
        How many there are, and for each formula of which nothing could be written a sentence that says why.
    """
    from .identities import proofs_of  # which brings in the engine

    theorems, identities, left_out = dict[str, str](), dict[str, str](), list[str]()
    for formula in formulas:
        try:
            asked, found = dict(_theorems(formula)), list(proofs_of(formula))
        except MemoryError:  # which says nothing of the formula
            raise
        except Exception as reason:  # whatever a formula file makes SymPy or the engine stumble over
            left_out.append(f"nothing is written of {formula.name}: {str(reason) or type(reason).__name__}")
            continue
        theorems |= {f"theorems/{name}.smt2": text for name, text in asked.items()}
        for number, proof in enumerate(found, 1):
            name = proof.name if len(found) == 1 else f"{proof.name}-{number}"
            identities[f"identities/{name}.json"] = proof.as_json()
    files = theorems | identities
    digests = {name: sha256(content.encode()).hexdigest() for name, content in files.items()}
    (folder / "theorems").mkdir()
    (folder / "identities").mkdir()
    for name, content in (files | {_MANIFEST: json.dumps(digests, indent=1) + "\n"}).items():
        (folder / name).write_bytes(content.encode())
    shutil.copyfile(_PROGRAM, folder / "verify.py")
    return f"{len(theorems)} questions to solvers and {len(identities)} identities", tuple(left_out)


def _theorems(formula: Formula) -> Iterator[tuple[str, str]]:
    """Each question that solvers decide for a formula, by name, as a file."""
    if formula.kind is Kind.THEOREM:
        outcome = proved(formula)
        if outcome.finding.verdict is Verdict.PROVED and outcome.question is not None:
            numbers = "whole numbers" if outcome.question.whole else "positive numbers"
            asked = f"a counterexample in {numbers}, or a denominator that is not positive"
            if isinstance(outcome.question, Widened):
                asked = f"a counterexample in {numbers}, even if each product of letters is a number of its own"
            yield f"{formula.name}.proof", _file(formula, asked, "unsat", outcome.question)
    for possibility in possibilities(formula):
        if example := possibility.example():
            asked = f"an example, given at the end; if there were none, it would be vacuous: {possibility.complaint}"
            question = possibility.question(whole=True)
            yield (
                f"{formula.name}.{possibility.name}",
                _file(formula, asked, "sat", question, example | possibility.numbers(example)),
            )


def _file(formula: Formula, asked: str, expected: str, question: Question, example: Any = None) -> str:
    relations = [f"; where {text(condition.relation)}" for condition in formula.conditions]
    head = [f"; {formula.name}: {text(formula.claim)}", *relations, f"; asked: {asked}", f"; expected: {expected}"]
    return "\n".join([*head, question.given(example).text if example else question.text])
