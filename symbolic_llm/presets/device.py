"""A machine, with what each source prints of it"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..units import in_base_units
from .tables import names

FAR = Fraction(11, 10)  # two sources that are further apart than this do not print the same figure rounded
ANY = "peak"  # the name of a peak that holds whatever the number format
UNNAMED = "your machine"
USUAL = ("fp16", "bf16")  # formats that are meant where none is named: as many bytes, and mostly one peak for both
NODE, OF_NODES = 8, "bekman-network-2026"  # devices that most nodes have, and whose links within a node these are
GIVEN = "given"  # the source of what letters say
MEANT = {"M": "memory", "W": "bandwidth", "W_link": "link", "T_link": "link_latency", "F": ANY}


@dataclass(frozen=True)
class Figure:
    """A value as its source prints it, in the letter's unit or with a unit of its own."""

    value: str
    source: str

    def agrees(self, other: Figure) -> bool:
        """Whether both print the same quantity, in whatever unit."""
        return self.over(other) == 1

    def is_far_from(self, other: Figure) -> bool:
        """Whether the two are further apart than rounding and GB for GiB explain."""
        return not 1 / FAR <= self.over(other) <= FAR

    def over(self, other: Figure) -> Fraction:
        """Ratio of this figure to the other one."""
        return in_base_units(self.value) / in_base_units(other.value)


@dataclass(frozen=True)
class Device:
    """A machine: memory `M`, bandwidth `W` and peak arithmetic by number format.

    Attributes:
        name: a preset's name, or the path of its file.
        title: what it is called.
        printed: everything that is printed of it, as (what, figure): "memory", "bandwidth", "on_chip", "link" (one way
            to another device), "link_latency", a number format, or "peak" for one that holds whatever the format. Of
            two figures for the same, the first one counts.
        multiplies_on: what computes its matrix products: "tensor cores", "GPU cores"; "" where nobody said.
        asked: how it was asked for, where not by its name: "t4@techpowerup".
        apart: what divides sources that print figures far from each other, as (what, why).
    """

    name: str
    title: str
    printed: tuple[tuple[str, Figure], ...]
    multiplies_on: str = ""
    asked: str = ""
    apart: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.asked or self.name

    @property
    def figures(self) -> dict[str, Figure]:
        """Figures that count, by what they are figures of: memory first, number formats last."""
        # reversed, since of two figures for the same the first one counts, and a dict keeps the last
        counting = dict(reversed(self.printed))
        order = ("memory", "bandwidth", "on_chip", "link", "link_latency", ANY, *names("formats"))
        return {what: counting[what] for what in dict.fromkeys((*order, *counting)) if what in counting}

    @property
    def also(self) -> tuple[tuple[str, Figure], ...]:
        """Figures that other sources print and that differ from those that count, as (what, figure)."""
        counting = self.figures
        return tuple((what, figure) for what, figure in self.printed if not figure.agrees(counting[what]))

    @property
    def sources(self) -> tuple[str, ...]:
        """Sources of the figures that count, each once."""
        return tuple(dict.fromkeys(figure.source for figure in self.figures.values() if figure.source))

    def peak(self, computed_in: str | None) -> str | None:
        """The name of the peak for arithmetic in a format: the format's own, or the one that holds for any."""
        figures = self.figures
        return next((what for what in (ANY, computed_in) if what in figures), None)

    def usual(self) -> str:
        """The number format of its arithmetic where none is named: fp16, or bf16 if only of that a peak is known."""
        return next((one for one in USUAL if self.peak(one) is not None), USUAL[0])

    def within_a_node(self, devices: int) -> str:
        """Remark that so many devices are timed by a link within a node; "" for no more than most nodes have.

        Examples:
            >>> from symbolic_llm import presets
            >>> presets.hardware("h100-sxm").within_a_node(8)
            ''
            >>> presets.hardware("h100-sxm").within_a_node(16).partition(",")[0]
            '16 devices are timed as if in one node'
        """
        link = self.figures.get("link")
        if link is None or link.source != OF_NODES or devices <= NODE:
            return ""
        timed = f"{devices:,} devices are timed as if in one node, with its link of {link.value}"
        return f"{timed} ({OF_NODES}: most nodes have {NODE}); links between nodes are slower"

    def provenance(self, *asked: str) -> tuple[str, ...]:
        """Lines on its sources: for each that counts, for each that prints another figure, for each cause of a far one.

        They are of all figures, or only of those that are asked for.

        Examples:
            >>> from symbolic_llm import presets
            >>> presets.hardware("t4").provenance("bandwidth", "fp16")
            ('bandwidth 300 GB/s, fp16 65 TFLOP/s (baseten-2023)', 'techpowerup states bandwidth 320 GB/s')
        """
        shown = [(what, figure) for what, figure in self.figures.items() if not asked or what in asked]
        others = [(what, figure) for what, figure in self.also if not asked or what in asked]
        return (
            *(f"{values} ({source})" if source else values for source, values in _by_source(shown)),
            *(f"{source} states {values}" for source, values in _by_source(others)),
            *(f"{what}: {why}" for what, why in self.apart if not asked or what in asked),
        )

    @property
    def letters(self) -> dict[str, str]:
        """The letters that were given for it: {"W": "1 TB/s"}."""
        figures = self.figures
        return {
            letter: figures[what].value
            for letter, what in MEANT.items()
            if what in figures and figures[what].source == GIVEN
        }

    def options(self, computed_in: str | None) -> tuple[str, dict[str, str]]:
        """Arguments of a command for this device: the name for --hardware, or "", and the letters beside it."""
        if self.name != UNNAMED:
            return str(self), self.letters
        figures, peak = self.figures, self.peak(computed_in)
        found = {letter: peak if what == ANY else what for letter, what in MEANT.items()}
        return "", {letter: figures[what].value for letter, what in found.items() if what in figures}


def _by_source(printed: Iterable[tuple[str, Figure]]) -> Iterable[tuple[str, str]]:
    """Each source with what it prints, in one line."""
    values: dict[str, list[str]] = {}
    for what, figure in printed:
        values.setdefault(figure.source, []).append(f"{what} {figure.value}")
    return ((source, ", ".join(lines)) for source, lines in values.items())
