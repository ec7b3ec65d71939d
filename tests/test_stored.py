"""Stored answers are those of the formulas, and only for the sources that they were stored from"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import said
from kinds import of_each_kind

from symbolic_llm import Formula, catalogue, presets
from symbolic_llm.cache import Rows, answers, store
from symbolic_llm.cli import parser, question, store_answers, stored_data
from symbolic_llm.notation import LETTERS

ROOT = Path(__file__).parent.parent
Said = tuple[int, str, str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def numbers() -> list[list[str]]:
    """Every formula explained and solved with the numbers of its example, every model, every machine, and more."""
    asked = []
    for formula in catalogue():
        given = [f"{name}={value}" for name, value in formula.example.items()]
        asked += [[command, formula.name, *given] for command in ("explain", "solve")]
        asked.append(["solve", formula.name, formula.letters[-1].name, *given])
    machines = presets.names("hardware")
    for i, name in enumerate(of_each_kind()):
        machine, load = machines[i % len(machines)], ["--batch", str(1 + i % 3 * 7), "--context", str(512 << i % 9)]
        asked += [["model", name, "--hardware", machine, *load], ["explain", "P_total", f"model={name}"]]
    more = (
        "model llama-7b --hardware t4@techpowerup --dtype fp16 --weights q4_0 --cache q8_0 --context 32k",
        "model mistral-7b --prefill causal --context 32Ki M=24GB W=1TB/s F=100TFLOP/s",
        "model gemma-2-9b --hardware m2 --prefill last-logits",
        "model zzz",
        "explain latency P=7e9",
        "explain capacity --model llama-65b --hardware a10 --dtype fp16 N=4096 B=64",
        "explain tokens_that_fit --model llama-65b --hardware a10 --dtype fp16",
        "solve batch_crossover_with_cache N=8192 --model llama-2-7b --hardware a100-80gb-sxm --dtype fp16",
        "solve batch_crossover W=1",
        "solve batch_crossover W B=1 F=312TFLOP/s n_bytes=2",
        "explain thruput P=1",
        "find time to first token",
        "find zyzzyva",
        "list pipeline bubble",
        "explain TTFT --model llama-3-8b --hardware h100-sxm --dtype fp16 B=1 N=1000",
        "solve memory_time_with_cache n_experts --model mixtral-8x7b --dtype fp16 W=1e12 B=4 N=100 T=1ms",
        "solve kv_bytes_total n_window --model mistral-7b-v0.1 --dtype fp16 B=4 N=10000 M_kv=1GB",
        "solve latency_with_cache N --model gemma-2-9b --hardware a10 --dtype fp16 B=1 T=40ms",
        "solve latency_with_cache B --model mixtral-8x7b --hardware a10 --dtype fp16 N=100 T=400ms",
        "explain latency B=0 P=1",
        "explain llama_parameters --model gpt2",
        "evaluate llama_parameters --model gpt2",
        "solve llama_parameters P_total --model gpt2",
        "solve total_parameters P --model llama-2-7b",
    )
    return asked + [line.split() for line in more]


def python(
    arguments: list[str], folder: Path | str, given: str = "", root: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """The finished run of a fresh Python process, with what it says."""
    environment = os.environ | {"PYTHONPATH": str(root), "SYMBOLIC_LLM_CACHE": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, input=given, env=environment, cwd=root, capture_output=True, text=True, check=False)


def asked_for(formula: Formula) -> set[Any]:
    """Letters that a formula is solved for here."""
    return {formula.quantity or formula.letters[-1], formula.letters[-1]}


def test_numbers_are_those_of_the_formulas(place: Path) -> None:
    """Over the whole catalogue, every model and every machine, word for word and without SymPy."""
    lines = numbers()
    solved = [(formula.name, letter.name) for formula in catalogue() for letter in asked_for(formula)]
    answers.keep(stored_data.needed())  # the formulas, which nobody needs again
    kept = dict[answers.Question, Any]()
    for one in (*solved, ("batch_crossover", "W")):
        kept |= stored_data.needed(one)
    for name in presets.names("models"):
        kept |= stored_data.needed(None, name)
    answers.keep(kept)
    found = python([str(ROOT / "tests" / "asked.py")], place, json.dumps(lines))
    assert found.returncode == 0, found.stderr
    without = json.loads(found.stdout)
    with_sympy = json.loads(json.dumps([said(line) for line in lines]))
    for line, one, other in zip(lines, without, with_sympy, strict=True):
        assert one in (other, None), line
    assert without.count(None) <= 10  # what only SymPy knows


def test_another_number_would_be_noticed(place: Path) -> None:
    """The twin: one numeral of one stored formula is changed, and what rests on it comes out otherwise."""
    line = ["explain", "compute_time", "--model", "llama-7b", "--hardware", "a10", "--dtype", "fp16", "B=3"]
    stored = dict(stored_data.formulas())
    rows = json.dumps(stored[("formulas",)])
    answers.keep(stored)
    asked = [str(ROOT / "tests" / "asked.py")]
    assert json.loads(python(asked, place, json.dumps([line])).stdout) == [json.loads(json.dumps(said(line)))]
    two = '["#", "2", [["FLOP", 1], ["weight", -1], ["token", -1]]'
    assert two in rows
    kept(place).unlink()
    answers._opened.cache_clear()
    answers.keep(stored | {("formulas",): json.loads(rows.replace(two, two.replace('"2"', '"3"')))})
    (other,) = json.loads(python(asked, place, json.dumps([line])).stdout)
    assert other[1] != said(line)[1]


# The command line as a program


def program(line: str, place: Path | str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The finished run of a command line, which says last on stderr whether it loaded SymPy."""
    code = (
        "import atexit, sys; sys.argv = sys.argv[:1] + sys.argv[2:] if sys.argv[0] == '-c' else sys.argv;"
        "atexit.register(lambda: print('sympy' in sys.modules, file=sys.stderr));"
        "from symbolic_llm.cli import main; raise SystemExit(main())"
    )
    return python(["-c", code, "symbolic-llm", *line.split()], place, root=root)


