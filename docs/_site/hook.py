"""The MkDocs hook: a thin adapter between the catalogue and the site

Before anything is built every formula is checked; a single one that is neither proved nor a definition stops the build
and is named with the step that is wrong. Then each chapter becomes a page, and marks such as
`<!-- claim: batch_crossover -->` in the written pages are replaced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

from font import stix_subset
from mathematics import MathExtension
from rules import rules_table

from symbolic_llm import catalogue, explain
from symbolic_llm.checks.parallel import check_formulas
from symbolic_llm.checks.report import Report
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.formula import Formula
from symbolic_llm.presets import hardware
from symbolic_llm.render.html import display, link
from symbolic_llm.render.page import address, chapter_page
from symbolic_llm.render.reference import format_table, hardware_table, model_table, notation_table, standing_table
from symbolic_llm.units import parse_quantity


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the mathematics extension and the navigation entries of chapters and decisions."""
    config.markdown_extensions.append(MathExtension())  # type: ignore[arg-type]
    for entry in config.nav or ():
        if isinstance(entry, dict) and "Formulas" in entry:
            entry["Formulas"] = [{chapter.title: f"{chapter.name}.md"} for chapter in _chapters()]
        if isinstance(entry, dict) and "Decisions" in entry:
            notes = sorted(Path(config.docs_dir, "decisions").glob("*.md"))
            entry["Decisions"] = [f"decisions/{note.name}" for note in notes]
    return config


def _chapters() -> Any:
    try:
        return catalogue().chapters()
    except SymbolicLLMError as error:
        raise PluginError(str(error)) from error


@cache
def _checked() -> dict[str, Report]:
    """The report of every formula; `PluginError` unless each is proved or a definition."""
    reports = {report.formula.name: report for report in check_formulas(list(catalogue()))}
    failed = [report for report in reports.values() if not report.verdict.stands]
    if failed:
        raise PluginError("not every formula is proved:\n" + "\n".join(map(repr, failed)))
    return reports


@event_priority(100)
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Generate the pages of the chapters and the mathematics font."""
    reports = _checked()
    users = {formula.name: catalogue().users(formula) for formula in catalogue()}
    for chapter in _chapters():
        content = chapter_page(chapter, reports, users)
        files.append(File.generated(config, f"{chapter.name}.md", content=content))
    files.append(File.generated(config, "assets/stix-two-math.woff2", content=stix_subset()))
    return files


def _claim(formula: Formula) -> str:
    return f'<div class="embedded">{display(formula.claim)}{link(address(formula), "derivation")}</div>'


def _ratio(what: str, one: str, other: str) -> str:
    """How many times larger a figure of one device is than that of another."""
    devices = (hardware(name).figures[what].value for name in (one, other))
    over, under = (number * unit.scale for number, unit in map(parse_quantity, devices) if unit)
    return f"{float(over / under):.0f}"


_EMBEDS: dict[str, Callable[[str], str]] = {
    "claim": lambda name: _claim(catalogue()[name]),
    "ratio": lambda words: _ratio(*words.split()),
    "result": lambda name: explain(name, **catalogue()[name].example).result,
    "number": lambda verdict: str(sum(r.verdict is Verdict[verdict.upper()] for r in _checked().values())),
    "standings": lambda _: standing_table(_checked().values()),
    "notation": lambda _: notation_table(catalogue()),
    "hardware": lambda _: hardware_table(),
    "models": lambda _: model_table(),
    "formats": lambda _: format_table(),
    "rules": lambda _: rules_table(),
}


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace the marks of the written pages by what they stand for."""

    def embed(match: re.Match[str]) -> str:
        kind, name = match.group(1), match.group(2) or ""
        if kind not in _EMBEDS:
            raise PluginError(f"{page.file.src_uri}: there is no embed {kind!r}; there are {', '.join(_EMBEDS)}")
        return _EMBEDS[kind](name)

    markdown = markdown.replace("<BLANKLINE>", "")  # what doctest calls an empty line
    return re.sub(r"<!-- (\w+)(?:: ([\w@ -]+?))? -->", embed, markdown)
