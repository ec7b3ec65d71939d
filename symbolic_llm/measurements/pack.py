"""Packs a table of values between commas beside its header, and writes its count and digest into the header

    python -m symbolic_llm.measurements.pack data/products.toml products.csv

The set is read back as every reader reads it, so that what is wrong in it is said before it is committed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ..errors import InvalidValue, SymbolicLLMError
from ..files import content, write
from .measured_set import MeasuredSet, read_set
from .table_files import ENDING, LARGEST_TABLE, lines_of, packed, rows_of

_FILLED = re.compile(r"^(count|digest) = .*$", re.MULTILINE)


def pack(header: Path, table: Path) -> MeasuredSet:
    """Put a table beside a header, and give the set that both make; `InvalidValue` if they make none."""
    text = content(str(table), LARGEST_TABLE, InvalidValue, "is larger than any table of measurements")
    lines = lines_of(text, table.name)
    rows_of(lines, table.name, read_set(header).columns)  # what is wrong is said before anything is written
    data, digest, count = packed(lines[0], lines[1:])
    filled = {"count": f"count = {count}", "digest": f'digest = "{digest}"'}
    write(header, _FILLED.sub(lambda line: filled[line[1]], header.read_text(encoding="utf-8")).encode())
    write(header.with_suffix(ENDING), data)
    return read_set(header)


def main(header: str, table: str) -> None:
    """Pack a table, and say what it holds."""
    made = pack(Path(header), Path(table))
    print(f"{made.name}: {made.count:,} rows of {', '.join(made.columns)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("give a header and a table: python -m symbolic_llm.measurements.pack data/products.toml products.csv")
    try:
        main(*sys.argv[1:])
    except SymbolicLLMError as error:
        sys.exit(str(error))
