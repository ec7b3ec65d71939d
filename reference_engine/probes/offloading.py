"""Questions about weights in a second memory, and about what computes where they lie

Blocks wait for each other. So a step takes what its machine has to do, and then what is done in the second memory: two
clocks, of which the second starts when the first has ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from ..memory import BESIDE, OffChip, SecondMemory, move
from ..model import Decoder
from .counts import Passed
from .ledger_selections import PASS_WITH_CACHE, THERE, count
from .measures import Answer, Asked, Elsewhere, Given, elsewhere
from .memory_search import Most, Room, last
from .registry import about
from .runs import STEP, WEIGHTS, Passes, Run, Values, decoder
from .subjects import Subject
from .time_measures import Load, Time

_OFFLOADED = ("offloaded", "offloaded experts")
_FAR = Load(count("loaded", *THERE), count("flops", *THERE, op="matmul"))


def _at_rates(time: Answer, bandwidth: str, flops: str) -> Elsewhere:
    """A time on a machine with other rates."""
    return elsewhere(time, bandwidth=bandwidth, flops=flops)


_WHERE_THEY_LIE = _at_rates(Time(_FAR), "host_bandwidth", "host_flops")
about(STEP, *_OFFLOADED)(
    "offload.time_in_the_first_memory",
    "How long does all take in a decoding step that its machine does with what lies in its own memory?",
    Time(PASS_WITH_CACHE),
)
about(STEP, *_OFFLOADED)(
    "offload.time_in_the_second_memory",
    "How long do the matrices of a decoding step take that lie in a second memory, and are multiplied there?",
    _WHERE_THEY_LIE,
)
about(STEP, *_OFFLOADED)(
    "offload.step_time",
    "How long does a decoding step take whose matrices lie in two memories, each multiplied where it lies?",
    Time(PASS_WITH_CACHE) + _WHERE_THEY_LIE,
    "T_step",
)
about(STEP, *_OFFLOADED)(
    "offload.computing_there_is_faster",
    """Do the matrices in a second memory take less time in a decoding step where they lie than if a link brings them to
    the machine, which multiplies what has arrived while the rest is on its way?""",
    _at_rates(Time(_FAR), "stream", "flops") > _WHERE_THEY_LIE,
)


# How many layers stay


@dataclass(frozen=True)
class MostLayers(Most):
    """Largest number of layers whose matrices, or experts, have room in the first memory; the others are in a second.

    Caches of the batch are in the first memory, and all other weights.
    """

    def of(self, asked: Asked) -> int:
        room = Room(asked, self)
        (made,) = self.decoders(asked.subject, asked.values)
        layers = len(_by_layer(made))
        return last(lambda number: number <= layers and room.fits(**{self.of_what: number}))

    def decoders(self, subject: Subject, values: Values, memory: Any = None) -> list[Decoder]:
        made = decoder(subject, values, values["context"], memory=memory, offloaded=True)
        made.start(values["batch"], values["context"])
        return [made]

    def take(self, made: Decoder, values: Values) -> None:
        """Move so many layers into the first memory; all, if there are not as many."""
        for names in _by_layer(made)[: values[self.of_what]]:
            for name in names:
                move(_weights(made), name, made.machine)

    def leaving_room(self, values: Values, number: int) -> dict[str, int]:
        """More layers than so many, so that one is left for the second memory."""
        return {"n_moe" if "n_moe" in values else "n_blocks": number + 1}

    def give_back(self, made: Decoder) -> None:
        """Move all layers that can be there into the second memory."""
        second = SecondMemory(made.machine)
        for name in chain(*_by_layer(made)):
            if not made.weights[name].is_beside:
                move(_weights(made), name, second)


def _weights(made: Decoder) -> dict[str, OffChip]:
    """Weights of a decoder that this module has made, so that they can be put into another memory."""
    assert isinstance(made.weights, dict), "a run's decoder has a dictionary of its own"
    return made.weights


def _by_layer(made: Decoder) -> list[list[str]]:
    """Names of the weights that can lie in a second memory, layer by layer."""
    names = [name for name in made.config.shapes if made.config.lies_beside(name)]
    return [list(of_layer) for _, of_layer in groupby(names, key=lambda name: name.split(".")[1])]


def _moved(subject: Subject, values: Values) -> Passes:
    """Weights and the caches of a batch, with all layers that can be there in a second memory."""
    (made,) = MostLayers("near").decoders(subject, values)
    return (Passed(1, made.ledger),)


MOVED = Run("held with all layers moved that can be", ("batch", "context"), _moved)

about(MOVED, "llama", "experts")(
    "offload.left_by_what_stays",
    "How many bytes of the first memory are free beside all that cannot move, with a second memory for the others?",
    Given("memory") - count("held", "*", f"!*.{BESIDE}"),
)
about(WEIGHTS, *_OFFLOADED, far=1)(
    "offload.bytes_of_a_layer",
    "How many bytes does a second memory hold in which one layer lies?",
    count("held", f"weights.*.{BESIDE}"),
    "M_layer",
)
about(None, "llama", "experts", more=("batch", "context"))(
    "offload.layers_that_stay",
    "How many layers have room in the first memory beside all that cannot move, with a second memory for the others?",
    MostLayers("near"),
    "n_near",
)

# Which weights move first


def _longer_for_a_byte(*paths: str) -> Answer:
    """Time by which reading takes longer from the second memory, for each byte that lies there."""
    read, held = (one.part(paths) for one in (_FAR.loads, count("held", f"weights.*.{BESIDE}")))
    return (read / "host_bandwidth" - read / "bandwidth") / elsewhere(held, run=WEIGHTS)


about(STEP, "wholly offloaded")(
    "offload.experts_move_first",
    """Does reading take longer from the second memory, for each byte of experts that lies there, by no more than for
    each byte of other matrices?""",
    _longer_for_a_byte("*.experts.*") <= _longer_for_a_byte("!*.experts.*"),
)
