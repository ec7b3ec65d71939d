"""Figures that the source articles print, recomputed by hand, held against the catalogue and against the claims

Each row asks the catalogue the question a printed figure answers, and compares with the figure recomputed by hand, to
the digits it was written with. What was found by hand of each figure is held against what the audit computes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from sympy import Eq, Rational, solve

from symbolic_llm import catalogue, evaluate, presets
from symbolic_llm import solve as solve_formula
from symbolic_llm.audit import Verdict as Said
from symbolic_llm.audit import check, source
from symbolic_llm.checks.dimensions import DimensionError, check_dimensions, unit_of
from symbolic_llm.checks.report import findings
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.expressions.arithmetic import number
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.notation import B, C_vector, F, N, P, T_compute, T_memory, T_prefill, W, m, n, n_bytes
from symbolic_llm.steps import premise
from symbolic_llm.units import parse_quantity

A100, SXM, A10, T4 = "a100-80gb-pcie", "a100-80gb-sxm", "a10", "t4"
NOMINAL = {name: presets.model(name).nominal for name in presets.names("models") if presets.model(name).nominal}


@dataclass(frozen=True)
class Row:
    """A figure: where it stands, the formula and what is put in, the figure recomputed by hand, and its unit."""

    where: str
    formula: str
    given: dict[str, Any]
    expected: str
    unit: str = "1"
    note: str = field(default="", compare=False)


def tokens_per_second(where: str, model: str, hardware: str, expected: str, dtype: str = "fp16") -> Row:
    """A row of throughput: one sequence, int4 weights, the round number of parameters."""
    given = {"P": NOMINAL[model], "weights": "int4", "hardware": hardware, "dtype": dtype, "B": 1}
    return Row(where, "throughput", given, expected)


def bytes_of(where: str, model: str, dtype: str, expected: str, exact: bool = False) -> Row:
    """Weights in one format."""
    given = {"model": model} if exact else {"P": NOMINAL[model]}
    return Row(where, "weight_bytes", {**given, "weights": dtype}, expected, "GB")


def shape(model: str) -> dict[str, Any]:
    """Letters of a model that the block of the articles takes; its MLP has another width."""
    letters = presets.model(model).letters
    return {name: letters[name] for name in ("n_blocks", "d_model", "n_vocab")}


SEVEN = {"P": NOMINAL["llama-2-7b"], "dtype": "fp16"}
HEAD = {"model": "llama-2-7b", "N": 4096, "dtype": "fp16"}

ROWS = [
    Row("F1 7B", "total_parameters", shape("llama-7b"), "6573522944"),
    Row("F1 13B", "total_parameters", shape("llama-13b"), "12746752000"),
    Row("F1 33B", "total_parameters", shape("llama-33b"), "32110673920"),
    Row("F1 65B", "total_parameters", shape("llama-65b"), "64686653440"),
    Row("F2", "kv_bytes_per_token", {"model": "llama-65b", "cache": "int4"}, "655360"),
    Row("F3", "kv_bytes_total", {"model": "llama-65b", "cache": "int4", "N": 2048, "B": 1}, "1.342", "GB"),
    bytes_of("F4", "llama-65b", "int4", "32.5"),
    bytes_of("F4, the model it is", "llama-33b", "int4", "16.25"),
    Row("F7", "batch_crossover", {"hardware": A100, "dtype": "fp16"}, "161.24"),
    tokens_per_second("F8 65B", "llama-65b", A100, "59.5", "int4"),
    tokens_per_second("F8 7B", "llama-7b", A100, "552.9", "int4"),
    tokens_per_second("F9 65B", "llama-65b", "m1", "2.10"),
    tokens_per_second("F9 7B", "llama-7b", "m1", "19.5"),
    tokens_per_second("F10", "llama-65b", "m2-max", "12.3"),
    Row(
        "F11", "memory_time", {"P": NOMINAL["llama-7b"], "weights": "int4", "hardware": "raspberry-pi-4"}, "1.14", "1/s"
    ),
    Row("F12 memory", "memory_time", {"P": 7e9, "weights": "int4", "hardware": "raspberry-pi-4"}, "0.875"),
    Row("F12 compute", "compute_time", {"P": 7e9, "dtype": "fp32", "hardware": "raspberry-pi-4", "B": 1}, "1.037"),
    Row("F12 B*", "batch_crossover", {"weights": "int4", "dtype": "fp32", "hardware": "raspberry-pi-4"}, "0.84"),
    tokens_per_second("F12 speed", "llama-7b", "raspberry-pi-4", "0.96", "fp32"),
    Row("F13", "batch_crossover", {"hardware": A100, "dtype": "int4"}, "161.24"),
    Row("F13 weights only", "batch_crossover", {"hardware": A100, "dtype": "fp16", "weights": "int4"}, "40.3"),
    Row("F16", "batch_crossover", {"hardware": "a100-40gb-pcie", "dtype": "fp16"}, "200.6"),
    Row("F16 kipply", "batch_crossover", {"hardware": "a100-40gb-pcie@kipply-2022", "dtype": "fp16"}, "208"),
    Row("F17", "ridge_point", {"hardware": A100, "dtype": "fp16"}, "161"),
    *(
        bytes_of(f"F19 {model} {dtype} exact", model, dtype, expected, exact=True)
        for model, row in {
            "llama-7b": ("26.95", "13.48", "6.74", "3.37"),
            "llama-13b": ("52.06", "26.03", "13.02", "6.51"),
            "llama-33b": ("130.12", "65.06", "32.53", "16.26"),
            "llama-65b": ("261.14", "130.57", "65.29", "32.64"),
        }.items()
        for dtype, expected in zip(("fp32", "fp16", "int8", "int4"), row, strict=True)
    ),
    Row("K4", "batch_crossover", {"hardware": A100, "dtype": "fp16"}, "161.24"),
    tokens_per_second("K5", "llama-7b", "m2", "28.6"),
    Row("G1", "ridge_point", {"hardware": A10, "dtype": "fp16"}, "208.33"),
    Row("G2", "textbook_attention_bytes", HEAD, str(8 * 4096**2 + 8 * 4096 * 128)),
    Row("G3", "textbook_attention_flops", HEAD, str(4 * 4096**2 * 128 + 3 * 4096**2)),
    Row("G4", "attention_intensity", HEAD, "62.42"),
    Row("G5", "decode_attention_intensity", HEAD, "0.990"),
    Row("G7", "tokens_that_fit", {"model": "llama-2-7b", **SEVEN, "hardware": A10}, "19073"),
    Row("G9 T4", "memory_time", {**SEVEN, "hardware": T4}, "46.67", "ms"),
    Row("G9 A10", "memory_time", {**SEVEN, "hardware": A10}, "23.33", "ms"),
    Row("G9 A100", "memory_time", {**SEVEN, "hardware": SXM}, "6.87", "ms"),
    Row("G10 T4", "prefill_time", {**SEVEN, "hardware": T4, "N": 350, "B": 1}, "75.4", "ms"),
    Row("G10 A10", "prefill_time", {**SEVEN, "hardware": A10, "N": 350, "B": 1}, "39.2", "ms"),
    Row("G10 A100", "prefill_time", {**SEVEN, "hardware": SXM, "N": 350, "B": 1}, "15.7", "ms"),
    Row("G12 T4", "generation_time", {**SEVEN, "hardware": T4, "N": 350, "n_new": 150, "B": 1}, "7.08"),
    Row("G12 A10", "generation_time", {**SEVEN, "hardware": A10, "N": 350, "n_new": 150, "B": 1}, "3.54"),
    Row("G12 A100", "generation_time", {**SEVEN, "hardware": SXM, "N": 350, "n_new": 150, "B": 1}, "1.05"),
    bytes_of("G14 exact", "llama-2-7b", "fp16", "13.48", exact=True),
    Row("G15 the other listing", "memory_time", {**SEVEN, "hardware": "t4@techpowerup"}, "43.75", "ms"),
    Row("block scales", "q4_bytes_per_weight", {"weights": "q4_0"}, "0.5625"),
    Row("critical context", "critical_context", {"model": "llama-2-7b", "hardware": SXM, "dtype": "fp16"}, "166"),
]


def rounded(value: float | Fraction, like: str) -> Decimal:
    """A value to as many decimals as `like` is written with."""
    places = Decimal(like).as_tuple().exponent
    return Decimal(float(value)).quantize(Decimal(1).scaleb(int(places)))


def computed(row: Row) -> Fraction:
    """The value in the row's unit."""
    value = Fraction(evaluate(row.formula, **row.given))
    if row.unit == "1/s":
        return 1 / value
    if row.unit == "1":
        return value
    unit = parse_quantity(f"1 {row.unit}")[1]
    assert unit is not None
    return value / unit.scale


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.where)
def test_figure(row: Row) -> None:
    """The catalogue gives the recomputed figure, to its last digit."""
    assert rounded(computed(row), row.expected) == Decimal(row.expected)


