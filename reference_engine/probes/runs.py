"""Runs: what is done with a subject, and what its ledger holds afterwards

Every token of a pass through experts picks n_active of them. All ways in which the tokens can do so are enumerated; a
decoder is sent each way, and what it costs is counted as often as there are such ways. Experts are alike, so one
routing stands for all that use as many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from .. import counting_scalars, ops
from ..arrays import pieces, sized, zeros
from ..config import Config
from ..formats import Array, Blocks, of_width
from ..ledger import Ledger, Tally
from ..memory import Machine, OffChip, SecondMemory, load
from ..model import Decoder
from ..nested import Nested
from ..parallel.handover import hand_over
from ..sizes import Exact, Size, least, most
from .counts import Passed
from .single_head_runs import attend
from .subjects import Subject

Values = Mapping[str, Any]
Routing = tuple[tuple[int, ...], ...]  # of each token, the experts that it is sent to
Passes = tuple[Passed, ...]

_WIDTHS = dict.fromkeys(
    ("n_bytes", "n_bytes_kv", "n_bytes_state"), Fraction(4)
)  # where a question does not depend on them


@dataclass(frozen=True)
class Run:
    """Something that is done with a subject.

    Attributes:
        name: for messages.
        takes: its parameters beside those of the subject.
        passes: what is done, for a subject and the values of all parameters.
        width: the bytes of every number in it; "" where weights, caches and states have their own.
    """

    name: str
    takes: tuple[str, ...]
    passes: Callable[[Subject, Values], Passes]
    width: str = ""


def _widths(values: Values) -> dict[str, Fraction]:
    return {name: values.get(name, usual) for name, usual in _WIDTHS.items()}


def decoder(
    subject: Subject, values: Values, tokens: int, memory: int | None = None, page: int = 0, *, offloaded: bool = False
) -> Decoder:
    """A decoder of this kind and shape that has seen nothing; `offloaded` to a second memory as far as can be."""
    config = subject.config(values, **_widths(values), tokens=tokens)
    if offloaded:
        can = (config.has_experts(block) or not config.n_experts for block in range(config.n_blocks))
        config = replace(config, offloaded=tuple(can))
    machine = Machine(capacity=memory)
    return Decoder(config, machine=machine, weights=_blank(config, machine), page=page)


def _blank(config: Config, machine: Machine) -> dict[str, OffChip]:
    """Weights that are all zero: counts do not depend on them, and drawing them takes time."""
    weights, second = {}, SecondMemory(machine)
    for name, shape in config.shapes.items():
        memory = second if config.lies_beside(name) else machine
        with machine.ledger.scope(f"weights.{name}"):
            weights[name] = memory.reserve(shape, config.stored(name))
    return weights


@lru_cache(maxsize=64)
def _placed(config: Config) -> tuple[Machine, dict[str, OffChip]]:
    """A machine with zero weights, for all decoders of this configuration, wherever they send their tokens."""
    machine = Machine()
    return machine, _blank(config, machine)


def used(subject: Subject, values: Values, tokens: int, route: Routing = ()) -> Decoder:
    """A decoder that has seen nothing, on a machine whose ledger has no passes; others may have held caches there."""
    config = subject.config(values, **_widths(values), tokens=tokens)
    machine, weights = _placed(config)
    machine.ledger.clear()
    return Decoder(config, machine=machine, weights=weights, route=sent(route, values))


def begun(subject: Subject, values: Values, batch: int, context: int, room: int, route: Routing = ()) -> Decoder:
    """A decoder as `used` gives it, whose sequences have so many tokens and room for more.

    What the cache holds of these tokens does not matter for counts.
    """
    made = used(subject, values, room, route)
    made.start(batch, room)
    made.context = context
    return made


def sent(route: Routing, values: Values) -> Callable[[int], Array] | None:
    """Function that sends so many tokens to experts by a routing; None where a decoder has no experts."""
    return (lambda tokens: sized(np.array(route[: int(tokens)]), (tokens, values["n_active"]))) if route else None


def _is_routed(subject: Subject) -> bool:
    return "n_active" in subject.shape


@lru_cache(maxsize=256)
def routings(n_active: int, idle: int, tokens: int) -> tuple[tuple[int, Routing], ...]:
    """Number of routings that use as many different experts, and one of them, for each number of experts.

    Tokens come one after the other. Which experts were used before makes no difference, only how many: so all choices
    of a token are gone through once for each number, with the first experts standing for those that were used.
    """
    found: dict[int, tuple[int, Routing]] = {0: (1, ())}
    for _ in range(tokens):
        longer: dict[int, tuple[int, Routing]] = {}
        for used, (times, example) in found.items():
            for then, (choices, choice) in _next(n_active, idle, used).items():
                before, kept = longer.get(then, (0, (*example, choice)))
                longer[then] = before + times * choices, kept
        found = longer
    return tuple(found.values())


@lru_cache(maxsize=2**12)
def _next(n_active: int, idle: int, used: int) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Number of one token's choices, and one of them, by the number of experts that are used after it.

    A choice takes some experts that were used before, and the others from those that were not.
    """
    unused = n_active + idle - used
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    for new in range(max(0, n_active - used), min(n_active, unused) + 1):
        choice = (*range(n_active - new), *range(used, used + new))
        found[used + new] = comb(used, n_active - new) * comb(unused, new), choice
    return found


