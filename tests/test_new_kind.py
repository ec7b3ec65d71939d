"""Adding a kind of block is adding files; nothing is edited, and everything counts it

The files in `new_kind/` are a gated linear recurrence: engine, questions, letters, formulas, what models count of it,
and a family that has it. They are put into a copy of both packages, at the places that their paths say.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from test_new_formula import python

pytestmark = [pytest.mark.usefixtures("kept_findings"), pytest.mark.xdist_group("kind")]

ROOT = Path(__file__).parent.parent
NEW = ROOT / "tests" / "new_kind"
FILES = sorted(path.relative_to(NEW) for path in NEW.rglob("*.py"))
KIND, FORMULA, FAMILY = (
    Path("symbolic_llm", path)
    for path in ("models/recurrent/lru.py", "formulas/states/lru_parameters.py", "models/families/novel_lru.py")
)

CONFIG = {
    "model_type": "novel_lru", "architectures": ["NovelLruForCausalLM"], "hidden_size": 64, "num_hidden_layers": 6,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "intermediate_size": 96, "lru_width": 80,
    "max_position_embeddings": 4096,
}  # fmt: skip

COUNTED = """
import sys
sys.path.insert(0, "tests")
from fractions import Fraction
from itertools import product

import numpy as np
import test_operations
import test_wholes
from symbolic_llm.witness.decoders import model_of

from reference_engine import Config, Decoder
from reference_engine.formats import BF16, F16, F32, Float
from reference_engine.recurrent.lru import LinearRecurrence

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
for width, blocks, windows, n_kv in product((3, 8), ((True, False), (False, True, True)), ((None,), (3,)), (1, 2)):
    config = Config(
        len(blocks) * 2, 4, 2, 11, Float(16), Float(32), Float(16), d_model=6, n_kv_heads=n_kv, d_ff=5, norm="rms",
        gated=True, activation="silu", positions="rotary", tied=False, windows=windows,
        states=LinearRecurrence(width, blocks, F32),
    )
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
    assert said == entered | {"state.kept": (Fraction(0), Fraction(kept))}, (said, entered)
    rows += len(said)
print(rows)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both packages with the new files, in a folder of their own, and the helpers of tests."""
    root = tmp_path_factory.mktemp("project")
    for name in ("symbolic_llm", "reference_engine", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("attacks", "new_kind", "__pycache__"))
    for path in FILES:
        assert not (root / path).exists(), "it is new"
        shutil.copy(NEW / path, root / path)
    (root / "config.json").write_text(json.dumps(CONFIG))
    return root


def test_its_formulas_are_certified(copy: Path) -> None:
    """By runs of its blocks, for all shapes; a false one is refuted."""
    checked = python(copy, "-m", "symbolic_llm", "check", "lru_parameters", "lru_bytes")
    assert checked.stdout.splitlines()[-1] == "2 proved: 2 certified", checked.stdout + checked.stderr
    false = copy / FORMULA
    right = false.read_text(encoding="utf-8")
    false.write_text(right.replace("count(3,", "count(4,"), encoding="utf-8")
    try:
        checked = python(copy, "-m", "symbolic_llm", "check", "lru_parameters")
    finally:
        false.write_text(right, encoding="utf-8")
    assert "REFUTED    lru_parameters" in checked.stdout


def test_models_with_it_are_sized(copy: Path) -> None:
    """Weights, what is kept however long a sequence is, a step: as a loop over its layers says."""
    sized = python(copy, "-m", "symbolic_llm", "model", "config.json", "--hardware", "m2", "--json")
    assert sized.returncode == 0, sized.stderr
    found = json.loads(sized.stdout)
    attention, recurrence, mlp = 4 * 64 * 16 * 4 - 2 * 64 * 16 * 2, 3 * 64 * 80 + 80, 3 * 64 * 96
    assert found["parameters"] == 2 * attention + 4 * recurrence + 6 * mlp + 13 * 64 + 64 * 100
    cache, kept = 2 * 2 * 2 * 16 * 2 * 4096, 4 * 80 * 4
    assert (found["lru_bytes"], found["kv_bytes"]) == (kept, cache + kept)
    bytes_of_a_step = 2 * (found["parameters"] - 4 * 80 - 13 * 64) + cache + 2 * kept
    assert found["decode_memory_time"] == pytest.approx(bytes_of_a_step / 100e9, rel=1e-12)
    asked = "plan config.json --hardware m2 --prompt 100 --output 10 --tpot 50ms"
    planned = python(copy, "-m", "symbolic_llm", *asked.split())
    assert planned.returncode == 0, planned.stderr


def test_its_counts_are_those_of_the_engine(copy: Path) -> None:
    """Every weight belongs to one part; totals of steps, prompts and devices, and operations, on sixteen decoders."""
    counted = python(copy, "-c", COUNTED)
    assert counted.returncode == 0, counted.stdout + counted.stderr
    assert int(counted.stdout) > 100


def test_without_its_module_no_model_has_it(copy: Path) -> None:
    """The twin: a decoder of the engine with blocks that nothing describes is refused, and so is one miscounted."""
    kind = copy / KIND
    right = kind.read_text(encoding="utf-8")
    fault = right.replace("made.vectors(", "0 and made.vectors(")
    assert fault != right
    try:
        kind.write_text(fault, encoding="utf-8")
        counted = python(copy, "-c", COUNTED)
        assert "AssertionError" in counted.stderr
        kind.unlink()
        (copy / FAMILY).unlink()
        refused = python(copy, "-c", COUNTED)
        assert "has blocks of a kind that no formulas describe" in refused.stderr
    finally:
        kind.write_text(right, encoding="utf-8")
        shutil.copy(
            NEW / "symbolic_llm/models/families/novel_lru.py", copy / "symbolic_llm/models/families/novel_lru.py"
        )
