"""Machines: presets whose peaks can be compared, files of one's own, letters"""

from __future__ import annotations

import json
import os
import pickle
import re
import shlex
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symbolic_llm import evaluate, explain, presets, solve
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidHardware, InvalidValue, SymbolicLLMError, Underdetermined, UnknownName, WrongUnit
from symbolic_llm.pages.lists import devices
from symbolic_llm.pages.pen import HtmlPen, Pen
from symbolic_llm.presets import Device, Figure, tables
from symbolic_llm.presets.device_files import quantity
from symbolic_llm.units import parse_quantity

DOC = Path(__file__).parent.parent / "docs" / "presets.md"
DEVICES = presets.names("hardware")
OWN = {"memory": "24 GiB", "bandwidth": "936 GB/s", "peak": {"fp16": "71 TFLOP/s"}}
SEPARATE = ("tensor cores", "matrix cores", "matrix units")  # beside the cores that do everything else
SHARED = ("GPU cores", "CPU cores")


# Presets: one row each, and peaks of one kind under one name


def value(figure: Figure) -> Fraction:
    """In base units."""
    number, unit = parse_quantity(figure.value)
    assert unit is not None
    return number * unit.scale


def mixed_up(device: Device) -> list[str]:
    """Reasons why a device's peaks are not what their names say."""
    at = {what: value(figure) for what, figure in device.figures.items()}
    faults = [] if device.multiplies_on in (*SEPARATE, *SHARED) else ["does not say what multiplies its matrices"]
    for what in at:
        base, way = what.partition("-")[::2]
        if way == "vector" and device.multiplies_on in SHARED:
            faults.append(f"{what}: it has no other cores")
        if way == "vector" and base in at and at[base] < at[what] * 19 / 10:
            faults.append(f"{base} is no more than its vector rate")
        if way == "acc16" and (base not in at or at[what] < at[base]):
            faults.append(f"{what}: sums in fp16 are not slower than sums in fp32")
    if device.multiplies_on in SEPARATE and {"fp16", "fp32"} <= at.keys() and at["fp16"] < at["fp32"] * 19 / 10:
        faults.append("fp16 is no more than fp32, which has no tensor cores")
    return faults


@pytest.mark.parametrize("name", DEVICES)
def test_peaks_of_one_name_are_of_one_kind(name: str) -> None:
    """fp16 is what matrix products get, fp16-vector what shaders do, on every device and as every source prints it."""
    device = presets.hardware(name)
    assert not mixed_up(device)
    for source in {figure.source for _, figure in device.printed}:
        assert not mixed_up(presets.hardware(f"{name}@{source}"))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("rtx-4090", {"fp16": "82.6 TFLOP/s"}),  # as the article has it
        ("rtx-3090", {"fp16": "35.58 TFLOP/s"}),  # as databases of graphics cards have it
        ("a10", {"fp16": "31.24 TFLOP/s"}),
        ("l40s", {"fp16": "91.61 TFLOP/s"}),
        ("a10g", {"fp16": "31.52 TFLOP/s"}),
        ("rtx-5090", {"fp16": "419 TFLOP/s", "fp16-acc16": "209.5 TFLOP/s"}),
        ("m1", {"fp16-vector": "2.6 TFLOP/s"}),
    ],
)
def test_a_shader_rate_under_the_name_of_a_tensor_rate_is_noticed(name: str, wrong: dict[str, str]) -> None:
    """The twin."""
    device = presets.hardware(name)
    printed = (*((what, Figure(text, "")) for what, text in wrong.items()), *device.printed)
    assert mixed_up(replace(device, printed=printed))
    assert mixed_up(replace(device, multiplies_on=""))


def unexplained(device: Device) -> set[str]:
    """Of what two sources print figures that are far apart and nobody says why, or the other way round."""
    printed = device.printed
    far = {what for what, one in printed for also, other in printed if what == also and one.is_far_from(other)}
    return far ^ dict(device.apart).keys()


@pytest.mark.parametrize("name", DEVICES)
def test_sources_agree_or_it_is_said_why_not(name: str) -> None:
    """Within a tenth, which is what GB for GiB and rounding come to; nothing is explained that needs no explanation."""
    assert not unexplained(presets.hardware(name))


