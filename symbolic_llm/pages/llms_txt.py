"""llms.txt: every page on one line, for programs that read"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ..catalogue import catalogue
from ..expressions.printing import text
from .examples import EXAMPLE, example_of
from .formula_page import address

_ABOUT = (
    "> Closed-form arithmetic of LLM inference: times, bytes, operations and batches, each formula derived in steps, "
    "every step checked by machine, and every count compared with a transformer that really computes."
)
_ELSEWHERE = "Optional"  # where llms.txt puts what may be skipped
_NO_PROSE = re.compile(r"#|\$\$|```|\||[-*>] |\d+\. |\d{4}-\d\d-\d\d")  # a date is none either


def listing(docs: Path, twins: Mapping[str, str]) -> str:
    """The pages in the order of the site, then the formulas by chapter, each linked to its plain Markdown.

    Args:
        docs: the folder of the written pages; the site's own order stands beside it.
        twins: every page as plain Markdown, by its path.
    """
    ordered = sections(docs)
    placed = {path for paths in ordered.values() for path in paths}
    formulas = {f"{address(formula)}.md": formula for formula in catalogue()}
    rest = [path for path in twins if path not in placed and path not in formulas]
    lines = ["# symbolic_llm", "", _ABOUT]
    for title, paths in ordered.items():
        lines += _section(title, (_line(path, twins[path]) for path in paths if path in twins))
    for chapter in catalogue().chapters():
        named = ((f"{address(formula)}.md", formula) for formula in chapter.formulas)
        said = (f"- [{formula.title}]({path}): {text(formula.claim)}" for path, formula in named)
        lines += _section(f"Formulas: {chapter.title}", said)
    return "\n".join([*lines, *_section(_ELSEWHERE, (_line(path, twins[path]) for path in rest))]) + "\n"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    listed = list(lines)
    return ["", f"## {title}", "", *listed] if listed else []


def sections(docs: Path) -> dict[str, list[str]]:
    """The headings of the site, each with its pages in order."""
    config = docs.parent / "mkdocs.yml"
    read = yaml.safe_load(config.read_text(encoding="utf-8")) if config.is_file() else {}
    return {
        title: list(_paths(inside))
        for entry in read.get("nav", ())
        for title, inside in (entry.items() if isinstance(entry, dict) else [("Pages", entry)])
    }


def _paths(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for inside in entry.values() if isinstance(entry, dict) else entry:
            yield from _paths(inside)


def _line(path: str, page: str) -> str:
    """A page by its title, with its first sentence."""
    title = page.partition("\n")[0].removeprefix("# ")
    if (own := example_of(path)) != EXAMPLE:
        title += f", {own.words}"
    opening = page.partition("\n## ")[0].split("\n\n")[1:]
    parts = (part for part in opening if not _NO_PROSE.match(part))
    sentence = re.split(r"(?<=[.?!])\s", " ".join(next(parts, "").split()), maxsplit=1)[0]
    return f"- [{title}]({path}): {sentence}" if sentence else f"- [{title}]({path})"
