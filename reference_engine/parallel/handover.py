"""A cache that is handed on: one machine has read the prompt, another goes on with the answer

What crosses the link are the packed keys and values of the tokens so far, or what blocks keep in their place: latent
vectors, entries of runs, states. Weights stay where they are, since both machines have them.
"""

from __future__ import annotations

from ..model import Decoder


def hand_over(sender: Decoder, receiver: Decoder) -> None:
    """Send what a decoder keeps of its sequences to another of the same configuration, which then goes on from there.

    The receiver makes room for just these tokens; caches that grow take more. What was sent is in the sender's ledger,
    by block. `OutOfMemory` if it does not fit; the receiver is then as it was.
    """
    receiver.start(sender.batch, sender.context)
    for block in range(sender.config.n_blocks):
        for name, kept in sender.caches[block].items():
            room = receiver.caches[block][name].vectors
            with sender.ledger.scope(f"blocks.{block}.handover.{name}"):
                # of the tokens so far alone, where the sender has room for more
                kept.vectors.send_to(room, (slice(None), slice(0, room.shape[1])))
    receiver.context = sender.context
