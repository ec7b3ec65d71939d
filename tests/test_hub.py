"""Models of the Hugging Face Hub, read from a server on this machine that counts what it sends"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from gguf_cases import CASES, gguf_bytes
from huggingface_hub import constants

from symbolic_llm import Model, Sizing, presets
from symbolic_llm.cache import store
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidModel, MissingDependency, SymbolicLLMError
from symbolic_llm.presets import tables

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = presets.tables.config("qwen3-0.6b")
WEIGHTS = 2**14  # bytes of weights in each file, which nobody is to ask for


def safetensors(tensors: dict[str, tuple[str, list[int]]]) -> bytes:
    """A file with these tensors, its weights left out: a header, and zeros."""
    width = {"BF16": 2, "F32": 4, "F8_E4M3": 1, "I32": 4}
    table, place = {}, 0
    for name, (dtype, shape) in tensors.items():
        size = width[dtype]
        for number in shape:
            size *= number
        table[name] = {"dtype": dtype, "shape": shape, "data_offsets": [place, place + size]}
        place += size
    header = json.dumps({"__metadata__": {"format": "pt"}, **table}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(WEIGHTS)


class Repositories(ThreadingHTTPServer):
    """A server with repositories, as the Hub answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files: dict[str, dict[str, bytes]] = {}
        self.gated: set[str] = set()
        self.sent: dict[str, int] = {}
        self.whole = False  # whether it sends all of a file where a part was asked for


class Answers(BaseHTTPRequestHandler):
    """Answers of the Hub: lists of files, and files, in parts too."""

    server: Repositories

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Send this, with headers whose names have _ for -."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        """Headers of a file, as of GET, without its body."""
        self.do_GET()

    def do_GET(self) -> None:
        """A list of files, a file or a part of one, or why there is none."""
        path = self.path.partition("?")[0].removeprefix("/api/models").strip("/").split("/")
        repository, rest = "/".join(path[:2]), path[2:]
        files = self.server.files.get(repository)
        if files is None:
            return self.answer(404, X_Error_Code="RepoNotFound")
        if repository in self.server.gated and rest[0] == "resolve":
            return self.answer(403, X_Error_Code="GatedRepo")
        if rest[1] not in ("main", COMMIT):
            return self.answer(404, X_Error_Code="RevisionNotFound")
        if rest[0] == "revision":
            names = [{"rfilename": name} for name in files]
            body = json.dumps({"id": repository, "sha": COMMIT, "siblings": names}).encode()
            return self.answer(200, body, Content_Type="application/json")
        name = "/".join(rest[2:])
        if name not in files:
            return self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        data, about = files[name], {"X_Repo_Commit": COMMIT, "ETag": f'"{name}"', "Accept_Ranges": "bytes"}
        if self.command == "HEAD":
            return self.answer(200, Content_Length=str(len(data)), **about)
        asked, status = self.headers.get("Range"), 200
        if asked and not self.server.whole:
            first, last = (int(place) for place in asked.removeprefix("bytes=").split("-"))
            data, status = data[first : last + 1], 206
        self.server.sent[name] = self.server.sent.get(name, 0) + len(data)
        return self.answer(status, data, **about)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repositories]:
    """A running server, which everything asks, with caches of its own."""
    running = Repositories()
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{running.server_port}")
    monkeypatch.setenv("SYMBOLIC_LLM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    tables._of_hub.cache_clear()
    store._opened.cache_clear()
    yield running
    running.shutdown()
    running.server_close()
    tables._of_hub.cache_clear()


def put(server: Repositories, name: str, config: Any = CONFIG, **files: bytes) -> None:
    """A repository with a config.json and other files, whose names have _ for . and -."""
    text = config if isinstance(config, bytes) else json.dumps(config).encode()
    server.files[name] = {"config.json": text, **files}


ONE = {"model.safetensors": safetensors({"a": ("BF16", [64, 32]), "b": ("BF16", [7])})}


def test_a_repository_is_a_model(server: Repositories, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, in Python and on the command line; the answer says the revision, and has the file's own format."""
    put(server, "Qwen/Qwen3-0.6B", **ONE)
    model = Model.from_hub("Qwen/Qwen3-0.6B")
    assert model.parameters == presets.model("qwen3-0.6b").parameters
    assert model.stored is not None
    assert (model.stored.how, model.stored.n_bytes) == ("bf16", Fraction(2 * model.parameters))
    assert presets.model("Qwen/Qwen3-0.6B") == model
    assert Sizing("Qwen/Qwen3-0.6B", "h100-sxm").data()["model"] == "Qwen/Qwen3-0.6B"
    assert main(["model", "Qwen/Qwen3-0.6B", "--hardware", "rtx-4090"]) == 0
    shown = capsys.readouterr().out
    assert f"Qwen/Qwen3-0.6B of the Hub, revision {COMMIT[:12]}" in shown
    assert "own formats (bf16" in shown


