"""The package as it is handed out: addresses, workflows, manifests, completion, the skill, the notebook"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import notebook_cells
import platformdirs
import pytest
import yaml

import symbolic_llm
from symbolic_llm.cache import store
from symbolic_llm.cli import EXAMPLES, completion, main, parser
from symbolic_llm.errors import UnknownName
from symbolic_llm.pages import agent_skill

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
URLS = PROJECT["urls"]
MANIFEST = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in ROOT.glob(".github/workflows/*")}
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


# Addresses


def test_every_address_is_that_of_the_project() -> None:
    """The repository and the site stand in pyproject.toml; whoever else names them names the same."""
    source, site = URLS["Source"], URLS["Documentation"]
    assert all(url.startswith((source, site)) for url in URLS.values())
    owner, name = source.removeprefix("https://github.com/").split("/")
    for file in ("SECURITY.md", "CITATION.cff", "server.json", "README.md", notebook_cells.FILE.relative_to(ROOT)):
        text = (ROOT / file).read_text(encoding="utf-8")
        named = re.findall(rf"https://github\.com/({owner}/[\w-]+)|https://({owner}\.github\.io/[\w-]+)", text)
        assert all(one in (f"{owner}/{name}", "") for one, _ in named)
        assert all(f"https://{one}/" in (site, "https:///") for _, one in named)
        assert named or file == "README.md"


# The manifest of the server of tools


def faults(manifest: dict[str, Any]) -> list[str]:
    """Rules of the registry of servers that a manifest breaks, or the package does not keep."""
    (package,) = manifest["packages"]
    with_mcp = [one["value"] for one in package["runtimeArguments"] if one["name"] == "--with"]
    line = [one["value"] for one in package["packageArguments"]]
    rules = {
        "a name is reverse-DNS, a slash, and a word": re.fullmatch(r"[a-zA-Z0-9.-]+/[\w.-]+", manifest["name"]),
        "a description has at most 100 characters": 1 <= len(manifest["description"]) <= 100,
        "the version is the package's": {manifest["version"], package["version"]} == {symbolic_llm.__version__},
        "the package is this one": package["identifier"] == PROJECT["name"],
        "it runs the command of this name": package["identifier"] in PROJECT["scripts"],
        "with what the command needs": with_mcp == PROJECT["optional-dependencies"]["mcp"],
        "that serves tools": line in [shlex.split(one) for one in EXAMPLES["mcp"]],
        "over standard input and output": package["transport"] == {"type": "stdio"},
        "the README says that it is its own": f"mcp-name: {manifest['name']} " in (ROOT / "README.md").read_text(),
    }
    return [rule for rule, kept in rules.items() if not kept]


def test_the_manifest_is_of_this_package() -> None:
    assert faults(MANIFEST) == []


@pytest.mark.parametrize(
    ("place", "value", "rule"),
    [
        (("version",), "0.0.9", "version"),
        (("packages", 0, "version"), "0.0.9", "version"),
        (("description",), "x" * 101, "100 characters"),
        (("name",), "symbolic-llm", "reverse-DNS"),
        (("packages", 0, "runtimeArguments", 0, "value"), "mcp", "with what"),
        (("packages", 0, "packageArguments", 0, "value"), "serve", "that serves"),
    ],
)
def test_a_wrong_manifest_is_noticed(place: tuple[Any, ...], value: str, rule: str) -> None:
    """The twins."""
    wrong = json.loads(json.dumps(MANIFEST))
    inside = wrong
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    assert any(rule in fault for fault in faults(wrong))


# Workflows


def test_workflows_may_do_no_more_than_they_need() -> None:
    """Rights are none by default, and each job has those that it names.

    Who builds can publish nothing, who publishes runs no script. What comes from outside enters a script
    by its environment.
    """
    assert WORKFLOWS.keys() == {"docs", "release"}
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {}
        build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
        assert build["permissions"] == {"contents": "read"}
        assert publish["permissions"]["id-token"] == "write"
        assert publish["needs"] == "build"
        assert not [step for step in publish["steps"] if "run" in step]
        for step in build["steps"]:
            assert "${{" not in step.get("run", "")
            assert "uses" not in step or re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])


def test_a_release_is_attested_and_needs_no_password() -> None:
    """By the package that is built once and tried first; of a run by hand nothing is published."""
    publish = WORKFLOWS["release"]["jobs"]["publish"]
    assert publish["if"] == "github.event_name == 'release'"
    taken, attested, published = publish["steps"]
    (kept,) = [
        one for one in WORKFLOWS["release"]["jobs"]["build"]["steps"] if "upload-artifact" in one.get("uses", "")
    ]
    assert taken["with"] == {name: kept["with"][name] for name in ("name", "path")}
    assert attested["with"]["subject-path"] == f"{kept['with']['path']}*"
    assert published["with"] == {"attestations": True}
    assert "secrets" not in json.dumps(WORKFLOWS)


def test_the_site_is_built_as_make_builds_it() -> None:
    """By targets that there are, and with the folder whose name begins with a dot."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    *steps, uploaded = WORKFLOWS["docs"]["jobs"]["build"]["steps"]
    for command in (step["run"] for step in steps if "run" in step):
        assert re.search(rf"^{command.removeprefix('make ')}:", makefile, re.MULTILINE)
    assert uploaded["with"] == {"path": "site/", "include-hidden-files": True}


