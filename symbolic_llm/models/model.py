"""A model: the parts that its weights are in, and what a pass does with them

Each part names the formula that counts it, so every number of a model can be opened with `explain`. A model's totals
are sums over its parts; nothing is counted twice or by another formula.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..architecture import AXES, Trait, Traits
from ..errors import InvalidModel, listed
from ..expressions.exact import exact
from ..files import path_of
from ..formula import Formula
from ..frozen_dict import Fixed
from ..notation import (
    LETTERS,
    C_prefill,
    C_prompt,
    C_prompt_device,
    D_step,
    D_weights,
    P,
    P_active,
    P_held,
    P_read,
    P_total,
    a,
    m_token,
    named,
)
from ..stored_formulas import stored_formulas
from ..units import WEIGHT
from .attention import kind_of
from .attention.kind import AttentionKind
from .cache_kind import telling
from .device_weights import DEALT, OF_CHUNKS, deals_vectors
from .formula_table import EXACT, OF_PROMPTS, chosen, suiting
from .notebook_view import html
from .offloading import layers, of_layers, speaks_of_layers
from .own_formulas import of_prompts, with_own
from .part import Part, count
from .recurrent import BLOCK_LETTERS
from .stored_formats import Stored
from .sums import addend_of, bytes_by_part, summed


@dataclass(frozen=True)
class Model:
    """A decoder as its config.json describes it.

    Attributes:
        name: a preset's name, or the path of the file.
        title: what people call it.
        family: the `model_type` of the config.
        letters: shapes by letter name; where blocks differ, those of the blocks that are most.
        parts: where its weights are.
        sources: where its config is from.
        nominal: the round figure its name stands for; 0 where it has none.
        context_limit: the longest context that its makers state; None where they state none.
        is_text_part: whether it is part of a model that also sees or hears; the rest of that is counted nowhere.
        stored: the number formats of its file; None where that says nothing of them.
    """

    name: str
    title: str
    family: str
    letters: Mapping[str, int] = field(hash=False)
    parts: tuple[Part, ...]
    sources: tuple[str, ...] = ()
    nominal: int = 0
    context_limit: int | None = None
    is_text_part: bool = False
    stored: Stored | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", Fixed(self.letters))  # a preset is kept, and all share it

    @classmethod
    def from_config(cls, source: str | os.PathLike[str] | Mapping[str, Any]) -> Model:
        """Read a Hugging Face config.json.

        Args:
            source: a path of the file or of the directory it is in, or the fields as a dictionary.

        Raises:
            InvalidModel: with one sentence that names the field that is missing, absurd or unknown.
        """
        from .config import read
        from .families import build

        if not isinstance(source, str | os.PathLike | Mapping):
            raise InvalidModel(f"a config must be a path or the fields of a config.json, not {type(source).__name__}.")
        name = "config" if isinstance(source, Mapping) else path_of(source, InvalidModel)
        return cls(name, name, **build(read(source)))

    @classmethod
    def from_hub(cls, name: str, revision: str | None = None) -> Model:
        """Read a model of the Hugging Face Hub: its config.json and the headers of its safetensors files.

        Args:
            name: of the repository, such as "Qwen/Qwen3-32B".
            revision: a branch, a tag or a commit; the main branch if left out.

        Raises:
            InvalidModel: with one sentence that says why there is none.
            MissingDependency: huggingface-hub is not installed.
        """
        from .hub import from_hub

        return from_hub(cls, name, revision)

    def _repr_html_(self) -> str:
        return html(self)

    @property
    def kind(self) -> str:
        """Name of its family, after "text part of" where the family also sees or hears."""
        return f"text part of {self.family}" if self.is_text_part else self.family

    @property
    def window(self) -> int | None:
        """Tokens that a block with a window attends to; None where no block has one."""
        return self.letters.get("n_window")

    @cached_property
    def attention(self) -> AttentionKind:
        """The kind of attention that it has."""
        return kind_of(self.letters)

    @property
    def n_windowed(self) -> int:
        """Blocks that attend to a window only."""
        if self.window is None:
            return 0
        others = sum(self.letters.get(name, 0) for name in self.attention.blocks)
        return self.letters.get("n_local", self.letters["n_blocks"] - others)

    @cached_property
    def traits(self) -> Traits:
        """Traits that tell it from others: experts, windows, latent attention, heads of two kinds, an index, runs."""
        windows = Trait.FULL if self.window is None else Trait.MIXED if self.letters.get("n_global") else Trait.WINDOWED
        own = (trait for letter, trait in self.attention.traits if self.letters.get(letter))
        has_states = BLOCK_LETTERS & self.letters.keys()
        found = (
            Trait.EXPERTS if self.letters.get("n_experts") else Trait.DENSE,
            *(Trait.HYBRID if has_states else windows, Trait.GROUPED),
            *own,
        )
        # of each axis the last one tells most
        return frozenset(next(trait for trait in reversed(found) if trait in axis) for axis in AXES)

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas that it picks, one for each quantity that architectures compute differently, and its sums.

        Prompts are as servers read them, whose kernels skip what is masked.
        """
        prompts = self.of_prompts(causal=True)
        found = with_own(chosen(self.traits), self.kept)
        return (*(formula for formula in found if formula.quantity not in prompts), *prompts.values())

    def of_prompts(self, *, causal: bool) -> dict[Any, Formula]:
        """Formulas for the operations of a prompt's token with others, by letter: in all, and on a device.

        Args:
            causal: whether kernels skip what is masked, or every token meets every other.
        """
        if causal:
            found = of_prompts(suiting(OF_PROMPTS, self.traits), self.kept)
        else:
            found = with_own(chosen(self.traits), self.kept)
        return {formula.quantity: formula for formula in found if formula.quantity in (C_prompt, C_prompt_device)}

    @cached_property
    def of_devices(self) -> tuple[Formula, ...]:
        """Formulas for what one of several devices has of the model, as sums over its parts."""
        if (stored := stored_formulas("shares", self.name)) is not None:
            return stored
        from .device_share import of_model

        return of_model(self.name, self.distinct_parts())

    def formulas_for(self, formula: Formula) -> tuple[Formula, ...]:
        """Formulas that the model picks for the letters that a formula depends on.

        Those for devices that share the model, for layers in a second memory, for exact counts and for mixed steps are
        added only where needed.
        """
        is_dealt = any(one.quantity in DEALT for one in (formula, *formula.closure()))
        found = (*self.formulas, *self.of_devices) if is_dealt else self.formulas
        if speaks_of_layers(formula):
            found = (*found, *self.of_layers({}))
        if self.counted_as and formula.quantity == C_prefill:
            found = (*found, EXACT[self.counted_as])
        return (*found, *self._mixed) if formula.of_parts and formula.quantity in OF_CHUNKS else found

    @cached_property
    def _mixed(self) -> tuple[Formula, ...]:
        """Formulas for what a chunk of a prompt beside a decoding step meets, moves and reads."""
        from .mixed_steps import sums_of_mixed

        return sums_of_mixed(self.kept, self._by_letter[D_weights], self._by_letter[P_read])

    def of_layers(self, widths: Mapping[str, Fraction]) -> tuple[Formula, ...]:
        """Formulas for layers that can lie in a second memory; none where the model has none that are alike.

        Args:
            widths: places of parts with the bytes of a weight, where a file has several formats; else none.
        """
        if not widths and (stored := stored_formulas("layers", self.name)) is not None:
            return stored
        routed = Trait.EXPERTS in self.traits
        return of_layers(self.name, layers(self.distinct_parts("place"), self.letters, widths), routed=routed)

    @cached_property
    def kept(self) -> frozenset[str]:
        """The letters that tell what its blocks keep of a sequence."""
        return telling(self.letters)

    def formula_for(self, letter: Any) -> Formula:
        """The formula that it picks for a letter, or its own sum over its parts; `KeyError` where it has none."""
        return self._among(letter)[letter]

    def picked(self, letter: Any) -> Formula | None:
        """Formula that it picks for a letter, or its own sum over its parts; None where nothing counts it yet."""
        return self._among(letter).get(letter)

    def _among(self, letter: Any) -> Mapping[Any, Formula]:
        if letter in DEALT:
            return self._of_devices
        if letter in OF_CHUNKS and letter not in self._by_letter:
            from .mixed_steps import LAWS

            return LAWS
        return self._by_letter

    @cached_property
    def _of_devices(self) -> dict[Any, Formula]:
        return {formula.quantity: formula for formula in self.of_devices}

    @cached_property
    def _by_letter(self) -> dict[Any, Formula]:
        sums = (
            (P_total, "Weights of the model", "stored"),
            (P, "Weights that a token is multiplied with", "multiplied"),
            (P_active, "Weights that a token makes use of", "used"),
        )
        own = {}
        for letter, title, by in sums:
            if (stored := stored_formulas("sum", self.name, letter.name)) is not None:
                (own[letter],) = stored
                continue
            counted = [addend_of(part, copies) for part in self.distinct_parts() if (copies := getattr(part, by))]
            own[letter] = summed(self.name, letter, title, counted)
        return own | {formula.quantity: formula for formula in self.formulas}

    def bytes_of_parts(self, stored: Stored) -> tuple[Formula, ...]:
        """Formulas for the bytes of weights that a pass reads in these formats; none where some format is not known."""
        if stored not in self._bytes:
            widths = dict(stored.widths)
            parts = [(part, widths[part.place]) for part in self.distinct_parts("place") if part.place in widths]
            known = {part.place for part in self.parts if part.multiplied} <= widths.keys()
            read = bytes_by_part(self.name, parts, self.letters.get("n_active", 1)) if known else ()
            self._bytes[stored] = (*read, *self.of_layers(widths)) if known else ()
        return self._bytes[stored]

    def bytes_on_devices(self, stored: Stored) -> tuple[Formula, ...]:
        """The formula for the mean bytes of a weight that a device holds; none where some format is not known."""
        widths = dict(stored.widths)
        if stored not in self._bytes_held and {part.place for part in self.parts} <= widths.keys():
            from .device_share import bytes_held

            parts = [(part, widths[part.place]) for part in self.distinct_parts("place")]
            self._bytes_held[stored] = (bytes_held(self.name, parts, self._of_devices[P_held]),)
        return self._bytes_held.get(stored, ())

    @cached_property
    def _bytes(self) -> dict[Stored, tuple[Formula, ...]]:
        return {}

    @cached_property
    def _bytes_held(self) -> dict[Stored, tuple[Formula, ...]]:
        return {}

    def bytes_stored(self, stored: Stored | None) -> Fraction | None:
        """The mean bytes of a weight in some formats; None where they are not known."""
        if stored is None or stored.n_bytes is None:
            return None
        return stored.n_bytes / self.parameters

    def bytes_read(self, stored: Stored | None) -> Fraction | None:
        """The mean bytes of a weight that a pass reads, in some formats; None where it depends on the batch.

        It does with experts. It is also None where the formats of the parts are not known.
        """
        if stored is None or stored.of_token is None or Trait.EXPERTS in self.traits:
            return None
        return stored.of_token / self.multiplied_parameters

    def renamed_in(self, formula: Formula) -> Mapping[str, str]:
        """Names in the model of a formula's letters, where they differ, by the part with the fewest of them."""
        named = [part.renamed for part in self.parts if part.formula is formula]
        return min(named, key=len, default={})

    def others(self, part: Part) -> dict[str, Fraction]:
        """Values of a part's letters that go by another name in the model, to be given beside the model's letters."""
        named = {**self.renamed_in(part.formula), **part.renamed}
        return {name: Fraction(part.letters[name]) for name in named}

    def uncounted(self, formula: Formula) -> str:
        """Reason why a formula for weights does not count parts of this model; "" if there is none.

        The reason names what counts them instead. A formula counts a part if the model lists it, if it gives the same
        number for the model's shapes, or if it is a sum of formulas that do.
        """
        quantity = formula.quantity
        if quantity == P_held and not formula.of_parts and deals_vectors(self.parts):
            return f"biases, sinks and norms of heads are split with their matrices; use the model's own sum {quantity}"
        if quantity == D_step and "d_block" in self.letters:
            return f"it counts one row of one embedding for a token, and in {self.name} each block looks up another one"
        if quantity is None or LETTERS[quantity].unit != WEIGHT or LETTERS[quantity].varies:
            return ""
        if quantity in self._by_letter or self._counts_a_part(formula):
            return ""
        kinds = {quantity, *(one.quantity for one in self._weights_used(formula))}
        there = list(dict.fromkeys(part.formula.name for part in self.parts if part.formula.quantity in kinds))
        instead = f"; use {listed(there)}" if there else ""
        return f"it counts no part of {self.name}{instead}"

    def _counts_a_part(self, formula: Formula) -> bool:
        if any(formula is one or formula in one.closure() for one in (part.formula for part in self.parts)):
            return True
        alike = {part.each for part in self.parts if part.formula.quantity == formula.quantity}
        known = {symbol.name for symbol in formula.rhs.free_symbols} <= self.letters.keys()
        if known and count(formula, self.letters) in alike:
            return True
        used = self._weights_used(formula)
        return not alike and bool(used) and all(map(self._counts_a_part, used))

    @staticmethod
    def _weights_used(formula: Formula) -> list[Formula]:
        """Formulas for weights that a formula uses; for a sum, those that it adds up."""
        return [one for one in formula.uses if one.quantity is not None and LETTERS[one.quantity].unit == WEIGHT]

    def distinct_parts(self, by: str = "kind") -> tuple[Part, ...]:
        """Parts of the model, with those of one kind, or one place, that one formula counts alike taken together."""
        found: dict[tuple[Any, ...], Part] = {}
        for part in self.parts:
            key = (getattr(part, by), part.formula, tuple(part.letters.items()), tuple(part.renamed.items()))
            if key in found:
                part = part.together_with(found[key])
            found[key] = part
        return tuple(found.values())

    def named_parts(self) -> tuple[tuple[str, Part], ...]:
        """Distinct parts, each with a name: its kind, with its formula or width where several are of that kind.

        >>> from symbolic_llm import presets
        >>> [name for name, _ in presets.model("deepseek-v2-lite").named_parts()][2:5]
        ['attention: latent key value', 'norms of width d_latent', 'attention: full query']
        """
        parts = self.distinct_parts()
        kinds = [part.kind for part in parts]

        def name(part: Part) -> str:
            if kinds.count(part.kind) == 1:
                return part.kind
            if part.formula.name == "vector_parameters":
                return f"{part.kind} of width {part.width}"
            formula = part.formula.name.removesuffix("_parameters").replace("_", " ")
            letters = f" ({', '.join(dict.fromkeys(part.renamed.values()))})" if part.renamed else ""
            return f"{part.kind}{letters}" if formula in part.kind else f"{part.kind}: {formula}{letters}"

        return tuple((name(part), part) for part in parts)

    @property
    def counted_as(self) -> str:
        """The family whose formulas count all operations of this model, matrices and everything else; "" if none do."""
        families = {"llama": "llama", "mistral": "llama", "qwen3": "qwen3", "gpt2": "gpt2", "mixtral": "mixtral"}
        # of the exact counts only GPT-2's has additions of biases, so with biases another family has none
        biased = any(part.kind == "biases" for part in self.parts)
        family = families.get(self.family, "")
        return family if biased == (family == "gpt2") and Trait.FULL in self.traits else ""

    def beyond(self, context: int) -> str:
        """Remark that a context is longer than the model was made for; "" for any other context."""
        limit = self.context_limit
        if limit is None or context <= limit:
            return ""
        return f"{context:,} tokens exceed the context limit of {self.title}, {limit:,} tokens"

    def _sum(self, copies: str, kinds: Iterable[str] = ()) -> int:
        wanted = set(kinds)
        return sum(part.each * getattr(part, copies) for part in self.parts if not wanted or part.kind in wanted)

    @property
    def parameters(self) -> int:
        """Weights that are stored: `P_total`. An output matrix that is the embedding counts once."""
        return self._sum("stored")

    @property
    def multiplied_parameters(self) -> int:
        """Weights that a token is multiplied with: `P`."""
        return self._sum("multiplied")

    @property
    def active_parameters(self) -> int:
        """Weights that a token makes use of: all but the experts that it is not sent to."""
        return self._sum("used")

    @property
    def output_parameters(self) -> int:
        """Weights of the matrix that makes logits, its embedding or one of its own: `P_embedding`."""
        # a tied embedding is multiplied; beside an output matrix of its own it is only looked up
        return next(part.each for part in self.parts if part.kind in ("output", "embedding") and part.multiplied)

    @property
    def vocabulary_parameters(self) -> int:
        """Weights of embedding and output matrix, once where they are one: what model files keep in more bits."""
        return self._sum("stored", ("embedding", "output"))

    def parameters_by_kind(self) -> dict[str, int]:
        """Weights that are stored, by kind."""
        return {kind: self._sum("stored", [kind]) for kind in dict.fromkeys(part.kind for part in self.parts)}

    def kv_bytes_per_token(self, n_bytes_kv: int | Fraction = 2) -> Fraction:
        """Bytes that one token holds in the KV cache, windowed blocks and keys of indexes included: `m_token`."""
        return self._counted(m_token, {**self.letters, "n_bytes_kv": n_bytes_kv})

    @property
    def attention_flops_per_context_token(self) -> int:
        """FLOPs of a new token's attention for each token of its context: `a`."""
        return int(self._counted(a, self.letters))

    def _counted(self, letter: Any, letters: Mapping[str, int | Fraction]) -> Fraction:
        """Value of a letter from shapes alone; letters that its formula adds up are written out."""
        formula = self.formula_for(letter)
        values = {named(name): Fraction(value) for name, value in letters.items()}
        return Fraction(exact(formula.unfold(formula.rhs), values))
