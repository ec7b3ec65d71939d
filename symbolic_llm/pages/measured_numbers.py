"""Numbers in the sentences of “Does it hold?” and of “Measurements”, from measured sets as they are read"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import fmean

import numpy

from ..errors import InvalidValue, unknown_name
from ..measurements import (
    Rows,
    assumptions,
    attention,
    collectives,
    corner,
    experts,
    measured_set,
    prompts,
    requests,
    served,
    stack_batches,
    stacks,
    staircases,
    steps,
)
from ..measurements.machines import format_title as kernel_title
from ..measurements.machines import framework_title, source_of, title_of
from ..measurements.products import FLAT, STRAIGHT, Table, all_tables, curves, predicted, products, tables
from ..measurements.statistics import A_FIFTIETH, Spread, off, spread
from ..presets.stacks import stack_fit
from ..quantity import of_preset

HALF = "bfloat16"


def percent(share: float, digits: int = 2) -> str:
    """A share as text, in per cent to so many figures: "−37 %"."""
    rounded = float(f"{100 * share:.{digits}g}")
    return f"{rounded:,g} %".replace("-", "−")


def signed(share: float, digits: int = 2) -> str:
    """An error as text: "+2.1 %", or "21 ×" where it is more than twice as large."""
    if share > 1:
        return f"{1 + share:,.{digits}g} ×"
    return ("+" if share > 0 else "") + percent(share, digits)


def plain(number: float, digits: int) -> str:
    """A number to so many places, with a minus sign that is one."""
    return f"{number:,.{digits}f}".replace("-", "−")


@dataclass(frozen=True)
class Crossovers:
    """The crossovers of one number format, measured and predicted.

    Attributes:
        tables: of each device and framework.
    """

    tables: tuple[Table, ...]

    @property
    def errors(self) -> Spread:
        """Measured over predicted, less one."""
        return spread(numpy.array([one.error for one in self.tables]))

    @property
    def absolute(self) -> float:
        """The median of the absolute errors."""
        return float(numpy.median([abs(one.error) for one in self.tables]))

    @property
    def held_out(self) -> float:
        """The median absolute error once each device is corrected by the median factor of all others."""
        factors = numpy.array([one.error + 1 for one in self.tables])
        devices = numpy.array([one.device for one in self.tables])
        others = [numpy.median(factors[devices != device]) for device in devices]
        return float(numpy.median(numpy.abs(others / factors - 1)))

    @property
    def lasting(self) -> float:
        """The median absolute error of the crossover of both slopes, in which no fixed time is left."""
        return float(numpy.median([abs(one.F / one.W - 1) for one in self.tables]))

    @property
    def worst(self) -> Table:
        """The table whose measured crossover is furthest off."""
        return max(self.tables, key=lambda one: abs(one.error))

    @property
    def devices(self) -> list[str]:
        """The devices."""
        return sorted({title_of(one.device) for one in self.tables})

    def share(self, letter: str) -> Spread:
        """Shares of the datasheet's "W" or "F" that the kernels reach."""
        return spread(numpy.array([getattr(one, letter) for one in self.tables]))

    @property
    def fixed(self) -> float:
        """The median fixed time, in microseconds."""
        return float(numpy.median([one.fixed for one in self.tables])) * 1e6

    @property
    def rows(self) -> int:
        """The number of points that they rest on."""
        return sum(one.rows for one in self.tables)


@cache
def crossovers(kernel: str = HALF) -> Crossovers:
    """The crossovers of the kernels of a number format; `UnknownName` with the nearest."""
    found = tuple(one for one in all_tables() if one.kernel == kernel)
    if not found:
        raise unknown_name("measured format", kernel, {one.kernel for one in all_tables()})
    return Crossovers(found)


def ratios(kernel: str = HALF) -> Spread:
    """Measured time over the law's, of all products in a format."""
    return spread(products().of(format=kernel)["ratio"])


def errors(how: str, by: str = "device") -> corner.Error:
    """Held-out errors of one way to join two times: `corner.LONGER` and the like."""
    for one in corner.errors():
        if one.how == how and one.by == by:
            return one
    raise unknown_name("way to join", how, {one.how for one in corner.errors()})


def impossible(kernel: str = HALF) -> tuple[int, int, float]:
    """Numbers of products in a format that beat their datasheet and of all, and the largest factor of one."""
    ratio = products().of(format=kernel)["ratio"]
    return int((ratio < 1 - A_FIFTIETH).sum()), len(ratio), float(1 / ratio.min())


def kinds_broken(kind: str, kernel: str = HALF) -> float:
    """The share of products in a format that break an assumption."""
    counted = assumptions.counted()[kernel]
    return counted[kind] / counted.total()


