"""A cache that is handed on: one machine has read the prompt, another goes on with the answer

What crosses the link are the packed keys and values of the tokens so far, or what blocks keep in their place: latent
vectors, entries of runs, states. Weights stay where they are, since both machines have them.
"""

from __future__ import annotations

from ..memory import OffChip
from ..model import Decoder


def hand_over(sender: Decoder, receiver: Decoder) -> None:
    """Send what a decoder keeps of its sequences to another of the same configuration, which then goes on from there.

    The receiver makes room for just these tokens; caches that grow take more. What was sent is in the sender's ledger,
    by block. `OutOfMemory` if it does not fit; the receiver is then as it was.
    """
    receiver.start(sender.batch, sender.context)
    for block in range(sender.config.n_blocks):
        room = _kept(receiver, block)
        for name, numbers in _kept(sender, block).items():
            with sender.ledger.scope(f"blocks.{block}.handover.{name}"):
                # of the tokens so far alone, where the sender has room for more
                numbers.send_to(room[name], (slice(None), slice(0, room[name].shape[1])))
    receiver.context = sender.context


def _kept(decoder: Decoder, block: int) -> dict[str, OffChip]:
    """Numbers that a block keeps of the sequences, by name: its caches, or its state and inputs."""
    caches = {name: cache.vectors for name, cache in decoder.caches[block].items()}
    return caches | {name: kept.vectors for name, kept in decoder.kept.get(block, {}).items()}
