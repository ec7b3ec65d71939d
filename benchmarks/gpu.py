"""Times of a GPU's decoder: products, attention, whole steps, prompts, written down as JSON

`python benchmarks/gpu.py --out h100.json` runs where PyTorch with CUDA is, which nothing else here takes. What it
writes is a set of measurements: `_doc` says what each column is and in which unit, `tables` hold columns of numbers. It
knows no formula: predictions are somebody else's business.

Everything is timed on the device, by events round a replayed CUDA graph, so that no launch from the host is waited for.
Weights and caches that would stay in the second-level cache are used in turn with copies, at least four times its size,
as the layers of a model are.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import torch
import torch.nn.functional
from torch.nn.attention import SDPBackend, sdpa_kernel

# Llama-3-8B, as its config.json has it
WIDTH, FORWARD, LAYERS, HEADS, KV_HEADS, HEAD, VOCABULARY = 4096, 14336, 32, 32, 8, 128, 128256
MATRICES = {
    "qkv": ((HEADS + 2 * KV_HEADS) * HEAD, WIDTH),
    "out": (WIDTH, WIDTH),
    "gate_up": (2 * FORWARD, WIDTH),
    "down": (WIDTH, FORWARD),
    "square": (8192, 8192),
    "head": (VOCABULARY, WIDTH),
}
TOKENS = [
    1,
    2,
    4,
    8,
    16,
    24,
    32,
    48,
    64,
    96,
    128,
    160,
    192,
    224,
    256,
    288,
    320,
    384,
    448,
    512,
    640,
    768,
    1024,
    2048,
    4096,
]
BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
CONTEXTS = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
PROMPTS = [128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]
L2_COPIES = 4  # times the second-level cache that what is read in turn takes

Table = dict[str, list[Any]]


class Clock:
    """Device and the time that work takes on it.

    Args:
        device: "cuda", or "cpu" to try the script at tiny sizes.
        seconds: how long one figure may be measured for.
    """

    def __init__(self, device: str, seconds: float) -> None:
        self.device, self.seconds = device, seconds
        self.cuda = device == "cuda"
        self.cached = torch.cuda.get_device_properties(0).L2_cache_size if self.cuda else 1 << 16
        self.energy = energy_meter() if self.cuda else None

    def time(self, work: list[Callable[[], Any]]) -> tuple[float, float, float]:
        """Median and least time of one of `work`, which are done in turn, in s; and the mean power of the device, in W.

        A graph goes through all of `work`, often enough to take about two milliseconds. There is no power (NaN) of what
        is measured for less than half a second: the meter is read anew every tenth of one.
        """
        for one in work[:2]:
            one()
        if not self.cuda:
            start = time.perf_counter()
            for one in work:
                one()
            taken = (time.perf_counter() - start) / len(work)
            return taken, taken, math.nan
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        rounds = 1
        with torch.cuda.graph(graph):
            for one in work:
                one()
        once = self._replays(graph, 3)
        if min(once) < 1e-3:
            rounds = min(200, math.ceil(2e-3 / min(once)))
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(rounds):
                    for one in work:
                        one()
        begun, joules = time.perf_counter(), self.energy() if self.energy else math.nan
        times = self._replays(graph, max(5, min(2000, int(self.seconds / max(min(once) * rounds, 1e-4)))))
        passed = time.perf_counter() - begun
        watts = ((self.energy() if self.energy else math.nan) - joules) / passed if passed > 0.5 else math.nan
        each = [taken / rounds / len(work) for taken in times]
        return median(each), min(each), watts

    def _replays(self, graph: Any, count: int) -> list[float]:
        """Time of each of `count` replays, in s."""
        graph.replay()
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        marks[0].record()
        for mark in marks[1:]:
            graph.replay()
            mark.record()
        torch.cuda.synchronize()
        return [one.elapsed_time(other) / 1e3 for one, other in pairwise(marks)]

    def copies(self, n_bytes: int) -> int:
        """How many copies of `n_bytes` keep each out of the second-level cache until its turn comes."""
        return max(1, min(64, math.ceil(L2_COPIES * self.cached / n_bytes)))

    def randn(self, *shape: int, scale: float = 1.0) -> Any:
        """Normal numbers of the given shape in bf16, of standard deviation `scale`."""
        return torch.randn(*shape, device=self.device, dtype=torch.bfloat16).mul_(scale)


def energy_meter() -> Callable[[], float] | None:
    """Function that gives the energy that the device has taken since it was started, in J; None without a meter."""
    with suppress(Exception):  # whatever the binding lacks, the times are measured all the same
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
        return lambda: pynvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1e3
    return None


def reading(clock: Clock, largest: int) -> Iterator[dict[str, Any]]:
    """Reading and copying of n_bytes that lie in turn: below the second-level cache's size the same bytes again."""
    size = 1 << 20
    while size <= largest:
        if size < clock.cached // 2:
            sources = [clock.randn(size // 2)]
        else:
            sources = [clock.randn(size // 2) for _ in range(clock.copies(size))]
        target = torch.empty_like(sources[0])
        total = torch.empty((), device=clock.device, dtype=torch.float32)
        works = {
            "sum": [partial(torch.sum, s, dim=0, dtype=torch.float32, out=total) for s in sources],
            "copy": [partial(target.copy_, s) for s in sources],
        }
        for what, work in works.items():
            middle, least, watts = clock.time(work)
            yield {"what": what, "n_bytes": size, "seconds": middle, "least": least, "watts": watts}
        del sources, target
        size *= 4


def launches(clock: Clock) -> Iterator[dict[str, Any]]:
    """Time that a kernel with next to nothing to do takes: one after the other in a graph, and launched by the host."""
    one = torch.zeros(1, device=clock.device)
    work = [partial(one.add_, 1.0)] * 1000
    middle, least, watts = clock.time(work)
    yield {"what": "graph", "seconds": middle, "least": least, "watts": watts}
    if clock.cuda:
        torch.cuda.synchronize()
    start = time.perf_counter()
    for add in work:
        add()
    if clock.cuda:
        torch.cuda.synchronize()
    taken = (time.perf_counter() - start) / len(work)
    yield {"what": "host", "seconds": taken, "least": taken, "watts": math.nan}


def products(clock: Clock, tokens: list[int], matrices: dict[str, tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Products of m tokens (m, k) with weights (n, k), in bf16 and, where the device does that, in fp8 (e4m3)."""
    for name, (n, k) in matrices.items():
        weights = [clock.randn(n, k, scale=k**-0.5) for _ in range(clock.copies(2 * n * k))]
        for m in tokens:
            x, out = clock.randn(m, k), torch.empty(m, n, device=clock.device, dtype=torch.bfloat16)
            middle, least, watts = clock.time([partial(torch.mm, x, w.t(), out=out) for w in weights])
            yield {
                "what": name, "dtype": "bf16", "m": m, "n": n, "k": k,
                "seconds": middle, "least": least, "watts": watts,
            }  # fmt: skip
        if not clock.cuda or torch.cuda.get_device_capability() < (8, 9):
            continue
        one = torch.ones((), device=clock.device)
        eights = [w.to(torch.float8_e4m3fn) for w in weights]
        eights += [w.clone() for w in eights[: max(0, clock.copies(n * k) - len(eights))]]
        del weights
        for m in tokens:
            x = clock.randn(m, k).to(torch.float8_e4m3fn)

            how = {"scale_a": one, "scale_b": one, "out_dtype": torch.bfloat16, "use_fast_accum": True}
            with suppress(RuntimeError):  # sizes that the library has no kernel for
                middle, least, watts = clock.time([partial(torch._scaled_mm, x, w.t(), **how) for w in eights])
                yield {
                    "what": name, "dtype": "fp8", "m": m, "n": n, "k": k,
                    "seconds": middle, "least": least, "watts": watts,
                }  # fmt: skip


def attend(q: Any, k: Any, v: Any) -> Any:
    """Attention of one token of each sequence, (B, n_kv, group, d_head), over keys and values (B, n_kv, N, d_head).

    The queries that share a head of keys and values stand where a prompt's tokens would: so each key is read once.
    """
    backends = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(backends[:1] if q.is_cuda else backends):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def attention(clock: Clock, batches: list[int], contexts: list[int], room: float) -> Iterator[dict[str, Any]]:
    """Attention of one decoded token of each of B sequences with N tokens each, in one layer."""
    for B in batches:
        for N in contexts:
            n_bytes = 4 * B * N * KV_HEADS * HEAD
            if n_bytes > room:
                continue
            caches = [
                (clock.randn(B, KV_HEADS, N, HEAD), clock.randn(B, KV_HEADS, N, HEAD))
                for _ in range(max(1, min(clock.copies(n_bytes), int(room // n_bytes))))
            ]
            q = clock.randn(B, KV_HEADS, HEADS // KV_HEADS, HEAD)
            middle, least, watts = clock.time([partial(attend, q, *c) for c in caches])
            yield {
                "B": B, "N": N, "n_heads": HEADS, "n_kv_heads": KV_HEADS, "d_head": HEAD,
                "seconds": middle, "least": least, "watts": watts,
            }  # fmt: skip
            del caches


class Stack:
    """Decoder of Llama-3-8B's shape with random weights in bf16.

    Every layer has weights and a cache of its own; norms, rotation and gate are what PyTorch makes of the plain lines.

    Args:
        clock: where it lies.
        layers: how many layers it has.
        vocabulary: how many tokens its head tells apart.
    """

    def __init__(self, clock: Clock, layers: int = LAYERS, vocabulary: int = VOCABULARY) -> None:
        self.clock = clock
        self.layers = [
            {
                name: clock.randn(n, k, scale=k**-0.5)
                for name, (n, k) in MATRICES.items()
                if name in ("qkv", "out", "gate_up", "down")
            }
            for _ in range(layers)
        ]
        self.embedding, self.head = clock.randn(vocabulary, WIDTH), clock.randn(vocabulary, WIDTH, scale=WIDTH**-0.5)
        self.gain = torch.ones(WIDTH, device=clock.device, dtype=torch.bfloat16)
        compiled = clock.cuda
        self.normed = torch.compile(_normed, dynamic=True) if compiled else _normed
        self.gated = torch.compile(_gated, dynamic=True) if compiled else _gated
        self.rotated = torch.compile(_rotated, dynamic=True) if compiled else _rotated

    def weights(self) -> int:
        """Number of weights, embedding and norms apart."""
        return sum(w.numel() for layer in self.layers for w in layer.values()) + self.head.numel()

    def angles(self, positions: Any) -> tuple[Any, Any]:
        """Cosine and sine of each position's rotation, (tokens, d_head / 2)."""
        rates = 500_000.0 ** -(torch.arange(0, HEAD, 2, device=self.clock.device).float() / HEAD)
        angle = positions.float()[:, None] * rates
        return angle.cos().bfloat16(), angle.sin().bfloat16()

    def step(self, tokens: Any, caches: list[tuple[Any, Any]]) -> Any:
        """Next token of each of B sequences (B,) after `tokens` (B,).

        A layer's cache is two arrays (B, n_kv, N, d_head). The new token's key and value go to the last place of it.
        """
        B, N = tokens.shape[0], caches[0][0].shape[2]
        cos, sin = self.angles(torch.full((B,), N - 1, device=self.clock.device))
        x = self.embedding[tokens]
        for layer, (keys, values) in zip(self.layers, caches, strict=True):
            q, k, v = self._heads(self.normed(x, self.gain), layer, cos, sin)
            keys[:, :, -1], values[:, :, -1] = k, v
            found = attend(q.view(B, KV_HEADS, HEADS // KV_HEADS, HEAD), keys, values)
            x = x + found.reshape(B, WIDTH) @ layer["out"].t()
            x = x + self.gated(self.normed(x, self.gain) @ layer["gate_up"].t()) @ layer["down"].t()
        return (self.normed(x, self.gain) @ self.head.t()).argmax(-1)

    def prompt(self, tokens: Any) -> Any:
        """First token after a prompt (N,): causal attention, and logits of the last place alone."""
        N = tokens.shape[0]
        cos, sin = self.angles(torch.arange(N, device=self.clock.device))
        x = self.embedding[tokens]
        for layer in self.layers:
            q, k, v = self._heads(self.normed(x, self.gain), layer, cos, sin)
            backends = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
            with sdpa_kernel(backends, set_priority=True):
                found = torch.nn.functional.scaled_dot_product_attention(
                    q.transpose(0, 1)[None], k.transpose(0, 1)[None], v.transpose(0, 1)[None],
                    is_causal=True, enable_gqa=True,
                )  # fmt: skip
            x = x + found[0].transpose(0, 1).reshape(N, WIDTH) @ layer["out"].t()
            x = x + self.gated(self.normed(x, self.gain) @ layer["gate_up"].t()) @ layer["down"].t()
        return (self.normed(x[-1:], self.gain) @ self.head.t()).argmax(-1)

    def _heads(self, x: Any, layer: dict[str, Any], cos: Any, sin: Any) -> tuple[Any, Any, Any]:
        """Queries, keys and values (tokens, heads, d_head) of `x` (tokens, d_model), rotated where they have to be."""
        qkv = (x @ layer["qkv"].t()).view(x.shape[0], HEADS + 2 * KV_HEADS, HEAD)
        turned = self.rotated(qkv[:, : HEADS + KV_HEADS], cos, sin)
        return turned[:, :HEADS], turned[:, HEADS:], qkv[:, HEADS + KV_HEADS :]


def _normed(x: Any, gain: Any) -> Any:
    """Root mean square norm of the last axis."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * gain


def _gated(x: Any) -> Any:
    """SwiGLU of both halves of the last axis."""
    gate, up = x.chunk(2, -1)
    return torch.nn.functional.silu(gate) * up


def _rotated(x: Any, cos: Any, sin: Any) -> Any:
    """Heads (tokens, heads, d_head) turned by their positions' angles (tokens, d_head / 2)."""
    one, other = x.chunk(2, -1)
    c, s = cos[:, None], sin[:, None]
    return torch.cat((one * c - other * s, other * c + one * s), -1)


def steps(clock: Clock, stack: Stack, batches: list[int], contexts: list[int], room: float) -> Iterator[dict[str, Any]]:
    """Whole steps of decoding: B sequences, each with N tokens of which the last is new."""
    per_token = 4 * KV_HEADS * HEAD * len(stack.layers)
    for B in batches:
        for N in contexts:
            if B * N * per_token > room:
                continue
            caches = [(clock.randn(B, KV_HEADS, N, HEAD), clock.randn(B, KV_HEADS, N, HEAD)) for _ in stack.layers]
            tokens = torch.randint(0, len(stack.embedding), (B,), device=clock.device)
            middle, least, watts = clock.time([partial(stack.step, tokens, caches)])
            yield {"B": B, "N": N, "seconds": middle, "least": least, "watts": watts}
            del caches


def prompts(clock: Clock, stack: Stack, lengths: list[int]) -> Iterator[dict[str, Any]]:
    """Prompts of N tokens, one at a time, to the first token."""
    for N in lengths:
        tokens = torch.randint(0, len(stack.embedding), (N,), device=clock.device)
        middle, least, watts = clock.time([partial(stack.prompt, tokens)])
        yield {"N": N, "seconds": middle, "least": least, "watts": watts}


COLUMNS = {
    "seconds": "median time of one, in s",
    "least": "least time of one, in s",
    "watts": "mean power of the device meanwhile, in W, by its own meter; null where measured for under half a second",
    "what": "name of the matrix, or of what is done with the bytes",
    "n_bytes": "bytes read (sum), or read and then written once more (copy)",
    "dtype": "format of weights and activations; sums are kept in fp32",
    "m": "tokens",
    "n": "outputs of the weights",
    "k": "inputs of the weights",
    "B": "sequences",
    "N": "tokens of each sequence, the new one among them",
    "n_heads": "heads of queries",
    "n_kv_heads": "heads of keys and values",
    "d_head": "width of a head",
}


def columns(rows: Iterator[dict[str, Any]], until: float, say: Callable[[str], None]) -> Table:
    """Columns of `rows`, as many as come before the time `until`."""
    table: Table = {}
    for row in rows:
        for name, value in row.items():
            number = isinstance(value, float)
            kept = None if number and not math.isfinite(value) else float(f"{value:.5g}") if number else value
            table.setdefault(name, []).append(kept)
        say(
            " ".join(
                f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in row.items()
            )
        )
        if time.perf_counter() > until:
            say("out of time")
            break
    return table


def software(clock: Clock) -> dict[str, Any]:
    """Description of the device, its driver and the libraries."""
    if not clock.cuda:
        return {"device": platform.processor() or platform.machine(), "torch": torch.__version__}
    properties = torch.cuda.get_device_properties(0)
    found = {
        "device": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "memory_bytes": properties.total_memory,
        "l2_bytes": properties.L2_cache_size,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }
    with suppress(Exception):
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        found |= {
            "driver": pynvml.nvmlSystemGetDriverVersion(),
            "power_limit_watts": pynvml.nvmlDeviceGetPowerManagementLimit(handle) / 1e3,
            "largest_clock_mhz": pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM),
            "memory_clock_mhz": pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_MEM),
        }
    return found


def main() -> None:
    """Measure all tables, each in its share of the time, and write them down after each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--seconds", type=float, default=480, help="time for all (default: %(default)s)")
    parser.add_argument("--tiny", action="store_true", help="tiny sizes, to try the script without a GPU")
    options = parser.parse_args()
    begun = time.perf_counter()
    clock = Clock("cpu" if options.tiny else "cuda", 0.15)
    torch.manual_seed(0)
    found: dict[str, Any] = {
        "_doc": {
            "purpose": "times of a decoder's parts and of whole steps on one GPU, by benchmarks/gpu.py",
            "licence": "that of this project",
            "date": time.strftime("%Y-%m-%d"),
            "columns": COLUMNS,
            "model": {
                "d_model": WIDTH, "d_ff": FORWARD, "n_blocks": LAYERS, "n_heads": HEADS, "n_kv_heads": KV_HEADS,
                "d_head": HEAD, "n_vocab": VOCABULARY,
            },
            **software(clock),
        },
        "tables": {},
    }  # fmt: skip
    tiny = options.tiny
    tokens, batches, contexts, lengths = (
        ([1, 16], [1, 2], [16, 32], [16]) if tiny else (TOKENS, BATCHES, CONTEXTS, PROMPTS)
    )

    def measure(name: str, rows: Iterator[dict[str, Any]], share: float) -> None:
        with torch.inference_mode():
            table = columns(
                rows, time.perf_counter() + share * options.seconds, lambda line: print(name, line, flush=True)
            )
        found["tables"][name] = table
        partial = options.out.with_suffix(".part")
        partial.write_text(json.dumps(found, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
        partial.replace(options.out)
        if clock.cuda:
            torch.cuda.empty_cache()
        print(f"{name}: {len(next(iter(table.values()), []))} rows, {time.perf_counter() - begun:.0f} s", flush=True)

    measure("reading", reading(clock, 1 << (22 if tiny else 32)), 0.08)
    measure("launches", launches(clock), 0.02)
    measure("products", products(clock, tokens, {"out": (64, 64)} if tiny else MATRICES), 0.4)
    measure("attention", attention(clock, batches, contexts, 4e6 if tiny else 40e9), 0.2)
    clock.seconds = 0.7  # long enough for the meter of energy
    stack = Stack(clock, 2 if tiny else LAYERS, 100 if tiny else VOCABULARY)
    print(f"stack of {stack.weights():,} weights", flush=True)
    measure("steps", steps(clock, stack, batches, contexts, 4e8 if tiny else 56e9), 0.25)
    measure("prompts", prompts(clock, stack, lengths), 0.15)


if __name__ == "__main__":
    main()
