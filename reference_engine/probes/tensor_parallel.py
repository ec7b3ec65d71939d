"""Several devices: what they hold, do and send when they share a decoder, and questions about it"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from ..arrays import zeros
from ..formats import of_width
from ..ledger import Ledger
from ..parallel import TensorParallel
from .counts import Passed
from .ledger_selections import ATTENTION, CACHE_READ, MATRICES, PASS, PASS_WITH_CACHE, PRODUCTS, count
from .measures import Answer, Asked, Tokens, elsewhere
from .parametrised_configs import devices_of
from .registry import about
from .runs import OF_LOGITS, Passes, Routing, Run, Values, prompted, sent, ways
from .sharing import LATENCIES, LINK, MESSAGES, link_of
from .subjects import Subject
from .time_measures import OnClock, Time, apart

_USUAL = Fraction(4)


def shared(
    subject: Subject,
    values: Values,
    memory: Any = None,
    kind: type[TensorParallel] = TensorParallel,
    route: Routing = (),
) -> TensorParallel:
    """A decoder of this kind and shape on several devices, that has seen nothing."""
    weights, cache, messages = (values.get(name, _USUAL) for name in ("n_bytes", "n_bytes_kv", "n_bytes_act"))
    config = subject.config(values, n_bytes=weights, n_bytes_kv=cache)
    link, route_of = link_of(values), sent(route, values)
    return kind(config, devices_of(values), messages=of_width(messages), link=link, memory=memory, route=route_of)


def stepped(
    subject: Subject, values: Values, route: Routing = (), kind: type[TensorParallel] = TensorParallel
) -> TensorParallel:
    """Devices after a decoding step that brings the context to `context`."""
    made = shared(subject, values, kind=kind, route=route)
    batch, context = values["batch"], values["context"]
    made.start(batch, context)
    made.context = context - 1
    made.decode(zeros(batch, int))
    return made


def _prompted(subject: Subject, values: Values, route: Routing = ()) -> TensorParallel:
    """Devices after a prefill of `context` tokens of each sequence, of which the last ones may be asked for logits."""
    made = shared(subject, values, route=route)
    made.prefill(zeros((values["batch"], prompted(values)), int), logits=values.get("logits"))
    return made


_Done = Callable[[Subject, Values, Routing], TensorParallel]
_Items = tuple[tuple[str, Any], ...]


@lru_cache(maxsize=2**10)
def _of_pass(done: _Done, subject: Subject, items: _Items, route: Routing) -> tuple[Ledger, Ledger]:
    """Ledgers of a pass: of all devices together, and of the first device. One run gives both."""
    made = done(subject, dict(items), route)
    return together(made).taken(), made.shares[0].ledger.taken()


def _pass(done: _Done, place: int, subject: Subject, values: Values) -> Passes:
    """A pass in all its routings: entries of all devices if `place` is 0, of the first device if it is 1."""
    items = tuple(values.items())
    tokens = values["batch"] * (prompted(values) if done is _prompted else 1)
    return tuple(
        Passed(times, _of_pass(done, subject, items, route)[place], tokens)
        for times, route in ways(subject, values, tokens)
    )


def _clocked(done: _Done, subject: Subject, values: Values) -> Passes:
    """A pass of devices whose links keep time, to the last device's end; where tokens are sent makes no difference."""
    made = done(subject, values, ())
    return (Passed(1, together(made), clock=max(made.ring.clocks)),)


def _held(place: int, subject: Subject, values: Values) -> Passes:
    """Bytes held with the caches of a batch: by all devices if `place` is 0, by the first device if it is 1."""
    made = shared(subject, values)
    made.start(values["batch"], values["context"])
    return (Passed(1, (together(made), made.shares[0].ledger)[place]),)


def together(made: TensorParallel) -> Ledger:
    """Ledger of all devices together: operations, traffic, messages and held bytes."""
    found = Ledger()
    found.enter_together([(share.ledger.entries, share.ledger.held) for share in made.shares], made.devices)
    return found


