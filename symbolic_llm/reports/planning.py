"""A plan: on which devices, and on how many, a model serves requests of one kind within its targets

A device's time goes to the prompts, too, whose answers it decodes. Every number is what `evaluate` gives for the name
that stands with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from shlex import quote
from typing import Any

from .. import presets
from ..errors import InvalidValue, Underdetermined, known_name
from ..expressions.arithmetic import number
from ..presets.parse_value import read_option
from ..units import SECOND, humanize, parse_unit
from . import device_splits
from .device_questions import NO_ANSWER, Asked, Figure, figure, why_not
from .device_values import by_device
from .rows import aligned, told
from .server_load import APART, BY_PARTS, IN_TURN, LAWS, OVERLAPPING, WAYS, Load, Server, compared, read_rate
from .serving_rows import cached_tokens

_MOST_DEVICES = 64
_MILLION = parse_unit("$/Mtoken")


@dataclass(frozen=True)
class Choice:
    """A kind of device in a plan: the figures of its service, or why it serves nobody.

    Attributes:
        hardware: its name.
        tensor: number of devices that share the model.
        refused: why it serves nobody; "" where it does.
        figures: the numbers, by what they are.
        limit: what keeps the batch from being larger: memory or the target.
        by: what takes the target's time, "reading", "arithmetic" or "prompts"; "" for memory, and for the steps of
            several devices.
        servers: how many such groups of devices keep up with the requests of a second; 0 where no rate was given.
        lacks: whether it is refused for a value that is missing, which more devices do not bring.
    """

    hardware: str
    tensor: int
    refused: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    limit: str = ""
    by: str = ""
    servers: int = 0
    lacks: bool = False

    def __getitem__(self, what: str) -> Fraction:
        """The exact value of a figure."""
        return self.figures[what].value

    @property
    def per_device(self) -> Fraction:
        """Tokens a second of one of the devices that share the model."""
        return self["throughput"] / self.tensor

    @property
    def rank(self) -> tuple[bool, Fraction, Fraction]:
        """The lower, the better: cheapest tokens first where there is a price, else most tokens a second and device."""
        priced = self.figures.get("cost")
        return priced is None, priced.value if priced else Fraction(0), -self.per_device


class Plan:
    """A plan: the devices on which a model serves requests of one kind, the best first.

    Args:
        model: a preset's name, a config.json or its directory, or a `Model`.
        prompt: tokens of a prompt.
        output: tokens of an answer.
        tpot: time per output token that is allowed, as "50 ms"; None for no target. With prompts in turn it is the
            mean, with the prompts that come in between.
        ttft: time to first token that the prefill of one prompt may take; None for no target.
        devices: the most devices that may share the model.
        price: of one device, as "2.50 $/h", or by kind of device, as "h100-sxm=2.50, l40s=0.90" or a mapping, in
            dollars an hour; where there is none nothing is said of cost, and tokens a second decide.
        power: of one device while it works, in the same two ways, as "700 W"; without it nothing is said of energy.
        cached: tokens at the beginning of each prompt whose keys and values are there already, as of instructions that
            all share or of earlier turns. They are read, and no longer prefilled; each sequence still holds all of its
            tokens.
        rate: requests that arrive, as "20/s"; with it the plan says how many servers keep up.
        serving: how prompts are served: "in-turn" with decoding steps, "mixed" with them, or "apart" on other devices.
        hardware: the devices; all that are known by default.
        dtype: the number format of the arithmetic; if left out fp16, or bf16 on a device with a peak in that alone.
        weights: how weights are stored; as the model's file says, else as `dtype`, if left out.
        cache: how the KV cache is stored; as `dtype` if left out.
        overlap: whether all of a pass overlaps, its matrices and its attention too: the bound of a perfect program.
            Else they follow each other, as in existing programs.

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
        power: object = None,
        cached: int | str | None = None,
        rate: object = None,
        serving: str = IN_TURN,
        hardware: tuple[presets.HardwareSource, ...] = (),
        dtype: str | None = None,
        weights: str | None = None,
        cache: str | None = None,
        overlap: bool = False,
    ) -> None:
        self.model, self.overlap = presets.model(model), bool(overlap)
        self.prompt, self.output = int(read_option("prompt", prompt)), int(read_option("output", output))
        self.tpot = None if tpot is None else read_option("tpot", tpot)
        self.ttft = None if ttft is None else read_option("ttft", ttft)
        said = None if rate is None else read_rate(rate)
        self.load = Load(self.prompt, self.output, said, cached_tokens(cached, self.prompt) or 0)
        self.serving = known_name("way to serve prompts", serving, WAYS)
        self.price, self.power = by_device("price", price), by_device("power", power)
        self.devices = device_splits.whole_number("devices", devices, _MOST_DEVICES)
        self._formats = (dtype, weights, cache)
        several = hardware if isinstance(hardware, tuple | list) else (hardware,)
        kinds = [presets.hardware(one) for one in several or presets.names("hardware")]
        self._kinds = {one.name: one for one in kinds}
        every = [self._choice(one) for one in kinds]
        self.choices = sorted((one for one in every if not one.refused), key=lambda one: one.rank)
        self.refused = [one for one in every if one.refused]

    # One device

    def _named(self, device: presets.Device | None) -> presets.Presets:
        """Presets of the questions about a device, in the number formats that are meant on it."""
        dtype, weights, cache = self._formats
        return presets.Presets(self.model, device, presets.arithmetic_in(dtype, device), weights, cache)

    def _choice(self, hardware: presets.HardwareSource) -> Choice:
        """The best way to share the model among devices of one kind, or why there is none."""
        device = presets.hardware(hardware)
        named = self._named(device)
        best: Choice | None = None
        refused = Choice(device.name, 1)
        for tensor in self._tensors():
            if tensor > 1 and "W_link" not in named.letters[0]:
                return best or replace(
                    refused, refused=f"{refused.refused}, and no source states the speed of its link to another"
                )
            found = self._shared(Asked(device.name, named, tensor))
            if found.lacks:
                return best or found
            if found.refused:
                refused = found
            elif best is None or found.rank < best.rank:
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
        server = Server(asked, self.load, self.serving, by_parts=not self.overlap)
        first = server.first
        if self.ttft is not None and first.value > self.ttft:
            return Choice(name, tensor, f"the time to first token of a single prompt is {first} on {_several(tensor)}")

        batch, limit, by = asked.batch(context, fits, self.tpot)
        if (least := server.batch(int(batch.value), self.tpot)) < batch.value:
            batch, limit = Figure(Fraction(least), fits.unit, "", {}), "target"
            by = server.longest(least + 1)
        if batch.value == 0:
            alone = server.between(1)
            beside = "" if self.serving == APART else ", the prompts that come with it counted,"
            return Choice(name, tensor, f"a token of a single sequence takes {alone}{beside} on {_several(tensor)}")
        size = int(batch.value)
        figures = {"fits": fits, "batch": batch, "step": server.step(size), "time per token": server.between(size)}
        if limit != "memory":
            figures["time per token with one more"] = server.between(size + 1)
        figures |= {"first token": first, "throughput": server.throughput(size)}
        each = figures["throughput"].value
        servers, work = 0, "1"
        if (needed := server.servers(size)) is not None:
            servers, figures["servers busy"], figures["utilisation"] = needed
            work = str(number(figures["utilisation"].value))
        if (dollars := self.price(name)) is not None:
            letters = {"price": f"{number(dollars * tensor * 3600)} $/h", "u": work, "R": f"{number(each)} token/s"}
            figures["cost"] = figure("cost_per_token", letters, presets.Presets())
        if (watts := self.power(name)) is not None:
            drawn = f"{number(watts * tensor)} W"
            letters = {"power": drawn, "power_idle": drawn, "u": "1", "R": f"{number(each)} token/s"}
            figures["energy"] = figure("energy_per_token", letters, presets.Presets())
        return Choice(name, tensor, figures=figures, limit=limit, by=by, servers=servers)

    # How it is shown

    @property
    def law(self) -> str:
        """The law of a step that its numbers go by, one of `LAWS`."""
        return OVERLAPPING if self.overlap else BY_PARTS

    def _head(self) -> list[str]:
        """Lines that say what was asked."""
        named = self._named(None)
        instead = presets.stands_in(self._formats[0], self._kinds.values())
        cached = f" of which {self.load.cached:,} are cached" if self.load.cached else ""
        asked = [f"prompts of {self.prompt:,} tokens{cached}", f"answers of {self.output:,}"]
        asked += [f"{float(self.load.rate):,.4g} requests a second"] if self.load.rate else []
        asked += [f"{what} at most {humanize(t, SECOND)}" for what, t in self._targets()]
        return [
            f"{self.model.title}: {', '.join(asked)}",
            *filter(None, (named.foreign, named.formats, instead)),
            f"at most {self.devices} devices share the model" if self.devices > 1 else "on one device",
            *filter(None, (self.model.beyond(self.prompt + self.output),)),
        ]

    def __repr__(self) -> str:
        lines = [*self._head(), ""]
        if self.choices:
            lines += aligned(self._table(), words=(0, 3))
            lines += ["", WAYS[self.serving], LAWS[self.law], *self._beyond_nodes(), *self._opened()]
        if self.refused:
            width = max(len(one.hardware) for one in self.refused)
            lines += ["", "Not possible on:"] + [f"  {one.hardware:<{width}}  {one.refused}" for one in self.refused]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ..expressions.html import code, paragraph, table, words

        title, *others = [line.strip() for line in self._head()]
        parts = [paragraph(f"<strong>{words(title)}</strong>"), *(paragraph(words(line)) for line in others)]
        if self.choices:
            head, *rows = [tuple(map(words, row)) for row in self._table()]
            parts += [
                table(head, rows),
                paragraph(words(" ".join((WAYS[self.serving], LAWS[self.law], *self._beyond_nodes())))),
            ]
        if self.refused:
            why = [(code(one.hardware), words(one.refused)) for one in self.refused]
            parts.append(table(("not possible on", "because"), why))
        return "".join(parts)

    def _node(self, one: Choice) -> str:
        """Remark on a choice that more devices share the model than are in a node; "" for any other."""
        return self._kinds[one.hardware].within_a_node(one.tensor)

    def _beyond_nodes(self) -> Iterator[str]:
        """Sentences on choices of more devices than are in a node."""
        return (f"{one.hardware}: {remark}." for one in self.choices if (remark := self._node(one)))

    def _targets(self) -> Iterator[tuple[str, Fraction]]:
        for what, target in (("time per output token", self.tpot), ("time to first token", self.ttft)):
            if target is not None:
                yield what, target

    def _table(self) -> list[tuple[str, ...]]:
        """Cells of the table of choices, without the columns that have nothing in any row."""
        rows = [_HEAD, *map(self._cells, self.choices)]
        filled = [place for place in range(len(_HEAD)) if any(row[place] for row in rows[1:])]
        return [tuple(row[place] for place in filled) for row in rows]

    def _cells(self, one: Choice) -> tuple[str, ...]:
        figures = one.figures
        return (
            one.hardware,
            str(one.tensor),
            f"{int(one['batch']):,}",
            one.by or one.limit,
            str(figures["step"]) if self.serving == IN_TURN else "",
            str(figures["time per token"]),
            str(figures["first token"]),
            humanize(one.per_device, parse_unit("token/s"), 3),
            f"{one.servers:,}" if one.servers else "",
            f"{100 * float(one['utilisation']):.0f} %" if one.servers else "",
            f"{float(one['cost'] / _MILLION.scale):.3g} $" if "cost" in figures else "",
            str(figures["energy"]) if "energy" in figures else "",
        )

    def _opened(self) -> Iterator[str]:
        """Lines that say how to ask for each number of the first choice."""
        first = self.choices[0]
        yield f"{first.hardware}: {self._reason(first)}"
        for what, one in first.figures.items():
            if one.formula:
                yield f"  {what}: {one}, by symbolic-llm explain {one.formula} {self._options(first, one)}"
        if first.servers:
            yield f"  servers: {first.servers:,} keep up with the requests, since they are not busy all the time"
        yield ""
        yield f"Ways to serve on {first.hardware}, {_several(first.tensor)}, and laws of a step:"
        yield from (f"  {line}" for line in aligned([_WAYS_HEAD, *self._ways], words=(0, 1)))

    @cached_property
    def _ways(self) -> list[tuple[str, ...]]:
        """Cells of a table of the ways to serve on the first choice, by both laws of a step."""
        first = self.choices[0]
        asked = Asked(first.hardware, self._named(self._kinds[first.hardware]), first.tensor)
        return list(compared(asked, self.load, int(first["fits"]), self.tpot))

    def _reason(self, one: Choice) -> str:
        """Reason why the batch is no larger."""
        context = self.prompt + self.output
        if one.limit == "memory":
            fits = one.figures["fits"]
            return f"memory is the limit; {fits} of {context:,} tokens fit beside the weights"
        more = one.figures["time per token with one more"]
        by = f", because of {one.by}" if one.by else ""
        return f"the target is the limit{by}; with one more sequence a token takes {more}"

    def _options(self, one: Choice, figure: Figure) -> str:
        given = " ".join(f"{letter}={quote(value)}" for letter, value in figure.letters.items())
        if figure.formula in _OF_NO_MODEL:
            return given
        named = self._named(self._kinds[one.hardware])
        options = named.given() | {"model": self.model.name, "hardware": one.hardware}
        return " ".join([given, *(f"--{kind} {quote(str(name))}" for kind, name in options.items() if name)])

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON: each number with its formula and the letters that the formula was given."""
        return {
            "model": self.model.name,
            **told(self.load, "prompt", "cached", "output"),
            "requests_per_second": number(self.load.rate) if self.load.rate else None,
            **told(self, "serving", "law"),
            "note": WAYS[self.serving],
            "choices": [
                {
                    "hardware": one.hardware,
                    "devices": one.tensor,
                    "dtype": self._named(self._kinds[one.hardware]).dtype,
                    "remark": self._node(one) or None,
                    "limit": one.limit,
                    "by": one.by or None,
                    "servers": one.servers or None,
                    "tokens_per_second_and_device": number(one.per_device),
                    "figures": {
                        what: {**told(figure, "value", "unit", "formula", "letters"), "formula": figure.formula or None}
                        for what, figure in one.figures.items()
                    },
                }
                for one in self.choices
            ],
            "ways": [dict(zip(_WAYS, one, strict=True)) for one in self._ways] if self.choices else [],
            "refused": {one.hardware: one.refused for one in self.refused},
        }


_HEAD = (
    *("device", "number", "batch", "limit", "decoding step", "time per token", "first token", "per device"),
    *("servers", "busy", "cost per Mtoken", "energy per token"),
)
_WAYS = ("serving", "law", "batch", "time_per_token", "tokens_per_second_and_device")
_WAYS_HEAD = ("prompts", "law of a step", "batch", "time per token", "per device")
_OF_NO_MODEL = ("cost_per_token", "energy_per_token", "served_throughput", "devices_apart", "time_between_tokens")


def _several(tensor: int) -> str:
    return "one device" if tensor == 1 else f"{tensor} devices together"
