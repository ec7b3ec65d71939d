"""`machine` and `measure`: on a simulated computer the fit finds its figures; on this one, that they run at all"""

from __future__ import annotations

import json
import re
import shlex
import sys
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import ORACLES
from simulated_computer import SimulatedComputer
from test_answer_schemas import faults

from reference_engine import cores
from symbolic_llm import evaluate, presets
from symbolic_llm.cli import main
from symbolic_llm.cli.this_machine import _batches
from symbolic_llm.errors import InvalidHardware, InvalidModel, InvalidValue, MissingDependency
from symbolic_llm.this_machine import engine_figures, hardware_file, machine, numpy_computer, step_times
from symbolic_llm.this_machine.computer import Shape
from symbolic_llm.this_machine.forecast import forecast
from symbolic_llm.this_machine.numpy_computer import this_computer
from symbolic_llm.this_machine.sampling import CLAIM, Pace, timed
from symbolic_llm.this_machine.synthetic import shape_of
from symbolic_llm.this_machine.two_lines import two_lines

DAY = date(2026, 11, 27)
REACHED = {"q8_0": (0.6, 0.3), "q4_0": (0.4, 0.3)}  # of its bandwidth and arithmetic, by products that unpack
BATCHES = [1, 2, 4, 8, 16, 32, 64]
SMALL = Shape(2, 64, 4, 2, 16, 96, 64)


def simulated(**figures: Any) -> SimulatedComputer:
    """A computer whose products of quantised weights reach only a share of it."""
    return SimulatedComputer(**{"reached": REACHED, "jitter": 0.05, **figures})


def hardware_of(computer: SimulatedComputer, path: Path) -> str:
    """The hardware file of a computer, written where the path says."""
    path.write_text(hardware_file.text(hardware_file.fields(machine.measure_machine(computer), DAY)), encoding="utf-8")
    return str(path)


# The fit


@pytest.mark.parametrize("jitter", [0.0, 0.05, 0.5])
@pytest.mark.parametrize(
    ("W", "F", "t_block"), [(20e9, 300e9, 3e-4), (400e9, 3e12, 2e-5), (5e9, 90e9, 1e-3)], ids=["two", "many", "slow"]
)
def test_the_figures_of_a_simulated_machine_are_found(W: float, F: float, t_block: float, jitter: float) -> None:
    """Bandwidth, arithmetic, what each format reaches of them, and fixed times; runs that take longer change little."""
    near = 0.02 + jitter / 6  # of what is run a few times only, no run may be undisturbed
    computer = simulated(W=W, F=F, t_block=t_block, jitter=jitter)
    found = machine.measure_machine(computer)
    assert found.refused == ()
    assert found.bandwidth == pytest.approx(W, rel=near)
    assert found.peak == pytest.approx(F, rel=near)
    for format, path in found.measured.engine.paths.items():
        read, computed = REACHED.get(format, (1, 1))
        assert path.bandwidth == pytest.approx(read * W, rel=near)
        assert path.peak == pytest.approx(computed * F, rel=near)
        assert path.product == pytest.approx(computer.t_product, rel=5 * near)
        at = path.peak * computer.width(format) / (2 * path.bandwidth)
        assert found.crossover(format) == pytest.approx(at)
    engine = found.measured.engine
    assert engine.attention == pytest.approx(computer.W_cache, rel=2 * near)
    assert engine.block == pytest.approx(t_block, rel=5 * near)
    assert engine.fixed("fp32", 20, 141) == pytest.approx(computer.t_step + 20 * t_block + 141 * 5e-5, rel=2 * near)


@pytest.mark.parametrize("format", ["fp32", "q4_0"])
@pytest.mark.parametrize("context", [1, 4096])
def test_a_forecast_is_what_the_simulated_machine_then_takes(format: str, context: int) -> None:
    """From figures of small products and tiny decoders alone, for one of a billion parameters, and its crossover."""
    computer = simulated()
    subject = computer.synthetic(shape_of("1B"), format, "simulated")
    predicted = forecast(computer, subject, BATCHES, context)
    found = step_times.measure_steps(computer, predicted)
    assert found.errors.max() < 0.05
    assert found.lines is not None
    assert found.lines.meeting == pytest.approx(predicted.crossover, rel=0.1)
    law = evaluate("batch_crossover", dtype="fp32", weights=format, hardware=predicted.device)
    assert predicted.bound_crossover == law
    assert (predicted.bound <= predicted.parts * 1.0001).all()
    assert (predicted.parts < predicted.expected).all()


