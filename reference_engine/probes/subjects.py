"""Whom a question is put to: decoders of several kinds, one head of attention, an op, a packed block

A subject names its parameters and how it is run. Shapes that have to divide are asked for by their factors: n_kv_heads
groups of `group` query heads each, heads of `pairs` rotated pairs, n_active experts that work on a token beside `idle`
ones that do not. Nothing is tied that a formula could mistake for another: heads are grouped, the model is wider or
narrower than its heads, the output matrix is another one than the embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

from ..config import Config
from ..formats import FORMATS
from ..index import Index
from ..states import Rule, States

Values = Mapping[str, Any]

_NOTHING: Values = MappingProxyType({})


@dataclass(frozen=True)
class Subject:
    """Something that is run and counts.

    Attributes:
        name: how formulas ask for it.
        traits: in which ways it is not the plain decoder: "experts", "mixed", "windowed" or "hybrid" blocks, "latent"
            attention, tokens "picked" by an index.
        shape: its parameters.
        switches: what else its configuration has.
        prompts_as: the subject that stands for it where it reads a prompt; "" for itself.
        shaped: the configuration's fields from the parameters.
    """

    name: str
    shape: tuple[str, ...]
    traits: frozenset[str] = frozenset()
    switches: Values = field(default_factory=lambda: _NOTHING, hash=False)
    shaped: Callable[[dict[str, Any]], dict[str, Any]] = dict
    prompts_as: str = ""

    @property
    def is_decoder(self) -> bool:
        """Whether it is a whole decoder."""
        return "n_vocab" in self.shape or "vocab_each" in self.shape

    def config(
        self,
        values: Values,
        *,
        n_bytes: Fraction,
        n_bytes_kv: Fraction,
        n_bytes_state: Fraction = Fraction(4),
        tokens: int = 0,
    ) -> Config:
        """What it looks like; learned positions are as many as asked for beside those that a pass of `tokens` needs."""
        shape = tuple((name, values[name]) for name in self.shape)
        return _config(self, shape, (n_bytes, n_bytes_kv, n_bytes_state), tokens)


@lru_cache(maxsize=4096)
def _config(subject: Subject, shape: tuple[tuple[str, Any], ...], widths: tuple[Fraction, ...], tokens: int) -> Config:
    fields = {**subject.switches, **subject.shaped(dict(shape))}
    if fields.get("positions") == "learned":
        fields["n_positions"] += tokens
    weights, cache, states = (FORMATS[Fraction(width)] for width in widths)
    if "states" in fields:
        fields["states"] = replace(fields["states"], format=states)
    return Config(weights=weights, vectors=weights, cache=cache, **fields)


LLAMA: dict[str, Any] = {"norm": "rms", "activation": "silu", "gated": True, "positions": "rotary", "tied": False}
GPT2: dict[str, Any] = {
    "norm": "layer",
    "positions": "learned",
    "biases": ("query", "key", "value", "output", "up", "down"),
}
_BIASED = {**LLAMA, "biases": ("gate", *GPT2["biases"]), "output_bias": True}


_ALL_BIASED = {**LLAMA, "biases": (*_BIASED["biases"], "router"), "sinks": True}
_SHARED = {**LLAMA, "n_shared": 1, "shared_gate": True}


def _grouped(given: dict[str, Any]) -> dict[str, Any]:
    """Heads from their groups and pairs."""
    group, pairs = given.pop("group"), given.pop("pairs", 0)
    heads = {"d_head": 2 * pairs} if pairs else {}
    return {**given, **heads, "n_heads": given["n_kv_heads"] * group}


def _projected(given: dict[str, Any]) -> dict[str, Any]:
    """A model that is wider than its embedding."""
    excess = given.pop("excess")
    return {**given, "d_model": given["d_embedding"] + excess}


def _kept(given: dict[str, Any]) -> dict[str, Any]:
    """Embedding and output matrix in a format of their own."""
    return {"ends": FORMATS[Fraction(given.pop("n_bytes_2"))], **_grouped(given)}


def _mixed(given: dict[str, Any]) -> dict[str, Any]:
    n_global, n_local, window = given.pop("n_global"), given.pop("n_local"), given.pop("window")
    windows = (None,) * n_global + (window,) * n_local
    return _grouped({**given, "n_blocks": n_global + n_local, "windows": windows})


def _opened(given: dict[str, Any]) -> dict[str, Any]:
    """The same with no window in any block."""
    return {**_mixed(given), "windows": (None,)}


def _hybrid(rule: Rule, given: dict[str, Any]) -> dict[str, Any]:
    n_global, n_state, groups = given.pop("n_global"), given.pop("n_state"), given.pop("n_state_groups")
    heads = groups * given.pop("state_group")
    n_key, n_value, kernel = (given.pop(name) for name in ("d_state_key", "d_state_value", "n_kernel"))
    blocks = (False,) * n_global + (True,) * n_state
    states = States(rule, heads, groups, n_key, n_value, kernel, blocks)
    return _grouped({**given, "n_blocks": n_global + n_state, "states": states})


def _sparse_hybrid(given: dict[str, Any]) -> dict[str, Any]:
    """The same with experts in every block."""
    experts = {"n_experts": given["n_active"] + given.pop("idle"), "sparse": (True,)}
    return {**_hybrid("delta", given), **experts}


def _windowed(given: dict[str, Any]) -> dict[str, Any]:
    window = given.pop("window")
    return _grouped({**given, "windows": (window,)})


def _mixtral(given: dict[str, Any]) -> dict[str, Any]:
    """Experts in every block, where n_dense does not say how many are without."""
    n_dense = given.pop("n_dense", 0)
    n_moe = given.pop("n_moe", given.get("n_blocks"))
    blocks = {"n_blocks": n_dense + n_moe, "sparse": (False,) * n_dense + (True,) * n_moe}
    experts = {"n_experts": given["n_active"] + given.pop("idle")}
    shared = {"n_shared": given.pop("n_shared_experts")} if "n_shared_experts" in given else {}
    return _grouped({**given, **blocks, **experts, **shared})


def _latent(given: dict[str, Any]) -> dict[str, Any]:
    renamed = {"kv_rank": given.pop("d_latent"), "d_rope": 2 * given.pop("pairs"), "d_head": given.pop("d_nope")}
    query = {"q_rank": given.pop("d_query")} if "d_query" in given else {}
    return {**given, **renamed, **query, "n_kv_heads": given["n_heads"]}


def _picked(given: dict[str, Any]) -> dict[str, Any]:
    """Latent attention that reads what an index picks: blocks with an index of their own, then some that follow."""
    n_index, n_follow = given.pop("n_index"), given.pop("n_follow")
    width, picked = 2 * given["pairs"] + given.pop("index_excess"), given.pop("picked")
    index = Index(given.pop("n_index_heads"), width, picked, (True,) * n_index + (False,) * n_follow)
    experts = {"n_experts": given["n_active"] + given.pop("idle")} if "idle" in given else {}
    return _latent({**given, **experts, "n_blocks": n_index + n_follow, "index": index})


def _unpicked(given: dict[str, Any]) -> dict[str, Any]:
    """The same with no index, so that attention reads all."""
    return {**_picked(given), "index": None}


def devices_of(values: Values) -> Any:
    """How many devices share a decoder."""
    return values["devices"] if "devices" in values else values["n_kv_heads"] * values["copies"]


def _split(given: dict[str, Any]) -> dict[str, Any]:
    """Widths from what each device has of them; of heads as well, or of the devices that share those of one."""
    devices = devices_of(given)
    given.pop("devices", None)
    widths = {"ff_each": "d_ff", "vocab_each": "n_vocab", "model_each": "d_model", "kv_each": "n_kv_heads"}
    widths |= {"heads_each": "n_heads"}
    made = {width: devices * given.pop(each) for each, width in widths.items() if each in given}
    if "group_each" in given:
        made["group"] = given.pop("group_each") * given.pop("copies", devices)
    return (_latent if "d_latent" in given else _grouped)({**given, **made})


_WIDTHS = ("n_vocab", "d_model", "n_kv_heads", "group")
_EACH = ("vocab_each", "model_each", "ff_each")
_LLAMA = ("n_blocks", *_WIDTHS, "pairs", "d_ff")
_MIXTRAL = ("n_blocks", *_WIDTHS, "pairs", "d_expert", "n_active", "idle")
_STATE = ("n_state_groups", "state_group", "d_state_key", "d_state_value", "n_kernel")
_SPARSE_HYBRID = ("n_global", "n_state", *_WIDTHS, "pairs", "d_expert", "n_active", "idle", *_STATE)
_HYBRID = ("n_global", "n_state", *_WIDTHS, "pairs", "d_ff", *_STATE)
_LATENT = ("n_blocks", "n_heads", "n_vocab", "d_model", "d_latent", "pairs", "d_nope", "d_value")
_PICKING = ("n_index", "n_follow", *_LATENT[1:], "d_query", "n_index_heads", "index_excess", "picked")

SUBJECTS: dict[str, Subject] = {
    subject.name: subject
    for subject in (
        Subject("schematic", ("n_blocks", "n_heads", "d_head", "d_model", "n_vocab")),
        Subject("grouped", ("n_blocks", "n_kv_heads", "group", "d_head", "d_model", "n_vocab"), shaped=_grouped),
        Subject("llama", _LLAMA, switches=LLAMA, shaped=_grouped),
        Subject("kept", (*_LLAMA, "n_bytes_2"), switches=LLAMA, shaped=_kept),
        Subject("qwen3", _LLAMA, switches={**LLAMA, "qk_norm": True}, shaped=_grouped),
        Subject("joint", _LLAMA, switches={**LLAMA, "joint_norms": True, "attention_gate": True}, shaped=_grouped),
        Subject("gpt2", ("n_blocks", *_WIDTHS, "d_head", "d_ff", "n_positions"), switches=GPT2, shaped=_grouped),
        Subject("biased", _LLAMA, switches=_BIASED, shaped=_grouped),
        Subject(
            "projected",
            ("n_heads", "d_head", "n_vocab", "d_embedding", "excess"),
            switches={"n_blocks": 1},
            shaped=_projected,
        ),
        Subject(
            "mixtral",
            _MIXTRAL,
            frozenset({"experts"}),
            LLAMA,
            _mixtral,
        ),
        Subject("biased experts", _MIXTRAL, frozenset({"experts"}), _ALL_BIASED, _mixtral),
        Subject("shared", (*_MIXTRAL, "d_shared"), frozenset({"experts"}), _SHARED, _mixtral),
        Subject(
            "experts",
            ("n_dense", "n_moe", *_WIDTHS, "pairs", "d_ff", "d_expert", "n_active", "idle"),
            frozenset({"experts"}),
            LLAMA,
            _mixtral,
        ),
        Subject(
            "sharing",
            ("n_dense", "n_moe", *_WIDTHS, "pairs", "d_ff", "d_expert", "n_active", "idle", "n_shared_experts"),
            frozenset({"experts"}),
            LLAMA,
            _mixtral,
        ),
        Subject("routing", ("n_active", "idle"), frozenset({"experts"})),
        Subject(
            "mixed", ("n_global", "n_local", "window", *_WIDTHS, "pairs", "d_ff"), frozenset({"mixed"}), LLAMA, _mixed
        ),
        Subject(
            "mixed without windows",
            ("n_global", "n_local", "window", *_WIDTHS, "pairs", "d_ff"),
            frozenset({"mixed"}),
            LLAMA,
            _opened,
        ),
        Subject("hybrid", _HYBRID, frozenset({"hybrid"}), LLAMA, partial(_hybrid, "delta")),
        Subject("mamba", _HYBRID, frozenset({"hybrid"}), LLAMA, partial(_hybrid, "mamba")),
        Subject("sparse hybrid", _SPARSE_HYBRID, frozenset({"hybrid", "experts"}), LLAMA, _sparse_hybrid),
        Subject("windowed", (*_LLAMA, "window"), frozenset({"windowed"}), LLAMA, _windowed),
        Subject("latent", (*_LATENT, "d_ff"), frozenset({"latent"}), LLAMA, _latent, "expanded"),
        Subject("expanded", (*_LATENT, "d_ff"), frozenset({"latent"}), {**LLAMA, "absorbed": False}, _latent),
        Subject("compressed", (*_LATENT, "d_query", "d_ff"), frozenset({"latent"}), LLAMA, _latent),
        Subject("picked", (*_PICKING, "d_ff"), frozenset({"picked", "latent"}), LLAMA, _picked),
        Subject("picked without an index", (*_PICKING, "d_ff"), frozenset({"picked", "latent"}), LLAMA, _unpicked),
        Subject(
            "picked experts",
            (*_PICKING, "d_expert", "n_active", "idle"),
            frozenset({"picked", "latent", "experts"}),
            LLAMA,
            _picked,
        ),
        Subject("split", ("n_blocks", "devices", "kv_each", "group", "pairs", *_EACH), frozenset(), LLAMA, _split),
        Subject(
            "copied", ("n_blocks", "n_kv_heads", "copies", "group_each", "pairs", *_EACH), frozenset(), LLAMA, _split
        ),
        Subject(
            "uneven", ("n_blocks", "devices", "n_kv_heads", "group_each", "pairs", *_EACH), frozenset(), LLAMA, _split
        ),
        Subject(
            "split latent",
            ("n_blocks", "devices", "heads_each", *_EACH, "d_latent", "pairs", "d_nope", "d_value"),
            frozenset({"latent"}),
            LLAMA,
            _split,
        ),
        Subject(
            "split compressed",
            ("n_blocks", "devices", "heads_each", *_EACH, "d_latent", "pairs", "d_nope", "d_value", "d_query"),
            frozenset({"latent"}),
            LLAMA,
            _split,
        ),
        *(
            Subject(name, ("context", "width"), switches=how)
            for name, how in (
                ("textbook", {}),
                ("query", {"rows": 1}),
                ("scaled", {"scaled": True}),
                ("stable", {"stable": True}),
            )
        ),
        Subject("tiled", ("tiles", "tile", "columns", "width")),
        Subject("ragged", ("context", "tile", "width")),
        Subject("untiled", ("tiles", "tile", "columns", "width"), switches={"whole": True}),
        Subject("shared prefix", ("batch", "prefix", "own", "width")),
        Subject("prefix for each", ("batch", "prefix", "own", "width"), switches={"apart": True}),
        Subject("heads", ("devices", "n_kv_heads", "room")),
        Subject("stages", ("stages", "micro")),
        Subject("vectors", ("d_model",)),
        Subject("apart", ("expert_devices", "n_active", "idle", "n_moe", "d_model"), frozenset({"experts"})),
        Subject("pieces", ("n_blocks", "devices", "piece")),
        Subject("any number", ("n_blocks", "piece")),
        Subject("row", ("n",)),
        Subject("matrix and vector", ("m", "n")),
        Subject("matrices", ("m", "n", "k")),
        Subject("block", ("bits", "block", "scale_bits")),
        Subject("nested blocks", ("bits", "block", "parts", "part_bits", "shared_bits")),
    )
}
MODELS = ("llama", "experts", "mixed", "windowed", "latent")  # one at least for every trait