SHAPES = {"hidden_size": 64, "intermediate_size": 128, "vocab_size": 1000, "max_position_embeddings": 512}
CONFIG = {"model_type": "llama", "num_attention_heads": 4, "num_hidden_layers": 2, **SHAPES}
LINES = (
    "list",
    "presets --json",
    "show latency",
    "solve latency P",
    "model llama-7b --hardware a10",
    "explain latency --model llama-7b --hardware a10 --dtype fp16 B=1",
    "solve batch_crossover --hardware a10 --dtype fp16",
)


def test_the_first_time_with_sympy_then_without(place: Path) -> None:
    """And the same answer each time; what takes SymPy again, or is wrong, says what it says without a store."""
    for line in LINES:
        first, again = program(line, place), program(line, place)
        assert again.stderr == "False\n", line
        assert (first.stdout, first.returncode) == (again.stdout, again.returncode) != ("", 2)
    (config := place.parent / "config.json").write_text(json.dumps(CONFIG))
    for line in (f"explain P_total --model {config}", "explain latency P=1", "solve capacity N=1 M=1 --json"):
        stored, bare = program(line, place), program(line, "")
        assert (stored.stdout, stored.returncode) == (bare.stdout, bare.returncode), line
        assert stored.stderr.splitlines()[:-1] == bare.stderr.splitlines()[:-1]
    assert program("--version", "").stderr == "False\n"


def test_what_is_stored_is_what_is_said(place: Path) -> None:
    """Signed by these sources it is taken at its word, so nobody else may sign; the twin of all that follows."""
    answers.keep({("list",): ["planted", []]})
    assert program("list", place).stdout == "planted\n"
    assert program("list --json", place).stdout == "[]\n"


