"""The server of tools, asked with the library's own client over standard input and output"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from sessions import keeping

from symbolic_llm import catalogue
from symbolic_llm.cli import main, mcp
from symbolic_llm.cli.mcp import OFFERED
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.reports.offload_rows import OPTIONS

ROOT = Path(__file__).parent.parent
A100 = {"hardware": "a100-80gb-pcie", "dtype": "fp16"}
TYPED = ["--hardware", "a100-80gb-pcie", "--dtype", "fp16"]
LLAMA = {"vocab_size": 32000, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2}
CONFIG = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_attention_heads": 4, **LLAMA}

# a call, and the line of the command that asks the same; PATH stands for a config.json
CALLS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("list", {}, ["list"]),
    ("list", {"words": "pipeline bubble"}, ["list", "pipeline", "bubble"]),
    ("find", {"words": "time to first token"}, ["find", "time", "to", "first", "token"]),
    ("evaluate", {"name": "ridge point", **A100, "model": None}, ["evaluate", "ridge point", *TYPED]),
    ("presets", {}, ["presets"]),
    ("presets", {"name": "formats"}, ["presets", "formats"]),
    ("show", {"name": "kv_cache/kv_bytes_total"}, ["show", "kv_cache/kv_bytes_total"]),
    ("show", {"name": "P"}, ["show", "P"]),
    ("solve", {"name": "batch_crossover"}, ["solve", "batch_crossover"]),
    ("solve", {"name": "batch_crossover", "unknown": "W"}, ["solve", "batch_crossover", "W"]),
    ("solve", {"name": "batch_crossover", **A100, "model": None}, ["solve", "batch_crossover", *TYPED]),
    (
        "solve",
        {"name": "batch_crossover", "unknown": "W", "letters": {"B": 1, "F": "312 TFLOP/s", "n_bytes": 2.0}},
        ["solve", "batch_crossover", "W", "B=1", "F=312 TFLOP/s", "n_bytes=2.0"],
    ),
    ("evaluate", {"name": "batch_crossover", **A100}, ["evaluate", "batch_crossover", *TYPED]),
    (
        "evaluate",
        {"name": "latency", "model": "llama-7b", **A100, "letters": {"B": 8}},
        ["evaluate", "latency", "--model", "llama-7b", *TYPED, "B=8"],
    ),
    ("evaluate", {"name": "P_total", "model": "PATH"}, ["evaluate", "P_total", "--model", "PATH"]),
    (
        "explain",
        {"name": "memory_time", "model": "llama-7b", "letters": {"hardware": "m2"}, "weights": "q4_0"},
        ["explain", "memory_time", "--model", "llama-7b", "hardware=m2", "--weights", "q4_0"],
    ),
    (
        "model",
        {"model": "PATH", **A100, "context": 8192, "batch": "1k"},
        ["model", "PATH", *TYPED, "--context", "8192", "--batch", "1k"],
    ),
    ("model", {"model": "gpt2", "letters": {"W": "1 TB/s"}}, ["model", "gpt2", "W=1 TB/s"]),
    ("model", {"model": "gpt2", "per_op": False}, ["model", "gpt2"]),
    ("model", {"model": "gpt2", "per_op": True, "batch": 3.0}, ["model", "gpt2", "--per-op", "--batch", "3"]),
    (
        "model",
        {"model": "deepseek-v3", "hardware": "h200-sxm", "dtype": "fp8", "devices": 8.0, "context": "32k", "batch": 64},
        [
            *("model", "deepseek-v3", "--hardware", "h200-sxm", "--dtype", "fp8"),
            *("--devices", "8", "--context", "32k", "--batch", "64"),
        ],
    ),
    (
        "plan",
        {"model": "gpt2", "prompt": 100, "output": "1k", "tpot": "20 ms", "price": "2 $/h", "hardware": "a10"},
        [
            *("plan", "gpt2", "--prompt", "100", "--output", "1k"),
            *("--tpot", "20 ms", "--price", "2 $/h", "--hardware", "a10"),
        ],
    ),
    (
        "sweep",
        {"name": "latency", "model": "gpt2", "hardware": ["a10", "t4"], "dtype": "fp16", "letters": {"B": [1, 2.0]}},
        ["sweep", "latency", "--model", "gpt2", "--hardware", "a10,t4", "--dtype", "fp16", "B=1,2"],
    ),
    (
        "sweep",
        {"name": "latency_with_cache", "model": "gpt2", **A100, "letters": {"B": "1,9", "N": 2000}, "reasons": True},
        ["sweep", "latency_with_cache", "--model", "gpt2", *TYPED, "B=1,9", "N=2000", "--reasons"],
    ),
    ("check", {"names": "ridge_point"}, ["check", "ridge_point"]),
    ("check", {"names": ["ridge_point", "ridge_point"], **A100}, ["check", "ridge_point", "ridge_point", *TYPED]),
    (
        "audit",
        {"source": "vllm-2023", "verdict": "reproduced"},
        ["audit", "--source", "vllm-2023", "--verdict", "reproduced"],
    ),
    ("audit", {"files": ["ARTICLE"]}, ["audit", "ARTICLE"]),
]

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("solve", {}, "solve needs a value for name: name of a formula."),
    ("solve", {"name": "batch_crosover"}, "did you mean batch_crossover"),
    ("solve", {"name": "__import__('os').abort()"}, "there is no formula '__import__('os').abort()'"),
    ("solve", {"name": 3}, "there is no formula '3'"),
    ("solve", {"name": ["latency"]}, "name must be a number or text, but a list was given."),
    ("solve", {"name": "--json"}, "there is no formula '--json'"),
    (
        "solve",
        {"name": "latency", "formula": "x"},
        "solve has no argument 'formula'; it takes name, unknown, letters, model",
    ),
    ("solve", {"name": "latency", "unknown": "B=2"}, "unknown must be a name, but 'B=2' was given."),
    ("evaluate", {"name": "latency", "letters": {"B": "__import__('os').abort()"}}, "B: "),
    (
        "evaluate",
        {"name": "latency", "letters": {"B": True}},
        "B must be a number or text, but a truth value was given.",
    ),
    ("model", {"model": "gpt2", "per_op": "false"}, "per_op must be true or false, but 'false' was given."),
    ("evaluate", {"name": "latency", "letters": {"B": None}}, "B must be a number or text, but nothing was given."),
    ("evaluate", {"name": "latency", "letters": {"B=1": 2}}, "a letter must be a name, but 'B=1' was given."),
    ("evaluate", {"name": "latency", "letters": "B=1"}, "letters must be an object"),
    ("evaluate", {"name": "latency", "letters": {"B": -1}}, "B "),
    ("evaluate", {"name": "latency", "letters": {"hardware": "m2"}, "hardware": "m2"}, "hardware was given twice."),
    ("evaluate", {"name": "batch_crossover"}, "batch_crossover needs"),
    ("explain", {"name": "latency", "hardware": "nothing-such"}, "there is no hardware 'nothing-such'"),
    ("model", {"model": "/nowhere/config.json"}, "/nowhere/config.json"),
    ("model", {"model": "gpt2", "context": "many"}, "many"),
    ("show", {"name": "x" * 5000}, "there is no formula or letter"),
    ("list", {"chapter": "latency"}, "list has no argument 'chapter'; it takes words."),
    ("check", {}, "check needs a value for names: the formulas to check."),
    ("check", {"names": []}, "names must not be empty."),
    ("check", {"names": ["B=2"]}, "names must be a name, but 'B=2' was given."),
    ("check", {"names": "latency", "export": "/tmp/x"}, "check has no argument 'export'; it takes fresh, names"),
    ("sweep", {"name": "latency", "csv": "out.csv"}, "sweep has no argument 'csv'"),
    ("sweep", {"name": "latency", "letters": {"B": ["1,2", 3]}}, "a value of B must have no comma in it, but '1,2'"),
    ("sweep", {"name": "latency", "letters": {"B": []}}, "B must not be empty."),
    ("plan", {"model": "gpt2", "prompt": 3}, "plan needs a value for output: tokens in an answer."),
    ("plan", {"model": "gpt2", "prompt": 3, "output": 3, "price": 2}, "--price needs a unit of time"),
    ("audit", {"files": "/nowhere.toml"}, "/nowhere.toml"),
    ("pages", {"out": "site"}, "there is no tool 'pages'"),
]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A config.json of one's own, with an article beside it."""
    path = tmp_path_factory.mktemp("model") / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    claim = "161.24 sequences <!-- claim: batch_crossover(hardware='a100-80gb-pcie', dtype='fp16') -->\n"
    path.with_name("article.md").write_text(claim, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def answered(config: str) -> dict[str, Any]:
    """Everything that is asked below, asked of one server."""

    async def ask() -> dict[str, Any]:
        environment = dict(os.environ) | keeping() | {"PYTHONPATH": str(ROOT)}
        command = StdioServerParameters(command=sys.executable, args=["-m", "symbolic_llm", "mcp"], env=environment)
        async with Client(command) as client:
            tools = (await client.list_tools()).tools
            asked = [(name, with_path(given, config)) for name, given, _ in (*CALLS, *WRONG)]
            return {"tools": tools, "answers": [await client.call_tool(name, given) for name, given in asked]}

    with ThreadPoolExecutor(1) as beside:  # a browser that another test has opened holds this thread's loop
        return beside.submit(anyio.run, ask).result()


def with_path(given: dict[str, Any], config: str) -> dict[str, Any]:
    """Arguments with the paths of the files."""
    files = {"PATH": config}
    return {
        name: [str(Path(config).with_name("article.md"))] if value == ["ARTICLE"] else files.get(str(value), value)
        for name, value in given.items()
    }


def test_the_tools_say_what_they_take(answered: dict[str, Any]) -> None:
    """By JSON schema, read off the commands."""
    tools = {tool.name: tool for tool in answered["tools"]}
    assert tuple(tools) == OFFERED
    for tool in tools.values():
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert all(one["description"] for one in tool.input_schema["properties"].values())
    presets = {"model", "hardware", "dtype", "weights", "cache"}
    assert set(tools["solve"].input_schema["properties"]) == {"name", "unknown", "letters", *presets}
    asked = {"letters", "context", "batch", "prompt", "prefill", "per_op", "devices", "tensor", "pipeline", "tpot"}
    asked |= {"new_tokens", "cached", "page", "storage", "transfer", "stack", "overlap", *OPTIONS}
    assert set(tools["model"].input_schema["properties"]) == asked | presets
    assert tools["solve"].input_schema["required"] == ["name"]
    assert tools["model"].input_schema["required"] == ["model"]
    assert set(tools["list"].input_schema["properties"]) == set(tools["find"].input_schema["properties"]) == {"words"}
    assert tools["list"].input_schema["required"] == []
    assert tools["find"].input_schema["required"] == ["words"]
    assert tools["plan"].input_schema["required"] == ["model", "prompt", "output"]
    assert tools["sweep"].input_schema["required"] == ["name"]
    assert tools["check"].input_schema["required"] == ["names"]
    assert {"csv", "export", "watch"}.isdisjoint(
        name for tool in tools.values() for name in tool.input_schema["properties"]
    )  # no tool writes a file, and each ends


@pytest.mark.parametrize("place", range(len(CALLS)), ids=lambda place: f"{CALLS[place][0]}-{place}")
def test_a_tool_answers_what_the_command_prints(
    answered: dict[str, Any], config: str, capsys: pytest.CaptureFixture[str], place: int
) -> None:
    """Text and data, sign for sign."""
    article = str(Path(config).with_name("article.md"))
    result = answered["answers"][place]
    line = [word.replace("PATH", config).replace("ARTICLE", article) for word in CALLS[place][2]]
    assert not result.is_error, result.content
    (content,) = result.content
    assert main(line) == 0
    assert content.text == capsys.readouterr().out.removesuffix("\n")
    assert main([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert result.structured_content == (data if isinstance(data, dict) else {"result": data})


def test_the_list_names_every_formula(answered: dict[str, Any]) -> None:
    """So a client can ask for each."""
    named = [entry["name"] for entry in answered["answers"][0].structured_content["result"]]
    assert named == [formula.name for formula in catalogue()]


@pytest.mark.parametrize("place", range(len(WRONG)), ids=lambda place: f"{WRONG[place][0]}-{place}")
def test_a_wrong_call_gets_one_sentence(answered: dict[str, Any], place: int) -> None:
    """A wrong call gets one sentence as an error of the tool, which the model behind the client reads.

    Nothing is evaluated, and the server lives.
    """
    result, complaint = answered["answers"][len(CALLS) + place], WRONG[place][2]
    assert result.is_error
    (content,) = result.content
    assert complaint in content.text
    assert "\n" not in content.text
    assert "Traceback" not in content.text
    assert len(content.text) <= 2000
    assert result.structured_content["message"] == content.text


# Every parameter of every tool: what the schema allows is what is read

JSON = st.recursive(
    st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(10**6), 10**6).map(float)
    | st.sampled_from(("false", "true", "0", "1", "", "on", "no", "64", "B=2"))
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(("N", "B", "B=")), inner, max_size=2),
    max_leaves=3,
)
PARAMETERS = [
    (tool, name) for tool, command in mcp._commands().items() for name in mcp._schema(tool, command)["properties"]
]


def disagreement(tool: str, parameter: str, value: Any) -> str:
    """The difference between what a tool's schema allows and what the tool reads; "" where there is none."""
    command = mcp._commands()[tool]
    schema = mcp._schema(tool, command)
    asked = dict.fromkeys(schema["required"], "gpt2") | {parameter: value}
    allowed = Draft202012Validator(schema).is_valid(asked)
    try:
        read = mcp._options(tool, asked)
    except SymbolicLLMError as refused:
        return f"allowed, and refused: {refused}" if allowed else ""
    if not allowed:
        return f"read as {read}, and not allowed"
    if parameter in ("letters", "unknown", "names"):
        return ""
    (action,) = (action for action in command._actions if action.dest == parameter)
    flag, typed = action.option_strings[:1], getattr(read, parameter)
    if action.nargs == 0:
        needed = [
            text
            for one in command._actions
            if one.required and one.option_strings
            for text in (one.option_strings[0], "9")
        ]
        said = ["gpt2", *needed, *(flag if value else ())]
        return "" if typed is getattr(command.parse_args(said), parameter) else f"{value} was read as {typed}"
    if isinstance(value, list):
        read_as = ",".join(mcp._text("", one) for one in value)
        return "" if (",".join(typed) if isinstance(typed, list) else typed) == read_as else f"{value}: {typed}"
    typed = typed[0] if isinstance(typed, list) else typed  # a phrase, which a shell cuts into words
    kept = isinstance(typed, str) and (typed == value or type(value)(typed) == value)
    return "" if kept else f"{value} was read as {typed}"


@pytest.mark.parametrize(("tool", "parameter"), PARAMETERS)
@settings(max_examples=30, deadline=None)
@given(value=JSON)
def test_what_the_schema_allows_is_read_and_nothing_else(tool: str, parameter: str, value: Any) -> None:
    """A switch is a truth value, everything else a number or a text; a whole number may be written 64.0."""
    assert disagreement(tool, parameter, value) == ""


def test_switches_of_every_command_are_truth_values() -> None:
    """Of those that are no tools, too: a tool is a name in a list."""
    commands = next(action for action in mcp.parser()._actions if action.dest == "command").choices
    switches = [
        mcp._schema(name, command)["properties"][action.dest]["type"]
        for name, command in commands.items()  # type: ignore[union-attr]
        for action in mcp._actions(command)
        if isinstance(action, argparse._StoreTrueAction)
    ]
    assert switches
    assert {*switches} == {"boolean"}


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("_switches", lambda action: False),
        ("_read", lambda action, given, **_: bool(given) if action.nargs == 0 else mcp._text(action.dest, given)),
    ],
)
def test_a_switch_that_takes_words_is_found(what: str, instead: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: a switch like any other value, and one that any text switches on."""
    assert not disagreement("model", "per_op", "false")
    assert not disagreement("model", "per_op", False)
    monkeypatch.setattr(mcp, what, instead)
    assert any(disagreement("model", "per_op", value) for value in ("false", False))


def test_without_the_library_it_says_what_to_install(tmp_path: Path) -> None:
    """Without the library, the command says in one sentence what to install, and exits with code 2."""
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    command = [sys.executable, "-m", "symbolic_llm", "mcp"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert done.stderr == "symbolic-llm: mcp needs mcp; install it with pip install 'symbolic-llm[mcp]'.\n"
    assert done.stdout == ""


def test_a_closed_connection_ends_it() -> None:
    """In silence, with exit code 0."""
    command = [sys.executable, "-m", "symbolic_llm", "mcp"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr, done.stdout.strip()) == (0, "", "")