def test_a_figure_far_from_its_second_source_is_noticed() -> None:
    """The twin: whatever two sources print, one of them fivefold; an H200 of 8.4 TB/s; a note too many."""
    tried = 0
    for device in map(presets.hardware, DEVICES):
        for place, (what, figure) in enumerate(device.printed):
            if [also for also, _ in device.printed].count(what) == 1 or what in dict(device.apart):
                continue
            more = replace(figure, value=re.sub(r"[\d.]+", lambda found: str(5 * Fraction(found[0])), figure.value))
            printed = (*device.printed[:place], (what, more), *device.printed[place + 1 :])
            assert unexplained(replace(device, printed=printed)) == {what}
            tried += 1
        assert unexplained(replace(device, apart=(*device.apart, ("on_chip", "who knows")))) == {"on_chip"}
    assert tried > 100
    h200 = presets.hardware("h200-sxm")
    printed = (("bandwidth", Figure("8400 GB/s", "bekman-2026")), *h200.printed[2:])
    assert unexplained(replace(h200, printed=printed)) == {"bandwidth"}


def test_what_divides_two_sources_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The reason why two sources differ is shown where their figures are, and not elsewhere."""
    assert "bandwidth: techpowerup prints one of its two dies" in presets.hardware("b200-sxm").provenance("bandwidth")
    assert not any("dies" in line for line in presets.hardware("b200-sxm").provenance("fp16"))
    assert main(["presets", "hardware"]) == 0
    assert "memory: techpowerup prints one of its two dies" in capsys.readouterr().out


def off_the_grid(device: Device, source: str) -> set[str]:
    """Peaks that are no power of two times another of the matrix units, which take a format in so many bits at once.

    Within three hundredths, for a source that prints 362 and 733. What computes fp32 may be something else.
    """
    at = {what: value(figure) for what, figure in device.printed if figure.source == source}
    rates = {what: rate for what, rate in at.items() if what in presets.computing() and what != "fp32"}
    other = next((rates[what] for what in ("fp16", "bf16", "int8") if what in rates), None)
    if other is None:
        return set()
    powers = [Fraction(2) ** power for power in range(-4, 5)]
    return {what for what, rate in rates.items() if min(abs(rate / other / power - 1) for power in powers) > 0.03}


@pytest.mark.parametrize("name", DEVICES)
def test_peaks_of_a_device_are_powers_of_two_of_each_other(name: str) -> None:
    """Half the bits, twice the rate: what one source prints of one format is a witness for another."""
    device = presets.hardware(name)
    for source in {figure.source for _, figure in device.printed}:
        assert not off_the_grid(device, source)


def off_the_vector_rate(device: Device) -> set[str]:
    """The rate of matrix products in 16 bits, if it is no power of two times the vector rate, whoever prints either.

    Both are clocks times units, so that each witnesses the other. Within four hundredths: for a source that prints 362
    where another one's clock makes it 366.
    """
    every = [(what, value(figure)) for what, figure in device.printed]
    vector = [rate for what, rate in every if what == "fp16-vector"]
    powers = [Fraction(2) ** power for power in range(5)]
    return {
        what
        for what, rate in every
        if what in ("fp16", "bf16") and device.multiplies_on in SEPARATE
        for other in vector
        if min(abs(rate / other / power - 1) for power in powers) > 0.04
    }


# What NVIDIA prints of an A10G is no rate at the clock of its shaders, and the Server Edition of an RTX PRO 6000 has a
# clock of its own.
OTHER_CLOCKS = {"a10g": {"fp16"}, "rtx-pro-6000": {"bf16"}}


@pytest.mark.parametrize("name", DEVICES)
def test_tensor_cores_are_a_power_of_two_faster_than_the_others(name: str) -> None:
    """At one clock: so what a whitepaper prints is held against what a database of cards has."""
    assert off_the_vector_rate(presets.hardware(name)) == OTHER_CLOCKS.get(name, set())


def test_a_rate_that_is_off_is_noticed() -> None:
    """The twin: every such rate a tenth higher."""
    tried = 0
    for device in map(presets.hardware, DEVICES):
        rates = {what: figure for what, figure in device.figures.items() if what in ("fp16", "bf16")}
        if "fp16-vector" not in device.figures or device.multiplies_on in SHARED or device.name in OTHER_CLOCKS:
            continue
        for what, figure in rates.items():
            more = re.sub(r"[\d.]+", lambda found: str(float(found[0]) * 1.1), figure.value, count=1)
            others = tuple(one for one in device.printed if one[0] != what)
            wrong = replace(device, printed=((what, Figure(more, "")), *others))
            assert off_the_vector_rate(wrong) == {what}
            tried += 1
    assert tried > 15


def test_a_peak_off_the_grid_is_noticed() -> None:
    """The twin: every peak that stands beside another, a tenth higher."""
    tried = 0
    for device in map(presets.hardware, DEVICES):
        for place, (what, figure) in enumerate(device.printed):
            rates = [also for also, other in device.printed if other.source == figure.source]
            if what not in presets.computing() or not {"fp16", "bf16", "int8"} & {*rates} - {what} or what == "fp32":
                continue
            more = replace(figure, value=re.sub(r"[\d.]+", lambda found: str(float(found[0]) * 1.1), figure.value))
            printed = (*device.printed[:place], (what, more), *device.printed[place + 1 :])
            assert off_the_grid(replace(device, printed=printed), figure.source)
            tried += 1
    assert tried > 80


@pytest.mark.parametrize("name", DEVICES)
def test_every_figure_is_a_quantity_with_a_source(name: str) -> None:
    """In the unit of what it is a figure of, and from someone who is listed."""
    device = presets.hardware(name)
    assert device.printed
    for what, figure in device.printed:
        assert what in ("memory", "bandwidth", "on_chip", "link", "link_latency", *presets.computing())
        assert quantity(name, what, figure.value) == figure.value
        assert presets.source(figure.source).url.startswith("https://")
    assert set(device.sources) <= {figure.source for _, figure in device.printed}


def test_a_wrong_figure_is_noticed() -> None:
    """The twin: another unit, a slip by prefixes."""
    for what, wrong in (("memory", "80 GB/s"), ("bandwidth", "2.039 B/s"), ("fp16", "312 GB/s"), ("memory", "80")):
        with pytest.raises((WrongUnit, InvalidValue)):
            quantity("x", what, wrong)


def test_two_consumer_cards_are_comparable() -> None:
    """Tensor with tensor, shader with shader, never one with the other."""
    new, old = presets.hardware("rtx-4090").figures, presets.hardware("rtx-3090").figures
    assert [new[what].value for what in ("fp16", "fp16-vector")] == ["165.2 TFLOP/s", "82.6 TFLOP/s"]
    assert [old[what].value for what in ("fp16", "fp16-vector")] == ["71 TFLOP/s", "35.58 TFLOP/s"]
    assert evaluate("ridge_point", hardware="rtx-4090", dtype="fp16-vector") * 2 == pytest.approx(
        evaluate("ridge_point", hardware="rtx-4090", dtype="fp16")
    )


@pytest.mark.parametrize("name", ["rx-7900-xtx", "jetson-agx-orin-64gb"])
def test_a_vector_rate_is_not_given_for_a_matrix_rate(name: str) -> None:
    """A vector rate is not given for a matrix rate; it is offered by its own name."""
    with pytest.raises(
        Underdetermined,
        match=rf"no source states the peak of the \w+ cores of {name} in fp16; give F, or use dtype=fp16-vector",
    ):
        evaluate("ridge_point", hardware=name, dtype="fp16")
    assert evaluate("ridge_point", hardware=name, dtype="fp16-vector") > 10


def test_what_a_driver_reports_stands_beside_the_vendor_s_figure() -> None:
    """In MiB, as it is printed, and used when asked for: 7 sequences fit 80 GB, 11 fit what is there."""
    seventy = {"model": "llama-3-70b", "weights": "int8", "cache": "fp16", "N": 4096}
    fit = [evaluate("sequences_that_fit", hardware=f"a100-80gb-sxm{at}", **seventy) for at in ("", "@modal-2025")]
    assert fit == [7, 11]
    assert "modal-2025 states memory 81920 MiB" in presets.hardware("a100-80gb-sxm").provenance()


def test_a_device_is_a_value() -> None:
    """Frozen, hashable, equal to its like, and it travels to other processes."""
    device = presets.hardware("t4")
    assert len({device, presets.hardware("t4"), presets.hardware("t4@techpowerup")}) == 2
    assert pickle.loads(pickle.dumps(device)) == device
    assert presets.hardware(device) is device
    assert str(presets.hardware("T4@techpowerup")) == "t4@techpowerup"
    with pytest.raises(FrozenInstanceError):
        device.name = "other"  # type: ignore[misc]
    device.figures.clear()
    assert device.figures
    assert hash(presets.Presets(hardware=device)) == hash(presets.Presets(hardware=device))


def test_a_device_says_where_it_comes_from() -> None:
    """Every figure that counts with its source, and who prints another."""
    device = presets.hardware("t4")
    assert device.sources == ("baseten-2023", "geektopia-2018")
    assert device.provenance("memory", "bandwidth") == (
        "memory 16 GB, bandwidth 300 GB/s (baseten-2023)",
        "techpowerup states bandwidth 320 GB/s",
        "modal-2025 states memory 15360 MiB",
    )
    for name in DEVICES:
        shown = "\n".join(presets.hardware(name).provenance())
        assert all(f"{what} {figure.value}" in shown for what, figure in presets.hardware(name).printed)


def test_who_prints_the_same_in_other_words_does_not_disagree() -> None:
    """1008 GB/s is 1.008 TB/s."""
    printed = (("bandwidth", Figure("1008 GB/s", "a")), ("bandwidth", Figure("1.008 TB/s", "b")))
    assert Device("x", "X", printed).also == ()
    assert Device("x", "X", (*printed, ("bandwidth", Figure("1.01 TB/s", "c")))).also == (
        ("bandwidth", Figure("1.01 TB/s", "c")),
    )


def test_a_device_is_one_row(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, answers, the list and the page find it."""
    row = {
        "title": "A card",
        "multiplies_on": "tensor cores",
        "from": {"baseten-2023": {"memory": "48 GiB", "bandwidth": "1 TB/s", "fp16": "250 TFLOP/s"}},
    }
    monkeypatch.setitem(tables._table("hardware"), "a-card", row)
    assert evaluate("ridge_point", hardware="A_card", dtype="fp16") == 250
    assert main(["presets"]) == 0
    assert "A card, matrix products on tensor cores" in capsys.readouterr().out
    assert "48 GiB" in devices(HtmlPen(""))


