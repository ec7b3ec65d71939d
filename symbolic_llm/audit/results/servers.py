"""Results of vLLM's and SGLang's benchmarks, against a server or of an engine by itself

`vllm bench serve` and SGLang's `bench_serving` call most things alike. A server may take prompts from its cache of
prefixes, and may draft tokens; a figure above the bound is then no wonder, and its verdict says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from ...errors import InvalidValue, option
from ...presets.parse_value import read_option
from ...units import SECOND, humanize
from .figure import MILLISECONDS, ONE, RATE, REQUESTS, SECONDS, Figure, Given, Requests, Run, lengths
from .records import Record, count, measured, number, numbers, text, within

_STATISTIC = re.compile(r"(mean|median|std|p[0-9]{1,2}(?:[.][0-9]{1,4})?)_(ttft|tpot|itl|e2el|e2e_latency)_ms")
_MEANT = {
    "ttft": "time until the first token of a request",
    "tpot": "time for each output token of a request after the first",
    "itl": "time between two pieces of an answer",
    "e2el": "time of a whole request",
    "e2e_latency": "time of a whole request",
}
_THROUGHPUTS = {  # and which tokens each counts
    "output_throughput": "tokens of answers a second, of all requests together",
    "request_throughput": "requests a second",
    "input_throughput": "tokens of prompts a second, of all requests together",
    "total_token_throughput": "tokens of prompts and answers a second, of all requests together",
    "total_throughput": "tokens of prompts and answers a second, of all requests together",
}
_OF_ENGINE = {
    "tokens_per_second": "tokens of prompts and answers a second, of all requests together",
    "requests_per_second": "requests a second",
}
_DIFFER = "of single requests, and the file does not say that all are equally long"
_NOT_TOLD = "the file does not tell prompts from answers, so all tokens are bounded as those of prompts"
_MOST_STATISTICS = 200  # of a run: a benchmark has about thirty
_PIECES = "single gaps between pieces depend on how a stream is cut"


def is_serving(record: Record) -> bool:
    """Whether a record is one of `vllm bench serve` or of SGLang's `bench_serving`."""
    return "completed" in record and ("output_throughput" in record or "request_throughput" in record)


def read_serving(record: Record) -> Run:
    """The run of a record."""
    sglang = "total_output_tokens_retokenized" in record or "mean_e2e_latency_ms" in record
    server = within(record, "server_info")
    devices = count(server, "tp_size") or _devices(record)
    name = text(record, "model_id", "model") or text(server, "model_path")
    requests = _requests(record)
    program = "SGLang bench_serving" if sglang else "vllm bench serve"
    figures = tuple(_figures(record, requests))
    remarks = tuple(_contradictions(record, figures))
    return Run(program, name, text(record, "gpu", "hardware"), figures, devices=devices, remarks=remarks)


def _contradictions(record: Record, figures: tuple[Figure, ...]) -> Iterator[str]:
    """Remarks on rates that are not what was counted over the time that it took."""
    took = number(record, "duration")
    for figure in figures:
        if took is not None and figure.rate and figure.seconds is not None:
            yield from contradiction(figure.name, figure.seconds, took, "duration")


def _requests(record: Record) -> Requests | str:
    """The requests of a record by their means; or that it does not count them."""
    of_all = tuple(number(record, key) for key in ("completed", "total_input_tokens", "total_output_tokens"))
    done, read, written = of_all
    if done is None or read is None or written is None:
        return "completed, total_input_tokens and total_output_tokens do not say of how many tokens"
    caps = [number(record, key) for key in ("max_concurrent_requests", "max_concurrency")]
    together = min(one for one in (*caps, done) if one is not None)
    equal, beside = lengths(numbers(record, "input_lens"), numbers(record, "output_lens"))
    fixed = (read / done, written / done) == (number(record, "random_input_len"), number(record, "random_output_len"))
    drafted = number(record, "accept_length") or number(record, "spec_decode_acceptance_length")
    return Requests(done, read / done, written / done, equal or fixed, max(together, ONE), beside, drafted)


def _figures(record: Record, requests: Requests | str) -> Iterator[Figure]:
    for name, meaning in _THROUGHPUTS.items():
        if name in record:
            yield rate(name, meaning, measured(record, name), requests)
    asked = (found for name in record if (found := _STATISTIC.fullmatch(name)) and found[1] != "std")
    for one in islice(asked, _MOST_STATISTICS):
        yield _latency(one[0], one[1], one[2], measured(record, one[0]), requests)


def _latency(name: str, statistic: str, what: str, value: Fraction | str, requests: Requests | str) -> Figure:
    """Figure of a time in milliseconds: a mean over requests, or a time that a share of them stays below."""
    if statistic != "mean" and isinstance(requests, Requests):
        requests = _PIECES if what == "itl" else requests if requests.equal else _DIFFER
    return latency(name, f"{_MEANT[what]}, {statistic}", what, value, requests)


def rate(name: str, meaning: str, value: Fraction | str, requests: Requests | str) -> Figure:
    """Figure of tokens, or of requests, a second: of which of them, its name begins with.

    Args:
        name: as the program calls it.
        meaning: what it is, in words.
        value: a second; or why there is none.
        requests: the requests by their means; or why the figure cannot be judged by them.
    """
    unit = REQUESTS if name.startswith("request") else RATE
    if isinstance(value, str) or isinstance(requests, str):
        return _open(name, meaning, unit, value, requests)
    counted = {"out": requests.output, "inp": requests.prompt, "pro": requests.prompt, "req": ONE}
    every = requests.number * counted.get(name[:3], requests.prompt + requests.output)
    stages, drafted = (requests.all_together(),), requests.per_step is None
    return Figure(name, meaning, unit, value, every / value, stages, cached=True, drafted=drafted)


