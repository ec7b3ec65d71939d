"""The conformance suite: its file is what the catalogue gives and the engine counts; its runner finds differences"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
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

FOLDER = Path(__file__).parent.parent / "conformance"
SUITE = json.loads((FOLDER / "kv.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in SUITE["cases"]}
TINY = [name for name in CASES if name.startswith("tiny-")]
STATES = "tiny-states"
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
    assert f"with version {SUITE['version']} of `kv.json`" in readme, "run the tools again, and say so"
    for adapter in sorted((FOLDER / "adapters").glob("*.py")):
        assert f"python conformance/adapters/{adapter.name} CLONE" in readme
    shown = re.findall(r"\| (\w+) \| (\d+) \| (\d+) \|", readme)
    asked = Counter(one["quantity"] for case in CASES.values() for one in case["questions"])
    assert len(shown) == 9
    assert all(int(agree) + int(differ) <= asked[quantity] for quantity, agree, differ in shown)


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


@pytest.mark.parametrize("name", ["llm_viewer", "llm_analysis"])
def test_an_adapter_answers_nothing_for_a_family_its_tool_does_not_know(name: str) -> None:
    """Without the tool being there."""
    asked: dict[str, Any] = {"config": CASES["deepseek-v3"]["config"], "questions": CASES["deepseek-v3"]["questions"]}
    command = [sys.executable, str(FOLDER / "adapters" / f"{name}.py"), "nowhere"]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {}
