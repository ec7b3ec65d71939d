"""Kinds of things that blocks keep of a sequence, with its bytes and operations as sums over these kinds

A block keeps keys and values, of all tokens or of a window; latent vectors; keys of an index; entries of compressed
runs; or a state. Each kind has formulas for one token of it, in all of its blocks. This module says how many tokens
that is: kept, moved by a step, met by a new token, or by one of a prompt. A decoder may have any kinds beside each
other; the letters that count the blocks of each kind tell which ones it has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from ..algebra import Integer, floor
from ..formula import Formula
from ..formulas.shared import BEYOND_WINDOW, each_sequence, half, one_token, there_and_back
from ..frozen_dict import fix
from ..notation import (
    C_chunk,
    C_prompt,
    D_chunk,
    N,
    N_prompt,
    a,
    a_prompt,
    n_chunk,
    n_new,
    n_picked,
    n_window,
    named,
)
from ..numeral import count
from ..unevaluated import Max, Min
from ..units import SEQUENCE, TOKEN
from .attention import kind_of
from .cache_kind import name_of
from .device_share import SHARES
from .products import ATTENTION, STATE
from .recurrent import BLOCK_LETTERS, KINDS
from .summed_letters import ON_DEVICES, SUMMED, Row
from .sums import Addend, summed

one_of_both = count(1, "vector: a key, or a value")
one_entry = count(1, "an entry is as wide as the vector of one token", TOKEN / SEQUENCE)


class Times(NamedTuple):
    """Number of tokens' worth of something in a context of N tokens.

    Attributes:
        number: how many; None of what does not grow with the sequence, which is there once.
        why: the same in words.
        run: tokens of a run, where one is counted of each full run.
        up_to: how many tokens, or runs, there are at most.
        whole: the number for several new tokens that pick each their own, so that all are there.
    """

    number: Any
    why: str = ""
    run: Any = None
    up_to: Any = None
    whole: Any = None

    @property
    def grows(self) -> bool:
        """Whether a longer sequence has more of it."""
        return N in getattr(self.number, "free_symbols", ())


ONCE, NEVER = Times(None), Times(0)
IN_THE_MEAN = Times(None, "in the mean over all steps")
BOTH_WAYS = Times(there_and_back, "read, and written back")
ALL = Times(N, "of every token")
WINDOWS = Times(N - BEYOND_WINDOW, "of the tokens in the window", up_to=n_window)
PICKED = Times(Min(N, n_picked), "of the tokens that are picked", up_to=n_picked, whole=ALL)
_CHUNK_WINDOW = n_window + n_chunk / each_sequence - one_token  # of all tokens of a chunk together


def one_of_each_run(run: Any, which: str) -> Times:
    """An entry for each full run of so many tokens, which are `which` runs in words."""
    return Times(one_entry * floor(N / run), f"one of each {which} run that is full", run=run)


def picked_runs(runs: Times, most: Any, why: str) -> Times:
    """So many runs at most, that are picked."""
    return Times(Min(runs.number, most), why, run=runs.run, up_to=most, whole=runs)


def share_of(runs: Times) -> Times:
    """The part of a run that one token is."""
    return Times(one_entry / runs.run, "for the tokens of a run")


@dataclass(frozen=True)
class Kept:
    """A kind of thing that blocks keep.

    Attributes:
        kind: in words.
        each: bytes of one token in all of these blocks; of the whole sequence, where it does not grow.
        work: operations of a new token with one token of it; None where it meets none.
        held: how many tokens' worth is held of a sequence.
        moved: how many a decoding step moves.
        met: how many a new token meets.
        of_prompt: how many a prefill moves, and each of its tokens meets, unless `met_by_prompt` says otherwise.
        prompt_work: operations of a prompt's token with one token of it; as `work` if left out.
        each_token: what of one token a longer sequence keeps more.
        met_each_token: what of one token a new one meets more then; as `each_token` if left out.
        operation: the operation that meets or moves it, as the engine's ledger calls it.
        renamed: letters of the formulas that are the model's under another name.
        only: numerals of the formulas of which a part is kept: of a key and a value, one of the two.
    """

    kind: str
    each: Formula
    work: Formula | None
    held: Times
    moved: Times
    met: Times
    of_prompt: Times
    prompt_work: Formula | None = None
    met_by_prompt: Times | None = None
    each_token: Times = ONCE
    met_each_token: Times | None = None
    operation: str = ATTENTION
    renamed: Mapping[str, str] = field(default_factory=dict, hash=False)
    only: Mapping[Any, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        fix(self)
        object.__setattr__(self, "prompt_work", self.prompt_work or self.work)
        object.__setattr__(self, "met_by_prompt", self.met_by_prompt or self.of_prompt)
        object.__setattr__(self, "met_each_token", self.met_each_token or self.each_token)

    @property
    def chunk_moved(self) -> Times:
        """Number of tokens' worth of this kind that a chunk of a prompt moves."""
        return _of_chunk(self.moved)

    @property
    def chunk_met(self) -> Times:
        """Number of tokens' worth of this kind that each token of a chunk meets."""
        return _of_chunk(self.met)

    @property
    def met_before(self) -> Times:
        """Number of tokens' worth that a token of a prompt meets, in the mean, if none meets what comes after it.

        Each meets what a new token would: itself and what is before it, in its window, or picked by an index.
        """
        if not self.met.grows:
            return self.met
        return Times(one_token * over_steps(self.met).xreplace({N: Integer(0), n_new: N}) / N, "before it, in the mean")


