"""What the build of a wheel adds: the answers in letters, and the formulas as data, so that it answers without SymPy"""

from __future__ import annotations

import shutil
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
        folder = Path(self.directory, "answers")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "symbolic_llm.cli.store_answers", str(folder)], cwd=self.root, check=True)
        (path,) = folder.iterdir()
        build_data["force_include"][str(path)] = f"symbolic_llm/cache/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing beside the wheel."""
        shutil.rmtree(Path(self.directory, "answers"), ignore_errors=True)