def test_the_table_would_notice() -> None:
    """The twin: a factor of 2, or the last digit, and the row fails."""
    row = next(row for row in ROWS if row.where == "F7")
    assert rounded(2 * computed(row), row.expected) != Decimal(row.expected)
    assert rounded(computed(row), "161.25") != Decimal("161.25")


REPRODUCED, REFUTED, OBSERVED = Said.REPRODUCED, Said.REFUTED, Said.OBSERVATION
POST, NOTE, ENGLISH, CHINESE, GUIDE = (
    "timbers-2023",
    "karpathy-2023",
    "retelling-english",
    "retelling-chinese",
    "baseten-2023",
)
SIZES, FORMATS = ("7b", "13b", "33b", "65b"), ("float32", "float16", "int8", "int4")
# Found by hand before there was an audit. In two places the audit says more: F3, whose 1.342 was taken for 1.33, is
# refuted to the digits that are printed; and the table of F19 was seen since, where the largest model has 65.2 billion.
BY_HAND = (
    ("F1", POST, "parameters", REPRODUCED),
    ("F2", POST, "cache-total", REFUTED),
    ("F3", POST, "cache-1-33", REFUTED),
    ("F4", POST, "weights-16-25", REFUTED),
    ("F5", POST, "latency-memory latency-memory-later", REFUTED),
    ("F6", POST, "latency-compute", REFUTED),
    ("F7", POST, "batch-161", REPRODUCED),
    ("F8", POST, "a100-65b a100-7b", REFUTED),
    ("F9", POST, "m1-65b m1-7b", REFUTED),
    ("F10", POST, "m2-max-65b", REFUTED),
    ("F11", POST, "pi-memory-bound", Said.NOT_REPRODUCIBLE),
    ("F12 observed", POST, "pi-observed", OBSERVED),
    ("F12", POST, "pi-compute-bound", REPRODUCED),
    ("F13", POST, "int4-same-crossover", REPRODUCED),
    ("F14", POST, "flops-of-a-token matrix-vector", REPRODUCED),
    ("F15", POST, "int8-over-fp16 int4-over-int8", REPRODUCED),
    ("F15 TF32", POST, "fp16-over-fp32", Said.UNSTATED),
    ("F16", POST, "smaller-a100", REPRODUCED),
    ("F17", POST, "orders-of-magnitude", REPRODUCED),
    ("F18", POST, "on-chip a100-memory-smaller a100-memory-larger", REPRODUCED),
    ("F19", POST, " ".join(f"table-{size}-{form}" for size in SIZES for form in FORMATS), REPRODUCED),
    ("F20", POST, "fits-a100 fits-24-gb fits-not-24-gb", REPRODUCED),
    ("F21", POST, "pixel-5 m2-pro-observed", OBSERVED),
    ("R1", CHINESE, "on-chip", REFUTED),
    ("R2", ENGLISH, "matrix-vector", REFUTED),
    ("R3", ENGLISH, "operations-as-bandwidth", REFUTED),
    ("R4", ENGLISH, "long-prompts", Said.UNSTATED),
    ("K1", NOTE, "compute-ratio", REPRODUCED),
    ("K2", NOTE, "bandwidth-ratio slower", REPRODUCED),
    ("K3", NOTE, "faster-than-expected", REPRODUCED),
    ("K4", NOTE, "batch-160", REPRODUCED),
    ("K5", NOTE, "macbook-observed", OBSERVED),
    ("G1", GUIDE, "a10-ridge", REPRODUCED),
    ("G2", GUIDE, "attention-bytes-summed attention-bytes", REPRODUCED),
    ("G3", GUIDE, "attention-operations-summed attention-operations", REPRODUCED),
    ("G4", GUIDE, "intensity-equation intensity", REPRODUCED),
    ("G5", GUIDE, "intensity-of-decoding", REFUTED),
    ("G6", GUIDE, "cache-equation cache-of-a-token cache-of-a-token-rounded", REPRODUCED),
    ("G7", GUIDE, "tokens-that-fit", REFUTED),
    ("G8", GUIDE, "sequences-that-fit", REPRODUCED),
    ("G9", GUIDE, "token-t4 token-a100", Said.CUT_OFF),
    ("G9 A10", GUIDE, "token-a10", REPRODUCED),
    ("G10", GUIDE, "prefill-t4 prefill-a10 prefill-a100", REPRODUCED),
    ("G11", GUIDE, "prefill-equation", REFUTED),
    ("G12", GUIDE, "total-t4 total-a10 total-a100", REFUTED),
    ("G13", GUIDE, "a10-over-t4", REPRODUCED),
    ("G13 A100", GUIDE, "a100-over-a10 a100-over-t4", REFUTED),
    ("G14", GUIDE, "weights-7b memory-left", REPRODUCED),
    ("G15", GUIDE, "t4-bandwidth", OBSERVED),
    ("G16", GUIDE, "real-time", OBSERVED),
)


