"""Packs a table of values between commas beside its header, and writes its count and digest into the header

    python -m symbolic_llm.measurements.pack data/products.toml products.csv

The set is read back as every reader reads it, so that what is wrong in it is said before it is committed.
"""

from __future__ import annotations

import csv
import re
import sys
from io import StringIO
from pathlib import Path

from ..errors import InvalidValue, SymbolicLLMError
from ..files import content, write
from .measured_set import MeasuredSet, read_set
from .table_files import ENDING, LARGEST_TABLE, packed

_FILLED = re.compile(r"^(count|digest) = .*$", re.MULTILINE)


def pack(header: Path, table: Path) -> MeasuredSet:
    """Put a table beside a header, and give the set that both make; `InvalidValue` if they make none."""
    text = content(str(table), LARGEST_TABLE, InvalidValue, "is larger than any table of measurements").decode("utf-8")
    names, *rows = csv.reader(StringIO(text))
    data, digest, count = packed(names, rows)
    filled = {"count": f"count = {count}", "digest": f'digest = "{digest}"'}
    write(header, _FILLED.sub(lambda line: filled[line[1]], header.read_text(encoding="utf-8")).encode())
    write(header.with_suffix(ENDING), data)
    made = read_set(header)
    len(made.rows)
    return made


def main(header: str, table: str) -> None:
    """Pack a table, and say what it holds."""
    made = pack(Path(header), Path(table))
    print(f"{made.name}: {made.count:,} rows of {', '.join(made.columns)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SymbolicLLMError as error:
        sys.exit(str(error))
