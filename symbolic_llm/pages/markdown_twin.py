"""Plain Markdown of a page: its twin, which is read without a site generator

Asides become quotations, what a directive would document is written out from its docstrings, attributes go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from textwrap import dedent, indent
from typing import Any

from .kept_pieces import made

_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
_INDENTED = r"((?:^(?: {4}.*)?\n)*)"
_ASIDE = re.compile(rf'^(?:!!!|\?\?\?\+?) *(\w+)(?: +"([^"\n]*)")?\n{_INDENTED}', re.MULTILINE)
_DIRECTIVE = re.compile(rf"^::: ([\w.]+)\n{_INDENTED}", re.MULTILINE)
_LEVEL = re.compile(r"heading_level: (\d)")
_MEMBERS = re.compile(r"members: \[([^\]]*)\]")
_EXAMPLE = re.compile(r"(?:^>>>.*\n?)(?:^.+\n?)*", re.MULTILINE)
_ATTRIBUTES = re.compile(r" *\{:? *[#.][^}\n]*\}")


def plain(text: str) -> str:
    """A page without what only a site generator understands."""
    written = _DIRECTIVE.sub(_documented, _ASIDE.sub(_aside, text))
    parts = _CODE.split(written)
    parts[::2] = (_ATTRIBUTES.sub("", part) for part in parts[::2])
    return re.sub(r"[ \t]+$", "", "".join(parts), flags=re.MULTILINE)


def _aside(found: re.Match[str]) -> str:
    inside = f"**{found[2] or found[1].capitalize()}**\n\n{dedent(found[3]).strip()}"
    return indent(inside, "> ", lambda _: True).replace("> \n", ">\n") + "\n\n"


def _documented(found: re.Match[str]) -> str:
    return made(lambda: _written_out(found), found[0])


def _written_out(found: re.Match[str]) -> str:
    level = int(one[1]) if (one := _LEVEL.search(found[2])) else 2
    members = [name.strip() for name in one[1].split(",")] if (one := _MEMBERS.search(found[2])) else None
    thing = _loader(found[1].partition(".")[0]).modules_collection[found[1]]
    return "\n\n".join(_about(thing, level, members)) + "\n\n"


@cache
def _loader(package: str) -> Any:
    import griffe  # only where it was not written out before

    class Finder(griffe.ModuleFinder):
        def submodules(self, module: Any) -> Any:  # all but the formulas, which are half of them and have pages
            return [found for found in super().submodules(module) if "formulas" not in found[0]]

    options = {"returns_multiple_items": False, "warnings": False}
    loader = griffe.GriffeLoader(docstring_parser="google", docstring_options=options)  # type: ignore[arg-type]
    loader.finder = Finder()
    loader.load(package)
    return loader


def _about(thing: Any, level: int, members: list[str] | None) -> Iterator[str]:
    """Markdown of a module, class or function: a heading, its docstring, and likewise of its members."""
    yield f"{'#' * level} `{_signature(thing)}`"
    yield from map(_section, thing.docstring.parsed if thing.docstring else ())
    held = thing.all_members if thing.is_class else thing.members
    names = members or [name for name, one in held.items() if not one.is_alias and _shown(one)]
    for name in names:
        yield from _about(held[name], level + 1, None)


def _shown(thing: Any) -> bool:
    return thing.is_public and thing.docstring is not None and (thing.is_class or thing.is_function)


def _signature(thing: Any) -> str:
    return str(thing.signature()) if thing.is_function else str(thing.path if thing.is_module else thing.name)


def _section(part: Any) -> str:
    """A part of a docstring; a list of parameters, results or errors as one."""
    if part.kind.value == "text":
        return _EXAMPLE.sub(lambda found: f"```python\n{found[0].strip()}\n```\n", str(part.value)).strip()
    if part.kind.value == "examples":
        return "\n\n".join(f"```python\n{text}\n```" if kind.value == "examples" else text for kind, text in part.value)
    lines = (f"- {_named(one)}{_priced(' '.join(one.description.split()))}" for one in part.value)
    return f"{part.kind.value.capitalize()}:\n\n" + "\n".join(lines)


def _priced(text: str) -> str:
    """Text with its dollars escaped but for code, so that a price is not read as mathematics."""
    parts = _CODE.split(text)
    parts[::2] = (part.replace("$", r"\$") for part in parts[::2])
    return "".join(parts)


def _named(one: Any) -> str:
    name = getattr(one, "name", "") or getattr(one, "annotation", "")
    return f"`{name}`: " if name else ""
