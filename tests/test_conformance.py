"""The conformance suite: its file is what the catalogue gives and the engine counts; its runner finds differences"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import date
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from modules import loaded
from tiny_models import engine_of
from tiny_runs import IN_FULL, LAST_LOGITS, Question, measured

from reference_engine import Decoder, Float
from reference_engine.formats import NAMED
from symbolic_llm.errors import CatalogueError
from symbolic_llm.pages.build import Pages
from symbolic_llm.pages.pen import Pen
from symbolic_llm.pages.tool_scores import tool_scores

FOLDER = Path(__file__).parent.parent / "conformance"
SUITE = json.loads((FOLDER / "kv.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in SUITE["cases"]}
TINY = [name for name in CASES if name.startswith("tiny-")]
STATES = "tiny-states"
KEPT = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("answers/*.json"))}
ADAPTERS = {path.stem: path for path in sorted(FOLDER.glob("adapters/*.py"))}
ANSWERS = {  # not those of make.py: a quantity that asks the wrong formula there differs from what is counted here
    "parameters": "P_total",
    "multiplied_parameters": "P",
    "weight_bytes": "weight_bytes",
    "kv_bytes": "kv_bytes_total",
    "decode_flops": "decode_product_flops",
    "prefill_flops": IN_FULL,
    "last_logits_prefill_flops": LAST_LOGITS,
}


def made() -> ModuleType:
    """The script that writes the file."""
    return loaded(FOLDER / "make.py")


def test_the_file_is_what_the_catalogue_gives() -> None:
    """Every value, and its text."""
    assert made().written() == (FOLDER / "kv.json").read_text(encoding="utf-8"), "run python conformance/make.py"


def test_the_file_fits_its_schema() -> None:
    """And the schema can fail."""
    schema = json.loads((FOLDER / "kv.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema)
    valid.validate(SUITE)
    assert set(SUITE["quantities"]) == set(schema["$defs"]["quantity"]["enum"])
    for damage in (
        {"quantity": "luck"},
        {"value": "1"},
        {"quantity": "kv_bytes"},
        {"quantity": "state_bytes", "bits": 8},
    ):
        case = {"id": "x", "about": "x", "questions": [{"id": "x", "quantity": "parameters", "value": 1} | damage]}
        assert not valid.is_valid(SUITE | {"cases": [case]}), damage


def test_the_questions_are_told_apart_and_exact() -> None:
    """Every question of a case has a name of its own, and a value that no other language would round."""
    assert len(CASES) == len(SUITE["cases"]) == 28
    for case in CASES.values():
        names = [one["id"] for one in case["questions"]]
        assert len(set(names)) == len(names)
        assert all(0 < one["value"] < 2**53 for one in case["questions"])


@pytest.mark.parametrize("name", [name for name in TINY if name != STATES])
def test_the_engine_counts_what_the_file_says(name: str) -> None:
    """Tiny models are run whole: every value that the engine has a format for, `==`."""
    case, compared = CASES[name], 0
    for context, batch in sorted({(one["context"], one["batch"]) for one in case["questions"] if "context" in one}):
        at = {"context": context, "batch": batch}
        counted = {
            bits: measured(engine_of(case["config"]), Question(batch, context, 2, bits // 8)) for bits in (16, 32)
        }
        for one in case["questions"]:
            if at.items() <= (at | one).items() and one.get("bits") != 4.5:
                assert one["value"] == counted[one.get("bits", 16)][ANSWERS[one["quantity"]]], one["id"]
                compared += 1
    assert compared >= 2 * (3 + 5)


def counted_with_states(one: dict[str, Any]) -> dict[str, int]:
    """A tiny hybrid in the formats that a question asks for: what the engine holds, and what it calculates."""
    held, batch, context = Float(one.get("bits", 16)), one.get("batch", 1), one.get("context", 2)
    decoder = Decoder(replace(engine_of(CASES[STATES]["config"]), weights=held, vectors=held, cache=held))
    decoder.prefill(np.zeros((batch, context), int))
    prompt = decoder.ledger.taken()
    # the engine's convolutions have a bias, which models of this kind do not
    weights = [weight for name, weight in decoder.weights.items() if not name.endswith("state_taps.bias")]
    counted = {
        "parameters": sum(prod(weight.shape) for weight in weights),
        "weight_bytes": sum(weight.nbytes for weight in weights),
        "kv_bytes": decoder.ledger.footprint("cache.*"),
        "state_bytes": decoder.ledger.footprint("states.*"),
        "prefill_flops": prompt.matmul_flops(),
    }
    decoder.prefill(np.zeros((batch, context - 1), int), capacity=context)
    decoder.ledger.clear()
    decoder.decode(np.zeros(batch, int))
    step = decoder.ledger
    met = sum(step.total("flops", f"*.{part}", "matmul") for part in ("scores", "mix", "recall", "write", "read"))
    multiplied = (step.matmul_flops() - met) // (2 * batch)
    return counted | {"decode_flops": step.matmul_flops(), "multiplied_parameters": multiplied}


def test_the_engine_counts_with_states_what_the_file_says() -> None:
    """A tiny hybrid is run: weights, caches and states that it really holds, and its FLOPs, `==`, in each format."""
    compared = 0
    for one in CASES[STATES]["questions"]:
        if one.get("bits") != 4.5:
            assert one["value"] == counted_with_states(one)[one["quantity"]], one["id"]
            compared += 1
    assert compared == 2 + 1 + 8 + 4 + 4 + 4


def test_a_token_more_would_be_noticed() -> None:
    """FLOPs of a hybrid that are right for one length of the context are not for another."""
    one = next(one for one in CASES[STATES]["questions"] if one["quantity"] == "decode_flops")
    longer = counted_with_states(one | {"context": one["context"] + 1})
    assert longer["decode_flops"] > one["value"]
    assert longer["multiplied_parameters"] == counted_with_states(one)["multiplied_parameters"]


@pytest.mark.parametrize("name", ["q4_0", "q8_0"])
def test_effective_bits_are_those_of_packed_blocks(name: str) -> None:
    """Effective bits of a format are those of blocks as the engine packs them."""
    (one,) = CASES[f"format-{name}"]["questions"]
    assert one["value"] == 8 * NAMED[name.upper()].n_bytes


def test_what_the_readme_says_of_the_file() -> None:
    """The readme says how many cases of each kind there are, its commands are right, and each adapter has its table."""
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    formats = sum(name.startswith("format-") for name in CASES)
    kinds = f"{len(CASES)} cases: {len(CASES) - len(TINY) - formats} published models, {len(TINY)} tiny ones, {formats}"
    assert kinds in readme
    assert f"ith version {SUITE['version']} of `kv.json`" in readme, "run the tools again, and say so"
    for adapter in ADAPTERS.values():
        assert f"python conformance/adapters/{adapter.name}" in readme
    for tool in KEPT:
        assert f"### {tool}\n" in readme


# Answers of other tools, which are kept, and their scores, which are not


def test_each_adapter_has_answers() -> None:
    """Of a tool that has its name, on a day that there is."""
    assert {tool.lower().replace("-", "_") for tool in KEPT} == set(ADAPTERS)
    for tool, said in KEPT.items():
        assert said["tool"] == tool
        assert date.fromisoformat(said["date"])


def test_kept_answers_fit_their_schema() -> None:
    """And the schema can fail."""
    schema = json.loads((FOLDER / "answers.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema)
    for said in KEPT.values():
        valid.validate(said)
        assert not any(valid.is_valid({one: said[one] for one in said if one != name}) for name in said)
        for damage in ({"version": ""}, {"date": "today"}, {"suite": 2}, {"answers": {"x": {"y": True}}}, {"score": 1}):
            assert not valid.is_valid(said | damage), damage


@pytest.mark.parametrize("tool", KEPT)
def test_scores_are_what_the_runner_says(
    tool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runner is given the kept answers, in place of the tool's."""
    runner = loaded(FOLDER / "run.py")
    monkeypatch.setattr(runner, "_answers", lambda _, case, __: KEPT[tool]["answers"].get(case["id"], {}))
    runner.main(["command"])
    said = capsys.readouterr().out.splitlines()
    (asked,) = (one for one in tool_scores(FOLDER).tools if one.tool == tool)
    for name in SUITE["quantities"]:
        (line,) = (line for line in said if line.startswith(f"{name}: "))
        if one := asked.scores.get(name):
            assert line == f"{name}: {one.right} agree, {one.answered - one.right} differ, of {one.asked}"
        else:
            assert line.startswith(f"{name}: 0 agree, 0 differ")


