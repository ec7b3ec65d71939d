"""A plan: on which devices, and on how many, a model serves requests of one kind within its targets

Nothing is computed here. Every number is what `evaluate` gives for the name that stands with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from shlex import quote
from typing import Any

from .. import presets
from ..errors import InvalidValue, Underdetermined
from ..expressions.arithmetic import number
from ..notation import LETTERS, N, T_target
from ..notation import price as price_letter
from ..presets.parse_value import read_option
from ..units import humanize, parse_unit
from . import device_splits
from .device_questions import NO_ANSWER, Asked, Figure, figure, why_not
from .rows import aligned

_MOST_DEVICES = 64
_MILLION = parse_unit("$/Mtoken")
# The formulas of throughput and cost are of decoding steps alone.
LEFT_OUT = "Tokens per second and cost count decoding alone; the time of prefills is left out."


@dataclass(frozen=True)
class Choice:
    """A kind of device in a plan: the figures of its service, or why it serves nobody.

    Attributes:
        hardware: its name.
        tensor: number of devices that share the model.
        refused: why it serves nobody; "" where it does.
        figures: the numbers, by what they are.
        limit: what keeps the batch from being larger: memory or the target.
        by: what takes the target's time, "reading" or "arithmetic"; "" for memory and for several devices.
        lacks: whether it is refused for a value that is missing, which more devices do not bring.
    """

    hardware: str
    tensor: int
    refused: str = ""
    figures: Mapping[str, Figure] | None = None
    limit: str = ""
    by: str = ""
    lacks: bool = False

    def __getitem__(self, what: str) -> Fraction:
        """The exact value of a figure."""
        assert self.figures is not None
        return self.figures[what].value

    @property
    def per_device(self) -> Fraction:
        """Tokens a second of one of the devices that share the model."""
        return self["throughput"] / self.tensor


class Plan:
    """A plan: the devices on which a model serves requests of one kind, the best first.

    Args:
        model: a preset's name, a config.json or its directory, or a `Model`.
        prompt: tokens of a prompt.
        output: tokens of an answer.
        tpot: time per output token that a decoding step may take, as "50 ms"; None for no target.
        ttft: time to first token that the prefill of one prompt may take; None for no target.
        devices: the most devices that may share the model.
        price: of one device, as "2.50 $/h"; without it nothing is said of cost, and tokens a second decide.
        hardware: the devices; all that are known by default.
        dtype: the number format of the arithmetic.
        weights: how weights are stored; as the model's file says, else as `dtype`, if left out.
        cache: how the KV cache is stored; as `dtype` if left out.

    Raises:
        SymbolicLLMError: for a model, device or value that is none, in one sentence.
    """

    def __init__(
        self,
        model: presets.ModelSource,
        *,
        prompt: int | str,
        output: int | str,
        tpot: object = None,
        ttft: object = None,
        devices: int | str = 8,
        price: object = None,
        hardware: tuple[presets.HardwareSource, ...] = (),
        dtype: str = "fp16",
        weights: str | None = None,
        cache: str | None = None,
    ) -> None:
        self.model = presets.model(model)
        self.prompt, self.output = (
            int(read_option(name, LETTERS[N], tokens)) for name, tokens in (("prompt", prompt), ("output", output))
        )
        self.tpot, self.ttft = (
            None if time is None else read_option(name, LETTERS[T_target], time)
            for name, time in (("tpot", tpot), ("ttft", ttft))
        )
        self.price = None if price is None else read_option("price", LETTERS[price_letter], price)
        self.devices = device_splits.whole_number("devices", devices, _MOST_DEVICES)
        self._formats = (dtype, weights, cache)
        several = hardware if isinstance(hardware, tuple | list) else (hardware,)
        every = [self._choice(one) for one in several or presets.names("hardware")]
        self.choices = sorted((one for one in every if not one.refused), key=lambda one: -one.per_device)
        self.refused = [one for one in every if one.refused]

    # One device

    def _choice(self, hardware: presets.HardwareSource) -> Choice:
        """The best way to share the model among devices of one kind, or why there is none."""
        device = presets.hardware(hardware)
        named = presets.Presets(self.model, device, *self._formats)
        best: Choice | None = None
        refused = Choice(device.name, 1)
        for tensor in self._tensors():
            if tensor > 1 and "W_link" not in named.letters[0]:
                return best or replace(
                    refused, refused=f"{refused.refused}, and no source states the speed of its link to another"
                )
            found = self._shared(Asked(self.model, device.name, named, tensor))
            if found.lacks:
                return best or found
            if found.refused:
                refused = found
            elif best is None or found.per_device > best.per_device:
                best = found
        return best or refused

    def _tensors(self) -> Iterator[int]:
        """1, 2, 4, … devices, as far as they can share the model evenly."""
        tensor = 1
        while tensor <= self.devices:
            try:
                device_splits.split(self.model, tensor, tensor, 1)
            except InvalidValue:
                return
            yield tensor
            tensor *= 2

    def _shared(self, asked: Asked) -> Choice:
        try:
            return self._served(asked)
        except NO_ANSWER as reason:
            why, _, _ = why_not(reason).partition("; give ")  # a plan takes no letters of machines
            return Choice(asked.hardware, asked.tensor, why, lacks=isinstance(reason, Underdetermined))

    def _served(self, asked: Asked) -> Choice:
        name, tensor, context = asked.hardware, asked.tensor, str(self.prompt + self.output)
        fits = asked.fits(N=context)
        if fits.value < 1:
            return Choice(name, tensor, f"not even one sequence fits beside the weights on {_several(tensor)}")
        first = asked.first(N=str(self.prompt), B="1")
        if self.ttft is not None and first.value > self.ttft:
            return Choice(name, tensor, f"the time to first token of a single prompt is {first} on {_several(tensor)}")

        batch, limit, by = asked.batch(context, fits, self.tpot)
        if batch.value == 0:
            alone = asked.step(N=context, B="1")
            return Choice(name, tensor, f"a decoding step for a single sequence takes {alone} on {_several(tensor)}")
        figures = {"fits": fits, "batch": batch, "step": asked.step(N=context, B=str(batch.value))}
        if limit != "memory":
            figures["step with one more"] = asked.step(N=context, B=str(batch.value + 1))
        figures["first token"] = first
        rate = batch.value / figures["step"].value
        figures["throughput"] = Figure(rate, parse_unit("token/s"), "", {})
        if self.price is not None:
            letters = {"price": f"{number(self.price * tensor * 3600)} $/h", "u": "1", "R": f"{number(rate)} token/s"}
            figures["cost"] = figure("cost_per_token", letters, presets.Presets())
        return Choice(name, tensor, figures=figures, limit=limit, by=by)

    # How it is shown

    def _head(self) -> list[str]:
        """Lines that say what was asked."""
        named = presets.Presets(self.model, None, *self._formats)
        targets = [f"{what} at most {humanize(t, LETTERS[T_target].unit)}" for what, t in self._targets()]
        return [
            ", ".join((f"{self.model.title}: prompts of {self.prompt:,} tokens, answers of {self.output:,}", *targets)),
            *filter(None, (named.foreign, named.formats)),
            f"at most {self.devices} devices share the model" if self.devices > 1 else "on one device",
            *filter(None, (self.model.beyond(self.prompt + self.output),)),
        ]

    def __repr__(self) -> str:
        lines = [*self._head(), ""]
        if self.choices:
            lines += aligned([_HEAD, *map(self._cells, self.choices)], words=(0, 3))
            lines += ["", LEFT_OUT, *self._opened()]
        if self.refused:
            width = max(len(one.hardware) for one in self.refused)
            lines += ["", "Not possible on:"] + [f"  {one.hardware:<{width}}  {one.refused}" for one in self.refused]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ..expressions.html import code, paragraph, table, words

        title, *others = [line.strip() for line in self._head()]
        parts = [paragraph(f"<strong>{words(title)}</strong>"), *(paragraph(words(line)) for line in others)]
        if self.choices:
            parts.append(table(_HEAD, [tuple(map(words, self._cells(one))) for one in self.choices]))
            parts.append(paragraph(words(LEFT_OUT)))
        if self.refused:
            rows = [(code(one.hardware), words(one.refused)) for one in self.refused]
            parts.append(table(("not possible on", "because"), rows))
        return "".join(parts)

    def _targets(self) -> Iterator[tuple[str, Fraction]]:
        for what, target in (("time per output token", self.tpot), ("time to first token", self.ttft)):
            if target is not None:
                yield what, target

    def _cells(self, one: Choice) -> tuple[str, ...]:
        assert one.figures is not None
        per_device = humanize(one.per_device, parse_unit("token/s"), 3)
        cost = f"{float(one['cost'] / _MILLION.scale):.3g} $" if "cost" in one.figures else ""
        return (
            one.hardware,
            str(one.tensor),
            f"{int(one['batch']):,}",
            one.by or one.limit,
            str(one.figures["step"]),
            str(one.figures["first token"]),
            per_device,
            cost,
        )

    def _opened(self) -> Iterator[str]:
        """Lines that say how to ask for each number of the first choice."""
        first = self.choices[0]
        assert first.figures is not None
        yield f"{first.hardware}: {self._reason(first)}"
        for what, one in first.figures.items():
            if one.formula:
                yield f"  {what}: {one}, by symbolic-llm explain {one.formula} {self._options(first, one)}"

    def _reason(self, one: Choice) -> str:
        """Reason why the batch is no larger."""
        assert one.figures is not None
        context = self.prompt + self.output
        if one.limit == "memory":
            fits = one.figures["fits"]
            return f"memory is the limit; {fits} of {context:,} tokens fit beside the weights"
        more = one.figures["step with one more"]
        by = f", because of {one.by}" if one.by else ""
        return f"the target is the limit{by}; with one more sequence a token takes {more}"

    def _options(self, one: Choice, figure: Figure) -> str:
        given = " ".join(f"{letter}={quote(value)}" for letter, value in figure.letters.items())
        if figure.formula == "cost_per_token":
            return given
        dtype, weights, cache = self._formats
        options = {
            "model": self.model.name,
            "hardware": one.hardware,
            "dtype": dtype,
            "weights": weights,
            "cache": cache,
        }
        return " ".join([given, *(f"--{kind} {quote(str(name))}" for kind, name in options.items() if name)])

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON: each number with its formula and the letters that the formula was given."""
        return {
            "model": self.model.name,
            "prompt": self.prompt,
            "output": self.output,
            "note": LEFT_OUT,
            "choices": [
                {
                    "hardware": one.hardware,
                    "devices": one.tensor,
                    "limit": one.limit,
                    "by": one.by or None,
                    "tokens_per_second_and_device": number(one.per_device),
                    "figures": {
                        what: {
                            "value": number(figure.value),
                            "unit": str(figure.unit),
                            "formula": figure.formula or None,
                            "letters": dict(figure.letters),
                        }
                        for what, figure in (one.figures or {}).items()
                    },
                }
                for one in self.choices
            ],
            "refused": {one.hardware: one.refused for one in self.refused},
        }


_HEAD = ("device", "number", "batch", "limit", "time per token", "first token", "per device", "cost per Mtoken")


def _several(tensor: int) -> str:
    return "one device" if tensor == 1 else f"{tensor} devices together"
