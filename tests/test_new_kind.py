"""Adding a kind of block, or of attention, is adding files; nothing is edited, and everything counts it

The files in `new_kind/` are a gated linear recurrence, those in `new_attention/` heads that share one vector of a
token: engine, questions, letters, formulas, what models count of it, and a family that has it. They are put into a copy
of both packages, at the places that their paths say.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from test_new_formula import python

from symbolic_llm.models import attention, recurrent

pytestmark = [pytest.mark.usefixtures("kept_findings"), pytest.mark.xdist_group("kind")]

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class New:
    """A kind that is not there yet.

    Attributes:
        folder: where its files lie.
        names: of its formulas, the one for weights first.
        fault: in the file of that one, what is right and what is false.
        kind: its module among models; `family` the one that has it.
        miscount: there, what is right and what counts less.
        configs: of the engine, as code.
        config: of the family.
        refused: how a decoder is refused that no module describes.
    """

    folder: str
    names: tuple[str, str]
    fault: tuple[str, str]
    kind: Path
    family: Path
    miscount: tuple[str, str]
    configs: str
    config: dict[str, Any]
    refused: str

    @property
    def formula(self) -> Path:
        """The file of its formula for weights."""
        (found,) = (ROOT / "tests" / self.folder).rglob(f"{self.names[0]}.py")
        return found.relative_to(ROOT / "tests" / self.folder)


_MODEL = {
    "hidden_size": 64, "num_hidden_layers": 6, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 96,
    "max_position_embeddings": 4096,
}  # fmt: skip
STATE = New(
    "new_kind",
    ("lru_parameters", "lru_bytes"),
    ("count(3,", "count(4,"),
    Path("symbolic_llm/models/recurrent/lru.py"),
    Path("symbolic_llm/models/families/novel_lru.py"),
    ("made.vectors(", "0 and made.vectors("),
    """
from reference_engine.formats import BF16, F16, F32
from reference_engine.recurrent.lru import LinearRecurrence

configs = [
    Config(
        len(blocks) * 2, 4, 2, 11, Float(16), Float(32), Float(16), d_model=6, n_kv_heads=n_kv, d_ff=5, norm="rms",
        gated=True, activation="silu", positions="rotary", tied=False, windows=windows,
        states=LinearRecurrence(width, blocks, F32),
    )
    for width, blocks, windows, n_kv in product(
        (3, 8), ((True, False), (False, True, True)), ((None,), (3,)), (1, 2)
    )
]
""",
    {
        **_MODEL, "model_type": "novel_lru", "architectures": ["NovelLruForCausalLM"], "num_key_value_heads": 2,
        "lru_width": 80,
    },
    "has blocks of a kind that no formulas describe",
)  # fmt: skip
ATTENTION = New(
    "new_attention",
    ("factored_parameters", "factored_bytes_per_token"),
    ("each_weight * d_model * d_head", "each_weight * d_model * d_head * n_heads"),
    Path("symbolic_llm/models/attention/factored.py"),
    Path("symbolic_llm/models/families/novel_factored.py"),
    ('made.letters["n_blocks"])', 'made.letters["n_blocks"] - 1)'),
    """
from reference_engine.attention.factored import Factored

configs = [
    Config(
        4, heads, 3, 11, Float(16), Float(32), Float(16), d_model=6, n_kv_heads=1, d_ff=5, norm="rms", gated=True,
        activation="silu", tied=False, windows=windows, attention=Factored(width),
    )
    for width, heads, windows in product((3, 8), (3, 4), ((None,), (3,), (3, None)))
]
""",
    {
        **_MODEL, "model_type": "novel_factored", "architectures": ["NovelFactoredForCausalLM"], "head_dim": 32,
        "q_low_rank": 24, "sliding_window": 512,
    },
    "attends in a way that no formulas describe",
)  # fmt: skip

COUNTED = """
import sys
sys.path.insert(0, "tests")
from fractions import Fraction
from itertools import product

