"""Models of the Hugging Face Hub, by the name of a repository: its config.json and the headers of its tensor files

No weights are downloaded. Of each safetensors file eight bytes are asked for, which give the length of its header, and
then the header, which lists tensors with their formats and bytes. What was found is kept under the revision's hash, and
the config in the Hub's own cache, so that a second answer needs no network.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from ..cache import opened
from ..errors import InvalidModel, MissingDependency, SymbolicLLMError, listed, shown
from .config import read
from .stored_formats import Stored

if TYPE_CHECKING:
    from .model import Model

_NAME = re.compile(r"(?P<repository>\w[\w.-]{0,95}/\w[\w.-]{0,95})(@(?P<revision>[\w./-]{1,200}))?", re.ASCII)
_LARGEST_JSON = 2**24  # bytes of a config.json or an index; the largest index has some two million
_LARGEST_HEADER = 2**26
_MOST_FILES = 2**10
_AT_ONCE = 8  # files whose headers are asked for at a time
_WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_CALLED = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16"}


def is_repository(name: object) -> bool:
    """Whether a name can be that of a repository: two words with one slash between them, and no file of that name.

    What ends like a file is meant to be one.
    """
    if not isinstance(name, str) or not (found := _NAME.fullmatch(name)):
        return False
    return not found["repository"].lower().endswith((".json", ".gguf", ".toml")) and not os.path.exists(name)


def from_hub(name: str, revision: str | None = None) -> Model:
    """The model of a repository.

    Args:
        name: "Qwen/Qwen3-32B", or with a revision, "Qwen/Qwen3-32B@main".
        revision: a branch, a tag or a commit; the main branch if left out.

    Raises:
        InvalidModel: there is no such repository or revision, it is gated, the Hub cannot be reached, or what is there
            cannot be read as a model.
        MissingDependency: huggingface-hub is not installed.
    """
    from .families import build
    from .model import Model

    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidModel(f"'{shown(name)}' is not the name of a repository, such as Qwen/Qwen3-32B.")
    source = _Source(found["repository"], revision or found["revision"] or "main", _endpoint())
    with _answered(source):
        path, commit = source.config()
    called = source.repository + (f"@{source.revision}" if source.revision != "main" else "")
    title = f"{source.repository} of the Hub, revision {commit[:12]}"
    model = Model(called, title, **build(read(path, f"config.json of {called}")))
    row = opened("hub", "headers", frozenset())
    kept = f"{source.endpoint} {source.repository} {commit}"
    if (sums := row.rows.get(kept)) is None:
        with _answered(source):
            sums = source.tensors(commit)
        row.add({kept: sums})
    return replace(model, stored=_stored(model, {dtype: (numbers, n_bytes) for dtype, numbers, n_bytes in sums}))


def _stored(model: Model, held: dict[str, tuple[int, int]]) -> Stored | None:
    """Formats of the file's weights, from the numbers and bytes that it holds of each; what the config says else."""
    said = model.stored
    if not held or (said is not None and said.n_bytes is not None):
        return said
    names = listed([_CALLED.get(dtype, dtype.lower()) for dtype in sorted(held)])
    # a wrapper's file has what sees too, and a checkpoint layers that draft: in one format the model is in it as well
    if len(held) == 1 and (width := _WIDTHS.get(next(iter(held)))):
        return Stored(
            names,
            Fraction(model.parameters * width),
            Fraction(model.multiplied_parameters * width),
            tuple({part.place: Fraction(width) for part in model.parts}.items()),
        )
    numbers, n_bytes = (sum(sums) for sums in zip(*held.values(), strict=True))
    packed = not held.keys() <= _WIDTHS.keys()
    if numbers == model.parameters or (packed and said is not None and not model.is_text_part):
        return Stored(names, Fraction(n_bytes))
    return said or Stored(names)


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"


def _library() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
        import huggingface_hub.utils
    except ImportError:
        raise MissingDependency(
            "models of the Hugging Face Hub are read with huggingface-hub; install it with "
            "pip install 'symbolic-llm[hub]'."
        ) from None
    return huggingface_hub


