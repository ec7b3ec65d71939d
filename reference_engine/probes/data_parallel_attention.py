"""Questions about attention that is data parallel: sequences are dealt out to devices, and heads are not

What a device keeps and reads is put beside what it does where heads are dealt out and every device attends for all.
"""

from __future__ import annotations

from ..parallel import DataParallelAttention
from .counts import Passed
from .ledger_selections import CACHE_READ, MATRICES, both, count
from .measures import Combined, Count, Elsewhere, Zero, elsewhere
from .parametrised_configs import devices_of
from .registry import about
from .runs import Passes, Run, Values
from .subjects import Subject
from .tensor_parallel import EVEN, STEP, Devices, of_each, stepped, together


def _dealt_out(subject: Subject, values: Values) -> Passes:
    """A decoding step that brings the context to `context`, of as many sequences on each device."""
    batch = devices_of(values) * values["batch_each"]
    made = stepped(subject, {**values, "batch": batch}, kind=DataParallelAttention)
    return (Passed(1, together(made), batch),)


_LOAD = ("batch_each", "context")
DEALT_OUT = Run("step of devices with sequences of their own", (*_LOAD, "n_bytes_act"), _dealt_out)
ATTENTION_WEIGHTS = tuple(path for path in MATRICES if ".attention." in path)


_BATCH = Devices() * "batch_each"


def _of_heads(count: Count) -> Elsewhere:
    """A count of a step whose heads are dealt out, of as many sequences, for a device in the mean."""
    return elsewhere(of_each(count), run=STEP, batch=_BATCH)


def _more(count: Count) -> Combined:
    """Excess of a count, for a device in the mean, with sequences of its own over that with heads of its own."""
    return of_each(count) - _of_heads(count)


_DEALT = (*EVEN, "split latent", "split compressed")
_READ = both(count("loaded", *ATTENTION_WEIGHTS), CACHE_READ)
about(DEALT_OUT, *EVEN, "split compressed", context=1, n_bytes_act=4)(
    "dealt.weights_more",
    "How many more weights of attention does a device load for sequences of its own than for heads of its own?",
    _more(count("loaded", *ATTENTION_WEIGHTS, each=4)),
    "P_more",
)
about(DEALT_OUT, *EVEN, "split compressed", batch_each=1, context=1, n_bytes_act=4)(
    "dealt.weight_bytes_more",
    "How many more bytes of attention's weights does a device load for sequences of its own than for heads of its own?",
    _more(count("loaded", *ATTENTION_WEIGHTS)),
)
about(DEALT_OUT, *_DEALT, n_bytes_act=4)(
    "dealt.cache_bytes_less",
    "How many fewer bytes of caches does a device load for sequences of its own, for each of all sequences?",
    (_of_heads(CACHE_READ) - of_each(CACHE_READ)) / _BATCH,
)
about(DEALT_OUT, "copied", "split compressed", batch_each=1, n_bytes_act=4)(
    "dealt.reads_alike",
    "At which batch does attention load as much by sequences as by heads?",
    Zero(_more(_READ), "batch_each") * Devices(),
    "B_own",
)
