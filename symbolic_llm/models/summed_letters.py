"""Letters that stand for sums over what a decoder keeps of a sequence, and what a device has of each"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..notation import (
    C_chunk,
    C_chunk_device,
    C_prompt,
    C_prompt_device,
    C_seq,
    C_seq_device,
    D_chunk,
    D_chunk_device,
    D_prompt,
    D_prompt_device,
    D_seq,
    D_seq_device,
    M_seq,
    M_seq_device,
    a,
    a_prompt,
    m_device,
    m_token,
)

Row = tuple[str, str, str]  # title, and which formula of what is kept is taken how many times, by attributes of `Kept`

# Sums over what is kept
SUMMED: Mapping[Any, Row] = {
    M_seq: ("Bytes kept of a sequence", "each", "held"),
    D_seq: ("Bytes of a sequence that a decoding step moves", "each", "moved"),
    C_seq: ("Operations of a new token with what is kept", "work", "met"),
    D_prompt: ("Bytes of a sequence that a prefill moves", "each", "of_prompt"),
    C_prompt: ("Operations of a prompt's token with the others", "prompt_work", "met_by_prompt"),
    m_token: ("Cache bytes of one token", "each", "each_token"),
    a: ("Attention operations for one token of context", "work", "met_each_token"),
    a_prompt: ("Attention operations of a prompt's token with another", "prompt_work", "met_each_token"),
}
# What a device has of each, and of the sums over what chunks of prompts meet and move
ON_DEVICES: Mapping[Any, Any] = {
    M_seq: M_seq_device,
    D_seq: D_seq_device,
    C_seq: C_seq_device,
    m_token: m_device,
    D_prompt: D_prompt_device,
    C_prompt: C_prompt_device,
    C_chunk: C_chunk_device,
    D_chunk: D_chunk_device,
}
