"""Tables of the section “Measurements”, from measured sets as they are read"""

from __future__ import annotations

from collections.abc import Callable
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
from .pen import Pen

FOLDER = "reality"
UNSEEN = "h200_sxm"  # of others' sets; what we timed on one ourselves is in no forecast here
_REQUESTS_HELD_OUT = (("model", ("device", "framework")), ("device", ("framework",)), ("framework", ("device",)))


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


def _named(pen: Pen, device: str, framework: str) -> str:
    return f"{pen.words(title_of(device))} {pen.quiet(pen.words(framework_title(framework)))}"


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


def _crossovers(pen: Pen, *kernels: str) -> str:
    rows = []
    for kernel in kernels:
        for one in sorted(crossovers(kernel).tables, key=lambda table: abs(table.error)):
            known = (pen.words(kernel_title(kernel)),) if len(kernels) > 1 else ()
            measured = (f"{one.predicted:,.0f}", f"{one.measured:,.0f}", signed(one.error))
            slopes = signed(one.F / one.W - 1) if min(one.W, one.F) > 0 else "no line"
            shares = (plain(one.W, 2), plain(one.F, 2), plain(one.fixed * 1e6, 1), str(one.rows))
            rows.append((*known, _named(pen, one.device, one.framework), *measured, slopes, *shares))
    format_too = ("Kernels",) if len(kernels) > 1 else ()
    head = (*format_too, "Device", "datasheet", "measured", "off", "slopes off", "of W", "of F", "fixed, µs", "points")
    return pen.table(head, rows, "held")


def _by_format(pen: Pen) -> str:
    rows = []
    for kernel in sorted(sorted({one.kernel for one in all_tables()}), key=bits_of, reverse=True):
        one, (beaten, every, _) = crossovers(kernel), impossible(kernel)
        shown = (*_spread(ratios(kernel)), f"{beaten:,} of {every:,}")
        found = (str(len(one.tables)), signed(one.errors.median), percent(one.absolute), percent(one.lasting))
        rows.append((pen.words(kernel_title(kernel)), f"{bits_of(kernel):g}", *found, *shown))
    head = (
        "Kernels",
        "bits",
        "tables",
        "off",
        "off, either way",
        "slopes off",
        "time ÷ law",
        "most",
        "beat the datasheet",
    )
    return pen.table(head, rows, "held")


def _corner(pen: Pen) -> str:
    rows = [
        (
            pen.words(one.how),
            f"each {one.by}",
            percent(one.median),
            percent(one.high),
            signed(one.at_corner),
            f"{one.rows:,}",
        )
        for one in corner.errors()
    ]
    head = ("How times join", "held out", "error, median", "nine of ten below", "at the corner", "products")
    return pen.table(head, rows, "held")


def _assumptions(pen: Pen) -> str:
    kernels = sorted(assumptions.counted(), key=bits_of, reverse=True)
    rows = [
        (pen.words(kind), *(percent(kinds_broken(kind, kernel)) for kernel in kernels)) for kind in assumptions.KINDS
    ]
    counts = ("products", *(f"{assumptions.counted()[kernel].total():,}" for kernel in kernels))
    head = ("Assumption that breaks", *(pen.words(kernel_title(kernel)) for kernel in kernels))
    return pen.table(head, [*rows, counts], "held")


def _impossible(pen: Pen) -> str:
    rows = []
    beaten = products().where(products()["ratio"] < 1 - A_FIFTIETH)
    for (device, framework, kernel), some in beaten.groups("device", "framework", "format"):
        largest = float((some["weights"] * some["n_bytes"]).max()) / 1e6
        by = (some["arithmetic"] > some["reading"]).mean()
        facts = (f"{len(some):,}", f"{1 / some['ratio'].min():.2f}", f"{largest:,.0f}", percent(by))
        rows.append((len(some), (_named(pen, device, framework), pen.words(kernel_title(kernel)), *facts)))
    head = ("Device", "kernels", "products", "faster by up to", "largest weights, MB", "bound by arithmetic")
    return pen.table(head, [row for _, row in sorted(rows, key=lambda pair: -pair[0])], "held")


