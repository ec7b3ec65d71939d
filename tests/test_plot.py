"""Plots: what is drawn is what `evaluate` says, a file is the same each time, and what cannot be drawn is a sentence"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symbolic_llm import Operations, errors, evaluate, plot, presets, sweep
from symbolic_llm.cli import main
from symbolic_llm.models.formula_table import chosen
from symbolic_llm.reports import charts
from symbolic_llm.reports.drawing import save
from symbolic_llm.reports.terminal_plot import text

A100, H200 = "a100-80gb-sxm", "h200-sxm"
ON: dict[str, Any] = {"model": "llama-3-8b", "hardware": A100, "dtype": "fp16"}
KINDS = {"roofline": {"B": 16}, "step": {}, "frontier": {}}


def lines(figure: Any) -> dict[str, Any]:
    """Curves by their labels."""
    return {line.get_label(): line for line in figure.axes[0].lines if len(line.get_xdata())}


def curve(figure: Any, start: str) -> Iterator[tuple[float, float]]:
    """Some of the points that are drawn of the curve whose label starts so, the ends among them."""
    (found,) = (line for label, line in lines(figure).items() if label.startswith(start))
    points = [*zip(found.get_xdata(), found.get_ydata(), strict=True)]
    return iter([*points[:: max(1, len(points) // 6)], points[-1]])


def wrong_roofs(figure: Any, hardware: str, title: str) -> list[float]:
    """Intensities at which a roof is not what `evaluate` says."""
    asked = {"hardware": hardware, "dtype": "fp16"}
    return [x for x, y in curve(figure, title) if y != pytest.approx(evaluate("attainable_flops", **asked, I_matrix=x))]


def points(figure: Any) -> set[tuple[float, float]]:
    """The points that are drawn."""
    return {tuple(map(float, at)) for one in figure.axes[0].collections for at in one.get_offsets()}


def test_a_roofline_has_the_roofs_and_each_operation_on_them() -> None:
    """Each of two machines has a roof that bends at its ridge point; the legend names every operation."""
    figure = plot("roofline", model="mixtral-8x7b", hardware=[A100, H200], B=16)
    for hardware, title in ((A100, "NVIDIA A100"), (H200, "NVIDIA H200")):
        assert not wrong_roofs(figure, hardware, title)
        (roof,) = (line for label, line in lines(figure).items() if label.startswith(title))
        ridge = evaluate("ridge_point", hardware=hardware, dtype="fp16")
        assert ridge in roof.get_xdata()
    step = Operations("mixtral-8x7b", batch=16)
    attained = {
        (x, evaluate("attainable_flops", hardware=on, dtype="fp16", I_matrix=x))
        for x in {float(line.intensity) for line in step.lines}
        for on in (A100, H200)
    }
    assert len(attained) == 2 * 3
    assert np.array(sorted(points(figure))) == pytest.approx(np.array(sorted(attained)))
    said = " ".join(text.get_text() for text in figure.legends[0].get_texts())
    assert all(line.name.rpartition(".")[2] in said.replace("\n", " ") for line in step.lines)


def test_a_wrong_point_is_noticed() -> None:
    """The twin: with one height moved by a thousandth, this test's own reading finds it."""
    figure = plot("roofline", **ON)
    (roof,) = (line for label, line in lines(figure).items() if label.startswith("NVIDIA"))
    heights = roof.get_ydata().copy()
    heights[0] *= 1.001
    roof.set_ydata(heights)
    assert wrong_roofs(figure, A100, "NVIDIA") == [roof.get_xdata()[0]]


def test_operations_lie_on_the_roof_of_their_own_time() -> None:
    """An operation attains, by its roof as by product_time, what it computes in the time that product_time says."""
    for line in Operations("llama-2-70b", A100, batch=200).lines:
        assert line.time is not None
        attained = evaluate("attainable_flops", hardware=A100, dtype="fp16", I_matrix=line.intensity)
        assert attained == pytest.approx(float(line.flops / line.time))


