"""Tables of the section “Measurements”, from measured sets as they are read"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy

from ..api import compile
from ..errors import unknown_name
from ..measurements import (
    Rows,
    assumptions,
    attention,
    collectives,
    corner,
    experts,
    measured_set,
    names,
    prompts,
    requests,
    served,
    steps,
)
from ..measurements.machines import bits_of, datasheet, framework_title, title_of
from ..measurements.machines import format_title as kernel_title
from ..measurements.products import all_tables, products
from ..measurements.rows import Numbers
from ..measurements.staircases import staircase
from ..measurements.statistics import A_FIFTIETH, Spread, spread
from .measured_numbers import (
    crossovers,
    impossible,
    kinds_broken,
    layers,
    percent,
    plain,
    ratios,
    readings,
    signed,
    trial,
)
from .pen import Pen, Row

FOLDER = "reality"
UNSEEN = "h200_sxm"  # of others' sets; what we timed on one ourselves is in no forecast here
_REQUESTS_HELD_OUT = (("model", ("device", "framework")), ("device", ("framework",)), ("framework", ("device",)))

_Rows = Iterator[Row]
TABLES: dict[str, Callable[..., str]] = {}


def _table(rows: Callable[..., _Rows]) -> Callable[..., _Rows]:
    """Offer the table of which a function yields the head and then the rows, under the name of the function."""

    def written(pen: Pen, *more: str) -> str:
        head, *others = rows(pen, *more)
        return pen.table(head, others, "held")

    TABLES[rows.__name__.removeprefix("_").replace("_", " ")] = written
    return rows


def _named(pen: Pen, device: str, framework: str) -> str:
    return f"{pen.words(title_of(device))} {pen.quiet(pen.words(framework_title(framework)))}"


def _kernel(pen: Pen, kernel: str) -> str:
    return pen.words(kernel_title(kernel))


def _spread(one: Spread) -> tuple[str, str]:
    """The median, and where eight of ten lie."""
    return plain(one.median, 2), f"{plain(one.low, 2)} to {plain(one.high, 2)}"


def _of(errors: Numbers) -> tuple[float, float, int]:
    """Of errors the median, what nine of ten are below, and how many there are."""
    found = spread(errors)
    return found.median, found.high, found.rows


def _errors(median: float, high: float, rows: int) -> tuple[str, str, str]:
    """The median error, what nine of ten are below, and of how many."""
    return percent(median), percent(high), f"{rows:,}"


@_table
def _crossovers(pen: Pen, *kernels: str) -> _Rows:
    several = len(kernels) > 1
    of_law = ("Device", "datasheet", "measured", "off", "slopes off", "of W", "of F", "fixed, µs", "points")
    yield (*(["Kernels"] * several), *of_law)
    for kernel in kernels:
        for one in sorted(crossovers(kernel).tables, key=lambda table: abs(table.error)):
            known = [_kernel(pen, kernel)] * several
            measured = (f"{one.predicted:,.0f}", f"{one.measured:,.0f}", signed(one.error))
            slopes = signed(one.F / one.W - 1) if min(one.W, one.F) > 0 else "no line"
            shares = (plain(one.W, 2), plain(one.F, 2), plain(one.fixed * 1e6, 1), str(one.rows))
            yield (*known, _named(pen, one.device, one.framework), *measured, slopes, *shares)


@_table
def _by_format(pen: Pen) -> _Rows:
    of_crossovers = ("off", "off, either way", "slopes off")
    yield "Kernels", "bits", "tables", *of_crossovers, "time ÷ law", "most", "beat the datasheet"
    for kernel in sorted(sorted({one.kernel for one in all_tables()}), key=bits_of, reverse=True):
        one, (beaten, every, _) = crossovers(kernel), impossible(kernel)
        found = (str(len(one.tables)), signed(one.errors.median), percent(one.absolute), percent(one.lasting))
        shown = (*_spread(ratios(kernel)), f"{beaten:,} of {every:,}")
        yield _kernel(pen, kernel), f"{bits_of(kernel):g}", *found, *shown


@_table
def _corner(pen: Pen) -> _Rows:
    yield "How times join", "held out", "error, median", "nine of ten below", "at the corner", "products"
    for one in corner.errors():
        median, high, rows = _errors(one.median, one.high, one.rows)
        yield pen.words(one.how), f"each {one.by}", median, high, signed(one.at_corner), rows


@_table
def _assumptions(pen: Pen) -> _Rows:
    kernels = sorted(assumptions.counted(), key=bits_of, reverse=True)
    yield "Assumption that breaks", *(_kernel(pen, kernel) for kernel in kernels)
    for kind in assumptions.KINDS:
        yield pen.words(kind), *(percent(kinds_broken(kind, kernel)) for kernel in kernels)
    yield "products", *(f"{assumptions.counted()[kernel].total():,}" for kernel in kernels)


@_table
def _impossible(pen: Pen) -> _Rows:
    yield "Device", "kernels", "products", "faster by up to", "largest weights, MB", "bound by arithmetic"
    beaten = products().where(products()["ratio"] < 1 - A_FIFTIETH)
    found = sorted(beaten.groups("device", "framework", "format"), key=lambda group: -len(group[1]))
    for (device, framework, kernel), some in found:
        largest = float((some["weights"] * some["n_bytes"]).max()) / 1e6
        by = (some["arithmetic"] > some["reading"]).mean()
        facts = (f"{len(some):,}", f"{1 / some['ratio'].min():.2f}", f"{largest:,.0f}", percent(by))
        yield _named(pen, device, framework), _kernel(pen, kernel), *facts


@_table
def _trial(pen: Pen) -> _Rows:
    yield "Matrix", "format", "H100, datasheet", "measured", "H200, datasheet", "measured", "moved by"
    for one in trial():
        pairs = zip(one.predicted, one.measured, strict=True)
        tokens = (f"{found:,.0f}" for pair in pairs for found in pair)
        yield pen.code(one.what), _kernel(pen, one.kernel), *tokens, f"{one.moved:.2f}"


@_table
def _steps(pen: Pen) -> _Rows:
    laws = (f"{law}, {of}" for law, of in product((steps.PARTS, steps.WHOLE), ("median", "nine of ten below")))
    yield "Device", "model", *laws, "steps"
    for (device, framework, model), some in steps.all_steps().groups("device", "framework", "model"):
        one = steps.errors(some)
        shown = (percent(one.parts), percent(one.parts_high), percent(one.whole), percent(one.whole_high))
        yield _named(pen, device, framework), pen.words(model), *shown, str(one.rows)


@_table
def _sums(pen: Pen) -> _Rows:
    yield "Device", "sequences", "sum ÷ step, least", "most", "besides, ms", "steps"
    for (device,), some in steps.summed().groups("device"):
        few, many = some["B"] < steps.MANY, some["B"] >= steps.MANY
        for chosen, says in ((few, f"fewer than {steps.MANY}"), (many, f"{steps.MANY} and more")):
            these = some.where(chosen)
            share = these["sum"] / these["time"]
            shown = (f"{share.min():.2f}", f"{share.max():.2f}", plain(1e3 * steps.remainder()[device], 2))
            yield pen.words(title_of(device)), pen.words(says), *shown, str(len(these))


@_table
def _readings(pen: Pen) -> _Rows:
    yield "Device", "cache", "of W", "fixed, µs", "beat the datasheet", "the fastest, by a factor of"
    for one in attention.all_readings():
        facts = (plain(one.W, 2), plain(one.fixed * 1e6, 1), f"{one.beaten:,} of {one.rows:,}", f"{one.most:.2f}")
        yield _named(pen, one.device, one.framework), _kernel(pen, one.kernel), *facts


@_table
def _reading_errors(pen: Pen) -> _Rows:
    yield "Cache", "held out", "points", "error, median", "nine of ten below", "how many"
    for kernel, by in product(("bfloat16", "fp8"), ("device", "framework")):
        for least, says in ((0.0, "all"), (attention.LONG, f"read for {attention.LONG * 1e6:.0f} µs or longer")):
            shown = _errors(*attention.errors(kernel, by, least))
            yield _kernel(pen, kernel), f"each {by}", pen.words(says), *shown


def _kernels_of(rows: Rows) -> list[str]:
    return sorted(rows.values("format"), key=bits_of, reverse=True)


@_table
def _experts(pen: Pen) -> _Rows:
    yield "Kernels", "longer by law", "time ÷ law", "eight of ten", "beat the datasheet"
    measured = experts.experts()
    for kernel in _kernels_of(measured):
        some = measured.of(format=kernel)
        reads = some["reading"] >= some["arithmetic"]
        for chosen, says in ((reads, "reading"), (~reads, "arithmetic")):
            of_time = spread(some["ratio"][chosen])
            beaten = int((some["ratio"][chosen] < 1 - A_FIFTIETH).sum())
            yield _kernel(pen, kernel), says, *_spread(of_time), f"{beaten:,} of {of_time.rows:,}"


@_table
def _expert_errors(pen: Pen) -> _Rows:
    yield "Kernels", "held out", "error, median", "nine of ten below", "layers"
    measured = experts.experts()
    for kernel, by in product(_kernels_of(measured), ("device", "framework")):
        if len({*measured.of(format=kernel)[by].tolist()}) > 1:
            yield _kernel(pen, kernel), f"each {by}", *_errors(*experts.errors(kernel, by))


@_table
def _held_out(pen: Pen) -> _Rows:
    """Errors of every forecast of these pages, on what it was not fitted to."""
    yield "Forecast of", "held out", "error, median", "nine of ten below", "rows"
    for what, by, error in _forecasts():
        yield pen.words(what), f"each {by}", *_errors(*error)


def _forecasts() -> Iterator[tuple[str, str, tuple[float, float, int]]]:
    """Every forecast of these pages, what was held out from it in turn, and its errors."""
    for one in corner.errors():
        if one.how == corner.SMOOTH:
            yield f"products, bf16, {one.how}", one.by, (one.median, one.high, one.rows)
    for kernel, by in product(("bfloat16", "fp8"), ("device", "framework")):
        yield f"attention, cache in {kernel_title(kernel)}", by, attention.errors(kernel, by)
    for by in ("device", "framework"):
        yield "experts, bf16", by, experts.errors("bfloat16", by)
    for by, same in _REQUESTS_HELD_OUT:
        yield "whole requests", by, _of(requests.errors(requests.requests(), by, same))
    yield "tokens of a served mixture of experts", "length of prompt and answer", _of(served.all_errors())
    yield "prompts, timed by us", "device", _of(prompts.errors(prompts.CAUSAL))
    yield "steps from their parts, timed by us", "device", (*steps.summed_errors(), len(steps.summed()))


@_table
def _unseen(pen: Pen) -> _Rows:
    """Forecasts for the device that was held back, from all others."""
    yield f"Of an {title_of(UNSEEN)}", "forecast", "eight of ten of the others"
    half = datasheet(UNSEEN, "bfloat16")
    crossing = float(compile("batch_crossover")(n_bytes=half.n_bytes, F=half.F, W=half.W))
    yield "crossover in bf16, by the datasheet", f"{crossing:,.0f} tokens", ""
    cross, reads = crossovers(), readings()
    factor = spread(numpy.array([one.measured / one.predicted for one in cross.tables]))
    for what, found, scale, places, unit in (
        ("crossover in bf16, by the factor of the others", factor, crossing, 0, " tokens"),
        ("share of the bandwidth, products in bf16", cross.share("W"), 1, 2, ""),
        ("share of the arithmetic, products in bf16", cross.share("F"), 1, 2, ""),
        ("share of the bandwidth, caches in bf16", spread(numpy.array([one.W for one in reads])), 1, 2, ""),
        ("time of experts over the law's, bf16", layers(), 1, 2, ""),
    ):
        middle, low, high = (plain(one * scale, places) for one in (found.median, found.low, found.high))
        yield pen.words(what), middle + unit, f"{low} to {high}"


@_table
def _prompts(pen: Pen) -> _Rows:
    yield "Device", "tokens", "time, ms", "reading by law, ms", *(f"of the peak, {count}" for count in prompts.MET)
    for (device,), some in prompts.prompts().groups("device"):
        columns = ("N", "time", "reading", prompts.ALL, prompts.CAUSAL)
        for N, time, reading, every, causal in zip(*(some[name].tolist() for name in columns), strict=True):
            shown = (plain(1e3 * time, 1), plain(1e3 * reading, 1), plain(every / time, 2), plain(causal / time, 2))
            yield pen.words(title_of(device)), f"{N:,.0f}", *shown


@_table
def _rings(pen: Pen) -> _Rows:
    yield "Device", "devices", "hops by law, µs", "shortest, µs", "of the link", "time ÷ law", "messages"
    for one in collectives.all_rings():
        named = f"{pen.words(title_of(one.device))} {pen.quiet(pen.words(one.kernel))}"
        times = (plain(1e6 * one.hops, 1), plain(1e6 * one.floor, 1))
        yield named, str(one.devices), *times, plain(one.W_link, 2), plain(one.median, 2), str(one.rows)


@_table
def _requests(pen: Pen) -> _Rows:
    yield "Device", "time ÷ law", "eight of ten", "largest batch", "models", "a model from the others", "batches"
    found = [(spread(some["ratio"]), where, some) for where, some in requests.requests().groups("device", "framework")]
    for of_time, (device, framework), some in sorted(found, key=lambda one: one[0].median):
        models = len({*some["model"].tolist()})
        other = percent(spread(requests.errors(some, "model", ("device",))).median) if models > 1 else ""
        facts = (f"{some['B'].max():.0f}", str(models), other, str(of_time.rows))
        yield _named(pen, device, framework), *_spread(of_time), *facts


@_table
def _request_errors(pen: Pen) -> _Rows:
    yield "Held out", "fitted to the others", "error, median", "nine of ten below", "batches"
    for by, same in _REQUESTS_HELD_OUT:
        shown = _errors(*_of(requests.errors(requests.requests(), by, same)))
        yield f"each {by}", pen.words(f"of the same {' and '.join(same)}"), *shown


@_table
def _served(pen: Pen) -> _Rows:
    yield "Devices", "format", "time ÷ law", "eight of ten", "fixed, ms", "× law", "other lengths", "rows"
    found = [(spread(some["ratio"]), where, some) for where, some in served.groups().items()]
    for ratio, (device, framework, kernel, devices), some in sorted(found, key=lambda one: one[0].median):
        (slope, fixed), apart = served.line(some), served.errors(some)
        star = "" if some["hops"].all() else " *"
        title = f"{devices:.0f} × {pen.words(title_of(device))}{star}"
        fits = (plain(1e3 * fixed, 1), plain(slope, 2)) if fixed > 0 else ("no line", "")
        fit = (*fits, percent(float(numpy.median(apart))), str(len(some)))
        yield f"{title} {pen.quiet(pen.words(framework_title(framework)))}", _kernel(pen, kernel), *_spread(ratio), *fit


@_table
def _served_batches(pen: Pen) -> _Rows:
    yield "prompt", "answer", "requests", "law, ms", "fixed time and factor, ms", "measured, ms", "rows"
    some = served.groups()[served.SHOWN]
    slope, fixed = served.line(some)
    for (prompt, answer, B), these in sorted(some.groups("prompt", "answer", "B"), key=lambda one: one[0]):
        time, law = (float(numpy.median(these[name])) for name in ("time", "law"))
        told = (plain(1e3 * law, 2), plain(1e3 * (fixed + slope * law), 1), plain(1e3 * time, 1))
        yield f"{prompt:,.0f}", f"{answer:,.0f}", f"{B:.0f}", *told, str(len(these))


@_table
def _staircase(pen: Pen) -> _Rows:
    yield "Tokens", "products that jump there", "products measured there", "share"
    found = staircase()
    for tokens, jumps in found.jumps.most_common(12):
        yield f"{tokens:,}", str(jumps), str(found.measured[tokens]), percent(jumps / found.measured[tokens])


def _sets(pen: Pen) -> str:
    made = ""
    for name in names():
        one = measured_set(name)
        facts = (
            ("Measured by", pen.words(one.measured_by)),
            ("Source", pen.cite(one.url, pen.words(one.source)) if one.url else pen.words(one.source)),
            ("Licence", pen.words(one.licence)),
            ("Rows", f"{one.count:,}"),
            ("Confidence", pen.words(one.confidence)),
            ("How it came here", pen.words(one.how)),
            ("Left out", " ".join(map(pen.words, one.left_out)) or "nothing"),
        )
        made += pen.section(pen.words(one.title), name) + pen.paragraph(pen.words(one.purpose))
        made += pen.table(("", ""), facts, "facts")
        columns = ((pen.code(column.name), pen.words(column.meaning), column.unit) for column in one.columns.values())
        made += pen.fold("Columns", pen.table(("Column", "Meaning", "Unit"), columns, "facts"))
    return made


TABLES["sets"] = _sets


def table(pen: Pen, name: str, *more: str) -> str:
    """A table of the section by its name; `UnknownName` with the nearest."""
    if name not in TABLES:
        raise unknown_name("table of measurements", name, TABLES)
    return TABLES[name](pen, *more)