def _trial(pen: Pen) -> str:
    rows = [
        (
            pen.code(one.what),
            pen.words(kernel_title(one.kernel)),
            *(f"{found:,.0f}" for pair in zip(one.predicted, one.measured, strict=True) for found in pair),
            f"{one.moved:.2f}",
        )
        for one in trial()
    ]
    head = ("Matrix", "format", "H100, datasheet", "measured", "H200, datasheet", "measured", "moved by")
    return pen.table(head, rows, "held")


def _steps(pen: Pen) -> str:
    rows = []
    for (device, framework, model), some in steps.all_steps().groups("device", "framework", "model"):
        one = steps.errors(some)
        shown = (percent(one.parts), percent(one.parts_high), percent(one.whole), percent(one.whole_high))
        rows.append((_named(pen, device, framework), pen.words(model), *shown, str(one.rows)))
    laws = (f"{law}, {of}" for law, of in product((steps.PARTS, steps.WHOLE), ("median", "nine of ten below")))
    return pen.table(("Device", "model", *laws, "steps"), rows, "held")


def _sums(pen: Pen) -> str:
    rows = []
    for (device,), some in steps.summed().groups("device"):
        few, many = some["B"] < steps.MANY, some["B"] >= steps.MANY
        for chosen, says in ((few, f"fewer than {steps.MANY}"), (many, f"{steps.MANY} and more")):
            these = some.where(chosen)
            share = these["sum"] / these["time"]
            shown = (f"{share.min():.2f}", f"{share.max():.2f}", plain(1e3 * steps.remainder()[device], 2))
            rows.append((pen.words(title_of(device)), pen.words(says), *shown, str(len(these))))
    head = ("Device", "sequences", "sum ÷ step, least", "most", "besides, ms", "steps")
    return pen.table(head, rows, "held")


def _readings(pen: Pen) -> str:
    rows = []
    for one in attention.all_readings():
        facts = (plain(one.W, 2), plain(one.fixed * 1e6, 1), f"{one.beaten:,} of {one.rows:,}", f"{one.most:.2f}")
        rows.append((_named(pen, one.device, one.framework), pen.words(kernel_title(one.kernel)), *facts))
    head = ("Device", "cache", "of W", "fixed, µs", "beat the datasheet", "the fastest, by a factor of")
    return pen.table(head, rows, "held")


def _reading_errors(pen: Pen) -> str:
    rows = []
    for kernel, by in product(("bfloat16", "fp8"), ("device", "framework")):
        for least, says in ((0.0, "all"), (attention.LONG, f"read for {attention.LONG * 1e6:.0f} µs or longer")):
            shown = _errors(*attention.errors(kernel, by, least))
            rows.append((pen.words(kernel_title(kernel)), f"each {by}", pen.words(says), *shown))
    head = ("Cache", "held out", "points", "error, median", "nine of ten below", "how many")
    return pen.table(head, rows, "held")


def _kernels_of(rows: Rows) -> list[str]:
    return sorted(rows.values("format"), key=bits_of, reverse=True)


def _experts(pen: Pen) -> str:
    rows = []
    measured = experts.experts()
    for kernel in _kernels_of(measured):
        some = measured.of(format=kernel)
        reads = some["reading"] >= some["arithmetic"]
        for chosen, says in ((reads, "reading"), (~reads, "arithmetic")):
            of_time = spread(some["ratio"][chosen])
            beaten = int((some["ratio"][chosen] < 1 - A_FIFTIETH).sum())
            told = f"{beaten:,} of {of_time.rows:,}"
            rows.append((pen.words(kernel_title(kernel)), says, *_spread(of_time), told))
    head = ("Kernels", "longer by law", "time ÷ law", "eight of ten", "beat the datasheet")
    return pen.table(head, rows, "held")


def _expert_errors(pen: Pen) -> str:
    rows = []
    measured = experts.experts()
    for kernel, by in product(_kernels_of(measured), ("device", "framework")):
        if len({*measured.of(format=kernel)[by].tolist()}) > 1:
            rows.append((pen.words(kernel_title(kernel)), f"each {by}", *_errors(*experts.errors(kernel, by))))
    return pen.table(("Kernels", "held out", "error, median", "nine of ten below", "layers"), rows, "held")