def where(one: Table) -> str:
    """The device of a table and whose kernels it ran."""
    return f"{title_of(one.device)} with {framework_title(one.framework)}"


# Two cards that differ in one letter


@dataclass(frozen=True)
class Trial:
    """A product on two cards of the same arithmetic, of which the other has more bandwidth.

    Attributes:
        what: the matrix.
        kernel: the format.
        predicted: both crossovers of the datasheets, in tokens.
        measured: where both lines meet, on each card.
    """

    what: str
    kernel: str
    predicted: tuple[float, float]
    measured: tuple[float, float]

    @property
    def moved(self) -> float:
        """The factor by which the measured crossover moved."""
        return self.measured[1] / self.measured[0]


TWO = ("h100_sxm", "h200_sxm")


@cache
def our_products() -> Rows:
    """Our own products with their predictions."""
    return predicted(measured_set("gpu_products").rows)


@cache
def trial() -> tuple[Trial, ...]:
    """Each product in each format on both cards."""
    found = []
    for (what, kernel), rows in our_products().groups("what", "format"):
        both = [rows.of(device=device) for device in TWO]
        (one,), (other,) = ([line.meeting for _, line in curves(some)] for some in both)
        crossings = [float(some["crossover"][0]) for some in both]
        found.append(Trial(what, kernel, (crossings[0], crossings[1]), (one, other)))
    return tuple(found)


def moved() -> tuple[float, Spread]:
    """The factor by which the datasheets move the crossover in bf16, and those by which it moved."""
    some = [one for one in trial() if one.kernel == HALF]
    return some[0].predicted[1] / some[0].predicted[0], spread(numpy.array([one.moved for one in some]))


def our_tables() -> list[Table]:
    """Shares of the datasheets that our own products reach."""
    return tables(our_products())


# Steps, attention, staircases


def step_errors(device: str = "", many: bool = False) -> steps.Errors:
    """Errors of both laws on the steps of a device, or of all in llama.cpp; `many`: of large batches alone."""
    rows = steps.all_steps()
    rows = rows.of(device=device) if device else rows.of(framework="llama_cpp")
    return steps.errors(rows.where(steps.many(rows)) if many else rows)


def our_ratios(device: str) -> Spread:
    """Measured time of our own steps over the time part by part of the datasheet."""
    rows = steps.ours().of(device=device)
    return spread(rows["time"] / rows[steps.PARTS])


def readings(kernel: str = HALF) -> list[attention.Reading]:
    """The reading of caches in a format by each device, the largest share of its bandwidth first."""
    return [one for one in attention.all_readings() if one.kernel == kernel]


def reading_of(device: str, framework: str, kernel: str = HALF) -> attention.Reading:
    """The reading of caches by a device and a framework."""
    (found,) = (one for one in readings(kernel) if (one.device, one.framework) == (device, framework))
    return found


def share_of_caches(device: str, kernel: str = HALF) -> float:
    """The share of the bandwidth at which a device reads caches in a format: the mean over the programs measured."""
    return fmean(one.W for one in readings(kernel) if one.device == device)


def fastest() -> attention.Reading:
    """The table of attention in bf16 with the largest share of the bandwidth that is possible."""
    return max((one for one in readings() if one.W <= 1), key=lambda one: one.W)


def slowest() -> attention.Reading:
    """The table of attention in bf16 with the smallest share of the bandwidth."""
    return min(readings(), key=lambda one: one.W)


def shares_of_caches(*devices: str) -> tuple[float, float]:
    """The smallest and the largest share of the bandwidth at which some devices read caches in bf16."""
    some = [one.W for one in readings() if one.device in devices]
    return min(some), max(some)


def beaten_by_caches() -> tuple[int, int]:
    """Numbers of points of attention that beat the datasheet by more than a fiftieth, and of all."""
    every = attention.all_readings()
    return sum(one.beaten for one in every), sum(one.rows for one in every)


def beating_caches(but: str) -> dict[str, float]:
    """The devices whose attention beats the datasheet, but for one, with the largest cache for which it does, in MB."""
    rows = attention.attention()
    rows = rows.where((rows["ratio"] < 1 - A_FIFTIETH) & (rows["device"] != but))
    return {title_of(device): float(some["bytes"].max()) / 1e6 for (device,), some in rows.groups("device")}


def out_of_order() -> list[str]:
    """Models of llama.cpp's steps of which a single sequence takes longer with a shorter context, by their devices."""
    rows = measured_set("llama_cpp_steps").rows.of(B=1)
    return [
        f"{model} on the {title_of(device)}"
        for (device, model), some in rows.groups("device", "model")
        if (numpy.diff(some["time"][numpy.argsort(some["N"])]) < 0).any()
    ]