def test_figures_that_are_far_apart_stand_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a tenth, either way and in whatever unit; in bf16 where nobody prints fp16."""
    row = {
        "title": "A card",
        "multiplies_on": "tensor cores",
        "from": {
            "baseten-2023": {"memory": "40 GB", "bandwidth": "1000 GB/s", "bf16": "100 TFLOP/s"},
            "bekman-2026": {"memory": "40 GiB", "bandwidth": "1.11 TB/s", "bf16": "90 TFLOP/s"},
            "techpowerup": {"bandwidth": "1.1 TB/s", "bf16": "91 TFLOP/s"},
        },
    }
    monkeypatch.setitem(tables._table("hardware"), "a-card", row)
    (line,) = (one for one in devices(Pen("")).splitlines() if one.startswith("| `a-card`"))
    assert line.endswith("| 40 GB | 1000 GB/s or 1.11 TB/s | 100 TFLOP/s or 90 TFLOP/s |  | 100 |")


def test_names_are_well_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    """Every title of a preset begins in the same column."""
    assert main(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = [line for line in lines if line.startswith("  ") and line[2] != " "]
    assert len(named) == sum(len(presets.names(kind)) for kind in ("models", "hardware", "formats"))
    (column,) = {re.match(r"  \S+ +", line).end() for line in named}  # type: ignore[union-attr]
    assert all(line[:column].isspace() for line in lines if line.startswith("   "))


# Files


def write(folder: Path, text: str | bytes) -> Path:
    """A file of one's own."""
    path = folder / "own.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_documented_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of the page is read, and the commands below it run."""
    page = DOC.read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL)
    (toml,) = [text for language, text in blocks if language == "toml"]
    (tmp_path / "workstation.toml").write_text(toml, encoding="utf-8")
    device = presets.hardware(tmp_path / "workstation.toml")
    assert device.title == "My workstation"
    figures = "memory 24 GiB, bandwidth 936 GB/s, fp16 71 TFLOP/s, fp16-vector 35.6 TFLOP/s, int8 284 TFLOP/s"
    assert device.provenance() == (f"{figures} (its data sheet)",)
    monkeypatch.chdir(tmp_path)
    commands = [line for language, text in blocks if language == "" for line in text.splitlines()]
    assert len(commands) == 4
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, command
    shown = capsys.readouterr().out
    assert "My workstation, batch 1" in shown
    assert "11 sequences" in shown


