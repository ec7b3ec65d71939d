"""The operations of a pass one by one: what each computes and reads, which of the two binds, and how long it takes

Every figure is a formula's: matrix_matrix_flops and product_bytes, summed over the copies of a matrix, and of these two
product_intensity and product_time. Below the table stands what the formulas for a whole pass say of the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from textwrap import fill
from typing import Any

from .. import presets
from ..answers.bindings import lacks
from ..answers.explanation import explain_formula
from ..answers.gather import refuse_uncounted
from ..answers.memory_fit import does_not, given, unfit
from ..answers.one_sided import bound
from ..api import formula_of
from ..architecture import Trait
from ..catalogue.named import (
    all_reduce_time,
    decode_product_flops,
    distinct_experts,
    footprint,
    footprint_per_device,
    hop_time,
    prefill_distinct_experts,
    prefill_flops_per_device,
    prefill_product_flops,
    product_intensity,
    product_time,
    ridge_point,
)
from ..errors import ConditionViolated, NoSolution, Underdetermined, listed, option
from ..expressions.arithmetic import number
from ..formula import Formula
from ..models import Model
from ..models.operations import operations
from ..models.part import count
from ..models.products import Operation, Pass
from ..models.recurrent import BLOCK_LETTERS
from ..notation import F, W, named
from ..presets.parse_value import read_option
from ..units import BYTE, FLOP, ONE, SECOND, Unit, humanize
from . import device_splits
from .device_questions import TIMES
from .rows import Row, aligned, told

INTENSITY = FLOP / BYTE
_COUNTED, _WIDTH = "Matrix products and the bytes they read are counted", 110


@dataclass(frozen=True)
class Line:
    """A row of the table: one operation of a pass, in all blocks and for all sequences.

    Attributes:
        name: what the engine's ledger calls it.
        flops: operations.
        nbytes: bytes that it reads, of weights or cache, and those of states that it writes back.
        rates: operations and bytes a second of a machine; None without one.
    """

    name: str
    flops: Fraction
    nbytes: Fraction
    rates: tuple[Fraction, Fraction] | None = None

    @property
    def intensity(self) -> Fraction:
        """FLOP/byte, by product_intensity."""
        return count(product_intensity, {"C_matrix": self.flops, "D_matrix": self.nbytes})

    @property
    def binds(self) -> str:
        """Longer of its two times, "memory" or "arithmetic"; "memory" where they are equal, "" without a machine."""
        if self.rates is None:
            return ""
        return "memory" if self.nbytes * self.rates[0] >= self.flops * self.rates[1] else "arithmetic"

    @property
    def time(self) -> Fraction | None:
        """Seconds, by product_time."""
        if self.rates is None:
            return None
        letters = {"C_matrix": self.flops, "D_matrix": self.nbytes, "F": self.rates[0], "W": self.rates[1]}
        return count(product_time, letters)


class Operations:
    """The operations of a decoding step, or of a prefill.

    Examples:
        >>> from symbolic_llm import Operations
        >>> step = Operations("llama-2-70b", "a100-80gb-sxm", context=4096, batch=256)
        >>> tuple(round(1000 * float(total.value), 1) for total in step.totals if total.key.endswith("time"))
        (235.9, 281.3, 281.3)

    Args:
        model: a preset's name, a config.json or its directory, or a `Model`.
        hardware: a machine; without one nothing is said of times.
        dtype: the number format of the arithmetic; if left out fp16, or bf16 on a device with a peak in that alone.
        weights: how the weights are stored; as the model's file says, else as `dtype`, if left out.
        cache: how the KV cache is stored; as `dtype` if left out.
        context: tokens of each sequence in a decoding step.
        batch: sequences.
        prompt: tokens of each prompt, for a prefill in place of a decoding step, as servers do it: no masked scores,
            and logits of the last position alone.
        devices: number of devices that share the model; the operations are then those of one device, in the mean, and
            of stages together.
        tensor: devices that share every layer; all of a stage if left out.
        pipeline: stages that share the blocks; 1 if left out.

    Attributes:
        lines: the operations, in the order in which they are done.
        totals: what formulas say of the whole pass.

    Raises:
        ConditionViolated: for a model whose pass no formula times.
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
        prompt: int | str | None = None,
        devices: int | str | None = None,
        tensor: int | str | None = None,
        pipeline: int | str | None = None,
    ) -> None:
        self.model = presets.model(model)
        self.hardware = presets.hardware(hardware) if hardware is not None else None
        self.instead = presets.stands_in(dtype, [self.hardware])
        dtype = presets.arithmetic_in(dtype, self.hardware)
        self.presets = presets.Presets(self.model, self.hardware, dtype, weights, cache)
        self.decodes = prompt is None
        name, tokens = ("context", context) if prompt is None else ("prompt", prompt)
        self.tokens = int(read_option(name, tokens))
        self.batch = int(read_option("batch", batch))
        self.split = device_splits.split(self.model, devices, tensor, pipeline)
        refuse_uncounted(self._times[0], self.presets)  # refuses models whose whole pass it does not time
        together = 1 if self.split is None else self.split.tensor
        self.lines = [self._line(operation) for operation in operations(self.model, self._pass, together)]
        self.totals = list(self._totals())

    @property
    def _products(self) -> Formula | None:
        """Formula for the operations of all products of the pass; None where there is none for a device."""
        if self.split is not None:
            return None if self.decodes else prefill_flops_per_device
        return decode_product_flops if self.decodes else prefill_product_flops

    @property
    def _times(self) -> tuple[Formula, ...]:
        """Formulas for the time of the pass: if all overlap, and if attention is apart."""
        laws = TIMES["step" if self.decodes else "prefill"]
        return tuple(formula_of(law[self.split is not None]) for law in laws)

    @cached_property
    def _at(self) -> dict[str, Fraction]:
        at = {"N": Fraction(self.tokens), "B": Fraction(self.batch)}
        return at if self.split is None else {**at, **self.split.letters, "B": self.split.each(self.batch)}

    @cached_property
    def _pass(self) -> Pass:
        at, used = self._at, Fraction(1)
        if Trait.EXPERTS in self.model.traits:
            formula, letters = (distinct_experts, {"B": at["B"]}) if self.decodes else (prefill_distinct_experts, at)
            used = self._value(formula, {name: letters[name] for name in ("B", "N") if name in letters})
        if not self.decodes:
            return Pass(at["B"], at["N"], at["N"], used, decodes=False)
        return Pass(at["B"], Fraction(1), at["N"], used)

    def _value(self, formula: Formula, letters: Mapping[str, Fraction]) -> Fraction:
        return Fraction(explain_formula(formula, letters, self.presets).exact)

    @cached_property
    def _rates(self) -> tuple[Fraction, Fraction] | None:
        """F and W; None where the machine lacks one of them."""
        flops, bandwidth = given(self.presets, F), given(self.presets, W)
        return (flops, bandwidth) if flops is not None and bandwidth is not None else None

    @cached_property
    def _widths(self) -> dict[str, Fraction]:
        """The bytes of a weight by place, where the file says."""
        return dict(self.presets.heard.widths) if self.presets.heard is not None else {}

    def _line(self, operation: Operation) -> Line:
        stored = self._widths.get(operation.place)
        nbytes = sum(
            (number * (stored or self._bytes_of(name)) for name, number in operation.numbers.items()), Fraction(0)
        )
        return Line(operation.name, operation.flops, nbytes, self._rates)

    def _bytes_of(self, width: str) -> Fraction:
        """The value of the letter for the bytes of a number."""
        if (found := given(self.presets, named(width))) is None:
            raise Underdetermined(
                f"the operations of a pass need a number format: give {option('dtype', '=')}, or "
                f"{option('weights', '=')} and {option('cache', '=')}."
            )
        return found

    def _totals(self) -> Iterator[Row]:
        whole, parts = self._times
        if self._products is not None:
            yield self._total("all matrix products", "flops", self._products, FLOP)
        if self.hardware is None:
            return
        alone = self.split is None
        held = self._total(
            "memory needed: weights and cache", "held", footprint if alone else footprint_per_device, BYTE
        )
        into = unfit(held.value, self.presets, 1 if self.split is None else self.split.pipeline)
        yield replace(held, note=held.note or does_not(into))
        yield self._total("ridge point", "ridge_point", ridge_point, INTENSITY, machine=True)
        sent = [*self._sent()]
        yield from sent
        times = (
            self._total("time if everything overlaps", "whole_time", whole, SECOND),
            self._total("time part by part: matrices, then attention", "separate_time", parts, SECOND),
        )
        hops = [one for one in sent if one.key == "hops_time"]
        yield from (self._added(one, hops) for one in times)
        yield self._added(self._one_by_one(), sent)

    def _sent(self) -> Iterator[Row]:
        """Rows with the times of what the devices that share a model send each other."""
        if self.split is None:
            return
        tokens = self._at["B"] * (1 if self.decodes else self._at["N"])
        letters = {**self.split.letters, "B": tokens}
        if self.split.tensor > 1:
            yield self._total("time of all-reduces", "all_reduce_time", all_reduce_time, SECOND, letters)
        if self.split.pipeline > 1:
            hop = self._total("time between stages", "hops_time", hop_time, SECOND, {"B": tokens})
            hops = self.split.pipeline - 1
            yield (
                hop if hop.value is None else replace(hop, value=hops * hop.value, note=f"× {hops}" if hops > 1 else "")
            )

    @staticmethod
    def _added(time: Row, sent: list[Row]) -> Row:
        """The row of a time with what is sent beside it, or with the reason why that is not known."""
        if time.value is None or not sent:
            return time
        if unknown := next((one for one in sent if one.value is None), None):
            return replace(time, value=None, note=unknown.note)
        each = [one.value for one in sent if one.value is not None]
        return replace(time, value=time.value + sum(each), note=f"with {listed(one.formula for one in sent)}")

    def _one_by_one(self) -> Row:
        """The time of all operations, one after the other; at least that of reading or arithmetic, if one is known."""
        label, key, formula = "time of one operation after the other", "operations_time", product_time.name
        known = {symbol: value for symbol in (F, W) if (value := given(self.presets, symbol)) is not None}
        if self._each is not None:
            return Row("", label, key, self._each, SECOND, formula)
        work = {F: self._sum.flops, W: self._sum.nbytes}
        said = "".join(f"≥ {humanize(work[symbol] / rate, SECOND)}" for symbol, rate in known.items())
        note = lacks([symbol.name for symbol in (F, W) if symbol not in known], self.presets)
        return Row("", label, key, None, SECOND, formula, note=note, bound=said)

    def _total(
        self,
        label: str,
        key: str,
        formula: Formula,
        unit: Unit,
        letters: Mapping[str, Fraction] | None = None,
        *,
        machine: bool = False,
    ) -> Row:
        at: Mapping[str, Fraction] = {} if machine else self._at if letters is None else letters
        try:
            value = self._value(formula, at)
        except (ConditionViolated, NoSolution, Underdetermined) as reason:
            found = bound(formula, at, self.presets)
            said = "" if found is None else f"{found.sign} {humanize(found.value, unit)}"
            return Row("", label, key, None, unit, formula.name, note=_unprefixed(formula, reason), bound=said)
        return Row("", label, key, value, unit, formula.name)

    # How they are shown

    @property
    def _title(self) -> str:
        batch = int(self._at["B"])
        load = f"batch {batch:,} at context {self.tokens:,}"
        kind = f"a decoding step, {load}" if self.decodes else f"a prefill of {batch:,} × {self.tokens:,} tokens"
        if self.split is not None:
            kind = f"{kind}, on {self.split.in_a_group}: operations of one of them"
            kind += ", all stages together" if self.split.pipeline > 1 else ""
        machine = f" on {self.hardware.title}" if self.hardware else ""
        node = "" if self.split is None else self.split.beyond_a_node(self.hardware)
        return f"{self.model.title}{machine}: {kind}; " + "; ".join(
            filter(None, (self.presets.foreign, self.presets.formats, self.instead, node))
        )

    def _cells(self) -> list[tuple[str, ...]]:
        head: tuple[str, ...] = ("operation", "operations", "bytes read", "FLOP/byte", "binds", "time")
        lines = [*self.lines, self._sum]
        rows = [
            (
                line.name,
                humanize(line.flops, FLOP),
                humanize(line.nbytes, BYTE),
                humanize(line.intensity, ONE),
                line.binds if line is not self._sum else "",
                "" if time is None else humanize(time, SECOND),
            )
            for line, time in ((line, self._each if line is self._sum else line.time) for line in lines)
        ]
        return [row if self._rates else row[:4] for row in (head, *rows)]

    @cached_property
    def _sum(self) -> Line:
        """Sum of all operations, for the last row."""
        flops, nbytes = (sum((getattr(x, of) for x in self.lines), Fraction(0)) for of in ("flops", "nbytes"))
        return Line("sum", flops, nbytes, self._rates)

    @cached_property
    def _each(self) -> Fraction | None:
        """Seconds of all operations, one after the other; None without a machine."""
        times = [line.time for line in self.lines]
        return None if None in times else sum((time for time in times if time is not None), Fraction(0))

    def _told(self) -> Iterator[tuple[str, str, str]]:
        """Label, value, and formula with note of each total."""
        for total in self.totals:
            yield total.label, total.shown(), "; ".join(filter(None, (total.formula, total.note)))

    def __repr__(self) -> str:
        totals = [(f"  {label}", *others) for label, *others in self._told()]
        beyond = self.model.beyond(self.tokens)
        lines = [
            self._title,
            *([beyond] if beyond else []),
            "",
            *aligned(self._cells(), (0, 4)),
            "",
            *aligned(totals, (0, 2)),
            "",
        ]
        return "\n".join([*lines, *(fill(one, _WIDTH) for one in _limits(self.model))])

    def _repr_html_(self) -> str:
        from ..expressions.html import paragraph, table, words

        head, *rows = [tuple(map(words, row)) for row in self._cells()]
        totals = [tuple(map(words, cells)) for cells in self._told()]
        said = "; ".join(filter(None, (self._title, self.model.beyond(self.tokens))))
        return paragraph(words(said)) + table(head, rows) + table(("", "", "by"), totals)

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON: the operations with a dictionary each, their sum, and the totals by key."""
        listed = [
            {
                "operation": line.name,
                **_counted(line),
                **told(line, "intensity"),
                "binds": line.binds or None,
                **told(line, "time"),
            }
            for line in self.lines
        ]
        totals = {total.key: told(total, "value", "unit", "formula", "note", "bound") for total in self.totals}
        load: dict[str, Any] = {"batch": self.batch, "context" if self.decodes else "prompt": self.tokens}
        load |= {} if self.split is None else {"devices": {**vars(self.split)}}
        return {"model": self.model.name, **load, "operations": listed, "sum": _counted(self._sum), "totals": totals}


def _counted(line: Line) -> dict[str, int | float]:
    return {"flops": number(line.flops), "bytes": number(line.nbytes)}


def _unprefixed(formula: Formula, reason: Exception) -> str:
    """A refusal, without the name of its formula, which stands beside it."""
    return str(reason).removesuffix(".").removeprefix(f"{formula.name} ")


def _limits(model: Model) -> Iterator[str]:
    """Sentences on what is counted of a pass, and on what is left out."""
    has_states, picks = bool(BLOCK_LETTERS & model.letters.keys()), Trait.PICKED in model.traits
    if has_states:
        states = "states, and the last inputs of their convolutions," if "n_state" in model.letters else ""
        yield f"{_COUNTED}; {states or 'the last inputs of convolutions'} are written back too."
    out = ["norms", "softmax", "activations"]
    out += ["sums of convolutions"] * has_states + ["the comparisons that find what is picked"] * picks
    said = f"{listed([*out, 'all other stores' if has_states else 'stores to memory'])} are left out."
    yield said.capitalize() if has_states else f"{_COUNTED}; {said}"