def test_a_wrong_figure_is_seen_in_the_forecast() -> None:
    """The twin: a machine that has become slower after it was measured."""
    computer = simulated()
    found = machine.measure_machine(computer)
    hardware, engine = hardware_file.fields(found, DAY), found.measured.engine
    computer.W /= 2
    subject = computer.synthetic(shape_of("120M"), "fp16", "simulated")
    predicted = forecast(computer, subject, BATCHES, 128, hardware=hardware, engine=engine)
    found_steps = step_times.measure_steps(computer, predicted)
    assert found_steps.errors.max() > 0.3
    assert found_steps.lines is not None
    assert found_steps.lines.meeting > 1.5 * (predicted.crossover or 0)


def test_two_lines_are_found_though_some_times_are_far_off() -> None:
    """The longer of a flat line and one through zero; the corner lies between two batches."""
    batches = np.array(BATCHES, float)
    times = np.maximum(3.0, 0.5 * batches)
    assert two_lines(batches, times).meeting == 6
    times[1] *= 5
    found = two_lines(batches, times)
    assert found.seen
    assert found.meeting == 6
    flat = two_lines(batches, np.full(7, 2.0))
    assert not flat.seen
    assert flat.meeting >= 32


def test_steps_faster_than_the_bound_are_said_to_be() -> None:
    """Figures of a slower machine are beaten; the shares that the engine reaches say it beforehand."""
    computer = simulated()
    subject = computer.synthetic(shape_of("120M"), "fp16", "simulated")
    slow = {"memory": "8 GB", "bandwidth": "5 GB/s", "peak": "1 TFLOP/s"}
    predicted = forecast(computer, subject, [1, 2, 64], 128, hardware=slow)
    assert predicted.shares == pytest.approx((4, 0.3, 1.6), rel=0.05)
    found = step_times.measure_steps(computer, predicted)
    assert any("Faster than the bound, at a batch of 1, 2:" in line for line in found.sentences)
    own = step_times.measure_steps(computer, forecast(computer, subject, [1, 2, 64], 128))
    assert not any("Faster" in line for line in own.sentences)


def test_a_crossover_that_fixed_times_hide_is_not_made_up() -> None:
    """With a tiny decoder, and with two batches."""
    computer = simulated(t_block=0.1)
    for shape, batches in ((SMALL, BATCHES), (shape_of("120M"), [1, 64])):
        predicted = forecast(computer, computer.synthetic(shape, "fp16", "simulated"), batches, 128)
        found = step_times.measure_steps(computer, predicted)
        assert found.lines is None
        assert any("No crossover is seen" in line for line in found.sentences)
        assert found.data()["crossover"]["measured"] is None


def test_a_jump_is_said_to_be_another_kernel() -> None:
    """A time that grows faster than the batch; a law has none."""
    computer = simulated()
    subject = computer.synthetic(shape_of("120M"), "fp16", "simulated")
    predicted = forecast(computer, subject, BATCHES, 128)
    taken = step_times.measure_steps(computer, predicted).taken
    jumped = tuple(
        replace(one, best=one.best * (3 if batch > 8 else 1)) for batch, one in zip(BATCHES, taken, strict=True)
    )
    (said,) = [line for line in replace_taken(computer, predicted, jumped).sentences if "kernel" in line]
    assert said.startswith("From 8 to 16 sequences the time grows")
    assert not any("kernel" in line for line in replace_taken(computer, predicted, taken).sentences)


def replace_taken(computer: SimulatedComputer, predicted: Any, taken: Any) -> step_times.StepTimes:
    """Steps that took these times."""
    return step_times.StepTimes(predicted, computer.system, computer.noise(0.1), taken)


# Noise


