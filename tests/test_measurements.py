"""Measured sets: wrong units and nonsense refused, statistics recomputed another way, and what moves when letters do"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy
import pytest

from symbolic_llm import evaluate
from symbolic_llm.errors import InvalidValue, SymbolicLLMError, UnknownName
from symbolic_llm.measurements import (
    MeasuredSet,
    Rows,
    assumptions,
    corner,
    machines,
    measured_set,
    names,
    staircases,
    steps,
    table_files,
)
from symbolic_llm.measurements import attention as measured_attention
from symbolic_llm.measurements import collectives as measured_collectives
from symbolic_llm.measurements import experts as measured_experts
from symbolic_llm.measurements import products as measured_products
from symbolic_llm.measurements import prompts as measured_prompts
from symbolic_llm.measurements import requests as measured_requests
from symbolic_llm.measurements import served as measured_served
from symbolic_llm.measurements.machines import datasheet
from symbolic_llm.measurements.measured_set import FOLDER, read_set
from symbolic_llm.measurements.pack import pack
from symbolic_llm.measurements.statistics import held_out, line_through, off, spread
from symbolic_llm.measurements.table_files import packed
from symbolic_llm.pages import measured_numbers, measured_tables

HEADER = """
title = "Products"
purpose = "To be read."
measured_by = "Somebody"
source = "a paper"
url = "https://example.org"
licence = "MIT"
confidence = "None."
how = "Made up."
left_out = []
count = 0
digest = ""

[columns.device]
quantity = "name"
meaning = "the device"

[columns.m]
quantity = "tokens"
unit = "tokens"
meaning = "tokens"

[columns.time]
quantity = "time"
unit = "ms"
meaning = "time"
"""
TABLE = "device,m,time\nl40s,1,0.5\nl40s,128,2\n"


def written(folder: Path, header: str = HEADER, table: str = TABLE) -> MeasuredSet:
    """The set of a header and a table."""
    (folder / "one.toml").write_text(header, encoding="utf-8")
    (folder / "one.csv").write_text(table, encoding="utf-8")
    return pack(folder / "one.toml", folder / "one.csv")


# Reading


def test_a_set_is_read_in_base_units(tmp_path: Path) -> None:
    """Milliseconds become seconds; names stay; the same table is packed to the same bytes."""
    one = written(tmp_path)
    assert one.rows["time"].tolist() == [0.0005, 0.002]
    assert one.rows["device"].tolist() == ["l40s", "l40s"]
    assert len(one.rows) == one.count == 2
    assert one.digest == sha256(TABLE.encode()).hexdigest()
    again = packed(["device", "m", "time"], [("l40s", 1, 0.5), ("l40s", 128, 2)])
    assert again == ((tmp_path / "one.csv.gz").read_bytes(), one.digest, 2)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('unit = "ms"', 'unit = "GB"', "time is a time, in second, but its unit is GB"),
        ('unit = "ms"', "", "its unit is missing"),
        ('unit = "ms"', 'unit = "fortnight"', "is not a known unit"),
        ('unit = "tokens"', 'unit = "byte"', "m is a tokens, in token, but its unit is byte"),
        ('quantity = "time"', 'quantity = "tiem"', "did you mean time"),
        ('unit = "ms"', 'unit = "s"\nscale = "2"', "there is no field of a column 'scale'"),
        ('licence = "MIT"', 'licence = " "', "licence must be given as text"),
        ('source = "a paper"', "", "source must be given as text"),
        ("left_out = []", "", "left_out must be a list of rules"),
        ("[columns.device]", "[[columns.device]]", "must have quantity, unit, meaning as texts"),
        ('title = "Products"', 'title = "Products', "is not TOML"),
        ('title = "Products"', f'title = "{"x" * 2000}"', "title is longer than"),
        ('title = "Products"', 'title = "P"\nspeed = 1', "there is no field 'speed'"),
    ],
)
def test_a_wrong_header_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    """In one sentence that begins with its file."""
    assert old in HEADER
    with pytest.raises(InvalidValue, match=re.escape(said)) as raised:
        written(tmp_path, HEADER.replace(old, new, 1))
    assert str(raised.value).startswith("one.toml")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TABLE.replace("0.5", "-0.5"), "line 2: time '-0.5' is no time that a machine has"),
        (TABLE.replace("0.5", "nan"), "line 2: time 'nan' is no time"),
        (TABLE.replace("0.5", "inf"), "line 2: time 'inf' is no time"),
        (TABLE.replace("0.5", "0.0000001"), "is no time"),  # nanoseconds taken for milliseconds
        (TABLE.replace(",2\n", ",2e12\n"), "line 3: time '2e12' is no time"),
        (TABLE.replace("0.5", "half"), "line 2: time 'half' is no number"),
        (TABLE.replace("128", "12.8"), "line 3: m '12.8' is not whole"),
        (TABLE.replace("l40s,128", ",128"), "line 3: device '' is no name"),
        (TABLE.replace("0.5", "0.5,7"), "line 2: 4 values for 3 columns"),
        (TABLE.replace("m,time", "time,m"), "has other columns"),
    ],
)
def test_nonsense_in_a_table_is_refused(tmp_path: Path, table: str, said: str) -> None:
    """With its line."""
    with pytest.raises(InvalidValue, match=re.escape(said)):
        written(tmp_path, table=table)


@pytest.mark.parametrize("table", [b"", b"\xff\xfe\x00", b'device,m,time\n"l40s,1,0.5\n', b"\x00" * 50])
def test_what_is_no_table_is_not_packed(tmp_path: Path, table: bytes) -> None:
    """The header stays as it was, and nothing is written beside it."""
    (tmp_path / "one.toml").write_text(HEADER, encoding="utf-8")
    (tmp_path / "one.csv").write_bytes(table)
    with pytest.raises(InvalidValue, match=r"one\.csv"):
        pack(tmp_path / "one.toml", tmp_path / "one.csv")
    assert (tmp_path / "one.toml").read_text(encoding="utf-8") == HEADER
    assert not (tmp_path / "one.csv.gz").exists()


def test_a_table_of_another_header_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed digit, a truncated file, one that unpacks to more than any, and a count that is another."""
    written(tmp_path)
    monkeypatch.setattr(table_files, "LARGEST_TABLE", 1000)
    header, table = tmp_path / "one.toml", tmp_path / "one.csv.gz"
    good = table.read_bytes()
    for wrong, said in (
        (packed(["device", "m", "time"], [("l40s", 1, 0.6), ("l40s", 128, 2)])[0], "its digest is another"),
        (good[:-9], "damaged"),
        (b"nothing", "damaged"),
        (packed(["x"], [("0" * 100,)] * 20)[0], "unpacks to more"),
    ):
        table.write_bytes(wrong)
        with pytest.raises(InvalidValue, match=said):
            len(read_set(header).rows)
    table.write_bytes(good)
    header.write_text(header.read_text().replace("count = 2", "count = 3"))
    with pytest.raises(InvalidValue, match="has 2 rows, and its header says 3"):
        len(read_set(header).rows)
    table.unlink()
    with pytest.raises(InvalidValue, match="cannot be read"):
        len(read_set(header).rows)


