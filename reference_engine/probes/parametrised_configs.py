"""The fields of a configuration from the parameters that a subject is given by, their factors where shapes divide"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, get_args

from ..attention.compressed import Compression
from ..attention.index import Index
from ..attention.latent import Latent
from ..formats import of_width
from ..recurrent.convolution import Convolution
from ..recurrent.kind import Recurrent
from ..recurrent.states import Rule, States
from ..routing import Routing
from ..streams import Streams


def grouped(given: dict[str, Any]) -> dict[str, Any]:
    """Fields with heads from their groups and pairs, and experts in all blocks where some are given."""
    group, pairs, experts = given.pop("group"), given.pop("pairs", 0), _experts(given)
    heads = {"d_head": 2 * pairs} if pairs else {}
    return {**given, **heads, **experts, "n_heads": given["n_kv_heads"] * group}


def _experts(given: dict[str, Any], sparse: tuple[bool, ...] = (True,)) -> dict[str, Any]:
    """Fields of experts in some blocks, all if it is not said in which; none where none are given."""
    return {"n_experts": given["n_active"] + given.pop("idle"), "sparse": sparse} if "idle" in given else {}


def projected(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of a model that is wider than its embedding."""
    excess = given.pop("excess")
    return {**given, "d_model": given["d_embedding"] + excess}


def kept(given: dict[str, Any]) -> dict[str, Any]:
    """Fields with embedding and output matrix in a format of their own."""
    return {"ends": of_width(given.pop("n_bytes_2")), **grouped(given)}


