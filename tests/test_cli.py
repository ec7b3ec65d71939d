"""The command line, wrong input included"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import Any

import pytest

from symbolic_llm import catalogue, cli
from symbolic_llm.checks.report import Report
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.cli import main
from symbolic_llm.formula import Formula

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; exit code, stdout, stderr."""

    def call(line: str | list[str]) -> tuple[int, str, str]:
        code = main(line.split() if isinstance(line, str) else line)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_check_says_proved_with_the_witness(run: Run) -> None:
    """One line for each formula, and a count."""
    code, out, err = run("check batch_crossover total_parameters")
    assert code == 0
    assert out.splitlines() == [
        "PROVED     batch_crossover                      clock.batch_crossover",
        "PROVED     total_parameters                     decode.weights_read",
        "2 of 2 formulas proved",
    ]
    assert err == ""


def test_check_as_data(run: Run) -> None:
    """Every finding, with its step."""
    code, out, _ = run("check batch_crossover --json")
    (report,) = json.loads(out)
    assert code == 0
    assert report["verdict"] == "PROVED"
    assert {finding["check"] for finding in report["findings"]} == {
        *("steps", "dimensions", "engine", "certificate", "mutants", "uses"),
    }


def test_a_failed_check_is_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the finding that failed, and its step."""

    def failed(formula: Formula) -> Report:
        finding = Finding("steps", Verdict.UNDECIDED, "step 2: could not decide", 2)
        return Report(formula, (finding,))

    monkeypatch.setattr(cli.formulas, "check_formulas", lambda formulas, *_, **__: map(failed, formulas))
    code, out, _ = run("check batch_crossover")
    assert code == 1
    assert "UNDECIDED  batch_crossover" in out
    assert "  steps: UNDECIDED: step 2: could not decide" in out
    assert "0 of 1 formulas proved" in out


def test_list_names_every_formula(run: Run) -> None:
    """By chapter, with its title."""
    code, out, _ = run("list")
    assert code == 0
    for formula in catalogue():
        assert f"  {formula.name}" in out
        assert formula.title in out
    assert [entry["name"] for entry in json.loads(run("list --json")[1])] == [f.name for f in catalogue()]


def test_presets_are_listed_with_disagreements(run: Run) -> None:
    """Models, hardware, formats."""
    code, out, _ = run("presets")
    assert code == 0
    assert "llama-7b" in out
    assert "techpowerup prints bandwidth 320 GB/s" in out
    assert "q4_0" in json.loads(run("presets --json")[1])["formats"]


@pytest.mark.parametrize("name", catalogue().names)
def test_show_shows_every_formula(run: Run, name: str) -> None:
    """As text and as data."""
    code, out, _ = run(["show", name])
    assert code == 0
    assert "Derivation" in out
    assert "witness: " in out
    data = json.loads(run(["show", name, "--json"])[1])
    assert data["name"] == name
    assert len(data["steps"]) == len(catalogue()[name].steps)


def test_solve_with_numbers(run: Run) -> None:
    """Presets as options or as letters, units as text, in any order."""
    for line in (
        ["solve", "batch_crossover", "--hardware", "a100-80gb-pcie", "--dtype", "fp16"],
        ["solve", "batch_crossover", "hardware=a100-80gb-pcie", "dtype=fp16"],
        ["solve", "--dtype", "fp16", "batch_crossover", "F=312 TFLOP/s", "W=1935 GB/s"],
        ["solve", "batch_crossover", "--dtype", "fp16", "F=312 TFLOP/s", "W=1935 GB/s"],
    ):
        code, out, _ = run(line)
        assert code == 0
        assert "B* = 161.24 sequences" in out


def test_solve_for_a_letter(run: Run) -> None:
    """Named without a value."""
    code, out, _ = run("solve batch_crossover W B=1 F=312TFLOP/s n_bytes=2 --json")
    data = json.loads(out)
    assert code == 0
    assert data["unknown"] == "W"
    assert data["expr"] == "n_bytes·F/(2·B*)"
    assert data["value"] == 312 * 10**12
    assert data["unit"] == "byte/second"
    assert data["conditions"] == []
    assert data["given"]["F"] == {"value": 312e12, "unit": "FLOP/second", "origin": ""}


def test_solve_in_letters(run: Run) -> None:
    """Without numbers the closed form, and each branch with its condition."""
    code, out, _ = run("solve latency P --json")
    data = json.loads(out)
    assert code == 0
    assert data["value"] is None
    assert len(data["branches"]) == 2
    assert all(branch["conditions"] for branch in data["branches"])


@pytest.mark.parametrize("line", ["solve batch_crossover W=1", "solve batch_crossover --hardware m1 --dtype int4"])
def test_what_lacks_a_value_is_solved_in_letters(run: Run, line: str) -> None:
    """As in Python, where a missing letter is no error either; what is missing stands below."""
    code, out, err = run(line)
    assert (code, err) == (0, "")
    assert "n_bytes⋅F" in out
    assert "batch_crossover needs a value for " in out
    data = json.loads(run(f"{line} --json")[1])
    assert data["value"] is None
    assert "needs a value for " in data["note"]


def test_numbers_in_json_are_whole_where_they_are(run: Run) -> None:
    """Counts as ints, and what is to be said of a value beside it."""
    data = json.loads(run("solve latency B P=7e9 n_bytes=2 W=2e12 F=1e14 T=10ms --json")[1])
    assert data["note"] == "B is a whole number: 71 lies below, 72 above"
    assert isinstance(data["given"]["P"]["value"], int)
    assert isinstance(data["given"]["T_step"]["value"], float)


def test_json_is_asked_for_anywhere(run: Run) -> None:
    """Before the command or after it."""
    assert run("--json list") == run("list --json")


def test_check_on_values(run: Run) -> None:
    """Whether the formula applies to them; if not, that is exit code 1."""
    code, out, _ = run("check batch_crossover hardware=a10 --dtype fp16")
    assert code == 0
    assert "  values: PROVED: its conditions hold, and B_star is 208.33 sequences" in out
    code, out, _ = run("check tokens_that_fit --model llama-65b --hardware a10 --dtype fp16")
    assert code == 1
    assert "  values: REFUTED: tokens_that_fit does not apply, the weights alone do not fit" in out


def test_explain(run: Run) -> None:
    """Formula, numbers put in, result."""
    code, out, _ = run("explain memory_time P=7e9 --hardware t4 --dtype fp16")
    assert code == 0
    assert out.splitlines()[-3:] == ["T_memory = P·n_bytes/W", "T_memory = 7e9·2/3e11", "T_memory = 46.667 ms"]
    data = json.loads(run("explain memory_time P=7e9 --hardware t4 --dtype fp16 --json")[1])
    assert data["value"] == pytest.approx(0.046667, rel=1e-4)
    assert data["unit"] == "second"


WRONG = {
    "solve batch_crosover": "did you mean batch_crossover",
    "solve batch_crossover --hardware a100": "did you mean a100-40gb-pcie",
    "solve batch_crossover F=312GB/s": "write it as '312 TFLOP/s'",
    "solve batch_crossover W=0": "is positive",
    "solve batch_crossover W=nan": "not a finite number",
    "solve batch_crossover W=-1": "is positive",
    "solve batch_crossover W": "",
    "solve batch_crossover W B": "'B' has no value; write it as B=VALUE.",
    "solve batch_crossover W=1 W=2": "W was given twice",
    "solve batch_crossover dtype=fp16 --dtype fp16": "dtype was given twice",
    "explain batch_crossover W=1": "needs a value for n_bytes and F",
    "solve batch_crossover formula=3": "there is no letter 'formula'",
    "solve batch_crossover unknown=3": "there is no letter 'unknown'",
    "explain batch_crossover --hardware t4 --hardware a10": "hardware was given twice",
    "explain batch_crossover hardware=t4 hardware=a10": "hardware was given twice",
    "slove batch_crossover": "did you mean solve?",
    "solve": "the following arguments are required: NAME (",
    "check latency B=1": "latency needs a value for P",
    "solve batch_crossover W F=1 W=1 n_bytes=1": "both asked for and given",
    "solve batch_crossover --frobnicate": "'--frobnicate' is not an option",
    "solve memory_bound_batches": "is a theorem",
    "solve latency F T_step=1ms P=7e9 B=1 hardware=a10 dtype=fp16": "it would need",
    "explain batch_crossover W": "'W' has no value",
    "explain batch_crossover": "needs a value",
    "check nothing_of_that_name": "there is no formula",
    "show": "the following arguments are required: NAME",
    "frobnicate": "there is no command 'frobnicate'; there are check, count, explain, list",
    "": "the following arguments are required: COMMAND",
    "list extra": "'extra' is not an option or argument of symbolic-llm list",
}


@pytest.mark.parametrize("line", [line for line, expected in WRONG.items() if expected])
def test_wrong_input_gets_one_sentence_and_exit_code_2(run: Run, line: str) -> None:
    """On stderr, without a traceback."""
    code, out, err = run(line)
    assert code == 2
    assert out == ""
    assert err.startswith("symbolic-llm: ")
    assert err.count("\n") == 1
    assert WRONG[line] in err


def test_wrong_input_as_data(run: Run) -> None:
    """The sentence as JSON too."""
    code, out, err = run("solve batch_crossover W=0 --json")
    assert code == 2
    assert json.loads(out)["error"] == "InvalidValue"
    assert json.loads(out)["message"] in err


@pytest.mark.parametrize("line", ["--help", "solve --help", "--version"])
def test_help(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for, it is no error."""
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 0
    assert "symbolic-llm" in capsys.readouterr().out