def test_every_set_says_whence_it_is() -> None:
    """Its licence, source, confidence and rules; and each device and format in it has a datasheet."""
    assert names()
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 15_000_000
    for name in names():
        one = measured_set(name)
        assert one.licence
        assert "@" in one.source
        assert one.confidence.split()[0].rstrip(".:,") in ("High", "Medium", "Low")
        if {"device", "format"} <= one.columns.keys():
            pairs = {*zip(one.rows["device"].tolist(), one.rows["format"].tolist(), strict=True)}
            assert all(datasheet(*pair).W > 0 for pair in pairs)
    with pytest.raises(UnknownName, match="did you mean products"):
        measured_set("prodcts")


def test_an_unknown_device_or_format_is_named() -> None:
    """With those there are."""
    with pytest.raises(UnknownName, match="h100_sxm"):
        datasheet("h100_smx", "bfloat16")
    with pytest.raises(SymbolicLLMError, match="bfloat16"):
        datasheet("h100_sxm", "bfloat")


# Statistics


def test_statistics_are_those_of_their_definitions() -> None:
    """By plain loops: the median and the tenths, and the median slope of all pairs."""
    numbers = [7.0, 1.0, 4.0, 9.0, 2.0, 8.0, 3.0, 6.0, 5.0, 10.0, 11.0]
    found = spread(numpy.array(numbers))
    assert (found.median, found.low, found.high, found.rows) == (median(numbers), 2.0, 10.0, 11)
    x, y = [1.0, 2.0, 4.0, 8.0, 16.0], [3.0, 5.0, 9.0, 100.0, 33.0]  # 2x + 1, with one point far off
    slopes = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(5) for j in range(i + 1, 5)]
    slope, begins = line_through(numpy.array(x), numpy.array(y))
    assert slope == median(slopes) == 2
    assert begins == 1


