"""The command line, wrong input included"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from inspect import signature
from typing import Any

import pytest

from symbolic_llm import Plan, SymbolicLLMError, catalogue, evaluate, model, plan, plot, presets
from symbolic_llm.checks.report import Report
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.cli import EXAMPLES, check_run, main, parser
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS, Letter, named
from symbolic_llm.presets.parse_value import read_value

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], kept_findings: None) -> Run:
    """Run a command line; exit code, stdout, stderr."""

    def call(line: str | list[str]) -> tuple[int, str, str]:
        code = main(line.split() if isinstance(line, str) else line)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_check_says_proved_with_the_witness(run: Run) -> None:
    """`check` prints one line for each formula, with its witness, and a count."""
    code, out, err = run("check batch_crossover total_parameters")
    assert code == 0
    assert out.splitlines() == [
        "PROVED     batch_crossover                      law         clock.batch_crossover",
        "PROVED     total_parameters                     certified   schematic/weights.multiplied",
        "2 proved: 1 certified and 1 law",
    ]
    assert err == ""


def test_check_as_data(run: Run) -> None:
    """Every finding, with its step."""
    code, out, _ = run("check batch_crossover --json")
    (report,) = json.loads(out)
    assert code == 0
    assert (report["verdict"], report["standing"]) == ("PROVED", "law")
    assert {finding["check"] for finding in report["findings"]} == {
        *("steps", "dimensions", "engine", "certificate", "mutants", "uses"),
    }


def test_a_failed_check_is_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the finding that failed, and its step."""

    def failed(formula: Formula) -> Report:
        finding = Finding("steps", Verdict.UNDECIDED, "step 2: could not decide", 2)
        return Report(formula, (finding,))

    monkeypatch.setattr(check_run, "check_formulas", lambda formulas, *_, **__: map(failed, formulas))
    code, out, _ = run("check batch_crossover --fresh")
    assert code == 1
    assert "UNDECIDED  batch_crossover" in out
    assert "  steps: UNDECIDED: step 2: could not decide" in out
    assert "0 proved, 1 undecided" in out


def test_a_definition_is_counted_as_one(run: Run) -> None:
    """A definition is counted as defined, neither proved nor wrong: exit code 0."""
    code, out, _ = run("check ridge_point memory_bound_batches")
    assert code == 0
    assert out.splitlines()[0].startswith(
        "DEFINED    ridge_point                          definition  none: a ratio of"
    )
    assert out.splitlines()[-1] == "1 proved, 1 defined: 1 follows and 1 definition"
    (report,) = json.loads(run("check ridge_point --json")[1])
    assert (report["verdict"], report["standing"]) == ("DEFINED", "definition")


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
    assert "techpowerup states bandwidth 320 GB/s" in out
    assert "q4_0" in json.loads(run("presets --json")[1])["formats"]


def test_presets_of_one_kind_are_a_part_of_all(run: Run) -> None:
    """Together they are the whole list; another kind is refused with the ones there are."""
    parts = [run(f"presets {kind}")[1].rstrip("\n") for kind in ("models", "hardware", "formats")]
    assert "\n\n".join(parts) == run("presets")[1].rstrip("\n")
    assert list(json.loads(run("presets hardware --json")[1])) == ["hardware"]
    code, _, said = run("presets hardwares")
    assert code == 2
    assert "there is no kind of preset 'hardwares'; did you mean hardware?" in said


def test_presets_as_data_carry_the_figures(run: Run) -> None:
    """Every model's parameters and shapes, every figure of a device with its source and who disagrees, every format."""
    data = json.loads(run("presets --json")[1])
    for kind in ("models", "hardware", "formats", "sources"):
        assert list(data[kind]) == list(presets.names(kind))
    for name, entry in data["models"].items():
        model = presets.model(name)
        assert entry["parameters"] == model.parameters
        assert entry["shapes"] == model.letters
        assert set(entry["sources"]) <= set(data["sources"])
    others = 0
    for name, entry in data["hardware"].items():
        device = presets.hardware(name)
        assert set(entry["figures"]) == set(device.figures)
        for what, figure in entry["figures"].items():
            assert figure["printed"] == device.figures[what].value
            assert figure["source"] in data["sources"]
            letter = {"memory": "M", "bandwidth": "W", "on_chip": "M", "link": "W_link", "link_latency": "T_link"}.get(
                what, "F"
            )
            assert figure["value"] == float(read_value(LETTERS[named(letter)], figure["printed"]))
            assert figure["unit"] == str(LETTERS[named(letter)].unit)
            others += len(figure["others"])
    assert others == sum(len(presets.hardware(name).also) for name in presets.names("hardware"))
    assert others
    assert data["formats"]["q4_0"] == {"n_bytes": 0.5625, "n_bits": 4, "n_block": 32, "n_scale": 16}
    assert data["sources"]["dao-2022"]["url"] == "https://arxiv.org/abs/2205.14135"


