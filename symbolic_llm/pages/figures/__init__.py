"""Figures: one file each, drawn at build from the formulas

A file has a `TITLE`, `data()` that asks the formulas, `draw(axes, data)` that draws with matplotlib what they answered,
and `alt(data)` that says it in words. One that is drawn for each example of the book has `title(example)` and
`data(example)` in their place. `data` gives a `Table`; its rows stand under the figure. Several axes are what `AXES`
says, as `subplots` takes it. Colours are those of `COLOURS`: on the page they follow light and dark. A picture of a
process says `CANVAS = Sketch` and is drawn on one: its shapes may come and go.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from io import StringIO
from types import ModuleType
from typing import Any

from ...errors import unknown_name
from ...units import significant
from ..examples import EXAMPLE, Example
from ..kept_pieces import made, version
from ..sketch import Place

# what matplotlib draws with, and the variable that stands for it in the style of the site
COLOURS = {
    "ink": "#010101",
    "quiet": "#020202",
    "grid": "#030303",
    "paper": "#040404",
    "one": "#050505",
    "two": "#060606",
    "three": "#070707",
    "four": "#080808",
}
INK, QUIET, GRID, PAPER, ONE, TWO, THREE, FOUR = COLOURS.values()
_PAGES = __name__.rpartition(".")[0]
Axes = Any  # those of matplotlib, which is imported where something is drawn
Ends = tuple[float | None, float | None] | None  # of an axis
Marks = Mapping[float, str] | Sequence[float]
SIZE = (4.6, 3.3)  # inches; letters of 10 points can be read where it is 350 px wide

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "symbolic_llm",
    "font.family": "sans-serif",
    "font.size": 10,
    "mathtext.default": "regular",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.8,
    "path.simplify_threshold": 0.5,
}


@dataclass(frozen=True)
class Table:
    """Numbers that a figure shows.

    Attributes:
        head: what the columns are, with their units.
        rows: the numbers, a label first where there is one.
        more: whatever else `draw` and `alt` need, by name.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    more: dict[str, Any] = field(default_factory=dict)

    def column(self, place: int) -> list[Any]:
        """The values of the column at a place."""
        return [row[place] for row in self.rows]


@dataclass(frozen=True)
class Figure:
    """A figure as a page shows it."""

    name: str
    caption: str
    alt: str
    svg: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    source: str

    @property
    def moves(self) -> bool:
        """Whether anything in it moves, where it may."""
        return "@keyframes" in self.svg


@cache
def names() -> tuple[str, ...]:
    """Names of all figures, which are those of their files."""
    return tuple(module.name for module in pkgutil.iter_modules(__path__))


@cache
def figure(name: str, example: Example = EXAMPLE) -> Figure:
    """The figure of that name, of an example where it is drawn for one; `UnknownName` with the nearest."""
    if name not in names():
        raise unknown_name("figure", name, names())
    module = importlib.import_module(f".{name}", __name__)
    own = (example,) if of_an_example(name) else ()
    table: Table = module.data(*own)
    alt = module.alt(table)
    title = module.title(*own) if own else module.TITLE
    shown = [[_cell(value) for value in row] for row in table.rows]
    parts = [f"example = {dict(one)}" for one in own]
    source = "\n\n".join([*parts, *(inspect.getsource(part).strip() for part in (module.data, module.draw))])
    source = source.replace("  # noqa: D103", "")
    rows = repr((table.rows, sorted(table.more.items(), key=str)))
    of = *_drawn_with(module), version("matplotlib")
    svg = made(lambda: drawn(module, table, alt), name, rows, *of, sources="figures")
    return Figure(name, title, alt, svg, table.head, shown, source)


def of_an_example(name: str) -> bool:
    """Whether the figure of that name is drawn for an example, and differently for each."""
    return bool(inspect.signature(importlib.import_module(f".{name}", __name__).data).parameters)


