"""A repository of the Hugging Face Hub: its files, in pieces, and why there are none

The Hub is asked through huggingface-hub, which knows its addresses, its tokens and its cache. Whatever a server sends
is bounded before it is read.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

from ..errors import InvalidModel, MissingDependency, SymbolicLLMError, shown

_LARGEST_JSON = 2**24  # bytes of a config.json or an index; the largest index has some two million
_LARGEST_HEADER = 2**26
_MOST_FILES = 2**10
_AT_ONCE = 8  # files whose headers are asked for at a time


def endpoint_now() -> str:
    """The address of the Hub, or of the one that HF_ENDPOINT names."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"


def library() -> Any:
    """The package huggingface_hub; `MissingDependency` says how to install it."""
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
class Repository:
    """A repository as it is asked for.

    Attributes:
        repository: its name, "Qwen/Qwen3-32B".
        revision: a branch, a tag or a commit.
        endpoint: the address of the Hub.
    """

    repository: str
    revision: str
    endpoint: str

    def __str__(self) -> str:
        return self.repository

    @property
    def called(self) -> str:
        """Its name, with its revision where that is not the main branch."""
        return self.repository + (f"@{self.revision}" if self.revision != "main" else "")

    def config(self) -> tuple[str, str]:
        """The path of its config.json in the Hub's cache, and the commit that it is of."""
        return self._file("config.json", self.revision, most=_LARGEST_JSON)

    def _file(self, name: str, revision: str, most: int) -> tuple[str, str]:
        hub = library()
        url = hub.hf_hub_url(self.repository, name, revision=revision, endpoint=self.endpoint)
        offline = hub.constants.is_offline_mode()
        if not offline:
            try:
                about = hub.get_hf_file_metadata(url, timeout=10)
            except hub.errors.HfHubHTTPError:
                raise
            except Exception as error:  # whatever its library for the network raises, which is not ours to import
                if not of_network(error):
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
        hub = library()
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

    def files(self) -> tuple[str, list[str]]:
        """The commit of its revision, and the names of its files."""
        about = library().HfApi(endpoint=self.endpoint).model_info(self.repository, revision=self.revision, timeout=10)
        return about.sha, [one.rfilename for one in about.siblings or ()]

    def part(self, name: str, commit: str, first: int, count: int, *, least: int | None = None) -> bytes:
        """So many bytes of a file from one place on, and no more, whatever the server sends; `least` may be fewer."""
        hub = library()
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
        if len(found) < (count if least is None else least):
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


def of_network(error: Exception) -> bool:
    """Whether an error says that the other side was not reached, in whatever library for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, OSError) or not names.isdisjoint({"TransportError", "RequestError", "ConnectionError"})


@contextmanager
def answered(source: Repository) -> Iterator[None]:
    """Say in one sentence why the Hub gives no answer."""
    errors = library().errors
    says: dict[type[Exception], str] = {
        errors.GatedRepoError: "is gated: accept its terms on its page and log in with hf auth login, then ask again",
        errors.RepositoryNotFoundError: "is neither a repository of the Hub that can be read nor a file; symbolic-llm "
        "presets lists models by name",
        errors.RevisionNotFoundError: f"has no revision '{shown(source.revision)}'",
        errors.LocalEntryNotFoundError: "was not read before, and the Hub cannot be reached; symbolic-llm presets "
        "lists models without it",
        errors.OfflineModeIsEnabled: "was not read before, and the Hub is switched off (HF_HUB_OFFLINE)",
        errors.EntryNotFoundError: "has no config.json; if it has GGUF files, name the format of one, as in "
        f"{source.repository}:Q4_K_M",
    }
    try:
        yield
    except SymbolicLLMError:
        raise
    except Exception as error:  # its library for the network has errors of its own, which are not ours to import
        for kind, why in says.items():
            if isinstance(error, kind):
                raise InvalidModel(f"{source} {why}.") from None
        if isinstance(error, errors.HfHubHTTPError):
            status = getattr(error.response, "status_code", "no")
            raise InvalidModel(f"{source}: the Hub answers with status {status}.") from None
        if of_network(error) or isinstance(error, errors.HFValidationError):
            raise InvalidModel(f"{source}: the Hub could not be reached ({type(error).__name__}).") from None
        raise
