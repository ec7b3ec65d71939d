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
from functools import cached_property, lru_cache, partial
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
    vectors = F32 if subject.switches.get("beside") or "streams" in fields else weights
    return Config(weights=weights, vectors=vectors, cache=cache, **fields)


LLAMA: dict[str, Any] = {"norm": "rms", "activation": "silu", "gated": True, "positions": "rotary", "tied": False}
GPT2: dict[str, Any] = {
    "norm": "layer",
    "positions": "learned",
    "biases": ("query", "key", "value", "output", "up", "down"),
}
_WIDTHS = ("n_vocab", "d_model", "n_kv_heads", "group")
_ACTIVE = ("d_expert", "n_active", "idle")
_MOE, _BOTH_KINDS = ("n_dense", "n_moe"), ("n_global", "n_local", "window")
_LLAMA = ("n_blocks", *_WIDTHS, "pairs", "d_ff")
_MIXTRAL = ("n_blocks", *_WIDTHS, "pairs", *_ACTIVE)
_OFFLOADED = ("near", "far", *_WIDTHS, "pairs")
_EXPERTS = (*_MOE, *_WIDTHS, "pairs", "d_ff", *_ACTIVE)
_STATE = ("n_state_groups", "state_group", "d_state_key", "d_state_value", "n_kernel")
_HYBRID = ("n_global", "n_state", *_WIDTHS, "pairs")
_CONVOLVING = ("n_global", "n_conv", *_WIDTHS, "pairs", "d_ff", "d_conv", "n_kernel")
_LOCAL = ("n_local", "window", *_WIDTHS, "pairs")
_TWOFOLD = (*_LOCAL, "n_kv_full", "pairs_full", "d_ff")
_TWO_KINDS = ("twofold", "unequal")
_LATENT = ("n_blocks", "n_heads", "n_vocab", "d_model", "d_latent", "pairs", "d_nope", "d_value")
_PICKED = ("n_index", "n_follow", *_LATENT[1:], "d_query", "n_index_heads", "index_excess", "picked", "d_ff")
_PICKS = ("picked", "latent")
_COMPRESSING = (
    *("n_sliding", "n_csa", "n_hca", "n_vocab", "d_model", "n_output_groups", "group_each", "pairs", "head_excess"),
    *("d_query", "d_output", "n_index_heads", "index_excess", "picked", "r_csa", "r_hca", "window", "n_streams"),
    *_ACTIVE,
)
_HEAD = ("context", "width")  # of one head
# over several devices
_EACH = ("vocab_each", "model_each", "ff_each")
_EVENLY, _COPIES = ("devices", "kv_each", "group"), ("n_kv_heads", "copies", "group_each")
_EXPERTS_EACH = ("expert_each", "n_active", "idle")
_LATENT_EACH = ("devices", "heads_each", *_EACH, "d_latent", "pairs", "d_nope", "d_value")


def _decoder(
    name: str,
    shape: tuple[str, ...],
    shaped: Callable[[dict[str, Any]], dict[str, Any]],
    *traits: str,
    prompts_as: str = "",
    **switches: Any,
) -> Subject:
    """A decoder of Llama's kind but for some switches."""
    return Subject(name, shape, frozenset(traits), {**LLAMA, **switches}, shaped, prompts_as)


