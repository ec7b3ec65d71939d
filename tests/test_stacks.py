"""Letters of programs in the preset file: fitted anew from the measurements, and found where they were planted"""

from __future__ import annotations

import numpy
import pytest

from symbolic_llm.measurements import Rows, stacks
from symbolic_llm.measurements.statistics import off

VLLM = "vllm"
H100 = "NVIDIA H100 SXM 80GB"


def group(framework: str, title: str) -> stacks.Group:
    return next(one for one in stacks.groups(stacks.measured()) if (one.framework, one.title) == (framework, title))


def with_times(rows: Rows, times: numpy.ndarray) -> Rows:
    return Rows({**rows.columns, "time": times})


def test_the_file_is_what_the_measurements_say() -> None:
    assert stacks.PATH.read_text(encoding="utf-8") == stacks.text(stacks.measured())


def test_a_row_that_changes_is_seen() -> None:
    rows = stacks.measured()
    times = rows["time"].copy()
    chosen = (rows["framework"] == VLLM) & (rows["device"] == "h100_sxm") & (rows["B"] == 1)
    times[numpy.flatnonzero(chosen)[0]] *= 1.5
    was, now = stacks.entries(rows), stacks.entries(with_times(rows, times))
    moved = {one["name"] for one, other in zip(was, now, strict=True) if one != other}
    assert {name for name in moved if H100 in name} == {f"vLLM on {H100} in 16 bits"}


@pytest.mark.parametrize(("overhead", "memory", "compute"), [(0.0, 0.7, 0.5), (4e-3, 0.9, 0.15)])
def test_letters_that_were_planted_are_found(overhead: float, memory: float, compute: float) -> None:
    rows = group(VLLM, H100).rows
    pair = stacks._PAIRS.index((memory, compute))
    noise = 1 + 0.01 * numpy.sin(numpy.arange(len(rows)))
    planted = stacks.Letters(overhead, pair)
    found = stacks.fitted(with_times(rows, planted.times(rows) * noise))
    assert (found.memory, found.compute) == pytest.approx((memory, compute), abs=0.051)
    assert found.overhead == pytest.approx(overhead, abs=5e-4)
    assert found.overhead >= 0


def test_a_few_rows_far_off_move_no_letter_far() -> None:
    rows = group(VLLM, H100).rows
    times = rows["time"].copy()
    times[::10] *= 100  # a unit that was mistaken
    forecast = stacks.fitted(with_times(rows, times)).times(rows)
    assert numpy.median(off(forecast, rows["time"])) < 0.06


def test_the_fixed_time_has_the_least_sum_of_relative_errors() -> None:
    differences, weights = numpy.array([[3.0], [1.0], [7.0], [2.0]]), numpy.array([1.0, 1.0, 5.0, 1.0])
    assert stacks._weighted_median(differences, weights).tolist() == [7.0]
    assert stacks._weighted_median(differences, numpy.ones(4)).tolist() == [2.0]


def test_too_few_rows_make_no_entry() -> None:
    known = group(VLLM, H100)
    assert known.enough
    few = known.rows.where(numpy.arange(len(known.rows)) < stacks.LEAST - 1)
    one = known.rows.of(model="llama-3-8b")
    assert len(one) >= stacks.LEAST
    for rows in (few, one):
        assert not stacks.Group(VLLM, H100, ("h100-sxm",), rows, "model").enough
    alone = group("deepspeed_mii", "NVIDIA A100, H100, H200 or GH200")
    assert not alone.enough  # of a single device
    assert not any(one["on"] == alone.title and one["stack"] == "DeepSpeed-MII" for one in stacks.entries(known.rows))


def test_vllm_is_forecast_to_eight_percent() -> None:
    errors = {one["on"]: one["error"] for one in stacks.entries(stacks.measured()) if one["stack"] == "vLLM"}
    assert all(error <= 0.08 for on, error in errors.items() if on.startswith("NVIDIA"))
    assert errors["AMD Instinct MI300X"] > 0.08  # which its answers say