def kept(place: Path) -> Path:
    """The one file in the cache."""
    (file,) = place.iterdir()
    return file


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.replace(b"planted", b"Planted"),
        lambda content: content[:-3],
        lambda content: content.replace(b"list", b"show"),
        lambda content: b"",
        lambda content: b"\xff\x00" * 99,
        lambda content: content.partition(b"\t")[0] + b"\t",
        lambda content: content.replace(b"\t", b" "),
    ],
    ids=("changed", "half written", "under another question", "empty", "foreign", "unsigned", "not separated"),
)
def test_what_is_damaged_is_no_answer(damage: Callable[[bytes], bytes], place: Path) -> None:
    """A damaged store answers nothing, as if nothing were stored, and is stored again."""

    def read(name: str) -> Any:
        answers._opened.cache_clear()
        return answers.stored(name)

    answers.keep({("list",): ["planted", []]})
    assert read("list") == ["planted", []]
    content = kept(place).read_bytes()
    kept(place).write_bytes(damage(content))
    assert damage(content) != content
    assert read("list") is None
    assert read("show") is None
    answers.keep({("list",): ["planted again", []]})
    assert read("list") == ["planted again", []]
    kept(place).write_bytes(kept(place).read_bytes() + b'\n["list"]\thalf a li')
    assert read("show") is None
    assert read("list") == ["planted again", []]


def test_nowhere_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the place of the folder, or none wanted."""
    (tmp_path / "file").write_text("")
    for folder in (str(tmp_path / "file"), ""):
        monkeypatch.setenv("SYMBOLIC_LLM_CACHE", folder)
        answers._opened.cache_clear()
        answers.keep({("list",): ["planted", []]})
        assert program("list", folder).stdout != "planted\n"


def test_other_sources_are_not_answered_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever file is changed, added, renamed or gone: of a formula, of what prints it, of the presets, of SymPy."""
    copy = tmp_path / "symbolic_llm"
    shutil.copytree(ROOT / "symbolic_llm", copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(answers, "_PACKAGE", copy)

    def fingerprint() -> str:
        answers.fingerprint.cache_clear()
        return answers.fingerprint()

    before = fingerprint()
    files = sorted(path for path in copy.rglob("*") if path.suffix in (".py", ".toml", ".json"))
    assert len(files) > 200
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content + b" ")
        assert fingerprint() != before, path
        path.write_bytes(content)
    for change in (files[3].with_name("added.py").touch, lambda: files[5].rename(files[5].with_name("other.py"))):
        change()
        assert fingerprint() != before
        before = fingerprint()
    (copy / "cache" / f"answers-{before}.jsonl").write_text("what is stored is no source")
    assert fingerprint() == before
    monkeypatch.setattr(answers.PathFinder, "find_spec", lambda name: None)
    assert fingerprint() != before
    monkeypatch.undo()
    answers.fingerprint.cache_clear()


def test_a_changed_formula_is_answered_anew(tmp_path: Path) -> None:
    """The answer of the sources as they are, whatever was stored before."""
    shutil.copytree(ROOT / "symbolic_llm", tmp_path / "symbolic_llm")
    place, title = tmp_path / "kept", "Batch crossover"
    assert f"  {title}\n" in program("list", place, tmp_path).stdout
    assert program("list", place, tmp_path).stderr == "False\n"
    file = tmp_path / "symbolic_llm" / "formulas" / "batching" / "batch_crossover.py"
    file.write_text(file.read_text(encoding="utf-8").replace(title, "A crossover", 1), encoding="utf-8")
    changed = program("list", place, tmp_path)
    assert changed.stderr == "True\n"
    assert "  A crossover\n" in changed.stdout
    assert f"  {title}\n" not in changed.stdout
    assert len(list(place.glob("answers-*"))) == 2  # of other sources other answers, each under the sources' digest
    file.write_text(file.read_text(encoding="utf-8").replace("A crossover", title, 1), encoding="utf-8")
    assert program("list", place, tmp_path).stderr == "False\n"


