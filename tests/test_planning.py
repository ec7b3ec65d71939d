"""Plans: every number is that of the formula beside it, and no larger batch would do"""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction

import pytest

from symbolic_llm import Operations, Plan, Sizing, evaluate, explain, presets
from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.cli import main
from symbolic_llm.errors import SymbolicLLMError
from symbolic_llm.expressions.arithmetic import number
from symbolic_llm.reports.number_search import largest
from symbolic_llm.reports.planning import Choice
from symbolic_llm.reports.server_load import WAYS, Load, Server, read_rate
from symbolic_llm.units import parse_quantity

SEVENTY = {"prompt": 3000, "output": 1000, "tpot": "50 ms"}
SOME = ("h100-sxm", "a100-80gb-sxm", "l40s", "rtx-4090", "m2-ultra", "raspberry-pi-4")


def opened(plan: Plan) -> list[tuple[str, str]]:
    """Each question that the plan's text says how to ask: its arguments, and the value that the text gives."""
    lines = re.findall(r"^  ([\w ]+): (.+), by symbolic-llm (explain .+)$", repr(plan), re.MULTILINE)
    return [(arguments, shown) for _, shown, arguments in lines]


def test_the_named_case() -> None:
    """A 70B model at 50 ms a token on one H100 with fp8 weights: sixteen, since memory holds no more."""
    plan = Plan("llama-2-70b", **SEVENTY, devices=1, dtype="fp8", hardware=("h100-sxm",))
    (only,) = plan.choices
    each = 4000 * evaluate("kv_bytes_per_token", model="llama-2-70b", cache="fp8")
    left = 80 * 10**9 - evaluate("weight_bytes", model="llama-2-70b", weights="fp8")
    assert only["batch"] == left // each == 16
    assert (only.tensor, only.limit) == (1, "memory")
    assert "memory is the limit; 16 sequences of 4,000 tokens fit beside the weights" in repr(plan)


@pytest.mark.parametrize("model", ["llama-2-7b", "llama-2-70b", "mixtral-8x7b", "gemma-2-27b", "deepseek-v3"])
def test_no_larger_batch_would_do(model: str) -> None:
    """A plan's batch is the largest: one sequence more does not fit, or takes longer than the target."""
    plan = Plan(model, **SEVENTY, ttft="2 s", hardware=SOME, weights="fp8")
    assert plan.choices or plan.refused
    for one in plan.choices:
        assert one.figures is not None
        assert one["step"] < one["time per token"] <= Fraction(1, 20)
        assert one["first token"] <= 2
        if one.limit == "memory":
            assert one["batch"] == one["fits"]
        else:
            assert one["batch"] < one["fits"]
            assert one["time per token with one more"] > Fraction(1, 20)
        if one.by == "prompts":
            assert one["time per token with one more"] > Fraction(2) * one["step"]
        elif one.limit == "target":
            assert bool(one.by) == (one.tensor == 1)
        if one.by and one.by != "prompts":
            name = {"reading": "memory_time_with_cache", "arithmetic": "compute_time_with_attention"}[one.by]
            given = {"model": model, "hardware": one.hardware, "dtype": "fp16", "weights": "fp8", "N": 4000}
            assert explain(name, B=one["batch"] + 1, **given).exact * 2 > one["time per token with one more"]


