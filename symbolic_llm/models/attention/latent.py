"""Latent attention, with an index that picks tokens or without"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...architecture import Trait
from ...catalogue.named import (
    cached_latent_bytes_per_token,
    compressed_query_parameters,
    full_query_parameters,
    index_bytes_per_token,
    index_flops_per_context_token,
    index_parameters,
    latent_attention_flops_per_context_token,
    latent_key_value_parameters,
    latent_kv_bytes_per_token,
    latent_prompt_attention_flops,
)
from ..builder import Builder
from ..products import ATTENTION, D_MODEL, INDEX, Matrix, one_width, total_width
from .kind import AttentionKind, windows

if TYPE_CHECKING:
    from ..caches_and_states import Kept, Times

_QUERY = total_width("n_heads", "d_nope", "d_rope")
ASKING_INDEX = (
    Matrix("attention.index.query", total_width("n_index_heads", "d_index"), one_width("d_query")),
    Matrix("attention.index.weight", one_width("n_index_heads"), D_MODEL),
)


def attend(made: Builder, d_query: int | None) -> None:
    """Add the attention of every block, with queries from a compressed one of that width; None for the token itself."""
    n = made.letters["n_blocks"]
    made.add("attention", latent_key_value_parameters, n)
    made.vectors("norms", "d_latent", n)
    if d_query is None:
        made.add("attention", full_query_parameters, n)
        return
    made.letters["d_query"] = d_query
    made.add("attention", compressed_query_parameters, n)
    made.vectors("norms", "d_query", n)


def index(made: Builder, n_index: int) -> None:
    """Add n_index indexes with their matrices and norms."""
    made.letters["n_index"] = n_index
    made.add("index", index_parameters, n_index)
    made.vectors("norms", "d_index", 2 * n_index)


def _kept(letters: frozenset[str]) -> Iterator[Kept]:
    from ..caches_and_states import ALL, Kept, attending

    yield from attending(letters, _latent)
    if "n_index" in letters:
        each, work = index_bytes_per_token, index_flops_per_context_token
        yield Kept("keys of indexes", each, work, ALL, ALL, ALL, ALL, operation=INDEX)


def _latent(letters: frozenset[str], which: str, tokens: Times, renamed: Mapping[str, str]) -> Iterator[Kept]:
    from ..caches_and_states import ALL, PICKED, Kept

    # a prompt's tokens pick each their own, so all are read and met; and keys and values are made of them
    met, each = PICKED if "n_index" in letters else tokens, latent_kv_bytes_per_token
    work, of_prompt = latent_attention_flops_per_context_token, latent_prompt_attention_flops
    yield Kept(f"latent vectors {which}".rstrip(), each, work, tokens, met, met, ALL, of_prompt, renamed=renamed)


def _add(made: Builder, config: Any, attends: Collection[int]) -> None:
    windows(made, config, attends)
    attention, picking = config.attention, config.attention.index
    if attention.caches_heads:
        raise made.fields.wrong("it caches heads of latent attention, which no formula of a whole counts")
    if biased := set(config.biases) - set(config.mlp):
        raise made.fields.wrong(f"it has biases in {min(biased)} of latent attention, which no formula counts")
    made.letters |= {"d_latent": attention.kv_rank, "d_rope": attention.d_rope}
    made.letters |= {"d_nope": config.d_head, "d_value": config.value_width(0)}
    attend(made, attention.q_rank or None)
    if picking is not None:
        made.letters |= {"n_index_heads": picking.n_heads, "d_index": picking.width, "n_picked": picking.picked}
        index(made, sum(map(picking.is_in, attends)))


KIND = AttentionKind(
    tells="d_latent",
    telling=("d_latent", "n_index"),
    kept=_kept,
    matrices={
        full_query_parameters: (Matrix("attention.query", _QUERY, D_MODEL),),
        compressed_query_parameters: (
            Matrix("attention.query_down", one_width("d_query"), D_MODEL),
            Matrix("attention.query", _QUERY, one_width("d_query")),
        ),
        latent_key_value_parameters: (
            Matrix("attention.latent", lambda at: at["d_latent"] + at["d_rope"], D_MODEL),
            Matrix("attention.key_up", total_width("n_heads", "d_nope"), one_width("d_latent")),
            Matrix("attention.value_up", total_width("n_heads", "d_value"), one_width("d_latent")),
            Matrix("attention.output", D_MODEL, total_width("n_heads", "d_value")),
        ),
        index_parameters: (
            ASKING_INDEX[0],
            Matrix("attention.index.key", one_width("d_index"), D_MODEL),
            ASKING_INDEX[1],
        ),
    },
    order=(
        *(f"attention.{name}" for name in ("query_down", "query", "latent")),
        *(f"attention.index.{name}" for name in ("query", "key", "weight")),
        *(INDEX, "attention.key_up", ATTENTION, "attention.value_up", "attention.output"),
    ),
    runs="Latent",
    add=_add,
    names={
        ("norms", "d_latent"): ("latent_norm.*",),
        ("norms", "d_query"): ("query_down_norm.*",),
        ("norms", "d_index"): ("index_norm.*",),
    },
    apart={
        "n_index": (
            ("latent vectors per token", "latent_bytes_per_token", cached_latent_bytes_per_token),
            ("index keys per token", "index_bytes_per_token", index_bytes_per_token),
        )
    },
    ways=("attention absorbed", "attention expanded"),
    blocks=("n_index",),
    traits=(("n_index", Trait.PICKED), ("d_latent", Trait.LATENT)),
)
