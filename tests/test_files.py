"""Files that a user names, and memory that runs out: a sentence each, from whatever takes a path"""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from model_files import ORACLES

from symbolic_llm import Model, SymbolicLLMError, catalogue, errors, evaluate, files, plot, presets, sweep
from symbolic_llm.audit.claim import read_file
from symbolic_llm.audit.markdown import read_article
from symbolic_llm.audit.results import read_results
from symbolic_llm.checks.report import findings
from symbolic_llm.cli import main, parser
from symbolic_llm.cli.mcp import OFFERED, _result
from symbolic_llm.reports.counting import count_file
from symbolic_llm.reports.drawing import save

SWEPT = sweep("latency", P=1, n_bytes=1, W=1, F=1, B=[1, 2])
READING: dict[str, Callable[[Any], object]] = {  # by the ending of a name
    "a model": Model.from_config,
    "a preset": lambda path: presets.model(path),
    "a letter's model": lambda path: evaluate("weight_bytes", model=path, n_bytes=1),
    "a machine.toml": presets.hardware,
    "a GGUF.gguf": presets.model,
    "a model that is run": lambda path: count_file(path, 1, 0),
    "claims.toml": read_file,
    "an article.md": read_article,
    "results.json": read_results,
}
WRITING: dict[str, Callable[[Any], object]] = {
    "a table.csv": SWEPT.to_csv,
    "a picture.pdf": lambda path: save(plot("roofline", hardware="a10"), path),
}
EVERY = READING | WRITING


@contextmanager
def at_once(seconds: float = 5) -> Iterator[None]:
    """Whatever is waited for is given up with a failure."""

    def too_long(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def refused(ask: Callable[[Any], object], path: Any) -> str:
    """The one sentence that is said."""
    with at_once(), pytest.raises(SymbolicLLMError) as caught:
        ask(path)
    message = str(caught.value)
    assert message.isprintable()
    assert message.endswith(".")
    return message


def odd_file(kind: str, path: Path) -> None:
    """Make something at that path that is no regular file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "socket":
        listening = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        os.chdir(path.parent)  # the name of a socket is short
        listening.bind(path.name)
        os.chdir(here)
        listening.close()
    else:
        path.mkdir()


@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "folder"])
@pytest.mark.parametrize("door", EVERY)
def test_what_is_no_regular_file_is_neither_read_nor_written(door: str, kind: str, tmp_path: Path) -> None:
    """Nobody waits for it, and nobody reads to an end that it has not."""
    path = tmp_path / f"odd{Path(door).suffix}"
    odd_file(kind, path)
    said = refused(EVERY[door], path)
    if kind in ("pipe", "device"):
        assert "not a regular file" in said


class Odd:
    """A path of an odd kind."""

    def __init__(self, path: Any) -> None:
        self.path = path

    def __fspath__(self) -> Any:
        """The object that the path was made of."""
        return self.path


NO_PATHS: dict[str, Any] = {
    "bytes": b"x.toml", "a path of bytes": Odd(b"x.toml"), "a path of a number": Odd(3), "a number": 3, "nothing": None,
    "a null": "a/\0.toml", "no character": "a/\ud800.toml", "long": f"a/{'x' * 5000}.toml", "lines": "a/\n\x1b[2J.toml",
}  # fmt: skip


@pytest.mark.parametrize("given", NO_PATHS.values(), ids=NO_PATHS)
@pytest.mark.parametrize("door", EVERY)
def test_what_is_no_path_gets_one_sentence(door: str, given: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """Bytes, numbers, what no system has; in a folder where nothing is."""
    monkeypatch.chdir(tmp_path)
    assert len(refused(EVERY[door], given)) < 500


def test_a_path_may_be_any_object_that_is_one(tmp_path: Path) -> None:
    """A path may be any object that stands for one, and is taken as its text is."""
    (tmp_path / "own.toml").write_text('memory = "8 GB"\nbandwidth = "1 GB/s"\npeak = "1 TFLOP/s"\n')
    (tmp_path / "config.json").write_text((ORACLES / "gpt2/config.json").read_text())
    assert presets.hardware(Odd(str(tmp_path / "own.toml"))) == presets.hardware(str(tmp_path / "own.toml"))
    assert presets.model(Odd(str(tmp_path))) == presets.model(str(tmp_path))
    assert count_file(Odd(str(ORACLES / "gpt2")), 1, 0).agrees
    SWEPT.to_csv(Odd(str(tmp_path / "x.csv")))
    assert (tmp_path / "x.csv").read_text().startswith("B,T_step\n")


def test_waiting_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: opened as any file is, a pipe is waited for."""
    os.mkfifo(tmp_path / "pipe.toml")
    monkeypatch.setattr(files, "_at_once", os.open)
    with at_once(0.2), pytest.raises(AssertionError, match="it waits"):
        presets.hardware(tmp_path / "pipe.toml")


# Memory that runs out

LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, 2 * (int(sys.argv.pop(1)) << 20,)); "
COMMAND = f"{LIMITED}from symbolic_llm.cli import main; sys.exit(main())"
AXES = [f"{letter}={','.join(map(str, range(1, 1200)))}" for letter in ("B", "F")]