def _open(name: str, meaning: str, unit: str, value: Fraction | str, requests: Requests | str) -> Figure:
    """Figure that is not judged, for one of the reasons that stand in the place of its value or of its requests."""
    if isinstance(value, str):
        return Figure(name, meaning, unit, reason=value)
    return Figure(name, meaning, unit, value, reason=str(requests))


def latency(
    name: str, meaning: str, what: str, value: Fraction | str, requests: Requests | str, *, in_seconds: bool = False
) -> Figure:
    """Figure of a mean time of requests, in milliseconds, with the work that lies in it.

    Args:
        name: as the program calls it.
        meaning: what it is, in words.
        what: "ttft", "tpot", "itl", "e2el" or, with the first token among all, "per_token".
        value: in milliseconds; or why there is none.
        requests: the requests by their means; or why the figure cannot be judged by them.
        in_seconds: whether the value is in seconds instead.
    """
    if isinstance(value, str) or isinstance(requests, str):
        return _open(name, meaning, SECONDS if in_seconds else MILLISECONDS, value, requests)
    value = 1000 * value if in_seconds else value
    seconds, drafted = value / 1000, requests.per_step is None
    if what in ("tpot", "itl") and not requests.new:
        return Figure(name, meaning, MILLISECONDS, value, reason="answers of one token have no token after the first")
    prefill, decoding = (requests.prefill(),), (requests.decoding(),)
    both = (*prefill, *(decoding if requests.new else ()))
    every, stages, cached, drafted = {
        "ttft": (seconds, prefill, True, False),
        "tpot": (seconds * requests.new, decoding, False, drafted),
        # a gap for each step, however many tokens it gave
        "itl": (seconds * requests.new / requests.each, (requests.decoding(of_tokens=True),), False, False),
        "per_token": (seconds * requests.output, both, True, drafted),
    }.get(what, (seconds, both, True, drafted))
    return Figure(name, meaning, MILLISECONDS, value, every, stages, cached=cached, drafted=drafted)


def contradiction(name: str, seconds: Fraction, took: Fraction, key: str) -> Iterator[str]:
    """Remark on a figure by which its work took another time than the file states; none if they agree to 2 %."""
    if abs(seconds - took) * 50 > took:
        yield (
            f"by {name} it took {humanize(seconds, SECOND, 4)}, and {key} says {humanize(took, SECOND, 4)}: "
            f"one of them is wrong"
        )


# An engine by itself


def is_latency(record: Record) -> bool:
    """Whether a record is one of `vllm bench latency`."""
    return "avg_latency" in record


def read_latency(record: Record, given: Given) -> Run:
    """The run of a record, which leaves out of how many tokens it is; `InvalidValue` unless `given` says so."""
    asked = {"prompt": given.prompt, "output": given.output, "batch": given.batch}
    if lacking := [option(name, "=") for name, value in asked.items() if value is None]:
        raise InvalidValue(
            f"vllm bench latency leaves out how many tokens it took; give {', '.join(lacking)} as the run had "
            f"--input-len, --output-len and --batch-size."
        )
    prompt, output, batch = (read_option(name, value) for name, value in asked.items())
    requests = Requests(batch, prompt, output, True, batch)
    value, meaning = measured(record, "avg_latency"), f"time of a batch of {int(batch):,}, from prompts to last tokens"
    if isinstance(value, str):
        figure = Figure("avg_latency", meaning, SECONDS, reason=value)
    else:
        stages = (requests.prefill(batch), *([requests.decoding(batch)] if requests.new else []))
        figure = Figure("avg_latency", meaning, SECONDS, value, value, stages, cached=True, drafted=True)
    return Run("vllm bench latency", text(record, "model"), "", (figure,), devices=_devices(record))


def is_throughput(record: Record) -> bool:
    """Whether a record is one of `vllm bench throughput`."""
    return "elapsed_time" in record and "total_num_tokens" in record


def read_throughput(record: Record, given: Given) -> Run:
    """The run of a record, which adds up prompts and answers: all count as prompts unless `given.output` is known."""
    done, tokens = (number(record, key) for key in ("num_requests", "total_num_tokens"))
    remarks: tuple[str, ...] = ()
    requests: Requests | str = "num_requests and total_num_tokens do not say of what"
    if done is not None and tokens is not None:
        output = ONE if given.output is None else read_option("output", given.output)
        if output >= tokens / done:
            raise InvalidValue(
                f"{option('output')} {int(output):,} leaves no prompt: the file has "
                f"{float(tokens / done):,.6g} tokens a request."
            )
        requests = Requests(done, tokens / done - output, output, False, done)
        if given.output is None:
            remarks = (f"{_NOT_TOLD}; {option('output', '=')} says how many each answer has",)
    figures = tuple(rate(name, said, measured(record, name), requests) for name, said in _OF_ENGINE.items())
    devices = _devices(record)
    return Run("vllm bench throughput", text(record, "model"), "", figures, devices=devices, remarks=remarks)


def _devices(record: Record) -> int:
    return count(record, "tensor_parallel_size") or 1
