"""A model on a machine, by hand: every figure of a sizing, by the row's key

What is added up is in `by_hand`. A figure is None where there is none: nothing printed for the device, weights that do
not fit, a batch or a context that does not exist.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import floor
from pathlib import Path

from by_hand import Decoder, Layer

PRESETS = Path(__file__).parent.parent / "symbolic_llm" / "presets"
DEVICES = tomllib.loads((PRESETS / "hardware.toml").read_text(encoding="utf-8"))
FORMATS = tomllib.loads((PRESETS / "formats.toml").read_text(encoding="utf-8"))
SCALES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Mi": 2**20, "Gi": 2**30}
STORED = ("fp16", "q8_0", "int8", "q4_0", "int4")
ROUNDED = 1024  # tokens beyond which powers are rounded, to thirty digits

Figures = dict[str, Fraction | None]


@dataclass(frozen=True)
class Load:
    """The work that a machine is asked to do, and the formats that it is done in."""

    hardware: str
    context: int
    batch: int
    prefill: str = "full"
    dtype: str = "fp16"
    weights: str | None = None
    cache: str | None = None

    def printed(self, what: str) -> Fraction | None:
        """A figure of the device, as the source prints it that stands first."""
        for figures in DEVICES[self.hardware]["from"].values():
            if what in figures:
                number, unit = figures[what].split()
                prefix = unit.removesuffix("/s").removesuffix("FLOP").removesuffix("B")
                return Fraction(number) * SCALES[prefix]
        return None

    @property
    def n_bytes(self) -> Fraction:
        """Of a weight."""
        return bytes_of(self.weights or self.dtype)

    @property
    def n_bytes_kv(self) -> Fraction:
        """Of a number in the cache."""
        return bytes_of(self.cache or self.dtype)


def bytes_of(name: str) -> Fraction:
    """Of a number in a format."""
    return Fraction(FORMATS[name]["n_bytes"])


def parts(model: Decoder) -> dict[str, tuple[int, int]]:
    """Number of weights in one copy of each part, and number of copies that are stored, by the part's name."""
    copies: Counter[str] = Counter()
    for weights in model.weights:
        copies[weights.name] += weights.stored
    return {weights.name: (weights.each, copies[weights.name]) for weights in model.weights}


def cached(layers: Iterable[Layer], context: int) -> int:
    """Numbers that the cache of one sequence keeps."""
    return sum(layer.kept * layer.seen(context) for layer in layers)


def moved(layers: Iterable[Layer], context: int) -> int:
    """Numbers that a step reads of what is kept of one sequence."""
    return sum(layer.moved * layer.seen(context) for layer in layers)


def decoding(model: Decoder, context: int) -> int:
    """FLOPs of one new token: two for each weight, and attention layer by layer."""
    return 2 * model.multiplied + sum(layer.decode * layer.seen(context) for layer in model.layers)


@cache
def pairs(tokens: int, window: int | None) -> int:
    """Pairs of a token and one that it attends to, its own future left out."""
    return sum(range(1, tokens + 1)) if window is None else sum(min(i, window) for i in range(1, tokens + 1))


def unasked(model: Decoder, tokens: int, way: str) -> int:
    """FLOPs of the output matrix for the positions of a prompt that get no logits."""
    return (tokens - 1) * 2 * model.output if way in ("served", "last-logits") else 0


def prompt(model: Decoder, tokens: int, way: str) -> int:
    """FLOPs of a prompt."""
    if way in ("served", "causal"):
        attention = sum(layer.prompt * pairs(tokens, layer.window) for layer in model.layers)
    else:
        attention = sum(layer.prompt * tokens * tokens for layer in model.layers)
    return tokens * 2 * model.multiplied + attention - unasked(model, tokens, way)


def weights_read(model: Decoder, tokens: int) -> Fraction:
    """Weights that a pass over so many tokens reads: each expert unless all of them pass it by."""
    there, picked = model.experts
    if tokens <= ROUNDED:
        missed = Fraction(there - picked, there) ** tokens
    else:
        with localcontext(Context(prec=60)):
            missed = Fraction((Decimal(there - picked) / Decimal(there)) ** tokens)
    of_all = model.idle * Fraction(there, (there - picked) or 1)  # the experts of all layers
    return model.multiplied - (of_all - model.idle) + of_all * (1 - missed)


def critical(model: Decoder, machine: tuple[Fraction, Fraction], n_bytes_kv: Fraction) -> Fraction | None:
    """The context at which one more sequence adds as much reading as arithmetic; None if there is none.

    Between the windows both grow evenly, so it is enough to look where the balance is at their ends.
    """
    bandwidth, peak = machine

    def balance(context: int) -> Fraction:
        return moved(model.layers, context) * n_bytes_kv / bandwidth - decoding(model, context) / peak

    at = 0
    for window in sorted({layer.window for layer in model.layers if layer.window}):
        if balance(window) >= 0:
            return at + (window - at) * balance(at) / (balance(at) - balance(window))
        at = window
    step = balance(at + 1) - balance(at)
    return at - balance(at) / step if step > 0 else None