def test_figures_that_do_not_come_back_are_refused(tmp_path: Path) -> None:
    """On a machine that becomes slower all the time no two rounds agree; on one at rest all do."""
    drifting = machine.measure_machine(simulated(drift=0.5))
    assert {"bandwidth", "fp32", "fixed times"} <= set(drifting.refused)
    assert not drifting.is_usable
    assert machine.REFUSED in repr(drifting)
    calm = machine.measure_machine(simulated())
    assert calm.refused == ()
    assert machine.REFUSED not in repr(calm)
    fields = hardware_file.fields(drifting, DAY)
    assert "step" not in fields["engine"]
    path = tmp_path / "drifting.toml"
    path.write_text(hardware_file.text(fields), encoding="utf-8")
    assert hardware_file.read_engine(path) is None


def test_figures_of_a_program_that_waited_are_refused() -> None:
    """Rounds that agree about a time that others had are no measurement: all of them are refused, each for that."""
    waiting = machine.measure_machine(simulated(waits=0.5), quick=True)
    assert all(one.apart <= CLAIM < one.lost for one in waiting.measured.times.values())
    assert {"bandwidth", "copying", "fp32", "q4_0", "fixed times", "attention"} <= {*waiting.refused}
    assert machine.measure_machine(simulated(waits=0.05), quick=True).refused == ()


def test_noise_is_said_first() -> None:
    """Time that a spinning thread loses, a host takes and other programs use, where the system says so."""
    said = machine.measure_machine(simulated(disturbed=(0.2, 0.3, 0.4)), quick=True).remarks
    assert said == (
        "Noise: a thread that spins loses 20% of its time.",
        "Noise: the host gives 30% of the processors to others.",
        "Noise: other programs use 40% of the processors.",
    )
    assert machine.measure_machine(simulated(disturbed=(0.01, None, None)), quick=True).remarks == ()


def test_rounds_that_disagree_get_more_rounds() -> None:
    """Of two actions one is disturbed in its first rounds: it alone is run again, until two rounds agree."""
    clock = simulated()
    runs = {"calm": 0, "disturbed": 0}

    def action(name: str, seconds: Callable[[int], float]) -> Callable[[], None]:
        def run() -> None:
            runs[name] += 1
            clock.time += seconds(runs[name])

        return run

    actions = {
        "calm": action("calm", lambda number: 1.0),
        "disturbed": action("disturbed", lambda number: 9.0 / number if number < 5 else 1.0),
    }
    found = timed(clock, actions, Pace(0.5, 2, 1e9))
    assert runs["calm"] == 3  # the first makes what the others find
    assert runs["disturbed"] == 6
    assert found["disturbed"].confirmed
    assert found["disturbed"].best == pytest.approx(1.0)
    hurried = timed(clock, {"late": action("calm", lambda number: float(number))}, Pace(0.5, 2, 0.0))
    assert not hurried["late"].confirmed
    assert hurried["late"].apart > CLAIM


def test_caches_that_were_not_left_behind_are_said() -> None:
    """If the largest size that fits is still a cache's, W may be the cache's as well."""
    small = machine.measure_machine(simulated(free=2**30, jitter=0.0), quick=True)
    assert any("still falls from 64 MiB to 256 MiB" in line for line in small.remarks)
    assert machine.measure_machine(simulated(jitter=0.0)).remarks == ()


# The hardware file


def test_the_file_is_used_wherever_hardware_is(tmp_path: Path) -> None:
    """By formulas, which pass over what the engine reaches, and by `measure`, which takes it."""
    computer = simulated()
    path = hardware_of(computer, tmp_path / "my.toml")
    device = presets.hardware(path)
    assert device.title == computer.title
    assert [*device.figures] == ["memory", "bandwidth", "peak"]
    assert evaluate("ridge_point", hardware=path, dtype="fp16") == pytest.approx(15, rel=0.03)
    kept, measured = hardware_file.read_engine(path), machine.measure_machine(simulated()).measured.engine
    assert kept is not None
    assert kept.threads == 2
    assert kept.fixed("q8_0", 4, 29) == pytest.approx(measured.fixed("q8_0", 4, 29), rel=0.01)
    assert kept.paths["q4_0"].peak == pytest.approx(measured.paths["q4_0"].peak, rel=0.01)


