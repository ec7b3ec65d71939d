"""A report on one model: questions to the catalogue, row by row"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..answers.explanation import Explanation, explain_formula, unit_in
from ..answers.one_sided import bound
from ..api import formula_of
from ..errors import ConditionViolated, NoSolution, Underdetermined
from ..formula import Formula
from ..models import Model
from ..models.formula_table import PREFILLS
from ..notation import C_prompt, C_prompt_device
from ..presets import Presets
from ..units import ONE, SEQUENCE, TOKEN, humanize
from .device_questions import TIMES, why_not
from .rows import Row

if TYPE_CHECKING:
    from .device_splits import Split

Letters = Mapping[str, Fraction]


class Report:
    """A report on one model: the model, the presets, and the load that it is made for.

    Attributes:
        model: the model.
        presets: what letters take their values from.
        context: tokens of each sequence.
        batch: sequences.
        prefill: which convention counts the FLOPs of a prompt.
        overlap: whether all of a pass overlaps, which is a bound; else matrices and attention follow each other.
        split: how devices share the model; None for one device.
    """

    model: Model
    presets: Presets
    context: int
    batch: int
    prefill: str
    overlap: bool
    split: Split | None = None

    def law(self, of: str, *, by_parts: bool | None = None) -> str:
        """Name of the formula, or of the letter, for the time of a pass of `TIMES`; by the law that is asked for."""
        return TIMES[of][not self.overlap if by_parts is None else by_parts][self.split is not None]

    @property
    def at(self) -> dict[str, Fraction]:
        """Context and batch as letters."""
        return {"N": Fraction(self.context), "B": Fraction(self.batch)}

    @property
    def shared(self) -> dict[str, Fraction]:
        """The letters of devices that share every layer; none where one device has the model."""
        return {} if self.split is None else self.split.letters

    @property
    def served(self) -> dict[str, Fraction]:
        """Context and batch as letters of those that serve it: of a group of devices, with its part of the batch."""
        return self.at if self.split is None else {**self.at, **self.shared, "B": self.split.each(self.batch)}

    def with_hops(self, law: str) -> str:
        """Words for what gives the time of a pass: a law, and what sends it from stage to stage."""
        staged = self.split is not None and self.split.pipeline > 1
        return f"{law} with hop_time between stages" if staged else law

    def handed_on(self, tokens: Fraction) -> Fraction | str:
        """Seconds in which a pass of so many tokens is sent from stage to stage, or why that is not known."""
        if self.split is None or self.split.pipeline == 1:
            return Fraction(0)
        hop = self.explained("hop_time", {"B": tokens})
        return hop if isinstance(hop, str) else (self.split.pipeline - 1) * Fraction(hop.exact)

    def counted(self, prompts: Letters) -> dict[str, Fraction]:
        """Letters for prompts, with those that the way to count them gives other values than the model's formulas do.

        Args:
            prompts: N, what else a row gives, and n_tensor where devices share the model.
        """
        way, found = PREFILLS[self.prefill], dict(prompts)
        if not way.causal:
            by = self.model.of_prompts(causal=False)
            # devices have equal shares of it, or a model has sums of its own for both
            own = by[C_prompt_device] if "n_tensor" in prompts and by[C_prompt_device].of_parts else by[C_prompt]
            needed = {name: prompts[name] for name in ("N", "n_tensor")[: 1 if own is by[C_prompt] else 2]}
            if isinstance(met := self.explained(own, needed), Explanation):
                found[str(own.quantity)] = Fraction(met.exact)
        return found if way.last else found | {"N_logits": prompts["N"]}

    def by_both_laws(self, whole: Row, parts: Row) -> tuple[Row, Row]:
        """The rows of a time by both laws: the one that is asked for, then the other, set in below it."""
        if self.overlap:
            return whole, replace(parts, label=f"  {parts.label}, part by part")
        return parts, replace(whole, label=f"  {whole.label}, if all of it overlaps")

    def of(self, what: Formula | str) -> Formula:
        """The formula that the model picks for what this one counts; itself, with its reason, where it has none."""
        formula = formula_of(what)
        found = self.model.picked(formula.quantity)
        return formula if found is None else found

    def explained(
        self, what: Formula | str, letters: Letters | None = None, of: Presets | None = None
    ) -> Explanation | str:
        """The explanation, with presets of its own if there are any, or the sentence that says why there is none."""
        formula = formula_of(what)
        try:
            return explain_formula(formula, letters or {}, of or self.presets)
        except (ConditionViolated, NoSolution, Underdetermined) as reason:
            return why_not(reason).removeprefix(f"{formula.name} ")

    def _bound(self, formula: Formula, letters: Letters) -> str:
        """The bound on a figure without a value, as "≥ 3.871 ms"; "" where that is not known either."""
        found = bound(formula, letters, self.presets)
        return "" if found is None else f"{found.sign} {humanize(found.value, unit_in(formula, formula.quantity), 4)}"

    def row(
        self,
        section: str,
        label: str,
        key: str,
        what: Formula | str,
        letters: Letters | None = None,
        *,
        note: str = "",
    ) -> Row:
        """Row with the figure of a formula for the report's presets and these letters, or with the reason for none."""
        formula = formula_of(what)
        found, given = self.explained(formula, letters), letters or {}
        if isinstance(found, str):
            bounded = self._bound(formula, given)
            return Row(section, label, key, None, ONE, formula.name, given, found, bound=bounded)
        unit = TOKEN if found.unit == TOKEN / SEQUENCE else found.unit
        return Row(section, label, key, Fraction(found.exact), unit, formula.name, given, note)