def project(folder: Path, change: Callable[[dict[str, Any]], object], tool: str = "hf-mem") -> Path:
    """A folder with the page of scores, and the kept answers of one tool after a change to them."""
    said = deepcopy(KEPT[tool])
    change(said)
    for name in ("docs/audit", "conformance/answers"):
        (folder / name).mkdir(parents=True)
    (folder / "conformance" / "kv.json").write_bytes((FOLDER / "kv.json").read_bytes())
    (folder / "conformance" / "answers" / f"{tool}.json").write_text(json.dumps(said), encoding="utf-8")
    (folder / "mkdocs.yml").write_bytes((FOLDER.parent / "mkdocs.yml").read_bytes())
    for path in (FOLDER.parent / "docs").glob("[!_]*/*.md"):
        (folder / path.relative_to(FOLDER.parent)).parent.mkdir(exist_ok=True)
        (folder / path.relative_to(FOLDER.parent)).write_bytes(path.read_bytes())
    return folder


def rows(folder: Path) -> list[list[str]]:
    """Cells of the tables on the page of scores."""
    page = Pages(folder / "docs", [])._page("audit/scores.md", Pen("../"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:2] == "| "]


def test_the_page_shows_the_scores() -> None:
    """Every tool with its version and the day, and each of its scores."""
    shown, scores = rows(FOLDER.parent), tool_scores(FOLDER)
    assert [one.tool for one in scores.tools] == sorted(KEPT, key=str.lower)
    for one in scores.tools:
        sums = (sum(getattr(score, name) for score in one.scores.values()) for name in ("right", "near", "answered"))
        assert [one.tool, one.version, one.date, *map(str, sums)] in shown
        for name, score in one.scores.items():
            numbers = map(str, (score.right, score.near, score.answered, score.asked))
            assert [one.tool, f"`{name}`", *numbers, score.wrong_at] in shown
    assert len(shown) == 2 + len(scores.tools) + sum(len(one.scores) for one in scores.tools)