# Before a commit


def test_the_hook_audits_the_files_that_it_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Called as pre-commit does, with the entry and then names of files, it fails for a wrong figure."""
    command, *words = shlex.split(HOOK["entry"])
    assert command in PROJECT["scripts"]
    wrong = tmp_path / "claims.md"
    wrong.write_text("7 GB <!-- claim: weight_bytes(P_total=7e9, n_bytes=2) -->\n", encoding="utf-8")
    assert re.search(HOOK["files"], str(wrong))
    assert main([*words, str(wrong)]) == 1
    assert "7 GB" in capsys.readouterr().out
    assert main([*words, "README.md"]) == 2  # which has no claim, and so is not among the files
    assert not re.search(HOOK["files"], "README.md")


# The cache


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_the_cache_is_where_the_system_has_caches(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are those of platformdirs; on Linux they are known without it."""
    monkeypatch.delenv("SYMBOLIC_LLM_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
    if sys.platform.startswith("linux"):
        assert store._named() == platformdirs.user_cache_dir("symbolic_llm") == "/some/where/symbolic_llm"
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name, appauthor: f"/library/{name}/{appauthor}")
    assert store._named() == "/library/symbolic_llm/False"
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", "/own")
    assert store._named() == "/own"


# Completion


def completed(line: str, script: Path) -> list[str]:
    """The words that bash offers at the end of a line."""
    words = line.split(" ")
    asked = f". {script}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_symbolic_llm"
    told = subprocess.run(
        ["bash", "-c", asked + '; printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True
    )
    return told.stdout.split()


def test_a_shell_completes_commands_options_and_presets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In bash, which is asked; for the others there is a script."""
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", "bash"])
    assert ended.value.code == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    assert completed("symbolic-llm pl", script) == ["plan", "plot"]
    assert {"--context", "--batch"} <= set(completed("symbolic-llm model llama-3-8b --", script))
    assert completed("symbolic-llm plan gpt2 --hardware h100-s", script) == ["h100-sxm"]
    assert "q4_0" in completed("symbolic-llm model gpt2 --weights q4", script)
    for shell in completion.SHELLS:
        assert "symbolic-llm" in completion.script(parser(), shell)
    with pytest.raises(UnknownName, match="there is no shell 'fish'"):
        completion.script(parser(), "fish")


def test_completion_without_its_library_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--print-completion", "bash"]) == 2
    assert "install it with pip install 'symbolic-llm[completion]'." in capsys.readouterr().err


# The skill of an agent


def test_the_skill_is_found_with_its_digest() -> None:
    """The index names it by a path beside itself, with the description that it gives of itself."""
    files = dict(agent_skill.files())
    place = next(path for path in files if path.endswith("index.json"))
    (skill,) = json.loads(files[place])["skills"]
    text = files[f"{place.removesuffix('index.json')}{skill['url']}"]
    assert skill["digest"] == f"sha256:{sha256(text.encode()).hexdigest()}"
    assert skill["description"] in text
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill["name"])
    assert len(skill["description"]) <= 1024


def test_what_the_skill_shows_runs(kept_findings: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command that it shows gives an answer, and each that it names is one."""
    text = dict(agent_skill.files())[".well-known/agent-skills/symbolic-llm/SKILL.md"]
    lines = re.findall(r"^symbolic-llm (.+)$", text, re.MULTILINE)
    assert len(lines) >= 5
    for line in lines:
        assert main(shlex.split(line)) == 0, line
        assert capsys.readouterr().out
    named = re.findall(r"^\| .+\? \| (.+) \|$", text, re.MULTILINE)
    assert named
    assert {word for cell in named for word in re.findall(r"`(\w+)`", cell)} <= EXAMPLES.keys()


# The notebook


def test_the_notebook_shows_what_the_package_answers(kept_findings: None) -> None:
    """Every output that is stored in it is that of its cell today."""
    notebook = notebook_cells.read()
    outputs = notebook_cells.run(notebook)
    assert outputs == notebook_cells.stored(notebook), "out of date; run: python tests/notebook_cells.py"
    assert sum(bool(output) for output in outputs) >= 6
    install = [cell.source for cell in notebook.cells if notebook_cells.installs(cell)]
    assert install == [f"%pip install -q {PROJECT['name']}"]


def test_a_wrong_output_of_the_notebook_is_noticed() -> None:
    """The twin: a digit of a stored output is another."""
    notebook = notebook_cells.read()
    solved = next(output for output in notebook_cells.stored(notebook) if "161.24" in output.get("text/plain", ""))
    wrong = {**solved, "text/plain": solved["text/plain"].replace("161.24", "161.25")}
    assert wrong not in notebook_cells.run(notebook)
