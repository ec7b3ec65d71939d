"""Tables of measurements as files: compressed lines of values, the names of the columns first

A table is written to the same bytes wherever it is written, and read only if it is the one that its header was written
for.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path

from ..errors import InvalidValue
from ..files import content
from .columns import Column
from .rows import Rows

ENDING = ".csv.gz"
_LARGEST_FILE = 2**23  # bytes, compressed
LARGEST_TABLE = 2**26  # bytes, as text


def packed(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> tuple[bytes, str, int]:
    """The bytes of a table, the digest of what it says, and its number of rows."""
    lines, count = StringIO(), 0
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
        count += 1
    text = lines.getvalue().encode("utf-8")
    return gzip.compress(text, 9, mtime=0), sha256(text).hexdigest(), count


def read(path: Path, where: str, columns: Mapping[str, Column], count: int, digest: str) -> Rows:
    """The rows of a table, in base units.

    Args:
        path: of the file.
        where: how sentences call it.
        columns: what each of its columns is, by name.
        count: how many rows it has.
        digest: SHA-256 of its text.

    Raises:
        InvalidValue: one sentence with the line and what is wrong in it.
    """
    text = _text(content(str(path), _LARGEST_FILE, InvalidValue, "is larger than any table of measurements"), where)
    if sha256(text).hexdigest() != digest:
        raise InvalidValue(f"{where} is not the table that its header was written for: its digest is another.")
    lines = lines_of(text, where)
    if len(lines) - 1 != count:
        raise InvalidValue(f"{where} has {len(lines) - 1} rows, and its header says {count}.")
    return rows_of(lines, where, columns)


def lines_of(text: bytes, where: str) -> list[list[str]]:
    """The lines of a table with their values, the names of its columns first; `InvalidValue` if there are none."""
    try:
        lines = list(csv.reader(StringIO(text.decode("utf-8")), strict=True))
    except (UnicodeDecodeError, csv.Error):
        lines = []
    if len(lines) < 2:
        raise InvalidValue(f"{where} is no table of values between commas.")
    return lines


def rows_of(all_lines: Sequence[Sequence[str]], where: str, columns: Mapping[str, Column]) -> Rows:
    """The rows of a table's lines, in base units; `InvalidValue` with the line and what is wrong in it."""
    head, *lines = all_lines
    if head != [*columns]:
        raise InvalidValue(f"{where} has other columns than its header says.")
    for number, line in enumerate(lines, 2):
        if len(line) != len(head):
            raise InvalidValue(f"{where}, line {number}: {len(line)} values for {len(head)} columns.")
    try:
        by_column = zip(head, zip(*lines, strict=True), strict=True)
        return Rows({name: columns[name].values(column) for name, column in by_column})
    except InvalidValue as error:
        raise InvalidValue(f"{where}, {error}") from None


def _text(data: bytes, where: str) -> bytes:
    try:
        with gzip.open(BytesIO(data)) as file:
            text = file.read(LARGEST_TABLE + 1)  # a small file may unpack to anything
    except (OSError, EOFError, zlib.error):
        raise InvalidValue(f"{where} is damaged: it cannot be unpacked.") from None
    if len(text) > LARGEST_TABLE:
        raise InvalidValue(f"{where} unpacks to more than any table of measurements.")
    return text
