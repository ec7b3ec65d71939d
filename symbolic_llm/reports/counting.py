"""Running a model file and holding the formulas against what it does

The file is run by the reference engine, which counts; the formulas get nothing but the shapes. Each line has a formula,
what it says, what was counted, and the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from reference_engine import ContextFull, Decoder, ModelFileError, OutOfMemory, load

from ..api import find
from ..errors import InvalidModel, InvalidValue, MissingDependency, shown
from ..expressions.exact import number
from ..expressions.html import paragraph, table, words
from ..models.part import count
from ..units import BYTE, FLOP, WEIGHT, Unit, humanize
from .rows import aligned

Progress = Callable[[int, int], None]
Entry = tuple[str, str, int, int, int]  # pass, path, operations, bytes loaded, bytes stored


@dataclass(frozen=True)
class Line:
    """One quantity: by which formula, what it says, what the engine counted."""

    label: str
    formula: str
    unit: Unit
    predicted: Fraction
    counted: int

    @property
    def difference(self) -> Fraction:
        """What was counted beyond what the formula says."""
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
            ("", "formula says", "engine counted", "difference", "by"),
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
        """The same for JSON."""
        lines = [
            {
                "label": line.label,
                "formula": line.formula,
                "unit": str(line.unit),
                "predicted": number(line.predicted),
                "counted": line.counted,
                "difference": number(line.difference),
            }
            for line in self.lines
        ]
        names = ("pass", "path", "flops", "loaded", "stored")
        ledger = [dict(zip(names, row, strict=True)) for row in self.ledger]
        return {"path": self.path, "agrees": self.agrees, "lines": lines, "ledger": ledger}


def _family(decoder: Decoder) -> str:
    """Whose formulas describe this decoder: those of all its operations, or "" where only its products have some."""
    config = decoder.config
    if config.norm == "rms" and config.gated and config.positions == "rotary" and not config.biases:
        return "mixtral" if config.n_experts else "qwen3" if config.qk_norm else "llama"
    return "gpt2" if config.norm == "layer" and config.positions == "learned" and len(config.biases) == 6 else ""


def _letters(decoder: Decoder) -> dict[str, Fraction]:
    """The shapes, and what P and a come to by their formulas."""
    config = decoder.config
    names = ("n_blocks", "n_heads", "n_kv_heads", "d_head", "d_model", "d_ff", "n_vocab", "n_positions")
    letters = {name: Fraction(getattr(config, name)) for name in names}
    if config.n_experts:
        experts = {"n_experts": config.n_experts, "n_active": config.n_active, "d_expert": config.d_ff}
        letters |= {name: Fraction(value) for name, value in experts.items()}
    kind = "mixtral" if config.n_experts else "llama" if config.gated else "gpt2"
    letters["P"] = count(find(f"{kind}_multiplied_parameters"), letters)
    letters["a"] = count(find("attention_flops_per_context_token"), letters)
    return letters


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
        InvalidValue: the prompt is longer than the model's positions or window, or than memory takes.
    """
    for name, tokens, least in (("prompt_tokens", prompt_tokens, 1), ("new_tokens", new_tokens, 0)):
        if type(tokens) is not int or tokens < least:
            raise InvalidValue(f"{name} is a whole number of at least {least}, not {shown(tokens)}.")
    try:
        decoder = load(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidModel(f"{shown(os.fspath(path), 200)} cannot be read: {reason}.") from None
    except (ModelFileError, OutOfMemory) as error:
        raise InvalidModel(f"{str(error).removesuffix('.')}.") from None
    except ImportError as error:
        raise MissingDependency(f"{str(error).removesuffix('.')}.") from None
    _refuse_what_does_not_fit(decoder, prompt_tokens, new_tokens)
    try:
        return _count(decoder, os.fspath(path), prompt_tokens, new_tokens, progress)
    except ContextFull as error:
        raise InvalidValue(f"{error}.") from None
    except MemoryError:
        raise InvalidValue(f"a prompt of {prompt_tokens:,} tokens takes more memory than there is.") from None


def _refuse_what_does_not_fit(decoder: Decoder, prompt_tokens: int, new_tokens: int) -> None:
    """Before anything is allocated: a prompt that is longer than a window, or that memory does not take."""
    window = min((w for w in decoder.config.windows if w), default=None)
    if window is not None and prompt_tokens + new_tokens > window:
        raise InvalidValue(f"this decoder attends to windows of {window} tokens; count no more than those.")
    positions, there = decoder.config.n_positions, _memory()
    needed = decoder.memory_for(prompt_tokens)
    if there is not None and needed > there and not 0 < positions < prompt_tokens:
        takes, has = (humanize(Fraction(n_bytes), BYTE, 3) for n_bytes in (needed, there))
        raise InvalidValue(f"a prompt of {prompt_tokens:,} tokens takes about {takes} of memory, and {has} are free.")


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
    config, family, letters = decoder.config, _family(decoder), _letters(decoder)
    prompt = {**letters, "B": Fraction(1), "N": Fraction(prompt_tokens)}
    steps = [{**prompt, "N": Fraction(prompt_tokens + i + 1)} for i in range(new_tokens)]
    cache = {**prompt, "n_bytes_kv": config.cache.n_bytes, "n_new": Fraction(new_tokens)}
    cache["m_token"] = count(find("kv_bytes_per_token"), cache)
    lines = _stored(decoder, family, letters)
    ledger: list[Entry] = []

    def taken(name: str, label: str, each: list[dict[str, Fraction]]) -> None:
        """The lines of a pass that was run, and its part of the ledger."""
        kinds = [("product", decoder.ledger.matmul_flops())]
        kinds += [(family, decoder.ledger.total("flops"))] if family else []
        for kind, counted in kinds:
            formula = f"{name}_product_flops" if kind == "product" else f"{kind}_{name}_flops"
            what = f"{label}, matrix products" if kind == "product" else f"{label}, all operations"
            lines.append(
                Line(what, formula, FLOP, sum((count(find(formula), at) for at in each), Fraction(0)), counted)
            )
        ledger.extend(_by_part(decoder, name))

    decoder.ledger.clear()
    decoder.prefill(np.arange(prompt_tokens) % config.n_vocab)
    progress(1, new_tokens + 1)
    taken("prefill", f"prefill of {prompt_tokens:,}", [prompt])
    decoder.ledger.clear()
    for done in range(new_tokens):
        decoder.decode(np.int64(done % config.n_vocab))
        progress(done + 2, new_tokens + 1)
    if new_tokens:
        taken("decode", f"decoding {new_tokens:,}", steps)
        read = count(find("kv_bytes_read_while_generating"), cache)
        loaded = decoder.ledger.total("loaded", "blocks.*.attention.cache")
        lines.append(Line("cache read while decoding", "kv_bytes_read_while_generating", BYTE, read, loaded))
    end = {**cache, "N": Fraction(prompt_tokens + new_tokens)}
    held = count(find("kv_bytes_total"), end)
    lines.append(Line("cache held at the end", "kv_bytes_total", BYTE, held, decoder.ledger.footprint("cache.*")))
    return Counted(path, family, prompt_tokens, new_tokens, tuple(lines), tuple(ledger))


def _stored(decoder: Decoder, family: str, letters: dict[str, Fraction]) -> list[Line]:
    """The line of the weights, where the family has a formula for them."""
    if not family:
        return []
    formula, predicted = f"{family}_parameters", count(find(f"{family}_parameters"), letters)
    if decoder.config.tied and family != "gpt2":  # the formula of a GPT-2 has one matrix, the others have two
        formula, predicted = (
            f"{formula} − embedding_parameters",
            predicted - count(find("embedding_parameters"), letters),
        )
    return [Line("weights", formula, WEIGHT, predicted, sum(prod(w.shape) for w in decoder.weights.values()))]


def _by_part(decoder: Decoder, name: str) -> list[Entry]:
    """The ledger of a pass, blocks and experts taken together."""
    parts: dict[str, list[int]] = {}
    for (path, _), tally in decoder.ledger.entries.items():
        part = parts.setdefault(re.sub(r"\b\d+\b", "*", path), [0, 0, 0])
        for place, figure in enumerate((tally.flops, tally.loaded, tally.stored)):
            part[place] += figure
    return [(name, path, flops, loaded, stored) for path, (flops, loaded, stored) in parts.items()]
