"""JSON Schemas of answers: what each command prints with --json holds, and a planted change does not"""

from __future__ import annotations

import copy
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from model_files import ORACLES

from symbolic_llm import cli
from symbolic_llm.cli import EXAMPLES, main, parser
from symbolic_llm.cli.mcp import OFFERED, _answer_schema
from symbolic_llm.reports import answer_schemas
from symbolic_llm.reports.answer_schemas import schema, schemas

Run = Any
PARSED_ONLY = ("machine", "mcp", "measure", "pages", "site")  # they time, serve, or write for minutes
MORE = (  # of other shapes than the examples
    "presets",
    "model gpt2",
    "model qwen3-30b-a3b --hardware m4-max-40 --weights q4_0",
    "model deepseek-v3 --hardware h200-sxm --dtype fp8 --devices 8 --context 1k",
    "model gpt2 --hardware a10 --prompt 9 --new-tokens 9",
    "model gpt2 --hardware a10 --tpot 50ms",
    "model gpt2 --hardware h100-sxm --stack vllm",
    "model gpt2 --hardware a10 --stack vllm",
    "model gpt2 --per-op",
    "model gpt2 --hardware a10 --per-op --prompt 1k",
    "solve batch_crossover --hardware a10 --dtype fp16",
    "solve latency P",
    "explain memory_bound_batches B=1 n_bytes=2 F=3 W=4 P=5",
    "sweep latency_with_cache --model gpt2 --hardware a10,m4-max-40 --dtype fp16 B=1 N=9 --reasons",
)
WRONG = ("model z", "solve batch_crossover W=0", "evaluate latency", "frobnicate")


@pytest.fixture
def answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kept_findings: None
) -> Run:
    """The data that a command line prints, from a folder with the files of the examples."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "path" / "to").mkdir(parents=True)
    (tmp_path / "path" / "to" / "model").symlink_to(ORACLES / "gpt2")
    (tmp_path / "model.gguf").symlink_to(ORACLES / "llama-mha" / "model-q4_0.gguf")
    (tmp_path / "llama-bench.json").symlink_to(ORACLES.parent / "results" / "llama-bench.json")
    claim = "<!-- claim: batch_crossover(hardware='a100-80gb-pcie', dtype='fp16') -->"
    (tmp_path / "my-article.md").write_text(f"161.24 sequences {claim}\n", encoding="utf-8")

    def data(line: str) -> Any:
        main([*shlex.split(line), "--json"])
        return json.loads(capsys.readouterr().out)

    return data


def closed(of: Any) -> Any:
    """A schema that allows no field it does not name: what a test holds, and no reader may rely on."""
    if isinstance(of, list):
        return [closed(one) for one in of]
    if not isinstance(of, dict):
        return of
    found = {name: closed(one) for name, one in of.items()}
    return {"additionalProperties": False, **found} if isinstance(of.get("properties"), dict) else found


def faults(command: str, data: Any) -> list[str]:
    """Places where an answer is other than its schema says, fields that it does not name among them."""
    return [error.message for error in Draft202012Validator(closed(schema(command))).iter_errors(data)]


@pytest.mark.usefixtures("answer")
@pytest.mark.parametrize("command", EXAMPLES)
def test_the_examples_of_help_run(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of each command (mcp takes nothing), as they stand; the data of each are as the schema says."""
    answered, given = cli.answered, []

    def noted(*options: Any, **how: Any) -> Any:
        given.append(answered(*options, **how))
        return given[-1]

    monkeypatch.setattr(cli, "answered", noted)
    assert len(EXAMPLES[command]) == (1 if command == "mcp" else 2)
    for line in EXAMPLES[command]:
        words = shlex.split(line)
        assert words[0] == command
        if command in PARSED_ONLY:
            assert parser().parse_args(words).command == command
            continue
        assert main(words) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert out or "--csv" in words
        _, _, data = given.pop()
        assert faults(command, json.loads(json.dumps(data))) == []  # what --json prints


