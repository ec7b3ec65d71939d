"""A Markdown extension: `$…$` and `$$…$$` become MathML at build"""

from __future__ import annotations

from re import Match
from typing import Any

from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor

from symbolic_llm.render.html import mathml


class _Math(InlineProcessor):
    def handleMatch(self, m: Match[str], data: str) -> tuple[Any, int, int]:  # type: ignore[override]  # noqa: N802
        made = mathml(m.group(2), display=m.group(1) == "$$")
        return self.md.htmlStash.store(made), m.start(0), m.end(0)


class MathExtension(Extension):
    """Mathematics in dollars; unknown commands raise, so that bad LaTeX fails the build."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the pattern before emphasis and escapes are looked for."""
        md.inlinePatterns.register(_Math(r"(?<![\\$])(\$\$?)(?!\s)(.+?)(?<![\s\\])\1", md), "math", 185)