def _held_out(pen: Pen) -> str:
    """Errors of every forecast of these pages, on what it was not fitted to."""
    fits = [
        (f"products, bf16, {one.how}", one.by, (one.median, one.high, one.rows))
        for one in corner.errors()
        if one.how == corner.SMOOTH
    ]
    fits += [
        (f"attention, cache in {kernel_title(kernel)}", by, attention.errors(kernel, by))
        for kernel, by in product(("bfloat16", "fp8"), ("device", "framework"))
    ]
    fits += [("experts, bf16", by, experts.errors("bfloat16", by)) for by in ("device", "framework")]
    batches = requests.requests()
    for by, same in _REQUESTS_HELD_OUT:
        fits.append(("whole requests", by, _of(requests.errors(batches, by, same))))
    fits.append(("tokens of a served mixture of experts", "length of prompt and answer", _of(served.all_errors())))
    fits.append(("prompts, timed by us", "device", _of(prompts.errors(prompts.CAUSAL))))
    fits.append(("steps from their parts, timed by us", "device", (*steps.summed_errors(), len(steps.summed()))))
    rows = [(pen.words(what), f"each {by}", *_errors(*error)) for what, by, error in fits]
    return pen.table(("Forecast of", "held out", "error, median", "nine of ten below", "rows"), rows, "held")


def _unseen(pen: Pen) -> str:
    """Forecasts for the device that was held back, from all others."""
    half = datasheet(UNSEEN, "bfloat16")
    crossing = float(compile("batch_crossover")(n_bytes=half.n_bytes, F=half.F, W=half.W))
    cross, reads = crossovers(), readings()
    factor = spread(numpy.array([one.measured / one.predicted for one in cross.tables]))
    rows = [("crossover in bf16, by the datasheet", f"{crossing:,.0f} tokens", "")]
    told = (
        ("crossover in bf16, by the factor of the others", factor, crossing, 0, " tokens"),
        ("share of the bandwidth, products in bf16", cross.share("W"), 1, 2, ""),
        ("share of the arithmetic, products in bf16", cross.share("F"), 1, 2, ""),
        ("share of the bandwidth, caches in bf16", spread(numpy.array([one.W for one in reads])), 1, 2, ""),
        ("time of experts over the law's, bf16", layers(), 1, 2, ""),
    )
    for what, found, scale, places, unit in told:
        middle, low, high = (plain(one * scale, places) for one in (found.median, found.low, found.high))
        rows.append((pen.words(what), middle + unit, f"{low} to {high}"))
    return pen.table((f"Of an {title_of(UNSEEN)}", "forecast", "eight of ten of the others"), rows, "held")


def _prompts(pen: Pen) -> str:
    rows = []
    for (device,), some in prompts.prompts().groups("device"):
        columns = ("N", "time", "reading", prompts.ALL, prompts.CAUSAL)
        for N, time, reading, every, causal in zip(*(some[name].tolist() for name in columns), strict=True):
            shown = (plain(1e3 * time, 1), plain(1e3 * reading, 1), plain(every / time, 2), plain(causal / time, 2))
            rows.append((pen.words(title_of(device)), f"{N:,.0f}", *shown))
    counts = (f"of the peak, {count}" for count in prompts.MET)
    return pen.table(("Device", "tokens", "time, ms", "reading by law, ms", *counts), rows, "held")


def _rings(pen: Pen) -> str:
    rows = []
    for one in collectives.all_rings():
        named = f"{pen.words(title_of(one.device))} {pen.quiet(pen.words(one.kernel))}"
        times = (plain(1e6 * one.hops, 1), plain(1e6 * one.floor, 1))
        rows.append((named, str(one.devices), *times, plain(one.W_link, 2), plain(one.median, 2), str(one.rows)))
    head = ("Device", "devices", "hops by law, µs", "shortest, µs", "of the link", "time ÷ law", "messages")
    return pen.table(head, rows, "held")


