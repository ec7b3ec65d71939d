"""Decoders that mix blocks with attention and blocks with a state, or that are a short convolution"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..catalogue.named import (
    convolution_parameters,
    delta_matrix_parameters,
    gated_convolution_parameters,
    mamba_matrix_parameters,
    state_norm_parameters,
)
from ..formula import Formula
from .builder import Builder, shared
from .config import Fields

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


def convolve(made: Builder, n_global: int, n_conv: int, *, width: int, kernel: int, biases: bool) -> None:
    """Add n_conv blocks that are a gated short convolution, beside n_global that attend.

    Args:
        made: builder that gets the parts.
        n_global: blocks that attend.
        n_conv: blocks that are a convolution; a model without any has no letters of them.
        width: channels.
        kernel: inputs of a channel that are mixed, the newest included.
        biases: whether matrices and convolutions have biases.
    """
    if not n_global:
        raise made.fields.wrong("a model of this kind must have both attention blocks and convolution blocks")
    if not n_conv:
        return
    made.letters |= {"n_global": n_global, "n_conv": n_conv, "d_conv": width, "n_kernel": kernel}
    made.add("states", gated_convolution_parameters, n_conv)
    made.unmultiplied("states", convolution_parameters, n_conv)
    made.vectors("biases", "d_conv", 4 * n_conv * biases)  # of both gates, of values, and of the convolution
    made.vectors("biases", "d_model", n_conv * biases)


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