def test_headers_alone_are_asked_for(server: Repositories) -> None:
    """Eight bytes and the header of each shard that the index names; a second answer asks for none of them."""
    shards = {
        "model-00001-of-00002.safetensors": safetensors({"a": ("BF16", [64, 32])}),
        "model-00002-of-00002.safetensors": safetensors({"b": ("F32", [3])}),
    }
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    other = {"consolidated.safetensors": safetensors({"a": ("BF16", [64, 32])})}
    put(server, "a/b", **shards, **other, **{"model.safetensors.index.json": json.dumps(index).encode()})
    model = Model.from_hub("a/b")
    assert model.stored is not None
    assert model.stored.how == "bf16 and fp32"
    for name, data in shards.items():
        assert server.sent[name] == len(data) - WEIGHTS
    assert "consolidated.safetensors" not in server.sent
    before = dict(server.sent)
    assert Model.from_hub("a/b") == model
    assert server.sent == before


def test_mixed_floats_have_the_bytes_of_their_tensors(server: Repositories) -> None:
    """Bytes of a mixed file are those of its tensors, where its numbers are the model's; else only the words."""
    n = presets.model("qwen3-0.6b").parameters
    put(server, "a/b", **{"model.safetensors": safetensors({"a": ("BF16", [n - 5]), "b": ("F32", [5])})})
    stored = Model.from_hub("a/b").stored
    assert stored is not None
    assert stored.n_bytes == 2 * (n - 5) + 4 * 5
    put(server, "c/d", **{"model.safetensors": safetensors({"a": ("BF16", [n]), "b": ("F32", [5])})})
    stored = Model.from_hub("c/d").stored
    assert stored is not None
    assert stored.n_bytes is None


