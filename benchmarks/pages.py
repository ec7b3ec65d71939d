"""The site: how long its build takes, and how long the page takes to open that takes longest of the largest

Beside each time stands what nobody can be quicker than: the same theme around one empty page, and an empty page in the
same browser. Run alone, it prints its rows.
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from row import Row

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPENED = """async () => {
  await document.fonts.ready;
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  const full = performance.now();
  const first = await new Promise((seen) => new PerformanceObserver((entries) =>
    entries.getEntriesByName("first-contentful-paint").forEach((entry) => seen(entry.startTime))
  ).observe({ type: "paint", buffered: true }));
  return [first / 1000, full / 1000];
}"""
LARGEST = 6  # pages that are opened
EMPTY = "<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>x</title><p>x"


def rows(repeat: int = 5) -> list[Row]:
    """Rows of what is measured, with ours, what stands beside it, and the limit; best of some.

    Without Chromium only the build is measured.
    """
    with tempfile.TemporaryDirectory() as place:
        ours, bare = Path(place, "site"), Path(place, "bare")
        built(ROOT, ours)  # what is kept of a build is there afterwards
        found = [Row("strict build, verdicts kept", built(ROOT, ours), built(_bare(bare), bare / "site"), 8.0)]
        if CHROMIUM is None:
            return found
        (ours / "empty.html").write_text(EMPTY, encoding="utf-8")
        by_size = sorted(ours.rglob("*.html"), key=lambda page: -page.stat().st_size)
        largest = [str(page.relative_to(ours)) for page in by_size[:LARGEST]]
        index = (ours / "search" / "search_index.json").stat().st_size
        with served(ours) as address, browser() as chromium:
            times = [(*opened(chromium, f"{address}/{page}", repeat)[:2], page) for page in largest]
            first, full, longest = max(times, key=lambda one: one[1])
            empty_first, empty_full, _ = opened(chromium, f"{address}/empty.html", repeat)
            *_, asked = opened(chromium, f"{address}/{longest}", 1, quiet=True)
        fetched = any(url.endswith("search_index.json") for url in asked)
        return [
            *found,
            Row(f"first text of {longest}", first, empty_first, 0.3),
            Row(f"all of {longest}", full, empty_full, 0.7),
            Row(f"search index of {index // 1000} kB, fetched on opening", float(fetched), 0, 0),
        ]


def built(project: Path, to: Path) -> float:
    """Seconds of a strict build in a fresh process."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(to)]
    subprocess.run(command, cwd=project, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    return time.perf_counter() - start


def _bare(folder: Path) -> Path:
    """A project of one page in the same theme."""
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "index.md").write_text("# x\n", encoding="utf-8")
    (folder / "mkdocs.yml").write_text("site_name: x\ntheme: {name: material, font: false}\n", encoding="utf-8")
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Served(http.server.ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Say nothing: a page that is left breaks off what it still loads."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder over http."""
    with _Served(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            chromium_sandbox=False,
            args=["--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"],
        )
        yield chromium
        chromium.close()


def opened(chromium: Any, url: str, repeat: int, *, quiet: bool = False) -> tuple[float, float, list[str]]:
    """Seconds to the first text and to everything, best of some with nothing cached, and the requests of the last.

    If it is to be `quiet` at the end, requests that come later than that are waited for.
    """
    times, asked = [], list[str]()
    for _ in range(repeat):
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        page, asked = context.new_page(), []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(url, wait_until="networkidle" if quiet else "load")
        times.append(page.evaluate(OPENED))
        context.close()
    return min(first for first, _ in times), min(full for _, full in times), asked


if __name__ == "__main__":
    for row in rows():
        print(row)
