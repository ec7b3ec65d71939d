"""Results of GuideLLM: a report with a benchmark for each rate or concurrency, its metrics by the status of requests"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import InvalidValue
from .figure import ONE, Figure, Requests, Run
from .records import MOST_RECORDS, Record, measured, number, text, within
from .servers import latency, rate

_LATENCIES = {  # and what each is by the names of servers.py, and how many milliseconds it counts in
    "time_to_first_token_ms": ("ttft", "time until the first token of a request, mean"),
    "inter_token_latency_ms": ("tpot", "time for each output token of a request after the first, mean"),
    "time_per_output_token_ms": ("per_token", "time for each output token of a request, the first included, mean"),
    "request_latency": ("e2el", "time of a whole request, mean"),
}
_RATES = {
    "output_tokens_per_second": "tokens of answers a second, of all requests together",
    "requests_per_second": "requests a second",
    "prompt_tokens_per_second": "tokens of prompts a second, of all requests together",
    "tokens_per_second": "tokens of prompts and answers a second, of all requests together",
}


def is_guidellm(record: Record) -> bool:
    """Whether a record is a report of GuideLLM."""
    benchmarks = record.get("benchmarks")
    return isinstance(benchmarks, list) and all(isinstance(one, dict) and "metrics" in one for one in benchmarks)


def read_guidellm(record: Record) -> list[Run]:
    """The runs of a report, one for each benchmark; `InvalidValue` for too many."""
    named, number_of = _model(record), len(record["benchmarks"])
    if number_of > MOST_RECORDS:
        raise InvalidValue(f"it has {number_of:,} benchmarks, and at most {MOST_RECORDS:,} are read.")
    return [_run(one, named) for one in record["benchmarks"]]


def _model(record: Record) -> str:
    """Name of the model that a report, or one of its benchmarks, was asked of: each version keeps it elsewhere."""
    places = (("config", "spec", "backend"), ("config", "backend"), ("args",), ("args", "backend"))
    return next((name for place in places if (name := text(within(record, *place), "model", "backend_model"))), "")


def _run(record: Record, named: str) -> Run:
    metrics = within(record, "metrics")
    requests = _requests(metrics)
    model = named or _model(record) or text(within(record, "worker"), "backend_model")
    return Run("GuideLLM", model, "", tuple(_figures(metrics, requests)))


def _of(metrics: Record, name: str, status: str = "successful") -> Record:
    """The distribution of a metric over requests of one status."""
    return within(metrics, name, status)


def _requests(metrics: Record) -> Requests | str:
    prompts, answers = (_of(metrics, name) for name in ("prompt_token_count", "output_token_count"))
    prompt, output = number(prompts, "mean"), number(answers, "mean")
    if prompt is None or output is None:
        return "prompt_token_count and output_token_count do not say of how many tokens"
    caps = (number(_of(metrics, "request_concurrency", status), "max") for status in ("total", "successful"))
    done = number(prompts, "count") or ONE
    together = next((one for one in caps if one is not None), done)
    equal = all(number(one, "min") is not None and one.get("min") == one.get("max") for one in (prompts, answers))
    each = number(_of(metrics, "output_tokens_per_iteration"), "mean")
    drafted = each if each is not None and each > 1 else None  # pieces of a stream may be split, not only joined
    return Requests(done, prompt, output, equal, max(together, ONE), per_step=drafted)


def _figures(metrics: Record, requests: Requests | str) -> Iterator[Figure]:
    for name, meaning in _RATES.items():
        if name in metrics:
            yield rate(name, meaning, measured(_of(metrics, name), "mean"), requests)
    for name, (what, meaning) in _LATENCIES.items():
        if name in metrics:
            value = measured(_of(metrics, name), "mean")
            yield latency(name, meaning, what, value, requests, in_seconds=not name.endswith("_ms"))
