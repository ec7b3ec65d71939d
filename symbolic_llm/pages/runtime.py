"""Python for the pages, from files that the site serves itself

`python -m symbolic_llm.pages.runtime FOLDER` fetches it: Pyodide by npm, SymPy by pip in the version that is installed
here. The package itself is packed when the pages are written, so what runs in a page is what the page was written with.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from ..errors import InvalidValue, MissingDependency

PLACE = "SYMBOLIC_LLM_PROMPT"  # names the folder; without it the pages have no prompt
PYODIDE = "314.0.7"
_CORE = ("pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_WHEELS = ("sympy", "mpmath")
_PACKAGE = Path(__file__).resolve().parent.parent
_LEFT_OUT = ("symbolic_llm/pages/", "symbolic_llm/this_machine/", "symbolic_llm/measurements/")
_PACKED = (".py", ".toml", ".json")
_WRITTEN = (1980, 1, 1, 0, 0, 0)  # a zip has dates, and two builds are the same


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The names and contents of what a page loads to run Python.

    Raises:
        InvalidValue: for a folder that does not hold it.
    """
    for name in (*_CORE, *(f"{wheel}.whl" for wheel in _WHEELS)):
        if not (folder / name).is_file():
            raise InvalidValue(f"{folder} has no {name}; python -m symbolic_llm.pages.runtime {folder} fetches it.")
        yield name, (folder / name).read_bytes()
    yield "symbolic_llm.zip", packed()


def packed() -> bytes:
    """Zip archive of the package without what writes pages, times machines or reads measurements: no page does."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_PACKAGE.rglob("*")):
            name = path.relative_to(_PACKAGE.parent).as_posix()
            if path.suffix in _PACKED and not name.startswith(_LEFT_OUT):
                archive.writestr(zipfile.ZipInfo(name, _WRITTEN), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return content.getvalue()


def fetch(folder: Path) -> None:
    """Fetch Pyodide and the wheels into a folder.

    Raises:
        MissingDependency: without npm or pip, or where they find nothing.
    """
    if (npm := shutil.which("npm")) is None:
        raise MissingDependency("npm is needed once, to fetch Pyodide.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        _run([npm, "pack", "--silent", "--fetch-retries=1", f"pyodide@{PYODIDE}"], place)
        wheels = [f"{name}=={version(name)}" for name in _WHEELS]
        _run([sys.executable, "-m", "pip", "download", "--quiet", "--retries=1", "--no-deps", *wheels], place)
        with tarfile.open(next(Path(place).glob("pyodide-*.tgz"))) as archive:
            for name in _CORE:
                member = archive.extractfile(f"package/{name}")
                if member is not None:
                    (folder / name).write_bytes(member.read())
        for name in _WHEELS:
            shutil.copyfile(next(Path(place).glob(f"{name}-*.whl")), folder / f"{name}.whl")


def _run(command: list[str], place: str) -> None:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise MissingDependency(f"{Path(command[0]).name} did not fetch {command[-1]}: {lines[-1]}.")


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
