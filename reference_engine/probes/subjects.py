"""The subjects of questions: decoders of several kinds, one head of attention, an op, a packed block

A subject names its parameters and how it is run. Shapes that have to divide are asked for by their factors: n_kv_heads
groups of `group` query heads each, heads of `pairs` rotated pairs, n_active experts that work on a token beside `idle`
ones that do not. Nothing is tied that a formula could mistake for another: heads are grouped, the model is wider or
narrower than its heads, the output matrix is another one than the embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from ..config import Config
from ..formats import F32, F64, of_width
from . import parametrised_configs as configs

Values = Mapping[str, Any]

_NOTHING: Values = MappingProxyType({})


@dataclass(frozen=True)
class Subject:
    """A subject of questions: something that is run and enters counts.

    Attributes:
        name: how formulas ask for it.
        traits: in which ways it is not the plain decoder: "experts", "mixed", "windowed", "hybrid" or "twofold" blocks,
            "latent" attention, heads that are "unequal", tokens "picked" by an index, runs that are "compressed" to
            entries, a vector that is "shared" by all heads.
        shape: its parameters.
        switches: what else its configuration has.
        prompts_as: the subject that stands for it where it reads a prompt; "" for itself.
        shaped: the configuration's fields from the parameters.
        plain: parameters whose sizes do not remember what they are (see `Run`).
    """

    name: str
    shape: tuple[str, ...]
    traits: frozenset[str] = frozenset()
    switches: Values = field(default_factory=lambda: _NOTHING, hash=False)
    shaped: Callable[[dict[str, Any]], dict[str, Any]] = dict
    prompts_as: str = ""
    plain: tuple[str, ...] = ()

    @property
    def is_decoder(self) -> bool:
        """Whether it is a whole decoder."""
        return "n_vocab" in self.shape or "vocab_each" in self.shape

    @cached_property
    def has_state_format(self) -> bool:
        """Whether it has blocks that keep something in a format of their own."""
        kind = self.shaped(dict.fromkeys(self.shape, 1)).get("states") if "hybrid" in self.traits else None
        return kind is not None and kind.in_format(F64) != kind.in_format(F32)

    def config(
        self,
        values: Values,
        *,
        n_bytes: Fraction,
        n_bytes_kv: Fraction,
        n_bytes_state: Fraction = Fraction(4),
        tokens: int = 0,
    ) -> Config:
        """Configuration of the subject's decoder.

        Learned positions are as many as asked for, beside those that a pass of `tokens` needs.
        """
        shape = tuple((name, values[name]) for name in self.shape)
        return _config(self, shape, (n_bytes, n_bytes_kv, n_bytes_state), tokens)


@lru_cache(maxsize=4096)
def _config(subject: Subject, shape: tuple[tuple[str, Any], ...], widths: tuple[Fraction, ...], tokens: int) -> Config:
    fields = {**subject.switches, **subject.shaped(dict(shape))}
    if fields.get("positions") == "learned":
        fields["n_positions"] += tokens
    weights, cache, states = map(of_width, widths)
    if kind := fields.get("states"):
        fields["states"] = kind.in_format(states)
    # as many numbers as there are experts, or weights of streams, fill no packed block
    vectors = F32 if subject.switches.get("beside") or "compression" in fields else weights
    return Config(weights=weights, vectors=vectors, cache=cache, **fields)


LLAMA: dict[str, Any] = {"norm": "rms", "activation": "silu", "gated": True, "positions": "rotary", "tied": False}
GPT2: dict[str, Any] = {
    "norm": "layer",
    "positions": "learned",
    "biases": ("query", "key", "value", "output", "up", "down"),
}
_BIASED = {**LLAMA, "biases": ("gate", *GPT2["biases"]), "output_bias": True}


_KEYED = {**LLAMA, "keys_as_values": True}


_WIDTHS = ("n_vocab", "d_model", "n_kv_heads", "group")
_EACH = ("vocab_each", "model_each", "ff_each")
_LLAMA = ("n_blocks", *_WIDTHS, "pairs", "d_ff")
_MIXTRAL = ("n_blocks", *_WIDTHS, "pairs", "d_expert", "n_active", "idle")
_OFFLOADED = ("near", "far", *_WIDTHS, "pairs")
_EXPERTS = ("n_dense", "n_moe", *_WIDTHS, "pairs", "d_ff", "d_expert", "n_active", "idle")
_STATE = ("n_state_groups", "state_group", "d_state_key", "d_state_value", "n_kernel")
_SPARSE_HYBRID = ("n_global", "n_state", *_WIDTHS, "pairs", "d_expert", "n_active", "idle", *_STATE)
_HYBRID = ("n_global", "n_state", *_WIDTHS, "pairs", "d_ff", *_STATE)
_CONVOLVING = ("n_global", "n_conv", *_WIDTHS, "pairs", "d_ff", "d_conv", "n_kernel")
_TWOFOLD = ("n_global", "n_local", "window", *_WIDTHS, "pairs", "n_kv_full", "pairs_full", "d_ff")
_TWO_KINDS = frozenset({"twofold", "unequal"})
_LATENT = ("n_blocks", "n_heads", "n_vocab", "d_model", "d_latent", "pairs", "d_nope", "d_value")
_PICKED = ("n_index", "n_follow", *_LATENT[1:], "d_query", "n_index_heads", "index_excess", "picked", "d_ff")
_PICKS = frozenset({"picked", "latent"})

_COMPRESSING = (
    *("n_sliding", "n_csa", "n_hca", "n_vocab", "d_model", "n_output_groups", "group_each", "pairs", "head_excess"),
    *("d_query", "d_output", "n_index_heads", "index_excess", "picked", "r_csa", "r_hca", "window", "n_streams"),
    *("d_expert", "n_active", "idle"),
)

_EVENLY, _COPIES = ("devices", "kv_each", "group"), ("n_kv_heads", "copies", "group_each")
_EXPERTS_EACH, _LATENT_EACH = ("expert_each", "n_active", "idle"), ("d_latent", "pairs", "d_nope", "d_value")
_DEALT_OUT = (  # over several devices: name, shape and traits
    ("split", ("n_blocks", *_EVENLY, "pairs", *_EACH)),
    ("copied", ("n_blocks", *_COPIES, "pairs", *_EACH)),
    ("uneven", ("n_blocks", "devices", "n_kv_heads", "group_each", "pairs", *_EACH)),
    ("split experts", ("n_dense", "n_moe", *_EVENLY, "pairs", *_EACH, *_EXPERTS_EACH), "experts"),
    ("copied experts", ("n_dense", "n_moe", *_COPIES, "pairs", *_EACH, *_EXPERTS_EACH), "experts"),
    ("split windowed", ("n_blocks", "window", *_EVENLY, "pairs", *_EACH), "windowed"),
    ("split mixed", ("n_global", "n_local", "window", *_EVENLY, "pairs", *_EACH), "mixed"),
    (
        "split mixed experts",
        ("n_global", "n_local", "window", *_EVENLY, "pairs", "vocab_each", "model_each", *_EXPERTS_EACH),
        *("mixed", "experts"),
    ),
    ("split latent", ("n_blocks", "devices", "heads_each", *_EACH, *_LATENT_EACH), "latent"),
    ("split compressed", ("n_blocks", "devices", "heads_each", *_EACH, *_LATENT_EACH, "d_query"), "latent"),
    (
        "split latent experts",
        (
            *("n_dense", "n_moe", "devices", "heads_each"),
            *(*_EACH, *_LATENT_EACH, "d_query", *_EXPERTS_EACH, "n_shared_experts"),
        ),
        *("latent", "experts"),
    ),
)

SUBJECTS: dict[str, Subject] = {
    subject.name: subject
    for subject in (
        Subject("schematic", ("n_blocks", *_WIDTHS, "d_head", "d_ff"), shaped=configs.grouped),
        Subject("llama", _LLAMA, switches=LLAMA, shaped=configs.grouped),
        Subject("kept", (*_LLAMA, "n_bytes_2"), switches=LLAMA, shaped=configs.kept),
        Subject("qwen3", _LLAMA, switches={**LLAMA, "qk_norm": True}, shaped=configs.grouped),
        Subject(
            "joint",
            _LLAMA,
            switches={**LLAMA, "joint_norms": True, "attention_gate": True, "activation": "xielu"},
            shaped=configs.grouped,
        ),
        Subject("gpt2", ("n_blocks", *_WIDTHS, "d_head", "d_ff", "n_positions"), switches=GPT2, shaped=configs.grouped),
        Subject("biased", _LLAMA, switches=_BIASED, shaped=configs.grouped),
        Subject(
            "projected",
            ("n_heads", "d_head", "n_vocab", "d_embedding", "excess"),
            switches={"n_blocks": 1},
            shaped=configs.projected,
        ),
        Subject("mixtral", _MIXTRAL, frozenset({"experts"}), LLAMA, configs.mixtral),
        Subject("experts", _EXPERTS, frozenset({"experts"}), LLAMA, configs.mixtral),
        Subject("sharing", (*_EXPERTS, "n_shared_experts"), frozenset({"experts"}), LLAMA, configs.mixtral),
        Subject("offloaded", (*_OFFLOADED, "d_ff"), switches=LLAMA, shaped=configs.offloaded),
        Subject(
            "offloaded experts",
            ("n_dense", *_OFFLOADED, "d_ff", "d_expert", "n_active", "idle"),
            frozenset({"experts"}),
            LLAMA,
            configs.offloaded,
        ),
        Subject("wholly offloaded", _EXPERTS, frozenset({"experts"}), LLAMA, configs.wholly_offloaded),
        Subject("routing", ("n_active", "idle"), frozenset({"experts"})),
        Subject(
            "mixed",
            ("n_global", "n_local", "window", *_WIDTHS, "pairs", "d_ff"),
            frozenset({"mixed"}),
            LLAMA,
            configs.mixed,
        ),
        Subject(
            "mixed with windows",
            ("n_local", "window", *_WIDTHS, "pairs", "d_ff"),
            frozenset({"windowed"}),
            LLAMA,
            configs.all_windowed,
        ),
        Subject("twofold", _TWOFOLD, _TWO_KINDS, _KEYED, configs.twofold),
        Subject(
            "twofold with windows",
            tuple(one for one in _TWOFOLD if one != "n_global"),
            _TWO_KINDS,
            _KEYED,
            configs.twofold_windowed,
        ),
        Subject(
            "sparse twofold",
            (*_TWOFOLD, "d_expert", "n_active", "idle"),
            _TWO_KINDS | {"experts"},
            {**_KEYED, "beside": True},
            configs.twofold,
        ),
        Subject("hybrid", _HYBRID, frozenset({"hybrid"}), LLAMA, configs.delta),
        Subject("mamba", _HYBRID, frozenset({"hybrid"}), LLAMA, configs.mamba),
        Subject("sparse hybrid", _SPARSE_HYBRID, frozenset({"hybrid", "experts"}), LLAMA, configs.sparse_hybrid),
        Subject("convolving", _CONVOLVING, frozenset({"hybrid"}), LLAMA, configs.convolving),
        Subject("narrow", (*_LLAMA, "d_value"), frozenset({"narrow"}), LLAMA, configs.grouped),
        Subject(
            "borrowing",
            (*_WIDTHS, "pairs", "d_ff", "d_value"),
            frozenset({"narrow", "borrowing"}),
            {**LLAMA, "n_blocks": 3, "n_sharing": 1},
            configs.grouped,
        ),
        Subject("windowed", (*_LLAMA, "window"), frozenset({"windowed"}), LLAMA, configs.windowed),
        Subject("latent", (*_LATENT, "d_ff"), frozenset({"latent"}), LLAMA, configs.latent, "expanded"),
        Subject("expanded", (*_LATENT, "d_ff"), frozenset({"latent"}), {**LLAMA, "absorbed": False}, configs.latent),
        Subject(
            "expanded and kept",
            (*_LATENT, "d_ff"),
            frozenset({"latent"}),
            {**LLAMA, "absorbed": False, "caches_heads": True},
            configs.latent,
        ),
        Subject("compressed", (*_LATENT, "d_query", "d_ff"), frozenset({"latent"}), LLAMA, configs.latent),
        Subject("picked", _PICKED, _PICKS, LLAMA, configs.picked, "picked expanded"),
        Subject("picked expanded", _PICKED, _PICKS, {**LLAMA, "absorbed": False}, configs.picked),
        Subject("picked without an index", _PICKED, _PICKS, LLAMA, configs.unpicked),
        Subject(
            "picked experts", (*_PICKED, "d_expert", "n_active", "idle"), _PICKS | {"experts"}, LLAMA, configs.picked
        ),
        Subject(
            "compressing", _COMPRESSING, frozenset({"compressed", "shared", "experts"}), LLAMA, configs.compressing
        ),
        *(Subject(name, shape, frozenset(traits), LLAMA, configs.split) for name, shape, *traits in _DEALT_OUT),
        Subject(
            "split expanded",
            ("n_blocks", "devices", "heads_each", *_EACH, *_LATENT_EACH),
            frozenset({"latent"}),
            {**LLAMA, "absorbed": False},
            configs.split,
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
        Subject("heads", ("devices", "n_kv_heads", "room")),
        Subject("stages", ("stages", "micro"), plain=("stages", "micro", "batch")),
        Subject("vectors", ("d_model",)),
        Subject(
            "apart",
            ("expert_devices", "n_active", "idle", "n_moe", "d_model"),
            frozenset({"experts"}),
            plain=("expert_devices", "n_active", "idle", "n_moe", "batch"),
        ),
        Subject("pieces", ("n_blocks", "devices", "piece")),
        Subject("any number", ("n_blocks", "piece")),
        Subject("row", ("n",)),
        Subject("matrix and vector", ("m", "n")),
        Subject("matrices", ("m", "n", "k")),
        Subject("block", ("bits", "block", "scale_bits"), plain=("bits", "block", "scale_bits")),
        Subject(
            "nested blocks",
            ("bits", "block", "parts", "part_bits", "shared_bits"),
            plain=("bits", "block", "parts", "part_bits", "shared_bits"),
        ),
    )
}
MODELS = ("llama", "experts", "mixed", "windowed", "latent", "twofold")  # one at least for every trait