PLAIN = 'memory = "8 GB"\nbandwidth = "9 GB/s"\npeak = "99 GFLOP/s"\n'
STEP = 'step = "1 ms"\nblock = "1 ms"\nattention = "9 GB/s"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('engine = "fast"\n', "engine must be a table"),
        ("[engine]\n", "engine.threads must be a whole number"),
        ("[engine]\nthreads = 0\n", "engine.threads must be a whole number"),
        ("[engine]\nthreads = true\n", "engine.threads must be a whole number"),
        ('[engine]\nthreads = 1\nstep = "1 ms"\n', "engine.block must be text with a unit"),
        (f"[engine]\nthreads = 1\n{STEP.replace('1 ms', '-1 ms')}", "must be positive"),
        (f"[engine]\nthreads = 1\n{STEP.replace('9 GB/s', '9 GB')}", "is measured in byte/second"),
        (f"[engine]\nthreads = 1\n{STEP}formats = 3\n", "engine.formats must be a table"),
        (f"[engine]\nthreads = 1\n{STEP}[engine.formats]\nq8_0 = 1\n", "engine.formats.q8_0 must be a table"),
        (f'[engine]\nthreads = 1\n{STEP}[engine.formats.q8_0]\npeak = "1e99 FLOP/s"\n', "bandwidth must be text"),
        ("[engine\n", "is not TOML"),
    ],
)
def test_a_wrong_table_of_the_engine_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    """Whatever is in the file; the figures of the machine are read by the formulas all the same."""
    path = tmp_path / "my.toml"
    path.write_text(text + PLAIN if text.startswith("engine =") else PLAIN + text, encoding="utf-8")
    with pytest.raises(InvalidHardware, match=re.escape(said)):
        hardware_file.read_engine(path)
    plain = tmp_path / "plain.toml"
    plain.write_text(PLAIN, encoding="utf-8")
    assert hardware_file.read_engine(plain) is None


# This computer


@pytest.fixture
def one_thread() -> Iterator[Any]:
    """The computer that the tests run on, with a thread."""
    with this_computer(1) as computer:
        yield computer