@pytest.mark.parametrize("model", ["llama-2-70b", "llama-3-8b", "mixtral-8x7b"])
def test_a_step_has_its_times_and_where_memory_is_full(model: str) -> None:
    """Each curve is its formula, and the upper bound both times added."""
    asked = {**ON, "model": model, "N": 2048}
    figure = plot("step", **asked)

    def said(formula: str, batch: float) -> float:
        return evaluate(formula, **asked, B=int(batch))

    for start, formulas in {
        "full overlap": ["latency_with_cache"],
        "part by part": ["separate_latency"],
        "reading": ["memory_time_with_cache"],
        "arithmetic": ["compute_time_with_attention"],
        "no overlap": ["memory_time_with_cache", "compute_time_with_attention"],
    }.items():
        for batch, time in curve(figure, start):
            assert time == pytest.approx(sum(said(formula, batch) for formula in formulas)), (start, batch)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    if model == "llama-3-8b":
        assert f"beyond the {evaluate('sequences_that_fit', **asked)} sequences that fit" in texts
    else:
        assert "the weights alone do not fit" in texts


def test_a_frontier_ends_where_memory_is_full() -> None:
    """A curve for each context: its points are those of batches, the last of them the largest that fits."""
    figure = plot("frontier", **ON, N=[1024, 8192])
    for context in (1024, 8192):
        most = evaluate("sequences_that_fit", **ON, N=context)
        label = f"context {context:,}: memory is full at {most:,}"
        drawn = lines(figure)[label]
        batches = [*range(1, most + 1)]
        times, rates = (
            sweep(f, **ON, N=context, B=batches).values for f in ("latency_with_cache", "throughput_with_cache")
        )
        found = {*zip(times, rates, strict=True)}
        assert found >= {*zip(drawn.get_xdata(), drawn.get_ydata(), strict=True)}
        assert drawn.get_xdata()[-1] == pytest.approx(evaluate("latency_with_cache", **ON, N=context, B=most))
        assert drawn.get_ydata()[-1] == pytest.approx(evaluate("throughput_with_cache", **ON, N=context, B=most))
    batches = {text.get_text() for text in figure.axes[0].texts}
    assert {"1", "4", "16", "64"} <= batches


def test_what_does_not_fit_is_said() -> None:
    """Beside what does; where nothing fits there is no frontier."""
    figure = plot("frontier", **{**ON, "hardware": ["t4", A100]})
    assert "NVIDIA T4: does not fit" in [text.get_text() for text in figure.legends[0].get_texts()]
    with pytest.raises(errors.NoSolution, match=r"^there is no frontier, because not even one sequence fits\.$"):
        plot("frontier", **{**ON, "hardware": "t4"})


def test_batches_contexts_and_machines_of_ones_own() -> None:
    """By other names of the letters, and in any order; a machine without memory has no end."""
    figure = plot("frontier", model="llama-2-7b", W="1 TB/s", F="100 TFLOP/s", batch=["16", 4, 1], context="8Ki")
    drawn = lines(figure)["context 8,192"]
    asked = {"model": "llama-2-7b", "dtype": "fp16", "W": "1 TB/s", "F": "100 TFLOP/s", "N": 8192}
    assert drawn.get_xdata() == pytest.approx([evaluate("latency_with_cache", **asked, B=b) for b in (1, 4, 16)])


@pytest.mark.parametrize("kind", KINDS)
def test_axes_have_units_and_the_legend_covers_no_point(kind: str) -> None:
    """The legend stands outside the axes, and each axis has a title with its unit."""
    figure = plot(kind, **ON, **KINDS[kind])
    figure.draw_without_rendering()
    (axes,), (legend,) = figure.axes, figure.legends
    assert not axes.get_window_extent().overlaps(legend.get_window_extent())
    for label in (axes.get_xlabel(), axes.get_ylabel()):
        assert label.rstrip(")").rpartition("(")[2] in ("FLOP/byte", "FLOP/s", "sequences", "s", "tokens/s")
    assert "Llama 3 8B on NVIDIA A100 80GB SXM" in figure.get_suptitle()
    assert "context 4,096" in figure.get_suptitle()


