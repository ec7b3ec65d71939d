"""What the workers of one test run share"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
FINDINGS = Path(tempfile.gettempdir()) / f"symbolic_llm-{RUN}"  # of all its processes
KEEPING = {"SYMBOLIC_LLM_CACHE": str(FINDINGS)}
