"""Experts on several devices: each token's vector goes to those that it is sent to, and what they make of it comes back

Tokens and experts are dealt out over the devices. What stays on its device crosses no link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..formats import F64, Array, Format
from ..ledger import Ledger


def exchange(
    ledger: Ledger,
    vectors: Array,
    routes: Array,
    experts: Sequence[Callable[[Array], Array]],
    devices: int,
    format: Format = F64,
) -> Array:
    """(tokens, d) through experts -> (tokens, d), the sums of what each token's experts make of it.

    Args:
        ledger: what is sent is entered under `there` and `back`, by one entry for all devices.
        vectors: of token i on device i modulo `devices`.
        routes: (tokens, chosen), of each token its experts.
        experts: as many on each device, in order.
        devices: how many there are.
        format: how vectors travel.
    """
    each, found = len(experts) // devices, np.zeros_like(vectors)  # (tokens, d)
    for token in ledger.loop(routes.shape[0]):
        for choice in ledger.loop(routes.shape[1]):
            expert = routes[token, choice]
            here, there = int(token % devices), expert // each
            made = experts[expert](_sent(ledger, "there", vectors[token], format, here != there))  # (d,)
            with ledger.scope("experts"):
                ledger.record("add", 1)  # a token that has come to an expert
            found[token] += _sent(ledger, "back", made, format, here != there)
    return found  # (tokens, d)


def _sent(ledger: Ledger, way: str, vector: Array, format: Format, crosses: bool) -> Array:
    if not crosses:
        return vector
    message = format.pack(vector)  # (blocks,)
    with ledger.scope(way):
        ledger.record("send", sent=message.nbytes)
    return format.unpack(message)