@pytest.mark.parametrize(
    ("kind", "ending"),
    [("roofline", "svg"), ("step", "svg"), ("frontier", "svg"), ("frontier", "png"), ("frontier", "pdf")],
)
def test_the_same_picture_is_the_same_file(kind: str, ending: str, tmp_path: Path) -> None:
    """And one of other numbers is another."""
    written = []
    for name, context in (("one", 4096), ("two", 4096), ("other", 4097)):
        path = tmp_path / f"{name}.{ending}"
        save(plot(kind, **ON, **KINDS[kind], N=context), path)
        written.append(path.read_bytes())
    assert written[0] == written[1] != written[2]
    assert written[0].startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


@pytest.mark.parametrize("kind", KINDS)
def test_a_context_beyond_the_model_is_said_in_the_title(kind: str) -> None:
    """In the words of every other answer; up to the model's limit nothing is said."""
    said = "8,193 tokens exceed the context limit of Llama 3 8B, 8,192 tokens"
    titles = [plot(kind, **ON, **KINDS[kind], N=context).get_suptitle() for context in (8192, 8193)]
    assert [said in title.splitlines() for title in titles] == [False, True]


def test_nothing_is_drawn_where_a_cell_has_no_answer() -> None:
    """A hole in a curve would be read as a value: the reason is the error."""
    model = replace(presets.model("deepseek-v4-flash"))
    vars(model)["formulas"] = chosen(model.traits)  # as if nothing counted what its blocks keep
    for kind in ("step", "frontier"):
        with pytest.raises(errors.NoSolution, match="no formula counts"):
            plot(kind, model=model, hardware=A100)
    holes = sweep("sequences_that_fit", model="llama-2-70b", hardware=A100, dtype="fp16", N=[1, 2])
    assert np.isnan(holes.values).all()
    with pytest.raises(errors.NoSolution, match="the weights alone do not fit"):
        charts._values(holes)


WRONG = {
    "pie {0}.svg": "there is no kind of plot 'pie'; choose from frontier, roofline, step.",
    "roof {0}.svg": "there is no kind of plot 'roof'; did you mean roofline?",
    "step {0}.jpg --model llama-3-8b --hardware a10": "the name of a picture must end in .pdf, .png or .svg, but ",
    "step {0}/no.svg --model llama-3-8b --hardware a10": "could not be written: No such file or directory.",
    "roofline {0}.svg --model llama-3-8b": "this plot needs a machine (--hardware, or F and W).",
    "step {0}.svg --hardware a10": "this plot needs a model (--model).",
    "step {0}.svg --model llama-3-8b --hardware a10 B=4": (
        "this plot has the batch as its axis: give several values, as in B="
    ),
    "step {0}.svg --model llama-3-8b --hardware a10,t4": "this plot takes a single value for --hardware.",
    "roofline {0}.svg --model llama-3-8b --hardware a10 B=1,2": "this plot takes a single value for B.",
    "frontier {0}.svg --model llama-3-8b --hardware a10 N=": "N: '' is not a number",
    "frontier {0}.svg --model llama-3-8b --hardware a10 N=1 context=2": "N or B was given twice, under",
    "frontier {0}.svg --model llama-3-8b --hardware a10 Z=2": "there is no letter of a machine 'Z'",
    "frontier {0}.svg --model llama-3-8b --hardware a10 N=1,2,3,4,5,6,7,8,9": "9 curves are too many to tell apart",
    "roofline {0}.svg --hardware a10 --dtype fp8": "a10 has no peak for fp8",
}  # fmt: skip