@pytest.mark.parametrize("n_bytes", [2**14, 2**20 + 4096])
def test_reading_and_copying_do_so(one_thread: Any, n_bytes: int) -> None:
    """All the bytes, as often as is said; a copy moves them."""
    read, moved = one_thread.reading(n_bytes, 1)
    assert moved % n_bytes == 0
    assert moved > 2**22
    one_thread._buffer[: n_bytes // 8] = np.arange(n_bytes // 8)
    (sums,) = read()
    assert len(sums) == moved // n_bytes
    assert set(sums.tolist()) == {sum(range(n_bytes // 8))}
    copy = one_thread.copying(n_bytes)
    words = one_thread._words(2 * n_bytes)
    words[:] = np.arange(len(words))
    copy()
    assert (words[: n_bytes // 8] == words[n_bytes // 8 :]).all()


@pytest.mark.parametrize("format", [*numpy_computer.PACKED, "q4_k", "q6_k"])
def test_products_are_those_of_the_engine(one_thread: Any, format: str) -> None:
    """In each format, of few vectors and of many, with no number that is none."""
    made = one_thread.products(format, 32, 256, 3)
    for vectors in (1, 9):
        product = made(vectors)()
        assert product.shape == (1, vectors, 32)
        assert np.isfinite(product).all()


@pytest.mark.parametrize(("batch", "context"), [(1, 1), (3, 1), (2, 7)])
def test_a_step_is_one_token_at_its_context(one_thread: Any, batch: int, context: int) -> None:
    """Run again, and beside another step of the same decoder: bytes and products are those that the forecast has."""
    subject = one_thread.synthetic(SMALL, "q8_0", "small")
    step, other = one_thread.step(subject, batch, context), one_thread.step(subject, 5, 9)
    ledger = subject.decoder.ledger
    read = evaluate("kv_bytes_total", model=subject.model, cache="fp32", B=batch, N=context)
    for _ in range(2):
        other()
        ledger.clear()
        step()
        assert subject.decoder.context == context
        assert ledger.total("loaded", "blocks.*.attention.cache") == read
        paths = {path for path, op in ledger.entries if op == "matmul" and not path.endswith(("scores", "mix"))}
        assert len(paths) == subject.products
        held = sum(weight.nbytes for weight in subject.decoder.weights.values())
        weights = evaluate("weight_bytes", model=subject.model, weights="q8_0")
        assert held == pytest.approx(weights, rel=0.1)  # norms are wider than the formula has them


def test_a_model_file_is_a_subject(one_thread: Any) -> None:
    """Its most common format, its blocks and its products."""
    path = str(ORACLES / "llama-mha" / "model-q4_0.gguf")
    subject = one_thread.loaded(path)
    assert (subject.format, subject.weights, subject.name) == ("q4_0", None, "model-q4_0.gguf")
    one_thread.step(subject, 2, 3)()
    with pytest.raises(InvalidModel):
        one_thread.loaded("no such file")


def test_what_does_not_fit_is_refused_before_it_is_made(one_thread: Any) -> None:
    """Weights, and caches."""
    with pytest.raises(InvalidValue, match=r"the weights of huge in fp32 take .* but only"):
        one_thread.synthetic(shape_of("900B"), "fp32", "huge")
    subject = one_thread.synthetic(SMALL, "q8_0", "small")
    with pytest.raises(InvalidValue, match="the caches of 4,096 sequences of 1,000,000,000 tokens take"):
        one_thread.step(subject, 4096, 10**9)


def test_a_second_copy_has_to_fit_too(one_thread: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of matrices whose rows are laid side by side: two of 34 bytes for 32 numbers take more than one of 64."""
    needed: list[int] = []
    monkeypatch.setattr(type(one_thread), "_refuse_what_does_not_fit", lambda _, n_bytes, what: needed.append(n_bytes))
    for format in ("fp16", "q8_0"):
        one_thread.synthetic(SMALL, format, "small")
    assert needed[0] < needed[1]
    path = ORACLES / "llama-mha" / "model-q4_0.gguf"
    one_thread.loaded(str(path))
    assert 0 < needed[2] < path.stat().st_size


def test_noise_is_shares(one_thread: Any) -> None:
    """Of a moment; clocks go forward."""
    before = one_thread.now()
    found = one_thread.noise(0.02)
    assert one_thread.now() > before
    assert all(share is None or 0 <= share <= 1.5 for share in asdict(found).values())
    assert one_thread.memory >= one_thread.free > 0


def test_shares_of_a_system_that_counts_less() -> None:
    """On macOS no host takes time; and there are moments in which no clock ticks."""
    mac = namedtuple("mac", "user nice system idle")
    assert numpy_computer._shares(mac(1, 0, 1, 2), mac(3, 0, 2, 5), 1.0) == (None, pytest.approx(2 / 6))
    linux = namedtuple("linux", "user system idle iowait steal guest")
    lost = numpy_computer._shares(linux(0, 0, 0, 0, 0, 0), linux(4, 0, 2, 1, 3, 4), 1.0)
    assert lost == (pytest.approx(0.3), pytest.approx(0.3))
    assert numpy_computer._shares(mac(1, 0, 1, 2), mac(1, 0, 1, 2), 0.0) == (None, None)


def test_a_system_without_proc_has_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is what Python knows of it."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "arm64\x1b[2J")
    assert numpy_computer._processor() == "arm64[2J"


def test_the_engine_s_threads_are_those_that_are_asked_for() -> None:
    """Within, and no longer."""
    thread, barrier = threading.current_thread, threading.Barrier(2)
    with cores.at_most(1):
        assert {*cores.on_cores(lambda piece: thread(), range(6))} == {thread()}
    if cores.cores() > 1:
        with cores.at_most(2):
            # each waits until there is another
            names = cores.on_cores(lambda piece: (barrier.wait(60), thread())[1], range(2))
        assert thread() in names
        assert len({*names}) == 2


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        (["150000 100000"], 1),
        (["300000 100000"], 3),
        (["300000", "100000"], 3),
        (["50000 100000"], 1),
        (["max 100000"], 64),
        (["-1", "100000"], 64),
        (["nonsense"], 64),
        (["100000 0"], 64),
        ([], 64),
    ],
)
def test_a_container_has_the_cores_that_its_time_amounts_to(
    texts: list[str], share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And those that it runs on, where no limit can be read."""
    for number, text in enumerate(texts):
        (tmp_path / str(number)).write_text(text + "\n", encoding="ascii")
    limit = tuple(str(tmp_path / str(number)) for number in range(max(1, len(texts))))
    monkeypatch.setattr(cores, "_LIMITS", (limit, ("/nowhere",)))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {*range(64)}, raising=False)
    cores._shares_of_time.cache_clear()
    try:
        assert cores.cores() == share
    finally:
        cores._shares_of_time.cache_clear()


@pytest.mark.parametrize("missing", ["psutil", "threadpoolctl"])
def test_without_its_libraries_it_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a sentence."""
    monkeypatch.setitem(sys.modules, missing, None)
    with (
        pytest.raises(
            MissingDependency, match=rf"needs {missing}; install it with pip install 'symbolic-llm\[measure\]'"
        ),
        this_computer(),
    ):
        pass


# The commands


def test_a_picture_that_nothing_draws_is_refused_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a sentence; as text it is left out, and it says how to have it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(numpy_computer, "this_computer", interrupted)
    code, out, err = run("measure --synthetic 2M --plot x.svg")
    assert (code, out) == (2, "")
    assert "a plot needs matplotlib" in err


Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> SimulatedComputer:
    """A simulated computer in the place of this one."""
    there = simulated()

    @contextmanager
    def simulated_one(threads: int | None = None) -> Iterator[SimulatedComputer]:
        yield there

    monkeypatch.setattr(numpy_computer, "this_computer", simulated_one)
    return there


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The exit code, output and complaints of a command, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def ran(line: str) -> tuple[int, str, str]:
        code = main(shlex.split(line))
        out, err = capsys.readouterr()
        return code, out, err

    return ran


def crossovers(said: str) -> tuple[float, ...]:
    """Crossovers of the bound and of the forecast, as they are printed."""
    found = re.search(r"([\d.]+) by the bound, ([\d.]+) by the forecast", said)
    return tuple(map(float, found.groups())) if found else ()


@pytest.mark.usefixtures("computer")
def test_two_commands_show_a_crossover_beside_the_predicted_one(run: Run, tmp_path: Path) -> None:
    """The first writes what the second takes."""
    code, out, _ = run("machine --quick --out my.toml")
    assert code == 0
    assert "written to my.toml" in out
    code, out, _ = run("measure --synthetic 1B --hardware my.toml --out first.json --plot steps.svg")
    assert code == 0
    first, _, after = out.partition("\nmeasured\n")
    by_law, by_forecast = crossovers(first)
    assert by_law == pytest.approx(34 / 32 * 300 / (2 * 20), rel=0.03)
    assert by_forecast == pytest.approx(by_law / 2, rel=0.03)
    seen = re.search(r"takes over from reading at a batch of ([\d.]+); ", after)
    assert seen is not None
    assert float(seen[1]) == pytest.approx(by_forecast, rel=0.1)
    assert crossovers(after) == (by_law, by_forecast)
    assert "across: batch (sequences); up: time of a decoding step (s)" in out
    assert f"crossover, measured: {seen[1]}" in (tmp_path / "steps.svg").read_text(encoding="utf-8")
    code, out, _ = run("measure --synthetic 1B --format q4_0 --batch 1,3,8 --hardware my.toml --compare first.json")
    assert code == 0
    assert "then: synthetic 1B on A simulated processor, 2 threads" in out
    then = re.search(r"^ +1 .* (0\.\d\d)$", out, re.MULTILINE)
    assert then is not None
    assert float(then[1]) == pytest.approx((18 / 0.4) / (34 / 0.6), rel=0.1)


def test_the_forecast_is_printed_before_anything_is_decoded(
    run: Run, computer: SimulatedComputer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An interrupted reader has seen it; and no file is left, nor a half of one."""
    run("machine --quick --out my.toml")
    monkeypatch.setattr(computer, "step", interrupted)
    code, out, err = run("measure --synthetic 1B --hardware my.toml --out run.json --plot run.svg")
    assert code == 130
    assert len(crossovers(out)) == 2
    assert "measured" not in out
    assert "interrupted" in err
    assert [path.name for path in tmp_path.iterdir()] == ["my.toml"]
    before = (tmp_path / "my.toml").read_bytes()
    monkeypatch.setattr(computer, "reading", interrupted)
    assert run("machine --out my.toml")[0] == 130
    assert [path.name for path in tmp_path.iterdir()] == ["my.toml"]
    assert (tmp_path / "my.toml").read_bytes() == before


def interrupted(*_: Any) -> Any:
    """Ctrl-C."""
    raise KeyboardInterrupt


def test_a_noisy_machine_is_exit_code_1_and_no_file(run: Run, computer: SimulatedComputer, tmp_path: Path) -> None:
    """The figures are shown all the same; a forecast that rests on them says so."""
    computer.drift = 0.5
    code, out, _ = run("machine --quick --out my.toml")
    assert code == 1
    assert "my.toml was not written" in out
    assert list(tmp_path.iterdir()) == []
    before, _, after = run("measure --synthetic 20M --batch 1,2,4")[1].partition("\nmeasured\n")
    assert "Refused: bandwidth" in before
    assert "Refused: bandwidth" not in after
    computer.drift = 0.0
    assert run("machine --quick --out my.toml")[0] == 0
    computer.drift, computer.time = 5.0, 0.0
    code, out, _ = run("measure --synthetic 20M --batch 1,2,4 --hardware my.toml")
    assert code == 0
    assert "Refused: the batches of 1, 2, 4." in out


@pytest.mark.usefixtures("computer")
def test_without_what_draws_text_there_are_the_figures(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table, and how to have the picture."""
    monkeypatch.setitem(sys.modules, "uniplot", None)
    code, out, _ = run("measure --synthetic 20M --batch 1,2,4 --quick")
    assert code == 0
    assert (
        "No picture: a plot in a terminal needs uniplot; install it with pip install 'symbolic-llm[terminal]'." in out
    )


@pytest.mark.usefixtures("computer")
def test_answers_are_as_their_schemas_say(run: Run) -> None:
    """With files and without."""
    for line in ("machine --quick --json", "machine --quick --out my.toml --json"):
        assert faults("machine", json.loads(run(line)[1])) == []
    for line in ("measure --synthetic 20M --json", "measure --synthetic 20M --batch 1,2 --out x.json --json"):
        assert faults("measure", json.loads(run(line)[1])) == []


@pytest.mark.usefixtures("computer")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("measure", "either a MODEL file or --synthetic with a size"),
        ("measure model.gguf --synthetic 1B", "either a MODEL file or --synthetic with a size"),
        ("measure model.gguf --format q8_0", "--format is for --synthetic"),
        ("measure --synthetic 1B --format q4_k", "there is no number format for --synthetic, 'q4_k'"),
        ("measure --synthetic huge", "--synthetic must be a size from 2M to 1000B, as in 1B, but 'huge' was given."),
        ("measure --synthetic 1K", "--synthetic must be a size from 2M"),
        ("measure --synthetic 1B --batch 64..1", "--batch must be a range such as 1..64"),
        ("measure --synthetic 1B --batch 1..2..3", "--batch must be a range such as 1..64"),
        ("measure --synthetic 1B --batch 0", "must be positive"),
        ("measure --synthetic 1B --batch 1,,2", "is not a number"),
        ("measure --synthetic 1B --batch 1..9999999", "--batch must be at most 4,096"),
        ("measure --synthetic 1B --context none", "'none' is not a number"),
        ("measure --synthetic 1B --hardware nothing", "there is no hardware"),
        ("measure --synthetic 1B --hardware no.toml", "no.toml"),
        ("measure --synthetic 1B --out x.txt", "must end in .json"),
        ("measure --synthetic 1B --plot x.gif", "must end in .pdf, .png or .svg"),
        ("measure --synthetic 1B --compare no.json", "no.json cannot be read"),
        ("measure --synthetic 1B --threads none", "--threads must be a whole number from 1"),
        ("machine --threads 0", "--threads must be a whole number from 1"),
        ("machine --out my.json", "must end in .toml"),
    ],
)
def test_a_mistake_is_one_sentence(run: Run, line: str, said: str) -> None:
    """Before anything is measured."""
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        "{}",
        "[" * 10**5,
        '{"steps": [], "machine": {"title": "x"}, "model": "y"}',
        '{"steps": [{"batch": 1, "best": -1}], "machine": {"title": "x"}, "model": "y"}',
        '{"steps": [{"batch": "1", "best": 1}], "machine": {"title": "x"}, "model": "y"}',
        '{"steps": [{"batch": [1], "best": 1}], "machine": {"title": "x"}, "model": "y"}',
        '{"steps": [{"batch": 1, "best": 1}], "machine": {"title": 3}, "model": "y"}',
        '{"steps": [{"batch": 1, "best": NaN}], "machine": {"title": "x"}, "model": "y"}',
    ],
)
def test_a_file_to_compare_that_is_none_is_one_sentence(tmp_path: Path, text: str) -> None:
    """Whatever is in it."""
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidValue, match="is no file that symbolic-llm measure saved"):
        step_times.earlier(str(path))


@pytest.mark.parametrize(
    ("given", "meant"), [("1..64", BATCHES), ("3..20", [3, 6, 12, 20]), ("5..5", [5]), ("8,1,8", [1, 8])]
)
def test_batches_are_doubled_or_listed(given: str, meant: list[int]) -> None:
    """Up to the last one, which is there."""
    assert _batches(given) == meant


@pytest.mark.parametrize("size", ["2M", "20M", "120M", "1B", "7B", "70B"])
def test_a_synthetic_decoder_has_about_so_many_parameters(size: str) -> None:
    """The formulas count them; heads divide what they have to."""
    shape = shape_of(size)
    wanted = float(size[:-1]) * {"M": 1e6, "B": 1e9}[size[-1]]
    assert presets.model(shape.config).parameters == pytest.approx(wanted, rel=0.2)
    assert shape.n_heads * shape.d_head == shape.d_model
    assert shape.n_heads % shape.n_kv_heads == 0


@pytest.mark.parametrize("model", ["--synthetic 2M", str(ORACLES / "llama-mha" / "model-q4_0.gguf")])
def test_this_machine_decodes_and_says_so(run: Run, tmp_path: Path, model: str) -> None:
    """The whole of `measure` with the engine, which takes a moment: whatever it takes, forecast and times are there."""
    hardware = hardware_of(simulated(threads=1), tmp_path / "my.toml")
    code, out, _ = run(f"measure {model} --batch 1,2,3 --context 5 --quick --hardware {hardware} --json")
    assert code == 0
    data = json.loads(out)
    assert [step["batch"] for step in data["steps"]] == [1, 2, 3]
    assert all(0 < step["best"] <= step["median"] for step in data["steps"])
    assert all(0 < step["bound"] <= step["forecast"] for step in data["steps"])
    assert data["machine"]["engine"]["threads"] == 1


def test_this_machine_is_measured(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of `machine` with sizes of kilobytes, whatever comes of it: an answer as the schema says, or a file too."""
    monkeypatch.setattr(machine, "_LARGEST", 2**18)
    monkeypatch.setattr(machine, "QUICK", Pace(0.001, 2, 0.5))
    for name, sizes in {
        "_COLUMNS": 256,
        "_LARGE": 32,
        "_SMALL": (8, 16),
        "_CONTEXTS": (4, 8),
        "_BLOCKS": (1, 2),
    }.items():
        monkeypatch.setattr(engine_figures, name, sizes)
    code, out, _ = run("machine --quick --threads 1 --out my.toml --json")
    data = json.loads(out)
    assert faults("machine", data) == []
    assert code == bool(data["refused"])
    assert (
        (tmp_path / "my.toml").exists()
        == (data["file"] == "my.toml")
        == (not {"bandwidth", "fp32"} & {*data["refused"]})
    )
    assert {one["bytes"] for one in data["readings"]} == {2**16, 2**18}
    assert {*data["engine"]["formats"]} == {*machine.FORMATS}
