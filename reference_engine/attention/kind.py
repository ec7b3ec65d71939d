"""A kind of attention, as the engine sees it"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..cache import Cache
from ..formats import Array
from ..slices import length, shared_heads

if TYPE_CHECKING:
    from ..config import Config
    from ..layers import Layers

Shapes = dict[str, tuple[int, ...]]
# (layers, block, caches by name, (batch, n, d_model), tokens before) -> (batch, n, d_model): a block's attention
Attend = Callable[["Layers", int, Mapping[str, Cache], Array, int], Array]


@dataclass(frozen=True)
class Share:
    """A device's part of attention, as slices of the whole.

    Attributes:
        heads: query heads.
        kept: what these attend with and devices deal out: key/value heads, or groups of heads.
        full: key/value heads of blocks without a window, which may be of another number.
    """

    heads: slice
    kept: slice
    full: slice


class Attention(ABC):
    """A kind of attention, which all blocks of a decoder have that attend.

    What its pass enters in the ledger stands under `blocks.*.attention`, what its caches hold under `cache.blocks.*`.

    Attributes:
        matrices: where its pass multiplies tokens with matrices.
        products: where it multiplies them with what is kept, besides `scores` and `mix`.
    """

    matrices: ClassVar[tuple[str, ...]]
    products: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def shapes(self, config: Config, block: int) -> Shapes:
        """Shapes of a block's weights, without biases: matrices (outputs, inputs), those of heads with an axis more."""

    @abstractmethod
    def cached(self, config: Config, block: int) -> Shapes:
        """Shapes of the vectors that a block's cache holds of a token, by name."""

    def cache(self, config: Config, block: int, name: str, **how: Any) -> Cache:
        """Cache of the vectors of one name in a block; `how` are arguments of `Cache`."""
        return Cache(window=config.window(block), **how)

    def biased(self, config: Config) -> tuple[str, ...]:
        """Names of the matrices that may have biases."""
        return tuple(name for name, shape in self.shapes(config, 0).items() if len(shape) == 2)

    def rotated(self, config: Config) -> int:
        """Width of the part of a head that rotary positions turn."""
        return config.d_head

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the sentence that says it."""
        yield not config.n_sharing, "only keys and values of heads are shared"
        yield not config.value_norms, "norms of values are of those of heads"

    @abstractmethod
    def mix(self, layers: Layers, i: int, caches: Mapping[str, Cache], x: Array, start: int) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), in block i, of the tokens start, …, start + n − 1."""

    def passing(self) -> Attend:
        """The attention of one pass, which may remember something from block to block."""
        return self.mix

    def limits(self, config: Config) -> tuple[int, ...]:
        """Tokens that there may be until attention does not grow any more as it did."""
        return tuple(window for window in config.windows if window is not None)

    def likeness(self, config: Config, block: int) -> Any:
        """Whatever tells a block from others that have the same window, besides."""
        return None

    def dealt(self, config: Config, devices: int) -> list[Share]:
        """Each device's part of it; `ValueError` if so many cannot share it."""
        heads, kept = shared_heads(config.n_heads, config.n_kv_heads, devices)
        full_heads, full = shared_heads(config.n_heads, config.full_heads[0], devices)
        if heads != full_heads:
            raise ValueError(f"{devices} devices cannot share heads of two kinds alike")
        return [Share(*one) for one in zip(heads, kept, full, strict=True)]

    def fields(self, config: Config, share: Share) -> dict[str, Any]:
        """Fields of a device's configuration that are others than the whole's, beside the number of heads."""
        return {"n_kv_heads": length(share.kept), "n_kv_full": 0 if config.alike else length(share.full)}

    @abstractmethod
    def places(self, config: Config, block: int, name: str, share: Share) -> tuple[Any, ...]:
        """Indices that a device has of a weight along its axes; None, or left out, for all of them."""