@pytest.mark.parametrize("name", catalogue().names)
def test_show_shows_every_formula(run: Run, name: str) -> None:
    """`show` prints every formula, as text and as data."""
    code, out, _ = run(["show", name])
    assert code == 0
    assert "Derivation" in out
    assert "witness: " in out
    data = json.loads(run(["show", name, "--json"])[1])
    assert data["name"] == name
    assert len(data["steps"]) == len(catalogue()[name].steps)


# what stands in sums over parts alone
SUMMED = {"P_active", "n_global", "n_global_own", "n_local_own", "n_shared_experts", "T_mixed_device", "P_mixed"}
SUMMED |= {"C_chunk", "D_chunk", "C_chunk_device", "D_chunk_device", "n_distinct_mixed", "D_weights_mixed"}
SUMMED |= {"n_distinct_chunk", "P_chunk", "D_weights_chunk", "T_chunk_device"}
SUMMED |= {"T_mixed_parts_device", "T_chunk_parts", "T_chunk_parts_device"}


@pytest.mark.parametrize("letter", LETTERS.values(), ids=lambda letter: letter.name)
def test_show_shows_every_letter(run: Run, letter: Letter) -> None:
    """Its meaning, unit and other names, the formulas that give it a value and those it stands in."""
    code, out, _ = run(["show", letter.name])
    assert code == 0
    assert out.startswith(f"{letter.name}  {letter.meaning} [")
    (data,) = json.loads(run(["show", letter.name, "--json"])[1])["letters"]
    assert data["unit"] == str(letter.unit)
    assert data["aliases"] == list(letter.aliases)
    for formula in catalogue():
        stands = named(letter.name) in formula.letters
        assert (formula.name in data["defined_by"]) == (formula.quantity == named(letter.name))
        assert formula.name in data["used_by"] or not stands or formula.name in data["defined_by"]
    for name in (*data["defined_by"], *data["used_by"], *letter.aliases, *letter.instead_of):
        assert name in out
    assert data["instead_of"] == list(letter.instead_of)
    # what neither stands in a formula nor for a letter of one is a sum over the parts of a model
    assert data["defined_by"] or data["used_by"] or letter.instead_of or letter.name in SUMMED


@pytest.mark.parametrize(
    ("name", "letters"),
    [("N", ["N"]), ("context", ["N"]), ("B*", ["B_star"]), ("tokens", ["T_star"]), ("n_embd", ["d_model"])],
)
def test_a_letter_by_any_of_its_names(run: Run, name: str, letters: list[str]) -> None:
    """Its own goes before other names: B is the batch, although the crossover may be given as B."""
    assert [found["letter"] for found in json.loads(run(["show", name, "--json"])[1])["letters"]] == letters


def test_where_only_a_condition_has_a_letter(run: Run) -> None:
    """A formula is listed under a letter that only its condition has."""
    (data,) = json.loads(run("show n_heads --json")[1])["letters"]
    assert named("n_heads") not in catalogue()["total_parameters"].letters
    assert "total_parameters" in data["used_by"]


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
    """A line that lacks a value is solved in letters, as in Python, without an error; what is missing stands below."""
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
    assert data["note"] == "B must be a whole number: the nearest are 71 below and 72 above"
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
    assert "  values: REFUTED: tokens_that_fit does not apply, because the weights alone do not fit" in out
    assert "0 proved and true for these values, 1 refuted" in out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "latency_linearity B=1000 model=llama-7b hardware=a10 dtype=fp16",
            "REFUTED: latency_linearity does not apply to these values",
        ),
        ("total_parameters d_model=10 n_blocks=1 n_vocab=3 n_heads=3 d_head=3", "REFUTED: total_parameters does not"),
    ],
)
def test_values_that_break_a_condition_are_no_success(run: Run, line: str, said: str) -> None:
    """Nor those of which nobody can tell, or of which a theorem does not speak; those that fit are one."""
    code, out, _ = run(f"check {line}")
    assert code == 1
    assert f"  values: {said}" in out
    for right in (
        "latency_linearity B=10 model=llama-7b hardware=a10 dtype=fp16",
        "total_parameters d_model=10 n_blocks=1 n_vocab=3 n_heads=5 d_head=2",
    ):
        assert run(f"check {right}")[0] == 0


LONG = "x" * 5000


