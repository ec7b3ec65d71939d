"""Rows for layers in a second memory: how many stay, how many lie there, and how fast a step is with them"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..answers.explanation import Explanation
from ..answers.gather import picked
from ..answers.memory_fit import given
from ..architecture import Trait
from ..catalogue.named import layers_that_fit, memory_time_with_cache, offloaded_step_time
from ..notation import LETTERS, R, D_layer, F, F_host, M_layer, W_host, W_stream, n_movable
from ..presets.parse_value import read_option
from ..notation import M
from ..units import BYTE, ONE, humanize
from . import number_search
from .report import Report
from .rows import Row, noted


@dataclass(frozen=True)
class Host:
    """A second memory, and what computes beside it, as they are asked about.

    Attributes:
        bandwidth: bytes a second that are read of it.
        flops: peak arithmetic of what computes beside it; None where not known.
        memory: its bytes; None where not known.
        link: bytes a second of it that the machine is brought; None where that is not asked.
    """

    bandwidth: Fraction
    flops: Fraction | None = None
    memory: Fraction | None = None
    link: Fraction | None = None

    @classmethod
    def read(cls, given: Mapping[str, object]) -> Host | None:
        """The second memory of options by name; None where no bandwidth is given."""
        letters = {"host_bandwidth": W_host, "host_flops": F_host, "host_memory": M, "host_link": W_stream}
        read = {
            name.removeprefix("host_"): read_option(name, LETTERS[letter], given[name])
            for name, letter in letters.items()
            if given[name] is not None
        }
        return cls(**read) if read else None