def test_what_is_held_out_is_not_fitted_to() -> None:
    """The mean of two groups, predicted for the third; the twin: fitted to all, it would be another."""
    rows = Rows({"group": numpy.array(["a", "a", "b", "c"]), "value": numpy.array([1.0, 3.0, 5.0, 9.0])})
    held, predicted = held_out(
        rows, "group", lambda some: float(some["value"].mean()), lambda mean, some: numpy.full(len(some), mean)
    )
    assert held["value"].tolist() == [1.0, 3.0, 5.0, 9.0]
    assert predicted.tolist() == [7.0, 7.0, 13 / 3, 3.0]
    assert off(predicted, held["value"])[3] == pytest.approx(2 / 3)


# Products


def some_products(device: str = "h100_sxm", framework: str = "vllm") -> Rows:
    """The measured products of a device in bf16, without predictions."""
    rows = measured_set("products").rows
    return rows.of(device=device, framework=framework, format="bfloat16")


def test_predictions_are_those_of_evaluate() -> None:
    """Of a few products, asked one by one; and the lines of one are those of plain medians."""
    rows = measured_products.predicted(some_products())
    for place in (0, 100, 500, len(rows) - 1):
        asked = {"P": int(rows["n"][place] * rows["k"][place]), "hardware": "h100-sxm", "dtype": "bf16"}
        assert rows["law"][place] == pytest.approx(evaluate("latency", B=int(rows["m"][place]), **asked), rel=1e-12)
        assert rows["crossover"][place] == evaluate("batch_crossover", hardware="h100-sxm", dtype="bf16")
    some, line = measured_products.curves(rows)[3]
    pairs = list(zip(some["m"].tolist(), some["time"].tolist(), strict=True))
    assert line.flat == median([time for m, time in pairs if m <= 16])
    assert line.straight == median([time / m for m, time in pairs if m >= 4096])
    assert line.meeting == line.flat / line.straight


def test_a_planted_letter_moves_what_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """With twice the bandwidth in the datasheet the crossover halves, and the share of it does; F's does not."""
    (before,) = measured_products.tables(measured_products.predicted(some_products()))
    monkeypatch.setattr(machines, "datasheet", lambda *of: replace(datasheet(*of), W=2 * datasheet(*of).W))
    (after,) = measured_products.tables(measured_products.predicted(some_products()))
    assert after.predicted == before.predicted / 2
    assert after.measured == before.measured
    assert after.error == pytest.approx(2 * (before.error + 1) - 1)
    assert math.isclose(after.W, before.W / 2)
    assert after.F == before.F
    assert after.fixed == pytest.approx(before.fixed)


def of_a_law(join: corner.Join, fixed: float = 4e-6) -> Rows:
    """Products of two devices that follow a law exactly, with eight tenths of their datasheets."""
    parts = [some_products("h100_sxm"), some_products("a100_sxm")]
    rows = measured_products.predicted(
        Rows({name: numpy.concatenate([part[name] for part in parts]) for name in parts[0].columns})
    )
    time = fixed + join(rows["reading"] / 0.8, rows["arithmetic"] / 0.8)
    return rows.beside(time=time, ratio=time / rows["law"])


@pytest.mark.parametrize(("C", "D"), [(1e9, 1e9), (3e12, 1e9), (1e9, 3e12)])
def test_the_root_of_the_squares_is_the_formula(C: float, D: float) -> None:
    """Seconds of a product by the smooth roofline; the longer of both, and root two times that, are its bounds."""
    rate = evaluate("smooth_attainable_flops", F=1e12, W=1e12, C_matrix=C, D_matrix=D)
    arithmetic, reading = numpy.array([C / 1e12]), numpy.array([D / 1e12])
    (joined,) = corner.smooth(2)(reading, arithmetic)
    assert C / rate == pytest.approx(joined)
    longer = max(C, D) / 1e12
    assert longer <= joined <= 2**0.5 * longer * (1 + 1e-12)
    assert corner.smooth(1)(reading, arithmetic)[0] - joined > 0  # the twin: another power is another time


def test_the_corner_of_a_law_is_found() -> None:
    """Times made with the maximum, the sum and a power are told apart, and their letters come out."""
    for join, how, power in (
        (numpy.maximum, corner.LONGER, 0),
        (numpy.add, corner.SUM, 0),
        (corner.smooth(2), corner.SMOOTH, 2),
    ):
        rows = of_a_law(join)
        errors = {
            one: float(numpy.median(off(corner.fitted(rows, one).times(rows), rows["time"])))
            for one in (corner.LONGER, corner.SUM, corner.SMOOTH)
        }
        assert errors[how] <= min(errors.values()) + 0.012, (how, errors)
        if how == corner.SMOOTH:
            assert corner.fitted(rows, how).power == pytest.approx(power, abs=0.25)