def test_the_same_from_everywhere(tmp_path: Path) -> None:
    """A path as text or as a path, fields, a device; before it, letters."""
    path = write(tmp_path, 'memory = "24 GiB"\nbandwidth = "936 GB/s"\npeak = { fp16 = "71 TFLOP/s" }\n')
    sources: tuple[Any, ...] = (str(path), path, OWN, presets.hardware(OWN))
    answers = [solve("batch_crossover", hardware=source, dtype="fp16") for source in sources]
    assert len({answer.exact for answer in answers}) == 1
    assert [answer.value for answer in answers] == [answers[0].value] * 4
    assert evaluate("batch_crossover", hardware=path, dtype="fp16", W="71 TB/s") == 1
    assert "(own.toml)" not in repr(explain("memory_time", P=1, n_bytes=1, hardware=OWN))
    assert f"({path})" in repr(explain("memory_time", P=1, n_bytes=1, hardware=path))
    assert presets.hardware(path).title == "own"


def test_a_peak_for_any_format() -> None:
    """Text instead of a table."""
    own = OWN | {"peak": "71 TFLOP/s"}
    assert {evaluate("ridge_point", hardware=own, dtype=dtype) for dtype in ("fp16", "int8", None)} == {
        evaluate("ridge_point", hardware=OWN, dtype="fp16")
    }
    with pytest.raises(Underdetermined, match="your machine has no peak for int8, only for fp16"):
        evaluate("ridge_point", hardware=OWN, dtype="int8")
    with pytest.raises(Underdetermined, match="your machine has no peak for fp16, only for fp16-vector"):
        evaluate("ridge_point", hardware=OWN | {"peak": {"fp16-vector": "35 TFLOP/s"}}, dtype="fp16")