@pytest.mark.parametrize(("where", "key", "names", "found"), BY_HAND, ids=[row[0] for row in BY_HAND])
def test_the_audit_finds_what_was_found_by_hand(where: str, key: str, names: str, found: Said) -> None:
    """For every figure and equation of the first five documents."""
    claims = source(key)
    assert {name: check(claims[name], claims).verdict for name in names.split()} == dict.fromkeys(names.split(), found)


def test_the_table_is_complete() -> None:
    """Every row of what was found by hand has its verdict here."""
    here = {row[0].split(" ")[0] for row in BY_HAND}
    assert here == {f"{x}{i}" for x, last in (("F", 21), ("R", 4), ("K", 5), ("G", 16)) for i in range(1, last + 1)}
    assert sum(row.where.startswith("F19") for row in ROWS) == 16


# Figures that somebody else collected, with the verdicts and causes that were found for them by hand

COLLECTED: tuple[tuple[str, Said, str], ...] = (
    ("gigagpu-2026/per-1000 gigagpu-2026/context-128k", REFUTED, "grouped-heads-ignored"),
    ("hacker-news-2025/heads", REFUTED, "derived-head-width"),
    ("hacker-news-2025/latent llm-cal-2026/request", REFUTED, "position-key"),
    ("brav-2026/heads brav-2026/latent brav-2026/reduction fitmygpu-2026/checkpoint", REPRODUCED, ""),
    (
        "jared-hpc-2026/h100 jared-hpc-2026/a100 inference-course-2026/h100-nvl llm-academy-2026/reduction",
        REPRODUCED,
        "",
    ),
    ("paul-2025/token-13b hf-mem-2026/kept hf-mem-2026/reserved freetoken-2026/routed", REPRODUCED, ""),
    ("shainet-2026/position", REPRODUCED, ""),
    ("tooljolt-2026/token ainewsleader-2026/gpt2", Said.UNSTATED, ""),
    ("chingjustwe-2026/weights gpu-name-2026/cache ds4-2026/layers", REFUTED, "other-shape"),
    ("gpu-name-2026/weights llmrun-2026/q4-0 llmrun-2026/q8-0", REFUTED, "block-scales"),
    ("devzone-2026/fp32 whichllm-2026/q6-k", REFUTED, "rounded-inputs"),
    ("inference-course-2026/share", REFUTED, "other-precision"),
    ("chingjustwe-2026/token chingjustwe-2026/million llm-cal-2026/parameters", Said.NOT_REPRODUCIBLE, ""),
    ("llmrun-2026/context prositronic-2026/fp16 movva-2025/less shainet-2026/state", Said.NOT_REPRODUCIBLE, ""),
    ("nebel-2026/reduction runlocalai-2026/more", Said.CUT_OFF, ""),
)