def test_the_assumption_that_breaks_is_named() -> None:
    """Times made by breaking one assumption alone; and faster ones than the datasheet allows."""
    rows = measured_products.predicted(some_products())
    (table,) = measured_products.tables(rows)
    near = numpy.abs(rows["reading"] / rows["arithmetic"] - 1) < 0.5

    def named(time: numpy.ndarray, chosen: numpy.ndarray) -> set[str]:
        planted = rows.beside(time=time, ratio=time / rows["law"]).where(chosen)
        return {*assumptions.broken(planted, table)}

    everywhere = numpy.ones(len(rows), bool)
    dropped = assumptions.without(rows, table)
    assert named(rows["law"], everywhere) == {assumptions.HOLDS}
    assert named(rows["law"] / 2, everywhere) == {assumptions.FASTER}
    assert named(dropped[assumptions.OVERLAP], near) == {assumptions.OVERLAP}
    small = table.fixed > 0.2 * rows["law"]
    assert small.any()
    assert named(dropped[assumptions.FIXED], small) == {assumptions.FIXED}
    assert named(5 * rows["law"], everywhere) == {assumptions.NONE}


def test_shares_of_what_breaks_are_of_all_products() -> None:
    """Each product is counted once, in its own format."""
    rows = measured_set("products").rows
    for kernel, counted in assumptions.counted().items():
        assert counted.total() == len(rows.of(format=kernel))
        assert counted.keys() <= {*assumptions.KINDS}
        assert math.isclose(sum(measured_numbers.kinds_broken(kind, kernel) for kind in assumptions.KINDS), 1)


# Steps, caches, stairs


def test_steps_of_either_law_are_told_apart() -> None:
    """Made part by part, or as the longer of two sums, they are predicted without an error by that law alone."""
    grid = [(B, N) for B in (1, 4, 64) for N in (512, 4096, 8192)]
    # at 64 sequences matrices compute for longer than they are read, which a perfect program hides reading behind
    matrices, cache = {1: 10.0, 4: 10.0, 64: 30.0}, 1e-5

    def made(law: str) -> Rows:
        parts = {(B, N): matrices[B] + cache * B * N for B, N in grid}
        whole = {(B, N): max(10 + cache * B * N, matrices[B]) for B, N in grid}
        time = parts if law == steps.PARTS else whole
        text = {name: numpy.array(["x"] * len(grid)) for name in ("device", "framework", "model")}
        numbers = {"B": [float(B) for B, _ in grid], "N": [float(N) for _, N in grid], "time": list(time.values())}
        return Rows({**text, **{name: numpy.array(values) for name, values in numbers.items()}})

    for law, other in ((steps.PARTS, steps.WHOLE), (steps.WHOLE, steps.PARTS)):
        (found,) = steps.anchored(made(law))
        assert len(found) == 4  # two batches and two contexts beyond the first
        apart = {one: float(off(found[one], found["time"]).max()) for one in (law, other)}
        assert apart[law] < (1e-12 if law == steps.PARTS else 0.02)  # the shortest context has a cache too
        assert apart[other] > 0.1


def test_a_step_is_the_sum_of_its_parts() -> None:
    """By hand for one step; and a law's times of our steps are those of evaluate."""
    of = {"device": "h100_sxm", "B": 8.0}
    (step,) = (some for (N,), some in steps.summed().of(**of).groups("N") if N == 8192)
    product = measured_set("gpu_products").rows.of(device="h100_sxm", format="bfloat16", m=8.0)
    layer = sum(float(product.of(what=name)["time"][0]) for name in ("qkv", "out", "gate_up", "down"))
    attend = float(measured_set("gpu_attention").rows.of(**of, N=8192.0)["time"][0])
    head = float(product.of(what="head")["time"][0])
    assert step["sum"][0] == pytest.approx(32 * (layer + attend) + head)
    asked = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "bf16", "B": 8, "N": 8192}
    (ours,) = (some for (N,), some in steps.ours().of(**of).groups("N") if N == 8192)
    for law, formula in steps.FORMULAS.items():
        assert ours[law][0] == pytest.approx(evaluate(formula, **asked))