def _requests(pen: Pen) -> str:
    rows = []
    for (device, framework), some in requests.requests().groups("device", "framework"):
        of_time = spread(some["ratio"])
        models = len({*some["model"].tolist()})
        other = percent(spread(requests.errors(some, "model", ("device",))).median) if models > 1 else ""
        facts = (f"{some['B'].max():.0f}", str(models), other, str(of_time.rows))
        rows.append((of_time.median, (_named(pen, device, framework), *_spread(of_time), *facts)))
    head = ("Device", "time ÷ law", "eight of ten", "largest batch", "models", "a model from the others", "batches")
    return pen.table(head, [row for _, row in sorted(rows)], "held")


def _request_errors(pen: Pen) -> str:
    rows = []
    for by, same in _REQUESTS_HELD_OUT:
        shown = _errors(*_of(requests.errors(requests.requests(), by, same)))
        rows.append((f"each {by}", pen.words(f"of the same {' and '.join(same)}"), *shown))
    return pen.table(
        ("Held out", "fitted to the others", "error, median", "nine of ten below", "batches"), rows, "held"
    )


def _served(pen: Pen) -> str:
    rows = []
    for (device, framework, kernel, devices), some in served.groups().items():
        ratio, (slope, fixed), apart = spread(some["ratio"]), served.line(some), served.errors(some)
        star = "" if some["hops"].all() else " *"
        named = (
            f"{devices:.0f} × {pen.words(title_of(device))}{star} {pen.quiet(pen.words(framework_title(framework)))}"
        )
        fits = (plain(1e3 * fixed, 1), plain(slope, 2)) if fixed > 0 else ("no line", "")
        fit = (*fits, percent(float(numpy.median(apart))), str(len(some)))
        rows.append((ratio.median, (named, pen.words(kernel_title(kernel)), *_spread(ratio), *fit)))
    head = ("Devices", "format", "time ÷ law", "eight of ten", "fixed, ms", "× law", "other lengths", "rows")
    return pen.table(head, [row for _, row in sorted(rows)], "held")


def _served_batches(pen: Pen) -> str:
    some, rows = served.groups()[served.SHOWN], []
    slope, fixed = served.line(some)
    for (prompt, answer, B), these in sorted(some.groups("prompt", "answer", "B"), key=lambda one: one[0]):
        time, law = (float(numpy.median(these[name])) for name in ("time", "law"))
        told = (plain(1e3 * law, 2), plain(1e3 * (fixed + slope * law), 1), plain(1e3 * time, 1))
        rows.append((f"{prompt:,.0f}", f"{answer:,.0f}", f"{B:.0f}", *told, str(len(these))))
    head = ("prompt", "answer", "requests", "law, ms", "fixed time and factor, ms", "measured, ms", "rows")
    return pen.table(head, rows, "held")


def _staircase(pen: Pen) -> str:
    found = staircase()
    rows = [
        (f"{tokens:,}", str(jumps), str(found.measured[tokens]), percent(jumps / found.measured[tokens]))
        for tokens, jumps in found.jumps.most_common(12)
    ]
    return pen.table(("Tokens", "products that jump there", "products measured there", "share"), rows, "held")


TABLES: dict[str, Callable[..., str]] = {
    "trial": _trial,
    "steps": _steps,
    "sums": _sums,
    "readings": _readings,
    "reading errors": _reading_errors,
    "staircase": _staircase,
    "held out": _held_out,
    "unseen": _unseen,
    "prompts": _prompts,
    "rings": _rings,
    "requests": _requests,
    "served": _served,
    "served batches": _served_batches,
    "request errors": _request_errors,
    "experts": _experts,
    "expert errors": _expert_errors,
    "impossible": _impossible,
    "sets": _sets,
    "crossovers": _crossovers,
    "by format": _by_format,
    "corner": _corner,
    "assumptions": _assumptions,
}


def table(pen: Pen, name: str, *more: str) -> str:
    """A table of the section by its name; `UnknownName` with the nearest."""
    if name not in TABLES:
        raise unknown_name("table of measurements", name, TABLES)
    return TABLES[name](pen, *more)
