"""Pictures of processes: shapes in the colours of the page, which may come and go in time

A figure with `CANVAS = Sketch` draws on one of these in place of matplotlib's. Where nothing may move, which includes
paper, it is a still picture of the whole process. Lengths are points, from the upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from math import hypot

INK = "#010101"  # the same that matplotlib's figures have; the page gives it its colour
PAUSE = '<label class="pause"><input type="checkbox"> Pause</label>'  # stands in the figure that it stops
ROOT = "root:"  # before a link, where the way to the root of the site goes
_A_JUMP = 0.01  # of a step: what is between being there and being gone
_EVENLY = ";animation-timing-function:linear"
_PIECE = (6.0, 4.0)  # of a flow: how long a piece is, and the gap behind it

Place = tuple[float, float]


@dataclass(frozen=True)
class During:
    """Steps in which a shape is there, from `first` to just before `end`, while the picture moves.

    Attributes:
        first: the step in which it comes.
        end: the step in which it is gone; None where it stays until everything begins anew.
        to: where it goes meanwhile, as a distance to the right and down.
        grown: the step in which it is as wide as it gets, from a line at its left edge.
        uncovers: how many equal pieces below it come to light in that time, as it shrinks towards its right edge.
        every: after how many steps its own motion begins anew; None where it does so with everything else.
        still: whether the still picture has it.
    """

    first: float
    end: float | None = None
    to: Place | None = None
    grown: float | None = None
    uncovers: int = 0
    every: float | None = None
    still: bool = True


@dataclass
class Sketch:
    """Drawing of shapes on top of each other, the first at the bottom.

    Attributes:
        name: that of the figure.
        size: width and height in points.
        steps: how many steps the process has, a pause at its end included.
        seconds: how long a step takes on the screen: a number, or a length of time in CSS, such as a variable.
    """

    name: str
    size: Place
    steps: float = 0
    seconds: float | str = 0.8
    _shapes: list[str] = field(default_factory=list)
    _motions: dict[During, str] = field(default_factory=dict)
    _flow: str = ""

    def boxes(
        self,
        corners: Iterable[Place],
        size: Place,
        colour: str,
        *,
        edge: str = "none",
        share: float = 1,
        during: During | None = None,
    ) -> None:
        """Rectangles of one size and look, as a single shape; `share` says how much of it covers what is below."""
        wide, high = map(_of, size)
        path = "".join(f"M{_of(x)} {_of(y)}h{wide}v{high}h-{wide}z" for x, y in corners)
        self._add(f'<path d="{path}" {_filled(colour, edge, share)}', "/>", during)

    def line(
        self,
        *places: Place,
        colour: str,
        width: float = 1,
        arrow: bool = False,
        dashes: Place | None = None,
        during: During | None = None,
    ) -> None:
        """A line through some places, at its end an arrow if asked; `dashes` are a piece and the gap behind it."""
        path = "M" + "L".join(f"{_of(x)} {_of(y)}" for x, y in places)
        if arrow:
            path += _head(places[-2], places[-1])
        broken = "" if dashes is None else f' stroke-dasharray="{dashes[0]:g} {dashes[1]:g}"'
        self._add(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{_of(width)}"{broken}', "/>", during)

    def arrows(self, ways: Iterable[tuple[Place, Place]], *, colour: str, width: float = 1) -> None:
        """Straight arrows of one look, as a single shape."""
        path = "".join(
            f"M{_of(x)} {_of(y)}L{_of(to_x)} {_of(to_y)}{_head((x, y), (to_x, to_y))}" for (x, y), (to_x, to_y) in ways
        )
        self._add(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{_of(width)}"', "/>", None)

    def flow(self, begins: Place, ends: Place, *, colour: str, width: float, seconds: float) -> None:
        """Pieces on their way from one place to another; each takes `seconds` for its length and the gap behind it."""
        name = f"{self.name}-flow"
        self._flow = f".{name}{{animation:{name} {seconds:g}s linear infinite}}"
        self._flow += f"@keyframes {name}{{to{{stroke-dashoffset:-{sum(_PIECE):g}}}}}"
        self.line(begins, ends, colour=colour, width=width, dashes=_PIECE)
        self._shapes[-1] = self._shapes[-1].replace("<path", f'<path class="{name}"', 1)

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
        anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
        begun = f'<text x="{_of(x)}" y="{_of(y)}" fill="{colour}" font-size="{size:g}"{anchored}'
        self._add(link + begun, f">{escape(said, quote=False)}</text>" + "</a>" * bool(page), during)

    def svg(self, *, moving: bool = True) -> str:
        """The drawing as SVG, with what moves it or without."""
        wide, high = self.size
        shapes = (self.style() if moving else "") + "".join(self._shapes)
        return f'<svg viewBox="0 0 {wide:g} {high:g}" xmlns="http://www.w3.org/2000/svg">{shapes}</svg>'

    def style(self) -> str:
        """All motions, where motion is welcome; "" if nothing moves."""
        moving = self._flow + "".join(self._motion(during, name) for during, name in self._motions.items())
        return moving and f"<style>@media screen and (prefers-reduced-motion: no-preference){{{moving}}}</style>"

    def _add(self, begun: str, ended: str, during: During | None) -> None:
        if during is not None:
            name = self._motions.setdefault(during, f"{self.name}-{len(self._motions)}")
            begun += f' class="{name}"' + ("" if during.still else ' opacity="0"')
        self._shapes.append(begun + ended)

    def _motion(self, during: During, name: str) -> str:
        whole = self.steps if during.every is None else during.every
        end = whole if during.end is None else during.end
        moments = {0.0: "opacity:0", during.first: "opacity:1"}
        if during.to is not None:
            right, down = during.to
            moments[during.first] += _EVENLY
            moments[end - _A_JUMP] = f"opacity:1;transform:translate({_of(right)}px,{_of(down)}px)"
        if during.grown is not None:
            moments[during.first] += f";transform:scaleX(0){_EVENLY}"
            moments[during.grown] = "opacity:1;transform:none"
        if during.uncovers:
            moments[during.first] += f";transform:none;animation-timing-function:steps({during.uncovers})"
            moments[end] = "opacity:1;transform:scaleX(0)"
        elif end < whole:
            moments[end] = "opacity:0"
        frames = "".join(f"{_of(100 * moment / whole)}%{{{style}}}" for moment, style in moments.items())
        lasts = f"calc({whole:g}*{self.seconds})" if isinstance(self.seconds, str) else f"{whole * self.seconds:g}s"
        fixed = "left" if during.grown is not None else "right" if during.uncovers else ""
        edge = f";transform-box:fill-box;transform-origin:{fixed}" if fixed else ""
        return f".{name}{{animation:{name} {lasts} step-end infinite{edge}}}@keyframes {name}{{{frames}}}"


def _filled(colour: str, edge: str, share: float) -> str:
    covers = f' fill-opacity="{share:g}"' if share < 1 else ""
    around = "" if edge == "none" else f' stroke="{edge}"'
    return f'fill="{colour}"{covers}{around}'


def _head(before: Place, tip: Place, size: float = 3.5) -> str:
    (x0, y0), (x, y) = before, tip
    long = hypot(x - x0, y - y0)
    right, down = (x - x0) / long * size, (y - y0) / long * size
    one, other = (x - right - down / 2, y - down + right / 2), (x - right + down / 2, y - down - right / 2)
    return "".join(f"{kind}{_of(a)} {_of(b)}" for kind, (a, b) in zip("MLL", (one, tip, other), strict=True))


def _of(length: float) -> str:
    return f"{length:.2f}".rstrip("0").rstrip(".")