def our_line(device: str) -> steps.Line:
    """The line through our own steps on a card against the law part by part."""
    return steps.fitted(steps.ours().of(device=device), steps.PARTS)


def line_errors(fitted_on: str, of: str, least: int = 1) -> Spread:
    """Errors of the line through one card's steps on those of a card, the same or another, with so many sequences."""
    rows = steps.ours().of(device=of)
    rows = rows.where(rows["B"] >= least)
    return spread(off(our_line(fitted_on).times(rows), rows["time"]))


def cache_rate(device: str, B: int, N: int) -> float:
    """Bytes a second at which our own attention reads so many caches of so many tokens."""
    rows = measured_set("gpu_attention").rows.of(device=device, B=B, N=N)
    read = attention.predicted(rows.beside(format=numpy.full(len(rows), HALF)))
    return float(read["bytes"][0] / read["time"][0])


def alike() -> float:
    """The share of our own steps for which both laws say the same."""
    rows = steps.ours()
    return float(numpy.isclose(rows[steps.PARTS], rows[steps.WHOLE]).mean())


def reading_share(device: str) -> float:
    """The share of the datasheet's bandwidth at which our plain sum reads the largest array."""
    rows = measured_set("gpu_reading").rows.of(device=device, what="sum")
    last = rows.where(rows["bytes"] == rows["bytes"].max())
    return float(last["bytes"][0] / last["time"][0]) / float(of_preset("W", hardware=source_of(device)))


def nearer_as_a_whole() -> list[str]:
    """Models of llama.cpp's steps, by their devices, to which the longer of two sums is nearer in the median."""
    rows = steps.all_steps().of(framework="llama_cpp")
    by_model = {where: steps.errors(some) for where, some in rows.groups("device", "model")}
    return [f"{model} on the {title_of(device)}" for (device, model), one in by_model.items() if one.whole < one.parts]


# Experts


def layers(kernel: str = HALF) -> Spread:
    """Measured time of layers of experts over the law's, in a format."""
    return spread(experts.experts().of(format=kernel)["ratio"])


def beaten_by_experts() -> tuple[int, int]:
    """Numbers of layers of experts in bf16 that beat the datasheet by more than a fiftieth, and of all."""
    ratio = experts.experts().of(format=HALF)["ratio"]
    return int((ratio < 1 - A_FIFTIETH).sum()), len(ratio)


@cache
def of_tokens(tokens: int) -> dict[str, Spread]:
    """Measured time of layers of experts in bf16 over the law's, by routing, for so many tokens."""
    rows = experts.experts().of(format=HALF, B=tokens)
    return {routing: spread(some["ratio"]) for (routing,), some in rows.groups("routing")}


def if_all_were_read(tokens: int) -> float:
    """The time of reading all experts over the law's, for so many tokens, in the median."""
    rows = experts.experts().of(format=HALF, B=tokens)
    return float(numpy.median(rows["reading_all"] / rows["law"]))


@cache
def ratio_by_shape() -> dict[str, float]:
    """Measured time of experts in bf16 over the law's, in the median, by the shape of the layer."""
    rows = experts.experts().of(format=HALF)
    return {
        " × ".join(f"{size:.0f}" for size in shape): float(numpy.median(some["ratio"]))
        for shape, some in rows.groups(*experts.SHAPE)
    }


def two_matrices() -> list[str]:
    """Shapes of experts that take less than the law's time in the median."""
    return [shape for shape, ratio in ratio_by_shape().items() if ratio < 1]


def with_two() -> float:
    """The median of these shapes over a law of two matrices in the place of three."""
    return float(numpy.median([ratio_by_shape()[shape] for shape in two_matrices()])) * 3 / 2


def request_ratio(device: str, framework: str) -> Spread:
    """Measured time of whole batches over the law's, on a device with a framework."""
    return spread(requests.requests().of(device=device, framework=framework)["ratio"])


def request_range(framework: str = "") -> tuple[float, float]:
    """The smallest and the largest of such factors (medians), over all devices with a framework, or with any."""
    rows = requests.requests()
    rows = rows.of(framework=framework) if framework else rows
    medians = [spread(some["ratio"]).median for _, some in rows.groups("device", "framework")]
    return min(medians), max(medians)


def request_error(by: str, *same: str) -> float:
    """The median error of batches that are held out, with the median factor of others that agree in some columns."""
    return spread(requests.errors(requests.requests(), by, same)).median


def _letters(device: str, framework: str, tiles: bool = True) -> stacks.Group:
    """Batches of 16 bits that the letters of a program on a device are fitted to."""
    rows = stack_batches.measured(tiles=tiles).of(device=device, framework=framework, weights=requests.DTYPE)
    return next(stacks.groups(rows))