@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{command} {path}"
            for command in ("model", "count")
            for path in (f"{LONG}.json", f"/{LONG}", f"a/{LONG}/b")
        ),
        *(f"explain weight_bytes weights=fp16 model={path}" for path in (LONG, f"/{LONG}")),
        *(f"{command} {LONG}" for command in ("show", "list", "solve", "model", "model llama-7b --context")),
        f"solve batch_crossover {LONG}=1",
        LONG,
    ],
    ids=lambda line: line[:40],
)
def test_an_argument_of_thousands_of_letters_gets_one_short_sentence(run: Run, line: str) -> None:
    """An argument of thousands of letters gets one short sentence that says what was wrong with it."""
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert len(err) < 600
    assert "written" not in err  # it is not the answer that cannot be written


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("model z", "symbolic-llm presets lists them"),
        ("explain weight_bytes --model z --weights fp16", "symbolic-llm presets lists them"),
        ("show z", "symbolic-llm list lists them"),
        ("solve z", "symbolic-llm list lists them"),
        ("show thruput", "there is no formula or letter 'thruput'; did you mean throughput or "),
        ("show n_byts", "did you mean n_bytes or "),
        (["show", ""], "there is no formula or letter ''"),
    ],
)
def test_what_is_not_known_points_to_where_it_is_listed(run: Run, line: str | list[str], hint: str) -> None:
    """Presets to the presets, formulas to the list; letters beside formulas."""
    code, _, err = run(line)
    assert code == 2
    assert hint in err


# Counts written short


def test_a_context_written_short(run: Run) -> None:
    """32k is 32,000, which the answer says beside what 32Ki would be; that is 32,768, and of K nobody knows."""
    code, out, _ = run("model llama-7b --context 32k --batch 1Ki")
    assert code == 0
    assert "batch 1,024 at context 32,000" in out
    assert out.endswith("--context: 32k is 32,000; 32Ki would be 32,768\n")
    assert json.loads(run("model llama-7b --context 32Ki --json")[1])["context"] == 32768
    code, _, err = run("model llama-7b --context 32K")
    assert code == 2
    assert "32K can mean 1,000 or 1,024 times 32; write 32k or 32Ki." in err


def test_help_says_what_a_prefix_stands_for(capsys: pytest.CaptureFixture[str]) -> None:
    """The help of each command that takes a context says what a prefix stands for."""
    for command in ("model", "solve", "explain", "check"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert "32k is 32,000 and 32Ki is 32,768" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *(("32k", 32_000), ("32 k", 32_000), ("32k tokens", 32_000), ("32ktokens", 32_000), ("1.5k", 1500)),
        *(("32Ki", 32_768), ("32Ki tokens", 32_768), ("1M", 10**6), ("1Mi", 2**20), ("1,000k", 10**6)),
    ],
)
def test_counts_with_a_prefix(run: Run, written: str, value: int) -> None:
    """With a unit or without; what was taken for what is said where it could be taken for something else."""
    code, out, _ = run(["explain", "textbook_attention_bytes", f"N={written}", "d=64", "n_bytes=2"])
    assert code == 0
    assert f"  N = {value:,}" in out
    ambiguous = "i" not in written.split()[0] and not written.endswith("ktokens")
    assert (" would be " in out) == ambiguous


@pytest.mark.parametrize("written", ["k", "32kB", "32kk", "1.0005k", "0k", "-1k", "1,2k", "32 kilo", "1e3K"])
def test_what_is_no_count(run: Run, written: str) -> None:
    """A value that is no count is refused in one sentence."""
    code, out, err = run(["explain", "kv_bytes_total", f"N={written}", "B=1", "m_token=1"])
    assert (code, out) == (2, "")
    assert err.startswith("symbolic-llm: N")
    assert err.count("\n") == 1


def test_explain(run: Run) -> None:
    """Formula, numbers put in, result."""
    code, out, _ = run("explain memory_time P=7e9 --hardware t4 --dtype fp16")
    assert code == 0
    assert out.splitlines()[-3:] == ["T_memory = P_read·n_bytes/W", "T_memory = 7e9·2/3e11", "T_memory = 46.667 ms"]
    data = json.loads(run("explain memory_time P=7e9 --hardware t4 --dtype fp16 --json")[1])
    assert data["value"] == pytest.approx(0.046667, rel=1e-4)
    assert data["unit"] == "second"