@pytest.mark.parametrize("serving", WAYS)
def test_prompts_take_their_time(serving: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Longer prompts for the same context bring fewer tokens a second, at a higher cost; the way is said."""
    asked = {"hardware": ("h100-sxm",), "price": "2 $/h", "serving": serving}
    early, late = (Plan("gpt2", prompt=prompt, output=1000 - prompt, **asked).choices[0] for prompt in (100, 900))  # type: ignore[arg-type]
    assert early["throughput"] > late["throughput"]
    assert early["cost"] < late["cost"]
    line = ["plan", "gpt2", "--prompt", "100", "--output", "900", "--hardware", "h100-sxm", "--serving", serving]
    assert main(line) == 0
    assert f"\n{WAYS[serving]}\n" in capsys.readouterr().out
    assert main([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["note"], told["serving"]) == (WAYS[serving], serving)
    assert {one["serving"] for one in told["ways"]} == {*WAYS}


@pytest.mark.parametrize("model", ["llama-2-70b", "deepseek-v3", "gemma-2-27b"])
@pytest.mark.parametrize("serving", WAYS)
def test_several_devices_share_prompts_too(model: str, serving: str) -> None:
    """A token takes longer than the step of these devices alone, if prompts share their time; all have an answer."""
    named = {"hardware": "h200-sxm", "dtype": "fp16", "weights": "int4"}
    plan = Plan(model, prompt=3000, output=200, serving=serving, devices=8, **{**named, "hardware": ("h200-sxm",)})
    for one in plan.choices:
        assert one.figures is not None
        step, each = one["step"], one["time per token"]
        assert each == step if serving == "apart" else each > step
        assert one["throughput"] <= one["batch"] / each or serving == "apart"
        formula = one.figures["time per token"].formula
        assert formula == {"in-turn": "time_between_tokens", "apart": one.figures["step"].formula}.get(serving, formula)
        if serving == "mixed":
            law = "T_mixed_parts" if one.tensor == 1 else "T_mixed_parts_device"
            beyond = max(0, one["batch"] / 200 - 1)  # prompts, of those that come with a step, that are not in its pass
            assert formula == ("" if beyond else law)
            letters = {"N": 3200, "B": int(one["batch"]), "n_chunk": 3000, "N_prompt": 3000}
            letters |= {} if one.tensor == 1 else {"n_tensor": one.tensor}
            letters = one.figures["time per token"].letters or letters
            again = explain(law, model=model, **named, **letters).exact
            assert again + beyond * one["first token"] == each
    assert plan.choices
    assert {way["serving"] for way in plan.data()["ways"]} == {*WAYS}


def test_the_case_that_was_asked() -> None:
    """An A100 decodes 9,842 tokens a second, and 3,521 with its own prefills; 20 requests a second keep 1.45 busy.

    Part by part it decodes 7,669, and 3,197 with its prefills.
    """
    asked = {"prompt": 1024, "output": 256, "dtype": "bf16", "hardware": ("a100-80gb-sxm",), "devices": 1}
    overlapping, by_parts = (
        Plan("llama-3-8b", rate="20/s", overlap=overlap, **asked).choices[0]  # type: ignore[arg-type]
        for overlap in (True, False)
    )
    assert round(float(overlapping["batch"] / overlapping["step"])) == 9842
    assert round(float(by_parts["batch"] / by_parts["step"])) == 7669
    given = {"model": "llama-3-8b", "hardware": "a100-80gb-sxm", "dtype": "bf16"}
    for one in (overlapping, by_parts):
        prompts = 20 * evaluate("prefill_time_with_attention", N=1024, B=1, **given)  # seconds in a second
        busy = prompts + 20 * 256 / float(one["batch"] / one["step"])
        assert float(one["throughput"]) == pytest.approx(20 * 256 / busy)
        assert (one.servers, float(one["utilisation"] * 2)) == (2, pytest.approx(busy))
    assert round(float(overlapping["throughput"])) == 3521


@pytest.mark.parametrize("serving", WAYS)
@pytest.mark.parametrize("model", ["llama-3-70b", "mixtral-8x7b"])
def test_what_is_cached_is_not_prefilled(model: str, serving: str) -> None:
    """Of each prompt, the other tokens are: a time that `evaluate` gives, too; all tokens are held as before."""
    asked = {"prompt": 4000, "output": 200, "hardware": ("h100-sxm",), "weights": "fp8", "serving": serving}
    whole, none, most = (
        Plan(model, **asked, **more).choices[0]  # type: ignore[arg-type]
        for more in ({}, {"cached": None}, {"cached": 3600, "rate": "2/s"})
    )
    assert whole == none
    again = Plan(model, **{**asked, "cached": "3600"}, rate="2/s")  # type: ignore[arg-type]
    assert "prompts of 4,000 tokens of which 3,600 are cached, answers of 200" in repr(again)
    assert again.data()["cached"] == 3600
    assert most.figures is not None
    first = most.figures["first token"]
    assert first.letters["n_chunk"] == "400"
    assert first.letters["N_prompt"] == "4000"
    given = {"model": model, "hardware": "h100-sxm", "dtype": "fp16", "weights": "fp8"}
    assert explain(first.formula, **given, **first.letters).exact == first.value
    if most.tensor == whole.tensor:
        assert most["fits"] == whole["fits"]
        assert most["first token"] < whole["first token"]
        assert most["throughput"] > whole["throughput"]
    if serving == "in-turn":  # by hand: a second of 2 requests
        busy = 2 * (most["first token"] + 200 * most["step"] / most["batch"])
        assert most["utilisation"] * most.servers == busy


def test_fewest_servers_keep_up() -> None:
    """A plan names the fewest servers: with one fewer all would be busy all the time, or asked for more."""
    asked = {"prompt": 300, "output": 100, "hardware": ("h100-sxm", "l40s")}
    for rate in ("1/min", "7/s", "3600/h", "450/s"):
        for one in Plan("llama-3-8b", rate=rate, **asked).choices:  # type: ignore[arg-type]
            busy = read_rate(rate) * 100 / one["throughput"]
            assert one["utilisation"] * one.servers == busy
            assert one.servers - 1 <= busy < one.servers
    (one,) = Plan("llama-3-8b", prompt=300, output=100, hardware=("l40s",)).choices
    (full,) = Plan("llama-3-8b", rate=3 * one["throughput"] / 100, prompt=300, output=100, hardware=("l40s",)).choices
    assert (full.servers, full["utilisation"]) == (4, Fraction(3, 4))


def simulated(batch: int, prompt: Fraction, step: Fraction, output: int) -> tuple[Fraction, Fraction]:
    """Tokens per second and time between tokens of a server that is replayed: whoever is done makes room for a prompt.

    Sequences start one after the other, so that prompts come evenly.
    """
    left = [1 + (place * output) // batch for place in range(batch)]
    clock = Fraction(0)
    for _ in range(output):
        clock += step
        left = [one - 1 for one in left]
        for place, one in enumerate(left):
            if not one:
                clock, left[place] = clock + prompt, output
    return batch * output / clock, clock / output


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_a_replayed_server_gives_as_much(batch: int) -> None:
    """Step by step and prompt by prompt, in plain Python; a plan that forgot the prompts would give more."""
    (one,) = Plan("llama-3-8b", prompt=500, output=40, hardware=("l40s",), devices=1).choices
    assert one.figures is not None
    named = presets.Presets(presets.model("llama-3-8b"), presets.hardware("l40s"), "fp16", None, None)
    from symbolic_llm.reports.device_questions import Asked

    server = Server(Asked("l40s", named, 1), Load(500, 40), "in-turn")  # type: ignore[arg-type]
    rate, between = simulated(batch, server.first.value, server.step(batch).value, 40)
    assert server.throughput(batch).value == rate
    assert server.between(batch).value == between
    assert simulated(batch, Fraction(0), server.step(batch).value, 40)[0] > rate


def test_prices_by_device_decide() -> None:
    """The cheapest tokens stand first, and those without a price last; a mapping and text say the same."""
    asked = {"prompt": 1000, "output": 200, "hardware": ("h100-sxm", "l40s", "a10"), "devices": 1}
    first = Plan("llama-3-8b", price="h100-sxm=25, l40s=0.9", **asked)  # type: ignore[arg-type]
    assert [one.hardware for one in first.choices] == ["l40s", "h100-sxm", "a10"]
    assert "cost" not in (first.choices[-1].figures or {})
    same = Plan("llama-3-8b", price={"h100-sxm": "25 $/h", "l40s": 0.9}, **asked)  # type: ignore[arg-type]
    assert repr(same) == repr(first)
    other = Plan("llama-3-8b", price="h100-sxm=2.5,l40s=0.9", **asked)  # type: ignore[arg-type]
    assert [one.hardware for one in other.choices] == ["h100-sxm", "l40s", "a10"]
    drawn = Plan("llama-3-8b", power="h100-sxm=700", **asked).choices[0]  # type: ignore[arg-type]
    assert drawn["energy"] * drawn["throughput"] == pytest.approx(700)


def test_each_number_opens_as_a_formula(capsys: pytest.CaptureFixture[str]) -> None:
    """The `explain` that the text names for a number gives that number."""
    plan = Plan("llama-2-70b", **SEVENTY, hardware=("a100-80gb-sxm",), weights="fp8", price="2 $/h")
    found = opened(plan)
    assert len(found) >= 4
    for arguments, shown in found:
        assert main(["--json", *shlex.split(arguments)]) == 0
        value, unit = parse_quantity(shown.replace("sequences", "sequence").split(" per ")[0])
        assert unit is not None
        said = float(re.search(r'"value": ([\d.e+-]+)', capsys.readouterr().out)[1])  # type: ignore[index]
        assert float(value * unit.scale) == pytest.approx(said * (10**6 if "million" in shown else 1), rel=1e-3)


def test_figures_are_those_of_evaluate() -> None:
    """On one device, to the last bit."""
    (one,) = Plan("llama-2-7b", prompt=500, output=500, hardware=("a100-80gb-pcie",)).choices
    for what in ("fits", "step", "first token"):
        assert one.figures is not None
        figure = one.figures[what]
        given = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16"}
        assert evaluate(figure.formula, **given, **figure.letters) == number(figure.value)


def test_first_tokens_of_several_devices_have_their_messages() -> None:
    """A prompt takes each one's share and then the all-reduces, of which the machines' rates alone know nothing."""
    (one,) = Plan("llama-2-70b", prompt=3000, output=1000, hardware=("l40s",), weights="fp8").choices
    assert one.figures is not None
    assert one.tensor > 1
    assert one.figures["first token"].formula == "separate_tensor_parallel_prefill_time"
    given = {"model": "llama-2-70b", "hardware": "l40s", "dtype": "fp16", "weights": "fp8", "N": 3000, "B": 1}
    alone = explain("separate_prefill_time", **given).exact
    given["B"] = given.pop("N")  # a vector for each token
    messages = explain("all_reduce_time", **given, n_tensor=one.tensor).exact
    assert one["first token"] == alone / one.tensor + messages  # arithmetic is the limit, and is shared evenly
    late = Plan("llama-2-70b", prompt=3000, output=1000, ttft="500 ms", hardware=("l40s",), weights="fp8")
    assert alone / 8 < Fraction(1, 2)
    assert not late.choices
    assert late.refused[0].refused.startswith("the time to first token of a single prompt is")


SHARED = tuple(
    name
    for name in presets.names("models")
    if presets.model(name).traits & {Trait.EXPERTS, Trait.LATENT, Trait.MIXED, Trait.WINDOWED}
)


@pytest.mark.parametrize("model", SHARED)
def test_experts_windows_and_latent_vectors_are_shared_out(model: str) -> None:
    """Of every preset with any: on devices that hold it there is a plan, or a reason that is true of the model."""
    traits, several = presets.model(model).traits, ("b200-sxm", "h100-sxm")
    plan = Plan(model, prompt=300, output=100, hardware=several, weights="int4", devices=8)
    for one in plan.choices:
        assert one["step"] > 0
        assert one["first token"] > 0
        if one.tensor > 1:
            assert one.figures is not None
            assert one.figures["step"].formula == "separate_tensor_parallel_latency"
    for one in plan.refused:
        reasons = {
            "counts": bool(traits & {Trait.HYBRID, Trait.TWOFOLD, Trait.PICKED, Trait.COMPRESSED}),
            "no compressed runs": Trait.COMPRESSED in traits,
            "fit": True,
        }
        assert any(words in one.refused and true for words, true in reasons.items()), one.refused
    if traits & {*STATELESS}:
        given = {"model": model, "hardware": "b200-sxm", "dtype": "fp16", "N": 400, "B": 8}
        for name in ("tensor_parallel_latency", "separate_tensor_parallel_prefill_time"):
            two, eight = (explain(name, n_tensor=n, **given).exact for n in (2, 8))
            assert 0 < two < 4 * eight


def test_the_best_stand_first_and_the_others_say_why_not() -> None:
    """By tokens a second of a device; every device is one or the other."""
    plan = Plan("llama-2-70b", **SEVENTY, weights="fp8")
    rates = [one.per_device for one in plan.choices]
    assert rates == sorted(rates, reverse=True)
    assert len(plan.choices) + len(plan.refused) == len(presets.names("hardware"))
    assert all(one.refused and "\n" not in one.refused for one in plan.refused)
    assert "weights alone do not fit" in next(one.refused for one in plan.refused if one.hardware == "raspberry-pi-4")


@pytest.mark.parametrize("model", ["gpt2", "gemma-2-27b", "qwen3-30b-a3b", "deepseek-v3", "qwen3-next-80b-a3b"])
def test_whoever_serves_alone_serves_where_more_are_allowed(model: str) -> None:
    """On any device, one without a known link too, and no worse."""
    asked = {"prompt": 200, "output": 30, "weights": "int4", "hardware": tuple(presets.names("hardware"))}
    alone, several = (Plan(model, devices=devices, **asked) for devices in (1, 8))
    better = {one.hardware: one.per_device for one in several.choices}
    assert all(one.per_device <= better.get(one.hardware, 0) for one in alone.choices)
    assert alone.choices or model == "deepseek-v3"


def test_a_value_that_is_missing_is_all_that_is_said() -> None:
    """More devices bring no peak, so of links between them nothing is said; of memory they bring more."""
    refused = {one.hardware: one.refused for one in Plan("llama-2-70b", prompt=200, output=30).refused}
    assert refused["rtx-3090"] == "the weights alone do not fit, and no source states the speed of its link to another"
    (small,) = Plan("gpt2", prompt=200, output=30, hardware=("tpu-v4",), dtype="fp16").refused
    assert small.refused.endswith("tpu-v4 has no peak for fp16, only for bf16, int8")


@pytest.mark.parametrize("name", presets.names("hardware"))
def test_without_a_format_a_device_takes_one_of_sixteen_bits_that_it_has(name: str) -> None:
    """Every report says so, with every number that of the format; what is asked for is taken as it is."""
    device = presets.hardware(name)
    instead = "fp16" not in device.figures and "bf16" in device.figures
    dtype = "bf16" if instead else "fp16"
    said = f"bf16 is taken for fp16 on {name}, for which no peak in fp16 is known"
    plans = [Plan("gpt2", prompt=200, output=30, hardware=(name,), dtype=one, devices=1) for one in (None, dtype)]
    sizes = [Sizing("gpt2", name, dtype=one, context=64) for one in (None, dtype)]
    passes = [Operations("gpt2", name, dtype=one, context=64) for one in (None, dtype)]
    for left_out, asked in (plans, sizes, passes):
        assert [said in repr(left_out), said in repr(asked)] == [instead, False]
        numbers = left_out.data()
        numbers |= {"formats": numbers["formats"].removesuffix(f"; {said}")} if "formats" in numbers else {}
        assert numbers == asked.data()
    assert {one["dtype"] for one in plans[0].data()["choices"]} <= {dtype}


def test_a_request_beyond_what_the_model_was_made_for_is_said_to_be_that() -> None:
    """A request of one token more than the model's positions is said to exceed them; up to then nothing is said."""
    said = "1,025 tokens exceed the context limit of GPT-2, 1,024 tokens"
    texts = [repr(Plan("gpt2", prompt=1000, output=output, hardware=("h100-sxm",))) for output in (24, 25)]
    assert [said in text for text in texts] == [False, True]
    sizes = [repr(Sizing("gpt2", context=context)) for context in (1024, 1025)]
    assert [said in text for text in sizes] == [False, True]


def test_more_devices_are_taken_only_if_each_does_more() -> None:
    """With one device allowed there is one, and nobody is served better by two than the plan says."""
    alone = Plan("llama-2-7b", **SEVENTY, devices=1, hardware=("h100-sxm",)).choices[0]
    several = Plan("llama-2-7b", **SEVENTY, devices=8, hardware=("h100-sxm",)).choices[0]
    assert alone.tensor == 1
    assert several.per_device >= alone.per_device


@pytest.mark.parametrize(
    "given",
    [
        {"prompt": 0, "output": 1},
        {"prompt": 10, "output": 1.5},
        {"prompt": 10, "output": 10, "tpot": "50 GB"},
        {"prompt": 10, "output": 10, "devices": 0},
        {"prompt": 10, "output": 10, "devices": "many"},
        {"prompt": 10, "output": 10, "price": "2 h"},
        {"prompt": 10, "output": 10, "price": "h100-sxm=2,h100-sxm=3"},
        {"prompt": 10, "output": 10, "price": "h1000=2"},
        {"prompt": 10, "output": 10, "price": "h100-sxm=2=3"},
        {"prompt": 10, "output": 10, "price": "h100-sxm="},
        {"prompt": 10, "output": 10, "power": "h100-sxm=-5"},
        {"prompt": 10, "output": 10, "cached": 10},
        {"prompt": 10, "output": 10, "cached": "0"},
        {"prompt": 10, "output": 10, "rate": "20"},
        {"prompt": 10, "output": 10, "rate": "0/s"},
        {"prompt": 10, "output": 10, "rate": "-1/s"},
        {"prompt": 10, "output": 10, "rate": "20/fortnight"},
        {"prompt": 10, "output": 10, "rate": float("nan")},
        {"prompt": 10, "output": 10, "serving": "later"},
        {"prompt": 10, "output": 10, "dtype": "fp17"},
        {"prompt": 10, "output": 10, "hardware": ("h1000",)},
    ],
)
def test_a_wrong_question_gets_a_sentence(given: dict[str, object]) -> None:
    """Before anything is computed."""
    with pytest.raises(SymbolicLLMError):
        Plan("llama-2-7b", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("prompt", "x", "prompt: 'x' is not a number; write digits, as in 4096."),
        ("output", "1.5", "output (tokens in an answer) must be a whole number, but '1.5' was given."),
        ("tpot", "x", "tpot: 'x' is not a number; write digits and then a unit, as in '5 ms'."),
        (
            "ttft",
            "3 GB",
            "ttft (most time to the first token) is measured in second, but '3 GB' is in byte; write it as '5 ms'.",
        ),
        ("price", "x", "price: 'x' is not a number; write digits and then a unit, as in '2 $/h'."),
    ],
)
def test_what_is_wrong_is_said_of_the_option(option: str, value: str, said: str) -> None:
    """And not of the letter that it stands for."""
    with pytest.raises(SymbolicLLMError) as refused:
        Plan("llama-2-7b", **{"prompt": 5, "output": 5, option: value})  # type: ignore[arg-type]
    assert str(refused.value) == said


def test_the_search_finds_the_last() -> None:
    """Of numbers that hold up to some place."""
    for last in range(9):
        assert largest(lambda n, last=last: n <= last, 8) == last  # type: ignore[misc]
    assert Choice("none", 1, "why").refused