@pytest.mark.parametrize(("names", "found", "cause"), COLLECTED, ids=[row[0].split("/")[0] for row in COLLECTED])
def test_the_audit_finds_what_a_reader_found(names: str, found: Said, cause: str) -> None:
    """For figures that nobody chose who knew the formulas."""
    for name in names.split():
        key, _, claim = name.partition("/")
        claims = source(key)
        assert (check(claims[claim], claims).verdict, claims[claim].cause) == (found, cause), name


# Comparisons of figures


@pytest.mark.parametrize(
    ("model", "percent"),
    [("llama-7b", "-2.45"), ("llama-13b", "-2.07"), ("llama-33b", "-1.29"), ("llama-65b", "-0.92")],
)
def test_the_schematic_block_misses_llama(model: str, percent: str) -> None:
    """F1: by how much, against the exact count."""
    real = Fraction(presets.model(model).parameters)
    assert rounded((evaluate("total_parameters", **shape(model)) / real - 1) * 100, percent) == Decimal(percent)


def test_the_crossover_of_the_printed_equations() -> None:
    """F7: 161 follows from neither the printed equations nor the half-corrected ones."""
    values = {n_bytes: 2, F: 312 * 10**12, W: 1935 * 10**9}
    (as_printed,) = solve(Eq(2 * P * n_bytes * B / W, 2 * P / F), B)
    (half_corrected,) = solve(Eq(2 * P * n_bytes / W, 2 * P * B / F), B)
    assert rounded(float(as_printed.subs(values)), "0.0031") == Decimal("0.0031")
    assert rounded(float(half_corrected.subs(values)), "322.5") == Decimal("322.5")