_LOAD = ("batch", "context")
STEP = Run("step of all devices", (*_LOAD, "n_bytes_act"), partial(_pass, stepped, 0))
FIRST_STEP = Run("step of the first device", (*_LOAD, "n_bytes_act"), partial(_pass, stepped, 1))
PROMPT = Run("prompt of all devices", (*_LOAD, "n_bytes_act"), partial(_pass, _prompted, 0))
LOGITS = Run("prompt of all devices, of which logits are asked", ("batch", *OF_LOGITS, "n_bytes_act"), PROMPT.passes)
FIRST_LOGITS = Run("prompt of the first device, of which logits are asked", LOGITS.takes, partial(_pass, _prompted, 1))
HELD = Run("held by all devices", _LOAD, partial(_held, 0))
CLOCKED_STEP = Run("step of all devices with a clock", (*STEP.takes, *LINK), partial(_clocked, stepped))
CLOCKED_LATENCIES = Run("step of all devices whose links have a latency", (*STEP.takes, LINK[0]), CLOCKED_STEP.passes)
CLOCKED_PROMPT = Run(
    "prompt of all devices with a clock", (*_LOAD, *OF_LOGITS, "n_bytes_act", *LINK), partial(_clocked, _prompted)
)
FIRST_HELD = Run("held by the first device", _LOAD, partial(_held, 1))  # which has no less of anything than any other


@dataclass(frozen=True)
class Devices(Answer):
    """Number of devices that share a decoder."""

    def of(self, asked: Asked) -> Any:
        return devices_of(asked.values)


def of_each(answer: Answer) -> Answer:
    """Mean of a count over all devices, for one of them; divided by a rate, if one is named."""
    return answer / Devices()


# Time that a device waits for the messages of a pass, in which it has nothing else to do: that of its own, one after
# the other, if the last device's clock stands at just that
_WAITING = OnClock(of_each(MESSAGES), CLOCKED_STEP)
_WAITING_IN_A_PROMPT = OnClock(of_each(MESSAGES), CLOCKED_PROMPT)


SHARED = ("split", "copied", "uneven", "split latent")
HEADS = ("split", "copied", "uneven")
EVEN = ("split", "copied")
EXPERTS = ("split experts", "copied experts")
LATENT = ("split latent", "split latent experts")
WINDOWED = ("split windowed", "split mixed", "split mixed experts")
KEEPING = (*HEADS, "split latent", "split windowed", "split mixed")  # who keeps tokens in each way there is
TIMED = (*EVEN, "split experts", *LATENT, *WINDOWED)


about(STEP, "split", "split latent", devices=2, batch=1, context=1, n_bytes_act=4)(
    "devices.all_reduces",
    "How many all-reduces are there in a decoding step of two devices, each of which sends two messages for one?",
    count("messages", each=4),
    "n_reduces",
)
about(STEP, *SHARED)(
    "devices.bytes_sent",
    "How many bytes does a device send in a decoding step, in the mean over all that share it?",
    of_each(count("sent")),
    "D_reduce",
)
about(FIRST_HELD, *HEADS, n_blocks=1, pairs=1, batch=1, context=1)(
    "devices.key_value_heads",
    "How many key/value heads of a block does the first device keep, which has no fewer than any other?",
    count("held", "cache.*.keys", each=8),
    "n_kv_device",
)
about(HELD, *HEADS, batch=1, context=1)(
    "devices.cache_bytes_of_a_token",
    "How many bytes do the caches of a device hold for one token, in the mean over all devices?",
    of_each(count("held", "cache.*")),
    "m_device",
)
about(HELD, *HEADS, batch=1, context=1)(
    "devices.cache_bytes_of_a_token_together",
    "How many bytes do the caches of all devices hold for one token?",
    count("held", "cache.*"),
)
about(STEP, *KEEPING, batch=1, n_bytes_act=4)(
    "devices.context_bytes_read",
    "How many bytes of caches does a device load in a decoding step of one sequence, in the mean over all devices?",
    of_each(CACHE_READ),
    "D_seq_device",
)
about(STEP, *KEEPING, batch=1, n_bytes_act=4)(
    "devices.context_flops",
    "How many operations does a new token take with what a device keeps, in the mean over all devices?",
    of_each(count("flops", *PRODUCTS)),
    "C_seq_device",
)
about(STEP, *SHARED)(
    "devices.time_of_all_reduces",
    "How long does a device wait for the all-reduces of a decoding step?",
    _WAITING,
    "T_reduce",
)
about(STEP, *SHARED)(
    "devices.latency_of_all_reduces",
    "How long does a device wait for the all-reduces of a decoding step if bytes take no time?",
    OnClock(of_each(LATENCIES), CLOCKED_LATENCIES),
)
about(STEP, *SHARED)(
    "devices.transfer_of_all_reduces",
    "How many bytes does a device send in a decoding step, at how many a second?",
    of_each(count("sent") / "link_bandwidth"),
)
about(STEP, *TIMED)(
    "devices.tokens_of_a_step",
    "For how many new tokens does a decoding step of several devices return logits?",
    Tokens(),
)
about(STEP, *TIMED)(
    "devices.throughput",
    "How many tokens does a decoding step of several devices give, in which time, all-reduces included?",
    Tokens() / (elsewhere(Time(PASS_WITH_CACHE), run=FIRST_STEP) + _WAITING),
    "R",
)

