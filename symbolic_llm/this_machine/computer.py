"""A computer whose work can be timed: this one, or one that is simulated"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Action = Callable[[], object]  # a piece of work, done again at each call


@dataclass(frozen=True)
class Shape:
    """Sizes of a decoder like LLaMA's, whose output matrix is its embedding."""

    n_blocks: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    n_vocab: int

    @property
    def config(self) -> dict[str, Any]:
        """Fields of a config.json that describes it."""
        return {
            "model_type": "llama",
            "num_hidden_layers": self.n_blocks,
            "hidden_size": self.d_model,
            "num_attention_heads": self.n_heads,
            "num_key_value_heads": self.n_kv_heads,
            "head_dim": self.d_head,
            "intermediate_size": self.d_ff,
            "vocab_size": self.n_vocab,
            "tie_word_embeddings": True,
        }


@dataclass(frozen=True)
class Noise:
    """Disturbances of a thread that does nothing but ask for the time.

    Attributes:
        lost: share of its time in which it did not run.
        stolen: share of the processors that a host gave to other guests; None where the system does not say.
        others: share of the processors that other programs used; None where the system does not say.
    """

    lost: float
    stolen: float | None
    others: float | None


@dataclass(frozen=True)
class Subject:
    """A decoder that can be run and that the formulas know.

    Attributes:
        name: what it is called.
        model: the same model for the formulas: a path, or the fields of a config.json.
        weights: the number format that the formulas are told; None where the model's file says it.
        format: the number format of most weights.
        n_blocks: number of its blocks.
        products: number of matrices that a step multiplies.
        decoder: what runs.
    """

    name: str
    model: Any
    weights: str | None
    format: str
    n_blocks: int
    products: int
    decoder: Any


class Computer(ABC):
    """A computer with a clock.

    Attributes:
        title: its processor, and how many threads are used.
        system: operating system and libraries.
        threads: how many threads "all" are.
        memory: bytes of memory there are.
        free: bytes of it that are free.
    """

    title: str
    system: str
    threads: int
    memory: int
    free: int

    @abstractmethod
    def now(self) -> float:
        """Seconds on its clock."""

    @abstractmethod
    def ran(self) -> float:
        """Seconds that threads of this program ran, all of them together."""

    @abstractmethod
    def noise(self, seconds: float) -> Noise:
        """Disturbances while a thread spins for so long."""

    @abstractmethod
    def reading(self, n_bytes: int, threads: int) -> tuple[Action, int]:
        """Action that reads so many bytes again and again, each thread its share, and the bytes of all its passes."""

    @abstractmethod
    def copying(self, n_bytes: int) -> Action:
        """Action that copies so many bytes elsewhere, with all threads: as many are read, and as many written."""

    @abstractmethod
    def width(self, format: str) -> float:
        """Bytes of one number in this format; `UnknownName` if the engine has no such format."""

    @abstractmethod
    def products(self, format: str, rows: int, columns: int, copies: int) -> Callable[[int], Action]:
        """Actions that multiply vectors by a matrix in this format, by the number of vectors.

        Each call takes the next of so many copies of the matrix, so that none waits in a cache.
        """

    @abstractmethod
    def synthetic(self, shape: Shape, format: str, name: str) -> Subject:
        """Decoder of these sizes whose weights mean nothing; `SymbolicLLMError` if it does not fit."""

    @abstractmethod
    def loaded(self, path: str) -> Subject:
        """Decoder in a model file; `SymbolicLLMError` says why there is none."""

    @abstractmethod
    def step(self, subject: Subject, batch: int, context: int) -> Action:
        """Action that decodes one token of each sequence, which looks at `context` tokens, itself among them."""