def limited(megabytes: int, program: str, *arguments: str) -> tuple[int, str]:
    """The exit code and what is said on standard error of a program that may have so much."""
    line = [sys.executable, "-c", program, str(megabytes), *arguments]
    found = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    return found.returncode, found.stderr


def large(path: Path, *, sound: bytes) -> Path:
    """A file that begins so and takes eight gigabytes, none of which are written."""
    path.write_bytes(sound)
    os.truncate(path, 8 * 10**9)
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is not heeded")
@pytest.mark.parametrize("megabytes", [60, 300])
@pytest.mark.parametrize("asks", ["a GGUF", "a sized GGUF", "a directory", "a grid"])
def test_memory_that_runs_out_is_one_sentence(asks: str, megabytes: int, tmp_path: Path) -> None:
    """With so little that not even NumPy is loaded, and with enough for that but not for the answer."""
    gguf = (ORACLES / "llama-mha/model-f32.gguf").read_bytes()
    header = json.dumps({"x": {"dtype": "U8", "shape": [8 * 10**9], "data_offsets": [0, 8 * 10**9]}}).encode()
    line = {
        "a GGUF": ["count", str(large(tmp_path / "m.gguf", sound=gguf))],
        "a sized GGUF": ["model", str(large(tmp_path / "n.gguf", sound=gguf))],
        "a directory": ["count", str(tmp_path)],
        "a grid": ["sweep", "latency", "P=1", "n_bytes=1", "W=1", *AXES],
    }[asks]
    (tmp_path / "config.json").write_text((ORACLES / "llama-mha/config.json").read_text())
    large(tmp_path / "model.safetensors", sound=struct.pack("<Q", len(header)) + header)
    code, said = limited(megabytes, COMMAND, *line)
    assert (code, said.count("\n")) == (2, 1), said
    assert re.search("needs more memory than is available|cannot be read: [Cc]annot allocate memory", said)


