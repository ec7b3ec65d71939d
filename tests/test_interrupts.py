"""Ctrl-C at any import, a full disk and a closed pipe: one sentence, an exit code, and no file that looks whole"""

from __future__ import annotations

import ast
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from symbolic_llm import files, sweep
from symbolic_llm.cli import main, parser
from symbolic_llm.files import UNFINISHED, whole
from symbolic_llm.reports.drawing import save

ROOT = Path(__file__).parent.parent
SENTENCE = "symbolic-llm: interrupted.\n"
SCRIPT = "import sys\nfrom symbolic_llm.cli import main\nsys.exit(main())\n"  # as an installer writes it
ASKED = ["sweep", "latency", "B=1,2", "--model", "llama-7b", "--hardware", "a10", "--dtype", "fp16"]
HOOK = """
import os, signal, sys
class Hook:
    def find_spec(self, name, path=None, target=None):
        if os.environ.get("NOTED"):
            with open(os.environ["NOTED"], "a") as file:
                print(name, file=file)
        if name == os.environ.get("INTERRUPTED_AT"):
            os.environ["INTERRUPTED_AT"] = ""
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Hook())
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Runs the program by one of its names, interrupted while it looks for a module."""
    folder = tmp_path_factory.mktemp("hook")
    (folder / "sitecustomize.py").write_text(HOOK)
    (folder / "symbolic-llm").write_text(SCRIPT)
    (folder / "another").write_text(SCRIPT)
    ways = {"-m": ["-m", "symbolic_llm"], "symbolic-llm": [str(folder / "symbolic-llm")]}
    ways["another"] = [str(folder / "another")]

    def run(way: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(folder), str(ROOT)])
        own = os.environ | {"PYTHONPATH": path, "SYMBOLIC_LLM_CACHE": ""} | environment
        return subprocess.run(
            [sys.executable, *ways[way], *ASKED], env=own, capture_output=True, text=True, check=False, timeout=60
        )

    return run


@cache
def imported(run: Callable[..., Any], folder: Path) -> list[str]:
    """The modules that an answer needs, in the order in which they are looked for, from the package on."""
    noted = folder / "noted"
    assert run("-m", NOTED=str(noted)).returncode == 0
    found = list(dict.fromkeys(noted.read_text().split()))
    return found[found.index("symbolic_llm.interrupts") + 1 :]