def crossover(model: Decoder, load: Load, bandwidth: Fraction, peak: Fraction) -> Fraction | None:
    """The batch whose arithmetic takes as long as reading all experts and its caches; None if it never does."""
    each_adds = decoding(model, load.context) / peak
    each_reads = moved(model.layers, load.context) * load.n_bytes_kv / bandwidth
    reading = (model.multiplied + model.idle) * load.n_bytes / bandwidth
    return reading / (each_adds - each_reads) if each_adds > each_reads else None


def longest(model: Decoder, load: Load, room: Fraction) -> int | None:
    """The longest context of the batch that fits and that the model was made for; None where any context fits."""

    def fits(context: int) -> bool:
        return load.batch * cached(model.layers, context) * load.n_bytes_kv <= room

    low, high = 0, model.limit or 2**62
    if fits(high):
        return model.limit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def one_after_the_other(
    parts: Iterable[tuple[Fraction, int]], bandwidth: Fraction | None, peak: Fraction | None
) -> Fraction | None:
    """Time of parts one after the other; each overlaps its own reading with its own arithmetic, and no other's."""
    if not bandwidth or not peak:
        return None
    return sum((max(read / bandwidth, computed / peak) for read, computed in parts), Fraction(0))


def figures(model: Decoder, load: Load) -> Figures:
    """Every figure of a sizing."""
    N, B, n_bytes, n_bytes_kv = load.context, load.batch, load.n_bytes, load.n_bytes_kv
    found: dict[str, Fraction | int | None] = {"parameters": model.stored, "multiplied_parameters": model.multiplied}
    found |= {f"each_{name}": each for name, (each, _) in parts(model).items()}
    if model.used != model.stored:
        found["active_parameters"] = model.used
    found |= {f"weight_bytes_{name}": model.stored * bytes_of(name) for name in (*STORED, load.weights or load.dtype)}
    held = B * cached(model.layers, N) * n_bytes_kv
    found |= {"kv_bytes_per_token": cached(model.layers, 1) * n_bytes_kv, "kv_bytes": held}
    loaded = B * moved(model.layers, N) * n_bytes_kv
    asked = prompt(model, N, load.prefill)
    found |= {"flops_per_token_decode": decoding(model, N), "flops_prefill": asked}
    if model.rest is not None:
        everything = decoding(model, N) + model.rest + model.rest_seen * N
        found["flops_per_token_decode_all_operations"] = everything
        found["flops_prefill_all_operations"] = N * everything
    M, W, F = (load.printed(what) for what in ("memory", "bandwidth", load.dtype))
    found["held"] = model.stored * n_bytes + held
    reading = (weights_read(model, B) * n_bytes + loaded) / W if W else None
    computing = B * decoding(model, N) / F if F else None
    step = max(reading, computing) if reading and computing else None
    found |= {"decode_memory_time": reading, "decode_compute_time": computing, "decode_time": step}
    matrices, attention = B * 2 * model.multiplied, B * (decoding(model, N) - 2 * model.multiplied)
    apart = [(weights_read(model, B) * n_bytes, matrices), (loaded, attention)]
    found["decode_time_by_parts"] = by_parts = one_after_the_other(apart, W, F)
    found["throughput"] = B / by_parts if by_parts else None
    # every key and value that the pass makes is read once, also those that a window forgets before its end
    read = weights_read(model, B * N) * n_bytes + B * N * moved(model.layers, 1) * n_bytes_kv
    found["prefill_time"] = max(B * asked / F, read / W) if W and F else None
    weights, prompts = (
        weights_read(model, B * N) * n_bytes,
        B * (N * 2 * model.multiplied - unasked(model, N, load.prefill)),
    )
    apart = [(weights, prompts), (read - weights, B * asked - prompts)]
    found["prefill_time_by_parts"] = one_after_the_other(apart, W, F)
    if not model.idle:
        found["matrices_crossover"] = n_bytes / W / (2 / F) if W and F else None
    found["batch_crossover"] = crossover(model, load, W, F) if W and F else None
    found["critical_context"] = critical(model, (W, F), n_bytes_kv) if W and F else None
    room = M - model.stored * n_bytes if M else Fraction(0)
    fit = floor(room / (cached(model.layers, N) * n_bytes_kv)) if room > 0 else None
    found |= {"largest_batch": fit, "largest_context": longest(model, load, room) if room > 0 else None}
    return {name: None if value is None else Fraction(value) for name, value in found.items()}
