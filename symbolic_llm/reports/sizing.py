"""Sizing: what the catalogue says of one model on one machine

Nothing is computed here. Each row is what `evaluate` gives for the name that stands with it, with the presets of the
report and the letters of the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from shlex import quote
from typing import Any

from .. import presets
from ..answers.explanation import Explanation
from ..answers.memory_fit import does_not, given, if_it_did, room, unfit
from ..architecture import Trait
from ..errors import InvalidValue, known_name, option
from ..models.attention import KINDS as ATTENTION
from ..models.formula_table import EXACT, PREFILLS
from ..models.recurrent import KINDS
from ..notation import C_seq, D_seq, F, P, P_active, P_total, W, m_token
from ..presets.parse_value import read_option
from . import device_splits, movement_rows, number_search, offload_rows, serving_rows, stack_rows
from .report import Letters, Report
from .rows import Row, as_data, html, letters_of_sections, noted, of_a_step, sections

STORED = ("fp16", "q8_0", "int8", "q4_0", "int4")
_ALL_COUNTED = "counts all scores, and logits of every position"
_READ = "read per sequence and step"
_FIXED = {  # what is held of a sequence, however long it is, by a letter of the blocks that hold it
    **{kind.blocks: (kind.row, kind.nbytes.name) for kind in KINDS},
    **{letter: (row, one.name) for kind in ATTENTION for letter, (row, one) in kind.fixed.items()},
}


class Sizing(Report):
    """A sizing report: rows of figures for one model, on a machine if one is given.

    Args:
        model: a preset's name, a config.json or its directory, or a `Model`.
        hardware: a machine; without one, what depends on one is left out.
        dtype: the number format of the arithmetic; if left out fp16, or bf16 on a device with a peak in that alone.
        weights: how the weights are stored; as the model's file says, else as `dtype`, if left out.
        cache: how the KV cache is stored; as `dtype` if left out.
        context: tokens of each sequence.
        batch: sequences.
        prefill: which convention counts the FLOPs of a prompt: "served" (no masked scores, logits of the last
            position), "causal", "last-logits" or "full".
        tpot: time per output token that a decoding step may take, to ask for the largest batch that meets it.
        prompt: tokens of a request's prompt; given with `new` or not at all.
        new: tokens that are decoded after the first one, which the prompt gives.
        cached: first tokens of the request's prompt that are cached, as where prompts begin alike.
        devices: number of devices of this kind that share it; as many as tensor and pipeline ask for if left out.
        tensor: devices that share every layer; all of a stage if left out.
        pipeline: stages that share the blocks; 1 if left out.
        page: tokens of a page, to ask what a KV cache reserves that comes in whole pages of one size for all blocks.
        storage: bandwidth of the storage from which the weights are loaded, to ask how long that takes.
        transfer: bandwidth of the link over which a prefill's caches are handed to another device, to ask the same of
            it: caches of the prompt if there is a request, else of the context.
        overlap: whether all of a pass overlaps, its matrices and its attention too: the bound of a perfect program.
            Else they follow each other, as in existing programs.
        host_bandwidth: bandwidth of a second memory, to ask which layers lie there and how fast a step is with them.
        host_flops: peak arithmetic of what computes beside it.
        host_memory: its size.
        host_link: bandwidth of the link between both memories, to ask the same of layers that are streamed.
        stack: a program, such as "vllm", to ask what its measured batches say of a step.
    """

    def __init__(
        self,
        model: presets.ModelSource,
        hardware: presets.HardwareSource | None = None,
        *,
        dtype: str | None = None,
        weights: str | None = None,
        cache: str | None = None,
        context: int | str = 4096,
        batch: int | str = 1,
        prefill: str = "served",
        tpot: object = None,
        prompt: int | str | None = None,
        new: int | str | None = None,
        cached: int | str | None = None,
        devices: int | str | None = None,
        tensor: int | str | None = None,
        pipeline: int | str | None = None,
        page: int | str | None = None,
        storage: object = None,
        transfer: object = None,
        overlap: bool = False,
        host_bandwidth: object = None,
        host_flops: object = None,
        host_memory: object = None,
        host_link: object = None,
        stack: str | None = None,
    ) -> None:
        self.overlap, self.prefill = bool(overlap), known_name("way to count a prefill", prefill, PREFILLS)
        if (prompt is None) != (new is None):
            raise InvalidValue(
                f"{option('prompt')} and {option('new_tokens')} together describe a request: give both or neither."
            )
        if cached is not None and prompt is None:
            raise InvalidValue(
                f"{option('cached')} is of a request's prompt: give {option('prompt')} and {option('new_tokens')} "
                "with it."
            )
        of_host = (host_bandwidth, host_flops, host_memory, host_link)
        host = offload_rows.Host.read(dict(zip(offload_rows.OPTIONS, of_host, strict=True)))
        if host is not None and (hardware is None or not devices is tensor is pipeline is None):
            raise InvalidValue(
                f"a second memory is of one device: give {option('hardware')}, and no {option('devices')}, "
                f"{option('tensor')} or {option('pipeline')}."
            )
        if stack is not None and hardware is None:
            raise InvalidValue(f"a stack is measured on a device: give {option('hardware')}.")
        self.model = presets.model(model)
        self.hardware = presets.hardware(hardware) if hardware is not None else None
        self.context, self.batch = int(read_option("context", context)), int(read_option("batch", batch))
        self.instead = presets.stands_in(dtype, [self.hardware])
        dtype = presets.arithmetic_in(dtype, self.hardware)
        self.presets = presets.Presets(self.model, self.hardware, dtype, weights, cache)
        self.split = device_splits.split(self.model, devices, tensor, pipeline)
        self.forecast = None if stack is None else stack_rows.StackForecast(self, stack)
        self.rows = (
            [] if self.split is None else [*device_splits.rows(self, self.split, on_machine=self.hardware is not None)]
        )
        if self.split is not None and self.forecast is not None:
            self.rows += self.forecast.steps(str(self.split), "")
        self.page = None if page is None else int(read_option("page", page))
        self.rows += [*self._weights(), *self._cache(), *self._work()]
        self._alone = self._machine() if self.hardware else []
        self.rows += self._alone
        self.tpot, self.storage, self.transfer = tpot, storage, transfer
        self.longest = 0  # tokens of a request
        if tpot is not None:
            self.rows += serving_rows.served(self, read_option("tpot", tpot))
        if prompt is not None and new is not None:
            tokens, steps = int(read_option("prompt", prompt)), int(read_option("new_tokens", new))
            self.longest = tokens + steps
            of_them = serving_rows.cached_tokens(cached, tokens)
            self.rows += serving_rows.request(self, tokens, steps, of_them, self.forecast)
        if storage is not None:
            self.rows += movement_rows.loaded(self, read_option("storage", storage))
        if transfer is not None:
            handed = int(read_option("prompt", self.context if prompt is None else prompt))
            self.rows += movement_rows.handed_over(self, handed, read_option("transfer", transfer))
        self.offload = None if host is None else offload_rows.Offload(self, host, self._load)
        self.rows += [] if self.offload is None else self.offload.rows

    # The sections

    def _weights(self) -> list[Row]:
        model, section = self.model, f"Weights{self._whole}"
        rows = [self.row(section, "parameters", "parameters", model.formula_for(P_total))]
        # a part whose letters are the model's own has the plain key, wherever it comes
        known: dict[str, Letters] = {f"each_{part.formula.name}": {} for part in model.parts if not part.renamed}
        for name, part in model.named_parts():
            key = f"each_{part.formula.name}"
            others = model.others(part)
            if known.setdefault(key, others) != others:  # counted alike, and of another width
                key = "_".join((key, *part.renamed.values()))
            row = self.row(section, f"  {name}", key, part.formula, others)
            if part.stored > 1:
                note = f"× {part.stored:,} = {part.stored * part.each:,}"
                row = replace(row, label=f"  {name}, each", note=note, copies=part.stored)
            rows.append(row)
        if model.active_parameters != model.parameters:
            rows.append(self.row(section, "active parameters", "active_parameters", model.formula_for(P_active)))
        multiplied = model.formula_for(P)
        rows.append(self.row(section, "multiplied per token, P", "multiplied_parameters", multiplied))
        asked, named = (self.presets.weights or self.presets.dtype or "").lower(), list(STORED)
        if self.presets.heard is not None:  # parts in several formats: their bytes need no letter
            how = asked if self.presets.mixed is not None else "the file has it"
            rows.append(self.row(section, f"stored as {how}", "weight_bytes_stored", "weight_bytes"))
        elif asked not in named:
            named.insert(0, asked)
        for name in named:
            letters = {"n_bytes": Fraction(presets.storage(name)["n_bytes"])}
            rows.append(self.row(section, f"stored as {name}", f"weight_bytes_{name}", "weight_bytes", letters))
        return rows

    def _cache(self) -> list[Row]:
        window, note, attention = self.model.window, "", self.model.attention
        section = f"KV cache{self._whole}"
        if window is not None and self.context > window:
            letters = self.model.letters
            keeping = letters.get("n_local_own", self.model.n_windowed)
            note = f"{keeping} of {letters['n_blocks']} blocks keep only {window:,} tokens"
            if Trait.BORROWING in self.model.traits:
                note += f", {letters.get('n_global_own', 0)} keep all of them, and the others have no cache"
            note += f", and the others keep {attention.beside} as well" if attention.beside else ""
        row = partial(self.row, section)
        said = (one for letter, rows in attention.apart.items() if letter in self.model.letters for one in rows)
        apart = [row(f"  {label}", key, formula) for label, key, formula in said]
        if apart:  # a step reads less than is kept
            apart.append(row(_READ, "attention_bytes", self.model.formula_for(D_seq), {"N": self.at["N"]}))
        return [
            row("per token", "kv_bytes_per_token", self.model.formula_for(m_token)),
            *apart,
            row(self._load, "kv_bytes", self.of("kv_bytes_total"), self.at, note=note),
            *self._paged(section),
            *(row(label, what, what) for letter, (label, what) in _FIXED.items() if letter in self.model.letters),
        ]

    def _paged(self, section: str) -> Iterator[Row]:
        """Row with what is reserved in whole pages, if that is asked."""
        if self.page is not None:
            windows = "" if self.model.window is None else "windows give no pages back"
            label, at = f"reserved in pages of {self.page:,} tokens", self.at | {"n_page": Fraction(self.page)}
            yield self.row(section, label, "paged_kv_bytes", "paged_cache_bytes", at, note=windows)

    def _work(self) -> list[Row]:
        section, one = f"Operations{self._whole} at a context of {self.context:,}", self.at | {"B": Fraction(1)}
        decode, prefill = self.model.attention.ways
        if self.model.window is not None and not PREFILLS[self.prefill].causal:
            prefill = "counts scores outside the windows too"
        row = partial(self.row, section)
        decoded, read = self.of("decode_product_flops"), self.counted(one)
        rows = [
            row("decoding one token, matrix products", "flops_per_token_decode", decoded, one, note=decode),
            row("prefill of one prompt, matrix products", "flops_prefill", "prefill_product_flops", read, note=prefill),
        ]
        if family := self.model.counted_as:
            for before, formula in zip(rows[:2], (EXACT[family].name, "prefill_flops"), strict=True):
                label, key = before.label.replace("matrix products", "all operations"), f"{before.key}_all_operations"
                every = _ALL_COUNTED if before.key == "flops_prefill" and self.prefill != "full" else ""
                rows.append(row(label, key, formula, one, note=every))
        return rows

    def _machine(self) -> list[Row]:
        machine = self.hardware.title if self.hardware else ""
        title = f"{machine}, {self._load}" if self.split is None else f"One device alone, {machine}: {self._load}"
        at, context, row = self.at, {"N": self.at["N"]}, partial(self.row, title)
        held = row("memory needed: weights and cache", "held", "footprint", at)
        into = unfit(held.value, self.presets)
        held, beside = noted(held, does_not(into)), if_it_did(into)
        moved = row("decoding step, memory time", "decode_memory_time", "memory_time_with_cache", at)
        computed = row("decoding step, compute time", "decode_compute_time", "compute_time_with_attention", at)
        whole = row("decoding step", "decode_time", "latency_with_cache", at)
        whole = noted(whole, _binding(moved, computed), beside)
        parts = row("decoding step", "decode_time_by_parts", "separate_latency", at)
        parts = noted(parts, self._binding_by_parts(parts, moved, computed), beside)
        prompts = self.counted(at)
        prefills = (
            row("prefill", "prefill_time", "prefill_time_with_attention", prompts, note=beside),
            row("prefill", "prefill_time_by_parts", "separate_prefill_time", prompts, note=beside),
        )
        if self.overlap or parts.value is None:  # a bound on the tokens of a second holds for both laws
            rate = row(self._whole_batch, "throughput", "throughput_with_cache", at, note=beside)
        else:
            rate = of_a_step(parts, self._whole_batch, "throughput", self.batch, beside)
        crossover = self.of("batch_crossover_with_cache")
        every = "if all experts are read" if Trait.EXPERTS in self.model.traits else ""
        return [
            held,
            moved,
            computed,
            *self.by_both_laws(whole, parts),
            rate,
            *(() if self.forecast is None or self.split is not None else self.forecast.steps(title, beside)),
            *self.by_both_laws(*prefills),
            *self._of_matrices(title),
            self._of_bound(row("batch crossover", "batch_crossover", crossover, context, note=every)),
            self._of_bound(self._critical(title)),
            row("largest batch that fits", "largest_batch", "sequences_that_fit", context),
            self._longest(title, {"B": at["B"]}),
        ]

    # What is said of them

    def _of_matrices(self, title: str) -> list[Row]:
        """Row with the batch from which matrices by themselves wait for arithmetic; none if a step overlaps.

        There is none either with experts, of which a batch picks, or where a file stores weights in several formats.
        """
        if self.overlap or Trait.EXPERTS in self.model.traits or self.presets.heard is not None:
            return []
        return [self.row(title, "batch crossover of the matrices", "matrices_crossover", "batch_crossover")]

    def _of_bound(self, row: Row) -> Row:
        """The row of something that holds of the bound, where matrices and attention overlap, with that said."""
        return row if self.overlap else replace(row, label=f"{row.label}, if all of it overlaps")

    def _critical(self, title: str) -> Row:
        """Row with the critical context; it is found by search where what is kept grows by runs of tokens."""
        if self.model.attention.lengths:
            return number_search.critical(self, title)
        return self.row(title, "critical context", "critical_context", self.of("critical_context"))

    def _longest(self, title: str, batch: Letters) -> Row:
        """Row with the longest context: the one that fits, or the model's own limit where that is shorter."""
        limit = self.model.context_limit
        if self.model.attention.lengths:
            return number_search.longest(self, title, int(batch["B"]), limit)
        law = self.of("context_that_fits") if limit is None else "largest_context"
        row = self.row(title, "largest context", "largest_context", law, batch)
        if row.value is None and limit is not None and Trait.WINDOWED in self.model.traits:  # full windows keep no more
            return number_search.longest(self, title, int(batch["B"]), limit)
        return replace(row, note="the context limit of the model") if row.value == limit is not None else row

    # What they are made of

    @property
    def _whole(self) -> str:
        """Words that tell the whole model from devices that share it: "" without a split."""
        return "" if self.split is None else " of the model"

    @property
    def _load(self) -> str:
        return f"batch {self.batch:,} at context {self.context:,}"

    @property
    def _whole_batch(self) -> str:
        return "tokens per second" if self.batch == 1 else f"tokens per second, all {self.batch:,} sequences"

    # How they are shown

    def _binding_by_parts(self, parts: Row, moved: Row, computed: Row) -> str:
        """Note on what takes longer in a step whose matrices and attention follow each other; "" where nobody can tell.

        Args:
            parts: the time of the step.
            moved: the time of all that it reads.
            computed: the time of all that it computes.
        """
        if parts.value in (moved.value, computed.value):
            return _binding(moved, computed)
        sums = [self.explained(self.model.formula_for(letter), {"N": self.at["N"]}) for letter in (D_seq, C_seq)]
        peak, bandwidth = (given(self.presets, letter) for letter in (F, W))
        if peak is None or bandwidth is None or any(isinstance(one, str) for one in sums):
            return ""
        read, met = (Fraction(one.exact) for one in sums if isinstance(one, Explanation))
        sides = ("compute-bound", "memory-bound")
        matrices, attention = sides if read * peak >= met * bandwidth else reversed(sides)
        return f"matrices {matrices}, attention {attention}"

    @property
    def _formats(self) -> str:
        """Phrase with the number formats, and a remark where one was chosen for the machine."""
        return "; ".join(filter(None, (self.presets.formats, self.instead)))

    @property
    def _title(self) -> str:
        return "; ".join(filter(None, (f"{self.model.title} ({self.model.kind})", self.presets.foreign)))

    @property
    def answer(self) -> tuple[str, ...]:
        """Sentences that come first: whether it fits, how fast it decodes, and what binds; none without a machine.

        With several devices they are of all of them together.
        """
        node = "" if self.split is None else self.split.beyond_a_node(self.hardware)
        beyond = tuple(f"{one}." for one in (self.beyond, node) if one)
        if self.hardware is None:
            return beyond
        rows = {row.key: row for row in self.rows}
        law = "" if self.overlap else "_by_parts"
        names, stages, each, group = ("held", "throughput", f"decode_time{law}"), 1, "", ""
        if self.split is not None:
            names, stages = ("device_held", "devices_throughput", f"devices_time{law}"), self.split.pipeline
            each = " of each device" if stages == 1 else ""
            group = f" in one of {self.split.data} groups" if self.split.data > 1 else ""
        held, rate, step = (rows.get(name) for name in names)
        there, said = room(self.presets, stages), []
        needed = None if held is None else held.value
        fits = not unfit(needed, self.presets, stages)
        if held is not None and needed is not None and there is not None:
            verdict, takes = ("Fits", "take") if fits else ("Does not fit", "need")
            said.append(f"{verdict} into {there[1]}{each}: weights and cache {takes} {held.shown()}.")
        if rate is not None and (rate.value is not None or rate.bound):
            said.append(f"Decodes {_in_words(rate)}{group} with {self._load}{'' if fits else ' if it fitted'}.")
        if step is not None and (step.value is not None or step.bound):
            said.append(f"A decoding step takes {_in_words(step)}{_bound_by(step.note)}.")
        if self.forecast is not None and self.forecast.answer:
            said.append(self.forecast.answer)
        if self.offload is not None and self.offload.answer:
            said.append(self.offload.answer)
        elif self.split is None and not fits and self.offload is None:
            said.append(offload_rows.pointer())
        return (*said[:1], *beyond, *said[1:])

    @property
    def beyond(self) -> str:
        """Remark on a context, or a request, that is longer than the model was made for; "" for any other."""
        return self.model.beyond(max(self.context, self.longest))

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} = {value:,}" for name, value in self.model.letters.items())
        lines = [self._title, *(f"  {one}" for one in self.answer), f"  {shapes}", f"  {self._formats}"]
        if self.hardware is not None:
            lines += [f"  {line}" for line in self.hardware.provenance()]
        lines += sections(self.rows)
        return "\n".join([*lines, "", self._opening])

    @property
    def _opening(self) -> str:
        """Sentence with the command that explains a row."""
        named, letters = "", {"N": str(self.context), "B": str(self.batch)}
        if self.hardware is not None:
            named, of_machine = self.hardware.options(presets.arithmetic(self.presets.dtype or STORED[0]))
            letters |= of_machine
        for letter, value in (("T_target", self.tpot), ("W_storage", self.storage), ("W_transfer", self.transfer)):
            if value is not None:
                letters[letter] = str(value)
        options = self.presets.given() | {"model": self.model.name, "hardware": named}
        asked = " ".join(f"--{kind} {quote(str(name))}" for kind, name in options.items() if name)
        alone = "".join(f", {said}" for said in letters_of_sections(self.rows, letters))
        *most, final = (f"{letter}={quote(value)}" for letter, value in letters.items())
        return (
            f"To see how a number is computed, put the name of its formula for NAME, "
            f"and add {', '.join(most)} and {final} "
            f"if the formula has these letters{alone}: symbolic-llm explain NAME {asked}"
        )

    def _repr_html_(self) -> str:
        return html(self._title, " ".join(self.answer), self.rows)

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON: the figures by key, and the rows with formula, letters and notes.

        With several devices, the figures of one that has all of the model stand apart from theirs.
        """
        figures, rows = as_data(self.rows)
        figures.setdefault("active_parameters", figures["parameters"])
        alone: dict[str, Any] = {}
        if self.split is not None and self._alone:
            alone = {"one_device_alone": {row.key: figures.pop(row.key) for row in self._alone}}
        shapes = {"model": self.model.name, "family": self.model.kind, "shapes": dict(self.model.letters)}
        kinds = {"parameters_by_kind": self.model.parameters_by_kind()}
        how = {} if self.split is None else {"devices": {**vars(self.split)}}
        load = {"context": self.context, "batch": self.batch, "beyond": self.beyond}
        load |= {"answer": [*self.answer]}
        load |= {"formats": "; ".join(filter(None, (self._formats, self.presets.foreign)))}
        stack = {} if self.forecast is None else {"stack": self.forecast.data()}
        return {**shapes, **kinds, **how, **load, **figures, **alone, **stack, "rows": rows}


def _in_words(row: Row) -> str:
    """A figure or its bound in a sentence: "at least 3.871 ms"."""
    return row.shown().replace("≥", "at least").replace("≤", "at most")


def _bound_by(note: str) -> str:
    """End of a sentence that says what binds a step, from its note."""
    if said := re.search(r"matrices (\S+), attention [^\s,]+", note):
        return f": {said[0]}"
    return next((f" and is {side}" for side in ("memory-bound", "compute-bound") if side in note), "")


def _binding(moved: Row, computed: Row) -> str:
    """Note on the longer of two times, "memory-bound" or "compute-bound"; "" where one has no value."""
    if moved.value is None or computed.value is None:
        return ""
    return "memory-bound" if moved.value >= computed.value else "compute-bound"