def test_without_the_network(server: Repositories, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repositories that were read before are answered; of anything else there is one sentence."""
    put(server, "a/b", **ONE)
    model = Model.from_hub("a/b")
    server.shutdown()
    server.server_close()
    assert Model.from_hub("a/b") == model
    refused("c/d", "c/d was not read before, and the Hub cannot be reached")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert Model.from_hub("a/b") == model
    refused("c/d", "c/d was not read before, and the Hub cannot be reached")


def refused(name: str, sentence: str, revision: str | None = None) -> None:
    """Assert that a repository is refused in one sentence."""
    with pytest.raises(InvalidModel) as caught:
        Model.from_hub(name, revision)
    message = str(caught.value)
    assert sentence in message
    assert message.endswith((".", "?"))
    assert message.count("\n") == 0
    assert len(message) < 300


def test_what_cannot_be_read(server: Repositories, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, gated, another revision, no config.json, no JSON: one sentence each, and exit code 2."""
    put(server, "a/b", **ONE)
    put(server, "gated/model", **ONE)
    server.gated.add("gated/model")
    server.files["a/dataset"] = {"README.md": b"hello"}
    put(server, "no/json", b"<html>")
    put(server, "no/model", {"model_type": "qwen3"})
    refused("no/such", "no/such is neither a repository of the Hub that can be read nor a file")
    refused("gated/model", "gated/model is gated: accept its terms")
    refused("a/b", "a/b has no revision 'v2'", "v2")
    refused("a/b@v2", "a/b has no revision 'v2'")
    refused("a/dataset", "a/dataset has no config.json")
    refused("no/json", "config.json of no/json is not JSON")
    refused("no/model", "config.json of no/model: the field hidden_size is missing")
    refused("../..", "")
    refused("a/b/c", "'a/b/c' is not the name of a repository")
    assert main(["model", "no/such"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


HOSTILE = {
    "no header": b"",
    "cut": ONE["model.safetensors"][:40],
    "short": b"\x01" + bytes(7) + b"{",
    "huge": (2**60).to_bytes(8, "little") + b"{}",
    "no JSON": (9).to_bytes(8, "little") + b"[[[[[[[[[",
    "a list": (2).to_bytes(8, "little") + b"[]",
    "no tensor": (9).to_bytes(8, "little") + b'{"a": 12}',
    "deep": (2**16).to_bytes(8, "little") + b"[" * 2**16,
    "negative": safetensors({"a": ("F32", [2])}).replace(b"[2]", b"-22"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_header_gets_one_sentence(case: str, server: Repositories) -> None:
    """Cut, huge, no JSON or nonsense; a list of no tensors holds none."""
    put(server, "a/b", **{"model.safetensors": HOSTILE[case]})
    if case == "a list":
        assert Model.from_hub("a/b").stored is None
    else:
        refused("a/b", "a/b: ")


def test_a_hostile_server_gets_one_sentence(server: Repositories) -> None:
    """A hub that lies sends all of a file, an index of other files, a config of gigabytes."""
    put(server, "a/b", **ONE)
    server.whole = True
    refused("a/b", "the server sends no parts of model.safetensors")
    server.whole = False
    for index in (b'{"weight_map": {"a": "../../x.safetensors"}}', b"[]", b'{"weight_map": {"a": []}}'):
        put(server, "c/d", **ONE, **{"model.safetensors.index.json": index})
        refused("c/d", "its index of tensors")
        server.files["c/d"].clear()
    put(server, "e/f", b" " * (2**24 + 1))
    refused("e/f", "its config.json is too large")
    assert "config.json" not in server.sent or server.sent["config.json"] < 2**24


def test_names_that_are_no_repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files go before repositories, and what ends like a file is one."""
    from symbolic_llm.models.hub import is_repository

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model").mkdir()
    assert is_repository("Qwen/Qwen3-32B")
    assert is_repository("Qwen/Qwen3-32B@refs/pr/1")
    for name in (
        "qwen3-32b",
        "mine/model",
        "a/b/c",
        "/tmp",
        "./x",
        "a/config.json",
        "a/b.gguf",
        "a/ b",
        "a/b\n",
        "é/b",
    ):
        assert not is_repository(name) or name == "./x"


def test_a_gguf_of_a_repository(server: Repositories, capsys: pytest.CaptureFixture[str]) -> None:
    """By its format or its name, in parts too; the header alone is asked for, once."""
    case, most = CASES["qwen3"], 2**21
    meant, data = Model.from_config(case.config), case.bytes() + bytes(2 * most)
    first, *others = list(case.tensors)
    two = {
        "Q8_0/m-Q8_0-00001-of-00002.gguf": gguf_bytes(case.values, {first: case.tensors[first]}) + bytes(999),
        "Q8_0/m-Q8_0-00002-of-00002.gguf": gguf_bytes({}, {name: case.tensors[name] for name in others}) + bytes(999),
    }
    server.files["o/m-GGUF"] = {"m-Q4_K_M.gguf": data, "m-Q4_K_S.gguf": data, "mmproj-F16.gguf": b"", **two}
    model = Model.from_hub("o/m-GGUF:Q4_K_M")
    assert (model.parameters, model.parts) == (meant.parameters, meant.parts)
    assert model.title == f"o/m-GGUF:Q4_K_M of the Hub, revision {COMMIT[:12]}"
    assert server.sent == {"m-Q4_K_M.gguf": most}
    assert Model.from_hub("o/m-GGUF:Q4_K_M") == model
    assert server.sent == {"m-Q4_K_M.gguf": most}
    assert Model.from_hub("o/m-GGUF:q8_0").parts == meant.parts
    assert presets.model("o/m-GGUF:m-Q4_K_S.gguf").parts == meant.parts
    refused(
        "o/m-GGUF:Q2_K", "o/m-GGUF has no GGUF file of that name, Q2_K; choose from Q8_0/m-Q8_0-00001-of-00002.gguf,"
    )
    refused("o/m-GGUF:m", "has several GGUF files of that name, m; choose from")
    refused("o/m-GGUF", "has no config.json; if it has GGUF files, name the format of one, as in o/m-GGUF:Q4_K_M")
    put(server, "a/b", **ONE)
    refused("a/b:Q4_0", "a/b has no GGUF files")
    server.files["o/cut"] = {"m-Q4_0.gguf": data[:99]}
    refused("o/cut:Q4_0", "o/cut: m-Q4_0.gguf is not a valid GGUF file: it ends in the middle of its header")
    assert main(["model", "o/m-GGUF:Q4_K_M"]) == 0
    assert "o/m-GGUF:Q4_K_M of the Hub" in capsys.readouterr().out
    server.shutdown()
    server.server_close()
    assert Model.from_hub("o/m-GGUF:Q4_K_M") == model
    refused("o/m-GGUF:Q4_K_S", "the Hub could not be reached")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says how to install it."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingDependency, match=r"pip install 'symbolic-llm\[hub\]'"):
        Model.from_hub("Qwen/Qwen3-32B")


def test_a_preset_asks_nobody() -> None:
    """The library is imported for a repository alone."""
    code = "import sys; from symbolic_llm import presets as p; p.model('qwen3-8b'); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "symbolic_llm.models" in done.stdout
    assert "huggingface_hub" not in done.stdout


def test_an_error_that_is_none_of_the_network_is_not_hidden(
    server: Repositories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip of this package stays one, instead of becoming a sentence about the Hub."""
    put(server, "a/b", **ONE)
    monkeypatch.setattr("symbolic_llm.models.hub_repository._tensor", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Model.from_hub("a/b")
    assert not issubclass(ZeroDivisionError, SymbolicLLMError)