def _of_chunk(times: Times) -> Times:
    """Number of tokens' worth for a chunk of a prompt, made from the number for a new token.

    The context is the prompt so far, N_prompt. Windows reach back from the first token of the chunk. Each of its tokens
    picks others, so all tokens count as picked.
    """
    if times == WINDOWS:
        number = N_prompt - (Max(N_prompt, _CHUNK_WINDOW) - _CHUNK_WINDOW)
        return Times(number, "of the tokens in the windows of the chunk")
    if times == IN_THE_MEAN:  # which is over steps
        return NEVER
    whole = times.whole or times
    return Times(whole.number.xreplace({N: N_prompt}), whole.why) if whole.grows else whole


def value_of(kept: Kept, formula: Formula) -> Any:
    """Right-hand side of a formula for what is kept, in the letters of the decoder."""
    return formula.rhs.xreplace({named(old): named(new) for old, new in kept.renamed.items()}).xreplace(kept.only)


def kinds(letters: Collection[str]) -> tuple[Kept, ...]:
    """Kinds of things that a decoder keeps, by the names of its letters, of which none has the value 0."""
    return tuple(_kinds(frozenset(letters)))


def _kinds(letters: frozenset[str]) -> Iterator[Kept]:
    yield from kind_of(letters).kept(letters)
    for state in KINDS:
        if state.blocks in letters:
            met, moved = ONCE if state.work else NEVER, BOTH_WAYS
            what = state.kept, state.nbytes, state.work
            yield Kept(*what, ONCE, moved, met, moved, met_by_prompt=met, each_token=NEVER, operation=STATE)


Keeping = Callable[[frozenset[str], str, Times, Mapping[str, str]], Iterator[Kept]]


def attending(letters: frozenset[str], kept: Keeping) -> Iterator[Kept]:
    """Kinds that blocks with a window keep, then those that the other attending blocks keep.

    Args:
        letters: those of the decoder.
        kept: what such blocks keep, by these letters, the words for windows, the tokens, and how blocks are counted.
    """
    if "n_local" in letters:
        yield from kept(letters, "of windows", WINDOWS, {"n_blocks": "n_local"})
    if "n_global" in letters or not letters & {"n_local", *BLOCK_LETTERS}:
        yield from kept(letters, "", ALL, {"n_blocks": "n_global"} if "n_global" in letters else {})


def _up_to(tokens: Any) -> Any:
    """Sum 1 + 2 + … + `tokens`."""
    return tokens * (tokens + one_token) / half


def _of_runs(tokens: Any, run: Any) -> Any:
    """Number of full runs, added up over all contexts of up to `tokens` tokens."""
    full = floor(tokens / run)
    return run * full * (full - 1) / half + full * (tokens - run * full + one_token)


def _beyond(tokens: Any, kink: Any) -> Any:
    return Max(tokens, kink) - kink


def over_steps(times: Times) -> Any:
    """Number of tokens' worth that all steps of an answer move together, from N + 1 to N + n_new tokens of context."""
    before, after, run, most = N, N + n_new, times.run, times.up_to
    if not times.grows:
        return n_new / one_token if times.number is None else times.number * n_new / one_token
    if run is None:
        all_of_them = n_new * (N + (n_new + one_token) / half) / one_token
        if most is None:
            return all_of_them
        return all_of_them - (_up_to(_beyond(after, most)) - _up_to(_beyond(before, most))) / one_token
    full = (_of_runs(after, run) - _of_runs(before, run)) / one_token
    if most is not None:  # from there on a step more picks no more
        most = run * most / one_entry
        full -= (_of_runs(_beyond(after, most), run) - _of_runs(_beyond(before, most), run)) / one_token
    return one_entry * full


# Where kernels skip what is masked, each token of a prompt meets what a new one would
_OF_PROMPTS: Mapping[Any, Row] = {
    C_prompt: ("Operations of a prompt's token with those before it", "prompt_work", "met_before"),
}
# A chunk's tokens meet what a new token would, but for what each of them picks for itself: then all is read and met
_OF_CHUNKS: Mapping[Any, Row] = {
    D_chunk: ("Bytes of its prompt that a chunk moves", "each", "chunk_moved"),
    C_chunk: ("Operations of a chunk's token with its prompt so far", "work", "chunk_met"),
}


@cache
def sums(letters: frozenset[str]) -> tuple[Formula, ...]:
    """Formulas for bytes and operations of a sequence: sums over what a decoder with these letters keeps."""
    return _sums(letters, SUMMED)


@cache
def sums_of_prompts(letters: frozenset[str]) -> tuple[Formula, ...]:
    """Formulas for what a prompt's token meets, where kernels skip what is masked, in a decoder with these letters."""
    return _sums(letters, _OF_PROMPTS, "causal")


@cache
def sums_of_chunks(letters: frozenset[str]) -> tuple[Formula, ...]:
    """Formulas for what a chunk of a prompt meets and moves, in a decoder with these letters."""
    return _sums(letters, _OF_CHUNKS)


def _sums(letters: frozenset[str], rows: Mapping[Any, Row], room: str = "kept") -> tuple[Formula, ...]:
    found, kept = [], kinds(letters)
    whole = [(letter, letter, dict[Any, Any]()) for letter in rows]
    of_device = [(letter, of, SHARES) for of, letter in ON_DEVICES.items() if of in rows]
    for letter, of, shares in (*whole, *of_device):
        title, which, times = rows[of]
        if letter in (a, a_prompt) and any(one.met.whole for one in kept):
            continue  # no two tokens of the context are met alike
        addends = [
            Addend(
                one.kind,
                formula,
                one.renamed,
                () if many.number is None else ((many.number, many.why),),
                shares={**shares, **one.only},
            )
            for one in kept
            if (formula := getattr(one, which)) is not None
            for many in [getattr(one, times)]
            if many != NEVER
        ]
        title = f"{title}, on a device" if shares else title
        found.append(summed(f"{room}.{name_of(letters)}", letter, title, addends))
    return tuple(found)
