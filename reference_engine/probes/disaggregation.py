"""Questions about machines of which each only prefills or only decodes, and about those that do both

Machines that only prefill take passes over prompts one after the other, those that only decode take steps; how many
passes a second brings follows from the tokens that a pass was given. The link carries what a pass has put into caches.
"""

from __future__ import annotations

from .counts import KV
from .ledger_selections import EVERY, PASS, PASS_WITH_CACHE, count
from .measures import Given, Tokens, elsewhere
from .registry import about
from .runs import HANDED_OVER, LOGITS, PROMPT, STEP
from .time_measures import Time

_DENSE = ("llama", "mixed", "windowed")
_TIME = Time(PASS_WITH_CACHE)
_HANDED = count("sent") / "transfer"
_RATE = Tokens() / _TIME
# how many are busy with the tokens that a second brings
_PREFILLING = Given("arriving") / elsewhere(_RATE, run=PROMPT)
_DECODING = Given("wanted") / elsewhere(_RATE, run=STEP)
about(LOGITS, *_DENSE)(
    "apart.prefill_throughput",
    "How many prompt tokens does a prefill read, in which time, cache reads and attention included?",
    _RATE,
    "R_prefill",
)
about(PROMPT, *_DENSE)(
    "apart.prefill_machines",
    "How many machines are busy with prefilling the prompt tokens that arrive in a second?",
    _PREFILLING,
)
about(PROMPT, *_DENSE)(
    "apart.machines",
    "How many machines are busy that only prefill or only decode, with what a second brings of both?",
    _PREFILLING + _DECODING,
    "n_apart",
)
about(HANDED_OVER, *EVERY, widths=KV)(
    "apart.handover_time",
    "How many bytes of caches and states does a machine send that hands on a batch, at how many a second?",
    _HANDED,
    "T_handover",
)
about(PROMPT, "llama", "experts")(
    "apart.is_handed_on_in_time",
    "Is a link done with the caches of one batch of prompts when the next has been prefilled?",
    elsewhere(_HANDED, run=HANDED_OVER) <= _TIME,
)
about(STEP, "llama", "latent")(
    "apart.mixed_within_target",
    "Does one pass over the tokens of a step and of a prompt take no longer than a target?",
    elsewhere(Time(PASS), batch=("batch", "chunk")) <= "target",
)
about(LOGITS, *_DENSE)("apart.tokens_of_a_prefill", "How many tokens does a prefill read?", Tokens())

# Machines that do both, prompts in turn with steps

_BUSY = _PREFILLING + _DECODING
# time that the prompts take which come with the tokens of a step
_BETWEEN = Tokens() * "arriving" / "wanted" / elsewhere(_RATE, run=PROMPT)
about(STEP, *_DENSE)("load.tokens", "How many tokens are to be generated in a second?", Given("wanted"))
about(STEP, *_DENSE)(
    "load.prefills_of_a_step",
    "How long do the prefills take of as many prompt tokens as arrive with the tokens of a step?",
    _BETWEEN,
)
about(PROMPT, *_DENSE)(
    "load.served_throughput",
    "How many tokens does a machine generate in a second that also prefills the prompts that come with them?",
    Given("wanted") / _BUSY,
    "R_served",
)
about(STEP, *_DENSE)(
    "load.time_between_tokens",
    "How long do a decoding step and the prefills take of as many prompt tokens as come with its tokens?",
    _TIME + _BETWEEN,
    "T_between",
)
about(PROMPT, *_DENSE)(
    "load.is_kept_up_with", "Are machines done with what a second brings before the next one begins?", _BUSY < "servers"
)