def _every(n_active: int, idle: int, tokens: int) -> Routing:
    """A routing of so many tokens that uses every expert, if they are enough."""
    n_active, idle, tokens = int(n_active), int(idle), int(tokens)  # a size would go through it as a number, too
    n_experts = n_active + idle
    return tuple(tuple(sorted((token * n_active + i) % n_experts for i in range(n_active))) for token in range(tokens))


def ways(subject: Subject, values: Values, tokens: int) -> tuple[tuple[int, Routing], ...]:
    """Number of routings of so many tokens that use as many experts, and one of them, for each number of experts.

    A decoder without experts has one way.
    There is one routing alone where there are sizes: what an expert enters goes with those of its tokens.
    """
    if not _is_routed(subject):
        return ((1, ()),)
    if isinstance(tokens, Size):
        return ((1, _every(values["n_active"], values["idle"], tokens)),)
    return routings(values["n_active"], values["idle"], tokens)


# Passes


def _pass(times: int, made: Decoder, logits: Any) -> Passed:
    """A pass: the entries of a decoder's ledger, and how many tokens it returned logits for, which are all."""
    return Passed(times, made.ledger.taken(), logits[..., 0].size)


def _decode(subject: Subject, values: Values, route: Routing = (), times: int = 1) -> Passed:
    """A decoding step that brings the context to `context`."""
    batch, context = values["batch"], values["context"]
    made = begun(subject, values, batch, context - 1, context, route)
    return _pass(times, made, made.decode(zeros(batch, int)))


def _step(subject: Subject, values: Values) -> Passes:
    return tuple(_decode(subject, values, route, times) for times, route in ways(subject, values, values["batch"]))


def _step_of_all(subject: Subject, values: Values) -> Passes:
    """A decoding step of a batch that is large enough to use every expert, and does."""
    batch = most(values["batch"], values["n_active"] + values["idle"])
    route = _every(values["n_active"], values["idle"], batch)
    return (_decode(subject, {**values, "batch": batch}, route),)


def prompted(values: Values) -> Any:
    """Number of tokens of a prompt: `context`, or those that get logits and those that get none."""
    return values["context"] if "context" in values else values["logits"] + values["silent"]


def _prompt(subject: Subject, values: Values) -> Passes:
    batch, context = values["batch"], prompted(values)
    found = []
    for times, route in ways(subject, values, batch * context):
        made = used(subject, values, context, route)
        made.prefill(zeros((batch, context), int), logits=values.get("logits"))
        found.append(Passed(times, made.ledger.taken(), batch * context))
    return tuple(found)


