"""Pages that list: notation, presets, sources"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .. import presets
from ..catalogue import standing
from ..checks.report import Report
from ..checks.verdict import Standing
from ..formula import Formula
from ..notation import LETTERS
from .html import code, details, link, math, table
from .page import address, badge


def notation_table(formulas: Iterable[Formula]) -> str:
    """Every letter with its meaning, unit, other names and the formulas that give it a value or use it."""
    formulas = list(formulas)
    rows = []
    for symbol, letter in LETTERS.items():
        defined, used = standing(symbol, formulas)
        where = ", ".join(f"<strong>{link(address(f), f.name)}</strong>" for f in defined)
        if used:
            where += details(f"in {len(used)}", ", ".join(link(address(f), f.name) for f in used))
        names = " ".join(code(name) for name in (letter.name, *letter.aliases))
        unit = escape(str(letter.unit)) if letter.unit.exponents else "count"
        rows.append((math(symbol), names, escape(letter.meaning), unit, where))
    return table(("", "Name", "Meaning", "Unit", "Formulas"), rows, "notation")


def standing_table(reports: Iterable[Report]) -> str:
    """How many formulas rest on what, and what each word means."""
    found = [report.standing for report in reports]
    rows = ((badge(one), str(found.count(one)), escape(one.meaning)) for one in Standing if one in found)
    return table(("", "Formulas", "What is known of them"), rows, "standings")


def hardware_table() -> str:
    """Every device with its figures, the source of each, and what other sources print."""
    rows = []
    for name in presets.names("hardware"):
        device = presets.hardware(name)
        for place, (what, figure) in enumerate(device.figures.items()):
            others = ", ".join(f"{escape(f.value)} ({_source(f.source)})" for w, f in device.also if w == what)
            title = f"{code(name)}<br>{escape(device.title)}, {escape(device.multiplies_on)}" if place == 0 else ""
            rows.append((title, escape(what), escape(figure.value), _source(figure.source), others))
    return table(("Device", "Figure", "Value", "Source", "Others print"), rows, "presets")


def model_table() -> str:
    """Every model with its exact parameters, cache and shapes."""
    letters = ("n_blocks", "d_model", "n_heads", "n_kv_heads", "n_vocab")
    rows = []
    for name in presets.names("models"):
        model = presets.model(name)
        shapes = (str(model.letters.get(letter, "")) for letter in letters)
        sums = (model.parameters, model.multiplied_parameters, int(model.kv_bytes_per_token(2)))
        rows.append((code(name), *(f"{figure:,}" for figure in sums), *shapes))
    head = ("Model", code("P_total"), code("P"), f"{code('m_token')} at fp16", *map(code, letters))
    return table(head, rows, "presets")


def format_table() -> str:
    """Every number format with what one number takes."""
    rows = []
    for name in presets.names("formats"):
        stored = presets.storage(name)
        blocks = (
            f"{stored['n_bits']} bits in blocks of {stored['n_block']}, {stored['n_scale']}-bit scale"
            if "n_bits" in stored
            else presets.way(name)
        )
        rows.append((code(name), stored["n_bytes"], blocks))
    return table(("Format", "Bytes", "Blocks, or how it is computed"), rows, "presets")


def _source(key: str) -> str:
    found = presets.source(key)
    return f'<a href="{escape(found.url)}" title="{escape(found.title)}">{escape(key)}</a>'
