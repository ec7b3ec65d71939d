"""The built site, a browser, and everything that goes wrong on a page"""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sessions import keeping, prompting

ROOT = Path(__file__).parent.parent
CHROMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first paints no window
CHROMIUM = next(filter(None, map(shutil.which, CHROMES)), None)
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MODES: dict[str, dict[str, Any]] = {  # each differs from the one before in one thing, which alone is drawn anew
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
LOCAL = ("file:", "data:", "blob:", "http://127.0.0.1:")
# What changes is in its place at once; said before a page is loaded, since later all of it would get its looks anew.
STILL = """const still = new CSSStyleSheet();
still.replaceSync("*, ::before, ::after { transition: none !important }");
document.adoptedStyleSheets = [still];"""
SCHEMES = {"light": "default", "dark": "slate"}  # what the theme calls them
DRAWN = """async (scheme) => {
  const drawn = () => [undefined, scheme].includes(document.body.dataset.mdColorScheme);
  for (let frames = 0; frames < 60 && !drawn(); frames++) await new Promise(requestAnimationFrame);
  return drawn();
}"""
SEEN = """async (scheme) => {
  await document.fonts.ready;
  const drawn = await (DRAWN)(scheme);
  const wide = [...document.querySelectorAll("article *")].find((part) =>
    part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX) &&
    getComputedStyle(part).backgroundImage === "none" && !part.closest("pre, code, svg"));
  const { scrollWidth } = document.documentElement;
  return [drawn, document.body.innerText, scrollWidth, innerWidth, wide?.outerHTML.slice(0, 80)];
}""".replace("DRAWN", DRAWN)
RAW_LATEX = re.compile(  # a shell that is asked for an exit code is none, nor is the marker that authors are shown
    r"\\(?:frac|text|left|right|cdot|max|begin|mathrm)\b|(?!^\$ echo \$\?$)\$[^$\n]*\$|<!--(?! claim:)|\{\{|\{%",
    re.MULTILINE,
)


def build(folder: Path) -> Path:
    """Build the site into a folder; a warning is an error."""
    environment = os.environ | keeping() | prompting() | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stderr
    return folder


def pages(site: Path) -> list[str]:
    """Every page of the site."""
    return sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")


@contextmanager
def chromium() -> Iterator[Any]:
    """Headless Chromium; where there is none the test is skipped, unless REQUIRE_CHROMIUM is set."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_CHROMIUM"):
            pytest.fail("REQUIRE_CHROMIUM is set, and there is no Chromium")
        pytest.skip("needs Chromium; apt-get install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=False, args=FLAGS)
        yield started
        started.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that does not talk."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder over http."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Tab:
    """A page of the browser, used for all pages, with a record of everything that goes wrong on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.mode = ""
        self.wrong: list[str] = []
        page.add_init_script(STILL)
        page.on("console", lambda m: m.type in ("error", "warning") and self.note(f"console {m.type}: {m.text}"))
        page.on("pageerror", lambda error: self.note(f"page error: {error}"))
        page.on("requestfailed", lambda request: self.note(f"failed: {request.url}"))
        page.on("response", lambda r: r.status >= 400 and self.note(f"status {r.status}: {r.url}"))
        page.on("request", lambda r: r.url.startswith(LOCAL) or self.note(f"remote: {r.url}"))
        self.waits_for: set[Any] = set()
        page.on("request", lambda r: self.waits_for.add(r))
        page.on("requestfinished", lambda r: self.waits_for.discard(r))
        page.on("requestfailed", lambda r: self.waits_for.discard(r))

    def note(self, what: str) -> None:
        """Something is wrong."""
        self.wrong.append(what)

    def ask_for(self, mode: str) -> None:
        """Have the system ask for a size, and for light or dark, where it does not: each is a layout of its own."""
        before, now = MODES.get(self.mode, {}), MODES[mode]
        if before.get("viewport") != now["viewport"]:
            self.page.set_viewport_size(now["viewport"])
        if before.get("color_scheme") != now["color_scheme"]:
            self.page.emulate_media(color_scheme=now["color_scheme"])
        self.mode = mode

    @property
    def scheme(self) -> str:
        """The theme's name for the colours that are asked for."""
        return SCHEMES[MODES[self.mode]["color_scheme"]]

    def is_drawn(self) -> bool:
        """Whether the page is as it is asked for, light or dark, a moment after that."""
        return bool(self.page.evaluate(DRAWN, self.scheme))

    def problems(
        self, url: str, modes: Iterable[str] = ("light",), also: Callable[[str], object] = lambda mode: None
    ) -> list[str]:
        """Open a page, look at it in each mode, and say everything that is wrong with it; also ask something else.

        Modes are taken from the end that is the mode of the page before, which would otherwise be laid out anew.
        """
        self.wrong = found = []
        modes = [*modes]
        for place, mode in enumerate(reversed(modes) if modes[-1] == self.mode else modes):
            self.ask_for(mode)
            if place == 0:
                self.page.goto(url, wait_until="load")
            drawn, text, width, window, wide = self.page.evaluate(SEEN, self.scheme)
            if not drawn:
                found.append(f"{mode}: drawn in the colours of another")
            if wide:
                found.append(f"{mode}: cut off without a sign that it scrolls: {wide}")
            if match := RAW_LATEX.search(text):
                found.append(f"{mode}: raw LaTeX: {match.group()}")
            if width > window:
                found.append(f"{mode}: {width} px wide in a window of {window}")
            also(mode)
        self.settle()
        return found

    def settle(self) -> None:
        """Wait for what the page still loads, and would break off if it were left now."""
        while self.waits_for:
            self.page.wait_for_timeout(5)
