"""Speculative decoding"""

from __future__ import annotations

from ..units import ONE, SECOND, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

alpha = _letter(
    "alpha", ONE, "acceptance: probability that a drafted token is accepted", latex=r"\alpha", share=True, shown="α"
)
gamma = _letter(
    "gamma",
    TOKEN / SEQUENCE,
    "draft length: tokens drafted for each sequence before a pass verifies them",
    latex=r"\gamma",
    whole=True,
    engine="draft_length",
    shown="γ",
)
n_step = _letter("n_step", TOKEN / SEQUENCE, "tokens expected from a step of draft and verification")
T_draft = _letter("T_draft", SECOND, "time to draft one token of each sequence", engine="draft_time")
T_verify = _letter("T_verify", SECOND, "time of the pass that verifies a draft")
S_draft = _letter("S_draft", ONE, "speed-up by drafts: tokens a second over those of plain steps")
