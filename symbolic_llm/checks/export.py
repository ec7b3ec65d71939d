"""Export of proofs: claims as trees, counts as polynomials, and a program beside them that verifies them

`formulas/<name>.json` holds what a formula claims, and for each subject how the engine's answer comes about from what
it entered, `engine/*.json`. `theorems/<name>.smt2` is what solvers are asked about a theorem. `verify.py` imports
nothing of this package, for readers who do not trust the checks: it derives both sides of every comparison from these
files, and every question from the claim. What is not proved is written too, and says why.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..claims import Kind
from ..errors import InvalidValue, shown
from ..expressions.printing import text
from ..expressions.trees import NoTree, number, tree
from ..formula import Formula
from . import verify_alone
from .many_formulas import Tell, in_processes, print_nothing
from .theorems import proved, stated
from .vacuity import possibilities

_PROGRAM = Path(verify_alone.__file__)
_MANIFEST = "MANIFEST.json"


@contextmanager
def prepared(folder: str) -> Iterator[Path]:
    """A new folder beside the wanted one, which it replaces at the end if all went well.

    Raises:
        InvalidValue: the folder cannot be written, is a file, or holds something else than an earlier export.
    """
    wanted = Path(folder).absolute()
    if wanted.exists() and not wanted.is_dir():
        raise InvalidValue(f"'{shown(folder)}' is a file, but --export needs a folder (it is created or replaced).")
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


def write(folder: Path, formulas: Sequence[Formula], tell: Tell = print_nothing) -> tuple[str, tuple[str, ...]]:
    """Write the proofs of these formulas, and the program that verifies them.

    Args:
        folder: the folder to write into.
        formulas: the formulas whose proofs are written.
        tell: is told, once a second at least, how far the work is.

    Returns:
        A sentence with the numbers of proofs and of the export, and for each formula whose proof could not be written a
        sentence that says why.
    """
    from .exported_equations import Tables  # which brings in the engine

    tables, records, theorems, left_out = Tables(), dict[str, dict[str, Any]](), dict[str, str](), list[str]()
    written = in_processes(_proof, formulas, lambda done: tell(f"writing proofs: {done} of {len(formulas)} formulas"))
    for formula, proof in zip(formulas, written, strict=True):
        records[formula.name] = proof.record
        tables.add(proof.entered)
        theorems |= proof.theorems
        left_out += [f"no proof is written of {formula.name}: {proof.fault}"] if proof.fault else []
    files = {f"formulas/{name}.json": _as_json(record) for name, record in records.items()}
    files |= {f"engine/{name}": _as_json(table) for name, table in tables.by_file.items()}
    files |= {f"theorems/{name}.smt2": text for name, text in theorems.items()}
    manifest = json.dumps({name: sha256(content.encode()).hexdigest() for name, content in files.items()}, indent=1)
    for name in ("formulas", "engine", "theorems"):
        (folder / name).mkdir()
    for name, content in (files | {_MANIFEST: manifest}).items():
        (folder / name).write_bytes(content.encode())
    export = sha256(manifest.encode()).hexdigest()
    program = _PROGRAM.read_text(encoding="utf-8").replace('EXPORT = ""', f'EXPORT = "{export}"', 1)
    (folder / "verify.py").write_bytes(program.encode())
    proofs = [record["proof"] for record in records.values()]
    said = f"{proofs.count('identity')} equations and {proofs.count('theorem')} theorems"
    return f"{said} of {len(records)} formulas as export {export[:16]}", tuple(left_out)


def _as_json(record: Mapping[str, Any]) -> str:
    """A record with a line for each of its fields."""
    fields = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in record.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _head(formula: Formula) -> dict[str, Any]:
    """Record of a formula without its proof: the fields that every formula has."""
    return {
        "formula": formula.name,
        "kind": formula.kind.name.lower(),
        "proof": "none",
        "why": "",
        **stated(formula, _claim(formula)),
        "example": {},
    }


def _claim(formula: Formula) -> Any:
    """Tree of a formula's claim; a claim with a root has none, and is given in words."""
    try:
        return formula.statement.as_tree(tree)
    except NoTree:
        return ["said", str(text(formula.claim))]


class _Proof(NamedTuple):
    """Record of a formula with its proof, and what that rests on.

    Attributes:
        record: the record.
        entered: tables with the engine's entries, by file.
        theorems: the question to solvers, by name.
        fault: the error that kept a proof from being written, or "".
    """

    record: dict[str, Any]
    entered: dict[str, Any]
    theorems: dict[str, str]
    fault: str = ""


def _proof(formula: Formula) -> _Proof:
    """Proof of a formula, or the record that says why there is none."""
    try:
        return _proved(formula)
    except MemoryError:  # which says nothing of the formula
        raise
    except Exception as reason:  # whatever a formula file makes SymPy or the engine stumble over
        why = str(reason) or type(reason).__name__
        return _Proof(_head(formula) | {"why": f"no proof could be written: {why}"}, {}, {}, why)


def _proved(formula: Formula) -> _Proof:
    """Proof of a formula, verified as the exported program will do it.

    Raises whatever keeps the proof from being written.
    """
    from ..witness.certificate_for_all_shapes import decidable
    from .exported_equations import Tables, subjects_of

    record, tables, theorems = _head(formula), Tables(), dict[str, str]()
    if formula.kind is Kind.THEOREM:
        if (asked := proved(formula).question) is None:
            raise ValueError("solvers do not find it proved")
        form = {"in_whole_numbers": asked.whole, "products_apart": asked.apart}
        record |= {"proof": "theorem", "example": _example(formula), **form}
        theorems[formula.name] = asked.text
    elif decidable(formula):
        record |= {"proof": "identity", "example": _example(formula), "subjects": subjects_of(formula, record, tables)}
    else:
        record["why"] = _why(formula)
    verify_alone.verify_formula(record, formula.name, theorems)
    return _Proof(record, tables.by_file, theorems)


def _why(formula: Formula) -> str:
    """Reason why nothing is proved of a formula."""
    if formula.kind is Kind.DEFINITION:
        return "it is a definition"
    from ..witness.certificate_for_all_shapes import excused

    if not formula.measured_by:
        return f"nothing measures it: {formula.unmeasured}"
    reason = excused(formula) or ("it is an approximation" if formula.kind is Kind.APPROXIMATION else "it is rounded")
    return f"it is compared with the engine at places only: {reason}"


def _example(formula: Formula) -> dict[str, Any]:
    """Example for a formula: numbers for which its conditions hold, and what it presupposes; empty if none is found."""
    wanted = "possible-1" if formula.statement.presupposed else "conditions"
    for possibility in possibilities(formula):
        if possibility.name == wanted and (found := possibility.example()) is not None:
            stated = set().union(*(relation.free_symbols for relation in possibility.relations))
            return {letter.name: number(value) for letter, value in found.items() if letter in stated}
    return {}