def _drawn_with(module: ModuleType) -> list[str]:
    """Sources of a figure, of this folder and of whatever else of the pages it uses."""
    used = {getattr(part, "__module__", None) or "" for part in vars(module).values()} | {__name__}
    return [inspect.getsource(sys.modules[name]) for name in sorted(used) if name.startswith(_PAGES)]


def drawn(module: ModuleType, table: Table, alt: str) -> str:
    """The picture as SVG on one line, its colours those of the page."""
    name = module.__name__.rpartition(".")[2]
    svg = _sketched(module, table, name) if hasattr(module, "CANVAS") else _plotted(module, table)
    return inline(svg, name, alt)


def _sketched(module: ModuleType, table: Table, name: str) -> str:
    wide, high = (72 * inches for inches in getattr(module, "SIZE", SIZE))
    sketch = module.CANVAS(name, (wide, high))
    module.draw(sketch, table)
    return str(sketch.svg())


def _plotted(module: ModuleType, table: Table) -> str:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(_STYLE):
        canvas = Canvas(figsize=getattr(module, "SIZE", SIZE), layout="constrained")
        canvas.patch.set_alpha(0)
        module.draw(canvas.subplots(**getattr(module, "AXES", {})), table)
        written = StringIO()
        canvas.savefig(written, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return written.getvalue()


def inline(svg: str, name: str, alt: str) -> str:
    """SVG to stand in a page: on one line, in the colours and the face of the page, with its text alternative."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<title>.*?</title>", "", svg, flags=re.DOTALL)
    named = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in named else "", svg)
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\1{name}-", svg)  # several figures on a page share no name
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    svg = re.sub(r' width="[\d.]+pt" height="[\d.]+pt"', "", svg, count=1)
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r"; font-family: [^;\"]*", "", svg)  # the face is that of the text around it
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d+\.\d{2})\d+", r"\1", tag[0]), svg)  # but not what it says
    for colour, value in COLOURS.items():
        svg = svg.replace(value, f"var(--figure-{colour})")
    role = "group" if "<a " in svg else "img"  # nobody could follow a link inside an image
    svg = svg.replace("<svg", f'<svg data-search-exclude role="{role}" aria-label="{escape(alt)}" class="figure"', 1)
    return re.sub(r"\s*\n\s*", " ", svg).strip()


def across(axes: Axes, label: str, ends: Ends = None, marks: Marks = (), *, log: bool = False) -> None:
    """Describe the axis to the right: what is along it, from where to where, and the numbers that are marked.

    Args:
        axes: those of matplotlib, on which everything is drawn already.
        label: what is along it.
        ends: where it begins and ends; where what is drawn does, if left out.
        marks: the numbers; or words for them, by number.
        log: whether it is logarithmic.
    """
    _along(axes, "x", label, ends, marks, log)


def up(axes: Axes, label: str, ends: Ends = None, marks: Marks = (), *, log: bool = False) -> None:
    """Describe the axis that leads up, as `across` does the other."""
    _along(axes, "y", label, ends, marks, log)


def pointed(axes: Axes, words: str, about: Place, place: Place, side: str = "center") -> None:
    """Write words in some place, with a line to what they are about; `side` of them is where the line begins."""
    axes.annotate(words, about, place, ha=side, arrowprops={"arrowstyle": "-", "color": QUIET})


def down(axes: Axes, names: Sequence[str], size: float = 9) -> None:
    """Name what is drawn in rows, the first above."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelsize=size, length=0)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def _along(axes: Axes, which: str, label: str, ends: Ends, marks: Marks, log: bool) -> None:
    said: dict[str, Any] = {"label": label} | ({"scale": "log"} if log else {}) | ({"lim": ends} if ends else {})
    axes.set(**{f"{which}{what}": value for what, value in said.items()})
    if marks:
        words = marks.values() if isinstance(marks, Mapping) else [f"{mark:,g}" for mark in marks]
        getattr(axes, f"set_{which}ticks")([*marks], words)
    if log:
        axes.minorticks_off()


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    return f"{value:,}" if isinstance(value, int) else significant(value, 4, ",")