# Questions about the weights that a device multiplies and reads where several share every layer

READ = count("loaded", *MATRICES, each=4)
about(STEP, *HEADS, batch=1, context=1, n_bytes_act=4)(
    "devices.weights_multiplied",
    "How many weights does a device load to multiply them, in the mean over all devices?",
    of_each(READ),
    "P_device",
)
about(STEP, *EVEN, *EXPERTS, "split latent experts", n_bytes_act=4)(
    "devices.weights_read",
    "How many weights does a device load in a decoding step to multiply them, in the mean over all devices?",
    of_each(READ),
    "P_read_device",
)

# Questions about prompts that several devices take in together

_PROMPTED = (*HEADS, "split expanded", "split windowed", "split mixed")

about(LOGITS, *_PROMPTED, n_bytes_act=4)(
    "devices.prefill_flops",
    "How many operations do the matrix products of a prefill take on a device, in the mean over all devices?",
    of_each(count("flops", op="matmul")),
    "C_device",
)
about(PROMPT, *_PROMPTED, batch=1, n_bytes_act=4)(
    "devices.prompt_context_flops",
    "How many operations does a token of a prompt take on a device, beyond those with weights, in the mean over all?",
    of_each(count("flops", *PRODUCTS) / "context"),
    "C_prompt_device",
)
about(PROMPT, *_PROMPTED, batch=1, n_bytes_act=4)(
    "devices.prompt_bytes_read",
    "How many bytes of caches does a device load in a prefill of one sequence, in the mean over all devices?",
    of_each(CACHE_READ),
    "D_prompt_device",
)
about(PROMPT, *SHARED)(
    "devices.time_of_all_reduces_in_a_prefill",
    "How long does a device wait for the all-reduces of a prefill?",
    _WAITING_IN_A_PROMPT,
)

# Times of a decoding step and of a prefill; latent vectors of a prompt are read as keys and values of heads

_TIMES = (
    ("", "step", "a decoding step", STEP, FIRST_STEP, _WAITING, TIMED),
    (
        *("prefill_", "prefill", "a prefill", LOGITS, FIRST_LOGITS, _WAITING_IN_A_PROMPT),
        (*EVEN, "split experts", "split expanded", *WINDOWED),
    ),
)
for _of, _name, _words, _run, _first, _waiting, _subjects in _TIMES:
    about(_run, *_subjects)(
        f"devices.{_of}compute_time",
        f"How many operations do matrices and attention of {_words} take on a device, at how many a second?",
        of_each(PASS_WITH_CACHE.computing),
    )
    for _what, _question, _load in (
        ("", f"How long does {_words} take on the first device, all-reduces left out?", PASS_WITH_CACHE),
        ("_of_matrices", f"How long do the matrices of {_words} take on the first device?", PASS),
        ("_of_attention", f"How long do scores and weighted sums of {_words} take on the first device?", ATTENTION),
    ):
        about(_first, *_subjects)(f"devices.{_of}share_time{_what}", _question, Time(_load))
    about(_run, *_subjects)(
        f"devices.separate_{_name}_time",
        f"How long does {_words} take on several devices whose attention waits until their matrices are done?",
        elsewhere(apart(PASS, ATTENTION), run=_first) + _waiting,
        f"T_{_name}",
    )
    about(_run, *_subjects)(
        f"devices.{_name}_time",
        f"How long does {_words} take on several devices, all-reduces included?",
        elsewhere(Time(PASS_WITH_CACHE), run=_first) + _waiting,
        f"T_{_name}",
    )