SUBJECTS: dict[str, Subject] = {
    subject.name: subject
    for subject in (
        Subject("schematic", ("n_blocks", *_WIDTHS, "d_head", "d_ff"), shaped=configs.grouped),
        _decoder("llama", _LLAMA, configs.grouped),
        _decoder("kept", (*_LLAMA, "n_bytes_2"), configs.kept),
        _decoder("qwen3", _LLAMA, configs.grouped, qk_norm=True),
        _decoder("joint", _LLAMA, configs.grouped, joint_norms=True, attention_gate=True, activation="xielu"),
        Subject("gpt2", ("n_blocks", *_WIDTHS, "d_head", "d_ff", "n_positions"), switches=GPT2, shaped=configs.grouped),
        _decoder("biased", _LLAMA, configs.grouped, biases=("gate", *GPT2["biases"]), output_bias=True),
        Subject(
            "projected",
            ("n_heads", "d_head", "n_vocab", "d_embedding", "excess"),
            switches={"n_blocks": 1},
            shaped=configs.projected,
        ),
        _decoder("mixtral", _MIXTRAL, configs.mixtral, "experts"),
        _decoder("experts", _EXPERTS, configs.mixtral, "experts"),
        _decoder("sharing", (*_EXPERTS, "n_shared_experts"), configs.mixtral, "experts"),
        _decoder("offloaded", (*_OFFLOADED, "d_ff"), configs.offloaded),
        _decoder("offloaded experts", ("n_dense", *_OFFLOADED, "d_ff", *_ACTIVE), configs.offloaded, "experts"),
        _decoder("wholly offloaded", _EXPERTS, configs.wholly_offloaded, "experts"),
        Subject("routing", ("n_active", "idle"), frozenset({"experts"})),
        _decoder("mixed", ("n_global", *_LOCAL, "d_ff"), configs.mixed, "mixed"),
        _decoder("mixed with windows", (*_LOCAL, "d_ff"), configs.mixed, "windowed"),
        _decoder("twofold", ("n_global", *_TWOFOLD), configs.twofold, *_TWO_KINDS, keys_as_values=True),
        _decoder("twofold with windows", _TWOFOLD, configs.twofold, *_TWO_KINDS, keys_as_values=True),
        _decoder(
            "sparse twofold",
            ("n_global", *_TWOFOLD, *_ACTIVE),
            configs.twofold,
            *(*_TWO_KINDS, "experts"),
            keys_as_values=True,
            beside=True,
        ),
        _decoder("hybrid", (*_HYBRID, "d_ff", *_STATE), configs.delta, "hybrid"),
        _decoder("mamba", (*_HYBRID, "d_ff", *_STATE), configs.mamba, "hybrid"),
        _decoder("sparse hybrid", (*_HYBRID, *_ACTIVE, *_STATE), configs.delta, "hybrid", "experts"),
        _decoder("convolving", _CONVOLVING, configs.convolving, "hybrid"),
        _decoder("narrow", (*_LLAMA, "d_value"), configs.grouped, "narrow"),
        _decoder(
            "borrowing",
            (*_LLAMA[1:], "d_value"),
            configs.grouped,
            *("narrow", "borrowing"),
            n_blocks=3,
            n_sharing=1,
        ),
        _decoder("windowed", (*_LLAMA, "window"), configs.windowed, "windowed"),
        _decoder("latent", (*_LATENT, "d_ff"), configs.latent, "latent", prompts_as="expanded"),
        _decoder("expanded", (*_LATENT, "d_ff"), partial(configs.latent, absorbed=False), "latent"),
        _decoder(
            "expanded and kept",
            (*_LATENT, "d_ff"),
            partial(configs.latent, absorbed=False, caches_heads=True),
            "latent",
        ),
        _decoder("compressed", (*_LATENT, "d_query", "d_ff"), configs.latent, "latent"),
        _decoder("picked", _PICKED, configs.picked, *_PICKS, prompts_as="picked expanded"),
        _decoder("picked expanded", _PICKED, partial(configs.picked, absorbed=False), *_PICKS),
        _decoder("picked without an index", _PICKED, partial(configs.picked, picks=False), *_PICKS),
        _decoder("picked experts", (*_PICKED, *_ACTIVE), configs.picked, *_PICKS, "experts"),
        _decoder("compressing", _COMPRESSING, configs.compressing, "compressed", "shared", "experts"),
        _decoder("split", ("n_blocks", *_EVENLY, "pairs", *_EACH), configs.split),
        _decoder("copied", ("n_blocks", *_COPIES, "pairs", *_EACH), configs.split),
        # heads that do not divide among devices
        _decoder("uneven", ("n_blocks", "devices", "n_kv_heads", "group_each", "pairs", *_EACH), configs.split),
        _decoder("split experts", (*_MOE, *_EVENLY, "pairs", *_EACH, *_EXPERTS_EACH), configs.split, "experts"),
        _decoder("copied experts", (*_MOE, *_COPIES, "pairs", *_EACH, *_EXPERTS_EACH), configs.split, "experts"),
        _decoder("split windowed", ("n_blocks", "window", *_EVENLY, "pairs", *_EACH), configs.split, "windowed"),
        _decoder("split mixed", (*_BOTH_KINDS, *_EVENLY, "pairs", *_EACH), configs.split, "mixed"),
        _decoder(
            "split mixed experts",
            (*_BOTH_KINDS, *_EVENLY, "pairs", "vocab_each", "model_each", *_EXPERTS_EACH),
            configs.split,
            *("mixed", "experts"),
        ),
        _decoder("split latent", ("n_blocks", *_LATENT_EACH), configs.split, "latent"),
        _decoder("split compressed", ("n_blocks", *_LATENT_EACH, "d_query"), configs.split, "latent"),
        _decoder(
            "split latent experts",
            (*_MOE, *_LATENT_EACH, "d_query", *_EXPERTS_EACH, "n_shared_experts"),
            configs.split,
            *("latent", "experts"),
        ),
        _decoder("split expanded", ("n_blocks", *_LATENT_EACH), partial(configs.split, absorbed=False), "latent"),
        Subject("textbook", _HEAD),
        Subject("query", _HEAD, switches={"rows": 1}),
        Subject("scaled", _HEAD, switches={"scaled": True}),
        Subject("stable", _HEAD, switches={"stable": True}),
        Subject("tiled", ("tiles", "tile", "columns", "width")),
        Subject("ragged", ("context", "tile", "width")),
        Subject("untiled", ("tiles", "tile", "columns", "width"), switches={"whole": True}),
        Subject("shared prefix", ("batch", "prefix", "own", "width")),
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
MODELS = ("llama", "experts", "mixed", "windowed", "latent", "twofold")  # one at least for every trait