@pytest.mark.parametrize(("answer", "far"), [(536870913, 0), (536870912 * 1.02, 1), ("536870912", 1), (2**2000, 1)])
def test_an_answer_that_is_another_costs_a_point(answer: float | str, far: int, tmp_path: Path) -> None:
    """By one byte, by two in a hundred, as a text: the page has one right answer fewer, another kind wrong."""

    def plant(said: dict[str, Any]) -> None:
        said["answers"]["llama-2-7b"]["kv_bytes context=1024 batch=1 bits=16"] = answer

    (before,) = (row for row in rows(FOLDER.parent) if row[:2] == ["hf-mem", "`kv_bytes`"])
    (after,) = (row for row in rows(project(tmp_path, plant)) if row[1] == "`kv_bytes`")
    exact, near, answered = map(int, before[2:5])
    assert list(map(int, after[2:5])) == [exact - 1, near - far, answered]
    assert after[-1] != before[-1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda said: said.pop("version"), "answers/hf-mem.json does not say: version."),
        (lambda said: said.update(version="", date=""), "answers/hf-mem.json does not say: version and date."),
        (lambda said: said.update(suite=2), "has answers to version 2 of kv.json; ask again."),
        (
            lambda said: said["answers"]["llama-2-7b"].update(luck=1),
            "answers what kv.json does not ask: llama-2-7b luck",
        ),
    ],
)
def test_answers_without_a_version_stop_the_build(
    change: Callable[[dict[str, Any]], object], said: str, tmp_path: Path
) -> None:
    """And those without a day, and those to other questions."""
    with pytest.raises(CatalogueError) as error:
        rows(project(tmp_path, change))
    assert said in str(error.value)


def test_there_need_be_no_answers(tmp_path: Path) -> None:
    """Docs of another project have no such folder."""
    assert tool_scores(tmp_path).tools == ()


# The runner