def test_progress_is_shown_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """And nowhere else."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["check", "embedding_parameters"]) == 0
    assert "checking 1 of 1: embedding_parameters" in capsys.readouterr().err
    monkeypatch.setenv("COLUMNS", "30")
    assert main(["check", "embedding_parameters"]) == 0
    assert "checking 1 of 1: embedding_pa\r" in capsys.readouterr().err
    monkeypatch.setenv("TERM", "dumb")
    assert main(["check", "embedding_parameters"]) == 0
    assert capsys.readouterr().err == ""


def test_a_reader_that_stops_reading_is_no_error() -> None:
    """`symbolic-llm list | head -1`, as a process."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "symbolic_llm", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == 0


COMMAND = [sys.executable, "-m", "symbolic_llm"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_any_encoding_will_do(encoding: str) -> None:
    """What it lacks is written as near as it comes; data as JSON lose nothing."""
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    show = [*COMMAND, "show", "sequences_that_fit"]
    text = subprocess.run(show, capture_output=True, env=environment, check=True).stdout.decode(encoding)
    assert "B_fit = |-------------------|" in text
    assert "?" not in text
    data = subprocess.run([*show, "--json"], capture_output=True, env=environment, check=True).stdout.decode(encoding)
    assert json.loads(data)["conditions"][0]["relation"] == "M > P_total·n_bytes"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(("redirection", "why"), [("> /dev/full", "No space left"), (">&-", "output is closed")])
def test_an_answer_that_cannot_be_written_is_exit_code_2(redirection: str, why: str) -> None:
    """With one sentence, and as data too."""
    for options in ("", "--json"):
        line = shlex.join([*COMMAND, "list", *options.split()])
        found = subprocess.run(f"{line} {redirection}", shell=True, capture_output=True, text=True, check=False)
        assert found.returncode == 2
        assert found.stderr.startswith("symbolic-llm: the answer could not be written: ")
        assert found.stderr.count("\n") == 1
        assert why in found.stderr


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "line",
    [
        ["model", LONG],
        ["model", f"{LONG}/config.json"],
        ["model", "gpt2", "--hardware", LONG],
        ["model", "gpt2", "--context", LONG],
        ["model", "gpt2", LONG],
        ["count", LONG],
        ["count", "x", "--prompt-tokens", LONG],
        ["explain", LONG],
        ["explain", "latency", LONG],
        ["explain", "latency", f"{LONG}=1"],
        ["explain", "latency", f"P={LONG}"],
        ["explain", "latency", f"{LONG}=1", f"{LONG}=1"],
        ["solve", "latency", LONG],
        ["show", LONG],
        ["check", LONG],
        [LONG],
        [f"--{LONG}"],
    ],
    ids=lambda line: " ".join(word.replace(LONG, "LONG") for word in line),
)
@pytest.mark.parametrize("begins", ["", "\x1b[31m\n", "\u202e\x9b"], ids=["long", "control", "reversed"])
def test_what_is_repeated_is_clipped_and_prints(line: list[str], begins: str, run: Run) -> None:
    """However long and whatever its signs: one line, and nothing that a terminal acts upon."""
    code, out, err = run([word.replace(LONG, begins + LONG) for word in line])
    assert code == 2
    assert out == ""
    assert len(err) < 700
    assert err.removesuffix("\n").isprintable()


def test_an_answer_moves_no_cursor(run: Run, tmp_path: Any) -> None:
    """The name of a file stands in the answer; its control characters stand there escaped, in JSON as JSON has them."""
    folder = tmp_path / "\x1b[31m\x9b"
    folder.mkdir()
    config = {"model_type": "gpt2", "n_embd": 4, "n_head": 2, "n_layer": 1, "vocab_size": 5}
    (folder / "config.json").write_text(json.dumps(config))
    code, out, _ = run(["model", str(folder)])
    assert code == 0
    assert out.replace("\n", "").isprintable()
    assert r"\x1b[31m\x9b" in out
    code, out, _ = run(["model", str(folder), "--json"])
    assert out.replace("\n", "").isprintable()
    assert json.loads(out)["model"] == str(folder)
