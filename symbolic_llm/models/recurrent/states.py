"""Heads with a state: Mamba-2 and gated delta rules"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...catalogue.named import (
    convolution_parameters,
    delta_matrix_parameters,
    mamba_matrix_parameters,
    state_norm_parameters,
    state_product_flops,
)
from ...catalogue.named import state_bytes as bytes_of_states
from ...formula import Formula
from ..builder import Builder, shared
from ..config import Fields
from ..products import D_MODEL, Matrix, one_width, total_width
from .kind import RecurrentKind

_WIDTHS = {"float32": 4, "float16": 2, "bfloat16": 2}


@dataclass(frozen=True)
class Rule:
    """A rule that updates a state, such as Mamba-2's or the delta rule, by the weights that it takes.

    Attributes:
        matrices: formula for the matrices of a block.
        of_heads: number of vectors with one number for each head.
        is_shared: whether all heads share one norm, or each number of each head has its own weight.
    """

    matrices: Formula
    of_heads: int
    is_shared: bool


MAMBA = Rule(mamba_matrix_parameters, 3, is_shared=False)  # decay, bias of the step, what goes past the state
DELTA = Rule(delta_matrix_parameters, 2, is_shared=True)  # decay, and bias of the step


def mix(
    made: Builder, n_global: int, n_state: int, states: Mapping[str, int], rule: Rule, *, normed: bool = True
) -> None:
    """Add n_state blocks with a state, beside n_global that attend; without any, no letters of states are set."""
    without = made.letters["n_blocks"] - n_global - n_state
    if not n_global or (without and not n_state):
        raise made.fields.wrong("a model of this kind must have both attention blocks and blocks with a state")
    if not n_state:
        return
    if states["n_state_heads"] % states["n_state_groups"]:
        raise made.fields.wrong(
            f"{states['n_state_heads']} heads with a state cannot be divided into {states['n_state_groups']} groups"
        )
    keys = 2 * states["n_state_groups"] * states["d_state_key"]
    channels = keys + states["n_state_heads"] * states["d_state_value"]
    made.letters |= {"n_global": n_global, "n_state": n_state, "d_conv": channels, **states}
    made.add("states", rule.matrices, n_state)
    made.unmultiplied("states", convolution_parameters, n_state)
    made.vectors("states", "n_state_heads", rule.of_heads * n_state)
    if normed and rule.is_shared:
        made.vectors("states", "d_state_value", n_state)
    elif normed:
        made.unmultiplied("states", state_norm_parameters, n_state)


def mamba(fields: Fields, width: int) -> dict[str, int]:
    """Letters of Mamba-2's states whose heads divide a width, with the defaults that most families have."""
    n_heads = fields.whole("mamba_n_heads", 128)
    d_head = shared(fields, width, n_heads, "the width of the states")
    if fields.free("mamba_d_head") != "auto":
        fields.same("mamba_d_head", d_head)
    return {
        "n_state_groups": fields.whole("mamba_n_groups", 1),
        "n_state_heads": n_heads,
        "d_state_key": fields.whole("mamba_d_state", 256),
        "d_state_value": d_head,
        "n_kernel": fields.whole("mamba_d_conv", 4),
        "n_products": 2,
        "n_bytes_state": state_bytes(fields, "mamba_ssm_cache_dtype"),
    }


def state_bytes(fields: Fields, name: str) -> int:
    """Bytes of one number of a state, from the field that names its format; 4 (float32) where it names none."""
    return fields.choice(name, _WIDTHS, "float32")


_VALUES = total_width("n_state_heads", "d_state_value")


def _channels(at: Mapping[str, Any]) -> Any:
    """Width of what a convolution mixes before a state: keys and queries of the groups, values of the heads."""
    return 2 * at["n_state_groups"] * at["d_state_key"] + _VALUES(at)


_MATRICES = (
    Matrix("state.in", _channels, D_MODEL),
    Matrix("state.gate", _VALUES, D_MODEL),
    Matrix("state.out", D_MODEL, _VALUES),
    Matrix("state.step", one_width("n_state_heads"), D_MODEL),
)


def _add(made: Builder, n_global: int, n_state: int, fields: Mapping[str, Any]) -> None:
    """Add the blocks that a configuration of the engine has."""
    letters = {
        "n_state_groups": fields["n_groups"],
        "n_state_heads": fields["n_heads"],
        "d_state_key": fields["n_key"],
        "d_state_value": fields["n_value"],
        "n_kernel": fields["kernel"],
        "n_products": 3 if fields["rule"] == "delta" else 2,
        "n_bytes_state": int(fields["format"].n_bytes),
    }
    mix(made, n_global, n_state, letters, {"delta": DELTA, "mamba": MAMBA}[fields["rule"]])
    made.vectors("biases", "d_conv", n_state)


KIND = RecurrentKind(
    blocks="n_state",
    kept="states",
    nbytes=bytes_of_states,
    work=state_product_flops,
    row="states per sequence",
    matrices={
        mamba_matrix_parameters: _MATRICES,
        delta_matrix_parameters: (*_MATRICES, Matrix("state.take", one_width("n_state_heads"), D_MODEL)),
    },
    names={
        ("states", "n_state_heads"): ("state_shift.*", "state_decay.*", "state_pass.*"),
        ("states", "d_state_value"): ("state_norm.*",),
    },
    evenly={
        "n_state_groups": "groups of heads with states",
        "n_state_heads": "heads with states",
        "d_conv": "channels of convolutions",
    },
    runs="States",
    add=_add,
)
