"""A kind of block with a state, as the engine sees it"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..cache import Kept as Kept  # for those who write a kind
from ..formats import Array, Format

if TYPE_CHECKING:
    from ..layers import Layers


class Recurrent(ABC):
    """A kind of block that keeps something of one size of a sequence, in the place of attention.

    Names of its weights begin with `state_`; what its pass enters in the ledger stands under `blocks.*.state`, and a
    matrix there under its name without `state_`.

    Attributes:
        matrices: names of all matrices that such a block may have, without `state_`.
        products: where its pass multiplies a token with what is kept.
    """

    matrices: ClassVar[tuple[str, ...]]
    products: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def blocks(self) -> tuple[bool, ...]:
        """For each block whether it is of this kind, layer by layer and repeated."""

    @abstractmethod
    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of a block's weights: matrices (outputs, inputs), vectors (width,), biases (outputs,)."""

    @abstractmethod
    def held(self) -> dict[str, tuple[int, ...]]:
        """Shapes of what a block keeps of a sequence, by name."""

    def format_of(self, name: str, cache: Format) -> Format:
        """Format of what is kept under a name: the cache's, unless the kind has one of its own."""
        return cache

    def in_format(self, format: Format) -> Self:
        """A kind with another format of its own; itself, if it has none."""
        return self

    def needs(self) -> Iterator[tuple[bool, str]]:
        """Conditions on its shapes: whether each holds, and the sentence that says it."""
        yield from ()

    @abstractmethod
    def mix(self, layers: Layers, i: int, kept: Mapping[str, Kept], x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model): the pass of block i, which leaves what it keeps in `kept`."""

    @property
    @abstractmethod
    def pieces(self) -> tuple[int, str]:
        """Number of pieces that devices can share, and what these are, in words."""

    @abstractmethod
    def share(self, pieces: int) -> Self:
        """The kind of a device that has so many pieces."""

    @abstractmethod
    def places(self, name: str, pieces: slice) -> tuple[Any, ...]:
        """Indices of the rows, then of the columns, that a device with these pieces has of a weight.

        None, or left out, for all of them. `name` is without `.weight` and `.bias`.
        """
