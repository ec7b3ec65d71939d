"""Adding a family of models is adding one file; nothing else is edited"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

NEW = '''
"""A family that is not there yet"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _novel(fields: Fields) -> Builder:
    return gated(fields, tied=fields.flag("novel_ties_heads", True), qk_norms=True)


FAMILIES = (Family("novel", "NovelForCausalLM", _novel),)
'''

CONFIG = {
    "model_type": "novel", "architectures": ["NovelForCausalLM"], "hidden_size": 8, "num_hidden_layers": 2,
    "num_attention_heads": 2, "vocab_size": 10, "intermediate_size": 12, "max_position_embeddings": 99,
}  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in a folder of its own, and a config beside it."""
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "symbolic_llm", root / "symbolic_llm")
    (root / "config.json").write_text(json.dumps(CONFIG))
    return root


def size(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`symbolic-llm model` of the copy."""
    command = [sys.executable, "-m", "symbolic_llm", "model", str(root / "config.json"), *options]
    environment = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.xdist_group("family")
def test_without_its_file_the_family_is_not_supported(copy: Path) -> None:
    """The twin: what the other test reads is not read by the package as it is."""
    refused = size(copy)
    assert refused.returncode == 2
    assert "model_type 'novel' is not supported yet; " in refused.stderr
    assert "deepseek_v2, deepseek_v3," in refused.stderr


@pytest.mark.xdist_group("family")
def test_one_new_file_is_a_new_family(copy: Path) -> None:
    """A new family's file makes it read, sized and listed as supported; its own field is known, another is not."""
    (copy / "symbolic_llm" / "models" / "families" / "novel.py").write_text(NEW.lstrip(), encoding="utf-8")
    block = 4 * 8 * 8 + 3 * 8 * 12 + 2 * 8 + 2 * 4
    assert json.loads(size(copy, "--json").stdout)["parameters"] == 2 * block + 10 * 8 + 8
    (copy / "config.json").write_text(json.dumps(CONFIG | {"novel_ties_heads": False}))
    assert json.loads(size(copy, "--json").stdout)["parameters"] == 2 * block + 2 * 10 * 8 + 8
    (copy / "config.json").write_text(json.dumps(CONFIG | {"novel_splits_heads": True}))
    assert "novel_splits_heads is unknown for novel" in size(copy).stderr
    (copy / "config.json").write_text(json.dumps(CONFIG | {"model_type": "newer"}))
    assert ", novel, " in size(copy).stderr