def figure(hardware: str, what: str) -> Fraction:
    """A figure of a device in base units."""
    value, unit = parse_quantity(presets.hardware(hardware).figures[what].value)
    assert unit is not None
    return value * unit.scale


def test_ratios_of_two_devices() -> None:
    """K1 to K3 and G13."""
    mixed, fair = figure(A100, "int4") / figure("m2", "fp16"), figure(A100, "fp16") / figure("m2", "fp16")
    bandwidth = figure(A100, "bandwidth") / figure("m2", "bandwidth")
    assert [rounded(x, "0.0") for x in (mixed, fair)] == [Decimal("178.3"), Decimal("44.6")]
    assert rounded(bandwidth, "0.00") == Decimal("19.35")
    assert rounded(mixed / bandwidth, "0.0") == Decimal("9.2")
    times = [evaluate("memory_time", **SEVEN, hardware=name) for name in (T4, A10, SXM)]
    ratios = [
        rounded(slow / fast, "0.00")
        for slow, fast in ((times[0], times[1]), (times[1], times[2]), (times[0], times[2]))
    ]
    assert ratios == [Decimal("2.00"), Decimal("3.40"), Decimal("6.80")]


def test_what_fits() -> None:
    """F20: every int4 model fits an A100, with a cache of 2,048 tokens too; all but the largest fit 24 GB."""
    given = {"weights": "int4", "cache": "int4", "N": 2048, "B": 1, "dtype": "fp16"}
    for model in ("llama-7b", "llama-13b", "llama-33b", "llama-65b"):
        assert evaluate("capacity", model=model, hardware=A100, **given) is True
        assert evaluate("capacity", model=model, hardware="rtx-4090", **given) is (model != "llama-65b")


