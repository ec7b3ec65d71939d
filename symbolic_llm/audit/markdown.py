"""Claims where an article is written: a figure, and behind it a comment that says what it should come to

    It reaches 553 tokens/s <!-- claim: throughput(hardware="a100-80gb-pcie", dtype="int4", P=7e9, B=1) -->.

The printed figure is the last one on the line before the comment, with the word before it and the unit behind it. A
text is gone through once: a line may have thousands of claims, and a comment may never end.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import InvalidValue, SymbolicLLMError, shown
from .claim import Claim, Claims, Source, text_of
from .printed import LONGEST, WORDS, read_printed

_MARKER = re.compile(
    r"<!--\s*claims?\b\s*(?P<colon>:?)(?P<value>(?:(?!<!--|-->).)*)(?P<end>-->)?", re.DOTALL | re.IGNORECASE
)
_BEFORE = "|".join(re.escape(word) for word in sorted(WORDS, key=len, reverse=True))
_NEAR = 500  # characters before a marker in which its figure is looked for
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_FIGURE = re.compile(rf"(?:(?P<word>{_BEFORE})\s*)?(?P<figure>{_NUMBER})(?P<rest>[^\d]*)$", re.IGNORECASE)


def read_article(path: str | Path) -> Claims:
    """The claims of a Markdown file; `InvalidValue` with what is wrong."""
    return read_markdown(text_of(path), Path(path).name)


def read_markdown(text: str, name: str) -> Claims:
    """The claims of an article; `InvalidValue` with the line of a marker that is malformed or has no figure."""
    claims: list[Claim] = []
    line, read, before = 1, 0, ""
    for number, marker in enumerate(_MARKER.finditer(text), 1):
        between = text[read : marker.start()]
        line += between.count("\n")
        before = (between if "\n" in between else before + between).rpartition("\n")[2][-_NEAR:]
        figure = _FIGURE.search(before.replace("*", "").replace("`", "").rstrip())
        value = " ".join(marker["value"].split())
        if not (value and marker["colon"] and marker["end"]):
            raise InvalidValue(
                f"{shown(name)}, line {line}: a claim must be written as <!-- claim: … -->, "
                f"with the colon and the closing -->."
            )
        if figure is None:
            raise InvalidValue(
                f"{shown(name)}, line {line}: the claim must follow a figure, and there is none before it."
            )
        said, place = before.strip()[-200:], f"line {line}"
        claims.append(Claim(f"claim-{number}", place, said, _printed(figure), value, line=line))
        line, read = line + marker[0].count("\n"), marker.end()
    if not claims:
        raise InvalidValue(
            f"{shown(name)} has no claims; write one as <!-- claim: batch_crossover(…) --> behind a figure."
        )
    return Claims(Source(name, name), tuple(claims), name)


def _printed(figure: re.Match[str]) -> str:
    """The figure with its word and, where what follows begins with a unit, that."""
    bare = f"{figure['word'] or ''} {figure['figure']}".strip()
    words = figure["rest"][:LONGEST].split()
    for number in range(len(words), 0, -1):
        try:
            read_printed(with_unit := f"{bare} {' '.join(words[:number])}")
        except SymbolicLLMError:
            continue
        return with_unit
    return bare