WRONG = {
    "solve batch_crosover": "did you mean batch_crossover",
    "solve batch_crossover --hardware a100": "did you mean a100-40gb-pcie",
    "solve batch_crossover F=312GB/s": "write it as '312 TFLOP/s'",
    "solve batch_crossover W=0": "must be positive",
    "solve batch_crossover W=nan": "not a finite number",
    "solve batch_crossover W=-1": "must be positive",
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
    "solve batch_crossover W F=1 W=1 n_bytes=1": "both given and to be solved for",
    "solve batch_crossover --frobnicate": "'--frobnicate' is not an option",
    "solve memory_bound_batches": "is a theorem",
    "solve latency F T_step=1ms P=7e9 B=1 hardware=a10 dtype=fp16": "a solution needs",
    "explain batch_crossover W": "'W' has no value",
    "explain batch_crossover": "needs a value",
    "check nothing_of_that_name": "there is no formula",
    "show": "the following arguments are required: NAME",
    "frobnicate": "there is no command 'frobnicate'; choose from audit, check, count, evaluate, explain",
    "": "the following arguments are required: COMMAND",
    "model llama-2-7b --context=": "--context needs a value.",
    "plan llama-2-7b --prompt 9 --output 9 --hardware=": "--hardware needs a value.",
    "sweep throughput model=llama-2-7b hardware=a10 dtype=fp16 B=1": "on the command line, B=1,2,4.",
    "audit --source nobody": "there is no audited source 'nobody'; symbolic-llm audit lists them.",
    "plan llama-2-7b --prompt 9 --output 9 --price 2": "--price needs a unit of time, as in '2.50 $/h', but '2' was",
    "plan llama-2-7b --prompt 9 --output 9 --price dear": "'dear' is not a number",
    "model gpt2 --page 1.5": "--page (tokens of a page of the KV cache) must be a whole number, but '1.5' was given.",
    "model gpt2 --cached 7": "--cached needs --prompt and --new-tokens, the request whose first tokens are cached.",
    "model gpt2 --tpot 50": "--tpot needs a unit, as in '50 ms', but '50' was given.",
    "plan gpt2 --prompt 9 --output 9 --ttft 5": "--ttft needs a unit, as in '500 ms', but '5' was given.",
    "model gpt2 B=2": "B is given as --batch here; letters are those of a machine, as in W='1 TB/s'.",
    "model gpt2 prefill=full": "prefill is given as --prefill here; letters are those of a machine, as in W='1 TB/s'.",
    "model gpt2 N=2": "N is given as --context here; letters are those of a machine, as in W='1 TB/s'.",
    "model gpt2 --storage 7": "--storage needs a unit, as in '7 GB/s', but '7' was given.",
    "model gpt2 --transfer 7GB": "is measured in byte/second, but '7GB' is in byte",
    "model gpt2 --per-op --transfer 7GB/s": "--per-op shows a single pass, so it cannot be used with --tpot,",
    "model gpt2 --host-flops 1TFLOP/s": "--host-flops, --host-memory and --host-link are of a second memory: give",
    "model gpt2 --weights iq9_k_m": "there is no mixture of number formats 'iq9_k_m'; did you mean",
    "evaluate ridge_point --hardware a10": "choose the number format of the arithmetic with --dtype, one of fp32, tf32",
    "evaluate P_total": "give a model (--model), which computes it, or",
    "model gpt2 opt-125m": "'opt-125m' is neither an option nor a letter with a value, as in N=4096.",
    "model gpt2 --context": "--context needs a value (see symbolic-llm model --help).",
    "model gpt2 --per-op=yes": "--per-op takes no value, but 'yes' was given (see symbolic-llm model --help).",
    "plot step --terminal --model gpt2,opt-125m --hardware a10": "this plot takes a single value for --model.",
    "machine --out no/such/folder/my.toml": "no/such/folder/my.toml could not be written: No such file or directory.",
    "measure --synthetic 2M --out no/such/folder/x.json": "could not be written: No such file or directory.",
    "list zyzzyva": "no formula is found by 'zyzzyva'",
    "presets models extra": "'extra' is not an option or argument of symbolic-llm presets",
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


HEADS = {  # what a command needs before its options are looked at
    "plan": ["gpt2", "--prompt=9", "--output=9"],
    "measure": ["--synthetic=1M"],
    "sweep": ["latency", "B=1,2"],
    "plot": ["step", "--terminal"],
    **{name: ["gpt2"] for name in ("model", "count")},
    **{name: ["latency"] for name in ("check", "solve", "evaluate", "explain")},
}
NO_VALUES = ("no such thing", "-1", "nan", "5 parsecs", " ")
PATHS = ("DIR", "FILE")  # what is typed for these is a name, whatever it is


def options_of_commands() -> Iterator[tuple[str, str]]:
    """Every command with every option of it that takes a value, but for paths."""
    (commands,) = (action.choices for action in parser()._actions if isinstance(action.choices, dict))
    for name, command in commands.items():
        for action in command._actions:
            if action.option_strings and action.nargs != 0 and action.metavar not in PATHS:
                yield name, action.option_strings[0]


OPTIONS = [*options_of_commands()]
KEYWORDS = {option.removeprefix("--").replace("-", "_") for _, option in OPTIONS}
IN_PYTHON = re.compile(
    rf"\b(?:{'|'.join(KEYWORDS)})=(?=[\s,.;:)]|$)|^({'|'.join(KEYWORDS)}) (?:\(|must )|\b[a-z]+_[a-z]+ "
)


def pythonic(sentence: str) -> str:
    """The first keyword argument, as people write it in Python, in a sentence to people who typed a command."""
    found = IN_PYTHON.search(sentence.removeprefix("symbolic-llm: "))
    return found[0] if found else ""


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_a_sentence_on_an_option_has_it_as_it_is_typed(run: Run, command: str, option: str) -> None:
    """Whatever is wrong with its value, and wherever that is noticed."""
    head = [word for word in HEADS.get(command, []) if not word.startswith(f"{option}=")]
    for value in NO_VALUES:
        code, out, err = run([command, *head, f"{option}={value}"])
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert pythonic(err) == ""


@pytest.mark.parametrize("line", ["model gpt2 --page 1.5", "model gpt2 --host-flops 1TFLOP/s", "evaluate P_total"])
def test_a_sentence_that_speaks_python_is_noticed(run: Run, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: the command line does not say that options are typed."""
    monkeypatch.setattr("symbolic_llm.cli.options_written", lambda how: nullcontext())
    code, _, err = run(line)
    assert code == 2
    assert pythonic(err)


@pytest.mark.parametrize("ask", [model, plan, evaluate, plot], ids=lambda ask: str(ask.__name__))
def test_a_sentence_to_python_has_keyword_arguments(ask: Any) -> None:
    """None has an option as it is typed for a command."""
    first = {"evaluate": ("latency",), "plot": ("step",)}.get(ask.__name__, ("gpt2",))
    needed = {"prompt": 9, "output": 9} if ask is plan else {}
    named = signature(Plan if ask is plan else ask).parameters.values()
    for name in (one.name for one in named if one.kind is one.KEYWORD_ONLY and not isinstance(one.default, bool)):
        for value in NO_VALUES:
            with pytest.raises(SymbolicLLMError) as refused:
                ask(*first, **needed | {name: value})
            assert not re.search(r"(?:^|[\s(])--[a-z]", str(refused.value)), str(refused.value)


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


def test_help_shows_its_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, unbroken."""
    for command, lines in EXAMPLES.items():
        with pytest.raises(SystemExit):
            main([command, "--help"])
        shown = capsys.readouterr().out.splitlines()
        assert shown[-len(lines) :] == [f"  symbolic-llm {line}" for line in lines]


def test_progress_is_shown_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """And nowhere else."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["check", "embedding_parameters", "--fresh"]) == 0
    assert "checking 1 of 1: embedding_parameters" in capsys.readouterr().err
    monkeypatch.setenv("COLUMNS", "30")
    assert main(["check", "embedding_parameters", "--fresh"]) == 0
    assert "checking 1 of 1: embedding_pa\r" in capsys.readouterr().err
    monkeypatch.setenv("TERM", "dumb")
    assert main(["check", "embedding_parameters"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("kept_findings")
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


@pytest.mark.usefixtures("kept_findings")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_any_encoding_will_do(encoding: str) -> None:
    """Characters that an encoding lacks are written as near as it comes; data as JSON lose nothing."""
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    show = [*COMMAND, "show", "sequences_that_fit"]
    text = subprocess.run(show, capture_output=True, env=environment, check=True).stdout.decode(encoding)
    assert "B_fit = |-------------------|" in text
    assert "?" not in text
    data = subprocess.run([*show, "--json"], capture_output=True, env=environment, check=True).stdout.decode(encoding)
    assert json.loads(data)["conditions"][0]["relation"] == "M > P_total·n_bytes"


@pytest.mark.usefixtures("kept_findings")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(("redirection", "why"), [("> /dev/full", "No space left"), (">&-", "output is closed")])
def test_an_answer_that_cannot_be_written_is_exit_code_2(redirection: str, why: str) -> None:
    """With one sentence, and as data too; where it is stored, it need not be made each time."""
    subprocess.run([*COMMAND, "list"], check=True, stdout=subprocess.DEVNULL)
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