def test_what_a_build_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question in letters, as the command line asks it; the file beside the sources goes before the cache."""
    asked = list(store_answers.questions())
    assert len({*asked}) == len(asked)
    for formula in catalogue():
        assert ("show", formula.name) in asked
        assert all(("solve", formula.name, letter.name) in asked for letter in formula.letters)
    assert all(("show", letter.name) in asked for letter in LETTERS.values())
    for one in asked:
        assert question(parser().parse_args([*one])) == one
    monkeypatch.setattr(answers, "BUILT", tmp_path)
    monkeypatch.setattr(
        store_answers, "questions", lambda: [("list",), ("solve", "latency", "P"), ("solve", "capacity")]
    )
    monkeypatch.setattr(store_answers, "catalogue", lambda: [catalogue()["latency"]])
    monkeypatch.setattr(store_answers.presets, "names", lambda kind: ["llama-7b"])
    file = answers.write(tmp_path, dict(store_answers.everything()))
    assert file == tmp_path / f"answers-{answers.fingerprint()}.jsonl"
    assert answers.stored("list")[0] == said(["list"])[1]
    assert answers.stored("solve", "latency", "P")[1]["formula"] == "latency"
    assert answers.stored("solve", "capacity") is None
    assert answers.stored("sum", "llama-7b", "P_total")["llama-7b.P_total"]["kind"] == "IDENTITY"
    assert answers.stored("branches", "symbolic_llm.formulas.latency.latency", "P")
    answers._opened.cache_clear()


def test_a_large_file_is_read_to_its_end(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many answers there are; one that has grown too large is begun anew."""
    monkeypatch.setattr(store, "_LARGEST", 2**20)
    for number in range(3):
        answers._opened.cache_clear()
        answers.keep({("show", str(number)): "x" * (2**20 // 3)})
        assert answers.stored("show", str(number))
    assert all(answers.stored("show", str(number)) for number in range(3))
    answers._opened.cache_clear()
    answers.keep({("show", "3"): "x" * (2**20 // 2)})
    answers._opened.cache_clear()
    answers.keep({("show", "4"): "y"})
    answers._opened.cache_clear()
    assert answers.stored("show", "4") == "y"
    assert kept(place).stat().st_size < 2**20


def test_a_file_that_was_cut_makes_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of what a build stores: a byte too few, and the build ends there."""
    stored = {("list",): 1, ("presets",): [2]}
    assert Rows(answers.write(tmp_path, stored).read_bytes())['["presets"]'] == [2]
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: whole(path)[:-2])
    with pytest.raises(OSError, match="does not hold what was written to it: presets cannot be read back"):
        answers.write(tmp_path, stored)


BOUNDED = re.compile(r"\.read\((?=\S)([^()]+)\)")


def silent(source: str) -> list[str]:
    """Reads of so many bytes at most that cannot notice when there are more: who asks for one more does."""
    return [
        asked for asked in BOUNDED.findall(source) if re.search(r"\d|[A-Z]{2}", asked) and not asked.endswith("+ 1")
    ]


def test_nothing_is_cut_in_silence() -> None:
    """In package, engine and build; the twin is what this module once did."""
    sources = [
        ROOT / "hatch_build.py",
        *(ROOT / "symbolic_llm").rglob("*.py"),
        *(ROOT / "reference_engine").rglob("*.py"),
    ]
    assert not [(path.name, found) for path in sources if (found := silent(path.read_text(encoding="utf-8")))]
    assert silent("return file.read(_LARGEST)") == ["_LARGEST"]
    assert silent("return file.read(2**24)") == ["2**24"]
    assert not silent("data = file.read(_LARGEST_FILE + 1)")


@pytest.mark.parametrize(
    "line", ["solve latency P=1", "solve latency --hardware a10", "explain latency", "model llama-7b", "check latency"]
)
def test_what_depends_on_more_than_the_sources_is_not_stored(line: str) -> None:
    """Numbers, presets, files."""
    assert question(parser().parse_args(line.split())) is None


def test_another_program_keeps_its_sympy(place: Path) -> None:
    """A program that asks the command line from within gets SymPy's answer, and its SymPy stays SymPy."""
    answers.keep(dict(stored_data.formulas()))
    code = (
        "from symbolic_llm.cli import main; main('explain latency P=7e9 n_bytes=2 B=1 F=1e14 W=1e12'.split());"
        "import sympy; print(sympy.sqrt(8))"
    )
    assert python(["-c", code], place).stdout.splitlines()[-1] == "2*sqrt(2)"
