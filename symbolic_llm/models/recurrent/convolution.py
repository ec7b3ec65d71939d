"""Gated short convolutions, which keep their last inputs and no other state"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...catalogue.named import convolution_bytes, convolution_parameters, gated_convolution_parameters
from ..builder import Builder
from ..products import D_MODEL, Matrix, one_width
from .kind import RecurrentKind


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


def _add(made: Builder, n_global: int, n_conv: int, fields: Mapping[str, Any]) -> None:
    """Add the blocks that a configuration of the engine has."""
    convolve(made, n_global, n_conv, width=fields["width"], kernel=fields["kernel"], biases=fields["biases"])


KIND = RecurrentKind(
    blocks="n_conv",
    kept="inputs of convolutions",
    nbytes=convolution_bytes,
    work=None,
    row="convolution inputs per sequence",
    matrices={
        gated_convolution_parameters: (
            Matrix("state.in", lambda at: 3 * at["d_conv"], D_MODEL),  # a gate before, a gate after, values
            Matrix("state.out", D_MODEL, one_width("d_conv")),
        )
    },
    names={("biases", "d_conv"): ("state_in.bias", "state_taps.bias"), ("biases", "d_model"): ("state_out.bias",)},
    evenly={"d_conv": "channels of convolutions"},
    runs="Convolution",
    add=_add,
)
