"""Tables of the section “Does it hold?”, and the numbers of its sentences, from measured sets as they are read"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy

from ..errors import unknown_name
from ..measurements import assumptions, corner, measured_set, names
from ..measurements.machines import bits_of, framework_title, title_of
from ..measurements.machines import format_title as kernel_title
from ..measurements.products import Table, all_tables, products
from ..measurements.statistics import Spread, spread
from .pen import Pen

FOLDER = "reality"
HALF = "bfloat16"


def percent(share: float, digits: int = 2) -> str:
    """A share as text, in per cent to so many figures: "−37 %"."""
    rounded = float(f"{100 * share:.{digits}g}")
    return f"{rounded:,g} %".replace("-", "−")


def signed(share: float, digits: int = 2) -> str:
    """How far one number is off another: "+2.1 %", or "21 ×" where it is more than twice as large."""
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
        """How many points they rest on."""
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
    """How many products in a format beat their datasheet, of how many, and the largest factor by which one does."""
    ratio = products().of(format=kernel)["ratio"]
    return int((ratio < 1 - assumptions.BEATEN).sum()), len(ratio), float(1 / ratio.min())


def kinds_broken(kind: str, kernel: str = HALF) -> float:
    """The share of products in a format that break an assumption."""
    counted = assumptions.counted()[kernel]
    return counted[kind] / counted.total()


def where(one: Table) -> str:
    """The device of a table and whose kernels it ran."""
    return f"{title_of(one.device)} with {framework_title(one.framework)}"


# Tables


def _sets(pen: Pen) -> str:
    made = ""
    for name in names():
        one = measured_set(name)
        facts = (
            ("Measured by", pen.words(one.measured_by)),
            ("Source", f"{pen.cite(one.url, pen.words(one.source))}, {pen.words(one.licence)}"),
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


def _named(pen: Pen, one: Table) -> str:
    return f"{pen.words(title_of(one.device))} {pen.quiet(pen.words(framework_title(one.framework)))}"


def _crossovers(pen: Pen, *kernels: str) -> str:
    rows = []
    for kernel in kernels:
        for one in sorted(crossovers(kernel).tables, key=lambda table: abs(table.error)):
            known = (pen.words(kernel_title(kernel)),) if len(kernels) > 1 else ()
            measured = (f"{one.predicted:,.0f}", f"{one.measured:,.0f}", signed(one.error))
            slopes = signed(one.F / one.W - 1) if min(one.W, one.F) > 0 else "no line"
            shares = (plain(one.W, 2), plain(one.F, 2), plain(one.fixed * 1e6, 1), str(one.rows))
            rows.append((*known, _named(pen, one), *measured, slopes, *shares))
    format_too = ("Kernels",) if len(kernels) > 1 else ()
    head = (*format_too, "Device", "datasheet", "measured", "off", "slopes off", "of W", "of F", "fixed, µs", "points")
    return pen.table(head, rows, "held")


def _by_format(pen: Pen) -> str:
    rows = []
    for kernel in sorted({one.kernel for one in all_tables()}, key=bits_of, reverse=True):
        one, (beaten, every, _) = crossovers(kernel), impossible(kernel)
        of_time = ratios(kernel)
        shown = (f"{of_time.median:.2f}", f"{of_time.low:.2f} to {of_time.high:.2f}", f"{beaten:,} of {every:,}")
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
    beaten = products().where(products()["ratio"] < 1 - assumptions.BEATEN)
    for (device, framework, kernel), some in beaten.groups("device", "framework", "format"):
        largest = float((some["weights"] * some["n_bytes"]).max()) / 1e6
        named = f"{pen.words(title_of(device))} {pen.quiet(pen.words(framework_title(framework)))}"
        by = (some["arithmetic"] > some["reading"]).mean()
        facts = (f"{len(some):,}", f"{1 / some['ratio'].min():.2f}", f"{largest:,.0f}", percent(by))
        rows.append((len(some), (named, pen.words(kernel_title(kernel)), *facts)))
    head = ("Device", "kernels", "products", "faster by up to", "largest weights, MB", "bound by arithmetic")
    return pen.table(head, [row for _, row in sorted(rows, key=lambda pair: -pair[0])], "held")


TABLES: dict[str, Callable[..., str]] = {
    "impossible": _impossible,
    "sets": _sets,
    "crossovers": _crossovers,
    "by format": _by_format,
    "corner": _corner,
    "assumptions": _assumptions,
}
NUMBERS = {
    one.__name__: one for one in (percent, signed, plain, crossovers, ratios, errors, impossible, kinds_broken, where)
}


def table(pen: Pen, name: str, *more: str) -> str:
    """A table of the section by its name; `UnknownName` with the nearest."""
    if name not in TABLES:
        raise unknown_name("table of measurements", name, TABLES)
    return TABLES[name](pen, *more)