def mixed(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of blocks that attend to all, if it says how many, then some with a window."""
    n_global, n_local, window = given.pop("n_global", 0), given.pop("n_local"), given.pop("window")
    windows = (None,) * n_global + (window,) * n_local
    return grouped({**given, "n_blocks": n_global + n_local, "windows": windows})


def twofold(given: dict[str, Any]) -> dict[str, Any]:
    """Fields with windows in some blocks and heads of another kind in the others; all have as many query heads."""
    pairs_full, made = given.pop("pairs_full"), mixed(given)
    return {**made, "n_heads": made["n_heads"] * made["n_kv_full"], "d_head_full": 2 * pairs_full}


def beside_attention(
    n: str, kind: Callable[[dict[str, Any], tuple[bool, ...]], Recurrent], given: dict[str, Any]
) -> dict[str, Any]:
    """Fields of blocks that attend, then of some of a kind with a state; the parameter `n` says how many of these."""
    n_global, others = given.pop("n_global"), given.pop(n)
    states = kind(given, (False,) * n_global + (True,) * others)
    return grouped({**given, "n_blocks": n_global + others, "states": states})


def _heads_with_states(rule: Rule, given: dict[str, Any], blocks: tuple[bool, ...]) -> States:
    groups = given.pop("n_state_groups")
    heads = groups * given.pop("state_group")
    n_key, n_value, kernel = (given.pop(name) for name in ("d_state_key", "d_state_value", "n_kernel"))
    return States(rule, heads, groups, n_key, n_value, kernel, blocks)


def _convolution(given: dict[str, Any], blocks: tuple[bool, ...]) -> Convolution:
    return Convolution(given.pop("d_conv"), given.pop("n_kernel"), False, blocks)


delta, mamba = (partial(beside_attention, "n_state", partial(_heads_with_states, rule)) for rule in get_args(Rule))
convolving = partial(beside_attention, "n_conv", _convolution)


def windowed(given: dict[str, Any]) -> dict[str, Any]:
    """Fields with a window in every block."""
    window = given.pop("window")
    return grouped({**given, "windows": (window,)})


def mixtral(given: dict[str, Any]) -> dict[str, Any]:
    """Fields with experts in every block, but for `n_dense` blocks without."""
    return grouped(_with_experts(given))


def _with_experts(given: dict[str, Any]) -> dict[str, Any]:
    n_dense = given.pop("n_dense", 0)
    n_moe = given.pop("n_moe", given.get("n_blocks"))
    experts = _experts(given, (False,) * n_dense + (True,) * n_moe)
    shared = {"n_shared": given.pop("n_shared_experts")} if "n_shared_experts" in given else {}
    return {**given, "n_blocks": n_dense + n_moe, **experts, **shared}


def offloaded(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of blocks whose matrices lie in the first memory, then some in the second; of their experts, if any."""
    near, far = given.pop("near"), given.pop("far")
    beside, dense = (False,) * near + (True,) * far, given.get("n_dense", 0)
    if "n_active" in given:
        return {**mixtral({**given, "n_moe": near + far}), "offloaded": (False,) * dense + beside}
    return {**grouped({**given, "n_blocks": near + far}), "offloaded": beside}


def wholly_offloaded(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of blocks all of whose matrices lie in the second memory, then some whose experts do."""
    return {**mixtral(given), "offloaded": (True,)}


def latent(given: dict[str, Any], index: Index | None = None, **how: Any) -> dict[str, Any]:
    """Fields of latent attention, with compressed queries or without; `how` are further fields of its kind."""
    kind = Latent(given.pop("d_latent"), 2 * given.pop("pairs"), given.pop("d_query", 0), index=index, **how)
    d_head = given.pop("d_nope")
    return {**given, "d_head": d_head, "n_kv_heads": given["n_heads"], "attention": kind}


def picked(given: dict[str, Any], *, picks: bool = True, **how: Any) -> dict[str, Any]:
    """Fields of latent attention with picked tokens: blocks with an index of their own, then some that follow.

    Without an index, where it `picks` none, attention reads all.
    """
    n_index, n_follow = given.pop("n_index"), given.pop("n_follow")
    width, picked = 2 * given["pairs"] + given.pop("index_excess"), given.pop("picked")
    index = Index(given.pop("n_index_heads"), width, picked, (True,) * n_index + (False,) * n_follow)
    # in the blocks without an index, so that nothing ties the number of the one to the other
    experts = _experts(given, (False,) * n_index + (True,) * n_follow)
    return latent({**given, **experts, "n_blocks": n_index + n_follow}, index if picks else None, **how)


def compressing(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of blocks with a window alone, with short runs and an index, with long runs.

    All have experts, one of them shared.
    """
    n_sliding, n_csa, n_hca = (given.pop(name) for name in ("n_sliding", "n_csa", "n_hca"))
    pairs, groups = given.pop("pairs"), given.pop("n_output_groups")
    compression = Compression(
        ("window",) * n_sliding + ("sparse",) * n_csa + ("heavy",) * n_hca,
        given.pop("r_csa"),
        given.pop("r_hca"),
        given.pop("n_index_heads"),
        2 * pairs + given.pop("index_excess"),
        given.pop("picked"),
        groups,
        given.pop("d_output"),
        given.pop("d_query"),
        2 * pairs,
    )
    made = {
        "n_blocks": n_sliding + n_csa + n_hca,
        "n_heads": groups * given.pop("group_each"),
        "n_kv_heads": 1,
        "d_head": 2 * pairs + given.pop("head_excess"),
        "windows": (given.pop("window"),),
        "n_experts": given["n_active"] + given.pop("idle"),
        "n_shared": 1,
        "attention": compression,
        "streams": Streams(given.pop("n_streams"), 2),
        "routing": Routing("root_softplus", 1.5),
    }
    return {**given, **made}


def devices_of(values: Mapping[str, Any]) -> Any:
    """Number of devices that share a decoder."""
    return values["devices"] if "devices" in values else values["n_kv_heads"] * values["copies"]


def split(given: dict[str, Any], **how: Any) -> dict[str, Any]:
    """Fields with widths from the share of each device.

    Heads come from each device's share as well, or from the devices that share the query heads of a key/value head.
    `how` are further fields of latent attention.
    """
    devices = devices_of(given)
    given.pop("devices", None)
    widths = {"ff_each": "d_ff", "vocab_each": "n_vocab", "model_each": "d_model", "kv_each": "n_kv_heads"}
    widths |= {"heads_each": "n_heads", "expert_each": "d_expert"}
    made = {width: devices * given.pop(each) for each, width in widths.items() if each in given}
    if "group_each" in given:
        made["group"] = given.pop("group_each") * given.pop("copies", devices)
    if "d_latent" in given:
        return latent({**(_with_experts(given) if "n_moe" in given else given), **made}, **how)
    if "window" in given:
        return (windowed if "n_blocks" in given else mixed)({**given, **made})
    return (mixtral if "n_moe" in given else grouped)({**given, **made})
