"""Heads with keys and values, which groups of heads may share, or blocks"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...architecture import Trait
from ...catalogue.named import (
    attention_flops_per_context_token,
    attention_gate_parameters,
    grouped_attention_parameters,
    joint_query_key_norm_parameters,
    kv_bytes_per_token,
    query_output_parameters,
    shared_key_attention_parameters,
    two_width_attention_parameters,
)
from ..builder import Builder
from ..products import ATTENTION, D_MODEL, Matrix, total_width
from .kind import AttentionKind, all_or_none, windows

if TYPE_CHECKING:
    from ..caches_and_states import Kept, Times


def _of_token(name: str, heads: str, width: str) -> Matrix:
    """The matrix that gives so many heads a vector of a token."""
    return Matrix(f"attention.{name}", total_width(heads, width), D_MODEL)


def _output(width: str) -> Matrix:
    """The matrix that leads back from what heads have made of values of a width."""
    return Matrix("attention.output", D_MODEL, total_width("n_heads", width))


_ASKED = _of_token("query", "n_heads", "d_head"), _of_token("key", "n_kv_heads", "d_head")


def _kept(letters: frozenset[str]) -> Iterator[Kept]:
    from ..caches_and_states import attending

    return attending(letters, _heads)


def _heads(letters: frozenset[str], which: str, tokens: Times, renamed: Mapping[str, str]) -> Iterator[Kept]:
    from ...formulas.shared import key_and_value, score, score_and_sum
    from ..caches_and_states import ALL, NEVER, ONCE, Kept, one_of_both

    full = {} if which else {"n_kv_heads": "n_kv_full", "d_head": "d_head_full"}
    renamed = {**renamed, **{usual: name for usual, name in full.items() if name in letters}}
    own = "n_local_own" if which else "n_global_own"
    sides: dict[str, tuple[Mapping[str, str], Mapping[Any, Any]]] = {"keys and values": (renamed, {})}
    if "d_value" in letters:  # each side by what counts both, where these are of one width
        one = {key_and_value: one_of_both, score_and_sum: score}
        sides = {"keys": (renamed, one), "values": ({**renamed, "d_head": "d_value"}, one)}
    for side, (names, only) in sides.items():
        kind, work = f"{side} {which}".rstrip(), attention_flops_per_context_token
        met = Kept(kind, kv_bytes_per_token, work, tokens, tokens, tokens, ALL, renamed=names, only=only)
        if own not in letters:
            yield met
            continue
        # blocks that keep none of their own read those of others, so fewer keep than read
        yield replace(met, kind=f"{kind}, read", held=NEVER, each_token=NEVER, met_each_token=ONCE)
        names = {**names, "n_blocks": own}
        yield Kept(kind, kv_bytes_per_token, None, tokens, NEVER, NEVER, NEVER, renamed=names, only=only)


def _add(made: Builder, config: Any, attends: Collection[int]) -> None:
    windows(made, config, attends)
    kinds, n = {config.heads(block) for block in attends}, len(attends)
    narrow = {"d_head": "d_value"} if any(config.value_width(i) != config.heads(i)[1] for i in attends) else {}
    if narrow:
        made.letters["d_value"] = config.d_value
    made.share_caches([i for i in attends if config.source(i) != i], attends)
    made.vectors("sinks", "n_heads", sum(map(config.has_sinks, attends)))
    shared = any(map(config.shares_keys, attends))
    if len(kinds) > 1 or shared:
        made.letters |= {"n_kv_heads": config.n_kv_heads, "d_head": config.d_head}
        if config.biases or config.joint_norms or config.attention_gate:
            raise made.fields.wrong(
                "it has heads of two kinds with biases, gates or joint norms, which no formula counts"
            )
        made.attention_of_two_kinds(*config.full_heads, shared_keys=config.keys_as_values, norms=config.qk_norm)
        return
    made.letters |= dict(zip(("n_kv_heads", "d_head"), *kinds, strict=True))
    biases = all_or_none(made, config, "query", "key", "value")
    made.attention_blocks(biases=biases, output_biases="output" in config.biases, norms=config.qk_norm, n=n)
    made.unmultiplied("norms", joint_query_key_norm_parameters, n * config.joint_norms)
    made.add("attention", attention_gate_parameters, n * config.attention_gate, renamed=narrow)


KIND = AttentionKind(
    tells="",
    telling=("d_value", "n_kv_full", "d_head_full", "n_local_own", "n_global_own"),
    kept=_kept,
    matrices={
        grouped_attention_parameters: (*_ASKED, _of_token("value", "n_kv_heads", "d_head"), _output("d_head")),
        two_width_attention_parameters: (*_ASKED, _of_token("value", "n_kv_heads", "d_value"), _output("d_value")),
        query_output_parameters: (_ASKED[0], _output("d_value")),
        shared_key_attention_parameters: (
            _of_token("query", "n_heads", "d_head_full"),
            _of_token("key", "n_kv_full", "d_head_full"),
            _output("d_head_full"),
        ),
        attention_gate_parameters: (_of_token("gating.gate", "n_heads", "d_head"),),
    },
    order=(
        *(f"attention.{name}" for name in ("query", "key", "value")),
        *(ATTENTION, "attention.gating.gate", "attention.output"),
    ),
    runs="Heads",
    add=_add,
    names={("norms", "d_head"): ("query_norm.*", "key_norm.*"), ("sinks", "n_heads"): ("sinks",)},
    copied={"n_kv_heads": "key/value heads", "n_kv_full": "key/value heads in blocks without a window"},
    traits=(
        ("d_head_full", Trait.TWOFOLD),
        ("n_local_own", Trait.BORROWING),
        ("n_global_own", Trait.BORROWING),
        ("d_head_full", Trait.UNEQUAL),
        ("d_value", Trait.NARROW),
    ),
)
