"""The audit of one's own article: the schema of its files, the page that documents them, the action that runs it"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from symbolic_llm.audit import causes, read_claims
from symbolic_llm.audit.claim import LONGEST_TEXT
from symbolic_llm.audit.language import value_of
from symbolic_llm.audit.printed import read_printed
from symbolic_llm.audit.schema import COMMAND, PATH, schema
from symbolic_llm.audit.schema import written as as_written
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "audit" / "your-own.md").read_text(encoding="utf-8")
FILES = {path.stem: path for path in sorted((ROOT / "symbolic_llm" / "audit" / "claims").glob("*.toml"))}
VALID = Draft202012Validator(json.loads(PATH.read_text(encoding="utf-8")))

# The schema


def test_the_schema_is_written_anew() -> None:
    """The schema's file is what the fields are now, is of draft 2020-12, and explains every field."""
    assert PATH.read_text(encoding="utf-8") == as_written(), f"run {COMMAND}"
    Draft202012Validator.check_schema(schema())
    assert schema()["properties"]["claim"]["items"]["properties"]["cause"]["enum"][1:] == list(causes())


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_valid(name: str) -> None:
    """Each source that comes with the package."""
    VALID.validate(tomllib.loads(FILES[name].read_text(encoding="utf-8")))


GOOD = {"id": "one", "place": "here", "says": "it", "printed": "20", "value": "40 / 2"}
SOME = st.sampled_from(["", "1", "stray-two", "x" * LONGEST_TEXT, "x" * (LONGEST_TEXT + 1), 1, True])
CHANGES = st.dictionaries(
    st.sampled_from([*schema()["properties"]["claim"]["items"]["properties"], "line", "odd"]), SOME, max_size=4
)


@given(change=CHANGES, without=st.sets(st.sampled_from(list(GOOD)), max_size=2))
@example(change={}, without=set())
@example(change={"cause": "stray-two"}, without=set())
@example(change={"because": "1"}, without=set())
@example(change={"equation": "1", "formula": "1"}, without={"printed"})
@example(change={"equation": "1"}, without={"printed"})
@example(change={"observed": True}, without={"value"})
@example(change={"observed": 1}, without=set())
@example(change={"printed": ""}, without=set())
@example(change={"cause": "odd"}, without=set())
def test_what_is_valid_is_what_is_read(change: dict[str, Any], without: set[str]) -> None:
    """In both directions: no file is valid that is refused, none refused that is valid."""
    claim = {name: value for name, value in (GOOD | change).items() if name not in without or name in change}
    text = 'title = "An article"\n[[claim]]\n' + "".join(f"{n} = {json.dumps(v)}\n" for n, v in claim.items())
    read = False
    with suppress(InvalidValue):
        read = bool(read_claims(text, "mine.toml").claims)
    assert VALID.is_valid(tomllib.loads(text)) == read


@pytest.mark.parametrize("text", ["", 'title = "x"', 'title = "x"\nclaim = []', 'title = "x"\nodd = 1\n[[claim]]'])
def test_a_file_that_is_refused_is_not_valid(text: str) -> None:
    """Without claims, without a title, with a field of its own."""
    assert not VALID.is_valid(tomllib.loads(text))
    with pytest.raises(InvalidValue):
        read_claims(text, "mine.toml")


# The page