@dataclass(frozen=True)
class _Source:
    """A repository as it is asked for."""

    repository: str
    revision: str
    endpoint: str

    def __str__(self) -> str:
        return self.repository

    def config(self) -> tuple[str, str]:
        """The path of its config.json in the Hub's cache, and the commit that it is of."""
        return self._file("config.json", self.revision, most=_LARGEST_JSON)

    def _file(self, name: str, revision: str, most: int) -> tuple[str, str]:
        hub = _library()
        url = hub.hf_hub_url(self.repository, name, revision=revision, endpoint=self.endpoint)
        offline = hub.constants.is_offline_mode()
        if not offline:
            try:
                about = hub.get_hf_file_metadata(url, timeout=10)
            except hub.errors.HfHubHTTPError:
                raise
            except Exception as error:  # whatever its library for the network raises, which is not ours to import
                if not _of_network(error):
                    raise
                offline = True  # what was asked for before is answered all the same
            else:
                if about.size is None or about.size > most:
                    raise InvalidModel(f"{self}: its {name} is too large to be one.")
        path = hub.hf_hub_download(
            self.repository, name, revision=revision, endpoint=self.endpoint, local_files_only=offline
        )
        return path, os.path.basename(os.path.dirname(path))

    def tensors(self, commit: str) -> list[tuple[str, int, int]]:
        """Formats of its tensors, with how many numbers each holds and in how many bytes; none without safetensors."""
        hub = _library()
        about = hub.HfApi(endpoint=self.endpoint).model_info(self.repository, revision=commit, timeout=10)
        names = [one.rfilename for one in about.siblings or () if one.rfilename.endswith(".safetensors")]
        index = "model.safetensors.index.json"
        if any(one.rfilename == index for one in about.siblings or ()):
            path, _ = self._file(index, commit, most=_LARGEST_JSON)
            names = self._shards(path, names)
        else:
            names = [name for name in names if name == "model.safetensors"]
        held: dict[str, Counter[str]] = {"numbers": Counter(), "bytes": Counter()}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for header in pool.map(lambda name: self._header(name, commit), names):
                for dtype, numbers, n_bytes in header:
                    held["numbers"][dtype] += numbers
                    held["bytes"][dtype] += n_bytes
        return [(dtype, held["numbers"][dtype], held["bytes"][dtype]) for dtype in sorted(held["numbers"])]

    def _shards(self, path: str, names: list[str]) -> list[str]:
        """The files that an index names, each of which has to be there."""
        with open(path, "rb") as file:
            try:
                said = json.loads(file.read(_LARGEST_JSON + 1))["weight_map"]
                shards = sorted({*said.values()})
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
                raise InvalidModel(f"{self}: its index of tensors is not one.") from None
        if not {*shards} <= {*names} or len(shards) > _MOST_FILES:
            raise InvalidModel(f"{self}: its index of tensors names files that are not there.")
        return shards

    def _header(self, name: str, commit: str) -> list[tuple[str, int, int]]:
        """Formats, numbers and bytes of the tensors of one file."""
        length = int.from_bytes(self.part(name, commit, 0, 8), "little")
        if not 2 <= length <= _LARGEST_HEADER:
            raise InvalidModel(f"{self}: {shown(name)} does not begin like a safetensors file.")
        try:
            table = json.loads(self.part(name, commit, 8, length))
            return [_tensor(table[key]) for key in table if key != "__metadata__"]
        except (ValueError, RecursionError, KeyError, TypeError):
            raise InvalidModel(f"{self}: the header of {shown(name)} is not one of a safetensors file.") from None

    def part(self, name: str, commit: str, first: int, count: int) -> bytes:
        """So many bytes of a file from one place on, and no more, whatever the server sends."""
        hub = _library()
        url = hub.hf_hub_url(self.repository, name, revision=commit, endpoint=self.endpoint)
        headers = {**hub.utils.build_hf_headers(), "Range": f"bytes={first}-{first + count - 1}"}
        found = bytearray()
        with hub.utils.get_session().stream("GET", url, headers=headers, follow_redirects=True, timeout=30) as answer:
            hub.utils.hf_raise_for_status(answer)
            if answer.status_code != 206:
                raise InvalidModel(f"{self}: the server sends no parts of {shown(name)}, only all of it.")
            for piece in answer.iter_bytes():
                found += piece
                if len(found) >= count:
                    break
        if len(found) < count:
            raise InvalidModel(f"{self}: {shown(name)} ends in the middle of its header.")
        return bytes(found[:count])


def _tensor(entry: dict[str, Any]) -> tuple[str, int, int]:
    """Format, numbers and bytes of a tensor that a header lists; `ValueError` if it is none."""
    dtype, shape, (first, last) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or not re.fullmatch(r"[A-Z][A-Z0-9_]{1,20}", dtype):
        raise ValueError(dtype)
    if not all(type(number) is int and 0 <= number < 2**48 for number in (*shape, first, last)) or last < first:
        raise ValueError(shape)
    return dtype, prod(shape), last - first


def _of_network(error: Exception) -> bool:
    """Whether an error says that the other side was not reached, in whatever library for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, OSError) or not names.isdisjoint({"TransportError", "RequestError", "ConnectionError"})


@contextmanager
def _answered(source: _Source) -> Iterator[None]:
    """Say in one sentence why the Hub gives no answer."""
    errors = _library().errors
    says: tuple[tuple[type[Exception], str], ...] = (
        (
            errors.GatedRepoError,
            "is gated: accept its terms on its page and log in with hf auth login, then ask again",
        ),
        (
            errors.RepositoryNotFoundError,
            "is neither a repository of the Hub that can be read nor a file; symbolic-llm presets lists models by name",
        ),
        (errors.RevisionNotFoundError, f"has no revision '{shown(source.revision)}'"),
        (
            errors.LocalEntryNotFoundError,
            "was not read before, and the Hub cannot be reached; symbolic-llm presets lists models without it",
        ),
        (errors.OfflineModeIsEnabled, "was not read before, and the Hub is switched off (HF_HUB_OFFLINE)"),
        (errors.EntryNotFoundError, "has no config.json, so it is no model that can be read"),
    )
    try:
        yield
    except SymbolicLLMError:
        raise
    except Exception as error:  # its library for the network has errors of its own, which are not ours to import
        for kind, why in says:
            if isinstance(error, kind):
                raise InvalidModel(f"{source} {why}.") from None
        if isinstance(error, errors.HfHubHTTPError):
            status = getattr(error.response, "status_code", "no")
            raise InvalidModel(f"{source}: the Hub answers with status {status}.") from None
        if _of_network(error) or isinstance(error, errors.HFValidationError):
            raise InvalidModel(f"{source}: the Hub could not be reached ({type(error).__name__}).") from None
        raise