def test_what_calls_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that runs out is an error of this package and of Python's kind, from whatever reads or computes much."""

    def full(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("symbolic_llm.witness.decoders.load", full)
    monkeypatch.setattr("symbolic_llm.models.config.json.loads", full)
    monkeypatch.setattr("symbolic_llm.answers.arrays.grid.Cells.__call__", full)
    for ask in (
        lambda: presets.model("x.gguf"),
        lambda: Model.from_config(ORACLES / "gpt2"),
        lambda: sweep("latency", P=1, n_bytes=1, W=1, F=1, B=[1, 2]),
    ):
        with pytest.raises(errors.NotEnoughMemory, match=r"needs more memory than is available\.$") as caught:
            ask()
        assert isinstance(caught.value, MemoryError)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (ImportError("libx.so: failed to map segment from shared object"), True),
        (RuntimeError("can't start new thread"), True),
        (SystemError("error return without exception set"), True),
        (SystemError("<built-in function loads> returned NULL without setting an exception"), True),
        (SystemError("bad argument to internal function"), False),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (ImportError("libx.so: cannot open shared object file"), False),
        (RuntimeError("dictionary changed size during iteration"), False),
        (errors.NotEnoughMemory("that is said already."), False),
    ],
)
def test_what_is_told_as_memory_is_memory(error: Exception, told: bool) -> None:
    """And nothing else."""
    with pytest.raises(errors.NotEnoughMemory if told else type(error)) as caught, errors.within_memory("this"):
        raise error
    assert (caught.value is error) != told


def test_a_check_that_runs_out_of_memory_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a formula nor of a step is it said to be undecided."""

    def full(*_: Any, **__: Any) -> None:
        raise MemoryError

    formula = catalogue()["embedding_parameters"]
    for place in ("symbolic_llm.checks.report.check_dimensions", "symbolic_llm.checks.steps._follows"):
        with monkeypatch.context() as planted:
            planted.setattr(place, full)
            with pytest.raises(MemoryError):
                list(findings(formula))


# Every place of a command line

COMMANDS: Any = next(action for action in parser()._actions if action.dest == "command").choices
NEEDED = {
    "name": "latency",
    "model": "gpt2",
    "path": "gpt2",
    "kind": "roofline",
    "prompt": "8",
    "output": "8",
    "words": "roofline",
}
ENDINGS = ("", ".json", ".gguf", ".toml", ".md", ".pdf")
GIVEN = {"sweep": ["B=1,2", "P=1", "n_bytes=1", "W=1", "F=1"], "check": ["embedding_parameters"]}


def asked(command: str, dest: str, value: str, folder: Path) -> list[str]:
    """A line of the command that gives this value where `dest` is asked for, and good ones where others are needed."""
    line, needed = [command], NEEDED | {"file": str(folder / "x.svg"), "out": str(folder / "out")}
    for action in COMMANDS[command]._actions:
        given = value if action.dest == dest else needed.get(action.dest) if action.required else None
        if given is not None:
            line += [action.option_strings[0], given] if action.option_strings else [given]
    return line + (GIVEN.get(command, []) if dest != "arguments" else [])


PLACES = [
    (name, action.dest)
    for name, command in COMMANDS.items()
    for action in command._actions
    if action.nargs != 0 and not isinstance(action, argparse._HelpAction)
]


@pytest.mark.parametrize(("command", "dest"), PLACES)
def test_no_command_waits_for_a_pipe(
    command: str, dest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever a value may stand, in every command: one sentence, at once."""
    for ending in ENDINGS:
        os.mkfifo(path := tmp_path / f"pipe{ending}")
        with at_once():
            code = main(asked(command, dest, str(path), tmp_path))
        said = capsys.readouterr()
        # words are looked for among formulas, and a path has some
        assert code == 2 or (dest == "words" and said.out), ending
        assert said.err.count("\n") == (code == 2)
        assert path.is_fifo()


@pytest.mark.parametrize("tool", OFFERED)
def test_no_tool_waits_for_a_pipe(tool: str, tmp_path: Path) -> None:
    """Over the Model Context Protocol too."""
    for ending in ENDINGS:
        os.mkfifo(path := tmp_path / f"pipe{ending}")
        needed = {action.dest: NEEDED[action.dest] for action in COMMANDS[tool]._actions if action.required}
        for dest in (action.dest for action in COMMANDS[tool]._actions if action.nargs != 0):
            if dest not in ("arguments", "name"):
                with at_once():
                    assert _result(tool, needed | {dest: str(path)}).is_error or dest == "words"
