"""Pictures of processes: shapes in the colours of the page, which may come and go in time

A figure with `CANVAS = Sketch` draws on one of these in place of matplotlib's. Where nothing may move, which includes
paper, it is a still picture of the whole process. Lengths are points, from the upper left corner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import hypot

INK = "#010101"  # the same that matplotlib's figures have; the page gives it its colour
ROOT = "root:"  # before a link, where the way to the root of the site goes
_A_JUMP = 0.01  # of a step: what is between being there and being gone
_EVENLY = ";animation-timing-function:linear"

Place = tuple[float, float]


@dataclass(frozen=True)
class During:
    """Steps in which a shape is there, from `first` to just before `end`, while the picture moves.

    Attributes:
        first: the step in which it comes.
        end: the step in which it is gone; None where it stays until everything begins anew.
        to: where it goes meanwhile, as a distance to the right and down.
        grown: the step in which it is as wide as it gets, from a line at its left edge.
        still: whether the still picture has it.
    """

    first: float
    end: float | None = None
    to: Place | None = None
    grown: float | None = None
    still: bool = True


@dataclass
class Sketch:
    """Drawing of shapes on top of each other, the first at the bottom.

    Attributes:
        name: that of the figure.
        size: width and height in points.
        steps: how many steps the process has, a pause at its end included.
        seconds: how long a step takes on the screen.
    """

    name: str
    size: Place
    steps: float = 0
    seconds: float = 0.8
    _shapes: list[str] = field(default_factory=list)
    _motions: dict[During, str] = field(default_factory=dict)

    def box(
        self,
        corner: Place,
        size: Place,
        colour: str,
        *,
        edge: str = "none",
        share: float = 1,
        during: During | None = None,
    ) -> None:
        """A rectangle; `share` says how much of its colour covers what is below."""
        (x, y), (wide, high) = corner, size
        covers = f' fill-opacity="{share:g}"' if share < 1 else ""
        where = f'x="{_of(x)}" y="{_of(y)}" width="{_of(wide)}" height="{_of(high)}"'
        around = "" if edge == "none" else f' stroke="{edge}"'
        self._add(f'<rect {where} fill="{colour}"{covers}{around}', "/>", during)

    def line(
        self, *places: Place, colour: str, width: float = 1, arrow: bool = False, during: During | None = None
    ) -> None:
        """A line through some places, at its end an arrow if asked."""
        path = "M" + "L".join(f"{_of(x)} {_of(y)}" for x, y in places)
        if arrow:
            path += _head(places[-2], places[-1])
        self._add(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"', "/>", during)

    def bow(self, begins: Place, ends: Place, out: float, *, colour: str, width: float = 1) -> None:
        """An arrow that leaves to the left and comes back from there, at most about three quarters of `out` away."""
        (x, y), (to_x, to_y) = begins, ends
        curve = f"M{_of(x)} {_of(y)}C{_of(x - out)} {_of(y)} {_of(to_x - out)} {_of(to_y)} {_of(to_x)} {_of(to_y)}"
        path = curve + _head((to_x - 1, to_y), ends)
        self._add(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"', "/>", None)

    def words(
        self,
        place: Place,
        said: str,
        colour: str = INK,
        *,
        size: float = 10,
        anchor: str = "middle",
        page: str = "",
        during: During | None = None,
    ) -> None:
        """Words on a line, above the place where they stand; a link if they lead to a page of the site."""
        (x, y), link = place, ""
        if page:
            link, colour = f'<a href="{ROOT}{escape(page)}">', "currentColor"
        begun = f'<text x="{_of(x)}" y="{_of(y)}" fill="{colour}" font-size="{size:g}" text-anchor="{anchor}"'
        self._add(link + begun, f">{escape(said, quote=False)}</text>" + "</a>" * bool(page), during)

    def svg(self) -> str:
        """The drawing as SVG."""
        wide, high = self.size
        moving = "".join(self._motion(during, name) for during, name in self._motions.items())
        style = f"<style>@media screen and (prefers-reduced-motion: no-preference){{{moving}}}</style>"
        shapes = (style if moving else "") + "".join(self._shapes)
        return f'<svg viewBox="0 0 {wide:g} {high:g}" xmlns="http://www.w3.org/2000/svg">{shapes}</svg>'

    def _add(self, begun: str, ended: str, during: During | None) -> None:
        if during is not None:
            name = self._motions.setdefault(during, f"{self.name}-{len(self._motions)}")
            begun += f' class="{name}"' + ("" if during.still else ' opacity="0"')
        self._shapes.append(begun + ended)

    def _motion(self, during: During, name: str) -> str:
        end = self.steps if during.end is None else during.end
        moments = {0.0: "opacity:0", during.first: "opacity:1"}
        if during.to is not None:
            right, down = during.to
            moments[during.first] += _EVENLY
            moments[end - _A_JUMP] = f"opacity:1;transform:translate({_of(right)}px,{_of(down)}px)"
        if during.grown is not None:
            moments[during.first] += f";transform:scaleX(0){_EVENLY}"
            moments[during.grown] = "opacity:1;transform:none"
        if end < self.steps:
            moments[end] = "opacity:0"
        frames = "".join(f"{_of(100 * moment / self.steps)}%{{{style}}}" for moment, style in moments.items())
        lasts = f"{self.steps * self.seconds:g}s"
        edge = "" if during.grown is None else ";transform-box:fill-box;transform-origin:left"
        return f".{name}{{animation:{name} {lasts} step-end infinite{edge}}}@keyframes {name}{{{frames}}}"


def _head(before: Place, tip: Place, size: float = 3.5) -> str:
    (x0, y0), (x, y) = before, tip
    long = hypot(x - x0, y - y0)
    right, down = (x - x0) / long * size, (y - y0) / long * size
    one, other = (x - right - down / 2, y - down + right / 2), (x - right + down / 2, y - down - right / 2)
    return "".join(f"{kind}{_of(a)} {_of(b)}" for kind, (a, b) in zip("MLL", (one, tip, other), strict=True))


def _of(length: float) -> str:
    return f"{length:.2f}".rstrip("0").rstrip(".")