def _token_by_token(subject: Subject, values: Values) -> Passes:
    """A prompt that is decoded token by token, so that each attends to those before it only."""
    route = _every(values["n_active"], values["idle"], values["batch"]) if _is_routed(subject) else ()
    return (_answered(subject, {**values, "context": 0, "new_tokens": values["context"]}, route, 1),)


def steps(made: Decoder, context: int, number: int) -> Iterator[None]:
    """Go through so many steps from a context on, which is set before each.

    Until a window is full, or more tokens are there than an index picks, steps are alike in one way, then in another.
    """
    limits = made.config.attention.limits(made.config)
    filling = most(0, least(number, limits[0] - context)) if limits else number
    for first, turns in ((context, filling), (context + filling, number - filling)):
        for step in made.ledger.loop(turns):
            made.context = first + step
            yield


def _verified(subject: Subject, values: Values) -> Passes:
    """A pass over one new token and a draft behind it, the first of which finds a context as in a decoding step."""
    batch, context, drafted = values["batch"], values["context"], values["draft_length"]
    found = []
    for times, route in ways(subject, values, batch * (drafted + 1)):
        made = begun(subject, values, batch, context - 1, context + drafted, route)
        found.append(_pass(times, made, made.extend(zeros((batch, drafted + 1), int))))
    return tuple(found)


def _held(subject: Subject, values: Values) -> Passes:
    """Weights, and room for the caches of a batch."""
    batch, context = values.get("batch", 0), values.get("context", 0)
    made = decoder(subject, values, context)
    if batch:
        made.start(batch, context)
    return (Passed(1, made.ledger),)


def _paged(subject: Subject, values: Values) -> Passes:
    """Room in pages for the caches of a batch, which grow from none, token by token, to their last page."""
    batch, pages, last, free = (values[name] for name in ("batch", "pages", "last", "free"))
    page = last + free - 1
    context = (pages - 1) * page + last
    made = decoder(subject, values, context, page=page)
    made.start(batch, 0)
    for _, tokens in pieces(0, context, 1):
        for cache in (cache for block in made.caches for cache in block.values()):
            cache.grow(tokens)
    return (Passed(1, made.ledger),)


def _loaded(subject: Subject, values: Values) -> Passes:
    """A machine that has loaded all weights from a storage; what it holds is what has arrived."""
    storage, machine = decoder(subject, values, 0), Machine()
    load(storage.weights, machine)
    return (Passed(1, machine.ledger),)


def _handed_over(subject: Subject, values: Values) -> Passes:
    """The caches of a batch on their way to another machine; what they hold does not matter for counts."""
    batch, context = values["batch"], values["context"]
    made, other = (decoder(subject, values, context) for _ in range(2))
    made.start(batch, context)
    made.context = context
    hand_over(made, other)
    return (Passed(1, made.ledger.taken()),)


_BATCH, _CONTEXT = "batch", "context"
WEIGHTS = Run("weights", (), _held)
LOADED = Run("loaded weights", (), _loaded)
HELD = Run("held", (_BATCH, _CONTEXT), _held)
_OF_PAGES = ("pages", "last", "free")  # full pages but for the last, tokens in that, and one more than it has room for
PAGED = Run("caches in pages", (_BATCH, *_OF_PAGES), _paged)
HANDED_OVER = Run("caches handed over", (_BATCH, _CONTEXT), _handed_over)
STEP = Run("step", (_BATCH, _CONTEXT), _step)
STEP_OF_ALL = Run("step of all experts", (_BATCH, _CONTEXT), _step_of_all)
PROMPT = Run("prompt", (_BATCH, _CONTEXT), _prompt)
OF_LOGITS = ("logits", "silent")  # tokens of a prompt at its end that get logits, and those before them
LOGITS = Run("prompt of which logits are asked", (_BATCH, *OF_LOGITS), _prompt)
TOKEN_BY_TOKEN = Run("token by token", (_BATCH, _CONTEXT), _token_by_token)
VERIFIED = Run("verified draft", (_BATCH, _CONTEXT, "draft_length"), _verified)


# One head of attention, an op, a packed block


