"""Run of a model file, with the formulas compared to what it does

The file is run by the reference engine, which counts; the formulas get nothing but the shapes. Each line has a formula,
what it says, what was counted, and the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

import numpy as np

from reference_engine import ContextFull, Decoder

from ..answers.explanation import explain_formula
from ..answers.gather import picked
from ..answers.resolution import reach
from ..catalogue.named import decode_product_flops, kv_bytes_total, prefill_flops, prefill_product_flops
from ..errors import InvalidValue, shown
from ..expressions.arithmetic import number
from ..expressions.html import paragraph, table, words
from ..formula import Formula
from ..models.formula_table import EXACT
from ..notation import C_prompt, P_total
from ..presets import Presets
from ..units import BYTE, FLOP, WEIGHT, Unit, humanize
from ..witness.decoders import loaded, model_of
from .rows import aligned, told

Progress = Callable[[int, int], None]
_MOST_TOKENS = 10**9
Entry = tuple[str, str, int, int, int]  # pass, path, operations, bytes loaded, bytes stored


@dataclass(frozen=True)
class Line:
    """A quantity with its formula, the value that the formula gives, and the number that the engine counted."""

    label: str
    formula: str
    unit: Unit
    predicted: Fraction
    counted: int

    @property
    def difference(self) -> Fraction:
        """Difference of the counted number and the formula's value, in the unit of the line."""
        return self.counted - self.predicted


@dataclass(frozen=True)
class Counted:
    """A file that was run.

    Attributes:
        path: the file or directory.
        family: the formulas that were held against it: "llama", "qwen3", "gpt2" or "mixtral".
        lines: the quantities.
        ledger: operations and bytes by path, blocks and experts taken together, prefill and decoding apart.
    """

    path: str
    family: str
    prompt_tokens: int
    new_tokens: int
    lines: tuple[Line, ...]
    ledger: tuple[Entry, ...]

    @property
    def agrees(self) -> bool:
        """Whether every difference is zero."""
        return all(line.difference == 0 for line in self.lines)

    def _shown(self) -> tuple[str, list[tuple[str, ...]], list[tuple[str, ...]]]:
        """Title, comparison and ledger, each table with its head."""
        compared: list[tuple[str, ...]] = [
            ("", "formula", "engine counted", "difference", "by"),
            *(
                (x.label, f"{number(x.predicted):,}", f"{x.counted:,}", f"{number(x.difference):,}", x.formula)
                for x in self.lines
            ),
        ]
        ledger: list[tuple[str, ...]] = [("pass", "path", "FLOP", "bytes loaded", "bytes stored")]
        ledger += [(*row[:2], *(f"{figure:,}" for figure in row[2:])) for row in self.ledger]
        title = f"{self.path}: a prompt of {self.prompt_tokens:,} tokens, then {self.new_tokens:,} more"
        return title, compared, ledger

    def __repr__(self) -> str:
        title, compared, ledger = self._shown()
        return "\n".join([title, "", *aligned(compared, (0, 4)), "", *aligned(ledger, (0, 1))])

    def _repr_html_(self) -> str:
        title, *tables = self._shown()
        escaped = [[tuple(map(words, row)) for row in rows] for rows in tables]
        return paragraph(words(title)) + "".join(table(head, rows) for head, *rows in escaped)

    def data(self) -> dict[str, Any]:
        """Dictionary of the comparison and the ledger, for JSON."""
        of_each = ("label", "formula", "unit", "predicted", "counted", "difference")
        lines = [told(line, *of_each) for line in self.lines]
        names = ("pass", "path", "flops", "loaded", "stored")
        ledger = [dict(zip(names, row, strict=True)) for row in self.ledger]
        return {"path": self.path, "agrees": self.agrees, "lines": lines, "ledger": ledger}


def count_file(
    path: str | os.PathLike[str], prompt_tokens: int, new_tokens: int, progress: Progress = lambda done, of: None
) -> Counted:
    """Run a model file and compare.

    Args:
        path: a model directory with config.json and safetensors, or a GGUF file.
        prompt_tokens: length of the prompt; its tokens are 0, 1, 2, …, since counts do not depend on them.
        new_tokens: tokens decoded after it.
        progress: is told after each pass how many are done, of how many.

    Raises:
        InvalidModel: the file cannot be run, with one sentence that says why.
        InvalidValue: the prompt is longer than the model's positions or than memory takes.
    """
    for name, tokens, least in (("prompt_tokens", prompt_tokens, 1), ("new_tokens", new_tokens, 0)):
        if type(tokens) is not int or tokens < least:
            raise InvalidValue(f"{name} must be a whole number of at least {least}, not {shown(tokens)}.")
        if tokens > _MOST_TOKENS:
            raise InvalidValue(f"{name} must be at most {_MOST_TOKENS:,}, not {shown(tokens)}.")
    decoder = loaded(path)
    _refuse_what_does_not_fit(decoder, prompt_tokens)
    try:
        return _count(decoder, os.fspath(path), prompt_tokens, new_tokens, progress)
    except ContextFull as error:
        raise InvalidValue(f"{error}.") from None
    except MemoryError:
        raise InvalidValue(f"a prompt of {prompt_tokens:,} tokens needs more memory than is available.") from None


