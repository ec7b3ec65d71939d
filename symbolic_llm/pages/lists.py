"""Tables of the reference: notation, models, devices, programs, formats, terms"""

from __future__ import annotations

from collections.abc import Sequence

from .. import presets
from ..catalogue import catalogue, standing
from ..checks.verdict import Standing
from ..formula import Formula
from ..glossary import terms as glossary_terms
from ..models.families import FAMILIES, REFUSED
from ..models.family import Wrapper
from ..notation import GROUPS, LETTERS
from ..presets.by_letter import presets_for
from ..presets.device import Device
from ..presets.stacks import stack_fits
from ..quantity import evaluated
from .formula_page import address
from .measured_numbers import percent, plain
from .pen import Pen


def notation(pen: Pen) -> str:
    """Every letter with its meaning, unit, other names and the formulas that give it a value or use it, in groups."""
    formulas = list(catalogue())
    made = ""
    for group in GROUPS:
        rows = []
        for symbol, letter in LETTERS.items():
            if letter.group != group:
                continue
            defined, used = standing(symbol, formulas)
            where = "".join(
                pen.fold(f"{words} {len(some)}", ", ".join(_to(pen, formula) for formula in some))
                for words, some in (("given by", defined), ("used in", used))
                if some
            )
            also = pen.quiet(f"also {', '.join(map(pen.code, letter.aliases))}") if letter.aliases else ""
            unit = pen.quiet(pen.words(f"[{letter.unit}]")) if letter.unit.exponents else ""
            said = " ".join(filter(None, (pen.code(letter.name), pen.words(letter.meaning), unit, also)))
            rows.append((pen.math(symbol), said, where))
        made += pen.section(group) + pen.table((), rows, "notation")
    return made


def _to(pen: Pen, formula: Formula) -> str:
    return pen.link(address(formula), formula.name)


def standings(pen: Pen, found: Sequence[Standing | None]) -> str:
    """Table of how many formulas rest on what, with the meaning of each word."""
    rows = (
        (pen.badge(one.word, one.meaning), str(found.count(one)), pen.words(one.meaning))
        for one in Standing
        if one in found
    )
    return pen.table(("", "Formulas", "What is known of them"), rows, "standings")


def terms(pen: Pen) -> str:
    """Every word of the field, with other words for it, and where it is explained."""
    lines = []
    for term in glossary_terms().values():
        also = f" ({pen.words(', '.join(term.also))})" if term.also else ""
        named = pen.emphasis(pen.words(term.name))
        said = f"{named}{also}: {pen.words(term.meaning)} {pen.link(term.see, 'Read on')}"
        lines.append(pen.anchored(term.anchor, said))
    return pen.block("terms", pen.items(lines))


def devices(pen: Pen) -> str:
    """Every device on one line, with its ridge point; its sources and what others print are folded away.

    What others print that is far from the figure stands beside it.
    """
    rows = []
    for name in presets.names("hardware"):
        device = presets.hardware(name)
        half = "fp16" if "fp16" in device.figures else "bf16"
        said = [pen.words(line) for line in device.provenance()]
        about = pen.fold(pen.words(device.title), pen.items([f"matrices on {pen.words(device.multiplies_on)}", *said]))
        figures = (_figure(pen, device, what) for what in ("memory", "bandwidth", half, "int8"))
        has_ridge = device.figures.keys() >= {"bandwidth", half}
        ridge = evaluated("ridge_point", hardware=name, dtype=half).bare(4) if has_ridge else ""
        rows.append((pen.code(name) + about, *figures, ridge))
    head = ("Device, and who prints what", "Memory", "Bandwidth", "fp16 or bf16", "int8", "FLOP per byte at that")
    return pen.table(head, rows, "presets")


def _figure(pen: Pen, device: Device, what: str) -> str:
    """A figure of a device, and those of other sources that are far from it; "" where nobody prints one."""
    if (figure := device.figures.get(what)) is None:
        return ""
    others = (other for of, other in device.also if of == what)
    far = dict.fromkeys(one.value for one in others if one.is_far_from(figure))
    return " ".join((pen.words(figure.value), *(pen.quiet(pen.words(f"or {other}")) for other in far)))