def _head(subject: Subject, values: Values) -> Passes:
    machine = Machine()
    attend(machine, subject, values)
    return (Passed(1, machine.ledger),)


def _product(_: Subject, values: Values) -> Passes:
    """A product of matrices, every operation counted as it happens; where there are sizes, term by term of its sums."""
    whole = tuple(values.get(name, 1) for name in ("m", "n", "k"))
    turns, (m, n, k) = (whole, (1, 1, 1)) if any(isinstance(one, Size) for one in whole) else ((1, 1, 1), whole)
    ledger = Ledger()
    done = counting_scalars.counted(ops.product_of_scalars, (m, n), (n, k))
    for _row in ledger.loop(turns[0]):
        for _column in ledger.loop(turns[2]):
            for _term in ledger.loop(turns[1]):
                ledger.entries["product", "counted"] = Tally(flops=done)
    return (Passed(1, ledger),)


def _read_product(_: Subject, values: Values) -> Passes:
    """A product whose first matrix lies off-chip and is read for it, the second being on the chip."""
    m, n, k = (values[name] for name in ("m", "n", "k"))
    machine = Machine()
    matrix = machine.reserve((m, n), of_width(values["n_bytes"]))
    with machine.ledger.scope("product"):
        ops.matmul(machine.ledger, matrix.load(), zeros((n, k)))
    return (Passed(1, machine.ledger),)


_KINDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "block": (Blocks, ("bits", "block", "scale_bits")),
    "nested blocks": (Nested, ("bits", "block", "parts", "part_bits", "shared_bits")),
}


def _packed(subject: Subject, values: Values) -> Passes:
    """A packed block: bytes of its fields and of its numbers; its parts, if it has some, have scales of their own."""
    kind, names = _KINDS[subject.name]
    shape, ledger = [values[name] for name in names], Ledger()
    format, fields = kind(*map(int, shape)), kind.fields(*shape)
    packed = format.pack(np.ones((1, format.block)))
    # no array of records carries sizes, so what its fields are said to take is held against what they do
    assert {name: packed[name].nbytes for name in packed.dtype.names} == {name: int(n) for name, n in fields.items()}
    numbers = sized(format.unpack(packed).astype(np.float32), (1, values["block"] * values.get("parts", 1)))
    for name, nbytes in {**fields, "numbers": numbers.nbytes}.items():
        with ledger.scope(name):
            ledger.hold(nbytes)
    return (Passed(1, ledger),)


HEAD = Run("attention of one head", (), _head, width="n_bytes_act")
PRODUCT = Run("product", (), _product)
READ_PRODUCT = Run("product of a matrix that is read", ("n_bytes",), _read_product, width="n_bytes")
PACKED = Run("packed block", (), _packed)


@lru_cache(maxsize=2**14)
def _kept(run: Run, subject: Subject, items: tuple[tuple[str, Exact], ...]) -> Passes:
    return run.passes(subject, dict(items))


def passed(run: Run, subject: Subject, values: Values) -> Passes:
    """The passes of a run, kept for the next question about them."""
    known = {**_WIDTHS, **values}
    named = (*subject.shape, *run.takes, *_WIDTHS, "n_bytes_act")
    return _kept(run, subject, tuple((name, known[name]) for name in named if name in known))


# Answers: the decoding steps after a prompt, together, each with the context that it finds


def _answered(subject: Subject, values: Values, route: Routing, times: int) -> Passed:
    """The pass of all steps."""
    batch, context, new = values["batch"], values["context"], values["new_tokens"]
    made = begun(subject, values, batch, context, context + new, route)
    for _ in steps(made, context, new):
        made.decode(zeros(batch, int))
    return Passed(times, made.ledger.taken(), batch * new)


def _answer(subject: Subject, values: Values) -> Passes:
    """The decoding steps after a prompt, together.

    All steps send their tokens the same way: the mean of a sum is the sum of the means, however they go together.
    """
    return tuple(_answered(subject, values, route, times) for times, route in ways(subject, values, values["batch"]))


ANSWER = Run("answer", ("batch", "context", "new_tokens"), _answer)