def test_gb_and_gib() -> None:
    """80 GB hold 7 sequences where 80 GiB hold 11, and the drivers' 81,559 MiB too."""
    held = [
        evaluate(
            "sequences_that_fit",
            model="llama-3-70b",
            weights="int8",
            cache="fp16",
            N=4096,
            hardware=OWN | {"memory": memory},
        )
        for memory in ("80 GB", "80 GiB", "81559 MiB", "640 Gbit")
    ]
    assert held == [7, 11, 11, 7]


WRONG: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "the field memory is missing"),
    "missing": ('memory = "1 GB"\npeak = "1 TFLOP/s"', "the field bandwidth is missing"),
    "unknown": ('memry = "1 GB"', "there is no field 'memry'; did you mean memory?"),
    "no quantity": ('memory = "lots"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "memory: 'lots' is not a number"),
    "number": (
        'memory = 80\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "memory must be text with a unit, as in '80 GB', not 80",
    ),
    "truth": ('memory = true\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "memory must be text with a unit"),
    "list": ('memory = ["1 GB"]\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "not a list"),
    "date": ('memory = 2020-01-01\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "memory must be text with a unit"),
    "no unit": (
        'memory = "80"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "memory is measured in byte, but '80' has no unit",
    ),
    "wrong unit": (
        'memory = "80 GB"\nbandwidth = "1 GB"\npeak = "1 TFLOP/s"',
        "bandwidth is measured in byte/second, but '1 GB' is in byte; write it as '1935 GB/s'",
    ),
    "strange unit": (
        'memory = "8 stone"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "memory: 'stone' is not a known unit",
    ),
    "per peak": (
        'memory = "1 GB"\nbandwidth = "1 GB/s"\npeak = {fp16 = "1 TB"}',
        "peak.fp16 is measured in FLOP/second, but '1 TB' is in byte",
    ),
    "negative": (
        'memory = "-1 GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "memory must be positive, but '-1 GB' was",
    ),
    "zero": ('memory = "0 GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "memory must be positive"),
    "nan": ('memory = "nan GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "not a finite number"),
    "small": ('memory = "80 B"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "memory is too large or too small: '80 B'"),
    "large": ('memory = "1e30 B"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "memory is too large or too small"),
    "larger": (
        'memory = "1e999 B"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "memory: '1e999 B' is too large or too small",
    ),
    "long": (f'memory = "{"9" * 99}"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "too long"),
    "no peaks": ('memory = "1 GB"\nbandwidth = "1 GB/s"\npeak = {}', "peak lists no number format"),
    "storage": (
        'memory = "1 GB"\nbandwidth = "1 GB/s"\npeak = {q4_0 = "1 TFLOP/s"}',
        "peak: there is no number format for arithmetic, 'q4_0'",
    ),
    "peak name": ('memory = "1 GB"\nbandwidth = "1 GB/s"\npeak = {FP16 = "1 TFLOP/s"}', "did you mean fp16?"),
    "a peak of memory": (
        'memory = "1 GB"\nbandwidth = "1 GB/s"\npeak = {memory = "1 GB"}',
        "number format for arithmetic, 'memory'",
    ),
    "title": ('title = 3\nmemory = "1 GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"', "title must be text, not 3"),
    "escape": (
        'title = "\\u001b[2J"\nmemory = "1 GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "title must be one line of at most 200 characters",
    ),
    "long source": (
        f'source = "{"x" * 999}"\nmemory = "1 GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"',
        "source must be one line of at most",
    ),
    "no TOML": ("memory: 80 GB", "is not TOML"),
    "twice": ('memory = "1 GB"\nmemory = "2 GB"', "is not TOML"),
    "bytes": (b"\xff\xfe", "is not TOML"),
    "deep": ("a = " + "[" * 9999, "is not TOML"),
    "deep key": (".".join("a" * 500) + " = 1", "there is no field 'a'"),
    "deeper key": (".".join("a" * 9999) + " = 1", "has a line of more than 500 dots"),
    "huge number": ("memory = " + "9" * 9999, "is not TOML"),
    "huge": ("#" * 70_000, "is too large for a description of a machine"),
}


def refused(ask: Callable[[], object], sentence: str, kind: type[Exception] = InvalidHardware) -> None:
    """Assert that a call is refused in one sentence on one line."""
    with pytest.raises(kind) as caught:
        ask()
    message = str(caught.value)
    assert sentence in message
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert len(message) < 400


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_gets_one_sentence(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file and the field, also on the command line."""
    text, sentence = WRONG[case]
    path = write(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    refused(lambda: presets.hardware("own.toml"), sentence)
    refused(lambda: presets.hardware("own.toml"), "'own.toml'")
    assert main(["model", "gpt2", "--hardware", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_no_file(tmp_path: Path) -> None:
    """Neither opened for long nor read to its end."""
    refused(lambda: presets.hardware(tmp_path / "none.toml"), "cannot be read: no such file")
    refused(lambda: presets.hardware(tmp_path), "is a directory")
    refused(lambda: presets.hardware("a\0b.toml"), "cannot be read")
    refused(lambda: presets.hardware("x" * 9999 + ".toml"), "cannot be read: file name too long")
    refused(lambda: presets.hardware("\ud800.toml"), "cannot be read")
    refused(lambda: presets.hardware(Path("/dev/zero")), "is not a regular file")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    refused(lambda: presets.hardware(tmp_path / "zero.toml"), "is not a regular file")
    os.mkfifo(tmp_path / "pipe.toml")
    asked = threading.Thread(
        target=refused, args=(lambda: presets.hardware(tmp_path / "pipe.toml"), "is not a regular file"), daemon=True
    )
    asked.start()
    asked.join(10)
    assert not asked.is_alive()


def test_what_is_no_machine() -> None:
    """Neither a name, nor a path, nor fields."""
    refused(lambda: presets.hardware("workstation"), "a file that ends in .toml describes your own", UnknownName)
    refused(lambda: presets.hardware(3), "not as int", UnknownName)  # type: ignore[arg-type]
    refused(lambda: presets.hardware({}), "the given hardware: the field memory is missing")
    refused(lambda: presets.hardware({1: 2}), "a field must be a name, not 1")  # type: ignore[dict-item]
    refused(lambda: presets.hardware(OWN | {"peak": {1: "1 TFLOP/s"}}), "must be a name")
    refused(lambda: presets.hardware(OWN | {"memory": 10**5000}), "memory must be text with a unit")


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["80 GB", "1 TB/s"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["fp16", "int4", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(["title", "memory", "bandwidth", "peak", "on_chip", "source", "x"]), anything))
@example({"memory": "80 GB", "bandwidth": "1 TB/s", "peak": "1 TFLOP/s"})
def test_whatever_stands_in_it_it_is_read_or_refused(fields: dict[str, Any]) -> None:
    """By the package's own error; what is read has only positive quantities."""
    try:
        device = presets.hardware(fields)
    except InvalidHardware:
        return
    assert all(value(figure) > 0 for figure in device.figures.values())


# Letters


def test_letters_make_a_machine() -> None:
    """Numbers in the letter's unit, or text with a unit; other names of theirs too."""
    machine = presets.of_letters(M="24 GB", W=1e12, flops=Fraction(10) ** 14)
    assert {what: value(figure) for what, figure in machine.figures.items()} == {
        "memory": 24 * 10**9,
        "bandwidth": 10**12,
        "peak": 10**14,
    }
    assert machine.letters == {"M": "24 GB", "W": "1000000000000 byte/second", "F": "100000000000000 FLOP/second"}
    assert evaluate("ridge_point", hardware=machine) == 100
    with pytest.raises(Underdetermined, match="the bandwidth of your machine is not given"):
        evaluate("memory_time", P=1, n_bytes=1, hardware=presets.of_letters(M="24 GB"))


def test_letters_go_before_a_preset() -> None:
    """Whose figure then stands beside."""
    machine = presets.of_letters("t4", W="1 TB/s", F="100 TFLOP/s")
    assert evaluate("ridge_point", hardware=machine, dtype="fp16") == 100
    assert "W = 1 TB/s  (t4, given; baseten-2023 states 300 GB/s, techpowerup states 320 GB/s)" in repr(
        explain("ridge_point", hardware=machine, dtype="fp16")
    )
    assert machine.letters == {"W": "1 TB/s", "F": "100 TFLOP/s"}
    assert machine.figures["memory"] == presets.hardware("t4").figures["memory"]


@pytest.mark.parametrize(
    ("letters", "sentence"),
    [
        ({"W": "24 GB"}, "W is measured in byte/second"),
        ({"M": "-1 GB"}, "M must be positive"),
        ({"F": True}, "F must be text with a unit"),
        ({"F": None}, "F must be text with a unit"),
        ({"F": float("nan")}, "not a finite number"),
        ({"M": 10**5000}, "thousands of digits"),
        ({"M": "1 B"}, "too large or too small"),
        ({"N": "1"}, "there is no letter of a machine 'N'"),
        ({"M": "1 GB", "memory": "2 GB"}, "memory was given twice, under two names"),
    ],
)
def test_wrong_letters(letters: dict[str, Any], sentence: str) -> None:
    """Wrong letters of a machine are refused in one sentence."""
    refused(lambda: presets.of_letters(**letters), sentence, SymbolicLLMError)


def test_letters_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`symbolic-llm model` takes them without a preset, before one, and presets as letters."""
    line = ["model", "llama-3-8b", "W=1 TB/s", "F=100 TFLOP/s", "M=24 GB", "--json"]
    assert main(line) == 0
    alone = json.loads(capsys.readouterr().out)
    machine = presets.of_letters(W="1 TB/s", F="100 TFLOP/s", M="24 GB")
    given_ = {"model": "llama-3-8b", "dtype": "fp16", "hardware": machine}
    assert alone["critical_context"] == evaluate("critical_context", **given_)
    assert alone["largest_batch"] == evaluate("sequences_that_fit", N=4096, **given_)
    assert main([*line[:-1], "--hardware", "t4", "--dtype", "fp16", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["critical_context"] == alone["critical_context"]
    assert main(["model", "llama-3-8b", "hardware=rtx-4090", "M=80 GiB"]) == 0
    assert "NVIDIA GeForce RTX 4090, batch 1" in capsys.readouterr().out
    for wrong in ("N=3", "W", "W=3 GB", "model=gpt2"):
        assert main(["model", "llama-3-8b", wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1