RIGHT = f"""
import json, sys
asked = json.load(sys.stdin)
suite = json.load(open({str(FOLDER / "kv.json")!r}))
case = next(c for c in suite["cases"] if c.get("config") == asked["config"])
known = {{q["id"]: q["value"] for q in case["questions"]}}
answers = {{q["id"]: known[q["id"]] for q in asked["questions"]}}
"""


def ran(tool: str, tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The runner on a tool of a few lines, and two cases."""
    (tmp_path / "tool.py").write_text(tool, encoding="utf-8")
    cases = ("--case", "llama-3-8b", "--case", "tiny-latent")
    command = [sys.executable, str(FOLDER / "run.py"), *(options or cases), sys.executable, str(tmp_path / "tool.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_tool_that_is_right_agrees(tmp_path: Path) -> None:
    """In every number, as floats too; and it is not told the values."""
    done = ran(RIGHT + "assert all('value' not in q for q in asked['questions'])\nprint(json.dumps(answers))", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kv_bytes: 16 agree, 0 differ, of 16" in done.stdout
    done = ran(RIGHT + "print(json.dumps({k: float(v) for k, v in answers.items()}))", tmp_path)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("answers['parameters'] += 1", "parameters: 8,030,261,249 and not 8,030,261,248: +1.0, 1 times it"),
        ("answers['parameters'] = str(answers['parameters'])", "is no number"),
        ("answers['parameters'] = True", "is no number"),
        ("answers['parameters'] = float('nan')", "is no number"),
        ("answers['parameters'] = [1]", "is no number"),
        ("answers = {}", "parameters: 0 agree, 0 differ, of 2"),
        ("answers = []", "no answer: it printed no object of JSON"),
        ("print('loading')", "no answer: it printed no JSON"),
        ("sys.exit('out of luck')", "no answer: exit code 1: out of luck"),
    ],
)
def test_a_tool_that_is_wrong_is_found_out(fault: str, said: str, tmp_path: Path) -> None:
    """By one in eight billion, by a text, by saying nothing."""
    done = ran(f"{RIGHT}\n{fault}\nprint(json.dumps(answers))", tmp_path)
    assert done.returncode == 1
    assert said in done.stdout


def test_a_command_that_cannot_be_run(tmp_path: Path) -> None:
    """A sentence, and so for a case that there is not."""
    command = [sys.executable, str(FOLDER / "run.py"), str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "cannot be run" in done.stderr) == (2, True)
    done = ran("", tmp_path, "--case", "none")
    assert (done.returncode, "there is no case none" in done.stderr) == (2, True)


def test_answers_are_kept_with_version_and_day(tmp_path: Path) -> None:
    """Texts where they are no numbers, so that these stay wrong; only whole runs are kept."""
    kept = tmp_path / "a-tool.json"
    wrong = "answers['parameters'] = float('nan')\nanswers['multiplied_parameters'] = None"
    done = ran(f"{RIGHT}\n{wrong}\nprint(json.dumps(answers))", tmp_path, "--keep", "1.2", str(kept))
    assert done.returncode == 1
    said = json.loads(kept.read_text(encoding="utf-8"))
    assert (said["tool"], said["version"], said["suite"]) == ("a-tool", "1.2", SUITE["version"])
    assert date.fromisoformat(said["date"])
    assert said["answers"]["llama-3-8b"]["parameters"] == "nan"
    assert "multiplied_parameters" not in said["answers"]["llama-3-8b"]
    done = ran(RIGHT, tmp_path, "--keep", "1.2", str(kept), "--case", "llama-3-8b")
    assert (done.returncode, "only answers to all questions are kept" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("llm_viewer", "falcon-7b"),
        ("llm_analysis", "falcon-7b"),
        ("aiconfigurator", "falcon-7b"),
        ("mlsysim", "format-q4_0"),
    ],
)
def test_an_adapter_answers_nothing_for_what_its_tool_does_not_know(name: str, case: str) -> None:
    """Without the tool being there."""
    asked: dict[str, Any] = {"config": CASES[case].get("config"), "questions": CASES[case]["questions"]}
    command = [sys.executable, str(ADAPTERS[name]), "nowhere"]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {}
