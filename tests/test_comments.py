"""Comments where code is hardest: of the modules that proofs rest on, 4 to 8 % of the lines have one"""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "symbolic_llm"
HARDEST = (
    "steps.py",
    "expressions/decide.py",
    "expressions/feasible.py",
    "expressions/rational.py",
    "checks/derivation_rules.py",
    "checks/mutants.py",
    "checks/verify_alone.py",
    "witness/certificate_for_all_shapes.py",
    "witness/ledger_entries.py",
    "witness/regions.py",
)


def commented(source: str) -> float:
    """Share of a source's lines on which a comment stands."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type == tokenize.COMMENT for token in tokens) / len(source.splitlines())


@pytest.mark.parametrize("path", HARDEST)
def test_reasons_stand_where_code_is_hardest(path: str) -> None:
    """Enough for a reader, and not so many that they say what the code says."""
    assert 0.04 <= commented((PACKAGE / path).read_text(encoding="utf-8")) <= 0.08


def test_other_lines_are_no_comments() -> None:
    """The twin: a docstring or a `#` in a text is no comment."""
    assert commented('"""# a title"""\n\nSIGN = "# no comment"\nCOUNT = 1\n') == 0
    assert commented("# why\nCOUNT = 1  # why not 2\n") == 1