import numpy as np
import test_operations
import test_wholes
from symbolic_llm.witness.decoders import model_of

from reference_engine import Config, Decoder, Float
CONFIGS
checks = {
    name: getattr(test_wholes, f"test_{name}").hypothesis.inner_test
    for name in (
        "every_weight_belongs_to_one_part",
        "totals_are_those_of_the_engine",
        "prompts_are_those_of_the_engine",
        "a_devices_part_is_that_of_the_engine",
    )
}
rows = 0
for config in configs:
    checks["every_weight_belongs_to_one_part"](config)
    for context in (1, 5):
        checks["totals_are_those_of_the_engine"](config, context)
        checks["prompts_are_those_of_the_engine"](config, context)
        for devices in (1, 2, 3):
            checks["a_devices_part_is_that_of_the_engine"](config, devices, context)
    decoder = Decoder(config)
    decoder.start(2, 4)
    decoder.context = 3
    decoder.decode(np.zeros(2, int))
    asked = test_operations.Question(2, 4, 2, 4)
    said = test_operations.said(model_of(config, "drawn"), asked, decodes=True)
    entered = test_operations.entered(decoder.ledger)
    kept = sum(decoder.ledger.total(way, "*.state.kept") for way in ("loaded", "stored"))
    states = {"state.kept": (Fraction(0), Fraction(kept))} if kept else {}
    assert said == entered | states, (said, entered)
    rows += len(said)
print(rows)
"""


@dataclass(frozen=True)
class Copy:
    """Both packages with the files of a new kind, in a folder of their own, and the helpers of tests."""

    root: Path
    new: New


@pytest.fixture(scope="module", params=(STATE, ATTENTION), ids=lambda new: new.folder)
def copy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Both packages with the new files, in a folder of their own, and the helpers of tests."""
    new, root = request.param, tmp_path_factory.mktemp("project")
    for name in ("symbolic_llm", "reference_engine", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("attacks", "new_*", "__pycache__"))
    folder = ROOT / "tests" / new.folder
    for path in sorted(path.relative_to(folder) for path in folder.rglob("*.py")):
        assert not (root / path).exists(), "it is new"
        shutil.copy(folder / path, root / path)
    (root / "config.json").write_text(json.dumps(new.config))
    return Copy(root, new)


def counted(copy: Copy) -> Any:
    """Counts of decoders of the new kind, by formulas and in the engine."""
    return python(copy.root, "-c", COUNTED.replace("CONFIGS", copy.new.configs))


def test_its_formulas_are_certified(copy: Copy) -> None:
    """By runs of its blocks, for all shapes; a false one is refuted."""
    checked = python(copy.root, "-m", "symbolic_llm", "check", *copy.new.names)
    assert checked.stdout.splitlines()[-1] == "2 proved: 2 certified", checked.stdout + checked.stderr
    false = copy.root / copy.new.formula
    right = false.read_text(encoding="utf-8")
    wrong = right.replace(*copy.new.fault)
    assert wrong != right
    false.write_text(wrong, encoding="utf-8")
    try:
        checked = python(copy.root, "-m", "symbolic_llm", "check", copy.new.names[0])
    finally:
        false.write_text(right, encoding="utf-8")
    assert f"REFUTED    {copy.new.names[0]}" in checked.stdout


