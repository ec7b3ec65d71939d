"""`mcp`: the commands as tools of the Model Context Protocol, over standard input and output

A tool is a command: what it takes is read off the command's parser, and what it answers is what the command prints, as
text and as data. Letters come as an object of numbers or texts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import __version__, interrupts
from ..errors import InvalidValue, SymbolicLLMError, installed, known_name, listed, shown, within_memory
from ..reports.answer_schemas import schema
from . import answered, parser
from .parsing import Output

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.types import CallToolResult

OFFERED = (
    *("solve", "evaluate", "explain", "sweep", "model", "plan"),
    *("list", "find", "show", "presets", "check", "audit"),
)
_ABOUT = (
    "Closed-form formulas for the cost of LLM inference: times, bytes, operations, batches. The tool model sizes a "
    "model on a machine, plan finds machines that meet latency targets, find finds formulas by words, list lists them, "
    "show explains one formula or letter, and presets lists models and machines. check checks the proof of formulas, "
    "and audit recomputes published figures or those of an article."
)
_LEFT_OUT = ("help", "json", "csv", "export", "watch")  # they write files, or never end
_AXES = ("sweep",)  # commands in which several values of a letter or a preset are an axis
_VALUE = {"type": ["string", "number"]}
_SEVERAL = {"type": ["string", "number", "array"], "items": _VALUE, "minItems": 1}
_AXIS = _SEVERAL | {"items": _VALUE | {"pattern": "^[^,]*$"}}
_SWITCH = {"type": "boolean", "default": False}
_NAME = "^[^=]*$"
_UNKNOWN = {
    "type": "string",
    "pattern": _NAME,
    "description": "the letter to solve for (default: the quantity that the formula computes)",
}
_CHECKED = {
    "type": ["string", "array"],
    "pattern": _NAME,
    "items": {"type": "string", "pattern": _NAME},
    "minItems": 1,
    "description": "the formulas to check, a name or several",
}
_BEFORE_LETTERS: dict[str, dict[str, Any]] = {
    "solve": {"unknown": _UNKNOWN},
    "check": {"names": _CHECKED},
}  # names that stand before letters
_LETTERS = 'values of letters, as numbers or as text with a unit: {"N": 4096, "F": "312 TFLOP/s"}'
_OF_AXES = '; several values make an axis: {"B": [1, 16, 256]}'


def serve(_: argparse.Namespace) -> Output:
    """Answer until the other side closes the connection."""
    interrupts.done()  # there is nothing to put in order, and what waits for messages would make a group of it
    with installed("mcp", "mcp"):
        import anyio
        from mcp.server.stdio import stdio_server

    async def run() -> None:
        served = server()
        async with stdio_server() as (incoming, outgoing):
            await served.run(incoming, outgoing, served.create_initialization_options())

    anyio.run(run)
    return 0, "", {}


def server() -> Server:
    """Server with the tools, and with the functions that list them and answer a call."""
    import anyio
    from mcp import types
    from mcp.server import Server

    listing = types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                description=command.description,
                input_schema=_schema(name, command),
                output_schema=_answer_schema(name),
                annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
            )
            for name, command in _commands().items()
        ]
    )
    one_at_a_time = anyio.CapacityLimiter(1)  # SymPy's caches are not for several threads

    async def tools(*_: Any) -> types.ListToolsResult:
        return listing

    async def call(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        # in a thread, so that the connection stays alive meanwhile
        return await anyio.to_thread.run_sync(_result, asked.name, asked.arguments or {}, limiter=one_at_a_time)

    return Server("symbolic-llm", version=__version__, instructions=_ABOUT, on_list_tools=tools, on_call_tool=call)


def _result(name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """Result of a call: the output of the command, as text and as data, or its complaint as the error of the tool."""
    from mcp import types

    try:
        with within_memory("this answer"):
            _, text, data = answered(_options(name, arguments))
        failed = False
    except SymbolicLLMError as error:
        text, data, failed = str(error), {"error": type(error).__name__, "message": str(error)}, True
    content: list[types.ContentBlock] = [types.TextContent(text=text)]
    structured = data if isinstance(data, dict) else {"result": data}  # the protocol wants an object
    return types.CallToolResult(content=content, structured_content=structured, is_error=failed)


def _commands() -> dict[str, argparse.ArgumentParser]:
    commands = next(action for action in parser()._actions if action.dest == "command").choices
    return {name: commands[name] for name in OFFERED}  # type: ignore[index]


def _schema(name: str, command: argparse.ArgumentParser) -> dict[str, Any]:
    """JSON schema of the arguments of a tool."""
    properties: dict[str, Any] = {}
    value = _AXIS if name in _AXES else _VALUE
    for action in _actions(command):
        if action.dest != "arguments":
            kind = _SWITCH if _switches(action) else _SEVERAL if _takes_files(action) else value
            properties[action.dest] = (_VALUE if _required(action) else kind) | {"description": action.help}
            continue
        properties.update(_BEFORE_LETTERS.get(name, {}))
        properties["letters"] = {
            "type": "object",
            "description": _LETTERS + _OF_AXES * (name in _AXES),
            "propertyNames": {"pattern": _NAME},
            "additionalProperties": value,
        }
    required = [action.dest for action in _actions(command) if _required(action)]
    return {
        "type": "object",
        "properties": properties,
        "required": [*required, *(["names"] if "names" in properties else [])],
        "additionalProperties": False,
    }


def _answer_schema(name: str) -> dict[str, Any]:
    """JSON schema of the answers of a tool, its complaints among them; the protocol wants objects."""
    known = schema(name, "error")
    answer: dict[str, Any] = {"$ref": f"#/$defs/{name}"}
    if known["$defs"][name]["type"] == "array":
        answer = {"required": ["result"], "properties": {"result": answer}}
    return {"type": "object", "anyOf": [answer, {"$ref": "#/$defs/error"}], "$defs": known["$defs"]}


def _actions(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    return (action for action in command._actions if action.dest not in _LEFT_OUT)


def _switches(action: argparse.Action) -> bool:
    """Whether an option takes no value, so that it is there or not."""
    return action.nargs == 0


def _takes_words(action: argparse.Action) -> bool:
    """Whether an argument is a phrase, which a shell cuts into words."""
    return action.dest == "words"


def _takes_files(action: argparse.Action) -> bool:
    return action.dest == "files"


def _required(action: argparse.Action) -> bool:
    return (bool(action.required) if action.option_strings else action.nargs in (None, "+")) and action.default is None


def _options(name: str, arguments: Mapping[str, Any]) -> argparse.Namespace:
    """Options of a command for the arguments of a call, as its parser would have read them."""
    commands = _commands()
    known_name("tool", name, commands)
    actions = list(_actions(commands[name]))
    known = list(_schema(name, commands[name])["properties"])
    if wrong := [given for given in arguments if given not in known]:
        takes = f"it takes {listed(known)}" if known else "it takes none"
        raise InvalidValue(f"{name} has no argument '{shown(wrong[0])}'; {takes}.")
    untyped = {one.dest: one.default for one in commands[name]._actions if one.default is not argparse.SUPPRESS}
    options = argparse.Namespace(command=name, run=commands[name].get_default("run"), **untyped)
    axes = name in _AXES
    for action in actions:
        if action.dest == "arguments":
            options.arguments = [*_names(name, arguments), *_letters(arguments.get("letters"), axes=axes)]
            continue
        given = arguments.get(action.dest)
        if given is None and _required(action):
            raise InvalidValue(f"{name} needs a value for {action.dest}: {action.help}.")
        setattr(options, action.dest, action.default if given is None else _read(action, given, axes=axes))
    return options


def _names(command: str, arguments: Mapping[str, Any]) -> list[str]:
    """Names that stand before the letters: what is to be solved for, or the formulas to check."""
    if arguments.get("unknown") is not None:
        return [_plain("unknown", arguments["unknown"])]
    if command != "check":
        return []
    if arguments.get("names") is None:
        raise InvalidValue("check needs a value for names: the formulas to check.")
    return _several("names", arguments["names"], _plain)


def _read(action: argparse.Action, given: Any, *, axes: bool) -> Any:
    """The value of an option, as the parser would have read it."""
    if _switches(action):
        if not isinstance(given, bool):
            raise InvalidValue(f"{action.dest} must be true or false, but {_kind(given)} was given.")
        return action.const if given else action.default
    if _takes_files(action):
        return _several(action.dest, given)
    if _takes_words(action):
        return [_text(action.dest, given)]
    return _axis(action.dest, given) if axes and not _required(action) else _text(action.dest, given)


def _letters(given: Any, *, axes: bool) -> Iterator[str]:
    if given is not None and not isinstance(given, dict):
        raise InvalidValue(f'letters must be an object such as {{"N": 4096}}, but {_kind(given)} was given.')
    read = _axis if axes else _text
    return (f"{_plain('a letter', name)}={read(name, value)}" for name, value in (given or {}).items())


def _several(name: str, given: Any, read: Callable[[str, Any], str] | None = None) -> list[str]:
    """A text, or several of them in a list, as texts."""
    if given == []:
        raise InvalidValue(f"{shown(name)} must not be empty.")
    return [(read or _text)(name, one) for one in (given if isinstance(given, list) else [given])]


def _axis(name: str, given: Any) -> str:
    """A value, or several of them, with commas between them as they would be typed."""
    values = _several(name, given)
    if isinstance(given, list) and (wrong := [one for one in values if "," in one]):
        raise InvalidValue(f"a value of {shown(name)} must have no comma in it, but '{shown(wrong[0])}' was given.")
    return ",".join(values)


def _plain(what: str, given: Any) -> str:
    """The name, if it is one that can stand before the equals sign in a command line; else `InvalidValue`."""
    if not isinstance(given, str) or "=" in given:
        raise InvalidValue(f"{what} must be a name, but {_kind(given)} was given.")
    return given


def _text(name: str, given: Any) -> str:
    """A number or a text, as it would be typed; JSON does not tell 64.0 from 64."""
    if isinstance(given, float) and given.is_integer() and abs(given) < 2**53:
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise InvalidValue(f"{shown(name)} must be a number or text, but {_kind(given)} was given.")
    try:
        return str(given)
    except ValueError:  # Python prints no integer of more than 4300 digits
        raise InvalidValue(f"{shown(name)} is {shown(given)}, which is too long to read.") from None


def _kind(given: Any) -> str:
    kinds = {dict: "an object", list: "a list", bool: "a truth value", type(None): "nothing"}
    return kinds.get(type(given)) or f"'{shown(given)}'"