SHOWN = dict(re.findall(r'```\w+ title="([\w.-]+)"\n(.*?)```', PAGE, re.DOTALL))
RUN = re.findall(r"```console\n\$ symbolic-llm (.*?)\n(.*?)\$ echo \$\?\n(\d)\n```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("command", "printed", "code"), RUN, ids=[command for command, _, _ in RUN])
def test_the_page_shows_what_happens(
    command: str, printed: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Each command on it, with its output and its exit code."""
    monkeypatch.chdir(tmp_path)
    for name, text in SHOWN.items():
        Path(name).write_text(text, encoding="utf-8")
    assert main(command.split()) == int(code)
    found = capsys.readouterr()
    assert [line.rstrip() for line in (found.out + found.err).splitlines()] == printed.splitlines()


def test_the_page_shows_every_exit_code() -> None:
    """The twin of the test above: there are commands, one for each code."""
    assert {code for _, _, code in RUN} == {"0", "1", "2"}
    assert {command.split()[-1] for command, _, _ in RUN} == set(SHOWN)


def test_the_page_shows_python_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """On the file that it shows first."""
    monkeypatch.chdir(tmp_path)
    Path("my-claims.toml").write_text(SHOWN["my-claims.toml"], encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    printed = "speed reproduced 553 tokens/s\nweights not reproducible 14 GB\n"
    assert capsys.readouterr().out == printed


def test_the_words_of_the_language_are_read() -> None:
    """Each expression in the table has a value."""
    table = PAGE[PAGE.index("| Written |") : PAGE.index("Everything is exact")]
    expressions = [
        text for line in table.strip().splitlines()[2:] for text in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]
    found = [value_of(text) for text in expressions if len(text) > 2]
    assert len(found) == 9


@pytest.mark.parametrize(
    ("printed", "low", "high"),
    [
        (figure, low, high)
        for line in PAGE[PAGE.index("| Printed |") : PAGE.index("GB has 10⁹ bytes")].strip().splitlines()[2:]
        for figure in re.findall(r"`([^`]*\d[^`]*)`", line)
        for low, high in re.findall(r"\| ([\d.]+) to ([\d.]+)", line)
    ],
)
def test_words_before_figures_allow_what_the_page_says(printed: str, low: str, high: str) -> None:
    """To the end of the interval and no farther."""
    figure, bare = read_printed(printed), printed.endswith("GB")
    for text, inside, outside in ((low, 1, -1), (high, -1, 1)):
        unit = " GB" if bare else ""
        nudged = [value_of(f'"{float(text) + sign * 1e-6:.6f}{unit}"') for sign in (inside, outside)]
        assert [figure.allows(value) for value in nudged] == [True, False]


# The action

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step.get("name", "Python"): step for step in ACTION["runs"]["steps"]}


def ran(step: str, command: str, does: str, folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """A step of the action, run as a composite action runs it; of its command, what it is to do here."""
    here = folder / "bin" / command
    here.parent.mkdir(exist_ok=True)
    here.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    here.chmod(0o755)
    script = folder / "step.sh"
    script.write_text(STEPS[step]["run"], encoding="utf-8")
    path = f"{here.parent}{os.pathsep}{os.environ['PATH']}"
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    given = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **given}
    return subprocess.run(words, cwd=folder, env=given, capture_output=True, text=True, check=False)


def audited(files: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The finished run of the action's audit on files."""
    return ran("Audit", "symbolic-llm", f'exec "{sys.executable}" -m symbolic_llm "$@"', folder, FILES=files)


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ("article.md", 0, "2 claims: 2 reproduced"),
        ("article.md my-claims.toml", 1, "1 not reproducible"),
        ("art*.md", 0, "2 reproduced"),
        ("wrong.toml", 2, "did you mean printed?"),
        ("malformed.md", 2, "malformed.md, line 1: a claim must be written"),
        ("", 2, "files names no file"),
        (" \n", 2, "files names no file"),
        ("$(touch made) `touch made` ; touch made", 2, "cannot be read"),
        ("--json", 2, "cannot be read"),
    ],
)
def test_the_action_audits_its_files(files: str, code: int, said: str, tmp_path: Path) -> None:
    """The action audits one file, several or those of a pattern, and refuses a wrong one or none.

    A command in the place of a file's name is not run.
    """
    for name, text in SHOWN.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "malformed.md").write_text("14 GB <!-- claim 14 -->", encoding="utf-8")
    done = audited(files, tmp_path)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert not (tmp_path / "made").exists()


def test_the_action_installs_this_package_and_runs_its_command(tmp_path: Path) -> None:
    """From its own path, spaces in it or not; what is given comes in by the environment, never by a script."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert STEPS["Audit"]["run"].splitlines()[-1].split()[0] in project["scripts"]
    assert STEPS["Install"]["env"] == {"ACTION": "${{ github.action_path }}"}
    done = ran("Install", "python", 'printf "%s\\n" "$@"', tmp_path, ACTION="/some where")
    assert done.stdout.splitlines()[-2:] == ["--editable", "/some where"]
    assert all("${{" not in step.get("run", "") for step in STEPS.values())
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
    oldest = project["requires-python"].removeprefix(">=3.")
    assert int(ACTION["inputs"]["python-version"]["default"].removeprefix("3.")) >= int(oldest)


def test_the_page_shows_the_action_in_five_lines(tmp_path: Path) -> None:
    """With inputs that it has, and they find what is wrong."""
    shown = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
    assert len(shown.splitlines()) == 5
    steps = yaml.safe_load(shown)["steps"]
    required = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert required <= set(steps[-1]["with"]) <= set(ACTION["inputs"])
    for name, text in (("README.md", SHOWN["article.md"]), ("my-claims.toml", SHOWN["my-claims.toml"])):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = audited(steps[-1]["with"]["files"], tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "4 claims: 3 reproduced, 1 not reproducible")
