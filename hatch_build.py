"""What the build of a wheel adds: the answers in letters, and the formulas as data, so that it answers without SymPy"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Answers(BuildHookInterface):  # type: ignore[misc]
    """Asks every question once; it takes a minute or two."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the answers and put them into the wheel; an editable install has none, since its sources change."""
        if version == "editable":
            return
        path = Path(self.directory, "answers.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "symbolic_llm.cli.store_answers", str(path)], cwd=self.root, check=True)
        build_data["force_include"][str(path)] = "symbolic_llm/stored/answers.txt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing beside the wheel."""
        Path(self.directory, "answers.txt").unlink(missing_ok=True)