def test_a_step_is_foretold_from_the_other_card() -> None:
    """The line of the H100, by hand, gives the forecast of a step on the H200; what was not timed is refused."""
    line = measured_numbers.our_line("h100_sxm")
    bound = evaluate("separate_latency", model="llama-3-8b", hardware="h200-sxm", dtype="bf16", B=8, N=2048)
    told = steps.foretold("h200_sxm", 8, 2048)
    assert told.bound == pytest.approx(bound)
    assert told.forecast == pytest.approx(line.fixed + bound / line.share)
    assert told.error == pytest.approx(told.forecast / told.time - 1)
    rows = steps.ours().of(device="h200_sxm")
    by_hand = off(line.times(rows), rows["time"])
    assert measured_numbers.line_errors("h100_sxm", "h200_sxm").median == pytest.approx(median(by_hand.tolist()))
    cache = evaluate("kv_bytes_total", model="llama-3-8b", dtype="bf16", B=8, N=4096) / 32  # of one layer
    time = measured_set("gpu_attention").rows.of(device="h200_sxm", B=8.0, N=4096.0)["time"][0]
    assert measured_numbers.cache_rate("h200_sxm", 8, 4096) == pytest.approx(cache / time)
    with pytest.raises(InvalidValue, match="no step of 3 sequences with 512 tokens each was timed on h200_sxm"):
        steps.foretold("h200_sxm", 3, 512)


def test_a_forecast_knows_nothing_of_its_own_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: where the H200's clock goes twice as slowly, its forecasts stay, and their errors do not."""
    before = steps.foretold("h200_sxm", 8, 2048)
    rows = steps.ours()
    slower = rows.beside(time=numpy.where(rows["device"] == "h200_sxm", 2 * rows["time"], rows["time"]))
    monkeypatch.setattr(steps, "ours", lambda: slower)
    monkeypatch.setattr(steps, "forecasts", steps.forecasts.__wrapped__)
    after = steps.foretold("h200_sxm", 8, 2048)
    assert (after.bound, after.forecast, after.time) == (before.bound, before.forecast, 2 * before.time)
    assert after.error < -0.4 < before.error


def some_caches() -> Rows:
    """The measured attention of a device in bf16, without predictions."""
    return measured_set("attention").rows.of(device="b200_sxm", framework="vllm", format="bfloat16")


def test_a_cache_is_read_at_the_share_it_was_made_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes by hand; of times made with a share it comes out; with twice the bandwidth in the datasheet it halves."""
    rows = measured_attention.predicted(some_caches())
    by_hand = 2 * rows["B"] * rows["N"] * rows["kv_heads"] * rows["d_head"] * 2
    assert rows["bytes"].tolist() == by_hand.tolist()
    planted = rows.beside(time=7e-6 + rows["reading"] / 0.8)
    (one,) = measured_attention.readings(planted)
    assert math.isclose(one.W, 0.8)
    assert one.fixed == pytest.approx(7e-6, rel=0.2)
    (before,) = measured_attention.readings(rows)
    monkeypatch.setattr(machines, "datasheet", lambda *of: replace(datasheet(*of), W=2 * datasheet(*of).W))
    monkeypatch.setattr(measured_attention, "LONG", measured_attention.LONG / 2)  # the same points as before
    (after,) = measured_attention.readings(measured_attention.predicted(some_caches()))
    assert math.isclose(after.W, before.W / 2)


def test_experts_are_read_as_they_are_expected_to_be_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand for a few layers; shares of planted times come out; with twice the bandwidth one of them halves."""

    def some() -> Rows:
        return measured_set("experts").rows.of(device="h100_sxm", framework="vllm", format="bfloat16", n_experts=128.0)

    rows = measured_experts.predicted(some())
    for place in (0, 17, len(rows) - 1):
        one = {name: float(rows[name][place]) for name in (*measured_experts.SHAPE, "B", "W", "F")}
        expert = 3 * one["d_model"] * one["d_expert"]
        distinct = one["n_experts"] * (1 - (1 - one["n_active"] / one["n_experts"]) ** one["B"])
        assert rows["reading"][place] == pytest.approx(2 * distinct * expert / one["W"])
        assert rows["arithmetic"][place] == pytest.approx(2 * one["B"] * one["n_active"] * expert / one["F"])
        assert rows["reading_all"][place] == pytest.approx(2 * one["n_experts"] * expert / one["W"])
    time = measured_experts.Shares(0.8, 0.4).times(rows)
    planted = rows.beside(time=time, ratio=time / rows["law"])
    clear = (rows["reading"] > 2 * rows["arithmetic"]) | (rows["reading"] < rows["arithmetic"])
    found = measured_experts.shares(planted.where(clear))
    assert numpy.allclose([found.W, found.F], [0.8, 0.4])
    monkeypatch.setattr(machines, "datasheet", lambda *of: replace(datasheet(*of), W=2 * datasheet(*of).W))
    again = measured_experts.predicted(some())
    assert numpy.allclose(again["reading"], rows["reading"] / 2)
    assert numpy.allclose(again["arithmetic"], rows["arithmetic"])


