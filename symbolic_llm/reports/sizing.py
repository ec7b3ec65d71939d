"""Sizing: what the catalogue says of one model on one machine

Each row is the value of a formula, which `explain` opens; letters that were put in beside the presets stand with it.
Where some blocks attend to a window that is full, m_token and a are means over the tokens of the context. Where
experts are read for a batch, P is the number of weights that it is expected to read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from .. import presets
from ..answers.explanation import Explanation, explain_formula
from ..answers.reading import read_value
from ..api import find
from ..errors import ConditionViolated, NoSolution, Underdetermined, unknown_name
from ..notation import LETTERS, B, N
from ..units import ONE, SECOND, SEQUENCE, TOKEN, WEIGHT, humanize
from .rows import Row, as_data, html, sections

PREFILLS = {  # where authors differ: what a prompt's matrix products take
    "full": "prefill_product_flops",
    "causal": "causal_prefill_flops",
    "last-logits": "last_logits_prefill_flops",
}
STORED = ("fp16", "q8_0", "int8", "q4_0", "int4")


class Sizing:
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
    """

    def __init__(
        self,
        model: presets.ModelSource,
        hardware: str | None = None,
        *,
        dtype: str = "fp16",
        weights: str | None = None,
        cache: str | None = None,
        context: int | str = 4096,
        batch: int | str = 1,
        prefill: str = "full",
    ) -> None:
        if prefill not in PREFILLS:
            raise unknown_name("way to count a prefill", prefill, PREFILLS)
        self.prefill = prefill
        self.model = presets.model(model)
        self.hardware = presets.hardware(hardware) if hardware is not None else None
        self.context, self.batch = int(read_value(LETTERS[N], context)), int(read_value(LETTERS[B], batch))
        self._presets = presets.Presets(self.model, hardware, dtype, weights, cache)
        self.rows = [*self._weights(), *self._cache_and_work(), *(self._machine() if self.hardware else [])]

    # The sections

    def _weights(self) -> list[Row]:
        model, section = self.model, "Weights"
        rows = [Row(section, "parameters", "parameters", Fraction(model.parameters), WEIGHT)]
        for kind, counted in model.parameters_by_kind().items():
            names = dict.fromkeys(part.formula.name for part in model.parts if part.kind == kind)
            rows.append(Row(section, f"  {kind}", f"parameters_{kind}", Fraction(counted), WEIGHT, ", ".join(names)))
        if model.active_parameters != model.parameters:
            active = Fraction(model.active_parameters)
            rows.append(Row(section, "used by a token", "active_parameters", active, WEIGHT))
        multiplied = Fraction(model.multiplied_parameters)
        rows.append(Row(section, "multiplied with a token, P", "multiplied_parameters", multiplied, WEIGHT))
        for name in STORED:
            row = self._row(section, f"stored as {name}", f"weight_bytes_{name}", "weight_bytes", weights=name)
            rows.append(row)
        return rows

    def _cache_and_work(self) -> list[Row]:
        at = {"N": Fraction(self.context)}
        held = at | {"B": Fraction(self.batch)}
        rows = [self._row("KV cache", "a token", "kv_bytes_per_token", self.model.cache.name)]
        name, note, window = "kv_bytes_total", "", self.model.window
        if self._windows_are_full and window is not None:
            note = f"{self.model.n_windowed} of {self.model.letters['n_blocks']} blocks keep {window:,} tokens"
            if self.model.letters["n_global"]:
                name = "windowed_kv_bytes"
            else:
                held["N"] = Fraction(window)
        rows.append(self._row("KV cache", self._load, "kv_bytes", name, held, note=note))
        one = _only(at | self._means(), "m_token")
        work = f"Work at a context of {self.context:,}"
        rows.append(self._row(work, "decoding a token", "flops_per_token_decode", "decode_product_flops", one | _ONE))
        rows.append(self._row(work, "prefill of a prompt", "flops_prefill", PREFILLS[self.prefill], at | _ONE))
        if (family := self.model.counted_as) and not self._windows_are_full:
            for kind, label in (("decode", "decoding a token"), ("prefill", "prefill of a prompt")):
                name, key = f"{family}_{kind}_flops", f"flops_{kind}_all_operations"
                rows.append(self._row(work, f"{label}, all operations", key, name, at | _ONE))
        return rows

    def _machine(self) -> list[Row]:
        title = f"{self.hardware.title if self.hardware else ''}, {self._load}"
        at = {"N": Fraction(self.context), **self._means()}
        read = at | {"B": Fraction(self.batch)}
        more = {"P": self._read()} if self._read() != self.model.multiplied_parameters else {}
        moved = self._row(
            title, "decoding step: memory", "decode_memory_time", "memory_time_with_cache", _only(read, "a") | more
        )
        computed = self._row(
            title,
            "decoding step: arithmetic",
            "decode_compute_time",
            "compute_time_with_attention",
            _only(read, "m_token"),
        )
        rows = [moved, computed, self._longer(title, moved, computed)]
        prefill = {"N": at["N"], "B": Fraction(self.batch)}
        rows.append(self._row(title, "prefill", "prefill_time", "prefill_time", prefill))
        rows += self._crossovers(title, at)
        fit = _only(at, "a")
        rows.append(self._row(title, "largest batch that fits", "largest_batch", "sequences_that_fit", fit))
        rows.append(self._largest_context(title))
        return rows

    def _longer(self, title: str, moved: Row, computed: Row) -> Row:
        """Which of the two times binds, and what comes out of it."""
        if moved.value is None or computed.value is None:
            return Row(title, "decoding step", "decode_time", None, SECOND, note=moved.note or computed.note)
        bound = "memory" if moved.value >= computed.value else "arithmetic"
        time = max(moved.value, computed.value)
        rate = humanize(Fraction(self.batch) / time, TOKEN / SECOND, 4)
        note = f"{bound} binds; {rate}"
        return Row(title, "decoding step", "decode_time", time, SECOND, "latency_with_cache", {}, note)

    def _crossovers(self, title: str, at: Mapping[str, Fraction]) -> list[Row]:
        if self.model.letters.get("n_experts"):
            whole = {"P_read": Fraction(self._all_read())}
            label = "batch crossover, all experts read"
            crossover = self._row(title, label, "batch_crossover", "expert_batch_crossover", {**at, **whole})
        else:
            crossover = self._row(title, "batch crossover", "batch_crossover", "batch_crossover_with_cache", at)
        critical = self._row(title, "critical context", "critical_context", "critical_context")
        if self.model.n_windowed:
            critical = self._windowed_critical(title, critical)
        return [crossover, critical]

    def _windowed_critical(self, title: str, without: Row) -> Row:
        """The critical context where some blocks have a window, from the one that there would be without."""
        if self.model.letters["n_global"]:
            return self._row(title, without.label, without.key, "windowed_critical_context")
        if without.value is not None and without.value > (self.model.window or 0):
            return Row(
                title, without.label, without.key, None, TOKEN, note="none: beyond its window no block reads more"
            )
        return without

    def _largest_context(self, title: str) -> Row:
        tokens = self._row(title, "largest context that fits", "largest_context", "tokens_that_fit")
        if tokens.value is None:
            return tokens
        each = tokens.value / self.batch
        note = f"for a batch of {self.batch:,}" if self.batch > 1 else ""
        window, letters = self.model.window, self.model.letters
        if window is not None and each > window:
            if not letters["n_global"]:
                note = "any: beyond its window no block keeps more"
                return Row(title, tokens.label, tokens.key, None, TOKEN, tokens.formula, note=note)
            each = (each * letters["n_blocks"] - letters["n_local"] * window) / letters["n_global"]
        return Row(title, tokens.label, tokens.key, Fraction(each // 1), TOKEN, tokens.formula, note=note)

    # What they are made of

    @property
    def _load(self) -> str:
        return f"batch {self.batch:,} at context {self.context:,}"

    @property
    def _windows_are_full(self) -> bool:
        return self.model.window is not None and self.context > self.model.window

    def _means(self) -> dict[str, Fraction]:
        """m_token and a as means over the tokens of the context, where windows keep only some of them."""
        if not self._windows_are_full:
            return {}
        letters = self.model.letters
        kept = Fraction(letters["n_global"] * self.context + letters["n_local"] * (self.model.window or 0))
        share = kept / (letters["n_blocks"] * self.context)
        a = self.model.attention_flops_per_context_token * share
        token = self._explained(self.model.cache.name)
        return {"m_token": token.exact * share, "a": a} if isinstance(token, Explanation) else {"a": a}

    def _all_read(self) -> int:
        """Weights that a pass reads that uses every expert."""
        found = self._explained("expert_weights_read", {"n_distinct": Fraction(self.model.letters["n_experts"])})
        return int(found.exact) if isinstance(found, Explanation) else self.model.multiplied_parameters

    def _read(self) -> Fraction:
        """Weights that a pass of the batch reads to multiply them."""
        if not self.model.letters.get("n_experts") or self.batch == 1:
            return Fraction(self.model.multiplied_parameters)
        found = self._explained("expert_weights_read", {"B": Fraction(self.batch)})
        assert isinstance(found, Explanation)
        return Fraction(ceil(found.exact))

    def _explained(self, name: str, letters: Mapping[str, Fraction] | None = None, **preset: str) -> Explanation | str:
        """The explanation, or the sentence that says why there is none."""
        try:
            return explain_formula(find(name), letters or {}, replace(self._presets, **preset))
        except (ConditionViolated, NoSolution, Underdetermined) as reason:
            said = str(reason).removeprefix(f"{name} ").removeprefix("does not apply, ")
            return said.rpartition(": ")[0] if isinstance(reason, ConditionViolated) else said.removesuffix(".")

    def _row(
        self,
        section: str,
        label: str,
        key: str,
        name: str,
        letters: Mapping[str, Fraction] | None = None,
        *,
        note: str = "",
        **preset: str,
    ) -> Row:
        found = self._explained(name, letters, **preset)
        if isinstance(found, str):
            return Row(section, label, key, None, ONE, name, letters or {}, found)
        unit = TOKEN if found.unit == TOKEN / SEQUENCE else found.unit
        return Row(section, label, key, Fraction(found.exact), unit, name, letters or {}, note)

    # How they are shown

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} = {value:,}" for name, value in self.model.letters.items())
        lines = [f"{self.model.title}  ({self.model.family})", f"  {shapes}"]
        lines += sections(self.rows)
        presets = [f"--{kind} {name}" for kind, name in self._presets.given().items() if kind != "model" and name]
        asked = " ".join([f"--model {self.model.name}", *presets, f"[N={self.context}]", f"[B={self.batch}]"])
        return "\n".join([*lines, "", f"Each name on the right is a formula: symbolic-llm explain NAME {asked}"])

    def _repr_html_(self) -> str:
        return html(f"{self.model.title} ({self.model.family})", self.rows)

    def data(self) -> dict[str, Any]:
        """The same for JSON: the figures by key, and the rows with formula, letters and notes."""
        figures, rows = as_data(self.rows)
        figures.setdefault("active_parameters", figures["parameters"])
        shapes = {"model": self.model.name, "family": self.model.family, "shapes": dict(self.model.letters)}
        return {**shapes, "context": self.context, "batch": self.batch, **figures, "rows": rows}


_ONE = {"B": Fraction(1)}


def _only(letters: Mapping[str, Fraction], without: str) -> dict[str, Fraction]:
    return {name: value for name, value in letters.items() if name != without}
