"""Python in the page: what it prints is what is printed there, from files of the site, after a click"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from doctest import DocTestParser
from pathlib import Path
from typing import Any

import pytest
from browsing import ROOT, Tab
from sessions import prompting

from symbolic_llm.cli import main
from symbolic_llm.cli.prompt import run, size
from symbolic_llm.errors import InvalidValue, MissingDependency
from symbolic_llm.pages import build, runtime

SCRIPT = ROOT / "docs" / "assets" / "prompt.js"
WRITTEN = [ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "book").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(>>> .*?)^```$", re.DOTALL | re.MULTILINE)
CONFIG = {"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336}
CONFIG |= {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8}
ANSWERED = "(answer) => !answer.hidden && !/being loaded|^…$/.test(answer.textContent)"


def printed(text: str) -> str:
    """The output that stands under the examples of a text."""
    found = DocTestParser().get_examples(text)
    raised = "Traceback (most recent call last):\n  ...\n"
    shown = ((raised + one.exc_msg) if one.exc_msg else one.want.replace("<BLANKLINE>", "") for one in found)
    return "".join(shown)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_it_prints_what_stands_under_the_examples(path: Path) -> None:
    """Of each page, block after block; and something else is noticed."""
    names: dict[str, Any] = {}
    for block in BLOCK.findall(path.read_text(encoding="utf-8")):
        assert run(block, names) == printed(block)
        assert run(block, names) != printed(block) + "0"


WITHOUT_NUMPY = """
import json, sys
sys.modules["numpy"] = None
from symbolic_llm.cli.prompt import run
blocks = json.load(sys.stdin)
names = {}
json.dump([run(block, names) for block in blocks], sys.stdout)
"""


def test_what_has_a_button_needs_no_numpy() -> None:
    """Pyodide comes without it; an example that needs the engine has no button."""
    elsewhere = re.compile(re.search(r"ELSEWHERE = /(.*?)/;", SCRIPT.read_text(encoding="utf-8"))[1])  # type: ignore[index]
    blocks = [block for path in WRITTEN for block in BLOCK.findall(path.read_text(encoding="utf-8"))]
    offered = [block for block in blocks if not elsewhere.search(block)]
    assert offered
    command = [sys.executable, "-c", WITHOUT_NUMPY]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(offered), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [printed(block) for block in offered]
    assert elsewhere.search(">>> import numpy as np")


def test_lines_are_run_as_at_a_prompt() -> None:
    """Names of the package stand ready, definitions stay, values are printed, a mistake is its last line."""
    names: dict[str, Any] = {}
    assert run("solve(batch_crossover, 'W', B=1, F='312 TFLOP/s', n_bytes=2).value", names) == "312000000000000\n"
    assert run("x = 2\nfor y in range(2):\n    print(x + y)\nx", names) == "2\n3\n2\n"
    assert run("x + 1", names) == "3\n"
    assert run("1 +", names).endswith("SyntaxError: invalid syntax\n")
    assert run("x\nnone\nx", names).endswith("NameError: name 'none' is not defined\n")
    assert run("raise SystemExit", names).endswith("SystemExit\n")
    assert run("solve('latncy')", names).splitlines()[0] == "Traceback (most recent call last):"
    assert "did you mean latency" in run("solve('latncy')", names)
    assert run("", names) == ""


def test_a_pasted_config_is_sized_as_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sign for sign; a mistake is one sentence."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    assert main(["model", str(path), "--hardware=m2", "--context=1k"]) == 0
    expected = capsys.readouterr().out.replace(str(path), "config.json").rstrip("\n")
    assert size(json.dumps(CONFIG), ["--hardware=m2", "--context=1k"]) == expected
    for config, options, said in (
        ("{", [], "config.json is not JSON."),
        ("[]", [], "config.json"),
        (json.dumps(CONFIG), ["--context=many"], "many"),
        (json.dumps(CONFIG), ["--hardware=none"], "there is no hardware 'none'"),
        ("\udc80", [], "config.json"),
    ):
        found = size(config, options)
        assert said in found
        assert "\n" not in found


def test_what_is_packed_is_the_package() -> None:
    """Its sources and data, without what writes pages or times machines; twice the same."""
    content = runtime.packed()
    assert content == runtime.packed()
    names = set(zipfile.ZipFile(io.BytesIO(content)).namelist())
    assert {"symbolic_llm/__init__.py", "symbolic_llm/presets/hardware.toml", "symbolic_llm/cli/prompt.py"} <= names
    assert not [name for name in names if re.search("/(pages|this_machine|measurements|__pycache__)/", name)]
    assert len(content) < 2**20


def test_a_folder_without_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And so is fetching it without npm, each in a sentence."""
    with pytest.raises(InvalidValue, match=r"has no pyodide\.js; python -m symbolic_llm\.pages\.runtime"):
        list(runtime.files(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependency, match="npm is needed once"):
        runtime.fetch(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_without_it_the_pages_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No script and no file; with it both."""
    place = tmp_path / "prompt"
    place.mkdir()
    for name in (*runtime._CORE, "sympy.whl", "mpmath.whl"):
        (place / name).write_bytes(b"")
    pages = {"index.md": "# A\n", "book/b.md": "# B\n"}
    monkeypatch.setattr(build.Pages, "_pages", lambda _: ((path, lambda _, text=pages[path]: text) for path in pages))
    (tmp_path / "docs").mkdir()
    without = dict(build.Pages(tmp_path / "docs", []).files())
    assert without["index.md"] == b"# A\n"
    assert not [name for name in without if "prompt" in name]
    files = dict(build.Pages(tmp_path / "docs", [], place).files())
    assert files["index.md"] == b'# A\n\n<script defer src="assets/prompt.js"></script>\n'
    assert b'src="../assets/prompt.js"' in files["book/b.md"]
    assert files[f"{build.TWINS}/index.md"] == b"# A\n"
    assert {"assets/prompt/pyodide.js", "assets/prompt/symbolic_llm.zip"} <= files.keys()


# In a browser


@pytest.fixture(scope="module")
def running(site: Path) -> Path:
    """The site, with what runs Python; skipped where that cannot be had."""
    if not prompting():
        pytest.skip("needs npm and pip, and what they fetch")
    return site


def asked(page: Any, button: Any) -> str:
    """Click a button, and wait for the answer."""
    button.click()
    answer = button.locator("xpath=following-sibling::pre")
    page.wait_for_function(ANSWERED, arg=answer.element_handle(), timeout=120_000)
    return str(answer.text_content())


@pytest.mark.xdist_group("site")
def test_examples_run_where_they_are_read(tab: Tab, running: Path, address: str) -> None:
    """Each prints what stands under it; a formula is asked where it stands. Nothing is fetched before the click."""
    page, fetched = tab.page, []
    page.on("request", lambda request: fetched.append(request.url))
    tab.problems(f"{address}/index.html")
    assert not [url for url in fetched if "/assets/prompt/" in url]
    blocks = BLOCK.findall((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    buttons = page.locator("div.prompt > button").all()
    assert len(buttons) == len(blocks)
    for button, block in zip(buttons, blocks, strict=True):
        assert asked(page, button) == printed(block).rstrip()
    assert [url for url in fetched if url.endswith("/assets/prompt/pyodide.asm.wasm")]
    formula = page.locator("details.prompt").nth(3)
    formula.locator("summary").click()
    assert formula.locator("textarea").input_value() == "solve(batch_crossover)"
    assert asked(page, formula.get_by_role("button")) == run("solve(batch_crossover)", {}).rstrip()
    formula.locator("textarea").fill("x = 6\nx * 7")
    assert asked(page, formula.get_by_role("button")) == "42"
    assert tab.wrong == []
    assert all(url.startswith(address) for url in fetched)


@pytest.mark.xdist_group("site")
def test_a_config_is_sized_where_it_is_pasted(tab: Tab, running: Path, address: str) -> None:
    """A pasted config is sized as the command sizes it, and a mistake gets one sentence."""
    page = tab.page
    tab.problems(f"{address}/models.html")
    place = page.locator("[data-prompt=size]")
    place.locator("textarea").fill(json.dumps(CONFIG))
    place.locator("select").select_option("m2")
    expected = size(json.dumps(CONFIG), ["--hardware=m2", "--context=4096", "--batch=1"])
    assert asked(page, place.get_by_role("button")) == expected
    place.locator("textarea").fill("{")
    assert asked(page, place.get_by_role("button")) == "config.json is not JSON."
    assert tab.wrong == []


@pytest.mark.xdist_group("site")
def test_from_a_file_it_says_that_it_cannot(tab: Tab, running: Path) -> None:
    """In one line, and fetches nothing."""
    tab.problems(f"{running.as_uri()}/formulas/latency.html")
    said = asked(tab.page, tab.page.locator("div.prompt > button").first)
    assert said == "This runs where the site is served over http, as symbolic-llm site does, and not from a file."
    assert tab.wrong == []
