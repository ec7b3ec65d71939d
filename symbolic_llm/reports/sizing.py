"""Sizing: what the catalogue says of one model on one machine

Nothing is computed here. Each row is what `evaluate` gives for the name that stands with it, with the presets of the
report and the letters of the row.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from shlex import quote
from typing import Any

from .. import presets
from ..answers.explanation import Explanation
from ..answers.reading import read_value
from ..architecture import Trait
from ..errors import InvalidValue, unknown_name
from ..formulas.memory.all_windowed_largest_context import FORMULA as all_windowed_largest_context
from ..formulas.memory.largest_context import FORMULA as largest_context
from ..models.choices import EXACT, PREFILLS, suiting
from ..notation import (
    LETTERS,
    B,
    B_star_cache,
    M,
    N,
    N_critical,
    N_fit,
    P,
    P_active,
    P_total,
    T_target,
    m_token,
    n_new,
)
from ..units import BYTE, humanize
from .asked import Asked, Letters
from .rows import Row, as_data, html, sections
from .serving import request, served

STORED = ("fp16", "q8_0", "int8", "q4_0", "int4")


class Sizing(Asked):
    """The rows for one model.

    Args:
        model: a preset's name, a config.json or its directory, or a `Model`.
        hardware: a machine; without one, what depends on one is left out.
        dtype: the number format of the arithmetic.
        weights: how the weights are stored; as `dtype` if left out.
        cache: how the KV cache is stored; as `dtype` if left out.
        context: tokens of each sequence.
        batch: sequences.
        prefill: which convention counts the FLOPs of a prompt: "full", "causal" or "last-logits".
        target: how long a decoding step may take; without it, no batch is asked for that meets it.
        prompt: tokens of a request's prompt, and
        new: tokens that are decoded after it and after the first token, which the prompt gives; both or neither.
    """

    def __init__(
        self,
        model: presets.ModelSource,
        hardware: presets.HardwareSource | None = None,
        *,
        dtype: str = "fp16",
        weights: str | None = None,
        cache: str | None = None,
        context: int | str = 4096,
        batch: int | str = 1,
        prefill: str = "full",
        target: object = None,
        prompt: int | str | None = None,
        new: int | str | None = None,
    ) -> None:
        if prefill not in PREFILLS:
            raise unknown_name("way to count a prefill", prefill, PREFILLS)
        if (prompt is None) != (new is None):
            raise InvalidValue("prompt and new say how long a request is: both are given, or neither.")
        self.prefill = prefill
        self.model = presets.model(model)
        self.hardware = presets.hardware(hardware) if hardware is not None else None
        self.context, self.batch = int(read_value(LETTERS[N], context)), int(read_value(LETTERS[B], batch))
        self.presets = presets.Presets(self.model, self.hardware, dtype, weights, cache)
        self.rows = [*self._weights(), *self._cache(), *self._work(), *(self._machine() if self.hardware else [])]
        self.target = target
        if target is not None:
            self.rows += served(self, read_value(LETTERS[T_target], target))
        if prompt is not None and new is not None:
            self.rows += request(
                self, *(int(read_value(LETTERS[s], given)) for s, given in ((N, prompt), (n_new, new)))
            )

    # The sections

    def _weights(self) -> list[Row]:
        model, section = self.model, "Weights"
        rows = [self.row(section, "parameters", "parameters", model.formula_for(P_total))]
        for part in model.distinct_parts():
            row = self.row(section, f"  {part.kind}", f"each_{part.formula.name}", part.formula, part.others)
            if part.stored > 1:
                note = f"{part.stored:,} of them: {part.stored * part.each:,}"
                row = replace(row, label=f"  {part.kind}, each", note=note, copies=part.stored)
            rows.append(row)
        if model.active_parameters != model.parameters:
            rows.append(self.row(section, "used by a token", "active_parameters", model.formula_for(P_active)))
        multiplied = model.formula_for(P)
        rows.append(self.row(section, "multiplied with a token, P", "multiplied_parameters", multiplied))
        for name in STORED:
            letters = {"n_bytes": Fraction(presets.storage(name)["n_bytes"])}
            rows.append(self.row(section, f"stored as {name}", f"weight_bytes_{name}", "weight_bytes", letters))
        return rows

    def _cache(self) -> list[Row]:
        window, note = self.model.window, ""
        if window is not None and self.context > window:
            note = f"{self.model.n_windowed} of {self.model.letters['n_blocks']} blocks keep {window:,} tokens"
        return [
            self.row("KV cache", "a token", "kv_bytes_per_token", self.model.formula_for(m_token)),
            self.row("KV cache", self._load, "kv_bytes", "kv_bytes_total", self.at, note=note),
        ]

    def _work(self) -> list[Row]:
        section, one = f"Work at a context of {self.context:,}", self.at | {"B": Fraction(1)}
        latent = Trait.LATENT in self.model.traits
        decode, prefill = ("attention absorbed", "attention expanded") if latent else ("", "")
        if Trait.FULL not in self.model.traits and self.prefill != "causal":
            prefill = "what windows hide is computed too; --prefill causal leaves it out"
        rows = [
            self.row(section, "decoding a token", "flops_per_token_decode", "decode_product_flops", one, note=decode),
            self.row(section, "prefill of a prompt", "flops_prefill", self.prompted, one, note=prefill),
        ]
        if family := self.model.counted_as:
            for before, formula in zip(rows[:2], EXACT[family], strict=True):
                key = f"{before.key}_all_operations"
                every = "every score is counted" if before.key == "flops_prefill" and self.prefill == "causal" else ""
                rows.append(self.row(section, f"{before.label}, all operations", key, formula, one, note=every))
        return rows

    def _machine(self) -> list[Row]:
        title = f"{self.hardware.title if self.hardware else ''}, {self._load}"
        at, context = self.at, {"N": self.at["N"]}
        unfit = self._unfit()
        beside = f"if it fitted into {unfit}" if unfit else ""
        does_not = f"does not fit into {unfit}" if unfit else ""
        held = self.row(title, "held: weights and cache", "held", "footprint", at, note=does_not)
        moved = self.row(title, "decoding step: memory", "decode_memory_time", "memory_time_with_cache", at)
        computed = self.row(
            title, "decoding step: arithmetic", "decode_compute_time", "compute_time_with_attention", at
        )
        binds = _binding(moved, computed)
        step = self.row(title, "decoding step", "decode_time", "latency_with_cache", at, note=binds)
        parts = self.row(title, "  part by part", "decode_time_by_parts", "separate_latency", at)
        rate = self.row(title, self._whole_batch, "throughput", "throughput_with_cache", at, note=beside)
        prompts = dict(at)
        if self.prefill != next(iter(PREFILLS)):  # another way to count them than the formulas' own
            flops = self.explained(self.prompted, at)
            prompts |= {"C_prefill": flops.exact} if isinstance(flops, Explanation) else {}
        prefill = self.row(title, "prefill", "prefill_time", "prefill_time_with_attention", prompts, note=beside)
        prefills = [prefill]
        if self.prefill == next(iter(PREFILLS)):  # by parts it is counted in full
            by_parts = ("prefill_time_by_parts", "separate_prefill_time", at)
            prefills.append(self.row(title, "  part by part", *by_parts, note=beside))
        crossover, critical = (self.model.formula_for(letter) for letter in (B_star_cache, N_critical))
        every = "with all experts read" if Trait.EXPERTS in self.model.traits else ""
        return [
            held,
            moved,
            computed,
            step,
            parts,
            rate,
            *prefills,
            self.row(title, "batch crossover", "batch_crossover", crossover, context, note=every),
            self.row(title, "critical context", "critical_context", critical),
            self.row(title, "largest batch that fits", "largest_batch", "sequences_that_fit", context),
            self._longest(title, {"B": at["B"]}),
        ]

    # What is said of them

    def _unfit(self) -> str:
        """What the batch does not fit into; "" where it fits, or where nothing is known of the memory."""
        found = self.explained("capacity", self.at)
        if isinstance(found, str) or found.exact:
            return ""
        return humanize(found.given.values[M].value, BYTE)

    def _longest(self, title: str, batch: Letters) -> Row:
        """The longest context: that which fits, or the model's own limit where that binds."""
        limit, (formula, *others) = self.model.context_limit, (self.model.formula_for(N_fit),)
        if limit is not None:
            formula, *others = suiting((largest_context, all_windowed_largest_context), self.model.traits)
        row = self.row(title, "largest context", "largest_context", formula, batch)
        for other in others if row.value is None else ():
            instead = self.row(title, "largest context", "largest_context", other, batch)
            row = instead if instead.value is not None else row
        return replace(row, note="the longest that the model was made for") if row.value == limit is not None else row

    # What they are made of

    @property
    def _load(self) -> str:
        return f"batch {self.batch:,} at context {self.context:,}"

    @property
    def _whole_batch(self) -> str:
        return "tokens a second" if self.batch == 1 else f"tokens a second, all {self.batch:,} sequences together"

    # How they are shown

    @property
    def _formats(self) -> str:
        named, computed = self.presets, self.presets.dtype
        return f"arithmetic in {computed}, weights in {named.weights or computed}, cache in {named.cache or computed}"

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} = {value:,}" for name, value in self.model.letters.items())
        lines = [f"{self.model.title}  ({self.model.family})", f"  {shapes}", f"  {self._formats}"]
        if self.hardware is not None:
            lines += [f"  {line}" for line in self.hardware.provenance()]
        lines += sections(self.rows)
        return "\n".join([*lines, "", self._opening])

    @property
    def _opening(self) -> str:
        """The command that opens a row."""
        named, letters = "", {"N": str(self.context), "B": str(self.batch)}
        if self.hardware is not None:
            named, of_machine = self.hardware.options(presets.arithmetic(self.presets.dtype or STORED[0]))
            letters |= of_machine
        if self.target is not None:
            letters["T_target"] = str(self.target)
        options = self.presets.given() | {"model": self.model.name, "hardware": named}
        asked = " ".join(f"--{kind} {quote(str(name))}" for kind, name in options.items() if name)
        alone = ", B=1 under Work" if self.batch > 1 else ""
        if (last := self.rows[-1].letters).get("n_new"):
            alone += f", N={last['N']} and n_new={last['n_new']} under Request"
        *most, final = (f"{letter}={quote(value)}" for letter, value in letters.items())
        return (
            f"Each name on the right opens, with {', '.join(most)} and {final} where it has these letters{alone}: "
            f"symbolic-llm explain NAME {asked}"
        )

    def _repr_html_(self) -> str:
        return html(f"{self.model.title} ({self.model.family})", self.rows)

    def data(self) -> dict[str, Any]:
        """The same for JSON: the figures by key, and the rows with formula, letters and notes."""
        figures, rows = as_data(self.rows)
        figures.setdefault("active_parameters", figures["parameters"])
        shapes = {"model": self.model.name, "family": self.model.family, "shapes": dict(self.model.letters)}
        kinds = {"parameters_by_kind": self.model.parameters_by_kind()}
        return {**shapes, **kinds, "context": self.context, "batch": self.batch, **figures, "rows": rows}


def _binding(moved: Row, computed: Row) -> str:
    """Which of the two times binds."""
    if moved.value is None or computed.value is None:
        return ""
    return f"{'memory' if moved.value >= computed.value else 'arithmetic'} binds"