@pytest.mark.parametrize("asked", WRONG)
def test_what_cannot_be_drawn_is_a_sentence(asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And no file."""
    assert main(["plot", *asked.format(tmp_path / "picture").split()]) == 2
    said = capsys.readouterr().err
    assert WRONG[asked] in said
    assert said.count("\n") == 1
    assert not [*tmp_path.iterdir()]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        errors.MissingDependency, match=r"^a plot needs matplotlib; install it with pip install 'symbolic-llm\[plot\]'"
    ):
        plot("step", **ON)


def test_matplotlib_is_imported_with_the_first_picture_only() -> None:
    """And then without pyplot, whose state is the program's own; its settings stay as they were."""
    program = (
        "import sys, symbolic_llm; from symbolic_llm import plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import matplotlib; before = matplotlib.rcParams['font.size']\n"
        "plot('roofline', hardware='a10')\n"
        "assert 'matplotlib.pyplot' not in sys.modules and matplotlib.rcParams['font.size'] == before != 9"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line writes the same file as Python, byte for byte."""
    path, same = tmp_path / "found.SVG", tmp_path / "same.svg"
    asked = ["plot", "frontier", str(path), "--hardware", f"{A100},{H200}", "model=llama-3-8b", "N=4Ki", "B=1,2,8"]
    assert main(asked) == 0
    assert capsys.readouterr().out == f"frontier written to {path}\n"
    save(plot("frontier", model="llama-3-8b", hardware=[A100, H200], N=4096, B=[1, 2, 8]), same)
    assert path.read_bytes() == same.read_bytes()
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"kind": "frontier", "file": str(path)}


# In a terminal


def signs(picture: str) -> dict[str, set[tuple[int, int]]]:
    """Places of each curve's sign in a picture as text, by the curve's label."""
    rows = [line[1 : line.rindex("│")] for line in picture.splitlines() if line.startswith("│")]
    legend = dict(line.split(maxsplit=1)[::-1] for line in picture.splitlines()[len(rows) :] if line.startswith("  "))
    return {
        label: {(number, place) for number, row in enumerate(rows) for place, one in enumerate(row) if one == sign[0]}
        for label, sign in legend.items()
        if sign in ("++", "xx", "oo", "**", "~~")
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_terminal_shows_the_curves_of_the_picture(kind: str) -> None:
    """Each has a sign and a line of the legend; no line is wider than it may be, and numbers have their units."""
    figure = plot(kind, **ON, **KINDS[kind])  # type: ignore[arg-type]
    picture = text(figure, width=90, height=12)
    for line in picture.splitlines()[:-3]:
        assert len(line) <= 90 or "│" not in line
    assert sum(line.startswith("│") for line in picture.splitlines()) == 12
    curves = {label for label in lines(figure) if not label.startswith("_")}
    assert curves <= signs(picture).keys()
    assert any(signs(picture)[label] for label in curves)
    assert figure.get_suptitle().splitlines()[0] in picture
    assert "10^" not in picture


def test_a_curve_of_the_terminal_is_where_it_is_in_the_picture() -> None:
    """The twin of the test before: a curve that is moved is drawn elsewhere."""
    figure = plot("step", **ON, B=[1, 8, 64, 512, 1024])
    places = signs(text(figure))
    (whole,) = (label for label in places if label.startswith("full overlap"))
    assert places[whole]
    (line,) = (line for label, line in lines(figure).items() if label == whole)
    line.set_ydata(line.get_ydata() * 1.5)
    assert signs(text(figure))[whole] != places[whole]


def test_a_picture_is_printed_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a file or with one; letters may stand where the file would."""
    monkeypatch.setenv("COLUMNS", "100")
    asked = ["--terminal", "--model", "llama-3-8b", "--hardware", A100, "--dtype", "fp16"]
    drawn = text(plot("roofline", **ON, B=16), 100)
    assert main(["plot", "roofline", "B=16", *asked]) == 0
    assert capsys.readouterr().out == f"{drawn}\n"
    path = tmp_path / "roof.svg"
    assert main(["plot", "roofline", str(path), "B=16", *asked]) == 0
    assert capsys.readouterr().out == f"{drawn}\nroofline written to {path}\n"
    assert path.is_file()
    assert main(["plot", "roofline", "--hardware", A100]) == 2
    assert "plot needs a FILE to write, or --terminal" in capsys.readouterr().err


def test_without_uniplot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the extra."""
    monkeypatch.setitem(sys.modules, "uniplot", None)
    with pytest.raises(
        errors.MissingDependency, match=r"uniplot; install it with pip install 'symbolic-llm\[terminal\]'"
    ):
        text(plot("roofline", **ON))
