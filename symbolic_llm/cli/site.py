"""`pages` and `site`"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import subprocess
import sys
from pathlib import Path

from ..errors import InvalidValue, installed
from . import terminal
from .parsing import Output, whole

_PORT = 8000


def pages(options: argparse.Namespace) -> Output:
    """Write the pages into a folder."""
    with installed("the pages", "docs"):
        from ..pages.build import write
    out = Path(options.out)
    number = write(_docs(options), out)
    return 0, f"{number} files in {out}", {"out": str(out), "files": number}


def serve(options: argparse.Namespace) -> Output:
    """Build the site strictly, then serve it."""
    port = _port(options.port)
    docs = _docs(options)
    config = docs.parent / "mkdocs.yml"
    if not config.is_file():
        raise InvalidValue(f"{config} is missing; run this in a copy of the project, from which the site is built.")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    if subprocess.run(build, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False).returncode:
        raise InvalidValue("the site was not built; see the messages above.")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(docs.parent / "site"))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise InvalidValue(f"port {port} cannot be used: {error.strerror}; choose another with --port.") from error
    terminal.write(f"The site is at http://127.0.0.1:{server.server_port}/ (Ctrl-C stops serving)")
    with server:
        server.serve_forever()
    return 0, "", {}


def _docs(options: argparse.Namespace) -> Path:
    return Path(options.docs or "docs").resolve()


def _port(given: str | None) -> int:
    refused = "--port must be a whole number up to 65535, but {} was given."
    return _PORT if given is None else whole(given, 0, 65535, refused)