@pytest.mark.parametrize(
    ("way", "share"),
    [("-m", 0.0), ("symbolic-llm", 0.0), ("-m", 0.03), ("symbolic-llm", 0.1), ("-m", 0.4), ("-m", 0.99)],
)
def test_an_interrupt_while_loading_is_one_sentence(
    way: str, share: float, program: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """At any module from the package's first to the last, SymPy's and NumPy's among them."""
    modules = imported(program, tmp_path_factory.getbasetemp())
    assert {"sympy.core", "numpy", "symbolic_llm.cli"} <= {*modules}
    found = program(way, INTERRUPTED_AT=modules[int(share * len(modules))])
    assert (found.returncode, found.stdout, found.stderr) == (130, "", SENTENCE)


@pytest.mark.parametrize("module", ["sympy.core.basic", "numpy", "numpy.linalg"])
def test_an_interrupt_within_a_library_waits_for_its_end(module: str, program: Callable[..., Any]) -> None:
    """So that nothing half-loaded catches it."""
    found = program("-m", INTERRUPTED_AT=module)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", SENTENCE)


def test_what_is_not_the_program_is_interrupted_as_ever(program: Callable[..., Any]) -> None:
    """The twin: a script of another name has its traceback, which the tests above would see."""
    found = program("another", INTERRUPTED_AT="symbolic_llm.catalogue")
    assert "Traceback" in found.stderr


# Files


LARGE = [
    "sweep",
    "latency",
    f"B={','.join(map(str, range(1, 1001)))}",
    f"P={','.join(f'{n}e6' for n in range(1, 301))}",
]
LARGE += ["--hardware", "a10", "--dtype", "fp16"]


def files_in(folder: Path) -> list[str]:
    """Their names, those that are not whole left out."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != UNFINISHED)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_sweep_leaves_no_file_that_looks_whole(number: int, tmp_path: Path) -> None:
    """Neither a new one nor, of an old one, half; after Ctrl-C nothing at all."""
    (tmp_path / "old.csv").write_text("old")
    for name in ("new.csv", "old.csv"):
        command = [sys.executable, "-m", "symbolic_llm", *LARGE, "--csv", str(tmp_path / name)]
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while process.poll() is None and not any(part.stat().st_size for part in tmp_path.glob(f".*{UNFINISHED}")):
            time.sleep(0.002)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert files_in(tmp_path) == ["old.csv"]
        assert (tmp_path / "old.csv").read_text() == "old"
        if number == signal.SIGINT:
            assert (process.returncode, said) == (130, SENTENCE)
            assert not [*tmp_path.glob(f".*{UNFINISHED}")]
        for part in tmp_path.glob(f".*{UNFINISHED}"):
            part.unlink()


@pytest.mark.parametrize("raised", [KeyboardInterrupt, OSError(28, "No space left on device"), MemoryError])
@pytest.mark.parametrize("before", [None, "old"])
def test_a_file_is_written_whole_or_not_at_all(raised: Any, before: str | None, tmp_path: Path) -> None:
    """Whatever ends the writing; a link stays a link, and what was allowed stays allowed."""
    path, link = tmp_path / "a.csv", tmp_path / "link"
    link.symlink_to(path)
    if before is not None:
        path.write_text(before)
        path.chmod(0o640)

    def write(to: Path, fails: Any = None) -> None:
        with whole(to, encoding="utf-8") as file:
            file.write("new")
            file.flush()
            if fails is not None:
                raise fails

    for to in (path, link):
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - whichever was raised
            write(to, raised)
        assert caught.type is (raised if isinstance(raised, type) else type(raised))
        assert (path.read_text() if path.exists() else None) == before
    assert sorted(one.name for one in tmp_path.iterdir()) == (["a.csv"] if before else []) + ["link"]
    write(link)
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == (0o640 if before else 0o666 & ~umask())


def umask() -> int:
    """The permissions that new files are not allowed."""
    found = os.umask(0)
    os.umask(found)
    return found


def test_pipes_and_devices_are_written_to(tmp_path: Path) -> None:
    """Pipes and devices are written to, and not replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    files.write(pipe, b"through")
    assert reader.communicate(timeout=10)[0] == "through"
    files.write(os.devnull, b"gone")
    assert not Path(os.devnull).is_file()


_ELSEWHERE = {
    "symbolic_llm/files.py": "writes whole files",
    "symbolic_llm/cache/store.py": "adds lines, each with its digest",
    "symbolic_llm/checks/export.py": "fills a folder beside, which then takes the place of the wanted one",
    "symbolic_llm/cli/prompt.py": "fills a folder that is deleted",
    "symbolic_llm/pages/runtime.py": "fills a folder that is deleted",
    "symbolic_llm/cli/terminal.py": "opens what swallows everything",
    "symbolic_llm/reports/drawing.py": "draws into memory",
    "symbolic_llm/pages/figures/__init__.py": "draws into memory",
}


def writes(source: str) -> list[int]:
    """The lines on which a file is opened for writing, or written."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            modes = [
                one.value for one in (*node.args, *(k.value for k in node.keywords)) if isinstance(one, ast.Constant)
            ]
            opens = name in ("open", "fdopen") and any(
                isinstance(m, str) and set(m) & set("wax+") and len(m) < 4 for m in modes
            )
            if opens or name in ("write_text", "write_bytes", "savefig", "copyfile", "dump", "NamedTemporaryFile"):
                found.append(node.lineno)
    return found


def test_every_file_is_written_by_one_function() -> None:
    """Or where nobody takes half of it for the whole: those places are listed, and each says why."""
    sources = [*(ROOT / "symbolic_llm").rglob("*.py"), ROOT / "conformance" / "make.py"]
    found = {str(path.relative_to(ROOT)) for path in sources if writes(path.read_text(encoding="utf-8"))}
    assert found <= _ELSEWHERE.keys()


@pytest.mark.parametrize(
    "planted", ['path.write_text("x")', 'open(path, "w")', 'path.open(mode="ab")', "figure.savefig(path)"]
)
def test_a_file_that_is_written_otherwise_is_noticed(planted: str) -> None:
    """The twin."""
    assert writes(f"import os\nwith open(path) as file:\n    file.read()\n{planted}") == [4]


# A full disk


FULL = "/dev/full"
full = pytest.mark.skipif(not os.path.exists(FULL), reason="needs a device that is always full")
LATENCY = ["latency", "--model", "llama-7b", "--hardware", "a10", "--dtype", "fp16"]
LINES = {
    "list": [],
    "find": ["time", "to", "first", "token"],
    "presets": ["formats"],
    "show": ["latency"],
    "model": ["gpt2"],
    "plan": ["gpt2", "--prompt", "10", "--output", "10"],
    "count": [str(ROOT / "tests" / "data" / "oracles" / "gpt2")],
    "audit": ["--source", "karpathy-2023"],
    "check": ["batch_crossover"],
    "solve": ["latency"],
    "evaluate": [*LATENCY, "B=1"],
    "sweep": [*LATENCY, "B=1,2"],
    "plot": ["step", "PICTURE", "--model", "llama-7b", "--hardware", "a10", "--dtype", "fp16"],
    "explain": [*LATENCY, "B=1"],
}
_SERVE = {"mcp", "site", "pages"}  # they answer one who asks, or write a folder after minutes
_MEASURE = {"machine", "measure"}  # they take a minute; on a simulated computer test_this_machine interrupts them


def test_every_command_is_asked_below() -> None:
    commands = next(action for action in parser()._actions if action.dest == "command").choices
    assert {*commands} == {*LINES} | _SERVE | _MEASURE  # type: ignore[misc]


def refused(line: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of the command line on a full disk."""
    with monkeypatch.context() as patched, open(FULL, "w", encoding="utf-8") as there:
        patched.setattr(sys, "stdout", there)
        return main(line)


@full
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("command", LINES)
def test_no_command_is_content_with_a_full_disk(
    command: str,
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Exit code 2 and one sentence."""
    line = [word.replace("PICTURE", str(tmp_path / "a.png")) for word in LINES[command]]
    assert refused([command, *line, *options], monkeypatch) == 2
    said = capsys.readouterr().err
    assert said == "symbolic-llm: the answer could not be written: No space left on device.\n"


@full
@pytest.mark.parametrize(
    "line", ["--help", "--version", "model --help", "list", "evaluate nothing_such --json", "sweep --help"]
)
def test_a_process_that_ends_has_written_all_or_says_so(line: str) -> None:
    """Help and version too, and what Python still holds back at its end."""
    errors = "2>/dev/full" if line == "--version" else ""  # nor can it be said then
    command = f"{sys.executable} -m symbolic_llm {line} >{FULL} {errors}"
    for buffering in ("", "1"):  # where Python holds nothing back, each write fails by itself
        environment = os.environ | {"PYTHONUNBUFFERED": buffering}
        found = subprocess.run(
            command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert found.returncode == 2
        if not errors:
            assert found.stderr == "symbolic-llm: the answer could not be written: No space left on device.\n"


def limited(size: int) -> None:
    """No file may be larger, as on a disk that is nearly full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@full
@pytest.mark.parametrize("target", [FULL, "a.csv"])
def test_a_table_for_which_there_is_no_room(target: str, tmp_path: Path) -> None:
    """A table for which there is no room gives one sentence and exit code 2, and no part of it is left."""
    command = [sys.executable, "-m", "symbolic_llm", *LARGE, "--csv", target]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "SYMBOLIC_LLM_CACHE": ""}
    found = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        preexec_fn=partial(limited, 10_000),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    why = "it is not a regular file" if target == FULL else "File too large"
    assert found.stderr == f"symbolic-llm: {target} could not be written: {why}.\n"
    assert not [*tmp_path.iterdir()]


def test_a_picture_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    """The figure is drawn first."""

    class Figure:
        def savefig(self, into: Any, **_: Any) -> None:
            into.write(b"half")
            raise KeyboardInterrupt

    (tmp_path / "a.png").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        save(Figure(), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == b"old"


def test_a_sweep_of_ones_own_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the method as by the command."""
    found = sweep("latency", model="llama-7b", hardware="a10", dtype="fp16", B=[1, 2])
    found.to_csv(tmp_path / "a.csv")
    before = (tmp_path / "a.csv").read_text()

    def half(self: Any, writer: Any, **_: Any) -> None:
        writer.writerow(["half"])
        raise MemoryError

    monkeypatch.setattr(type(found), "write_csv", half)
    with pytest.raises(MemoryError):
        found.to_csv(tmp_path / "a.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == before


# A closed pipe


@pytest.mark.parametrize("line", ["list", "show latency", "sweep --help", "presets --json"])
def test_a_reader_that_has_seen_enough(line: str) -> None:
    """A command says nothing when its reader has seen enough and closes the pipe: exit code 0."""
    command = f"set -o pipefail; {sys.executable} -m symbolic_llm {line} | head -c 1"
    found = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr, len(found.stdout)) == (0, "", 1)
