"""Code that the commands share: parsers whose complaints are sentences, letters and presets as they are typed"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any, NoReturn

from ..errors import InvalidValue, option, shown, unknown_name
from ..presets.presets import NAMES, Presets
from . import terminal

Output = tuple[int, str, Any]  # exit code, text, the same for --json


# as argparse says that a value is missing, or one too many
_VALUE = r"(?:expected one argument|ignored explicit argument (?P<value>.*))"
_OF_OPTION = re.compile(rf"argument (?P<option>--[\w-]+): {_VALUE}")


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        """Raise the complaint as one sentence."""
        if said := _OF_OPTION.fullmatch(message):
            option, value = said["option"], said["value"]
            how = "needs a value" if value is None else f"takes no value, but {shown(value)} was given"
            raise InvalidValue(f"{option} {how} (see {self.prog} --help).")
        raise InvalidValue(f"{message[:1].lower()}{shown(message[1:], 400)} (see {self.prog} --help).")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or the version as any answer is written: all of it, or the error that says why not."""
        terminal.write(message.removesuffix("\n"))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise unknown_name("command", value, action.choices)


class Examples(argparse.HelpFormatter):
    """Help in which the examples keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("examples:") else super()._fill_text(text, width, indent)


class Once(argparse.Action):
    """An option that may be given once, and with a value."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Set the value; refuse a second one, and an empty one, as an unset variable of a shell leaves."""
        if values == "":
            raise InvalidValue(f"{option_string} needs a value.")
        if getattr(namespace, self.dest) is not None:
            raise InvalidValue(f"{option_string} was given twice.")
        setattr(namespace, self.dest, values)


class PrintCompletion(argparse.Action):
    """An option that prints the script with which a shell completes command lines, and ends."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Print it; refuse a shell for which there is none."""
        terminal.write(import_module(".completion", __package__).script(parser, values))
        parser.exit()


def given(options: argparse.Namespace, names: int | None) -> tuple[list[str], dict[str, str], Presets]:
    """Plain names, at most so many, then letters and presets; presets may be written like letters too."""
    plain: list[str] = []
    letters: dict[str, str] = {}
    preset: dict[str, str | None] = {name: getattr(options, name) for name in NAMES}
    for argument in options.arguments:
        name, equals, value = argument.partition("=")
        if not equals and (names is None or len(plain) < names):
            plain.append(name)
        elif not equals:
            from ..notation import called  # only mistakes need it

            if called(argument):
                raise InvalidValue(f"'{shown(argument)}' has no value; write it as {shown(argument)}=VALUE.")
            raise InvalidValue(f"'{shown(argument)}' is neither an option nor a letter with a value, as in N=4096.")
        elif name in letters or (name in preset and preset[name] is not None):
            raise InvalidValue(f"{shown(name)} was given twice.")
        elif name in preset:
            preset[name] = value
        else:
            letters[name] = value
    return plain, letters, Presets(**preset)


def typed(name: str) -> str:
    """An option as it is typed, by the name of its value."""
    return f"--{name.replace('_', '-')}"


def asked(options: argparse.Namespace, function: Callable[..., object]) -> dict[str, Any]:
    """Options that were given, by the names of a function's arguments."""
    named = (name for name in signature(function).parameters if name in options)
    return {name: given for name in named if (given := getattr(options, name)) is not None}


def with_units(options: argparse.Namespace, needed: str = "a unit", **examples: str) -> None:
    """Refuse plain numbers where rates or times are asked for: seconds, or bytes a second, are never meant.

    Raises:
        InvalidValue: in one sentence, with an example.
    """
    from ..presets.parse_value import PLAIN_NUMBER

    for name, example in examples.items():
        if PLAIN_NUMBER.fullmatch(value := getattr(options, name) or ""):
            raise InvalidValue(f"{option(name)} needs {needed}, as in '{example}', but '{shown(value)}' was given.")


def whole(value: str, least: int, most: int, refused: str) -> int:
    """A whole number as it was typed; `InvalidValue` where it is none, or too small or large, with `refused` filled."""
    if not value.isascii() or not value.isdigit() or not least <= int(value[:20]) <= most:
        raise InvalidValue(refused.format(f"'{shown(value)}'"))
    return int(value)


def axis(name: str, value: str) -> str | list[str]:
    """List of values if there are commas between them, else the value itself; numbers are written without commas."""
    if "," not in value:
        return value
    found = [part.strip() for part in value.split(",")]
    if not all(found):
        raise InvalidValue(f"{name} has an empty value in the list {shown(value)}.")
    return found