def models(pen: Pen) -> str:
    """Every model with its exact parameters, its cache and all its shapes."""
    rows = []
    shapes = ("n_blocks", "d_model", "n_heads", "n_kv_heads", "d_head", "d_mlp", "n_vocab", "n_experts", "n_active")
    letters = [letter for letter in shapes if "model" in presets_for(letter)]
    for name in presets.names("models"):
        model = presets.model(name)
        sums = (model.parameters, model.multiplied_parameters, int(model.kv_bytes_per_token(2)))
        values = (f"{model.letters[letter]:,}" if model.letters.get(letter) else "" for letter in letters)
        rows.append((pen.code(name), *(f"{figure:,}" for figure in sums), *values))
    head = ("Model", pen.code("P_total"), pen.code("P"), f"{pen.code('m_token')} at fp16", *map(pen.code, letters))
    return pen.table(head, rows, "presets models")


def stacks(pen: Pen) -> str:
    """Every program with what it reaches of a datasheet, by device: letters, batches, and the error where held out."""
    rows = []
    for fit in stack_fits():
        named = f"{pen.words(fit.on)} {pen.quiet(pen.words(fit.stack))}"
        experts = ", experts" if fit.kind == "experts" else ""
        formats = "16 bits" if fit.weights == fit.cache == "fp16" else f"{fit.weights}, caches {fit.cache}"
        shares = (plain(float(fit.letters[letter]), 2) for letter in ("U_memory", "U_compute"))
        told = (f"{plain(float(fit.low), 2)} to {plain(float(fit.high), 2)}", percent(float(fit.error)))
        facts = (f"{fit.batch:,}", f"each {fit.held_out}", str(fit.rows))
        time = plain(1000 * float(fit.letters["T_overhead"]), 1)
        rows.append((named, f"{formats}{experts}", time, *shares, *told, *facts))
    letters = (f"{pen.code('T_overhead')}, ms", pen.code("U_memory"), pen.code("U_compute"))
    head = (
        "Device",
        "weights",
        *letters,
        "time ÷ forecast, eight of ten",
        "error, median",
        "largest batch",
        "held out",
        "batches",
    )
    return pen.table(head, rows, "held")


def families(pen: Pen) -> str:
    """Every `model_type` that is read, those whose text part alone is counted apart, and those that are refused."""
    wrapping = [name for name, family in sorted(FAMILIES.items()) if isinstance(family, Wrapper)]
    plain = [name for name in sorted(FAMILIES) if name not in wrapping]
    said = pen.words(f"{len(FAMILIES)} kinds of model are read, by their model_type: ")
    made = pen.paragraph(said + ", ".join(map(pen.code, plain)))
    said = pen.words("Of those that also see or hear, the text part is counted, and said to be that: ")
    made += pen.paragraph(said + ", ".join(map(pen.code, wrapping)))
    rows = ((pen.code(name), pen.words(refused.why)) for name, refused in sorted(REFUSED.items()))
    return made + pen.table(("Refused", "Why"), rows, "presets")


_SHARED = (("n_scale", "n_block"), ("n_shared", "n_superblock"))  # bits that the numbers of a block have in common


def formats(pen: Pen) -> str:
    """Every number format with what one number takes."""
    rows = []
    for name in presets.names("formats"):
        stored = presets.storage(name)
        blocks = (
            f"{stored['n_bits']} bits each, "
            + " and ".join(f"{stored[bits]} for each block of {stored[of]}" for bits, of in _SHARED if bits in stored)
            if "n_bits" in stored
            else presets.way(name)
        )
        rows.append((pen.code(name), stored["n_bytes"], pen.words(blocks)))
    return pen.table(("Format", "Bytes", "Blocks, or how it is computed"), rows, "presets")


def source_link(pen: Pen, key: str, words: str = "") -> str:
    """A link to a source."""
    found = presets.source(key)
    return pen.cite(found.url, pen.words(words or found.title))
