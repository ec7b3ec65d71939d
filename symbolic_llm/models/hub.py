"""Models of the Hugging Face Hub, by the name of a repository: its config.json and the headers of its tensor files

No weights are downloaded. Of each safetensors file eight bytes are asked for, which give the length of its header, and
then the header, which lists tensors with their formats and bytes. What was found is kept under the revision's hash, and
the config in the Hub's own cache, so that a second answer needs no network.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cache import opened
from ..errors import InvalidModel, listed, shown
from .config import read
from .gguf import model_of, parts_of
from .gguf_header import Header, read_header
from .hub_repository import Repository, answered, endpoint_now, of_network
from .stored_formats import Stored

if TYPE_CHECKING:
    from .model import Model

_NAME = re.compile(
    r"(?P<repository>\w[\w.-]{0,95}/\w[\w.-]{0,95})(@(?P<revision>[\w./-]{1,200}))?(:(?P<file>[\w./-]{1,200}))?",
    re.ASCII,
)
_PIECE = 2**21  # bytes of a GGUF file that are asked for at a time
_WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_CALLED = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16"}


def is_repository(name: object) -> bool:
    """Whether a name can be that of a repository: two words with one slash between them, and no file of that name.

    What ends like a file is meant to be one.
    """
    if not isinstance(name, str) or not (found := _NAME.fullmatch(name)):
        return False
    return not found["repository"].lower().endswith((".json", ".gguf", ".toml")) and not os.path.exists(name)


def from_hub(made: type[Model], name: str, revision: str | None = None) -> Model:
    """The model of a repository.

    Args:
        made: the class `Model`, which itself reads repositories.
        name: "Qwen/Qwen3-32B"; with a revision, "Qwen/Qwen3-32B@main"; with the format of one of several GGUF files, or
            its name, "unsloth/Qwen3-32B-GGUF:Q4_K_M".
        revision: a branch, a tag or a commit; the main branch if left out.

    Raises:
        InvalidModel: there is no such repository or revision, it is gated, the Hub cannot be reached, or what is there
            cannot be read as a model.
        MissingDependency: huggingface-hub is not installed.
    """
    from .families import build

    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidModel(f"'{shown(name)}' is not the name of a repository, such as Qwen/Qwen3-32B.")
    source = Repository(found["repository"], revision or found["revision"] or "main", endpoint_now())
    if found["file"]:
        return _of_gguf(made, source, found["file"])
    with answered(source):
        path, commit = source.config()
    title = f"{source.repository} of the Hub, revision {commit[:12]}"
    model = made(source.called, title, **build(read(path, f"config.json of {source.called}")))
    row = opened("hub", "headers", frozenset())
    kept = f"{source.endpoint} {source.repository} {commit}"
    if (sums := row.rows.get(kept)) is None:
        with answered(source):
            sums = source.tensors(commit)
        row.add({kept: sums})
    return replace(model, stored=_stored(model, {dtype: (numbers, n_bytes) for dtype, numbers, n_bytes in sums}))


def _of_gguf(made: type[Model], source: Repository, asked: str) -> Model:
    """The model of a GGUF file of the repository, whose header is asked for in pieces, and kept."""
    rows = opened("hub", "headers", frozenset())
    kept = f"{source.endpoint} {source.repository} {source.revision} {asked}"
    row = rows.rows.get(kept)
    with answered(source):
        try:
            commit, names = source.files()
        except Exception as error:  # whatever its library for the network raises, which is not ours to import
            if row is None or not of_network(error):
                raise
            commit = row[0]
        if row is None or row[0] != commit:
            headers = [_header(source, name, commit) for name in parts_of(_file(source, asked, names))]
            row = [commit, [[header.values, header.tensors] for header in headers]]
            rows.add({kept: row})
    called = f"{source.called}:{asked}"
    headers = [
        Header(called, values, {name: (tuple(shape), *others) for name, (shape, *others) in tensors.items()}, 0)
        for values, tensors in row[1]
    ]
    return model_of(made, headers, called, f"{called} of the Hub, revision {commit[:12]}")


def _file(source: Repository, asked: str, names: list[str]) -> str:
    """The one GGUF file that is called so, or has this format in its name; of one in parts the first."""
    files = {
        parts_of(name)[0]: name for name in names if name.lower().endswith(".gguf") and "mmproj" not in name.lower()
    }
    if asked in files:
        return asked
    part = re.compile(rf"(^|[-_./]){re.escape(asked)}([-./]|$)", re.IGNORECASE)
    fitting = sorted(name for name in files if part.search(name))
    if len(fitting) == 1:
        return fitting[0]
    if not files:
        raise InvalidModel(f"{source} has no GGUF files.")
    which = fitting or sorted(files)
    more = f" and {len(which) - 12} more" if len(which) > 12 else ""
    raise InvalidModel(
        f"{source} has {'several GGUF files' if fitting else 'no GGUF file'} of that name, {shown(asked)}; "
        f"choose from {listed([shown(name) for name in which[:12]])}{more}."
    )


def _header(source: Repository, name: str, commit: str) -> Header:
    """The header of a GGUF file, with what of its metadata speaks of shapes."""
    header = read_header(_pieces(source, name, commit), f"{source}: {shown(name)}")
    architecture = header.values.get("general.architecture")
    about = {key: one for key, one in header.values.items() if key.startswith(f"{architecture}.")}
    return replace(header, values={"general.architecture": architecture, **about})


def _pieces(source: Repository, name: str, commit: str) -> Callable[[int], bytes]:
    """A function that reads on in a file, of which it asks for a piece at a time."""
    buffer, place, ended = bytearray(), 0, False

    def read_on(count: int) -> bytes:
        nonlocal place, ended
        while len(buffer) < count and not ended:
            asked = max(_PIECE, count - len(buffer))
            piece = source.part(name, commit, place, asked, least=0)
            ended = len(piece) < asked
            place += len(piece)
            buffer.extend(piece)
        found = bytes(buffer[:count])
        del buffer[:count]
        return found

    return read_on


def _stored(model: Model, held: dict[str, tuple[int, int]]) -> Stored | None:
    """Formats of the file's weights, from the numbers and bytes that it holds of each; what the config says else."""
    said = model.stored
    if not held or (said is not None and said.n_bytes is not None):
        return said
    names = listed([_CALLED.get(dtype, dtype.lower()) for dtype in sorted(held)])
    # a wrapper's file has what sees too, and a checkpoint layers that draft: in one format the model is in it as well
    if len(held) == 1 and (width := _WIDTHS.get(next(iter(held)))):
        return Stored.by_place(names, model.parts, dict.fromkeys((part.place for part in model.parts), Fraction(width)))
    numbers, n_bytes = (sum(sums) for sums in zip(*held.values(), strict=True))
    packed = not held.keys() <= _WIDTHS.keys()
    if numbers == model.parameters or (packed and said is not None and not model.is_text_part):
        return Stored(names, Fraction(n_bytes))
    return said or Stored(names)