def test_requests_are_those_of_evaluate() -> None:
    """The law of a few batches, asked one by one; what does not fit is left out; errors by a plain loop."""
    rows = measured_requests.requests()
    asked = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "fp16"}
    some = rows.of(device="h100_sxm", framework="vllm", model="meta-llama/Meta-Llama-3-8B")
    for place in (0, len(some) - 1):
        N, B = int(some["N"][place]), int(some["B"][place])
        assert some["law"][place] == pytest.approx(evaluate("request_time", N=N, n_new=N, B=B, **asked))
        assert evaluate("sequences_that_fit", N=2 * N, **asked) >= B
    assert len(rows) < len(measured_set("requests").rows)
    both = rows.of(device="a100_argonne", framework="trtllm")
    ratios = {model: one["ratio"].tolist() for (model,), one in both.groups("model")}
    assert len(ratios) == 2
    one, other = ratios.values()
    by_hand = [abs(median(other) / ratio - 1) for ratio in one] + [abs(median(one) / ratio - 1) for ratio in other]
    assert sorted(measured_requests.errors(both, "model", ("device",))) == pytest.approx(sorted(by_hand))


def test_served_tokens_are_those_of_evaluate() -> None:
    """The law of a few rows, asked one by one; where no latency of links is stated, none is in it."""
    rows = measured_served.served()
    assert len(rows) == len(measured_set("served_experts").rows)
    for device, hardware, hops in (("h200_sxm", "h200-sxm", {}), ("mi300x", "mi300x", {"T_link": 1e-15})):
        some = rows.of(device=device, framework="sglang", format="fp8_block", devices=8.0)
        assert set(some["hops"].tolist()) == {not hops}
        asked: dict[str, Any] = {"model": "deepseek-r1", "hardware": hardware, "dtype": "fp8", "cache": "bf16"}
        asked |= {"weights": "fp8"}
        for place in (0, len(some) - 1):
            B, prompt, answer = (int(some[name][place]) for name in ("B", "prompt", "answer"))
            of_device = asked | {"n_tensor": 8} | hops
            step = evaluate("separate_tensor_parallel_latency", B=B, N=prompt + answer // 2, **of_device)
            prefill = evaluate("separate_tensor_parallel_prefill_time", B=1, N=prompt, **of_device)
            assert some["step"][place] == pytest.approx(step)
            assert some["law"][place] == pytest.approx(step + B * prefill / answer)
            assert some["ratio"][place] == some["time"][place] / some["law"][place]


def test_a_planted_server_is_found() -> None:
    """A fixed time and a factor that make the times are given back, with no error for lengths that are held out."""
    some = measured_served.groups()[measured_served.SHOWN]
    planted = some.beside(time=0.004 + 1.5 * some["law"])
    assert measured_served.line(planted) == pytest.approx((1.5, 0.004))
    assert measured_served.errors(planted).max() < 1e-9
    shapes = planted.values(measured_served.SHAPE)
    slower = planted.beside(time=planted["time"] * numpy.where(planted[measured_served.SHAPE] == shapes[0], 1.2, 1))
    held = measured_served.errors(slower)
    assert numpy.isclose(held, 1 - 1 / 1.2).sum() == (planted[measured_served.SHAPE] == shapes[0]).sum()


def test_prompts_are_counted_as_evaluate_counts_them() -> None:
    """Both counts at the datasheet's peak; planted times give their share back, and have no error then."""
    rows = measured_prompts.prompts().of(device="h200_sxm", N=4096.0)
    for count, formula in measured_prompts.MET.items():
        asked: dict[str, Any] = {"model": "llama-3-8b", "N": 4096}
        flops = evaluate("prefill_product_flops", B=1, C_prompt=evaluate(formula, **asked), **asked)
        assert rows[count][0] == pytest.approx(flops / 989e12)
    read = evaluate("memory_time", model="llama-3-8b", hardware="h200-sxm", dtype="bf16")
    assert rows["reading"][0] == pytest.approx(read)
    assert math.isclose(measured_prompts.share(rows.beside(time=rows[measured_prompts.CAUSAL] / 0.6)), 0.6)
    long = measured_prompts.prompts().where(measured_prompts.prompts()["N"] >= measured_prompts.LONG)
    assert (long["reading"] < long[measured_prompts.CAUSAL]).all()


def test_a_ring_is_that_of_evaluate() -> None:
    """By the formula, asked for one block with two all-reduces; planted times give their share of the link back."""
    rows = measured_collectives.all_reduces().of(device="h100_sxm", kernel="NCCL", devices=8.0)
    for place in (0, len(rows) - 1):
        values, stored = int(rows["values"][place]), int(rows["bytes"][place] // rows["values"][place])
        asked = {"d_model": values, "n_bytes_act": stored, "B": 1, "n_tensor": 8, "n_blocks": 1}
        of_a_block = evaluate("all_reduce_time", **asked, hardware="h100-sxm")
        assert rows["law"][place] == pytest.approx(of_a_block / 2)
    planted = rows.beside(time=3e-6 + rows["hops"] + rows["sending"] / 0.7)
    (ring,) = measured_collectives.rings(planted)
    assert math.isclose(ring.W_link, 0.7)
    assert math.isclose(ring.hops, 14 * 0.6e-6)


def test_stairs_are_those_of_a_plain_loop() -> None:
    """Over all products in bf16, one after the other."""
    found, rows = staircases.staircase(), measured_set("products").rows.of(format="bfloat16")
    jumps, falls, every = 0, 0, 0
    for _, curve in rows.groups("device", "framework", "n", "k"):
        pairs = list(zip(curve["m"].tolist(), curve["time"].tolist(), strict=True))
        for (m, time), (more, longer) in pairwise(pairs):
            every += 1
            falls += longer < 0.98 * time
            jumps += longer / time > 1.2 * more / m
    assert (found.jumps.total(), found.falls, found.every) == (jumps, falls, every)


# Pages


def test_sentences_of_the_pages_hold() -> None:
    """General statements of the pages hold, where no number of theirs says so."""
    cross, cards = measured_numbers.crossovers(), ("h100_sxm", "b200_sxm", "b300_sxm", "gb200", "gb300")
    weights = median(one.W for one in cross.tables if one.device in cards)
    low, high = measured_numbers.shares_of_caches(*cards)
    assert weights < low < high <= 1  # caches are read at a larger share than weights
    assert {one.device for one in cross.tables if one.fixed < 0} == {"l40s"}  # its small matrices stay on the chip
    assert cross.worst.device == "l40s"
    errors = [measured_numbers.crossovers(kernel).absolute for kernel in ("fp8", "fp8_block", "nvfp4", "int4_wo")]
    assert min(errors) > cross.absolute  # below sixteen bits the law does worse
    nvfp4 = measured_numbers.crossovers("nvfp4")
    assert nvfp4.fixed > cross.fixed
    assert nvfp4.share("F").median < cross.share("F").median
    longer, total = (measured_numbers.errors(how) for how in (corner.LONGER, corner.SUM))
    assert longer.at_corner < 0 < total.at_corner  # the truth lies between both
    assert len(measured_numbers.readings()) == len({(one.device, one.framework) for one in measured_numbers.readings()})
    assert [one.W > 1 for one in measured_numbers.readings()].count(True) == 1  # one table is impossible
    assert measured_numbers.beating_caches("a100_sxm").keys() == {"L40S", "RTX PRO 6000 Server"}
    assert set(measured_numbers.out_of_order()) == {
        f"{m} on the Apple M2 Ultra" for m in ("gpt-oss-20b", "gemma-3-4b-it-qat")
    }
    assert {*measured_numbers.nearer_as_a_whole()} == {
        *measured_numbers.out_of_order(),
        "GLM-4.7-Flash on the Apple M2 Ultra",
    }
    ours = steps.all_steps().of(framework="torch")
    assert all(float((ours[law] > ours["time"]).mean()) > 0.8 for law in steps.FORMULAS)  # nearly all are too slow
    few, some, many = map(measured_numbers.of_tokens, (1, 16, 4096))
    assert all(abs(tokens["balanced"].median / few["balanced"].median - 1) < 0.2 for tokens in (some, many))
    assert some["power_law_1.2"].median < some["balanced"].median
    assert many["power_law_1.2"].median > many["balanced"].median  # popular experts have more to compute
    others = [
        r for shape, r in measured_numbers.ratio_by_shape().items() if shape not in measured_numbers.two_matrices()
    ]
    assert min(others) < measured_numbers.with_two() < max(others)
    hop, by_law = measured_collectives.each_hop("h100_sxm", "NCCL")
    assert by_law < hop < 2 * by_law
    assert measured_collectives.each_hop("h100_sxm", "TRTLLM")[0] < by_law / 4
    assert measured_numbers.ring_of("h100_sxm", "TRTLLM", 8).W_link > 1
    assert measured_numbers.ring_of("h100_sxm", "NCCL", 2).floor > 3 * by_law  # something is started before
    causal, every = map(measured_numbers.prompt_error, (measured_prompts.CAUSAL, measured_prompts.ALL))
    assert causal.median < every.median / 3  # masked scores are left out
    model, device, framework = (
        measured_numbers.request_error(by, *same)
        for by, same in (("model", ("device", "framework")), ("device", ("framework",)), ("framework", ("device",)))
    )
    assert model < framework < device
    served = measured_served.served()
    few, many = (served.where(chosen)["ratio"] for chosen in (served["B"] <= 4, served["B"] > 4))
    assert numpy.median(few) > 1.5 * numpy.median(many)  # a fixed time counts most where there is little else
    assert served["B"].max() > 100
    assert measured_numbers.served_long() < 0.9  # one factor stands for reading and for arithmetic
    fit = {key: measured_served.line(some) for key, some in measured_served.groups().items()}
    assert [key for key, (_, fixed) in fit.items() if fixed < 0] == [("mi355x", "sglang", "mxfp4", 4.0)]
    assert set(measured_requests.requests().of(framework="llama_cpp")["B"].tolist()) == {1}
    for (device, framework), some in measured_requests.requests().groups("device", "framework"):
        if framework in ("vllm", "trtllm"):  # their batches end about where the two laws of a step part
            crossing = evaluate("batch_crossover", hardware=machines.source_of(device), dtype="bf16")
            assert some["B"].max() < 1.05 * crossing
    assert cross.share("F").median < cross.share("W").median  # pushes crossovers down, and a fixed time up
    assert median(one.error for one in cross.tables) > 0 > median(one.F / one.W - 1 for one in cross.tables)
    few, many = (measured_numbers.cache_rate("h200_sxm", B, 4096) for B in (8, 64))
    assert many < measured_numbers.cache_rate("h100_sxm", 64, 4096) < few  # a kernel that faster memory does not help
    assert steps.foretold("h200_sxm", 64, 4096).error < -0.2
    by_sheet, by_clock = measured_numbers.moved()
    assert abs(by_clock.median / by_sheet - 1) < cross.absolute  # how it moves is truer than where it lies


def test_numbers_of_sentences_are_those_of_the_tables() -> None:
    """The medians that pages print, by plain loops over the tables of bf16."""
    cross = measured_numbers.crossovers()
    errors = [one.measured / one.predicted - 1 for one in cross.tables]
    assert cross.errors.median == pytest.approx(median(errors))
    assert cross.absolute == pytest.approx(median(map(abs, errors)))
    assert abs(cross.worst.error) == max(map(abs, errors))
    factors = {(one.device, one.framework): one.error + 1 for one in cross.tables}
    left = [
        abs(median(other for (d, _), other in factors.items() if d != device) / factor - 1)
        for (device, _), factor in factors.items()
    ]
    assert cross.held_out == pytest.approx(median(left))
    beaten, every, most = measured_numbers.impossible()
    ratio = measured_products.products().of(format="bfloat16")["ratio"].tolist()
    assert (beaten, every) == (sum(one < 0.98 for one in ratio), len(ratio))
    assert most == pytest.approx(1 / min(ratio))
    assert (measured_numbers.percent(-0.373), measured_numbers.signed(0.021), measured_numbers.signed(20)) == (
        "−37 %",
        "+2.1 %",
        "21 ×",
    )


@pytest.mark.parametrize("name", measured_tables.TABLES)
def test_every_table_of_measurements_is_written(name: str) -> None:
    """In both pens, with as many cells in each row as in its head; a wrong name is named."""
    from symbolic_llm.pages.pen import HtmlPen, Pen

    more = ("bfloat16",) if name == "crossovers" else ()
    made = measured_tables.table(Pen("../"), name, *more)
    assert made.count("\n|") > 4
    assert measured_tables.table(HtmlPen("../"), name, *more).count("<tr>") > 3
    with pytest.raises(UnknownName, match="table of measurements"):
        measured_tables.table(Pen(""), f"{name} of nothing")