@cache
def letters_error(device: str, framework: str, *, tiles: bool = True) -> float:
    """Median error of a program's batches in 16 bits by three letters, each model held out in turn."""
    held, forecast = _letters(device, framework, tiles).forecast()
    return float(numpy.median(off(forecast, held["time"])))


def fit_error(stack: str, device: str, *formats: str) -> float:
    """Median error of a program's fit, on what was held out."""
    if (found := stack_fit(stack, device, *formats)) is None:
        raise InvalidValue(f"no fit of {stack} on {device} in {', '.join(formats)} is known.")
    return float(found.error)


def letters_of_sixteen_bits() -> float:
    """Median error of vLLM's batches in fp8 on the H100 by the letters of its batches in 16 bits."""
    fit = stacks.fitted(_letters("h100_sxm", "vllm").rows)
    eight = stack_batches.measured().of(device="h100_sxm", framework="vllm", weights="fp8")
    return float(numpy.median(off(fit.times(eight), eight["time"])))


@cache
def same_shapes() -> Spread:
    """Time of a batch of Llama 3 70B over that of Llama 2 70B, where both ran on the MI300X with vLLM."""
    every = _letters("mi300x", "vllm").rows
    times = {key: some["time"] for key, some in every.groups("model", "B", "context")}
    pairs = [
        (times["llama-3-70b", *at], times["llama-2-70b", *at])
        for (of, *at) in times
        if of == "llama-3-70b" and ("llama-2-70b", *at) in times
    ]
    return spread(numpy.array([float(numpy.median(one) / numpy.median(other)) for one, other in pairs]))


# A served mixture of experts


def served_ratio(device: str = "", framework: str = "") -> Spread:
    """Measured time of a served token over the law's, on some devices with a program, or on all with all."""
    rows = served.served()
    return spread((rows.of(device=device, framework=framework) if device else rows)["ratio"])


def served_fit() -> tuple[float, float]:
    """Factor on the law of a token in the group that a page shows, and its fixed time in seconds."""
    return served.line(served.groups()[served.SHOWN])


def served_error() -> Spread:
    """Errors of that fit for lengths of prompts and answers that were held out in turn."""
    return spread(served.errors(served.groups()[served.SHOWN]))


def served_errors() -> Spread:
    """Errors of all such fits."""
    return spread(served.all_errors())


def served_long() -> float:
    """Median forecast of long prompts with short answers from other lengths, as a share of the measured time."""
    return float(numpy.median(served.long_prompts()))


def served_beaten() -> int:
    """Number of rows that take less time than the law."""
    return int((served.served()["ratio"] < 1).sum())


# Prompts


def prompt_error(count: str) -> Spread:
    """Errors of our long prompts with the other card's share, by a count of their operations."""
    return spread(prompts.errors(count))


def prompt_shares(device: str, count: str) -> tuple[float, float]:
    """The smallest and the largest share of the peak that our long prompts reach on a card, by a count."""
    rows = prompts.prompts().of(device=device)
    rows = rows.where(rows["N"] >= prompts.LONG)
    found = rows[count] / rows["time"]
    return float(found.min()), float(found.max())


# Collectives


def ring_of(device: str, kernel: str, devices: int) -> collectives.Ring:
    """The ring of some devices with a kernel."""
    (found,) = (
        one for one in collectives.all_rings() if (one.device, one.kernel, one.devices) == (device, kernel, devices)
    )
    return found


def same_bytes() -> Spread:
    """Times of the same bytes in values of one byte over those in values of two."""
    return spread(collectives.same_bytes())


def preset(device: str) -> str:
    """The hardware preset of a measured device."""
    return str(source_of(device))


_RULES = {  # numbers by which rows are chosen
    "few_tokens": FLAT,
    "many_tokens": STRAIGHT,
    "many_sequences": steps.MANY,
    "long_prompt": prompts.LONG,
    "long_reading": attention.LONG * 1e6,  # microseconds
    "jump": staircases.JUMP,
    "near": assumptions.NEAR,
    "beaten": A_FIFTIETH,
}
_OF_SETS = (
    *(staircases.staircase, collectives.each_hop, steps.remainder, steps.summed, steps.summed_errors),
    *(steps.forecast_errors, steps.foretold),
)
# what this module defines, and what sets of measurements say themselves
_OFFERED = (*(one for one in [*vars().values()] if getattr(one, "__module__", "") == __name__), *_OF_SETS)
NUMBERS = {"kernel_title": kernel_title} | {one.__name__: one for one in _OFFERED if not isinstance(one, type)} | _RULES