def _refuse_what_does_not_fit(decoder: Decoder, prompt_tokens: int) -> None:
    """Refuse a prompt that does not fit into memory, before anything is allocated."""
    positions, there = decoder.config.n_positions, _memory()
    needed = decoder.memory_for(prompt_tokens)
    if there is not None and needed > there and not 0 < positions < prompt_tokens:
        takes, has = (humanize(Fraction(n_bytes), BYTE, 3) for n_bytes in (needed, there))
        raise InvalidValue(
            f"a prompt of {prompt_tokens:,} tokens needs about {takes} of memory, but only {has} is free."
        )


def _memory() -> int | None:
    """Bytes of memory that are free, or that there are where that is not said; None where neither is."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            facts = dict(line.split(":") for line in file)
        return int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, LookupError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):  # not every system knows these names
        return None


def _count(decoder: Decoder, path: str, prompt_tokens: int, new_tokens: int, progress: Progress) -> Counted:
    model = model_of(decoder.config, path)
    says = partial(_says, Presets(model), {"n_bytes_kv": decoder.config.cache.n_bytes})
    one, prompt = {"B": 1, "N": prompt_tokens}, f"prefill of {prompt_tokens:,}"
    # the engine computes what is masked, too, and gives logits of every position
    met = says(model.of_prompts(causal=False)[C_prompt], **one)
    prompts: dict[str, Fraction | int] = {**one, "N_logits": prompt_tokens, "C_prompt": met}
    steps = [{"B": 1, "N": prompt_tokens + i + 1} for i in range(new_tokens)]
    stored, total = model.formula_for(P_total), sum(prod(weight.shape) for weight in decoder.weights.values())
    lines = [Line("weights", stored.name, WEIGHT, says(stored), total)]
    decode_all = EXACT.get(model.counted_as)
    prefill_all = prefill_flops if decode_all is not None else None
    ledger: list[Entry] = []

    def taken(
        kind: str,
        label: str,
        products: Formula,
        everything: Formula | None,
        each: Sequence[Mapping[str, Fraction | int]],
    ) -> None:
        """Add the lines of a pass that was run, and its part of the ledger."""
        for what, formula, counted in (
            ("matrix products", products, decoder.ledger.matmul_flops()),
            ("all operations", everything, decoder.ledger.total("flops")),
        ):
            if formula is not None:
                predicted = sum((says(formula, **at) for at in each), Fraction(0))
                lines.append(Line(f"{label}, {what}", formula.name, FLOP, predicted, counted))
        ledger.extend(_by_part(decoder, kind))

    decoder.ledger.clear()
    decoder.prefill(np.arange(prompt_tokens) % decoder.config.n_vocab)
    progress(1, new_tokens + 1)
    taken("prefill", prompt, prefill_product_flops, prefill_all, [prompts])
    decoder.ledger.clear()
    for done in range(new_tokens):
        decoder.decode(np.int64(done % decoder.config.n_vocab))
        progress(done + 2, new_tokens + 1)
    if new_tokens:
        taken("decode", f"decoding {new_tokens:,}", decode_product_flops, decode_all, steps)
        read = sum((says(kv_bytes_total, **at) for at in steps), Fraction(0))
        loaded = decoder.ledger.total("loaded", "blocks.*.attention.cache")
        lines.append(Line("cache read while decoding", kv_bytes_total.name, BYTE, read, loaded))
    held = says(kv_bytes_total, B=1, N=prompt_tokens + new_tokens)
    lines.append(Line("cache held at the end", kv_bytes_total.name, BYTE, held, decoder.ledger.footprint("cache.*")))
    return Counted(path, model.counted_as, prompt_tokens, new_tokens, tuple(lines), tuple(ledger))


def _says(presets: Presets, formats: Mapping[str, Fraction], formula: Formula, **letters: Fraction | int) -> Fraction:
    """Value that a formula gives for the file, as `evaluate` would, with those letters that it depends on."""
    reached = {symbol.name for symbol in reach(formula, picked(formula, presets))}
    given = {name: value for name, value in {**letters, **formats}.items() if name in reached}
    return Fraction(explain_formula(formula, given, presets).exact)


def _by_part(decoder: Decoder, name: str) -> list[Entry]:
    """The ledger of a pass, blocks and experts taken together."""
    parts: dict[str, list[int]] = {}
    for (path, _), tally in decoder.ledger.entries.items():
        part = parts.setdefault(re.sub(r"\b\d+\b", "*", path), [0, 0, 0])
        for place, figure in enumerate((tally.flops, tally.loaded, tally.stored)):
            part[place] += figure
    return [(name, path, flops, loaded, stored) for path, (flops, loaded, stored) in parts.items()]