def test_models_with_it_are_sized(copy: Copy) -> None:
    """Weights, what is kept however long a sequence is, a step: as a loop over its layers says."""
    sized = python(copy.root, "-m", "symbolic_llm", "model", "config.json", "--hardware", "m2", "--json")
    assert sized.returncode == 0, sized.stderr
    found = json.loads(sized.stdout)
    if copy.new is STATE:
        attention, recurrence, beside = 4 * 64 * 16 * 4 - 2 * 64 * 16 * 2, 3 * 64 * 80 + 80, 4 * 80
        blocks, cache, kept = 2 * attention + 4 * recurrence, 2 * 2 * 2 * 16 * 2 * 4096, 4 * 80 * 4
        assert found["lru_bytes"] == kept
    else:
        blocks, beside, kept = 6 * (24 * (64 + 4 * 32) + 64 * 32 + 4 * 32 * 64), 0, 0
        cache = 32 * 2 * (3 * 512 + 3 * 4096)
    assert found["parameters"] == blocks + 6 * 3 * 64 * 96 + 13 * 64 + 64 * 100
    assert found["kv_bytes"] == cache + kept
    bytes_of_a_step = 2 * (found["parameters"] - beside - 13 * 64) + cache + 2 * kept
    assert found["decode_memory_time"] == pytest.approx(bytes_of_a_step / 100e9, rel=1e-12)
    asked = "plan config.json --hardware m2 --prompt 100 --output 10 --tpot 50ms"
    planned = python(copy.root, "-m", "symbolic_llm", *asked.split())
    assert planned.returncode == 0, planned.stderr


def test_its_counts_are_those_of_the_engine(copy: Copy) -> None:
    """Every weight belongs to one part; totals of steps, prompts and devices, and operations, on many decoders."""
    found = counted(copy)
    assert found.returncode == 0, found.stdout + found.stderr
    assert int(found.stdout) > 100


def test_without_its_module_no_model_has_it(copy: Copy) -> None:
    """The twin: a decoder of the engine with blocks that nothing describes is refused, and so is one miscounted."""
    kind, family = copy.root / copy.new.kind, copy.root / copy.new.family
    right, described = kind.read_text(encoding="utf-8"), family.read_text(encoding="utf-8")
    fault = right.replace(*copy.new.miscount)
    assert fault != right
    try:
        kind.write_text(fault, encoding="utf-8")
        assert "AssertionError" in counted(copy).stderr
        kind.unlink()
        family.unlink()
        assert copy.new.refused in counted(copy).stderr
    finally:
        kind.write_text(right, encoding="utf-8")
        family.write_text(described, encoding="utf-8")


# What names a kind, beside its own files

OWN = re.compile(r"/(formulas|notation|families|probes|attention|recurrent|measurements)/")
NAMED = {
    "symbolic_llm/reports/operations.py": "a sentence says what is written back, and of convolutions it is another",
    "symbolic_llm/witness/configurations.py": "the shapes at which formulas are compared; others have usual ones",
    "symbolic_llm/witness/ledger_entries.py": "how far out plain runs go; others go as far as usual",
    "symbolic_llm/witness/subjects.py": "the decoders whose laws are measured, part by part",
}


def names_a_kind(source: str) -> bool:
    """Whether a letter or a class of a kind stands in code; keys and values of heads are what is usual."""
    kinds = [kind for kind in attention.KINDS if kind.tells]
    words = {name for kind in kinds for name in (kind.tells, kind.runs, *kind.blocks, *kind.lengths)}
    words |= {name for kind in recurrent.KINDS for name in (kind.blocks, kind.runs)}
    nodes = list(ast.walk(ast.parse(source)))
    named = {node.value for node in nodes if isinstance(node, ast.Constant)}
    named |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return not words.isdisjoint(named | {node.attr for node in nodes if isinstance(node, ast.Attribute)})


def test_few_files_name_a_kind() -> None:
    """A further kind needs none of these: it is in no sum that is written out, and has usual shapes."""
    files = [path for name in ("symbolic_llm", "reference_engine") for path in sorted((ROOT / name).rglob("*.py"))]
    others = [path for path in files if not OWN.search(path.as_posix())]
    assert [path.relative_to(ROOT).as_posix() for path in others if names_a_kind(path.read_text("utf-8"))] == [*NAMED]
    assert names_a_kind("waits = letters['r_csa']")
    assert names_a_kind("isinstance(config.attention, Latent)")
    assert not names_a_kind("kept = letters['n_window']")