def test_critical_contexts() -> None:
    """166 with the parameters that are multiplied, 169 with the input embedding too; 2,892 for 70B with 8 KV heads."""
    given = {"hardware": SXM, "dtype": "fp16"}
    assert rounded(evaluate("critical_context", model="llama-2-7b", **given), "166") == 166
    total = presets.model("llama-2-7b").parameters
    assert rounded(evaluate("critical_context", model="llama-2-7b", P=total, **given), "169") == 169
    assert rounded(evaluate("critical_context", model="llama-2-70b", **given), "2892") == 2892
    by_precision = {
        evaluate("critical_context", model="llama-2-7b", weights=w, **given) for w in ("fp16", "int8", "q4_0")
    }
    assert len(by_precision) == 1


def test_q4_moves_every_figure_by_an_eighth() -> None:
    """Block scales."""
    ideal, stored = (evaluate("weight_bytes", model="llama-7b", weights=w) for w in ("int4", "q4_0"))
    assert Fraction(stored) / Fraction(ideal) == Fraction(9, 8)


def test_linear_speed_up() -> None:
    """F15: each halving of the bytes doubles the speed, as long as memory binds."""
    speeds = [
        solve_formula("throughput", P=7_000_000_000, hardware=A100, dtype="fp16", weights=w, B=1).exact
        for w in ("fp16", "int8", "int4")
    ]
    assert speeds == [speeds[0], 2 * speeds[0], 4 * speeds[0]]
    assert number(speeds[0]) > 100


# Printed equations


def printed(name: str, claim: Any, like: str) -> Formula:
    """A printed equation in place of the claim of the formula it corresponds to."""
    return replace(catalogue()[like], module=f"articles.{name}", claim=claim, steps=(premise(claim.rhs, "as printed"),))


PRINTED = {
    "F2": (lambda f: Eq(f("kv_bytes_total").quantity, f("kv_bytes_per_token").rhs), "kv_bytes_total"),
    "F5": (lambda f: Eq(T_memory, 2 * P * n_bytes * B / W), "memory_time"),
    "F5, its 2 read as FLOPs": (lambda f: Eq(T_memory, multiply_add * P * n_bytes * B / W), "memory_time"),
    "F5, the batch moved": (lambda f: Eq(T_memory, multiply_add * P * n_bytes / W), "memory_time"),
    "F6": (lambda f: Eq(T_compute, 2 * P / F), "compute_time"),
    "F6, its 2 read as FLOPs": (lambda f: Eq(T_compute, multiply_add * P / F), "compute_time"),
    "G11": (lambda f: Eq(T_prefill, N * P / F), "prefill_time"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_a_printed_equation_is_rejected_by_its_units(name: str) -> None:
    """By the dimension check alone."""
    claim, like = PRINTED[name]
    finding = check_dimensions(printed(name, claim(lambda x: catalogue()[x]), like))
    assert finding.verdict is Verdict.REFUTED
    assert check_dimensions(catalogue()[like]).verdict is Verdict.PROVED


def test_a_bare_factor_of_two_is_rejected_by_the_engine() -> None:
    """F5 with the batch moved, its 2 a bare number: the units agree, the counted bytes do not."""
    wrong = printed("F5", Eq(T_memory, 2 * P * n_bytes / W), "memory_time")
    found = {finding.check: finding.verdict for finding in findings(wrong, ("dimensions", "engine"))}
    assert found == {"dimensions": Verdict.PROVED, "engine": Verdict.REFUTED}


def test_two_hundred_mn_is_rejected_by_the_engine() -> None:
    """R2: a slip of the keyboard."""
    wrong = printed("R2", Eq(C_vector, 100 * catalogue()["matrix_vector_flops"].rhs), "matrix_vector_flops")
    found = {finding.check: finding.verdict for finding in findings(wrong, ("engine", "certificate"))}
    assert found == {"engine": Verdict.REFUTED, "certificate": Verdict.REFUTED}
    assert Rational(100) * 2 * m * n == 200 * m * n


def test_flops_are_not_bytes() -> None:
    """R3: "FLOPs per token is the same as the memory bandwidth required"."""
    flops, moved = catalogue()["flops_per_token"].rhs, catalogue()["weight_bytes"].rhs
    with pytest.raises(DimensionError, match=r"FLOP/token, but .* is in byte"):
        unit_of(Eq(flops, moved, evaluate=False))