@pytest.mark.parametrize("line", MORE)
def test_an_answer_is_as_its_schema_says(answer: Run, line: str) -> None:
    """Answers of other shapes than the examples have: nothing is missing, of another type, or unnamed."""
    assert faults(line.split()[0], answer(line)) == []


@pytest.mark.parametrize("line", WRONG)
def test_a_complaint_is_as_its_schema_says(answer: Run, line: str) -> None:
    assert faults("error", answer(line)) == []


def changes(data: Any) -> Iterator[tuple[str, Any]]:
    """Answers in which one field is gone, has another type or another name, and what was done."""
    for place, field in fields(data, ()):
        for what in ("gone", "another type", "renamed"):
            changed = copy.deepcopy(data)
            inside = changed
            for step in place:
                inside = inside[step]
            value = inside.pop(field)
            if what == "another type":
                inside[field] = {"not": ["this"]}
            elif what == "renamed":
                inside[f"{field}_"] = value
            yield f"{'.'.join(map(str, (*place, field)))} {what}", changed


def fields(data: Any, place: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Places of an answer's fields, in the first item of each list."""
    if isinstance(data, dict):
        for field, value in data.items():
            yield place, field
            yield from fields(value, (*place, field))
    elif isinstance(data, list) and data:
        yield from fields(data[0], (*place, 0))


@pytest.mark.parametrize(
    ("line", "open_to"),
    [
        ("list quantization", ""),
        ("evaluate ridge_point --hardware a10 --dtype fp16", ""),
        (
            "evaluate separate_latency --model gpt2 --hardware h100-sxm --dtype fp16 --stack vllm N=9 B=1",
            r"letters\.\w+",
        ),
        ("explain latency --hardware a10 --dtype fp16 P=9 B=1", r"given\.\w+"),
        ("model gpt2", r"shapes\.\w+|parameters_by_kind\.\w+|rows\.0\.letters\.\w+|FIGURE"),
        ("model gpt2 --per-op", r"totals\.\w+|context gone"),
        ("plan gpt2 --prompt 9 --output 9 --hardware a10", r"choices\.0\.figures\.[\w ]+|.*\.letters\.\w+"),
        ("count path/to/model --prompt-tokens 1 --new-tokens 0", ""),
        ("audit my-article.md", r"counts\.\w+"),
        ("check ridge_point", ""),
        ("solve batch_crossover", ""),
        ("show W", ""),
        ("show ridge_point", r"letters\.\w+"),
    ],
)
def test_a_planted_change_is_noticed(answer: Run, line: str, open_to: str) -> None:
    """The twin: without one of its fields, with one of another type or name, an answer is not what the schema says.

    Where fields are names of letters, devices or figures, any may be missing; another type is noticed there, too.
    """
    command, data = line.split()[0], answer(line)
    rows = data.get("rows") if isinstance(data, dict) else None  # a number where batches are counted
    figures = "|".join(row["key"] for row in rows) if isinstance(rows, list) else ""
    allowed = re.compile(rf"(?:{open_to.replace('FIGURE', figures)})(?: gone| renamed)?")
    planted = dict(changes(data))
    missed = [what for what, changed in planted.items() if not faults(command, changed)]
    assert len(planted) >= 9
    assert [what for what in missed if not allowed.fullmatch(what)] == []


def test_every_command_has_a_schema() -> None:
    """Each is a schema of draft 2020-12 by itself, and is what the tool of an assistant says of its answers."""
    assert set(EXAMPLES) <= set(schemas()["$defs"])
    for command in EXAMPLES:
        Draft202012Validator.check_schema(schema(command))
    for tool in OFFERED:
        Draft202012Validator.check_schema(_answer_schema(tool))
        assert Draft202012Validator(_answer_schema(tool)).is_valid({"error": "InvalidValue", "message": "no"})
        assert not Draft202012Validator(_answer_schema(tool)).is_valid({})


def test_the_file_is_written_by_its_command() -> None:
    """The file of the package and of the site is what the command writes today."""
    text = answer_schemas.PATH.read_text(encoding="utf-8")
    assert text == answer_schemas.written(), f"out of date; run: {answer_schemas.COMMAND}"
