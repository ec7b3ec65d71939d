"""In a notebook: what answers look like there, and a notebook that is run"""

from __future__ import annotations

import json
from fractions import Fraction
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest
from cases import A10, A100
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from symbolic_llm import Model, Sizing, catalogue, check, evaluate, explain, find, model, plan, presets, solve, sweep
from symbolic_llm.cli import main
from symbolic_llm.cli.parsing import typed
from symbolic_llm.errors import InvalidValue, UnknownName, options_written
from symbolic_llm.expressions.html import words
from symbolic_llm.expressions.printing import upright
from symbolic_llm.reports.counting import Counted, Line
from symbolic_llm.units import WEIGHT

pytestmark = pytest.mark.usefixtures("kept_findings")
ROOT = Path(__file__).parent.parent
CONFIG = {
    "model_type": "llama",
    "vocab_size": 1000,
    "hidden_size": 64,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


class Elements(HTMLParser):
    """The elements of a piece of HTML, and its text; complains of what is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(html)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note it."""
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last; a tag of another fails."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """The text."""
        self.text += data


def test_a_solution_shows_everything() -> None:
    """Closed form, number with unit, and each input with its source, in HTML and in LaTeX."""
    solution = solve("batch_crossover", **A100)
    shown = Elements(solution._repr_html_()).text
    for part in (
        r"B^{*} = \frac{n_{\text{bytes}}\,F}{2\,W}",
        "B* = 161.24 sequences",
        "W = 1.935 TB/s",
        "timbers-2023",
    ):
        assert part in shown
    latex = solution._repr_latex_()
    for part in (
        r"B^{*} = \frac",
        r"\text{B* = 161.24 sequences}",
        "timbers-2023",
        r"\text{n}\_\text{bytes = 2 B/weight",
    ):
        assert part in latex
    assert latex.count("{") == latex.count("}")


def test_a_solution_without_numbers_is_its_closed_form() -> None:
    """With the conditions as sentences."""
    shown = Elements(solve("batch_crossover_with_cache")._repr_html_()).text
    assert "one more sequence adds more arithmetic time than its caches and states take to move" in shown
    assert "sequences" not in shown
    assert Elements(solve("latency", "P")._repr_html_()).text.count("so that") == 2


def test_no_solution_says_why() -> None:
    """In both."""
    solution = solve("batch_crossover_with_cache", N=8192, **A10)
    said = "has no solution for B_star_cache here: no batch is compute-bound"
    assert said in Elements(solution._repr_html_()).text
    latex = solution._repr_latex_()
    assert r"\text{cache has no solution for B}\_\text{star}\_\text{cache here:}" in latex
    assert r"\text{no batch is compute-bound:}" in latex
    assert "1.05e22 > 5.37e23" in latex
    lacking = solve("batch_crossover", W=1)
    assert "needs a value for n_bytes and F" in Elements(lacking._repr_html_()).text


@pytest.mark.parametrize("name", catalogue().names)
def test_every_example_has_its_html_and_latex(name: str) -> None:
    """Well-formed, with the result and every input in it."""
    found = explain(name, **catalogue()[name].example)
    shown = Elements(found._repr_html_()).text
    latex = found._repr_latex_()
    assert latex.startswith(r"$\displaystyle ")
    assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}")
    for line in found.inputs:
        assert line.replace("$", r"\$") in shown  # a bare one would begin a formula
        assert upright(line) in latex
    if found.formula.quantity is not None:
        assert upright(found.result) in shown
        assert upright(found.result) in latex
    for line in found.lines:
        assert line.note in shown


def test_a_report_a_sizing_and_a_model_are_tables() -> None:
    """A report's table has a row for each finding, a sizing's for each figure, a model's for each letter and part."""
    report = check("batch_crossover", hardware="a10", dtype="fp16")
    elements = Elements(report._repr_html_())
    assert elements.seen.count("tr") == 1 + len(report.findings)
    assert "B_star is 208.33 sequences" in elements.text
    sizing = Sizing("llama-2-7b", "a10")
    elements = Elements(sizing._repr_html_())
    assert elements.seen.count("tr") == 1 + len(sizing.rows) + len({row.section for row in sizing.rows})
    for row in sizing.rows:
        assert row.shown() in elements.text
        assert row.formula in elements.text
    known = Model.from_config(CONFIG)
    elements = Elements(known._repr_html_())
    assert elements.seen.count("tr") == 1 + len(known.letters) + len(known.parts)
    assert f"{known.parameters:,} parameters" in elements.text


def test_a_plan_is_a_table_of_devices() -> None:
    """A row for each device that will do, and one with the reason for each other; what was asked stands above."""
    found = plan("llama-3-8b", prompt=1000, output=200, tpot="20 ms", hardware=("h100-sxm", "a10", "m4-max-40"))
    elements = Elements(found._repr_html_())
    assert elements.seen.count("table") == 2
    assert elements.seen.count("tr") == 1 + len(found.choices) + 1 + len(found.refused)
    assert "prompts of 1,000 tokens, answers of 200, time per output token at most 20 ms" in elements.text
    for choice in found.choices:
        assert choice.hardware in elements.text
        assert str(choice.figures and choice.figures["step"]) in elements.text
    assert all(choice.refused in elements.text for choice in found.refused)
    none = Elements(plan("llama-3-8b", prompt=1000, output=200, hardware="m4-max-40")._repr_html_())
    assert none.seen.count("table") == 1


def test_what_is_found_is_a_table() -> None:
    """A row for each formula, with its mathematics."""
    found = find("time to first token")
    elements = Elements(found._repr_html_())
    assert elements.seen.count("tr") == 1 + len(found)
    assert all(one.name in elements.text and one.title in elements.text for one in found)


def test_a_sweep_is_a_table_of_its_values() -> None:
    """The cells of the text, sign for sign; of a lazy sweep the title alone."""
    found = sweep("latency", n_bytes=2, P=7e9, F="312 TFLOP/s", W=["1 TB/s", "2 TB/s"], B=[1, 2])
    elements = Elements(found._repr_html_())
    assert elements.seen.count("tr") == 3
    assert all(cell.strip() in elements.text for line in repr(found).splitlines() for cell in line.split("  "))
    array = import_module("dask.array").arange(1, 4)
    lazy = sweep("latency", n_bytes=2, P=7e9, F="312 TFLOP/s", W="1 TB/s", B=array)
    assert "table" not in Elements(lazy._repr_html_()).seen


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("--hardware h100-sxm --context 8k", {"hardware": "h100-sxm", "context": "8k"}),
        ("--hardware a10 W=1TB/s --per-op", {"hardware": "a10", "W": "1 TB/s", "per_op": True}),
        ("--prompt 9 --new-tokens 9 --prefill causal", {"prompt": 9, "new_tokens": 9, "prefill": "causal"}),
        ("--hardware a10 --devices 2 --weights q8_0", {"hardware": "a10", "devices": 2, "weights": "q8_0"}),
    ],
)
def test_python_gives_what_the_command_gives(
    line: str, asked: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Word for word, as text and as data, but that options are typed."""
    with options_written(typed):
        found = model("gpt2", **asked)
    assert main(["model", "gpt2", *line.split()]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert repr(found).splitlines() == printed[: len(repr(found).splitlines())]
    assert all(line.startswith("--context: 8k is 8,000") for line in printed[len(repr(found).splitlines()) :])
    assert main(["model", "gpt2", *line.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.data()))


def test_python_refuses_what_the_command_refuses() -> None:
    """In words without dashes."""
    with pytest.raises(
        InvalidValue, match=r"^per_op shows a single pass, so it cannot be used with tpot, .* or host_link\.$"
    ):
        model("gpt2", per_op=True, tpot="50 ms")
    with pytest.raises(InvalidValue, match=r"^prompt needs new_tokens "):
        model("gpt2", prompt=9)
    with pytest.raises(UnknownName, match="there is no letter of a machine 'X'"):
        model("gpt2", X=3)


def test_what_a_file_counts_is_two_tables() -> None:
    """The comparison and the ledger."""
    line = Line("weights", "llama_parameters", WEIGHT, Fraction(1000), 1000)
    counted = Counted("<model>", "llama", 8, 4, (line,), (("prefill", "output", 12345, 6, 7),))
    elements = Elements(counted._repr_html_())
    assert elements.seen.count("table") == 2
    assert elements.seen.count("tr") == 4
    for part in ("<model>: a prompt of 8 tokens", "llama_parameters", "1,000", "12,345"):
        assert part in elements.text


HOSTILE = '<script>alert("1")</script> & $x$'


def test_nothing_that_is_given_becomes_markup(tmp_path: Path) -> None:
    """Neither tags nor dollars, here in the path of a config."""
    folder = tmp_path / HOSTILE.replace("/", "_")
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    known = presets.model(folder)
    sizing = Sizing(known)
    for answer in (known, sizing, explain("weight_bytes", model=known, weights="fp16")):
        elements = Elements(answer._repr_html_())  # type: ignore[attr-defined]
        assert "script" not in elements.seen
        assert "<script>" in elements.text
        assert r"\$x\$" in elements.text
    assert words(HOSTILE) == r"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; \$x\$"
    assert upright(r"a_b & 5 % of {x} \y") == (
        r"\text{a}\_\text{b }\&\text{ 5 }\%\text{ of }\{\text{x}\}\text{ }\backslash \text{y}"
    )
    assert upright("^~#$") == r"\wedge \sim \#\$"


CELLS = (
    "from symbolic_llm import *",
    "solve('batch_crossover', hardware='a100-80gb-pcie', dtype='fp16')",
    "explain('memory_time', model='llama-7b', hardware='m2', weights='q4_0')",
    "check('embedding_parameters')",
    "from symbolic_llm import throughput\nthroughput",
)


def run(cells: tuple[str, ...]) -> list[Any]:
    """A notebook of these cells, run; the results of each."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    return [next((o["data"] for o in cell["outputs"] if "data" in o), {}) for cell in notebook["cells"]]


def test_a_notebook_shows_answers() -> None:
    """A notebook shows answers as HTML, as LaTeX and as text, each with the number."""
    nothing, solved, explained, checked, formula = run(CELLS)
    assert nothing == {}
    assert {"text/html", "text/latex", "text/plain"} <= solved.keys()
    for kind in ("text/html", "text/latex", "text/plain"):
        assert "161.24 sequences" in solved[kind]
        shown = float(evaluate("memory_time", model="llama-7b", hardware="m2", weights="q4_0") * 1e3)
        assert f"{shown:.3f} ms" in explained[kind]
    assert "<td>PROVED</td>" in checked["text/html"]
    assert r"\frac" in formula["text/latex"]


def test_a_notebook_that_fails_is_noticed() -> None:
    """The twin: a slip in a name stops it."""
    with pytest.raises(CellExecutionError, match="did you mean batch_crossover"):
        run(("from symbolic_llm import solve", "solve('batch_crosover')"))
